/* test_env_cube.c - the 2x2x2 cube against stickers in space and against the known numbers: states,
 * distances, how far random turns lead. */
#include "cube_truth.h"
#include "stickers.h"
#include "test.h"
#include "weft/rl.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t turned(uint32_t cube, const char *text) {
    int32_t action[64];
    int n = 0;
    CHECK_EQ(weft_cube_read_actions(NULL, text, WEFT_CUBE_ACTIONS, action, 64, &n), WEFT_OK);
    for (int i = 0; i < n; i++) cube = weft_cube_turn(cube, action[i]);
    return cube;
}

TEST(stickers_agree) {
    sticker_cube q;
    sticker_make(&q, 2);
    weft_rng r;
    weft_rng_seed(&r, 1, 0);
    uint8_t colour[24];
    uint32_t cube = 0;
    weft_cube_stickers(cube, colour);
    CHECK_MEM(colour, q.colour, 24);
    int wrong = 0;
    for (int i = 0; i < 1000000; i++) {
        const int action = (int)weft_rng_below(&r, WEFT_CUBE_ACTIONS);
        cube = weft_cube_turn(cube, action);
        sticker_turn(&q, action);
        weft_cube_stickers(cube, colour);
        wrong += memcmp(colour, q.colour, 24) != 0;
    }
    CHECK_EQ(wrong, 0);
}

TEST(identities_on_every_cube) {
    long wrong = 0;
    for (uint32_t cube = 0; cube < WEFT_CUBE_STATES; cube++)
        for (int action = 0; action < WEFT_CUBE_ACTIONS; action += 2) {
            const uint32_t once = weft_cube_turn(cube, action);
            const uint32_t twice = weft_cube_turn(once, action);
            const uint32_t thrice = weft_cube_turn(twice, action);
            wrong += weft_cube_turn(thrice, action) != cube;
            wrong += weft_cube_turn(cube, action ^ 1) != thrice;
            wrong += once == cube || twice == cube;
        }
    CHECK_EQ(wrong, 0);
}

static int order_of(const char *text) {
    uint32_t cube = 0;
    int n = 0;
    do cube = turned(cube, text), n++;
    while (cube && n < 100);
    return n;
}

TEST(orders) {
    CHECK_EQ(order_of("R U R' U'"), 6);
    CHECK_EQ(order_of("R U"), 15);
    CHECK_EQ(order_of("R2 U2"), 3);
    CHECK_EQ(turned(0, "R U F F' U' R'"), 0);
    CHECK(turned(0, "R U") != turned(0, "U R"));
}

TEST(ranks) {
    long wrong = 0;
    for (uint32_t cube = 0; cube < WEFT_CUBE_STATES; cube++) {
        uint8_t piece[7], twist[7];
        uint32_t back = cube + 1;
        weft_cube_pieces(cube, piece, twist);
        wrong += weft_cube_of(NULL, piece, twist, &back) != WEFT_OK || back != cube;
    }
    CHECK_EQ(wrong, 0);
    uint8_t piece[7], twist[7];
    weft_cube_pieces(0, piece, twist);
    for (int i = 0; i < 7; i++) CHECK_EQ(piece[i], i), CHECK_EQ(twist[i], 0);
}

TEST(distance_counts) {
    static const long want[15] = {1,      6,      27,     120,     534,    2256,  8969, 33058,
                                  114149, 360508, 930588, 1350852, 782536, 90280, 276};
    const uint8_t *const d = distances();
    if (!CHECK(d)) return;
    long got[256] = {0}, sum = 0;
    for (uint32_t cube = 0; cube < WEFT_CUBE_STATES; cube++) got[d[cube]]++;
    for (int i = 0; i < 256; i++) CHECK_EQ(got[i], i < 15 ? want[i] : 0), sum += got[i];
    CHECK_EQ(sum, 3674160);
    long wrong =
        0; /* a quarter turn is an odd permutation: it never leaves the distance as it is */
    for (uint32_t cube = 0; cube < WEFT_CUBE_STATES; cube++) {
        int nearer = 0;
        for (int action = 0; action < WEFT_CUBE_ACTIONS; action++) {
            const int step = d[weft_cube_turn(cube, action)] - d[cube];
            wrong += step != 1 && step != -1;
            nearer += step == -1;
        }
        wrong += !nearer && cube;
    }
    CHECK_EQ(wrong, 0);
}

/* How many of all sequences of k turns lead how far. */
static void walk(uint32_t cube, int k, long count[16]) {
    if (!k) {
        count[distance[cube]]++;
        return;
    }
    for (int action = 0; action < WEFT_CUBE_ACTIONS; action++)
        walk(weft_cube_turn(cube, action), k - 1, count);
}

