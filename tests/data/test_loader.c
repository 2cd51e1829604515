/* test_loader.c - batches: orders, purity, the thread, feeding plans, and what is refused. What becomes
 * of pictures is in test_loader_pictures.c. */
#include "loader_world.h"

#include <math.h>

enum { MOST_ROWS = 20000 };

/* Rows that are their own number. */
static weft_data *numbered(int64_t rows) {
    static int32_t number[MOST_ROWS];
    for (int i = 0; i < MOST_ROWS; i++) number[i] = i;
    return weft_data_memory(ctx(), &(weft_field){.name = "x", .dtype = WEFT_I32, .rows = number}, 1,
                            rows, false);
}

/* ---- orders ---- */

TEST(every_epoch_is_a_permutation) {
    static const int64_t sizes[] = {1, 2, 3, 7, 16, 17, 255, 256, 257, 1000, 4096, 16411};
    static char seen[MOST_ROWS];
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        CASE("%lld rows", (long long)sizes[k]);
        weft_data *d = numbered(sizes[k]);
        weft_loader *l = loader(&(weft_loader_desc){.data = d, .batch = 5, .keep_last = true});
        if (!l) continue;
        const int64_t steps = weft_loader_steps(l);
        CHECK_EQ(steps, (sizes[k] + 4) / 5);
        for (int epoch = 0; epoch < 3; epoch++) {
            memset(seen, 0, sizeof seen);
            int64_t rows = 0;
            for (int64_t s = epoch * steps; s < (epoch + 1) * steps; s++) {
                const int32_t *b = batch_of(l, s);
                for (int64_t i = 0; i < weft_loader_rows(l, s); i++, rows++) {
                    CHECK_EQ(weft_loader_row(l, s, i), b[i]);
                    CHECK_EQ(seen[b[i]]++, 0);
                }
            }
            CHECK_EQ(rows, sizes[k]);
        }
        weft_loader_free(l);
        weft_data_free(d);
    }
}

TEST(orders_differ_by_epoch_and_seed_and_repeat) {
    weft_data *d = numbered(1000);
    int32_t first[3][1000];
    for (int k = 0; k < 3; k++) { /* seed 1, seed 1 again, seed 2 */
        weft_loader *l = loader(&(weft_loader_desc){.data = d, .batch = 1000, .seed = 1 + k / 2});
        memcpy(first[k], batch_of(l, 0), sizeof first[k]);
        int same = 0;
        const int32_t *next = batch_of(l, 1);
        for (int i = 0; i < 1000; i++) same += next[i] == first[k][i];
        CHECK(same < 8); /* Poisson with mean 1: above 7 once in 10^5 */
        weft_loader_free(l);
    }
    CHECK_MEM(first[0], first[1], sizeof first[0]);
    int same = 0, fixed = 0;
    for (int i = 0; i < 1000; i++) same += first[0][i] == first[2][i], fixed += first[0][i] == i;
    CHECK(same < 8);
    CHECK(fixed < 8);
    weft_data_free(d);
}

/* All 24 orders of four rows, and every place of fifty, equally often: chi squared. */
TEST(orders_are_equally_likely) {
    enum { EPOCHS = 24000, ROWS = 50 };
    CASE("orders of four");
    weft_data *d = numbered(4);
    weft_loader *l = loader(&(weft_loader_desc){.data = d, .batch = 4, .seed = 3, .prefetch = -1});
    int count[256] = {0}, orders = 0;
    for (int e = 0; e < EPOCHS; e++) {
        const int32_t *b = batch_of(l, e);
        count[b[0] | b[1] << 2 | b[2] << 4 | b[3] << 6]++;
    }
    double chi = 0;
    for (int i = 0; i < 256; i++)
        if (count[i]) orders++, chi += (count[i] - EPOCHS / 24.) * (count[i] - EPOCHS / 24.);
    CHECK_EQ(orders, 24);
    CHECK(chi / (EPOCHS / 24.) < 23 + 4 * sqrt(46)); /* 23 degrees of freedom */
    weft_loader_free(l);
    weft_data_free(d);
    CASE("places of fifty");
    d = numbered(ROWS);
    l = loader(&(weft_loader_desc){.data = d, .batch = ROWS, .seed = 4, .prefetch = -1});
    static int place[ROWS][ROWS];
    enum { FEWER = 10000 };
    for (int e = 0; e < FEWER; e++) {
        const int32_t *b = batch_of(l, e);
        for (int i = 0; i < ROWS; i++) place[i][b[i]]++;
    }
    chi = 0;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < ROWS; k++) chi += pow(place[i][k] - FEWER / (double)ROWS, 2);
    const double degrees = (ROWS - 1) * (ROWS - 1);
    CHECK_NEAR(chi / (FEWER / (double)ROWS), degrees, 4 * sqrt(2 * degrees));
    weft_loader_free(l);
    weft_data_free(d);
}

