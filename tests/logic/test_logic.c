/* test_logic.c - networks of gates against slow ones: coefficients, layers, the circuit that has the
 * last word, and what is refused. Wirings and automata have files of their own. */
#include "feed.h"
#include "sweep.h"
#include <weft/logic.h>

#include <math.h>
#include <string.h>

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

/* ---- networks ---- */

enum { INPUTS = 5, WIDE = 7, NET_ROWS = WIDE + 4, NET_GATES = WIDE + 4 + 4 };

/* Two layers; the second is there twice, by the same rows, over values in another order. Outputs: the
 * two, and an input. */
static bool two_layers_in(weft_logic *l) {
    static const int32_t first[WIDE][2] = {{0, 1}, {2, 3}, {4, 0}, {1, 3}, {2, 2}, {3, 4}, {0, 2}};
    static const int32_t second[4][2] = {{0, 6}, {1, 5}, {2, 4}, {3, 0}}, input = 3;
    int32_t now[WIDE], turned[WIDE], out[4], other[4];
    if (weft_logic_layer(l, NULL, WIDE, first[0], -1, now)) return false;
    for (int i = 0; i < WIDE; i++) turned[i] = now[WIDE - 1 - i];
    return !weft_logic_layer(l, now, 4, second[0], -1, out) &&
           !weft_logic_layer(l, turned, 4, second[0], WIDE, other) &&
           !weft_logic_output(l, 4, out) && !weft_logic_output(l, 4, other) &&
           !weft_logic_output(l, 1, &input);
}

static weft_logic *two_layers(weft_ctx *c) {
    weft_logic *const l = weft_logic_new(c, INPUTS);
    if (!l || two_layers_in(l)) return l;
    weft_logic_free(l);
    return NULL;
}

/* The same by hand: value (INPUTS + NET_GATES), of numbers between 0 and 1. */
static void slow_layers(double coef[NET_ROWS][4], const double *in, double *value, double *out) {
    static const int pair[NET_GATES][2] = {{0, 1}, {2, 3},  {4, 0},  {1, 3},  {2, 2},
                                           {3, 4}, {0, 2},  {5, 11}, {6, 10}, {7, 9},
                                           {8, 5}, {11, 5}, {10, 6}, {9, 7},  {8, 11}};
    for (int i = 0; i < INPUTS; i++) value[i] = in[i];
    for (int i = 0; i < NET_GATES; i++) {
        const double *const k = coef[i < NET_ROWS ? i : i - 4];
        const double a = value[pair[i][0]], b = value[pair[i][1]];
        value[INPUTS + i] = k[0] + k[1] * a + k[2] * b + k[3] * a * b;
    }
    for (int i = 0; i < 8; i++) out[i] = value[INPUTS + WIDE + i];
    out[8] = in[3];
}

TEST(layers_as_by_hand) {
    enum { CASES = 10, OUTPUTS = 9 };
    weft_ctx *c = weft_open("cpu");
    weft_logic *l = two_layers(c);
    weft_graph *g = weft_graph_new(c);
    if (!CHECK(l)) return;
    CHECK_EQ(weft_logic_inputs(l), INPUTS);
    CHECK_EQ(weft_logic_gates(l), NET_GATES);
    CHECK_EQ(weft_logic_rows(l), NET_ROWS);
    CHECK_EQ(weft_logic_layer(l, NULL, 1, (int32_t[]){0, 1}, 2, NULL), WEFT_OK);
    CHECK_EQ(weft_logic_rows(l), NET_ROWS); /* a row that was there */
    float x[INPUTS][CASES], coef[NET_ROWS][4], y[OUTPUTS][CASES];
    double by[NET_ROWS][4];
    for (int i = 0; i < INPUTS * CASES; i++) x[i / CASES][i % CASES] = (float)test_uniform(0, 1);
    for (int i = 0; i < NET_ROWS * 4; i++) {
        coef[i / 4][i % 4] = (float)test_uniform(-1, 1);
        by[i / 4][i % 4] = (double)coef[i / 4][i % 4];
    }
    const weft_tensor t = weft_logic_record(l, weft_const(g, WEFT_F32, weft_dims(INPUTS, CASES), x),
                                            weft_const(g, WEFT_F32, weft_dims(NET_ROWS, 4), coef));
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(t)});
    if (!p) CHECK_STR(weft_error(c), "");
    if (!CHECK(p && weft_run(p) == WEFT_OK)) return;
    CHECK_EQ(weft_get(p, t, y, sizeof y), WEFT_OK);
    for (int k = 0; k < CASES; k++) {
        double in[INPUTS], value[INPUTS + NET_GATES], out[OUTPUTS];
        for (int i = 0; i < INPUTS; i++) in[i] = (double)x[i][k];
        slow_layers(by, in, value, out);
        for (int i = 0; i < OUTPUTS; i++) CHECK_NEAR(y[i][k], out[i], 1e-5);
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_logic_free(l);
    weft_close(c);
}

