/* csv_cells.c - a file of separated values, cell by cell; see csv.h.
 *
 * RFC 4180 with the liberties people take: any separator, spaces around cells, lines that end in LF
 * or CRLF, a byte order mark, no line end at the end. Numbers are read here, not by strtod: its
 * answer would depend on the program's locale. */
#include "data/csv.h"

#include <weft/io.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool cells_blank(char c, char separator) {
    return (c == ' ' || c == '\t') && c != separator;
}

static bool cells_line_end(const char *at, const char *end) {
    return *at == '\n' || (*at == '\r' && (at + 1 == end || at[1] == '\n'));
}

/* The separator that the first line has most of, outside quotes. */
static char cells_find_separator(const char *at, const char *end) {
    static const char candidates[] = ",;\t|";
    int64_t seen[4] = {0};
    bool quoted = false;
    for (; at < end && (quoted || *at != '\n'); at++) {
        const char *const which = memchr(candidates, *at, 4);
        if (*at == '"') quoted = !quoted;
        else if (which && !quoted) seen[which - candidates]++;
    }
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (seen[i] > seen[best]) best = i;
    return candidates[best];
}

csv_reader csv_reader_of(weft_ctx *c, weft_bytes file, char separator) {
    csv_reader r = {.ctx = c, .file = file.name ? file.name : "memory", .at = file.data, .line = 1};
    r.end = r.at + file.bytes;
    if (file.bytes >= 3 && memcmp(r.at, "\xef\xbb\xbf", 3) == 0) r.at += 3;
    while (r.at < r.end && cells_line_end(r.at, r.end)) r.line += *r.at++ == '\n';
    r.separator = separator ? separator : cells_find_separator(r.at, r.end);
    return r;
}

weft_err csv_bad(const csv_reader *r, const csv_cell *cell, const char *name, const char *format,
                 ...) {
    enum { SHOWN = 120 };
    char text[280];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const size_t length = strlen(r->file);
    const char *const file = length > SHOWN ? r->file + length - SHOWN : r->file;
    if (!cell) return weft_fail(r->ctx, WEFT_FORMAT, "%s: %s", file, text);
    return weft_fail(r->ctx, WEFT_FORMAT, "%s: line %lld, column %lld%s%.60s%s: %s", file,
                     (long long)cell->line, (long long)cell->column + 1, name ? " (" : "",
                     name ? name : "", name ? ")" : "", text);
}

/* Inside quotes; at stands behind the opening one. */
static weft_err cells_quoted(csv_reader *r, csv_cell *cell) {
    cell->quoted = true;
    cell->text = ++r->at;
    for (;; r->at++) {
        if (r->at == r->end) return csv_bad(r, cell, NULL, "the quotes are never closed");
        if (*r->at == 0) return csv_bad(r, cell, NULL, "a zero byte");
        if (*r->at == '\n') r->line++;
        if (*r->at != '"') continue;
        if (r->at + 1 == r->end || r->at[1] != '"') break;
        r->at++;
    }
    cell->length = (size_t)(r->at++ - cell->text);
    while (r->at < r->end && cells_blank(*r->at, r->separator)) r->at++;
    if (r->at < r->end && *r->at != r->separator && !cells_line_end(r->at, r->end))
        return csv_bad(r, cell, NULL, "text after the closing quotes");
    return WEFT_OK;
}

static weft_err cells_plain(csv_reader *r, csv_cell *cell) {
    cell->text = r->at;
    for (; r->at < r->end && *r->at != r->separator && !cells_line_end(r->at, r->end); r->at++)
        if (*r->at == 0) return csv_bad(r, cell, NULL, "a zero byte");
    cell->length = (size_t)(r->at - cell->text);
    while (cell->length && cells_blank(cell->text[cell->length - 1], r->separator)) cell->length--;
    return WEFT_OK;
}

static void cells_end_line(csv_reader *r) {
    if (r->at < r->end && *r->at == '\r') r->at++;
    if (r->at < r->end && *r->at == '\n') r->at++;
    r->line++;
}

