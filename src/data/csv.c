/* csv.c - tables: rows of cells as rows of numbers; see weft/data.h.
 *
 * The file is read three times. The survey (csv_columns.c) finds out whether it is a table at all, its
 * width, and what each column is. The second pass checks every cell, so that nothing can fail
 * afterwards: words, classes, sums for the means. Writing fills the arrays, which are only allocated
 * then: a file costs little memory before it is known to be valid. A set "like" another has its cells
 * checked against what the other has learned. */
#include "data/csv.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CSV_MOST_CLASSES = 32, /* a label with more different whole numbers is a number */
    CSV_FEATURE_WORDS = 64 /* the default of max_words                             */
};

/* ---- visiting all cells of the rows that are kept ---- */

typedef weft_err csv_visit(csv_job *j, const csv_cell *cell);

static weft_err csv_row_is_dropped(const csv_job *j, csv_reader r, bool *dropped) {
    *dropped = false;
    if (j->desc->missing == WEFT_MISSING_FAILS) return WEFT_OK;
    csv_cell cell;
    bool got;
    do {
        WEFT_TRY(csv_next(&r, &cell, &got));
        if (!got) return WEFT_OK;
        const bool counts = j->desc->missing == WEFT_MISSING_DROPS
                                ? j->schema->column[cell.column].kind != CSV_SKIPPED
                                : cell.column == j->schema->label;
        if (counts && csv_missing(&cell)) *dropped = true;
    } while (!cell.ends_row);
    return WEFT_OK;
}

static weft_err csv_each(csv_job *j, csv_visit *visit) {
    csv_reader r = j->body;
    csv_cell cell;
    bool got, dropped = false;
    for (j->row = -1;;) {
        if (!r.in_row) WEFT_TRY(csv_row_is_dropped(j, r, &dropped));
        WEFT_TRY(csv_next(&r, &cell, &got));
        if (!got) break;
        if (dropped) continue;
        if (cell.column == 0) j->row++;
        WEFT_TRY(visit(j, &cell));
    }
    j->rows = j->row + 1;
    return WEFT_OK;
}

/* ---- learning, or checking ---- */

static weft_err csv_wrong(const csv_job *j, const csv_cell *cell, const char *what) {
    char word[CSV_LONGEST_WORD];
    csv_word(cell, word);
    return csv_bad(&j->start, cell, csv_name(j, cell->column), "\"%.*s%s\" %s",
                   (int)(cell->length < 40 ? cell->length : 40), word,
                   cell->length > 40 ? "..." : "", what);
}

/* What a cell must be whatever comes of it. Gives whether it is missing. */
static weft_err csv_check(const csv_job *j, const csv_cell *cell, bool *missing) {
    const csv_column *const c = &j->schema->column[cell->column];
    double value;
    *missing = csv_missing(cell);
    if (*missing) {
        if (j->desc->missing != WEFT_MISSING_FAILS) return WEFT_OK;
        return csv_bad(&j->start, cell, csv_name(j, cell->column),
                       "the value is missing; .missing can have it filled in or its row dropped");
    }
    if (c->kind == CSV_NUMBER || c->kind == CSV_LABEL_NUMBER) {
        if (!csv_number(cell, &value)) return csv_wrong(j, cell, "is not a number");
        if (fabs(value) > FLT_MAX) return csv_wrong(j, cell, "is too large for f32");
    } else {
        char word[CSV_LONGEST_WORD];
        if (csv_word(cell, word) == CSV_LONGEST_WORD)
            return csv_bad(&j->start, cell, csv_name(j, cell->column),
                           "a word of more than %d bytes; .skip leaves the column out",
                           CSV_LONGEST_WORD - 1);
    }
    return WEFT_OK;
}

/* The place of a word among the classes that the caller knows; -1: it is none of them. */
static int32_t csv_known_class(const csv_job *j, const char *word) {
    for (size_t i = 0; i < j->desc->class_count; i++)
        if (strcmp(j->desc->classes[i], word) == 0) return (int32_t)i;
    return -1;
}

