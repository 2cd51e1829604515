/* plan.h - what compiling makes: row programs, routine calls, buffers, and the plan that holds
 * them.
 *
 * A row program is one fused kernel before any language: a rectangular loop and straight-line
 * code over its elements, in which folds end a phase. The CPU interprets it in tiles; an emitter
 * prints it as C, CUDA or WGSL. A plan is plain data and holds no pointer into the graph it came
 * from. */
#ifndef WEFT_PLAN_H
#define WEFT_PLAN_H

#include "core/context.h"
#include "core/device.h"
#include "core/graph.h"
#include "core/limits.h"

enum { KDIMS = LIMIT_LOOP_DIMS };

/* Where an operand lies in a loop space: element = off + sum(index[d] * stride[d]).
 * guard: an index outside [lo, hi) in some dimension reads `fill` instead (padding). */
typedef struct kview {
    uint32_t buf;                 /* index in plan->buf; KNOBUF for index views (iota, random)   */
    uint8_t  dtype;               /* as stored                                                   */
    bool     guard;
    uint32_t fill;                /* 32 bits, as the register type                               */
    uint32_t at;                  /* buffer of an i32 start read at run time, or KNOBUF          */
    int64_t  at_stride, at_max;   /* clamp(start, 0, at_max) * at_stride is added to off         */
    int64_t  off, stride[KDIMS];
    int64_t  lo[KDIMS], hi[KDIMS];
} kview;
#define KNOBUF 0xffffffffu

/* Instructions: the map operations of ops.def under their OP_ numbers, and those of
 * instructions.def behind them: K_LOAD, K_STORE, ... */
enum {
    K_BEFORE = OP_COUNT - 1,
#define INSTRUCTION(op, ...) K_##op,
#include "plan/instructions.def"
    K_COUNT
};
typedef enum kins_kind { KINS_VALUE, KINS_FOLD, KINS_STORE } kins_kind;
typedef struct kins_info { const char *name; int8_t operands; bool view; uint8_t kind, cost; } kins_info;
extern const kins_info kins_table[K_COUNT];    /* operands: -1 where it is none */

typedef enum ktype { KT_F32, KT_I32, KT_BOOL } ktype; /* what a register holds (bool: i32 0 or 1) */
typedef enum klevel { KL_ELEMENT, KL_ROW } klevel;  /* a value per element, or one per row */

/* One instruction defines the register of its own number (static single assignment). For
 * OP_cast, `bits` is the target weft_dtype: the value is rounded or wrapped to it and kept in a
 * register type. */
typedef struct kins {
    uint8_t  op, type, level;
    uint16_t a, b, c;             /* numbers of earlier instructions                             */
    uint16_t view;                /* of load, store, index, random, take                         */
    uint32_t bits;
    int64_t  arg2;
} kins;

/* The loop space, outermost first: `outer` dimensions, then `reduce` ones, then at most one inner.
 *   map     reduce = 0: every element on its own; the last dimension is the row
 *   rows    inner = 0: folds run over the reduce dimensions, which are the row
 *   across  reduce > 0 and inner = 1: folds run over the reduce dimensions for every inner element at
 *           once; a KL_ROW value is then one per (outer, inner), and KL_ELEMENT stores do not occur */
typedef struct kernel {
    uint8_t  outer, reduce, inner;
    int64_t  dim[KDIMS];
    uint16_t nview, nins;
    kview   *view;
    kins    *ins;
} kernel;

/* ---- steps ---- */

typedef enum step_kind {
    STEP_KERNEL,                  /* a row program                                               */
#define OP_ROUTINE(name, operands, step, ...) step,     /* STEP_MATMUL may have a row program on its result */
#include "core/ops.def"
    STEP_BLOCK,                   /* a block the backend has a kernel for                        */
    STEP_COPY,                    /* bytes from one buffer to another                            */
    STEP_KINDS
} step_kind;

/* A routine's operand: a strided view of a buffer in the operand's own axes. */
typedef struct roperand {
    uint32_t buf;
    uint8_t  dtype, rank;
    int64_t  off, dim[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];   /* in elements                    */
} roperand;

