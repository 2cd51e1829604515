/* rows.c - numbers from lines that arrive one by one; see weft/data.h.
 *
 * A line of CSV is a table of one row for the reader of cells (csv_cells.c), a line of JSON is an
 * object for weft_json_parse. The first row of values determines the columns, after
 * which a row takes no memory unless it is longer than all before it. */
#include "data/csv.h"

#include <weft/io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MOST_COLUMNS = 1024, ROWS_PATH = 256 };

typedef struct rows_column {
    char *name;
    int64_t cell;     /* of CSV */
    const char *text; /* of kept columns: in the last row */
} rows_column;

typedef struct rows_list {
    rows_column *at;
    int n, room;
} rows_list;

struct weft_rows {
    weft_ctx *c;
    weft_rows_desc d; /* texts are copies */
    int64_t line;
    char separator;
    bool settled;                    /* columns are known */
    bool first_seen;                 /* the line that may have names has been */
    csv_cell *cell;                  /* of the line */
    int64_t cells, width, cell_room; /* cells of the line, and of every line */
    rows_list names, column, kept;   /* names: of all cells, if there is a header */
    double *value;
    char *text; /* of kept columns */
    size_t text_room;
};

/* ---- making ---- */

static weft_err rows_no_memory(weft_rows *r) {
    return weft_fail(r->c, WEFT_MEMORY, "weft_rows: out of memory");
}

static char *rows_copy(weft_ctx *c, const char *text, size_t n) {
    char *const copy = weft_resize(c, NULL, n + 1);
    if (!copy) return NULL;
    memcpy(copy, text, n);
    copy[n] = 0;
    return copy;
}

static weft_err rows_add(weft_rows *r, rows_list *l, const char *name, size_t n, int64_t cell) {
    if (l->n == l->room) {
        const int room = l->room ? 2 * l->room : 8;
        rows_column *const at = weft_resize(r->c, l->at, (size_t)room * sizeof *at);
        if (!at) return rows_no_memory(r);
        l->at = at;
        l->room = room;
    }
    char *const copy = rows_copy(r->c, name, n);
    if (!copy) return rows_no_memory(r);
    l->at[l->n++] = (rows_column){.name = copy, .cell = cell};
    return WEFT_OK;
}

static void rows_empty(weft_rows *r, rows_list *l) {
    for (int i = 0; i < l->n; i++) weft_resize(r->c, l->at[i].name, 0);
    if (l->at) weft_resize(r->c, l->at, 0);
    *l = (rows_list){0};
}

void weft_rows_free(weft_rows *r) {
    if (!r) return;
    void *const parts[] = {(void *)(uintptr_t)r->d.name,
                           (void *)(uintptr_t)r->d.columns,
                           (void *)(uintptr_t)r->d.keep,
                           r->cell,
                           r->value,
                           r->text};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i]) weft_resize(r->c, parts[i], 0);
    rows_empty(r, &r->names);
    rows_empty(r, &r->column);
    rows_empty(r, &r->kept);
    weft_resize(r->c, r, 0);
}

weft_rows *weft_rows_new(weft_ctx *c, const weft_rows_desc *d) {
    if (!c || !d) {
        weft_fail(c, WEFT_ARGUMENT, "weft_rows_new: a context and a description are expected");
        return NULL;
    }
    weft_rows *const r = weft_resize(c, NULL, sizeof *r);
    if (!r) {
        weft_fail(c, WEFT_MEMORY, "weft_rows: out of memory");
        return NULL;
    }
    *r = (weft_rows){.c = c, .d = *d, .separator = d->separator};
    const char *const name = d->name ? d->name : "input";
    r->d.name = rows_copy(c, name, strlen(name));
    r->d.columns = d->columns ? rows_copy(c, d->columns, strlen(d->columns)) : NULL;
    r->d.keep = d->keep ? rows_copy(c, d->keep, strlen(d->keep)) : NULL;
    if (r->d.name && !r->d.columns == !d->columns && !r->d.keep == !d->keep) return r;
    rows_no_memory(r);
    weft_rows_free(r);
    return NULL;
}

