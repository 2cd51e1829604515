/* backend.c - the list of devices, and contexts opened and closed with the device that a name means. */
#include "backend/backend.h"
#include "core/limits.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    const weft_backend *is;
} backend_list[] = {
#define DEVICE(name, backend) {name, &backend},
#include "backend/devices.def"
};
enum { BACKEND_NAMES = sizeof backend_list / sizeof backend_list[0] };

/* WEFT_DEVICE names the device to open in place of the CPU, so that programs, and the tests, are tried
 * on another one as they are. */
static const char *backend_meant(const char *name) {
    const char *instead = getenv("WEFT_DEVICE");
    const bool cpu = !strcmp(name, "auto") || !strcmp(name, "best") || !strcmp(name, "cpu");
    return cpu && instead && *instead ? instead : name;
}

const weft_backend *backend_find(const char *name) {
    for (size_t i = 0; i < BACKEND_NAMES; i++)
        if (strcmp(name, backend_list[i].name) == 0) return backend_list[i].is;
    return NULL;
}

static void backend_unknown(const char *name) {
    char all[100] = "";
    for (size_t i = 0, at = 0; i < BACKEND_NAMES && at < sizeof all; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s\"%s\"", i ? ", " : "",
                               backend_list[i].name);
    weft_fail(NULL, WEFT_DEVICE, "weft_open: unknown device \"%s\"; available: %s", name, all);
}

/* ---- opening ---- */

static void *backend_realloc(void *user, void *p, size_t bytes) {
    (void)user;
    if (bytes) return realloc(p, bytes);
    free(p);
    return NULL;
}

static int backend_variable(const char *variable, int otherwise) {
    const char *s = getenv(variable);
    return s && *s ? atoi(s) : otherwise;
}

weft_ctx *weft_open_with(const weft_open_desc *d) {
    static const weft_open_desc none;
    if (!d) d = &none;
    const char *device = backend_meant(d->device ? d->device : "auto");
    const weft_backend *b = backend_find(device);
    if (!b) {
        backend_unknown(device);
        return NULL;
    }
    const int threads = d->threads > 0 ? d->threads : backend_variable("WEFT_THREADS", 0);
    if (threads > LIMIT_THREADS) {
        weft_fail(NULL, WEFT_ARGUMENT, "weft_open: %d threads%s, at most %d are allowed", threads,
                  d->threads > 0 ? "" : " (WEFT_THREADS)", LIMIT_THREADS);
        return NULL;
    }
    mem m = {
        .resize = d->resize ? d->resize : backend_realloc, .user = d->user, .plain = !d->resize};
    weft_ctx *c = mem_new(&m, sizeof *c);
    if (!c) {
        weft_fail(NULL, WEFT_MEMORY, "weft_open: out of memory");
        return NULL;
    }
    c->m = m;
    c->backend = b;
    c->memory = b->memory;
    c->traits = b->traits ? b->traits : backend_cpu.traits;
    assert(c->traits->kernel_views <= TRAITS_VIEWS && c->traits->sum_pieces > 0);
    c->log = d->log;
    c->log_user = d->user;
    c->debug = backend_variable("WEFT_DEBUG", 0);
    c->no_fuse = backend_variable("WEFT_FUSE", 1) == 0;
    const char *blocks = getenv("WEFT_BLOCKS");
    c->no_blocks = blocks && strcmp(blocks, "none") == 0;
    c->threads = threads;
    if (b->open(c, d) != WEFT_OK) {
        m = c->m;
        mem_free(&m, c);
        return NULL;
    }
    return c;
}

weft_ctx *weft_open(const char *device) {
    return weft_open_with(&(weft_open_desc){.device = device});
}

void weft_close(weft_ctx *c) {
    if (!c) return;
    weft_state_free(c->own);
    c->backend->close(c);
    mem m = c->m;
    mem_free(&m, c);
}

const char *weft_device_name(const weft_ctx *c) {
    return c ? c->backend->name : "";
}
const char *weft_device_isa(const weft_ctx *c) {
    return c && c->backend->isa ? c->backend->isa(c) : "";
}
double weft_device_ping(weft_ctx *c, int threads) {
    return c && c->backend->ping ? c->backend->ping(c, threads) : 0;
}
