/* test_vocab_bad.c - vocabularies that must be refused: the code, the message, the memory; and what a
 * tokenizer.json may ask for. */
#include "text_world.h"

static heap memory;

static weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) c = heap_open(&memory);
    return c;
}

/* ---- a tokenizer.json of 256 bytes and a few tokens, parts of which a test may write otherwise ---- */

typedef struct tokenizer {
    const char *top, *added, *normal, *pre, *decoder, *model, *vocab, *merges;
} tokenizer;

static const char byte_level[] =
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true}";

static const char *all_bytes(void) {
    static char text[8192];
    if (*text) return text;
    for (int i = 0; i < 256; i++) {
        char letter[4];
        slow_letter(i, letter);
        sprintf(text + strlen(text), "%s\"%s%s\":%d", i ? "," : "",
                *letter == '"' || *letter == '\\' ? "\\" : "", letter, i);
    }
    return text;
}

static char written[1 << 15];

static weft_bytes write_tokenizer(tokenizer t) {
    sprintf(written,
            "{\"version\":\"1.0\",%s\"added_tokens\":[%s],\"normalizer\":%s,\"pre_tokenizer\":%s,"
            "\"decoder\":%s,\"model\":{\"type\":\"BPE\",%s\"vocab\":{%s%s},\"merges\":[%s]}}",
            t.top ? t.top : "", t.added ? t.added : "", t.normal ? t.normal : "null",
            t.pre ? t.pre : byte_level, t.decoder ? t.decoder : "null", t.model ? t.model : "",
            all_bytes(),
            t.vocab ? t.vocab
                    : ",\"ab\":256,\"\xc4\xa0"
                      "a\":257,\"abab\":258",
            t.merges ? t.merges : "\"a b\",\"\xc4\xa0 a\",[\"ab\",\"ab\"]");
    return (weft_bytes){"tokenizer.json", written, strlen(written)};
}

static weft_vocab *parse(tokenizer t) {
    return weft_vocab_parse(ctx(), write_tokenizer(t), (weft_bytes){0});
}

static bool is_refused(weft_vocab *v, weft_err code, const char *says, size_t before, size_t n) {
    if (!CHECK(v == NULL)) {
        weft_vocab_free(v);
        return false;
    }
    CHECK_HAS(weft_error(ctx()), says);
    CHECK_EQ(memory.live, before);
    CHECK(memory.peak - before <= 16 * n + (1 << 20));
    return CHECK_EQ(weft_error_code(ctx()), code);
}

/* ---- what is understood ---- */

static void gives(tokenizer t, const char *text, const char *want) {
    weft_vocab *const v = parse(t);
    if (!CHECK(v != NULL)) {
        CHECK_STR(weft_error(ctx()), "");
        return;
    }
    int32_t ids[64];
    char got[400] = "";
    size_t n = 0;
    CHECK(weft_vocab_encode(v, text, strlen(text), NULL, ids, 64, &n) == WEFT_OK);
    for (size_t i = 0; i < n; i++) sprintf(got + strlen(got), "%s%d", i ? " " : "", (int)ids[i]);
    CHECK_STR(got, want);
    CHECK(comes_back(v, text, strlen(text)));
    CHECK(weft_vocab_save(v, in_folder("again")) == WEFT_OK); /* and the same when saved */
    weft_vocab *const w = weft_vocab_open(ctx(), in_folder("again"));
    size_t m = 0;
    int32_t again[64];
    CHECK(w && weft_vocab_encode(w, text, strlen(text), NULL, again, 64, &m) == WEFT_OK);
    if (CHECK_EQ(m, n)) CHECK_MEM(again, ids, n * sizeof *ids);
    CHECK_EQ(weft_vocab_size(v), weft_vocab_size(w));
    weft_vocab_free(v);
    weft_vocab_free(w);
}

#define SEQUENCE(first)                                                                            \
    "{\"type\":\"Sequence\",\"pretokenizers\":[" first                                             \
    ",{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}]}"
