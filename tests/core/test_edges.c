/* test_edges.c - the last thing that is still accepted and what it gives, and what callers are told
 * besides results: places where small changes of the code once went unnoticed. */
#include "heap.h"
#include "one_graph.h"
#include "test.h"
#include "weft/nn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Results of a plan that has no inputs, up to 64 numbers; false: there was an error. */
static bool result(weft_tensor t, float *out) {
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(t)});
    const bool good = CHECK(p) && CHECK_EQ(weft_run(p), WEFT_OK) &&
                      CHECK_EQ(weft_get(p, t, out, (size_t)weft_count(t) * sizeof *out), WEFT_OK);
    if (!good) CHECK_STR(weft_error(c), "");
    weft_plan_free(p);
    return good;
}

/* ---- shapes and types ---- */

/* What holds both: floats win, bool is the least, and two kinds of integers meet in i32. */
TEST(types_meet) {
    for (int a = 0; a < WEFT_DTYPE_COUNT; a++)
        for (int b = 0; b < WEFT_DTYPE_COUNT; b++) {
            CASE("%s and %s", weft_dtype_name((weft_dtype)a), weft_dtype_name((weft_dtype)b));
            begin();
            const bool real = a <= WEFT_F16 || b <= WEFT_F16;
            const int other = a == WEFT_BOOL ? b : b == WEFT_BOOL ? a : WEFT_I32;
            const int want = a == b ? a : real ? WEFT_F32 : other == WEFT_U32 ? WEFT_I32 : other;
            const weft_tensor x = weft_input(g, (weft_dtype)a, weft_dims(3));
            const weft_tensor y = weft_input(g, (weft_dtype)b, weft_dims(2));
            CHECK_EQ(weft_dtype_of(weft_concat(weft_list(x, y), 0)), want);
            end();
        }
}

TEST(a_gather_may_have_eight_axes) {
    begin();
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 3, 2, 2));
    const weft_tensor five = weft_input(g, WEFT_I32, weft_dims(1, 2, 1, 2, 1));
    const weft_tensor y = weft_gather(x, five, 1);
    CHECK_EQ(weft_rank(y), 8);
    CHECK_EQ(weft_dim(y, 2), 2);
    CHECK(!weft_ok(weft_gather(x, weft_input(g, WEFT_I32, weft_dims(1, 1, 1, 1, 1, 1)), 1)));
    end();
}

TEST(one_hot_of_no_classes_is_empty) {
    begin();
    const weft_tensor y = weft_one_hot(weft_input(g, WEFT_I32, weft_dims(4)), 0);
    CHECK(weft_ok(y));
    CHECK_EQ(weft_rank(y), 2);
    CHECK_EQ(weft_dim(y, 0), 4);
    CHECK_EQ(weft_dim(y, 1), 0);
    end();
}

TEST(a_pad_is_not_negative_on_either_side) {
    static const int64_t bad[][2] = {{-1, 0}, {0, -1}, {-1, -1}, {0, INT64_MAX}, {INT64_MAX, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%lld and %lld", (long long)bad[i][0], (long long)bad[i][1]);
        begin();
        const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(4));
        CHECK(!weft_ok(weft_pad(x, 0, bad[i][0], bad[i][1], 0)));
        CHECK_HAS(weft_error(c), "pad");
        end();
    }
}

TEST(the_first_extent_is_looked_at_too) {
    begin();
    CHECK(!weft_ok(weft_input(g, WEFT_F32, weft_dims(-3, 2))));
    CHECK_HAS(weft_error(c), "axis 0 is negative");
    end();
}

/* Whatever kind of integer an index is. */
TEST(indices_of_every_type) {
    static const weft_dtype types[] = {WEFT_I32, WEFT_U32, WEFT_I8, WEFT_U8};
    const float numbers[] = {5, 6, 7, 8};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        CASE("%s", weft_dtype_name(types[k]));
        begin();
        float y[2] = {0};
        const int32_t wide[] = {2, 1};
        const uint8_t narrow[] = {2, 1};
        const bool small = weft_dtype_size(types[k]) == 1;
        const weft_tensor x = weft_const(g, WEFT_F32, weft_dims(4), numbers);
        const weft_tensor at =
            weft_const(g, types[k], weft_dims(2), small ? (const void *)narrow : wide);
        const weft_tensor both[] = {weft_take_along(x, at, 0), weft_gather(x, at, 0)};
        for (int i = 0; i < 2; i++) CHECK(result(both[i], y) && y[0] == 7 && y[1] == 6);
        const weft_tensor zero = weft_full(g, weft_dims(2), 0), src = weft_full(g, weft_dims(2), 3);
        if (result(weft_scatter_add(zero, at, src, 0), y)) CHECK(y[0] == 0 && y[1] == 3);
        end();
    }
}

