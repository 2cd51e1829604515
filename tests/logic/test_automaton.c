/* test_automaton.c - automata against slow ones: steps of all cells and of some, gradients by
 * differences, and the circuit that has the last word. */
#include "automaton_world.h"
#include "test.h"
#include <weft/rl.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct board {
    int boards, height, width;
    bool wrap;
} board;

static size_t cells_of(const board *b) {
    return (size_t)CHANNELS * (size_t)b->boards * (size_t)b->height * (size_t)b->width;
}

/* The circuit's way, one cell at a time, from the gates' own list. */
static void slow_step(const weft_circuit *k, const board *b, const uint8_t *cells, uint8_t *next) {
    const int each = b->height * b->width;
    uint8_t *value = calloc((size_t)(weft_circuit_inputs(k) + weft_circuit_gates(k)), 1);
    for (int n = 0; n < b->boards; n++)
        for (int i = 0; i < each; i++) {
            for (int ch = 0; ch < CHANNELS; ch++)
                for (int s = 0; s < SEEN; s++) {
                    int y = i / b->width + s / 3 - 1, x = i % b->width + s % 3 - 1;
                    const bool out = y < 0 || y >= b->height || x < 0 || x >= b->width;
                    y = (y + b->height) % b->height, x = (x + b->width) % b->width;
                    value[ch * SEEN + s] =
                        out && !b->wrap ? 0 : cells[(ch * b->boards + n) * each + y * b->width + x];
                }
            for (int q = 0; q < weft_circuit_gates(k); q++) {
                const weft_circuit_gate gate = weft_circuit_at(k, q);
                const int which = 2 * value[gate.a] + value[gate.b];
                value[weft_circuit_inputs(k) + q] = (uint8_t)(gate.kind >> (3 - which) & 1);
            }
            for (int ch = 0; ch < CHANNELS; ch++)
                next[(ch * b->boards + n) * each + i] = value[weft_circuit_output_at(k, ch)];
        }
    free(value);
}

/* Hard gates in a graph, the circuit over words, and one cell at a time: the same bits. */
TEST(three_ways_of_a_step) {
    static const board boards[] = {{1, 1, 1, false}, {1, 1, 1, true},  {2, 5, 7, false},
                                   {3, 4, 3, true},  {1, 9, 8, false}, {5, 6, 6, true}};
    weft_ctx *c = weft_open("cpu");
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        const board *const b = &boards[i];
        CASE("%d boards of %d x %d, wrap %d", b->boards, b->height, b->width, b->wrap);
        weft_automaton *a = small(c, b->wrap, i);
        if (!CHECK(a)) return;
        const weft_logic *l = weft_automaton_logic(a);
        CHECK_EQ(weft_logic_inputs(l), CHANNELS * SEEN);
        float logits[ROWS * 16];
        for (size_t k = 0; k < sizeof logits / sizeof *logits; k++)
            logits[k] = (float)test_uniform(-1, 1);
        weft_circuit *k = weft_logic_circuit(l, logits, 16);
        weft_graph *g = weft_graph_new(c);
        const weft_tensor x =
            weft_input(g, WEFT_F32, weft_dims(CHANNELS, b->boards, b->height, b->width));
        const weft_tensor coef = weft_logic_coefficients(
            weft_const(g, WEFT_F32, weft_dims(ROWS, 16), logits), WEFT_LOGIC_HARD, 0);
        weft_tensor y = x;
        for (int t = 0; t < 3; t++) y = weft_automaton_step(a, y, coef);
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
        const size_t n = cells_of(b);
        uint8_t *cells = malloc(3 * n), *one = cells + n, *other = one + n;
        float *out = malloc(n * sizeof *out);
        if (!CHECK(k && p && cells && out)) return;
        float *feed = weft_feed(p, x);
        for (size_t q = 0; q < n; q++) one[q] = cells[q] = (uint8_t)(test_random() & 1);
        for (size_t q = 0; q < n; q++) feed[q] = cells[q];
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_get(p, y, out, n * sizeof *out), WEFT_OK);
        const weft_board d = {.boards = b->boards, .height = b->height, .width = b->width};
        CHECK_EQ(weft_automaton_run(a, k, &d, 3, cells), WEFT_OK);
        for (int t = 0; t < 3; t++) {
            slow_step(k, b, one, other);
            memcpy(one, other, n);
        }
        CHECK(!memcmp(cells, one, n));
        int off = 0;
        for (size_t q = 0; q < n; q++) off += out[q] != (float)cells[q];
        CHECK_EQ(off, 0);
        free(cells), free(out);
        weft_plan_free(p);
        weft_graph_free(g);
        weft_circuit_free(k);
        weft_automaton_free(a);
    }
    weft_close(c);
}

