/* test_lm_write.c - text in, text out: what is shown when, where a text ends, and why.
 *
 * The model is made to say what a test wants: its positions are the units of a vector, and its output
 * layer has the wanted token for each of them. */
#include "lm_world.h" /* before the first system header */

enum { PLACES = 256, ROWS = 5, SHOWN = 600 };

static heap memory;
static weft_ctx *c;
static weft_state *s;
static weft_vocab *v;
static weft_lm_config m;
static float *head; /* [vocab, PLACES] */

static void begin_with(weft_vocab *own) {
    v = own;
    if (!CHECK(v)) CHECK_STR(weft_error(c), "");
    s = weft_state_new(c);
    m = (weft_lm_config){.family = WEFT_LM_GPT2,
                         .vocab = weft_vocab_size(v),
                         .positions = PLACES,
                         .layers = 1,
                         .heads = 1,
                         .width = PLACES,
                         .hidden = 1,
                         .untied = true};
    weft_graph *const g = weft_graph_new(c);
    weft_lm_logits(s, weft_input(g, WEFT_I32, weft_dims(1, 1)), &m, NULL);
    weft_graph_free(g);
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(s, i, &e), WEFT_OK);
        if (strstr(e.name, "ln_f.weight")) continue;
        float *const zeros = calloc(e.bytes / sizeof *zeros, sizeof *zeros);
        const bool places = strstr(e.name, "wpe") != NULL;
        for (int k = 0; places && k < PLACES; k++) zeros[k * (PLACES + 1)] = 1;
        CHECK_EQ(weft_state_set(s, e.name, zeros, e.bytes), WEFT_OK);
        free(zeros);
    }
    head = calloc((size_t)m.vocab * PLACES, sizeof *head);
}

static void begin(void) {
    memory = (heap){0};
    c = heap_open(&memory);
    begin_with(weft_vocab_bytes(c));
}

/* A vocabulary with words of several bytes and two special tokens. "X" and the first byte of an
 * accented letter are one token. */
static void begin_words(const char *const *special, size_t n) {
    static const char text[] = "XéXèXêXëXéXèXêXë the the the there other then the the";
    memory = (heap){0};
    c = heap_open(&memory);
    begin_with(weft_vocab_learn(
        c, &(weft_bytes){.data = text, .bytes = sizeof text - 1}, 1,
        &(weft_learn_desc){.size = 290, .special = special, .specials = n, .no_special = !n}));
}

static void end(void) {
    free(head);
    weft_state_free(s);
    weft_vocab_free(v);
    weft_close(c);
    CHECK_EQ(memory.live, 0);
}

/* ---- what the model says ---- */

static void say_token(int place, int32_t id) {
    head[(int64_t)id * PLACES + place] = 20;
}

/* After a prompt of so many tokens: this text. How many tokens that are. */
static int say(int prompt, const char *text) {
    int32_t ids[PLACES];
    size_t n;
    CHECK_EQ(weft_vocab_encode(v, text, strlen(text), NULL, ids, PLACES, &n), WEFT_OK);
    for (size_t i = 0; i < n; i++) say_token(prompt - 1 + (int)i, ids[i]);
    return (int)n;
}

static weft_generator *generator(int rows, float temperature) {
    CHECK_EQ(weft_state_set(s, "lm_head.weight", head, (size_t)m.vocab * PLACES * sizeof *head),
             WEFT_OK);
    weft_generator *const w = weft_generator_new(
        s, &m,
        &(weft_generator_desc){
            .sample = {.temperature = temperature}, .sequences = rows, .seed = 2});
    if (!CHECK(w)) CHECK_STR(weft_error(c), "");
    return w;
}

/* ---- what is shown ---- */

typedef struct shown {
    char text[ROWS][SHOWN];
    size_t n[ROWS];
    int calls, asked, stop_at; /* asks before it says stop; 0: never */
    bool whole;                /* characters only, so far */
} shown;

