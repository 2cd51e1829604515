/* data_world.h - what the tests of sets share: a counting context, files, and looking at fields. */
#ifndef WEFT_TEST_DATA_WORLD_H
#define WEFT_TEST_DATA_WORLD_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "heap.h"
#include "test.h"
#include "weft/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a context whose memory is counted, and may be refused ---- */

static inline weft_ctx *world_open(heap *h) {
    return weft_open_with(
        &(weft_open_desc){.device = "null", .threads = 1, .resize = heap_resize, .user = h});
}

/* ---- files ---- */

typedef struct world_file {
    char path[64];
} world_file;

static inline world_file world_write(const void *bytes, size_t n) {
    world_file f = {"/tmp/weft-test-XXXXXX"};
    const int fd = mkstemp(f.path);
    if (CHECK(fd >= 0)) {
        CHECK_EQ(write(fd, bytes, n), (long long)n);
        close(fd);
    }
    return f;
}

static inline weft_bytes world_bytes(const char *name, const void *data, size_t n) {
    return (weft_bytes){.name = name, .data = data, .bytes = n};
}

static inline weft_bytes world_text(const char *text) {
    return world_bytes("memory.txt", text, strlen(text));
}

/* ---- looking at fields ---- */

static inline const void *world_row(const weft_data *d, const char *field, int64_t row) {
    const int i = weft_data_find(d, field);
    if (!CHECK(i >= 0)) return NULL;
    const weft_field f = weft_data_field(d, (size_t)i);
    return (const char *)f.rows + (size_t)row * f.row_bytes;
}

static inline float world_f32(const weft_data *d, const char *field, int64_t row, int64_t i) {
    float v;
    memcpy(&v, (const char *)world_row(d, field, row) + i * 4, 4);
    return v;
}

static inline int world_i32(const weft_data *d, const char *field, int64_t row) {
    int32_t v;
    memcpy(&v, world_row(d, field, row), 4);
    return v;
}

static inline int world_u8(const weft_data *d, const char *field, int64_t row, int64_t i) {
    return ((const unsigned char *)world_row(d, field, row))[i];
}

#endif
