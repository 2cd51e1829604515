/* archive.c - named arrays and texts: creating, finding, adding. Formats are elsewhere. */
#include "io/archive.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} archive_type[] = {
#define X(name, bytes, safetensors, npy) {safetensors, bytes},
    WEFT_FILE_TYPES(X)
#undef X
};
const char *weft_file_type_name(weft_file_type t) {
    return (unsigned)t < WEFT_FILE_TYPE_COUNT ? archive_type[t].name : "?";
}
size_t weft_file_type_size(weft_file_type t) {
    return (unsigned)t < WEFT_FILE_TYPE_COUNT ? archive_type[t].size : 0;
}
weft_file_type weft_file_type_of(weft_dtype t) {
    static const weft_file_type of[] = {
#define X(name, bytes, words) WEFT_FILE_##name,
        WEFT_DTYPES(X)
#undef X
    };
    return (unsigned)t < WEFT_DTYPE_COUNT ? of[t] : WEFT_FILE_TYPE_COUNT;
}

weft_err archive_no_memory(const weft_archive *a) {
    return weft_fail(a->c, WEFT_MEMORY, "%s: out of memory", reader_path(a->name));
}

/* ---- making ---- */

weft_archive *archive_named(weft_ctx *c, const char *name) {
    size_t n = strlen(name) + 1;
    weft_archive *a = c ? weft_resize(c, NULL, sizeof *a + n) : NULL;
    if (!a) {
        if (c) weft_fail(c, WEFT_MEMORY, "%s: out of memory", reader_path(name));
        else weft_fail(NULL, WEFT_ARGUMENT, "archive: the context is NULL");
        return NULL;
    }
    *a = (weft_archive){.c = c, .name = (char *)(a + 1), .format = ""};
    memcpy(a + 1, name, n);
    return a;
}

weft_archive *weft_archive_new(weft_ctx *c) {
    return archive_named(c, "archive");
}

void weft_archive_free(weft_archive *a) {
    if (!a) return;
    for (size_t i = 0; i < a->maps; i++) weft_file_close(&a->map[i]);
    for (size_t i = 0; i < a->blocks; i++) weft_resize(a->c, a->block[i], 0);
    void *list[] = {a->array, a->extent, a->order, a->text, a->pack, a->map, a->block};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) weft_resize(a->c, list[i], 0);
    weft_resize(a->c, a, 0);
}

void *archive_block(weft_archive *a, size_t bytes) {
    if (!mem_room(mem_of(a->c), &a->block, a->blocks, &a->block_room, sizeof *a->block))
        return NULL;
    void *p = weft_resize(a->c, NULL, bytes ? bytes : 1);
    if (p) a->block[a->blocks++] = p;
    return p;
}

/* No string of a pool begins where its block does: texts of their own are known by that. */
char *archive_pool(weft_archive *a, size_t bytes) {
    char *p = archive_block(a, bytes + 1);
    return p ? p + 1 : NULL;
}

static void archive_drop_block(weft_archive *a, const void *p) {
    for (size_t i = 0; i < a->blocks; i++)
        if (a->block[i] == p) {
            weft_resize(a->c, a->block[i], 0);
            a->block[i] = a->block[--a->blocks];
            return;
        }
}

bool archive_keep_map(weft_archive *a, weft_file f) {
    if (!mem_room(mem_of(a->c), &a->map, a->maps, &a->map_room, sizeof *a->map)) return false;
    a->map[a->maps++] = f;
    return true;
}

static bool archive_exactly(weft_ctx *c, void *list, size_t n, size_t more, size_t *room,
                            size_t element) {
    uint64_t count, bytes;
    size_t fits;
    if (!more || more <= *room - n) return true;
    if (!check_add(n, more, &count) || !check_mul(count, element, &bytes) ||
        !check_size(bytes, &fits))
        return false;
    void *old;
    memcpy(&old, list, sizeof old);
    void *p = weft_resize(c, old, fits);
    if (!p) return false;
    memcpy(list, &p, sizeof p);
    *room = (size_t)count;
    return true;
}

bool archive_reserve(weft_archive *a, size_t arrays, size_t extents, size_t texts) {
    weft_ctx *c = a->c;
    return archive_exactly(c, &a->array, a->n, arrays, &a->room, sizeof *a->array) &&
           archive_exactly(c, &a->order, a->n, arrays, &a->order_room, sizeof *a->order) &&
           archive_exactly(c, &a->extent, a->extents, extents, &a->extent_room,
                           sizeof *a->extent) &&
           archive_exactly(c, &a->text, a->texts, texts, &a->text_room, sizeof *a->text);
}

