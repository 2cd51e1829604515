/* memory.c - where each intermediate lives.
 *
 * Largest first, each at the lowest place that is free during its life. Knows nothing of devices or
 * graphs.
 *
 * Reads: steps in order, the buffers they read and write. Makes: an offset and a life for each buffer
 * in the arena, and its size. */
#include "plan/passes.h"
#include <assert.h>
#include <stdlib.h>

enum { MEMORY_ALIGN = 256 };

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

static uint32_t memory_root(const weft_plan *p, uint32_t b) {
    while (p->buf[b].place == BUF_ALIAS) b = p->buf[b].alias;
    return b;
}

/* Does buffer b lie inside the other? */
static bool memory_within(const weft_plan *p, uint32_t b, uint32_t other) {
    return b != KNOBUF && b != other && memory_root(p, b) == other;
}

static bool memory_based(const step *s) {
    return plan_step_lies(s) == LIES_BASE;
}

/* Is step i the first that touches what buffer b lies in? Results live through the whole run, but hold
 * nothing before. */
static bool memory_begins(const weft_plan *p, uint32_t b, uint32_t i) {
    const uint32_t root = memory_root(p, b);
    if (!p->buf[root].pinned) return p->buf[b].first == i;
    for (uint32_t j = 0; j < i; j++) {
        const step *s = &p->step[j];
        for (int k = 0; k < s->nin + s->nout; k++)
            if (s->in[k].buf == root || memory_within(p, s->in[k].buf, root)) return false;
        for (int v = 0; s->kern && v < s->kern->nview; v++)
            if (s->kern->view[v].buf == root || memory_within(p, s->kern->view[v].buf, root))
                return false;
    }
    return true;
}

/* A scatter_add or slice_write at step i that reads its base for the last time writes to it where it
 * lies: the base is made where the result will be, since that may be part of something larger (join.c). */
static void memory_base(weft_plan *p, uint32_t i) {
    const roperand *in = p->step[i].in, *result = &in[3];
    const uint32_t from = memory_root(p, in[0].buf), to = memory_root(p, result->buf);
    buffer *base = &p->buf[from], *out = &p->buf[result->buf], *root = &p->buf[to];
    if (from == to || base->passing || base->place != BUF_ARENA || base->pinned ||
        base->last != i || base->first == i || root->place != BUF_ARENA ||
        !memory_begins(p, result->buf, i) || base->bytes != out->bytes || in[0].off ||
        result->off || memory_root(p, in[1].buf) == from || memory_root(p, in[2].buf) == from)
        return;
    base->place = BUF_ALIAS;
    base->alias = result->buf;
    if (base->first < root->first) root->first = base->first;
    p->step[i].bytes -= 2 * (double)base->bytes; /* nothing is copied */
}

static int memory_readers(const kernel *k, int of) {
    int n = 0;
    for (int i = of + 1; i < k->nins; i++) {
        const kins *x = &k->ins[i];
        const int operands = kins_table[x->op].operands;
        n += operands > 0 && x->a == of;
        n += operands > 1 && x->b == of;
        n += operands > 2 && x->c == of;
    }
    return n;
}

/* The load of something that the raw product of a step, which nobody else wants, is added to at once, or
 * -1; *sum: where. */
static int memory_summand(const weft_plan *p, const step *s, int *sum) {
    const kernel *k = s->kern;
    const uint32_t product = s->in[s->nin].buf;
    const buffer *x = &p->buf[product];
    int raw = -1;
    /* nobody reads it behind this step, or what is made of it takes its place */
    bool over = x->place == BUF_ARENA && !x->pinned && x->last == x->first;
    for (int i = 0; i < k->nins; i++) {
        const int op = k->ins[i].op;
        if (op == K_LOAD && k->view[k->ins[i].view].buf == product) raw = i;
        over |= op == K_STORE && k->view[k->ins[i].view].buf == product;
    }
    for (int i = 0; raw >= 0 && over && i < k->nins; i++) {
        const kins *x = &k->ins[i];
        if (x->op != OP_add || (x->a != raw && x->b != raw) || x->a == x->b) continue;
        const int other = x->a == raw ? x->b : x->a;
        if (k->ins[other].op != K_LOAD || memory_readers(k, raw) != 1 ||
            memory_readers(k, other) != 1)
            return -1;
        const kview *to = &k->view[k->ins[raw].view], *from = &k->view[k->ins[other].view];
        const bool same =
            from->dtype == WEFT_F32 && to->dtype == WEFT_F32 && !from->guard &&
            from->at == KNOBUF && from->off == to->off &&
            !memcmp(from->stride, to->stride, (size_t)(k->outer + k->inner) * sizeof *to->stride);
        *sum = i;
        return same && p->buf[from->buf].place == BUF_ARENA ? other : -1;
    }
    return -1;
}

