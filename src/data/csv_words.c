/* csv_words.c - the different words of a table's columns: collected, sorted, looked up.
 *
 * While a table is read its words stay in the file; a hash table finds them. Then each column's are
 * sorted: words by their bytes, whole numbers by value. After that the schema alone is needed. */
#include "data/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a cell is one of the whole numbers that are compared by value. */
static bool words_whole(const csv_cell *cell, long long *value) {
    double v;
    if (!csv_number(cell, &v) || fabs(v) > CSV_LARGEST_WHOLE || v != floor(v)) return false;
    *value = (long long)v;
    return true;
}

size_t csv_plain(const csv_cell *cell, bool whole, char out[CSV_LONGEST_WORD]) {
    long long value;
    if (whole && words_whole(cell, &value))
        return (size_t)snprintf(out, CSV_LONGEST_WORD, "%lld", value);
    return csv_word(cell, out);
}

static csv_cell words_cell(const csv_entry *e) {
    return (csv_cell){.text = e->text, .length = e->length, .quoted = e->quoted};
}

static uint64_t words_hash(int32_t column, const char *word, size_t length) {
    uint64_t h = 0xcbf29ce484222325u ^ (uint64_t)column;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)word[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}

/* The place in the table where this word is, or should be. */
static size_t words_find(const csv_words *w, int32_t column, const char *word, size_t length) {
    char other[CSV_LONGEST_WORD];
    size_t at = words_hash(column, word, length) & (w->places - 1);
    for (; w->table[at] >= 0; at = (at + 1) & (w->places - 1)) {
        const csv_entry *e = &w->entry[w->table[at]];
        if (e->column != column) continue;
        const csv_cell cell = words_cell(e);
        if (csv_plain(&cell, e->whole, other) == length && memcmp(other, word, length) == 0) break;
    }
    return at;
}

static void words_refill(csv_words *w) {
    for (size_t i = 0; i < w->places; i++) w->table[i] = -1;
    for (size_t i = 0; i < w->count; i++) {
        char word[CSV_LONGEST_WORD];
        const csv_cell cell = words_cell(&w->entry[i]);
        const size_t length = csv_plain(&cell, w->entry[i].whole, word);
        w->table[words_find(w, w->entry[i].column, word, length)] = (int32_t)i;
    }
}

/* Room for twice as many entries, and twice that many places in the table. */
static weft_err words_grow(csv_words *w) {
    const size_t room = w->room ? 2 * w->room : 64;
    csv_entry *entry = weft_resize(w->ctx, w->entry, room * sizeof *entry);
    if (entry) w->entry = entry;
    int32_t *table = entry ? weft_resize(w->ctx, w->table, 2 * room * sizeof *table) : NULL;
    if (!table) return weft_fail(w->ctx, WEFT_MEMORY, "weft_data_csv: out of memory for words");
    w->table = table;
    w->room = room;
    w->places = 2 * room;
    words_refill(w);
    return WEFT_OK;
}

weft_err csv_words_add(csv_words *w, const csv_cell *cell, bool whole, bool *fresh) {
    char word[CSV_LONGEST_WORD];
    const int32_t column = (int32_t)cell->column;
    const size_t length = csv_plain(cell, whole, word);
    *fresh = !w->places || w->table[words_find(w, column, word, length)] < 0;
    if (!*fresh || w->count == CSV_MOST_WORDS) return WEFT_OK;
    if (w->count == w->room) WEFT_TRY(words_grow(w));
    w->table[words_find(w, column, word, length)] = (int32_t)w->count;
    w->entry[w->count++] = (csv_entry){.text = cell->text,
                                       .length = (uint32_t)cell->length,
                                       .column = column,
                                       .quoted = cell->quoted,
                                       .whole = whole};
    return WEFT_OK;
}

void csv_words_drop(csv_words *w, int32_t column) {
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++)
        if (w->entry[i].column != column) w->entry[kept++] = w->entry[i];
    w->count = kept;
    words_refill(w);
}

void csv_words_free(csv_words *w) {
    weft_resize(w->ctx, w->entry, 0);
    weft_resize(w->ctx, w->table, 0);
}

/* ---- order ---- */

static int words_compare(const char *a, const char *b, bool whole) {
    if (!whole) return strcmp(a, b);
    const long long x = strtoll(a, NULL, 10), y = strtoll(b, NULL, 10);
    return (x > y) - (x < y);
}

static int words_before(const void *a, const void *b) {
    const csv_entry *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    char p[CSV_LONGEST_WORD], q[CSV_LONGEST_WORD];
    const csv_cell c = words_cell(x), d = words_cell(y);
    csv_plain(&c, x->whole, p);
    csv_plain(&d, y->whole, q);
    return words_compare(p, q, x->whole);
}

weft_err csv_words_sort(csv_words *w, data_store *names, csv_schema *s) {
    char word[CSV_LONGEST_WORD];
    if (w->count) qsort(w->entry, w->count, sizeof *w->entry, words_before);
    size_t bytes = w->count * sizeof *s->word;
    for (size_t i = 0; i < w->count; i++) {
        const csv_cell cell = words_cell(&w->entry[i]);
        bytes += csv_plain(&cell, w->entry[i].whole, word) + 1;
    }
    s->word = data_alloc(names, bytes);
    if (!s->word) return WEFT_MEMORY;
    char *text = (char *)(s->word + w->count);
    for (size_t i = 0; i < w->count; i++) {
        const csv_cell cell = words_cell(&w->entry[i]);
        csv_column *c = &s->column[w->entry[i].column];
        if (!c->words++) c->word = (int32_t)i;
        s->word[i] = text;
        text += csv_plain(&cell, w->entry[i].whole, text) + 1;
    }
    return WEFT_OK;
}

int32_t csv_word_place(const csv_schema *s, const csv_column *c, const csv_cell *cell) {
    char word[CSV_LONGEST_WORD];
    long long value;
    if (c->whole && !words_whole(cell, &value)) return -1;
    if (csv_plain(cell, c->whole, word) == CSV_LONGEST_WORD) return -1;
    int32_t low = 0, high = c->words;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const int order = words_compare(s->word[c->word + middle], word, c->whole);
        if (order == 0) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return -1;
}
