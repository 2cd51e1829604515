/* test_logic_layers.c - dense layers, convolutions by trees of gates and pools against slow ones: soft
 * by sums over the sixteen functions in double, hard by truth tables, gradients by differences. */
#include "circuit_world.h"
#include "heap.h"
#include "test.h"

#include <math.h>

enum { CASES = 5, MOST = 600, ROWS = 200 };

/* ---- the slow way ---- */

typedef double chances[WEFT_GATE_KINDS]; /* of the functions; hard: all but one are 0 */

/* Each function gives what it gives for 00, 01, 10 and 11, as likely as these are. */
static double slow_gate(const chances p, double a, double b) {
    double y = 0;
    for (int k = 0; k < WEFT_GATE_KINDS; k++)
        for (int i = 0; i < 4; i++)
            y +=
                p[k] * circuit_truth(k, i >> 1, i & 1) * (i >> 1 ? a : 1 - a) * (i & 1 ? b : 1 - b);
    return y;
}

typedef struct slow_tree {
    const double *field;
    const int32_t *pairs; /* of the lowest gates of all trees */
    const chances *row;   /* level by level, tree by tree */
    int trees, lowest;    /* lowest: gates of a tree */
} slow_tree;

static double slow_value(const slow_tree *t, int tree, int level, int gate) {
    const int wide = t->lowest >> level;
    const chances *row = t->row + (size_t)tree * (size_t)wide + gate;
    for (int i = 0; i < level; i++) row += t->trees * (t->lowest >> i);
    if (level)
        return slow_gate(*row, slow_value(t, tree, level - 1, 2 * gate),
                         slow_value(t, tree, level - 1, 2 * gate + 1));
    const int32_t *const pair = t->pairs + 2 * ((size_t)tree * (size_t)wide + (size_t)gate);
    return slow_gate(*row, t->field[pair[0]], t->field[pair[1]]);
}

/* in and out: planes of values; gives how many rows were used. d has no zeros that mean others. */
static int slow_conv(weft_ctx *c, const double *in, weft_planes p, const weft_logic_conv_desc *d,
                     const chances *row, double *out) {
    const weft_planes to = {d->kernels, (p.height + 2 * d->padding - d->size) / d->stride + 1,
                            (p.width + 2 * d->padding - d->size) / d->stride + 1};
    const int lowest = 1 << (d->depth - 1), seen = p.channels * d->size * d->size;
    int32_t *pairs = malloc((size_t)(2 * d->kernels * lowest) * sizeof *pairs);
    double *field = malloc((size_t)seen * sizeof *field);
    CHECK_EQ(weft_wire(c, d->wiring, seen, d->kernels * lowest, d->seed, pairs), WEFT_OK);
    const slow_tree t = {field, pairs, row, d->kernels, lowest};
    for (int y = 0; y < to.height; y++)
        for (int x = 0; x < to.width; x++) {
            for (int i = 0; i < seen; i++) {
                const int ch = i / (d->size * d->size), at = i % (d->size * d->size);
                const int v = y * d->stride + at / d->size - d->padding;
                const int h = x * d->stride + at % d->size - d->padding;
                const bool is = v >= 0 && v < p.height && h >= 0 && h < p.width;
                field[i] = is ? in[(ch * p.height + v) * p.width + h] : 0;
            }
            for (int k = 0; k < d->kernels; k++)
                out[(k * to.height + y) * to.width + x] = slow_value(&t, k, d->depth - 1, 0);
        }
    free(pairs), free(field);
    return d->kernels * (2 * lowest - 1);
}

/* 1 - the chance that none is 1. */
static void slow_pool(const double *in, weft_planes p, int size, double *out) {
    for (int k = 0; k < p.channels; k++)
        for (int y = 0; y < p.height / size; y++)
            for (int x = 0; x < p.width / size; x++) {
                double none = 1;
                for (int i = 0; i < size * size; i++)
                    none *=
                        1 -
                        in[(k * p.height + y * size + i / size) * p.width + x * size + i % size];
                *out++ = 1 - none;
            }
}

static void soft_chances(const float *logits, int rows, chances *p) {
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = 0; k < 16; k++) sum += p[i][k] = exp((double)logits[16 * i + k]);
        for (int k = 0; k < 16; k++) p[i][k] /= sum;
    }
}

