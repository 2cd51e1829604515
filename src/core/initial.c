/* initial.c - first values of what lasts, a function of seed, name and shape alone.
 *
 * Numbers are drawn by Philox, keyed by the seed and a hash of the name, so neither the order of
 * creation nor the other entries matter. Memory and layout are state.c's. */
#include "core/context.h"
#include "core/half.h"
#include "core/philox.h"

/* Where numbers come from: neighbouring elements share a block of four. */
typedef struct initial_source {
    uint32_t seed, stream;
    int64_t block; /* whose numbers are in `four`, -1 at first */
    bool normal;
    float four[4];
} initial_source;

static float initial_draw(initial_source *from, int64_t i) {
    if (from->block != i >> 2) {
        from->block = i >> 2;
        philox_four(from->seed, from->stream, 0, (uint32_t)from->block, from->normal, from->four);
    }
    return from->four[i & 3];
}

/* The first of the element's draws, by run number, that lies within two deviations. */
static float initial_truncated(initial_source *from, int64_t i) {
    float v = initial_draw(from, i), four[4];
    for (uint32_t again = 1; !(fabsf(v) <= 2); again++) {
        philox_four(from->seed, from->stream, again, (uint32_t)(i >> 2), true, four);
        v = four[i & 3];
    }
    return v;
}

/* v (n) without what lies along each of the rows of u (rows, n), which are orthonormal; rows is 1
 * or INITIAL_ROWS: several at once, since v then passes by less often. */
enum { INITIAL_ROWS = 4 };
static void initial_without(double *v, const double *u, int rows, int64_t n) {
    double along[INITIAL_ROWS] = {0};
    if (rows == INITIAL_ROWS) {
        for (int64_t j = 0; j < n; j++)
            for (int k = 0; k < INITIAL_ROWS; k++) along[k] += u[k * n + j] * v[j];
        for (int64_t j = 0; j < n; j++)
            v[j] -= along[0] * u[j] + along[1] * u[n + j] +
                    (along[2] * u[2 * n + j] + along[3] * u[3 * n + j]);
        return;
    }
    for (int64_t j = 0; j < n; j++) along[0] += u[j] * v[j];
    for (int64_t j = 0; j < n; j++) v[j] -= along[0] * u[j];
}

static double initial_norm(const double *v, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += v[j] * v[j];
    return sqrt(sum);
}

/* q (count, length), count <= length: its rows made orthonormal, each by what is left of it beside
 * those before. That is the Q of a QR decomposition whose R has a positive diagonal, the one that is
 * evenly spread over all orthogonal matrices if q is normal. A second sweep takes away what rounding
 * left, where the first took most of a row. */
static void initial_orthonormal(double *q, int64_t count, int64_t length) {
    for (int64_t i = 0; i < count; i++) {
        double *v = q + i * length, before, norm = initial_norm(v, length);
        do {
            before = norm;
            int64_t k = 0;
            for (; k + INITIAL_ROWS <= i; k += INITIAL_ROWS)
                initial_without(v, q + k * length, INITIAL_ROWS, length);
            for (; k < i; k++) initial_without(v, q + k * length, 1, length);
            norm = initial_norm(v, length);
        } while (norm < 0.7 * before && norm > 0);
        for (int64_t j = 0; j < length && norm > 0; j++) v[j] /= norm;
    }
}

static bool initial_orthogonal(const weft_state *s, const state_entry *e, initial_source *from,
                               float *to) {
    int64_t rows = e->dims.rank ? e->dims.n[0] : 1, columns = rows ? e->count / rows : 0;
    bool wide = rows <= columns; /* then rows are orthonormal, else columns */
    int64_t count = wide ? rows : columns, length = wide ? columns : rows;
    double *q = mem_new(s->m, (size_t)e->count * sizeof *q);
    if (!q) return false;
    for (int64_t i = 0; i < e->count; i++)
        q[wide ? i : i % columns * length + i / columns] = initial_draw(from, i);
    initial_orthonormal(q, count, length);
    for (int64_t i = 0; i < e->count; i++)
        to[i] = (float)(e->init.a * q[wide ? i : i % columns * length + i / columns]);
    mem_free(s->m, q);
    return true;
}

static float initial_value(const state_entry *e, initial_source *from, int64_t i) {
    const weft_init *init = &e->init;
    switch (init->kind) {
    case WEFT_INIT_ONES: return 1;
    case WEFT_INIT_VALUE: return init->a;
    case WEFT_INIT_UNIFORM: return init->a + (init->b - init->a) * initial_draw(from, i);
    case WEFT_INIT_NORMAL: return init->a + init->b * initial_draw(from, i);
    case WEFT_INIT_TRUNCATED: return init->a + init->b * initial_truncated(from, i);
    case WEFT_INIT_PADDED: {
        int64_t rows = e->dims.rank ? e->dims.n[0] : 1;
        return (float)(i / (e->count / rows)) == init->b ? 0 : init->a * initial_draw(from, i);
    }
    case WEFT_INIT_COLUMN: {
        int64_t columns = e->dims.rank ? e->dims.n[e->dims.rank - 1] : 1;
        return (float)(i % columns) == init->b ? init->a : 0;
    }
    default: return 0;
    }
}

static void initial_store(const state_entry *e, int64_t i, float v) {
    switch (e->dtype) {
    case WEFT_F32: ((float *)e->data)[i] = v; break;
    case WEFT_I32:
    case WEFT_U32: ((int32_t *)e->data)[i] = i32_of(v); break;
    case WEFT_I8:
    case WEFT_U8:
    case WEFT_BOOL: e->data[i] = (char)i32_of(v); break;
    default: {
        uint16_t half = e->dtype == WEFT_BF16 ? bf16_of(v) : f16_of(v);
        memcpy(e->data + 2 * i, &half, sizeof half);
    }
    }
}

bool initial_fill(const weft_state *s, const state_entry *e) {
    if (strcmp(e->name, "rng.seed") == 0) {
        int32_t seed = (int32_t)s->seed;
        memcpy(e->data, &seed, sizeof seed);
        return true;
    }
    if (e->init.kind <= WEFT_INIT_ZEROS) return true; /* fresh memory is zero */
    if (e->init.kind == WEFT_INIT_PARAM) {            /* which is older, so it has its values */
        memcpy(e->data, s->entry[e->like].data, e->bytes);
        return true;
    }
    uint64_t h = hash_bytes(HASH_START, e->name, strlen(e->name));
    initial_source from = {.seed = s->seed,
                           .stream = (uint32_t)(h ^ h >> 32),
                           .block = -1,
                           .normal = e->init.kind != WEFT_INIT_UNIFORM};
    if (e->init.kind == WEFT_INIT_ORTHOGONAL && e->dtype == WEFT_F32)
        return initial_orthogonal(s, e, &from, (float *)e->data);
    for (int64_t i = 0; i < e->count; i++) initial_store(e, i, initial_value(e, &from, i));
    return true;
}
