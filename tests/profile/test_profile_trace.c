/* test_profile_trace.c - traces: JSON that says what it should, slices that nest, bounds that hold,
 * and files that are whole or not there. */
#include "run_folder.h"

#include "feed.h"

#include "heap.h"
#include "profile_world.h"
#include "weft/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading a trace ---- */

typedef struct slice {
    int64_t start, end; /* nanoseconds */
    int tid;
    char cat[8];
} slice;

typedef struct seen {
    slice *at;
    size_t n, room;
    int kernels, waits, runs, phases, counters, lanes, named; /* named: lanes with a name */
    int bad;                                                  /* slices with something wrong */
    double flops, bytes;
    int64_t events, dropped, cut, last_run;
    size_t file;
} seen;

static int64_t nanoseconds(weft_json event, const char *key) {
    return llround(1000 * weft_json_number(weft_json_get(event, key), NAN));
}

static void see_slice(seen *s, weft_json e) {
    slice x = {.start = nanoseconds(e, "ts"),
               .tid = (int)weft_json_integer(weft_json_get(e, "tid"), -1)};
    x.end = x.start + nanoseconds(e, "dur");
    weft_json_text(weft_json_get(e, "cat"), x.cat, sizeof x.cat);
    s->bad += x.start < 0 || x.end <= x.start || x.tid < 0 ||
              weft_json_text(weft_json_get(e, "name"), NULL, 0) == 0 ||
              weft_json_integer(weft_json_get(e, "pid"), -1) != 1;
    if (s->n == s->room) s->at = realloc(s->at, (s->room = 2 * s->room + 64) * sizeof *s->at);
    s->at[s->n++] = x;
    const weft_json args = weft_json_get(e, "args");
    if (strcmp(x.cat, "kernel") == 0) {
        s->kernels++;
        s->flops += weft_json_number(weft_json_get(args, "flop"), NAN);
        const double bytes = weft_json_number(weft_json_get(args, "bytes"), NAN);
        s->bytes += bytes;
        const double gbs = weft_json_number(weft_json_get(args, "GB/s"), NAN);
        s->bad += weft_json_text(weft_json_get(args, "shape"), NULL, 0) == 0 ||
                  weft_json_kind_of(weft_json_get(args, "scope")) != WEFT_JSON_TEXT ||
                  !(fabs(gbs - bytes / (double)(x.end - x.start)) <= 1e-3 * gbs + 1e-9);
    }
    if (strcmp(x.cat, "run") == 0) {
        s->runs++;
        s->last_run = weft_json_integer(weft_json_get(args, "run"), 0);
    }
    s->waits += strcmp(x.cat, "wait") == 0;
    s->phases += strcmp(x.cat, "phase") == 0;
}

static int by_start(const void *a, const void *b) {
    const slice *x = a, *y = b;
    if (x->tid != y->tid) return x->tid < y->tid ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;
}

/* In a lane, two slices lie apart or one within the other. */
static void slices_nest(seen *s) {
    enum { DEEP = 16 };
    int64_t open[DEEP];
    int depth = 0, wrong = 0;
    qsort(s->at, s->n, sizeof *s->at, by_start);
    for (size_t i = 0; i < s->n; i++) {
        const slice *x = &s->at[i];
        if (i == 0 || x->tid != x[-1].tid) depth = 0, s->lanes++;
        while (depth && open[depth - 1] <= x->start) depth--;
        wrong += depth == DEEP || (depth && x->end > open[depth - 1]);
        if (depth < DEEP) open[depth++] = x->end;
    }
    CHECK_EQ(wrong, 0);
}

static seen look(weft_ctx *c, const char *path) {
    seen s = {0};
    weft_file f;
    if (!CHECK_EQ(weft_file_open(c, path, &f), WEFT_OK)) return s;
    s.file = f.n;
    const weft_json all = weft_json_parse(c, f.bytes, f.n, path);
    if (!CHECK_EQ(weft_json_kind_of(all), WEFT_JSON_OBJECT)) CHECK_STR(weft_error(c), "");
    char ph[4], name[32];
    const weft_json events = weft_json_get(all, "traceEvents"); /* found once: the file is long */
    for (weft_json key = {0}, e = {0}; weft_json_next(events, &key, &e);) {
        weft_json_text(weft_json_get(e, "ph"), ph, sizeof ph);
        weft_json_text(weft_json_get(e, "name"), name, sizeof name);
        if (*ph == 'X') see_slice(&s, e);
        s.counters += *ph == 'C';
        s.named += *ph == 'M' && strcmp(name, "thread_name") == 0;
    }
    CHECK_EQ(s.bad, 0);
    const weft_json about = weft_json_get(all, "metadata");
    s.events = weft_json_integer(weft_json_get(about, "events"), -1);
    s.dropped = weft_json_integer(weft_json_get(about, "dropped"), -1);
    s.cut = weft_json_integer(weft_json_get(about, "cut"), -1);
    weft_file_close(&f);
    slices_nest(&s);
    return s;
}

