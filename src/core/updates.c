/* updates.c - lists of updates: what a run changes. Layers are in src/nn. */
#include "core/context.h"
#include "core/graph.h"

/* ---- updates ---- */

weft_updates weft_assign(weft_tensor state, weft_tensor value) {
    weft_tensor both[2] = {state, value};
    if (!graph_checked(state.g, both, 2)) return (weft_updates){0};
    const node *n = node_of(state);
    weft_shape a = weft_shape_of(state), b = weft_shape_of(value);
    if (n->op != OP_state || a.rank != b.rank || memcmp(a.n, b.n, (size_t)a.rank * sizeof *a.n)) {
        char ta[100], tb[100];
        graph_fail(state.g, WEFT_ARGUMENT,
                   "assign: a state and a value of its shape were expected, got %s and %s",
                   shape_text(ta, sizeof ta, a.rank, a.n), shape_text(tb, sizeof tb, b.rank, b.n));
        return (weft_updates){0};
    }
    weft_update *u = arena_new(&state.g->memory, sizeof *u);
    if (!u) {
        graph_fail(state.g, WEFT_MEMORY, "assign: out of memory");
        return (weft_updates){0};
    }
    *u = (weft_update){state, weft_cast(value, (weft_dtype)n->dtype)};
    return (weft_updates){u, 1};
}

weft_updates weft_updates_join(weft_graph *g, weft_updates a, weft_updates b) {
    if (!graph_checked(g, NULL, 0)) return (weft_updates){0};
    if (!a.n) return b;
    if (!b.n) return a;
    weft_update *u = arena_new(&g->memory, (a.n + b.n) * sizeof *u);
    if (!u) {
        graph_fail(g, WEFT_MEMORY, "updates: out of memory");
        return (weft_updates){0};
    }
    memcpy(u, a.at, a.n * sizeof *u);
    memcpy(u + a.n, b.at, b.n * sizeof *u);
    return (weft_updates){u, a.n + b.n};
}

void weft_layer_update(weft_tensor state, weft_tensor value) {
    weft_updates one = weft_assign(state, value);
    if (one.n) state.g->layer_updates = weft_updates_join(state.g, state.g->layer_updates, one);
}
