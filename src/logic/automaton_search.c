/* automaton_search.c - better gates for an automaton, by trying.
 *
 * Learning brings most cells of a picture right in hard mode. From there it can go on without a
 * gradient: a gate is made another kind, the automaton runs again, and the change stays unless more
 * cells are wrong than before. Changes that make no difference stay too: they lead out of dead ends.
 *
 * A board is a row of bits, so a gate works on all cells at once. What every value was in every step
 * is kept, and after a change only what differs is computed again, where the shown cells of the last
 * step can see it; lists of what was overwritten take the change back. Knows nothing of learning. */
#include "logic/soft.h"

#include <weft/rl.h>

#include <string.h>

enum {
    SEARCH_WORDS = 8, /* of 64 cells */
    SEARCH_CELLS = 64 * SEARCH_WORDS,
    SEARCH_STEPS = 32, /* a bit each */
    SEARCH_SEEN = 9,
    SEARCH_SHIFTS = 4 * SEARCH_SEEN, /* edges that meet: one place may lie beyond two of them */
    SEARCH_SMALL = 1000, /* values that any change may touch; what touches, beyond them, ... */
    SEARCH_LARGE = 16,   /* ... such a part of all is given up: it is no mend; ... */
    SEARCH_EAGER = 4,    /* ... mostly already a part smaller by up to so many halves */
    SEARCH_CHAIN = 4,    /* gates that are changed together, at most */
    SEARCH_LINE = 64     /* bytes that come from memory together */
};

/* A bit for each cell of all boards. */
typedef uint64_t search_bits __attribute__((vector_size(8 * SEARCH_WORDS)));

/* The cells of `to` see, at a place, the cell that lies so many on. */
typedef struct search_shift {
    search_bits to;
    int by;
} search_shift;

typedef struct search_overwritten {
    search_bits bits;
    size_t at;
} search_overwritten;

/* A value and steps, a bit each. */
typedef struct search_steps {
    int32_t value;
    uint32_t steps;
} search_steps;

/* How many of what: all in one piece of memory. */
#define SEARCH_LISTS(X)                                                                            \
    X(search_bits, bits, all)               /* [steps, values] */                                  \
    X(search_bits, wanted, shown)           /* at the end */                                       \
    X(search_shift, shift, SEARCH_SHIFTS)   /* those of place k begin at shifts[k] */              \
    X(search_overwritten, overwritten, all) /* what the change at hand has overwritten, ... */     \
    X(search_steps, unneeded, all)          /* ... and which steps had been needed, in order */    \
    X(search_steps, stack, all + 1)                                                                \
    X(uint64_t, dirty, steps *dirty_words) /* [steps, dirty_words]: values to be computed */       \
    X(uint32_t, need, values)              /* in which steps a value can be seen in the end */     \
    X(int32_t, channel, values)            /* whose new state it is; -1: none */                   \
    X(int32_t, readers, values + 1)        /* those of value v begin at reader[readers[v]] */      \
    X(int32_t, reader, 2 * gates)                                                                  \
    X(int32_t, places, rows + 1) /* gates of row r begin at place[places[r]] */                    \
    X(int32_t, place, gates)                                                                       \
    X(uint8_t, kind, rows)

typedef struct search_world {
    const weft_logic *l;
    const weft_search_desc *d;
    size_t gates, rows, steps, shown, values, all, dirty_words;
    int shifts[SEARCH_SEEN + 1];
    size_t overwrites, unneeds; /* lengths of these lists; */
    bool lists;                 /* whether they are written */
    search_bits board;          /* where there are cells */
#define X(type, name, n) type *name;
    SEARCH_LISTS(X)
#undef X
} search_world;

/* ---- what is needed ---- */

static bool search_reads_a(int kind) {
    return (kind & 3) != kind >> 2;
}
static bool search_reads_b(int kind) {
    return (kind >> 1 & 5) != (kind & 5);
}
static int search_kind(const search_world *w, weft_gate g) {
    return g.row < 0 ? -1 - (int)g.row : w->kind[g.row]; /* as soft.c has known functions */
}

