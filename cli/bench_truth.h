/* bench_truth.h - whether a training step computes what its benchmark says it does, found out
 * without the gradients and the optimiser that are timed.
 *
 * The gradient that a step used follows from what it left in the state. It is compared with
 * differences of the loss, which needs only a forward pass; the new parameters and slots are compared
 * with the formula of the optimiser in double. So a wrong gradient rule, a gradient that went to
 * another parameter, and an update that was left out are noticed alike. */
#ifndef WEFT_CLI_BENCH_TRUTH_H
#define WEFT_CLI_BENCH_TRUTH_H

#include <weft/optim.h>

typedef struct truth {
    weft_state *s; /* its trained entries are checked, but not those below "rng." */
    /* SGD, ADAM or ADAMW, without a schedule, clipping or accumulation: kind, momentum, beta1,
     * beta2, eps, decay and no_decay are read; the rate is "optim.lr" of the state. */
    weft_optimiser_desc optimiser;
    weft_err (*step)(void *user);  /* one step, as it will be timed */
    double (*told)(void *user);    /* the loss it gave; NULL: it gives none */
    double (*loss)(void *user);    /* that loss by a forward pass with the values in s; nan: failed */
    bool fine;                     /* loss has ten digits: it comes from a reference, or from C */
    const char *skip;              /* parameters whose name ends so: only their formula; NULL: none */
    void *user;
} truth;

/* Makes three steps and checks the third; the state goes on from there. False: `why` says what
 * differs, or what failed. */
bool truth_holds(const truth *t, char *why, size_t size);

/* Makes a step, sets the state back and makes one by `other`: both must follow the formula, with the
 * same gradients for each parameter, up to `rest` as a share of its length. Rounding goes in all
 * directions: what differs along the gradient itself is at most a share `along` more than chance
 * leaves there. `loss` is not asked. The state goes on from where `other` left it. */
bool truth_agrees(const truth *t, weft_err (*other)(void *user), double along, double rest,
                  char *why, size_t size);

/* A loss by the reference backend, in double. */
typedef struct reference reference;
typedef struct reference_desc {
    weft_tensor (*record)(void *user, weft_graph *g, weft_state *s); /* the loss, 0-d */
    bool (*feed)(void *user, weft_plan *p);                          /* its inputs, once */
    void *user;
} reference_desc;
reference *reference_new(weft_state *from, const reference_desc *d); /* NULL: weft_error */
double reference_loss(reference *r); /* with the values `from` has now; nan: it failed */
void reference_free(reference *r);   /* NULL is fine */

#endif
