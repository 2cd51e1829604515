/* test_optim.c - ten steps of every optimiser from given gradients: against PyTorch to 1e-6, and
 * against plain loops in double for those PyTorch lacks. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "optim_rig.h"

#include <string.h>

enum { STEPS = 10 };

/* ---- against PyTorch ---- */

static const weft_group some_groups[] = {
    {"a", .lr_factor = 2, .decay = 0.2f},
    {"b", .no_decay = true},
    {"*", .frozen = true},
};

static const struct {
    const char *name;
    weft_optimiser_desc d;
} torch[] = {
    {"sgd", {KIND(SGD), .lr = 0.1f}},
    {"sgd_decay", {KIND(SGD), .lr = 0.1f, .decay = 0.2f}},
    {"momentum", {KIND(SGD), .lr = 0.1f, .momentum = 0.9f}},
    {"nesterov", {KIND(SGD), .lr = 0.05f, .momentum = 0.8f, .nesterov = true}},
    {"momentum_decay", {KIND(SGD), .lr = 0.05f, .momentum = 0.9f, .decay = 0.05f}},
    {"adam", {KIND(ADAM), .lr = 0.05f}},
    {"adam_other", {KIND(ADAM), .lr = 0.1f, .beta1 = 0.8f, .beta2 = 0.95f, .eps = 1e-3f}},
    {"adam_l2", {KIND(ADAM), .lr = 0.05f, .decay = 0.1f}},
    {"adam_amsgrad",
     {KIND(ADAM), .lr = 0.05f, .beta1 = 0.5f, .beta2 = 0.6f, .decay = 0.1f, .amsgrad = true}},
    {"adamw", {KIND(ADAMW), .lr = 0.05f}},
    {"adamw_decay", {KIND(ADAMW), .lr = 0.05f, .decay = 0.3f}},
    {"adamw_amsgrad", {KIND(ADAMW), .lr = 0.05f, .beta1 = 0.5f, .beta2 = 0.6f, .amsgrad = true}},
    {"rmsprop", {KIND(RMSPROP), .lr = 0.02f}},
    {"rmsprop_decay", {KIND(RMSPROP), .lr = 0.02f, .alpha = 0.9f, .eps = 1e-4f, .decay = 0.1f}},
    {"rmsprop_momentum", {KIND(RMSPROP), .lr = 0.02f, .momentum = 0.7f}},
    {"rmsprop_centered",
     {KIND(RMSPROP), .lr = 0.02f, .alpha = 0.8f, .momentum = 0.5f, .centered = true}},
    {"adagrad", {KIND(ADAGRAD), .lr = 0.1f}},
    {"adagrad_other", {KIND(ADAGRAD), .lr = 0.1f, .decay = 0.1f, .first_sum = 0.5f, .eps = 1e-3f}},
    {"sgd_clip_value", {KIND(SGD), .lr = 0.1f, .clip_value = 0.7f}},
    {"sgd_clip_norm", {KIND(SGD), .lr = 0.1f, .clip_norm = 1.5f}},
    {"momentum_clip_both",
     {KIND(SGD), .lr = 0.1f, .momentum = 0.9f, .clip_value = 1.2f, .clip_norm = 2.5f}},
    {"adamw_clip_norm", {KIND(ADAMW), .lr = 0.05f, .clip_norm = 0.5f}},
    {"adam_clip_both", {KIND(ADAM), .lr = 0.05f, .clip_value = 1, .clip_norm = 3}},
    {"sgd_loose", {KIND(SGD), .lr = 0.1f, .clip_norm = 1000}},
    {"groups", {KIND(ADAMW), .lr = 0.05f, .decay = 0.1f, .groups = some_groups, .group_count = 3}},
};

static void three_parameters(rig *r) {
    rig_add(r, "a", weft_dims(3, 4));
    rig_add(r, "b", weft_dims(5));
    rig_add(r, "c", WEFT_0D);
}

