/* test_profile.c - profiles: sums by kernel and scope, what is remembered of plans, and that
 * nothing changes by being watched. The trace is test_profile_trace.c's. */
#include "feed.h"
#include "profile_world.h"
#include "sweep.h"
#include "weft/io.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define UNKNOWN "\xef\xbf\xbd" /* U+FFFD: stands for a byte of no character */

/* ---- the same bits, no allocation ---- */

static uint64_t trained(int threads, bool unfused, bool profiled) {
    learner l = learner_open("cpu", (weft_plan_desc){.threads = threads, .unfused = unfused});
    weft_profile *p = profiled ? weft_profile_open(l.c, NULL) : NULL;
    CHECK_EQ(p != NULL, profiled);
    const uint64_t before = weft_allocations(l.c);
    learner_run(&l, 40);
    CHECK_EQ(weft_allocations(l.c), before);
    if (p) CHECK_EQ(weft_profile_facts_of(p).run_allocations, 0);
    const uint64_t hash = weft_state_hash(l.s);
    weft_profile_close(p);
    learner_close(&l);
    return hash;
}

TEST(a_profile_changes_no_bit) {
    const uint64_t want = trained(1, false, false);
    for (int threads = 1; threads <= 2; threads++)
        for (int profiled = 0; profiled < 2; profiled++) {
            CASE("%d threads%s", threads, profiled ? ", profiled" : "");
            CHECK(trained(threads, false, profiled) == want);
        }
    CASE("unfused");
    CHECK(trained(2, true, true) == trained(2, true, false));
}

/* ---- sums ---- */

TEST(rows_add_up_to_the_plan) {
    for (int threads = 1; threads <= 2; threads++)
        for (int unfused = 0; unfused < 2; unfused++)
            for (int way = 0; way < 2; way++) {
                CASE("%d threads%s, by %s", threads, unfused ? ", unfused" : "",
                     way == WEFT_BY_KERNEL ? "kernel" : "scope");
                enum { RUNS = 25 };
                learner l = learner_open(
                    "cpu", (weft_plan_desc){.threads = threads, .unfused = unfused, .name = "me"});
                weft_profile *p = weft_profile_open(l.c, NULL);
                if (!CHECK(p)) continue;
                learner_run(&l, RUNS);
                weft_profile_plan f;
                weft_profile_rows rows;
                CHECK_EQ(weft_profile_plans(p), 1);
                CHECK(weft_profile_plan_at(p, 0, &f));
                CHECK_STR(f.name, "me");
                CHECK_EQ(f.runs, RUNS);
                CHECK_EQ(f.timed, RUNS);
                CHECK_EQ(f.threads, threads);
                CHECK(f.busy_us > 0 && f.busy_us + f.wait_us <= f.thread_us * (1 + 1e-9));
                CHECK(threads == 1 || f.wait_us > 0); /* nobody is always there first */
                CHECK(f.us > 0 && f.us <= f.thread_us && f.thread_us <= threads * f.us * 1.0001);
                CHECK_EQ(weft_profile_by(p, WEFT_PROFILE_ALL, (weft_profile_way)way, &rows),
                         WEFT_OK);
                const weft_stats s = weft_plan_stats(l.p);
                double flops = 0, bytes = 0, us = 0, share = 0;
                int64_t calls = 0;
                bool deep = false;
                for (size_t i = 0; i < rows.n; i++) {
                    const weft_profile_row *r = &rows.at[i];
                    flops += r->flops, bytes += r->bytes, us += r->us, share += r->share;
                    calls += r->calls;
                    deep |= strncmp(r->scope, "body/deep", 9) == 0;
                    CHECK(i == 0 || r->us <= r[-1].us);
                    CHECK_NEAR(r->gflops, r->flops / r->us * 1e-3, 1e-9 * (1 + r->gflops));
                    CHECK_NEAR(r->gbs, r->bytes / r->us * 1e-3, 1e-9 * (1 + r->gbs));
                    CHECK(isnan(r->of_roof)); /* nobody measured it */
                    CHECK_EQ(*r->name == 0, way == WEFT_BY_SCOPE);
                    for (size_t k = 0; k < i; k++)
                        CHECK(strcmp(rows.at[k].scope, r->scope) ||
                              strcmp(rows.at[k].name, r->name) ||
                              strcmp(rows.at[k].shape, r->shape));
                }
                CHECK(deep);
                CHECK_EQ(calls, RUNS * (int64_t)s.kernels);
                CHECK_NEAR(flops, RUNS * s.flops, 1e-9 * flops);
                CHECK_NEAR(bytes, RUNS * s.bytes, 1e-9 * bytes);
                CHECK_NEAR(us, f.busy_us, 1e-9 * us);
                CHECK_NEAR(share, f.busy_us / f.thread_us, 1e-9);
                weft_profile_close(p);
                learner_close(&l);
            }
}

