/* attention.c - attention and its gradient, tile by tile: the whole tq x tk matrix never exists.
 *
 * attention: q, k, v [, mask] -> y, lse. y = softmax(scale q k^T) v over the keys a query may see,
 * lse the log-sum-exp of the scaled scores. Keys go by tiles, with a running maximum and sum per
 * query; y is rescaled when the maximum grows. A query that sees nothing gives 0 and -inf.
 * attention_grad: q, k, v, y, lse, dy [, mask] -> dq, dk, dv, with the weights made again from lse.
 * Causal: query i sees keys up to i + tk - tq, or only so many last ones of these as a window has.
 * A group of heads of q may read one head of k and v.
 *
 * A tile of keys is transposed once and then serves all queries of a unit, so that no product has
 * to pack anything. So few queries that this does not pay meet the keys as they lie, by dot products.
 * A tile of keys that no query may see is left out, whatever lies there. Sums over keys or queries
 * go through the tiles in increasing order. */
#include "gemm.h"
#include "loops.h"
#include "routines.h"
#include "tile.h"
#include <assert.h>
#include <math.h>

enum {
    ATTEND_Q = 48,     /* queries of a tile: 8 times 6 or 4 times 12 rows of the product */
    ATTEND_K = 128,    /* keys of a tile, most */
    ATTEND_FEW = 8,    /* fewer queries meet keys as they lie, if gemm_choose takes dot products */
    ATTEND_BLOCK = 240 /* queries of a unit when there are few batches; 5 tiles */
};

/* An operand [batches..., rows, columns] with unit stride along the columns. One of 16 bits is worked
 * on in f32, in scratch: rows are widened when a tile needs them, and those of a result are rounded when
 * they are done. */
typedef struct attend_view {
    int operand;
    uint8_t dtype;
    roperand batches;
    int64_t memory, row; /* from row to row: where it lies, and in f32 */
    int64_t rows, columns;
    size_t wide; /* in scratch */
} attend_view;

typedef struct attend_choice {
    const loops_table *v;
    const tile_table *tiles;
    int64_t batch, group, tq, tk, h, hv; /* batch: heads of q; group: so many read one of k and v */
    int64_t window;                      /* 0: all keys before a query's own */
    int64_t keys;                        /* of a tile */
    float scale;
    bool causal, masked;
    bool as_they_lie; /* keys are not transposed */
    attend_view q, k, value, y, dy;
    attend_view dq, dk, dv; /* results, as is y without a gradient */
    int lse;                /* operand of the gradient */
    roperand mask;          /* batches; rows and columns below */
    int mask_operand;
    int64_t mask_row, mask_column;
    /* Products by whether the tile of queries, and that of keys, is the last, shorter one. */
    gemm_plan score[2][2], mix[2][2], dp[2][2], dv_of[2][2], dk_of[2][2], dq_of[2][2];
    size_t product;    /* scratch of the largest of them */
    size_t wide;       /* of operands of 16 bits, in f32 */
    int64_t blocks;    /* units per batch */
    int64_t key_units; /* gradient: units that make dk and dv; 0: all three */
} attend_choice;

/* Scratch of one thread. */
typedef struct attend_room {
    float *kt, *vt;    /* (h, keys) and (hv, keys): a tile of keys, values transposed */
    float *s, *ds;     /* (ATTEND_Q, keys) */
    float *most, *sum; /* per query of a unit */
    void *product;
    char *wide;
} attend_room;

static attend_view attend_see(const step *s, int operand) {
    const roperand *o = &s->in[operand];
    const int64_t row = o->stride[o->rank - 2];
    attend_view v = {operand, o->dtype, *o, row, row, o->dim[o->rank - 2], o->dim[o->rank - 1], 0};
    v.batches.rank = (uint8_t)(o->rank - 2);
    return v;
}

