/* test_record.c - recorders: what a context tells while it compiles and runs; plans in words. */
#include "profile/profile_world.h"

#include <stdio.h>
#include <string.h>

/* ---- a recorder that writes everything down ---- */

enum { NOTED = 256, ROOM = 4096 };
typedef struct notes {
    int made, freed, begun, ended, phases, threads;
    const weft_plan *plan;
    char phase[NOTED][24];
    double start[NOTED], end[NOTED], run_start, run_end;
    weft_span span[ROOM];
    bool refuse, blind; /* made fails; begins gives no room */
} notes;

static weft_err note_made(void *user, const weft_plan *p, void **tag) {
    notes *n = user;
    if (n->refuse) return weft_fail(NULL, WEFT_MEMORY, "refused");
    n->made++;
    n->plan = p;
    *tag = n->span;
    return WEFT_OK;
}
static void note_freed(void *user, void *tag) {
    notes *n = user;
    CHECK(tag == (void *)n->span);
    n->freed++;
}
static weft_span *note_begins(void *user, void *tag) {
    notes *n = user;
    n->begun++;
    return n->blind ? NULL : tag;
}
static void note_ends(void *user, void *tag, int threads, double start, double end) {
    notes *n = user;
    CHECK(tag == (void *)n->span);
    n->ended++, n->threads = threads, n->run_start = start, n->run_end = end;
}
static void note_phase(void *user, const char *name, double start, double end) {
    notes *n = user;
    if (n->phases == NOTED) return;
    snprintf(n->phase[n->phases], sizeof n->phase[0], "%s", name);
    n->start[n->phases] = start, n->end[n->phases++] = end;
}

static weft_recorder recorder(notes *n) {
    return (weft_recorder){n, note_made, note_freed, note_begins, note_ends, note_phase};
}

static int phase_of(const notes *n, const char *name) {
    for (int i = 0; i < n->phases; i++)
        if (strcmp(n->phase[i], name) == 0) return i;
    return -1;
}

/* ---- tests ---- */

TEST(spans_of_every_step_and_thread) {
    for (int threads = 1; threads <= 2; threads++)
        for (int unfused = 0; unfused < 2; unfused++) {
            CASE("%d threads%s", threads, unfused ? ", unfused" : "");
            static notes n;
            n = (notes){0};
            learner l =
                learner_open("cpu", (weft_plan_desc){.threads = threads, .unfused = unfused});
            const weft_recorder r = recorder(&n);
            CHECK(!weft_recorded(l.c));
            CHECK_EQ(weft_record(l.c, &r), WEFT_OK);
            CHECK(weft_recorded(l.c));
            CHECK_EQ(n.made, 1); /* the plan was there already */
            CHECK(n.plan == l.p);
            learner_run(&l, 1);
            const size_t steps = weft_plan_stats(l.p).kernels;
            if (!CHECK(steps > 3 && steps * (size_t)threads <= ROOM)) continue;
            CHECK_EQ(n.ended, 1);
            CHECK_EQ(n.threads, threads);
            for (size_t i = 0; i < steps; i++) {
                double part = 0;
                for (int t = 0; t < threads; t++) {
                    const weft_span *s = &n.span[steps * (size_t)t + i];
                    CHECK(s->start >= n.run_start && s->end >= s->start && s->end <= n.run_end);
                    CHECK(i == 0 || s->start >= s[-1].end);
                    CHECK(s->part > 0 || s->start == s->end);
                    part += s->part;
                }
                CHECK_NEAR(part, 1, 1e-12);
            }
            n.blind = true;
            learner_run(&l, 3);
            CHECK_EQ(n.begun, 4);
            CHECK_EQ(n.ended, 1);
            CHECK_EQ(weft_record(l.c, NULL), WEFT_OK);
            CHECK_EQ(n.freed, 1);
            learner_run(&l, 1);
            CHECK_EQ(n.begun, 4);
            learner_close(&l);
            CHECK_EQ(n.freed, 1);
        }
}

