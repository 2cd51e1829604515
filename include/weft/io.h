/* io.h - tensors in files: safetensors, npy, npz and checkpoints; and what their readers stand on.
 *
 * An archive is what a file of tensors holds: named arrays, and texts about them. Opening one maps
 * the file and checks its whole structure; values stay where they are until somebody looks.
 *
 *     weft_archive *a = weft_archive_open(c, "model.safetensors");
 *     weft_state_load(s, a, NULL);                      by name: all of it, or nothing
 *     weft_archive_free(a);
 *
 *     weft_checkpoint_save(s, "run/last.safetensors", &(weft_checkpoint){ .step = step });
 *     weft_checkpoint_load(s, "run/last.safetensors", &facts);       every bit as it was
 *
 * Files are not trusted. Whatever a file holds, the answer is an error that names file, offset and
 * field: WEFT_FILE when the system refused, WEFT_FORMAT when the content is not what it claims,
 * WEFT_UNSUPPORTED when it is sound but not for us. Checking takes at most twice the size of the
 * file in memory, and 1 MiB. docs/files.md has the rules of each format. */
#ifndef WEFT_IO_H
#define WEFT_IO_H

#include "weft/weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- arrays and archives ----------------------------------------------------------------- */

/* Element types in files, which are more than graphs compute with.
             name  bytes  safetensors  npy */
#define WEFT_FILE_TYPES(X)                                          \
    X(F64,   8,     "F64",       "f8")                              \
    X(F32,   4,     "F32",       "f4")                              \
    X(F16,   2,     "F16",       "f2")                              \
    X(BF16,  2,     "BF16",      "V2")  /* NumPy sees two bytes */  \
    X(I64,   8,     "I64",       "i8")                              \
    X(I32,   4,     "I32",       "i4")                              \
    X(I16,   2,     "I16",       "i2")                              \
    X(I8,    1,     "I8",        "i1")                              \
    X(U64,   8,     "U64",       "u8")                              \
    X(U32,   4,     "U32",       "u4")                              \
    X(U16,   2,     "U16",       "u2")                              \
    X(U8,    1,     "U8",        "u1")                              \
    X(BOOL,  1,     "BOOL",      "b1")

typedef enum weft_file_type {
#define X(name, bytes, safetensors, npy) WEFT_FILE_##name,
    WEFT_FILE_TYPES(X)
#undef X
    WEFT_FILE_TYPE_COUNT
} weft_file_type;

typedef struct weft_array {
    const char    *name;   /* UTF-8, at most 1024 bytes */
    weft_file_type type;
    weft_shape     dims;
    const void    *data;   /* row-major, little-endian; may lie at any address: memcpy */
    size_t         bytes;
} weft_array;

typedef struct weft_archive weft_archive;

WEFT_API const char *weft_file_type_name(weft_file_type t);    /* "F32" */
WEFT_API size_t      weft_file_type_size(weft_file_type t);    /* bytes of one element */
WEFT_API weft_file_type weft_file_type_of(weft_dtype t);       /* how a graph's type is written */

WEFT_API weft_archive *weft_archive_new (weft_ctx *c);                    /* empty, to be filled */
WEFT_API weft_archive *weft_archive_open(weft_ctx *c, const char *path);
    /* known by its content: safetensors, its index of shards, checkpoint, npy, npz;
       NULL: weft_error(c) */
WEFT_API weft_archive *weft_archive_parse(weft_ctx *c, const void *bytes, size_t n,
        const char *name);
    /* a file already in memory, which must outlive the archive; name is for messages */
WEFT_API void          weft_archive_free(weft_archive *a);                /* NULL is fine */
WEFT_API const char   *weft_archive_format(const weft_archive *a);
    /* "safetensors", "index", "checkpoint", "npy", "npz"; "" for one made by hand */

WEFT_API size_t   weft_archive_count(const weft_archive *a);              /* arrays */
WEFT_API weft_err weft_archive_list(const weft_archive *a, size_t i, weft_array *out);
    /* the i-th, in the file's order, without its values: data is NULL */
WEFT_API weft_err weft_archive_at  (weft_archive *a, size_t i, weft_array *out);
    /* with its values, which the first look unpacks and compares with their checksum;
       valid until the archive changes */
WEFT_API weft_err weft_archive_find(weft_archive *a, const char *name, weft_array *out);
    /* the same by name; WEFT_ARGUMENT when there is none */
WEFT_API bool     weft_archive_has (const weft_archive *a, const char *name);  /* is there one? */
WEFT_API weft_err weft_archive_put (weft_archive *a, const weft_array *array);
    /* copied in; one of the same name is replaced */

WEFT_API weft_err    weft_archive_text(weft_archive *a, const char *key, const char *value);
    /* a text about the whole (safetensors' metadata); NULL takes it away */
WEFT_API const char *weft_archive_text_of(const weft_archive *a, const char *key);
    /* NULL if there is none */
WEFT_API const char *weft_archive_text_at(const weft_archive *a, size_t i, const char **value);
    /* key and value of the i-th text; NULL after the last */

WEFT_API weft_err weft_archive_verify(weft_archive *a);
    /* looks at every array: checksums, where the file has them, and packed data */
WEFT_API weft_err weft_archive_hash(weft_archive *a, char out[65]);
    /* 64 hexadecimal digits: SHA-256 of names, types, shapes and values in order of name,
       whatever the format and order of the file */

typedef struct weft_write_desc {
    const char *format;      /* "safetensors", "npy", "npz"; NULL: by the ending of the path */
    size_t max_shard_bytes;  /* safetensors: above it shards and PATH.index.json; 0: one file */
    bool   checksums;        /* safetensors: CRC-32C of arrays and header, in the metadata */
} weft_write_desc;
WEFT_API weft_err weft_archive_write(weft_archive *a, const char *path, const weft_write_desc *d);
    /* all of it, or the old file stays */

