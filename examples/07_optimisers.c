/* 07_optimisers.c - eight optimisers, a schedule and an average on one small problem.
 *
 * New here: weft_optimiser with a description; groups, clipping and a schedule in it; the rate as
 * something to fetch; weft_ema_swap to evaluate averaged weights.
 *
 * Two spirals wind around each other; a network of three layers tells which one a point is on. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <weft/optim.h>
#include <weft/weft.h>

enum { POINTS = 192, STEPS = 400, HIDDEN = 24 };

static float points[POINTS][2];
static int32_t spiral[POINTS];

static void draw_spirals(void) {
    for (int i = 0; i < POINTS; i++) {
        const float t = (float)(i / 2) / (POINTS / 2), turn = 9 * t + (i % 2 ? 3.14159f : 0);
        points[i][0] = (0.1f + 0.9f * t) * cosf(turn);
        points[i][1] = (0.1f + 0.9f * t) * sinf(turn);
        spiral[i] = i % 2;
    }
}

typedef struct network {
    weft_state *s;
    weft_graph *g;
    weft_tensor x, t, loss, right;
} network;

static bool network_new(network *n, weft_ctx *c) {
    n->s = weft_state_new(c);
    n->g = weft_graph_new(c);
    if (!n->s || !n->g) return false;
    weft_state_seed(n->s, 7);
    n->x = weft_input(n->g, WEFT_F32, weft_dims(POINTS, 2));
    n->t = weft_input(n->g, WEFT_I32, weft_dims(POINTS));
    weft_tensor y = weft_tanh(weft_linear(n->s, weft_scale(n->x, 4), HIDDEN, "first"));
    y = weft_linear(n->s, weft_tanh(weft_linear(n->s, y, HIDDEN, "second")), 2, "last");
    n->loss = weft_cross_entropy(y, n->t);
    weft_tensor same = weft_eq(weft_argmax(y, 1, false), n->t);
    n->right = weft_mean(weft_cast(same, WEFT_F32), WEFT_ALL, false);
    return true;
}

static void network_free(network *n) {
    weft_graph_free(n->g);
    weft_state_free(n->s);
}

static bool feed(weft_plan *p, const network *n) {
    return p && weft_set(p, n->x, points, sizeof points) == WEFT_OK &&
           weft_set(p, n->t, spiral, sizeof spiral) == WEFT_OK;
}

/* Trains a fresh network; the share of points it gets right, or -1. */
static float trained_with(weft_ctx *c, const weft_optimiser_desc *d) {
    network n = {0};
    float right = -1;
    weft_plan *p = NULL, *bare = NULL;
    if (network_new(&n, c)) {
        bare = weft_compile(n.g, &(weft_plan_desc){.fetch = weft_list(n.loss, n.right)});
        p = weft_compile(n.g, &(weft_plan_desc){.fetch = weft_list(n.loss, n.right),
                                                .update = weft_optimiser(n.s, n.loss, d)});
    }
    if (feed(p, &n) && feed(bare, &n)) {
        for (int i = 0; i < STEPS; i++) weft_run(p);
        weft_run(bare);
        right = weft_item(bare, n.right);
        printf("  %-8s rate %-6g loss %.4f, %3.0f %% right, %2u steps in a run\n",
               weft_optimiser_name(d->kind), (double)d->lr, (double)weft_item(bare, n.loss),
               100 * (double)right, weft_plan_stats(p).kernels);
    }
    weft_plan_free(p);
    weft_plan_free(bare);
    network_free(&n);
    return right;
}

/* AdamW as one would really use it, with its rate drawn and its averages asked as well. */
static float scheduled(weft_ctx *c) {
    const weft_group groups[] = {{"*.bias", .no_decay = true}, {"last.*", .lr_factor = 0.5f}};
    const weft_optimiser_desc d = {
        .kind = WEFT_OPTIMISER_ADAMW,
        .lr = 0.02f,
        .decay = 0.01f,
        .clip_norm = 1,
        .ema = 0.95f,
        .schedule = {WEFT_SCHEDULE_COSINE, .warmup = 40, .total = STEPS, .lowest = 0.02f},
        .groups = groups,
        .group_count = 2,
    };
    network n = {0};
    float right = -1;
    weft_plan *p = NULL, *bare = NULL;
    weft_tensor rate = {0};
    if (network_new(&n, c)) {
        rate = weft_learning_rate(n.g, n.s, &d);
        bare = weft_compile(n.g, &(weft_plan_desc){.fetch = weft_list(n.loss, n.right)});
        p = weft_compile(n.g, &(weft_plan_desc){.fetch = weft_list(rate),
                                                .update = weft_optimiser(n.s, n.loss, &d)});
    }
    if (feed(p, &n) && feed(bare, &n)) {
        for (int i = 0; i < STEPS; i++) {
            weft_run(p);
            if (i % (STEPS / 10) != STEPS / 20) continue;
            const int width = (int)(1500 * weft_item(p, rate) + 0.5f);
            printf("  step %3d  rate %.4f  %.*s\n", i, (double)weft_item(p, rate), width,
                   "##############################");
        }
        weft_run(bare);
        printf("  loss %.4f as it stands; ", (double)weft_item(bare, n.loss));
        weft_ema_swap(n.s); /* the plan now reads the averages; a second call would swap back */
        weft_run(bare);
        right = weft_item(bare, n.right);
        printf("%.4f with averaged weights, %.0f %% right\n", (double)weft_item(bare, n.loss),
               100 * (double)right);
    }
    weft_plan_free(p);
    weft_plan_free(bare);
    network_free(&n);
    return right;
}

int main(void) {
    static const float rates[WEFT_OPTIMISER_COUNT] = {1,    0.01f,  0.01f, 0.005f,
                                                      0.1f, 0.005f, 0.02f, 0.05f};
    weft_ctx *c = weft_open("auto");
    if (!c) return fprintf(stderr, "%s\n", weft_error(NULL)), 1;
    draw_spirals();
    float worst = 1;
    printf("%d steps each:\n", STEPS);
    for (int k = 0; k < WEFT_OPTIMISER_COUNT; k++)
        worst = fminf(worst, trained_with(c, &(weft_optimiser_desc){
                                                 .kind = (weft_optimiser_kind)k,
                                                 .lr = rates[k],
                                                 .momentum = k == WEFT_OPTIMISER_SGD ? 0.9f : 0}));
    printf("AdamW with warm-up and a cosine, bias without decay, a slower last layer, averages:\n");
    const float right = scheduled(c);
    if (worst < 0 || right < 0) fprintf(stderr, "%s\n", weft_error(c));
    weft_close(c);
    return right > 0.99f && worst > 0.6f ? 0 : 1;
}
