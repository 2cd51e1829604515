/* sliced_plan.c - from a net to runs of gates over slots.
 *
 * Memory decides how fast a large circuit runs, so gates go level by level, and inside a level in
 * an order in which neighbours read the same values: where each value is read twice, as in layers
 * of one width, the values and their readers form rings, and walking along them brings each value
 * near once. On the way gates are gathered into runs of one operation and one length, which spares
 * the processor all guessing. What a run makes goes where values have just been read for the last
 * time: that place is near as well, and the whole takes little more room than its widest level. */
#include "sliced.h"

#include <stdlib.h>
#include <string.h>

enum { PLAN_RUN = 64 }; /* gates of a run, but for a level's last ones */

typedef struct plan {
    const net *t;
    uint32_t n, levels;    /* nodes; levels, the inputs' included */
    uint32_t *level;       /* of a node */
    uint32_t *order;       /* gates in the order they run */
    uint32_t *begin;       /* [levels + 1]: where a level's gates begin in order */
    uint32_t *rank;        /* of a node: when it is first read */
    uint32_t *last;        /* of a node: the run that reads it last */
    uint32_t *slot;        /* of a node */
    uint32_t *head, *next; /* lists of inputs of gates, by what they read */
    uint32_t *spare;       /* a stack of free slots; before that, scratch */
    uint32_t spares, slots;
    uint64_t *key;       /* sorted: what by, and the node */
    unsigned char *seen; /* of a gate: it has its place in the order */
    unsigned char *want; /* of a node: 1: an output, 2: an output's complement */
    unsigned char *flip; /* of a node: its slot holds the complement */
    unsigned char *op, *swap;
} plan;

static uint32_t plan_read(const plan *p, uint32_t gate, uint32_t which) {
    return net_of(which ? p->t->node[gate].b : p->t->node[gate].a);
}

/* ---- levels ---- */

static void plan_levels(plan *p) {
    const uint32_t first = net_first(p->t);
    memset(p->level, 0, p->n * sizeof *p->level);
    p->levels = 1;
    for (uint32_t i = first; i < p->n; i++) {
        const uint32_t a = p->level[plan_read(p, i, 0)], b = p->level[plan_read(p, i, 1)];
        p->level[i] = (a > b ? a : b) + 1;
        if (p->level[i] >= p->levels) p->levels = p->level[i] + 1;
    }
    /* Counted, summed up, filled: each level's beginning moves to its end, which is the next's. */
    memset(p->begin, 0, ((size_t)p->levels + 1) * sizeof *p->begin);
    for (uint32_t i = first; i < p->n; i++) p->begin[p->level[i]]++;
    for (uint32_t l = 0, sum = 0; l <= p->levels; l++) {
        const uint32_t here = p->begin[l];
        p->begin[l] = sum;
        sum += here;
    }
    for (uint32_t i = first; i < p->n; i++) p->order[p->begin[p->level[i]]++] = i;
    memmove(p->begin + 1, p->begin, p->levels * sizeof *p->begin);
    p->begin[0] = 0;
}

/* ---- the order inside a level ---- */

static int plan_compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void plan_sort(plan *p, uint32_t *list, uint32_t n, const uint32_t *by) {
    for (uint32_t i = 0; i < n; i++) p->key[i] = (uint64_t)by[list[i]] << 32 | list[i];
    qsort(p->key, n, sizeof *p->key, plan_compare);
    for (uint32_t i = 0; i < n; i++) list[i] = (uint32_t)p->key[i];
}

/* From a value to one of its readers, to the other value that one reads, and so on until a value
 * has no reader left; then from the next. Input w of gate list[i] is number 2 i + w. */
