/* join.c - steps of an optimiser over neighbouring parameters become one step.
 *
 * Parameters and their slots lie at equal distances in the slabs of the state. Kernels that do the
 * same to one parameter each, or calls of the same block, are therefore one flat loop from the
 * first to the last; what they read besides (gradients) gets one buffer laid out like the slab. The
 * padding between entries is computed too: it is not read.
 *
 * Two steps are alike if they are the same program and each operand is either the same number for
 * both, or moves by as much as the parameter does. The joined step stands where the last or the
 * first of them stood, if no step in between touches the same memory.
 *
 * Reads: steps, buffers, the layout of states. Changes: steps, fewer; makes: buffers that others become
 * aliases of. */
#include "plan/passes.h"
#include <assert.h>
#include <stdlib.h>

enum { JOIN_OPERANDS = LIMIT_JOIN_OPERANDS };

/* An operand of a flat step: f32 or a shadow, contiguous, or one number. */
typedef struct join_operand {
    uint32_t buf;
    int64_t off;
    bool number, writes; /* number: the same for all elements */
} join_operand;

typedef struct join_step {
    size_t at;            /* in plan->step */
    int64_t n;            /* elements */
    uint32_t program;     /* a hash of what it does: alike ones have the same */
    uint32_t next;        /* flat step with that hash, in order; 0: none (none follows itself) */
    int operands, anchor; /* anchor: the state entry that says where it lies */
    join_operand in[JOIN_OPERANDS];
} join_step;

typedef struct join_key {
    uint32_t state, segment;
    size_t offset;
    uint32_t flat;
} join_key;

typedef struct join {
    compile *c;
    weft_plan *p;
    join_step *flat; /* of the plan, in order */
    uint32_t *group; /* indices of alike ones, by address */
    join_key *key;   /* the same, while they are put in order */
    uint8_t *done;   /* per flat step */
    uint8_t *member; /* per step of the plan: is it in the run that is looked at? */
    uint32_t *other; /* the steps between that are not */
    uint32_t *used;  /* per buffer: the run that has it among its operands */
    uint32_t run;
    uint32_t *chain; /* by program: the latest flat step + 1 */
    size_t flats, groups, chains;
} join;

static const state_entry *join_entry(const weft_plan *p, uint32_t buf) {
    assert(buf < p->bufs);
    const buffer *b = &p->buf[buf];
    return b->place == BUF_STATE ? &p->state[b->state]->entry[b->entry] : NULL;
}

/* ---- what can be joined ---- */

/* A flat loop or a block made for it, before a closer look. */
static bool join_candidate(const step *s) {
    const kernel *k = s->kern;
    return s->kind == STEP_KERNEL ? k->outer == 1 && !k->reduce && !k->inner
                                  : s->kind == STEP_BLOCK && block_table[s->block].moving;
}

static bool join_block(const weft_plan *p, const step *s, join_step *f) {
    assert(s->kind == STEP_BLOCK && s->nin + s->nout <= STEP_OPERANDS &&
           s->in[0].rank <= WEFT_MAX_RANK);
    const int moving = block_table[s->block].moving; /* along the slab */
    int all = s->nin + s->nout;
    all -= s->in[all - 1].buf == KNOBUF; /* no shadow */
    f->n = 1;
    for (int d = 0; d < s->in[0].rank; d++) f->n *= s->in[0].dim[d];
    for (int i = 0; i < all; i++) {
        if (s->in[i].buf == KNOBUF || p->buf[s->in[i].buf].passing) return false;
        f->in[i] =
            (join_operand){s->in[i].buf, s->in[i].off, i >= moving && i < s->nin, i >= s->nin};
    }
    f->operands = all;
    return true;
}

/* Is the buffer a shadow, at half the distances of f32? */
static bool join_shadow(const weft_plan *p, uint32_t buf) {
    const state_entry *e = join_entry(p, buf);
    return e && e->shadow;
}

