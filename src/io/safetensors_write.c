/* safetensors_write.c - writing safetensors, in one file or in shards with an index.
 *
 * Values begin at a multiple of 64 bytes, wide elements first, so that every array lies at a
 * multiple of its element. A set of shards is written in full under temporary names; then the old
 * index is removed, the shards are renamed, and the new index comes last: a reader of the index
 * finds one set or none, never parts of two. */
#include "base/crc.h"
#include "base/sort.h"
#include "io/file.h"
#include "io/write.h"
#include <stdio.h>
#include <string.h>

enum { SAFE_ALIGN = 64, SAFE_MOST_SHARDS = 512 };
#define SAFE_ENDING ".safetensors"
#define SAFE_INDEX  ".index.json"

static int safe_compare_widths(const void *user, uint32_t x, uint32_t y) {
    const weft_archive *a = user;
    size_t p = weft_file_type_size((weft_file_type)a->array[x].type);
    size_t q = weft_file_type_size((weft_file_type)a->array[y].type);
    if (p != q) return p > q ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void safe_put_array(text *b, const weft_array *t, uint64_t begin, uint64_t end) {
    text_quote(b, t->name);
    char shape[21 * WEFT_MAX_RANK + 3];
    text_add(b, ":{\"dtype\":\"%s\",\"shape\":%s", weft_file_type_name(t->type),
             shape_text(shape, sizeof shape, t->dims.rank, t->dims.n));
    text_add(b, ",\"data_offsets\":[%llu,%llu]}", (unsigned long long)begin,
             (unsigned long long)end);
}

static void safe_put_text(text *b, const char *key, const char *value, bool first) {
    if (!first) text_put(b, ",");
    text_quote(b, key);
    text_put(b, ":");
    text_quote(b, value);
}

/* The metadata; gives where the digits of the header's own checksum are, 0 for none. */
static size_t safe_put_metadata(text *b, weft_archive *a, const uint32_t *at, size_t n, bool texts,
                                bool checksums) {
    size_t digits = 0;
    bool first = true;
    text_put(b, "\"__metadata__\":{");
    for (size_t i = 0; texts && i < a->texts; i++, first = false)
        safe_put_text(b, a->text[i].key, a->text[i].value, first);
    if (checksums) {
        safe_put_text(b, ARCHIVE_CRC_KEY, "00000000", first);
        digits = b->n - 9;
    }
    for (size_t i = 0; checksums && i < n; i++) {
        const archive_array *x = &a->array[at[i]];
        char key[sizeof ARCHIVE_CRC_KEY + 1 + NAME_MAX_BYTES], value[9];
        snprintf(key, sizeof key, ARCHIVE_CRC_KEY ".%s", x->name);
        snprintf(value, sizeof value, "%08x", (unsigned)crc_32c(0, x->data, (size_t)x->bytes));
        safe_put_text(b, key, value, false);
    }
    text_put(b, n ? "}," : "}");
    return digits;
}

weft_err safetensors_header(weft_archive *a, uint32_t *at, size_t n, bool texts, bool checksums,
                            text *b) {
    size_t digits = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < n; i++) WEFT_TRY(archive_look(a, &a->array[at[i]]));
    sort_numbers(at, n, safe_compare_widths, a);
    text_little(b, 0, 8);
    text_put(b, "{");
    if ((texts && a->texts) || checksums) digits = safe_put_metadata(b, a, at, n, texts, checksums);
    for (size_t i = 0; i < n; i++) {
        weft_array t;
        archive_tell(a, &a->array[at[i]], &t);
        uint64_t begin = end;
        if (!check_add(begin, t.bytes, &end))
            return weft_fail(a->c, WEFT_ARGUMENT, "the arrays together are too large for a file");
        if (i) text_put(b, ",");
        safe_put_array(b, &t, begin, end);
    }
    text_put(b, "}");
    while (!b->failed && b->n % SAFE_ALIGN) text_put(b, " ");
    if (b->failed) return archive_no_memory(a);
    for (int i = 0; i < 8; i++) b->s[i] = (char)((uint64_t)(b->n - 8) >> 8 * i);
    if (digits) { /* counted with zeros in its place */
        char text[9];
        snprintf(text, sizeof text, "%08x", (unsigned)crc_32c(0, b->s + 8, b->n - 8));
        memcpy(b->s + digits, text, 8);
    }
    return WEFT_OK;
}

/* One file up to the point where it is complete under its temporary name. */
static weft_err safe_prepare(weft_archive *a, uint32_t *at, size_t n, bool texts, bool checksums,
                             const char *path, size_t inside, file_writer *w) {
    text head = {.m = mem_of(a->c)};
    weft_err e = safetensors_header(a, at, n, texts, checksums, &head);
    if (e == WEFT_OK) e = file_begin(w, a->c, path, inside);
    if (e == WEFT_OK) e = file_add(w, head.s, head.n);
    for (size_t i = 0; i < n && e == WEFT_OK; i++)
        e = file_add(w, a->array[at[i]].data, (size_t)a->array[at[i]].bytes);
    if (e == WEFT_OK) e = file_finish(w);
    text_free(&head);
    return e;
}

static uint32_t *safe_all(weft_archive *a) {
    uint32_t *at = weft_resize(a->c, NULL, (a->n ? a->n : 1) * sizeof *at);
    for (size_t i = 0; at && i < a->n; i++) at[i] = (uint32_t)i;
    if (!at) archive_no_memory(a);
    return at;
}

