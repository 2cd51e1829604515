/* fuzz_arrays.c - sets of examples out of npy and npz files, which weft_data_npy opens by name. */
#include "fuzz_file.h"

#include "fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    char path[300];
    fuzz_path(path, sizeof path, "a.json"); /* known by its content */
    fuzz_file_put(path, bytes, n);
    fuzz_world *w = fuzz_begin();
    weft_data *d = weft_data_npy(w->ctx, path);
    if (d) w->sum += fuzz_read(d);
    else fuzz_must(weft_error_code(w->ctx) != WEFT_OK && *weft_error(w->ctx), "without a message");
    weft_data_free(d);
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
