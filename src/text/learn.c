/* learn.c - a vocabulary of byte-level BPE from texts: the most frequent pair of neighbours becomes a
 * token, again and again.
 *
 * Texts are split into words, and each different word is kept once, with how often it occurs. The words
 * lie behind each other in one row of places; a merge joins two places. Every pair knows its count and
 * the places where it may be found, so a merge costs what it changes and no more. Each place enters the
 * lists of pairs once at the beginning and at most twice a merge that takes a place away, so three
 * entries a place are enough.
 *
 * After the merge that made its tokens, a pair only gets rarer. A heap has the pairs by counts that may
 * be out of date, and a pair whose count has changed goes back into it. */
#include "text/vocab.h"

#include "base/mem.h"

#include <assert.h>

enum { LEARN_SIZE = 4096, LEARN_MOST = 1 << 24, LEARN_NONE = -1 };
static const uint32_t learn_no = UINT32_MAX;

typedef struct learn_word { /* a slot of the table of words; n 0: empty */
    const unsigned char *at;
    size_t n;
    int64_t count;
} learn_word;

typedef struct learn_place {
    int32_t token; /* LEARN_NONE: it was joined to the one before */
    uint32_t next, before;
    uint32_t word; /* whose count it has */
} learn_place;

typedef struct learn_pair {
    int32_t left, right;
    int64_t count;
    uint32_t first, last; /* in the list of entries */
    bool fresh;           /* new in this merge, and not yet in the heap */
} learn_pair;

typedef struct learn_entry {
    uint32_t place, next;
} learn_entry;

typedef struct learn_rank { /* in the heap */
    int64_t count;
    uint32_t pair;
} learn_rank;

typedef struct learner {
    weft_vocab *v;
    weft_ctx *ctx;
    const char *const *special;
    size_t specials;

    learn_word *word;
    size_t slots, words, bytes; /* slots of the table, words in it, bytes of those */

    learn_place *place;
    learn_entry *entry;
    size_t entries;
    learn_pair *pair;
    size_t pairs, pair_room;
    uint32_t *found; /* table: pairs by their tokens; learn_no: empty */
    size_t found_slots;
    learn_rank *heap;
    size_t heaped, heap_room;
    uint32_t *fresh; /* pairs that are new in this merge */
    size_t fresh_count, fresh_room;
} learner;

static weft_err learn_no_memory(const learner *l) {
    return weft_fail(l->ctx, WEFT_MEMORY, "weft_vocab_learn: out of memory");
}

/* ---- counting words ---- */

static learn_word *learn_slot(const learner *l, const unsigned char *p, size_t n) {
    for (size_t i = (size_t)vocab_hash(p, n) & (l->slots - 1);; i = (i + 1) & (l->slots - 1)) {
        learn_word *const w = &l->word[i];
        if (!w->n || (w->n == n && !memcmp(w->at, p, n))) return w;
    }
}

static weft_err learn_more_words(learner *l) {
    const learner old = *l;
    l->slots = old.slots ? 2 * old.slots : 4096;
    learn_word *const word = weft_resize(l->ctx, NULL, l->slots * sizeof *word);
    if (!word) {
        l->slots = old.slots;
        return learn_no_memory(l);
    }
    memset(word, 0, l->slots * sizeof *word);
    l->word = word;
    for (size_t i = 0; i < old.slots; i++)
        if (old.word[i].n) *learn_slot(l, old.word[i].at, old.word[i].n) = old.word[i];
    weft_resize(l->ctx, old.word, 0);
    return WEFT_OK;
}

/* Bytes of the special token that p begins with; 0: none. */
static size_t learn_special_at(const learner *l, const unsigned char *p, size_t n) {
    for (size_t i = 0; i < l->specials; i++) {
        const size_t k = strlen(l->special[i]);
        if (k <= n && memcmp(p, l->special[i], k) == 0) return k;
    }
    return 0;
}

