/* optim.h - optimisers, schedules, clipping, accumulation and moving averages of parameters.
 *
 *     weft_updates u = weft_optimiser(s, loss, &(weft_optimiser_desc){
 *         .kind = WEFT_OPTIMISER_ADAMW, .lr = 3e-4f, .decay = 0.1f, .clip_norm = 1,
 *         .schedule = { WEFT_SCHEDULE_COSINE, .warmup = 200, .total = 5000, .lowest = 0.1f },
 *         .groups = (weft_group[]){ { "*.bias", .no_decay = true } }, .group_count = 1 });
 *
 * An optimiser only records operations and returns a list of updates for weft_compile. What changes
 * from run to run is a 0-d entry of the state, so checkpoints include it: the base learning rate
 * "optim.lr", the number of steps "optim.step" (exact to 2^24). Set the rate with weft_state_set;
 * a schedule multiplies it by a function of the step. Slots of a parameter have PyTorch's names:
 * "optim.exp_avg.fc.weight".
 *
 * Elementwise optimisers (all but LAMB and Muon) run as one pass over all parameters, including
 * clipping, accumulation and moving averages; with momentum and Adam, which have kernels of their
 * own, accumulation and averages are separate small passes. */
#ifndef WEFT_OPTIM_H
#define WEFT_OPTIM_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- optimisers ---------------------------------------------------------------------------- */

/*  name     text       rate   decay    g: gradient, p: parameter, m: momentum */
#define WEFT_OPTIMISERS(X)                                                                        \
    X(SGD,     "sgd",     1e-2f, 0)     /* m = momentum m + g; p -= lr m. Decay is added to g */        \
    X(ADAM,    "adam",    1e-3f, 0)     /* Kingma, Ba 2015; decay is added to g */                      \
    X(ADAMW,   "adamw",   1e-3f, 1e-2f) /* Loshchilov, Hutter 2019: decoupled: p -= lr decay p */    \
    X(RMSPROP, "rmsprop", 1e-2f, 0)     /* p -= lr g / (sqrt(average of g^2) + eps) */            \
    X(ADAGRAD, "adagrad", 1e-2f, 0)     /* p -= lr g / (sqrt(sum of g^2) + eps) */                \
    X(LION,    "lion",    1e-4f, 0)     /* Chen 2023: p -= lr (sign(m mixed with g) + decay p) */ \
    X(LAMB,    "lamb",    1e-3f, 1e-2f) /* You 2020: AdamW step times |p| / |step|, per tensor */ \
    X(MUON,    "muon",    2e-2f, 0)     /* Jordan 2024: orthogonalised momentum; AdamW for aux */

typedef enum weft_optimiser_kind {
#define X(name, text, rate, decay) WEFT_OPTIMISER_##name,
    WEFT_OPTIMISERS(X)
#undef X
    WEFT_OPTIMISER_COUNT
} weft_optimiser_kind;
WEFT_API const char *weft_optimiser_name(weft_optimiser_kind k);  /* "adamw"; NULL: not a kind */
WEFT_API bool weft_optimiser_named(const char *name, weft_optimiser_kind *k);
    /* looks up a name; false if unknown, *k unchanged */

/* ---- schedules: a factor of the learning rate, as a function of the step ---------------------- */

/*  name         text           t: steps since the warm-up, T = total - warmup */
#define WEFT_SCHEDULES(X)                                                                         \
    X(CONSTANT,    "constant")    /* 1 */                                                         \
    X(STEP,        "step")        /* gamma^floor(t / every) */                                    \
    X(EXPONENTIAL, "exponential") /* gamma^t, or with every: gamma^(t / every) */                 \
    X(LINEAR,      "linear")      /* from 1 to lowest at T, then lowest */                        \
    X(COSINE,      "cosine")      /* the same along half a cosine; with every: restarts */    \
    X(ONE_CYCLE,   "one-cycle")   /* from start up to 1, down to lowest at T - 1, by cosines */  \
    X(PLATEAU,     "plateau")     /* times gamma when a reported metric stops improving */

typedef enum weft_schedule_kind {
#define X(name, text) WEFT_SCHEDULE_##name,
    WEFT_SCHEDULES(X)
#undef X
    WEFT_SCHEDULE_COUNT
} weft_schedule_kind;
WEFT_API const char *weft_schedule_name(weft_schedule_kind k);  /* "cosine"; NULL: not a kind */
WEFT_API bool weft_schedule_named(const char *name, weft_schedule_kind *k);
    /* looks up a name; false if unknown, *k unchanged */