TEST(ten_steps_as_pytorch_makes_them) {
    for (size_t i = 0; i < sizeof torch / sizeof *torch; i++)
        for (int way = 0; way < 4; way++) {
            static const char *const ways[] = {"cpu", "ref", "cpu, expanded", "cpu, unfused"};
            CASE("%s on %s", torch[i].name, ways[way]);
            rig r;
            rig_open(&r, way == 1 ? "ref" : "cpu", 1);
            three_parameters(&r);
            float got[STEPS * 18];
            const weft_plan_desc d = {.portable = way == 2, .unfused = way == 3};
            if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &torch[i].d), d)) {
                for (int k = 0; k < STEPS; k++) {
                    rig_run(&r, k, 1);
                    rig_values(&r, got + 18 * k);
                }
                golden want = golden_read("torch_optim", torch[i].name);
                if (CHECK(want.v) && CHECK_EQ(want.n, sizeof got / sizeof *got))
                    CHECK_ARRAY(got, want.v, want.n, 1e-6);
                free(want.v);
                CHECK_EQ(rig_number(&r, "optim.step"), STEPS);
                CHECK_EQ(rig_number(&r, "optim.lr"), torch[i].d.lr);
            }
            rig_close(&r);
        }
}

/* ---- against loops in double ---- */

enum { MATRIX = RIG_COUNT };
typedef struct reference {
    double p[MATRIX], m[MATRIX], v[MATRIX], g[MATRIX];
    int64_t rows, columns; /* 0 columns: no matrix */
    int64_t n;
} reference;

static void lion(reference *x, int t, double lr, double decay) {
    (void)t;
    for (int64_t i = 0; i < x->n; i++) {
        const double c = 0.9 * x->m[i] + 0.1 * x->g[i];
        x->p[i] -= lr * ((c > 0) - (c < 0) + decay * x->p[i]);
        x->m[i] = 0.99 * x->m[i] + 0.01 * x->g[i];
    }
}

static void adamw(reference *x, int t, double lr, double decay, double b2, double eps) {
    for (int64_t i = 0; i < x->n; i++) {
        x->m[i] = 0.9 * x->m[i] + 0.1 * x->g[i];
        x->v[i] = b2 * x->v[i] + (1 - b2) * x->g[i] * x->g[i];
        const double root = sqrt(x->v[i] / (1 - pow(b2, t))) + eps;
        x->p[i] -= lr * (decay * x->p[i] + x->m[i] / (1 - pow(0.9, t)) / root);
    }
}

static void lamb(reference *x, int t, double lr, double decay) {
    double along[MATRIX], p2 = 0, a2 = 0;
    for (int64_t i = 0; i < x->n; i++) {
        x->m[i] = 0.9 * x->m[i] + 0.1 * x->g[i];
        x->v[i] = 0.999 * x->v[i] + 0.001 * x->g[i] * x->g[i];
        along[i] = x->m[i] / (1 - pow(0.9, t)) / (sqrt(x->v[i] / (1 - pow(0.999, t))) + 1e-6) +
                   decay * x->p[i];
        p2 += x->p[i] * x->p[i], a2 += along[i] * along[i];
    }
    const double ratio = p2 > 0 && a2 > 0 ? sqrt(p2 / a2) : 1;
    for (int64_t i = 0; i < x->n; i++) x->p[i] -= lr * ratio * along[i];
}

/* y (n, k) = a (n, m) b (m, k) */
static void product(double *y, const double *a, const double *b, int64_t n, int64_t m, int64_t k) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) {
            y[i * k + j] = 0;
            for (int64_t l = 0; l < m; l++) y[i * k + j] += a[i * m + l] * b[l * k + j];
        }
}

/* Newton-Schulz with x (r, c), r <= c */
static void orthogonalised(double *x, int64_t r, int64_t c) {
    double t[MATRIX], s[MATRIX], s2[MATRIX], moved[MATRIX], norm = 0;
    for (int64_t i = 0; i < r * c; i++) norm += x[i] * x[i];
    for (int64_t i = 0; i < r * c; i++) x[i] /= sqrt(norm) + 1e-7;
    for (int k = 0; k < 5; k++) {
        for (int64_t i = 0; i < r * c; i++) t[i % c * r + i / c] = x[i];
        product(s, x, t, r, c, r);
        product(s2, s, s, r, r, r);
        for (int64_t i = 0; i < r * r; i++) s[i] = -4.7750 * s[i] + 2.0315 * s2[i];
        product(moved, s, x, r, r, c);
        for (int64_t i = 0; i < r * c; i++) x[i] = 3.4445 * x[i] + moved[i];
    }
}

