/* test_data_arrays.c - sets out of npy and npz files, and the digits that come with Weft. */
#include "data_world.h"

#include "weft/io.h"

static weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) c = weft_open("null");
    return c;
}

/* An npy file of version 1, as NumPy writes it: the head padded to a multiple of 64. */
static world_file npy(const char *type, const char *shape, const void *data, size_t bytes) {
    char file[1024];
    memset(file, ' ', 128);
    memcpy(file, "\x93NUMPY\x01\x00\x76\x00", 10);
    char head[118];
    const int n = snprintf(head, sizeof head,
                           "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    memcpy(file + 10, head, (size_t)n);
    file[127] = '\n';
    memcpy(file + 128, data, bytes);
    return world_write(file, 128 + bytes);
}

TEST(one_array) {
    const float values[6] = {1, 2, 3, 4, 5, 6};
    const world_file f = npy("<f4", "(3, 2)", values, sizeof values);
    weft_data *d = weft_data_npy(ctx(), f.path);
    unlink(f.path);
    if (!CHECK(d != NULL)) return;
    CHECK_EQ(weft_data_rows(d), 3);
    CHECK_EQ(weft_data_fields(d), 1);
    CHECK_STR(weft_data_field(d, 0).name, "x");
    CHECK_EQ(weft_data_field(d, 0).dims.rank, 1);
    CHECK_EQ(weft_data_field(d, 0).dims.n[0], 2);
    CHECK_EQ(world_f32(d, "x", 2, 1), 6);
    weft_data_free(d);
}

TEST(types_of_arrays) {
    static const struct {
        const char *type;
        weft_dtype dtype;
        size_t size;
        const char *bytes; /* 5 */
    } types[] = {
        {"<f8", WEFT_F32, 8, "\0\0\0\0\0\0\x14\x40"},
        {"<f4", WEFT_F32, 4, "\0\0\xa0\x40"},
        {"<i8", WEFT_I32, 8, "\5\0\0\0\0\0\0\0"},
        {"<i4", WEFT_I32, 4, "\5\0\0\0"},
        {"<i2", WEFT_I32, 2, "\5\0"},
        {"|i1", WEFT_I8, 1, "\5"},
        {"|u1", WEFT_U8, 1, "\5"},
        {"<u2", WEFT_I32, 2, "\5\0"},
        {"<u4", WEFT_U32, 4, "\5\0\0\0"},
        {"<u8", WEFT_I32, 8, "\5\0\0\0\0\0\0\0"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        CASE("%s", types[i].type);
        const world_file f = npy(types[i].type, "(1,)", types[i].bytes, types[i].size);
        weft_data *d = weft_data_npy(ctx(), f.path);
        unlink(f.path);
        if (!CHECK(d != NULL)) continue;
        const weft_field x = weft_data_field(d, 0);
        CHECK_EQ(x.dtype, types[i].dtype);
        CHECK_EQ(x.dims.rank, 0);
        if (x.dtype == WEFT_F32) CHECK_EQ(world_f32(d, "x", 0, 0), 5);
        else if (weft_dtype_size(x.dtype) == 4) CHECK_EQ(world_i32(d, "x", 0), 5);
        else CHECK_EQ(world_u8(d, "x", 0, 0), 5);
        weft_data_free(d);
    }
}

/* An npz of two arrays, written by the library. */
static weft_data *pair(weft_shape x_dims, const float *x, weft_file_type y_type, int64_t y_rows,
                       const void *y) {
    char path[] = "/tmp/weft-test-pair-XXXXXX";
    const int fd = mkstemp(path);
    if (!CHECK(fd >= 0)) return NULL;
    close(fd);
    size_t count = 1;
    for (int i = 0; i < x_dims.rank; i++) count *= (size_t)x_dims.n[i];
    weft_archive *a = weft_archive_new(ctx());
    CHECK_EQ(weft_archive_put(a, &(weft_array){.name = "x",
                                               .type = WEFT_FILE_F32,
                                               .dims = x_dims,
                                               .data = x,
                                               .bytes = count * 4}),
             WEFT_OK);
    CHECK_EQ(
        weft_archive_put(a, &(weft_array){.name = "y",
                                          .type = y_type,
                                          .dims = weft_dims(y_rows),
                                          .data = y,
                                          .bytes = (size_t)y_rows * weft_file_type_size(y_type)}),
        WEFT_OK);
    CHECK_EQ(weft_archive_write(a, path, &(weft_write_desc){.format = "npz"}), WEFT_OK);
    weft_archive_free(a);
    weft_data *d = weft_data_npy(ctx(), path);
    unlink(path);
    return d;
}

TEST(several_arrays) {
    const float x[6] = {1, 2, 3, 4, 5, 6};
    const int64_t y[3] = {2, 0, 2};
    weft_data *d = pair(weft_dims(3, 2), x, WEFT_FILE_I64, 3, y);
    if (CHECK(d != NULL)) {
        CHECK_EQ(weft_data_rows(d), 3);
        CHECK_EQ(weft_data_find(d, "y") >= 0, true);
        CHECK_EQ(weft_data_field(d, (size_t)weft_data_find(d, "y")).classes, 3);
        CHECK_EQ(world_i32(d, "y", 2), 2);
        CHECK_EQ(world_f32(d, "x", 1, 1), 4);
    }
    weft_data_free(d);
}

TEST(arrays_that_make_no_set) {
    const float x[6] = {1, 2, 3, 4, 5, 6};
    const int64_t y[3] = {2, 0, (int64_t)1 << 40};
    CASE("rows that differ");
    CHECK(pair(weft_dims(3, 2), x, WEFT_FILE_I64, 2, y) == NULL);
    CHECK_EQ(weft_error_code(ctx()), WEFT_FORMAT);
    CHECK_HAS(weft_error(ctx()), "has 2 rows, those before it have 3");
    CASE("a number that does not fit");
    CHECK(pair(weft_dims(3, 2), x, WEFT_FILE_I64, 3, y) == NULL);
    CASE("no rows");
    CHECK(pair(weft_dims(0, 2), x, WEFT_FILE_I64, 0, y) == NULL);
    CHECK_EQ(weft_error_code(ctx()), WEFT_FORMAT);
    CHECK_HAS(weft_error(ctx()), "its first axis must count rows");
    CASE("a single number");
    const world_file f = npy("<f4", "()", x, 4);
    CHECK(weft_data_npy(ctx(), f.path) == NULL);
    CHECK_HAS(weft_error(ctx()), "its first axis must count rows");
    unlink(f.path);
    CASE("examples of nothing");
    CHECK(pair(weft_dims(3, 0), x, WEFT_FILE_U8, 3, y) == NULL);
    CHECK_HAS(weft_error(ctx()), "an extent of 0");
}

TEST(the_digits_that_come_with_weft) {
    static const struct {
        const char *path;
        int64_t rows;
        double mean, std; /* of the first so many digits of MNIST, from its IDX files */
    } files[] = {{"data/digits/train.npz", 2000, 0.13017818377, 0.30769771868},
                 {"data/digits/test.npz", 500, 0.12059544818, 0.29660101319}};
    for (int i = 0; i < 2; i++) {
        CASE("%s", files[i].path);
        weft_data *d = weft_data_npy(ctx(), files[i].path);
        if (!CHECK(d != NULL)) continue;
        CHECK_EQ(weft_data_rows(d), files[i].rows);
        const weft_field x = weft_data_field(d, (size_t)weft_data_find(d, "x"));
        const weft_field y = weft_data_field(d, (size_t)weft_data_find(d, "y"));
        CHECK_EQ(x.dtype, WEFT_U8);
        CHECK_EQ(x.dims.n[0], 28);
        CHECK_EQ(x.dims.n[1], 28);
        CHECK_EQ(y.classes, 10);
        int seen[10] = {0};
        for (int64_t k = 0; k < files[i].rows; k++) seen[world_u8(d, "y", k, 0)]++;
        for (int k = 0; k < 10; k++) /* near a tenth each */
            CHECK(seen[k] > files[i].rows / 15 && seen[k] < files[i].rows / 6);
        float mean, std;
        CHECK_EQ(weft_data_moments(d, 0, false, &mean, &std, 1), WEFT_OK);
        CHECK_NEAR(mean, files[i].mean, 1e-7);
        CHECK_NEAR(std, files[i].std, 1e-7);
        weft_data_free(d);
    }
}

TEST(nothing_is_needed_any_more) {
    weft_close(ctx());
}
