/* parts.c - what the layers share; see parts.h. */
#include "nn/parts.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

bool nn_tensor(const char *what, weft_tensor x) {
    if (!x.g)
        weft_poison(NULL, WEFT_ARGUMENT, "%s: a tensor without a graph, or none at all", what);
    else if (!weft_ok(x)) weft_poison(x.g, WEFT_ARGUMENT, "%s: a tensor is poison", what);
    else return true;
    return false;
}

bool nn_layer(nn_title *t, const char *kind, weft_state *s, weft_tensor x, const char *name) {
    if (!nn_tensor(kind, x)) return false;
    if (!s) weft_poison(x.g, WEFT_STATE, "%s: the state is NULL", kind);
    else if (!name) weft_poison(x.g, WEFT_ARGUMENT, "%s: the name is NULL; \"\" is for none", kind);
    else {
        snprintf(t->text, sizeof t->text, *name ? "%s \"%.50s\"" : "%s", kind, name);
        return true;
    }
    return false;
}

bool nn_same_shape(const char *what, weft_tensor a, weft_tensor b) {
    if (!nn_tensor(what, a) || !nn_tensor(what, b)) return false;
    weft_shape x = weft_shape_of(a), y = weft_shape_of(b);
    if (x.rank == y.rank && !memcmp(x.n, y.n, (size_t)x.rank * sizeof *x.n)) return true;
    char ta[100], tb[100];
    weft_poison(a.g, WEFT_SHAPE, "%s: %s and %s must have the same shape", what,
                nn_shape_text(ta, sizeof ta, a), nn_shape_text(tb, sizeof tb, b));
    return false;
}

bool nn_size(weft_graph *g, const char *what, const char *of, int64_t n) {
    if (n < 1)
        weft_poison(g, WEFT_ARGUMENT, "%s: %lld %s, 1 or more were expected", what, (long long)n,
                    of);
    else if (n > INT32_MAX)
        weft_poison(g, WEFT_SHAPE, "%s: %lld %s are too many elements", what, (long long)n, of);
    else return true;
    return false;
}

int nn_enter(weft_graph *g, const char *name) {
    int scopes = 0;
    for (const char *at = name; *at;) {
        char part[256];
        size_t n = strcspn(at, ".");
        bool last = !at[n];
        if (n >= sizeof part || (!last && !at[n + 1])) {
            weft_poison(g, WEFT_ARGUMENT, "\"%.60s\" is not a valid name: %s", name,
                        n >= sizeof part ? "too long" : "it ends with a dot");
            break;
        }
        memcpy(part, at, n);
        part[n] = 0;
        weft_scope_push(g, part);
        scopes++;
        at += n + !last;
    }
    return scopes;
}

void nn_leave(weft_graph *g, int scopes) {
    while (scopes-- > 0) weft_scope_pop(g);
}

weft_init nn_or(weft_init given, weft_init own) {
    return given.kind == WEFT_INIT_DEFAULT ? own : given;
}

weft_init nn_uniform(double bound) {
    return (weft_init){WEFT_INIT_UNIFORM, (float)-bound, (float)bound};
}

const char *nn_shape_text(char *to, size_t bytes, weft_tensor x) {
    const weft_shape s = weft_shape_of(x);
    return shape_text(to, bytes, s.rank, s.n);
}
