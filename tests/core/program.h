/* program.h - one program, recorded in several contexts and fed the same numbers.
 *
 * The numbers of an input follow from its slot and shape alone, so the order of recording does not
 * matter. A layout says how the inputs come to have their shape: as they are, or as views and maps
 * of inputs that lie differently. Relies on test.h and, for the truth in double, on ref.h. */
#ifndef WEFT_PROGRAM_H
#define WEFT_PROGRAM_H

#include "backend/ref.h"
#include "backend/ref_node.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_LAYOUTS(L)                                                                         \
    L(plain)                                                                                       \
    L(permuted) L(strided) L(padded) L(expanded) L(reshaped) L(negated) L(bf16) L(f16) L(started)

typedef enum program_layout {
#define L(name) LAYOUT_##name,
    PROGRAM_LAYOUTS(L)
#undef L
        LAYOUT_COUNT
} program_layout;

static const char *const program_layout_name[LAYOUT_COUNT] = {
#define L(name) #name,
    PROGRAM_LAYOUTS(L)
#undef L
};

enum { PROGRAM_SLOTS = 16, PROGRAM_OUTS = 24 };

typedef struct program_in {
    weft_tensor input, seen; /* what is fed, and what the program computes with */
    double lo, hi;           /* floats of [lo, hi), or whole numbers lo ... hi - 1 */
    bool negated;
} program_in;

typedef struct program {
    weft_ctx *ctx;
    weft_graph *g;
    weft_plan *plan;
    program_layout layout;
    program_in in[PROGRAM_SLOTS];
    weft_tensor out[PROGRAM_OUTS];
    int outs;
} program;

/* ---- numbers ---- */

