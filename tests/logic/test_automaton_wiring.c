/* test_automaton_wiring.c - which gates an automaton is made of, what is refused, and no memory. */
#include "automaton_world.h"
#include "feed.h"
#include "sweep.h"
#include <weft/rl.h>

#include <string.h>

/* The pairs of a layer that is wired as they come: neighbours, then neighbours from 1 on, then those
 * that lie two apart. */
static void unique_pair(int values, int gate, int *a, int *b) {
    const int even = values / 2, odd = (values - 1) / 2;
    *a = gate < even ? 2 * gate : gate < even + odd ? 2 * (gate - even) + 1 : gate - even - odd;
    *b = *a + (gate < even + odd ? 1 : 2);
}

/* Gates come channel by channel and in each kernel by kernel; the update is last. A row that alone
 * is TRUE shows all gates that go by it. */
TEST(channels_share_the_rows_of_a_kernel) {
    weft_ctx *c = weft_open("cpu");
    weft_automaton *a = small(c, false, 7);
    if (!CHECK(a)) return;
    const weft_logic *l = weft_automaton_logic(a);
    CHECK_EQ(weft_logic_rows(l), ROWS);
    CHECK_EQ(weft_logic_gates(l), GATES);
    for (int row = 0; row < ROWS; row++) {
        float logits[ROWS][4];
        bool by_row[GATES] = {false};
        for (int i = 0; i < ROWS * 4; i++) logits[i / 4][i % 4] = i / 4 == row ? 1 : -1;
        weft_circuit *k = weft_logic_circuit(l, logits[0], 4);
        if (!CHECK(k)) return;
        if (row < KERNELS * EACH)
            for (int ch = 0; ch < CHANNELS; ch++) by_row[ch * KERNELS * EACH + row] = true;
        else by_row[GATES - ROWS + row] = true;
        for (int i = 0; i < GATES; i++)
            CHECK_EQ(weft_circuit_at(k, i).kind, by_row[i] ? WEFT_GATE_TRUE : WEFT_GATE_FALSE);
        weft_circuit_free(k);
    }
    weft_automaton_free(a);
    weft_close(c);
}

/* As they come: a neighbour and the centre, then pairs of what the same kernel gave before; and the
 * update reads the centres, then by channel, value and kernel what was perceived. With a seed the
 * order is another, but all kernels have the same, and every neighbour is looked at. */
TEST(kernels_look_at_their_channel) {
    enum { VALUES = CHANNELS + CHANNELS * 2 * KERNELS };
    static const float logits[ROWS][4] = {{0}};
    weft_ctx *c = weft_open("cpu");
    for (uint64_t seed = 0; seed < 3; seed++) {
        CASE("seed %d", (int)seed);
        weft_automaton *a = small(c, false, seed);
        weft_circuit *k = a ? weft_logic_circuit(weft_automaton_logic(a), logits[0], 4) : NULL;
        if (!CHECK(k)) return;
        int seen[VALUES], mixed = 0;
        for (int ch = 0; ch < CHANNELS; ch++) seen[ch] = SEEN * ch + SEEN / 2;
        for (int q = 0; q < CHANNELS * KERNELS; q++) {
            const int first = CHANNELS * SEEN + q * EACH, centre = SEEN * (q / KERNELS) + SEEN / 2;
            unsigned around = 0;
            for (int i = 0; i < EACH; i++) {
                const weft_circuit_gate g = weft_circuit_at(k, q * EACH + i);
                const weft_circuit_gate one = weft_circuit_at(k, i); /* of the first kernel */
                int x, y;
                if (i < 8) {
                    around |= 1u << (g.a - SEEN * (q / KERNELS));
                    CHECK_EQ(g.b, centre);
                    CHECK_EQ(g.a - centre, one.a - SEEN / 2);
                    mixed += g.a != centre - 4 + i + (i >= 4);
                    continue;
                }
                CHECK_EQ(g.a - first, one.a - CHANNELS * SEEN);
                CHECK_EQ(g.b - first, one.b - CHANNELS * SEEN);
                unique_pair(i < 12 ? 8 : 4, i < 12 ? i - 8 : i - 12, &x, &y);
                const int from = first + (i < 12 ? 0 : 8);
                mixed += g.a != from + x || g.b != from + y;
            }
            CHECK_EQ(around, 0x1efu); /* all nine but the centre */
            for (int i = 0; i < 2; i++)
                seen[CHANNELS + (q / KERNELS * 2 + i) * KERNELS + q % KERNELS] = first + 12 + i;
        }
        for (int i = 0; i < update[0]; i++) {
            int x, y, met = 0;
            unique_pair(VALUES, i, &x, &y);
            for (int q = 0; q < update[0]; q++) {
                const weft_circuit_gate g = weft_circuit_at(k, CHANNELS * KERNELS * EACH + q);
                if (g.a != seen[x] || g.b != seen[y]) continue;
                met++;
                mixed += q != i;
            }
            CHECK_EQ(met, 1);
        }
        for (int out = 0; out < CHANNELS; out++)
            CHECK_EQ(weft_circuit_output_at(k, out), CHANNELS * SEEN + GATES - CHANNELS + out);
        CHECK((mixed == 0) == (seed == 0));
        weft_circuit_free(k);
        weft_automaton_free(a);
    }
    weft_close(c);
}

