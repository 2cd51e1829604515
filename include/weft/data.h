/* data.h - sets of examples, and batches of them.
 *
 * A set (weft_data) is rows of fields: pictures and labels, columns and classes, windows of text.
 * It comes from files, which are mapped where that is possible, or from memory. A loader turns a
 * set into batches that a plan takes: shuffled, normalised, augmented, made ahead by a thread.
 *
 *     weft_data   *d = weft_data_idx(c, "train-images-idx3-ubyte", "train-labels-idx1-ubyte");
 *     weft_loader *l = weft_loader_new(c, &(weft_loader_desc){ .data = d, .batch = 64 });
 *     for (int64_t step = 0; step < 10 * weft_loader_steps(l); step++) {
 *         weft_loader_feed(l, step, plan, (weft_tensor[]){ x, y }, 2);
 *         weft_run(plan);
 *     }
 *
 * The batch of a step is a pure function of (set, description, step): which rows it holds, and how
 * they are flipped or moved. A run that is resumed needs the number of its step and nothing else.
 *
 * Every format names the input "x" and what is to be learned "y" unless the file has names of its
 * own. Files that are not what they should be give WEFT_FORMAT and a message with the file, the
 * offset or line, and the field. A mapped file must not shrink while its set lives.
 * Sets and loaders belong to the thread that uses their context. */
#ifndef WEFT_DATA_H
#define WEFT_DATA_H

#include <weft/weft.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- sets -------------------------------------------------------------------------------- */

typedef struct weft_data weft_data;

/* What every row has one of. Row i lies at rows + i * row_bytes; rows may overlap or have gaps. */
typedef struct weft_field {
    const char *name;                /* "x" */
    weft_dtype  dtype;
    weft_shape  dims;                /* of one example; a label has none */
    const void *rows;
    size_t      row_bytes;           /* from a row to the next; 0 in weft_data_memory: dense */
    int64_t     classes;             /* values are 0 .. classes - 1; 0: not of that kind */
    const char *const *class_names;  /* one per class, or NULL; of text: its characters */
    const char *const *columns;      /* of a table: a name per element of an example, or NULL */
} weft_field;

WEFT_API int64_t weft_data_rows  (const weft_data *d);                    /* examples */
WEFT_API size_t  weft_data_fields(const weft_data *d);                    /* fields of each */
WEFT_API weft_field weft_data_field(const weft_data *d, size_t i);
    /* all 0 beyond the last */
WEFT_API int     weft_data_find  (const weft_data *d, const char *name);  /* -1: no such field */
WEFT_API void    weft_data_free  (weft_data *d);
    /* NULL is fine; slices, splits and loaders made of it live on */

WEFT_API weft_data *weft_data_slice(const weft_data *d, int64_t from, int64_t to);
    /* rows from .. to - 1, in the same memory; NULL: weft_error */
typedef struct weft_split_desc {
    float    share[4];   /* {.8f, .1f, .1f}: so many parts; scaled to add up to 1 */
    uint32_t seed;
    bool     in_order;   /* the first rows, the next rows, ...: in the same memory, for long files,
                            text and time series; otherwise rows are drawn and copied */
} weft_split_desc;
WEFT_API weft_err weft_data_split(const weft_data *d, const weft_split_desc *s, weft_data **parts);
    /* each row in exactly one part; a pure function of rows, shares and seed */
WEFT_API weft_err weft_data_moments(const weft_data *d, size_t field, bool channels_last,
        float *mean, float *deviation, size_t n);
    /* n 1: of all values; n channels of [C, H, W], or columns of [n]: of each; u8 and i8 pictures
       count as value / 255 */

/* ---- files and memory: NULL on failure, weft_error says why -------------------------------- */

/* A file that is in memory already. It is borrowed: keep it as long as the set. */
typedef struct weft_bytes { const char *name; const void *data; size_t bytes; } weft_bytes;

/* IDX, as MNIST has it: "x" of any element type and rank, and "y", whole numbers from 0. */
WEFT_API weft_data *weft_data_idx(weft_ctx *c, const char *x, const char *y);  /* y NULL: only x */
WEFT_API weft_data *weft_data_parse_idx(weft_ctx *c, weft_bytes x, weft_bytes y);
    /* the same; y without data: only x */

