/* test_json.c - JSON: what is refused and why, and walking through what is not. */
#include "io_world.h"

#include "base/json.h"
#include "base/text.h"

#include <locale.h>
#include <math.h>

static heap heap_of;
static weft_ctx *c;

static weft_json parse(const char *text) {
    if (!c) c = heap_open(&heap_of);
    return weft_json_parse(c, text, strlen(text), "some.json");
}

TEST(refused) {
    static const struct {
        const char *what, *text, *part;
    } row[] = {
        {"nothing", "", "offset 0: JSON: a value expected, the text ends"},
        {"spaces only", " \n\t ", "offset 4: JSON: a value expected"},
        {"two values", "1 2", "offset 2: JSON: nothing more expected, got '2'"},
        {"a comment", "1 // one", "nothing more expected"},
        {"a word", "nul", "true, false or null"},
        {"a longer word", "nulls", "nothing more"},
        {"a capital", "True", "a value expected, got 'T'"},
        {"a bare key", "{a:1}", "offset 1: JSON: a key expected, got 'a'"},
        {"single quotes", "['a']", "a value expected, got '''"},
        {"no colon", "{\"a\" 1}", "':' expected, got '1'"},
        {"no value", "{\"a\":}", "a value expected, got '}'"},
        {"no comma in a list", "[1 2]", "',' or ']' expected"},
        {"no comma in an object", "{\"a\":1 \"b\":2}", "',' or '}' expected"},
        {"comma at the end of a list", "[1,]", "a value expected, got ']'"},
        {"comma at the end of an object", "{\"a\":1,}", "a key expected, got '}'"},
        {"comma first", "[,1]", "a value expected, got ','"},
        {"an open list", "[1", "',' or ']' expected, the text ends"},
        {"an open object", "{\"a\":1", "',' or '}' expected, the text ends"},
        {"the wrong bracket", "[1}", "',' or ']' expected, got '}'"},
        {"an open text", "\"abc", "offset 0: JSON: unterminated string"},
        {"an open escape", "\"abc\\", "an escape expected"},
        {"an unknown escape", "\"\\x41\"", "an escape expected, got 'x'"},
        {"a short escape", "\"\\u12\"", "a hexadecimal digit expected, got '\"'"},
        {"not a digit", "\"\\u12g4\"", "a hexadecimal digit expected, got 'g'"},
        {"a zero inside", "\"a\\u0000b\"", "must not contain \\u0000"},
        {"half a pair", "\"\\ud800\"", "a lone surrogate"},
        {"the other half", "\"\\udc00\"", "a lone surrogate"},
        {"two first halves", "\"\\ud800\\ud800\"", "a lone surrogate"},
        {"half and a letter", "\"\\ud800a\"", "a lone surrogate"},
        {"a newline in a text", "\"a\nb\"", "a character of a string expected, got byte 0x0a"},
        {"a tab in a text", "\"\t\"", "byte 0x09"},
        {"a stray continuation", "\"\x80\"", "not UTF-8: byte 0x80"},
        {"too long a form", "\"\xc0\xaf\"", "not UTF-8"},
        {"too long a form of three", "\"\xe0\x80\xaf\"", "not UTF-8"},
        {"a surrogate in UTF-8", "\"\xed\xa0\x80\"", "not UTF-8"},
        {"beyond Unicode", "\"\xf4\x90\x80\x80\"", "not UTF-8"},
        {"a cut character", "\"\xe2\x82\"", "not UTF-8"},
        {"a byte order mark", "\xef\xbb\xbf{}", "a value expected, got byte 0xef"},
        {"a plus", "+1", "a value expected, got '+'"},
        {"a point first", ".5", "a value expected"},
        {"a point last", "5.", "a digit expected"},
        {"zeros first", "01", "nothing more expected, got '1'"},
        {"a minus alone", "-", "a digit expected"},
        {"an exponent alone", "1e", "a digit expected"},
        {"a signed exponent alone", "1e+", "a digit expected"},
        {"hexadecimal", "0x10", "nothing more expected, got 'x'"},
        {"infinity", "Infinity", "a value expected"},
        {"not a number", "NaN", "a value expected"},
        {"a key twice", "{\"a\":1,\"b\":2,\"a\":3}", "offset 13: JSON: duplicate key \"a\""},
        {"a key twice, escaped", "{\"a\":1,\"\\u0061\":3}", "duplicate key \"a\""},
        {"a pair and its character", "{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":3}",
         "duplicate key"},
        {"a key twice inside", "[{\"x\":{\"k\":0,\"k\":1}}]", "duplicate key \"k\""},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        weft_json j = parse(row[i].text);
        CHECK_EQ(weft_json_kind_of(j), WEFT_JSON_NONE);
        CHECK_EQ(weft_error_code(c), WEFT_FORMAT);
        CHECK_HAS(weft_error(c), row[i].part);
        CHECK_HAS(weft_error(c), "some.json: offset ");
    }
    CASE("an end inside a number");
    CHECK(!weft_json_parse(c, "[1,2]", 3, "x").at);
    CASE("a zero byte");
    CHECK(!weft_json_parse(c, "[1\0,2]", 6, "x").at);
    CHECK_HAS(weft_error(c), "byte 0x00");
    CASE("no text");
    CHECK(!weft_json_parse(c, NULL, 0, "x").at);
    CHECK_EQ(weft_error_code(c), WEFT_ARGUMENT);
}

