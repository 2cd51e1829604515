/* test_errors_run.c - bad input to contexts, states, gradients, optimisers, plans and the cache of
 * plans. The counterpart of test_errors.c for what is not an operation. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "errors.h"
#include "feed.h"
#include "weft/nn.h"

static const weft_init zeros = {.kind = WEFT_INIT_ZEROS};

static weft_tensor param(const char *name, int64_t rows, int64_t columns) {
    return weft_param(g, s, name, weft_dims(rows, columns), zeros);
}

/* ---- contexts, graphs, tables ---- */

TEST(contexts_and_graphs) {
    NOTHING(DEVICE, "\"toaster\"", weft_open("toaster"));
    NOTHING(DEVICE, "\"\"", weft_open(""));
    NOTHING(ARGUMENT, "weft_state_new", weft_state_new(NULL));
    NOTHING(ARGUMENT, "weft_graph_new", weft_graph_new(NULL));
    CASE("NULL is fine");
    world_begin();
    quiet_begin();
    weft_ctx *plain = weft_open(NULL), *more = weft_open_with(NULL);
    weft_close(plain), weft_close(more), weft_close(NULL);
    weft_graph_free(NULL), weft_state_free(NULL), weft_plan_free(NULL), weft_plans_free(NULL);
    weft_scope_push(NULL, "a"), weft_scope_pop(NULL);
    weft_checkpoint_begin(NULL), weft_checkpoint_end(NULL);
    weft_state_seed(NULL, 1);
    weft_text_free(NULL, NULL), weft_text_free(c, NULL);
    quiet_end();
    CHECK(plain && more);
    CHECK_EQ(weft_threads(NULL), 0);
    CHECK_STR(weft_device_name(NULL), "");
    CHECK_STR(weft_device_isa(NULL), "");
    CHECK_EQ(weft_allocations(NULL), 0);
    CHECK_EQ(weft_state_count(NULL), 0);
    CHECK_EQ(weft_graph_error(NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_plan_stats(NULL).kernels, 0);
    CASE("texts of numbers out of range");
    CHECK_STR(weft_err_text((weft_err)1000), "unknown error");
    CHECK_STR(weft_err_text((weft_err)-1), "unknown error");
    CHECK_STR(weft_dtype_name((weft_dtype)1000), "?");
    CHECK_EQ(weft_dtype_size((weft_dtype)-1), 0);
    CASE("what is asked of nothing");
    const weft_tensor bad[] = {{0}, {g, 0}, {g, 99999}};
    for (int i = 0; i < 3; i++) {
        CHECK(!weft_ok(bad[i]));
        CHECK_EQ(weft_rank(bad[i]), 0);
        CHECK_EQ(weft_count(bad[i]), 0);
        CHECK_EQ(weft_dim(bad[i], 0), 0);
        CHECK_EQ(weft_shape_of(bad[i]).rank, 0);
        CHECK_EQ(weft_dtype_of(bad[i]), WEFT_F32);
    }
    CHECK_EQ(weft_dim(x, 2), 0);
    CHECK_EQ(weft_dim(x, -3), 0);
}

static weft_tensor after_scope(const char *name) {
    weft_scope_push(g, name);
    return weft_neg(x);
}

TEST(scopes) {
    BAD(ARGUMENT, "scope", after_scope(NULL));
    BAD(ARGUMENT, "scope", after_scope(""));
    BAD(ARGUMENT, "scope", after_scope("a.b"));
    BAD(ARGUMENT, "scope", after_scope("a/b"));
    CASE("more pops than pushes");
    world_begin();
    for (int i = 0; i < 5; i++) weft_scope_pop(g);
    CHECK(weft_ok(weft_param(g, s, "w", weft_dims(1), zeros)));
    weft_entry e;
    CHECK_EQ(weft_state_entry(s, 0, &e), WEFT_OK);
    CHECK_STR(e.name, "w");
}

TEST(messages_name_the_scopes) {
    world_begin();
    weft_scope_push(g, "block3");
    weft_scope_push(g, "attn");
    weft_matmul(x, x);
    CHECK_STR(weft_error(c), "here/block3/attn: matmul [4,6] x [4,6]: inner sizes 6 and 4 differ");
}

/* ---- state ---- */

static weft_tensor twice(void) {
    param("w", 2, 3);
    return param("w", 3, 2);
}

TEST(states) {
    const weft_shape nine = {9, {1, 1, 1, 1, 1, 1, 1, 1}}, minus = {-1, {0}};
    char v4[4] = {0};
    BAD(STATE, "state is NULL", weft_param(g, NULL, "w", weft_dims(2), zeros));
    BAD(ARGUMENT, "graph", weft_param(NULL, s, "w", weft_dims(2), zeros));
    BAD(ARGUMENT, "name", weft_param(g, s, NULL, weft_dims(2), zeros));
    BAD(ARGUMENT, "name", weft_param(g, s, "", weft_dims(2), zeros));
    BAD(ARGUMENT, "rank", weft_param(g, s, "w", nine, zeros));
    BAD(ARGUMENT, "rank", weft_param(g, s, "w", minus, zeros));
    BAD(SHAPE, "\"w\": extent -2", weft_param(g, s, "w", weft_dims(3, -2), zeros));
    BAD(SHAPE, "more elements than", weft_param(g, s, "w", weft_dims(1LL << 32, 1LL << 32), zeros));
    BAD(ARGUMENT, "type", weft_buffer(g, s, "w", (weft_dtype)50, weft_dims(2), zeros));
    BAD(STATE, "\"here.w\" exists as f32 [2,3], asked for as f32 [3,2]", twice());
    BAD(ARGUMENT, "slot", weft_slot(g, s, x, "m", zeros));
    BAD(ARGUMENT, "slot", weft_slot(g, NULL, param("w", 2, 2), "m", zeros));
    BAD(ARGUMENT, "slot", weft_slot(g, s, param("w", 2, 2), NULL, zeros));
    BAD(ARGUMENT, "missing", weft_slot(g, s, none, "m", zeros));
    BAD(ARGUMENT, "different graphs", weft_slot(g, s, foreign, "m", zeros));
    FAILS(STATE, "\"nobody\"", weft_state_get(s, "nobody", v4, 4));
    FAILS(STATE, "\"nobody\"", weft_state_set(s, "nobody", v4, 4));
    FAILS(STATE, "NULL", weft_state_get(NULL, "w", v4, 4));
    FAILS(STATE, "NULL", weft_state_set(NULL, "w", v4, 4));
    FAILS(ARGUMENT, "name is NULL", weft_state_get(s, NULL, v4, 4));
    FAILS(ARGUMENT, "16 bytes were expected, got 4",
          (param("w", 2, 2), weft_state_set(s, "here.w", v4, 4)));
    FAILS(ARGUMENT, "at NULL", (param("w", 1, 1), weft_state_get(s, "here.w", NULL, 4)));
    FAILS(ARGUMENT, "weft_state_entry", weft_state_entry(s, 0, NULL));
    FAILS(ARGUMENT, "weft_state_entry", weft_state_entry(NULL, 0, &(weft_entry){0}));
    FAILS(ARGUMENT, "entry 0 of 0", weft_state_entry(s, 0, &(weft_entry){0}));
    NOTHING(STATE, "\"nobody\"", weft_state_data(s, "nobody"));
    NOTHING(STATE, "NULL", weft_state_data(NULL, "w"));
    CASE("hash of nothing");
    CHECK_EQ(weft_state_hash(NULL), 0);
}

static weft_tensor two_contexts(void) {
    weft_ctx *d = weft_open("ref");
    weft_state *t = weft_state_new(d);
    weft_tensor r = weft_param(g, t, "w", weft_dims(2), zeros);
    weft_state_free(t);
    weft_close(d);
    return r;
}

/* ---- layers, optimisers, gradients ---- */

static weft_tensor lists_of(weft_updates u) { /* an empty list stands for poison */
    return u.n ? x : (weft_tensor){weft_graph_error(g) ? g : NULL, 0};
}

static void rule_bad_shape(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in,
                           size_t m, weft_tensor *d) {
    (void)user, (void)y, (void)in, (void)m;
    d[0] = weft_reshape(dy, weft_dims(-1));
}
static void rule_foreign(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in, size_t m,
                         weft_tensor *d) {
    (void)user, (void)dy, (void)y, (void)in, (void)m;
    d[0] = foreign;
}
static weft_tensor grad_of(weft_tensor y, weft_tensor wrt) {
    weft_tensor d = {0};
    weft_grad(y, &wrt, 1, &d);
    return d;
}

TEST(layers_and_gradients) {
    weft_tensor d[2];
    BAD(STATE, "different contexts", two_contexts());
    BAD(ARGUMENT, "graph", weft_linear(s, none, 3, "fc"));
    BAD(ARGUMENT, "linear", weft_linear(s, x, 3, NULL));
    BAD(ARGUMENT, "linear", weft_linear(s, x, 0, "fc"));
    BAD(ARGUMENT, "linear", weft_linear(s, z, 3, "fc"));
    BAD(STATE, "NULL", weft_linear(NULL, x, 3, "fc"));
    BAD(SHAPE, "too many elements", weft_linear(s, x, INT64_MAX, "fc"));
    BAD(STATE, "optimiser", lists_of(weft_adam(NULL, x, NULL)));
    BAD(GRADIENT, "no parameter", lists_of(weft_sgd(s, x, NULL)));
    BAD(ARGUMENT, "graph", lists_of(weft_adam(s, none, NULL)));
    BAD(ARGUMENT, "poison", lists_of(weft_sgd(s, poison, NULL)));
    BAD(ARGUMENT, "assign", lists_of(weft_assign(x, x)));
    BAD(ARGUMENT, "[2,2] and [4,6]", lists_of(weft_assign(param("w", 2, 2), x)));
    BAD(ARGUMENT, "missing", lists_of(weft_assign(param("w", 2, 2), none)));
    BAD(ARGUMENT, "graph", lists_of(weft_assign(none, x)));
    BAD(ARGUMENT, "graph", lists_of(weft_updates_join(NULL, (weft_updates){0}, (weft_updates){0})));

    FAILS(GRADIENT, "the output is i32", weft_grad(n, &x, 1, d));
    FAILS(ARGUMENT, "NULL", weft_grad(x, NULL, 1, d));
    FAILS(ARGUMENT, "NULL", weft_grad(x, &x, 1, NULL));
    FAILS(ARGUMENT, "graph", weft_grad(none, &x, 1, d));
    FAILS(ARGUMENT, "poison", weft_grad(poison, &x, 1, d));
    FAILS(ARGUMENT, "different graphs", weft_grad(x, &foreign, 1, d));
    FAILS(ARGUMENT, "missing", weft_grad(x, &none, 1, d));
    FAILS(SHAPE, "seed", weft_vjp(x, v, &x, 1, d));
    FAILS(ARGUMENT, "different graphs", weft_vjp(x, foreign, &x, 1, d));
    FAILS(ARGUMENT, "missing", weft_vjp(x, none, &x, 1, d));
    BAD(SHAPE, "straight_through", weft_straight_through(x, v));
    BAD(ARGUMENT, "missing", weft_straight_through(x, none));
    BAD(ARGUMENT, "rule is NULL", weft_custom_grad(x, weft_list(x), NULL, NULL));
    BAD(ARGUMENT, "missing", weft_custom_grad(x, weft_list(none), rule_foreign, NULL));
    BAD(ARGUMENT, "custom gradient",
        weft_custom_grad(x, (weft_tensors){NULL, 2}, rule_foreign, NULL));
    BAD(ARGUMENT, "custom gradient: 40 inputs",
        weft_custom_grad(x, (weft_tensors){(weft_tensor[40]){{0}}, 40}, rule_foreign, NULL));
    CASE("rules that answer wrongly");
    world_begin();
    quiet_begin();
    weft_tensor r = grad_of(weft_custom_grad(weft_exp(x), weft_list(x), rule_bad_shape, NULL), x);
    quiet_end();
    CHECK(!weft_ok(r));
    CHECK_HAS(weft_error(c), "custom gradient");
    CHECK_EQ(weft_graph_error(g), WEFT_SHAPE);
    world_begin();
    quiet_begin();
    r = grad_of(weft_custom_grad(weft_exp(x), weft_list(x), rule_foreign, NULL), x);
    quiet_end();
    CHECK(!weft_ok(r));
    CHECK_EQ(weft_graph_error(g), WEFT_ARGUMENT);
    CHECK_EQ(weft_graph_error(other), WEFT_OK);
    CASE("no gradients asked for");
    world_begin();
    CHECK_EQ(weft_grad(x, NULL, 0, NULL), WEFT_OK);
}

static weft_tensor checkpoints(int begins, int ends) {
    for (int i = 0; i < begins; i++) weft_checkpoint_begin(g);
    for (int i = 0; i < ends; i++) weft_checkpoint_end(g);
    return weft_neg(x);
}

TEST(checkpoints_in_pairs) {
    BAD(ARGUMENT, "checkpoint: already open", checkpoints(2, 2));
    BAD(ARGUMENT, "checkpoint: not open", checkpoints(0, 1));
    NOTHING(ARGUMENT, "without weft_checkpoint_end",
            (checkpoints(1, 0), weft_compile(g, &(weft_plan_desc){.fetch = weft_list(x)})));
}

/* ---- plans ---- */

static weft_plan *compiled(weft_tensors fetch, weft_updates update) {
    return weft_compile(g, &(weft_plan_desc){.fetch = fetch, .update = update});
}

static weft_plan *trained(weft_updates update) {
    return weft_compile(g, &(weft_plan_desc){.update = update, .training = true});
}

TEST(compiling) {
    const weft_updates no = {0};
    weft_update two[2];
    NOTHING(ARGUMENT, "NULL", weft_compile(NULL, &(weft_plan_desc){.fetch = weft_list(x)}));
    NOTHING(ARGUMENT, "NULL", weft_compile(g, NULL));
    NOTHING(ARGUMENT, "nothing to fetch", compiled((weft_tensors){0}, no));
    NOTHING(ARGUMENT, "missing", compiled(weft_list(x, none), no));
    NOTHING(ARGUMENT, "different graphs", compiled(weft_list(foreign), no));
    NOTHING(ARGUMENT, "poison", compiled(weft_list(poison), no));
    NOTHING(ARGUMENT, "not a tensor", compiled(weft_list((weft_tensor){g, 4444}), no));
    NOTHING(ARGUMENT, "weft_compile", compiled((weft_tensors){NULL, 2}, no));
    NOTHING(ARGUMENT, "weft_compile", compiled((weft_tensors){0}, (weft_updates){NULL, 2}));
    NOTHING(ARGUMENT, "change the same state",
            (two[0] = two[1] = (weft_update){param("w", 4, 6), x},
             compiled((weft_tensors){0}, (weft_updates){two, 2})));
    NOTHING(ARGUMENT, "change the same state \"here.w\": one of .update and a layer's",
            (weft_layer_update(param("w", 4, 6), x), trained(weft_assign(param("w", 4, 6), x))));
    NOTHING(ARGUMENT, "change the same state \"here.w\": a layer's and a layer's",
            (weft_layer_update(param("w", 4, 6), x), weft_layer_update(param("w", 4, 6), x),
             trained(no)));
    NOTHING(ARGUMENT, "update 0",
            (two[0] = (weft_update){param("w", 6, 4), x},
             compiled((weft_tensors){0}, (weft_updates){two, 1})));
    NOTHING(ARGUMENT, "update 0",
            (two[0] = (weft_update){x, x}, compiled((weft_tensors){0}, (weft_updates){two, 1})));
    NOTHING(ARGUMENT, "missing",
            (two[0] = (weft_update){param("w", 6, 4), none},
             compiled((weft_tensors){0}, (weft_updates){two, 1})));
    NOTHING(SHAPE, "matmul", (weft_matmul(x, x), compiled(weft_list(x), no)));
}

/* Training through a layer whose own state would stay behind is refused; what does not go through it,
 * or changes nothing, is not. */
TEST(statistics_are_not_left_behind) {
    for (int how = 0; how < 5; how++) {
        CASE("way %d", how);
        world_begin();
        if (how == 4) weft_graph_eval(g);
        weft_tensor y = weft_nn_batch_norm(s, weft_mul(x, param("w", 4, 6)), "bn", NULL);
        weft_tensor loss = weft_mean(weft_square(y), WEFT_ALL, false);
        weft_tensor beside = weft_buffer(g, s, "beside", WEFT_F32, WEFT_0D, (weft_init){0});
        weft_updates update = how == 2   ? (weft_updates){0}
                              : how == 3 ? weft_assign(beside, weft_offset(beside, 1))
                                         : weft_sgd(s, loss, NULL);
        weft_plan *p =
            weft_compile(g, &(weft_plan_desc){.fetch = weft_list(how == 3 ? beside : loss),
                                              .update = update,
                                              .training = how == 1});
        CHECK_EQ(p == NULL, how == 0);
        if (!p) CHECK_HAS(weft_error(c), "without .training would leave \"here.bn.");
        weft_plan_free(p);
    }
}

TEST(running) {
    float v24[24] = {0};
    weft_plan *p;
    FAILS(ARGUMENT, "plan is NULL", weft_set(NULL, x, v24, sizeof v24));
    FAILS(ARGUMENT, "plan is NULL", weft_run(NULL));
    FAILS(ARGUMENT, "plan is NULL", weft_wait(NULL));
    FAILS(ARGUMENT, "plan is NULL", weft_get(NULL, x, v24, sizeof v24));
    NOTHING(ARGUMENT, "plan is NULL", weft_feed(NULL, x));
    NOTHING(ARGUMENT, "NULL", weft_plan_text(NULL));
    NOTHING(ARGUMENT, "NULL", weft_plan_emit_c(NULL, "a"));
    NOTHING(ARGUMENT, "NULL", weft_graph_text(NULL));
    CASE("item of no plan");
    CHECK(isnan(weft_item(NULL, x)));

    world_begin();
    weft_tensor y = weft_neg(x), i = weft_sum(n, WEFT_ALL, false), f = weft_lt(x, z);
    p = compiled(weft_list(y, i, f), (weft_updates){0});
    if (!CHECK(p)) return;
    quiet_begin();
    struct {
        const char *name;
        weft_err got, want;
        const char *part;
        char message[200];
    } t[] = {
        {"a feed too short", weft_set(p, x, v24, 95), WEFT_ARGUMENT, "f32 [4,6] takes 96 bytes",
         ""},
        {"a feed too long", weft_set(p, x, v24, 97), WEFT_ARGUMENT, "got 97", ""},
        {"a feed of none", weft_set(p, x, NULL, 96), WEFT_ARGUMENT, "NULL", ""},
        {"a feed nobody reads", weft_set(p, v, v24, 24), WEFT_ARGUMENT, "not an input", ""},
        {"a feed of a result", weft_set(p, y, v24, 96), WEFT_ARGUMENT, "not an input", ""},
        {"a feed of another graph", weft_set(p, foreign, v24, 96), WEFT_ARGUMENT, "not an input",
         ""},
        {"a feed of nothing", weft_set(p, none, v24, 96), WEFT_ARGUMENT, "not an input", ""},
        {"a result too small", weft_get(p, y, v24, 4), WEFT_ARGUMENT, "has 96 bytes", ""},
        {"a result of none", weft_get(p, y, NULL, 96), WEFT_ARGUMENT, "NULL", ""},
        {"a result not fetched", weft_get(p, x, v24, 96), WEFT_ARGUMENT, "not among", ""},
        {"a result of nothing", weft_get(p, none, v24, 96), WEFT_ARGUMENT, "not among", ""},
        {"a result elsewhere", weft_get(p, foreign, v24, 96), WEFT_ARGUMENT, "not among", ""},
    };
    bool nothing = !weft_feed(p, y) && !weft_feed(p, none) && weft_feed(p, x);
    float item[4] = {weft_item(p, y), weft_item(p, f), weft_item(p, x), weft_item(p, none)};
    quiet_end();
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        CASE("%s", t[k].name);
        CHECK_EQ(t[k].got, t[k].want);
    }
    CASE("messages of feeds and results");
    weft_set(p, x, v24, 95);
    CHECK_HAS(weft_error(c), "f32 [4,6] takes 96 bytes, got 95");
    weft_get(p, y, v24, 4);
    CHECK_HAS(weft_error(c), "f32 [4,6] has 96 bytes, got room for 4");
    CASE("feeds and items that are none");
    CHECK(nothing);
    for (int k = 0; k < 4; k++) CHECK(isnan(item[k]));
    weft_plan_free(p);
}

