/* test_limits.c - at the limits of src/core/limits.h, and just beyond: what fits is right, what does
 * not is an error that names the limit. Blocks with all their operands are rows of operations.def. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "core/limits.h"
#include "errors.h"
#include "feed.h"

enum { MANY = 2 * LIMIT_OPERANDS + 3 };

/* The gradient of a weighted sum of a concat of n numbers, each of them x[0] times its place. */
static void wide(int n, bool checkpointed) {
    CASE("%d parts%s", n, checkpointed ? ", checkpointed" : "");
    world_begin();
    weft_tensor at = weft_input(g, WEFT_F32, weft_dims(1)), d;
    weft_tensor *part = malloc((size_t)n * sizeof *part);
    float *got = malloc((size_t)n * sizeof *got), slope = 0, sum = 0;
    if (!CHECK(part && got)) return;
    if (checkpointed) weft_checkpoint_begin(g);
    for (int i = 0; i < n; i++) part[i] = weft_scale(at, (float)(i % 17 + 1));
    weft_tensor all = weft_concat((weft_tensors){part, (size_t)n}, 0);
    if (checkpointed) weft_checkpoint_end(g);
    CHECK_EQ(weft_dim(all, 0), n);
    weft_tensor y = weft_mul(all, weft_offset(weft_iota(g, weft_dims(n), 0), 1));
    CHECK_EQ(weft_grad(weft_square(y), &at, 1, &d), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(all, d)});
    if (!p) CHECK_STR(weft_error(c), "a plan");
    if (p && CHECK_EQ(weft_set(p, at, (float[]){2}, sizeof(float)), WEFT_OK) &&
        CHECK_EQ(weft_run(p), WEFT_OK)) {
        int wrong = 0;
        CHECK_EQ(weft_get(p, all, got, (size_t)n * sizeof *got), WEFT_OK);
        for (int i = 0; i < n; i++) {
            const float by = (float)(i % 17 + 1) * (float)(i + 1);
            wrong += got[i] != (float)(2 * (i % 17 + 1));
            sum += 4 * by * by;
        }
        CHECK_EQ(wrong, 0);
        CHECK_EQ(weft_get(p, d, &slope, sizeof slope), WEFT_OK);
        CHECK_NEAR(slope / sum, 1, 1e-5);
    }
    weft_plan_free(p);
    free(part), free(got);
}

TEST(a_concat_has_as_many_parts_as_wanted) {
    const int sizes[] = {1, 2, 64, 65, 100, LIMIT_OPERANDS, LIMIT_OPERANDS + 1, MANY};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wide(sizes[i], false);
        if (sizes[i] <= 100) wide(sizes[i], true);
    }
}

static void no_rule(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in, size_t count,
                    weft_tensor *to) {
    (void)user, (void)y, (void)in;
    for (size_t i = 0; i < count; i++) to[i] = weft_scale(dy, (float)i);
}

TEST(inputs_of_a_custom_rule) {
    CASE("%d inputs", LIMIT_RULE_INPUTS);
    world_begin();
    weft_tensor in[LIMIT_RULE_INPUTS + 1], d[LIMIT_RULE_INPUTS], sum = weft_scalar(g, 0);
    for (int i = 0; i <= LIMIT_RULE_INPUTS; i++) in[i] = weft_input(g, WEFT_F32, WEFT_0D);
    for (int i = 0; i < LIMIT_RULE_INPUTS; i++) sum = weft_add(sum, in[i]);
    weft_tensor y = weft_custom_grad(sum, (weft_tensors){in, LIMIT_RULE_INPUTS}, no_rule, NULL);
    CHECK_EQ(weft_grad(y, in, LIMIT_RULE_INPUTS, d), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = {d, LIMIT_RULE_INPUTS}});
    if (!p) CHECK_STR(weft_error(c), "a plan");
    CHECK_EQ(weft_run(p), WEFT_OK);
    for (int i = 0; i < LIMIT_RULE_INPUTS; i++) CHECK_EQ(weft_item(p, d[i]), (float)i);
    weft_plan_free(p);
    weft_tensor many[LIMIT_RULE_INPUTS + 1];
    for (int i = 0; i <= LIMIT_RULE_INPUTS; i++) many[i] = x;
    BAD(ARGUMENT, "33 inputs, at most 32",
        weft_custom_grad(x, (weft_tensors){many, LIMIT_RULE_INPUTS + 1}, no_rule, NULL));
}

