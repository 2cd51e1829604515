/* checkpoint.c - everything a training run needs to resume, in one safetensors file.
 *
 * Arrays are the state's entries under their names, and the caller's own under "extra/". Metadata
 * says that it is a checkpoint, which step it is of, the position in the data, and has a CRC-32C of
 * every array and of the header. Written by safetensors_write; the previous file is kept under
 * another name, unless it is corrupt. */
#include "base/path.h"
#include "io/archive.h"
#include "io/file.h"
#include "io/write.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CHECKPOINT_VERSION "1"

/* The numbers of a checkpoint: its field, its text, and its highest value. */
#define CHECKPOINT_NUMBERS(X)                                                                      \
    X(step, "weft.step", INT64_MAX)                                                                \
    X(data_seed, "weft.data.seed", UINT64_MAX)                                                     \
    X(data_epoch, "weft.data.epoch", INT64_MAX)                                                    \
    X(data_index, "weft.data.index", INT64_MAX)

static char *checkpoint_previous(weft_ctx *c, const char *path) {
    text b = {.m = mem_of(c)};
    path_previous(&b, path);
    if (b.failed) weft_fail(c, WEFT_MEMORY, "%s: out of memory", reader_path(path));
    if (b.failed) text_free(&b);
    return b.s;
}

/* ---- saving ---- */

