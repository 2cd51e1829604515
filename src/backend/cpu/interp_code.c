/* interp_code.c - one instruction of a row program as an operation on tiles: which loop does it, where
 * its operands are read and where its result goes. */
#include "backend/cpu/interp_prep.h"
#include "core/limits.h"
#include <assert.h>

static int prep_table(int type) {
    return type == KT_F32 ? 0 : 1;
}

/* ---- slots ---- */

uint16_t prep_slot(prep *q, int kind, uint32_t fill, uint16_t view) {
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

bool prep_flat(const prep *q, const kview *v) {
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

/* Is a result so large that no cache will hold it until it is read? Then it goes past them: what it
 * would push out stays, and lines are not read only to be overwritten. No step may read its memory in
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

static iop prep_operation(const kins *s) {
    return (iop){
        .level = s->level, .type = s->type, .view = s->view, .bits = s->bits, .arg2 = s->arg2};
}

static void prep_store(prep *q, int id) {
    const kins *s = &q->ins[id];
    const interp_slot *from = &q->slot[q->slot_of[s->a]];
    if (from->kind == SLOT_OUT && from->view == s->view) return; /* it lies there already */
    iop o = prep_operation(s);
    o.kind = I_STORE;
    o.far = s->level == KL_ELEMENT && prep_far(q, &q->k->view[s->view]);
    q->x->streams |= o.far;
    o.dtype = q->k->view[s->view].dtype;
    o.a = prep_read(q, s->a, s->level);
    prep_emit(q, o);
}

/* A fold adds to an accumulator, which it has had from the beginning. */
static void prep_fold(prep *q, int id) {
    const kins *s = &q->ins[id];
    iop o = prep_operation(s);
    o.d = q->slot_of[id];
    o.a = prep_read(q, s->a, KL_ELEMENT);
    if (s->op == TILE_DOT) {
        o.kind = I_DOT;
        o.b = prep_read(q, s->b, KL_ELEMENT);
        o.c = q->best_of[id];
    } else if (s->op == TILE_TAKE_SUM) {
        o.kind = I_TAKE_SUM;
    } else {
        o.kind = I_FOLD;
        o.fold = (uint8_t)(s->op - K_SUM);
        o.type = q->ins[s->a].type;
        *(s->op == K_ARGMAX ? &o.b : &o.c) = q->best_of[id];
    }
    prep_emit(q, o);
}

/* Reads a map's operands: two of them as values per row, or one, where there is a loop for that. */
static bool prep_read_rows(prep *q, int id, iop *o) {
    const kins *s = &q->ins[id];
    uint16_t tile, row;
    const int by_row = prep_by_row(q, s, &tile, &row);
    if (prep_row_pair(q, id)) {
        o->kind = I_BY_TWO;
        o->a = prep_read(q, s->a, s->level);
        o->b = q->slot_of[s->b], o->c = q->slot_of[s->c];
        return true;
    }
    if (by_row < 0) return false;
    o->kind = I_BY_ROW;
    o->a = prep_read(q, tile, s->level);
    o->b = q->slot_of[row];
    o->rows_fn = q->x->t->by_row[by_row];
    return true;
}

/* Reads all operands element by element, and finds the loop. */
static void prep_read_elements(prep *q, int id, iop *o) {
    const kins *s = &q->ins[id];
    const tile_table *t = q->x->t;
    const int operands = prep_operands(s);
    if (operands > 0) o->a = prep_read(q, s->a, s->level);
    if (operands > 1) o->b = prep_read(q, s->b, s->level);
    if (operands > 2) o->c = prep_read(q, s->c, s->level);
    o->kind = I_MAP;
    switch (s->op) {
    case K_INDEX: o->kind = I_INDEX; break;
    case K_RANDOM: o->kind = I_RANDOM; break;
    case K_TAKE:
        o->kind = I_TAKE;
        o->dtype = q->k->view[s->view].dtype;
        o->whole = prep_level_row(q, s->a);
        o->thin = prep_thin(q, s->a);
        break;
    case OP_cast: o->fn = t->cast[prep_table(q->ins[s->a].type)][s->bits]; break;
    case OP_where: o->fn = t->map[OP_where][prep_table(s->type)]; break;
    default: o->fn = t->map[s->op][prep_table(operands ? q->ins[s->a].type : s->type)]; break;
    }
    if (o->kind == I_MAP && !o->fn) q->failed = "an operation on a type it has no loop for";
}

/* Gives back the slots of operands that are used here for the last time, so that the result may take
 * the place of one. */
static void prep_last_use(prep *q, int id) {
    const kins *s = &q->ins[id];
    for (int k = 0; k < prep_operands(s); k++) {
        const int from = prep_operand(s, k);
        bool again = q->last[from] != id;
        for (int e = 0; e < k; e++) again |= prep_operand(s, e) == from;
        if (again) continue;
        if (q->ins[from].level == KL_ELEMENT) prep_give(q, q->slot_of[from]);
        if (q->spread_of[from] != PREP_NONE) prep_give(q, q->spread_of[from]);
    }
}

/* Where the result goes: to the memory that it is stored to, a slot of its own, or a tile. */
static uint16_t prep_result(prep *q, int id, iop *o, bool straight) {
    const kins *s = &q->ins[id];
    const bool computed =
        o->kind == I_MAP || o->kind == I_BY_ROW || o->kind == I_BY_TWO || o->kind == I_TAKE;
    const int target = computed ? prep_target(q, id, straight) : -1;
    if (target >= 0) return prep_slot(q, SLOT_OUT, 0, q->ins[target].view);
    if (o->kind == I_INDEX && s->level == KL_ELEMENT && prep_keeps(q, &q->k->view[s->view]))
        return prep_keep(q, o);
    return s->level == KL_ROW ? prep_slot(q, SLOT_ROW, 0, 0) : prep_tile(q);
}

static void prep_map(prep *q, int id, bool straight) {
    const kins *s = &q->ins[id];
    iop o = prep_operation(s);
    if (!prep_read_rows(q, id, &o)) prep_read_elements(q, id, &o);
    if (straight && s->level == KL_ELEMENT) prep_last_use(q, id);
    o.d = prep_result(q, id, &o, straight);
    q->slot_of[id] = o.d;
    prep_emit(q, o);
}

void prep_instruction(prep *q, int id, bool straight) {
    const int op = q->ins[id].op;
    assert(id < q->nins && op != K_CONST);
    if (op == K_LOAD) prep_load(q, id, straight);
    else if (op == K_STORE) prep_store(q, id);
    else if (prep_is_fold(op)) prep_fold(q, id);
    else prep_map(q, id, straight);
}
