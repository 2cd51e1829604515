/* write.c - text in, text out: a prompt is encoded, continued, and shown as it comes.
 *
 * What may be the beginning of a stop text is held back until it is clear whether it is one. */
#include "base/text.h"
#include "lm/lm_parts.h"

#include <string.h>

/* Tokens that models were trained to see at the beginning of every text. */
static const char *const write_begins[] = {"<|begin_of_text|>", "<s>"};

typedef struct write_row { /* a sequence */
    weft_decoder *decoder;
    text held; /* not yet shown */
    bool done;
} write_row;

typedef struct write_job {
    weft_ctx *c;
    const weft_vocab *v;
    const weft_lm_write_desc *d;
    int rows;
    write_row *row;
    int32_t *id;          /* of each, the last token */
    weft_lm_written *out; /* of each */
} write_job;

static int32_t write_begin(const weft_vocab *v) {
    for (size_t i = 0; i < sizeof write_begins / sizeof *write_begins; i++) {
        const int32_t id = weft_vocab_find(v, write_begins[i]);
        if (id >= 0) return id;
    }
    return -1;
}

/* What an empty prompt begins with. */
static int32_t write_nothing(const weft_vocab *v) {
    int32_t id = weft_vocab_find(v, "<|endoftext|>");
    size_t n = 0;
    if (id < 0) weft_vocab_encode(v, "\n", 1, NULL, &id, 1, &n);
    return id < 0 ? 0 : id;
}

/* The tokens of the prompt; free them. */
static int32_t *write_encode(const write_job *j, const char *prompt, size_t *count) {
    const size_t n = strlen(prompt);
    int32_t *const ids = weft_resize(j->c, NULL, (n + 2) * sizeof *ids);
    if (!ids) {
        weft_fail(j->c, WEFT_MEMORY, "weft_generator_write: out of memory");
        return NULL;
    }
    size_t begins = 0;
    ids[0] = write_begin(j->v);
    if (ids[0] >= 0) begins = 1;
    if (weft_vocab_encode(j->v, prompt, n, &(weft_encode_desc){.ctx = j->c}, ids + begins, n + 1,
                          count) != WEFT_OK) {
        weft_resize(j->c, ids, 0);
        return NULL;
    }
    *count += begins;
    if (!*count) ids[(*count)++] = write_nothing(j->v);
    return ids;
}

/* Shows the first n bytes that are held. */
static void write_show(const write_job *j, int i, size_t n) {
    text *const held = &j->row[i].held;
    if (!n) return;
    if (j->d->show) j->d->show(j->d->user, i, held->s, n);
    memmove(held->s, held->s + n, held->n - n + 1);
    held->n -= n;
}

/* Where a stop text begins in what is held, or could begin at its end, unless that is the last of the
 * text; its length if nowhere. */
static size_t write_stop(const write_job *j, const text *held, bool last, bool *whole) {
    *whole = false;
    for (size_t at = 0; at < held->n; at++) {
        bool begun = false;
        for (size_t i = 0; i < j->d->stop_count && !*whole; i++) {
            const size_t n = strlen(j->d->stop[i]), left = held->n - at;
            if (!n || memcmp(held->s + at, j->d->stop[i], n < left ? n : left) != 0) continue;
            if (n <= left) *whole = true;
            else begun = !last;
        }
        if (*whole || begun) return at;
    }
    return held->n;
}

/* Takes in what a token has brought; true: there was a stop text, and nothing behind it counts. */
static bool write_take(const write_job *j, int i, const char *bytes, size_t n, bool last) {
    text *const held = &j->row[i].held;
    bool whole = false;
    text_raw(held, bytes, n);
    if (held->failed || !held->n) return false;
    write_show(j, i, write_stop(j, held, last, &whole));
    return whole;
}

static void write_done(const write_job *j, int i, const char *why) {
    j->row[i].done = true;
    j->out[i].why = why;
}

/* Shows what was held back: nothing follows. */
static void write_end(const write_job *j, int i, const char *why) {
    size_t n = 0;
    const char *const rest = weft_decoder_end(j->row[i].decoder, &n);
    write_done(j, i, write_take(j, i, rest ? rest : "", rest ? n : 0, true) ? "stop text" : why);
}

static void write_token(const write_job *j, int i) {
    size_t n = 0;
    if (j->row[i].done) return;
    j->out[i].tokens++;
    if (weft_vocab_special(j->v, j->id[i])) {
        write_end(j, i, "end of text");
        return;
    }
    const char *const bytes = weft_decoder_next(j->row[i].decoder, j->id[i], &n);
    if (bytes && write_take(j, i, bytes, n, false)) write_done(j, i, "stop text");
}

