/* graph.c - the append-only array of nodes: growing, interning, scopes, leaves.
 *
 * What an operation means for shapes is in shape.c; here a node is only stored once and found
 * again. */
#include "core/graph.h"
#include "core/context.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

const op_info op_table[OP_COUNT] = {
    [OP_NONE] = {"poison", CLASS_LEAF, 0, 0, false},
#define NOINT GRAPH_NO_INT
#define OP_UNARY(name, f32, i32, cost, ...)                                                        \
    [OP_##name] = {#name, CLASS_UNARY, 1, cost, sizeof #i32 != sizeof "NOINT"},
#define OP_BINARY(name, f32, i32, cost, ...)                                                       \
    [OP_##name] = {#name, CLASS_BINARY, 2, cost, sizeof #i32 != sizeof "NOINT"},
#define OP_COMPARE(name, ...)           [OP_##name] = {#name, CLASS_COMPARE, 2, 1, true},
#define OP_LOGIC(name, ...)             [OP_##name] = {#name, CLASS_LOGIC, 2, 1, true},
#define OP_FOLD(name, ...)              [OP_##name] = {#name, CLASS_FOLD, 1, 1, true},
#define OP_ROUTINE(name, operands, ...) [OP_##name] = {#name, CLASS_ROUTINE, operands, 0, true},
#define OP_OTHER(name, cls, operands, cost, ...)                                                   \
    [OP_##name] = {#name, CLASS_##cls, operands, cost, true},
#include "core/ops.def"
#undef NOINT
};

/* ---- life ---- */

weft_graph *weft_graph_new(weft_ctx *c) {
    if (!c) {
        weft_fail(NULL, WEFT_ARGUMENT, "weft_graph_new: the context is NULL");
        return NULL;
    }
    weft_graph *g = mem_new(&c->m, sizeof *g);
    if (g) {
        g->ctx = c;
        g->m = &c->m;
        g->memory.m = &c->m;
        g->table_size = 256;
        g->table = mem_new(g->m, g->table_size * sizeof *g->table);
        graph_scope root = {.name = ""};
        /* the pools are never NULL, so that a node without operands or extents points somewhere */
        if (!g->table || !MEM_PUSH(g->m, g->scope, g->scopes, g->scope_cap, root) ||
            !mem_room(g->m, &g->edge, 0, &g->edge_cap, sizeof *g->edge) ||
            !mem_room(g->m, &g->dim, 0, &g->dim_cap, sizeof *g->dim) ||
            !mem_room(g->m, &g->attr, 0, &g->attr_cap, sizeof *g->attr) ||
            !MEM_PUSH(g->m, g->node, g->n, g->node_cap, (node){0})) {
            weft_graph_free(g);
            g = NULL;
        }
    }
    if (!g) weft_fail(c, WEFT_MEMORY, "weft_graph_new: out of memory");
    return g;
}

void weft_graph_free(weft_graph *g) {
    if (!g) return;
    for (size_t i = 0; i < g->states; i++) state_release(g->state[i]);
    arena_free(&g->memory);
    mem_free(g->m, g->node);
    mem_free(g->m, g->edge);
    mem_free(g->m, g->dim);
    mem_free(g->m, g->attr);
    mem_free(g->m, g->table);
    mem_free(g->m, g->state);
    mem_free(g->m, g->scope);
    mem_free(g->m, g->scope_table);
    mem_free(g->m, g->custom);
    mem_free(g->m, g->span);
    mem_free(g->m, g);
}

weft_ctx *weft_graph_ctx(const weft_graph *g) {
    return g ? g->ctx : NULL;
}

weft_err weft_graph_error(const weft_graph *g) {
    return g ? g->err : WEFT_ARGUMENT;
}

/* ---- errors ---- */

const char *node_scope(const weft_graph *g, const node *n, char *buf, size_t size, char separator) {
    assert(buf && size > 0);
    uint32_t path[LIMIT_SCOPE_DEPTH];
    int depth = 0;
    for (uint32_t s = n->scope; s && depth < LIMIT_SCOPE_DEPTH; s = g->scope[s].parent)
        path[depth++] = s;
    size_t at = 0;
    buf[0] = 0;
    while (depth-- > 0) {
        int w = snprintf(buf + at, size - at, "%s%c", g->scope[path[depth]].name, separator);
        if (w < 0 || at + (size_t)w >= size) break;
        at += (size_t)w;
    }
    if (at) buf[at - 1] = 0; /* the last separator */
    return buf;
}

weft_tensor graph_fail(weft_graph *g, weft_err e, const char *format, ...) {
    if (g->err == WEFT_OK) {
        char where[128], what[320];
        node here = {.scope = g->in_scope};
        node_scope(g, &here, where, sizeof where, '/');
        va_list args;
        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        g->err = weft_fail(g->ctx, e, "%s%s%s", where, where[0] ? ": " : "", what);
    }
    return tensor_at(g, 0);
}

weft_tensor weft_poison(weft_graph *g, weft_err e, const char *format, ...) {
    char what[320];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (g) return graph_fail(g, e, "%s", what);
    weft_fail(NULL, e, "%s", what);
    return (weft_tensor){NULL, 0};
}

void *weft_graph_memory(weft_graph *g, size_t bytes) {
    void *p = g && bytes < PTRDIFF_MAX ? arena_new(&g->memory, bytes) : NULL;
    if (g && !p) graph_fail(g, WEFT_MEMORY, "graph: out of memory for %zu bytes", bytes);
    return p;
}

/* ---- modes and scopes ---- */

void weft_graph_eval(weft_graph *g) {
    if (g) g->eval = true;
}

bool weft_graph_is_eval(const weft_graph *g) {
    return g && g->eval;
}

static uint32_t scope_hash(uint32_t parent, const char *name) {
    assert(name);
    return (uint32_t)(hash_bytes(hash_word(HASH_START, parent), name, strlen(name)) >> 16);
}

/* Brings the table up to date: a compiler's copy of a graph takes over scopes as they are. */
static bool scope_table(weft_graph *g) {
    if (g->scopes >= g->scope_slots) {
        const size_t slots = 2 * g->scopes + 64;
        size_t size = 64;
        while (size < slots) size *= 2;
        uint32_t *t = mem_new(g->m, size * sizeof *t);
        if (!t) return false;
        mem_free(g->m, g->scope_table);
        g->scope_table = t, g->scope_slots = size, g->hashed = 1; /* not the root */
    }
    for (; g->hashed < g->scopes; g->hashed++) {
        graph_scope *s = &g->scope[g->hashed];
        s->hash = scope_hash(s->parent, s->name);
        uint32_t *slot = &g->scope_table[s->hash & (g->scope_slots - 1)];
        s->next = *slot;
        *slot = (uint32_t)g->hashed;
    }
    return true;
}

void weft_scope_push(weft_graph *g, const char *name) {
    if (!g) return;
    if (!name || !*name || strpbrk(name, "./")) {
        graph_fail(g, WEFT_ARGUMENT, "scope: a name without '.' or '/' was expected");
        name = "?";
    }
    /* The same scope entered again is the same scope: its random streams go on counting. */
    const uint32_t hash = scope_hash(g->in_scope, name);
    if (!scope_table(g)) {
        graph_fail(g, WEFT_MEMORY, "scope: out of memory");
        return;
    }
    for (uint32_t i = g->scope_table[hash & (g->scope_slots - 1)]; i; i = g->scope[i].next)
        if (g->scope[i].hash == hash && g->scope[i].parent == g->in_scope &&
            strcmp(g->scope[i].name, name) == 0) {
            g->in_scope = i;
            return;
        }
    int depth = 1;
    size_t length = strlen(name) + 1;
    for (uint32_t i = g->in_scope; i; i = g->scope[i].parent)
        depth++, length += strlen(g->scope[i].name) + 1;
    if (depth > LIMIT_SCOPE_DEPTH ||
        length > LIMIT_SCOPE_LENGTH) { /* a path that was cut could be another scope's */
        graph_fail(g, WEFT_ARGUMENT,
                   "scope: %d deep and %zu characters long; at most %d and %d are allowed", depth,
                   length, LIMIT_SCOPE_DEPTH, LIMIT_SCOPE_LENGTH);
        return;
    }
    graph_scope s = {.name = arena_text(&g->memory, name), .parent = g->in_scope};
    if (s.name && MEM_PUSH(g->m, g->scope, g->scopes, g->scope_cap, s))
        g->in_scope = (uint32_t)g->scopes - 1;
    else graph_fail(g, WEFT_MEMORY, "scope: out of memory");
}

void weft_scope_pop(weft_graph *g) {
    if (g) g->in_scope = g->scope[g->in_scope].parent;
}

/* ---- appending ---- */

static bool graph_equal(const weft_graph *g, const node *a, const node *b) {
    assert(a->in + a->nin <= g->edges && b->in + b->nin <= g->edges);
    return a->hash == b->hash && a->op == b->op && a->dtype == b->dtype && a->rank == b->rank &&
           a->nattr == b->nattr && a->nin == b->nin && a->salt == b->salt &&
           !memcmp(g->edge + a->in, g->edge + b->in, a->nin * sizeof *g->edge) &&
           !memcmp(g->dim + a->dim, g->dim + b->dim, a->rank * sizeof *g->dim) &&
           !memcmp(g->attr + a->attr, g->attr + b->attr, a->nattr * sizeof *g->attr);
}

/* Of all that makes two nodes equal. */
static uint32_t graph_hash(const weft_graph *g, const node *n) {
    uint64_t h = hash_word(HASH_START, (uint64_t)n->op << 32 | (uint64_t)n->dtype << 16 | n->salt);
    for (int i = 0; i < n->nin; i++) h = hash_word(h, node_in(g, n)[i]);
    for (int i = 0; i < n->rank; i++) h = hash_word(h, (uint64_t)node_dims(g, n)[i]);
    for (int i = 0; i < n->nattr; i++) h = hash_word(h, (uint64_t)node_attr(g, n)[i]);
    return (uint32_t)(h >> 16);
}

/* Rebuilds the chains, in a table of that size. */
static bool graph_rehash(weft_graph *g, size_t size) {
    assert(size > 0 && (size & (size - 1)) == 0);
    uint32_t *t = mem_new(g->m, size * sizeof *t);
    if (!t) return false;
    for (uint32_t i = 1; i < g->n; i++) {
        uint32_t *slot = &t[g->node[i].hash & (size - 1)];
        g->node[i].next = *slot;
        *slot = i;
    }
    mem_free(g->m, g->table);
    g->table = t;
    g->table_size = size;
    return true;
}

bool shape_count(int rank, const int64_t *dim, int64_t *count) {
    assert(rank >= 0 && rank <= WEFT_MAX_RANK && count);
    int64_t all = 1; /* extents of 0 as 1 */
    *count = 1;
    for (int i = 0; i < rank; i++) {
        if (!checked_mul(all, dim[i] ? dim[i] : 1, &all) || all > LIMIT_ELEMENTS) return false;
        *count *= dim[i];
    }
    return true;
}

bool graph_positions(weft_graph *g, const char *what, int64_t n) {
    if (n <= LIMIT_POSITIONS) return true;
    graph_fail(
        g, WEFT_SHAPE,
        "%s: %lld positions, i32 counts no more than %d: split the axis, or take it in pieces",
        what, (long long)n, LIMIT_POSITIONS);
    return false;
}

weft_tensor graph_append(weft_graph *g, int op, weft_dtype t, int rank, const int64_t *dim,
                         const weft_tensor *in, int nin, const int64_t *attr, int nattr) {
    if (g->err) return tensor_at(g, 0);
    assert(nin >= 0 && nin <= LIMIT_OPERANDS && nattr >= 0 && nattr <= LIMIT_ATTRS);
    assert(rank >= 0 && rank <= WEFT_MAX_RANK);
    int64_t count;
    if (!shape_count(rank, dim, &count)) {
        char buf[128];
        return graph_fail(
            g, WEFT_SHAPE, "%s: shape %s has more elements than the %lld a tensor may have",
            op_table[op].name, shape_text(buf, sizeof buf, rank, dim), (long long)LIMIT_ELEMENTS);
    }
    weft_tensor simpler = simplify(g, op, t, rank, dim, in, nin, attr, nattr);
    if (simpler.id || g->err) return simpler;

    /* Written behind the last node first, then looked up: a hit simply is not kept. */
    node n = {.op = (uint8_t)op,
              .dtype = (uint8_t)t,
              .rank = (uint8_t)rank,
              .nattr = (uint8_t)nattr,
              .nin = (uint16_t)nin,
              .salt = op == OP_part ? 0 : g->salt, /* its block has one */
              .in = (uint32_t)g->edges,
              .dim = (uint32_t)g->dims,
              .attr = (uint32_t)g->attrs,
              .scope = g->in_scope};
    size_t edges = g->edges, dims = g->dims, attrs = g->attrs;
    bool room = true;
    for (int i = 0; i < nin && room; i++)
        room = MEM_PUSH(g->m, g->edge, g->edges, g->edge_cap, in[i].id);
    for (int i = 0; i < rank && room; i++)
        room = MEM_PUSH(g->m, g->dim, g->dims, g->dim_cap, dim[i]);
    for (int i = 0; i < nattr && room; i++)
        room = MEM_PUSH(g->m, g->attr, g->attrs, g->attr_cap, attr[i]);
    if (room) n.hash = graph_hash(g, &n);
    if (room && g->n >= g->table_size) room = graph_rehash(g, g->table_size * 2);
    if (!room || g->n >= LIMIT_NODES) {
        g->edges = edges, g->dims = dims, g->attrs = attrs;
        return graph_fail(g, WEFT_MEMORY, "%s: out of memory", op_table[op].name);
    }
    uint32_t *slot = &g->table[n.hash & (g->table_size - 1)];
    for (uint32_t i = *slot; i; i = g->node[i].next)
        if (graph_equal(g, &g->node[i], &n)) {
            g->edges = edges, g->dims = dims, g->attrs = attrs;
            return tensor_at(g, i);
        }
    n.next = *slot;
    if (!MEM_PUSH(g->m, g->node, g->n, g->node_cap, n)) {
        g->edges = edges, g->dims = dims, g->attrs = attrs;
        return graph_fail(g, WEFT_MEMORY, "%s: out of memory", op_table[op].name);
    }
    *slot = (uint32_t)g->n - 1;
    return tensor_at(g, *slot);
}

weft_tensor graph_copy_node(weft_graph *to, const weft_graph *from, const node *n,
                            const weft_tensor *in) {
    /* The pools of `from` may be those of `to` and move while growing: copy what is passed on. */
    int64_t dim[WEFT_MAX_RANK], attr[LIMIT_ATTRS];
    memcpy(dim, node_dims(from, n), n->rank * sizeof *dim);
    memcpy(attr, node_attr(from, n), n->nattr * sizeof *attr);
    return graph_append(to, n->op, (weft_dtype)n->dtype, n->rank, dim, in, n->nin, attr, n->nattr);
}

bool graph_checked(weft_graph *g, const weft_tensor *in, int nin) {
    if (!g) {
        weft_fail(NULL, WEFT_ARGUMENT,
                  "an operation was given no graph: a tensor or graph is missing");
        return false;
    }
    for (int i = 0; i < nin; i++) {
        if (in[i].g != g) {
            graph_fail(g, WEFT_ARGUMENT,
                       in[i].g ? "operands belong to different graphs" : "an operand is missing");
            return false;
        }
        if (in[i].id >= g->n) {
            graph_fail(g, WEFT_ARGUMENT, "an operand is not a tensor of this graph");
            return false;
        }
        if (!in[i].id) {
            graph_fail(g, WEFT_ARGUMENT,
                       "an operand is poison"); /* only if there is no earlier message */
            return false;
        }
    }
    return g->err == WEFT_OK;
}

/* ---- leaves ---- */

bool graph_shape_ok(weft_graph *g, const char *what, weft_dtype t, const weft_shape *s) {
    if (!g) {
        weft_fail(NULL, WEFT_ARGUMENT, "%s: the graph is NULL", what);
        return false;
    }
    if ((unsigned)t >= WEFT_DTYPE_COUNT) {
        graph_fail(g, WEFT_DTYPE, "%s: unknown element type %d", what, (int)t);
        return false;
    }
    if (s->rank < 0 || s->rank > WEFT_MAX_RANK) {
        graph_fail(g, WEFT_SHAPE, "%s: rank %d, at most %d is allowed", what, (int)s->rank,
                   WEFT_MAX_RANK);
        return false;
    }
    for (int i = 0; i < s->rank; i++)
        if (s->n[i] < 0) {
            graph_fail(g, WEFT_SHAPE, "%s: extent %lld of axis %d is negative", what,
                       (long long)s->n[i], i);
            return false;
        }
    return true;
}

weft_tensor weft_input(weft_graph *g, weft_dtype t, weft_shape s) {
    if (!graph_shape_ok(g, "input", t, &s)) return tensor_at(g, 0);
    int64_t ordinal = g->inputs;
    weft_tensor x = graph_append(g, OP_input, t, s.rank, s.n, NULL, 0, &ordinal, 1);
    if (x.id) g->inputs++;
    return x;
}

struct graph_bytes {
    struct graph_bytes *next;
    size_t n;
    void *at;
};

const void *graph_keep(weft_graph *g, const void *bytes, size_t n) {
    assert(bytes || !n);
    for (const struct graph_bytes *k = g->kept; k; k = k->next)
        if (k->n == n && (!n || !memcmp(k->at, bytes, n))) return k->at;
    struct graph_bytes *k = arena_new(&g->memory, sizeof *k);
    void *at = arena_new(&g->memory, n + !n);
    if (!k || !at) return NULL;
    if (n) memcpy(at, bytes, n);
    *k = (struct graph_bytes){g->kept, n, at};
    g->kept = k;
    return at;
}

weft_tensor weft_const(weft_graph *g, weft_dtype t, weft_shape s, const void *data) {
    if (!graph_shape_ok(g, "const", t, &s)) return tensor_at(g, 0);
    int64_t count;
    if (!shape_count(s.rank, s.n, &count))
        return graph_fail(g, WEFT_SHAPE, "const: more elements than the %lld a tensor may have",
                          (long long)LIMIT_ELEMENTS);
    if (!data && count) return graph_fail(g, WEFT_ARGUMENT, "const: the data is NULL");
    size_t bytes = (size_t)count * weft_dtype_size(t);
    const void *copy = graph_keep(g, data, bytes);
    if (!copy) return graph_fail(g, WEFT_MEMORY, "const: out of memory for %zu bytes", bytes);
    int64_t at = (int64_t)(intptr_t)copy;
    return graph_append(g, OP_data, t, s.rank, s.n, NULL, 0, &at, 1);
}

weft_tensor graph_literal(weft_graph *g, weft_dtype t, uint32_t bits) {
    assert(t < WEFT_DTYPE_COUNT);
    int64_t a = bits;
    return graph_append(g, OP_literal, t, 0, NULL, NULL, 0, &a, 1);
}

weft_tensor weft_scalar(weft_graph *g, float v) {
    return graph_checked(g, NULL, 0) ? graph_literal(g, WEFT_F32, bits_of(v)) : tensor_at(g, 0);
}

weft_tensor weft_integer(weft_graph *g, int32_t v) {
    return graph_checked(g, NULL, 0) ? graph_literal(g, WEFT_I32, (uint32_t)v) : tensor_at(g, 0);
}

weft_tensor weft_full(weft_graph *g, weft_shape s, float v) {
    return weft_expand(weft_scalar(g, v), s);
}

weft_tensor full_like(weft_tensor x, float v) {
    return weft_full(x.g, weft_shape_of(x), v);
}

weft_tensor weft_iota(weft_graph *g, weft_shape s, int axis) {
    if (!graph_shape_ok(g, "iota", WEFT_I32, &s)) return tensor_at(g, 0);
    if (axis < 0) axis += s.rank;
    if (axis < 0 || axis >= s.rank)
        return graph_fail(g, WEFT_ARGUMENT, "iota: no axis %d in rank %d", axis, (int)s.rank);
    if (!graph_positions(g, "iota", s.n[axis])) return tensor_at(g, 0);
    /* recorded with one axis, then spread: through any view its strides are its values */
    weft_tensor line = graph_append(g, OP_iota, WEFT_I32, 1, &s.n[axis], NULL, 0, NULL, 0);
    weft_shape column = s;
    for (int i = 0; i < s.rank; i++)
        if (i != axis) column.n[i] = 1;
    return weft_expand(weft_reshape(line, column), s);
}

/* Random numbers that were recorded before any state came draw from the context's own. The first
 * state takes them over, so that its seed is theirs and it keeps their run number: the nodes of both
 * entries become its entries. */
static bool graph_adopt(weft_graph *g, weft_state *s) {
    weft_state *own = g->state[0];
    for (uint32_t i = 1; i < g->n; i++) {
        if (g->node[i].op != OP_state) continue;
        int64_t *attr = g->attr + g->node[i].attr;
        const state_entry e = own->entry[attr[1]];
        attr[1] = state_add(s, e.name, "buffer", (weft_dtype)e.dtype, e.dims, e.init, false, -1);
        if (attr[1] < 0) return false;
        g->node[i].hash = graph_hash(g, &g->node[i]);
    }
    g->state[0] = s;
    state_hold(s);
    state_release(own);
    return graph_rehash(g, g->table_size);
}

bool graph_hold(weft_graph *g, weft_state *s) {
    if (g->states == 1 && g->state[0] == g->ctx->own && s != g->ctx->own) return graph_adopt(g, s);
    if (!MEM_PUSH(g->m, g->state, g->states, g->state_cap, s)) return false;
    state_hold(s);
    return true;
}

weft_tensor graph_state(weft_graph *g, weft_state *s, uint32_t entry, weft_dtype t,
                        weft_shape dims) {
    size_t i = 0;
    while (i < g->states && g->state[i] != s) i++;
    if (i == g->states) {
        if (!graph_hold(g, s)) return graph_fail(g, WEFT_MEMORY, "state: out of memory");
        i = g->states - 1;
    }
    int64_t attr[2] = {(int64_t)i, entry};
    return graph_append(g, OP_state, t, dims.rank, dims.n, NULL, 0, attr, 2);
}

weft_tensor graph_block(weft_graph *g, block which, const weft_tensor *in, int nin,
                        const int64_t *attr, int nattr) {
    int64_t all[LIMIT_ATTRS] = {which};
    if (g->err) return tensor_at(g, 0); /* an operand may be missing for that reason */
    assert(nattr == block_table[which].attributes && nin >= block_table[which].operands);
    if (!graph_checked(g, in, nin)) return tensor_at(g, 0);
    if (nin > LIMIT_BLOCK_OPERANDS)
        return graph_fail(g, WEFT_ARGUMENT, "%s: %d operands, at most %d are allowed",
                          block_table[which].name, nin, LIMIT_BLOCK_OPERANDS);
    for (int i = 0; i < nattr; i++) all[i + 1] = attr[i]; /* NULL has none */
    return graph_append(g, OP_block, WEFT_F32, 0, NULL, in, nin, all, nattr + 1);
}

weft_tensor graph_part(weft_tensor b, int index, weft_dtype t, int rank, const int64_t *dim) {
    assert(index >= 0 && index < LIMIT_BLOCK_PARTS + 1);
    if (!b.id) return b;
    int64_t a = index;
    return graph_append(b.g, OP_part, t, rank, dim, &b, 1, &a, 1);
}

/* ---- looking ---- */

int64_t node_count(const weft_graph *g, const node *n) {
    assert(n->dim + n->rank <= g->dims);
    int64_t count = 1;
    for (int i = 0; i < n->rank; i++) count *= g->dim[n->dim + (uint32_t)i];
    return count;
}

/* The bits of a literal of that type, which converting could change. */
static bool graph_number(weft_tensor t, weft_dtype type, uint32_t *bits) {
    assert(t.id && bits);
    while (node_of(t)->op == OP_expand || node_of(t)->op == OP_reshape) t = operand(t, 0);
    const node *n = node_of(t);
    if (n->op != OP_literal || n->dtype != type) return false;
    *bits = (uint32_t)node_attr(t.g, n)[0];
    return true;
}

bool node_literal(weft_tensor t, float *value) {
    uint32_t bits;
    if (!graph_number(t, WEFT_F32, &bits)) return false;
    *value = float_of(bits);
    return true;
}

bool node_integer(weft_tensor t, int32_t *value) {
    uint32_t bits;
    if (!graph_number(t, WEFT_I32, &bits)) return false;
    *value = (int32_t)bits;
    return true;
}

bool weft_ok(weft_tensor x) {
    return x.g && x.id && x.id < x.g->n && !x.g->err;
}
int weft_rank(weft_tensor x) {
    return weft_ok(x) ? node_of(x)->rank : 0;
}
weft_dtype weft_dtype_of(weft_tensor x) {
    return weft_ok(x) ? (weft_dtype)node_of(x)->dtype : WEFT_F32;
}
int64_t weft_count(weft_tensor x) {
    return weft_ok(x) ? node_count(x.g, node_of(x)) : 0;
}

weft_shape weft_shape_of(weft_tensor x) {
    weft_shape s = {0};
    if (!weft_ok(x)) return s;
    s.rank = node_of(x)->rank;
    memcpy(s.n, node_dims(x.g, node_of(x)), (size_t)s.rank * sizeof *s.n);
    return s;
}

int64_t weft_dim(weft_tensor x, int axis) {
    int rank = weft_rank(x);
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank ? node_dims(x.g, node_of(x))[axis] : 0;
}
