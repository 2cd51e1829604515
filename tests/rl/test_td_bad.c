/* test_td_bad.c - what the learner of after states must refuse: games and settings that cannot be,
 * contents no play can have left, and too little memory. */
#include "heap.h"
#include "td_world.h"

#include <math.h>
#include <string.h>

TEST(bad_games) {
    weft_ctx *c = weft_open("null");
    weft_state *s = weft_state_new(c);
#define BAD(member, value, why)                                                                    \
    do {                                                                                           \
        CASE(#member " = " #value);                                                                \
        weft_td_game g = small_game;                                                               \
        g.member = value;                                                                          \
        CHECK(weft_td_new(s, &g, "td", NULL) == NULL);                                             \
        CHECK_HAS(weft_error(c), why);                                                             \
    } while (0)
    BAD(start, NULL, "lacks one of start");
    BAD(moves, NULL, "lacks one of start");
    BAD(chance, NULL, "lacks one of start");
    BAD(index, NULL, "lacks one of start");
    BAD(size, 0, "0 bytes");
    BAD(size, (size_t)1 << 30, "1073741824 bytes");
    BAD(actions, 0, "0 actions");
    BAD(actions, 33, "33 actions");
    BAD(tables, 0, "of 0 tables");
    BAD(tables, -1, "of -1 tables");
    BAD(slots, 0, "0 slots");
    BAD(slots, 1 << 17, "131072 slots");
    BAD(words, 0, "of 0 words");
    BAD(words, UINT32_MAX, "of 4294967295 words");
#undef BAD
#define BAD(member, value, why)                                                                    \
    do {                                                                                           \
        CASE(#member " = " #value);                                                                \
        const weft_td_desc d = {.member = value};                                                  \
        CHECK(weft_td_new(s, &small_game, "td", &d) == NULL);                                      \
        CHECK_HAS(weft_error(c), why);                                                             \
    } while (0)
    BAD(rate, -0.5f, "rate -0.5");
    BAD(rate, 2, "rate 2");
    BAD(rate, NAN, "rate");
    BAD(gamma, 1.5f, "gamma 1.5");
    BAD(first, INFINITY, "initial value inf");
    BAD(games, -1, "-1 games");
    BAD(games, 5000, "5000 games");
    BAD(moves, -1, "-1 moves");
    BAD(window, -1, "window -1");
    BAD(threads, -1, "-1 threads");
#undef BAD
    CASE("names");
    char name[600];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    CHECK(weft_td_new(s, &small_game, name, NULL) == NULL);
    CHECK_HAS(weft_error(c), "a name of at most");
    CHECK(weft_td_new(s, &small_game, "", NULL) == NULL);
    CHECK(weft_td_new(s, &small_game, NULL, NULL) == NULL);
    CHECK(weft_td_new(s, NULL, "td", NULL) == NULL);
    CHECK(weft_td_new(NULL, &small_game, "td", NULL) == NULL);
    weft_td_free(NULL);
    CASE("entries of another learner");
    weft_td *a = weft_td_new(s, &small_game, "td", NULL);
    CHECK(a != NULL);
    const weft_td_game g = pair_game();
    CHECK(weft_td_new(s, &g, "td", NULL) == NULL);
    CHECK_HAS(weft_error(c), "td.table");
    CHECK(weft_td_new(s, &small_game, "td", &(weft_td_desc){.games = 3}) == NULL);
    CHECK_HAS(weft_error(c), "rng.td.state");
    weft_td_free(a);
    weft_state_free(s);
    weft_close(c);
}

/* Bytes of an entry changed, as a damaged checkpoint would have them. */
static void spoil(world *w, const char *name, size_t at, const void *bytes, size_t n) {
    char *const data = weft_state_data(w->s, name);
    if (CHECK(data != NULL)) memcpy(data + at, bytes, n);
}

TEST(impossible_contents) {
    static const uint64_t none[2];
    static const double no_number = NAN, large = 7;
    static const int64_t seven = 7, minus = -1;
    static const uint32_t beyond = SMALL_WORDS;
    static const uint8_t tile = 9;
    static const struct {
        const char *entry;
        size_t at;
        const void *bytes;
        size_t n;
        const char *why;
    } bad[] = {
        {"rng.td.rng", 16, none, sizeof none, "game 1 has no random numbers"},
        {"rng.td.running", 16 * 2 + 8, &seven, sizeof seven, "game 2 goes on: 7"},
        {"rng.td.running", 0, &no_number, sizeof no_number, "game 0 goes on"},
        {"rng.td.before", 4 * 3, &beyond, sizeof beyond, "game 3 names entry 1296; there are 1296"},
        {"rng.td.state", 4 * 5 + 1, &tile, sizeof tile, "game 5 of 8: small: cell 1 is beyond 32"},
        {"rng.td.count", 0, &minus, sizeof minus, "-1 moves"},
        {"rng.td.count", 8, &minus, sizeof minus, "-1 episodes"},
        {"rng.td.count", 24, &no_number, sizeof no_number, "rate"},
        {"rng.td.count", 24, &large, sizeof large, "rate 7"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].why);
        world w;
        if (!world_open(&w, &small_game, &(weft_td_desc){.moves = 100}) || !world_step(&w, 1))
            return;
        spoil(&w, bad[i].entry, bad[i].at, bad[i].bytes, bad[i].n);
        const uint64_t hash = weft_state_hash(w.s);
        CHECK_EQ(weft_td_check(w.a), WEFT_STATE);
        CHECK_HAS(weft_error(w.c), bad[i].why);
        CHECK_EQ(weft_td_step(w.a, 0, NULL), WEFT_STATE);
        CHECK(weft_state_hash(w.s) == hash);
        world_close(&w);
    }
    CASE("tables that are no numbers");
    world w;
    if (!world_open(&w, &small_game, &(weft_td_desc){.moves = 1000})) return;
    float *const table = weft_state_data(w.s, "td.table");
    for (int i = 0; i < SMALL_WORDS; i++) table[i] = NAN;
    CHECK_EQ(weft_td_step(w.a, 0, NULL), WEFT_OK);
    CHECK(!isfinite(weft_td_stats_of(w.a).error)); /* which a training loop takes as broken */
    world_close(&w);
}

TEST(out_of_memory) {
    const weft_td_game g = pair_game();
    const weft_td_desc d = {.threads = 2, .moves = 500};
    for (long fail = 1; fail < 200; fail++) {
        heap h = {0};
        weft_ctx *c =
            weft_open_with(&(weft_open_desc){.device = "null", .resize = heap_resize, .user = &h});
        weft_state *s = weft_state_new(c);
        h.fail_at = h.made + fail;
        weft_td *a = weft_td_new(s, &g, "td", &d);
        const bool failed = h.failed;
        h.fail_at = 0;
        CHECK_EQ(a == NULL, failed);
        if (failed) {
            CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
            a = weft_td_new(s, &g, "td", &d); /* and then it works */
        }
        if (CHECK(a != NULL)) CHECK_EQ(weft_td_step(a, 0, NULL), WEFT_OK);
        weft_td_free(a);
        weft_state_free(s);
        weft_close(c);
        CHECK_EQ(h.live, 0);
        if (!failed) return;
    }
    CHECK(false); /* there are fewer allocations than that */
}
