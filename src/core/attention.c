/* attention.c - softmax(scale q k^T) v as a block: the constructor, the definitions of it and of its
 * gradient, the rule of differentiation. */
#include "core/shape.h"
#include <assert.h>
#include <math.h>

weft_tensor weft_attention(weft_tensor q, weft_tensor k, weft_tensor v,
                           const weft_attention_desc *d) {
    static const weft_attention_desc none;
    if (!d) d = &none;
    weft_tensor in[4] = {q, k, v, d->mask};
    int nin = d->mask.g ? 4 : 3;
    if (!graph_checked(q.g, in, nin)) return tensor_at(q.g, 0);
    weft_shape sq = weft_shape_of(q), sk = weft_shape_of(k), sv = weft_shape_of(v);
    int r = sq.rank;
    bool fits = r >= 2 && sk.rank == r && sv.rank == r && sq.n[r - 1] == sk.n[r - 1] &&
                sk.n[r - 2] == sv.n[r - 2];
    for (int i = 0; fits && i < r - 2; i++) fits = sq.n[i] == sk.n[i] && sk.n[i] == sv.n[i];
    if (!fits) {
        char a[80], b[80], c[80];
        return graph_fail(q.g, WEFT_SHAPE, "attention: q %s, k %s and v %s do not fit",
                          shape_text(a, sizeof a, sq.rank, sq.n),
                          shape_text(b, sizeof b, sk.rank, sk.n),
                          shape_text(c, sizeof c, sv.rank, sv.n));
    }
    for (int i = 0; i < 3; i++) in[i] = weft_cast(in[i], WEFT_F32);
    if (nin > 3) {
        weft_shape wide = sq;
        wide.n[r - 1] = sk.n[r - 2];
        in[3] = shape_as(d->mask, WEFT_BOOL, wide);
    }
    float scale = d->scale != 0 ? d->scale : 1 / sqrtf((float)sq.n[r - 1]);
    int64_t attr[2] = {d->causal, bits_of(scale)};
    weft_shape out = sq;
    out.n[r - 1] = sv.n[r - 1];
    return graph_part(graph_block(q.g, BLOCK_attention, in, nin, attr, 2), 0, WEFT_F32, out.rank,
                      out.n);
}

void attention_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                      weft_tensor *out) {
    const bool causal = attr[0] != 0;
    const float scale = float_of((uint32_t)attr[1]);
    weft_tensor q = in[0], k = in[1], v = in[2];
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

void attention_grad_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                           weft_tensor *out) {
    weft_tensor own[4] = {named_copy(in[0], 0), named_copy(in[1], 1), named_copy(in[2], 2),
                          nin > 6 ? in[6] : in[0]},
                y[2];
    assert(nin == 6 || nin == 7);
    attention_define(g, attr, own, nin > 6 ? 4 : 3, y);
    grad_walk(g, y, &in[5], 1, own, 3, true, out);
}

void attention_vjp(weft_tensor t, const weft_tensor *dy, weft_tensor *out) {
    if (dy[1].id || !dy[0].id) {
        block_by_definition(t, dy, out);
        return;
    }
    const int nin = node_of(t)->nin;
    const int64_t *attr = node_attr(t.g, node_of(t));
    weft_tensor q = operand(t, 0), k = operand(t, 1), v = operand(t, 2);
    weft_shape sq = weft_shape_of(q), sk = weft_shape_of(k), sv = weft_shape_of(v);
    weft_shape sy = weft_shape_of(dy[0]);
    int64_t own[2] = {attr[1], attr[2]};
    weft_tensor in[7] = {q,
                         k,
                         v,
                         graph_part(t, 0, WEFT_F32, sy.rank, sy.n),
                         graph_part(t, 1, WEFT_F32, sy.rank - 1, sy.n),
                         dy[0]};
    if (nin > 3) in[6] = operand(t, 3);
    weft_tensor r = graph_block(t.g, BLOCK_attention_grad, in, nin > 3 ? 7 : 6, own, 2);
    out[0] = graph_part(r, 0, WEFT_F32, sq.rank, sq.n);
    out[1] = graph_part(r, 1, WEFT_F32, sk.rank, sk.n);
    out[2] = graph_part(r, 2, WEFT_F32, sv.rank, sv.n);
}
