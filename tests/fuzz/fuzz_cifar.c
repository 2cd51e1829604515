/* fuzz_cifar.c - CIFAR files. Records are long and all alike, so the fuzzer's bytes are the labels
 * of records that are otherwise empty; the first byte says which kind, how many files, and whether
 * the last record is cut. */
#include "fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    enum { PIXELS = 3072, MOST = 16 };
    static uint8_t file[MOST * (PIXELS + 2)];
    if (n < 2) return 0;
    fuzz_world *w = fuzz_begin();
    const int classes = bytes[0] & 1 ? 100 : 10;
    const size_t labels = classes == 100 ? 2 : 1, record = PIXELS + labels;
    size_t records = (n - 1) / labels;
    if (records > MOST) records = MOST;
    for (size_t i = 0; i < records; i++) memcpy(file + i * record, bytes + 1 + i * labels, labels);
    size_t size = records * record;
    if (bytes[0] & 2 && size >= bytes[0]) size -= bytes[0] >> 2;
    const size_t files = bytes[0] & 128 && records > 1 ? 2 : 1;
    const size_t first = files == 2 ? record : size;
    const weft_bytes parts[2] = {{"a.bin", file, first}, {"b.bin", file + first, size - first}};
    fuzz_end(w, weft_data_parse_cifar(w->ctx, parts, files, classes), size);
    return 0;
}