TEST(random_turns) {
    static const struct {
        int k;
        double share[6]; /* per cent by distance */
    } want[] = {
        {3, {0, 33.3, 0, 66.7}}, {4, {5.6, 0, 40.7, 0, 53.7}}, {5, {0, 13.6, 0, 43.2, 0, 43.2}}};
    if (!CHECK(distances())) return;
    for (int i = 0; i < 3; i++) {
        CASE("%d turns", want[i].k);
        enum { TIMES = 200000 };
        long all = 1, count[16] = {0}, drawn[16] = {0};
        for (int k = 0; k < want[i].k; k++) all *= WEFT_CUBE_ACTIONS;
        walk(0, want[i].k, count);
        weft_rng r;
        weft_rng_seed(&r, 2, (uint64_t)i);
        for (int k = 0; k < TIMES; k++) drawn[distance[weft_cube_scramble(0, want[i].k, &r)]]++;
        for (int d = 0; d < 6; d++) {
            const double exact = 100.0 * (double)count[d] / (double)all;
            CHECK_NEAR(exact, want[i].share[d], 0.05);
            CHECK_NEAR(100.0 * (double)drawn[d] / TIMES, exact, 0.5);
        }
    }
}

/* ---- what people write ---- */

static const char letters[] = "UDFBLR";

TEST(reading_stickers) {
    weft_ctx *c = weft_open("null");
    weft_rng r;
    weft_rng_seed(&r, 3, 0);
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
        const uint32_t cube = weft_rng_below(&r, WEFT_CUBE_STATES);
        uint8_t colour[24];
        char text[40];
        int n = 0;
        weft_cube_stickers(cube, colour);
        for (int k = 0; k < 24; k++) {
            if (k && k % 4 == 0) text[n++] = ' ';
            text[n++] = letters[colour[k]];
        }
        text[n] = 0;
        uint32_t back = 0;
        wrong += weft_cube_read(c, text, &back) != WEFT_OK || back != cube;
    }
    CHECK_EQ(wrong, 0);
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"UUUU DDDD FFFF BBBB LLLL RRR", "23 stickers"},
        {"UUUU DDDD FFFF BBBB LLLL RRRRR", "25 stickers"},
        {"", "0 stickers"},
        {NULL, "0 stickers"},
        {"UUUU DDDD FFFF BBBB LLLL RRRX", "sticker 24 is 'X'"},
        {"UUUD DDDD FFFF BBBB LLLL RRRR", "place URF shows D R F clockwise; there is no such"},
        {"UUUF DDDD FRFF BBBB LLLL URRR", "add up to 1 thirds"},
        {"UURU DDDD FFFF BBBB LLLL RRRR", "place UFL shows R F L"},
        {"BBBB FFFF UUUU DDDD LLLL RRRR", "corner DBL is not at home"},
        {"UUUU DDDD FFFF BBBL LLBL RRRR", "place DBL shows D L B clockwise"},
        {"UUUU DDDD RFFF BBBB LFLL RRRR", "corner URF is there twice, again in place UFL"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("stickers %zu", i);
        uint32_t cube = 5;
        CHECK_EQ(weft_cube_read(c, bad[i].text, &cube), WEFT_ARGUMENT);
        CHECK_EQ(cube, 5);
        CHECK_HAS(weft_error(c), bad[i].why);
    }
    weft_close(c);
}

TEST(impossible_pieces) {
    weft_ctx *c = weft_open("null");
    uint32_t cube = 5;
    const uint8_t home[7] = {0, 1, 2, 3, 4, 5, 6}, none[7] = {0};
    CHECK_EQ(weft_cube_of(c, (uint8_t[7]){0, 1, 2, 3, 4, 5, 7}, none, &cube), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "place DRB has piece 7");
    CHECK_EQ(weft_cube_of(c, home, (uint8_t[7]){3}, &cube), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "twist 3");
    CHECK_EQ(weft_cube_of(c, (uint8_t[7]){0, 1, 2, 3, 4, 5, 0}, none, &cube), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "corner URF is there twice, again in place DRB");
    CHECK_EQ(weft_cube_of(c, home, (uint8_t[7]){0, 0, 1}, &cube), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "twisted by hand");
    CHECK_EQ(cube, 5);
    CHECK_EQ(weft_cube_turn(WEFT_CUBE_STATES, 0), WEFT_CUBE_STATES);
    CHECK_EQ(weft_cube_turn(9, 6), 9);
    CHECK_EQ(weft_cube_turn(9, -1), 9);
    weft_close(c);
}