#define SPLIT(pattern)                                                                             \
    "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" pattern                                        \
    "\"},\"behavior\":\"Isolated\",\"invert\":false}"
#define LLAMA                                                                                      \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}{1,3}| "         \
    "?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"
#define QWEN                                                                                       \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}| "              \
    "?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"

TEST(what_is_understood) {
    gives((tokenizer){0}, "abab ab a", "258 32 256 257");
    /* a word that is a token: its merges are asked, or not */
    gives((tokenizer){.vocab = ",\"ab\":256,\"abc\":257", .merges = "\"a b\""}, "abc", "256 99");
    gives((tokenizer){.model = "\"ignore_merges\":true,",
                      .vocab = ",\"ab\":256,\"abc\":257",
                      .merges = "\"a b\""},
          "abc", "257");
    /* numbers: by three, one by one, set apart before all else */
    const char *const numbers = ",\"12\":256,\"123\":257,\"1234\":258",
                      *const merges = "\"1 2\",\"12 3\",\"123 4\"";
    gives((tokenizer){.vocab = numbers, .merges = merges}, "1234", "258");
    gives((tokenizer){.vocab = numbers, .merges = merges, .pre = SEQUENCE(SPLIT(LLAMA))}, "1234",
          "257 52");
    gives((tokenizer){.vocab = numbers, .merges = merges, .pre = SEQUENCE(SPLIT(QWEN))}, "1234",
          "49 50 51 52");
    gives(
        (tokenizer){.vocab = numbers,
                    .merges = merges,
                    .pre =
                        "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Digits\","
                        "\"individual_digits\":true},"
                        "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":true}]}"},
        "12", "49 50");
    /* added tokens: special or not, also as words, with ids behind a gap, and in other letters */
    gives((tokenizer){.added = "{\"id\":300,\"content\":\"<x>\",\"special\":true},{\"id\":302,"
                               "\"content\":\"<y>\",\"special\":false}"},
          "a<x>b<y>", "97 300 98 302");
    gives((tokenizer){.added = "{\"id\":256,\"content\":\"ab\",\"special\":false}"}, "xab abab",
          "120 256 32 256 256");
    gives((tokenizer){.added = "{\"id\":259,\"content\":\"<\xef\xbd\x9c>\",\"special\":true}"},
          "<\xef\xbd\x9c>", "259");
    /* what is kept and does nothing */
    gives((tokenizer){.normal = "{\"type\":\"NFC\"}",
                      .decoder = byte_level,
                      .top = "\"truncation\":null,\"padding\":null,\"post_processor\":{\"type\":"
                             "\"ByteLevel\"},"},
          "ab", "256");
    gives(
        (tokenizer){.model =
                        "\"dropout\":null,\"unk_token\":null,\"continuing_subword_prefix\":\"\","
                        "\"end_of_word_suffix\":\"\",\"fuse_unk\":false,\"byte_fallback\":false,"},
        "ab", "256");
}

TEST(lists_of_tokens_and_merges) {
    static char vocab[9000];
    sprintf(vocab, "{%s,\"ab\":256,\"<end>\":257,\"\xc4\xa0<x>\":258}", all_bytes());
    for (int i = 0; i < 4; i++) {
        static const char *const merges[] = {"#version: 0.2\na b\n", "a b", "a b\r\n",
                                             "#version: 0.2\n\na b\n\n"};
        CASE("merges %d", i);
        weft_vocab *const v = weft_vocab_parse(ctx(), bytes_of(vocab), bytes_of(merges[i]));
        if (!CHECK(v != NULL)) continue;
        int32_t ids[8];
        size_t n = 0;
        CHECK(weft_vocab_encode(v, "ab<end>", 7, NULL, ids, 8, &n) == WEFT_OK);
        CHECK_EQ(n, 2);
        CHECK_EQ(ids[0], 256);
        CHECK_EQ(ids[1], 257);
        CHECK_EQ(weft_vocab_find(v, "<end>"), 257);
        CHECK(
            !weft_vocab_special(v, 258)); /* not made by a merge, but no name of a special token */
        weft_vocab_free(v);
    }
    file_put(in_folder("vocab.json"), vocab, strlen(vocab));
    CHECK(weft_vocab_open(ctx(), in_folder("vocab.json")) == NULL); /* without merges.txt */
    CHECK_HAS(weft_error(ctx()), "merges.txt");
    file_put(in_folder("merges.txt"), "a b\n", 4);
    const char *const paths[] = {"", "vocab.json", "merges.txt"};
    for (int i = 0; i < 3; i++) {
        weft_vocab *const v = weft_vocab_open(ctx(), in_folder(paths[i]));
        CHECK_EQ(weft_vocab_size(v), 259);
        weft_vocab_free(v);
    }
    unlink(in_folder("vocab.json"));
    unlink(in_folder("merges.txt"));
}

