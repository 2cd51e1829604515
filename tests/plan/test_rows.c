/* test_rows.c - rows that are added to a table where it lies: the gradient of a table that is both
 * embedding and output head, and gradient descent along a table of which a few rows were read.
 *
 * Such plans must need no second table, and compute what plans without fusing and the reference do,
 * with repeated indices, with indices that are no row, with none, on any number of threads. */
#include "test.h"
#include "weft/weft.h"

#include <string.h>

enum { WORDS = 300, WIDE = 40, TEXTS = 12, LENGTH = 5, RUNS = 3 };
enum { TABLE_BYTES = WORDS * WIDE * sizeof(float) };

typedef struct way {
    const char *device;
    int threads;
    bool unfused;
} way;

typedef struct net {
    weft_ctx *c;
    weft_graph *g;
    weft_state *s;
    weft_tensor x, table, loss;
    weft_plan *p;
} net;

static net net_open(const way *w) {
    net n = {.c = weft_open_with(&(weft_open_desc){.device = w->device, .threads = w->threads})};
    n.g = weft_graph_new(n.c);
    n.s = weft_state_new(n.c);
    n.table = weft_param(n.g, n.s, "table", weft_dims(WORDS, WIDE), (weft_init){0});
    float v[WORDS * WIDE];
    for (int i = 0; i < WORDS * WIDE; i++) v[i] = (float)((i * 37 + i / WIDE * 11) % 101) / 50 - 1;
    CHECK_EQ(weft_state_set(n.s, "table", v, sizeof v), WEFT_OK);
    return n;
}

static void net_compile(net *n, const way *w, weft_tensors fetch, weft_updates update) {
    n->p = weft_compile(
        n->g, &(weft_plan_desc){
                  .fetch = fetch, .update = update, .threads = w->threads, .unfused = w->unfused});
    if (!CHECK(n->p)) CHECK_STR(weft_error(n->c), "");
}

/* Words with many repetitions, and some that are no row. */
static void net_run(net *n, int run) {
    int32_t at[TEXTS * LENGTH];
    const int64_t count = weft_count(n->x);
    for (int i = 0; i < TEXTS * LENGTH; i++) at[i] = (i * i + run) % 7 * 41;
    at[3] = -1, at[4] = WORDS, at[9] = WORDS - 1;
    CHECK_EQ(weft_set(n->p, n->x, at, (size_t)count * sizeof *at), WEFT_OK);
    CHECK_EQ(weft_run(n->p), WEFT_OK);
}

static void net_close(net *n) {
    weft_plan_free(n->p);
    weft_graph_free(n->g);
    weft_state_free(n->s);
    weft_close(n->c);
}

/* ---- a table that is both embedding and head ---- */

/* Sums of the gradient, folded so that it is no result itself, and the gradient on request. */
static void tied(const way *w, float *out, weft_stats *stats) {
    net n = net_open(w);
    n.x = weft_input(n.g, WEFT_I32, weft_dims(2 * LENGTH));
    weft_tensor h = weft_tanh(weft_embedding(n.table, n.x));
    weft_tensor y = weft_matmul(h, weft_transpose(n.table, 0, 1)), d;
    n.loss = weft_mean(weft_square(y), WEFT_ALL, false);
    CHECK_EQ(weft_grad(n.loss, &n.table, 1, &d), WEFT_OK);
    weft_tensor folded = weft_sum(weft_mul(d, weft_sigmoid(d)), weft_axes(0), false);
    net_compile(&n, w, weft_list(folded), (weft_updates){0});
    net_run(&n, 0);
    CHECK_EQ(weft_get(n.p, folded, out, WIDE * sizeof *out), WEFT_OK);
    *stats = weft_plan_stats(n.p);
    net_close(&n);
}

TEST(the_gradient_of_a_tied_table_needs_one_table) {
    static const way fused = {"cpu", 1, false}, two = {"cpu", 2, false}, plain = {"cpu", 1, true},
                     truth = {"ref", 1, false};
    float a[WIDE], b[WIDE];
    weft_stats one, other;
    tied(&fused, a, &one);
    tied(&two, b, &other);
    CHECK_MEM(a, b, sizeof a);
    tied(&plain, b, &other);
    CHECK_ARRAY(a, b, WIDE, 1e-6);
    tied(&truth, b, &other);
    CHECK_ARRAY(a, b, WIDE, 1e-5);
    CHECK(one.arena_bytes < TABLE_BYTES * 3 / 2);
    CHECK_EQ(one.products, 3);
    CHECK_EQ(one.kernels, 6);
}

/* ---- gradient descent ---- */

