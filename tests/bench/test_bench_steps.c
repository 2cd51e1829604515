/* test_bench_steps.c - attention without a gradient in q or k, or with one that is a little wrong, in
 * a step too large for the reference: what checks training steps before they are timed must say so.
 *
 * GPT-2's initial values hide such faults, since at first all places get the same attention. */
#include "base/snapshot.c"
#include "cli/bench_reference.c"
#include "cli/bench_steps.c"
#include "cli/bench_truth.c"
#include "cli/recipes.c"
#include "test.h"

#include <stdarg.h>

/* ---- what the command does elsewhere ---- */

static char said[600];

int bench_wrong(const bench *b, const char *format, ...) {
    (void)b;
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    return EXIT_RESOURCES;
}

int bench_failed(const bench *b, const char *what) {
    return bench_wrong(b, "%s: %s", what, weft_error(b->ctx));
}

void bench_fill(bench_random *r, float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        r->state = r->state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (float)(r->state >> 40) * 0x1p-23f - 1;
    }
}

void bench_fill_integers(bench_random *r, int32_t *x, int64_t n, int32_t limit) {
    float u;
    for (int64_t i = 0; i < n; i++) {
        bench_fill(r, &u, 1);
        x[i] = (int32_t)((u + 1) * 0.5f * (float)limit);
    }
}

int bench_plan_time(bench *b, weft_plan *p, bench_line *l) {
    (void)b, (void)p, (void)l;
    return EXIT_GOOD;
}

void bench_text(bench_line *l, const char *name, const char *text) {
    (void)l, (void)name, (void)text;
}

void bench_number(bench_line *l, const char *name, double number) {
    (void)l, (void)name, (void)number;
}

void bench_write(bench *b, const bench_line *l) {
    (void)b, (void)l;
}

/* ---- a step with a fault ---- */

typedef struct fault {
    const char *of; /* whose gradient: "q", "k" or "v" */
    float share;    /* what is left of it */
} fault;
static fault fault_now;

static void fault_rule(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in, size_t n,
                       weft_tensor *out) {
    (void)user, (void)y, (void)in, (void)n;
    out[0] = weft_scale(dy, fault_now.share);
}

static weft_tensor fault_layer(weft_state *s, weft_tensor x, const char *name) {
    const weft_nn_linear_desc d = {.no_bias = true}; /* that of k has no gradient but rounding */
    const weft_tensor y = weft_nn_linear(s, x, weft_dim(x, -1), name, &d);
    if (strcmp(name, fault_now.of) != 0) return y;
    return weft_custom_grad(weft_scale(y, 1), weft_list(y), fault_rule, NULL);
}

/* Attention over 256 places; one example is more than the reference is asked for. */
static recipe fault_step(weft_graph *g, weft_state *s, recipe_size size) {
    const int64_t width = size.small ? 8 : 320, places = size.small ? 8 : 256;
    recipe step = {.batch = 1};
    const weft_tensor x = recipe_input(&step, g, weft_dims(step.batch, places, width), 0);
    const weft_tensor y = recipe_input(&step, g, weft_dims(step.batch, places, width), 0);
    const weft_tensor got =
        weft_attention(fault_layer(s, x, "q"), fault_layer(s, x, "k"), fault_layer(s, x, "v"),
                       &(weft_attention_desc){.causal = true});
    const float scale = 256; /* f16 has gradients of this size */
    step.loss = weft_scale(weft_mse(weft_linear(s, got, width, "last"), y), scale);
    step.update = recipe_adam(s, &step, 1e-3f, 0.1f);
    return step;
}

static int fault_tried(weft_dtype mixed, fault f) {
    bench b = {.ctx = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 2}),
               .threads = 2,
               .mixed = mixed};
    step_job j;
    *said = 0;
    fault_now = f;
    int status = step_open(&j, &b, fault_step, false);
    CHECK(step_example(&j) > step_enough);
    if (status == EXIT_GOOD) status = step_check(&j);
    step_close(&j);
    weft_close(b.ctx);
    return status;
}

TEST(right) {
    const weft_dtype types[] = {WEFT_F32, WEFT_BF16, WEFT_F16};
    for (size_t i = 0; i < 3; i++) {
        CASE("%s", weft_dtype_name(types[i]));
        CHECK_EQ(fault_tried(types[i], (fault){.of = ""}), EXIT_GOOD);
        CHECK_STR(said, "");
    }
}

TEST(wrong) {
    static const fault faults[] = {{"q", 0},     {"k", 0},     {"v", 0},
                                   {"q", 0.97f}, {"k", 0.97f}, {"v", 0.97f}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        CASE("%g of %s", faults[i].share, faults[i].of);
        CHECK_EQ(fault_tried(WEFT_F32, faults[i]), EXIT_RESOURCES);
        char name[32];
        snprintf(name, sizeof name, "gradient of %s.", faults[i].of);
        CHECK_HAS(said, name);
    }
}
