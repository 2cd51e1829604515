/* optim.h - optimisers, schedules, clipping, accumulation and averages of parameters.
 *
 *     weft_updates u = weft_optimiser(s, loss, &(weft_optimiser_desc){
 *         .kind = WEFT_OPTIMISER_ADAMW, .lr = 3e-4f, .decay = 0.1f, .clip_norm = 1,
 *         .schedule = { WEFT_SCHEDULE_COSINE, .warmup = 200, .total = 5000, .lowest = 0.1f },
 *         .groups = (weft_group[]){ { "*.bias", .no_decay = true } }, .group_count = 1 });
 *
 * An optimiser only appends operations: a list of updates for weft_compile comes out. Whatever
 * changes from run to run is a 0-d entry of the state, so that a checkpoint holds it: the base
 * rate "optim.lr", the steps made "optim.step" (exact to 2^24). Set the rate with weft_state_set;
 * a schedule multiplies it by a formula of the step. Companions of a parameter have PyTorch's
 * names: "optim.exp_avg.fc.weight".
 *
 * Steps that work element by element (all but LAMB and Muon) run as one pass over all parameters.
 * Clipping by value and scaling to a norm are part of it, and so are accumulation and averages, but
 * with momentum and Adam, whose kernels are made by hand: there each is a small pass beside. */
#ifndef WEFT_OPTIM_H
#define WEFT_OPTIM_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- optimisers ---------------------------------------------------------------------------- */

/*  name     text       rate   decay    g: gradient, p: parameter, m: a companion */
#define WEFT_OPTIMISERS(X)                                                                        \
    X(SGD,     "sgd",     1e-2f, 0)     /* m = momentum m + g; p -= lr m. Decay joins g */        \
    X(ADAM,    "adam",    1e-3f, 0)     /* Kingma, Ba 2015; decay joins g */                      \
    X(ADAMW,   "adamw",   1e-3f, 1e-2f) /* Loshchilov, Hutter 2019: p -= lr decay p besides */    \
    X(RMSPROP, "rmsprop", 1e-2f, 0)     /* p -= lr g / (sqrt(average of g^2) + eps) */            \
    X(ADAGRAD, "adagrad", 1e-2f, 0)     /* p -= lr g / (sqrt(sum of g^2) + eps) */                \
    X(LION,    "lion",    1e-4f, 0)     /* Chen 2023: p -= lr (sign(m mixed with g) + decay p) */ \
    X(LAMB,    "lamb",    1e-3f, 1e-2f) /* You 2020: AdamW's step times |p| / |step|, by tensor */ \
    X(MUON,    "muon",    2e-2f, 0)     /* Jordan 2024: momentum made orthogonal; AdamW beside */

typedef enum weft_optimiser_kind {
#define X(name, text, rate, decay) WEFT_OPTIMISER_##name,
    WEFT_OPTIMISERS(X)
#undef X
    WEFT_OPTIMISER_COUNT
} weft_optimiser_kind;
WEFT_API const char *weft_optimiser_name(weft_optimiser_kind k);  /* "adamw"; NULL for no kind */
WEFT_API bool weft_optimiser_named(const char *name, weft_optimiser_kind *k);
    /* the other way round; false and no change for another name */

/* ---- schedules: a factor of the rate, as a function of the steps made ---------------------- */

/*  name         text           t: steps made since the warm-up, T = total - warmup */
#define WEFT_SCHEDULES(X)                                                                         \
    X(CONSTANT,    "constant")    /* 1 */                                                         \
    X(STEP,        "step")        /* gamma^floor(t / every) */                                    \
    X(EXPONENTIAL, "exponential") /* gamma^t, or with every: gamma^(t / every) */                 \
    X(LINEAR,      "linear")      /* from 1 to lowest at T, then lowest */                        \
    X(COSINE,      "cosine")      /* the same by half a cosine; with every: again and again */    \
    X(ONE_CYCLE,   "one-cycle")   /* start, up to 1 by half a cosine, down to lowest at T - 1 */  \
    X(PLATEAU,     "plateau")     /* times gamma when a reported metric no longer gets better */

typedef enum weft_schedule_kind {
#define X(name, text) WEFT_SCHEDULE_##name,
    WEFT_SCHEDULES(X)
#undef X
    WEFT_SCHEDULE_COUNT
} weft_schedule_kind;
WEFT_API const char *weft_schedule_name(weft_schedule_kind k);  /* "cosine"; NULL for no kind */
WEFT_API bool weft_schedule_named(const char *name, weft_schedule_kind *k);
    /* the other way round; false and no change for another name */

