/* test_half_blocks.c - convolutions and attention whose operands have 16 bits, and their gradients,
 * beside the same with the same values in f32. */
#include "core/graph.h"
#include "plan/plan.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const weft_dtype types[] = {WEFT_BF16, WEFT_F16};
enum { RESULTS = 4, MOST = 1 << 17 };

/* Inputs of a type, multiplied by random constants in a loss: results are y and all gradients. */
typedef struct graph {
    weft_ctx *c;
    weft_graph *g;
    weft_tensor in[6], out[RESULTS];
    int ins, outs;
    weft_plan *p;
} graph;

static graph graph_open(int threads) {
    graph t = {.c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = threads})};
    t.g = weft_graph_new(t.c);
    return t;
}

static weft_tensor graph_input(graph *t, weft_dtype type, weft_shape d) {
    t->in[t->ins] = weft_input(t->g, type, d);
    return weft_cast(t->in[t->ins++], WEFT_F32);
}

/* y, and the gradients of sum(y dy) in x. */
static void graph_results(graph *t, weft_tensor y, weft_tensor dy, const weft_tensor *x, int n) {
    weft_tensor grad[RESULTS];
    const weft_tensor loss = weft_sum(weft_mul(y, dy), WEFT_ALL, false);
    weft_grad(loss, x, (size_t)n, grad);
    t->out[t->outs++] = y;
    for (int i = 0; i < n; i++) t->out[t->outs++] = grad[i];
}

static bool graph_run(graph *t, int threads, float *out[RESULTS], size_t *count) {
    t->p = weft_compile(t->g,
                        &(weft_plan_desc){.fetch = {t->out, (size_t)t->outs}, .threads = threads});
    if (!CHECK(t->p)) {
        CHECK_STR(weft_error(t->c), "");
        return false;
    }
    for (int i = 0; i < t->ins; i++) {
        const size_t n = (size_t)weft_count(t->in[i]);
        uint16_t *half = weft_feed(t->p, t->in[i]);
        float *wide = weft_feed(t->p, t->in[i]);
        for (size_t e = 0; e < n; e++) { /* multiples of 1/64 below 1 are exact in both types */
            const float x =
                (float)((int)((e + 1) * 2654435761u * (unsigned)(i + 3) >> 20 & 127) - 64) / 64;
            const uint32_t u = bits_of(x), f16 = x == 0 ? 0
                                                        : (u >> 16 & 0x8000) |
                                                              (((u >> 23 & 255) - 112) << 10) |
                                                              (u >> 13 & 1023);
            if (weft_dtype_of(t->in[i]) == WEFT_F32) wide[e] = x;
            else half[e] = (uint16_t)(weft_dtype_of(t->in[i]) == WEFT_BF16 ? u >> 16 : f16);
        }
    }
    if (!CHECK_EQ(weft_run(t->p), WEFT_OK)) return false;
    for (int i = 0; i < t->outs; i++) {
        count[i] = (size_t)weft_count(t->out[i]);
        out[i] = malloc(count[i] * sizeof(float));
        CHECK_EQ(weft_get(t->p, t->out[i], out[i], count[i] * sizeof(float)), WEFT_OK);
    }
    return true;
}

/* Operands of 16 bits that blocks read. */
static int graph_halves(const graph *t) {
    int n = 0;
    for (size_t i = 0; t->p && i < t->p->steps; i++)
        for (int k = 0; t->p->step[i].kind == STEP_BLOCK && k < t->p->step[i].nin; k++)
            n += t->p->step[i].in[k].dtype == WEFT_BF16 || t->p->step[i].in[k].dtype == WEFT_F16;
    return n;
}

static void graph_close(graph *t) {
    weft_plan_free(t->p);
    weft_graph_free(t->g);
    weft_close(t->c);
}

static void compare(graph *half, graph *wide, int least, int threads) {
    float *a[RESULTS] = {0}, *b[RESULTS] = {0};
    size_t n[RESULTS] = {0};
    if (graph_run(half, threads, a, n) && graph_run(wide, 1, b, n))
        for (int i = 0; i < half->outs; i++) {
            double apart = 0, norm = 0;
            for (size_t e = 0; e < n[i]; e++) {
                apart += ((double)a[i][e] - b[i][e]) * ((double)a[i][e] - b[i][e]);
                norm += (double)b[i][e] * b[i][e];
            }
            CHECK(norm > 0 && sqrt(apart) <= 2e-6 * sqrt(norm));
        }
    CHECK(graph_halves(half) >= least);
    CHECK_EQ(graph_halves(wide), 0);
    for (int i = 0; i < RESULTS; i++) free(a[i]), free(b[i]);
    graph_close(half), graph_close(wide);
}

