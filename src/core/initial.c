/* initial.c - initial values of state entries, a function of seed, name and shape alone.
 *
 * Numbers are drawn by Philox, keyed by the seed and a hash of the name, so neither the order of
 * creation nor the other entries matter. Memory and layout are state.c's. */
#include "base/half.h"
#include "base/hash.h"
#include "core/context.h"
#include "kern/krandom.h"
#include <assert.h>
#if WEFT_X86
#include <emmintrin.h>
#endif

enum { INITIAL_BLOCKS = 64, INITIAL_NUMBERS = 4 * INITIAL_BLOCKS };

/* The numbers of INITIAL_BLOCKS blocks from `first` on: uniform in [0, 1), or normal. Compiled for the
 * baseline alone and without libm, so that a network begins with the same bits on every machine with
 * this baseline. */
WEFT_TARGET_BEGIN_128
#if WEFT_X86
static void initial_words(uint32_t *word, uint32_t first, uint32_t run, uint32_t seed,
                          uint32_t stream) {
    const __m128i by0 = _mm_set1_epi64x(0xd2511f53), by2 = _mm_set1_epi64x(0xcd9e8d57);
    const __m128i low = _mm_set1_epi64x(0xffffffff);
    for (uint32_t q = 0; q < INITIAL_BLOCKS; q += 2) { /* two blocks a register */
        __m128i c0 = _mm_set_epi64x(first + q + 1, first + q), c1 = _mm_setzero_si128();
        __m128i c2 = _mm_set1_epi64x(run), c3 = c1;
        WEFT_UNROLL_ALL
        for (uint32_t r = 0; r < 10; r++) {
            const __m128i even = _mm_mul_epu32(c0, by0), odd = _mm_mul_epu32(c2, by2);
            const __m128i k0 = _mm_set1_epi64x((uint32_t)(seed + r * 0x9e3779b9u));
            const __m128i k1 = _mm_set1_epi64x((uint32_t)(stream + r * 0xbb67ae85u));
            c0 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(odd, 32), c1), k0);
            c2 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(even, 32), c3), k1);
            c1 = odd;
            c3 = even;
        }
        const __m128i a = _mm_or_si128(_mm_and_si128(c0, low), _mm_slli_epi64(c1, 32));
        const __m128i b = _mm_or_si128(_mm_and_si128(c2, low), _mm_slli_epi64(c3, 32));
        _mm_storeu_si128((__m128i *)(void *)(word + 4 * q), _mm_unpacklo_epi64(a, b));
        _mm_storeu_si128((__m128i *)(void *)(word + 4 * q + 4), _mm_unpackhi_epi64(a, b));
    }
}
#else
static void initial_words(uint32_t *word, uint32_t first, uint32_t run, uint32_t seed,
                          uint32_t stream) {
    for (uint32_t q = 0; q < INITIAL_BLOCKS; q++) {
        const k_words w = k_random_block(first + q, run, seed, stream);
        memcpy(word + 4 * q, &w, sizeof w);
    }
}
#endif

static void initial_numbers(float *number, uint32_t first, uint32_t run, uint32_t seed,
                            uint32_t stream, bool normal) {
    uint32_t word[INITIAL_NUMBERS];
    initial_words(word, first, run, seed, stream);
    if (!normal) {
        for (int i = 0; i < INITIAL_NUMBERS; i++) number[i] = k_uniform(word[i]);
        return;
    }
    WEFT_SIMD
    for (int p = 0; p < INITIAL_NUMBERS / 2; p++) {
        const float length = k_normal_length(word[2 * p]);
        number[2 * p] = length * k_normal_side(word[2 * p + 1], 1);
        number[2 * p + 1] = length * k_normal_side(word[2 * p + 1], 0);
    }
}
WEFT_TARGET_END

/* Where numbers come from: neighbouring elements share a block of four. */
typedef struct initial_source {
    uint32_t seed, stream;
    int64_t first; /* block whose numbers come first in `number`, -1 at first */
    bool normal;
    float number[INITIAL_NUMBERS];
} initial_source;

static float initial_draw(initial_source *from, int64_t i) {
    const int64_t first = i / INITIAL_NUMBERS * INITIAL_BLOCKS;
    if (from->first != first) {
        from->first = first;
        initial_numbers(from->number, (uint32_t)first, 0, from->seed, from->stream, from->normal);
    }
    return from->number[i % INITIAL_NUMBERS];
}