/* Zeros that nobody meant are no input. */
TEST(an_input_must_be_set_before_the_first_run) {
    const char *const devices[] = {"cpu", "ref"};
    for (int d = 0; d < 2; d++) {
        CASE("%s", devices[d]);
        weft_ctx *ctx = weft_open(devices[d]);
        weft_graph *own = weft_graph_new(ctx);
        weft_tensor a = weft_input(own, WEFT_F32, weft_dims(2, 3)),
                    in = weft_input(own, WEFT_I32, weft_dims(2)),
                    empty = weft_input(own, WEFT_F32, weft_dims(0, 3)), y = weft_gather(a, in, 1);
        weft_input(own, WEFT_F32, weft_dims(7)); /* nobody reads it */
        weft_tensor none_of = weft_sum(empty, WEFT_ALL, false);
        weft_plan *plan = weft_compile(own, &(weft_plan_desc){.fetch = weft_list(y, none_of)});
        if (!CHECK(plan)) return;
        const float v[6] = {1, 2, 3, 4, 5, 6};
        float got[4];
        CHECK_EQ(weft_run(plan), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(ctx), "input 1 of 3 (f32 [2,3], tensor 1) was never set");
        CHECK_EQ(weft_set(plan, a, v, sizeof v), WEFT_OK);
        CHECK_EQ(weft_run(plan), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(ctx), "input 2 of 3 (i32 [2], tensor 2) was never set");
        int32_t *at = weft_feed(plan, in); /* from now on it is the program's */
        if (CHECK(at)) at[0] = 2, at[1] = 1;
        CHECK_EQ(weft_run(plan), WEFT_OK);
        CHECK_EQ(weft_get(plan, y, got, sizeof got), WEFT_OK);
        CHECK(got[0] == 3 && got[1] == 2 && got[2] == 6 && got[3] == 5);
        CHECK_EQ(weft_get(plan, a, got, sizeof got), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(ctx), "is not among what this plan fetches: f32 [2,2], tensor");
        CHECK_EQ(weft_set(plan, y, v, 16), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(ctx), "is not an input this plan reads: f32 [2,3], tensor 1; i32 [2]");
        CHECK_EQ(weft_get(plan, (weft_tensor){NULL, 3}, got, sizeof got), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(ctx), "not of the graph this plan was compiled from");
        weft_plan_free(plan);
        weft_graph_free(own);
        weft_close(ctx);
    }
}

