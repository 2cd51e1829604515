/* test_env.c - random numbers, the table of environments, cart-pole against its equations, the grid
 * against value iteration. */
#include "test.h"
#include "weft/rl.h"

#include <math.h>
#include <string.h>

/* ---- random numbers ---- */

TEST(published_sequence) { /* xoroshiro128++ from the state 1, 2 */
    static const uint64_t want[] = {393217u,
                                    669327710093319u,
                                    1732421326133921491u,
                                    11394790081659126983u,
                                    9555452776773192676u,
                                    3586421180005889563u};
    weft_rng r = {1, 2};
    for (int i = 0; i < 6; i++) CHECK_EQ(weft_rng_next(&r), want[i] >> 32);
}

TEST(streams_differ) {
    static weft_rng r[64][64];
    int same = 0;
    for (uint64_t seed = 0; seed < 64; seed++)
        for (uint64_t stream = 0; stream < 64; stream++)
            weft_rng_seed(&r[seed][stream], seed, stream);
    for (int i = 0; i < 64 * 64; i++)
        for (int j = 0; j < i; j++) {
            const weft_rng *a = &r[i / 64][i % 64], *b = &r[j / 64][j % 64];
            same += a->a == b->a && a->b == b->b;
        }
    CHECK_EQ(same, 0);
    double sum = 0; /* neighbours are not alike: their draws agree in half their bits */
    for (int i = 0; i < 63; i++) {
        const uint32_t x = weft_rng_next(&r[1][i]) ^ weft_rng_next(&r[1][i + 1]);
        for (int k = 0; k < 32; k++) sum += x >> k & 1;
    }
    CHECK_NEAR(sum / (63 * 32), 0.5, 0.06);
}

TEST(below_is_even) {
    static const uint32_t sizes[] = {1, 2, 3, 6, 10, 100};
    weft_rng r;
    weft_rng_seed(&r, 1, 0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        CASE("below %u", (unsigned)sizes[s]);
        enum { DRAWS = 300000 };
        int seen[100] = {0}, outside = 0;
        const double each = (double)DRAWS / sizes[s];
        for (int i = 0; i < DRAWS; i++) {
            const uint32_t x = weft_rng_below(&r, sizes[s]);
            if (x < sizes[s]) seen[x]++;
            else outside++;
        }
        CHECK_EQ(outside, 0);
        double chi = 0;
        for (uint32_t k = 0; k < sizes[s]; k++) chi += (seen[k] - each) * (seen[k] - each) / each;
        const double n = sizes[s] - 1.0;
        CHECK(chi <= n + 5 * sqrt(2 * n) + 1);
    }
    CASE("almost all numbers"); /* three quarters of 2^32: plain scaling would favour every third */
    int third[3] = {0};
    for (int i = 0; i < 300000; i++) third[weft_rng_below(&r, 0xc0000000u) % 3]++;
    for (int k = 0; k < 3; k++) CHECK_NEAR(third[k], 100000, 1300);
    CASE("nothing");
    CHECK_EQ(weft_rng_below(&r, 0), 0);
}

TEST(uniform_numbers) {
    weft_rng r;
    weft_rng_seed(&r, 2, 0);
    double sum = 0, squares = 0;
    int outside = 0;
    for (int i = 0; i < 200000; i++) {
        const float x = weft_rng_uniform(&r);
        outside += !(x >= 0 && x < 1);
        sum += x, squares += (double)x * x;
    }
    CHECK_EQ(outside, 0);
    CHECK_NEAR(sum / 200000, 0.5, 0.003);
    CHECK_NEAR(squares / 200000, 1.0 / 3, 0.003);
}

TEST(choices) {
    static const uint32_t masks[] = {1, 8, 5, 15, 0x3f, 0xfff, 0x80000001, 0x12345678, 0xffffffff};
    weft_rng r;
    weft_rng_seed(&r, 3, 0);
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
        CASE("mask %x", (unsigned)masks[m]);
        enum { DRAWS = 64000 };
        int seen[32] = {0}, n = 0, outside = 0;
        for (int i = 0; i < DRAWS; i++) {
            const int place = weft_rng_choose(&r, masks[m]);
            if (place >= 0 && place < 32) seen[place]++;
            else outside++;
        }
        CHECK_EQ(outside, 0);
        for (int k = 0; k < 32; k++) n += masks[m] >> k & 1;
        for (int k = 0; k < 32; k++) {
            const double want = masks[m] >> k & 1 ? (double)DRAWS / n : 0;
            CHECK_NEAR(seen[k], want, 5 * sqrt(want));
        }
    }
    CHECK_EQ(weft_rng_choose(&r, 0), -1);
}

