/* generate.c - tokens after tokens: the prompt in one pass, then one token of each sequence a run.
 *
 * Keys and values of earlier positions lie in a state of their own. A plan exists for each length of the cache
 * that is a power of two, and is made when that length is first reached, so a token costs no more
 * attention than twice what it needs. Sequences with prompts of different lengths are aligned at
 * their ends: the shorter begin with padding that nobody sees. Prompts are filled up to a power of
 * two behind their end, with tokens whose keys are overwritten before anybody looks at them. */
#include "base/hash.h"
#include "lm/lm_parts.h"

#include <string.h>

enum {
    GENERATE_LEAST = 64,   /* positions of the shortest plan */
    GENERATE_BUCKETS = 24, /* 2^23 of those: more than any model has */
    GENERATE_SEQUENCES = 4096,
};

typedef struct generate_plan {
    weft_graph *g;
    weft_plan *p;
    weft_tensor ids, at, last, starts, logits;
} generate_plan;

struct weft_generator {
    weft_ctx *c;
    weft_state *s, *cache; /* of the network; of keys and values */
    weft_lm_config m;
    weft_generator_desc d;
    int64_t sequences, positions;
    generate_plan prompt[GENERATE_BUCKETS], next[GENERATE_BUCKETS];
    int64_t count;   /* positions so far */
    bool behind;     /* the last of them is not in the cache, and logits are of those before */
    int64_t drawn;   /* tokens so far, of each sequence */
    int32_t *ids;    /* [sequences, positions]: tokens so far, padding included */
    int32_t *starts; /* [sequences]: where padding ends */
    int32_t *turn;   /* [sequences, positions]: the input of a run */
    float *logits;   /* [sequences, vocab] */
    float *mine;     /* [vocab]: those of one sequence, after the penalty */
    void *scratch;   /* 8 bytes for each token of the vocabulary */
    uint8_t *seen;   /* [sequences, vocab], if repetition has a price */
};

static int generate_bucket(int64_t n) {
    int i = 0;
    while (((int64_t)GENERATE_LEAST << i) < n) i++;
    return i;
}

static int64_t generate_length(const weft_generator *w, int bucket) {
    const int64_t n = (int64_t)GENERATE_LEAST << bucket;
    return n < w->positions ? n : w->positions;
}

/* ---- plans ---- */

static weft_err generate_compile(weft_generator *w, generate_plan *to, int64_t tokens,
                                 int64_t length, bool begins) {
    weft_graph *const g = weft_graph_new(w->c);
    if (!g) return weft_error_code(w->c);
    *to = (generate_plan){.g = g};
    weft_graph_eval(g);
    weft_lm_cache cache = {.state = w->cache, .positions = w->positions, .length = length};
    weft_lm_desc how = w->d.model;
    how.checkpoint = false;
    how.cache = &cache;
    to->ids = weft_input(g, WEFT_I32, weft_dims(w->sequences, tokens));
    if (begins) to->last = weft_input(g, WEFT_I32, WEFT_0D);
    else cache.at = to->at = weft_input(g, WEFT_I32, WEFT_0D);
    if (w->sequences > 1)
        how.starts = to->starts = weft_input(g, WEFT_I32, weft_dims(w->sequences));
    weft_tensor x = weft_lm_hidden(w->s, to->ids, &w->m, &how);
    if (begins) x = weft_slice_at(x, 1, to->last, 1);
    to->logits = weft_lm_head(w->s, x, &w->m, &how);
    to->p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(to->logits),
                                              .update = cache.update,
                                              .threads = w->d.threads,
                                              .name = begins ? "prompt" : "next"});
    return to->p ? WEFT_OK : weft_error_code(w->c);
}

static void generate_drop(generate_plan *p) {
    weft_plan_free(p->p);
    weft_graph_free(p->g);
    *p = (generate_plan){0};
}

/* The plan for so many positions, made if it is the first time. */
static weft_err generate_plan_for(weft_generator *w, generate_plan *list, int64_t n, bool begins,
                                  generate_plan **out) {
    const int bucket = generate_bucket(n);
    const int64_t length = generate_length(w, bucket);
    *out = &list[bucket];
    if ((*out)->p) return WEFT_OK;
    const weft_err e = generate_compile(w, *out, begins ? length : 1, length, begins);
    if (e != WEFT_OK) generate_drop(*out);
    return e;
}

static weft_err generate_run(weft_generator *w, const generate_plan *p, int64_t tokens,
                             int32_t at) {
    const size_t rows = (size_t)w->sequences;
    WEFT_TRY(weft_set(p->p, p->ids, w->turn, rows * (size_t)tokens * sizeof *w->turn));
    WEFT_TRY(weft_set(p->p, p->at.g ? p->at : p->last, &at, sizeof at));
    if (p->starts.g) WEFT_TRY(weft_set(p->p, p->starts, w->starts, rows * sizeof *w->starts));
    WEFT_TRY(weft_run(p->p));
    return weft_get(p->p, p->logits, w->logits, rows * (size_t)w->m.vocab * sizeof *w->logits);
}

