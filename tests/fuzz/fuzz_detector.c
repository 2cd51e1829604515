/* fuzz_detector.c - snapshots of detectors. As it comes, and with a checksum and a length that fit,
 * so that the fields behind them are reached. What is restored is saved as the same bytes (a snapshot
 * of an older version as some others) and takes points. */
#include "fuzz.h"

#include "base/crc.h"
#include "weft/io.h"
#include "weft/stream.h"

#include <math.h>

enum { POINTS = 40, VERSION_AT = 16, VERSION = 2, LENGTH = 48, MOST_DIMS = 1024 };

static void use(weft_detector *d) {
    static double x[POINTS * MOST_DIMS];
    const int dims = weft_detector_settings(d).dims;
    for (int i = 0; i < POINTS * dims; i++) x[i] = i % 7 + 0.5 * (i % 3);
    x[3] = NAN;
    weft_point p[POINTS], q[POINTS];
    weft_detector_feed(d, x, POINTS, NULL);
    const size_t bytes = weft_detector_bytes(d);
    void *const s = malloc(bytes);
    fuzz_must(s && weft_detector_save(d, s, bytes) == WEFT_OK, "not saved");
    free(s);
    weft_detector_feed(d, x, POINTS, p);
    weft_detector_feed(d, x, POINTS, q);
    for (int i = 0; i < POINTS; i++)
        fuzz_must((int)p[i].label >= 0 && p[i].label < WEFT_LABEL_COUNT, "a strange verdict");
}

static void try(fuzz_world *w, const uint8_t *bytes, size_t n) {
    weft_detector *const d = weft_detector_restore(w->ctx, bytes, n, "snapshot");
    if (d) {
        const size_t size = weft_detector_bytes(d);
        const bool same = bytes[VERSION_AT] == VERSION;
        fuzz_must(!same || size == n, "another length than it was restored from");
        uint8_t *const again = malloc(size);
        fuzz_must(again && weft_detector_save(d, again, size) == WEFT_OK, "not saved");
        fuzz_must(!same || memcmp(again, bytes, n) == 0,
                  "saved otherwise than it was restored from");
        free(again);
        use(d);
    } else {
        fuzz_refused(w, n);
    }
    weft_detector_free(d);
    fuzz_must(w->heap.live == w->idle, "memory is left");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    try(w, bytes, n);
    if (n < LENGTH + 8 + 4) return 0;
    uint8_t *const sealed = malloc(n);
    fuzz_must(sealed != NULL, "out of memory");
    memcpy(sealed, bytes, n);
    for (int i = 0; i < 8; i++) sealed[LENGTH + i] = (uint8_t)((uint64_t)n >> 8 * i);
    const uint32_t crc = crc_32c(0, sealed, n - 4);
    for (int i = 0; i < 4; i++) sealed[n - 4 + (size_t)i] = (uint8_t)(crc >> 8 * i);
    try(w, sealed, n);
    free(sealed);
    return 0;
}
