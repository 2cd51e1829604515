/* grad.c - reverse differentiation: one downward loop, each rule appends nodes.
 *
 * Rules of maps are expanded from ops.def; the others live in vjp.c. Broadcasting never appears
 * in a rule: it is an expand node, whose own rule sums. */
#include "core/shape.h"
#include <assert.h>

typedef struct grad_state {
    weft_graph *g;
    uint32_t *grad; /* gradient of each node so far, 0 for none       */
    uint32_t *copy; /* a checkpointed node's second recording, or itself */
    uint32_t *part; /* of a block: its last part; of a part: the one before, or 0 */
    uint8_t *path;  /* GRAD_LEADS to something asked for; GRAD_ASKED for itself */
    uint32_t n;
    weft_tensor out[LIMIT_OPERANDS]; /* gradients of the operands of the node that is looked at */
} grad_state;

enum { GRAD_LEADS = 1, GRAD_ASKED = 2 };

/* ---- rules of maps: the derivatives of ops.def ---- */

/* r / x for functions that are x / 2 near 0: 1/2 there */
static weft_tensor grad_over(weft_tensor r, weft_tensor x) {
    const weft_tensor none = weft_eq(x, weft_scalar(x.g, 0));
    return weft_where(none, weft_scalar(x.g, 0.5f),
                      weft_div(r, weft_where(none, weft_scalar(x.g, 1), x)));
}

/* y x^(y - 1), and 0 where y is 0: there x^(y - 1) is infinite at x = 0 */
static weft_tensor grad_power(weft_tensor x, weft_tensor y) {
    float known;
    const weft_tensor zero = weft_scalar(x.g, 0);
    const weft_tensor slope = weft_mul(y, weft_pow(x, weft_sub(y, weft_scalar(x.g, 1))));
    if (node_literal(y, &known) && known != 0) return slope;
    return weft_where(weft_eq(y, zero), zero, slope);
}

/* r ln x, and 0 for powers of 0 from 0 on */
static weft_tensor grad_power_rate(weft_tensor x, weft_tensor y, weft_tensor r) {
    const weft_tensor zero = weft_scalar(x.g, 0);
    const weft_tensor flat = weft_and(weft_eq(x, zero), weft_le(zero, y));
    return weft_mul(r, weft_log(weft_where(flat, weft_scalar(x.g, 1), x)));
}

/* -floor(x / y), and 1 where r is y itself: x has the other sign and is nothing beside y */
static weft_tensor grad_mod(weft_tensor x, weft_tensor y, weft_tensor r) {
    return weft_where(weft_eq(r, y), weft_scalar(x.g, 1), weft_neg(weft_floor(weft_div(x, y))));
}

/* `num` takes the shape of what it meets by broadcasting. */
#define NIL    tensor_at(t.g, 0)
#define num(v) weft_scalar(t.g, (float)(v))
#define OP_UNARY(name, f32, i32, cost, dx, ...)                                                    \
    static void grad_of_##name(weft_tensor t, weft_tensor g, weft_tensor *out) {                   \
        const weft_tensor x = operand(t, 0), r = t;                                                \
        (void)x, (void)r, (void)g;                                                                 \
        out[0] = dx;                                                                               \
    }
#define OP_BINARY(name, f32, i32, cost, dx, dy, ...)                                               \
    static void grad_of_##name(weft_tensor t, weft_tensor g, weft_tensor *out) {                   \
        const weft_tensor x = operand(t, 0), y = operand(t, 1), r = t;                             \
        (void)x, (void)y, (void)r, (void)g;                                                        \
        out[0] = dx;                                                                               \
        out[1] = dy;                                                                               \
    }
#include "core/ops.def"
#undef NIL
#undef num

static op_gradient *const grad_rules[OP_COUNT] = {
    [OP_NONE] = vjp_zero,
#define OP_UNARY(name, ...)                                      [OP_##name] = grad_of_##name,
#define OP_BINARY(name, ...)                                     [OP_##name] = grad_of_##name,
#define OP_COMPARE(name, ...)                                    [OP_##name] = vjp_zero,
#define OP_LOGIC(name, ...)                                      [OP_##name] = vjp_zero,
#define OP_FOLD(name, instruction, combine, gradient, reference) [OP_##name] = gradient,
#define OP_ROUTINE(name, operands, step, lies, gradient, ...)    [OP_##name] = gradient,
#define OP_OTHER(name, cls, operands, cost, gradient, reference) [OP_##name] = gradient,
#include "core/ops.def"
};

/* ---- the loop ---- */

static bool grad_floats(weft_tensor t) {
    return dtype_is_float((weft_dtype)node_of(t)->dtype);
}

/* What a stretch of zeros-padded x is, along an axis: the gradient of a slice. */
typedef struct grad_stretch {
    weft_tensor x;
    int64_t axis, before, after;
} grad_stretch;

