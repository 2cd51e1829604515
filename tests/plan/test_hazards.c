/* test_hazards.c - updates in place against everything that reads the old value.
 *
 * A state p becomes f(p) while g(p) is fetched, for every pair of some twenty-five functions, so that
 * reader and writer meet in one kernel, in two, through views, folds and routines. Expected is what
 * two plans that change nothing compute from the same p. */
#include "test.h"
#include "weft/weft.h"

#include <stdlib.h>
#include <string.h>

enum { N = 6, RUNS = 3 };

typedef weft_tensor function(weft_tensor p); /* [N, N] -> [N, N] */

static weft_tensor f_same(weft_tensor p) {
    return p;
}
static weft_tensor f_scale(weft_tensor p) {
    return weft_scale(p, 0.5f);
}
static weft_tensor f_transpose(weft_tensor p) {
    return weft_transpose(p, 0, 1);
}
static weft_tensor f_symmetric(weft_tensor p) {
    return weft_scale(weft_add(p, weft_transpose(p, 0, 1)), 0.5f);
}
static weft_tensor f_flip(weft_tensor p) {
    return weft_flip(p, 1);
}
static weft_tensor f_folded(weft_tensor p) {
    return weft_sub(weft_scale(p, 0.5f), weft_flip(p, 0));
}
static weft_tensor f_softmax(weft_tensor p) {
    return weft_softmax(p, 1);
}
static weft_tensor f_softmax_down(weft_tensor p) {
    return weft_softmax(p, 0);
}
static weft_tensor f_centre(weft_tensor p) {
    return weft_sub(p, weft_mean(p, WEFT_ALL, false));
}
static weft_tensor f_square(weft_tensor p) {
    return weft_scale(weft_matmul(p, p), 0.25f);
}
static weft_tensor f_descend(weft_tensor p) { /* a product with the state in its epilogue */
    weft_tensor x = weft_cast(weft_iota(p.g, weft_dims(N, N), 0), WEFT_F32);
    return weft_sub(p, weft_scale(weft_matmul(x, x), 0.001f));
}
static weft_tensor f_descend_own(weft_tensor p) {
    return weft_sub(p, weft_scale(weft_matmul(weft_transpose(p, 0, 1), p), 0.1f));
}
static weft_tensor f_cumsum(weft_tensor p) {
    return weft_scale(weft_cumsum(p, 1), 0.3f);
}
static weft_tensor f_sort(weft_tensor p) {
    return weft_sort(p, 0, false);
}
static weft_tensor f_roll(weft_tensor p) {
    return weft_concat(weft_list(weft_slice(p, 0, 1, N, 1), weft_slice(p, 0, 0, 1, 1)), 0);
}
static weft_tensor f_shift(weft_tensor p) {
    return weft_pad(weft_slice(p, 1, 0, N - 1, 1), 1, 1, 0, 0.5f);
}
static weft_tensor f_scatter(weft_tensor p) {
    weft_tensor at = weft_iota(p.g, weft_dims(2, N), 0);
    return weft_scatter_add(p, at, weft_full(p.g, weft_dims(2, N), 0.25f), 0);
}
static weft_tensor f_scatter_own(weft_tensor p) { /* adds rows of itself */
    weft_tensor at = weft_iota(p.g, weft_dims(2, N), 0);
    return weft_scatter_add(p, at, weft_scale(weft_slice(p, 0, 3, 5, 1), 0.5f), 0);
}
static weft_tensor f_few_rows(weft_tensor p, weft_tensor src) { /* the second of them three times */
    static const int32_t row[4] = {4, 1, 1, 1};
    weft_tensor at = weft_const(p.g, WEFT_I32, weft_dims(4, 1), row);
    return weft_scatter_add(weft_full(p.g, weft_dims(N, N), 0), weft_expand(at, weft_dims(4, N)),
                            src, 0);
}
static weft_tensor f_rows(weft_tensor p) { /* gradient descent along rows that were read */
    weft_tensor rows = f_few_rows(p, weft_slice(p, 0, 0, 4, 1));
    return weft_sub(p, weft_scale(rows, 0.25f));
}
static weft_tensor f_rows_else(weft_tensor p) { /* along what p does not tell */
    return weft_sub(p, weft_scale(f_few_rows(p, weft_full(p.g, weft_dims(4, N), 0.5f)), 0.25f));
}
static weft_tensor f_tied(weft_tensor p) { /* the gradient of a table that is a head too */
    weft_tensor rows = f_few_rows(p, weft_slice(p, 0, 1, 5, 1));
    return weft_scale(weft_add(weft_matmul(p, p), rows), 0.25f);
}
static weft_tensor f_tied_own(weft_tensor p) { /* rows of the product are added to it */
    weft_tensor m = weft_matmul(p, p), rows = f_few_rows(p, weft_slice(m, 0, 2, 6, 1));
    return weft_scale(weft_add(m, rows), 0.25f);
}
static weft_tensor f_tied_read(weft_tensor p) { /* the product is read again when they were added */
    weft_tensor m = weft_matmul(p, p), rows = f_few_rows(p, weft_slice(p, 0, 0, 4, 1));
    return weft_scale(weft_add(weft_cumsum(weft_add(m, rows), 0), weft_cumsum(m, 1)), 0.1f);
}
static weft_tensor f_sum(weft_tensor p) { /* products that are added to each other */
    weft_tensor t = weft_transpose(p, 0, 1), m = weft_add(weft_matmul(p, p), weft_matmul(t, p));
    return weft_scale(weft_add(m, weft_matmul(p, t)), 0.1f);
}
static weft_tensor f_sum_read(weft_tensor p) { /* and one of the sums is read again */
    weft_tensor t = weft_transpose(p, 0, 1), m = weft_add(weft_matmul(p, p), weft_matmul(t, p));
    return weft_scale(weft_add(weft_cumsum(weft_add(m, weft_matmul(m, t)), 0), m), 0.02f);
}
static weft_tensor f_sum_tied(weft_tensor p) { /* the gradient of a head in two pieces */
    weft_tensor t = weft_transpose(p, 0, 1), m = weft_add(weft_matmul(p, p), weft_matmul(t, p));
    return weft_scale(weft_add(m, f_few_rows(p, weft_slice(p, 0, 1, 5, 1))), 0.2f);
}
static weft_tensor
f_softmax_between(weft_tensor p) { /* rows written over what they were made from */
    weft_tensor s = weft_softmax(weft_matmul(p, p), 1);
    return weft_matmul(s, p);
}
static weft_tensor f_picked(weft_tensor p) { /* and picked from */
    weft_tensor m = weft_matmul(p, p), e = weft_exp(weft_sub(m, weft_max(m, weft_axes(1), true)));
    weft_tensor at = weft_unsqueeze(weft_cast(weft_slice(p, 1, 0, 1, 1), WEFT_I32), -1);
    weft_tensor top = weft_argmax(m, 1, true);
    weft_tensor some = weft_add(weft_take_along(m, weft_reshape(at, weft_dims(N, 1)), 1),
                                weft_take_along(m, top, 1));
    return weft_scale(weft_matmul(weft_sub(weft_mul(e, some), weft_sum(e, weft_axes(1), true)), p),
                      0.05f);
}
static weft_tensor f_centred_twice(weft_tensor p) { /* a row is stored, and read again after */
    weft_tensor m = weft_matmul(p, p), e = weft_exp(m), s = weft_sum(e, weft_axes(1), true);
    return weft_scale(weft_matmul(weft_mul(e, s), weft_sub(m, weft_sum(weft_mul(e, weft_sub(m, s)),
                                                                       weft_axes(1), true))),
                      1e-4f);
}
static weft_tensor f_take(weft_tensor p) {
    weft_tensor at = weft_argsort(p, 1, true);
    return weft_take_along(p, at, 1);
}
static weft_tensor f_window(weft_tensor p) { /* starts where the state's own largest entry is */
    weft_tensor top = weft_argmax(weft_reshape(p, weft_dims(N * N)), 0, false);
    return weft_pad(weft_slice_at(p, 0, top, N - 1), 0, 1, 0, 0);
}

