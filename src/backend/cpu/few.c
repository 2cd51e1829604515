/* few.c - the loops of few.h, built once per instruction set from few.inc. */
#include "few.h"

#include "base/compiler.h"
#include "base/number.h"

#include <string.h>
#if WEFT_X86
#include <immintrin.h>
#endif

static float few_one_bf16(const char *p) {
    uint16_t h;
    memcpy(&h, p, sizeof h);
    return float_of((uint32_t)h << 16);
}

static float few_one_i8(const char *p) {
    return (float)*(const signed char *)p;
}

/* What vectors leave over: c = (add ? c : 0) + the sum over `rows` rows of x times weights. */
#define FEW_REST(type, size)                                                                       \
    static void few_rest_##type(float *c, const float *x, const char *w, int64_t row,              \
                                int64_t rows, int64_t n, bool add) {                               \
        for (int64_t j = 0; j < n; j++) {                                                          \
            float v = add ? c[j] : 0;                                                              \
            for (int64_t r = 0; r < rows; r++) v += x[r] * few_one_##type(w + r * row + j * size); \
            c[j] = v;                                                                              \
        }                                                                                          \
    }
FEW_REST(bf16, 2)
FEW_REST(i8, 1)
#undef FEW_REST

#if WEFT_X86
WEFT_TARGET_BEGIN_256
#define FEW_LANES 8
#define FEW_WORD  256
#include "few.inc"
WEFT_TARGET_END

WEFT_TARGET_BEGIN_512
#define FEW_LANES 16
#define FEW_WORD  512
#include "few.inc"
WEFT_TARGET_END
#endif

const few_table *few_of(isa level) {
#if WEFT_X86
    if (level == ISA_512) return &few_512;
    if (level == ISA_256) return &few_256;
#else
    (void)level, (void)few_rest_bf16, (void)few_rest_i8;
#endif
    return NULL;
}
