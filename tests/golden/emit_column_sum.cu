static __device__ inline float k_bits(unsigned a) { return __uint_as_float(a); }
static __device__ inline void k_put8(char *b, long long i, unsigned v) { ((unsigned char *)b)[i] = (unsigned char)v; }
static __device__ inline float k_load_f32(const char *b, long long i) { return ((const float *)b)[i]; }
static __device__ inline void k_store_f32(char *b, long long i, float v) { ((float *)b)[i] = v; }
static __device__ inline float k_max(float a, float b) { const float most = a < b ? b : a; return b != b ? b : most; }
static __device__ inline int k_lt(float a, float b) { return a < b; }
static __device__ inline void k_store_u8(char *b, long long i, int v) { k_put8(b, i, (unsigned)v & 255u); }

extern "C" __global__ void __launch_bounds__(256) column_sum(const char *b0, const char *b1, char *b2, char *b3) {
    const int t = threadIdx.x, group = blockIdx.x, groups = gridDim.x;
    const float r9 = 0.0f;
    for (int e = group * 256 + t; e < 42; e += groups * 256) {
        const int i2 = e % 21;
        const int i0 = e / 21;
        const float r1 = k_load_f32(b1, i2);
        float r3 = 0.0f;
        float r4 = k_bits(0xff800000u);
        for (int i1 = 0; i1 < 19; i1++) {
            const float r0 = k_load_f32(b0, i0 * 399 + i1 * 21 + i2);
            const float r2 = r0 * r1;
            r3 = r3 + r2;
            r4 = k_max(r4, r0);
        }
        const int r10 = k_lt(r3, r9);
        float r6 = 1.0f;
        for (int i1 = 0; i1 < 19; i1++) {
            const float r0 = k_load_f32(b0, i0 * 399 + i1 * 21 + i2);
            const float r5 = r0 - r4;
            r6 = r6 * r5;
        }
        const float r7 = r3 + r6;
        k_store_f32(b2, i0 * 21 + i2, r7);
        k_store_u8(b3, i0 * 21 + i2, r10);
    }
}
