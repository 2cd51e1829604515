/* snapshot.c - a copy of a state's values in memory, entry after entry in their order: a state
 * never loses one. */
#include "base/snapshot.h"

#include <string.h>

/* The i-th entry; false: it is not part of the snapshot. */
static bool snapshot_entry(const snapshot *t, weft_state *s, size_t i, weft_entry *e,
                           weft_err *err) {
    if (*err == WEFT_OK) *err = weft_state_entry(s, i, e);
    return *err == WEFT_OK && !(t->except && strncmp(e->name, t->except, strlen(t->except)) == 0);
}

weft_err snapshot_take(snapshot *t, weft_state *s, const char *except) {
    weft_ctx *const c = t->c = weft_state_ctx(s);
    weft_err err = WEFT_OK;
    weft_entry e;
    size_t bytes = 0, at = 0;
    t->except = except;
    t->entries = weft_state_count(s);
    for (size_t i = 0; i < t->entries; i++)
        if (snapshot_entry(t, s, i, &e, &err)) bytes += e.bytes;
    if (bytes != t->bytes || !t->values) {
        char *values = weft_resize(c, t->values, bytes ? bytes : 1);
        if (!values) {
            t->entries = 0;
            return weft_fail(c, WEFT_MEMORY, "out of memory for a copy of %zu bytes", bytes);
        }
        t->values = values, t->bytes = bytes;
    }
    for (size_t i = 0; i < t->entries; i++) {
        if (!snapshot_entry(t, s, i, &e, &err)) continue;
        err = weft_state_get(s, e.name, t->values + at, e.bytes);
        at += e.bytes;
    }
    return err;
}

weft_err snapshot_restore(const snapshot *t, weft_state *s) {
    weft_err err = WEFT_OK;
    weft_entry e;
    size_t at = 0;
    for (size_t i = 0; i < t->entries; i++) {
        if (!snapshot_entry(t, s, i, &e, &err)) continue;
        err = weft_state_set(s, e.name, t->values + at, e.bytes);
        at += e.bytes;
    }
    return err;
}

void snapshot_free(snapshot *t) {
    if (t->c) weft_resize(t->c, t->values, 0);
    *t = (snapshot){0};
}
