/* oracle.c - weft train checkerboard --oracle: a run of logicars, step by step.
 *
 * That system's checkerboard has nothing of chance in it: wiring as it comes, logits that all begin
 * alike, boards from an xorshift generator that begins with 23. So its losses are known numbers,
 * and whoever gets the same ones has the same wiring, the same gates and the same gradients. Two
 * boards an epoch are learned from, and a third is drawn for evaluation. */
#include "automata.h"
#include "cli/json.h"

#include <weft/optim.h>

#include <stdio.h>

enum {
    ORACLE_BOARDS = 2,
    ORACLE_SIDE = 16,
    ORACLE_CELLS = ORACLE_SIDE * ORACLE_SIDE,
    ORACLE_CHANNELS = 8
};

typedef struct oracle {
    weft_ctx *c;
    weft_state *s;
    weft_automaton *rule;
    weft_plan *soft, *hard;
    weft_tensor soft_loss, hard_loss;
    float *x, *y; /* feeds: two boards, and one */
    uint64_t random;
} oracle;

/* Uniform in [0, 1), as a float: that system rounds it before it compares. */
static float oracle_uniform(oracle *o) {
    o->random ^= o->random << 13;
    o->random ^= o->random >> 7;
    o->random ^= o->random << 17;
    return (float)((double)o->random * 0x1p-64);
}

/* Bits of one board, row by row, all channels of a cell at a time; board b of n. */
static void oracle_draw(oracle *o, float *cells, int b, int n) {
    for (int i = 0; i < ORACLE_CELLS; i++)
        for (int k = 0; k < ORACLE_CHANNELS; k++)
            cells[(k * n + b) * ORACLE_CELLS + i] = oracle_uniform(o) < 0.5f;
}

/* The sum of squared errors of some boards after all steps. */
static weft_tensor oracle_loss(const oracle *o, weft_tensor x, weft_logic_mode mode) {
    const automata_task *const t = &automata_checkerboard;
    uint8_t wanted[ORACLE_CELLS];
    float target[ORACLE_CELLS];
    t->target(t, ORACLE_SIDE, ORACLE_SIDE, 1, NULL, wanted);
    for (int i = 0; i < ORACLE_CELLS; i++) target[i] = wanted[i];
    const int rows = weft_logic_rows(weft_automaton_logic(o->rule));
    const weft_tensor y =
        weft_const(x.g, WEFT_F32, weft_dims(1, 1, ORACLE_SIDE, ORACLE_SIDE), target);
    const weft_tensor logits = weft_logic_logits(x.g, o->s, "gates", rows, 10);
    const weft_tensor coef = weft_logic_coefficients(logits, mode, 0);
    for (int i = 0; i < t->steps; i++) x = weft_automaton_step(o->rule, x, coef);
    const weft_tensor off = weft_sub(weft_slice(x, 0, 0, 1, 1), y);
    return weft_sum(weft_mul(off, off), WEFT_ALL, false);
}

static weft_err oracle_make(oracle *o, int threads) {
    const weft_optimiser_desc adamw = {.kind = WEFT_OPTIMISER_ADAMW,
                                       .lr = 0.05f,
                                       .beta2 = 0.99f,
                                       .decay = 0.01f,
                                       .clip_norm = 100};
    weft_graph *g = weft_graph_new(o->c), *h = weft_graph_new(o->c);
    o->rule = weft_automaton_new(o->c, &automata_checkerboard.shape);
    if (g && h && o->rule) {
        const weft_tensor x = weft_input(
            g, WEFT_F32, weft_dims(ORACLE_CHANNELS, ORACLE_BOARDS, ORACLE_SIDE, ORACLE_SIDE));
        const weft_tensor y =
            weft_input(h, WEFT_F32, weft_dims(ORACLE_CHANNELS, 1, ORACLE_SIDE, ORACLE_SIDE));
        o->soft_loss = oracle_loss(o, x, WEFT_LOGIC_SOFT);
        o->hard_loss = oracle_loss(o, y, WEFT_LOGIC_HARD);
        o->soft =
            weft_compile(g, &(weft_plan_desc){.fetch = weft_list(o->soft_loss),
                                              .update = weft_optimiser(o->s, o->soft_loss, &adamw),
                                              .training = true,
                                              .threads = threads});
        o->hard = weft_compile(
            h, &(weft_plan_desc){.fetch = weft_list(o->hard_loss), .threads = threads});
        o->x = o->soft ? weft_feed(o->soft, x) : NULL;
        o->y = o->hard ? weft_feed(o->hard, y) : NULL;
    }
    weft_graph_free(g);
    weft_graph_free(h);
    return o->x && o->y ? WEFT_OK : weft_error_code(o->c);
}

static weft_err oracle_evaluate(oracle *o, const float *cells, int b, int n, double *loss) {
    for (int k = 0; k < ORACLE_CHANNELS; k++)
        for (int i = 0; i < ORACLE_CELLS; i++)
            o->y[k * ORACLE_CELLS + i] = cells[(k * n + b) * ORACLE_CELLS + i];
    const weft_err e = weft_run(o->hard);
    if (!e) *loss += (double)weft_item(o->hard, o->hard_loss);
    return e;
}

static weft_err oracle_epoch(oracle *o, int64_t epoch, bool as_json) {
    static float third[ORACLE_CHANNELS * ORACLE_CELLS];
    double hard = 0, fresh = 0;
    weft_err e = WEFT_OK;
    for (int b = 0; b < ORACLE_BOARDS; b++) oracle_draw(o, o->x, b, ORACLE_BOARDS);
    for (int b = 0; b < ORACLE_BOARDS && !e; b++)
        e = oracle_evaluate(o, o->x, b, ORACLE_BOARDS, &hard);
    if (!e) e = weft_run(o->soft);
    oracle_draw(o, third, 0, 1);
    if (!e) e = oracle_evaluate(o, third, 0, 1, &fresh);
    if (e) return e;
    const double soft = (double)weft_item(o->soft, o->soft_loss);
    const double right = 1 - fresh / ORACLE_CELLS;
    if (as_json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", 1);
        json_integer(&j, "epoch", epoch);
        json_number(&j, "soft_loss", soft);
        json_number(&j, "hard_loss", hard);
        json_number(&j, "hard_accuracy", right);
        json_end(&j);
    } else {
        printf("epoch %4lld  soft loss %9.4f  hard loss %4.0f  right %6.2f %%\n", (long long)epoch,
               soft, hard, 100 * right);
    }
    fflush(stdout);
    return WEFT_OK;
}

weft_err checkerboard_oracle(weft_ctx *c, int64_t epochs, int threads, bool as_json) {
    oracle o = {.c = c, .s = weft_state_new(c), .random = 23};
    weft_err e = o.s ? oracle_make(&o, threads) : weft_error_code(c);
    for (int64_t i = 0; i < epochs && !e; i++) e = oracle_epoch(&o, i, as_json);
    weft_plan_free(o.soft);
    weft_plan_free(o.hard);
    weft_automaton_free(o.rule);
    weft_state_free(o.s);
    return e;
}
