/* sort.c - argsort: the order of a line's elements, stable, either way, along any axis.
 *
 * Operand x (f32 or i32, any strides) -> i32. Each element becomes a 64-bit word, its key above its
 * position, so that any sort of the words is stable: keys are unsigned numbers in the elements'
 * order (-0 equals 0, nan is the largest), inverted when descending. Short lines are sorted by
 * insertion, long ones by radix, a byte of the key at a time. */
#include "routines.h"

enum { SORT_SHORT = 64, SORT_BYTES = 4 };

typedef struct sort_choice {
    int axis;
    bool real, descending;
    int64_t length, per_unit; /* of a line; lines of a unit */
} sort_choice;

static uint32_t sort_key(const sort_choice *o, uint32_t bits) {
    uint32_t key = bits ^ 0x80000000u;
    if (o->real) {
        const uint32_t size = bits & 0x7fffffffu;
        if (size > 0x7f800000u) key = 0xffffffffu;
        else if (size == 0) key = 0x80000000u;
        else if (bits & 0x80000000u) key = ~bits;
    }
    return o->descending ? ~key : key;
}

static void sort_insert(uint64_t *w, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const uint64_t v = w[i];
        int64_t j = i;
        for (; j > 0 && w[j - 1] > v; j--) w[j] = w[j - 1];
        w[j] = v;
    }
}

/* Sorts n words by their upper halves; returns where they ended, w or other. */
static uint64_t *sort_radix(uint64_t *w, uint64_t *other, int64_t n) {
    uint32_t place[SORT_BYTES][256] = {{0}};
    for (int64_t i = 0; i < n; i++) {
        for (int b = 0; b < SORT_BYTES; b++) place[b][w[i] >> (32 + 8 * b) & 255]++;
    }
    for (int b = 0; b < SORT_BYTES; b++) {
        const int shift = 32 + 8 * b;
        if (place[b][w[0] >> shift & 255] == (uint32_t)n) continue; /* all alike */
        uint32_t sum = 0;
        for (int d = 0; d < 256; d++) {
            const uint32_t count = place[b][d];
            place[b][d] = sum;
            sum += count;
        }
        for (int64_t i = 0; i < n; i++) other[place[b][w[i] >> shift & 255]++] = w[i];
        uint64_t *swap = w;
        w = other;
        other = swap;
    }
    return w;
}

static void sort_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                     void *scratch) {
    const sort_choice *o = r->own;
    const roperand *in = &r->s->in[0], *out = &r->s->in[1];
    const int64_t x_step = in->stride[o->axis], y_step = out->stride[o->axis], n = o->length;
    uint64_t *w = scratch, *other = w + n;
    for (int64_t line = unit0 * o->per_unit; line < unit1 * o->per_unit; line++) {
        const char *x = at[0] + routine_line(in, o->axis, line) * 4;
        int32_t *y = (int32_t *)at[1] + routine_line(out, o->axis, line);
        for (int64_t i = 0; i < n; i++) {
            uint32_t bits;
            memcpy(&bits, x + i * x_step * 4, 4);
            w[i] = (uint64_t)sort_key(o, bits) << 32 | (uint64_t)i;
        }
        const uint64_t *sorted = w;
        if (n <= SORT_SHORT) sort_insert(w, n);
        else sorted = sort_radix(w, other, n);
        for (int64_t i = 0; i < n; i++) y[i * y_step] = (int32_t)(uint32_t)sorted[i];
    }
}

weft_err sort_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    (void)level;
    const roperand *in = &s->in[0];
    if (in->dtype != WEFT_F32 && in->dtype != WEFT_I32) {
        return weft_fail(c, WEFT_DTYPE, "argsort of %s", weft_dtype_name(in->dtype));
    }
    WEFT_TRY(routine_own(r, sizeof(sort_choice), c, memory));
    sort_choice *o = r->own;
    r->run = sort_run;
    o->axis = (int)s->attr[0];
    o->descending = s->attr[1] != 0;
    o->real = in->dtype == WEFT_F32;
    const int64_t count = routine_count(in);
    if (count == 0) return WEFT_OK;
    o->length = in->dim[o->axis];
    const int64_t lines = count / o->length;
    r->scratch = (size_t)o->length * 2 * sizeof(uint64_t);
    r->units = lines;
    if (o->axis > 0 && in->dim[0] >= 8) {
        r->units = in->dim[0];
        r->rows = 1;
    }
    o->per_unit = lines / r->units;
    return WEFT_OK;
}
