/* blocks.c - definitions of the blocks in terms of other operations: how they run where no
 * kernel is, how they are differentiated when no rule is, and what their kernels are tested
 * against. */
#include "core/gates.h"
#include "core/recur.h"
#include "core/shape.h"
#include "core/update_rules.h"
#include <math.h>

const block_info block_table[BLOCK_COUNT] = {
#define BLOCK(name, parts, in_c) {#name, parts, in_c},
#include "core/blocks.def"
};

bool block_makes_image(int64_t which) {
    return which == BLOCK_conv || which == BLOCK_conv_dx || which == BLOCK_max_pool ||
           which == BLOCK_max_pool_dx;
}

typedef struct blocks_window {
    int64_t stride[2], padding[2], dilation[2], groups;
} blocks_window;

/* The elements of padded x that kernel position (i, j) meets: [N, OH, OW, C]. */
static weft_tensor blocks_meets(weft_tensor padded, const blocks_window *w, int64_t i, int64_t j,
                                int64_t oh, int64_t ow) {
    int64_t top = i * w->dilation[0], left = j * w->dilation[1];
    weft_tensor rows = weft_slice(padded, 1, top, top + (oh - 1) * w->stride[0] + 1, w->stride[0]);
    return weft_slice(rows, 2, left, left + (ow - 1) * w->stride[1] + 1, w->stride[1]);
}

static weft_tensor blocks_pad(weft_tensor x, const int64_t *padding, float value) {
    return weft_pad(weft_pad(x, 1, padding[0], padding[0], value), 2, padding[1], padding[1],
                    value);
}

/* [M, C] x [C/groups, O] by groups of channels */
static weft_tensor blocks_grouped(weft_tensor x, weft_tensor w, int64_t groups) {
    if (groups == 1) return weft_matmul(x, w);
    int64_t m = weft_dim(x, 0), c = weft_dim(x, 1) / groups, o = weft_dim(w, 1) / groups;
    weft_tensor xs = weft_permute(weft_reshape(x, weft_dims(m, groups, c)), weft_axes(1, 0, 2));
    weft_tensor ws = weft_permute(weft_reshape(w, weft_dims(c, groups, o)), weft_axes(1, 0, 2));
    return weft_reshape(weft_permute(weft_matmul(xs, ws), weft_axes(1, 0, 2)),
                        weft_dims(m, groups * o));
}

/* The sum, over kernel positions, of the slice each meets times that position's weights. */
static weft_tensor blocks_conv(weft_tensor x, weft_tensor w, const blocks_window *win) {
    weft_shape sx = weft_shape_of(x), sw = weft_shape_of(w);
    int64_t oh =
        (sx.n[1] + 2 * win->padding[0] - win->dilation[0] * (sw.n[0] - 1) - 1) / win->stride[0] + 1;
    int64_t ow =
        (sx.n[2] + 2 * win->padding[1] - win->dilation[1] * (sw.n[1] - 1) - 1) / win->stride[1] + 1;
    weft_tensor padded = blocks_pad(x, win->padding, 0), y = {x.g, 0};
    for (int64_t i = 0; i < sw.n[0]; i++)
        for (int64_t j = 0; j < sw.n[1]; j++) {
            weft_tensor met = weft_reshape(blocks_meets(padded, win, i, j, oh, ow),
                                           weft_dims(sx.n[0] * oh * ow, sx.n[3]));
            weft_tensor at = weft_reshape(weft_slice(weft_slice(w, 0, i, i + 1, 1), 1, j, j + 1, 1),
                                          weft_dims(sw.n[2], sw.n[3]));
            weft_tensor term = blocks_grouped(met, at, win->groups);
            y = y.id ? weft_add(y, term) : term;
        }
    return weft_reshape(y, weft_dims(sx.n[0], oh, ow, sw.n[3]));
}

/* A convolution is linear: its gradient in one operand is its transpose, whatever that operand
 * holds. */
static weft_tensor blocks_conv_transposed(weft_tensor x, weft_tensor w, weft_tensor dy,
                                          const blocks_window *win, bool by_x) {
    weft_tensor y = blocks_conv(x, w, win), out = {x.g, 0};
    grad_walk(x.g, &y, &dy, 1, by_x ? &x : &w, 1, true, &out);
    return out;
}

static weft_tensor blocks_max_pool(weft_tensor x, const int64_t *size, const blocks_window *w,
                                   weft_tensor *slices) {
    weft_shape s = weft_shape_of(x);
    int64_t oh = (s.n[1] + 2 * w->padding[0] - size[0]) / w->stride[0] + 1;
    int64_t ow = (s.n[2] + 2 * w->padding[1] - size[1]) / w->stride[1] + 1;
    weft_tensor padded = blocks_pad(x, w->padding, -INFINITY), y = {x.g, 0};
    for (int64_t k = 0; k < size[0] * size[1]; k++) {
        weft_tensor met = blocks_meets(padded, w, k / size[1], k % size[1], oh, ow);
        if (slices) slices[k] = met;
        y = y.id ? weft_maximum(y, met) : met;
    }
    return y;
}