/* ---- columns ---- */

static weft_err rows_wrong(weft_rows *r, const char *what, const char *word, size_t n) {
    return weft_fail(r->c, WEFT_FORMAT, "%s: line %lld: %s \"%.*s\"", r->d.name, (long long)r->line,
                     what, (int)(n < 80 ? n : 80), word);
}

/* A name of the header, or a number from 1; -1: neither. */
static int64_t rows_cell_of(const weft_rows *r, const char *word, size_t n) {
    for (int i = 0; i < r->names.n; i++)
        if (strlen(r->names.at[i].name) == n && !memcmp(r->names.at[i].name, word, n)) return i;
    int64_t number = 0;
    for (size_t i = 0; i < n; i++) {
        if (word[i] < '0' || word[i] > '9' || number > ROWS_MOST_COLUMNS) return -1;
        number = number * 10 + (word[i] - '0');
    }
    return number <= r->width ? number - 1 : -1;
}

/* "a,b,c" into the list. */
static weft_err rows_choose(weft_rows *r, rows_list *l, const char *words) {
    for (const char *at = words; at;) {
        const char *const comma = strchr(at, ',');
        const size_t n = comma ? (size_t)(comma - at) : strlen(at);
        const int64_t cell = r->d.json ? 0 : rows_cell_of(r, at, n);
        if (!n || cell < 0 || l->n >= ROWS_MOST_COLUMNS || n >= ROWS_PATH)
            return rows_wrong(r, "unknown column", at, n);
        for (int i = 0; i < l->n && !r->d.json; i++)
            if (l->at[i].cell == cell) return rows_wrong(r, "duplicate column", at, n);
        WEFT_TRY(rows_add(r, l, at, n, cell));
        at = comma ? comma + 1 : NULL;
    }
    return WEFT_OK;
}

static weft_err rows_all_cells(weft_rows *r) {
    for (int64_t i = 0; i < r->width; i++) {
        double value;
        char number[24];
        if (!csv_number(&r->cell[i], &value)) continue;
        snprintf(number, sizeof number, "%lld", (long long)i + 1);
        const char *const name = r->names.n ? r->names.at[i].name : number;
        WEFT_TRY(rows_add(r, &r->column, name, strlen(name), i));
    }
    return WEFT_OK;
}

static weft_err rows_all_keys(weft_rows *r, weft_json object) {
    weft_json key = {0}, value = {0};
    while (weft_json_next(object, &key, &value)) {
        char name[ROWS_PATH];
        const size_t n = weft_json_text(key, name, sizeof name);
        if (weft_json_kind_of(value) != WEFT_JSON_NUMBER || !n || n >= sizeof name ||
            strchr(name, '.'))
            continue;
        if (r->column.n < ROWS_MOST_COLUMNS) WEFT_TRY(rows_add(r, &r->column, name, n, 0));
    }
    return WEFT_OK;
}

static weft_err rows_settle(weft_rows *r, weft_json object) {
    rows_empty(r, &r->column); /* an attempt that failed may have left some */
    rows_empty(r, &r->kept);
    r->width = r->cells;
    if (r->d.columns) WEFT_TRY(rows_choose(r, &r->column, r->d.columns));
    else WEFT_TRY(r->d.json ? rows_all_keys(r, object) : rows_all_cells(r));
    if (r->d.keep) WEFT_TRY(rows_choose(r, &r->kept, r->d.keep));
    if (!r->column.n)
        return weft_fail(r->c, WEFT_FORMAT, "%s: line %lld: the first row has no numbers",
                         r->d.name, (long long)r->line);
    double *const value = weft_resize(r->c, r->value, (size_t)r->column.n * sizeof *value);
    if (!value) return rows_no_memory(r);
    r->value = value;
    r->settled = true;
    return WEFT_OK;
}