static void hard_chances(const float *logits, int rows, chances *p) {
    for (int i = 0; i < rows; i++) {
        int best = 0;
        for (int k = 0; k < 16; k++) p[i][k] = 0;
        for (int k = 1; k < 16; k++)
            if (logits[16 * i + k] > logits[16 * i + best]) best = k;
        p[i][best] = 1;
    }
}

/* ---- a network in both ways ---- */

typedef struct world {
    weft_ctx *c;
    weft_logic *l;
    int inputs, outputs, rows;
    void (*slow)(const struct world *w, const double *x, const chances *p, double *y);
    const void *user;
} world;

static void fill(float *logits, int rows) {
    for (int i = 0; i < 16 * rows; i++) logits[i] = (float)test_uniform(-2, 2);
}

static void check_soft(const world *w, const float *logits) {
    static chances p[ROWS];
    float x[CASES * MOST], got[CASES * MOST];
    double in[MOST], want[MOST];
    for (int i = 0; i < CASES * w->inputs; i++) x[i] = (float)test_uniform(0, 1);
    weft_graph *g = weft_graph_new(w->c);
    const weft_tensor row = weft_const(g, WEFT_F32, weft_dims(w->rows, 16), logits);
    const weft_tensor y =
        weft_logic_record(w->l, weft_const(g, WEFT_F32, weft_dims(w->inputs, CASES), x),
                          weft_logic_coefficients(row, WEFT_LOGIC_SOFT, 0));
    weft_plan *plan = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    if (!plan) CHECK_STR(weft_error(w->c), "");
    if (!plan) return;
    CHECK_EQ(weft_run(plan), WEFT_OK);
    CHECK_EQ(weft_get(plan, y, got, (size_t)(CASES * w->outputs) * sizeof *got), WEFT_OK);
    soft_chances(logits, w->rows, p);
    for (int n = 0; n < CASES; n++) {
        double most = 0;
        for (int i = 0; i < w->inputs; i++) in[i] = (double)x[i * CASES + n];
        w->slow(w, in, (const chances *)p, want);
        for (int i = 0; i < w->outputs; i++)
            most = fmax(most, fabs((double)got[i * CASES + n] - want[i]));
        CHECK_NEAR(most, 0, 1e-5);
    }
    weft_plan_free(plan);
    weft_graph_free(g);
}

/* The circuit as it comes and simplified, for 64 cases. */
static void check_hard(const world *w, const float *logits) {
    static chances p[ROWS];
    uint64_t in[MOST], out[MOST];
    double x[MOST], want[MOST];
    for (int i = 0; i < w->inputs; i++) in[i] = (uint64_t)test_random() << 32 | test_random();
    hard_chances(logits, w->rows, p);
    weft_circuit *k = weft_logic_circuit(w->l, logits, 16);
    if (!CHECK(k)) return;
    CHECK_EQ(weft_circuit_outputs(k), w->outputs);
    for (int simple = 0; simple < 2; simple++) {
        int wrong = 0;
        if (simple) CHECK_EQ(weft_circuit_simplify(k), WEFT_OK);
        CHECK_EQ(weft_circuit_run(k, 1, in, out), WEFT_OK);
        for (int n = 0; n < 64; n++) {
            for (int i = 0; i < w->inputs; i++) x[i] = (double)(in[i] >> n & 1);
            w->slow(w, x, (const chances *)p, want);
            for (int i = 0; i < w->outputs; i++) wrong += want[i] != (double)(out[i] >> n & 1);
        }
        CHECK_EQ(wrong, 0);
    }
    CHECK(weft_circuit_gates(k) <= weft_logic_gates(w->l));
    weft_circuit_free(k);
}

static void check_world(const world *w) {
    static float logits[ROWS * 16];
    if (!CHECK(w->rows <= ROWS && w->inputs <= MOST && w->outputs <= MOST)) return;
    fill(logits, w->rows);
    check_soft(w, logits);
    check_hard(w, logits);
}

/* ---- one convolution, of many shapes ---- */

typedef struct one_conv {
    weft_planes in;
    weft_logic_conv_desc d;
} one_conv;

