/* test_baseline_bad.c - files that are no baselines: refused, with the place and what was expected
 * there. */
#include "bench_world.h"

static heap heap_of;
static weft_ctx *world(void) {
    static weft_ctx *c;
    if (!c) c = heap_open(&heap_of);
    return c;
}

static void file_text(const char *text) {
    file_put(in_folder("bad.json"), text, strlen(text));
}

static void refused(const char *part) {
    const size_t before = heap_of.live;
    weft_baseline *b = weft_baseline_open(world(), in_folder("bad.json"));
    if (!CHECK(b == NULL)) weft_baseline_free(b);
    CHECK_EQ(weft_error_code(world()), WEFT_FORMAT);
    CHECK_HAS(weft_error(world()), "bad.json: ");
    CHECK_HAS(weft_error(world()), part);
    CHECK_EQ(heap_of.live, before);
}

#define HEAD "{\"schema\": 1, \"calibration\": 1, "
#define MACHINE                                                                                    \
    "\"machine\": {\"cpu\": \"c\", \"cores\": 2, \"isa\": \"avx2\", \"key\": "                     \
    "\"0123456789abcdef\"}"

static const char *whole(const char *records) {
    static char text[1 << 14];
    snprintf(text, sizeof text, HEAD MACHINE ", \"records\": [%s]}", records);
    return text;
}

TEST(fields_that_are_wrong) {
    CASE("none");
    file_text(whole(record_json(NULL, NULL)));
    weft_baseline *b = weft_baseline_open(world(), in_folder("bad.json"));
    CHECK_EQ(weft_baseline_count(b), 1);
    weft_baseline_free(b);
    char part[100];
    for (size_t f = 0; f < sizeof record_number_fields / sizeof *record_number_fields; f++) {
        const char *field = record_number_fields[f];
        const bool is_whole = f < 2;
        enum { ALL = sizeof record_bad_number / sizeof *record_bad_number };
        const size_t more = is_whole ? sizeof record_bad_whole / sizeof *record_bad_whole : 0;
        for (size_t i = 0; i < ALL + more; i++) {
            const char *value = i < ALL ? record_bad_number[i] : record_bad_whole[i - ALL];
            CASE("%s: %s", field, value ? value : "missing");
            file_text(whole(record_json(field, value)));
            snprintf(part, sizeof part, "record 0: %s is missing or out of bounds", field);
            refused(part);
        }
    }
    static const char *const names[] = {NULL, "\"\"", "1", "null", "[\"gemm\"]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CASE("name: %s", names[i] ? names[i] : "missing");
        file_text(whole(record_json("name", names[i])));
        refused("record 0: name is missing or out of bounds");
    }
    CASE("the longest name, and a longer one");
    char name[100];
    snprintf(name, sizeof name, "\"%095d\"", 7);
    file_text(whole(record_json("name", name)));
    b = weft_baseline_open(world(), in_folder("bad.json"));
    CHECK_EQ(weft_baseline_count(b), 1);
    weft_baseline_free(b);
    snprintf(name, sizeof name, "\"%096d\"", 7);
    file_text(whole(record_json("name", name)));
    refused("record 0: name is missing or out of bounds");
    CASE("median_us: 0");
    file_text(whole(record_json("median_us", "0")));
    refused("median_us");
    CASE("high_us below low_us");
    file_text(whole(record_json("high_us", "12")));
    refused("high_us");
    CASE("records that are none");
    static const char *const none[] = {"1", "null", "[]", "\"x\"", "{}"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        file_text(whole(none[i]));
        refused("record 0: ");
    }
    CASE("twice");
    char twice[4096];
    snprintf(twice, sizeof twice, "%s, %s, %s", record_json(NULL, NULL),
             record_json("threads", "3"), record_json(NULL, NULL));
    file_text(whole(twice));
    refused("record 2: \"gemm\" with 2 threads occurs twice");
}