TEST(in_order_and_short_last_batches) {
    weft_data *d = numbered(7);
    weft_loader *l =
        loader(&(weft_loader_desc){.data = d, .batch = 3, .in_order = true, .keep_last = true});
    CHECK_EQ(weft_loader_steps(l), 3);
    static const int32_t want[3][3] = {{0, 1, 2}, {3, 4, 5}, {6, 0, 1}};
    for (int s = 0; s < 6; s++) {
        CHECK_MEM(batch_of(l, s), want[s % 3], sizeof want[0]);
        CHECK_EQ(weft_loader_rows(l, s), s % 3 == 2 ? 1 : 3);
    }
    weft_loader_free(l);
    l = loader(&(weft_loader_desc){.data = d, .batch = 3, .in_order = true});
    CHECK_EQ(weft_loader_steps(l), 2);
    CHECK_EQ(weft_loader_rows(l, 1), 3);
    CHECK_MEM(batch_of(l, 2), want[0], sizeof want[0]); /* the next epoch */
    weft_loader_free(l);
    l = loader(&(weft_loader_desc){.data = d, .batch = 20, .in_order = true, .keep_last = true});
    const int32_t *b = batch_of(l, 0); /* more than twice around */
    for (int i = 0; i < 20; i++) CHECK_EQ(b[i], i % 7);
    CHECK_EQ(weft_loader_rows(l, 0), 7);
    CHECK_EQ(weft_loader_rows(l, -1), 0);
    CHECK_EQ(weft_loader_row(l, 0, 20), -1);
    weft_loader_free(l);
    weft_data_free(d);
}

/* ---- the thread changes nothing ---- */

TEST(as_much_ahead_as_there_may_be) {
    weft_data *d = numbered(4);
    for (int ahead = 64; ahead <= 65; ahead++) {
        weft_loader *l =
            weft_loader_new(ctx(), &(weft_loader_desc){.data = d, .batch = 1, .prefetch = ahead});
        CHECK_EQ(l != NULL, ahead == 64);
        if (!l) CHECK_HAS(weft_error(ctx()), ".prefetch is 65 batches, at most 64 are possible");
        weft_loader_free(l);
    }
    weft_data_free(d);
}

