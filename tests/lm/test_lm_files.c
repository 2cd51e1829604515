/* test_lm_files.c - weights of language models in files: what is saved is loaded, in one file or in
 * shards; what does not fit is refused and changes nothing; weights in 16 and 8 bits, and what they
 * lose. */
#include "lm_world.h" /* before the first system header */

static heap memory;
static weft_ctx *c;
static weft_state *s;

static void begin(void) {
    memory = (heap){0};
    c = heap_open(&memory);
    s = weft_state_new(c);
}

static void end(void) {
    weft_state_free(s);
    weft_close(c);
    CHECK_EQ(memory.live, 0);
}

static void loaded(weft_err e) {
    if (!CHECK_EQ(e, WEFT_OK)) CHECK_STR(weft_error(c), "");
}

/* ---- there and back ---- */

static void apart(const float *a, const float *b, double least, double most) {
    const double d = lm_apart(a, b, LM_LOGITS);
    if (!CHECK(d >= least && d <= most)) printf("     logits are %g apart\n", d);
}

TEST(what_is_saved_is_loaded) {
    static const struct {
        weft_dtype type;
        double least, most;
    } types[] = {{WEFT_F32, 0, 0}, {WEFT_F16, 0, 0}, {WEFT_BF16, 1e-5, 2e-2}};
    for (int f = 0; f < WEFT_LM_FAMILY_COUNT; f++)
        for (int t = 0; t < 3; t++)
            for (int shards = 0; shards < 2; shards++) {
                CASE("%s as %s%s", weft_lm_family_name((weft_lm_family)f),
                     weft_dtype_name(types[t].type), shards ? ", in shards" : "");
                begin();
                const weft_lm_config m = lm_small((weft_lm_family)f);
                float before[LM_LOGITS], after[LM_LOGITS];
                lm_fill(s, &m);
                CHECK(lm_logits(s, &m, NULL, before));
                /* the same folder again and again: one form replaces the other */
                loaded(weft_lm_save(s, &m, in_folder("saved"), types[t].type, shards ? 3000 : 0));
                CHECK_EQ(access(in_folder("saved/model.safetensors"), F_OK) == 0, !shards);
                CHECK_EQ(access(in_folder("saved/model.safetensors.index.json"), F_OK) == 0,
                         shards);
                weft_state_free(s);
                s = weft_state_new(c);
                weft_lm_config back;
                weft_lm_loaded facts;
                loaded(weft_lm_config_open(c, in_folder("saved"), &back));
                loaded(weft_lm_load(s, &back, in_folder("saved"), NULL, &facts));
                CHECK(lm_logits(s, &back, NULL, after));
                apart(after, before, types[t].least, types[t].most);
                CHECK_EQ(facts.bytes, 4 * weft_lm_parameters(&m));
                CHECK_EQ(facts.error, 0);
                CHECK_STR(facts.worst_name, "");
                end();
            }
}

TEST(names_and_types_in_files_are_the_published_ones) {
    begin();
    const weft_lm_config m = lm_small(WEFT_LM_GPT2);
    lm_fill(s, &m);
    weft_graph *const g = weft_graph_new(c); /* an optimiser's slots are not the model's */
    const weft_tensor ids = weft_input(g, WEFT_I32, weft_dims(1, 4));
    weft_adam(s, weft_lm_loss(s, ids, ids, &m, NULL), NULL);
    weft_graph_free(g);
    loaded(weft_lm_save(s, &m, in_folder("deep/er"), WEFT_BF16, 0));
    weft_archive *const a = weft_archive_open(c, in_folder("deep/er/model.safetensors"));
    CHECK_EQ(weft_archive_count(a), 2 + 2 * 12 + 2);
    CHECK_STR(weft_archive_text_of(a, "format"), "pt");
    weft_array x;
    CHECK_EQ(weft_archive_find(a, "transformer.h.1.attn.c_attn.weight", &x), WEFT_OK);
    CHECK_EQ(x.type, WEFT_FILE_BF16);
    CHECK_EQ(x.dims.n[0], 24);
    CHECK_EQ(x.dims.n[1], 72);
    CHECK(!weft_archive_has(a, "lm_head.weight"));
    weft_archive_free(a);
    end();
}

