/* soft.c - gates in the making: numbered values, layers over them, and how logits become gates.
 *
 * A gate of a known function has no row of logits: its row says which function it is, and recording
 * puts the sixteen sets of coefficients behind those that are learned. */
#include "logic/soft.h"

#include <string.h>

/* ---- making ---- */

weft_logic *weft_logic_new(weft_ctx *c, int inputs) {
    if (inputs < 1 || inputs > LOGIC_MOST) {
        weft_fail(c, WEFT_ARGUMENT, "weft_logic_new: %d inputs; 1 to %d were expected", inputs,
                  LOGIC_MOST);
        return NULL;
    }
    weft_logic *l = weft_resize(c, NULL, sizeof *l);
    if (!l) {
        weft_fail(c, WEFT_MEMORY, "weft_logic_new: out of memory");
        return NULL;
    }
    *l = (weft_logic){.c = c, .inputs = inputs};
    return l;
}

void weft_logic_free(weft_logic *l) {
    if (!l) return;
    weft_resize(l->c, l->gate, 0);
    weft_resize(l->c, l->output, 0);
    weft_resize(l->c, l, 0);
}

int weft_logic_inputs(const weft_logic *l) {
    return l->inputs;
}
int weft_logic_gates(const weft_logic *l) {
    return l->gates;
}
int weft_logic_rows(const weft_logic *l) {
    return l->rows;
}

/* Room for n more in a list that grows by half. */
static bool logic_room(weft_ctx *c, void **list, int have, int more, int *room, size_t size) {
    if (have + more <= *room) return true;
    const int want = have + more > *room + *room / 2 ? have + more : *room + *room / 2;
    void *p = weft_resize(c, *list, (size_t)want * size);
    if (!p) return false;
    *list = p, *room = want;
    return true;
}

/* Known functions, in place of a row. */
static int32_t logic_row_of(int kind) {
    return -1 - (int32_t)kind;
}
static int logic_known(int32_t row) {
    return -1 - (int)row;
}

/* Gates with rows from `row` on, or all of the function that it says. */
static weft_err logic_add(weft_logic *l, const char *what, const int32_t *values, int gates,
                          const int32_t *pairs, int32_t row, int32_t *out) {
    if (gates < 1 || gates > LOGIC_MOST - l->inputs - l->gates || !pairs)
        return weft_fail(l->c, WEFT_ARGUMENT, "%s: %d gates; 1 to %d and their pairs were expected",
                         what, gates, LOGIC_MOST - l->inputs - l->gates);
    if (!logic_room(l->c, (void **)&l->gate, l->gates, gates, &l->gate_room, sizeof *l->gate))
        return weft_fail(l->c, WEFT_MEMORY, "%s: out of memory for %d gates", what, gates);
    const int known = l->inputs + l->gates;
    for (int i = 0; i < gates; i++) {
        const int32_t a = values ? values[pairs[2 * i]] : pairs[2 * i];
        const int32_t b = values ? values[pairs[2 * i + 1]] : pairs[2 * i + 1];
        if (a < 0 || a >= known || b < 0 || b >= known)
            return weft_fail(l->c, WEFT_ARGUMENT,
                             "%s: gate %d reads values %d and %d; there are %d", what, i, (int)a,
                             (int)b, known);
        l->gate[l->gates + i] = (weft_gate){a, b, row < 0 ? row : row + i};
    }
    for (int i = 0; i < gates && out; i++) out[i] = known + i;
    l->gates += gates;
    return WEFT_OK;
}

weft_err weft_logic_layer(weft_logic *l, const int32_t *values, int gates, const int32_t *pairs,
                          int row, int32_t *out) {
    if (row > l->rows)
        return weft_fail(l->c, WEFT_ARGUMENT,
                         "weft_logic_layer: rows from %d on; there are %d, and those behind them",
                         row, l->rows);
    const int first = row < 0 ? l->rows : row;
    const weft_err e = logic_add(l, "weft_logic_layer", values, gates, pairs, first, out);
    if (!e && first + gates > l->rows) l->rows = first + gates;
    return e;
}

weft_err weft_logic_fixed(weft_logic *l, const int32_t *values, int gates, const int32_t *pairs,
                          int kind, int32_t *out) {
    if (!weft_gate_text(kind))
        return weft_fail(l->c, WEFT_ARGUMENT, "weft_logic_fixed: kind %d is not one of the %d",
                         kind, WEFT_GATE_KINDS);
    const int32_t row = logic_row_of(kind);
    const weft_err e = logic_add(l, "weft_logic_fixed", values, gates, pairs, row, out);
    if (!e) l->fixed += gates;
    return e;
}

