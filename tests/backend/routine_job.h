/* routine_job.h - a step made by hand, its memory, and what the tests of routines do with it.
 *
 * job_run runs a step on every instruction set this machine has, whole and again unit by unit from
 * the last to the first with scratch full of NaN: both must give the same bits. Where a routine
 * says that units are rows, each unit may write only its own. Results that it takes with strides are
 * made again with gaps, and with their first axes transposed: the same bits, and nothing in the gaps. */
#ifndef WEFT_ROUTINE_JOB_H
#define WEFT_ROUTINE_JOB_H

#include "backend/cpu/routines.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

typedef struct job {
    step s;
    void *memory[STEP_OPERANDS]; /* what to free */
    char *at[STEP_OPERANDS];
    double *want[STEP_OPERANDS]; /* of results; NULL: not compared */
    double tolerance;
    uint32_t strided; /* bits of results that job_run also made with strides */
} job;

enum layout { PLAIN, GAPS, SPREAD }; /* contiguous; rows with gaps; every second element too */

static job job_new(int kind, int block) {
    job j = {.tolerance = 1e-5};
    j.s.kind = (uint8_t)kind;
    j.s.block = (uint8_t)block;
    return j;
}

static int64_t count_of(const roperand *o) {
    int64_t n = 1;
    for (int d = 0; d < o->rank; d++) n *= o->dim[d];
    return n;
}

static roperand *operand_add(job *j, weft_dtype t, enum layout layout, int rank,
                             const int64_t *dim) {
    const int i = j->s.nin + j->s.nout;
    roperand *o = &j->s.in[i];
    o->dtype = (uint8_t)t;
    o->rank = (uint8_t)rank;
    int64_t step = layout == SPREAD ? 2 : 1;
    for (int d = rank - 1; d >= 0; d--) {
        o->dim[d] = dim[d];
        o->stride[d] = step;
        step *= dim[d] > 0 ? dim[d] : 1;
        if (layout != PLAIN) step += 3;
    }
    const size_t size = (size_t)step + 8;
    j->memory[i] = malloc(size * 4);
    j->at[i] = (char *)j->memory[i] + 4 * weft_dtype_size(t);
    for (size_t e = 0; e < size; e++) {
        if (t == WEFT_F32) ((float *)j->memory[i])[e] = (float)test_uniform(-1, 1);
        else if (t == WEFT_I32) ((int32_t *)j->memory[i])[e] = (int32_t)(test_random() % 7) - 1;
        else ((uint8_t *)j->memory[i])[e] = test_random() % 4 != 0;
    }
    return o;
}

static roperand *input(job *j, weft_dtype t, enum layout layout, int rank, const int64_t *dim) {
    roperand *o = operand_add(j, t, layout, rank, dim);
    j->s.nin++;
    return o;
}

static double *result(job *j, weft_dtype t, int rank, const int64_t *dim) {
    roperand *o = operand_add(j, t, PLAIN, rank, dim);
    const int i = j->s.nin + j->s.nout++;
    return j->want[i] = calloc((size_t)count_of(o) + 1, sizeof(double));
}

static void job_free(job *j) {
    for (int i = 0; i < STEP_OPERANDS; i++) {
        free(j->memory[i]);
        free(j->want[i]);
    }
}

/* Element (a, b, c, d) of operand i; axes it does not have are left out at the end. */
static int64_t place(const job *j, int i, int64_t a, int64_t b, int64_t c, int64_t d) {
    const int64_t index[4] = {a, b, c, d};
    int64_t at = 0;
    for (int x = 0; x < j->s.in[i].rank; x++) at += index[x] * j->s.in[i].stride[x];
    return at;
}
WEFT_INLINE double real(const job *j, int i, int64_t a, int64_t b, int64_t c, int64_t d) {
    return ((const float *)j->at[i])[place(j, i, a, b, c, d)];
}
WEFT_INLINE int32_t whole(const job *j, int i, int64_t a, int64_t b, int64_t c, int64_t d) {
    return ((const int32_t *)j->at[i])[place(j, i, a, b, c, d)];
}

/* ---- running ---- */

static void *test_resize(void *user, void *p, size_t bytes) {
    int *left = user;
    if (bytes == 0) {
        free(p);
        return NULL;
    }
    return *left-- > 0 ? realloc(p, bytes) : NULL;
}

static void results_fill(const job *j, char **at, int byte) {
    for (int i = j->s.nin; i < j->s.nin + j->s.nout; i++) {
        memset(at[i], byte, (size_t)count_of(&j->s.in[i]) * 4);
    }
}

static void compare(const job *j, char *const *at) {
    for (int i = j->s.nin; i < j->s.nin + j->s.nout; i++) {
        if (!j->want[i]) continue;
        const int64_t n = count_of(&j->s.in[i]);
        for (int64_t e = 0; e < n; e++) {
            const double want = j->want[i][e];
            const double got =
                j->s.in[i].dtype == WEFT_F32 ? ((float *)at[i])[e] : ((int32_t *)at[i])[e];
            if (got == want || (isnan(got) && isnan(want))) continue;
            if (!CHECK_NEAR(got, want, j->tolerance * fmax(1, fabs(want)))) return;
        }
    }
}

