/* npz_write.c - writing .npy, and .npz with its members stored.
 *
 * All sizes in the zip file are written in their 64-bit form, so that large and small files take
 * one path. Times are that of the first day zip knows: equal arrays give equal bytes. */
#include "base/crc.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/write.h"
#include <string.h>

enum { ZIP_VERSION = 45, ZIP_FIRST_DAY = 33, ZIP_UTF8 = 0x800, ZIP_COMMENT = 65535 };

weft_err npy_write(weft_archive *a, const char *path) {
    if (a->n != 1)
        return weft_fail(a->c, WEFT_ARGUMENT, "%s: a .npy file holds one array, here are %zu",
                         reader_path(path), a->n);
    weft_array t;
    WEFT_TRY(weft_archive_at(a, 0, &t));
    text head = {.m = mem_of(a->c)};
    npy_header_write(&head, t.type, &t.dims);
    file_writer w = {.c = a->c, .fd = -1, .folder = -1};
    weft_err e = head.failed ? archive_no_memory(a) : file_begin(&w, a->c, path, 0);
    if (e == WEFT_OK) e = file_add(&w, head.s, head.n);
    if (e == WEFT_OK) e = file_add(&w, t.data, t.bytes);
    if (e == WEFT_OK) e = file_finish(&w);
    if (e == WEFT_OK) e = file_place(&w, NULL);
    file_abandon(&w);
    text_free(&head);
    return e;
}

/* One member: its own header, and its entry for the directory. `head` stands before `data`. */
static weft_err zip_put(file_writer *w, text *directory, const char *name, const char *ending,
                        const text *head, const void *data, size_t n) {
    uint64_t offset = w->at, size = head->n + (uint64_t)n;
    uint32_t crc = crc_zip(crc_zip(0, head->s, head->n), data, n);
    size_t length = strlen(name) + strlen(ending);
    text local = {.m = mem_of(w->c)};
    for (int entry = 0; entry < 2; entry++) {
        text *b = entry ? directory : &local;
        text_little(b, entry ? 0x02014b50 : 0x04034b50, 4);
        if (entry) text_little(b, ZIP_VERSION, 2);
        text_little(b, ZIP_VERSION, 2);
        text_little(b, ZIP_UTF8, 2);
        text_little(b, 0, 2); /* stored */
        text_little(b, 0, 2);
        text_little(b, ZIP_FIRST_DAY, 2);
        text_little(b, crc, 4);
        text_little(b, 0xffffffff, 4);
        text_little(b, 0xffffffff, 4);
        text_little(b, length, 2);
        text_little(b, entry ? 28 : 20, 2);
        if (entry) {
            text_little(b, 0, 2 + 2 + 2); /* comment, disk, kind */
            text_little(b, 0, 4);
            text_little(b, 0xffffffff, 4);
        }
        text_put(b, name);
        text_put(b, ending);
        text_little(b, 1, 2);
        text_little(b, entry ? 24 : 16, 2);
        text_little(b, size, 8);
        text_little(b, size, 8);
        if (entry) text_little(b, offset, 8);
    }
    weft_err e = local.failed || directory->failed
                     ? weft_fail(w->c, WEFT_MEMORY, "%s: out of memory", reader_path(w->path))
                     : file_add(w, local.s, local.n);
    if (e == WEFT_OK) e = file_add(w, head->s, head->n);
    if (e == WEFT_OK) e = file_add(w, data, n);
    text_free(&local);
    return e;
}

/* As JSON, for the comment of the file; control codes are escaped in it, so that nothing there looks
 * like the end of a directory. */
static void zip_texts_write(text *b, const weft_archive *a) {
    for (size_t i = 0; i < a->texts; i++) {
        text_put(b, i ? "," : "{");
        text_quote(b, a->text[i].key);
        text_put(b, ":");
        text_quote(b, a->text[i].value);
    }
    if (a->texts) text_put(b, "}");
}

static weft_err zip_put_array(weft_archive *a, size_t i, file_writer *w, text *directory) {
    weft_array t;
    WEFT_TRY(weft_archive_at(a, i, &t));
    text head = {.m = mem_of(a->c)};
    npy_header_write(&head, t.type, &t.dims);
    weft_err e = head.failed ? archive_no_memory(a)
                             : zip_put(w, directory, t.name, ".npy", &head, t.data, t.bytes);
    text_free(&head);
    return e;
}

static weft_err zip_put_end(file_writer *w, text *d, uint64_t members, const text *comment) {
    uint64_t at = w->at, size = d->n;
    text_little(d, 0x06064b50, 4); /* the end in 64 bits, then where that is, then the old one */
    text_little(d, 44, 8);
    text_little(d, ZIP_VERSION, 2);
    text_little(d, ZIP_VERSION, 2);
    text_little(d, 0, 8); /* disks */
    text_little(d, members, 8);
    text_little(d, members, 8);
    text_little(d, size, 8);
    text_little(d, at, 8);
    text_little(d, 0x07064b50, 4);
    text_little(d, 0, 4);
    text_little(d, at + size, 8);
    text_little(d, 1, 4);
    text_little(d, 0x06054b50, 4);
    text_little(d, 0, 4);
    text_little(d, 0xffff, 2);
    text_little(d, 0xffff, 2);
    text_little(d, 0xffffffff, 4);
    text_little(d, 0xffffffff, 4);
    text_little(d, comment->n, 2);
    if (comment->n) text_raw(d, comment->s, comment->n);
    if (d->failed) return weft_fail(w->c, WEFT_MEMORY, "%s: out of memory", reader_path(w->path));
    return file_add(w, d->s, d->n);
}

weft_err npz_write(weft_archive *a, const char *path) {
    text directory = {.m = mem_of(a->c)};
    file_writer w;
    weft_err e = file_begin(&w, a->c, path, 0);
    for (size_t i = 0; i < a->n && e == WEFT_OK; i++) e = zip_put_array(a, i, &w, &directory);
    text texts = {.m = mem_of(a->c)};
    zip_texts_write(&texts, a);
    if (texts.failed && e == WEFT_OK) e = archive_no_memory(a);
    const bool apart = texts.n > ZIP_COMMENT; /* then NumPy has one member that is bytes */
    if (e == WEFT_OK && apart)
        e = zip_put(&w, &directory, "__metadata__", ".json", &texts, NULL, 0);
    if (apart) texts.n = 0;
    if (e == WEFT_OK) e = zip_put_end(&w, &directory, (uint64_t)a->n + apart, &texts);
    text_free(&texts);
    if (e == WEFT_OK) e = file_finish(&w);
    if (e == WEFT_OK) e = file_place(&w, NULL);
    file_abandon(&w);
    text_free(&directory);
    return e;
}
