#include <math.h>
#include <string.h>

static inline float k_bits(unsigned a) { float v; memcpy(&v, &a, 4); return v; }
static inline unsigned k_word(float a) { unsigned v; memcpy(&v, &a, 4); return v; }
static inline unsigned k_get16(const char *b, long long i) {
    unsigned short v;
    memcpy(&v, b + i * 2, 2);
    return v;
}
static inline void k_put16(char *b, long long i, unsigned v) {
    unsigned short s = (unsigned short)v;
    memcpy(b + i * 2, &s, 2);
}
static inline float k_exp(float a) { return expf(a); }
static inline float k_max(float a, float b) { const float most = a < b ? b : a; return b != b ? b : most; }
static inline unsigned k_bf16_bits(float a) {
    unsigned u = k_word(a);
    if ((u & 0x7fffffffu) > 0x7f800000u) return u >> 16 | 64u;
    return (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
}
static inline float k_bf16(unsigned h) { return k_bits(h << 16); }
static inline float k_load_bf16(const char *b, long long i) { return k_bf16(k_get16(b, i)); }
static inline void k_store_bf16(char *b, long long i, float v) { k_put16(b, i, k_bf16_bits(v)); }

void softmax_bf16(char *const *at) {
    const char *b0 = at[0];
    char *b1 = at[1];
    for (long long i0 = 0; i0 < 7; i0++) {
        float r1 = k_bits(0xff800000u);
        for (long long i1 = 0; i1 < 36; i1++) {
            const float r0 = k_load_bf16(b0, i0 * 36 + i1);
            r1 = k_max(r1, r0);
        }
        float r4 = 0.0f;
        double w4 = 0.0;
        for (long long i1 = 0; i1 < 36; i1++) {
            const float r0 = k_load_bf16(b0, i0 * 36 + i1);
            const float r2 = r0 - r1;
            const float r3 = k_exp(r2);
            w4 += (double)r3;
        }
        r4 = (float)w4;
        for (long long i1 = 0; i1 < 36; i1++) {
            const float r0 = k_load_bf16(b0, i0 * 36 + i1);
            const float r2 = r0 - r1;
            const float r3 = k_exp(r2);
            const float r5 = r3 / r4;
            k_store_bf16(b1, i0 * 36 + i1, r5);
        }
    }
}
