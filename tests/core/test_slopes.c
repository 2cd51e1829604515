/* test_slopes.c - values and gradients where formulas meet their edges: 0, -0, ties, infinities, very
 * large and very small numbers. The functions are in edges.def.
 *
 * A gradient at an edge is compared with the gradients beside it, from below and from above, computed
 * by the reference in double at points where nothing is special; those are what test_grad.c compares
 * with differences. An infinity is beside numbers of 1e100. Where both sides agree, the gradient is
 * theirs; where they differ, the table says which one it is. The reference itself and the CPU are
 * held to it. */
#include "backend/ref.h"
#include "test.h"
#include "weft/nn.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum edge_kink {
    EDGE_SMOOTH,
    EDGE_BELOW,
    EDGE_ABOVE,
    EDGE_LARGER,
    EDGE_SMALLER,
    EDGE_MIDDLE,
    EDGE_FLAT
} edge_kink;

typedef struct edge_row {
    const char *text;
    int line;
    edge_kink kink[2];
    float reach;
} edge_row;

static const edge_row edge_rows[] = {
#define EDGE(a, b, reach, expression) {#expression, __LINE__, {EDGE_##a, EDGE_##b}, reach},
#include "edges.def"
};
enum { EDGE_ROWS = sizeof edge_rows / sizeof *edge_rows };

static const float edge_points[] = {0.0f,  -0.0f, 1.0f,   -1.0f,    0.5f,     -0.5f, 2.0f,
                                    -2.0f, 1e-6f, -1e-6f, 1e-30f,   -1e-30f,  3e4f,  -3e4f,
                                    1e15f, 1e30f, -1e30f, INFINITY, -INFINITY};
enum { EDGE_POINTS = sizeof edge_points / sizeof *edge_points, EDGE_N = EDGE_POINTS * EDGE_POINTS };

/* ---- recording ---- */

typedef struct edge_world {
    weft_ctx *ctx;
    weft_graph *g;
    weft_plan *plan;
    weft_tensor x[2], y, d[2];
} edge_world;

static weft_tensor edge_second(weft_tensor x) {
    return weft_squeeze(weft_slice(x, 1, 1, 2, 1), 1);
}

static weft_tensor edge_not_0(weft_tensor x) {
    return weft_where(weft_eq(x, weft_scalar(x.g, 0)), weft_scalar(x.g, 1), x);
}

/* One query of 1 for each element; the first key alone is seen if `masked`. */
static weft_tensor edge_attend(weft_tensor keys, weft_tensor values, bool masked) {
    const weft_shape column = weft_dims(EDGE_N, 2, 1);
    weft_attention_desc d = {.scale = 1};
    if (masked) d.mask = weft_const(keys.g, WEFT_BOOL, weft_dims(1, 2), (const uint8_t[]){1, 0});
    const weft_tensor y =
        weft_attention(weft_full(keys.g, weft_dims(EDGE_N, 1, 1), 1), weft_reshape(keys, column),
                       weft_reshape(values, column), &d);
    return weft_reshape(y, weft_dims(EDGE_N));
}

/* clang-format off */
static weft_tensor edge_record(edge_world *w, int line) {
    static int32_t one[EDGE_N];
    for (int i = 0; i < EDGE_N; i++) one[i] = 1;
#define G      (w->g)
#define N      EDGE_N
#define A      (w->x[0])
#define B      (w->x[1])
#define PAIR   weft_stack(weft_list(A, B), 1)
#define ONES   weft_const(G, WEFT_I32, weft_dims(N), one)
#define NONE   ((weft_tensor){0})
#define RAMP   weft_cast(weft_iota(G, weft_dims(N, 2), 1), WEFT_F32)
#define NOT0   edge_not_0
#define SECOND edge_second
#define ATTEND edge_attend
    switch (line) {
#define EDGE(a, b, reach, expression) case __LINE__: return expression;
#include "edges.def"
    default: return NONE;
    }
#undef G
#undef N
#undef A
#undef B
#undef PAIR
#undef ONES
#undef NONE
#undef RAMP
#undef NOT0
#undef SECOND
#undef ATTEND
}
/* clang-format on */

static bool edge_begin(edge_world *w, weft_ctx *c, int line) {
    memset(w, 0, sizeof *w);
    w->ctx = c;
    w->g = weft_graph_new(c);
    for (int k = 0; k < 2; k++) w->x[k] = weft_input(w->g, WEFT_F32, weft_dims(EDGE_N));
    w->y = edge_record(w, line);
    if (!CHECK(weft_ok(w->y)) || !CHECK_EQ(weft_count(w->y), EDGE_N) ||
        !CHECK_EQ(weft_grad(w->y, w->x, 2, w->d), WEFT_OK))
        return CHECK_STR(weft_error(c), "");
    /* what is not needed is an input of the plan all the same */
    w->plan = weft_compile(
        w->g, &(weft_plan_desc){.fetch = weft_list(w->y, w->d[0], w->d[1], w->x[0], w->x[1])});
    return w->plan ? true : CHECK_STR(weft_error(c), "a plan");
}