static bool grad_is_stretch(weft_tensor d, grad_stretch *out) {
    const int64_t *a = node_attr(d.g, node_of(d));
    if (node_of(d)->op != OP_pad || a[3]) return false;
    *out = (grad_stretch){operand(d, 0), a[0], a[1], a[2]};
    return true;
}

/* The sum of the gradients of two slices that lie side by side is the two joined: an addition of
 * zeros less, and the device may write each where it belongs. Id 0: another case, or so many slices
 * that joining them one after the other would take longer than adding them. */
static weft_tensor grad_join(weft_tensor have, weft_tensor d) {
    enum { STRETCHES = LIMIT_STRETCHES };
    const weft_tensor none = tensor_at(d.g, 0);
    grad_stretch a, b;
    if (!grad_is_stretch(have, &a) || !grad_is_stretch(d, &b) || a.axis != b.axis) return none;
    if (b.before < a.before) {
        const grad_stretch swap = a;
        a = b, b = swap;
    }
    const int axis = (int)a.axis;
    if (a.before + weft_dim(a.x, axis) != b.before) return none;
    weft_tensor part[2 * STRETCHES];
    const weft_tensor both[2] = {a.x, b.x};
    int n = 0;
    for (int i = 0; i < 2; i++) {
        const node *x = node_of(both[i]);
        const bool joined = x->op == OP_concat && node_attr(d.g, x)[0] == axis;
        const int parts = joined ? x->nin : 1;
        if (n + parts > STRETCHES) return none;
        for (int k = 0; k < parts; k++) part[n++] = joined ? operand(both[i], k) : both[i];
    }
    return weft_pad(weft_concat((weft_tensors){part, (size_t)n}, axis), axis, a.before, b.after, 0);
}

static void grad_gather(grad_state *s, uint32_t to, weft_tensor d) {
    if (!d.id || !s->path[to] || !grad_floats(tensor_at(s->g, to))) return;
    weft_tensor have = tensor_at(s->g, s->grad[to]);
    d = weft_cast(d, WEFT_F32);
    if (have.id) {
        const weft_tensor joined = grad_join(have, d);
        d = joined.id ? joined : weft_add(have, d);
    }
    s->grad[to] = d.id;
}

/* Nodes from `from` on come from a node of this scope: what a profile or a message says of them. It
 * is set afterwards, since entering the scope would number a rule's random streams within it. */
static void grad_scope(weft_graph *g, size_t from, uint32_t scope) {
    for (size_t i = from; i < g->n; i++)
        if (!g->node[i].scope) g->node[i].scope = scope;
}

/* Record the stretch [begin, end) again under a fresh salt, so that its values need not be kept. */
static bool grad_replay(grad_state *s, graph_span span) {
    weft_graph *g = s->g;
    uint16_t salt = g->salt;
    weft_tensor *in = mem_new(g->m, LIMIT_OPERANDS * sizeof *in);
    if (!in) {
        graph_fail(g, WEFT_MEMORY, "gradient: out of memory");
        return false;
    }
    g->salt = (uint16_t)(salt + 1);
    for (uint32_t i = span.begin; i < span.end && i < s->n; i++) {
        node n = g->node[i];
        if (op_table[n.op].cls == CLASS_LEAF && n.op != OP_random) continue;
        for (int k = 0; k < n.nin; k++) in[k] = tensor_at(g, s->copy[g->edge[n.in + (uint32_t)k]]);
        const size_t before = g->n;
        weft_tensor c = graph_copy_node(g, g, &n, in);
        if (!c.id) break;
        grad_scope(g, before, n.scope);
        s->copy[i] = c.id;
    }
    g->salt = salt;
    mem_free(g->m, in);
    return g->err == WEFT_OK;
}

/* The gradients of a block's parts lie with the part nodes, which come before anything that
 * reads them and after the block: collect them when the loop arrives at the block. */
static bool grad_block(grad_state *s, uint32_t id, weft_tensor *out) {
    weft_graph *g = s->g;
    const node *n = &g->node[id];
    weft_tensor dy[LIMIT_BLOCK_PARTS] = {{0}};
    int parts = block_table[node_attr(g, n)[0]].parts;
    for (int i = 0; i < parts; i++) dy[i] = tensor_at(g, 0);
    bool any = false;
    for (uint32_t u = s->part[id]; u; u = s->part[u]) {
        assert(g->node[u].op == OP_part && g->edge[g->node[u].in] == id);
        if (!s->grad[u]) continue;
        dy[node_attr(g, &g->node[u])[0]] = tensor_at(g, s->grad[u]);
        any = true;
    }
    return !any || block_vjp(tensor_at(g, s->copy[id]), dy, out);
}

