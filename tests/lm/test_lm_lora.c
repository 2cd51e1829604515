/* test_lm_lora.c - adapters: nothing at first, trained alone, saved with PEFT's names, loaded, merged.
 *
 * test_lm_peft.sh has PyTorch read the files. */
#include "lm_world.h" /* before the first system header */

#include "weft/optim.h"

enum { RANK = 3 };
static heap memory;
static weft_ctx *c;
static weft_state *s, *own;
static weft_lm_config m;
static weft_nn_lora lora;
static weft_lm_desc with;

static void begin(weft_lm_family f, bool apart) {
    memory = (heap){0};
    c = heap_open(&memory);
    s = weft_state_new(c), own = weft_state_new(c);
    m = lm_small(f);
    lm_fill(s, &m);
    lora = (weft_nn_lora){
        .state = apart ? own : NULL, .rank = RANK, .alpha = 5, .targets = weft_lm_lora_default(f)};
    with = (weft_lm_desc){.lora = &lora};
}

static void end(void) {
    weft_state_free(own);
    weft_state_free(s);
    weft_close(c);
    CHECK_EQ(memory.live, 0);
}

static weft_state *halves(void) {
    return lora.state ? lora.state : s;
}

static void good(weft_err e) {
    if (!CHECK_EQ(e, WEFT_OK)) CHECK_STR(weft_error(c), "");
}

static void record(void) {
    float unused[LM_LOGITS];
    CHECK(lm_logits(s, &m, &with, unused));
}

/* Values for all adapters, as they have after a training. */
static void learned(weft_state *of) {
    for (size_t i = 0; i < weft_state_count(of); i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(of, i, &e), WEFT_OK);
        if (!strstr(e.name, ".lora_")) continue;
        float *const v = malloc(e.bytes);
        lm_values(e.name, 2, v, e.bytes / sizeof *v);
        CHECK_EQ(weft_state_set(of, e.name, v, e.bytes), WEFT_OK);
        free(v);
    }
}

static size_t adapters(weft_state *of, size_t *bytes) {
    size_t n = 0;
    *bytes = 0;
    for (size_t i = 0; i < weft_state_count(of); i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(of, i, &e), WEFT_OK);
        if (!e.trained || !strstr(e.name, ".lora_")) continue;
        n++, *bytes += e.bytes;
    }
    return n;
}

/* ---- training ---- */

TEST(an_adapter_is_nothing_at_first) {
    for (int f = 0; f < WEFT_LM_FAMILY_COUNT; f++) {
        CASE("%s", weft_lm_family_name((weft_lm_family)f));
        begin((weft_lm_family)f, f % 2);
        float plain[LM_LOGITS], adapted[LM_LOGITS];
        size_t bytes;
        CHECK(lm_logits(s, &m, NULL, plain));
        CHECK(lm_logits(s, &m, &with, adapted));
        CHECK_EQ(lm_apart(adapted, plain, LM_LOGITS), 0);
        CHECK_EQ(adapters(halves(), &bytes), 2 * 2 * (f == WEFT_LM_GPT2 ? 4 : 7));
        learned(halves());
        CHECK(lm_logits(s, &m, &with, adapted));
        CHECK(lm_apart(adapted, plain, LM_LOGITS) > 1e-2);
        end();
    }
}

static uint64_t base_hash(void) {
    weft_archive *const a = lm_archive(s, WEFT_FILE_F32, false);
    char hash[65];
    CHECK_EQ(weft_archive_hash(a, hash), WEFT_OK);
    weft_archive_free(a);
    return strtoull(hash + 48, NULL, 16);
}