static void one_slow(const world *w, const double *x, const chances *p, double *y) {
    const one_conv *const o = w->user;
    double turned[MOST];
    for (int i = 0; i < w->inputs; i++) turned[i] = x[w->inputs - 1 - i];
    CHECK_EQ(slow_conv(w->c, turned, o->in, &o->d, p, y), w->rows);
}

TEST(trees_over_fields) {
    /* kernels, size, depth, stride, padding, wiring, seed */
    static const one_conv all[] = {
        {{1, 3, 3}, {1, 3, 1, 1, 0, WEFT_WIRING_UNIQUE, 0}},
        {{1, 5, 4}, {3, 3, 2, 1, 0, WEFT_WIRING_BALANCED, 7}},
        {{1, 5, 4}, {3, 3, 2, 1, 1, WEFT_WIRING_BALANCED, 7}},
        {{3, 4, 6}, {2, 3, 3, 1, 2, WEFT_WIRING_RANDOM, 3}},
        {{2, 7, 7}, {5, 2, 2, 2, 0, WEFT_WIRING_UNIQUE, 5}},
        {{2, 6, 5}, {4, 3, 2, 2, 1, WEFT_WIRING_UNIQUE, 1}},
        {{4, 3, 2}, {6, 1, 1, 1, 0, WEFT_WIRING_BALANCED, 2}},
        {{1, 2, 9}, {2, 4, 4, 3, 3, WEFT_WIRING_BALANCED, 8}},
        {{1, 1, 1}, {3, 3, 3, 1, 1, WEFT_WIRING_UNIQUE, 0}},
    };
    weft_ctx *c = weft_open("cpu");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const one_conv *const o = &all[i];
        CASE("%d x %d x %d, %d trees of depth %d, size %d, stride %d, padding %d", o->in.channels,
             o->in.height, o->in.width, o->d.kernels, o->d.depth, o->d.size, o->d.stride,
             o->d.padding);
        const int inputs = o->in.channels * o->in.height * o->in.width;
        const weft_planes to = weft_logic_conv_planes(o->in, &o->d);
        const int places = to.height * to.width, gates = o->d.kernels * ((1 << o->d.depth) - 1);
        CHECK_EQ(to.channels, o->d.kernels);
        int32_t values[MOST], out[MOST];
        for (int k = 0; k < inputs; k++) values[k] = inputs - 1 - k;
        world w = {c,
                   weft_logic_new(c, inputs),
                   .inputs = inputs,
                   .outputs = o->d.kernels * places,
                   .slow = one_slow,
                   .user = o};
        CHECK_EQ(weft_logic_conv(w.l, values, o->in, &o->d, out), WEFT_OK);
        CHECK_EQ(weft_logic_output(w.l, w.outputs, out), WEFT_OK);
        CHECK_EQ(w.rows = weft_logic_rows(w.l), gates);
        CHECK_EQ(weft_logic_gates(w.l), gates * places + (o->d.padding > 0));
        check_world(&w);
        weft_logic_free(w.l);
    }
    weft_close(c);
}

/* ---- two convolutions, a pool, a dense layer ---- */

enum { DEEP_IN = 2 * 7 * 6, DEEP_OUT = 12 };
static const weft_planes deep_in = {2, 7, 6}, deep_pooled = {3, 3, 3};
static const weft_logic_conv_desc deep_first = {.kernels = 3,
                                                .size = 3,
                                                .depth = 2,
                                                .stride = 1,
                                                .padding = 1,
                                                .seed = 4,
                                                .wiring = WEFT_WIRING_BALANCED};
static const weft_logic_conv_desc deep_second = {
    .kernels = 4, .size = 2, .depth = 3, .stride = 1, .wiring = WEFT_WIRING_RANDOM, .seed = 9};

static weft_logic *deep_new(weft_ctx *c) {
    int32_t a[3 * 7 * 6], b[3 * 7 * 6];
    weft_logic *l = weft_logic_new(c, DEEP_IN);
    if (l && !weft_logic_conv(l, NULL, deep_in, &deep_first, a) &&
        !weft_logic_pool(l, a, (weft_planes){3, 7, 6}, 2, b) &&
        !weft_logic_conv(l, b, deep_pooled, &deep_second, a) &&
        !weft_logic_dense(l, a, 16, DEEP_OUT, WEFT_WIRING_BALANCED, 6, a) &&
        !weft_logic_output(l, DEEP_OUT, a))
        return l;
    weft_logic_free(l);
    return NULL;
}

