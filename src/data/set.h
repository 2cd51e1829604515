/* set.h - the inside of a set, as the files of this folder see it.
 *
 * A set is a list of fields and two stores. A store is memory with a count of users: arrays, mapped
 * files, names. Slices share both stores of their set; a drawn split has rows of its own and shares
 * the names. The counts are plain numbers: a set belongs to one thread. */
#ifndef WEFT_DATA_SET_H
#define WEFT_DATA_SET_H

#include "base/error.h"
#include <weft/data.h>

typedef struct data_piece data_piece;
typedef struct data_store {
    weft_ctx *ctx;
    int64_t users;
    data_piece *pieces;
} data_store;

struct csv_schema; /* csv.h */

struct weft_data {
    weft_ctx *ctx;
    data_store *rows_store, *names_store;
    const struct csv_schema *schema; /* of a table, in names_store; otherwise NULL */
    int64_t rows;
    size_t count, capacity; /* of fields */
    weft_field field[];
};

/* An empty set with room for `capacity` fields. like NULL: with new stores; otherwise with the
 * names of like, and with its rows if share_rows. NULL after weft_fail. */
weft_data *data_new(weft_ctx *c, size_t capacity, const weft_data *like, bool share_rows);

/* Gives d, or frees it and gives NULL when e is an error: the last line of a constructor. */
weft_data *data_done(weft_data *d, weft_err e);

/* Memory that lives as long as the store; not zeroed; for any element type. NULL after weft_fail. */
void *data_alloc(data_store *s, size_t bytes);
char *data_copy_text(data_store *s, const char *text, size_t length);

/* Adds a field; its name, class_names and columns must last (literals, or in names_store). */
void data_add(weft_data *d, weft_field f);

data_store *data_store_new(weft_ctx *c); /* with one user; NULL when out of memory */
void data_store_release(data_store *s);  /* NULL is fine; the last user frees it   */

/* The whole file, mapped. It lives with the store. */
weft_err data_open(data_store *s, const char *path, weft_bytes *out);

/* The archive lives with the store from here on; false after weft_fail. */
struct weft_archive;
bool data_keep_archive(data_store *s, struct weft_archive *a);

/* count and bytes of an example; false where they do not fit into an int64. */
bool data_extent(weft_dtype t, weft_shape dims, int64_t *count, int64_t *bytes);
/* The same of a field as its rows are stored. */
bool data_stored(const weft_field *f, int64_t *count, int64_t *bytes);

/* How the channels of a field lie: channels of `inner` elements each, `outer` times. A vector's
 * channels are its elements; other shapes of rank other than 3 have one. */
typedef struct data_channels {
    int64_t outer, channels, inner;
} data_channels;
data_channels data_channels_of(weft_shape dims, bool channels_last);
bool data_is_picture(const weft_field *f); /* u8 or i8 of rank 2 or 3: becomes f32 in a batch */

#endif