/* Each unit alone writes only its rows. */
static void check_rows(const job *j, const routine *r, char **at, void *scratch) {
    for (int64_t u = 0; u < r->units; u++) {
        results_fill(j, at, 0xa5);
        r->run(r, at, u, u + 1, scratch);
        for (int i = j->s.nin; i < j->s.nin + j->s.nout; i++) {
            const roperand *o = &j->s.in[i];
            if (!CHECK_EQ(o->dim[0], r->units * r->rows)) return;
            const int64_t n = count_of(o), row = n / o->dim[0];
            bool clean = true;
            for (int64_t e = 0; e < n * 4; e++) {
                const int64_t line = e / 4 / row;
                if (line >= u * r->rows && line < (u + 1) * r->rows) continue;
                clean = clean && (uint8_t)at[i][e] == 0xa5;
            }
            if (!CHECK(clean)) return;
        }
    }
}

/* Strides of a result with gaps behind every axis but the last; transposed: the first axis fastest of
 * those. Gives the elements from first to last. */
static int64_t strides_apart(roperand *o, bool transposed) {
    int64_t step = o->rank ? max_i64(o->dim[o->rank - 1], 1) + 3 : 1;
    if (o->rank) o->stride[o->rank - 1] = 1;
    for (int i = 0; i < o->rank - 1; i++) {
        const int d = transposed ? i : o->rank - 2 - i;
        o->stride[d] = step;
        step = step * max_i64(o->dim[d], 1) + 3;
    }
    return step;
}

/* Runs j with result i strided, where the routine takes that, and compares with how it was before. */
static bool check_strides(job *j, int i, bool transposed, isa level, char *const *at) {
    const roperand plain = j->s.in[i];
    const int64_t span = strides_apart(&j->s.in[i], transposed), n = count_of(&plain);
    const bool taken = routine_accepts(&j->s, i);
    int left = 1000;
    mem m = {.resize = test_resize, .user = &left};
    arena memory = {.m = &m};
    routine r;
    if (taken && CHECK_EQ(routine_prepare(&r, &j->s, level, NULL, &memory), WEFT_OK)) {
        char *apart[STEP_OPERANDS];
        uint32_t *out = malloc((size_t)span * 4), *seen = calloc((size_t)span, 4);
        void *scratch = aligned_alloc(64, r.scratch / 64 * 64 + 64);
        for (int k = 0; k < STEP_OPERANDS; k++) apart[k] = k > j->s.nin - 1 ? NULL : at[k];
        for (int k = j->s.nin; k < j->s.nin + j->s.nout; k++)
            apart[k] = malloc((size_t)count_of(&j->s.in[k]) * 4 + 4);
        free(apart[i]);
        apart[i] = (char *)out;
        memset(out, 0xff, (size_t)span * 4);
        for (int64_t u = r.units; u-- > 0;) r.run(&r, apart, u, u + 1, scratch);
        bool same = true, clean = true;
        for (int64_t e = 0; e < n; e++) {
            const int64_t to = routine_line(&j->s.in[i], -1, e);
            seen[to] = 1;
            same = same && !memcmp(&out[to], at[i] + 4 * e, 4);
        }
        for (int64_t e = 0; e < span; e++) clean = clean && (seen[e] || out[e] == UINT32_MAX);
        CHECK(same);
        CHECK(clean);
        for (int k = j->s.nin; k < j->s.nin + j->s.nout; k++) free(apart[k]);
        free(seen);
        free(scratch);
    }
    arena_free(&memory);
    j->s.in[i] = plain;
    return taken;
}

static void job_run(job *j) {
    for (int i = 0; i < j->s.nin; i++) CHECK(routine_accepts(&j->s, i));
    for (int level = ISA_128; level <= (int)isa_detect(); level++) {
        int left = 1000;
        mem m = {.resize = test_resize, .user = &left};
        arena memory = {.m = &m};
        routine r;
        if (!CHECK_EQ(routine_prepare(&r, &j->s, (isa)level, NULL, &memory), WEFT_OK)) return;
        void *scratch = aligned_alloc(64, r.scratch / 64 * 64 + 64);
        memset(scratch, 0xff, r.scratch);
        char *at[STEP_OPERANDS], *other[STEP_OPERANDS];
        for (int i = 0; i < STEP_OPERANDS; i++) at[i] = other[i] = j->at[i];
        results_fill(j, at, 0xff);
        if (r.units > 0) r.run(&r, at, 0, r.units, scratch);
        compare(j, at);

        for (int i = j->s.nin; i < j->s.nin + j->s.nout; i++) {
            other[i] = malloc((size_t)count_of(&j->s.in[i]) * 4 + 4);
        }
        results_fill(j, other, 0xff);
        memset(scratch, 0xff, r.scratch);
        for (int64_t u = r.units; u-- > 0;) r.run(&r, other, u, u + 1, scratch);
        for (int i = j->s.nin; i < j->s.nin + j->s.nout; i++) {
            CHECK_MEM(other[i], at[i], (size_t)count_of(&j->s.in[i]) * 4);
        }
        if (r.rows > 0 && r.units <= 64) check_rows(j, &r, other, scratch);
        for (int i = j->s.nin; i < j->s.nin + j->s.nout; i++) free(other[i]);
        for (int i = j->s.nin; i < j->s.nin + j->s.nout; i++)
            for (int transposed = 0; transposed < 2 && r.units > 0; transposed++)
                j->strided |= (uint32_t)check_strides(j, i, transposed, (isa)level, at)
                              << (i - j->s.nin);
        free(scratch);
        arena_free(&memory);
    }
}

#endif
