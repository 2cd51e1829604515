/* json.c - the writer of json.h. The program never sets a locale, so numbers have points. */
#include "json.h"

#include "base/json.h"
#include "base/utf8.h"

#include <weft/io.h>

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Character by character, so that no text is too long. */
static void json_string(FILE *to, const char *s) {
    char one[12], quoted[40];
    putc('"', to);
    for (size_t left = strlen(s), bytes; left; s += bytes, left -= bytes) {
        bytes = escape_one(one, s, left);
        memcpy(one, s, bytes);
        one[bytes] = 0;
        const size_t n = json_quote(quoted, sizeof quoted, one);
        fwrite(quoted + 1, 1, n - 2, to);
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

void json_raw(json *j, const char *key, const char *value) {
    json_key(j, key);
    for (; *value; value++) /* a line stays one */
        if (*value != '\n') putc(*value, j->to);
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
