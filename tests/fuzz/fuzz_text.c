/* fuzz_text.c - text as characters or bytes; the first two bytes choose length and stride. */
#include "fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (n < 2) return 0;
    fuzz_world *w = fuzz_begin();
    const weft_bytes file = {"f.txt", bytes + 2, n - 2};
    weft_text_desc d = {
        .length = bytes[0] & 63, .stride = bytes[1] & 15, .bytes = bytes[0] & 64, .like = NULL};
    weft_data *set = weft_data_parse_text(w->ctx, file, &d);
    if (set && !d.bytes) {
        d.like = set;
        weft_data *again = weft_data_parse_text(w->ctx, file, &d);
        fuzz_must(again != NULL, "refused when read like itself");
        fuzz_must(weft_data_rows(set) == weft_data_rows(again), "other rows when read again");
        weft_data_free(again);
    }
    fuzz_end(w, set, n - 2);
    return 0;
}
