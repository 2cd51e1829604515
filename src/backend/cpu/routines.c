/* routines.c - finds the family of a step, and the little arithmetic of strides they share. */
#include "routines.h"

#include "loops.h"

#include "core/recur.h"

/* The table of blocks: who prepares them, and whether operands may be strided. */
static routine_maker *const routine_block[BLOCK_COUNT] = {
    [BLOCK_conv] = conv_prepare,
    [BLOCK_conv_dx] = conv_dx_prepare,
    [BLOCK_conv_dw] = conv_dw_prepare,
    [BLOCK_max_pool] = maxpool_prepare,
    [BLOCK_max_pool_dx] = maxpool_dx_prepare,
    [BLOCK_attention] = attend_prepare,
    [BLOCK_attention_grad] = attend_grad_prepare,
    [BLOCK_recur] = recurrence_prepare,
    [BLOCK_recur_grad] = recurrence_grad_prepare,
    [BLOCK_gates] = gates_prepare,
    [BLOCK_gates_grad] = gates_grad_prepare,
    [BLOCK_adam] = optimiser_adam_prepare,
    [BLOCK_momentum] = optimiser_momentum_prepare,
    [BLOCK_squares] = optimiser_squares_prepare,
    [BLOCK_slice_write] = write_prepare,
};

weft_err routine_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    memset(r, 0, sizeof *r);
    r->s = s;
    r->loops = loops_of(level);
    routine_maker *make = NULL;
    if (s->kind == STEP_LINREC) make = scan_prepare;
    if (s->kind == STEP_SCATTER_ADD) make = scatter_prepare;
    if (s->kind == STEP_ARGSORT) make = sort_prepare;
    if (s->kind == STEP_BLOCK && s->block < BLOCK_COUNT) make = routine_block[s->block];
    if (!make) return weft_fail(c, WEFT_UNSUPPORTED, "the CPU has no routine for step %d", s->kind);
    return make(r, s, level, c, memory);
}

bool routine_contiguous(const roperand *o) {
    int64_t expected = 1;
    for (int d = o->rank - 1; d >= 0; d--) {
        if (o->dim[d] == 0) return true;
        if (o->dim[d] != 1 && o->stride[d] != expected) return false;
        expected *= o->dim[d];
    }
    return true;
}

static bool routine_recurrent(const step *s) {
    return s->kind == STEP_BLOCK && (s->block == BLOCK_recur || s->block == BLOCK_recur_grad);
}

bool routine_accepts(const step *s, int operand) {
    const roperand *o = &s->in[operand];
    if (s->kind == STEP_LINREC || s->kind == STEP_ARGSORT) return true;
    if (s->kind == STEP_SCATTER_ADD && operand > 0) return scatter_accepts(s, operand);
    if (s->kind == STEP_BLOCK &&
        (s->block == BLOCK_attention || s->block == BLOCK_attention_grad)) {
        const bool grad = s->block == BLOCK_attention_grad;
        if (operand == (grad ? 6 : 3) || (grad && operand == 4)) return true;
        return o->stride[o->rank - 1] == 1 || o->dim[o->rank - 1] <= 1;
    }
    /* Rows of a sequence may lie apart: part of a wider one, or batch first. */
    const int64_t *a = s->attr;
    if (routine_recurrent(s) && operand < s->nin &&
        (operand == recur_operand(a[RECUR_ATTR_GIVEN], RECUR_GATES) ||
         operand == recur_operand(a[RECUR_ATTR_GIVEN], RECUR_DY)))
        return o->stride[2] == 1 || o->dim[2] <= 1;
    return routine_contiguous(o);
}

bool routine_spares(const step *s, int operand) {
    return routine_recurrent(s) && operand >= s->nin;
}

bool routine_takes_maps(const step *s) {
    return s->kind == STEP_BLOCK && block_makes_image(s->block);
}

void routine_done(const routine *r, int64_t row0, int64_t row1, void *scratch) {
    if (!r->rest) return;
    const roperand *y = &r->s->in[r->s->nin];
    interp_rectangle(r->rest, row0, row1, 0, y->dim[y->rank - 1],
                     (char *)scratch + routine_round(r->scratch));
}

void routine_finish(const routine *r, float *c, int64_t row0, int64_t row1, void *scratch) {
    const gemm_data *d = r->after;
    const roperand *y = &r->s->in[r->s->nin];
    const int64_t n = y->dim[y->rank - 1];
    for (int64_t i = row0; i < row1 && d; i++)
        r->loops->finish(c + i * n, d->bias, d->relu, d->mask ? d->mask + i * d->mask_row : NULL,
                         n);
    routine_done(r, row0, row1, scratch);
}

bool routine_has_block(const weft_graph *g, const node *n) {
    if (n->op != OP_block) return false;
    const int64_t which = node_attr(g, n)[0];
    if (which < 0 || which >= BLOCK_COUNT || !routine_block[which]) return false;
    if (which == BLOCK_slice_write) return true; /* copies, whatever the type */
    for (int i = 0; i < n->nin; i++) {
        const uint8_t type = g->node[node_in(g, n)[i]].dtype;
        const bool lengths =
            type == WEFT_I32 && (which == BLOCK_recur || which == BLOCK_recur_grad);
        if (type != WEFT_F32 && type != WEFT_BOOL && !lengths) return false;
    }
    return true;
}

weft_err routine_own(routine *r, size_t bytes, weft_ctx *c, arena *memory) {
    r->own = arena_new(memory, bytes);
    return r->own ? WEFT_OK : weft_fail(c, WEFT_MEMORY, "no memory for a routine's choices");
}

int64_t routine_count(const roperand *o) {
    int64_t n = 1;
    for (int d = 0; d < o->rank; d++) n *= o->dim[d];
    return n;
}

int64_t routine_line(const roperand *o, int axis, int64_t i) {
    int64_t at = 0;
    for (int d = o->rank - 1; d >= 0; d--) {
        if (d == axis) continue;
        at += i % o->dim[d] * o->stride[d];
        i /= o->dim[d];
    }
    return at;
}
