/* text.c - the one string builder. */
#include "base/text.h"
#include "base/json.h"
#include "base/utf8.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_room(text *t, size_t more) {
    if (t->failed) return false;
    if (more < t->cap - t->n) return true; /* one byte stays for the 0 */
    const size_t grown = t->cap * 2 + more + 256;
    char *s = grown > more ? mem_resize(t->m, t->s, grown) : NULL;
    if (!s) {
        t->failed = true;
        return false;
    }
    t->s = s;
    t->cap = grown;
    return true;
}

void text_raw(text *t, const void *bytes, size_t n) {
    if (!text_room(t, n)) return;
    if (n) memcpy(t->s + t->n, bytes, n);
    t->n += n;
    t->s[t->n] = 0;
}

void text_put(text *t, const char *s) {
    text_raw(t, s, strlen(s));
}

void text_add(text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const size_t room = t->failed ? 0 : t->cap - t->n;
    const int n = vsnprintf(room ? t->s + t->n : NULL, room, format, args);
    va_end(args);
    if (n >= 0 && text_room(t, (size_t)n)) {
        if ((size_t)n >= room) vsnprintf(t->s + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

void text_escape(text *t, const char *s) {
    char one[12];
    for (size_t left = strlen(s), bytes; left; s += bytes, left -= bytes) {
        bytes = escape_one(one, s, left);
        text_put(t, one);
    }
}

void text_quote(text *t, const char *s) {
    const size_t n = json_quote(NULL, 0, s);
    if (!text_room(t, n)) return;
    json_quote(t->s + t->n, n + 1, s);
    t->n += n;
}

static const char text_unknown[] = "\xef\xbf\xbd"; /* U+FFFD, for what must not be shown */

void text_html(text *t, const char *s) {
    size_t left = strlen(s);
    while (left) {
        char one[12];
        const size_t n = escape_one(one, s, left);
        const char c = *s;
        if (memcmp(one, s, n) != 0 && c != '\n' && c != '\t') text_put(t, text_unknown);
        else if (c == '&') text_put(t, "&amp;");
        else if (c == '<') text_put(t, "&lt;");
        else if (c == '>') text_put(t, "&gt;");
        else if (c == '"') text_put(t, "&quot;");
        else if (c == '\'') text_put(t, "&#39;");
        else text_raw(t, s, n);
        s += n, left -= n;
    }
}

void text_number(text *t, double v) {
    char s[400]; /* room for any double in any form, as compilers count it */
    if (!isfinite(v)) {
        text_put(t, "null");
        return;
    }
    int digits = 17;
    const bool whole = v == floor(v) && fabs(v) < 1e15;
    /* A float comes back as the float it was, anything else as the double. */
    const bool single = fabs(v) < 3e38 && (double)(float)v == v;
    for (int fewer = single ? 6 : 15; !whole && fewer < digits; fewer++) {
        snprintf(s, sizeof s, "%.*g", fewer, v);
        const double back = strtod(s, NULL);
        if (single ? (float)back == (float)v : back == v) digits = fewer;
    }
    text_put(t, number_text(s, sizeof s, whole ? 'f' : 'g', whole ? 0 : digits, v));
}

void text_digits(text *t, double v, int digits) {
    char s[400];
    text_put(t, isfinite(v) ? number_text(s, sizeof s, 'g', digits, v) : "null");
}

void text_fixed(text *t, double v, int decimals) {
    char s[400];
    text_put(t, number_text(s, sizeof s, 'f', decimals, v));
}

void text_little(text *t, uint64_t v, int bytes) {
    unsigned char b[8];
    for (int i = 0; i < bytes; i++) b[i] = (unsigned char)(v >> 8 * i);
    text_raw(t, b, (size_t)bytes);
}

void text_clear(text *t) {
    t->n = 0;
    if (t->s) t->s[0] = 0;
}

void text_free(text *t) {
    mem_free(t->m, t->s);
    *t = (text){.m = t->m};
}

const char *shape_text(char *buf, size_t n, int rank, const int64_t *dim) {
    size_t at = 0;
    int w = snprintf(buf, n, "[");
    for (int i = 0; i <= rank && w >= 0; i++) {
        at += (size_t)w;
        if (at >= n) break;
        w = i < rank ? snprintf(buf + at, n - at, "%s%lld", i ? "," : "", (long long)dim[i])
                     : snprintf(buf + at, n - at, "]");
    }
    return buf;
}

/* What printf wrote, with a point for whatever the locale puts there. */
static void text_point(char *s) {
    char *to = s;
    for (bool foreign = false; *s; s++) {
        const bool usual = strchr("0123456789+-e.", *s) != NULL;
        if (usual) *to++ = *s;
        else if (!foreign) *to++ = '.';
        foreign = !usual;
    }
    *to = 0;
}

const char *number_text(char *out, size_t n, char style, int digits, double v) {
    snprintf(out, n, style == 'f' ? "%.*f" : "%.*g", digits, v);
    if (n && isfinite(v)) text_point(out);
    return out;
}