static bool join_kernel(const weft_plan *p, const kernel *k, join_step *f) {
    assert(k->outer == 1 && !k->inner);
    if (k->nview > JOIN_OPERANDS) return false;
    f->n = k->dim[0];
    f->operands = k->nview;
    for (int i = 0; i < k->nview; i++) {
        const kview *v = &k->view[i];
        bool number = v->stride[0] == 0;
        if (v->buf == KNOBUF || v->guard || v->at != KNOBUF || (!number && v->stride[0] != 1) ||
            (!number && v->dtype != WEFT_F32 && !join_shadow(p, v->buf)))
            return false;
        f->in[i] = (join_operand){v->buf, v->off, number && f->n > 1, false};
    }
    for (int i = 0; i < k->nins; i++) {
        if (k->ins[i].op == K_TAKE || k->ins[i].op == K_INDEX || k->ins[i].op == K_RANDOM)
            return false;
        if (k->ins[i].op == K_STORE) f->in[k->ins[i].view].writes = true;
    }
    return true;
}

/* Fills f if the step is flat and changes a whole entry of a state. */
static bool join_flat(const weft_plan *p, size_t at, join_step *f) {
    assert(at < p->steps);
    const step *s = &p->step[at];
    f->at = at, f->anchor = -1;
    if (s->kind == STEP_KERNEL ? !join_kernel(p, s->kern, f) : !join_block(p, s, f)) return false;
    for (int i = 0; i < f->operands && f->anchor < 0; i++) {
        const state_entry *e = f->in[i].writes ? join_entry(p, f->in[i].buf) : NULL;
        if (e && e->dtype == WEFT_F32 && e->count == f->n && !f->in[i].off) f->anchor = i;
    }
    return f->anchor >= 0 && f->n > 0;
}

static bool join_same_program(const step *a, const step *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == STEP_BLOCK)
        return a->block == b->block && !memcmp(a->attr, b->attr, sizeof a->attr);
    if (a->kern->nins != b->kern->nins || a->kern->nview != b->kern->nview) return false;
    for (int i = 0; i < a->kern->nins; i++) {
        const kins *x = &a->kern->ins[i], *y = &b->kern->ins[i];
        if (x->op != y->op || x->type != y->type || x->level != y->level || x->a != y->a ||
            x->b != y->b || x->c != y->c || x->view != y->view || x->bits != y->bits ||
            x->arg2 != y->arg2)
            return false;
    }
    return true;
}

static uint32_t join_program(const step *s, const join_step *f) {
    uint64_t h = hash_word(HASH_START, (uint64_t)s->kind << 32 | (uint64_t)f->anchor);
    h = hash_word(h, s->kind == STEP_BLOCK ? s->block : s->kern->nins);
    for (int i = 0; s->kind == STEP_BLOCK && i < STEP_ATTRS; i++)
        h = hash_word(h, (uint64_t)s->attr[i]);
    for (int i = 0; s->kind == STEP_KERNEL && i < s->kern->nins; i++) {
        const kins *x = &s->kern->ins[i];
        h = hash_word(h,
                      (uint64_t)x->op << 48 | (uint64_t)x->a << 32 | (uint64_t)x->b << 16 | x->c);
        h = hash_word(h, (uint64_t)x->bits << 32 | (uint64_t)x->view << 16 | x->type);
    }
    for (int i = 0; i < f->operands; i++) h = hash_word(h, f->in[i].writes);
    return (uint32_t)(h >> 16);
}

/* Is it the same number, shared by both? In a loop of one element anything might be. */
static bool join_shared(const join_step *a, const join_step *b, int i) {
    assert(i >= 0 && i < a->operands && a->operands == b->operands);
    const join_operand *x = &a->in[i], *y = &b->in[i];
    return x->buf == y->buf && x->off == y->off && (x->number || a->n == 1) &&
           (y->number || b->n == 1);
}

