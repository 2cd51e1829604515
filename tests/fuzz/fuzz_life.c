/* fuzz_life.c - patterns of the Game of Life, in plain text and RLE, as the command reads them. One
 * that is read is written as RLE, and must come back. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "apps/automata/pattern.c"

#include "fuzz_file.h"

static void again(fuzz_world *w, const char *path, const life_pattern *p) {
    life_pattern back;
    const size_t cells = (size_t)p->width * (size_t)p->height;
    if (cells > 1 << 16) return;
    char *rle = life_pattern_rle(p->height, p->width, p->cells);
    fuzz_must(rle != NULL, "read and not written");
    fuzz_file_put(path, rle, strlen(rle));
    fuzz_must(life_pattern_read(w->ctx, path, &back) == WEFT_OK, "written and not read");
    fuzz_must(back.width == p->width && back.height == p->height &&
                  memcmp(back.cells, p->cells, cells) == 0,
              "another pattern when read again");
    life_pattern_free(&back);
    free(rle);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    char path[300];
    life_pattern p;
    fuzz_world *w = fuzz_begin();
    fuzz_path(path, sizeof path, "a.json"); /* the name says nothing */
    fuzz_file_put(path, bytes, n);
    if (life_pattern_read(w->ctx, path, &p) == WEFT_OK) {
        fuzz_must(p.width > 0 && p.height > 0 && p.width <= LIFE_SIDE && p.height <= LIFE_SIDE,
                  "an impossible size");
        for (int64_t i = 0; i < (int64_t)p.width * p.height; i++) {
            fuzz_must(p.cells[i] <= 1, "a cell that is neither");
            w->sum += p.cells[i];
        }
        again(w, path, &p);
    } else {
        fuzz_must(!p.cells, "refused, and something is left");
        fuzz_refused(w, n);
    }
    life_pattern_free(&p);
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
