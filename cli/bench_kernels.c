/* bench_kernels.c - single operations over large arrays: softmax, layer norm, Adam, a fused chain.
 *
 * What these can reach is set by memory: bytes counts each array that must be read or written once,
 * and the rate stands beside a copy of as many bytes. */
#include "bench.h"

#include "bench_truth.h"
#include "command.h"

#include <math.h>
#include <stdlib.h>

enum { KERNEL_TENSORS = 4 };

/* An output's element i, from the feeds, in double. */
typedef struct kernel kernel;
typedef double (*kernel_oracle)(const kernel *k, float *const *in, int64_t i);

/* One plan: random feeds in, tensors out, some elements of each of which are looked at. */
struct kernel {
    const char *part;
    int64_t rows, width; /* of what works on rows */
    weft_graph *g;
    weft_tensor in[KERNEL_TENSORS], out[KERNEL_TENSORS];
    kernel_oracle oracle[KERNEL_TENSORS]; /* of out */
    int ins, outs;
    weft_updates update;
    truth truth; /* of update; its user is filled in */
    weft_plan *plan;
    const float *feed; /* of the first input */
    double elements;   /* JSON's ns_per_element divides by it; 0: not asked */
};

static int kernel_check(bench *b, const kernel *k, int out, weft_plan *p, float *const *in) {
    /* a few columns of a sum over all rows take as long as many elements of a row */
    const int64_t n = weft_count(k->out[out]), samples = n < weft_count(k->in[0]) ? 7 : 97;
    float *got = malloc((size_t)n * sizeof *got);
    if (!got) return bench_wrong(b, "out of memory");
    int status = EXIT_GOOD;
    if (weft_get(p, k->out[out], got, (size_t)n * sizeof *got) != WEFT_OK)
        status = bench_failed(b, "reading the result");
    for (int64_t i = 0; i < n && status == EXIT_GOOD; i += 1 + n / samples) {
        const double want = k->oracle[out](k, in, i);
        if (!(fabs(got[i] - want) <= 1e-5 * (1 + fabs(want))))
            status = bench_wrong(b, "%s: element %lld of result %d is %.9g, not %.9g", k->part,
                                 (long long)i, out, got[i], want);
    }
    free(got);
    return status;
}

/* What a plan leaves, and what it does to a state. */
static int kernel_right(bench *b, kernel *k, weft_plan *p, float *const *in) {
    char why[300];
    int status = EXIT_GOOD;
    if (k->outs && weft_run(p) != WEFT_OK) status = bench_failed(b, "running");
    for (int i = 0; i < k->outs && status == EXIT_GOOD; i++) status = kernel_check(b, k, i, p, in);
    if (status == EXIT_GOOD && k->update.n && !truth_holds(&k->truth, why, sizeof why))
        status = bench_wrong(b, "%s", why);
    return status;
}

static int kernel_measure(bench *b, kernel *k) {
    weft_plan *p = weft_compile(k->g, &(weft_plan_desc){.fetch = {k->out, (size_t)k->outs},
                                                        .update = k->update,
                                                        .threads = b->threads});
    if (!p) return bench_failed(b, "compiling");
    bench_random r = {1};
    bench_line l = {.part = k->part, .work = BENCH_BYTES};
    float *in[KERNEL_TENSORS] = {0};
    int status = EXIT_GOOD;
    for (int i = 0; i < k->ins && status == EXIT_GOOD; i++) {
        in[i] = weft_feed(p, k->in[i]);
        if (!in[i]) status = bench_failed(b, "feeding");
        else bench_fill(&r, in[i], weft_count(k->in[i]));
        l.amount += 4.0 * (double)weft_count(k->in[i]);
    }
    for (int i = 0; i < k->outs; i++) l.amount += 4.0 * (double)weft_count(k->out[i]);
    for (size_t i = 0; i < k->update.n; i++)
        l.in_place += 4.0 * (double)weft_count(k->update.at[i].state);
    l.amount += 2 * l.in_place; /* read and written */
    k->plan = p, k->feed = in[0];
    if (status == EXIT_GOOD) status = kernel_right(b, k, p, in);
    if (status == EXIT_GOOD) status = bench_plan_time(b, p, &l);
    if (status == EXIT_GOOD) {
        if (*k->part) bench_text(&l, "part", k->part);
        if (k->elements > 0) {
            const double ns = 1e3 * l.time.median_us / k->elements;
            bench_number(&l, "ns_per_element", ns);
            snprintf(l.note, sizeof l.note, "%.3f ns an element", ns);
        }
        bench_write(b, &l);
    }
    weft_plan_free(p);
    return status;
}

/* ---- rows: softmax and layer norm, each forward alone and with its backward ---- */

