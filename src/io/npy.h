/* npy.h - the header of a .npy file, which npz needs too. */
#ifndef WEFT_IO_NPY_H
#define WEFT_IO_NPY_H

#include "base/reader.h"
#include "base/text.h"
#include "weft/io.h"

enum { NPY_MAX_HEADER = 65536, NPY_LONGEST_START = 12 }; /* magic, version, length */

typedef struct npy_header {
    weft_file_type type;
    bool big_endian, fortran;
    weft_shape dims;
    uint64_t bytes; /* of the values */
} npy_header;

/* Bytes before the values, from the first NPY_LONGEST_START bytes (or what there is of them). */
weft_err npy_start(reader *r, uint64_t *size);
weft_err npy_header_read(reader *r, npy_header *out); /* r->at is then where values begin */
void npy_header_write(text *b, weft_file_type type, const weft_shape *dims);

#endif
