/* lines.c - reads metrics.jsonl. A killed program may have truncated the last line, another program may have
 * edited the file: a malformed line is skipped and counted. */
#include "lines.h"
#include "folder.h"

#include <math.h>
#include <string.h>

weft_err lines_open(lines *in, weft_ctx *c, const char *path) {
    *in = (lines){.c = c, .path = path};
    return path_exists(path) ? weft_file_open(c, path, &in->file) : WEFT_OK;
}

void lines_close(lines *in) {
    weft_file_close(&in->file);
}

bool lines_is(weft_json key, const char *name) {
    const size_t n = strlen(name), inside = (size_t)(key.end - key.at) - 2;
    if (inside == n && memcmp(key.at + 1, name, n) == 0) return true;
    return inside > n && memchr(key.at, '\\', inside) && weft_json_is(key, name);
}

/* Whole digits, or a number such as 1e3 or 50.0 that other programs write. */
static bool lines_step(weft_json value, int64_t *step) {
    *step = weft_json_integer(value, INT64_MIN);
    if (*step != INT64_MIN) return true;
    const double v = weft_json_number(value, NAN);
    if (!(fabs(v) < 0x1p53)) return false;
    *step = (int64_t)v;
    return true;
}

bool lines_parse(weft_ctx *c, const char *path, lines_line *line, weft_err *err) {
    const weft_json all = weft_json_parse(c, line->text, line->bytes, path);
    if (weft_json_kind_of(all) == WEFT_JSON_NONE && weft_error_code(c) == WEFT_MEMORY)
        *err = WEFT_MEMORY; /* says nothing about the line */
    if (weft_json_kind_of(all) != WEFT_JSON_OBJECT) return false;
    bool stepped = false;
    line->time = line->wall = NAN;
    line->n = 0;
    for (weft_json key = {0}, value = {0}; weft_json_next(all, &key, &value);) {
        const weft_json_kind kind = weft_json_kind_of(value);
        if (kind != WEFT_JSON_NUMBER && kind != WEFT_JSON_NULL) continue;
        const double v = weft_json_number(value, NAN);
        if (lines_is(key, "step")) stepped = lines_step(value, &line->step);
        else if (lines_is(key, "time")) line->time = v;
        else if (lines_is(key, "wall")) line->wall = v;
        else if (line->n < LINES_VALUES) {
            line->at[line->n].name = key;
            line->at[line->n++].value = v;
        }
    }
    return stepped;
}

bool lines_next(lines *in, lines_line *line) {
    while (in->at < in->file.n && in->err == WEFT_OK) {
        const char *text = (const char *)in->file.bytes + in->at;
        const char *end = memchr(text, '\n', in->file.n - in->at);
        line->text = text;
        line->bytes = end ? (size_t)(end - text) + 1 : in->file.n - in->at;
        in->at += line->bytes;
        /* Without its end a line may be cut in the middle of a number. */
        if (end && lines_parse(in->c, in->path, line, &in->err)) {
            in->lines++;
            return true;
        }
        if (end != text) in->skipped++; /* an empty line is nothing */
    }
    return false;
}
