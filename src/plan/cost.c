/* cost.c - what a step costs: arithmetic in operations, traffic in bytes. Estimates, for reports and
 * for the number of threads. A block names its function in blocks.def.
 *
 * Reads: a step, its operands and attributes. Makes: its flops and bytes. */
#include "core/recur.h"
#include "plan/passes.h"
#include <assert.h>

typedef void cost_function(step *s);

static double cost_elements(const roperand *o) {
    double n = 1;
    for (int d = 0; d < o->rank; d++) n *= (double)o->dim[d];
    return n;
}

/* Numbers in memory: what is repeated lies there once. */
static double cost_stored(const roperand *o) {
    double n = 1;
    for (int d = 0; d < o->rank; d++) n *= o->stride[d] ? (double)o->dim[d] : 1;
    return n;
}

static double cost_bytes(const roperand *o) {
    return o->buf == KNOBUF ? 0 : cost_elements(o) * (double)weft_dtype_size((weft_dtype)o->dtype);
}

/* Every operand is read once, every result written. */
static void cost_traffic(step *s) {
    for (int i = 0; i < s->nin + s->nout; i++) s->bytes += cost_bytes(&s->in[i]);
}

/* ---- steps of one kind ---- */

static void work_elements(step *s) {
    assert(s->nout > 0);
    cost_traffic(s);
    s->flops += 8 * cost_elements(&s->in[s->nin]);
}

static void work_product(step *s) {
    cost_traffic(s);
    s->flops += 2 * cost_elements(&s->in[2]) * (double)s->in[0].dim[s->in[0].rank - 1];
}

/* An addition for each number of the source; the rest is copied unless it stays where it lies. */
static void work_scatter(step *s) {
    const double added = cost_elements(&s->in[2]);
    const double copied = s->in[0].buf == s->in[3].buf ? 0 : cost_elements(&s->in[3]);
    s->flops = added;
    s->bytes = 4 * (cost_stored(&s->in[1]) + cost_stored(&s->in[2]) + 2 * added + 2 * copied);
}

/* Every number of y, or of its gradient, meets the weights that lead to it. */
static void work_windows(step *s, int y, int w) {
    const roperand *k = &s->in[w];
    assert(k->rank == 4);
    cost_traffic(s);
    s->flops += 2 * cost_elements(&s->in[y]) * (double)(k->dim[0] * k->dim[1] * k->dim[2]);
}

static void work_conv(step *s) {
    work_windows(s, 2, 1);
}

static void work_conv_dx(step *s) {
    work_windows(s, 0, 1);
}

static void work_conv_dw(step *s) {
    work_windows(s, 1, 2);
}

/* An exponential and products of `width` numbers for each query and key that it may see. */
static void work_pairs(step *s, int64_t times_h, int64_t times_hv) {
    const roperand *q = &s->in[0], *v = &s->in[2];
    const double tq = (double)q->dim[q->rank - 2], h = (double)q->dim[q->rank - 1];
    const double tk = (double)v->dim[v->rank - 2], hv = (double)v->dim[v->rank - 1];
    cost_traffic(s);
    if (tq * tk * h == 0) return;
    double seen = tq * tk;
    if (s->attr[0] && tq <= tk) seen -= tq * (tq - 1) / 2;
    if (s->attr[0] && tq > tk) seen = tk * (tk + 1) / 2;
    if (s->attr
            [2]) { /* before the windows: of the last query so many, of each before it one less */
        const double most = tk - (double)s->attr[2], least = most > tq ? most - tq : 0;
        seen -= (most * (most + 1) - least * (least + 1)) / 2;
    }
    const double each = 10 + 2 * ((double)times_h * h + (double)times_hv * hv);
    s->flops += cost_elements(q) / (tq * h) * seen * each;
}

static void work_attention(step *s) {
    work_pairs(s, 1, 1);
}

static void work_attention_grad(step *s) {
    work_pairs(s, 3, 2);
}

/* What a recurrent block multiplies: every row of every step with the weight. */
static void work_recur(step *s) {
    const roperand *w = &s->in[recur_operand(s->attr[RECUR_ATTR_GIVEN], RECUR_WEIGHT)], *x = w;
    for (int i = 0; i < s->nin; i++)
        if (s->in[i].rank == 3) x = &s->in[i];
    work_elements(s);
    s->flops += 2 * (double)(x->dim[0] * x->dim[1]) * cost_elements(w);
}

/* Copies the base unless it stays where it lies, then the rows. */
static void work_write(step *s) {
    if (s->in[0].buf != s->in[3].buf) s->bytes += 2 * cost_bytes(&s->in[0]);
    s->bytes += 2 * cost_bytes(&s->in[1]);
}

/* ---- row programs ---- */

static double cost_loop(const kernel *k) {
    double n = 1;
    for (int d = 0; d < k->outer + k->reduce + k->inner; d++) n *= (double)k->dim[d];
    return n;
}

static void cost_kernel(step *s) {
    const kernel *k = s->kern;
    double folded = 1; /* elements of a row */
    for (int d = k->outer; d < k->outer + k->reduce; d++) folded *= (double)k->dim[d];
    for (int i = 0; i < k->nins; i++) {
        const kins *in = &k->ins[i];
        const bool fold = kins_table[in->op].kind == KINS_FOLD;
        const double n = cost_loop(k) / (in->level == KL_ROW && !fold && folded > 0 ? folded : 1);
        s->flops += kins_table[in->op].cost * n;
        if (in->op == K_LOAD || in->op == K_STORE || in->op == K_TAKE)
            s->bytes += n * (double)weft_dtype_size((weft_dtype)k->view[in->view].dtype);
    }
}

void cost_step(step *s) {
    static cost_function *const by_kind[STEP_KINDS] = {
#define OP_ROUTINE(name, operands, step, lies, gradient, reference, work, ...) [step] = work,
#include "core/ops.def"
    };
    static cost_function *const by_block[BLOCK_COUNT] = {
#define BLOCK(name, operands, attributes, parts, lies, moving, image, product, definition,         \
              gradient, work, ...)                                                                 \
    [BLOCK_##name] = work,
#include "core/blocks.def"
    };
    cost_function *work = s->kind == STEP_BLOCK ? by_block[s->block] : by_kind[s->kind];
    if (s->kern) cost_kernel(s);
    if (work) work(s);
}
