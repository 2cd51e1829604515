/* read.c - vocabularies from files: tokenizer.json, or a list of tokens and a list of merges.
 *
 * Files are read twice: once for ids and lengths, from which the memory follows, then for the tokens
 * themselves. Ids may have gaps, but not more of them than there are tokens, so that memory stays in
 * proportion to the file. What a file asks for besides is settings.c's. */
#include "text/vocab.h"

#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"

#include <stdio.h>

enum { READ_GAPS = 1024, READ_LETTERS = 256 + 68 };

typedef struct vocab_reading {
    weft_vocab *v;
    reader *r;
    vocab_scratch text, bytes; /* of a token: as it is written, and what that means */
    int16_t byte_of[READ_LETTERS];
    size_t count, total; /* tokens, and bytes of all as they are written */
    int64_t most;        /* the greatest id */
} vocab_reading;

static weft_err read_bad(vocab_reading *d, weft_json at, const char *field, const char *what) {
    return reader_fail(d->r, WEFT_FORMAT, json_offset(d->r, at), field, "%s", what);
}

/* ---- tokens ---- */

/* The bytes that are written as n bytes of text, at most as many; false: it is no text of
 * byte-level BPE. */
static bool read_letters(const vocab_reading *d, const char *text, size_t n, unsigned char *out,
                         size_t *count) {
    *count = 0;
    for (size_t at = 0, k; at < n; at += k) {
        uint32_t letter = READ_LETTERS;
        k = utf8_decode(text + at, n - at, &letter);
        if (!k || letter >= READ_LETTERS || d->byte_of[letter] < 0) return false;
        out[(*count)++] = (unsigned char)d->byte_of[letter];
    }
    return true;
}

/* The text of a JSON string, in d->text; NULL after weft_fail. */
static const char *read_text(vocab_reading *d, weft_json j, size_t *n) {
    const size_t room = weft_json_text(j, NULL, 0) + 1;
    char *const text = vocab_memory(&d->text, room);
    if (text && !vocab_memory(&d->bytes, room)) return NULL;
    if (text) *n = weft_json_text(j, text, room);
    return text;
}

static weft_err read_id(vocab_reading *d, weft_json id, int64_t *out) {
    *out = weft_json_integer(id, -1);
    if (*out < 0 || *out > INT32_MAX / 2)
        return read_bad(d, id, "id", "a number of 0 or more was expected");
    if (*out > d->most) d->most = *out;
    return WEFT_OK;
}

static weft_err read_measure(vocab_reading *d, weft_json tokens, weft_json added) {
    weft_json key = {0}, value = {0};
    int64_t id;
    d->most = -1;
    for (; weft_json_next(tokens, &key, &value); d->count++) {
        WEFT_TRY(read_id(d, value, &id));
        d->total += weft_json_text(key, NULL, 0);
    }
    for (key = value = (weft_json){0}; weft_json_next(added, &key, &value); d->count++) {
        const weft_json content = weft_json_get(value, "content");
        const size_t n = weft_json_text(content, NULL, 0);
        if (!n || n > NAME_MAX_BYTES)
            return read_bad(d, value, "added_tokens", "content of 1 to 1024 bytes was expected");
        WEFT_TRY(
            read_id(d, weft_json_get(value, "id").at ? weft_json_get(value, "id") : value, &id));
        d->total += n;
    }
    if (!d->count) return reader_fail(d->r, WEFT_FORMAT, 0, "vocab", "it has no tokens");
    if (d->most >= (int64_t)d->count * 2 + READ_GAPS)
        return reader_fail(d->r, WEFT_FORMAT, 0, "vocab", "the greatest id is %lld, of %zu tokens",
                           (long long)d->most, d->count);
    return vocab_reserve(d->v, (size_t)d->most + 1, d->total);
}

static weft_err read_added(vocab_reading *d, weft_json added) {
    static const char *const refused[] = {"single_word", "lstrip", "rstrip"};
    weft_json key = {0}, value = {0};
    while (weft_json_next(added, &key, &value)) {
        size_t n;
        const int32_t id = (int32_t)weft_json_integer(weft_json_get(value, "id"), 0);
        const char *const text = read_text(d, weft_json_get(value, "content"), &n);
        if (!text) return WEFT_MEMORY;
        for (int i = 0; i < 3; i++)
            if (weft_json_bool(weft_json_get(value, refused[i]), false))
                return reader_fail(d->r, WEFT_UNSUPPORTED, json_offset(d->r, value), "added_tokens",
                                   "\"%s\": %s is not supported", text, refused[i]);
        if (!reader_is_name(text, n)) return read_bad(d, value, "added_tokens", "not a string");
        if (d->v->token[id].is & VOCAB_HERE)
            return read_bad(d, value, "added_tokens", "the id belongs to another token");
        const bool special = weft_json_bool(weft_json_get(value, "special"), false);
        vocab_put(d->v, id, text, n, VOCAB_RAW | VOCAB_ADDED | (special ? VOCAB_SPECIAL : 0));
    }
    return WEFT_OK;
}