TEST(only_a_whole_model_is_saved) {
    begin();
    weft_lm_config m = lm_small(WEFT_LM_LLAMA);
    const char *const nowhere = in_folder("nowhere");
    CHECK_EQ(weft_lm_save(s, &m, nowhere, WEFT_F32, 0), WEFT_STATE);
    CHECK_HAS(weft_error(c), "and the state 0 of them");
    lm_fill(s, &m);
    m.layers = 3;
    CHECK_EQ(weft_lm_save(s, &m, nowhere, WEFT_F32, 0), WEFT_STATE);
    m.layers = 2;
    CHECK_EQ(weft_lm_save(s, &m, nowhere, WEFT_I8, 0), WEFT_DTYPE);
    CHECK_HAS(weft_error(c), "expected f32, bf16 or f16, got i8");
    CHECK_EQ(weft_lm_save(s, &m, NULL, WEFT_F32, 0), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_save(NULL, &m, nowhere, WEFT_F32, 0), WEFT_ARGUMENT);
    CHECK(access(nowhere, F_OK) != 0);
    const char *const file = lm_file(s, WEFT_FILE_F32, false, "plain.safetensors");
    CHECK(weft_lm_save(s, &m, file, WEFT_F32, 0) != WEFT_OK); /* a file is no folder */
    weft_state *const narrow = weft_state_new(c);
    loaded(weft_lm_load(narrow, &m, file, &(weft_lm_desc){.weights = WEFT_F16}, NULL));
    CHECK_EQ(weft_lm_save(narrow, &m, nowhere, WEFT_F32, 0), WEFT_STATE);
    CHECK_HAS(weft_error(c), "is stored as f16; expected weights in f32");
    weft_state_free(narrow);
    end();
}

/* ---- what does not fit ---- */

/* Loads the changed archive into a state that has other values, which must stay. */
static void refused(const weft_lm_config *m, weft_archive *a, const weft_lm_desc *d, weft_err want,
                    const char *part) {
    weft_state *const other = weft_state_new(c);
    lm_fill(other, m);
    const char *const first =
        m->family == WEFT_LM_GPT2 ? "transformer.wte.weight" : "model.embed_tokens.weight";
    float *const v = weft_state_copy(other, first);
    v[0] = 77;
    CHECK_EQ(weft_state_set(other, first, v, (size_t)(m->vocab * m->width) * sizeof *v), WEFT_OK);
    weft_resize(c, v, 0);
    const char *const path = in_folder("changed.safetensors");
    CHECK_EQ(weft_archive_write(a, path, NULL), WEFT_OK);
    if (d) weft_state_free(other);
    weft_state *const to = d ? weft_state_new(c) : other;
    const uint64_t before = d ? 0 : weft_state_hash(to);
    weft_lm_loaded facts = {.bytes = 5};
    CHECK_EQ(weft_lm_load(to, m, path, d, &facts), want);
    CHECK_HAS(weft_error(c), part);
    CHECK_HAS(weft_error(c), "changed.safetensors");
    if (!d) CHECK_EQ(weft_state_hash(to), before);
    for (size_t i = 0; d && i < weft_state_count(to); i++) { /* recorded, and nothing set */
        weft_entry e;
        CHECK_EQ(weft_state_entry(to, i, &e), WEFT_OK);
        if (e.dtype == WEFT_F32) continue;
        unsigned char *const bytes = weft_state_copy(to, e.name), sum = 0;
        for (size_t k = 0; k < e.bytes; k++) sum |= bytes[k];
        CHECK_EQ(sum, 0);
        weft_resize(c, bytes, 0);
    }
    weft_state_free(to);
}

static void spoiled(weft_lm_family f, const char *name, weft_shape dims, weft_file_type type,
                    float value, const weft_lm_desc *d, weft_err want, const char *part) {
    CASE("%s %s: %s", weft_lm_family_name(f), name, part);
    begin();
    const weft_lm_config m = lm_small(f);
    lm_fill(s, &m);
    weft_archive *const a = lm_archive(s, WEFT_FILE_F32, false);
    float *const v = malloc((lm_count(dims) + 1) * sizeof *v);
    for (size_t i = 0; i < lm_count(dims); i++) v[i] = value;
    lm_put(a, name, dims, v, type);
    refused(&m, a, d, want, part);
    free(v);
    weft_archive_free(a);
    end();
}

