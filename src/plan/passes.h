/* passes.h - the passes of the compiler, and what they hand to each other. Only src/plan includes this.
 *
 * compile.c has their order. A pass makes arrays of its own, in c->memory, from what earlier ones made:
 * the first comment of its file says what it reads and what it makes. */
#ifndef WEFT_PASSES_H
#define WEFT_PASSES_H

#include "backend/backend.h"
#include "core/context.h"
#include "plan/plan.h"

/* An element of a node as an element of its base: base element = off + sum(index[d] * stride[d])
 * over the node's own axes. guard, fill, lo, hi, at: as in kview, `at` being a node here. */
typedef struct aview {
    uint32_t base;
    bool     guard;
    uint32_t fill, at;            /* at: node of an i32 start, or 0 */
    int64_t  at_stride, at_max;
    int64_t  off, stride[WEFT_MAX_RANK];
    int64_t  lo[WEFT_MAX_RANK], hi[WEFT_MAX_RANK];
} aview;

/* Where a stored value lies, if not in order and by itself. */
typedef struct placing {
    bool     given;
    bool     refused;             /* a reader cannot take it: in order after all                */
    bool     copied;              /* it would be copied if all lay in order                     */
    uint32_t inside, operand;     /* the concat whose memory it is part of, as which; or 0      */
    int64_t  off;                 /* its first element there                                    */
    int64_t  stride[WEFT_MAX_RANK];
} placing;

/* Soft: only kernels read it, each at its own element, so they might compute it again instead. */
enum { STORED_SOFT = 1, STORED_HARD = 2 };

/* A product is a matmul, or a block with one part, that takes maps over its result as an epilogue. */
typedef enum cluster_kind { CLUSTER_KERNEL, CLUSTER_PRODUCT, CLUSTER_ROUTINE, CLUSTER_CONCAT, CLUSTER_GONE } cluster_kind;

/* Nodes computed by one step, over one loop space: the common refinement of their shapes. */
typedef struct cluster {
    uint8_t  kind;
    bool     frozen;              /* read from outside: its place in the order is fixed */
    uint32_t pos;                 /* order of execution                                         */
    int      rank;
    int64_t  dim[KDIMS];
    bool     red[KDIMS];          /* folded dimensions                                          */
    bool     folds;
    uint16_t nodes, loads;        /* members and an estimate of what is loaded                  */
    uint16_t views;               /* at most so many views: counted again where that matters    */
    uint32_t first, last;         /* members, chained through compile->next                     */
} cluster;

/* What a fetch or an update refers to, as nodes; state: of an update; asked: node, before settling. */
typedef struct root { uint32_t node, state, asked; } root;

/* A parameter's node and that of its 16-bit shadow; written: the plan updates both. */
typedef struct shadow { uint32_t node, state; bool written; } shadow;

/* Arrays by node of the compiler's graph have n elements. */
typedef struct compile {
    weft_ctx   *ctx;
    mem        *m;
    weft_plan  *plan;
    const weft_plan_desc *desc;
    const weft_graph *from;       /* the user's graph                                           */
    arena       memory;           /* of the passes' arrays                                      */
    bool        starved;          /* lowering ran out of memory                                 */

    /* request.c: nodes of the user's graph */
    uint32_t   *want; size_t wants;           /* fetches, then state and value of each update   */
    size_t      asked;                        /* updates among them                             */
    uint32_t   *draw; size_t draws, draw_cap; /* run numbers that a run advances                */

    /* rewrite.c */
    weft_graph *g;                /* the compiler's graph                                       */
    uint32_t   *map;              /* of a node of the user's: what it became                    */

    /* mixed.c, which makes another g and map */
    uint32_t   *kept; size_t kepts, kept_cap; /* rounded values that lie in memory              */
    shadow     *shadow; size_t shadows, shadow_cap;

    /* roots.c */
    size_t      n;                /* nodes of g                                                 */
    root       *fetch, *update; size_t fetches, updates;
    uint8_t    *live;
    uint8_t    *fence;            /* asked to be stored: readers stay out of its cluster        */

    /* view.c */
    aview      *view;             /* of each node                                               */
    aview      *source;           /* of a view that is copied: what it reads                    */
    uint8_t    *copied;
    placing    *placed;           /* place.c                                                    */

    /* settle.c; fuse.c adds what other clusters read, recompute.c takes away */
    uint8_t    *stored;           /* in memory: 0, STORED_SOFT or STORED_HARD                   */

    /* bind.c, in_place.c, lower.c */
    uint32_t   *buf;              /* buffer of a stored node, KNOBUF if none                    */

    /* inline.c */
    uint8_t    *inlined;          /* computed again by each reader                              */

    /* fuse.c */
    cluster    *cluster; size_t clusters, cluster_cap;   /* cluster[0] is none                  */
    uint32_t   *cluster_of;       /* 0: none (leaves, views)                                    */
    uint32_t   *next;             /* next member of the same cluster                            */
    uint32_t   *product;          /* the cluster of a product whose epilogue reads the node, or 0 */
    uint32_t    pos;              /* the last place in the order of execution                   */

    /* lower.c */
    uint32_t   *part;             /* of a block: its first part; of a part: the next one, or 0  */
} compile;