typedef enum shape { SHAPE_SUMMED, SHAPE_APART, SHAPE_NONE, SHAPE_COUNTED, SHAPES } shape;

typedef struct descent {
    float table[WORDS * WIDE], before[WIDE];
    weft_stats stats;
} descent;

static void descend(const way *w, shape how, bool read, descent *out) {
    net n = net_open(w);
    n.x = weft_input(n.g, WEFT_I32, weft_dims(how == SHAPE_NONE ? 0 : TEXTS, LENGTH));
    weft_tensor word = n.x;
    if (how == SHAPE_COUNTED) /* no memory of its own: the whole index is written out */
        word = weft_iota(n.g, weft_dims(TEXTS, LENGTH), 1);
    weft_tensor rows = weft_embedding(n.table, word);
    if (how != SHAPE_APART) rows = weft_mean(rows, weft_axes(1), false);
    n.loss = weft_sum(weft_square(weft_offset(rows, 0.25f)), WEFT_ALL, false);
    weft_tensor top = weft_max(n.table, weft_axes(0), false); /* of the table from before the run */
    weft_updates u = weft_sgd(n.s, n.loss, &(weft_sgd_desc){.lr = 0.05f});
    net_compile(&n, w, read ? weft_list(n.loss, top) : weft_list(n.loss), u);
    for (int run = 0; run < RUNS; run++)
        if (how == SHAPE_COUNTED) CHECK_EQ(weft_run(n.p), WEFT_OK);
        else net_run(&n, run);
    CHECK_EQ(weft_state_get(n.s, "table", out->table, sizeof out->table), WEFT_OK);
    if (read) CHECK_EQ(weft_get(n.p, top, out->before, sizeof out->before), WEFT_OK);
    out->stats = weft_plan_stats(n.p);
    net_close(&n);
}

TEST(descent_touches_the_rows_that_were_read) {
    static const way fused = {"cpu", 1, false};
    static const way others[] = {
        {"cpu", 2, false}, {"cpu", 3, false}, {"cpu", 1, true}, {"ref", 1, false}};
    static descent a, b;
    for (int how = 0; how < SHAPES; how++)
        for (int read = 0; read < 2; read++) {
            CASE("shape %d, another reader %d", how, read);
            descend(&fused, how, read, &a);
            CHECK(a.stats.arena_bytes < TABLE_BYTES); /* nowhere else is there a table */
            for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
                descend(&others[i], how, read, &b);
                CASE("shape %d, another reader %d, way %d", how, read, (int)i);
                const double within = others[i].unfused || *others[i].device == 'r' ? 1e-6 : 0;
                CHECK_ARRAY(a.table, b.table, WORDS * WIDE, within);
                if (read) CHECK_ARRAY(a.before, b.before, WIDE, within);
            }
        }
}

/* A thousand steps, each less than half of what 1 can be told from, are one that counts. */
TEST(what_goes_to_one_row_is_summed_before) {
    enum { N = 1000, EACH = 20 };
    for (int threads = 1; threads < 3; threads++) {
        CASE("%d threads", threads);
        weft_ctx *c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = threads});
        weft_graph *g = weft_graph_new(c);
        weft_state *s = weft_state_new(c);
        const weft_init one = {WEFT_INIT_VALUE, 1, 0};
        weft_tensor p = weft_param(g, s, "p", weft_dims(3, EACH), one);
        weft_tensor x = weft_input(g, WEFT_I32, weft_dims(N));
        weft_tensor loss = weft_sum(weft_embedding(p, x), WEFT_ALL, false);
        weft_updates u = weft_sgd(s, loss, &(weft_sgd_desc){.lr = 2e-8f});
        weft_plan *plan = weft_compile(g, &(weft_plan_desc){.update = u, .threads = threads});
        int32_t at[N];
        float v[3 * EACH];
        for (int i = 0; i < N; i++) at[i] = 2 * (i % 4 < 3);
        CHECK_EQ(weft_set(plan, x, at, sizeof at), WEFT_OK);
        CHECK_EQ(weft_run(plan), WEFT_OK);
        CHECK_EQ(weft_state_get(s, "p", v, sizeof v), WEFT_OK);
        for (int i = 0; i < EACH; i++) {
            CHECK_NEAR(v[i], 1 - 250 * 2e-8, 1.2e-7);
            CHECK_EQ(v[EACH + i], 1);
            CHECK_NEAR(v[2 * EACH + i], 1 - 750 * 2e-8, 1.2e-7);
        }
        weft_plan_free(plan);
        weft_graph_free(g);
        weft_state_free(s);
        weft_close(c);
    }
}
