/* graph.h - what a tensor's index means: nodes, how they are appended, and what passes may ask.
 *
 * Operands always precede their users, so array order is a topological order and every pass is a
 * loop up or down. Appending interns: the same operation on the same operands is the same node. */
#ifndef WEFT_GRAPH_H
#define WEFT_GRAPH_H

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "core/limits.h"
#include "core/traits.h"

typedef enum op {
    OP_NONE,
#define OP_UNARY(name, ...)   OP_##name,
#define OP_BINARY(name, ...)  OP_##name,
#define OP_COMPARE(name, ...) OP_##name,
#define OP_LOGIC(name, ...)   OP_##name,
#define OP_FOLD(name, ...)    OP_##name,
#define OP_ROUTINE(name, ...) OP_##name,
#define OP_OTHER(name, ...)   OP_##name,
#include "core/ops.def"
    OP_COUNT
} op;

typedef enum op_class {
    CLASS_UNARY, CLASS_BINARY, CLASS_COMPARE, CLASS_LOGIC,   /* rows with kernel expressions     */
    CLASS_MAP, CLASS_LEAF, CLASS_VIEW, CLASS_FOLD, CLASS_ROUTINE, CLASS_BLOCK, CLASS_PART
} op_class;

typedef struct op_info {
    const char *name;
    uint8_t cls;
    int8_t operands;
    uint8_t cost;    /* operations an element, about */
    bool has_int;
} op_info;
extern const op_info op_table[OP_COUNT];
WEFT_INLINE bool op_is_map(int o) { return op_table[o].cls <= CLASS_MAP; }

typedef enum block {
#define BLOCK(name, ...) BLOCK_##name,
#include "core/blocks.def"
    BLOCK_COUNT
} block;

/* Attributes by operation (g->attr[n->attr ...]):
 *   input    ordinal                             state    index in g->state, index of the entry
 *   data     pointer to the bytes                literal  the 32 bits
 *   iota     (always one axis)                   random   stream, kind (random_kind)
 *   permute  axes                                slice    axis, start, step
 *   pad      axis, before, after, bits of fill   same     same_kind, index in g->custom
 *   sum max prod argmax   mask of axes           take scatter_add concat  axis
 *   linrec   axis, reverse                       argsort  axis, descending
 *   block    which block, then its own           part     index
 * A scatter_add along axis 0 may, in the compiler's copy, have an index and a source of one axis more
 * than its base: the first two then count as one. There, a second attribute of 1 says that the index
 * names whole rows, and that what goes to one row is summed before it is added.
 * Folds keep their axes with extent 1. Maps have operands of equal shape: broadcasting is an expand
 * node. matmul has operands of equal batch extents. */
typedef enum random_kind { RANDOM_BITS, RANDOM_UNIFORM, RANDOM_NORMAL } random_kind;
typedef enum same_kind { SAME_STOP, SAME_STRAIGHT, SAME_CUSTOM, SAME_COPY, SAME_NAME, SAME_STORED } same_kind;

typedef struct node {
    uint8_t  op, dtype, rank, nattr;
    uint16_t nin, salt;       /* salt: a checkpoint's copy never merges with the original */
    uint32_t in;              /* first operand in g->edge[]                               */
    uint32_t dim;             /* first extent in g->dim[]                                 */
    uint32_t attr;            /* first parameter in g->attr[]                             */
    uint32_t scope;           /* index in g->scope[]                                      */
    uint32_t hash, next;      /* chain of the interning table                             */
} node;

typedef struct graph_scope  {
    const char *name;
    uint32_t parent, randoms;
    uint32_t hash, next;      /* chain of the table of scopes */
} graph_scope;
typedef struct graph_custom { weft_rule rule; void *user; } graph_custom;
typedef struct graph_span   { uint32_t begin, end; } graph_span;       /* a checkpointed stretch */

struct weft_graph {
    weft_ctx *ctx;
    mem      *m;
    arena     memory;                                  /* names, constants, update lists         */
    node     *node;   size_t n, node_cap;              /* node[0] is poison                      */
    uint32_t *edge;   size_t edges, edge_cap;
    int64_t  *dim;    size_t dims, dim_cap;
    int64_t  *attr;   size_t attrs, attr_cap;
    uint32_t *table;  size_t table_size;               /* a power of two; 0 ends a chain         */
    weft_state **state; size_t states, state_cap;      /* the first one gives randomness its seed */
    graph_scope *scope; size_t scopes, scope_cap;  uint32_t in_scope;
    uint32_t *scope_table; size_t scope_slots, hashed; /* by parent and name; so many are in it   */
    graph_custom *custom; size_t customs, custom_cap;
    graph_span *span; size_t spans, span_cap;  uint32_t open_span;
    weft_updates layer_updates;                        /* what layers want a run to change       */
    struct graph_bytes *kept;                          /* what graph_keep keeps, a list          */
    uint32_t inputs;
    uint16_t salt;
    bool     final;  /* a compiler's copy: not differentiated any more */
    bool     eval;   /* recorded for evaluation */
    weft_err err;
};

/* ---- looking ---- */

