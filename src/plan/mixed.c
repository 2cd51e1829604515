/* mixed.c - 16-bit arithmetic for a graph that was recorded in f32.
 *
 * In: the rewritten graph. Out: a copy of it in which products read operands of 16 bits. These rules
 * say what is rounded; everything else (folds, losses, statistics, updates, fetches) stays f32.
 *
 *   - What a product reads is rounded once, where it is computed. Maps, and the sums over rows that
 *     are gradients of biases, read the rounded value too, so that nothing else lies in memory.
 *   - What a map makes before a product and a map reads behind it has to lie in memory meanwhile: it
 *     is rounded if only maps and products read it and cheap maps of rounded values do not give it.
 *   - A parameter is read through its shadow, an entry of the state that the update writes along.
 *   - The largest of rounded values is one of them: pools pass 16 bits on, and their gradients compare
 *     rounded values with each other.
 *
 * These are rules of the graph alone, so all devices round the same: blocks that a device has no kernel
 * for are defined here, and not before. A 16-bit value is widened again by a cast in front of
 * each map, which inline.c leaves to the reader, and of a product that the device does not give 16 bits
 * (`product_types`).
 *
 * Reads: g, map, want. Makes: another g and map, kept, shadow. */
#include "plan/mixed.h"
#include "core/shape.h"
#include <assert.h>

/* How a value is read, through views. */
enum {
    READ_PRODUCT = 1, /* by a product, as what it multiplies               */
    READ_FOLD = 2,    /* by something that wants f32                       */
    READ_ROWS = 4,    /* by a sum over its first axis: a bias's gradient   */
    READ_BEHIND = 8   /* by a map behind another product                   */
};

typedef struct mixed {
    compile *c;
    const weft_graph *from;
    weft_graph *to;
    weft_dtype type;
    uint8_t *live, *read, *soft, *cheap;  /* [from->n] soft: in 16 bits alone, or a view of such */
    uint32_t (*parts)[LIMIT_BLOCK_PARTS]; /* of a block that was defined                        */
    uint32_t *depth;                      /* products on the longest way to a node               */
    uint32_t *whole, *half;               /* nodes of `to`: in f32, in 16 bits; 0: not made      */
} mixed;

static bool mixed_narrow(int dtype) {
    return dtype == WEFT_BF16 || dtype == WEFT_F16;
}

static product_kind mixed_product(const weft_graph *g, const node *n) {
    if (n->op == OP_matmul) return PRODUCT_MATRIX;
    return n->op == OP_block ? block_table[node_attr(g, n)[0]].product : PRODUCT_NONE;
}

static bool mixed_multiplies(const weft_graph *g, const node *n) {
    const product_kind kind = mixed_product(g, n);
    return kind != PRODUCT_NONE && kind != PRODUCT_POOL;
}

/* Does a product multiply its operand k, or only know of it (the scores' sums of attention)? */
static bool mixed_factor(const weft_graph *g, const node *n, int k) {
    const uint32_t *in = node_in(g, n);
    return n->op == OP_matmul || g->node[in[k]].rank >= g->node[in[0]].rank;
}

/* From 16 bits to f32: nothing is left to round. */
static bool mixed_widens(const weft_graph *g, const node *n) {
    return n->op == OP_cast && n->dtype == WEFT_F32 &&
           mixed_narrow(g->node[node_in(g, n)[0]].dtype);
}

static bool mixed_is_view(const node *n) {
    return op_table[n->op].cls == CLASS_VIEW && n->op != OP_same;
}

/* ---- products of values that are 16 bits wide already ---- */

weft_tensor mixed_operand(weft_tensor x) {
    assert(x.id);
    const node *n = node_of(x);
    const weft_tensor none = {x.g, 0};
    if (n->op == OP_cast && n->dtype == WEFT_F32) {
        const weft_tensor of = operand(x, 0);
        return mixed_narrow(node_of(of)->dtype) ? of : none;
    }
    if (!mixed_is_view(n) || n->op == OP_pad || n->nin != 1) return none;
    const weft_tensor below = mixed_operand(operand(x, 0));
    if (!below.id) return none;
    node view = *node_of(x);
    view.dtype = node_of(below)->dtype;
    return graph_copy_node(x.g, x.g, &view, &below);
}