/* Gives a view of 16 bits its place in scratch. */
static attend_view attend_wide(attend_choice *o, attend_view v) {
    if (v.dtype == WEFT_F32) return v;
    v.row = v.columns;
    v.wide = o->wide;
    o->wide += routine_round((size_t)(v.rows * v.columns) * sizeof(float));
    return v;
}

/* A result with the rows of operand `like`; an unused one is contiguous in memory of its
 * own. */
static attend_view attend_result(const step *s, int result, int like, int64_t columns) {
    const int operand = s->nin + result;
    if (s->in[operand].rank) return attend_see(s, operand);
    attend_view v = attend_see(s, like);
    int64_t stride = v.row = v.memory = v.columns = columns;
    v.operand = operand;
    v.dtype = WEFT_F32;
    for (int d = v.batches.rank; d >= 0; d--) {
        v.batches.stride[d] = stride;
        stride *= s->in[like].dim[d];
    }
    return v;
}

/* Where it lies. */
static char *attend_memory(const attend_view *v, char *const *at, int64_t batch) {
    return at[v->operand] + routine_line(&v->batches, -1, batch) * (v->dtype == WEFT_F32 ? 4 : 2);
}

/* Its rows in f32. */
static float *attend_at(const attend_view *v, char *const *at, int64_t batch,
                        const attend_room *m) {
    return (float *)(void *)(v->dtype == WEFT_F32 ? attend_memory(v, at, batch)
                                                  : m->wide + v->wide);
}

/* Rows [from, to) are about to be read. */
static void attend_read(const attend_choice *o, const attend_view *v, char *const *at,
                        int64_t batch, int64_t from, int64_t to, const attend_room *m) {
    if (v->dtype == WEFT_F32) return;
    const char *memory = attend_memory(v, at, batch);
    float *wide = attend_at(v, at, batch, m);
    for (int64_t i = from; i < to; i++)
        o->tiles->load[v->dtype](wide + i * v->row, memory + 2 * i * v->memory, 1, (int)v->columns);
}

/* Rows [from, to) of a result are done. */
static void attend_done(const attend_choice *o, const attend_view *v, char *const *at,
                        int64_t batch, int64_t from, int64_t to, const attend_room *m) {
    if (v->dtype == WEFT_F32) return;
    char *memory = attend_memory(v, at, batch);
    const float *wide = attend_at(v, at, batch, m);
    for (int64_t i = from; i < to; i++)
        o->tiles->store[v->dtype](memory + 2 * i * v->memory, 1, wide + i * v->row,
                                  (int)v->columns);
}

static attend_room attend_rooms(const attend_choice *o, void *scratch, bool grad, size_t *bytes) {
    attend_room m = {0};
    char *p = scratch;
    size_t used = 0;
#define ATTEND_PIECE(field, size)                                                                  \
    (m.field = (void *)(p ? p + used : NULL), used += routine_round(size))
    ATTEND_PIECE(kt, (size_t)(o->h * o->keys) * 4);
    if (grad) ATTEND_PIECE(vt, (size_t)(o->hv * o->keys) * 4);
    ATTEND_PIECE(s, (size_t)(ATTEND_Q * o->keys) * 4);
    if (grad) ATTEND_PIECE(ds, (size_t)(ATTEND_Q * o->keys) * 4);
    ATTEND_PIECE(most, (size_t)o->tq * 4);
    ATTEND_PIECE(sum, (size_t)o->tq * 4);
    ATTEND_PIECE(product, o->product);
    ATTEND_PIECE(wide, o->wide);
#undef ATTEND_PIECE
    if (bytes) *bytes = used;
    return m;
}

/* How many of the keys [j, j + n) query i may see by its position, were there no window. */
static int64_t attend_reach(const attend_choice *o, int64_t i, int64_t j, int64_t n) {
    if (!o->causal) return n;
    return max_i64(0, min_i64(n, i + o->tk - o->tq + 1 - j));
}

/* How many of them are before its window. */
static int64_t attend_passed(const attend_choice *o, int64_t i, int64_t j, int64_t n) {
    if (!o->window) return 0;
    return max_i64(0, min_i64(n, i + o->tk - o->tq + 1 - o->window - j));
}

