/* scatter.c - scatter_add: a copy of base, with src added at the places index names along one axis.
 *
 * Operands base, index, src -> out; base contiguous, index and src of one shape and any strides,
 * f32 or i32. An index outside the axis adds nowhere. Additions to one element happen in increasing
 * position of src. Index and src may have one axis more than base: the first two then count as the
 * axis, which is 0. Two positions can only meet if they differ along the axis alone, so units split
 * the other axes. If out is base's own memory nothing is copied.
 *
 * With attr[1] (plan/rewrite.c; axis 0 alone) what goes to one row is summed first, and that sum is
 * added to the row: rounded as if the sums were made in a table of zeros, but no such table is. */
#include "loops.h"
#include "routines.h"
#include <assert.h>

enum { SCATTER_PART = 256 };

typedef struct scatter_choice {
    const loops_table *v;
    int axis;
    bool real;              /* f32, else i32 */
    int64_t outer;          /* product of the axes before */
    int64_t inner;          /* product of the axes after */
    int64_t extent, length; /* of the axis in out and in src */
    int64_t chunk, chunks;  /* of inner, one per unit */
    bool whole;             /* index is the same over inner, and src contiguous there */
    int64_t index_step, src_step;
    int64_t each; /* rows of a group, and from one group to the next: */
    int64_t index_group, src_group;
    bool sums;         /* what goes to one row is summed first; in the scratch then lie: */
    size_t lists, sum; /* behind the first positions the next ones, and the sum of a row */
} scatter_choice;

/* out (n) += src (n) */
static void scatter_put(const scatter_choice *o, char *out, const char *src, int64_t n) {
    if (o->real) {
        o->v->add((float *)out, (const float *)src, n);
    } else {
        const uint32_t *from = (const uint32_t *)src; /* integers wrap */
        uint32_t *to = (uint32_t *)out;
        for (int64_t j = 0; j < n; j++) to[j] += from[j];
    }
}

static int64_t scatter_index(const scatter_choice *o, const char *index, int64_t t) {
    return ((const int32_t *)index)[t / o->each * o->index_group + t % o->each * o->index_step];
}

static const char *scatter_src(const scatter_choice *o, const char *src, int64_t t) {
    return src + (t / o->each * o->src_group + t % o->each * o->src_step) * 4;
}

/* Lists of the positions that go to each row, in increasing order: first[row] and next[position] are
 * positions + 1, 0 ends a list. */
static void scatter_list(const scatter_choice *o, const char *index, int32_t *first,
                         int32_t *next) {
    memset(first, 0, (size_t)o->extent * sizeof *first);
    for (int64_t t = o->length - 1; t >= 0; t--) {
        const int64_t to = scatter_index(o, index, t);
        if (to < 0 || to >= o->extent) continue;
        next[t] = first[to];
        first[to] = (int32_t)t + 1;
    }
}

/* Columns j0 to j0 + n of every row that is named, each when its first position comes. */
static void scatter_sums(const scatter_choice *o, char *const *at, int64_t j0, int64_t n,
                         char *scratch) {
    int32_t *first = (int32_t *)scratch, *next = (int32_t *)(scratch + o->lists);
    float *sum = (float *)(scratch + o->sum);
    const char *src = at[2] + j0 * 4;
    scatter_list(o, at[1], first, next);
    for (int64_t t = 0; t < o->length; t++) {
        const int64_t to = scatter_index(o, at[1], t);
        if (to < 0 || to >= o->extent || first[to] != t + 1) continue;
        const char *row = scatter_src(o, src, t);
        if (next[t]) {
            memcpy(sum, row, (size_t)n * sizeof *sum);
            for (int32_t more = next[t]; more; more = next[more - 1])
                o->v->add(sum, (const float *)scatter_src(o, src, more - 1), n);
            row = (const char *)sum;
        }
        o->v->add((float *)at[3] + to * o->inner + j0, (const float *)row, n);
    }
}

