/* judge.h - the loss of a language model on text that it has not learned from. */
#ifndef WEFT_JUDGE_H
#define WEFT_JUDGE_H

#include "corpus.h"
#include "language.h"

typedef struct judge_desc {
    int64_t length, batch; /* of windows */
    int threads;
    weft_dtype mixed;
} judge_desc;

typedef struct judge {
    judge_desc d;
    run *run;
    weft_data *windows;
    weft_loader *batches;
    weft_graph *graph;
    weft_plan *plan;
    weft_tensor x, y, loss;
    int32_t *targets; /* of a batch */
} judge;

weft_err judge_begin(judge *k, run *r, const language *l, const corpus *text, const judge_desc *d);
void judge_end(judge *k);

/* The mean loss of a token, over at most so many spread evenly over the text, 0: all; and how many
 * it was over. */
weft_err judge_loss(judge *k, int64_t most, double *loss, int64_t *tokens);

#endif
