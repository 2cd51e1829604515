/* test_data.c - sets out of bytes written by hand: every format, every element type, slices and
 * splits. What must be refused is in test_data_bad.c, tables are in test_data_csv.c. */
#include "data_world.h"

#include <math.h>

static heap memory;

static weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) c = world_open(&memory);
    return c;
}

/* ---- IDX ---- */

static const unsigned char idx_x[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2,  0,  0,
                                      0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255};
static const unsigned char idx_y[] = {0, 0, 8, 1, 0, 0, 0, 2, 7, 3};

static void check_idx(weft_data *d) {
    if (!CHECK(d != NULL)) return;
    CHECK_EQ(weft_data_rows(d), 2);
    CHECK_EQ(weft_data_fields(d), 2);
    CHECK_EQ(weft_data_find(d, "x"), 0);
    CHECK_EQ(weft_data_find(d, "y"), 1);
    CHECK_EQ(weft_data_find(d, "z"), -1);
    const weft_field x = weft_data_field(d, 0), y = weft_data_field(d, 1);
    CHECK_STR(x.name, "x");
    CHECK_EQ(x.dtype, WEFT_U8);
    CHECK_EQ(x.dims.rank, 2);
    CHECK_EQ(x.dims.n[0], 2);
    CHECK_EQ(x.dims.n[1], 3);
    CHECK_EQ(x.row_bytes, 6);
    CHECK_EQ(x.classes, 0);
    CHECK_MEM(x.rows, idx_x + 16, 12);
    CHECK_EQ(y.dtype, WEFT_U8);
    CHECK_EQ(y.dims.rank, 0);
    CHECK_EQ(y.classes, 8);
    CHECK_EQ(world_u8(d, "y", 0, 0), 7);
    CHECK_EQ(world_u8(d, "y", 1, 0), 3);
    CHECK(weft_data_field(d, 2).name == NULL);
}

TEST(idx_from_memory_and_from_files) {
    weft_data *d = weft_data_parse_idx(ctx(), world_bytes("x", idx_x, sizeof idx_x),
                                       world_bytes("y", idx_y, sizeof idx_y));
    check_idx(d);
    CHECK(weft_data_field(d, 0).rows == idx_x + 16); /* borrowed, not copied */
    weft_data_free(d);
    const world_file x = world_write(idx_x, sizeof idx_x), y = world_write(idx_y, sizeof idx_y);
    d = weft_data_idx(ctx(), x.path, y.path);
    unlink(x.path), unlink(y.path);
    check_idx(d);
    weft_data_free(d);
}

TEST(idx_without_labels) {
    weft_data *d =
        weft_data_parse_idx(ctx(), world_bytes("x", idx_x, sizeof idx_x), (weft_bytes){0});
    if (!CHECK(d != NULL)) return;
    CHECK_EQ(weft_data_fields(d), 1);
    weft_data_free(d);
}

TEST(idx_element_types) {
    /* 16 bytes of elements: highest byte first */
    static const unsigned char body[16] = {0xff, 0xfe, 0x00, 0x03, 0x40, 0x49, 0x0f, 0xdb,
                                           0xbf, 0xf8, 0,    0,    0,    0,    0,    0};
    static const struct {
        int code, size;
        weft_dtype dtype;
        double first, second; /* as the format says they are */
    } types[] = {
        {0x08, 1, WEFT_U8, 255, 254},
        {0x09, 1, WEFT_I8, -1, -2},
        {0x0b, 2, WEFT_I32, -2, 3},
        {0x0c, 4, WEFT_I32, -131069, 0x40490fdb},
        {0x0d, 4, WEFT_F32, NAN, 3.14159274f},
        {0x0e, 8, WEFT_F32, NAN, -1.5},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        CASE("type %02x", types[i].code);
        unsigned char file[24] = {0, 0, (unsigned char)types[i].code,       1, 0,
                                  0, 0, (unsigned char)(16 / types[i].size)};
        memcpy(file + 8, body, 16);
        weft_data *d = weft_data_parse_idx(ctx(), world_bytes("t", file, 24), (weft_bytes){0});
        if (!CHECK(d != NULL)) continue;
        const weft_field f = weft_data_field(d, 0);
        CHECK_EQ(f.dtype, types[i].dtype);
        CHECK_EQ(weft_data_rows(d), 16 / types[i].size);
        for (int k = 0; k < 2; k++) {
            const double want = k ? types[i].second : types[i].first;
            double got = 0;
            if (f.dtype == WEFT_U8) got = world_u8(d, "x", k, 0);
            else if (f.dtype == WEFT_I8) got = (int8_t)world_u8(d, "x", k, 0);
            else if (f.dtype == WEFT_I32) got = world_i32(d, "x", k);
            else got = world_f32(d, "x", k, 0);
            CHECK_EQ(got, want);
        }
        weft_data_free(d);
    }
}

