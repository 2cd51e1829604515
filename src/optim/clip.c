/* clip.c - gradients kept within bounds: each element, or the norm of all of them together. */
#include "inner.h"

/* The same parameters with room for other gradients; n 0 after an error. */
static weft_params clip_copy(weft_params p, const char *what, float most, weft_tensor **grads) {
    const weft_params none = {0};
    if (!p.n || !p.param || !p.grad) return none;
    weft_graph *g = p.param[0].g;
    if (!(most > 0)) {
        weft_poison(g, WEFT_ARGUMENT, "%s: a bound above 0 was expected, got %g", what,
                    (double)most);
        return none;
    }
    if (!(*grads = weft_graph_memory(g, p.n * sizeof **grads))) return none;
    p.grad = *grads;
    return p;
}

weft_tensor weft_grad_norm(weft_params p) {
    weft_tensor each = weft_squares((weft_tensors){p.grad, p.grad ? p.n : 0});
    return weft_ok(each) ? weft_sqrt(weft_sum(each, WEFT_ALL, false)) : each;
}

weft_tensor optim_clip_factor(weft_params p, float most, weft_tensor unscale) {
    weft_tensor norm = weft_grad_norm(p);
    if (!weft_ok(norm)) return norm;
    if (unscale.id) norm = weft_mul(norm, unscale);
    weft_tensor factor = weft_div(weft_scalar(norm.g, most), weft_offset(norm, 1e-6f));
    return weft_minimum(factor, weft_scalar(norm.g, 1));
}

weft_params weft_clip_norm(weft_params p, float most) {
    weft_tensor *grads = NULL;
    weft_params out = clip_copy(p, "clip by norm", most, &grads);
    if (!out.n) return out;
    weft_tensor factor = optim_clip_factor(p, most, (weft_tensor){0});
    for (size_t i = 0; i < p.n; i++) grads[i] = weft_mul(p.grad[i], factor);
    return out;
}

weft_params weft_clip_value(weft_params p, float most) {
    weft_tensor *grads = NULL;
    weft_params out = clip_copy(p, "clip by value", most, &grads);
    for (size_t i = 0; i < out.n; i++) grads[i] = weft_clamp(p.grad[i], -most, most);
    return out;
}