TEST(arrays_that_do_not_fit_are_refused_by_name) {
    const weft_lm_desc narrow = {.weights = WEFT_I8};
    spoiled(WEFT_LM_GPT2, "transformer.h.2.ln_1.bias", weft_dims(24), WEFT_FILE_F32, 1, NULL,
            WEFT_STATE, "\"transformer.h.2.ln_1.bias\" does not belong to the network");
    spoiled(WEFT_LM_GPT2, "h.0.ln_1.bias", weft_dims(24), WEFT_FILE_F32, 1, NULL, WEFT_STATE,
            "\"h.0.ln_1.bias\" does not belong"); /* under both of its names */
    spoiled(WEFT_LM_GPT2, "transformer.h.1.mlp.c_fc.weight", weft_dims(96, 24), WEFT_FILE_F32, 1,
            NULL, WEFT_STATE,
            "\"transformer.h.1.mlp.c_fc.weight\": expected [24,96] of floats as in config.json, "
            "got F32 [96,24]");
    spoiled(WEFT_LM_GPT2, "transformer.ln_f.bias", weft_dims(24, 1), WEFT_FILE_F32, 1, NULL,
            WEFT_STATE, "got F32 [24,1]");
    spoiled(WEFT_LM_GPT2, "transformer.ln_f.bias", weft_dims(24), WEFT_FILE_I32, 1, NULL,
            WEFT_STATE, "expected [24] of floats as in config.json, got I32 [24]");
    spoiled(WEFT_LM_LLAMA, "model.layers.0.self_attn.q_proj.bias", weft_dims(24), WEFT_FILE_F32, 1,
            NULL, WEFT_STATE, "does not belong");
    spoiled(WEFT_LM_LLAMA, "lm_head.weight", weft_dims(24, LM_VOCAB), WEFT_FILE_F32, 1, NULL,
            WEFT_STATE, "\"lm_head.weight\": expected [29,24]");
    spoiled(WEFT_LM_GPT2, "transformer.h.1.mlp.c_proj.weight", weft_dims(96, 24), WEFT_FILE_F32,
            NAN, &narrow, WEFT_FORMAT, "element 0 is not finite and cannot be stored in 8 bits");
    spoiled(WEFT_LM_LLAMA, "lm_head.weight", weft_dims(LM_VOCAB, 24), WEFT_FILE_F16, INFINITY,
            &narrow, WEFT_FORMAT, "\"lm_head.weight\": element 0 is not finite");
}

TEST(an_array_that_is_missing_is_named) {
    static const char *const names[] = {"transformer.h.1.attn.c_proj.bias",
                                        "model.layers.1.mlp.gate_proj.weight", "lm_head.weight"};
    for (int k = 0; k < 3; k++) {
        CASE("%s", names[k]);
        begin();
        const weft_lm_config m = lm_small(k ? WEFT_LM_LLAMA : WEFT_LM_GPT2);
        lm_fill(s, &m);
        weft_archive *const all = lm_archive(s, WEFT_FILE_F32, false), *const a =
                                                                           weft_archive_new(c);
        for (size_t i = 0; i < weft_archive_count(all); i++) {
            weft_array x;
            CHECK_EQ(weft_archive_at(all, i, &x), WEFT_OK);
            if (strcmp(x.name, names[k]) != 0) CHECK_EQ(weft_archive_put(a, &x), WEFT_OK);
        }
        CHECK_EQ(weft_archive_count(a) + 1, weft_archive_count(all));
        char part[100];
        snprintf(part, sizeof part, "no array \"%s\"", names[k]);
        refused(&m, a, NULL, WEFT_STATE, part);
        weft_archive_free(all), weft_archive_free(a);
        end();
    }
}

TEST(what_other_programs_leave_in_files_is_passed_over) {
    begin();
    const weft_lm_config m = lm_small(WEFT_LM_GPT2);
    lm_fill(s, &m);
    weft_archive *const a = lm_archive(s, WEFT_FILE_F32, true);
    float *const v = calloc(LM_VOCAB * 24, sizeof *v);
    lm_put(a, "h.0.attn.bias", weft_dims(1, 1, 16, 16), v, WEFT_FILE_U8);
    lm_put(a, "h.0.attn.masked_bias", WEFT_0D, v, WEFT_FILE_F32);
    lm_put(a, "lm_head.weight", weft_dims(LM_VOCAB, 24), v, WEFT_FILE_F32); /* tied: not read */
    CHECK_EQ(weft_archive_write(a, in_folder("old.safetensors"), NULL), WEFT_OK);
    float before[LM_LOGITS], after[LM_LOGITS];
    CHECK(lm_logits(s, &m, NULL, before));
    weft_state *const other = weft_state_new(c);
    loaded(weft_lm_load(other, &m, in_folder("old.safetensors"), NULL, NULL));
    CHECK(lm_logits(other, &m, NULL, after));
    apart(after, before, 0, 0);
    weft_state_free(other);
    weft_archive_free(a);
    free(v);
    end();
}

