/* gates.c - gate programs: many two-input gates over many cells, each c0 + c1 a + c2 b + c3 a b.
 *
 * The definition works level by level: of all gates whose inputs are known it gathers the inputs,
 * computes them at once and adds them to what is known. A kernel takes a few cells through the whole
 * program instead. The rule of differentiation is a block too: it computes the inner values again,
 * so none is stored between the passes. */
#include "core/gates.h"
#include "core/context.h"
#include "core/shape.h"
#include <assert.h>

const gate_wiring *gates_wiring(const int64_t *attr) {
    return (const gate_wiring *)(intptr_t)attr[GATES_ATTR_WIRING];
}

/* Sums over cells are made in so many pieces. */
static int64_t gates_pieces(const device_traits *t, int64_t cells) {
    return max_i64(1, min_i64(cells / t->cell_least, t->cell_pieces));
}

/* ---- recording ---- */

static bool gates_known(weft_graph *g, const weft_gate *gate, size_t n, const int32_t *output,
                        size_t m, int64_t features, int64_t rows) {
    if ((n && !gate) || (m && !output) || n > INT32_MAX / 4 || m > INT32_MAX / 4) {
        graph_fail(g, WEFT_ARGUMENT, "gate_program: %zu gates, %zu outputs", n, m);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const int64_t known = features + (int64_t)i;
        if (gate[i].a >= 0 && gate[i].a < known && gate[i].b >= 0 && gate[i].b < known &&
            gate[i].row >= 0 && gate[i].row < rows)
            continue;
        graph_fail(
            g, WEFT_ARGUMENT,
            "gate_program: gate %zu reads values %d and %d and row %d; values below %lld and "
            "rows below %lld were expected",
            i, (int)gate[i].a, (int)gate[i].b, (int)gate[i].row, (long long)known, (long long)rows);
        return false;
    }
    for (size_t i = 0; i < m; i++) {
        if (output[i] >= 0 && output[i] < features + (int64_t)n) continue;
        graph_fail(g, WEFT_ARGUMENT, "gate_program: output %zu is value %d of %lld", i,
                   (int)output[i], (long long)features + (long long)n);
        return false;
    }
    return true;
}

/* The graph's own copy, which is the same one for the same wiring. */
static const gate_wiring *gates_keep(weft_graph *g, gate_wiring w) {
    w.gate = graph_keep(g, w.gate, (size_t)w.gates * sizeof *w.gate);
    w.output = graph_keep(g, w.output, (size_t)w.outputs * sizeof *w.output);
    return w.gate && w.output ? graph_keep(g, &w, sizeof w) : NULL;
}

weft_tensor weft_gate_program(weft_tensor x, weft_tensor coef, const weft_gate *gates, size_t n,
                              const int32_t *outputs, size_t m) {
    weft_graph *g = x.g;
    weft_tensor in[2] = {x, coef};
    if (!graph_checked(g, in, 2)) return tensor_at(g, 0);
    const weft_shape sx = weft_shape_of(x), sc = weft_shape_of(coef);
    if (sx.rank != 2 || sc.rank != 2 || sc.n[1] != 4) {
        char a[80], b[80];
        return graph_fail(g, WEFT_SHAPE,
                          "gate_program: x %s, coefficients %s; [features, cells] and [rows, 4] "
                          "were expected",
                          shape_text(a, sizeof a, sx.rank, sx.n),
                          shape_text(b, sizeof b, sc.rank, sc.n));
    }
    if (!graph_positions(g, "gate_program", max_i64(sx.n[0], sc.n[0])) ||
        !gates_known(g, gates, n, outputs, m, sx.n[0], sc.n[0]))
        return tensor_at(g, 0);
    const gate_wiring wiring = {.features = (int32_t)sx.n[0],
                                .gates = (int32_t)n,
                                .outputs = (int32_t)m,
                                .rows = (int32_t)sc.n[0],
                                .gate = gates,
                                .output = outputs};
    const gate_wiring *w = gates_keep(g, wiring);
    if (!w) return graph_fail(g, WEFT_MEMORY, "gate_program: out of memory");
    in[0] = weft_cast(x, WEFT_F32);
    in[1] = weft_cast(coef, WEFT_F32);
    const int64_t attr[1] = {(int64_t)(intptr_t)w}, dim[2] = {(int64_t)m, sx.n[1]};
    return graph_part(graph_block(g, BLOCK_gates, in, 2, attr, 1), 0, WEFT_F32, 2, dim);
}

/* ---- the definition ---- */

static weft_tensor gates_rows(weft_tensor x, const int32_t *index, int64_t n) {
    return weft_gather(x, weft_const(x.g, WEFT_I32, weft_dims(n), index), 0);
}

