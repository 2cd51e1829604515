/* test_special.c - every special function at the points of tests/golden/special, one by one and by
 * arrays in every vector width of this machine, in double and in float; and the table of errors in
 * docs/special.md, which must not promise more than is found here.
 *
 *     WEFT_SPECIAL_TABLE=1 build/tests/test_special        prints that table */
#define _POSIX_C_SOURCE 200809L
#include "special_points.h"
#include "test.h"

#include <float.h>

#define BOUND       4.0   /* ulps, for one argument, times 1 + condition */
#define BOUND_MANY  1e-13 /* relative, for several arguments */
#define BOUND_FLOAT 1.0   /* ulps of float from the rounded truth */
#define CALM        10.0  /* condition up to which plain ulps are told */

typedef struct worst {
    double share, ulps, single; /* over 1 + condition, or relative; plain; of floats */
    int64_t at, single_at;
} worst;

/* Errors of `got` (n) at p. */
static void worst_of(worst *w, weft_special f, const special_points *p, const double *got) {
    const bool one = weft_special_arguments(f) == 1;
    for (int64_t i = 0; i < p->n; i++) {
        const double ulps = special_distance(got[i], p->want[i], p->left[i]);
        double share = ulps / (1 + p->weight[i]);
        if (!one && !isinf(ulps) && p->want[i] != 0) {
            /* the last bit of a subnormal is as near as can be */
            const double left = fabs(p->want[i]) < DBL_MIN ? fmax(ulps - 1, 0) : ulps;
            const double off = left * special_ulp(p->want[i], 53, -1074);
            share = off / fabs(p->want[i]) / p->weight[i];
        } else if (!one) {
            share = ulps;
        }
        if (share > w->share) w->share = share, w->at = i;
        if (ulps > w->ulps && p->weight[i] <= CALM) w->ulps = ulps;
    }
}

/* All arguments exactly floats, and the result in their range. */
static bool in_float(weft_special f, const special_points *p, int64_t i) {
    for (int j = 0; j < weft_special_arguments(f); j++)
        if (p->x[j][i] == p->x[j][i] && (double)(float)p->x[j][i] != p->x[j][i]) return false;
    return !(fabs(p->want[i]) > 3.4e38) || isinf(p->want[i]);
}

static void worst_single(worst *w, weft_special f, const special_points *p, const float *got) {
    for (int64_t i = 0; i < p->n; i++) {
        if (!in_float(f, p, i)) continue;
        const double ulps = special_distance_f32(got[i], p->want[i]);
        if (ulps > w->single) w->single = ulps, w->single_at = i;
    }
}

static void tell(weft_special f, const special_points *p, int64_t at, double got) {
    printf("    %s(", weft_special_name(f));
    for (int j = 0; j < weft_special_arguments(f); j++)
        printf("%s%.17g", j ? ", " : "", p->x[j][at]);
    printf(") is %.17g, not %.17g\n", got, p->want[at]);
}

static worst measure_one_by_one(weft_special f, const special_points *p) {
    worst w = {0};
    double *got = malloc((size_t)p->n * sizeof *got), x[3] = {0};
    float *single = malloc((size_t)p->n * sizeof *single);
    for (int64_t i = 0; i < p->n; i++) {
        for (int j = 0; j < weft_special_arguments(f); j++) x[j] = p->x[j][i];
        got[i] = weft_special_at(f, x);
        single[i] = (float)got[i];
    }
    worst_of(&w, f, p, got);
    worst_single(&w, f, p, single);
    free(got);
    free(single);
    return w;
}

static worst measure_arrays(weft_ctx *c, weft_special f, const special_points *p) {
    worst w = {0};
    const int arguments = weft_special_arguments(f);
    double *got = malloc((size_t)p->n * sizeof *got);
    float *single = malloc((size_t)p->n * sizeof *single), *in[3] = {0};
    for (int j = 0; j < arguments; j++) {
        in[j] = malloc((size_t)p->n * sizeof *in[j]);
        for (int64_t i = 0; i < p->n; i++) in[j][i] = in_float(f, p, i) ? (float)p->x[j][i] : 0.5f;
    }
    const double *const x[3] = {p->x[0], p->x[1], p->x[2]};
    const float *const y[3] = {in[0], in[1], in[2]};
    CHECK_EQ(weft_special_map(c, f, p->n, x, got), WEFT_OK);
    CHECK_EQ(weft_special_map_f32(c, f, p->n, y, single), WEFT_OK);
    worst_of(&w, f, p, got);
    worst_single(&w, f, p, single);
    for (int j = 0; j < 3; j++) free(in[j]);
    free(got);
    free(single);
    return w;
}

