/* test_run.c - what running means: reads see the values from before, updates take effect at the
 * end, plans share one state and outlive their graph.
 *
 * Small programs whose results are known by hand, on the CPU and on the reference. */
#include "models.h"
#include "one_graph.h"
#include "test.h"

#include <math.h>

static weft_plan *compiled(weft_tensors fetch, weft_updates update) {
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = fetch, .update = update});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    return p;
}

static weft_tensor buffer(const char *name, int64_t n, float value) {
    return weft_buffer(g, s, name, WEFT_F32, weft_dims(n), (weft_init){WEFT_INIT_VALUE, value, 0});
}

static void holds(const char *name, float want) { /* every element */
    float v[64];
    for (int i = 0; i < 64; i++) v[i] = NAN;
    weft_entry e = {0};
    for (size_t i = 0; i < weft_state_count(s); i++)
        if (weft_state_entry(s, i, &e) == WEFT_OK && strcmp(e.name, name) == 0) break;
    CHECK_EQ(weft_state_get(s, name, v, e.bytes), WEFT_OK);
    for (size_t i = 0; i < e.bytes / sizeof *v; i++)
        if (!CHECK_EQ(v[i], want)) return;
}

#define ON_BOTH(d) for (const char *d = "cpu"; d; d = *d == 'c' ? "ref" : NULL)

/* ---- before and after ---- */

TEST(states_can_be_swapped) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor a = buffer("a", 37, 1), b = buffer("b", 37, 2);
        weft_updates u = weft_updates_join(g, weft_assign(a, b), weft_assign(b, a));
        weft_plan *p = compiled((weft_tensors){0}, u);
        for (int i = 0; i < 3; i++) {
            CHECK_EQ(weft_run(p), WEFT_OK);
            holds("a", i % 2 ? 1 : 2);
            holds("b", i % 2 ? 2 : 1);
        }
        weft_plan_free(p);
        end();
    }
}

TEST(a_state_is_kept_before_it_changes) { /* a target network: a := b while b goes on */
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor a = buffer("a", 37, 0), b = buffer("b", 37, 1);
        weft_updates u = weft_updates_join(g, weft_assign(b, weft_scale(b, 2)), weft_assign(a, b));
        weft_plan *p = compiled(weft_list(a), u);
        for (int i = 0; i < 3; i++) {
            CHECK_EQ(weft_run(p), WEFT_OK);
            holds("a", (float)(1 << i));
            holds("b", (float)(2 << i));
        }
        weft_plan_free(p);
        end();
    }
}

TEST(three_states_go_round) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor a = buffer("a", 5, 1), b = buffer("b", 5, 2), d = buffer("d", 5, 3);
        weft_updates u = weft_updates_join(g, weft_assign(a, weft_offset(b, 10)),
                                           weft_assign(b, weft_offset(d, 20)));
        u = weft_updates_join(g, u, weft_assign(d, weft_offset(a, 30)));
        weft_plan *p = compiled(weft_list(a, b, d), u);
        CHECK_EQ(weft_run(p), WEFT_OK);
        holds("a", 12), holds("b", 23), holds("d", 31);
        CHECK_EQ(weft_run(p), WEFT_OK);
        holds("a", 33), holds("b", 51), holds("d", 42);
        weft_plan_free(p);
        end();
    }
}

TEST(a_sum_over_a_state_is_of_its_old_values) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor p = buffer("p", 40, 3);
        weft_tensor next = weft_add(p, weft_mean(p, WEFT_ALL, false));
        weft_plan *plan = compiled((weft_tensors){0}, weft_assign(p, next));
        CHECK_EQ(weft_run(plan), WEFT_OK);
        holds("p", 6);
        CHECK_EQ(weft_run(plan), WEFT_OK);
        holds("p", 12);
        weft_plan_free(plan);
        end();
    }
}

TEST(a_state_may_be_read_after_its_update) {
    /* the product that reads p comes after the map that makes its new value */
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor p = weft_param(g, s, "p", weft_dims(4, 4), (weft_init){WEFT_INIT_VALUE, 2, 0});
        weft_tensor next = weft_scale(p, 10);
        weft_tensor later = weft_matmul(weft_exp(weft_sub(next, next)), p); /* ones x old p: 8 */
        weft_plan *plan = compiled(weft_list(later), weft_assign(p, next));
        float y[16];
        for (int run = 0, scale = 1; run < 2; run++, scale *= 10) {
            CHECK_EQ(weft_run(plan), WEFT_OK);
            CHECK_EQ(weft_get(plan, later, y, sizeof y), WEFT_OK);
            for (int i = 0; i < 16; i++) CHECK_EQ(y[i], 8.0f * (float)scale);
            holds("p", 20.0f * (float)scale);
        }
        weft_plan_free(plan);
        end();
    }
}

