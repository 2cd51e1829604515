/* beam.c - a search that follows a policy: layer by layer, the best so far of each.
 *
 * A layer is made of all states that one more action leads to from the layer before. Its states are
 * ranked by the sum of the policy's scores on the way to them, and the first `width` that the
 * search has not met before stay. The first solved state ends it, so no shorter solution lies in the
 * layers that were kept.
 *
 * All memory is made with the search: kept states are numbered in order of time, and a table of
 * their places by hash tells what was met. Entries carry the number of the search, so that nothing
 * has to be cleared between two. */
#include "rl/entry.h"

#include <math.h>
#include <string.h>

enum { BEAM_WIDTH = 64, BEAM_STEPS = 50, BEAM_BYTE = 256 };

typedef struct beam_node {
    uint32_t from; /* the node before it */
    int32_t action;
    float score;
} beam_node;

typedef struct beam_child {
    uint32_t rank;  /* smaller is better: a float turned into a number that sorts */
    uint32_t place; /* parent times actions, plus action */
} beam_child;

struct weft_beam {
    weft_ctx *c;
    weft_puzzle p;
    weft_beam_desc d;
    uint32_t mask;      /* of the table, whose size is a power of two */
    uint32_t search;    /* number of this search, never 0 */
    beam_node *node;    /* [room] */
    uint8_t *state;     /* [room, size] */
    uint64_t *met;      /* [mask + 1] search << 32 | node */
    float *score;       /* [width, actions] */
    beam_child *child;  /* [width x actions] */
    beam_child *sorted; /* [width x actions] */
    uint8_t *next;      /* [width x actions, size] states of the children */
};

/* ---- making ---- */

static weft_err beam_check(weft_ctx *c, const weft_puzzle *p, const weft_beam_desc *d) {
    if (!p || !d || !p->turn || !p->solved || !d->policy)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_beam_new: a puzzle with its functions and a policy were expected");
    if (p->size < 1 || p->size > 4096 || p->actions < 1 || p->actions > 4096)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_beam_new: states of %zu bytes and %d actions; 1 to 4096 of each "
                         "were expected",
                         p->size, p->actions);
    if (d->width < 0 || d->width > 1 << 22 || d->steps < 0 || d->steps > 1 << 20)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_beam_new: width %d and %d steps; at most %d and %d were expected",
                         d->width, d->steps, 1 << 22, 1 << 20);
    return WEFT_OK;
}

weft_beam *weft_beam_new(weft_ctx *c, const weft_puzzle *p, const weft_beam_desc *d) {
    if (beam_check(c, p, d)) return NULL;
    weft_beam *b = rl_memory(c, sizeof *b, "weft_beam_new");
    if (!b) return NULL;
    b->c = c, b->p = *p, b->d = *d;
    if (!b->d.width) b->d.width = BEAM_WIDTH;
    if (!b->d.steps) b->d.steps = BEAM_STEPS;
    const uint64_t room = (uint64_t)b->d.width * (uint64_t)b->d.steps + 1;
    const uint64_t children = (uint64_t)b->d.width * (uint64_t)p->actions;
    uint64_t slots = 16;
    while (slots < 2 * room) slots *= 2;
    if (slots > (uint64_t)1 << 31 || children > (uint64_t)1 << 31) {
        weft_fail(c, WEFT_ARGUMENT, "weft_beam_new: width %d times %d steps is too much to keep",
                  b->d.width, b->d.steps);
        weft_beam_free(b);
        return NULL;
    }
    b->mask = (uint32_t)slots - 1;
    /* One block, whose parts begin where the lines of a cache do. */
    const uint64_t bytes[] = {room * sizeof *b->node,      room * p->size,
                              slots * sizeof *b->met,      children * sizeof *b->score,
                              children * sizeof *b->child, children * sizeof *b->sorted,
                              children * (uint64_t)p->size};
    enum { PARTS = sizeof bytes / sizeof *bytes };
    uint64_t at[PARTS], total = 0;
    for (int i = 0; i < PARTS; i++) {
        at[i] = total;
        total += (bytes[i] + 63) / 64 * 64;
    }
    uint8_t *const m = total > SIZE_MAX ? NULL : rl_memory(c, (size_t)total, "weft_beam_new");
    if (!m) {
        weft_beam_free(b);
        return NULL;
    }
    b->node = (void *)(m + at[0]), b->state = m + at[1], b->met = (void *)(m + at[2]);
    b->score = (void *)(m + at[3]), b->child = (void *)(m + at[4]);
    b->sorted = (void *)(m + at[5]), b->next = m + at[6];
    return b;
}

void weft_beam_free(weft_beam *b) {
    if (!b) return;
    if (b->node) weft_resize(b->c, b->node, 0); /* the first part of the block */
    weft_resize(b->c, b, 0);
}

/* ---- states that were met ---- */