TEST(the_roof_is_measured) {
    learner l = learner_open("cpu", (weft_plan_desc){0});
    weft_profile *p = weft_profile_open(l.c, NULL);
    learner_run(&l, 20);
    const weft_err e = weft_profile_measure_peaks(p);
    const weft_profile_facts f = weft_profile_facts_of(p);
    if (e == WEFT_UNSUPPORTED) {
        CHECK_EQ(f.peak_gflops, 0);
    } else {
        weft_profile_rows rows = {0};
        CHECK_EQ(e, WEFT_OK);
        CHECK(f.peak_gflops > 0 && f.peak_gbs > 0);
        CHECK_EQ(weft_profile_by(p, 0, WEFT_BY_KERNEL, &rows), WEFT_OK);
        for (size_t i = 0; i < rows.n; i++) {
            CASE("%s %s", rows.at[i].name, rows.at[i].shape);
            const weft_profile_row *r = &rows.at[i];
            CHECK(r->of_roof >= 0);
            /* no nearer than its arithmetic alone would be */
            CHECK(r->of_roof >= r->gflops / f.peak_gflops * (1 - 1e-9));
        }
    }
    weft_profile_close(p);
    learner_close(&l);
}

/* ---- which runs, which plans ---- */

TEST(a_window_of_runs) {
    learner l = learner_open("cpu", (weft_plan_desc){0});
    weft_profile_plan f;
    weft_profile *p =
        weft_profile_open(l.c, &(weft_profile_desc){.skip = 5, .runs = 7, .no_events = true});
    CHECK(!weft_profile_open(l.c, NULL)); /* one at a time */
    CHECK_EQ(weft_error_code(l.c), WEFT_STATE);
    learner_run(&l, 5);
    CHECK(weft_profile_plan_at(p, 0, &f));
    CHECK_EQ(f.timed, 0);
    CHECK_EQ(weft_profile_busiest(p), -1);
    learner_run(&l, 20);
    CHECK(weft_profile_plan_at(p, 0, &f));
    CHECK_EQ(f.runs, 25);
    CHECK_EQ(f.timed, 7);
    CHECK_EQ(f.kept, 0);
    CHECK_EQ(weft_profile_facts_of(p).events, 0);
    CHECK_EQ(weft_profile_write_trace(p, "/tmp/never"), WEFT_ARGUMENT);
    weft_profile_stop(p);
    const double seconds = weft_profile_facts_of(p).seconds;
    learner_run(&l, 1);
    CHECK(weft_profile_plan_at(p, 0, &f)); /* what ran is remembered */
    CHECK_EQ(f.runs, 25);
    CHECK_EQ(weft_profile_facts_of(p).seconds, seconds);
    weft_profile_close(p);
    p = weft_profile_open(l.c, NULL); /* and there is room for another */
    CHECK(p);
    weft_profile_close(p);
    learner_close(&l);
}

TEST(plans_are_remembered_when_they_ran) {
    learner l = learner_open("cpu", (weft_plan_desc){.name = "first"});
    weft_profile *p = weft_profile_open(l.c, NULL);
    weft_profile_plan f;
    learner_run(&l, 3);
    weft_plan *idle = weft_compile(l.g, &(weft_plan_desc){.fetch = weft_list(l.m.loss)});
    CHECK_EQ(weft_profile_plans(p), 2);
    CHECK(weft_profile_plan_at(p, 1, &f));
    CHECK_STR(f.name, "plan 2");
    CHECK_EQ(weft_profile_busiest(p), 0);
    weft_plan_free(idle);
    CHECK_EQ(weft_profile_plans(p), 1);
    weft_plan_free(l.p);
    l.p = NULL;
    CHECK(weft_profile_plan_at(p, 0, &f));
    CHECK_STR(f.name, "first");
    CHECK_EQ(f.timed, 3);
    CHECK(!weft_profile_plan_at(p, 1, &f));
    CASE("but not for ever");
    for (int i = 0; i < 600; i++) CHECK(isfinite(weft_item_of(weft_full(l.g, WEFT_0D, 2))));
    CHECK(weft_profile_plans(p) <= 512);
    CHECK_EQ(weft_profile_facts_of(p).plans_dropped, 601 - weft_profile_plans(p));
    weft_profile_close(p);
    learner_close(&l);
}

