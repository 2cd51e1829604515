/* shape.c - constructors of the primitives: what shapes and types they take and give.
 *
 * Maps are expanded from ops.def; broadcasting becomes expand nodes and promotion becomes casts
 * here, so that no other file knows of either. */
#include "core/shape.h"

#include <assert.h>

#define SHAPE_BUF     char buf_[128]
#define SHAPE_TEXT(x) shape_text(buf_, sizeof buf_, node_of(x)->rank, node_dims((x).g, node_of(x)))

bool shape_axis(weft_tensor x, const char *what, int *axis) {
    assert(axis && what);
    if (!graph_checked(x.g, &x, 1)) return false;
    int rank = node_of(x)->rank, a = *axis < 0 ? *axis + rank : *axis;
    if (a < 0 || a >= rank) {
        SHAPE_BUF;
        graph_fail(x.g, WEFT_ARGUMENT, "%s %s: no axis %d", what, SHAPE_TEXT(x), *axis);
        return false;
    }
    *axis = a;
    return true;
}

bool shape_mask(weft_tensor x, const char *what, weft_shape axes, uint32_t *mask) {
    assert(mask && what);
    if (!graph_checked(x.g, &x, 1)) return false;
    *mask = axes.rank == 0 ? (1u << node_of(x)->rank) - 1 : 0;
    if (axes.rank < 0 || axes.rank > WEFT_MAX_RANK) {
        graph_fail(x.g, WEFT_ARGUMENT, "%s: %d axes are listed", what, (int)axes.rank);
        return false;
    }
    for (int i = 0; i < axes.rank; i++) {
        int a = axes.n[i] < -100 || axes.n[i] > 100 ? 100 : (int)axes.n[i];
        if (!shape_axis(x, what, &a)) return false;
        if (*mask >> a & 1) {
            graph_fail(x.g, WEFT_ARGUMENT, "%s: axis %d is listed twice", what, a);
            return false;
        }
        *mask |= 1u << a;
    }
    return true;
}

weft_dtype shape_promote(weft_dtype a, weft_dtype b) {
    assert((unsigned)a < WEFT_DTYPE_COUNT && (unsigned)b < WEFT_DTYPE_COUNT);
    if (a == b) return a;
    if (dtype_is_float(a) || dtype_is_float(b)) return WEFT_F32;
    const weft_dtype other = a == WEFT_BOOL ? b : b == WEFT_BOOL ? a : WEFT_I32;
    return other == WEFT_U32 ? WEFT_I32 : other;
}

bool shape_broadcast(weft_graph *g, const char *what, const weft_tensor *in, int n,
                     weft_shape *out) {
    assert(n > 0 && n <= LIMIT_BLOCK_OPERANDS && out);
    if (!graph_checked(g, in, n)) return false;
    weft_shape s = weft_shape_of(in[0]);
    for (int i = 1; i < n; i++) {
        weft_shape t = weft_shape_of(in[i]), r = {s.rank > t.rank ? s.rank : t.rank, {0}};
        for (int d = 1; d <= r.rank; d++) {
            int64_t x = d <= s.rank ? s.n[s.rank - d] : 1, y = d <= t.rank ? t.n[t.rank - d] : 1;
            if (x != y && x != 1 && y != 1) {
                char a[100], b[100];
                graph_fail(g, WEFT_SHAPE, "%s %s and %s: extents %lld and %lld do not broadcast",
                           what, shape_text(a, sizeof a, s.rank, s.n),
                           shape_text(b, sizeof b, t.rank, t.n), (long long)x, (long long)y);
                return false;
            }
            r.n[r.rank - d] = x == 1 ? y : x;
        }
        s = r;
    }
    *out = s;
    return true;
}

weft_tensor shape_as(weft_tensor x, weft_dtype t, weft_shape dims) {
    return weft_expand(weft_cast(x, t), dims);
}

/* ---- maps ---- */

/* The type a map computes in: floats as f32, small integers as i32. */
static weft_dtype shape_compute(weft_dtype t, bool has_int) {
    if (dtype_is_float(t) || !has_int) return WEFT_F32;
    return WEFT_I32;
}

