/* corpus.c - see corpus.h. */
#include "corpus.h"

#include <weft/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void corpus_free(corpus *k) {
    free(k->ids);
    free(k->file);
    *k = (corpus){0};
}

static bool corpus_is_tokens(const char *path) {
    const size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".bin") == 0;
}

/* ---- characters ---- */

weft_vocab *corpus_chars(weft_ctx *c, char *const *files, int count) {
    char *all = NULL;
    size_t n = 0;
    weft_err e = WEFT_OK;
    for (int i = 0; !e && i < count; i++) {
        weft_file f;
        if ((e = weft_file_open(c, files[i], &f))) break;
        char *const more = realloc(all, n + f.n + 1);
        if (more) memcpy((all = more) + n, f.bytes, f.n), n += f.n;
        else e = weft_fail(c, WEFT_MEMORY, "%s: out of memory", files[i]);
        weft_file_close(&f);
    }
    weft_vocab *const v =
        e ? NULL : weft_vocab_chars(c, (weft_bytes){count == 1 ? files[0] : "the texts", all, n});
    free(all);
    return v;
}

/* ---- texts ---- */

static weft_err corpus_room(corpus *k, weft_ctx *c, size_t more, const char *path) {
    const size_t all = (size_t)k->count + more;
    int32_t *const ids = all < SIZE_MAX / sizeof *ids ? realloc(k->ids, all * sizeof *ids) : NULL;
    if (!ids) return weft_fail(c, WEFT_MEMORY, "%s: out of memory for %zu tokens", path, all);
    k->ids = ids;
    return WEFT_OK;
}

static weft_err corpus_add(corpus *k, weft_ctx *c, const char *path, const weft_vocab *v) {
    const int32_t end = weft_vocab_find(v, "<|endoftext|>");
    weft_file f;
    size_t n = 0;
    weft_err e = weft_file_open(c, path, &f);
    if (e) return e;
    /* names of special tokens are text here: whoever wrote it did not mean to end it */
    const weft_encode_desc how = {.plain = true, .ctx = c};
    e = corpus_room(k, c, f.n + 1, path);
    if (!e && k->count && end >= 0) k->ids[k->count++] = end;
    if (!e) e = weft_vocab_encode(v, f.bytes, f.n, &how, k->ids + k->count, f.n, &n);
    if (e) {
        char why[400];
        snprintf(why, sizeof why, "%s", weft_error(c));
        e = weft_fail(c, e, "%s: %s", path, why);
    }
    k->count += (int64_t)n;
    k->bytes += f.n;
    weft_file_close(&f);
    return e;
}

/* Bytes of the text that is held out. */
static void corpus_count(corpus *k, const weft_vocab *v) {
    size_t n = 0;
    k->held_out = 0;
    for (int64_t i = k->split; k->ids && i < k->count; i++)
        if (weft_vocab_token(v, k->ids[i], &n)) k->held_out += n;
}

static weft_err corpus_tokens(corpus *k, weft_ctx *c, const char *path, const weft_vocab *v) {
    weft_data *const d = weft_data_tokens(
        c, path, &(weft_tokens_desc){.length = 1, .stride = 1, .classes = weft_vocab_size(v)});
    if (!d) return weft_error_code(c);
    k->count = weft_data_rows(d) + 1;
    weft_data_free(d);
    k->file = malloc(strlen(path) + 1);
    if (!k->file) return weft_fail(c, WEFT_MEMORY, "%s: out of memory", path);
    strcpy(k->file, path);
    return WEFT_OK;
}

weft_err corpus_open(corpus *k, weft_ctx *c, char *const *files, int count, const weft_vocab *v,
                     double share) {
    *k = (corpus){0};
    weft_err e = WEFT_OK;
    if (count == 1 && corpus_is_tokens(files[0])) e = corpus_tokens(k, c, files[0], v);
    else
        for (int i = 0; !e && i < count; i++) e = corpus_add(k, c, files[i], v);
    k->split = k->count - (int64_t)((double)k->count * share);
    if (!e) corpus_count(k, v);
    return e;
}

weft_data *corpus_windows(const corpus *k, weft_ctx *c, int64_t length, int64_t classes,
                          bool held_out) {
    const int64_t from = held_out ? k->split : 0, to = held_out ? k->count : k->split;
    if (to - from < length + 1) {
        weft_fail(c, WEFT_ARGUMENT,
                  "the text has %lld tokens for %s, fewer than a window of %lld and its target",
                  (long long)(to - from), held_out ? "validation" : "training", (long long)length);
        return NULL;
    }
    weft_tokens_desc d = {.length = length, .stride = held_out ? length : 1, .classes = classes};
    if (k->file) {
        d.from = from, d.to = to;
        return weft_data_tokens(c, k->file, &d);
    }
    d.bits = 32;
    const size_t bytes = (size_t)(to - from) * sizeof *k->ids;
    return weft_data_parse_tokens(c, (weft_bytes){"the text", k->ids + from, bytes}, &d);
}
