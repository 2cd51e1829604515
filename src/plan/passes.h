/* passes.h - what the passes of the compiler hand to each other. Only src/plan includes this.
 *
 *   rewrite   the live part of the user's graph, blocks expanded where the device has no kernel
 *   view      every node as a strided view of a node that is computed or stored
 *   fuse      computed nodes into clusters, a cluster per step; spare decides what need not be stored
 *   lower     clusters into steps, kernels and buffers
 *   join      runs of optimiser steps over neighbouring parameters into one
 *   memory    an offset for every buffer */
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
    int32_t  lo[WEFT_MAX_RANK], hi[WEFT_MAX_RANK];
} aview;

/* Soft: only kernels read it, each at its own element, so they might compute it again instead. */
enum { STORED_SOFT = 1, STORED_HARD = 2 };

/* A product is a matmul, or a block with one part, that takes maps over its result as an epilogue. */
typedef enum cluster_kind { CLUSTER_KERNEL, CLUSTER_PRODUCT, CLUSTER_ROUTINE, CLUSTER_CONCAT, CLUSTER_GONE } cluster_kind;

/* Nodes computed by one step, over one loop space: the common refinement of their shapes. */
typedef struct cluster {
    uint8_t  kind;
    bool     frozen;              /* somebody outside reads it: its place in the order is fixed */
    uint32_t pos;                 /* order of execution                                         */
    int      rank;
    int64_t  dim[KDIMS];
    bool     red[KDIMS];          /* folded dimensions                                          */
    bool     folds;
    uint16_t nodes, loads;        /* members and an estimate of what is loaded                  */
    uint16_t views;               /* at most so many views: counted again where that matters    */
    uint32_t first, last;         /* members, chained through compile->next                     */
} cluster;

/* What a fetch or an update refers to. */
typedef struct root { uint32_t node; uint32_t state; uint32_t buf; } root;

typedef struct compile {
    weft_ctx   *ctx;
    mem        *m;
    weft_plan  *plan;
    const weft_plan_desc *desc;
    weft_graph *g;                /* the rewritten graph                                        */
    size_t      n;
    uint8_t    *live;
    aview      *view;             /* of each node                                               */
    aview      *source;           /* of a view that is copied: what it reads                    */
    uint8_t    *copied;
    uint32_t   *cluster_of;       /* 0: none (leaves, views)                                    */
    uint32_t   *next;             /* next member of the same cluster                            */
    uint32_t   *part;             /* of a block: its first part; of a part: the next one, or 0   */
    uint32_t   *reader;           /* cluster that read the node last                            */
    uint32_t   *buf;              /* buffer of a stored node, KNOBUF if none                    */
    uint8_t    *stored;           /* in memory: 0, STORED_SOFT or STORED_HARD                   */
    uint32_t   *product;          /* the cluster of a product whose epilogue reads the node, or 0 */
    uint8_t    *folded;           /* read by a fold                                             */
    uint8_t    *fence;            /* asked to be stored: readers stay out of its cluster        */
    /* computed again by each reader: a comparison is cheaper than its memory */
    uint8_t    *inlined;
    uint8_t    *updated;          /* some update's value                                        */
    cluster    *cluster; size_t clusters, cluster_cap;   /* cluster[0] is nobody                */
    uint32_t    across;           /* the latest cluster that folds across columns, or 0         */
    uint32_t    numbers;          /* the latest cluster of single numbers, or 0                 */
    uint32_t    pos;
    root       *fetch, *update; size_t fetches, updates;
    bool        starved;          /* lowering ran out of memory                                 */
} compile;

bool view_pass(compile *c);                                   /* fills view, source, copied     */
bool view_is_real(const compile *c, uint32_t id);             /* computed or stored, not a view */
void view_copy(compile *c, uint32_t id);                      /* give a view memory of its own  */
bool view_plain(const aview *v);                              /* no guard, no run-time start    */
bool view_in_order(const compile *c, uint32_t id);            /* without gaps                   */
bool view_contiguous(const compile *c, uint32_t id);          /* the same, from the beginning   */
/* The view of `from` (axes D) over the loop dimensions E, which merge or split D's. */
typedef struct fitted { int64_t stride[KDIMS]; int32_t lo[KDIMS], hi[KDIMS]; } fitted;
bool view_fit(const aview *v, int rank, const int64_t *dim, int n, const int64_t *e, fitted *out);
/* but for extents of 1 */
bool view_same_axes(int rank, const int64_t *dim, int n, const int64_t *e);
void view_identity(aview *v, uint32_t base, int rank, const int64_t *dim);

bool fuse_pass(compile *c);
bool fuse_wanted(const compile *c);                           /* else a kernel per operation    */
/* Is member id of k a value per row, not per element? */
bool fuse_is_row(const compile *c, const cluster *k, uint32_t id);
uint32_t fuse_product(const compile *c, const cluster *k);    /* the matmul, or the block's part */
void spare_pass(compile *c);                                  /* the end of fuse_pass           */
bool lower_pass(compile *c);
void cost_step(step *s);                                      /* fills flops and bytes          */
bool join_pass(compile *c);
void plan_debug(const weft_plan *p);  /* what WEFT_DEBUG asks for, to the log */
weft_err memory_pass(weft_plan *p);
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
weft_err verify_graph(const compile *c, const char *pass);     /* order and shapes                */
weft_err verify_views(const compile *c, const char *pass);     /* inside their bases              */
weft_err verify_clusters(const compile *c, const char *pass);  /* whole, and in order             */
weft_err verify_steps(const weft_plan *p, const char *pass);   /* registers, views, buffers       */
weft_err memory_check(const weft_plan *p); /* no two live buffers overlap, none is read unwritten */

/* The arrays of a compilation over c->g; false: out of memory, the context knows. */
bool compile_arrays(compile *c);
void compile_release(compile *c);

/* Node n of `from` with operands `in`, computed in the order of the images among them, and permuted
 * again; poison if there are none. `image`, by nodes of `from`: made by a block that gives images
 * their order, or from such a one. */
enum { LAYOUT_OPERANDS = 16 };
weft_tensor layout_copy(weft_graph *g, const weft_graph *from, const node *n, const weft_tensor *in,
                        const uint8_t *image);
bool layout_image(const weft_graph *from, const node *n, const uint8_t *image);

weft_err rewrite_pass(compile *c, const weft_graph *from, const uint32_t *want, size_t wants, uint32_t *map);

#endif
