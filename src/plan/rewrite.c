/* rewrite.c - the live part of the user's graph, copied upward into a fresh one: blocks the
 * device has no kernel for are replaced by their definitions, names for gradients' sake
 * disappear, images keep their order (layout.c).
 *
 * Reads: from, the user's graph, which stays as it is, and want. Makes: g; map, from nodes of one to
 * nodes of the other. */
#include "kern/emit_step.h"
#include "plan/mixed.h"
#include <assert.h>

typedef struct rewrite {
    compile *c;
    const weft_graph *from;
    weft_graph *g;
    uint32_t *map;
    uint8_t *live;  /* of from: 0, 1 for a single reader or wish, 2 for more */
    uint8_t *image; /* of from: see layout_copy */
    uint32_t (*parts)[LIMIT_BLOCK_PARTS]; /* of a block's definition, in g */
    weft_tensor *in;                      /* operands of the node that is copied */
    bool steps, sums;                     /* for a device that runs steps; that are fused */
} rewrite;

static void rewrite_mark(const rewrite *r) {
    const weft_graph *g = r->from;
    uint8_t *live = r->live;
    for (size_t i = 0; i < r->c->wants; i++)
        if (live[r->c->want[i]] < 2) live[r->c->want[i]]++;
    for (uint32_t i = (uint32_t)g->n - 1; i > 0; i--) {
        const node *n = &g->node[i];
        if (!live[i]) continue;
        bool renamed = n->op == OP_same && node_attr(g, n)[0] != SAME_COPY;
        for (int k = 0; k < (renamed ? 1 : n->nin); k++) {
            uint8_t *in = &live[node_in(g, n)[k]];
            if (*in < 2) ++*in;
        }
    }
}

bool rewrite_keeps(const compile *c, const weft_graph *from, const node *n) {
    const weft_backend *b = c->ctx->backend;
    if (c->ctx->no_blocks || !b->has_block) return false;
    if (c->desc->portable && !emit_has_block(node_attr(from, n)[0])) return false;
    return b->has_block(c->ctx, from, n);
}

bool rewrite_world(weft_graph *g, const weft_graph *from) {
    for (size_t i = 0; i < from->states; i++)
        if (!graph_hold(g, from->state[i])) return false;
    for (size_t i = 1; i < from->scopes; i++) /* the root is there already */
        if (!MEM_PUSH(g->m, g->scope, g->scopes, g->scope_cap, from->scope[i])) return false;
    return true;
}

/* Routines and indexed loads read memory, which numbers and counters do not have. */
static void rewrite_memory(weft_graph *g, const node *n, weft_tensor *in) {
    int cls = op_table[n->op].cls;
    bool reads = (cls == CLASS_ROUTINE && n->op != OP_concat) || cls == CLASS_BLOCK;
    for (int k = 0; k < (reads ? n->nin : n->op == OP_take); k++) {
        int op = g->node[in[k].id].op;
        if (op == OP_literal || op == OP_iota) in[k] = owned_copy(in[k]);
    }
}

/* The gradient of a sum of rows taken from a table: every row of the source is repeated for the
 * indices of its group. The repetition is a view of [groups, each, ...] but not of [groups each,
 * ...], so the two axes stay apart and nothing is copied. Id 0: another case. */
static weft_tensor rewrite_scatter(weft_graph *g, const node *n, int64_t axis, weft_tensor *in) {
    assert(n->op == OP_scatter_add);
    const weft_tensor none = {g, 0};
    const node *source = node_of(in[2]), *index = node_of(in[1]);
    if (axis != 0 || source->op != OP_reshape || index->op != OP_expand) return none;
    const weft_tensor rows = operand(in[2], 0), one = operand(in[1], 0);
    const weft_shape wide = weft_shape_of(rows);
    weft_shape narrow = wide;
    if (node_of(rows)->op != OP_expand || wide.rank != n->rank + 1 ||
        wide.n[0] * wide.n[1] != weft_dim(in[2], 0) || weft_count(one) != wide.n[0] * wide.n[1])
        return none;
    for (int d = 2; d < wide.rank; d++) {
        if (wide.n[d] != weft_dim(in[2], d - 1)) return none;
        narrow.n[d] = 1;
    }
    const weft_tensor apart[3] = {in[0], weft_expand(weft_reshape(one, narrow), wide), rows};
    const weft_shape out = weft_shape_of(in[0]);
    return graph_append(g, OP_scatter_add, (weft_dtype)n->dtype, out.rank, out.n, apart, 3, &axis,
                        1);
}

/* ---- sums of rows that are added to something ---- */

