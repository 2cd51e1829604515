/* special_points.h - reads the points that tools/golden_special.py and tools/special_scan.py write, and measures distances
 * from them. */
#ifndef WEFT_TEST_SPECIAL_POINTS_H
#define WEFT_TEST_SPECIAL_POINTS_H

#include <weft/special.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct special_points {
    int64_t n;
    double *x[3]; /* arguments */
    double *want; /* the result, rounded */
    double *left; /* what rounding left, in ulps */
    double *weight;
} special_points;

static inline void special_points_free(special_points *p) {
    for (int i = 0; i < 3; i++) free(p->x[i]);
    free(p->want);
    free(p->left);
    free(p->weight);
}

/* Appends a file's points. */
static inline void special_points_append(special_points *p, const char *folder, weft_special f) {
    char path[200];
    const int arguments = weft_special_arguments(f);
    const size_t record = 8 * ((size_t)arguments + 1) + 5;
    snprintf(path, sizeof path, "tests/golden/%s/%s.bin", folder, weft_special_name(f));
    FILE *file = fopen(path, "rb");
    if (!file) return;
    fseek(file, 0, SEEK_END);
    const int64_t most = p->n + ftell(file) / (int64_t)record;
    rewind(file);
    const size_t bytes = ((size_t)most + 1) * sizeof(double);
    for (int i = 0; i < arguments; i++) p->x[i] = realloc(p->x[i], bytes);
    p->want = realloc(p->want, bytes), p->left = realloc(p->left, bytes);
    p->weight = realloc(p->weight, bytes);
    unsigned char raw[64];
    for (; p->n < most && fread(raw, record, 1, file) == 1; p->n++) {
        float weight;
        for (int i = 0; i < arguments; i++) memcpy(&p->x[i][p->n], raw + 8 * i, 8);
        memcpy(&p->want[p->n], raw + 8 * arguments, 8);
        p->left[p->n] = (signed char)raw[record - 5] / 256.0;
        memcpy(&weight, raw + record - 4, 4);
        p->weight[p->n] = weight;
    }
    fclose(file);
}

/* Those around seams, roots and poles, and those that tools/special_scan.py found. */
static inline special_points special_points_read(weft_special f) {
    special_points p = {0};
    special_points_append(&p, "special", f);
    special_points_append(&p, "scan", f);
    return p;
}

static inline double special_ulp(double v, int digits, int least) {
    int e;
    frexp(v, &e);
    return ldexp(1, e - digits > least ? e - digits : least);
}

/* |got - truth| in ulps of the truth; infinite where one is special and the other is not it. */
static inline double special_distance(double got, double want, double left) {
    if (isnan(want) || isinf(want)) return (isnan(want) ? isnan(got) : got == want) ? 0 : INFINITY;
    if (isnan(got) || isinf(got)) return INFINITY;
    if (want == 0 && left == 0) return got == 0 ? 0 : INFINITY;
    return fabs((got - want) / special_ulp(want, 53, -1074) - left);
}

/* The same between floats, of which want is the rounded truth. */
static inline double special_distance_f32(float got, double want) {
    const float near = (float)want;
    if (isnan(near) || isinf(near) || isnan(got) || isinf(got))
        return (isnan(near) ? isnan(got) : got == near) ? 0 : INFINITY;
    return fabs(((double)got - (double)near) / special_ulp((double)near, 24, -149));
}

#endif
