/* interp_sweep.c - row programs in phases: sweeps over all that is folded, and sweeps cut in pieces.
 *
 * A long fold is cut into pieces, by its shape alone. Each piece is a unit for threads and ends in
 * accumulators of its own; a fixed tree then adds them up. So threads change no bit, and no sum runs
 * through more than some hundred additions in a row. A kernel that is cut runs in stages, between
 * which all threads wait: for each phase a head, one unit per row, that combines the folds of the
 * phase before and computes row values; then a sweep, one unit per piece. Row values lie in memory
 * that threads share. */
#include "backend/cpu/interp_walk.h"

enum {
    SWEEP_LANES = 32768, /* elements of a piece: worth a unit, and not too many for one sum */
    SWEEP_ROWS = 64,     /* least rows of a piece of a fold across: it ends in a row of sums */
    SWEEP_FAN = 16       /* accumulators that are combined one after the other */
};

/* ---- the tiles of a sweep, in order ---- */

/* Dimensions [outer, lines) are walked line by line, the last of them in tile rows. */
static int sweep_lines(const interp *x) {
    return x->outer + x->reduce - (x->mode == INTERP_STREAM);
}

static int64_t sweep_blocks(const interp *x, int d) { /* steps of the walk along dimension d */
    return d == x->xr ? (x->dim[d] + x->rows - 1) / x->rows : x->dim[d];
}

static int64_t sweep_columns(const interp *x) { /* tiles beside each other */
    return x->mode == INTERP_STREAM ? (x->dim[x->xc] + x->cols - 1) / x->cols : 1;
}

static int64_t sweep_tiles(const interp *x) {
    int64_t n = sweep_columns(x);
    for (int d = x->outer; d < sweep_lines(x); d++) n *= sweep_blocks(x, d);
    return n;
}

/* Tiles [tile0, tile1) of the sweep, columns [col0, col1) of each line. */
static void sweep_run(walk *w, int from, int to, int64_t col0, int64_t col1, int64_t tile0,
                      int64_t tile1) {
    const interp *x = w->x;
    const int first = x->outer, lines = sweep_lines(x);
    const bool stream = x->mode == INTERP_STREAM;
    if (from == to || tile0 >= tile1) return;
    const int64_t columns = sweep_columns(x);
    int64_t at = tile0 / columns, position = 0, line = 1;
    for (int d = lines - 1; d >= first; d--) {
        const int64_t blocks = sweep_blocks(x, d);
        w->index[d] = at % blocks * (d == x->xr ? x->rows : 1);
        position += w->index[d] * line;
        line *= x->dim[d];
        at /= blocks;
    }
    int64_t column = tile0 % columns;
    w->position = stream ? position * x->dim[x->xc] + column * x->cols : position;
    for (int64_t t = tile0; t < tile1;) {
        const int rows = x->xr < first ? 1 : (int)min_i64(x->dim[x->xr] - w->index[x->xr], x->rows);
        w->rows = rows;
        for (; column < columns && t < tile1; column++, t++) {
            w->index[x->xc] = col0 + column * x->cols;
            w->cols = (int)min_i64(col1 - w->index[x->xc], x->cols);
            walk_tile(w, from, to);
            w->position += stream ? w->rows * w->cols : rows;
        }
        column = 0;
        for (int d = lines - 1; d >= first; d--) {
            w->index[d] += d == x->xr ? rows : 1;
            if (w->index[d] < x->dim[d]) break;
            w->index[d] = 0;
        }
    }
}

/* The place of a unit: its row, and for folds across its columns. */
static void sweep_seek(walk *w, int64_t unit, int64_t *col0, int64_t *col1) {
    const interp *x = w->x;
    int64_t row = x->chunks == 1 ? unit : unit / x->chunks; /* dividing takes its time */
    if (x->outer == 1) w->index[0] = row;
    else
        for (int d = x->outer - 1; d >= 0; d--) {
            w->index[d] = row % x->dim[d];
            row /= x->dim[d];
        }
    const bool across = x->mode == INTERP_ACROSS;
    *col0 = across ? unit % x->chunks * x->cols : 0;
    *col1 = across ? min_i64(x->dim[x->xc], *col0 + x->cols) : x->dim[x->xc];
    w->row_lanes = across ? (int)(*col1 - *col0) : 1;
}

static void sweep_head(walk *w, const interp_phase *ph, int64_t col0) {
    const interp *x = w->x;
    for (int d = x->outer; d < x->dims; d++) w->index[d] = 0;
    w->index[x->xc] = col0;
    w->rows = 1, w->cols = w->row_lanes;
    if (ph->head < ph->body) walk_tile(w, ph->head, ph->body);
}

static bool sweep_folds(const iop *o) {
    return o->kind == I_FOLD || o->kind == I_DOT || o->kind == I_TAKE_SUM;
}

