/* test_io_state.c - states in archives: which entries, under which names, all or nothing. */
#include "io_world.h"

static heap heap_of;
static weft_ctx *c;

/* A small network with statistics, an optimiser's companions and numbers of every type. */
static weft_state *make(uint32_t seed) {
    if (!c) c = heap_open(&heap_of);
    weft_state *s = weft_state_new(c);
    weft_state_seed(s, seed);
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 3));
    weft_tensor y = weft_linear(s, weft_tanh(weft_linear(s, x, 4, "fc1")), 2, "fc2");
    weft_buffer(g, s, "norm.mean", WEFT_F32, weft_dims(4),
                (weft_init){.kind = WEFT_INIT_NORMAL, .b = 1});
    weft_buffer(g, s, "count", WEFT_I32, WEFT_0D, (weft_init){.kind = WEFT_INIT_VALUE, .a = 7});
    weft_buffer(g, s, "half", WEFT_BF16, weft_dims(3), (weft_init){.kind = WEFT_INIT_ONES});
    weft_buffer(g, s, "flags", WEFT_BOOL, weft_dims(3), (weft_init){.kind = WEFT_INIT_ONES});
    weft_buffer(g, s, "nothing", WEFT_F32, weft_dims(0, 3), (weft_init){.kind = WEFT_INIT_ONES});
    weft_tensor loss = weft_sum(weft_square(weft_dropout(y, 0.5f)), WEFT_ALL, false);
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(loss), .update = weft_adam(s, loss, NULL)});
    CHECK(p);
    float feed[6] = {1, -2, 3, (float)seed, 0, 1};
    weft_set(p, x, feed, sizeof feed);
    CHECK_EQ(weft_run(p), WEFT_OK);
    weft_plan_free(p);
    weft_graph_free(g);
    return s;
}

static weft_archive *saved(weft_state *s, const weft_save_desc *d) {
    weft_archive *a = weft_archive_new(c);
    CHECK_EQ(weft_state_save(s, a, d), WEFT_OK);
    return a;
}

