#include <math.h>
#include <string.h>

static inline unsigned k_get8(const char *b, long long i) { return (unsigned char)b[i]; }
static inline void k_put8(char *b, long long i, unsigned v) { b[i] = (char)(unsigned char)v; }
static inline void k_store_i32(char *b, long long i, int v) { memcpy(b + i * 4, &v, 4); }
static inline int k_imax(int a, int b) { return a > b ? a : b; }
static inline int k_ieq(int a, int b) { return a == b; }
static inline int k_load_i8(const char *b, long long i) { return (int)(k_get8(b, i) ^ 128u) - 128; }
static inline void k_store_u8(char *b, long long i, int v) { k_put8(b, i, (unsigned)v & 255u); }
static inline int k_ahead_i32(int x, int i, int y, int j) { return x > y || (x == y && i < j); }
static inline int k_found(int i) { return i == 2147483647 ? 0 : i; }

void argmax(char *const *at) {
    const char *b0 = at[0];
    char *b1 = at[1];
    char *b2 = at[2];
    const int r2 = 3;
    for (long long i0 = 0; i0 < 6; i0++) {
        int m1 = (-2147483647 - 1);
        int r1 = 2147483647;
        int r4 = (-2147483647 - 1);
        for (long long i1 = 0; i1 < 5; i1++) {
            for (long long i2 = 0; i2 < 70; i2++) {
                const int r0 = k_load_i8(b0, i0 * 350 + i1 + i2 * 5);
                const int r3 = k_ieq(r0, r2);
                const int p1 = (int)(i1 * 70 + i2);
                if (k_ahead_i32(r0, p1, m1, r1)) { m1 = r0; r1 = p1; }
                r4 = k_imax(r4, r3);
            }
        }
        r1 = k_found(r1);
        k_store_i32(b1, i0, r1);
        k_store_u8(b2, i0, r4);
    }
}
