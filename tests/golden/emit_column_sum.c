#include <math.h>
#include <string.h>

static inline float k_bits(unsigned a) { float v; memcpy(&v, &a, 4); return v; }
static inline void k_put8(char *b, long long i, unsigned v) { b[i] = (char)(unsigned char)v; }
static inline float k_load_f32(const char *b, long long i) { float v; memcpy(&v, b + i * 4, 4); return v; }
static inline void k_store_f32(char *b, long long i, float v) { memcpy(b + i * 4, &v, 4); }
static inline float k_max(float a, float b) { const float most = a < b ? b : a; return b != b ? b : most; }
static inline int k_lt(float a, float b) { return a < b; }
static inline void k_store_u8(char *b, long long i, int v) { k_put8(b, i, (unsigned)v & 255u); }

void column_sum(char *const *at) {
    const char *b0 = at[0];
    const char *b1 = at[1];
    char *b2 = at[2];
    char *b3 = at[3];
    const float r9 = 0.0f;
    for (long long i0 = 0; i0 < 2; i0++) {
        for (long long i2 = 0; i2 < 21; i2++) {
            const float r1 = k_load_f32(b1, i2);
            float r3 = 0.0f;
            double w3 = 0.0;
            float r4 = k_bits(0xff800000u);
            for (long long i1 = 0; i1 < 19; i1++) {
                const float r0 = k_load_f32(b0, i0 * 399 + i1 * 21 + i2);
                const float r2 = r0 * r1;
                w3 += (double)r2;
                r4 = k_max(r4, r0);
            }
            r3 = (float)w3;
            const int r10 = k_lt(r3, r9);
            float r6 = 1.0f;
            for (long long i1 = 0; i1 < 19; i1++) {
                const float r0 = k_load_f32(b0, i0 * 399 + i1 * 21 + i2);
                const float r5 = r0 - r4;
                r6 = r6 * r5;
            }
            const float r7 = r3 + r6;
            k_store_f32(b2, i0 * 21 + i2, r7);
            k_store_u8(b3, i0 * 21 + i2, r10);
        }
    }
}