static void plan_walk(plan *p, uint32_t *list, uint32_t n) {
    uint32_t values = 0, taken = 0, *const walked = p->spare;
    for (uint32_t e = 0; e < 2 * n; e++) p->head[plan_read(p, list[e / 2], e & 1)] = NET_SAME;
    for (uint32_t e = 2 * n; e-- > 0;) {
        uint32_t *const head = &p->head[plan_read(p, list[e / 2], e & 1)];
        values += *head == NET_SAME;
        p->next[e] = *head;
        *head = e;
    }
    if (4 * values < n) { /* few values, near whatever the order: better to write in sequence */
        plan_sort(p, list, n, p->rank);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        while (!p->seen[list[i]])
            for (uint32_t v = plan_read(p, list[i], 0), e; (e = p->head[v]) != NET_SAME;) {
                const uint32_t gate = list[e / 2];
                p->head[v] = p->next[e];
                if (p->seen[gate]) continue;
                p->seen[gate] = 1;
                walked[taken++] = gate;
                v = plan_read(p, gate, !(e & 1));
            }
    memcpy(list, walked, n * sizeof *list);
}

/* From the last level down, so that the order in which a level's values are read is known. */
static void plan_order(plan *p) {
    memset(p->seen, 0, p->n);
    for (uint32_t i = 0; i < p->n; i++) p->rank[i] = p->n;
    for (int i = 0; i < p->t->outputs; i++)
        p->rank[net_of(p->t->output[i])] = p->n + 1 + (uint32_t)i;
    for (uint32_t l = p->levels; l-- > 1;) {
        plan_walk(p, p->order + p->begin[l], p->begin[l + 1] - p->begin[l]);
        for (uint32_t i = p->begin[l + 1]; i-- > p->begin[l];)
            for (uint32_t w = 0; w < 2; w++) p->rank[plan_read(p, p->order[i], w)] = i;
    }
}

/* ---- operations ---- */

/* Slots may hold complements, and then readers ask for something else; so four operations are
 * enough, but for outputs, which come as they are wanted. */
static void plan_op(plan *p, uint32_t i) {
    static const unsigned char inverse[SLICED_OP_COUNT] = {
#define X(name, value, opposite) SLICED_##opposite,
        SLICED_OPS(X)
#undef X
    };
    const net_node g = p->t->node[i];
    const bool a = (g.a & 1) ^ p->flip[net_of(g.a)], b = (g.b & 1) ^ p->flip[net_of(g.b)];
    p->swap[i] = !g.is_xor && a && !b;
    if (g.is_xor) {
        p->op[i] = SLICED_XOR;
        p->flip[i] = a ^ b;
    } else { /* both inverted: the complement of a | b */
        p->op[i] = a != b ? SLICED_AND_NOT : a ? SLICED_OR : SLICED_AND;
        p->flip[i] = a && b;
    }
    if (!p->want[i] || p->flip[i] == (p->want[i] == 2)) return;
    p->op[i] = inverse[p->op[i]];
    p->flip[i] ^= 1;
}

static void plan_ops(plan *p) {
    memset(p->want, 0, p->n);
    memset(p->flip, 0, p->n);
    for (int i = p->t->outputs - 1; i >= 0; i--)
        p->want[net_of(p->t->output[i])] = p->t->output[i] & 1 ? 2 : 1;
    for (uint32_t i = net_first(p->t); i < p->n; i++) plan_op(p, i);
}

/* ---- runs ---- */

/* Sorts order into runs: a level's gates wait by operation until there are enough. */
static void plan_runs(plan *p, sliced *s) {
    uint32_t n = 0, *const sorted = p->spare;
    for (uint32_t l = 1; l < p->levels; l++) {
        uint32_t waiting[SLICED_OP_COUNT][PLAN_RUN], count[SLICED_OP_COUNT] = {0};
        for (uint32_t i = p->begin[l]; i < p->begin[l + 1] + SLICED_OP_COUNT; i++) {
            const bool flush = i >= p->begin[l + 1];
            const uint32_t op = flush ? i - p->begin[l + 1] : p->op[p->order[i]];
            if (!flush) waiting[op][count[op]++] = p->order[i];
            if (!count[op] || (!flush && count[op] < PLAN_RUN)) continue;
            memcpy(sorted + n, waiting[op], count[op] * sizeof *sorted);
            n += count[op];
            s->run[s->runs++] = (sliced_run){op, count[op]};
            count[op] = 0;
        }
    }
    memcpy(p->order, sorted, n * sizeof *sorted);
}

/* ---- slots ---- */

/* Gates of a run have no order among themselves, so what dies in it is free for the next. */
static void plan_slots(plan *p, const sliced *s) {
    for (uint32_t i = 0; i < p->n; i++) p->last[i] = p->slot[i] = NET_SAME;
    const uint32_t *list = p->order;
    for (int r = 0; r < s->runs; list += s->run[r++].gates)
        for (uint32_t e = 0; e < 2 * s->run[r].gates; e++)
            p->last[plan_read(p, list[e / 2], e & 1)] = (uint32_t)r;
    for (int i = 0; i < p->t->outputs; i++)
        p->last[net_of(p->t->output[i])] = (uint32_t)s->runs; /* after all */
    p->spares = p->slots = 0;
    for (uint32_t i = 1; i < net_first(p->t); i++)
        if (p->last[i] != NET_SAME) p->slot[i] = p->slots++;
    list = p->order;
    for (int r = 0; r < s->runs; list += s->run[r++].gates) {
        for (uint32_t i = 0; i < s->run[r].gates; i++)
            p->slot[list[i]] = p->spares ? p->spare[--p->spares] : p->slots++;
        for (uint32_t e = 0; e < 2 * s->run[r].gates; e++) {
            const uint32_t v = plan_read(p, list[e / 2], e & 1);
            if (p->last[v] != (uint32_t)r) continue;
            p->last[v] = NET_SAME; /* once */
            p->spare[p->spares++] = p->slot[v];
        }
    }
}

/* ---- all of it ---- */

static bool plan_memory(plan *p, weft_ctx *c, uint32_t **memory) {
    const size_t n = (size_t)p->n + 2;
    *memory = weft_resize(c, NULL, n * (12 * sizeof **memory + 5));
    if (!*memory) return false;
    p->key = (uint64_t *)*memory;
    uint32_t **const list[] = {&p->level, &p->last, &p->order, &p->begin, &p->rank,
                               &p->slot,  &p->head, &p->spare, &p->next};
    uint32_t *at = *memory + 2 * n;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++, at += n) *list[i] = at;
    unsigned char **const byte[] = {&p->seen, &p->want, &p->flip, &p->op, &p->swap};
    unsigned char *bytes = (unsigned char *)(at + n); /* next has twice the room */
    for (size_t i = 0; i < sizeof byte / sizeof *byte; i++, bytes += n) *byte[i] = bytes;
    return true;
}

