/* csv_columns.c - which columns a table has, and what each is: a number, words, the label.
 *
 * One look at the whole file says whether all rows are equally wide and which columns are numbers;
 * from that follow the header, the names and, with the description, the roles. What the words are
 * is left to csv.c. */
#include "data/csv.h"

#include <math.h>
#include <string.h>

const char *csv_name(const csv_job *j, int64_t column) {
    return j->schema && j->schema->name ? j->schema->name[column] : NULL;
}

/* ---- survey ---- */

static void columns_see(csv_seen *s, const csv_cell *cell) {
    double value;
    if (csv_missing(cell)) return;
    s->present++;
    const bool number = csv_number(cell, &value);
    if (!number) s->words = true;
    if (!number || value != floor(value) || fabs(value) > CSV_LARGEST_WHOLE) s->broken = true;
}

static weft_err columns_first_row(csv_job *j, int64_t *columns) {
    csv_reader r = j->start;
    csv_cell cell;
    bool got;
    *columns = 0;
    do {
        WEFT_TRY(csv_next(&r, &cell, &got));
        if (!got) {
            cell = (csv_cell){.line = r.line};
            return csv_bad(&r, &cell, NULL, "the file has no rows");
        }
        if (++*columns > CSV_MOST_COLUMNS)
            return csv_bad(&r, &cell, NULL, "more than %d columns", CSV_MOST_COLUMNS);
    } while (!cell.ends_row);
    return WEFT_OK;
}

static weft_err columns_survey(csv_job *j) {
    int64_t columns;
    WEFT_TRY(columns_first_row(j, &columns));
    j->seen = weft_resize(j->d->ctx, NULL, (size_t)columns * sizeof *j->seen);
    j->schema = data_alloc(j->store, sizeof *j->schema);
    csv_column *column = data_alloc(j->store, (size_t)columns * sizeof *column);
    if (!j->seen || !j->schema || !column)
        return weft_fail(j->d->ctx, WEFT_MEMORY, "weft_data_csv: out of memory");
    memset(j->seen, 0, (size_t)columns * sizeof *j->seen);
    memset(column, 0, (size_t)columns * sizeof *column);
    *j->schema = (csv_schema){.columns = columns, .label = -1, .column = column};

    csv_reader r = j->start;
    csv_cell cell;
    bool got;
    for (j->lines = -1;;) {
        WEFT_TRY(csv_next(&r, &cell, &got));
        if (!got) break;
        if (cell.column == 0) j->lines++;
        if (cell.column >= columns || (cell.ends_row && cell.column != columns - 1))
            return csv_bad(&r, &cell, NULL, "the row has %s %lld columns, as the first has",
                           cell.column >= columns ? "more than" : "fewer than", (long long)columns);
        csv_seen *const s = &j->seen[cell.column];
        double value;
        if (j->lines > 0) columns_see(s, &cell);
        else s->first_word = !csv_missing(&cell) && !csv_number(&cell, &value);
    }
    return WEFT_OK;
}

/* ---- the header ---- */

/* Whether a word of the first row stands in its column again: then it is hardly a name. */
static weft_err columns_first_recurs(const csv_job *j, bool *recurs) {
    csv_reader r = j->start, first = j->start;
    csv_cell cell, above;
    bool got;
    *recurs = false;
    for (int64_t line = -1;;) {
        WEFT_TRY(csv_next(&r, &cell, &got));
        if (!got) return WEFT_OK;
        if (cell.column == 0) {
            first = j->start;
            line++;
        }
        WEFT_TRY(csv_next(&first, &above, &got));
        if (line > 0 && csv_same(&cell, &above)) *recurs = true;
    }
}

/* Whether the first row has the names of another table. */
static weft_err columns_first_is(const csv_job *j, const csv_schema *s, bool *same) {
    csv_reader r = j->start;
    csv_cell cell;
    bool got;
    char word[CSV_LONGEST_WORD];
    *same = j->schema->columns == s->columns;
    for (int64_t i = 0; i < j->schema->columns && *same; i++) {
        WEFT_TRY(csv_next(&r, &cell, &got));
        const size_t length = csv_word(&cell, word);
        *same = length == strlen(s->name[i]) && memcmp(word, s->name[i], length) == 0;
    }
    return WEFT_OK;
}

/* The first row has names if some column has numbers below a word. In a table without any number,
 * if none of its words comes again. */
static weft_err columns_find_header(csv_job *j) {
    j->header = j->desc->header > 0;
    if (j->desc->header != 0) return WEFT_OK;
    if (j->desc->like && j->desc->like->schema->name) {
        WEFT_TRY(columns_first_is(j, j->desc->like->schema, &j->header));
        if (j->header) return WEFT_OK;
    }
    if (j->lines == 0) return WEFT_OK;
    bool numbers = false;
    for (int64_t i = 0; i < j->schema->columns; i++) {
        const csv_seen *s = &j->seen[i];
        const bool number = s->present && !s->words;
        if (number && s->first_word) j->header = true;
        if (number || !s->first_word) numbers = true;
    }
    if (numbers) return WEFT_OK;
    bool recurs;
    WEFT_TRY(columns_first_recurs(j, &recurs));
    j->header = !recurs;
    return WEFT_OK;
}

