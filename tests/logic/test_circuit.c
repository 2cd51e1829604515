/* test_circuit.c - circuits: the sixteen kinds, building, running, counting, packing, errors.
 *
 * The truth is circuit_world.h, which computes one case at a time. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "circuit_world.h"
#include "sweep.h"

#include <math.h>
#include <stdio.h>

static weft_ctx *opened(void) {
    return weft_open("cpu");
}

/* What is computed in vectors is tested with each width the machine has. */
static const char *const widths[] = {"128", "256", "512"};
enum { WIDTHS = 3 };

static weft_ctx *opened_with(int width) {
    const char *const before = getenv("WEFT_ISA");
    char kept[32] = "";
    if (before) snprintf(kept, sizeof kept, "%s", before);
    setenv("WEFT_ISA", widths[width], 1);
    weft_ctx *const c = opened();
    if (before) setenv("WEFT_ISA", kept, 1);
    else unsetenv("WEFT_ISA");
    return c;
}

TEST(the_sixteen_kinds_are_what_their_table_says) {
    for (int kind = 0; kind < WEFT_GATE_KINDS; kind++) {
        const float *const c = weft_gate_coefficients(kind);
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                CASE("kind %d of %d and %d", kind, a, b);
                const int want = circuit_truth(kind, a, b);
                CHECK_EQ(c[0] + c[1] * (float)a + c[2] * (float)b + c[3] * (float)(a * b),
                         (float)want);
                CHECK_EQ(kind >> (2 * !a + !b) & 1, want); /* a kind is its truth table */
            }
    }
    CASE("texts");
    CHECK_STR(weft_gate_text(WEFT_GATE_A_NOT_B), "a & !b");
    CHECK(weft_gate_text(-1) == NULL && weft_gate_text(16) == NULL);
    CHECK(weft_gate_coefficients(-1) == NULL && weft_gate_coefficients(16) == NULL);
}

TEST(each_kind_runs_as_it_means) {
    weft_ctx *c = opened();
    const uint64_t in[2] = {UINT64_C(0xc), UINT64_C(0xa)}; /* all four cases in the lowest bits */
    for (int kind = 0; kind < WEFT_GATE_KINDS; kind++) {
        CASE("kind %d", kind);
        weft_circuit *k = weft_circuit_new(c, 2);
        weft_circuit_output(k, weft_circuit_add(k, kind, 0, 1));
        uint64_t out = 0;
        CHECK_EQ(weft_circuit_run(k, 1, in, &out), WEFT_OK);
        for (int i = 0; i < 4; i++)
            CHECK_EQ(out >> i & 1, circuit_truth(kind, in[0] >> i & 1, in[1] >> i & 1));
        weft_circuit_free(k);
    }
    weft_close(c);
}

static void check_runs(int width) {
    weft_ctx *c = opened_with(width);
    circuit_random r = {7 + (uint64_t)width};
    for (int i = 0; i < 150; i++) {
        const int words = 1 + i % 17, inputs = 1 + circuit_below(&r, i % 7 ? 12 : 90);
        const int outputs = 1 + circuit_below(&r, 9);
        weft_circuit *k = circuit_random_one(c, &r, i % CIRCUIT_SHAPES, inputs,
                                             circuit_below(&r, i % 50 ? 80 : 2500), outputs);
        uint64_t *in = malloc((size_t)(inputs * words) * 8);
        uint64_t *out = malloc((size_t)(outputs * words) * 8);
        uint64_t *want = malloc((size_t)(outputs * words) * 8);
        for (int j = 0; j < inputs * words; j++) in[j] = circuit_word(&r);
        CASE("%s: circuit %d, %d words", weft_device_isa(c), i, words);
        CHECK(circuit_naive(k, words, in, want));
        CHECK_EQ(weft_circuit_run(k, words, in, out), WEFT_OK);
        CHECK_MEM(out, want, (size_t)(outputs * words) * 8);
        const uint64_t before = weft_allocations(c);
        CHECK_EQ(weft_circuit_run(k, words, in, out), WEFT_OK);
        CHECK_EQ(weft_allocations(c), before);
        free(in);
        free(out);
        free(want);
        weft_circuit_free(k);
    }
    weft_close(c);
}