static weft_tensor f_write(weft_tensor p) {
    return weft_slice_write(p, 0, weft_integer(p.g, 2), weft_full(p.g, weft_dims(1, N), 0.25f));
}
static weft_tensor f_write_own(weft_tensor p) { /* columns of itself */
    return weft_slice_write(p, 1, weft_integer(p.g, 1), weft_slice(p, 1, 0, 3, 1));
}
static weft_tensor f_write_blocks(weft_tensor p) { /* each block is read after one is written */
    const weft_tensor base = weft_reshape(p, weft_dims(3, 4, 3));
    const weft_tensor value = weft_reshape(weft_slice(p, 0, 0, 3, 1), weft_dims(3, 2, 3));
    return weft_reshape(weft_slice_write(base, 1, weft_integer(p.g, 1), value), weft_dims(N, N));
}
static weft_tensor f_write_blocks_between(weft_tensor p) {
    return weft_scale(f_write_blocks(weft_stored(weft_scale(p, 0.5f))), 2);
}
static weft_tensor f_write_twice(weft_tensor p) {
    const weft_tensor once =
        weft_slice_write(p, 0, weft_integer(p.g, 4), weft_full(p.g, weft_dims(2, N), -0.5f));
    return weft_slice_write(once, 0, weft_integer(p.g, 0), weft_slice(once, 0, 4, 6, 1));
}
static weft_tensor f_write_where(weft_tensor p) { /* starts where the state's largest entry is */
    weft_tensor top = weft_argmax(weft_reshape(p, weft_dims(N * N)), 0, false);
    return weft_slice_write(p, 0, top, weft_scale(weft_slice(p, 0, 0, 1, 1), 0.5f));
}
static weft_tensor f_write_between(weft_tensor p) { /* into an intermediate with another reader */
    const weft_tensor mid = weft_stored(weft_scale(p, 0.5f));
    const weft_tensor next =
        weft_slice_write(mid, 0, weft_integer(p.g, 1), weft_full(p.g, weft_dims(2, N), 1));
    return weft_sub(weft_transpose(next, 0, 1), weft_cumsum(mid, 0));
}