TEST(phases_of_compiling_lie_within_it) {
    static const char *const pass[] = {"request",  "rewrite", "roots",  "states", "view",
                                       "settle",   "bind",    "inline", "fuse",   "recompute",
                                       "in place", "lower",   "join",   "memory", "prepare"};
    static notes n;
    n = (notes){0};
    learner l = {.c = weft_open("cpu")};
    const weft_recorder r = recorder(&n);
    CHECK_EQ(weft_phase_start(l.c), 0); /* nobody is told */
    CHECK_EQ(weft_record(l.c, &r), WEFT_OK);
    learner_record(&l);
    CHECK(learner_compile(&l, (weft_plan_desc){.threads = 1}));
    CHECK_EQ(n.made, 1);
    const int whole = phase_of(&n, "compile");
    double before = 0;
    if (CHECK(whole >= 0))
        for (size_t i = 0; i < sizeof pass / sizeof *pass; i++) {
            CASE("%s", pass[i]);
            const int at = phase_of(&n, pass[i]);
            if (!CHECK(at >= 0)) continue;
            CHECK(n.start[at] >= n.start[whole] && n.end[at] <= n.end[whole]);
            CHECK(n.end[at] >= n.start[at] && n.start[at] >= before);
            before = n.end[at];
        }
    CASE("phases of one's own, and feeds");
    static float pixels[64 * 96];
    const double start = weft_phase_start(l.c);
    CHECK(start > 0);
    CHECK_EQ(weft_set(l.p, l.m.x, pixels, sizeof pixels), WEFT_OK);
    weft_phase_end(l.c, "mine", start);
    weft_phase_end(l.c, "never begun", 0);
    weft_phase_end(NULL, "nowhere", start);
    weft_phase_end(l.c, NULL, start);
    const int set = phase_of(&n, "set"), mine = phase_of(&n, "mine");
    CHECK(set >= 0 && mine >= 0 && n.start[set] >= n.start[mine] && n.end[set] <= n.end[mine]);
    CHECK_EQ(phase_of(&n, "never begun"), -1);
    learner_close(&l);
    CHECK_EQ(n.freed, 1);
}

TEST(one_recorder_at_a_time) {
    static notes n, other;
    n = other = (notes){0};
    learner l = learner_open("cpu", (weft_plan_desc){0});
    const weft_recorder r = recorder(&n), o = recorder(&other);
    CHECK_EQ(weft_record(NULL, &r), WEFT_ARGUMENT);
    CHECK_EQ(weft_record(l.c, &r), WEFT_OK);
    CHECK_EQ(weft_record(l.c, &o), WEFT_STATE);
    CHECK_HAS(weft_error(l.c), "another recorder");
    CHECK_EQ(other.made, 0);
    CHECK_EQ(weft_record(l.c, NULL), WEFT_OK);
    CHECK_EQ(weft_record(l.c, NULL), WEFT_OK); /* nobody is nobody */
    other.refuse = true;
    CHECK_EQ(weft_record(l.c, &o), WEFT_MEMORY);
    CHECK(!weft_recorded(l.c));
    CHECK_EQ(other.freed, 0);
    CASE("a recorder that refuses a new plan");
    other.refuse = false;
    CHECK_EQ(weft_record(l.c, &o), WEFT_OK);
    other.refuse = true;
    weft_plan *second = weft_compile(l.g, &(weft_plan_desc){.fetch = weft_list(l.m.loss)});
    CHECK(!second);
    CHECK_EQ(weft_record(l.c, NULL), WEFT_OK);
    CHECK_EQ(other.freed, 1);
    learner_run(&l, 1);
    CASE("one that wants to hear nothing");
    CHECK_EQ(weft_record(l.c, &(weft_recorder){0}), WEFT_OK);
    learner_run(&l, 1);
    learner_close(&l);
}

