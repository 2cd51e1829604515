/* automaton.c - cells that see their neighbours and change by gates, all by the same ones.
 *
 * The gates of a step are one network: 9 inputs for each channel, a copy of every kernel for each
 * channel with the same rows of logits, then the update. Boards are recorded as [channels, boards,
 * height, width], so that the neighbourhoods of all cells are nine shifted views of them. */
#include "logic/soft.h"

#include <weft/rl.h>

#include <stdio.h>
#include <string.h>

enum {
    AUTOMATON_LAYERS = 64,
    AUTOMATON_SEEN = 9,
    AUTOMATON_CENTRE = 4,
    AUTOMATON_AROUND = 8,
    AUTOMATON_WIDEST = 16 /* of the layers that perceive */
};

struct weft_automaton {
    weft_ctx *c;
    weft_logic *logic;
    int channels, kernels;
    int gates, told; /* of a kernel over one channel, and how many values it ends with */
    bool wrap;
};

/* ---- wiring ---- */

typedef struct automaton_draft {
    const weft_automaton_desc *d;
    weft_ctx *c;
    weft_logic *l;
    int32_t *pairs, *now, *next; /* room for the widest layer */
    uint64_t layers;             /* wired so far: each has a seed of its own */
} automaton_draft;

static uint64_t automaton_seed(automaton_draft *a) {
    a->layers++;
    return a->d->seed ? a->d->seed * UINT64_C(0x9e3779b97f4a7c15) + a->layers : 0;
}

static int automaton_widest(const weft_automaton_desc *d) {
    int most = d->channels * (1 + d->kernels * AUTOMATON_WIDEST);
    for (int i = 0; d->perceive[i]; i++)
        if (d->perceive[i] > most) most = d->perceive[i];
    for (int i = 0; d->update[i]; i++)
        if (d->update[i] > most) most = d->update[i];
    return most;
}

/* The first layer: gate i reads a neighbour and the centre. */
static void automaton_look(int channel, uint64_t seed, int32_t pairs[AUTOMATON_AROUND][2]) {
    const int32_t first = (int32_t)channel * AUTOMATON_SEEN;
    weft_rng r;
    weft_rng_seed(&r, seed, 0);
    for (int i = 0; i < AUTOMATON_AROUND; i++)
        pairs[i][0] = first + i + (i >= AUTOMATON_CENTRE), pairs[i][1] = first + AUTOMATON_CENTRE;
    for (int i = AUTOMATON_AROUND - 1; i > 0 && seed; i--) {
        const int k = (int)weft_rng_below(&r, (uint32_t)i + 1);
        const int32_t other = pairs[i][0];
        pairs[i][0] = pairs[k][0], pairs[k][0] = other;
    }
}

/* One kernel over one channel. Rows begin at `row`, or are new; all kernels have one wiring: that of
 * layer k is drawn from seed[k]. Gives how many values it ends with, or -1. */
static int automaton_kernel(automaton_draft *a, int channel, int row, const uint64_t *seed,
                            int32_t out[AUTOMATON_WIDEST]) {
    const weft_automaton_desc *const d = a->d;
    int32_t look[AUTOMATON_AROUND][2], before[AUTOMATON_WIDEST];
    automaton_look(channel, seed[0], look);
    int n = AUTOMATON_AROUND;
    if (weft_logic_layer(a->l, NULL, n, look[0], row, out)) return -1;
    for (int k = 1, at = row < 0 ? -1 : row + n; d->perceive[k]; k++) {
        const int width = d->perceive[k];
        memcpy(before, out, (size_t)n * sizeof *before);
        if (weft_wire(a->c, WEFT_WIRING_UNIQUE, n, width, seed[k], a->pairs) ||
            weft_logic_layer(a->l, before, width, a->pairs, at, out))
            return -1;
        if (at >= 0) at += width;
        n = width;
    }
    return n;
}

/* Of a kernel over one channel. */
static int automaton_gates(const weft_automaton_desc *d) {
    int n = 0;
    for (const int *w = d->perceive; *w; w++) n += *w;
    return n;
}