static uint32_t program_hash(uint32_t a, uint32_t b) {
    uint32_t x = a * 0x9e3779b9u + b * 0x85ebca6bu + 0x1234567u;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* Near the golden section of n and coprime to it: visits all n places in a scattered order. */
static uint64_t program_stride(uint64_t n) {
    uint64_t s = (uint64_t)(0.618033988749895 * (double)n);
    for (s = s ? s : 1;; s++) {
        uint64_t a = n, b = s;
        while (b) {
            uint64_t r = a % b;
            a = b, b = r;
        }
        if (a == 1) return s;
    }
}

/* One number in each n-th part of [lo, hi), never in its middle: no two are close, and none is
 * close to the middle of the domain, where kinks are. */
static double program_number(int slot, const program_in *in, int64_t i, int64_t n) {
    uint32_t h = program_hash((uint32_t)slot + 1, (uint32_t)i);
    if (!ref_is_float(weft_dtype_of(in->input)))
        return in->lo + floor((in->hi - in->lo) * (h * 0x1p-32));
    uint64_t place =
        ((uint64_t)i * program_stride((uint64_t)n) + (uint64_t)(slot * 7)) % (uint64_t)n;
    double v = in->lo + (in->hi - in->lo) * ((double)place + 0.1 + 0.3 * (h * 0x1p-32)) / (double)n;
    return in->negated ? -v : v;
}

/* Writes what the input holds; false when out of memory. */
static bool program_feed(program *p, int slot) {
    const program_in *in = &p->in[slot];
    int64_t n = weft_count(in->input);
    weft_dtype t = weft_dtype_of(in->input);
    void *to = weft_feed(p->plan, in->input);
    if (!to) return n == 0 || weft_error_code(p->ctx) == WEFT_ARGUMENT; /* nobody reads it */
    for (int64_t i = 0; i < n; i++) ref_write(t, to, i, program_number(slot, in, i, n));
    return true;
}

/* ---- recording ---- */

static void program_begin(program *p, weft_ctx *c, program_layout layout) {
    memset(p, 0, sizeof *p);
    p->ctx = c;
    p->layout = layout;
    p->g = weft_graph_new(c);
}

static void program_end(program *p) {
    weft_plan_free(p->plan);
    weft_graph_free(p->g);
    memset(p, 0, sizeof *p);
}

static weft_shape program_reversed(weft_shape s) {
    weft_shape r = {s.rank, {0}};
    for (int i = 0; i < s.rank; i++) r.n[i] = s.n[s.rank - 1 - i];
    return r;
}

static weft_tensor program_input(program *p, int slot, weft_dtype t, double lo, double hi,
                                 weft_shape s) {
    p->in[slot].input = weft_input(p->g, t, s);
    p->in[slot].lo = lo, p->in[slot].hi = hi;
    return p->in[slot].input;
}

/* A tensor of that shape. The second 8 slots hold what layouts need besides. */
static weft_tensor program_given(program *p, int slot, weft_dtype t, double lo, double hi,
                                 weft_shape s) {
    program_in *in = &p->in[slot];
    if (in->seen.id) return in->seen;
    weft_shape wide = s, axes = {s.rank, {0}};
    const int last = s.rank - 1;
    for (int i = 0; i < s.rank; i++) axes.n[i] = last - i;
    weft_tensor x = {0};
    switch (s.rank || p->layout >= LAYOUT_negated ? p->layout : LAYOUT_plain) {
    case LAYOUT_permuted:
        x = weft_permute(program_input(p, slot, t, lo, hi, program_reversed(s)), axes);
        break;
    case LAYOUT_strided: /* every other element, from the end; the first row left out */
        wide.n[last] = 2 * s.n[last] + 1;
        if (last > 0) wide.n[0]++;
        x = program_input(p, slot, t, lo, hi, wide);
        x = weft_slice(x, last, 2 * s.n[last], s.n[last] ? 1 : 0, -2);
        if (last > 0) x = weft_slice(x, 0, 1, WEFT_END, 1);
        break;
    case LAYOUT_padded:
        wide.n[last] = s.n[last] > 2 ? s.n[last] - 2 : 0;
        x = program_input(p, slot, t, lo, hi, wide);
        x = weft_pad(x, last, s.n[last] > 0, s.n[last] > 2 ? 1 : s.n[last] - (s.n[last] > 0),
                     (float)floor(lo + 0.7 * (hi - lo)));
        break;
    case LAYOUT_expanded:
        wide.n[0] = 1;
        x = weft_expand(program_input(p, slot, t, lo, hi, wide), s);
        break;
    case LAYOUT_reshaped: /* no strides describe it when two extents are more than 1 */
        x = weft_reshape(weft_permute(program_input(p, slot, t, lo, hi, s), axes), s);
        break;
    case LAYOUT_negated:
        x = program_input(p, slot, t, lo, hi, s);
        if (t != WEFT_F32) break;
        in->negated = true;
        x = weft_neg(x);
        break;
    case LAYOUT_bf16:
    case LAYOUT_f16:
        if (t == WEFT_F32) t = p->layout == LAYOUT_f16 ? WEFT_F16 : WEFT_BF16;
        x = program_input(p, slot, t, lo, hi, s);
        break;
    case LAYOUT_started: {
        if (!s.rank) {
            x = program_input(p, slot, t, lo, hi, s);
            break;
        }
        wide.n[0] += 3;
        weft_tensor start = program_input(p, 8 + slot, WEFT_I32, 1, 3, WEFT_0D);
        x = weft_slice_at(program_input(p, slot, t, lo, hi, wide), 0, start, s.n[0]);
        break;
    }
    default: x = program_input(p, slot, t, lo, hi, s); break;
    }
    return in->seen = x;
}

static void program_out(program *p, weft_tensor t) {
    if (p->outs < PROGRAM_OUTS) p->out[p->outs++] = t;
}

/* ---- running ---- */

static bool program_compile(program *p, bool unfused) {
    p->plan = weft_compile(
        p->g, &(weft_plan_desc){.fetch = {p->out, (size_t)p->outs}, .unfused = unfused});
    if (!p->plan) return CHECK_STR(weft_error(p->ctx), "a plan");
    for (int k = 0; k < PROGRAM_SLOTS; k++)
        if (p->in[k].input.id && !CHECK(program_feed(p, k))) return false;
    return true;
}

static bool program_run(program *p, bool unfused) {
    return program_compile(p, unfused) && CHECK_EQ(weft_run(p->plan), WEFT_OK);
}

/* ---- comparing ---- */

typedef struct program_bound {
    double ulps;  /* distances between floats at the wanted number       */
    double level; /* of numbers whose rounding may be in it, at least    */
    bool largest; /* and at least the largest number of the same output  */
} program_bound;

static double program_allowed(int dtype, double want, program_bound bound) {
    if (!ref_is_float(dtype)) return 0;
    double size = fmax(fabs(want), bound.level), digits = 23;
    if (!isfinite(size)) return 0;
    if (dtype == WEFT_BF16) digits = 7;
    if (dtype == WEFT_F16) digits = 10;
    double unit = size > 0 ? ldexp(1, ilogb(size) - (int)digits) : 0;
    /* numbers too small for full precision may become zero */
    return fmax(bound.ulps, dtype == WEFT_F32 ? 0 : 1) * unit + FLT_MIN;
}

/* What an f32 holds of a number computed in double. */
static double program_stored(int dtype, double v) {
    return dtype == WEFT_F32 && fabs(v) > FLT_MAX ? (double)(float)v : v;
}

static bool program_near(double got, double want, double allowed) {
    if (isnan(want)) return isnan(got);
    if (isinf(want) || isinf(got))
        return got == want || (fabs(want) > 0.999 * FLT_MAX && got * want > 0);
    return fabs(got - want) <= allowed;
}

/* Output k of `got` against the one of `ref`, a run of the reference backend. */
static bool program_same_out(program *got, program *ref, int k, program_bound bound) {
    weft_tensor a = got->out[k], b = ref->out[k];
    int64_t n = weft_count(a), wrong = 0, worst = 0;
    double most = -1, worst_got = 0, worst_want = 0;
    int t = weft_dtype_of(a);
    if (!CHECK_EQ(t, weft_dtype_of(b)) || !CHECK_EQ(n, weft_count(b))) return false;
    for (int64_t i = 0; bound.largest && i < n; i++)
        bound.level = fmax(bound.level, fabs(ref_value(ref->plan, b, i)));
    size_t bytes = (size_t)n * weft_dtype_size((weft_dtype)t);
    void *memory = malloc(bytes + 1);
    if (!CHECK(memory)) return false;
    bool read = CHECK_EQ(weft_get(got->plan, a, memory, bytes), WEFT_OK);
    for (int64_t i = 0; read && i < n; i++) {
        double g = ref_read(t, memory, i), w = program_stored(t, ref_value(ref->plan, b, i));
        if (program_near(g, w, program_allowed(t, w, bound))) continue;
        double off = fabs(g - w);
        if (isnan(off)) off = INFINITY;
        wrong++;
        if (off > most) most = off, worst = i, worst_got = g, worst_want = w;
    }
    free(memory);
    if (!read || !wrong) return read;
    char text[200];
    snprintf(text, sizeof text,
             "%lld of %lld wrong, most [%lld]: got %.9g, want %.9g, allowed %.3g", (long long)wrong,
             (long long)n, (long long)worst, worst_got, worst_want,
             program_allowed(t, worst_want, bound));
    return CHECK_STR(text, "all within the bound");
}

static bool program_same(program *got, program *ref, program_bound bound) {
    bool same = CHECK_EQ(got->outs, ref->outs);
    for (int k = 0; same && k < ref->outs; k++) same &= program_same_out(got, ref, k, bound);
    return same;
}

#endif