TEST(a_run_equals_one_case_at_a_time) {
    for (int width = 0; width < WIDTHS; width++) check_runs(width);
}

static void check_counts(int width) {
    weft_ctx *c = opened_with(width);
    circuit_random r = {11 + (uint64_t)width};
    for (int i = 0; i < 60; i++) {
        const int words = i == 8 ? 1 : 1 + i % 11, inputs = 1 + circuit_below(&r, 20);
        const int groups = i == 8 ? 1 : 1 + circuit_below(&r, 5);
        const int size = i == 7 ? 300 : i == 8 ? 33000 : circuit_below(&r, 40);
        const int outputs = groups * size;
        weft_circuit *k = circuit_random_one(c, &r, i % CIRCUIT_SHAPES, inputs, 60, outputs);
        uint64_t *in = malloc((size_t)(inputs * words) * 8);
        uint64_t *bits = malloc((size_t)(outputs * words) * 8 + 1);
        int32_t *counts = malloc((size_t)(64 * words * groups) * sizeof *counts);
        for (int j = 0; j < inputs * words; j++) in[j] = circuit_word(&r);
        CASE("%s: circuit %d, %d groups of %d", weft_device_isa(c), i, groups, size);
        CHECK(circuit_naive(k, words, in, bits));
        CHECK_EQ(weft_circuit_count(k, groups, words, in, counts), WEFT_OK);
        bool same = true;
        for (int n = 0; n < 64 * words; n++)
            for (int g = 0; g < groups; g++) {
                int want = 0;
                for (int j = g * size; j < (g + 1) * size; j++)
                    want += (int)(bits[j * words + n / 64] >> (n % 64) & 1);
                same = same && counts[n * groups + g] == want;
            }
        CHECK(same);
        free(in);
        free(bits);
        free(counts);
        weft_circuit_free(k);
    }
    weft_close(c);
}

TEST(counts_are_the_ones_of_each_group) {
    for (int width = 0; width < WIDTHS; width++) check_counts(width);
}

static void check_packing(int width) {
    weft_ctx *c = opened_with(width);
    circuit_random r = {13};
    const int cases[] = {0, 1, 7, 8, 9, 63, 64, 65, 200, 512, 520, 1100};
    const int columns[] = {0, 1, 7, 8, 31, 33, 64, 130, 512, 513, 784};
    const float least[] = {0, 1, 128, 127.5f, 255, 256, -3, NAN};
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 11; j++) {
            const int n = columns[j];
            const int64_t words = WEFT_WORDS(cases[i]);
            const size_t numbers = (size_t)(cases[i] * n);
            const float bound = least[(i + j) % 8];
            uint8_t *x = malloc(numbers + 1), *back = malloc(numbers + 1);
            float *real = malloc(numbers * sizeof *real + 1);
            uint64_t *bits = malloc((size_t)(n * words) * 8 + 1);
            CASE("%s: %d cases of %d, from %g", weft_device_isa(c), cases[i], n, (double)bound);
            for (size_t m = 0; m < numbers; m++) {
                x[m] = (uint8_t)circuit_word(&r);
                real[m] = (float)x[m] + (circuit_below(&r, 2) ? 0.5f : 0);
            }
            bool same = true;
            CHECK_EQ(weft_bits_pack(c, WEFT_U8, x, cases[i], n, bound, bits), WEFT_OK);
            weft_bits_unpack(bits, cases[i], n, back);
            for (size_t m = 0; m < numbers; m++) same = same && back[m] == ((float)x[m] >= bound);
            CHECK(same);
            if (cases[i] % 64) /* cases that are not there */
                for (int m = 0; m < n; m++)
                    same = same && !(bits[m * words + words - 1] >> (cases[i] % 64));
            CHECK(same);
            CHECK_EQ(weft_bits_pack(c, WEFT_F32, real, cases[i], n, bound, bits), WEFT_OK);
            weft_bits_unpack(bits, cases[i], n, back);
            for (size_t m = 0; m < numbers; m++) same = same && back[m] == (real[m] >= bound);
            CHECK(same);
            free(x);
            free(back);
            free(real);
            free(bits);
        }
    weft_close(c);
}