TEST(idx_labels_of_every_width) {
    static const unsigned char narrow[] = {0, 0, 0x0b, 1, 0, 0, 0, 2, 1, 2, 0, 5};
    static const unsigned char wide[] = {0, 0, 0x0c, 1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 1, 0, 0};
    weft_data *d = weft_data_parse_idx(ctx(), world_bytes("x", idx_x, sizeof idx_x),
                                       world_bytes("y", narrow, sizeof narrow));
    if (CHECK(d != NULL)) {
        CHECK_EQ(weft_data_field(d, 1).classes, 259);
        CHECK_EQ(world_i32(d, "y", 0), 258);
    }
    weft_data_free(d);
    d = weft_data_parse_idx(ctx(), world_bytes("x", idx_x, sizeof idx_x),
                            world_bytes("y", wide, sizeof wide));
    if (CHECK(d != NULL)) {
        CHECK_EQ(weft_data_field(d, 1).classes, 65537);
        CHECK_EQ(world_i32(d, "y", 0), 9);
        CHECK_EQ(world_i32(d, "y", 1), 65536);
    }
    weft_data_free(d);
}

/* ---- CIFAR ---- */

enum { CIFAR_RECORD = 3073 };

static void cifar_record(unsigned char *at, int labels, int coarse, int fine, int salt) {
    if (labels == 2) *at++ = (unsigned char)coarse;
    *at++ = (unsigned char)fine;
    for (int i = 0; i < 3072; i++) at[i] = (unsigned char)(i * 7 + salt);
}

TEST(cifar_10_one_file_and_several) {
    unsigned char file[3 * CIFAR_RECORD];
    for (int i = 0; i < 3; i++) cifar_record(file + i * CIFAR_RECORD, 1, 0, 9 - i, i);
    for (int parts = 1; parts <= 2; parts++) {
        CASE("%d files", parts);
        const weft_bytes files[2] = {
            world_bytes("a", file, parts == 1 ? sizeof file : CIFAR_RECORD),
            world_bytes("b", file + CIFAR_RECORD, 2 * CIFAR_RECORD)};
        weft_data *d = weft_data_parse_cifar(ctx(), files, (size_t)parts, 10);
        if (!CHECK(d != NULL)) continue;
        CHECK_EQ(weft_data_rows(d), 3);
        CHECK_EQ(weft_data_fields(d), 2);
        const weft_field x = weft_data_field(d, 0);
        CHECK_EQ(x.dims.rank, 3);
        CHECK_EQ(x.dims.n[0], 3);
        CHECK_EQ(x.dims.n[1], 32);
        CHECK_EQ(x.dims.n[2], 32);
        CHECK_EQ(weft_data_field(d, 1).classes, 10);
        for (int i = 0; i < 3; i++) {
            CHECK_EQ(world_u8(d, "y", i, 0), 9 - i);
            CHECK_MEM(world_row(d, "x", i), file + i * CIFAR_RECORD + 1, 3072);
        }
        weft_data_free(d);
    }
}

TEST(cifar_100_from_files) {
    unsigned char file[2 * (CIFAR_RECORD + 1)];
    for (int i = 0; i < 2; i++) cifar_record(file + i * (CIFAR_RECORD + 1), 2, 19 - i, 99 - i, i);
    const world_file f = world_write(file, sizeof file);
    const char *const paths[] = {f.path, f.path};
    for (size_t n = 1; n <= 2; n++) {
        CASE("%zu files", n);
        weft_data *d = weft_data_cifar(ctx(), paths, n, 100);
        if (!CHECK(d != NULL)) continue;
        CHECK_EQ(weft_data_rows(d), (int64_t)(2 * n));
        CHECK_EQ(weft_data_find(d, "coarse"), 2);
        CHECK_EQ(weft_data_field(d, 2).classes, 20);
        CHECK_EQ(weft_data_field(d, 1).classes, 100);
        for (int64_t i = 0; i < weft_data_rows(d); i++) {
            CHECK_EQ(world_u8(d, "coarse", i, 0), 19 - i % 2);
            CHECK_EQ(world_u8(d, "y", i, 0), 99 - i % 2);
            CHECK_EQ(world_u8(d, "x", i, 1), (int)(7 + i % 2));
        }
        weft_data_free(d);
    }
    unlink(f.path);
}

