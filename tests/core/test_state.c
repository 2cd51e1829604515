/* test_state.c - values that last: names, first values, segments, reading and writing from outside,
 * and what happens to plans when a state goes away. */
#include "base/hash.h"
#include "core/context.h"
#include "models.h"
#include "one_graph.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static const weft_init zeros = {.kind = WEFT_INIT_ZEROS},
                       normal = {.kind = WEFT_INIT_NORMAL, .a = 1, .b = 2},
                       uniform = {.kind = WEFT_INIT_UNIFORM, .a = -3, .b = 5};

static weft_plan *training(weft_graph *graph, weft_updates u) {
    weft_plan *p = weft_compile(graph, &(weft_plan_desc){.update = u});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    return p;
}

/* ---- names ---- */

TEST(the_same_name_is_the_same_storage) {
    begin();
    weft_tensor a = weft_param(g, s, "w", weft_dims(3, 4), normal),
                b = weft_param(g, s, "w", weft_dims(3, 4), zeros);
    CHECK_EQ(a.id, b.id);
    weft_graph *other = weft_graph_new(c);
    CHECK(weft_ok(weft_param(other, s, "w", weft_dims(3, 4), zeros)));
    CHECK_EQ(weft_state_count(s), 1);
    weft_graph_free(other);
    end();
}

TEST(another_shape_or_type_is_an_error) {
    static const struct {
        weft_dtype t;
        int rank;
        int64_t n[3];
    } other[] = {{WEFT_F32, 2, {4, 3, 0}},
                 {WEFT_F32, 1, {12, 0, 0}},
                 {WEFT_F32, 3, {3, 4, 1}},
                 {WEFT_I32, 2, {3, 4, 0}},
                 {WEFT_BF16, 2, {3, 4, 0}}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        CASE("%zu", i);
        begin();
        weft_scope_push(g, "enc");
        weft_param(g, s, "w", weft_dims(3, 4), normal);
        weft_shape d = {other[i].rank, {other[i].n[0], other[i].n[1], other[i].n[2]}};
        CHECK(!weft_ok(weft_buffer(g, s, "w", other[i].t, d, zeros)));
        CHECK_EQ(weft_graph_error(g), WEFT_STATE);
        CHECK_HAS(weft_error(c), "enc.w");
        CHECK_HAS(weft_error(c), "[3,4]");
        CHECK_EQ(weft_state_count(s), 1);
        end();
    }
}

TEST(scopes_prefix_names) {
    begin();
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 5));
    weft_scope_push(g, "block");
    weft_linear(s, x, 3, "fc");
    weft_scope_push(g, "inner");
    weft_buffer(g, s, "count", WEFT_I32, WEFT_0D, zeros);
    weft_scope_pop(g);
    weft_scope_pop(g);
    weft_param(g, s, "top", weft_dims(1), zeros);
    const char *const want[] = {"block.fc.weight", "block.fc.bias", "block.inner.count", "top"};
    const size_t bytes[] = {60, 12, 4, 4};
    CHECK_EQ(weft_state_count(s), 4);
    for (size_t i = 0; i < 4; i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(s, i, &e), WEFT_OK);
        CHECK_STR(e.name, want[i]);
        CHECK_EQ(e.bytes, bytes[i]);
        CHECK_EQ(e.trained, i != 2);
        CHECK_EQ(e.dtype, i == 2 ? WEFT_I32 : WEFT_F32);
    }
    weft_entry e;
    weft_state_entry(s, 0, &e);
    CHECK_EQ(e.dims.rank, 2);
    CHECK_EQ(e.dims.n[0], 3);
    CHECK_EQ(e.dims.n[1], 5);
    end();
}