weft_err safetensors_write(weft_archive *a, const char *path, size_t inside, bool checksums,
                           const char *previous) {
    uint32_t *at = safe_all(a);
    if (!at) return WEFT_MEMORY;
    file_writer w = {.c = a->c, .fd = -1, .folder = -1};
    weft_err e = safe_prepare(a, at, a->n, true, checksums, path, inside, &w);
    if (e == WEFT_OK) e = file_place(&w, previous);
    file_abandon(&w);
    weft_resize(a->c, at, 0);
    return e;
}

/* ---- shards ---- */

typedef struct safe_set {
    weft_archive *a;
    char *stem;   /* the path without .safetensors */
    uint32_t *at; /* arrays, shard after shard */
    size_t *end;  /* where each shard ends in at */
    size_t shards;
    file_writer *writer;
} safe_set;

static size_t safe_share(weft_archive *a, size_t most, size_t *end) {
    size_t shards = 0;
    uint64_t held = 0;
    for (size_t i = 0; i < a->n; i++) {
        uint64_t bytes = a->array[i].bytes;
        if (i && most && (held > most || bytes > most - held)) {
            if (end) end[shards] = i;
            shards++;
            held = 0;
        }
        held += bytes;
    }
    if (end) end[shards] = a->n;
    return shards + 1;
}

static void safe_shard_path(const safe_set *s, size_t i, bool whole, char *out, size_t n) {
    const char *slash = strrchr(s->stem, '/');
    snprintf(out, n, "%s-%05zu-of-%05zu" SAFE_ENDING, whole || !slash ? s->stem : slash + 1, i + 1,
             s->shards);
}

static weft_err safe_write_index(safe_set *s, const char *path, char *name, size_t room) {
    weft_archive *a = s->a;
    text b = {.m = mem_of(a->c)};
    uint64_t total = 0;
    for (size_t i = 0; i < a->n; i++) total += a->array[i].bytes;
    text_add(&b, "{\n  \"metadata\": {\n    \"total_size\": %llu", (unsigned long long)total);
    for (size_t i = 0; i < a->texts; i++) {
        text_put(&b, ",\n    ");
        text_quote(&b, a->text[i].key);
        text_put(&b, ": ");
        text_quote(&b, a->text[i].value);
    }
    text_put(&b, "\n  },\n  \"weight_map\": {");
    for (size_t shard = 0, i = 0; shard < s->shards; shard++) {
        safe_shard_path(s, shard, false, name, room);
        for (; i < s->end[shard]; i++) {
            text_put(&b, i ? ",\n    " : "\n    ");
            text_quote(&b, a->array[s->at[i]].name);
            text_put(&b, ": ");
            text_quote(&b, name);
        }
    }
    text_put(&b, "\n  }\n}\n");
    weft_err e = b.failed ? archive_no_memory(a) : weft_file_write(a->c, path, b.s, b.n);
    text_free(&b);
    return e;
}

static weft_err safe_write_set(safe_set *s, const char *index, bool checksums, char *name,
                               size_t room) {
    for (size_t i = 0, from = 0; i < s->shards; from = s->end[i++]) {
        safe_shard_path(s, i, true, name, room);
        WEFT_TRY(safe_prepare(s->a, s->at + from, s->end[i] - from, false, checksums, name, 0,
                              &s->writer[i]));
        if (i) file_share(&s->writer[i], &s->writer[0]); /* there may be hundreds */
    }
    WEFT_TRY(file_remove(s->a->c, index));
    for (size_t i = 0; i < s->shards; i++) WEFT_TRY(file_place(&s->writer[i], NULL));
    return safe_write_index(s, index, name, room);
}

weft_err shards_write(weft_archive *a, const char *path, const weft_write_desc *d) {
    size_t n = strlen(path), most = d ? d->max_shard_bytes : 0;
    size_t ending = sizeof SAFE_INDEX - 1, kind = sizeof SAFE_ENDING - 1;
    bool checksums = (d && d->checksums) || strcmp(a->format, "checkpoint") == 0; /* stays one */
    bool named = n > ending && strcmp(path + n - ending, SAFE_INDEX) == 0;
    if (named) n -= ending;
    safe_set s = {.a = a, .shards = safe_share(a, most, NULL)};
    if (!named && s.shards == 1) return safetensors_write(a, path, 0, checksums, NULL);
    if (s.shards > SAFE_MOST_SHARDS)
        return weft_fail(a->c, WEFT_ARGUMENT, "%s: %zu shards of %zu bytes, at most %d are written",
                         reader_path(path), s.shards, most, SAFE_MOST_SHARDS);
    char *index = file_copy_text(a->c, path, named ? "" : SAFE_INDEX);
    s.stem = file_copy_text(a->c, path, "");
    size_t room = n + 40;
    char *name = weft_resize(a->c, NULL, room);
    s.at = safe_all(a);
    s.end = weft_resize(a->c, NULL, s.shards * sizeof *s.end);
    s.writer = weft_resize(a->c, NULL, s.shards * sizeof *s.writer);
    weft_err e = WEFT_OK;
    if (!index || !s.stem || !name || !s.at || !s.end || !s.writer) e = archive_no_memory(a);
    for (size_t i = 0; s.writer && i < s.shards; i++)
        s.writer[i] = (file_writer){.c = a->c, .fd = -1, .folder = -1};
    if (e == WEFT_OK) {
        s.stem[n] = 0;
        if (n > kind && strcmp(s.stem + n - kind, SAFE_ENDING) == 0) s.stem[n - kind] = 0;
        safe_share(a, most, s.end);
        e = safe_write_set(&s, index, checksums, name, room);
    }
    for (size_t i = s.writer ? s.shards : 0; i-- > 0;) file_abandon(&s.writer[i]);
    void *mine[] = {index, s.stem, name, s.at, s.end, s.writer};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) weft_resize(a->c, mine[i], 0);
    return e;
}
