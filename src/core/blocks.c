/* blocks.c - blocks in terms of other operations: how they run without a kernel, how they are
 * differentiated, and what their kernels are tested against.
 *
 * The table is blocks.def. Here are images; attention.c, recur.c, gates.c, write.c
 * and update_rules.c have theirs beside the constructors. */
#include "core/shape.h"
#include <assert.h>
#include <math.h>

const block_info block_table[BLOCK_COUNT] = {
#define BLOCK(name, operands, attributes, parts, lies, moving, image, product, definition,         \
              gradient, ...)                                                                       \
    {#name,  operands,      attributes,        parts,      LIES_##lies,                            \
     moving, IMAGE_##image, PRODUCT_##product, definition, gradient},
#include "core/blocks.def"
};

/* Every row fits into a node and a step. */
#define BLOCK(name, operands, attributes, parts, ...)                                              \
    _Static_assert((operands) <= (int)LIMIT_BLOCK_OPERANDS && (attributes) < (int)LIMIT_ATTRS &&   \
                       (parts) <= (int)LIMIT_BLOCK_PARTS,                                          \
                   "limits of blocks: " #name);
#include "core/blocks.def"

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

/* ---- definitions ---- */

/* Attributes of a convolution: stride, padding, dilation, groups. */
static blocks_window blocks_window_of(const int64_t *a) {
    return (blocks_window){{a[0], a[1]}, {a[2], a[3]}, {a[4], a[5]}, a[6]};
}

/* Those of pooling: size, stride, padding. */
static blocks_window blocks_pool_of(const int64_t *a) {
    return (blocks_window){{a[2], a[3]}, {a[4], a[5]}, {1, 1}, 1};
}

void conv_define(weft_graph *g, const int64_t *a, const weft_tensor *in, int nin,
                 weft_tensor *out) {
    const blocks_window w = blocks_window_of(a);
    assert(nin == 2);
    (void)g, (void)nin;
    out[0] = blocks_conv(in[0], in[1], &w);
}

void conv_dx_define(weft_graph *g, const int64_t *a, const weft_tensor *in, int nin,
                    weft_tensor *out) {
    const blocks_window w = blocks_window_of(a);
    const weft_shape sw = weft_shape_of(in[1]);
    assert(nin == 2 && sw.rank == 4);
    (void)nin;
    weft_tensor x = weft_full(g, weft_dims(weft_dim(in[0], 0), a[7], a[8], sw.n[2] * w.groups), 0);
    out[0] = blocks_conv_transposed(x, in[1], in[0], &w, true);
}

void conv_dw_define(weft_graph *g, const int64_t *a, const weft_tensor *in, int nin,
                    weft_tensor *out) {
    const blocks_window w = blocks_window_of(a);
    assert(nin == 2 && weft_rank(in[0]) == 4 && weft_rank(in[1]) == 4);
    (void)nin;
    weft_tensor k =
        weft_full(g, weft_dims(a[7], a[8], weft_dim(in[0], 3) / w.groups, weft_dim(in[1], 3)), 0);
    out[0] = blocks_conv_transposed(in[0], k, in[1], &w, false);
}

void max_pool_define(weft_graph *g, const int64_t *a, const weft_tensor *in, int nin,
                     weft_tensor *out) {
    const blocks_window w = blocks_pool_of(a);
    assert(nin == 1);
    (void)g, (void)nin;
    out[0] = blocks_max_pool(in[0], a, &w, NULL);
}

void max_pool_dx_define(weft_graph *g, const int64_t *a, const weft_tensor *in, int nin,
                        weft_tensor *out) {
    const blocks_window w = blocks_pool_of(a);
    assert(nin == 3);
    (void)g, (void)nin;
    out[0] = blocks_max_pool_dx(in[0], in[1], in[2], a, &w);
}

bool block_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                  weft_tensor *out) {
    assert(attr[0] >= 0 && attr[0] < BLOCK_COUNT);
    const block_info *info = &block_table[attr[0]];
    assert(nin >= info->operands);
    for (int i = 0; i < info->parts; i++) out[i] = tensor_at(g, 0);
    if (graph_checked(g, in, nin)) info->definition(g, attr + 1, in, nin, out);
    return g->err == WEFT_OK;
}

