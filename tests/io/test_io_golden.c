/* test_io_golden.c - files that NumPy and PyTorch wrote (tools/golden_files.py), read here. */
#include "io_world.h"

static weft_ctx *c;

static void begin(void) {
    if (!c) c = weft_open("cpu");
}

/* The value of element i, as tools/golden_files.py makes it. */
static double value(const char *name, char kind, size_t i) {
    long v = (long)((i * 7 + strlen(name)) % 100);
    return kind == 'b'   ? v % 3 == 0
           : kind == 'f' ? (double)(v - 20) / 8
           : kind == 'i' ? (double)(v - 20)
                         : (double)v;
}

static void check_values(const weft_array *x, const char *name, char kind) {
    size_t n = x->bytes / weft_file_type_size(x->type);
    float *f = malloc(n * sizeof *f + 1);
    if (CHECK_EQ(weft_array_read_f32(c, x, f, n), WEFT_OK))
        for (size_t i = 0; i < n; i++)
            if (!CHECK_EQ(f[i], value(name, kind, i))) break;
    free(f);
}

static void check_shape(const weft_array *x) {
    static const struct {
        const char *name;
        weft_shape dims;
    } shape[] = {{"number", {0, {0}}},    {"vector", {1, {7}}},     {"empty", {3, {3, 0, 2}}},
                 {"matrix", {2, {3, 5}}}, {"cube", {3, {2, 3, 4}}}, {"large", {2, {40, 50}}}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        if (strcmp(x->name + 3, shape[i].name) != 0) continue;
        CHECK_EQ(x->dims.rank, shape[i].dims.rank);
        for (int k = 0; k < x->dims.rank; k++) CHECK_EQ(x->dims.n[k], shape[i].dims.n[k]);
        return;
    }
    CHECK(!"a shape that is known");
}

TEST(one_set_in_three_files) {
    begin();
    char want[66] = "", got[65];
    CHECK_EQ(file_get("tests/golden/arrays_hash.txt", want, 65), 65);
    want[64] = 0;
    static const char *const file[] = {"plain.npz", "packed.npz", "arrays.safetensors"};
    for (int k = 0; k < 3; k++) {
        CASE("%s", file[k]);
        char path[100];
        snprintf(path, sizeof path, "tests/golden/%s", file[k]);
        weft_archive *a = weft_archive_open(c, path);
        if (!CHECK(a)) {
            puts(weft_error(c));
            continue;
        }
        CHECK_EQ(weft_archive_count(a), 12 * 5 + 3);
        for (size_t i = 0; i < weft_archive_count(a); i++) {
            weft_array x;
            if (!CHECK_EQ(weft_archive_at(a, i, &x), WEFT_OK)) {
                puts(weft_error(c));
                continue;
            }
            bool unicode = x.name[2] != '.';
            check_values(&x, x.name, unicode ? 'f' : x.name[0]);
            if (!unicode) check_shape(&x);
        }
        CHECK(weft_archive_has(a, "größe/重み"));
        CHECK_EQ(weft_archive_hash(a, got), WEFT_OK);
        CHECK_STR(got, want);
        weft_archive_free(a);
    }
}

/* Deflated with codes of every length: byte k comes as often as the k-th of Fibonacci's numbers. */
TEST(long_codes) {
    begin();
    weft_archive *a = weft_archive_open(c, "tests/golden/skewed.npz");
    weft_array x;
    if (!CHECK(a) || !CHECK_EQ(weft_archive_find(a, "skewed", &x), WEFT_OK)) return;
    long seen[256] = {0}, now = 1, next = 1;
    for (size_t i = 0; i < x.bytes; i++) seen[((const unsigned char *)x.data)[i]]++;
    for (int k = 0; k < 256; k++) {
        CHECK_EQ(seen[k], k < 17 ? now : 0);
        long sum = now + next;
        now = next, next = sum;
        if (k >= 17) now = next = 0;
    }
    weft_archive_free(a);
}

TEST(versions_of_npy) {
    begin();
    for (int version = 1; version <= 3; version++) {
        CASE("version %d", version);
        char path[100], name[8];
        snprintf(path, sizeof path, "tests/golden/v%d.npy", version);
        snprintf(name, sizeof name, "v%d", version);
        weft_archive *a = weft_archive_open(c, path);
        weft_array x;
        if (!CHECK(a) || !CHECK_EQ(weft_archive_find(a, name, &x), WEFT_OK)) continue;
        CHECK_EQ(x.dims.n[0], 3);
        CHECK_EQ(x.dims.n[1], 5);
        check_values(&x, name, 'f');
        weft_archive_free(a);
    }
}

/* A network recorded under PyTorch's names takes PyTorch's file as it is, and gives one back. */
TEST(a_network_of_pytorch) {
    begin();
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(5, 3));
    x = weft_linear(s, x, 4, "0");
    static const char *const of_norm[] = {"1.weight", "1.bias"};
    for (int i = 0; i < 2; i++) weft_param(g, s, of_norm[i], weft_dims(4), (weft_init){0});
    static const char *const statistics[] = {"1.running_mean", "1.running_var"};
    for (int i = 0; i < 2; i++)
        weft_buffer(g, s, statistics[i], WEFT_F32, weft_dims(4), (weft_init){0});
    weft_linear(s, x, 2, "2");
    weft_graph_free(g);
    weft_archive *a = weft_archive_open(c, "tests/golden/torch.safetensors");
    if (!CHECK(a)) puts(weft_error(c));
    CHECK_STR(weft_archive_text_of(a, "format"), "pt");
    if (!CHECK_EQ(weft_state_load(s, a, NULL), WEFT_OK)) puts(weft_error(c));
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        weft_state_entry(s, i, &e);
        CASE("%s", e.name);
        float v[16];
        weft_state_get(s, e.name, v, e.bytes);
        for (size_t k = 0; k < e.bytes / sizeof *v; k++) CHECK_EQ(v[k], value(e.name, 'f', k));
    }
    weft_array n;
    int32_t count;
    CHECK_EQ(weft_archive_find(a, "1.num_batches_tracked", &n), WEFT_OK);
    CHECK_EQ(weft_array_read_i32(c, &n, &count, 1), WEFT_OK);
    CHECK_EQ(count, 0);
    weft_archive_free(a);
    weft_state_free(s);
}
