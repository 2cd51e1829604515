/* passing.c - a product that hands its result on, part by part, so that it never lies in memory.
 *
 * The gradient of a weight is a product that one step of an optimiser reads. Where the device can do
 * it (backend.h, passes_on), that step follows the product at once and takes each part of the gradient
 * while it is near: nothing of the weight's size is written only to be read again. Between them there
 * may be a scatter_add to the product, which is how a table gets its gradient that is embedding and
 * output head.
 *
 * In: steps in order, and which of them touch which buffers. Out: the product and those that take its
 * result stand one behind the other, and the buffers between them are `passing`. The update moves up to
 * the product, or the product down, whichever the others allow: whoever reads the old parameter must
 * come before, and so must whoever makes what the update reads. Numbers an update wants (rates, counts)
 * are made as early as they can be.
 *
 * The order is kept as labels, so that a step can be put behind another without moving the rest. */
#include "plan/passes.h"
#include <assert.h>
#include <stdlib.h>

/* Between labels of neighbouring steps there is room for those put behind the first of them. */
enum { PASSING_ROOM = 24 };
/* So many rows at most are added to a table: every part of it looks through all of them. */
enum { PASSING_ROWS = 2048 };
/* Beyond so many bytes a step that makes numbers is none of those that may move. */
enum { PASSING_NUMBERS = 256 };

/* A step that touches a buffer. For each buffer that is no alias there are two lists: those that read
 * it, and those that write it. */
typedef struct passing_use {
    uint32_t step, next; /* next: its place + 1 in passing->use, or 0 */
} passing_use;

typedef struct passing {
    weft_plan *p;
    mem *m;
    uint64_t *label;  /* of each step */
    uint32_t *behind; /* how many were put behind it, and behind the beginning */
    uint32_t *list;   /* by buffer, twice: the first use + 1 */
    bool *hurried;    /* by buffer */
    passing_use *use;
    size_t uses, use_cap;
    bool starved, moved;
} passing;

static uint32_t passing_root(const weft_plan *p, uint32_t b) {
    while (p->buf[b].place == BUF_ALIAS) b = p->buf[b].alias;
    return b;
}

/* ---- who touches what ---- */

static uint32_t *passing_list(const passing *x, uint32_t buf, bool writes) {
    return &x->list[2 * (size_t)passing_root(x->p, buf) + writes];
}

static void passing_touch(passing *x, uint32_t step, uint32_t buf, bool writes) {
    if (buf == KNOBUF || x->starved) return;
    uint32_t *const first = passing_list(x, buf, writes);
    if (*first && x->use[*first - 1].step == step) return;
    const passing_use use = {step, *first};
    if (MEM_PUSH(x->m, x->use, x->uses, x->use_cap, use)) *first = (uint32_t)x->uses;
    else x->starved = true;
}

static void passing_touches(passing *x, uint32_t i) {
    const step *s = &x->p->step[i];
    for (int k = 0; k < s->nin + s->nout; k++) passing_touch(x, i, s->in[k].buf, k >= s->nin);
    for (int k = 0; s->kern && k < s->kern->nins; k++) {
        const int op = s->kern->ins[k].op;
        if (op == K_LOAD || op == K_TAKE || op == K_STORE)
            passing_touch(x, i, s->kern->view[s->kern->ins[k].view].buf, op == K_STORE);
    }
    for (int v = 0; s->kern && v < s->kern->nview; v++)
        passing_touch(x, i, s->kern->view[v].at, false);
}

/* The only step that reads the buffer, or writes it; x->p->steps: none, or several. */
static uint32_t passing_only(const passing *x, uint32_t buf, bool writes) {
    const uint32_t first = *passing_list(x, buf, writes);
    if (!first || x->use[first - 1].next) return (uint32_t)x->p->steps;
    return x->use[first - 1].step;
}

/* ---- the order ---- */

static uint64_t passing_label(size_t place) {
    return (uint64_t)place << PASSING_ROOM;
}

/* A label behind the step of that label, and behind all that were put there already. */
static uint64_t passing_behind(passing *x, uint64_t label) {
    const size_t place = label >> PASSING_ROOM;
    return passing_label(place) + ++x->behind[place];
}

/* The latest of those with labels in (from, to) that touch the buffer, or only write it; else from. */
static uint64_t passing_latest(const passing *x, uint32_t buf, bool writes_only, uint64_t from,
                               uint64_t to) {
    if (buf == KNOBUF) return from;
    for (int writes = writes_only; writes < 2; writes++)
        for (uint32_t u = *passing_list(x, buf, writes); u; u = x->use[u - 1].next) {
            const uint64_t at = x->label[x->use[u - 1].step];
            if (at > from && at < to) from = at;
        }
    return from;
}