TEST(a_transposed_state_is_read_before_it_is_written) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor p = weft_buffer(g, s, "p", WEFT_F32, weft_dims(6, 6), (weft_init){0});
        weft_plan *plan = compiled((weft_tensors){0}, weft_assign(p, weft_transpose(p, 0, 1)));
        float v[36], w[36];
        for (int i = 0; i < 36; i++) v[i] = (float)i;
        CHECK_EQ(weft_state_set(s, "p", v, sizeof v), WEFT_OK);
        CHECK_EQ(weft_run(plan), WEFT_OK);
        CHECK_EQ(weft_state_get(s, "p", w, sizeof w), WEFT_OK);
        for (int i = 0; i < 36; i++) CHECK_EQ(w[i], v[i % 6 * 6 + i / 6]);
        weft_plan_free(plan);
        end();
    }
}

TEST(a_shifted_state_is_read_before_it_is_written) { /* a window of the last four values */
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor w = buffer("w", 4, 0), x = weft_input(g, WEFT_F32, weft_dims(1));
        weft_tensor next = weft_concat(weft_list(weft_slice(w, 0, 1, 4, 1), x), 0);
        weft_plan *p = compiled(weft_list(w), weft_assign(w, next));
        float v[4];
        for (int i = 1; i <= 6; i++) {
            float in = (float)i;
            CHECK_EQ(weft_set(p, x, &in, sizeof in), WEFT_OK);
            CHECK_EQ(weft_run(p), WEFT_OK);
        }
        CHECK_EQ(weft_get(p, w, v, sizeof v), WEFT_OK);
        CHECK_ARRAY(v, ((float[]){3, 4, 5, 6}), 4, 0);
        weft_plan_free(p);
        end();
    }
}

TEST(a_layers_updates_happen_in_training_only) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor a = buffer("a", 5, 1);
        weft_layer_update(a, weft_offset(a, 1));
        weft_plan *evaluate = compiled(weft_list(weft_scale(a, 2)), (weft_updates){0});
        weft_plan *train = weft_compile(
            g, &(weft_plan_desc){.fetch = weft_list(weft_scale(a, 2)), .training = true});
        CHECK(train);
        CHECK_EQ(weft_run(evaluate), WEFT_OK);
        holds("a", 1);
        CHECK_EQ(weft_run(train), WEFT_OK);
        holds("a", 2);
        weft_plan_free(evaluate);
        weft_plan_free(train);
        end();
    }
}

TEST(a_product_may_become_a_state_that_its_epilogue_reads) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor m = weft_input(g, WEFT_F32, weft_dims(2, 3));
        weft_tensor k = weft_input(g, WEFT_F32, weft_dims(3, 4));
        weft_tensor old = weft_reshape(buffer("a", 8, 5), weft_dims(2, 4));
        weft_tensor a =
            weft_buffer(g, s, "b", WEFT_F32, weft_dims(2, 4), (weft_init){WEFT_INIT_VALUE, 5, 0});
        weft_tensor product = weft_matmul(m, k);
        weft_tensor moved = weft_sum(weft_sub(product, a), weft_axes(1), false);
        weft_tensor same = weft_sum(weft_sub(product, old), weft_axes(1), false);
        weft_plan *p = compiled(weft_list(moved, same), weft_assign(a, product));
        float ones[12], got[2], want[2];
        for (int i = 0; i < 12; i++) ones[i] = 1;
        CHECK_EQ(weft_set(p, m, ones, 6 * sizeof *ones), WEFT_OK);
        CHECK_EQ(weft_set(p, k, ones, 12 * sizeof *ones), WEFT_OK);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_get(p, moved, got, sizeof got), WEFT_OK);
        CHECK_EQ(weft_get(p, same, want, sizeof want), WEFT_OK);
        for (int i = 0; i < 2; i++) CHECK_EQ(got[i], -8), CHECK_EQ(want[i], -8);
        holds("b", 3);
        weft_plan_free(p);
        end();
    }
}