TEST(what_is_saved) {
    weft_state *s = make(1);
    static const struct {
        const char *what;
        weft_save_desc d;
        const char *in[4], *out[4];
    } row[] = {
        {"the model",
         {0},
         {"fc1.weight", "fc2.bias", "norm.mean", "count"},
         {"optim.lr", "optim.exp_avg.fc1.weight", "rng.seed", "rng.step"}},
        {"parameters", {.trained_only = true}, {"fc1.weight", "fc2.bias"}, {"norm.mean", "count"}},
        {"all",
         {.all = true},
         {"fc1.weight", "optim.step", "rng.step", "optim.exp_avg_sq.fc2.bias"},
         {"x"}},
        {"with a prefix",
         {.prefix = "model."},
         {"model.fc1.weight", "model.count"},
         {"fc1.weight"}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        weft_archive *a = saved(s, &row[i].d);
        for (int k = 0; k < 4; k++) {
            if (row[i].in[k] && !CHECK(weft_archive_has(a, row[i].in[k]))) puts(row[i].in[k]);
            if (row[i].out[k]) CHECK(!weft_archive_has(a, row[i].out[k]));
        }
        if (row[i].d.all) CHECK_EQ(weft_archive_count(a), weft_state_count(s));
        weft_archive_free(a);
    }
    weft_state_free(s);
}

TEST(there_and_back) {
    static const struct {
        const char *what;
        weft_save_desc save;
        weft_load_desc load;
        bool whole;
    } row[] = {
        {"the model", {0}, {0}, false},
        {"parameters", {.trained_only = true}, {.trained_only = true}, false},
        {"all", {.all = true}, {.all = true}, true},
        {"all, the model of it", {.all = true}, {0}, false},
        {"all, parameters of it", {.all = true}, {.trained_only = true}, false},
        {"with a prefix", {.all = true, .prefix = "a/b."}, {.all = true, .prefix = "a/b."}, true},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        weft_state *s = make(1), *t = make(2);
        CHECK(weft_state_hash(s) != weft_state_hash(t));
        weft_archive *a = saved(s, &row[i].save);
        if (!CHECK_EQ(weft_state_load(t, a, &row[i].load), WEFT_OK)) puts(weft_error(c));
        if (row[i].whole) CHECK_EQ(weft_state_hash(t), weft_state_hash(s));
        float p[12], q[12];
        weft_state_get(s, "fc1.weight", p, sizeof p);
        weft_state_get(t, "fc1.weight", q, sizeof q);
        CHECK_MEM(p, q, sizeof p);
        weft_state_get(s, "optim.exp_avg.fc1.weight", p, sizeof p);
        weft_state_get(t, "optim.exp_avg.fc1.weight", q, sizeof q);
        CHECK_EQ(memcmp(p, q, sizeof p) == 0, row[i].whole);
        weft_archive_free(a);
        weft_state_free(s);
        weft_state_free(t);
    }
}

/* Each row spoils a good archive; nothing at all may have changed afterwards. */
static void spoil_missing(weft_archive *a) {
    (void)a;
}
static void spoil_extra(weft_archive *a) {
    weft_archive_put(a, &(weft_array){"fc3.weight", WEFT_FILE_F32, {1, {1}}, "abcd", 4});
}
static void spoil_shape(weft_archive *a) {
    float v[12] = {0};
    weft_archive_put(a, &(weft_array){"fc1.weight", WEFT_FILE_F32, {2, {3, 4}}, v, sizeof v});
}
static void spoil_rank(weft_archive *a) {
    float v[4] = {0};
    weft_archive_put(a, &(weft_array){"norm.mean", WEFT_FILE_F32, {2, {4, 1}}, v, sizeof v});
}
static void spoil_kind(weft_archive *a) {
    int32_t v[4] = {0};
    weft_archive_put(a, &(weft_array){"norm.mean", WEFT_FILE_I32, {1, {4}}, v, sizeof v});
}
static void spoil_flags(weft_archive *a) {
    weft_archive_put(a, &(weft_array){"flags", WEFT_FILE_U8, {1, {3}}, "\0\1\0", 3});
}
static void spoil_range(weft_archive *a) {
    int64_t v = 1ll << 40;
    weft_archive_put(a, &(weft_array){"count", WEFT_FILE_I64, {0, {0}}, &v, sizeof v});
}

TEST(all_or_nothing) {
    static const struct {
        const char *what;
        void (*spoil)(weft_archive *a);
        bool without_fc2;
        weft_err code;
        const char *part;
    } row[] = {
        {"an array missing", spoil_missing, true, WEFT_STATE, "no array \"fc2.weight\""},
        {"an array too many", spoil_extra, false, WEFT_STATE, "no entry for \"fc3.weight\""},
        {"another shape", spoil_shape, false, WEFT_STATE,
         "\"fc1.weight\" is F32 [3,4], the state has F32 [4,3]"},
        {"another rank", spoil_rank, false, WEFT_STATE, "is F32 [4,1], the state has F32 [4]"},
        {"another kind", spoil_kind, false, WEFT_STATE, "is I32 [4], the state has F32 [4]"},
        {"numbers for flags", spoil_flags, false, WEFT_STATE, "is U8 [3], the state has BOOL [3]"},
        {"a number too large", spoil_range, false, WEFT_DTYPE,
         "count: values 0 to 0 are not all I32"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        weft_state *s = make(1), *t = make(2);
        weft_archive *full = saved(s, NULL), *a = weft_archive_new(c);
        for (size_t k = 0; k < weft_archive_count(full); k++) {
            weft_array x;
            weft_archive_at(full, k, &x);
            if (!row[i].without_fc2 || strcmp(x.name, "fc2.weight") != 0) weft_archive_put(a, &x);
        }
        row[i].spoil(a);
        uint64_t before = weft_state_hash(t);
        CHECK_EQ(weft_state_load(t, a, NULL), row[i].code);
        CHECK_HAS(weft_error(c), row[i].part);
        CHECK_EQ(weft_state_hash(t), before);
        weft_load_desc loose = {.allow_missing = true, .allow_extra = true};
        bool tolerable = row[i].without_fc2 || row[i].spoil == spoil_extra;
        CHECK_EQ(weft_state_load(t, a, &loose) == WEFT_OK, tolerable);
        CHECK_EQ(weft_state_hash(t) != before, tolerable);
        weft_archive_free(a);
        weft_archive_free(full);
        weft_state_free(s);
        weft_state_free(t);
    }
}

TEST(other_widths) {
    weft_state *s = make(1);
    weft_archive *a = saved(s, NULL);
    double w[12];
    uint16_t bias[4] = {0x3c00, 0xbc00, 0x3800, 0x0001}, mean[4] = {0x3f80, 0xbf80, 0x4000, 0};
    float half[3] = {1.0f, 2.5f, 1.00390625f};
    int64_t count = -3;
    for (int i = 0; i < 12; i++) w[i] = i + 0.1;
    weft_archive_put(a, &(weft_array){"fc1.weight", WEFT_FILE_F64, {2, {4, 3}}, w, sizeof w});
    weft_archive_put(a, &(weft_array){"fc1.bias", WEFT_FILE_F16, {1, {4}}, bias, sizeof bias});
    weft_archive_put(a, &(weft_array){"norm.mean", WEFT_FILE_BF16, {1, {4}}, mean, sizeof mean});
    weft_archive_put(a, &(weft_array){"half", WEFT_FILE_F32, {1, {3}}, half, sizeof half});
    weft_archive_put(a, &(weft_array){"count", WEFT_FILE_I64, {0, {0}}, &count, sizeof count});
    weft_archive_put(a, &(weft_array){"flags", WEFT_FILE_BOOL, {1, {3}}, "\0\7\1", 3});
    weft_archive_put(a,
                     &(weft_array){"bn.num_batches_tracked", WEFT_FILE_I64, {0, {0}}, &count, 8});
    if (!CHECK_EQ(weft_state_load(s, a, NULL), WEFT_OK)) puts(weft_error(c));
    float f[12];
    int32_t n;
    uint16_t h[3];
    unsigned char flags[3];
    weft_state_get(s, "fc1.weight", f, sizeof f);
    for (int i = 0; i < 12; i++) CHECK_EQ(f[i], (float)(i + 0.1));
    weft_state_get(s, "fc1.bias", f, 16);
    CHECK_EQ(f[0], 1);
    CHECK_EQ(f[3], 0x1p-24f);
    weft_state_get(s, "norm.mean", f, 16);
    CHECK_EQ(f[2], 2);
    weft_state_get(s, "half", h, sizeof h);
    CHECK_EQ(h[1], 0x4020);
    CHECK_EQ(h[2], 0x3f80); /* halfway: to even */
    weft_state_get(s, "count", &n, sizeof n);
    CHECK_EQ(n, -3);
    weft_state_get(s, "flags", flags, 3);
    CHECK_MEM(flags, "\0\1\1", 3);
    weft_archive_free(a);
    weft_state_free(s);
}

TEST(nonsense) {
    weft_state *s = make(1);
    weft_archive *a = weft_archive_new(c);
    CHECK_EQ(weft_state_save(NULL, a, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_state_save(s, NULL, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_state_load(NULL, a, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_state_load(s, NULL, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_state_save(s, a, &(weft_save_desc){.prefix = "\xff"}), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "not a valid name in a file");
    char longest[1030];
    memset(longest, 'p', sizeof longest);
    longest[1020] = 0;
    CHECK_EQ(weft_state_save(s, a, &(weft_save_desc){.prefix = longest}), WEFT_ARGUMENT);
    weft_archive_free(a);
    CHECK(weft_state_ctx(s) == c);
    CHECK(!weft_state_ctx(NULL));
    weft_graph *g = weft_graph_new(c);
    CHECK(weft_graph_ctx(g) == c);
    CHECK(!weft_graph_ctx(NULL));
    CHECK(!weft_resize(NULL, NULL, 5));
    weft_graph_free(g);
    weft_state_free(s);
}