/* A token of the list that is an added one too. Its name is a word as well if it says the same in both
 * ways of writing. */
static bool read_is_added(vocab_reading *d, int32_t id, const char *text, size_t n) {
    vocab_token *const t = &d->v->token[id];
    if (!(t->is & VOCAB_ADDED) || t->n != n || memcmp(vocab_bytes(d->v, id), text, n) != 0)
        return false;
    size_t count;
    unsigned char *const bytes = d->bytes.memory;
    if (read_letters(d, text, n, bytes, &count) && count == n && !memcmp(bytes, text, n))
        t->is &= ~(uint32_t)VOCAB_RAW;
    return true;
}

static weft_err read_tokens(vocab_reading *d, weft_json tokens) {
    weft_json key = {0}, value = {0};
    while (weft_json_next(tokens, &key, &value)) {
        size_t n, count;
        const int32_t id = (int32_t)weft_json_integer(value, 0);
        const char *const text = read_text(d, key, &n);
        if (!text) return WEFT_MEMORY;
        if (d->v->token[id].is & VOCAB_HERE) {
            if (read_is_added(d, id, text, n)) continue;
            return read_bad(d, value, "vocab", "the id belongs to another token");
        }
        const bool chars = d->v->kind == VOCAB_CHARS;
        if (chars && (!n || utf8_length(text, n) != n))
            return read_bad(d, key, "vocab", "one character was expected");
        if (!chars && (!read_letters(d, text, n, d->bytes.memory, &count) || !count))
            return read_bad(d, key, "vocab",
                            "not a token of byte-level BPE, in which each byte is a character");
        if (chars) vocab_put(d->v, id, text, n, 0);
        else vocab_put(d->v, id, d->bytes.memory, count, 0);
    }
    return WEFT_OK;
}

/* ---- merges ---- */

typedef struct merge_text { /* two tokens as they are written */
    const char *left, *right;
    size_t left_n, right_n;
} merge_text;

static weft_err read_merge(vocab_reading *d, reader *r, uint64_t offset, merge_text m) {
    weft_vocab *const v = d->v;
    char field[40];
    size_t n, k;
    unsigned char *const bytes = vocab_memory(&d->bytes, m.left_n + m.right_n + 1);
    if (!bytes) return WEFT_MEMORY;
    snprintf(field, sizeof field, "merge %lu", (unsigned long)v->merges);
    if (!read_letters(d, m.left, m.left_n, bytes, &n) ||
        !read_letters(d, m.right, m.right_n, bytes + n, &k))
        return reader_fail(r, WEFT_FORMAT, offset, field, "not two tokens of byte-level BPE");
    const int32_t left = vocab_look(v, bytes, n, vocab_hash(bytes, n));
    const int32_t right = vocab_look(v, bytes + n, k, vocab_hash(bytes + n, k));
    const int32_t both = vocab_look(v, bytes, n + k, vocab_hash(bytes, n + k));
    if (left < 0 || right < 0 || both < 0)
        return reader_fail(r, WEFT_FORMAT, offset, field, "%s is not in the vocabulary",
                           left < 0    ? "the left token"
                           : right < 0 ? "the right token"
                                       : "the merged token");
    if (!vocab_merge(v, left, right, both))
        return reader_fail(r, WEFT_FORMAT, offset, field, "duplicate pair");
    return WEFT_OK;
}

/* "left right" */
static bool read_pair(const char *text, size_t n, merge_text *m) {
    const char *const space = memchr(text, ' ', n);
    if (!space || space == text || space + 1 == text + n) return false;
    *m = (merge_text){text, space + 1, (size_t)(space - text), n - (size_t)(space + 1 - text)};
    return true;
}

