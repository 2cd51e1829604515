/* test_circuit_simplify.c - fewer gates, the same outputs: over thousands of random circuits, and
 * by what must be found in particular ones.
 *
 * Sameness is judged by circuit_world.h's one case at a time for some, and by weft_circuit_equal,
 * which test_circuit.c tests, for all. */
#include "circuit_world.h"
#include "test.h"

static void check_simplified(circuit_random *r, const weft_circuit *k, bool slowly) {
    weft_circuit *small = weft_circuit_copy(k);
    bool same = false;
    if (!CHECK(small != NULL)) return;
    CHECK_EQ(weft_circuit_simplify(small), WEFT_OK);
    CHECK_EQ(weft_circuit_equal(k, small, 20000, circuit_word(r), &same), WEFT_OK);
    CHECK(same);
    /* An inverted input, or a value an output wants in both forms, is one gate more. */
    CHECK(weft_circuit_gates(small) <= weft_circuit_active(k) + weft_circuit_outputs(k));
    const int inputs = weft_circuit_inputs(k), outputs = weft_circuit_outputs(k);
    enum { WORDS = 2 };
    if (slowly) {
        uint64_t *in = malloc((size_t)inputs * WORDS * 8);
        uint64_t *a = malloc((size_t)outputs * WORDS * 8), *b = malloc((size_t)outputs * WORDS * 8);
        for (int i = 0; i < inputs * WORDS; i++) in[i] = circuit_word(r);
        CHECK(circuit_naive(k, WORDS, in, a) && circuit_naive(small, WORDS, in, b));
        CHECK_MEM(b, a, (size_t)outputs * WORDS * 8);
        free(in);
        free(a);
        free(b);
    }
    const int gates = weft_circuit_gates(small);
    CHECK_EQ(weft_circuit_simplify(small), WEFT_OK); /* what is simple stays so */
    CHECK(weft_circuit_gates(small) <= gates);
    weft_circuit_free(small);
}

TEST(random_circuits_stay_what_they_are) {
    weft_ctx *c = weft_open("cpu");
    circuit_random r = {17};
    const int rounds = test_long() ? 20000 : test_sanitized() ? 300 : 3000;
    for (int i = 0; i < rounds; i++) {
        const int inputs = 1 + circuit_below(&r, 10);
        CASE("circuit %d", i);
        weft_circuit *k = circuit_random_one(c, &r, i % CIRCUIT_SHAPES, inputs,
                                             circuit_below(&r, 70), 1 + circuit_below(&r, 5));
        check_simplified(&r, k, i % 10 == 0);
        weft_circuit_free(k);
    }
    weft_close(c);
}

TEST(larger_random_circuits_too) {
    weft_ctx *c = weft_open("cpu");
    circuit_random r = {19};
    const int rounds = test_long() ? 300 : test_sanitized() ? 6 : 30;
    for (int i = 0; i < rounds; i++) {
        const int inputs = 8 + circuit_below(&r, i % 2 ? 8 : 80);
        CASE("circuit %d of %d inputs", i, inputs);
        weft_circuit *k =
            circuit_random_one(c, &r, i % CIRCUIT_SHAPES, inputs, 100 + circuit_below(&r, 200), 8);
        check_simplified(&r, k, true);
        weft_circuit_free(k);
    }
    weft_close(c);
}

/* ---- what must be found ---- */

static int32_t gate(weft_circuit *k, int kind, int32_t a, int32_t b) {
    return weft_circuit_add(k, kind, a, b);
}

typedef struct known {
    const char *what;
    int gates;
    int32_t (*build)(weft_circuit *k); /* over inputs 0, 1, 2 */
} known;

