/* base.h - what every other file stands on: memory, growing arrays, hashing, text, errors, the
 * clock.
 *
 * All memory of the library goes through a `mem`, so that a program may bring its own allocator
 * and the tests may make the n-th allocation fail. Nothing here knows of graphs or devices. */
#ifndef WEFT_BASE_H
#define WEFT_BASE_H

#include "core/compiler.h"
#include "weft/weft.h"
#include <stdarg.h>
#include <string.h>

/* ---- memory: NULL on failure, never anything worse ---- */

typedef struct mem {
    void *(*resize)(void *user, void *p, size_t bytes); /* like realloc; bytes 0 frees */
    void *user;
    bool  plain;                                        /* resize is realloc: calloc does as well */
    _Atomic uint64_t count, bytes;                      /* allocations made, and asked for; atomic
                                                           because a recorder may look any time */
} mem;

void *mem_new(mem *m, size_t bytes);                    /* zeroed                      */
void *mem_resize(mem *m, void *p, size_t bytes);
void  mem_free(mem *m, void *p);
void *mem_new_aligned(mem *m, size_t bytes);            /* zeroed, 256-byte boundary   */
void  mem_free_aligned(mem *m, void *p);

/* Make room for one more element: `array` grows by half. False when out of memory. */
bool mem_room(mem *m, void *array, size_t count, size_t *capacity, size_t element);
#define MEM_PUSH(m, a, n, cap, value) \
    (mem_room((m), &(a), (n), &(cap), sizeof *(a)) ? ((a)[(n)++] = (value), true) : false)

/* ---- an arena: many small pieces, freed at once ---- */

typedef struct arena_page arena_page;
typedef struct arena { mem *m; arena_page *page; size_t used, size; } arena;
void *arena_new(arena *a, size_t bytes);                /* zeroed, 16-byte boundary    */
char *arena_text(arena *a, const char *s);              /* a copy                      */
void  arena_free(arena *a);

/* ---- growing text ---- */

typedef struct text { mem *m; char *s; size_t n, cap; bool failed; } text;
void text_add(text *t, const char *format, ...) WEFT_FORMAT(2, 3);
void text_raw(text *t, const char *s, size_t n);
void text_escape(text *t, const char *s);               /* weft_escape of it          */

/* ---- hashing: 64 bits, the same on every machine ---- */

#define HASH_START 0x9e3779b97f4a7c15ull
uint64_t hash_bytes(uint64_t h, const void *p, size_t n);
WEFT_INLINE uint64_t hash_word(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0xff51afd7ed558ccdull;
    return h ^ (h >> 32);
}

/* ---- errors ---- */

#define WEFT_TRY(call) do { weft_err try_ = (call); if (try_ != WEFT_OK) return try_; } while (0)
weft_err weft_failv(weft_ctx *c, weft_err e, const char *format, va_list args);

/* ---- numbers ---- */

bool checked_mul(int64_t a, int64_t b, int64_t *out);   /* false on overflow or a negative factor */
/* elements; false: an extent is negative, or there are more than LIMIT_ELEMENTS */
bool shape_count(int rank, const int64_t *dim, int64_t *count);
const char *shape_text(char *buf, size_t n, int rank, const int64_t *dim); /* "[8,64,512]" */

WEFT_INLINE int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
WEFT_INLINE int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
WEFT_INLINE uint32_t bits_of(float v) { uint32_t u; memcpy(&u, &v, 4); return u; }
/* cut towards zero, saturating; nan gives 0 */
WEFT_INLINE int32_t i32_of(float v) {
    if (!(v > -2147483648.0f)) return v == v ? INT32_MIN : 0;
    return v < 2147483648.0f ? (int32_t)v : INT32_MAX;
}
WEFT_INLINE float float_of(uint32_t u) { float v; memcpy(&v, &u, 4); return v; }

#endif
