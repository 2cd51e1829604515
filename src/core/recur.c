/* recur.c - recurrent cells over a sequence: the constructor, the cells as composed operations,
 * and the rule of differentiation.
 *
 * What all steps share stays outside the block: x W_ih^T with its biases is one product before it,
 * and its gradient gives the gates' gradients of all steps at once, so that both weights have
 * theirs from one product each. The definitions unroll the steps; they are what kernels are
 * compared with. Roles of operands are in recur.h. */
#include "core/recur.h"
#include "core/shape.h"
#include <assert.h>

typedef struct recur_kind {
    const char *text;
    int gates;
} recur_kind;

static const recur_kind recur_cells[WEFT_CELL_COUNT] = {
#define X(name, text, gates) {text, gates},
    WEFT_CELLS(X)
#undef X
};

int weft_cell_gates(weft_cell cell) {
    return (unsigned)cell < WEFT_CELL_COUNT ? recur_cells[cell].gates : 0;
}

/* ---- operands ---- */

typedef struct recur_operands {
    weft_graph *g;
    weft_cell cell;
    bool reverse;
    int64_t steps, rows, units;
    weft_tensor at[RECUR_ROLE_COUNT]; /* poison where nothing is given */
} recur_operands;

static recur_operands recur_read(weft_graph *g, const int64_t *attr, const weft_tensor *in) {
    recur_operands o = {
        .g = g, .cell = (weft_cell)attr[RECUR_ATTR_CELL], .reverse = attr[RECUR_ATTR_REVERSE] != 0};
    for (int r = 0; r < RECUR_ROLE_COUNT; r++) {
        int place = recur_operand(attr[RECUR_ATTR_GIVEN], (recur_role)r);
        o.at[r] = place < 0 ? tensor_at(g, 0) : in[place];
    }
    static const recur_role sequence[] = {RECUR_GATES, RECUR_Y, RECUR_KEPT};
    for (int i = 0; i < 3; i++)
        if (o.at[sequence[i]].id) {
            o.steps = weft_dim(o.at[sequence[i]], 0);
            o.rows = weft_dim(o.at[sequence[i]], 1);
        }
    o.units = weft_dim(o.at[RECUR_WEIGHT], 1);
    return o;
}

static weft_tensor recur_block(const recur_operands *o, block which) {
    weft_tensor in[RECUR_ROLE_COUNT];
    int64_t attr[RECUR_ATTRS] = {o->cell, o->reverse, 0};
    int n = 0;
    for (int r = 0; r < RECUR_ROLE_COUNT; r++)
        if (o->at[r].id) {
            attr[RECUR_ATTR_GIVEN] |= (int64_t)1 << r;
            in[n++] = o->at[r];
        }
    return graph_block(o->g, which, in, n, attr, RECUR_ATTRS);
}

static weft_tensor recur_zeros(const recur_operands *o) {
    return weft_full(o->g, weft_dims(o->rows, o->units), 0);
}

static weft_tensor recur_or_zeros(const recur_operands *o, recur_role r) {
    return o->at[r].id ? o->at[r] : recur_zeros(o);
}

/* ---- the constructor ---- */

static bool recur_fits(weft_tensor t, const char *cell, const char *what, int64_t rows,
                       int64_t columns) {
    weft_shape s = weft_shape_of(t);
    if (columns < 0 ? s.rank == 1 && s.n[0] == rows
                    : s.rank == 2 && s.n[0] == rows && s.n[1] == columns)
        return true;
    char got[100], want[100];
    int64_t dim[2] = {rows, columns};
    graph_fail(t.g, WEFT_SHAPE, "%s: %s must be %s, got %s", cell, what,
               shape_text(want, sizeof want, columns < 0 ? 1 : 2, dim),
               shape_text(got, sizeof got, s.rank, s.n));
    return false;
}