/* The first of the element's draws, by run number, that lies within two deviations. */
static float initial_truncated(initial_source *from, int64_t i) {
    float v = initial_draw(from, i), number[INITIAL_NUMBERS];
    for (uint32_t again = 1; !(fabsf(v) <= 2); again++) {
        initial_numbers(number, (uint32_t)(i >> 2), again, from->seed, from->stream, true);
        v = number[i & 3];
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

/* ---- entries ---- */

static initial_source initial_from(const state_entry *e) {
    const uint64_t h = hash_bytes(HASH_START, e->name, strlen(e->name));
    return (initial_source){.seed = e->seed,
                            .stream = (uint32_t)(h ^ h >> 32),
                            .first = -1,
                            .normal = e->init.kind != WEFT_INIT_UNIFORM};
}

/* Elements [i, end), whatever else was drawn. */
static void initial_range(const state_entry *e, int64_t i, int64_t end) {
    initial_source from = initial_from(e);
    const bool plain = e->init.kind == WEFT_INIT_UNIFORM || e->init.kind == WEFT_INIT_NORMAL;
    while (plain && e->dtype == WEFT_F32 && i < end) { /* nearly all there are: by vectors */
        const float a = e->init.a, b = from.normal ? e->init.b : e->init.b - e->init.a;
        const int64_t at = i % INITIAL_NUMBERS;
        const int n = (int)(end - i < INITIAL_NUMBERS - at ? end - i : INITIAL_NUMBERS - at);
        float *to = (float *)(void *)e->data + i;
        initial_draw(&from, i);
        for (int k = 0; k < n; k++) to[k] = a + b * from.number[at + k];
        i += n;
    }
    for (; i < end; i++) initial_store(e, i, initial_value(e, &from, i));
}

static weft_err initial_no_memory(const weft_state *s) {
    return weft_fail(s->ctx, WEFT_MEMORY, "state: out of memory for initial values");
}

/* Do its values come all at once? */
static bool initial_whole(const state_entry *e) {
    return e->init.kind == WEFT_INIT_PARAM || e->init.kind == WEFT_INIT_ORTHOGONAL ||
           strcmp(e->name, "rng.seed") == 0;
}

/* Is every element a function of its number alone, and not zero as fresh memory is? */
static bool initial_split(const state_entry *e) {
    return e->init.kind > WEFT_INIT_ZEROS && !initial_whole(e);
}

/* What a list of entries asks for, in units of INITIAL_UNIT elements. */
enum { INITIAL_UNIT = 1 << 15, INITIAL_MANY = 1 << 19 };
typedef struct initial_work {
    const weft_state *s;
    size_t first, end;
    int64_t units;
} initial_work;

static int64_t initial_units(const state_entry *e) {
    return e->drawn || !initial_split(e) ? 0 : (e->count + INITIAL_UNIT - 1) / INITIAL_UNIT;
}

static void initial_share(void *user, int member, int members) {
    const initial_work *w = user;
    const int64_t from = w->units * member / members, to = w->units * (member + 1) / members;
    int64_t before = 0;
    for (size_t i = w->first; i < w->end; i++) {
        const state_entry *e = &w->s->entry[i];
        const int64_t units = initial_units(e);
        const int64_t u0 = from > before ? from - before : 0;
        const int64_t u1 = to - before < units ? to - before : units;
        if (u0 < u1)
            initial_range(e, u0 * INITIAL_UNIT,
                          u1 * INITIAL_UNIT < e->count ? u1 * INITIAL_UNIT : e->count);
        before += units;
    }
}

/* What cannot be split, and what follows another entry, which is older and has its values. */
static weft_err initial_rest(const weft_state *s, const state_entry *e) {
    if (strcmp(e->name, "rng.seed") == 0) {
        const int32_t seed = (int32_t)e->seed;
        memcpy(e->data, &seed, sizeof seed);
    } else if (e->init.kind == WEFT_INIT_PARAM) {
        return state_read(s->ctx, &s->entry[e->like], e->data);
    } else if (e->init.kind == WEFT_INIT_ORTHOGONAL) {
        initial_source from = initial_from(e);
        if (!initial_orthogonal(s, e, &from, (float *)(void *)e->data)) return initial_no_memory(s);
    }
    return WEFT_OK;
}

/* Of entries the host reaches. */
static weft_err initial_here(weft_state *s, size_t first, size_t end) {
    initial_work w = {.s = s, .first = first, .end = end};
    for (size_t i = first; i < end; i++) w.units += initial_units(&s->entry[i]);
    if (w.units * INITIAL_UNIT >= INITIAL_MANY && s->ctx->spread)
        s->ctx->spread(s->ctx, initial_share, &w);
    else if (w.units) initial_share(&w, 0, 1);
    for (size_t i = first; i < end; i++) {
        state_entry *e = &s->entry[i];
        if (!e->drawn && !initial_split(e)) WEFT_TRY(initial_rest(s, e));
        e->drawn = true;
    }
    return WEFT_OK;
}

/* An entry in a device's own memory gets its values in a copy, one entry after the other. Fresh
 * memory is zero on any device. */
static weft_err initial_send(weft_state *s, size_t i) {
    state_entry *e = &s->entry[i];
    if (e->drawn || !e->bytes || (!initial_whole(e) && !initial_split(e))) {
        e->drawn = true;
        return WEFT_OK;
    }
    assert(!e->data && e->block);
    e->data = mem_new(s->m, e->bytes);
    if (!e->data) return initial_no_memory(s);
    char *const copy = e->data;
    weft_err err = initial_here(s, i, i + 1);
    e->data = NULL;
    if (!err) err = state_write(s->ctx, e, copy);
    e->drawn = !err;
    mem_free(s->m, copy);
    return err;
}

weft_err initial_fill(weft_state *s, size_t first, size_t end) {
    assert(first <= end && end <= s->sealed);
    if (s->ctx->memory->host) return initial_here(s, first, end);
    for (size_t i = first; i < end; i++)
        WEFT_TRY(s->entry[i].data ? initial_here(s, i, i + 1) : initial_send(s, i));
    return WEFT_OK;
}
