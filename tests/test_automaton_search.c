/* test_automaton_search.c - better gates by trying: what it says is what the automaton does, it never
 * does worse, it finds gates that were changed, and it is the same each time. */
#include "automaton_world.h"
#include "sweep.h"
#include <weft/rl.h>

#include <string.h>

enum { MOST = 512, SHOWN = 2, STEPS = 4 };

typedef struct puzzle {
    weft_search_desc d;
    bool wrap;
    uint8_t cells[CHANNELS * MOST], wanted[CHANNELS * MOST];
    float logits[ROWS * WEFT_GATE_KINDS];
} puzzle;

static int cells_of(const puzzle *p) {
    return p->d.board.boards * p->d.board.height * p->d.board.width;
}

/* What the gates make of the start, run as a circuit. */
static void outcome(const weft_automaton *a, const puzzle *p, uint8_t *cells) {
    weft_circuit *k = weft_logic_circuit(weft_automaton_logic(a), p->logits, WEFT_GATE_KINDS);
    memcpy(cells, p->cells, sizeof p->cells);
    CHECK_EQ(weft_automaton_run(a, k, &p->d.board, p->d.steps, cells), WEFT_OK);
    weft_circuit_free(k);
}

static int64_t wrong_of(const weft_automaton *a, const puzzle *p) {
    uint8_t cells[CHANNELS * MOST];
    int64_t wrong = 0;
    outcome(a, p, cells);
    for (int i = 0; i < p->d.shown * cells_of(p); i++) wrong += cells[i] != p->wanted[i];
    return wrong;
}

/* Noise to begin with, gates by chance, and what they come to is what is wanted. */
static weft_automaton *draw(weft_ctx *c, puzzle *p, weft_board board, bool wrap, uint64_t seed) {
    weft_rng r;
    weft_rng_seed(&r, seed, 0);
    *p = (puzzle){.wrap = wrap};
    for (int i = 0; i < CHANNELS * MOST; i++) p->cells[i] = weft_rng_below(&r, 2);
    for (int i = 0; i < ROWS * WEFT_GATE_KINDS; i++) p->logits[i] = weft_rng_uniform(&r);
    p->d = (weft_search_desc){.board = board, .steps = STEPS, .shown = SHOWN, .seed = seed};
    p->d.cells = p->cells, p->d.wanted = p->wanted;
    weft_automaton *a = small(c, wrap, seed);
    if (CHECK(a)) outcome(a, p, p->wanted);
    return a;
}

static void spoil(puzzle *p, int gates, uint64_t seed) {
    weft_rng r;
    weft_rng_seed(&r, seed, 1);
    for (int i = 0; i < gates; i++)
        p->logits[weft_rng_below(&r, ROWS * WEFT_GATE_KINDS)] = 2 + weft_rng_uniform(&r);
}

TEST(it_says_what_the_automaton_does) {
    static const struct {
        weft_board board;
        bool wrap;
    } worlds[] = {{{1, 1, 1, 0, NULL}, true},   {{1, 2, 3, 0, NULL}, true},
                  {{1, 20, 20, 0, NULL}, true}, {{2, 16, 16, 0, NULL}, false},
                  {{3, 5, 7, 0, NULL}, true},   {{7, 8, 9, 0, NULL}, false}};
    weft_ctx *c = weft_open("cpu");
    int better = 0;
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            CASE("world %d, seed %d", (int)i, (int)seed);
            static puzzle p, before;
            weft_automaton *a = draw(c, &p, worlds[i].board, worlds[i].wrap, seed);
            if (!a) return;
            int64_t wrong = -1, first;
            spoil(&p, 20, seed);
            before = p;
            CHECK_EQ(weft_automaton_search(a, &p.d, p.logits, &first), WEFT_OK); /* no tries */
            CHECK_EQ(first, wrong_of(a, &p));
            CHECK_MEM(p.logits, before.logits, sizeof p.logits);
            p.d.tries = 300;
            CHECK_EQ(weft_automaton_search(a, &p.d, p.logits, &wrong), WEFT_OK);
            CHECK_EQ(wrong, wrong_of(a, &p));
            CHECK(wrong <= first);
            better += wrong < first;
            before.d.tries = 300; /* and once more */
            before.d.cells = before.cells, before.d.wanted = before.wanted;
            CHECK_EQ(weft_automaton_search(a, &before.d, before.logits, &first), WEFT_OK);
            CHECK_EQ(first, wrong);
            CHECK_MEM(before.logits, p.logits, sizeof p.logits);
            weft_automaton_free(a);
        }
    CHECK(better >= 8);
    weft_close(c);
}

TEST(gates_that_were_changed_are_found) {
    weft_ctx *c = weft_open("cpu");
    int spoiled = 0, mended = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        CASE("seed %d", (int)seed);
        static puzzle p;
        weft_automaton *a = draw(c, &p, (weft_board){1, 12, 12, 0, NULL}, seed % 2, seed);
        if (!a) return;
        int64_t wrong = -1;
        CHECK_EQ(wrong_of(a, &p), 0);
        spoil(&p, 3, seed);
        const bool off = wrong_of(a, &p) > 0;
        p.d.tries = 20000;
        CHECK_EQ(weft_automaton_search(a, &p.d, p.logits, &wrong), WEFT_OK);
        CHECK_EQ(wrong, wrong_of(a, &p));
        spoiled += off, mended += off && wrong == 0;
        weft_automaton_free(a);
    }
    CHECK(spoiled >= 6);
    CHECK(mended >= 3); /* by chance, so not all */
    weft_close(c);
}

TEST(what_is_refused) {
    weft_ctx *c = weft_open("cpu");
    static puzzle p;
    weft_automaton *a = draw(c, &p, (weft_board){1, 4, 4, 0, NULL}, true, 1);
    if (!a) return;
    weft_rng r = {1, 2};
    int64_t wrong;
    weft_search_desc bad[10];
    for (int i = 0; i < 10; i++) bad[i] = p.d;
    bad[0].board.height = 129; /* 516 cells */
    bad[1].board.boards = 0;
    bad[2].board.width = 1 << 30;
    bad[3].board.rng = &r;
    bad[4].steps = 33;
    bad[5].steps = 0;
    bad[6].shown = CHANNELS + 1;
    bad[7].cells = NULL;
    bad[8].wanted = NULL;
    bad[9].tries = -1;
    for (int i = 0; i < 10; i++) {
        CASE("%d", i);
        CHECK_EQ(weft_automaton_search(a, &bad[i], p.logits, &wrong), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(c), "at most 512 cells");
    }
    CHECK_EQ(weft_automaton_search(a, NULL, p.logits, &wrong), WEFT_ARGUMENT);
    CHECK_EQ(weft_automaton_search(a, &p.d, NULL, &wrong), WEFT_ARGUMENT);
    weft_automaton_free(a);
    weft_close(c);
}

static bool whole_search(weft_ctx *c) {
    static puzzle p;
    int64_t wrong;
    weft_automaton *a = small(c, true, 3);
    p.d = (weft_search_desc){.board = {1, 3, 3, 0, NULL},
                             .steps = 2,
                             .shown = 1,
                             .cells = p.cells,
                             .wanted = p.wanted,
                             .tries = 5};
    const bool good = a && weft_automaton_search(a, &p.d, p.logits, &wrong) == WEFT_OK;
    weft_automaton_free(a);
    return good;
}

TEST(out_of_memory_is_an_error_and_leaks_nothing) {
    sweep_memory(whole_search);
}