/* Two layers of the same width over the same number of values, one after the other, are not wired
 * alike: in a kernel, and in the update. */
TEST(layers_have_orders_of_their_own) {
    static const int eights[] = {8, 8, 8, 0}, nines[] = {9, 9, 9, 1, 0};
    static const int second[] = {8, 24 + 9}; /* gates before it */
    weft_ctx *c = weft_open("cpu");
    weft_automaton *a = weft_automaton_new(
        c, &(weft_automaton_desc){
               .channels = 1, .kernels = 1, .perceive = eights, .update = nines, .seed = 5});
    static const float logits[24 + 28][4] = {{0}};
    weft_circuit *k = a ? weft_logic_circuit(weft_automaton_logic(a), logits[0], 4) : NULL;
    if (!CHECK(k)) return;
    for (int part = 0; part < 2; part++) {
        const int n = part ? 9 : 8;
        int differ = 0;
        for (int i = 0; i < n; i++) {
            const weft_circuit_gate one = weft_circuit_at(k, second[part] + i);
            const weft_circuit_gate next = weft_circuit_at(k, second[part] + n + i);
            differ += next.a - n != one.a || next.b - n != one.b;
        }
        CHECK(differ > n / 2);
    }
    weft_circuit_free(k);
    weft_automaton_free(a);
    weft_close(c);
}

/* By the seed every neighbour comes to every place of the first layer as often as to the others. */
TEST(orders_are_even) {
    enum { SEEDS = 4000, AROUND = 8 };
    static const float logits[ROWS][4] = {{0}};
    int count[AROUND][SEEN] = {{0}};
    weft_ctx *c = weft_open("cpu");
    for (int seed = 1; seed <= SEEDS; seed++) {
        weft_automaton *a = small(c, false, (uint64_t)seed);
        weft_circuit *k = a ? weft_logic_circuit(weft_automaton_logic(a), logits[0], 4) : NULL;
        if (!CHECK(k)) return;
        for (int i = 0; i < AROUND; i++) count[i][weft_circuit_at(k, i).a]++;
        weft_circuit_free(k);
        weft_automaton_free(a);
    }
    double chi = 0;
    const double want = (double)SEEDS / AROUND;
    for (int i = 0; i < AROUND * SEEN; i++) {
        const double off = count[i / SEEN][i % SEEN] - want;
        if (i % SEEN != SEEN / 2) chi += off * off / want;
    }
    /* 7 x 7 numbers are free; its mean is 49, its deviation 10 */
    CHECK(chi < 49 + 5 * 10);
    weft_close(c);
}

/* ---- where learning begins ---- */

/* What a value is, where gates only pass on one of theirs: an input's number, -1 if they do more. */
static int passed_on(const weft_circuit *k, int value) {
    const int inputs = weft_circuit_inputs(k);
    while (value >= inputs) {
        const weft_circuit_gate g = weft_circuit_at(k, value - inputs);
        if (g.kind != WEFT_GATE_A && g.kind != WEFT_GATE_B) return -1;
        value = g.kind == WEFT_GATE_A ? g.a : g.b;
    }
    return value;
}

/* Kernels pass on a neighbour each, over every channel: those beside the cell, then those across
 * its corners, then again; where one tells two values, they are of different neighbours, and four
 * kernels see all of them. The rest passes on its first input. */
