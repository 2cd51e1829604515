/* test_glob.c - patterns against every short name, beside a plain recursive definition. */
#include "test.h"

#include "base/glob.h"

#include <stdio.h>

static bool plainly(const char *pattern, const char *name) {
    if (*pattern == '*') return plainly(pattern + 1, name) || (*name && plainly(pattern, name + 1));
    if (!*pattern || !*name) return *pattern == *name;
    return (*pattern == '?' || *pattern == *name) && plainly(pattern + 1, name + 1);
}

/* The k-th text over the letters, the shorter ones first. */
static void text_of(unsigned k, const char *letters, unsigned n, char *out) {
    for (; k; k = (k - 1) / n) *out++ = letters[(k - 1) % n];
    *out = 0;
}

TEST(short_patterns_and_names) {
    char pattern[16], name[16];
    int fit = 0, wrong = 0;
    for (unsigned p = 0; p < 1365; p++) { /* to 5 letters of 4 */
        text_of(p, "ab*?", 4, pattern);
        for (unsigned n = 0; n < 127; n++) { /* to 6 letters of 2 */
            text_of(n, "ab", 2, name);
            const bool is = glob_match(pattern, name);
            fit += is;
            if (is != plainly(pattern, name) && wrong++ < 5) CHECK_STR(pattern, name);
        }
    }
    CHECK_EQ(wrong, 0);
    CHECK(fit > 1000);
}

TEST(names_of_entries) {
    CHECK(glob_match(NULL, "anything"));
    CHECK(glob_match("*.bias", "block3/attn.bias"));
    CHECK(!glob_match("*.bias", "block3/attn.bias.ema"));
    CHECK(glob_match("block?/*", "block3/attn.bias"));
    CHECK(!glob_match("", "a"));
}