/* Cells that do not go on stay, with all their channels; who does is drawn cell by cell. */
TEST(some_cells_go_on) {
    static const float shares[] = {0, 0.3f, 0.75f, 1};
    static const board b = {2, 9, 8, true};
    weft_ctx *c = weft_open("cpu");
    weft_automaton *a = small(c, b.wrap, 4);
    if (!CHECK(a)) return;
    const size_t n = cells_of(&b), each = n / CHANNELS;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        CASE("share %g", (double)shares[i]);
        float logits[ROWS * 16];
        for (size_t k = 0; k < ROWS * 16; k++) logits[k] = (float)test_uniform(-1, 1);
        weft_circuit *k = weft_logic_circuit(weft_automaton_logic(a), logits, 16);
        uint8_t *cells = malloc(3 * n), *slow = cells + n, *next = slow + n;
        if (!CHECK(k && cells)) return;
        for (size_t q = 0; q < n; q++) slow[q] = cells[q] = (uint8_t)(test_random() & 1);
        weft_rng r, own;
        weft_rng_seed(&r, 8, i);
        own = r;
        const weft_board d = {b.boards, b.height, b.width, shares[i], &r};
        CHECK_EQ(weft_automaton_run(a, k, &d, 5, cells), WEFT_OK);
        int stayed = 0;
        for (int t = 0; t < 5; t++) {
            slow_step(k, &b, slow, next);
            for (size_t q = 0; q < each; q++) {
                const bool goes = weft_rng_uniform(&own) < shares[i];
                for (size_t ch = 0; ch < CHANNELS; ch++) {
                    uint8_t *const cell = &slow[ch * each + q];
                    stayed += !goes && next[ch * each + q] != *cell;
                    if (goes) *cell = next[ch * each + q];
                }
            }
        }
        CHECK_MEM(cells, slow, n);
        CHECK_MEM(&r, &own, sizeof r);
        CHECK((stayed > 0) == (shares[i] < 1)); /* it made a difference */
        free(cells);
        weft_circuit_free(k);
    }
    weft_automaton_free(a);
    weft_close(c);
}

/* The same in a graph: whole cells, about as many as the share says. */
TEST(some_cells_go_on_in_a_graph) {
    enum { SIDE = 50, CELLS = 2 * SIDE * SIDE };
    static const float shares[] = {0, 0.3f, 1};
    weft_ctx *c = weft_open("cpu");
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        CASE("share %g", (double)shares[i]);
        static float y[CHANNELS][CELLS];
        weft_state *s = weft_state_new(c);
        weft_graph *g = weft_graph_new(c);
        const weft_shape dims = weft_dims(CHANNELS, 2, SIDE, SIDE);
        const weft_tensor x = weft_input(g, WEFT_F32, dims), next = weft_offset(x, 5);
        const weft_tensor some = weft_automaton_async(x, next, shares[i]);
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(some)});
        if (!p) CHECK_STR(weft_error(c), "");
        float *const feed = p ? weft_feed(p, x) : NULL;
        if (!CHECK(feed)) return;
        for (int k = 0; k < CHANNELS * CELLS; k++) feed[k] = (float)(k % 3);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_get(p, some, y, sizeof y), WEFT_OK);
        int went = 0, torn = 0;
        for (int k = 0; k < CELLS; k++) {
            const bool goes = y[0][k] >= 5;
            went += goes;
            for (int ch = 0; ch < CHANNELS; ch++)
                torn += y[ch][k] != (float)((ch * CELLS + k) % 3 + (goes ? 5 : 0));
        }
        const double share = (double)shares[i];
        CHECK_EQ(torn, 0);
        CHECK_NEAR(went, CELLS * share, 5 * sqrt(CELLS * share * (1 - share)));
        weft_plan_free(p);
        weft_graph_free(g);
        weft_state_free(s);
    }
    weft_close(c);
}

