/* test_wiring.c - which values the gates of a layer read: their order, how evenly, and what is
 * refused. */
#include "test.h"
#include <weft/logic.h>

#include <math.h>
#include <string.h>

TEST(unique_pairs_come_in_order) {
    weft_ctx *c = weft_open("cpu");
    static const int32_t want[][2] = {{0, 1}, {2, 3}, {4, 5}, {1, 2}, {3, 4}, {0, 2},
                                      {1, 3}, {2, 4}, {3, 5}, {0, 3}, {1, 4}, {2, 5}};
    int32_t pairs[12][2];
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 6, 12, 0, pairs[0]), WEFT_OK);
    CHECK(!memcmp(pairs, want, sizeof want));
    int32_t mixed[12][2], again[12][2];
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 6, 12, 9, mixed[0]), WEFT_OK);
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 6, 12, 9, again[0]), WEFT_OK);
    CHECK(memcmp(mixed, pairs, sizeof pairs) && !memcmp(mixed, again, sizeof mixed));
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 6, 12, 1, again[0]), WEFT_OK);
    CHECK(memcmp(again, pairs, sizeof pairs) != 0);
    for (int i = 0; i < 12; i++) { /* the same pairs, each once */
        int met = 0;
        for (int k = 0; k < 12; k++) met += !memcmp(mixed[k], want[i], sizeof want[i]);
        CHECK_EQ(met, 1);
    }
    weft_close(c);
}

/* All six pairs, then neighbours again, all of them, and so on. */
TEST(unique_pairs_begin_again) {
    weft_ctx *c = weft_open("cpu");
    static const int32_t want[][2] = {{0, 1}, {2, 3}, {1, 2}, {0, 2}, {1, 3}, {0, 3}, {0, 1},
                                      {1, 2}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {0, 1}, {1, 2}};
    int32_t pairs[14][2];
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 4, 14, 0, pairs[0]), WEFT_OK);
    CHECK_MEM(pairs, want, sizeof want);
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 2, 3, 0, pairs[0]), WEFT_OK);
    for (int i = 0; i < 3; i++) CHECK_MEM(pairs[i], want[0], sizeof want[0]);
    weft_close(c);
}

TEST(other_pairs_are_of_two_values) {
    weft_ctx *c = weft_open("cpu");
    enum { VALUES = 11, GATES = 40 };
    for (int w = WEFT_WIRING_RANDOM; w <= WEFT_WIRING_BALANCED; w++)
        for (uint64_t seed = 0; seed < 50; seed++) {
            CASE("wiring %d, seed %d", w, (int)seed);
            int32_t pairs[GATES][2];
            int read[VALUES] = {0};
            CHECK_EQ(weft_wire(c, (weft_wiring)w, VALUES, GATES, seed, pairs[0]), WEFT_OK);
            for (int i = 0; i < GATES; i++) {
                CHECK(pairs[i][0] != pairs[i][1]);
                for (int k = 0; k < 2; k++) {
                    if (CHECK(pairs[i][k] >= 0 && pairs[i][k] < VALUES)) read[pairs[i][k]]++;
                }
            }
            for (int i = 0; i < VALUES && w == WEFT_WIRING_BALANCED; i++)
                CHECK(read[i] == 2 * GATES / VALUES || read[i] == 2 * GATES / VALUES + 1);
        }
    int32_t pairs[2];
    CHECK_EQ(weft_wire(c, WEFT_WIRING_BALANCED, 2, 1, 3, pairs), WEFT_OK);
    CHECK(pairs[0] != pairs[1]);
    CHECK_EQ(weft_wire(c, WEFT_WIRING_RANDOM, 1, 1, 3, pairs), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "over 1 values");
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 4, 0, 0, pairs), WEFT_ARGUMENT);
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 4, (1 << 26) + 1, 0, pairs), WEFT_ARGUMENT);
    CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, 4, 1, 0, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_wire(c, WEFT_WIRING_COUNT, 4, 1, 0, pairs), WEFT_ARGUMENT);
    weft_close(c);
}

TEST(orders_are_even) {
    enum { SEEDS = 4000, VALUES = 8, GATES = VALUES / 2 };
    int count[GATES][GATES] = {{0}};
    weft_ctx *c = weft_open("cpu");
    for (int seed = 1; seed <= SEEDS; seed++) {
        int32_t pairs[GATES][2];
        CHECK_EQ(weft_wire(c, WEFT_WIRING_UNIQUE, VALUES, GATES, (uint64_t)seed, pairs[0]),
                 WEFT_OK);
        for (int i = 0; i < GATES; i++) {
            CHECK_EQ(pairs[i][1], pairs[i][0] + 1);
            count[i][pairs[i][0] / 2]++;
        }
    }
    double chi = 0;
    for (int i = 0; i < GATES * GATES; i++) {
        const double want = (double)SEEDS / GATES, off = count[i / GATES][i % GATES] - want;
        chi += off * off / want;
    }
    CHECK(chi < 9 + 5 * sqrt(18)); /* 3 x 3 numbers are free */
    weft_close(c);
}