static int32_t pass_on(weft_circuit *k) {
    return gate(k, WEFT_GATE_A, gate(k, WEFT_GATE_B, 1, 0), 2);
}
static int32_t inverter_twice(weft_circuit *k) {
    return gate(k, WEFT_GATE_NOT_A, gate(k, WEFT_GATE_NOT_B, 1, 0), 2);
}
static int32_t absorbed(weft_circuit *k) {
    return gate(k, WEFT_GATE_AND, 0, gate(k, WEFT_GATE_OR, 0, 1));
}
static int32_t cancelled(weft_circuit *k) {
    return gate(k, WEFT_GATE_XOR, gate(k, WEFT_GATE_XNOR, 0, 1), gate(k, WEFT_GATE_XOR, 1, 2));
}
static int32_t constant(weft_circuit *k) {
    return gate(k, WEFT_GATE_AND, gate(k, WEFT_GATE_AND, 0, 1), gate(k, WEFT_GATE_NOR, 1, 2));
}
static int32_t equal_gates(weft_circuit *k) { /* a & !b twice, once the other way round: joined */
    return gate(k, WEFT_GATE_XOR, gate(k, WEFT_GATE_A_NOT_B, 0, 1),
                gate(k, WEFT_GATE_OR, gate(k, WEFT_GATE_B_NOT_A, 1, 0), 2));
}
static int32_t inverters_in_readers(weft_circuit *k) {
    return gate(k, WEFT_GATE_AND, gate(k, WEFT_GATE_NOT_A, 0, 2), gate(k, WEFT_GATE_NOT_B, 2, 1));
}
static int32_t inverter_in_producer(weft_circuit *k) {
    return gate(k, WEFT_GATE_NOT_A, gate(k, WEFT_GATE_AND, 0, 1), 0);
}
static int32_t one_of_three(weft_circuit *k) { /* a(b + c) + !a b + b c = b + a c */
    const int32_t x = gate(k, WEFT_GATE_AND, 0, gate(k, WEFT_GATE_OR, 1, 2));
    const int32_t y = gate(k, WEFT_GATE_B_NOT_A, 0, 1), z = gate(k, WEFT_GATE_AND, 1, 2);
    return gate(k, WEFT_GATE_OR, gate(k, WEFT_GATE_OR, x, y), z);
}

TEST(known_circuits_become_as_small_as_they_can) {
    static const known list[] = {{"values passed on", 0, pass_on},
                                 {"two inverters", 0, inverter_twice},
                                 {"a & (a | b)", 0, absorbed},
                                 {"(a ^ b) ^ (b ^ c), inverted", 1, cancelled},
                                 {"a constant", 1, constant},
                                 {"equal gates", 2, equal_gates},
                                 {"inverters into readers", 1, inverters_in_readers},
                                 {"inverter into its producer", 1, inverter_in_producer},
                                 {"b | a & c", 2, one_of_three}};
    weft_ctx *c = weft_open("cpu");
    circuit_random r = {23};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int more = 0; more < 2; more++) { /* with so many inputs that no table is made */
            CASE("%s, %s", list[i].what, more ? "among many inputs" : "alone");
            weft_circuit *k = weft_circuit_new(c, more ? 40 : 3);
            weft_circuit_output(k, list[i].build(k));
            int32_t all = 3;
            for (int j = 4; more && j < 40; j++) all = gate(k, WEFT_GATE_XOR, all, j);
            if (more) weft_circuit_output(k, all);
            check_simplified(&r, k, true);
            CHECK_EQ(weft_circuit_simplify(k), WEFT_OK);
            CHECK_EQ(weft_circuit_gates(k), list[i].gates + (more ? 36 : 0));
            weft_circuit_free(k);
        }
    weft_close(c);
}

TEST(outputs_may_be_inputs_constants_and_complements) {
    weft_ctx *c = weft_open("cpu");
    circuit_random r = {29};
    weft_circuit *k = weft_circuit_new(c, 2);
    const int32_t and = gate(k, WEFT_GATE_AND, 0, 1), nand = gate(k, WEFT_GATE_NAND, 0, 1);
    const int32_t no = gate(k, WEFT_GATE_FALSE, 0, 0), yes = gate(k, WEFT_GATE_TRUE, 0, 0);
    const int32_t not_0 = gate(k, WEFT_GATE_NOT_A, 0, 0);
    const int32_t outputs[] = {0, 1, not_0, and, nand, no, yes, nand, not_0, no};
    for (int i = 0; i < 10; i++) weft_circuit_output(k, outputs[i]);
    check_simplified(&r, k, true);
    CHECK_EQ(weft_circuit_simplify(k), WEFT_OK);
    CHECK_EQ(weft_circuit_gates(k), 5); /* each thing once */
    weft_circuit_free(k);
    weft_close(c);
}