static void search_mark(search_world *w, size_t step, int32_t value) {
    w->dirty[step * w->dirty_words + (size_t)value / 64] |= UINT64_C(1) << value % 64;
}

static void search_mark_steps(search_world *w, uint32_t steps, int32_t value) {
    for (size_t t = 0; steps >> t; t++)
        if (steps >> t & 1) search_mark(w, t, value);
}

/* A value is needed in some steps, and with it what it is made of. Where that is new, it has not
 * been kept up to date: it is marked. What cells see in the first step is given. */
static void search_demand(search_world *w, int32_t value, uint32_t steps) {
    w->stack[0] = (search_steps){value, steps};
    for (size_t deep = 1; deep;) {
        const search_steps s = w->stack[--deep];
        const uint32_t more = s.steps & ~w->need[s.value];
        if (!more) continue;
        if (w->lists) w->unneeded[w->unneeds++] = (search_steps){s.value, w->need[s.value]};
        w->need[s.value] |= more;
        search_mark_steps(w, s.value < w->l->inputs ? more & ~1u : more, s.value);
        if (s.value < w->l->inputs) {
            w->stack[deep++] = (search_steps){w->l->output[s.value / SEARCH_SEEN], more >> 1};
            continue;
        }
        const weft_gate g = w->l->gate[s.value - w->l->inputs];
        const int kind = search_kind(w, g);
        if (search_reads_a(kind)) w->stack[deep++] = (search_steps){g.a, more};
        if (search_reads_b(kind)) w->stack[deep++] = (search_steps){g.b, more};
    }
}

/* ---- computing ---- */

static void search_see(const search_world *w, int place, const search_bits *from, search_bits *to) {
    uint64_t wide[3 * SEARCH_WORDS] = {0};
    search_bits r = {0};
    memcpy(wide + SEARCH_WORDS, from, sizeof *from);
    for (int k = w->shifts[place]; k < w->shifts[place + 1]; k++) {
        const int by = w->shift[k].by + SEARCH_CELLS, low = by % 64;
        const uint64_t *const at = wide + by / 64;
        for (int i = 0; i < SEARCH_WORDS; i++)
            r[i] |= (at[i] >> low | at[i + 1] << 1 << (63 - low)) & w->shift[k].to[i];
    }
    *to = r;
}

/* As a sum without carry over 1, a, b and a b. */
static void search_gate(int kind, const search_bits *a, const search_bits *b, search_bits *to) {
    const uint64_t none = -(uint64_t)(kind >> 3 & 1), only_b = -(uint64_t)(kind >> 2 & 1);
    const uint64_t only_a = -(uint64_t)(kind >> 1 & 1), both = -(uint64_t)(kind & 1);
    const uint64_t of_a = none ^ only_a, of_b = none ^ only_b, of_ab = of_a ^ only_b ^ both;
    *to = none ^ (*b & of_b) ^ (*a & (of_a ^ (*b & of_ab)));
}

static bool search_same(const search_bits *a, const search_bits *b) {
    const search_bits off = *a ^ *b;
    uint64_t any = 0;
    for (int i = 0; i < SEARCH_WORDS; i++) any |= off[i];
    return !any;
}

static void search_tell_readers(search_world *w, size_t step, int32_t value) {
    for (int32_t i = w->readers[value]; i < w->readers[value + 1]; i++) {
        const int32_t to = w->reader[i];
        if (w->need[to] >> step & 1) search_mark(w, step, to);
    }
    const int32_t first = w->channel[value] * SEARCH_SEEN;
    if (first < 0 || step + 1 == w->steps) return;
    for (int32_t to = first; to < first + SEARCH_SEEN; to++)
        if (w->need[to] >> (step + 1) & 1) search_mark(w, step + 1, to);
}