TEST(devices_without_steps_tell_of_the_run) {
    static const char *const device[] = {"ref", "null"};
    for (int i = 0; i < 2; i++) {
        CASE("%s", device[i]);
        static notes n;
        n = (notes){0};
        learner l = learner_open(device[i], (weft_plan_desc){0});
        const weft_recorder r = recorder(&n);
        CHECK_EQ(weft_record(l.c, &r), WEFT_OK);
        learner_run(&l, 2);
        CHECK_EQ(n.ended, 2);
        CHECK_EQ(n.threads, 0);
        CHECK(n.run_end >= n.run_start);
        learner_close(&l);
    }
}

TEST(steps_in_words) {
    learner l = learner_open("cpu", (weft_plan_desc){.name = "learner"});
    const weft_stats s = weft_plan_stats(l.p);
    weft_plan_part x;
    double flops = 0, bytes = 0;
    bool forward = false, back = false, adam = false;
    CHECK_STR(weft_plan_name(l.p), "learner");
    CHECK_STR(weft_plan_name(NULL), "");
    size_t n = 0;
    for (; weft_plan_step(l.p, n, &x); n++) {
        flops += x.flops, bytes += x.bytes;
        CHECK(*x.name && *x.shape);
        const bool deep = strcmp(x.scope, "body/deep/fc") == 0 || strcmp(x.scope, "body/deep") == 0;
        forward |= deep && strstr(x.name, "matmul") && strstr(x.name, "tanh");
        /* the product of a gradient has the scope of what it is the gradient of */
        back |= deep && strncmp(x.name, "matmul", 6) == 0 && !strstr(x.name, "tanh");
        adam |= strcmp(x.name, "adam") == 0 && strstr(x.shape, "->");
    }
    CHECK_EQ(n, s.kernels);
    CHECK_NEAR(flops, s.flops, 1e-9 * s.flops);
    CHECK_NEAR(bytes, s.bytes, 1e-9 * s.bytes);
    CHECK(forward && back && adam);
    CHECK(!weft_plan_step(l.p, n, &x) && !weft_plan_step(NULL, 0, &x));
    CHECK(!weft_plan_step(l.p, 0, NULL));
    learner_close(&l);
}

TEST(tensors_of_the_arena_in_words) {
    for (int unfused = 0; unfused < 2; unfused++) {
        CASE("%s", unfused ? "unfused" : "fused");
        learner l = learner_open("cpu", (weft_plan_desc){.unfused = unfused});
        const weft_stats s = weft_plan_stats(l.p);
        weft_plan_part x;
        double most = 0;
        int inputs = 0;
        for (size_t k = 0; k < s.kernels; k++) {
            double live = 0;
            for (size_t i = 0; weft_plan_tensor(l.p, i, &x); i++)
                if (x.first <= k && k <= x.last) live += x.bytes;
            CHECK(live > 0 && live <= (double)s.arena_bytes);
            most = live > most ? live : most;
        }
        /* alignment and gaps cost something, but not half of the arena */
        CHECK(most > 0.5 * (double)s.arena_bytes);
        for (size_t i = 0; weft_plan_tensor(l.p, i, &x); i++) {
            CHECK(*x.name && *x.shape && x.first <= x.last && x.last <= s.kernels);
            if (strcmp(x.name, "input") != 0) continue;
            inputs++;
            CHECK(strcmp(x.shape, "[64,96]") == 0 ? x.bytes == 64 * 96 * 4 : x.bytes == 64 * 4);
        }
        CHECK_EQ(inputs, 2);
        CHECK(!weft_plan_tensor(NULL, 0, &x) && !weft_plan_tensor(l.p, 0, NULL));
        learner_close(&l);
    }
}

TEST(allocated_bytes_are_counted) {
    weft_ctx *c = weft_open("cpu");
    const uint64_t count = weft_allocations(c), bytes = weft_allocated(c);
    void *p = weft_resize(c, NULL, 1000);
    CHECK_EQ(weft_allocations(c) - count, 1);
    CHECK_EQ(weft_allocated(c) - bytes, 1000);
    weft_resize(c, p, 0);
    CHECK_EQ(weft_allocated(c) - bytes, 1000);
    CHECK_EQ(weft_allocated(NULL), 0);
    weft_close(c);
}