WEFT_API weft_err weft_array_convert(weft_ctx *c, const weft_array *from, weft_file_type to,
        void *out, size_t bytes);
    /* floats are rounded; to integers only what fits exactly; out NULL: would it work? */
WEFT_API weft_err weft_array_read_f32(weft_ctx *c, const weft_array *from, float *out, size_t n);
    /* any type, as n floats */
WEFT_API weft_err weft_array_read_i32(weft_ctx *c, const weft_array *from, int32_t *out, size_t n);
    /* any type whose values are whole and fit */

/* ---- states ------------------------------------------------------------------------------ */

/* Which entries: by default the model, that is all but "optim." and "rng." */
typedef struct weft_save_desc {
    bool trained_only;    /* parameters alone, no statistics */
    bool all;             /* what training needs too */
    const char *prefix;   /* put before every name */
} weft_save_desc;
WEFT_API weft_err weft_state_save(weft_state *s, weft_archive *a, const weft_save_desc *d);
    /* copies entries into the archive */

typedef struct weft_load_desc {
    bool trained_only, all;  /* the same choice, of entries and of the file's arrays */
    const char *prefix;      /* stands before every name in the file */
    bool allow_missing;      /* entries the file lacks keep their values */
    bool allow_extra;        /* arrays the state lacks are passed over */
} weft_load_desc;
WEFT_API weft_err weft_state_load(weft_state *s, weft_archive *a, const weft_load_desc *d);
    /* by name, shapes equal; 16-bit and 64-bit values become the entry's type;
       everything is checked before anything changes */

/* ---- checkpoints: a state as it stands, to go on from, bit for bit ------------------------- */

typedef struct weft_checkpoint {
    int64_t  step;          /* steps of training done */
    uint64_t data_seed;     /* where the data stands: order, passes done, records into this one */
    int64_t  data_epoch, data_index;
    weft_archive *extra;    /* arrays and texts of your own, saved along; a load puts them in */
    const char *beneath;    /* a folder that the path begins with, and after which no link is
                               followed; NULL: links are */
    const weft_load_desc *differ;  /* load: what may differ; NULL: nothing, all entries count */
    bool     from_previous; /* load: the file was missing or damaged, the one before was taken */
    char     reason[256];   /* load: why */
} weft_checkpoint;
WEFT_API weft_err weft_checkpoint_save(weft_state *s, const char *path, const weft_checkpoint *k);
    /* a safetensors file with checksums, written whole or not at all, the one before it kept;
       k may be NULL */
WEFT_API weft_err weft_checkpoint_load(weft_state *s, const char *path, weft_checkpoint *k);
    /* also removes what interrupted saves left; k may be NULL */
WEFT_API weft_err weft_checkpoint_facts(weft_archive *a, weft_checkpoint *k);
    /* of an open archive, if it is one; fills extra if that is given */

/* ---- whole files ------------------------------------------------------------------------- */

typedef struct weft_file { const void *bytes; size_t n; } weft_file;
WEFT_API weft_err weft_file_open (weft_ctx *c, const char *path, weft_file *out);
    /* mapped, read-only; a regular file only */
WEFT_API void     weft_file_close(weft_file *f);
WEFT_API weft_err weft_file_write(weft_ctx *c, const char *path, const void *bytes, size_t n);
    /* the whole file, or the old one stays */
WEFT_API weft_err weft_file_write_beneath(weft_ctx *c, const char *folder, const char *relative,
        const void *bytes, size_t n);
    /* the same to a place in a folder that may have come from elsewhere: no link in it is followed */

/* ---- JSON -------------------------------------------------------------------------------- */

/* A value is a place in checked text: nothing is built, nothing is to be freed, and the text must
 * outlive it. Strict: one value, UTF-8, no key twice, at most 64 deep and 100 MB long. */
typedef enum weft_json_kind {
    WEFT_JSON_NONE, WEFT_JSON_NULL, WEFT_JSON_BOOL, WEFT_JSON_NUMBER, WEFT_JSON_TEXT,
    WEFT_JSON_ARRAY, WEFT_JSON_OBJECT
} weft_json_kind;
typedef struct weft_json { const char *at, *end; } weft_json;

WEFT_API weft_json weft_json_parse(weft_ctx *c, const char *text, size_t n, const char *name);
    /* kind NONE when it is not JSON: weft_error(c); name is for messages */
WEFT_API weft_json_kind weft_json_kind_of(weft_json j);                   /* NONE: there is none */
WEFT_API weft_json weft_json_get(weft_json j, const char *path);
    /* "train.rates.0": by key and by index; NONE if absent */
WEFT_API size_t    weft_json_count(weft_json j);               /* of an array or object, else 0 */
WEFT_API bool      weft_json_next(weft_json j, weft_json *key, weft_json *value);
    /* walks an array or object: start with both zero; key is NONE in an array */
WEFT_API double    weft_json_number (weft_json j, double otherwise);      /* otherwise: no number */
WEFT_API int64_t   weft_json_integer(weft_json j, int64_t otherwise);     /* digits that fit */
WEFT_API bool      weft_json_bool   (weft_json j, bool otherwise);        /* otherwise: no bool */
WEFT_API size_t    weft_json_text   (weft_json j, char *out, size_t n);
    /* bytes of the text without escapes; writes the letters that fit, and a 0; 0 if not a text */
WEFT_API bool      weft_json_is     (weft_json j, const char *text);      /* is it this text? */

#ifdef __cplusplus
}
#endif
#endif