static void search_compute(search_world *w, size_t step, int32_t value) {
    search_bits *const now = w->bits + step * w->values;
    search_bits r;
    if (value < w->l->inputs) {
        const search_bits *const before = now - w->values;
        search_see(w, value % SEARCH_SEEN, before + w->l->output[value / SEARCH_SEEN], &r);
    } else {
        const weft_gate g = w->l->gate[value - w->l->inputs];
        search_gate(search_kind(w, g), now + g.a, now + g.b, &r);
    }
    if (search_same(&r, now + value)) return;
    if (w->lists)
        w->overwritten[w->overwrites++] =
            (search_overwritten){now[value], step * w->values + (size_t)value};
    now[value] = r;
    search_tell_readers(w, step, value);
}

/* All that is marked and all that follows from it; a reader has a larger number than what it reads.
 * False: it was more than `most`, counted as if every step had its share, and is left half done. */
static bool search_run(search_world *w, size_t most) {
    size_t computed = 0;
    for (size_t t = 0; t < w->steps; t++) {
        uint64_t *const dirty = w->dirty + t * w->dirty_words;
        for (size_t i = 0; i < w->dirty_words; i++)
            while (dirty[i]) {
                const int32_t value = (int32_t)(64 * i) + __builtin_ctzll(dirty[i]);
                dirty[i] &= dirty[i] - 1;
                search_compute(w, t, value);
                if (++computed * w->steps <= most * (t + 1)) continue;
                memset(w->dirty, 0, w->steps * w->dirty_words * sizeof *w->dirty);
                return false;
            }
    }
    return true;
}

static int64_t search_wrong(const search_world *w) {
    const search_bits *const last = w->bits + (w->steps - 1) * w->values;
    int64_t wrong = 0;
    for (size_t c = 0; c < w->shown; c++) {
        const search_bits off = (last[w->l->output[c]] ^ w->wanted[c]) & w->board;
        for (int i = 0; i < SEARCH_WORDS; i++) wrong += __builtin_popcountll(off[i]);
    }
    return wrong;
}

/* ---- a change ---- */

static bool search_matters(const search_world *w, size_t row) {
    for (int32_t i = w->places[row]; i < w->places[row + 1]; i++)
        if (w->need[w->place[i]]) return true;
    return false;
}

static void search_change(search_world *w, size_t row, int kind) {
    w->kind[row] = (uint8_t)kind;
    for (int32_t i = w->places[row]; i < w->places[row + 1]; i++) {
        const int32_t value = w->place[i];
        const weft_gate g = w->l->gate[value - w->l->inputs];
        const uint32_t need = w->need[value];
        if (search_reads_a(kind)) search_demand(w, g.a, need);
        if (search_reads_b(kind)) search_demand(w, g.b, need);
        search_mark_steps(w, need, value);
    }
}

static void search_back(search_world *w) {
    while (w->overwrites) {
        const search_overwritten *const o = &w->overwritten[--w->overwrites];
        w->bits[o->at] = o->bits;
    }
    while (w->unneeds) {
        const search_steps s = w->unneeded[--w->unneeds];
        w->need[s.value] = s.steps;
    }
}

/* A gate that matters, by its value; every row is as likely. */
static int32_t search_pick(const search_world *w, weft_rng *r) {
    for (;;) {
        const size_t row = weft_rng_below(r, (uint32_t)w->rows);
        for (int32_t i = w->places[row]; i < w->places[row + 1]; i++)
            if (w->need[w->place[i]]) return w->place[i];
    }
}

/* One of the two values it reads, a new one rather than one that is needed already. */
static int32_t search_operand(const search_world *w, weft_rng *r, int32_t value) {
    const weft_gate g = w->l->gate[value - w->l->inputs];
    const bool a = w->need[g.a], b = w->need[g.b];
    return a != b ? (a ? g.b : g.a) : weft_rng_below(r, 2) ? g.a : g.b;
}

/* A gate is changed, mostly in one of its answers, and sometimes what it reads as well: what nothing
 * else reads can become whatever would be of use here. */
