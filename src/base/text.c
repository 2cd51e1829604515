/* text.c - the one string builder. */
#include "base/text.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool text_room(text *t, size_t more) {
    if (t->failed) return false;
    if (t->n + more + 1 <= t->cap) return true;
    size_t grown = t->cap * 2 + more + 256;
    char *s = mem_resize(t->m, t->s, grown);
    if (!s) {
        t->failed = true;
        return false;
    }
    t->s = s;
    t->cap = grown;
    return true;
}

void text_raw(text *t, const char *s, size_t n) {
    if (!text_room(t, n)) return;
    memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = 0;
}

void text_add(text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && text_room(t, (size_t)n)) {
        vsnprintf(t->s + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
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
