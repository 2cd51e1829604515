/* test_watch.c - a watched plan computes the same bits and names the operation that first gave
 * something that is not a number. */
#include "test.h"
#include "weft/weft.h"

#include <math.h>
#include <string.h>

enum { ROWS = 6, WIDTH = 5 };

static weft_ctx *c;
static weft_state *s;
static weft_graph *g;
static weft_tensor x, offset, loss;

/* Two scopes; the logarithm in the second sees what the first makes. */
static weft_updates record(void) {
    c = weft_open_with(&(weft_open_desc){.threads = 1});
    s = weft_state_new(c);
    g = weft_graph_new(c);
    x = weft_input(g, WEFT_F32, weft_dims(ROWS, WIDTH));
    offset = weft_input(g, WEFT_F32, WEFT_0D);
    weft_scope_push(g, "body");
    weft_tensor h = weft_square(weft_linear(s, x, 4, "fc"));
    weft_scope_pop(g);
    weft_scope_push(g, "head");
    weft_tensor l = weft_log(weft_add(h, offset));
    weft_scope_pop(g);
    loss = weft_mean(l, WEFT_ALL, false);
    return weft_adam(s, loss, NULL);
}

static void end(void) {
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

static weft_plan *watched(weft_updates u, bool watch) {
    return weft_compile(g,
                        &(weft_plan_desc){.fetch = weft_list(loss), .update = u, .watch = watch});
}

static void feed(weft_plan *p, float first, float added) {
    float values[ROWS * WIDTH];
    for (int i = 0; i < ROWS * WIDTH; i++) values[i] = (float)(i % 7) / 7;
    values[0] = first;
    CHECK_EQ(weft_set(p, x, values, sizeof values), WEFT_OK);
    void *at = weft_feed(p, offset); /* NULL in a plan that does not read it */
    if (at) memcpy(at, &added, sizeof added);
}

TEST(a_healthy_run_finds_nothing_and_has_the_same_loss) {
    weft_updates u = record();
    float seen[2];
    for (int watch = 0; watch < 2; watch++) {
        weft_state_seed(s, 1);
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(loss), .watch = watch});
        feed(p, 0.5f, 1);
        CHECK_EQ(weft_run(p), WEFT_OK);
        seen[watch] = weft_item(p, loss);
        weft_finding f;
        if (watch) CHECK(!weft_plan_finding(p, &f));
        weft_plan_free(p);
    }
    CHECK_NEAR(seen[0], seen[1], 1e-6);
    weft_plan *p = watched(u, true);
    feed(p, 0.5f, 1);
    CHECK_EQ(weft_run(p), WEFT_OK);
    weft_finding f;
    CHECK(!weft_plan_finding(p, &f));
    weft_plan_free(p);
    end();
}

TEST(the_operation_and_its_scope_are_named) {
    weft_updates u = record();
    weft_plan *p = watched(u, true);
    weft_finding f = {0};
    feed(p, 0.5f, -100); /* the logarithm of something negative */
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK(weft_plan_finding(p, &f));
    CHECK_STR(f.layer, "head");
    CHECK_STR(f.operation, "log");
    CHECK(isnan(f.value));
    CHECK_EQ(f.element, 0);
    weft_plan_free(p);
    end();
}

TEST(inputs_and_states_are_looked_at_first) {
    weft_updates u = record();
    weft_plan *p = watched(u, true);
    weft_finding f = {0};
    feed(p, NAN, 1);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK(weft_plan_finding(p, &f));
    CHECK_STR(f.operation, "input");
    CHECK_EQ(f.element, 0);
    feed(p, 0.5f, NAN); /* the last of the inputs */
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK(weft_plan_finding(p, &f));
    CHECK_STR(f.operation, "input");
    float w[4 * WIDTH] = {0};
    w[7] = NAN;
    CHECK_EQ(weft_state_set(s, "body.fc.weight", w, sizeof w), WEFT_OK);
    feed(p, 0.5f, 1);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK(weft_plan_finding(p, &f));
    CHECK_STR(f.layer, "body.fc.weight");
    CHECK_STR(f.operation, "state");
    CHECK_EQ(f.element, 7);
    weft_plan_free(p);
    end();
}

TEST(an_infinity_counts_when_no_nan_follows) {
    record();
    weft_tensor all = weft_sum(weft_exp(x), WEFT_ALL, false);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(all), .watch = true});
    weft_finding f = {0};
    feed(p, 1000, 0);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK(weft_plan_finding(p, &f));
    CHECK_STR(f.operation, "exp");
    CHECK_EQ(f.value, INFINITY);
    weft_plan_free(p);
    end();
}

/* What is looked at while it is made must be made by one thread. */
TEST(a_watched_plan_has_one_thread) {
    c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 2});
    g = weft_graph_new(c);
    s = weft_state_new(c);
    const weft_tensor a = weft_input(g, WEFT_F32, weft_dims(512, 512)), b = weft_matmul(a, a);
    for (int watch = 0; watch < 2; watch++)
        for (int threads = 0; threads < 3; threads += 2) {
            CASE("watch %d, %d threads", watch, threads);
            weft_plan *p = weft_compile(
                g, &(weft_plan_desc){.fetch = weft_list(b), .watch = watch, .threads = threads});
            CHECK_EQ(weft_plan_stats(p).threads, watch ? 1 : 2);
            weft_plan_free(p);
        }
    end();
}

TEST(what_a_plan_does_not_read_is_not_looked_at) {
    weft_updates u = record();
    weft_plan_free(watched(u, true)); /* the state has its memory */
    weft_tensor other = weft_param(g, s, "other", weft_dims(WIDTH), (weft_init){0});
    weft_tensor all = weft_sum(weft_exp(weft_add(x, other)), WEFT_ALL, false);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(all), .watch = true});
    float w[4 * WIDTH], bias[4], read[WIDTH];
    if (!CHECK(p)) return;
    for (int i = 0; i < 4 * WIDTH; i++) w[i] = NAN;
    for (int i = 0; i < 4; i++) bias[i] = NAN;
    for (int i = 0; i < WIDTH; i++) read[i] = 1;
    CHECK_EQ(weft_state_set(s, "body.fc.weight", w, sizeof w), WEFT_OK);
    CHECK_EQ(weft_state_set(s, "body.fc.bias", bias, sizeof bias), WEFT_OK);
    CHECK_EQ(weft_state_set(s, "other", read, sizeof read), WEFT_OK);
    weft_finding f = {0};
    feed(p, 0.5f, 0);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK(!weft_plan_finding(p, &f));
    weft_plan_free(p);
    end();
}

TEST(plans_that_are_not_watched_have_no_finding) {
    weft_updates u = record();
    weft_plan *p = watched(u, false);
    weft_finding f;
    CHECK(!weft_plan_finding(p, &f));
    CHECK_HAS(weft_error(c), ".watch");
    CHECK(!weft_plan_finding(NULL, &f));
    weft_plan_free(p);
    end();
    weft_ctx *ref = weft_open("ref");
    weft_graph *own = weft_graph_new(ref);
    weft_tensor one = weft_exp(weft_scalar(own, 1));
    CHECK(!weft_compile(own, &(weft_plan_desc){.fetch = weft_list(one), .watch = true}));
    CHECK_EQ(weft_error_code(ref), WEFT_UNSUPPORTED);
    weft_graph_free(own);
    weft_close(ref);
}