/* Shapes of everything that is given; x and the weights fix the sizes. */
static bool recur_check(weft_cell cell, const weft_tensor *must, const weft_tensor *may,
                        const char *const *names) {
    weft_graph *g = must[0].g;
    if (!graph_checked(g, must, 3)) return false;
    for (int i = 0; i < 5; i++)
        if (may[i].g && !graph_checked(g, &may[i], 1)) return false;
    if (!weft_cell_gates(cell)) {
        graph_fail(g, WEFT_ARGUMENT, "recur: unknown cell %d", (int)cell);
        return false;
    }
    const char *text = recur_cells[cell].text;
    if (weft_rank(must[0]) != 3) {
        graph_fail(g, WEFT_SHAPE, "%s: x must be [steps, rows, inputs], got rank %d", text,
                   weft_rank(must[0]));
        return false;
    }
    int64_t rows = weft_dim(must[0], 1), units = weft_dim(must[2], -1);
    int64_t width = recur_cells[cell].gates * min_i64(units, INT32_MAX);
    if (!recur_fits(must[2], text, "w_hh", width, units) ||
        !recur_fits(must[1], text, "w_ih", width, weft_dim(must[0], 2)))
        return false;
    for (int i = 0; i < 4; i++)
        if (may[i].g &&
            !recur_fits(may[i], text, names[i], i < 2 ? width : rows, i < 2 ? -1 : units))
            return false;
    if (may[3].g && cell != WEFT_LSTM) {
        graph_fail(g, WEFT_ARGUMENT, "%s: c0 is for the lstm only", text);
        return false;
    }
    if (!may[4].g) return true;
    if (weft_dtype_of(may[4]) != WEFT_I32) {
        graph_fail(g, WEFT_DTYPE, "%s: lengths must be i32, got %s", text,
                   weft_dtype_name(weft_dtype_of(may[4])));
        return false;
    }
    return recur_fits(may[4], text, "lengths", rows, -1);
}

/* Biases of a and u that meet in a sum are one; GRU's u_n is multiplied first and keeps its own. */
static weft_tensor recur_bias(weft_cell cell, weft_tensor b_ih, weft_tensor b_hh, int64_t units) {
    if (b_hh.g && cell == WEFT_GRU)
        b_hh = weft_pad(weft_slice(b_hh, 0, 0, 2 * units, 1), 0, 0, units, 0);
    return !b_ih.g ? b_hh : b_hh.g ? weft_add(b_ih, b_hh) : b_ih;
}

weft_recurred weft_recur(weft_cell cell, weft_tensor x, weft_tensor w_ih, weft_tensor w_hh,
                         weft_tensor b_ih, weft_tensor b_hh, const weft_recur_desc *d) {
    static const weft_recur_desc none;
    static const char *const names[] = {"b_ih", "b_hh", "h0", "c0"};
    if (!d) d = &none;
    weft_graph *g = x.g;
    weft_recurred r = {{g, 0}, {g, 0}, {g, 0}};
    weft_tensor must[3] = {x, w_ih, w_hh}, may[5] = {b_ih, b_hh, d->h0, d->c0, d->lengths};
    if (!recur_check(cell, must, may, names)) return r;

    recur_operands o = {.g = g,
                        .cell = cell,
                        .reverse = d->reverse,
                        .steps = weft_dim(x, 0),
                        .rows = weft_dim(x, 1),
                        .units = weft_dim(w_hh, 1)};
    for (int i = 0; i < RECUR_ROLE_COUNT; i++) o.at[i] = tensor_at(g, 0);
    if (d->h0.g) o.at[RECUR_H0] = weft_cast(d->h0, WEFT_F32);
    if (d->c0.g) o.at[RECUR_C0] = weft_cast(d->c0, WEFT_F32);
    if (d->lengths.g) o.at[RECUR_LENGTHS] = d->lengths;
    if (cell != WEFT_LSTM) r.c = (weft_tensor){0};
    weft_shape all = {3, {o.steps, o.rows, o.units}};
    if (o.steps == 0) {
        r.y = weft_full(g, all, 0);
        r.h = recur_or_zeros(&o, RECUR_H0);
        if (cell == WEFT_LSTM) r.c = recur_or_zeros(&o, RECUR_C0);
        return r;
    }
    int64_t width = recur_cells[cell].gates * o.units;
    weft_tensor flat =
        weft_reshape(weft_cast(x, WEFT_F32), weft_dims(o.steps * o.rows, weft_dim(x, 2)));
    weft_tensor gates = weft_matmul(flat, weft_transpose(weft_cast(w_ih, WEFT_F32), 0, 1));
    weft_tensor bias = recur_bias(cell, b_ih, b_hh, o.units);
    if (bias.g) gates = weft_add(gates, bias);
    o.at[RECUR_GATES] = weft_reshape(gates, weft_dims(o.steps, o.rows, width));
    o.at[RECUR_WEIGHT] = weft_cast(w_hh, WEFT_F32);
    if (b_hh.g && cell == WEFT_GRU)
        o.at[RECUR_INNER] = weft_cast(weft_slice(b_hh, 0, 2 * o.units, 3 * o.units, 1), WEFT_F32);
    weft_tensor b = recur_block(&o, BLOCK_recur);
    r.y = graph_part(b, RECUR_OUT_Y, WEFT_F32, 3, all.n);
    r.h = graph_part(b, RECUR_OUT_H, WEFT_F32, 2, all.n + 1);
    if (cell == WEFT_LSTM) r.c = graph_part(b, RECUR_OUT_C, WEFT_F32, 2, all.n + 1);
    return r;
}