static weft_tensor blocks_max_pool_dx(weft_tensor x, weft_tensor y, weft_tensor dy,
                                      const int64_t *size, const blocks_window *w) {
    size_t n = (size_t)(size[0] * size[1]);
    weft_tensor *met = mem_new(x.g->m, 2 * n * sizeof *met), *share = met + n, count = {x.g, 0},
                out = {x.g, 0};
    if (!met) return graph_fail(x.g, WEFT_MEMORY, "max_pool: out of memory");
    blocks_max_pool(x, size, w, met);
    for (size_t k = 0; k < n; k++) {
        weft_tensor won = weft_cast(weft_eq(met[k], y), WEFT_F32);
        count = count.id ? weft_add(count, won) : won;
        share[k] = won;
    }
    for (size_t k = 0; k < n; k++) share[k] = weft_mul(share[k], weft_div(dy, count));
    if (x.g->err == WEFT_OK) grad_walk(x.g, met, share, n, &x, 1, true, &out);
    mem_free(x.g->m, met);
    return out;
}

static void blocks_attention(const weft_tensor *in, int nin, bool causal, float scale,
                             weft_tensor *out) {
    weft_tensor q = in[0], k = in[1], v = in[2];
    weft_graph *g = q.g;
    weft_tensor s = weft_scale(weft_matmul(q, weft_transpose(k, -1, -2)), scale);
    weft_shape st = weft_shape_of(s);
    weft_tensor low = weft_scalar(g, -INFINITY);
    if (causal) {
        int64_t ahead = st.n[st.rank - 1] - st.n[st.rank - 2];
        weft_shape square = {2, {st.n[st.rank - 2], st.n[st.rank - 1]}};
        weft_tensor last = weft_add(weft_iota(g, square, 0), weft_integer(g, (int32_t)ahead));
        s = weft_where(weft_le(weft_iota(g, square, 1), last), s, low);
    }
    if (nin > 3) s = weft_where(in[3], s, low);
    weft_tensor lse = weft_logsumexp(s, -1, true);
    weft_tensor blind = weft_eq(lse, low); /* a row that sees nothing gives zeros */
    weft_tensor p = weft_where(blind, weft_scalar(g, 0),
                               weft_exp(weft_sub(s, weft_where(blind, weft_scalar(g, 0), lse))));
    out[0] = weft_matmul(p, v);
    out[1] = weft_squeeze(lse, -1);
}

static weft_tensor blocks_number(weft_graph *g, int64_t bits) {
    return weft_scalar(g, float_of((uint32_t)bits));
}

/* The gradient as a step takes it. */
static weft_tensor blocks_taken(weft_tensor g, int64_t clip, int64_t given, const weft_tensor *in,
                                int more) {
    const float most = float_of((uint32_t)clip);
    const int scale = taken_operand(given, TAKEN_SCALE, more);
    if (most != 0) g = weft_clamp(g, -most, most);
    return scale < 0 ? g : weft_mul(g, in[scale]);
}

/* Results of a step that is not due are what they were. */
static void blocks_due(int64_t given, const weft_tensor *in, int more, weft_tensor *out,
                       int parts) {
    const int due = taken_operand(given, TAKEN_DUE, more);
    for (int i = 0; due >= 0 && i < parts; i++) out[i] = weft_where(in[due], out[i], in[i]);
}

static void blocks_adam(const weft_tensor *in, const int64_t *a, weft_tensor *out) {
    weft_tensor p = in[0], m = in[1], v = in[2], lr = in[4], rate = in[5], root = in[6];
    weft_tensor g = blocks_taken(in[3], a[ADAM_CLIP], a[ADAM_GIVEN], in, ADAM_MORE);
    float b1 = float_of((uint32_t)a[0]), b2 = float_of((uint32_t)a[1]);
    weft_tensor decay = blocks_number(p.g, a[3]);
    if (a[ADAM_L2]) g = weft_add(g, weft_mul(p, decay));
    out[1] = weft_add(weft_scale(m, b1), weft_scale(g, 1 - b1));
    out[2] = weft_add(weft_scale(v, b2), weft_scale(weft_square(g), 1 - b2));
    weft_tensor move = weft_div(weft_mul(out[1], rate), weft_add(weft_mul(weft_sqrt(out[2]), root),
                                                                 blocks_number(p.g, a[2])));
    if (!a[ADAM_L2]) p = weft_sub(p, weft_mul(p, weft_mul(lr, decay)));
    out[0] = weft_sub(p, move);
    blocks_due(a[ADAM_GIVEN], in, ADAM_MORE, out, 3);
}

