/* test_env_2048.c - 2048 against a game written the slow way, on arrays of tiles, and against what
 * is known: chances of new tiles, the points a board is worth, how far random play gets. */
#include "slow_2048.h"
#include "test.h"
#include "weft/rl.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* Moves, points and legality of one board, all directions; counts what differs. */
static int differs(uint64_t board) {
    uint64_t after[4];
    uint32_t score[4];
    int wrong = 0;
    const uint32_t legal = weft_2048_moves(board, after, score);
    wrong += legal != weft_2048_legal(board);
    for (int action = 0; action < 4; action++) {
        int cell[16];
        uint32_t points;
        unpack(board, cell);
        const uint32_t want = slow_move(cell, action);
        const uint64_t slid = pack(cell);
        wrong += weft_2048_move(board, action, &points) != slid || points != want;
        wrong += after[action] != slid || score[action] != want;
        wrong += (legal >> action & 1) != (slid != board);
    }
    return wrong;
}

static uint64_t wide_random(void) {
    return (uint64_t)test_random() << 32 | test_random();
}

static void *build_table(void *out) {
    *(uint64_t *)out = weft_2048_move(0x1111, WEFT_2048_LEFT, NULL);
    return NULL;
}

TEST(a_first_use_by_many_threads) { /* before any other: the table is not there yet */
    pthread_t thread[4];
    uint64_t got[4] = {0};
    for (int i = 0; i < 4; i++) pthread_create(&thread[i], NULL, build_table, &got[i]);
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++) CHECK(got[i] == 0x0022);
}

TEST(all_rows) {
    int wrong = 0;
    for (uint64_t row = 0; row < 1 << 16; row++)
        for (int place = 0; place < 4; place++) {
            const uint64_t column =
                (row & 15) | (row >> 4 & 15) << 16 | (row >> 8 & 15) << 32 | (row >> 12 & 15) << 48;
            wrong += differs(row << (16 * place));
            wrong += differs(column << (4 * place));
        }
    CHECK_EQ(wrong, 0);
}

TEST(whole_boards) {
    int wrong = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t board = wide_random(), holes = wide_random();
        if (i % 2) board &= 0x3333333333333333; /* small tiles merge more often */
        if (i % 3)
            for (int k = 0; k < 16; k++)
                if (holes >> k & 1) board &= ~((uint64_t)15 << (4 * k));
        wrong += differs(board);
    }
    CHECK_EQ(wrong, 0);
}

TEST(words_of_the_rules) {
    uint32_t score;
    CHECK(weft_2048_move(0x0211, WEFT_2048_LEFT, &score) == 0x0022); /* 2 2 4 -> 4 4, not 8 */
    CHECK_EQ(score, 4);
    CHECK(weft_2048_move(0x1111, WEFT_2048_LEFT, &score) == 0x0022);
    CHECK_EQ(score, 8);
    CHECK(weft_2048_move(0x0111, WEFT_2048_RIGHT, &score) ==
          0x2100); /* from the side of the move */
    CHECK_EQ(score, 4);
    CHECK(weft_2048_move(0x00ff, WEFT_2048_LEFT, &score) == 0x00ff); /* no nibble for 65536 */
    CHECK_EQ(score, 0);
    CHECK(weft_2048_move(0x0211, 7, &score) == 0x0211);
    CHECK(weft_2048_move(0x0211, -1, NULL) == 0x0211);
    CHECK_EQ(weft_2048_legal(0), 0);
    CHECK_EQ(weft_2048_legal(0x1212212112122121), 0);
    CHECK_EQ(weft_2048_legal(0x1212212112122133), 12); /* the first row has two alike */
}

/* ---- symmetries ---- */

static uint64_t slow_symmetry(uint64_t board, int k) {
    int cell[16], turned[16];
    unpack(board, cell);
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) {
            int r = row, c = column;
            if (k & 1) c = 3 - c;
            if (k & 2) r = 3 - r;
            turned[k & 4 ? c * 4 + r : r * 4 + c] = cell[row * 4 + column];
        }
    return pack(turned);
}

