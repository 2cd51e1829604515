static __device__ inline unsigned k_get8(const char *b, long long i) { return ((const unsigned char *)b)[i]; }
static __device__ inline void k_put8(char *b, long long i, unsigned v) { ((unsigned char *)b)[i] = (unsigned char)v; }
static __device__ inline void k_store_i32(char *b, long long i, int v) { ((int *)b)[i] = v; }
static __device__ inline int k_imax(int a, int b) { return a > b ? a : b; }
static __device__ inline int k_ieq(int a, int b) { return a == b; }
static __device__ inline int k_load_i8(const char *b, long long i) { return (int)(k_get8(b, i) ^ 128u) - 128; }
static __device__ inline void k_store_u8(char *b, long long i, int v) { k_put8(b, i, (unsigned)v & 255u); }
static __device__ inline int k_ahead_i32(int x, int i, int y, int j) { return x > y || (x == y && i < j); }
static __device__ inline int k_found(int i) { return i == 2147483647 ? 0 : i; }
static __device__ inline int k_fold_max_i32(int v, int t) {
    __shared__ int tile[256];
    tile[t] = v;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) tile[t] = k_imax(tile[t], tile[t + s]);
        __syncthreads();
    }
    v = tile[0];
    __syncthreads();
    return v;
}
static __device__ inline int k_fold_argmax_i32(int v, int place, int t) {
    __shared__ int tile[256];
    __shared__ int places[256];
    tile[t] = v;
    places[t] = place;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s && k_ahead_i32(tile[t + s], places[t + s], tile[t], places[t])) {
            tile[t] = tile[t + s];
            places[t] = places[t + s];
        }
        __syncthreads();
    }
    place = places[0];
    __syncthreads();
    return k_found(place);
}

extern "C" __global__ void __launch_bounds__(256) argmax(const char *b0, char *b1, char *b2) {
    const int t = threadIdx.x, group = blockIdx.x, groups = gridDim.x;
    const int r2 = 3;
    for (int e = group; e < 6; e += groups) {
        const int i0 = e;
        int m1 = (-2147483647 - 1);
        int r1 = 2147483647;
        int r4 = (-2147483647 - 1);
        for (int j = t; j < 350; j += 256) {
            const int i2 = j % 70;
            const int i1 = j / 70;
            const int r0 = k_load_i8(b0, i0 * 350 + i1 + i2 * 5);
            const int r3 = k_ieq(r0, r2);
            const int p1 = (int)(j);
            if (k_ahead_i32(r0, p1, m1, r1)) { m1 = r0; r1 = p1; }
            r4 = k_imax(r4, r3);
        }
        r1 = k_fold_argmax_i32(m1, r1, t);
        r4 = k_fold_max_i32(r4, t);
        if (t == 0) {
            k_store_i32(b1, i0, r1);
            k_store_u8(b2, i0, r4);
        }
    }
}
