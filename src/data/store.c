/* store.c - the memory of sets: pieces with one owner, among them whole files.
 *
 * Files are mapped (weft_file_open), so that a set costs address space and no more. */
#include "data/set.h"

#include <weft/io.h>

#include <string.h>

struct data_piece {
    data_piece *next;
    weft_file file;        /* a mapped file, ...                                    */
    weft_archive *archive; /* an archive, or neither: the memory is behind this struct */
    max_align_t data[];
};

data_store *data_store_new(weft_ctx *c) {
    data_store *s = weft_resize(c, NULL, sizeof *s);
    if (s) *s = (data_store){.ctx = c, .users = 1};
    return s;
}

void data_store_release(data_store *s) {
    if (!s || --s->users > 0) return;
    while (s->pieces) {
        data_piece *p = s->pieces;
        s->pieces = p->next;
        if (p->file.bytes) weft_file_close(&p->file);
        weft_archive_free(p->archive);
        weft_resize(s->ctx, p, 0);
    }
    weft_resize(s->ctx, s, 0);
}

static data_piece *store_piece(data_store *s, size_t bytes) {
    data_piece *p = bytes > SIZE_MAX / 2 ? NULL : weft_resize(s->ctx, NULL, sizeof *p + bytes);
    if (!p) {
        weft_fail(s->ctx, WEFT_MEMORY, "weft_data: out of memory, %zu bytes wanted", bytes);
        return NULL;
    }
    *p = (data_piece){.next = s->pieces};
    s->pieces = p;
    return p;
}

void *data_alloc(data_store *s, size_t bytes) {
    data_piece *p = store_piece(s, bytes);
    return p ? p->data : NULL;
}

char *data_copy_text(data_store *s, const char *text, size_t length) {
    char *copy = data_alloc(s, length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

bool data_keep_archive(data_store *s, weft_archive *a) {
    data_piece *p = store_piece(s, 0);
    if (p) p->archive = a;
    return p != NULL;
}

weft_err data_open(data_store *s, const char *path, weft_bytes *out) {
    if (!path || !*path) return weft_fail(s->ctx, WEFT_ARGUMENT, "weft_data: no file is named");
    data_piece *p = store_piece(s, 0);
    if (!p) return WEFT_MEMORY;
    const weft_err e = weft_file_open(s->ctx, path, &p->file);
    if (e != WEFT_OK) {
        p->file = (weft_file){0};
        return e;
    }
    /* An empty file may have no address; a parser shall see that it is there, and empty. */
    *out = (weft_bytes){.name = path, .data = p->file.n ? p->file.bytes : "", .bytes = p->file.n};
    return WEFT_OK;
}
