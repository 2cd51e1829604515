/* io.h - tensors in files: safetensors, npy, npz and checkpoints.
 *
 * An archive is the content of a file of tensors: named arrays and text metadata. Opening one maps the
 * file and validates its whole structure; values are read when they are accessed.
 *
 *     weft_archive *a = weft_archive_open(c, "model.safetensors");
 *     weft_state_load(s, a, NULL);                      by name: everything or nothing
 *     weft_archive_free(a);
 *
 *     weft_checkpoint_save(s, "run/last.safetensors", &(weft_checkpoint){ .step = step });
 *     weft_checkpoint_load(s, "run/last.safetensors", &facts);       every bit as it was
 *
 * Files are not trusted. A malformed file is an error that names file, offset and field: WEFT_FILE
 * for system errors, WEFT_FORMAT for invalid content, WEFT_UNSUPPORTED for valid content that is not
 * supported. Validation needs at most twice the size of the file plus 1 MiB of memory. docs/files.md
 * has the rules of each format. */
#ifndef WEFT_IO_H
#define WEFT_IO_H

#include "weft/weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- arrays and archives ----------------------------------------------------------------- */

/* Element types in files, more than those of graphs.
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
    const void    *data;   /* row-major, little-endian, not necessarily aligned: use memcpy */
    size_t         bytes;
} weft_array;

typedef struct weft_archive weft_archive;

WEFT_API const char *weft_file_type_name(weft_file_type t);    /* "F32" */
WEFT_API size_t      weft_file_type_size(weft_file_type t);    /* bytes of one element */
WEFT_API weft_file_type weft_file_type_of(weft_dtype t);       /* the file type of a graph's type */

WEFT_API weft_archive *weft_archive_new (weft_ctx *c);                    /* empty, to be filled */
WEFT_API weft_archive *weft_archive_open(weft_ctx *c, const char *path);
    /* the format is detected: safetensors, its index of shards, checkpoint, npy, npz;
       NULL: weft_error(c) */
WEFT_API weft_archive *weft_archive_parse(weft_ctx *c, const void *bytes, size_t n,
        const char *name);
    /* a file in memory, which must outlive the archive; name is for messages */
WEFT_API void          weft_archive_free(weft_archive *a);                /* NULL is fine */
WEFT_API const char   *weft_archive_format(const weft_archive *a);
    /* "safetensors", "index", "checkpoint", "npy", "npz"; "" if created by weft_archive_new */

WEFT_API size_t   weft_archive_count(const weft_archive *a);              /* arrays */
WEFT_API weft_err weft_archive_list(const weft_archive *a, size_t i, weft_array *out);
    /* the i-th, in file order, without its values: data is NULL */
WEFT_API weft_err weft_archive_at  (weft_archive *a, size_t i, weft_array *out);
    /* with its values, decompressed and verified by checksum on first access; valid until the archive
       changes */
WEFT_API weft_err weft_archive_find(weft_archive *a, const char *name, weft_array *out);
    /* the same by name; WEFT_ARGUMENT: not found */
WEFT_API bool     weft_archive_has (const weft_archive *a, const char *name);  /* does it exist? */
WEFT_API weft_err weft_archive_put (weft_archive *a, const weft_array *array);
    /* copies it; replaces one of the same name */

WEFT_API weft_err    weft_archive_text(weft_archive *a, const char *key, const char *value);
    /* sets a metadata text (safetensors' __metadata__); NULL removes it */
WEFT_API const char *weft_archive_text_of(const weft_archive *a, const char *key);
    /* NULL if there is none */
WEFT_API const char *weft_archive_text_at(const weft_archive *a, size_t i, const char **value);
    /* key and value of the i-th text; NULL after the last */

WEFT_API weft_err weft_archive_verify(weft_archive *a);
    /* reads every array: verifies checksums, if the file has them, and compressed data */
WEFT_API weft_err weft_archive_hash(weft_archive *a, char out[65]);
    /* 64 hexadecimal digits: SHA-256 of names, types, shapes and values, sorted by name; independent
       of the file's format and order */

typedef struct weft_write_desc {
    const char *format;      /* "safetensors", "npy", "npz"; NULL: by the extension of the path */
    size_t max_shard_bytes;  /* safetensors: split larger files into shards with an index; 0: do not */
    bool   checksums;        /* safetensors: CRC-32C of arrays and header, in the metadata */
} weft_write_desc;
WEFT_API weft_err weft_archive_write(weft_archive *a, const char *path, const weft_write_desc *d);
    /* replaces the file atomically */

WEFT_API weft_err weft_array_convert(weft_ctx *c, const weft_array *from, weft_file_type to,
        void *out, size_t bytes);
    /* floats are rounded; integers must be exact; out NULL: only checks whether it is possible */
WEFT_API weft_err weft_array_read_f32(weft_ctx *c, const weft_array *from, float *out, size_t n);
    /* any type, as n floats */
WEFT_API weft_err weft_array_read_i32(weft_ctx *c, const weft_array *from, int32_t *out, size_t n);
    /* any type whose values are integers in range */