static weft_err read_merges_json(vocab_reading *d, weft_json merges) {
    weft_json key = {0}, value = {0};
    WEFT_TRY(vocab_room_for_merges(d->v, weft_json_count(merges)));
    while (weft_json_next(merges, &key, &value)) {
        merge_text m;
        size_t n;
        bool good = false;
        if (weft_json_kind_of(value) == WEFT_JSON_ARRAY) {
            weft_json left = {0}, right;
            weft_json_next(value, &key, &left);
            right = left;
            const bool two = weft_json_next(value, &key, &right) && weft_json_count(value) == 2;
            m.left_n = weft_json_text(left, NULL, 0);
            m.right_n = weft_json_text(right, NULL, 0);
            char *const text = vocab_memory(&d->text, m.left_n + m.right_n + 2);
            if (!text) return WEFT_MEMORY;
            m.left = text;
            m.right = text + m.left_n + 1;
            weft_json_text(left, text, m.left_n + 1);
            weft_json_text(right, text + m.left_n + 1, m.right_n + 1);
            good = two && m.left_n && m.right_n;
        } else {
            const char *const text = read_text(d, value, &n);
            if (!text) return WEFT_MEMORY;
            good = read_pair(text, n, &m);
        }
        if (!good)
            return read_bad(d, value, "merges",
                            "\"left right\" or [\"left\", \"right\"] was expected");
        WEFT_TRY(read_merge(d, d->r, json_offset(d->r, value), m));
    }
    return WEFT_OK;
}

/* One merge a line; the first line may say the version. */
static weft_err read_merges_lines(vocab_reading *d, reader *r) {
    static const char version[] = "#version";
    const char *const text = (const char *)r->bytes;
    size_t lines = 0;
    for (size_t i = 0; i < r->n; i++) lines += text[i] == '\n';
    WEFT_TRY(vocab_room_for_merges(d->v, lines + 1));
    for (size_t at = 0, end; at < r->n; at = end + 1) {
        const char *const newline = memchr(text + at, '\n', r->n - at);
        end = newline ? (size_t)(newline - text) : r->n;
        size_t n = end - at;
        if (n && text[at + n - 1] == '\r') n--;
        if (!n || (!at && n >= sizeof version - 1 && !memcmp(text, version, sizeof version - 1)))
            continue;
        merge_text m;
        if (!read_pair(text + at, n, &m))
            return reader_fail(r, WEFT_FORMAT, at, "merges",
                               "two tokens and a space were expected");
        WEFT_TRY(read_merge(d, r, at, m));
    }
    return WEFT_OK;
}

/* Without a list of added tokens: those that no merge gives, and that are written <so> or [so]. */
static void read_find_special(weft_vocab *v) {
    for (int32_t id = 0; id < v->size; id++) {
        vocab_token *const t = &v->token[id];
        if (!(t->is & VOCAB_HERE) || (t->is & VOCAB_MADE) || t->n < 3) continue;
        const unsigned char *const name = vocab_bytes(v, id);
        const unsigned char last = name[t->n - 1];
        if ((name[0] != '<' || last != '>') && (name[0] != '[' || last != ']')) continue;
        if (reader_is_name((const char *)name, t->n)) t->is |= VOCAB_ADDED | VOCAB_SPECIAL;
    }
}

/* ---- files ---- */

static weft_err read_parts(vocab_reading *d, weft_json all, reader *merges) {
    weft_vocab *const v = d->v;
    const weft_json tokens = merges ? all : weft_json_get(all, "model.vocab");
    const weft_json added = merges ? (weft_json){0} : weft_json_get(all, "added_tokens");
    if (!merges) WEFT_TRY(settings_read(v, d->r, all));
    if (weft_json_kind_of(tokens) != WEFT_JSON_OBJECT)
        return read_bad(d, all, "vocab", "an object of tokens and their ids was expected");
    WEFT_TRY(read_measure(d, tokens, added));
    WEFT_TRY(read_added(d, added));
    WEFT_TRY(read_tokens(d, tokens));
    WEFT_TRY(vocab_room_for_words(v, (size_t)v->size));
    for (int32_t id = 0; id < v->size; id++)
        if (vocab_is_word(v, id) && !vocab_enter(v, id))
            return reader_fail(d->r, WEFT_FORMAT, 0, "vocab", "duplicate token %ld", (long)id);
    if (v->kind == VOCAB_CHARS) return vocab_finish(v);
    for (int b = 0; b < 256; b++)
        if (v->byte[b] < 0)
            return reader_fail(d->r, WEFT_FORMAT, 0, "vocab", "no token for the byte %02x",
                               (unsigned)b);
    if (merges) {
        WEFT_TRY(read_merges_lines(d, merges));
        read_find_special(v);
    } else {
        WEFT_TRY(read_merges_json(d, weft_json_get(all, "model.merges")));
    }
    bool bytes = v->merges == 0;
    for (int b = 0; b < 256; b++) bytes = bytes && v->byte[b] == b;
    if (bytes) v->kind = VOCAB_BYTES;
    return vocab_finish(v);
}