/* The node behind the names of `id`, or 0 if it has more than one reader. */
static uint32_t rewrite_alone(const rewrite *r, uint32_t id) {
    assert(id && id < r->from->n);
    for (;;) {
        const node *n = &r->from->node[id];
        if (r->live[id] > 1) return 0;
        if (n->op != OP_same || node_attr(r->from, n)[0] == SAME_COPY) return id;
        id = node_in(r->from, n)[0];
    }
}

/* What `id` became, if it is rows scattered over zeros, whole ones, for a single reader. */
static weft_tensor rewrite_rows(const rewrite *r, uint32_t id) {
    weft_graph *g = r->g;
    const weft_tensor none = {g, 0}, t = tensor_at(g, r->map[id]);
    const node *n = node_of(t);
    if (!rewrite_alone(r, id) || n->op != OP_scatter_add || n->dtype != WEFT_F32 ||
        node_attr(g, n)[0] != 0)
        return none;
    float zero;
    if (!node_literal(operand(t, 0), &zero) || zero != 0) return none;
    weft_tensor index = operand(t, 1);
    const int along = weft_rank(index) > n->rank;
    if (node_of(index)->op == OP_expand) index = operand(index, 0);
    for (int d = along + 1; d < weft_rank(index); d++)
        if (weft_dim(index, d) != 1) return none;
    return t;
}

/* Does x lie in memory anyway, so that rows can be added to it there? Sums of products do, as do those
 * times a number: a map behind a product is made where the product lies. */
static bool rewrite_lies(weft_tensor x) {
    assert(x.id);
    const int op = node_of(x)->op, cls = op_table[op].cls;
    if (op == OP_add || op == OP_mul)
        return node_of(operand(x, 0))->op == OP_matmul || node_of(operand(x, 1))->op == OP_matmul ||
               (op == OP_mul && node_of(operand(x, 0))->op == OP_add &&
                weft_count(operand(x, 0)) > 1 && rewrite_lies(operand(x, 0)));
    return cls == CLASS_ROUTINE || cls == CLASS_PART || op == OP_state || op == OP_input;
}

/* base with the rows added, each times -rate if there is one. */
static weft_tensor rewrite_add_rows(weft_tensor base, weft_tensor rows, weft_tensor rate) {
    weft_graph *g = base.g;
    weft_tensor in[3] = {base, operand(rows, 1), operand(rows, 2)};
    if (rate.id) { /* rows that are repeated are multiplied once */
        const bool repeated = node_of(in[2])->op == OP_expand;
        const weft_tensor once = repeated ? operand(in[2], 0) : in[2],
                          scaled = weft_neg(weft_mul(once, rate));
        in[2] = repeated ? weft_expand(scaled, weft_shape_of(in[2])) : scaled;
    }
    const weft_shape out = weft_shape_of(base);
    return graph_append(g, OP_scatter_add, WEFT_F32, out.rank, out.n, in, 3, (int64_t[]){0, 1}, 2);
}

/* The one number that x is everywhere, or id 0. */
static weft_tensor rewrite_number(weft_tensor x) {
    float value;
    if (node_literal(x, &value)) return weft_scalar(x.g, value);
    const node *n = node_of(x);
    const weft_tensor of = n->op == OP_expand ? operand(x, 0) : x;
    return weft_count(of) == 1 ? weft_reshape(of, (weft_shape){0}) : (weft_tensor){x.g, 0};
}

/* The gradient of a table with another added, or a step of gradient descent along it: x + rows and
 * x - rate rows touch those rows alone, and need no table of zeros. What goes to one row is still
 * summed before it meets x, so nothing small is lost. Id 0: another case. */
static weft_tensor rewrite_sum(const rewrite *r, const node *n, const weft_tensor *in) {
    assert(n->nin > 0 && in);
    weft_graph *g = r->g;
    const weft_tensor none = {g, 0};
    const uint32_t *of = node_in(r->from, n);
    for (int k = 0; n->op == OP_add && k < 2; k++) {
        const weft_tensor rows = rewrite_rows(r, of[k]);
        if (rows.id && rewrite_lies(in[1 - k])) return rewrite_add_rows(in[1 - k], rows, none);
    }
    const uint32_t product = n->op == OP_sub ? rewrite_alone(r, of[1]) : 0;
    if (!product || r->from->node[product].op != OP_mul || !rewrite_lies(in[0])) return none;
    const uint32_t *factor = node_in(r->from, &r->from->node[product]);
    for (int k = 0; k < 2; k++) {
        const weft_tensor rows = rewrite_rows(r, factor[k]);
        if (!rows.id) continue;
        const weft_tensor rate = rewrite_number(tensor_at(g, r->map[factor[1 - k]]));
        if (rate.id) return rewrite_add_rows(in[0], rows, rate);
    }
    return none;
}