/* ---- definitions ---- */

/* Step t of [T, B, n] as [B, n]. */
static weft_tensor recur_at(weft_tensor x, int64_t t) {
    return weft_squeeze(weft_slice(x, 0, t, t + 1, 1), 0);
}

static weft_tensor recur_gate(weft_tensor x, int gate, int64_t units) {
    return weft_slice(x, -1, gate * units, (gate + 1) * units, 1);
}

/* Rows that have a step t: [B, 1]. */
static weft_tensor recur_alive(const recur_operands *o, int64_t t) {
    return weft_lt(weft_integer(o->g, (int32_t)t), weft_unsqueeze(o->at[RECUR_LENGTHS], -1));
}

/* yes where the row has a step t, else no. */
static weft_tensor recur_where(const recur_operands *o, int64_t t, weft_tensor yes,
                               weft_tensor no) {
    return o->at[RECUR_LENGTHS].id ? weft_where(recur_alive(o, t), yes, no) : yes;
}

static weft_tensor recur_stack(const weft_tensor *part, int64_t n) {
    return weft_stack((weft_tensors){part, (size_t)n}, 0);
}

static weft_tensor recur_minus(weft_tensor one_less) { /* 1 - x */
    return weft_sub(weft_scalar(one_less.g, 1), one_less);
}

/* The state after one step from a [B, G H] and the state before it, and what is kept of it. */
static void recur_step(const recur_operands *o, weft_tensor a, weft_tensor *h, weft_tensor *c,
                       weft_tensor *kept) {
    int64_t n = o->units;
    weft_tensor u = weft_matmul(*h, weft_transpose(o->at[RECUR_WEIGHT], 0, 1));
    weft_tensor s = weft_add(a, u);
    *kept = tensor_at(o->g, 0);
    switch (o->cell) {
    case WEFT_LSTM: {
        weft_tensor i = weft_sigmoid(recur_gate(s, 0, n)), f = weft_sigmoid(recur_gate(s, 1, n));
        weft_tensor in = weft_tanh(recur_gate(s, 2, n)), out = weft_sigmoid(recur_gate(s, 3, n));
        *c = weft_add(weft_mul(f, *c), weft_mul(i, in));
        *h = weft_mul(out, weft_tanh(*c));
        *kept = weft_concat(weft_list(i, f, in, out, *c), -1);
        break;
    }
    case WEFT_GRU: {
        weft_tensor r = weft_sigmoid(recur_gate(s, 0, n)), z = weft_sigmoid(recur_gate(s, 1, n));
        weft_tensor inner = recur_gate(u, 2, n);
        if (o->at[RECUR_INNER].id) inner = weft_add(inner, o->at[RECUR_INNER]);
        weft_tensor fresh = weft_tanh(weft_add(recur_gate(a, 2, n), weft_mul(r, inner)));
        *h = weft_add(weft_mul(recur_minus(z), fresh), weft_mul(z, *h));
        *kept = weft_concat(weft_list(r, z, fresh, inner), -1);
        break;
    }
    default: *h = o->cell == WEFT_RNN_RELU ? weft_relu(s) : weft_tanh(s);
    }
}

