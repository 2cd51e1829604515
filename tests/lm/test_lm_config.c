/* test_lm_config.c - configurations of language models: config.json of each family read and written,
 * what is refused and how that is said, sizes with names, counts of parameters. */
#include "lm_world.h" /* before the first system header */

#include "weft/lm.h"

static heap memory;
static weft_ctx *c;

static void begin(void) {
    memory = (heap){0};
    c = heap_open(&memory);
}

/* Nothing of a configuration lies in memory of the library. */
static void end(void) {
    weft_close(c);
    CHECK_EQ(memory.live, 0);
}

static weft_err parse(const char *text, weft_lm_config *out) {
    const weft_json j = weft_json_parse(c, text, strlen(text), "config.json");
    if (!CHECK_EQ(weft_json_kind_of(j), WEFT_JSON_OBJECT)) CHECK_STR(weft_error(c), "");
    return weft_lm_config_parse(c, j, "config.json", out);
}

static void same(const weft_lm_config *a, const weft_lm_config *b) {
    CHECK_EQ(a->family, b->family);
    CHECK_EQ(a->vocab, b->vocab);
    CHECK_EQ(a->positions, b->positions);
    CHECK_EQ(a->layers, b->layers);
    CHECK_EQ(a->heads, b->heads);
    CHECK_EQ(a->width, b->width);
    CHECK_EQ(a->hidden, b->hidden);
    CHECK_EQ(a->kv_heads, b->kv_heads);
    CHECK_EQ(a->head_size, b->head_size);
    CHECK_EQ(a->window, b->window);
    CHECK_EQ(a->activation, b->activation);
    CHECK_EQ(a->untied, b->untied);
    CHECK_EQ(a->eps, b->eps);
    CHECK_EQ(a->dropout, b->dropout);
    CHECK_EQ(a->rope.base, b->rope.base);
    CHECK_EQ(a->rope.factor, b->rope.factor);
    CHECK_EQ(a->rope.low, b->rope.low);
    CHECK_EQ(a->rope.high, b->rope.high);
    CHECK_EQ(a->rope.original, b->rope.original);
}

/* ---- published files ---- */

#define LLAMA_SIZES                                                                                \
    "\"hidden_size\": 64, \"intermediate_size\": 96, \"max_position_embeddings\": 512, "           \
    "\"num_attention_heads\": 8, \"num_hidden_layers\": 3, \"vocab_size\": 100"
#define GPT2_SIZES                                                                                 \
    "\"n_embd\": 64, \"n_head\": 4, \"n_layer\": 3, \"n_positions\": 128, \"vocab_size\": 100"

#define LLAMA_STRUCT                                                                               \
    .vocab = 100, .positions = 512, .layers = 3, .heads = 8, .width = 64, .hidden = 96,            \
    .activation = WEFT_SILU
#define GPT2_STRUCT .vocab = 100, .positions = 128, .layers = 3, .heads = 4, .width = 64

typedef struct published {
    const char *json;
    weft_lm_config want;
} published;