static weft_err learn_count_words(learner *l, const unsigned char *from, const unsigned char *to) {
    split_walk walk = {.s = &l->v->split, .at = from, .end = to};
    for (size_t n; (n = split_next(&walk)) > 0;) {
        if (2 * (l->words + 1) > l->slots) WEFT_TRY(learn_more_words(l));
        learn_word *const w = learn_slot(l, walk.at - n, n);
        w->count++;
        if (w->n) continue;
        w->at = walk.at - n;
        w->n = n;
        l->words++;
        l->bytes += n;
    }
    return WEFT_OK;
}

static weft_err learn_count_text(learner *l, const unsigned char *p, size_t n) {
    bool first[256] = {false};
    for (size_t i = 0; i < l->specials; i++) first[(unsigned char)l->special[i][0]] = true;
    const unsigned char *const end = p + n;
    for (const unsigned char *from = p; p < end;) {
        const size_t k = first[*p] ? learn_special_at(l, p, (size_t)(end - p)) : 0;
        if (k || p + 1 == end) WEFT_TRY(learn_count_words(l, from, k ? p : end));
        p += k ? k : 1;
        if (k) from = p;
    }
    return WEFT_OK;
}

/* ---- pairs ---- */

static size_t learn_found(const learner *l, int32_t left, int32_t right) {
    const uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (l->found_slots - 1);
    for (; l->found[i] != learn_no; i = (i + 1) & (l->found_slots - 1)) {
        const learn_pair *const p = &l->pair[l->found[i]];
        if (p->left == left && p->right == right) break;
    }
    return i;
}

static weft_err learn_more_found(learner *l) {
    const size_t slots = l->found_slots ? 2 * l->found_slots : 4096;
    uint32_t *const found = weft_resize(l->ctx, l->found, slots * sizeof *found);
    if (!found) return learn_no_memory(l);
    l->found = found;
    l->found_slots = slots;
    for (size_t i = 0; i < slots; i++) found[i] = learn_no;
    for (size_t i = 0; i < l->pairs; i++)
        found[learn_found(l, l->pair[i].left, l->pair[i].right)] = (uint32_t)i;
    return WEFT_OK;
}

/* There is one more occurrence of a pair, `count` times, at a place. */
static weft_err learn_gain(learner *l, int32_t left, int32_t right, uint32_t place, int64_t count) {
    if (2 * (l->pairs + 1) > l->found_slots) WEFT_TRY(learn_more_found(l));
    const size_t slot = learn_found(l, left, right);
    if (l->found[slot] == learn_no) {
        const learn_pair none = {left, right, 0, learn_no, learn_no, false};
        if (!MEM_PUSH(mem_of(l->ctx), l->pair, l->pairs, l->pair_room, none))
            return learn_no_memory(l);
        l->found[slot] = (uint32_t)(l->pairs - 1);
    }
    const uint32_t number = l->found[slot], entry = (uint32_t)l->entries++;
    learn_pair *const p = &l->pair[number];
    l->entry[entry] = (learn_entry){place, learn_no};
    if (p->last == learn_no) p->first = entry;
    else l->entry[p->last].next = entry;
    p->last = entry;
    p->count += count;
    if (p->fresh) return WEFT_OK;
    p->fresh = true;
    return MEM_PUSH(mem_of(l->ctx), l->fresh, l->fresh_count, l->fresh_room, number)
               ? WEFT_OK
               : learn_no_memory(l);
}

static void learn_lose(learner *l, int32_t left, int32_t right, int64_t count) {
    l->pair[l->found[learn_found(l, left, right)]].count -= count;
}

/* ---- the heap ---- */

/* Is a merged before b: more frequent, or made of tokens with lower numbers? */
static bool learn_sooner(const learner *l, learn_rank a, learn_rank b) {
    if (a.count != b.count) return a.count > b.count;
    const learn_pair *const p = &l->pair[a.pair], *const q = &l->pair[b.pair];
    return p->left != q->left ? p->left < q->left : p->right < q->right;
}

static weft_err learn_push(learner *l, uint32_t pair) {
    const learn_rank x = {l->pair[pair].count, pair};
    if (!MEM_PUSH(mem_of(l->ctx), l->heap, l->heaped, l->heap_room, x)) return learn_no_memory(l);
    size_t i = l->heaped - 1;
    for (size_t up; i > 0 && learn_sooner(l, x, l->heap[up = (i - 1) / 2]); i = up)
        l->heap[i] = l->heap[up];
    l->heap[i] = x;
    return WEFT_OK;
}

