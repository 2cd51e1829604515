/* index.c - reading model.safetensors.index.json: which array lies in which shard.
 *
 * Shards are opened beneath the folder of the index and nowhere else: names that lead upwards and
 * symbolic links are refused. The index must name every array of its shards, and the shard it is
 * in, exactly. */
#include "base/json.h"
#include "base/reader.h"
#include "io/archive.h"
#include "io/file.h"
#include <stdio.h>
#include <string.h>

enum { INDEX_MAX_SHARDS = 1024 };

typedef struct index_shard {
    weft_json name;
    size_t first, end; /* its arrays */
    size_t named;      /* of which the index has named so many */
} index_shard;

typedef struct index_parse {
    weft_archive *a;
    reader *r;
    index_shard *shard;
    size_t shards;
} index_parse;

static weft_err index_bad(index_parse *p, weft_json at, const char *field, const char *what) {
    return reader_fail(p->r, WEFT_FORMAT, json_offset(p->r, at), field, "%s", what);
}

static index_shard *index_find(index_parse *p, weft_json name) {
    for (size_t i = p->shards; i-- > 0;) /* neighbours lie in one shard, mostly the last */
        if (json_compare(p->shard[i].name, name) == 0) return &p->shard[i];
    return NULL;
}

static weft_err index_open(index_parse *p, weft_json name) {
    char path[NAME_MAX_BYTES + 1];
    if (!reader_is_name(path, weft_json_text(name, path, sizeof path)))
        return index_bad(p, name, "shard", "not a path");
    if (!file_is_downwards(path))
        return index_bad(p, name, "shard", "expected a relative path within the folder");
    if (p->shards == INDEX_MAX_SHARDS)
        return reader_fail(p->r, WEFT_UNSUPPORTED, json_offset(p->r, name), "shard", "more than %d",
                           INDEX_MAX_SHARDS);
    weft_file f;
    WEFT_TRY(file_beneath(p->r->c, p->r->file, path, &f));
    if (!archive_keep_map(p->a, f)) {
        weft_file_close(&f);
        return archive_no_memory(p->a);
    }
    index_shard *s = &p->shard[p->shards++];
    *s = (index_shard){.name = name, .first = p->a->n};
    reader r = reader_of(p->r->c, path, f.bytes, f.n);
    WEFT_TRY(safetensors_read(p->a, &r));
    s->end = p->a->n;
    return WEFT_OK;
}

static weft_err index_match(index_parse *p, weft_json key, weft_json value) {
    char name[NAME_MAX_BYTES + 1];
    size_t n = weft_json_text(key, name, sizeof name);
    archive_array *x = n <= NAME_MAX_BYTES ? archive_find(p->a, 0, name) : NULL;
    index_shard *s = index_find(p, value);
    size_t at = x ? (size_t)(x - p->a->array) : 0;
    if (!x || at < s->first || at >= s->end)
        return index_bad(p, key, "weight_map", "the shard has no such array");
    s->named++;
    return WEFT_OK;
}

static weft_err index_walk(index_parse *p, weft_json map) {
    weft_json key = {0}, value = {0};
    while (weft_json_next(map, &key, &value)) {
        if (weft_json_kind_of(value) != WEFT_JSON_TEXT)
            return index_bad(p, value, "weight_map", "the name of a shard was expected");
        if (!index_find(p, value)) WEFT_TRY(index_open(p, value));
    }
    const archive_array *twice = archive_sort(p->a, 0);
    char field[FIELD_BYTES];
    if (twice)
        return index_bad(p, map, reader_field(field, "weight_map", twice->name),
                         "the array is in two shards");
    for (key = value = (weft_json){0}; weft_json_next(map, &key, &value);)
        WEFT_TRY(index_match(p, key, value));
    for (size_t i = 0; i < p->shards; i++)
        if (p->shard[i].named != p->shard[i].end - p->shard[i].first)
            return index_bad(p, p->shard[i].name, "weight_map",
                             "the shard has arrays that are not named");
    return WEFT_OK;
}

/* Texts among the index's own metadata; its numbers are for others. */
static weft_err index_texts(index_parse *p, weft_json m) {
    weft_json key = {0}, value = {0};
    while (weft_json_next(m, &key, &value)) {
        if (weft_json_kind_of(value) != WEFT_JSON_TEXT) continue;
        size_t n = weft_json_text(key, NULL, 0) + 1, length = weft_json_text(value, NULL, 0) + 1;
        char *s = archive_reserve(p->a, 0, 0, 1) ? archive_pool(p->a, n + length) : NULL;
        if (!s) return archive_no_memory(p->a);
        weft_json_text(key, s, n);
        weft_json_text(value, s + n, length);
        archive_add_text(p->a, s, s + n);
    }
    return WEFT_OK;
}

weft_err index_read(weft_archive *a, reader *r) {
    index_parse p = {.a = a, .r = r};
    weft_json j = json_inside(r, 0, r->n), map = weft_json_get(j, "weight_map");
    if (r->err != WEFT_OK) return r->err;
    if (weft_json_kind_of(map) != WEFT_JSON_OBJECT)
        return index_bad(&p, j, "weight_map", "missing, or not an object");
    a->format = "index";
    p.shard = weft_resize(a->c, NULL, INDEX_MAX_SHARDS * sizeof *p.shard);
    if (!p.shard) return archive_no_memory(a);
    weft_err e = index_walk(&p, map);
    weft_resize(a->c, p.shard, 0);
    return e == WEFT_OK ? index_texts(&p, weft_json_get(j, "metadata")) : e;
}