TEST(packing_compares_with_the_threshold) {
    for (int width = 0; width < WIDTHS; width++) check_packing(width);
    CASE("refused");
    weft_ctx *c = opened();
    uint64_t word = 0;
    CHECK_EQ(weft_bits_pack(c, WEFT_I32, &word, 1, 1, 0, &word), WEFT_DTYPE);
    CHECK_HAS(weft_error(c), "i32");
    CHECK_EQ(weft_bits_pack(c, WEFT_U8, &word, -1, 1, 0, &word), WEFT_ARGUMENT);
    weft_close(c);
}

TEST(depth_and_active_gates) {
    weft_ctx *c = opened();
    weft_circuit *k = weft_circuit_new(c, 3);
    const int32_t pass = weft_circuit_add(k, WEFT_GATE_A, 0, 1);
    const int32_t and = weft_circuit_add(k, WEFT_GATE_AND, pass, 1);
    const int32_t not = weft_circuit_add(k, WEFT_GATE_NOT_B, 2, and); /* reads its b alone */
    const int32_t one = weft_circuit_add(k, WEFT_GATE_TRUE, not, not );
    const int32_t xor = weft_circuit_add(k, WEFT_GATE_XOR, not, one);
    weft_circuit_add(k, WEFT_GATE_OR, xor, 0); /* nothing needs it */
    CHECK_EQ(weft_circuit_depth(k), 0);
    CHECK_EQ(weft_circuit_active(k), 0);
    weft_circuit_output(k, xor);
    CHECK_EQ(weft_circuit_depth(k), 3);
    CHECK_EQ(weft_circuit_active(k), 4); /* AND, NOT, TRUE, XOR */
    CHECK_EQ(weft_circuit_gates(k), 6);
    CHECK_EQ(weft_circuit_inputs(k), 3);
    CHECK_EQ(weft_circuit_outputs(k), 1);
    CHECK_EQ(weft_circuit_output_at(k, 0), xor);
    CHECK_EQ(weft_circuit_at(k, 1).kind, WEFT_GATE_AND);
    CHECK_EQ(weft_circuit_at(k, 1).a, pass);
    CHECK_EQ(weft_circuit_at(k, 6).kind, -1);
    CHECK_EQ(weft_circuit_at(k, -1).kind, -1);
    CHECK_EQ(weft_circuit_output_at(k, 1), -1);
    weft_circuit_free(k);
    weft_close(c);
}

TEST(what_does_not_fit_is_refused) {
    weft_ctx *c = opened();
    CHECK(weft_circuit_new(c, -1) == NULL);
    CHECK_HAS(weft_error(c), "-1 inputs");
    weft_circuit *k = weft_circuit_new(c, 2);
    CHECK_EQ(weft_circuit_add(k, 16, 0, 1), -1);
    CHECK_HAS(weft_error(c), "kind 16");
    CHECK_EQ(weft_circuit_add(k, -1, 0, 1), -1);
    CHECK_EQ(weft_circuit_add(k, WEFT_GATE_AND, 0, 2), -1);
    CHECK_HAS(weft_error(c), "reads values 0 and 2: there are 2 so far");
    CHECK_EQ(weft_circuit_add(k, WEFT_GATE_AND, -1, 0), -1);
    CHECK_EQ(weft_circuit_output(k, 2), WEFT_ARGUMENT);
    CHECK_EQ(weft_circuit_output(k, -1), WEFT_ARGUMENT);
    CHECK_EQ(weft_circuit_gates(k), 0);
    uint64_t in[2] = {1, 2}, out[3] = {0};
    int32_t counts[192];
    CHECK_EQ(weft_circuit_run(k, -1, in, out), WEFT_ARGUMENT);
    CHECK_EQ(weft_circuit_run(k, 0, in, out), WEFT_OK);
    CHECK_EQ(weft_circuit_run(k, 1, in, out), WEFT_OK); /* no outputs: nothing written */
    for (int i = 0; i < 3; i++) CHECK_EQ(weft_circuit_output(k, i % 2), WEFT_OK);
    CHECK_EQ(weft_circuit_count(k, 2, 1, in, counts), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "3 outputs are not 2 groups");
    CHECK_EQ(weft_circuit_count(k, 0, 1, in, counts), WEFT_ARGUMENT);
    CHECK_EQ(weft_circuit_count(k, 3, 1, in, counts), WEFT_OK);
    CHECK_EQ(counts[0], 1);
    bool same = true;
    weft_circuit *other = weft_circuit_new(c, 3);
    CHECK_EQ(weft_circuit_equal(k, other, 1, 1, &same), WEFT_ARGUMENT);
    CHECK(!same);
    weft_circuit_free(other);
    other = weft_circuit_new(c, 21);
    CHECK_EQ(weft_circuit_equal(other, other, 0, 1, &same), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "21 inputs");
    CHECK_EQ(weft_circuit_equal(other, other, 1, 1, &same), WEFT_OK);
    CHECK(same);
    weft_circuit_free(other);
    weft_circuit_free(NULL);
    weft_circuit_free(k);
    weft_close(c);
}

