/* entry.c - makes the entries of entry.h. */
#include "rl/entry.h"

#include <stdio.h>
#include <string.h>

enum { KEPT_NAME = 512 };

static const char *rl_entry_name(char full[KEPT_NAME], const char *name, const char *what) {
    const int length = snprintf(full, KEPT_NAME, "rng.%s.%s", name, what);
    return length > 0 && length < KEPT_NAME ? full : "";
}

/* Said at once, also where the graph has no room for the new entry: what failed may be tried again when
 * the state has got its memory. */
weft_err rl_entry_host(weft_graph *g, weft_state *s, const char *full, size_t before) {
    const weft_err e = weft_graph_error(g);
    if (e && weft_state_count(s) == before) return e;
    const weft_err declared = weft_state_host(s, full);
    return e ? e : declared;
}

static weft_err rl_entry_ask(weft_graph *g, weft_state *s, const char *name, const rl_entry *k) {
    char full[KEPT_NAME];
    const weft_shape dims = k->columns == 1 ? weft_dims(k->rows) : weft_dims(k->rows, k->columns);
    if (!k->rows) return WEFT_OK;
    const size_t before = weft_state_count(s);
    weft_buffer(g, s, rl_entry_name(full, name, k->what), k->dtype, dims, (weft_init){0});
    return rl_entry_host(g, s, full, before);
}

static bool rl_entry_find(weft_state *s, const char *name, const rl_entry *k) {
    char full[KEPT_NAME];
    if (!k->rows) return true;
    *k->at = weft_state_data(s, rl_entry_name(full, name, k->what));
    return *k->at != NULL;
}

/* All are asked for before any gets memory, so that they lie together. */
weft_err rl_entries(weft_state *s, const char *name, const rl_entry *list, int n, int32_t **begun) {
    weft_ctx *const c = weft_state_ctx(s);
    const rl_entry mark = {"begun", WEFT_I32, 1, 1, (void **)begun};
    weft_graph *g = weft_graph_new(c); /* entries are asked for through a graph */
    if (!g) return weft_error_code(c);
    weft_err e = WEFT_OK;
    for (int i = 0; i < n && !e; i++) e = rl_entry_ask(g, s, name, &list[i]);
    if (!e) e = rl_entry_ask(g, s, name, &mark);
    weft_graph_free(g);
    for (int i = 0; i < n && !e; i++)
        if (!rl_entry_find(s, name, &list[i])) e = weft_error_code(c);
    if (!e && !rl_entry_find(s, name, &mark)) e = weft_error_code(c);
    return e;
}

void *rl_memory(weft_ctx *c, size_t bytes, const char *what) {
    void *p = weft_resize(c, NULL, bytes ? bytes : 1);
    if (p) memset(p, 0, bytes);
    else weft_fail(c, WEFT_MEMORY, "%s: out of memory for %zu bytes", what, bytes);
    return p;
}
