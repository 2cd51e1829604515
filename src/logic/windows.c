/* windows.c - windows around each gate, from the outputs down. */
#include "windows.h"

#include "tables.h"

#include <string.h>

/* Inputs; gates below the one it is around, and in all; words looked at for one window. */
enum { WINDOW_INPUTS = 10, WINDOW_GROWN = 40, WINDOW_GATES = 120 };
#define WINDOW_WORK INT64_C(2000000)

enum { WINDOW_OUTSIDE, WINDOW_INPUT, WINDOW_GATE };

typedef struct window {
    net *t;
    uint32_t n;
    unsigned char *role;  /* of a node */
    unsigned char *above; /* of a node: it depends on a gate of the window */
    unsigned char *read;  /* of a node: something outside reads it, or it is an output */
    net_literal *inner;   /* of a node: what it is in the window's own net */
    net_literal *built;   /* of a node: what it is in the net put together */
    uint32_t *stack;
    uint32_t input[WINDOW_INPUTS], inputs, gates;
} window;

static uint32_t window_read(const window *w, uint32_t gate, uint32_t which) {
    return net_of(which ? w->t->node[gate].b : w->t->node[gate].a);
}

/* How many inputs a gate brings when it joins the window. */
static uint32_t window_brings(const window *w, uint32_t gate) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2; i++) n += w->role[window_read(w, gate, i)] == WINDOW_OUTSIDE;
    return n;
}

static void window_join(window *w, uint32_t gate) {
    w->role[gate] = WINDOW_GATE;
    w->gates++;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t v = window_read(w, gate, i);
        if (w->role[v] != WINDOW_OUTSIDE) continue;
        w->role[v] = WINDOW_INPUT;
        w->input[w->inputs++] = v;
    }
}

/* Downwards, by the input that costs least: gates whose inputs are there already come first. Then
 * upwards: whatever reads nothing but the window belongs to it. False: no use. */
static bool window_around(window *w, uint32_t root) {
    memset(w->role, 0, w->n);
    w->inputs = w->gates = 0;
    window_join(w, root);
    while (w->gates < WINDOW_GROWN) {
        uint32_t best = NET_SAME, least = 3;
        for (uint32_t i = 0; i < w->inputs; i++) {
            if (w->input[i] < net_first(w->t)) continue;
            const uint32_t cost = window_brings(w, w->input[i]);
            if (cost < least && w->inputs - 1 + cost <= WINDOW_INPUTS) {
                least = cost;
                best = i;
            }
        }
        if (best == NET_SAME) break;
        const uint32_t gate = w->input[best];
        w->input[best] = w->input[--w->inputs];
        window_join(w, gate);
    }
    for (uint32_t i = net_first(w->t); i < w->n && w->gates < WINDOW_GATES; i++)
        if (w->role[i] == WINDOW_OUTSIDE && window_brings(w, i) == 0) window_join(w, i);
    return w->gates > 2;
}

/* Inputs must not depend on gates of the window, or putting it back would go in circles. */
static bool window_sound(window *w) {
    memset(w->above, 0, w->n);
    for (uint32_t i = net_first(w->t); i < w->n; i++)
        w->above[i] = w->role[i] == WINDOW_GATE || w->above[window_read(w, i, 0)] ||
                      w->above[window_read(w, i, 1)];
    for (uint32_t i = 0; i < w->inputs; i++)
        if (w->above[w->input[i]]) return false;
    return true;
}

/* The window as a net; its outputs are in the order of nodes. */
static bool window_net(window *w, net *sub) {
    uint32_t outputs = 0;
    memset(w->read, 0, w->n);
    for (uint32_t i = net_first(w->t); i < w->n; i++)
        if (w->role[i] != WINDOW_GATE)
            w->read[window_read(w, i, 0)] = w->read[window_read(w, i, 1)] = 1;
    for (int i = 0; i < w->t->outputs; i++) w->read[net_of(w->t->output[i])] = 1;
    for (uint32_t i = 0; i < w->n; i++) outputs += w->role[i] == WINDOW_GATE && w->read[i];
    if (!net_begin(sub, w->t->c, (int)w->inputs, (int)outputs)) return false;
    w->inner[0] = 0;
    for (uint32_t i = 0; i < w->inputs; i++) w->inner[w->input[i]] = 2 * (i + 1);
    outputs = 0;
    for (uint32_t i = net_first(w->t); i < w->n; i++) {
        if (w->role[i] != WINDOW_GATE) continue;
        const net_node g = w->t->node[i];
        const net_literal a = w->inner[net_of(g.a)] ^ (g.a & 1);
        const net_literal b = w->inner[net_of(g.b)] ^ (g.b & 1);
        w->inner[i] = g.is_xor ? net_xor(sub, a, b) : net_and(sub, a, b);
        if (w->read[i]) sub->output[outputs++] = w->inner[i];
    }
    return !sub->failed && net_replace(sub, NULL);
}

/* ---- putting it back ---- */

