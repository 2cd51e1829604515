/* 14_circuits.c - a circuit by hand: the rule of Life from a counter, simplified, run on bits as a
 * glider flies over 16 x 16 cells, and written as C, JSON, BLIF, Verilog and as a picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/logic.h>

enum { SIDE = 16, CELLS = SIDE * SIDE, AROUND = 9, GENERATIONS = 16 };

/* Inputs are the nine cells around one, row by row, itself in the middle. Neighbours are counted
 * one after the other, each carried through three bits; eight of them are taken for none, and a
 * cell lives with three, or with two if it lives already. */
static weft_circuit *life(weft_ctx *c) {
    weft_circuit *k = weft_circuit_new(c, AROUND);
    if (!k) return NULL;
    const int32_t none = weft_circuit_add(k, WEFT_GATE_FALSE, 0, 0);
    int32_t bit[3] = {none, none, none};
    for (int n = 0; n < AROUND; n++) {
        int32_t carry = n;
        for (int i = 0; i < 3 && n != AROUND / 2; i++) {
            const int32_t before = bit[i];
            bit[i] = weft_circuit_add(k, WEFT_GATE_XOR, before, carry);
            carry = weft_circuit_add(k, WEFT_GATE_AND, before, carry);
        }
    }
    const int32_t two_or_three = weft_circuit_add(k, WEFT_GATE_A_NOT_B, bit[1], bit[2]);
    const int32_t three_or_self = weft_circuit_add(k, WEFT_GATE_OR, bit[0], AROUND / 2);
    weft_circuit_output(k, weft_circuit_add(k, WEFT_GATE_AND, two_or_three, three_or_self));
    return k;
}

/* Each cell is a case, so four words hold the field; input i is what all cells see there. */
static weft_err generation(weft_ctx *c, weft_circuit *k, uint8_t field[CELLS]) {
    uint8_t seen[CELLS][AROUND];
    uint64_t in[AROUND * WEFT_WORDS(CELLS)], out[WEFT_WORDS(CELLS)];
    for (int i = 0; i < CELLS; i++)
        for (int n = 0; n < AROUND; n++) {
            const int y = (i / SIDE + n / 3 - 1 + SIDE) % SIDE;
            const int x = (i % SIDE + n % 3 - 1 + SIDE) % SIDE;
            seen[i][n] = field[y * SIDE + x];
        }
    const weft_err e = weft_bits_pack(c, WEFT_U8, seen, CELLS, AROUND, 1, in);
    if (e || weft_circuit_run(k, WEFT_WORDS(CELLS), in, out)) return weft_error_code(c);
    weft_bits_unpack(out, CELLS, 1, field);
    return WEFT_OK;
}

static void show(const uint8_t field[CELLS], int living) {
    printf("%d living\n", living);
    for (int i = 0; i < CELLS; i += SIDE) {
        for (int j = 0; j < SIDE; j++) putchar(field[i + j] ? '#' : '.');
        putchar('\n');
    }
}

/* The texts, by their size; what was written as JSON is read again and compared. */
static bool write_all(weft_ctx *c, const weft_circuit *k) {
    bool same = false;
    for (int f = 0; f < WEFT_CIRCUIT_FORMAT_COUNT; f++) {
        char *text = weft_circuit_text(k, (weft_circuit_format)f, "life");
        if (!text) return false;
        printf("life.%-5s %6zu bytes\n", weft_circuit_ending((weft_circuit_format)f), strlen(text));
        if (f == WEFT_CIRCUIT_JSON) {
            weft_circuit *again = weft_circuit_read(c, text, strlen(text), "life.json");
            if (!again || weft_circuit_equal(k, again, 0, 1, &same)) same = false;
            weft_circuit_free(again);
        }
        weft_text_free(c, text);
    }
    return same;
}

int main(void) {
    weft_ctx *c = weft_open("auto");
    weft_circuit *k = life(c), *plain = k ? weft_circuit_copy(k) : NULL;
    bool same = false;
    if (!plain || weft_circuit_simplify(k) || weft_circuit_equal(plain, k, 0, 1, &same) || !same)
        return fprintf(stderr, "%s\n", weft_error(c)), 1;
    printf("the rule of Life: %d inputs, %d gates, %d deep; simplified %d gates, %d deep\n",
           weft_circuit_inputs(k), weft_circuit_active(plain), weft_circuit_depth(plain),
           weft_circuit_gates(k), weft_circuit_depth(k));
    const weft_circuit_gate last = weft_circuit_at(k, weft_circuit_gates(k) - 1);
    printf("the last gate is %s, of a = value %d and b = value %d\n", weft_gate_text(last.kind),
           (int)last.a, (int)last.b);

    uint8_t field[CELLS] = {0};
    const int glider[] = {1, SIDE + 2, 2 * SIDE, 2 * SIDE + 1, 2 * SIDE + 2};
    for (int i = 0; i < 5; i++) field[glider[i]] = 1;
    for (int i = 0; i < GENERATIONS; i++)
        if (generation(c, k, field)) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    int living = 0;
    for (int i = 0; i < CELLS; i++) living += field[i];
    show(field, living);
    bool flown = living == 5; /* four cells down and to the right in sixteen generations */
    for (int i = 0; i < 5; i++) flown = flown && field[glider[i] + 4 * SIDE + 4];
    const bool written = write_all(c, k);

    weft_circuit_free(plain);
    weft_circuit_free(k);
    weft_close(c);
    return flown && written ? 0 : 1;
}
