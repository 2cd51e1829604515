/* map.c - special functions over arrays: blocks of numbers through the lanes of the context's
 * instruction set, and those that lie beyond a lane's reach one by one; also the functions of
 * single numbers that have a lane, since they are the same lane.
 *
 * What a lane computes is lane_*.h; the edges are the other files'. */
#include "edges.h"
#include "lane_airy.h"
#include "lane_bessel.h"
#include "lane_erf.h"
#include "lane_gamma.h"
#include "lane_integral.h"
#include "lane_modified.h"

#include <weft/special.h>

/* y = f(near), near being x where the lane is right, and a calm number elsewhere; all (n) */
typedef void (*map_loop)(const double *restrict x, double *restrict near, double *restrict y,
                         int n);

LANE_BEGIN
#define MAP_SET 128
#include "map.inc"
LANE_END

#if defined(__x86_64__)
LANE_TARGET("avx2,fma")
#define MAP_SET 256
#include "map.inc"
LANE_END

LANE_TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
#define MAP_SET 512
#include "map.inc"
LANE_END
#endif

/* Where a lane is right: see lanes.def. */
typedef struct map_span {
    double low, high, least, calm;
} map_span;

static inline bool map_inside(map_span s, double x) {
    return x >= s.low && x <= s.high && !(fabs(x) < s.least);
}

/* ---- single numbers ---- */

#define LANES(name, low, high, least, calm)                                                        \
    double weft_special_##name(double x) {                                                         \
        const map_span s = {low, high, least, calm};                                               \
        return map_inside(s, x) ? lane_##name(x) : edge_##name(x);                                 \
    }
#include "lanes.def"

/* ---- arrays ---- */

enum { MAP_BLOCK = 256 };

static const map_span map_spans[WEFT_SPECIAL_COUNT] = {
#define LANES(name, low, high, least, calm) [WEFT_SPECIAL_##name] = {low, high, least, calm},
#include "lanes.def"
};

static const map_loop *map_loops_of(const weft_ctx *c) {
#if defined(__x86_64__)
    const char *const isa = weft_device_isa(c);
    if (strcmp(isa, "avx512") == 0) return map_loops_512;
    if (strcmp(isa, "avx2") == 0) return map_loops_256;
#else
    (void)c;
#endif
    return map_loops_128;
}

/* x (n), y (n), apart, with room up to the next multiple of eight; n at most MAP_BLOCK */
static void map_block(map_loop loop, weft_special f, double *x, double *y, int n) {
    const map_span s = map_spans[f];
    const int full = (n + 7) / 8 * 8;
    double near[MAP_BLOCK];
    for (int i = n; i < full; i++) x[i] = s.calm;
    loop(x, near, y, full);
    if (memcmp(x, near, (size_t)n * sizeof *x) == 0) return;
    for (int i = 0; i < n; i++)
        if (!map_inside(s, x[i])) y[i] = weft_special_at(f, &x[i]);
}

/* The two array functions differ in the type they read and write. */
#define MAP_ARRAYS(name, type)                                                                     \
    weft_err name(weft_ctx *c, weft_special f, int64_t n, const type *const *x, type *y) {         \
        const int arguments = weft_special_arguments(f);                                           \
        if (!arguments)                                                                            \
            return weft_fail(c, WEFT_ARGUMENT, #name ": function %d is not one of the %d", (int)f, \
                             (int)WEFT_SPECIAL_COUNT);                                             \
        const map_loop loop = map_loops_of(c)[f];                                                  \
        double in[MAP_BLOCK], out[MAP_BLOCK], one[3];                                              \
        for (int64_t at = 0; at < n; at += MAP_BLOCK) {                                            \
            const int count = n - at < MAP_BLOCK ? (int)(n - at) : MAP_BLOCK;                      \
            for (int i = 0; loop && i < count; i++) in[i] = (double)x[0][at + i];                  \
            if (loop) map_block(loop, f, in, out, count);                                          \
            for (int i = 0; !loop && i < count; i++) {                                             \
                for (int j = 0; j < arguments; j++) one[j] = (double)x[j][at + i];                 \
                out[i] = weft_special_at(f, one);                                                  \
            }                                                                                      \
            for (int i = 0; i < count; i++) y[at + i] = (type)out[i];                              \
        }                                                                                          \
        return WEFT_OK;                                                                            \
    }
MAP_ARRAYS(weft_special_map, double)
MAP_ARRAYS(weft_special_map_f32, float)
