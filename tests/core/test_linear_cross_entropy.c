/* test_linear_cross_entropy.c - the loss of a linear layer whose logits never all exist: against loops
 * in double, on every device, mixed, checkpointed, scaled; what it leaves out; and what its plan holds. */
#include "test.h"
#include "weft/weft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 23, IN = 12, CLASSES = 37 };

/* x (ROWS, IN), w (CLASSES, IN) */
typedef struct truth {
    float x[ROWS * IN], w[CLASSES * IN];
    int32_t target[ROWS];
    double loss, dx[ROWS * IN], dw[CLASSES * IN];
} truth;

/* Every third target is left out if `some`. */
static void truth_of(truth *t, bool some, bool all) {
    memset(t, 0, sizeof *t);
    for (int i = 0; i < ROWS * IN; i++) t->x[i] = (float)test_uniform(-2, 2);
    for (int i = 0; i < CLASSES * IN; i++) t->w[i] = (float)test_uniform(-1, 1);
    int count = 0;
    for (int r = 0; r < ROWS; r++) {
        t->target[r] = all || (some && r % 3 == 1) ? -1 - r : (int32_t)(test_random() % CLASSES);
        count += t->target[r] >= 0;
    }
    for (int r = 0; r < ROWS; r++) {
        double logit[CLASSES], most = -INFINITY, total = 0;
        for (int c = 0; c < CLASSES; c++) {
            logit[c] = 0;
            for (int e = 0; e < IN; e++) logit[c] += (double)t->x[r * IN + e] * t->w[c * IN + e];
            most = fmax(most, logit[c]);
        }
        if (t->target[r] < 0) continue;
        for (int c = 0; c < CLASSES; c++) total += exp(logit[c] - most);
        t->loss += log(total) + most - logit[t->target[r]];
        for (int c = 0; c < CLASSES; c++) {
            const double g = (exp(logit[c] - most) / total - (c == t->target[r])) / count;
            for (int e = 0; e < IN; e++) {
                t->dx[r * IN + e] += g * t->w[c * IN + e];
                t->dw[c * IN + e] += g * t->x[r * IN + e];
            }
        }
    }
    t->loss /= count;
}

typedef struct way {
    const char *device;
    int threads;
    int64_t rows;
    float scale;
    weft_dtype mixed;
    bool checkpoint;
} way;

static const way ways[] = {
    {"cpu", 1, 0, 1, WEFT_F32, false},    {"cpu", 1, 1, 1, WEFT_F32, false},
    {"cpu", 3, 5, 1, WEFT_F32, false},    {"cpu", 1, 8, 0.25f, WEFT_F32, false},
    {"cpu", 1, 23, 1, WEFT_F32, true},    {"cpu", 2, 7, 3, WEFT_F32, true},
    {"cpu", 1, 100, -1, WEFT_F32, false}, {"ref", 1, 5, 1, WEFT_F32, false},
    {"ref", 1, 0, 2, WEFT_F32, true},     {"far", 1, 6, 1, WEFT_F32, false},
    {"cpu", 1, 6, 1, WEFT_BF16, false},   {"cpu", 2, 6, 1, WEFT_F16, true},
    {"ref", 1, 6, 1, WEFT_BF16, false},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void meets(const truth *t, const way *how) {
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = how->device, .threads = how->threads});
    weft_graph *g = weft_graph_new(c);
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(1, ROWS, IN)),
                      w = weft_input(g, WEFT_F32, weft_dims(CLASSES, IN)),
                      target = weft_input(g, WEFT_I32, weft_dims(1, ROWS)), wrt[2] = {x, w};
    weft_tensor d[2];
    if (how->checkpoint) weft_checkpoint_begin(g);
    const weft_tensor loss = weft_linear_cross_entropy(
        x, w, target, &(weft_linear_cross_entropy_desc){.rows = how->rows});
    if (how->checkpoint) weft_checkpoint_end(g);
    CHECK_EQ(weft_grad(how->scale == 1 ? loss : weft_scale(loss, how->scale), wrt, 2, d), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(loss, d[0], d[1]),
                                                     .threads = how->threads,
                                                     .mixed = how->mixed});
    if (CHECK(p)) {
        static float dx[ROWS * IN], dw[CLASSES * IN];
        CHECK_EQ(weft_set(p, x, t->x, sizeof t->x), WEFT_OK);
        CHECK_EQ(weft_set(p, w, t->w, sizeof t->w), WEFT_OK);
        CHECK_EQ(weft_set(p, target, t->target, sizeof t->target), WEFT_OK);
        for (int run = 0; run < 2; run++) CHECK_EQ(weft_run(p), WEFT_OK);
        weft_get(p, d[0], dx, sizeof dx);
        weft_get(p, d[1], dw, sizeof dw);
        const double loose = how->mixed == WEFT_BF16 ? 2e-2 : how->mixed ? 3e-3 : 2e-6;
        if (isnan(t->loss)) CHECK(isnan(weft_item(p, loss)));
        else CHECK_NEAR(weft_item(p, loss), t->loss, loose * fmax(1, t->loss));
        double off[2] = {0, 0};
        for (int i = 0; i < ROWS * IN; i++)
            off[0] = fmax(off[0], fabs(dx[i] - how->scale * t->dx[i]));
        for (int i = 0; i < CLASSES * IN; i++)
            off[1] = fmax(off[1], fabs(dw[i] - how->scale * t->dw[i]));
        CHECK_NEAR(off[0], 0, loose * fabsf(how->scale));
        CHECK_NEAR(off[1], 0, loose * fabsf(how->scale));
    } else {
        CHECK_STR(weft_error(c), "");
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
}

