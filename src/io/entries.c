/* entries.c - a state's entries as arrays of an archive, and back.
 *
 * Loading checks everything first: names, shapes, types, checksums, and whether integers fit.
 * Values change only when nothing can fail any more. */
#include "base/text.h"
#include "io/archive.h"
#include <stdio.h>
#include <string.h>

static bool entries_begin(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}

/* Everything but what training alone needs. */
static bool entries_model(const char *name) {
    static const char *const apart[] = {"optim.", "rng.", ARCHIVE_EXTRA};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (entries_begin(name, apart[i])) return false;
    return true;
}

static bool entries_chosen(const weft_entry *e, bool trained_only, bool all) {
    return all || (trained_only ? e->trained : entries_model(e->name));
}

/* prefix + name; NULL when that is no name. */
static const char *entries_name(char out[NAME_MAX_BYTES + 1], const char *prefix,
                                const char *name) {
    int n = snprintf(out, NAME_MAX_BYTES + 1, "%s%s", prefix ? prefix : "", name);
    return n >= 0 && n <= NAME_MAX_BYTES && reader_is_name(out, (size_t)n) ? out : NULL;
}

/* ---- saving ---- */

static weft_err entries_save(weft_state *s, weft_archive *a, const weft_entry *e,
                             const char *name) {
    weft_ctx *c = weft_state_ctx(s);
    void *copy = weft_resize(c, NULL, e->bytes ? e->bytes : 1);
    if (!copy) return weft_fail(c, WEFT_MEMORY, "weft_state_save \"%s\": out of memory", name);
    weft_array t = {name, weft_file_type_of(e->dtype), e->dims, copy, e->bytes};
    weft_err err = weft_state_get(s, e->name, copy, e->bytes);
    if (err == WEFT_OK) err = weft_archive_put(a, &t);
    weft_resize(c, copy, 0);
    return err;
}

weft_err weft_state_save(weft_state *s, weft_archive *a, const weft_save_desc *d) {
    static const weft_save_desc none;
    if (!d) d = &none;
    if (!s || !a)
        return weft_fail(weft_state_ctx(s), WEFT_ARGUMENT, "weft_state_save: the %s is NULL",
                         s ? "archive" : "state");
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        char buffer[NAME_MAX_BYTES + 1];
        WEFT_TRY(weft_state_entry(s, i, &e));
        if (!entries_chosen(&e, d->trained_only, d->all)) continue;
        const char *name = entries_name(buffer, d->prefix, e.name);
        if (!name)
            return weft_fail(weft_state_ctx(s), WEFT_ARGUMENT,
                             "weft_state_save: \"%.60s\" is not a valid name in a file", e.name);
        WEFT_TRY(entries_save(s, a, &e, name));
    }
    return WEFT_OK;
}

/* ---- loading ---- */

typedef struct entries_load {
    weft_state *s;
    weft_archive *a;
    const weft_load_desc *d;
    unsigned char *known; /* arrays that some entry of the state stands for */
    size_t scratch;       /* bytes of the largest entry that must be converted */
} entries_load;

enum { ENTRIES_REAL, ENTRIES_WHOLE, ENTRIES_FLAG };
static int entries_kind(weft_file_type t) {
    switch (t) {
    case WEFT_FILE_F64:
    case WEFT_FILE_F32:
    case WEFT_FILE_F16:
    case WEFT_FILE_BF16: return ENTRIES_REAL;
    case WEFT_FILE_BOOL: return ENTRIES_FLAG;
    default: return ENTRIES_WHOLE;
    }
}

static weft_err entries_misfit(entries_load *l, const weft_entry *e, const weft_array *t) {
    char have[100], want[100];
    shape_text(have, sizeof have, t->dims.rank, t->dims.n);
    shape_text(want, sizeof want, e->dims.rank, e->dims.n);
    return weft_fail(weft_state_ctx(l->s), WEFT_STATE,
                     "%s: \"%.60s\" is %s %s, the state has %s %s", reader_path(l->a->name),
                     t->name, weft_file_type_name(t->type), have,
                     weft_file_type_name(weft_file_type_of(e->dtype)), want);
}

