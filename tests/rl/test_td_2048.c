/* test_td_2048.c - 2048 for the learner of after states: which entries a board names, against cells
 * looked at one by one; that all sides of a board have one value; that it learns to play. */
#include "test.h"
#include "weft/rl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 8, MOST = 8 };
static const int sets[] = {4, 5, 8};
static const char *const tuples[MOST] = {"012456", "456789", "012345", "234569",
                                         "01259a", "789abc", "89abce", "01489a"};

static uint64_t wide_random(void) {
    return (uint64_t)test_random() << 32 | test_random();
}

/* Bit b of the j-th cell is bit 6 b + j; each table then has an order of its own. */
static uint32_t slow_entry(uint64_t board, int tuple) {
    uint32_t entry = 0;
    for (int j = 0; j < 6; j++) {
        const char digit[2] = {tuples[tuple][j], 0};
        const uint32_t tile = board >> (4 * strtol(digit, NULL, 16)) & 15;
        for (int b = 0; b < 4; b++) entry |= (tile >> b & 1) << (6 * b + j);
    }
    return entry ^ (uint32_t)tuple * 0x5330;
}

static int compare(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

TEST(entries_cell_by_cell) {
    weft_ctx *c = weft_open("null");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        CASE("%d tuples", sets[i]);
        const int n = sets[i];
        const weft_td_game *const g = weft_td_2048(c, n);
        if (!CHECK(g != NULL)) continue;
        CHECK_EQ(g->tables, n);
        CHECK_EQ(g->slots, SIDES);
        CHECK_EQ(g->words, 1 << 24);
        int wrong = 0, split = 0, beyond = 0;
        for (int k = 0; k < 20000; k++) {
            const uint64_t board = k % 2 ? wide_random() : wide_random() & 0x3333333333333333;
            uint32_t got[MOST * SIDES], want[SIDES], part[MOST * SIDES];
            g->index(&board, 0, n, got);
            for (int t = 0; t < n; t++) {
                for (int s = 0; s < SIDES; s++)
                    want[s] = slow_entry(weft_2048_symmetry(board, s), t);
                qsort(want, SIDES, sizeof *want, compare); /* which side is which does not matter */
                memcpy(part, got + t * SIDES, sizeof want);
                qsort(part, SIDES, sizeof *part, compare);
                wrong += memcmp(part, want, sizeof want) != 0;
                for (int s = 0; s < SIDES; s++) beyond += want[s] >= g->words;
            }
            const int first = (int)(test_random() % (uint32_t)n);
            const int some = 1 + (int)(test_random() % (uint32_t)(n - first));
            g->index(&board, first, some, part);
            split += memcmp(part, got + first * SIDES, (size_t)some * SIDES * sizeof *got) != 0;
        }
        CHECK_EQ(wrong, 0);
        CHECK_EQ(split, 0);
        CHECK_EQ(beyond, 0);
    }
    CASE("other sets");
    CHECK(weft_td_2048(c, 0) == weft_td_2048(c, 5));
    for (int n = -1; n < 12; n++)
        if (n && n != 4 && n != 5 && n != 8) {
            CHECK(weft_td_2048(c, n) == NULL);
            CHECK_HAS(weft_error(c), "there are sets of 4 5 8");
        }
    weft_close(c);
}

/* The eight pairs of shapes in the table are different ones, from any side. */
TEST(tuples_differ) {
    for (int a = 0; a < MOST; a++)
        for (int b = 0; b < a; b++)
            for (int s = 0; s < SIDES; s++) {
                uint64_t x = 0, y = 0;
                for (int j = 0; j < 6; j++) {
                    const char p[2] = {tuples[a][j], 0}, q[2] = {tuples[b][j], 0};
                    x |= (uint64_t)1 << (4 * strtol(p, NULL, 16));
                    y |= (uint64_t)1 << (4 * strtol(q, NULL, 16));
                }
                CHECK(weft_2048_symmetry(x, s) != y);
            }
}

/* ---- the rules, as the learner sees them ---- */

TEST(rules) {
    weft_ctx *c = weft_open("null");
    const weft_td_game *const g = weft_td_2048(c, 4);
    weft_rng r, same;
    weft_rng_seed(&r, 1, 1);
    int wrong = 0;
    for (int game = 0; game < 200; game++) {
        uint64_t board, next;
        same = r;
        g->start(&board, &r);
        wrong += board != weft_2048_start(&same);
        for (;;) {
            uint64_t after[4];
            float reward[4];
            const uint32_t legal = g->moves(&board, after, reward);
            wrong += legal != weft_2048_legal(board) || g->check(c, &board) != WEFT_OK;
            for (int a = 0; a < 4; a++) {
                uint32_t points;
                wrong += after[a] != weft_2048_move(board, a, &points);
                wrong += legal >> a & 1 && reward[a] != (float)points;
            }
            const int action = weft_rng_choose(&r, legal);
            if (action < 0) break;
            same = r;
            g->chance(&after[action], &next, &r);
            wrong += next != weft_2048_spawn(after[action], &same);
            board = next;
        }
    }
    CHECK_EQ(wrong, 0);
    weft_close(c);
}

