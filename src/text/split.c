/* split.c - text into words by hand-written rules, equal to the patterns in split.h.
 *
 * Each rule looks at the first character of what is left and follows the alternatives of its pattern in
 * their order. Nothing is looked at more than twice: a rule that looks ahead stops at the end of a run
 * and takes at least the run but its last character.
 *
 * A byte that belongs to no character is one of class OTHER. */
#include "text/split.h"

#include "base/utf8.h"
#include "text/classes.h"

#include <string.h>

/* ---- classes ---- */

static void split_put(splitter *s, uint32_t code, uint32_t end, split_class class) {
    for (; code < end && code % 4; code++)
        s->classes[code / 4] |= (unsigned char)(class << code % 4 * 2);
    for (; code + 4 <= end; code += 4) s->classes[code / 4] = (unsigned char)(class * 0x55);
    for (; code < end; code++) s->classes[code / 4] |= (unsigned char)(class << code % 4 * 2);
}

static void split_fill(splitter *s, const uint16_t *lengths, size_t n, split_class class) {
    uint32_t code = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        code += lengths[i];
        split_put(s, code, code + lengths[i + 1], class);
        code += lengths[i + 1];
    }
}

static split_class split_class_of(const splitter *s, uint32_t code) {
    return code < CLASSES_END ? (split_class)(s->classes[code / 4] >> code % 4 * 2 & 3)
                              : SPLIT_OTHER;
}

weft_err split_start(splitter *s, weft_ctx *c) {
    static const uint16_t space[][2] = {
        {0x9, 0xd},       {0x20, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680},
        {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}};
    s->classes = weft_resize(c, NULL, CLASSES_END / 4);
    if (!s->classes) return weft_fail(c, WEFT_MEMORY, "weft_vocab: out of memory");
    memset(s->classes, 0, CLASSES_END / 4);
    split_fill(s, classes_letters, sizeof classes_letters / sizeof *classes_letters, SPLIT_LETTER);
    split_fill(s, classes_numbers, sizeof classes_numbers / sizeof *classes_numbers, SPLIT_NUMBER);
    for (size_t i = 0; i < sizeof space / sizeof *space; i++)
        split_put(s, space[i][0], space[i][1] + 1u, SPLIT_SPACE);
    for (uint32_t code = 0; code < 128; code++)
        s->ascii[code] = (unsigned char)split_class_of(s, code);
    return WEFT_OK;
}

void split_end(splitter *s, weft_ctx *c) {
    weft_resize(c, s->classes, 0);
    s->classes = NULL;
}

/* The class of the character at p, before end, and its bytes. */
static split_class split_far(const splitter *s, const unsigned char *p, const unsigned char *end,
                             size_t *bytes) {
    uint32_t code = CLASSES_END;
    *bytes = utf8_decode((const char *)p, (size_t)(end - p), &code);
    if (!*bytes) *bytes = 1;
    return split_class_of(s, code);
}

static inline split_class split_at(const splitter *s, const unsigned char *p,
                                   const unsigned char *end, size_t *bytes) {
    if (*p >= 0x80) return split_far(s, p, end, bytes);
    *bytes = 1;
    return (split_class)s->ascii[*p];
}

static const unsigned char *split_run(const splitter *s, const unsigned char *p,
                                      const unsigned char *end, split_class class) {
    for (size_t bytes; p < end; p += bytes)
        if (split_at(s, p, end, &bytes) != class) break;
    return p;
}

static bool split_is(const splitter *s, const unsigned char *p, const unsigned char *end,
                     split_class class) {
    size_t bytes;
    return p < end && split_at(s, p, end, &bytes) == class;
}

/* ---- what the rules share ---- */

