/* bench_lstm.c - an LSTM over a sequence, forward only, against a plain one in double. */
#include "bench.h"
#include "command.h"

#include <weft/nn.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LSTM_UNITS = 256, LSTM_WIDTH = 4 * LSTM_UNITS };

typedef struct lstm_weights {
    float w_ih[LSTM_WIDTH][LSTM_UNITS], w_hh[LSTM_WIDTH][LSTM_UNITS], b_ih[LSTM_WIDTH],
        b_hh[LSTM_WIDTH];
} lstm_weights;

static double lstm_squash(double x) {
    return 1 / (1 + exp(-x));
}

/* h and c before, then after, the step that reads x. */
static void lstm_plain_step(const lstm_weights *w, const float *x, double *h, double *c) {
    double gate[LSTM_WIDTH];
    for (int j = 0; j < LSTM_WIDTH; j++) {
        gate[j] = (double)w->b_ih[j] + w->b_hh[j];
        for (int i = 0; i < LSTM_UNITS; i++)
            gate[j] += (double)w->w_ih[j][i] * x[i] + w->w_hh[j][i] * h[i];
    }
    for (int j = 0; j < LSTM_UNITS; j++) {
        const double in = lstm_squash(gate[j]), keep = lstm_squash(gate[LSTM_UNITS + j]);
        c[j] = keep * c[j] + in * tanh(gate[2 * LSTM_UNITS + j]);
        h[j] = lstm_squash(gate[3 * LSTM_UNITS + j]) * tanh(c[j]);
    }
}

/* The largest difference between y and what the plain steps give. */
static double lstm_compare(const lstm_weights *w, const float *x, const float *y, int steps) {
    double h[LSTM_UNITS] = {0}, c[LSTM_UNITS] = {0}, most = 0;
    for (int t = 0; t < steps; t++) {
        lstm_plain_step(w, x + t * LSTM_UNITS, h, c);
        for (int j = 0; j < LSTM_UNITS; j++) {
            const double off = fabs(y[t * LSTM_UNITS + j] - h[j]);
            if (!(off <= most)) most = off;
        }
    }
    return most;
}

static bool lstm_read(weft_state *s, lstm_weights *w) {
    return weft_state_get(s, "lstm.weight_ih_l0", w->w_ih, sizeof w->w_ih) == WEFT_OK &&
           weft_state_get(s, "lstm.weight_hh_l0", w->w_hh, sizeof w->w_hh) == WEFT_OK &&
           weft_state_get(s, "lstm.bias_ih_l0", w->b_ih, sizeof w->b_ih) == WEFT_OK &&
           weft_state_get(s, "lstm.bias_hh_l0", w->b_hh, sizeof w->b_hh) == WEFT_OK;
}

static int lstm_check(bench *b, weft_plan *p, weft_state *s, weft_tensor x, weft_tensor y) {
    const int64_t n = weft_count(y);
    lstm_weights *w = malloc(sizeof *w);
    float *got = malloc((size_t)n * sizeof *got);
    int status = EXIT_RESOURCES;
    if (w && got) {
        if (weft_run(p) != WEFT_OK || !lstm_read(s, w) ||
            weft_get(p, y, got, (size_t)n * sizeof *got) != WEFT_OK) {
            status = bench_failed(b, "running");
        } else {
            const double off = lstm_compare(w, weft_feed(p, x), got, (int)weft_dim(y, 0));
            status = off <= 1e-5 ? EXIT_GOOD : bench_wrong(b, "an output is off by %g", off);
        }
    }
    free(w);
    free(got);
    return status;
}

static int lstm_measure(bench *b, weft_graph *g, weft_state *s) {
    const int64_t steps = b->quick ? 10 : 100;
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(steps, 1, LSTM_UNITS));
    const weft_tensor y = weft_nn_lstm(s, x, LSTM_UNITS, "lstm", NULL).y;
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .threads = b->threads});
    float *feed = p ? weft_feed(p, x) : NULL;
    if (!feed) {
        weft_plan_free(p);
        return bench_failed(b, "compiling");
    }
    bench_fill(&(bench_random){1}, feed, weft_count(x));
    bench_line l = {.part = "", .work = BENCH_FLOPS};
    int status = lstm_check(b, p, s, x, y);
    if (status == EXIT_GOOD) status = bench_plan_time(b, p, &l);
    if (status == EXIT_GOOD) {
        l.amount = 2.0 * (double)steps * LSTM_WIDTH * (2 * LSTM_UNITS);
        bench_number(&l, "steps", (double)steps);
        bench_write(b, &l);
    }
    weft_plan_free(p);
    return status;
}

int bench_lstm(bench *b) {
    weft_state *s = weft_state_new(b->ctx);
    weft_graph *g = weft_graph_new(b->ctx);
    const int status = s && g ? lstm_measure(b, g, s) : bench_failed(b, "starting");
    weft_graph_free(g);
    weft_state_free(s);
    return status;
}
