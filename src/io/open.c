/* open.c - which format is it? By content when reading, by name when writing. */
#include "base/reader.h"
#include "io/archive.h"
#include "io/write.h"
#include <string.h>

static bool open_starts(const reader *r, const char *with, size_t n) {
    return r->n >= n && memcmp(r->bytes, with, n) == 0;
}

/* An index is JSON text; a safetensors file begins with a length, which has zeros in it. */
static bool open_is_json(const reader *r) {
    size_t i = 0;
    while (i < r->n && memchr(" \t\r\n", r->bytes[i], 4)) i++;
    return i < r->n && r->bytes[i] == '{' && !memchr(r->bytes, 0, r->n < 8 ? r->n : 8);
}

static weft_err open_read(weft_archive *a, reader *r, bool in_folder) {
    if (open_starts(r, "\x93NUMPY", 6)) return npy_read(a, r);
    if (open_starts(r, "PK\3\4", 4) || open_starts(r, "PK\5\6", 4) || open_starts(r, "PK\6\6", 4))
        return npz_read(a, r); /* the last two have no members */
    if (!open_is_json(r)) return safetensors_read(a, r);
    if (in_folder) return index_read(a, r);
    return reader_fail(r, WEFT_UNSUPPORTED, 0, "index", "its shards are found by path alone");
}

weft_archive *weft_archive_parse(weft_ctx *c, const void *bytes, size_t n, const char *name) {
    if (!bytes && n) {
        weft_fail(c, WEFT_ARGUMENT, "weft_archive_parse: the bytes are NULL");
        return NULL;
    }
    weft_archive *a = archive_named(c, name ? name : "memory");
    if (!a) return NULL;
    reader r = reader_of(c, a->name, bytes ? bytes : "", n);
    a->memory = (weft_file){r.bytes, n};
    if (open_read(a, &r, false) == WEFT_OK) return a;
    weft_archive_free(a);
    return NULL;
}

weft_archive *weft_archive_open(weft_ctx *c, const char *path) {
    if (!path) {
        weft_fail(c, WEFT_ARGUMENT, "weft_archive_open: the path is NULL");
        return NULL;
    }
    weft_archive *a = archive_named(c, path);
    weft_file f;
    if (!a || weft_file_open(c, path, &f) != WEFT_OK) {
        weft_archive_free(a);
        return NULL;
    }
    weft_err e;
    if (archive_keep_map(a, f)) {
        reader r = reader_of(c, a->name, f.bytes, f.n);
        e = open_read(a, &r, true);
    } else {
        weft_file_close(&f);
        e = archive_no_memory(a);
    }
    if (e == WEFT_OK) return a;
    weft_archive_free(a);
    return NULL;
}

static bool open_ends(const char *path, const char *with) {
    size_t n = strlen(path), m = strlen(with);
    return n > m && strcmp(path + n - m, with) == 0;
}

weft_err weft_archive_write(weft_archive *a, const char *path, const weft_write_desc *d) {
    if (!a || !path)
        return weft_fail(a ? a->c : NULL, WEFT_ARGUMENT, "weft_archive_write: NULL was given");
    const char *format = d ? d->format : NULL;
    if (!format)
        format = open_ends(path, ".npy")   ? "npy"
                 : open_ends(path, ".npz") ? "npz"
                 : open_ends(path, ".safetensors") || open_ends(path, ".safetensors.index.json")
                     ? "safetensors"
                     : "";
    if (!strcmp(format, "npy")) return npy_write(a, path);
    if (!strcmp(format, "npz")) return npz_write(a, path);
    if (!strcmp(format, "safetensors")) return shards_write(a, path, d);
    return weft_fail(a->c, WEFT_ARGUMENT,
                     "%s: the format is not known by the ending; .safetensors, .npz and .npy are",
                     reader_path(path));
}
