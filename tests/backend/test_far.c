/* test_far.c - a device with memory of its own and runs that end later: it has the CPU's bits, and
 * what the public header says of such devices holds. */
#include "backend/backend.h"
#include "base/hash.h"
#include "models.h"
#include "one_graph.h"
#include "test.h"

#include <stdio.h>

static const weft_init zeros = {.kind = WEFT_INIT_ZEROS};

static void begin_far(void) {
    begin_on("far");
}

/* ---- the CPU's bits ---- */

enum { STEPS = 4 };

typedef struct outcome {
    uint64_t state;
    float loss[STEPS];
    weft_stats stats;
    uint64_t c; /* the plan as a file of C */
} outcome;

static bool train_on(const char *device, const model_row *row, int threads, weft_plan_desc d,
                     outcome *out) {
    trainer t;
    *out = (outcome){0};
    if (!CHECK(trainer_open(&t, row, &(weft_open_desc){.device = device, .threads = threads}, d)))
        return false;
    for (uint32_t i = 0; i < STEPS; i++) {
        trainer_feed(&t, i);
        CHECK_EQ(weft_run(t.p), WEFT_OK);
        out->loss[i] = weft_item(t.p, t.m.loss);
    }
    out->state = weft_state_hash(t.s);
    out->stats = weft_plan_stats(t.p);
    char *text = d.portable ? weft_plan_emit_c(t.p, "net") : NULL;
    if (d.portable && CHECK(text)) out->c = hash_bytes(HASH_START, text, strlen(text));
    weft_text_free(t.c, text);
    trainer_close(&t);
    return true;
}

TEST(far_has_the_bits_of_the_cpu) {
    static outcome near, far;
    for (int i = 0; i < MODELS; i++)
        for (int way = 0; way < 4; way++) {
            static const char *const name[] = {"one thread", "two threads", "unfused", "portable"};
            CASE("%s, %s", model_table[i].name, name[way]);
            const weft_plan_desc d = {.unfused = way == 2, .portable = way == 3};
            if (!train_on("cpu", &model_table[i], way == 1 ? 2 : 1, d, &near)) continue;
            if (!train_on("far", &model_table[i], way == 1 ? 2 : 1, d, &far)) continue;
            CHECK(far.state && far.state == near.state);
            CHECK_MEM(far.loss, near.loss, sizeof near.loss);
            CHECK_EQ(far.stats.kernels, near.stats.kernels);
            CHECK_EQ(far.stats.segments, near.stats.segments);
            CHECK_EQ(far.stats.threads, near.stats.threads);
            CHECK(far.c == near.c); /* the values of the state are in it */
        }
}

/* Each kind of initial values, and what follows a parameter that lies elsewhere. */
static uint64_t drawn_on(const char *device, bool host) {
    static const weft_init list[] = {
        {.kind = WEFT_INIT_ZEROS},    {.kind = WEFT_INIT_ONES}, {WEFT_INIT_VALUE, 3, 0},
        {WEFT_INIT_UNIFORM, -1, 2},   {WEFT_INIT_NORMAL, 1, 2}, {WEFT_INIT_TRUNCATED, 0, 1},
        {WEFT_INIT_ORTHOGONAL, 1, 0}, {WEFT_INIT_PADDED, 1, 2}, {WEFT_INIT_COLUMN, 5, 3},
    };
    c = weft_open_with(&(weft_open_desc){.device = device, .threads = 2});
    s = weft_state_new(c);
    g = weft_graph_new(c);
    weft_state_seed(s, 7);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%zu", i);
        const weft_tensor p = weft_param(g, s, name, weft_dims(9, 700), list[i]);
        weft_slot(g, s, p, "like", (weft_init){.kind = WEFT_INIT_PARAM});
        if (host && i % 2) CHECK_EQ(weft_state_host(s, name), WEFT_OK);
    }
    weft_param(g, s, "empty", weft_dims(0, 3), list[4]);
    weft_param(g, s, "large", weft_dims(700, 1000), list[4]);
    weft_buffer(g, s, "bytes", WEFT_U8, weft_dims(5), (weft_init){WEFT_INIT_VALUE, 200, 0});
    const uint64_t hash = weft_state_hash(s);
    end();
    return hash;
}

TEST(initial_values_are_the_same_anywhere) {
    const uint64_t want = drawn_on("cpu", false);
    CHECK(want && drawn_on("far", false) == want);
    CHECK(drawn_on("far", true) == want);
}