/* ---- gradients: each convolution is linear in both operands, so its rules are the other two ---- */

static weft_tensor blocks_conv_like(weft_tensor t, block which, weft_tensor a, weft_tensor b,
                                    weft_tensor like) {
    int64_t attr[9];
    memcpy(attr, node_attr(t.g, node_of(t)) + 1, 7 * sizeof *attr);
    weft_shape s = weft_shape_of(like);
    if (which == BLOCK_conv_dx) attr[7] = s.n[1], attr[8] = s.n[2];
    if (which == BLOCK_conv_dw) attr[7] = s.n[0], attr[8] = s.n[1];
    weft_tensor in[2] = {a, b};
    weft_tensor r = graph_block(t.g, which, in, 2, attr, block_table[which].attributes);
    return graph_part(r, 0, WEFT_F32, s.rank, s.n);
}

void conv_vjp(weft_tensor t, const weft_tensor *dy, weft_tensor *out) {
    weft_tensor x = operand(t, 0), w = operand(t, 1);
    out[0] = blocks_conv_like(t, BLOCK_conv_dx, dy[0], w, x);
    out[1] = blocks_conv_like(t, BLOCK_conv_dw, x, dy[0], w);
}

void conv_dx_vjp(weft_tensor t, const weft_tensor *dy, weft_tensor *out) {
    weft_tensor y = operand(t, 0), w = operand(t, 1);
    out[0] = blocks_conv_like(t, BLOCK_conv, dy[0], w, y);
    out[1] = blocks_conv_like(t, BLOCK_conv_dw, dy[0], y, w);
}

void conv_dw_vjp(weft_tensor t, const weft_tensor *dy, weft_tensor *out) {
    weft_tensor x = operand(t, 0), y = operand(t, 1);
    out[0] = blocks_conv_like(t, BLOCK_conv_dx, y, dy[0], x);
    out[1] = blocks_conv_like(t, BLOCK_conv, x, dy[0], y);
}

void max_pool_vjp(weft_tensor t, const weft_tensor *dy, weft_tensor *out) {
    weft_tensor x = operand(t, 0);
    weft_shape s = weft_shape_of(x), sy = weft_shape_of(dy[0]);
    int64_t own[6];
    memcpy(own, node_attr(t.g, node_of(t)) + 1, sizeof own);
    weft_tensor in[3] = {x, graph_part(t, 0, WEFT_F32, sy.rank, sy.n), dy[0]};
    weft_tensor r = graph_block(t.g, BLOCK_max_pool_dx, in, 3, own, 6);
    out[0] = graph_part(r, 0, WEFT_F32, s.rank, s.n);
}

void block_by_definition(weft_tensor t, const weft_tensor *dy, weft_tensor *out) {
    weft_graph *g = t.g;
    node n = *node_of(t);
    int64_t attr[LIMIT_ATTRS];
    memcpy(attr, node_attr(g, &n), n.nattr * sizeof *attr);
    weft_tensor in[LIMIT_BLOCK_OPERANDS], y[LIMIT_BLOCK_PARTS], seed[LIMIT_BLOCK_PARTS],
        parts[LIMIT_BLOCK_PARTS];
    size_t count = 0;
    assert(n.op == OP_block && n.nin <= LIMIT_BLOCK_OPERANDS);
    for (int i = 0; i < n.nin; i++) in[i] = named_copy(operand(t, i), i);
    if (!block_define(g, attr, in, n.nin, parts)) return;
    for (int i = 0; i < block_table[attr[0]].parts; i++)
        if (dy[i].id) y[count] = parts[i], seed[count++] = dy[i];
    grad_walk(g, y, seed, count, in, n.nin, true, out);
}

bool block_vjp(weft_tensor t, const weft_tensor *dy, weft_tensor *out) {
    const int64_t which = node_attr(t.g, node_of(t))[0];
    assert(node_of(t)->op == OP_block && which >= 0 && which < BLOCK_COUNT);
    block_table[which].gradient(t, dy, out);
    return t.g->err == WEFT_OK;
}
