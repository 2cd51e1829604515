/* test_gates.c - gate programs against plain loops in double: any wiring, any number of cells.
 *
 * The wirings have gates that nobody reads, gates that read one value twice, rows that several gates
 * share, outputs that are inputs, and outputs that are told twice. */
#include "test.h"

#include <weft/weft.h>

#include <stdlib.h>
#include <string.h>

enum { FEATURES = 7, ROWS = 23, OUTPUTS = 9, MOST = 300 };

typedef struct program {
    int gates;
    weft_gate gate[MOST];
    int32_t output[OUTPUTS];
} program;

/* Layers of some width each, so that the kernel has something to put in order, or no layers. */
static program draw(int gates, int width) {
    program p = {.gates = gates};
    for (int i = 0; i < gates; i++) {
        const int known = FEATURES + (width ? i / width * width : i);
        p.gate[i] = (weft_gate){(int32_t)(test_random() % (uint64_t)known),
                                (int32_t)(test_random() % (uint64_t)known),
                                (int32_t)(test_random() % ROWS)};
    }
    for (int i = 0; i < OUTPUTS; i++)
        p.output[i] = (int32_t)(test_random() % (uint64_t)(FEATURES + gates));
    p.output[OUTPUTS - 1] = p.output[0];
    p.output[1] = 3;
    return p;
}

/* value and slope [values, cells] and back [rows, 4], in double. */
static void slowly(const program *p, int cells, const float *x, const float *coef, const float *dy,
                   double *value, double *slope, double *back) {
    const int values = FEATURES + p->gates;
    memset(slope, 0, (size_t)values * (size_t)cells * sizeof *slope);
    memset(back, 0, ROWS * 4 * sizeof *back);
    for (int c = 0; c < cells; c++) {
        double *const v = value + (size_t)c * (size_t)values, *const g = slope + (v - value);
        for (int i = 0; i < FEATURES; i++) v[i] = (double)x[i * cells + c];
        for (int i = 0; i < p->gates; i++) {
            const float *const k = coef + 4 * p->gate[i].row;
            const double a = v[p->gate[i].a], b = v[p->gate[i].b];
            v[FEATURES + i] =
                (double)k[0] + (double)k[1] * a + (double)k[2] * b + (double)k[3] * a * b;
        }
        for (int i = 0; i < OUTPUTS; i++) g[p->output[i]] += (double)dy[i * cells + c];
        for (int i = p->gates - 1; i >= 0; i--) {
            const float *const k = coef + 4 * p->gate[i].row;
            const double a = v[p->gate[i].a], b = v[p->gate[i].b], own = g[FEATURES + i];
            double *const to = back + 4 * p->gate[i].row;
            g[p->gate[i].a] += own * ((double)k[1] + (double)k[3] * b);
            g[p->gate[i].b] += own * ((double)k[2] + (double)k[3] * a);
            to[0] += own, to[1] += own * a, to[2] += own * b, to[3] += own * a * b;
        }
    }
}

static void fill(float *to, size_t n, float low, float high) {
    for (size_t i = 0; i < n; i++)
        to[i] = low + (high - low) * (float)(test_random() % 1000003) / 1000003;
}

