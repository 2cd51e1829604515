/* test_gemm.c - the CPU matrix product against a plain product in double.
 *
 * Every instruction set this machine has, all storage forms and odd strides, every epilogue, any
 * split into units. C lies between guards, operands between NaN: an access outside shows. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "backend/cpu/gemm.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 };

typedef struct operand {
    float *all, *first; /* first: element (0,0)                            */
    int64_t row, column;
} operand;

/* Forms: 0 rows contiguous, 1 columns contiguous, 2 rows with a gap, 3 every second element,
 * 4 rows from the last to the first, 5 one row repeated. */
static operand operand_make(int64_t rows, int64_t columns, int form) {
    operand o = {.row = columns, .column = 1};
    if (form == 1) o = (operand){.row = 1, .column = rows};
    if (form == 2) o.row = columns + 3;
    if (form == 3) o = (operand){.row = 2 * columns + 1, .column = 2};
    if (form == 5) o.row = 0;
    const int64_t size = (rows + 1) * (2 * columns + 4);
    o.all = malloc((size_t)(size + 2 * GUARD) * sizeof(float));
    for (int64_t i = 0; i < size + 2 * GUARD; i++) o.all[i] = NAN;
    o.first = o.all + GUARD;
    if (form == 4 && rows > 0) {
        o.first += (rows - 1) * columns;
        o.row = -columns;
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            o.first[i * o.row + j * o.column] = (float)test_uniform(-1, 1);
        }
    }
    return o;
}

typedef struct coverage {
    unsigned char *seen;
    int64_t n;
} coverage;

static void count_band(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    const coverage *s = user;
    for (int64_t i = i0; i < i1; i++) {
        for (int64_t j = j0; j < j1; j++) s->seen[i * s->n + j]++;
    }
}

enum { BIAS = 1, RELU = 2, MASK = 4, OLD = 8, BAND = 16, EPILOGUES = 32 };

static void reference(const gemm_shape *s, const gemm_data *d, const float *old, float *want,
                      float *bound) {
    for (int64_t i = 0; i < s->m; i++) {
        for (int64_t j = 0; j < s->n; j++) {
            double sum = 0, size = 0;
            for (int64_t k = 0; k < s->k; k++) {
                const double x =
                    (double)d->a[i * s->a_row + k * s->a_col] * d->b[k * s->b_row + j * s->b_col];
                sum += x;
                size += fabs(x);
            }
            if (d->accumulate) sum += old[i * s->n + j];
            if (d->bias) sum += d->bias[j];
            if (d->relu && sum <= 0) sum = 0;
            if (d->mask && !(d->mask[i * d->mask_row + j] > 0)) sum = 0;
            want[i * s->n + j] = (float)sum;
            bound[i * s->n + j] = (float)(2e-6 * (size + 2));
        }
    }
}

static bool guards_hold(const float *all, int64_t m, int64_t n, int64_t c_row) {
    for (int64_t i = 0; i < 2 * GUARD + m * c_row; i++) {
        const int64_t at = i - GUARD;
        const bool inside = at >= 0 && at < m * c_row && at % c_row < n;
        if (!inside && all[i] != 12345.0f) return false;
    }
    return true;
}

static void *scratch_of(const gemm_plan *p) {
    const size_t bytes = (p->scratch + 63) / 64 * 64;
    if (bytes == 0) return NULL;
    void *scratch = aligned_alloc(64, bytes);
    memset(scratch, 0xff, bytes); /* NaN */
    return scratch;
}

/* Fills C, guards and old values; runs the units in pieces of at most `piece`, last first. */
static void run_pieces(const gemm_plan *p, const gemm_shape *s, gemm_data d, float *all,
                       const float *old, int64_t piece) {
    for (int64_t i = 0; i < 2 * GUARD + s->m * s->c_row; i++) all[i] = 12345.0f;
    d.c = all + GUARD;
    for (int64_t i = 0; i < s->m; i++) {
        for (int64_t j = 0; j < s->n; j++) {
            d.c[i * s->c_row + j] = d.accumulate ? old[i * s->n + j] : NAN;
        }
    }
    for (int64_t end = p->units; end > 0;) {
        const int64_t start = end > piece ? end - piece : 0;
        void *scratch = scratch_of(p);
        gemm_run(p, &d, start, end, scratch);
        free(scratch);
        end = start;
    }
}