/* One phase over tiles [tile0, tile1), into fresh accumulators. */
static void sweep_phase(walk *w, const interp_phase *ph, int64_t col0, int64_t col1, int64_t tile0,
                        int64_t tile1) {
    const interp *x = w->x;
    for (int i = ph->body; i < ph->end; i++)
        if (sweep_folds(&x->op[i])) walk_fold_start(w, &x->op[i]);
    sweep_run(w, ph->body, ph->end, col0, col1, tile0, tile1);
    for (int i = ph->body; i < ph->end; i++)
        if (walk_long_sum(w, &x->op[i]))
            x->t->map[OP_add][0](w->ptr[x->op[i].d], w->ptr[x->op[i].c], w->ptr[x->op[i].d], NULL,
                                 w->row_lanes);
}

void walk_phases(walk *w, int64_t unit) {
    const interp *x = w->x;
    int64_t col0, col1;
    sweep_seek(w, unit, &col0, &col1);
    for (int p = 0; p < x->nphase; p++) {
        sweep_head(w, &x->phase[p], col0);
        sweep_phase(w, &x->phase[p], col0, col1, 0, sweep_tiles(x));
    }
}

/* ---- in pieces ---- */

static int sweep_parts(const iop *o) { /* accumulators of a fold */
    return o->kind == I_FOLD && o->fold == K_ARGMAX - K_SUM ? 2 : 1;
}

/* Does a kernel read a number, once for all, from where it writes? Then a second look at it might
 * find the new value. */
static bool sweep_rereads(const weft_plan *p, const kernel *k) {
    for (int i = 0; i < k->nins; i++)
        for (int j = 0; j < k->nins && k->ins[i].op == K_STORE && k->ins[i].level == KL_ROW; j++) {
            if (k->ins[j].op != K_LOAD) continue;
            const buffer *a = &p->buf[k->view[k->ins[i].view].buf];
            const buffer *b = &p->buf[k->view[k->ins[j].view].buf];
            if (a->at < b->at + b->bytes && b->at < a->at + a->bytes) return true;
        }
    return false;
}

bool sweep_prepare(const weft_plan *p, const kernel *k, interp *x, arena *memory) {
    assert(x->mode == INTERP_STREAM || x->mode == INTERP_ACROSS);
    assert(x->rows >= 1 && x->cols >= 1);
    const int64_t tiles = sweep_tiles(x);
    const bool stream = x->mode == INTERP_STREAM;
    const int64_t each = (int64_t)x->rows * x->cols;
    const int64_t least =
        max_i64(max_i64(SWEEP_LANES / each, 1), stream ? 1 : SWEEP_ROWS / x->rows);
    x->pieces = 1;
    if (tiles < 2 * least || x->units == 0) return true;
    for (int i = 0; i < x->niop; i++)
        if (x->op[i].kind == I_TAKE_SUM) return true; /* all rows are one tile */
    if (sweep_rereads(p, k)) return true;

    x->pieces = tiles / least;
    x->pitch = stream ? 1 : x->row_lanes;
    for (int i = 0; i < x->nphase; i++) {
        int folds = 0;
        for (int o = x->phase[i].body; o < x->phase[i].end; o++)
            if (sweep_folds(&x->op[o])) folds += sweep_parts(&x->op[o]);
        x->folds = folds > x->folds ? folds : x->folds;
    }
    x->stage = arena_new(memory, 2 * (size_t)x->nphase * sizeof *x->stage);
    if (!x->stage) return false;
    for (int i = 0; i < x->nphase; i++) {
        const interp_phase *ph = &x->phase[i];
        const bool combines = i && x->phase[i - 1].body < x->phase[i - 1].end;
        if (combines || ph->head < ph->body) x->stage[x->stages++] = (uint16_t)(2 * i);
        if (ph->body < ph->end) x->stage[x->stages++] = (uint16_t)(2 * i + 1);
    }
    for (int i = 0; i < x->nslot; i++) x->row_slots += x->slot[i].kind == SLOT_ROW;
    const size_t rows = (size_t)x->row_slots * x->row_lanes;
    const size_t parts = (size_t)x->folds * (size_t)x->pieces * x->pitch;
    x->shared = arena_new(memory, (size_t)x->units * (rows + parts) * sizeof *x->shared + 64);
    return x->shared != NULL;
}

/* Accumulator `fold` of a unit in all pieces. */
static float *sweep_part(const interp *x, int64_t unit, int fold) {
    float *all = x->shared + (size_t)x->units * (size_t)x->row_slots * x->row_lanes;
    return all + ((size_t)unit * (size_t)x->folds + (size_t)fold) * (size_t)x->pieces * x->pitch;
}

/* Row values of the unit: those in shared memory, but `own` of a phase, its accumulators, in
 * scratch. */
static void sweep_rows_of(walk *w, int64_t unit, const interp_phase *own) {
    const interp *x = w->x;
    float *at = x->shared + (size_t)unit * (size_t)x->row_slots * x->row_lanes;
    for (int i = 0; i < x->nslot; i++)
        if (x->slot[i].kind == SLOT_ROW) w->ptr[i] = at, at += x->row_lanes;
    for (int i = own ? own->body : 0; own && i < own->end; i++) {
        const iop *o = &x->op[i];
        if (!sweep_folds(o)) continue;
        w->ptr[o->d] = w->scratch + x->slot[o->d].offset;
        if (sweep_parts(o) == 2) w->ptr[o->b] = w->scratch + x->slot[o->b].offset;
        if (walk_long_sum(w, o)) w->ptr[o->c] = w->scratch + x->slot[o->c].offset;
    }
}