WEFT_INLINE const node *node_of(weft_tensor t) { return &t.g->node[t.id]; }
WEFT_INLINE const int64_t *node_dims(const weft_graph *g, const node *n) { return g->dim + n->dim; }
WEFT_INLINE const int64_t *node_attr(const weft_graph *g, const node *n) { return g->attr + n->attr; }
WEFT_INLINE const uint32_t *node_in(const weft_graph *g, const node *n) { return g->edge + n->in; }
WEFT_INLINE weft_tensor tensor_at(weft_graph *g, uint32_t id) { return (weft_tensor){ g, id }; }
WEFT_INLINE weft_tensor operand(weft_tensor t, int i) {
    return tensor_at(t.g, node_in(t.g, node_of(t))[i]);
}
int64_t node_count(const weft_graph *g, const node *n);              /* elements               */
bool    node_literal(weft_tensor t, float *value);  /* of f32, through expands and reshapes */
bool    node_integer(weft_tensor t, int32_t *value);            /* of i32, likewise      */
const char *node_scope(const weft_graph *g, const node *n, char *buf, size_t size, char separator);

/* ---- appending; a failure poisons the graph and returns poison ---- */

/* elements; false: an extent is negative, or there are more than LIMIT_ELEMENTS */
bool shape_count(int rank, const int64_t *dim, int64_t *count);
weft_tensor graph_fail(weft_graph *g, weft_err e, const char *format, ...) WEFT_PRINTF(3, 4);
weft_tensor graph_append(weft_graph *g, int op, weft_dtype t, int rank, const int64_t *dim,
                         const weft_tensor *in, int nin, const int64_t *attr, int nattr);
weft_tensor graph_literal(weft_graph *g, weft_dtype t, uint32_t bits);        /* 0-d           */
/* a copy that lives as long as the graph; equal bytes are one copy; NULL: out of memory */
const void *graph_keep(weft_graph *g, const void *bytes, size_t n);
/* one more state, kept until the graph is freed */
bool        graph_hold (weft_graph *g, weft_state *s);
weft_tensor graph_state(weft_graph *g, weft_state *s, uint32_t entry, weft_dtype t, weft_shape dims);
weft_tensor graph_part(weft_tensor block, int index, weft_dtype t, int rank, const int64_t *dim);
weft_tensor graph_block(weft_graph *g, block which, const weft_tensor *in, int nin,
                        const int64_t *attr, int nattr);              /* poison if an operand is */
bool graph_checked(weft_graph *g, const weft_tensor *in, int nin);    /* same graph, none poison */
/* a leaf may have it */
/* does i32 count them? else the graph fails */
bool graph_positions(weft_graph *g, const char *what, int64_t n);
bool graph_shape_ok(weft_graph *g, const char *what, weft_dtype t, const weft_shape *s);

/* The same node with other operands: how passes copy a graph. */
weft_tensor graph_copy_node(weft_graph *to, const weft_graph *from, const node *n, const weft_tensor *in);

/* ---- rules by operation ---- */

weft_tensor simplify(weft_graph *g, int op, weft_dtype t, int rank, const int64_t *dim,
                     /* poison: keep */
                     const weft_tensor *in, int nin, const int64_t *attr, int nattr);
weft_tensor named_copy(weft_tensor x, int name);  /* x, told apart from the same x elsewhere */
weft_tensor stored_copy(weft_tensor x);  /* x, with memory of its own if it had none */
weft_tensor owned_copy(weft_tensor x);  /* x again, in memory of its own */
weft_tensor full_like(weft_tensor x, float v);                        /* f32 of x's shape        */
weft_tensor sum_mask(weft_tensor x, uint32_t mask);                   /* keeps the axes           */

/* Column of ops.def, in vjp.c: gradients `out` of the operands of t, given its gradient dy. Where
 * there is none, what is there stays: poison. */
typedef void op_gradient(weft_tensor t, weft_tensor dy, weft_tensor *out);
#define OP_FOLD(name, instruction, combine, gradient, reference)            op_gradient gradient;
#define OP_ROUTINE(name, operands, step, lies, gradient, ...)               op_gradient gradient;
#define OP_OTHER(name, cls, operands, cost, gradient, reference)            op_gradient gradient;
#include "core/ops.def"

/* Columns of blocks.def. A definition gives `out` a tensor per part; a rule gives it the gradients
 * of the operands, from those of the parts. Both leave poison where there is nothing to give. */
typedef void block_definition(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin,
                              weft_tensor *out);
typedef void block_gradient(weft_tensor block, const weft_tensor *dy, weft_tensor *out);
typedef enum block_lies { LIES_APART, LIES_SAME, LIES_BASE } block_lies;
typedef enum block_image { IMAGE_PLAIN, IMAGE_IMAGE } block_image;
typedef struct block_info {
    const char *name;
    uint8_t operands, attributes, parts, lies, moving;
    bool image;
    uint8_t product;
    block_definition *definition;
    block_gradient *gradient;
} block_info;
extern const block_info block_table[BLOCK_COUNT];
block_gradient block_by_definition;
#define BLOCK(name, operands, attributes, parts, lies, moving, image, product, definition, gradient,   \
              ...)  \
    block_definition definition; block_gradient gradient;
#include "core/blocks.def"
bool block_define(weft_graph *g, const int64_t *attr, const weft_tensor *in, int nin, weft_tensor *out);
bool block_vjp(weft_tensor block, const weft_tensor *dy, weft_tensor *out);

/* grad.c: gradients of several outputs at once; with `stop`, as if each of `wrt` were a leaf. */
bool grad_walk(weft_graph *g, const weft_tensor *y, const weft_tensor *dy, size_t ny,
               const weft_tensor *wrt, size_t n, bool stop, weft_tensor *out);

#endif