static const published files[] = {
    {"{\"model_type\": \"gpt2\", \"n_inner\": null, \"activation_function\": \"gelu_new\", "
     "\"layer_norm_epsilon\": 1e-05, \"resid_pdrop\": 0.1, \"n_ctx\": 128, \"extra\": [1, "
     "{}], " GPT2_SIZES "}",
     {.family = WEFT_LM_GPT2,
      GPT2_STRUCT,
      .activation = WEFT_GELU_TANH,
      .eps = 1e-5f,
      .dropout = 0.1f}},
    {"{\"model_type\": \"gpt2\", \"n_inner\": 200, \"activation_function\": \"relu\", "
     "\"tie_word_embeddings\": false, " GPT2_SIZES "}", /* what is missing has the usual value */
     {.family = WEFT_LM_GPT2,
      GPT2_STRUCT,
      .hidden = 200,
      .activation = WEFT_RELU,
      .eps = 1e-5f,
      .untied = true}},
    {"{\"model_type\": \"llama\", \"hidden_act\": \"silu\", \"num_key_value_heads\": 2, "
     "\"rms_norm_eps\": 1e-05, \"rope_theta\": 500000.0, \"tie_word_embeddings\": true, "
     "\"head_dim\": 8, \"rope_scaling\": {\"factor\": 32.0, \"high_freq_factor\": 4.0, "
     "\"low_freq_factor\": 1.0, \"original_max_position_embeddings\": 8192, \"rope_type\": "
     "\"llama3\"}, \"attention_bias\": false, \"mlp_bias\": false, " LLAMA_SIZES "}",
     {.family = WEFT_LM_LLAMA,
      LLAMA_STRUCT,
      .kv_heads = 2,
      .head_size = 8,
      .eps = 1e-5f,
      .rope = {.base = 500000, .factor = 32, .low = 1, .high = 4, .original = 8192}}},
    {"{\"model_type\": \"llama\", \"sliding_window\": 9, " LLAMA_SIZES "}", /* which it has not */
     {.family = WEFT_LM_LLAMA, LLAMA_STRUCT, .eps = 1e-6f, .untied = true}},
    {"{\"model_type\": \"mistral\", \"sliding_window\": 256, \"num_key_value_heads\": 4, "
     "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.5}, " LLAMA_SIZES "}",
     {.family = WEFT_LM_MISTRAL,
      LLAMA_STRUCT,
      .kv_heads = 4,
      .window = 256,
      .eps = 1e-6f,
      .untied = true,
      .rope = {.factor = 2.5f}}},
    {"{\"model_type\": \"mistral\", \"sliding_window\": null, " LLAMA_SIZES "}",
     {.family = WEFT_LM_MISTRAL, LLAMA_STRUCT, .eps = 1e-6f, .untied = true}},
    {"{\"model_type\": \"qwen2\", \"sliding_window\": 256, \"use_sliding_window\": false, "
     "\"max_window_layers\": 2, \"tie_word_embeddings\": true, \"rope_theta\": "
     "1000000.0, " LLAMA_SIZES "}",
     {.family = WEFT_LM_QWEN2, LLAMA_STRUCT, .eps = 1e-6f, .rope = {.base = 1000000}}},
    {"{\"model_type\": \"qwen2\", \"sliding_window\": 256, \"use_sliding_window\": true, "
     "\"max_window_layers\": 0, " LLAMA_SIZES "}",
     {.family = WEFT_LM_QWEN2, LLAMA_STRUCT, .window = 256, .eps = 1e-6f, .untied = true}},
    {"{\"model_type\": \"qwen2\", \"sliding_window\": 256, \"use_sliding_window\": true, "
     "\"max_window_layers\": 3, " LLAMA_SIZES "}", /* from the fourth of three on */
     {.family = WEFT_LM_QWEN2, LLAMA_STRUCT, .eps = 1e-6f, .untied = true}},
    {"{\"model_type\": \"qwen3\", \"head_dim\": 16, \"rope_parameters\": {\"rope_theta\": 1000.5, "
     "\"rope_type\": \"default\"}, " LLAMA_SIZES "}",
     {.family = WEFT_LM_QWEN3,
      LLAMA_STRUCT,
      .head_size = 16,
      .eps = 1e-6f,
      .untied = true,
      .rope = {.base = 1000.5f}}},
};

/* A base that a file does not give is written as the number that it stands for. */
static weft_lm_config written(weft_lm_config m) {
    if (m.family != WEFT_LM_GPT2 && m.rope.base == 0) m.rope.base = 10000;
    if (m.eps == 0) m.eps = 1e-5f;
    return m;
}

static void again(const weft_lm_config *m) {
    char *const text = weft_lm_config_text(c, m);
    const weft_lm_config want = written(*m);
    weft_lm_config back;
    if (!CHECK(text)) CHECK_STR(weft_error(c), "");
    if (text && !CHECK_EQ(parse(text, &back), WEFT_OK)) CHECK_STR(weft_error(c), text);
    else same(&back, &want);
    weft_text_free(c, text);
}

TEST(published_files_are_read_and_written) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        CASE("%s %d", weft_lm_family_name(files[i].want.family), (int)i);
        begin();
        weft_lm_config m;
        if (!CHECK_EQ(parse(files[i].json, &m), WEFT_OK)) CHECK_STR(weft_error(c), "");
        same(&m, &files[i].want);
        again(&m);
        end();
    }
}

