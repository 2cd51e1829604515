/* sha256.h - SHA-256, of bytes or in pieces. */
#ifndef WEFT_BASE_SHA256_H
#define WEFT_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t h[8];
    uint64_t n;              /* bytes so far */
    unsigned char block[64]; /* the last n % 64 of them */
} sha256;

void sha256_of(const void *bytes, size_t n, char out[65]); /* 64 hexadecimal digits */

void sha256_start(sha256 *s);
void sha256_add(sha256 *s, const void *bytes, size_t n);
void sha256_end(sha256 *s, char out[65]);

#endif