/* ---- text ---- */

TEST(text_windows_of_characters) {
    weft_data *d = weft_data_parse_text(ctx(), world_text("banana!"),
                                        &(weft_text_desc){.length = 3, .stride = 2});
    if (!CHECK(d != NULL)) return;
    CHECK_EQ(weft_data_rows(d), 2); /* ban|ana, nan|ana!: the third would need one more */
    const weft_field x = weft_data_field(d, 0);
    CHECK_EQ(x.dtype, WEFT_U8);
    CHECK_EQ(x.dims.n[0], 3);
    CHECK_EQ(x.classes, 4); /* ! a b n */
    const char *const names[] = {"!", "a", "b", "n"};
    for (int i = 0; i < 4; i++) CHECK_STR(x.class_names[i], names[i]);
    CHECK_MEM(world_row(d, "x", 0), "\2\1\3", 3);
    CHECK_MEM(world_row(d, "y", 0), "\1\3\1", 3);
    CHECK_MEM(world_row(d, "x", 1), "\3\1\3", 3);
    CHECK_MEM(world_row(d, "y", 1), "\1\3\1", 3);
    weft_data_free(d);
}

TEST(text_of_several_bytes_a_character) {
    /* 2, 3 and 4 bytes, and the edges of each length */
    weft_data *d = weft_data_parse_text(
        ctx(),
        world_text("a\xc2\x80\xc3\xa9\xdf\xbf\xe0\xa0\x80\xe2\x82\xac\xef\xbf\xbf"
                   "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
        &(weft_text_desc){.length = 8});
    if (!CHECK(d != NULL)) return;
    const weft_field x = weft_data_field(d, 0);
    CHECK_EQ(x.classes, 9);
    CHECK_STR(x.class_names[2], "\xc3\xa9");
    CHECK_STR(x.class_names[5], "\xe2\x82\xac");
    CHECK_STR(x.class_names[8], "\xf4\x8f\xbf\xbf");
    for (int i = 0; i < 8; i++) {
        CHECK_EQ(world_u8(d, "x", 0, i), i); /* they stand in the order of code points */
        CHECK_EQ(world_u8(d, "y", 0, i), i + 1);
    }
    weft_data_free(d);
}

TEST(text_with_many_different_characters) {
    char text[2 * 300 + 1] = "";
    for (int i = 0; i < 300; i++) { /* U+0100 and up, downwards */
        const int code = 0x100 + 299 - i;
        text[2 * i] = (char)(0xc0 | code >> 6);
        text[2 * i + 1] = (char)(0x80 | (code & 0x3f));
    }
    weft_data *d = weft_data_parse_text(ctx(), world_text(text), &(weft_text_desc){.length = 299});
    if (!CHECK(d != NULL)) return;
    CHECK_EQ(weft_data_field(d, 0).dtype, WEFT_I32);
    CHECK_EQ(weft_data_field(d, 0).classes, 300);
    const int32_t *x = world_row(d, "x", 0), *y = world_row(d, "y", 0);
    for (int i = 0; i < 299; i++) {
        CHECK_EQ(x[i], 299 - i);
        CHECK_EQ(y[i], 298 - i);
    }
    weft_data_free(d);
}

TEST(text_as_bytes_is_not_copied) {
    static const char bytes[] = "\0\xff\x80 any bytes";
    const size_t n = sizeof bytes - 1;
    weft_data *d = weft_data_parse_text(ctx(), world_bytes("b", bytes, n),
                                        &(weft_text_desc){.length = 4, .stride = 1, .bytes = true});
    if (!CHECK(d != NULL)) return;
    CHECK_EQ(weft_data_rows(d), (int64_t)n - 4);
    CHECK_EQ(weft_data_field(d, 0).classes, 256);
    CHECK(weft_data_field(d, 0).class_names == NULL);
    CHECK(weft_data_field(d, 0).rows == bytes);
    CHECK(world_row(d, "y", (int64_t)n - 5) == bytes + n - 4);
    weft_data_free(d);
}

TEST(text_like_another) {
    const weft_text_desc two = {.length = 2};
    weft_data *a = weft_data_parse_text(ctx(), world_text("abcd"), &two);
    weft_data *b =
        weft_data_parse_text(ctx(), world_text("dcb"), &(weft_text_desc){.length = 2, .like = a});
    if (CHECK(b != NULL)) {
        CHECK_EQ(weft_data_field(b, 0).classes, 4);
        CHECK_MEM(world_row(b, "x", 0), "\3\2", 2);
        CHECK_MEM(world_row(b, "y", 0), "\2\1", 2);
    }
    weft_data *c =
        weft_data_parse_text(ctx(), world_text("dce"), &(weft_text_desc){.length = 2, .like = a});
    CHECK(c == NULL);
    CHECK_HAS(weft_error(ctx()), "offset 2: character 2: it does not occur in the other text");
    weft_data_free(a);
    if (b) CHECK_STR(weft_data_field(b, 0).class_names[3], "d"); /* it has its own */
    weft_data_free(b);
}

TEST(text_from_a_file_with_defaults) {
    char text[200];
    memset(text, 'q', sizeof text);
    const world_file f = world_write(text, sizeof text);
    weft_data *d = weft_data_text(ctx(), f.path, NULL);
    unlink(f.path);
    if (!CHECK(d != NULL)) return;
    CHECK_EQ(weft_data_field(d, 0).dims.n[0], 64);
    CHECK_EQ(weft_data_rows(d), 3);
    weft_data_free(d);
}

/* ---- raw, and memory ---- */

TEST(raw_examples) {
    const float values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const world_file f = world_write(values, sizeof values);
    weft_data *d = weft_data_raw(ctx(), f.path, WEFT_F32, weft_dims(2, 3));
    unlink(f.path);
    if (CHECK(d != NULL)) {
        CHECK_EQ(weft_data_rows(d), 2);
        CHECK_EQ(weft_data_field(d, 0).row_bytes, 24);
        CHECK_EQ(world_f32(d, "x", 1, 5), 12);
    }
    weft_data_free(d);
    d = weft_data_parse_raw(ctx(), world_bytes("m", values, sizeof values), WEFT_F32, WEFT_0D);
    if (CHECK(d != NULL)) CHECK_EQ(weft_data_rows(d), 12);
    weft_data_free(d);
    const unsigned char bits[] = {0, 1, 1, 0};
    d = weft_data_parse_raw(ctx(), world_bytes("m", bits, 4), WEFT_BOOL, weft_dims(2));
    if (CHECK(d != NULL)) CHECK_EQ(weft_data_rows(d), 2);
    weft_data_free(d);
}

TEST(memory_borrowed_and_copied) {
    float values[6] = {1, 2, 3, 4, 5, 6};
    int32_t labels[4] = {0, 9, 1, 9}; /* every second one is a label */
    const char *const classes[] = {"no", "yes"}, *const columns[] = {"a", "b", "c"};
    const weft_field fields[] = {
        {.name = "x", .dtype = WEFT_F32, .dims = weft_dims(3), .rows = values, .columns = columns},
        {.name = "y",
         .dtype = WEFT_I32,
         .rows = labels,
         .row_bytes = 8,
         .classes = 2,
         .class_names = classes}};
    for (int copy = 0; copy < 2; copy++) {
        CASE("copy %d", copy);
        weft_data *d = weft_data_memory(ctx(), fields, 2, 2, copy);
        if (!CHECK(d != NULL)) continue;
        CHECK_EQ(weft_data_field(d, 0).rows == (const void *)values, !copy);
        CHECK(weft_data_field(d, 1).class_names != classes);
        CHECK_STR(weft_data_field(d, 1).class_names[1], "yes");
        CHECK_STR(weft_data_field(d, 0).columns[2], "c");
        CHECK_EQ(world_i32(d, "y", 1), 1);
        CHECK_EQ(world_f32(d, "x", 1, 0), 4);
        weft_data_free(d);
    }
}

/* ---- slices and splits ---- */

static weft_data *numbered(int64_t rows) {
    static int32_t number[5000];
    for (int i = 0; i < 5000; i++) number[i] = i;
    return weft_data_memory(ctx(),
                            &(weft_field){.name = "x",
                                          .dtype = WEFT_I32,
                                          .rows = number,
                                          .classes = 2,
                                          .class_names = (const char *const[]){"a", "b"}},
                            1, rows, false);
}

TEST(slices_share_memory_and_outlive_their_set) {
    weft_data *d = numbered(100);
    weft_data *s = weft_data_slice(d, 10, 20), *t = weft_data_slice(s, 3, 10);
    weft_data_free(d);
    if (!CHECK(s && t)) return;
    CHECK_EQ(weft_data_rows(s), 10);
    CHECK_EQ(weft_data_rows(t), 7);
    weft_data_free(s);
    CHECK_EQ(world_i32(t, "x", 0), 13);
    CHECK_EQ(world_i32(t, "x", 6), 19);
    CHECK_STR(weft_data_field(t, 0).class_names[1], "b");
    static const int64_t bad[][2] = {{-1, 3}, {3, 3}, {5, 4}, {0, 8}, {7, 9}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(weft_data_slice(t, bad[i][0], bad[i][1]) == NULL);
        CHECK_EQ(weft_error_code(ctx()), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(ctx()), "of a set with 7 rows");
    }
    weft_data_free(t);
}

TEST(splits_are_disjoint_and_complete) {
    static const int64_t sizes[] = {5, 10, 101, 5000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int order = 0; order < 2; order++) {
            CASE("%lld rows, in order %d", (long long)sizes[k], order);
            weft_data *d = numbered(sizes[k]), *part[3], *again[3];
            const weft_split_desc s = {{6, 2, 2}, .seed = 5, .in_order = order};
            if (!CHECK_EQ(weft_data_split(d, &s, part), WEFT_OK)) continue;
            CHECK_EQ(weft_data_split(d, &s, again), WEFT_OK);
            weft_data_free(d);
            char seen[5000] = {0};
            int64_t total = 0, moved = 0;
            for (int p = 0; p < 3; p++) {
                CHECK_EQ(weft_data_rows(part[p]), weft_data_rows(again[p]));
                for (int64_t i = 0; i < weft_data_rows(part[p]); i++) {
                    const int v = world_i32(part[p], "x", i);
                    CHECK_EQ(seen[v]++, 0);
                    CHECK_EQ(v, world_i32(again[p], "x", i));
                    moved += v != total++;
                }
            }
            CHECK_EQ(total, sizes[k]);
            CHECK_NEAR((double)weft_data_rows(part[0]), 0.6 * (double)sizes[k], 0.51);
            if (order) CHECK_EQ(moved, 0);
            else if (sizes[k] > 10) CHECK(moved > sizes[k] / 2);
            CHECK_STR(weft_data_field(part[1], 0).class_names[0], "a");
            for (int p = 0; p < 3; p++) weft_data_free(part[p]), weft_data_free(again[p]);
        }
}

TEST(splits_differ_by_seed) {
    weft_data *d = numbered(1000), *a[2], *b[2];
    CHECK_EQ(weft_data_split(d, &(weft_split_desc){{.5f, .5f}, .seed = 1}, a), WEFT_OK);
    CHECK_EQ(weft_data_split(d, &(weft_split_desc){{.5f, .5f}, .seed = 2}, b), WEFT_OK);
    char in_a[1000] = {0};
    int common = 0;
    for (int i = 0; i < 500; i++) in_a[world_i32(a[0], "x", i)] = 1;
    for (int i = 0; i < 500; i++) common += in_a[world_i32(b[0], "x", i)];
    CHECK_NEAR(common, 250, 5 * 11.2); /* hypergeometric: deviation 11.2 */
    for (int p = 0; p < 2; p++) weft_data_free(a[p]), weft_data_free(b[p]);
    weft_data_free(d);
}

TEST(splits_that_cannot_be) {
    static const struct {
        float share[4];
        const char *says;
    } bad[] = {
        {{0}, "share 0 is 0"},
        {{-1, 2}, "share 0 is -1"},
        {{.5f, 0, .5f}, "share 2 is 0.5"},
        {{.5f, -.5f}, "share 1 is -0.5"},
        {{NAN}, "share 0 is nan"},
        {{INFINITY}, "share 0 is inf"},
        {{1, 1e-6f}, "share 1 of 10 rows is less than one row"},
        {{1e-6f, 1}, "share 0 of 10 rows is less than one row"},
    };
    weft_data *d = numbered(10), *parts[4];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].says);
        weft_split_desc s = {.seed = 1};
        memcpy(s.share, bad[i].share, sizeof s.share);
        CHECK_EQ(weft_data_split(d, &s, parts), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(ctx()), bad[i].says);
    }
    weft_data_free(d);
}