static bool whole_characters(const char *text, size_t n) {
    for (size_t i = 0; i < n;) {
        const unsigned char first = (unsigned char)text[i];
        const size_t more = first < 0x80   ? 1
                            : first < 0xc0 ? 0
                            : first < 0xe0 ? 2
                            : first < 0xf0 ? 3
                                           : 4;
        if (!more || i + more > n) return false;
        for (size_t k = 1; k < more; k++)
            if ((text[i + k] & 0xc0) != 0x80) return false;
        i += more;
    }
    return true;
}

static void show(void *user, int sequence, const char *text, size_t n) {
    shown *const to = user;
    if (!CHECK(sequence >= 0 && sequence < ROWS && n > 0 && to->n[sequence] + n < SHOWN)) return;
    memcpy(to->text[sequence] + to->n[sequence], text, n);
    to->n[sequence] += n;
    to->calls++;
    to->whole = to->whole && whole_characters(text, n);
}

static bool ask(void *user) {
    shown *const to = user;
    return ++to->asked == to->stop_at;
}

typedef struct written {
    const char *prompt;
    int tokens;
    const char *stop[3];
    size_t stops;
    const char *text, *why; /* expected; and the count of tokens, prompt and result */
    int in, out;
} written;

static void writes(const written *k) {
    weft_generator *const w = generator(1, 0);
    shown to = {.whole = true};
    weft_lm_written facts;
    const weft_lm_write_desc d = {
        .tokens = k->tokens, .stop = k->stop, .stop_count = k->stops, .show = show, .user = &to};
    if (!CHECK_EQ(weft_generator_write(w, v, k->prompt, &d, &facts), WEFT_OK))
        CHECK_STR(weft_error(c), "");
    CHECK_STR(to.text[0], k->text);
    CHECK_STR(facts.why, k->why);
    CHECK_EQ(facts.prompt, k->in);
    CHECK_EQ(facts.tokens, k->out);
    CHECK(facts.seconds > 0 && facts.prompt_seconds > 0);
    CHECK(to.whole);
    weft_generator_free(w);
}

TEST(a_text_is_shown_as_it_comes) {
    begin();
    const char *const text = "Hello, wörld 🙂 and €!";
    const int n = say(2, text);
    writes(&(written){"ab", n, {0}, 0, text, "length", 2, n});
    shown to = {.whole = true}; /* a character at a time */
    weft_generator *const w = generator(1, 0);
    CHECK_EQ(weft_generator_write(
                 w, v, "ab", &(weft_lm_write_desc){.tokens = n, .show = show, .user = &to}, NULL),
             WEFT_OK);
    CHECK_EQ(to.calls, 21);
    CHECK_EQ(weft_generator_write(w, v, "ab", &(weft_lm_write_desc){.tokens = 1}, NULL), WEFT_OK);
    CHECK_EQ(weft_generator_write(w, v, "ab", NULL, NULL), WEFT_OK);
    weft_generator_free(w);
    end();
}

TEST(a_character_that_is_cut_off_is_replaced) {
    begin();
    const int n = say(1, "ab🙂");
    writes(&(written){"x", n - 1, {0}, 0, "ab\xef\xbf\xbd", "length", 1, n - 1});
    end();
}