/* Letters that stand twice in a term, at any distance, against loops over all of them. */
TEST(einsum_takes_diagonals) {
    static const char *const specs[] = {"iij->ij",  "iji->ij", "jii->ij",  "iijj->ij", "ijij->ij",
                                        "ijji->ij", "iii->i",  "iiji->ij", "jiij->i"};
    enum { SIDE = 3 };
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        CASE("%s", specs[k]);
        begin();
        const int rank = (int)strcspn(specs[k], "-"), outs = (int)strlen(specs[k]) - rank - 2;
        float numbers[81], want[9] = {0}, got[9] = {0};
        for (int i = 0; i < 81; i++) numbers[i] = (float)(i * i % 23);
        weft_shape dims = {rank, {0}};
        for (int d = 0; d < rank; d++) dims.n[d] = SIDE;
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                int at = 0;
                for (int d = 0; d < rank; d++) at = at * SIDE + (specs[k][d] == 'i' ? i : j);
                if (!strchr(specs[k], 'j') && j) continue;
                want[outs == 2 ? i * SIDE + j : i] += numbers[at];
            }
        const weft_tensor x = weft_const(g, WEFT_F32, dims, numbers);
        if (result(weft_einsum(specs[k], weft_list(x)), got))
            CHECK_ARRAY(got, want, outs == 2 ? 9 : 3, 1e-6);
        end();
    }
}

TEST(adaptive_pooling_has_up_to_32768_places) {
    begin();
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(1, 1, 1));
    CHECK(weft_ok(weft_nn_adaptive_avg_pool(x, weft_dims(1 << 15), false)));
    CHECK(!weft_ok(weft_nn_adaptive_avg_pool(x, weft_dims((1 << 15) + 1), false)));
    CHECK_HAS(weft_error(c), "1 to 32768");
    end();
}

/* ---- rules of one's own ---- */

enum { RULE_MOST = 32 };

static void rule_counts(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in, size_t n,
                        weft_tensor *out) {
    (void)y, (void)in;
    *(size_t *)user = n;
    for (size_t i = 0; i < n; i++) out[i] = weft_scale(dy, (float)i + 1);
}

TEST(a_rule_knows_its_inputs) {
    for (size_t n = 1; n <= RULE_MOST + 1; n += n < 3 ? 1 : n < RULE_MOST ? RULE_MOST - n : 1) {
        CASE("%zu", n);
        begin();
        weft_tensor x[RULE_MOST + 1], dx[RULE_MOST + 1];
        weft_tensor y = weft_scalar(g, 0);
        for (size_t i = 0; i < n; i++) {
            char name[16];
            snprintf(name, sizeof name, "x%zu", i);
            x[i] = weft_param(g, s, name, WEFT_0D, (weft_init){WEFT_INIT_VALUE, 3, 0});
            y = weft_add(y, x[i]);
        }
        size_t told = 0;
        y = weft_custom_grad(y, (weft_tensors){x, n}, rule_counts, &told);
        CHECK_EQ(weft_ok(y), n <= RULE_MOST);
        if (weft_ok(y) && CHECK_EQ(weft_grad(y, x, n, dx), WEFT_OK)) {
            float last = 0;
            CHECK_EQ(told, n);
            if (result(dx[n - 1], &last)) CHECK_EQ(last, n);
        }
        end();
    }
}

/* ---- layers ---- */

TEST(a_group_norm_may_have_one_group) {
    begin();
    float x[12], y[12];
    double mean = 0, square = 0;
    for (int i = 0; i < 12; i++) x[i] = (float)(i * i % 7), mean += (double)x[i] / 12;
    for (int i = 0; i < 12; i++) square += ((double)x[i] - mean) * ((double)x[i] - mean) / 12;
    const weft_tensor in = weft_const(g, WEFT_F32, weft_dims(1, 3, 4), x);
    if (result(weft_nn_group_norm(s, in, 1, "norm", NULL), y))
        for (int i = 0; i < 12; i++)
            CHECK_NEAR(y[i], ((double)x[i] - mean) / sqrt(square + 1e-5), 1e-5);
    end();
}

