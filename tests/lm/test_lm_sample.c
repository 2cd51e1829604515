/* test_lm_sample.c - one token from logits, against the definition: every token comes as often as its
 * probability says, whatever is left out; and so do the tokens of a generator. */
#include "lm_world.h" /* before the first system header */

enum { MOST = 300, GRID = 20000 };

typedef struct candidate {
    double p;
    int id;
} candidate;

static int compare(const void *a, const void *b) {
    const candidate *const x = a, *const y = b;
    return x->p != y->p ? (x->p < y->p ? 1 : -1) : x->id - y->id;
}

/* The probability of each token: sort, keep the first k, keep the first that add up to top_p. */
static void define(const float *logits, int n, const weft_sample_desc *d, double *p) {
    candidate all[MOST];
    double most = -INFINITY, sum = 0;
    int m = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(logits[i])) most = fmax(most, logits[i]);
    for (int i = 0; i < n; i++) {
        p[i] = 0;
        if (!isfinite(logits[i])) continue;
        all[m++] = (candidate){exp((logits[i] - most) / d->temperature), i};
    }
    qsort(all, (size_t)m, sizeof *all, compare);
    if (d->top_k > 0 && d->top_k < m) m = d->top_k;
    for (int i = 0; i < m; i++) sum += all[i].p;
    if (d->top_p > 0) {
        double before = 0;
        int few = 0;
        while (few < m && (few == 0 || before < d->top_p * sum)) before += all[few++].p;
        m = few, sum = before;
    }
    for (int i = 0; i < m; i++) p[all[i].id] = all[i].p / sum;
}

/* How much of [0, 1) leads to each token. */
static void share(const float *logits, int n, const weft_sample_desc *d, double *p) {
    void *const scratch = malloc(8 * (size_t)n);
    for (int i = 0; i < n; i++) p[i] = 0;
    for (int k = 0; k < GRID; k++) {
        const int32_t id = weft_sample(logits, n, d, ((float)k + 0.5f) / GRID, scratch);
        if (!CHECK(id >= 0 && id < n)) break;
        p[id] += 1.0 / GRID;
    }
    free(scratch);
}

static void same(const float *logits, int n, const weft_sample_desc *d) {
    double want[MOST], got[MOST];
    define(logits, n, d, want);
    share(logits, n, d, got);
    for (int i = 0; i < n; i++) {
        if (!CHECK_NEAR(got[i], want[i], 1.5 / GRID)) return;
        if (want[i] == 0 && !CHECK_EQ(got[i], 0)) return;
    }
}

TEST(every_token_comes_as_often_as_it_should) {
    static const weft_sample_desc ways[] = {
        {1, 0, 0},     {0.5f, 0, 0},     {3, 0, 0},      {1, 1, 0},      {1, 7, 0},
        {1, 1000, 0},  {1, 0, 0.5f},     {1, 0, 0.999f}, {1, 0, 1},      {1, 0, 1e-6f},
        {1, 10, 0.7f}, {0.7f, 40, 0.9f}, {2, 3, 0.3f},   {1, 500, 0.4f}, {0.01f, 0, 0},
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        CASE("temperature %g, top_k %d, top_p %g", ways[k].temperature, ways[k].top_k,
             ways[k].top_p);
        for (int round = 0; round < 8; round++) {
            static const int sizes[] = {1, 2, 3, 17, 64, 300, 50, 128};
            float logits[MOST];
            const int n = sizes[round];
            for (int i = 0; i < n; i++) {
                logits[i] = (float)test_uniform(-5, 5);
                if (round == 6) logits[i] = (float)(test_random() % 4); /* many are equal */
                if (round == 7 && i % 3) logits[i] = i % 2 ? NAN : i % 5 ? -INFINITY : INFINITY;
            }
            same(logits, n, &ways[k]);
        }
    }
}

