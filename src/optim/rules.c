/* rules.c - the step of each optimiser that works element by element.
 *
 * Written as the formulas are: the compiler makes one pass over all parameters of them. SGD with
 * momentum and Adam use the engine's own steps, which are faster. */
#include "inner.h"

weft_tensor optim_slot(optim_call *c, weft_tensor p, const char *kind) {
    return weft_slot(c->g, c->s, p, kind, (weft_init){0});
}

weft_tensor optim_lerp(weft_tensor a, weft_tensor b, float keep) {
    return weft_add(weft_scale(a, keep), weft_scale(b, 1 - keep));
}

weft_tensor optim_bias(const optim_call *c, float beta) {
    weft_tensor power = weft_pow(weft_scalar(c->g, beta), c->t);
    return weft_sub(weft_scalar(c->g, 1), power);
}

weft_tensor optim_taken(const optim_call *c, weft_tensor grad) {
    const float most = c->how.clip;
    if (most != 0) grad = weft_clamp(grad, -most, most);
    return c->how.scale.id ? weft_mul(grad, c->how.scale) : grad;
}

weft_tensor optim_shrunk(const optim_item *it) {
    if (it->decay == 0) return it->p;
    return weft_sub(it->p, weft_mul(it->p, weft_scale(it->lr, it->decay)));
}

/* The gradient, with L2 decay in it. */
static weft_tensor rules_decayed(const optim_call *c, const optim_item *it) {
    weft_tensor g = optim_taken(c, it->grad);
    return it->decay != 0 ? weft_add(g, weft_scale(it->p, it->decay)) : g;
}

/* A slot that the engine's own step has dealt with: it knows itself when it is due. */
static void rules_set(optim_call *c, weft_tensor slot, weft_tensor value) {
    c->out[c->n++] = (weft_update){slot, value};
}

static weft_tensor rules_sgd(optim_call *c, const optim_item *it) {
    if (c->d.momentum == 0)
        return optim_due(c, it->p, weft_sub(it->p, weft_mul(rules_decayed(c, it), it->lr)));
    weft_tensor m = optim_slot(c, it->p, "momentum_buffer");
    weft_stepped next = weft_momentum_step(
        it->p, m, it->grad, it->lr,
        &(weft_sgd_desc){.momentum = c->d.momentum, .decay = it->decay, .nesterov = c->d.nesterov},
        &c->how);
    rules_set(c, m, next.m);
    return next.p;
}

weft_tensor optim_adam(optim_call *c, const optim_item *it) {
    const bool l2 = c->d.kind == WEFT_OPTIMISER_ADAM;
    weft_tensor m = optim_slot(c, it->p, "exp_avg"), v = optim_slot(c, it->p, "exp_avg_sq");
    weft_tensor rate = weft_div(it->lr, optim_bias(c, c->d.beta1));
    weft_tensor root = weft_rsqrt(optim_bias(c, c->d.beta2));
    if (!c->d.amsgrad) {
        weft_stepped next = weft_adam_step(it->p, m, v, it->grad, it->lr, rate, root,
                                           &(weft_adam_desc){.beta1 = c->d.beta1,
                                                             .beta2 = c->d.beta2,
                                                             .eps = c->d.eps,
                                                             .decay = it->decay,
                                                             .l2 = l2},
                                           &c->how);
        rules_set(c, m, next.m);
        rules_set(c, v, next.v);
        return next.p;
    }
    weft_tensor g = l2 ? rules_decayed(c, it) : optim_taken(c, it->grad);
    weft_tensor mean = optim_lerp(m, g, c->d.beta1);
    weft_tensor square = optim_lerp(v, weft_square(g), c->d.beta2);
    weft_tensor most = optim_slot(c, it->p, "max_exp_avg_sq"), by = weft_maximum(most, square);
    optim_keep(c, m, mean);
    optim_keep(c, v, square);
    optim_keep(c, most, by);
    weft_tensor below = weft_offset(weft_mul(weft_sqrt(by), root), c->d.eps);
    weft_tensor p = l2 ? it->p : optim_shrunk(it);
    return optim_due(c, it->p, weft_sub(p, weft_div(weft_mul(mean, rate), below)));
}

static weft_tensor rules_rmsprop(optim_call *c, const optim_item *it) {
    weft_tensor g = rules_decayed(c, it), v = optim_slot(c, it->p, "square_avg");
    weft_tensor square = optim_lerp(v, weft_square(g), c->d.alpha), by = square;
    optim_keep(c, v, square);
    if (c->d.centered) {
        weft_tensor m = optim_slot(c, it->p, "grad_avg"), mean = optim_lerp(m, g, c->d.alpha);
        optim_keep(c, m, mean);
        by = weft_relu(weft_sub(square, weft_square(mean))); /* rounding may leave less than 0 */
    }
    weft_tensor along = weft_div(g, weft_offset(weft_sqrt(by), c->d.eps));
    if (c->d.momentum != 0) {
        weft_tensor b = optim_slot(c, it->p, "momentum_buffer");
        along = weft_add(weft_scale(b, c->d.momentum), along);
        optim_keep(c, b, along);
    }
    return optim_due(c, it->p, weft_sub(it->p, weft_mul(along, it->lr)));
}

static weft_tensor rules_adagrad(optim_call *c, const optim_item *it) {
    const weft_init first = {WEFT_INIT_VALUE, c->d.first_sum, 0};
    weft_tensor g = rules_decayed(c, it), v = weft_slot(c->g, c->s, it->p, "sum", first);
    weft_tensor sum = weft_add(v, weft_square(g));
    optim_keep(c, v, sum);
    weft_tensor along = weft_div(g, weft_offset(weft_sqrt(sum), c->d.eps));
    return optim_due(c, it->p, weft_sub(it->p, weft_mul(along, it->lr)));
}

static weft_tensor rules_lion(optim_call *c, const optim_item *it) {
    weft_tensor m = optim_slot(c, it->p, "exp_avg"), g = optim_taken(c, it->grad);
    weft_tensor along = weft_sign(optim_lerp(m, g, c->d.beta1));
    optim_keep(c, m, optim_lerp(m, g, c->d.beta2));
    return optim_due(c, it->p, weft_sub(optim_shrunk(it), weft_mul(along, it->lr)));
}

enum { RULES_PLAIN, RULES_COUNTS };
enum { RULES_ALL, RULES_AUX };
#define EACH(step)  step, NULL
#define WHOLE(step) NULL, step
const optim_kind optim_kinds[WEFT_OPTIMISER_COUNT] = {
#define KIND(name, beta2, eps, momentum, counts, aux, step)                                        \
    [WEFT_OPTIMISER_##name] = {beta2, eps, momentum, RULES_##counts, RULES_##aux, step},
#include "kinds.def"
};
#undef EACH
#undef WHOLE

enum {
    RULES_ROWS = 0
#define KIND(...) +1
#include "kinds.def"
};
_Static_assert(RULES_ROWS == (int)WEFT_OPTIMISER_COUNT, "an optimiser has no row in kinds.def");

void optim_step(optim_call *c, const optim_item *it, size_t n, weft_tensor *next) {
    const optim_kind *kind = &optim_kinds[c->d.kind];
    if (kind->whole) kind->whole(c, it, n, next);
    else
        for (size_t i = 0; i < n; i++) next[i] = kind->each(c, &it[i]);
}