static void sweep_piece(walk *w, const interp_phase *ph, int64_t unit, int64_t piece) {
    const interp *x = w->x;
    const int64_t tiles = sweep_tiles(x);
    int64_t col0, col1;
    int fold = 0;
    sweep_seek(w, unit, &col0, &col1);
    sweep_rows_of(w, unit, ph);
    sweep_phase(w, ph, col0, col1, tiles * piece / x->pieces, tiles * (piece + 1) / x->pieces);
    for (int i = ph->body; i < ph->end; i++) {
        const iop *o = &x->op[i];
        const size_t bytes = (size_t)w->row_lanes * sizeof(float), at = (size_t)piece * x->pitch;
        if (!sweep_folds(o)) continue;
        memcpy(sweep_part(x, unit, fold++) + at, w->ptr[o->d], bytes);
        if (sweep_parts(o) == 2) memcpy(sweep_part(x, unit, fold++) + at, w->ptr[o->b], bytes);
    }
}

/* Later pieces win only if they have more, as later elements do. */
static void sweep_argmax(const walk *w, const iop *o, const float *at, const float *best) {
    const interp *x = w->x;
    int32_t *place = w->ptr[o->d];
    for (int j = 0; j < w->row_lanes; j++) {
        int64_t top = 0;
        for (int64_t p = 1; p < x->pieces; p++) {
            const size_t a = (size_t)p * x->pitch + (size_t)j,
                         b = (size_t)top * x->pitch + (size_t)j;
            bool more = best[a] > best[b] || (best[a] != best[a] && best[b] == best[b]);
            if (o->type != KT_F32) more = (int32_t)bits_of(best[a]) > (int32_t)bits_of(best[b]);
            if (more) top = p;
        }
        memcpy(&place[j], &at[(size_t)top * x->pitch + (size_t)j], sizeof *place);
    }
}

/* The folds of a phase from those of its pieces, SWEEP_FAN neighbours at a time. */
static void sweep_combine(walk *w, const interp_phase *ph, int64_t unit) {
    const interp *x = w->x;
    int fold = 0;
    for (int i = ph->body; i < ph->end; i++) {
        const iop *o = &x->op[i];
        if (!sweep_folds(o)) continue;
        float *part = sweep_part(x, unit, fold);
        fold += sweep_parts(o);
        if (sweep_parts(o) == 2) {
            sweep_argmax(w, o, part, sweep_part(x, unit, fold - 1));
            continue;
        }
        const int which = o->kind == I_FOLD ? o->fold : 0, type = o->type == KT_F32 ? 0 : 1;
        const int pitch = (int)x->pitch;
        int64_t n = x->pieces;
        for (int64_t group = 0; n > SWEEP_FAN; n = group, group = 0)
            for (int64_t p = 0; p < n; p += SWEEP_FAN, group++) {
                float *to = part + (size_t)group * x->pitch;
                const float *from = part + (size_t)p * x->pitch;
                const int more = (int)min_i64(n - p, SWEEP_FAN) - 1;
                if (to != from) memcpy(to, from, x->pitch * sizeof *to);
                x->t->across[which][type](to, from + x->pitch, more, pitch);
            }
        memcpy(w->ptr[o->d], part, (size_t)w->row_lanes * sizeof *part);
        for (int64_t p = 1; p < n; p++)
            x->t->across[which][type](w->ptr[o->d], part + (size_t)p * x->pitch, 1, w->row_lanes);
    }
}

int interp_stages(const interp *x) {
    return x->pieces > 1 ? x->stages : 1;
}

int64_t interp_stage_units(const interp *x, int stage) {
    return x->pieces > 1 && x->stage[stage] % 2 ? x->units * x->pieces : x->units;
}

void interp_stage(const interp *x, int stage, int64_t unit0, int64_t unit1, void *scratch) {
    assert(stage >= 0 && stage < interp_stages(x));
    assert(unit1 <= interp_stage_units(x, stage));
    if (x->pieces <= 1) {
        interp_run(x, unit0, unit1, scratch);
        return;
    }
    walk w;
    const int p = x->stage[stage] / 2;
    walk_begin(&w, x, scratch, x->lanes, stage == 0);
    for (int64_t u = unit0; u < unit1; u++)
        if (x->stage[stage] % 2) sweep_piece(&w, &x->phase[p], u / x->pieces, u % x->pieces);
        else {
            int64_t col0, col1;
            sweep_seek(&w, u, &col0, &col1);
            sweep_rows_of(&w, u, NULL);
            if (p) sweep_combine(&w, &x->phase[p - 1], u);
            sweep_head(&w, &x->phase[p], col0);
        }
    if (x->streams) x->t->fence();
}