TEST(every_number_comes_back) {
    begin();
    for (int i = 0; i < 200; i++) {
        weft_lm_config m = lm_small((weft_lm_family)(i % WEFT_LM_FAMILY_COUNT));
        m.eps = (float)test_uniform(0, 0.9) * powf(10, (float)-(i % 20));
        m.untied = test_random() % 2;
        if (m.family == WEFT_LM_GPT2) m.dropout = (float)test_uniform(0, 1);
        else {
            m.rope.base = (float)test_uniform(1, 1e7);
            if (i % 3) m.rope.factor = (float)test_uniform(0.1, 50);
            if (i % 3 == 2) {
                m.rope.original = 1 + test_random() % 9000;
                m.rope.low = (float)test_uniform(0.1, 2);
                m.rope.high = (float)test_uniform(2.1, 9);
            }
        }
        again(&m);
    }
    weft_lm_config m = lm_small(WEFT_LM_LLAMA); /* Llama 3's own limits need not be told */
    m.rope = (weft_rope_desc){.factor = 8, .original = 64};
    char *const text = weft_lm_config_text(c, &m);
    CHECK_HAS(text, "\"low_freq_factor\": 1, \"high_freq_factor\": 4");
    CHECK_EQ(parse(text, &m), WEFT_OK);
    weft_text_free(c, text);
    m = lm_small(WEFT_LM_LLAMA), m.window = 5; /* Llama with a window is called Mistral */
    char *const windowed = weft_lm_config_text(c, &m);
    CHECK_HAS(windowed, "\"MistralForCausalLM\"");
    CHECK_EQ(parse(windowed, &m), WEFT_OK);
    CHECK_EQ(m.family, WEFT_LM_MISTRAL);
    CHECK_EQ(m.window, 5);
    weft_text_free(c, windowed);
    m = lm_small(WEFT_LM_QWEN2), m.window = 5; /* others' default is 28 layers without one */
    again(&m);
    m = lm_small(WEFT_LM_GPT2), m.activation = 0; /* nor the family's activation */
    char *const own = weft_lm_config_text(c, &m);
    CHECK_HAS(own, "\"activation_function\": \"gelu_new\"");
    weft_text_free(c, own);
    end();
}