weft_vocab *weft_vocab_parse(weft_ctx *c, weft_bytes vocab, weft_bytes merges) {
    weft_vocab *v = vocab_new(c, VOCAB_BPE);
    if (!v) return NULL;
    reader r = reader_of(c, vocab.name, vocab.data, vocab.bytes);
    reader m = reader_of(c, merges.name, merges.data, merges.bytes);
    vocab_reading d = {.v = v, .r = &r, .text = {.ctx = c}, .bytes = {.ctx = c}};
    for (int i = 0; i < READ_LETTERS; i++) d.byte_of[i] = (int16_t)vocab_byte_of((uint32_t)i);
    const weft_json all = json_inside(&r, 0, r.n);
    weft_err e = r.err;
    if (e == WEFT_OK) e = read_parts(&d, all, merges.data ? &m : NULL);
    vocab_forget(&d.text);
    vocab_forget(&d.bytes);
    return vocab_done(v, e);
}

/* The files of a vocabulary; one is enough if it is a tokenizer.json. */
static const struct {
    const char *vocab, *merges;
} read_names[] = {
    {"tokenizer.json", NULL}, {"vocab.json", "merges.txt"}, {"encoder.json", "vocab.bpe"}};
enum { READ_NAMES = sizeof read_names / sizeof *read_names };

static weft_vocab *read_files(weft_ctx *c, const char *vocab, const char *merges) {
    weft_file a, b = {0};
    weft_vocab *v = NULL;
    if (weft_file_open(c, vocab, &a) != WEFT_OK) return NULL;
    if (!merges || weft_file_open(c, merges, &b) == WEFT_OK) {
        /* An empty file has no address; a parser shall see that it is there. */
        const void *const list = merges && !b.n ? "" : b.bytes;
        v = weft_vocab_parse(c, (weft_bytes){vocab, a.n ? a.bytes : "", a.n},
                             (weft_bytes){merges, list, b.n});
        if (b.bytes) weft_file_close(&b);
    }
    weft_file_close(&a);
    return v;
}

/* folder/name, or beside the file if a file is what the path names. */
static bool read_beside(text *t, const char *path, bool folder, const char *name) {
    const char *const slash = strrchr(path, '/');
    text_clear(t);
    if (folder) text_add(t, "%s/", path);
    else if (slash) text_raw(t, path, (size_t)(slash + 1 - path));
    text_put(t, name);
    return !t->failed;
}

static weft_vocab *read_open(weft_ctx *c, const char *path, text *a, text *b) {
    const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
    for (int i = 0; i < READ_NAMES; i++) { /* a file by its name */
        const char *const vocab = read_names[i].vocab, *const merges = read_names[i].merges;
        if (strcmp(name, vocab) != 0 && (!merges || strcmp(name, merges) != 0)) continue;
        if (!read_beside(a, path, false, vocab) || (merges && !read_beside(b, path, false, merges)))
            goto no_memory;
        return read_files(c, a->s, merges ? b->s : NULL);
    }
    for (int i = 0; i < READ_NAMES; i++) { /* a folder */
        const char *const merges = read_names[i].merges;
        if (!read_beside(a, path, true, read_names[i].vocab) ||
            (merges && !read_beside(b, path, true, merges)))
            goto no_memory;
        if (path_exists(a->s)) return read_files(c, a->s, merges ? b->s : NULL);
    }
    if (path_exists(path)) {
        text_clear(a);
        text_add(a, "%s/.", path);
        if (!a->failed && !path_exists(a->s)) return read_files(c, path, NULL); /* any other name */
    }
    weft_fail(c, WEFT_FILE,
              "%s: no vocabulary; expected tokenizer.json, vocab.json and merges.txt, or "
              "encoder.json and vocab.bpe",
              reader_path(path));
    return NULL;
no_memory:
    weft_fail(c, WEFT_MEMORY, "weft_vocab_open: out of memory");
    return NULL;
}

weft_vocab *weft_vocab_open(weft_ctx *c, const char *path) {
    if (!c || !path || !*path) {
        weft_fail(c, WEFT_ARGUMENT, "weft_vocab_open: no context, or no path");
        return NULL;
    }
    text a = {.m = mem_of(c)}, b = {.m = mem_of(c)};
    weft_vocab *const v = read_open(c, path, &a, &b);
    text_free(&a);
    text_free(&b);
    return v;
}
