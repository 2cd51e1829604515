/* kernel_ref.h - what a row program means: one element at a time, in double, by recursion.
 *
 * Slow and obvious, for tests. Nothing is kept but each fold's last result, for as long as its
 * row is asked for. All results are computed before the first is written, so a kernel that may be
 * done in place gives here what it must give everywhere. Numbers are those of the reference
 * backend (ref_node.h). */
#ifndef WEFT_KERNEL_REF_H
#define WEFT_KERNEL_REF_H

#include "backend/ref_node.h"
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct kref_index {
    int64_t i[KDIMS];
} kref_index;
typedef struct kref_kept {
    bool known;
    kref_index row;
    double value;
} kref_kept;

typedef struct kref {
    const kernel *k;
    char *const *at; /* address of each buffer, by its number */
    kref_kept *kept; /* of each instruction */
} kref;

static int kref_dtype(int ktype) {
    return ktype == KT_F32 ? WEFT_F32 : ktype == KT_I32 ? WEFT_I32 : WEFT_BOOL;
}

static bool kref_inside(const kref *r, const kview *v, kref_index x) {
    const int dims = r->k->outer + r->k->reduce + r->k->inner;
    for (int d = 0; v->guard && d < dims; d++)
        if (x.i[d] < v->lo[d] || x.i[d] >= v->hi[d]) return false;
    return true;
}

static int64_t kref_element(const kref *r, const kview *v, kref_index x) {
    int64_t e = v->off;
    for (int d = 0; d < r->k->outer + r->k->reduce + r->k->inner; d++) e += x.i[d] * v->stride[d];
    if (v->at != KNOBUF) {
        const int64_t start = (int64_t)ref_read(WEFT_I32, r->at[v->at], 0);
        e += (start < 0 ? 0 : start > v->at_max ? v->at_max : start) * v->at_stride;
    }
    return e;
}

/* To the next place of the dimensions [first, first + n); false after the last. */
static bool kref_next(const kref *r, kref_index *x, int first, int n) {
    for (int d = first + n; d-- > first;) {
        if (++x->i[d] < r->k->dim[d]) return true;
        x->i[d] = 0;
    }
    return false;
}

static double kref_value(const kref *r, int number, kref_index x);

static double kref_fold(const kref *r, int number, kref_index x) {
    const kernel *k = r->k;
    const kins *in = &k->ins[number];
    const int dtype = kref_dtype(k->ins[in->a].type);
    double best = in->op == K_SUM ? 0 : in->op == K_PROD ? 1 : ref_lowest(dtype);
    int64_t place = 0, at = 0, count = 1;
    for (int d = 0; d < k->reduce; d++) {
        count *= k->dim[k->outer + d];
        x.i[k->outer + d] = 0;
    }
    if (!count) return in->op == K_ARGMAX ? 0 : best;
    kref_kept *kept = &r->kept[number];
    if (kept->known && !memcmp(&kept->row, &x, sizeof x)) return kept->value;
    const kref_index row = x;
    do {
        const double v = kref_value(r, in->a, x);
        if (in->op == K_SUM) best += v;
        else if (in->op == K_PROD) best *= v;
        else if (ref_above(v, best)) best = v, place = at;
        at++;
    } while (kref_next(r, &x, k->outer, k->reduce));
    best = in->op == K_ARGMAX ? (double)place : ref_cast(dtype, kref_dtype(in->type), best);
    *kept = (kref_kept){true, row, best};
    return best;
}

static double kref_value(const kref *r, int number, kref_index x) {
    const kernel *k = r->k;
    const kins *in = &k->ins[number];
    const int to = kref_dtype(in->type), from = kref_dtype(k->ins[in->a].type);
    if (in->level == KL_ROW)
        for (int d = 0; d < k->reduce; d++) x.i[k->outer + d] = 0;
    switch (in->op) {
    case K_SUM:
    case K_MAX:
    case K_PROD:
    case K_ARGMAX: return kref_fold(r, number, x);
    case K_CONST: return ref_of_bits(to, in->bits);
    case K_FMA: return kref_value(r, in->a, x) * kref_value(r, in->b, x) + kref_value(r, in->c, x);
    case OP_where: return kref_value(r, kref_value(r, in->a, x) ? in->b : in->c, x);
    case OP_cast: return ref_cast(from, (int)in->bits, kref_value(r, in->a, x));
    case K_LOAD:
    case K_TAKE:
    case K_INDEX:
    case K_RANDOM: break;
    default: return ref_apply(in->op, from, to, kref_value(r, in->a, x), kref_value(r, in->b, x));
    }
    const kview *v = &k->view[in->view];
    if (!kref_inside(r, v, x)) return ref_of_bits(to, v->fill);
    int64_t e = kref_element(r, v, x);
    if (in->op == K_INDEX) return (double)e;
    if (in->op == K_RANDOM) {
        double four[4];
        ref_random((uint32_t)(int64_t)kref_value(r, in->a, x), (uint32_t)in->arg2,
                   (uint32_t)(int64_t)kref_value(r, in->b, x), e >> 2, (int)in->bits, to, four);
        return four[e & 3];
    }
    if (in->op == K_TAKE) {
        const double index = kref_value(r, in->a, x);
        if (index < 0 || index >= in->bits) return 0;
        e += (int64_t)index * in->arg2;
    }
    return ref_read(v->dtype, r->at[v->buf], e);
}

/* Run the kernel on the buffers' memory. False when out of memory. */
static bool kernel_ref(const kernel *k, char *const *at) {
    typedef struct {
        const kview *v;
        int64_t e;
        double value;
    } write;
    const int dims = k->outer + k->reduce + k->inner;
    int64_t places = 1, rows = 1; /* a row may be empty and have a sum all the same */
    for (int d = 0; d < dims; d++) {
        places *= k->dim[d];
        if (d < k->outer || d >= k->outer + k->reduce) rows *= k->dim[d];
    }
    if (!rows) return true;
    write *list = malloc(sizeof *list * (size_t)(places + rows) * (k->nins + 1u));
    const kref r = {k, at, calloc(k->nins + 1u, sizeof(kref_kept))};
    size_t n = 0;
    if (!list || !r.kept) return free(list), free(r.kept), false;
    for (int i = 0; i < k->nins; i++) {
        if (k->ins[i].op != K_STORE || (!places && k->ins[i].level == KL_ELEMENT)) continue;
        kref_index x = {{0}};
        const kview *v = &k->view[k->ins[i].view];
        const int from = kref_dtype(k->ins[k->ins[i].a].type);
        do {
            bool first = true; /* of its row: where values of the level of rows are stored */
            for (int d = 0; d < k->reduce; d++) first &= x.i[k->outer + d] == 0;
            if (k->ins[i].level == KL_ROW && k->reduce && !first) continue;
            if (!kref_inside(&r, v, x)) continue;
            const double value = ref_cast(from, v->dtype, kref_value(&r, k->ins[i].a, x));
            list[n++] = (write){v, kref_element(&r, v, x), value};
        } while (kref_next(&r, &x, 0, dims));
    }
    for (size_t i = 0; i < n; i++)
        ref_write(list[i].v->dtype, at[list[i].v->buf], list[i].e, list[i].value);
    free(list);
    free(r.kept);
    return true;
}

#endif