TEST(the_arena_over_a_run) {
    learner l = learner_open("cpu", (weft_plan_desc){0});
    weft_profile *p = weft_profile_open(l.c, NULL);
    weft_profile_plan f;
    CHECK(weft_profile_plan_at(p, 0, &f));
    size_t most = 0, sum = 0;
    for (size_t i = 0; i < f.stats.kernels; i++) {
        most = f.live[i] > most ? f.live[i] : most;
        CHECK(f.live[i] < f.peak_bytes || i >= f.peak_step);
    }
    CHECK(most > 0);
    CHECK_EQ(f.peak_bytes, most);
    CHECK_EQ(f.live[f.peak_step], most);
    for (size_t i = 0; i < f.tensor_count; i++) {
        sum += f.tensors[i].bytes;
        CHECK(i == 0 || f.tensors[i].bytes <= f.tensors[i - 1].bytes);
        CHECK(*f.tensors[i].name && *f.tensors[i].shape);
    }
    CHECK_EQ(sum, most);
    weft_profile_close(p);
    learner_close(&l);
}

TEST(plans_without_steps) {
    weft_ctx *c = weft_open("cpu");
    weft_graph *g = weft_graph_new(c);
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(4));
    weft_profile *p = weft_profile_open(c, NULL);
    weft_plan *plan = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(x)});
    weft_profile_plan f;
    weft_profile_rows rows;
    CHECK_EQ(weft_plan_stats(plan).kernels, 0);
    for (int i = 0; i < 3; i++) CHECK_EQ(weft_run(feed_zeros(plan)), WEFT_OK);
    CHECK(weft_profile_plan_at(p, 0, &f));
    CHECK_EQ(f.timed, 3);
    CHECK_EQ(f.peak_bytes, 0);
    CHECK_EQ(weft_profile_by(p, 0, WEFT_BY_KERNEL, &rows), WEFT_OK);
    CHECK_EQ(rows.n, 0);
    char *text = weft_profile_json(p, 0);
    CHECK_HAS(text, "\"kernels\": []");
    weft_text_free(c, text);
    weft_plan_free(plan);
    weft_graph_free(g);
    weft_profile_close(p);
    weft_close(c);
    CASE("of a device that knows none");
    learner l = learner_open("ref", (weft_plan_desc){0});
    p = weft_profile_open(l.c, NULL);
    learner_run(&l, 2);
    CHECK(weft_profile_plan_at(p, 0, &f));
    CHECK_EQ(f.timed, 2);
    CHECK(f.us > 0 && f.busy_us == 0);
    CHECK_EQ(weft_profile_measure_peaks(p), WEFT_UNSUPPORTED);
    weft_profile_close(p);
    learner_close(&l);
}

/* ---- JSON ---- */