/* May a query of [i, i1) see one of them by its position? */
static bool attend_near(const attend_choice *o, int64_t i, int64_t i1, int64_t j, int64_t n) {
    return attend_reach(o, i1 - 1, j, n) > 0 && attend_passed(o, i, j, n) < n;
}

static const uint8_t *attend_mask_row(const attend_choice *o, char *const *at, int64_t batch,
                                      int64_t i, int64_t j) {
    return (const uint8_t *)at[o->mask_operand] + routine_line(&o->mask, -1, batch) +
           i * o->mask_row + j * o->mask_column;
}

/* May any of the queries [i, i1) see one of the keys [j, j + n)? */
static bool attend_seen(const attend_choice *o, char *const *at, int64_t batch, int64_t i,
                        int64_t i1, int64_t j, int64_t n) {
    assert(i < i1 && i1 <= o->tq && n > 0 && j + n <= o->tk);
    if (!attend_near(o, i, i1, j, n)) return false;
    if (!o->masked) return true;
    for (; i < i1; i++) {
        const int64_t reach = attend_reach(o, i, j, n), passed = attend_passed(o, i, j, n);
        const uint8_t *mask = attend_mask_row(o, at, batch, i, j);
        for (int64_t e = passed; e < reach; e++)
            if (mask[e * o->mask_column]) return true;
        if (o->mask_row == 0 && passed == 0 && reach == n) return false;
    }
    return false;
}

static void attend_product(const gemm_plan *p, const float *a, const float *b, float *c, bool add,
                           void *scratch) {
    const gemm_data d = {.a = a, .b = b, .c = c, .accumulate = add};
    gemm_run(p, &d, 0, p->units, scratch);
}

/* Scores of query i against n keys from j on become weights relative to the row's new maximum; the
 * row of y, if it has begun, and its sum are rescaled to it. */
static void attend_row(const attend_choice *o, char *const *at, int64_t batch, int64_t i, int64_t j,
                       int64_t n, float *s, float *most, float *sum, float *y, bool begun) {
    const int64_t passed = attend_passed(o, i, j, n);
    const int64_t seen = max_i64(0, attend_reach(o, i, j, n) - passed);
    for (int64_t e = 0; e < passed; e++) s[e] = 0;
    s += passed;
    float largest;
    if (o->masked) {
        const uint8_t *mask = attend_mask_row(o, at, batch, i, j + passed);
        o->v->scale(s, o->scale, seen);
        for (int64_t e = 0; e < seen; e++) s[e] = mask[e * o->mask_column] ? s[e] : -INFINITY;
        largest = o->v->scale_max(s, 1.0f, seen);
    } else {
        largest = o->v->scale_max(s, o->scale, seen);
    }
    if (!(largest <= *most)) { /* also when it is nan */
        const float shrink = expf(*most - largest);
        if (begun) o->v->scale(y, shrink, o->hv);
        *sum *= shrink;
        *most = largest;
    }
    const int64_t weights = *most == -INFINITY ? 0 : seen;
    *sum += o->v->exp_sum(s, *most, weights);
    for (int64_t e = weights; e < n - passed; e++) s[e] = 0;
}

/* Rows [from, to) of a result. */
static void attend_clear(const attend_view *v, char *const *at, int64_t batch, int64_t from,
                         int64_t to, int64_t n, const attend_room *m) {
    float *x = attend_at(v, at, batch, m);
    if (v->row == n) memset(x + from * n, 0, (size_t)((to - from) * n) * sizeof *x);
    else
        for (int64_t i = from; i < to; i++) memset(x + i * v->row, 0, (size_t)n * sizeof *x);
}

