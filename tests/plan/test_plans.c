/* test_plans.c - the cache of plans by key: kept while there is room, the least recently used dropped
 * first, a builder's failure harmless. */
#include "test.h"
#include "weft/weft.h"

static weft_ctx *c;
static weft_state *s;

static void begin(void) {
    c = weft_open_with(&(weft_open_desc){.threads = 1});
    s = weft_state_new(c);
}

static void end(void) {
    weft_state_free(s);
    weft_close(c);
}

typedef struct builder {
    int built, fail;
} builder;

static weft_plan *build(weft_ctx *ctx, weft_state *state, const int64_t *key, int n, void *user) {
    builder *b = user;
    if (b->fail) return NULL;
    b->built++;
    weft_graph *own = weft_graph_new(ctx);
    weft_tensor x = weft_full(own, weft_dims(key[0], n > 1 ? key[1] : 4), 1);
    weft_tensor y = weft_sum(weft_linear(state, x, 2, n > 1 ? "wide" : "fc"), WEFT_ALL, false);
    weft_plan *p = weft_compile(own, &(weft_plan_desc){.fetch = weft_list(y)});
    weft_graph_free(own);
    return p;
}

TEST(plans_are_kept_and_the_oldest_dropped) {
    begin();
    builder b = {0, 0};
    weft_plans *ps = weft_plans_new(c, s, 3, build, &b);
    weft_plan *first = weft_plans_get(ps, (int64_t[]){1}, 1);
    for (int64_t k = 1; k <= 3; k++) CHECK(weft_plans_get(ps, &k, 1));
    CHECK_EQ(b.built, 3);
    CHECK(weft_plans_get(ps, (int64_t[]){1}, 1) == first); /* used again: 2 is the oldest now */
    CHECK(weft_plans_get(ps, (int64_t[]){4}, 1));
    CHECK_EQ(b.built, 4);
    CHECK(weft_plans_get(ps, (int64_t[]){1}, 1) == first);
    CHECK(weft_plans_get(ps, (int64_t[]){3}, 1));
    CHECK_EQ(b.built, 4);
    CHECK(weft_plans_get(ps, (int64_t[]){2}, 1));
    CHECK_EQ(b.built, 5);
    CHECK(weft_plans_get(ps, (int64_t[]){2, 4}, 2)); /* a longer key is another key */
    CHECK_EQ(b.built, 6);
    CHECK_EQ(weft_run(weft_plans_get(ps, (int64_t[]){2, 4}, 2)), WEFT_OK);
    CHECK_EQ(b.built, 6);
    weft_plans_free(ps);
    end();
}

TEST(a_builder_that_fails_costs_no_plan) {
    begin();
    builder b = {0, 0};
    weft_plans *ps = weft_plans_new(c, s, 1, build, &b);
    weft_plan *one = weft_plans_get(ps, (int64_t[]){1}, 1);
    CHECK(one);
    b.fail = 1;
    CHECK(!weft_plans_get(ps, (int64_t[]){2}, 1));
    CHECK(weft_plans_get(ps, (int64_t[]){1}, 1) == one);
    b.fail = 0;
    CHECK(weft_plans_get(ps, (int64_t[]){2}, 1));
    CHECK_EQ(b.built, 2);
    weft_plans_free(ps);
    weft_plans_free(NULL);
    end();
}

/* Many keys in turn against a list of the same length, kept the slow way. */
TEST(the_least_recently_used_goes_first) {
    begin();
    enum { ROOM = 4, KEYS = 7 };
    builder b = {0, 0};
    weft_plans *ps = weft_plans_new(c, s, ROOM, build, &b);
    int64_t kept[ROOM]; /* most recent first */
    int have = 0, built = 0;
    for (int turn = 0; turn < 200; turn++) {
        int64_t key = 1 + test_random() % KEYS;
        int at = 0;
        while (at < have && kept[at] != key) at++;
        if (at == have) {
            built++;
            if (have < ROOM) have++;
            else at--;
        }
        for (; at > 0; at--) kept[at] = kept[at - 1];
        kept[0] = key;
        CHECK(weft_plans_get(ps, &key, 1));
        if (!CHECK_EQ(b.built, built)) break;
    }
    weft_plans_free(ps);
    end();
}
