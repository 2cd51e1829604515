/* ref_eval.c - what each operation does to whole arrays, one node at a time.
 *
 * Everything that moves elements is a walk: a row-major loop over some extents that keeps a place
 * in each of two arrays. Single numbers are ref_scalar.c's, memory and the order of evaluation are
 * ref.c's. */
#include "backend/ref_node.h"
#include <assert.h>

/* ---- walking ---- */

typedef struct ref_walk {
    int rank;
    int64_t left; /* elements still to visit, this one too */
    int64_t a, b; /* places in the two arrays */
    int64_t dim[WEFT_MAX_RANK], index[WEFT_MAX_RANK];
    int64_t step_a[WEFT_MAX_RANK], step_b[WEFT_MAX_RANK];
} ref_walk;

static void ref_steps(int rank, const int64_t *dim, int64_t *step) {
    assert(rank >= 0 && rank <= WEFT_MAX_RANK);
    int64_t n = 1;
    for (int d = rank - 1; d >= 0; d--) {
        step[d] = n;
        n *= dim[d];
    }
}

/* Both arrays of shape dim: callers then bend step_a and step_b to what they need. */
static ref_walk ref_walk_over(int rank, const int64_t *dim) {
    assert(rank >= 0 && rank <= WEFT_MAX_RANK);
    ref_walk w = {.rank = rank, .left = 1};
    for (int d = 0; d < rank; d++) {
        w.dim[d] = dim[d];
        w.left *= dim[d];
    }
    ref_steps(rank, dim, w.step_a);
    ref_steps(rank, dim, w.step_b);
    return w;
}

static void ref_next(ref_walk *w) {
    w->left--;
    for (int d = w->rank - 1; d >= 0; d--) {
        w->a += w->step_a[d];
        w->b += w->step_b[d];
        if (++w->index[d] < w->dim[d]) return;
        w->a -= w->step_a[d] * w->dim[d];
        w->b -= w->step_b[d] * w->dim[d];
        w->index[d] = 0;
    }
}

/* Over the first elements of all lines along an axis of n, as places in n (both a and b). */
static ref_walk ref_lines(const ref_node *n, int64_t axis) {
    assert(axis >= 0 && axis < n->rank);
    int64_t dim[WEFT_MAX_RANK];
    memcpy(dim, n->dim, sizeof dim);
    dim[axis] = 1;
    ref_walk w = ref_walk_over(n->rank, dim);
    ref_steps(n->rank, n->dim, w.step_a);
    ref_steps(n->rank, n->dim, w.step_b);
    return w;
}

/* ---- maps and leaves ---- */

static void ref_map(ref_node *n) {
    const ref_node *x = n->in[0], *y = n->in[n->nin - 1]; /* the same one in unary rows */
    for (int64_t i = 0; i < n->count; i++)
        n->value[i] = ref_apply(n->op, x->dtype, n->dtype, x->value[i], y->value[i]);
}

static void ref_where(ref_node *n) {
    for (int64_t i = 0; i < n->count; i++)
        n->value[i] = n->in[0]->value[i] != 0 ? n->in[1]->value[i] : n->in[2]->value[i];
}

static void ref_casts(ref_node *n) {
    for (int64_t i = 0; i < n->count; i++)
        n->value[i] = ref_cast(n->in[0]->dtype, n->dtype, n->in[0]->value[i]);
}

static void ref_iota(ref_node *n) {
    for (ref_walk w = ref_walk_over(n->rank, n->dim); w.left; ref_next(&w))
        n->value[w.a] = (double)w.index[n->attr[0]];
}

static void ref_randoms(ref_node *n) {
    uint32_t seed = (uint32_t)(int64_t)n->in[0]->value[0];
    uint32_t run = (uint32_t)(int64_t)n->in[1]->value[0];
    for (int64_t i = 0; i < n->count; i += 4) {
        double four[4];
        ref_random(seed, (uint32_t)n->attr[0], run, i / 4, (int)n->attr[1], n->dtype, four);
        for (int64_t j = i; j < i + 4 && j < n->count; j++) n->value[j] = four[j - i];
    }
}

/* ---- views: all are copies here ---- */

static void ref_copy(ref_node *n) {
    for (int64_t i = 0; i < n->count; i++) n->value[i] = n->in[0]->value[i];
}

static void ref_permute(ref_node *n) {
    const ref_node *x = n->in[0];
    int64_t step[WEFT_MAX_RANK];
    ref_steps(x->rank, x->dim, step);
    ref_walk w = ref_walk_over(n->rank, n->dim);
    for (int d = 0; d < n->rank; d++) w.step_b[d] = step[n->attr[d]];
    for (; w.left; ref_next(&w)) n->value[w.a] = x->value[w.b];
}