/* Once all its inputs are built: its gates, and with them what the outside reads. */
static bool window_build(window *w, const net *sub, net *out) {
    net_literal *const made = weft_resize(out->c, NULL, (size_t)sub->n * sizeof *made);
    if (!made) return false;
    made[0] = 0;
    for (uint32_t i = 0; i < w->inputs; i++) made[i + 1] = w->built[w->input[i]];
    for (uint32_t i = net_first(sub); i < (uint32_t)sub->n; i++) {
        const net_node g = sub->node[i];
        const net_literal a = made[net_of(g.a)] ^ (g.a & 1), b = made[net_of(g.b)] ^ (g.b & 1);
        made[i] = g.is_xor ? net_xor(out, a, b) : net_and(out, a, b);
    }
    for (uint32_t i = 0, output = 0; i < w->n; i++) {
        if (w->role[i] != WINDOW_GATE || !w->read[i]) continue;
        const net_literal x = sub->output[output++];
        w->built[i] = made[net_of(x)] ^ (x & 1);
    }
    weft_resize(out->c, made, 0);
    return true;
}

/* Depth first, as in net_replace, but a gate of the window waits for all of the window's inputs. */
static bool window_rebuild(window *w, const net *sub, net *out) {
    const net *const t = w->t;
    for (uint32_t i = 0; i < w->n; i++) w->built[i] = i < net_first(t) ? 2 * i : NET_SAME;
    for (int i = 0; i < t->outputs; i++) {
        uint32_t deep = 0;
        w->stack[deep++] = net_of(t->output[i]);
        while (deep) {
            const uint32_t v = w->stack[deep - 1], before = deep;
            if (w->built[v] != NET_SAME) {
                deep--;
                continue;
            }
            const bool inside = w->role[v] == WINDOW_GATE;
            for (uint32_t j = 0; j < (inside ? w->inputs : 2) && deep == before; j++) {
                const uint32_t u = inside ? w->input[j] : window_read(w, v, j);
                if (w->built[u] == NET_SAME) w->stack[deep++] = u;
            }
            if (deep > before) continue;
            const net_node g = t->node[v];
            if (inside) {
                if (!window_build(w, sub, out)) return false;
                continue;
            }
            const net_literal a = w->built[net_of(g.a)] ^ (g.a & 1);
            const net_literal b = w->built[net_of(g.b)] ^ (g.b & 1);
            w->built[v] = g.is_xor ? net_xor(out, a, b) : net_and(out, a, b);
        }
        out->output[i] = w->built[net_of(t->output[i])] ^ (t->output[i] & 1);
    }
    return !out->failed;
}

/* Whether it helped is told by *smaller; false: out of memory. */
static bool window_try(window *w, uint32_t root, int64_t *work, bool *smaller) {
    *smaller = false;
    *work -= 8 * (int64_t)w->n; /* what it takes to look at all of the net some times */
    if (!window_around(w, root) || !window_sound(w)) return true;
    net sub = {.c = w->t->c}, out = {.c = w->t->c};
    int64_t part = *work < WINDOW_WORK ? *work : WINDOW_WORK;
    const int64_t had = part;
    bool good = window_net(w, &sub) && tables_simplify(&sub, &part);
    *work -= had - part;
    if (good && (uint32_t)sub.n - net_first(&sub) < w->gates) {
        good = net_begin(&out, w->t->c, w->t->inputs, w->t->outputs) &&
               window_rebuild(w, &sub, &out) && net_replace(&out, NULL);
        if (good && out.n < w->t->n) {
            const net old = *w->t;
            *w->t = out;
            out = old;
            *smaller = true;
        }
    }
    net_free(&sub);
    net_free(&out);
    return good;
}

/* ---- all of them ---- */

static bool window_memory(window *w, net *t, void **memory) {
    const size_t n = (size_t)t->n;
    *w = (window){.t = t, .n = (uint32_t)t->n};
    *memory = weft_resize(t->c, NULL, n * (3 * sizeof(uint32_t) + 3));
    if (!*memory) return false;
    w->inner = *memory;
    w->built = w->inner + n;
    w->stack = w->built + n;
    w->role = (unsigned char *)(w->stack + n);
    w->above = w->role + n;
    w->read = w->above + n;
    return true;
}

bool windows_simplify(net *t, int64_t *work) {
    bool good = true, changed = true;
    uint32_t root = UINT32_MAX;
    while (good && changed && *work > 0) { /* sweeps; a window that helped ends one part of it */
        window w;
        void *memory = NULL;
        bool smaller = false;
        if (root >= (uint32_t)t->n) {
            root = (uint32_t)t->n - 1;
            changed = false;
        }
        good = window_memory(&w, t, &memory);
        for (; good && !smaller && root >= net_first(t) && *work > 0; root--)
            good = window_try(&w, root, work, &smaller);
        weft_resize(t->c, memory, 0);
        if (smaller && root >= (uint32_t)t->n) root = (uint32_t)t->n - 1;
        if (!smaller) root = UINT32_MAX; /* through: once more if anything changed */
        changed = changed || smaller;
    }
    return good;
}