TEST(a_plan_as_json) {
    learner l = learner_open("cpu", (weft_plan_desc){.threads = 2, .name = "say \"a\\b\"\xff"});
    weft_profile *p = weft_profile_open(l.c, NULL);
    learner_run(&l, 10);
    char *text = weft_profile_json(p, weft_profile_busiest(p)), said[80];
    if (CHECK(text)) {
        const weft_json j = weft_json_parse(l.c, text, strlen(text), "kernels.json");
        CHECK_EQ(weft_json_kind_of(j), WEFT_JSON_OBJECT);
        weft_json_text(weft_json_get(j, "plan"), said, sizeof said);
        CHECK_STR(said, "say \"a\\b\"" UNKNOWN); /* what is no UTF-8 would be no JSON */
        CHECK_EQ(weft_json_integer(weft_json_get(j, "schema"), 0), 1);
        CHECK_EQ(weft_json_integer(weft_json_get(j, "threads"), 0), 2);
        CHECK_EQ(weft_json_integer(weft_json_get(j, "runs"), 0), 10);
        CHECK(weft_json_number(weft_json_get(j, "step_us"), 0) > 0);
        CHECK(weft_json_integer(weft_json_get(j, "arena_bytes"), 0) ==
              (int64_t)weft_plan_stats(l.p).arena_bytes);
        const weft_json rows = weft_json_get(j, "kernels");
        double share = 0, us = 0;
        int64_t calls = 0;
        for (weft_json key = {0}, row = {0}; weft_json_next(rows, &key, &row);) {
            CHECK(weft_json_text(weft_json_get(row, "name"), said, sizeof said) > 0);
            CHECK(weft_json_text(weft_json_get(row, "shape"), said, sizeof said) > 0);
            CHECK_EQ(weft_json_kind_of(weft_json_get(row, "scope")), WEFT_JSON_TEXT);
            CHECK_EQ(weft_json_kind_of(weft_json_get(row, "of_roof")), WEFT_JSON_NULL);
            calls += weft_json_integer(weft_json_get(row, "calls"), 0);
            us += weft_json_number(weft_json_get(row, "us"), NAN);
            share += weft_json_number(weft_json_get(row, "share"), NAN);
        }
        CHECK_EQ(calls, weft_plan_stats(l.p).kernels);
        CHECK(us > 0 && share > 0 && share <= 1.001);
        CHECK(weft_json_count(weft_json_get(j, "scopes")) > 2);
        CHECK(weft_json_integer(weft_json_get(j, "arena.peak_bytes"), 0) > 0);
        CHECK(weft_json_count(weft_json_get(j, "arena.tensors")) > 1);
        CHECK_EQ(weft_json_count(weft_json_get(j, "arena.live")), weft_plan_stats(l.p).kernels);
    }
    weft_text_free(l.c, text);
    CASE("of no plan");
    text = weft_profile_json(p, -1);
    CHECK_HAS(text, "\"plan\": null");
    CHECK(weft_json_kind_of(weft_json_parse(l.c, text, strlen(text), "empty")) == WEFT_JSON_OBJECT);
    weft_text_free(l.c, text);
    weft_profile_close(p);
    learner_close(&l);
}

/* Letters of two, three and four bytes, the last before and the first behind each gap of UTF-8; what
 * is none is a question mark a byte. */
TEST(names_are_utf8) {
    static const struct {
        const char *name, *said;
    } text[] = {
        {"\xc2\x80\xdf\xbf \xc1\xbf\xc2", "\xc2\x80\xdf\xbf " UNKNOWN UNKNOWN UNKNOWN},
        {"\xe0\xa0\x80 \xe0\x9f\xbf", "\xe0\xa0\x80 " UNKNOWN UNKNOWN UNKNOWN},
        {"\xed\x9f\xbf \xed\xa0\x80", "\xed\x9f\xbf " UNKNOWN UNKNOWN UNKNOWN},
        {"\xe2\x82\xac \xe2\x82", "\xe2\x82\xac " UNKNOWN UNKNOWN},
        {"\xf0\x90\x80\x80 \xf0\x8f\xbf\xbf", "\xf0\x90\x80\x80 " UNKNOWN UNKNOWN UNKNOWN UNKNOWN},
        {"\xf4\x8f\xbf\xbf \xf4\x90\x80\x80", "\xf4\x8f\xbf\xbf " UNKNOWN UNKNOWN UNKNOWN UNKNOWN},
        {"\xf1\xbf\xbf\xbf \xf5\x80", "\xf1\xbf\xbf\xbf " UNKNOWN UNKNOWN}};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        CASE("%d", (int)i);
        learner l = learner_open("cpu", (weft_plan_desc){.threads = 1, .name = text[i].name});
        weft_profile *p = weft_profile_open(l.c, NULL);
        learner_run(&l, 1);
        char *json = weft_profile_json(p, 0), said[80] = "";
        if (CHECK(json)) {
            const weft_json j = weft_json_parse(l.c, json, strlen(json), "kernels.json");
            weft_json_text(weft_json_get(j, "plan"), said, sizeof said);
            CHECK_STR(said, text[i].said);
        }
        weft_text_free(l.c, json);
        weft_profile_close(p);
        learner_close(&l);
    }
}

/* ---- what is refused ---- */

