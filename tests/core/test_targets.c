/* test_targets.c - what lies outside: classes that are not there, in every loss over classes, and the
 * rows of a transposed convolution beyond the last stride. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "errors.h"
#include "weft/nn.h"

enum { ROWS = 4, CLASSES = 3 };

typedef weft_tensor loss_fn(weft_tensor x, weft_tensor t);

static weft_tensor plain(weft_tensor x, weft_tensor t) {
    return weft_cross_entropy(x, t);
}
static weft_tensor each(weft_tensor x, weft_tensor t) {
    return weft_nn_cross_entropy(x, t, &(weft_nn_classes_desc){.reduction = WEFT_REDUCE_NONE});
}
static weft_tensor smoothed(weft_tensor x, weft_tensor t) {
    return weft_nn_cross_entropy(
        x, t, &(weft_nn_classes_desc){.smoothing = 0.1f, .reduction = WEFT_REDUCE_NONE});
}
static weft_tensor weighted(weft_tensor x, weft_tensor t) {
    weft_tensor w = weft_const(x.g, WEFT_F32, weft_dims(CLASSES), (float[]){1, 2, 3});
    return weft_nn_cross_entropy(
        x, t, &(weft_nn_classes_desc){.weight = w, .reduction = WEFT_REDUCE_NONE});
}
static weft_tensor ignoring(weft_tensor x, weft_tensor t) {
    return weft_nn_cross_entropy(x, t,
                                 &(weft_nn_classes_desc){.ignore = true,
                                                         .ignore_index = -100,
                                                         .reduction = WEFT_REDUCE_NONE});
}
static weft_tensor likelihood(weft_tensor x, weft_tensor t) {
    return weft_nn_nll(x, t, &(weft_nn_classes_desc){.reduction = WEFT_REDUCE_NONE});
}
static weft_tensor margin(weft_tensor x, weft_tensor t) {
    return weft_nn_multi_margin(x, t, 0, WEFT_REDUCE_NONE);
}

static const struct {
    const char *name;
    loss_fn *record;
    bool whole, ignores;
} losses[] = {{"cross_entropy", plain, true, false}, {"cross_entropy of each", each, false, false},
              {"smoothed", smoothed, false, false},  {"weighted", weighted, false, false},
              {"ignoring", ignoring, false, true},   {"nll", likelihood, false, false},
              {"multi_margin", margin, false, false}};

TEST(a_class_that_is_not_there_has_no_loss) {
    const int32_t outside[] = {CLASSES, -1, -100, INT32_MAX, INT32_MIN};
    for (size_t l = 0; l < 2 * sizeof losses / sizeof *losses; l++) {
        const bool slow = l & 1;
        CASE("%s on %s", losses[l / 2].name, slow ? "ref" : "cpu");
        weft_ctx *ctx = weft_open(slow ? "ref" : "cpu");
        weft_graph *own = weft_graph_new(ctx);
        weft_tensor scores = weft_input(own, WEFT_F32, weft_dims(ROWS, CLASSES)), d,
                    target = weft_input(own, WEFT_I32, weft_dims(ROWS));
        weft_tensor y = losses[l / 2].record(scores, target);
        CHECK_EQ(weft_grad(y, &scores, 1, &d), WEFT_OK);
        weft_plan *p = weft_compile(own, &(weft_plan_desc){.fetch = weft_list(y, d)});
        if (!CHECK(p)) return;
        float v[ROWS * CLASSES], got[ROWS] = {0}, slope[ROWS * CLASSES];
        for (int i = 0; i < ROWS * CLASSES; i++) v[i] = (float)(i * 5 % 7) - 3;
        CHECK_EQ(weft_set(p, scores, v, sizeof v), WEFT_OK);
        for (int o = -1; o < (int)(sizeof outside / sizeof *outside); o++) {
            int32_t t[ROWS] = {0, 2, 1, 0};
            if (o >= 0) t[2] = outside[o];
            CHECK_EQ(weft_set(p, target, t, sizeof t), WEFT_OK);
            CHECK_EQ(weft_run(p), WEFT_OK);
            CHECK_EQ(weft_get(p, y, got, (size_t)weft_count(y) * sizeof *got), WEFT_OK);
            CHECK_EQ(weft_get(p, d, slope, sizeof slope), WEFT_OK);
            const bool ignored = losses[l / 2].ignores && o >= 0 && outside[o] == -100;
            for (int i = 0; i < (losses[l / 2].whole ? 1 : ROWS); i++)
                CHECK_EQ(!isnan(got[i]), o < 0 || ignored || (!losses[l / 2].whole && i != 2));
            for (int i = 0; i < CLASSES; i++) CHECK(isfinite(slope[i])); /* other rows' */
            for (int i = 0; ignored && i < CLASSES; i++) CHECK_EQ(slope[2 * CLASSES + i], 0);
        }
        weft_plan_free(p);
        weft_graph_free(own);
        weft_close(ctx);
    }
}

