/* 15_learned_gates.c - a network of gates learns to add two numbers of two bits, and becomes a
 * circuit. While it learns every gate is all sixteen functions at once; at its word it is one. */
#include <stdio.h>
#include <weft/logic.h>
#include <weft/optim.h>

enum { BITS = 4, SUM = 3, CASES = 16, STEPS = 800, WIRINGS = 20 };

/* Layers that narrow towards the sum, wired at random. */
static weft_logic *wired(weft_ctx *c, uint64_t seed) {
    static const int width[] = {48, 48, 24, 12, 6, SUM};
    enum { LAYERS = sizeof width / sizeof *width, WIDEST = 48 };
    weft_logic *l = weft_logic_new(c, BITS);
    int32_t pairs[2 * WIDEST], now[WIDEST] = {0, 1, 2, 3}, next[WIDEST];
    int n = BITS;
    for (int k = 0; k < LAYERS && l; k++) {
        const weft_wiring how = k ? WEFT_WIRING_UNIQUE : WEFT_WIRING_RANDOM;
        if (weft_wire(c, how, n, width[k], seed * LAYERS + (uint64_t)k + 1, pairs) ||
            weft_logic_layer(l, now, width[k], pairs, -1, next)) {
            weft_logic_free(l);
            return NULL;
        }
        n = width[k];
        for (int i = 0; i < n; i++) now[i] = next[i];
    }
    if (l) weft_logic_output(l, n, now);
    return l;
}

/* Wrong bits of the circuit over all sixteen cases. */
static int mistakes(weft_circuit *k) {
    uint64_t in[BITS] = {0}, out[SUM];
    int wrong = 0;
    for (int i = 0; i < CASES; i++)
        for (int b = 0; b < BITS; b++) in[b] |= (uint64_t)(i >> b & 1) << i;
    if (weft_circuit_run(k, 1, in, out)) return -1;
    for (int i = 0; i < CASES; i++)
        for (int b = 0; b < SUM; b++)
            wrong += (int)(out[b] >> i & 1) != (((i & 3) + (i >> 2)) >> b & 1);
    return wrong;
}

/* Learns with one wiring; the circuit, whether right or wrong. */
static weft_circuit *learned(weft_ctx *c, uint64_t seed) {
    weft_logic *l = wired(c, seed);
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_circuit *k = NULL;
    float x[BITS][CASES], t[SUM][CASES];
    for (int i = 0; i < CASES; i++) {
        for (int b = 0; b < BITS; b++) x[b][i] = (float)(i >> b & 1);
        for (int b = 0; b < SUM; b++) t[b][i] = (float)(((i & 3) + (i >> 2)) >> b & 1);
    }
    if (l && s && g) {
        const weft_tensor in = weft_const(g, WEFT_F32, weft_dims(BITS, CASES), x);
        const weft_tensor want = weft_const(g, WEFT_F32, weft_dims(SUM, CASES), t);
        const weft_tensor logits = weft_logic_logits(g, s, "gates", weft_logic_rows(l), 3);
        const weft_tensor coef = weft_logic_coefficients(logits, WEFT_LOGIC_SOFT, 0);
        const weft_tensor off = weft_sub(weft_logic_record(l, in, coef), want);
        const weft_tensor loss = weft_sum(weft_mul(off, off), WEFT_ALL, false);
        weft_plan *p = weft_compile(
            g,
            &(weft_plan_desc){
                .fetch = weft_list(loss),
                .update = weft_optimiser(
                    s, loss,
                    &(weft_optimiser_desc){
                        .kind = WEFT_OPTIMISER_ADAMW, .lr = 0.1f, .beta2 = 0.9f, .decay = 0.05f})});
        for (int i = 0; i < STEPS && p; i++)
            if (weft_run(p)) break;
        if (p) {
            float *gates = weft_state_copy(s, "gates");
            k = weft_logic_circuit(l, gates, WEFT_GATE_KINDS);
            weft_resize(c, gates, 0);
            printf("wiring %2d: loss %7.4f, as circuit %d of %d bits wrong\n", (int)seed,
                   weft_item(p, loss), k ? mistakes(k) : -1, CASES * SUM);
        }
        weft_plan_free(p);
    }
    weft_graph_free(g);
    weft_state_free(s);
    weft_logic_free(l);
    return k;
}

int main(void) {
    weft_ctx *c = weft_open("auto");
    int wrong = -1;
    for (uint64_t seed = 1; seed <= WIRINGS && wrong != 0; seed++) {
        weft_circuit *k = learned(c, seed);
        if (!k) return fprintf(stderr, "%s\n", weft_error(c)), 1;
        wrong = mistakes(k);
        const int before = weft_circuit_active(k);
        if (wrong == 0 && weft_circuit_simplify(k) == WEFT_OK) {
            printf("%d active gates, %d when simplified:\n", before, weft_circuit_gates(k));
            for (int i = 0; i < weft_circuit_gates(k); i++) {
                const weft_circuit_gate gate = weft_circuit_at(k, i);
                printf("  v%-2d = %-9s with a = v%d, b = v%d\n", BITS + i,
                       weft_gate_text(gate.kind), (int)gate.a, (int)gate.b);
            }
            wrong = mistakes(k);
        }
        weft_circuit_free(k);
    }
    weft_close(c);
    return wrong;
}
