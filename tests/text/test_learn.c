/* test_learn.c - vocabularies learned from text, against counting all pairs anew for each merge. */
#include "text_world.h"

static weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) c = weft_open("null");
    return c;
}

/* ---- the slow way: every pair of every word is counted, the most frequent joined, again and again ---- */

enum { WORDS = 3000, LONGEST = 48, MOST = 512 };

typedef struct naive {
    int words, count[WORDS], n[WORDS], id[WORDS][LONGEST];
    int size;
    char token[MOST][LONGEST + 1]; /* its bytes, by number */
    int length[MOST];
} naive;

/* Words of letters with a space before them; the text has nothing else. */
static void naive_add(naive *w, const char *text, const weft_vocab *bytes) {
    for (size_t at = 0, end; text[at]; at = end) {
        for (end = at + 1; text[end] && text[end] != ' ';) end++;
        int id[LONGEST], n = 0;
        for (size_t i = at; i < end; i++) {
            int32_t one;
            size_t count;
            CHECK(weft_vocab_encode(bytes, text + i, 1, NULL, &one, 1, &count) == WEFT_OK);
            id[n++] = one;
        }
        int k = 0;
        while (k < w->words && (w->n[k] != n || memcmp(w->id[k], id, (size_t)n * sizeof *id))) k++;
        if (k == w->words) {
            w->n[k] = n;
            memcpy(w->id[k], id, sizeof id);
            w->words++;
        }
        w->count[k]++;
    }
}

/* One merge; false: no pair occurs twice. */
static bool naive_merge(naive *w) {
    static int count[MOST][MOST];
    memset(count, 0, sizeof count);
    for (int k = 0; k < w->words; k++)
        for (int i = 0; i + 1 < w->n[k]; i++) count[w->id[k][i]][w->id[k][i + 1]] += w->count[k];
    int left = 0, right = 0, most = 1;
    for (int a = 0; a < w->size; a++)
        for (int b = 0; b < w->size; b++) {
            if (count[a][b] <= most || w->length[a] + w->length[b] > LONGEST) continue;
            left = a, right = b, most = count[a][b];
        }
    if (most < 2) return false;
    memcpy(w->token[w->size], w->token[left], (size_t)w->length[left]);
    memcpy(w->token[w->size] + w->length[left], w->token[right], (size_t)w->length[right]);
    w->length[w->size] = w->length[left] + w->length[right];
    for (int k = 0; k < w->words; k++) {
        int n = 0;
        for (int i = 0; i < w->n[k]; i++) {
            const bool joins = i + 1 < w->n[k] && w->id[k][i] == left && w->id[k][i + 1] == right;
            w->id[k][n++] = joins ? w->size : w->id[k][i];
            i += joins;
        }
        w->n[k] = n;
    }
    w->size++;
    return true;
}

TEST(learned_like_the_slow_way) {
    static const char *const letters[] = {"ab", "aab", "etaoins", "aaaab", "a"};
    for (int k = 0; k < 5; k++) {
        CASE("letters %s", letters[k]);
        static char text[20000];
        static naive w;
        size_t n = 0;
        memset(&w, 0, sizeof w);
        while (n < 6000) { /* words of one to fourteen letters, few of them often */
            const int length = 1 + (int)(test_random() % (1 + test_random() % 14));
            if (n) text[n++] = ' ';
            for (int i = 0; i < length; i++)
                text[n++] = letters[k][test_random() % strlen(letters[k])];
        }
        text[n] = 0;
        weft_vocab *const bytes =
            weft_vocab_learn(ctx(), NULL, 0, &(weft_learn_desc){.size = 256, .no_special = true});
        for (int i = 0; i < 256; i++) {
            size_t one;
            w.token[i][0] = *(const char *)weft_vocab_token(bytes, i, &one);
            w.length[i] = 1;
        }
        w.size = 256;
        naive_add(&w, text, bytes);
        weft_vocab_free(bytes);
        weft_vocab *const v = weft_vocab_learn(ctx(), &(weft_bytes){"text", text, n}, 1,
                                               &(weft_learn_desc){.size = 340, .no_special = true});
        while (w.size < 340 && naive_merge(&w)) continue;
        if (!CHECK(v != NULL) || !CHECK_EQ(weft_vocab_size(v), w.size)) continue;
        CHECK(w.size > 262);
        for (int32_t id = 256; id < w.size; id++) {
            size_t length = 0;
            const void *const token = weft_vocab_token(v, id, &length);
            if (!CHECK_EQ(length, w.length[id]) || !CHECK_MEM(token, w.token[id], length)) break;
        }
        weft_vocab_free(v);
    }
}

/* ---- what else is promised ---- */