TEST(symmetries) {
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
        const uint64_t board = wide_random() & 0x3333333333333333;
        for (int k = 0; k < 8; k++) {
            const uint64_t turned = weft_2048_symmetry(board, k);
            wrong += turned != slow_symmetry(board, k);
            for (int action = 0; action < 4; action++) {
                uint32_t here, there;
                const uint64_t after = weft_2048_move(board, action, &here);
                const int same = weft_2048_symmetry_action(action, k);
                wrong += weft_2048_move(turned, same, &there) != weft_2048_symmetry(after, k);
                wrong += here != there;
            }
        }
    }
    CHECK_EQ(wrong, 0);
    uint64_t all[8]; /* eight different ones */
    for (int k = 0; k < 8; k++) {
        all[k] = weft_2048_symmetry(0xfedcba9876543210, k);
        for (int j = 0; j < k; j++) CHECK(all[j] != all[k]);
    }
}

/* ---- chance ---- */

/* Sum of (seen - expected)^2 / expected. */
static double chi_square(const int *seen, const double *expected, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const double d = seen[i] - expected[i];
        sum += d * d / expected[i];
    }
    return sum;
}

/* Beyond this a chi-square of n - 1 degrees comes once in ten thousand (Wilson, Hilferty). */
static double chi_limit(int n) {
    const double k = n - 1, h = 2 / (9 * k), x = 1 - h + 3.72 * sqrt(h);
    return k * x * x * x;
}

TEST(new_tiles) {
    enum { DRAWS = 400000 };
    static const uint64_t boards[] = {0x0000000000000001, 0x1230450607800009, 0x1111111111111011,
                                      0x0000000100000000, 0xf0f0f0f00f0f0f0f, 0};
    for (size_t b = 0; b < sizeof boards / sizeof *boards; b++) {
        CASE("board %zu", b);
        const uint64_t board = boards[b];
        weft_rng r;
        weft_rng_seed(&r, 5, b);
        int seen[32] = {0}, n = 0, outside = 0, count[32];
        for (int i = 0; i < DRAWS; i++) {
            const uint64_t tile = weft_2048_spawn(board, &r) ^ board;
            int place = 0;
            while (place < 16 && !(tile >> (4 * place) & 15)) place++;
            const uint64_t exponent = place < 16 ? tile >> (4 * place) : 0;
            const bool empty = place < 16 && !(board >> (4 * place) & 15);
            if (empty && (exponent == 1 || exponent == 2)) seen[2 * place + (int)exponent - 1]++;
            else outside++;
        }
        CHECK_EQ(outside, 0);
        double expected[32];
        for (int place = 0; place < 16; place++) n += !(board >> (4 * place) & 15);
        int cells = 0;
        for (int place = 0; place < 16; place++) {
            if (board >> (4 * place) & 15) continue;
            for (int four = 0; four < 2; four++, cells++) {
                count[cells] = seen[2 * place + four];
                expected[cells] = DRAWS * (four ? 0.1 : 0.9) / n;
            }
        }
        const double got = chi_square(count, expected, cells);
        CHECK(got < chi_limit(cells));
    }
    weft_rng r, before;
    weft_rng_seed(&r, 1, 2);
    before = r;
    CHECK(weft_2048_spawn(0x1212212112122121, &r) == 0x1212212112122121);
    CHECK_MEM(&r, &before, sizeof r);
}