/* What is made once may be wanted by several states, whose old values may be read after it is made. */
TEST(one_value_may_become_several_states) {
    ON_BOTH(device) {
        for (int order = 0; order < 2; order++) {
            CASE("%s, order %d", device, order);
            begin_on(device);
            const weft_init five = {WEFT_INIT_VALUE, 5, 0};
            weft_tensor x = weft_input(g, WEFT_F32, weft_dims(4, 4));
            weft_tensor a = weft_buffer(g, s, "a", WEFT_F32, weft_dims(4, 4), five);
            weft_tensor b = weft_buffer(g, s, "b", WEFT_F32, weft_dims(4, 4), five);
            weft_tensor y = weft_add(weft_exp(x), weft_scalar(g, 1)); /* 2 */
            weft_tensor of_a = weft_matmul(y, a), of_b = weft_matmul(b, y);
            weft_updates u = order ? weft_updates_join(g, weft_assign(b, y), weft_assign(a, y))
                                   : weft_updates_join(g, weft_assign(a, y), weft_assign(b, y));
            weft_plan *p = compiled(weft_list(of_a, of_b), u);
            const float zeros[16] = {0};
            float got[2][16];
            CHECK_EQ(weft_set(p, x, zeros, sizeof zeros), WEFT_OK);
            for (int i = 0; i < 2; i++) {
                CHECK_EQ(weft_run(p), WEFT_OK);
                CHECK_EQ(weft_get(p, of_a, got[0], sizeof got[0]), WEFT_OK);
                CHECK_EQ(weft_get(p, of_b, got[1], sizeof got[1]), WEFT_OK);
                for (int k = 0; k < 32; k++) CHECK_EQ(got[k / 16][k % 16], i ? 16 : 40);
                holds("a", 2), holds("b", 2);
            }
            weft_plan_free(p);
            end();
        }
    }
}

/* No step makes an input or a constant, so none can make it in a state's place. */
TEST(a_state_may_become_what_is_fed) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor x = weft_input(g, WEFT_F32, weft_dims(9)), a = buffer("a", 9, 1);
        weft_tensor b = buffer("b", 9, 1), old = weft_add(a, b);
        const float three[9] = {3, 3, 3, 3, 3, 3, 3, 3, 3};
        weft_tensor constant = weft_const(g, WEFT_F32, weft_dims(9), three);
        weft_plan *p = compiled(weft_list(old, x),
                                weft_updates_join(g, weft_assign(a, x), weft_assign(b, constant)));
        float fed[9], got[9];
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 9; k++) fed[k] = (float)(7 + i);
            CHECK_EQ(weft_set(p, x, fed, sizeof fed), WEFT_OK);
            CHECK_EQ(weft_run(p), WEFT_OK);
            CHECK_EQ(weft_get(p, old, got, sizeof got), WEFT_OK);
            for (int k = 0; k < 9; k++) CHECK_EQ(got[k], i ? 9 + i : 2);
            CHECK_EQ(weft_get(p, x, got, sizeof got), WEFT_OK);
            CHECK_ARRAY(got, fed, 9, 0);
            holds("a", (float)(7 + i)), holds("b", 3);
        }
        weft_plan_free(p);
        end();
    }
}

/* The mask of a gradient is applied while a product is in registers where it lies like the product,
 * and only there: rows of a wider matrix are further apart. */
TEST(a_product_may_be_masked_by_part_of_a_matrix) {
    enum { M = 6, K = 3, N = 4, WIDEST = 9 };
    for (int wide = N; wide <= WIDEST; wide++) {
        CASE("%d columns", wide);
        begin_on("cpu");
        weft_tensor a = weft_input(g, WEFT_F32, weft_dims(M, K));
        weft_tensor b = weft_input(g, WEFT_F32, weft_dims(K, N));
        weft_tensor all = weft_input(g, WEFT_F32, weft_dims(M, wide));
        weft_tensor zero = weft_scalar(g, 0), sign = weft_slice(all, 1, 0, N, 1);
        weft_tensor y = weft_where(weft_lt(zero, sign), weft_matmul(a, b), zero);
        weft_plan *p = compiled(weft_list(y), (weft_updates){0});
        float ones[M * K], signs[M * WIDEST], got[M * N], want[M * N];
        for (int i = 0; i < M * K; i++) ones[i] = 1;
        for (int i = 0; i < M * wide; i++) signs[i] = (i * i + i / 3) % 5 < 2 ? 1 : -1;
        for (int i = 0; i < M * N; i++) want[i] = signs[i / N * wide + i % N] > 0 ? K : 0;
        CHECK_EQ(weft_set(p, a, ones, sizeof ones), WEFT_OK);
        CHECK_EQ(weft_set(p, b, ones, K * N * sizeof *ones), WEFT_OK);
        CHECK_EQ(weft_set(p, all, signs, (size_t)(M * wide) * sizeof *signs), WEFT_OK);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_get(p, y, got, sizeof got), WEFT_OK);
        CHECK_ARRAY(got, want, M * N, 0);
        weft_plan_free(p);
        end();
    }
}

