/* language.h - a language model on the disk: its configuration, vocabulary, weights and adapters,
 * from the folder of a run or a published one.
 *
 * A run has config.json (with the published configuration as "model"), tokenizer.json and its
 * checkpoint; a published folder has config.json, a vocabulary and model.safetensors. With adapters
 * the weights are those of another folder, and the run's own state has the adapters alone. */
#ifndef WEFT_LANGUAGE_H
#define WEFT_LANGUAGE_H

#include "cli/run.h"

#include <weft/lm.h>

enum { LANGUAGE_PATH = 1024, LANGUAGE_TARGETS = 512 };

typedef struct language {
    weft_ctx *c;
    weft_lm_config m;
    weft_vocab *vocab;
    weft_state *base;          /* weights below adapters; NULL: there are none          */
    weft_nn_lora lora;         /* rank 0: there are none                                */
    char targets[LANGUAGE_TARGETS];
    char folder[LANGUAGE_PATH]; /* a published one that the weights began with; "": none */
    weft_dtype weights;        /* F32, or what they are stored in, to be read only      */
} language;

void language_free(language *l);

/* Where the network's weights are, and how it is recorded. */
weft_state *language_state(const language *l, const run *r);
weft_lm_desc language_desc(const language *l);

/* A published folder or a named size; the vocabulary of a folder where `vocab` is NULL. */
weft_err language_new(language *l, weft_ctx *c, const char *model, const char *vocab);

/* The weights of its folder, into base or the state of the run. */
weft_err language_load(language *l, run *r, weft_lm_loaded *loaded);

/* What the config.json of a run says of it. */
void language_write(const void *language_pointer, json *j); /* a run_more */

/* That of a run: all but the values. */
weft_err language_read(language *l, run *r);

/* Everything of a run or a published folder, ready to generate; weights: how they are stored. */
weft_err language_open(language *l, run *r, const char *path, weft_dtype weights,
                       weft_lm_loaded *loaded);

/* Adapters out of PEFT's files, beside weights that are there. */
weft_err language_adapt(language *l, run *r, const char *folder);

#endif