static weft_tensor shape_unary(int op, bool has_int, weft_tensor x) {
    assert(op > OP_NONE && op < OP_COUNT && op_table[op].operands == 1);
    if (!graph_checked(x.g, &x, 1)) return tensor_at(x.g, 0);
    weft_dtype t = shape_compute((weft_dtype)node_of(x)->dtype, has_int);
    x = weft_cast(x, t);
    if (!x.id) return x;
    weft_shape s = weft_shape_of(x);
    return graph_append(x.g, op, t, s.rank, s.n, &x, 1, NULL, 0);
}

static weft_tensor shape_binary(int op, weft_tensor a, weft_tensor b) {
    assert(op > OP_NONE && op < OP_COUNT && op_table[op].operands == 2);
    const op_info *info = &op_table[op];
    weft_tensor in[2] = {a, b};
    weft_shape s;
    if (!shape_broadcast(a.g, info->name, in, 2, &s)) return tensor_at(a.g, 0);
    weft_dtype ta = (weft_dtype)node_of(a)->dtype, tb = (weft_dtype)node_of(b)->dtype;
    weft_dtype t = shape_compute(shape_promote(ta, tb), info->has_int), r = t;
    if (info->cls == CLASS_COMPARE) r = WEFT_BOOL;
    if (info->cls == CLASS_LOGIC) {
        if (dtype_is_float(ta) || dtype_is_float(tb))
            return graph_fail(a.g, WEFT_DTYPE, "%s: bool or integers were expected, got %s and %s",
                              info->name, weft_dtype_name(ta), weft_dtype_name(tb));
        t = r = ta == WEFT_BOOL && tb == WEFT_BOOL ? WEFT_BOOL : WEFT_I32;
    }
    in[0] = shape_as(a, t, s);
    in[1] = shape_as(b, t, s);
    if (!in[0].id || !in[1].id) return tensor_at(a.g, 0);
    return graph_append(a.g, op, r, s.rank, s.n, in, 2, NULL, 0);
}

#define NOINT SHAPE_NO_INT
#define OP_UNARY(name, f32, i32, ...)                                                              \
    weft_tensor weft_##name(weft_tensor x) {                                                       \
        return shape_unary(OP_##name, op_table[OP_##name].has_int, x);                             \
    }
#define OP_BINARY(name, ...)                                                                       \
    weft_tensor weft_##name(weft_tensor a, weft_tensor b) {                                        \
        return shape_binary(OP_##name, a, b);                                                      \
    }
#define OP_COMPARE(name, ...)                                                                      \
    weft_tensor weft_##name(weft_tensor a, weft_tensor b) {                                        \
        return shape_binary(OP_##name, a, b);                                                      \
    }
#define OP_LOGIC(name, ...)                                                                        \
    weft_tensor weft_##name(weft_tensor a, weft_tensor b) {                                        \
        return shape_binary(OP_##name, a, b);                                                      \
    }
#include "core/ops.def"
#undef NOINT

weft_tensor weft_where(weft_tensor cond, weft_tensor a, weft_tensor b) {
    weft_tensor in[3] = {cond, a, b};
    weft_shape s;
    if (!shape_broadcast(cond.g, "where", in, 3, &s)) return tensor_at(cond.g, 0);
    weft_dtype t = shape_promote((weft_dtype)node_of(a)->dtype, (weft_dtype)node_of(b)->dtype);
    if (t != WEFT_BOOL) t = shape_compute(t, true);
    in[0] = shape_as(cond, WEFT_BOOL, s);
    in[1] = shape_as(a, t, s);
    in[2] = shape_as(b, t, s);
    if (!graph_checked(cond.g, in, 3)) return tensor_at(cond.g, 0);
    return graph_append(cond.g, OP_where, t, s.rank, s.n, in, 3, NULL, 0);
}

weft_tensor weft_cast(weft_tensor x, weft_dtype t) {
    if (!graph_checked(x.g, &x, 1)) return tensor_at(x.g, 0);
    if ((unsigned)t >= WEFT_DTYPE_COUNT)
        return graph_fail(x.g, WEFT_DTYPE, "cast: unknown element type %d", (int)t);
    if (node_of(x)->dtype == WEFT_U32 && dtype_is_float(t)) {
        /* registers are signed: the upper half exactly, with the missing 2^32 put back, then the
         * lower */
        weft_tensor i = weft_cast(x, WEFT_I32), low = weft_and(i, weft_integer(x.g, 0xffff));
        weft_tensor high = weft_cast(weft_sub(i, low), WEFT_F32);
        high = weft_where(weft_lt(i, weft_integer(x.g, 0)),
                          weft_add(high, weft_scalar(x.g, 4294967296.0f)), high);
        return weft_cast(weft_add(high, weft_cast(low, WEFT_F32)), t);
    }
    weft_shape s = weft_shape_of(x);
    return graph_append(x.g, OP_cast, t, s.rank, s.n, &x, 1, NULL, 0);
}

