/* write.h - writers of one format each. */
#ifndef WEFT_IO_WRITE_H
#define WEFT_IO_WRITE_H

#include "io/archive.h"
#include "base/text.h"

/* previous: what the file that was there is called from now on; NULL: it is gone. inside: as for
 * file_begin. */
weft_err safetensors_write(weft_archive *a, const char *path, size_t inside, bool checksums,
                           const char *previous);
weft_err shards_write(weft_archive *a, const char *path, const weft_write_desc *d);
weft_err npy_write(weft_archive *a, const char *path);
weft_err npz_write(weft_archive *a, const char *path);

/* The length and header of a safetensors file with the arrays at[0..n), which are put in the order
 * in which their values follow. */
weft_err safetensors_header(weft_archive *a, uint32_t *at, size_t n, bool texts, bool checksums,
                            text *out);

#endif