/* The first position in [t, end) that goes to this row, or end. */
static int64_t scatter_seek(const scatter_choice *o, const char *index, int64_t row, int64_t t,
                            int64_t end) {
    if (o->index_step == 1 && (o->each == o->length || o->index_group == o->each)) {
        const int32_t *at = (const int32_t *)index;
        while (t < end && at[t] != row) t++;
    } else {
        while (t < end && scatter_index(o, index, t) != row) t++;
    }
    return t;
}

/* The same for a part of a product: positions are few enough to look through them for each other. */
static void scatter_part(const routine *r, char *const *at, const routine_result *part) {
    const scatter_choice *o = r->own;
    const gemm_area *const a = &part->area;
    const int64_t n = a->j1 - a->j0;
    const char *src = at[2] + a->j0 * 4;
    float sum[SCATTER_PART];
    for (int64_t t = 0; t < o->length; t++) {
        const int64_t to = scatter_index(o, at[1], t);
        if (to < a->i0 || to >= a->i1 || scatter_seek(o, at[1], to, 0, t) < t) continue;
        const int64_t second = scatter_seek(o, at[1], to, t + 1, o->length);
        for (int64_t j = 0; j < n; j += SCATTER_PART) {
            const int64_t some = min_i64(SCATTER_PART, n - j);
            const float *row = (const float *)scatter_src(o, src, t) + j;
            if (second < o->length) memcpy(sum, row, (size_t)some * sizeof *sum), row = sum;
            for (int64_t more = second; more < o->length;
                 more = scatter_seek(o, at[1], to, more + 1, o->length))
                o->v->add(sum, (const float *)scatter_src(o, src, more) + j, some);
            o->v->add(part->c + (to - a->i0) * part->c_row + j, row, some);
        }
    }
}

/* Some neighbouring chunks of inner at once. */
static void scatter_unit(const routine *r, char *const *at, int64_t unit, int64_t chunks,
                         char *scratch) {
    const scatter_choice *o = r->own;
    const step *s = r->s;
    const int64_t before = unit / o->chunks, j0 = unit % o->chunks * o->chunk;
    const int64_t n = min_i64(o->chunk * chunks, o->inner - j0);
    char *out = at[3] + (before * o->extent * o->inner + j0) * 4;
    const char *base = at[0] + (before * o->extent * o->inner + j0) * 4;
    if (out != base && n == o->inner) {
        memcpy(out, base, (size_t)(o->extent * n) * 4);
    } else if (out != base) {
        for (int64_t t = 0; t < o->extent; t++) {
            memcpy(out + t * o->inner * 4, base + t * o->inner * 4, (size_t)n * 4);
        }
    }
    if (o->sums) {
        scatter_sums(o, at, j0, n, scratch);
        return;
    }
    const int32_t *index = (const int32_t *)at[1];
    if (o->whole) {
        const char *src = at[2] + j0 * 4;
        if (before) { /* never with groups: their axis is the first */
            index += routine_line(&s->in[1], o->axis, before * o->inner);
            src += routine_line(&s->in[2], o->axis, before * o->inner) * 4;
        }
        for (int64_t first = 0; first < o->length; first += o->each) {
            for (int64_t t = 0; t < o->each; t++) {
                const int64_t to = index[t * o->index_step];
                if (to < 0 || to >= o->extent) continue;
                scatter_put(o, out + to * o->inner * 4, src + t * o->src_step * 4, n);
            }
            index += o->index_group;
            src += o->src_group * 4;
        }
        return;
    }
    for (int64_t j = 0; j < n; j++) {
        const int64_t line = before * o->inner + j0 + j;
        const int32_t *places = index + routine_line(&s->in[1], o->axis, line);
        const char *src = at[2] + routine_line(&s->in[2], o->axis, line) * 4;
        for (int64_t t = 0; t < o->length; t++) {
            const int64_t to = places[t * o->index_step];
            if (to < 0 || to >= o->extent) continue;
            scatter_put(o, out + (to * o->inner + j) * 4, src + t * o->src_step * 4, 1);
        }
    }
}

