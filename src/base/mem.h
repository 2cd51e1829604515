/* mem.h - memory, growing arrays, arenas.
 *
 * All memory of the library goes through a `mem`, so that a program may bring its own allocator
 * and the tests may make the n-th allocation fail. Out of memory is NULL, never anything worse. */
#ifndef WEFT_BASE_MEM_H
#define WEFT_BASE_MEM_H

#include "weft/weft.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct mem {
    void *(*resize)(void *user, void *p, size_t bytes); /* like realloc; bytes 0 frees */
    void *user;
    bool  plain;                                        /* resize is realloc: calloc does as well */
    _Atomic uint64_t count, bytes;                      /* allocations made, and asked for; atomic
                                                           because a recorder may look any time */
} mem;

/* A context begins with its memory; NULL for NULL, from which nothing is had. */
static inline mem *mem_of(weft_ctx *c) { return (mem *)c; }

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

#endif
