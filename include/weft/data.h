/* data.h - data sets, and batches of their examples.
 *
 * A data set (weft_data) is rows of fields: images and labels, columns and classes, windows of text.
 * It comes from files, which are memory-mapped where possible, or from memory. A loader makes batches
 * of it: shuffled, normalised, augmented, prefetched by a thread.
 *
 *     weft_data   *d = weft_data_idx(c, "train-images-idx3-ubyte", "train-labels-idx1-ubyte");
 *     weft_loader *l = weft_loader_new(c, &(weft_loader_desc){ .data = d, .batch = 64 });
 *     for (int64_t step = 0; step < 10 * weft_loader_steps(l); step++) {
 *         weft_loader_feed(l, step, plan, (weft_tensor[]){ x, y }, 2);
 *         weft_run(plan);
 *     }
 *
 * The batch of a step is a pure function of (data set, options, step): which rows it has, and how
 * they are flipped or shifted. To resume a run, the step number is enough.
 *
 * The input field is called "x" and the target "y" unless the file has names of its own. A malformed
 * file gives WEFT_FORMAT and a message with the file, the offset or line, and the field. A mapped
 * file must not be truncated while its data set is in use. Data sets and loaders are used by one
 * thread, that of their context. */
#ifndef WEFT_DATA_H
#define WEFT_DATA_H

#include <weft/weft.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- data sets --------------------------------------------------------------------------- */

typedef struct weft_data weft_data;

/* A field of every row. Row i is at rows + i * row_bytes; rows may overlap or have gaps. */
typedef struct weft_field {
    const char *name;                /* "x" */
    weft_dtype  dtype;
    weft_shape  dims;                /* of one example; a label is 0-d */
    const void *rows;
    size_t      row_bytes;           /* row stride; 0 in weft_data_memory: dense */
    int         bits;                /* 16: integers of 16 bits without a sign, dtype is I32; else 0 */
    int64_t     classes;             /* values are 0 .. classes - 1; 0: not a class */
    const char *const *class_names;  /* one per class, or NULL; for text: the characters */
    const char *const *columns;      /* of a table: the name of each element of x, or NULL */
} weft_field;

WEFT_API int64_t weft_data_rows  (const weft_data *d);                    /* examples */
WEFT_API size_t  weft_data_fields(const weft_data *d);                    /* fields per row */
WEFT_API weft_field weft_data_field(const weft_data *d, size_t i);
    /* all 0 beyond the last */
WEFT_API int     weft_data_find  (const weft_data *d, const char *name);  /* -1: no such field */
WEFT_API void    weft_data_free  (weft_data *d);
    /* NULL is fine; slices, splits and loaders made from it stay valid */

WEFT_API weft_data *weft_data_slice(const weft_data *d, int64_t from, int64_t to);
    /* rows from .. to - 1, sharing memory; NULL: weft_error */
typedef struct weft_split_desc {
    float    share[4];   /* {.8f, .1f, .1f}: one per part; scaled to add up to 1 */
    uint32_t seed;
    bool     in_order;   /* consecutive rows, sharing memory: for large files, text and time
                            series; otherwise rows are chosen at random and copied */
} weft_split_desc;
WEFT_API weft_err weft_data_split(const weft_data *d, const weft_split_desc *s, weft_data **parts);
    /* each row in exactly one part; a pure function of rows, shares and seed */
WEFT_API weft_err weft_data_moments(const weft_data *d, size_t field, bool channels_last,
        float *mean, float *std, size_t n);
    /* mean and standard deviation; n 1: of all values; n channels of [C, H, W], or columns of [n]:
       of each; u8 and i8 images count as value / 255 */

/* ---- files and memory: NULL on failure, weft_error says why -------------------------------- */

/* A file in memory. Not copied: keep it as long as the data set. */
typedef struct weft_bytes { const char *name; const void *data; size_t bytes; } weft_bytes;

/* IDX, the format of MNIST: "x" of any element type and rank, and "y", integers from 0. */
WEFT_API weft_data *weft_data_idx(weft_ctx *c, const char *x, const char *y);  /* y NULL: only x */
WEFT_API weft_data *weft_data_parse_idx(weft_ctx *c, weft_bytes x, weft_bytes y);
    /* the same; y without data: only x */

/* CIFAR-10 and CIFAR-100 binary: "x" u8 [3, 32, 32], "y" the class; CIFAR-100 also has "coarse". */
WEFT_API weft_data *weft_data_cifar(weft_ctx *c, const char *const *paths, size_t n, int classes);
    /* n files, concatenated; classes is 10 or 100 */