archive_array *archive_add(weft_archive *a, const char *name, weft_file_type type,
                           const weft_shape *dims, const void *data, uint64_t bytes) {
    archive_array *x = &a->array[a->n];
    *x = (archive_array){.name = name,
                         .data = data,
                         .bytes = bytes,
                         .dims = (uint32_t)a->extents,
                         .type = (uint8_t)type,
                         .rank = (uint8_t)dims->rank};
    for (int i = 0; i < dims->rank; i++) a->extent[a->extents++] = dims->n[i];
    a->order[a->n] = (uint32_t)a->n;
    a->n++;
    return x;
}

void archive_add_text(weft_archive *a, const char *key, const char *value) {
    a->text[a->texts++] = (archive_text){key, value};
}

/* ---- order ---- */

static int archive_compare(const void *user, uint32_t x, uint32_t y) {
    const weft_archive *a = user;
    return strcmp(a->array[x].name, a->array[y].name);
}

const archive_array *archive_sort(weft_archive *a, size_t first) {
    if (a->n > first) sort_numbers(a->order + first, a->n - first, archive_compare, a);
    for (size_t i = first + 1; i < a->n; i++)
        if (archive_compare(a, a->order[i - 1], a->order[i]) == 0) return &a->array[a->order[i]];
    return NULL;
}

/* Where the name is in the order, or where it would be. */
static size_t archive_place(const weft_archive *a, size_t first, const char *name, bool *found) {
    size_t low = first, high = a->n;
    *found = false;
    while (low < high && !*found) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(a->array[a->order[middle]].name, name);
        if (order < 0) low = middle + 1;
        else high = middle;
        *found = order == 0;
    }
    return high;
}

archive_array *archive_find(const weft_archive *a, size_t first, const char *name) {
    bool found;
    size_t at = archive_place(a, first, name, &found);
    return found ? &a->array[a->order[at]] : NULL;
}

/* ---- looking ---- */

const char *weft_archive_format(const weft_archive *a) {
    return a ? a->format : "";
}

size_t weft_archive_count(const weft_archive *a) {
    return a ? a->n : 0;
}

void archive_tell(const weft_archive *a, const archive_array *x, weft_array *out) {
    *out = (weft_array){.name = x->name,
                        .type = (weft_file_type)x->type,
                        .dims = {.rank = x->rank},
                        .data = x->pack ? NULL : x->data,
                        .bytes = (size_t)x->bytes};
    for (int i = 0; i < x->rank; i++) out->dims.n[i] = a->extent[x->dims + (uint32_t)i];
}

static weft_err archive_checked(const weft_archive *a, const char *what, size_t i,
                                weft_array *out) {
    if (!a || !out)
        return weft_fail(a ? a->c : NULL, WEFT_ARGUMENT, "%s: the %s is NULL", what,
                         a ? "result" : "archive");
    *out = (weft_array){0};
    if (i < a->n) return WEFT_OK;
    return weft_fail(a->c, WEFT_ARGUMENT, "%s: array %zu of %zu", what, i, a->n);
}

weft_err weft_archive_list(const weft_archive *a, size_t i, weft_array *out) {
    WEFT_TRY(archive_checked(a, "weft_archive_list", i, out));
    archive_tell(a, &a->array[i], out);
    out->data = NULL;
    return WEFT_OK;
}

weft_err weft_archive_at(weft_archive *a, size_t i, weft_array *out) {
    WEFT_TRY(archive_checked(a, "weft_archive_at", i, out));
    WEFT_TRY(archive_look(a, &a->array[i]));
    archive_tell(a, &a->array[i], out);
    return WEFT_OK;
}

weft_err weft_archive_find(weft_archive *a, const char *name, weft_array *out) {
    if (!a || !name || !out)
        return weft_fail(a ? a->c : NULL, WEFT_ARGUMENT, "weft_archive_find: NULL was given");
    *out = (weft_array){0};
    archive_array *x = archive_find(a, 0, name);
    if (!x)
        return weft_fail(a->c, WEFT_ARGUMENT, "%s: no array \"%s\"", reader_path(a->name), name);
    WEFT_TRY(archive_look(a, x));
    archive_tell(a, x, out);
    return WEFT_OK;
}

bool weft_archive_has(const weft_archive *a, const char *name) {
    return a && name && archive_find(a, 0, name);
}

/* ---- putting ---- */

