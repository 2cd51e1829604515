/* interp.c - preparing row programs: phases, registers, and which values need no copying.
 *
 * A row that fits is kept whole ("resident"): its program is one straight list. Longer rows, and
 * folds across columns, run in phases, each a sweep that computes what its folds or stores need. */
#include "backend/cpu/interp_prep.h"
#include "core/context.h"
#include "core/limits.h"
#include <assert.h>

static int prep_table(int type) {
    return type == KT_F32 ? 0 : 1;
}

/* ---- slots ---- */

static uint16_t prep_slot(prep *q, int kind, uint32_t fill, uint16_t view) {
    const interp_slot slot = {.kind = (uint8_t)kind, .fill = fill, .view = view};
    assert(kind <= SLOT_OUT);
    if (q->nslot == LIMIT_REGISTERS) q->failed = "more than 65534 registers";
    else if (!MEM_PUSH(q->p->m, q->slot, q->nslot, q->slot_cap, slot)) q->starved = true;
    return q->nslot ? (uint16_t)(q->nslot - 1) : 0;
}

static uint16_t prep_tile(prep *q) {
    return q->nfree ? q->free_tile[--q->nfree] : prep_slot(q, SLOT_TILE, 0, 0);
}

static void prep_give(prep *q, uint16_t slot) {
    assert(slot < q->nslot);
    if (q->slot[slot].kind != SLOT_TILE) return;
    if (!MEM_PUSH(q->p->m, q->free_tile, q->nfree, q->free_cap, slot)) q->starved = true;
}

static void prep_emit(prep *q, iop o) {
    if (q->nop == LIMIT_REGISTERS) q->failed = "more than 65534 operations";
    else if (!MEM_PUSH(q->p->m, q->op, q->nop, q->op_cap, o)) q->starved = true;
}

/* ---- views ---- */

static bool prep_flat(const prep *q, const kview *v) {
    if (v->guard) return false;
    for (int d = 0; d < q->x->dims; d++)
        if (v->stride[d] && q->x->dim[d] != 1) return false;
    return true;
}

/* Does a tile of this view lie in memory as it would in a register? */
static bool prep_direct(const prep *q, const kview *v) {
    const interp *x = q->x;
    if (v->guard || weft_dtype_size((weft_dtype)v->dtype) != 4) return false;
    if (v->stride[x->xc] != 1 && x->dim[x->xc] != 1) return false;
    return x->rows == 1 || x->xr < 0 ||
           (v->stride[x->xr] == x->dim[x->xc] && x->cols == x->dim[x->xc]);
}

/* Is the tile of this view often the same as the one before, so that it deserves a place of its
 * own? */
static bool prep_keeps(const prep *q, const kview *v) {
    const interp *x = q->x;
    bool same_rows = x->xr >= 0 && v->stride[x->xr] == 0,
         same_columns = v->stride[x->xc] == 0 && x->cols < x->dim[x->xc];
    return q->kept < INTERP_KEPT && !v->guard && (same_rows || same_columns);
}

static uint16_t prep_keep(prep *q, iop *o) {
    o->kept = (uint8_t)++q->kept;
    return prep_slot(q, SLOT_KEPT, 0, o->view);
}

static bool prep_level_row(const prep *q, int id) {
    return q->level[id];
}

/* Is the value the same in all columns of a row? Operands come first, so one walk tells of all. */
static void prep_levels(prep *q) {
    for (int id = 0; id < q->nins; id++) {
        const kins *s = &q->ins[id];
        bool level = s->op != K_RANDOM;
        if (s->op == K_LOAD || s->op == K_INDEX || s->op == K_TAKE) {
            const kview *v = &q->k->view[s->view];
            int d = q->x->xc;
            level = !v->stride[d] && !(v->guard && (v->lo[d] > 0 || v->hi[d] < q->x->dim[d]));
        }
        for (int o = 0; o < prep_operands(s); o++) {
            assert(prep_operand(s, o) < id);
            level = level && q->level[prep_operand(s, o)];
        }
        if (s->level == KL_ROW) level = q->x->mode != INTERP_ACROSS;
        if (s->op == K_CONST) level = true;
        q->level[id] = level;
    }
}

