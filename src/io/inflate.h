/* inflate.h - unpacking deflate (RFC 1951), in memory of a fixed size. */
#ifndef WEFT_IO_INFLATE_H
#define WEFT_IO_INFLATE_H

#include "weft/io.h"

enum {
    INFLATE_WINDOW = 32768,
    INFLATE_FAST_BITS = 10, /* codes up to here are found by one look */
    INFLATE_MAX_BITS = 15,
    INFLATE_MAX_RATIO = 1032 /* no stream grows more: a match of 258 bytes takes 2 bits */
};

/* A set of prefix codes. fast[bits]: symbol << 4 | length, or 0 for a longer code, which is found
 * by counting: codes of one length are consecutive numbers, and symbol[] has them in order. */
typedef struct inflate_codes {
    uint16_t fast[1 << INFLATE_FAST_BITS];
    uint16_t count[INFLATE_MAX_BITS + 1];
    uint16_t symbol[288];
} inflate_codes;

typedef struct inflate {
    const unsigned char *in;
    size_t n, at; /* input, and how much of it was taken */
    /* Gets the output piece by piece; false: enough, stop here. */
    bool (*sink)(void *user, const unsigned char *p, size_t n);
    void *user;
    size_t
        enough; /* stop after so many bytes or a few more, at most a window; 0: go on to the end */
    const char *wrong; /* what is wrong with the input; NULL: nothing, or stopped by the sink */

    bool stopped;
    uint64_t bits; /* taken from the input and not yet used, lowest first */
    unsigned held; /* how many */
    size_t out;    /* bytes in the window since it was last given to the sink */
    bool full;     /* the whole window has been written once */
    inflate_codes literal, distance;
    unsigned char window[INFLATE_WINDOW];
} inflate;

/* Set in, n, sink, user and enough, the rest 0. True: sound, and all of the input was taken. */
bool inflate_run(inflate *z);

#endif
