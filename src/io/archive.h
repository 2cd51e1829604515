/* archive.h - the table every format is read into and written from.
 *
 * Records are small, because a file may name a million empty arrays in fifty bytes each: extents
 * lie in a list of their own, names and texts in blocks, one per file. */
#ifndef WEFT_IO_ARCHIVE_H
#define WEFT_IO_ARCHIVE_H

#include "base/error.h"
#include "base/checked.h"
#include "base/reader.h"
#include "weft/io.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files hold little-endian values, and values are used in place"
#endif

/* Bytes of an array. An extent of zero makes it empty, whatever the others are, as long as their
 * product is a number too. */
static inline bool check_array(const weft_shape *dims, weft_file_type type, uint64_t *bytes) {
    uint64_t product = weft_file_type_size(type), empty = 1;
    for (int i = 0; i < dims->rank; i++) {
        if (dims->n[i] < 0) return false;
        if (!dims->n[i]) empty = 0;
        else if (!check_mul(product, (uint64_t)dims->n[i], &product)) return false;
    }
    *bytes = product * empty;
    return product <= INT64_MAX;
}

enum { ARCHIVE_MAX_ARRAYS = 1000000 };

/* Texts with this beginning are checksums, and kept with what they belong to. */
#define ARCHIVE_CRC_KEY        "weft.crc32c"
#define ARCHIVE_CHECKPOINT_KEY "weft.checkpoint"
#define ARCHIVE_EXTRA          "extra/" /* before names that a checkpoint keeps for its caller */

/* How the values of an array are got from bytes that are not as they should be. */
typedef struct archive_pack {
    const unsigned char *from; /* in a map */
    uint64_t packed, unpacked; /* bytes there, and of the whole member */
    uint32_t skip;             /* bytes of the member before the values */
    uint32_t crc;              /* CRC-32 of the member */
    bool has_crc, deflated, big_endian, fortran;
} archive_pack;

typedef struct archive_array {
    const char *name;
    const unsigned char *data; /* values, unless they are packed */
    uint64_t bytes;            /* of the values */
    uint32_t dims;             /* first extent in the list, rank of them */
    uint32_t crc;              /* CRC-32C of the values, if has_crc */
    uint32_t pack;             /* 1 + index in the list; 0: not packed */
    uint8_t type, rank;
    bool has_crc; /* to be compared on first access; then forgotten */
} archive_array;

typedef struct archive_text {
    const char *key, *value;
} archive_text;

struct weft_archive {
    weft_ctx *c;
    const char *name; /* the path, for messages */
    const char *format;
    bool sealed;      /* the header has a checksum, and it is right */
    weft_file memory; /* what weft_archive_parse was given; not ours */
    archive_array *array;
    size_t n, room;
    int64_t *extent;
    size_t extents, extent_room;
    uint32_t *order;
    size_t order_room; /* arrays in order of name */
    archive_text *text;
    size_t texts, text_room;
    archive_pack *pack;
    size_t packs, pack_room;
    weft_file *map;
    size_t maps, map_room;
    void **block;
    size_t blocks, block_room;
};

weft_archive *archive_named(weft_ctx *c, const char *name); /* empty; NULL: out of memory */
void *archive_block(weft_archive *a, size_t bytes);         /* freed with the archive */
char *archive_pool(weft_archive *a, size_t bytes);          /* for the strings of a file */
bool archive_keep_map(weft_archive *a, weft_file f);        /* closed with it */

/* Room for exactly so many more, so that reading a file takes no more than it must. */
bool archive_reserve(weft_archive *a, size_t arrays, size_t extents, size_t texts);

/* Within the reserved room; the name lives as long as the archive. Not yet in order. */
archive_array *archive_add(weft_archive *a, const char *name, weft_file_type type,
                           const weft_shape *dims, const void *data, uint64_t bytes);
void archive_add_text(weft_archive *a, const char *key, const char *value);

/* Puts the names in order, of the arrays from the first-th on; then they can be found. Gives one of
 * two arrays with the same name, or NULL. */
const archive_array *archive_sort(weft_archive *a, size_t first);
archive_array *archive_find(const weft_archive *a, size_t first, const char *name);

void archive_tell(const weft_archive *a, const archive_array *x, weft_array *out);
weft_err archive_look(weft_archive *a, archive_array *x); /* unpack, compare with the checksum */
weft_err archive_no_memory(const weft_archive *a);

/* Readers of one format each, for a file that is mapped or in memory. */
weft_err safetensors_read(weft_archive *a, reader *r); /* of an "index": without texts */
weft_err index_read(weft_archive *a, reader *r);
weft_err npy_read(weft_archive *a, reader *r);
weft_err npz_read(weft_archive *a, reader *r);

#endif