/* ---- views ---- */

weft_tensor weft_reshape(weft_tensor x, weft_shape s) {
    if (!graph_checked(x.g, &x, 1)) return tensor_at(x.g, 0);
    char a[100], b[100];
    weft_shape from = weft_shape_of(x);
    if (s.rank < 0 || s.rank > WEFT_MAX_RANK)
        return graph_fail(x.g, WEFT_SHAPE, "reshape: rank %d", (int)s.rank);
    int64_t known = 1, count = weft_count(x);
    int open = -1;
    bool fits = true;
    for (int i = 0; i < s.rank; i++)
        if (s.n[i] == -1 && open < 0) open = i;
        else fits = fits && checked_mul(known, s.n[i], &known);
    if (open >= 0) {
        fits = fits && known > 0 && count % known == 0;
        if (fits) s.n[open] = count / known;
    } else fits = fits && known == count;
    if (!fits)
        return graph_fail(x.g, WEFT_SHAPE, "reshape %s to %s: the number of elements differs",
                          shape_text(a, sizeof a, from.rank, from.n),
                          shape_text(b, sizeof b, s.rank, s.n));
    return graph_append(x.g, OP_reshape, (weft_dtype)node_of(x)->dtype, s.rank, s.n, &x, 1, NULL,
                        0);
}

weft_tensor weft_permute(weft_tensor x, weft_shape axes) {
    uint32_t mask;
    if (!shape_mask(x, "permute", axes, &mask)) return tensor_at(x.g, 0);
    weft_shape s = weft_shape_of(x), r = s;
    if (axes.rank != s.rank)
        return graph_fail(x.g, WEFT_ARGUMENT, "permute: %d axes are listed for rank %d",
                          (int)axes.rank, (int)s.rank);
    for (int i = 0; i < s.rank; i++) {
        if (axes.n[i] < 0) axes.n[i] += s.rank;
        r.n[i] = s.n[axes.n[i]];
    }
    return graph_append(x.g, OP_permute, (weft_dtype)node_of(x)->dtype, r.rank, r.n, &x, 1, axes.n,
                        s.rank);
}

weft_tensor weft_transpose(weft_tensor x, int a, int b) {
    if (!shape_axis(x, "transpose", &a) || !shape_axis(x, "transpose", &b))
        return tensor_at(x.g, 0);
    weft_shape axes = {node_of(x)->rank, {0}};
    for (int i = 0; i < axes.rank; i++) axes.n[i] = i == a ? b : i == b ? a : i;
    return weft_permute(x, axes);
}

weft_tensor weft_expand(weft_tensor x, weft_shape s) {
    if (!graph_checked(x.g, &x, 1)) return tensor_at(x.g, 0);
    weft_shape from = weft_shape_of(x);
    bool fits = s.rank >= from.rank && s.rank <= WEFT_MAX_RANK;
    for (int i = 0; fits && i < s.rank; i++) fits = s.n[i] >= 0;
    for (int i = 1; fits && i <= from.rank; i++)
        fits = from.n[from.rank - i] == s.n[s.rank - i] || from.n[from.rank - i] == 1;
    if (!fits) {
        char a[100], b[100];
        return graph_fail(
            x.g, WEFT_SHAPE, "expand %s to %s: shapes are incompatible",
            shape_text(a, sizeof a, from.rank, from.n),
            shape_text(b, sizeof b, s.rank < 0 || s.rank > WEFT_MAX_RANK ? 0 : s.rank, s.n));
    }
    if (s.rank > from.rank) { /* an expand node keeps the rank */
        weft_shape r = {s.rank, {0}};
        for (int i = 0; i < s.rank; i++)
            r.n[i] = i < s.rank - from.rank ? 1 : from.n[i - (s.rank - from.rank)];
        x = weft_reshape(x, r);
        if (!x.id) return x;
    }
    return graph_append(x.g, OP_expand, (weft_dtype)node_of(x)->dtype, s.rank, s.n, &x, 1, NULL, 0);
}

