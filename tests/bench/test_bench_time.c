/* test_bench_time.c - how samples are taken, under a clock of our own: no machine is too busy for
 * it. Then what is measured of the machine itself, of which only what must hold is asked.
 *
 * The clock is caught by defining the system's here, as the library is linked statically. Calls of
 * a workload move it by what they are said to cost. Whoever looks at it twice without such a call
 * between, as the calibration does, sees `loop` go by. The thread's own clock lacks what was
 * stolen. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include "test.h"
#include "weft/bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct {
    bool on, worked;
    int64_t now, loop, stolen; /* nanoseconds; stolen: somebody else had the core */
} fake;

#pragma GCC diagnostic ignored "-Wattributes"
int clock_gettime(clockid_t id, struct timespec *t) {
    static int (*real)(clockid_t, struct timespec *);
    if (!fake.on) {
        if (!real) {
            void *p = dlsym(RTLD_NEXT, "clock_gettime");
            memcpy(&real, &p, sizeof p);
        }
        return real(id, t);
    }
    int64_t now = fake.now - fake.stolen;
    if (id != CLOCK_THREAD_CPUTIME_ID) {
        if (!fake.worked) fake.now += fake.loop;
        fake.worked = false;
        now = fake.now;
    }
    t->tv_sec = (time_t)(now / 1000000000);
    t->tv_nsec = (long)(now % 1000000000);
    return 0;
}

static void fake_begin(void) {
    fake.on = true;
    fake.worked = false;
    fake.now = INT64_C(1000000000);
    fake.loop = 100000;
    fake.stolen = 0;
}

/* ---- workloads ---- */

typedef struct work {
    char letter;
    int64_t cost; /* nanoseconds of a call */
    int64_t calls;
    int64_t spoil_at, spoilt; /* before this call: the loop takes so long from then on; 0: never */
} work;

static char order[4096]; /* the letters of calls, one for a run of the same */
static size_t ordered;

static void work_call(void *user) {
    work *w = user;
    w->calls++;
    if (w->calls == w->spoil_at) fake.loop = w->spoilt;
    fake.now += w->cost;
    fake.worked = true;
    if (ordered < sizeof order && (!ordered || order[ordered - 1] != w->letter))
        order[ordered++] = w->letter;
}

static weft_timing timed(const weft_bench_desc *d, work *w) {
    weft_timing t;
    memset(&t, 0x55, sizeof t);
    fake_begin();
    ordered = 0;
    CHECK_EQ(weft_bench_time(d, &(weft_bench_call){work_call, w}, 1, &t), WEFT_OK);
    fake.on = false;
    return t;
}

/* ---- calls and samples ---- */

TEST(calls_are_doubled_until_they_fill_a_sample) {
    static const struct {
        int64_t cost;
        double sample;
        int64_t calls;
    } rows[] = {{10000000, 0, 1}, {4000000, 0, 1}, {3999999, 0, 2},    {1000000, 0, 4},
                {1000, 0, 4096},  {30000, 0, 256}, {1000, 1e-3, 1024}, {1000000, 0.1, 128}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%.3f us, samples of %g s", 1e-3 * (double)rows[i].cost, rows[i].sample);
        work w = {.cost = rows[i].cost};
        const weft_timing t = timed(&(weft_bench_desc){.sample = rows[i].sample}, &w);
        CHECK_EQ(t.calls, rows[i].calls);
        CHECK_EQ(w.calls, (t.samples + 2) * rows[i].calls - 1); /* with 1 + 2 + 4 + ... before */
        CHECK_NEAR(t.median_us, 1e-3 * (double)rows[i].cost, 1e-6 * (double)rows[i].cost);
        CHECK_NEAR(t.mean_us, t.median_us, 1e-6 * t.median_us);
        CHECK_NEAR(t.relative, t.median_us / 100, 1e-4 * t.median_us);
        CHECK_EQ(t.disturbed, 0);
    }
}

