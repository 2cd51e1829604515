/* crc.c - CRC-32C, which checkpoints and event files carry, and the CRC-32 of zip.
 *
 * x86 has an instruction for the first (SSE 4.2), found at run time. Otherwise both go through
 * tables: of 16 words for short pieces, and for long ones of 8 x 256, made on the stack each time,
 * which costs about as much as 2 KiB of input and leaves no global behind. */
#include "base/crc.h"
#include <string.h>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
#define CRC_X86 1
#include <nmmintrin.h>
#else
#define CRC_X86 0
#endif

enum { CRC_LONG = 4096 };
#define CRC_CASTAGNOLI 0x82f63b78u /* both bit-reversed: the lowest bit is the highest power */
#define CRC_ZIP        0xedb88320u

static uint32_t crc_shift(uint32_t v, uint32_t polynomial, int bits) {
    while (bits--) v = v >> 1 ^ (polynomial & (0u - (v & 1)));
    return v;
}

static uint32_t crc_short(uint32_t v, uint32_t polynomial, const unsigned char *p, size_t n) {
    uint32_t half[16];
    for (uint32_t i = 0; i < 16; i++) half[i] = crc_shift(i, polynomial, 4);
    for (; n; n--) {
        v ^= *p++;
        v = v >> 4 ^ half[v & 15];
        v = v >> 4 ^ half[v & 15];
    }
    return v;
}

/* table[k][b]: what byte b does to the sum when k bytes follow it. */
static uint32_t crc_long(uint32_t v, uint32_t polynomial, const unsigned char *p, size_t n) {
    uint32_t table[8][256];
    for (uint32_t b = 0; b < 256; b++) table[0][b] = crc_shift(b, polynomial, 8);
    for (int k = 1; k < 8; k++)
        for (int b = 0; b < 256; b++)
            table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + 4, 4);
        low ^= v;
        v = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^
            table[4][low >> 24] ^ table[3][high & 255] ^ table[2][high >> 8 & 255] ^
            table[1][high >> 16 & 255] ^ table[0][high >> 24];
    }
    return crc_short(v, polynomial, p, n);
}

static uint32_t crc_tables(uint32_t v, uint32_t polynomial, const void *bytes, size_t n) {
    return n < CRC_LONG ? crc_short(v, polynomial, bytes, n) : crc_long(v, polynomial, bytes, n);
}

#if CRC_X86
__attribute__((target("sse4.2"))) static uint32_t
crc_instruction(uint32_t v, const unsigned char *p, size_t n) {
#if defined(__x86_64__)
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        v = (uint32_t)_mm_crc32_u64(v, word);
    }
#endif
    for (; n; n--) v = _mm_crc32_u8(v, *p++);
    return v;
}
#endif

uint32_t crc_plain(uint32_t crc, const void *bytes, size_t n) {
    return ~crc_tables(~crc, CRC_CASTAGNOLI, bytes, n);
}

uint32_t crc_32c(uint32_t crc, const void *bytes, size_t n) {
#if CRC_X86
    if (__builtin_cpu_supports("sse4.2")) return ~crc_instruction(~crc, bytes, n);
#endif
    return crc_plain(crc, bytes, n);
}

uint32_t crc_zip(uint32_t crc, const void *bytes, size_t n) {
    return ~crc_tables(~crc, CRC_ZIP, bytes, n);
}
