/* input.h - lines from a file or a pipe, as they come.
 *
 * What has arrived is handed on at once: before it waits for more, it flushes what the program has
 * written. Ctrl-C ends the input instead of the program, so that what is known can be put away. */
#ifndef WEFT_INPUT_H
#define WEFT_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { INPUT_LONGEST = 1 << 20 }; /* bytes of a line */

typedef enum input_got {
    INPUT_LINE,
    INPUT_END,
    INPUT_INTERRUPTED, /* Ctrl-C, or asked to end */
    INPUT_TOO_LONG,    /* the line is; nothing more can be read */
    INPUT_FAILED       /* errno says why */
} input_got;

typedef struct input {
    int file;
    char *buffer; /* [INPUT_LONGEST + 1] */
    size_t begin, end;
    bool ended;
} input;

bool input_open(input *in, const char *path); /* "-": standard input; false: errno says why */
void input_close(input *in);

/* The next line without its end, good until the next call; flushes `to` before it waits. */
input_got input_next(input *in, FILE *to, const char **line, size_t *n);

#endif