TEST(wrong_calls) {
    learner l = learner_open("cpu", (weft_plan_desc){0});
    weft_profile_rows rows;
    weft_profile_plan f;
    CHECK(!weft_profile_open(NULL, NULL));
    CHECK(!weft_profile_open(l.c, &(weft_profile_desc){.events = -1}));
    CHECK_EQ(weft_error_code(l.c), WEFT_ARGUMENT);
    CHECK(!weft_profile_open(l.c, &(weft_profile_desc){.runs = -1}));
    CHECK(!weft_profile_open(l.c, &(weft_profile_desc){.skip = -1}));
    weft_profile *p = weft_profile_open(l.c, NULL);
    CHECK_EQ(weft_profile_by(NULL, 0, WEFT_BY_KERNEL, &rows), WEFT_ARGUMENT);
    CHECK_EQ(weft_profile_by(p, 1, WEFT_BY_KERNEL, &rows), WEFT_ARGUMENT);
    CHECK_EQ(weft_profile_by(p, -2, WEFT_BY_KERNEL, &rows), WEFT_ARGUMENT);
    CHECK_EQ(weft_profile_by(p, 0, (weft_profile_way)2, &rows), WEFT_ARGUMENT);
    CHECK_EQ(weft_profile_by(p, 0, WEFT_BY_KERNEL, NULL), WEFT_ARGUMENT);
    CHECK(!weft_profile_json(NULL, 0) && !weft_profile_json(p, 1) && !weft_profile_json(p, -2));
    CHECK(!weft_profile_plan_at(NULL, 0, &f) && !weft_profile_plan_at(p, 0, NULL));
    CHECK_EQ(weft_profile_plans(NULL), 0);
    CHECK_EQ(weft_profile_busiest(NULL), -1);
    CHECK_EQ(weft_profile_facts_of(NULL).events, 0);
    CHECK_EQ(weft_profile_measure_peaks(NULL), WEFT_ARGUMENT);
    weft_profile_stop(NULL);
    weft_profile_close(NULL);
    weft_profile_close(p);
    learner_close(&l);
}

/* ---- memory that runs out ---- */

static bool everything(weft_ctx *c) {
    learner l = {.c = c};
    weft_profile_rows rows;
    char *text = NULL;
    weft_profile *p = weft_profile_open(c, &(weft_profile_desc){.events = 500});
    bool good = p && (l.g = weft_graph_new(c)) && (l.s = weft_state_new(c));
    if (good) learner_record(&l);
    good = good && learner_compile(&l, (weft_plan_desc){.threads = 1, .name = "n"});
    for (int i = 0; good && i < 3; i++) good = weft_run(l.p) == WEFT_OK;
    good = good && weft_profile_by(p, WEFT_PROFILE_ALL, WEFT_BY_SCOPE, &rows) == WEFT_OK;
    good = good && (text = weft_profile_json(p, 0)) != NULL;
    weft_text_free(c, text);
    weft_profile_close(p);
    weft_plan_free(l.p);
    weft_graph_free(l.g);
    weft_state_free(l.s);
    return good;
}

TEST(out_of_memory_is_an_ordinary_error) {
    sweep_memory(everything);
}

/* ---- plans side by side ---- */

typedef struct runner {
    weft_plan *p;
    weft_ctx *c;
    weft_err err;
} runner;

static void *run_many(void *user) {
    runner *r = user;
    for (int i = 0; i < 200 && !r->err; i++) {
        const double start = weft_phase_start(r->c);
        r->err = weft_run(r->p);
        weft_phase_end(r->c, "mine", start);
    }
    return NULL;
}

TEST(plans_run_side_by_side) {
    enum { RUNNERS = 3 };
    learner l = {.c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 2})};
    weft_profile *p = weft_profile_open(l.c, NULL);
    learner each[RUNNERS];
    runner r[RUNNERS];
    pthread_t thread[RUNNERS];
    for (int i = 0; i < RUNNERS; i++) {
        each[i] = l;
        learner_record(&each[i]);
        if (!CHECK(learner_compile(&each[i], (weft_plan_desc){.threads = 2}))) return;
        r[i] = (runner){.p = each[i].p, .c = l.c};
    }
    for (int i = 0; i < RUNNERS; i++) CHECK(!pthread_create(&thread[i], NULL, run_many, &r[i]));
    for (int i = 0; i < RUNNERS; i++) CHECK(!pthread_join(thread[i], NULL));
    for (int i = 0; i < RUNNERS; i++) {
        weft_profile_plan f;
        CHECK_EQ(r[i].err, WEFT_OK);
        CHECK(weft_profile_plan_at(p, (size_t)i, &f));
        CHECK_EQ(f.timed, 200);
        CHECK(f.busy_us <= f.thread_us * (1 + 1e-9));
    }
    CHECK(weft_profile_facts_of(p).events > RUNNERS * 200);
    weft_profile_close(p);
    for (int i = 0; i < RUNNERS; i++) {
        weft_plan_free(each[i].p);
        weft_graph_free(each[i].g);
        weft_state_free(each[i].s);
    }
    weft_close(l.c);
}