static function *const table[] = {
    f_same,
    f_scale,
    f_transpose,
    f_symmetric,
    f_flip,
    f_folded,
    f_softmax,
    f_softmax_down,
    f_centre,
    f_square,
    f_descend,
    f_descend_own,
    f_cumsum,
    f_sort,
    f_roll,
    f_shift,
    f_scatter,
    f_scatter_own,
    f_take,
    f_window,
    f_rows,
    f_rows_else,
    f_tied,
    f_tied_own,
    f_tied_read,
    f_sum,
    f_sum_read,
    f_sum_tied,
    f_softmax_between,
    f_picked,
    f_centred_twice,
    f_write,
    f_write_own,
    f_write_blocks,
    f_write_blocks_between,
    f_write_twice,
    f_write_where,
    f_write_between,
};
enum { FUNCTIONS = sizeof table / sizeof *table };

typedef struct rig {
    weft_ctx *c;
    weft_state *s;
    weft_graph *g;
} rig;

static weft_tensor state_of(rig *r, const char *name) {
    return weft_buffer(r->g, r->s, name, WEFT_F32, weft_dims(N, N), (weft_init){0});
}

/* value = f(from), from an input: no state, nothing in place */
static void expected(rig *r, function *f, const float *from, float *value) {
    weft_graph *g = weft_graph_new(r->c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(N, N)), y = f(x);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .threads = 1});
    CHECK(p);
    CHECK_EQ(weft_set(p, x, from, N * N * sizeof *from), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, y, value, N * N * sizeof *value), WEFT_OK);
    weft_plan_free(p);
    weft_graph_free(g);
}