static void check_worst(weft_special f, const special_points *p, worst w) {
    const double bound = weft_special_arguments(f) == 1 ? BOUND : BOUND_MANY;
    if (!CHECK(w.share <= bound)) {
        printf("    %g instead of %g\n", w.share, bound);
        double x[3] = {0};
        for (int j = 0; j < weft_special_arguments(f); j++) x[j] = p->x[j][w.at];
        tell(f, p, w.at, weft_special_at(f, x));
    }
    if (!CHECK(w.single <= BOUND_FLOAT)) {
        double x[3] = {0};
        for (int j = 0; j < weft_special_arguments(f); j++) x[j] = p->x[j][w.single_at];
        printf("    float: %g ulps\n", w.single);
        tell(f, p, w.single_at, weft_special_at(f, x));
    }
}

TEST(one_by_one) {
    for (int f = 0; f < WEFT_SPECIAL_COUNT; f++) {
        CASE("%s", weft_special_name((weft_special)f));
        special_points p = special_points_read((weft_special)f);
        CHECK(p.n >= 2000);
        if (p.n) check_worst((weft_special)f, &p, measure_one_by_one((weft_special)f, &p));
        special_points_free(&p);
    }
}

TEST(arrays) {
    static const char *const widths[] = {"128", "256", "512"};
    const char *const asked = getenv("WEFT_ISA");
    for (int i = 0; i < (asked ? 1 : 3); i++) {
        if (!asked) setenv("WEFT_ISA", widths[i], 1);
        weft_ctx *c = weft_open("cpu");
        for (int f = 0; c && f < WEFT_SPECIAL_COUNT; f++) {
            if (weft_special_arguments((weft_special)f) > 1 && i > 0) continue; /* no lanes */
            CASE("%s, %s", weft_special_name((weft_special)f), weft_device_isa(c));
            special_points p = special_points_read((weft_special)f);
            if (p.n) check_worst((weft_special)f, &p, measure_arrays(c, (weft_special)f, &p));
            special_points_free(&p);
        }
        weft_close(c);
    }
    if (!asked) unsetenv("WEFT_ISA");
}

/* ---- docs/special.md ---- */

/* A row is "| name | points | share | ulps | single |", the last three as in worst. */
static bool table_row(weft_special f, worst *w, int64_t *points) {
    FILE *file = fopen("docs/special.md", "r");
    char line[500], name[64];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        long long n;
        if (sscanf(line, "| %63s | %lld | %lf | %lf | %lf |", name, &n, &w->share, &w->ulps,
                   &w->single) == 5)
            found = strcmp(name, weft_special_name(f)) == 0;
        *points = n;
    }
    if (file) fclose(file);
    return found;
}

TEST(documented_errors) {
    weft_ctx *c = weft_open("cpu");
    const bool print = getenv("WEFT_SPECIAL_TABLE") != NULL;
    for (int i = 0; c && i < WEFT_SPECIAL_COUNT; i++) {
        const weft_special f = (weft_special)i;
        special_points p = special_points_read(f);
        worst a = measure_one_by_one(f, &p), b = measure_arrays(c, f, &p), said = {0};
        const double share = fmax(a.share, b.share), ulps = fmax(a.ulps, b.ulps);
        const double single = fmax(a.single, b.single);
        int64_t points = 0;
        /* a tenth more, since compilers and widths differ in the last bit */
        if (print)
            printf("| %s | %lld | %.2g | %.2g | %.0f |\n", weft_special_name(f), (long long)p.n,
                   1.1 * share, 1.1 * ulps, single);
        CASE("%s", weft_special_name(f));
        if (!print && CHECK(table_row(f, &said, &points))) {
            CHECK_EQ(points, p.n);
            CHECK(share <= said.share);
            CHECK(ulps <= said.ulps);
            CHECK(single <= fmax(said.single, BOUND_FLOAT)); /* 0 may become 1 elsewhere */
        }
        special_points_free(&p);
    }
    weft_close(c);
}
