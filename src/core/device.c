/* device.c - host memory as a device's: blocks are addresses, and everything is done at once. */
#include "core/device.h"
#include "core/context.h"
#include <assert.h>

static void *device_host_alloc(weft_ctx *c, size_t bytes) {
    return mem_new_aligned(&c->m, bytes);
}

static void device_host_drop(weft_ctx *c, void *block) {
    mem_free_aligned(&c->m, block);
}

static weft_err device_host_write(weft_ctx *c, void *block, size_t at, const void *from,
                                  size_t bytes) {
    (void)c;
    if (bytes) memcpy((char *)block + at, from, bytes);
    return WEFT_OK;
}

static weft_err device_host_read(weft_ctx *c, void *block, size_t at, void *to, size_t bytes,
                                 device_ticket *t) {
    (void)c;
    if (bytes) memcpy(to, (const char *)block + at, bytes);
    *t = 0;
    return WEFT_OK;
}

static weft_err device_host_wait(weft_ctx *c, device_ticket t) {
    (void)c, (void)t;
    assert(!t);
    return WEFT_OK;
}

const device_memory device_host = {
    .host = true,
    .alloc = device_host_alloc,
    .drop = device_host_drop,
    .write = device_host_write,
    .read = device_host_read,
    .wait = device_host_wait,
};

weft_err device_get(weft_ctx *c, void *block, size_t at, void *to, size_t bytes) {
    device_ticket t = 0;
    WEFT_TRY(c->memory->read(c, block, at, to, bytes, &t));
    return c->memory->wait(c, t);
}