typedef struct conv_case {
    const char *way;
    int64_t n, side, in, out, kernel, stride, pad, dilation, groups;
} conv_case;

static graph conv_graph(const conv_case *s, weft_dtype type, int threads) {
    graph t = graph_open(threads);
    const weft_tensor x = graph_input(&t, type, weft_dims(s->n, s->in, s->side, s->side + 1));
    const weft_tensor w =
        graph_input(&t, type, weft_dims(s->out, s->in / s->groups, s->kernel, s->kernel));
    const weft_tensor y = weft_conv2d(x, w,
                                      &(weft_conv_desc){.stride = {s->stride, s->stride},
                                                        .padding = {s->pad, s->pad},
                                                        .dilation = {s->dilation, s->dilation},
                                                        .groups = s->groups});
    graph_results(&t, y, graph_input(&t, type, weft_shape_of(y)), (weft_tensor[]){x, w}, 2);
    return t;
}

TEST(convolutions) {
    static const conv_case cases[] = {
        {"plain", 3, 7, 24, 40, 1, 1, 0, 1, 1},
        {"depth", 3, 9, 16, 16, 3, 1, 1, 1, 16},
        {"depth with strides, whole images", 9, 9, 16, 16, 3, 2, 1, 1, 16},
        {"winograd", 2, 14, 32, 48, 3, 1, 1, 1, 1},
        {"winograd, several images", 18, 8, 32, 80, 3, 1, 1, 1, 1},
        {"winograd in parts, without a border", 3, 14, 32, 32, 5, 1, 0, 1, 1},
        {"few", 2, 20, 64, 3, 3, 1, 1, 1, 1},
        {"few, framed", 17, 6, 64, 2, 3, 1, 1, 1, 1},
        {"direct", 2, 20, 3, 24, 7, 1, 3, 1, 1},
        {"direct, whole images", 18, 9, 3, 24, 3, 1, 0, 1, 1},
        {"spread", 2, 15, 16, 24, 3, 2, 1, 1, 1},
        {"spread, in bands", 1, 67, 8, 16, 3, 2, 1, 1, 1},
        {"groups", 3, 9, 12, 24, 3, 1, 1, 1, 3},
        {"holes", 3, 12, 8, 12, 3, 1, 2, 2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int t = 0; t < 2; t++)
            for (int threads = 1; threads < 4; threads += 2) {
                CASE("%s, %s, %d threads", cases[i].way, weft_dtype_name(types[t]), threads);
                graph half = conv_graph(&cases[i], types[t], threads);
                graph wide = conv_graph(&cases[i], WEFT_F32, 1);
                compare(&half, &wide, 6, threads);
            }
}

typedef struct attention_case {
    int64_t batch, heads, shared, queries, keys, size;
    bool causal;
    int64_t window;
} attention_case;

static graph attention_graph(const attention_case *s, weft_dtype type, int threads) {
    graph t = graph_open(threads);
    const weft_tensor q = graph_input(&t, type, weft_dims(s->batch, s->heads, s->queries, s->size));
    const weft_tensor k = graph_input(&t, type, weft_dims(s->batch, s->shared, s->keys, s->size));
    const weft_tensor v = graph_input(&t, type, weft_dims(s->batch, s->shared, s->keys, s->size));
    const weft_tensor y =
        weft_attention(q, k, v, &(weft_attention_desc){.causal = s->causal, .window = s->window});
    graph_results(&t, y, graph_input(&t, type, weft_shape_of(y)), (weft_tensor[]){q, k, v}, 3);
    return t;
}

TEST(attention) {
    static const attention_case cases[] = {
        {2, 4, 4, 20, 20, 8, false, 0},   {2, 4, 2, 70, 70, 16, true, 0},
        {1, 2, 2, 300, 300, 16, true, 0}, {1, 4, 1, 260, 330, 16, true, 40},
        {1, 2, 2, 1, 200, 32, false, 0},  {1, 8, 2, 3, 50, 33, true, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int t = 0; t < 2; t++)
            for (int threads = 1; threads < 4; threads += 2) {
                CASE("case %d, %s, %d threads", (int)i, weft_dtype_name(types[t]), threads);
                graph half = attention_graph(&cases[i], types[t], threads);
                graph wide = attention_graph(&cases[i], WEFT_F32, 1);
                compare(&half, &wide, 7, threads);
            }
}
