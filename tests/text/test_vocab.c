/* test_vocab.c - vocabularies: tokens against a slow search and an independent encoder, round trips,
 * special tokens, files. */
#include "text_world.h"

#include <pthread.h>

static weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) c = weft_open("null");
    return c;
}

/* Learned from our own documentation; always there. */
static weft_vocab *small(void) {
    static weft_vocab *v;
    const weft_bytes book = world_book();
    if (!v) v = weft_vocab_learn(ctx(), &book, 1, &(weft_learn_desc){.size = 1000});
    return v;
}

/* GPT-2's, if it was fetched. */
static weft_vocab *gpt2(void) {
    char path[600];
    const char *const xdg = getenv("XDG_DATA_HOME"), *const home = getenv("HOME");
    if (xdg && *xdg == '/') snprintf(path, sizeof path, "%s/weft/gpt2-vocab", xdg);
    else snprintf(path, sizeof path, "%s/.local/share/weft/gpt2-vocab", home ? home : "");
    return access(path, R_OK) == 0 ? weft_vocab_open(ctx(), path) : NULL;
}

static size_t ids_of(const weft_vocab *v, const char *text, bool plain, int32_t *ids, size_t room) {
    size_t n = 0;
    CHECK(weft_vocab_encode(v, text, strlen(text), &(weft_encode_desc){.plain = plain}, ids, room,
                            &n) == WEFT_OK);
    return n;
}

/* ---- what the tokens are ---- */

TEST(tokens_are_those_of_gpt2) {
    weft_vocab *const v = gpt2();
    if (!v) SKIP("weft data get gpt2-vocab brings it");
    CHECK_EQ(weft_vocab_size(v), 50257);
    CHECK_EQ(weft_vocab_find(v, "<|endoftext|>"), 50256);
    static fixture f;
    char *rest;
    int texts = 0;
    for (const char *name; (name = fixture_next(&f, &rest));) {
        if (strcmp(name, "r50k") != 0) continue;
        CASE("text %d", texts++);
        static int32_t ids[1 << 13];
        size_t n = 0;
        CHECK(weft_vocab_encode(v, f.text, f.n, &(weft_encode_desc){.plain = true}, ids, 1 << 13,
                                &n) == WEFT_OK);
        bool good = true;
        for (size_t i = 0; i < n && good; i++) good = CHECK_EQ(ids[i], strtol(rest, &rest, 10));
        if (good) CHECK_STR(rest, "\n");
        CHECK(comes_back(v, f.text, f.n));
    }
    CHECK(texts > 30);
    weft_vocab_free(v);
}

TEST(tokens_are_those_of_a_slow_search) {
    CHECK(weft_vocab_save(small(), in_folder("slow")) == WEFT_OK);
    slow s = slow_open(ctx(), in_folder("slow/tokenizer.json"));
    CHECK_EQ(s.merges, 1000 - 257);
    const weft_bytes book = world_book();
    const unsigned char *const text = book.data;
    int words = 0;
    for (size_t at = 30000, end; at < book.bytes && words < 1500; at = end, words++) {
        for (end = at + 1; end < book.bytes && text[end] != ' ' && end - at < 60;) end++;
        /* A piece from space to space is one word if it is letters; the others are tried as what they are. */
        bool letters = true;
        for (size_t i = at + (text[at] == ' '); i < end; i++)
            letters = letters && ((text[i] | 32) >= 'a' && (text[i] | 32) <= 'z');
        if (!letters) continue;
        int32_t ids[64];
        int want[64];
        size_t n = 0;
        CHECK(weft_vocab_encode(small(), text + at, end - at, NULL, ids, 64, &n) == WEFT_OK);
        if (!CHECK_EQ(n, slow_word(&s, text + at, end - at, want))) break;
        for (size_t i = 0; i < n; i++) CHECK_EQ(ids[i], want[i]);
    }
    for (int k = 0; k < 300; k++) { /* letters in no order: many merges that do not go on */
        unsigned char word[40];
        const size_t n = 2 + test_random() % 38;
        for (size_t i = 0; i < n; i++) word[i] = (unsigned char)"etaoinsrhl"[test_random() % 10];
        int32_t ids[64];
        int want[64];
        size_t count = 0;
        CHECK(weft_vocab_encode(small(), word, n, NULL, ids, 64, &count) == WEFT_OK);
        if (!CHECK_EQ(count, slow_word(&s, word, n, want))) break;
        for (size_t i = 0; i < count; i++) CHECK_EQ(ids[i], want[i]);
    }
    slow_close(&s);
}