static weft_err csv_unknown(const csv_job *j, const csv_cell *cell, const char *what,
                            const char *const *known, size_t count) {
    char list[160] = "", text[240];
    size_t n = 0, i = 0;
    for (; i < count && n < sizeof list - 60; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%.40s", i ? ", " : "", known[i]);
    snprintf(text, sizeof text, "is not one of the %zu known %s: %s%s", count, what, list,
             i < count ? ", ..." : "");
    return csv_wrong(j, cell, text);
}

static bool csv_may_be_number(const csv_job *j) {
    return j->desc->task == WEFT_TASK_AUTO && !j->desc->class_count;
}

static weft_err csv_learn_word(csv_job *j, const csv_cell *cell, csv_column *c) {
    const bool label = c->kind == CSV_LABEL_CLASS;
    const int most = label                    ? CSV_MOST_WORDS
                     : j->desc->max_words > 0 ? j->desc->max_words
                                              : CSV_FEATURE_WORDS;
    const bool full = j->words.count == CSV_MOST_WORDS;
    bool fresh;
    WEFT_TRY(csv_words_add(&j->words, cell, c->whole, &fresh));
    if (!fresh) return WEFT_OK;
    c->words++;
    if (label && j->desc->class_count) {
        char word[CSV_LONGEST_WORD];
        csv_plain(cell, c->whole, word);
        if (csv_known_class(j, word) < 0)
            return csv_unknown(j, cell, "classes", j->desc->classes, j->desc->class_count);
    }
    if (label && c->whole && csv_may_be_number(j) && c->words > CSV_MOST_CLASSES) {
        csv_words_drop(&j->words, (int32_t)cell->column);
        c->kind = CSV_LABEL_NUMBER;
        return WEFT_OK;
    }
    if (c->words > most || full)
        return csv_bad(&j->start, cell, csv_name(j, cell->column),
                       "more than %d different words; .skip leaves the column out, .max_words "
                       "allows more of them",
                       c->words > most ? most : CSV_MOST_WORDS);
    return WEFT_OK;
}

static weft_err csv_learn(csv_job *j, const csv_cell *cell) {
    csv_column *const c = &j->schema->column[cell->column];
    bool missing;
    if (c->kind == CSV_SKIPPED) return WEFT_OK;
    WEFT_TRY(csv_check(j, cell, &missing));
    if (missing) return WEFT_OK;
    if (c->kind == CSV_WORDS || c->kind == CSV_LABEL_CLASS) return csv_learn_word(j, cell, c);
    double value = 0;
    csv_number(cell, &value);
    c->mean += value;
    j->seen[cell->column].present++;
    return WEFT_OK;
}

/* For a set like another: every word must be known already. */
static weft_err csv_compare(csv_job *j, const csv_cell *cell) {
    const csv_column *const c = &j->schema->column[cell->column];
    bool missing;
    if (c->kind == CSV_SKIPPED) return WEFT_OK;
    WEFT_TRY(csv_check(j, cell, &missing));
    if (missing || c->kind == CSV_NUMBER || c->kind == CSV_LABEL_NUMBER) return WEFT_OK;
    if (csv_word_place(j->schema, c, cell) >= 0) return WEFT_OK;
    return csv_unknown(j, cell, c->kind == CSV_WORDS ? "words" : "classes",
                       j->schema->word + c->word, (size_t)c->words);
}

/* Names of the elements of "x": the column's, or "column=word". */
static weft_err csv_name_elements(csv_job *j) {
    csv_schema *const s = j->schema;
    char number[24];
    for (int pass = 0; pass < 2; pass++) {
        static char nowhere[1];
        char *text = pass ? (char *)(s->element_name + s->elements) : nowhere;
        size_t bytes = (size_t)s->elements * sizeof *s->element_name, n = 0;
        for (int64_t i = 0; i < s->columns; i++) {
            const csv_column *const c = &s->column[i];
            if (c->kind != CSV_NUMBER && c->kind != CSV_WORDS) continue;
            snprintf(number, sizeof number, "%lld", (long long)i + 1);
            const char *const name = csv_name(j, i) && *csv_name(j, i) ? csv_name(j, i) : number;
            for (int32_t k = 0; k < (c->kind == CSV_WORDS ? c->words : 1); k++) {
                const char *const word = c->kind == CSV_WORDS ? s->word[c->word + k] : "";
                const char *const between = c->kind == CSV_WORDS ? "=" : "";
                if (pass) {
                    s->element_name[n++] = text;
                    text += sprintf(text, "%s%s%s", name, between, word) + 1;
                } else {
                    bytes += strlen(name) + strlen(between) + strlen(word) + 1;
                }
            }
        }
        if (!pass) s->element_name = data_alloc(j->d->names_store, bytes);
        if (!s->element_name) return WEFT_MEMORY;
    }
    return WEFT_OK;
}

/* The label's words, which are all known, become the classes that the caller has. */
static weft_err csv_take_classes(csv_job *j) {
    csv_schema *const s = j->schema;
    const csv_column *const c = &s->column[s->label];
    const size_t n = j->desc->class_count;
    size_t bytes = n * sizeof *s->class_name;
    for (size_t i = 0; i < n; i++) bytes += strlen(j->desc->classes[i]) + 1;
    s->class_of = data_alloc(j->d->names_store, ((size_t)c->words + 1) * sizeof *s->class_of);
    s->class_name = s->class_of ? data_alloc(j->d->names_store, bytes) : NULL;
    if (!s->class_name) return WEFT_MEMORY;
    for (int32_t i = 0; i < c->words; i++)
        s->class_of[i] = csv_known_class(j, s->word[c->word + i]);
    char *text = (char *)(s->class_name + n);
    for (size_t i = 0; i < n; i++) {
        s->class_name[i] = text;
        text += sprintf(text, "%s", j->desc->classes[i]) + 1;
    }
    s->classes = (int32_t)n;
    return WEFT_OK;
}

/* All cells are seen: what the label is, means, words in order, places in "x". */
static weft_err csv_settle(csv_job *j) {
    csv_schema *const s = j->schema;
    if (s->label >= 0) {
        csv_column *const c = &s->column[s->label];
        const bool few = j->rows >= 2 * (int64_t)c->words;
        if (c->kind == CSV_LABEL_CLASS && c->whole && csv_may_be_number(j) && !few) {
            c->kind = CSV_LABEL_NUMBER;
            csv_words_drop(&j->words, (int32_t)s->label);
        }
    }
    for (int64_t i = 0; i < s->columns; i++) s->column[i].words = 0; /* the sorting counts again */
    WEFT_TRY(csv_words_sort(&j->words, j->d->names_store, s));
    for (int64_t i = 0; i < s->columns; i++) {
        csv_column *const c = &s->column[i];
        c->first = (int32_t)s->elements;
        c->mean /= (double)(j->seen[i].present ? j->seen[i].present : 1);
        if (c->kind == CSV_NUMBER) s->elements++;
        else if (c->kind == CSV_WORDS) s->elements += c->words;
    }
    if (s->elements) WEFT_TRY(csv_name_elements(j));
    return s->label >= 0 && j->desc->class_count ? csv_take_classes(j) : WEFT_OK;
}

/* ---- writing ---- */

static weft_err csv_write(csv_job *j, const csv_cell *cell) {
    const csv_schema *const s = j->schema;
    const csv_column *const c = &s->column[cell->column];
    const bool missing = csv_missing(cell);
    float *const x = j->x + j->row * s->elements + c->first;
    double value = c->mean;
    switch (c->kind) {
    case CSV_NUMBER:
        if (!missing) csv_number(cell, &value);
        *x = (float)value;
        break;
    case CSV_WORDS:
        for (int32_t k = 0; k < c->words; k++) x[k] = 0;
        if (!missing) x[csv_word_place(s, c, cell)] = 1;
        break;
    case CSV_LABEL_NUMBER:
        csv_number(cell, &value);
        j->y[j->row] = (float)value;
        break;
    case CSV_LABEL_CLASS: {
        const int32_t place = csv_word_place(s, c, cell);
        j->y_class[j->row] = s->class_of ? s->class_of[place] : place;
        break;
    }
    case CSV_SKIPPED:
    default: break;
    }
    return WEFT_OK;
}

static weft_err csv_arrays(csv_job *j) {
    weft_data *const d = j->d;
    const csv_schema *const s = j->schema;
    const csv_cell cell = {.line = j->start.line};
    if (j->rows == 0) return csv_bad(&j->start, &cell, NULL, "no rows are left");
    if (s->elements == 0) return csv_bad(&j->start, &cell, NULL, "no column besides the label");
    d->rows = j->rows;
    j->x = data_alloc(d->rows_store, (size_t)(j->rows * s->elements) * sizeof *j->x);
    if (!j->x) return WEFT_MEMORY;
    data_add(d, (weft_field){.name = "x",
                             .dtype = WEFT_F32,
                             .dims = weft_dims(s->elements),
                             .rows = j->x,
                             .row_bytes = (size_t)s->elements * sizeof *j->x,
                             .columns = s->element_name});
    if (s->label < 0) return WEFT_OK;
    const csv_column *const label = &s->column[s->label];
    j->y = data_alloc(d->rows_store, (size_t)j->rows * sizeof *j->y);
    if (!j->y) return WEFT_MEMORY;
    j->y_class = (int32_t *)(void *)j->y; /* both have four bytes */
    weft_field y = {.name = "y", .dtype = WEFT_F32, .rows = j->y, .row_bytes = sizeof *j->y};
    if (label->kind == CSV_LABEL_CLASS) {
        y.dtype = WEFT_I32;
        y.classes = s->class_of ? s->classes : label->words;
        y.class_names = s->class_of ? s->class_name : s->word + label->word;
    }
    data_add(d, y);
    return WEFT_OK;
}

static weft_err csv_make(csv_job *j) {
    const weft_data *const like = j->desc->like;
    if (like && !like->schema)
        return weft_fail(j->d->ctx, WEFT_ARGUMENT, "weft_data_csv: .like is not a table");
    WEFT_TRY(csv_columns_find(j));
    if (like) {
        WEFT_TRY(csv_each(j, csv_compare));
    } else {
        WEFT_TRY(csv_each(j, csv_learn));
        WEFT_TRY(csv_settle(j));
    }
    WEFT_TRY(csv_arrays(j));
    return csv_each(j, csv_write);
}

static weft_err csv_fill(weft_data *d, weft_bytes file, const weft_csv_desc *desc) {
    static const weft_csv_desc none;
    csv_job j = {.d = d, .desc = desc ? desc : &none, .words = {.ctx = d->ctx}};
    j.store = j.desc->like ? d->rows_store : d->names_store; /* like's names are not ours to fill */
    if (j.desc->separator == '"' || j.desc->separator == '\n' || j.desc->separator == '\r')
        return weft_fail(d->ctx, WEFT_ARGUMENT,
                         "weft_data_csv: a separator that ends cells or lines");
    if (j.desc->class_count > CSV_MOST_WORDS || (j.desc->class_count && !j.desc->classes))
        return weft_fail(d->ctx, WEFT_ARGUMENT, "weft_data_csv: %zu classes, at most %d fit%s",
                         j.desc->class_count, CSV_MOST_WORDS,
                         j.desc->classes ? "" : ", and the list is NULL");
    for (size_t i = 0; i < j.desc->class_count; i++)
        if (!j.desc->classes[i])
            return weft_fail(d->ctx, WEFT_ARGUMENT, "weft_data_csv: class %zu has no name", i);
    j.start = csv_reader_of(d->ctx, file, j.desc->separator);
    const weft_err e = csv_make(&j);
    d->schema = j.schema;
    csv_words_free(&j.words);
    weft_resize(d->ctx, j.seen, 0);
    return e;
}

/* The names of a set like another are the other's, and live as long as either. */
static weft_data *csv_new(weft_ctx *c, const weft_csv_desc *desc) {
    return data_new(c, 2, desc ? desc->like : NULL, false);
}

weft_data *weft_data_parse_csv(weft_ctx *c, weft_bytes file, const weft_csv_desc *desc) {
    weft_data *d = csv_new(c, desc);
    if (!d) return NULL;
    if (!file.data)
        return data_done(d, weft_fail(c, WEFT_ARGUMENT, "weft_data_parse_csv: no bytes"));
    return data_done(d, csv_fill(d, file, desc));
}

weft_data *weft_data_csv(weft_ctx *c, const char *path, const weft_csv_desc *desc) {
    weft_data *d = csv_new(c, desc);
    if (!d) return NULL;
    data_store *text = data_store_new(c); /* the file goes when the numbers are there */
    weft_bytes file = {0};
    weft_err e = text ? data_open(text, path, &file)
                      : weft_fail(c, WEFT_MEMORY, "weft_data_csv: out of memory");
    if (e == WEFT_OK) e = csv_fill(d, file, desc);
    data_store_release(text);
    return data_done(d, e);
}