weft_err weft_logic_output(weft_logic *l, int n, const int32_t *values) {
    if (n < 0 || n > LOGIC_MOST - l->outputs || (n && !values))
        return weft_fail(l->c, WEFT_ARGUMENT, "weft_logic_output: %d outputs", n);
    if (!logic_room(l->c, (void **)&l->output, l->outputs, n, &l->output_room, sizeof *l->output))
        return weft_fail(l->c, WEFT_MEMORY, "weft_logic_output: out of memory");
    for (int i = 0; i < n; i++)
        if (values[i] < 0 || values[i] >= l->inputs + l->gates)
            return weft_fail(l->c, WEFT_ARGUMENT, "weft_logic_output: value %d of %d",
                             (int)values[i], l->inputs + l->gates);
    if (n) memcpy(l->output + l->outputs, values, (size_t)n * sizeof *values);
    l->outputs += n;
    return WEFT_OK;
}

/* ---- logits ---- */

weft_tensor weft_logic_logits(weft_graph *g, weft_state *s, const char *name, int rows,
                              float pass) {
    return weft_param(g, s, name, weft_dims(rows, WEFT_GATE_KINDS),
                      (weft_init){WEFT_INIT_COLUMN, pass, WEFT_GATE_A});
}

/* Written when the entry has just been made: no initializer has two kinds of columns. */
weft_tensor weft_logic_tables(weft_graph *g, weft_state *s, const char *name, int rows,
                              float pass) {
    const size_t before = weft_state_count(s);
    const weft_tensor t = weft_param(g, s, name, weft_dims(rows, 4), (weft_init){0});
    weft_entry entry;
    if (!weft_ok(t) || weft_state_count(s) == before || weft_state_entry(s, before, &entry))
        return t;
    float *const at = weft_state_copy(s, entry.name);
    for (int64_t i = 0; i < 4 * (int64_t)rows && at; i++) at[i] = i % 4 < 2 ? -pass : pass;
    const bool set = at && weft_state_set(s, entry.name, at, entry.bytes) == WEFT_OK;
    weft_resize(weft_state_ctx(s), at, 0);
    return set ? t : weft_poison(g, WEFT_MEMORY, "weft_logic_tables: no memory for %s", name);
}

/* [16, 4] coefficients of the functions, or [4, 4] of what a gate gives for 00, 01, 10 and 11. */
static weft_tensor logic_table(weft_graph *g, int64_t columns) {
    static const float corners[4][4] = {{1, -1, -1, 1}, {0, 0, 1, -1}, {0, 1, 0, -1}, {0, 0, 0, 1}};
    float all[WEFT_GATE_KINDS][4];
    if (columns == 4) return weft_const(g, WEFT_F32, weft_dims(4, 4), corners);
    for (int i = 0; i < WEFT_GATE_KINDS; i++)
        memcpy(all[i], weft_gate_coefficients(i), sizeof all[i]);
    return weft_const(g, WEFT_F32, weft_dims(WEFT_GATE_KINDS, 4), all);
}

/* -ln(-ln u) */
static weft_tensor logic_noise(weft_graph *g, weft_shape dims) {
    const weft_tensor u = weft_clamp(weft_uniform(g, dims), 1e-7f, 1 - 1e-7f);
    return weft_neg(weft_log(weft_neg(weft_log(u))));
}

weft_tensor weft_logic_coefficients(weft_tensor logits, weft_logic_mode mode, float temperature) {
    weft_graph *const g = logits.g;
    const int64_t columns = weft_ok(logits) ? weft_dim(logits, -1) : 4;
    if (weft_ok(logits) && (weft_rank(logits) != 2 || (columns != 4 && columns != WEFT_GATE_KINDS)))
        return weft_poison(
            g, WEFT_SHAPE,
            "weft_logic_coefficients: logits of rank %d with %lld columns; [rows, 16] "
            "or [rows, 4] was expected",
            weft_rank(logits), (long long)columns);
    if ((unsigned)mode >= WEFT_LOGIC_MODE_COUNT || !(temperature >= 0))
        return weft_poison(g, WEFT_ARGUMENT, "weft_logic_coefficients: mode %d, temperature %g",
                           (int)mode, (double)temperature);
    if (!weft_ok(logits)) return logits;
    const bool one_of = columns == WEFT_GATE_KINDS;
    weft_tensor l = temperature > 0 ? weft_scale(logits, 1 / temperature) : logits;
    if (mode == WEFT_LOGIC_GUMBEL) l = weft_add(l, logic_noise(g, weft_shape_of(l)));
    const weft_tensor soft = one_of ? weft_softmax(l, -1) : weft_sigmoid(l);
    weft_tensor p = soft;
    if (mode == WEFT_LOGIC_HARD || mode == WEFT_LOGIC_STRAIGHT) {
        const weft_tensor hard = one_of ? weft_one_hot(weft_argmax(l, 1, false), columns)
                                        : weft_cast(weft_gt(l, weft_scalar(g, 0)), WEFT_F32);
        p = mode == WEFT_LOGIC_HARD ? weft_stop_gradient(hard) : weft_straight_through(hard, soft);
    }
    return weft_matmul(p, logic_table(g, columns));
}