TEST(kernels_begin_by_looking_around) {
    enum { MOST = 12, BOTH = 2 };
    static const int one[] = {8, 4, 2, 1, 0}, two[] = {8, 4, 2, 0}, wide[] = {8, 8, 8, 0};
    static const int beside[] = {1, 3, 5, 7, 0, 2, 6, 8}; /* places, row by row */
    static const int ends[] = {BOTH, 0};
    static const struct {
        const int *perceive;
        int kernels, each, told;
    } shape[] = {{one, 10, 15, 1}, {two, 4, 14, 2}, {wide, MOST, 24, 8}};
    weft_ctx *c = weft_open("cpu");
    for (int at = 0; at < 3 * 20; at++) {
        const int s = at % 3, kernels = shape[s].kernels, each = shape[s].each,
                  rows = kernels * each;
        CASE("%d values, seed %d", shape[s].told, at / 3);
        weft_automaton *a = weft_automaton_new(c, &(weft_automaton_desc){
                                                      .channels = BOTH,
                                                      .kernels = kernels,
                                                      .perceive = shape[s].perceive,
                                                      .update = ends,
                                                      .seed = (uint64_t)(at / 3),
                                                  });
        float logits[(MOST * 24 + BOTH) * WEFT_GATE_KINDS];
        memset(logits, 1, sizeof logits);
        weft_automaton_init(a, 7, logits);
        weft_circuit *k = weft_logic_circuit(weft_automaton_logic(a), logits, WEFT_GATE_KINDS);
        if (!CHECK(k)) return;
        for (int i = 0; i < (rows + BOTH) * WEFT_GATE_KINDS; i++) {
            const bool pass = i % WEFT_GATE_KINDS == weft_circuit_at(k, i / WEFT_GATE_KINDS).kind;
            if (i < rows * WEFT_GATE_KINDS) CHECK_EQ(logits[i], pass ? 7 : 0);
            else CHECK_EQ(logits[i], i % WEFT_GATE_KINDS == WEFT_GATE_A ? 7 : 0);
        }
        for (int ch = 0; ch < BOTH; ch++) {
            unsigned seen = 0;
            for (int i = 0; i < kernels * shape[s].told; i++) {
                const int kernel = i / shape[s].told, told = each - 1 - i % shape[s].told;
                const int place =
                    passed_on(k, BOTH * SEEN + ch * rows + kernel * each + told) - ch * SEEN;
                if (!CHECK(place >= 0 && place < SEEN && place != SEEN / 2)) continue;
                if (s == 0) CHECK_EQ(place, beside[kernel % 8]);
                seen |= 1U << place;
            }
            CHECK_EQ(seen, 0x1efU);
        }
        weft_circuit_free(k);
        weft_automaton_free(a);
    }
    weft_close(c);
}

/* ---- bad input, and no memory ---- */