static bool grad_node(grad_state *s, uint32_t id) {
    weft_graph *g = s->g;
    const node n = g->node[id]; /* rules append nodes, and the array may move */
    weft_tensor *out = s->out, dy = tensor_at(g, s->grad[id]);
    assert(n.nin <= LIMIT_OPERANDS && n.op < OP_COUNT);
    for (int i = 0; i < n.nin; i++) out[i] = tensor_at(g, 0);
    if (n.op == OP_block) { /* its parts have the gradients */
        if (!grad_block(s, id, out)) return false;
    } else if (n.op == OP_part || !dy.id) {
        return true;
    } else {
        grad_rules[n.op](tensor_at(g, s->copy[id]), dy, out);
    }
    for (int i = 0; i < n.nin && g->err == WEFT_OK; i++)
        grad_gather(s, g->edge[n.in + (uint32_t)i], out[i]);
    return g->err == WEFT_OK;
}

bool grad_walk(weft_graph *g, const weft_tensor *y, const weft_tensor *dy, size_t ny,
               const weft_tensor *wrt, size_t n, bool stop, weft_tensor *out) {
    grad_state s; /* its last array is filled where it is used */
    uint32_t lowest = UINT32_MAX, top = 0;
    for (size_t i = 0; i < ny; i++) top = y[i].id > top ? y[i].id : top;
    s.g = g;
    s.n = top + 1;
    s.grad = mem_new(g->m, s.n * (3 * sizeof *s.grad + 1));
    if (!s.grad) {
        graph_fail(g, WEFT_MEMORY, "gradient: out of memory");
        return false;
    }
    s.copy = s.grad + s.n;
    s.part = s.copy + s.n;
    s.path = (uint8_t *)(s.part + s.n);
    for (uint32_t i = 0; i < s.n; i++) s.copy[i] = i;
    for (uint32_t i = 1; i < s.n; i++) {
        if (g->node[i].op != OP_part) continue;
        uint32_t *last = &s.part[g->edge[g->node[i].in]];
        s.part[i] = *last, *last = i;
    }
    for (size_t i = 0; i < n; i++)
        if (wrt[i].id < s.n) {
            s.path[wrt[i].id] = GRAD_LEADS | GRAD_ASKED;
            lowest = wrt[i].id < lowest ? wrt[i].id : lowest;
        }
    for (uint32_t i = lowest; i < s.n; i++)
        for (int k = 0; k < g->node[i].nin; k++)
            s.path[i] |= s.path[g->edge[g->node[i].in + (uint32_t)k]] & GRAD_LEADS;
    for (size_t i = 0; i < ny; i++) grad_gather(&s, y[i].id, dy[i]);

    /* Operands precede their users, so one downward loop visits every reader first. */
    bool good = g->err == WEFT_OK;
    size_t span = g->spans;
    for (uint32_t i = top; good && i >= lowest && i > 0; i--) {
        for (; good && span > 0 && g->span[span - 1].end > i; span--)
            if (g->span[span - 1].begin <= i) good = grad_replay(&s, g->span[span - 1]);
        const bool asked = s.path[i] & GRAD_ASKED;
        const size_t before = g->n;
        if (s.path[i] && (s.grad[i] || g->node[i].op == OP_block) &&
            (!asked || (!stop && g->node[i].nin)))
            good = grad_node(&s, i);
        grad_scope(g, before, g->node[i].scope);
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t found = wrt[i].id < s.n ? s.grad[wrt[i].id] : 0;
        out[i] = !good ? tensor_at(g, 0) : found ? tensor_at(g, found) : full_like(wrt[i], 0);
    }
    mem_free(g->m, s.grad);
    return good && g->err == WEFT_OK;
}

weft_err weft_vjp(weft_tensor y, weft_tensor seed, const weft_tensor *wrt, size_t n,
                  weft_tensor *out) {
    if (n && (!wrt || !out)) return weft_fail(NULL, WEFT_ARGUMENT, "gradient: an array is NULL");
    for (size_t i = 0; i < n; i++) out[i] = tensor_at(y.g, 0);
    weft_tensor both[2] = {y, seed};
    if (!graph_checked(y.g, both, 2)) return y.g ? y.g->err : WEFT_ARGUMENT;
    for (size_t i = 0; i < n; i++)
        if (!graph_checked(y.g, &wrt[i], 1)) return y.g->err;
    weft_shape sy = weft_shape_of(y), ss = weft_shape_of(seed);
    if (sy.rank != ss.rank || memcmp(sy.n, ss.n, (size_t)sy.rank * sizeof *sy.n)) {
        graph_fail(y.g, WEFT_SHAPE, "gradient: the seed's shape is not that of the output");
        return y.g->err;
    }
    if (!grad_floats(y)) {
        graph_fail(y.g, WEFT_GRADIENT, "gradient: the output is %s, only floats have gradients",
                   weft_dtype_name(weft_dtype_of(y)));
        return y.g->err;
    }
    uint32_t scope = y.g->in_scope;
    y.g->in_scope = 0;
    grad_walk(y.g, &y, &seed, 1, wrt, n, false, out);
    y.g->in_scope = scope;
    return y.g->err;
}