static void search_try(search_world *w, weft_rng *r, int64_t *wrong) {
    int32_t row[SEARCH_CHAIN];
    int was[SEARCH_CHAIN], n = 0;
    int32_t value = search_pick(w, r);
    do {
        const int32_t next = search_operand(w, r, value);
        row[n] = w->l->gate[value - w->l->inputs].row;
        was[n] = w->kind[row[n]];
        const bool one = weft_rng_below(r, 4);
        const uint32_t other =
            one ? 1u << weft_rng_below(r, 4) : 1 + weft_rng_below(r, WEFT_GATE_KINDS - 1);
        search_change(w, (size_t)row[n], was[n] ^ (int)other);
        n++;
        value = next;
    } while (n < SEARCH_CHAIN && value >= w->l->inputs &&
             w->l->gate[value - w->l->inputs].row >= 0 && weft_rng_below(r, 2));
    const size_t large = w->all / SEARCH_LARGE >> weft_rng_below(r, SEARCH_EAGER);
    const bool done = search_run(w, SEARCH_SMALL + large);
    const int64_t now = done ? search_wrong(w) : INT64_MAX;
    if (now <= *wrong) {
        *wrong = now;
        w->overwrites = w->unneeds = 0;
        return;
    }
    search_back(w);
    while (n-- > 0) w->kind[row[n]] = (uint8_t)was[n];
}

static int search_likeliest(const float *row) {
    int best = 0;
    for (int k = 1; k < WEFT_GATE_KINDS; k++)
        if (row[k] > row[best]) best = k;
    return best;
}

static int64_t search_go(search_world *w, float *logits) {
    bool any = false;
    weft_rng r;
    weft_rng_seed(&r, w->d->seed, 0);
    for (size_t i = 0; i < w->rows; i++)
        w->kind[i] = (uint8_t)search_likeliest(logits + i * WEFT_GATE_KINDS);
    for (size_t c = 0; c < w->shown; c++)
        search_demand(w, w->l->output[c], UINT32_C(1) << (w->steps - 1));
    search_run(w, w->steps * w->all);
    w->lists = true;
    int64_t wrong = search_wrong(w);
    for (size_t i = 0; i < w->rows && !any; i++) any = search_matters(w, i);
    for (int64_t i = 0; i < w->d->tries && wrong && any; i++) search_try(w, &r, &wrong);
    for (size_t i = 0; i < w->rows; i++) {
        float *const row = logits + i * WEFT_GATE_KINDS;
        const int before = search_likeliest(row);
        if (w->kind[i] != before) row[w->kind[i]] = row[before] + 1;
    }
    return wrong;
}

/* ---- beginning ---- */

/* first[k]: where in the list the gates begin whose row is k, or that read value k. */
static void search_index(const search_world *w, bool by_row, int32_t *first, int32_t *list) {
    const size_t keys = by_row ? w->rows : w->values;
    memset(first, 0, (keys + 1) * sizeof *first);
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = w->gates; i-- > 0;) {
            const weft_gate g = w->l->gate[i];
            const int32_t key[2] = {by_row ? g.row : g.a, g.b};
            for (int k = 0; k < (by_row ? 1 : 2); k++)
                if (key[k] < 0) continue;
                else if (fill) list[--first[key[k]]] = w->l->inputs + (int32_t)i;
                else first[key[k]]++;
        }
        for (size_t k = 1; k <= keys && !fill; k++) first[k] += first[k - 1];
    }
}

static void search_shifts(search_world *w, bool wrap) {
    const int height = w->d->board.height, width = w->d->board.width, board = height * width;
    for (int k = 0, n = 0; k < SEARCH_SEEN; k++) {
        w->shifts[k] = n;
        for (int i = 0; i < w->d->board.boards * board; i++) {
            int y = i % board / width + k / 3 - 1, x = i % width + k % 3 - 1;
            if (wrap) y = (y + height) % height, x = (x + width) % width;
            if (y < 0 || y >= height || x < 0 || x >= width) continue;
            const int by = y * width + x - i % board;
            int at = w->shifts[k];
            while (at < n && w->shift[at].by != by) at++;
            if (at == n) w->shift[n++].by = by;
            w->shift[at].to[i / 64] |= UINT64_C(1) << i % 64;
        }
        w->shifts[k + 1] = n;
    }
}