/* Leaves out an instruction that nobody reads. */
static void memory_drop(kernel *k, int at) {
    memmove(k->ins + at, k->ins + at + 1, (size_t)(k->nins - at - 1) * sizeof *k->ins);
    k->nins--;
    for (int i = at; i < k->nins; i++) {
        kins *x = &k->ins[i];
        const int operands = kins_table[x->op].operands;
        x->a = (uint16_t)(x->a - (operands > 0 && x->a > at));
        x->b = (uint16_t)(x->b - (operands > 1 && x->b > at));
        x->c = (uint16_t)(x->c - (operands > 2 && x->c > at));
    }
}

/* A sum of products: a product that is added to what is read for the last time is added to it where it
 * lies, and that is made where the result will be. */
static void memory_sum(weft_plan *p, uint32_t i) {
    step *s = &p->step[i];
    int sum, from = memory_summand(p, s, &sum);
    if (from < 0) return;
    const uint32_t b = s->kern->view[s->kern->ins[from].view].buf, to = s->in[s->nin].buf;
    buffer *base = &p->buf[b], *root = &p->buf[memory_root(p, to)];
    bool fits = !base->pinned && base->last == i && base->first != i &&
                base->bytes == p->buf[to].bytes && root->place == BUF_ARENA &&
                memory_root(p, to) != b && memory_begins(p, to, i);
    for (int k = 0; fits && k < s->nin; k++) fits = memory_root(p, s->in[k].buf) != b;
    for (int k = 0, v = 0; fits && k < s->kern->nins; k++) { /* no other look at it */
        const int op = s->kern->ins[k].op;
        if (op != K_LOAD && op != K_TAKE && op != K_STORE) continue;
        v = s->kern->ins[k].view;
        fits = k == from || memory_root(p, s->kern->view[v].buf) != b;
    }
    if (!fits) return;
    base->place = BUF_ALIAS;
    base->alias = to;
    if (base->first < root->first) root->first = base->first;
    kernel *k = s->kern; /* the product that is loaded is the sum */
    const int raw = k->ins[sum].a == from ? k->ins[sum].b : k->ins[sum].a;
    k->ins[sum] = k->ins[raw];
    memory_drop(k, from > raw ? from : raw);
    memory_drop(k, from > raw ? raw : from);
    if (k->nins == 2 && k->view[k->ins[1].view].buf == to) s->kern = NULL; /* that is all */
    s->adds = true;
}

/* The sweep over a row in which each instruction is at the earliest: behind the folds it rests on. */
static uint16_t *memory_sweeps(const weft_plan *p, const kernel *k) {
    uint16_t *sweep = mem_new(p->m, ((size_t)k->nins + 1) * sizeof *sweep);
    for (int i = 0; sweep && i < k->nins; i++) {
        const kins *x = &k->ins[i];
        const int operands = kins_table[x->op].operands;
        const uint16_t of[3] = {x->a, x->b, x->c};
        for (int o = 0; o < operands; o++) {
            const uint16_t from = of[o];
            const int after = sweep[from] + (kins_table[k->ins[from].op].kind == KINS_FOLD);
            if (after > sweep[i]) sweep[i] = (uint16_t)after;
        }
    }
    return sweep;
}

/* Is nothing read in a later sweep than the one that store s writes in? What rows pick for themselves
 * is picked before a fold that all of a row waits for. */
static bool memory_stores_last(const kernel *k, const uint16_t *sweep, int s) {
    for (int i = 0; i < k->nins; i++) {
        const kins *x = &k->ins[i];
        const bool fold = kins_table[x->op].kind == KINS_FOLD;
        if (x->op == K_TAKE
                ? sweep[i] >= sweep[s]
                : (x->level == KL_ELEMENT || fold) && x->op != K_CONST && sweep[i] > sweep[s])
            return false;
    }
    return true;
}

/* Does instruction l look at its view just where `to` writes, or, picking, within its own row? */
static bool memory_same_place(const kernel *k, const kins *l, const kview *to) {
    const kview *v = &k->view[l->view];
    const int dims = k->outer + k->reduce + k->inner;
    const bool picks = l->op == K_TAKE && k->reduce && l->level == KL_ROW;
    return v->off == to->off && v->dtype == to->dtype && !v->guard && v->at == KNOBUF &&
           (l->op != K_TAKE || picks) &&
           !memcmp(v->stride, to->stride, (size_t)(picks ? k->outer : dims) * sizeof *to->stride);
}

/* May the kernel of step i write `to` over what it loads by `from`? Every look at the two must be at the
 * element that is computed. */