TEST(with_a_state_of_their_own_they_learn_alone) {
    begin(WEFT_LM_GPT2, true);
    weft_graph *const g = weft_graph_new(c);
    const weft_tensor ids = weft_input(g, WEFT_I32, weft_dims(LM_ROWS, LM_TOKENS));
    const weft_tensor loss = weft_lm_loss(s, ids, ids, &m, &with);
    const uint64_t before = base_hash();
    const size_t count = weft_state_count(s);
    const weft_updates u = weft_optimiser(
        own, loss, &(weft_optimiser_desc){.kind = WEFT_OPTIMISER_ADAMW, .lr = 1e-2f});
    weft_plan *const p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(loss), .update = u});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    int32_t in[LM_ROWS * LM_TOKENS];
    for (int i = 0; i < LM_ROWS * LM_TOKENS; i++) in[i] = lm_token(i, LM_VOCAB);
    CHECK_EQ(weft_set(p, ids, in, sizeof in), WEFT_OK);
    float first = 0, last = 0;
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(weft_run(p), WEFT_OK);
        last = weft_item(p, loss);
        if (!i) first = last;
    }
    CHECK(last < 0.9f * first);
    CHECK_EQ(base_hash(), before);
    CHECK_EQ(weft_state_count(s), count);
    /* the optimiser keeps two numbers for each of the adapters', and a few of its own */
    size_t bytes, all = 0;
    adapters(own, &bytes);
    for (size_t i = 0; i < weft_state_count(own); i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(own, i, &e), WEFT_OK);
        all += e.bytes;
    }
    CHECK(all >= 3 * bytes && all < 3 * bytes + 256);
    weft_plan_free(p);
    weft_graph_free(g);
    end();
}

/* Rank 8 beside all matrices of DistilGPT-2: the count that the size of a run follows from. */
TEST(an_adapter_of_distilgpt2_is_small) {
    memory = (heap){0};
    c = heap_open(&memory);
    s = weft_state_new(c), own = weft_state_new(c);
    CHECK(weft_lm_config_named("distilgpt2", &m));
    lora = (weft_nn_lora){.state = own, .rank = 8, .targets = weft_lm_lora_default(m.family)};
    weft_graph *const g = weft_graph_new(c);
    with = (weft_lm_desc){.lora = &lora};
    CHECK(weft_ok(weft_lm_logits(s, weft_input(g, WEFT_I32, weft_dims(1, 1)), &m, &with)));
    size_t bytes;
    CHECK_EQ(adapters(own, &bytes), 48);
    CHECK_EQ(bytes, 4 * 6 * 8 * (768 + 2304 + 768 + 768 + 768 + 3072 + 3072 + 768));
    CHECK(2 * bytes < 10 << 20);
    weft_graph_free(g);
    end();
}

/* ---- files ---- */

TEST(adapters_are_saved_with_pefts_names) {
    begin(WEFT_LM_GPT2, true);
    lora.targets = "c_attn,c_fc", lora.dropout = 0.05f;
    record();
    learned(own);
    good(weft_lm_lora_save(s, &m, &lora, in_folder("adapter")));
    weft_archive *const a = weft_archive_open(c, in_folder("adapter/adapter_model.safetensors"));
    static const struct {
        const char *name;
        int64_t rows, columns;
    } want[] = {
        {"base_model.model.transformer.h.0.attn.c_attn.lora_A.weight", RANK, 24},
        {"base_model.model.transformer.h.0.attn.c_attn.lora_B.weight", 72, RANK},
        {"base_model.model.transformer.h.1.mlp.c_fc.lora_A.weight", RANK, 24},
        {"base_model.model.transformer.h.1.mlp.c_fc.lora_B.weight", 96, RANK},
    };
    CHECK_EQ(weft_archive_count(a), 8);
    for (int i = 0; i < 4; i++) {
        weft_array x = {0};
        CHECK_EQ(weft_archive_find(a, want[i].name, &x), WEFT_OK);
        CHECK_EQ(x.dims.n[0], want[i].rows);
        CHECK_EQ(x.dims.n[1], want[i].columns);
        float *const v = malloc(x.bytes);
        lm_values(want[i].name + strlen("base_model.model."), 2, v, x.bytes / sizeof *v);
        CHECK_MEM(x.data, v, x.bytes);
        free(v);
    }
    CHECK_STR(weft_archive_text_of(a, "format"), "pt");
    weft_archive_free(a);
    char text[2000];
    const size_t n = file_get(in_folder("adapter/adapter_config.json"), text, sizeof text - 1);
    text[n] = 0;
    CHECK_HAS(text, "\"peft_type\": \"LORA\"");
    CHECK_HAS(text, "\"task_type\": \"CAUSAL_LM\"");
    CHECK_HAS(text, "\"r\": 3");
    CHECK_HAS(text, "\"lora_alpha\": 5");
    CHECK_HAS(text, "\"lora_dropout\": 0.05");
    CHECK_HAS(text, "\"fan_in_fan_out\": true");
    CHECK_HAS(text, "\"target_modules\": [\"c_attn\", \"c_fc\"]");
    end();
}

