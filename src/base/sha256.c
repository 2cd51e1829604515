/* sha256.c - SHA-256 (FIPS 180-4), plainly. The constants are the first bits of the fractional
 * parts of the square and cube roots of the first primes. */
#include "base/sha256.h"
#include <string.h>

static const uint32_t sha256_first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint32_t sha256_round[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t sha256_turn(uint32_t v, int by) {
    return v >> by | v << (32 - by);
}

static void sha256_block(uint32_t h[8], const unsigned char *p) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int i = 16; i < 64; i++) {
        uint32_t p15 = w[i - 15], p2 = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (sha256_turn(p15, 7) ^ sha256_turn(p15, 18) ^ p15 >> 3) +
               (sha256_turn(p2, 17) ^ sha256_turn(p2, 19) ^ p2 >> 10);
    }
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], o = h[7];
    for (int i = 0; i < 64; i++) {
        uint32_t x = o + (sha256_turn(e, 6) ^ sha256_turn(e, 11) ^ sha256_turn(e, 25)) +
                     ((e & f) ^ (~e & g)) + sha256_round[i] + w[i];
        uint32_t y = (sha256_turn(a, 2) ^ sha256_turn(a, 13) ^ sha256_turn(a, 22)) +
                     ((a & b) ^ (a & c) ^ (b & c));
        o = g, g = f, f = e, e = d + x;
        d = c, c = b, b = a, a = x + y;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += o;
}

void sha256_start(sha256 *s) {
    *s = (sha256){0};
    memcpy(s->h, sha256_first, sizeof s->h);
}

void sha256_add(sha256 *s, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    size_t held = (size_t)(s->n % 64);
    s->n += n;
    if (held) {
        size_t take = n < 64 - held ? n : 64 - held;
        memcpy(s->block + held, p, take);
        p += take, n -= take;
        if (held + take < 64) return;
        sha256_block(s->h, s->block);
    }
    for (; n >= 64; n -= 64, p += 64) sha256_block(s->h, p);
    if (n) memcpy(s->block, p, n);
}

void sha256_end(sha256 *s, char out[65]) {
    static const unsigned char pad[72] = {0x80};
    static const char digit[] = "0123456789abcdef";
    uint64_t bits = s->n * 8;
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(s, pad, (size_t)((119 - s->n % 64) % 64 + 1));
    sha256_add(s, length, 8);
    for (int i = 0; i < 64; i++) out[i] = digit[s->h[i / 8] >> (28 - 4 * (i % 8)) & 15];
    out[64] = 0;
}

void sha256_of(const void *bytes, size_t n, char out[65]) {
    sha256 s;
    sha256_start(&s);
    if (n) sha256_add(&s, bytes, n);
    sha256_end(&s, out);
}