/* Room for the texts of kept columns: together they are no longer than the line. */
static weft_err rows_text_room(weft_rows *r, size_t line) {
    const size_t need = line + (size_t)r->kept.n + 1;
    if (need <= r->text_room) return WEFT_OK;
    char *const text = weft_resize(r->c, r->text, need + need / 2);
    if (!text) return rows_no_memory(r);
    r->text = text;
    r->text_room = need + need / 2;
    return WEFT_OK;
}

/* ---- CSV ---- */

static weft_err rows_split(weft_rows *r, csv_reader *in) {
    csv_cell cell = {0};
    bool got = true;
    for (r->cells = 0; got && !cell.ends_row; r->cells += got) {
        WEFT_TRY(csv_next(in, &cell, &got));
        if (!got) break;
        if (r->cells == ROWS_MOST_COLUMNS)
            return csv_bad(in, &cell, NULL, "more than %d columns", ROWS_MOST_COLUMNS);
        if (r->cells == r->cell_room) {
            const int64_t room = r->cell_room ? 2 * r->cell_room : 16;
            csv_cell *const grown = weft_resize(r->c, r->cell, (size_t)room * sizeof *grown);
            if (!grown) return rows_no_memory(r);
            r->cell = grown;
            r->cell_room = room;
        }
        r->cell[r->cells] = cell;
    }
    if (r->cells && in->at != in->end) return csv_bad(in, &cell, NULL, "more than one line");
    return WEFT_OK;
}

static bool rows_are_names(const weft_rows *r) {
    if (r->d.header) return r->d.header > 0;
    for (int64_t i = 0; i < r->cells; i++) {
        double value;
        if (csv_number(&r->cell[i], &value)) return false;
    }
    return true;
}

static weft_err rows_take_names(weft_rows *r) {
    char word[CSV_LONGEST_WORD];
    for (int64_t i = 0; i < r->cells; i++) {
        const size_t n = csv_word(&r->cell[i], word);
        if (n == CSV_LONGEST_WORD)
            return rows_wrong(r, "name too long:", r->cell[i].text, r->cell[i].length);
        WEFT_TRY(rows_add(r, &r->names, word, n, i));
    }
    r->width = r->cells;
    return WEFT_OK;
}

/* Without its quotes; gives where the next text may begin. */
static char *rows_unquoted(const csv_cell *cell, char *out) {
    for (size_t i = 0; i < cell->length; i++) {
        *out++ = cell->text[i];
        if (cell->quoted && cell->text[i] == '"') i++;
    }
    *out++ = 0;
    return out;
}

static weft_err rows_take_cells(weft_rows *r, const csv_reader *in) {
    for (int i = 0; i < r->column.n; i++) {
        const csv_cell *const cell = &r->cell[r->column.at[i].cell];
        r->value[i] = NAN;
        if (csv_missing(cell) || csv_number(cell, &r->value[i])) continue;
        return csv_bad(in, cell, r->column.at[i].name, "\"%.*s\" is not a number",
                       (int)(cell->length < 40 ? cell->length : 40), cell->text);
    }
    char *at = r->text;
    for (int i = 0; i < r->kept.n; i++) {
        r->kept.at[i].text = at;
        at = rows_unquoted(&r->cell[r->kept.at[i].cell], at);
    }
    return WEFT_OK;
}

static weft_err rows_csv(weft_rows *r, const char *line, size_t n, bool *row) {
    csv_reader in = csv_reader_of(r->c, (weft_bytes){r->d.name, line, n}, r->separator);
    in.line = r->line;
    WEFT_TRY(rows_split(r, &in));
    if (!r->cells) return WEFT_OK;
    r->separator = in.separator;
    if (!r->first_seen) {
        r->first_seen = true;
        if (rows_are_names(r)) return rows_take_names(r);
    }
    if ((r->settled || r->names.n) && r->cells != r->width)
        return csv_bad(&in, &r->cell[r->cells - 1], NULL,
                       "%lld cells in the row, %lld are expected", (long long)r->cells,
                       (long long)r->width);
    if (!r->settled) WEFT_TRY(rows_settle(r, (weft_json){0}));
    WEFT_TRY(rows_text_room(r, n));
    WEFT_TRY(rows_take_cells(r, &in));
    *row = true;
    return WEFT_OK;
}