/* CIFAR-10 and CIFAR-100 binary: "x" u8 [3, 32, 32], "y" the class; of 100 also "coarse". */
WEFT_API weft_data *weft_data_cifar(weft_ctx *c, const char *const *paths, size_t n, int classes);
    /* n files, one after the other; classes is 10 or 100 */
WEFT_API weft_data *weft_data_parse_cifar(weft_ctx *c, const weft_bytes *files, size_t n,
        int classes);
    /* the same from memory */

/* Tables. Columns of numbers become one element of "x" each, columns of words one element per word
 * (1 where it is that word); "y" is the label: classes if it is words or few whole numbers, or
 * else a number. Words and classes are in the order of the alphabet, numbers by value. */
typedef enum weft_missing {
    WEFT_MISSING_FAILS,  /* an empty cell, NA, NaN, null or ? is an error */
    WEFT_MISSING_MEAN,   /* it is the column's mean, or none of the words; no label: dropped */
    WEFT_MISSING_DROPS   /* its row is left out */
} weft_missing;
typedef enum weft_task { WEFT_TASK_AUTO, WEFT_TASK_CLASSES, WEFT_TASK_NUMBERS } weft_task;
typedef struct weft_csv_desc {
    char         separator;    /* 0: comma, semicolon, tab or bar, found in the first line */
    int          header;       /* 1: the first line has names; -1: it has not; 0: found out */
    const char  *label;        /* a name, or a number from 1; NULL: the last column */
    bool         no_label;     /* all columns are "x" */
    const char  *skip;         /* columns to leave out, "id,name" */
    weft_missing missing;
    weft_task    task;
    int          most_words;   /* a column of words may have so many different ones; 0: 64 */
    const char *const *classes;  /* the label's classes in this order, as a model knows them; */
    size_t       class_count;    /* another word is an error. 0: those that are found */
    const weft_data *like;     /* columns, words and classes as this set has them; for a test set */
} weft_csv_desc;
WEFT_API weft_data *weft_data_csv(weft_ctx *c, const char *path, const weft_csv_desc *d);
    /* d NULL: all zero */
WEFT_API weft_data *weft_data_parse_csv(weft_ctx *c, weft_bytes file, const weft_csv_desc *d);
    /* the same from memory; file is not needed afterwards */

/* Text: windows "x" [length], and "y" the same one character later. Classes are the characters the
 * text has, by code point, or all bytes. */
typedef struct weft_text_desc {
    int64_t length;            /* of a window; 0: 64 */
    int64_t stride;            /* from a window to the next; 0: length */
    bool    bytes;             /* 256 classes, any file; otherwise characters of UTF-8 */
    const weft_data *like;     /* the characters of this set; another one is an error */
} weft_text_desc;
WEFT_API weft_data *weft_data_text(weft_ctx *c, const char *path, const weft_text_desc *d);
    /* d NULL: all zero */
WEFT_API weft_data *weft_data_parse_text(weft_ctx *c, weft_bytes file, const weft_text_desc *d);
    /* the same from memory */

WEFT_API weft_data *weft_data_npy(weft_ctx *c, const char *path);
    /* one array "x"; or .npz, its arrays by their names: the first axis counts the rows */
WEFT_API weft_data *weft_data_raw(weft_ctx *c, const char *path, weft_dtype t, weft_shape dims);
    /* "x": examples of that type and shape one after the other, little-endian, no header */
WEFT_API weft_data *weft_data_parse_raw(weft_ctx *c, weft_bytes file, weft_dtype t,
        weft_shape dims);
    /* the same from memory */
WEFT_API weft_data *weft_data_memory(weft_ctx *c, const weft_field *fields, size_t n, int64_t rows,
        bool copy);
    /* arrays of the program, borrowed or copied; names are copied in any case */

/* ---- rows as they come --------------------------------------------------------------------- */

/* Numbers out of lines that come one after the other, from a pipe or a file that grows: CSV as
 * above, or JSON, an object a line. A row is a line: quotes end where they began. What is missing
 * (an empty cell, NA, NaN, null, ?, a key that is not there) is nan. */
