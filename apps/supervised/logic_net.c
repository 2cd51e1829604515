/* logic_net.c - records the network of logic_net.h, and makes its circuit. */
#include "logic_net.h"

#include <weft/rl.h>

#include <math.h>
#include <stdlib.h>

enum { LOGIC_NET_LEVELS = 3, LOGIC_NET_RIM = 4, LOGIC_NET_NEAR = 3 };

static const float logic_net_pass = 2; /* first answers of a gate: it passes on a value */

/* Pixels are whole numbers: what reaches `least` is no matter of rounding half a step below it. */
static int logic_net_least(int level) {
    return 256 * (level + 1) / (LOGIC_NET_LEVELS + 1);
}

int64_t logic_net_inputs(const network *n) {
    return LOGIC_NET_LEVELS * n->rows * n->columns;
}

/* With 800 outputs a class the counts are some 28 times too far apart for a softmax. */
float logic_net_scale(const network *n) {
    return sqrtf((float)n->hidden / (float)n->outputs);
}

/* ---- wiring ---- */

/* The numbers of the bits that are read; gives how many. */
static int logic_net_seen(const network *n, int32_t *seen) {
    int count = 0;
    for (int level = 0; level < LOGIC_NET_LEVELS; level++)
        for (int64_t y = LOGIC_NET_RIM; y < n->rows - LOGIC_NET_RIM; y++)
            for (int64_t x = LOGIC_NET_RIM; x < n->columns - LOGIC_NET_RIM; x++)
                seen[count++] = (int32_t)((level * n->rows + y) * n->columns + x);
    return count;
}

/* The first layer: a gate reads a bit, and another of a pixel nearby, of any brightness. Strokes are
 * narrow, and what lies far apart hardly depends on each other. */
static weft_err logic_net_first(weft_ctx *c, weft_logic *l, const network *n, int32_t *now) {
    const int width = (int)n->columns - 2 * LOGIC_NET_RIM, gates = (int)n->hidden;
    const int height = (int)n->rows - 2 * LOGIC_NET_RIM, across = 2 * LOGIC_NET_NEAR + 1;
    if (height < 2 || width < 2)
        return weft_fail(c, WEFT_SHAPE,
                         "images of %lld x %lld pixels are too small for logic gates",
                         (long long)n->rows, (long long)n->columns);
    const int seen = logic_net_seen(n, now);
    int32_t *pairs = malloc(2 * (size_t)gates * sizeof *pairs);
    if (!pairs) return weft_fail(c, WEFT_MEMORY, "out of memory");
    weft_err e = weft_wire(c, WEFT_WIRING_BALANCED, seen, gates, n->wiring, pairs);
    weft_rng r;
    weft_rng_seed(&r, n->wiring, LOGIC_NET_LAYERS);
    for (int i = 0; i < gates && !e; i++) {
        const int at = pairs[2 * i] % (height * width);
        int y, x;
        do {
            y = at / width + (int)weft_rng_below(&r, (uint32_t)across) - LOGIC_NET_NEAR;
            x = at % width + (int)weft_rng_below(&r, (uint32_t)across) - LOGIC_NET_NEAR;
        } while (y < 0 || y >= height || x < 0 || x >= width || y * width + x == at);
        const int level = (int)weft_rng_below(&r, LOGIC_NET_LEVELS);
        pairs[2 * i + 1] = (level * height + y) * width + x;
    }
    if (!e) e = weft_logic_layer(l, now, gates, pairs, -1, now);
    free(pairs);
    return e;
}

static weft_logic *logic_net_wire(weft_ctx *c, const network *n) {
    const int width = (int)n->hidden;
    const int64_t inputs = logic_net_inputs(n);
    int32_t *now = malloc((size_t)(inputs > width ? inputs : width) * sizeof *now);
    weft_logic *l = now ? weft_logic_new(c, (int)inputs) : NULL;
    weft_err e = l     ? logic_net_first(c, l, n, now)
                 : now ? weft_error_code(c)
                       : weft_fail(c, WEFT_MEMORY, "out of memory");
    for (int i = 1; i < LOGIC_NET_LAYERS && !e; i++) {
        const uint64_t seed = n->wiring * LOGIC_NET_LAYERS + (uint64_t)i;
        e = weft_logic_dense(l, now, width, width, WEFT_WIRING_BALANCED, seed, now);
    }
    if (!e) e = weft_logic_output(l, width, now);
    free(now);
    if (!e) return l;
    weft_logic_free(l);
    return NULL;
}

/* ---- recording ---- */

/* [n, pixels] to [levels * pixels, n] */
static weft_tensor logic_net_input(weft_tensor x, const network *n) {
    const int64_t pixels = n->rows * n->columns, cases = weft_dim(x, 0);
    const weft_shape dims = weft_dims(LOGIC_NET_LEVELS, pixels, cases);
    float least[LOGIC_NET_LEVELS];
    for (int i = 0; i < LOGIC_NET_LEVELS; i++) least[i] = ((float)logic_net_least(i) - 0.5f) / 255;
    const weft_tensor at = weft_const(x.g, WEFT_F32, weft_dims(LOGIC_NET_LEVELS, 1, 1), least);
    const weft_tensor bright = weft_reshape(weft_transpose(x, 0, 1), weft_dims(1, pixels, cases));
    const weft_tensor bits = weft_ge(weft_expand(bright, dims), weft_expand(at, dims));
    return weft_reshape(weft_cast(bits, WEFT_F32), weft_dims(LOGIC_NET_LEVELS * pixels, cases));
}

weft_tensor logic_net_record(weft_state *s, weft_tensor x, const network *n) {
    if (!weft_ok(x)) return x;
    if (n->hidden % n->outputs)
        return weft_poison(x.g, WEFT_ARGUMENT,
                           "--hidden %lld: gates of a layer; a multiple of %lld was expected, so "
                           "that every class has as many",
                           (long long)n->hidden, (long long)n->outputs);
    weft_ctx *const c = weft_graph_ctx(x.g);
    weft_logic *l = logic_net_wire(c, n);
    if (!l) return weft_poison(x.g, weft_error_code(c), "%s", weft_error(c));
    const weft_tensor answers =
        weft_logic_tables(x.g, s, "gates", weft_logic_rows(l), logic_net_pass);
    const weft_tensor gates =
        weft_logic_coefficients(answers, n->hard ? WEFT_LOGIC_HARD : WEFT_LOGIC_SOFT, 0);
    const weft_tensor y = weft_logic_record(l, logic_net_input(x, n), gates);
    weft_logic_free(l);
    return weft_logic_group_sum(y, (int)n->outputs, logic_net_scale(n));
}

/* ---- the circuit ---- */

weft_circuit *logic_net_circuit(weft_state *s, const network *n) {
    float *answers = weft_state_copy(s, "gates");
    weft_logic *l = answers ? logic_net_wire(weft_state_ctx(s), n) : NULL;
    weft_circuit *k = l ? weft_logic_circuit(l, answers, 4) : NULL;
    weft_logic_free(l);
    weft_resize(weft_state_ctx(s), answers, 0);
    return k;
}

weft_err logic_net_bits(weft_ctx *c, const network *n, const uint8_t *pixels, int64_t pictures,
                        uint64_t *bits) {
    const int64_t each = n->rows * n->columns, words = WEFT_WORDS(pictures);
    weft_err e = WEFT_OK;
    for (int i = 0; i < LOGIC_NET_LEVELS && !e; i++)
        e = weft_bits_pack(c, WEFT_U8, pixels, pictures, each, (float)logic_net_least(i),
                           bits + i * each * words);
    return e;
}