TEST(fetching_a_state_gives_the_new_value) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor p = buffer("p", 3, 1), next = weft_scale(p, 2), old = weft_scale(p, 1.5f);
        weft_plan *plan = compiled(weft_list(p, next, old), weft_assign(p, next));
        float v[3];
        for (int run = 0; run < 3; run++) {
            float before = (float)(1 << run);
            CHECK_EQ(weft_run(plan), WEFT_OK);
            CHECK_EQ(weft_get(plan, p, v, sizeof v), WEFT_OK);
            CHECK_EQ(v[2], 2 * before);
            CHECK_EQ(weft_get(plan, next, v, sizeof v), WEFT_OK);
            CHECK_EQ(v[1], 2 * before);
            CHECK_EQ(weft_get(plan, old, v, sizeof v), WEFT_OK);
            CHECK_EQ(v[0], 1.5f * before);
        }
        weft_plan_free(plan);
        end();
    }
}

/* A bag of words: rows of two tables, summed, with a bias and relu, in one kernel. */
TEST(rows_of_tables_are_summed) {
    static const int64_t widths[] = {1, 7, 64, 513, 1100};
    enum { WORDS = 9, ROWS = 5, MOST = 1100 };
    for (int slots = 1; slots < 30; slots += 7)
        for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
            const int64_t n = widths[k];
            CASE("%d rows of %d", slots, (int)n);
            weft_ctx *c = weft_open("cpu");
            weft_state *s = weft_state_new(c);
            weft_graph *g = weft_graph_new(c);
            static float a[WORDS * MOST], b[WORDS * MOST], bias[MOST], y[ROWS * MOST];
            for (int64_t i = 0; i < WORDS * n; i++)
                a[i] = (float)test_uniform(-1, 1), b[i] = (float)test_uniform(-1, 1);
            for (int64_t j = 0; j < n; j++) bias[j] = (float)test_uniform(-1, 1);
            const weft_tensor x = weft_input(g, WEFT_I32, weft_dims(ROWS, slots));
            const weft_tensor ta = weft_const(g, WEFT_F32, weft_dims(WORDS, n), a);
            const weft_tensor tb = weft_const(g, WEFT_F32, weft_dims(WORDS, n), b);
            const weft_tensor tc = weft_const(g, WEFT_F32, weft_dims(n), bias);
            const weft_tensor one = weft_sum(weft_embedding(ta, x), weft_axes(1), false);
            const weft_tensor two = weft_sum(weft_embedding(tb, x), weft_axes(1), false);
            const weft_tensor out = weft_relu(weft_add(weft_sub(one, two), tc));
            weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(out)});
            if (!CHECK(p)) return;
            int32_t *at = weft_feed(p, x);
            for (int i = 0; i < ROWS * slots; i++) at[i] = (int32_t)(test_random() % WORDS);
            CHECK_EQ(weft_run(p), WEFT_OK);
            CHECK_EQ(weft_get(p, out, y, (size_t)(ROWS * n) * sizeof *y), WEFT_OK);
            for (int r = 0; r < ROWS; r++)
                for (int64_t j = 0; j < n; j++) {
                    double sum = (double)bias[j];
                    for (int i = 0; i < slots; i++) {
                        const int64_t from = at[r * slots + i] * n + j;
                        sum += (double)a[from] - (double)b[from];
                    }
                    CHECK_NEAR(y[r * n + j], sum > 0 ? sum : 0, 1e-5);
                }
            weft_plan_free(p);
            weft_graph_free(g);
            weft_state_free(s);
            weft_close(c);
        }
}

/* A block of rows for each index, summed over the block: the index does not move along what is
 * summed. */
