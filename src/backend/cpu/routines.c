/* routines.c - finds the family of a step, and the little arithmetic of strides they share. */
#include "routines.h"

#include "loops.h"

#include "core/recur.h"
#include <assert.h>

typedef struct routine_row {
    routine_maker *make;
    routine_strides *strides;
    routine_takes takes;
    routine_results results;
} routine_row;

static const routine_row routine_blocks[BLOCK_COUNT] = {
#define BLOCK(name, operands, attributes, parts, lies, moving, image, product, definition,         \
              gradient, work, text, routine, strides, takes, results)                              \
    [BLOCK_##name] = {routine, strides, TAKES_##takes, RESULTS_##results},
#include "core/blocks.def"
};

static const routine_row routine_kinds[STEP_KINDS] = {
#define OP_ROUTINE(name, operands, step, lies, gradient, reference, work, text, routine, strides)  \
    [step] = {routine, strides, TAKES_ANY, RESULTS_ALL},
#include "core/ops.def"
};

static const routine_row *routine_of(const step *s) {
    assert(s->kind < STEP_KINDS && (s->kind != STEP_BLOCK || s->block < BLOCK_COUNT));
    return s->kind == STEP_BLOCK ? &routine_blocks[s->block] : &routine_kinds[s->kind];
}

weft_err routine_none(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    (void)r, (void)level, (void)memory;
    return weft_fail(c, WEFT_UNSUPPORTED, "the CPU has no routine for step %d", s->kind);
}

weft_err routine_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    memset(r, 0, sizeof *r);
    r->s = s;
    r->loops = loops_of(level);
    r->tiles = tile_table_for(level);
    const routine_row *of = routine_of(s);
    return (of->make ? of->make : routine_none)(r, s, level, c, memory);
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

static bool routine_unit_rows(const roperand *o) {
    return o->stride[o->rank - 1] == 1 || o->dim[o->rank - 1] <= 1;
}

bool strides_any(const step *s, int operand) {
    assert(operand < s->nin + s->nout);
    (void)s, (void)operand;
    return true;
}

/* Where the axis is not the last one, results are stored by vectors. */
bool strides_scan(const step *s, int operand) {
    const roperand *o = &s->in[operand];
    assert(operand < s->nin + s->nout);
    return operand < s->nin || s->attr[0] == o->rank - 1 || routine_unit_rows(o);
}

/* A product takes any strides of which one along rows or columns is 1, and neither 0; its result has
 * unit rows. */
bool strides_product(const step *s, int operand) {
    const roperand *o = &s->in[operand];
    assert(o->rank >= 2);
    if (operand >= s->nin) return routine_unit_rows(o) && o->dtype == WEFT_F32;
    const int64_t *dim = o->dim + o->rank - 2, *stride = o->stride + o->rank - 2;
    return (stride[0] == 1 || stride[1] == 1 || dim[0] <= 1 || dim[1] <= 1) &&
           (stride[0] != 0 || dim[0] <= 1) && (stride[1] != 0 || dim[1] <= 1);
}

bool strides_none(const step *s, int operand) {
    return routine_contiguous(&s->in[operand]);
}

/* Mask and lse as they lie, rows of the others one behind the other; a result lse in order. */
bool strides_attention(const step *s, int operand) {
    if (operand == s->nin + 1) return routine_contiguous(&s->in[operand]);
    return (operand == 3 && operand < s->nin) || routine_unit_rows(&s->in[operand]);
}

bool strides_attention_grad(const step *s, int operand) {
    return operand == 4 || (operand == 6 && operand < s->nin) || routine_unit_rows(&s->in[operand]);
}

/* Rows of a sequence may lie apart: part of a wider one, or batch first. */
bool strides_recur(const step *s, int operand) {
    const int64_t given = s->attr[RECUR_ATTR_GIVEN];
    if (operand < s->nin &&
        (operand == recur_operand(given, RECUR_GATES) || operand == recur_operand(given, RECUR_DY)))
        return routine_unit_rows(&s->in[operand]);
    return routine_contiguous(&s->in[operand]);
}

bool routine_accepts(const step *s, int operand) {
    return routine_of(s)->strides(s, operand);
}

bool routine_spares(const step *s, int operand) {
    if (operand < s->nin) return false;
    const bool shadow = s->kind == STEP_BLOCK && block_table[s->block].moving &&
                        operand == s->nin + block_table[s->block].parts - 1;
    return shadow || routine_of(s)->results == RESULTS_ASKED;
}

