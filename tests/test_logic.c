/* test_logic.c - networks of gates and automata against slow ones: wiring, coefficients, steps,
 * gradients by differences, and the circuit that has the last word. */
#include "test.h"
#include <weft/logic.h>
#include <weft/rl.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- wiring ---- */

TEST(unique_pairs_come_in_order) {
    weft_ctx *c = weft_open("cpu");
    static const int32_t want[][2] = {{0, 1}, {2, 3}, {4, 5}, {1, 2}, {3, 4}, {0, 2},
                                      {1, 3}, {2, 4}, {3, 5}, {0, 3}, {1, 4}, {2, 5}};
    int32_t pairs[12][2];
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 6, 12, 0, pairs[0]), WEFT_OK);
    CHECK(!memcmp(pairs, want, sizeof want));
    int32_t mixed[12][2], again[12][2];
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 6, 12, 9, mixed[0]), WEFT_OK);
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 6, 12, 9, again[0]), WEFT_OK);
    CHECK(memcmp(mixed, pairs, sizeof pairs) && !memcmp(mixed, again, sizeof mixed));
    for (int i = 0; i < 12; i++) { /* the same pairs, each once */
        int met = 0;
        for (int k = 0; k < 12; k++) met += !memcmp(mixed[k], want[i], sizeof want[i]);
        CHECK_EQ(met, 1);
    }
    weft_close(c);
}

TEST(other_pairs_are_of_two_values) {
    weft_ctx *c = weft_open("cpu");
    enum { VALUES = 11, GATES = 40 };
    for (int w = WEFT_WIRING_RANDOM; w <= WEFT_WIRING_BALANCED; w++)
        for (uint64_t seed = 0; seed < 50; seed++) {
            CASE("wiring %d, seed %d", w, (int)seed);
            int32_t pairs[GATES][2];
            int read[VALUES] = {0};
            CHECK_EQ(weft_wire(c, (weft_wiring)w, VALUES, GATES, seed, pairs[0]), WEFT_OK);
            for (int i = 0; i < GATES; i++) {
                CHECK(pairs[i][0] != pairs[i][1]);
                for (int k = 0; k < 2; k++) {
                    if (CHECK(pairs[i][k] >= 0 && pairs[i][k] < VALUES)) read[pairs[i][k]]++;
                }
            }
            for (int i = 0; i < VALUES && w == WEFT_WIRING_BALANCED; i++)
                CHECK(read[i] == 2 * GATES / VALUES || read[i] == 2 * GATES / VALUES + 1);
        }
    int32_t pairs[2];
    CHECK_EQ(weft_wire(c, WEFT_WIRING_BALANCED, 2, 1, 3, pairs), WEFT_OK);
    CHECK(pairs[0] != pairs[1]);
    CHECK_EQ(weft_wire(c, WEFT_WIRING_RANDOM, 1, 1, 3, pairs), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "over 1 values");
    weft_close(c);
}

/* ---- coefficients ---- */

/* The probability of every function, and the sum of what they give. */
static double sixteen(const double p[16], double a, double b) {
    double y = 0;
    for (int k = 0; k < 16; k++) {
        const float *const c = weft_gate_coefficients(k);
        y += p[k] * ((double)c[0] + (double)c[1] * a + (double)c[2] * b + (double)c[3] * a * b);
    }
    return y;
}

