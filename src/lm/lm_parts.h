/* lm_parts.h - what the files of this folder share. */
#ifndef WEFT_LM_PARTS_H
#define WEFT_LM_PARTS_H

#include "base/error.h"
#include "weft/lm.h"

/* The first part of all names but the output layer's: "transformer", "model". */
const char *lm_scope(const weft_lm_config *m);

static inline int64_t lm_head_size(const weft_lm_config *m) {
    return m->head_size ? m->head_size : m->width / m->heads;
}

/* Is this entry of a state a weight of the network, as a file has it, and not an adapter? */
bool lm_is_weight(const weft_lm_config *m, const char *name);

/* A matrix whose outputs are its columns, as in GPT-2's files. */
bool lm_is_transposed(const weft_lm_config *m, const char *name);

/* Records the network in a graph of its own, so that the state has its entries. */
weft_err lm_record(weft_state *s, const weft_lm_config *m, const weft_lm_desc *d);

/* A generator's context, and how many sequences it makes; NULL and 0 for NULL. */
weft_ctx *lm_generator_ctx(const weft_generator *w, int *sequences);

#endif
