/* interp.c - preparing row programs: phases, registers, and which values need no copying.
 *
 * A row that fits is kept whole ("resident"): its program is one straight list. Longer rows, and
 * folds across columns, run in phases, each a sweep that computes what its folds or stores need. */
#include "backend/cpu/interp_prep.h"
#include "core/context.h"
#include "core/limits.h"
#include <assert.h>

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
