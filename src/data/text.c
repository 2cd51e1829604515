/* text.c - text as windows of characters, each with the window one character later as its target.
 *
 * Bytes are used in place: windows overlap in memory, nothing is copied. Characters are
 * decoded twice, first to check them and to see which there are, then to write their numbers. Which
 * there are is a bitmap over all code points; a character's number is how many bits lie below its
 * own, so classes are in the order of code points. */
#include "base/reader.h"
#include "base/utf8.h"
#include "data/set.h"

#include <weft/io.h>

#include <stdio.h>
#include <string.h>

enum { TEXT_CODES = 0x110000, TEXT_WORDS = TEXT_CODES / 64, TEXT_LENGTH = 64 };

typedef struct text_alphabet {
    uint64_t has[TEXT_WORDS];
    int32_t below[TEXT_WORDS]; /* characters in earlier words   */
    uint32_t words;            /* up to the last that has any   */
    int32_t count;
} text_alphabet;

/* The character at p, of `left` bytes; gives its length, or 0 and what is wrong. Overlong forms and
 * surrogates are wrong: each character has one spelling. */
static int text_decode(const unsigned char *p, size_t left, uint32_t *code, const char **wrong) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const int length = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    *wrong = NULL;
    if (length == 0) *wrong = "a continuation byte without its first byte";
    else if (p[0] >= 0xf8) *wrong = "a byte that begins no character";
    else if ((size_t)length > left) *wrong = "the text ends inside a character";
    if (*wrong) return 0;
    *code = length == 1 ? p[0] : p[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            *wrong = "a character of several bytes breaks off";
            return 0;
        }
        *code = *code << 6 | (p[i] & 0x3f);
    }
    if (*code < least[length]) *wrong = "a character in a longer form than it needs";
    else if (*code >= 0xd800 && *code < 0xe000) *wrong = "half of a surrogate pair";
    else if (*code >= TEXT_CODES) *wrong = "a code beyond 10ffff";
    return *wrong ? 0 : length;
}

static int text_bits(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(x * 0x0101010101010101u >> 56);
}

static int32_t text_letter_number(const text_alphabet *a, uint32_t code) {
    return a->below[code / 64] + text_bits(a->has[code / 64] & (((uint64_t)1 << code % 64) - 1));
}

static void text_add_code(text_alphabet *a, uint32_t code) {
    a->has[code / 64] |= (uint64_t)1 << code % 64;
    if (code / 64 >= a->words) a->words = code / 64 + 1;
}

static void text_count(text_alphabet *a) {
    a->count = 0;
    for (uint32_t i = 0; i < a->words; i++) {
        a->below[i] = a->count;
        a->count += text_bits(a->has[i]);
    }
}

/* ---- characters ---- */

/* The alphabet that another set has, from the names of its classes. */
static weft_err text_alphabet_of(weft_ctx *c, const weft_data *like, text_alphabet *a) {
    const int x = weft_data_find(like, "x");
    const weft_field f = weft_data_field(like, x < 0 ? SIZE_MAX : (size_t)x);
    if (!f.class_names)
        return weft_fail(c, WEFT_ARGUMENT, "weft_data_text: .like is not a set of characters");
    for (int64_t i = 0; i < f.classes; i++) {
        uint32_t code = 0; /* the name of the zero character is empty */
        const char *wrong;
        const unsigned char *const name = (const unsigned char *)f.class_names[i];
        const size_t length = strlen(f.class_names[i]);
        if (length && (size_t)text_decode(name, length, &code, &wrong) != length)
            return weft_fail(c, WEFT_ARGUMENT,
                             "weft_data_text: class %lld of .like is no character", (long long)i);
        text_add_code(a, code);
    }
    return WEFT_OK;
}

/* Checks every character; without a given alphabet, notes it. Gives how many there are. */
static weft_err text_survey(reader *in, bool given, text_alphabet *a, size_t *characters) {
    *characters = 0;
    for (size_t i = 0; i < in->n; (*characters)++) {
        uint32_t code = 0;
        const char *wrong;
        const int length = text_decode(in->bytes + i, in->n - i, &code, &wrong);
        if (length && given && !(a->has[code / 64] >> code % 64 & 1))
            wrong = "it does not occur in the other text";
        if (wrong) {
            char field[40];
            snprintf(field, sizeof field, "character %zu", *characters);
            return reader_fail(in, WEFT_FORMAT, i, field, "%s", wrong);
        }
        text_add_code(a, code);
        i += (size_t)length;
    }
    text_count(a);
    return WEFT_OK;
}