static double kernel_softmax_at(const kernel *k, float *const *in, int64_t i) {
    const float *row = in[0] + i / k->width * k->width;
    double sum = 0;
    for (int64_t j = 0; j < k->width; j++) sum += exp(row[j]);
    return exp(in[0][i]) / sum;
}

static double kernel_softmax_dx(const kernel *k, float *const *in, int64_t i) {
    const int64_t row = i / k->width * k->width;
    double sum = 0, along = 0;
    for (int64_t j = row; j < row + k->width; j++) {
        sum += exp(in[0][j]);
        along += exp(in[0][j]) * in[1][j];
    }
    return exp(in[0][i]) / sum * (in[1][i] - along / sum);
}

/* A row's mean, and one over its deviation. */
typedef struct kernel_row {
    double mean, scale;
} kernel_row;

static kernel_row kernel_norm_row(const float *row, int64_t width) {
    double mean = 0, square = 0;
    for (int64_t j = 0; j < width; j++) mean += row[j] / (double)width;
    for (int64_t j = 0; j < width; j++) square += (row[j] - mean) * (row[j] - mean) / (double)width;
    return (kernel_row){mean, 1 / sqrt(square + 1e-5)};
}

static double kernel_norm_at(const kernel *k, float *const *in, int64_t i) {
    const kernel_row r = kernel_norm_row(in[0] + i / k->width * k->width, k->width);
    const int64_t column = i % k->width;
    return (in[0][i] - r.mean) * r.scale * in[1][column] + in[2][column];
}

static double kernel_norm_dx(const kernel *k, float *const *in, int64_t i) {
    const int64_t from = i / k->width * k->width;
    const kernel_row r = kernel_norm_row(in[0] + from, k->width);
    double sum = 0, along = 0;
    for (int64_t j = 0; j < k->width; j++) {
        const double g = (double)in[3][from + j] * in[1][j];
        sum += g / (double)k->width;
        along += g * (in[0][from + j] - r.mean) * r.scale / (double)k->width;
    }
    const double x = (in[0][i] - r.mean) * r.scale;
    return r.scale * ((double)in[3][i] * in[1][i - from] - sum - x * along);
}

static double kernel_norm_dw(const kernel *k, float *const *in, int64_t column) {
    double sum = 0;
    for (int64_t at = column; at < k->rows * k->width; at += k->width) {
        const kernel_row r = kernel_norm_row(in[0] + at - column, k->width);
        sum += in[3][at] * (in[0][at] - r.mean) * r.scale;
    }
    return sum;
}

static double kernel_norm_db(const kernel *k, float *const *in, int64_t column) {
    double sum = 0;
    for (int64_t at = column; at < k->rows * k->width; at += k->width) sum += in[3][at];
    return sum;
}

int bench_softmax(bench *b) {
    int status = EXIT_GOOD;
    for (int backward = 0; backward < 2 && status == EXIT_GOOD; backward++) {
        kernel k = {.part = backward ? "with backward" : "forward",
                    .rows = 4096,
                    .width = 1024,
                    .g = weft_graph_new(b->ctx),
                    .oracle = {kernel_softmax_at, kernel_softmax_dx}};
        if (!k.g) return bench_failed(b, "starting");
        const weft_shape dims = weft_dims(k.rows, k.width);
        k.in[k.ins++] = weft_input(k.g, WEFT_F32, dims);
        k.out[k.outs++] = weft_softmax(k.in[0], -1);
        if (backward) {
            k.in[k.ins++] = weft_input(k.g, WEFT_F32, dims);
            weft_vjp(k.out[0], k.in[1], k.in, 1, &k.out[k.outs++]);
        }
        k.elements = (double)(k.rows * k.width);
        status = kernel_measure(b, &k);
        weft_graph_free(k.g);
    }
    return status;
}

int bench_layernorm(bench *b) {
    static const struct {
        const char *part;
        bool backward;
        int64_t rows, width;
    } table[] = {{"forward", false, 4096, 768},
                 {"with backward", true, 4096, 768},
                 {"16M with backward", true, 16384, 1024}};
    int status = EXIT_GOOD;
    for (int i = 0; i < (b->quick ? 2 : 3) && status == EXIT_GOOD; i++) {
        kernel k = {.part = table[i].part,
                    .rows = table[i].rows,
                    .width = table[i].width,
                    .g = weft_graph_new(b->ctx),
                    .oracle = {kernel_norm_at, kernel_norm_dx, kernel_norm_dw, kernel_norm_db}};
        if (!k.g) return bench_failed(b, "starting");
        const weft_shape dims = weft_dims(k.rows, k.width);
        k.in[k.ins++] = weft_input(k.g, WEFT_F32, dims);
        k.in[k.ins++] = weft_input(k.g, WEFT_F32, weft_dims(k.width));
        k.in[k.ins++] = weft_input(k.g, WEFT_F32, weft_dims(k.width));
        k.out[k.outs++] = weft_layer_norm(k.in[0], k.in[1], k.in[2], 1e-5f);
        if (table[i].backward) {
            k.in[k.ins++] = weft_input(k.g, WEFT_F32, dims);
            weft_vjp(k.out[0], k.in[3], k.in, 3, k.out + 1);
            k.outs += 3;
        }
        k.elements = (double)(k.rows * k.width);
        status = kernel_measure(b, &k);
        weft_graph_free(k.g);
    }
    return status;
}

