/* snapshot.h - a copy of a state's values in memory, to restore them later. */
#ifndef WEFT_BASE_SNAPSHOT_H
#define WEFT_BASE_SNAPSHOT_H

#include "weft/weft.h"

typedef struct snapshot {
    weft_ctx *c; /* whose memory it is: must outlive it */
    const char *except; /* entries whose names begin so are left out; NULL: none are */
    char *values;
    size_t bytes, entries;
} snapshot;

/* A second time: into the same memory. `except` is borrowed. */
weft_err snapshot_take(snapshot *t, weft_state *s, const char *except);
weft_err snapshot_restore(const snapshot *t, weft_state *s); /* entries made since stay */
void snapshot_free(snapshot *t); /* all zero is fine */

#endif
