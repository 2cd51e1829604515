/* test_nn_stored.c - layers whose weights are read only, in 16 or 8 bits: the same product as from
 * the values they stand for, entries of the state that are not trained. */
#include "one_graph.h"
#include "test.h"
#include "weft/io.h"
#include "weft/nn.h"

#include <stdio.h>

enum { ROWS = 3, IN = 24, OUT = 40, WORDS = 11 };
static const weft_dtype types[] = {WEFT_BF16, WEFT_F16, WEFT_I8};

static int8_t small(int i) { /* exact in every type */
    return (int8_t)(i * 37 % 101 - 50);
}
static float factor(int i) {
    return 0.25f + (float)(i % 5) * 0.5f;
}

/* Sets entry `name` of n numbers, of which each `group` has a factor. */
static void fill(const char *name, weft_dtype t, int n, int group, bool columns) {
    static char bytes[4 * IN * OUT];
    static float v[IN * OUT];
    for (int i = 0; i < n; i++) v[i] = small(i);
    const weft_array from = {name, WEFT_FILE_F32, weft_dims(n), v, (size_t)n * sizeof *v};
    const weft_file_type to = weft_file_type_of(t);
    const size_t size = (size_t)n * weft_file_type_size(to);
    if (t == WEFT_I8)
        for (int i = 0; i < n; i++) bytes[i] = small(i);
    else CHECK_EQ(weft_array_convert(c, &from, to, bytes, size), WEFT_OK);
    CHECK_EQ(weft_state_set(s, name, bytes, size), WEFT_OK);
    if (t != WEFT_I8) return;
    char scale[80];
    const int m = columns ? group : n / group;
    for (int i = 0; i < m; i++) v[i] = factor(i);
    snprintf(scale, sizeof scale, "%s_scale", name);
    CHECK_EQ(weft_state_set(s, scale, v, (size_t)m * sizeof *v), WEFT_OK);
}

static void run(weft_tensor x, const void *in, size_t n, weft_tensor y, float *out) {
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    CHECK_EQ(weft_set(p, x, in, n), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, y, out, (size_t)weft_count(y) * sizeof *out), WEFT_OK);
    weft_plan_free(p);
}

TEST(a_linear_layer_reads_narrow_weights) {
    for (int t = 0; t < 3; t++)
        for (int transposed = 0; transposed < 2; transposed++) {
            CASE("%s%s", weft_dtype_name(types[t]), transposed ? " transposed" : "");
            begin();
            float x[ROWS * IN], y[ROWS * OUT], want[ROWS * OUT];
            for (int i = 0; i < ROWS * IN; i++) x[i] = (float)(i % 7) - 3;
            weft_tensor in = weft_input(g, WEFT_F32, weft_dims(ROWS, IN));
            weft_tensor out =
                weft_nn_linear(s, in, OUT, "fc",
                               &(weft_nn_linear_desc){
                                   .no_bias = true, .transposed = transposed, .stored = types[t]});
            fill("fc.weight", types[t], IN * OUT, transposed ? OUT : IN, transposed);
            run(in, x, sizeof x, out, y);
            for (int r = 0; r < ROWS; r++)
                for (int o = 0; o < OUT; o++) {
                    double sum = 0;
                    for (int i = 0; i < IN; i++)
                        sum += (double)x[r * IN + i] * small(transposed ? i * OUT + o : o * IN + i);
                    want[r * OUT + o] = (float)(sum * (types[t] == WEFT_I8 ? factor(o) : 1));
                }
            CHECK_ARRAY(y, want, ROWS * OUT, 1e-6);
            weft_entry e;
            CHECK_EQ(weft_state_entry(s, 0, &e), WEFT_OK);
            CHECK(!e.trained && e.dtype == types[t]);
            end();
        }
}

TEST(an_embedding_reads_narrow_rows) {
    for (int t = 0; t < 3; t++) {
        CASE("%s", weft_dtype_name(types[t]));
        begin();
        const int32_t index[] = {4, 0, 10, 4};
        float y[4 * IN];
        weft_tensor in = weft_input(g, WEFT_I32, weft_dims(2, 2));
        weft_tensor out = weft_nn_embedding(s, in, WORDS, IN, "words",
                                            &(weft_nn_embedding_desc){.stored = types[t]});
        fill("words.weight", types[t], WORDS * IN, IN, false);
        run(in, index, sizeof index, out, y);
        for (int i = 0; i < 4 * IN; i++) {
            const int row = index[i / IN];
            CHECK_EQ(y[i], small(row * IN + i % IN) * (types[t] == WEFT_I8 ? factor(row) : 1));
        }
        end();
    }
}

TEST(other_types_are_refused) {
    begin();
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(ROWS, IN));
    CHECK(!weft_ok(weft_nn_linear(s, x, OUT, "fc", &(weft_nn_linear_desc){.stored = WEFT_U8})));
    CHECK_EQ(weft_graph_error(g), WEFT_DTYPE);
    CHECK(!weft_compile(g, &(weft_plan_desc){.fetch = weft_list(x)}));
    CHECK_HAS(weft_error(c), "expected f32, bf16, f16 or i8, got u8");
    end();
}
