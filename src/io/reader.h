/* reader.h - what the parsers share besides weft_reader: whose fault an offset is, and names. */
#ifndef WEFT_IO_READER_H
#define WEFT_IO_READER_H

#include "io/checked.h"

enum { NAME_MAX_BYTES = 1024, FIELD_BYTES = 96 };

#define IO_TRY(call)                                                                               \
    do {                                                                                           \
        weft_err io_try_ = (call);                                                                 \
        if (io_try_ != WEFT_OK) return io_try_;                                                    \
    } while (0)

/* A path as messages show it: its end, since that is what tells files apart. */
const char *reader_path(const char *path);

/* Is this a name: UTF-8, 1 to NAME_MAX_BYTES bytes, no control characters? */
bool reader_is_name(const char *s, size_t n);

/* field: "shape of \"fc.weight\"", shortened with dots where the name is long. Gives field. */
const char *reader_field(char field[FIELD_BYTES], const char *what, const char *name);

#endif