TEST(what_is_saved_is_loaded) {
    for (int f = 0; f < WEFT_LM_FAMILY_COUNT; f++)
        for (int k = 0; k < 4; k++) {
            CASE("%s %s, weights in %s", weft_lm_family_name((weft_lm_family)f),
                 k & 1 ? "apart" : "together", k & 2 ? "i8" : "f32");
            begin((weft_lm_family)f, k & 1);
            with.weights = k & 2 ? WEFT_I8 : WEFT_F32;
            const char *const model = lm_file(s, WEFT_FILE_F32, false, "base.safetensors");
            float before[LM_LOGITS], after[LM_LOGITS];
            weft_state_free(s);
            s = weft_state_new(c);
            good(weft_lm_load(s, &m, model, &with, NULL));
            record();
            learned(halves());
            CHECK(lm_logits(s, &m, &with, before));
            good(weft_lm_lora_save(s, &m, &lora, in_folder("there")));
            weft_state_free(s), weft_state_free(own);
            s = weft_state_new(c), own = weft_state_new(c);
            char targets[200];
            weft_nn_lora back;
            good(weft_lm_lora_open(c, in_folder("there"), &back, targets, sizeof targets));
            CHECK_EQ(back.rank, RANK);
            CHECK_EQ(back.alpha, 5);
            CHECK_EQ(back.dropout, 0);
            CHECK_STR(back.targets, weft_lm_lora_default((weft_lm_family)f));
            CHECK(!back.state);
            back.state = k & 1 ? own : NULL;
            lora = back;
            good(weft_lm_load(s, &m, model, &(weft_lm_desc){.weights = with.weights}, NULL));
            good(weft_lm_lora_load(s, &m, &with, in_folder("there"))); /* not recorded yet */
            CHECK(lm_logits(s, &m, &with, after));
            CHECK_EQ(lm_apart(after, before, LM_LOGITS), 0);
            end();
        }
}

/* ---- generation ---- */

TEST(a_generator_has_the_adapter_too) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_BF16, WEFT_I8};
    for (int f = 0; f < WEFT_LM_FAMILY_COUNT; f++)
        for (int t = 0; t < 3; t++) {
            CASE("%s in %s", weft_lm_family_name((weft_lm_family)f), weft_dtype_name(types[t]));
            begin((weft_lm_family)f, true);
            const char *const model = lm_file(s, WEFT_FILE_F32, false, "base.safetensors");
            weft_state_free(s);
            s = weft_state_new(c);
            with.weights = types[t];
            good(weft_lm_load(s, &m, model, &with, NULL));
            record();
            learned(own);
            float want[LM_LOGITS];
            CHECK(lm_logits(s, &m, &with, want));
            int32_t ids[LM_ROWS][LM_TOKENS];
            for (int i = 0; i < LM_ROWS * LM_TOKENS; i++)
                ids[i / LM_TOKENS][i % LM_TOKENS] = lm_token(i, LM_VOCAB);
            weft_generator *const w = weft_generator_new(
                s, &m, &(weft_generator_desc){.sequences = LM_ROWS, .model = with});
            const int32_t *const at[LM_ROWS] = {ids[0], ids[1]};
            good(weft_generator_prompt(w, at, (int64_t[]){LM_TOKENS, LM_TOKENS}));
            for (int b = 0; b < LM_ROWS; b++) {
                const float *const got = weft_generator_logits(w, b);
                const float *const last = want + ((b + 1) * LM_TOKENS - 1) * LM_VOCAB;
                if (CHECK(got)) CHECK(lm_apart(got, last, LM_VOCAB) < 1e-5);
            }
            weft_generator_free(w);
            end();
        }
}

/* ---- merging ---- */