typedef struct weft_schedule {
    weft_schedule_kind kind;
    int64_t warmup;    /* linear warm-up steps: the factor of the i-th is i / warmup */
    int64_t total;     /* linear, cosine, one-cycle: total steps, warm-up included */
    int64_t every;     /* step, exponential: steps per gamma, 0: 1; cosine: steps to a restart */
    int64_t longer;    /* cosine: factor by which each period is longer than the last; 0: 1 */
    float   gamma;     /* 0: 0.1; exponential: 0.99 */
    float   lowest;    /* final factor; one-cycle 0: start / 10000; plateau: minimum factor */
    float   start;     /* one-cycle: initial factor; 0: 1 / 25 */
    float   rise;      /* one-cycle: fraction of T that rises; 0: 0.3 */
    int64_t patience;  /* plateau: reports without improvement before a cut; 0: 10 */
    int64_t cooldown;  /* plateau: reports after a cut that are not counted */
    float   threshold; /* plateau: minimum relative improvement; 0: 1e-4 */
    bool    greatest;  /* plateau: greater is better */
} weft_schedule;
WEFT_API weft_tensor weft_schedule_at(const weft_schedule *d, weft_tensor step);
    /* the factor after `step` steps, a 0-d tensor; for plateau only the warm-up */
WEFT_API weft_err weft_plateau_report(weft_state *s, const weft_schedule *d, float metric);
    /* call after an evaluation; its state is in the entries "optim.plateau.*" */

/* ---- options ------------------------------------------------------------------------------- */

/* Options for parameters whose name matches; the first group that matches applies. */
typedef struct weft_group {
    const char *match;  /* '*' any text, '?' any character: "*.bias" */
    float lr_factor;    /* multiplies the learning rate; 0: 1 */
    float decay;        /* overrides the optimiser's; 0: does not */
    bool  no_decay;
    bool  frozen;       /* not updated */
    bool  aux;          /* Muon: use AdamW for these */
} weft_group;

typedef struct weft_optimiser_desc {
    weft_optimiser_kind kind;
    float lr;              /* initial value of "optim.lr"; 0: from the table */
    float momentum;        /* SGD, RMSprop: 0: none; Muon 0: 0.95 */
    float beta1, beta2;    /* 0: 0.9 and 0.999; Lion: 0.99; Muon's AdamW: 0.95 */
    float alpha;           /* RMSprop: 0: 0.99 */
    float eps;             /* 0: 1e-8; Adagrad, Muon's AdamW: 1e-10; LAMB: 1e-6 */
    float decay;           /* weight decay; 0: from the table */
    bool  no_decay;        /* no weight decay, even if the table has one */
    bool  nesterov;        /* SGD with momentum; Muon always */
    bool  amsgrad;         /* Adam, AdamW: use the maximum of past second moments */
    bool  centered;        /* RMSprop: normalise by the variance */
    float first_sum;       /* Adagrad: initial accumulator value */
    float aux_lr;          /* Muon's AdamW: its learning rate; 0: 0.015 lr. Both scale with "optim.lr" */
    weft_schedule schedule;
    float clip_value;      /* clip gradients to [-clip_value, clip_value]; 0: do not */
    float clip_norm;       /* then clip their global norm to this; 0: do not */
    int   accumulate;      /* runs whose mean gradient makes one step; 0: 1 */
    float loss_scale;      /* f16: initial value of "optim.loss_scale", by which the loss and so its
                              gradients are multiplied, 65536 say; a step whose gradients are not
                              finite is skipped and halves it. weft_optimise expects scaled
                              gradients then. 0: none */
    int   loss_scale_steps; /* steps without a skip after which it doubles; 0: 2000 */
    float ema;             /* moving averages a = ema a + (1 - ema) p in slots "ema"; 0: none */
    const weft_group *groups; size_t group_count;
} weft_optimiser_desc;

WEFT_API weft_updates weft_optimiser(weft_state *s, weft_tensor loss,
        const weft_optimiser_desc *d);
    /* for all parameters that loss depends on; d NULL: SGD */
WEFT_API weft_updates weft_optimise(weft_state *s, weft_params p, const weft_optimiser_desc *d);
    /* the same with given gradients */
WEFT_API weft_tensor weft_learning_rate(weft_graph *g, weft_state *s,
        const weft_optimiser_desc *d);
    /* the learning rate of this run's step, 0-d, to fetch and log */

/* ---- building blocks of custom optimisers --------------------------------------------------- */

WEFT_API weft_tensor weft_grad_norm(weft_params p);  /* global norm of all gradients, 0-d */
WEFT_API weft_params weft_clip_norm(weft_params p, float max_norm);
    /* gradients times min(1, max_norm / (norm + 1e-6)) */
WEFT_API weft_params weft_clip_value(weft_params p, float limit);
    /* gradients clipped to [-limit, limit] */
WEFT_API weft_err weft_ema_swap(weft_state *s);
    /* swaps parameters and their moving averages, to evaluate with these; call again to swap back */

#ifdef __cplusplus
}
#endif
#endif
