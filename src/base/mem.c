/* mem.c - memory from an allocator that can be exchanged, growing arrays, arenas. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* for madvise */
#endif
#include "base/mem.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

static void mem_counted(mem *m, size_t bytes) {
    atomic_fetch_add_explicit(&m->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&m->bytes, bytes, memory_order_relaxed);
}

void *mem_resize(mem *m, void *p, size_t bytes) {
    if (!m) return NULL;
    mem_counted(m, bytes);
    return m->resize(m->user, p, bytes ? bytes : 1);
}

void *mem_new(mem *m, size_t bytes) {
    void *p = mem_resize(m, NULL, bytes);
    if (p) memset(p, 0, bytes);
    return p;
}

void mem_free(mem *m, void *p) {
    if (m && p) m->resize(m->user, p, 0);
}

/* Asks for pages of 2 MiB, before the block is first touched: reading all over a table of hundreds
 * of megabytes is then a sixth faster. Advice only, so it may fail. */
static void mem_large_pages(char *block, size_t bytes) {
    enum { LEAST = 1 << 20, PAGE = 2 << 20 };
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const uintptr_t from = ((uintptr_t)block + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    const uintptr_t to = ((uintptr_t)block + bytes) & ~(uintptr_t)(PAGE - 1);
    if (bytes >= LEAST && to > from) madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

/* The word before the returned block remembers where the whole block began. Large blocks come zeroed
 * from the system, page by page when they are first written, by whichever thread that is. */
enum { MEM_FRESH = 1 << 20 };
void *mem_new_aligned(mem *m, size_t bytes) {
    enum { BOUNDARY = 256 };
    if (bytes > SIZE_MAX - 2 * BOUNDARY) return NULL;
    const size_t all = bytes + BOUNDARY + sizeof(void *);
    const bool fresh = m->plain && all >= MEM_FRESH;
    char *whole = fresh ? calloc(1, all) : mem_resize(m, NULL, all);
    if (!whole) return NULL;
    if (fresh) mem_counted(m, all);
    uintptr_t at = ((uintptr_t)whole + sizeof(void *) + BOUNDARY - 1) & ~(uintptr_t)(BOUNDARY - 1);
    memcpy((void *)(at - sizeof whole), &whole, sizeof whole);
    mem_large_pages((char *)at, bytes);
    return fresh ? (void *)at : memset((void *)at, 0, bytes);
}

void mem_free_aligned(mem *m, void *p) {
    if (!p) return;
    char *whole;
    memcpy(&whole, (char *)p - sizeof whole, sizeof whole);
    mem_free(m, whole);
}

bool mem_room(mem *m, void *array, size_t count, size_t *capacity, size_t element) {
    if (count < *capacity) return true;
    size_t grown = *capacity + *capacity / 2 + 16;
    if (grown > SIZE_MAX / element) return false;
    void *old;
    memcpy(&old, array, sizeof old);
    void *p = mem_resize(m, old, grown * element);
    if (!p) return false;
    memcpy(array, &p, sizeof p);
    *capacity = grown;
    return true;
}

struct arena_page {
    arena_page *next;
    max_align_t data[];
};

void *arena_new(arena *a, size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    if (!a->page || a->used + bytes > a->size) {
        size_t size = bytes > 8192 ? bytes : 8192;
        arena_page *page = mem_resize(a->m, NULL, sizeof *page + size);
        if (!page) return NULL;
        page->next = a->page;
        a->page = page;
        a->used = 0;
        a->size = size;
    }
    void *p = (char *)a->page->data + a->used;
    a->used += bytes;
    return memset(p, 0, bytes);
}

char *arena_text(arena *a, const char *s) {
    size_t n = strlen(s) + 1;
    char *p = arena_new(a, n);
    return p ? memcpy(p, s, n) : NULL;
}

void arena_free(arena *a) {
    for (arena_page *page = a->page; page;) {
        arena_page *next = page->next;
        mem_free(a->m, page);
        page = next;
    }
    a->page = NULL;
    a->used = a->size = 0;
}