TEST(sixteen_probabilities_are_four_numbers) {
    enum { ROWS = 20 };
    weft_ctx *c = weft_open("cpu");
    weft_graph *g = weft_graph_new(c);
    float logits[ROWS][16], got[ROWS][4], hard[ROWS][4], straight[ROWS][4];
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < 16; k++) logits[i][k] = (float)test_uniform(-3, 3);
    const weft_tensor l = weft_const(g, WEFT_F32, weft_dims(ROWS, 16), logits);
    const weft_tensor soft = weft_logic_coefficients(l, WEFT_LOGIC_SOFT, 0.5f);
    const weft_tensor h = weft_logic_coefficients(l, WEFT_LOGIC_HARD, 0);
    const weft_tensor s = weft_logic_coefficients(l, WEFT_LOGIC_STRAIGHT, 0);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(soft, h, s)});
    if (!CHECK(p)) return;
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, soft, got, sizeof got), WEFT_OK);
    CHECK_EQ(weft_get(p, h, hard, sizeof hard), WEFT_OK);
    CHECK_EQ(weft_get(p, s, straight, sizeof straight), WEFT_OK);
    for (int i = 0; i < ROWS; i++) {
        double chance[16], sum = 0;
        int best = 0;
        for (int k = 0; k < 16; k++) sum += chance[k] = exp((double)logits[i][k] / 0.5);
        for (int k = 0; k < 16; k++) {
            chance[k] /= sum;
            if (logits[i][k] > logits[i][best]) best = k;
        }
        for (int k = 0; k < 9; k++) {
            const double a = k % 3 / 2.0, b = k / 3 / 2.0;
            CHECK_NEAR((double)got[i][0] + (double)got[i][1] * a + (double)got[i][2] * b +
                           (double)got[i][3] * a * b,
                       sixteen(chance, a, b), 1e-6);
        }
        CHECK(!memcmp(hard[i], weft_gate_coefficients(best), sizeof hard[i]));
        CHECK(!memcmp(straight[i], hard[i], sizeof hard[i]));
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
}

TEST(four_answers_are_four_numbers) {
    weft_ctx *c = weft_open("cpu");
    weft_graph *g = weft_graph_new(c);
    float answers[16][4], got[16][4];
    for (int k = 0; k < 16; k++) /* the functions are numbered by their answers */
        for (int i = 0; i < 4; i++) answers[k][i] = k >> (3 - i) & 1 ? 40 : -40;
    const weft_tensor l = weft_const(g, WEFT_F32, weft_dims(16, 4), answers);
    const weft_tensor coef = weft_logic_coefficients(l, WEFT_LOGIC_SOFT, 0);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(coef)});
    if (!CHECK(p)) return;
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, coef, got, sizeof got), WEFT_OK);
    for (int k = 0; k < 16; k++)
        for (int i = 0; i < 4; i++) CHECK_NEAR(got[k][i], weft_gate_coefficients(k)[i], 1e-6);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
}

/* ---- automata ---- */

static const int perceive[] = {8, 4, 2, 0};
static const int update[] = {12, 6, 3, 0};
enum { CHANNELS = 3, KERNELS = 2, SEEN = 9 };

static weft_automaton *small(weft_ctx *c, bool wrap, uint64_t seed) {
    return weft_automaton_new(c, &(weft_automaton_desc){.channels = CHANNELS,
                                                        .kernels = KERNELS,
                                                        .perceive = perceive,
                                                        .update = update,
                                                        .wrap = wrap,
                                                        .seed = seed});
}

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
        CHECK_EQ(weft_logic_rows(l), KERNELS * 14 + 21);
        CHECK_EQ(weft_logic_gates(l), CHANNELS * KERNELS * 14 + 21);
        float logits[(KERNELS * 14 + 21) * 16];
        for (size_t k = 0; k < sizeof logits / sizeof *logits; k++)
            logits[k] = (float)test_uniform(-1, 1);
        weft_circuit *k = weft_logic_circuit(l, logits, 16);
        weft_graph *g = weft_graph_new(c);
        const weft_tensor x =
            weft_input(g, WEFT_F32, weft_dims(CHANNELS, b->boards, b->height, b->width));
        const weft_tensor coef = weft_logic_coefficients(
            weft_const(g, WEFT_F32, weft_dims(KERNELS * 14 + 21, 16), logits), WEFT_LOGIC_HARD, 0);
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
        x = share > 0 ? weft_automaton_some(x, next, share) : next;
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
    enum { ROWS = KERNELS * 14 + 21 };
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
        x = weft_automaton_some(x, weft_automaton_step(a, x, coef), 0.6f);
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