bool routine_takes_maps(const step *s) {
    return s->kind == STEP_MATMUL || (s->kind == STEP_BLOCK && block_table[s->block].image);
}

bool routine_adds(const step *s) {
    const roperand *a = &s->in[0]; /* products of nothing are written as zeros */
    return s->kind == STEP_MATMUL && a->dim[a->rank - 1] > 0;
}

/* The mask and the rounding of n elements from `at` on. */
static void routine_round_off(const routine *r, int64_t at, int64_t n) {
    enum { PIECE = 512 };
    const epilogue_half *h = &r->half;
    float mask[PIECE];
    for (int64_t end = at + n; at < end; at += PIECE) {
        const int count = (int)min_i64(PIECE, end - at);
        if (h->mask) {
            r->tiles->load[h->mask_type](mask, h->mask + 2 * at, 1, count);
            r->loops->finish(r->y + at, NULL, false, mask, count);
        }
        if (h->result) r->tiles->store[h->result_type](h->result + 2 * at, 1, r->y + at, count);
    }
}

void routine_rectangle(const routine *r, int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                       void *scratch) {
    const roperand *y = &r->s->in[r->s->nin];
    const int64_t n = y->dim[y->rank - 1];
    const bool half = r->half.mask || r->half.result, whole = j1 - j0 == n;
    if (half && whole) routine_round_off(r, i0 * n, (i1 - i0) * n);
    for (int64_t i = i0; i < i1 && half && !whole; i++) routine_round_off(r, i * n + j0, j1 - j0);
    if (r->rest)
        interp_rectangle(r->rest, i0, i1, j0, j1, (char *)scratch + routine_round(r->scratch));
}

void routine_done(const routine *r, int64_t row0, int64_t row1, void *scratch) {
    const roperand *y = &r->s->in[r->s->nin];
    routine_rectangle(r, row0, row1, 0, y->dim[y->rank - 1], scratch);
}

void routine_finish(const routine *r, float *c, int64_t row0, int64_t row1, void *scratch) {
    const gemm_data *d = r->after;
    const roperand *y = &r->s->in[r->s->nin];
    const int64_t n = y->dim[y->rank - 1];
    const bool something = d && (d->bias || d->relu || d->mask);
    for (int64_t i = row0; i < row1 && something; i++)
        r->loops->finish(c + i * n, d->bias, d->relu, d->mask ? d->mask + i * d->mask_row : NULL,
                         n);
    routine_done(r, row0, row1, scratch);
}

bool routine_has_block(const weft_graph *g, const node *n) {
    if (n->op != OP_block) return false;
    const int64_t which = node_attr(g, n)[0];
    if (which < 0 || which >= BLOCK_COUNT) return false;
    const routine_row *of = &routine_blocks[which];
    if (of->make == routine_none || of->takes == TAKES_ANY) return of->make != routine_none;
    for (int i = 0; i < n->nin; i++) {
        const uint8_t type = g->node[node_in(g, n)[i]].dtype;
        const bool half = type == WEFT_BF16 || type == WEFT_F16;
        if (type != WEFT_F32 && type != WEFT_BOOL &&
            (type != WEFT_I32 || of->takes != TAKES_LENGTHS) &&
            (!half || of->takes != TAKES_HALVES))
            return false;
    }
    return true;
}

weft_err routine_own(routine *r, size_t bytes, weft_ctx *c, arena *memory) {
    r->own = arena_new(memory, bytes);
    return r->own ? WEFT_OK : weft_fail(c, WEFT_MEMORY, "no memory for a routine's choices");
}

const float *routine_wide(const routine *r, int i, const char *at, int64_t first, int64_t n,
                          float *room) {
    enum { PIECE = 1 << 20 };
    const uint8_t type = r->s->in[i].dtype;
    if (type == WEFT_F32) return (const float *)(const void *)at + first;
    assert(type == WEFT_BF16 || type == WEFT_F16);
    for (int64_t e = 0; e < n; e += PIECE)
        r->tiles->load[type](room + e, at + 2 * (first + e), 1, (int)min_i64(PIECE, n - e));
    return room;
}

size_t routine_room(const roperand *o, int64_t n) {
    return o->dtype == WEFT_F32 ? 0 : routine_round((size_t)n * sizeof(float));
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
