/* device.h - a device's memory, as core and plan use it.
 *
 * A block is a piece of the device's memory. Where the host shares that memory, a block is its
 * address; elsewhere it is a handle that only the device can follow, and nothing but `write` and
 * `read` reaches it. Writes, reads and runs take effect in the order in which they are given. A
 * ticket stands for one of them and for all before it. */
#ifndef WEFT_DEVICE_H
#define WEFT_DEVICE_H

#include "weft/weft.h"

typedef uint64_t device_ticket;   /* 0: nothing to wait for */

typedef struct device_memory {
    bool     host;                /* a block is the address of host memory                    */
    void    *(*alloc)(weft_ctx *c, size_t bytes);
        /* zeroed, aligned to 256 bytes; NULL: out of memory                                  */
    void     (*drop) (weft_ctx *c, void *block);
        /* NULL is fine; work given before may still use it, and is done first                */
    weft_err (*write)(weft_ctx *c, void *block, size_t at, const void *from, size_t bytes);
        /* `from` may change as soon as this returns                                          */
    weft_err (*read) (weft_ctx *c, void *block, size_t at, void *to, size_t bytes,
                      device_ticket *t);
        /* `to` holds the bytes once *t was waited for                                        */
    weft_err (*wait) (weft_ctx *c, device_ticket t);
        /* until it is done, and what went wrong on the way                                   */
} device_memory;

extern const device_memory device_host;                       /* the context's allocator      */

/* Read and wait. */
weft_err device_get(weft_ctx *c, void *block, size_t at, void *to, size_t bytes);

#endif