static void attend_unit(const routine *r, char *const *at, int64_t unit, const attend_room *m) {
    const attend_choice *o = r->own;
    const int64_t batch = unit / o->blocks, block = unit % o->blocks;
    const int64_t q0 = block * ATTEND_BLOCK;
    const int64_t q1 = o->blocks == 1 ? o->tq : min_i64(q0 + ATTEND_BLOCK, o->tq);
    const float *q = attend_at(&o->q, at, batch, m), *k = attend_at(&o->k, at, batch / o->group, m);
    const float *value = attend_at(&o->value, at, batch / o->group, m);
    float *y = attend_at(&o->y, at, batch, m);
    const int64_t row = o->y.row;
    float *lse = (float *)at[r->s->nin + 1] + batch * o->tq;
    attend_read(o, &o->q, at, batch, q0, q1, m);
    for (int64_t i = q0; i < q1; i++) {
        m->most[i - q0] = -INFINITY;
        m->sum[i - q0] = 0;
    }
    bool begun = o->window > 0; /* then tiles of queries begin at different keys */
    if (begun) attend_clear(&o->y, at, batch, q0, q1, o->hv, m);
    for (int64_t j = 0; j < o->tk; j += o->keys) {
        const int64_t nk = min_i64(o->keys, o->tk - j);
        if (!attend_seen(o, at, batch, q0, q1, j, nk)) continue;
        attend_read(o, &o->k, at, batch / o->group, j, j + nk, m);
        attend_read(o, &o->value, at, batch / o->group, j, j + nk, m);
        const float *keys = o->as_they_lie ? k + j * o->k.row : m->kt;
        if (!o->as_they_lie) o->v->transpose(m->kt, o->keys, k + j * o->k.row, o->k.row, nk, o->h);
        for (int64_t i = q0; i < q1; i += ATTEND_Q) {
            const int64_t nq = min_i64(ATTEND_Q, o->tq - i);
            if (!attend_near(o, i, i + nq, j, nk)) continue;
            const int short_q = nq < ATTEND_Q, short_k = nk < o->keys;
            attend_product(&o->score[short_q][short_k], q + i * o->q.row, keys, m->s, false,
                           m->product);
            for (int64_t e = 0; e < nq; e++) {
                attend_row(o, at, batch, i + e, j, nk, m->s + e * o->keys, m->most + i - q0 + e,
                           m->sum + i - q0 + e, y + (i + e) * row, begun);
            }
            attend_product(&o->mix[short_q][short_k], m->s, value + j * o->value.row, y + i * row,
                           begun, m->product);
        }
        begun = true;
    }
    for (int64_t i = q0; i < q1; i++) {
        const float sum = m->sum[i - q0];
        if (sum != 0) o->v->scale(y + i * row, 1.0f / sum, o->hv);
        else memset(y + i * row, 0, (size_t)o->hv * sizeof *y);
        lse[i] = sum != 0 ? m->most[i - q0] + logf(sum) : -INFINITY;
    }
    attend_done(o, &o->y, at, batch, q0, q1, m);
}

static void attend_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                       void *scratch) {
    const attend_room m = attend_rooms(r->own, scratch, false, NULL);
    for (int64_t u = unit0; u < unit1; u++) attend_unit(r, at, u, &m);
}

/* What a unit of the gradient covers, for one head of q. */
typedef struct attend_area {
    int64_t batch, q0, q1, k0, k1;
    bool keys, queries;
} attend_area;

