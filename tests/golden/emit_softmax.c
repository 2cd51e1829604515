#include <math.h>
#include <string.h>

static inline float k_bits(unsigned a) { float v; memcpy(&v, &a, 4); return v; }
static inline float k_load_f32(const char *b, long long i) { float v; memcpy(&v, b + i * 4, 4); return v; }
static inline void k_store_f32(char *b, long long i, float v) { memcpy(b + i * 4, &v, 4); }
static inline float k_exp(float a) { return expf(a); }
static inline float k_max(float a, float b) { const float most = a < b ? b : a; return b != b ? b : most; }

void softmax(char *const *at) {
    const char *b0 = at[0];
    char *b1 = at[1];
    for (long long i0 = 0; i0 < 7; i0++) {
        float r1 = k_bits(0xff800000u);
        for (long long i1 = 0; i1 < 300; i1++) {
            const float r0 = k_load_f32(b0, i0 * 300 + i1);
            r1 = k_max(r1, r0);
        }
        float r4 = 0.0f;
        double w4 = 0.0;
        for (long long i1 = 0; i1 < 300; i1++) {
            const float r0 = k_load_f32(b0, i0 * 300 + i1);
            const float r2 = r0 - r1;
            const float r3 = k_exp(r2);
            w4 += (double)r3;
        }
        r4 = (float)w4;
        for (long long i1 = 0; i1 < 300; i1++) {
            const float r0 = k_load_f32(b0, i0 * 300 + i1);
            const float r2 = r0 - r1;
            const float r3 = k_exp(r2);
            const float r5 = r3 / r4;
            k_store_f32(b1, i0 * 300 + i1, r5);
        }
    }
}
