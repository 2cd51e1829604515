/* test_nn_losses.c - every loss against PyTorch, with each reduction; and what they cost. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "nn_golden.h"

#define GOLDEN(title, statement) GOLDEN_RUN("torch_losses", title, 1, false, statement)

/* The three reductions; `r` is one of them inside the statement. */
#define EACH(title, statement)                                                                     \
    do {                                                                                           \
        weft_reduction r = WEFT_REDUCE_MEAN;                                                       \
        GOLDEN(title##_mean, result(statement));                                                   \
        r = WEFT_REDUCE_SUM;                                                                       \
        GOLDEN(title##_sum, result(statement));                                                    \
        r = WEFT_REDUCE_NONE;                                                                      \
        GOLDEN(title##_none, result(statement));                                                   \
    } while (0)

/* ---- what the fixtures are made with ---- */

static weft_tensor weights(void) {
    return weft_const(g, WEFT_F32, weft_dims(5), (float[]){0.5f, 1, 2, 0.25f, 1.5f});
}

enum { ALL, PART, ZERO }; /* all targets; two of them -100; 0 where they were 3 */
static weft_tensor targets(int which) {
    int32_t v[6];
    for (int i = 0; i < 6; i++) v[i] = (i * 7 + 2) % 5;
    if (which == PART) v[1] = v[4] = -100;
    for (int i = 0; i < 6; i++) v[i] = which == ZERO && v[i] == 3 ? 0 : v[i];
    return weft_const(g, WEFT_I32, weft_dims(6), v);
}

static weft_tensor soft(void) {
    return weft_softmax(weft_scale(weft_cast(ints(11, weft_dims(6, 5)), WEFT_F32), 0.25f), -1);
}

static weft_tensor some(void) {
    return weft_const(g, WEFT_F32, weft_dims(4, 3),
                      (float[]){0, 0.5f, 0.5f, 1, 0, 0, 0.25f, 0.25f, 0.5f, 0.1f, 0.2f, 0.7f});
}

static weft_tensor signs(weft_shape d) {
    weft_tensor bits = weft_cast(ints(2, d), WEFT_F32);
    return weft_offset(weft_scale(bits, 2), -1);
}

typedef weft_tensor compare(weft_tensor a, weft_tensor b, weft_reduction r);
static weft_tensor two(compare *f, weft_reduction r) {
    weft_tensor a = INPUT(4, 3), b = INPUT(4, 3);
    return f(a, b, r);
}
static weft_tensor huber(weft_tensor a, weft_tensor b, weft_reduction r) {
    return weft_nn_huber(a, b, 0.7f, r);
}
static weft_tensor smooth(weft_tensor a, weft_tensor b, weft_reduction r) {
    return weft_nn_smooth_l1(a, b, 0.4f, r);
}
static weft_tensor kl_log(weft_tensor a, weft_tensor b, weft_reduction r) {
    return weft_nn_kl(a, b, true, r);
}
static weft_tensor bce_weights(weft_tensor x, weft_reduction r) {
    weft_tensor positive = weft_const(g, WEFT_F32, weft_dims(3), (float[]){2, 0.5f, 3}),
                each = weft_const(g, WEFT_F32, weft_dims(4, 1), (float[]){1, 0.5f, 2, 0.25f});
    return weft_nn_bce_with_logits(
        x, some(), &(weft_nn_bce_desc){.weight = each, .pos_weight = positive, .reduction = r});
}
static weft_tensor cosine(void) {
    weft_tensor a = INPUT(3, 4, 2), b = INPUT(3, 4, 2);
    return weft_nn_cosine_similarity(a, b, 1);
}
static weft_tensor cosine_embedding(weft_reduction r) {
    weft_tensor a = INPUT(5, 4), b = INPUT(5, 4);
    return weft_nn_cosine_embedding(a, b, signs(weft_dims(5)), 0.1f, r);
}

/* ---- cases ---- */

static void of_classes(double tol) {
    EACH(ce,
         weft_nn_cross_entropy(INPUT(6, 5), targets(ALL), &(weft_nn_classes_desc){.reduction = r}));
    EACH(ce_smooth,
         weft_nn_cross_entropy(INPUT(6, 5), targets(ALL),
                               &(weft_nn_classes_desc){.smoothing = 0.1f, .reduction = r}));
    EACH(ce_ignore,
         weft_nn_cross_entropy(
             INPUT(6, 5), targets(PART),
             &(weft_nn_classes_desc){.ignore = true, .ignore_index = -100, .reduction = r}));
    EACH(ce_weight,
         weft_nn_cross_entropy(INPUT(6, 5), targets(ALL),
                               &(weft_nn_classes_desc){.weight = weights(), .reduction = r}));
    EACH(ce_all, weft_nn_cross_entropy(
                     INPUT(6, 5), targets(ZERO),
                     &(weft_nn_classes_desc){
                         .weight = weights(), .smoothing = 0.2f, .ignore = true, .reduction = r}));
    EACH(ce_smooth_ignore, weft_nn_cross_entropy(INPUT(6, 5), targets(PART),
                                                 &(weft_nn_classes_desc){.smoothing = 0.3f,
                                                                         .ignore = true,
                                                                         .ignore_index = -100,
                                                                         .reduction = r}));
    EACH(ce_soft,
         weft_nn_cross_entropy(
             INPUT(6, 5), soft(),
             &(weft_nn_classes_desc){.weight = weights(), .smoothing = 0.1f, .reduction = r}));
    GOLDEN(ce_3d,
           result(weft_nn_cross_entropy(INPUT(2, 3, 5), weft_reshape(targets(ALL), weft_dims(2, 3)),
                                        &(weft_nn_classes_desc){.smoothing = 0.1f})));
    EACH(nll, weft_nn_nll(
                  weft_log_softmax(INPUT(6, 5), 1), targets(PART),
                  &(weft_nn_classes_desc){
                      .weight = weights(), .ignore = true, .ignore_index = -100, .reduction = r}));
    EACH(multi_margin, weft_nn_multi_margin(INPUT(6, 5), targets(ALL), 0, r));
}

static void of_numbers(double tol) {
    EACH(bce, weft_nn_bce_with_logits(
                  INPUT(4, 3),
                  weft_cast(weft_eq(ints(3, weft_dims(4, 3)), weft_integer(g, 1)), WEFT_F32),
                  &(weft_nn_bce_desc){.reduction = r}));
    EACH(bce_weights, bce_weights(INPUT(4, 3), r));
    EACH(mse, two(weft_nn_mse, r));
    EACH(l1, two(weft_nn_l1, r));
    EACH(huber, two(huber, r));
    EACH(smooth_l1, two(smooth, r));
    EACH(kl, weft_nn_kl(weft_log_softmax(INPUT(4, 3), 1), some(), false, r));
    EACH(kl_log, two(kl_log, r));
    GOLDEN(kl_batch,
           result(weft_nn_kl(weft_log_softmax(INPUT(4, 3), 1), some(), false, WEFT_REDUCE_BATCH)));
    GOLDEN(hinge, result(weft_nn_hinge(INPUT(4, 3), signs(weft_dims(4, 3)), 0, WEFT_REDUCE_MEAN)));
    EACH(hinge_embedding, weft_nn_hinge_embedding(INPUT(4, 3), signs(weft_dims(4, 3)), 0.8f, r));
    GOLDEN(cosine, result(cosine()));
    EACH(cosine_embedding, cosine_embedding(r));
}

TEST(losses_of_classes_agree_with_pytorch) {
    gold_on_both(of_classes);
}
TEST(losses_of_numbers_agree_with_pytorch) {
    gold_on_both(of_numbers);
}