weft_tensor weft_squeeze(weft_tensor x, int axis) {
    if (!shape_axis(x, "squeeze", &axis)) return tensor_at(x.g, 0);
    if (weft_dim(x, axis) != 1)
        return graph_fail(x.g, WEFT_SHAPE, "squeeze: axis %d has extent %lld, not 1", axis,
                          (long long)weft_dim(x, axis));
    return shape_drop(x, 1u << axis);
}

weft_tensor weft_unsqueeze(weft_tensor x, int axis) {
    if (!graph_checked(x.g, &x, 1)) return tensor_at(x.g, 0);
    weft_shape s = weft_shape_of(x);
    if (axis < 0) axis += s.rank + 1;
    if (axis < 0 || axis > s.rank || s.rank == WEFT_MAX_RANK)
        return graph_fail(x.g, WEFT_ARGUMENT, "unsqueeze: axis %d in rank %d", axis, (int)s.rank);
    memmove(s.n + axis + 1, s.n + axis, (size_t)(s.rank - axis) * sizeof *s.n);
    s.n[axis] = 1;
    s.rank++;
    return weft_reshape(x, s);
}

weft_tensor weft_slice(weft_tensor x, int axis, int64_t start, int64_t stop, int64_t step) {
    if (!shape_axis(x, "slice", &axis)) return tensor_at(x.g, 0);
    weft_shape s = weft_shape_of(x);
    int64_t n = s.n[axis];
    if (step == 0 || step == INT64_MIN)
        return graph_fail(x.g, WEFT_ARGUMENT, "slice: the step is %lld", (long long)step);
    bool to_end = stop == WEFT_END;
    if (start < -n && step < 0)
        start = 0, stop = 0, to_end = false;       /* starts before the beginning: nothing */
    if (start < 0) start = max_i64(start, -n) + n; /* Python: counted from the end, then clamped */
    if (stop < 0) stop = stop < -n ? (step > 0 ? 0 : -1) : stop + n;
    if (step > 0) {
        start = min_i64(start, n);
        stop = to_end ? n : min_i64(stop, n);
    } else {
        start = min_i64(start, n - 1);
        stop = to_end ? -1 : min_i64(stop, n - 1);
    }
    int64_t span = step > 0 ? stop - start : start - stop, by = step > 0 ? step : -step;
    s.n[axis] = span > 0 ? (span - 1) / by + 1 : 0;
    if (s.n[axis] == 0) start = 0, step = 1;
    if (s.n[axis] == 1) step = 1;
    int64_t attr[3] = {axis, start, step};
    return graph_append(x.g, OP_slice, (weft_dtype)node_of(x)->dtype, s.rank, s.n, &x, 1, attr, 3);
}

weft_tensor weft_slice_at(weft_tensor x, int axis, weft_tensor start, int64_t length) {
    weft_tensor in[2] = {x, start};
    if (!graph_checked(x.g, in, 2) || !shape_axis(x, "slice_at", &axis)) return tensor_at(x.g, 0);
    weft_shape s = weft_shape_of(x);
    if (node_of(start)->rank != 0 || node_of(start)->dtype != WEFT_I32)
        return graph_fail(x.g, WEFT_DTYPE, "slice_at: the start must be a 0-d i32 tensor");
    if (length < 0 || length > s.n[axis])
        return graph_fail(x.g, WEFT_SHAPE, "slice_at: length %lld of an axis of %lld",
                          (long long)length, (long long)s.n[axis]);
    int32_t known;
    if (node_integer(start, &known)) {
        int64_t from = min_i64(max_i64(known, 0), s.n[axis] - length);
        return weft_slice(x, axis, from, from + length, 1);
    }
    in[0] = stored_copy(x);
    s.n[axis] = length;
    int64_t attr[3] = {axis, 0, 1};
    return graph_append(x.g, OP_slice, (weft_dtype)node_of(x)->dtype, s.rank, s.n, in, 2, attr, 3);
}

weft_tensor weft_pad(weft_tensor x, int axis, int64_t before, int64_t after, float value) {
    if (!shape_axis(x, "pad", &axis)) return tensor_at(x.g, 0);
    weft_shape s = weft_shape_of(x);
    if (before < 0 || after < 0 || before > LIMIT_ELEMENTS || after > LIMIT_ELEMENTS)
        return graph_fail(x.g, WEFT_ARGUMENT, "pad: %lld before and %lld after", (long long)before,
                          (long long)after);
    s.n[axis] += before + after;
    if (before || after) x = stored_copy(x);
    weft_dtype t = (weft_dtype)node_of(x)->dtype;
    uint32_t fill = dtype_is_float(t) ? bits_of(value) : (uint32_t)i32_of(value);
    int64_t attr[4] = {axis, before, after, fill};
    return graph_append(x.g, OP_pad, t, s.rank, s.n, &x, 1, attr, 4);
}

