/* memory.c - where each intermediate lives.
 *
 * In: steps in order, with the buffers they read and write. Out: an offset per buffer and the
 * size of the arena. Largest first, each at the lowest place that is free during its life. Knows
 * nothing of devices or graphs. */
#include "plan/passes.h"
#include <stdlib.h>

enum { MEMORY_ALIGN = 256 };

static uint32_t memory_root(const weft_plan *p, uint32_t b) {
    while (p->buf[b].place == BUF_ALIAS) b = p->buf[b].alias;
    return b;
}

static void memory_touch(weft_plan *p, uint32_t b, uint32_t at) {
    if (b == KNOBUF) return;
    for (;; b = p->buf[b].alias) {
        buffer *x = &p->buf[b];
        if (at < x->first) x->first = at;
        if (at > x->last || x->last == UINT32_MAX) x->last = at;
        if (x->place != BUF_ALIAS) return;
    }
}

static void memory_lives(weft_plan *p) {
    for (size_t b = 0; b < p->bufs; b++) p->buf[b].first = p->buf[b].last = UINT32_MAX;
    for (uint32_t i = 0; i < p->steps; i++) {
        const step *s = &p->step[i];
        for (int k = 0; k < s->nin + s->nout; k++) memory_touch(p, s->in[k].buf, i);
        for (int v = 0; s->kern && v < s->kern->nview; v++) {
            memory_touch(p, s->kern->view[v].buf, i);
            memory_touch(p, s->kern->view[v].at, i);
        }
    }
    for (size_t b = 0; b < p->bufs; b++)
        if (p->buf[b].pinned) {
            memory_touch(p, (uint32_t)b, 0);
            memory_touch(p, (uint32_t)b, (uint32_t)p->steps);
        }
}

/* A map may write over what it reads for the last time, element by element. */
static void memory_in_place(weft_plan *p) {
    for (uint32_t i = 0; i < p->steps; i++) {
        const kernel *k = p->step[i].kern;
        if (p->step[i].kind != STEP_KERNEL || k->reduce) continue;
        for (int s = 0; s < k->nins; s++) {
            if (k->ins[s].op != K_STORE) continue;
            const kview *to = &k->view[k->ins[s].view];
            buffer *out = &p->buf[to->buf];
            if (out->place != BUF_ARENA || out->pinned || out->first != i) continue;
            for (int l = 0; l < k->nins; l++) {
                if (k->ins[l].op != K_LOAD) continue;
                const kview *from = &k->view[k->ins[l].view];
                buffer *in = &p->buf[from->buf];
                bool fits = in->place == BUF_ARENA && !in->pinned && in->last == i &&
                            in->first != i && in->bytes == out->bytes && from->buf != to->buf;
                for (int v = 0; fits && v < k->nview;
                     v++) /* every view of the two must be the same one */
                    if (k->view[v].buf == from->buf || k->view[v].buf == to->buf)
                        fits = k->view[v].off == to->off && k->view[v].dtype == to->dtype &&
                               !k->view[v].guard && k->view[v].at == KNOBUF &&
                               !memcmp(k->view[v].stride, to->stride,
                                       (size_t)(k->outer + k->inner) * sizeof *to->stride);
                for (int m = 0; fits && m < k->nins; m++)
                    fits = k->ins[m].op != K_TAKE || k->view[k->ins[m].view].buf != from->buf;
                if (!fits) continue;
                out->place = BUF_ALIAS;
                out->alias = from->buf;
                in->last = out->last;
                break;
            }
        }
    }
}