/* The first `count` positions of ids, in one pass. */
static weft_err generate_begin(weft_generator *w) {
    generate_plan *p;
    WEFT_TRY(generate_plan_for(w, w->prompt, w->count, true, &p));
    const int64_t tokens = weft_dim(p->ids, 1);
    for (int64_t b = 0; b < w->sequences; b++) {
        int32_t *const to = w->turn + b * tokens;
        memset(to, 0, (size_t)tokens * sizeof *to);
        memcpy(to, w->ids + b * w->positions, (size_t)w->count * sizeof *to);
    }
    return generate_run(w, p, tokens, (int32_t)(w->count - 1));
}

/* ---- the interface ---- */

weft_generator *weft_generator_new(weft_state *s, const weft_lm_config *m,
                                   const weft_generator_desc *d) {
    static const weft_generator_desc none;
    weft_ctx *const c = weft_state_ctx(s);
    if (!d) d = &none;
    if (!s) weft_fail(c, WEFT_ARGUMENT, "weft_generator_new: the state is NULL");
    if (!s || weft_lm_config_check(c, m) != WEFT_OK) return NULL;
    const int64_t rows = d->sequences ? d->sequences : 1;
    const int64_t positions = d->positions ? d->positions : m->positions;
    if (rows < 1 || rows > GENERATE_SEQUENCES || positions < 2 || positions > m->positions) {
        weft_fail(
            c, WEFT_ARGUMENT,
            "weft_generator_new: expected 1 to %d sequences and 2 to %lld positions, got %lld "
            "and %lld",
            GENERATE_SEQUENCES, (long long)m->positions, (long long)rows, (long long)positions);
        return NULL;
    }
    weft_generator *const w = weft_resize(c, NULL, sizeof *w);
    if (!w) {
        weft_fail(c, WEFT_MEMORY, "weft_generator_new: out of memory");
        return NULL;
    }
    *w = (weft_generator){
        .c = c, .s = s, .m = *m, .d = *d, .sequences = rows, .positions = positions};
    if (!(w->d.repetition > 0)) w->d.repetition = 1;
    const size_t n = (size_t)rows, vocab = (size_t)m->vocab;
    w->cache = weft_state_new(c);
    w->ids = weft_resize(c, NULL, n * (size_t)positions * sizeof *w->ids);
    w->turn = weft_resize(c, NULL, n * (size_t)positions * sizeof *w->turn);
    w->starts = weft_resize(c, NULL, n * sizeof *w->starts);
    w->logits = weft_resize(c, NULL, n * vocab * sizeof *w->logits);
    w->mine = weft_resize(c, NULL, vocab * sizeof *w->mine);
    w->scratch = weft_resize(c, NULL, vocab * 8);
    const bool price = w->d.repetition != 1;
    if (price) w->seen = weft_resize(c, NULL, n * vocab);
    if (w->cache && w->ids && w->turn && w->starts && w->logits && w->mine && w->scratch &&
        (w->seen || !price))
        return w;
    weft_generator_free(w);
    weft_fail(c, WEFT_MEMORY, "weft_generator_new: out of memory");
    return NULL;
}

weft_ctx *lm_generator_ctx(const weft_generator *w, int *sequences) {
    *sequences = w ? (int)w->sequences : 0;
    return w ? w->c : NULL;
}

void weft_generator_free(weft_generator *w) {
    if (!w) return;
    for (int i = 0; i < GENERATE_BUCKETS; i++) {
        generate_drop(&w->prompt[i]);
        generate_drop(&w->next[i]);
    }
    void *const all[] = {w->ids, w->turn, w->starts, w->logits, w->mine, w->scratch, w->seen};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) weft_resize(w->c, all[i], 0);
    if (w->cache) weft_state_free(w->cache);
    weft_resize(w->c, w, 0);
}

static void generate_see(weft_generator *w, int64_t sequence, int32_t id) {
    if (w->seen) w->seen[sequence * w->m.vocab + id] = 1;
}

static weft_err generate_ids_fit(weft_generator *w, const int32_t *ids, int64_t n, int64_t row) {
    if (!ids || n < 1)
        return weft_fail(w->c, WEFT_ARGUMENT, "weft_generator_prompt: sequence %lld has no tokens",
                         (long long)row);
    for (int64_t i = 0; i < n; i++)
        if (ids[i] < 0 || ids[i] >= w->m.vocab)
            return weft_fail(w->c, WEFT_ARGUMENT,
                             "weft_generator_prompt: token %lld of sequence %lld is %d; expected 0 "
                             "to %lld",
                             (long long)i, (long long)row, (int)ids[i], (long long)w->m.vocab - 1);
    return WEFT_OK;
}