static void search_pack(const uint8_t *cells, size_t n, search_bits *to) {
    *to = (search_bits){0};
    for (size_t i = 0; i < n; i++) (*to)[i / 64] |= (uint64_t)(cells[i] & 1) << i % 64;
}

static void search_begin(search_world *w, bool wrap) {
    const size_t cells =
        (size_t)w->d->board.boards * (size_t)w->d->board.height * (size_t)w->d->board.width;
    search_index(w, false, w->readers, w->reader);
    search_index(w, true, w->places, w->place);
    search_shifts(w, wrap);
    for (size_t i = 0; i < w->values; i++) w->channel[i] = -1;
    for (int c = 0; c < w->l->outputs; c++) {
        search_bits b;
        search_pack(w->d->cells + (size_t)c * cells, cells, &b);
        for (int k = 0; k < SEARCH_SEEN; k++) search_see(w, k, &b, &w->bits[c * SEARCH_SEEN + k]);
        w->channel[w->l->output[c]] = c;
    }
    for (size_t c = 0; c < w->shown; c++)
        search_pack(w->d->wanted + c * cells, cells, &w->wanted[c]);
    for (size_t i = 0; i < cells; i++) w->board[i / 64] |= UINT64_C(1) << i % 64;
}

/* The lists one after the other; gives how many bytes that is. base NULL: only that. */
static size_t search_lay(search_world *w, char *base) {
    const size_t gates = w->gates, rows = w->rows, steps = w->steps, shown = w->shown;
    const size_t values = w->values, all = w->all, dirty_words = w->dirty_words;
    size_t at = 0;
#define X(type, name, n)                                                                           \
    if (base) w->name = (type *)(void *)(base + at);                                               \
    at += ((n) * sizeof(type) + SEARCH_LINE - 1) / SEARCH_LINE * SEARCH_LINE;
    SEARCH_LISTS(X)
#undef X
    return at;
}

weft_err weft_automaton_search(const weft_automaton *a, const weft_search_desc *d, float *logits,
                               int64_t *wrong) {
    const weft_logic *const l = weft_automaton_logic(a);
    weft_ctx *const c = automaton_ctx(a);
    const weft_board b = d ? d->board : (weft_board){0};
    if (!d || !logits || !wrong || !d->cells || !d->wanted || b.boards < 1 || b.height < 1 ||
        b.width < 1 || b.boards > SEARCH_CELLS || b.height > SEARCH_CELLS ||
        b.width > SEARCH_CELLS || b.boards * b.height > SEARCH_CELLS ||
        b.boards * b.height * b.width > SEARCH_CELLS || b.rng || d->steps < 1 ||
        d->steps > SEARCH_STEPS || d->shown < 1 || d->shown > l->outputs || d->tries < 0)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_automaton_search: boards of at most %d cells in all that go on in "
                         "every step, 1 to %d steps and 1 to %d shown channels were expected",
                         SEARCH_CELLS, SEARCH_STEPS, l->outputs);
    search_world w = {.l = l, .d = d};
    w.gates = (size_t)l->gates, w.rows = (size_t)l->rows, w.steps = (size_t)d->steps;
    w.shown = (size_t)d->shown, w.values = (size_t)l->inputs + w.gates;
    w.all = w.steps * w.values, w.dirty_words = (w.values + 63) / 64;
    const size_t bytes = search_lay(&w, NULL) + SEARCH_LINE;
    char *const room = weft_resize(c, NULL, bytes);
    if (!room) return weft_fail(c, WEFT_MEMORY, "weft_automaton_search: out of memory");
    memset(room, 0, bytes);
    search_lay(&w, room + (SEARCH_LINE - (uintptr_t)room % SEARCH_LINE) % SEARCH_LINE);
    search_begin(&w, automaton_wraps(a));
    *wrong = search_go(&w, logits);
    weft_resize(c, room, 0);
    return WEFT_OK;
}