/* ---- folds ---- */

weft_tensor shape_drop(weft_tensor kept, uint32_t mask) {
    assert(!kept.id || mask >> node_of(kept)->rank == 0);
    if (!kept.id) return kept;
    weft_shape s = weft_shape_of(kept), r = {0};
    for (int i = 0; i < s.rank; i++)
        if (!(mask >> i & 1)) r.n[r.rank++] = s.n[i];
    return weft_reshape(kept, r);
}

static weft_tensor shape_fold_mask(weft_tensor x, int op, uint32_t mask) {
    assert(op_table[op].cls == CLASS_FOLD && mask >> node_of(x)->rank == 0);
    weft_shape s = weft_shape_of(x);
    for (int i = 0; i < s.rank; i++)
        if (mask >> i & 1) s.n[i] = 1;
    int64_t attr = mask;
    weft_dtype t = op == OP_argmax ? WEFT_I32 : (weft_dtype)node_of(x)->dtype;
    return graph_append(x.g, op, t, s.rank, s.n, &x, 1, &attr, 1);
}

weft_tensor sum_mask(weft_tensor x, uint32_t mask) {
    return mask ? shape_fold_mask(x, OP_sum, mask) : x;
}

weft_tensor shape_fold(weft_tensor x, int op, const char *what, weft_shape axes, bool keep) {
    assert(op_table[op].cls == CLASS_FOLD && what);
    uint32_t mask;
    if (!shape_mask(x, what, axes, &mask)) return tensor_at(x.g, 0);
    x = weft_cast(x, shape_compute((weft_dtype)node_of(x)->dtype, true));
    weft_tensor r = x.id ? shape_fold_mask(x, op, mask) : x;
    return keep ? r : shape_drop(r, mask);
}

weft_tensor weft_sum(weft_tensor x, weft_shape axes, bool keep) {
    return shape_fold(x, OP_sum, "sum", axes, keep);
}
weft_tensor weft_prod(weft_tensor x, weft_shape axes, bool keep) {
    return shape_fold(x, OP_prod, "prod", axes, keep);
}
weft_tensor weft_max(weft_tensor x, weft_shape axes, bool keep) {
    return shape_fold(x, OP_max, "max", axes, keep);
}

weft_tensor weft_argmax(weft_tensor x, int axis, bool keep) {
    if (!shape_axis(x, "argmax", &axis) || !graph_positions(x.g, "argmax", weft_dim(x, axis)))
        return tensor_at(x.g, 0);
    return shape_fold(x, OP_argmax, "argmax", weft_axes(axis), keep);
}

/* ---- products, scans, picks ---- */

weft_tensor weft_matmul(weft_tensor a, weft_tensor b) {
    weft_tensor in[2] = {a, b};
    if (!graph_checked(a.g, in, 2)) return tensor_at(a.g, 0);
    weft_shape sa = weft_shape_of(a), sb = weft_shape_of(b);
    char ta[100], tb[100];
    if (sa.rank < 2 || sb.rank < 2)
        return graph_fail(a.g, WEFT_SHAPE, "matmul %s x %s: matrices were expected",
                          shape_text(ta, sizeof ta, sa.rank, sa.n),
                          shape_text(tb, sizeof tb, sb.rank, sb.n));
    int64_t m = sa.n[sa.rank - 2], k = sa.n[sa.rank - 1], n = sb.n[sb.rank - 1];
    if (k != sb.n[sb.rank - 2])
        return graph_fail(a.g, WEFT_SHAPE, "matmul %s x %s: inner sizes %lld and %lld differ",
                          shape_text(ta, sizeof ta, sa.rank, sa.n),
                          shape_text(tb, sizeof tb, sb.rank, sb.n), (long long)k,
                          (long long)sb.n[sb.rank - 2]);
    if (sb.rank == 2 && sa.rank > 2) { /* one matrix for all batches: a single tall product */
        weft_shape out = sa;
        out.n[out.rank - 1] = n;
        int64_t rows = weft_count(a) / max_i64(k, 1);
        return k ? weft_reshape(weft_matmul(weft_reshape(a, weft_dims(rows, k)), b), out)
                 : weft_full(a.g, out, 0);
    }
    weft_shape s = {sa.rank > sb.rank ? sa.rank : sb.rank, {0}};
    for (int d = 3; d <= s.rank; d++) {
        int64_t x = d <= sa.rank ? sa.n[sa.rank - d] : 1, y = d <= sb.rank ? sb.n[sb.rank - d] : 1;
        if (x != y && x != 1 && y != 1)
            return graph_fail(a.g, WEFT_SHAPE,
                              "matmul %s x %s: batch extents %lld and %lld do not broadcast",
                              shape_text(ta, sizeof ta, sa.rank, sa.n),
                              shape_text(tb, sizeof tb, sb.rank, sb.n), (long long)x, (long long)y);
        s.n[s.rank - d] = x == 1 ? y : x;
    }
    s.n[s.rank - 2] = m, s.n[s.rank - 1] = k;
    in[0] = shape_as(a, WEFT_F32, s);
    s.n[s.rank - 2] = k, s.n[s.rank - 1] = n;
    in[1] = shape_as(b, WEFT_F32, s);
    if (!graph_checked(a.g, in, 2)) return tensor_at(a.g, 0);
    s.n[s.rank - 2] = m;
    return graph_append(a.g, OP_matmul, WEFT_F32, s.rank, s.n, in, 2, NULL, 0);
}

