/* optimiser.c - adam and momentum: one pass over a parameter and its companions; and sums of
 * squares, for norms.
 *
 * adam: p, m, v, g, lr, rate, root -> p, m, v. momentum: p, m, g, lr -> p, m. Both may have p in 16
 * bits as a further result, and may be given a scale of the gradient, and whether the step is due: if not, nothing is touched. The arithmetic is
 * tile_table's. Results usually are the memory of p, m and v; where one is not, its input is copied
 * there piece by piece, just before the pass over that piece. */
#include "core/update_rules.h"
#include "routines.h"
#include "tile.h"
#include <assert.h>
#include <math.h>

enum { OPTIMISER_PIECE = 4096 };

/* Element `first` and n - 1 more of a parameter, with their gradients. */
typedef void optimiser_pass(const routine *r, char *const *at, const float *gradient, int64_t first,
                            int64_t n);

typedef struct optimiser_choice {
    optimiser_pass *pass; /* over some elements */
    const tile_table *tile;
    int64_t count;
    int scale, due; /* operands, or -1 */
    tile_adam adam; /* as far as it does not change from run to run */
    tile_momentum momentum;
} optimiser_choice;

static float optimiser_number(const char *at) {
    float v;
    memcpy(&v, at, sizeof v);
    return v;
}

/* Result i of the piece at `first`, holding what input i holds. */
static float *optimiser_piece(char *const *at, const step *s, int i, int64_t first, int64_t n) {
    float *out = (float *)at[s->nin + i] + first;
    const float *in = (const float *)at[i] + first;
    if (out != in) memcpy(out, in, (size_t)n * sizeof *out);
    return out;
}

/* The last result, where it is asked for: the new parameter in 16 bits. */
static void optimiser_shadow(const optimiser_choice *o, const step *s, char *const *at,
                             const float *p, int64_t first, int64_t n) {
    const int parts = block_table[s->block].parts, last = s->nin + parts - 1;
    if (s->nout < parts || !at[last]) return;
    o->tile->store[s->in[last].dtype](at[last] + 2 * first, 1, p, (int)n);
}

static bool optimiser_due(const optimiser_choice *o, char *const *at) {
    return o->due < 0 || *at[o->due];
}

static float optimiser_scale(const optimiser_choice *o, char *const *at) {
    return o->scale < 0 ? 1.0f : optimiser_number(at[o->scale]);
}

static void optimiser_adam(const routine *r, char *const *at, const float *gradient, int64_t first,
                           int64_t n) {
    const optimiser_choice *o = r->own;
    tile_adam a = o->adam;
    if (!r->s->attr[ADAM_L2]) a.decay_rate = optimiser_number(at[4]) * routine_real(r->s->attr[3]);
    a.rate = optimiser_number(at[5]), a.root = optimiser_number(at[6]);
    a.scale = optimiser_scale(o, at);
    float *const p = optimiser_piece(at, r->s, 0, first, n);
    float *const m = optimiser_piece(at, r->s, 1, first, n);
    float *const v = optimiser_piece(at, r->s, 2, first, n);
    if (optimiser_due(o, at)) o->tile->adam(p, m, v, gradient, n, &a);
    optimiser_shadow(o, r->s, at, p, first, n);
}

static void optimiser_momentum(const routine *r, char *const *at, const float *gradient,
                               int64_t first, int64_t n) {
    const optimiser_choice *o = r->own;
    tile_momentum a = o->momentum;
    a.lr = optimiser_number(at[3]);
    a.scale = optimiser_scale(o, at);
    float *const p = optimiser_piece(at, r->s, 0, first, n);
    float *const m = optimiser_piece(at, r->s, 1, first, n);
    if (optimiser_due(o, at)) o->tile->momentum(p, m, gradient, n, &a);
    optimiser_shadow(o, r->s, at, p, first, n);
}