static void meet(rig *r, int fi, int gi, int threads, bool unfused) {
    float old[N * N], got[N * N], want_new[N * N], want_read[N * N];
    r->g = weft_graph_new(r->c);
    r->s = weft_state_new(r->c);
    weft_tensor p = state_of(r, "p"), next = table[fi](p), read = table[gi](p);
    weft_plan *plan = weft_compile(r->g, &(weft_plan_desc){.fetch = weft_list(read, p),
                                                           .update = weft_assign(p, next),
                                                           .threads = threads,
                                                           .unfused = unfused});
    if (!CHECK(plan)) CHECK_STR(weft_error(r->c), "");
    for (int i = 0; i < N * N; i++) old[i] = (float)(i * 7 % 36) / 18 - 1;
    weft_state_set(r->s, "p", old, sizeof old);
    for (int run = 0; plan && run < RUNS; run++) {
        expected(r, table[fi], old, want_new);
        expected(r, table[gi], old, want_read);
        CHECK_EQ(weft_run(plan), WEFT_OK);
        CHECK_EQ(weft_get(plan, p, got, sizeof got), WEFT_OK);
        CHECK_ARRAY(got, want_new, N * N, 1e-5);
        /* asking for p itself is asking for its new value */
        CHECK_EQ(weft_get(plan, read, got, sizeof got), WEFT_OK);
        if (!CHECK_ARRAY(got, read.id == p.id ? want_new : want_read, N * N, 1e-5)) break;
        CHECK_EQ(weft_state_get(r->s, "p", old, sizeof old), WEFT_OK);
        CHECK_ARRAY(old, want_new, N * N, 1e-5);
    }
    weft_plan_free(plan);
    weft_graph_free(r->g);
    weft_state_free(r->s);
}

TEST(a_reader_and_a_writer_of_one_state) {
    for (int f = 0; f < FUNCTIONS; f++)
        for (int g = 0; g < FUNCTIONS; g++) {
            CASE("p := f%d(p), fetch f%d(p)", f, g);
            rig r = {.c = weft_open_with(&(weft_open_desc){.threads = 1})};
            meet(&r, f, g, 1, false);
            weft_close(r.c);
        }
}

TEST(a_reader_and_a_writer_otherwise) {
    static const char *const name[] = {"unfused", "three threads", "reference"};
    for (int way = 0; way < 3; way++)
        for (int f = 0; f < FUNCTIONS; f++)
            for (int g = 0; g < FUNCTIONS; g += way != 1 ? 1 : test_sanitized() ? 9 : 3) {
                CASE("%s, p := f%d(p), fetch f%d(p)", name[way], f, g);
                rig r = {.c = weft_open_with(&(weft_open_desc){
                             .threads = way == 1 ? 3 : 1, .device = way == 2 ? "ref" : "cpu"})};
                meet(&r, f, g, way == 1 ? 3 : 1, way == 0);
                weft_close(r.c);
            }
}

/* ---- two states that depend on each other ---- */

TEST(two_states_that_read_each_other) {
    for (int f = 0; f < FUNCTIONS; f++)
        for (int g = 0; g < FUNCTIONS; g++) {
            CASE("p := f%d(q), q := f%d(p)", f, g);
            rig r = {.c = weft_open_with(&(weft_open_desc){.threads = 1})};
            r.g = weft_graph_new(r.c);
            r.s = weft_state_new(r.c);
            float a[N * N], b[N * N], na[N * N], nb[N * N], got[N * N];
            for (int i = 0; i < N * N; i++) a[i] = (float)(i * 7 % 36) / 18 - 1, b[i] = -a[i] / 2;
            weft_tensor p = state_of(&r, "p"), q = state_of(&r, "q");
            weft_updates u =
                weft_updates_join(r.g, weft_assign(p, table[f](q)), weft_assign(q, table[g](p)));
            weft_plan *plan = weft_compile(r.g, &(weft_plan_desc){.update = u, .threads = 1});
            CHECK(plan);
            weft_state_set(r.s, "p", a, sizeof a);
            weft_state_set(r.s, "q", b, sizeof b);
            for (int run = 0; plan && run < RUNS; run++) {
                expected(&r, table[f], b, na);
                expected(&r, table[g], a, nb);
                CHECK_EQ(weft_run(plan), WEFT_OK);
                weft_state_get(r.s, "p", got, sizeof got);
                bool good = CHECK_ARRAY(got, na, N * N, 1e-5);
                memcpy(a, got, sizeof a);
                weft_state_get(r.s, "q", got, sizeof got);
                good &= CHECK_ARRAY(got, nb, N * N, 1e-5);
                memcpy(b, got, sizeof b);
                if (!good) break;
            }
            weft_plan_free(plan);
            weft_graph_free(r.g);
            weft_state_free(r.s);
            weft_close(r.c);
        }
}