/* The array of entry i, or NULL when it has none or is not asked for. */
static weft_err entries_array(entries_load *l, size_t i, weft_entry *e, archive_array **out) {
    char buffer[NAME_MAX_BYTES + 1];
    *out = NULL;
    WEFT_TRY(weft_state_entry(l->s, i, e));
    const char *name = entries_name(buffer, l->d->prefix, e->name);
    archive_array *x = name ? archive_find(l->a, 0, name) : NULL;
    if (x) l->known[x - l->a->array] = 1;
    if (!entries_chosen(e, l->d->trained_only, l->d->all)) return WEFT_OK;
    if (!x && !l->d->allow_missing)
        return weft_fail(weft_state_ctx(l->s), WEFT_STATE, "%s: no array \"%s%.60s\"",
                         reader_path(l->a->name), l->d->prefix ? l->d->prefix : "", e->name);
    *out = x;
    return WEFT_OK;
}

static weft_err entries_check(entries_load *l, size_t i) {
    weft_entry e;
    archive_array *x;
    weft_array t;
    WEFT_TRY(entries_array(l, i, &e, &x));
    if (!x) return WEFT_OK;
    WEFT_TRY(archive_look(l->a, x));
    archive_tell(l->a, x, &t);
    weft_file_type type = weft_file_type_of(e.dtype);
    bool same = t.dims.rank == e.dims.rank && entries_kind(t.type) == entries_kind(type);
    for (int k = 0; same && k < t.dims.rank; k++) same = t.dims.n[k] == e.dims.n[k];
    if (!same) return entries_misfit(l, &e, &t);
    if (t.type == type && type != WEFT_FILE_BOOL) return WEFT_OK;
    if (e.bytes > l->scratch) l->scratch = e.bytes;
    return weft_array_convert(weft_state_ctx(l->s), &t, type, NULL, 0);
}

/* PyTorch counts the batches of a batch norm; a state need not. */
static bool entries_ignored(const char *name) {
    static const char counter[] = ".num_batches_tracked";
    size_t n = strlen(name), m = sizeof counter - 1;
    return n > m && strcmp(name + n - m, counter) == 0;
}

static weft_err entries_no_extra(entries_load *l) {
    const char *prefix = l->d->prefix ? l->d->prefix : "";
    for (size_t i = 0; i < l->a->n && !l->d->allow_extra; i++) {
        const char *name = l->a->array[i].name;
        if (l->known[i] || entries_ignored(name)) continue;
        const char *rest = entries_begin(name, prefix) ? name + strlen(prefix) : name;
        if (entries_begin(rest, ARCHIVE_EXTRA) || (!l->d->all && !entries_model(rest))) continue;
        return weft_fail(weft_state_ctx(l->s), WEFT_STATE,
                         "%s: the state has no entry for \"%.80s\"; record the network before "
                         "loading, or allow extra arrays",
                         reader_path(l->a->name), name);
    }
    return WEFT_OK;
}

static weft_err entries_apply(entries_load *l, size_t i, void *scratch) {
    weft_entry e;
    archive_array *x;
    weft_array t;
    WEFT_TRY(entries_array(l, i, &e, &x));
    if (!x) return WEFT_OK;
    archive_tell(l->a, x, &t);
    weft_file_type type = weft_file_type_of(e.dtype);
    if (t.type == type && type != WEFT_FILE_BOOL)
        return weft_state_set(l->s, e.name, e.bytes ? t.data : "", e.bytes);
    WEFT_TRY(weft_array_convert(weft_state_ctx(l->s), &t, type, scratch, e.bytes));
    return weft_state_set(l->s, e.name, scratch, e.bytes);
}

weft_err weft_state_load(weft_state *s, weft_archive *a, const weft_load_desc *d) {
    static const weft_load_desc none;
    if (!s || !a)
        return weft_fail(weft_state_ctx(s), WEFT_ARGUMENT, "weft_state_load: the %s is NULL",
                         s ? "archive" : "state");
    weft_ctx *c = weft_state_ctx(s);
    entries_load l = {.s = s, .a = a, .d = d ? d : &none};
    size_t entries = weft_state_count(s);
    l.known = weft_resize(c, NULL, a->n + 1);
    if (!l.known) return weft_fail(c, WEFT_MEMORY, "weft_state_load: out of memory");
    memset(l.known, 0, a->n + 1);
    weft_err e = WEFT_OK;
    for (size_t i = 0; i < entries && e == WEFT_OK; i++) e = entries_check(&l, i);
    if (e == WEFT_OK) e = entries_no_extra(&l);
    void *scratch = NULL;
    if (e == WEFT_OK && l.scratch && !(scratch = weft_resize(c, NULL, l.scratch)))
        e = weft_fail(c, WEFT_MEMORY, "weft_state_load: out of memory");
    for (size_t i = 0; i < entries && e == WEFT_OK; i++) e = entries_apply(&l, i, scratch);
    weft_resize(c, scratch, 0);
    weft_resize(c, l.known, 0);
    return e;
}