weft_err weft_generator_prompt(weft_generator *w, const int32_t *const *ids, const int64_t *count) {
    if (!w || !ids || !count)
        return weft_fail(w ? w->c : NULL, WEFT_ARGUMENT,
                         "weft_generator_prompt: an argument is NULL");
    int64_t most = 0;
    for (int64_t b = 0; b < w->sequences; b++) {
        WEFT_TRY(generate_ids_fit(w, ids[b], count[b], b));
        if (count[b] > most) most = count[b];
    }
    if (most >= w->positions) most = w->positions - 1; /* room for one more */
    if (w->seen) memset(w->seen, 0, (size_t)(w->sequences * w->m.vocab));
    for (int64_t b = 0; b < w->sequences; b++) {
        const int64_t n = count[b] < most ? count[b] : most;
        int32_t *const to = w->ids + b * w->positions;
        memset(to, 0, (size_t)(most - n) * sizeof *to);
        memcpy(to + most - n, ids[b] + count[b] - n, (size_t)n * sizeof *to);
        w->starts[b] = (int32_t)(most - n);
        for (int64_t i = 0; i < count[b]; i++) generate_see(w, b, ids[b][i]);
    }
    w->count = most;
    w->drawn = 0;
    w->behind = false;
    const weft_err e = generate_begin(w);
    if (e != WEFT_OK) w->count = 0;
    return e;
}

/* [0, 1) */
static float generate_chance(const weft_generator *w, int64_t sequence) {
    const uint64_t h = hash_word(hash_word(hash_word(HASH_START, w->d.seed), (uint64_t)sequence),
                                 (uint64_t)w->drawn);
    return (float)(hash_word(h, HASH_START) >> 40) * 0x1p-24f;
}

static weft_err generate_draw(weft_generator *w, int64_t sequence, int32_t *id) {
    const float *logits = w->logits + sequence * w->m.vocab;
    if (w->seen) {
        const uint8_t *const seen = w->seen + sequence * w->m.vocab;
        const float by = w->d.repetition;
        for (int64_t i = 0; i < w->m.vocab; i++)
            w->mine[i] = !seen[i] ? logits[i] : logits[i] > 0 ? logits[i] / by : logits[i] * by;
        logits = w->mine;
    }
    *id = weft_sample(logits, w->m.vocab, &w->d.sample, generate_chance(w, sequence), w->scratch);
    if (*id >= 0) return WEFT_OK;
    return weft_fail(w->c, WEFT_DIVERGED,
                     "weft_generator_next: no logit of sequence %lld is finite",
                     (long long)sequence);
}

/* The older half goes; the rest is a prompt again. */
static weft_err generate_forget(weft_generator *w) {
    const int64_t left = w->count / 2, gone = w->count - left;
    for (int64_t b = 0; b < w->sequences; b++) {
        int32_t *const ids = w->ids + b * w->positions;
        memmove(ids, ids + gone, (size_t)left * sizeof *ids);
        w->starts[b] = w->starts[b] > gone ? w->starts[b] - (int32_t)gone : 0;
        /* a row that was all padding begins with its first token */
        if (w->starts[b] >= left) w->starts[b] = (int32_t)left - 1;
    }
    w->count = left;
    return generate_begin(w);
}

/* Logits after the last token. */
static weft_err generate_catch_up(weft_generator *w) {
    if (!w->count) return weft_fail(w->c, WEFT_STATE, "weft_generator: no prompt");
    if (!w->behind) return WEFT_OK;
    weft_err e;
    if (w->count == w->positions) e = generate_forget(w);
    else {
        generate_plan *p;
        const int64_t at = w->count - 1;
        for (int64_t b = 0; b < w->sequences; b++) w->turn[b] = w->ids[b * w->positions + at];
        e = generate_plan_for(w, w->next, w->count, false, &p);
        if (e == WEFT_OK) e = generate_run(w, p, 1, (int32_t)at);
    }
    w->behind = false;
    if (e != WEFT_OK) w->count = 0;
    return e;
}

weft_err weft_generator_next(weft_generator *w, int32_t *ids) {
    if (!w || !ids)
        return weft_fail(w ? w->c : NULL, WEFT_ARGUMENT,
                         "weft_generator_next: an argument is NULL");
    WEFT_TRY(generate_catch_up(w));
    for (int64_t b = 0; b < w->sequences; b++) WEFT_TRY(generate_draw(w, b, &ids[b]));
    for (int64_t b = 0; b < w->sequences; b++) {
        w->ids[b * w->positions + w->count] = ids[b];
        generate_see(w, b, ids[b]);
    }
    w->count++, w->drawn++;
    w->behind = true;
    return WEFT_OK;
}

const float *weft_generator_logits(weft_generator *w, int sequence) {
    if (!w || sequence < 0 || sequence >= w->sequences) {
        weft_fail(w ? w->c : NULL, WEFT_ARGUMENT, "weft_generator_logits: no sequence %d",
                  sequence);
        return NULL;
    }
    return generate_catch_up(w) == WEFT_OK ? w->logits + sequence * w->m.vocab : NULL;
}