static bool prep_overlap(const prep *q, uint32_t a, uint32_t b) {
    const buffer *x = &q->p->buf[a], *y = &q->p->buf[b];
    return x->at < y->at + y->bytes && y->at < x->at + x->bytes;
}

/* ---- code ---- */

/* The slot of operand `id` as seen by an instruction of `level`. */
static uint16_t prep_read(prep *q, int id, int level) {
    const kins *s = &q->ins[id];
    uint16_t own = q->slot_of[id];
    bool uniform = q->slot[own].kind == SLOT_CONST || q->slot[own].kind == SLOT_FLAT;
    if (uniform && level == KL_ELEMENT) q->slot[own].wide = true;
    if (uniform || level == KL_ROW || s->level == KL_ELEMENT) return own;
    if (q->spread_of[id] == PREP_NONE) {
        q->spread_of[id] = prep_tile(q);
        prep_emit(q, (iop){.kind = I_SPREAD, .d = q->spread_of[id], .a = own});
    }
    return q->spread_of[id];
}

/* Would a store overwrite the memory of load `id` before another store has read it from there? */
static bool prep_overwritten(const prep *q, int id) {
    int written = -1;
    for (int i = id + 1; i < q->nins; i++) {
        if (q->ins[i].op != K_STORE) continue;
        if (written >= 0 && q->ins[i].a == id) return true;
        if (written < 0 &&
            prep_overlap(q, q->k->view[q->ins[i].view].buf, q->k->view[q->ins[id].view].buf))
            written = i;
    }
    return false;
}

/* Bytes of all buffers the kernel touches. */
static size_t prep_traffic(const weft_plan *p, const kernel *k) {
    size_t bytes = 0;
    for (int i = 0; i < k->nview; i++) {
        bool known = k->view[i].buf == KNOBUF;
        for (int j = i < 64 ? 0 : i - 64; j < i; j++) known |= k->view[j].buf == k->view[i].buf;
        if (!known) bytes += p->buf[k->view[i].buf].bytes;
    }
    return bytes;
}

/* Is a result so large that no cache will hold it until it is read? Then it goes past them: what it
 * would push out stays, and lines are not read only to be overwritten. Nobody may read its memory in
 * this kernel. */
static bool prep_far(const prep *q, const kview *v) {
    if (!q->large || q->p->buf[v->buf].bytes < INTERP_RESULT) return false;
    for (int i = 0; i < q->nins; i++)
        if ((q->ins[i].op == K_LOAD || q->ins[i].op == K_TAKE) &&
            prep_overlap(q, q->k->view[q->ins[i].view].buf, v->buf))
            return false;
    return prep_direct(q, v) && !prep_flat(q, v);
}

/* May the value of `id` be computed straight into the memory its only store names? */
static int prep_target(const prep *q, int id, bool straight) {
    int store = -1;
    for (int i = id + 1; i < q->nins; i++)
        if (q->ins[i].op == K_STORE && q->ins[i].a == id) {
            if (store >= 0) return -1;
            store = i;
        }
    if (store < 0 || !straight || q->ins[store].level != KL_ELEMENT ||
        q->ins[id].level != KL_ELEMENT)
        return -1;
    const kview *v = &q->k->view[q->ins[store].view];
    if (!prep_direct(q, v) || prep_flat(q, v) || prep_far(q, v)) return -1;
    for (int l = 0; l < q->nins; l++) { /* writing early must not change what is read later */
        const kins *s = &q->ins[l];
        if ((s->op != K_LOAD && s->op != K_TAKE) ||
            !prep_overlap(q, q->k->view[s->view].buf, v->buf))
            continue;
        if (q->k->view[s->view].buf != v->buf || s->op == K_TAKE) return -1;
        for (int r = id + 1; r < q->nins; r++)
            for (int o = 0; o < prep_operands(&q->ins[r]); o++)
                if (prep_operand(&q->ins[r], o) == l) return -1;
        if (l > id) return -1;
    }
    for (int r = id + 1; r < q->nins; r++) /* another store there first? */
        if (q->ins[r].op == K_STORE && r != store &&
            prep_overlap(q, q->k->view[q->ins[r].view].buf, v->buf))
            return -1;
    return store;
}

