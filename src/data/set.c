/* set.c - sets: their memory, fields, slices and splits; see set.h and weft/data.h.
 *
 * The formats are in the other files of this folder. */
#include "data/set.h"
#include "data/shuffle.h"

#include <stdio.h>
#include <string.h>

/* ---- sets ---- */

static void set_no_memory(weft_ctx *c) {
    weft_fail(c, WEFT_MEMORY, "weft_data: out of memory");
}

weft_data *data_new(weft_ctx *c, size_t capacity, const weft_data *like, bool share_rows) {
    if (!c) {
        weft_fail(NULL, WEFT_ARGUMENT, "weft_data: no context");
        return NULL;
    }
    weft_data *d = weft_resize(c, NULL, sizeof *d + capacity * sizeof *d->field);
    if (!d) {
        set_no_memory(c);
        return NULL;
    }
    *d = (weft_data){.ctx = c, .capacity = capacity};
    if (like) {
        d->names_store = like->names_store;
        d->names_store->users++;
        d->schema = like->schema;
    } else {
        d->names_store = data_store_new(c);
    }
    if (share_rows) {
        d->rows_store = like->rows_store;
        d->rows_store->users++;
    } else {
        d->rows_store = data_store_new(c);
    }
    if (d->rows_store && d->names_store) return d;
    set_no_memory(c);
    weft_data_free(d);
    return NULL;
}

weft_data *data_done(weft_data *d, weft_err e) {
    if (e == WEFT_OK) return d;
    weft_data_free(d);
    return NULL;
}

void weft_data_free(weft_data *d) {
    if (!d) return;
    data_store_release(d->rows_store);
    data_store_release(d->names_store);
    weft_resize(d->ctx, d, 0);
}

void data_add(weft_data *d, weft_field f) {
    d->field[d->count++] = f;
}

int64_t weft_data_rows(const weft_data *d) {
    return d ? d->rows : 0;
}

size_t weft_data_fields(const weft_data *d) {
    return d ? d->count : 0;
}

weft_field weft_data_field(const weft_data *d, size_t i) {
    static const weft_field none;
    return d && i < d->count ? d->field[i] : none;
}

int weft_data_find(const weft_data *d, const char *name) {
    for (size_t i = 0; d && name && i < d->count; i++)
        if (strcmp(d->field[i].name, name) == 0) return (int)i;
    return -1;
}

bool data_extent(weft_dtype t, weft_shape dims, int64_t *count, int64_t *bytes) {
    *count = 1;
    if (dims.rank < 0 || dims.rank > WEFT_MAX_RANK) return false;
    for (int i = 0; i < dims.rank; i++) {
        if (dims.n[i] < 1 || *count > INT64_MAX / dims.n[i]) return false;
        *count *= dims.n[i];
    }
    const int64_t size = (int64_t)weft_dtype_size(t);
    if (size < 1 || *count > INT64_MAX / size) return false;
    *bytes = *count * size;
    return true;
}

bool data_stored(const weft_field *f, int64_t *count, int64_t *bytes) {
    if (!data_extent(f->dtype, f->dims, count, bytes)) return false;
    if (f->bits) *bytes = *count * (f->bits / 8);
    return true;
}

/* ---- parts of a set ---- */

weft_data *weft_data_slice(const weft_data *d, int64_t from, int64_t to) {
    if (!d) return NULL;
    if (from < 0 || to <= from || to > d->rows) {
        weft_fail(d->ctx, WEFT_ARGUMENT,
                  "weft_data_slice: rows %lld to %lld of a set with %lld rows", (long long)from,
                  (long long)to, (long long)d->rows);
        return NULL;
    }
    weft_data *s = data_new(d->ctx, d->count, d, true);
    if (!s) return NULL;
    s->rows = to - from;
    for (size_t i = 0; i < d->count; i++) {
        weft_field f = d->field[i];
        f.rows = (const char *)f.rows + (size_t)from * f.row_bytes;
        data_add(s, f);
    }
    return s;
}

/* Rows with the places from .. to - 1 in the order of a shuffle, copied. */
static weft_data *set_drawn(const weft_data *d, const shuffle *order, int64_t from, int64_t to) {
    weft_data *s = data_new(d->ctx, d->count, d, false);
    if (!s) return NULL;
    s->rows = to - from;
    for (size_t i = 0; i < d->count; i++) {
        weft_field f = d->field[i];
        int64_t count, bytes;
        if (!data_stored(&f, &count, &bytes) || s->rows > INT64_MAX / bytes) {
            weft_fail(d->ctx, WEFT_ARGUMENT, "weft_data_split: field \"%s\" is too large to copy",
                      f.name);
            return data_done(s, WEFT_ARGUMENT);
        }
        char *copy = data_alloc(s->rows_store, (size_t)(s->rows * bytes));
        if (!copy) return data_done(s, WEFT_MEMORY);
        for (int64_t k = 0; k < s->rows; k++)
            memcpy(copy + k * bytes,
                   (const char *)f.rows + (size_t)shuffle_at(order, from + k) * f.row_bytes,
                   (size_t)bytes);
        f.rows = copy;
        f.row_bytes = (size_t)bytes;
        data_add(s, f);
    }
    return s;
}