/* 's 't 're 've 'm 'll 'd at p; 0: none of them. In any case, the long s (U+017F) is one as well. */
static size_t split_contraction(const unsigned char *p, const unsigned char *end, bool any_case) {
    const size_t n = (size_t)(end - p);
    if (n < 2 || *p != '\'') return 0;
    const int fold = any_case ? 0x20 : 0;
    const int a = p[1] | (p[1] < 0x80 ? fold : 0);
    if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
    if (any_case && n > 2 && p[1] == 0xc5 && p[2] == 0xbf) return 3;
    if (n < 3) return 0;
    const int b = p[2] | (p[2] < 0x80 ? fold : 0);
    return (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l') ? 3 : 0;
}

/* \s+(?!\S)|\s+ at white space: the run, without its last character if something follows. */
static const unsigned char *split_spaces(const splitter *s, const unsigned char *p,
                                         const unsigned char *end) {
    const unsigned char *last = p, *at = p;
    for (size_t bytes; at < end; at += bytes) {
        if (split_at(s, at, end, &bytes) != SPLIT_SPACE) break;
        last = at;
    }
    return at == end || last == p ? at : last;
}

/* ---- the rules: where the word that begins at p ends ---- */

static const unsigned char *split_gpt2(const splitter *s, const unsigned char *p,
                                       const unsigned char *end) {
    const size_t contraction = split_contraction(p, end, false);
    if (contraction) return p + contraction;
    const unsigned char *const q = *p == ' ' && p + 1 < end ? p + 1 : p;
    size_t bytes;
    const split_class class = split_at(s, q, end, &bytes);
    return class == SPLIT_SPACE ? split_spaces(s, p, end) : split_run(s, q + bytes, end, class);
}

/* \s*[\r\n]+ at white space: up to the last end of a line in the run; NULL: there is none. */
static const unsigned char *split_lines(const splitter *s, const unsigned char *p,
                                        const unsigned char *end) {
    const unsigned char *found = NULL;
    for (size_t bytes; p < end && split_at(s, p, end, &bytes) == SPLIT_SPACE; p += bytes)
        if (*p == '\n' || *p == '\r') found = p + 1;
    return found;
}

static const unsigned char *split_llama(const splitter *s, const unsigned char *p,
                                        const unsigned char *end) {
    const size_t contraction = split_contraction(p, end, true);
    if (contraction) return p + contraction;
    size_t bytes;
    const split_class class = split_at(s, p, end, &bytes);
    if (class == SPLIT_LETTER) return split_run(s, p + bytes, end, SPLIT_LETTER);
    if (class == SPLIT_NUMBER) {
        const int most = s->rule == SPLIT_QWEN ? 1 : 3;
        for (int i = 0; i < most && split_is(s, p, end, SPLIT_NUMBER); i++)
            split_at(s, p, end, &bytes), p += bytes;
        return p;
    }
    if (*p != '\r' && *p != '\n' && split_is(s, p + bytes, end, SPLIT_LETTER))
        return split_run(s, p + bytes, end, SPLIT_LETTER);
    const unsigned char *q = *p == ' ' ? p + 1 : p;
    if (split_is(s, q, end, SPLIT_OTHER)) {
        q = split_run(s, q, end, SPLIT_OTHER);
        while (q < end && (*q == '\r' || *q == '\n')) q++;
        return q;
    }
    q = split_lines(s, p, end);
    return q ? q : split_spaces(s, p, end);
}

/* ---- walking ---- */

/* Where the rule sees the text end: before the next number, or after it when one is here. */
static const unsigned char *split_stop(const split_walk *w) {
    const unsigned char *p = w->at;
    size_t bytes;
    if (!w->s->digits) return w->end;
    if (split_at(w->s, p, w->end, &bytes) == SPLIT_NUMBER) return p + bytes;
    while (p < w->end && split_at(w->s, p, w->end, &bytes) != SPLIT_NUMBER) p += bytes;
    return p;
}

size_t split_next(split_walk *w) {
    if (w->at >= w->end) return 0;
    if (!w->stop || w->at >= w->stop) w->stop = split_stop(w);
    const unsigned char *const from = w->at;
    w->at = w->s->rule == SPLIT_GPT2 ? split_gpt2(w->s, from, w->stop)
                                     : split_llama(w->s, from, w->stop);
    return (size_t)(w->at - from);
}