/* The function with the greatest of 16 logits; or with the answers that 4 of them give, a bit each. */
static int likeliest(const float *logit, int columns) {
    int kind = 0;
    for (int i = 0; i < columns; i++) {
        if (columns == 4) kind |= (logit[i] > 0) << (3 - i);
        else if (logit[i] > logit[kind]) kind = i;
    }
    return kind;
}

/* Each gate at its likeliest, from 16 logits or from 4, on all inputs there are. */
TEST(circuits_take_the_likeliest) {
    enum { CASES = 1 << INPUTS, OUTPUTS = 9, TIMES = 20 };
    weft_ctx *c = weft_open("cpu");
    weft_logic *l = two_layers(c);
    for (int time = 0; time < 2 * TIMES; time++) {
        const int columns = time % 2 ? 4 : 16;
        CASE("%d columns, time %d", columns, time / 2);
        float logits[NET_ROWS * 16];
        double coef[NET_ROWS][4];
        for (int i = 0; i < NET_ROWS; i++) {
            float *const row = logits + i * columns; /* of few values: the first of equals counts */
            for (int k = 0; k < columns; k++) row[k] = (float)(test_random() % 5) - 2;
            const float *const sure = weft_gate_coefficients(likeliest(row, columns));
            for (int k = 0; k < 4; k++) coef[i][k] = (double)sure[k];
        }
        weft_circuit *k = weft_logic_circuit(l, logits, columns);
        if (!CHECK(k)) return;
        CHECK_EQ(weft_circuit_gates(k), NET_GATES);
        uint64_t in[INPUTS] = {0}, got[OUTPUTS] = {0};
        for (int i = 0; i < CASES * INPUTS; i++)
            in[i % INPUTS] |= (uint64_t)(i / INPUTS >> i % INPUTS & 1) << i / INPUTS;
        CHECK_EQ(weft_circuit_run(k, 1, in, got), WEFT_OK);
        for (int i = 0; i < CASES; i++) {
            double bits[INPUTS], value[INPUTS + NET_GATES], out[OUTPUTS];
            for (int b = 0; b < INPUTS; b++) bits[b] = i >> b & 1;
            slow_layers(coef, bits, value, out);
            for (int o = 0; o < OUTPUTS; o++) CHECK_EQ((int)(got[o] >> i & 1), (int)out[o]);
        }
        weft_circuit_free(k);
    }
    weft_logic_free(l);
    weft_close(c);
}

/* Also where making them failed at first for want of memory. */
TEST(logits_begin_by_passing_on) {
    heap h = {0};
    weft_ctx *c =
        weft_open_with(&(weft_open_desc){.device = "cpu", .resize = heap_resize, .user = &h});
    for (int at = 0; at < 20; at++) {
        CASE("allocation %d fails", at);
        weft_state *s = weft_state_new(c);
        h.fail_at = at ? h.made + at : 0;
        for (int again = 0; again < 2; again++, h.fail_at = 0) {
            weft_graph *g = weft_graph_new(c);
            if (g) weft_logic_logits(g, s, "gates", 3, 2.5f);
            float *const l = weft_state_copy(s, "gates");
            if (again || !at) CHECK(l);
            for (int i = 0; l && i < 3 * WEFT_GATE_KINDS; i++)
                CHECK_EQ(l[i], i % WEFT_GATE_KINDS == WEFT_GATE_A ? 2.5 : 0.0);
            weft_resize(c, l, 0);
            weft_graph_free(g);
        }
        weft_state_free(s);
    }
    CHECK(h.failed);
    weft_close(c);
    CHECK_EQ(h.live, 0);
}