static void ref_expand(ref_node *n) {
    const ref_node *x = n->in[0]; /* of the same rank */
    ref_walk w = ref_walk_over(n->rank, n->dim);
    ref_steps(x->rank, x->dim, w.step_b);
    for (int d = 0; d < n->rank; d++)
        if (x->dim[d] == 1) w.step_b[d] = 0;
    for (; w.left; ref_next(&w)) n->value[w.a] = x->value[w.b];
}

static void ref_slice(ref_node *n) {
    const ref_node *x = n->in[0];
    int64_t axis = n->attr[0], start = n->attr[1], by = n->attr[2];
    if (n->nin > 1) {
        /* A start read at run time is moved until the whole slice lies inside. */
        int64_t last = x->dim[axis] - 1 - start - (n->dim[axis] - 1) * by;
        start += max_i64(0, min_i64((int64_t)n->in[1]->value[0], last));
    }
    ref_walk w = ref_walk_over(n->rank, n->dim);
    ref_steps(x->rank, x->dim, w.step_b);
    w.b = start * w.step_b[axis];
    w.step_b[axis] *= by;
    for (; w.left; ref_next(&w)) n->value[w.a] = x->value[w.b];
}

/* x into n, `at` places along the axis */
static void ref_place(ref_node *n, const ref_node *x, int64_t axis, int64_t at) {
    assert(axis >= 0 && axis < n->rank && at >= 0);
    ref_walk w = ref_walk_over(x->rank, x->dim);
    ref_steps(n->rank, n->dim, w.step_a);
    w.a = at * w.step_a[axis];
    for (; w.left; ref_next(&w)) n->value[w.a] = x->value[w.b];
}

static void ref_pad(ref_node *n) {
    double fill = ref_of_bits(n->dtype, (uint32_t)n->attr[3]);
    for (int64_t i = 0; i < n->count; i++) n->value[i] = fill;
    ref_place(n, n->in[0], n->attr[0], n->attr[1]);
}

static void ref_concat(ref_node *n) {
    int64_t axis = n->attr[0], at = 0;
    for (int i = 0; i < n->nin; i++) {
        ref_place(n, n->in[i], axis, at);
        at += n->in[i]->dim[axis];
    }
}

/* ---- folds ---- */

/* The masked axes of x, walked for every element of the result: a counts the position in
 * row-major order, b is the distance in x. */
static ref_walk ref_folded(const ref_node *n, const ref_node *x) {
    assert(n->rank == x->rank);
    int64_t dim[WEFT_MAX_RANK] = {0};
    for (int d = 0; d < x->rank; d++) dim[d] = n->attr[0] >> d & 1 ? x->dim[d] : 1;
    ref_walk w = ref_walk_over(x->rank, dim);
    ref_steps(x->rank, x->dim, w.step_b);
    return w;
}

static void ref_fold(ref_node *n) {
    const ref_node *x = n->in[0];
    static const uint8_t combines[OP_COUNT] = {
#define OP_FOLD(name, instruction, combine, ...) [OP_##name] = combine,
#include "core/ops.def"
    };
    const int combine = combines[n->op];
    double of_nothing = n->op == OP_sum ? 0 : n->op == OP_prod ? 1 : ref_lowest(n->dtype);
    ref_walk each = ref_walk_over(n->rank, n->dim);
    ref_steps(x->rank, x->dim, each.step_b);
    for (; each.left; ref_next(&each)) {
        double r = of_nothing;
        for (ref_walk w = ref_folded(n, x); w.left; ref_next(&w))
            r = ref_apply(combine, x->dtype, n->dtype, r, x->value[each.b + w.b]);
        n->value[each.a] = r;
    }
}

static void ref_argmax(ref_node *n) {
    const ref_node *x = n->in[0];
    ref_walk each = ref_walk_over(n->rank, n->dim);
    ref_steps(x->rank, x->dim, each.step_b);
    for (; each.left; ref_next(&each)) {
        int64_t best = 0, best_at = 0;
        for (ref_walk w = ref_folded(n, x); w.left; ref_next(&w))
            if (ref_above(x->value[each.b + w.b], x->value[each.b + best_at]))
                best = w.a, best_at = w.b;
        n->value[each.a] = (double)best;
    }
}

/* ---- indexed ---- */

static void ref_take(ref_node *n) {
    const ref_node *x = n->in[0], *index = n->in[1];
    int64_t axis = n->attr[0];
    ref_walk w = ref_walk_over(n->rank, n->dim);
    ref_steps(x->rank, x->dim, w.step_b);
    int64_t step = w.step_b[axis];
    w.step_b[axis] = 0; /* the index moves along the axis instead */
    for (; w.left; ref_next(&w)) {
        int64_t at = (int64_t)index->value[w.a];
        n->value[w.a] = at >= 0 && at < x->dim[axis] ? x->value[w.b + at * step] : 0;
    }
}