/* Those that are not done end for this reason. */
static weft_err write_ends(const write_job *j, const char *why) {
    for (int i = 0; i < j->rows; i++) {
        if (!j->row[i].done) write_end(j, i, why);
        if (j->row[i].held.failed)
            return weft_fail(j->c, WEFT_MEMORY, "weft_generator_write: out of memory");
    }
    return WEFT_OK;
}

static weft_err write_tokens(weft_generator *w, const write_job *j) {
    const int64_t most = j->d->tokens ? j->d->tokens : 200;
    int left = j->rows;
    for (int64_t k = 0; k < most && left; k++) {
        if (j->d->ask && j->d->ask(j->d->user)) return write_ends(j, "stopped");
        WEFT_TRY(weft_generator_next(w, j->id));
        left = 0;
        for (int i = 0; i < j->rows; i++) {
            write_token(j, i);
            left += !j->row[i].done && !j->row[i].held.failed;
        }
    }
    return write_ends(j, "length");
}

/* The same prompt for each. */
static weft_err write_prompt(weft_generator *w, const write_job *j, const char *prompt) {
    size_t count = 0;
    int32_t *const ids = write_encode(j, prompt, &count);
    const size_t rows = (size_t)j->rows;
    const int32_t **const all = weft_resize(j->c, NULL, rows * sizeof *all);
    int64_t *const counts = weft_resize(j->c, NULL, rows * sizeof *counts);
    weft_err e = ids ? WEFT_OK : weft_error_code(j->c);
    if (e == WEFT_OK && (!all || !counts))
        e = weft_fail(j->c, WEFT_MEMORY, "weft_generator_write: out of memory");
    for (size_t i = 0; e == WEFT_OK && i < rows; i++) {
        all[i] = ids, counts[i] = (int64_t)count;
        j->out[i].prompt = (int64_t)count;
    }
    if (e == WEFT_OK) e = weft_generator_prompt(w, all, counts);
    weft_resize(j->c, all, 0);
    weft_resize(j->c, counts, 0);
    weft_resize(j->c, ids, 0);
    return e;
}

static weft_err write_open(write_job *j, bool own) {
    const size_t rows = (size_t)j->rows;
    j->row = weft_resize(j->c, NULL, rows * sizeof *j->row);
    j->id = weft_resize(j->c, NULL, rows * sizeof *j->id);
    if (own) j->out = weft_resize(j->c, NULL, rows * sizeof *j->out);
    if (!j->row || !j->id || !j->out) {
        weft_resize(j->c, j->row, 0);
        j->row = NULL;
        return weft_fail(j->c, WEFT_MEMORY, "weft_generator_write: out of memory");
    }
    memset(j->row, 0, rows * sizeof *j->row);
    for (int i = 0; i < j->rows; i++) {
        j->row[i].held.m = mem_of(j->c);
        j->out[i] = (weft_lm_written){.why = ""};
    }
    for (int i = 0; i < j->rows; i++)
        if (!(j->row[i].decoder = weft_decoder_new(j->v)))
            return weft_fail(j->c, WEFT_MEMORY, "weft_generator_write: out of memory");
    return WEFT_OK;
}

static void write_close(write_job *j, bool own) {
    for (int i = 0; j->row && i < j->rows; i++) {
        weft_decoder_free(j->row[i].decoder);
        text_free(&j->row[i].held);
    }
    weft_resize(j->c, j->row, 0);
    weft_resize(j->c, j->id, 0);
    if (own) weft_resize(j->c, j->out, 0);
}

weft_err weft_generator_write(weft_generator *w, const weft_vocab *v, const char *prompt,
                              const weft_lm_write_desc *d, weft_lm_written *out) {
    static const weft_lm_write_desc none;
    write_job j = {.v = v, .d = d ? d : &none, .out = out};
    j.c = lm_generator_ctx(w, &j.rows);
    if (!w || !v || !prompt)
        return weft_fail(j.c, WEFT_ARGUMENT, "weft_generator_write: the %s is NULL",
                         !w   ? "generator"
                         : !v ? "vocabulary"
                              : "prompt");
    weft_err e = write_open(&j, !out);
    const double start = weft_clock();
    if (e == WEFT_OK) e = write_prompt(w, &j, prompt);
    const double between = weft_clock();
    if (e == WEFT_OK) e = write_tokens(w, &j);
    for (int i = 0; e == WEFT_OK && i < j.rows; i++)
        j.out[i].prompt_seconds = between - start, j.out[i].seconds = weft_clock() - between;
    write_close(&j, !out);
    return e;
}
