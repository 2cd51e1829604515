/* test_utf8.c - letters of UTF-8: every code there is, every pair of bytes, and texts cut to fit. */
#include "test.h"

#include "base/utf8.h"
#include "weft/io.h"

#include <string.h>

/* By the table of the definition: what may follow what. */
static size_t by_table(const unsigned char *s, size_t n) {
    static const struct {
        unsigned char first, last, from, to;
        size_t bytes;
    } row[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (s[0] < row[i].first || s[0] > row[i].last) continue;
        if (n < row[i].bytes) return 0;
        if (row[i].bytes > 1 && (s[1] < row[i].from || s[1] > row[i].to)) return 0;
        for (size_t k = 2; k < row[i].bytes; k++)
            if (s[k] < 0x80 || s[k] > 0xbf) return 0;
        return row[i].bytes;
    }
    return 0;
}

TEST(letters) {
    CHECK_EQ(utf8_length("", 0), 0);
    static const unsigned char rest[] = {0x00, 0x7f, 0x80, 0x9f, 0xbf, 0xc0, 0xff};
    long wrong = 0;
    for (int first = 0; first < 256; first++)
        for (int second = 0; second < 256; second++)
            for (size_t i = 0; i < sizeof rest * sizeof rest * 4; i++) {
                const unsigned char s[4] = {(unsigned char)first, (unsigned char)second,
                                            rest[i / 4 % sizeof rest], rest[i / 4 / sizeof rest]};
                wrong += utf8_length((const char *)s, i % 4 + 1) != by_table(s, i % 4 + 1);
            }
    CHECK_EQ(wrong, 0);
}

TEST(texts) {
    static const struct {
        const char *text, *fits;
        size_t room;
    } of[] = {{"abc", "abc", 4},
              {"abc", "ab", 3},
              {"a\xc3\xa4", "a\xc3\xa4", 4},
              {"a\xc3\xa4", "a", 3},
              {"\xe2\x82\xac!", "", 3},
              {"\xf0\x9f\xa6\x8e", "\xf0\x9f\xa6\x8e", 5},
              {"\xff\xc3 \xe2\x82", "?? ??", 6},
              {"\xff\xff", "?", 2},
              {"", "", 1},
              {"abc", "", 1}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        CASE("%d", (int)i);
        char out[8];
        memset(out, '#', sizeof out);
        CHECK_EQ(utf8_fit(out, of[i].room, of[i].text), strlen(of[i].fits));
        CHECK_STR(out, of[i].fits);
        CHECK_EQ(out[of[i].room], '#');
    }
    char none = '#';
    CHECK_EQ(utf8_fit(&none, 0, "abc"), 0);
    CHECK_EQ(none, '#');
}
