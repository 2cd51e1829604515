/* crc.h - the checksum of zip files; weft_crc32c of io.h is the one of our own. */
#ifndef WEFT_IO_CRC_H
#define WEFT_IO_CRC_H

#include "weft/io.h"

uint32_t crc_zip(uint32_t crc, const void *bytes, size_t n);   /* start with 0 */
uint32_t crc_plain(uint32_t crc, const void *bytes, size_t n); /* weft_crc32c, on any machine */

#endif
