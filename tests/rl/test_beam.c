/* test_beam.c - the beam search against exhaustive search, and the cube's symmetries it is helped
 * by. Policies are made by hand: even, random, or perfect by the table of distances. */
#include "cube_truth.h"
#include "test.h"
#include "weft/rl.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static weft_err even(void *user, const void *states, int n, float *scores) {
    (void)user, (void)states;
    for (int i = 0; i < n * WEFT_CUBE_ACTIONS; i++) scores[i] = 0;
    return WEFT_OK;
}

/* Scores that are as good as random, but the same whenever a state is seen; counts states, and
 * finds those that a search shows twice. */
typedef struct watcher {
    long calls, states, twice, widest;
    uint8_t *seen; /* [WEFT_CUBE_STATES], or NULL */
} watcher;
static float noise(uint32_t cube, int action) {
    uint32_t h = cube * 2654435761u + (uint32_t)action * 40503u;
    h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
    return -(float)(h % 10007u) / 1000;
}
static weft_err random_scores(void *user, const void *states, int n, float *scores) {
    watcher *const w = user;
    const uint32_t *const cube = states;
    w->calls++, w->states += n;
    if (n > w->widest) w->widest = n;
    for (int i = 0; i < n; i++) {
        if (w->seen) w->twice += w->seen[cube[i]]++ != 0;
        for (int a = 0; a < WEFT_CUBE_ACTIONS; a++)
            scores[i * WEFT_CUBE_ACTIONS + a] = noise(cube[i], a);
    }
    return WEFT_OK;
}

static weft_err perfect(void *user, const void *states, int n, float *scores) {
    (void)user;
    const uint32_t *const cube = states;
    for (int i = 0; i < n; i++)
        for (int a = 0; a < WEFT_CUBE_ACTIONS; a++)
            scores[i * WEFT_CUBE_ACTIONS + a] =
                -(float)distance[weft_cube_turn(cube[i], a)] + 1e-3f * noise(cube[i], a);
    return WEFT_OK;
}

static bool replayed(uint32_t cube, const int32_t *actions, int n) {
    for (int i = 0; i < n; i++) cube = weft_cube_turn(cube, actions[i]);
    return cube == 0;
}

static uint32_t any_cube(weft_rng *r, int at_most) {
    for (;;) {
        const uint32_t cube = weft_cube_scramble(0, (int)weft_rng_below(r, 12), r);
        if (distance[cube] <= at_most) return cube;
    }
}

/* ---- shortest ways ---- */