static void attend_grad_tile(const routine *r, char *const *at, const attend_area *a, int64_t i,
                             int64_t nq, int64_t j, int64_t nk, const attend_room *m) {
    const attend_choice *o = r->own;
    const int short_q = nq < ATTEND_Q, short_k = nk < o->keys;
    const float *q = attend_at(&o->q, at, a->batch, m) + i * o->q.row;
    const float *dy = attend_at(&o->dy, at, a->batch, m) + i * o->dy.row;
    const float *lse = (const float *)at[o->lse];
    const roperand *l = &r->s->in[o->lse];
    attend_product(&o->score[short_q][short_k], q, m->kt, m->s, false, m->product);
    attend_product(&o->dp[short_q][short_k], dy, m->vt, m->ds, false, m->product);
    for (int64_t e = 0; e < nq; e++) {
        float *p = m->s + e * o->keys, *dp = m->ds + e * o->keys;
        const float row = lse[routine_line(l, -1, a->batch * o->tq + i + e)];
        const int64_t seen = row == -INFINITY ? 0 : attend_reach(o, i + e, j, nk);
        const int64_t passed = min_i64(seen, attend_passed(o, i + e, j, nk));
        o->v->softmax_grad(p + passed, dp + passed, o->scale, row, m->sum[i - a->q0 + e],
                           seen - passed);
        for (int64_t x = 0; x < passed; x++) p[x] = dp[x] = 0;
        if (o->masked) {
            const uint8_t *mask = attend_mask_row(o, at, a->batch, i + e, j);
            for (int64_t x = 0; x < seen; x++) {
                if (!mask[x * o->mask_column]) p[x] = dp[x] = 0;
            }
        }
        for (int64_t x = seen; x < nk; x++) p[x] = dp[x] = 0;
    }
    if (a->keys) {
        float *dk = attend_at(&o->dk, at, a->batch / o->group, m) + j * o->dk.row;
        float *dv = attend_at(&o->dv, at, a->batch / o->group, m) + j * o->dv.row;
        attend_product(&o->dv_of[short_q][short_k], m->s, dy, dv, true, m->product);
        attend_product(&o->dk_of[short_q][short_k], m->ds, q, dk, true, m->product);
    }
    if (a->queries) {
        const float *k = attend_at(&o->k, at, a->batch / o->group, m) + j * o->k.row;
        float *dq = attend_at(&o->dq, at, a->batch, m) + i * o->dq.row;
        attend_product(&o->dq_of[short_q][short_k], m->ds, k, dq, true, m->product);
    }
}

static void attend_grad_head(const routine *r, char *const *at, const attend_area *a,
                             const attend_room *m) {
    const attend_choice *o = r->own;
    const int64_t shared = a->batch / o->group;
    if (a->queries) attend_clear(&o->dq, at, a->batch, a->q0, a->q1, o->h, m);
    attend_read(o, &o->q, at, a->batch, a->q0, a->q1, m);
    attend_read(o, &o->y, at, a->batch, a->q0, a->q1, m);
    attend_read(o, &o->dy, at, a->batch, a->q0, a->q1, m);
    /* The mean of dp under the weights is y . dy. */
    for (int64_t i = a->q0; i < a->q1; i++) {
        m->sum[i - a->q0] = o->v->dot(attend_at(&o->y, at, a->batch, m) + i * o->y.row,
                                      attend_at(&o->dy, at, a->batch, m) + i * o->dy.row, o->hv);
    }
    for (int64_t j = a->k0; j < a->k1; j += o->keys) {
        const int64_t nk = min_i64(o->keys, a->k1 - j);
        attend_read(o, &o->k, at, shared, j, j + nk, m);
        attend_read(o, &o->value, at, shared, j, j + nk, m);
        o->v->transpose(m->kt, o->keys, attend_at(&o->k, at, shared, m) + j * o->k.row, o->k.row,
                        nk, o->h);
        o->v->transpose(m->vt, o->keys, attend_at(&o->value, at, shared, m) + j * o->value.row,
                        o->value.row, nk, o->hv);
        for (int64_t i = a->q0; i < a->q1; i += ATTEND_Q) {
            const int64_t nq = min_i64(ATTEND_Q, a->q1 - i);
            if (!attend_seen(o, at, a->batch, i, i + nq, j, nk)) continue;
            attend_grad_tile(r, at, a, i, nq, j, nk, m);
        }
    }
    if (a->queries) attend_done(o, &o->dq, at, a->batch, a->q0, a->q1, m);
}