TEST(starts) {
    enum { GAMES = 240000 };
    static int pairs[16][16];
    int wrong = 0, fours = 0, seen[120], n = 0;
    double expected[120];
    weft_rng r;
    weft_rng_seed(&r, 11, 0);
    for (int i = 0; i < GAMES; i++) {
        int cell[16], tiles[2] = {0}, count = 0;
        unpack(weft_2048_start(&r), cell);
        for (int k = 0; k < 16; k++) {
            if (!cell[k]) continue;
            wrong += cell[k] != 2 && cell[k] != 4;
            fours += cell[k] == 4;
            if (count < 2) tiles[count] = k;
            count++;
        }
        wrong += count != 2;
        pairs[tiles[0]][tiles[1]]++;
    }
    CHECK_EQ(wrong, 0);
    CHECK_NEAR(fours / (2.0 * GAMES), 0.1, 0.002);
    for (int a = 0; a < 16; a++)
        for (int b = a + 1; b < 16; b++, n++) seen[n] = pairs[a][b], expected[n] = GAMES / 120.0;
    CHECK(chi_square(seen, expected, 120) < chi_limit(120));
}

/* ---- play ---- */

typedef struct playing {
    double score, length, error; /* means over games, and the deviation of the first mean */
} playing;

/* A policy picks one of the legal actions. */
static int evenly(uint32_t legal, weft_rng *r) {
    return weft_rng_choose(r, legal);
}
static int next_legal(uint32_t legal, weft_rng *r) { /* a random one, or the next that is legal */
    int action = (int)weft_rng_below(r, 4);
    while (!(legal >> action & 1)) action = (action + 1) % 4;
    return action;
}

static playing play(int games, int (*policy)(uint32_t, weft_rng *), uint64_t seed) {
    double sum = 0, squares = 0, steps = 0;
    weft_rng r;
    weft_rng_seed(&r, seed, 0);
    for (int i = 0; i < games; i++) {
        uint64_t board = weft_2048_start(&r);
        double score = 0;
        for (uint32_t legal; (legal = weft_2048_legal(board)); steps++) {
            uint32_t points;
            board = weft_2048_spawn(weft_2048_move(board, policy(legal, &r), &points), &r);
            score += points;
        }
        sum += score, squares += score * score;
    }
    const double mean = sum / games;
    return (playing){mean, steps / games, sqrt((squares / games - mean * mean) / games)};
}

/* The same game without anything of the library but its random numbers. */
static playing play_slowly(int games) {
    double sum = 0, squares = 0, steps = 0;
    weft_rng r;
    weft_rng_seed(&r, 99, 1);
    for (int i = 0; i < games; i++) {
        int cell[16] = {0};
        double score = 0;
        for (int turn = -1;; turn++) { /* a tile, and from the second one on a move */
            int empty[16], n = 0, legal[4], moves = 0;
            for (int k = 0; k < 16; k++)
                if (!cell[k]) empty[n++] = k;
            const int at = empty[weft_rng_below(&r, (uint32_t)n)];
            cell[at] = weft_rng_uniform(&r) < 0.1f ? 4 : 2;
            if (turn < 0) continue;
            for (int action = 0; action < 4; action++) {
                int tried[16];
                memcpy(tried, cell, sizeof tried);
                slow_move(tried, action);
                if (memcmp(tried, cell, sizeof tried)) legal[moves++] = action;
            }
            if (!moves) break;
            score += slow_move(cell, legal[weft_rng_below(&r, (uint32_t)moves)]);
            steps++;
        }
        sum += score, squares += score * score;
    }
    const double mean = sum / games;
    return (playing){mean, steps / games, sqrt((squares / games - mean * mean) / games)};
}

/* A random direction, or else the next legal one in the order up, down, left, right, makes 1064
 * points in 116 moves; among the legal ones evenly it is more: both are compared. */
TEST(random_play) {
    const int games = test_sanitized() ? 20000 : 100000;
    const playing turned = play(games, next_legal, 1), even = play(games, evenly, 2);
    const playing slow = play_slowly(games / 5);
    CHECK_NEAR(turned.score, 1064, 10);
    CHECK_NEAR(turned.length, 116, 0.7);
    CHECK_NEAR(even.score, 1096, 10);
    CHECK_NEAR(even.length, 118.4, 0.7);
    CHECK_NEAR(even.score, slow.score, 4 * sqrt(even.error * even.error + slow.error * slow.error));
    CHECK_NEAR(even.length, slow.length, 1.5);
}