typedef struct memory_span {
    size_t from, to;
} memory_span;
static int memory_by_offset(const void *a, const void *b) {
    const memory_span *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static bool memory_overlap(const buffer *a, const buffer *b) {
    return a->first <= b->last && b->first <= a->last;
}

weft_err memory_pass(weft_plan *p) {
    memory_lives(p);
    memory_in_place(p);
    uint32_t *order = p->placed = arena_new(&p->memory, (p->bufs + 1) * sizeof *order);
    memory_span *taken = order ? mem_new(p->m, (p->bufs + 1) * sizeof *taken) : NULL;
    size_t n = 0;
    if (!taken) return weft_fail(p->ctx, WEFT_MEMORY, "compile: out of memory");
    for (uint32_t b = 0; b < p->bufs; b++)
        if (p->buf[b].place == BUF_ARENA && p->buf[b].first != UINT32_MAX) order[n++] = b;
    for (size_t gap = n / 2; gap > 0; gap /= 2) /* Shell's sort: stable enough, by (size, age) */
        for (size_t i = gap; i < n; i++) {
            uint32_t b = order[i];
            size_t j = i;
            for (; j >= gap; j -= gap) {
                uint32_t o = order[j - gap];
                bool before =
                    p->buf[b].bytes != p->buf[o].bytes ? p->buf[b].bytes > p->buf[o].bytes : b < o;
                if (!before) break;
                order[j] = o;
            }
            order[j] = b;
        }
    p->placed_count = n;
    p->arena_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        buffer *b = &p->buf[order[i]];
        size_t count = 0, at = 0,
               size = (b->bytes + MEMORY_ALIGN - 1) & ~(size_t)(MEMORY_ALIGN - 1);
        if (!size) size = MEMORY_ALIGN;
        for (size_t j = 0; j < i; j++) {
            const buffer *o = &p->buf[order[j]];
            if (memory_overlap(b, o))
                taken[count++] = (memory_span){o->offset, o->offset + o->bytes};
        }
        qsort(taken, count, sizeof *taken, memory_by_offset);
        for (size_t j = 0; j < count; j++) {
            if (taken[j].from >= at + size) break;
            size_t end = (taken[j].to + MEMORY_ALIGN - 1) & ~(size_t)(MEMORY_ALIGN - 1);
            if (end > at) at = end;
        }
        b->offset = at;
        if (at + size > p->arena_bytes) p->arena_bytes = at + size;
    }
    mem_free(p->m, taken);
    p->arena = mem_new_aligned(p->m, p->arena_bytes + MEMORY_ALIGN);
    if (!p->arena)
        return weft_fail(p->ctx, WEFT_MEMORY, "compile: out of memory for an arena of %zu bytes",
                         p->arena_bytes);
    for (size_t b = 0; b < p->bufs; b++) {
        buffer *x = &p->buf[b];
        size_t at = 0;
        uint32_t r = (uint32_t)b;
        for (; p->buf[r].place == BUF_ALIAS; r = p->buf[r].alias) at += p->buf[r].alias_at;
        const buffer *root = &p->buf[r];
        x->at = (root->place == BUF_ARENA  ? p->arena + root->offset
                 : root->place == BUF_DATA ? (char *)(uintptr_t)root->data
                                           : p->state[root->state]->entry[root->entry].data) +
                at;
    }
    return WEFT_OK;
}

/* Is something written to buffer b, or to one that shares its memory, before step `at` is done
 * with it? */
static bool memory_written(const weft_plan *p, uint32_t b, uint32_t at) {
    uint32_t root = memory_root(p, b);
    if (p->buf[root].place != BUF_ARENA || p->buf[root].pinned || !p->buf[root].bytes)
        return true; /* feeds are written from outside, nothing by nobody */
    for (uint32_t i = 0; i <= at; i++) {
        const step *s = &p->step[i];
        for (int k = s->nin; k < s->nin + s->nout; k++)
            if (s->in[k].buf != KNOBUF && memory_root(p, s->in[k].buf) == root) return true;
        for (int k = 0; s->kern && i < at && k < s->kern->nins; k++)
            if (s->kern->ins[k].op == K_STORE &&
                memory_root(p, s->kern->view[s->kern->ins[k].view].buf) == root)
                return true;
    }
    return false;
}

weft_err memory_check(const weft_plan *p) {
    for (uint32_t i = 0; i < p->steps; i++) {
        const step *s = &p->step[i];
        for (int k = 0; k < s->nin; k++)
            if (!memory_written(p, s->in[k].buf, i))
                return weft_fail(p->ctx, WEFT_DEVICE,
                                 "memory: step %u reads buffer %u, which nothing wrote", i,
                                 s->in[k].buf);
        for (int k = 0; s->kern && k < s->kern->nins; k++) {
            const kins *x = &s->kern->ins[k];
            if ((x->op == K_LOAD || x->op == K_TAKE) &&
                !memory_written(p, s->kern->view[x->view].buf, i))
                return weft_fail(p->ctx, WEFT_DEVICE,
                                 "memory: step %u loads buffer %u, which nothing wrote", i,
                                 s->kern->view[x->view].buf);
        }
    }
    for (uint32_t a = 0; a < p->bufs; a++)
        for (uint32_t b = a + 1; b < p->bufs; b++) {
            const buffer *x = &p->buf[a], *y = &p->buf[b];
            if (x->place != BUF_ARENA || y->place != BUF_ARENA || x->first == UINT32_MAX ||
                y->first == UINT32_MAX)
                continue;
            if (memory_overlap(x, y) && x->offset < y->offset + y->bytes &&
                y->offset < x->offset + x->bytes)
                return weft_fail(p->ctx, WEFT_DEVICE, "memory: buffers %u and %u overlap",
                                 memory_root(p, a), memory_root(p, b));
        }
    return WEFT_OK;
}