TEST(samples_fill_the_budget) {
    static const struct {
        double sample, budget;
        int least, samples;
    } rows[] = {
        {0.004, 0, 0, 127},  {0.095, 0, 0, 10}, {0.1, 1.95, 0, 19}, {0.1, 0.01, 0, 5},
        {0.1, 0.01, 3, 3},   {0.1, 0.01, 1, 1}, {0.1, 0.4, 20, 20}, {0.1, 0.01, 500, 127},
        {0.1, 1e30, 0, 127}, {0.1, 0.2, -4, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("budget %g of samples of %g, at least %d", rows[i].budget, rows[i].sample,
             rows[i].least);
        work w = {.cost = (int64_t)(1e9 * rows[i].sample) + 1000};
        const weft_timing t = timed(&(weft_bench_desc){.sample = rows[i].sample,
                                                       .budget = rows[i].budget,
                                                       .least = rows[i].least},
                                    &w);
        CHECK_EQ(t.samples, rows[i].samples);
    }
    CASE("no description");
    work w = {.cost = 95000000};
    CHECK_EQ(timed(NULL, &w).samples, 10);
}

TEST(rivals_take_turns) {
    for (int n = 2; n <= WEFT_BENCH_RIVALS; n++) {
        CASE("%d rivals", n);
        work w[WEFT_BENCH_RIVALS];
        weft_bench_call calls[WEFT_BENCH_RIVALS];
        weft_timing t[WEFT_BENCH_RIVALS];
        for (int i = 0; i < n; i++) {
            w[i] = (work){.letter = (char)('A' + i), .cost = 1000000 * (i + 1)};
            calls[i] = (weft_bench_call){work_call, &w[i]};
        }
        fake_begin();
        ordered = 0;
        CHECK_EQ(weft_bench_time(&(weft_bench_desc){.least = 7, .budget = 1e-3}, calls, n, t),
                 WEFT_OK);
        fake.on = false;
        CHECK_EQ(ordered, (size_t)n * 8); /* once to warm, then a sample each, seven times */
        for (size_t i = 0; i < ordered; i++) CHECK_EQ(order[i], 'A' + (int)i % n);
        for (int i = 0; i < n; i++) {
            CHECK_EQ(t[i].samples, 7);
            CHECK_NEAR(t[i].median_us, 1000.0 * (i + 1), 1e-3);
            CHECK_NEAR(t[i].relative, 10.0 * (i + 1), 1e-4);
        }
    }
}

TEST(slower_draws_samples_out) {
    for (int percent = 0; percent <= 300; percent += 50) {
        CASE("%d %%", percent);
        work w = {.cost = 1000000};
        const double share = 0.01 * percent;
        const weft_timing t = timed(&(weft_bench_desc){.slower = share, .sample = 0.1}, &w);
        /* no more than a look at the clock beyond, which costs a loop here */
        const double most = 1000 * (1 + share) + 100.0 / (double)t.calls;
        CHECK(t.median_us >= 1000 * (1 + share) * (1 - 1e-9) && t.median_us <= most * (1 + 1e-9));
        CHECK(t.min_us >= 1000 * (1 + share) * (1 - 1e-9) && t.max_us <= most * (1 + 1e-9));
    }
    CASE("less than nothing");
    work w = {.cost = 1000000};
    CHECK_NEAR(timed(&(weft_bench_desc){.slower = -0.5}, &w).median_us, 1000, 1e-3);
}

/* ---- turns ---- */

typedef struct turns {
    int asked, until;
    double told[WEFT_BENCH_SAMPLES + 2];
    int64_t calls[WEFT_BENCH_SAMPLES + 2]; /* of the workload when it was asked */
    const work *of;
} turns;

static bool turns_next(void *user, double us) {
    turns *t = user;
    if (t->asked > WEFT_BENCH_SAMPLES + 1) return false;
    t->calls[t->asked] = t->of->calls;
    t->told[t->asked++] = us;
    return t->asked <= t->until;
}

TEST(turns_are_asked_for) {
    static const int until[] = {0, 1, 2, 16, 126, 127, 128, 1000};
    for (size_t i = 0; i < sizeof until / sizeof *until; i++) {
        CASE("until %d", until[i]);
        work w = {.cost = 1000000};
        turns u = {.until = until[i], .of = &w};
        /* budget and least have nothing to say */
        const weft_timing t = timed(
            &(weft_bench_desc){.turn = turns_next, .user = &u, .budget = 1e-6, .least = 2}, &w);
        const int samples = until[i] < WEFT_BENCH_SAMPLES ? until[i] : WEFT_BENCH_SAMPLES;
        CHECK_EQ(t.samples, samples);
        CHECK_EQ(u.asked, until[i] < WEFT_BENCH_SAMPLES ? until[i] + 1 : WEFT_BENCH_SAMPLES);
        CHECK_EQ(u.told[0], -1.0);
        for (int k = 1; k < u.asked; k++) {
            CHECK_NEAR(u.told[k], 1000, 1e-3);
            CHECK_EQ(u.calls[k], u.calls[k - 1] + t.calls);
        }
    }
    CASE("none at all");
    work w = {.cost = 1000000};
    turns u = {.of = &w};
    const weft_timing t = timed(&(weft_bench_desc){.turn = turns_next, .user = &u}, &w);
    const weft_timing nothing = {.calls = 4};
    CHECK_MEM(&t, &nothing, sizeof t);
}

TEST(a_turn_is_told_of_the_first_rival) {
    work w[2] = {{.cost = 1000000}, {.cost = 3000000}};
    turns u = {.until = 5, .of = &w[0]};
    weft_timing t[2];
    fake_begin();
    weft_bench_time(&(weft_bench_desc){.turn = turns_next, .user = &u},
                    (weft_bench_call[]){{work_call, &w[0]}, {work_call, &w[1]}}, 2, t);
    fake.on = false;
    CHECK_EQ(u.asked, 6);
    for (int k = 1; k < u.asked; k++) CHECK_NEAR(u.told[k], 1000, 1e-3);
    CHECK_EQ(t[1].samples, 5);
}

/* ---- disturbances ---- */

/* A sample is one call here, after the one that warms: sample k is call k + 2. */
TEST(a_sample_is_left_out_when_the_loop_changes) {
    static const struct {
        int64_t loop;
        int disturbed;
    } rows[] = {{100000, 0}, {104000, 0}, {106000, 1}, {96000, 0}, {94000, 1}, {300000, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("the loop takes %g us from sample 6 on", 1e-3 * (double)rows[i].loop);
        work w = {.cost = 10000000, .spoil_at = 8, .spoilt = rows[i].loop};
        const weft_timing t = timed(&(weft_bench_desc){.budget = 0.205}, &w);
        CHECK_EQ(t.samples + t.disturbed, 20);
        CHECK_EQ(t.disturbed, rows[i].disturbed);
        CHECK_NEAR(t.median_us, 10000, 1e-2);
    }
}

static void robbed(void *user) { /* every fourth call is not alone on its core for a while */
    work_call(user);
    const work *w = user;
    const int64_t taken = w->calls % 4 ? 0 : w->spoilt;
    fake.now += taken, fake.stolen += taken;
}

TEST(a_sample_is_left_out_when_we_did_not_run) {
    static const struct {
        int64_t taken;
        int disturbed;
    } rows[] = {{0, 0}, {300000, 0}, {800000, 5}, {5000000, 5}, {90000000, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%g of 10 ms", 1e-6 * (double)rows[i].taken);
        work w = {.cost = 10000000, .spoilt = rows[i].taken};
        weft_timing t;
        fake_begin();
        weft_bench_time(&(weft_bench_desc){.budget = 0.205}, &(weft_bench_call){robbed, &w}, 1, &t);
        fake.on = false;
        CHECK_EQ(t.samples + t.disturbed, 20);
        CHECK_EQ(t.disturbed, rows[i].disturbed);
        CHECK_NEAR(t.median_us, 10000, 1e-2);
        if (rows[i].disturbed) CHECK_NEAR(t.max_us, 10000, 1e-2);
    }
}

static void unsteady(void *user) { /* the loop is another after every call */
    work_call(user);
    const work *w = user;
    fake.loop = w->calls % 2 ? 100000 : 100000 + 1000 * (w->calls % 40);
}

TEST(at_least_half_is_kept) {
    for (int samples = 1; samples <= WEFT_BENCH_SAMPLES; samples++) {
        CASE("%d samples", samples);
        work w = {.cost = 10000000};
        weft_timing t;
        fake_begin();
        weft_bench_time(&(weft_bench_desc){.least = samples, .budget = 1e-9},
                        &(weft_bench_call){unsteady, &w}, 1, &t);
        fake.on = false;
        CHECK_EQ(t.samples + t.disturbed, samples);
        CHECK(t.samples >= (samples + 1) / 2);
        CHECK(t.relative > 0);
    }
}

static void paced(void *user) { /* clock and core both lose a third after call 10 */
    work *w = user;
    if (w->calls == 10) w->cost = w->cost * 3 / 2, fake.loop = fake.loop * 3 / 2;
    work_call(user);
}

TEST(relative_times_do_not_see_the_clock_change) {
    for (int late = 0; late < 2; late++) {
        CASE(late ? "slow from the beginning" : "slow after a while");
        work w = {.cost = 10000000, .calls = late ? 10 : 0};
        weft_timing t;
        fake_begin();
        weft_bench_time(&(weft_bench_desc){.budget = 0.3}, &(weft_bench_call){paced, &w}, 1, &t);
        fake.on = false;
        CHECK_NEAR(t.relative, 100, 1e-3);
        CHECK_NEAR(t.max_us, 15000, 1e-2);
    }
}

TEST(timings_that_cannot_be) {
    work w = {.cost = 1000000};
    weft_timing t[WEFT_BENCH_RIVALS + 1];
    weft_bench_call calls[WEFT_BENCH_RIVALS + 1];
    for (int i = 0; i <= WEFT_BENCH_RIVALS; i++) calls[i] = (weft_bench_call){work_call, &w};
    CHECK_EQ(weft_bench_time(NULL, calls, 0, t), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(NULL), "1 to 4 calls were expected, not 0");
    CHECK_EQ(weft_bench_time(NULL, calls, -1, t), WEFT_ARGUMENT);
    CHECK_EQ(weft_bench_time(NULL, calls, WEFT_BENCH_RIVALS + 1, t), WEFT_ARGUMENT);
    CHECK_EQ(weft_bench_time(NULL, NULL, 1, t), WEFT_ARGUMENT);
    CHECK_EQ(weft_bench_time(NULL, calls, 1, NULL), WEFT_ARGUMENT);
    calls[1].call = NULL;
    CHECK_EQ(weft_bench_time(NULL, calls, 2, t), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(NULL), "rival 1 has no call");
    CHECK_EQ(w.calls, 0);
}

/* ---- the machine, under its own clock ---- */

TEST(the_calibration_is_a_time) {
    double least = INFINITY, again = INFINITY;
    for (int i = 0; i < 200; i++) {
        const double us = weft_bench_calibration(), then = weft_bench_calibration();
        CHECK(us > 0 && isfinite(us));
        least = fmin(least, us), again = fmin(again, then);
    }
    /* a million instructions can hardly take less; others can make them take more */
    CHECK(least > 10);
    CHECK(least < 1e5);
    CHECK(fabs(log(least / again)) < log(3)); /* the best of 200 each */
}

TEST(peaks) {
    weft_ctx *c = weft_open("cpu");
    if (!CHECK(c != NULL)) return;
    const char *isa = weft_device_isa(c);
#if defined(__x86_64__)
    CHECK(weft_peak_gflops(isa) > 0);
    CHECK(weft_peak_copy_gbs(isa, 1 << 16) > 0);
    CHECK(weft_peak_scale_gbs(isa, 1 << 16) > 0);
    CHECK(weft_peak_read_gbs(isa, 1 << 16) > 0);
    CHECK(isfinite(weft_peak_read_gbs(isa, 4096)));
    CHECK(isfinite(weft_peak_copy_gbs(isa, 4096)));
#endif
    static const char *const unknown[] = {NULL, "", "avx", "AVX2", "sse2 ", "none"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        CASE("%s", unknown[i] ? unknown[i] : "NULL");
        CHECK_EQ(weft_peak_gflops(unknown[i]), 0.0);
        CHECK_EQ(weft_peak_copy_gbs(unknown[i], 1 << 16), 0.0);
        CHECK_EQ(weft_peak_scale_gbs(unknown[i], 1 << 16), 0.0);
        CHECK_EQ(weft_peak_read_gbs(unknown[i], 1 << 16), 0.0);
    }
    CASE("of no memory");
    CHECK_EQ(weft_peak_copy_gbs(isa, 0), 0.0);
    CHECK_EQ(weft_peak_copy_gbs(isa, 63), 0.0);
    CHECK_EQ(weft_peak_scale_gbs(isa, 0), 0.0);
    CHECK_EQ(weft_peak_read_gbs(isa, 0), 0.0);
    for (size_t bytes = 64; bytes <= 2048; bytes *= 2) {
        const double rate = weft_peak_scale_gbs(isa, bytes);
        CHECK(rate >= 0 && isfinite(rate) && rate < 1e6);
    }
    weft_close(c);
}

TEST(machines) {
    weft_ctx *cpu = weft_open("cpu"), *null = weft_open("null");
    if (!CHECK(cpu && null)) return;
    weft_machine m, again, other, none;
    memset(&m, 0x55, sizeof m);
    weft_machine_of(cpu, &m);
    weft_machine_of(cpu, &again);
    CHECK_STR(again.cpu, m.cpu);
    CHECK_STR(again.key, m.key);
    CHECK_EQ(again.cores, m.cores);
    CHECK(m.cpu[0] && m.cores >= 1);
    CHECK_STR(m.isa, weft_device_isa(cpu));
    CHECK_EQ(strspn(m.key, "0123456789abcdef"), sizeof m.key - 1);
    weft_machine_of(null, &other); /* other vectors, another key */
    CHECK_STR(other.cpu, m.cpu);
    CHECK((strcmp(other.isa, m.isa) == 0) == (strcmp(other.key, m.key) == 0));
    weft_machine_of(NULL, &none);
    CHECK_STR(none.isa, "");
    CHECK(strcmp(none.key, m.key) != 0);
    weft_close(cpu);
    weft_close(null);
}

TEST(pings) {
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 2});
    if (!CHECK(c != NULL)) return;
    CHECK_EQ(weft_device_ping(c, 1), 0.0);
    CHECK_EQ(weft_device_ping(c, 0), 0.0);
    CHECK_EQ(weft_device_ping(c, -3), 0.0);
    const double two = weft_device_ping(c, 2), many = weft_device_ping(c, 1000);
    CHECK(isfinite(two) && isfinite(many));
    if (weft_threads(c) >= 2) CHECK(two > 0 && many > 0);
    weft_close(c);
    c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 1});
    CHECK_EQ(weft_device_ping(c, 2), 0.0);
    weft_close(c);
    c = weft_open("null");
    CHECK_EQ(weft_device_ping(c, 2), 0.0);
    weft_close(c);
    CHECK_EQ(weft_device_ping(NULL, 2), 0.0);
}