/* What the gates of one level give: [n, cells]. */
static weft_tensor gates_level(weft_tensor known, weft_tensor coef, const int32_t *a,
                               const int32_t *b, const int32_t *row, int64_t n) {
    const weft_tensor c = gates_rows(coef, row, n);
    const weft_tensor x = gates_rows(known, a, n), y = gates_rows(known, b, n);
    weft_tensor k[4];
    for (int i = 0; i < 4; i++) k[i] = weft_slice(c, 1, i, i + 1, 1);
    return weft_add(weft_add(k[0], weft_mul(k[1], x)),
                    weft_mul(weft_add(k[2], weft_mul(k[3], x)), y));
}

/* How many gates lie between a value and the features, at most. */
static int32_t gates_depths(const gate_wiring *w, int32_t *depth) {
    int32_t deepest = 0;
    for (int32_t i = 0; i < w->features; i++) depth[i] = 0;
    for (int32_t i = 0; i < w->gates; i++) {
        const int32_t a = depth[w->gate[i].a], b = depth[w->gate[i].b];
        depth[w->features + i] = 1 + (a > b ? a : b);
        if (depth[w->features + i] > deepest) deepest = depth[w->features + i];
    }
    return deepest;
}

static weft_tensor gates_composed(const gate_wiring *w, weft_tensor x, weft_tensor coef) {
    weft_graph *g = x.g;
    const size_t values = (size_t)w->features + (size_t)w->gates;
    int32_t *room = mem_new(g->m, (5 * values + (size_t)w->outputs + 1) * sizeof *room);
    if (!room) return graph_fail(g, WEFT_MEMORY, "gate_program: out of memory");
    int32_t *depth = room, *place = depth + values, *a = place + values, *b = a + values,
            *row = b + values, *output = row + values;
    const int32_t deepest = gates_depths(w, depth);
    int32_t known = w->features;
    for (int32_t i = 0; i < w->features; i++) place[i] = i;
    for (int32_t level = 1; level <= deepest; level++) {
        int64_t n = 0;
        for (int32_t i = 0; i < w->gates; i++) {
            if (depth[w->features + i] != level) continue;
            a[n] = place[w->gate[i].a], b[n] = place[w->gate[i].b], row[n++] = w->gate[i].row;
            place[w->features + i] = known++;
        }
        const weft_tensor parts[2] = {x, gates_level(x, coef, a, b, row, n)};
        x = weft_concat((weft_tensors){parts, 2}, 0);
    }
    for (int32_t i = 0; i < w->outputs; i++) output[i] = place[w->output[i]];
    const weft_tensor y = gates_rows(x, output, w->outputs);
    mem_free(g->m, room);
    return y;
}

void gates_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                  weft_tensor *out) {
    assert(nin == 2);
    (void)g, (void)nin;
    out[0] = gates_composed(gates_wiring(attr), in[0], in[1]);
}

/* ---- differentiation ---- */

/* x, coef, dy -> dx, and the gradient of coef in pieces, of which the definition fills the first. */
void gates_grad_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                       weft_tensor *out) {
    assert(nin == 3 && attr[GATES_ATTR_PIECES] > 0);
    (void)nin;
    const gate_wiring *w = gates_wiring(attr);
    const weft_tensor own[2] = {named_copy(in[0], 0), named_copy(in[1], 1)};
    const weft_tensor y = gates_composed(w, own[0], own[1]);
    if (!grad_walk(g, &y, &in[2], 1, own, 2, true, out)) return;
    const weft_tensor whole = weft_reshape(out[1], weft_dims(1, 4 * w->rows));
    out[1] = weft_pad(whole, 0, 0, attr[GATES_ATTR_PIECES] - 1, 0);
}

void gates_vjp(weft_tensor block, const weft_tensor *dy, weft_tensor *out) {
    weft_graph *g = block.g;
    const gate_wiring *w = gates_wiring(node_attr(g, node_of(block)) + 1);
    const weft_tensor in[3] = {operand(block, 0), operand(block, 1), dy[0]};
    const int64_t cells = weft_dim(in[0], 1), pieces = gates_pieces(g->ctx->traits, cells);
    const int64_t attr[GATES_ATTRS] = {(int64_t)(intptr_t)w, pieces};
    const int64_t dx[2] = {w->features, cells}, dc[2] = {pieces, 4 * w->rows};
    const weft_tensor r = graph_block(g, BLOCK_gates_grad, in, 3, attr, GATES_ATTRS);
    out[0] = graph_part(r, 0, WEFT_F32, 2, dx);
    const weft_tensor sums = weft_sum(graph_part(r, 1, WEFT_F32, 2, dc), weft_axes(0), false);
    out[1] = weft_reshape(sums, weft_dims(w->rows, 4));
}