TEST(a_merged_network_is_the_adapted_one) {
    for (int f = 0; f < WEFT_LM_FAMILY_COUNT; f++)
        for (int apart = 0; apart < 2; apart++) {
            CASE("%s %s", weft_lm_family_name((weft_lm_family)f), apart ? "apart" : "together");
            begin((weft_lm_family)f, apart);
            float adapted[LM_LOGITS], merged[LM_LOGITS], plain[LM_LOGITS];
            record();
            learned(halves());
            CHECK(lm_logits(s, &m, &with, adapted));
            good(weft_lm_lora_merge(s, &m, &lora));
            CHECK(lm_logits(s, &m, &with, merged));
            CHECK(lm_logits(s, &m, NULL, plain));
            CHECK(lm_apart(merged, adapted, LM_LOGITS) < 1e-5);
            CHECK_EQ(lm_apart(merged, plain, LM_LOGITS), 0);
            good(weft_lm_lora_merge(s, &m, &lora)); /* nothing is left to be added */
            CHECK(lm_logits(s, &m, NULL, merged));
            CHECK_EQ(lm_apart(merged, plain, LM_LOGITS), 0);
            good(weft_lm_save(s, &m, in_folder("merged"), WEFT_F32, 0)); /* without adapters */
            weft_archive *const a = weft_archive_open(c, in_folder("merged/model.safetensors"));
            for (size_t i = 0; i < weft_archive_count(a); i++) {
                weft_array x;
                CHECK_EQ(weft_archive_list(a, i, &x), WEFT_OK);
                CHECK(!strstr(x.name, "lora"));
            }
            weft_archive_free(a);
            end();
        }
}

TEST(only_what_fits_is_merged) {
    begin(WEFT_LM_LLAMA, true);
    CHECK_EQ(weft_lm_lora_merge(s, &m, &lora), WEFT_STATE);
    CHECK_HAS(weft_error(c), "the state has no adapters");
    record();
    learned(own);
    /* the adapters' state beside a wider network of the same names, and beside a narrow one */
    weft_state *const base = s, *const other = weft_state_new(c);
    weft_lm_config wide = m;
    wide.width = 48;
    lm_fill(other, &wide);
    const uint64_t before = weft_state_hash(other);
    CHECK_EQ(weft_lm_lora_merge(other, &wide, &lora), WEFT_STATE);
    CHECK_HAS(weft_error(c),
              "the adapter of \"model.layers.0.self_attn.q_proj.weight\" has other sizes");
    CHECK_EQ(weft_state_hash(other), before);
    weft_state_free(other);
    const char *const file = lm_file(base, WEFT_FILE_F32, false, "base.safetensors");
    weft_state *const narrow = weft_state_new(c);
    good(weft_lm_load(narrow, &m, file, &(weft_lm_desc){.weights = WEFT_BF16}, NULL));
    CHECK_EQ(weft_lm_lora_merge(narrow, &m, &lora), WEFT_STATE);
    CHECK_HAS(weft_error(c), "is stored as bf16; expected f32");
    weft_state_free(narrow);
    weft_state *const empty = weft_state_new(c);
    CHECK_EQ(weft_lm_lora_merge(empty, &m, &lora), WEFT_STATE);
    weft_state_free(empty);
    end();
}

/* ---- what is refused ---- */

