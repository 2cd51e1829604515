/* raw.c - arrays without a header: examples of a type and shape the program knows, one after the
 * other, used in place. The machine's byte order is taken as the file's, little-endian. */
#include "base/reader.h"
#include "data/set.h"

#include <weft/io.h>

static weft_err raw_fill(weft_data *d, weft_bytes file, weft_dtype t, weft_shape dims) {
    int64_t count, bytes;
    if ((unsigned)t >= WEFT_DTYPE_COUNT)
        return weft_fail(d->ctx, WEFT_ARGUMENT, "weft_data_raw: unknown element type %d", (int)t);
    if (!data_extent(t, dims, &count, &bytes))
        return weft_fail(d->ctx, WEFT_ARGUMENT,
                         "weft_data_raw: at most %d extents, all above 0, and an example must fit "
                         "into memory",
                         WEFT_MAX_RANK);
    reader in = reader_of(d->ctx, file.name, file.data, file.bytes);
    const size_t row = (size_t)bytes;
    if (in.n == 0) return reader_fail(&in, WEFT_FORMAT, 0, "examples", "the file is empty");
    if (in.n % row)
        return reader_fail(&in, WEFT_FORMAT, in.n - in.n % row, "examples",
                           "the last has %zu bytes; one of %lld %s elements has %zu", in.n % row,
                           (long long)count, weft_dtype_name(t), row);
    for (size_t i = 0; t == WEFT_BOOL && i < in.n; i++)
        if (in.bytes[i] > 1)
            return reader_fail(&in, WEFT_FORMAT, i, "bool", "%d in example %zu, must be 0 or 1",
                               in.bytes[i], i / row);
    d->rows = (int64_t)(in.n / row);
    data_add(
        d, (weft_field){.name = "x", .dtype = t, .dims = dims, .rows = in.bytes, .row_bytes = row});
    return WEFT_OK;
}

weft_data *weft_data_parse_raw(weft_ctx *c, weft_bytes file, weft_dtype t, weft_shape dims) {
    weft_data *d = data_new(c, 1, NULL, false);
    if (!d) return NULL;
    if (!file.data)
        return data_done(d, weft_fail(c, WEFT_ARGUMENT, "weft_data_parse_raw: no bytes"));
    return data_done(d, raw_fill(d, file, t, dims));
}

weft_data *weft_data_raw(weft_ctx *c, const char *path, weft_dtype t, weft_shape dims) {
    weft_data *d = data_new(c, 1, NULL, false);
    if (!d) return NULL;
    weft_bytes file = {0};
    weft_err e = data_open(d->rows_store, path, &file);
    if (e == WEFT_OK) e = raw_fill(d, file, t, dims);
    return data_done(d, e);
}