static void deep_slow(const world *w, const double *x, const chances *p, double *y) {
    double a[3 * 7 * 6], b[3 * 7 * 6];
    int32_t pairs[2 * DEEP_OUT];
    p += slow_conv(w->c, x, deep_in, &deep_first, p, a);
    slow_pool(a, (weft_planes){3, 7, 6}, 2, b);
    p += slow_conv(w->c, b, deep_pooled, &deep_second, p, a);
    CHECK_EQ(weft_wire(w->c, WEFT_WIRING_BALANCED, 16, DEEP_OUT, 6, pairs), WEFT_OK);
    for (int i = 0; i < DEEP_OUT; i++) y[i] = slow_gate(p[i], a[pairs[2 * i]], a[pairs[2 * i + 1]]);
}

TEST(layers_upon_layers) {
    weft_ctx *c = weft_open("cpu");
    world w = {c, deep_new(c), DEEP_IN, DEEP_OUT, .slow = deep_slow};
    if (!CHECK(w.l)) return;
    CHECK_EQ(w.rows = weft_logic_rows(w.l), 3 * 3 + 4 * 7 + DEEP_OUT);
    CHECK_EQ(weft_logic_gates(w.l), 1 + 42 * 9 + 27 * 3 + 4 * 28 + DEEP_OUT);
    for (int i = 0; i < 5; i++) check_world(&w);
    weft_logic_free(w.l);
    weft_close(c);
}

typedef struct lesson {
    weft_ctx *c;
    weft_state *s;
    weft_plan *p;
    weft_tensor loss, grad;
} lesson;

static bool lesson_new(lesson *f, const char *device, bool answers) {
    *f = (lesson){.c = weft_open(device)};
    f->s = weft_state_new(f->c);
    weft_graph *g = weft_graph_new(f->c);
    weft_logic *l = deep_new(f->c);
    if (!CHECK(l)) return false;
    float x[DEEP_IN * CASES];
    for (int i = 0; i < DEEP_IN * CASES; i++) x[i] = (float)(i * 7 % 9) / 8;
    const int rows = weft_logic_rows(l);
    const weft_tensor row = answers ? weft_logic_tables(g, f->s, "gates", rows, 1)
                                    : weft_logic_logits(g, f->s, "gates", rows, 2);
    const weft_tensor y =
        weft_logic_record(l, weft_const(g, WEFT_F32, weft_dims(DEEP_IN, CASES), x),
                          weft_logic_coefficients(row, WEFT_LOGIC_SOFT, 0));
    const weft_tensor off = weft_offset(y, -0.3f);
    f->loss = weft_sum(weft_mul(off, off), WEFT_ALL, false);
    weft_grad(f->loss, &row, 1, &f->grad);
    f->p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(f->loss, f->grad)});
    if (!f->p) CHECK_STR(weft_error(f->c), "");
    weft_logic_free(l);
    weft_graph_free(g);
    return f->p != NULL;
}

static void lesson_free(lesson *f) {
    weft_plan_free(f->p);
    weft_state_free(f->s);
    weft_close(f->c);
}

