/* wording.c - a text that grows in the context's memory; the first failure sticks. */
#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "profile.h"

#include <weft/io.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool wording_room(profile_text *t, size_t more) {
    if (t->failed) return false;
    if (t->n + more + 1 <= t->room) return true;
    const size_t room = t->room + t->room / 2 + more + 4096;
    char *s = weft_resize(t->c, t->s, room);
    t->failed = !s;
    if (!s) return false;
    t->s = s;
    t->room = room;
    return true;
}

void profile_add(profile_text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const size_t room = t->failed ? 0 : t->room - t->n;
    int n = vsnprintf(t->failed || !t->s ? NULL : t->s + t->n, room, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n >= room && wording_room(t, (size_t)n))
        n = vsnprintf(t->s + t->n, t->room - t->n, format, again);
    va_end(again);
    if (n >= 0 && !t->failed) t->n += (size_t)n;
}

void profile_quote(profile_text *t, const char *s) {
    char clean[256];
    utf8_fit(clean, sizeof clean, s);
    const size_t n = json_quote(NULL, 0, clean);
    if (!wording_room(t, n + 1)) return;
    json_quote(t->s + t->n, t->room - t->n, clean);
    t->n += n;
}

void profile_number(profile_text *t, double v, int digits) {
    char s[64];
    profile_add(t, "%s", isfinite(v) ? number_text(s, sizeof s, 'g', digits, v) : "null");
}