/* A width that no layer can fill keeps all there is, so that the first solution is a shortest. */
TEST(all_kept_is_breadth_first) {
    weft_ctx *c = weft_open("cpu");
    if (!CHECK(c) || !CHECK(distances())) return;
    watcher w = {.seen = calloc(WEFT_CUBE_STATES, 1)};
    weft_beam *flat = weft_beam_new(c, weft_cube_puzzle(),
                                    &(weft_beam_desc){.width = 20000, .steps = 7, .policy = even});
    weft_beam *rough = weft_beam_new(
        c, weft_cube_puzzle(), &(weft_beam_desc){20000, 7, .policy = random_scores, .user = &w});
    if (!CHECK(w.seen) || !CHECK(flat) || !CHECK(rough)) return;
    weft_rng r;
    weft_rng_seed(&r, 5, 0);
    int wrong = 0;
    for (int i = 0; i < 150; i++) {
        const uint32_t cube = any_cube(&r, 6);
        int32_t way[7] = {0};
        int n = -2;
        CHECK_EQ(weft_beam_solve(flat, &cube, way, &n), WEFT_OK);
        wrong += n != distance[cube] || !replayed(cube, way, n);
        memset(w.seen, 0, WEFT_CUBE_STATES);
        CHECK_EQ(weft_beam_solve(rough, &cube, way, &n), WEFT_OK);
        wrong += n != distance[cube] || !replayed(cube, way, n);
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(w.twice, 0); /* no state is looked at twice in a search */
    CHECK(w.widest > 1000);
    weft_beam_free(flat);
    weft_beam_free(rough);
    free(w.seen);
    weft_close(c);
}

TEST(perfect_policies_need_no_width) {
    weft_ctx *c = weft_open("cpu");
    if (!CHECK(c) || !CHECK(distances())) return;
    for (int width = 1; width <= 64; width *= 8) {
        CASE("width %d", width);
        weft_beam *b = weft_beam_new(c, weft_cube_puzzle(),
                                     &(weft_beam_desc){.width = width, .policy = perfect});
        if (!CHECK(b)) return;
        weft_rng r;
        weft_rng_seed(&r, 6, 0);
        int wrong = 0;
        for (int i = 0; i < 500; i++) {
            const uint32_t cube = weft_rng_below(&r, WEFT_CUBE_STATES);
            int32_t way[50];
            int n = -2;
            CHECK_EQ(weft_beam_solve(b, &cube, way, &n), WEFT_OK);
            wrong += n != distance[cube] || !replayed(cube, way, n);
        }
        CHECK_EQ(wrong, 0);
        weft_beam_free(b);
    }
    weft_close(c);
}

/* ---- width ---- */

/* Greedy, written down at once: the best turn that does not lead to a cube it was at. */
static int greedy(uint32_t cube, int steps, int32_t *way) {
    uint32_t been[64];
    for (int n = 0; n < steps; n++) {
        been[n] = cube;
        int best = -1;
        for (int a = 0; a < WEFT_CUBE_ACTIONS; a++) {
            const uint32_t next = weft_cube_turn(cube, a);
            bool back = false;
            for (int i = 0; i <= n; i++) back |= been[i] == next;
            if (!next) { /* a solved cube beside it is not passed by */
                way[n] = a;
                return n + 1;
            }
            if (!back && (best < 0 || noise(cube, a) > noise(cube, best))) best = a;
        }
        if (best < 0) return -1;
        way[n] = best;
        cube = weft_cube_turn(cube, best);
    }
    return -1;
}

TEST(width_1_is_greedy) {
    weft_ctx *c = weft_open("cpu");
    watcher w = {0};
    weft_beam *b = weft_beam_new(
        c, weft_cube_puzzle(), &(weft_beam_desc){.width = 1, .policy = random_scores, .user = &w});
    if (!CHECK(b) || !CHECK(distances())) return;
    weft_rng r;
    weft_rng_seed(&r, 7, 0);
    int wrong = 0, solved = 0;
    for (int i = 0; i < 3000; i++) {
        const uint32_t cube = any_cube(&r, 3);
        if (!cube) continue;
        int32_t way[50] = {0}, want[50] = {0};
        int n = -2;
        CHECK_EQ(weft_beam_solve(b, &cube, way, &n), WEFT_OK);
        const int length = greedy(cube, 50, want);
        wrong += n != length || (n > 0 && memcmp(way, want, (size_t)n * sizeof *way) != 0);
        solved += n > 0;
    }
    CHECK_EQ(wrong, 0);
    CHECK(solved > 300 && solved < 2900);
    CHECK_EQ(w.widest, 1);
    weft_beam_free(b);
    weft_close(c);
}

TEST(no_layer_is_wider) {
    weft_ctx *c = weft_open("cpu");
    watcher w = {.seen = calloc(WEFT_CUBE_STATES, 1)};
    weft_beam *b = weft_beam_new(
        c, weft_cube_puzzle(),
        &(weft_beam_desc){.width = 37, .steps = 30, .policy = random_scores, .user = &w});
    if (!CHECK(b) || !CHECK(w.seen) || !CHECK(distances())) return;
    const uint64_t before = weft_allocations(c);
    weft_rng r;
    weft_rng_seed(&r, 8, 0);
    int wrong = 0, solved = 0;
    for (int i = 0; i < 300; i++) {
        const uint32_t cube = any_cube(&r, 5);
        int32_t way[30], again[30];
        int n, m;
        memset(w.seen, 0, WEFT_CUBE_STATES);
        CHECK_EQ(weft_beam_solve(b, &cube, way, &n), WEFT_OK);
        wrong += n > 30 || (n >= 0 && !replayed(cube, way, n));
        solved += n >= 0;
        CHECK_EQ(w.twice, 0);
        memset(w.seen, 0, WEFT_CUBE_STATES);
        CHECK_EQ(weft_beam_solve(b, &cube, again, &m), WEFT_OK); /* nothing is left of the first */
        wrong += m != n || (n > 0 && memcmp(way, again, (size_t)n * sizeof *way) != 0);
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(w.widest, 37);
    CHECK(solved > 0);
    CHECK_EQ(weft_allocations(c), before);
    weft_beam_free(b);
    free(w.seen);
    weft_close(c);
}

/* ---- other puzzles ---- */

/* A ladder: up from 0 by 1 or by 3 to 20, but never onto a multiple of 5 before it. */
typedef struct ladder {
    int64_t at, unused;
} ladder;
static bool ladder_turn(void *state, int action) {
    ladder *const l = state;
    l->at += action ? 3 : 1;
    return l->at == 20 || l->at % 5 != 0;
}
static bool ladder_solved(const void *state) {
    return ((const ladder *)state)->at == 20;
}
static weft_err ladder_scores(void *user, const void *states, int n, float *scores) {
    const ladder *const l = states;
    for (int i = 0; i < n; i++) {
        scores[2 * i] = 0;
        scores[2 * i + 1] = l[i].at == *(const int64_t *)user ? NAN : -1;
    }
    return WEFT_OK;
}

TEST(turns_that_are_not_possible) {
    static const weft_puzzle p = {sizeof(ladder), 2, ladder_turn, ladder_solved};
    weft_ctx *c = weft_open("cpu");
    int64_t barred = -1;
    weft_beam *b = weft_beam_new(
        c, &p, &(weft_beam_desc){.width = 8, .policy = ladder_scores, .user = &barred});
    if (!CHECK(b)) return;
    ladder l = {0};
    int32_t way[50];
    int n = 0;
    CHECK_EQ(weft_beam_solve(b, &l, way, &n), WEFT_OK);
    CHECK_EQ(n, 8); /* 3 6 9 12 13 14 17 20, or another of eight */
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        at += way[i] ? 3 : 1;
        CHECK(at == 20 || at % 5 != 0);
    }
    CHECK_EQ(at, 20);
    l.at = 20;
    CHECK_EQ(weft_beam_solve(b, &l, way, &n), WEFT_OK);
    CHECK_EQ(n, 0);
    l.at = barred = 19; /* one step short, and 22 would be beyond: one action is left */
    CHECK_EQ(weft_beam_solve(b, &l, way, &n), WEFT_OK);
    CHECK_EQ(n, 1);
    l.at = barred = 14; /* 15 is not possible, 17 is ruled out: nothing is left */
    CHECK_EQ(weft_beam_solve(b, &l, way, &n), WEFT_OK);
    CHECK_EQ(n, -1);
    weft_beam_free(b);
    weft_close(c);
}

static bool cube3_turn(void *state, int action) {
    weft_cube3_turn(state, action);
    return true;
}
static bool cube3_solved(const void *state) {
    return weft_cube3_is_solved(state);
}
static weft_err cube3_even(void *user, const void *states, int n, float *scores) {
    (void)user, (void)states;
    for (int i = 0; i < n * WEFT_CUBE3_ACTIONS; i++) scores[i] = 0;
    return WEFT_OK;
}

TEST(larger_states) {
    static const weft_puzzle p = {sizeof(weft_cube3), WEFT_CUBE3_ACTIONS, cube3_turn, cube3_solved};
    weft_ctx *c = weft_open("cpu");
    weft_beam *b =
        weft_beam_new(c, &p, &(weft_beam_desc){.width = 2000, .steps = 4, .policy = cube3_even});
    if (!CHECK(b)) return;
    weft_rng r;
    weft_rng_seed(&r, 9, 0);
    for (int i = 0; i < 20; i++) {
        weft_cube3 q = weft_cube3_solved();
        weft_cube3_scramble(&q, 3, &r);
        int32_t way[4];
        int n = -2;
        CHECK_EQ(weft_beam_solve(b, &q, way, &n), WEFT_OK);
        CHECK(n >= 0 && n <= 3);
        for (int k = 0; k < n; k++) weft_cube3_turn(&q, way[k]);
        CHECK(weft_cube3_is_solved(&q));
    }
    weft_beam_free(b);
    weft_close(c);
}

/* ---- threads ---- */

typedef struct worker {
    weft_beam *b;
    watcher w;
    uint64_t sum;
} worker;
static void *work(void *user) {
    worker *const k = user;
    weft_rng r;
    weft_rng_seed(&r, 10, 0);
    for (int i = 0; i < 200; i++) {
        const uint32_t cube = weft_rng_below(&r, WEFT_CUBE_STATES);
        int32_t way[50] = {0};
        int n = 0;
        weft_beam_solve(k->b, &cube, way, &n);
        k->sum = k->sum * 31 + (uint64_t)n;
        for (int j = 0; j < n; j++) k->sum = k->sum * 7 + (uint64_t)way[j];
    }
    return NULL;
}

TEST(a_thread_each) {
    weft_ctx *c = weft_open("cpu");
    worker k[3] = {{0}};
    pthread_t id[3];
    for (int i = 0; i < 3; i++) {
        k[i].b =
            weft_beam_new(c, weft_cube_puzzle(),
                          &(weft_beam_desc){.width = 20, .policy = random_scores, .user = &k[i].w});
        if (!CHECK(k[i].b)) return;
    }
    for (int i = 0; i < 3; i++) CHECK_EQ(pthread_create(&id[i], NULL, work, &k[i]), 0);
    for (int i = 0; i < 3; i++) pthread_join(id[i], NULL);
    CHECK_EQ(k[0].sum, k[1].sum);
    CHECK_EQ(k[0].sum, k[2].sum);
    for (int i = 0; i < 3; i++) weft_beam_free(k[i].b);
    weft_close(c);
}

/* ---- errors ---- */

static weft_err refuses(void *user, const void *states, int n, float *scores) {
    (void)states, (void)n, (void)scores;
    return weft_fail(user, WEFT_DEVICE, "the policy is out of order");
}

TEST(what_is_refused) {
    weft_ctx *c = weft_open("cpu");
    const weft_puzzle *const cube = weft_cube_puzzle();
    weft_puzzle bad = *cube;
    CHECK(!weft_beam_new(c, NULL, &(weft_beam_desc){.policy = even}));
    CHECK_HAS(weft_error(c), "policy");
    CHECK(!weft_beam_new(c, cube, &(weft_beam_desc){0}));
    CHECK(!weft_beam_new(c, cube, NULL));
    CHECK(!weft_beam_new(c, cube, &(weft_beam_desc){.width = -1, .policy = even}));
    CHECK_HAS(weft_error(c), "width -1");
    CHECK(!weft_beam_new(c, cube, &(weft_beam_desc){.steps = -1, .policy = even}));
    CHECK(!weft_beam_new(c, cube, &(weft_beam_desc){1 << 22, 1 << 20, .policy = even}));
    CHECK_HAS(weft_error(c), "too much");
    bad.actions = 0;
    CHECK(!weft_beam_new(c, &bad, &(weft_beam_desc){.policy = even}));
    CHECK_HAS(weft_error(c), "0 actions");
    weft_beam *b = weft_beam_new(c, cube, &(weft_beam_desc){.policy = refuses, .user = c});
    if (!CHECK(b)) return;
    const uint32_t one = weft_cube_turn(0, 0);
    int32_t way[50];
    int n = 7;
    CHECK_EQ(weft_beam_solve(b, &one, way, &n), WEFT_DEVICE);
    CHECK_HAS(weft_error(c), "out of order");
    CHECK_EQ(weft_beam_solve(b, NULL, way, &n), WEFT_ARGUMENT);
    CHECK_EQ(weft_beam_solve(NULL, &one, way, &n), WEFT_ARGUMENT);
    weft_beam_free(b);
    weft_beam_free(NULL);
    weft_close(c);
}

/* ---- symmetries ---- */

TEST(symmetries_of_every_cube) {
    long wrong = 0, canonical = 0;
    for (int k = 0; k < WEFT_CUBE_SYMMETRIES; k++) wrong += weft_cube_symmetry(0, k) != 0;
    for (uint32_t cube = 0; cube < WEFT_CUBE_STATES; cube += 7) {
        int which = -1;
        const uint32_t least = weft_cube_canonical(cube, &which);
        wrong += weft_cube_symmetry(cube, which) != least;
        wrong += weft_cube_symmetry(cube, 0) != cube;
        for (int k = 0; k < WEFT_CUBE_SYMMETRIES; k++) {
            const uint32_t other = weft_cube_symmetry(cube, k);
            const int action = (int)(cube / 7 % WEFT_CUBE_ACTIONS);
            wrong += other < least || weft_cube_canonical(other, NULL) != least;
            wrong += weft_cube_symmetry(weft_cube_turn(cube, action), k) !=
                     weft_cube_turn(other, weft_cube_symmetry_action(action, k));
        }
    }
    CHECK_EQ(wrong, 0);
    for (uint32_t cube = 0; cube < WEFT_CUBE_STATES; cube++)
        canonical += weft_cube_canonical(cube, NULL) == cube;
    long fixed = 0; /* Burnside: classes are the mean of what each symmetry leaves as it is */
    for (uint32_t cube = 0; cube < WEFT_CUBE_STATES; cube++)
        for (int k = 0; k < WEFT_CUBE_SYMMETRIES; k++) fixed += weft_cube_symmetry(cube, k) == cube;
    CHECK_EQ(canonical * WEFT_CUBE_SYMMETRIES, fixed);
}
