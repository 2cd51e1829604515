/* test_routines.c - linrec, scatter_add, argsort, adam, momentum and squares against naive loops in double.
 *
 * Odd sizes, strides, empty shapes, results over their inputs; see routine_job.h. */
#include "routine_job.h"

#include "core/update_rules.h"

TEST(out_of_memory) {
    job j = job_new(STEP_LINREC, 0);
    const int64_t dim[] = {3, 5};
    input(&j, WEFT_F32, PLAIN, 2, dim);
    input(&j, WEFT_F32, PLAIN, 2, dim);
    result(&j, WEFT_F32, 2, dim);
    int left = 0;
    mem m = {.resize = test_resize, .user = &left};
    arena memory = {.m = &m};
    routine r;
    CHECK_EQ(routine_prepare(&r, &j.s, ISA_128, NULL, &memory), WEFT_MEMORY);
    arena_free(&memory);
    job_free(&j);
}

/* ---- linrec ---- */

TEST(linrec) {
    static const int64_t dims[][4] = {{1, 1, 7, 1},   {2, 3, 5, 4},   {1, 9, 1, 3},  {3, 1, 4, 17},
                                      {2, 2, 3, 600}, {20, 2, 1, 33}, {16, 1, 4, 1}, {2, 0, 3, 4}};
    for (size_t x = 0; x < sizeof dims / sizeof dims[0]; x++) {
        for (int way = 0; way < 24; way++) {
            const int axis = way % 4, reverse = way / 4 % 2, layout = way / 8;
            CASE("shape %d axis %d reverse %d layout %d", (int)x, axis, reverse, layout);
            const int64_t *n = dims[x];
            job j = job_new(STEP_LINREC, 0);
            j.s.attr[0] = axis;
            j.s.attr[1] = reverse;
            input(&j, WEFT_F32, layout, 4, n);
            roperand *b = input(&j, WEFT_F32, layout, 4, n);
            if (layout == GAPS) b->stride[0] = 0;
            double *want = result(&j, WEFT_F32, 4, n);
            const roperand *h = &j.s.in[2];
            for (int64_t i = 0; i < count_of(h); i++) {
                int64_t at[4] = {i / h->stride[0], i / h->stride[1] % n[1], i / h->stride[2] % n[2],
                                 i % n[3]};
                if (at[axis] != 0) continue;
                double last = 0;
                for (int64_t t = 0; t < n[axis]; t++) {
                    at[axis] = reverse ? n[axis] - 1 - t : t;
                    last = real(&j, 0, at[0], at[1], at[2], at[3]) * last +
                           real(&j, 1, at[0], at[1], at[2], at[3]);
                    want[place(&j, 2, at[0], at[1], at[2], at[3])] = last;
                }
            }
            job_run(&j);
            CHECK_EQ(j.strided, count_of(h) > 0);
            job_free(&j);
        }
    }
}

/* ---- scatter_add ---- */

static void scatter_case(int axis, int real_type, int layout, const int64_t *n, int64_t extent,
                         bool rows, bool in_place) {
    CASE("axis %d f32 %d layout %d extent %d rows %d in place %d", axis, real_type, layout,
         (int)extent, rows, in_place);
    job j = job_new(STEP_SCATTER_ADD, 0);
    const weft_dtype t = real_type ? WEFT_F32 : WEFT_I32;
    j.s.attr[0] = axis;
    int64_t base[3] = {n[0], n[1], n[2]};
    base[axis] = extent;
    input(&j, t, PLAIN, 3, base);
    roperand *index = input(&j, WEFT_I32, layout, 3, n);
    for (int d = axis + 1; rows && d < 3; d++) index->stride[d] = 0;
    input(&j, t, layout, 3, n);
    double *want = result(&j, t, 3, base);
    for (int64_t i = 0; i < count_of(&j.s.in[0]); i++) {
        want[i] = real_type ? ((float *)j.at[0])[i] : ((int32_t *)j.at[0])[i];
    }
    for (int64_t a = 0; a < n[0]; a++) {
        for (int64_t b = 0; b < n[1]; b++) {
            for (int64_t c = 0; c < n[2]; c++) {
                int64_t at[3] = {a, b, c};
                at[axis] = whole(&j, 1, a, b, c, 0);
                if (at[axis] < 0 || at[axis] >= extent) continue;
                want[place(&j, 3, at[0], at[1], at[2], 0)] +=
                    real_type ? real(&j, 2, a, b, c, 0) : whole(&j, 2, a, b, c, 0);
            }
        }
    }
    if (!in_place) {
        job_run(&j);
    } else {
        int left = 1;
        mem m = {.resize = test_resize, .user = &left};
        arena memory = {.m = &m};
        routine r;
        CHECK_EQ(routine_prepare(&r, &j.s, isa_detect(), NULL, &memory), WEFT_OK);
        char *at[4] = {j.at[0], j.at[1], j.at[2], j.at[0]};
        r.run(&r, at, 0, r.units, NULL);
        compare(&j, at);
        arena_free(&memory);
    }
    job_free(&j);
}