TEST(targets_are_looked_at_where_they_are_known) {
    const int32_t t[4] = {0, 5, 6, 1};
    BAD(ARGUMENT, "cross_entropy: target 2 is 6, expected a class from 0 to 5",
        weft_cross_entropy(x, weft_const(g, WEFT_I32, weft_dims(4), t)));
    BAD(ARGUMENT, "cross_entropy: target 2 is 6, expected a class from 0 to 5",
        weft_cross_entropy(
            weft_reshape(x, weft_dims(2, 2, 6)),
            weft_reshape(weft_const(g, WEFT_I32, weft_dims(4), t), weft_dims(2, 2))));
    BAD(DTYPE, "cross_entropy: integers were expected as indices, got f32",
        weft_cross_entropy(x, weft_input(g, WEFT_F32, weft_dims(4))));
    BAD(DTYPE, "gather: integers were expected as indices, got f32", weft_gather(x, v, 0));
    BAD(DTYPE, "embedding: integers were expected as indices, got f32", weft_embedding(x, v));
    BAD(DTYPE, "one_hot: integers were expected as indices, got f32", weft_one_hot(v, 4));
}

/* Rows and columns behind what the kernel reaches are 0, or what padding had cut off. */
TEST(output_padding_up_to_stride_or_dilation) {
    for (int how = 0; how < 2 * 3 * 3 * 3; how++) {
        const int64_t stride = 1 + how % 3, dilation = 1 + how / 3 % 3, pad = how / 9 % 3,
                      most = (stride > dilation ? stride : dilation) - 1;
        const bool last = how / 27;
        CASE("stride %d, dilation %d, padding %d%s", (int)stride, (int)dilation, (int)pad,
             last ? ", channels last" : "");
        weft_ctx *ctx = weft_open("cpu");
        weft_graph *own = weft_graph_new(ctx);
        const weft_shape dims = last ? weft_dims(1, 4, 5, 2) : weft_dims(1, 2, 4, 5);
        weft_tensor in = weft_offset(weft_normal(own, dims), 0.1f),
                    k = weft_normal(own, weft_dims(2, 3, 3, 3)), d[2], e[2];
        weft_conv_desc c = {.stride = {stride, stride},
                            .dilation = {dilation, dilation},
                            .padding = {pad, pad},
                            .output_padding = {most, 0},
                            .channels_last = last};
        weft_tensor got = weft_conv_transpose2d(in, k, &c);
        c.padding[0] = c.padding[1] = c.output_padding[0] = 0;
        weft_tensor all = weft_conv_transpose2d(in, k, &c);
        const int h = last ? 1 : 2;
        const int64_t rows = weft_dim(all, h), columns = weft_dim(all, h + 1);
        all = weft_slice(weft_pad(all, h, 0, most, 0), h, pad, rows + most - pad, 1);
        all = weft_slice(all, h + 1, pad, columns - pad, 1);
        if (!CHECK(weft_ok(got) && weft_ok(all))) CHECK_STR(weft_error(ctx), "");
        const weft_tensor by[2] = {in, k};
        CHECK_EQ(weft_grad(weft_square(got), by, 2, d), WEFT_OK);
        CHECK_EQ(weft_grad(weft_square(all), by, 2, e), WEFT_OK);
        weft_tensor off[3] = {weft_sub(got, all), weft_sub(d[0], e[0]), weft_sub(d[1], e[1])};
        for (int i = 0; i < 3; i++) off[i] = weft_max(weft_abs(off[i]), WEFT_ALL, false);
        weft_plan *p = weft_compile(own, &(weft_plan_desc){.fetch = {off, 3}});
        if (CHECK(p) && CHECK_EQ(weft_run(p), WEFT_OK))
            for (int i = 0; i < 3; i++) CHECK_NEAR(weft_item(p, off[i]), 0, 1e-3);
        weft_plan_free(p);
        weft_graph_free(own);
        weft_close(ctx);
    }
}