static bool join_alike(const weft_plan *p, const join_step *a, const join_step *b) {
    assert(a->at != b->at);
    if (a->anchor != b->anchor || !join_same_program(&p->step[a->at], &p->step[b->at]))
        return false;
    for (int i = 0; i < a->operands; i++) {
        const join_operand *x = &a->in[i], *y = &b->in[i];
        if (!join_shared(a, b, i) && (x->number || y->number)) return false;
        if (x->writes != y->writes || (x->writes && x->buf == y->buf)) return false;
    }
    return true;
}

/* ---- where they lie ---- */

static const state_entry *join_place(const join *j, uint32_t i) {
    assert(i < j->flats);
    const join_step *f = &j->flat[i];
    return join_entry(j->p, f->in[f->anchor].buf);
}

static uint32_t join_state(const join *j, uint32_t i) {
    const join_step *f = &j->flat[i];
    return j->p->buf[f->in[f->anchor].buf].state;
}

static int join_by_place(const void *a, const void *b) {
    const join_key *x = a, *y = b;
    if (x->state != y->state) return x->state < y->state ? -1 : 1;
    if (x->segment != y->segment) return x->segment < y->segment ? -1 : 1;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->flat < y->flat ? -1 : x->flat > y->flat;
}

/* May the buffer be moved into a larger one? It must be all of it that is read. */
static bool join_free(const weft_plan *p, const join_operand *x, int64_t n) {
    assert(n > 0 && x->buf < p->bufs);
    const buffer *b = &p->buf[x->buf];
    return b->place == BUF_ARENA && b->alias == KNOBUF && b->dtype == WEFT_F32 && !x->off &&
           b->bytes == (size_t)n * sizeof(float);
}

static void join_use(join *j, uint32_t flat) {
    for (int i = 0; i < j->flat[flat].operands; i++) j->used[j->flat[flat].in[i].buf] = j->run;
}

/* Is the buffer of operand i no other operand's? */
static bool join_alone(const join_step *f, int i) {
    assert(i >= 0 && i < f->operands);
    for (int k = 0; k < f->operands; k++)
        if (k != i && f->in[k].buf == f->in[i].buf) return false;
    return true;
}

/* The same, and not of another step in the run so far? */
static bool join_new(const join *j, const join_step *f, int i) {
    return j->used[f->in[i].buf] != j->run && join_alone(f, i);
}

/* Are the operands entries of one slab, each directly behind the other? */
static bool join_neighbours(const weft_plan *p, uint32_t a, uint32_t b, size_t apart) {
    const state_entry *x = join_entry(p, a), *y = join_entry(p, b);
    if (!x || !y || x->dtype != y->dtype || (x->dtype != WEFT_F32 && !x->shadow)) return false;
    const size_t distance = apart / sizeof(float) * weft_dtype_size((weft_dtype)x->dtype);
    return p->buf[a].state == p->buf[b].state && x->segment == y->segment && x->slab == y->slab &&
           y->offset == x->offset + distance;
}

/* Memory of a buffer: bytes of the one it lies in. */
typedef struct join_bytes {
    uint32_t root;
    size_t from, to;
} join_bytes;

static join_bytes join_bytes_of(const weft_plan *p, uint32_t buf) {
    assert(buf < p->bufs);
    join_bytes r = {buf, 0, p->buf[buf].bytes};
    for (; p->buf[r.root].place == BUF_ALIAS; r.root = p->buf[r.root].alias)
        r.from += p->buf[r.root].alias_at, r.to += p->buf[r.root].alias_at;
    return r;
}

static bool join_overlap(const weft_plan *p, uint32_t a, uint32_t b) {
    if (a == KNOBUF || b == KNOBUF) return false;
    join_bytes x = join_bytes_of(p, a), y = join_bytes_of(p, b);
    return x.root == y.root && x.from < y.to && y.from < x.to;
}

/* Does the step touch, at another place of a slab or buffer, what a neighbour of it writes? Then
 * their order matters, which one loop shared by threads does not keep. */
