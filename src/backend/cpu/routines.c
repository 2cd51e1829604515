/* routines.c - finds the family of a step, and the little arithmetic of strides they share. */
#include "routines.h"

/* The table of blocks: who prepares them, and whether operands may be strided. */
static routine_maker *const routine_block[BLOCK_COUNT] = {
    [BLOCK_conv] = conv_prepare,
    [BLOCK_conv_dx] = conv_dx_prepare,
    [BLOCK_conv_dw] = conv_dw_prepare,
    [BLOCK_max_pool] = maxpool_prepare,
    [BLOCK_max_pool_dx] = maxpool_dx_prepare,
    [BLOCK_attention] = attend_prepare,
    [BLOCK_attention_grad] = attend_grad_prepare,
    [BLOCK_adam] = optimiser_adam_prepare,
    [BLOCK_momentum] = optimiser_momentum_prepare,
};

weft_err routine_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    memset(r, 0, sizeof *r);
    r->s = s;
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

bool routine_accepts(const step *s, int operand) {
    const roperand *o = &s->in[operand];
    if (s->kind == STEP_LINREC || s->kind == STEP_ARGSORT) return true;
    if (s->kind == STEP_SCATTER_ADD && operand > 0) return true;
    if (s->kind == STEP_BLOCK &&
        (s->block == BLOCK_attention || s->block == BLOCK_attention_grad)) {
        const bool grad = s->block == BLOCK_attention_grad;
        if (operand == (grad ? 6 : 3) || (grad && operand == 4)) return true;
        return o->stride[o->rank - 1] == 1 || o->dim[o->rank - 1] <= 1;
    }
    return routine_contiguous(o);
}

bool routine_has_block(const weft_graph *g, const node *n) {
    if (n->op != OP_block) return false;
    const int64_t which = node_attr(g, n)[0];
    if (which < 0 || which >= BLOCK_COUNT || !routine_block[which]) return false;
    for (int i = 0; i < n->nin; i++) {
        const uint8_t type = g->node[node_in(g, n)[i]].dtype;
        if (type != WEFT_F32 && type != WEFT_BOOL) return false;
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