static bool memory_over(const weft_plan *p, uint32_t i, const kview *to, const kview *from) {
    const kernel *k = p->step[i].kern;
    const buffer *out = &p->buf[to->buf], *in = &p->buf[from->buf];
    if (in->place != BUF_ARENA || in->pinned || in->last != i || in->first == i ||
        in->bytes != out->bytes || from->buf == to->buf)
        return false;
    for (int v = 0; v < k->nview; v++)
        if (memory_within(p, k->view[v].buf, from->buf)) return false;
    for (int x = 0; x < k->nins; x++) {
        const kins *l = &k->ins[x];
        if (!kins_table[l->op].view) continue;
        const uint32_t b = k->view[l->view].buf;
        if ((b == from->buf || b == to->buf) && !memory_same_place(k, l, to)) return false;
    }
    return true;
}

/* A map may write over what it reads for the last time, element by element; so may a kernel that folds
 * rows, if it reads nothing more of a row when it writes. */
static bool memory_kernel(weft_plan *p, uint32_t i) {
    const kernel *k = p->step[i].kern;
    if (k->reduce && k->inner) return true;
    uint16_t *sweep = k->reduce ? memory_sweeps(p, k) : NULL;
    if (k->reduce && !sweep) return false;
    for (int s = 0; s < k->nins; s++) {
        if (k->ins[s].op != K_STORE) continue;
        const kview *to = &k->view[k->ins[s].view];
        buffer *out = &p->buf[to->buf];
        if (out->place != BUF_ARENA || out->pinned || out->first != i) continue;
        if (k->reduce && (k->ins[s].level != KL_ELEMENT || !memory_stores_last(k, sweep, s)))
            continue;
        for (int l = 0; l < k->nins; l++) {
            const kview *from = &k->view[k->ins[l].view];
            if (k->ins[l].op != K_LOAD || !memory_over(p, i, to, from)) continue;
            out->place = BUF_ALIAS;
            out->alias = from->buf;
            p->buf[from->buf].last = out->last;
            break;
        }
    }
    mem_free(p->m, sweep);
    return true;
}

static bool memory_in_place(weft_plan *p, bool portable) {
    bool (*const adds)(const step *) = portable ? NULL : p->ctx->backend->adds;
    bool good = true;
    for (uint32_t i = 0; good && i < p->steps; i++) {
        const step *s = &p->step[i];
        if (memory_based(s)) memory_base(p, i);
        if (adds && s->kind == STEP_MATMUL && s->kern && adds(s)) memory_sum(p, i);
        if (s->kind == STEP_KERNEL) good = memory_kernel(p, i);
    }
    return good;
}

/* Steps from..to during which a place is taken, up to byte `end`. */
typedef struct memory_life {
    uint32_t from, to;
    size_t end;
} memory_life;

/* What begins at one offset: lives that cannot overlap, in order. */
typedef struct memory_row {
    size_t offset;
    uint32_t from, to; /* around all of them */
    size_t end;        /* of a single one */
    memory_life *life;
    size_t lives, cap;
} memory_row;

/* All that is placed, lowest offset first. */
typedef struct memory_map {
    mem *m;
    memory_row *row;
    size_t rows, cap;
} memory_map;

static size_t memory_round(size_t bytes) {
    return (bytes + MEMORY_ALIGN - 1) & ~(size_t)(MEMORY_ALIGN - 1);
}