/* Names that were cut would be the same name. */
TEST(long_names_are_kept_apart_or_refused) {
    char name[700];
    for (size_t length = 100; length < sizeof name - 1; length += 50) {
        CASE("%zu letters", length);
        begin();
        memset(name, 'n', length);
        name[length] = 0;
        name[length - 1] = 'a';
        weft_tensor a = weft_param(g, s, name, weft_dims(2), zeros);
        name[length - 1] = 'b';
        weft_tensor b = weft_param(g, s, name, weft_dims(2), zeros);
        CHECK(!weft_ok(a) || !weft_ok(b) || a.id != b.id);
        end();
        begin();
        name[length - 1] = 'a';
        a = weft_linear(s, weft_input(g, WEFT_F32, weft_dims(2, 2)), 2, name);
        if (weft_ok(a)) CHECK_EQ(weft_state_count(s), 2);
        else CHECK(*weft_error(c));
        end();
    }
}

TEST(deep_scopes_are_kept_apart_or_refused) {
    for (int depth = 4; depth < 40; depth += 6) {
        CASE("%d deep", depth);
        begin();
        weft_tensor t[2];
        for (int k = 0; k < 2; k++) {
            weft_scope_push(g, k ? "b" : "a");
            for (int i = 0; i < depth; i++) weft_scope_push(g, "quite_a_long_scope_name");
            t[k] = weft_param(g, s, "w", weft_dims(2), zeros);
            for (int i = 0; i <= depth; i++) weft_scope_pop(g);
        }
        CHECK(!weft_ok(t[0]) || !weft_ok(t[1]) || t[0].id != t[1].id);
        end();
    }
}

/* ---- first values ---- */

static void values_of(const char *name, weft_shape d, weft_init init, uint32_t seed, int before,
                      float *out, size_t bytes) {
    begin();
    weft_state_seed(s, seed);
    char other[] = "other0";
    for (int i = 0; i < before; i++) { /* entries made earlier must not matter */
        other[5] = (char)('0' + i);
        weft_param(g, s, other, weft_dims(7, i + 1), normal);
    }
    weft_param(g, s, name, d, init);
    weft_param(g, s, "last", weft_dims(9), uniform);
    CHECK_EQ(weft_state_get(s, name, out, bytes), WEFT_OK);
    end();
}

TEST(first_values_follow_from_seed_and_name) {
    float a[1000], b[1000];
    weft_shape d = weft_dims(1000);
    values_of("w", d, normal, 7, 0, a, sizeof a);
    values_of("w", d, normal, 7, 5, b, sizeof b);
    CHECK_MEM(a, b, sizeof a);
    values_of("v", d, normal, 7, 0, b, sizeof b);
    CHECK(memcmp(a, b, sizeof a) != 0);
    values_of("w", d, normal, 8, 0, b, sizeof b);
    CHECK(memcmp(a, b, sizeof a) != 0);
    double sum = 0, square = 0;
    for (int i = 0; i < 1000; i++) sum += a[i], square += (a[i] - 1.0) * (a[i] - 1.0);
    CHECK_NEAR(sum / 1000, 1, 0.25);
    CHECK_NEAR(sqrt(square / 1000), 2, 0.2);
    values_of("u", d, uniform, 7, 0, a, sizeof a);
    float lo = a[0], hi = a[0];
    for (int i = 0; i < 1000; i++) lo = fminf(lo, a[i]), hi = fmaxf(hi, a[i]);
    CHECK(lo >= -3 && lo < -2.9f && hi < 5 && hi > 4.9f);
}

/* ---- how first values are drawn ---- */

/* The words of a block by the definition in kern/krandom.h, and the stream of a name. */
static void words_of(uint32_t seed, uint32_t stream, uint32_t block, uint32_t w[4]) {
    uint32_t v[4] = {block, 0, 0, 0}, k0 = seed, k1 = stream;
    for (int round = 0; round < 10; round++) {
        const uint64_t even = (uint64_t)v[0] * 0xd2511f53u, odd = (uint64_t)v[2] * 0xcd9e8d57u;
        const uint32_t next[4] = {(uint32_t)(odd >> 32) ^ v[1] ^ k0, (uint32_t)odd,
                                  (uint32_t)(even >> 32) ^ v[3] ^ k1, (uint32_t)even};
        memcpy(v, next, sizeof next);
        k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
    }
    memcpy(w, v, sizeof v);
}

