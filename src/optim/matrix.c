/* matrix.c - optimisers that look at a parameter as a whole: LAMB by its norm, Muon by its singular
 * values.
 *
 * Both first do what can be done element by element, then need norms of the results: those of all
 * parameters are computed together. */
#include "inner.h"
#include <math.h>

/* Element i of a vector, 0-d. */
static weft_tensor matrix_at(weft_tensor v, size_t i) {
    return weft_squeeze(weft_slice(v, 0, (int64_t)i, (int64_t)i + 1, 1), 0);
}

/* Adam's direction, with decay: what LAMB is going to scale. */
static weft_tensor matrix_direction(optim_call *c, const optim_item *it) {
    weft_tensor m = optim_slot(c, it->p, "exp_avg"), v = optim_slot(c, it->p, "exp_avg_sq");
    weft_tensor g = optim_taken(c, it->grad);
    weft_tensor mean = optim_lerp(m, g, c->d.beta1);
    weft_tensor square = optim_lerp(v, weft_square(g), c->d.beta2);
    optim_keep(c, m, mean);
    optim_keep(c, v, square);
    weft_tensor root = weft_rsqrt(optim_bias(c, c->d.beta2));
    weft_tensor below = weft_offset(weft_mul(weft_sqrt(square), root), c->d.eps);
    weft_tensor along = weft_div(weft_mul(mean, weft_recip(optim_bias(c, c->d.beta1))), below);
    return it->decay != 0 ? weft_add(along, weft_scale(it->p, it->decay)) : along;
}

/* You et al. 2020, with both bias corrections and the identity for phi: a step as long as |p| times
 * the rate, where neither |p| nor the direction is 0. */
bool optim_lamb(optim_call *c, const optim_item *it, size_t n, weft_tensor *next) {
    weft_tensor *p = weft_graph_memory(c->g, 2 * n * sizeof *p), *along = p + n;
    if (!p) return false;
    for (size_t i = 0; i < n; i++) p[i] = it[i].p, along[i] = matrix_direction(c, &it[i]);
    weft_tensor zero = weft_scalar(c->g, 0), one = weft_scalar(c->g, 1);
    weft_tensor p2 = weft_squares((weft_tensors){p, n});
    weft_tensor a2 = weft_squares((weft_tensors){along, n});
    weft_tensor fits = weft_and(weft_gt(p2, zero), weft_gt(a2, zero));
    weft_tensor ratio = weft_where(fits, weft_sqrt(weft_div(p2, a2)), one);
    for (size_t i = 0; i < n; i++) {
        weft_tensor by = weft_mul(it[i].lr, matrix_at(ratio, i));
        next[i] = optim_due(c, p[i], weft_sub(p[i], weft_mul(along[i], by)));
    }
    return true;
}

/* Jordan 2024: five Newton-Schulz steps with coefficients that lift small singular values fast;
 * those of the result lie between about 0.7 and 1.2, which is as good as 1 here. x [rows, columns]
 * is taken times `by`, which brings its norm to 1; the smaller of x x^T and x^T x is iterated. */
static weft_tensor matrix_orthogonal(weft_tensor x, weft_tensor by) {
    const float a = 3.4445f, b = -4.7750f, c = 2.0315f;
    const bool tall = weft_dim(x, 0) > weft_dim(x, 1);
    for (int i = 0; i < 5; i++) {
        weft_tensor t = weft_transpose(x, 0, 1);
        weft_tensor s = tall ? weft_matmul(t, x) : weft_matmul(x, t);
        if (i == 0) s = weft_mul(weft_mul(s, by), by);
        weft_tensor s2 = weft_add(weft_scale(s, b), weft_scale(weft_matmul(s, s), c));
        weft_tensor moved = tall ? weft_matmul(x, s2) : weft_matmul(s2, x);
        x = weft_add(weft_scale(x, a), moved);
        if (i == 0) x = weft_mul(x, by);
    }
    return x;
}

bool optim_muon(optim_call *c, const optim_item *it, size_t n, weft_tensor *next) {
    weft_tensor *along = weft_graph_memory(c->g, n * sizeof *along);
    if (!along) return false;
    size_t matrices = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        if (it[i].aux) {
            next[i] = optim_adam(c, &it[i]);
            continue;
        }
        weft_tensor m = optim_slot(c, it[i].p, "momentum_buffer"), g = optim_taken(c, it[i].grad);
        weft_tensor mean = weft_add(weft_scale(m, c->d.momentum), g);
        optim_keep(c, m, mean);
        along[matrices++] = weft_add(g, weft_scale(mean, c->d.momentum));
    }
    if (!matrices) return true;
    weft_tensor norm = weft_sqrt(weft_squares((weft_tensors){along, matrices}));
    weft_tensor by = weft_recip(weft_offset(norm, 1e-7f));
    for (size_t i = 0; i < n; i++) {
        if (it[i].aux) continue;
        weft_shape dims = weft_shape_of(it[i].p);
        weft_tensor x = weft_reshape(along[at], weft_dims(dims.n[0], -1));
        const float rows = (float)weft_dim(x, 0), columns = (float)weft_dim(x, 1);
        x = weft_reshape(matrix_orthogonal(x, matrix_at(by, at)), dims);
        x = weft_mul(x, weft_scale(it[i].lr, sqrtf(fmaxf(1, rows / columns))));
        next[i] = optim_due(c, it[i].p, weft_sub(optim_shrunk(&it[i]), x));
        at++;
    }
    return true;
}
