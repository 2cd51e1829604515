/* layers.c - the linear layer and the two optimisers that the engine itself carries.
 *
 * They are written on the public header, as any layer of a user's would be, but for the
 * optimisers' blocks. */
#include "core/context.h"
#include "core/graph.h"
#include <math.h>
#include <stdio.h>

weft_tensor weft_linear(weft_state *s, weft_tensor x, int64_t out, const char *name) {
    if (!graph_checked(x.g, &x, 1)) return x;
    if (!name || weft_rank(x) < 1 || out < 1)
        return graph_fail(x.g, WEFT_ARGUMENT,
                          "linear: a name, a rank of 1 or more and a positive size were expected");
    char weight[256], bias[256];
    int length = snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    if (length < 0 || (size_t)length >= sizeof weight)
        return graph_fail(x.g, WEFT_ARGUMENT, "linear: a name of %d letters is too long", length);
    int64_t in = weft_dim(x, -1);
    float bound = in ? 1 / sqrtf((float)in) : 0;
    weft_init uniform = {WEFT_INIT_UNIFORM, -bound, bound};
    weft_tensor w = weft_param(x.g, s, weight, weft_dims(out, in), uniform);
    weft_tensor b = weft_param(x.g, s, bias, weft_dims(out), uniform);
    weft_tensor rows = weft_rank(x) == 1 ? weft_unsqueeze(x, 0) : x;
    weft_tensor y = weft_add(weft_matmul(rows, weft_transpose(w, 0, 1)), b);
    return weft_rank(x) == 1 ? weft_squeeze(y, 0) : y;
}

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
    if (one.n) state.g->layers = weft_updates_join(state.g, state.g->layers, one);
}

/* ---- optimisers ---- */

/* The parameters of s that loss depends on, and their gradients; count 0 after an error. */
static size_t layers_gradients(weft_state *s, weft_tensor loss, weft_tensor **params,
                               weft_tensor **grads) {
    weft_graph *g = loss.g;
    if (!graph_checked(g, &loss, 1)) return 0;
    if (!s || s->freed) {
        graph_fail(g, WEFT_STATE, "optimiser: the state is %s", s ? "freed" : "NULL");
        return 0;
    }
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        n = 0;
        for (uint32_t i = 1; i <= loss.id; i++) {
            const node *p = &g->node[i];
            if (p->op != OP_state || g->state[node_attr(g, p)[0]] != s ||
                !s->entry[node_attr(g, p)[1]].trained)
                continue;
            if (pass) (*params)[n] = tensor_at(g, i);
            n++;
        }
        if (pass) break;
        *params = arena_new(&g->memory, 2 * n * sizeof **params);
        if (!*params) {
            graph_fail(g, WEFT_MEMORY, "optimiser: out of memory");
            return 0;
        }
        *grads = *params + n;
    }
    if (!n)
        graph_fail(g, WEFT_GRADIENT, "optimiser: the loss depends on no parameter of this state");
    return n && weft_grad(loss, *params, n, *grads) == WEFT_OK ? n : 0;
}

static weft_tensor layers_number(weft_graph *g, weft_state *s, const char *name, float first) {
    uint32_t scope = g->in_scope;
    g->in_scope = 0;
    weft_tensor t =
        weft_buffer(g, s, name, WEFT_F32, WEFT_0D, (weft_init){WEFT_INIT_VALUE, first, 0});
    g->in_scope = scope;
    return t;
}

static weft_tensor layers_part(weft_tensor b, int i, weft_tensor like) {
    weft_shape d = weft_shape_of(like);
    return graph_part(b, i, WEFT_F32, d.rank, d.n);
}

weft_updates weft_sgd(weft_state *s, weft_tensor loss, const weft_sgd_desc *d) {
    static const weft_sgd_desc none;
    if (!d) d = &none;
    weft_tensor *p, *grad;
    weft_graph *g = loss.g;
    size_t n = layers_gradients(s, loss, &p, &grad);
    weft_update *u = n ? arena_new(&g->memory, 2 * n * sizeof *u) : NULL;
    if (n && !u) graph_fail(g, WEFT_MEMORY, "sgd: out of memory");
    if (!u) return (weft_updates){0};
    weft_tensor lr = layers_number(g, s, "optim.lr", d->lr != 0 ? d->lr : 0.01f);
    int64_t attr[3] = {bits_of(d->momentum), bits_of(d->decay), d->nesterov};
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (d->momentum == 0) {
            weft_tensor along =
                d->decay != 0 ? weft_add(grad[i], weft_scale(p[i], d->decay)) : grad[i];
            u[count++] = (weft_update){p[i], weft_sub(p[i], weft_mul(along, lr))};
            continue;
        }
        weft_tensor m = weft_slot(g, s, p[i], "momentum_buffer", (weft_init){0});
        weft_tensor b =
            graph_block(g, BLOCK_momentum, (weft_tensor[]){p[i], m, grad[i], lr}, 4, attr, 3);
        u[count++] = (weft_update){p[i], layers_part(b, 0, p[i])};
        u[count++] = (weft_update){m, layers_part(b, 1, p[i])};
    }
    return g->err ? (weft_updates){0} : (weft_updates){u, count};
}

weft_updates weft_adam(weft_state *s, weft_tensor loss, const weft_adam_desc *d) {
    static const weft_adam_desc none;
    if (!d) d = &none;
    float b1 = d->beta1 != 0 ? d->beta1 : 0.9f, b2 = d->beta2 != 0 ? d->beta2 : 0.999f;
    weft_tensor *p, *grad;
    weft_graph *g = loss.g;
    size_t n = layers_gradients(s, loss, &p, &grad);
    weft_update *u = n ? arena_new(&g->memory, (3 * n + 1) * sizeof *u) : NULL;
    if (n && !u) graph_fail(g, WEFT_MEMORY, "adam: out of memory");
    if (!u) return (weft_updates){0};
    weft_tensor lr = layers_number(g, s, "optim.lr", d->lr != 0 ? d->lr : 0.001f);
    weft_tensor count = layers_number(g, s, "optim.step", 0), t = weft_offset(count, 1),
                one = weft_scalar(g, 1);
    weft_tensor rate = weft_div(lr, weft_sub(one, weft_pow(weft_scalar(g, b1), t)));
    weft_tensor root = weft_rsqrt(weft_sub(one, weft_pow(weft_scalar(g, b2), t)));
    int64_t attr[4] = {bits_of(b1), bits_of(b2), bits_of(d->eps != 0 ? d->eps : 1e-8f),
                       bits_of(d->decay)};
    for (size_t i = 0; i < n; i++) {
        weft_tensor m = weft_slot(g, s, p[i], "exp_avg", (weft_init){0});
        weft_tensor v = weft_slot(g, s, p[i], "exp_avg_sq", (weft_init){0});
        weft_tensor b = graph_block(
            g, BLOCK_adam, (weft_tensor[]){p[i], m, v, grad[i], lr, rate, root}, 7, attr, 4);
        u[3 * i] = (weft_update){p[i], layers_part(b, 0, p[i])};
        u[3 * i + 1] = (weft_update){m, layers_part(b, 1, p[i])};
        u[3 * i + 2] = (weft_update){v, layers_part(b, 2, p[i])};
    }
    u[3 * n] = (weft_update){count, t};
    return g->err ? (weft_updates){0} : (weft_updates){u, 3 * n + 1};
}