TEST(attention_may_have_a_width_of_1) {
    begin();
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 3, 1));
    CHECK(weft_ok(weft_nn_attention(s, x, 1, "attn", NULL)));
    CHECK(!weft_ok(weft_nn_attention(s, x, 2, "attn", NULL)));
    end();
}

TEST(a_failed_recurrence_gives_nothing_at_all) {
    begin();
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(4, 2, 3));
    const weft_nn_sequence none = weft_nn_lstm(s, x, 0, "lstm", NULL);
    CHECK(!weft_ok(none.y) && !weft_ok(none.h) && !weft_ok(none.c));
    end();
}

TEST(a_margin_of_0_is_1) {
    begin();
    const float far[] = {0.25f, 3}, sign[] = {-1, -1};
    float y[2];
    const weft_tensor x = weft_const(g, WEFT_F32, weft_dims(2), far);
    const weft_tensor t = weft_const(g, WEFT_F32, weft_dims(2), sign);
    if (result(weft_nn_hinge_embedding(x, t, 0, WEFT_REDUCE_NONE), y)) {
        CHECK_NEAR(y[0], 0.75, 1e-6);
        CHECK_EQ(y[1], 0);
    }
    end();
}

/* Shares of attention are dropped too: with the dropout of GPT-2's block there are three places that
 * draw, and none in evaluation. */
TEST(gpt2_drops_shares_of_attention) {
    for (int eval = 0; eval < 2; eval++) {
        CASE(eval ? "evaluation" : "training");
        begin();
        if (eval) weft_graph_eval(g);
        const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 3, 8));
        CHECK(weft_ok(weft_nn_gpt2(s, x, 2, "h", &(weft_nn_gpt2_desc){.dropout = 0.1f})));
        char *text = weft_graph_text(g);
        int draws = 0;
        for (const char *at = text; at && (at = strstr(at, "random")); at++) draws++;
        CHECK_EQ(draws, eval ? 0 : 3);
        weft_text_free(c, text);
        end();
    }
}

/* ---- memory ---- */

/* A state that could not get memory for new entries keeps the old ones, and gets it later. */
TEST(a_state_without_memory_keeps_what_it_has) {
    bool failed = true;
    for (long at = 1; failed && at < 50; at++) {
        CASE("allocation %ld", at);
        heap h = {0};
        float v[8] = {0};
        c = weft_open_with(
            &(weft_open_desc){.device = "cpu", .threads = 1, .resize = heap_resize, .user = &h});
        s = weft_state_new(c);
        g = weft_graph_new(c);
        const weft_init five = {WEFT_INIT_VALUE, 5, 0}, seven = {WEFT_INIT_VALUE, 7, 0};
        weft_param(g, s, "a", weft_dims(8), five);
        weft_param(g, s, "b", weft_dims(2, 2), five);
        CHECK_EQ(weft_state_get(s, "a", v, sizeof v), WEFT_OK);
        weft_param(g, s, "c", weft_dims(8), seven);
        weft_param(g, s, "d", weft_dims(8), seven);
        h.fail_at = h.made + at;
        const weft_err e = weft_state_get(s, "d", v, sizeof v);
        failed = h.failed;
        CHECK_EQ(e, failed ? WEFT_MEMORY : WEFT_OK);
        h.fail_at = 0;
        for (int i = 0; i < 4; i++) {
            const char name[] = {(char)('a' + i), 0};
            const size_t bytes = i == 1 ? 16 : 32;
            memset(v, 0, sizeof v);
            CHECK_EQ(weft_state_get(s, name, v, bytes), WEFT_OK);
            for (size_t k = 0; k < bytes / 4; k++) CHECK_EQ(v[k], i < 2 ? 5 : 7);
        }
        end();
        CHECK_EQ(h.live, 0);
    }
    CHECK(!failed);
}

/* ---- clocks ---- */

TEST(clocks_go_with_those_of_the_system) {
    for (int i = 0; i < 20; i++) {
        struct timespec before, after;
        timespec_get(&before, TIME_UTC);
        const double now = weft_wall();
        timespec_get(&after, TIME_UTC);
        CHECK(now >= (double)before.tv_sec + 1e-9 * (double)before.tv_nsec - 1e-3);
        CHECK(now <= (double)after.tv_sec + 1e-9 * (double)after.tv_nsec + 1e-3);
        const double start = weft_clock(), first = weft_wall();
        while (weft_wall() - first < 0.002) {
        }
        const double took = weft_clock() - start;
        CHECK(took > 0.001 && took < 5);
    }
}