bool mixed_takes(const compile *c, const weft_graph *g, const node *n, int type) {
    return !c->desc->portable && !c->ctx->backend->graph &&
           (c->ctx->traits->product_types[mixed_product(g, n)] >> type & 1);
}

/* ---- who reads what ---- */

static void mixed_mark(mixed *m, const uint32_t *roots, size_t n) {
    for (size_t i = 0; i < n; i++) m->live[roots[i]] = 1, m->read[roots[i]] |= READ_FOLD;
    for (uint32_t i = (uint32_t)m->from->n - 1; i > 0; i--)
        for (int k = 0; m->live[i] && k < m->from->node[i].nin; k++)
            m->live[node_in(m->from, &m->from->node[i])[k]] = 1;
}

static void mixed_depths(mixed *m) {
    for (uint32_t i = 1; i < m->from->n; i++) {
        const node *n = &m->from->node[i];
        for (int k = 0; k < n->nin; k++) {
            const uint32_t in = m->depth[node_in(m->from, n)[k]];
            if (in > m->depth[i]) m->depth[i] = in;
        }
        m->depth[i] += mixed_multiplies(m->from, n);
    }
}

/* How node i reads its operand k. */
static uint8_t mixed_reads(const mixed *m, uint32_t i, int k) {
    assert(k >= 0 && k < m->from->node[i].nin);
    const node *n = &m->from->node[i];
    const uint32_t in = node_in(m->from, n)[k];
    if (mixed_is_view(n)) return k ? READ_FOLD : m->read[i];
    if (n->op == OP_part && mixed_product(m->from, &m->from->node[in]) == PRODUCT_POOL)
        return m->read[i];
    if (mixed_product(m->from, n) == PRODUCT_POOL)
        return node_attr(m->from, n)[0] == BLOCK_max_pool ? m->read[i] : k < 2 ? 0 : READ_FOLD;
    if (mixed_multiplies(m->from, n)) return mixed_factor(m->from, n, k) ? READ_PRODUCT : READ_FOLD;
    if (n->op == OP_sum && n->rank > 1) {
        const uint32_t axes = (uint32_t)node_attr(m->from, n)[0];
        return (axes & 1) && !(axes >> (n->rank - 1) & 1) ? READ_ROWS : READ_FOLD;
    }
    if (!op_is_map(n->op) || n->op == OP_take) return READ_FOLD;
    return m->depth[i] > m->depth[in] ? READ_BEHIND : 0;
}

/* Operands precede their readers, so one downward loop has met every reader of a node before it. */
static void mixed_readers(mixed *m) {
    for (uint32_t i = (uint32_t)m->from->n - 1; i > 0; i--) {
        const node *n = &m->from->node[i];
        for (int k = 0; m->live[i] && k < n->nin; k++)
            m->read[node_in(m->from, n)[k]] |= mixed_reads(m, i, k);
    }
}

/* Do cheap maps make it from what lies in memory in any case? */
static bool mixed_derivable(const mixed *m, uint32_t i) {
    assert(i && i < m->from->n);
    const node *n = &m->from->node[i];
    if (!op_is_map(n->op) || op_table[n->op].cost > 1) return false;
    for (int k = 0; k < n->nin; k++) {
        uint32_t in = node_in(m->from, n)[k];
        while (mixed_is_view(&m->from->node[in])) in = node_in(m->from, &m->from->node[in])[0];
        if (op_table[m->from->node[in].op].cls != CLASS_LEAF && !m->soft[in] && !m->cheap[in] &&
            m->from->node[in].dtype == WEFT_F32)
            return false;
    }
    return true;
}

/* Is node i, which is computed, in memory as 16 bits alone? */
static bool mixed_softens(const mixed *m, uint32_t i) {
    const node *n = &m->from->node[i];
    const uint8_t read = m->read[i];
    if (n->dtype != WEFT_F32 || op_table[n->op].cls == CLASS_LEAF || n->op == OP_same ||
        n->op == OP_block || (read & READ_FOLD) || mixed_is_view(n) || mixed_widens(m->from, n))
        return false;
    if (read & READ_PRODUCT) return true;
    const bool made = n->op == OP_matmul || (op_is_map(n->op) && n->op != OP_take);
    return made && (read & READ_BEHIND) && !(read & READ_ROWS) && m->depth[i] > 0 && !m->cheap[i];
}

