/* test_recur.c - recurrent layers as a program has them: values and gradients against PyTorch, the
 * fast kernel against the definition, and what a plan of them costs.
 *
 * The fixture is written by tools/golden, which names the same cases and makes the same inputs.
 * Gradients by differences are test_grad's, the kernel alone is test_routine_recur's. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "golden.h"
#include "test.h"
#include "weft/weft.h"

#include <math.h>

/* ---- a layer, its inputs, and everything that can be asked of it ---- */

enum { IN = 7, PLAIN = 1, REVERSE = 2 }; /* x, w_ih, w_hh, b_ih, b_hh, h0, c0 */

typedef struct layer {
    weft_cell cell;
    int64_t steps, rows, inputs, units;
    const int32_t *lengths; /* or NULL */
    int how;                /* PLAIN: without biases and first states */
} layer;

typedef struct layer_run {
    weft_ctx *c;
    weft_graph *g;
    weft_plan *p;
    weft_tensor in[IN], out[1 + IN]; /* y, h and c as one row; then the gradients */
    int ins;
    float *value[1 + IN];
} layer_run;

static void numbers(int salt, float *to, int64_t n) { /* as tools/golden makes them */
    for (int64_t i = 0; to && i < n; i++)
        to[i] = (float)((double)((i * 7919 + salt * 271) % 4001 - 2000) / 1000.0);
}

static weft_tensor layer_input(layer_run *r, weft_shape dims, float scale) {
    weft_tensor t = r->in[r->ins++] = weft_input(r->g, WEFT_F32, dims);
    return weft_scale(t, scale);
}

static weft_tensor layer_flat(weft_tensor x) {
    return weft_reshape(x, weft_dims(-1));
}

static weft_tensor layer_record(layer_run *r, const layer *l) {
    const int64_t width = weft_cell_gates(l->cell) * l->units;
    weft_recur_desc d = {.reverse = l->how & REVERSE};
    weft_tensor bias[2] = {{0}};
    weft_tensor x = layer_input(r, weft_dims(l->steps, l->rows, l->inputs), 1),
                w_ih = layer_input(r, weft_dims(width, l->inputs), 0.3f),
                w_hh = layer_input(r, weft_dims(width, l->units), 0.3f);
    if (!(l->how & PLAIN)) {
        for (int i = 0; i < 2; i++) bias[i] = layer_input(r, weft_dims(width), 0.3f);
        d.h0 = layer_input(r, weft_dims(l->rows, l->units), 0.5f);
        if (l->cell == WEFT_LSTM) d.c0 = layer_input(r, weft_dims(l->rows, l->units), 0.5f);
    }
    if (l->lengths) d.lengths = weft_const(r->g, WEFT_I32, weft_dims(l->rows), l->lengths);
    weft_recurred y = weft_recur(l->cell, x, w_ih, w_hh, bias[0], bias[1], &d);
    CHECK_EQ(y.c.g != NULL, l->cell == WEFT_LSTM);
    weft_tensor all = weft_concat(weft_list(layer_flat(y.y), layer_flat(y.h)), 0);
    return y.c.g ? weft_concat(weft_list(all, layer_flat(y.c)), 0) : all;
}

static bool layer_open(layer_run *r, const layer *l, const weft_open_desc *open,
                       weft_plan_desc plan) {
    memset(r, 0, sizeof *r);
    r->c = weft_open_with(open);
    r->g = weft_graph_new(r->c);
    weft_tensor y = r->out[0] = layer_record(r, l);
    weft_tensor seed = weft_input(r->g, WEFT_F32, weft_shape_of(y));
    CHECK_EQ(weft_vjp(y, seed, r->in, (size_t)r->ins, r->out + 1), WEFT_OK);
    plan.fetch = (weft_tensors){r->out, 1 + (size_t)r->ins};
    plan.threads = open->threads;
    r->p = weft_compile(r->g, &plan);
    if (!r->p) return CHECK_STR(weft_error(r->c), "");
    for (int i = 0; i < r->ins; i++) numbers(i, weft_feed(r->p, r->in[i]), weft_count(r->in[i]));
    numbers(90, weft_feed(r->p, seed), weft_count(seed));
    bool good = CHECK_EQ(weft_run(r->p), WEFT_OK);
    for (int i = 0; i <= r->ins; i++) {
        const size_t n = (size_t)weft_count(r->out[i]) * sizeof(float);
        r->value[i] = malloc(n + 1);
        good = good && CHECK_EQ(weft_get(r->p, r->out[i], r->value[i], n), WEFT_OK);
    }
    return good;
}

static void layer_close(layer_run *r) {
    for (int i = 0; i <= r->ins; i++) free(r->value[i]);
    weft_plan_free(r->p);
    weft_graph_free(r->g);
    weft_close(r->c);
}

