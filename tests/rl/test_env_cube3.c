/* test_env_cube3.c - the 3x3x3 cube against stickers in space, by identities, what it refuses. */
#include "stickers.h"
#include "test.h"
#include "weft/rl.h"

TEST(stickers_agree) {
    sticker_cube q;
    sticker_make(&q, 3);
    weft_rng r;
    weft_rng_seed(&r, 1, 0);
    weft_cube3 cube = weft_cube3_solved();
    uint8_t colour[54];
    weft_cube3_stickers(&cube, colour);
    CHECK_MEM(colour, q.colour, 54);
    int wrong = 0, refused = 0;
    for (int i = 0; i < 1000000; i++) {
        const int action = (int)weft_rng_below(&r, WEFT_CUBE3_ACTIONS);
        weft_cube3_turn(&cube, action);
        sticker_turn(&q, action);
        weft_cube3_stickers(&cube, colour);
        wrong += memcmp(colour, q.colour, 54) != 0;
        if (i % 100 == 0) refused += weft_cube3_check(NULL, &cube) != WEFT_OK;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(refused, 0);
}

/* How often a sequence must be done until the solved cube is solved again. */
static int order_of(const char *text) {
    int32_t action[32];
    int n = 0, times = 0;
    CHECK_EQ(weft_cube_read_actions(NULL, text, WEFT_CUBE3_ACTIONS, action, 32, &n), WEFT_OK);
    weft_cube3 cube = weft_cube3_solved();
    do {
        for (int i = 0; i < n; i++) weft_cube3_turn(&cube, action[i]);
        times++;
    } while (!weft_cube3_is_solved(&cube) && times < 2000);
    return times;
}

TEST(orders) {
    static const char *const face[6] = {"R", "U", "F", "L", "D", "B"};
    for (int i = 0; i < 6; i++) CHECK_EQ(order_of(face[i]), 4);
    CHECK_EQ(order_of("R U R' U'"), 6);
    CHECK_EQ(order_of("R U"), 105);
    CHECK_EQ(order_of("R2 U2"), 6);
    CHECK_EQ(order_of("R L'"), 4);
    CHECK_EQ(order_of("R U2 D' B D'"), 1260); /* no sequence has a larger order */
    CHECK_EQ(order_of("R R' U U' F F' L L' D D' B B'"), 1);
}

TEST(random_cubes) {
    weft_rng r;
    weft_rng_seed(&r, 2, 0);
    enum { TIMES = 96000 };
    int refused = 0, place[8] = {0}, twist[3] = {0}, flip[2] = {0}, edge[12] = {0};
    for (int i = 0; i < TIMES; i++) {
        weft_cube3 q;
        weft_cube3_random(&q, &r);
        refused += weft_cube3_check(NULL, &q) != WEFT_OK;
        place[q.corner[3]]++, twist[q.twist[0]]++, edge[q.edge[1]]++, flip[q.flip[0]]++;
    }
    CHECK_EQ(refused, 0);
    for (int i = 0; i < 8; i++) CHECK_NEAR(place[i], TIMES / 8, 500); /* five deviations or so */
    for (int i = 0; i < 12; i++) CHECK_NEAR(edge[i], TIMES / 12, 450);
    for (int i = 0; i < 3; i++) CHECK_NEAR(twist[i], TIMES / 3, 730);
    for (int i = 0; i < 2; i++) CHECK_NEAR(flip[i], TIMES / 2, 780);
}

TEST(scrambles) {
    weft_rng r;
    weft_rng_seed(&r, 3, 0);
    weft_cube3 q = weft_cube3_solved();
    CHECK(weft_cube3_is_solved(&q));
    weft_cube3_scramble(&q, 1, &r);
    CHECK(!weft_cube3_is_solved(&q));
    weft_cube3_scramble(&q, 0, &r);
    CHECK(!weft_cube3_is_solved(&q));
    int solved = 0; /* two turns cancel one time in twelve */
    for (int i = 0; i < 60000; i++) {
        q = weft_cube3_solved();
        weft_cube3_scramble(&q, 2, &r);
        solved += weft_cube3_is_solved(&q);
    }
    CHECK_NEAR(solved, 5000, 340);
    const weft_cube3 before = q;
    weft_cube3_turn(&q, 12);
    weft_cube3_turn(&q, -1);
    CHECK_MEM(&q, &before, sizeof q);
}

TEST(impossible_cubes) {
    weft_ctx *c = weft_open("null");
    weft_cube3 q = weft_cube3_solved();
    CHECK_EQ(weft_cube3_check(c, &q), WEFT_OK);
    static const struct {
        const char *name;
        size_t at;
        uint8_t value;
        const char *why;
    } bad[] = {
        {"a corner that is none", offsetof(weft_cube3, corner), 8, "corner place 0 has piece 8"},
        {"a twist that is none", offsetof(weft_cube3, twist) + 7, 3, "corner place 7"},
        {"an edge that is none", offsetof(weft_cube3, edge) + 2, 12, "edge place 2 has piece 12"},
        {"a flip that is none", offsetof(weft_cube3, flip) + 2, 2, "turned 2"},
        {"a corner twice", offsetof(weft_cube3, corner) + 1, 0, "corner 0 is there twice"},
        {"an edge twice", offsetof(weft_cube3, edge) + 11, 4, "edge 4 is there twice"},
        {"a twisted corner", offsetof(weft_cube3, twist) + 4, 1, "corners are turned by 1"},
        {"a flipped edge", offsetof(weft_cube3, flip) + 4, 1, "edges are turned by 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].name);
        q = weft_cube3_solved();
        ((uint8_t *)&q)[bad[i].at] = bad[i].value;
        CHECK_EQ(weft_cube3_check(c, &q), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(c), bad[i].why);
    }
    CASE("two edges exchanged");
    q = weft_cube3_solved();
    q.edge[0] = 1, q.edge[1] = 0;
    CHECK_EQ(weft_cube3_check(c, &q), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "two pieces are exchanged");
    q.corner[0] = 1, q.corner[1] = 0; /* and two corners: that can be */
    CHECK_EQ(weft_cube3_check(c, &q), WEFT_OK);
    weft_close(c);
}

TEST(environment) {
    const weft_env *e = weft_env_named(NULL, "cube3");
    if (!CHECK(e)) return;
    weft_rng r;
    weft_rng_seed(&r, 4, 0);
    weft_cube3 q;
    float obs[480];
    int32_t slots[20], same[20];
    int wrong = 0;
    for (int i = 0; i < 500; i++) {
        e->reset(&q, &r, i % 2 ? 0 : 30);
        e->observe(&q, obs);
        e->index(&q, slots);
        weft_cube3_index(&q, same);
        wrong += memcmp(slots, same, sizeof same) != 0;
        wrong += e->check(NULL, &q) != WEFT_OK;
        float sum = 0;
        for (int k = 0; k < 480; k++) sum += obs[k];
        wrong += sum != 20;
        for (int k = 0; k < 20; k++) wrong += slots[k] / 24 != k || obs[slots[k]] != 1;
        for (int k = 0; k < 8; k++) wrong += slots[k] % 24 != q.corner[k] * 3 + q.twist[k];
        for (int k = 0; k < 12; k++) wrong += slots[8 + k] % 24 != q.edge[k] * 2 + q.flip[k];
    }
    CHECK_EQ(wrong, 0);
    q = weft_cube3_solved();
    weft_cube3_turn(&q, 8);
    bool done = false;
    char text[300];
    e->show(&q, text, sizeof text); /* after D: its row of F goes to R */
    CHECK_HAS(text, "B B B  L L L  F F F  R R R\n");
    CHECK_NEAR(e->step(&q, &r, 0, &done), -0.01, 1e-9);
    CHECK(!done);
    CHECK_NEAR(e->step(&q, &r, 1, &done), -0.01, 1e-9);
    CHECK_NEAR(e->step(&q, &r, 9, &done), 1, 0);
    CHECK(done);
}
