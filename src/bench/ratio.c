/* ratio.c - which of two programs is slower, from times taken in turn.
 *
 * On a busy machine what disturbs comes in stretches of its own choosing: medians move by tenths,
 * while the fastest samples stay where they are. So the fastest of either side are compared. A
 * process keeps its luck, with where its memory lies, for as long as it runs; so whole rounds are
 * what is drawn again and again for the interval. docs/measure.md has the measurements behind
 * this. */
#include "bench/statistics.h"

#include <weft/rl.h>

#include <math.h>
#include <stdlib.h>

enum { RATIO_RESAMPLES = 500 };

typedef struct ratio_job {
    const double *side[2];
    size_t rounds, pairs;
    size_t *drawn; /* the rounds in use */
    double *time;  /* room for all of one side */
} ratio_job;

static bool ratio_good(const ratio_job *j, size_t i) {
    const double a = j->side[0][i], b = j->side[1][i];
    return isfinite(a) && isfinite(b) && a > 0 && b > 0;
}

static double ratio_fastest(const ratio_job *j, int side, size_t *used) {
    size_t n = 0;
    for (size_t r = 0; r < j->rounds; r++)
        for (size_t p = 0; p < j->pairs; p++) {
            const size_t i = j->drawn[r] * j->pairs + p;
            if (ratio_good(j, i)) j->time[n++] = j->side[side][i];
        }
    *used = n;
    return bench_fastest(j->time, n);
}

static double ratio_of(const ratio_job *j, size_t *used) {
    const double a = ratio_fastest(j, 0, used);
    return a / ratio_fastest(j, 1, used);
}

static weft_ratio ratio_all(const ratio_job *j) {
    double ratio[RATIO_RESAMPLES];
    size_t n = 0, used;
    weft_ratio out = {.low = NAN, .high = NAN};
    for (size_t r = 0; r < j->rounds; r++) j->drawn[r] = r;
    out.ratio = ratio_of(j, &out.pairs);
    weft_rng dice;
    weft_rng_seed(&dice, BENCH_SEED, 0);
    for (int i = 0; i < RATIO_RESAMPLES; i++) {
        for (size_t r = 0; r < j->rounds; r++)
            j->drawn[r] = weft_rng_below(&dice, (uint32_t)j->rounds);
        const double x = ratio_of(j, &used);
        if (used) ratio[n++] = x;
    }
    if (n) bench_interval(ratio, n, j->rounds, &out.low, &out.high);
    return out;
}

weft_ratio weft_bench_ratio(const double *a, const double *b, size_t rounds, size_t pairs) {
    weft_ratio out = {NAN, NAN, NAN, 0};
    if (!a || !b || !rounds || !pairs || rounds > 10000 || pairs > 10000) return out;
    double *time = malloc(rounds * pairs * sizeof *time);
    size_t *drawn = malloc(rounds * sizeof *drawn);
    if (time && drawn) out = ratio_all(&(ratio_job){{a, b}, rounds, pairs, drawn, time});
    free(time);
    free(drawn);
    return out;
}