TEST(paths_and_files_that_cannot_be) {
    begin();
    const weft_lm_config m = lm_small(WEFT_LM_GPT2);
    CHECK_EQ(weft_lm_load(s, &m, in_folder("absent"), NULL, NULL), WEFT_FILE);
    CHECK_HAS(weft_error(c), "absent: no model.safetensors");
    CHECK_EQ(weft_lm_load(s, &m, NULL, NULL, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_load(NULL, &m, "x", NULL, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_lm_load(s, NULL, "x", NULL, NULL), WEFT_ARGUMENT);
    file_put(in_folder("noise.safetensors"), "noise that is no file", 21);
    CHECK_EQ(weft_lm_load(s, &m, in_folder("noise.safetensors"), NULL, NULL), WEFT_FORMAT);
    char *const path = malloc(5001);
    memset(path, 'a', 5000), path[5000] = 0;
    CHECK(weft_lm_load(s, &m, path, NULL, NULL) != WEFT_OK);
    free(path);
    CHECK_EQ(weft_state_count(s), 0);
    end();
}

TEST(a_small_file_for_a_large_model_takes_little_memory) {
    begin();
    weft_lm_config m = lm_small(WEFT_LM_LLAMA);
    lm_fill(s, &m);
    const char *const path = lm_file(s, WEFT_FILE_F32, false, "small.safetensors");
    m.vocab = 1 << 24, m.hidden = 1 << 24, m.width = 1 << 12;
    weft_state *const large = weft_state_new(c);
    const size_t before = heap_mark(&memory);
    CHECK_EQ(weft_lm_load(large, &m, path, NULL, NULL), WEFT_STATE);
    CHECK_HAS(weft_error(c),
              "expected [16777216,4096] of floats as in config.json, got F32 [29,24]");
    CHECK(memory.peak - before < 4 << 20);
    weft_state_free(large);
    end();
}

/* ---- narrow weights ---- */

typedef struct lost {
    double error, worst;
    char worst_name[128];
} lost;

/* What rounding a matrix to this type gives, and sums of squares of what it loses and of it. */
static void narrowed(weft_dtype t, bool columns, weft_shape dims, float *v, double sum[2]) {
    const int64_t rows = dims.n[0], n = dims.n[1];
    float scale[400] = {0};
    sum[0] = sum[1] = 0;
    for (int64_t i = 0; i < rows * n; i++) {
        float *const most = &scale[columns ? i % n : i / n];
        *most = fmaxf(*most, fabsf(v[i]));
    }
    for (int64_t i = 0; i < rows * n; i++) {
        const float by = scale[columns ? i % n : i / n] / 127;
        float to;
        if (t == WEFT_I8) to = by > 0 ? (float)lrintf(v[i] / by) * by : 0;
        else {
            uint16_t half;
            const weft_array wide = {"x", WEFT_FILE_F32, weft_dims(1), &v[i], sizeof(float)};
            CHECK_EQ(weft_array_convert(NULL, &wide, weft_file_type_of(t), &half, sizeof half),
                     WEFT_OK);
            const weft_array back = {"x", weft_file_type_of(t), weft_dims(1), &half, sizeof half};
            CHECK_EQ(weft_array_read_f32(NULL, &back, &to, 1), WEFT_OK);
        }
        sum[0] += (double)(v[i] - to) * (v[i] - to);
        sum[1] += (double)v[i] * v[i];
        v[i] = to;
    }
}

/* Replaces the matrices in s by what narrow ones stand for; what they lose. */
static lost narrow_all(weft_dtype t) {
    lost all = {0};
    double sum[2] = {0}, one[2];
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(s, i, &e), WEFT_OK);
        if (!lm_base(e.name) || e.dims.rank != 2) continue;
        float *const v = weft_state_copy(s, e.name);
        narrowed(t, strstr(e.name, ".c_") != NULL, e.dims, v, one);
        CHECK_EQ(weft_state_set(s, e.name, v, e.bytes), WEFT_OK);
        weft_resize(c, v, 0);
        sum[0] += one[0], sum[1] += one[1];
        const double share = sqrt(one[0] / one[1]);
        if (share > all.worst) all.worst = share, snprintf(all.worst_name, 128, "%s", e.name);
    }
    all.error = sqrt(sum[0] / sum[1]);
    return all;
}

