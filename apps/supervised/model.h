/* model.h - a network with what surrounds it: how its input is scaled, what its outputs mean.
 *
 * This is what config.json of a run keeps under "model", so that eval and export need nothing but
 * the folder. */
#ifndef WEFT_MODEL_H
#define WEFT_MODEL_H

#include "cli/json.h"
#include "network.h"

#include <weft/io.h>

typedef struct model {
    network net;
    bool numbers;                        /* it gives a number, not scores of classes */
    float answer_mean, answer_std; /* of that number: the output is scaled back by them */
    size_t moments;
    float *mean, *std; /* of the input: 1 for all, or one per column; owned */
    size_t classes;
    char **names;   /* of the classes; owned */
    size_t inputs;  /* named columns of the input; 0: they have no names */
    char **input;   /* those names; owned */
} model;

void model_write(json *j, const model *m); /* as the member "model" */
/* path: the file's, for messages */
weft_err model_read(weft_ctx *c, weft_json config, const char *path, model *m);
void model_free(model *m);

/* Room for them; false when out of memory. */
bool model_moments(model *m, size_t n);
bool model_names(model *m, size_t n, const char *const *names); /* copied; names NULL: numbers */
bool model_inputs(model *m, size_t n, const char *const *names);

/* What an evaluation graph records: x [n, rows * columns] as it comes from outside, scaled, then
 * the network. */
weft_tensor model_record(weft_state *s, weft_tensor x, const model *m);

#endif