static bool join_entangled(const weft_plan *p, const join_step *f) {
    for (int w = 0; w < f->operands; w++) {
        const join_operand *x = &f->in[w];
        const state_entry *e = join_entry(p, x->buf);
        for (int i = 0; x->writes && i < f->operands; i++) {
            const join_operand *y = &f->in[i];
            const state_entry *o = join_entry(p, y->buf);
            if (y->buf == x->buf && y->off == x->off) continue;
            bool slab = e && o && o->slab == e->slab && o->segment == e->segment &&
                        p->buf[x->buf].state == p->buf[y->buf].state;
            if (slab || join_bytes_of(p, x->buf).root == join_bytes_of(p, y->buf).root) return true;
        }
    }
    return false;
}

/* Does run[n] follow run[n - 1] in every operand that moves? `lie` has a bit for operands other
 * than entries that lie at the right distance already; the others can be moved there. */
static bool join_follows(const join *j, const uint32_t *run, size_t n, uint8_t *lie) {
    assert(n > 0);
    const weft_plan *p = j->p;
    const join_step *a = &j->flat[run[n - 1]], *b = &j->flat[run[n]];
    const state_entry *from = join_place(j, run[n - 1]);
    size_t apart = state_span(from);
    if (!join_neighbours(p, a->in[a->anchor].buf, b->in[b->anchor].buf, apart)) return false;
    if (join_entangled(p, b) || (n == 1 && join_entangled(p, a))) return false;
    for (int i = 0; i < a->operands; i++) {
        const join_operand *x = &a->in[i], *y = &b->in[i];
        bool shared = join_shared(a, b, i);
        if (n > 1 && shared != join_shared(&j->flat[run[0]], a, i)) return false;
        if (shared) continue;
        if (join_entry(p, x->buf) || join_entry(p, y->buf)) {
            if (!join_neighbours(p, x->buf, y->buf, apart) || x->off || y->off) return false;
            continue;
        }
        join_bytes u = join_bytes_of(p, x->buf), v = join_bytes_of(p, y->buf);
        size_t ux = u.from + (size_t)x->off * sizeof(float);
        size_t vy = v.from + (size_t)y->off * sizeof(float);
        bool lies = u.root == v.root && vy == ux + apart;
        if (n == 1) lie[i] = lies;
        if (lie[i] ? !lies
                   : !join_free(p, y, b->n) || !join_new(j, b, i) ||
                         (n == 1 && (!join_free(p, x, a->n) || !join_alone(a, i))))
            return false;
    }
    return true;
}

/* ---- order ---- */

static bool join_touches(const weft_plan *p, const step *s, uint32_t buf, bool writes_only) {
    assert(buf < p->bufs);
    for (int i = writes_only ? s->nin : 0; i < s->nin + s->nout; i++)
        if (join_overlap(p, s->in[i].buf, buf)) return true;
    for (int i = 0; s->kern && i < s->kern->nins; i++) {
        const kins *x = &s->kern->ins[i];
        if (x->op != K_STORE && (writes_only || (x->op != K_LOAD && x->op != K_TAKE))) continue;
        if (join_overlap(p, s->kern->view[x->view].buf, buf)) return true;
    }
    for (int v = 0; s->kern && !writes_only && v < s->kern->nview; v++)
        if (join_overlap(p, s->kern->view[v].at, buf)) return true;
    return false;
}

/* May each of the run be done where step `to`, its first or last, is? None of the others between may
 * touch the same memory, but where all only read. */