weft_err weft_data_split(const weft_data *d, const weft_split_desc *s, weft_data **parts) {
    enum { MOST = sizeof s->share / sizeof *s->share };
    if (!d || !s || !parts)
        return weft_fail(d ? d->ctx : NULL, WEFT_ARGUMENT,
                         "weft_data_split: no set, no description or no place for the parts");
    int n = 0;
    double total = 0;
    while (n < MOST && s->share[n] > 0 && s->share[n] < 1e30f) total += s->share[n++];
    for (int i = 0; i < MOST; i++)
        if (n == 0 || (i >= n && s->share[i] != 0))
            return weft_fail(d->ctx, WEFT_ARGUMENT,
                             "weft_data_split: share %d is %g; shares are above 0, then 0", i,
                             (double)s->share[i]);
    const shuffle order = shuffle_of(d->rows, shuffle_draw(s->seed, 0x5911, 0));
    double sum = 0;
    int64_t from = 0;
    for (int i = 0; i < n; i++) {
        sum += s->share[i];
        const int64_t to = i == n - 1 ? d->rows : (int64_t)((double)d->rows * (sum / total) + 0.5);
        if (to <= from) {
            weft_fail(d->ctx, WEFT_ARGUMENT,
                      "weft_data_split: share %d of %lld rows is less than one row", i,
                      (long long)d->rows);
            parts[i] = NULL;
        } else {
            parts[i] = s->in_order ? weft_data_slice(d, from, to) : set_drawn(d, &order, from, to);
        }
        if (!parts[i]) {
            for (int k = 0; k < i; k++) weft_data_free(parts[k]), parts[k] = NULL;
            return weft_error_code(d->ctx);
        }
        from = to;
    }
    return WEFT_OK;
}

/* ---- arrays of the program ---- */

static weft_err set_memory_field(weft_data *d, weft_field f, bool copy) {
    int64_t count, bytes;
    if (!f.name || !*f.name || weft_data_find(d, f.name) >= 0)
        return weft_fail(d->ctx, WEFT_ARGUMENT,
                         "weft_data_memory: field %zu has no name, or one that is taken", d->count);
    if (!f.rows)
        return weft_fail(d->ctx, WEFT_ARGUMENT, "weft_data_memory: field \"%s\" has no rows",
                         f.name);
    if (f.bits && (f.bits != 16 || f.dtype != WEFT_I32))
        return weft_fail(d->ctx, WEFT_ARGUMENT,
                         "weft_data_memory: field \"%s\" is %s in %d bits; 16 bits are for i32",
                         f.name, weft_dtype_name(f.dtype), f.bits);
    if (!data_stored(&f, &count, &bytes) || d->rows > INT64_MAX / bytes)
        return weft_fail(d->ctx, WEFT_ARGUMENT,
                         "weft_data_memory: field \"%s\": extents must be above 0, and the whole "
                         "must fit into memory",
                         f.name);
    if (!f.row_bytes) f.row_bytes = (size_t)bytes;
    f.name = data_copy_text(d->names_store, f.name, strlen(f.name));
    if (!f.name) return WEFT_MEMORY;
    if (copy) {
        char *rows = data_alloc(d->rows_store, (size_t)(d->rows * bytes));
        if (!rows) return WEFT_MEMORY;
        for (int64_t i = 0; i < d->rows; i++)
            memcpy(rows + i * bytes, (const char *)f.rows + (size_t)i * f.row_bytes, (size_t)bytes);
        f.rows = rows;
        f.row_bytes = (size_t)bytes;
    }
    const char *const *from[] = {f.class_names, f.columns};
    const char **to[2] = {NULL, NULL};
    const int64_t names[] = {f.classes, count};
    for (int k = 0; k < 2; k++) {
        if (!from[k]) continue;
        to[k] = data_alloc(d->names_store, (size_t)names[k] * sizeof *to[k]);
        if (!to[k]) return WEFT_MEMORY;
        for (int64_t i = 0; i < names[k]; i++) {
            to[k][i] = data_copy_text(d->names_store, from[k][i], strlen(from[k][i]));
            if (!to[k][i]) return WEFT_MEMORY;
        }
    }
    f.class_names = to[0];
    f.columns = to[1];
    data_add(d, f);
    return WEFT_OK;
}

weft_data *weft_data_memory(weft_ctx *c, const weft_field *fields, size_t n, int64_t rows,
                            bool copy) {
    if (!fields || n < 1 || rows < 1) {
        weft_fail(c, WEFT_ARGUMENT, "weft_data_memory: %zu fields of %lld rows; there must be some",
                  n, (long long)rows);
        return NULL;
    }
    weft_data *d = data_new(c, n, NULL, false);
    if (!d) return NULL;
    d->rows = rows;
    for (size_t i = 0; i < n; i++)
        if (set_memory_field(d, fields[i], copy) != WEFT_OK) return data_done(d, WEFT_ARGUMENT);
    return d;
}