/* ---- the passes, in order ---- */

weft_err request_pass(compile *c);    /* what the description wants, as nodes                    */
weft_err rewrite_pass(compile *c);    /* the live part of the user's graph; blocks expanded where the
                                         device has no kernel                                    */
weft_err mixed_pass(compile *c);      /* operands of products in 16 bits, where that is wanted    */
weft_err roots_pass(compile *c);      /* what fetches and updates refer to, and all they need     */
weft_err states_pass(compile *c);     /* states get memory, and are held                          */
weft_err shadow_pass(compile *c);     /* what a run has to know of parameters in 16 bits          */
weft_err view_pass(compile *c);       /* every node as a strided view of one that is computed or stored */
weft_err settle_pass(compile *c);     /* what must lie in memory by itself                        */
weft_err place_pass(compile *c);      /* better layouts for results, and all views recomputed     */
weft_err bind_pass(compile *c);       /* memory of inputs and results                             */
weft_err inline_pass(compile *c);     /* what each reader computes again                          */
weft_err fuse_pass(compile *c);       /* computed nodes into clusters, one for each step          */
weft_err recompute_pass(compile *c);  /* what kernels compute again, so that it need not be stored */
weft_err in_place_pass(compile *c);   /* which updates are written straight into the state        */
weft_err lower_pass(compile *c);      /* clusters into steps, kernels and buffers                 */
weft_err passing_pass(compile *c);    /* updates take gradients part by part, as they are made    */
weft_err join_pass(compile *c);       /* steps over neighbouring parameters into one              */
weft_err memory_pass(weft_plan *p, bool portable);  /* an offset for every buffer                 */

/* ---- what they ask each other ---- */

weft_err compile_no_memory(const compile *c);
WEFT_INLINE bool compile_fuses(const compile *c) { /* else a kernel per operation */
    return !c->ctx->no_fuse && !c->desc->unfused && !c->desc->watch;
}

/* Refuses a description that cannot be compiled. */
weft_err request_check(weft_graph *g, const weft_plan_desc *d);

bool view_is_real(const compile *c, uint32_t id);             /* computed or stored, not a view */
void view_copy(compile *c, uint32_t id);                      /* give a view memory of its own  */
bool view_plain(const aview *v);                              /* no guard, no run-time start    */
bool view_in_order(const compile *c, uint32_t id);            /* without gaps                   */
bool view_contiguous(const compile *c, uint32_t id);          /* the same, from the beginning   */
/* The view of `from` (axes D) over the loop dimensions E, which merge or split D's. */
typedef struct fitted { int64_t stride[KDIMS]; int64_t lo[KDIMS], hi[KDIMS]; } fitted;
bool view_fit(const aview *v, int rank, const int64_t *dim, int n, const int64_t *e, fitted *out);
/* but for extents of 1 */
bool view_same_axes(int rank, const int64_t *dim, int n, const int64_t *e);
void view_identity(aview *v, uint32_t base, int rank, const int64_t *dim);
void view_own(const compile *c, uint32_t id, aview *v);       /* of what lies in memory, by placed */
/* Can what computes node id write it with these strides? */
bool place_accepted(const compile *c, uint32_t id, const int64_t *stride);
/* A reader of id needs another copy than if all lay in order: true where that can be changed. */
bool place_refuse(compile *c, uint32_t id);

