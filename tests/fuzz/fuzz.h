/* fuzz.h - what all targets share: a context whose memory is counted, and demands.
 *
 * A target is a file fuzz_NAME.c with one function, LLVMFuzzerTestOneInput; the build finds it by
 * its name. Sound inputs to begin with lie in seeds/NAME/, a file each. `make test` links the
 * target with driver.c, which changes the seeds in a fixed way; `make test-fuzz` with clang's
 * libFuzzer. */
#ifndef WEFT_FUZZ_H
#define WEFT_FUZZ_H

#include "heap.h"
#include "weft/weft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static inline void fuzz_must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

typedef struct fuzz_world {
    heap heap;
    weft_ctx *ctx;
    size_t idle;  /* bytes of a context without anything made in it */
    unsigned sum; /* of all that was read                           */
} fuzz_world;

static inline fuzz_world *fuzz_begin(void) {
    static fuzz_world w;
    if (!w.ctx) {
        w.ctx = weft_open_with(&(weft_open_desc){
            .device = "null", .threads = 1, .resize = heap_resize, .user = &w.heap});
        w.idle = w.heap.live;
    }
    w.heap.peak = w.heap.live;
    return &w;
}

/* A file of n bytes was refused: the reason must be told, and little memory have been taken. */
static inline void fuzz_refused(const fuzz_world *w, size_t n) {
    const weft_err e = weft_error_code(w->ctx);
    fuzz_must(e != WEFT_OK && e != WEFT_MEMORY, "refused with a strange code");
    fuzz_must(*weft_error(w->ctx) != 0, "refused without a message");
    fuzz_must(w->heap.peak - w->idle <= 2 * n + (1 << 20), "too much memory before refusing");
}

#endif
