/* context.c - opening and closing, the error slot, the log, and the tables' texts. */
#include "core/context.h"
#include "backend/backend.h"
#include <stdio.h>
#include <stdlib.h>

const char *weft_version(void) {
    return WEFT_VERSION;
}

const char *weft_err_text(weft_err e) {
    static const char *const text[] = {
#define X(name, words) words,
        WEFT_ERRORS(X)
#undef X
    };
    return (unsigned)e < WEFT_ERR_COUNT ? text[e] : "unknown error";
}

static const struct {
    const char *name;
    size_t size;
} context_dtype[] = {
#define X(name, bytes, words) {words, bytes},
    WEFT_DTYPES(X)
#undef X
};
const char *weft_dtype_name(weft_dtype t) {
    return (unsigned)t < WEFT_DTYPE_COUNT ? context_dtype[t].name : "?";
}
size_t weft_dtype_size(weft_dtype t) {
    return (unsigned)t < WEFT_DTYPE_COUNT ? context_dtype[t].size : 0;
}

/* ---- errors: a slot per context, and one per thread for when there is no context ---- */

static _Thread_local struct {
    weft_err err;
    char message[512];
} context_none;

weft_err weft_failv(weft_ctx *c, weft_err e, const char *format, va_list args) {
    char raw[sizeof context_none.message];
    va_list again;
    va_copy(again, args);
    vsnprintf(raw, sizeof raw, format, again);
    va_end(again);
    weft_escape(context_none.message, sizeof context_none.message, raw); /* names may be hostile */
    context_none.err = e;
    if (c) { /* a plan may fail in one thread while another compiles */
        while (atomic_flag_test_and_set_explicit(&c->telling, memory_order_acquire)) {
        }
        c->err = e;
        memcpy(c->message, context_none.message, sizeof c->message);
        atomic_flag_clear_explicit(&c->telling, memory_order_release);
    }
    return e;
}

weft_err weft_fail(weft_ctx *c, weft_err e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    weft_failv(c, e, format, args);
    va_end(args);
    return e;
}

const char *weft_error(const weft_ctx *c) {
    return c ? c->message : context_none.message;
}
weft_err weft_error_code(const weft_ctx *c) {
    return c ? c->err : context_none.err;
}

void ctx_log(weft_ctx *c, const char *format, ...) {
    char raw[1024], line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    weft_escape(line, sizeof line, raw);
    if (c->log) c->log(c->log_user, line);
    else fprintf(stderr, "%s\n", line); /* only WEFT_DEBUG brings us here */
}

/* ---- opening ---- */

static void *context_realloc(void *user, void *p, size_t bytes) {
    (void)user;
    if (bytes) return realloc(p, bytes);
    free(p);
    return NULL;
}

static int context_number(const char *variable, int otherwise) {
    const char *s = getenv(variable);
    return s && *s ? atoi(s) : otherwise;
}

weft_ctx *weft_open_with(const weft_open_desc *d) {
    static const weft_open_desc none;
    if (!d) d = &none;
    const char *device = d->device ? d->device : "auto";
    const weft_backend *b = backend_find(device);
    if (!b) {
        weft_fail(
            NULL, WEFT_DEVICE,
            "weft_open: there is no device \"%s\"; \"auto\", \"cpu\", \"ref\" and \"null\" exist",
            device);
        return NULL;
    }
    mem m = {
        .resize = d->resize ? d->resize : context_realloc, .user = d->user, .plain = !d->resize};
    weft_ctx *c = mem_new(&m, sizeof *c);
    if (!c) {
        weft_fail(NULL, WEFT_MEMORY, "weft_open: out of memory");
        return NULL;
    }
    c->m = m;
    c->backend = b;
    c->log = d->log;
    c->log_user = d->user;
    c->debug = context_number("WEFT_DEBUG", 0);
    c->no_fuse = context_number("WEFT_FUSE", 1) == 0;
    const char *blocks = getenv("WEFT_BLOCKS");
    c->no_blocks = blocks && strcmp(blocks, "none") == 0;
    c->threads = d->threads > 0 ? d->threads : context_number("WEFT_THREADS", 0);
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

int weft_threads(const weft_ctx *c) {
    return c ? c->threads : 0;
}
uint64_t weft_allocations(const weft_ctx *c) {
    return c ? c->m.count : 0;
}
uint64_t weft_allocated(const weft_ctx *c) {
    return c ? c->m.bytes : 0;
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
void *weft_resize(weft_ctx *c, void *p, size_t bytes) {
    if (!c) return NULL;
    if (bytes) return mem_resize(&c->m, p, bytes);
    mem_free(&c->m, p);
    return NULL;
}
void weft_text_free(weft_ctx *c, char *text) {
    if (c) mem_free(&c->m, text);
}