TEST(learned_tokens_are_used) {
    const char text[] = "the weaver and the weft and the warp and the loom";
    weft_vocab *const v =
        weft_vocab_learn(ctx(), &(weft_bytes){"text", text, sizeof text - 1}, 1, NULL);
    int32_t ids[64];
    size_t n = 0;
    CHECK(weft_vocab_encode(v, " the and the", 8, NULL, ids, 64, &n) == WEFT_OK);
    CHECK_EQ(n, 2);
    CHECK(weft_vocab_size(v) < 300); /* fewer than asked for: no pair is left that occurs twice */
    CHECK_EQ(weft_vocab_find(v, "<|endoftext|>"), weft_vocab_size(v) - 1);
    weft_vocab_free(v);
}

TEST(the_same_text_gives_the_same_vocabulary) {
    const weft_bytes book = world_book();
    weft_vocab *const a = weft_vocab_learn(ctx(), &book, 1, &(weft_learn_desc){.size = 600});
    weft_vocab *const b = weft_vocab_learn(ctx(), &book, 1, &(weft_learn_desc){.size = 600});
    CHECK(a && b && weft_vocab_save(a, in_folder("one")) == WEFT_OK &&
          weft_vocab_save(b, in_folder("two")) == WEFT_OK);
    static char x[1 << 16], y[1 << 16];
    const size_t n = file_get(in_folder("one/tokenizer.json"), x, sizeof x);
    CHECK(n > 10000 && n < sizeof x);
    CHECK_EQ(file_get(in_folder("two/tokenizer.json"), y, sizeof y), n);
    CHECK_MEM(x, y, n);
    weft_vocab_free(a);
    weft_vocab_free(b);
}

TEST(texts_and_special_tokens_end_words) {
    /* "xy" never occurs within a word */
    const weft_bytes texts[] = {bytes_of("x"), bytes_of("y x<|endoftext|>y x<|endoftext|>y"),
                                bytes_of("y")};
    weft_vocab *const v = weft_vocab_learn(ctx(), texts, 3, &(weft_learn_desc){.size = 300});
    int32_t ids[8];
    size_t n = 0;
    CHECK(weft_vocab_encode(v, "xy", 2, NULL, ids, 8, &n) == WEFT_OK);
    CHECK_EQ(n, 2);
    CHECK(weft_vocab_encode(v, "y x", 3, NULL, ids, 8, &n) == WEFT_OK);
    CHECK_EQ(n, 2); /* " x" occurs twice; nothing of "<|endoftext|>" was learned */
    CHECK_EQ(weft_vocab_size(v), 256 + 1 + 1);
    weft_vocab_free(v);
}

TEST(long_words_take_no_longer) {
    enum { N = 1 << 20 };
    char *const text = malloc(N);
    for (int k = 0; k < 2; k++) {
        CASE("%s", k ? "random letters" : "one letter");
        for (size_t i = 0; i < N; i++) text[i] = k ? (char)('a' + test_random() % 26) : 'a';
        const double from = weft_clock();
        weft_vocab *const v = weft_vocab_learn(ctx(), &(weft_bytes){"long", text, N}, 1, NULL);
        CHECK(weft_clock() - from < (test_sanitized() ? 120 : 20)); /* counting anew takes hours */
        CHECK(v && weft_vocab_size(v) > (k ? 4000 : 270));
        weft_vocab_free(v);
    }
    free(text);
}

TEST(what_cannot_be_learned) {
    const weft_bytes text = bytes_of("a b"), none = {"none", NULL, 3};
    static const char *const twice[] = {"<a>", "<a>"}, *const empty[] = {""},
                             *const control[] = {"a\nb"};
    static const struct {
        weft_learn_desc d;
        const char *says;
    } cases[] = {{{.size = 100}, "size 100"},
                 {{.size = 256}, "1 special tokens"},
                 {{.size = -1}, "size -1"},
                 {{.size = (int64_t)1 << 40}, "size 1099511627776"},
                 {{.special = twice, .specials = 2}, "duplicate special token \"<a>\""},
                 {{.special = empty, .specials = 1}, "special token 0 has an invalid name"},
                 {{.special = control, .specials = 1}, "special token 0 has an invalid name"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CASE("%s", cases[i].says);
        CHECK(weft_vocab_learn(ctx(), &text, 1, &cases[i].d) == NULL);
        CHECK_EQ(weft_error_code(ctx()), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(ctx()), cases[i].says);
    }
    CHECK(weft_vocab_learn(ctx(), &none, 1, NULL) == NULL);
    CHECK_HAS(weft_error(ctx()), "text 0 is NULL");
    CHECK(weft_vocab_learn(NULL, &text, 1, NULL) == NULL);
}