static const char *const *text_names(weft_data *d, const text_alphabet *a) {
    enum { LONGEST = 5 };
    const size_t count = (size_t)a->count;
    const char **names = data_alloc(d->names_store, count * (sizeof *names + LONGEST));
    if (!names) return NULL;
    char *text = (char *)(names + count);
    size_t n = 0;
    for (uint32_t code = 0; n < count; code++) {
        if (!(a->has[code / 64] >> code % 64 & 1)) continue;
        names[n++] = text;
        text += utf8_encode(code, text);
        *text++ = 0;
    }
    return names;
}

/* The numbers of all characters: bytes if there are at most 256 different ones. */
static weft_err text_numbers(weft_data *d, const reader *in, const text_alphabet *a,
                             size_t characters, weft_field *f) {
    f->classes = a->count;
    f->dtype = a->count <= 256 ? WEFT_U8 : WEFT_I32;
    f->class_names = text_names(d, a);
    if (!f->class_names) return WEFT_MEMORY;
    const size_t size = weft_dtype_size(f->dtype);
    void *numbers = data_alloc(d->rows_store, characters * size);
    if (!numbers) return WEFT_MEMORY;
    f->rows = numbers;
    uint8_t *narrow = numbers;
    int32_t *wide = numbers;
    size_t i = 0;
    for (size_t k = 0; k < characters; k++) {
        uint32_t code = 0;
        const char *wrong;
        i += (size_t)text_decode(in->bytes + i, in->n - i, &code, &wrong);
        const int32_t number = text_letter_number(a, code);
        if (size == 1) narrow[k] = (uint8_t)number;
        else wide[k] = number;
    }
    return WEFT_OK;
}

/* ---- windows ---- */

/* a NULL: bytes. */
static weft_err text_windows(weft_data *d, weft_bytes file, const weft_text_desc *t,
                             text_alphabet *a) {
    const int64_t length = t->length ? t->length : TEXT_LENGTH;
    const int64_t stride = t->stride ? t->stride : length;
    if (length < 1 || stride < 1 || stride > INT64_MAX / 4)
        return weft_fail(d->ctx, WEFT_ARGUMENT,
                         "weft_data_text: length %lld, stride %lld; both must be above 0",
                         (long long)length, (long long)stride);
    reader in = reader_of(d->ctx, file.name, file.data, file.bytes);
    size_t characters = in.n;
    if (a && t->like) WEFT_TRY(text_alphabet_of(d->ctx, t->like, a));
    if (a) WEFT_TRY(text_survey(&in, t->like != NULL, a, &characters));
    if (characters <= (uint64_t)length)
        return reader_fail(&in, WEFT_FORMAT, in.n, "text",
                           "it has %zu characters; a window of %lld and its target need one "
                           "more than that",
                           characters, (long long)length);
    weft_field x = {.name = "x", .dims = weft_dims(length)};
    if (a) {
        WEFT_TRY(text_numbers(d, &in, a, characters, &x));
    } else {
        x.dtype = WEFT_U8;
        x.classes = 256;
        x.rows = in.bytes;
    }
    d->rows = (int64_t)((characters - 1 - (size_t)length) / (size_t)stride) + 1;
    const size_t size = weft_dtype_size(x.dtype);
    x.row_bytes = (size_t)stride * size;
    weft_field y = x;
    y.name = "y";
    y.rows = (const char *)x.rows + size;
    data_add(d, x);
    data_add(d, y);
    return WEFT_OK;
}

static weft_err text_fill(weft_data *d, weft_bytes file, const weft_text_desc *t) {
    static const weft_text_desc none;
    if (!t) t = &none;
    if (t->bytes) return text_windows(d, file, t, NULL);
    text_alphabet *a = weft_resize(d->ctx, NULL, sizeof *a);
    if (!a) return weft_fail(d->ctx, WEFT_MEMORY, "weft_data_text: out of memory");
    memset(a, 0, sizeof *a);
    const weft_err e = text_windows(d, file, t, a);
    weft_resize(d->ctx, a, 0);
    return e;
}

weft_data *weft_data_parse_text(weft_ctx *c, weft_bytes file, const weft_text_desc *t) {
    weft_data *d = data_new(c, 2, NULL, false);
    if (!d) return NULL;
    if (!file.data)
        return data_done(d, weft_fail(c, WEFT_ARGUMENT, "weft_data_parse_text: no bytes"));
    return data_done(d, text_fill(d, file, t));
}

weft_data *weft_data_text(weft_ctx *c, const char *path, const weft_text_desc *t) {
    weft_data *d = data_new(c, 2, NULL, false);
    if (!d) return NULL;
    weft_bytes file = {0};
    weft_err e = data_open(d->rows_store, path, &file);
    if (e == WEFT_OK) e = text_fill(d, file, t);
    return data_done(d, e);
}