TEST(prefetch_and_order_of_access_change_nothing) {
    weft_data *d = pictures(40, 3, WEFT_U8);
    weft_loader_desc desc = {.data = d,
                             .batch = 6,
                             .seed = 9,
                             .flip = true,
                             .shift = 2,
                             .cutout = 3,
                             .keep_last = true,
                             .prefetch = -1};
    weft_loader *plain = loader(&desc);
    const size_t bytes = 6 * 3 * PIXELS * sizeof(float);
    enum { STEPS = 40 };
    float *want = malloc(STEPS * bytes);
    int32_t labels[STEPS][6];
    const void *field[2];
    for (int s = 0; s < STEPS; s++) {
        weft_loader_at(plain, s, field);
        memcpy((char *)want + (size_t)s * bytes, field[0], bytes);
        memcpy(labels[s], field[1], sizeof labels[s]);
    }
    static const int ahead[] = {0, 1, 3, 64};
    for (size_t k = 0; k < sizeof ahead / sizeof *ahead; k++) {
        desc.prefetch = ahead[k];
        for (int way = 0; way < 4; way++) {
            CASE("ahead %d, way %d", ahead[k], way);
            weft_loader *l = loader(&desc);
            if (!l) continue;
            for (int i = 0; i < 3 * STEPS; i++) {
                int s = i % STEPS;                                      /* in a row */
                if (way == 1) s = STEPS - 1 - i % STEPS;                /* backwards */
                if (way == 2) s = (int)(test_random() % STEPS);         /* anywhere */
                if (way == 3) s = i / 3 + (i % 3 == 2 ? STEPS / 2 : 0); /* twice, with leaps */
                s %= STEPS;
                weft_loader_at(l, s, field);
                CHECK_MEM(field[0], (char *)want + (size_t)s * bytes, bytes);
                CHECK_MEM(field[1], labels[s], sizeof labels[s]);
            }
            weft_loader_free(l);
        }
    }
    CASE("far steps");
    weft_loader *l = loader(&desc);
    static const int64_t far[] = {INT64_MAX, INT64_MAX - 1, (int64_t)1 << 40, INT64_MAX};
    for (int i = 0; i < 4; i++) {
        const void *other[2];
        CHECK_EQ(weft_loader_at(l, far[i], field), WEFT_OK);
        CHECK_EQ(weft_loader_at(plain, far[i], other), WEFT_OK);
        CHECK_MEM(field[0], other[0], bytes);
    }
    CHECK_EQ(weft_loader_at(l, -1, field), WEFT_ARGUMENT);
    weft_loader_free(l);
    weft_loader_free(plain);
    weft_data_free(d);
    free(want);
}

TEST(loaders_outlive_their_set_and_end_at_once) {
    for (int i = 0; i < 200; i++) {
        weft_data *d = pictures(20, 1, WEFT_U8);
        weft_loader *l = loader(&(weft_loader_desc){.data = d, .batch = 4});
        weft_data_free(d);
        const void *field[2];
        for (int s = 0; s < i % 5; s++) weft_loader_at(l, s, field);
        weft_loader_free(l); /* perhaps while the thread is at work */
    }
    weft_loader_free(NULL);
}

/* ---- into plans, and what is refused ---- */

TEST(feeds_a_plan) {
    weft_data *d = pictures(8, 1, WEFT_U8);
    weft_loader *l = loader(&(weft_loader_desc){.data = d, .batch = 4, .in_order = true});
    weft_graph *g = weft_graph_new(ctx());
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(4, 1, H, W));
    const weft_tensor y = weft_input(g, WEFT_I32, weft_dims(4));
    const weft_tensor sum = weft_sum(x, weft_axes(1, 2, 3), false), twice = weft_add(y, y);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(sum, twice)});
    CHECK_EQ(weft_loader_feed(l, 1, p, (weft_tensor[]){x, y}, 2), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    float got[4];
    int32_t labels[4];
    weft_get(p, sum, got, sizeof got);
    weft_get(p, twice, labels, sizeof labels);
    for (int i = 0; i < 4; i++) {
        double want = 0;
        for (int k = 0; k < PIXELS; k++) want += world_u8(d, "x", 4 + i, k) / 255.;
        CHECK_NEAR(got[i], want, 1e-4);
        CHECK_EQ(labels[i], 2 * (4 + i));
    }
    CHECK_EQ(weft_loader_feed(l, 0, p, (weft_tensor[]){{0}, y}, 2), WEFT_OK); /* x is left out */
    CHECK_EQ(weft_run(p), WEFT_OK);
    weft_get(p, twice, labels, sizeof labels);
    CHECK_EQ(labels[3], 6);
    CHECK(weft_loader_feed(l, 0, p, (weft_tensor[]){y}, 1) != WEFT_OK); /* does not fit */
    CHECK_EQ(weft_loader_feed(l, 0, p, (weft_tensor[]){x, y, y}, 3), WEFT_ARGUMENT);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_loader_free(l);
    weft_data_free(d);
}

