/* prelude_cuda.c - the helpers of emitted CUDA that C has differently: bits, memory, and folds
 * over a block of 256 threads. The arithmetic is that of prelude_c.c. NVRTC has no headers and
 * needs none. */
#include "kern/prelude.h"
#include <stddef.h>

/* clang-format off */

const prelude_part prelude_cuda[] = {
    PRELUDE(k_bits, float k_bits(unsigned a) { return __uint_as_float(a); }),
    PRELUDE(k_word, unsigned k_word(float a) { return __float_as_uint(a); }),
    PRELUDE(k_get8, unsigned k_get8(const char *b, long long i) {
        return ((const unsigned char *)b)[i]; }),
    PRELUDE(k_get16, unsigned k_get16(const char *b, long long i) {
        return ((const unsigned short *)b)[i]; }),
    PRELUDE(k_put8, void k_put8(char *b, long long i, unsigned v) {
        ((unsigned char *)b)[i] = (unsigned char)v; }),
    PRELUDE(k_put16, void k_put16(char *b, long long i, unsigned v) {
        ((unsigned short *)b)[i] = (unsigned short)v; }),
    PRELUDE(k_load_f32, float k_load_f32(const char *b, long long i) {
        return ((const float *)b)[i]; }),
    PRELUDE(k_load_i32, int k_load_i32(const char *b, long long i) { return ((const int *)b)[i]; }),
    PRELUDE(k_store_f32, void k_store_f32(char *b, long long i, float v) { ((float *)b)[i] = v; }),
    PRELUDE(k_store_i32, void k_store_i32(char *b, long long i, int v) { ((int *)b)[i] = v; }),
    { NULL, NULL },
};

/* Every thread brings a value and gets the fold of all. The last barrier lets the tile be used
 * again. */
#define CUDA_FOLD(name, type, join)                                                                \
    PRELUDE(name, type name(type v, int t) {                                                       \
        __shared__ type tile[256];                                                                 \
        tile[t] = v;                                                                               \
        __syncthreads();                                                                           \
        for (int s = 128; s > 0; s >>= 1) {                                                        \
            if (t < s) tile[t] = join;                                                             \
            __syncthreads();                                                                       \
        }                                                                                          \
        v = tile[0];                                                                               \
        __syncthreads();                                                                           \
        return v;                                                                                  \
    })
#define CUDA_FOLD_PLACE(name, type, ahead)                                                         \
    PRELUDE(name, int name(type v, int place, int t) {                                             \
        __shared__ type tile[256];                                                                 \
        __shared__ int places[256];                                                                \
        tile[t] = v;                                                                               \
        places[t] = place;                                                                         \
        __syncthreads();                                                                           \
        for (int s = 128; s > 0; s >>= 1) {                                                        \
            if (t < s && ahead(tile[t + s], places[t + s], tile[t], places[t])) {                  \
                tile[t] = tile[t + s];                                                             \
                places[t] = places[t + s];                                                         \
            }                                                                                      \
            __syncthreads();                                                                       \
        }                                                                                          \
        place = places[0];                                                                         \
        __syncthreads();                                                                           \
        return k_found(place);                                                                     \
    })

const prelude_part prelude_cuda_fold[] = {
    CUDA_FOLD(k_fold_sum_f32, float, tile[t] + tile[t + s]),
    CUDA_FOLD(k_fold_sum_i32, int, k_iadd(tile[t], tile[t + s])),
    CUDA_FOLD(k_fold_max_f32, float, k_max(tile[t], tile[t + s])),
    CUDA_FOLD(k_fold_max_i32, int, k_imax(tile[t], tile[t + s])),
    CUDA_FOLD(k_fold_prod_f32, float, tile[t] * tile[t + s]),
    CUDA_FOLD(k_fold_prod_i32, int, k_imul(tile[t], tile[t + s])),
    CUDA_FOLD_PLACE(k_fold_argmax_f32, float, k_ahead_f32),
    CUDA_FOLD_PLACE(k_fold_argmax_i32, int, k_ahead_i32),
    { NULL, NULL },
};
#undef CUDA_FOLD
#undef CUDA_FOLD_PLACE