static void scatter_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                        void *scratch) {
    const scatter_choice *o = r->own;
    for (int64_t u = unit0; u < unit1;) {
        const int64_t chunks = min_i64(unit1 - u, o->chunks - u % o->chunks);
        scatter_unit(r, at, u, chunks, scratch);
        u += chunks;
    }
}

/* Whether the axes behind `axis` do not move, or are one contiguous run. */
static bool scatter_still(const roperand *o, int axis) {
    for (int d = axis + 1; d < o->rank; d++) {
        if (o->dim[d] != 1 && o->stride[d] != 0) return false;
    }
    return true;
}

static bool scatter_run_of(const roperand *o, int axis) {
    int64_t expected = 1;
    for (int d = o->rank - 1; d > axis; d--) {
        if (o->dim[d] != 1 && o->stride[d] != expected) return false;
        expected *= o->dim[d];
    }
    return true;
}

static bool scatter_grouped(const step *s) {
    return s->in[2].rank > s->in[0].rank;
}

static bool scatter_sums_first(const step *s) {
    return s->attr[1] != 0;
}

bool strides_scatter(const step *s, int operand) {
    const roperand *o = &s->in[operand];
    if (operand == 0 || operand == s->nin) return routine_contiguous(o);
    const int along = scatter_grouped(s);
    if (!along && !scatter_sums_first(s)) return true;
    return operand == 1 ? scatter_still(o, along) : scatter_run_of(o, along);
}

weft_err scatter_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    const roperand *out = &s->in[3], *src = &s->in[2], *index = &s->in[1];
    if (out->dtype != WEFT_F32 && out->dtype != WEFT_I32) {
        return weft_fail(c, WEFT_DTYPE, "scatter_add of %s", weft_dtype_name(out->dtype));
    }
    WEFT_TRY(routine_own(r, sizeof(scatter_choice), c, memory));
    scatter_choice *o = r->own;
    r->run = scatter_run;
    r->part = s->attr[1] ? scatter_part : NULL;
    o->v = loops_of(level);
    o->axis = (int)s->attr[0];
    o->real = out->dtype == WEFT_F32;
    o->outer = o->inner = 1;
    for (int d = 0; d < out->rank; d++) {
        if (d < o->axis) o->outer *= out->dim[d];
        if (d > o->axis) o->inner *= out->dim[d];
    }
    o->extent = out->dim[o->axis];
    const bool grouped = scatter_grouped(s);
    o->sums = scatter_sums_first(s);
    const int along = o->axis + grouped;
    o->each = o->length = src->dim[along];
    o->index_step = index->stride[along];
    o->src_step = src->stride[along];
    o->whole = (o->sums || grouped || scatter_still(index, along)) && scatter_run_of(src, along);
    if (grouped) {
        o->length *= src->dim[0];
        o->index_group = index->stride[0];
        o->src_group = src->stride[0];
    }
    if (o->sums) {
        assert(o->axis == 0 && o->real && o->whole && o->length < INT32_MAX);
        o->lists = routine_round((size_t)o->extent * sizeof(int32_t));
        o->sum = o->lists + routine_round((size_t)o->length * sizeof(int32_t));
        r->scratch = o->sum + (size_t)o->inner * sizeof(float);
    }
    /* A few pieces of inner when there is little else to split, none thinner than a cache line. */
    const int64_t pieces = o->outer >= 8 ? 1 : routine_parts(8, max_i64(o->outer, 1));
    o->chunk = max_i64(16, routine_parts(routine_parts(o->inner, pieces), 16) * 16);
    o->chunks = routine_parts(o->inner, o->chunk);
    r->units = o->outer * o->chunks;
    if (o->axis > 0 && o->chunks == 1 && r->units == out->dim[0]) r->rows = 1;
    return WEFT_OK;
}