TEST(threads_of_a_plan) {
    const int threads[] = {256, -1, 257, INT32_MAX, INT32_MIN};
    for (int k = 0; k < 5; k++) {
        CASE("%d", threads[k]);
        world_begin();
        quiet_begin();
        weft_tensor y = weft_neg(x);
        weft_plan *p =
            weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .threads = threads[k]});
        weft_err e = p ? weft_run(feed_zeros(p)) : weft_error_code(c);
        int used = weft_plan_stats(p).threads;
        weft_plan_free(p);
        quiet_end();
        CHECK_EQ(p != NULL, k == 0);
        CHECK_EQ(e, k ? WEFT_ARGUMENT : WEFT_OK);
        if (k) CHECK_HAS(weft_error(c), "expected 0 to 256");
        else CHECK(used >= 1 && used <= 256); /* as many as the system gives */
    }
}

TEST(running_after_the_state_is_gone) {
    world_begin();
    weft_tensor w = param("w", 4, 6), y = weft_add(w, x);
    weft_plan *p = compiled(weft_list(y), (weft_updates){0});
    if (!CHECK(p)) return;
    quiet_begin();
    weft_state_free(s);
    s = NULL;
    weft_err run = weft_run(p), get = weft_get(p, y, (float[24]){0}, 96);
    quiet_end();
    CHECK_EQ(run, WEFT_STATE);
    CHECK_EQ(get, WEFT_STATE);
    CHECK_HAS(weft_error(c), "freed");
    CHECK(!compiled(weft_list(y), (weft_updates){0}));
    CHECK_EQ(weft_error_code(c), WEFT_STATE);
    weft_plan_free(p);
}

