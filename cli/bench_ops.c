/* bench_ops.c - single operations at the sizes of published tables: add, relu, sigmoid, linear.
 *
 * Each is a plan of one step whose feeds are set, as a program has it that runs the same operation
 * again and again. The sizes are those of RusTorch's tables, and what lies between and above them;
 * its other rows are timed elsewhere: products beside a BLAS in bench_gemm.c, convolution, LSTM and
 * training steps in files of their own. Every result is compared with a sum in double first. */
#include "bench.h"

#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPS_INPUTS = 3 };

/* What a row is about: x [rows, in] for all of them, and the width of what comes out. */
typedef struct ops_size {
    int64_t rows, in, out;
} ops_size;

/* Records one operation: fills its inputs, as many as it has, and gives the result. */
typedef weft_tensor (*ops_record)(weft_graph *g, const ops_size *n, weft_tensor *in);

/* Element i of the result, and the size of what was added up for it, from the feeds. */
typedef struct ops_truth {
    double value, size;
} ops_truth;
typedef ops_truth (*ops_oracle)(const ops_size *n, float *const *in, int64_t i);

/* ---- the operations ---- */

static weft_tensor ops_x(weft_graph *g, const ops_size *n) {
    return weft_input(g, WEFT_F32, n->rows > 1 ? weft_dims(n->rows, n->in) : weft_dims(n->in));
}

static weft_tensor ops_add(weft_graph *g, const ops_size *n, weft_tensor *in) {
    in[0] = ops_x(g, n);
    in[1] = ops_x(g, n);
    return weft_add(in[0], in[1]);
}

static ops_truth ops_add_at(const ops_size *n, float *const *in, int64_t i) {
    (void)n;
    return (ops_truth){(double)in[0][i] + in[1][i], 1};
}

static weft_tensor ops_relu(weft_graph *g, const ops_size *n, weft_tensor *in) {
    return weft_relu(in[0] = ops_x(g, n));
}

static ops_truth ops_relu_at(const ops_size *n, float *const *in, int64_t i) {
    (void)n;
    return (ops_truth){fmax(in[0][i], 0), 1};
}

static weft_tensor ops_sigmoid(weft_graph *g, const ops_size *n, weft_tensor *in) {
    return weft_sigmoid(in[0] = ops_x(g, n));
}

static ops_truth ops_sigmoid_at(const ops_size *n, float *const *in, int64_t i) {
    (void)n;
    return (ops_truth){1 / (1 + exp(-(double)in[0][i])), 1};
}

/* x W^T + b with PyTorch's layout, W [out, in]. */
static weft_tensor ops_linear(weft_graph *g, const ops_size *n, weft_tensor *in) {
    in[0] = weft_input(g, WEFT_F32, weft_dims(n->rows, n->in));
    in[1] = weft_input(g, WEFT_F32, weft_dims(n->out, n->in));
    in[2] = weft_input(g, WEFT_F32, weft_dims(n->out));
    return weft_add(weft_matmul(in[0], weft_transpose(in[1], 0, 1)), in[2]);
}

static ops_truth ops_linear_at(const ops_size *n, float *const *in, int64_t i) {
    const float *const x = in[0] + i / n->out * n->in, *const w = in[1] + i % n->out * n->in;
    ops_truth t = {in[2][i % n->out], 1};
    for (int64_t k = 0; k < n->in; k++) {
        const double term = (double)x[k] * w[k];
        t.value += term;
        t.size += fabs(term);
    }
    return t;
}

/* ---- the table ---- */