/* Words of up to 48 bytes are merged in one way, longer ones in another. A word of 40 letters and the same
 * with others behind it must agree as far as nothing reaches over. */
TEST(long_words_are_merged_like_short_ones) {
    for (int k = 0; k < 200; k++) {
        char word[300];
        size_t n = 0, total = 0;
        int32_t parts[300], whole[300];
        const int pieces = 2 + (int)(test_random() % 5);
        for (int p = 0; p < pieces;
             p++) { /* letters that no merge joins: x z and then bytes of no word */
            const size_t from = n, length = 5 + test_random() % 40;
            for (size_t i = 0; i < length; i++) word[n++] = "etaoinsrhl"[test_random() % 10];
            word[n] = 0;
            size_t count = 0;
            CHECK(weft_vocab_encode(small(), word + from, n - from, NULL, parts + total,
                                    300 - total, &count) == WEFT_OK);
            total += count;
            if (p + 1 == pieces) break;
            memcpy(word + n, "\xc6\x80",
                   2); /* a letter that the book does not have: two bytes, never merged */
            n += 2;
            CHECK(weft_vocab_encode(small(), "\xc6\x80", 2, NULL, parts + total, 300 - total,
                                    &count) == WEFT_OK);
            if (!CHECK_EQ(count, 2)) return;
            total += count;
        }
        size_t count = 0;
        CHECK(weft_vocab_encode(small(), word, n, NULL, whole, 300, &count) == WEFT_OK);
        if (!CHECK_EQ(count, total) || !CHECK_MEM(whole, parts, total * sizeof *whole)) return;
    }
}

/* A text over the size from which words are remembered, against its words one by one. */
TEST(remembered_words_are_the_same) {
    const weft_bytes book = world_book();
    static int32_t ids[1 << 17];
    size_t n = 0, at = 0, tokens = 0;
    const char *const text = book.data;
    CHECK(weft_vocab_encode(small(), text, book.bytes, NULL, ids, 1 << 17, &n) == WEFT_OK);
    for (size_t i = 1; i + 1 < book.bytes; i++) { /* between a letter and a space a word ends */
        if ((text[i - 1] | 32) < 'a' || (text[i - 1] | 32) > 'z' || text[i] != ' ' ||
            (text[i + 1] | 32) < 'a' || (text[i + 1] | 32) > 'z')
            continue;
        int32_t piece[4096];
        size_t count = 0;
        CHECK(weft_vocab_encode(small(), text + at, i - at, NULL, piece, 4096, &count) == WEFT_OK);
        if (!CHECK(tokens + count <= n) || !CHECK_MEM(piece, ids + tokens, count * sizeof *piece))
            return;
        tokens += count;
        at = i;
    }
    CHECK(at > book.bytes / 2);
}

TEST(little_room_is_told) {
    const char text[] = "a loom, a weft, a loom, a weft";
    int32_t all[64], few[3] = {-7, -7, -7};
    const size_t n = ids_of(small(), text, false, all, 64);
    CHECK(n > 3);
    CHECK_EQ(ids_of(small(), text, false, few, 2), n);
    CHECK_EQ(few[1], all[1]);
    CHECK_EQ(few[2], -7);
    CHECK_EQ(ids_of(small(), text, false, NULL, 0), n);
    const weft_bytes book = world_book(); /* and where words are remembered */
    static int32_t ids[1 << 17], some[5000];
    size_t a = 0, b = 0;
    CHECK(weft_vocab_encode(small(), book.data, book.bytes, NULL, ids, 1 << 17, &a) == WEFT_OK);
    CHECK(weft_vocab_encode(small(), book.data, book.bytes, NULL, some, 5000, &b) == WEFT_OK);
    CHECK_EQ(a, b);
    CHECK_MEM(ids, some, sizeof some);
    char out[4] = {9, 9, 9, 9};
    CHECK(weft_vocab_decode(small(), all, n, out, 3, &b) == WEFT_OK);
    CHECK_EQ(b, strlen(text));
    CHECK_MEM(out, "a l\x09", 4);
}

/* ---- round trips ---- */