TEST(loss_and_gradients_meet_loops_in_double) {
    static truth t;
    for (int k = 0; k < 2 * WAYS; k++) {
        const way *how = &ways[k / 2];
        CASE("%s, %d threads, %d rows, times %g, mixed %d%s%s", how->device, how->threads,
             (int)how->rows, (double)how->scale, how->mixed, how->checkpoint ? ", checkpoint" : "",
             k & 1 ? ", some left out" : "");
        truth_of(&t, k & 1, false);
        meets(&t, how);
    }
}

/* As in PyTorch: a mean of nothing, with gradients of 0. */
TEST(without_targets_the_loss_is_nan) {
    static truth t;
    for (int k = 0; k < WAYS; k++) {
        CASE("%s, %d rows", ways[k].device, (int)ways[k].rows);
        truth_of(&t, false, true);
        meets(&t, &ways[k]);
    }
}

TEST(a_class_that_is_not_there_has_no_loss) {
    static truth t;
    for (int k = 0; k < 4; k++) {
        CASE("%s, %d rows", k & 1 ? "ref" : "cpu", k & 2 ? 4 : 0);
        weft_ctx *c = weft_open(k & 1 ? "ref" : "cpu");
        weft_graph *g = weft_graph_new(c);
        truth_of(&t, true, false);
        t.target[9] = k & 2 ? CLASSES : INT32_MAX;
        const weft_tensor x = weft_const(g, WEFT_F32, weft_dims(ROWS, IN), t.x),
                          w = weft_const(g, WEFT_F32, weft_dims(CLASSES, IN), t.w),
                          target = weft_input(g, WEFT_I32, weft_dims(ROWS));
        const weft_tensor y = weft_linear_cross_entropy(
            x, w, target, &(weft_linear_cross_entropy_desc){.rows = k & 2 ? 4 : 0});
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
        CHECK_EQ(weft_set(p, target, t.target, sizeof t.target), WEFT_OK);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK(isnan(weft_item(p, y)));
        weft_plan_free(p);
        weft_graph_free(g);
        weft_close(c);
    }
}

/* ---- plans, of which none runs ---- */

typedef struct held {
    uint32_t kernels, products;
    double megabytes;
} held;

enum { TRAINED, FROZEN, ASKED, TIED };

/* A head as large as GPT-2's. The gradient of w goes into a step of plain descent. */
static held held_by(int64_t rows, int what, float scale, weft_dtype mixed) {
    enum { WIDTH = 768, WORDS = 50257 };
    weft_ctx *c = weft_open("null");
    weft_graph *g = weft_graph_new(c);
    weft_state *s = weft_state_new(c);
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(rows, WIDTH)),
                      ids = weft_input(g, WEFT_I32, weft_dims(rows)),
                      w = weft_param(g, s, "w", weft_dims(WORDS, WIDTH), (weft_init){0});
    const weft_tensor hidden = what == TIED ? weft_add(x, weft_embedding(w, ids)) : x;
    const weft_tensor loss =
        weft_linear_cross_entropy(hidden, w, weft_input(g, WEFT_I32, weft_dims(rows)), NULL);
    const weft_tensor wrt[2] = {x, w};
    weft_tensor d[2];
    CHECK_EQ(weft_grad(scale == 1 ? loss : weft_scale(loss, scale), wrt, what == FROZEN ? 1 : 2, d),
             WEFT_OK);
    weft_plan_desc want = {.fetch = {.at = (weft_tensor[]){loss, d[0]}, .n = what == ASKED ? 1 : 2},
                           .mixed = mixed};
    if (what == TRAINED || what == TIED)
        want.update = weft_assign(w, weft_sub(w, weft_scale(d[1], 0.1f)));
    weft_plan *p = weft_compile(g, &want);
    const weft_stats stats = weft_plan_stats(p);
    weft_plan_free(p);
    weft_state_free(s);
    weft_graph_free(g);
    weft_close(c);
    return (held){stats.kernels, stats.products, (double)stats.arena_bytes / 1e6};
}

TEST(a_plan_holds_one_piece_of_logits) {
    const double dw = 768 * 50257 * 4e-6, piece = 256 * 50257 * 4e-6, small = 512 * 768 * 4e-6;
    const held all = held_by(512, TRAINED, 1, WEFT_F32),
               scaled = held_by(512, TRAINED, 0.5f, WEFT_F32),
               tied = held_by(512, TIED, 1, WEFT_F32), half = held_by(512, TIED, 0.5f, WEFT_F32),
               mixed = held_by(512, TRAINED, 1, WEFT_BF16),
               wide = held_by(2048, TRAINED, 1, WEFT_F32);
    CHECK_NEAR(all.megabytes, dw + piece + 2 * small, 1);
    CHECK_NEAR(scaled.megabytes, dw + piece + 2 * small, 2);
    CHECK_NEAR(tied.megabytes, dw + piece + 4 * small, 3);
    CHECK_NEAR(half.megabytes, dw + piece + 4 * small, 3);
    CHECK_NEAR(mixed.megabytes, dw + 1.5 * piece + 2 * small, 2);
    CHECK_NEAR(wide.megabytes, dw + 293 * 50257 * 4e-6 + 8 * small, 1); /* seven pieces */
    CHECK_EQ(all.products, 6);
    CHECK_EQ(all.kernels, 10); /* counts, softmax twice, mean; w changes in its product */
    const held frozen = held_by(512, FROZEN, 1, WEFT_F32), asked = held_by(512, ASKED, 1, WEFT_F32);
    CHECK_EQ(frozen.products, 4);
    CHECK_NEAR(frozen.megabytes, piece + 2 * small, 1);
    CHECK_EQ(asked.products, 2);
    CHECK_NEAR(asked.megabytes, piece + small, 1);
}
