/* update_rules.c - building blocks of optimisers: the parameters of a loss with
 * their gradients, numbers that live in the state, and the two rules that have kernels of their
 * own.
 *
 * The optimisers themselves are built on this in src/optim. Gradients are stored, so that the
 * rules of neighbouring parameters are equal, however their gradients are computed, and become one pass. */
#include "core/update_rules.h"
#include "core/context.h"
#include <assert.h>

/* Scale and due have room behind the operands of every update rule. */
#define BLOCK(name, operands, attributes, parts, lies, moving, ...)                                \
    _Static_assert(!(moving) || (operands) + 2 <= (int)LIMIT_BLOCK_OPERANDS, "operands: " #name);
#include "core/blocks.def"

/* Is node i a trained entry of s? */
static bool rule_trained(const weft_graph *g, uint32_t i, const weft_state *s) {
    const node *n = &g->node[i];
    return n->op == OP_state && g->state[node_attr(g, n)[0]] == s &&
           s->entry[node_attr(g, n)[1]].trained;
}

weft_params weft_params_of(weft_state *s, weft_tensor loss) {
    const weft_params none = {0};
    weft_graph *g = loss.g;
    if (!graph_checked(g, &loss, 1)) return none;
    if (!s || s->freed) {
        graph_fail(g, WEFT_STATE, "optimiser: the state is %s", s ? "freed" : "NULL");
        return none;
    }
    uint8_t *needed = mem_new(g->m, loss.id + 1);
    if (!needed) {
        graph_fail(g, WEFT_MEMORY, "optimiser: out of memory");
        return none;
    }
    size_t n = 0, at = 0;
    needed[loss.id] = 1;
    for (uint32_t i = loss.id; i > 0; i--) {
        const node *x = &g->node[i];
        if (!needed[i] || (x->op == OP_same && node_attr(g, x)[0] == SAME_STOP)) continue;
        for (int k = 0; k < x->nin; k++) needed[node_in(g, x)[k]] = 1;
        n += rule_trained(g, i, s);
    }
    weft_tensor *param = arena_new(&g->memory, (2 * n + 1) * sizeof *param);
    const char **name = arena_new(&g->memory, (n + 1) * sizeof *name);
    for (uint32_t i = 1; param && name && i <= loss.id; i++)
        if (needed[i] && rule_trained(g, i, s)) {
            name[at] = s->entry[node_attr(g, &g->node[i])[1]].name;
            param[at++] = tensor_at(g, i);
        }
    mem_free(g->m, needed);
    if (!param || !name) graph_fail(g, WEFT_MEMORY, "optimiser: out of memory");
    else if (!n)
        graph_fail(g, WEFT_GRADIENT, "optimiser: the loss depends on no parameter of this state");
    if (g->err || weft_grad(loss, param, n, param + n) != WEFT_OK) return none;
    for (size_t i = 0; i < n; i++) param[n + i] = weft_stored(param[n + i]);
    if (g->err) return none;
    return (weft_params){param, param + n, name, n};
}

weft_tensor weft_number(weft_graph *g, weft_state *s, const char *name, float first) {
    if (!graph_checked(g, NULL, 0)) return tensor_at(g, 0);
    if (!s || s->freed)
        return graph_fail(g, WEFT_STATE, "number: the state is %s", s ? "freed" : "NULL");
    uint32_t scope = g->in_scope;
    g->in_scope = 0;
    weft_tensor t =
        weft_buffer(g, s, name, WEFT_F32, WEFT_0D, (weft_init){WEFT_INIT_VALUE, first, 0});
    g->in_scope = scope;
    return t;
}

/* ---- update rules with kernels ---- */

/* Operands of an update rule: `moving` f32 tensors of one shape, 0-d numbers, then what is
 * optional. */
typedef struct rule_call {
    block which;
    weft_tensor in[LIMIT_BLOCK_OPERANDS];
    int n;
    int64_t clip, given;
} rule_call;

static bool rule_fit(const rule_call *c) {
    weft_graph *g = c->in[0].g;
    if (!graph_checked(g, c->in, c->n)) return false;
    const node *p = node_of(c->in[0]);
    for (int i = 0; i < c->n; i++) {
        const node *x = node_of(c->in[i]);
        const bool due = (c->given & GIVEN_DUE) && i == c->n - 1;
        const weft_dtype type = due ? WEFT_BOOL : WEFT_F32;
        const int rank = i < block_table[c->which].moving ? p->rank : 0;
        if (x->dtype == type && x->rank == rank &&
            !memcmp(node_dims(g, x), node_dims(g, p), (size_t)rank * sizeof(int64_t)))
            continue;
        char have[100], want[100];
        graph_fail(g, WEFT_SHAPE, "%s step: operand %d is %s %s, %s %s was expected",
                   block_table[c->which].name, i, weft_dtype_name((weft_dtype)x->dtype),
                   shape_text(have, sizeof have, x->rank, node_dims(g, x)), weft_dtype_name(type),
                   shape_text(want, sizeof want, rank, node_dims(g, p)));
        return false;
    }
    return true;
}

static bool rule_take(rule_call *c, const weft_step_desc *how) {
    c->n = block_table[c->which].operands;
    if (how && how->scale.id) c->in[c->n++] = how->scale, c->given |= GIVEN_SCALE;
    if (how && how->due.id) c->in[c->n++] = how->due, c->given |= GIVEN_DUE;
    if (how) c->clip = bits_of(how->clip);
    return rule_fit(c);
}

static weft_tensor rule_part(weft_tensor block, int i, weft_tensor like) {
    weft_shape d = weft_shape_of(like);
    return graph_part(block, i, WEFT_F32, d.rank, d.n);
}

weft_stepped weft_momentum_step(weft_tensor p, weft_tensor m, weft_tensor grad, weft_tensor lr,
                                const weft_sgd_desc *d, const weft_step_desc *how) {
    static const weft_sgd_desc none;
    if (!d) d = &none;
    rule_call c = {BLOCK_momentum, {p, m, grad, lr}, 0, 0, 0};
    weft_tensor poison = {p.g, 0};
    if (!rule_take(&c, how)) return (weft_stepped){poison, poison, poison};
    int64_t attr[] = {bits_of(d->momentum), bits_of(d->decay), d->nesterov, c.clip, c.given};
    weft_tensor b = graph_block(p.g, BLOCK_momentum, c.in, c.n, attr, 5);
    return (weft_stepped){rule_part(b, 0, p), rule_part(b, 1, p), poison};
}

weft_stepped weft_adam_step(weft_tensor p, weft_tensor m, weft_tensor v, weft_tensor grad,
                            weft_tensor lr, weft_tensor rate, weft_tensor root,
                            const weft_adam_desc *d, const weft_step_desc *how) {
    static const weft_adam_desc none;
    if (!d) d = &none;
    rule_call c = {BLOCK_adam, {p, m, v, grad, lr, rate, root}, 0, 0, 0};
    weft_tensor poison = {p.g, 0};
    if (!rule_take(&c, how)) return (weft_stepped){poison, poison, poison};
    int64_t attr[] = {bits_of(d->beta1 != 0 ? d->beta1 : 0.9f),
                      bits_of(d->beta2 != 0 ? d->beta2 : 0.999f),
                      bits_of(d->eps != 0 ? d->eps : 1e-8f),
                      bits_of(d->decay),
                      d->l2,
                      c.clip,
                      c.given};
    weft_tensor b = graph_block(p.g, BLOCK_adam, c.in, c.n, attr, 7);
    return (weft_stepped){rule_part(b, 0, p), rule_part(b, 1, p), rule_part(b, 2, p)};
}

/* ---- their definitions ---- */

static weft_tensor rule_number(weft_graph *g, int64_t bits) {
    return weft_scalar(g, float_of((uint32_t)bits));
}

/* The gradient as a step takes it. */
static weft_tensor rule_taken(block which, const int64_t *a, const weft_tensor *in, weft_tensor g) {
    const float most = float_of((uint32_t)a[rule_clip(which)]);
    const int scale = given_operand(which, a[rule_given(which)], GIVEN_SCALE);
    if (most != 0) g = weft_clamp(g, -most, most);
    return scale < 0 ? g : weft_mul(g, in[scale]);
}

/* Results of a step that is not due are what they were. The last one is recorded by compilers alone,
 * behind the definitions. */
static void rule_due(block which, const int64_t *a, const weft_tensor *in, weft_tensor *out) {
    const int due = given_operand(which, a[rule_given(which)], GIVEN_DUE);
    for (int i = 0; due >= 0 && i < block_table[which].parts - 1; i++)
        out[i] = weft_where(in[due], out[i], in[i]);
}

void adam_define(weft_graph *graph, const int64_t *a, const weft_tensor *in, int nin,
                 weft_tensor *out) {
    assert(nin > given_operand(BLOCK_adam, a[rule_given(BLOCK_adam)], GIVEN_DUE));
    (void)graph, (void)nin;
    weft_tensor p = in[0], m = in[1], v = in[2], lr = in[4], rate = in[5], root = in[6];
    weft_tensor g = rule_taken(BLOCK_adam, a, in, in[3]);
    float b1 = float_of((uint32_t)a[0]), b2 = float_of((uint32_t)a[1]);
    weft_tensor decay = rule_number(p.g, a[3]);
    if (a[ADAM_L2]) g = weft_add(g, weft_mul(p, decay));
    out[1] = weft_add(weft_scale(m, b1), weft_scale(g, 1 - b1));
    out[2] = weft_add(weft_scale(v, b2), weft_scale(weft_square(g), 1 - b2));
    weft_tensor move = weft_div(weft_mul(out[1], rate), weft_add(weft_mul(weft_sqrt(out[2]), root),
                                                                 rule_number(p.g, a[2])));
    if (!a[ADAM_L2]) p = weft_sub(p, weft_mul(p, weft_mul(lr, decay)));
    out[0] = weft_sub(p, move);
    rule_due(BLOCK_adam, a, in, out);
}

void momentum_define(weft_graph *graph, const int64_t *a, const weft_tensor *in, int nin,
                     weft_tensor *out) {
    assert(nin > given_operand(BLOCK_momentum, a[rule_given(BLOCK_momentum)], GIVEN_DUE));
    (void)graph, (void)nin;
    weft_tensor p = in[0], momentum = rule_number(p.g, a[0]);
    weft_tensor g = rule_taken(BLOCK_momentum, a, in, in[2]);
    g = weft_add(g, weft_mul(p, rule_number(p.g, a[1])));
    out[1] = weft_add(weft_mul(in[1], momentum), g);
    weft_tensor along = a[2] ? weft_add(g, weft_mul(out[1], momentum)) : out[1];
    out[0] = weft_sub(p, weft_mul(along, in[3]));
    rule_due(BLOCK_momentum, a, in, out);
}

/* ---- norms ---- */

void squares_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                    weft_tensor *out) {
    assert(nin <= SQUARES_MOST);
    (void)g;
    const int64_t pieces = attr[SQUARES_ATTR_PIECES];
    weft_tensor row[SQUARES_MOST];
    for (int i = 0; i < nin; i++) {
        const int64_t n = weft_count(in[i]), each = squares_piece(attr, n);
        weft_tensor x = weft_reshape(weft_square(in[i]), weft_dims(n));
        x = weft_reshape(weft_pad(x, 0, 0, pieces * each - n, 0), weft_dims(pieces, each));
        row[i] = weft_sum(x, weft_axes(1), false);
    }
    out[0] = weft_stack((weft_tensors){row, (size_t)nin}, 0);
}