/* Two nodes of one function, deep and different, among too many inputs for tables. */
TEST(twins_are_joined_among_many_inputs) {
    weft_ctx *c = weft_open("cpu");
    circuit_random r = {31};
    weft_circuit *k = weft_circuit_new(c, 50);
    int32_t sum = 0, out[2];
    for (int way = 0; way < 2; way++) { /* a ^ b ^ c ^ d ^ e, from the left and from the right */
        int32_t x = way ? 4 : 0;
        for (int i = 1; i < 5; i++) {
            const int32_t y = way ? 4 - i : i;
            const int32_t both = gate(k, WEFT_GATE_AND, x, y), none = gate(k, WEFT_GATE_NOR, x, y);
            x = gate(k, WEFT_GATE_NOR, both, none);
        }
        out[way] = x;
    }
    for (int i = 5; i < 50; i++) sum = gate(k, WEFT_GATE_XOR, i == 5 ? i : sum, i == 5 ? 6 : i);
    weft_circuit_output(k, gate(k, WEFT_GATE_AND, out[0], sum));
    weft_circuit_output(k, gate(k, WEFT_GATE_OR, out[1], sum));
    check_simplified(&r, k, true);
    CHECK_EQ(weft_circuit_simplify(k), WEFT_OK);
    CHECK(weft_circuit_gates(k) <= 4 + 44 + 2);
    weft_circuit_free(k);
    weft_close(c);
}

/* The second bit of how many ones there are, counted from the left and from the right: nothing on
 * the way is equal, and of twelve inputs no part tells. */
TEST(twins_without_anything_else_in_common) {
    enum { INPUTS = 50, COUNTED = 12 };
    weft_ctx *c = weft_open("cpu");
    circuit_random r = {37};
    weft_circuit *k = weft_circuit_new(c, INPUTS);
    int32_t out[2], sum = COUNTED;
    for (int way = 0; way < 2; way++) {
        int32_t low = way ? COUNTED - 1 : 0, high = -1;
        for (int i = 1; i < COUNTED; i++) {
            const int32_t x = way ? COUNTED - 1 - i : i, carry = gate(k, WEFT_GATE_AND, low, x);
            high = high < 0 ? carry : gate(k, WEFT_GATE_XOR, high, carry);
            low = gate(k, WEFT_GATE_XOR, low, x);
        }
        out[way] = high;
    }
    const int one_way = 3 * (COUNTED - 1) - 2; /* the last low is not needed */
    for (int i = COUNTED + 1; i < INPUTS; i++) sum = gate(k, WEFT_GATE_XOR, sum, i);
    weft_circuit_output(k, gate(k, WEFT_GATE_AND, out[0], sum));
    weft_circuit_output(k, gate(k, WEFT_GATE_OR, out[1], sum));
    check_simplified(&r, k, true);
    CHECK_EQ(weft_circuit_simplify(k), WEFT_OK);
    CHECK(weft_circuit_gates(k) <= one_way + (INPUTS - 1 - COUNTED) + 2);
    weft_circuit_free(k);
    weft_close(c);
}

static int32_t life_choose(weft_circuit *k, int input, int from) {
    if (input < 0) {
        int around = 0;
        for (int i = 0; i < 9; i++) around += i != 4 && (from >> i & 1);
        const bool lives = around == 3 || (around == 2 && (from >> 4 & 1));
        return gate(k, lives ? WEFT_GATE_TRUE : WEFT_GATE_FALSE, 0, 0);
    }
    const int32_t no = life_choose(k, input - 1, from);
    const int32_t yes = life_choose(k, input - 1, from | 1 << input);
    return gate(k, WEFT_GATE_OR, gate(k, WEFT_GATE_AND, input, yes),
                gate(k, WEFT_GATE_B_NOT_A, input, no));
}

/* A tree of choices over all 512 cases of the first nine inputs, and an XOR of the others. */
static weft_circuit *life_by_cases(weft_ctx *c, int inputs) {
    weft_circuit *const k = weft_circuit_new(c, inputs);
    weft_circuit_output(k, life_choose(k, 8, 0));
    int32_t all = 9;
    for (int i = 10; i < inputs; i++) all = gate(k, WEFT_GATE_XOR, all, i);
    if (inputs > 9) weft_circuit_output(k, all);
    return k;
}

TEST(life_becomes_small) {
    weft_ctx *c = weft_open("cpu");
    circuit_random r = {37};
    for (int more = 0; more <= 30; more += 30) { /* with 30 no table is made of the whole */
        CASE("with %d inputs of no use to it", more);
        weft_circuit *k = life_by_cases(c, 9 + more);
        CHECK(weft_circuit_gates(k) > 2000);
        check_simplified(&r, k, true);
        CHECK_EQ(weft_circuit_simplify(k), WEFT_OK);
        CHECK(weft_circuit_gates(k) <= (more ? 29 + 100 : 70));
        weft_circuit_free(k);
    }
    weft_close(c);
}