TEST(scatter_add) {
    static const int64_t dims[][3] = {{9, 3, 5}, {1, 40, 1}, {30, 1, 150}, {10, 7, 33}, {0, 3, 4}};
    for (size_t x = 0; x < sizeof dims / sizeof dims[0]; x++) {
        for (int way = 0; way < 36; way++) {
            scatter_case(way % 3, way / 3 % 2, way / 6 % 3, dims[x], 5, way >= 18, false);
            scatter_case(way % 3, way / 3 % 2, way / 6 % 3, dims[x], 2, way >= 18, true);
        }
    }
}

/* ---- argsort ---- */

static bool sorts_before(const job *j, double a, double b) {
    const bool nan_a = isnan(a), nan_b = isnan(b);
    if (j->s.attr[1]) return nan_a ? !nan_b : !nan_b && a > b;
    return nan_b ? !nan_a : !nan_a && a < b;
}

TEST(argsort) {
    static const int64_t dims[][3] = {{1, 1, 1},   {3, 5, 7},    {9, 70, 3}, {2, 3, 400},
                                      {65, 2, 64}, {1, 1, 3000}, {2, 0, 3}};
    for (size_t x = 0; x < sizeof dims / sizeof dims[0]; x++) {
        for (int way = 0; way < 24; way++) {
            const int axis = way % 3, descending = way / 3 % 2, real_type = way / 6 % 2,
                      layout = way / 12 * 2;
            CASE("shape %d axis %d descending %d f32 %d layout %d", (int)x, axis, descending,
                 real_type, layout);
            const int64_t *n = dims[x];
            job j = job_new(STEP_ARGSORT, 0);
            j.s.attr[0] = axis;
            j.s.attr[1] = descending;
            const roperand *o = input(&j, real_type ? WEFT_F32 : WEFT_I32, layout, 3, n);
            static const float odd[] = {NAN, -NAN, 0.0f, -0.0f, INFINITY, -INFINITY, 1e-42f, 0.5f};
            for (int64_t i = 0; i < count_of(o) / 3; i++) {
                const int64_t at = place(&j, 0, test_random() % n[0], test_random() % n[1],
                                         test_random() % n[2], 0);
                if (real_type) ((float *)j.at[0])[at] = odd[test_random() % 8];
                else ((int32_t *)j.at[0])[at] = i % 2 ? (int32_t)test_random() : INT32_MIN;
            }
            double *want = result(&j, WEFT_I32, 3, n);
            for (int64_t i = 0; i < count_of(&j.s.in[1]); i++) {
                int64_t at[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
                const int64_t own = at[axis];
                const double v = real_type ? real(&j, 0, at[0], at[1], at[2], 0)
                                           : whole(&j, 0, at[0], at[1], at[2], 0);
                int64_t rank = 0;
                for (int64_t t = 0; t < n[axis]; t++) {
                    at[axis] = t;
                    const double w = real_type ? real(&j, 0, at[0], at[1], at[2], 0)
                                               : whole(&j, 0, at[0], at[1], at[2], 0);
                    rank += sorts_before(&j, w, v) || (t < own && !sorts_before(&j, v, w));
                }
                at[axis] = rank;
                want[place(&j, 1, at[0], at[1], at[2], 0)] = (double)own;
            }
            job_run(&j);
            CHECK_EQ(j.strided, count_of(&j.s.in[1]) > 0);
            job_free(&j);
        }
    }
}

/* ---- optimisers ---- */

static int64_t bits(float v) {
    return (int64_t)bits_of(v);
}

/* What a step has beside its gradient: nothing, a bound and a scale, or no leave to change. */
enum { TAKES_ALL, TAKES_SCALED, TAKES_NOTHING, TAKES };

TEST(optimisers) {
    static const int64_t sizes[] = {1, 7, 4096, 4097, 9000, 0};
    for (int way = 0; way < 30 * TAKES; way++) {
        const int kind = way / TAKES / 6, take = way % TAKES; /* of the step; of its gradient */
        const bool adam = kind < 2 || kind == 4, twist = kind % 2, l2 = kind == 4;
        const int64_t n[] = {sizes[way / TAKES % 6]};
        const double clip = take == TAKES_SCALED ? 0.5 : INFINITY;
        CASE("%s of %d, %d%s, %d", adam ? "adam" : "momentum", (int)n[0], twist, l2 ? ", l2" : "",
             take);
        job j = job_new(STEP_BLOCK, adam ? BLOCK_adam : BLOCK_momentum);
        const float reals[4] = {0.9f, 0.99f, 1e-6f, twist || l2 ? 0.1f : 0.0f};
        const int64_t given = take == TAKES_ALL      ? 0
                              : take == TAKES_SCALED ? GIVEN_SCALE | GIVEN_DUE
                                                     : GIVEN_DUE;
        for (int i = 0; i < 4 && adam; i++) j.s.attr[i] = bits(reals[i]);
        if (!adam) {
            j.s.attr[0] = bits(reals[0]), j.s.attr[1] = bits(twist ? 0.05f : 0);
            j.s.attr[2] = twist;
        }
        if (adam) j.s.attr[ADAM_L2] = l2;
        j.s.attr[rule_clip(j.s.block)] = take == TAKES_SCALED ? bits(0.5f) : 0;
        j.s.attr[rule_given(j.s.block)] = given;
        for (int i = 0; i < (adam ? 4 : 3); i++) input(&j, WEFT_F32, PLAIN, 1, n);
        for (int i = 0; i < (adam ? 3 : 1); i++) input(&j, WEFT_F32, PLAIN, 0, NULL);
        if (given & GIVEN_SCALE) input(&j, WEFT_F32, PLAIN, 0, NULL);
        if (given & GIVEN_DUE) input(&j, WEFT_BOOL, PLAIN, 0, NULL);
        const int nin = j.s.nin;
        const double scale = given & GIVEN_SCALE ? real(&j, nin - 2, 0, 0, 0, 0) : 1;
        if (given & GIVEN_DUE) *j.at[nin - 1] = take == TAKES_SCALED;
        if (adam)
            for (int64_t i = 0; i < n[0]; i++) ((float *)j.at[2])[i] = (float)test_uniform(0, 2);
        if (adam) *(float *)j.at[6] = 1.5f;
        double *p = result(&j, WEFT_F32, 1, n), *m = result(&j, WEFT_F32, 1, n);
        double *v = adam ? result(&j, WEFT_F32, 1, n) : NULL;
        for (int64_t i = 0; i < n[0]; i++) {
            const double old = real(&j, 0, i, 0, 0, 0);
            const double g = fmin(fmax(real(&j, adam ? 3 : 2, i, 0, 0, 0), -clip), clip) * scale;
            if (take == TAKES_NOTHING) {
                p[i] = old, m[i] = real(&j, 1, i, 0, 0, 0);
                if (adam) v[i] = real(&j, 2, i, 0, 0, 0);
            } else if (adam) {
                const double lr = real(&j, 4, 0, 0, 0, 0), rate = real(&j, 5, 0, 0, 0, 0);
                const double h = g + (l2 ? reals[3] : 0) * old;
                m[i] = 0.9 * real(&j, 1, i, 0, 0, 0) + 0.1 * h;
                v[i] = 0.99 * real(&j, 2, i, 0, 0, 0) + 0.01 * h * h;
                p[i] = old - (l2 ? 0 : lr * reals[3]) * old -
                       rate * m[i] / (sqrt(v[i]) * real(&j, 6, 0, 0, 0, 0) + 1e-6);
            } else {
                const double lr = real(&j, 3, 0, 0, 0, 0), h = g + (twist ? 0.05 : 0) * old;
                m[i] = 0.9 * real(&j, 1, i, 0, 0, 0) + h;
                p[i] = old - lr * (twist ? h + 0.9 * m[i] : m[i]);
            }
        }
        job_run(&j);

        /* In place: p, m and v are overwritten. */
        int left = 1;
        mem memory_of = {.resize = test_resize, .user = &left};
        arena memory = {.m = &memory_of};
        routine r;
        CHECK_EQ(routine_prepare(&r, &j.s, isa_detect(), NULL, &memory), WEFT_OK);
        char *at[STEP_OPERANDS];
        for (int i = 0; i < STEP_OPERANDS; i++) at[i] = j.at[i < nin ? i : i - nin];
        r.run(&r, at, 0, r.units, NULL);
        compare(&j, at);
        arena_free(&memory);
        job_free(&j);
    }
}

TEST(squares) {
    enum { PIECES = 32, LEAST = 1024 };
    static const int64_t sizes[] = {1, 15, 1024, 1025, 40000, 70001, 0, 3};
    for (int first = 0; first < 8; first++) {
        CASE("from size %d", first);
        job j = job_new(STEP_BLOCK, BLOCK_squares);
        j.s.attr[SQUARES_ATTR_PIECES] = first % 2 ? PIECES / 4 : PIECES;
        j.s.attr[SQUARES_ATTR_LEAST] = first % 2 ? LEAST / 16 : LEAST;
        const int64_t pieces = j.s.attr[SQUARES_ATTR_PIECES];
        const int many = first == 0 ? 8 : 1 + first % 3;
        for (int i = 0; i < many; i++) input(&j, WEFT_F32, PLAIN, 1, &sizes[(first + i) % 8]);
        double *sum = result(&j, WEFT_F32, 2, (int64_t[]){many, pieces});
        for (int i = 0; i < many; i++)
            for (int64_t k = 0, n = sizes[(first + i) % 8]; k < n; k++) {
                const double x = real(&j, i, k, 0, 0, 0);
                sum[i * pieces + k / squares_piece(j.s.attr, n)] += x * x;
            }
        job_run(&j);
        job_free(&j);
    }
}