static void compare(const char *device, const program *p, int cells) {
    const size_t values = (size_t)(FEATURES + p->gates), n = (size_t)cells;
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = device, .threads = 2});
    weft_graph *g = weft_graph_new(c);
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(FEATURES, cells));
    const weft_tensor coef = weft_input(g, WEFT_F32, weft_dims(ROWS, 4));
    const weft_tensor dy = weft_input(g, WEFT_F32, weft_dims(OUTPUTS, cells));
    const weft_tensor y = weft_gate_program(x, coef, p->gate, (size_t)p->gates, p->output, OUTPUTS);
    const weft_tensor of[2] = {x, coef}, loss = weft_sum(weft_mul(y, dy), WEFT_ALL, false);
    weft_tensor d[2];
    CHECK_EQ(weft_grad(loss, of, 2, d), WEFT_OK);
    weft_plan *plan = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y, d[0], d[1])});
    if (!CHECK(plan != NULL)) return;
    float *fx = weft_feed(plan, x), *fc = weft_feed(plan, coef), *fy = weft_feed(plan, dy);
    fill(fx, FEATURES * n, 0, 1), fill(fc, ROWS * 4, -0.6f, 0.6f), fill(fy, OUTPUTS * n, -1, 1);
    double *value = malloc(2 * values * n * sizeof *value), *slope = value + values * n;
    double back[ROWS * 4];
    slowly(p, cells, fx, fc, fy, value, slope, back);
    CHECK_EQ(weft_run(plan), WEFT_OK);
    float *got = malloc((OUTPUTS + FEATURES) * n * sizeof *got), *dx = got + OUTPUTS * n;
    float dc[ROWS * 4];
    CHECK_EQ(weft_get(plan, y, got, OUTPUTS * n * sizeof *got), WEFT_OK);
    CHECK_EQ(weft_get(plan, d[0], dx, FEATURES * n * sizeof *dx), WEFT_OK);
    CHECK_EQ(weft_get(plan, d[1], dc, sizeof dc), WEFT_OK);
    double off = 0, off_x = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < OUTPUTS; k++) {
            const double e = (double)got[k * n + i] - value[i * values + (size_t)p->output[k]];
            off = e * e > off ? e * e : off;
        }
        for (size_t k = 0; k < FEATURES; k++) {
            const double e = (double)dx[k * n + i] - slope[i * values + k];
            off_x = e * e > off_x ? e * e : off_x;
        }
    }
    CHECK_NEAR(off, 0, 1e-10);
    CHECK_NEAR(off_x, 0, 1e-9);
    for (int i = 0; i < ROWS * 4; i++)
        CHECK_NEAR((double)dc[i], back[i], 2e-5 * (double)(cells + p->gates));
    free(value), free(got);
    weft_plan_free(plan);
    weft_graph_free(g);
    weft_close(c);
}

TEST(any_wiring_and_number_of_cells) {
    static const int cells[] = {1,  5,   16,  31,  32,  33,  63,  64,
                                65, 100, 127, 128, 130, 196, 256, 512};
    static const struct { int gates, width; } ways[] = {{1, 0}, {40, 0}, {96, 32}, {MOST, 60}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        const program p = draw(ways[w].gates, ways[w].width);
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
            CASE("%d gates in layers of %d, %d cells", p.gates, ways[w].width, cells[i]);
            compare("cpu", &p, cells[i]);
        }
        CASE("%d gates in layers of %d, the definition", p.gates, ways[w].width);
        compare("ref", &p, 33);
    }
}

/* Short programs whose gates read each other at once: no gate may be taken before what it reads. */
TEST(gates_that_read_their_neighbours) {
    for (int i = 0; i < 100; i++) {
        CASE("program %d", i);
        const program p = draw(12, 0);
        compare("cpu", &p, 33);
    }
}

/* One wiring is kept once, and with it equal programs are one; so are equal constants. */
TEST(equal_ones_are_one) {
    weft_ctx *c = weft_open("cpu");
    weft_graph *g = weft_graph_new(c);
    const float four[] = {1, 2, 3, 4}, others[] = {1, 2, 3, 5};
    const uint32_t first = weft_const(g, WEFT_F32, weft_dims(4), four).id;
    CHECK_EQ(weft_const(g, WEFT_F32, weft_dims(4), four).id, first);
    CHECK(weft_const(g, WEFT_F32, weft_dims(4), others).id != first);
    CHECK(weft_const(g, WEFT_F32, weft_dims(2, 2), four).id != first);
    CHECK(weft_const(g, WEFT_I32, weft_dims(4), four).id != first);
    const program p = draw(40, 0), q = draw(40, 0);
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(FEATURES, 8));
    const weft_tensor coef = weft_input(g, WEFT_F32, weft_dims(ROWS, 4));
    const uint32_t y = weft_gate_program(x, coef, p.gate, 40, p.output, OUTPUTS).id;
    CHECK_EQ(weft_gate_program(x, coef, p.gate, 40, p.output, OUTPUTS).id, y);
    CHECK(weft_gate_program(x, coef, q.gate, 40, p.output, OUTPUTS).id != y);
    CHECK(weft_gate_program(x, coef, p.gate, 40, q.output, OUTPUTS).id != y);
    weft_graph_free(g);
    weft_close(c);
}