TEST(more_values_at_once_than_there_are_slots_are_refused) {
    enum { WIDE = (1 << 20) + 1 };
    weft_ctx *c = opened();
    weft_circuit *k = weft_circuit_new(c, WIDE);
    bool good = true;
    for (int i = 0; i < WIDE; i++) good = good && weft_circuit_output(k, i) == WEFT_OK;
    CHECK(good);
    CHECK_EQ(weft_circuit_run(k, 0, NULL, NULL), WEFT_UNSUPPORTED);
    CHECK_HAS(weft_error(c), "1048577 values at the same time");
    weft_circuit_free(k);
    weft_close(c);
}

TEST(changes_after_a_run_count) {
    weft_ctx *c = opened();
    weft_circuit *k = weft_circuit_new(c, 2);
    const uint64_t in[2] = {12, 10};
    uint64_t out[2] = {0, 0};
    weft_circuit_output(k, weft_circuit_add(k, WEFT_GATE_AND, 0, 1));
    CHECK_EQ(weft_circuit_run(k, 1, in, out), WEFT_OK);
    CHECK_EQ(out[0], 8);
    weft_circuit *copy = weft_circuit_copy(k);
    weft_circuit_output(k, weft_circuit_add(k, WEFT_GATE_XOR, 0, 1));
    CHECK_EQ(weft_circuit_run(k, 1, in, out), WEFT_OK);
    CHECK_EQ(out[0], 8);
    CHECK_EQ(out[1], 6);
    out[1] = 77;
    CHECK_EQ(weft_circuit_run(copy, 1, in, out), WEFT_OK);
    CHECK_EQ(out[1], 77); /* the copy has one output still */
    weft_circuit_free(copy);
    weft_circuit_free(k);
    weft_close(c);
}

TEST(equal_finds_a_single_case) {
    weft_ctx *c = opened();
    for (int inputs = 2; inputs <= 12; inputs += 5) {
        CASE("%d inputs", inputs);
        weft_circuit *a = weft_circuit_new(c, inputs), *b = weft_circuit_new(c, inputs);
        int32_t all = 0;
        for (int i = 1; i < inputs; i++) all = weft_circuit_add(a, WEFT_GATE_AND, all, i);
        weft_circuit_output(a, all); /* 1 in one case of all */
        weft_circuit_output(b, weft_circuit_add(b, WEFT_GATE_FALSE, 0, 0));
        bool same = true;
        CHECK_EQ(weft_circuit_equal(a, b, 1, 1, &same), WEFT_OK);
        CHECK(!same);
        CHECK_EQ(weft_circuit_equal(a, a, 1, 1, &same), WEFT_OK);
        CHECK(same);
        weft_circuit_free(a);
        weft_circuit_free(b);
    }
    weft_close(c);
}

/* Sums of more than 15 bits, and of all sizes around a power of two. */
TEST(large_groups_are_counted) {
    static const int sizes[] = {1, 7, 8, 15, 16, 255, 256, 1023, 32767, 32768, 40000};
    weft_ctx *c = opened();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        CASE("%d outputs", sizes[i]);
        weft_circuit *k = weft_circuit_new(c, 2);
        const uint64_t in[2] = {UINT64_C(0xf0f0123456789abc), UINT64_C(0x00ff00ff0f0f3333)};
        int32_t counts[64];
        for (int o = 0; o < sizes[i]; o++) CHECK_EQ(weft_circuit_output(k, o % 3 == 2), WEFT_OK);
        CHECK_EQ(weft_circuit_count(k, 1, 1, in, counts), WEFT_OK);
        for (int n = 0; n < 64; n++) {
            const int second = sizes[i] / 3, first = sizes[i] - second;
            CHECK_EQ(counts[n], (int)(in[0] >> n & 1) * first + (int)(in[1] >> n & 1) * second);
        }
        weft_circuit_free(k);
    }
    weft_close(c);
}