/* Every kernel over every channel, and then [centres] ++ [channel, value, kernel] as a->now; gives
 * how many, or -1. */
static int automaton_perceive(automaton_draft *a) {
    const weft_automaton_desc *const d = a->d;
    const int rows = automaton_gates(d);
    uint64_t seed[AUTOMATON_LAYERS];
    for (int k = 0; d->perceive[k]; k++) seed[k] = automaton_seed(a);
    int n = 0;
    for (int c = 0; c < d->channels; c++)
        a->now[c] = (int32_t)c * AUTOMATON_SEEN + AUTOMATON_CENTRE;
    for (int c = 0; c < d->channels; c++)
        for (int k = 0; k < d->kernels; k++) {
            n = automaton_kernel(a, c, c ? k * rows : -1, seed, a->next);
            for (int i = 0; i < n; i++)
                a->now[d->channels + (c * n + i) * d->kernels + k] = a->next[i];
            if (n < 0) return -1;
        }
    return d->channels * (1 + n * d->kernels);
}

static weft_err automaton_wire(automaton_draft *a) {
    int n = automaton_perceive(a);
    for (int k = 0; n > 0 && a->d->update[k]; k++) {
        const int width = a->d->update[k];
        if (weft_wire(a->c, WEFT_WIRING_UNIQUE, n, width, automaton_seed(a), a->pairs) ||
            weft_logic_layer(a->l, a->now, width, a->pairs, -1, a->next))
            return weft_error_code(a->c);
        int32_t *const other = a->now;
        a->now = a->next, a->next = other;
        n = width;
    }
    return n > 0 ? weft_logic_output(a->l, n, a->now) : weft_error_code(a->c);
}

static weft_err automaton_acceptable(weft_ctx *c, const weft_automaton_desc *d) {
    if (!d || !d->perceive || !d->update || d->channels < 1 || d->kernels < 1 ||
        d->channels > 4096 || d->kernels > 4096 || d->perceive[0] != AUTOMATON_AROUND ||
        !d->update[0])
        return weft_fail(
            c, WEFT_ARGUMENT,
            "weft_automaton_new: channels, kernels, perceiving layers that begin with 8 "
            "and updating ones were expected");
    int layers = 0, last = 0;
    for (const int *w = d->perceive; *w; w++, layers++)
        if (*w < 1 || *w > AUTOMATON_WIDEST || layers == AUTOMATON_LAYERS - 1)
            return weft_fail(
                c, WEFT_ARGUMENT,
                "weft_automaton_new: perceiving layer %d has %d gates; at most %d layers "
                "of 1 to %d were expected",
                layers + 1, *w, AUTOMATON_LAYERS - 1, AUTOMATON_WIDEST);
    for (const int *w = d->update; *w; w++) {
        if (*w < 1)
            return weft_fail(c, WEFT_ARGUMENT, "weft_automaton_new: a layer of %d gates", *w);
        last = *w;
    }
    if (last != d->channels)
        return weft_fail(
            c, WEFT_ARGUMENT,
            "weft_automaton_new: the last layer has %d gates; one for each of %d channels "
            "was expected",
            last, d->channels);
    return WEFT_OK;
}

weft_automaton *weft_automaton_new(weft_ctx *c, const weft_automaton_desc *d) {
    if (automaton_acceptable(c, d)) return NULL;
    const size_t most = (size_t)automaton_widest(d);
    weft_automaton *a = weft_resize(c, NULL, sizeof *a);
    int32_t *room = weft_resize(c, NULL, 4 * most * sizeof *room);
    weft_logic *l = weft_logic_new(c, d->channels * AUTOMATON_SEEN);
    automaton_draft draft = {.d = d, .c = c, .l = l};
    if (a && room && l) {
        int last = 0;
        while (d->perceive[last + 1]) last++;
        *a = (weft_automaton){.c = c,
                              .logic = l,
                              .channels = d->channels,
                              .kernels = d->kernels,
                              .gates = automaton_gates(d),
                              .told = d->perceive[last],
                              .wrap = d->wrap};
        draft.pairs = room, draft.now = room + 2 * most, draft.next = room + 3 * most;
        if (!automaton_wire(&draft)) {
            weft_resize(c, room, 0);
            return a;
        }
    } else weft_fail(c, WEFT_MEMORY, "weft_automaton_new: out of memory");
    weft_logic_free(l);
    weft_resize(c, room, 0);
    weft_resize(c, a, 0);
    return NULL;
}