/* A loss after some steps, soft, on the device that works in double, and its gradient. */
typedef struct soft {
    weft_ctx *c;
    weft_state *s;
    weft_plan *p;
    weft_tensor loss, grad;
    weft_automaton *a;
    bool chance;
} soft;

static bool soft_make(soft *f, const char *device, bool wrap, int steps, float share) {
    *f = (soft){.c = weft_open(device), .chance = share > 0};
    f->s = weft_state_new(f->c);
    f->a = small(f->c, wrap, 5);
    weft_graph *g = weft_graph_new(f->c);
    float cells[CHANNELS * 2 * 4 * 3];
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) cells[i] = (float)(i * 7 % 5) / 4;
    weft_tensor x = weft_const(g, WEFT_F32, weft_dims(CHANNELS, 2, 4, 3), cells);
    const weft_tensor logits =
        weft_logic_logits(g, f->s, "gates", weft_logic_rows(weft_automaton_logic(f->a)), 2);
    const weft_tensor coef = weft_logic_coefficients(logits, WEFT_LOGIC_SOFT, 0);
    for (int t = 0; t < steps; t++) {
        const weft_tensor next = weft_automaton_step(f->a, x, coef);
        x = share > 0 ? weft_automaton_async(x, next, share) : next;
    }
    const weft_tensor off = weft_offset(weft_slice(x, 0, 0, 1, 1), -0.3f);
    f->loss = weft_sum(weft_mul(off, off), WEFT_ALL, false);
    weft_grad(f->loss, &logits, 1, &f->grad);
    f->p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(f->loss, f->grad)});
    if (!f->p) CHECK_STR(weft_error(f->c), "");
    weft_graph_free(g);
    return f->p != NULL;
}

static void soft_free(soft *f) {
    weft_plan_free(f->p);
    weft_automaton_free(f->a);
    weft_state_free(f->s);
    weft_close(f->c);
}

/* The same cells go on every time. */
static weft_err soft_run(soft *f) {
    static const uint32_t first = 0;
    const weft_err e = f->chance ? weft_state_set(f->s, "rng.step", &first, sizeof first) : WEFT_OK;
    return e ? e : weft_run(f->p);
}

TEST(gradients_by_differences) {
    static const struct {
        bool wrap;
        int steps;
        float share;
    } ways[] = {{false, 1, 0}, {true, 1, 0},     {false, 3, 0},
                {true, 3, 0},  {false, 3, 0.6f}, {true, 1, 0.6f}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        CASE("wrap %d, %d steps, share %g", ways[w].wrap, ways[w].steps, (double)ways[w].share);
        soft exact, fast;
        if (!soft_make(&exact, "ref", ways[w].wrap, ways[w].steps, ways[w].share)) return;
        if (!soft_make(&fast, "cpu", ways[w].wrap, ways[w].steps, ways[w].share)) return;
        float *const at = weft_state_data(exact.s, "gates"), grad[ROWS * 16], own[ROWS * 16];
        CHECK_EQ(soft_run(&exact), WEFT_OK);
        CHECK_EQ(weft_get(exact.p, exact.grad, grad, sizeof grad), WEFT_OK);
        CHECK_EQ(soft_run(&fast), WEFT_OK);
        CHECK_EQ(weft_get(fast.p, fast.grad, own, sizeof own), WEFT_OK);
        for (int i = 0; i < ROWS * 16; i++) CHECK_NEAR(own[i], grad[i], 1e-5);
        for (int i = 0; i < ROWS * 16; i += 11) {
            const float before = at[i], step = 0.0078125f;
            double loss[2];
            for (int k = 0; k < 2; k++) {
                at[i] = before + (k ? step : -step);
                CHECK_EQ(soft_run(&exact), WEFT_OK);
                loss[k] = (double)weft_item(exact.p, exact.loss);
            }
            at[i] = before;
            CHECK_NEAR((loss[1] - loss[0]) / (2 * (double)step), (double)grad[i], 2e-4);
        }
        soft_free(&exact), soft_free(&fast);
    }
}

