/* fuzz_data.h - what the targets of data sets share: a look at every row.
 *
 * A target reads a file out of the fuzzer's bytes. A set that comes of it is read through to its
 * last byte, for the sanitizers to see. A file that is refused must say so with a message, and
 * must have taken at most twice its size and 1 MiB. Nothing may be left in either case. */
#ifndef WEFT_FUZZ_DATA_H
#define WEFT_FUZZ_DATA_H

#include "fuzz.h"
#include "weft/data.h"

/* Sums all bytes of all rows and names, so that each is read. */
static inline unsigned fuzz_read(const weft_data *d) {
    unsigned sum = 0;
    for (size_t i = 0; i < weft_data_fields(d); i++) {
        const weft_field f = weft_data_field(d, i);
        size_t bytes = weft_dtype_size(f.dtype);
        for (int k = 0; k < f.dims.rank; k++) bytes *= (size_t)f.dims.n[k];
        for (int64_t row = 0; row < weft_data_rows(d); row++) {
            const unsigned char *p = (const unsigned char *)f.rows + (size_t)row * f.row_bytes;
            for (size_t k = 0; k < bytes; k++) sum += p[k];
        }
        for (int64_t k = 0; f.class_names && k < f.classes; k++)
            sum += (unsigned)strlen(f.class_names[k]);
        for (int64_t k = 0; f.columns && k < f.dims.n[0]; k++)
            sum += (unsigned)strlen(f.columns[k]);
    }
    return sum;
}

/* The end of a target: d is the set, or NULL; `bytes` the size of the file. */
static inline void fuzz_end(fuzz_world *w, weft_data *d, size_t bytes) {
    if (d) {
        fuzz_must(weft_data_rows(d) > 0 && weft_data_fields(d) > 0, "a set without rows or fields");
        w->sum += fuzz_read(d);
    } else {
        const weft_err e = weft_error_code(w->ctx);
        fuzz_must(e == WEFT_FORMAT || e == WEFT_ARGUMENT, "refused with a strange code");
        fuzz_refused(w, bytes);
    }
    weft_data_free(d);
    fuzz_must(w->heap.live == w->idle, "memory is left");
}

#endif
