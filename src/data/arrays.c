/* arrays.c - data sets from arrays in files: npy, npz and whatever else weft/io.h opens.
 *
 * An array is a field, its first axis counts the rows. Types that graphs have are used where the
 * archive keeps them; wider ones are turned into f32 and i32, if their values fit. */
#include "data/set.h"

#include <weft/io.h>

#include <string.h>

/* clang-format off */
/*      type in the file, type in the set; the others become f32 (F64) or i32 */
#define ARRAYS_KEPT(X) \
    X(F32) X(F16) X(BF16) X(I32) X(U32) X(I8) X(U8) X(BOOL)
/* clang-format on */

static bool arrays_kept(weft_file_type t, weft_dtype *out) {
    switch (t) {
#define X(name)                                                                                    \
    case WEFT_FILE_##name: *out = WEFT_##name; return true;
        ARRAYS_KEPT(X)
#undef X
    default: *out = t == WEFT_FILE_F64 ? WEFT_F32 : WEFT_I32; return false;
    }
}

/* Labels are told as classes: whole numbers from 0, one per row. */
static int64_t arrays_classes(const weft_field *f, int64_t rows) {
    int64_t most = -1;
    if (f->dims.rank != 0 || strcmp(f->name, "y") != 0) return 0;
    for (int64_t i = 0; i < rows; i++) {
        const char *const p = (const char *)f->rows + (size_t)i * f->row_bytes;
        int32_t v;
        if (f->dtype == WEFT_I32) memcpy(&v, p, sizeof v);
        else if (f->dtype == WEFT_U8) v = *(const unsigned char *)p;
        else if (f->dtype == WEFT_I8) v = *(const signed char *)p;
        else return 0;
        if (v < 0) return 0;
        if (v > most) most = v;
    }
    return most + 1;
}

static weft_err arrays_add(weft_data *d, const char *path, const weft_array *a, bool alone) {
    const char *const name = alone ? "x" : a->name;
    if (a->dims.rank < 1 || a->dims.n[0] < 1)
        return weft_fail(d->ctx, WEFT_FORMAT, "%s: array \"%s\": its first axis must count rows",
                         path, name);
    if (d->count && a->dims.n[0] != d->rows)
        return weft_fail(d->ctx, WEFT_FORMAT,
                         "%s: array \"%s\" has %lld rows, those before it have %lld", path, name,
                         (long long)a->dims.n[0], (long long)d->rows);
    d->rows = a->dims.n[0];
    weft_field f = {.dims.rank = a->dims.rank - 1};
    for (int i = 1; i < a->dims.rank; i++) f.dims.n[i - 1] = a->dims.n[i];
    const bool kept = arrays_kept(a->type, &f.dtype);
    int64_t count, bytes;
    if (!data_extent(f.dtype, f.dims, &count, &bytes) || d->rows > INT64_MAX / bytes)
        return weft_fail(d->ctx, WEFT_FORMAT,
                         "%s: array \"%s\" has an extent of 0, or is too large", path, name);
    f.name = data_copy_text(d->names_store, name, strlen(name));
    if (!f.name) return WEFT_MEMORY;
    f.row_bytes = (size_t)bytes;
    f.rows = a->data;
    if (!kept) {
        const size_t n = (size_t)(d->rows * count);
        void *const turned = data_alloc(d->rows_store, n * weft_dtype_size(f.dtype));
        if (!turned) return WEFT_MEMORY;
        WEFT_TRY(f.dtype == WEFT_F32 ? weft_array_read_f32(d->ctx, a, turned, n)
                                     : weft_array_read_i32(d->ctx, a, turned, n));
        f.rows = turned;
    }
    f.classes = arrays_classes(&f, d->rows);
    data_add(d, f);
    return WEFT_OK;
}

static weft_err arrays_fill(weft_data *d, weft_archive *a, const char *path) {
    const bool alone = strcmp(weft_archive_format(a), "npy") == 0;
    for (size_t i = 0; i < d->capacity; i++) {
        weft_array array;
        WEFT_TRY(weft_archive_at(a, i, &array));
        WEFT_TRY(arrays_add(d, path, &array, alone));
    }
    return WEFT_OK;
}

weft_data *weft_data_npy(weft_ctx *c, const char *path) {
    if (!c || !path || !*path) {
        weft_fail(c, WEFT_ARGUMENT, "weft_data_npy: no context, or no file is named");
        return NULL;
    }
    weft_archive *a = weft_archive_open(c, path);
    if (!a) return NULL;
    const size_t count = weft_archive_count(a);
    weft_data *d = NULL;
    if (count < 1) weft_fail(c, WEFT_FORMAT, "%s: contains no array", path);
    else d = data_new(c, count, NULL, false);
    if (!d || !data_keep_archive(d->rows_store, a)) {
        weft_archive_free(a);
        weft_data_free(d);
        return NULL;
    }
    return data_done(d, arrays_fill(d, a, path));
}

#undef ARRAYS_KEPT