static void muon(reference *x, int t, double lr, double decay) {
    if (!x->columns) {
        adamw(x, t, 0.015 * lr, decay, 0.95, 1e-10);
        return;
    }
    const bool tall = x->rows > x->columns;
    const int64_t r = tall ? x->columns : x->rows, c = tall ? x->rows : x->columns;
    double along[MATRIX];
    for (int64_t i = 0; i < x->n; i++) {
        x->m[i] = 0.95 * x->m[i] + x->g[i];
        const int64_t at = tall ? i % x->columns * x->rows + i / x->columns : i;
        along[at] = x->g[i] + 0.95 * x->m[i];
    }
    orthogonalised(along, r, c);
    const double by = sqrt(fmax(1, (double)x->rows / (double)x->columns));
    for (int64_t i = 0; i < x->n; i++) {
        const int64_t at = tall ? i % x->columns * x->rows + i / x->columns : i;
        x->p[i] -= lr * (decay * x->p[i] + by * along[at]);
    }
}

typedef void rule(reference *x, int t, double lr, double decay);

static void compared(const char *name, weft_optimiser_desc d, rule *step, double decay, int way) {
    static const char *const ways[] = {"cpu", "ref", "cpu, three threads"};
    CASE("%s, decay %g, on %s", name, decay, ways[way]);
    d.decay = (float)decay, d.no_decay = decay == 0;
    rig r;
    rig_open(&r, way == 1 ? "ref" : "cpu", way == 2 ? 3 : 1);
    rig_add(&r, "wide", weft_dims(3, 7));
    rig_add(&r, "bias", weft_dims(5));
    rig_add(&r, "tall", weft_dims(8, 3));
    rig_add(&r, "conv", weft_dims(4, 2, 3));
    rig_add(&r, "embedding.weight", weft_dims(6, 4));
    rig_add(&r, "zero", weft_dims(2, 2));
    reference x[6] = {{.rows = 3, .columns = 7}, {.rows = 5}, {.rows = 8, .columns = 3},
                      {.rows = 4, .columns = 6}, {.rows = 6}, {.rows = 2, .columns = 2}};
    if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &d),
                    (weft_plan_desc){.threads = way == 2 ? 3 : 1})) {
        const float nothing[4] = {0};
        weft_state_set(r.s, "zero", nothing, sizeof nothing); /* a norm of 0 */
        float v[RIG_COUNT], got[6 * RIG_COUNT], want[6 * RIG_COUNT];
        for (int i = 0; i < r.n; i++) {
            x[i].n = r.count[i];
            rig_numbers(i + 1, v, x[i].n);
            for (int64_t e = 0; e < x[i].n; e++) x[i].p[e] = i == 5 ? 0 : v[e];
        }
        for (int k = 0; k < STEPS; k++) {
            rig_run(&r, k, 1);
            int64_t at = 0;
            for (int i = 0; i < r.n; i++) {
                rig_numbers(10 + 3 * k + i, v, x[i].n);
                for (int64_t e = 0; e < x[i].n; e++) x[i].g[e] = v[e];
                step(&x[i], k + 1, (double)d.lr, decay);
                for (int64_t e = 0; e < x[i].n; e++) want[at++] = (float)x[i].p[e];
            }
            CHECK_EQ(rig_values(&r, got), at);
            CHECK_ARRAY(got, want, (size_t)at, 1e-6);
        }
    }
    rig_close(&r);
}

TEST(ten_steps_of_the_others) {
    for (int way = 0; way < 3; way++)
        for (int decay = 0; decay < 2; decay++) {
            const double by = decay ? 0.125 : 0;
            compared("lion", (weft_optimiser_desc){WEFT_OPTIMISER_LION, .lr = 0.02f}, lion, by,
                     way);
            compared("lamb", (weft_optimiser_desc){WEFT_OPTIMISER_LAMB, .lr = 0.02f}, lamb, by,
                     way);
            compared("muon", (weft_optimiser_desc){WEFT_OPTIMISER_MUON, .lr = 0.02f}, muon, by,
                     way);
        }
}

