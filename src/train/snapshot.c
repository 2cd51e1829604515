/* snapshot.c - the values of a state put aside in memory, so that a loop can go back to them. */
#include "train_parts.h"

#include <math.h>
#include <string.h>

static size_t snapshot_size(const weft_state *s) {
    size_t bytes = 0;
    weft_entry e;
    for (size_t i = 0; i < weft_state_count(s); i++)
        if (weft_state_entry(s, i, &e) == WEFT_OK) bytes += e.bytes;
    return bytes;
}

weft_err train_snapshot_take(train_snapshot *t, weft_state *s, int64_t step) {
    weft_ctx *c = weft_state_ctx(s);
    size_t bytes = snapshot_size(s), at = 0;
    if (bytes != t->bytes || !t->values) {
        char *values = weft_resize(c, t->values, bytes ? bytes : 1);
        if (!values)
            return weft_fail(c, WEFT_MEMORY, "weft_train: out of memory for %zu bytes", bytes);
        t->values = values, t->bytes = bytes;
    }
    t->entries = weft_state_count(s);
    t->step = step;
    for (size_t i = 0; i < t->entries; i++) {
        weft_entry e;
        WEFT_TRY(weft_state_entry(s, i, &e));
        WEFT_TRY(weft_state_get(s, e.name, t->values + at, e.bytes));
        at += e.bytes;
    }
    return WEFT_OK;
}

weft_err train_snapshot_restore(const train_snapshot *t, weft_state *s) {
    size_t at = 0;
    for (size_t i = 0; i < t->entries; i++) {
        weft_entry e;
        WEFT_TRY(weft_state_entry(s, i, &e));
        WEFT_TRY(weft_state_set(s, e.name, t->values + at, e.bytes));
        at += e.bytes;
    }
    return WEFT_OK;
}

void train_snapshot_free(train_snapshot *t, weft_ctx *c) {
    weft_resize(c, t->values, 0);
    *t = (train_snapshot){0};
}

bool train_state_finite(weft_state *s) {
    bool finite = true;
    for (size_t i = 0; i < weft_state_count(s) && finite; i++) {
        weft_entry e;
        if (weft_state_entry(s, i, &e) != WEFT_OK || !e.trained || e.dtype != WEFT_F32) continue;
        float *copy = e.host ? NULL : weft_state_copy(s, e.name);
        const float *x = e.host ? weft_state_data(s, e.name) : copy;
        for (size_t k = 0; x && k < e.bytes / sizeof *x && finite; k++) finite = isfinite(x[k]);
        weft_resize(weft_state_ctx(s), copy, 0);
    }
    return finite;
}