void recur_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                  weft_tensor *out) {
    assert(nin > recur_operand(attr[RECUR_ATTR_GIVEN], RECUR_WEIGHT));
    (void)nin;
    recur_operands o = recur_read(g, attr, in);
    weft_tensor *y = mem_new(g->m, 2 * (size_t)o.steps * sizeof *y), *kept = y + o.steps;
    if (!y) {
        graph_fail(g, WEFT_MEMORY, "recur: out of memory");
        return;
    }
    weft_tensor h = recur_or_zeros(&o, RECUR_H0), c = recur_or_zeros(&o, RECUR_C0);
    for (int64_t s = 0; s < o.steps; s++) {
        int64_t t = o.reverse ? o.steps - 1 - s : s;
        weft_tensor next = h, cell = c;
        recur_step(&o, recur_at(o.at[RECUR_GATES], t), &next, &cell, &kept[t]);
        y[t] = recur_where(&o, t, next, recur_zeros(&o));
        h = recur_where(&o, t, next, h);
        c = recur_where(&o, t, cell, c);
    }
    out[RECUR_OUT_Y] = recur_stack(y, o.steps);
    out[RECUR_OUT_H] = h;
    out[RECUR_OUT_C] = c;
    out[RECUR_OUT_KEPT] = recur_kept(o.cell) ? recur_stack(kept, o.steps) : tensor_at(g, 0);
    mem_free(g->m, y);
}

/* The state before step t, as `sequence` has it of the step before; `first` before all steps. */
static weft_tensor recur_before(const recur_operands *o, int64_t t, weft_tensor sequence, int gate,
                                weft_tensor first) {
    int64_t from = o->reverse ? t + 1 : t - 1;
    if (from < 0 || from >= o->steps) return first;
    weft_tensor x = recur_gate(recur_at(sequence, from), gate, o->units);
    return o->reverse ? recur_where(o, from, x, first) : x; /* a row's own first step */
}

static weft_tensor recur_slope_sigmoid(weft_tensor g, weft_tensor s) {
    return weft_mul(g, weft_mul(s, recur_minus(s)));
}

static weft_tensor recur_slope_tanh(weft_tensor g, weft_tensor s) {
    return weft_mul(g, recur_minus(weft_square(s)));
}

/* Gradients of a and of u in step t, from those of the state after it; dh becomes what reaches the
 * state before it other than through u, dc the gradient there. */
