/* text_world.h - what the tests of vocabularies share: a counting context, texts and the fixture of other
 * programs' answers, a small vocabulary, and byte pair encoding done slowly. */
#ifndef WEFT_TEST_TEXT_WORLD_H
#define WEFT_TEST_TEXT_WORLD_H

#include "io_world.h"
#include "weft/text.h"

static inline weft_bytes bytes_of(const char *text) {
    return (weft_bytes){"memory", text, strlen(text)};
}

/* ---- the fixture: texts, and what others made of them ---- */

typedef struct fixture {
    FILE *file;
    char line[1 << 16];
    unsigned char text[1 << 13]; /* of the case */
    size_t n;
} fixture;

/* The next line; gives its name, and leaves the rest in *rest. NULL: the end. */
static inline const char *fixture_next(fixture *f, char **rest) {
    if (!f->file) f->file = fopen("tests/golden/text.txt", "r");
    if (!f->file || !fgets(f->line, sizeof f->line, f->file)) {
        if (f->file) fclose(f->file);
        f->file = NULL;
        return NULL;
    }
    char *const space = strchr(f->line, ' ');
    if (!CHECK(space != NULL)) return NULL;
    *space = 0;
    *rest = space + 1;
    if (strcmp(f->line, "text") == 0) {
        unsigned byte;
        for (f->n = 0; sscanf(*rest + 2 * f->n, "%2x", &byte) == 1 && f->n < sizeof f->text;)
            f->text[f->n++] = (unsigned char)byte;
    }
    return f->line;
}

/* ---- round trips ---- */

static inline bool comes_back(const weft_vocab *v, const void *text, size_t n) {
    int32_t *ids = malloc((n + 1) * sizeof *ids);
    char *back = malloc(n + 1);
    size_t count = 0, m = 0;
    bool good = weft_vocab_encode(v, text, n, NULL, ids, n, &count) == WEFT_OK && count <= n;
    good = good && weft_vocab_decode(v, ids, count, back, n, &m) == WEFT_OK;
    good = good && m == n && memcmp(back, text, n) == 0;
    free(ids);
    free(back);
    return good;
}

/* ---- the slow way: words as lists of texts, and the first of a list of merges that fits ---- */

/* The published table: printable bytes stand for themselves, the others for U+0100 and on. */
static inline void slow_letter(int byte, char out[4]) {
    int code = byte, others = 0;
    for (int b = 0; b <= byte; b++) {
        const bool printable = (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
        if (b == byte && !printable) code = 256 + others;
        others += !printable;
    }
    memset(out, 0, 4);
    if (code < 0x80) out[0] = (char)code;
    else out[0] = (char)(0xc0 | code >> 6), out[1] = (char)(0x80 | (code & 63));
}

typedef struct slow {
    char *file;
    weft_json vocab;
    int merges;
    char (*left)[64], (*right)[64];
    int ids; /* entries of the vocabulary */
    char (*name)[128];
    int *id;
} slow;

static inline slow slow_open(weft_ctx *c, const char *path) {
    slow s = {0};
    weft_file f;
    if (!CHECK(weft_file_open(c, path, &f) == WEFT_OK)) return s;
    s.file = malloc(f.n);
    memcpy(s.file, f.bytes, f.n);
    const weft_json all = weft_json_parse(c, s.file, f.n, path);
    weft_file_close(&f);
    const weft_json merges = weft_json_get(all, "model.merges");
    s.vocab = weft_json_get(all, "model.vocab");
    const size_t n = weft_json_count(merges), m = weft_json_count(s.vocab);
    s.left = malloc((n + 1) * sizeof *s.left);
    s.right = malloc((n + 1) * sizeof *s.right);
    s.name = malloc((m + 1) * sizeof *s.name);
    s.id = malloc((m + 1) * sizeof *s.id);
    weft_json key = {0}, value = {0};
    while (weft_json_next(merges, &key, &value)) {
        char text[256];
        weft_json_text(value, text, sizeof text);
        CHECK_EQ(sscanf(text, "%63s %63s", s.left[s.merges], s.right[s.merges]), 2);
        s.merges++;
    }
    for (key = value = (weft_json){0}; weft_json_next(s.vocab, &key, &value); s.ids++) {
        weft_json_text(key, s.name[s.ids], sizeof s.name[0]);
        s.id[s.ids] = (int)weft_json_integer(value, -1);
    }
    return s;
}

static inline void slow_close(slow *s) {
    free(s->file);
    free(s->left);
    free(s->right);
    free(s->name);
    free(s->id);
}

/* The ids of a word of at most 60 bytes; gives how many. */
static inline int slow_word(const slow *s, const unsigned char *word, size_t n, int *ids) {
    char piece[64][128];
    int count = 0;
    for (size_t i = 0; i < n && i < 64; i++) slow_letter(word[i], piece[count++]);
    for (int k = 0; k < s->merges;) {
        int at = -1;
        for (int i = 0; i + 1 < count && at < 0; i++)
            if (!strcmp(piece[i], s->left[k]) && !strcmp(piece[i + 1], s->right[k])) at = i;
        if (at < 0) {
            k++;
            continue;
        }
        memmove(piece[at] + strlen(piece[at]), piece[at + 1], strlen(piece[at + 1]) + 1);
        memmove(piece[at + 1], piece[at + 2], (size_t)(count - at - 2) * sizeof *piece);
        count--;
        k = 0;
    }
    for (int i = 0; i < count; i++) {
        ids[i] = -1;
        for (int k = 0; k < s->ids; k++)
            if (!strcmp(piece[i], s->name[k])) ids[i] = s->id[k];
    }
    return count;
}

/* ---- a text that the tests have: their own sources' words are as good as any ---- */

static inline weft_bytes world_book(void) {
    static char text[1 << 17];
    static size_t n;
    static const char *const files[] = {"docs/guide.md", "docs/internals.md", "src/text/learn.c"};
    for (int i = 0; i < 3 && n < sizeof text / 2 && !n; i++) n = file_get(files[i], text, 60000);
    if (n && n <= 60000) {
        n += file_get(files[1], text + n, 40000);
        n += file_get(files[2], text + n, 20000);
    }
    return (weft_bytes){"book", text, n};
}

#endif