/* A shape that is possible and memory that is not. */
static void *stingy(void *user, void *p, size_t bytes) {
    (void)user;
    if (bytes > (1u << 24)) return NULL;
    if (bytes) return realloc(p, bytes);
    free(p);
    return NULL;
}

TEST(too_large_for_memory) {
    for (const char *device = "cpu"; device; device = *device == 'c' ? "ref" : NULL) {
        CASE("%s", device);
        weft_ctx *d =
            weft_open_with(&(weft_open_desc){.device = device, .threads = 1, .resize = stingy});
        weft_graph *h = weft_graph_new(d);
        weft_state *t = weft_state_new(d);
        weft_tensor big = weft_input(h, WEFT_F32, weft_dims(40000, 50000));
        weft_tensor sum = weft_sum(weft_exp(big), WEFT_ALL, false);
        quiet_begin();
        weft_plan *p = weft_compile(h, &(weft_plan_desc){.fetch = weft_list(sum)});
        quiet_end();
        CHECK(!p);
        CHECK_EQ(weft_error_code(d), WEFT_MEMORY);
        CHECK_EQ(weft_graph_error(h), WEFT_OK); /* the graph is as good as before */
        weft_tensor w = weft_param(h, t, "w", weft_dims(40000, 50000), zeros);
        sum = weft_sum(w, WEFT_ALL, false);
        CHECK(!weft_compile(h, &(weft_plan_desc){.fetch = weft_list(sum)}));
        CHECK_EQ(weft_error_code(d), WEFT_MEMORY);
        CHECK_EQ(weft_state_get(t, "w", NULL, 0), WEFT_MEMORY);
        CHECK_EQ(weft_state_hash(t), 0);
        weft_state_free(t);
        weft_graph_free(h);
        weft_close(d);
    }
}