weft_err weft_archive_put(weft_archive *a, const weft_array *x) {
    if (!a || !x || !x->name)
        return weft_fail(a ? a->c : NULL, WEFT_ARGUMENT, "weft_archive_put: NULL was given");
    size_t length = strlen(x->name);
    if (!reader_is_name(x->name, length))
        return weft_fail(a->c, WEFT_ARGUMENT,
                         "weft_archive_put: a name is 1 to %d bytes of UTF-8 without control "
                         "characters",
                         NAME_MAX_BYTES);
    uint64_t bytes;
    if ((unsigned)x->type >= WEFT_FILE_TYPE_COUNT || x->dims.rank < 0 ||
        x->dims.rank > WEFT_MAX_RANK || !check_array(&x->dims, x->type, &bytes))
        return weft_fail(a->c, WEFT_ARGUMENT, "weft_archive_put \"%s\": impossible type or shape",
                         x->name);
    if (bytes != x->bytes || (bytes && !x->data))
        return weft_fail(a->c, WEFT_ARGUMENT,
                         "weft_archive_put \"%s\": the shape takes %llu bytes, %zu were given%s",
                         x->name, (unsigned long long)bytes, x->bytes, x->data ? "" : " at NULL");
    bool found;
    size_t at = archive_place(a, 0, x->name, &found);
    if (!found && a->n >= ARCHIVE_MAX_ARRAYS)
        return weft_fail(a->c, WEFT_ARGUMENT, "weft_archive_put: more than %d arrays",
                         ARCHIVE_MAX_ARRAYS);
    char *block = NULL;
    if (x->bytes < SIZE_MAX / 2 &&
        mem_room(mem_of(a->c), &a->array, a->n, &a->room, sizeof *a->array) &&
        mem_room(mem_of(a->c), &a->order, a->n, &a->order_room, sizeof *a->order) &&
        (x->dims.rank <= (int64_t)(a->extent_room - a->extents) ||
         archive_exactly(a->c, &a->extent, a->extents, a->extents + WEFT_MAX_RANK, &a->extent_room,
                         sizeof *a->extent)))
        block = archive_block(a, x->bytes + length + 1);
    if (!block) return archive_no_memory(a);
    if (x->bytes) memcpy(block, x->data, x->bytes);
    memcpy(block + x->bytes, x->name, length + 1);
    if (!found) {
        archive_add(a, block + x->bytes, x->type, &x->dims, block, x->bytes);
        memmove(a->order + at + 1, a->order + at, (a->n - 1 - at) * sizeof *a->order);
        a->order[at] = (uint32_t)(a->n - 1);
        return WEFT_OK;
    }
    archive_array *old = &a->array[a->order[at]];
    const void *gone = old->data;
    if (old->rank < x->dims.rank) { /* the extents do not fit where the old ones were */
        old->dims = (uint32_t)a->extents;
        a->extents += (size_t)x->dims.rank;
    }
    for (int i = 0; i < x->dims.rank; i++) a->extent[old->dims + (uint32_t)i] = x->dims.n[i];
    *old = (archive_array){.name = block + x->bytes,
                           .data = (unsigned char *)block,
                           .bytes = x->bytes,
                           .dims = old->dims,
                           .type = (uint8_t)x->type,
                           .rank = (uint8_t)x->dims.rank};
    archive_drop_block(a, gone);
    return WEFT_OK;
}

weft_err weft_archive_text(weft_archive *a, const char *key, const char *value) {
    if (!a || !key)
        return weft_fail(a ? a->c : NULL, WEFT_ARGUMENT, "weft_archive_text: NULL was given");
    size_t n = strlen(key), m = value ? strlen(value) : 0, at = 0;
    bool sound = reader_is_name(key, n);
    for (size_t i = 0, k; i < m && sound; i += k) {
        k = utf8_length(value + i, m - i);
        sound = k > 0;
    }
    if (!sound)
        return weft_fail(a->c, WEFT_ARGUMENT, "weft_archive_text: key or value is not valid UTF-8");
    while (at < a->texts && strcmp(a->text[at].key, key) != 0) at++;
    if (value) {
        char *block = mem_room(mem_of(a->c), &a->text, a->texts, &a->text_room, sizeof *a->text)
                          ? archive_block(a, n + m + 2)
                          : NULL;
        if (!block) return archive_no_memory(a);
        memcpy(block, key, n + 1);
        memcpy(block + n + 1, value, m + 1);
        if (at < a->texts) archive_drop_block(a, a->text[at].key);
        else a->texts++;
        a->text[at] = (archive_text){block, block + n + 1};
    } else if (at < a->texts) {
        archive_drop_block(a, a->text[at].key);
        memmove(a->text + at, a->text + at + 1, (--a->texts - at) * sizeof *a->text);
    }
    return WEFT_OK;
}

const char *weft_archive_text_of(const weft_archive *a, const char *key) {
    for (size_t i = 0; a && key && i < a->texts; i++)
        if (strcmp(a->text[i].key, key) == 0) return a->text[i].value;
    return NULL;
}

const char *weft_archive_text_at(const weft_archive *a, size_t i, const char **value) {
    bool there = a && i < a->texts;
    if (value) *value = there ? a->text[i].value : NULL;
    return there ? a->text[i].key : NULL;
}