WEFT_API weft_data *weft_data_parse_cifar(weft_ctx *c, const weft_bytes *files, size_t n,
        int classes);
    /* the same from memory */

/* CSV tables. A numeric column becomes one element of "x", a column of words is one-hot encoded; "y"
 * is the label: classes if it has words or few different integers, else a number. Words and classes
 * are sorted alphabetically, numbers by value. */
typedef enum weft_missing {
    WEFT_MISSING_FAILS,  /* an empty cell, NA, NaN, null or ? is an error */
    WEFT_MISSING_MEAN,   /* the column's mean, or none of its words; without a label: dropped */
    WEFT_MISSING_DROPS   /* the row is dropped */
} weft_missing;
typedef enum weft_task { WEFT_TASK_AUTO, WEFT_TASK_CLASSES, WEFT_TASK_NUMBERS } weft_task;
typedef struct weft_csv_desc {
    char         separator;    /* 0: comma, semicolon, tab or bar, detected */
    int          header;       /* 1: the first line has names; -1: it has not; 0: detected */
    const char  *label;        /* a name, or a number from 1; NULL: the last column */
    bool         no_label;     /* all columns belong to "x" */
    const char  *skip;         /* columns to leave out, "id,name" */
    weft_missing missing;
    weft_task    task;
    int          max_words;    /* most different words of a column; 0: 64 */
    const char *const *classes;  /* the classes in this order, as a model has them; any other */
    size_t       class_count;    /* label is an error. 0: those in the file */
    const weft_data *like;     /* use the columns, words and classes of this data set: for a test set */
} weft_csv_desc;
WEFT_API weft_data *weft_data_csv(weft_ctx *c, const char *path, const weft_csv_desc *d);
    /* d NULL: all zero */
WEFT_API weft_data *weft_data_parse_csv(weft_ctx *c, weft_bytes file, const weft_csv_desc *d);
    /* the same from memory; the file is not needed afterwards */

/* Text: windows "x" [length], and "y" shifted by one character. Classes are the characters of the
 * text, by code point, or all bytes. */
typedef struct weft_text_desc {
    int64_t length;            /* of a window; 0: 64 */
    int64_t stride;            /* between windows; 0: length */
    bool    bytes;             /* 256 classes, any file; otherwise UTF-8 characters */
    const weft_data *like;     /* use the characters of this data set; any other is an error */
} weft_text_desc;
WEFT_API weft_data *weft_data_text(weft_ctx *c, const char *path, const weft_text_desc *d);
    /* d NULL: all zero */
WEFT_API weft_data *weft_data_parse_text(weft_ctx *c, weft_bytes file, const weft_text_desc *d);
    /* the same from memory */

/* Tokens: windows "x" [length] of i32, and "y" shifted by one token. A file of tokens is their numbers,
 * little-endian, 16 or 32 bits each, without a header; it stays on the disk, mapped. Stride 1 is for
 * training: a loader then draws windows that begin anywhere. The default is for evaluation: each token
 * is a target once, but for the first, and those behind the last whole window. */
typedef struct weft_tokens_desc {
    int64_t length;            /* of a window; 0: 64 */
    int64_t stride;            /* between windows; 0: length */
    int64_t classes;           /* size of the vocabulary; any number from there on is an error */
    int     bits;              /* of a number: 16 or 32; 0: 16 if classes is at most 65536, else 32 */
    int64_t from, to;          /* which tokens of the file: from .. to - 1; to 0: up to its end */
} weft_tokens_desc;
WEFT_API weft_data *weft_data_tokens(weft_ctx *c, const char *path, const weft_tokens_desc *d);
    /* NULL: weft_error */
WEFT_API weft_data *weft_data_parse_tokens(weft_ctx *c, weft_bytes file, const weft_tokens_desc *d);
    /* the same from memory */

WEFT_API weft_data *weft_data_npy(weft_ctx *c, const char *path);
    /* one array "x"; or .npz, its arrays by name: the first axis is the rows */
WEFT_API weft_data *weft_data_raw(weft_ctx *c, const char *path, weft_dtype t, weft_shape dims);
    /* "x": examples of that type and shape, contiguous, little-endian, no header */
WEFT_API weft_data *weft_data_parse_raw(weft_ctx *c, weft_bytes file, weft_dtype t,
        weft_shape dims);
    /* the same from memory */
WEFT_API weft_data *weft_data_memory(weft_ctx *c, const weft_field *fields, size_t n, int64_t rows,
        bool copy);
    /* arrays in memory, borrowed or copied; names are always copied */

/* ---- streaming rows ------------------------------------------------------------------------ */