/* The largest number of an output: gradients of many steps are sums of large and small. */
static double largest(const float *v, size_t n) {
    double most = 1;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabsf(v[i]));
    return most;
}

static void layer_agree(const layer_run *got, const layer_run *want, double tol) {
    for (int i = 0; i <= got->ins; i++) {
        const size_t n = (size_t)weft_count(got->out[i]);
        if (!CHECK_EQ(n, weft_count(want->out[i]))) return;
        const double allowed = tol * largest(want->value[i], n);
        for (size_t e = 0; e < n; e++)
            if (!CHECK_NEAR(got->value[i][e], want->value[i][e], allowed)) {
                printf("     output %d, element %zu\n", i, e);
                return;
            }
    }
}

/* ---- PyTorch ---- */

static void golden_agree(const layer_run *r, const char *name, double tol) {
    for (int i = 0; i <= r->ins; i++) {
        char full[100];
        if (i) snprintf(full, sizeof full, "%s.d%d", name, i - 1);
        else snprintf(full, sizeof full, "%s.y", name);
        golden want = golden_read("torch_recur", full);
        if (!CHECK(want.v)) printf("     %s is not in the fixture\n", full);
        else if (CHECK_EQ(weft_count(r->out[i]), want.n) &&
                 !CHECK_ARRAY(r->value[i], want.v, want.n, tol))
            printf("     %s\n", full);
        free(want.v);
    }
}

static const struct {
    const char *suffix;
    int32_t lengths[3];
    int how;
} ways[] = {
    {"", {0}, 0},
    {"_plain", {0}, PLAIN},
    {"_reverse", {0}, REVERSE},
    {"_lengths", {4, 6, 1}, 0},
    {"_lengths_reverse", {4, 6, 1}, REVERSE},
    {"_lengths_plain", {2, 5, 3}, PLAIN | REVERSE},
};

/* Steps that are the block of a whole sequence, forward or backward. */
static int layer_blocks(const layer_run *r) {
    weft_plan_part part;
    int blocks = 0;
    for (size_t i = 0; weft_plan_step(r->p, i, &part); i++)
        blocks += strncmp(part.name, "recur", 5) == 0;
    return blocks;
}

TEST(cells_agree_with_pytorch) {
    static const char *const cell_name[] = {
#define X(name, text, gates) text,
        WEFT_CELLS(X)
#undef X
    };
    static const struct {
        const char *name;
        weft_open_desc open;
        weft_plan_desc plan;
        double tol;
    } on[] = {
        {"ref", {.device = "ref"}, {.threads = 0}, 2e-6},
        {"cpu", {.device = "cpu", .threads = 1}, {.threads = 0}, 1e-5},
        {"cpu, by definition", {.device = "cpu", .threads = 1}, {.portable = true}, 1e-5},
        {"cpu, unfused",
         {.device = "cpu", .threads = 1},
         {.unfused = true, .portable = true},
         1e-5},
    };
    for (size_t d = 0; d < sizeof on / sizeof *on; d++)
        for (int cell = 0; cell < WEFT_CELL_COUNT; cell++)
            for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
                char name[60];
                snprintf(name, sizeof name, "%s%s", cell_name[cell], ways[w].suffix);
                CASE("%s on %s", name, on[d].name);
                layer l = {(weft_cell)cell, 6, 3, 4, 5, NULL, ways[w].how};
                if (ways[w].lengths[0]) l.lengths = ways[w].lengths;
                layer_run r;
                if (layer_open(&r, &l, &on[d].open, on[d].plan)) {
                    golden_agree(&r, name, on[d].tol);
                    CHECK_EQ(layer_blocks(&r), strcmp(on[d].name, "cpu") == 0 ? 2 : 0);
                }
                layer_close(&r);
            }
}

/* ---- larger ones: threads change no bit, the definition agrees ---- */

static const int32_t unlike[40] = {9, 3, 0, 7, 1, 12, 9, 4, 4, 8, 2, 9, 9, 5, 6, 0, 1, 9, 3, 7,
                                   5, 5, 5, 9, 9, 9,  2, 1, 8, 9, 6, 3, 4, 9, 7, 7, 1, 2, 9, -3};

static const layer larger[] = {
    {WEFT_LSTM, 9, 1, 11, 40, NULL, 0},      {WEFT_LSTM, 9, 40, 5, 24, unlike, REVERSE},
    {WEFT_LSTM, 9, 21, 7, 19, NULL, PLAIN},  {WEFT_GRU, 9, 7, 11, 33, unlike, 0},
    {WEFT_GRU, 9, 33, 3, 16, NULL, REVERSE}, {WEFT_RNN_TANH, 9, 12, 8, 20, unlike, REVERSE},
    {WEFT_RNN_RELU, 3, 17, 8, 20, NULL, 0},
};