TEST(first_values_are_those_of_the_definition) {
    enum { N = 1003 };
    static float v[N];
    const uint64_t h = hash_bytes(HASH_START, "w", 1);
    const uint32_t stream = (uint32_t)(h ^ h >> 32);
    values_of("w", weft_dims(N), uniform, 7, 2, v, sizeof v);
    for (int i = 0; i < N; i++) {
        uint32_t w[4];
        words_of(7, stream, (uint32_t)i / 4, w);
        const float u = (float)(w[i % 4] >> 8) * 0x1p-24f;
        CHECK_EQ(v[i], uniform.a + (uniform.b - uniform.a) * u);
    }
    values_of("w", weft_dims(N), normal, 7, 2, v, sizeof v);
    for (int i = 0; i < N; i++) {
        uint32_t w[4];
        words_of(7, stream, (uint32_t)i / 4, w);
        const double even = ((w[i % 4 & 2] >> 8) + 1) * 0x1p-24,
                     angle = 6.283185307179586 * (w[(i % 4 & 2) + 1] >> 8) * 0x1p-24,
                     length = sqrt(-2 * log(even)),
                     want = length * (i % 2 ? sin(angle) : cos(angle));
        CHECK_NEAR(v[i], 1 + 2 * want, 2e-6);
    }
}

/* The same bits with any compiler, libm and vector width. */
TEST(first_values_are_the_same_everywhere) {
    static float v[4096];
    values_of("w", weft_dims(4096), normal, 7, 0, v, sizeof v);
    CHECK_EQ((long long)hash_bytes(HASH_START, v, sizeof v), 0x71fdef927ed14853);
}

/* Entries large enough for threads; asked for one by one, or all when a plan is compiled. */
TEST(first_values_do_not_depend_on_threads_or_order) {
    enum { N = 700001 };
    static float want[N], got[N];
    values_of("w", weft_dims(N), normal, 7, 0, want, sizeof want);
    for (int threads = 1; threads < 5; threads += 3)
        for (int compiled = 0; compiled < 2; compiled++) {
            CASE("%d threads, compiled %d", threads, compiled);
            c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = threads});
            s = weft_state_new(c);
            g = weft_graph_new(c);
            weft_state_seed(s, 7);
            weft_param(g, s, "before", weft_dims(70001), uniform);
            const weft_tensor w = weft_param(g, s, "w", weft_dims(N), normal);
            weft_param(g, s, "after", weft_dims(N, 2), normal);
            weft_plan *p =
                compiled ? weft_compile(g, &(weft_plan_desc){.fetch = weft_list(w)}) : NULL;
            CHECK_EQ(weft_state_get(s, "w", got, sizeof got), WEFT_OK);
            CHECK_MEM(got, want, sizeof got);
            weft_plan_free(p);
            end();
        }
}

/* What was set stays; what is a copy of a parameter is one of its present values. */
TEST(values_that_were_set_are_not_drawn_again) {
    begin();
    const float mine[3] = {1, 2, 3};
    float got[3];
    const weft_tensor w = weft_param(g, s, "w", weft_dims(3), normal);
    const weft_tensor kept = weft_slot(g, s, w, "ema", (weft_init){.kind = WEFT_INIT_PARAM});
    CHECK_EQ(weft_state_set(s, "w", mine, sizeof mine), WEFT_OK);
    CHECK(weft_state_set(s, "w", mine, 5) != WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(weft_add(w, kept))});
    CHECK(p != NULL);
    CHECK_EQ(weft_state_get(s, "w", got, sizeof got), WEFT_OK);
    CHECK_MEM(got, mine, sizeof mine);
    CHECK_EQ(weft_state_get(s, "optim.ema.w", got, sizeof got), WEFT_OK);
    CHECK_MEM(got, mine, sizeof mine);
    weft_plan_free(p);
    end();
    begin(); /* a copy that is asked for before what it is a copy of */
    weft_slot(g, s, weft_param(g, s, "w", weft_dims(3), normal), "ema",
              (weft_init){.kind = WEFT_INIT_PARAM});
    float first[3];
    CHECK_EQ(weft_state_get(s, "optim.ema.w", got, sizeof got), WEFT_OK);
    CHECK_EQ(weft_state_get(s, "w", first, sizeof first), WEFT_OK);
    CHECK_MEM(got, first, sizeof got);
    CHECK(got[0] != 0);
    end();
}