/* ---- learning ---- */

typedef struct judged {
    double mean, error; /* of the mean */
} judged;

/* Greedy games, many at once, each with a generator of its own. */
static judged judge(weft_td *a, int games) {
    enum { TOGETHER = 64 };
    double sum = 0, squares = 0;
    for (int first = 0; first < games; first += TOGETHER) {
        const int n = games - first < TOGETHER ? games - first : TOGETHER;
        uint64_t board[TOGETHER] = {0};
        double score[TOGETHER] = {0};
        weft_rng r[TOGETHER];
        int32_t action[TOGETHER];
        for (int i = 0; i < n; i++) {
            weft_rng_seed(&r[i], 99, (uint64_t)(first + i));
            board[i] = weft_2048_start(&r[i]);
        }
        for (bool going = true; going;) {
            going = false;
            weft_td_best(a, n, board, action);
            for (int i = 0; i < n; i++) {
                uint32_t points;
                if (action[i] < 0) continue;
                board[i] = weft_2048_spawn(weft_2048_move(board[i], action[i], &points), &r[i]);
                score[i] += points;
                going = true;
            }
        }
        for (int i = 0; i < n; i++) sum += score[i], squares += score[i] * score[i];
    }
    const double mean = sum / games;
    return (judged){mean, sqrt((squares / games - mean * mean) / games)};
}

/* Random play makes 1,100 points; after 400,000 moves, a third of a second, it is near 10,000. */
TEST(learns_to_play) {
    weft_ctx *c = weft_open("null");
    weft_state *s = weft_state_new(c);
    const bool slow = test_sanitized();
    weft_td *a =
        weft_td_new(s, weft_td_2048(c, 4), "td",
                    &(weft_td_desc){.plain = true, .moves = slow ? 40000 : 400000, .threads = 2});
    if (!a) CHECK_STR(weft_error(c), "");
    else if (CHECK_EQ(weft_td_step(a, 0, NULL), WEFT_OK)) {
        const judged j = judge(a, slow ? 20 : 100);
        CHECK(j.mean - 3 * j.error > (slow ? 2500 : 7000));
        CASE("all sides of a board have one value");
        int wrong = 0;
        for (int k = 0; k < 2000; k++) {
            uint64_t side[SIDES] = {wide_random() & 0x3333333333333333};
            float value[SIDES];
            for (int i = 1; i < SIDES; i++) side[i] = weft_2048_symmetry(side[0], i);
            weft_td_value(a, SIDES, side, value);
            for (int i = 1; i < SIDES; i++) /* added up in another order */
                wrong += fabsf(value[i] - value[0]) > 1e-5f * (1 + fabsf(value[0]));
        }
        CHECK_EQ(wrong, 0);
        CASE("a board that cannot be");
        const uint64_t board = 0xffffffffffffffff;
        memcpy(weft_state_data(s, "rng.td.state"), &board, sizeof board);
        CHECK_EQ(weft_td_step(a, 0, NULL), WEFT_STATE);
        CHECK_HAS(weft_error(c), "game 0 of 8: 2048: no tile is a 2 or a 4");
    }
    weft_td_free(a);
    weft_state_free(s);
    weft_close(c);
}

/* What the whole training rests on: with more moves it plays better. Takes a minute. */
TEST(goes_on_learning) {
    if (!test_learn()) SKIP("takes a minute; WEFT_TEST_LEARN=1 runs it");
    weft_ctx *c = weft_open("null");
    weft_state *s = weft_state_new(c);
    weft_td *a =
        weft_td_new(s, weft_td_2048(c, 0), "td", &(weft_td_desc){.moves = 1000000, .threads = 2});
    static const double least[] = {20000, 40000, 50000}; /* after 4, 20 and 40 million moves */
    static const int until[] = {4, 20, 40};
    for (int i = 0, step = 0; a && i < 3; i++) {
        for (; step < until[i]; step++) CHECK_EQ(weft_td_step(a, step, NULL), WEFT_OK);
        CHECK(judge(a, 400).mean > least[i]);
    }
    weft_td_free(a);
    weft_state_free(s);
    weft_close(c);
}