enum { STEP_OPERANDS = LIMIT_STEP_OPERANDS, STEP_ATTRS = LIMIT_STEP_ATTRS };
typedef struct step {
    uint8_t   kind, block, nin, nout;
    bool      adds;  /* STEP_MATMUL: to what lies in the result, a sum that began earlier        */
    kernel   *kern;  /* STEP_KERNEL; else the epilogue over the result's axes, or NULL */
    roperand  in[STEP_OPERANDS];  /* then the results, in[nin ... nin + nout)                    */
    int64_t   attr[STEP_ATTRS];   /* of the operation or block                                   */
    double    flops, bytes;       /* estimated                                                   */
    uint32_t  scope;              /* offset in plan->text: where it was recorded                 */
} step;

typedef enum buffer_place { BUF_ARENA, BUF_STATE, BUF_DATA, BUF_ALIAS } buffer_place;
typedef struct buffer {
    uint8_t  place, dtype;
    bool     pinned;              /* lives through the whole run and after it: feeds and fetches */
    bool     passing;             /* never in memory: the steps behind a product take its parts  */
    uint32_t state, entry;        /* BUF_STATE                                                   */
    uint32_t alias;               /* BUF_ALIAS: shares this buffer's memory, at alias_at         */
    size_t   alias_at;
    size_t   bytes, offset;       /* offset: in the arena; of BUF_DATA among the constants       */
    uint32_t first, last;         /* steps between which it is alive                             */
    const void *data;             /* BUF_DATA: contents, owned by the plan                       */
    void    *block;               /* where it lies, once placed: a block of the device           */
    size_t   from;                /* and the offset in it                                        */
    char    *at;                  /* its address, where blocks are addresses; else NULL          */
} buffer;

typedef struct binding {
    uint32_t id, buf;
    uint8_t  dtype, rank;
    bool     given;               /* an input: it was set, or its address was asked for          */
    bool     fresh, shared;       /* set since the last run; the program knows `host`             */
    char    *host;                /* an input: where the host writes it                          */
    int64_t  dim[WEFT_MAX_RANK];
    size_t   bytes;
} binding;

/* The plan's copy of a host-resident entry, on a device with memory of its own. */
typedef struct mirror {
    uint32_t state, entry;
    bool     written;             /* by a step: it goes back after each run                      */
    void    *block;
} mirror;

/* The first values that are not finite, found by watch.c while a watched plan runs. */
typedef struct watch { weft_finding nan, inf; } watch;

/* A parameter's shadow, see shadow.c. */
typedef struct plan_shadow {
    weft_state *state;
    bool        written;          /* by each run, with the parameter                             */
    state_entry from, to;         /* the parameter and the shadow, with memory                   */
} plan_shadow;

struct weft_plan {
    weft_ctx  *ctx;
    mem       *m;
    arena      memory;            /* kernels, names, constants                                   */
    const weft_graph *origin;     /* compared with a tensor's graph, never followed              */
    step      *step;   size_t steps, step_cap;
    buffer    *buf;    size_t bufs, buf_cap;
    binding   *in;     size_t ins, in_cap;
    bool       fed;               /* all of them are given                                       */
    binding   *out;    size_t outs, out_cap;
    weft_state **state; size_t states, state_cap;
    plan_shadow *shadow; size_t shadows;            /* parameters that are read in 16 bits          */
    uint64_t  **changed; size_t changes;            /* versions of the parameters a run changes     */
    char      *text;   size_t texts, text_cap;      /* scope names, one after the other          */
    size_t     arena_bytes;
    void      *arena, *constants; /* blocks of the device; constants NULL where it is the host's */
    mirror    *mirror; size_t mirrors, mirror_cap;
    device_ticket ticket;         /* of the last run                                             */
    uint32_t  *placed; size_t placed_count;         /* buffers in the arena, the largest first   */
    int        threads;
    uint32_t   segments;
    double     flops, bytes;
    watch     *watch;             /* NULL: not watched                                           */
    const char *name;             /* of its description, or ""                                   */
    weft_plan *older, *newer;     /* among the context's                                         */
    bool       listed;
    void      *tag;               /* the recorder's own                                          */
    weft_span *span;              /* [threads][steps] of a run that is timed, else NULL          */
    int        span_threads;      /* how many of them a backend that fills them did fill         */
    void      *program;           /* the backend's own                                           */
};

/* What weft_run does before a run and after it. */
weft_err shadow_refresh(weft_plan *p);
void shadow_ran(weft_plan *p);

/* A backend that runs a watched plan calls these before the first and after each step. */
void watch_start(weft_plan *p);
void watch_step(weft_plan *p, size_t i);

const char *plan_step_name(const step *s);     /* "matmul", a block's name                       */
block_lies  plan_step_lies(const step *s);     /* where its results may lie                      */

#endif
