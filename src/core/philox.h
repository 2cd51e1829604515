/* philox.h - Philox4x32-10 for one block at a time: first values of parameters.
 *
 * The same numbers as the kernels draw: key (seed, stream), counter (element / 4, 0, run, 0);
 * the four words of a block serve four neighbouring elements, normals come in pairs by Box-
 * Muller. */
#ifndef WEFT_PHILOX_H
#define WEFT_PHILOX_H

#include "core/base.h"
#include <math.h>

WEFT_INLINE void philox_block(uint32_t seed, uint32_t stream, uint32_t run, uint32_t block,
                              uint32_t w[4]) {
    uint32_t c[4] = {block, 0, run, 0}, k0 = seed, k1 = stream;
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)0xD2511F53u * c[0], q = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k0, (uint32_t)q,
                            (uint32_t)(p >> 32) ^ c[3] ^ k1, (uint32_t)p};
        memcpy(c, next, sizeof next);
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    memcpy(w, c, sizeof c);
}

/* The four numbers of a block: uniform in [0, 1), or normal. */
WEFT_INLINE void philox_four(uint32_t seed, uint32_t stream, uint32_t run, uint32_t block,
                             bool normal, float out[4]) {
    uint32_t w[4];
    philox_block(seed, stream, run, block, w);
    for (int i = 0; i < 4; i++) out[i] = (float)(w[i] >> 8) * 0x1p-24f;
    for (int i = 0; normal && i < 4; i += 2) {
        float radius = sqrtf(-2 * logf((float)((w[i] >> 8) + 1) * 0x1p-24f)),
              angle = 6.283185307179586f * out[i + 1];
        out[i] = radius * cosf(angle);
        out[i + 1] = radius * sinf(angle);
    }
}

#endif
