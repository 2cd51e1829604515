/* kept.c - makes the entries of kept.h. */
#include "rl/kept.h"

#include <stdio.h>
#include <string.h>

enum { KEPT_NAME = 512 };

static const char *kept_name(char full[KEPT_NAME], const char *name, const char *what) {
    const int length = snprintf(full, KEPT_NAME, "rng.%s.%s", name, what);
    return length > 0 && length < KEPT_NAME ? full : "";
}

static bool kept_exists(const weft_state *s, const char *name) {
    weft_entry entry;
    for (size_t i = 0; i < weft_state_count(s); i++)
        if (!weft_state_entry(s, i, &entry) && strcmp(entry.name, name) == 0) return true;
    return false;
}

/* All are asked for before any gets memory, so that they lie together. */
weft_err kept_make(weft_state *s, const char *name, const kept_entry *list, int n, bool *found) {
    weft_ctx *const c = weft_state_ctx(s);
    char full[KEPT_NAME];
    *found = kept_exists(s, kept_name(full, name, list[0].what));
    weft_graph *g = weft_graph_new(c); /* entries are asked for through a graph */
    if (!g) return weft_error_code(c);
    weft_err e = WEFT_OK;
    for (int i = 0; i < n && !e; i++) {
        const weft_shape dims = list[i].columns == 1 ? weft_dims(list[i].rows)
                                                     : weft_dims(list[i].rows, list[i].columns);
        if (!list[i].rows) continue;
        weft_buffer(g, s, kept_name(full, name, list[i].what), list[i].dtype, dims, (weft_init){0});
        e = weft_graph_error(g);
    }
    weft_graph_free(g);
    for (int i = 0; i < n && !e; i++) {
        if (!list[i].rows) continue;
        *list[i].at = weft_state_data(s, kept_name(full, name, list[i].what));
        if (!*list[i].at) e = weft_error_code(c);
    }
    return e;
}

void *kept_memory(weft_ctx *c, size_t bytes, const char *what) {
    void *p = weft_resize(c, NULL, bytes ? bytes : 1);
    if (p) memset(p, 0, bytes);
    else weft_fail(c, WEFT_MEMORY, "%s: out of memory for %zu bytes", what, bytes);
    return p;
}