TEST(limits) {
    static char text[1000];
    for (int depth = 63; depth < 67; depth++) {
        CASE("depth %d", depth);
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = 0;
        CHECK_EQ(parse(text).at != NULL, depth <= 64);
    }
    CHECK_HAS(weft_error(c), "deeper than 64");
    for (int digits = 127; digits < 131; digits++) {
        CASE("%d digits", digits);
        memset(text, '1', (size_t)digits);
        text[digits] = 0;
        CHECK_EQ(parse(text).at != NULL, digits <= 128);
    }
    CHECK_HAS(weft_error(c), "a number of 130 characters");
}

/* Four bytes a key, and nothing else: a million values take no memory. */
TEST(memory) {
    parse("1");
    size_t n = 0, keys = 60000;
    char *text = malloc(2000000);
    text[n++] = '[';
    for (int i = 0; i < 200000; i++) n += (size_t)sprintf(text + n, "[],");
    text[n++] = '{';
    for (size_t i = 0; i < keys; i++)
        n += (size_t)sprintf(text + n, "%s\"%05zu\":0", i ? "," : "", i * 7919 % keys);
    n += (size_t)sprintf(text + n, "}]");
    size_t before = heap_mark(&heap_of);
    weft_json j = weft_json_parse(c, text, n, "big");
    CHECK(j.at);
    CHECK(heap_of.peak - before <= 4 * keys * 3 / 2 + 100);
    CHECK_EQ(heap_of.live, before);
    CHECK_EQ(weft_json_count(j), 200001);
    CHECK_EQ(weft_json_integer(weft_json_get(j, "200000.00077"), 1), 0);
    text[n - 6] = text[n - 6] == '0' ? '1' : '0'; /* the last key is now another one's */
    CHECK(!weft_json_parse(c, text, n, "big").at);
    CHECK_HAS(weft_error(c), "duplicate key");
    free(text);
}

