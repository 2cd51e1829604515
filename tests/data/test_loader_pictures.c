/* test_loader_pictures.c - what becomes of fields in a batch: types, values, and pictures that are
 * moved, flipped, cut and laid out anew, against a definition written again here, pixel by pixel. */
#include "loader_world.h"

#include <math.h>

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
    const float mean = 0.25f, std = 2;
    l = loader(&(weft_loader_desc){.data = d,
                                   .batch = 2,
                                   .in_order = true,
                                   .scale = 0.5f,
                                   .mean = &mean,
                                   .std = &std,
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
    const double std = sqrt((4 + 1 + 0 + 9) / 4.);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(x[3 * i], (table[i][0] - 3) / std, 1e-6);
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

TEST(the_context_is_not_needed_any_more) {
    weft_close(ctx());
}