/* The first life of the row that ends at step `from` or later. */
static size_t memory_seek(const memory_row *r, uint32_t from) {
    size_t low = 0, high = r->lives;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (r->life[middle].to < from) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The lowest offset with `size` bytes that are free while b lives; *at: the row to put it before. */
static size_t memory_find(const memory_map *map, const buffer *b, size_t size, size_t *at) {
    size_t offset = 0, i = 0;
    for (; i < map->rows && map->row[i].offset < offset + size; i++) {
        const memory_row *r = &map->row[i];
        if (r->to < b->first || r->from > b->last) continue;
        if (r->lives == 1) {
            offset = r->end > offset ? r->end : offset;
            continue;
        }
        for (size_t k = memory_seek(r, b->first); k < r->lives && r->life[k].from <= b->last; k++)
            if (r->life[k].end > offset) offset = r->life[k].end;
    }
    while (i > 0 && map->row[i - 1].offset >= offset) i--;
    *at = i;
    return offset;
}

static bool memory_take(memory_map *map, const buffer *b, size_t at) {
    if (at == map->rows || map->row[at].offset != b->offset) {
        if (!mem_room(map->m, &map->row, map->rows, &map->cap, sizeof *map->row)) return false;
        memmove(&map->row[at + 1], &map->row[at], (map->rows++ - at) * sizeof *map->row);
        map->row[at] = (memory_row){.offset = b->offset, .from = b->first, .to = b->last};
    }
    memory_row *r = &map->row[at];
    if (!mem_room(map->m, &r->life, r->lives, &r->cap, sizeof *r->life)) return false;
    const size_t k = memory_seek(r, b->first);
    assert(k == r->lives || r->life[k].from > b->last);
    memmove(&r->life[k + 1], &r->life[k], (r->lives++ - k) * sizeof *r->life);
    r->end = memory_round(b->offset + b->bytes);
    r->life[k] = (memory_life){b->first, b->last, r->end};
    if (b->first < r->from) r->from = b->first;
    if (b->last > r->to) r->to = b->last;
    return true;
}

static bool memory_place(weft_plan *p, const uint32_t *order, size_t n) {
    memory_map map = {.m = p->m};
    bool good = true;
    p->arena_bytes = 0;
    for (size_t i = 0; i < n && good; i++) {
        buffer *b = &p->buf[order[i]];
        const size_t size = b->bytes ? memory_round(b->bytes) : MEMORY_ALIGN;
        size_t at;
        b->offset = memory_find(&map, b, size, &at);
        if (b->offset + size > p->arena_bytes) p->arena_bytes = b->offset + size;
        good = !b->bytes || memory_take(&map, b, at); /* nothing takes no place */
    }
    for (size_t i = 0; i < map.rows; i++) mem_free(p->m, map.row[i].life);
    mem_free(p->m, map.row);
    return good;
}

typedef struct memory_item {
    size_t bytes;
    uint32_t buf;
} memory_item;

/* The largest first; of equal ones the oldest. */
static int memory_larger(const void *a, const void *b) {
    const memory_item *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->buf < y->buf ? -1 : x->buf > y->buf;
}

/* p->placed: what has a place of its own in the arena, in the order in which places are given. */
static bool memory_sort(weft_plan *p) {
    memory_item *item = mem_new(p->m, (p->bufs + 1) * sizeof *item);
    size_t n = 0;
    p->placed = arena_new(&p->memory, (p->bufs + 1) * sizeof *p->placed);
    for (uint32_t b = 0; item && p->placed && b < p->bufs; b++)
        if (p->buf[b].place == BUF_ARENA && p->buf[b].first != UINT32_MAX && !p->buf[b].passing)
            item[n++] = (memory_item){p->buf[b].bytes, b};
    if (n) qsort(item, n, sizeof *item, memory_larger);
    for (size_t i = 0; i < n; i++) p->placed[i] = item[i].buf;
    p->placed_count = n;
    mem_free(p->m, item);
    return item && p->placed;
}

/* The block and offset of a buffer that is no alias. */
static void memory_settle(const weft_plan *p, buffer *b) {
    const bool host = p->ctx->memory->host;
    if (b->passing) return;
    switch (b->place) {
    case BUF_ARENA: b->block = p->arena, b->from = b->offset; break;
    case BUF_DATA:
        if (host) b->block = (void *)(uintptr_t)b->data, b->from = 0;
        else b->block = p->constants, b->from = b->offset;
        break;
    default: {
        const state_entry *e = &p->state[b->state]->entry[b->entry];
        b->block = e->block ? e->block : transfer_block(p, b);
        b->from = e->offset;
    }
    }
    assert(b->block || !b->bytes);
    b->at = host ? (char *)b->block + b->from : NULL;
}

weft_err memory_pass(weft_plan *p, bool portable) {
    memory_lives(p);
    if (!memory_in_place(p, portable) || !memory_sort(p) ||
        !memory_place(p, p->placed, p->placed_count))
        return weft_fail(p->ctx, WEFT_MEMORY, "compile: out of memory");
    p->arena = p->ctx->memory->alloc(p->ctx, p->arena_bytes + MEMORY_ALIGN);
    if (!p->arena)
        return weft_fail(p->ctx, WEFT_MEMORY, "compile: out of memory for an arena of %zu bytes",
                         p->arena_bytes);
    if (!p->ctx->memory->host) WEFT_TRY(transfer_prepare(p));
    for (size_t b = 0; b < p->bufs; b++)
        if (p->buf[b].place != BUF_ALIAS) memory_settle(p, &p->buf[b]);
    for (size_t b = 0; b < p->bufs; b++) {
        buffer *x = &p->buf[b];
        if (x->place != BUF_ALIAS) continue;
        size_t at = 0;
        uint32_t r = (uint32_t)b;
        for (; p->buf[r].place == BUF_ALIAS; r = p->buf[r].alias) at += p->buf[r].alias_at;
        x->block = p->buf[r].block;
        x->from = p->buf[r].from + at;
        x->at = p->buf[r].at ? p->buf[r].at + at : NULL;
    }
    for (size_t i = 0; p->ctx->memory->host && i < p->ins; i++)
        p->in[i].host = p->buf[p->in[i].buf].at;
    return WEFT_OK;
}