/* ---- runs that end later ---- */

/* A feed may be written again as soon as weft_run is back, and runs of several plans take effect in
 * their order, however late they are made. */
TEST(what_is_fed_belongs_to_its_run) {
    begin_far();
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(3));
    const weft_tensor sum = weft_buffer(g, s, "sum", WEFT_F32, weft_dims(3), zeros);
    weft_plan *add = weft_compile(
        g, &(weft_plan_desc){.update = weft_assign(sum, weft_add(sum, weft_scale(x, 2)))});
    const weft_tensor half = weft_scale(sum, 0.5f);
    weft_plan *show = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(half)});
    float *feed = add ? weft_feed(add, x) : NULL, got[3];
    if (!CHECK(feed && show)) {
        end();
        return;
    }
    float want = 0;
    for (int i = 1; i <= 200; i++) { /* more than a queue holds */
        feed[0] = feed[1] = feed[2] = (float)i;
        want += 2 * (float)i;
        CHECK_EQ(weft_run(add), WEFT_OK);
        feed[0] = -1;
    }
    CHECK_EQ(weft_run(show), WEFT_OK);
    CHECK_EQ(weft_run(add), WEFT_OK); /* later: show has the values before it */
    CHECK_EQ(weft_get(show, half, got, sizeof got), WEFT_OK);
    CHECK_EQ(got[0], want / 2);
    CHECK_EQ(got[2], want / 2);
    CHECK_EQ(weft_wait(add), WEFT_OK);
    CHECK_EQ(weft_state_get(s, "sum", got, sizeof got), WEFT_OK);
    CHECK_EQ(got[0], want - 2);
    CHECK_EQ(got[2], want + 400);
    weft_plan_free(add);
    weft_plan_free(show);
    end();
}

/* That the device is one that ends later, or the test above says nothing. */
TEST(a_run_is_made_when_somebody_waits) {
    begin_far();
    const weft_tensor n = weft_buffer(g, s, "n", WEFT_F32, WEFT_0D, zeros);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.update = weft_assign(n, weft_offset(n, 1))});
    if (!CHECK(p)) {
        end();
        return;
    }
    CHECK(!c->memory->host);
    const device_ticket before = p->ticket;
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK(p->ticket > before);
    const int64_t at = state_find(s, "n");
    float early = -1, late = -1;
    device_ticket t = 0;
    CHECK(!s->entry[at].data && (uintptr_t)s->entry[at].block < 4096); /* a number, no address */
    CHECK_EQ(c->memory->read(c, s->entry[at].block, s->entry[at].offset, &early, sizeof early, &t),
             WEFT_OK);
    CHECK_EQ(early, -1);
    CHECK_EQ(weft_state_get(s, "n", &late, sizeof late), WEFT_OK);
    CHECK_EQ(early, 1); /* it was given before, so it is done too */
    CHECK_EQ(late, 1);
    weft_plan_free(p);
    end();
}

/* A plan, or a state it uses, may be freed while a run of it is still to come. */
TEST(what_is_freed_is_done_first) {
    begin_far();
    const weft_tensor n = weft_buffer(g, s, "n", WEFT_F32, WEFT_0D, zeros);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.update = weft_assign(n, weft_offset(n, 1))});
    if (!CHECK(p)) {
        end();
        return;
    }
    float now = 0;
    CHECK_EQ(weft_run(p), WEFT_OK);
    weft_plan_free(p);
    CHECK_EQ(weft_state_get(s, "n", &now, sizeof now), WEFT_OK);
    CHECK_EQ(now, 1);
    p = weft_compile(g, &(weft_plan_desc){.update = weft_assign(n, weft_offset(n, 1))});
    if (CHECK(p)) CHECK_EQ(weft_run(p), WEFT_OK);
    weft_state_free(s);
    s = NULL;
    CHECK_EQ(weft_run(p), WEFT_STATE);
    weft_plan_free(p);
    end();
}

/* ---- where entries lie ---- */

