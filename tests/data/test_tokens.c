/* test_tokens.c - files of tokens: windows, loaders, splits, and files that must be refused. */
#include "data_refused.h"

static uint16_t narrow[1000];
static uint32_t wide[1000];

/* Numbers that differ from their neighbours, below 500. */
static weft_bytes file_of(int bits) {
    for (int i = 0; i < 1000; i++) wide[i] = narrow[i] = (uint16_t)(i * 7 % 500);
    return bits == 16 ? world_bytes("t.bin", narrow, sizeof narrow)
                      : world_bytes("t.bin", wide, sizeof wide);
}

static int token(int64_t i) {
    return (int)(i * 7 % 500);
}

/* Element k of a field's row, as it is stored. */
static int stored(const weft_data *d, const char *field, int64_t row, int64_t k) {
    const weft_field f = weft_data_field(d, (size_t)weft_data_find(d, field));
    const char *const at = (const char *)f.rows + (size_t)row * f.row_bytes;
    uint16_t a;
    int32_t b;
    memcpy(&a, at + 2 * (f.bits ? k : 0), 2);
    if (f.bits) return a;
    memcpy(&b, at + 4 * k, 4);
    return b;
}

TEST(windows_and_their_targets) {
    for (int bits = 16; bits <= 32; bits += 16) {
        CASE("%d bits", bits);
        weft_data *const d = weft_data_parse_tokens(
            ctx(), file_of(bits),
            &(weft_tokens_desc){.length = 10, .stride = 3, .classes = 500, .bits = bits});
        if (!CHECK(d != NULL)) continue;
        CHECK_EQ(weft_data_rows(d), (1000 - 1 - 10) / 3 + 1);
        const weft_field x = weft_data_field(d, 0);
        CHECK_EQ(x.dtype, WEFT_I32);
        CHECK_EQ(x.bits, bits == 16 ? 16 : 0);
        CHECK_EQ(x.classes, 500);
        for (int64_t row = 0; row < weft_data_rows(d); row++)
            for (int k = 0; k < 10; k++) {
                CHECK_EQ(stored(d, "x", row, k), token(3 * row + k));
                CHECK_EQ(stored(d, "y", row, k), token(3 * row + k + 1));
            }
        weft_data_free(d);
    }
    CHECK_EQ(memory.live, idle);
}

TEST(each_token_is_a_target_once) {
    weft_data *const d = weft_data_parse_tokens(ctx(), file_of(16),
                                                &(weft_tokens_desc){.length = 37, .classes = 500});
    int64_t next = 1;
    for (int64_t row = 0; row < weft_data_rows(d); row++)
        for (int k = 0; k < 37; k++, next++) CHECK_EQ(stored(d, "y", row, k), token(next));
    CHECK(next > 1000 - 37 && next <= 1000);
    weft_data_free(d);
}

TEST(batches_are_a_function_of_the_step) {
    for (int bits = 16; bits <= 32; bits += 16) {
        CASE("%d bits", bits);
        weft_data *const d = weft_data_parse_tokens(
            ctx(), file_of(bits),
            &(weft_tokens_desc){.length = 9, .stride = 1, .classes = 500, .bits = bits});
        weft_loader *const l =
            weft_loader_new(ctx(), &(weft_loader_desc){.data = d, .batch = 16, .seed = 5});
        weft_loader *const m = weft_loader_new(
            ctx(), &(weft_loader_desc){.data = d, .batch = 16, .seed = 5, .prefetch = -1});
        CHECK_EQ(weft_loader_steps(l), 991 / 16);
        CHECK_EQ(weft_loader_field(l, 0).bits, 0);
        CHECK_EQ(weft_loader_field(l, 0).dtype, WEFT_I32);
        bool drawn[991] = {false};
        for (int64_t step = 0; step < weft_loader_steps(l); step++) {
            const void *p[2], *q[2];
            CHECK(weft_loader_at(l, step, p) == WEFT_OK && weft_loader_at(m, step, q) == WEFT_OK);
            CHECK_MEM(p[0], q[0], 16 * 9 * 4);
            for (int i = 0; i < 16; i++) {
                const int64_t row = weft_loader_row(l, step, i);
                CHECK(!drawn[row]);
                drawn[row] = true;
                for (int k = 0; k < 9; k++) {
                    CHECK_EQ(((const int32_t *)p[0])[i * 9 + k], token(row + k));
                    CHECK_EQ(((const int32_t *)p[1])[i * 9 + k], token(row + k + 1));
                }
            }
        }
        weft_loader_free(l);
        weft_loader_free(m);
        weft_data_free(d);
    }
}

