/* idx.c - IDX files, as MNIST has them.
 *
 * Two zero bytes, the element type, the rank, an extent of four bytes per axis, then the elements;
 * all numbers have their highest byte first. Bytes are used in place; wider elements are
 * byte-swapped into memory of their own. The size of the file must be what its head says. */
#include "base/reader.h"
#include "data/set.h"

#include <weft/io.h>

#include <stdio.h>
#include <string.h>

/* clang-format off */
/*  code  name of the type, bytes in the file, element type in the set */
#define IDX_TYPES(X)              \
    X(0x08, "u8",  1, WEFT_U8)    \
    X(0x09, "i8",  1, WEFT_I8)    \
    X(0x0b, "i16", 2, WEFT_I32)   \
    X(0x0c, "i32", 4, WEFT_I32)   \
    X(0x0d, "f32", 4, WEFT_F32)   \
    X(0x0e, "f64", 8, WEFT_F32)
/* clang-format on */

typedef struct idx_type {
    int code;
    const char *name;
    int bytes;
    weft_dtype dtype;
} idx_type;

static const idx_type idx_types[] = {
#define X(code, name, bytes, dtype) {code, name, bytes, dtype},
    IDX_TYPES(X)
#undef X
};
enum { IDX_TYPE_COUNT = sizeof idx_types / sizeof *idx_types };

typedef struct idx_file {
    reader in;
    const idx_type *type;
    int64_t rows, count; /* count: elements of a row */
    weft_shape dims;     /* of a row                 */
    size_t head;         /* bytes before the elements */
    const unsigned char *elements;
} idx_file;

static uint64_t idx_number(const unsigned char *p, int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v = v << 8 | p[i];
    return v;
}

/* What is before the elements: type, rank and extents. */
static weft_err idx_head(idx_file *f) {
    reader *const in = &f->in;
    const uint64_t magic = reader_number(in, "magic number", -2);
    if (in->err == WEFT_OK && magic == 0x1f8b)
        return reader_fail(in, WEFT_FORMAT, 0, "magic number",
                           "the file is compressed; gunzip it first");
    if (in->err == WEFT_OK && magic)
        return reader_fail(in, WEFT_FORMAT, 0, "magic number",
                           "an IDX file begins with 00 00, this one with %02x %02x",
                           (unsigned)magic >> 8, (unsigned)magic & 255);
    const int code = (int)reader_number(in, "element type", 1);
    for (int i = 0; i < IDX_TYPE_COUNT; i++)
        if (idx_types[i].code == code) f->type = &idx_types[i];
    if (in->err == WEFT_OK && !f->type)
        return reader_fail(in, WEFT_FORMAT, 2, "element type", "%02x is not known", code);
    const int rank = (int)reader_number(in, "rank", 1);
    if (in->err == WEFT_OK && (rank < 1 || rank > WEFT_MAX_RANK))
        return reader_fail(in, WEFT_FORMAT, 3, "rank", "%d, must be from 1 to %d", rank,
                           WEFT_MAX_RANK);
    f->count = 1;
    f->dims.rank = rank - 1;
    for (int i = 0; i < rank && in->err == WEFT_OK; i++) {
        char field[24];
        snprintf(field, sizeof field, "extent %d", i);
        const size_t at = in->at;
        const int64_t extent = (int64_t)reader_number(in, field, -4);
        if (in->err != WEFT_OK) break;
        if (extent == 0) return reader_fail(in, WEFT_FORMAT, at, field, "it is 0");
        if (i == 0) {
            f->rows = extent;
            continue;
        }
        if (f->count > INT64_MAX / extent)
            return reader_fail(in, WEFT_FORMAT, at, field, "the product of extents overflows");
        f->count *= extent;
        f->dims.n[i - 1] = extent;
    }
    f->head = in->at;
    return in->err;
}

/* The elements must be all there, and nothing else. */
static weft_err idx_body(idx_file *f) {
    reader *const in = &f->in;
    WEFT_TRY(idx_head(f));
    const uint64_t have = in->n - f->head;
    const uint64_t fit = have / (uint64_t)f->type->bytes / (uint64_t)f->count;
    if (fit < (uint64_t)f->rows)
        return reader_fail(in, WEFT_FORMAT, in->n, "elements",
                           "the file ends early: of %lld rows of %lld %s elements %llu are there",
                           (long long)f->rows, (long long)f->count, f->type->name,
                           (unsigned long long)fit);
    const uint64_t want = (uint64_t)f->rows * (uint64_t)f->count * (uint64_t)f->type->bytes;
    if (have != want)
        return reader_fail(in, WEFT_FORMAT, f->head + want, "elements",
                           "%llu extra bytes after the last one",
                           (unsigned long long)(have - want));
    f->elements = in->bytes + f->head;
    return WEFT_OK;
}