static void edge_end(edge_world *w) {
    weft_plan_free(w->plan);
    weft_graph_free(w->g);
}

/* ---- what the reference says beside a point ---- */

typedef struct edge_values {
    double y[EDGE_N], d[2][EDGE_N];
} edge_values;

static double edge_at(int k, int i) {
    return edge_points[k ? i % EDGE_POINTS : i / EDGE_POINTS];
}

/* y and its gradients with input `moved` moved by `by`, as a share of its size; 0 as if it were
 * 1e-32. Infinities are 1e100 then, and what they are if `moved` is -1. */
static bool edge_run(edge_world *w, int moved, double by, edge_values *to) {
    static double v[EDGE_N];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < EDGE_N; i++) {
            v[i] = edge_at(k, i);
            if (moved >= 0 && isinf(v[i])) v[i] = copysign(1e100, v[i]);
            if (k == moved && by != 0) v[i] += fmax(fabs(v[i]), 1e-32) * by;
        }
        if (!CHECK_EQ(ref_set_double(w->plan, w->x[k], v, EDGE_N), WEFT_OK)) return false;
    }
    if (!CHECK_EQ(weft_run(w->plan), WEFT_OK)) return false;
    for (int i = 0; i < EDGE_N; i++) {
        to->y[i] = ref_value(w->plan, w->y, i);
        for (int k = 0; k < 2; k++) to->d[k][i] = ref_value(w->plan, w->d[k], i);
    }
    return true;
}

/* The limit of what was found near a point and nearer: an infinity if it grows without bound. */
static double edge_limit(double near, double nearer) {
    const bool grows = fabs(nearer) > 100 * fabs(near) && fabs(nearer) > 1e5;
    return grows ? copysign(INFINITY, nearer) : nearer;
}

/* Whether the value there is not what it is beside, however near. */
static bool edge_jumps(double y, double near, double nearer) {
    if (isinf(y)) return isinf(nearer) && y != nearer;
    if (!isfinite(nearer)) return true;
    return fabs(nearer - y) > 0.5 * fabs(near - y) && fabs(nearer - y) > 1e-9 * (fabs(y) + 1e-9);
}

static bool edge_same(double a, double b) {
    if (isinf(a) || isinf(b))
        return a == b || (fabs(a) > FLT_MAX && fabs(b) > FLT_MAX && a * b > 0);
    return fabs(a - b) <= 1e-4 * fmax(fabs(a), fabs(b)) + 1e-6;
}

static double edge_chosen(edge_kink kink, double below, double above) {
    const bool first = fabs(below) < fabs(above);
    switch (kink) {
    case EDGE_BELOW: return below;
    case EDGE_ABOVE: return above;
    case EDGE_LARGER: return first ? above : below;
    case EDGE_SMALLER: return first ? below : above;
    case EDGE_MIDDLE: return (below + above) / 2;
    default: return NAN; /* a kink where there should be none */
    }
}

typedef struct edge_sides {
    edge_values at, there;          /* with infinities, and with 1e100 instead */
    edge_values near[2], nearer[2]; /* from below, from above */
} edge_sides;

/* Whether A alone decides, and is infinite, but the value is one: the limit must be there then. */
static bool edge_has_limit(const edge_row *r, const edge_sides *s, int i) {
    return isinf(edge_at(0, i)) && r->reach == FLT_MAX && !strchr(r->text, 'B') &&
           !strstr(r->text, "PAIR") && !isnan(s->there.y[i]);
}

/* The gradient along input k at point i; false: nothing can be said there. */
static bool edge_want(const edge_row *r, const edge_sides *s, int k, int i, double *want) {
    double side[2];
    bool given[2];
    const double a = edge_at(0, i), b = edge_at(1, i);
    *want = 0;
    /* nor where no step from a tie of large numbers is small beside 1 */
    if (isnan(s->at.y[i]) && !edge_has_limit(r, s, i)) return false;
    if (a == b && isfinite(a) && fabs(a) > 1e6) return false;
    if (r->kink[k] == EDGE_FLAT) return true;
    for (int m = 0; m < 2; m++) {
        side[m] = edge_limit(s->near[m].d[k][i], s->nearer[m].d[k][i]);
        given[m] = !isnan(s->nearer[m].y[i]) && !isnan(side[m]);
        if (given[m] && edge_jumps(s->there.y[i], s->near[m].y[i], s->nearer[m].y[i])) return false;
    }
    if (!given[0] && !given[1]) return false;
    if (given[0] && given[1] && isinf(side[0]) && side[0] == -side[1]) return false; /* a pole */
    if (given[0] != given[1]) *want = side[given[1]];
    else if (edge_same(side[0], side[1])) *want = side[1];
    else *want = edge_chosen(r->kink[k], side[0], side[1]);
    return true;
}

