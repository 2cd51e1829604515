/* test_large.c - kernels that touch more than the last cache: results that nobody reads go past it,
 * others do not. Small integers, so that every result is exact.
 *
 * The stores themselves, for each vector width, are test_tile_memory's. */
#include "test.h"
#include "weft/weft.h"

#include <stdlib.h>

enum { ROWS = 4096, WIDTH = 1024, ALL = ROWS * WIDTH }; /* 16 MB; three of them are 48 */

static float large_x(int i) {
    return (float)(i % 97 - 48);
}

static float large_y(int i) {
    return (float)(i % 61);
}

/* Compares got[ALL] with want(i). */
static void large_check(const float *got, float (*want)(int i)) {
    int wrong = 0, first = 0;
    for (int i = ALL - 1; i >= 0; i--)
        if (got[i] != want(i)) wrong++, first = i;
    if (!CHECK_EQ(wrong, 0)) CHECK_EQ(got[first], want(first));
}

static float want_map(int i) {
    return large_x(i) * large_y(i) + (large_x(i) > 0 ? large_x(i) : 0);
}

static float want_less(int i) {
    return large_x(i) - large_y(i);
}

static float want_moved(int i) {
    return large_x(i) - large_x(i / WIDTH * WIDTH);
}

static float want_state(int i) { /* after two runs, from 2 */
    return 4 * 2 + 3 * large_x(i);
}

TEST(results_larger_than_the_caches) {
    const size_t bytes = (size_t)ALL * sizeof(float);
    float *const got = malloc(bytes);
    for (int threads = 1; threads <= 2 && got; threads++) {
        CASE("%d threads", threads);
        weft_ctx *c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = threads});
        weft_graph *g = weft_graph_new(c);
        weft_state *s = weft_state_new(c);
        const weft_shape shape = weft_dims(ROWS, WIDTH);
        weft_tensor x = weft_input(g, WEFT_F32, shape), y = weft_input(g, WEFT_F32, shape);
        weft_tensor state =
            weft_buffer(g, s, "state", WEFT_F32, shape, (weft_init){WEFT_INIT_VALUE, 2, 0});
        const weft_tensor map = weft_add(weft_mul(x, y), weft_relu(x)), less = weft_sub(x, y);
        const weft_tensor moved = weft_sub(x, weft_slice(x, 1, 0, 1, 1));
        const weft_updates u = weft_assign(state, weft_add(weft_scale(state, 2), x));
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(map, less, moved),
                                                         .update = u,
                                                         .threads = threads});
        if (!CHECK(p)) CHECK_STR(weft_error(c), "");
        float *fx = p ? weft_feed(p, x) : NULL, *fy = p ? weft_feed(p, y) : NULL;
        for (int i = 0; i < ALL && fx && fy; i++) fx[i] = large_x(i), fy[i] = large_y(i);
        for (int i = 0; i < 2 && p; i++) CHECK_EQ(weft_run(p), WEFT_OK);
        const struct {
            weft_tensor y;
            float (*want)(int i);
        } results[] = {{map, want_map}, {less, want_less}, {moved, want_moved}};
        for (int i = 0; i < 3 && p; i++)
            if (CHECK_EQ(weft_get(p, results[i].y, got, bytes), WEFT_OK))
                large_check(got, results[i].want);
        if (CHECK_EQ(weft_state_get(s, "state", got, bytes), WEFT_OK)) large_check(got, want_state);
        weft_plan_free(p);
        weft_graph_free(g);
        weft_state_free(s);
        weft_close(c);
    }
    free(got);
}