TEST(threads_and_repetition_change_no_bit) {
    for (size_t k = 0; k < sizeof larger / sizeof *larger; k++) {
        layer_run one;
        CASE("layer %zu", k);
        bool good =
            layer_open(&one, &larger[k], &(weft_open_desc){.threads = 1}, (weft_plan_desc){0});
        for (int threads = 2; good && threads < 5; threads++) {
            CASE("layer %zu, %d threads", k, threads);
            layer_run many;
            if (layer_open(&many, &larger[k], &(weft_open_desc){.threads = threads},
                           (weft_plan_desc){0})) {
                const uint64_t before = weft_allocations(many.c);
                for (int again = 0; again < 3; again++) CHECK_EQ(weft_run(many.p), WEFT_OK);
                CHECK_EQ(weft_allocations(many.c), before);
                for (int i = 0; i <= one.ins; i++) {
                    const size_t bytes = (size_t)weft_count(one.out[i]) * sizeof(float);
                    CHECK_MEM(many.value[i], one.value[i], bytes);
                    CHECK_EQ(weft_get(many.p, many.out[i], many.value[i], bytes), WEFT_OK);
                    CHECK_MEM(many.value[i], one.value[i], bytes);
                }
            }
            layer_close(&many);
        }
        layer_close(&one);
    }
}

TEST(the_kernel_agrees_with_the_definition) {
    for (size_t k = 0; k < sizeof larger / sizeof *larger; k++)
        for (int none = 0; none < 2; none++) {
            CASE("layer %zu%s", k, none ? ", WEFT_BLOCKS=none" : ", portable");
            layer_run fast, slow, truth;
            const weft_open_desc open = {.threads = 1};
            bool good = layer_open(&truth, &larger[k], &(weft_open_desc){.device = "ref"},
                                   (weft_plan_desc){0});
            good = layer_open(&fast, &larger[k], &open, (weft_plan_desc){0}) && good;
            if (none) setenv("WEFT_BLOCKS", "none", 1);
            good =
                layer_open(&slow, &larger[k], &open, (weft_plan_desc){.portable = !none}) && good;
            unsetenv("WEFT_BLOCKS");
            if (good) {
                CHECK(weft_plan_stats(slow.p).kernels > weft_plan_stats(fast.p).kernels);
                layer_agree(&fast, &truth, 1e-5);
                layer_agree(&slow, &truth, 1e-5);
            }
            layer_close(&fast);
            layer_close(&slow);
            layer_close(&truth);
        }
}

/* ---- plans ---- */

typedef struct plan_size {
    uint32_t kernels;
    size_t arena;
} plan_size;

/* Recorded, with or without gradients by the weights; y alone or the last h alone. */
static plan_size plan_of(const char *device, weft_cell cell, bool gradients, bool last) {
    enum { T = 10, B = 4, I = 8, H = 32 };
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = device, .threads = 1});
    weft_graph *g = weft_graph_new(c);
    const int64_t width = weft_cell_gates(cell) * H;
    weft_tensor in[4] = {
        weft_input(g, WEFT_F32, weft_dims(T, B, I)), weft_input(g, WEFT_F32, weft_dims(width, I)),
        weft_input(g, WEFT_F32, weft_dims(width, H)), weft_input(g, WEFT_F32, weft_dims(width))};
    weft_recurred r = weft_recur(cell, in[0], in[1], in[2], in[3], (weft_tensor){0}, NULL);
    weft_tensor out[4] = {last ? r.h : r.y};
    if (gradients) CHECK_EQ(weft_grad(out[0], in + 1, 3, out + 1), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = {out, gradients ? 4 : 1}});
    CHECK(p);
    const weft_stats s = weft_plan_stats(p);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
    return (plan_size){s.kernels, s.arena_bytes};
}

TEST(a_sequence_is_one_step) {
    static const char *const device[] = {"cpu", "null"};
    for (int d = 0; d < 2; d++)
        for (int cell = 0; cell < WEFT_CELL_COUNT; cell++) {
            CASE("cell %d on %s", cell, device[d]);
            /* the projection and the cells; for gradients the seed, the cells, both weights and
             * the bias */
            CHECK_EQ(plan_of(device[d], (weft_cell)cell, false, false).kernels, 2);
            CHECK_EQ(plan_of(device[d], (weft_cell)cell, true, false).kernels, 7);
        }
}