TEST(configurations_that_ask_for_something_else) {
    static const struct {
        const char *json;
        weft_err error;
        const char *part;
    } rows[] = {
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"]}", WEFT_OK, ""},
        {"{\"peft_type\": \"IA3\", \"r\": 4, \"target_modules\": [\"a\"]}", WEFT_UNSUPPORTED,
         "\"peft_type\": expected \"LORA\""},
        {"{\"r\": 4, \"target_modules\": [\"a\"]}", WEFT_UNSUPPORTED, "peft_type"},
        {"[]", WEFT_UNSUPPORTED, "peft_type"},
        {"{\"peft_type\": \"LORA\", \"r\": 0, \"target_modules\": [\"a\"]}", WEFT_FORMAT,
         "\"r\": expected an integer from 1 to 65536"},
        {"{\"peft_type\": \"LORA\", \"r\": 1e9, \"target_modules\": [\"a\"]}", WEFT_FORMAT,
         "\"r\""},
        {"{\"peft_type\": \"LORA\", \"target_modules\": [\"a\"]}", WEFT_FORMAT, "\"r\""},
        {"{\"peft_type\": \"LORA\", \"r\": 4}", WEFT_UNSUPPORTED,
         "expected a list of names of layers"},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": \"all-linear\"}",
         WEFT_UNSUPPORTED, "\"target_modules\""},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": []}", WEFT_UNSUPPORTED,
         "\"target_modules\""},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\", 3]}", WEFT_FORMAT,
         "without commas"},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a,b\"]}", WEFT_FORMAT,
         "without commas"},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"aaaaaaaaaaaaaaaaaa\", "
         "\"bbbbbbbbbbbbbbbb\"]}",
         WEFT_FORMAT, "at most 32 bytes"},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"], \"lora_alpha\": 0}",
         WEFT_FORMAT, "\"lora_alpha\" above 0"},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"], \"lora_alpha\": 1e-60}",
         WEFT_FORMAT, "\"lora_alpha\" above 0"},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"], \"lora_dropout\": 1}",
         WEFT_FORMAT, "\"lora_dropout\""},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"], \"use_dora\": true}",
         WEFT_UNSUPPORTED, "\"use_dora\": only false"},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"], \"use_rslora\": true}",
         WEFT_UNSUPPORTED, "\"use_rslora\""},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"], \"bias\": \"all\"}",
         WEFT_UNSUPPORTED, "\"bias\": expected \"none\""},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"], \"rank_pattern\": "
         "{\"a\": 8}}",
         WEFT_UNSUPPORTED, "\"rank_pattern\": only null"},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"], "
         "\"layers_to_transform\": 3}",
         WEFT_UNSUPPORTED, "\"layers_to_transform\""},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"], \"modules_to_save\": "
         "[\"wte\"]}",
         WEFT_UNSUPPORTED, "\"modules_to_save\""},
        {"{\"peft_type\": \"LORA\", \"r\": 4, \"target_modules\": [\"a\"], \"rank_pattern\": {}, "
         "\"bias\": \"none\", \"modules_to_save\": null}",
         WEFT_OK, ""},
        {"{\"peft_type\": ", WEFT_FORMAT, "JSON"},
    };
    begin(WEFT_LM_GPT2, false);
    mkdir(in_folder("asks"), 0700);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        file_put(in_folder("asks/adapter_config.json"), rows[i].json, strlen(rows[i].json));
        char targets[32];
        weft_nn_lora out = {.rank = -5};
        if (!CHECK_EQ(weft_lm_lora_open(c, in_folder("asks"), &out, targets, sizeof targets),
                      rows[i].error))
            CHECK_STR(weft_error(c), rows[i].json);
        if (rows[i].error == WEFT_OK) {
            CHECK_EQ(out.rank, 4);
            CHECK_EQ(out.alpha, 8); /* PEFT's default */
            CHECK_STR(out.targets, "a");
            continue;
        }
        CHECK_HAS(weft_error(c), "adapter_config.json");
        CHECK_HAS(weft_error(c), rows[i].part);
        CHECK_EQ(out.rank, -5);
    }
    char targets[8];
    weft_nn_lora out;
    CHECK_EQ(weft_lm_lora_open(c, in_folder("nowhere"), &out, targets, 8), WEFT_FILE);
    CHECK_EQ(weft_lm_lora_open(c, NULL, &out, targets, 8), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_lora_open(c, in_folder("asks"), &out, targets, 0), WEFT_ARGUMENT);
    end();
}

