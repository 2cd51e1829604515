/* test_loader.c - batches: orders, purity, what becomes of pictures, and the thread.
 *
 * Pictures carry their row and place in their pixels, so that what a batch shows can be compared with
 * a definition written again here, pixel by pixel. */
#include "data_world.h"

#include <math.h>

static weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) c = weft_open_with(&(weft_open_desc){.threads = 1});
    return c;
}

enum { MOST_ROWS = 20000 };

/* Rows that are their own number. */
static weft_data *numbered(int64_t rows) {
    static int32_t number[MOST_ROWS];
    for (int i = 0; i < MOST_ROWS; i++) number[i] = i;
    return weft_data_memory(ctx(), &(weft_field){.name = "x", .dtype = WEFT_I32, .rows = number}, 1,
                            rows, false);
}

static weft_loader *loader(const weft_loader_desc *d) {
    weft_loader *l = weft_loader_new(ctx(), d);
    if (!CHECK(l != NULL)) printf("     %s\n", weft_error(ctx()));
    return l;
}

static const int32_t *batch_of(weft_loader *l, int64_t step) {
    const void *field[4];
    CHECK_EQ(weft_loader_at(l, step, field), WEFT_OK);
    return field[0];
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

enum { H = 6, W = 5, PIXELS = H * W };

static weft_data *pictures(int64_t rows, int channels, weft_dtype t) {
    static unsigned char bytes[64 * 3 * PIXELS];
    static float floats[64 * 3 * PIXELS];
    static uint8_t label[64];
    const int64_t each = (int64_t)channels * PIXELS;
    for (int64_t i = 0; i < rows * each; i++) {
        bytes[i] = (unsigned char)(1 + (i * 37 + i / each * 11) % 255);
        floats[i] = (float)bytes[i] / 7;
    }
    for (int64_t i = 0; i < rows; i++) label[i] = (uint8_t)(i % 10);
    const weft_shape dims = channels > 1 ? weft_dims(channels, H, W) : weft_dims(H, W);
    return weft_data_memory(
        ctx(),
        (weft_field[]){
            {.name = "x", .dtype = t, .dims = dims, .rows = t == WEFT_F32 ? (void *)floats : bytes},
            {.name = "y", .dtype = WEFT_U8, .rows = label, .classes = 10}},
        2, rows, true);
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
    static const int ahead[] = {0, 1, 3, 64, 1000};
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

/* ---- what becomes of fields ---- */

TEST(types_and_shapes_of_a_batch) {
    static const unsigned char bytes[64];
    static const float floats[64];
    const weft_field fields[] = {
        {.name = "grey", .dtype = WEFT_U8, .dims = weft_dims(2, 3), .rows = bytes},
        {.name = "colour", .dtype = WEFT_I8, .dims = weft_dims(3, 1, 2), .rows = bytes},
        {.name = "label", .dtype = WEFT_U8, .rows = bytes},
        {.name = "letters", .dtype = WEFT_I8, .dims = weft_dims(4), .rows = bytes},
        {.name = "real", .dtype = WEFT_F32, .dims = weft_dims(2), .rows = floats},
        {.name = "half", .dtype = WEFT_F16, .dims = weft_dims(2), .rows = floats},
        {.name = "flag", .dtype = WEFT_BOOL, .rows = bytes},
        {.name = "word", .dtype = WEFT_U32, .rows = floats},
    };
    static const weft_dtype want[] = {WEFT_F32, WEFT_F32, WEFT_I32,  WEFT_I32,
                                      WEFT_F32, WEFT_F16, WEFT_BOOL, WEFT_U32};
    weft_data *d = weft_data_memory(ctx(), fields, 8, 2, false);
    weft_loader *l = loader(&(weft_loader_desc){.data = d, .batch = 2});
    const void *at[8];
    CHECK_EQ(weft_loader_at(l, 0, at), WEFT_OK);
    for (size_t i = 0; i < 8; i++) {
        CASE("%s", fields[i].name);
        const weft_field f = weft_loader_field(l, i);
        CHECK_STR(f.name, fields[i].name);
        CHECK_EQ(f.dtype, want[i]);
        CHECK_EQ(f.dims.rank, fields[i].dims.rank + 1);
        CHECK_EQ(f.dims.n[0], 2);
        for (int k = 0; k < fields[i].dims.rank; k++)
            CHECK_EQ(f.dims.n[k + 1], fields[i].dims.n[k]);
        CHECK_EQ((uintptr_t)at[i] % 64, 0);
    }
    CHECK(weft_loader_field(l, 8).name == NULL);
    weft_loader_free(l);
    weft_data_free(d);
}

TEST(values_of_plain_fields) {
    static const unsigned char bytes[2][2][2] = {{{0, 51}, {102, 255}}, {{1, 2}, {3, 128}}};
    static const float floats[2][2] = {{1.5f, -2}, {NAN, 3}};
    static const uint8_t labels[2] = {200, 7};
    const weft_field fields[] = {
        {.name = "x", .dtype = WEFT_U8, .dims = weft_dims(2, 2), .rows = bytes},
        {.name = "f", .dtype = WEFT_F32, .dims = weft_dims(2), .rows = floats},
        {.name = "y", .dtype = WEFT_U8, .rows = labels},
        {.name = "s", .dtype = WEFT_I8, .rows = labels},
    };
    weft_data *d = weft_data_memory(ctx(), fields, 4, 2, false);
    weft_loader *l = loader(&(weft_loader_desc){.data = d, .batch = 2, .in_order = true});
    const void *at[4];
    weft_loader_at(l, 0, at);
    const float *x = at[0];
    for (int i = 0; i < 8; i++) CHECK_EQ(x[i], (float)((const unsigned char *)bytes)[i] / 255);
    CHECK_MEM(at[1], floats, sizeof floats);
    CHECK_EQ(((const int32_t *)at[2])[0], 200);
    CHECK_EQ(((const int32_t *)at[3])[0], -56);
    CHECK_EQ(((const int32_t *)at[3])[1], 7);
    weft_loader_free(l);
    const float mean = 0.25f, deviation = 2;
    l = loader(&(weft_loader_desc){.data = d,
                                   .batch = 2,
                                   .in_order = true,
                                   .scale = 0.5f,
                                   .mean = &mean,
                                   .deviation = &deviation,
                                   .moments = 1});
    weft_loader_at(l, 0, at);
    x = at[0];
    for (int i = 0; i < 8; i++)
        CHECK_EQ(x[i], ((float)((const unsigned char *)bytes)[i] * 0.5f - 0.25f) / 2);
    weft_loader_free(l);
    weft_data_free(d);
}

TEST(signed_pictures) {
    static const int8_t bytes[1][2][2] = {{{-128, -1}, {0, 127}}};
    weft_data *d = weft_data_memory(
        ctx(), &(weft_field){.name = "x", .dtype = WEFT_I8, .dims = weft_dims(2, 2), .rows = bytes},
        1, 1, false);
    weft_loader *l = loader(&(weft_loader_desc){.data = d, .batch = 1, .scale = 1});
    const float *x = (const float *)batch_of(l, 0);
    CHECK_EQ(x[0], -128), CHECK_EQ(x[1], -1), CHECK_EQ(x[2], 0), CHECK_EQ(x[3], 127);
    weft_loader_free(l);
    weft_data_free(d);
}

TEST(standardised_by_channel_and_column) {
    CASE("columns");
    static const float table[4][3] = {{1, 10, 5}, {2, 10, 7}, {3, 10, 9}, {6, 10, 11}};
    weft_data *d = weft_data_memory(
        ctx(), &(weft_field){.name = "x", .dtype = WEFT_F32, .dims = weft_dims(3), .rows = table},
        1, 4, false);
    weft_loader *l =
        loader(&(weft_loader_desc){.data = d, .batch = 4, .in_order = true, .standardise = d});
    const float *x = (const float *)batch_of(l, 0);
    const double deviation = sqrt((4 + 1 + 0 + 9) / 4.);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(x[3 * i], (table[i][0] - 3) / deviation, 1e-6);
        CHECK_EQ(x[3 * i + 1], 0); /* a column that does not change */
        CHECK_NEAR(x[3 * i + 2], (table[i][2] - 8) / sqrt(5), 1e-6);
    }
    weft_loader_free(l);
    weft_data_free(d);
    CASE("channels");
    d = pictures(30, 3, WEFT_U8);
    l = loader(&(weft_loader_desc){.data = d, .batch = 30, .standardise = d});
    x = (const float *)batch_of(l, 0);
    for (int c = 0; c < 3; c++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < 30; i++)
            for (int k = 0; k < PIXELS; k++) {
                const double v = x[(i * 3 + c) * PIXELS + k];
                sum += v, squares += v * v;
            }
        CHECK_NEAR(sum / (30 * PIXELS), 0, 1e-5);
        CHECK_NEAR(squares / (30 * PIXELS), 1, 1e-5);
    }
    weft_loader_free(l);
    weft_data_free(d);
}