/* ---- using ---- */

weft_tensor weft_logic_record(const weft_logic *l, weft_tensor x, weft_tensor coef) {
    if (weft_ok(x) && weft_dim(x, 0) != l->inputs)
        return weft_poison(x.g, WEFT_SHAPE,
                           "weft_logic_record: %lld rows; the network has %d inputs",
                           (long long)weft_dim(x, 0), l->inputs);
    const size_t gates = (size_t)l->gates, outputs = (size_t)l->outputs;
    if (!l->fixed || !weft_ok(x) || !weft_ok(coef) || weft_rank(coef) != 2)
        return weft_gate_program(x, coef, l->gate, gates, l->output, outputs);
    const weft_tensor parts[2] = {coef, logic_table(x.g, WEFT_GATE_KINDS)};
    const int32_t learned = (int32_t)weft_dim(coef, 0);
    weft_gate *all = weft_resize(l->c, NULL, gates * sizeof *all);
    if (!all) return weft_poison(x.g, WEFT_MEMORY, "weft_logic_record: out of memory");
    memcpy(all, l->gate, gates * sizeof *all);
    for (size_t i = 0; i < gates; i++)
        if (all[i].row < 0) all[i].row = learned + logic_known(all[i].row);
    const weft_tensor y = weft_gate_program(x, weft_concat((weft_tensors){parts, 2}, 0), all, gates,
                                            l->output, outputs);
    weft_resize(l->c, all, 0);
    return y;
}

/* The likeliest of the sixteen; or, of four answers each by itself: the functions are numbered by
 * their answers for 00, 01, 10 and 11. */
static int logic_kind(const float *logit, int columns) {
    int best = 0;
    if (columns == 4) {
        for (int i = 0; i < 4; i++) best = 2 * best + (logit[i] > 0);
        return best;
    }
    for (int i = 1; i < WEFT_GATE_KINDS; i++)
        if (logit[i] > logit[best]) best = i;
    return best;
}

weft_circuit *weft_logic_circuit(const weft_logic *l, const float *logits, int columns) {
    if (!logits || (columns != 4 && columns != WEFT_GATE_KINDS)) {
        weft_fail(l->c, WEFT_ARGUMENT, "weft_logic_circuit: logits of %d columns; 16 or 4",
                  columns);
        return NULL;
    }
    weft_circuit *k = weft_circuit_new(l->c, l->inputs);
    bool good = k != NULL;
    for (int i = 0; i < l->gates && good; i++) {
        const weft_gate *const g = &l->gate[i];
        const int kind = g->row < 0
                             ? logic_known(g->row)
                             : logic_kind(logits + (size_t)g->row * (size_t)columns, columns);
        good = weft_circuit_add(k, kind, g->a, g->b) >= 0;
    }
    for (int i = 0; i < l->outputs && good; i++)
        good = weft_circuit_output(k, l->output[i]) == WEFT_OK;
    if (good) return k;
    weft_circuit_free(k);
    return NULL;
}

weft_tensor weft_logic_group_sum(weft_tensor y, int classes, float scale) {
    if (!weft_ok(y)) return y;
    const int64_t outputs = weft_dim(y, 0), cases = weft_dim(y, 1);
    if (classes < 1 || outputs % classes || !(scale > 0))
        return weft_poison(y.g, WEFT_SHAPE,
                           "weft_logic_group_sum: %lld outputs for %d classes, scale %g",
                           (long long)outputs, classes, (double)scale);
    const weft_tensor by = weft_reshape(y, weft_dims(classes, outputs / classes, cases));
    const weft_tensor sums = weft_sum(by, weft_axes(1), false);
    return weft_scale(weft_transpose(sums, 0, 1), 1 / scale);
}
