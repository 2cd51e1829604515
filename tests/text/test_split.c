/* test_split.c - words: the hand-written rules against the published patterns, run by another program. */
#include "text_world.h"

#include "text/split.h"

static splitter *started(split_rule rule, bool digits) {
    static splitter s;
    static weft_ctx *c;
    if (!c) {
        c = weft_open("null");
        CHECK(split_start(&s, c) == WEFT_OK);
    }
    s.rule = rule;
    s.digits = digits;
    return &s;
}

static size_t next_of(const splitter *s, split_walk *w, const char *text, size_t n) {
    if (!w->s)
        *w = (split_walk){
            .s = s, .at = (const unsigned char *)text, .end = (const unsigned char *)text + n};
    return split_next(w);
}

TEST(rules_are_the_patterns) {
    static const char *const names[] = {"gpt2", "llama", "qwen"};
    static fixture f;
    char *rest;
    int texts = 0;
    for (const char *name; (name = fixture_next(&f, &rest));) {
        for (int rule = 0; rule < 3; rule++) {
            if (strcmp(name, names[rule]) != 0) continue;
            CASE("text %d by %s", texts / 3, names[rule]);
            split_walk w = {0};
            char *end;
            size_t n;
            bool good = true;
            while (good &&
                   (n = next_of(started((split_rule)rule, false), &w, (char *)f.text, f.n)) > 0) {
                good = CHECK_EQ(n, strtol(rest, &end, 10));
                rest = end;
            }
            if (good) CHECK_STR(rest, "\n");
            texts++;
        }
    }
    CHECK(texts > 100);
}

/* "3 4" is words of 3 and of 4 bytes. */
static void splits(split_rule rule, bool digits, const char *text, size_t n, const char *want) {
    char got[400] = "";
    split_walk w = {0};
    for (size_t k; (k = next_of(started(rule, digits), &w, text, n)) > 0;)
        sprintf(got + strlen(got), "%s%zu", *got ? " " : "", k);
    CHECK_STR(got, want);
}

TEST(numbers_set_apart) {
    splits(SPLIT_GPT2, true, "in 1984, x12", 12, "2 1 1 1 1 1 1 2 1 1");
    splits(SPLIT_GPT2, true, "a  7  b", 7, "1 2 1 1 2"); /* the text ends before a number */
    splits(SPLIT_GPT2, true, "\xd9\xa3z", 3, "2 1");
    splits(SPLIT_GPT2, false, "in 1984, x12", 12, "2 5 1 2 2");
}

TEST(bytes_of_no_character) { /* they are symbols */
    splits(SPLIT_GPT2, false, "ab\xff\xfe cd", 7, "2 2 3");
    splits(SPLIT_GPT2, false, "$\xff$", 3, "3");
    splits(SPLIT_GPT2, false, " \xc3", 2, "2");
    splits(SPLIT_GPT2, false, "\xe6\x97", 2, "2");           /* the text ends inside */
    splits(SPLIT_GPT2, false, "\xed\xa0\x80x", 4, "3 1");    /* half of a pair */
    splits(SPLIT_GPT2, false, "\xc0\x80\xc3\xa9", 4, "2 2"); /* too long a form */
    splits(SPLIT_LLAMA, false, "a\x80 b\n", 5, "1 1 2 1");
    splits(SPLIT_GPT2, false, "a\0b", 3, "1 1 1");
}

TEST(white_space_is_unicodes) {
    splits(SPLIT_GPT2, false, "a\xc2\x85 b", 5, "1 2 2"); /* U+0085 is */
    splits(SPLIT_GPT2, false, "a\xef\xbb\xbf", 4, "1 3"); /* U+FEFF is not: a symbol */
    splits(SPLIT_GPT2, false, "\xef\xbb\xbf!", 4, "4");
    splits(SPLIT_GPT2, false, "a\x1c!", 3, "1 2"); /* nor are separators of files */
}

TEST(runs_take_no_longer) {
    static char text[1 << 20];
    for (int rule = 0; rule < 3; rule++) {
        CASE("rule %d", rule);
        for (int k = 0; k < 4; k++) {
            static const char of[] = "a \n'";
            memset(text, of[k], sizeof text);
            split_walk w = {0};
            size_t words = 0, n;
            while ((n = next_of(started((split_rule)rule, false), &w, text, sizeof text)) > 0)
                words++;
            CHECK_EQ(words, 1);
        }
    }
}
