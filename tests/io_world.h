/* io_world.h - what the tests of files share: a folder of their own, an allocator that counts
 * and fails on purpose, and files put together byte by byte. */
#ifndef WEFT_TEST_IO_WORLD_H
#define WEFT_TEST_IO_WORLD_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* before the first system header: mkdtemp, symlink, fdopendir */
#endif

#include "heap.h"
#include "test.h"
#include "weft/io.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory ---- */

static inline weft_ctx *heap_open(heap *k) {
    return weft_open_with(&(weft_open_desc){.threads = 1, .resize = heap_resize, .user = k});
}

/* Memory from here on: what a call takes at its height. */
static inline size_t heap_mark(heap *k) {
    k->peak = k->live;
    return k->live;
}

/* ---- a folder that goes away with the program ---- */

static char folder[256];

/* Empties a folder and removes it, through its descriptor: names need no joining. */
static inline void folder_empty(int fd) {
    DIR *d = fdopendir(fd);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (unlinkat(dirfd(d), e->d_name, 0) == 0) continue;
        int inner = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (inner >= 0) folder_empty(inner);
        unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    }
    if (d) closedir(d);
}

static inline void folder_remove(void) {
    int fd = folder[0] ? open(folder, O_RDONLY | O_DIRECTORY) : -1;
    if (fd < 0) return;
    folder_empty(fd);
    rmdir(folder);
}

/* A path in the folder; valid until the eighth call from now. */
static inline const char *in_folder(const char *name) {
    static char path[8][600];
    static int at;
    if (!folder[0]) {
        const char *base = getenv("TMPDIR");
        if (!base || !*base) base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(folder, sizeof folder, "%s/weft-io-XXXXXX", base);
        if (!mkdtemp(folder)) abort();
        atexit(folder_remove);
    }
    at = (at + 1) % 8;
    snprintf(path[at], sizeof path[at], "%s/%s", folder, name);
    return path[at];
}

/* Names in the folder that have `part` in them. */
static inline int folder_count(const char *part) {
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) n += strstr(e->d_name, part) != NULL;
    if (d) closedir(d);
    return n;
}

/* ---- bytes ---- */

typedef struct blob {
    unsigned char s[1 << 16];
    size_t n;
} blob;

static inline void blob_add(blob *b, const void *p, size_t n) {
    if (n > sizeof b->s - b->n) abort();
    if (n) memcpy(b->s + b->n, p, n);
    b->n += n;
}
static inline void blob_text(blob *b, const char *s) {
    blob_add(b, s, strlen(s));
}
static inline void blob_number(blob *b, uint64_t v, int width) {
    for (int i = 0; i < width; i++) blob_add(b, &(unsigned char){(unsigned char)(v >> 8 * i)}, 1);
}
static inline void blob_zeros(blob *b, size_t n) {
    while (n--) blob_number(b, 0, 1);
}

static inline void file_put(const char *path, const void *p, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(p, 1, n, f) != n || fclose(f) != 0) abort();
}
static inline size_t file_get(const char *path, void *p, size_t room) {
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    size_t n = fread(p, 1, room, f);
    fclose(f);
    return n;
}

/* A safetensors file: this header, so many bytes of values 0, 1, 2, ... */
static inline void blob_safetensors(blob *b, const char *header, size_t values) {
    b->n = 0;
    blob_number(b, strlen(header), 8);
    blob_text(b, header);
    for (size_t i = 0; i < values; i++) blob_number(b, i, 1);
}

/* A .npy file: version 1, this dictionary, so many bytes of values. */
static inline void blob_npy(blob *b, const char *dictionary, size_t values) {
    b->n = 0;
    blob_add(b, "\x93NUMPY\1\0", 8);
    blob_number(b, strlen(dictionary) + 1, 2);
    blob_text(b, dictionary);
    blob_text(b, "\n");
    for (size_t i = 0; i < values; i++) blob_number(b, i, 1);
}

/* Opening must fail with this code and message, take little memory, and leave none behind. */
static inline bool refuses(weft_ctx *c, heap *k, const void *p, size_t n, weft_err code,
                           const char *part) {
    size_t before = heap_mark(k);
    weft_archive *a = weft_archive_parse(c, p, n, "bad.file");
    weft_err e = a ? weft_archive_verify(a) : weft_error_code(c); /* packed data is seen here */
    bool good = CHECK(e != WEFT_OK);
    good = CHECK_EQ(e, code) && good;
    good = CHECK_HAS(weft_error(c), part) && good;
    good = CHECK_HAS(weft_error(c), "bad.file") && good;
    good = CHECK(k->peak - before <= 2 * n + (1 << 20)) && good;
    weft_archive_free(a);
    return CHECK_EQ(k->live, before) && good;
}

#endif
