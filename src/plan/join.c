/* join.c - runs of optimiser steps over neighbouring parameters become one step.
 *
 * Parameters, their slots and (by aliasing, here) their gradients lie at equal distances in
 * their slabs, so one flat pass over the first to the last does what a pass for each would have
 * done. */
#include "plan/passes.h"

/* Operands that move along the slab: parameter, slots, gradient; the rest are numbers all share. */
static int join_moving(int block) {
    return block == BLOCK_adam ? 4 : block == BLOCK_momentum ? 3 : 0;
}

static const state_entry *join_entry(const weft_plan *p, uint32_t buf) {
    const buffer *b = &p->buf[buf];
    return b->place == BUF_STATE ? &p->state[b->state]->entry[b->entry] : NULL;
}

static size_t join_span(const state_entry *e) {
    return (e->bytes + STATE_ALIGN - 1) & ~(size_t)(STATE_ALIGN - 1);
}

/* Does step b work on what lies directly behind step a's? */
static bool join_follows(const weft_plan *p, const step *a, const step *b) {
    if (a->kind != STEP_BLOCK || b->kind != STEP_BLOCK || a->block != b->block ||
        memcmp(a->attr, b->attr, sizeof a->attr))
        return false;
    int moving = join_moving(a->block), gradient = moving - 1;
    for (int i = 0; i < a->nin; i++) {
        if (i >= moving) {
            if (a->in[i].buf != b->in[i].buf || a->in[i].off != b->in[i].off) return false;
            continue;
        }
        if (i == gradient) continue;
        const state_entry *x = join_entry(p, a->in[i].buf), *y = join_entry(p, b->in[i].buf);
        if (!x || !y || x->segment != y->segment || x->slab != y->slab ||
            y->offset != x->offset + join_span(x))
            return false;
        if (a->in[a->nin + i].buf != a->in[i].buf || b->in[b->nin + i].buf != b->in[i].buf)
            return false; /* in place only */
    }
    return true;
}

/* Gradients that lie in one buffer at the distances of their parameters already. */
static bool join_gradient_follows(const weft_plan *p, const step *a, const step *b) {
    int gradient = join_moving(a->block) - 1;
    const roperand *x = &a->in[gradient], *y = &b->in[gradient];
    size_t apart = join_entry(p, b->in[0].buf)->offset - join_entry(p, a->in[0].buf)->offset;
    return x->buf == y->buf && (size_t)(y->off - x->off) * sizeof(float) == apart;
}

static bool join_gradient_free(const weft_plan *p, uint32_t buf) {
    const buffer *b = &p->buf[buf];
    return b->place == BUF_ARENA && b->alias == KNOBUF && !b->pinned && b->dtype == WEFT_F32;
}

/* Has step first + k a gradient buffer that may be moved and that none of the steps before it in
 * the run has? */
static bool join_own_gradient(const weft_plan *p, size_t first, size_t k) {
    int gradient = join_moving(p->step[first].block) - 1;
    uint32_t buf = p->step[first + k].in[gradient].buf;
    for (size_t i = 0; i < k; i++)
        if (p->step[first + i].in[gradient].buf == buf) return false;
    return join_gradient_free(p, buf);
}

static int join_compare(const weft_plan *p, const step *a, const step *b) {
    const state_entry *x = join_entry(p, a->in[0].buf), *y = join_entry(p, b->in[0].buf);
    if (!x || !y) return 0;
    if (x->segment != y->segment) return x->segment < y->segment ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Merge steps [first, first + n) into the first; `lie`: their gradients need not be moved. */
static bool join_merge(compile *c, step *first, size_t n, bool lie) {
    weft_plan *p = c->plan;
    int gradient = join_moving(first->block) - 1;
    const state_entry *begin = join_entry(p, first->in[0].buf),
                      *end = join_entry(p, first[n - 1].in[0].buf);
    size_t bytes = end->offset - begin->offset + end->bytes;
    for (size_t i = 1; i < n; i++) first->flops += first[i].flops, first->bytes += first[i].bytes;
    if (!lie) {
        buffer all = {.place = BUF_ARENA, .dtype = WEFT_F32, .alias = KNOBUF, .bytes = bytes};
        if (!MEM_PUSH(p->m, p->buf, p->bufs, p->buf_cap, all)) {
            weft_fail(c->ctx, WEFT_MEMORY, "compile: out of memory");
            return false;
        }
        uint32_t slab = (uint32_t)p->bufs - 1;
        for (size_t i = 0; i < n; i++) {
            buffer *g = &p->buf[first[i].in[gradient].buf];
            g->place = BUF_ALIAS;
            g->alias = slab;
            g->alias_at = join_entry(p, first[i].in[0].buf)->offset - begin->offset;
        }
        first->in[gradient].buf = slab;
    }
    for (int i = 0; i <= gradient; i++) {
        first->in[i].rank = 1, first->in[i].stride[0] = 1,
        first->in[i].dim[0] = (int64_t)(bytes / sizeof(float));
        if (i < gradient) first->in[first->nin + i] = first->in[i];
    }
    return true;
}

bool join_pass(compile *c) {
    weft_plan *p = c->plan;
    /* Optimiser steps that stand side by side may change places: none reads what another writes. */
    for (size_t i = 0; i < p->steps; i++) {
        size_t n = 0;
        while (i + n < p->steps && p->step[i + n].kind == STEP_BLOCK &&
               join_moving(p->step[i + n].block) && p->step[i + n].block == p->step[i].block)
            n++;
        if (n < 2) continue;
        for (size_t a = i + 1; a < i + n; a++)
            for (size_t b = a; b > i && join_compare(p, &p->step[b], &p->step[b - 1]) < 0; b--) {
                step swap = p->step[b];
                p->step[b] = p->step[b - 1], p->step[b - 1] = swap;
            }
        for (size_t a = i; a < i + n; a++) {
            size_t lying = 1, moving = 1;
            while (a + lying < i + n &&
                   join_follows(p, &p->step[a + lying - 1], &p->step[a + lying]) &&
                   join_gradient_follows(p, &p->step[a + lying - 1], &p->step[a + lying]))
                lying++;
            if (lying < 2 && join_own_gradient(p, a, 0))
                while (a + moving < i + n &&
                       join_follows(p, &p->step[a + moving - 1], &p->step[a + moving]) &&
                       join_own_gradient(p, a, moving))
                    moving++;
            size_t run = lying > moving ? lying : moving;
            if (run < 2) continue;
            if (!join_merge(c, &p->step[a], run, lying > 1)) return false;
            memmove(&p->step[a + 1], &p->step[a + run], (p->steps - a - run) * sizeof *p->step);
            p->steps -= run - 1;
            n -= run - 1;
        }
    }
    return true;
}
