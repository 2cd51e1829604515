/* json.c - the writer of json.h. The program never sets a locale, so numbers have points. */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

static void json_string(FILE *to, const char *s) {
    putc('"', to);
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') fprintf(to, "\\%c", c);
        else if (c < 0x20 || c == 0x7f) fprintf(to, "\\u%04x", c);
        else putc(c, to);
    }
    putc('"', to);
}

static void json_key(json *j, const char *key) {
    if (j->comma) fputs(", ", j->to);
    j->comma = true;
    if (key) {
        json_string(j->to, key);
        fputs(": ", j->to);
    }
}

json json_begin(FILE *to) {
    json j = {.to = to, .depth = 1, .close = {'}'}};
    putc('{', to);
    return j;
}

void json_end(json *j) {
    while (j->depth) json_close(j);
    putc('\n', j->to);
    fflush(j->to); /* a line is a result; whoever reads along has it now */
}

void json_text(json *j, const char *key, const char *value) {
    json_key(j, key);
    if (value) json_string(j->to, value);
    else fputs("null", j->to);
}

void json_number(json *j, const char *key, double value) {
    json_key(j, key);
    if (isfinite(value)) fprintf(j->to, "%.9g", value);
    else fputs("null", j->to);
}

void json_integer(json *j, const char *key, int64_t value) {
    json_key(j, key);
    fprintf(j->to, "%" PRId64, value);
}

void json_bool(json *j, const char *key, bool value) {
    json_key(j, key);
    fputs(value ? "true" : "false", j->to);
}

void json_open(json *j, const char *key, char bracket) {
    assert(j->depth < (int)sizeof j->close);
    json_key(j, key);
    putc(bracket, j->to);
    j->close[j->depth++] = bracket == '[' ? ']' : '}';
    j->comma = false;
}

void json_close(json *j) {
    putc(j->close[--j->depth], j->to);
    j->comma = true;
}