/* ---- tests ---- */

TEST(a_slice_for_every_kernel) {
    for (int threads = 1; threads <= 2; threads++)
        for (int unfused = 0; unfused < 2; unfused++) {
            CASE("%d threads%s", threads, unfused ? ", unfused" : "");
            enum { RUNS = 12 };
            const run_folder f = run_make();
            learner l = {
                .c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = threads})};
            weft_profile *p = weft_profile_open(l.c, NULL);
            const double start = weft_phase_start(l.c);
            learner_record(&l);
            CHECK(learner_compile(&l, (weft_plan_desc){.threads = threads, .unfused = unfused}));
            weft_phase_end(l.c, "all of it", start);
            learner_run(&l, RUNS);
            const weft_stats s = weft_plan_stats(l.p);
            CHECK_EQ(weft_profile_write_trace(p, run_path(&f, "t.json")), WEFT_OK);
            seen t = look(l.c, run_path(&f, "t.json"));
            CHECK_EQ(t.runs, RUNS);
            CHECK(t.kernels >= RUNS * (int)s.kernels * 9 / 10); /* few are too short to be seen */
            CHECK(t.kernels <= RUNS * (int)s.kernels * threads);
            if (t.kernels >= RUNS * (int)s.kernels)
                CHECK_NEAR(t.flops, RUNS * s.flops, 1e-5 * t.flops);
            CHECK(t.bytes > 0.9 * RUNS * s.bytes && t.bytes <= RUNS * s.bytes * 1.00001);
            CHECK(t.phases >= 10); /* compiling and its eight passes, and one of ours */
            CHECK(t.counters > (int)s.kernels);
            CHECK_EQ(t.lanes, threads);
            CHECK_EQ(t.named, threads);
            CHECK(threads == 1 ? t.waits == 0 : t.waits > 0);
            CHECK_EQ(t.dropped, 0);
            CHECK_EQ(t.cut, 0);
            CHECK(t.events > t.kernels);
            free(t.at);
            weft_profile_close(p);
            learner_close(&l);
            run_remove(f.path);
        }
}

TEST(a_small_buffer_holds_the_first_runs_and_some_later_ones) {
    const run_folder f = run_make();
    learner l = learner_open("cpu", (weft_plan_desc){.threads = 1});
    const int kernels = (int)weft_plan_stats(l.p).kernels, room = 200 * (kernels + 1);
    weft_profile *p = weft_profile_open(l.c, &(weft_profile_desc){.events = room});
    learner_run(&l, 1500);
    CHECK_EQ(weft_profile_write_trace(p, run_path(&f, "t.json")), WEFT_OK);
    seen t = look(l.c, run_path(&f, "t.json"));
    CHECK(t.events <= room);
    CHECK(t.runs >= 120 && t.runs < 200);
    CHECK(t.last_run > 1300); /* 1500 or at most a sixteenth before */
    CHECK_EQ(t.dropped, 0);
    free(t.at);
    weft_profile_plan plan;
    CHECK(weft_profile_plan_at(p, 0, &plan));
    CHECK_EQ(plan.timed, 1500); /* the sums are of all */
    CHECK_EQ(plan.kept, t.runs);
    weft_profile_close(p);
    CASE("and says when it is full");
    p = weft_profile_open(l.c, &(weft_profile_desc){.events = 3 * (kernels + 1)});
    learner_run(&l, 50);
    CHECK_EQ(weft_profile_write_trace(p, run_path(&f, "t.json")), WEFT_OK);
    t = look(l.c, run_path(&f, "t.json"));
    CHECK(t.events <= 3 * (kernels + 1));
    CHECK(t.dropped > 0);
    CHECK_EQ(t.dropped, weft_profile_facts_of(p).dropped);
    free(t.at);
    weft_profile_close(p);
    learner_close(&l);
    run_remove(f.path);
}

