/* detect_write.c - see detect_write.h. The program never sets a locale, so numbers have points. */
#include "detect_write.h"

#include "terminal.h"

#include "base/json.h"
#include "base/utf8.h"

#include <weft/io.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With as many digits as bring the same number back. */
static void detect_number(FILE *to, double x, const char *otherwise) {
    char text[40];
    if (!isfinite(x)) {
        fputs(otherwise, to);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    fputs(text, to);
}

static void detect_score(FILE *to, double x, const char *otherwise) {
    if (isfinite(x)) fprintf(to, "%.6g", x);
    else fputs(otherwise, to);
}

/* A terminal may be what reads it, so nothing in a text is left that one would obey. */
static void detect_cell(FILE *to, const char *text) {
    const bool quoted = text[strcspn(text, ",\"\n\r;\t|")] || *text == ' ';
    char one[12];
    if (quoted) putc('"', to);
    for (size_t left = strlen(text), bytes; left; text += bytes, left -= bytes) {
        bytes = escape_one(one, text, left);
        if (*text == '"') putc('"', to);
        const bool data = *text == '\t' || ((unsigned char)*text > 0x7f && one[1] == 'x' &&
                                            !terminal_is(to)); /* of some other encoding */
        if (data) putc(*text, to);
        else fputs(one, to);
    }
    if (quoted) putc('"', to);
}

void detect_write_names(FILE *to, const weft_rows *r) {
    const char *name;
    fputs("point", to);
    for (int i = 0; (name = weft_rows_kept(r, i, NULL)); i++) putc(',', to), detect_cell(to, name);
    for (int i = 0; (name = weft_rows_column(r, i)); i++) putc(',', to), detect_cell(to, name);
    fputs(",score,label,expected,since\n", to);
}

void detect_write_csv(FILE *to, const weft_rows *r, int64_t point, const weft_point *p) {
    const char *text;
    fprintf(to, "%lld", (long long)point);
    for (int i = 0; weft_rows_kept(r, i, &text); i++) putc(',', to), detect_cell(to, text);
    for (int i = 0; i < weft_rows_columns(r); i++)
        putc(',', to), detect_number(to, weft_rows_values(r)[i], "");
    putc(',', to);
    detect_score(to, p->score, "");
    fprintf(to, ",%s,", weft_label_name(p->label));
    detect_score(to, p->expected, "");
    putc(',', to);
    if (p->since >= 0) fprintf(to, "%lld", (long long)p->since);
    putc('\n', to);
}

static void detect_quoted(FILE *to, const char *text) {
    char some[512], *all = some;
    const size_t n = json_quote(some, sizeof some, text);
    if (n >= sizeof some && (all = malloc(n + 1))) json_quote(all, n + 1, text);
    fputs(all ? all : "null", to);
    if (all != some) free(all);
}

void detect_write_json(FILE *to, const weft_rows *r, int64_t point, const weft_point *p) {
    const char *name, *text;
    fprintf(to, "{\"point\": %lld", (long long)point);
    for (int i = 0; (name = weft_rows_kept(r, i, &text)); i++) {
        fputs(", ", to), detect_quoted(to, name);
        fputs(": ", to), detect_quoted(to, text);
    }
    for (int i = 0; (name = weft_rows_column(r, i)); i++) {
        fputs(", ", to), detect_quoted(to, name);
        fputs(": ", to), detect_number(to, weft_rows_values(r)[i], "null");
    }
    fputs(", \"score\": ", to);
    detect_score(to, p->score, "null");
    fprintf(to, ", \"label\": \"%s\", \"expected\": ", weft_label_name(p->label));
    detect_score(to, p->expected, "null");
    fputs(", \"since\": ", to);
    if (p->since >= 0) fprintf(to, "%lld}\n", (long long)p->since);
    else fputs("null}\n", to);
}