static void blocks_momentum(const weft_tensor *in, const int64_t *a, weft_tensor *out) {
    weft_tensor p = in[0], momentum = blocks_number(p.g, a[0]);
    weft_tensor g = blocks_taken(in[2], a[MOMENTUM_CLIP], a[MOMENTUM_GIVEN], in, MOMENTUM_MORE);
    g = weft_add(g, weft_mul(p, blocks_number(p.g, a[1])));
    out[1] = weft_add(weft_mul(in[1], momentum), g);
    weft_tensor along = a[2] ? weft_add(g, weft_mul(out[1], momentum)) : out[1];
    out[0] = weft_sub(p, weft_mul(along, in[3]));
    blocks_due(a[MOMENTUM_GIVEN], in, MOMENTUM_MORE, out, 2);
}

static weft_tensor blocks_squares(const weft_tensor *in, int nin) {
    weft_tensor row[SQUARES_MOST];
    for (int i = 0; i < nin; i++) {
        const int64_t n = weft_count(in[i]), each = squares_piece(n);
        weft_tensor x = weft_reshape(weft_square(in[i]), weft_dims(n));
        x = weft_reshape(weft_pad(x, 0, 0, SQUARES_PIECES * each - n, 0),
                         weft_dims(SQUARES_PIECES, each));
        row[i] = weft_sum(x, weft_axes(1), false);
    }
    return weft_stack((weft_tensors){row, (size_t)nin}, 0);
}

bool block_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                  weft_tensor *out) {
    const int64_t *a = attr + 1;
    for (int i = 0; i < block_table[attr[0]].parts; i++) out[i] = tensor_at(g, 0);
    if (!graph_checked(g, in, nin)) return false;
    blocks_window w = {{a[0], a[1]}, {a[2], a[3]}, {a[4], a[5]}, 1};
    switch (attr[0]) {
    case BLOCK_conv:
        w.groups = a[6];
        out[0] = blocks_conv(in[0], in[1], &w);
        break;
    case BLOCK_conv_dx: {
        weft_shape s = weft_shape_of(in[0]), sw = weft_shape_of(in[1]);
        w.groups = a[6];
        weft_tensor x = weft_full(g, weft_dims(s.n[0], a[7], a[8], sw.n[2] * w.groups), 0);
        out[0] = blocks_conv_transposed(x, in[1], in[0], &w, true);
        break;
    }
    case BLOCK_conv_dw: {
        weft_shape s = weft_shape_of(in[0]), sy = weft_shape_of(in[1]);
        w.groups = a[6];
        weft_tensor k = weft_full(g, weft_dims(a[7], a[8], s.n[3] / w.groups, sy.n[3]), 0);
        out[0] = blocks_conv_transposed(in[0], k, in[1], &w, false);
        break;
    }
    case BLOCK_max_pool:
    case BLOCK_max_pool_dx: {
        blocks_window p = {{a[2], a[3]}, {a[4], a[5]}, {1, 1}, 1};
        out[0] = attr[0] == BLOCK_max_pool ? blocks_max_pool(in[0], a, &p, NULL)
                                           : blocks_max_pool_dx(in[0], in[1], in[2], a, &p);
        break;
    }
    case BLOCK_attention:
        blocks_attention(in, nin, a[0] != 0, float_of((uint32_t)a[1]), out);
        break;
    case BLOCK_attention_grad: {
        weft_tensor own[4] = {named_copy(in[0], 0), named_copy(in[1], 1), named_copy(in[2], 2),
                              nin > 6 ? in[6] : in[0]},
                    y[2];
        blocks_attention(own, nin > 6 ? 4 : 3, a[0] != 0, float_of((uint32_t)a[1]), y);
        grad_walk(g, y, &in[5], 1, own, 3, true, out);
        break;
    }
    case BLOCK_recur: recur_define(g, a, in, out); break;
    case BLOCK_recur_grad: recur_grad_define(g, a, in, out); break;
    case BLOCK_gates: out[0] = gates_define(gates_wiring(a), in[0], in[1]); break;
    case BLOCK_gates_grad: gates_grad_define(a, in, out); break;
    case BLOCK_adam: blocks_adam(in, a, out); break;
    case BLOCK_momentum: blocks_momentum(in, a, out); break;
    case BLOCK_squares: out[0] = blocks_squares(in, nin); break;
    case BLOCK_slice_write: out[0] = write_define((int)a[0], in); break;
    default: graph_fail(g, WEFT_UNSUPPORTED, "block %lld has no definition", (long long)attr[0]);
    }
    return g->err == WEFT_OK;
}