/* The map of tile.h that takes a value per row as its operand on that side, or -1. */
static int prep_row_map(const kins *s, int side) {
    if (s->level != KL_ELEMENT || s->type != KT_F32 || s->a == s->b) return -1;
    if (s->op == OP_add) return TILE_ROW_ADD;
    if (s->op == OP_mul) return TILE_ROW_MUL;
    return side == 0               ? -1
           : s->op == OP_sub       ? TILE_ROW_SUB
           : s->op == TILE_SUB_EXP ? TILE_ROW_SUB_EXP
                                   : -1;
}

/* Is the load the same in all columns of a row, and nothing but a row operand of maps, or of `pair`? */
static bool prep_for_rows(const prep *q, int id, int pair) {
    if (q->ins[id].op != K_LOAD || q->ins[id].level != KL_ELEMENT ||
        q->k->view[q->ins[id].view].guard || !prep_level_row(q, id))
        return false;
    for (int r = id + 1; r < q->nins; r++)
        for (int o = 0; o < prep_operands(&q->ins[r]); o++) {
            const kins *s = &q->ins[r];
            if (prep_operand(s, o) != id || (r == pair && o > 0)) continue;
            if (o > 1 || prep_row_map(s, o) < 0 || prep_level_row(q, o ? s->a : s->b)) return false;
        }
    return q->slot_of[id] == PREP_NONE || q->slot[q->slot_of[id]].kind != SLOT_FLAT;
}

/* (a - b) * c of elements a and two values per row */
static bool prep_row_pair(const prep *q, int id) {
    const kins *s = &q->ins[id];
    return s->op == TILE_SUB_MUL && s->level == KL_ELEMENT && q->x->mode != INTERP_STREAM &&
           q->ins[s->a].level == KL_ELEMENT && s->a != s->b && s->a != s->c && s->b != s->c &&
           !prep_level_row(q, s->a) && prep_for_rows(q, s->b, id) && prep_for_rows(q, s->c, id);
}

/* Is the load read only as a value per row: the index of whole rows, or an operand of such maps? */
static bool prep_thin(const prep *q, int id) {
    if (q->ins[id].op != K_LOAD || q->ins[id].level != KL_ELEMENT ||
        q->k->view[q->ins[id].view].guard || !prep_level_row(q, id))
        return false;
    for (int r = id + 1; r < q->nins; r++)
        for (int o = 0; o < prep_operands(&q->ins[r]); o++) {
            const kins *s = &q->ins[r];
            if (prep_operand(s, o) != id || s->op == K_TAKE || s->op == TILE_TAKE_SUM) continue;
            if (o > 0 && prep_row_pair(q, r)) continue;
            bool mapped = o < 2 && q->x->mode != INTERP_STREAM && prep_row_map(s, o) >= 0;
            int other = o ? s->a : s->b;
            if (!mapped || q->ins[other].level != KL_ELEMENT || prep_level_row(q, other))
                return false;
        }
    return q->slot_of[id] == PREP_NONE || q->slot[q->slot_of[id]].kind != SLOT_FLAT;
}

static void prep_load(prep *q, int id, bool straight) {
    const kins *s = &q->ins[id];
    const kview *v = &q->k->view[s->view];
    int target;
    iop o = {
        .kind = I_LOAD, .level = s->level, .dtype = v->dtype, .type = s->type, .view = s->view};
    if (prep_thin(q, id)) {
        q->slot_of[id] = prep_slot(
            q, SLOT_KEPT, 0, s->view); /* rows taken must not land on indices still to be read */
        o.thin = true;
    } else if (s->level == KL_ELEMENT && prep_direct(q, v) && !prep_overwritten(q, id)) {
        q->slot_of[id] = prep_slot(q, SLOT_DIRECT, 0, s->view);
        o.direct = true;
    } else if (s->level == KL_ELEMENT && prep_keeps(q, v)) q->slot_of[id] = prep_keep(q, &o);
    else if ((target = prep_target(q, id, straight)) >= 0)
        q->slot_of[id] = prep_slot(q, SLOT_OUT, 0, q->ins[target].view);
    else q->slot_of[id] = s->level == KL_ROW ? prep_slot(q, SLOT_ROW, 0, 0) : prep_tile(q);
    o.d = q->slot_of[id];
    prep_emit(q, o);
}

