/* fuzz_safetensors.c - safetensors files, with checksums or without. */
#include "fuzz_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    fuzz_archive_end(w, weft_archive_parse(w->ctx, bytes, n, "safetensors"), n);
    return 0;
}