/* ---- what is refused by its name ---- */

TEST(what_is_not_done_is_refused) {
    static const struct {
        tokenizer t;
        const char *says;
    } cases[] = {
        {{.pre = "{\"type\":\"Metaspace\"}"}, "expected ByteLevel"},
        {{.pre = "null"}, "pre_tokenizer: null; expected ByteLevel"},
        {{.pre = "{\"type\":\"ByteLevel\",\"add_prefix_space\":true}"}, "add_prefix_space"},
        {{.pre = "{\"type\":\"ByteLevel\"}"}, "add_prefix_space"},
        {{.pre = "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}"},
         "use_regex true"},
        {{.pre = "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"news\":1}"},
         "ByteLevel of \"news\""},
        {{.pre = SEQUENCE(SPLIT("a+"))}, "pattern of GPT-2, Llama 3 or Qwen 2"},
        {{.pre = "{\"type\":\"Sequence\",\"pretokenizers\":[" SPLIT(QWEN) "]}"}, "pre_tokenizer"},
        {{.pre = "{\"type\":\"Sequence\",\"pretokenizers\":{}}"}, "pre_tokenizer"},
        {{.pre = SEQUENCE("{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" QWEN
                          "\"},\"behavior\":\"Removed\",\"invert\":false}")},
         "Isolated"},
        {{.pre = SEQUENCE("{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" QWEN
                          "\"},\"behavior\":\"Isolated\",\"invert\":true}")},
         "invert"},
        {{.pre = SEQUENCE("{\"type\":\"Split\",\"pattern\":{\"String\":\" "
                          "\"},\"behavior\":\"Isolated\",\"invert\":false}")},
         "pattern of Split"},
        {{.pre = "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Digits\",\"individual_"
                 "digits\":false},{\"type\":\"ByteLevel\",\"add_prefix_space\":false}]}"},
         "individual_digits"},
        {{.normal = "{\"type\":\"Lowercase\"}"}, "normalizer"},
        {{.decoder = "{\"type\":\"WordPiece\"}"}, "decoder"},
        {{.top = "\"truncation\":{\"max_length\":5},"}, "truncation"},
        {{.top = "\"padding\":{},"}, "padding"},
        {{.top = "\"extra\":1,"}, "tokenizer of \"extra\""},
        {{.top = "\"\x1b[31m\":1,"}, NULL}, /* not JSON */
        {{.model = "\"dropout\":0.1,"}, "model of \"dropout\""},
        {{.model = "\"continuing_subword_prefix\":\"##\","}, "continuing_subword_prefix"},
        {{.model = "\"end_of_word_suffix\":\"</w>\","}, "end_of_word_suffix"},
        {{.model = "\"fuse_unk\":true,"}, "fuse_unk"},
        {{.model = "\"byte_fallback\":true,"}, "byte_fallback"},
        {{.model = "\"ignore_merges\":null,"}, "ignore_merges"},
        {{.model = "\"new\":1,"}, "model of \"new\""},
        {{.added = "{\"id\":256,\"content\":\"ab\",\"lstrip\":true}"},
         "\"ab\": lstrip is not supported"},
        {{.added = "{\"id\":256,\"content\":\"ab\",\"rstrip\":true}"}, "rstrip"},
        {{.added = "{\"id\":256,\"content\":\"ab\",\"single_word\":true}"}, "single_word"}};
    ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CASE("%s", cases[i].says ? cases[i].says : "not JSON");
        const size_t before = heap_mark(&memory);
        const weft_bytes file = write_tokenizer(cases[i].t);
        is_refused(weft_vocab_parse(ctx(), file, (weft_bytes){0}),
                   cases[i].says ? WEFT_UNSUPPORTED : WEFT_FORMAT,
                   cases[i].says ? cases[i].says : "JSON", before, file.bytes);
    }
    const size_t before = heap_mark(&memory);
    const weft_bytes unigram = bytes_of("{\"model\":{\"type\":\"Unigram\"}}");
    is_refused(weft_vocab_parse(ctx(), unigram, (weft_bytes){0}), WEFT_UNSUPPORTED, "\"Unigram\"",
               before, unigram.bytes);
}

