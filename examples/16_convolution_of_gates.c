/* 16_convolution_of_gates.c - trees of gates look at every place of a picture, and pools ask whether
 * they have found something nearby. They learn to tell crosses from squares, which lie anywhere
 * among noise, and become a circuit for 64 pictures at a time. */
#include <stdio.h>
#include <weft/logic.h>
#include <weft/nn.h>
#include <weft/optim.h>
#include <weft/rl.h>

enum { SIDE = 9, PIXELS = SIDE * SIDE, BATCH = 64, STEPS = 300, KINDS = 2, TREES = 40 };

/* 64 pictures [pixel, picture] of 0 and 1, with a shape of three by three each, and its kind. */
static void draw(weft_rng *r, float x[PIXELS][BATCH], int32_t kind[BATCH]) {
    static const int shape[KINDS][3][3] = {{{1, 0, 1}, {0, 1, 0}, {1, 0, 1}},
                                           {{1, 1, 1}, {1, 0, 1}, {1, 1, 1}}};
    for (int n = 0; n < BATCH; n++) {
        const int top = (int)weft_rng_below(r, SIDE - 2), left = (int)weft_rng_below(r, SIDE - 2);
        kind[n] = (int32_t)weft_rng_below(r, KINDS);
        for (int i = 0; i < PIXELS; i++) x[i][n] = weft_rng_below(r, 20) == 0;
        for (int i = 0; i < 9; i++)
            x[(top + i / 3) * SIDE + left + i % 3][n] = (float)shape[kind[n]][i / 3][i % 3];
    }
}

/* What half of the trees find speaks for one kind, the rest for the other. */
static weft_logic *wired(weft_ctx *c) {
    const weft_planes picture = {1, SIDE, SIDE};
    const weft_logic_conv_desc trees = {
        .kernels = TREES, .size = 3, .depth = 3, .wiring = WEFT_WIRING_BALANCED, .seed = 3};
    const weft_planes found = weft_logic_conv_planes(picture, &trees); /* 40 x 7 x 7 */
    int32_t now[TREES * 7 * 7], some[TREES * 3 * 3];
    weft_logic *l = weft_logic_new(c, PIXELS);
    if (!l || weft_logic_conv(l, NULL, picture, &trees, now) ||
        weft_logic_pool(l, now, found, 2, some) || weft_logic_output(l, TREES * 3 * 3, some)) {
        weft_logic_free(l);
        return NULL;
    }
    printf("%d gates, which share %d rows\n", weft_logic_gates(l), weft_logic_rows(l));
    return l;
}

/* How many of 64 fresh pictures the circuit reads right. */
static int right(weft_circuit *k, weft_rng *r) {
    float x[PIXELS][BATCH];
    int32_t kind[BATCH], counts[BATCH][KINDS];
    uint64_t in[PIXELS] = {0};
    int good = 0;
    draw(r, x, kind);
    for (int i = 0; i < PIXELS; i++)
        for (int n = 0; n < BATCH; n++) in[i] |= (uint64_t)(x[i][n] > 0) << n;
    if (weft_circuit_count(k, KINDS, 1, in, counts[0])) return -1;
    for (int n = 0; n < BATCH; n++) good += (counts[n][1] > counts[n][0]) == kind[n];
    return good;
}

static weft_circuit *learned(weft_ctx *c, const weft_logic *l, weft_rng *r) {
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_circuit *k = NULL;
    if (!s || !g) return NULL;
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(PIXELS, BATCH));
    const weft_tensor kind = weft_input(g, WEFT_I32, weft_dims(BATCH));
    const weft_tensor answers = weft_logic_tables(g, s, "gates", weft_logic_rows(l), 2);
    const weft_tensor y =
        weft_logic_record(l, x, weft_logic_coefficients(answers, WEFT_LOGIC_STRAIGHT, 0));
    const weft_tensor loss = weft_nn_cross_entropy(weft_logic_group_sum(y, KINDS, 4), kind, NULL);
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(loss),
                             .update = weft_optimiser(
                                 s, loss,
                                 &(weft_optimiser_desc){
                                     .kind = WEFT_OPTIMISER_ADAMW, .lr = 0.1f, .beta2 = 0.99f})});
    for (int i = 0; i < STEPS && p; i++) {
        draw(r, weft_feed(p, x), weft_feed(p, kind));
        if (weft_run(p)) break;
        if (i % 50 == 49) printf("step %3d: loss %.4f\n", i + 1, weft_item(p, loss));
    }
    float *gates = weft_state_copy(s, "gates");
    if (p) k = weft_logic_circuit(l, gates, 4);
    weft_resize(c, gates, 0);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    return k;
}

int main(void) {
    weft_ctx *c = weft_open("auto");
    weft_rng r;
    weft_rng_seed(&r, 1, 0);
    weft_logic *l = wired(c);
    weft_circuit *k = l ? learned(c, l, &r) : NULL;
    if (!k) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    const int before = weft_circuit_gates(k);
    int good = weft_circuit_simplify(k) ? -1 : 0;
    for (int i = 0; i < 16 && good >= 0; i++) {
        const int more = right(k, &r);
        good = more < 0 ? -1 : good + more;
    }
    printf("as circuit: %d of %d fresh pictures right; %d gates, %d when simplified\n", good,
           16 * BATCH, before, weft_circuit_gates(k));
    weft_circuit_free(k);
    weft_logic_free(l);
    weft_close(c);
    return good < 16 * BATCH * 9 / 10;
}
