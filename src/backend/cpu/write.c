/* write.c - slice_write: base, with value in the place of its rows from `start` along one axis.
 * Where the result lies in base's place, only those rows are copied. */
#include "routines.h"

enum { WRITE_BYTES = 1 << 16 }; /* copied by a unit, about */

typedef struct write_choice {
    int64_t extent, length; /* of base and value along the axis */
    size_t row;             /* bytes behind the axis */
    int64_t rows, each; /* in all, and of a unit: of value if known to be in place, else of base */
    bool in_place;
} write_choice;

static void write_copy(char *to, const char *from, int64_t rows, size_t row) {
    if (rows > 0) memcpy(to, from, (size_t)rows * row);
}

/* Rows [from, to) of base `outer`, which begin at `start` with value's. */
static void write_rows(const write_choice *o, char *const *at, int64_t outer, int64_t from,
                       int64_t to, int64_t start) {
    const int64_t base0 = outer * o->extent, value0 = outer * o->length - start;
    char *out = at[3] + (size_t)base0 * o->row;
    const int64_t a = max_i64(from, start), b = min_i64(to, start + o->length);
    if (a < b)
        write_copy(out + (size_t)a * o->row, at[1] + (size_t)(value0 + a) * o->row, b - a, o->row);
    if (at[3] == at[0]) return;
    const char *base = at[0] + (size_t)base0 * o->row;
    const int64_t before = min_i64(to, start), after = max_i64(from, start + o->length);
    write_copy(out + (size_t)from * o->row, base + (size_t)from * o->row, before - from, o->row);
    write_copy(out + (size_t)after * o->row, base + (size_t)after * o->row, to - after, o->row);
}

static void write_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                      void *scratch) {
    (void)scratch;
    const write_choice *o = r->own;
    const int64_t asked = *(const int32_t *)(const void *)at[2];
    const int64_t start = min_i64(max_i64(asked, 0), o->extent - o->length);
    const int64_t line = o->in_place ? o->length : o->extent;
    const int64_t skip = o->in_place ? start : 0, last = min_i64(unit1 * o->each, o->rows);
    for (int64_t i = unit0 * o->each; i < last;) {
        const int64_t from = i % line, to = min_i64(line, from + last - i);
        write_rows(o, at, i / line, skip + from, skip + to, start);
        i += to - from;
    }
}

weft_err write_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    (void)level;
    WEFT_TRY(routine_own(r, sizeof(write_choice), c, memory));
    const roperand *out = &s->in[3];
    const int axis = (int)s->attr[0];
    write_choice *o = r->own;
    o->extent = out->dim[axis];
    o->length = s->in[1].dim[axis];
    o->row = weft_dtype_size(out->dtype);
    o->in_place = s->in[0].buf == out->buf;
    o->rows = o->in_place ? o->length : o->extent;
    for (int d = 0; d < out->rank; d++) {
        if (d < axis) o->rows *= out->dim[d];
        if (d > axis) o->row *= (size_t)out->dim[d];
    }
    o->each = max_i64(1, WRITE_BYTES / (int64_t)max_i64((int64_t)o->row, 1));
    r->units = routine_parts(o->rows, o->each);
    r->run = write_run;
    return WEFT_OK;
}
