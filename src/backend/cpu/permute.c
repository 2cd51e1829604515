/* permute.c - copies from one order of axes to another: weights and images on their way into and out of
 * convolutions.
 *
 * The interpreter would gather element by element along one of the two orders; exchanging blocks of
 * two axes uses whole vectors of both (128x64x3x3 weights: 70 -> 25 us, Zen 3). */
#include "permute.h"

enum { PERMUTE_CHUNK = 64, PERMUTE_LEAST = 4 };

static bool permute_plain(const kview *v) {
    return v->dtype == WEFT_F32 && !v->guard && v->at == KNOBUF && v->buf != KNOBUF;
}

bool permute_match(permutation *t, const weft_plan *p, const kernel *k, isa level) {
    if (k->reduce || k->inner || k->nins != 2 || k->ins[0].op != K_LOAD ||
        k->ins[1].op != K_STORE || k->ins[1].a != 0)
        return false;
    const kview *from = &k->view[k->ins[0].view], *to = &k->view[k->ins[1].view];
    int row = -1, column = -1;
    if (!permute_plain(from) || !permute_plain(to)) return false;
    for (int d = 0; d < k->outer; d++) {
        if (k->dim[d] < 2) continue;
        if (to->stride[d] == 1) row = d;
        if (from->stride[d] == 1) column = d;
    }
    if (row < 0 || column < 0 || row == column || k->dim[row] < PERMUTE_LEAST ||
        k->dim[column] < PERMUTE_LEAST)
        return false;
    *t = (permutation){.loops = loops_of(level),
                       .from = (const float *)(const void *)p->buf[from->buf].at + from->off,
                       .to = (float *)(void *)p->buf[to->buf].at + to->off,
                       .rows = k->dim[row],
                       .from_row = from->stride[row],
                       .columns = k->dim[column],
                       .to_row = to->stride[column],
                       .chunk = PERMUTE_CHUNK};
    for (int d = 0; d < k->outer; d++) {
        if (d == row || d == column) continue;
        t->dim[t->dims] = k->dim[d];
        t->from_stride[t->dims] = from->stride[d];
        t->to_stride[t->dims++] = to->stride[d];
    }
    t->chunks = (t->columns + t->chunk - 1) / t->chunk;
    return true;
}

int64_t permute_units(const permutation *t) {
    int64_t units = t->chunks;
    for (int d = 0; d < t->dims; d++) units *= t->dim[d];
    return units;
}

void permute_run(const permutation *t, int64_t unit0, int64_t unit1) {
    for (int64_t u = unit0; u < unit1; u++) {
        const int64_t c0 = u % t->chunks * t->chunk;
        const int64_t columns = t->columns - c0 < t->chunk ? t->columns - c0 : t->chunk;
        const float *from = t->from + c0;
        float *to = t->to + c0 * t->to_row;
        int64_t left = u / t->chunks;
        for (int d = t->dims - 1; d >= 0; d--) {
            from += left % t->dim[d] * t->from_stride[d];
            to += left % t->dim[d] * t->to_stride[d];
            left /= t->dim[d];
        }
        t->loops->transpose(to, t->to_row, from, t->from_row, t->rows, columns);
    }
}