/* The latest step in (from, to) that must come before step s; else from. */
static uint64_t passing_before(const passing *x, const step *s, uint64_t from, uint64_t to) {
    for (int k = 0; k < s->nin + s->nout; k++)
        from = passing_latest(x, s->in[k].buf, k < s->nin, from, to);
    for (int k = 0; s->kern && k < s->kern->nins; k++) {
        const int op = s->kern->ins[k].op;
        if (op == K_LOAD || op == K_TAKE || op == K_STORE)
            from =
                passing_latest(x, s->kern->view[s->kern->ins[k].view].buf, op != K_STORE, from, to);
    }
    for (int v = 0; s->kern && v < s->kern->nview; v++)
        from = passing_latest(x, s->kern->view[v].at, true, from, to);
    return from;
}

static bool passing_makes_numbers(const weft_plan *p, const step *s) {
    if (s->kind != STEP_KERNEL) return false;
    for (int k = 0; k < s->kern->nins; k++) {
        const kins *i = &s->kern->ins[k];
        if (i->op == K_STORE && p->buf[s->kern->view[i->view].buf].bytes > PASSING_NUMBERS)
            return false;
    }
    return true;
}

/* What makes a number that an update reads comes as early as it can. */
static void passing_hurry(passing *x, uint32_t buf) {
    bool *const done = &x->hurried[passing_root(x->p, buf)];
    for (uint32_t u = *done ? 0 : *passing_list(x, buf, true); u; u = x->use[u - 1].next) {
        const uint32_t i = x->use[u - 1].step;
        if (!passing_makes_numbers(x->p, &x->p->step[i])) continue;
        const uint64_t after = passing_before(x, &x->p->step[i], 0, x->label[i]);
        x->label[i] = passing_behind(x, after);
        x->moved = true;
    }
    *done = true;
}

/* ---- products, and who takes their results ---- */

/* A product, perhaps a scatter_add to it, and the update that reads it; steps. */
typedef struct passing_row {
    uint32_t product, scatter, update;
    bool scatters;
} passing_row;

static bool passing_whole(const weft_plan *p, const roperand *r) {
    const buffer *b = &p->buf[r->buf];
    int64_t count = 1;
    for (int d = r->rank - 1; d >= 0; d--) {
        if (r->dim[d] != 1 && r->stride[d] != count) return false;
        count *= r->dim[d];
    }
    return b->place == BUF_ARENA && !b->pinned && !r->off && r->dtype == WEFT_F32 &&
           b->bytes == (size_t)count * sizeof(float);
}

/* May the step hand on its result? */
static bool passing_hands(const weft_plan *p, const step *s) {
    if (s->kind != STEP_MATMUL || s->kern || !passing_whole(p, &s->in[2])) return false;
    for (int d = 0; d + 2 < s->in[2].rank; d++)
        if (s->in[2].dim[d] != 1) return false;
    return p->ctx->backend->passes_on(p->ctx, s);
}

/* Does the step add some whole rows to a matrix? */
static bool passing_scatters(const step *s) {
    int64_t rows = 1;
    for (int d = 0; d + 1 < s->in[2].rank; d++) rows *= s->in[2].dim[d];
    return s->kind == STEP_SCATTER_ADD && s->attr[0] == 0 && s->attr[1] && s->in[0].rank == 2 &&
           rows <= PASSING_ROWS;
}

static bool passing_find(const passing *x, uint32_t update, passing_row *row) {
    const weft_plan *p = x->p;
    const step *const u = &p->step[update];
    const uint32_t none = (uint32_t)p->steps;
    const roperand *gradient = &u->in[block_table[u->block].moving - 1];
    *row = (passing_row){.update = update};
    if (!passing_whole(p, gradient) || passing_only(x, gradient->buf, false) != update)
        return false;
    uint32_t from = passing_only(x, gradient->buf, true);
    if (from != none && passing_scatters(&p->step[from])) {
        const roperand *base = &p->step[from].in[0];
        row->scatters = true, row->scatter = from;
        if (!passing_whole(p, base) || passing_only(x, base->buf, false) != from) return false;
        from = passing_only(x, base->buf, true);
    }
    row->product = from;
    return from != none && passing_hands(p, &p->step[from]);
}

/* Does the step touch what the other writes? */
static bool passing_minds(const weft_plan *p, const step *s, const step *writes) {
    for (int w = writes->nin; w < writes->nin + writes->nout; w++)
        for (int k = 0; k < s->nin + s->nout && writes->in[w].buf != KNOBUF; k++)
            if (s->in[k].buf != KNOBUF &&
                passing_root(p, s->in[k].buf) == passing_root(p, writes->in[w].buf))
                return true;
    return false;
}

static size_t passing_bytes(const weft_plan *p, const roperand *r) {
    const buffer *b = &p->buf[passing_root(p, r->buf)];
    return b->place == BUF_ARENA && !b->pinned ? b->bytes : 0;
}

/* The update's part of the work is done by the product. */
static void passing_hand(passing *x, uint32_t from, uint32_t to, const roperand *between) {
    step *const product = &x->p->step[from], *const taker = &x->p->step[to];
    buffer *const b = &x->p->buf[between->buf];
    product->flops += taker->flops;
    product->bytes += taker->bytes - (b->passing ? 0 : 2 * (double)b->bytes);
    taker->flops = taker->bytes = 0;
    b->passing = true;
}