/* A tile of 2^k made of 2s alone has brought (k - 1) 2^k points; a 4 that came as such brought
 * none of its 4. */
TEST(points_follow_from_tiles) {
    weft_rng r;
    weft_rng_seed(&r, 21, 0);
    int wrong = 0;
    for (int game = 0; game < 2000; game++) {
        uint64_t board = weft_2048_start(&r);
        int cell[16], fours = 0;
        long score = 0;
        unpack(board, cell);
        for (int k = 0; k < 16; k++) fours += cell[k] == 4;
        for (uint32_t legal; (legal = weft_2048_legal(board));) {
            uint32_t points;
            const uint64_t after = weft_2048_move(board, weft_rng_choose(&r, legal), &points);
            board = weft_2048_spawn(after, &r);
            score += points;
            const uint64_t tile = board ^ after;
            fours += (tile & 0x2222222222222222) != 0;
            long worth = -4L * fours;
            for (int k = 0; k < 16; k++) {
                const long exponent = (long)(board >> (4 * k) & 15);
                if (exponent) worth += (exponent - 1) * (1L << exponent);
            }
            wrong += worth != score;
        }
    }
    CHECK_EQ(wrong, 0);
}

/* ---- tiles, and boards that cannot be ---- */

TEST(tiles) {
    weft_ctx *c = weft_open("null");
    const int32_t tiles[16] = {0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 0, 2, 0};
    int32_t back[16];
    uint64_t board = 1;
    CHECK_EQ(weft_2048_board(c, tiles, &board), WEFT_OK);
    CHECK(board == 0x010cba9876543210);
    weft_2048_tiles(board, back);
    CHECK_MEM(back, tiles, sizeof tiles);
    CHECK_EQ(weft_2048_max_tile(board), 4096);
    CHECK_EQ(weft_2048_max_tile(0), 0);
    CHECK_EQ(weft_2048_max_tile(0xf), 32768);
    weft_close(c);
}

TEST(impossible_boards) {
    weft_ctx *c = weft_open("null");
    static const struct {
        int32_t tiles[16];
        const char *why;
    } bad[] = {
        {{2, 3}, "row 1, column 2 has 3"},
        {{2, 1}, "has 1"},
        {{2, 0, 0, 0, -4}, "row 2, column 1 has -4"},
        {{2, 65536}, "has 65536"},
        {{0}, "has 0 tiles"},
        {{0, 0, 2}, "has 1 tiles"},
        {{8, 8, 16}, "no tile is a 2 or a 4"},
        {{32768, 32768, 32768, 32768, 2}, "4 tiles of 32768 or more"},
        {{16, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 16, 2}, NULL}, /* just possible */
        {{16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 2}, "15 tiles of 16 or more"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("board %zu", i);
        uint64_t board = 77;
        const weft_err e = weft_2048_board(c, bad[i].tiles, &board);
        CHECK_EQ(e, bad[i].why ? WEFT_ARGUMENT : WEFT_OK);
        CHECK_EQ(board == 77, bad[i].why != NULL); /* left alone */
        if (bad[i].why) CHECK_HAS(weft_error(c), bad[i].why);
    }
    CASE("every board of a game is possible");
    weft_rng r;
    weft_rng_seed(&r, 31, 0);
    int refused = 0;
    for (int game = 0; game < 1000; game++) {
        uint64_t board = weft_2048_start(&r);
        for (uint32_t legal;;
             board = weft_2048_spawn(weft_2048_move(board, evenly(legal, &r), NULL), &r)) {
            refused += weft_2048_check(c, board) != WEFT_OK;
            if (!(legal = weft_2048_legal(board))) break;
        }
    }
    CHECK_EQ(refused, 0);
    weft_close(c);
}