TEST(a_file_and_its_folder_are_opened) {
    begin();
    weft_lm_config m = {0}, kept;
    const char *const text = files[0].json;
    file_put(in_folder("config.json"), text, strlen(text));
    file_put(in_folder("other.json"), text, strlen(text));
    CHECK_EQ(weft_lm_config_open(c, in_folder("config.json"), &m), WEFT_OK);
    same(&m, &files[0].want);
    CHECK_EQ(weft_lm_config_open(c, folder, &m), WEFT_OK);
    CHECK_EQ(weft_lm_config_open(c, in_folder("other.json"), &m), WEFT_OK);
    kept = m;
    CHECK_EQ(weft_lm_config_open(c, in_folder("none"), &m), WEFT_FILE);
    CHECK_HAS(weft_error(c), "none");
    file_put(in_folder("bad.json"), "{\"model_type\":", 14);
    CHECK_EQ(weft_lm_config_open(c, in_folder("bad.json"), &m), WEFT_FORMAT);
    CHECK_HAS(weft_error(c), "bad.json");
    file_put(in_folder("list.json"), "[]", 2);
    CHECK_EQ(weft_lm_config_open(c, in_folder("list.json"), &m), WEFT_FORMAT);
    CHECK_HAS(weft_error(c), "expected an object");
    char *const path = malloc(5001);
    memset(path, 'a', 5000), path[5000] = 0;
    CHECK_EQ(weft_lm_config_open(c, path, &m), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "too long");
    free(path);
    same(&m, &kept);
    CHECK_EQ(weft_lm_config_open(c, NULL, &m), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_config_open(c, folder, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_config_parse(c, (weft_json){0}, NULL, &m), WEFT_FORMAT);
    CHECK_EQ(weft_lm_config_parse(c, (weft_json){0}, NULL, NULL), WEFT_ARGUMENT);
    end();
}

/* ---- what is refused ---- */

typedef struct refusal {
    const char *key, *value; /* in the place of a sound one, or besides */
    weft_err error;
    const char *part;
} refusal;

#define INTEGER "expected an integer from 1 to 67108864"
static const refusal of_llama[] = {
    {"model_type", "\"bert\"", WEFT_UNSUPPORTED,
     "expected gpt2, llama, mistral, qwen2 or qwen3, got \"bert\""},
    {"model_type", "null", WEFT_FORMAT, "\"model_type\""},
    {"model_type", "\"\\u001b[2J\"", WEFT_UNSUPPORTED, "got \"\\x1b[2J\""},
    {"vocab_size", "0", WEFT_FORMAT, "\"vocab_size\": " INTEGER},
    {"vocab_size", "-3", WEFT_FORMAT, INTEGER},
    {"vocab_size", "1.5", WEFT_FORMAT, INTEGER},
    {"vocab_size", "1e300", WEFT_FORMAT, INTEGER},
    {"vocab_size", "67108865", WEFT_FORMAT, INTEGER},
    {"vocab_size", "99999999999999999999", WEFT_FORMAT, INTEGER},
    {"vocab_size", "\"100\"", WEFT_FORMAT, INTEGER},
    {"vocab_size", "null", WEFT_FORMAT, INTEGER},
    {"num_hidden_layers", "5000", WEFT_FORMAT, "expected 1 to 4096 layers, got 5000"},
    {"num_hidden_layers", "[3]", WEFT_FORMAT, INTEGER},
    {"num_attention_heads", "7", WEFT_FORMAT, "7 heads do not divide a width of 64"},
    {"num_attention_heads", "64", WEFT_FORMAT, "heads of an even size, not 1"},
    {"num_key_value_heads", "3", WEFT_FORMAT, "3 key heads do not divide 8 heads"},
    {"num_key_value_heads", "16", WEFT_FORMAT, "expected 0 to 8 key heads, got 16"},
    {"num_key_value_heads", "0", WEFT_FORMAT, INTEGER},
    {"head_dim", "7", WEFT_FORMAT, "heads of an even size, not 7"},
    {"head_dim", "67108864", WEFT_OK, ""}, /* large, and possible */
    {"rms_norm_eps", "1", WEFT_FORMAT, "\"rms_norm_eps\": expected a number from 0 to below 1"},
    {"rms_norm_eps", "-1e-5", WEFT_FORMAT, "from 0 to below 1"},
    {"rms_norm_eps", "\"small\"", WEFT_FORMAT, "from 0 to below 1"},
    {"hidden_act", "\"quick_gelu\"", WEFT_UNSUPPORTED,
     "\"hidden_act\": expected gelu_new, gelu, relu or silu, got \"quick_gelu\""},
    {"hidden_act", "3", WEFT_UNSUPPORTED, "hidden_act"},
    {"attention_bias", "true", WEFT_UNSUPPORTED, "\"attention_bias\": only false"},
    {"mlp_bias", "true", WEFT_UNSUPPORTED, "\"mlp_bias\": only false"},
    {"mlp_bias", "1", WEFT_UNSUPPORTED, "\"mlp_bias\": only false"},
    {"partial_rotary_factor", "0.5", WEFT_UNSUPPORTED, "\"partial_rotary_factor\": only 1"},
    {"rope_theta", "0", WEFT_FORMAT, "\"rope_theta\": expected a number above 0"},
    {"rope_theta", "-5", WEFT_FORMAT, "above 0"},
    {"rope_theta", "1e40", WEFT_FORMAT, "above 0"},
    {"rope_scaling", "{\"rope_type\": \"yarn\", \"factor\": 2}", WEFT_UNSUPPORTED,
     "expected llama3, linear or default, got \"yarn\""},
    {"rope_scaling", "{\"factor\": 2}", WEFT_UNSUPPORTED, "expected llama3, linear or default"},
    {"rope_scaling", "{\"type\": \"linear\"}", WEFT_FORMAT, "expected a factor"},
    {"rope_scaling", "{\"type\": \"linear\", \"factor\": 0}", WEFT_FORMAT,
     "\"factor\": expected a number above 0"},
    {"rope_scaling", "{\"rope_type\": \"llama3\", \"factor\": 2}", WEFT_FORMAT,
     "low_freq_factor below high_freq_factor"},
    {"rope_scaling",
     "{\"rope_type\": \"llama3\", \"factor\": 2, \"low_freq_factor\": 4, \"high_freq_factor\": 4, "
     "\"original_max_position_embeddings\": 9}",
     WEFT_FORMAT, "low_freq_factor below high_freq_factor"},
    {"rope_scaling",
     "{\"rope_type\": \"llama3\", \"factor\": 2, \"low_freq_factor\": 1, \"high_freq_factor\": "
     "1.000000001, \"original_max_position_embeddings\": 9}",
     WEFT_FORMAT, "low < high"},
};

static const refusal of_qwen2[] = {
    {"num_hidden_layers", "30", WEFT_UNSUPPORTED, "only a window in all layers or in none"},
    {"max_window_layers", "2", WEFT_UNSUPPORTED, "only a window in all layers or in none"},
};

static const refusal of_gpt2[] = {
    {"n_inner", "0", WEFT_FORMAT, "\"n_inner\": " INTEGER},
    {"n_embd", "67108864", WEFT_FORMAT, "at most 2^50 parameters"},
    {"n_head", "5", WEFT_FORMAT, "5 heads do not divide a width of 64"},
    {"resid_pdrop", "1", WEFT_FORMAT, "from 0 to below 1"},
    {"scale_attn_weights", "false", WEFT_UNSUPPORTED, "\"scale_attn_weights\": only true"},
    {"scale_attn_by_inverse_layer_idx", "true", WEFT_UNSUPPORTED, "only false"},
    {"add_cross_attention", "true", WEFT_UNSUPPORTED, "only false"},
    {"activation_function", "\"tanh\"", WEFT_UNSUPPORTED, "got \"tanh\""},
};

/* The sound text with the value of one key replaced, or the key added. */
static void spoil(const char *sound, const refusal *r, char *out, size_t bytes) {
    char key[60];
    snprintf(key, sizeof key, "\"%s\": ", r->key);
    const char *at = strstr(sound, key);
    if (!at) {
        snprintf(out, bytes, "{%s%s, %s", key, r->value, sound + 1);
        return;
    }
    at += strlen(key);
    snprintf(out, bytes, "%.*s%s%s", (int)(at - sound), sound, r->value, at + strcspn(at, ",}"));
}

static void refuse(const char *sound, const refusal *list, size_t n) {
    for (size_t i = 0; i < n; i++) {
        CASE("%s %s", list[i].key, list[i].value);
        begin();
        char text[1500];
        spoil(sound, &list[i], text, sizeof text);
        weft_lm_config m = {.vocab = -77};
        const size_t before = heap_mark(&memory);
        CHECK_EQ(parse(text, &m), list[i].error);
        CHECK(memory.peak - before < 1 << 16);
        if (list[i].error != WEFT_OK) {
            CHECK_HAS(weft_error(c), "config.json: ");
            CHECK_HAS(weft_error(c), list[i].part);
            CHECK_EQ(m.vocab, -77);
        }
        end();
    }
}

TEST(what_cannot_be_computed_is_refused_by_name) {
    refuse("{\"model_type\": \"llama\", " LLAMA_SIZES "}", of_llama,
           sizeof of_llama / sizeof *of_llama);
    refuse("{\"model_type\": \"gpt2\", " GPT2_SIZES "}", of_gpt2, sizeof of_gpt2 / sizeof *of_gpt2);
    refuse("{\"model_type\": \"qwen2\", \"use_sliding_window\": true, \"sliding_window\": "
           "9, " LLAMA_SIZES "}",
           of_qwen2, sizeof of_qwen2 / sizeof *of_qwen2);
}

/* A struct that cannot be is refused by each function that takes one. */
static void impossible(weft_lm_config m, const char *part) {
    CHECK_EQ(weft_lm_config_check(c, &m), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), part);
    CHECK(!weft_lm_config_text(c, &m));
    CHECK_EQ(weft_lm_parameters(&m), 0);
    weft_state *const s = weft_state_new(c);
    weft_graph *const g = weft_graph_new(c);
    const weft_tensor ids = weft_input(g, WEFT_I32, weft_dims(1, 4));
    CHECK(!weft_ok(weft_lm_logits(s, ids, &m, NULL)));
    CHECK_EQ(weft_graph_error(g), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), part);
    CHECK(!weft_ok(weft_lm_head(s, ids, &m, NULL)));
    CHECK(!weft_ok(weft_lm_loss(s, ids, ids, &m, NULL)));
    CHECK_EQ(weft_lm_load(s, &m, "none", NULL, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_save(s, &m, in_folder("none"), WEFT_F32, 0), WEFT_ARGUMENT);
    CHECK(!weft_generator_new(s, &m, NULL));
    CHECK_EQ(weft_state_count(s), 0);
    weft_graph_free(g);
    weft_state_free(s);
}