/* Extents that only an empty tensor could have: their sums and products must not overflow. */
TEST(extents_of_empty_tensors) {
    const weft_shape far = weft_dims(0, INT64_MAX), wide = weft_dims(0, 1 << 20, (1 << 20) + 1);
    BAD(SHAPE, "more elements than the 1099511627776", weft_input(g, WEFT_F32, far));
    BAD(SHAPE, "more elements than the 1099511627776", weft_input(g, WEFT_F32, wide));
    BAD(SHAPE, "more elements than the 1099511627776", weft_const(g, WEFT_F32, far, NULL));
    BAD(SHAPE, "more elements than the 1099511627776",
        weft_param(g, s, "w", far, (weft_init){WEFT_INIT_ZEROS, 0, 0}));
    BAD(SHAPE, "more elements than the 1099511627776", weft_expand(weft_scalar(g, 1), far));
    BAD(SHAPE, "more elements than the 1099511627776", weft_iota(g, wide, 2));
    BAD(SHAPE, "more elements than the 1099511627776",
        weft_concat(weft_list(weft_input(g, WEFT_F32, weft_dims(0, 1LL << 40)),
                              weft_input(g, WEFT_F32, weft_dims(0, 1LL << 40))),
                    1));
    CASE("an empty tensor of the largest extent");
    world_begin();
    CHECK(weft_ok(weft_input(g, WEFT_F32, weft_dims(0, 1LL << 40))));
}

TEST(names_of_scopes_and_entries) {
    char longest[LIMIT_NAME_LENGTH + 2];
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = 0; /* a letter too many, beside the scope's "here." */
    const weft_init zeros = {WEFT_INIT_ZEROS, 0, 0};
    BAD(ARGUMENT, "at most 511", weft_param(g, s, longest, weft_dims(2), zeros));
    CASE("a name that fits");
    world_begin();
    longest[LIMIT_NAME_LENGTH - strlen("here.")] = 0;
    CHECK(weft_ok(weft_param(g, s, longest, weft_dims(2), zeros)));
    CASE("scopes");
    world_begin();
    for (int i = 1; i < LIMIT_SCOPE_DEPTH; i++) weft_scope_push(g, "in");
    CHECK_EQ(weft_graph_error(g), WEFT_OK);
    weft_scope_push(g, "in");
    CHECK_EQ(weft_graph_error(g), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "16 and 255 are allowed");
}

/* Whole numbers that no float holds. */
TEST(integers_are_not_floats) {
    enum { FAR = (1 << 24) + 1 };
    world_begin();
    weft_tensor far = weft_iota(g, weft_dims(FAR + 10), 0), one = weft_integer(g, FAR),
                at = weft_input(g, WEFT_I32, WEFT_0D);
    weft_tensor out[] = {weft_slice_at(far, 0, one, 1), weft_slice_at(far, 0, at, 1),
                         weft_mul(one, at), weft_slice_at(far, 0, weft_expand(one, WEFT_0D), 1)};
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = {out, 4}});
    const int32_t start = FAR, want[] = {FAR, FAR, (int32_t)((uint32_t)FAR * (uint32_t)FAR), FAR};
    CHECK_EQ(weft_set(p, at, &start, sizeof start), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    for (int i = 0; i < 4; i++) {
        int32_t got = 0;
        CHECK_EQ(weft_get(p, out[i], &got, sizeof got), WEFT_OK);
        CHECK_EQ(got, want[i]);
    }
    weft_plan_free(p);
}

