/* test_lm_model.c - recording networks: what may be asked and what may not, rows that begin with
 * padding, dropout, groups for optimisers, and a loss from narrow weights. */
#include "lm_world.h" /* before the first system header */

#include "weft/optim.h"

static weft_ctx *c;
static weft_state *s;
static weft_graph *g;
static weft_lm_config m;

static void begin(weft_lm_family f) {
    c = weft_open_with(&(weft_open_desc){.threads = 1});
    s = weft_state_new(c);
    g = weft_graph_new(c);
    m = lm_small(f);
}

static void end(void) {
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

static weft_tensor tokens(int64_t rows, int64_t n) {
    return weft_input(g, WEFT_I32, weft_dims(rows, n));
}

static weft_plan *compiled(weft_tensor y) {
    weft_plan *const p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    return p;
}

/* ---- what may be asked ---- */

static void refused(weft_tensor y, weft_err e, const char *part) {
    CHECK(!weft_ok(y));
    CHECK_EQ(weft_graph_error(g), e);
    CHECK_HAS(weft_error(c), part);
    weft_graph_free(g);
    g = weft_graph_new(c);
}

TEST(tokens_and_caches_that_cannot_be) {
    begin(WEFT_LM_LLAMA);
    refused(weft_lm_logits(NULL, tokens(2, 4), &m, NULL), WEFT_ARGUMENT, "the state is NULL");
    refused(weft_lm_logits(s, tokens(2, 4), NULL, NULL), WEFT_ARGUMENT, "configuration is NULL");
    refused(weft_lm_logits(s, weft_input(g, WEFT_I32, weft_dims(4)), &m, NULL), WEFT_SHAPE,
            "expected tokens i32 [B, T]");
    refused(weft_lm_logits(s, weft_input(g, WEFT_F32, weft_dims(2, 4)), &m, NULL), WEFT_SHAPE,
            "expected tokens i32 [B, T]");
    refused(weft_lm_logits(s, tokens(2, 33), &m, NULL), WEFT_SHAPE,
            "expected 1 to 32 positions, got 33");
    refused(weft_lm_logits(s, tokens(2, 0), &m, NULL), WEFT_SHAPE, "got 0");
    refused(weft_lm_loss(s, tokens(2, 4), tokens(2, 5), &m, NULL), WEFT_SHAPE, "");
    refused(weft_lm_head(s, weft_input(g, WEFT_F32, weft_dims(2, 4, 9)), &m, NULL), WEFT_STATE,
            "lm_head");
    refused(weft_lm_logits(s, tokens(2, 4), &m, &(weft_lm_desc){.weights = WEFT_I32}), WEFT_DTYPE,
            "expected f32, bf16, f16 or i8, got i32");
    static const struct {
        int64_t positions, length;
        bool at, none;
    } rows[] = {{16, 3, true, false},
                {16, 17, true, false},
                {33, 8, true, false},
                {16, 8, false, false},
                {16, 8, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weft_state *const own = weft_state_new(c);
        weft_lm_cache cache = {.state = rows[i].none ? NULL : own,
                               .positions = rows[i].positions,
                               .length = rows[i].length};
        if (rows[i].at) cache.at = weft_input(g, WEFT_I32, WEFT_0D);
        refused(weft_lm_logits(s, tokens(2, 4), &m, &(weft_lm_desc){.cache = &cache}),
                WEFT_ARGUMENT, rows[i].none ? ".cache: the state is NULL" : ".cache: expected");
        CHECK_EQ(weft_state_count(own), 0);
        weft_state_free(own);
    }
    end();
}

TEST(shapes_are_those_of_the_header) {
    for (int f = 0; f < WEFT_LM_FAMILY_COUNT; f++) {
        CASE("%s", weft_lm_family_name((weft_lm_family)f));
        begin((weft_lm_family)f);
        const weft_tensor h = weft_lm_hidden(s, tokens(2, 5), &m, NULL);
        CHECK_EQ(weft_rank(h), 3);
        CHECK_EQ(weft_dim(h, 2), m.width);
        const weft_tensor y = weft_lm_head(s, weft_slice(h, 1, 4, 5, 1), &m, NULL);
        CHECK_EQ(weft_dim(y, 1), 1);
        CHECK_EQ(weft_dim(y, 2), LM_VOCAB);
        CHECK_EQ(weft_rank(weft_lm_loss(s, tokens(2, 5), tokens(2, 5), &m, NULL)), 0);
        CHECK_EQ(weft_graph_error(g), WEFT_OK);
        end();
    }
}

/* ---- padding ---- */

TEST(padding_before_a_row_is_not_seen) {
    for (int f = 0; f < WEFT_LM_FAMILY_COUNT; f++) {
        CASE("%s", weft_lm_family_name((weft_lm_family)f));
        begin((weft_lm_family)f);
        lm_fill(s, &m);
        float plain[LM_LOGITS], got[LM_ROWS * (LM_TOKENS + 3) * LM_VOCAB];
        CHECK(lm_logits(s, &m, NULL, plain));
        /* the first row behind two tokens of padding and before one, the second behind three */
        enum { ROOM = LM_TOKENS + 3 };
        const int32_t starts[LM_ROWS] = {2, 3};
        int32_t in[LM_ROWS * ROOM];
        for (int i = 0; i < LM_ROWS * ROOM; i++) in[i] = 7;
        for (int i = 0; i < LM_ROWS * LM_TOKENS; i++)
            in[i / LM_TOKENS * ROOM + starts[i / LM_TOKENS] + i % LM_TOKENS] =
                lm_token(i, LM_VOCAB);
        const weft_tensor ids = tokens(LM_ROWS, ROOM);
        const weft_lm_desc d = {.starts = weft_input(g, WEFT_I32, weft_dims(LM_ROWS))};
        const weft_tensor y = weft_lm_logits(s, ids, &m, &d);
        weft_plan *const p = compiled(y);
        CHECK_EQ(weft_set(p, ids, in, sizeof in), WEFT_OK);
        CHECK_EQ(weft_set(p, d.starts, starts, sizeof starts), WEFT_OK);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_get(p, y, got, sizeof got), WEFT_OK);
        for (int b = 0; b < LM_ROWS; b++)
            CHECK(lm_apart(got + (b * ROOM + starts[b]) * LM_VOCAB,
                           plain + b * LM_TOKENS * LM_VOCAB, LM_TOKENS * LM_VOCAB) < 1e-5);
        weft_plan_free(p);
        end();
    }
}

/* ---- training ---- */

static float loss_of(const weft_lm_desc *d, bool evaluate) {
    weft_graph *const kept = g;
    g = weft_graph_new(c);
    if (evaluate) weft_graph_eval(g);
    const weft_tensor ids = tokens(LM_ROWS, LM_TOKENS), next = tokens(LM_ROWS, LM_TOKENS);
    const weft_tensor loss = weft_lm_loss(s, ids, next, &m, d);
    weft_plan *const p = compiled(loss);
    int32_t in[LM_ROWS * LM_TOKENS];
    for (int i = 0; i < LM_ROWS * LM_TOKENS; i++) in[i] = lm_token(i, LM_VOCAB);
    CHECK_EQ(weft_set(p, ids, in, sizeof in), WEFT_OK);
    for (int i = 0; i < LM_ROWS * LM_TOKENS; i++) in[i] = i % 4 ? lm_token(i + 1, LM_VOCAB) : -100;
    CHECK_EQ(weft_set(p, next, in, sizeof in), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    const float v = weft_item(p, loss);
    weft_plan_free(p);
    weft_graph_free(g);
    g = kept;
    return v;
}

TEST(dropout_is_for_training) {
    begin(WEFT_LM_GPT2);
    lm_fill(s, &m);
    const float plain = loss_of(NULL, false);
    m.dropout = 0.3f;
    CHECK_EQ(loss_of(NULL, true), plain);
    CHECK(loss_of(NULL, false) != plain);
    CHECK(isfinite(loss_of(&(weft_lm_desc){.checkpoint = true}, false)));
    end();
}

TEST(narrow_weights_have_a_loss) {
    for (int f = 0; f < 2; f++) {
        begin((weft_lm_family)f);
        lm_fill(s, &m);
        const float wide = loss_of(NULL, true);
        const char *const path = lm_file(s, WEFT_FILE_F32, false, "loss.safetensors");
        weft_state_free(s);
        s = weft_state_new(c);
        const weft_lm_desc d = {.weights = WEFT_F16}; /* which has all digits of these */
        CHECK_EQ(weft_lm_load(s, &m, path, &d, NULL), WEFT_OK);
        CHECK_NEAR(loss_of(&d, true), wide, 1e-5);
        end();
    }
}

TEST(groups_fit_all_families) {
    for (int f = 0; f < WEFT_LM_FAMILY_COUNT; f++)
        for (int untied = 0; untied < 2; untied++) {
            CASE("%s%s", weft_lm_family_name((weft_lm_family)f), untied ? " untied" : "");
            begin((weft_lm_family)f);
            m.untied = untied;
            size_t n;
            const weft_group *const groups = weft_lm_groups(&m, &n);
            const weft_tensor ids = tokens(1, 4), loss = weft_lm_loss(s, ids, ids, &m, NULL);
            const weft_updates u = weft_optimiser(
                s, loss,
                &(weft_optimiser_desc){
                    .kind = WEFT_OPTIMISER_MUON, .groups = groups, .group_count = n});
            if (!CHECK(u.n > 0)) CHECK_STR(weft_error(c), "");
            CHECK_EQ(weft_graph_error(g), WEFT_OK);
            end();
        }
}