TEST(stop_texts_end_a_text_and_are_not_shown) {
    static const struct {
        const char *text, *stop[3];
        size_t stops;
        const char *shown, *why;
        int out;
    } rows[] = {
        {"abcENDdef", {"END"}, 1, "abc", "stop text", 6}, /* over three tokens */
        {"ENDdef", {"END"}, 1, "", "stop text", 3},
        {"aEENxENENDy", {"END"}, 1, "aEENxEN", "stop text", 10},
        {"abcEN", {"END"}, 1, "abcEN", "length", 5}, /* begun, and never completed */
        {"abcdef", {"END"}, 1, "abcdef", "length", 6},
        {"xaby", {"abc", "ab"}, 2, "x", "stop text", 3}, /* the shorter is there already */
        {"xaby", {"ab", "abc"}, 2, "x", "stop text", 3},
        {"xabcy", {"abcd", "bc"}, 2, "xa", "stop text", 5}, /* the longer was still possible */
        {"xabc", {"abcd", "bc"}, 2, "xa", "stop text", 4},
        {"one\n\ntwo", {"\n\n"}, 1, "one", "stop text", 5},
        {"wö€rld", {"€"}, 1, "wö", "stop text", 6},
        {"abc", {"", "c"}, 2, "ab", "stop text", 3}, /* an empty one is none */
        {"abc", {""}, 1, "abc", "length", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%s", rows[i].text);
        begin();
        const int n = say(1, rows[i].text);
        const written k = {"x",
                           n,
                           {rows[i].stop[0], rows[i].stop[1], rows[i].stop[2]},
                           rows[i].stops,
                           rows[i].shown,
                           rows[i].why,
                           1,
                           rows[i].out};
        writes(&k);
        end();
    }
}

TEST(nothing_is_shown_behind_a_stop_text) {
    static const char *const special[] = {"<|endoftext|>"};
    begin_words(special, 1);
    const int n = say(1, " the Xé");
    int32_t ids[16];
    size_t count;
    CHECK_EQ(weft_vocab_encode(v, "Xé", 3, NULL, ids, 16, &count), WEFT_OK);
    size_t bytes;
    const char *const first = weft_vocab_token(v, ids[0], &bytes);
    CHECK_EQ(bytes, 2); /* "X" and a half of a character, in one token */
    CHECK_MEM(first, "X\xc3", 2);
    writes(&(written){"<|endoftext|>", n, {"X"}, 1, " the ", "stop text", 1, n - 1});
    end();
}

TEST(a_special_token_is_the_end) {
    static const char *const special[] = {"<|im_end|>", "<|endoftext|>"};
    begin_words(special, 2);
    const int n = say(1, " the there");
    say_token(n, weft_vocab_find(v, "<|im_end|>"));
    writes(&(written){"x", 50, {0}, 0, " the there", "end of text", 1, n + 1});
    writes(&(written){"x", 50, {"there!"}, 1, " the there", "end of text", 1, n + 1});
    writes(&(written){"x", n, {0}, 0, " the there", "length", 1, n});
    writes(&(written){"", n, {0}, 0, " the there", "length", 1, n}); /* begins with <|endoftext|> */
    end();
}

TEST(what_models_see_first_is_put_first) {
    static const char *const special[] = {"<s>", "</s>"};
    begin_words(special, 2);
    int n = say(2, " then");
    writes(&(written){"x", n, {0}, 0, " then", "length", 2, n});
    end();
    begin_words(special, 2);
    n = say(1, " then");
    writes(&(written){"", n, {0}, 0, " then", "length", 1, n});
    end();
    begin(); /* without special tokens, nothing is a new line */
    n = say(1, "ok");
    writes(&(written){"", n, {0}, 0, "ok", "length", 1, n});
    end();
}

TEST(sequences_end_by_themselves) {
    begin();
    /* "a" or "b" seven times, then a stop text for those that have said "b" last */
    for (int i = 0; i < 40; i++) say_token(i, 'a'), say_token(i, 'b');
    const char *const stop[] = {"bb"};
    weft_generator *const w = generator(ROWS, 1);
    shown to = {.whole = true};
    weft_lm_written facts[ROWS];
    const weft_lm_write_desc d = {
        .tokens = 12, .stop = stop, .stop_count = 1, .show = show, .user = &to};
    CHECK_EQ(weft_generator_write(w, v, "x", &d, facts), WEFT_OK);
    int stopped = 0, different = 0;
    for (int b = 0; b < ROWS; b++) {
        CHECK(!strstr(to.text[b], "bb"));
        CHECK_EQ(strspn(to.text[b], "ab"), to.n[b]);
        const bool early = strcmp(facts[b].why, "stop text") == 0;
        if (!early) CHECK_STR(facts[b].why, "length");
        CHECK_EQ((size_t)facts[b].tokens, to.n[b] + (early ? 2 : 0));
        stopped += early;
        different += b && strcmp(to.text[b], to.text[0]) != 0;
    }
    CHECK(stopped > 0 && different > 0);
    weft_generator_free(w);
    end();
}

TEST(whoever_watches_may_stop_it) {
    begin();
    say(1, "abcdefgh");
    weft_generator *const w = generator(1, 0);
    shown to = {.stop_at = 4};
    weft_lm_written facts;
    const char *const stop[] = {"cX"}; /* "c" is held back until the end */
    const weft_lm_write_desc d = {
        .show = show, .ask = ask, .user = &to, .stop = stop, .stop_count = 1};
    CHECK_EQ(weft_generator_write(w, v, "x", &d, &facts), WEFT_OK);
    CHECK_STR(to.text[0], "abc");
    CHECK_STR(facts.why, "stopped");
    CHECK_EQ(facts.tokens, 3);
    CHECK_EQ(to.asked, 4);
    weft_generator_free(w);
    end();
}

TEST(what_cannot_be_written) {
    begin();
    weft_generator *const w = generator(1, 0);
    CHECK_EQ(weft_generator_write(NULL, v, "x", NULL, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_generator_write(w, NULL, "x", NULL, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "the vocabulary is NULL");
    CHECK_EQ(weft_generator_write(w, v, NULL, NULL, NULL), WEFT_ARGUMENT);
    weft_vocab *const few = weft_vocab_chars(c, (weft_bytes){.data = "abc", .bytes = 3});
    CHECK(weft_generator_write(w, few, "abx", NULL, NULL) != WEFT_OK);
    CHECK_EQ(weft_generator_write(w, few, "abc", &(weft_lm_write_desc){.tokens = 3}, NULL),
             WEFT_OK);
    weft_vocab_free(few);
    weft_generator_free(w);
    weft_generator *const none = weft_generator_new(s, &(weft_lm_config){0}, NULL);
    CHECK(!none);
    end();
    begin(); /* a model with fewer tokens than the vocabulary */
    m.vocab = 100;
    weft_state *const small = weft_state_new(c);
    weft_generator *const other = weft_generator_new(small, &m, NULL);
    CHECK_EQ(weft_generator_write(other, v, "xyz", NULL, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "token 0 of sequence 0 is 120");
    weft_generator_free(other);
    weft_state_free(small);
    m.vocab = 256;
    end();
}

TEST(a_long_text_goes_on_when_the_model_is_full) {
    begin();
    for (int i = 0; i < PLACES; i++) say_token(i, 'a' + i % 26);
    weft_generator *const w = generator(1, 0);
    shown to = {.whole = true};
    weft_lm_written facts;
    const weft_lm_write_desc d = {.tokens = 500, .show = show, .user = &to};
    CHECK_EQ(weft_generator_write(w, v, "x", &d, &facts), WEFT_OK);
    CHECK_EQ(facts.tokens, 500);
    CHECK_EQ(to.n[0], 500);
    weft_generator_free(w);
    end();
}

TEST(without_memory_it_is_an_error) {
    begin();
    say(1, "abcdefgh");
    const char *const stop[] = {"defX"};
    for (int pass = 0; pass < 2; pass++) { /* with plans to be made, and with plans that are */
        CASE("pass %d", pass);
        weft_generator *w = generator(ROWS, 0);
        const weft_lm_write_desc d = {.tokens = 8, .stop = stop, .stop_count = 1};
        if (pass) CHECK_EQ(weft_generator_write(w, v, "x", &d, NULL), WEFT_OK);
        for (long at = 1;; at += 1 + at / (pass ? 60 : 25)) {
            memory.made = 0, memory.failed = false, memory.fail_at = at;
            const weft_err e = weft_generator_write(w, v, "x", &d, NULL);
            memory.fail_at = 0;
            if (!memory.failed) {
                CHECK_EQ(e, WEFT_OK);
                break;
            }
            if (!CHECK_EQ(e, WEFT_MEMORY)) break;
            if (!pass) weft_generator_free(w), w = generator(ROWS, 0);
        }
        weft_generator_free(w);
    }
    end();
}
