/* fuzz_archive.h - for targets that are files of arrays: a look at everything in them.
 *
 * Opening, sound or not, takes at most twice the size of the file and 1 MiB. So does a look at an
 * array that turns out to be damaged; one that is sound takes its own size besides. */
#ifndef WEFT_FUZZ_ARCHIVE_H
#define WEFT_FUZZ_ARCHIVE_H

#include "fuzz.h"
#include "weft/io.h"

enum { FUZZ_LARGE = 1 << 18 }; /* what is larger is looked at here and there */

static inline void fuzz_look(fuzz_world *w, weft_archive *a, size_t i, size_t n) {
    weft_array listed, x;
    fuzz_must(weft_archive_list(a, i, &listed) == WEFT_OK, "not listed");
    fuzz_must(strlen(listed.name) <= 1024 && listed.name[0], "an impossible name");
    fuzz_must(listed.dims.rank >= 0 && listed.dims.rank <= WEFT_MAX_RANK, "an impossible rank");
    size_t before = w->heap.peak = w->heap.live;
    if (weft_archive_at(a, i, &x) != WEFT_OK) {
        fuzz_must(*weft_error(w->ctx) != 0, "damaged without a message");
        fuzz_must(w->heap.peak - before <= 2 * n + (1 << 20), "too much memory for a damaged one");
        return;
    }
    fuzz_must(x.bytes == listed.bytes && (x.data || !x.bytes), "another array than was listed");
    for (size_t k = 0; k<x.bytes; k += x.bytes> FUZZ_LARGE ? 4096 : 1)
        w->sum += ((const unsigned char *)x.data)[k];
    float few[64];
    size_t count = x.bytes / weft_file_type_size(x.type);
    if (count <= 64) fuzz_must(weft_array_read_f32(w->ctx, &x, few, count) == WEFT_OK, "no floats");
    fuzz_must(weft_archive_has(a, x.name), "listed and not found");
}

/* The end of a target: a is the archive, or NULL; n the size of its file. */
static inline void fuzz_archive_end(fuzz_world *w, weft_archive *a, size_t n) {
    if (!a) fuzz_refused(w, n);
    fuzz_must(w->heap.peak - w->idle <= 2 * n + (1 << 20), "too much memory for opening");
    size_t total = 0;
    for (size_t i = 0; i < weft_archive_count(a); i++) {
        weft_array x;
        fuzz_look(w, a, i, n);
        if (weft_archive_list(a, i, &x) == WEFT_OK) total += x.bytes;
    }
    const char *key, *value;
    for (size_t i = 0; (key = weft_archive_text_at(a, i, &value)); i++)
        w->sum += (unsigned)(strlen(key) + strlen(value));
    char hash[65];
    if (a && total <= FUZZ_LARGE && weft_archive_verify(a) == WEFT_OK)
        fuzz_must(weft_archive_hash(a, hash) == WEFT_OK && strlen(hash) == 64, "no hash");
    weft_archive_free(a);
    fuzz_must(w->heap.live == w->idle, "memory is left");
}

#endif
