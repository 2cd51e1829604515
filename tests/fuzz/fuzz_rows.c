/* fuzz_rows.c - lines of CSV and JSON as they come. The first byte chooses the description. Every
 * line is a row, nothing, or refused with a message that has its number; a second reader of the
 * same lines must see the same. */
#include "fuzz.h"
#include "weft/data.h"

#include <math.h>

static void same(weft_rows *a, weft_rows *b) {
    fuzz_must(weft_rows_columns(a) > 0, "a row without values");
    for (int i = 0; i < weft_rows_columns(a); i++) {
        const double x = weft_rows_values(a)[i], y = weft_rows_values(b)[i];
        fuzz_must(x == y || (isnan(x) && isnan(y)), "other values when read again");
        fuzz_must(strcmp(weft_rows_column(a, i), weft_rows_column(b, i)) == 0, "other names");
    }
    const char *x, *y;
    for (int i = 0; weft_rows_kept(a, i, &x); i++)
        fuzz_must(weft_rows_kept(b, i, &y) && strcmp(x, y) == 0, "other texts when read again");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (n < 1) return 0;
    fuzz_world *w = fuzz_begin();
    const weft_rows_desc d = {
        .name = "f",
        .json = bytes[0] & 1,
        .columns = bytes[0] & 2   ? "1,b"
                   : bytes[0] & 4 ? "a.b"
                                  : NULL,
        .keep = bytes[0] & 8 ? "t,a" : NULL,
        .header = (bytes[0] >> 4 & 3) == 1   ? 1
                  : (bytes[0] >> 4 & 3) == 2 ? -1
                                             : 0,
        .separator = bytes[0] & 128 ? ';' : 0,
    };
    weft_rows *a = weft_rows_new(w->ctx, &d), *b = weft_rows_new(w->ctx, &d);
    const char *at = (const char *)bytes + 1, *const end = (const char *)bytes + n;
    for (int line = 1; at < end; line++) {
        const char *const stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stop ? stop : end) - at);
        bool row_a, row_b;
        const weft_err e = weft_rows_read(a, at, length, &row_a);
        if (e != WEFT_OK) {
            char place[32];
            snprintf(place, sizeof place, "f: line %d", line);
            fuzz_refused(w, n);
            fuzz_must(strncmp(weft_error(w->ctx), place, strlen(place)) == 0, "without its place");
        }
        fuzz_must(weft_rows_read(b, at, length, &row_b) == e && row_a == row_b, "read again");
        if (row_a) same(a, b);
        at += length + 1;
    }
    weft_rows_free(a);
    weft_rows_free(b);
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