/* What is wanted in both forms, or is a constant or the complement of an input, takes gates and
 * slots of its own: the last two slots are false and true. */
static uint32_t plan_output(plan *p, sliced *s, net_literal x, uint32_t *complement) {
    const uint32_t v = net_of(x);
    if (v == 0) return SLICED_LINE * (p->slots + (x & 1));
    if ((x & 1) == p->flip[v]) return SLICED_LINE * p->slot[v];
    if (complement[v] == NET_SAME) {
        complement[v] = SLICED_LINE * p->slots;
        s->gate[s->gates++] = sliced_gate_of(p->slots++, p->slot[v], p->slot[v]);
        s->run[s->runs++] = (sliced_run){SLICED_NAND, 1};
    }
    return complement[v];
}

static void plan_fill(plan *p, sliced *s) {
    uint32_t *const complement = p->head;
    for (uint32_t i = 0; i < p->n - net_first(p->t); i++) {
        const uint32_t v = p->order[i], swap = p->swap[v];
        s->gate[s->gates++] = sliced_gate_of(p->slot[v], p->slot[plan_read(p, v, swap)],
                                             p->slot[plan_read(p, v, !swap)]);
    }
    for (uint32_t i = 0; i < p->n; i++) complement[i] = NET_SAME;
    /* Constants come last, when the number of slots is known. */
    for (int constants = 0; constants < 2; constants++)
        for (int i = 0; i < s->outputs; i++)
            if (constants == !net_of(p->t->output[i]))
                s->output[i] = plan_output(p, s, p->t->output[i], complement);
    for (int i = 0; i < s->inputs; i++) {
        const uint32_t slot = p->slot[i + 1];
        s->input[i] = slot == NET_SAME ? NET_SAME : SLICED_LINE * slot;
    }
}

static bool plan_arena(weft_ctx *c, sliced *s, size_t slots) {
    s->arena_memory = weft_resize(c, NULL, (slots + 3) * SLICED_LINE);
    if (!s->arena_memory) return false;
    const uintptr_t at = (uintptr_t)s->arena_memory;
    s->arena = (unsigned char *)s->arena_memory + (SLICED_LINE - at % SLICED_LINE) % SLICED_LINE;
    memset(s->arena + slots * SLICED_LINE, 0, SLICED_LINE);
    memset(s->arena + (slots + 1) * SLICED_LINE, 255, SLICED_LINE);
    return true;
}

static sliced *plan_sliced(plan *p, weft_ctx *c) {
    const size_t inputs = (size_t)p->t->inputs, outputs = (size_t)p->t->outputs;
    const size_t most = p->n - net_first(p->t) + outputs + 1; /* gates, complements with them */
    sliced *const s = weft_resize(c, NULL, sizeof *s);
    if (!s) return NULL;
    *s = (sliced){.inputs = (int)inputs, .outputs = (int)outputs};
    s->input = weft_resize(c, NULL, (inputs + outputs + 1) * sizeof *s->input);
    s->gate = weft_resize(c, NULL, most * sizeof *s->gate);
    s->run = weft_resize(c, NULL, most * sizeof *s->run);
    bool good = s->input && s->gate && s->run;
    if (good) {
        s->output = s->input + inputs;
        plan_levels(p);
        plan_order(p);
        plan_ops(p);
        plan_runs(p, s);
        plan_slots(p, s);
        plan_fill(p, s);
        good = p->slots <= SLICED_SLOTS && plan_arena(c, s, p->slots);
    }
    if (good) return s;
    sliced_free(c, s);
    return NULL;
}

void sliced_free(weft_ctx *c, sliced *s) {
    if (!s) return;
    weft_resize(c, s->input, 0);
    weft_resize(c, s->gate, 0);
    weft_resize(c, s->run, 0);
    weft_resize(c, s->arena_memory, 0);
    weft_resize(c, s, 0);
}

sliced *sliced_plan(const weft_circuit *k) {
    net t;
    sliced *s = NULL;
    uint32_t *memory = NULL, slots = 0;
    if (net_from(&t, k)) {
        plan p = {.t = &t, .n = (uint32_t)t.n};
        if (plan_memory(&p, k->c, &memory)) s = plan_sliced(&p, k->c);
        slots = p.slots;
    }
    weft_resize(k->c, memory, 0);
    net_free(&t);
    if (!s && slots > SLICED_SLOTS)
        weft_fail(k->c, WEFT_UNSUPPORTED,
                  "running needs %u values at the same time, and %d are the most", (unsigned)slots,
                  SLICED_SLOTS);
    else if (!s)
        weft_fail(k->c, WEFT_MEMORY, "out of memory to run a circuit of %d gates", k->gates);
    return s;
}