TEST(structs_that_cannot_be) {
    begin();
    const weft_lm_config llama = lm_small(WEFT_LM_LLAMA), gpt2 = lm_small(WEFT_LM_GPT2);
#define WITH(from, change, part)                                                                   \
    do {                                                                                           \
        weft_lm_config m = from;                                                                   \
        change;                                                                                    \
        impossible(m, part);                                                                       \
    } while (0)
    WITH(llama, m.family = WEFT_LM_FAMILY_COUNT, "unknown family 5");
    WITH(llama, m.vocab = 0, "1 to 67108864 tokens");
    WITH(llama, m.positions = -1, "positions");
    WITH(llama, m.hidden = 0, "hidden units");
    WITH(llama, m.width = 26, "4 heads do not divide a width of 26");
    WITH(llama, m.window = -1, "window");
    WITH(llama, m.eps = NAN, "eps");
    WITH(llama, m.dropout = 1, "dropout");
    WITH(llama, m.rope.base = -1, "rotary");
    WITH(llama, m.rope.factor = INFINITY, "rotary");
    WITH(llama, m.rope.low = 5, "low < high");
    WITH(llama, m.head_size = 3, "even size");
    WITH(gpt2, m.activation = WEFT_TANH, "expected gelu, gelu_tanh, relu or silu, got tanh");
    WITH(gpt2, m.width = m.heads = m.layers = 4096; m.hidden = 1 << 26, "2^50");
    WITH(llama, m.heads = m.kv_heads = m.head_size = 1 << 26, "2^50");
#undef WITH
    CHECK_EQ(weft_lm_config_check(c, NULL), WEFT_ARGUMENT);
    CHECK(!weft_lm_config_text(c, NULL));
    CHECK_EQ(weft_lm_parameters(NULL), 0);
    CHECK_STR(weft_lm_family_name(WEFT_LM_FAMILY_COUNT), "");
    end();
}