/* One matrix whose outputs differ in size, so that its error is not that of the others. */
static void uneven(const char *name) {
    float *const v = weft_state_copy(s, name);
    for (int i = 0; i < 300; i++) v[i] *= 0.001f * (float)(i % 11) + 0.3003f;
    for (int i = 300; i < 330; i++) v[i] = 0; /* and one output that is 0 */
    CHECK_EQ(weft_state_set(s, name, v, 24 * 20 * sizeof *v), WEFT_OK);
    weft_resize(c, v, 0);
}

TEST(narrow_weights_lose_what_is_told) {
    static const weft_dtype types[] = {WEFT_BF16, WEFT_F16, WEFT_I8};
    static const double most[] = {2e-3, 3e-4, 8e-3};
    for (int f = 0; f < WEFT_LM_FAMILY_COUNT; f++)
        for (int t = 0; t < 3; t++) {
            CASE("%s as %s", weft_lm_family_name((weft_lm_family)f), weft_dtype_name(types[t]));
            begin();
            const weft_lm_config m = lm_small((weft_lm_family)f);
            const weft_lm_desc d = {.weights = types[t]};
            lm_fill(s, &m);
            if (f != WEFT_LM_GPT2) uneven("model.layers.1.mlp.gate_proj.weight");
            float plain[LM_LOGITS], want[LM_LOGITS], got[LM_LOGITS];
            CHECK(lm_logits(s, &m, NULL, plain));
            const char *const path = lm_file(s, WEFT_FILE_F32, false, "wide.safetensors");
            const lost all = narrow_all(types[t]);
            CHECK(lm_logits(s, &m, NULL, want));
            weft_state *const narrow = weft_state_new(c);
            weft_lm_loaded facts;
            loaded(weft_lm_load(narrow, &m, path, &d, &facts));
            if (!CHECK(lm_logits(narrow, &m, &d, got))) CHECK_STR(weft_error(c), "");
            apart(got, want, 0, 1e-5);
            apart(got, plain, types[t] == WEFT_F16 && f == WEFT_LM_GPT2 ? 0 : 1e-6, 0.05);
            CHECK_NEAR(facts.error, all.error, 1e-6 * all.error);
            CHECK_NEAR(facts.worst, all.worst, 1e-6 * all.worst);
            CHECK_STR(facts.worst_name, all.worst_name);
            CHECK(facts.error <= most[t]);
            CHECK(facts.worst >= facts.error);
            CHECK(facts.bytes < (types[t] == WEFT_I8 ? 2 : 3) * weft_lm_parameters(&m));
            weft_state_free(narrow);
            end();
        }
}

TEST(half_of_half_is_exact) {
    begin();
    const weft_lm_config m = lm_small(WEFT_LM_QWEN3);
    lm_fill(s, &m);
    const char *const path = lm_file(s, WEFT_FILE_BF16, true, "half.safetensors");
    weft_lm_loaded facts;
    weft_state *const narrow = weft_state_new(c), *const wide = weft_state_new(c);
    const weft_lm_desc d = {.weights = WEFT_BF16};
    float a[LM_LOGITS], b[LM_LOGITS];
    loaded(weft_lm_load(narrow, &m, path, &d, &facts));
    CHECK_EQ(facts.error, 0);
    loaded(weft_lm_load(wide, &m, path, NULL, NULL));
    CHECK(lm_logits(narrow, &m, &d, a) && lm_logits(wide, &m, NULL, b));
    apart(a, b, 0, 1e-5);
    weft_state_free(narrow), weft_state_free(wide);
    end();
}