TEST(rows_of_a_block_are_summed) {
    enum { BLOCKS = 2, ROWS = 7, WIDE = 3, CASES = 5 };
    weft_ctx *c = weft_open("cpu");
    weft_graph *g = weft_graph_new(c);
    float table[BLOCKS * ROWS * WIDE], y[CASES * WIDE];
    for (int i = 0; i < BLOCKS * ROWS * WIDE; i++) table[i] = (float)test_uniform(-1, 1);
    const weft_tensor x = weft_input(g, WEFT_I32, weft_dims(CASES));
    const weft_tensor w = weft_const(g, WEFT_F32, weft_dims(BLOCKS, ROWS, WIDE), table);
    const weft_tensor out = weft_sum(weft_gather(w, x, 0), weft_axes(1), false);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(out)});
    if (!CHECK(p)) return;
    int32_t *at = weft_feed(p, x);
    for (int i = 0; i < CASES; i++) at[i] = i * i % BLOCKS;
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, out, y, sizeof y), WEFT_OK);
    for (int i = 0; i < CASES; i++)
        for (int j = 0; j < WIDE; j++) {
            double sum = 0;
            for (int r = 0; r < ROWS; r++) sum += (double)table[(at[i] * ROWS + r) * WIDE + j];
            CHECK_NEAR(y[i * WIDE + j], sum, 1e-5);
        }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
}

/* And what the tables learn from it: each row the sum of what came to the bags it was in. */
TEST(gradients_of_summed_rows) {
    enum { WORDS = 9, ROWS = 6, SLOTS = 5, WIDE = 70 };
    for (int turned = 0; turned < 2; turned++) { /* what comes down lies the other way in memory */
        CASE("turned %d", turned);
        weft_ctx *c = weft_open("cpu");
        weft_graph *g = weft_graph_new(c);
        float table[WORDS * WIDE], down[ROWS * WIDE], got[WORDS * WIDE];
        for (int i = 0; i < WORDS * WIDE; i++) table[i] = (float)test_uniform(-1, 1);
        for (int i = 0; i < ROWS * WIDE; i++) down[i] = (float)test_uniform(-1, 1);
        const weft_tensor x = weft_input(g, WEFT_I32, weft_dims(ROWS, SLOTS));
        const weft_tensor w = weft_const(g, WEFT_F32, weft_dims(WORDS, WIDE), table);
        weft_tensor d =
            turned ? weft_transpose(weft_const(g, WEFT_F32, weft_dims(WIDE, ROWS), down), 0, 1)
                   : weft_const(g, WEFT_F32, weft_dims(ROWS, WIDE), down);
        const weft_tensor y = weft_sum(weft_embedding(w, x), weft_axes(1), false);
        const weft_tensor loss = weft_sum(weft_mul(y, d), WEFT_ALL, false);
        weft_tensor dw;
        CHECK_EQ(weft_grad(loss, &w, 1, &dw), WEFT_OK);
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(dw)});
        if (!CHECK(p)) return;
        int32_t *at = weft_feed(p, x);
        for (int i = 0; i < ROWS * SLOTS; i++) at[i] = (int32_t)(test_random() % WORDS);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_get(p, dw, got, sizeof got), WEFT_OK);
        for (int k = 0; k < WORDS; k++)
            for (int j = 0; j < WIDE; j++) {
                double sum = 0;
                for (int r = 0; r < ROWS; r++)
                    for (int i = 0; i < SLOTS; i++)
                        if (at[r * SLOTS + i] == k)
                            sum += (double)down[turned ? j * ROWS + r : r * WIDE + j];
                CHECK_NEAR(got[k * WIDE + j], sum, 1e-5);
            }
        weft_plan_free(p);
        weft_graph_free(g);
        weft_close(c);
    }
}

TEST(scatter_add_updates_in_place) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor table = weft_buffer(g, s, "table", WEFT_F32, weft_dims(50, 3), (weft_init){0});
        weft_tensor index = weft_input(g, WEFT_I32, weft_dims(4)),
                    add = weft_input(g, WEFT_F32, weft_dims(4, 3));
        weft_tensor at = weft_expand(weft_reshape(index, weft_dims(4, 1)), weft_dims(4, 3));
        weft_plan *p =
            compiled((weft_tensors){0}, weft_assign(table, weft_scatter_add(table, at, add, 0)));
        int32_t i[4] = {7, 49, 7, 0};
        float v[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, w[150];
        CHECK_EQ(weft_set(p, index, i, sizeof i), WEFT_OK);
        CHECK_EQ(weft_set(p, add, v, sizeof v), WEFT_OK);
        if (*device == 'c') { /* one step, nothing in between: no copy of the table */
            CHECK_EQ(weft_plan_stats(p).kernels, 1);
            CHECK(weft_plan_stats(p).arena_bytes <= 512);
        }
        for (int run = 1; run < 3; run++) {
            CHECK_EQ(weft_run(p), WEFT_OK);
            CHECK_EQ(weft_state_get(s, "table", w, sizeof w), WEFT_OK);
            float sum = 0;
            for (int k = 0; k < 150; k++) sum += w[k];
            CHECK_EQ(sum, 78.0f * (float)run);
            CHECK_EQ(w[7 * 3 + 1], 10.0f * (float)run);
            CHECK_EQ(w[49 * 3 + 2], 6.0f * (float)run);
            CHECK_EQ(w[0], 10.0f * (float)run);
        }
        weft_plan_free(p);
        end();
    }
}