/* Can the map take one operand as a value per row, without spreading it? Then which, else -1. */
static int prep_by_row(const prep *q, const kins *s, uint16_t *tile, uint16_t *row) {
    for (int side = 0; side < 2; side++) {
        int which = prep_row_map(s, side);
        *tile = side ? s->a : s->b, *row = side ? s->b : s->a;
        if (which < 0 || q->ins[*tile].level != KL_ELEMENT) continue;
        bool folded = q->x->mode != INTERP_ACROSS && q->ins[*row].level == KL_ROW &&
                      q->slot[q->slot_of[*row]].kind == SLOT_ROW;
        if (folded || prep_thin(q, *row)) return which;
    }
    return -1;
}

static void prep_instruction(prep *q, int id, bool straight) {
    kins *s = &q->ins[id];
    interp *x = q->x;
    int level = s->level;
    iop o = {.level = (uint8_t)level,
             .type = s->type,
             .view = s->view,
             .bits = s->bits,
             .arg2 = s->arg2};
    if (s->op == K_LOAD) {
        prep_load(q, id, straight);
        return;
    }
    if (s->op == K_STORE) {
        if (q->slot[q->slot_of[s->a]].kind == SLOT_OUT && q->slot[q->slot_of[s->a]].view == s->view)
            return;
        o.kind = I_STORE;
        o.far = level == KL_ELEMENT && prep_far(q, &q->k->view[s->view]);
        q->x->streams |= o.far;
        o.dtype = q->k->view[s->view].dtype;
        o.a = prep_read(q, s->a, level);
        prep_emit(q, o);
        return;
    }
    if (s->op == TILE_DOT) {
        o.kind = I_DOT;
        o.a = prep_read(q, s->a, KL_ELEMENT);
        o.b = prep_read(q, s->b, KL_ELEMENT);
        o.c = q->best_of[id];
        o.d = q->slot_of[id];
        prep_emit(q, o);
        return;
    }
    if (s->op == TILE_TAKE_SUM) {
        o.kind = I_TAKE_SUM;
        o.a = prep_read(q, s->a, KL_ELEMENT);
        o.d = q->slot_of[id];
        prep_emit(q, o);
        return;
    }
    if (prep_is_fold(s->op)) {
        o.kind = I_FOLD;
        o.fold = (uint8_t)(s->op - K_SUM);
        o.type = q->ins[s->a].type;
        o.a = prep_read(q, s->a, KL_ELEMENT);
        o.d = q->slot_of[id];
        *(s->op == K_ARGMAX ? &o.b : &o.c) = q->best_of[id];
        prep_emit(q, o);
        return;
    }
    int operands = prep_operands(s);
    uint16_t tile, row;
    int by_row = prep_by_row(q, s, &tile, &row);
    const bool pair = prep_row_pair(q, id);
    if (pair) {
        o.kind = I_BY_TWO;
        o.a = prep_read(q, s->a, level);
        o.b = q->slot_of[s->b], o.c = q->slot_of[s->c];
    } else if (by_row >= 0) {
        o.kind = I_BY_ROW;
        o.a = prep_read(q, tile, level);
        o.b = q->slot_of[row];
        o.rows_fn = x->t->by_row[by_row];
    } else {
        if (operands > 0) o.a = prep_read(q, s->a, level);
        if (operands > 1) o.b = prep_read(q, s->b, level);
        if (operands > 2) o.c = prep_read(q, s->c, level);
    }
    if (by_row < 0 && !pair) switch (s->op) {
        case K_INDEX: o.kind = I_INDEX; break;
        case K_RANDOM: o.kind = I_RANDOM; break;
        case K_TAKE:
            o.kind = I_TAKE;
            o.dtype = q->k->view[s->view].dtype;
            o.whole = prep_level_row(q, s->a);
            o.thin = prep_thin(q, s->a);
            break;
        case OP_cast:
            o.kind = I_MAP;
            o.fn = x->t->cast[prep_table(q->ins[s->a].type)][s->bits];
            break;
        case OP_where:
            o.kind = I_MAP;
            o.fn = x->t->map[OP_where][prep_table(s->type)];
            break;
        default:
            o.kind = I_MAP;
            o.fn = x->t->map[s->op][prep_table(operands ? q->ins[s->a].type : s->type)];
            break;
        }
    if (o.kind == I_MAP && !o.fn) q->failed = "an operation on a type it has no loop for";
    /* the result may take an operand's place if this is the operand's last use */
    if (straight && level == KL_ELEMENT)
        for (int k = 0; k < operands; k++) {
            int from = prep_operand(s, k);
            if (q->last[from] != id) continue;
            bool again = false;
            for (int e = 0; e < k; e++) again |= prep_operand(s, e) == from;
            if (!again && q->ins[from].level == KL_ELEMENT) prep_give(q, q->slot_of[from]);
            if (!again && q->spread_of[from] != PREP_NONE) prep_give(q, q->spread_of[from]);
        }
    int target = o.kind == I_MAP || o.kind == I_BY_ROW || o.kind == I_BY_TWO || o.kind == I_TAKE
                     ? prep_target(q, id, straight)
                     : -1;
    bool keeps = o.kind == I_INDEX && level == KL_ELEMENT && prep_keeps(q, &q->k->view[s->view]);
    o.d = target >= 0       ? prep_slot(q, SLOT_OUT, 0, q->ins[target].view)
          : keeps           ? prep_keep(q, &o)
          : level == KL_ROW ? prep_slot(q, SLOT_ROW, 0, 0)
                            : prep_tile(q);
    q->slot_of[id] = o.d;
    prep_emit(q, o);
}