/* Numbers from lines that arrive one by one, from a pipe or a growing file: CSV as above, or JSON, an
 * object per line. A row is one line: quoted cells do not span lines. Missing values (an empty cell,
 * NA, NaN, null, ?, a key that is absent) are nan. */
typedef struct weft_rows weft_rows;
typedef struct weft_rows_desc {
    const char *name;      /* of the file, for messages; NULL: "input" */
    bool        json;
    const char *columns;   /* "load,heat": names or numbers from 1, for JSON keys or paths such as
                              "cpu.load"; NULL: all that are numeric in the first row */
    const char *keep;      /* columns to keep as text, "time,host" */
    char        separator; /* 0: comma, semicolon, tab or bar, detected */
    int         header;    /* 1: the first line has names; -1: it has not; 0: detected */
} weft_rows_desc;
WEFT_API weft_rows *weft_rows_new (weft_ctx *c, const weft_rows_desc *d);  /* NULL: weft_error */
WEFT_API void       weft_rows_free(weft_rows *r);                         /* NULL is fine */
WEFT_API weft_err   weft_rows_read(weft_rows *r, const char *line, size_t n, bool *row);
    /* the next line, without its newline; *row false: a header or an empty line. After an error,
       reading may continue with the next line */
WEFT_API int        weft_rows_columns(const weft_rows *r);  /* numeric columns; 0 before the first row */
WEFT_API const char *weft_rows_column(const weft_rows *r, int i);  /* its name; NULL: out of range */
WEFT_API const double *weft_rows_values(const weft_rows *r);       /* of the last row */
WEFT_API const char *weft_rows_kept(const weft_rows *r, int i, const char **text);
    /* the name of the i-th kept column, and its text in the last row; NULL: out of range */

/* ---- batches ----------------------------------------------------------------------------- */

typedef struct weft_loader weft_loader;

/* A batch has the fields of the data set, each [batch, dims...]. An image (u8 or i8 of rank 2 or 3)
 * becomes f32: scaled, then normalised; other integers become i32; the rest is unchanged. flip,
 * shift, crop and cutout augment the first field of rank 2 or 3, at random by (seed, epoch, row). */
typedef struct weft_loader_desc {
    const weft_data *data;
    int64_t  batch;            /* rows of a batch; 0: 32 */
    uint32_t seed;
    bool     in_order;         /* not shuffled; otherwise shuffled in every epoch */
    bool     keep_last;        /* keep an incomplete last batch, filled up with rows from the start */

    float        scale;        /* of u8 and i8 images; 0: 1 / 255 */
    const float *mean, *std;           /* (value scale - mean) / std, for field "x" */
    size_t       moments;              /* how many: 1, or one per channel or column */
    const weft_data *standardise;      /* or compute them from this data set; std 0 counts as 1 */

    bool     flip;             /* horizontally, with probability 1/2 */
    int      shift;            /* up to this many pixels in each direction, filled with zeros */
    int64_t  crop[2];          /* rows and columns of a random crop; 0: all */
    bool     centre;           /* for evaluation: crop in the centre, and neither flip nor shift */
    int      cutout;           /* a random square of this size is set to 0 after normalising */
    bool     stored_last;      /* images are stored as [H, W, C], not [C, H, W] */
    bool     channels_last;    /* images are [H, W, C] in the batch */

    int      prefetch;         /* batches prefetched by a thread, at most 64; 0: 2; below 0: no thread */
} weft_loader_desc;

WEFT_API weft_loader *weft_loader_new(weft_ctx *c, const weft_loader_desc *d);
    /* NULL: weft_error */
WEFT_API void       weft_loader_free(weft_loader *l);   /* NULL is fine; stops its thread */
WEFT_API int64_t    weft_loader_steps(const weft_loader *l);  /* batches per epoch */
WEFT_API int64_t    weft_loader_rows (const weft_loader *l, int64_t step);
    /* rows of the batch without filling: batch, or fewer in a last one */
WEFT_API int64_t    weft_loader_row  (const weft_loader *l, int64_t step, int64_t i);
    /* which row of the data set is example i of the batch */
WEFT_API weft_field weft_loader_field(const weft_loader *l, size_t i);
    /* dtype and dims of a whole batch; rows is NULL; all 0 beyond the last */
WEFT_API weft_err   weft_loader_at(weft_loader *l, int64_t step, const void **fields);
    /* one pointer per field, valid until the next call; consecutive steps are prefetched */
WEFT_API weft_err   weft_loader_feed(weft_loader *l, int64_t step, weft_plan *p,
        const weft_tensor *inputs, size_t n);
    /* sets the first n fields as these inputs, poison skips one; only element counts must match */

#ifdef __cplusplus
}
#endif
#endif
