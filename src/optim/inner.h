/* inner.h - what the files of src/optim share: one call of weft_optimise. */
#ifndef WEFT_OPTIM_INNER_H
#define WEFT_OPTIM_INNER_H

#include <weft/optim.h>

/* A parameter and how it is to be treated. */
typedef struct optim_item {
    weft_tensor p, grad;
    weft_tensor lr; /* of this step, 0-d, with the group's factor */
    float decay;
    bool aux; /* Muon leaves it to AdamW */
} optim_item;

typedef struct optim_call {
    weft_graph *g;
    weft_state *s;
    weft_optimiser_desc d; /* defaults filled in */
    weft_tensor t;         /* number of this step, from 1 */
    weft_step_desc how;    /* gradients are taken; due: poison, every run makes a step */
    weft_update *out;
    size_t n; /* room was made before */
} optim_call;

enum { OPTIM_UPDATES = 6 }; /* of a parameter at most: itself, three slots, a sum, an average */
/* of a call at most: the count of steps, of runs towards the next, the loss scale and its steps */
enum { OPTIM_NUMBERS = 4 };

/* the value on runs that make a step, else what is there */
weft_tensor optim_due(const optim_call *c, weft_tensor state, weft_tensor value);
/* one more update, with a value that is due */
void optim_keep(optim_call *c, weft_tensor state, weft_tensor value);
weft_tensor optim_slot(optim_call *c, weft_tensor p, const char *kind);
weft_tensor optim_lerp(weft_tensor a, weft_tensor b, float keep); /* keep a + (1 - keep) b */
weft_tensor optim_bias(const optim_call *c, float beta);          /* 1 - beta^t, 0-d */
weft_tensor optim_taken(const optim_call *c, weft_tensor grad);   /* clipped and scaled */
weft_tensor optim_shrunk(const optim_item *it);                   /* p after decoupled decay */

/* kinds.def */
typedef struct optim_kind {
    float beta2, eps, momentum; /* defaults */
    bool counts, aux;
    weft_tensor (*each)(optim_call *c, const optim_item *it); /* or NULL, and */
    bool (*whole)(optim_call *c, const optim_item *it, size_t n, weft_tensor *next);
} optim_kind;
extern const optim_kind optim_kinds[WEFT_OPTIMISER_COUNT];

/* Steps: new parameters go to `next`, slots are kept on the way. rules.c has those that look at
 * one element at a time, matrix.c those that look at a parameter as a whole. */
void optim_step(optim_call *c, const optim_item *it, size_t n, weft_tensor *next);
weft_tensor optim_adam(optim_call *c, const optim_item *it);
bool optim_lamb(optim_call *c, const optim_item *it, size_t n, weft_tensor *next);
bool optim_muon(optim_call *c, const optim_item *it, size_t n, weft_tensor *next);

/* clip.c: min(1, most / (norm + 1e-6)), 0-d; unscale: gradients count times this, or poison */
weft_tensor optim_clip_factor(weft_params p, float most, weft_tensor unscale);

/* loss_scale.c: the scale of the loss as it is now, 0-d */
weft_tensor optim_loss_scale(weft_graph *g, weft_state *s, const weft_optimiser_desc *d);
/* are all gradients finite? And the updates of the scale */
weft_tensor optim_loss_finite(optim_call *c, weft_params p);
weft_params optim_unscaled(const optim_call *c, weft_params p, weft_tensor inverse);

/* schedule.c */
bool optim_schedule_good(weft_graph *g, const weft_schedule *d); /* false: poisoned */
weft_tensor optim_rate(weft_graph *g, weft_state *s, const weft_optimiser_desc *d);

/* optimiser.c: weft_optimise; bare: steps are counted only where the count is used */
weft_updates optim_updates(weft_state *s, weft_params p, const weft_optimiser_desc *d, bool bare);
/* Is the description one? Fills in what is 0. */
bool optim_filled(weft_graph *g, const weft_optimiser_desc *d, weft_optimiser_desc *out);

#endif