/* dk and dv of a group are sums over its heads: a unit that makes them has them all. */
static void attend_grad_unit(const routine *r, char *const *at, int64_t unit,
                             const attend_room *m) {
    const attend_choice *o = r->own;
    attend_area a = {unit * o->group, 0, o->tq, 0, o->tk, true, true};
    int64_t heads = o->group;
    if (o->key_units > 0 && unit < o->key_units) {
        const int64_t tiles = routine_parts(o->tk, o->keys);
        a.batch = unit / tiles * o->group;
        a.k0 = unit % tiles * o->keys;
        a.k1 = min_i64(a.k0 + o->keys, o->tk);
        a.queries = false;
    } else if (o->key_units > 0) {
        unit -= o->key_units;
        a.batch = unit / o->blocks;
        a.q0 = unit % o->blocks * ATTEND_BLOCK;
        a.q1 = min_i64(a.q0 + ATTEND_BLOCK, o->tq);
        a.keys = false;
        heads = 1;
    }
    if (a.keys) attend_clear(&o->dk, at, a.batch / o->group, a.k0, a.k1, o->h, m);
    if (a.keys) attend_clear(&o->dv, at, a.batch / o->group, a.k0, a.k1, o->hv, m);
    const int64_t shared = a.batch / o->group;
    for (const int64_t end = a.batch + heads; a.batch < end; a.batch++)
        attend_grad_head(r, at, &a, m);
    if (a.keys) attend_done(o, &o->dk, at, shared, a.k0, a.k1, m);
    if (a.keys) attend_done(o, &o->dv, at, shared, a.k0, a.k1, m);
}

static void attend_grad_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                            void *scratch) {
    const attend_room m = attend_rooms(r->own, scratch, true, NULL);
    for (int64_t u = unit0; u < unit1; u++) attend_grad_unit(r, at, u, &m);
}

static void attend_choose(attend_choice *o, gemm_plan *p, isa level, gemm_shape s) {
    gemm_choose(p, level, &s);
    if (p->scratch > o->product) o->product = p->scratch;
}

static weft_err attend_begin(routine *r, const step *s, isa level, weft_ctx *c, arena *memory,
                             int mask) {
    WEFT_TRY(routine_own(r, sizeof(attend_choice), c, memory));
    attend_choice *o = r->own;
    const roperand *q = &s->in[0], *v = &s->in[2];
    o->v = loops_of(level);
    o->tiles = tile_table_for(level);
    o->tq = q->dim[q->rank - 2];
    o->h = q->dim[q->rank - 1];
    o->tk = v->dim[v->rank - 2];
    o->hv = v->dim[v->rank - 1];
    o->batch = 1;
    for (int d = 0; d < q->rank - 2; d++) o->batch *= q->dim[d];
    o->group = q->rank > 2 && v->dim[v->rank - 3] == 1 ? max_i64(q->dim[q->rank - 3], 1) : 1;
    o->window = s->attr[2];
    o->causal = s->attr[0] != 0;
    /* Of a tile across the diagonal part is computed in vain: narrower ones where it weighs. */
    o->keys = o->causal && o->tk <= 4 * ATTEND_K ? ATTEND_K / 2 : ATTEND_K;
    o->scale = routine_real(s->attr[1]);
    o->q = attend_wide(o, attend_see(s, 0));
    o->k = attend_wide(o, attend_see(s, 1));
    o->value = attend_wide(o, attend_see(s, 2));
    o->blocks = 1;
    o->masked = s->nin > mask;
    if (o->masked) {
        o->mask_operand = mask;
        o->mask = s->in[mask];
        const int rank = o->mask.rank;
        o->mask_row = o->mask.dim[rank - 2] == 1 ? 0 : o->mask.stride[rank - 2];
        o->mask_column = o->mask.dim[rank - 1] == 1 ? 0 : o->mask.stride[rank - 1];
        o->mask.rank = (uint8_t)(rank - 2);
        if (routine_count(&o->mask) == 1) o->mask.rank = 0;
    }
    r->units = o->batch;
    r->rows = q->rank == 3 && q->dim[0] == o->batch ? 1 : 0;
    return WEFT_OK;
}

