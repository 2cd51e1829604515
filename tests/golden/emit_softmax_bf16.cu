static __device__ inline float k_bits(unsigned a) { return __uint_as_float(a); }
static __device__ inline unsigned k_word(float a) { return __float_as_uint(a); }
static __device__ inline unsigned k_get16(const char *b, long long i) { return ((const unsigned short *)b)[i]; }
static __device__ inline void k_put16(char *b, long long i, unsigned v) { ((unsigned short *)b)[i] = (unsigned short)v; }
static __device__ inline float k_exp(float a) { return expf(a); }
static __device__ inline float k_max(float a, float b) { const float most = a < b ? b : a; return b != b ? b : most; }
static __device__ inline unsigned k_bf16_bits(float a) {
    unsigned u = k_word(a);
    if ((u & 0x7fffffffu) > 0x7f800000u) return u >> 16 | 64u;
    return (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
}
static __device__ inline float k_bf16(unsigned h) { return k_bits(h << 16); }
static __device__ inline float k_load_bf16(const char *b, long long i) { return k_bf16(k_get16(b, i)); }
static __device__ inline void k_store_bf16(char *b, long long i, float v) { k_put16(b, i, k_bf16_bits(v)); }
static __device__ inline float k_fold_sum_f32(float v, int t) {
    __shared__ float tile[256];
    tile[t] = v;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) tile[t] = tile[t] + tile[t + s];
        __syncthreads();
    }
    v = tile[0];
    __syncthreads();
    return v;
}
static __device__ inline float k_fold_max_f32(float v, int t) {
    __shared__ float tile[256];
    tile[t] = v;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) tile[t] = k_max(tile[t], tile[t + s]);
        __syncthreads();
    }
    v = tile[0];
    __syncthreads();
    return v;
}

extern "C" __global__ void __launch_bounds__(256) softmax_bf16(const char *b0, char *b1) {
    const int t = threadIdx.x, group = blockIdx.x, groups = gridDim.x;
    for (int e = group; e < 7; e += groups) {
        const int i0 = e;
        float r1 = k_bits(0xff800000u);
        for (int j = t; j < 36; j += 256) {
            const int i1 = j;
            const float r0 = k_load_bf16(b0, i0 * 36 + i1);
            r1 = k_max(r1, r0);
        }
        r1 = k_fold_max_f32(r1, t);
        float r4 = 0.0f;
        for (int j = t; j < 36; j += 256) {
            const int i1 = j;
            const float r0 = k_load_bf16(b0, i0 * 36 + i1);
            const float r2 = r0 - r1;
            const float r3 = k_exp(r2);
            r4 = r4 + r3;
        }
        r4 = k_fold_sum_f32(r4, t);
        for (int j = t; j < 36; j += 256) {
            const int i1 = j;
            const float r0 = k_load_bf16(b0, i0 * 36 + i1);
            const float r2 = r0 - r1;
            const float r3 = k_exp(r2);
            const float r5 = r3 / r4;
            k_store_bf16(b1, i0 * 36 + i1, r5);
        }
    }
}