weft_tensor weft_linrec(weft_tensor a, weft_tensor b, int axis, bool reverse) {
    weft_tensor in[2] = {a, b};
    weft_shape s;
    if (!shape_broadcast(a.g, "linrec", in, 2, &s)) return tensor_at(a.g, 0);
    in[0] = shape_as(a, WEFT_F32, s);
    in[1] = shape_as(b, WEFT_F32, s);
    if (!shape_axis(in[1], "linrec", &axis) || !in[0].id) return tensor_at(a.g, 0);
    int64_t attr[2] = {axis, reverse};
    return graph_append(a.g, OP_linrec, WEFT_F32, s.rank, s.n, in, 2, attr, 2);
}

bool shape_index(weft_tensor index, const char *what) {
    assert(index.id && what);
    weft_dtype t = (weft_dtype)node_of(index)->dtype;
    if (!dtype_is_float(t)) return true;
    graph_fail(index.g, WEFT_DTYPE, "%s: integers were expected as indices, got %s", what,
               weft_dtype_name(t));
    return false;
}

weft_tensor weft_take_along(weft_tensor x, weft_tensor index, int axis) {
    weft_tensor in[2] = {x, index};
    if (!graph_checked(x.g, in, 2) || !shape_axis(x, "take_along", &axis) ||
        !shape_index(index, "take_along"))
        return tensor_at(x.g, 0);
    weft_shape sx = weft_shape_of(x), si = weft_shape_of(index);
    bool fits = sx.rank == si.rank;
    for (int i = 0; fits && i < sx.rank; i++) fits = i == axis || sx.n[i] == si.n[i];
    if (!fits) {
        char a[100], b[100];
        return graph_fail(x.g, WEFT_SHAPE, "take_along %s by %s: only axis %d may differ",
                          shape_text(a, sizeof a, sx.rank, sx.n),
                          shape_text(b, sizeof b, si.rank, si.n), axis);
    }
    in[1] = weft_cast(index, WEFT_I32);
    int64_t attr = axis;
    return graph_append(x.g, OP_take, (weft_dtype)node_of(x)->dtype, si.rank, si.n, in, 2, &attr,
                        1);
}

