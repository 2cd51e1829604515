/* test_nn_init.c - first values: what helpers choose, how numbers are spread, that rows are
 * orthonormal, that neither order nor company matters, and what each layer begins with. */
#include "test.h"
#include "weft/nn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static weft_ctx *c;
static weft_state *s;
static weft_graph *g;

static void begin(uint32_t seed) {
    c = weft_open_with(&(weft_open_desc){.threads = 1});
    s = weft_state_new(c);
    g = weft_graph_new(c);
    weft_state_seed(s, seed);
}

static float *copy[40]; /* given by values() */
static int copies;

static void end(void) {
    while (copies) weft_resize(c, copy[--copies], 0);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

static const float *values(const char *name) {
    float *v = copies < (int)(sizeof copy / sizeof *copy) ? weft_state_copy(s, name) : NULL;
    if (!CHECK(v)) printf("     %s: %s\n", name, weft_error(c));
    else copy[copies++] = v;
    return v;
}

typedef struct moments {
    double mean, deviation, least, most, inner; /* inner: share within one deviation asked for */
} moments;

static moments moments_of(const float *v, int64_t n, double mean, double deviation) {
    moments m = {0, 0, INFINITY, -INFINITY, 0};
    for (int64_t i = 0; v && i < n; i++) {
        m.mean += v[i] / (double)n;
        m.least = fmin(m.least, v[i]), m.most = fmax(m.most, v[i]);
        m.inner += (fabs(v[i] - mean) < deviation) / (double)n;
    }
    for (int64_t i = 0; v && i < n; i++)
        m.deviation += (v[i] - m.mean) * (v[i] - m.mean) / (double)n;
    m.deviation = sqrt(m.deviation);
    return m;
}

static moments drawn(weft_shape dims, weft_init init, double mean, double deviation) {
    begin(1);
    weft_tensor w = weft_param(g, s, "w", dims, init);
    moments m = moments_of(values("w"), weft_count(w), mean, deviation);
    end();
    return m;
}

/* ---- helpers choose what their papers say ---- */

TEST(helpers_go_by_fans) {
    const weft_shape conv = weft_dims(64, 8, 3, 5), matrix = weft_dims(30, 20);
    weft_init i = weft_init_xavier_uniform(matrix, 0);
    CHECK_EQ(i.kind, WEFT_INIT_UNIFORM);
    CHECK_NEAR(i.b, sqrt(6.0 / 50), 1e-6);
    CHECK_NEAR(i.a, -sqrt(6.0 / 50), 1e-6);
    CHECK_NEAR(weft_init_xavier_normal(conv, 2).b, 2 * sqrt(2.0 / (72 * 15)), 1e-6);
    CHECK_EQ(weft_init_xavier_normal(conv, 2).kind, WEFT_INIT_NORMAL);
    CHECK_NEAR(weft_init_kaiming_uniform(conv, WEFT_FAN_IN, WEFT_RELU).b, sqrt(6.0 / 120), 1e-6);
    CHECK_NEAR(weft_init_kaiming_normal(conv, WEFT_FAN_OUT, WEFT_RELU).b, sqrt(2.0 / 960), 1e-6);
    CHECK_NEAR(weft_init_kaiming_normal(matrix, WEFT_FAN_IN, WEFT_TANH).b, 5 / sqrt(20) / 3, 1e-6);
    CHECK_NEAR(weft_init_gain(WEFT_LEAKY_RELU), sqrt(2 / (1 + 1e-4)), 1e-6);
    CHECK_EQ(weft_init_gain(WEFT_IDENTITY), 1);
    CHECK_NEAR(weft_init_gpt2(0).b, 0.02, 1e-8);
    CHECK_NEAR(weft_init_gpt2(12).b, 0.02 / sqrt(24), 1e-8);
    CHECK_EQ(weft_init_orthogonal(0).a, 1);
    CHECK_EQ(weft_init_xavier_uniform(WEFT_0D, 1).b, (float)sqrt(3)); /* no fans: 1 and 1 */
}

/* ---- numbers are spread as they should be ---- */

TEST(draws_have_their_moments) {
    const weft_shape many = weft_dims(300, 400);
    const double n = sqrt(300 * 400.0);
    moments m = drawn(many, weft_init_xavier_uniform(many, 1), 0, 1);
    const double bound = sqrt(6.0 / 700);
    CASE("uniform");
    CHECK_NEAR(m.mean, 0, 4 * bound / n);
    CHECK_NEAR(m.deviation, bound / sqrt(3), 0.01 * bound);
    CHECK(m.least >= -bound * 1.000001 && m.least < -0.999 * bound);
    CHECK(m.most <= bound * 1.000001 && m.most > 0.999 * bound);
    CASE("normal");
    m = drawn(many, weft_init_kaiming_normal(many, WEFT_FAN_IN, WEFT_RELU), 0, sqrt(2.0 / 400));
    CHECK_NEAR(m.mean, 0, 4 * sqrt(2.0 / 400) / n);
    CHECK_NEAR(m.deviation, sqrt(2.0 / 400), 0.01 * sqrt(2.0 / 400));
    CHECK_NEAR(m.inner, 0.68269, 0.006);
    CHECK(m.most > 3.5 * sqrt(2.0 / 400));
    CASE("truncated");
    m = drawn(many, weft_init_truncated_normal(3, 0.5f), 3, 0.5);
    CHECK(m.least >= 2 && m.most <= 4);
    CHECK(m.least < 2.001 && m.most > 3.999); /* and up to there */
    CHECK_NEAR(m.mean, 3, 0.006);
    CHECK_NEAR(m.deviation, 0.5 * 0.879626, 0.004);
    CHECK_NEAR(m.inner, 0.682689 / 0.954500, 0.006);
}

/* Element by element the truncated draw is the normal one, wherever that lies within bounds. */
TEST(truncated_draws_are_normal_ones_within_bounds) {
    enum { N = 5000 };
    float normal[N];
    begin(9);
    weft_param(g, s, "w", weft_dims(N), (weft_init){WEFT_INIT_NORMAL, 0, 1});
    weft_state_get(s, "w", normal, sizeof normal);
    end();
    begin(9);
    weft_param(g, s, "w", weft_dims(N), weft_init_truncated_normal(0, 1));
    const float *v = values("w");
    int other = 0;
    for (int i = 0; v && i < N; i++) {
        if (fabsf(normal[i]) <= 2) other += v[i] != normal[i];
        else other += v[i] == normal[i];
    }
    CHECK_EQ(other, 0);
    end();
}

/* ---- orthogonal ---- */

static void orthogonal(weft_shape dims, float gain) {
    begin(4);
    weft_tensor w = weft_param(g, s, "w", dims, weft_init_orthogonal(gain));
    const float *v = values("w");
    int64_t rows = dims.n[0], columns = weft_count(w) / rows;
    bool wide = rows <= columns;
    int64_t n = wide ? rows : columns, length = wide ? columns : rows;
    double worst = 0;
    for (int64_t i = 0; v && i < n; i++)
        for (int64_t k = 0; k <= i; k++) {
            double dot = 0;
            for (int64_t j = 0; j < length; j++)
                dot += wide ? (double)v[i * columns + j] * v[k * columns + j]
                            : (double)v[j * columns + i] * v[j * columns + k];
            worst = fmax(worst, fabs(dot - (i == k ? gain * gain : 0)));
        }
    CHECK(v && worst < 2e-6 * gain * gain);
    end();
}

TEST(orthogonal_rows_are_orthonormal) {
    const struct {
        weft_shape dims;
        float gain;
    } at[] = {{weft_dims(20, 20), 1},     {weft_dims(7, 30), 1},       {weft_dims(40, 9), 2},
              {weft_dims(8, 4, 3, 3), 1}, {weft_dims(64, 2, 2), 0.5f}, {weft_dims(5), 1},
              {weft_dims(1, 1), 3}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        CASE("rank %d, first extent %d", (int)at[i].dims.rank, (int)at[i].dims.n[0]);
        orthogonal(at[i].dims, at[i].gain);
    }
}

/* With a sign for R's diagonal Q is spread evenly: its elements have mean 0, no sign wins. */
TEST(orthogonal_matrices_favour_no_sign) {
    double sum = 0, diagonal = 0;
    enum { TIMES = 400, N = 6 };
    for (int k = 0; k < TIMES; k++) {
        begin((uint32_t)k);
        weft_param(g, s, "w", weft_dims(N, N), weft_init_orthogonal(1));
        const float *v = values("w");
        for (int i = 0; v && i < N * N; i++) sum += v[i] / (TIMES * N * N);
        for (int i = 0; v && i < N; i++) diagonal += v[i * (N + 1)] / (TIMES * N);
        end();
    }
    CHECK_NEAR(sum, 0, 4 / sqrt((double)TIMES * N * N * N));
    CHECK_NEAR(diagonal, 0, 4 / sqrt((double)TIMES * N * N));
}

TEST(one_column_has_a_value) {
    begin(1);
    weft_param(g, s, "w", weft_dims(3, 4, 5), (weft_init){WEFT_INIT_COLUMN, 7, 2});
    weft_param(g, s, "beyond", weft_dims(6), (weft_init){WEFT_INIT_COLUMN, 7, 6});
    weft_param(g, s, "alone", WEFT_0D, (weft_init){WEFT_INIT_COLUMN, 7, 0});
    const float *w = values("w"), *beyond = values("beyond"), *alone = values("alone");
    for (int i = 0; w && i < 60; i++) CHECK_EQ(w[i], i % 5 == 2 ? 7 : 0);
    for (int i = 0; beyond && i < 6; i++) CHECK_EQ(beyond[i], 0);
    CHECK(alone && *alone == 7);
    end();
}

/* ---- order and company ---- */

TEST(first_values_do_not_depend_on_order) {
    static const char *const name[] = {"a", "b.weight", "c", "d"};
    const weft_init init[] = {weft_init_orthogonal(1),
                              weft_init_truncated_normal(0, 1),
                              weft_init_gpt2(3),
                              {WEFT_INIT_PADDED, 1, 2}};
    float first[4][48], again[48];
    begin(5);
    for (int i = 0; i < 4; i++) weft_param(g, s, name[i], weft_dims(6, 8), init[i]);
    for (int i = 0; i < 4; i++) weft_state_get(s, name[i], first[i], sizeof first[i]);
    end();
    begin(5);
    for (int i = 3; i >= 0; i--) {
        CASE("%s", name[i]);
        weft_param(g, s, "between", weft_dims(3, 1 + i), init[0]);
        weft_param(g, s, name[i], weft_dims(6, 8), init[i]);
        CHECK_EQ(weft_state_get(s, name[i], again, sizeof again), WEFT_OK);
        CHECK_MEM(again, first[i], sizeof again);
        weft_graph_free(g);
        g = weft_graph_new(c);
        weft_state_free(s);
        s = weft_state_new(c);
        weft_state_seed(s, 5);
    }
    end();
    begin(6);
    weft_param(g, s, "a", weft_dims(6, 8), init[0]);
    weft_state_get(s, "a", again, sizeof again);
    CHECK(memcmp(again, first[0], sizeof again) != 0);
    end();
}

/* ---- what layers begin with ---- */

static void between(const char *name, int64_t n, double bound) {
    CASE("%s", name);
    moments m = moments_of(values(name), n, 0, 1);
    CHECK(m.least >= -bound * 1.000001 && m.most <= bound * 1.000001);
    CHECK_NEAR(m.deviation, bound / sqrt(3), 0.1 * bound);
}
static void normal(const char *name, int64_t n, double deviation) {
    CASE("%s", name);
    moments m = moments_of(values(name), n, 0, 1);
    CHECK_NEAR(m.mean, 0, 4 * deviation / sqrt((double)n));
    CHECK_NEAR(m.deviation, deviation, 0.1 * deviation);
}
static void all(const char *name, int64_t n, float value) {
    CASE("%s", name);
    moments m = moments_of(values(name), n, 0, 1);
    CHECK_EQ(m.least, value);
    CHECK_EQ(m.most, value);
}

TEST(layers_begin_as_pytorch_does) {
    begin(2);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 3, 64)),
                image = weft_input(g, WEFT_F32, weft_dims(2, 8, 9, 9)),
                index = weft_input(g, WEFT_I32, weft_dims(4));
    weft_nn_linear(s, x, 100, "fc", NULL);
    weft_nn_linear(s, x, 80, "own",
                   &(weft_nn_linear_desc){.weight = weft_init_kaiming_normal(
                                              weft_dims(80, 64), WEFT_FAN_IN, WEFT_RELU),
                                          .bias = {WEFT_INIT_ZEROS, 0, 0}});
    weft_nn_embedding(s, index, 50, 30, "words", NULL);
    weft_nn_embedding(s, index, 50, 30, "padded",
                      &(weft_nn_embedding_desc){
                          .padded = true, .padding_idx = 7, .weight = {WEFT_INIT_NORMAL, 0, 0.5f}});
    weft_nn_conv2d(s, image, 20, weft_dims(3), "conv", &(weft_nn_conv_desc){.groups = 2});
    weft_nn_conv_transpose2d(s, image, 20, weft_dims(3), "up", NULL);
    weft_nn_lstm(s, x, 40, "lstm", NULL);
    weft_nn_gru(s, x, 40, "gru",
                &(weft_nn_recurrent_desc){.hidden = weft_init_orthogonal(1),
                                          .bias = {WEFT_INIT_ZEROS, 0, 0}});
    weft_nn_attention(s, x, 4, "attn", NULL);
    weft_nn_gpt2(s, x, 4, "h", &(weft_nn_gpt2_desc){.layers = 8});
    weft_nn_batch_norm(s, image, "bn", NULL);
    between("fc.weight", 6400, 0.125);
    between("fc.bias", 100, 0.125);
    normal("own.weight", 5120, sqrt(2.0 / 64));
    all("own.bias", 80, 0);
    normal("words.weight", 1500, 1);
    normal("padded.weight", 1500, 0.5);
    const float *row = values("padded.weight");
    for (int i = 0; row && i < 50; i++) {
        bool zero = true;
        for (int k = 0; k < 30; k++) zero &= row[30 * i + k] == 0;
        CHECK_EQ(zero, i == 7);
    }
    between("conv.weight", 720, 1 / sqrt(36)); /* 8 / 2 channels of 9 */
    between("conv.bias", 20, 1 / sqrt(36));
    between("up.weight", 1440, 1 / sqrt(180)); /* 20 channels of 9, as PyTorch counts them */
    between("lstm.weight_ih_l0", 160 * 64, 1 / sqrt(40));
    between("lstm.bias_hh_l0", 160, 1 / sqrt(40));
    all("gru.bias_ih_l0", 120, 0);
    between("gru.weight_ih_l0", 120 * 64, 1 / sqrt(40));
    normal("gru.weight_hh_l0", 120 * 40, 1 / sqrt(120)); /* columns of length 1 */
    between("attn.in_proj_weight", 3 * 64 * 64, sqrt(6.0 / 256));
    all("attn.in_proj_bias", 192, 0);
    between("attn.out_proj.weight", 64 * 64, 0.125);
    all("attn.out_proj.bias", 64, 0);
    normal("h.attn.c_attn.weight", 64 * 192, 0.02);
    normal("h.attn.c_proj.weight", 64 * 64, 0.005);
    normal("h.mlp.c_proj.weight", 256 * 64, 0.005);
    all("h.mlp.c_fc.bias", 256, 0);
    all("bn.weight", 8, 1);
    all("bn.bias", 8, 0);
    all("bn.running_mean", 8, 0);
    all("bn.running_var", 8, 1);
    end();
}