weft_err weft_grad(weft_tensor y, const weft_tensor *wrt, size_t n, weft_tensor *out) {
    weft_tensor one = graph_checked(y.g, &y, 1) ? full_like(y, 1) : y;
    return weft_vjp(y, one, wrt, n, out);
}

/* ---- what the loop must treat specially ---- */

static weft_tensor grad_same(weft_tensor y, same_kind kind, const weft_tensor *more, size_t n,
                             int64_t custom) {
    weft_tensor in[LIMIT_RULE_INPUTS + 1];
    if (!y.g) return y;
    if (n > LIMIT_RULE_INPUTS)
        return graph_fail(y.g, WEFT_ARGUMENT, "custom gradient: %zu inputs, at most %d are allowed",
                          n, LIMIT_RULE_INPUTS);
    in[0] = y;
    for (size_t i = 0; i < n; i++) in[i + 1] = more[i];
    if (!graph_checked(y.g, in, (int)n + 1)) return tensor_at(y.g, 0);
    weft_shape s = weft_shape_of(y);
    int64_t attr[2] = {kind, custom};
    return graph_append(y.g, OP_same, weft_dtype_of(y), s.rank, s.n, in, (int)n + 1, attr, 2);
}

/* Operands of a definition that is differentiated by each of them must differ, even if they hold
 * the same. */
weft_tensor named_copy(weft_tensor x, int name) {
    return grad_same(x, SAME_NAME, NULL, 0, name);
}

/* Views that guard or move need memory under them, which numbers and counters do not have. */
weft_tensor stored_copy(weft_tensor x) {
    weft_tensor base = x;
    while (base.id && op_table[node_of(base)->op].cls == CLASS_VIEW) base = operand(base, 0);
    bool none = base.id && (node_of(base)->op == OP_literal || node_of(base)->op == OP_iota);
    return none ? grad_same(x, SAME_COPY, NULL, 0, 0) : x;
}

weft_tensor owned_copy(weft_tensor x) {
    return grad_same(x, SAME_COPY, NULL, 0, 0);
}

weft_tensor weft_stored(weft_tensor x) {
    return grad_same(x, SAME_STORED, NULL, 0, 0);
}

weft_tensor weft_stop_gradient(weft_tensor x) {
    return grad_same(x, SAME_STOP, NULL, 0, 0);
}

weft_tensor weft_straight_through(weft_tensor value, weft_tensor path) {
    weft_shape a = weft_shape_of(value), b = weft_shape_of(path);
    if (weft_ok(value) && weft_ok(path) &&
        (a.rank != b.rank || memcmp(a.n, b.n, (size_t)a.rank * sizeof *a.n)))
        return graph_fail(value.g, WEFT_SHAPE, "straight_through: value and path differ in shape");
    return grad_same(value, SAME_STRAIGHT, &path, 1, 0);
}

weft_tensor weft_custom_grad(weft_tensor y, weft_tensors in, weft_rule rule, void *user) {
    if (!graph_checked(y.g, &y, 1)) return tensor_at(y.g, 0);
    if (!rule || (in.n && !in.at))
        return graph_fail(y.g, WEFT_ARGUMENT, "custom gradient: the %s NULL",
                          rule ? "inputs are" : "rule is");
    graph_custom c = {rule, user};
    size_t i = 0; /* one entry for a rule, so that equal expressions are one node here too */
    while (i < y.g->customs && (y.g->custom[i].rule != rule || y.g->custom[i].user != user)) i++;
    if (i == y.g->customs && !MEM_PUSH(y.g->m, y.g->custom, y.g->customs, y.g->custom_cap, c))
        return graph_fail(y.g, WEFT_MEMORY, "custom gradient: out of memory");
    return grad_same(y, SAME_CUSTOM, in.at, in.n, (int64_t)i);
}

void weft_checkpoint_begin(weft_graph *g) {
    if (!g) return;
    if (g->open_span) graph_fail(g, WEFT_ARGUMENT, "checkpoint: already open, they do not nest");
    g->open_span = (uint32_t)g->n;
}

void weft_checkpoint_end(weft_graph *g) {
    if (!g) return;
    graph_span s = {g->open_span, (uint32_t)g->n};
    if (!g->open_span) graph_fail(g, WEFT_ARGUMENT, "checkpoint: not open");
    else if (s.end > s.begin && !MEM_PUSH(g->m, g->span, g->spans, g->span_cap, s))
        graph_fail(g, WEFT_MEMORY, "checkpoint: out of memory");
    g->open_span = 0;
}