weft_tensor weft_scatter_add(weft_tensor base, weft_tensor index, weft_tensor src, int axis) {
    weft_tensor in[3] = {base, index, src};
    if (!graph_checked(base.g, in, 3) || !shape_axis(base, "scatter_add", &axis) ||
        !shape_index(index, "scatter_add"))
        return tensor_at(base.g, 0);
    weft_shape sb = weft_shape_of(base), si = weft_shape_of(index), ss = weft_shape_of(src);
    bool fits = sb.rank == si.rank && si.rank == ss.rank &&
                !memcmp(si.n, ss.n, (size_t)si.rank * sizeof *si.n);
    for (int i = 0; fits && i < sb.rank; i++) fits = i == axis || sb.n[i] == si.n[i];
    if (!fits) {
        char a[80], b[80], c[80];
        return graph_fail(
            base.g, WEFT_SHAPE,
            "scatter_add to %s, index %s, source %s: only axis %d of the base may differ",
            shape_text(a, sizeof a, sb.rank, sb.n), shape_text(b, sizeof b, si.rank, si.n),
            shape_text(c, sizeof c, ss.rank, ss.n), axis);
    }
    if (!graph_positions(base.g, "scatter_add", si.n[axis])) return tensor_at(base.g, 0);
    weft_dtype t = shape_compute((weft_dtype)node_of(base)->dtype, true);
    in[0] = weft_cast(base, t);
    in[1] = weft_cast(index, WEFT_I32);
    in[2] = weft_cast(src, t);
    if (!graph_checked(base.g, in, 3)) return tensor_at(base.g, 0);
    int64_t attr = axis;
    return graph_append(base.g, OP_scatter_add, t, sb.rank, sb.n, in, 3, &attr, 1);
}

weft_tensor weft_argsort(weft_tensor x, int axis, bool descending) {
    if (!shape_axis(x, "argsort", &axis) || !graph_positions(x.g, "argsort", weft_dim(x, axis)))
        return tensor_at(x.g, 0);
    x = weft_cast(x, shape_compute((weft_dtype)node_of(x)->dtype, true));
    if (!x.id) return x;
    weft_shape s = weft_shape_of(x);
    int64_t attr[2] = {axis, descending};
    return graph_append(x.g, OP_argsort, WEFT_I32, s.rank, s.n, &x, 1, attr, 2);
}

/* in (n) one after the other, of shape s together: more than a node has operands in several rounds,
 * in which neighbours are joined. `in` is changed. */
static weft_tensor shape_joined(weft_tensor *in, size_t n, int axis, weft_dtype t, weft_shape s) {
    assert(n > 0 && axis >= 0 && axis < s.rank);
    const int64_t attr = axis, all = s.n[axis];
    while (n > 1) {
        size_t groups = 0;
        for (size_t i = 0, more; i < n; i += more) {
            more = n - i < LIMIT_OPERANDS ? n - i : LIMIT_OPERANDS;
            s.n[axis] = n > more ? 0 : all;
            for (size_t k = 0; n > more && k < more; k++) s.n[axis] += weft_dim(in[i + k], axis);
            in[groups++] = more > 1 ? graph_append(in[i].g, OP_concat, t, s.rank, s.n, in + i,
                                                   (int)more, &attr, 1)
                                    : in[i];
        }
        n = groups;
    }
    return in[0];
}

weft_tensor weft_concat(weft_tensors parts, int axis) {
    if (!parts.at || !parts.n) {
        weft_fail(NULL, WEFT_ARGUMENT, "concat: no parts");
        return (weft_tensor){0};
    }
    weft_graph *g = parts.at[0].g;
    if (g && parts.n > LIMIT_NODES)
        return graph_fail(g, WEFT_ARGUMENT, "concat: %zu parts, at most %d are allowed", parts.n,
                          LIMIT_NODES);
    if (!graph_checked(g, parts.at, g ? (int)parts.n : 0) ||
        !shape_axis(parts.at[0], "concat", &axis))
        return tensor_at(g, 0);
    weft_shape s = weft_shape_of(parts.at[0]);
    weft_dtype t = (weft_dtype)node_of(parts.at[0])->dtype;
    for (size_t i = 1; i < parts.n; i++) {
        weft_shape p = weft_shape_of(parts.at[i]);
        bool fits = p.rank == s.rank;
        for (int d = 0; fits && d < s.rank; d++) fits = d == axis || p.n[d] == s.n[d];
        if (!fits) {
            char a[100], b[100];
            return graph_fail(g, WEFT_SHAPE, "concat %s and %s: only axis %d may differ",
                              shape_text(a, sizeof a, s.rank, s.n),
                              shape_text(b, sizeof b, p.rank, p.n), axis);
        }
        s.n[axis] += p.n[axis];
        t = shape_promote(t, (weft_dtype)node_of(parts.at[i])->dtype);
    }
    weft_tensor *in = mem_new(g->m, parts.n * sizeof *in);
    if (!in) return graph_fail(g, WEFT_MEMORY, "concat: out of memory");
    for (size_t i = 0; i < parts.n; i++) in[i] = weft_cast(parts.at[i], t);
    weft_tensor r = shape_joined(in, parts.n, axis, t, s);
    mem_free(g->m, in);
    return r;
}
