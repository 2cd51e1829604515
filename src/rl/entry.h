/* entry.h - persistent memory: entries of a state, used as plain arrays.
 *
 * Agents and replay buffers keep their state there, so checkpoints include it. Names are
 * "rng.NAME.what": entries with that prefix are left out of saved models. */
#ifndef WEFT_RL_ENTRY_H
#define WEFT_RL_ENTRY_H

#include "weft/rl.h"

typedef struct rl_entry {
    const char *what;
    weft_dtype dtype;
    int64_t rows, columns; /* columns 1: a vector; rows 0: not made */
    void **at;             /* where to write the address */
} rl_entry;

/* Gets or makes them all, zeros at first. *begun is one more of them: 0 until the caller, having
 * written what it starts with, sets it to 1. */
weft_err rl_entries(weft_state *s, const char *name, const rl_entry *list, int n, int32_t **begun);

/* Declares an entry host-resident that was asked for just now through g, when the state had `before`;
 * gives g's error too. */
weft_err rl_entry_host(weft_graph *g, weft_state *s, const char *full, size_t before);

/* Zeroed memory of the context, or NULL with a message. */
void *rl_memory(weft_ctx *c, size_t bytes, const char *what);

#endif
