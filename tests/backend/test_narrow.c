/* test_narrow.c - products by weights of 16 and 8 bits, against the reference device.
 *
 * Every type, both orders of the weights, every kind of factor, few rows and many; and what must
 * keep the widened copy: other readers, results, weights that change before they are read. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "backend/backend.h"
#include "backend/cpu/narrow.h"
#include "test.h"

#include <weft/weft.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE_NONE, SCALE_NUMBER, SCALE_INPUT, SCALE_ROWS, SCALE_COLUMNS, SCALES };
enum { KEEP_NOTHING, KEEP_RESULT, KEEP_READER, KEEPS };

typedef struct sample {
    weft_dtype type;
    int m, k, n, scale, keep, threads;
    bool along, epilogue;
} sample;

/* Small numbers of every type: no sum is far from exact. */
static void fill_weights(void *to, weft_dtype type, int64_t n, unsigned seed) {
    srand(seed);
    for (int64_t i = 0; i < n; i++) {
        const int r = rand();
        if (type == WEFT_I8) ((int8_t *)to)[i] = (int8_t)r;
        else ((uint16_t *)to)[i] = (uint16_t)((type == WEFT_BF16 ? 0x3f00 : 0x3800) ^ (r & 0x81ff));
    }
}

static int64_t left_out(const weft_plan *p) {
    if (p->ctx->backend == &backend_far) p = p->program; /* the CPU's plan inside */
    uint32_t *of = calloc(p->steps + 1, sizeof *of);
    narrow *list = NULL;
    int64_t n = 0;
    CHECK_EQ(narrow_find(p, of, &list), WEFT_OK);
    for (size_t i = 0; i < p->steps; i++) n += of[i] && p->step[i].kind == STEP_KERNEL;
    mem_free(p->m, list);
    free(of);
    return n;
}

/* The product on a device; y has room for m * n. */
static bool product(const char *device, const sample *s, float *y, int64_t *out) {
    weft_ctx *c = weft_open(device);
    weft_graph *g = c ? weft_graph_new(c) : NULL;
    if (!CHECK(g != NULL)) return false;
    const int rows = s->along ? s->n : s->k, columns = s->along ? s->k : s->n;
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(s->m, s->k));
    const weft_tensor w = weft_input(g, s->type, weft_dims(rows, columns));
    const weft_tensor by =
        weft_input(g, WEFT_F32,
                   s->scale == SCALE_ROWS ? weft_dims(rows, 1)
                                          : weft_dims(1, s->scale == SCALE_COLUMNS ? columns : 1));
    weft_tensor wide = weft_cast(w, WEFT_F32);
    if (s->scale == SCALE_NUMBER) wide = weft_mul(wide, weft_scalar(g, 0.03f));
    else if (s->scale != SCALE_NONE) wide = weft_mul(wide, by);
    weft_tensor r = weft_matmul(x, s->along ? weft_transpose(wide, 0, 1) : wide);
    if (s->epilogue) r = weft_tanh(weft_relu(r));
    weft_tensor fetch[2] = {r, s->keep == KEEP_RESULT ? wide : weft_exp(weft_mul(wide, wide))};
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = s->keep ? weft_list(fetch[0], fetch[1]) : weft_list(r),
                             .threads = s->threads});
    bool good = CHECK(p != NULL);
    if (good) {
        float *fx = weft_feed(p, x), *fs = s->scale > SCALE_NUMBER ? weft_feed(p, by) : NULL;
        fill_weights(weft_feed(p, w), s->type, (int64_t)s->k * s->n, 7);
        for (int i = 0; i < s->m * s->k; i++) fx[i] = (float)(rand() % 2001 - 1000) * 1e-3f;
        for (int64_t i = 0; fs && i < weft_count(by); i++) fs[i] = (float)(1 + rand() % 7) * 0.01f;
        if (out) *out = left_out(p);
        good = CHECK_EQ(weft_run(p), WEFT_OK) &&
               CHECK_EQ(weft_get(p, r, y, sizeof *y * (size_t)(s->m * s->n)), WEFT_OK);
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
    return good;
}