static void recur_step_grad(const recur_operands *o, int64_t t, weft_tensor *dh, weft_tensor *dc,
                            weft_tensor *da, weft_tensor *du) {
    int64_t n = o->units;
    weft_tensor kept = o->at[RECUR_KEPT].id ? recur_at(o->at[RECUR_KEPT], t) : o->at[RECUR_KEPT];
    weft_tensor after = *dh;
    *dh = tensor_at(o->g, 0);
    switch (o->cell) {
    case WEFT_LSTM: {
        weft_tensor i = recur_gate(kept, 0, n), f = recur_gate(kept, 1, n),
                    in = recur_gate(kept, 2, n), out = recur_gate(kept, 3, n),
                    c = weft_tanh(recur_gate(kept, 4, n)),
                    before = recur_before(o, t, o->at[RECUR_KEPT], 4, recur_or_zeros(o, RECUR_C0));
        weft_tensor d = weft_add(*dc, recur_slope_tanh(weft_mul(after, out), c));
        *da = *du = weft_concat(weft_list(recur_slope_sigmoid(weft_mul(d, in), i),
                                          recur_slope_sigmoid(weft_mul(d, before), f),
                                          recur_slope_tanh(weft_mul(d, i), in),
                                          recur_slope_sigmoid(weft_mul(after, c), out)),
                                -1);
        *dc = weft_mul(d, f);
        break;
    }
    case WEFT_GRU: {
        weft_tensor r = recur_gate(kept, 0, n), z = recur_gate(kept, 1, n),
                    fresh = recur_gate(kept, 2, n), inner = recur_gate(kept, 3, n),
                    before = recur_before(o, t, o->at[RECUR_Y], 0, recur_or_zeros(o, RECUR_H0));
        weft_tensor dn = recur_slope_tanh(weft_mul(after, recur_minus(z)), fresh),
                    dr = recur_slope_sigmoid(weft_mul(dn, inner), r),
                    dz = recur_slope_sigmoid(weft_mul(after, weft_sub(before, fresh)), z);
        *da = weft_concat(weft_list(dr, dz, dn), -1);
        *du = weft_concat(weft_list(dr, dz, weft_mul(dn, r)), -1);
        *dh = weft_mul(after, z);
        break;
    }
    default: {
        weft_tensor y = recur_at(o->at[RECUR_Y], t), zero = weft_scalar(o->g, 0);
        *da = *du = o->cell == WEFT_RNN_RELU ? weft_where(weft_lt(zero, y), after, zero)
                                             : recur_slope_tanh(after, y);
    }
    }
}

void recur_grad_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                       weft_tensor *out) {
    assert(nin > recur_operand(attr[RECUR_ATTR_GIVEN], RECUR_WEIGHT));
    (void)nin;
    recur_operands o = recur_read(g, attr, in);
    weft_tensor *da = mem_new(g->m, 2 * (size_t)o.steps * sizeof *da), *du = da + o.steps;
    if (!da) {
        graph_fail(g, WEFT_MEMORY, "recur_grad: out of memory");
        return;
    }
    weft_tensor dh = recur_or_zeros(&o, RECUR_DH), dc = recur_or_zeros(&o, RECUR_DC);
    weft_tensor zero = weft_scalar(g, 0);
    for (int64_t s = o.steps - 1; s >= 0; s--) {
        int64_t t = o.reverse ? o.steps - 1 - s : s;
        weft_tensor before = dh, cell = dc;
        if (o.at[RECUR_DY].id) before = weft_add(before, recur_at(o.at[RECUR_DY], t));
        recur_step_grad(&o, t, &before, &cell, &da[t], &du[t]);
        da[t] = recur_where(&o, t, da[t], zero);
        du[t] = recur_where(&o, t, du[t], zero);
        weft_tensor through = weft_matmul(du[t], o.at[RECUR_WEIGHT]);
        before = before.id ? weft_add(before, through) : through;
        dh = recur_where(&o, t, before, dh);
        dc = recur_where(&o, t, cell, dc);
    }
    out[RECUR_OUT_DGATES] = recur_stack(da, o.steps);
    out[RECUR_OUT_DHIDDEN] = o.cell == WEFT_GRU ? recur_stack(du, o.steps) : out[RECUR_OUT_DGATES];
    out[RECUR_OUT_DH0] = dh;
    out[RECUR_OUT_DC0] = dc;
    mem_free(g->m, da);
}

/* ---- the rule ---- */

/* The h before each step beside the gradients of h W_hh^T there, as matrices with a row per step
 * and row. Without an h0 the first step adds nothing to the weight's gradient and is left out. */