TEST(values_beyond_an_integer) {
    CASE("a fill");
    world_begin();
    const float far[] = {3e9f, -3e9f, NAN};
    const int32_t want[] = {INT32_MAX, INT32_MIN, 0};
    for (int i = 0; i < 3; i++) {
        weft_tensor y = weft_pad(weft_input(g, WEFT_I32, weft_dims(1)), 0, 0, 1, far[i]);
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
        int32_t got[2] = {7, 7};
        CHECK_EQ(weft_run(feed_zeros(p)), WEFT_OK);
        CHECK_EQ(weft_get(p, y, got, sizeof got), WEFT_OK);
        CHECK_EQ(got[1], want[i]);
        weft_plan_free(p);
    }
    CASE("a first value");
    world_begin();
    const weft_init init = {WEFT_INIT_VALUE, 3e9f, 0};
    weft_buffer(g, s, "b", WEFT_I32, weft_dims(1), init);
    int32_t first = 0;
    CHECK_EQ(weft_state_get(s, "here.b", &first, sizeof first), WEFT_OK);
    CHECK_EQ(first, INT32_MAX);
}

TEST(threads) {
    CASE("as many as there may be");
    weft_ctx *most = weft_open_with(&(weft_open_desc){.threads = LIMIT_THREADS});
    CHECK_EQ(weft_threads(most), LIMIT_THREADS);
    weft_close(most);
    CASE("one more");
    CHECK(!weft_open_with(&(weft_open_desc){.threads = LIMIT_THREADS + 1}));
    CHECK_EQ(weft_error_code(NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(NULL), ".threads is 257, 0 to 256 was expected");
    CHECK(!weft_open_with(&(weft_open_desc){.threads = -1}));
    CHECK_HAS(weft_error(NULL), ".threads is -1, 0 to 256 was expected");
}

/* What is set is understood, or refused in the same words. */
TEST(environment) {
    static const struct {
        const char *variable, *value, *refused; /* NULL: it is not */
    } rows[] = {
        {"WEFT_THREADS", "256", NULL},
        {"WEFT_THREADS", "", NULL},
        {"WEFT_THREADS", "1000", "\"1000\", a number from 1 to 256 was expected"},
        {"WEFT_THREADS", "0", "from 1 to 256"},
        {"WEFT_THREADS", "-3", "from 1 to 256"},
        {"WEFT_THREADS", "abc", "WEFT_THREADS is \"abc\""},
        {"WEFT_THREADS", "2x", "from 1 to 256"},
        {"WEFT_THREADS", " 2", "from 1 to 256"},
        {"WEFT_THREADS", "4294967297", "\"4294967297\""},
        {"WEFT_THREADS", "99999999999999999999", "from 1 to 256"},
        {"WEFT_ISA", "256", NULL},
        {"WEFT_ISA", "77", "from 128 to 512"},
        {"WEFT_ISA", "200", "WEFT_ISA is 200, 128, 256 or 512 was expected"},
        {"WEFT_ISA", "many", "WEFT_ISA is \"many\""},
        {"WEFT_DEBUG", "5", "from 0 to 4"},
        {"WEFT_FUSE", "no", "from 0 to 1"},
        {"WEFT_BLOCKS", "all", NULL},
        {"WEFT_BLOCKS", "some", "WEFT_BLOCKS is \"some\", none or all was expected"},
        {"WEFT_DEVICE", "gpu", "unknown device \"gpu\" (WEFT_DEVICE); available: auto, "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%s=%s", rows[i].variable, rows[i].value);
        const char *was = getenv(rows[i].variable);
        char kept[32] = "";
        if (was) snprintf(kept, sizeof kept, "%s", was);
        setenv(rows[i].variable, rows[i].value, 1);
        weft_ctx *c = weft_open("cpu");
        CHECK_EQ(c == NULL, rows[i].refused != NULL);
        if (rows[i].refused) CHECK_HAS(weft_error(NULL), rows[i].refused);
        if (c) weft_close(c);
        if (was) setenv(rows[i].variable, kept, 1);
        else unsetenv(rows[i].variable);
    }
    CHECK(!weft_open("gpu"));
    CHECK_HAS(weft_error(NULL), "unknown device \"gpu\"; available: auto, best, cpu, ");
}