/* ---- states ------------------------------------------------------------------------------ */

/* Which entries: by default the model, all except "optim." and "rng." */
typedef struct weft_save_desc {
    bool trained_only;    /* parameters only, no statistics */
    bool all;             /* also optimiser and random state */
    const char *prefix;   /* prepended to every name */
} weft_save_desc;
WEFT_API weft_err weft_state_save(weft_state *s, weft_archive *a, const weft_save_desc *d);
    /* copies entries into the archive */

typedef struct weft_load_desc {
    bool trained_only, all;  /* the same selection, of entries and of the file's arrays */
    const char *prefix;      /* prefix of every name in the file */
    bool allow_missing;      /* entries missing in the file keep their values */
    bool allow_extra;        /* ignore arrays that the state does not have */
} weft_load_desc;
WEFT_API weft_err weft_state_load(weft_state *s, weft_archive *a, const weft_load_desc *d);
    /* by name, with equal shapes; 16-bit and 64-bit values are converted to the entry's type;
       everything is validated before anything changes */

/* ---- checkpoints: a whole state, to resume from bit for bit ---------------------------------- */

typedef struct weft_checkpoint {
    int64_t  step;          /* training steps done */
    uint64_t data_seed;     /* position in the data: seed, epoch, index within the epoch */
    int64_t  data_epoch, data_index;
    weft_archive *extra;    /* additional arrays and texts: saved, and filled in by a load */
    const char *beneath;    /* a folder that the path starts with, below which symbolic links
                               are not followed; NULL: they are */
    const weft_load_desc *differ;  /* load: what may differ; NULL: nothing */
    bool     from_previous; /* load: the file was missing or corrupt, the previous one was used */
    char     reason[256];   /* load: why */
} weft_checkpoint;
WEFT_API weft_err weft_checkpoint_save(weft_state *s, const char *path, const weft_checkpoint *k);
    /* a safetensors file with checksums, replaced atomically; the previous one is kept; k may be NULL */
WEFT_API weft_err weft_checkpoint_load(weft_state *s, const char *path, weft_checkpoint *k);
    /* also removes temporary files of interrupted saves; k may be NULL */
WEFT_API weft_err weft_checkpoint_facts(weft_archive *a, weft_checkpoint *k);
    /* the facts of an open archive that is a checkpoint; fills extra if given */

/* ---- whole files ------------------------------------------------------------------------- */

typedef struct weft_file { const void *bytes; size_t n; } weft_file;
WEFT_API weft_err weft_file_open (weft_ctx *c, const char *path, weft_file *out);
    /* memory-mapped, read-only; regular files only */
WEFT_API void     weft_file_close(weft_file *f);
WEFT_API weft_err weft_file_write(weft_ctx *c, const char *path, const void *bytes, size_t n);
    /* replaces the file atomically */
WEFT_API weft_err weft_file_write_beneath(weft_ctx *c, const char *folder, const char *relative,
        const void *bytes, size_t n);
    /* the same below an untrusted folder: symbolic links in it are not followed */

/* ---- JSON -------------------------------------------------------------------------------- */

/* A value is a range of validated text: nothing is allocated or freed, and the text must outlive it.
 * Strict: one value, valid UTF-8, unique keys, at most 64 levels deep and 100 MB long. */
typedef enum weft_json_kind {
    WEFT_JSON_NONE, WEFT_JSON_NULL, WEFT_JSON_BOOL, WEFT_JSON_NUMBER, WEFT_JSON_TEXT,
    WEFT_JSON_ARRAY, WEFT_JSON_OBJECT
} weft_json_kind;
typedef struct weft_json { const char *at, *end; } weft_json;

WEFT_API weft_json weft_json_parse(weft_ctx *c, const char *text, size_t n, const char *name);
    /* kind NONE: invalid, see weft_error(c); name is for messages */
WEFT_API weft_json_kind weft_json_kind_of(weft_json j);                   /* NONE: no such value */
WEFT_API weft_json weft_json_get(weft_json j, const char *path);
    /* "train.rates.0": by key and by index; NONE if absent */
WEFT_API size_t    weft_json_count(weft_json j);               /* of an array or object, else 0 */
WEFT_API bool      weft_json_next(weft_json j, weft_json *key, weft_json *value);
    /* iterates over an array or object: start with both zero; key is NONE in an array */
WEFT_API double    weft_json_number (weft_json j, double otherwise);      /* default: otherwise */
WEFT_API int64_t   weft_json_integer(weft_json j, int64_t otherwise);     /* if an integer in range */
WEFT_API bool      weft_json_bool   (weft_json j, bool otherwise);        /* default: otherwise */
WEFT_API size_t    weft_json_text   (weft_json j, char *out, size_t n);
    /* length of the unescaped text; writes what fits, terminated; 0 if not a string */
WEFT_API bool      weft_json_is     (weft_json j, const char *text);      /* equal to this text? */

#ifdef __cplusplus
}
#endif
#endif
