/* fuzz_npz.c - .npz files: zip, deflate, and .npy inside. */
#include "fuzz_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    fuzz_archive_end(w, weft_archive_parse(w->ctx, bytes, n, "npz"), n);
    return 0;
}