TEST(any_bytes_come_back) {
    weft_vocab *const bytes = weft_vocab_bytes(ctx());
    const int rounds = test_sanitized() ? 50000 : 1000000;
    for (int k = 0; k < rounds; k++) {
        unsigned char text[24];
        const size_t n = test_random() % sizeof text;
        for (size_t i = 0; i < n; i++) {
            const uint32_t r = test_random();
            text[i] =
                (unsigned char)(r % 3 ? r >> 8 : (uint32_t) " the<|endoftext|>"[(r >> 8) % 17]);
        }
        if (!comes_back(small(), text, n) || (k % 16 == 0 && !comes_back(bytes, text, n))) {
            CHECK(!"comes back");
            break;
        }
    }
    weft_vocab_free(bytes);
}

TEST(long_runs_take_no_longer) {
    enum { N = 1 << 20 };
    char *const text = malloc(N);
    int32_t *const ids = malloc(N * sizeof *ids);
    for (int k = 0; k < 5; k++) {
        static const char *const what[] = {"a", " ", "ab", "\xff", "<"};
        CASE("%d: a million bytes of one word", k);
        for (size_t i = 0; i < N; i++) text[i] = what[k][i % strlen(what[k])];
        const double from = weft_clock();
        size_t n = 0, m = 0;
        CHECK(weft_vocab_encode(small(), text, N, NULL, ids, N, &n) == WEFT_OK);
        CHECK(weft_clock() - from <
              (test_sanitized() ? 60 : 10)); /* a square of that takes hours */
        char *const back = malloc(N);
        CHECK(weft_vocab_decode(small(), ids, n, back, N, &m) == WEFT_OK);
        CHECK_EQ(m, N);
        CHECK_MEM(back, text, N);
        free(back);
    }
    free(text);
    free(ids);
}

/* ---- several threads ---- */

typedef struct worker {
    const weft_vocab *v;
    int32_t ids[1 << 16];
    size_t n;
    bool good;
} worker;

static void *encode_much(void *user) {
    worker *const w = user;
    weft_ctx *const own = weft_open("null");
    const weft_bytes book = world_book();
    w->good = own != NULL;
    for (int k = 0; k < 3 && w->good; k++)
        w->good = weft_vocab_encode(w->v, book.data, 60000, &(weft_encode_desc){.ctx = own}, w->ids,
                                    1 << 16, &w->n) == WEFT_OK;
    weft_close(own);
    return NULL;
}

TEST(threads_share_a_vocabulary) {
    static worker w[3];
    pthread_t thread[3];
    world_book();
    for (int i = 0; i < 3; i++) w[i].v = small();
    for (int i = 0; i < 3; i++) CHECK_EQ(pthread_create(&thread[i], NULL, encode_much, &w[i]), 0);
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 3; i++) {
        CHECK(w[i].good);
        CHECK_EQ(w[i].n, w[0].n);
        CHECK_MEM(w[i].ids, w[0].ids, w[0].n * sizeof w[0].ids[0]);
    }
}

/* ---- special tokens ---- */

TEST(special_tokens) {
    const int32_t end = weft_vocab_find(small(), "<|endoftext|>");
    int32_t ids[64];
    size_t n;
    CHECK_EQ(end, 999);
    CHECK(weft_vocab_special(small(), end));
    CHECK(!weft_vocab_special(small(), 3) && !weft_vocab_special(small(), -1) &&
          !weft_vocab_special(small(), 1000));
    CHECK_EQ(weft_vocab_find(small(), "the"), -1);
    CHECK_EQ(weft_vocab_find(small(), "<|endoftext"), -1);
    n = ids_of(small(), "a<|endoftext|><|endoftext|>b<|endoftext|", false, ids, 64);
    CHECK_EQ(ids[1], end);
    CHECK_EQ(ids[2], end);
    CHECK(n > 4);
    for (size_t i = 3; i < n; i++) CHECK(ids[i] != end);
    n = ids_of(small(), "a<|endoftext|>", true, ids, 64);
    for (size_t i = 0; i < n; i++) CHECK(ids[i] != end);
    CHECK_MEM(weft_vocab_token(small(), end, &n), "<|endoftext|>", 13);
    CHECK_EQ(n, 13);
}

/* The longest of those that begin at a place. */
TEST(special_tokens_that_begin_alike) {
    const char *const names[] = {"<a>", "<a><b>", "<", "[x]", "<ab"};
    weft_vocab *const v = weft_vocab_learn(
        ctx(), NULL, 0, &(weft_learn_desc){.size = 300, .special = names, .specials = 5});
    if (!CHECK(v != NULL)) return;
    CHECK_EQ(weft_vocab_size(v), 261);
    int32_t ids[64];
    CHECK_EQ(ids_of(v, "<a><b><a><<ab<ax[x][x", false, ids, 64), 10);
    const int32_t want[] = {257, 256, 258, 260, 258, -1, -1, 259};
    for (int i = 0; i < 8; i++)
        if (want[i] >= 0) CHECK_EQ(ids[i], want[i]);
    CHECK(comes_back(v, "<a><b><a><<ab<ax[x][x", 21));
    weft_vocab_free(v);
}