TEST(gradients_by_differences) {
    enum { DEEP_ROWS = 9 + 28 + DEEP_OUT };
    for (int answers = 0; answers < 2; answers++) {
        CASE("%d columns", answers ? 4 : 16);
        const int n = DEEP_ROWS * (answers ? 4 : 16);
        lesson exact, fast;
        if (!lesson_new(&exact, "ref", answers) || !lesson_new(&fast, "cpu", answers)) return;
        float grad[DEEP_ROWS * 16], own[DEEP_ROWS * 16];
        float *const at = weft_state_data(exact.s, "gates");
        for (int i = 0; i < n; i++) at[i] += (float)test_uniform(-1, 1);
        CHECK_EQ(weft_state_set(fast.s, "gates", at, (size_t)n * sizeof *at), WEFT_OK);
        CHECK_EQ(weft_run(exact.p), WEFT_OK);
        CHECK_EQ(weft_run(fast.p), WEFT_OK);
        CHECK_EQ(weft_get(exact.p, exact.grad, grad, (size_t)n * sizeof *grad), WEFT_OK);
        CHECK_EQ(weft_get(fast.p, fast.grad, own, (size_t)n * sizeof *own), WEFT_OK);
        double steepest = 0;
        for (int i = 0; i < n; i++) CHECK_NEAR(own[i], grad[i], 2e-5);
        for (int i = 0; i < n; i += answers ? 3 : 11) {
            const float before = at[i], step = 0.0078125f;
            double loss[2];
            for (int k = 0; k < 2; k++) {
                at[i] = before + (k ? step : -step);
                CHECK_EQ(weft_run(exact.p), WEFT_OK);
                loss[k] = (double)weft_item(exact.p, exact.loss);
            }
            at[i] = before;
            steepest = fmax(steepest, fabs((double)grad[i]));
            CHECK_NEAR((loss[1] - loss[0]) / (2 * (double)step), (double)grad[i], 3e-4);
        }
        CHECK(steepest > 0.05); /* there is something to compare */
        lesson_free(&exact), lesson_free(&fast);
    }
}

/* ---- single things ---- */

TEST(dense_gates_read_what_the_wiring_says) {
    enum { INPUTS = 9, GATES = 20 };
    weft_ctx *c = weft_open("cpu");
    weft_logic *l = weft_logic_new(c, INPUTS);
    int32_t now[GATES], pairs[2][2 * GATES];
    float logits[2 * GATES * 16] = {0};
    CHECK_EQ(weft_logic_dense(l, NULL, INPUTS, GATES, WEFT_WIRING_RANDOM, 3, now), WEFT_OK);
    for (int i = 0; i < GATES; i++) CHECK_EQ(now[i], INPUTS + i);
    CHECK_EQ(weft_logic_dense(l, now, GATES, GATES, WEFT_WIRING_UNIQUE, 4, now), WEFT_OK);
    for (int i = 0; i < GATES; i++) CHECK_EQ(now[i], INPUTS + GATES + i);
    CHECK_EQ(weft_logic_rows(l), 2 * GATES);
    CHECK_EQ(weft_wire(c, WEFT_WIRING_RANDOM, INPUTS, GATES, 3, pairs[0]), WEFT_OK);
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, GATES, GATES, 4, pairs[1]), WEFT_OK);
    weft_circuit *k = weft_logic_circuit(l, logits, 16);
    for (int i = 0; i < 2 * GATES; i++) {
        const weft_circuit_gate g = weft_circuit_at(k, i);
        const int32_t *const pair = &pairs[i / GATES][2 * (i % GATES)];
        const int first = i < GATES ? 0 : INPUTS;
        CHECK(g.a == first + pair[0] && g.b == first + pair[1]);
    }
    weft_circuit_free(k);
    weft_logic_free(l);
    weft_close(c);
}

TEST(fixed_gates_of_every_kind) {
    weft_ctx *c = weft_open("cpu");
    weft_logic *l = weft_logic_new(c, 2);
    static const int32_t pair[2] = {0, 1};
    int32_t out[17];
    for (int k = 0; k < 16; k++) CHECK_EQ(weft_logic_fixed(l, NULL, 1, pair, k, &out[k]), WEFT_OK);
    CHECK_EQ(weft_logic_rows(l), 0);
    CHECK_EQ(weft_logic_layer(l, NULL, 1, pair, -1, &out[16]), WEFT_OK);
    CHECK_EQ(weft_logic_output(l, 17, out), WEFT_OK);
    weft_graph *g = weft_graph_new(c);
    static const float x[2][4] = {{0, 0, 1, 1}, {0, 1, 0, 1}};
    static const float logits[16] = {[WEFT_GATE_NAND] = 1};
    float got[17][4];
    const weft_tensor coef = weft_logic_coefficients(
        weft_const(g, WEFT_F32, weft_dims(1, 16), logits), WEFT_LOGIC_HARD, 0);
    const weft_tensor y = weft_logic_record(l, weft_const(g, WEFT_F32, weft_dims(2, 4), x), coef);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    if (!CHECK(p)) return;
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, y, got, sizeof got), WEFT_OK);
    weft_circuit *k = weft_logic_circuit(l, logits, 16);
    const uint64_t in[2] = {12, 10}; /* bit i is case i */
    uint64_t bits[17];
    CHECK_EQ(weft_circuit_run(k, 1, in, bits), WEFT_OK);
    for (int i = 0; i < 17; i++)
        for (int n = 0; n < 4; n++) {
            const int want = circuit_truth(i < 16 ? i : WEFT_GATE_NAND, n >> 1, n & 1);
            CHECK_EQ(got[i][n], (float)want);
            CHECK_EQ((int)(bits[i] >> n & 1), want);
        }
    weft_circuit_free(k);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_logic_free(l);
    weft_close(c);
}