TEST(parts_of_a_file) {
    weft_data *d = weft_data_parse_tokens(
        ctx(), file_of(16), &(weft_tokens_desc){.length = 8, .classes = 500, .from = 900});
    CHECK_EQ(weft_data_rows(d), (100 - 1 - 8) / 8 + 1);
    CHECK_EQ(stored(d, "x", 0, 0), token(900));
    weft_data_free(d);
    d = weft_data_parse_tokens(
        ctx(), file_of(16),
        &(weft_tokens_desc){.length = 8, .stride = 1, .classes = 500, .to = 100});
    CHECK_EQ(weft_data_rows(d), 92);
    CHECK_EQ(stored(d, "y", 91, 7), token(99));
    weft_data *part[2]; /* drawn rows are copied, in 16 bits */
    CHECK(weft_data_split(d, &(weft_split_desc){.share = {1, 1}}, part) == WEFT_OK);
    for (int64_t row = 0; row < weft_data_rows(part[0]); row++) {
        const int first = stored(part[0], "x", row, 0);
        for (int k = 0; k < 8; k++)
            CHECK_EQ(stored(part[0], "y", row, k), (first + 7 * (k + 1)) % 500);
    }
    weft_data_free(part[0]);
    weft_data_free(part[1]);
    weft_data_free(d);
    CHECK_EQ(memory.live, idle);
}

TEST(the_width_follows_from_the_vocabulary) {
    weft_data *d =
        weft_data_parse_tokens(ctx(), file_of(16), &(weft_tokens_desc){.classes = 65536});
    CHECK_EQ(weft_data_field(d, 0).bits, 16);
    weft_data_free(d);
    d = weft_data_parse_tokens(ctx(), file_of(32), &(weft_tokens_desc){.classes = 65537});
    CHECK_EQ(weft_data_field(d, 0).bits, 0);
    weft_data_free(d);
    const world_file f = world_write(narrow, sizeof narrow);
    d = weft_data_tokens(ctx(), f.path, &(weft_tokens_desc){.classes = 500});
    CHECK_EQ(weft_data_rows(d), (1000 - 65) / 64 + 1);
    weft_data_free(d);
    unlink(f.path);
}

TEST(numbers_of_16_bits_in_memory) {
    const weft_field f = {
        .name = "x", .dtype = WEFT_I32, .bits = 16, .dims = weft_dims(2), .rows = narrow};
    file_of(16);
    weft_data *const d = weft_data_memory(ctx(), &f, 1, 500, true);
    CHECK_EQ(stored(d, "x", 3, 1), token(7));
    weft_data_free(d);
    const weft_field odd[] = {{.name = "x", .dtype = WEFT_F32, .bits = 16, .rows = narrow},
                              {.name = "x", .dtype = WEFT_I32, .bits = 8, .rows = narrow}};
    for (int i = 0; i < 2; i++) {
        fresh();
        refused(weft_data_memory(ctx(), &odd[i], 1, 5, false), WEFT_ARGUMENT, "16 bits are for i32",
                100);
    }
    weft_data *const t =
        weft_data_parse_tokens(ctx(), file_of(16), &(weft_tokens_desc){.classes = 500});
    const float mean = 0;
    CHECK(weft_loader_new(ctx(), &(weft_loader_desc){
                                     .data = t, .mean = &mean, .moments = 1, .batch = 2}) == NULL);
    weft_data_free(t);
}

TEST(what_is_refused) {
    const weft_tokens_desc good = {.length = 10, .classes = 500};
    const weft_bytes file = file_of(16);
    weft_tokens_desc d = good;
    fresh();
    refused(weft_data_parse_tokens(ctx(), file, NULL), WEFT_ARGUMENT, "0 classes", file.bytes);
    d.classes = 499;
    refused(weft_data_parse_tokens(ctx(), file, &d), WEFT_FORMAT,
            "token 357: it is none of the 499", file.bytes);
    d = good, d.classes = 400, d.bits = 32;
    wide[7] = 0xffffffffu;
    refused(weft_data_parse_tokens(ctx(), world_bytes("w.bin", wide, sizeof wide), &d), WEFT_FORMAT,
            "w.bin: offset 28: token 7", sizeof wide);
    d = good, d.length = 1000;
    refused(weft_data_parse_tokens(ctx(), file, &d), WEFT_FORMAT, "need one more", file.bytes);
    d = good, d.length = -1;
    refused(weft_data_parse_tokens(ctx(), file, &d), WEFT_ARGUMENT, "length -1", file.bytes);
    d = good, d.stride = INT64_MAX;
    refused(weft_data_parse_tokens(ctx(), file, &d), WEFT_ARGUMENT, "stride", file.bytes);
    d = good, d.bits = 8;
    refused(weft_data_parse_tokens(ctx(), file, &d), WEFT_ARGUMENT, "8 bits", file.bytes);
    d = good, d.from = 990, d.to = 1001;
    refused(weft_data_parse_tokens(ctx(), file, &d), WEFT_ARGUMENT, "tokens 990 to 1001 of 1000",
            file.bytes);
    d = good, d.from = -1;
    refused(weft_data_parse_tokens(ctx(), file, &d), WEFT_ARGUMENT, "tokens -1", file.bytes);
    refused(weft_data_parse_tokens(ctx(), world_bytes("odd", narrow, 101), &good), WEFT_FORMAT,
            "the last has 1 bytes", 101);
    refused(weft_data_parse_tokens(ctx(), world_bytes("none", "", 0), &good), WEFT_ARGUMENT,
            "tokens 0 to 0", 0);
    refused(weft_data_parse_tokens(ctx(), (weft_bytes){0}, &good), WEFT_ARGUMENT, "no bytes", 0);
    refused(weft_data_tokens(ctx(), "/nowhere", &good), WEFT_FILE, "/nowhere", 0);
}
