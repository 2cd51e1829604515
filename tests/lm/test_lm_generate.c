/* test_lm_generate.c - tokens one by one through a cache: the logits of the whole text at once, for
 * both families, several sequences, texts longer than a plan, and longer than the model. */
#include "one_graph.h"
#include "test.h"
#include "weft/lm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VOCAB = 37, LONG = 200 };

static const weft_lm_config gpt2 = {.family = WEFT_LM_GPT2,
                                    .vocab = VOCAB,
                                    .positions = LONG,
                                    .layers = 2,
                                    .heads = 2,
                                    .width = 16,
                                    .activation = WEFT_GELU_TANH};
static const weft_lm_config llama = {.family = WEFT_LM_LLAMA,
                                     .vocab = VOCAB,
                                     .positions = LONG,
                                     .layers = 2,
                                     .heads = 4,
                                     .kv_heads = 2,
                                     .width = 16,
                                     .hidden = 24,
                                     .untied = true,
                                     .activation = WEFT_SILU};

static void begin_model(const weft_lm_config *m) {
    begin();
    weft_state_seed(s, 5);
    /* initial values of 0.02 would make all logits alike */
    weft_lm_logits(s, weft_input(g, WEFT_I32, weft_dims(1, 1)), m, NULL);
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(s, i, &e), WEFT_OK);
        if (e.dims.rank != 2) continue;
        float *const v = weft_state_copy(s, e.name);
        if (!CHECK(v)) continue;
        for (size_t k = 0; k < e.bytes / sizeof *v; k++) v[k] *= 10;
        CHECK_EQ(weft_state_set(s, e.name, v, e.bytes), WEFT_OK);
        weft_resize(c, v, 0);
    }
}

static int32_t token(int i) {
    return (int32_t)((i * 7919 + i * i * 31 + 11) % VOCAB);
}

/* Logits behind the last of n tokens, from the whole text in one pass. */
static void whole(const weft_lm_config *m, const int32_t *ids, int64_t n, float *out) {
    weft_graph *const own = weft_graph_new(c);
    const weft_tensor in = weft_input(own, WEFT_I32, weft_dims(1, n));
    const weft_tensor y = weft_slice(weft_lm_logits(s, in, m, NULL), 1, n - 1, n, 1);
    weft_plan *const p = weft_compile(own, &(weft_plan_desc){.fetch = weft_list(y)});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    CHECK_EQ(weft_set(p, in, ids, (size_t)n * sizeof *ids), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, y, out, VOCAB * sizeof *out), WEFT_OK);
    weft_plan_free(p);
    weft_graph_free(own);
}

static bool same_logits(weft_generator *w, int sequence, const weft_lm_config *m,
                        const int32_t *ids, int64_t n) {
    float want[VOCAB];
    const float *const got = weft_generator_logits(w, sequence);
    if (!CHECK(got)) {
        CHECK_STR(weft_error(c), "");
        return false;
    }
    whole(m, ids, n, want);
    for (int i = 0; i < VOCAB; i++)
        if (!CHECK_NEAR(got[i], want[i], 2e-5 * fmax(1, fabs((double)want[i])))) return false;
    return true;
}

static void follow(const weft_lm_config *m, int64_t prompt, int64_t all) {
    begin_model(m);
    weft_generator *const w =
        weft_generator_new(s, m, &(weft_generator_desc){.sample = {.temperature = 1}, .seed = 3});
    int32_t ids[LONG];
    for (int i = 0; i < prompt; i++) ids[i] = token(i);
    if (!CHECK(w)) CHECK_STR(weft_error(c), "");
    CHECK_EQ(weft_generator_prompt(w, &(const int32_t *){ids}, &prompt), WEFT_OK);
    for (int64_t n = prompt; n < all; n++) {
        if (!same_logits(w, 0, m, ids, n)) break;
        CHECK_EQ(weft_generator_next(w, &ids[n]), WEFT_OK);
        CHECK(ids[n] >= 0 && ids[n] < VOCAB);
    }
    weft_generator_free(w);
    end();
}

TEST(a_cache_gives_the_logits_of_the_whole_text) {
    weft_lm_config narrow = llama;
    narrow.window = 9;
    const weft_lm_config *const all[] = {&gpt2, &llama, &narrow};
    for (int i = 0; i < 3; i++) {
        CASE("%s, window %d", weft_lm_family_name(all[i]->family), (int)all[i]->window);
        follow(all[i], 1, 20);
        follow(all[i], 60, 70);   /* from one plan to the next */
        follow(all[i], 130, 135); /* a prompt in a plan for 200 */
    }
}

TEST(sequences_of_different_lengths_do_not_see_each_other) {
    const weft_lm_config *const all[] = {&gpt2, &llama};
    for (int f = 0; f < 2; f++) {
        CASE("%s", weft_lm_family_name(all[f]->family));
        begin_model(all[f]);
        enum { ROWS = 3, MORE = 6 };
        const int64_t count[ROWS] = {5, 63, 1};
        int32_t ids[ROWS][LONG];
        const int32_t *const at[ROWS] = {ids[0], ids[1], ids[2]};
        for (int b = 0; b < ROWS; b++)
            for (int i = 0; i < count[b]; i++) ids[b][i] = token(i + 50 * b);
        weft_generator *const w = weft_generator_new(
            s, all[f],
            &(weft_generator_desc){.sample = {.temperature = 1}, .sequences = ROWS, .seed = 4});
        CHECK_EQ(weft_generator_prompt(w, at, count), WEFT_OK);
        for (int n = 0; n < MORE; n++) {
            int32_t next[ROWS];
            for (int b = 0; b < ROWS; b++) same_logits(w, b, all[f], ids[b], count[b] + n);
            CHECK_EQ(weft_generator_next(w, next), WEFT_OK);
            for (int b = 0; b < ROWS; b++) ids[b][count[b] + n] = next[b];
        }
        weft_generator_free(w);
        end();
    }
}

