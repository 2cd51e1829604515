/* lines.h - metrics.jsonl line by line, whatever else the file may hold. */
#ifndef WEFT_LINES_H
#define WEFT_LINES_H

#include <weft/io.h>

#define LINES_NAME "metrics.jsonl"
enum { LINES_VALUES = 64 }; /* of a line; others are ignored */

typedef struct lines {
    weft_ctx *c;
    weft_file file;
    const char *path;
    size_t at;      /* where the next line begins */
    size_t lines;   /* good ones so far */
    size_t skipped; /* that are no JSON object or have no step, a torn last one among them */
    weft_err err;   /* why it ended early: out of memory */
} lines;

typedef struct lines_line {
    const char *text; /* with its end of line */
    size_t bytes;
    int64_t step;
    double time, wall; /* nan: not said */
    struct {
        weft_json name;
        double value; /* nan where the file has null */
    } at[LINES_VALUES];
    int n;
} lines_line;

weft_err lines_open(lines *in, weft_ctx *c, const char *path); /* no file: no lines */
bool lines_next(lines *in, lines_line *line);                  /* the next good one */
void lines_close(lines *in);
bool lines_is(weft_json key, const char *name); /* weft_json_is, in a hurry */

/* A line of text and bytes as given in *line; false: it is none. Out of memory goes to *err. */
bool lines_parse(weft_ctx *c, const char *path, lines_line *line, weft_err *err);

#endif