TEST(walking) {
    weft_json j = parse(" {\"name\" : \"w\\u00e9ft\", \"list\":[1, -2.5e1 ,[], {}],"
                        "\"in\":{\"a\":true,\"b\":null,\"c.d\":false}, \"\":0}\n");
    CHECK_EQ(weft_json_kind_of(j), WEFT_JSON_OBJECT);
    CHECK_EQ(weft_json_count(j), 4);
    char out[16];
    CHECK_EQ(weft_json_text(weft_json_get(j, "name"), out, sizeof out), 5);
    CHECK_STR(out, "wéft");
    CHECK_EQ(weft_json_text(weft_json_get(j, "name"), out, 3), 5); /* cut before the two bytes */
    CHECK_STR(out, "w");
    CHECK_EQ(weft_json_text(weft_json_get(j, "list"), out, sizeof out), 0);
    CHECK_STR(out, "");
    CHECK(weft_json_is(weft_json_get(j, "name"), "wéft"));
    CHECK(!weft_json_is(weft_json_get(j, "name"), "wéf"));
    CHECK(!weft_json_is(weft_json_get(j, "name"), "wéftx"));
    CHECK(!weft_json_is(j, "name"));
    CHECK_EQ(weft_json_integer(weft_json_get(j, "list.0"), -7), 1);
    CHECK_EQ(weft_json_integer(weft_json_get(j, "list.1"), -7), -7);
    CHECK_EQ(weft_json_number(weft_json_get(j, "list.1"), 0), -25);
    CHECK_EQ(weft_json_kind_of(weft_json_get(j, "list.2")), WEFT_JSON_ARRAY);
    CHECK_EQ(weft_json_kind_of(weft_json_get(j, "list.3")), WEFT_JSON_OBJECT);
    CHECK_EQ(weft_json_kind_of(weft_json_get(j, "list.4")), WEFT_JSON_NONE);
    CHECK_EQ(weft_json_kind_of(weft_json_get(j, "list.0.x")), WEFT_JSON_NONE);
    CHECK_EQ(weft_json_bool(weft_json_get(j, "in.a"), false), true);
    CHECK_EQ(weft_json_bool(weft_json_get(j, "in.b"), true), true);
    CHECK_EQ(weft_json_kind_of(weft_json_get(j, "in.b")), WEFT_JSON_NULL);
    CHECK_EQ(weft_json_kind_of(weft_json_get(j, "in.c.d")), WEFT_JSON_NONE); /* a dot is a step */
    CHECK_EQ(weft_json_number(weft_json_get(j, "in"), 5), 5);

    static const char *const keys[] = {"name", "list", "in", ""};
    weft_json key = {0}, value = {0};
    size_t i = 0;
    for (; weft_json_next(j, &key, &value); i++) CHECK(weft_json_is(key, keys[i]));
    CHECK_EQ(i, 4);
    key = value = (weft_json){0};
    weft_json in = weft_json_get(j, "in");
    while (weft_json_next(in, &key, &value))
        if (weft_json_is(key, "c.d")) CHECK_EQ(weft_json_bool(value, true), false);
    CHECK(!weft_json_next(weft_json_get(j, "name"), &key, &value));
    CHECK_EQ(weft_json_count(parse("[ ]")), 0);
    CHECK_EQ(weft_json_count(parse("{ }")), 0);
    CHECK_EQ(weft_json_kind_of((weft_json){0}), WEFT_JSON_NONE);
}

TEST(numbers) {
    static const struct {
        const char *text;
        double v;
        int64_t n; /* -1: not an integer that fits */
    } row[] = {
        {"0", 0, 0},
        {"-0", -0.0, 0},
        {"9223372036854775807", 9223372036854775807.0, INT64_MAX},
        {"9223372036854775808", 9223372036854775808.0, -1},
        {"-9223372036854775808", -9223372036854775808.0, INT64_MIN},
        {"-9223372036854775809", -9223372036854775809.0, -1},
        {"1.0", 1, -1},
        {"1e2", 100, -1},
        {"0.1", 0.1, -1},
        {"1E-3", 0.001, -1},
        {"2.2250738585072014e-308", 2.2250738585072014e-308, -1},
        {"4.9e-324", 4.9e-324, -1},
        {"1e400", INFINITY, -1},
        {"123456789012345678901234567890", 123456789012345678901234567890.0, -1},
    };
    static const char *const place[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
    for (size_t l = 0; l < sizeof place / sizeof *place; l++) {
        if (!setlocale(LC_ALL, place[l])) continue;
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
            CASE("%s in %s", row[i].text, place[l]);
            CHECK_EQ(weft_json_number(parse(row[i].text), NAN), row[i].v);
            CHECK_EQ(weft_json_integer(parse(row[i].text), -1), row[i].n);
        }
    }
    setlocale(LC_ALL, "C");
}