/* A saved adapter with one array changed: nothing of it is taken. */
static void changed(const char *drop, const char *add, weft_shape dims, weft_err want,
                    const char *part) {
    CASE("without %s, with %s", drop, add);
    begin(WEFT_LM_GPT2, false);
    record();
    learned(s);
    good(weft_lm_lora_save(s, &m, &lora, in_folder("changed")));
    const char *const path = in_folder("changed/adapter_model.safetensors");
    weft_archive *const all = weft_archive_open(c, path), *const a = weft_archive_new(c);
    for (size_t i = 0; i < weft_archive_count(all); i++) {
        weft_array x;
        CHECK_EQ(weft_archive_at(all, i, &x), WEFT_OK);
        if (!strstr(x.name, drop)) CHECK_EQ(weft_archive_put(a, &x), WEFT_OK);
    }
    weft_archive_free(all);
    float *const v = calloc(lm_count(dims) + 1, sizeof *v);
    if (*add) lm_put(a, add, dims, v, WEFT_FILE_F32);
    CHECK_EQ(weft_archive_write(a, path, NULL), WEFT_OK);
    weft_archive_free(a);
    free(v);
    const uint64_t before = weft_state_hash(s);
    CHECK_EQ(weft_lm_lora_load(s, &m, &with, in_folder("changed")), want);
    CHECK_HAS(weft_error(c), part);
    CHECK_EQ(weft_state_hash(s), before);
    end();
}

TEST(adapters_that_do_not_fit) {
    changed("h.1.mlp.c_fc.lora_B", "", WEFT_0D, WEFT_STATE,
            "no array \"base_model.model.transformer.h.1.mlp.c_fc.lora_B.weight\"");
    changed("none", "base_model.model.transformer.h.2.mlp.c_fc.lora_B.weight", weft_dims(96, RANK),
            WEFT_STATE, "transformer.h.2.mlp.c_fc.lora_B.weight");
    changed("none", "base_model.model.transformer.h.1.mlp.c_fc.lora_B.weight", weft_dims(96, 4),
            WEFT_STATE, "transformer.h.1.mlp.c_fc.lora_B.weight");
    changed("none", "base_model.model.transformer.wte.weight", weft_dims(LM_VOCAB, 24),
            WEFT_UNSUPPORTED, "\"transformer.wte.weight\" is not part of an adapter");
}

TEST(arguments_that_cannot_be) {
    begin(WEFT_LM_GPT2, false);
    const char *const path = in_folder("nothing");
    CHECK_EQ(weft_lm_lora_save(s, &m, &lora, path), WEFT_STATE);
    CHECK_HAS(weft_error(c), "the state has no adapters");
    CHECK_EQ(weft_lm_lora_save(NULL, &m, &lora, path), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_lora_save(s, &m, NULL, path), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_lora_save(s, &m, &lora, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_lora_load(s, &m, NULL, path), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_lora_load(s, NULL, &with, path), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_lora_load(s, &m, &with, path), WEFT_FILE);
    lora.rank = 0;
    CHECK_EQ(weft_lm_lora_save(s, &m, &lora, path), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "expected a rank from 1 to 65536 and targets");
    CHECK_EQ(weft_lm_lora_merge(s, &m, &lora), WEFT_ARGUMENT);
    end();
}

/* ---- memory ---- */

TEST(without_memory_nothing_is_loaded_or_half_merged) {
    for (int merge = 0; merge < 2; merge++) {
        CASE("%s", merge ? "merging" : "loading");
        begin(WEFT_LM_LLAMA, true);
        float want[LM_LOGITS], got[LM_LOGITS];
        record();
        learned(own);
        good(weft_lm_lora_save(s, &m, &lora, in_folder("memory")));
        CHECK(lm_logits(s, &m, &with, want));
        const size_t held = memory.live;
        for (long at = 1;; at += 1 + at / 30) {
            const uint64_t before = weft_state_hash(own);
            memory.made = 0, memory.failed = false, memory.fail_at = at;
            const weft_err e = merge ? weft_lm_lora_merge(s, &m, &lora)
                                     : weft_lm_lora_load(s, &m, &with, in_folder("memory"));
            memory.fail_at = 0;
            if (!memory.failed) {
                good(e);
                break;
            }
            CHECK_EQ(e, WEFT_MEMORY);
            CHECK_EQ(memory.live, held);
            if (!merge) CHECK_EQ(weft_state_hash(own), before);
            /* what is merged is no longer in the adapter: the network is the same throughout */
            CHECK(lm_logits(s, &m, &with, got));
            if (!CHECK(lm_apart(got, want, LM_LOGITS) < 1e-5)) break;
        }
        end();
    }
}