TEST(first_values_of_every_type) {
    begin();
    const weft_init three = {.kind = WEFT_INIT_VALUE, .a = 3};
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        CASE("%s", weft_dtype_name((weft_dtype)t));
        char name[] = "b0";
        name[1] = (char)('0' + t);
        weft_tensor x = weft_buffer(g, s, name, (weft_dtype)t, weft_dims(5),
                                    t == WEFT_BOOL ? (weft_init){.kind = WEFT_INIT_ONES} : three);
        CHECK_EQ(weft_dtype_of(x), t);
        weft_tensor y = weft_sum(weft_cast(x, WEFT_F32), WEFT_ALL, false);
        CHECK_EQ(weft_item_of(y), t == WEFT_BOOL ? 5 : 15);
    }
    end();
}

/* ---- memory: segments and slabs ---- */

TEST(entries_made_after_a_compile_open_a_segment) {
    begin();
    weft_tensor x = weft_full(g, weft_dims(4, 8), 1);
    weft_tensor loss = weft_sum(weft_linear(s, x, 6, "a"), WEFT_ALL, false);
    weft_plan *p = training(g, weft_adam(s, loss, NULL));
    uint32_t one = weft_plan_stats(p).kernels;
    CHECK_EQ(s->segments, 1);
    CHECK_EQ(weft_run(p), WEFT_OK);
    float before[48], after[48];
    CHECK_EQ(weft_state_get(s, "a.weight", before, sizeof before), WEFT_OK);

    weft_graph *more = weft_graph_new(c);
    x = weft_full(more, weft_dims(4, 8), 1);
    weft_tensor h = weft_linear(s, weft_linear(s, x, 6, "a"), 5, "b");
    weft_plan *q = training(more, weft_adam(s, weft_sum(h, WEFT_ALL, false), NULL));
    CHECK_EQ(s->segments, 2);
    CHECK_EQ(weft_state_get(s, "a.weight", after, sizeof after), WEFT_OK);
    CHECK_MEM(after, before, sizeof before); /* what had values keeps them */
    char *text = weft_plan_text(q);
    int adams = 0;
    for (const char *at = text; at && (at = strstr(at, "  adam ")); at++) adams++;
    CHECK_EQ(adams, 2); /* a flat kernel per segment */
    weft_text_free(c, text);
    CHECK_EQ(weft_run(q), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_plan_stats(p).kernels, one);
    float step;
    CHECK_EQ(weft_state_get(s, "optim.step", &step, sizeof step), WEFT_OK);
    CHECK_EQ(step, 3);
    weft_plan_free(p);
    weft_plan_free(q);
    weft_graph_free(more);
    end();
}

TEST(slots_lie_as_their_parameters_do) {
    begin();
    weft_tensor x = weft_full(g, weft_dims(2, 10), 1);
    weft_tensor y = weft_linear(s, weft_linear(s, weft_linear(s, x, 7, "a"), 3, "b"), 2, "d");
    weft_updates u = weft_adam(s, weft_sum(y, WEFT_ALL, false), NULL);
    weft_plan *p = training(g, u);
    const char *const names[] = {"a.weight", "a.bias", "b.weight", "b.bias", "d.weight", "d.bias"};
    int64_t distance[2] = {0, 0};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++) {
            char slot[64];
            snprintf(slot, sizeof slot, "optim.%s.%s", k ? "exp_avg_sq" : "exp_avg", names[i]);
            const state_entry *e = &s->entry[state_find(s, names[i])],
                              *m = &s->entry[state_find(s, slot)];
            if (!CHECK(state_find(s, slot) >= 0)) continue;
            CHECK(!m->trained);
            int64_t d = m->data - e->data;
            if (i == 0) distance[k] = d;
            CHECK_EQ(d, distance[k]);
        }
    weft_plan_free(p);
    end();
}

