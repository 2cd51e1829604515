/* vocab.c - vocabularies: their tokens, and the tables by which they are found.
 *
 * Where the tokens come from is the business of the files beside this one. Sizes are what the maker
 * says; tables have twice as many slots as entries. Nothing here is read from a file, and the maker has
 * checked ids and lengths. */
#include "text/vocab.h"

#include "base/sort.h"

/* ---- making and ending ---- */

static weft_err vocab_no_memory(const weft_vocab *v) {
    return weft_fail(v->ctx, WEFT_MEMORY, "weft_vocab: out of memory");
}

weft_vocab *vocab_new(weft_ctx *c, vocab_kind kind) {
    weft_vocab *v = c ? weft_resize(c, NULL, sizeof *v) : NULL;
    if (!v) {
        weft_fail(c, c ? WEFT_MEMORY : WEFT_ARGUMENT, "weft_vocab: %s",
                  c ? "out of memory" : "no context");
        return NULL;
    }
    *v = (weft_vocab){.ctx = c, .kind = kind};
    for (int i = 0; i < 256; i++) v->byte[i] = -1;
    return vocab_done(v, split_start(&v->split, c));
}

weft_vocab *vocab_done(weft_vocab *v, weft_err e) {
    if (e == WEFT_OK) return v;
    weft_vocab_free(v);
    return NULL;
}

void weft_vocab_free(weft_vocab *v) {
    if (!v) return;
    weft_ctx *const c = v->ctx;
    split_end(&v->split, c);
    for (int i = 0; i < VOCAB_PARTS; i++) weft_resize(c, v->part[i], 0);
    weft_resize(c, v->token, 0);
    weft_resize(c, v->pool, 0);
    weft_resize(c, v->word, 0);
    weft_resize(c, v->pair, 0);
    weft_resize(c, v->added, 0);
    weft_resize(c, v, 0);
}

void *vocab_memory(vocab_scratch *s, size_t bytes) {
    if (bytes <= s->bytes) return s->memory;
    size_t more = s->bytes + s->bytes / 2;
    if (more < bytes) more = bytes;
    void *const memory = weft_resize(s->ctx, s->memory, more);
    if (!memory) {
        weft_fail(s->ctx, WEFT_MEMORY, "weft_vocab: out of memory");
        return NULL;
    }
    s->memory = memory;
    s->bytes = more;
    return memory;
}

void vocab_forget(vocab_scratch *s) {
    weft_resize(s->ctx, s->memory, 0);
    s->memory = NULL;
    s->bytes = 0;
}

weft_err vocab_reserve(weft_vocab *v, size_t ids, size_t bytes) {
    if (ids > v->room) {
        vocab_token *more = weft_resize(v->ctx, v->token, ids * sizeof *more);
        if (!more) return vocab_no_memory(v);
        memset(more + v->room, 0, (ids - v->room) * sizeof *more);
        v->token = more;
        v->room = ids;
    }
    if (bytes > v->pool_room) {
        unsigned char *more = weft_resize(v->ctx, v->pool, bytes);
        if (!more) return vocab_no_memory(v);
        v->pool = more;
        v->pool_room = bytes;
    }
    return WEFT_OK;
}

void vocab_put(weft_vocab *v, int32_t id, const void *bytes, size_t n, uint32_t is) {
    if (n) memcpy(v->pool + v->pool_used, bytes, n);
    v->token[id] = (vocab_token){(uint32_t)v->pool_used, (uint32_t)n, is | VOCAB_HERE};
    v->pool_used += n;
    if (id >= v->size) v->size = id + 1;
}

static size_t vocab_slots(size_t entries) {
    size_t slots = 64;
    while (slots < 2 * entries) slots *= 2;
    return slots;
}

weft_err vocab_room_for_words(weft_vocab *v, size_t n) {
    v->words = vocab_slots(n);
    v->word = weft_resize(v->ctx, NULL, v->words * sizeof *v->word);
    if (!v->word) return vocab_no_memory(v);
    for (size_t i = 0; i < v->words; i++) v->word[i].id = -1;
    return WEFT_OK;
}

bool vocab_enter(weft_vocab *v, int32_t id) {
    const unsigned char *const bytes = vocab_bytes(v, id);
    const size_t n = v->token[id].n;
    const uint64_t hash = vocab_hash(bytes, n);
    if (vocab_look(v, bytes, n, hash) >= 0) return false;
    size_t i = (size_t)hash & (v->words - 1);
    while (v->word[i].id >= 0) i = (i + 1) & (v->words - 1);
    v->word[i] = (vocab_word){(uint32_t)(hash >> 32), id};
    if (n == 1) v->byte[bytes[0]] = id;
    return true;
}

int32_t vocab_look(const weft_vocab *v, const void *bytes, size_t n, uint64_t hash) {
    const uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t i = (size_t)hash & (v->words - 1);; i = (i + 1) & (v->words - 1)) {
        const vocab_word w = v->word[i];
        if (w.id < 0) return -1;
        if (w.tag != tag || v->token[w.id].n != n) continue;
        if (memcmp(vocab_bytes(v, w.id), bytes, n) == 0) return w.id;
    }
}

weft_err vocab_room_for_merges(weft_vocab *v, size_t n) {
    v->pairs = vocab_slots(n);
    v->pair = weft_resize(v->ctx, NULL, v->pairs * sizeof *v->pair);
    if (!v->pair) return vocab_no_memory(v);
    for (size_t i = 0; i < v->pairs; i++) v->pair[i] = (vocab_pair){.left = -1, .rank = UINT32_MAX};
    return WEFT_OK;
}