/* ---- sizes ---- */

TEST(sizes_have_names) {
    static const struct {
        const char *name;
        int64_t parameters;
    } rows[] = {
        {"distilgpt2", 81912576},  {"gpt2", 124439808},     {"gpt2-medium", 354823168},
        {"gpt2-large", 774030080}, {"gpt2-xl", 1557611200},
    };
    weft_lm_config m = {.vocab = -5};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%s", rows[i].name);
        CHECK(weft_lm_config_named(rows[i].name, &m));
        CHECK_EQ(weft_lm_parameters(&m), rows[i].parameters);
    }
    CASE("all and others");
    size_t n = 0;
    for (const char *name; (name = weft_lm_config_name(n)); n++) {
        CHECK(weft_lm_config_named(name, &m));
        CHECK_EQ(weft_lm_config_check(NULL, &m), WEFT_OK);
        CHECK_EQ(m.vocab, 50257);
    }
    CHECK_EQ(n, 7);
    CHECK(!weft_lm_config_named("gpt3", &m));
    CHECK(!weft_lm_config_named(NULL, &m));
}

TEST(parameters_are_those_that_a_state_has) {
    for (int f = 0; f < WEFT_LM_FAMILY_COUNT; f++)
        for (int k = 0; k < 4; k++) {
            CASE("%s %d", weft_lm_family_name((weft_lm_family)f), k);
            begin();
            weft_lm_config m = lm_small((weft_lm_family)f);
            if (k & 1) m.untied = !m.untied, m.hidden = 30;
            if (k & 2 && f != WEFT_LM_GPT2) m.kv_heads = 0, m.head_size = 14;
            weft_state *const s = weft_state_new(c);
            lm_fill(s, &m);
            int64_t n = 0;
            for (size_t i = 0; i < weft_state_count(s); i++) {
                weft_entry e;
                CHECK_EQ(weft_state_entry(s, i, &e), WEFT_OK);
                n += e.trained ? (int64_t)lm_count(e.dims) : 0;
            }
            CHECK_EQ(weft_lm_parameters(&m), n);
            weft_state_free(s);
            end();
        }
}

/* ---- memory ---- */

TEST(without_memory_there_is_no_text) {
    begin();
    const weft_lm_config m = lm_small(WEFT_LM_QWEN3);
    const size_t before = memory.live;
    for (long at = 1;; at++) {
        memory.made = 0, memory.failed = false, memory.fail_at = at;
        char *const text = weft_lm_config_text(c, &m);
        memory.fail_at = 0;
        if (!memory.failed) {
            CHECK(text);
            weft_text_free(c, text);
            break;
        }
        CHECK(!text);
        CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
        CHECK_EQ(memory.live, before);
    }
    end();
}
