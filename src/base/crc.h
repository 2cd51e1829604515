/* crc.h - checksums. A checksum starts with 0; the result is the start of the next piece. */
#ifndef WEFT_BASE_CRC_H
#define WEFT_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc_32c(uint32_t crc, const void *bytes, size_t n);   /* Castagnoli's, of our own files */
uint32_t crc_plain(uint32_t crc, const void *bytes, size_t n); /* the same, on any machine */
uint32_t crc_zip(uint32_t crc, const void *bytes, size_t n);   /* of zip files */

#endif
