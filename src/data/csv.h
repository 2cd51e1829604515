/* csv.h - tables as text: cells one after the other, and what the columns of a table are.
 *
 * The reader knows separators, quotes and lines; csv.c knows columns, words and labels. */
#ifndef WEFT_DATA_CSV_H
#define WEFT_DATA_CSV_H

#include "data/set.h"

/* ---- cells ---- */

enum { CSV_LONGEST_WORD = 1024 };

typedef struct csv_cell {
    const char *text; /* inside its quotes, without the spaces around it */
    size_t length;
    bool quoted;          /* was in quotes: "" stands for one inside          */
    bool ends_row;        /* it is the last of its row                        */
    int64_t line, column; /* from 1 and from 0                         */
} csv_cell;

typedef struct csv_reader {
    weft_ctx *ctx;
    const char *file;
    const char *at, *end;
    char separator;
    int64_t line, column; /* of the next cell                            */
    bool in_row;          /* the next cell belongs to a row that was started */
} csv_reader;

csv_reader csv_reader_of(weft_ctx *c, weft_bytes file, char separator);

/* The next cell; *got false at the end of the file. Empty lines are ignored. */
weft_err csv_next(csv_reader *r, csv_cell *cell, bool *got);

/* WEFT_FORMAT with "FILE: line N, column N (name): " before the text; name may be NULL, and
 * cell where no place in the file is at fault. */
weft_err csv_bad(const csv_reader *r, const csv_cell *cell, const char *name, const char *format,
                 ...) WEFT_PRINTF(4, 5);

bool csv_missing(const csv_cell *c);               /* empty, NA, N/A, NaN, null or ? */
bool csv_number(const csv_cell *c, double *value); /* decimal; infinite beyond double */
bool csv_same(const csv_cell *c, const csv_cell *d);

/* The cell without its quotes; gives its length, or CSV_LONGEST_WORD when it is longer than that. */
size_t csv_word(const csv_cell *c, char out[CSV_LONGEST_WORD]);

/* ---- columns ---- */

typedef enum csv_kind {
    CSV_NUMBER,       /* an element of "x"                                       */
    CSV_WORDS,        /* an element of "x" for each word                         */
    CSV_LABEL_NUMBER, /* "y", f32                                                */
    CSV_LABEL_CLASS,  /* "y", the place of the word                              */
    CSV_SKIPPED
} csv_kind;

typedef struct csv_column {
    csv_kind kind;
    bool whole;          /* words are whole numbers: 1 and 1.0 are the same        */
    int32_t first;       /* its first element of "x"                               */
    int32_t word, words; /* its words in the schema: where they begin, how many    */
    double mean;         /* of its numbers; their sum until all are seen           */
} csv_column;

/* What makes rows of cells into rows of numbers; kept with the set for others like it. */
typedef struct csv_schema {
    int64_t columns, elements; /* elements of "x"                                  */
    int64_t label;             /* a column, or -1                                  */
    csv_column *column;
    const char **name; /* of the columns; NULL without a header            */
    const char **word; /* of all columns, each column's in order           */
    const char **element_name;
    int32_t *class_of;   /* the class of each word of the label; NULL: its place   */
    int32_t classes;     /* with class_of: how many, and their names               */
    const char **class_name;
} csv_schema;

/* ---- words: the different ones of each column, in csv_words.c ---- */

enum { CSV_MOST_WORDS = 8192, CSV_LARGEST_WHOLE = 1000000000 };

/* A word is known by the cell it first stood in: nothing is copied until all are known. */
typedef struct csv_entry {
    const char *text;
    uint32_t length;
    int32_t column;
    bool quoted, whole;
} csv_entry;

typedef struct csv_words {
    weft_ctx *ctx;
    csv_entry *entry;
    size_t count, room;
    int32_t *table; /* by hash: a place in entry, or -1 */
    size_t places;
} csv_words;

/* Adds a cell to the words of its column; *fresh: it was not there yet. At CSV_MOST_WORDS it adds
 * no more. */
weft_err csv_words_add(csv_words *w, const csv_cell *cell, bool whole, bool *fresh);
void csv_words_drop(csv_words *w, int32_t column); /* forgets those of a column    */
void csv_words_free(csv_words *w);

/* The word as it is compared and shown: without quotes; whole numbers in their plain form. Gives its
 * length, as csv_word does. */
size_t csv_plain(const csv_cell *cell, bool whole, char out[CSV_LONGEST_WORD]);

/* Writes the words in order into the schema, and what each column has of them. */
weft_err csv_words_sort(csv_words *w, data_store *names, csv_schema *s);

/* The place of a cell among its column's words; -1: it is none of them. */
int32_t csv_word_place(const csv_schema *s, const csv_column *c, const csv_cell *cell);

/* ---- the making of a set ---- */

enum { CSV_MOST_COLUMNS = 16384 };

/* What the survey sees of a column below its first cell. */
typedef struct csv_seen {
    int64_t present; /* cells that are not missing                      */
    bool words;      /* some are not numbers                            */
    bool broken;     /* some are not whole numbers of moderate size     */
    bool first_word; /* the first cell is no number                     */
} csv_seen;

typedef struct csv_job {
    weft_data *d;
    data_store *store; /* of the schema as long as it is made */
    const weft_csv_desc *desc;
    csv_reader start, body; /* the first row, and the first row of values */
    bool header;
    int64_t lines, rows; /* below the first; of values that are kept   */
    csv_seen *seen;
    csv_schema *schema;
    csv_words words;
    int64_t row; /* that is being visited */
    float *x, *y;
    int32_t *y_class;
} csv_job;

const char *csv_name(const csv_job *j, int64_t column); /* of a column, or NULL */

/* Looks through the file and finds the role of each column, in csv_columns.c. Then j->schema has
 * kinds and names, or is that of the set it shall be like. */
weft_err csv_columns_find(csv_job *j);

#endif
