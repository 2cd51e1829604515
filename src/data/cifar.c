/* cifar.c - CIFAR-10 and CIFAR-100 in their binary form.
 *
 * Records of one label (two for CIFAR-100: coarse, then fine) and 3072 bytes, the red, the green and
 * the blue plane of 32 x 32. One file is used in place; several are put together in memory. */
#include "base/reader.h"
#include "data/set.h"

#include <weft/io.h>

#include <string.h>

enum { CIFAR_PIXELS = 3 * 32 * 32, CIFAR_COARSE = 20 };

static weft_err cifar_check(weft_ctx *c, weft_bytes file, int classes) {
    reader in = reader_of(c, file.name, file.data, file.bytes);
    const size_t labels = classes == 100 ? 2 : 1, record = CIFAR_PIXELS + labels;
    if (in.n == 0) return reader_fail(&in, WEFT_FORMAT, 0, "records", "the file is empty");
    if (in.n % record)
        return reader_fail(&in, WEFT_FORMAT, in.n - in.n % record, "records",
                           "the last has %zu bytes, one of CIFAR-%d has %zu", in.n % record,
                           classes, record);
    for (size_t i = 0; i < in.n; i += record) {
        const unsigned char *label = in.bytes + i;
        if (labels == 2 && *label >= CIFAR_COARSE)
            return reader_fail(&in, WEFT_FORMAT, i, "coarse label",
                               "that of record %zu is %d, must be below %d", i / record, *label,
                               CIFAR_COARSE);
        label += labels - 1;
        if (*label >= classes)
            return reader_fail(&in, WEFT_FORMAT, (uint64_t)(label - in.bytes), "label",
                               "that of record %zu is %d, must be below %d", i / record, *label,
                               classes);
    }
    return WEFT_OK;
}

static weft_err cifar_fill(weft_data *d, const weft_bytes *files, size_t n, int classes) {
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        WEFT_TRY(cifar_check(d->ctx, files[i], classes));
        total += files[i].bytes;
    }
    const unsigned char *whole = files[0].data;
    if (n > 1) {
        unsigned char *joined = data_alloc(d->rows_store, total);
        if (!joined) return WEFT_MEMORY;
        size_t at = 0;
        for (size_t i = 0; i < n; at += files[i++].bytes)
            memcpy(joined + at, files[i].data, files[i].bytes);
        whole = joined;
    }
    const size_t labels = classes == 100 ? 2 : 1, record = CIFAR_PIXELS + labels;
    d->rows = (int64_t)(total / record);
    data_add(d, (weft_field){.name = "x",
                             .dtype = WEFT_U8,
                             .dims = weft_dims(3, 32, 32),
                             .rows = whole + labels,
                             .row_bytes = record});
    data_add(d, (weft_field){.name = "y",
                             .dtype = WEFT_U8,
                             .rows = whole + labels - 1,
                             .row_bytes = record,
                             .classes = classes});
    if (labels == 2)
        data_add(d, (weft_field){.name = "coarse",
                                 .dtype = WEFT_U8,
                                 .rows = whole,
                                 .row_bytes = record,
                                 .classes = CIFAR_COARSE});
    return WEFT_OK;
}

static weft_data *cifar_new(weft_ctx *c, const void *files, size_t n, int classes) {
    if (!files || n < 1 || n > 1024 || (classes != 10 && classes != 100)) {
        weft_fail(
            c, WEFT_ARGUMENT,
            "weft_data_cifar: %zu files and %d classes; there must be 1 to 1024 files, and 10 "
            "or 100 classes",
            n, classes);
        return NULL;
    }
    return data_new(c, 3, NULL, false);
}

weft_data *weft_data_parse_cifar(weft_ctx *c, const weft_bytes *files, size_t n, int classes) {
    weft_data *d = cifar_new(c, files, n, classes);
    return d ? data_done(d, cifar_fill(d, files, n, classes)) : NULL;
}

weft_data *weft_data_cifar(weft_ctx *c, const char *const *paths, size_t n, int classes) {
    weft_data *d = cifar_new(c, paths, n, classes);
    if (!d) return NULL;
    weft_bytes *files = data_alloc(d->names_store, n * sizeof *files);
    weft_err e = files ? WEFT_OK : WEFT_MEMORY;
    for (size_t i = 0; i < n && e == WEFT_OK; i++)
        e = data_open(d->rows_store, paths[i], &files[i]);
    if (e == WEFT_OK) e = cifar_fill(d, files, n, classes);
    return data_done(d, e);
}