/* Muon's result has singular values near 1: that is its point. */
TEST(muon_moves_all_directions_alike) {
    rig r;
    rig_open(&r, "cpu", 1);
    rig_add(&r, "w", weft_dims(4, 9));
    if (rig_compile(&r,
                    weft_optimise(r.s, rig_params(&r),
                                  &(weft_optimiser_desc){WEFT_OPTIMISER_MUON, .lr = 1}),
                    (weft_plan_desc){0})) {
        float before[36], after[36], gradient[36];
        for (int i = 0; i < 36; i++) gradient[i] = (float)test_uniform(-1, 1) * (i < 9 ? 10 : 1);
        rig_values(&r, before);
        weft_set(r.p, r.grad[0], gradient, sizeof gradient);
        CHECK_EQ(weft_run(r.p), WEFT_OK);
        rig_values(&r, after);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++) {
                double dot = 0;
                for (int j = 0; j < 9; j++)
                    dot += (double)(after[9 * i + j] - before[9 * i + j]) *
                           (double)(after[9 * k + j] - before[9 * k + j]);
                CHECK(i == k ? dot > 0.4 && dot < 1.5 : fabs(dot) < 0.5);
            }
    }
    rig_close(&r);
}

/* ---- from a loss ---- */

TEST(parameters_of_a_loss) {
    rig r;
    rig_open(&r, "cpu", 1);
    const weft_init ones = {.kind = WEFT_INIT_ONES};
    weft_tensor a = weft_param(r.g, r.s, "a", weft_dims(2, 3), ones);
    weft_tensor unused = weft_param(r.g, r.s, "unused", weft_dims(4), ones);
    weft_tensor target = weft_param(r.g, r.s, "target", weft_dims(3), ones);
    weft_scope_push(r.g, "deep");
    weft_tensor b = weft_param(r.g, r.s, "b", weft_dims(3), ones);
    weft_scope_pop(r.g);
    weft_tensor k = weft_buffer(r.g, r.s, "k", WEFT_F32, weft_dims(3), ones);
    weft_tensor y = weft_mul(weft_mul(a, weft_add(b, weft_stop_gradient(target))), k);
    weft_tensor loss = weft_sum(weft_add(y, weft_scale(b, 0.5f)), WEFT_ALL, false);
    weft_params p = weft_params_of(r.s, loss);
    CHECK(weft_ok(unused));
    if (CHECK_EQ(p.n, 2)) {
        CHECK_STR(p.name[0], "a");
        CHECK_STR(p.name[1], "deep.b");
        CHECK(p.param[0].id == a.id && p.param[1].id == b.id);
        weft_plan *plan = weft_compile(
            r.g, &(weft_plan_desc){.fetch = weft_list(p.grad[0], p.grad[1], weft_grad_norm(p))});
        float da[6], db[3];
        CHECK(plan && weft_run(plan) == WEFT_OK);
        CHECK_EQ(weft_get(plan, p.grad[0], da, sizeof da), WEFT_OK);
        CHECK_EQ(weft_get(plan, p.grad[1], db, sizeof db), WEFT_OK);
        for (int i = 0; i < 6; i++) CHECK_EQ(da[i], 2);
        for (int i = 0; i < 3; i++) CHECK_EQ(db[i], 3);
        weft_plan_free(plan);
    }
    rig_close(&r);
}

/* Names are for groups: without them nothing is amiss. */
TEST(parameters_without_names) {
    for (int kind = 0; kind < WEFT_OPTIMISER_COUNT; kind++) {
        rig r;
        rig_open(&r, "cpu", 1);
        three_parameters(&r);
        weft_params p = rig_params(&r);
        p.name = NULL;
        const weft_optimiser_desc d = {.kind = (weft_optimiser_kind)kind};
        if (rig_compile(&r, weft_optimise(r.s, p, &d), (weft_plan_desc){0})) rig_run(&r, 0, 1);
        rig_close(&r);
    }
}

TEST(names) {
    for (int i = 0; i < WEFT_OPTIMISER_COUNT; i++) {
        weft_optimiser_kind k = WEFT_OPTIMISER_COUNT;
        CHECK(weft_optimiser_named(weft_optimiser_name((weft_optimiser_kind)i), &k));
        CHECK_EQ(k, i);
    }
    weft_optimiser_kind k = WEFT_OPTIMISER_LION;
    CHECK_STR(weft_optimiser_name(WEFT_OPTIMISER_ADAMW), "adamw");
    CHECK(!weft_optimiser_named("adams", &k) && !weft_optimiser_named(NULL, &k));
    CHECK_EQ(k, WEFT_OPTIMISER_LION);
    CHECK(weft_optimiser_named("sgd", NULL));
    CHECK(!weft_optimiser_name(WEFT_OPTIMISER_COUNT));
}