/* cluster.c. Loop spaces: dimensions, of which folded ones make up a row. */
/* Cuts the loop finer, until it also has the boundaries of axes `by`, which its rows alone have if
 * rows_only; false, and nothing changed: they do not go together. */
bool    cluster_refine(cluster *k, int rank, const int64_t *by, bool rows_only);
int64_t cluster_count(const cluster *k, bool rows);           /* elements, or rows                */
bool    cluster_across(const cluster *k);                     /* is the last dimension not folded? */
/* Does `v`, over axes `dim` in the space of k, read its base at the loop's own element (or row)? */
bool    cluster_aligned(const compile *c, const cluster *k, const aview *v, int rank,
                        const int64_t *dim, bool reader_rows, bool base_rows);
/* Is member id of k a value per row, not per element? */
bool    cluster_is_row(const compile *c, const cluster *k, uint32_t id);

bool     fuse_widens(const compile *c, uint32_t id);          /* a cast from 16 bits to f32       */
weft_err shadow_updates(compile *c);  /* appends an update for each shadow of what is updated     */
/* Does the device compute block n, or is its definition used? */
bool     rewrite_keeps(const compile *c, const weft_graph *from, const node *n);
/* states and scopes of a graph that is copied; false: out of memory */
bool     rewrite_world(weft_graph *g, const weft_graph *from);
uint32_t fuse_product(const compile *c, const cluster *k);    /* the matmul, or the block's part  */
void     cost_step(step *s);                                  /* fills flops and bytes            */
void     bind_results(compile *c);                            /* after lowering: where fetches lie */
void     plan_debug(const weft_plan *p);                      /* what WEFT_DEBUG asks for, to the log */

/* transfer.c, for devices with memory of their own: made with a plan, before and after each run */
weft_err transfer_prepare(weft_plan *p);
void     transfer_free(weft_plan *p);
weft_err transfer_before(weft_plan *p);
weft_err transfer_after(weft_plan *p);
void    *transfer_block(const weft_plan *p, const buffer *b); /* of a host-resident entry's copy */
/* record.c: a new plan is told of and kept in the context's list; before one is freed; a run */
weft_err record_made(weft_plan *p);
void     record_gone(weft_plan *p);
weft_err record_run(weft_plan *p);
/* a pass from *since until now, which then becomes *since */
void     record_pass(const weft_ctx *c, const char *name, double *since);

/* verify.c: what holds after the pass of that name; the number in a message is a node, cluster or step */
weft_err verify_recorded(const compile *c, const char *pass);  /* the same of the user's graph    */
weft_err verify_graph(const compile *c, const char *pass);     /* order and shapes                */
weft_err verify_views(const compile *c, const char *pass);     /* inside their bases              */
weft_err verify_clusters(const compile *c, const char *pass);  /* whole, and in order             */
weft_err verify_steps(const compile *c, const char *pass);     /* registers, views, buffers       */
weft_err verify_memory(const compile *c, const char *pass);    /* memory_check                    */
weft_err verify_plan(const weft_plan *p, const char *pass);    /* the steps of a plan alone       */
weft_err memory_check(const weft_plan *p); /* no two live buffers overlap, none is read unwritten */

void compile_release(compile *c);  /* what the passes made */

/* Node n of `from` with operands `in`, computed in the order of the images among them, and permuted
 * again; poison if there are none. `image`, by nodes of `from`: made by a block that gives images
 * their order, or from such a one. */
weft_tensor layout_copy(weft_graph *g, const weft_graph *from, const node *n, const weft_tensor *in,
                        const uint8_t *image);
bool layout_image(const weft_graph *from, const node *n, const uint8_t *image);

#endif