/* What learns by them: straight has hard values and the slopes of soft, hard has none. */
TEST(modes_differ_in_values_and_slopes) {
    enum { ROWS = 3, MODES = WEFT_LOGIC_STRAIGHT + 1 };
    static const float by[4] = {0.5f, -1, 2, 0.25f}; /* so that no two coefficients count alike */
    weft_ctx *c = weft_open("cpu");
    for (int columns = 4; columns <= 16; columns += 12) {
        CASE("%d columns", columns);
        float logits[ROWS * 16], slope[MODES][ROWS * 16], value[MODES][ROWS][4];
        weft_tensor d[MODES], k[MODES];
        weft_graph *g = weft_graph_new(c);
        for (int i = 0; i < ROWS * columns; i++)
            logits[i] =
                i < columns ? 0 : (float)test_uniform(-2, 2); /* none the likeliest at first */
        const weft_tensor l = weft_const(g, WEFT_F32, weft_dims(ROWS, columns), logits);
        const weft_tensor weight = weft_const(g, WEFT_F32, weft_dims(4), by);
        for (int mode = 0; mode < MODES; mode++) {
            k[mode] = weft_logic_coefficients(l, (weft_logic_mode)mode, 0.5f);
            const weft_tensor loss = weft_sum(weft_mul(k[mode], weight), WEFT_ALL, false);
            CHECK_EQ(weft_grad(loss, &l, 1, &d[mode]), WEFT_OK);
        }
        weft_plan *p = weft_compile(
            g, &(weft_plan_desc){.fetch = weft_list(d[0], d[1], d[2], k[0], k[1], k[2])});
        if (!p) CHECK_STR(weft_error(c), "");
        if (!CHECK(p && weft_run(p) == WEFT_OK)) return;
        for (int i = 0; i < MODES; i++) {
            CHECK_EQ(weft_get(p, d[i], slope[i], (size_t)(ROWS * columns) * 4), WEFT_OK);
            CHECK_EQ(weft_get(p, k[i], value[i], sizeof value[i]), WEFT_OK);
        }
        double most = 0;
        for (int i = 0; i < ROWS * columns; i++) {
            CHECK_EQ(slope[WEFT_LOGIC_HARD][i], 0);
            CHECK_NEAR(slope[WEFT_LOGIC_STRAIGHT][i], slope[WEFT_LOGIC_SOFT][i], 1e-5);
            most = fmax(most, fabs((double)slope[WEFT_LOGIC_SOFT][i]));
        }
        CHECK(most > 0.05);
        for (int i = 0; i < ROWS; i++) {
            const float *const sure =
                weft_gate_coefficients(likeliest(logits + i * columns, columns));
            CHECK_ARRAY(value[WEFT_LOGIC_HARD][i], sure, 4, 0);
            CHECK_ARRAY(value[WEFT_LOGIC_STRAIGHT][i], sure, 4, 1e-6);
            CHECK(memcmp(value[WEFT_LOGIC_SOFT][i], sure, 4 * sizeof *sure) != 0);
        }
        weft_plan_free(p);
        weft_graph_free(g);
    }
    weft_close(c);
}