TEST(asking_only_keeps_nothing) {
    enum { GATES = 10 * 4 * 32 * 4, Y = GATES, STATE = 4 * 32 * 4 };
    for (int cell = 0; cell < WEFT_CELL_COUNT; cell++) {
        CASE("cell %d", cell);
        const size_t gates = (size_t)weft_cell_gates((weft_cell)cell) * GATES;
        const size_t feeds = 10 * 4 * 8 * 4 + gates / 40 * (8 + 32 + 1);
        const plan_size all = plan_of("cpu", (weft_cell)cell, false, false),
                        last = plan_of("cpu", (weft_cell)cell, false, true),
                        train = plan_of("cpu", (weft_cell)cell, true, false);
        CHECK(all.arena <= feeds + gates + Y + 1024 * 2);
        CHECK(last.arena <= feeds + gates + STATE + 1024 * 2);
        CHECK(train.arena > all.arena);
    }
}

/* ---- edges ---- */

/* More steps than a concatenation has parts. */
TEST(a_long_sequence) {
    enum { T = 1300 };
    const layer l = {WEFT_GRU, T, 1, 1, 2, NULL, PLAIN};
    layer_run fast, slow;
    bool good = layer_open(&fast, &l, &(weft_open_desc){.threads = 1}, (weft_plan_desc){0});
    good = layer_open(&slow, &l, &(weft_open_desc){.device = "ref"}, (weft_plan_desc){0}) && good;
    if (good) layer_agree(&fast, &slow, 1e-5);
    layer_close(&fast);
    layer_close(&slow);
}

TEST(a_layer_in_a_checkpoint) {
    float grad[2][24 * 6];
    for (int again = 0; again < 2; again++) {
        weft_ctx *c = weft_open_with(&(weft_open_desc){.threads = 1});
        weft_graph *g = weft_graph_new(c);
        weft_tensor x = weft_input(g, WEFT_F32, weft_dims(5, 3, 4)),
                    w_ih = weft_input(g, WEFT_F32, weft_dims(24, 4)),
                    w_hh = weft_input(g, WEFT_F32, weft_dims(24, 6)), d;
        if (again) weft_checkpoint_begin(g);
        weft_tensor y =
            weft_recur(WEFT_LSTM, x, w_ih, w_hh, (weft_tensor){0}, (weft_tensor){0}, NULL).y;
        if (again) weft_checkpoint_end(g);
        CHECK_EQ(weft_grad(weft_square(y), &w_hh, 1, &d), WEFT_OK);
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(d)});
        if (CHECK(p)) {
            numbers(1, weft_feed(p, x), 60);
            numbers(2, weft_feed(p, w_ih), 96);
            numbers(3, weft_feed(p, w_hh), 144);
            CHECK_EQ(weft_run(p), WEFT_OK);
            CHECK_EQ(weft_get(p, d, grad[again], sizeof grad[again]), WEFT_OK);
        }
        weft_plan_free(p);
        weft_graph_free(g);
        weft_close(c);
    }
    CHECK_MEM(grad[1], grad[0], sizeof grad[0]);
}

/* Rows of a wider sequence, and batch first: read where they lie, without a copy. */
TEST(strided_gates_are_read_in_place) {
    enum { T = 4, B = 3, H = 8 };
    weft_ctx *c = weft_open_with(&(weft_open_desc){.threads = 1});
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(T, B, 5)),
                w_ih = weft_input(g, WEFT_F32, weft_dims(3 * H, 5)),
                w_hh = weft_input(g, WEFT_F32, weft_dims(3 * H, H)), d;
    weft_tensor none = {0}, both[2];
    for (int i = 0; i < 2; i++)
        both[i] =
            weft_recur(WEFT_GRU, x, w_ih, w_hh, none, none, &(weft_recur_desc){.reverse = i}).y;
    weft_tensor y = weft_concat(weft_list(both[0], both[1]), -1);
    weft_tensor seed = weft_input(g, WEFT_F32, weft_dims(T, B, 2 * H));
    CHECK_EQ(weft_vjp(y, seed, &w_hh, 1, &d), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(d)});
    /* the shared projection, two sequences each way, and two products that add up */
    if (CHECK(p)) CHECK_EQ(weft_plan_stats(p).kernels, 7);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
}

TEST(gates_of_cells) {
    CHECK_EQ(weft_cell_gates(WEFT_RNN_TANH), 1);
    CHECK_EQ(weft_cell_gates(WEFT_RNN_RELU), 1);
    CHECK_EQ(weft_cell_gates(WEFT_LSTM), 4);
    CHECK_EQ(weft_cell_gates(WEFT_GRU), 3);
    CHECK_EQ(weft_cell_gates(WEFT_CELL_COUNT), 0);
    CHECK_EQ(weft_cell_gates((weft_cell)-1), 0);
}
