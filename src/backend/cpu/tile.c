/* tile.c - the tile loops, built once per vector width, and the choice among them.
 *
 * Only instruction sets live here: tile.inc has the loops from the rows of ops.def, memory and
 * random numbers, tile_fold.inc the folds, tile_step.inc the steps of optimisers. Names end in the
 * width. */
#include "backend/cpu/tile.h"
#include "kern/kfar.h"
#include "kern/kmath.h"
#include "kern/krandom.h"
#include "kern/kspecial.h"
#if WEFT_X86
#include <immintrin.h>
#endif

#define TILE_JOIN_(a, b) tile_##a##_##b
#define TILE_JOIN(a, b)  TILE_JOIN_(a, b)
#define TILE_(name)      TILE_JOIN(name, TILE_WORD)

/* A 32-bit lane of either type, for loops that only move it. */
#if defined(__GNUC__) || defined(__clang__)
typedef uint32_t __attribute__((may_alias)) tile_lane;
#else
typedef uint32_t tile_lane;
#endif

WEFT_TARGET_BEGIN_128
#define TILE_LANES 4
#define TILE_WORD  128
#include "tile_fold.inc"
#include "tile_step.inc"

#include "tile.inc"
WEFT_TARGET_END

#if WEFT_X86
WEFT_TARGET_BEGIN_256
#define TILE_LANES 8
#define TILE_WORD  256
#include "tile_fold.inc"
#include "tile_step.inc"

#include "tile.inc"
WEFT_TARGET_END

WEFT_TARGET_BEGIN_512
#define TILE_LANES 16
#define TILE_WORD  512
#include "tile_fold.inc"
#include "tile_step.inc"

#include "tile.inc"
WEFT_TARGET_END
#endif

const tile_table *tile_table_for(isa level) {
#if WEFT_X86
    if (level == ISA_512) return &tile_table_512;
    if (level == ISA_256) return &tile_table_256;
#endif
    (void)level;
    return &tile_table_128;
}

#undef TILE_JOIN_
#undef TILE_JOIN
#undef TILE_