/* ---- pictures that are moved, against the definition ---- */

typedef struct change {
    int64_t down, right;
    bool flip;
} change;

/* Pixel (c, i, k) of the window of h x w; row picture of [C, H, W] bytes. */
static float defined(const unsigned char *p, const change *a, int64_t w, int c, int64_t i,
                     int64_t k) {
    const int64_t row = a->down + i, column = a->right + (a->flip ? w - 1 - k : k);
    if (row < 0 || row >= H || column < 0 || column >= W) return 0;
    return (float)p[c * PIXELS + row * W + column] / 255;
}

static int64_t agree(const unsigned char *p, const float *x, const change *a, int channels,
                     int64_t h, int64_t w, bool last) {
    int64_t n = 0;
    for (int c = 0; c < channels; c++)
        for (int64_t i = 0; i < h; i++)
            for (int64_t k = 0; k < w; k++) {
                const float got = last ? x[(i * w + k) * channels + c] : x[(c * h + i) * w + k];
                n += got == defined(p, a, w, c, i, k);
            }
    return n;
}

/* Each picture of the batch must be one of the allowed changes of its row, all of it; gives how
 * often each offset and flip came. */
TEST(moved_flipped_and_cropped) {
    static const struct {
        const char *name;
        int channels, shift;
        int64_t crop[2];
        bool flip, centre, last;
    } cases[] = {
        {"shift", 1, 2, {0, 0}, false, false, false},
        {"flip", 1, 0, {0, 0}, true, false, false},
        {"crop", 1, 0, {3, 4}, false, false, false},
        {"all", 3, 1, {4, 4}, true, false, false},
        {"all, channels last", 3, 1, {5, 3}, true, false, true},
        {"centre", 3, 2, {3, 3}, true, true, false},
        {"channels last", 3, 0, {0, 0}, false, false, true},
        {"far", 1, 5, {0, 0}, true, false, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CASE("%s", cases[k].name);
        const int channels = cases[k].channels, shift = cases[k].shift;
        const int64_t h = cases[k].crop[0] ? cases[k].crop[0] : H;
        const int64_t w = cases[k].crop[1] ? cases[k].crop[1] : W;
        weft_data *d = pictures(32, channels, WEFT_U8);
        weft_loader *l = loader(&(weft_loader_desc){.data = d,
                                                    .batch = 8,
                                                    .seed = (uint32_t)k,
                                                    .shift = shift,
                                                    .crop = {cases[k].crop[0], cases[k].crop[1]},
                                                    .flip = cases[k].flip,
                                                    .centre = cases[k].centre,
                                                    .channels_last = cases[k].last});
        if (!l) continue;
        const weft_field f = weft_loader_field(l, 0);
        CHECK_EQ(f.dims.rank, channels > 1 ? 4 : 3);
        if (channels > 1) CHECK_EQ(f.dims.n[cases[k].last ? 3 : 1], 3);
        int flipped = 0, seen = 0, total = 0, places[32] = {0};
        const int64_t low = cases[k].centre ? (H - h) / 2 : -shift;
        const int64_t high = cases[k].centre ? low : H - h + shift;
        const int64_t left = cases[k].centre ? (W - w) / 2 : -shift;
        const int64_t right = cases[k].centre ? left : W - w + shift;
        for (int64_t s = 0; s < 100; s++) {
            const float *x = (const float *)batch_of(l, s);
            for (int64_t i = 0; i < 8; i++, total++, x += channels * h * w) {
                const unsigned char *p = world_row(d, "x", weft_loader_row(l, s, i));
                int found = 0;
                for (int64_t a = low; a <= high; a++)
                    for (int64_t b = left; b <= right; b++)
                        for (int m = 0; m <= (cases[k].flip && !cases[k].centre); m++) {
                            const change c = {a, b, m};
                            if (agree(p, x, &c, channels, h, w, cases[k].last) != channels * h * w)
                                continue;
                            if (found++) continue;
                            flipped += m;
                            seen |= 1 << (a - low);
                            places[b - left]++;
                        }
                CHECK(found > 0);
            }
        }
        CHECK_EQ(seen, (1 << (high - low + 1)) - 1); /* every offset has come */
        for (int64_t b = 0; b <= right - left && k < 6; b++) {
            const double want = total / (double)(right - left + 1);
            CHECK_NEAR(places[b], want, 5 * sqrt(want));
        }
        if (cases[k].flip && !cases[k].centre && k < 7)
            CHECK_NEAR(flipped, total / 2., 5 * sqrt(total) / 2);
        else if (!cases[k].flip || cases[k].centre) CHECK_EQ(flipped, 0);
        weft_loader_free(l);
        weft_data_free(d);
    }
}

TEST(changes_are_another_in_every_epoch) {
    weft_data *d = pictures(32, 1, WEFT_U8);
    weft_loader *l =
        loader(&(weft_loader_desc){.data = d, .batch = 32, .in_order = true, .shift = 2});
    static float first[32 * PIXELS];
    memcpy(first, batch_of(l, 0), sizeof first);
    const float *next = (const float *)batch_of(l, 1);
    int same = 0;
    for (int i = 0; i < 32; i++)
        same += memcmp(first + i * PIXELS, next + i * PIXELS, PIXELS * sizeof *next) == 0;
    CHECK(same < 8); /* one in 25 */
    CHECK_MEM(batch_of(l, 0), first, sizeof first);
    weft_loader_free(l);
    weft_data_free(d);
}

/* The smallest rectangle around the pixels that differ; gives how many do. */
static int hole(const float *x, const float *p, int *height, int *width) {
    int top = H, bottom = -1, left = W, right = -1, holes = 0;
    for (int k = 0; k < 3 * PIXELS; k++) {
        if (x[k] == p[k]) continue;
        CHECK_EQ(x[k], 0);
        const int row = k % PIXELS / W, column = k % W;
        holes++;
        if (row < top) top = row;
        if (row > bottom) bottom = row;
        if (column < left) left = column;
        if (column > right) right = column;
    }
    *height = bottom - top + 1, *width = right - left + 1;
    return holes;
}

TEST(cutout_is_a_square) {
    enum { STEPS = 20 };
    weft_data *d = pictures(32, 3, WEFT_F32);
    weft_loader *l = loader(&(weft_loader_desc){.data = d, .batch = 32, .cutout = 3});
    int whole = 0;
    for (int s = 0; s < STEPS; s++) {
        const float *x = (const float *)batch_of(l, s);
        for (int i = 0; i < 32; i++, x += 3 * PIXELS) {
            int height, width;
            const int holes = hole(x, world_row(d, "x", weft_loader_row(l, s, i)), &height, &width);
            CHECK_EQ(holes, 3 * height * width); /* all of it, and in every channel */
            CHECK(height >= 2 && height <= 3 && width >= 2 && width <= 3); /* 2: at an edge */
            whole += height == 3 && width == 3;
        }
    }
    /* Its middle may be any pixel; in 4 of 6 rows and 3 of 5 columns nothing is cut off. */
    CHECK_NEAR(whole, 32 * STEPS * 0.4, 5 * sqrt(32 * STEPS * 0.24));
    weft_loader_free(l);
    weft_data_free(d);
}

TEST(stored_channels_last) {
    static unsigned char last[2][H][W][3];
    unsigned char first[2][3][H][W];
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++)
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++)
                    first[i][c][y][x] = last[i][y][x][c] = (unsigned char)(test_random() % 256);
    weft_data *a = weft_data_memory(
        ctx(),
        &(weft_field){.name = "x", .dtype = WEFT_U8, .dims = weft_dims(3, H, W), .rows = first}, 1,
        2, true);
    weft_data *b = weft_data_memory(
        ctx(),
        &(weft_field){.name = "x", .dtype = WEFT_U8, .dims = weft_dims(H, W, 3), .rows = last}, 1,
        2, true);
    for (int way = 0; way < 4; way++) {
        CASE("moved %d, wanted last %d", way & 1, way / 2);
        weft_loader_desc desc = {.batch = 2,
                                 .seed = 5,
                                 .flip = way & 1,
                                 .shift = way & 1,
                                 .cutout = way & 1,
                                 .channels_last = way / 2};
        desc.data = a;
        desc.standardise = a;
        weft_loader *l = loader(&desc);
        desc.data = b;
        desc.standardise = b;
        desc.stored_last = true;
        weft_loader *m = loader(&desc);
        for (int s = 0; s < 4; s++)
            CHECK_MEM(batch_of(l, s), batch_of(m, s), 2 * 3 * PIXELS * sizeof(float));
        weft_loader_free(l);
        weft_loader_free(m);
    }
    weft_data_free(a);
    weft_data_free(b);
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
    const float mean[2] = {0, NAN}, deviation[2] = {-1, INFINITY};
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
        {{.data = d, .batch = 1, .mean = mean, .deviation = deviation, .moments = 1},
         "deviation -1"},
        {{.data = d, .batch = 1, .mean = mean, .deviation = deviation + 1, .moments = 1},
         "deviation inf"},
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