/* ---- what is wrong ---- */

TEST(what_is_wrong) {
    static const struct {
        tokenizer t;
        const char *says;
    } cases[] = {{{.vocab = ",\"ab\":255"}, "the id belongs to another token"},
                 {{.vocab = ",\"ab\":-1"}, "a number of 0 or more"},
                 {{.vocab = ",\"ab\":1.5"}, "a number of 0 or more"},
                 {{.vocab = ",\"ab\":\"256\""}, "a number of 0 or more"},
                 {{.vocab = ",\"ab\":4000000000"}, "a number of 0 or more"},
                 {{.vocab = ",\"ab\":1000000000"}, "the greatest id is 1000000000"},
                 {{.vocab = ",\"ab\":256,\"ab\":257"}, "duplicate key"},
                 {{.vocab = ",\"\":256"}, "not a token of byte-level BPE"},
                 {{.vocab = ",\"a b\":256"}, "not a token of byte-level BPE"},
                 {{.vocab = ",\"\xe6\x97\xa5\":256"}, "not a token of byte-level BPE"},
                 {{.merges = "\"a b\",\"a b\""}, "merge 1: duplicate pair"},
                 {{.merges = "\"a c\""}, "merge 0: the merged token is not in the vocabulary"},
                 {{.merges = "\"a zz\""}, "the right token is not"},
                 {{.merges = "\"zz a\""}, "the left token is not"},
                 {{.merges = "\"ab\""}, "\"left right\" or"},
                 {{.merges = "\" ab\""}, "\"left right\" or"},
                 {{.merges = "\"a b c\""}, "merge 0"},
                 {{.merges = "[\"a\"]"}, "\"left right\" or"},
                 {{.merges = "[\"a\",\"b\",\"c\"]"}, "\"left right\" or"},
                 {{.merges = "[\"a\",1]"}, "\"left right\" or"},
                 {{.merges = "1"}, "\"left right\" or"},
                 {{.added = "{\"id\":256}"}, "content of 1 to 1024 bytes"},
                 {{.added = "{\"id\":256,\"content\":\"\"}"}, "content of 1 to 1024 bytes"},
                 {{.added = "{\"id\":256,\"content\":\"a\\n\"}"}, "not a string"},
                 {{.added = "{\"content\":\"<x>\"}"}, "a number of 0 or more"},
                 {{.added = "5"}, "content of"},
                 {{.added = "{\"id\":256,\"content\":\"cd\"}"}, "the id belongs to another token"},
                 {{.added = "{\"id\":400,\"content\":\"<x>\"},{\"id\":400,\"content\":\"<y>\"}"},
                  "the id belongs to another token"},
                 {{.added = "{\"id\":2000000,\"content\":\"<x>\"}"}, "the greatest id"}};
    ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CASE("%zu: %s", i, cases[i].says);
        const size_t before = heap_mark(&memory);
        const weft_bytes file = write_tokenizer(cases[i].t);
        is_refused(weft_vocab_parse(ctx(), file, (weft_bytes){0}), WEFT_FORMAT, cases[i].says,
                   before, file.bytes);
    }
    static const char *const files[] = {
        "", "{", "[]", "{}", "7", "{\"model\":7}", "{\"model\":{\"vocab\":[]}}"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        CASE("%s", files[i]);
        CHECK(weft_vocab_parse(ctx(), bytes_of(files[i]), (weft_bytes){0}) == NULL);
        CHECK(weft_vocab_parse(ctx(), bytes_of(files[i]), bytes_of("a b\n")) == NULL);
        CHECK(*weft_error(ctx()) != 0);
    }
    /* without one of the bytes */
    static char vocab[9000];
    sprintf(vocab, "{%s}", all_bytes());
    *strstr(vocab, "\"a\":") = 'x', vocab[0] = '{';
    char *const a = strstr(vocab, "xa\":");
    memcpy(a, "\"ab\"", 2), memmove(a + 4, a + 3, strlen(a + 3) + 1), memcpy(a, "\"ab\"", 4);
    CHECK(weft_vocab_parse(ctx(), bytes_of(vocab), bytes_of("")) == NULL);
    CHECK_HAS(weft_error(ctx()), "no token for the byte 61");
    sprintf(vocab, "{%s}", all_bytes());
    CHECK(weft_vocab_parse(ctx(), bytes_of(vocab), bytes_of("a b\nab\n")) == NULL);
    CHECK(weft_vocab_parse(ctx(), bytes_of(vocab), bytes_of("ab\n")) == NULL);
    CHECK_HAS(weft_error(ctx()), "two tokens and a space");
    CHECK(weft_vocab_parse(ctx(), bytes_of(vocab), bytes_of("\xff \xfe\n")) == NULL);
    CHECK_HAS(weft_error(ctx()), "not two tokens");
}

