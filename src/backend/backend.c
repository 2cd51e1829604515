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

weft_err backend_check(const weft_backend *b) {
    const device_traits *t = b->traits ? b->traits : backend_cpu.traits;
    const struct {
        const char *trait;
        int64_t is, least, most;
    } row[] = {
        {"kernel_nodes", t->kernel_nodes, 1, LIMIT_REGISTERS},
        {"kernel_loads", t->kernel_loads, 1, LIMIT_VIEWS},
        {"kernel_views", t->kernel_views, 1, LIMIT_VIEWS},
        {"inline_operands", t->inline_operands, 0, LIMIT_INLINE},
        {"sum_pieces", t->sum_pieces, 1, INT32_MAX},
        {"sum_least", t->sum_least, 1, INT64_MAX},
        {"cell_pieces", t->cell_pieces, 1, INT32_MAX},
        {"cell_least", t->cell_least, 1, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (row[i].is < row[i].least || row[i].is > row[i].most)
            return weft_fail(
                NULL, WEFT_DEVICE,
                "weft_open: device \"%s\": its trait %s is %lld, %lld to %lld was expected",
                b->name, row[i].trait, (long long)row[i].is, (long long)row[i].least,
                (long long)row[i].most);
    return WEFT_OK;
}

static void backend_unknown(const char *name, bool meant) {
    char all[100] = "";
    for (size_t i = 0, at = 0; i < BACKEND_NAMES && at < sizeof all; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "",
                               backend_list[i].name);
    weft_fail(NULL, WEFT_DEVICE, "weft_open: unknown device \"%s\"%s; available: %s", name,
              meant ? " (WEFT_DEVICE)" : "", all);
}

/* ---- the environment ---- */

/* The number of a variable that is set, and not to nothing. */
static weft_err backend_number(const char *variable, int least, int most, int *out) {
    const char *s = getenv(variable);
    if (!s || !*s) return WEFT_OK;
    char *end;
    const long v = strtol(s, &end, 10);
    if (*s < '0' || *s > '9' || *end || v < least || v > most)
        return weft_fail(NULL, WEFT_ARGUMENT,
                         "weft_open: %s is \"%.40s\", a number from %d to %d was expected",
                         variable, s, least, most);
    *out = (int)v;
    return WEFT_OK;
}

typedef struct backend_variables {
    int threads, isa, debug, fuse;
    bool no_blocks;
} backend_variables;

static weft_err backend_environment(backend_variables *v) {
    *v = (backend_variables){.isa = 512, .fuse = 1};
    WEFT_TRY(backend_number("WEFT_THREADS", 1, LIMIT_THREADS, &v->threads));
    WEFT_TRY(backend_number("WEFT_ISA", 128, 512, &v->isa)); /* isa.c reads it again */
    WEFT_TRY(backend_number("WEFT_DEBUG", 0, 4, &v->debug));
    WEFT_TRY(backend_number("WEFT_FUSE", 0, 1, &v->fuse));
    if (v->isa != 128 && v->isa != 256 && v->isa != 512)
        return weft_fail(NULL, WEFT_ARGUMENT,
                         "weft_open: WEFT_ISA is %d, 128, 256 or 512 was expected", v->isa);
    const char *blocks = getenv("WEFT_BLOCKS");
    v->no_blocks = blocks && strcmp(blocks, "none") == 0;
    if (blocks && *blocks && !v->no_blocks && strcmp(blocks, "all") != 0)
        return weft_fail(NULL, WEFT_ARGUMENT,
                         "weft_open: WEFT_BLOCKS is \"%.40s\", none or all was expected", blocks);
    return WEFT_OK;
}

/* ---- opening ---- */

static void *backend_realloc(void *user, void *p, size_t bytes) {
    (void)user;
    if (bytes) return realloc(p, bytes);
    free(p);
    return NULL;
}

weft_ctx *weft_open_with(const weft_open_desc *d) {
    static const weft_open_desc none;
    if (!d) d = &none;
    const char *asked = d->device ? d->device : "auto", *device = backend_meant(asked);
    const weft_backend *b = backend_find(device);
    backend_variables v;
    if (b && backend_check(b) != WEFT_OK) return NULL;
    if (!b) {
        backend_unknown(device, device != asked);
        return NULL;
    }
    if (d->threads < 0 || d->threads > LIMIT_THREADS) {
        weft_fail(NULL, WEFT_ARGUMENT, "weft_open: .threads is %d, 0 to %d was expected",
                  d->threads, LIMIT_THREADS);
        return NULL;
    }
    if (backend_environment(&v) != WEFT_OK) return NULL;
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
    c->log = d->log;
    c->log_user = d->user;
    c->debug = v.debug;
    c->no_fuse = !v.fuse;
    c->no_blocks = v.no_blocks;
    c->threads = d->threads ? d->threads : v.threads;
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
