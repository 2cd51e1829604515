/* tell.c - finds the conversions of a format one by one, and prints all but %s by fprintf. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "tell.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* At most `most` bytes of the text, as escape_text shows them; gives the characters that took. */
static int tell_escaped(FILE *to, const char *text, size_t most, int characters) {
    int printed = 0;
    char one[12];
    size_t left = strnlen(text, most);
    for (size_t bytes; left && printed < characters; text += bytes, left -= bytes) {
        bytes = escape_one(one, text, left);
        const bool plain = one[0] != '\\' || text[0] == '\\';
        fputs(one, to);
        printed += plain ? 1 : (int)strlen(one);
    }
    return printed;
}

void tell_text(FILE *to, const char *text, int width) {
    int printed = tell_escaped(to, text, SIZE_MAX, width < 0 ? -width : INT32_MAX);
    for (; printed < width; printed++) putc(' ', to);
}

void tell_lines(FILE *to, const char *text, size_t n) {
    char one[12];
    for (size_t at = 0, bytes; at < n; at += bytes) {
        bytes = escape_one(one, text + at, n - at);
        if (!bytes) bytes = 1, snprintf(one, sizeof one, "\\x00");
        const bool stays = text[at] == '\n' || text[at] == '\t';
        if (stays) putc(text[at], to);
        else fputs(one, to);
    }
}

typedef struct tell_spec {
    bool left;
    int width, precision; /* precision below 0: not given */
    char length, kind;    /* length: 'L' for ll */
} tell_spec;

static void tell_string(FILE *to, const tell_spec *s, const char *text) {
    const size_t most = s->precision < 0 ? SIZE_MAX : (size_t)s->precision;
    if (s->left || !s->width) {
        for (int printed = tell_escaped(to, text, most, INT32_MAX); printed < s->width; printed++)
            putc(' ', to);
        return;
    }
    int columns = 0; /* to the right: counted first */
    char one[12];
    size_t left = strnlen(text, most);
    for (size_t at = 0, bytes; at < left; at += bytes) {
        bytes = escape_one(one, text + at, left - at);
        columns += one[0] != '\\' || text[at] == '\\' ? 1 : (int)strlen(one);
    }
    for (; columns < s->width; columns++) putc(' ', to);
    tell_escaped(to, text, most, INT32_MAX);
}

/* format: after the '%'; gives what comes after the conversion. Flags and numbers are copied into
 * `copy`, a format of its own, with the stars filled in. */
static const char *tell_read(const char *format, va_list *args, tell_spec *s, char copy[48]) {
    char *out = copy;
    *s = (tell_spec){.precision = -1};
    *out++ = '%';
    for (; *format && strchr("-+ #0", *format) && out < copy + 6; format++) {
        s->left = s->left || *format == '-';
        *out++ = *format;
    }
    if (*format == '*') {
        s->width = va_arg(*args, int);
        if (s->width < 0) s->left = true, s->width = -s->width;
        format++;
    } else {
        for (; *format >= '0' && *format <= '9'; format++) s->width = 10 * s->width + *format - '0';
    }
    if (*format == '.') {
        s->precision = 0;
        if (*++format == '*') s->precision = va_arg(*args, int), format++;
        for (; *format >= '0' && *format <= '9'; format++)
            s->precision = 10 * s->precision + *format - '0';
    }
    if (s->width) out += snprintf(out, 12, "%d", s->width % 10000);
    if (s->precision >= 0) out += snprintf(out, 12, ".%d", s->precision % 10000);
    for (; *format == 'l' || *format == 'z' || *format == 'j' || *format == 't'; format++) {
        s->length = s->length == 'l' ? 'L' : *format;
        *out++ = *format;
    }
    s->kind = *format;
    *out++ = *format;
    *out = 0;
    return *format ? format + 1 : format;
}

/* The formats are literals, and WEFT_PRINTF has compared them with their arguments. */
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif

static void tell_whole(FILE *to, const tell_spec *s, const char *copy, va_list *args) {
    switch (s->length) {
    case 'L': fprintf(to, copy, va_arg(*args, long long)); break;
    case 'l': fprintf(to, copy, va_arg(*args, long)); break;
    case 'z': fprintf(to, copy, va_arg(*args, size_t)); break;
    case 'j': fprintf(to, copy, va_arg(*args, intmax_t)); break;
    case 't': fprintf(to, copy, va_arg(*args, ptrdiff_t)); break;
    default: fprintf(to, copy, va_arg(*args, int)); break;
    }
}

void tell(FILE *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    while (*format) {
        const size_t plain = strcspn(format, "%");
        if (plain) fwrite(format, 1, plain, to);
        format += plain;
        if (!*format) break;
        tell_spec s;
        char copy[48], letter[2] = "";
        format = tell_read(format + 1, &args, &s, copy);
        switch (s.kind) {
        case '%': putc('%', to); break;
        case 's': tell_string(to, &s, va_arg(args, const char *)); break;
        case 'c': letter[0] = (char)va_arg(args, int), tell_string(to, &s, letter); break;
        case 'd':
        case 'i':
        case 'u':
        case 'x': tell_whole(to, &s, copy, &args); break;
        case 'e':
        case 'f':
        case 'g': fprintf(to, copy, va_arg(args, double)); break;
        default: assert(!"a conversion that tell does not know"); break;
        }
    }
    va_end(args);
}