/* ---- the table ---- */

TEST(by_name) {
    weft_ctx *c = weft_open("null");
    int n = 0;
    for (const weft_env *e; (e = weft_env_at(n)); n++) {
        CASE("%s", e->name);
        CHECK(weft_env_named(c, e->name) == e);
        CHECK(e->size > 0 && e->obs > 0 && e->actions > 0 && e->actions <= 32);
        _Alignas(8) unsigned char a[64];
        _Alignas(8) unsigned char b[64];
        char text[400], little[8];
        if (!CHECK(e->size <= sizeof a)) continue;
        weft_rng r, s;
        weft_rng_seed(&r, 9, 9);
        s = r;
        memset(a, 0, sizeof a), memset(b, 255, sizeof b);
        e->reset(a, &r, 0);
        e->reset(b, &s, 0); /* what was there before does not matter */
        CHECK_MEM(a, b, e->size);
        CHECK_MEM(&r, &s, sizeof r);
        CHECK_EQ(e->check(c, a), WEFT_OK);
        e->show(a, text, sizeof text);
        CHECK(strlen(text) > 20 && strlen(text) + 1 < sizeof text);
        memset(little, 'x', sizeof little);
        e->show(a, little, 5);
        CHECK(memchr(little, 0, 5) && little[5] == 'x');
        float obs[500];
        int32_t slots[32];
        for (int i = 0; i < 500; i++) obs[i] = -7;
        e->observe(a, obs);
        for (int i = 0; i < 500; i++) CHECK_EQ(obs[i] == -7, i >= e->obs);
        if (e->slots) { /* indices are below words, and differ between slots */
            e->index(a, slots);
            for (int i = 0; i < e->slots; i++) {
                CHECK(slots[i] >= 0 && slots[i] < e->words);
                for (int k = 0; k < i; k++) CHECK(slots[i] != slots[k]);
            }
        }
        const uint32_t legal = weft_env_legal(e, a);
        CHECK(legal != 0 && (uint64_t)legal >> e->actions == 0);
    }
    CASE("others");
    CHECK_EQ(n, 8);
    CHECK(!weft_env_at(-1));
    CHECK(!weft_env_named(c, "chess"));
    CHECK_EQ(weft_error_code(c), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "unknown environment \"chess\"; available: 2048, ");
    CHECK_HAS(weft_error(c), "cartpole, grid");
    CHECK(!weft_env_named(c, NULL));
    weft_close(c);
}

TEST(views_of_2048) {
    const weft_env *logs = weft_env_named(NULL, "2048"), *raw = weft_env_named(NULL, "2048-raw");
    const weft_env *hot = weft_env_named(NULL, "2048-one-hot");
    if (!CHECK(logs && raw && hot)) return;
    const uint64_t board = 0xfedcba9876543210;
    float x[16], y[16], z[256];
    int32_t slots[16];
    logs->observe(&board, x), raw->observe(&board, y), hot->observe(&board, z);
    logs->index(&board, slots);
    CHECK_EQ(hot->obs, 256);
    for (int i = 0; i < 16; i++) {
        CHECK_NEAR(x[i], i / 11.0, 1e-7);
        CHECK_EQ(y[i], i ? (float)(1 << i) : 0);
        CHECK_EQ(slots[i], 16 * i + i);
        for (int k = 0; k < 16; k++) CHECK_EQ(z[16 * i + k], i == k);
    }
    weft_rng r, before;
    weft_rng_seed(&r, 1, 0);
    before = r;
    uint64_t e = 0x0000000000000021; /* nothing moves left */
    bool done = true;
    CHECK_EQ(logs->step(&e, &r, WEFT_2048_LEFT, &done), 0);
    CHECK(e == 0x21 && !done);
    CHECK_MEM(&r, &before, sizeof r);
    e = 0x1212212112122121; /* nothing moves at all: it was over already */
    CHECK_EQ(logs->step(&e, &r, WEFT_2048_LEFT, &done), 0);
    CHECK(done);
    e = 0x0000000000000011;
    CHECK_EQ(logs->step(&e, &r, WEFT_2048_RIGHT, &done), 4);
    CHECK((e & 0xf000) == 0x2000 && !done);
    int over = 0; /* one cell becomes empty, and beside it is a 2: only another 2 there goes on */
    for (int i = 0; i < 10000; i++) {
        e = 0x9876876598761650;
        CHECK_EQ(logs->step(&e, &r, WEFT_2048_LEFT, &done), 0);
        over += done;
        if (!CHECK_EQ(done, e == 0x9876876598762165) || !CHECK_EQ(done, !logs->legal(&e))) break;
    }
    CHECK_NEAR(over, 1000, 150);
}