static void optimiser_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                          void *scratch) {
    const optimiser_choice *o = r->own;
    const float *gradient = (const float *)at[block_table[r->s->block].moving - 1];
    (void)scratch;
    for (int64_t u = unit0; u < unit1; u++) {
        const int64_t i = u * OPTIMISER_PIECE;
        o->pass(r, at, gradient + i, i, min_i64(OPTIMISER_PIECE, o->count - i));
    }
}

static void optimiser_part(const routine *r, char *const *at, const routine_result *part) {
    const optimiser_choice *o = r->own;
    const gemm_area *area = &part->area;
    for (int64_t i = area->i0; i < area->i1; i++)
        o->pass(r, at, part->c + (i - area->i0) * part->c_row, i * part->columns + area->j0,
                area->j1 - area->j0);
}

static weft_err optimiser_begin(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(optimiser_choice), c, memory));
    optimiser_choice *o = r->own;
    o->tile = tile_table_for(level);
    o->count = routine_count(&s->in[0]);
    r->run = optimiser_run;
    r->part = optimiser_part;
    r->units = routine_parts(o->count, OPTIMISER_PIECE);
    return WEFT_OK;
}

static float optimiser_take(optimiser_choice *o, const step *s) {
    const float most = routine_real(s->attr[rule_clip(s->block)]);
    const int64_t given = s->attr[rule_given(s->block)];
    o->scale = given_operand(s->block, given, GIVEN_SCALE);
    o->due = given_operand(s->block, given, GIVEN_DUE);
    return most != 0 ? most : INFINITY;
}

weft_err optimiser_adam_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(optimiser_begin(r, s, level, c, memory));
    optimiser_choice *o = r->own;
    o->pass = optimiser_adam;
    o->adam = (tile_adam){.b1 = routine_real(s->attr[0]),
                          .b2 = routine_real(s->attr[1]),
                          .eps = routine_real(s->attr[2]),
                          .l2 = s->attr[ADAM_L2] ? routine_real(s->attr[3]) : 0};
    o->adam.clip = optimiser_take(o, s);
    return WEFT_OK;
}

weft_err optimiser_momentum_prepare(routine *r, const step *s, isa level, weft_ctx *c,
                                    arena *memory) {
    WEFT_TRY(optimiser_begin(r, s, level, c, memory));
    optimiser_choice *o = r->own;
    o->pass = optimiser_momentum;
    o->momentum = (tile_momentum){.momentum = routine_real(s->attr[0]),
                                  .decay = routine_real(s->attr[1]),
                                  .nesterov = s->attr[2] != 0};
    o->momentum.clip = optimiser_take(o, s);
    return WEFT_OK;
}

/* ---- squares ---- */

/* Unit u is a piece of one operand; many floats are summed in double. */
static void optimiser_squares(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                              void *scratch) {
    const optimiser_choice *o = r->own;
    const int64_t *attr = r->s->attr, pieces = attr[SQUARES_ATTR_PIECES];
    (void)scratch;
    for (int64_t u = unit0; u < unit1; u++) {
        const int operand = (int)(u / pieces);
        const int64_t count = routine_count(&r->s->in[operand]), each = squares_piece(attr, count);
        const int64_t end = min_i64((u % pieces + 1) * each, count);
        double sum = 0;
        for (int64_t i = u % pieces * each; i < end; i += OPTIMISER_PIECE)
            sum += (double)o->tile->squares((const float *)at[operand] + i,
                                            min_i64(OPTIMISER_PIECE, end - i));
        ((float *)at[r->s->nin])[u] = (float)sum;
    }
}

weft_err optimiser_squares_prepare(routine *r, const step *s, isa level, weft_ctx *c,
                                   arena *memory) {
    WEFT_TRY(optimiser_begin(r, s, level, c, memory));
    r->run = optimiser_squares;
    assert(s->attr[SQUARES_ATTR_PIECES] == s->in[s->nin].dim[1]);
    r->units = s->nin * s->attr[SQUARES_ATTR_PIECES];
    return WEFT_OK;
}
