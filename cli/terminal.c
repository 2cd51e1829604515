/* terminal.c - asks the system and the environment what terminal.h tells. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* struct winsize; isatty and fileno come along */
#endif
#include "terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <io.h>
bool terminal_is(FILE *to) {
    return _isatty(_fileno(to)) != 0;
}
static void terminal_size(terminal *t) {
    (void)t;
}
#else
#include <sys/ioctl.h>
#include <unistd.h>
bool terminal_is(FILE *to) {
    return isatty(fileno(to)) != 0;
}
static void terminal_size(terminal *t) {
    struct winsize w;
    if (ioctl(fileno(t->to), TIOCGWINSZ, &w) == 0) t->width = w.ws_col, t->height = w.ws_row;
}
#endif

static const char *terminal_variable(const char *name) {
    const char *s = getenv(name);
    return s ? s : "";
}

static bool terminal_utf8(void) {
    /* The first of these that is set decides, as for the C library. */
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *s = "";
    for (int i = 0; i < 3 && !*s; i++) s = terminal_variable(names[i]);
    return strstr(s, "UTF-8") || strstr(s, "utf-8") || strstr(s, "UTF8") || strstr(s, "utf8");
}

terminal terminal_of(FILE *to, terminal_when color) {
    terminal t = {.to = to, .utf8 = terminal_utf8()};
    const bool able = terminal_is(to) && strcmp(terminal_variable("TERM"), "dumb") != 0;
    t.live = able;
    t.color = color == TERMINAL_ALWAYS ||
              (color == TERMINAL_AUTO && able && !*terminal_variable("NO_COLOR"));
    terminal_size(&t);
    if (t.width <= 0) t.width = atoi(terminal_variable("COLUMNS"));
    if (t.width <= 0) t.width = 80;
    if (t.height <= 0) t.height = atoi(terminal_variable("LINES"));
    if (t.height <= 0) t.height = 24;
    return t;
}

const char *terminal_code(const terminal *t, terminal_style style) {
    static const char *const codes[] = {
#define X(name, code) "\x1b[" code "m",
        TERMINAL_STYLES(X)
#undef X
    };
    return t->color ? codes[style] : "";
}

void terminal_line(const terminal *t, const char *format, ...) {
    if (!t->live) return;
    fputs("\r\x1b[K", t->to);
    va_list args;
    va_start(args, format);
    vfprintf(t->to, format, args);
    va_end(args);
    fflush(t->to);
}

void terminal_line_end(const terminal *t) {
    if (!t->live) return;
    fputs("\r\x1b[K", t->to);
    fflush(t->to);
}