/* Names out of the header, or the first row into what was seen. */
static weft_err columns_take_first(csv_job *j) {
    csv_schema *const s = j->schema;
    WEFT_TRY(columns_find_header(j));
    csv_reader r = j->start;
    csv_cell cell;
    bool got;
    char word[CSV_LONGEST_WORD];
    size_t bytes = (size_t)s->columns * sizeof *s->name;
    for (int64_t i = 0; i < s->columns; i++) {
        WEFT_TRY(csv_next(&r, &cell, &got));
        const size_t length = csv_word(&cell, word);
        if (j->header && length == CSV_LONGEST_WORD)
            return csv_bad(&r, &cell, NULL, "a name of more than %d bytes", CSV_LONGEST_WORD - 1);
        bytes += length + 1;
        if (!j->header) columns_see(&j->seen[i], &cell);
    }
    j->body = j->header ? r : j->start;
    if (!j->header) {
        j->lines++;
        return WEFT_OK;
    }
    s->name = data_alloc(j->store, bytes);
    if (!s->name) return WEFT_MEMORY;
    char *text = (char *)(s->name + s->columns);
    r = j->start;
    for (int64_t i = 0; i < s->columns; i++) {
        WEFT_TRY(csv_next(&r, &cell, &got));
        s->name[i] = text;
        text += csv_word(&cell, text) + 1;
    }
    return WEFT_OK;
}

/* ---- roles of columns ---- */

/* A column by its name, or by its number from 1; -1: there is none. */
static int64_t columns_of(const csv_schema *s, const char *text, size_t length) {
    for (int64_t i = 0; s->name && i < s->columns; i++)
        if (strlen(s->name[i]) == length && memcmp(s->name[i], text, length) == 0) return i;
    int64_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || n > CSV_MOST_COLUMNS) return -1;
        n = 10 * n + (text[i] - '0');
    }
    return n >= 1 && n <= s->columns ? n - 1 : -1;
}

static weft_err columns_none(const csv_job *j, const char *what, const char *text, size_t length) {
    const csv_cell cell = {.line = j->start.line};
    return csv_bad(&j->start, &cell, NULL, "unknown column \"%.*s\" for %s; the file has %lld%s",
                   (int)(length > 80 ? 80 : length), text, what, (long long)j->schema->columns,
                   j->header ? "" : ", without names");
}

static weft_err columns_skip(csv_job *j) {
    for (const char *at = j->desc->skip; at && *at;) {
        const char *const end = at + strcspn(at, ",");
        size_t length = (size_t)(end - at);
        while (length && *at == ' ') at++, length--;
        while (length && at[length - 1] == ' ') length--;
        const int64_t i = columns_of(j->schema, at, length);
        if (i < 0) return columns_none(j, ".skip", at, length);
        j->schema->column[i].kind = CSV_SKIPPED;
        at = *end ? end + 1 : end;
    }
    return WEFT_OK;
}

static weft_err columns_choose_label(csv_job *j) {
    csv_schema *const s = j->schema;
    if (j->desc->no_label) return WEFT_OK;
    const char *const label = j->desc->label;
    s->label = s->columns - 1;
    if (label) s->label = columns_of(s, label, strlen(label));
    if (s->label < 0) return columns_none(j, ".label", label, strlen(label));
    csv_column *const c = &s->column[s->label];
    const csv_seen *const seen = &j->seen[s->label];
    if (c->kind == CSV_SKIPPED) {
        const csv_cell cell = {.line = j->start.line, .column = s->label};
        return csv_bad(&j->start, &cell, csv_name(j, s->label), "the label is skipped");
    }
    c->whole = !seen->broken;
    c->kind = CSV_LABEL_CLASS;
    if (j->desc->class_count) return WEFT_OK;
    if (j->desc->task == WEFT_TASK_NUMBERS) c->kind = CSV_LABEL_NUMBER;
    else if (j->desc->task == WEFT_TASK_AUTO && seen->broken && !seen->words)
        c->kind = CSV_LABEL_NUMBER;
    return WEFT_OK;
}

static weft_err columns_roles(csv_job *j) {
    csv_schema *const s = j->schema;
    WEFT_TRY(columns_skip(j));
    WEFT_TRY(columns_choose_label(j));
    for (int64_t i = 0; i < s->columns; i++) {
        csv_column *const c = &s->column[i];
        if (c->kind == CSV_NUMBER && j->seen[i].words) c->kind = CSV_WORDS;
        if (c->kind != CSV_SKIPPED && !j->seen[i].present) {
            const csv_cell cell = {.line = j->start.line, .column = i};
            return csv_bad(&j->start, &cell, csv_name(j, i), "the column has no value in any row");
        }
        j->seen[i].present = 0; /* learning counts those of rows that are kept */
    }
    return WEFT_OK;
}

/* The schema of another set, if this table has its columns. */
static weft_err columns_adopt(csv_job *j) {
    const csv_schema *const own = j->schema, *const s = j->desc->like->schema;
    csv_cell cell = {.line = j->start.line};
    if (own->columns != s->columns)
        return csv_bad(&j->start, &cell, NULL, "%lld columns, the other table has %lld",
                       (long long)own->columns, (long long)s->columns);
    for (int64_t i = 0; own->name && s->name && i < s->columns; i++) {
        cell.column = i;
        if (strcmp(own->name[i], s->name[i]) != 0)
            return csv_bad(&j->start, &cell, own->name[i], "the other table calls it %s",
                           s->name[i]);
    }
    j->schema = (csv_schema *)s; /* kept by the set's names, and only read from here on */
    return WEFT_OK;
}

weft_err csv_columns_find(csv_job *j) {
    WEFT_TRY(columns_survey(j));
    WEFT_TRY(columns_take_first(j));
    const csv_cell cell = {.line = j->start.line};
    if (j->lines == 0) return csv_bad(&j->start, &cell, NULL, "no row of values");
    return j->desc->like ? columns_adopt(j) : columns_roles(j);
}