/* ---- feeds and results ---- */

TEST(feeds_and_results_last) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor x = weft_input(g, WEFT_F32, weft_dims(300)), y = weft_scale(x, 2);
        weft_tensor z = x;
        for (int i = 0; i < 9; i++) z = weft_tanh(weft_cumsum(z, 0)); /* work that needs memory */
        weft_plan *p = compiled(weft_list(y, z), (weft_updates){0});
        float v[300], w[300], first[300], again[300];
        for (uint32_t i = 0; i < 300; i++) v[i] = model_number(i, 1);
        CHECK_EQ(weft_set(p, x, v, sizeof v), WEFT_OK);
        for (int run = 0; run < 3; run++) {
            CHECK_EQ(weft_run(p), WEFT_OK);
            CHECK_MEM(weft_feed(p, x), v, sizeof v); /* set once, good for every run */
            weft_get(p, y, w, sizeof w);
            for (int i = 0; i < 300; i++)
                if (!CHECK_EQ(w[i], 2 * v[i])) break;
            weft_get(p, z, run ? again : first, sizeof first);
        }
        CHECK_MEM(again, first, sizeof first);
        weft_plan_free(p);
        end();
    }
}

TEST(anything_can_be_fetched) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        float v[6] = {1, 2, 3, 4, 5, 6}, w[6];
        weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 3)),
                    k = weft_const(g, WEFT_F32, weft_dims(2, 3), v), p = buffer("p", 6, 7);
        weft_tensor t = weft_transpose(x, 0, 1), r = weft_reshape(t, weft_dims(6)),
                    full = weft_full(g, weft_dims(6), 5), i = weft_iota(g, weft_dims(6), 0),
                    none = weft_slice(x, 0, 0, 0, 1), one = weft_scalar(g, 9);
        weft_plan *plan =
            compiled(weft_list(x, k, t, r, full, i, none, one, p, x, t), (weft_updates){0});
        CHECK_EQ(weft_set(plan, x, v, sizeof v), WEFT_OK);
        for (int run = 0; run < 2; run++) {
            CHECK_EQ(weft_run(plan), WEFT_OK);
            weft_get(plan, x, w, sizeof w);
            CHECK_ARRAY(w, v, 6, 0);
            weft_get(plan, k, w, sizeof w);
            CHECK_ARRAY(w, v, 6, 0);
            weft_get(plan, t, w, sizeof w);
            CHECK_ARRAY(w, ((float[]){1, 4, 2, 5, 3, 6}), 6, 0);
            weft_get(plan, r, w, sizeof w);
            CHECK_ARRAY(w, ((float[]){1, 4, 2, 5, 3, 6}), 6, 0);
            weft_get(plan, full, w, sizeof w);
            CHECK_ARRAY(w, ((float[]){5, 5, 5, 5, 5, 5}), 6, 0);
            int32_t n[6];
            weft_get(plan, i, n, sizeof n);
            for (int e = 0; e < 6; e++) CHECK_EQ(n[e], e);
            CHECK_EQ(weft_get(plan, none, NULL, 0), WEFT_OK);
            CHECK_EQ(weft_item(plan, one), 9);
            weft_get(plan, p, w, sizeof w);
            CHECK_EQ(w[5], 7);
        }
        weft_plan_free(plan);
        end();
    }
}