TEST(answers_begin_by_passing_on) {
    weft_ctx *c = weft_open("cpu");
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_logic_tables(g, s, "gates", 3, 2);
    float at[12];
    CHECK_EQ(weft_state_get(s, "gates", at, sizeof at), WEFT_OK);
    for (int i = 0; i < 12; i++) CHECK_EQ(at[i], i % 4 < 2 ? -2.0f : 2.0f);
    weft_logic *l = weft_logic_new(c, 4);
    int32_t out[3];
    CHECK_EQ(weft_logic_dense(l, NULL, 4, 3, WEFT_WIRING_RANDOM, 1, out), WEFT_OK);
    weft_circuit *k = weft_logic_circuit(l, at, 4);
    for (int i = 0; i < 3; i++) CHECK_EQ(weft_circuit_at(k, i).kind, WEFT_GATE_A);
    at[0] = 7; /* a second request is for what is there */
    CHECK_EQ(weft_state_set(s, "gates", at, sizeof at), WEFT_OK);
    weft_logic_tables(g, s, "gates", 3, 5);
    CHECK_EQ(weft_state_get(s, "gates", at, sizeof at), WEFT_OK);
    CHECK_EQ(at[0], 7.0f);
    weft_circuit_free(k);
    weft_logic_free(l);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

TEST(bad_input_is_refused) {
    weft_ctx *c = weft_open("cpu");
    weft_logic *l = weft_logic_new(c, 36);
    int32_t out[400];
    const weft_planes in = {1, 6, 6};
    static const struct {
        weft_logic_conv_desc d;
        const char *says;
    } bad[] = {
        {{.kernels = 0, .size = 3}, "0 kernels of 3 x 3"},
        {{.kernels = 2, .size = 7},
         "2 kernels of 7 x 7, stride 1, padding 0, over 1 planes of 6 x 6"},
        {{.kernels = 2, .size = 3, .padding = -1}, "padding -1"},
        {{.kernels = 2, .size = 3, .stride = -2}, "stride -2"},
        {{.kernels = 2, .size = 3, .depth = 17}, "a depth of 1 to 16"},
        {{.kernels = 2, .size = 3, .depth = -1}, "trees of depth -1"},
        {{.kernels = 2, .size = 1}, "over 1 values"},
        {{.kernels = 1 << 25, .size = 6, .depth = 3}, "33554432 trees"},
        {{.kernels = 2, .size = 3, .wiring = (weft_wiring)9}, "wiring 9"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].says);
        CHECK_EQ(weft_logic_conv(l, NULL, in, &bad[i].d, out), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(c), bad[i].says);
    }
    CASE("planes, pools, dense and fixed gates");
    const weft_logic_conv_desc good = {.kernels = 2, .size = 3};
    CHECK_EQ(weft_logic_conv(l, NULL, (weft_planes){2, 6, 6}, &good, out), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "the first 72 values; there are 36");
    CHECK_EQ(weft_logic_conv_planes((weft_planes){0, 6, 6}, &good).channels, 0);
    CHECK_EQ(weft_logic_conv_planes((weft_planes){1, 6, 2}, &good).channels, 0);
    CHECK_EQ(weft_logic_conv_planes((weft_planes){1 << 20, 1 << 20, 1 << 20}, &good).channels, 0);
    CHECK_EQ(weft_logic_pool(l, NULL, in, 7, out), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "squares of 7 x 7 of 1 planes of 6 x 6");
    CHECK_EQ(weft_logic_pool(l, NULL, in, 0, out), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_pool(l, NULL, (weft_planes){2, 6, 6}, 2, out), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_dense(l, NULL, 37, 4, WEFT_WIRING_RANDOM, 1, out), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "the first 37 values; there are 36");
    CHECK_EQ(weft_logic_dense(l, NULL, 36, 0, WEFT_WIRING_RANDOM, 1, out), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_dense(l, NULL, 1, 4, WEFT_WIRING_RANDOM, 1, out), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_fixed(l, NULL, 1, (int32_t[]){0, 1}, 16, out), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "kind 16");
    CHECK_EQ(weft_logic_fixed(l, NULL, 1, (int32_t[]){0, 36}, 1, out), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_gates(l), 0); /* all of it has left no trace */
    CHECK_EQ(weft_logic_rows(l), 0);
    CHECK_EQ(weft_logic_conv(l, NULL, in, &good, out), WEFT_OK); /* and it can still be used */
    CHECK_EQ(weft_logic_gates(l), 16 * 2 * 3);
    weft_logic_free(l);
    weft_close(c);
}