/* ---- files ---- */

/* Both have the same tokens and give the same ids. */
static void same(const weft_vocab *a, const weft_vocab *b, const char *text) {
    if (!CHECK(a && b)) return;
    CHECK_STR(weft_vocab_kind(a), weft_vocab_kind(b));
    if (!CHECK_EQ(weft_vocab_size(a), weft_vocab_size(b))) return;
    for (int32_t id = 0; id < weft_vocab_size(a); id++) {
        size_t n = 0, m = 0;
        const void *const p = weft_vocab_token(a, id, &n), *const q = weft_vocab_token(b, id, &m);
        if (!CHECK_EQ(n, m) || (n && !CHECK_MEM(p, q, n))) return;
        CHECK_EQ(weft_vocab_special(a, id), weft_vocab_special(b, id));
    }
    static int32_t x[1 << 16], y[1 << 16];
    const size_t n = ids_of(a, text, false, x, 1 << 16), m = ids_of(b, text, false, y, 1 << 16);
    if (CHECK_EQ(n, m)) CHECK_MEM(x, y, n * sizeof *x);
}

TEST(saved_and_opened) {
    const weft_bytes book = world_book();
    char text[5000];
    memcpy(text, book.data, sizeof text);
    text[sizeof text - 1] = 0;
    weft_vocab *const all[] = {small(), weft_vocab_bytes(ctx()), weft_vocab_chars(ctx(), book),
                               gpt2()};
    static const char *const names[] = {"bpe", "bytes", "chars", "bpe"};
    for (int i = 0; i < 4; i++) {
        if (i == 3 && !all[i]) continue;
        CASE("%s", i == 3 ? "gpt2" : names[i]);
        CHECK_STR(weft_vocab_kind(all[i]), names[i]);
        CHECK(weft_vocab_save(all[i], in_folder("a/b")) == WEFT_OK);
        weft_vocab *v = weft_vocab_open(ctx(), in_folder("a/b"));
        same(all[i], v, text);
        weft_vocab_free(v);
        v = weft_vocab_open(ctx(), in_folder("a/b/tokenizer.json"));
        same(all[i], v, text);
        weft_vocab_free(v);
    }
    for (int i = 1; i < 4; i++) weft_vocab_free(all[i]);
}

TEST(characters) {
    static const char text[] = "caf\xc3\xa9\n\xe6\x9d\xb1 \xf0\x9f\xa7\xb5 ab";
    weft_vocab *v = weft_vocab_chars(ctx(), bytes_of(text));
    if (!CHECK(v != NULL)) return;
    int32_t ids[32];
    CHECK_EQ(weft_vocab_size(v), 9); /* \n, space, a, b, c, f, and three others */
    CHECK_EQ(ids_of(v, "\n cab\xc3\xa9\xf0\x9f\xa7\xb5", false, ids, 32), 7);
    const int32_t want[] = {0, 1, 4, 2, 3, 6, 8};
    CHECK_MEM(ids, want, sizeof want);
    CHECK(comes_back(v, text, sizeof text - 1));
    size_t n;
    CHECK_EQ(weft_vocab_encode(v, "abx", 3, NULL, ids, 32, &n), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(ctx()), "\"x\" at offset 2");
    CHECK_EQ(weft_vocab_encode(v, "ab\xff", 3, NULL, ids, 32, &n), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(ctx()), "ff at offset 2");
    weft_vocab_free(v);
    v = weft_vocab_chars(ctx(), (weft_bytes){"zero", "a\n\"\\\x1f", 5}); /* what JSON must escape */
    CHECK(v && weft_vocab_save(v, in_folder("zero")) == WEFT_OK);
    weft_vocab *const w = weft_vocab_open(ctx(), in_folder("zero"));
    same(v, w, "a\\\"");
    CHECK(w && comes_back(w, "\n\na\x1f", 4));
    weft_vocab_free(v);
    weft_vocab_free(w);
    CHECK(weft_vocab_chars(ctx(), bytes_of("")) == NULL);
    CHECK(weft_vocab_chars(ctx(), bytes_of("ab\x80")) == NULL);
    CHECK_HAS(weft_error(ctx()), "offset 2");
    CHECK(weft_vocab_chars(ctx(), (weft_bytes){"zero", "a\0", 2}) == NULL);
    CHECK_HAS(weft_error(ctx()), "character 1: the byte 00 is no text");
}

