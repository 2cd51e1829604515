/* simple.c - the two optimisers of weft.h, as weft_optimiser makes them. */
#include "inner.h"

weft_updates weft_sgd(weft_state *s, weft_tensor loss, const weft_sgd_desc *d) {
    static const weft_sgd_desc none;
    if (!d) d = &none;
    weft_params p = weft_params_of(s, loss);
    if (!p.n) return (weft_updates){0};
    return optim_updates(s, p,
                         &(weft_optimiser_desc){.kind = WEFT_OPTIMISER_SGD,
                                                .lr = d->lr,
                                                .momentum = d->momentum,
                                                .decay = d->decay,
                                                .nesterov = d->nesterov},
                         true);
}

weft_updates weft_adam(weft_state *s, weft_tensor loss, const weft_adam_desc *d) {
    static const weft_adam_desc none;
    if (!d) d = &none;
    return weft_optimiser(
        s, loss,
        &(weft_optimiser_desc){.kind = d->l2 ? WEFT_OPTIMISER_ADAM : WEFT_OPTIMISER_ADAMW,
                               .lr = d->lr,
                               .beta1 = d->beta1,
                               .beta2 = d->beta2,
                               .eps = d->eps,
                               .decay = d->decay,
                               .no_decay = d->decay == 0});
}
