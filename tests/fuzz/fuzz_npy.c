/* fuzz_npy.c - .npy files. */
#include "fuzz_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    fuzz_archive_end(w, weft_archive_parse(w->ctx, bytes, n, "npy"), n);
    return 0;
}