/* Narrow types round when they are stored, and nowhere else. */
TEST(states_of_every_type_can_be_updated) {
    for (int type = 0; type < WEFT_DTYPE_COUNT; type++) ON_BOTH(device) {
            weft_dtype dt = (weft_dtype)type;
            CASE("%s on %s", weft_dtype_name(dt), device);
            begin_on(device);
            weft_tensor p = weft_buffer(g, s, "p", dt, weft_dims(5), (weft_init){0});
            weft_tensor next = dt == WEFT_BOOL ? weft_not(p) : weft_add(p, weft_integer(g, 3));
            weft_tensor read = weft_offset(weft_cast(p, WEFT_F32), 10); /* of the old value */
            weft_plan *plan = compiled(weft_list(read), weft_assign(p, weft_cast(next, dt)));
            float v[5];
            for (int run = 0; run < 4; run++) {
                CHECK_EQ(weft_run(plan), WEFT_OK);
                weft_get(plan, read, v, sizeof v);
                CHECK_EQ(v[4], 10 + (dt == WEFT_BOOL ? run % 2 : 3 * run));
            }
            weft_plan_free(plan);
            end();
        }
}

/* ---- numbers that change from run to run ---- */

TEST(the_learning_rate_is_data) {
    begin_on("cpu");
    weft_tensor p = weft_param(g, s, "p", weft_dims(2), (weft_init){WEFT_INIT_ONES, 0, 0});
    weft_tensor loss = weft_sum(p, WEFT_ALL, false);
    weft_plan *plan = compiled((weft_tensors){0}, weft_sgd(s, loss, &(weft_sgd_desc){.lr = 0.5f}));
    CHECK_EQ(weft_run(plan), WEFT_OK);
    holds("p", 0.5f);
    float lr = 0.125f;
    CHECK_EQ(weft_state_set(s, "optim.lr", &lr, sizeof lr), WEFT_OK);
    CHECK_EQ(weft_run(plan), WEFT_OK);
    holds("p", 0.375f);
    weft_plan_free(plan);
    end();
}

TEST(a_schedule_is_an_expression_of_the_step) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        weft_tensor step = weft_buffer(g, s, "step", WEFT_I32, WEFT_0D, (weft_init){0});
        weft_tensor rate = weft_recip(weft_offset(step, 1));
        weft_plan *p =
            compiled(weft_list(rate), weft_assign(step, weft_add(step, weft_integer(g, 1))));
        for (int i = 1; i <= 4; i++) {
            CHECK_EQ(weft_run(p), WEFT_OK);
            CHECK_NEAR(weft_item(p, rate), 1.0 / i, 1e-7);
        }
        int32_t at = 0;
        CHECK_EQ(weft_state_get(s, "step", &at, sizeof at), WEFT_OK);
        CHECK_EQ(at, 4);
        weft_plan_free(p);
        end();
    }
}

TEST(a_slice_starts_where_it_is_told) {
    ON_BOTH(device) {
        CASE("%s", device);
        begin_on(device);
        float v[20], want[4], got[4];
        for (int i = 0; i < 20; i++) v[i] = (float)i;
        weft_tensor at = weft_input(g, WEFT_I32, WEFT_0D);
        weft_tensor x = weft_const(g, WEFT_F32, weft_dims(10, 2), v);
        weft_tensor y = weft_scale(weft_slice_at(x, 0, at, 2), 2);
        weft_plan *p = compiled(weft_list(y), (weft_updates){0});
        const int32_t starts[] = {0, 3, 8, 9, 100, -5}, meant[] = {0, 3, 8, 8, 8, 0};
        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < 4; k++) want[k] = 2 * (float)(2 * meant[i] + k);
            CHECK_EQ(weft_set(p, at, &starts[i], sizeof *starts), WEFT_OK);
            CHECK_EQ(weft_run(p), WEFT_OK);
            CHECK_EQ(weft_get(p, y, got, sizeof got), WEFT_OK);
            CHECK_ARRAY(got, want, 4, 0);
        }
        weft_plan_free(p);
        end();
    }
}

/* ---- randomness ---- */