TEST(numbers_as_text) {
    static const struct {
        char style;
        int digits;
        double v;
        const char *text;
    } row[] = {
        {'g', 12, 0.5, "0.5"},
        {'g', 12, 1.0 / 3, "0.333333333333"},
        {'g', 3, 1234567, "1.23e+06"},
        {'g', 17, 0.1, "0.10000000000000001"},
        {'g', 12, -0.0, "-0"},
        {'g', 6, 1e-300, "1e-300"},
        {'f', 0, 1e6, "1000000"},
        {'f', 3, -2.5, "-2.500"},
        {'f', 0, 0, "0"},
    };
    static const char *const place[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
    char out[64];
    for (size_t l = 0; l < sizeof place / sizeof *place; l++) {
        if (!setlocale(LC_ALL, place[l])) continue;
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
            CASE("%s in %s", row[i].text, place[l]);
            CHECK(number_text(out, sizeof out, row[i].style, row[i].digits, row[i].v) == out);
            CHECK_STR(out, row[i].text);
        }
    }
    setlocale(LC_ALL, "C");
    CASE("no room, and no numbers");
    CHECK_STR(number_text(out, 4, 'g', 12, 123456), "123");
    CHECK_STR(number_text(out, 1, 'g', 12, 123456), "");
    CHECK_STR(number_text(out, sizeof out, 'g', 12, INFINITY), "inf");
    CHECK_HAS(number_text(out, sizeof out, 'f', 2, NAN), "nan");
    out[0] = 'x';
    number_text(out, 0, 'g', 12, 1);
    CHECK_EQ(out[0], 'x');
}

TEST(quoting) {
    static const struct {
        const char *text, *quoted;
    } row[] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\b\f\n\r\t\x01\x1f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\""},
        {"é重😀", "\"é重😀\""},
        {"\x7f\xc2\x9b\xe2\x80\xae", "\"\\u007f\\u009b\\u202e\""},
        {"\xf3\xa0\x81\x81", "\"\\udb40\\udc41\""},
    };
    CHECK_EQ(json_quote(NULL, 0, "a\xff"), 9); /* U+FFFD for a byte of none */
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].quoted);
        char out[64], small[4], back[64];
        size_t n = json_quote(out, sizeof out, row[i].text);
        CHECK_STR(out, row[i].quoted);
        CHECK_EQ(n, strlen(row[i].quoted));
        CHECK_EQ(json_quote(NULL, 0, row[i].text), n);
        CHECK_EQ(json_quote(small, sizeof small, row[i].text), n);
        CHECK(strlen(small) < sizeof small);
        CHECK_EQ(weft_json_text(parse(out), back, sizeof back), strlen(row[i].text));
        CHECK_STR(back, row[i].text);
        CHECK(weft_json_is(parse(out), row[i].text));
    }
}

/* Every prefix of a good text is refused, and nobody reads beyond its end. */
TEST(prefixes) {
    static const char text[] =
        "{\"a\":[1.5e3,true,null,{\"b\":\"\\u00e9\\ud83d\\ude00\"}],\"c\":-0}";
    parse("1");
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *exact = malloc(n + 1); /* the sanitizer sees a byte too far */
        memcpy(exact, text, n);
        CHECK(!weft_json_parse(c, exact, n, "part").at);
        weft_json loose = {exact, exact + n}, key = {0}, value = {0}; /* never checked */
        for (int i = 0; i < 100 && weft_json_next(loose, &key, &value); i++) {
            weft_json_count(value);
            weft_json_number(value, 0);
            weft_json_integer(value, 0);
            weft_json_is(value, "x");
        }
        weft_json_get(loose, "a.3.b");
        free(exact);
    }
}