/* ---- a node ---- */

/* Names disappear, and so do parts of blocks that were replaced. */
static bool rewrite_renames(rewrite *r, uint32_t i) {
    const node *n = &r->from->node[i];
    const uint32_t *operands = node_in(r->from, n);
    if (n->op == OP_same && node_attr(r->from, n)[0] != SAME_COPY) {
        r->map[i] = r->map[operands[0]];
        r->image[i] = r->image[operands[0]];
        return true;
    }
    if (n->op != OP_part || !r->parts[operands[0]][0]) return false;
    r->map[i] = r->parts[operands[0]][node_attr(r->from, n)[0]];
    return true;
}

/* A block becomes its definition. */
static void rewrite_define(rewrite *r, uint32_t i) {
    const node *n = &r->from->node[i];
    int64_t attr[LIMIT_ATTRS];
    weft_tensor out[LIMIT_BLOCK_PARTS] = {{0}};
    assert(n->nattr && n->nattr <= LIMIT_ATTRS);
    memcpy(attr, node_attr(r->from, n), n->nattr * sizeof *attr);
    r->g->final = false; /* definitions may differentiate */
    const bool defined = block_define(r->g, attr, r->in, n->nin, out);
    r->g->final = true;
    for (int k = 0; defined && k < block_table[attr[0]].parts; k++) r->parts[i][k] = out[k].id;
}

/* What the node becomes where there is something better than a copy, or 0. */
static uint32_t rewrite_better(rewrite *r, const node *n) {
    if (n->op == OP_scatter_add && r->steps)
        return rewrite_scatter(r->g, n, node_attr(r->from, n)[0], r->in).id;
    if ((n->op == OP_add || n->op == OP_sub) && n->dtype == WEFT_F32 && r->sums)
        return rewrite_sum(r, n, r->in).id;
    return 0;
}

static void rewrite_node(rewrite *r, uint32_t i) {
    assert(i && i < r->from->n);
    const node *n = &r->from->node[i];
    if (rewrite_renames(r, i)) return;
    for (int k = 0; k < n->nin; k++) r->in[k] = tensor_at(r->g, r->map[node_in(r->from, n)[k]]);
    r->g->in_scope = n->scope;
    r->g->salt = n->salt;
    /* What a mixed plan rounds is decided before blocks are defined: the same on all devices. */
    if (n->op == OP_block && r->c->desc->mixed == WEFT_F32 && !rewrite_keeps(r->c, r->from, n)) {
        rewrite_define(r, i);
        return;
    }
    const bool takes =
        mixed_takes(r->c, r->from, n, WEFT_BF16) || mixed_takes(r->c, r->from, n, WEFT_F16);
    for (int k = 0; k < n->nin && takes; k++) {
        const weft_tensor narrow = mixed_operand(r->in[k]);
        if (narrow.id && mixed_takes(r->c, r->from, n, node_of(narrow)->dtype)) r->in[k] = narrow;
    }
    rewrite_memory(r->g, n, r->in);
    if ((r->map[i] = rewrite_better(r, n))) return;
    r->map[i] = layout_copy(r->g, r->from, n, r->in, r->image).id;
    r->image[i] = r->map[i] || layout_image(r->from, n, r->image);
    if (!r->map[i]) r->map[i] = graph_copy_node(r->g, r->from, n, r->in).id;
}

weft_err rewrite_pass(compile *c) {
    rewrite r = {.c = c, .from = c->from, .g = c->g};
    r.steps = !c->desc->portable && !c->ctx->backend->graph;
    r.sums = r.steps && compile_fuses(c);
    r.map = c->map = arena_new(&c->memory, c->from->n * sizeof *r.map);
    r.live = mem_new(c->m, c->from->n);
    r.image = mem_new(c->m, c->from->n);
    r.parts = mem_new(c->m, c->from->n * sizeof *r.parts);
    r.in = mem_new(c->m, LIMIT_OPERANDS * sizeof *r.in);
    const bool room = r.map && r.live && r.image && r.parts && r.in && rewrite_world(c->g, c->from);
    c->g->final = true;
    if (room) rewrite_mark(&r);
    for (uint32_t i = 1; room && i < c->from->n && c->g->err == WEFT_OK; i++)
        if (r.live[i]) rewrite_node(&r, i);
    mem_free(c->m, r.live);
    mem_free(c->m, r.image);
    mem_free(c->m, r.parts);
    mem_free(c->m, r.in);
    return room ? c->g->err : compile_no_memory(c);
}