TEST(a_full_cache_forgets_the_older_half) {
    begin_model(&llama);
    enum { ROOM = 32 };
    weft_generator *const w = weft_generator_new(
        s, &llama,
        &(weft_generator_desc){.sample = {.temperature = 1}, .positions = ROOM, .seed = 9});
    int32_t ids[LONG] = {3};
    int64_t first = 0;
    CHECK_EQ(weft_generator_prompt(w, &(const int32_t *){ids}, &(int64_t){1}), WEFT_OK);
    for (int n = 1; n < 100; n++) {
        CHECK_EQ(weft_generator_next(w, &ids[n]), WEFT_OK);
        if (n + 1 - first == ROOM) first = n + 1 - ROOM / 2;
        if (!same_logits(w, 0, &llama, ids + first, n + 1 - first)) break;
    }
    weft_generator_free(w);
    end();
}

/* Some tokens; what changes them is in d. */
static void draw(const weft_lm_config *m, weft_generator_desc d, int32_t *out, int n) {
    weft_generator *const w = weft_generator_new(s, m, &d);
    const int32_t prompt[2] = {1, 2}, *const at = prompt;
    if (!CHECK(w)) CHECK_STR(weft_error(c), "");
    CHECK_EQ(weft_generator_prompt(w, &at, &(int64_t){2}), WEFT_OK);
    for (int i = 0; i < n; i++) CHECK_EQ(weft_generator_next(w, &out[i]), WEFT_OK);
    weft_generator_free(w);
}

TEST(the_seed_decides_and_threads_do_not) {
    enum { N = 40 };
    begin_model(&gpt2);
    const weft_generator_desc d = {.sample = {.temperature = 1}, .seed = 7};
    int32_t a[N], b[N];
    draw(&gpt2, d, a, N);
    for (int threads = 1; threads <= 3; threads++) {
        weft_generator_desc more = d;
        more.threads = threads;
        draw(&gpt2, more, b, N);
        CHECK_MEM(a, b, sizeof a);
    }
    weft_generator_desc other = d;
    other.seed = 8;
    draw(&gpt2, other, b, N);
    CHECK(memcmp(a, b, sizeof a) != 0);
    other.sample.temperature = 0; /* no chance: the seed does not matter */
    draw(&gpt2, other, a, N);
    other.seed = 9;
    draw(&gpt2, other, b, N);
    CHECK_MEM(a, b, sizeof a);
    end();
}

TEST(repetition_has_a_price) {
    enum { N = 30 };
    const float by = 1.5f;
    begin_model(&gpt2);
    weft_generator *const w =
        weft_generator_new(s, &gpt2, &(weft_generator_desc){.repetition = by});
    int32_t id = 4;
    bool seen[VOCAB] = {0};
    CHECK_EQ(weft_generator_prompt(w, &(const int32_t *){&id}, &(int64_t){1}), WEFT_OK);
    for (int n = 0, moved = 0; n < N; n++) {
        const float *const logits = weft_generator_logits(w, 0);
        int best = 0, plain = 0;
        float most = -INFINITY;
        seen[id] = true;
        for (int i = 0; i < VOCAB; i++) {
            const float v = !seen[i] ? logits[i] : logits[i] > 0 ? logits[i] / by : logits[i] * by;
            if (v > most) most = v, best = i;
            if (logits[i] > logits[plain]) plain = i;
        }
        moved += best != plain;
        CHECK_EQ(weft_generator_next(w, &id), WEFT_OK);
        CHECK_EQ(id, best);
        if (n == N - 1) CHECK(moved > 0);
    }
    weft_generator_free(w);
    end();
}

TEST(what_cannot_be_is_an_error) {
    begin_model(&gpt2);
    int32_t id = VOCAB;
    const int32_t *at = &id;
    int64_t n = 1;
    CHECK(!weft_generator_new(s, &gpt2, &(weft_generator_desc){.positions = LONG + 1}));
    CHECK_HAS(weft_error(c), "2 to 200 positions");
    CHECK(!weft_generator_new(s, &gpt2, &(weft_generator_desc){.sequences = -1}));
    weft_generator *const w = weft_generator_new(s, &gpt2, NULL);
    CHECK_EQ(weft_generator_next(w, &id), WEFT_STATE);
    CHECK_EQ(weft_generator_prompt(w, &at, &n), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "token 0 of sequence 0 is 37");
    n = 0;
    CHECK_EQ(weft_generator_prompt(w, &at, &n), WEFT_ARGUMENT);
    CHECK(!weft_generator_logits(w, 0));
    CHECK(!weft_generator_logits(w, 1));
    id = 0, n = 1;
    CHECK_EQ(weft_generator_prompt(w, &at, &n), WEFT_OK);
    CHECK(weft_generator_logits(w, 0));
    weft_generator_free(w);
    weft_generator_free(NULL);
    end();
}