static bool join_may_move(join *j, const uint32_t *run, size_t n, size_t first, size_t last,
                          size_t to) {
    const weft_plan *p = j->p;
    bool may = true;
    size_t others = 0;
    assert(first <= to && to <= last && (to == first || to == last));
    for (size_t i = 0; i < n; i++) j->member[j->flat[run[i]].at] = 1;
    for (size_t s = first; s <= last; s++)
        if (!j->member[s]) j->other[others++] = (uint32_t)s;
    for (size_t i = 0; i < n && others && may; i++) {
        const join_step *f = &j->flat[run[i]];
        for (size_t k = 0; k < others && may; k++) {
            const uint32_t s = j->other[k];
            if (to == last ? s < f->at : s > f->at) continue;
            for (int o = 0; o < f->operands && may; o++)
                may = !join_touches(p, &p->step[s], f->in[o].buf, !f->in[o].writes);
        }
    }
    for (size_t i = 0; i < n; i++) j->member[j->flat[run[i]].at] = 0;
    return may;
}

/* ---- joining ---- */

/* A buffer for what lies at the places of operand i of all of the run. */
static bool join_gather(join *j, const uint32_t *run, size_t n, int i, size_t bytes) {
    assert(n > 1 && i >= 0 && i < JOIN_OPERANDS);
    weft_plan *p = j->p;
    buffer all = {.place = BUF_ARENA, .dtype = WEFT_F32, .alias = KNOBUF, .bytes = bytes};
    if (!MEM_PUSH(p->m, p->buf, p->bufs, p->buf_cap, all)) return false;
    buffer *slab = &p->buf[p->bufs - 1];
    for (size_t k = 0; k < n; k++) {
        buffer *b = &p->buf[j->flat[run[k]].in[i].buf];
        slab->pinned |= b->pinned;
        b->place = BUF_ALIAS;
        b->alias = (uint32_t)p->bufs - 1;
        b->alias_at = join_place(j, run[k])->offset - join_place(j, run[0])->offset;
    }
    j->flat[run[0]].in[i].buf = (uint32_t)p->bufs - 1;
    return true;
}

static bool join_merge(join *j, const uint32_t *run, size_t n, const uint8_t *lie, size_t to) {
    assert(n > 1);
    weft_plan *p = j->p;
    join_step *f = &j->flat[run[0]];
    const join_step *second = &j->flat[run[1]];
    const state_entry *begin = join_place(j, run[0]), *end = join_place(j, run[n - 1]);
    size_t bytes = end->offset - begin->offset + end->bytes;
    int64_t count = (int64_t)(bytes / sizeof(float));
    bool shared[JOIN_OPERANDS];
    for (int i = 0; i < f->operands; i++) shared[i] = join_shared(f, second, i);
    for (int i = 0; i < f->operands; i++)
        if (!shared[i] && !join_entry(p, f->in[i].buf) && !lie[i] &&
            !join_gather(j, run, n, i, bytes))
            return false;
    step s = p->step[f->at];
    for (size_t k = 0; k < n; k++) {
        size_t at = j->flat[run[k]].at;
        if (k) s.flops += p->step[at].flops, s.bytes += p->step[at].bytes;
        p->step[at] = (step){.kind = STEP_KINDS}; /* taken out at the end */
    }
    for (int i = 0; i < f->operands; i++) {
        if (s.kind == STEP_KERNEL) {
            kview *v = &s.kern->view[i];
            v->buf = f->in[i].buf;
            v->stride[0] = !shared[i];
            v->hi[0] = count;
        } else if (!shared[i]) {
            roperand *r = &s.in[i];
            r->buf = f->in[i].buf;
            r->rank = 1, r->stride[0] = 1, r->dim[0] = count;
        }
    }
    if (s.kind == STEP_KERNEL) s.kern->dim[0] = count;
    p->step[to] = s;
    return true;
}

