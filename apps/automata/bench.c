/* bench.c - an epoch of the checkerboard automaton: 20 steps of 3,040 gates over two boards
 * of 16 x 16, forward and backward, and AdamW over the logits.
 *
 * Cells are to come to one half, where logicars has its board, and gradients are not clipped:
 * neither takes time that shows. Before it is timed, a forward plan is compared with the reference
 * backend over a few steps of one small board, and an epoch with differences of its loss
 * (bench_truth.h). */
#include "cli/bench.h"
#include "automata.h"
#include "cli/bench_truth.h"

#include <weft/optim.h>

#include <math.h>

enum { LOGIC_CHANNELS = 8 };

/* So many steps from given boards. */
typedef struct logic_size {
    int steps, boards, side;
} logic_size;
static const logic_size logic_epoch = {20, 2, 16}, logic_little = {2, 1, 6};

typedef struct logic_job {
    weft_automaton *a;
    weft_state *s;
    weft_graph *g;
    weft_tensor x, loss, same; /* same: the input of the reference */
    weft_plan *train, *forward;
} logic_job;

static weft_tensor logic_loss(const logic_job *j, weft_graph *g, weft_state *s, const logic_size *n,
                              weft_tensor *in) {
    const int rows = weft_logic_rows(weft_automaton_logic(j->a));
    const weft_tensor coef =
        weft_logic_coefficients(weft_logic_logits(g, s, "gates", rows, 10), WEFT_LOGIC_SOFT, 0);
    weft_tensor y = *in =
        weft_input(g, WEFT_F32, weft_dims(LOGIC_CHANNELS, n->boards, n->side, n->side));
    for (int i = 0; i < n->steps; i++) y = weft_automaton_step(j->a, y, coef);
    const weft_tensor off = weft_offset(weft_slice(y, 0, 0, 1, 1), -0.5f);
    return weft_sum(weft_mul(off, off), WEFT_ALL, false);
}

static bool logic_feed(weft_plan *p, weft_tensor x) {
    bench_random r = {1};
    float *const feed = weft_feed(p, x);
    for (int64_t i = 0; feed && i < weft_count(x); i++) {
        bench_fill(&r, &feed[i], 1);
        feed[i] = feed[i] < 0 ? 0 : 1;
    }
    return feed != NULL;
}

/* ---- is it right? ---- */

static weft_tensor logic_same(void *user, weft_graph *g, weft_state *s) {
    logic_job *const j = user;
    return logic_loss(j, g, s, &logic_little, &j->same);
}

static bool logic_same_feed(void *user, weft_plan *p) {
    return logic_feed(p, ((const logic_job *)user)->same);
}

/* The reference takes seconds for a whole epoch; some steps of a small board do the same. */
static int logic_forward(bench *b, logic_job *j) {
    weft_tensor x;
    const weft_tensor loss = logic_loss(j, j->g, j->s, &logic_little, &x);
    weft_plan *const p =
        weft_compile(j->g, &(weft_plan_desc){.fetch = weft_list(loss), .threads = b->threads});
    reference *const by =
        p ? reference_new(j->s, &(reference_desc){logic_same, logic_same_feed, j}) : NULL;
    int status = EXIT_GOOD;
    if (!by || !logic_feed(p, x) || weft_run(p) != WEFT_OK) {
        status = bench_failed(b, "the small board");
    } else {
        const double got = (double)weft_item(p, loss), want = reference_loss(by);
        if (!(fabs(got - want) <= 1e-5 * fabs(want)))
            status = bench_wrong(b, "the loss of a small board is %.9g, by the reference %.9g", got,
                                 want);
    }
    reference_free(by);
    weft_plan_free(p);
    return status;
}

static weft_err logic_once(void *user) {
    return weft_run(((const logic_job *)user)->train);
}

static double logic_told(void *user) {
    const logic_job *const j = user;
    return (double)weft_item(j->train, j->loss);
}

static double logic_forward_loss(void *user) {
    const logic_job *const j = user;
    return weft_run(j->forward) == WEFT_OK ? (double)weft_item(j->forward, j->loss) : NAN;
}

static int logic_true(bench *b, logic_job *j, const weft_optimiser_desc *adamw) {
    const truth t = {.s = j->s,
                     .optimiser = *adamw,
                     .step = logic_once,
                     .told = logic_told,
                     .loss = logic_forward_loss,
                     .user = j};
    char why[300];
    const int status = logic_forward(b, j);
    if (status != EXIT_GOOD) return status;
    return truth_holds(&t, why, sizeof why) ? EXIT_GOOD : bench_wrong(b, "%s", why);
}

static int logic_learns(bench *b, logic_job *j) {
    enum { EPOCHS = 10 };
    const double first = logic_forward_loss(j);
    for (int i = 0; i < EPOCHS; i++)
        if (weft_run(j->train) != WEFT_OK) return bench_failed(b, "running");
    const double last = logic_forward_loss(j);
    if (last < first) return EXIT_GOOD;
    return bench_wrong(b, "the loss went from %g to %g in %d epochs", first, last, EPOCHS);
}

/* ---- timing ---- */

static bool logic_open(bench *b, logic_job *j, const weft_optimiser_desc *adamw) {
    j->s = weft_state_new(b->ctx);
    j->g = j->s ? weft_graph_new(b->ctx) : NULL;
    j->a = j->g ? weft_automaton_new(b->ctx, &automata_checkerboard.shape) : NULL;
    if (!j->a) return false;
    j->loss = logic_loss(j, j->g, j->s, &logic_epoch, &j->x);
    j->train = weft_compile(j->g, &(weft_plan_desc){.fetch = weft_list(j->loss),
                                                    .update = weft_optimiser(j->s, j->loss, adamw),
                                                    .training = true,
                                                    .threads = b->threads});
    j->forward =
        weft_compile(j->g, &(weft_plan_desc){.fetch = weft_list(j->loss), .threads = b->threads});
    return j->train && j->forward && logic_feed(j->train, j->x) && logic_feed(j->forward, j->x);
}

int bench_checkerboard(bench *b) {
    const weft_optimiser_desc adamw = {
        .kind = WEFT_OPTIMISER_ADAMW, .lr = 1e-4f, .beta2 = 0.99f, .decay = 0.01f};
    bench_line l = {.part = ""};
    logic_job j = {0};
    int status = logic_open(b, &j, &adamw) ? EXIT_GOOD : bench_failed(b, "making the automaton");
    if (status == EXIT_GOOD) status = logic_true(b, &j, &adamw);
    if (status == EXIT_GOOD) status = logic_learns(b, &j);
    if (status == EXIT_GOOD) status = bench_plan_time(b, j.train, &l);
    if (status == EXIT_GOOD) {
        snprintf(l.note, sizeof l.note, "%.1f ms an epoch", l.time.median_us / 1e3);
        bench_number(&l, "gates", weft_logic_gates(weft_automaton_logic(j.a)));
        bench_write(b, &l);
    }
    weft_plan_free(j.train);
    weft_plan_free(j.forward);
    weft_automaton_free(j.a);
    weft_graph_free(j.g);
    weft_state_free(j.s);
    return status;
}