typedef struct weft_schedule {
    weft_schedule_kind kind;
    int64_t warmup;    /* steps of a rise to 1 before all else: the i-th has i / warmup */
    int64_t total;     /* steps in all, warm-up included: linear, cosine, one-cycle */
    int64_t every;     /* step, exponential: steps per gamma, 0: 1; cosine: steps to a restart */
    int64_t longer;    /* cosine: each period has so many times the steps of the one before; 0: 1 */
    float   gamma;     /* 0: 0.1; exponential: 0.99 */
    float   lowest;    /* last factor; one-cycle 0: start / 10000; plateau: the least factor */
    float   start;     /* one-cycle: first factor; 0: 1 / 25 */
    float   rise;      /* one-cycle: part of T that goes up; 0: 0.3 */
    int64_t patience;  /* plateau: reports without a better one that are borne; 0: 10 */
    int64_t cooldown;  /* plateau: reports after a cut that do not count as bad */
    float   threshold; /* plateau: better means by this part of the best; 0: 1e-4 */
    bool    greatest;  /* plateau: greater is better */
} weft_schedule;
WEFT_API weft_tensor weft_schedule_at(const weft_schedule *d, weft_tensor step);
    /* the factor for a 0-d count of steps made; of a plateau the warm-up alone */
WEFT_API weft_err weft_plateau_report(weft_state *s, const weft_schedule *d, float metric);
    /* after an evaluation; what it keeps are the entries "optim.plateau.*" */

/* ---- what to do ---------------------------------------------------------------------------- */

/* Parameters whose name fits `match`; the first group that fits counts. */
typedef struct weft_group {
    const char *match;  /* '*' any text, '?' any letter: "*.bias" */
    float lr_factor;    /* of the rate; 0: 1 */
    float decay;        /* instead of the optimiser's; 0: that one */
    bool  no_decay;
    bool  frozen;       /* never changed */
    bool  aux;          /* Muon: AdamW for these */
} weft_group;

typedef struct weft_optimiser_desc {
    weft_optimiser_kind kind;
    float lr;              /* first value of "optim.lr"; 0: the table's */
    float momentum;        /* SGD, RMSprop: 0 has none; Muon 0: 0.95 */
    float beta1, beta2;    /* 0: 0.9 and 0.999; Lion: 0.99; Muon's AdamW: 0.95 */
    float alpha;           /* RMSprop: 0: 0.99 */
    float eps;             /* 0: 1e-8; Adagrad, Muon's AdamW: 1e-10; LAMB: 1e-6 */
    float decay;           /* weight decay; 0: the table's */
    bool  no_decay;        /* none, whatever the table says */
    bool  nesterov;        /* SGD with momentum; Muon always */
    bool  amsgrad;         /* Adam, AdamW: by the greatest average so far */
    bool  centered;        /* RMSprop: by the variance */
    float first_sum;       /* Adagrad: what the sum begins with */
    float aux_lr;          /* Muon's AdamW: rate beside lr; 0: 0.015 lr. Both follow "optim.lr" */
    weft_schedule schedule;
    float clip_value;      /* gradients between -clip_value and clip_value; 0: as they are */
    float clip_norm;       /* then all of them scaled to this norm at most; 0: as they are */
    int   accumulate;      /* runs whose mean gradient makes a step; 0: 1 */
    float ema;             /* averages a = ema a + (1 - ema) p, kept as slots "ema"; 0: none */
    const weft_group *groups; size_t group_count;
} weft_optimiser_desc;

WEFT_API weft_updates weft_optimiser(weft_state *s, weft_tensor loss,
        const weft_optimiser_desc *d);
    /* all parameters loss depends on; NULL: SGD */
WEFT_API weft_updates weft_optimise(weft_state *s, weft_params p, const weft_optimiser_desc *d);
    /* the same from given gradients */
WEFT_API weft_tensor weft_learning_rate(weft_graph *g, weft_state *s,
        const weft_optimiser_desc *d);
    /* the rate of this run's step, 0-d: to be fetched and logged */

/* ---- pieces for optimisers of one's own ---------------------------------------------------- */

WEFT_API weft_tensor weft_grad_norm(weft_params p);  /* of all gradients together, 0-d */
WEFT_API weft_params weft_clip_norm(weft_params p, float most);
    /* gradients times min(1, most / (norm + 1e-6)) */
WEFT_API weft_params weft_clip_value(weft_params p, float most);
    /* gradients between -most and most */
WEFT_API weft_err weft_ema_swap(weft_state *s);
    /* exchanges parameters and their averages, to judge by the averages; again: back */

#ifdef __cplusplus
}
#endif
#endif