void weft_automaton_free(weft_automaton *a) {
    if (!a) return;
    weft_logic_free(a->logic);
    weft_resize(a->c, a, 0);
}

const weft_logic *weft_automaton_logic(const weft_automaton *a) {
    return a->logic;
}

weft_ctx *automaton_ctx(const weft_automaton *a) {
    return a->c;
}
bool automaton_wraps(const weft_automaton *a) {
    return a->wrap;
}

/* ---- where learning begins ---- */

enum { AUTOMATON_KERNEL = AUTOMATON_LAYERS * AUTOMATON_WIDEST }; /* gates of one, at most */

/* The neighbours that a value of a kernel over the first channel can pass on, a bit each. */
static unsigned automaton_reach(const weft_logic *l, const unsigned *reach, int first, int value) {
    if (value >= l->inputs) return reach[value - l->inputs - first];
    return value == AUTOMATON_CENTRE ? 0 : 1U << value;
}

/* The neighbour whose turn it is: those beside the cell come first, a step to one that lies across
 * a corner is two of theirs. */
static unsigned automaton_turn(unsigned reach, int turn) {
    static const int order[AUTOMATON_AROUND] = {1, 3, 5, 7, 0, 2, 6, 8};
    unsigned found[AUTOMATON_AROUND];
    int n = 0;
    for (int i = 0; i < AUTOMATON_AROUND; i++)
        if (reach >> order[i] & 1) found[n++] = 1U << order[i];
    return n ? found[turn % n] : 0;
}

static void automaton_pass(float *logits, int row, int kind, float pass) {
    for (int i = 0; i < WEFT_GATE_KINDS; i++)
        logits[(size_t)row * WEFT_GATE_KINDS + (size_t)i] = i == kind ? pass : 0;
}

/* Gates on the way from what kernel k tells down to a neighbour pass on that one. */
static void automaton_look_out(const weft_automaton *a, int k, float pass, float *logits) {
    const weft_logic *const l = a->logic;
    const int first = k * a->gates; /* kernels over the first channel are the first gates */
    unsigned reach[AUTOMATON_KERNEL];
    for (int i = 0; i < a->gates; i++) {
        const weft_gate gate = l->gate[first + i];
        reach[i] =
            automaton_reach(l, reach, first, gate.a) | automaton_reach(l, reach, first, gate.b);
    }
    for (int told = a->gates - a->told; told < a->gates; told++) {
        const unsigned wanted = automaton_turn(reach[told], k);
        for (int value = l->inputs + first + told; value >= l->inputs;) {
            const weft_gate gate = l->gate[value - l->inputs];
            const bool other = !(automaton_reach(l, reach, first, gate.a) & wanted);
            automaton_pass(logits, gate.row, other ? WEFT_GATE_B : WEFT_GATE_A, pass);
            value = other ? gate.b : gate.a;
        }
    }
}

void weft_automaton_init(const weft_automaton *a, float pass, float *logits) {
    for (int i = 0; i < weft_logic_rows(a->logic); i++)
        automaton_pass(logits, i, WEFT_GATE_A, pass);
    for (int k = 0; k < a->kernels; k++) automaton_look_out(a, k, pass, logits);
}

/* ---- a step ---- */

/* One more row above and below: those of the other side, or zeros. */
static weft_tensor automaton_rim(weft_tensor x, bool wrap) {
    if (!wrap) return weft_pad(x, 2, 1, 1, 0);
    const int64_t n = weft_dim(x, 2);
    const weft_tensor parts[3] = {weft_slice(x, 2, n - 1, n, 1), x, weft_slice(x, 2, 0, 1, 1)};
    return weft_concat((weft_tensors){parts, 3}, 2);
}