/* ---- copying ---- */

static weft_tensor mixed_half(mixed *m, uint32_t i);

/* The view of something in f32 as the view of it in 16 bits. */
static weft_tensor mixed_half_view(mixed *m, const node *n) {
    weft_tensor in[2] = {mixed_half(m, node_in(m->from, n)[0]), {m->to, 0}};
    if (n->nin > 1) in[1] = tensor_at(m->to, m->whole[node_in(m->from, n)[1]]);
    if (!in[0].id) return in[0];
    node view = *n;
    view.dtype = node_of(in[0])->dtype;
    return graph_copy_node(m->to, m->from, &view, in);
}

/* Node i of `from`, rounded: a tensor of 16 bits. */
static weft_tensor mixed_half(mixed *m, uint32_t i) {
    assert(i && i < m->from->n);
    const node *n = &m->from->node[i];
    if (m->half[i] || m->to->err) return tensor_at(m->to, m->half[i]);
    weft_tensor r = {m->to, 0};
    if (mixed_is_view(n)) r = mixed_half_view(m, n);
    else {
        const weft_tensor x = tensor_at(m->to, m->whole[i]);
        assert(x.id);
        if (n->op == OP_state) r = shadow_of(m->c, x, m->type);
        if (!r.id) r = weft_cast(x, m->type);
    }
    m->half[i] = r.id;
    return r;
}

/* Does node i read its operand k, which is f32, rounded? */
static bool mixed_rounds(const mixed *m, uint32_t i, int k) {
    const node *n = &m->from->node[i];
    const uint32_t *in = node_in(m->from, n);
    if (mixed_product(m->from, n) == PRODUCT_POOL)
        /* x and y of a gradient, which compares them: rounded where y is */
        return m->soft[in[k]] || (n->nin > 1 && k == 0 && m->soft[in[1]]);
    return mixed_multiplies(m->from, n) && mixed_factor(m->from, n, k);
}

/* Is it a block whose definition is used, since the device has no kernel for it? */
static bool mixed_defines(const mixed *m, const node *n) {
    return n->op == OP_block && !rewrite_keeps(m->c, m->from, n);
}

/* The operands of node i as its copy reads them. */
static void mixed_operands(mixed *m, uint32_t i, weft_tensor *in) {
    const node *n = &m->from->node[i];
    const bool product = mixed_product(m->from, n) != PRODUCT_NONE;
    for (int k = 0; k < n->nin; k++) {
        const uint32_t of = node_in(m->from, n)[k];
        const int type = m->from->node[of].dtype;
        const bool rounded = type == WEFT_F32 && mixed_rounds(m, i, k);
        in[k] = rounded ? mixed_half(m, of) : tensor_at(m->to, m->whole[of]);
        if (product && (rounded || mixed_narrow(type)) && in[k].id &&
            (mixed_defines(m, n) || !mixed_takes(m->c, m->from, n, node_of(in[k])->dtype)))
            in[k] = weft_cast(in[k], WEFT_F32);
    }
}

/* A block becomes its definition. */
static void mixed_define(mixed *m, uint32_t i, const weft_tensor *in) {
    const node *n = &m->from->node[i];
    weft_tensor out[LIMIT_BLOCK_PARTS] = {{0}};
    const int64_t *attr = node_attr(m->from, n);
    m->to->final = false; /* definitions may differentiate */
    const bool defined = block_define(m->to, attr, in, n->nin, out);
    m->to->final = true;
    for (int k = 0; defined && k < block_table[attr[0]].parts; k++) m->parts[i][k] = out[k].id;
}

/* A part of a block of products: the block writes it in 16 bits itself. */
static weft_tensor mixed_part(mixed *m, uint32_t i, weft_tensor block) {
    const weft_tensor none = {m->to, 0};
    const node *n = &m->from->node[i];
    const node *of = &m->from->node[node_in(m->from, n)[0]];
    if (n->op != OP_part || mixed_product(m->from, of) != PRODUCT_ATTENTION ||
        !mixed_takes(m->c, m->from, of, m->type))
        return none;
    return graph_part(block, (int)node_attr(m->from, n)[0], m->type, n->rank,
                      m->from->dim + n->dim);
}