TEST(bytes_are_their_values) {
    weft_vocab *const v = weft_vocab_bytes(ctx());
    CHECK_EQ(weft_vocab_size(v), 256);
    for (int i = 0; i < 256; i++) {
        size_t n;
        const unsigned char *const p = weft_vocab_token(v, i, &n);
        CHECK(p && n == 1 && *p == i);
    }
    weft_vocab_free(v);
}

/* ---- decoding as it comes ---- */

TEST(a_decoder_gives_whole_characters) {
    static const char text[] = "na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\xa7\xb5!";
    weft_vocab *const v = weft_vocab_bytes(ctx());
    weft_decoder *const d = weft_decoder_new(v);
    char out[64];
    size_t at = 0, n;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        const char *const p = weft_decoder_next(d, (unsigned char)text[i], &n);
        memcpy(out + at, p, n);
        at += n;
        CHECK(at == i + 1 || n == 0);
    }
    weft_decoder_end(d, &n);
    CHECK_EQ(n, 0);
    CHECK_EQ(at, sizeof text - 1);
    CHECK_MEM(out, text, at);
    CHECK(weft_decoder_next(d, 256, &n) == NULL);
    weft_decoder_free(d);
    weft_vocab_free(v);
}

TEST(what_is_no_character_is_replaced) {
    static const struct {
        const char *in, *out;
    } cases[] = {{"\xff", "\xef\xbf\xbd"},
                 {"a\xc3z", "a\xef\xbf\xbdz"},
                 {"\xe6\x97", "\xef\xbf\xbd"},
                 {"\xe6\x97z", "\xef\xbf\xbdz"},
                 {"\xf0\x9f\xa7", "\xef\xbf\xbd"},
                 {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xf0\x80z", "\xef\xbf\xbd\xef\xbf\xbdz"},
                 {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
                 {"\xf4\x90", "\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xe6\xc3\xa9", "\xef\xbf\xbd\xc3\xa9"}};
    weft_vocab *const v = weft_vocab_bytes(ctx());
    weft_decoder *const d = weft_decoder_new(v);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CASE("%zu", k);
        char out[64];
        size_t at = 0, n;
        const char *p;
        for (const char *c = cases[k].in; *c; c++, memcpy(out + at, p, n), at += n)
            p = weft_decoder_next(d, (unsigned char)*c, &n);
        p = weft_decoder_end(d, &n);
        memcpy(out + at, p, n);
        out[at + n] = 0;
        CHECK_STR(out, cases[k].out);
    }
    weft_decoder_free(d);
    weft_vocab_free(v);
}

TEST(nothing_at_all) {
    size_t n = 5;
    int32_t id;
    CHECK_EQ(weft_vocab_encode(small(), NULL, 0, NULL, NULL, 0, &n), WEFT_OK);
    CHECK_EQ(n, 0);
    CHECK_EQ(weft_vocab_encode(NULL, "a", 1, NULL, &id, 1, &n), WEFT_ARGUMENT);
    CHECK_EQ(weft_vocab_encode(small(), NULL, 1, NULL, &id, 1, &n), WEFT_ARGUMENT);
    CHECK_EQ(weft_vocab_encode(small(), "a", 1, NULL, NULL, 1, &n), WEFT_ARGUMENT);
    CHECK_EQ(weft_vocab_decode(small(), (int32_t[]){2000}, 1, NULL, 0, &n), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(ctx()), "2000");
    CHECK_EQ(weft_vocab_decode(small(), NULL, 0, NULL, 0, &n), WEFT_OK);
    CHECK_EQ(weft_vocab_size(NULL), 0);
    CHECK_EQ(weft_vocab_find(NULL, "a"), -1);
    CHECK_EQ(weft_vocab_find(small(), ""), -1);
    CHECK(weft_vocab_token(NULL, 0, &n) == NULL);
    CHECK(weft_vocab_open(ctx(), "/nowhere") == NULL);
    CHECK_HAS(weft_error(ctx()), "/nowhere: no vocabulary; expected");
    CHECK(weft_decoder_new(NULL) == NULL);
    weft_vocab_free(NULL);
    weft_decoder_free(NULL);
}
