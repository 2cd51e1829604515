/* bits.c - from rows of numbers to bits, a word for 64 cases, and back.
 *
 * Eight cases at a time become a byte for each column; bytes of many cases are then turned round, a
 * square of eight by eight at a time. */
#include "sliced.h"

#include <math.h>
#include <string.h>

typedef struct bits_job {
    const sliced_kernels *kernels;
    const unsigned char *x;
    int64_t cases, n, words;
    bool real;
    uint8_t least_u8;
    float least;
    uint64_t *bits;
} bits_job;

/* Columns from .. from + n of up to 8 cases: a byte a column. */
static void bits_rows(const bits_job *j, int64_t first, int64_t from, int n, uint8_t *out) {
    const int64_t left = j->cases - first;
    const size_t size = j->real ? sizeof(float) : 1;
    memset(out, 0, (size_t)n);
    if (left <= 0) return; /* cases that are not there */
    const unsigned char *const at = j->x + (size_t)(first * j->n + from) * size;
    if (left >= 8) {
        if (j->real) j->kernels->rows_f32((const float *)(const void *)at, j->n, n, j->least, out);
        else j->kernels->rows_u8(at, j->n, n, j->least_u8, out);
        return;
    }
    for (int i = 0; i < left; i++)
        for (int c = 0; c < n; c++) {
            const unsigned char *const v = at + ((size_t)i * (size_t)j->n + (size_t)c) * size;
            const bool one =
                j->real ? *(const float *)(const void *)v >= j->least : *v >= j->least_u8;
            out[c] |= (uint8_t)(one << i);
        }
}

static void bits_pack(const bits_job *j) {
    uint8_t byte[8][SLICED_COLUMNS] = {{0}};
    for (int64_t w = 0; w < j->words; w++)
        for (int64_t from = 0; from < j->n; from += SLICED_COLUMNS) {
            const int n = j->n - from < SLICED_COLUMNS ? (int)(j->n - from) : SLICED_COLUMNS;
            for (int i = 0; i < 8; i++) bits_rows(j, 64 * w + 8 * i, from, n, byte[i]);
            j->kernels->turn((const uint8_t(*)[SLICED_COLUMNS])byte, n, j->words,
                             j->bits + from * j->words + w);
        }
}

weft_err weft_bits_pack(weft_ctx *c, weft_dtype t, const void *x, int64_t cases, int64_t n,
                        float least, uint64_t *bits) {
    if (t != WEFT_U8 && t != WEFT_BOOL && t != WEFT_F32)
        return weft_fail(c, WEFT_DTYPE, "bits of %s: they are taken from u8, bool or f32",
                         weft_dtype_name(t) ? weft_dtype_name(t) : "no type");
    if (cases < 0 || n < 0)
        return weft_fail(c, WEFT_ARGUMENT, "bits of [%lld, %lld] numbers", (long long)cases,
                         (long long)n);
    bits_job j = {.kernels = sliced_kernels_of(c),
                  .x = x,
                  .cases = cases,
                  .n = n,
                  .words = WEFT_WORDS(cases),
                  .real = t == WEFT_F32,
                  .least = least,
                  .bits = bits};
    if (!j.real) {
        const float up = ceilf(least); /* bytes are whole */
        if (!(up <= 255)) {            /* no byte is as large; nothing is as large as nan */
            memset(bits, 0, (size_t)(n * j.words) * sizeof *bits);
            return WEFT_OK;
        }
        j.least_u8 = up > 0 ? (uint8_t)up : 0;
    }
    bits_pack(&j);
    return WEFT_OK;
}

void weft_bits_unpack(const uint64_t *bits, int64_t cases, int64_t n, uint8_t *x) {
    const int64_t words = WEFT_WORDS(cases);
    for (int64_t i = 0; i < cases; i++)
        for (int64_t j = 0; j < n; j++)
            x[i * n + j] = (uint8_t)(bits[j * words + i / 64] >> (i % 64) & 1);
}