/* ---- without memory ---- */

/* Each call either does its work or leaves the network as it was. */
static bool build(weft_ctx *c, weft_logic **made) {
    static const weft_planes in = {2, 5, 5}, mid = {3, 5, 5};
    static const weft_logic_conv_desc d = {.kernels = 3, .size = 3, .padding = 1, .seed = 2};
    int32_t a[75], b[75];
    weft_logic *const l = *made = weft_logic_new(c, 50);
    if (!l) return false;
    for (int call = 0; call < 4; call++) {
        const int gates = weft_logic_gates(l), rows = weft_logic_rows(l);
        weft_err e = WEFT_OK;
        switch (call) {
        case 0: e = weft_logic_conv(l, NULL, in, &d, a); break;
        case 1: e = weft_logic_pool(l, a, mid, 2, b); break;
        case 2: e = weft_logic_dense(l, b, 12, 40, WEFT_WIRING_BALANCED, 5, a); break;
        default: e = weft_logic_output(l, 40, a);
        }
        if (!e) continue;
        CHECK_EQ(e, WEFT_MEMORY);
        CHECK_EQ(weft_logic_gates(l), gates);
        CHECK_EQ(weft_logic_rows(l), rows);
        return false;
    }
    return true;
}

/* The weights of its outputs, as they begin. */
static bool look(weft_ctx *c, const weft_logic *l, float *y) {
    float x[50];
    for (int i = 0; i < 50; i++) x[i] = (float)(i % 7) / 6;
    weft_state *s = weft_state_new(c);
    weft_graph *g = s ? weft_graph_new(c) : NULL;
    weft_plan *p = NULL;
    weft_tensor out = {0};
    if (g) {
        const weft_tensor row = weft_logic_tables(g, s, "gates", weft_logic_rows(l), 1);
        out = weft_logic_record(l, weft_const(g, WEFT_F32, weft_dims(50, 1), x),
                                weft_logic_coefficients(row, WEFT_LOGIC_SOFT, 0));
        p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(out)});
    }
    const bool good = p && !weft_run(p) && !weft_get(p, out, y, 40 * sizeof *y);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    return good;
}

TEST(out_of_memory_is_an_error) {
    float want[40], got[40];
    heap h = {0};
    for (long at = 0; at <= h.made; at++) {
        for (int kind = 0; kind < 2; kind++) {
            heap f = {.fail_at = at, .for_ever = kind == 1};
            weft_ctx *c =
                weft_open_with(&(weft_open_desc){.threads = 1, .resize = heap_resize, .user = &f});
            weft_logic *l = NULL;
            const bool good = c && build(c, &l) && look(c, l, at ? got : want);
            if (good && at) CHECK_MEM(got, want, sizeof want);
            if (!at) CHECK(good);
            if (!good && c) CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
            weft_logic_free(l);
            weft_close(c);
            CHECK_EQ(f.live, 0);
            if (!at) h = f;
        }
    }
    CHECK(h.made > 10);
}