/* ---- holding a device to it ---- */

static bool edge_within(float v, float reach) {
    return v == 0 || isinf(v) || (fabsf(v) <= reach && fabsf(v) >= 1 / reach);
}

static void edge_hold(const edge_row *r, const edge_sides *s, int k, const edge_values *got,
                      const char *device) {
    int wrong = 0, first = 0;
    double want = 0, first_want = 0;
    for (int i = 0; i < EDGE_N; i++) {
        if (!edge_within((float)edge_at(0, i), r->reach) ||
            !edge_within((float)edge_at(1, i), r->reach) || !edge_want(r, s, k, i, &want) ||
            edge_same(got->d[k][i], want))
            continue;
        /* an infinite slope at -0 may have that sign */
        if (isinf(want) && got->d[k][i] == -want && signbit(edge_at(k, i)) && !edge_at(k, i))
            continue;
        if (!wrong++) first = i, first_want = want;
    }
    if (!wrong) return;
    char text[200];
    snprintf(text, sizeof text, "%s, %d wrong, first at (%g, %g): slope along %c %.9g, want %.9g",
             device, wrong, edge_at(0, first), edge_at(1, first), k ? 'B' : 'A', got->d[k][first],
             first_want);
    CHECK_STR(text, "as beside it");
}

static void edge_hold_limits(const edge_row *r, const edge_sides *s) {
    for (int i = 0; i < EDGE_N; i++) {
        const double y = s->at.y[i], want = s->there.y[i];
        const bool grows = fabs(want) > 200; /* a logarithm does so slowly */
        if (!edge_has_limit(r, s, i) || edge_same(y, grows ? INFINITY * want : want)) continue;
        char text[200];
        snprintf(text, sizeof text, "at %g: %.9g, beside it %.9g", edge_at(0, i), y, want);
        CHECK_STR(text, "the limit");
        return;
    }
}

static void edge_hold_values(const edge_row *r, const edge_values *ref, const edge_values *cpu) {
    for (int i = 0; i < EDGE_N; i++) {
        if (!edge_within((float)edge_at(0, i), r->reach) ||
            !edge_within((float)edge_at(1, i), r->reach) || edge_same(cpu->y[i], ref->y[i]) ||
            (isnan(cpu->y[i]) && isnan(ref->y[i])))
            continue;
        char text[200];
        snprintf(text, sizeof text, "at (%g, %g): %.9g, want %.9g", edge_at(0, i), edge_at(1, i),
                 cpu->y[i], ref->y[i]);
        CHECK_STR(text, "as the reference has it");
        return;
    }
}

static bool edge_cpu(edge_world *w, edge_values *to) {
    static float v[EDGE_N];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < EDGE_N; i++) v[i] = (float)edge_at(k, i);
        if (!CHECK_EQ(weft_set(w->plan, w->x[k], v, sizeof v), WEFT_OK)) return false;
    }
    if (!CHECK_EQ(weft_run(w->plan), WEFT_OK)) return false;
    const weft_tensor out[3] = {w->y, w->d[0], w->d[1]};
    for (int o = 0; o < 3; o++) {
        if (!CHECK_EQ(weft_get(w->plan, out[o], v, sizeof v), WEFT_OK)) return false;
        for (int i = 0; i < EDGE_N; i++) *(o ? &to->d[o - 1][i] : &to->y[i]) = v[i];
    }
    return true;
}

TEST(values_and_slopes_at_edges) {
    weft_ctx *ref = weft_open("ref"),
             *cpu = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 1});
    edge_sides *s = malloc(2 * sizeof *s);
    edge_values *got = (edge_values *)(s + 1);
    for (int r = 0; CHECK(ref && cpu && s) && r < EDGE_ROWS; r++) {
        const edge_row *row = &edge_rows[r];
        edge_world w, fast;
        CASE("%s", row->text);
        bool good = edge_begin(&w, ref, row->line) && edge_run(&w, -1, 0, &s->at) &&
                    edge_run(&w, 0, 0, &s->there);
        good = edge_begin(&fast, cpu, row->line) && good && edge_cpu(&fast, got);
        if (good) edge_hold_limits(row, s);
        if (good) edge_hold_values(row, &s->at, got);
        for (int k = 0; good && k < 2; k++) {
            for (int m = 0; good && m < 2; m++)
                good = edge_run(&w, k, m ? 1e-9 : -1e-9, &s->near[m]) &&
                       edge_run(&w, k, m ? 1e-14 : -1e-14, &s->nearer[m]);
            if (good) edge_hold(row, s, k, &s->at, "ref");
            if (good) edge_hold(row, s, k, got, "cpu");
        }
        edge_end(&fast);
        edge_end(&w);
    }
    free(s);
    weft_close(cpu);
    weft_close(ref);
}