/* -ln(-ln u) for an even u: below 0 with a chance of 1 / e, Euler's constant on average. */
TEST(noise_has_the_shape_of_gumbel) {
    enum { ROWS = 4000 };
    static float logits[ROWS][4], coef[ROWS][4];
    weft_ctx *c = weft_open("cpu");
    weft_graph *g = weft_graph_new(c);
    for (int i = 0; i < ROWS; i++) logits[i][0] = 0.75f;
    const weft_tensor l = weft_const(g, WEFT_F32, weft_dims(ROWS, 4), logits);
    const weft_tensor k = weft_logic_coefficients(l, WEFT_LOGIC_GUMBEL, 0.5f);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(k)});
    if (!p) CHECK_STR(weft_error(c), "");
    if (!CHECK(p && weft_run(p) == WEFT_OK)) return;
    CHECK_EQ(weft_get(p, k, coef, sizeof coef), WEFT_OK);
    double mean = 0, below = 0, far = 0;
    for (int i = 0; i < ROWS; i++) { /* the first coefficient is the answer for 00 */
        const double y = (double)coef[i][0], noise = log(y / (1 - y)) - 0.75 / 0.5;
        mean += noise / ROWS;
        below += (noise < 0) / (double)ROWS;
        far += (noise < -1) / (double)ROWS;
    }
    CHECK_NEAR(mean, 0.5772156649, 4 * acos(-1) / sqrt(6.0 * ROWS));
    CHECK_NEAR(below, exp(-1), 4 * sqrt(exp(-1) * (1 - exp(-1)) / ROWS));
    CHECK_NEAR(far, exp(-exp(1)), 4 * sqrt(exp(-exp(1)) / ROWS));
    weft_plan_free(p);
    weft_graph_free(g);
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
    const weft_tensor s = weft_logic_group_sum(weft_const(g, WEFT_F32, weft_dims(6, 2), y), 3, 2);
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
    CHECK(!weft_logic_new(c, 0));
    weft_logic *l = weft_logic_new(c, 3);
    const int32_t pair[2] = {0, 3};
    CHECK_EQ(weft_logic_layer(l, NULL, 1, pair, -1, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "values 0 and 3; there are 3");
    CHECK_EQ(weft_logic_layer(l, NULL, 1, (int32_t[]){3, 0}, -1, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_layer(l, NULL, 1, (int32_t[]){-1, 0}, -1, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_layer(l, NULL, 1, (int32_t[]){0, 1}, 1, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_layer(l, NULL, 0, pair, -1, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_layer(l, NULL, 1, NULL, -1, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_output(l, 1, pair + 1), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_output(l, -1, pair), WEFT_ARGUMENT);
    CHECK_EQ(weft_logic_gates(l), 0);
    CHECK_EQ(weft_logic_layer(l, NULL, 1, (int32_t[]){0, 1}, 0, NULL), WEFT_OK);
    static const float logits[16] = {1};
    CHECK(!weft_logic_circuit(l, NULL, 16));
    CHECK(!weft_logic_circuit(l, logits, 5));
    CHECK_HAS(weft_error(c), "5 columns");

    CASE("recording");
    static const struct {
        int columns, mode;
        float temperature;
        const char *says;
    } bad[] = {{5, 0, 1, "5 columns"},
               {16, WEFT_LOGIC_MODE_COUNT, 1, "mode 4"},
               {16, -1, 1, "mode -1"},
               {16, 0, -1, "temperature -1"},
               {4, 0, NAN, "temperature nan"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weft_graph *g = weft_graph_new(c);
        const weft_tensor t = weft_input(g, WEFT_F32, weft_dims(3, bad[i].columns));
        CHECK(
            !weft_ok(weft_logic_coefficients(t, (weft_logic_mode)bad[i].mode, bad[i].temperature)));
        CHECK_HAS(weft_error(c), bad[i].says);
        weft_graph_free(g);
    }
    for (int i = 0; i < 4; i++) {
        weft_graph *g = weft_graph_new(c);
        const weft_tensor y = weft_input(g, WEFT_F32, weft_dims(4, 2));
        const weft_tensor made = i == 0   ? weft_logic_record(l, y, y)
                                 : i == 1 ? weft_logic_group_sum(y, 3, 1)
                                 : i == 2 ? weft_logic_group_sum(y, 0, 1)
                                          : weft_logic_group_sum(y, 2, 0);
        CHECK(!weft_ok(made));
        CHECK_HAS(weft_error(c), i ? "4 outputs for" : "the network has 3 inputs");
        weft_graph_free(g);
    }
    weft_logic_free(l);
    weft_logic_free(NULL);
    weft_close(c);
}

/* A network made, recorded in every mode, grouped and taken at its word. */
static bool everything(weft_ctx *c) {
    static const float logits[NET_ROWS * 16] = {0};
    weft_logic *l = two_layers(c);
    bool good = l != NULL;
    for (int mode = 0; mode < WEFT_LOGIC_MODE_COUNT && good; mode++) {
        weft_graph *g = weft_graph_new(c);
        weft_plan *p = NULL;
        if (g) {
            const weft_tensor t = weft_const(g, WEFT_F32, weft_dims(NET_ROWS, 16), logits);
            const weft_tensor y =
                weft_logic_record(l, weft_input(g, WEFT_F32, weft_dims(INPUTS, 3)),
                                  weft_logic_coefficients(t, (weft_logic_mode)mode, 2));
            p = weft_compile(g,
                             &(weft_plan_desc){.fetch = weft_list(weft_logic_group_sum(y, 3, 1))});
        }
        good = p && weft_run(feed_zeros(p)) == WEFT_OK;
        weft_plan_free(p);
        weft_graph_free(g);
    }
    for (int columns = 4; columns <= 16 && good; columns += 12) {
        weft_circuit *k = weft_logic_circuit(l, logits, columns);
        good = k != NULL;
        weft_circuit_free(k);
    }
    weft_logic_free(l);
    return good;
}

TEST(out_of_memory_is_an_error_and_leaks_nothing) {
    sweep_memory(everything);
}
