/* attention.c - softmax(scale q k^T) v as a block: the constructor, the definitions of it and of its
 * gradient, the rule of differentiation. */
#include "core/shape.h"
#include <assert.h>
#include <math.h>

typedef struct attention_shape {
    weft_shape q, k, v; /* [..., heads, tq, h], [..., shared, tk, h], [..., shared, tk, hv] */
    int rank;
    int64_t shared, group; /* heads of k and v, and of q that read each of them */
} attention_shape;

static bool attention_fits(weft_tensor q, weft_tensor k, weft_tensor v, attention_shape *s) {
    *s =
        (attention_shape){weft_shape_of(q), weft_shape_of(k), weft_shape_of(v), weft_rank(q), 1, 1};
    const int r = s->rank;
    const int64_t *nq = s->q.n, *nk = s->k.n, *nv = s->v.n;
    bool fits = r >= 2 && s->k.rank == r && s->v.rank == r && nq[r - 1] == nk[r - 1] &&
                nk[r - 2] == nv[r - 2];
    for (int i = 0; fits && i < r - 2; i++)
        fits = nk[i] == nv[i] && (nq[i] == nk[i] || (i == r - 3 && nk[i] && nq[i]));
    if (fits && r > 2 && nq[r - 3] != nk[r - 3]) {
        s->shared = nk[r - 3], s->group = nq[r - 3] / nk[r - 3];
        fits = nq[r - 3] % nk[r - 3] == 0;
    }
    if (fits) return true;
    char a[80], b[80], c[80];
    graph_fail(q.g, WEFT_SHAPE, "attention: q %s, k %s and v %s do not fit",
               shape_text(a, sizeof a, s->q.rank, s->q.n),
               shape_text(b, sizeof b, s->k.rank, s->k.n),
               shape_text(c, sizeof c, s->v.rank, s->v.n));
    return false;
}

/* The axis of heads as two, or, of a single query, the heads of a group as its rows. */
static weft_tensor attention_by_group(weft_tensor x, const attention_shape *s) {
    if (s->group == 1) return x;
    weft_shape n = weft_shape_of(x);
    const int at = s->rank - 3;
    if (n.n[at + 1] != 1) {
        n.n[at + 3] = n.n[at + 2], n.n[at + 2] = n.n[at + 1];
        n.rank++;
    }
    n.n[at] = s->shared, n.n[at + 1] = s->group;
    return weft_reshape(x, n);
}

/* The last n of an axis. */
static weft_tensor attention_last(weft_tensor x, int axis, int64_t n) {
    return weft_slice(x, axis, weft_dim(x, axis) - n, WEFT_END, 1);
}

weft_tensor weft_attention(weft_tensor q, weft_tensor k, weft_tensor v,
                           const weft_attention_desc *d) {
    static const weft_attention_desc none;
    if (!d) d = &none;
    weft_tensor in[4] = {q, k, v, d->mask};
    const int nin = d->mask.g ? 4 : 3;
    attention_shape s;
    if (!graph_checked(q.g, in, nin) || !attention_fits(q, k, v, &s)) return tensor_at(q.g, 0);
    if (d->window < 0 || (d->window && !d->causal))
        return graph_fail(
            q.g, WEFT_ARGUMENT, "attention: a window of %lld; %s", (long long)d->window,
            d->window < 0 ? "0 or more was expected" : "only causal attention has one");
    const int r = s.rank;
    const int64_t tq = s.q.n[r - 2], tk = s.k.n[r - 2], window = d->window < tk ? d->window : 0;
    const bool several = tq != 1; /* a single query sees all keys, or the window */
    if (s.group > 1 && several && r == WEFT_MAX_RANK)
        return graph_fail(q.g, WEFT_SHAPE, "attention: groups of heads in tensors of rank %d", r);
    for (int i = 0; i < 3; i++) in[i] = weft_cast(in[i], WEFT_F32);
    if (nin > 3) {
        weft_shape wide = s.q;
        wide.n[r - 1] = tk;
        in[3] = shape_as(d->mask, WEFT_BOOL, wide);
    }
    const int64_t near = tq - 1 + window; /* keys that anybody sees */
    if (window && near < tk)
        for (int i = 1; i < nin; i++) in[i] = attention_last(in[i], i < 3 ? r - 2 : r - 1, near);
    in[0] = attention_by_group(in[0], &s);
    if (nin > 3) in[3] = attention_by_group(in[3], &s);
    for (int i = 1; i < 3 && s.group > 1 && several; i++) in[i] = weft_unsqueeze(in[i], r - 2);
    const float scale = d->scale != 0 ? d->scale : 1 / sqrtf((float)s.q.n[r - 1]);
    const int64_t attr[3] = {d->causal && several, bits_of(scale), several ? window : 0};
    if (q.g->err != WEFT_OK) return tensor_at(q.g, 0);
    weft_shape given = weft_shape_of(in[0]), out = s.q;
    given.n[given.rank - 1] = out.n[r - 1] = s.v.n[r - 1];
    const weft_tensor block = graph_block(q.g, BLOCK_attention, in, nin, attr, 3);
    return weft_reshape(graph_part(block, 0, WEFT_F32, given.rank, given.n), out);
}

void attention_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                      weft_tensor *out) {
    const bool causal = attr[0] != 0;
    const float scale = float_of((uint32_t)attr[1]);
    const int32_t window = (int32_t)attr[2];
    weft_tensor q = in[0], k = in[1], v = in[2];
    weft_tensor s = weft_scale(weft_matmul(q, weft_transpose(k, -1, -2)), scale);
    weft_shape st = weft_shape_of(s);
    weft_tensor low = weft_scalar(g, -INFINITY);
    if (causal) {
        int64_t ahead = st.n[st.rank - 1] - st.n[st.rank - 2];
        weft_shape square = {2, {st.n[st.rank - 2], st.n[st.rank - 1]}};
        weft_tensor last = weft_add(weft_iota(g, square, 0), weft_integer(g, (int32_t)ahead));
        const weft_tensor at = weft_iota(g, square, 1);
        weft_tensor seen = weft_le(at, last);
        if (window) seen = weft_and(seen, weft_lt(weft_sub(last, weft_integer(g, window)), at));
        s = weft_where(seen, s, low);
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
    const int64_t own[3] = {attr[1], attr[2], attr[3]};
    weft_tensor in[7] = {q,
                         k,
                         v,
                         graph_part(t, 0, WEFT_F32, sy.rank, sy.n),
                         graph_part(t, 1, WEFT_F32, sy.rank - 1, sy.n),
                         dy[0]};
    if (nin > 3) in[6] = operand(t, 3);
    weft_tensor r = graph_block(t.g, BLOCK_attention_grad, in, nin > 3 ? 7 : 6, own, 3);
    out[0] = graph_part(r, 0, WEFT_F32, sq.rank, sq.n);
    out[1] = graph_part(r, 1, WEFT_F32, sk.rank, sk.n);
    out[2] = graph_part(r, 2, WEFT_F32, sv.rank, sv.n);
}