static void mixed_copy(mixed *m, uint32_t i, weft_tensor *in) {
    const node *n = &m->from->node[i];
    m->to->in_scope = n->scope;
    m->to->salt = n->salt;
    if (mixed_is_view(n) && m->soft[node_in(m->from, n)[0]]) {
        m->soft[i] = 1;
        m->whole[i] = weft_cast(mixed_half(m, i), WEFT_F32).id;
        return;
    }
    mixed_operands(m, i, in);
    if (mixed_defines(m, n)) {
        mixed_define(m, i, in);
        return;
    }
    const uint32_t defined =
        n->op == OP_part ? m->parts[node_in(m->from, n)[0]][node_attr(m->from, n)[0]] : 0;
    const bool soft = m->live[i] && mixed_softens(m, i);
    if (defined) m->whole[i] = defined;
    else if (soft) m->half[i] = mixed_part(m, i, in[0]).id;
    if (!m->half[i] && !defined) m->whole[i] = graph_copy_node(m->to, m->from, n, in).id;
    m->cheap[i] = n->dtype == WEFT_F32 && mixed_derivable(m, i);
    if (!soft || m->to->err) return;
    m->soft[i] = 1;
    const weft_tensor half = mixed_half(m, i);
    m->whole[i] = weft_cast(half, WEFT_F32).id;
    if (half.id && !MEM_PUSH(m->c->m, m->c->kept, m->c->kepts, m->c->kept_cap, half.id))
        graph_fail(m->to, WEFT_MEMORY, "compile: out of memory");
}

static bool mixed_arrays(mixed *m) {
    const size_t n = m->from->n;
    mem *const a = m->c->m;
    m->live = mem_new(a, n), m->read = mem_new(a, n);
    m->soft = mem_new(a, n), m->cheap = mem_new(a, n);
    m->depth = mem_new(a, n * sizeof *m->depth), m->parts = mem_new(a, n * sizeof *m->parts);
    m->whole = mem_new(a, n * sizeof *m->whole), m->half = mem_new(a, n * sizeof *m->half);
    return m->live && m->read && m->soft && m->cheap && m->depth && m->parts && m->whole && m->half;
}

static void mixed_free(mixed *m) {
    mem *const a = m->c->m;
    mem_free(a, m->live), mem_free(a, m->read);
    mem_free(a, m->soft), mem_free(a, m->cheap);
    mem_free(a, m->depth), mem_free(a, m->parts);
    mem_free(a, m->whole), mem_free(a, m->half);
}

weft_err mixed_pass(compile *c) {
    if (c->desc->mixed == WEFT_F32) return WEFT_OK;
    const weft_graph *const user = c->from;
    mixed m = {.c = c, .from = c->g, .to = weft_graph_new(c->ctx), .type = c->desc->mixed};
    uint32_t *roots = mem_new(c->m, (c->wants + user->n) * sizeof *roots), *const map = c->map;
    weft_tensor *in = mem_new(c->m, LIMIT_OPERANDS * sizeof *in);
    bool room = m.to && roots && in && mixed_arrays(&m) && rewrite_world(m.to, m.from);
    if (room) {
        size_t n = 0;
        for (size_t i = 0; i < c->wants; i++) roots[n++] = map[c->want[i]];
        for (uint32_t i = 1; i < user->n; i++) /* what was asked to be stored: gradients */
            if (map[i] && user->node[i].op == OP_same &&
                node_attr(user, &user->node[i])[0] == SAME_STORED)
                roots[n++] = map[i];
        m.to->final = true;
        mixed_mark(&m, roots, n);
        mixed_depths(&m);
        mixed_readers(&m);
        for (uint32_t i = 1; i < m.from->n && !m.to->err; i++) mixed_copy(&m, i, in);
        for (uint32_t i = 1; i < user->n; i++) map[i] = m.whole[map[i]];
        weft_graph *const old = c->g;
        c->g = m.to, m.to = old;
    }
    weft_graph_free(m.to);
    mixed_free(&m);
    mem_free(c->m, roots);
    mem_free(c->m, in);
    return room ? c->g->err : weft_fail(c->ctx, WEFT_MEMORY, "compile: out of memory");
}