TEST(slots_of_parameters_in_scopes) {
    begin();
    weft_scope_push(g, "deep");
    weft_tensor w = weft_param(g, s, "w", weft_dims(3), zeros);
    weft_tensor m = weft_slot(g, s, w, "velocity", normal);
    CHECK(weft_ok(m));
    CHECK_EQ(weft_slot(g, s, w, "velocity", normal).id, m.id);
    weft_scope_pop(g);
    weft_entry e;
    CHECK_EQ(weft_state_entry(s, 1, &e), WEFT_OK);
    CHECK_STR(e.name, "optim.velocity.deep.w");
    CHECK_EQ(e.dims.n[0], 3);
    end();
}

/* ---- from outside ---- */

TEST(get_and_set_know_sizes) {
    begin();
    float v[4] = {1, 2, 3, 4}, w[4] = {0};
    weft_param(g, s, "w", weft_dims(2, 2), zeros);
    CHECK_EQ(weft_state_host(s, "w"), WEFT_OK);
    CHECK_EQ(weft_state_set(s, "w", v, sizeof v), WEFT_OK);
    CHECK_EQ(weft_state_get(s, "w", w, sizeof w), WEFT_OK);
    CHECK_MEM(w, v, sizeof v);
    for (size_t bytes = 0; bytes < 40; bytes++) {
        if (bytes == 16) continue;
        CHECK_EQ(weft_state_set(s, "w", v, bytes), WEFT_ARGUMENT);
        CHECK_EQ(weft_state_get(s, "w", w, bytes), WEFT_ARGUMENT);
    }
    CHECK_HAS(weft_error(c), "16");
    CHECK_EQ(weft_state_get(s, "nobody", w, sizeof w), WEFT_STATE);
    CHECK_HAS(weft_error(c), "nobody");
    float *data = weft_state_data(s, "w");
    if (CHECK(data)) {
        data[3] = 9;
        CHECK_EQ(weft_state_get(s, "w", w, sizeof w), WEFT_OK);
        CHECK_EQ(w[3], 9);
    }
    CHECK(!weft_state_data(s, "nobody"));
    float *copy = weft_state_copy(s, "w");
    if (CHECK(copy)) CHECK_MEM(copy, w, sizeof w);
    weft_resize(c, copy, 0);
    CHECK(!weft_state_copy(s, "nobody"));
    CHECK_HAS(weft_error(c), "nobody");
    weft_entry e;
    CHECK_EQ(weft_state_entry(s, 1, &e), WEFT_ARGUMENT);
    end();
}