TEST(descriptions_that_cannot_be) {
    weft_data *d = pictures(8, 3, WEFT_U8), *n = numbered(8);
    const float mean[2] = {0, NAN}, std[2] = {-1, INFINITY};
    const struct {
        weft_loader_desc d;
        const char *says;
    } bad[] = {
        {{.data = NULL}, "no set"},
        {{.data = d, .batch = -1}, "a batch of -1 rows"},
        {{.data = d, .batch = INT64_MAX}, "a batch of 9223372036854775807 rows"},
        {{.data = d, .batch = 9}, "the set has 8 rows, a batch 9; .keep_last"},
        {{.data = d, .batch = 1, .crop = {7, 5}}, "a crop of 7 x 5 out of pictures of 6 x 5"},
        {{.data = d, .batch = 1, .crop = {0, -1}}, "a crop of 6 x -1"},
        {{.data = d, .batch = 1, .shift = -1}, "shift -1"},
        {{.data = d, .batch = 1, .shift = 6}, "shift 6"},
        {{.data = d, .batch = 1, .cutout = -3}, "cutout -3"},
        {{.data = d, .batch = 1, .mean = mean, .moments = 2},
         "2 means for field \"x\"; it takes 1 or 3"},
        {{.data = d, .batch = 1, .moments = 1}, "1 means (NULL)"},
        {{.data = d, .batch = 1, .mean = mean + 1, .moments = 1}, "mean nan"},
        {{.data = d, .batch = 1, .mean = mean, .std = std, .moments = 1}, "deviation -1"},
        {{.data = d, .batch = 1, .mean = mean, .std = std + 1, .moments = 1}, "deviation inf"},
        {{.data = d, .batch = 1, .standardise = n},
         "the set to standardise by has no such field \"x\""},
        {{.data = n, .batch = 1, .standardise = n},
         "field \"x\" is i32 of rank 0, which is not normalised"},
        {{.data = n, .batch = 1, .flip = true}, "field \"x\" is i32 of rank 0; only pictures"},
        {{.data = n, .batch = 1, .mean = mean, .moments = 1}, "is not normalised"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].says);
        CHECK(weft_loader_new(ctx(), &bad[i].d) == NULL);
        CHECK_HAS(weft_error(ctx()), bad[i].says);
    }
    weft_data_free(d);
    weft_data_free(n);
}

TEST(batches_that_are_too_large) {
    static const unsigned char byte;
    weft_field f = {.name = "x", .dtype = WEFT_U8, .rows = &byte};
    CASE("rank");
    f.dims = weft_dims(1, 1, 1, 1, 1, 1, 1, 1);
    weft_data *d = weft_data_memory(ctx(), &f, 1, 1, false);
    CHECK(weft_loader_new(ctx(), &(weft_loader_desc){.data = d, .batch = 1}) == NULL);
    CHECK_EQ(weft_error_code(ctx()), WEFT_SHAPE);
    CHECK_HAS(weft_error(ctx()), "has rank 8");
    weft_data_free(d);
    CASE("bytes");
    f.dims = weft_dims((int64_t)1 << 60); /* i32 of it would not fit */
    d = weft_data_memory(ctx(), &f, 1, 1, false);
    CHECK(weft_loader_new(ctx(), &(weft_loader_desc){.data = d, .batch = 1}) == NULL);
    CHECK_HAS(weft_error(ctx()), "1 rows of field \"x\" are too large a batch");
    weft_data_free(d);
    CASE("more than there is");
    f.dims = weft_dims((int64_t)1 << 50);
    d = weft_data_memory(ctx(), &f, 1, 1, false);
    CHECK(weft_loader_new(ctx(), &(weft_loader_desc){.data = d, .batch = 1}) == NULL);
    CHECK_EQ(weft_error_code(ctx()), WEFT_MEMORY);
    weft_data_free(d);
}

TEST(the_context_is_not_needed_any_more) {
    weft_close(ctx());
}