/* A shared mask whose first axis happens to be as long as the batch would be cut by rows. */
static void attend_rows(routine *r, const step *s, int mask) {
    const attend_choice *o = r->own;
    if (o->masked && o->mask.rank == 0 && s->in[mask].dim[0] == o->batch) r->rows = 0;
}

weft_err attend_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(attend_begin(r, s, level, c, memory, 3));
    attend_choice *o = r->own;
    r->run = attend_run;
    o->y = attend_wide(o, attend_result(s, 0, 0, o->hv));
    attend_rows(r, s, 3);
    if (o->batch < 8 && o->tq > ATTEND_BLOCK) {
        o->blocks = routine_parts(o->tq, ATTEND_BLOCK);
        r->units = o->batch * o->blocks;
        r->rows = 0;
    }
    if (o->tq == 0) r->units = r->rows = 0;
    gemm_plan few;
    gemm_choose(&few, level,
                &(gemm_shape){o->tq, o->keys, o->h, o->q.row, 1, 1, o->k.row, o->keys});
    o->as_they_lie = o->tq < ATTEND_FEW && few.dots;
    const int64_t k_along = o->as_they_lie ? 1 : o->keys, k_row = o->as_they_lie ? o->k.row : 1;
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            const int64_t m = a ? o->tq % ATTEND_Q : ATTEND_Q, n = b ? o->tk % o->keys : o->keys;
            attend_choose(o, &o->score[a][b], level,
                          (gemm_shape){m, n, o->h, o->q.row, 1, k_along, k_row, o->keys});
            attend_choose(o, &o->mix[a][b], level,
                          (gemm_shape){m, o->hv, n, o->keys, 1, o->value.row, 1, o->y.row});
        }
    }
    attend_rooms(o, NULL, false, &r->scratch);
    return WEFT_OK;
}

weft_err attend_grad_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(attend_begin(r, s, level, c, memory, 6));
    attend_choice *o = r->own;
    r->run = attend_grad_run;
    attend_rows(r, s, 6);
    o->y = attend_wide(o, attend_see(s, 3));
    o->lse = 4;
    o->dy = attend_wide(o, attend_see(s, 5));
    o->dq = attend_wide(o, attend_result(s, 0, 0, o->h));
    o->dk = attend_wide(o, attend_result(s, 1, 1, o->h));
    o->dv = attend_wide(o, attend_result(s, 2, 2, o->hv));
    /* With few batches, keys and queries are split too; the scores are then computed twice. */
    r->units = o->batch / o->group;
    if (r->units < 8 && o->tk > o->keys && o->tq > ATTEND_BLOCK) {
        o->blocks = routine_parts(o->tq, ATTEND_BLOCK);
        o->key_units = r->units * routine_parts(o->tk, o->keys);
        r->units = o->key_units + o->batch * o->blocks;
        r->rows = 0;
    }
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            const int64_t m = a ? o->tq % ATTEND_Q : ATTEND_Q, n = b ? o->tk % o->keys : o->keys;
            const int64_t K = o->keys, h = o->h, hv = o->hv;
            attend_choose(o, &o->score[a][b], level, (gemm_shape){m, n, h, o->q.row, 1, K, 1, K});
            attend_choose(o, &o->dp[a][b], level, (gemm_shape){m, n, hv, o->dy.row, 1, K, 1, K});
            attend_choose(o, &o->dv_of[a][b], level,
                          (gemm_shape){n, hv, m, 1, K, o->dy.row, 1, o->dv.row});
            attend_choose(o, &o->dk_of[a][b], level,
                          (gemm_shape){n, h, m, 1, K, o->q.row, 1, o->dk.row});
            attend_choose(o, &o->dq_of[a][b], level,
                          (gemm_shape){m, h, n, K, 1, o->k.row, 1, o->dq.row});
        }
    }
    attend_rooms(o, NULL, true, &r->scratch);
    return WEFT_OK;
}
