/* test_many_elements.c - a tensor of more than 2^31 elements: read, folded, cut, padded, gathered from,
 * and written.
 *
 * 2 GiB of bytes, some of them 1. What is read near both ends and around element 2^31 tells whether
 * some index had 32 bits only. */
#include "test.h"
#include "weft/weft.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 9 };

static const int64_t rows = 2, width = ((int64_t)1 << 30) + 24, all = rows * width;
static weft_ctx *c;
static weft_graph *g;

static void begin(void) {
    c = weft_open_with(&(weft_open_desc){.device = "cpu"});
    g = weft_graph_new(c);
}

static void end(void) {
    weft_graph_free(g);
    weft_close(c);
}

/* Where the ones are. */
static const int64_t place[PLACES] = {
    0, 5, width - 1, width, INT32_MAX - 1, INT32_MAX, (int64_t)INT32_MAX + 1, all - 7, all - 1};

static bool is_place(int64_t i) {
    for (int k = 0; k < PLACES; k++)
        if (place[k] == i) return true;
    return false;
}

/* Compiles and runs what is fetched, with the ones at their places. NULL: no memory here. */
static weft_plan *run(weft_tensor x, weft_tensors fetch) {
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = fetch});
    if (!p) {
        CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
        return NULL;
    }
    uint8_t *at = weft_feed(p, x);
    memset(at, 0, (size_t)all);
    for (int k = 0; k < PLACES; k++) at[place[k]] = 1;
    CHECK_EQ(weft_run(p), WEFT_OK);
    return p;
}

TEST(more_than_2_31_elements_are_read) {
    if (!test_long()) return;
    begin();
    weft_tensor x = weft_input(g, WEFT_U8, weft_dims(rows, width));
    const weft_tensor flat = weft_reshape(x, weft_dims(all));
    const weft_tensor sums = weft_sum(x, weft_axes(1), false), sum = weft_sum(x, WEFT_ALL, false);
    const weft_tensor padded = weft_sum(weft_pad(x, 1, 3, 5, 1), WEFT_ALL, false);
    const weft_tensor first = weft_argmax(weft_slice(x, 1, 6, width, 1), 1, false);
    const weft_tensor last = weft_slice(flat, 0, all - 40, all, 1);
    const weft_tensor back = weft_slice(weft_flip(flat, 0), 0, 0, 10, 1);
    static const int32_t columns[2 * 3] = {5, 6, (1 << 30) + 23, 0, 1, (1 << 30) + 17};
    const weft_tensor index = weft_const(g, WEFT_I32, weft_dims(rows, 3), columns);
    const weft_tensor taken = weft_take_along(x, index, 1);
    weft_plan *p = run(x, weft_list(sums, sum, padded, first, last, back, taken));
    if (p) {
        int32_t each[2] = {0};
        for (int k = 0; k < PLACES; k++) each[place[k] / width]++;
        int32_t two[2];
        CHECK_EQ(weft_get(p, sums, two, sizeof two), WEFT_OK);
        CHECK_MEM(two, each, sizeof each);
        CHECK_EQ(weft_item(p, sum), PLACES);
        CHECK_EQ(weft_item(p, padded), PLACES + 2 * 8);
        const int32_t want[2] = {(int32_t)(width - 1 - 6), (int32_t)(INT32_MAX - 1 - width - 6)};
        CHECK_EQ(weft_get(p, first, two, sizeof two), WEFT_OK);
        CHECK_MEM(two, want, sizeof want);
        uint8_t end_of[40], turned[10], got[6];
        CHECK_EQ(weft_get(p, last, end_of, sizeof end_of), WEFT_OK);
        CHECK_EQ(weft_get(p, back, turned, sizeof turned), WEFT_OK);
        CHECK_EQ(weft_get(p, taken, got, sizeof got), WEFT_OK);
        for (int i = 0; i < 40; i++) CHECK_EQ(end_of[i], is_place(all - 40 + i));
        for (int i = 0; i < 10; i++) CHECK_EQ(turned[i], is_place(all - 1 - i));
        for (int i = 0; i < 6; i++) CHECK_EQ(got[i], is_place(i / 3 * width + columns[i]));
    }
    weft_plan_free(p);
    end();
}

TEST(more_than_2_31_elements_are_written) {
    if (!test_long()) return;
    for (int threads = 1; threads <= 2; threads++) {
        CASE("%d threads", threads);
        begin();
        weft_tensor x = weft_input(g, WEFT_U8, weft_dims(rows, width));
        const weft_tensor y = weft_concat(
            weft_list(weft_slice(x, 0, 1, 2, 1),
                      weft_cast(weft_eq(weft_slice(x, 0, 0, 1, 1), weft_integer(g, 0)), WEFT_U8)),
            0);
        weft_plan *p = run(x, weft_list(y));
        uint8_t *got = p ? malloc((size_t)all) : NULL;
        if (got && CHECK_EQ(weft_get(p, y, got, (size_t)all), WEFT_OK)) {
            int64_t wrong = 0;
            for (int64_t i = 0; i < width; i++) wrong += got[i] != 0, wrong += got[width + i] != 1;
            CHECK_EQ(wrong, PLACES);
            for (int k = 0; k < PLACES; k++)
                CHECK_EQ(got[(place[k] + width) % all], place[k] >= width);
        }
        free(got);
        weft_plan_free(p);
        end();
    }
}

/* Where positions are values of i32, the message says what to do. */
TEST(positions_beyond_i32_are_refused) {
    begin();
    const weft_shape far = weft_dims((int64_t)INT32_MAX + 1);
    const weft_tensor x = weft_input(g, WEFT_F32, far);
    CHECK(weft_ok(x));
    weft_graph *const graph = g;
    for (int k = 0; k < 5; k++) {
        g = weft_graph_new(c);
        const weft_tensor y = weft_input(g, WEFT_F32, far);
        const weft_tensor small = weft_input(g, WEFT_F32, weft_dims(3));
        const weft_tensor none = k == 0   ? weft_iota(g, far, 0)
                                 : k == 1 ? weft_argmax(y, 0, false)
                                 : k == 2 ? weft_argsort(y, 0, false)
                                 : k == 3 ? weft_uniform(g, far)
                                          : weft_scatter_add(small, weft_cast(y, WEFT_I32), y, 0);
        CASE("%d", k);
        CHECK(!weft_ok(none));
        CHECK(strstr(weft_error(c), "i32 counts no more than 2147483647: split the axis"));
        weft_graph_free(g);
    }
    g = graph;
    end();
}