weft_err csv_next(csv_reader *r, csv_cell *cell, bool *got) {
    while (!r->in_row) { /* pass over lines with nothing but spaces */
        const char *p = r->at;
        while (p < r->end && cells_blank(*p, r->separator)) p++;
        if (p == r->end) {
            *got = false;
            return WEFT_OK;
        }
        if (!cells_line_end(p, r->end)) break;
        r->at = p;
        cells_end_line(r);
    }
    *cell = (csv_cell){.line = r->line, .column = r->column};
    while (r->at < r->end && cells_blank(*r->at, r->separator)) r->at++;
    WEFT_TRY(r->at < r->end && *r->at == '"' ? cells_quoted(r, cell) : cells_plain(r, cell));
    cell->ends_row = r->at == r->end || *r->at != r->separator;
    if (cell->ends_row) cells_end_line(r);
    else r->at++;
    r->in_row = !cell->ends_row;
    r->column = cell->ends_row ? 0 : r->column + 1;
    *got = true;
    return WEFT_OK;
}

/* ---- what a cell says ---- */

static bool cells_is(const csv_cell *c, const char *lower) {
    if (c->length != strlen(lower)) return false;
    for (size_t i = 0; i < c->length; i++) {
        const char letter = c->text[i];
        if ((letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter) != lower[i])
            return false;
    }
    return true;
}

bool csv_missing(const csv_cell *c) {
    static const char *const words[] = {"", "na", "n/a", "nan", "null", "?"};
    if (c->length > 4 || (c->length && c->text[0] >= '0' && c->text[0] <= '9')) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cells_is(c, words[i])) return true;
    return false;
}

/* Digits from at on into *mantissa, as long as they fit; counts them, and those that did not. */
static const char *cells_digits(const char *at, const char *end, uint64_t *mantissa,
                                int64_t *digits, int64_t *lost) {
    for (; at < end && *at >= '0' && *at <= '9'; at++, (*digits)++) {
        if (*mantissa > (UINT64_MAX - 9) / 10) (*lost)++;
        else *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
    }
    return at;
}

/* mantissa x 10^exponent. Where both factors are exact in double, as they are for all numbers that
 * people write, so is the rounding, on every machine. */
static double cells_scaled(uint64_t mantissa, int64_t exponent) {
    enum { EXACT = 22 };
    const int64_t size = exponent < 0 ? -exponent : exponent;
    if (mantissa <= (uint64_t)1 << 53 && size <= EXACT) {
        double power = 1;
        for (int64_t i = 0; i < size; i++) power *= 10;
        return exponent < 0 ? (double)mantissa / power : (double)mantissa * power;
    }
    if (mantissa == 0 || exponent < -400) return 0;
    if (exponent > 400) return INFINITY;
    long double value = (long double)mantissa, power = 10;
    for (int64_t n = size; n; n >>= 1, power *= power)
        if (n & 1) value = exponent < 0 ? value / power : value * power;
    return (double)value;
}

bool csv_number(const csv_cell *c, double *value) {
    const char *at = c->text, *const end = at + c->length;
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    uint64_t mantissa = 0;
    int64_t digits = 0, exponent = 0, lost = 0;
    at = cells_digits(at, end, &mantissa, &digits, &exponent);
    if (at < end && *at == '.') {
        const char *const point = at + 1;
        at = cells_digits(point, end, &mantissa, &digits, &lost);
        exponent -= (int64_t)(at - point) - lost;
    }
    if (!digits) return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        const bool down = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) at++;
        uint64_t by = 0;
        int64_t count = 0, more = 0;
        at = cells_digits(at, end, &by, &count, &more);
        if (!count) return false;
        if (more || by > 100000) by = 100000; /* far beyond any number, near enough to add */
        exponent += down ? -(int64_t)by : (int64_t)by;
    }
    if (at != end) return false;
    const double magnitude = cells_scaled(mantissa, exponent);
    *value = negative ? -magnitude : magnitude;
    return true;
}

bool csv_same(const csv_cell *c, const csv_cell *d) {
    return c->length == d->length && memcmp(c->text, d->text, c->length) == 0;
}

size_t csv_word(const csv_cell *c, char out[CSV_LONGEST_WORD]) {
    size_t n = 0;
    for (size_t i = 0; i < c->length; i++) {
        if (n == CSV_LONGEST_WORD - 1) return CSV_LONGEST_WORD;
        out[n++] = c->text[i];
        if (c->quoted && c->text[i] == '"') i++;
    }
    out[n] = 0;
    return n;
}