TEST(heads_that_are_wrong) {
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"", ""},
        {"[]", "expected \"schema\": 1"},
        {"7", "expected \"schema\": 1"},
        {"{}", "expected \"schema\": 1"},
        {"{\"schema\": 2, \"calibration\": 1, " MACHINE ", \"records\": []}", "\"schema\": 1"},
        {"{\"schema\": \"1\", \"calibration\": 1, " MACHINE ", \"records\": []}", "\"schema\": 1"},
        {"{\"schema\": 1.5, \"calibration\": 1, " MACHINE ", \"records\": []}", "\"schema\": 1"},
        {"{\"schema\": 1, " MACHINE ", \"records\": []}", "another loop cannot be compared"},
        {"{\"schema\": 1, \"calibration\": 2, " MACHINE ", \"records\": []}", "another loop"},
        {HEAD "\"records\": []}", "\"machine\" with cpu, cores, isa and key"},
        {HEAD "\"machine\": 1, \"records\": []}", "\"machine\" with"},
        {HEAD "\"machine\": {\"cores\": 2, \"isa\": \"a\", \"key\": \"0123456789abcdef\"}, "
              "\"records\": []}",
         "\"machine\" with"},
        {HEAD "\"machine\": {\"cpu\": \"c\", \"cores\": 0, \"isa\": \"a\", \"key\": "
              "\"0123456789abcdef\"}, \"records\": []}",
         "\"machine\" with"},
        {HEAD "\"machine\": {\"cpu\": \"c\", \"cores\": 2.5, \"isa\": \"a\", \"key\": "
              "\"0123456789abcdef\"}, \"records\": []}",
         "\"machine\" with"},
        {HEAD "\"machine\": {\"cpu\": \"c\", \"cores\": 2, \"isa\": 7, \"key\": "
              "\"0123456789abcdef\"}, \"records\": []}",
         "\"machine\" with"},
        {HEAD "\"machine\": {\"cpu\": \"c\", \"cores\": 2, \"isa\": \"a\", \"key\": "
              "\"0123456789abcde\"}, \"records\": []}",
         "\"machine\" with"},
        {HEAD "\"machine\": {\"cpu\": \"c\", \"cores\": 2, \"isa\": \"a\", \"key\": "
              "\"0123456789abcdef0\"}, \"records\": []}",
         "\"machine\" with"},
        {HEAD "\"machine\": {\"cpu\": \"c\", \"cores\": 2, \"isa\": \"a\", \"key\": "
              "\"../../../../etc/\"}, \"records\": []}",
         "\"machine\" with"},
        {HEAD "\"machine\": {\"cpu\": \"c\", \"cores\": 2, \"isa\": \"0123456789abcdef\", \"key\": "
              "\"0123456789abcdef\"}, \"records\": []}",
         "\"machine\" with"},
        {HEAD MACHINE "}", "an array \"records\""},
        {HEAD MACHINE ", \"records\": {}}", "an array \"records\""},
        {HEAD MACHINE ", \"records\": \"[]\"}", "an array \"records\""},
        {HEAD MACHINE ", \"records\": [NaN]}", "offset"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%.80s", rows[i].text);
        file_text(rows[i].text);
        refused(rows[i].part);
    }
    CASE("what else is there does not matter");
    file_text(HEAD MACHINE ", \"records\": [], \"more\": {\"schema\": 2}}");
    weft_baseline *b = weft_baseline_open(world(), in_folder("bad.json"));
    CHECK(b && weft_baseline_count(b) == 0);
    if (b) CHECK_STR(weft_baseline_machine(b)->cpu, "c");
    weft_baseline_free(b);
}

TEST(cut_at_every_byte) {
    static char text[1 << 14];
    weft_baseline *b = weft_baseline_new(world());
    for (int i = 0; i < 3; i++) {
        const weft_bench_record r = record_of(i ? "gemm NN" : "say \"x\"", 1 + i, 2.5 + i);
        weft_baseline_put(b, &r);
    }
    weft_baseline_write(b, in_folder("cut.json"));
    weft_baseline_free(b);
    const size_t n = file_get(in_folder("cut.json"), text, sizeof text);
    CHECK(n > 500);
    for (size_t i = 0; i + 1 < n; i++) { /* without the last newline it is whole */
        file_put(in_folder("bad.json"), text, i);
        refused("");
    }
    file_put(in_folder("bad.json"), text, n - 1);
    b = weft_baseline_open(world(), in_folder("bad.json"));
    CHECK_EQ(weft_baseline_count(b), 3);
    weft_baseline_free(b);
    for (int trial = 0; trial < 3000; trial++) { /* garbage: refused, or a baseline that works */
        char other[1 << 14];
        memcpy(other, text, n);
        for (unsigned k = 1 + test_random() % 4; k; k--)
            other[test_random() % n] = (char)test_random();
        file_put(in_folder("bad.json"), other, n);
        b = weft_baseline_open(world(), in_folder("bad.json"));
        if (b) {
            CHECK(weft_baseline_count(b) <= 3);
            CHECK_EQ(weft_baseline_write(b, in_folder("again.json")), WEFT_OK);
        } else {
            CHECK_EQ(weft_error_code(world()), WEFT_FORMAT);
        }
        weft_baseline_free(b);
    }
}

TEST(places_that_are_none) {
    weft_baseline *b = weft_baseline_new(world());
    const weft_bench_record r = record_of("a", 1, 1);
    weft_baseline_put(b, &r);
    CHECK(weft_baseline_open(world(), in_folder("nowhere.json")) == NULL);
    CHECK_EQ(weft_error_code(world()), WEFT_FILE);
    CHECK_HAS(weft_error(world()), "nowhere.json");
    CHECK(weft_baseline_open(world(), folder) == NULL);
    CHECK_HAS(weft_error(world()), folder);
    CHECK_EQ(weft_baseline_write(b, in_folder("no/folder.json")), WEFT_FILE);
    CHECK_HAS(weft_error(world()), "no/folder.json");
    file_text("{}");
    CHECK_EQ(weft_baseline_write(b, in_folder("bad.json/x")), WEFT_FILE);
    CHECK_EQ(weft_baseline_write(b, folder), WEFT_FILE);
    CHECK_EQ(weft_baseline_write(b, ""), WEFT_FILE);
    weft_baseline_free(b);
}
