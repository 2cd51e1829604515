/* learn.h - a language model learns: the plan of a step, its rate, evaluation, samples. */
#ifndef WEFT_LEARN_H
#define WEFT_LEARN_H

#include "cli/pace.h"
#include "judge.h"

typedef struct learn_desc {
    int64_t length, batch;  /* of windows */
    double  rate, decay;    /* peak; weight decay of matrices */
    int     optimiser;      /* a weft_optimiser_kind */
    int64_t warmup, plan;   /* steps; plan 0: as many as fit into the seconds */
    double  clip;
    int     accumulate, threads;
    weft_dtype mixed;
    bool    checkpointing;
    uint32_t seed;
    double  seconds;
    const char *prompt;     /* of the samples */
} learn_desc;

typedef struct learn {
    learn_desc d;
    run *run;
    const language *model;
    const corpus *text;
    weft_data *data;
    weft_loader *batches;
    weft_graph *graph;
    weft_plan *plan;
    weft_tensor x, y, loss;
    judge judge;
    size_t saved;           /* bytes that checkpointing saves; 0: none, or not asked for */
    pace pace;
    weft_generator *writer; /* of samples */
    char sample[1200];
    double loss_held_out;   /* of the last evaluation; nan: none yet */
    int64_t counted;        /* tokens it was over */
} learn;

/* Data, plans, the optimiser's entries in the run's state. */
weft_err learn_begin(learn *t);
void learn_end(learn *t);

weft_err learn_step(void *learn_pointer, int64_t step, weft_metrics *m);
weft_err learn_try(void *learn_pointer, int64_t step, weft_metrics *m);      /* on a part, with a sample */
weft_err learn_evaluate(void *learn_pointer, int64_t step, weft_metrics *m); /* on all that is held out */

#endif