typedef struct weft_rows weft_rows;
typedef struct weft_rows_desc {
    const char *name;      /* of the file, for messages; NULL: "input" */
    bool        json;
    const char *columns;   /* "load,heat": names or numbers from 1, of JSON keys or paths as
                              "cpu.load"; NULL: all that are numbers in the first row */
    const char *keep;      /* columns of which the text is wanted, "time,host" */
    char        separator; /* 0: comma, semicolon, tab or bar, found in the first line */
    int         header;    /* 1: the first line has names; -1: it has not; 0: if it has no number */
} weft_rows_desc;
WEFT_API weft_rows *weft_rows_new (weft_ctx *c, const weft_rows_desc *d);  /* NULL: weft_error */
WEFT_API void       weft_rows_free(weft_rows *r);                         /* NULL is fine */
WEFT_API weft_err   weft_rows_read(weft_rows *r, const char *line, size_t n, bool *row);
    /* the next line, without its end; *row false: it had names, or nothing. After an error the
       next line may be read */
WEFT_API int        weft_rows_columns(const weft_rows *r);  /* of numbers; 0 before the first row */
WEFT_API const char *weft_rows_column(const weft_rows *r, int i);  /* its name; NULL: none such */
WEFT_API const double *weft_rows_values(const weft_rows *r);       /* of the last row */
WEFT_API const char *weft_rows_kept(const weft_rows *r, int i, const char **text);
    /* the name of the i-th kept column, and its text in the last row; NULL: none such */

/* ---- batches ----------------------------------------------------------------------------- */

typedef struct weft_loader weft_loader;

/* A batch has the fields of the set, each [batch, dims...]. A picture (u8 or i8 of rank 2 or 3)
 * becomes f32: scaled, then normalised; other integers become i32; the rest stays what it is.
 * flip, shift, crop and cutout change the first field of rank 2 or 3, each drawn from (seed, epoch,
 * row). */
typedef struct weft_loader_desc {
    const weft_data *data;
    int64_t  batch;            /* rows of a batch; 0: 32 */
    uint32_t seed;
    bool     in_order;         /* rows as they lie; otherwise another order in every epoch */
    bool     keep_last;        /* a short last batch comes too, filled with rows from the front */

    float        scale;        /* of u8 and i8 pictures; 0: 1 / 255 */
    const float *mean, *deviation;     /* (value scale - mean) / deviation, for field "x" */
    size_t       moments;              /* how many: 1, or one per channel or column */
    const weft_data *standardise;      /* or take them from this set; deviation 0 counts as 1 */

    bool     flip;             /* left and right exchanged, every second time */
    int      shift;            /* moved by up to so many pixels each way; zeros come in */
    int64_t  crop[2];          /* rows and columns cut out at a random place; 0: all */
    bool     centre;           /* crop in the middle instead, and neither flip nor shift */
    int      cutout;           /* a square of this side becomes 0 after normalising */
    bool     stored_last;      /* pictures of rank 3 are [H, W, C] in the set, not [C, H, W] */
    bool     channels_last;    /* they shall be [H, W, C] in the batch */

    int      prefetch;         /* batches made ahead by a thread; 0: 2; below 0: none, no thread */
} weft_loader_desc;

WEFT_API weft_loader *weft_loader_new(weft_ctx *c, const weft_loader_desc *d);
    /* NULL: weft_error */
WEFT_API void       weft_loader_free(weft_loader *l);   /* NULL is fine; ends its thread */
WEFT_API int64_t    weft_loader_steps(const weft_loader *l);  /* batches of an epoch */
WEFT_API int64_t    weft_loader_rows (const weft_loader *l, int64_t step);
    /* rows of the batch that are not filling: batch, or less in a kept last one */
WEFT_API int64_t    weft_loader_row  (const weft_loader *l, int64_t step, int64_t i);
    /* which row of the set is example i of the batch */
WEFT_API weft_field weft_loader_field(const weft_loader *l, size_t i);
    /* dtype and dims of a whole batch; rows is NULL; all 0 beyond the last */
WEFT_API weft_err   weft_loader_at(weft_loader *l, int64_t step, const void **fields);
    /* one pointer per field, good until the next call; steps in a row are served ahead */
WEFT_API weft_err   weft_loader_feed(weft_loader *l, int64_t step, weft_plan *p,
        const weft_tensor *inputs, size_t n);
    /* the first n fields into these inputs, poison leaves one out; elements count, not shapes */

#ifdef __cplusplus
}
#endif
#endif