/* ---- cart-pole: the two equations of motion, solved as such ---- */

static void slow_pole(double s[4], int action) {
    const double m = 0.1, l = 0.5, both = 1.1, g = 9.8, force = action ? 10 : -10;
    const double sine = sin(s[2]), cosine = cos(s[2]);
    /* both x'' + m l cos a'' = force + m l sin a'^2;  m l cos x'' + 4/3 m l^2 a'' = m g l sin */
    const double a11 = both, a12 = m * l * cosine, b1 = force + m * l * s[3] * s[3] * sine;
    const double a21 = m * l * cosine, a22 = 4.0 / 3 * m * l * l, b2 = m * g * l * sine;
    const double d = a11 * a22 - a12 * a21;
    const double place = (b1 * a22 - a12 * b2) / d, angle = (a11 * b2 - a21 * b1) / d;
    const double old[4] = {s[0], s[1], s[2], s[3]};
    s[0] = old[0] + 0.02 * old[1], s[1] = old[1] + 0.02 * place;
    s[2] = old[2] + 0.02 * old[3], s[3] = old[3] + 0.02 * angle;
}

TEST(cart_and_pole) {
    const weft_env *e = weft_env_named(NULL, "cartpole");
    if (!CHECK(e)) return;
    weft_rng r;
    weft_rng_seed(&r, 5, 0);
    double worst = 0, most = 0;
    int wrong = 0, episodes = 0;
    for (int n = 0; n < 300; n++) {
        weft_cartpole p;
        e->reset(&p, &r, 0);
        double s[4] = {p.x, p.speed, p.angle, p.spin};
        for (int i = 0; i < 4; i++) wrong += !(fabs(s[i]) <= 0.05), most = fmax(most, fabs(s[i]));
        bool done = false;
        for (int step = 0; step < 400 && !done; step++) {
            /* every third episode with a rule that keeps it up for long, to see large speeds */
            const int action = n % 3 ? (int)weft_rng_below(&r, 2) : s[2] + 0.3 * s[3] > 0;
            wrong += e->step(&p, &r, action, &done) != 1;
            slow_pole(s, action);
            const double got[4] = {p.x, p.speed, p.angle, p.spin};
            float obs[4];
            e->observe(&p, obs);
            for (int i = 0; i < 4; i++) {
                worst = fmax(worst, fabs(got[i] - s[i]));
                wrong += obs[i] != (float)got[i];
                s[i] = got[i];
            }
            wrong += done != (fabs(s[0]) > 2.4 || fabs(s[2]) > 12 * acos(-1) / 180);
        }
        episodes += done;
    }
    CHECK_EQ(wrong, 0);
    CHECK(worst < 1e-13);
    CHECK(most > 0.049);
    CHECK(episodes >= 200);
    CHECK_EQ(e->limit, 500);
    weft_ctx *c = weft_open("null");
    CHECK_EQ(e->check(c, &(weft_cartpole){.x = 2.5}), WEFT_ARGUMENT);
    CHECK_EQ(e->check(c, &(weft_cartpole){.angle = 0.21}), WEFT_ARGUMENT);
    CHECK_EQ(e->check(c, &(weft_cartpole){.spin = NAN}), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "spin nan");
    weft_close(c);
}