/* Numbers that are the same everywhere get a tile of their own, filled once a run; folds get
 * accumulators. An empty tensor has no memory of its own to fill from: what lies at its address is
 * another's, so nothing is read and any number serves. */
static void prep_constants(prep *q) {
    for (int i = 0; i < q->nins; i++) {
        const kins *s = &q->ins[i];
        q->slot_of[i] = q->spread_of[i] = q->best_of[i] = PREP_NONE;
        if (s->op == K_CONST) q->slot_of[i] = prep_slot(q, SLOT_CONST, s->bits, 0);
        else if (s->op == K_LOAD && prep_flat(q, &q->k->view[s->view]))
            q->slot_of[i] = q->p->buf[q->k->view[s->view].buf].bytes
                                ? prep_slot(q, SLOT_FLAT, 0, s->view)
                                : prep_slot(q, SLOT_CONST, 0, 0);
        else if (prep_is_fold(s->op)) {
            q->slot_of[i] = prep_slot(q, SLOT_ROW, 0, 0);
            bool long_sum =
                (s->op == K_SUM || s->op == TILE_DOT) && s->type == KT_F32 && q->x->long_sums;
            if (s->op == K_ARGMAX || long_sum) q->best_of[i] = prep_slot(q, SLOT_ROW, 0, 0);
        }
    }
}

static void prep_straight(prep *q) {
    for (int i = 0; i < q->nins; i++) q->last[i] = -1;
    for (int i = 0; i < q->nins; i++)
        for (int o = 0; o < prep_operands(&q->ins[i]); o++)
            q->last[prep_operand(&q->ins[i], o)] = i;
    for (int i = 0; i < q->nins; i++) {
        int kind = q->slot_of[i] == PREP_NONE ? -1 : q->slot[q->slot_of[i]].kind;
        if (kind == SLOT_CONST || kind == SLOT_FLAT) continue;
        prep_instruction(q, i, true);
    }
    q->x->phase[0] = (interp_phase){0, 0, (uint16_t)q->nop};
    q->x->nphase = 1;
}

static void prep_phases(prep *q) {
    for (int p = 0; p < q->phases; p++) {
        int32_t *need = q->room[0];
        bool first = true;
        interp_phase *ph = &q->x->phase[p];
        ph->head = (uint16_t)q->nop;
        for (int i = 0; i < q->nins; i++) { /* row values that become available now */
            int kind = q->slot_of[i] == PREP_NONE ? -1 : q->slot[q->slot_of[i]].kind;
            if (q->ins[i].level == KL_ROW && !prep_is_fold(q->ins[i].op) && q->avail[i] == p &&
                kind != SLOT_CONST && kind != SLOT_FLAT)
                prep_instruction(q, i, false);
        }
        ph->body = (uint16_t)q->nop;
        for (int i = 0; i < q->nins; i++)
            need[i] =
                (prep_is_fold(q->ins[i].op) && q->avail[i] == p + 1) ||
                (q->ins[i].op == K_STORE && q->ins[i].level == KL_ELEMENT && q->avail[i] == p);
        for (int i = q->nins - 1; i >= 0; i--)
            for (int o = 0; need[i] && o < prep_operands(&q->ins[i]); o++) {
                int from = prep_operand(&q->ins[i], o);
                if (q->ins[from].level == KL_ELEMENT) need[from] = true;
            }
        for (int i = 0; i < q->nins; i++) {
            q->spread_of[i] = PREP_NONE; /* tiles do not outlive a sweep */
            int kind = q->slot_of[i] == PREP_NONE ? -1 : q->slot[q->slot_of[i]].kind;
            if (need[i] && kind != SLOT_CONST && kind != SLOT_FLAT) {
                if (first) q->nfree = 0, first = false;
                prep_instruction(q, i, false);
            }
        }
        ph->end = (uint16_t)q->nop;
    }
    q->x->nphase = q->phases;
}