/* ---- moments ---- */

TEST(moments) {
    static const float f[2][3] = {{1, 10, -1}, {3, 10, 5}};
    static const unsigned char picture[2][2][2][2] = {{{{0, 255}, {0, 255}}, {{51, 51}, {51, 51}}},
                                                      {{{0, 255}, {0, 255}}, {{51, 51}, {51, 51}}}};
    weft_data *d = weft_data_memory(
        ctx(),
        (weft_field[]){{.name = "x", .dtype = WEFT_F32, .dims = weft_dims(3), .rows = f},
                       {.name = "p", .dtype = WEFT_U8, .dims = weft_dims(2, 2, 2), .rows = picture},
                       {.name = "i", .dtype = WEFT_I32, .rows = f}},
        3, 2, false);
    float mean[3], std[3];
    CHECK_EQ(weft_data_moments(d, 0, false, mean, std, 3), WEFT_OK);
    CHECK_EQ(mean[0], 2), CHECK_EQ(mean[1], 10), CHECK_EQ(mean[2], 2);
    CHECK_EQ(std[0], 1), CHECK_EQ(std[1], 0), CHECK_EQ(std[2], 3);
    CHECK_EQ(weft_data_moments(d, 0, false, mean, std, 1), WEFT_OK);
    CHECK_NEAR(mean[0], 28 / 6., 1e-6);
    CHECK_NEAR(std[0], sqrt(236 / 6. - 784 / 36.), 1e-6);
    CHECK_EQ(weft_data_moments(d, 1, false, mean, std, 2), WEFT_OK);
    CHECK_NEAR(mean[0], 0.5, 1e-7), CHECK_NEAR(std[0], 0.5, 1e-7);
    CHECK_NEAR(mean[1], 0.2, 1e-7), CHECK_NEAR(std[1], 0, 1e-7);
    CHECK_EQ(weft_data_moments(d, 1, true, mean, std, 2), WEFT_OK);
    CHECK_NEAR(mean[0], 0.1, 1e-7), CHECK_NEAR(mean[1], 0.6, 1e-7);
    CHECK_EQ(weft_data_moments(d, 2, false, mean, std, 1), WEFT_DTYPE);
    CHECK_EQ(weft_data_moments(d, 3, false, mean, std, 1), WEFT_ARGUMENT);
    CHECK_EQ(weft_data_moments(d, 0, false, mean, std, 2), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(ctx()), "it has 1 or 3");
    weft_data_free(d);
}

TEST(moments_of_signed_bytes_and_long_rows) {
    enum { N = 100001 }; /* more than one stretch, and no multiple of anything */
    static int8_t bytes[2][1][N];
    double sum = 0, squares = 0;
    for (int i = 0; i < 2 * N; i++) {
        const int v = (int)(test_random() % 256) - 128;
        bytes[i / N][0][i % N] = (int8_t)v;
        sum += v / 255., squares += v * v / (255. * 255.);
    }
    weft_data *d = weft_data_memory(
        ctx(), &(weft_field){.name = "x", .dtype = WEFT_I8, .dims = weft_dims(1, N), .rows = bytes},
        1, 2, false);
    float mean, std;
    CHECK_EQ(weft_data_moments(d, 0, false, &mean, &std, 1), WEFT_OK);
    CHECK_NEAR(mean, sum / (2 * N), 1e-7);
    CHECK_NEAR(std, sqrt(squares / (2 * N) - sum * sum / (4. * N * N)), 1e-7);
    weft_data_free(d);
}

TEST(nothing_is_left) {
    CHECK(ctx() != NULL);
    weft_close(ctx());
    CHECK_EQ(memory.live, 0);
}