/* ---- plans by key, looking around ---- */

static weft_plan *build_nothing(weft_ctx *ctx, weft_state *state, const int64_t *key, int m,
                                void *user) {
    (void)ctx, (void)state, (void)key, (void)m, (void)user;
    return NULL;
}

TEST(plans_by_key) {
    int64_t key[20] = {0};
    NOTHING(ARGUMENT, "weft_plans_new", weft_plans_new(NULL, s, 2, build_nothing, NULL));
    NOTHING(ARGUMENT, "weft_plans_new", weft_plans_new(c, s, 2, NULL, NULL));
    NOTHING(ARGUMENT, "weft_plans_new", weft_plans_new(c, s, 0, build_nothing, NULL));
    NOTHING(ARGUMENT, "weft_plans_new", weft_plans_new(c, s, -5, build_nothing, NULL));
    NOTHING(ARGUMENT, "weft_plans_new", weft_plans_new(c, s, INT32_MAX, build_nothing, NULL));
    NOTHING(ARGUMENT, "weft_plans_get", weft_plans_get(NULL, key, 1));
    CASE("keys of no use");
    world_begin();
    weft_plans *ps = weft_plans_new(c, s, 2, build_nothing, NULL);
    CHECK(!weft_plans_get(ps, NULL, 1));
    CHECK(!weft_plans_get(ps, key, 0));
    CHECK(!weft_plans_get(ps, key, -1));
    CHECK(!weft_plans_get(ps, key, 17));
    CHECK(!weft_plans_get(ps, key, 16));
    weft_plans_free(ps);
}

TEST(looking_around) {
    FAILS(ARGUMENT, "no tensor", weft_print(none));
    FAILS(ARGUMENT, "depends on an input", weft_print(x));
    FAILS(SHAPE, "matmul", (weft_matmul(x, x), weft_print(x)));
    CASE("items");
    world_begin();
    quiet_begin();
    float item[4] = {weft_item_of(none), weft_item_of(x), weft_item_of(z),
                     weft_item_of(weft_full(g, weft_dims(2), 1))};
    quiet_end();
    for (int i = 0; i < 4; i++) CHECK(isnan(item[i]));
    CHECK_EQ(weft_item_of(weft_scalar(g, 3)), 3);
    CHECK_EQ(weft_item_of(weft_full(g, weft_dims(1, 1), 2)), 2);
}