TEST(bad_input_is_refused) {
    weft_ctx *c = weft_open("cpu");
    static const int seven[] = {7, 0}, two[] = {2, 0}, below[] = {8, -1, 0}, wide[] = {8, 17, 0};
    static const int none[] = {0}, odd[] = {4, -3, 3, 0};
    static const struct {
        int channels, kernels;
        const int *perceive, *update;
        const char *says;
    } bad[] = {{CHANNELS, KERNELS, seven, update, "begin with 8"},
               {CHANNELS, KERNELS, NULL, update, "begin with 8"},
               {CHANNELS, KERNELS, perceive, NULL, "updating ones"},
               {CHANNELS, KERNELS, perceive, none, "updating ones"},
               {0, KERNELS, perceive, update, "channels, kernels"},
               {CHANNELS, 0, perceive, update, "channels, kernels"},
               {5000, KERNELS, perceive, update, "channels, kernels"},
               {CHANNELS, 5000, perceive, update, "channels, kernels"},
               {CHANNELS, KERNELS, below, update, "layer 2 has -1 gates"},
               {CHANNELS, KERNELS, wide, update, "layer 2 has 17 gates; at most 63 layers"},
               {CHANNELS, KERNELS, perceive, odd, "a layer of -3 gates"},
               {CHANNELS, KERNELS, perceive, two, "the last layer has 2 gates"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].says);
        CHECK(!weft_automaton_new(c, &(weft_automaton_desc){.channels = bad[i].channels,
                                                            .kernels = bad[i].kernels,
                                                            .perceive = bad[i].perceive,
                                                            .update = bad[i].update}));
        CHECK_HAS(weft_error(c), bad[i].says);
    }
    CASE("layers without end");
    int many[80] = {8};
    for (int i = 1; i < 79; i++) many[i] = 2;
    weft_automaton_desc deep = {
        .channels = CHANNELS, .kernels = 1, .perceive = many, .update = update};
    CHECK(!weft_automaton_new(c, &deep));
    CHECK_HAS(weft_error(c), "layer 64 has 2 gates; at most 63");
    many[63] = 0;
    weft_automaton *a = weft_automaton_new(c, &deep);
    CHECK(a);
    weft_automaton_free(a);
    CHECK(!weft_automaton_new(c, NULL));

    CASE("runs");
    static const float logits[ROWS][4] = {{0}};
    uint8_t cells[CHANNELS * 4] = {0};
    a = small(c, false, 0);
    weft_circuit *k = a ? weft_logic_circuit(weft_automaton_logic(a), logits[0], 4) : NULL;
    weft_circuit *other = weft_circuit_new(c, CHANNELS * SEEN);
    if (!CHECK(k && other)) return;
    weft_circuit_output(other, 0);
    static const weft_board good = {1, 2, 2, 0, NULL};
    static const weft_board flat[] = {{0, 2, 2, 0, NULL}, {1, 0, 4, 0, NULL}, {1, 4, -1, 0, NULL}};
    CHECK_EQ(weft_automaton_run(a, k, &good, 0, cells), WEFT_OK);
    CHECK_EQ(weft_automaton_run(a, k, &good, -1, cells), WEFT_ARGUMENT);
    CHECK_EQ(weft_automaton_run(a, k, &good, 1, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_automaton_run(a, k, NULL, 1, cells), WEFT_ARGUMENT);
    CHECK_EQ(weft_automaton_run(a, NULL, &good, 1, cells), WEFT_ARGUMENT);
    CHECK_EQ(weft_automaton_run(a, other, &good, 1, cells), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "27 inputs and 3 outputs");
    for (size_t i = 0; i < sizeof flat / sizeof *flat; i++)
        CHECK_EQ(weft_automaton_run(a, k, &flat[i], 1, cells), WEFT_ARGUMENT);

    CASE("steps");
    weft_graph *g = weft_graph_new(c);
    const weft_tensor coef = weft_input(g, WEFT_F32, weft_dims(ROWS, 4));
    const weft_tensor thin = weft_input(g, WEFT_F32, weft_dims(2, 1, 3, 3));
    CHECK(!weft_ok(weft_automaton_step(a, thin, coef)));
    CHECK_HAS(weft_error(c), "2 channels; [3, boards, height, width]");
    weft_graph_free(g);
    weft_automaton_free(NULL);
    weft_circuit_free(k), weft_circuit_free(other);
    weft_automaton_free(a);
    weft_close(c);
}

/* An automaton made, taught a step, made a circuit and run. */
static bool everything(weft_ctx *c) {
    weft_automaton *a = small(c, true, 3);
    weft_state *s = a ? weft_state_new(c) : NULL;
    weft_graph *g = s ? weft_graph_new(c) : NULL;
    weft_plan *p = NULL;
    weft_circuit *k = NULL;
    if (g) {
        const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(CHANNELS, 1, 3, 3));
        const weft_tensor coef = weft_logic_coefficients(weft_logic_logits(g, s, "gates", ROWS, 1),
                                                         WEFT_LOGIC_GUMBEL, 2);
        const weft_tensor y = weft_automaton_async(x, weft_automaton_step(a, x, coef), 0.5f);
        const weft_tensor loss = weft_mean(y, WEFT_ALL, false);
        p = weft_compile(g, &(weft_plan_desc){.update = weft_sgd(s, loss, NULL), .training = true});
    }
    bool good = p && weft_run(feed_zeros(p)) == WEFT_OK;
    float *const logits = good ? weft_state_copy(s, "gates") : NULL;
    if (logits) k = weft_logic_circuit(weft_automaton_logic(a), logits, 16);
    weft_resize(c, logits, 0);
    weft_rng r = {1, 2};
    uint8_t cells[CHANNELS * 9] = {1, 0, 1};
    good = k && weft_automaton_run(a, k, &(weft_board){1, 3, 3, 0.5f, &r}, 2, cells) == WEFT_OK;
    weft_circuit_free(k);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_automaton_free(a);
    return good;
}

TEST(out_of_memory_is_an_error_and_leaks_nothing) {
    sweep_memory(everything);
}
