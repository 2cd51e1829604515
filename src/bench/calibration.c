/* calibration.c - the loop that times are compared with. It must never change: baselines hold
 * times in its units.
 *
 * Twelve independent chains of multiply and add on four floats keep the arithmetic units of any
 * core busy, so that the loop slows down with the clock and with a neighbour on the same core, as
 * kernels do. It touches no memory: caches are left as they were. */
#include "bench/statistics.h"

#if defined(__GNUC__) || defined(__clang__)
typedef float calibration_four __attribute__((vector_size(16)));
#define CALIBRATION_ALL(v)                                                                         \
    { v, v, v, v }
#define CALIBRATION_FIRST(v) (v)[0]
#else
typedef float calibration_four;
#define CALIBRATION_ALL(v)   v
#define CALIBRATION_FIRST(v) (v)
#endif

enum { CALIBRATION_TURNS = 49152 };

/* The chains begin differently, or the compiler would see that they are one. */
#define CALIBRATION_CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

static float calibration_loop(void) {
    const calibration_four x = CALIBRATION_ALL(0.999f), y = CALIBRATION_ALL(1e-3f);
#define X(k) calibration_four c##k = CALIBRATION_ALL(0.1f * (k + 1));
    CALIBRATION_CHAINS(X)
#undef X
    for (int i = 0; i < CALIBRATION_TURNS; i++) {
#define X(k) c##k = c##k * x;
        CALIBRATION_CHAINS(X)
#undef X
#define X(k) c##k = c##k + y;
        CALIBRATION_CHAINS(X)
#undef X
    }
    float sum = 0;
#define X(k) sum += CALIBRATION_FIRST(c##k);
    CALIBRATION_CHAINS(X)
#undef X
    return sum;
}

double weft_bench_calibration(void) {
    const double start = weft_clock();
    const float sum = calibration_loop();
    const double took = weft_clock() - start;
    return sum > 0 ? 1e6 * took : 0; /* always, but now the chains are needed */
}
#undef CALIBRATION_CHAINS
#undef CALIBRATION_ALL
#undef CALIBRATION_FIRST