/* Joins what follows each other among j->group. */
static bool join_group(join *j) {
    for (size_t a = 0; a < j->groups;) {
        size_t n = 1;
        uint8_t lie[JOIN_OPERANDS] = {0};
        const uint32_t *run = j->group + a;
        int64_t span = 0;
        size_t first = j->flat[run[0]].at, last = first;
        j->run++;
        join_use(j, run[0]);
        while (a + n < j->groups) {
            uint8_t tried[JOIN_OPERANDS];
            size_t at = j->flat[run[n]].at;
            memcpy(tried, lie, sizeof tried);
            span += (int64_t)(state_span(join_place(j, run[n - 1])) / sizeof(float));
            if (span + j->flat[run[n]].n > INT32_MAX || !join_follows(j, run, n, tried)) break;
            memcpy(lie, tried, sizeof lie);
            join_use(j, run[n]);
            first = at < first ? at : first, last = at > last ? at : last;
            n++;
        }
        bool late = n > 1 && join_may_move(j, run, n, first, last, last);
        bool early = n > 1 && !late && join_may_move(j, run, n, first, last, first);
        if ((late || early) && !join_merge(j, run, n, lie, late ? last : first)) return false;
        a += n;
    }
    return true;
}

/* j->group: the first one and what is alike, by address. */
static void join_collect(join *j, uint32_t first) {
    assert(first < j->flats);
    j->groups = 0;
    for (uint32_t i = first;; i = j->flat[i].next) {
        if (!j->done[i] && (i == first || join_alike(j->p, &j->flat[first], &j->flat[i]))) {
            const state_entry *e = join_place(j, i);
            j->key[j->groups++] = (join_key){join_state(j, i), e->segment, e->offset, i};
            j->done[i] = 1;
        }
        if (!j->flat[i].next) break;
    }
    qsort(j->key, j->groups, sizeof *j->key, join_by_place);
    for (size_t i = 0; i < j->groups; i++) j->group[i] = j->key[i].flat;
}

/* Finds the flat steps and chains those of one program. */
static void join_find(join *j) {
    const weft_plan *p = j->p;
    j->flats = 0;
    for (size_t i = 0; i < p->steps; i++) {
        join_step *f = &j->flat[j->flats];
        if (!join_candidate(&p->step[i]) || !join_flat(p, i, f)) continue;
        f->program = join_program(&p->step[i], f), f->next = 0;
        uint32_t *last = &j->chain[f->program & (j->chains - 1)];
        if (*last) j->flat[*last - 1].next = (uint32_t)j->flats;
        *last = (uint32_t)++j->flats;
    }
}

weft_err join_pass(compile *c) {
    weft_plan *p = c->plan;
    join j = {.c = c, .p = p};
    if (c->desc->portable || c->desc->watch) return WEFT_OK; /* entries apart, steps by name */
    for (size_t i = 0; i < p->steps; i++) j.flats += join_candidate(&p->step[i]);
    j.flat = mem_new(c->m, (j.flats + 1) * sizeof *j.flat);
    for (j.chains = 64; j.chains < j.flats;) j.chains *= 2;
    j.group = mem_new(c->m, (j.flats + 1) * sizeof *j.group);
    j.key = mem_new(c->m, (j.flats + 1) * sizeof *j.key);
    j.done = mem_new(c->m, j.flats + 1);
    j.member = mem_new(c->m, p->steps + 1);
    j.other = mem_new(c->m, (p->steps + 1) * sizeof *j.other);
    j.used = mem_new(c->m, (p->bufs + 1) * sizeof *j.used);
    j.chain = mem_new(c->m, j.chains * sizeof *j.chain);
    bool good = j.flat && j.group && j.key && j.done && j.member && j.other && j.used && j.chain;
    if (good) join_find(&j);
    for (uint32_t i = 0; good && i < j.flats; i++) {
        if (j.done[i]) continue;
        join_collect(&j, i);
        good = join_group(&j);
    }
    size_t kept = 0;
    for (size_t i = 0; i < p->steps; i++)
        if (p->step[i].kind != STEP_KINDS) p->step[kept++] = p->step[i];
    p->steps = kept;
    mem_free(c->m, j.flat);
    mem_free(c->m, j.group);
    mem_free(c->m, j.key);
    mem_free(c->m, j.done);
    mem_free(c->m, j.member);
    mem_free(c->m, j.other);
    mem_free(c->m, j.used);
    mem_free(c->m, j.chain);
    return good ? WEFT_OK : compile_no_memory(c);
}