/* The plan's run against what is wanted, whole and in pieces. */
static bool check_plan(const gemm_plan *p, const gemm_shape *s, const gemm_data *d,
                       const float *old, const float *want, const float *bound) {
    const size_t count = (size_t)(s->m * s->n) + 1, size = (size_t)(2 * GUARD + s->m * s->c_row);
    float *whole = malloc(size * 4), *split = malloc(size * 4);
    const coverage *seen = d->user;
    memset(seen->seen, 0, count);
    run_pieces(p, s, *d, whole, old, p->units);
    bool good = CHECK(guards_hold(whole, s->m, s->n, s->c_row));
    double worst = 0;
    int64_t uncovered = 0;
    for (int64_t i = 0; i < s->m * s->n; i++) {
        const float got = whole[GUARD + i / s->n * s->c_row + i % s->n];
        const double off = fabs((double)got - want[i]) / bound[i];
        if (!(off <= worst)) worst = off;
        uncovered += seen->seen[i] != (d->band != NULL);
    }
    good &= CHECK(worst <= 1);
    good &= CHECK_EQ(uncovered, 0);
    for (int64_t piece = 1; piece < p->units; piece = piece * 2 + 1) {
        run_pieces(p, s, *d, split, old, piece);
        good &= CHECK_MEM(split, whole, size * 4);
    }
    int64_t elements = 0;
    for (int64_t unit = 0; unit < p->units; unit++) {
        const gemm_area r = gemm_unit(p, unit);
        elements += (r.i1 - r.i0) * (r.j1 - r.j0);
    }
    good &= CHECK_EQ(elements, s->m * s->n);
    free(whole), free(split);
    return good;
}

/* As it is chosen, and with B packed beforehand. */
static bool check_product(isa level, int64_t m, int64_t k, int64_t n, int a_form, int b_form,
                          int epilogue) {
    const operand a = operand_make(m, k, a_form), b = operand_make(k, n, b_form);
    const operand mask = operand_make(m, n, 2), bias = operand_make(1, n, 0);
    const gemm_shape s = {m, n, k, a.row, a.column, b.row, b.column, n + (a_form + b_form) % 3};
    const size_t count = (size_t)(m * n) + 1;
    float *old = malloc(count * 4), *want = malloc(count * 4), *bound = malloc(count * 4);
    for (int64_t i = 0; i < m * n; i++) old[i] = (float)test_uniform(-1, 1);
    coverage seen = {calloc(count, 1), n};
    gemm_data d = {.a = a.first,
                   .b = b.first,
                   .bias = epilogue & BIAS ? bias.first : NULL,
                   .mask = epilogue & MASK ? mask.first : NULL,
                   .mask_row = mask.row,
                   .relu = epilogue & RELU,
                   .accumulate = epilogue & OLD,
                   .band = epilogue & BAND ? count_band : NULL,
                   .user = &seen};
    reference(&s, &d, old, want, bound);
    gemm_plan p;
    gemm_choose(&p, level, &s);
    bool good = check_plan(&p, &s, &d, old, want, bound);

    gemm_choose_packed(&p, level, &s, 1 + (m + n) % 23);
    float *packed = aligned_alloc(64, p.packed / 64 * 64 + 64);
    memset(packed, 0xff, p.packed);
    gemm_pack(&p, packed, b.first);
    CHECK_EQ(p.scratch, 0);
    d.packed = packed, d.b = NULL;
    good &= check_plan(&p, &s, &d, old, want, bound);
    free(packed);
    free(a.all), free(b.all), free(mask.all), free(bias.all);
    free(old), free(want), free(bound), free(seen.seen);
    return good;
}

static int64_t any_size(void) {
    return test_random() % 3 ? 1 + test_random() % 70 : 1 + test_random() % 12;
}

TEST(random_products) {
    const int rounds = test_long() ? 20000 : test_sanitized() ? 150 : 1500;
    for (isa level = ISA_128; level <= isa_detect(); level++) {
        CASE("%s", isa_name(level));
        for (int round = 0; round < rounds; round++) {
            const int64_t m = any_size(), k = any_size(), n = any_size();
            const int a_form = (int)(test_random() % 3 ? test_random() % 2 : test_random() % 6);
            const int b_form = (int)(test_random() % 3 ? test_random() % 2 : test_random() % 6);
            const int epilogue = (int)(test_random() % EPILOGUES);
            if (!check_product(level, m, k, n, a_form, b_form, epilogue)) {
                CHECK_EQ((m * 1000 + k) * 1000 + n, a_form * 100 + b_form * 10 + epilogue);
                return;
            }
        }
    }
}