TEST(a_pointer_reaches_what_is_host_resident) {
    begin_far();
    const weft_tensor w = weft_param(g, s, "w", weft_dims(2, 2), zeros);
    weft_buffer(g, s, "table", WEFT_I32, weft_dims(4), zeros);
    CHECK_EQ(weft_state_host(s, "table"), WEFT_OK);
    float v[4] = {1, 2, 3, 4}, got[4] = {0};
    CHECK_EQ(weft_state_set(s, "w", v, sizeof v), WEFT_OK);
    CHECK(!weft_state_data(s, "w"));
    CHECK_EQ(weft_error_code(c), WEFT_DEVICE);
    CHECK_HAS(weft_error(c), "weft_state_host");
    CHECK_EQ(weft_state_get(s, "w", got, sizeof got), WEFT_OK);
    CHECK_MEM(got, v, sizeof v);
    float *copy = weft_state_copy(s, "w");
    if (CHECK(copy)) CHECK_MEM(copy, v, sizeof v);
    weft_resize(c, copy, 0);
    int32_t *table = weft_state_data(s, "table");
    if (CHECK(table)) CHECK_EQ(table[3], 0);
    CHECK_EQ(weft_state_host(s, "table"), WEFT_OK);
    CHECK_EQ(weft_state_host(s, "w"), WEFT_STATE); /* too late */
    CHECK_HAS(weft_error(c), "already");
    weft_entry e;
    CHECK(weft_state_entry(s, 0, &e) == WEFT_OK && !e.host);
    CHECK(weft_state_entry(s, 1, &e) == WEFT_OK && e.host);
    CHECK(weft_ok(w));
    end();
}

/* Plans read what the host wrote before a run, and the host what they wrote in it. */
TEST(plans_read_and_write_host_resident_entries) {
    begin_far();
    const weft_tensor a = weft_buffer(g, s, "a", WEFT_F32, weft_dims(5), zeros),
                      b = weft_buffer(g, s, "b", WEFT_F32, weft_dims(5), zeros),
                      d = weft_buffer(g, s, "d", WEFT_F32, weft_dims(5), zeros);
    CHECK_EQ(weft_state_host(s, "a"), WEFT_OK);
    CHECK_EQ(weft_state_host(s, "b"), WEFT_OK);
    const weft_updates u =
        weft_updates_join(g, weft_assign(b, weft_add(a, d)), weft_assign(d, weft_offset(d, 10)));
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.update = u, .fetch = weft_list(a)});
    float *pa = weft_state_data(s, "a"), *pb = weft_state_data(s, "b"), got[5];
    if (!CHECK(p && pa && pb)) {
        end();
        return;
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 5; k++) pa[k] = (float)(100 * i + k), pb[k] = -1;
        CHECK_EQ(weft_run(p), WEFT_OK);
        for (int k = 0; k < 5; k++) CHECK_EQ(pb[k], 100 * i + k + 10 * i);
        CHECK_EQ(weft_get(p, a, got, sizeof got), WEFT_OK);
        CHECK_EQ(got[4], 100 * i + 4);
    }
    weft_plan_free(p);
    end();
}

/* Values that are not finite are found where no pointer reaches them. */
TEST(watched_plans_wait) {
    begin_far();
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(3));
    const weft_tensor w = weft_param(g, s, "w", weft_dims(3), zeros);
    const weft_tensor y = weft_log(weft_add(x, w));
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .watch = true});
    const float v[3] = {1, 2, -3};
    weft_finding f;
    if (!CHECK(p)) {
        end();
        return;
    }
    CHECK_EQ(weft_set(p, x, v, sizeof v), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    if (CHECK(weft_plan_finding(p, &f))) {
        CHECK_STR(f.operation, "log");
        CHECK_EQ(f.element, 2);
    }
    weft_plan_free(p);
    end();
}

/* A run that is timed is waited for: its spans are those of this run. */
static weft_span spans[64];
static int timed, timed_threads;

static weft_span *timed_begins(void *user, void *tag) {
    (void)user, (void)tag;
    return spans;
}

static void timed_ends(void *user, void *tag, int threads, double start, double stop) {
    (void)user, (void)tag;
    timed++;
    timed_threads = threads;
    CHECK(spans[0].start >= start && spans[0].end <= stop && spans[0].end > spans[0].start);
}

TEST(timed_runs_are_waited_for) {
    begin_far();
    const weft_tensor w = weft_buffer(g, s, "w", WEFT_F32, weft_dims(64, 64), zeros);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.update = weft_assign(w, weft_exp(w))});
    if (!CHECK(p)) {
        end();
        return;
    }
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_record(c, &(weft_recorder){.begins = timed_begins, .ends = timed_ends}), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_record(c, NULL), WEFT_OK);
    CHECK_EQ(timed, 1);
    CHECK_EQ(timed_threads, 1);
    weft_plan_free(p);
    end();
}