static learn_rank learn_pop(learner *l) {
    const learn_rank top = l->heap[0], x = l->heap[--l->heaped];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < l->heaped; i = child) {
        if (child + 1 < l->heaped && learn_sooner(l, l->heap[child + 1], l->heap[child])) child++;
        if (!learn_sooner(l, l->heap[child], x)) break;
        l->heap[i] = l->heap[child];
    }
    if (l->heaped) l->heap[i] = x;
    return top;
}

static weft_err learn_rank_fresh(learner *l) {
    for (size_t i = 0; i < l->fresh_count; i++) {
        l->pair[l->fresh[i]].fresh = false;
        WEFT_TRY(learn_push(l, l->fresh[i]));
    }
    l->fresh_count = 0;
    return WEFT_OK;
}

/* ---- learning ---- */

static weft_err learn_lay_out(learner *l) {
    if (l->bytes >= UINT32_MAX / 4)
        return weft_fail(l->ctx, WEFT_UNSUPPORTED,
                         "weft_vocab_learn: %zu bytes of different words; at most %lu", l->bytes,
                         (unsigned long)UINT32_MAX / 4);
    l->place = weft_resize(l->ctx, NULL, (l->bytes + 1) * sizeof *l->place);
    l->entry = weft_resize(l->ctx, NULL, (3 * l->bytes + 1) * sizeof *l->entry);
    if (!l->place || !l->entry) return learn_no_memory(l);
    uint32_t at = 0;
    for (size_t k = 0; k < l->slots; k++) {
        const learn_word w = l->word[k];
        for (size_t i = 0; i < w.n; i++, at++) {
            l->place[at] = (learn_place){.token = l->v->byte[w.at[i]],
                                         .next = i + 1 < w.n ? at + 1 : learn_no,
                                         .before = i > 0 ? at - 1 : learn_no,
                                         .word = (uint32_t)k};
            if (i > 0)
                WEFT_TRY(
                    learn_gain(l, l->place[at - 1].token, l->place[at].token, at - 1, w.count));
        }
    }
    return learn_rank_fresh(l);
}

/* Joins a place with the next, which have the tokens of the pair. */
static weft_err learn_join(learner *l, uint32_t at, int32_t id) {
    learn_place *const p = &l->place[at], *const gone = &l->place[p->next];
    const int64_t count = l->word[p->word].count;
    const uint32_t before = p->before, after = gone->next;
    const int32_t left = p->token, right = gone->token;
    learn_lose(l, left, right, count);
    if (before != learn_no) learn_lose(l, l->place[before].token, left, count);
    if (after != learn_no) learn_lose(l, right, l->place[after].token, count);
    p->token = id;
    p->next = after;
    gone->token = LEARN_NONE;
    if (after != learn_no) l->place[after].before = at;
    if (before != learn_no) WEFT_TRY(learn_gain(l, l->place[before].token, id, before, count));
    return after == learn_no ? WEFT_OK : learn_gain(l, id, l->place[after].token, at, count);
}

/* The token that two make. Its bytes are no other token's: what lies between the ends of two tokens was
 * merged in the same way everywhere, so the same bytes are always made of the same two. */
static weft_err learn_token(learner *l, int32_t left, int32_t right, int32_t *id) {
    weft_vocab *const v = l->v;
    const size_t n = v->token[left].n, m = v->token[right].n;
    if (v->pool_used + n + m > v->pool_room)
        WEFT_TRY(vocab_reserve(v, 0, v->pool_room + v->pool_room / 2 + n + m));
    *id = v->size;
    vocab_put(v, *id, vocab_bytes(v, left), n, 0);
    memcpy(v->pool + v->pool_used, vocab_bytes(v, right), m);
    v->pool_used += m;
    v->token[*id].n = (uint32_t)(n + m);
    const bool is_new = vocab_enter(v, *id);
    assert(is_new);
    (void)is_new;
    return WEFT_OK;
}