TEST(files_of_characters) {
#define CHARS(vocab)                                                                               \
    "{\"pre_tokenizer\":" SPLIT("[\\\\s\\\\S]") ",\"model\":{\"type\":\"WordLevel\",\"unk_"        \
                                                "token\":\"<unk>\",\"vocab\":{" vocab "}}}"
    static const struct {
        const char *file, *says;
    } cases[] = {{CHARS("\"a\":0,\"bc\":1"), "one character was expected"},
                 {CHARS("\"\":0"), "one character was expected"},
                 {CHARS(""), "it has no tokens"},
                 {CHARS("\"a\":0,\"b\":0"), "another token"},
                 {"{\"pre_tokenizer\":null,\"model\":{\"type\":\"WordLevel\",\"vocab\":{\"a\":0}}}",
                  "words of one character"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CASE("%s", cases[i].says);
        CHECK(weft_vocab_parse(ctx(), bytes_of(cases[i].file), (weft_bytes){0}) == NULL);
        CHECK_HAS(weft_error(ctx()), cases[i].says);
    }
    weft_vocab *const v =
        weft_vocab_parse(ctx(), bytes_of(CHARS("\"b\":0,\"a\":2")), (weft_bytes){0});
    CHECK_EQ(weft_vocab_size(v), 3); /* in any order, with a gap */
    size_t n;
    CHECK(weft_vocab_token(v, 1, &n) == NULL);
    CHECK(v && comes_back(v, "abba", 4));
    weft_vocab_free(v);
}

/* ---- every allocation may fail ---- */

static unsigned sum_of(const weft_vocab *v) {
    int32_t ids[300];
    unsigned sum = 1;
    char text[300];
    size_t n = 0;
    for (int i = 0; i < 300; i++) text[i] = "abab <x>12"[i % 10];
    if (!v || weft_vocab_encode(v, text, 300, NULL, ids, 300, &n) != WEFT_OK) return 0;
    for (size_t i = 0; i < n; i++) sum = sum * 31 + (unsigned)ids[i];
    return sum;
}

static unsigned and_free(weft_vocab *v) {
    const unsigned sum = sum_of(v);
    weft_vocab_free(v);
    return sum;
}

static unsigned f_tokenizer(weft_ctx *c) {
    return and_free(weft_vocab_parse(
        c,
        write_tokenizer((tokenizer){.added = "{\"id\":300,\"content\":\"<x>\",\"special\":true}"}),
        (weft_bytes){0}));
}
static unsigned f_open(weft_ctx *c) {
    write_tokenizer((tokenizer){0});
    file_put(in_folder("tokenizer.json"), written, strlen(written));
    return and_free(weft_vocab_open(c, in_folder("")));
}
static unsigned f_learn(weft_ctx *c) {
    const weft_bytes text =
        bytes_of("abab <x>12abab <x>12abab abababab <x>12 the weft and the warp and the loom");
    return and_free(weft_vocab_learn(c, &text, 1, NULL));
}
static unsigned f_chars(weft_ctx *c) {
    return and_free(weft_vocab_chars(c, bytes_of("ab <x>12")));
}
static unsigned f_save(weft_ctx *c) {
    weft_vocab *const v = weft_vocab_bytes(c);
    const bool good = v && weft_vocab_save(v, in_folder("saved")) == WEFT_OK;
    weft_vocab_free(v);
    return good ? and_free(weft_vocab_open(c, in_folder("saved"))) : 0;
}
static unsigned f_long(weft_ctx *c) { /* a word that needs a heap, a text that needs a cache */
    static char text[9000];
    static int32_t ids[9000];
    unsigned sum = 0;
    size_t n = 0;
    weft_vocab *const v = weft_vocab_parse(c, write_tokenizer((tokenizer){0}), (weft_bytes){0});
    for (int i = 0; i < 9000; i++) text[i] = i % 300 ? "ab"[i % 2] : ' ';
    const bool good = v && weft_vocab_encode(v, text, sizeof text, NULL, ids, 9000, &n) == WEFT_OK;
    for (size_t i = 0; good && i < n; i++) sum = sum * 31 + (unsigned)ids[i];
    weft_vocab_free(v);
    return good ? sum | 1 : 0;
}
static unsigned f_decoder(weft_ctx *c) {
    weft_vocab *const v = weft_vocab_bytes(c);
    weft_decoder *const d = v ? weft_decoder_new(v) : NULL;
    size_t n;
    const unsigned sum = d && weft_decoder_next(d, 'a', &n) ? 7 : 0;
    weft_decoder_free(d);
    weft_vocab_free(v);
    return sum;
}

TEST(every_allocation_may_fail) {
    static const struct {
        const char *name;
        unsigned (*run)(weft_ctx *c);
    } scenarios[] = {{"tokenizer", f_tokenizer}, {"open", f_open}, {"learn", f_learn},
                     {"chars", f_chars},         {"save", f_save}, {"long", f_long},
                     {"decoder", f_decoder}};
    for (size_t k = 0; k < sizeof scenarios / sizeof *scenarios; k++) {
        CASE("%s", scenarios[k].name);
        heap own = {0};
        weft_ctx *const c = heap_open(&own);
        const size_t idle = own.live;
        const long before = own.made;
        const unsigned want = scenarios[k].run(c);
        const long total = own.made - before;
        CHECK(want != 0 && total > 0);
        CHECK_EQ(own.live, idle);
        for (int for_ever = 0; for_ever < 2; for_ever++)
            for (long n = 1; n <= total; n++) {
                own.failed = false;
                own.for_ever = for_ever;
                own.fail_at = own.made + n;
                const unsigned got = scenarios[k].run(c);
                own.fail_at = 0;
                CHECK(own.failed);
                if (got) CHECK_EQ(got, want);
                else CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
                if (!CHECK_EQ(own.live, idle)) break;
            }
        CHECK_EQ(scenarios[k].run(c), want);
        weft_close(c);
        CHECK_EQ(own.live, 0);
    }
}
