/* write.c - slice_write: a tensor with some of its rows replaced. The constructor, the definition
 * and the rule of differentiation. */
#include "core/shape.h"
#include <assert.h>

static bool write_fits(weft_tensor base, weft_tensor start, weft_tensor value, int axis) {
    const weft_shape sb = weft_shape_of(base), sv = weft_shape_of(value);
    if (node_of(start)->rank != 0 || node_of(start)->dtype != WEFT_I32) {
        graph_fail(base.g, WEFT_DTYPE, "slice_write: the start must be a 0-d i32 tensor");
        return false;
    }
    bool fits = sb.rank == sv.rank;
    for (int i = 0; fits && i < sb.rank; i++)
        fits = i == axis ? sv.n[i] <= sb.n[i] : sv.n[i] == sb.n[i];
    if (!fits) {
        char a[80], b[80];
        graph_fail(base.g, WEFT_SHAPE,
                   "slice_write of %s into %s: only axis %d may differ, and not be longer",
                   shape_text(a, sizeof a, sv.rank, sv.n), shape_text(b, sizeof b, sb.rank, sb.n),
                   axis);
    }
    return fits;
}

weft_tensor weft_slice_write(weft_tensor base, int axis, weft_tensor start, weft_tensor value) {
    weft_tensor in[3] = {base, value, start};
    if (!graph_checked(base.g, in, 3) || !shape_axis(base, "slice_write", &axis) ||
        !write_fits(base, start, value, axis))
        return tensor_at(base.g, 0);
    const weft_shape s = weft_shape_of(base);
    const weft_dtype type = weft_dtype_of(base);
    in[1] = weft_cast(value, type);
    if (weft_dim(value, axis) == s.n[axis]) return in[1];
    if (weft_count(value) == 0) return base;
    const int64_t attr = axis;
    return graph_part(graph_block(base.g, BLOCK_slice_write, in, 3, &attr, 1), 0, type, s.rank,
                      s.n);
}

/* in: base, value, start */
void write_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                  weft_tensor *out) {
    const int axis = (int)attr[0];
    assert(nin == 3 && axis < weft_rank(in[0]));
    (void)nin;
    const weft_shape s = weft_shape_of(in[0]);
    const int64_t length = weft_dim(in[1], axis), last = s.n[axis] - length;
    weft_shape line = {s.rank, {0}};
    for (int i = 0; i < s.rank; i++) line.n[i] = i == axis ? s.n[axis] : 1;
    const weft_tensor zero = weft_integer(g, 0);
    const weft_tensor most = weft_integer(g, (int32_t)min_i64(last, INT32_MAX));
    const weft_tensor start = weft_minimum(weft_maximum(in[2], zero), most);
    const weft_tensor at = weft_sub(weft_iota(g, line, axis), start);
    weft_tensor inside = weft_eq(at, zero), value = in[1];
    if (length > 1) {
        inside = weft_and(weft_le(zero, at), weft_lt(at, weft_integer(g, (int32_t)length)));
        value = weft_take_along(value, weft_expand(at, s), axis); /* out of range reads 0 */
    }
    out[0] = weft_cast(weft_where(inside, value, in[0]), weft_dtype_of(in[0]));
}

void write_vjp(weft_tensor block, const weft_tensor *dy, weft_tensor *out) {
    const int axis = (int)node_attr(block.g, node_of(block))[1];
    const weft_tensor value = operand(block, 1), start = operand(block, 2);
    const weft_tensor zeros = weft_full(block.g, weft_shape_of(value), 0);
    out[0] = weft_slice_write(dy[0], axis, start, zeros);
    out[1] = weft_slice_at(dy[0], axis, start, weft_dim(value, axis));
}