/* Of many steps by chance each could be made again from the one before instead of being stored; then
 * the last would be made from all of them, in one kernel. */
TEST(many_steps_are_not_made_again_from_the_first) {
    enum { STEPS = 80, SIDE = 14, MOST_LOADS = 40 };
    weft_ctx *c = weft_open("cpu");
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_automaton *a = small(c, false, 3);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(CHANNELS, 1, SIDE, SIDE)), d;
    const weft_tensor logits =
        weft_logic_logits(g, s, "gates", weft_logic_rows(weft_automaton_logic(a)), 5);
    const weft_tensor coef = weft_logic_coefficients(logits, WEFT_LOGIC_SOFT, 0);
    for (int i = 0; i < STEPS; i++)
        x = weft_automaton_async(x, weft_automaton_step(a, x, coef), 0.6f);
    const weft_tensor loss = weft_sum(weft_mul(x, x), WEFT_ALL, false);
    CHECK_EQ(weft_grad(loss, &logits, 1, &d), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(d)});
    if (!p) CHECK_STR(weft_error(c), "");
    char *text = p ? weft_plan_text(p) : NULL;
    int loads = 0, most = 0;
    for (const char *at = text; at && *at; at++) {
        if (strncmp(at, "\n    loop", 9) == 0) loads = 0;
        loads += strncmp(at, "= load ", 7) == 0;
        if (loads > most) most = loads;
    }
    CHECK(most > 0 && most <= MOST_LOADS);
    weft_text_free(c, text);
    weft_plan_free(p);
    weft_automaton_free(a);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

/* A share of 0 leaves values, of 1 makes all of them bits, and a half about every other one, others
 * each time; the gradient does not notice. */
TEST(bits_between_steps) {
    enum { N = 4096 };
    weft_ctx *c = weft_open("cpu");
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    const weft_tensor w =
        weft_param(g, s, "w", weft_dims(1, 1, 64, 64),
                   (weft_init){.kind = WEFT_INIT_UNIFORM, .a = 0.01f, .b = 0.99f});
    const weft_tensor share = weft_input(g, WEFT_F32, weft_dims(1));
    const weft_tensor y = weft_automaton_round(w, share);
    weft_tensor slope;
    CHECK_EQ(weft_grad(weft_sum(weft_scale(y, 3), WEFT_ALL, false), &w, 1, &slope), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y, slope)});
    if (!CHECK(p != NULL)) return;
    float x[N];
    CHECK_EQ(weft_state_get(s, "w", x, sizeof x), WEFT_OK);
    float *const feed = weft_feed(p, share), out[N], before[N], d[N];
    static const struct {
        float share;
        int least, most;
    } ways[] = {
        {0, 0, 0}, {0.5f, N / 2 - 150, N / 2 + 150}, {0.5f, N / 2 - 150, N / 2 + 150}, {1, N, N}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        CASE("a share of %g, time %zu", (double)ways[k].share, k);
        int bits = 0, others = 0, same = 0;
        *feed = ways[k].share;
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_get(p, y, out, sizeof out), WEFT_OK);
        CHECK_EQ(weft_get(p, slope, d, sizeof d), WEFT_OK);
        for (int i = 0; i < N; i++) {
            const float bit = x[i] > 0.5f ? 1 : 0;
            bits += out[i] == bit;
            others += out[i] != bit && out[i] != x[i];
            same += k && out[i] == before[i];
            CHECK_EQ(d[i], 3.0f);
        }
        CHECK_EQ(others, 0);
        CHECK(bits >= ways[k].least && bits <= ways[k].most);
        if (k == 2) CHECK(same < N * 3 / 4);
        memcpy(before, out, sizeof out);
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}