/* Rows that are longer than what is converted at once, and weights whose factor has lost digits. */
TEST(long_rows_and_the_smallest_weights) {
    begin();
    const weft_lm_config m = {.family = WEFT_LM_LLAMA,
                              .vocab = 3,
                              .positions = 4,
                              .layers = 1,
                              .heads = 1,
                              .width = 2,
                              .hidden = 600001};
    weft_graph *const g = weft_graph_new(c);
    CHECK(weft_ok(weft_lm_logits(s, weft_input(g, WEFT_I32, weft_dims(1, 1)), &m, NULL)));
    weft_graph_free(g);
    float *const v = malloc(sizeof *v * 2 * 600001);
    for (int i = 0; i < 2 * 600001; i++) v[i] = i < 600001 ? (float)(i % 255) - 127 : 266e-45f;
    CHECK_EQ(weft_state_set(s, "model.layers.0.mlp.down_proj.weight", v, sizeof *v * 2 * 600001),
             WEFT_OK);
    free(v);
    const char *const path = lm_file(s, WEFT_FILE_F32, false, "long.safetensors");
    weft_state *const narrow = weft_state_new(c);
    weft_lm_loaded facts;
    loaded(weft_lm_load(narrow, &m, path, &(weft_lm_desc){.weights = WEFT_I8}, &facts));
    int8_t *const q = weft_state_copy(narrow, "model.layers.0.mlp.down_proj.weight");
    for (int i = 0; i < 600001 && CHECK_EQ(q[i], i % 255 - 127);) i += i % 1009 + 1;
    CHECK_EQ(q[600000], 600000 % 255 - 127);
    CHECK_EQ(q[600001], 127);
    weft_resize(c, q, 0);
    weft_state_free(narrow);
    end();
}

/* ---- memory ---- */

TEST(without_memory_nothing_changes) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F16, WEFT_I8};
    for (int t = 0; t < 3; t++) {
        CASE("loading as %s", weft_dtype_name(types[t]));
        begin();
        const weft_lm_config m = lm_small(WEFT_LM_GPT2);
        const weft_lm_desc d = {.weights = types[t]};
        lm_fill(s, &m);
        const char *const path = lm_file(s, WEFT_FILE_BF16, false, "memory.safetensors");
        weft_state *const to = weft_state_new(c);
        float first[LM_LOGITS], then[LM_LOGITS];
        loaded(weft_lm_load(to, &m, path, &d, NULL)); /* what is in the way of the next */
        CHECK(lm_logits(to, &m, &d, first));
        const uint64_t before = weft_state_hash(to);
        const char *const other = in_folder("other.safetensors");
        float *const v = weft_state_copy(s, "transformer.wpe.weight");
        v[0] += 1;
        CHECK_EQ(weft_state_set(s, "transformer.wpe.weight", v, 32 * 24 * sizeof *v), WEFT_OK);
        weft_resize(c, v, 0);
        lm_file(s, WEFT_FILE_F32, false, "other.safetensors");
        const size_t held = memory.live;
        for (long at = 1;; at += 1 + at / 40) {
            memory.made = 0, memory.failed = false, memory.fail_at = at;
            const weft_err e = weft_lm_load(to, &m, other, &d, NULL);
            memory.fail_at = 0;
            if (!memory.failed) {
                loaded(e);
                break;
            }
            CHECK_EQ(e, WEFT_MEMORY);
            CHECK_EQ(memory.live, held);
            if (!CHECK_EQ(weft_state_hash(to), before)) break;
        }
        CHECK(lm_logits(to, &m, &d, then));
        apart(then, first, 1e-3, 10);
        weft_state_free(to);
        end();
    }
}

TEST(without_memory_nothing_is_saved) {
    begin();
    const weft_lm_config m = lm_small(WEFT_LM_QWEN2);
    lm_fill(s, &m);
    loaded(weft_lm_save(s, &m, in_folder("kept"), WEFT_F32, 0));
    struct stat was, is;
    CHECK_EQ(stat(in_folder("kept/model.safetensors"), &was), 0);
    const size_t held = memory.live;
    for (long at = 1;; at += 1 + at / 40) {
        memory.made = 0, memory.failed = false, memory.fail_at = at;
        const weft_err e = weft_lm_save(s, &m, in_folder("kept"), WEFT_BF16, 0);
        memory.fail_at = 0;
        if (!memory.failed) {
            loaded(e);
            break;
        }
        CHECK_EQ(e, WEFT_MEMORY);
        CHECK_EQ(memory.live, held);
    }
    CHECK_EQ(stat(in_folder("kept/model.safetensors"), &is), 0);
    CHECK(is.st_size < was.st_size);
    end();
}