TEST(reading_turns) {
    weft_ctx *c = weft_open("null");
    int32_t out[12];
    int n = 0;
    CHECK_EQ(weft_cube_read_actions(c, " R U' F2\nB ", WEFT_CUBE3_ACTIONS, out, 12, &n), WEFT_OK);
    const int32_t want[] = {0, 3, 4, 4, 10};
    CHECK_EQ(n, 5);
    CHECK_MEM(out, want, sizeof want);
    CHECK_EQ(weft_cube_read_actions(c, "R B", WEFT_CUBE_ACTIONS, out, 12, &n), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "\"B\"");
    CHECK_HAS(weft_error(c), "R U F were expected");
    CHECK_EQ(weft_cube_read_actions(c, "R X", WEFT_CUBE3_ACTIONS, out, 12, &n), WEFT_ARGUMENT);
    CHECK_EQ(weft_cube_read_actions(c, "R U F R", WEFT_CUBE_ACTIONS, out, 3, &n), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "more than 3");
    CHECK_EQ(weft_cube_read_actions(c, "", WEFT_CUBE_ACTIONS, out, 3, &n), WEFT_OK);
    CHECK_EQ(n, 0);
    for (int i = 0; i < WEFT_CUBE3_ACTIONS; i++) { /* names are read back as they are written */
        CHECK_EQ(weft_cube_read_actions(c, weft_cube_action_name(i), 12, out, 12, &n), WEFT_OK);
        CHECK_EQ(n, 1), CHECK_EQ(out[0], i);
    }
    CHECK(!weft_cube_action_name(-1) && !weft_cube_action_name(12));
    weft_close(c);
}

/* ---- as an environment ---- */

TEST(observations) {
    const weft_env *e = weft_env_named(NULL, "cube"), *slots = weft_env_named(NULL, "cube-slots");
    if (!CHECK(e && slots)) return;
    CHECK_EQ(e->obs, 144);
    CHECK_EQ(e->limit, 50);
    CHECK_EQ(e->actions, 6);
    int wrong = 0;
    for (int i = 0; i < 2000; i++) {
        const uint32_t cube = test_random() % WEFT_CUBE_STATES;
        float seen[144], by_slot[147];
        uint8_t colour[24], piece[7], twist[7];
        int32_t index[7], same[7];
        e->observe(&cube, seen);
        slots->observe(&cube, by_slot);
        slots->index(&cube, index);
        weft_cube_index(cube, same);
        wrong += memcmp(index, same, sizeof same) != 0;
        weft_cube_stickers(cube, colour);
        weft_cube_pieces(cube, piece, twist);
        for (int k = 0; k < 144; k++) wrong += seen[k] != (colour[k / 6] == k % 6);
        for (int k = 0; k < 147; k++) {
            const int place = k / 21;
            wrong += by_slot[k] != (piece[place] == k % 21 / 3 && twist[place] == k % 3);
        }
        for (int k = 0; k < 7; k++) wrong += index[k] / 21 != k || by_slot[index[k]] != 1;
    }
    CHECK_EQ(wrong, 0);
    char text[200];
    e->show(&(uint32_t){0}, text, sizeof text);
    CHECK_STR(text,
              "     U U\n     U U\nL L  F F  R R  B B\nL L  F F  R R  B B\n     D D\n     D D\n");
}

TEST(episodes) {
    const weft_env *e = weft_env_named(NULL, "cube");
    if (!CHECK(e)) return;
    weft_rng r;
    weft_rng_seed(&r, 4, 0);
    uint32_t cube = turned(0, "R U");
    bool done = true;
    CHECK_NEAR(e->step(&cube, &r, 3, &done), -0.01, 1e-9); /* U' */
    CHECK(!done);
    CHECK_NEAR(e->step(&cube, &r, 1, &done), 1, 0); /* R' */
    CHECK(done && cube == 0);
    if (!distances()) return;
    int far = 0, over = 0;
    for (int i = 0; i < 3000; i++) {
        e->reset(&cube, &r, 4);
        over += distance[cube] > 4 || distance[cube] % 2;
        e->reset(&cube, &r, 0);
        far += distance[cube] > 8;
    }
    CHECK_EQ(over, 0);
    CHECK_NEAR(far / 3000.0, 0.958, 0.02); /* level 0 is any cube */
    weft_ctx *c = weft_open("null");
    CHECK_EQ(e->check(c, &(uint32_t){WEFT_CUBE_STATES}), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "number 3674160");
    CHECK_EQ(e->check(c, &(uint32_t){WEFT_CUBE_STATES - 1}), WEFT_OK);
    weft_close(c);
}