static void ref_scatter_add(ref_node *n) {
    const ref_node *index = n->in[1], *src = n->in[2];
    int64_t axis = n->attr[0];
    ref_copy(n);
    ref_walk w = ref_walk_over(src->rank, src->dim);
    ref_steps(n->rank, n->dim, w.step_b);
    int64_t step = w.step_b[axis];
    w.step_b[axis] = 0;
    for (; w.left; ref_next(&w)) {
        int64_t at = (int64_t)index->value[w.a];
        if (at < 0 || at >= n->dim[axis]) continue;
        double *sum = &n->value[w.b + at * step];
        *sum = ref_apply(OP_add, n->dtype, n->dtype, *sum, src->value[w.a]);
    }
}

/* ---- routines ---- */

/* [..., m, k] x [..., k, n] -> [..., m, n] */
static void ref_matmul(ref_node *y) {
    const ref_node *a = y->in[0], *b = y->in[1];
    int64_t m = y->dim[y->rank - 2], n = y->dim[y->rank - 1], inner = a->dim[a->rank - 1];
    for (int64_t i = 0; i < y->count; i++) y->value[i] = 0;
    for (int64_t row = 0; n && row < y->count / n; row++) { /* of all batches */
        double *to = y->value + row * n;
        const double *left = a->value + row * inner, *right = b->value + row / m * inner * n;
        for (int64_t k = 0; k < inner; k++)
            for (int64_t j = 0; j < n; j++) to[j] += left[k] * right[k * n + j];
    }
}

static void ref_linrec(ref_node *n) {
    const double *a = n->in[0]->value, *b = n->in[1]->value;
    int64_t axis = n->attr[0], length = n->dim[axis];
    for (ref_walk w = ref_lines(n, axis); w.left; ref_next(&w)) {
        double h = 0;
        for (int64_t t = 0; t < length; t++) {
            int64_t at = w.a + (n->attr[1] ? length - 1 - t : t) * w.step_a[axis];
            n->value[at] = h = a[at] * h + b[at];
        }
    }
}

/* Merges runs of doubling length. The right run's element goes first only if it must, so equals
 * keep their order, descending too. */
static void ref_sort_line(const double *x, int64_t step, int64_t length, bool descending,
                          int64_t *order, double *out) {
    int64_t *from = order, *to = order + length;
    for (int64_t i = 0; i < length; i++) from[i] = i;
    for (int64_t run = 1; run < length; run *= 2) {
        for (int64_t lo = 0; lo < length; lo += 2 * run) {
            int64_t mid = min_i64(lo + run, length), hi = min_i64(lo + 2 * run, length);
            for (int64_t i = lo, j = mid, k = lo; k < hi; k++) {
                bool right = i == mid;
                if (i < mid && j < hi) {
                    double first = x[from[i] * step], second = x[from[j] * step];
                    right = descending ? ref_above(second, first) : ref_above(first, second);
                }
                to[k] = from[right ? j++ : i++];
            }
        }
        int64_t *old = from;
        from = to;
        to = old;
    }
    for (int64_t i = 0; i < length; i++) out[i * step] = (double)from[i];
}

static void ref_argsort(ref_node *n) {
    int64_t axis = n->attr[0];
    for (ref_walk w = ref_lines(n, axis); w.left; ref_next(&w))
        ref_sort_line(n->in[0]->value + w.a, w.step_a[axis], n->dim[axis], n->attr[1] != 0,
                      n->order, n->value + w.a);
}

/* ---- all of them ---- */

static void ref_literal(ref_node *n) {
    n->value[0] = ref_of_bits(n->dtype, (uint32_t)n->attr[0]);
}

/* ref.c gives it its value, or never keeps it. */
static void ref_given(ref_node *n) {
    (void)n;
}

typedef void ref_rule(ref_node *n);
static ref_rule *const ref_rules[OP_COUNT] = {
    [OP_NONE] = ref_given,
#define OP_UNARY(name, ...)                                              [OP_##name] = ref_map,
#define OP_BINARY(name, ...)                                             [OP_##name] = ref_map,
#define OP_COMPARE(name, ...)                                            [OP_##name] = ref_map,
#define OP_LOGIC(name, ...)                                              [OP_##name] = ref_map,
#define OP_FOLD(name, instruction, combine, gradient, reference)         [OP_##name] = reference,
#define OP_ROUTINE(name, operands, step, lies, gradient, reference, ...) [OP_##name] = reference,
#define OP_OTHER(name, cls, operands, cost, gradient, reference)         [OP_##name] = reference,
#include "core/ops.def"
};

void ref_eval(ref_node *n) {
    assert(n->op < OP_COUNT);
    ref_rules[n->op](n);
    /* Floats are computed unrounded; what is stored narrow is rounded once, here. */
    if (n->dtype == WEFT_BF16 || n->dtype == WEFT_F16)
        for (int64_t i = 0; i < n->count; i++)
            n->value[i] = ref_cast(WEFT_F32, n->dtype, n->value[i]);
}
