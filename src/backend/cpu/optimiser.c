/* optimiser.c - adam and momentum: one pass over a parameter and its companions.
 *
 * adam: p, m, v, g, lr, rate, root -> p, m, v. momentum: p, m, g, lr -> p, m. The arithmetic is
 * tile_table's. Results usually are the memory of p, m and v; where one is not, its input is copied
 * there piece by piece, just before the pass over that piece. */
#include "routines.h"
#include "tile.h"

enum { OPTIMISER_PIECE = 4096 };

typedef struct optimiser_choice {
    const tile_table *tile;
    int64_t count;
    float real[4]; /* floating attributes, in their order */
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

static void optimiser_adam(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                           void *scratch) {
    const optimiser_choice *o = r->own;
    (void)scratch;
    const float lr = optimiser_number(at[4]), rate = optimiser_number(at[5]);
    const float root = optimiser_number(at[6]);
    for (int64_t u = unit0; u < unit1; u++) {
        const int64_t i = u * OPTIMISER_PIECE, n = min_i64(OPTIMISER_PIECE, o->count - i);
        float *p = optimiser_piece(at, r->s, 0, i, n), *m = optimiser_piece(at, r->s, 1, i, n);
        float *v = optimiser_piece(at, r->s, 2, i, n);
        o->tile->adam(p, m, v, (const float *)at[3] + i, n, o->real[0], o->real[1], o->real[2],
                      lr * o->real[3], rate, root);
    }
}

static void optimiser_momentum(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                               void *scratch) {
    const optimiser_choice *o = r->own;
    (void)scratch;
    const float lr = optimiser_number(at[3]);
    for (int64_t u = unit0; u < unit1; u++) {
        const int64_t i = u * OPTIMISER_PIECE, n = min_i64(OPTIMISER_PIECE, o->count - i);
        float *p = optimiser_piece(at, r->s, 0, i, n), *m = optimiser_piece(at, r->s, 1, i, n);
        o->tile->momentum(p, m, (const float *)at[2] + i, n, lr, o->real[0], o->real[1],
                          r->s->attr[2] != 0);
    }
}

static weft_err optimiser_begin(routine *r, const step *s, int reals, isa level, weft_ctx *c,
                                arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(optimiser_choice), c, memory));
    optimiser_choice *o = r->own;
    o->tile = tile_table_for(level);
    o->count = routine_count(&s->in[0]);
    for (int i = 0; i < reals; i++) o->real[i] = routine_real(s->attr[i]);
    r->units = routine_parts(o->count, OPTIMISER_PIECE);
    return WEFT_OK;
}

weft_err optimiser_adam_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    r->run = optimiser_adam;
    return optimiser_begin(r, s, 4, level, c, memory);
}

weft_err optimiser_momentum_prepare(routine *r, const step *s, isa level, weft_ctx *c,
                                    arena *memory) {
    r->run = optimiser_momentum;
    return optimiser_begin(r, s, 2, level, c, memory);
}