/* The longest way down from a value, by the definition; met: what is needed on all ways. */
static int slow_depth(const weft_circuit *k, int32_t value, bool *met) {
    met[value] = true;
    if (value < weft_circuit_inputs(k)) return 0;
    const weft_circuit_gate g = weft_circuit_at(k, value - weft_circuit_inputs(k));
    bool by_a = false, by_b = false;
    for (int i = 0; i < 2; i++) {
        by_a |= circuit_truth(g.kind, 0, i) != circuit_truth(g.kind, 1, i);
        by_b |= circuit_truth(g.kind, i, 0) != circuit_truth(g.kind, i, 1);
    }
    const int a = by_a ? slow_depth(k, g.a, met) : 0, b = by_b ? slow_depth(k, g.b, met) : 0;
    const bool counts = (by_a || by_b) && g.kind != WEFT_GATE_A && g.kind != WEFT_GATE_B;
    return (a > b ? a : b) + counts;
}

TEST(depth_and_active_gates_of_random_ones) {
    enum { INPUTS = 3, GATES = 16 };
    weft_ctx *c = opened();
    circuit_random r = {5};
    for (int i = 0; i < 40 * CIRCUIT_SHAPES; i++) {
        weft_circuit *k = circuit_random_one(c, &r, i % CIRCUIT_SHAPES, INPUTS, GATES, 2);
        bool met[INPUTS + GATES] = {false};
        int deepest = 0, active = 0;
        for (int o = 0; o < 2; o++) {
            const int depth = slow_depth(k, weft_circuit_output_at(k, o), met);
            if (depth > deepest) deepest = depth;
        }
        for (int g = 0; g < GATES; g++) {
            const int kind = weft_circuit_at(k, g).kind;
            active += met[INPUTS + g] && kind != WEFT_GATE_A && kind != WEFT_GATE_B;
        }
        CHECK_EQ(weft_circuit_depth(k), deepest);
        CHECK_EQ(weft_circuit_active(k), active);
        weft_circuit_free(k);
    }
    weft_close(c);
}

/* Everything that allocates, once; whether all went well. */
static bool everything(weft_ctx *c) {
    circuit_random r = {3};
    uint64_t in[70] = {5, 6, 7}, out[20];
    int32_t counts[64 * 4];
    bool good = true, same = false;
    for (int big = 0; big < 2 && good; big++) {
        weft_circuit *k = circuit_random_one(c, &r, big ? 5 : 0, big ? 70 : 5, 150, 4),
                     *copy = NULL;
        good = k && weft_circuit_gates(k) == 150 && weft_circuit_outputs(k) == 4;
        good = good && (copy = weft_circuit_copy(k)) != NULL;
        good = good && weft_circuit_depth(k) > 0 && weft_circuit_active(k) > 0;
        good = good && weft_circuit_run(k, 1, in, out) == WEFT_OK;
        good = good && weft_circuit_simplify(copy) == WEFT_OK;
        good = good && weft_circuit_count(copy, 2, 1, in, counts) == WEFT_OK;
        good = good && weft_circuit_equal(k, copy, 500, 1, &same) == WEFT_OK && same;
        for (int f = 0; f < WEFT_CIRCUIT_FORMAT_COUNT && good; f++) {
            char *text = weft_circuit_text(k, (weft_circuit_format)f, NULL);
            good = text != NULL;
            if (f == WEFT_CIRCUIT_JSON && good) {
                weft_circuit *again = weft_circuit_read(c, text, strlen(text), NULL);
                good = again != NULL;
                weft_circuit_free(again);
            }
            weft_text_free(c, text);
        }
        weft_circuit_free(k);
        weft_circuit_free(copy);
    }
    return good;
}

TEST(out_of_memory_is_an_error_and_leaks_nothing) {
    sweep_memory(everything);
}