TEST(a_run_that_draws_advances_the_counter) {
    begin_on("cpu");
    buffer("first", 1, 0); /* the graph's state gives seed and counter */
    weft_tensor u = weft_uniform(g, weft_dims(100)), plain = weft_scale(buffer("first", 1, 0), 2);
    weft_plan *draw = compiled(weft_list(u), (weft_updates){0}),
              *still = compiled(weft_list(plain), (weft_updates){0});
    float a[100], b[100], again[100];
    int32_t step = -1, zero = 0;
    CHECK_EQ(weft_run(draw), WEFT_OK);
    weft_get(draw, u, a, sizeof a);
    CHECK_EQ(weft_run(still), WEFT_OK);
    CHECK_EQ(weft_state_get(s, "rng.step", &step, sizeof step), WEFT_OK);
    CHECK_EQ(step, 1);
    CHECK_EQ(weft_run(draw), WEFT_OK);
    weft_get(draw, u, b, sizeof b);
    CHECK(memcmp(a, b, sizeof a) != 0);
    CHECK_EQ(weft_state_set(s, "rng.step", &zero, sizeof zero), WEFT_OK);
    CHECK_EQ(weft_run(draw), WEFT_OK);
    weft_get(draw, u, again, sizeof again);
    CHECK_MEM(again, a, sizeof a);
    weft_plan_free(draw);
    draw = compiled(weft_list(u), (weft_updates){0}); /* a new plan goes on where the old was */
    CHECK_EQ(weft_run(draw), WEFT_OK);
    weft_get(draw, u, again, sizeof again);
    CHECK_MEM(again, b, sizeof b);
    weft_plan_free(draw);
    weft_plan_free(still);
    end();
}

/* ---- several plans, one state ---- */

TEST(a_plan_outlives_its_graph) {
    begin_on("cpu");
    float v[6] = {1, 2, 3, 4, 5, 6}, x[4] = {1, 1, 1, 1}, y[6];
    weft_tensor in = weft_input(g, WEFT_F32, weft_dims(2, 2)),
                w = weft_const(g, WEFT_F32, weft_dims(2, 3), v), out = weft_matmul(in, w);
    weft_plan *p = compiled(weft_list(out), (weft_updates){0});
    weft_graph *old = g;
    weft_graph_free(g);
    g = NULL;
    in.g = out.g = old; /* a tensor is a name here: nobody follows the pointer */
    CHECK_EQ(weft_set(p, in, x, sizeof x), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, out, y, sizeof y), WEFT_OK);
    CHECK_ARRAY(y, ((float[]){5, 7, 9, 5, 7, 9}), 6, 0);
    char *text = weft_plan_text(p);
    CHECK_HAS(text, "matmul");
    weft_text_free(c, text);
    weft_plan_free(p);
    end();
}

TEST(training_and_evaluation_share_a_state) {
    begin_on("cpu");
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(8, 4)), y = weft_linear(s, x, 3, "fc");
    weft_tensor loss = weft_mean(weft_square(y), WEFT_ALL, false);
    weft_plan *train = compiled(weft_list(loss), weft_adam(s, loss, NULL));
    weft_graph *eg = weft_graph_new(c); /* another graph, another batch size */
    weft_tensor ex = weft_input(eg, WEFT_F32, weft_dims(2, 4)), ey = weft_linear(s, ex, 3, "fc");
    weft_plan *eval = weft_compile(eg, &(weft_plan_desc){.fetch = weft_list(ey)});
    CHECK(eval);
    float in[32], out[6], w[12], b[3];
    for (int i = 0; i < 32; i++) in[i] = model_number((uint32_t)i, 1);
    CHECK_EQ(weft_set(train, x, in, sizeof in), WEFT_OK);
    CHECK_EQ(weft_set(eval, ex, in, 8 * sizeof *in), WEFT_OK);
    float before = 0;
    for (int step = 0; step < 20; step++) {
        CHECK_EQ(weft_run(train), WEFT_OK);
        CHECK_EQ(weft_run(eval), WEFT_OK);
        CHECK_EQ(weft_get(eval, ey, out, sizeof out), WEFT_OK);
        CHECK_EQ(weft_state_get(s, "fc.weight", w, sizeof w), WEFT_OK);
        CHECK_EQ(weft_state_get(s, "fc.bias", b, sizeof b), WEFT_OK);
        double want = b[2];
        for (int k = 0; k < 4; k++) want += (double)in[4 + k] * w[8 + k];
        CHECK_NEAR(out[5], want, 1e-6);
        CHECK(out[5] != before);
        before = out[5];
    }
    weft_plan_free(eval);
    weft_graph_free(eg);
    weft_plan_free(train);
    end();
}

/* ---- no allocation in a run ---- */

TEST(running_allocates_nothing) {
    for (int i = 0; i < MODELS; i++) {
        CASE("%s", model_table[i].name);
        trainer t;
        if (CHECK(trainer_open(&t, &model_table[i], &(weft_open_desc){.threads = 1},
                               (weft_plan_desc){.threads = 1}))) {
            uint64_t before = weft_allocations(t.c);
            for (uint32_t step = 0; step < 3; step++) trainer_step(&t, step);
            CHECK_EQ(weft_allocations(t.c), before);
        }
        trainer_close(&t);
    }
}
