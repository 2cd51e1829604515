/* bench_special.c - special functions over an array of 10,000 doubles, on one thread.
 *
 * special-NAME times one of them, special all that run by vectors and some that do not, each where
 * people use it; every branch of a function is met. Some results of each are compared with the
 * function by another definition (bench_special_truth.c), and with the library's own of one number.
 */
#include "bench_special.h"

#include "bench.h"
#include "command.h"

#include <weft/special.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPECIAL_NUMBERS = 10000 };

static const struct special_range {
    weft_special f;
    double low, high; /* of the last argument; others are 2.5 */
    double size;
    double (*truth)(double x, double found);
} special_ranges[] = {
#define X(name, low, high, size) {WEFT_SPECIAL_##name, low, high, size, special_truth_##name},
    SPECIAL_TIMED(X)
#undef X
};

typedef struct special_job {
    weft_ctx *c;
    weft_special f;
    int n;
    const double *x[3];
    double *y;
} special_job;

static void special_run(void *user) {
    const special_job *const j = user;
    weft_special_map(j->c, j->f, j->n, j->x, j->y);
}

static int special_check(bench *b, const struct special_range *range, const special_job *j) {
    const int arguments = weft_special_arguments(range->f);
    const double *const x = j->x[arguments - 1];
    for (int i = 0; i < j->n; i += 97) {
        const double y = j->y[i];
        double at[3] = {0};
        for (int k = 0; k < arguments; k++) at[k] = j->x[k][i];
        const double alone = weft_special_at(range->f, at), want = range->truth(x[i], y);
        if (!(fabs(y - want) <= 1e-9 * fmax(fabs(want), range->size)) ||
            !(fabs(y - alone) <= 1e-11 * fmax(fabs(alone), range->size)))
            return bench_wrong(b, "%s(%g) is %.17g, alone %.17g, by another method %.17g",
                               weft_special_name(range->f), x[i], y, alone, want);
    }
    return EXIT_GOOD;
}

static int special_measure(bench *b, const struct special_range *range, double *x, double *y,
                           double *other) {
    const int arguments = weft_special_arguments(range->f);
    special_job j = {.c = b->ctx, .f = range->f, .n = SPECIAL_NUMBERS, .x = {x}, .y = y};
    bench_line l = {.part = strcmp(b->name, "special") == 0 ? weft_special_name(range->f) : ""};
    bench_random r = {1};
    for (int i = 0; i < SPECIAL_NUMBERS; i++) {
        float u;
        bench_fill(&r, &u, 1);
        x[i] = range->low + (range->high - range->low) * (0.5 * u + 0.5);
        other[i] = 2.5;
    }
    for (int i = 0; i < arguments; i++) j.x[i] = i == arguments - 1 ? x : other;
    if (b->quick) j.n = 1000;
    special_run(&j);
    const int status = special_check(b, range, &j);
    if (status != EXIT_GOOD) return status;
    const weft_bench_desc effort = bench_effort(b, 0.3);
    weft_bench_time(&effort, &(weft_bench_call){special_run, &j}, 1, &l.time);
    const double ns = 1e3 * l.time.median_us / j.n;
    l.stats.threads = 1;
    if (*l.part) bench_text(&l, "part", l.part);
    bench_number(&l, "numbers", j.n);
    bench_number(&l, "ns_per_element", ns);
    snprintf(l.note, sizeof l.note, "%.1f ns a number", ns);
    bench_write(b, &l);
    return EXIT_GOOD;
}

int bench_special(bench *b) {
    const int count = sizeof special_ranges / sizeof *special_ranges;
    const char *const only = strchr(b->name, '-');
    double *const memory = malloc(3 * SPECIAL_NUMBERS * sizeof *memory);
    if (!memory) return bench_wrong(b, "out of memory");
    int status = EXIT_GOOD;
    for (int i = 0; i < count && status == EXIT_GOOD; i++) {
        if (only && strcmp(only + 1, weft_special_name(special_ranges[i].f)) != 0) continue;
        status = special_measure(b, &special_ranges[i], memory, memory + SPECIAL_NUMBERS,
                                 memory + 2 * SPECIAL_NUMBERS);
    }
    free(memory);
    return status;
}
