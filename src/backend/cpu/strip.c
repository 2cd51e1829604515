/* strip.c - chooses the width of a strip's vectors and cuts its rows into tiles.
 *
 * Kernels are in strip.inc, built in gemm_kernels.c. */
#include "strip.h"

#include "gemm_parts.h"

#include <string.h>

const strip_level *strip_level_of(isa level, int64_t columns) {
#if WEFT_X86
    if (level == ISA_512 && columns >= 16) return &gemm_strips_512;
    if (level != ISA_128) return columns >= 8 ? &gemm_strips_256 : &gemm_strips_128f;
#else
    (void)level, (void)columns;
#endif
    return &gemm_strips_128;
}

int64_t strip_columns(const strip_level *level, int64_t left) {
    const int64_t lanes = level->lanes;
    if (left <= 2 * lanes) return left;
    return left < 3 * lanes ? lanes : 2 * lanes;
}

int strip_vectors(const strip_level *level, int64_t columns) {
    return columns > level->lanes ? 2 : 1;
}

/* The epilogue of a raw tile, element by element. */
static void strip_finish(const strip *s, const float *raw, int64_t raw_row, int64_t i0, int rows,
                         int64_t columns) {
    if (!s->flags && raw_row == columns && s->c_row == columns) {
        memcpy(s->c + i0 * columns, raw, (size_t)(rows * columns) * sizeof *raw);
        return;
    }
    for (int r = 0; r < rows; r++) {
        float *c = s->c + (i0 + r) * s->c_row;
        for (int64_t j = 0; j < columns; j++) {
            float x = raw[r * raw_row + j];
            if (s->flags & GEMM_OLD) x += c[j];
            if (s->flags & GEMM_BIAS) x += s->bias[j];
            if (s->flags & GEMM_RELU) x = x <= 0 ? 0 : x;
            if (s->flags & GEMM_MASK) x = s->mask[(i0 + r) * s->mask_row + j] > 0 ? x : 0;
            c[j] = x;
        }
    }
}

static void strip_raw(const strip_level *level, const strip *s, int64_t rows, int64_t columns) {
    float raw[STRIP_MAX_ROWS * 16] = {0};
    strip t = *s;
    t.c = raw;
    t.c_row = level->lanes;
    t.b_last = t.c_last = 0;
    t.flags = 0;
    t.mask = raw;
    t.mask_row = 0;
    const int most = level->rows[1];
    for (int64_t i = 0; i < rows; i += most) {
        const int count = (int)(rows - i < most ? rows - i : most);
        t.row = s->row + i;
        level->tiles[1][count](&t, 1);
        strip_finish(s, raw, level->lanes, i, count, columns);
    }
}

void strip_run(const strip_level *level, const strip *s, int64_t rows, int64_t columns) {
    if (rows <= 0) return;
    if (columns < level->lanes) {
        strip_raw(level, s, rows, columns);
        return;
    }
    const int vectors = strip_vectors(level, columns), most = level->rows[vectors];
    const int64_t tiles = (rows + most - 1) / most;
    const int64_t height = rows / tiles, larger = rows % tiles;
    strip_tiles *const *kernel = level->tiles[vectors];
    strip t = *s;
    if (!t.mask) t.mask = t.c; /* it is moved along, though never read */
    if (larger > 0) {
        kernel[height + 1](&t, larger);
        const int64_t done = larger * (height + 1);
        t.row += done;
        t.c += done * t.c_row;
        t.mask += done * t.mask_row;
    }
    kernel[height](&t, tiles - larger);
}

void strip_run_dots(const strip_level *level, const strip *s, int64_t rows, int columns) {
    const int tile = level->dot_rows[columns];
    float raw[STRIP_DOT_ROWS * STRIP_MAX_DOTS];
    const char *last[STRIP_DOT_ROWS];
    strip t = *s;
    for (int64_t i = 0; i < rows; i += tile) {
        const int count = (int)(rows - i < tile ? rows - i : tile);
        t.row = s->row + i;
        if (count < tile) { /* a last tile that is not full repeats a row */
            for (int r = 0; r < tile; r++) last[r] = s->row[r < count ? i + r : i];
            t.row = last;
        }
        level->dots[columns](&t, raw);
        strip_finish(s, raw, columns, i, count, columns);
    }
}