/* ---- JSON ---- */

static weft_err rows_take_keys(weft_rows *r, weft_json object) {
    for (int i = 0; i < r->column.n; i++) {
        const weft_json value = weft_json_get(object, r->column.at[i].name);
        const weft_json_kind kind = weft_json_kind_of(value);
        r->value[i] = NAN;
        if (kind == WEFT_JSON_NUMBER) r->value[i] = weft_json_number(value, NAN);
        else if (kind != WEFT_JSON_NONE && kind != WEFT_JSON_NULL)
            return rows_wrong(r, "expected a number at", r->column.at[i].name, ROWS_PATH);
    }
    char *at = r->text;
    for (int i = 0; i < r->kept.n; i++) {
        const weft_json value = weft_json_get(object, r->kept.at[i].name);
        const size_t left = r->text_room - (size_t)(at - r->text);
        size_t n = 0;
        r->kept.at[i].text = at;
        if (weft_json_kind_of(value) == WEFT_JSON_TEXT) {
            n = weft_json_text(value, at, left);
        } else if (weft_json_kind_of(value) != WEFT_JSON_NONE) {
            n = (size_t)(value.end - value.at);
            if (n < left) memcpy(at, value.at, n);
        }
        /* one key inside another: together they may be longer than the line */
        if (n >= left) return rows_wrong(r, "text too long at", r->kept.at[i].name, ROWS_PATH);
        at[n] = 0;
        at += n + 1;
    }
    return WEFT_OK;
}

static weft_err rows_json(weft_rows *r, const char *line, size_t n, bool *row) {
    char name[200];
    const size_t length = strlen(r->d.name), shown = length > 80 ? 80 : length;
    snprintf(name, sizeof name, "%s: line %lld", r->d.name + length - shown, (long long)r->line);
    size_t blank = 0;
    while (blank < n && (line[blank] == ' ' || line[blank] == '\t')) blank++;
    if (blank == n) return WEFT_OK;
    const weft_json object = weft_json_parse(r->c, line, n, name);
    if (weft_json_kind_of(object) == WEFT_JSON_NONE) return weft_error_code(r->c);
    if (weft_json_kind_of(object) != WEFT_JSON_OBJECT)
        return weft_fail(r->c, WEFT_FORMAT, "%s: expected an object", name);
    if (!r->settled) WEFT_TRY(rows_settle(r, object));
    WEFT_TRY(rows_text_room(r, n));
    WEFT_TRY(rows_take_keys(r, object));
    *row = true;
    return WEFT_OK;
}

/* ---- reading ---- */

weft_err weft_rows_read(weft_rows *r, const char *line, size_t n, bool *row) {
    *row = false;
    r->line++;
    if (n && line[n - 1] == '\r') n--;
    return r->d.json ? rows_json(r, line, n, row) : rows_csv(r, line, n, row);
}

int weft_rows_columns(const weft_rows *r) {
    return r->settled ? r->column.n : 0;
}

const char *weft_rows_column(const weft_rows *r, int i) {
    return r->settled && i >= 0 && i < r->column.n ? r->column.at[i].name : NULL;
}

const double *weft_rows_values(const weft_rows *r) {
    return r->value;
}

const char *weft_rows_kept(const weft_rows *r, int i, const char **text) {
    if (!r->settled || i < 0 || i >= r->kept.n) return NULL;
    if (text) *text = r->kept.at[i].text;
    return r->kept.at[i].name;
}