/* ---- all of it ---- */

/* The lists by instruction, in one piece. */
static bool prep_lists(prep *q, void **all) {
    const size_t n = (size_t)q->nins + 1;
    char *at = *all = mem_new(q->p->m, n * (sizeof *q->ins + 4 * sizeof(int32_t) +
                                            3 * sizeof(uint16_t) + sizeof *q->level));
    if (!at) return false;
    q->ins = (kins *)(void *)at, at += n * sizeof *q->ins;
    q->avail = (int32_t *)(void *)at, at += n * sizeof *q->avail;
    q->last = (int32_t *)(void *)at, at += n * sizeof *q->last;
    for (int i = 0; i < 2; i++, at += n * sizeof(int32_t)) q->room[i] = (int32_t *)(void *)at;
    q->slot_of = (uint16_t *)(void *)at, at += n * sizeof *q->slot_of;
    q->spread_of = (uint16_t *)(void *)at, at += n * sizeof *q->spread_of;
    q->best_of = (uint16_t *)(void *)at, at += n * sizeof *q->best_of;
    q->level = (uint8_t *)at;
    memcpy(q->ins, q->k->ins, (size_t)q->nins * sizeof *q->ins);
    /* so that there is a slot 0 even where memory for more is missing */
    return mem_room(q->p->m, &q->slot, 0, &q->slot_cap, sizeof *q->slot);
}

interp *interp_prepare(const weft_plan *p, const kernel *k, isa level, bool epilogue) {
    arena *memory = (arena *)(uintptr_t)&p->memory;
    interp *x = arena_new(memory, sizeof *x);
    prep q = {.p = p, .k = k, .x = x, .nins = k->nins};
    void *lists = NULL;
    bool good = x && prep_lists(&q, &lists);
    if (good) {
        x->t = tile_table_for(level);
        x->phase = arena_new(memory, ((size_t)k->nins + 2) * sizeof *x->phase);
        good = x->phase != NULL;
    }
    if (good) {
        q.large = !epilogue && prep_traffic(p, k) >= INTERP_CACHE;
        prep_super(&q);
        prep_prune(&q);
        prep_shape(&q, epilogue);
        prep_levels(&q);
        prep_constants(&q);
        if (x->mode == INTERP_MAP || x->mode == INTERP_ROWS) prep_straight(&q);
        else prep_phases(&q);
        if (!epilogue) prep_widen(&q);
        good = !q.failed && !q.starved && prep_finish(&q, memory);
        if (good && !epilogue && (x->mode == INTERP_STREAM || x->mode == INTERP_ACROSS))
            good = sweep_prepare(p, k, x, memory);
    }
    if (!good && q.failed && !q.starved)
        weft_fail(p->ctx, WEFT_UNSUPPORTED, "compile: a kernel of %u instructions has %s", k->nins,
                  q.failed);
    else if (!good) weft_fail(p->ctx, WEFT_MEMORY, "compile: out of memory");
    mem_free(p->m, lists);
    mem_free(p->m, q.op);
    mem_free(p->m, q.slot);
    mem_free(p->m, q.free_tile);
    return good ? x : NULL;
}

int64_t interp_units(const interp *x) {
    return x->units;
}
int64_t interp_rows(const interp *x) {
    return x->mode == INTERP_MAP || x->mode == INTERP_ROWS ? x->units : 0;
}
size_t interp_scratch(const interp *x) {
    return x->scratch;
}
