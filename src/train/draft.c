/* draft.c - growing text, escapes for HTML, and numbers without a locale. */
#include "draft.h"
#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"

#include <weft/io.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool draft_room(draft *d, size_t more) {
    if (d->failed) return false;
    if (more < d->capacity - d->n) return true;
    const size_t grown = d->capacity * 2 + more + 256;
    char *s = weft_resize(d->c, d->s, grown);
    if (!s) {
        d->failed = true;
        return false;
    }
    d->s = s;
    d->capacity = grown;
    return true;
}

void draft_raw(draft *d, const void *bytes, size_t n) {
    if (!draft_room(d, n)) return;
    memcpy(d->s + d->n, bytes, n);
    d->n += n;
    d->s[d->n] = 0;
}

void draft_text(draft *d, const char *s) {
    draft_raw(d, s, strlen(s));
}

void draft_add(draft *d, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && draft_room(d, (size_t)n)) {
        vsnprintf(d->s + d->n, (size_t)n + 1, format, again);
        d->n += (size_t)n;
    }
    va_end(again);
}

void draft_clear(draft *d) {
    d->n = 0;
    if (d->s) d->s[0] = 0;
}

void draft_free(draft *d) {
    weft_resize(d->c, d->s, 0);
    d->s = NULL;
    d->n = d->capacity = 0;
}

/* ---- letters ---- */

bool draft_utf8(const char *s) {
    size_t left = strlen(s), n;
    for (; left && (n = utf8_length(s, left)) > 0; s += n) left -= n;
    return !left;
}

static const char draft_unknown[] = "\xef\xbf\xbd"; /* U+FFFD, for what must not be shown */

void draft_json(draft *d, const char *s) {
    const size_t n = json_quote(NULL, 0, s);
    if (!draft_room(d, n)) return;
    json_quote(d->s + d->n, n + 1, s);
    d->n += n;
}

void draft_html(draft *d, const char *s) {
    size_t left = strlen(s);
    while (left) {
        char one[12];
        const size_t n = escape_one(one, s, left);
        const char c = *s;
        if (memcmp(one, s, n) != 0 && c != '\n' && c != '\t') draft_text(d, draft_unknown);
        else if (c == '&') draft_text(d, "&amp;");
        else if (c == '<') draft_text(d, "&lt;");
        else if (c == '>') draft_text(d, "&gt;");
        else if (c == '"') draft_text(d, "&quot;");
        else if (c == '\'') draft_text(d, "&#39;");
        else draft_raw(d, s, n);
        s += n, left -= n;
    }
}

/* ---- numbers ---- */

void draft_number(draft *d, double v) {
    char s[400]; /* room for any double in any form, as compilers count it */
    if (!isfinite(v)) {
        draft_text(d, "null");
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
    draft_text(d, number_text(s, sizeof s, whole ? 'f' : 'g', whole ? 0 : digits, v));
}

void draft_fixed(draft *d, double v, int decimals) {
    char s[400];
    draft_text(d, number_text(s, sizeof s, 'f', decimals, v));
}