static void recur_pairs(const recur_operands *o, weft_tensor du, weft_tensor y, weft_tensor *rows,
                        weft_tensor *grads) {
    int64_t T = o->steps, lo = o->reverse ? 1 : 0, hi = o->reverse ? T : T - 1;
    weft_tensor h = weft_slice(y, 0, lo, hi, 1), h0 = o->at[RECUR_H0];
    if (h0.id) {
        weft_tensor first = weft_unsqueeze(h0, 0);
        h = weft_concat(o->reverse ? weft_list(h, first) : weft_list(first, h), 0);
        if (o->reverse && o->at[RECUR_LENGTHS].id) {
            weft_tensor last = weft_unsqueeze(o->at[RECUR_LENGTHS], -1);
            weft_tensor next =
                weft_add(weft_iota(o->g, weft_dims(T, o->rows, 1), 0), weft_integer(o->g, 1));
            h = weft_where(weft_lt(next, last), h, first);
        }
    } else {
        du = weft_slice(du, 0, T - hi, T - lo, 1);
    }
    *rows = weft_reshape(h, weft_dims(-1, o->units));
    *grads = weft_reshape(du, weft_dims(-1, weft_dim(du, 2)));
}

void recur_vjp(weft_tensor t, const weft_tensor *dy, weft_tensor *out) {
    if (dy[RECUR_OUT_KEPT].id) {
        block_by_definition(t, dy, out);
        return;
    }
    weft_graph *g = t.g;
    node n = *node_of(t);
    int64_t attr[RECUR_ATTRS];
    weft_tensor in[RECUR_ROLE_COUNT];
    memcpy(attr, node_attr(g, &n) + 1, sizeof attr);
    for (int i = 0; i < n.nin; i++) in[i] = operand(t, i);
    recur_operands o = recur_read(g, attr, in), back = o;
    int64_t all[3] = {o.steps, o.rows, o.units};
    int64_t kept[3] = {o.steps, o.rows, recur_kept(o.cell) * o.units};
    int64_t gates[3] = {o.steps, o.rows, recur_cells[o.cell].gates * o.units};
    weft_tensor y = graph_part(t, RECUR_OUT_Y, WEFT_F32, 3, all);
    weft_tensor none = tensor_at(g, 0);
    back.at[RECUR_GATES] = back.at[RECUR_INNER] = none;
    if (o.cell != WEFT_GRU) back.at[RECUR_H0] = none;
    if (o.cell != WEFT_LSTM) back.at[RECUR_Y] = y;
    if (kept[2]) back.at[RECUR_KEPT] = graph_part(t, RECUR_OUT_KEPT, WEFT_F32, 3, kept);
    back.at[RECUR_DY] = dy[RECUR_OUT_Y];
    back.at[RECUR_DH] = dy[RECUR_OUT_H];
    back.at[RECUR_DC] = dy[RECUR_OUT_C];
    weft_tensor b = recur_block(&back, BLOCK_recur_grad);
    weft_tensor da = graph_part(b, RECUR_OUT_DGATES, WEFT_F32, 3, gates), du = da;
    if (o.cell == WEFT_GRU) du = graph_part(b, RECUR_OUT_DHIDDEN, WEFT_F32, 3, gates);
    weft_tensor rows, grads, by[RECUR_ROLE_COUNT] = {{0}};
    recur_pairs(&o, du, y, &rows, &grads);
    by[RECUR_GATES] = da;
    by[RECUR_WEIGHT] = weft_matmul(weft_transpose(grads, 0, 1), rows);
    by[RECUR_INNER] = weft_sum(recur_gate(du, 2, o.units), weft_axes(0, 1), false);
    by[RECUR_H0] = graph_part(b, RECUR_OUT_DH0, WEFT_F32, 2, all + 1);
    by[RECUR_C0] = graph_part(b, RECUR_OUT_DC0, WEFT_F32, 2, all + 1);
    for (int r = 0; r < RECUR_LENGTHS; r++) {
        int place = recur_operand(attr[RECUR_ATTR_GIVEN], (recur_role)r);
        if (place >= 0) out[place] = by[r];
    }
}