/* ---- Adam: a loss whose gradients are the feed itself, so that nothing else is timed ---- */

enum { ADAM_PARAMETERS = 16, ADAM_SIZE = 65536 };

static weft_err kernel_adam_step(void *user) {
    return weft_run(((const kernel *)user)->plan);
}

static double kernel_adam_loss(void *user) {
    const kernel *const k = user;
    double loss = 0;
    float *const p = malloc(ADAM_SIZE * sizeof *p);
    for (int i = 0; i < ADAM_PARAMETERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        if (!p || weft_state_get(k->truth.s, name, p, ADAM_SIZE * sizeof *p) != WEFT_OK) loss = NAN;
        for (int j = 0; p && j < ADAM_SIZE; j++)
            loss += (double)p[j] * (double)k->feed[i * ADAM_SIZE + j];
    }
    free(p);
    return loss;
}

int bench_adam(bench *b) {
    weft_graph *g = weft_graph_new(b->ctx);
    weft_state *s = weft_state_new(b->ctx);
    int status = EXIT_GOOD;
    if (g && s) {
        const weft_tensor feed = weft_input(g, WEFT_F32, weft_dims(ADAM_PARAMETERS * ADAM_SIZE));
        weft_tensor loss = weft_scalar(g, 0);
        for (int i = 0; i < ADAM_PARAMETERS; i++) {
            char name[16];
            snprintf(name, sizeof name, "p%d", i);
            const weft_init init = {WEFT_INIT_UNIFORM, -1, 1};
            const weft_tensor p = weft_param(g, s, name, weft_dims(ADAM_SIZE), init);
            const weft_tensor part = weft_slice(feed, 0, i * ADAM_SIZE, (i + 1) * ADAM_SIZE, 1);
            loss = weft_add(loss, weft_sum(weft_mul(p, part), WEFT_ALL, false));
        }
        kernel k = {.part = "", .g = g, .in = {feed}, .ins = 1};
        k.update = weft_adam(s, loss, &(weft_adam_desc){.lr = 1e-3f});
        k.truth = (truth){.s = s,
                          .optimiser = {.kind = WEFT_OPTIMISER_ADAM},
                          .step = kernel_adam_step,
                          .loss = kernel_adam_loss,
                          .fine = true,
                          .user = &k};
        k.elements = (double)ADAM_PARAMETERS * ADAM_SIZE;
        status = kernel_measure(b, &k);
    } else {
        status = bench_failed(b, "starting");
    }
    weft_state_free(s);
    weft_graph_free(g);
    return status;
}

/* ---- a chain of elementwise operations, which should be one loop ---- */

static double kernel_chain_at(const kernel *k, float *const *in, int64_t i) {
    (void)k;
    const double c = in[2][i];
    return (double)in[0][i] * in[1][i] + (c > 0 ? c : 0) / (1 + exp(-in[3][i]));
}

int bench_chain(bench *b) {
    static const struct {
        const char *part;
        int64_t n;
    } sizes[] = {{"1K", 1 << 10}, {"64K", 1 << 16}, {"16M", 1 << 24}};
    int status = EXIT_GOOD;
    for (int i = 0; i < (b->quick ? 2 : 3) && status == EXIT_GOOD; i++) {
        kernel k = {
            .part = sizes[i].part, .g = weft_graph_new(b->ctx), .oracle = {kernel_chain_at}};
        if (!k.g) return bench_failed(b, "starting");
        for (k.ins = 0; k.ins < 4; k.ins++)
            k.in[k.ins] = weft_input(k.g, WEFT_F32, weft_dims(sizes[i].n));
        k.out[k.outs++] = weft_add(weft_mul(k.in[0], k.in[1]),
                                   weft_mul(weft_relu(k.in[2]), weft_sigmoid(k.in[3])));
        k.elements = (double)sizes[i].n;
        status = kernel_measure(b, &k);
        weft_graph_free(k.g);
    }
    return status;
}