/* Elements of several bytes, turned round: i16 and i32 as i32, f32 and f64 as f32. */
static void idx_turn(const idx_file *f, void *to) {
    const unsigned char *p = f->elements;
    int32_t *whole = to;
    float *real = to;
    const int64_t n = f->rows * f->count;
    const int size = f->type->bytes;
    for (int64_t i = 0; i < n; i++, p += size) {
        const uint64_t v = idx_number(p, size);
        const uint32_t low = (uint32_t)v;
        if (f->type->dtype == WEFT_I32) {
            whole[i] = size == 2 ? (int16_t)low : (int32_t)low;
        } else if (size == 4) {
            memcpy(&real[i], &low, sizeof low);
        } else {
            double d;
            memcpy(&d, &v, sizeof v);
            real[i] = (float)d;
        }
    }
}

static weft_err idx_add(weft_data *d, const idx_file *f, weft_field field) {
    const size_t size = weft_dtype_size(f->type->dtype);
    field.dtype = f->type->dtype;
    field.dims = f->dims;
    field.rows = f->elements;
    field.row_bytes = (size_t)f->count * size;
    if (f->type->bytes > 1) {
        void *turned = data_alloc(d->rows_store, (size_t)f->rows * field.row_bytes);
        if (!turned) return WEFT_MEMORY;
        idx_turn(f, turned);
        field.rows = turned;
    }
    data_add(d, field);
    return WEFT_OK;
}

/* Labels are whole numbers from 0; gives how many classes that makes. */
static weft_err idx_labels(idx_file *f, int64_t *classes) {
    if (f->dims.rank != 0 || f->type->dtype == WEFT_F32)
        return reader_fail(&f->in, WEFT_FORMAT, 2, "element type and rank",
                           "labels are whole numbers of rank 1, these are %s of rank %d",
                           f->type->name, f->dims.rank + 1);
    *classes = 0;
    const int size = f->type->bytes;
    for (int64_t i = 0; i < f->rows; i++) {
        const uint64_t v = idx_number(f->elements + i * size, size);
        if (f->type->dtype != WEFT_U8 && v >> (8 * size - 1))
            return reader_fail(&f->in, WEFT_FORMAT, f->head + (uint64_t)(i * size), "label",
                               "that of row %lld is below 0", (long long)i);
        if ((int64_t)v >= *classes) *classes = (int64_t)v + 1;
    }
    return WEFT_OK;
}

static weft_err idx_fill(weft_data *d, weft_bytes x, weft_bytes y) {
    idx_file pictures = {.in = reader_of(d->ctx, x.name, x.data, x.bytes)};
    idx_file labels = {.in = reader_of(d->ctx, y.name, y.data, y.bytes)};
    int64_t classes = 0;
    WEFT_TRY(idx_body(&pictures));
    if (y.data) {
        WEFT_TRY(idx_body(&labels));
        if (labels.rows != pictures.rows)
            return reader_fail(&labels.in, WEFT_FORMAT, 4, "extent 0",
                               "%lld labels for %lld rows of x", (long long)labels.rows,
                               (long long)pictures.rows);
        WEFT_TRY(idx_labels(&labels, &classes));
    }
    d->rows = pictures.rows;
    WEFT_TRY(idx_add(d, &pictures, (weft_field){.name = "x"}));
    if (y.data) WEFT_TRY(idx_add(d, &labels, (weft_field){.name = "y", .classes = classes}));
    return WEFT_OK;
}

weft_data *weft_data_parse_idx(weft_ctx *c, weft_bytes x, weft_bytes y) {
    weft_data *d = data_new(c, 2, NULL, false);
    if (!d) return NULL;
    if (!x.data) return data_done(d, weft_fail(c, WEFT_ARGUMENT, "weft_data_parse_idx: no bytes"));
    return data_done(d, idx_fill(d, x, y));
}

weft_data *weft_data_idx(weft_ctx *c, const char *x, const char *y) {
    weft_data *d = data_new(c, 2, NULL, false);
    if (!d) return NULL;
    weft_bytes pictures = {0}, labels = {0};
    weft_err e = data_open(d->rows_store, x, &pictures);
    if (e == WEFT_OK && y) e = data_open(d->rows_store, y, &labels);
    if (e == WEFT_OK) e = idx_fill(d, pictures, labels);
    return data_done(d, e);
}

#undef IDX_TYPES
