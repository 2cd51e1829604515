#include <math.h>
#include <string.h>

static inline float k_bits(unsigned a) { float v; memcpy(&v, &a, 4); return v; }
static inline float k_load_f32(const char *b, long long i) { float v; memcpy(&v, b + i * 4, 4); return v; }
static inline void k_store_f32(char *b, long long i, float v) { memcpy(b + i * 4, &v, 4); }
static inline void k_store_i32(char *b, long long i, int v) { memcpy(b + i * 4, &v, 4); }
static inline float k_exp(float a) { return expf(a); }

void padded(char *const *at) {
    const char *b0 = at[0];
    char *b1 = at[1];
    char *b2 = at[2];
    for (long long i0 = 0; i0 < 4; i0++) {
        for (long long i1 = 0; i1 < 9; i1++) {
            float r0 = k_bits(0xff800000u);
            if (i1 >= 2 && i1 < 8) {
                r0 = k_load_f32(b0, i0 * 6 + i1 - 2);
            }
            const float r1 = k_exp(r0);
            int r2 = -7;
            if (i1 >= 2 && i1 < 8) {
                r2 = (int)(i0 * 10 + i1 - 2);
            }
            k_store_f32(b1, i0 * 9 + i1, r1);
            k_store_i32(b2, i0 * 9 + i1, r2);
        }
    }
}
