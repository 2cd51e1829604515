/* fuzz_idx.c - IDX files: the first byte says how many of the rest are the labels' file. */
#include "fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (n < 1) return 0;
    fuzz_world *w = fuzz_begin();
    const size_t labels = bytes[0] < n ? bytes[0] : 0;
    const weft_bytes x = {"x.idx", bytes + 1 + labels, n - 1 - labels};
    const weft_bytes y = {"y.idx", bytes + 1, labels};
    fuzz_end(w, weft_data_parse_idx(w->ctx, x, labels ? y : (weft_bytes){0}), n);
    return 0;
}