weft_tensor weft_squares(weft_tensors x) {
    weft_graph *g = x.n && x.at ? x.at[0].g : NULL;
    if (!g) return weft_poison(NULL, WEFT_ARGUMENT, "squares: one or more tensors were expected");
    if (!graph_checked(g, NULL, 0)) return tensor_at(g, 0);
    const int64_t attr[SQUARES_ATTRS] = {g->ctx->traits->sum_pieces, g->ctx->traits->sum_least};
    const size_t blocks = (x.n + SQUARES_MOST - 1) / SQUARES_MOST;
    weft_tensor *piece = arena_new(&g->memory, blocks * sizeof *piece);
    if (!piece) return graph_fail(g, WEFT_MEMORY, "squares: out of memory");
    for (size_t b = 0; b < blocks; b++) {
        weft_tensor in[SQUARES_MOST];
        size_t n = 0;
        for (size_t i = b * SQUARES_MOST; i < x.n && n < SQUARES_MOST; i++)
            in[n++] = weft_cast(x.at[i], WEFT_F32);
        const int64_t dims[] = {(int64_t)n, attr[SQUARES_ATTR_PIECES]};
        const weft_tensor sums = graph_block(g, BLOCK_squares, in, (int)n, attr, SQUARES_ATTRS);
        piece[b] = graph_part(sums, 0, WEFT_F32, 2, dims);
    }
    weft_tensor all = blocks > 1 ? weft_concat((weft_tensors){piece, blocks}, 0) : piece[0];
    return weft_sum(all, weft_axes(1), false);
}