static weft_err learn_merge(learner *l, uint32_t number, int32_t *id) {
    const learn_pair pair = l->pair[number];
    WEFT_TRY(learn_token(l, pair.left, pair.right, id));
    vocab_merge(l->v, pair.left, pair.right, *id);
    for (uint32_t e = pair.first; e != learn_no; e = l->entry[e].next) {
        const uint32_t at = l->entry[e].place, next = l->place[at].next;
        if (l->place[at].token != pair.left || next == learn_no) continue;
        if (l->place[next].token == pair.right) WEFT_TRY(learn_join(l, at, *id));
    }
    return learn_rank_fresh(l);
}

static weft_err learn_merges(learner *l, size_t size) {
    WEFT_TRY(learn_lay_out(l));
    while ((size_t)l->v->size < size && l->heaped) {
        const learn_rank best = learn_pop(l);
        const int64_t count = l->pair[best.pair].count;
        int32_t id;
        if (count < 2) continue;
        if (count != best.count) WEFT_TRY(learn_push(l, best.pair));
        else WEFT_TRY(learn_merge(l, best.pair, &id));
    }
    return WEFT_OK;
}

/* ---- the whole ---- */

static weft_err learn_fill(learner *l, const weft_bytes *texts, size_t n, size_t size) {
    weft_vocab *const v = l->v;
    size_t names = 0;
    for (size_t i = 0; i < l->specials; i++) names += strlen(l->special[i]);
    WEFT_TRY(vocab_put_bytes(v, size, 8 * size + names, false));
    WEFT_TRY(vocab_room_for_merges(v, size));
    for (size_t i = 0; i < n; i++) WEFT_TRY(learn_count_text(l, texts[i].data, texts[i].bytes));
    WEFT_TRY(learn_merges(l, size - l->specials));
    WEFT_TRY(vocab_reserve(v, 0, v->pool_used + names));
    for (size_t i = 0; i < l->specials; i++)
        vocab_put(v, v->size, l->special[i], strlen(l->special[i]),
                  VOCAB_RAW | VOCAB_ADDED | VOCAB_SPECIAL);
    return vocab_finish(v);
}

static void learn_end(learner *l) {
    void *const all[] = {l->word, l->place, l->entry, l->pair, l->found, l->heap, l->fresh};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) weft_resize(l->ctx, all[i], 0);
}

static weft_err learn_check(weft_ctx *c, const weft_bytes *texts, size_t n, const learner *l,
                            int64_t size) {
    for (size_t i = 0; i < n; i++)
        if (!texts || (!texts[i].data && texts[i].bytes))
            return weft_fail(c, WEFT_ARGUMENT, "weft_vocab_learn: text %zu is NULL", i);
    for (size_t i = 0; i < l->specials; i++) {
        if (!l->special[i] || !reader_is_name(l->special[i], strlen(l->special[i])))
            return weft_fail(c, WEFT_ARGUMENT,
                             "weft_vocab_learn: special token %zu has an invalid name", i);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(l->special[i], l->special[k]))
                return weft_fail(c, WEFT_ARGUMENT,
                                 "weft_vocab_learn: duplicate special token \"%s\"", l->special[i]);
    }
    if (size < 256 + (int64_t)l->specials || size > LEARN_MOST)
        return weft_fail(
            c, WEFT_ARGUMENT,
            "weft_vocab_learn: size %lld; expected 256 bytes and %zu special tokens, up to %d",
            (long long)size, l->specials, LEARN_MOST);
    return WEFT_OK;
}

weft_vocab *weft_vocab_learn(weft_ctx *c, const weft_bytes *texts, size_t n,
                             const weft_learn_desc *d) {
    static const char *const usual[] = {"<|endoftext|>"};
    static const weft_learn_desc none;
    if (!d) d = &none;
    learner l = {.ctx = c, .special = usual, .specials = 1};
    if (d->special) l.special = d->special, l.specials = d->specials;
    if (d->no_special) l.specials = 0;
    const int64_t size = d->size ? d->size : LEARN_SIZE;
    if (learn_check(c, texts, n, &l, size) != WEFT_OK) return NULL;
    if (!(l.v = vocab_new(c, VOCAB_BPE))) return NULL;
    const weft_err e = learn_fill(&l, texts, n, (size_t)size);
    learn_end(&l);
    return vocab_done(l.v, e);
}