static const struct ops_row {
    const char *bench, *part;
    ops_record record;
    ops_oracle oracle;
    ops_size n;
} ops_rows[] = {
    {"ops-add", "100", ops_add, ops_add_at, {1, 100, 100}},
    {"ops-add", "1K", ops_add, ops_add_at, {1, 1000, 1000}},
    {"ops-add", "10K", ops_add, ops_add_at, {1, 10000, 10000}},
    {"ops-add", "100K", ops_add, ops_add_at, {1, 100000, 100000}},
    {"ops-add", "1M", ops_add, ops_add_at, {1, 1000000, 1000000}},
    {"ops-relu", "1K", ops_relu, ops_relu_at, {1, 1000, 1000}},
    {"ops-relu", "10K", ops_relu, ops_relu_at, {1, 10000, 10000}},
    {"ops-relu", "1M", ops_relu, ops_relu_at, {1, 1000000, 1000000}},
    {"ops-sigmoid", "1K", ops_sigmoid, ops_sigmoid_at, {1, 1000, 1000}},
    {"ops-sigmoid", "10K", ops_sigmoid, ops_sigmoid_at, {1, 10000, 10000}},
    {"ops-sigmoid", "1M", ops_sigmoid, ops_sigmoid_at, {1, 1000000, 1000000}},
    {"ops-linear", "784-128 batch 1", ops_linear, ops_linear_at, {1, 784, 128}},
    {"ops-linear", "784-128 batch 32", ops_linear, ops_linear_at, {32, 784, 128}},
    {"ops-linear", "2048-512 batch 1", ops_linear, ops_linear_at, {1, 2048, 512}},
    {"ops-linear", "2048-512 batch 32", ops_linear, ops_linear_at, {32, 2048, 512}},
};

/* ---- one row ---- */

static int ops_check(bench *b, const struct ops_row *row, weft_plan *p, weft_tensor y,
                     float *const *in) {
    const int64_t n = weft_count(y);
    float *got = malloc((size_t)n * sizeof *got);
    if (!got) return bench_wrong(b, "out of memory");
    int status = EXIT_GOOD;
    if (weft_run(p) != WEFT_OK || weft_get(p, y, got, (size_t)n * sizeof *got) != WEFT_OK)
        status = bench_failed(b, "running");
    for (int64_t i = 0; i < n && status == EXIT_GOOD; i += 1 + n / 1999) {
        const ops_truth want = row->oracle(&row->n, in, i);
        if (!(fabs(got[i] - want.value) <= 5e-7 * want.size))
            status = bench_wrong(b, "%s: element %lld is %.9g, not %.9g", row->part, (long long)i,
                                 got[i], want.value);
    }
    free(got);
    return status;
}

/* Each array once, or two operations for each weight and row. */
static void ops_work(bench_line *l, const struct ops_row *row, const weft_tensor *in,
                     weft_tensor y) {
    if (row->record == ops_linear) {
        l->work = BENCH_FLOPS;
        l->amount = 2.0 * (double)(row->n.rows * row->n.in * row->n.out);
        return;
    }
    l->work = BENCH_BYTES;
    l->amount = 4.0 * (double)weft_count(y);
    for (int i = 0; i < OPS_INPUTS && in[i].id; i++) l->amount += 4.0 * (double)weft_count(in[i]);
    bench_number(l, "elements", (double)weft_count(y));
}

static int ops_measure(bench *b, const struct ops_row *row, weft_graph *g) {
    weft_tensor in[OPS_INPUTS] = {{0}};
    const weft_tensor y = row->record(g, &row->n, in);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .threads = b->threads});
    int status = p ? EXIT_GOOD : bench_failed(b, "compiling");
    float *feed[OPS_INPUTS] = {0};
    bench_random r = {1};
    for (int i = 0; i < OPS_INPUTS && in[i].id && status == EXIT_GOOD; i++) {
        feed[i] = weft_feed(p, in[i]);
        if (feed[i]) bench_fill(&r, feed[i], weft_count(in[i]));
        else status = bench_failed(b, "feeding");
    }
    bench_line l = {.part = row->part};
    bench_text(&l, "part", row->part);
    ops_work(&l, row, in, y);
    if (status == EXIT_GOOD) status = ops_check(b, row, p, y, feed);
    if (status == EXIT_GOOD) status = bench_plan_time(b, p, &l);
    if (status == EXIT_GOOD) bench_write(b, &l);
    weft_plan_free(p);
    return status;
}

int bench_ops(bench *b) {
    int status = EXIT_GOOD;
    for (size_t i = 0; i < sizeof ops_rows / sizeof *ops_rows && status == EXIT_GOOD; i++) {
        if (strcmp(ops_rows[i].bench, b->name) != 0) continue;
        weft_graph *g = weft_graph_new(b->ctx);
        status = g ? ops_measure(b, &ops_rows[i], g) : bench_failed(b, "starting");
        weft_graph_free(g);
    }
    return status;
}
