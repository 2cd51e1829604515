/* interp_parts.h - a prepared row program, as interp.c makes it and interp_run.c walks it. */
#ifndef WEFT_INTERP_PARTS_H
#define WEFT_INTERP_PARTS_H

#include "backend/cpu/interp.h"

enum {
    INTERP_RESIDENT = 4096,           /* the longest row that is kept whole between phases        */
    INTERP_LONG = 65536,              /* the same if phases would compute an exponential again     */
    INTERP_PARTIAL = 64,              /* rows summed across before they are added to the total    */
    INTERP_CACHE = 32 << 20,          /* bytes a kernel touches that are more than a last cache   */
    INTERP_RESULT = 8 << 20,          /* bytes of a result that then goes past the caches         */
    INTERP_WIDE = 4096,               /* lanes of a tile where nothing lies in between            */
    INTERP_BAG = 256                  /* most rows of a table that are summed in one go           */
};

typedef enum iop_kind {
    I_MAP,          /* fn(d, a, b, c) over the tile, or over the row values                       */
    I_LOAD, I_STORE, I_TAKE, I_INDEX, I_RANDOM,
    I_BY_ROW,       /* rows_fn(d, a, row values b)                                                */
    I_BY_TWO,       /* row_norm(d, a, row values b, row values c)                                 */
    I_FOLD,         /* into row values d; b: argmax's best; c: the total of a long sum            */
    I_DOT,          /* the sum of a * b into row values d; c as above                             */
    I_TAKE_SUM,     /* the sum of the rows that indices a name, into row values d                 */
    I_SPREAD        /* row values a to a tile d                                                   */
} iop_kind;

typedef struct iop {
    uint8_t   kind, level, dtype, type, fold;
    bool      direct;                 /* load: the slot points into memory, nothing is copied     */
    bool      whole;                  /* take: one index for all columns of a row                 */
    bool      far;                    /* store: past the caches                                   */
    bool      thin;                   /* load, take: of such indices, only one per row            */
    uint8_t   kept;                   /* load, index: 1 + which of the walk's kept tiles, or 0    */
    uint16_t  d, a, b, c;             /* slots                                                    */
    uint16_t  view;
    uint32_t  bits;
    int64_t   arg2;
    union {
        tile_map *fn;
        void (*rows_fn)(void *d, const void *a, const void *row, int rows, int n);
    };
} iop;

typedef enum interp_mode { INTERP_MAP, INTERP_ROWS, INTERP_STREAM, INTERP_ACROSS } interp_mode;

/* iops [head, body) once a row, [body, end) once a tile */
typedef struct interp_phase { uint16_t head, body, end; } interp_phase;

typedef struct interp_view {
    char    *at;                      /* element 0 of the view                                    */
    uint8_t  dtype, size;
    bool     guard, flat;             /* flat: one number for the whole kernel                    */
    uint32_t fill;
    const int32_t *start;             /* run-time start, or NULL                                  */
    int64_t  start_stride, start_max;
    int64_t  off, stride[KDIMS];
    int64_t  lo[KDIMS], hi[KDIMS];
} interp_view;

typedef struct interp_slot {
    uint32_t offset, fill;
    uint16_t view;
    uint8_t  kind;
    bool     wide;                    /* CONST, FLAT: read by elements, not only by row values    */
} interp_slot;
/* CONST, FLAT: filled once a run; KEPT: filled again only when it would differ; DIRECT, OUT: memory itself. */
enum { SLOT_TILE, SLOT_ROW, SLOT_CONST, SLOT_FLAT, SLOT_KEPT, SLOT_DIRECT, SLOT_OUT };

enum { INTERP_KEPT = 16 };            /* most kept tiles of a kernel */

struct interp {
    const tile_table *t;
    interp_mode  mode;
    int          dims;                /* loop dimensions                                          */
    int64_t      dim[KDIMS];
    int          xr, xc;              /* dimensions of a tile's rows (-1: none) and columns       */
    int          outer, reduce;       /* as in the kernel                                         */
    int          rows, cols;          /* largest tile                                             */
    bool         streams;             /* some store goes past the caches                          */
    bool         long_sums;  /* sums across so many rows that they go through partial sums */
    int64_t      units, chunks; /* chunks: units along the columns (one-dimensional maps, across) */
    int          nview, niop, nslot, nphase, ndirect;
    interp_view *view;
    iop         *op;
    interp_slot *slot;
    uint16_t    *direct;              /* the slots that point into memory                         */
    interp_phase *phase;
    size_t       scratch, tiles;      /* bytes of all, and of the tiles alone                     */
    size_t       lanes, row_lanes;    /* of a tile, and of row values, rounded up                 */
    /* of a long fold, cut by interp_sweep.c: */
    int64_t      pieces;              /* of a unit's sweeps; 1: not cut                           */
    int          folds, row_slots;    /* most accumulators of a phase; slots of row values        */
    int          stages;
    uint16_t    *stage;               /* 2 * phase for its head, + 1 for its sweep                */
    size_t       pitch;               /* between the accumulators of two pieces                   */
    float       *shared;              /* row values of all units, then accumulators of all pieces */
};

/* Cuts the sweeps of a program in phases. False: out of memory. */
bool sweep_prepare(const weft_plan *p, const kernel *k, interp *x, arena *memory);

#endif