static void compare(const sample *s) {
    const size_t count = (size_t)(s->m * s->n);
    float *a = malloc(count * 4), *b = malloc(count * 4);
    sample one = *s;
    int64_t skipped = 0;
    CASE("%s %dx%dx%d %s, factor %d, keeps %d", weft_dtype_name(s->type), s->m, s->k, s->n,
         s->along ? "NT" : "NN", s->scale, s->keep);
    one.threads = 1;
    if (product("cpu", &one, a, &skipped) && product("ref", &one, b, NULL)) {
        const double largest = s->type == WEFT_I8 ? 128 : 1;
        double worst = 0;
        for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs((double)a[i] - b[i]));
        CHECK(worst <= 2e-6 * largest * s->k);
        /* 16 bits without a factor are read as they are: there is no step that widens them */
        const bool widened = s->type == WEFT_I8 || s->scale;
        CHECK_EQ(skipped, s->keep || !widened ? 0 : 1);
        for (one.threads = 2; one.threads <= 3; one.threads++)
            if (product("cpu", &one, b, NULL)) CHECK_MEM(b, a, count * 4);
    }
    free(a), free(b);
}

TEST(every_type_and_factor) {
    static const weft_dtype types[] = {WEFT_BF16, WEFT_F16, WEFT_I8};
    static const int shapes[][3] = {{1, 40, 70},   {3, 100, 33}, {9, 513, 20},
                                    {70, 64, 600}, {2, 3000, 5}, {16, 7, 1100},
                                    {5, 1, 9},     {0, 5, 7},    {4, 9, 1}};
    for (size_t t = 0; t < 3; t++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            for (int scale = 0; scale < SCALES; scale++) {
                const int *n = shapes[i];
                sample s = {.type = types[t], .m = n[0], .k = n[1], .n = n[2], .scale = scale};
                if (test_sanitized() && (i + (size_t)scale + t) % 3) continue;
                if ((s.n == 1 || s.k == 1) && scale > SCALE_INPUT) continue;
                compare(&s);
                s.along = true, s.epilogue = i % 2;
                compare(&s);
            }
}

TEST(others_read_it) {
    for (int keep = KEEP_RESULT; keep < KEEPS; keep++)
        for (int scale = 0; scale < 2; scale++) {
            compare(&(sample){
                .type = WEFT_BF16, .m = 3, .k = 50, .n = 40, .scale = scale, .keep = keep});
            compare(&(sample){.type = WEFT_I8,
                              .m = 3,
                              .k = 50,
                              .n = 40,
                              .scale = scale,
                              .keep = keep,
                              .along = true});
        }
}

/* The state's new value must not be seen by the product of the old one. */
TEST(weights_that_change) {
    for (int order = 0; order < 2; order++) {
        float y[2][4 * 32];
        for (int device = 0; device < 2; device++) {
            weft_ctx *c = weft_open(device ? "ref" : "cpu");
            weft_state *st = weft_state_new(c);
            weft_graph *g = weft_graph_new(c);
            const weft_tensor half =
                weft_buffer(g, st, "w", WEFT_BF16, weft_dims(48, 32), (weft_init){0});
            const weft_tensor x = weft_full(g, weft_dims(4, 48), 0.25f);
            const weft_tensor wide = weft_cast(half, WEFT_F32);
            weft_tensor r = weft_matmul(x, wide), next = weft_offset(wide, 1.5f);
            if (order) { /* another product, after the new value is there */
                next = weft_add(weft_full(g, weft_dims(48, 32), 0.5f),
                                weft_sum(r, weft_axes(0), false));
                r = weft_matmul(weft_transpose(weft_slice(next, 1, 0, 4, 1), 0, 1), wide);
            }
            weft_plan *p = weft_compile(
                g, &(weft_plan_desc){.fetch = weft_list(r),
                                     .update = weft_assign(half, weft_cast(next, WEFT_BF16)),
                                     .threads = 1});
            if (CHECK(p != NULL)) {
                for (int run = 0; run < 3; run++) CHECK_EQ(weft_run(p), WEFT_OK);
                CHECK_EQ(weft_get(p, r, y[device], sizeof y[device]), WEFT_OK);
            }
            weft_plan_free(p);
            weft_graph_free(g);
            weft_state_free(st);
            weft_close(c);
        }
        for (int i = 0; i < 4 * 32; i++) CHECK_NEAR(y[0][i], y[1][i], 1e-4);
    }
}
