/* bpe.c - byte pair encoding of one word: the pair of lowest rank is merged first, of several the
 * leftmost, until no pair that is left has a rank.
 *
 * Short words, which are nearly all, are searched for the lowest rank again after each merge. In long
 * ones a heap has the ranks and a list the neighbours, so that time is in proportion to n log n for any
 * word; the tests compare the two. */
#include "text/vocab.h"

enum { BPE_SHORT = 48 };

static uint32_t bpe_rank(const weft_vocab *v, int32_t left, int32_t right) {
    return vocab_pair_at(v, left, right)->rank;
}

/* ids [n], at most BPE_SHORT, are merged where they lie; gives how many are left. */
static size_t bpe_short(const weft_vocab *v, int32_t *ids, size_t n) {
    uint32_t rank[BPE_SHORT]; /* of a token and the next */
    for (size_t i = 0; i + 1 < n; i++) rank[i] = bpe_rank(v, ids[i], ids[i + 1]);
    while (n > 1) {
        size_t at = 0;
        for (size_t i = 1; i + 1 < n; i++)
            if (rank[i] < rank[at]) at = i;
        if (rank[at] == UINT32_MAX) break;
        ids[at] = vocab_pair_at(v, ids[at], ids[at + 1])->id;
        n--;
        for (size_t i = at + 1; i < n; i++) ids[i] = ids[i + 1];
        for (size_t i = at + 1; i + 1 < n; i++) rank[i] = rank[i + 1];
        if (at + 1 < n) rank[at] = bpe_rank(v, ids[at], ids[at + 1]);
        if (at > 0) rank[at - 1] = bpe_rank(v, ids[at - 1], ids[at]);
    }
    return n;
}

/* ---- long words ---- */

typedef struct bpe_long {
    const weft_vocab *v;
    int32_t *ids;
    uint32_t *rank; /* of the token here and the next; UINT32_MAX: none, or not a token's place */
    uint32_t *next, *before; /* neighbours; UINT32_MAX: none */
    uint64_t *heap; /* rank and place: the least is merged next. Stale ones are passed over */
    size_t heaped;
} bpe_long;

static void bpe_sink(bpe_long *w, size_t i) {
    const uint64_t x = w->heap[i];
    for (size_t child; (child = 2 * i + 1) < w->heaped; i = child) {
        if (child + 1 < w->heaped && w->heap[child + 1] < w->heap[child]) child++;
        if (x <= w->heap[child]) break;
        w->heap[i] = w->heap[child];
    }
    w->heap[i] = x;
}

/* Sets the rank at a place from the tokens there. */
static void bpe_note(bpe_long *w, uint32_t at) {
    const uint32_t next = w->next[at];
    w->rank[at] = next == UINT32_MAX ? UINT32_MAX : bpe_rank(w->v, w->ids[at], w->ids[next]);
    if (w->rank[at] == UINT32_MAX) return;
    const uint64_t x = (uint64_t)w->rank[at] << 32 | at;
    size_t i = w->heaped++;
    for (size_t up; i > 0 && w->heap[up = (i - 1) / 2] > x; i = up) w->heap[i] = w->heap[up];
    w->heap[i] = x;
}

static void bpe_join(bpe_long *w, uint32_t at) {
    const uint32_t gone = w->next[at];
    w->ids[at] = vocab_pair_at(w->v, w->ids[at], w->ids[gone])->id;
    w->rank[gone] = UINT32_MAX;
    w->next[at] = w->next[gone];
    if (w->next[at] != UINT32_MAX) w->before[w->next[at]] = at;
    bpe_note(w, at);
    if (w->before[at] != UINT32_MAX) bpe_note(w, w->before[at]);
}

/* The places of a long word are made even, so that the heap behind them is aligned. */
static size_t bpe_places(size_t n) {
    return n + n % 2;
}

/* Bytes for each place. A merge takes one entry off the heap, or more, and adds at most two: twice the
 * places are never exceeded. */
enum { BPE_EACH = sizeof(int32_t) + 3 * sizeof(uint32_t) + 2 * sizeof(uint64_t) };

/* memory: BPE_EACH bytes for each place, beginning with the ids [n]; gives how many are left. */
static size_t bpe_far(const weft_vocab *v, int32_t *memory, size_t n) {
    const size_t even = bpe_places(n);
    bpe_long w = {.v = v, .ids = memory};
    w.rank = (uint32_t *)(void *)(w.ids + even);
    w.next = w.rank + even;
    w.before = w.next + even;
    w.heap = (uint64_t *)(void *)(w.before + even);
    for (uint32_t i = 0; i < n; i++) {
        w.next[i] = i + 1 < n ? i + 1 : UINT32_MAX;
        w.before[i] = i > 0 ? i - 1 : UINT32_MAX;
    }
    for (uint32_t i = 0; i < n; i++) bpe_note(&w, i);
    while (w.heaped) {
        const uint64_t least = w.heap[0];
        w.heap[0] = w.heap[--w.heaped];
        if (w.heaped) bpe_sink(&w, 0);
        if (w.rank[(uint32_t)least] == (uint32_t)(least >> 32)) bpe_join(&w, (uint32_t)least);
    }
    size_t count = 0;
    for (uint32_t i = 0; i != UINT32_MAX; i = w.next[i]) w.ids[count++] = w.ids[i];
    return count;
}

weft_err bpe_word(const weft_vocab *v, vocab_scratch *s, const unsigned char *bytes, size_t count,
                  const int32_t **ids, size_t *n) {
    const bool is_short = count <= BPE_SHORT;
    if (count > SIZE_MAX / 2 / BPE_EACH || count >= UINT32_MAX)
        return weft_fail(s->ctx, WEFT_UNSUPPORTED, "weft_vocab: a word of %zu bytes", count);
    int32_t *out =
        vocab_memory(s, is_short ? BPE_SHORT * sizeof *out : bpe_places(count) * BPE_EACH);
    if (!out) return WEFT_MEMORY;
    for (size_t i = 0; i < count; i++) out[i] = v->byte[bytes[i]];
    *n = is_short ? bpe_short(v, out, count) : bpe_far(v, out, count);
    *ids = out;
    return WEFT_OK;
}