static weft_err checkpoint_texts(weft_archive *a, const weft_checkpoint *k) {
    char number[24];
    WEFT_TRY(weft_archive_text(a, "format", "pt")); /* what readers in Python look for */
    WEFT_TRY(weft_archive_text(a, ARCHIVE_CHECKPOINT_KEY, CHECKPOINT_VERSION));
    WEFT_TRY(weft_archive_text(a, "weft.version", weft_version()));
#define X(field, key, most)                                                                        \
    if ((uint64_t)k->field > (uint64_t)(most))                                                     \
        return weft_fail(a->c, WEFT_ARGUMENT, "weft_checkpoint_save: " #field " is negative");     \
    snprintf(number, sizeof number, "%" PRIu64, (uint64_t)k->field);                               \
    WEFT_TRY(weft_archive_text(a, key, number));
    CHECKPOINT_NUMBERS(X)
#undef X
    return WEFT_OK;
}

static weft_err checkpoint_put_extra(weft_archive *a, weft_archive *extra) {
    for (size_t i = 0; i < extra->n; i++) {
        weft_array t;
        WEFT_TRY(weft_archive_at(extra, i, &t));
        size_t n = strlen(t.name) + sizeof ARCHIVE_EXTRA;
        char *name = n <= NAME_MAX_BYTES ? archive_pool(a, n) : NULL;
        if (!name)
            return n <= NAME_MAX_BYTES
                       ? archive_no_memory(a)
                       : weft_fail(a->c, WEFT_ARGUMENT, "extra \"%.60s...\": too long", t.name);
        snprintf(name, n, ARCHIVE_EXTRA "%s", t.name);
        archive_add(a, name, t.type, &t.dims, t.data, t.bytes);
    }
    for (size_t i = 0; i < extra->texts; i++) {
        char key[NAME_MAX_BYTES + sizeof ARCHIVE_EXTRA];
        int n = snprintf(key, sizeof key, ARCHIVE_EXTRA "%s", extra->text[i].key);
        if (n < 0 || (size_t)n >= sizeof key)
            return weft_fail(a->c, WEFT_ARGUMENT, "extra text \"%.60s...\": too long", key);
        WEFT_TRY(weft_archive_text(a, key, extra->text[i].value));
    }
    return WEFT_OK;
}

/* The values of an entry where they lie, or a copy that goes with the archive where no pointer reaches. */
static const void *checkpoint_values(weft_archive *a, weft_state *s, const weft_entry *e) {
    if (e->host) return weft_state_data(s, e->name);
    void *copy = archive_block(a, e->bytes);
    if (!copy) archive_no_memory(a);
    else if (weft_state_get(s, e->name, copy, e->bytes) != WEFT_OK) return NULL;
    return copy;
}

static weft_err checkpoint_collect(weft_archive *a, weft_state *s, const weft_checkpoint *k) {
    size_t entries = weft_state_count(s), more = k->extra ? k->extra->n : 0;
    if (!archive_reserve(a, entries + more, (entries + more) * WEFT_MAX_RANK, 0))
        return archive_no_memory(a);
    for (size_t i = 0; i < entries; i++) {
        weft_entry e;
        WEFT_TRY(weft_state_entry(s, i, &e));
        if (!reader_is_name(e.name, strlen(e.name)))
            return weft_fail(a->c, WEFT_ARGUMENT,
                             "weft_checkpoint_save: \"%.60s\" is not a valid name in a file",
                             e.name);
        const void *data = checkpoint_values(a, s, &e);
        if (!data) return weft_error_code(a->c);
        archive_add(a, e.name, weft_file_type_of(e.dtype), &e.dims, data, e.bytes);
    }
    WEFT_TRY(checkpoint_texts(a, k));
    if (k->extra) WEFT_TRY(checkpoint_put_extra(a, k->extra));
    const archive_array *twice = archive_sort(a, 0);
    return twice
               ? weft_fail(a->c, WEFT_ARGUMENT,
                           "weft_checkpoint_save: \"%.60s\" is an entry and an extra", twice->name)
               : WEFT_OK;
}

/* A damaged file must not push out a sound one. */
static weft_err checkpoint_worth_keeping(weft_ctx *c, const char *path, bool *out) {
    weft_archive *a = weft_archive_open(c, path);
    weft_err e = a ? weft_archive_verify(a) : weft_error_code(c);
    *out = e == WEFT_OK && a->sealed;
    weft_archive_free(a);
    return e == WEFT_MEMORY ? e : WEFT_OK;
}

/* How much of the path links may be followed in; 0: in all of it. */
static weft_err checkpoint_inside(weft_ctx *c, const char *path, const weft_checkpoint *k,
                                  size_t *inside) {
    size_t n = k->beneath ? strlen(k->beneath) : 0;
    *inside = 0;
    if (!k->beneath) return WEFT_OK;
    if (!n || strncmp(path, k->beneath, n) != 0 || (path[n] != '/' && k->beneath[n - 1] != '/'))
        return weft_fail(c, WEFT_ARGUMENT, "%s: not in %.200s", reader_path(path), k->beneath);
    while (path[n] == '/') n++;
    *inside = n;
    return file_is_downwards(path + n)
               ? WEFT_OK
               : weft_fail(c, WEFT_ARGUMENT, "%s: not a path downwards", reader_path(path));
}

static weft_err checkpoint_write(weft_archive *a, weft_state *s, const weft_checkpoint *k,
                                 size_t inside) {
    weft_ctx *c = a->c;
    char *previous = checkpoint_previous(c, a->name);
    if (!previous) return WEFT_MEMORY;
    weft_err e = checkpoint_collect(a, s, k);
    bool keep = false;
    if (e == WEFT_OK && path_exists(a->name)) e = checkpoint_worth_keeping(c, a->name, &keep);
    if (e == WEFT_OK) e = safetensors_write(a, a->name, inside, true, keep ? previous : NULL);
    weft_resize(c, previous, 0);
    return e;
}

weft_err weft_checkpoint_save(weft_state *s, const char *path, const weft_checkpoint *k) {
    static const weft_checkpoint none;
    weft_ctx *c = weft_state_ctx(s);
    if (!s || !path)
        return weft_fail(c, WEFT_ARGUMENT, "weft_checkpoint_save: the %s is NULL",
                         s ? "path" : "state");
    size_t inside;
    if (!k) k = &none;
    WEFT_TRY(checkpoint_inside(c, path, k, &inside));
    char *real = inside ? file_copy_text(c, path, "") : file_resolve(c, path);
    if (!real && inside) return weft_fail(c, WEFT_MEMORY, "%s: out of memory", reader_path(path));
    weft_archive *a = real ? archive_named(c, real) : NULL;
    weft_err e = a ? checkpoint_write(a, s, k, inside) : weft_error_code(c);
    weft_resize(c, real, 0);
    weft_archive_free(a);
    return e;
}

/* ---- loading ---- */

static weft_err checkpoint_number(const weft_archive *a, const char *key, uint64_t most,
                                  uint64_t *out) {
    const char *text = weft_archive_text_of(a, key);
    uint64_t v = 0;
    bool good = text && *text;
    for (; good && *text; text++)
        good = *text >= '0' && *text <= '9' && check_mul(v, 10, &v) &&
               check_add(v, (uint64_t)(*text - '0'), &v) && v <= most;
    *out = v;
    return good ? WEFT_OK
                : weft_fail(a->c, WEFT_FORMAT, "%s: metadata: %s: a whole number was expected",
                            reader_path(a->name), key);
}

static weft_err checkpoint_get_extra(weft_archive *a, weft_archive *extra) {
    const size_t n = sizeof ARCHIVE_EXTRA - 1;
    for (size_t i = 0; i < a->n; i++) {
        weft_array t;
        if (strncmp(a->array[i].name, ARCHIVE_EXTRA, n) != 0) continue;
        WEFT_TRY(weft_archive_at(a, i, &t));
        t.name += n;
        WEFT_TRY(weft_archive_put(extra, &t));
    }
    for (size_t i = 0; i < a->texts; i++)
        if (strncmp(a->text[i].key, ARCHIVE_EXTRA, n) == 0)
            WEFT_TRY(weft_archive_text(extra, a->text[i].key + n, a->text[i].value));
    return WEFT_OK;
}

weft_err weft_checkpoint_facts(weft_archive *a, weft_checkpoint *k) {
    if (!a || !k)
        return weft_fail(a ? a->c : NULL, WEFT_ARGUMENT, "weft_checkpoint_facts: NULL was given");
    const char *version = weft_archive_text_of(a, ARCHIVE_CHECKPOINT_KEY);
    if (strcmp(a->format, "checkpoint") != 0 || !version)
        return weft_fail(a->c, WEFT_FORMAT, "%s: not a checkpoint", reader_path(a->name));
    if (strcmp(version, CHECKPOINT_VERSION) != 0)
        return weft_fail(a->c, WEFT_UNSUPPORTED,
                         "%s: metadata: " ARCHIVE_CHECKPOINT_KEY
                         ": version \"%.20s\", this library reads " CHECKPOINT_VERSION,
                         reader_path(a->name), version);
    uint64_t v;
#define X(field, key, most)                                                                        \
    WEFT_TRY(checkpoint_number(a, key, most, &v));                                                 \
    if (sizeof k->field == sizeof v) memcpy(&k->field, &v, sizeof v);
    CHECKPOINT_NUMBERS(X)
#undef X
    return k->extra ? checkpoint_get_extra(a, k->extra) : WEFT_OK;
}

static weft_err checkpoint_sealed(weft_archive *a) {
    bool good = a->sealed || strcmp(a->format, "checkpoint") != 0; /* facts tell of the latter */
    for (size_t i = 0; i < a->n && good; i++) good = a->array[i].has_crc;
    if (!good)
        return weft_fail(a->c, WEFT_FORMAT, "%s: metadata: " ARCHIVE_CRC_KEY ": missing",
                         reader_path(a->name));
    return weft_archive_verify(a);
}

static weft_err checkpoint_try(weft_state *s, const char *path, weft_checkpoint *k) {
    static const weft_load_desc all = {.all = true};
    weft_archive *a = weft_archive_open(weft_state_ctx(s), path);
    if (!a) return weft_error_code(weft_state_ctx(s));
    weft_checkpoint found = {.extra = k->extra};
    weft_err e = checkpoint_sealed(a);
    if (e == WEFT_OK) e = weft_checkpoint_facts(a, &found);
    if (e == WEFT_OK) e = weft_state_load(s, a, k->differ ? k->differ : &all);
    if (e == WEFT_OK) {
        found.differ = k->differ, found.beneath = k->beneath;
        *k = found;
    }
    weft_archive_free(a);
    return e;
}

static bool checkpoint_is_damage(weft_err e) {
    return e == WEFT_FILE || e == WEFT_FORMAT;
}

static weft_err checkpoint_read(weft_state *s, const char *path, size_t inside,
                                weft_checkpoint *k) {
    weft_ctx *c = weft_state_ctx(s);
    weft_err e = file_clean(c, path, inside);
    if (e == WEFT_OK) e = checkpoint_try(s, path, k);
    if (!checkpoint_is_damage(e)) return e;
    char reason[sizeof k->reason];
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, weft_error(c));
    char *previous = checkpoint_previous(c, path);
    if (!previous) return WEFT_MEMORY;
    bool there = path_exists(previous);
    weft_err second = there ? checkpoint_try(s, previous, k) : e;
    if (second == WEFT_OK) {
        k->from_previous = true;
        memcpy(k->reason, reason, sizeof reason);
    } else if (there && checkpoint_is_damage(second)) {
        char other[200];
        snprintf(other, sizeof other, "%.*s", (int)sizeof other - 1, weft_error(c));
        second = weft_fail(c, e, "%s; the previous one: %s", reason, other);
    } else if (!there) {
        weft_fail(c, e, "%s", reason);
    }
    weft_resize(c, previous, 0);
    return second;
}

weft_err weft_checkpoint_load(weft_state *s, const char *path, weft_checkpoint *k) {
    weft_ctx *c = weft_state_ctx(s);
    weft_checkpoint unasked = {0};
    if (!k) k = &unasked;
    k->from_previous = false;
    k->reason[0] = 0;
    if (!s || !path)
        return weft_fail(c, WEFT_ARGUMENT, "weft_checkpoint_load: the %s is NULL",
                         s ? "path" : "state");
    size_t inside;
    WEFT_TRY(checkpoint_inside(c, path, k, &inside));
    char *real = file_resolve(c, path);
    if (!real) return weft_error_code(c);
    weft_err e = checkpoint_read(s, inside ? path : real, inside, k);
    weft_resize(c, real, 0);
    return e;
}