TEST(without_chance_the_most_likely_comes) {
    float logits[] = {-3, NAN, 2, 2, INFINITY, -INFINITY};
    double scratch[6];
    static const weft_sample_desc ways[] = {{0},       {-1, 5, 0.5f}, {NAN, 0, 0},
                                            {1, 1, 0}, {1, 0, 1e-9f}, {1e-30f, 1, 0}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        for (int u = 0; u < 10; u++)
            CHECK_EQ(weft_sample(logits, 6, &ways[k], (float)u / 10, scratch), 2);
    CHECK_EQ(weft_sample(logits, 6, NULL, 0.5f, NULL), 2);
    CHECK_EQ(weft_sample(logits, 2, NULL, 0.5f, NULL), 0);
}

TEST(nothing_comes_of_nothing) {
    const float logits[] = {NAN, -INFINITY, INFINITY};
    double scratch[3];
    const weft_sample_desc d = {1, 2, 0.5f};
    CHECK_EQ(weft_sample(logits, 3, &d, 0.5f, scratch), -1);
    CHECK_EQ(weft_sample(logits, 0, &d, 0.5f, scratch), -1);
    CHECK_EQ(weft_sample(logits, 3, NULL, 0.5f, NULL), -1);
}

TEST(the_ends_are_tokens_too) {
    float logits[] = {0, 88, -3e38f, 3e38f, -INFINITY}; /* exponents far out of range */
    double scratch[5];
    for (int k = 0; k < 3; k++) {
        const weft_sample_desc d = {1, k, 0};
        CHECK_EQ(weft_sample(logits, 5, &d, 0, scratch), 3);
        CHECK_EQ(weft_sample(logits, 5, &d, 0x1.fffffep-1f, scratch), 3);
    }
    logits[3] = 0, logits[1] = 0, logits[2] = 0; /* four that are equal */
    bool seen[5] = {0};
    for (int k = 0; k < 8; k++)
        seen[weft_sample(logits, 5, &(weft_sample_desc){1, 0, 0},
                         k == 7 ? 0x1.fffffep-1f : (float)k / 8, scratch)] = true;
    CHECK(seen[0] && seen[1] && seen[2] && seen[3] && !seen[4]);
}

/* ---- a generator's ---- */

/* Of sequences with one prompt, the first tokens; the sum of (seen - expected)^2 / expected. */
static void frequencies(const weft_sample_desc *d) {
    enum { ROWS = 512, ROUNDS = 8 };
    weft_ctx *const c = weft_open_with(&(weft_open_desc){.threads = 1});
    weft_state *const s = weft_state_new(c);
    const weft_lm_config m = lm_small(WEFT_LM_LLAMA);
    lm_fill(s, &m);
    const int32_t prompt[] = {3, 1, 4}, *at[ROWS];
    int64_t counts[ROWS];
    for (int b = 0; b < ROWS; b++) at[b] = prompt, counts[b] = 3;
    double p[LM_VOCAB], off = 0;
    int seen[LM_VOCAB] = {0}, freedom = -1, pairs = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int32_t ids[ROWS];
        weft_generator *const w = weft_generator_new(
            s, &m,
            &(weft_generator_desc){.sample = *d, .seed = 40 + (uint64_t)round, .sequences = ROWS});
        CHECK_EQ(weft_generator_prompt(w, at, counts), WEFT_OK);
        define(weft_generator_logits(w, 0), LM_VOCAB, d, p);
        CHECK_EQ(weft_generator_next(w, ids), WEFT_OK);
        for (int b = 0; b < ROWS; b++) seen[ids[b]]++;
        for (int b = 1; b < ROWS; b++) pairs += ids[b] == ids[b - 1];
        weft_generator_free(w);
    }
    for (int i = 0; i < LM_VOCAB; i++) {
        const double want = p[i] * ROWS * ROUNDS;
        if (want == 0) CHECK_EQ(seen[i], 0);
        else off += (seen[i] - want) * (seen[i] - want) / want, freedom++;
    }
    CHECK(freedom >= 3);
    /* its mean is the number of free ones, its variance twice that */
    if (!CHECK(off < freedom + 4 * sqrt(2.0 * freedom)))
        printf("     chi square %g of %d\n", off, freedom);
    CHECK(off > freedom - 4 * sqrt(2.0 * freedom));
    double equal = 0; /* the chance that two are */
    for (int i = 0; i < LM_VOCAB; i++) equal += p[i] * p[i];
    const double draws = (ROWS - 1) * ROUNDS;
    CHECK_NEAR(pairs, draws * equal, 5 * sqrt(draws * equal));
    weft_state_free(s);
    weft_close(c);
}

TEST(sequences_draw_by_themselves) {
    static const weft_sample_desc ways[] = {{1, 0, 0}, {0.6f, 0, 0}, {1, 6, 0}, {1, 20, 0.8f}};
    for (int k = 0; k < 4; k++) {
        CASE("%d", k);
        frequencies(&ways[k]);
    }
}
