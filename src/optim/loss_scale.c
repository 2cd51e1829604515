/* loss_scale.c - the factor by which a loss is multiplied so that its gradients fit f16.
 *
 * Gradients come scaled and are multiplied by the inverse. If one of them is not finite the step is
 * skipped and the factor halved; it doubles after a number of good steps. The factor and the count
 * are entries of the state, so a run that is resumed continues with the same bits. */
#include "inner.h"
#include <float.h>

enum { LOSS_SCALE_STEPS = 2000 };
static const float loss_scale_most = 16777216.0f; /* 2^24: counts in f32 stay exact */

weft_tensor optim_loss_scale(weft_graph *g, weft_state *s, const weft_optimiser_desc *d) {
    return weft_number(g, s, "optim.loss_scale", d->loss_scale);
}

weft_tensor optim_loss_finite(optim_call *c, weft_params p) {
    const float wanted = (float)(c->d.loss_scale_steps ? c->d.loss_scale_steps : LOSS_SCALE_STEPS);
    weft_tensor scale = optim_loss_scale(c->g, c->s, &c->d), one = weft_scalar(c->g, 1);
    weft_tensor good = weft_number(c->g, c->s, "optim.loss_scale_steps", 0);
    weft_tensor zero = weft_scalar(c->g, 0), next = weft_offset(good, 1);
    weft_tensor squares = weft_squares((weft_tensors){p.grad, p.n});
    /* false for nan too */
    weft_tensor finite = weft_le(weft_sum(squares, WEFT_ALL, false), weft_scalar(c->g, FLT_MAX));
    weft_tensor grows = weft_ge(next, weft_scalar(c->g, wanted));
    weft_tensor more = weft_minimum(weft_scale(scale, 2), weft_scalar(c->g, loss_scale_most));
    weft_tensor less = weft_maximum(weft_scale(scale, 0.5f), one);
    c->out[c->n++] = (weft_update){scale, weft_where(finite, weft_where(grows, more, scale), less)};
    c->out[c->n++] = (weft_update){good, weft_where(weft_and(finite, weft_not(grows)), next, zero)};
    return finite;
}

weft_params optim_unscaled(const optim_call *c, weft_params p, weft_tensor inverse) {
    const weft_params none = {0};
    weft_tensor *grads = weft_graph_memory(c->g, p.n * sizeof *grads);
    if (!grads) return none;
    for (size_t i = 0; i < p.n; i++) grads[i] = weft_mul(p.grad[i], inverse);
    p.grad = grads;
    return p;
}