bool vocab_merge(weft_vocab *v, int32_t left, int32_t right, int32_t id) {
    vocab_pair *const p = vocab_pair_at(v, left, right);
    if (p->left >= 0) return false;
    *p = (vocab_pair){left, right, v->merges++, id};
    v->token[id].is |= VOCAB_MADE;
    return true;
}

/* ---- what follows from tokens and merges ---- */

/* A token is a word unless its bytes are merged into something else, which some vocabularies allow. */
static weft_err vocab_mark_words(weft_vocab *v) {
    vocab_scratch scratch = {.ctx = v->ctx};
    weft_err e = WEFT_OK;
    for (int32_t id = 0; id < v->size && e == WEFT_OK; id++) {
        vocab_token *const t = &v->token[id];
        if (!vocab_is_word(v, id)) continue;
        const int32_t *ids = &id;
        size_t n = 1;
        if (v->kind != VOCAB_CHARS && !v->whole_words && t->n > 1)
            e = bpe_word(v, &scratch, vocab_bytes(v, id), t->n, &ids, &n);
        if (e == WEFT_OK && n == 1 && ids[0] == id) t->is |= VOCAB_WORD;
    }
    vocab_forget(&scratch);
    return e;
}

static int vocab_compare(const void *vocab, uint32_t a, uint32_t b) {
    const weft_vocab *const v = vocab;
    const size_t n = v->token[a].n, m = v->token[b].n;
    const int order = memcmp(vocab_bytes(v, (int32_t)a), vocab_bytes(v, (int32_t)b), n < m ? n : m);
    return order ? order : (n > m) - (n < m);
}

weft_err vocab_finish(weft_vocab *v) {
    WEFT_TRY(vocab_mark_words(v));
    size_t count = 0;
    for (int32_t id = 0; id < v->size; id++) count += (v->token[id].is & VOCAB_ADDED) != 0;
    if (!count) return WEFT_OK;
    v->added = weft_resize(v->ctx, NULL, count * sizeof *v->added);
    if (!v->added) return vocab_no_memory(v);
    for (int32_t id = 0; id < v->size; id++) {
        if (!(v->token[id].is & VOCAB_ADDED)) continue;
        v->added[v->added_count++] = (uint32_t)id;
        v->added_first[vocab_bytes(v, id)[0]] = true;
    }
    sort_numbers(v->added, count, vocab_compare, v);
    return WEFT_OK;
}

/* The tokens that share the first k bytes lie beside each other, the shortest first. So the range
 * from..to of them narrows, byte by byte. */
int32_t vocab_added_at(const weft_vocab *v, const unsigned char *p, size_t n) {
    size_t from = 0, to = v->added_count;
    int32_t found = -1;
    for (size_t k = 0; from < to; k++) {
        while (from < to && v->token[v->added[from]].n == k) found = (int32_t)v->added[from++];
        if (k == n) break;
        for (size_t end = to; from < end;) { /* the first whose byte k is not below p[k] */
            const size_t middle = from + (end - from) / 2;
            if (vocab_bytes(v, (int32_t)v->added[middle])[k] < p[k]) from = middle + 1;
            else end = middle;
        }
        for (size_t begin = from; begin < to;) { /* and the first whose byte is above */
            const size_t middle = begin + (to - begin) / 2;
            if (vocab_bytes(v, (int32_t)v->added[middle])[k] > p[k]) to = middle;
            else begin = middle + 1;
        }
    }
    return found;
}

/* ---- bytes as characters ---- */

/* Bytes that can be seen stand for themselves; the others, in their order, for the characters from
 * U+0100 on. */
static bool vocab_is_seen(int byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
}

uint32_t vocab_letter_of(int byte) {
    if (vocab_is_seen(byte)) return (uint32_t)byte;
    uint32_t letter = 256;
    for (int b = 0; b < byte; b++) letter += !vocab_is_seen(b);
    return letter;
}

int vocab_byte_of(uint32_t letter) {
    if (letter < 256) return vocab_is_seen((int)letter) ? (int)letter : -1;
    if (letter >= 256 + 68) return -1;
    for (int b = 0; b < 256; b++)
        if (!vocab_is_seen(b) && letter-- == 256) return b;
    return -1;
}

/* ---- asking ---- */

const char *weft_vocab_kind(const weft_vocab *v) {
    static const char *const names[] = {"bpe", "chars", "bytes"};
    return v ? names[v->kind] : "";
}

int64_t weft_vocab_size(const weft_vocab *v) {
    return v ? v->size : 0;
}

static uint32_t vocab_flags(const weft_vocab *v, int32_t id) {
    return v && id >= 0 && id < v->size ? v->token[id].is : 0;
}

int32_t weft_vocab_find(const weft_vocab *v, const char *name) {
    if (!v || !name || !*name) return -1;
    const size_t n = strlen(name);
    const int32_t id = vocab_added_at(v, (const unsigned char *)name, n);
    return id >= 0 && v->token[id].n == n ? id : -1;
}

bool weft_vocab_special(const weft_vocab *v, int32_t id) {
    return (vocab_flags(v, id) & VOCAB_SPECIAL) != 0;
}

const void *weft_vocab_token(const weft_vocab *v, int32_t id, size_t *n) {
    const bool here = (vocab_flags(v, id) & VOCAB_HERE) != 0;
    if (n) *n = here ? v->token[id].n : 0;
    return here ? vocab_bytes(v, id) : NULL;
}
