/* terminal.h - what the other side of a stream can show: a person or a file, colours, letters.
 *
 * Colour is off when NO_COLOR is set, TERM is dumb or the stream is no terminal, unless the user
 * asks for it. Block letters need a locale that says UTF-8. */
#ifndef WEFT_TERMINAL_H
#define WEFT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#define TERMINAL_WHEN "auto|always|never" /* the words of --color, in the order of the enum */
typedef enum terminal_when { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER } terminal_when;

typedef struct terminal {
    FILE *to;
    bool live; /* a line may be drawn over itself                            */
    bool color, utf8;
    int width;  /* columns; 80 if unknown                                    */
    int height; /* lines; 24 if unknown                                      */
} terminal;

/*               name   escape sequence's number */
#define TERMINAL_STYLES(X)                                                                         \
    X(PLAIN, "0") X(BOLD, "1") X(DIM, "2") X(RED, "31") X(GREEN, "32") X(YELLOW, "33")               \
    X(CYAN, "36")

typedef enum terminal_style {
#define X(name, code) TERMINAL_##name,
    TERMINAL_STYLES(X)
#undef X
} terminal_style;

bool terminal_is(FILE *to); /* a person may be looking */
terminal terminal_of(FILE *to, terminal_when color);
const char *terminal_code(const terminal *t, terminal_style style); /* "" without colour        */
void terminal_line(const terminal *t, const char *format, ...);     /* over the last such line  */
void terminal_line_end(const terminal *t);                          /* removes it               */

#endif