/* 1 where a neighbour to the right (1) or left (-1) is in the same row of the board. */
static weft_tensor automaton_inside(const weft_automaton *a, weft_graph *g, int64_t height,
                                    int64_t width, int64_t right) {
    const int64_t n = height * width;
    float *const mask = weft_resize(a->c, NULL, (size_t)n * sizeof *mask + 1);
    if (!mask) return weft_poison(g, WEFT_MEMORY, "weft_automaton_step: out of memory");
    for (int64_t i = 0; i < n; i++) mask[i] = i % width + right >= 0 && i % width + right < width;
    const weft_tensor t = weft_const(g, WEFT_F32, weft_dims(1, 1, n), mask);
    weft_resize(a->c, mask, 0);
    return t;
}

/* What lies at each of the nine places around a cell: [channels, boards, cells of a board]. A board
 * is moved along as one long row, and a mask mends what comes over its sides: long rows are moved at
 * once, the short ones of a board are not. */
static void automaton_see(const weft_automaton *a, weft_tensor cells, weft_tensor *seen) {
    const weft_shape s = weft_shape_of(cells);
    const int64_t height = s.n[2], width = s.n[3], n = height * width;
    const weft_tensor rows =
        weft_reshape(automaton_rim(cells, a->wrap), weft_dims(s.n[0], s.n[1], n + 2 * width));
    const weft_tensor wide = weft_pad(rows, 2, width, width, 0);
    for (int k = 0; k < AUTOMATON_SEEN; k++) {
        const int64_t right = k % 3 - 1, from = (1 + k / 3) * width + right;
        seen[k] = weft_slice(wide, 2, from, from + n, 1);
        if (!right) continue;
        const weft_tensor inside = automaton_inside(a, cells.g, height, width, right);
        seen[k] = weft_mul(seen[k], inside);
        if (!a->wrap) continue;
        const int64_t around = from - right * width;
        const weft_tensor other = weft_slice(wide, 2, around, around + n, 1);
        seen[k] = weft_add(seen[k], weft_mul(other, weft_sub(weft_scalar(cells.g, 1), inside)));
    }
}

weft_tensor weft_automaton_step(const weft_automaton *a, weft_tensor cells, weft_tensor coef) {
    if (!weft_ok(cells)) return cells;
    if (weft_rank(cells) != 4 || weft_dim(cells, 0) != a->channels)
        return weft_poison(
            cells.g, WEFT_SHAPE,
            "weft_automaton_step: cells of rank %d, %lld channels; [%d, boards, height, "
            "width] was expected",
            weft_rank(cells), (long long)weft_dim(cells, 0), a->channels);
    weft_tensor seen[AUTOMATON_SEEN];
    automaton_see(a, cells, seen);
    const weft_shape s = weft_shape_of(cells);
    const weft_tensor x =
        weft_reshape(weft_stack((weft_tensors){seen, AUTOMATON_SEEN}, 1),
                     weft_dims(AUTOMATON_SEEN * a->channels, s.n[1] * s.n[2] * s.n[3]));
    return weft_reshape(weft_logic_record(a->logic, x, coef), s);
}

weft_tensor weft_automaton_async(weft_tensor cells, weft_tensor next, float share) {
    if (!weft_ok(cells)) return cells;
    weft_shape one = weft_shape_of(cells);
    one.n[0] = 1;
    const weft_tensor go = weft_lt(weft_uniform(cells.g, one), weft_scalar(cells.g, share));
    return weft_where(go, next, cells);
}

weft_tensor weft_automaton_round(weft_tensor cells, weft_tensor share) {
    if (!weft_ok(cells) || !weft_ok(share)) return weft_ok(cells) ? share : cells;
    const weft_tensor bits = weft_cast(weft_gt(cells, weft_scalar(cells.g, 0.5f)), WEFT_F32);
    const weft_tensor some = weft_lt(weft_uniform(cells.g, weft_shape_of(cells)), share);
    return weft_straight_through(weft_where(some, bits, cells), cells);
}
