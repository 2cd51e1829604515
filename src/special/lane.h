/* lane.h - arithmetic of one lane: double functions without branches, to be inlined into loops that
 * the compiler turns into vectors of any width, as kern/kmath.h is for float.
 *
 * LANE_BEGIN ... LANE_END stand around such functions, LANE_TARGET(set) ... LANE_END around loops
 * built for an instruction set. Contraction is allowed in between and needed nowhere: where a
 * product must be exact, its factors are short enough. Relies on round to nearest. Edges (zero,
 * infinity, NaN, poles) are left to callers: each function says what it takes. */
#ifndef WEFT_SPECIAL_LANE_H
#define WEFT_SPECIAL_LANE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LANE_PRAGMA(x) _Pragma(#x)
#if defined(__clang__)
#define LANE_BEGIN                                                                                 \
    _Pragma("clang fp contract(fast)")                                                             \
    _Pragma("clang attribute push(__attribute__((hot)), apply_to = function)")
#define LANE_TARGET(set)                                                                           \
    _Pragma("clang fp contract(fast)")                                                             \
    LANE_PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define LANE_END _Pragma("clang attribute pop") _Pragma("clang fp contract(off)")
#define LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#if !defined(__OPTIMIZE__)
#define LANE_BEGIN _Pragma("GCC push_options")
#elif defined(__SANITIZE_ADDRESS__)
#define LANE_BEGIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"fp-contract=fast\")")
#else
#define LANE_BEGIN                                                                                 \
    _Pragma("GCC push_options") _Pragma("GCC optimize(\"O3\", \"fp-contract=fast\")")
#endif
/* Tuned for Haswell, gcc gathers from tables; by default it would leave such loops scalar
 * (gamma: 36 ns without, 24 ns with, one Zen 3 core). */
#define LANE_TARGET(set) LANE_BEGIN LANE_PRAGMA(GCC target(set ",tune=haswell"))
#define LANE_END         _Pragma("GCC pop_options")
#define LANE_LOOP        _Pragma("GCC ivdep")
#endif
#define LANE static inline __attribute__((always_inline, unused))

LANE_BEGIN

LANE uint64_t lane_bits(double a) {
    uint64_t u;
    memcpy(&u, &a, sizeof u);
    return u;
}

LANE double lane_double(uint64_t u) {
    double a;
    memcpy(&a, &u, sizeof a);
    return a;
}

LANE double lane_abs(double a) {
    return lane_double(lane_bits(a) & 0x7fffffffffffffffu);
}

LANE double lane_with_sign(double size, double sign) {
    return lane_double((lane_bits(size) & 0x7fffffffffffffffu) |
                       (lane_bits(sign) & 0x8000000000000000u));
}

/* The first 26 bits: products of two such numbers are exact. */
LANE double lane_short(double a) {
    return lane_double(lane_bits(a) & 0xfffffffff8000000u);
}

/* To the nearest whole number for |a| < 2^51; after adding LANE_MAGIC its low bits are the
 * integer's. */
#define LANE_MAGIC 6755399441055744.0 /* 1.5 * 2^52 */
LANE double lane_round(double a) {
    return (a + LANE_MAGIC) - LANE_MAGIC;
}

/* The part of an octave table that x lies in, and its distance from the middle. low <= x < high
 * decides; beyond, the nearest part is taken. */
typedef struct lane_piece {
    uint64_t k;
    double t;
} lane_piece;

LANE lane_piece lane_piece_of(double x, double low, double high, int cuts) {
    const double last = lane_double(lane_bits(high) - 1);
    const double a = x > low ? x : low, b = a < last ? a : last;
    const uint64_t u = lane_bits(b) >> (52 - cuts);
    const double middle = lane_double((u << (52 - cuts)) | (uint64_t)1 << (51 - cuts));
    return (lane_piece){u - (lane_bits(low) >> (52 - cuts)), b - middle};
}

LANE_END

#endif