/* ---- the grid ---- */

enum { CELLS = WEFT_GRID_ROWS * WEFT_GRID_COLUMNS };
static const char *const map[WEFT_GRID_ROWS] = {"....#..G", ".##.#.#.", ".#....#P",
                                                ".#.##...", "...#..#.", ".#...#.."};

static char on(int cell) {
    return map[cell / WEFT_GRID_COLUMNS][cell % WEFT_GRID_COLUMNS];
}

/* The rules once more, on the map above. */
static int slow_grid(int cell, int action) {
    int row = cell / WEFT_GRID_COLUMNS, column = cell % WEFT_GRID_COLUMNS;
    if (action == 0 && row > 0) row--;
    if (action == 1 && row < WEFT_GRID_ROWS - 1) row++;
    if (action == 2 && column > 0) column--;
    if (action == 3 && column < WEFT_GRID_COLUMNS - 1) column++;
    const int to = row * WEFT_GRID_COLUMNS + column;
    return on(to) == '#' ? cell : to;
}

static double reward_of(int to) {
    return on(to) == 'G' ? 1 : on(to) == 'P' ? -1 : -0.01;
}

TEST(grid_is_solved_exactly) {
    const weft_env *e = weft_env_named(NULL, "grid");
    if (!CHECK(e)) return;
    weft_rng r;
    weft_rng_seed(&r, 6, 0);
    int wrong = 0;
    for (int cell = 0; cell < CELLS; cell++)
        for (int action = 0; action < 4 && on(cell) == '.'; action++) {
            weft_grid g = {cell};
            bool done;
            const float reward = e->step(&g, &r, action, &done);
            const int to = slow_grid(cell, action);
            wrong += g.cell != to || reward != (float)reward_of(to) || done != (on(to) != '.');
        }
    CHECK_EQ(wrong, 0);
    double value[CELLS] = {0}, change = 1; /* best total from each cell; nothing behind the ends */
    for (int sweep = 0; sweep < 200 && change > 0; sweep++) {
        change = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            if (on(cell) != '.') continue;
            double best = -1e9;
            for (int action = 0; action < 4; action++) {
                const int to = slow_grid(cell, action);
                best = fmax(best, reward_of(to) + 0.99 * value[to]);
            }
            change = fmax(change, fabs(best - value[cell]));
            value[cell] = best;
        }
    }
    CHECK_EQ(change, 0);
    int far[CELLS]; /* steps to the goal, by search from it */
    for (int i = 0; i < CELLS; i++) far[i] = on(i) == 'G' ? 0 : 1000;
    for (int round = 0; round < CELLS; round++)
        for (int cell = 0; cell < CELLS; cell++)
            for (int action = 0; action < 4 && on(cell) == '.'; action++)
                if (on(slow_grid(cell, action)) != 'P' &&
                    far[slow_grid(cell, action)] + 1 < far[cell])
                    far[cell] = far[slow_grid(cell, action)] + 1;
    int starts = 0, seen[CELLS] = {0};
    for (int cell = 0; cell < CELLS; cell++) {
        if (on(cell) != '.') continue;
        starts++;
        if (!CHECK(far[cell] < 1000)) continue; /* the goal is reached from everywhere */
        const double steps = far[cell] - 1, discount = pow(0.99, steps);
        CHECK_NEAR(value[cell], discount - 0.01 * (1 - discount) / 0.01, 1e-12);
    }
    for (int i = 0; i < 100 * starts; i++) {
        weft_grid g;
        e->reset(&g, &r, 0);
        seen[g.cell]++;
    }
    for (int cell = 0; cell < CELLS; cell++)
        CHECK_NEAR(seen[cell], on(cell) == '.' ? 100 : 0, on(cell) == '.' ? 45 : 0);
    weft_ctx *c = weft_open("null");
    CHECK_EQ(e->check(c, &(weft_grid){4}), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "cell 4: it is a wall");
    CHECK_EQ(e->check(c, &(weft_grid){7}), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "ends an episode");
    CHECK_EQ(e->check(c, &(weft_grid){CELLS}), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "must be 0 to 47");
    weft_close(c);
}