TEST(threads_change_no_bit) {
    enum { GATES = 400, INPUTS = 30, CELLS = 1000 };
    uint64_t hash[3];
    weft_gate gate[GATES];
    int32_t outputs[8];
    for (int i = 0; i < GATES; i++)
        gate[i] = (weft_gate){(int32_t)(test_random() % (uint32_t)(INPUTS + i)),
                              (int32_t)(test_random() % (uint32_t)(INPUTS + i)), i / 2};
    for (int i = 0; i < 8; i++) outputs[i] = INPUTS + GATES - 1 - i;
    for (int threads = 1; threads <= 3; threads++) {
        weft_ctx *c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = threads});
        weft_state *s = weft_state_new(c);
        weft_graph *g = weft_graph_new(c);
        const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(INPUTS, CELLS));
        const weft_tensor coef = weft_param(g, s, "coef", weft_dims(GATES / 2, 4),
                                            (weft_init){WEFT_INIT_UNIFORM, -1, 1});
        const weft_tensor y = weft_gate_program(x, coef, gate, GATES, outputs, 8);
        const weft_tensor loss = weft_mean(weft_mul(y, y), WEFT_ALL, false);
        weft_plan *p = weft_compile(
            g, &(weft_plan_desc){.update = weft_sgd(s, loss, &(weft_sgd_desc){.lr = 0.01f}),
                                 .training = true,
                                 .threads = threads});
        if (!CHECK(p)) return;
        float *const feed = weft_feed(p, x);
        for (int i = 0; i < INPUTS * CELLS; i++) feed[i] = (float)(i * 37 % 101) / 101;
        for (int i = 0; i < 3; i++) CHECK_EQ(weft_run(p), WEFT_OK);
        hash[threads - 1] = weft_state_hash(s);
        weft_plan_free(p);
        weft_graph_free(g);
        weft_state_free(s);
        weft_close(c);
    }
    CHECK(hash[0] == hash[1] && hash[1] == hash[2]);
}

TEST(groups_are_sums_of_neighbours) {
    weft_ctx *c = weft_open("cpu");
    weft_graph *g = weft_graph_new(c);
    const float y[6][2] = {{1, 0}, {1, 1}, {0, 1}, {1, 1}, {0, 0}, {1, 0}};
    float got[2][3];
    const weft_tensor s = weft_logic_groups(weft_const(g, WEFT_F32, weft_dims(6, 2), y), 3, 2);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(s)});
    if (!CHECK(p)) return;
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, s, got, sizeof got), WEFT_OK);
    static const float want[2][3] = {{1, 0.5f, 0.5f}, {0.5f, 1, 0}};
    CHECK(!memcmp(got, want, sizeof want));
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
}

TEST(bad_input_is_refused) {
    weft_ctx *c = weft_open("cpu");
    static const int seven[] = {7, 0}, two[] = {2, 0};
    const weft_automaton_desc good = {
        .channels = CHANNELS, .kernels = KERNELS, .perceive = perceive, .update = update};
    weft_automaton_desc d = good;
    d.perceive = seven;
    CHECK(!weft_automaton_new(c, &d));
    CHECK_HAS(weft_error(c), "begin with 8");
    d = good, d.update = two;
    CHECK(!weft_automaton_new(c, &d));
    CHECK_HAS(weft_error(c), "the last layer has 2 gates");
    CHECK(!weft_logic_new(c, 0));
    weft_logic *l = weft_logic_new(c, 3);
    const int32_t pair[2] = {0, 3};
    CHECK_EQ(weft_logic_layer(l, NULL, 1, pair, -1, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "values 0 and 3; there are 3");
    CHECK_EQ(weft_logic_layer(l, NULL, 1, pair, 2, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_output(l, 1, pair + 1), WEFT_ARGUMENT);
    CHECK(!weft_logic_circuit(l, NULL, 16));
    weft_logic_free(l);
    weft_automaton_free(NULL), weft_logic_free(NULL);
    weft_close(c);
}