/* Puts all of them together, if the others allow it. */
static void passing_take(passing *x, const passing_row *row) {
    weft_plan *const p = x->p;
    const step *const product = &p->step[row->product], *const update = &p->step[row->update];
    const step *const scatter = row->scatters ? &p->step[row->scatter] : NULL;
    const uint64_t from = x->label[row->product];
    if (passing_minds(p, product, update) || (scatter && passing_minds(p, scatter, update))) return;
    for (int k = block_table[update->block].moving; k < update->nin; k++)
        passing_hurry(x, update->in[k].buf);
    const roperand *const gradient = &update->in[block_table[update->block].moving - 1];
    uint64_t after = from;
    for (int k = 0; k < update->nin + update->nout; k++)
        if (&update->in[k] != gradient)
            after =
                passing_latest(x, update->in[k].buf, k < update->nin, after, x->label[row->update]);
    for (int k = 1; scatter && k < scatter->nin; k++)
        after = passing_latest(x, scatter->in[k].buf, true, after, x->label[row->scatter]);
    const size_t place = after >> PASSING_ROOM;
    const uint64_t to = passing_label(place) + x->behind[place] + 1;
    for (int k = 0; k < 2 && after != from; k++)
        if (passing_latest(x, product->in[k].buf, true, from, to) != from) return;
    /* What the product reads lives longer: no more of it than there is to be gained. */
    if (after != from && passing_bytes(p, &product->in[0]) + passing_bytes(p, &product->in[1]) >
                             p->buf[product->in[2].buf].bytes)
        return;
    x->label[row->product] = passing_behind(x, after);
    if (scatter) x->label[row->scatter] = passing_behind(x, after);
    x->label[row->update] = passing_behind(x, after);
    x->moved = true;
    passing_hand(x, row->product, row->update, gradient);
    if (scatter) passing_hand(x, row->product, row->scatter, &scatter->in[0]);
}

/* ---- all of them ---- */

typedef struct passing_key {
    uint64_t label;
    uint32_t step;
} passing_key;

static int passing_by_label(const void *a, const void *b) {
    const passing_key *x = a, *y = b;
    return x->label < y->label ? -1 : x->label > y->label;
}

static bool passing_sort(passing *x) {
    weft_plan *const p = x->p;
    passing_key *key = mem_new(x->m, (p->steps + 1) * sizeof *key);
    step *sorted = mem_new(x->m, p->step_cap * sizeof *sorted);
    for (uint32_t i = 0; key && sorted && i < p->steps; i++) key[i] = (passing_key){x->label[i], i};
    if (key && sorted) {
        qsort(key, p->steps, sizeof *key, passing_by_label);
        for (size_t i = 0; i < p->steps; i++) sorted[i] = p->step[key[i].step];
        step *const old = p->step;
        p->step = sorted;
        sorted = old;
    }
    const bool good = key && sorted;
    mem_free(x->m, sorted);
    mem_free(x->m, key);
    return good;
}

static bool passing_updates(const step *s) {
    return s->kind == STEP_BLOCK && block_table[s->block].moving;
}

weft_err passing_pass(compile *c) {
    weft_plan *p = c->plan;
    passing x = {.p = p, .m = c->m};
    size_t updates = 0, products = 0;
    if (c->desc->portable || !compile_fuses(c) || !c->ctx->backend->passes_on) return WEFT_OK;
    for (size_t i = 0; i < p->steps; i++) updates += passing_updates(&p->step[i]);
    for (size_t i = 0; updates && i < p->steps; i++) products += passing_hands(p, &p->step[i]);
    if (!products) return WEFT_OK;
    x.label = mem_new(c->m, (p->steps + 1) * sizeof *x.label);
    x.behind = mem_new(c->m, (p->steps + 1) * sizeof *x.behind);
    x.list = mem_new(c->m, (2 * p->bufs + 1) * sizeof *x.list);
    x.hurried = mem_new(c->m, (p->bufs + 1) * sizeof *x.hurried);
    bool good = x.label && x.behind && x.list && x.hurried;
    for (uint32_t i = 0; good && i < p->steps; i++) {
        x.label[i] = passing_label((size_t)i + 1);
        passing_touches(&x, i);
    }
    good = good && !x.starved;
    for (uint32_t i = 0; good && i < p->steps; i++) {
        passing_row row;
        if (passing_updates(&p->step[i]) && passing_find(&x, i, &row)) passing_take(&x, &row);
    }
    if (good && x.moved) good = passing_sort(&x);
    mem_free(c->m, x.label);
    mem_free(c->m, x.behind);
    mem_free(c->m, x.list);
    mem_free(c->m, x.hurried);
    mem_free(c->m, x.use);
    return good ? WEFT_OK : compile_no_memory(c);
}