TEST(larger_products) {
    static const int64_t sizes[][3] = {
        {32, 784, 128}, {100, 300, 257}, {150, 400, 530}, {200, 129, 1100}, {3, 600, 700},
        {1, 300, 1000}, {700, 100, 3},   {900, 64, 1},    {520, 40, 200},   {49, 800, 193},
        {8, 1000, 9},   {64, 144, 128},  {145, 257, 521}, {300, 5, 300},    {257, 770, 65},
        {5, 3000, 37},  {12, 1700, 70},  {7, 2049, 9},    {300, 1537, 6},   {1, 4100, 3},
    };
    for (isa level = ISA_128; level <= isa_detect(); level++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const int64_t *s = sizes[i];
            CASE("%s %dx%dx%d", isa_name(level), (int)s[0], (int)s[1], (int)s[2]);
            for (int form = 0; form < 4; form++) {
                const int epilogue = (int)(test_random() % EPILOGUES);
                check_product(level, s[0], s[1], s[2], form / 2, form % 2, epilogue);
                if (test_sanitized()) break;
            }
            check_product(level, s[0], s[1], s[2], 3, 3, EPILOGUES - 1);
        }
    }
}

/* B too large for the second cache and read in place: every number of rows, last panels of all
 * widths, rows that are whole pages apart. */
TEST(large_weights) {
    static const int64_t shapes[][2] = {{65, 2049}, {129, 1024}, {400, 335}, {300, 453}};
    for (isa level = ISA_128; level <= isa_detect(); level++) {
        for (int64_t m = 1; m <= 49; m += m < 14 ? 1 : 5) {
            CASE("%s, %d rows", isa_name(level), (int)m);
            const int64_t *s = shapes[test_random() % (sizeof shapes / sizeof *shapes)];
            const int epilogue = (int)(test_random() % EPILOGUES);
            check_product(level, m, s[0], s[1] + test_random() % 70, 0, 0, epilogue);
            if (test_sanitized()) continue;
            check_product(level, m, s[0], s[1], (int)(test_random() % 2), 0, epilogue);
            check_product(level, s[1], s[0], m, 1, (int)(test_random() % 2), epilogue);
        }
    }
}

/* Dots along k, every number of rows and columns around their tiles. */
TEST(few_rows) {
    static const int64_t depths[] = {8, 17, 192, 207, 512, 519, 1536, 1537};
    static const int64_t widths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 63, 64, 65, 67, 71, 130};
    for (isa level = ISA_128; level <= isa_detect(); level++) {
        for (int64_t m = 1; m <= 14; m++) {
            CASE("%s, %d rows", isa_name(level), (int)m);
            for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
                const int64_t k = depths[test_random() % (sizeof depths / sizeof *depths)];
                const int epilogue = (int)(test_random() % EPILOGUES);
                if (test_sanitized() && test_random() % 4) continue;
                check_product(level, m, k, widths[i], 0, 1, epilogue);
                check_product(level, widths[i], k, m, 0, (int)(test_random() % 2), epilogue);
            }
        }
    }
}

TEST(empty_products) {
    for (isa level = ISA_128; level <= isa_detect(); level++) {
        for (int e = 0; e < EPILOGUES; e++) {
            check_product(level, 0, 4, 4, 0, 0, e);
            check_product(level, 4, 4, 0, 0, 0, e);
            check_product(level, 5, 0, 17, 0, 0, e);
            check_product(level, 33, 0, 3, 1, 1, e);
            check_product(level, 7, 0, 40, 0, 1, e);
            check_product(level, 1, 0, 1, 1, 0, e);
        }
    }
}

TEST(the_bound_only_lowers) {
    const isa machine = isa_detect();
    setenv("WEFT_ISA", "128", 1);
    CHECK_EQ(isa_detect(), ISA_128);
    setenv("WEFT_ISA", "512", 1);
    CHECK(isa_detect() >= machine);
    setenv("WEFT_ISA", "many", 1);
    CHECK(isa_detect() >= machine);
    unsetenv("WEFT_ISA");
}
