/* test_side_by_side.c - plans of one context run from several threads of the program's own, and while
 * others are recorded, compiled and freed.
 *
 * Each has its own state, so what they learn must be what each learns alone, bit for bit, whoever
 * gets the context's crew of threads at the moment. */
#include "feed.h"
#include "models.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { LEARNERS = 3, RUNS = 60 };

typedef struct learner {
    weft_state *s;
    weft_plan *p;
    weft_err err;
} learner;

static bool learner_begin(weft_ctx *c, learner *l, uint32_t seed) {
    model m = {0};
    weft_graph *g = weft_graph_new(c);
    l->s = weft_state_new(c);
    weft_state_seed(l->s, seed);
    model_mlp(g, l->s, &m);
    l->p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(m.loss), .update = m.update, .threads = 2});
    if (CHECK(l->p)) {
        float *x = weft_feed(l->p, m.x);
        int32_t *t = weft_feed(l->p, m.target);
        for (int64_t i = 0; i < weft_count(m.x); i++) x[i] = (float)(i * 37 % 101) / 101 - 0.5f;
        for (int64_t i = 0; i < weft_count(m.target); i++) t[i] = (int32_t)(i % m.classes);
    }
    weft_graph_free(g);
    return l->p != NULL;
}

static void *learner_run(void *user) {
    learner *l = user;
    for (int i = 0; i < RUNS && l->err == WEFT_OK; i++) l->err = weft_run(l->p);
    return NULL;
}

/* Hashes of the states after RUNS runs each, one after the other or all at once. */
static void learn(bool at_once, uint64_t *hash) {
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 2});
    learner l[LEARNERS] = {{0}};
    pthread_t thread[LEARNERS];
    bool good = true;
    for (int i = 0; i < LEARNERS; i++) good = learner_begin(c, &l[i], (uint32_t)i) && good;
    for (int i = 0; good && i < LEARNERS; i++) {
        if (at_once) CHECK_EQ(pthread_create(&thread[i], NULL, learner_run, &l[i]), 0);
        else learner_run(&l[i]);
    }
    for (int i = 0; good && at_once && i < LEARNERS; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < LEARNERS; i++) {
        CHECK_EQ(l[i].err, WEFT_OK);
        hash[i] = weft_state_hash(l[i].s);
        weft_plan_free(l[i].p);
        weft_state_free(l[i].s);
    }
    weft_close(c);
}

TEST(plans_run_side_by_side) {
    uint64_t alone[LEARNERS], together[LEARNERS];
    learn(false, alone);
    learn(true, together);
    for (int i = 0; i < LEARNERS; i++) {
        CASE("learner %d", i);
        CHECK(alone[i] == together[i]);
        for (int k = 0; k < i; k++) CHECK(alone[i] != alone[k]);
    }
}

/* ---- compiling meanwhile ---- */

typedef struct runner {
    learner l;
    atomic_int stop;
    long runs;
} runner;

static void *runner_run(void *user) {
    runner *r = user;
    for (; !atomic_load(&r->stop) && r->l.err == WEFT_OK; r->runs++) r->l.err = weft_run(r->l.p);
    return NULL;
}

/* A plan over new entries of the learner's own state, which waits for its turn to run. */
static bool compile_more(weft_ctx *c, weft_state *s, int i, int threads) {
    char name[16];
    snprintf(name, sizeof name, "more%d", i);
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(64, 16));
    weft_tensor y = weft_relu(weft_linear(s, x, 64, name));
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .threads = threads});
    weft_graph_free(g);
    weft_plan_free(p);
    return p != NULL;
}

/* A plan of another state, which is also run. */
static bool compile_other(weft_ctx *c, int threads) {
    weft_graph *g = weft_graph_new(c);
    weft_tensor a = weft_input(g, WEFT_F32, weft_dims(64, 64)), y = weft_matmul(weft_exp(a), a);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .threads = threads});
    bool good = p && weft_run(feed_zeros(p)) == WEFT_OK;
    weft_graph_free(g);
    weft_plan_free(p);
    return good;
}

TEST(a_plan_runs_while_others_are_compiled) {
    enum { PLANS = 8 };
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 2});
    runner r = {.runs = 0};
    pthread_t thread;
    if (!CHECK(learner_begin(c, &r.l, 7))) return;
    CHECK_EQ(pthread_create(&thread, NULL, runner_run, &r), 0);
    bool good = true;
    for (int i = 0; good && i < PLANS; i++) {
        const int threads = 2 + i / 2; /* ever more */
        good = compile_more(c, r.l.s, i, threads) && compile_other(c, threads) &&
               weft_device_ping(c, 2) >= 0;
        if (!good) CHECK_STR(weft_error(c), "");
    }
    atomic_store(&r.stop, 1);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK(good);
    CHECK_EQ(r.l.err, WEFT_OK);
    CHECK(r.runs > 0);
    weft_plan_free(r.l.p);

    learner alone = {0}; /* as many runs, and nobody else there */
    if (CHECK(learner_begin(c, &alone, 7))) {
        for (int i = 0; i < PLANS; i++) compile_more(c, alone.s, i, 1);
        for (long i = 0; i < r.runs; i++) CHECK_EQ(weft_run(alone.p), WEFT_OK);
        CHECK_EQ(weft_state_hash(r.l.s), weft_state_hash(alone.s));
    }
    weft_plan_free(alone.p);
    weft_state_free(alone.s), weft_state_free(r.l.s);
    weft_close(c);
}