/* Where the host shares the device's memory it reaches every entry, declared or not. */
TEST(host_residency_is_declared_by_name) {
    begin_on("null");
    weft_param(g, s, "w", weft_dims(2, 2), zeros);
    weft_param(g, s, "v", weft_dims(2, 2), zeros);
    CHECK_EQ(weft_state_host(s, "w"), WEFT_OK);
    CHECK(weft_state_data(s, "w") && weft_state_data(s, "v"));
    CHECK_EQ(weft_state_host(s, "w"), WEFT_OK);
    weft_entry e;
    CHECK(weft_state_entry(s, 0, &e) == WEFT_OK && e.host);
    CHECK(weft_state_entry(s, 1, &e) == WEFT_OK && e.host);
    CHECK_EQ(weft_state_host(s, "nobody"), WEFT_STATE);
    CHECK_HAS(weft_error(c), "nobody");
    CHECK_EQ(weft_state_host(s, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_state_host(NULL, "w"), WEFT_STATE);
    end();
}

TEST(a_limit_is_kept_before_memory_is_taken) {
    begin();
    weft_state_limit(s, 100);
    weft_param(g, s, "a", weft_dims(20), zeros);
    const uint64_t before = weft_allocated(c);
    CHECK(!weft_ok(weft_param(g, s, "b", weft_dims(1 << 20), zeros)));
    CHECK(weft_allocated(c) - before < 1 << 16);
    CHECK_EQ(weft_graph_error(g), WEFT_STATE);
    CHECK_HAS(weft_error(c), "state \"b\": 4194304 bytes, and 80 before it: more than the 100");
    CHECK_EQ(weft_state_count(s), 1);
    weft_graph *h = weft_graph_new(c);
    weft_state_limit(s, 0);
    CHECK(weft_ok(weft_param(h, s, "b", weft_dims(1000), zeros)));
    weft_state_limit(NULL, 1);
    weft_graph_free(h);
    end();
}

TEST(changes_from_outside_are_counted) {
    begin();
    const float v[2] = {1, 2};
    weft_param(g, s, "w", weft_dims(2), zeros);
    weft_buffer(g, s, "rng.a", WEFT_F32, weft_dims(2), zeros);
    CHECK_EQ(weft_state_changes(s), 0);
    CHECK_EQ(weft_state_set(s, "w", v, sizeof v), WEFT_OK); /* a rate, say */
    CHECK_EQ(weft_state_changes(s), 0);
    CHECK_EQ(weft_state_set(s, "rng.a", v, sizeof v), WEFT_OK);
    CHECK_EQ(weft_state_set(s, "rng.a", v, 1), WEFT_ARGUMENT);
    CHECK_EQ(weft_state_changes(s), 1);
    CHECK_EQ(weft_state_changes(NULL), 0);
    end();
}

TEST(the_hash_sees_names_shapes_and_values) {
    uint64_t seen[6];
    for (int i = 0; i < 6; i++) {
        begin();
        weft_shape d = i == 1 ? weft_dims(2, 2) : i == 4 ? weft_dims(1, 4) : weft_dims(4);
        weft_param(g, s, i == 2 ? "v" : "w", d, zeros);
        float one[4] = {0, 0, 0, i == 3 ? 0x1p-140f : 0};
        if (i == 3) weft_state_set(s, "w", one, sizeof one);
        seen[i] = weft_state_hash(s);
        CHECK(weft_state_hash(s) == seen[i]);
        end();
    }
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++) CHECK(seen[i] != seen[k]);
    CHECK(seen[5] == seen[0]);
}

/* ---- the end of a state ---- */

TEST(a_plan_notices_that_its_state_is_gone) {
    begin();
    weft_tensor w = weft_param(g, s, "w", weft_dims(4), zeros), y = weft_scale(w, 2);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    float v[4];
    CHECK_EQ(weft_run(p), WEFT_OK);
    weft_state_free(s);
    CHECK_EQ(weft_run(p), WEFT_STATE);
    CHECK_HAS(weft_error(c), "freed");
    CHECK_EQ(weft_get(p, y, v, sizeof v), WEFT_STATE);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
}

/* A graph refers to its states too. */
TEST(a_graph_notices_that_its_state_is_gone) {
    begin();
    weft_tensor w = weft_param(g, s, "w", weft_dims(4), zeros), y = weft_scale(w, 2);
    weft_state_free(s);
    CHECK(!weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)}));
    CHECK_EQ(weft_error_code(c), WEFT_STATE);
    CHECK_HAS(weft_error(c), "freed");
    weft_graph_free(g);
    weft_close(c);
}

TEST(states_do_not_mix) {
    begin();
    weft_state *t = weft_state_new(c);
    weft_tensor a = weft_param(g, s, "w", weft_dims(2), (weft_init){.kind = WEFT_INIT_ONES}),
                b = weft_param(g, t, "w", weft_dims(2), zeros);
    CHECK(a.id != b.id);
    weft_updates u = weft_assign(b, weft_add(b, a));
    weft_plan *p = training(g, u);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    float v[2];
    CHECK_EQ(weft_state_get(t, "w", v, sizeof v), WEFT_OK);
    CHECK_EQ(v[0], 2);
    CHECK_EQ(weft_state_get(s, "w", v, sizeof v), WEFT_OK);
    CHECK_EQ(v[0], 1);
    weft_plan_free(p);
    weft_state_free(t);
    end();
}