static uint32_t beam_hash(const uint8_t *state, size_t size) {
    uint64_t h = size, part;
    for (; size > 8; size -= 8, state += 8) {
        memcpy(&part, state, 8);
        h = (h ^ part) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    part = 0;
    memcpy(&part, state, size);
    h = (h ^ part) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

/* Adds the state as this node unless it was met before; false: it was. */
static bool beam_meet(weft_beam *b, const uint8_t *state, uint32_t node) {
    const size_t size = b->p.size;
    const uint64_t search = (uint64_t)b->search << 32;
    for (uint32_t at = beam_hash(state, size);; at++) {
        uint64_t *const slot = &b->met[at & b->mask];
        if (*slot >> 32 != b->search) {
            *slot = search | node;
            memcpy(b->state + (size_t)node * size, state, size);
            return true;
        }
        if (memcmp(b->state + (size_t)(uint32_t)*slot * size, state, size) == 0) return false;
    }
}

/* ---- ranking ---- */

/* The greatest float has the least number. */
static uint32_t beam_rank(float score) {
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    return bits >> 31 ? bits : ~bits & 0x7fffffffu;
}

/* Sorts by rank, a byte at a time from the lowest; equals stay in the order they came in. Gives the
 * array that holds the result. */
static const beam_child *beam_sort(weft_beam *b, uint32_t n) {
    uint32_t count[4][BEAM_BYTE] = {{0}};
    beam_child *from = b->child, *to = b->sorted;
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) count[k][from[i].rank >> 8 * k & 255]++;
    for (int k = 0; k < 4; k++) {
        if (n && count[k][from[0].rank >> 8 * k & 255] == n) continue; /* the same in all */
        uint32_t start[BEAM_BYTE], sum = 0;
        for (int i = 0; i < BEAM_BYTE; i++) start[i] = sum, sum += count[k][i];
        for (uint32_t i = 0; i < n; i++) to[start[from[i].rank >> 8 * k & 255]++] = from[i];
        beam_child *const other = from;
        from = to, to = other;
    }
    return from;
}

/* ---- searching ---- */

/* The way to a child of `from`. */
static int beam_way(const weft_beam *b, uint32_t from, int action, int32_t *actions) {
    int n = 1;
    for (uint32_t at = from; at; at = b->node[at].from) n++;
    actions[n - 1] = action;
    for (uint32_t at = from, i = (uint32_t)n - 1; at; at = b->node[at].from)
        actions[--i] = b->node[at].action;
    return n;
}

/* Makes the children of nodes begin .. end - 1; gives how many, or -1 when one of them is solved:
 * then *solved is its place. */
static int64_t beam_expand(weft_beam *b, uint32_t begin, uint32_t end, uint32_t *solved) {
    const size_t size = b->p.size;
    const uint32_t actions = (uint32_t)b->p.actions;
    uint32_t n = 0;
    for (uint32_t i = 0; i < end - begin; i++)
        for (uint32_t a = 0; a < actions; a++) {
            const uint32_t place = i * actions + a;
            const float score = b->node[begin + i].score + b->score[place];
            uint8_t *const state = b->next + (size_t)place * size;
            if (!(score > -INFINITY)) continue; /* the policy rules it out */
            memcpy(state, b->state + (size_t)(begin + i) * size, size);
            if (!b->p.turn(state, (int)a)) continue;
            if (b->p.solved(state)) {
                *solved = place;
                return -1;
            }
            b->child[n++] = (beam_child){beam_rank(score), place};
        }
    return n;
}

/* Keeps the best of n children that were not met before; gives the end of the new layer. */
static uint32_t beam_keep(weft_beam *b, uint32_t begin, uint32_t end, uint32_t n) {
    const uint32_t actions = (uint32_t)b->p.actions;
    const beam_child *const best = beam_sort(b, n);
    uint32_t at = end;
    for (uint32_t i = 0; i < n && at - end < (uint32_t)b->d.width; i++) {
        const uint32_t place = best[i].place, from = begin + place / actions;
        if (!beam_meet(b, b->next + (size_t)place * b->p.size, at)) continue;
        b->node[at++] = (beam_node){.from = from,
                                    .action = (int32_t)(place % actions),
                                    .score = b->node[from].score + b->score[place]};
    }
    return at;
}

weft_err weft_beam_solve(weft_beam *b, const void *state, int32_t *actions, int *n) {
    if (!b || !state || !actions || !n)
        return weft_fail(b ? b->c : NULL, WEFT_ARGUMENT,
                         "weft_beam_solve: a search, a state and room for the result were "
                         "expected");
    *n = 0;
    if (b->p.solved(state)) return WEFT_OK;
    if (++b->search == 0) { /* after 2^32 searches old entries would look new */
        memset(b->met, 0, ((size_t)b->mask + 1) * sizeof *b->met);
        b->search = 1;
    }
    *n = -1;
    b->node[0] = (beam_node){0};
    beam_meet(b, state, 0);
    uint32_t begin = 0, end = 1;
    for (int step = 0; step < b->d.steps && begin < end; step++) {
        const size_t size = b->p.size;
        uint32_t solved = 0;
        const weft_err e =
            b->d.policy(b->d.user, b->state + (size_t)begin * size, (int)(end - begin), b->score);
        if (e) return e;
        const int64_t made = beam_expand(b, begin, end, &solved);
        if (made < 0) {
            const uint32_t count = (uint32_t)b->p.actions;
            *n = beam_way(b, begin + solved / count, (int)(solved % count), actions);
            return WEFT_OK;
        }
        const uint32_t last = beam_keep(b, begin, end, (uint32_t)made);
        begin = end, end = last;
    }
    return WEFT_OK;
}

/* ---- the cube ---- */

static bool beam_cube_turn(void *state, int action) {
    uint32_t *const cube = state;
    *cube = weft_cube_turn(*cube, action);
    return true;
}

static bool beam_cube_solved(const void *state) {
    return *(const uint32_t *)state == 0;
}

const weft_puzzle *weft_cube_puzzle(void) {
    static const weft_puzzle cube = {sizeof(uint32_t), WEFT_CUBE_ACTIONS, beam_cube_turn,
                                     beam_cube_solved};
    return &cube;
}