TEST(a_trace_is_never_too_long) {
    if (test_sanitized()) SKIP("takes too long here");
    const run_folder f = run_make();
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 1});
    weft_graph *g = weft_graph_new(c);
    weft_scope_push(g, "a_scope_with_a_long_name_so_that_events_take_some_room_in_the_file");
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(4)), y = x;
    for (int i = 0; i < 20; i++) y = weft_tanh(y);
    weft_plan *plan =
        weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .unfused = true, .threads = 1});
    weft_profile *p = weft_profile_open(c, &(weft_profile_desc){.events = 500000});
    feed_zeros(plan);
    for (int i = 0; i < 12000; i++) weft_run(plan);
    CHECK_EQ(weft_profile_write_trace(p, run_path(&f, "t.json")), WEFT_OK);
    seen t = look(c, run_path(&f, "t.json"));
    CHECK(t.file <= WEFT_TRACE_BYTES && t.file > WEFT_TRACE_BYTES / 2);
    CHECK(t.cut > 0);
    CHECK_EQ(t.events + t.cut, weft_profile_facts_of(p).events);
    free(t.at);
    weft_profile_close(p);
    weft_plan_free(plan);
    weft_graph_free(g);
    weft_close(c);
    run_remove(f.path);
}

TEST(a_file_is_whole_or_stays_as_it_was) {
    const run_folder f = run_make();
    learner l = learner_open("cpu", (weft_plan_desc){0});
    weft_profile *p = weft_profile_open(l.c, NULL);
    learner_run(&l, 2);
    CHECK_EQ(weft_profile_write_trace(NULL, "x"), WEFT_ARGUMENT);
    CHECK_EQ(weft_profile_write_trace(p, NULL), WEFT_ARGUMENT);
    const char *const none = run_path(&f, "none/t.json");
    CHECK_EQ(weft_profile_write_trace(p, none), WEFT_FILE);
    CHECK_HAS(weft_error(l.c), none);
    CHECK_EQ(weft_profile_write_trace(p, f.path), WEFT_FILE); /* a folder */
    CHECK_EQ(run_files(f.path, "", 0, NULL), 2);              /* . and .. */
    run_write(run_path(&f, "t.json"), "old");
    CHECK_EQ(weft_profile_write_trace(p, run_path(&f, "t.json")), WEFT_OK);
    CHECK_EQ(run_files(f.path, "", 0, NULL), 3);
    seen t = look(l.c, run_path(&f, "t.json"));
    CHECK_EQ(t.runs, 2);
    free(t.at);
    weft_profile_close(p);
    learner_close(&l);
    run_remove(f.path);
}

TEST(memory_that_runs_out_leaves_the_old_file) {
    const run_folder f = run_make();
    heap h = {0};
    learner l = {
        .c = weft_open_with(&(weft_open_desc){.device = "cpu", .resize = heap_resize, .user = &h})};
    weft_profile *p = weft_profile_open(l.c, NULL);
    learner_record(&l);
    CHECK(learner_compile(&l, (weft_plan_desc){.threads = 1}));
    learner_run(&l, 5);
    const long before = h.made, live = h.live;
    CHECK_EQ(weft_profile_write_trace(p, run_path(&f, "t.json")), WEFT_OK);
    const long all = h.made - before;
    CHECK(all > 5);
    for (long i = 1; i <= all; i++) {
        CASE("allocation %ld of %ld", i, all);
        run_write(run_path(&f, "t.json"), "old");
        h.failed = false, h.fail_at = h.made + i;
        const weft_err e = weft_profile_write_trace(p, run_path(&f, "t.json"));
        h.fail_at = 0;
        CHECK(h.failed);
        CHECK_EQ(h.live, live);
        char *now = run_read(run_path(&f, "t.json"), NULL);
        if (e) CHECK_EQ(e, WEFT_MEMORY);
        if (e) CHECK_STR(now, "old");
        else CHECK_HAS(now, "\"metadata\""); /* the system's part may do without */
        free(now);
        CHECK_EQ(run_files(f.path, "", 0, NULL), 3);
    }
    weft_profile_close(p);
    learner_close(&l);
    run_remove(f.path);
}

TEST(devices_without_steps_have_runs) {
    const run_folder f = run_make();
    learner l = learner_open("ref", (weft_plan_desc){0});
    weft_profile *p = weft_profile_open(l.c, NULL);
    learner_run(&l, 2);
    CHECK_EQ(weft_profile_write_trace(p, run_path(&f, "t.json")), WEFT_OK);
    seen t = look(l.c, run_path(&f, "t.json"));
    CHECK_EQ(t.runs, 2);
    CHECK_EQ(t.kernels, 0);
    free(t.at);
    weft_profile_close(p);
    learner_close(&l);
    run_remove(f.path);
}
