/* context.c - the error slot, the log, the tables' texts, and the properties of a context. Contexts
 * are opened with their device, in src/backend/backend.c. */
#include "core/context.h"
#include "base/utf8.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

_Static_assert(offsetof(weft_ctx, m) == 0, "mem_of");

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

weft_err weft_fail(weft_ctx *c, weft_err e, const char *format, ...) {
    char raw[sizeof context_none.message];
    va_list args;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    escape_text(context_none.message, sizeof context_none.message, raw); /* names may be hostile */
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
    escape_text(line, sizeof line, raw);
    if (c->log) c->log(c->log_user, line);
    else fprintf(stderr, "%s\n", line); /* only WEFT_DEBUG brings us here */
}

/* ---- what a context has and gives ---- */

int weft_threads(const weft_ctx *c) {
    return c ? c->threads : 0;
}
uint64_t weft_allocations(const weft_ctx *c) {
    return c ? c->m.count : 0;
}
uint64_t weft_allocated(const weft_ctx *c) {
    return c ? c->m.bytes : 0;
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
