/* test_passing.c - gradients that updates take part by part, so that they never lie in memory.
 *
 * Each network learns twice from the same numbers: as compiled, and with its gradients fetched, which
 * keeps them in memory. The states must have the same bits, on any number of threads. How many
 * gradients pass is counted, so that nothing is compared with itself. */
#include "plan/plan.h"
#include "test.h"
#include <weft/nn.h>
#include <weft/optim.h>

#include <math.h>

enum { ROWS = 31, STEPS = 3, WORDS = 600, WIDTH = 544 };

/* ---- networks; their inputs are constants ---- */

static weft_tensor wave(weft_graph *g, weft_shape dims, float by) {
    int64_t n = 1;
    for (int d = 0; d < dims.rank; d++) n *= dims.n[d];
    const weft_tensor at = weft_cast(weft_iota(g, weft_dims(n), 0), WEFT_F32);
    return weft_reshape(weft_sin(weft_scale(at, by)), dims);
}

static weft_tensor dense(weft_graph *g, weft_state *s) {
    const weft_tensor y = weft_relu(weft_linear(s, wave(g, weft_dims(ROWS, 512), 0.7f), 640, "a"));
    return weft_mean(weft_square(weft_linear(s, y, 512, "b")), WEFT_ALL, false);
}

/* Weights [in, out], and sizes that fill no vector and no block. */
static weft_tensor odd(weft_graph *g, weft_state *s) {
    const weft_nn_linear_desc turned = {.transposed = true};
    const weft_tensor x = wave(g, weft_dims(29, 513), 0.3f);
    const weft_tensor y = weft_tanh(weft_nn_linear(s, x, 521, "a", &turned));
    return weft_mean(weft_square(weft_nn_linear(s, y, 5003, "b", &turned)), WEFT_ALL, false);
}

/* More rows than one block of k has. */
static weft_tensor deep(weft_graph *g, weft_state *s) {
    const weft_tensor x = wave(g, weft_dims(700, 523), 0.3f);
    const weft_tensor y = weft_tanh(weft_linear(s, x, 530, "a"));
    return weft_mean(weft_square(weft_linear(s, y, 1100, "b")), WEFT_ALL, false);
}

static weft_tensor words(weft_graph *g) { /* some of them several times */
    static const int32_t word[ROWS] = {5, 599, 0, 5, 5, 17, 47, 48, 49, 0, 300, 301, 17, 95, 96};
    return weft_const(g, WEFT_I32, weft_dims(ROWS), word);
}

/* Embedding and head are one table. */
static weft_tensor tied(weft_graph *g, weft_state *s) {
    const weft_init init = {WEFT_INIT_NORMAL, 0, 0.3f};
    const weft_tensor table = weft_param(g, s, "table", weft_dims(WORDS, WIDTH), init);
    const weft_tensor y = weft_linear(s, weft_embedding(table, words(g)), WIDTH, "a");
    const weft_tensor logits = weft_matmul(weft_tanh(y), weft_transpose(table, 0, 1));
    return weft_cross_entropy(logits, words(g));
}

/* A weight that is read twice: its gradient is a sum. */
static weft_tensor twice(weft_graph *g, weft_state *s) {
    const weft_init init = {WEFT_INIT_NORMAL, 0, 0.03f};
    const weft_tensor w = weft_param(g, s, "w", weft_dims(WIDTH, WIDTH), init);
    const weft_tensor y = weft_tanh(weft_matmul(wave(g, weft_dims(ROWS, WIDTH), 0.2f), w));
    return weft_mean(weft_square(weft_matmul(y, w)), WEFT_ALL, false);
}

/* The product that is the gradient of w reads two parameters, which change in the same run. */
static weft_tensor of_parameters(weft_graph *g, weft_state *s) {
    const weft_init init = {WEFT_INIT_NORMAL, 0, 0.1f};
    const weft_tensor x = weft_param(g, s, "x", weft_dims(300, 900), init);
    const weft_tensor w = weft_param(g, s, "w", weft_dims(900, 1000), init);
    const weft_tensor q = weft_param(g, s, "q", weft_dims(300, 1000), init);
    return weft_mean(weft_mul(weft_matmul(x, w), q), WEFT_ALL, false);
}

/* The gradient of v reads w when that of w has been made. */
static weft_tensor read_late(weft_graph *g, weft_state *s) {
    const weft_init init = {WEFT_INIT_NORMAL, 0, 0.05f};
    const weft_tensor w = weft_param(g, s, "w", weft_dims(WIDTH, WIDTH), init);
    const weft_tensor v = weft_param(g, s, "v", weft_dims(ROWS, WIDTH), init);
    const weft_tensor h = weft_tanh(weft_matmul(v, weft_stop_gradient(w)));
    return weft_mean(weft_square(weft_matmul(h, w)), WEFT_ALL, false);
}

/* ---- learning ---- */

typedef weft_tensor network(weft_graph *g, weft_state *s);

typedef struct learnt {
    uint64_t hash;
    int passing; /* gradients of matrices that never lay in memory */
    double loss; /* before the last step */
    size_t arena;
} learnt;

typedef struct lesson {
    network *net;
    weft_optimiser_desc d;
    const char *device;
    int threads;
    bool fetched, before; /* gradients; the parameters as they were before the step */
} lesson;

static learnt learn(const lesson *how) {
    learnt l = {.loss = NAN};
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = how->device, .threads = how->threads});
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_state_seed(s, 7);
    const weft_tensor loss = how->net(g, s);
    const weft_params p = weft_params_of(s, loss);
    weft_tensor fetch[20] = {loss};
    size_t n = 1;
    for (size_t i = 0; i < p.n && how->fetched; i++) fetch[n++] = p.grad[i];
    for (size_t i = 0; i < p.n && how->before; i++) fetch[n++] = weft_neg(p.param[i]);
    weft_plan *plan = weft_compile(g, &(weft_plan_desc){.fetch = {fetch, n},
                                                        .update = weft_optimise(s, p, &how->d),
                                                        .threads = how->threads});
    if (!CHECK(plan)) CHECK_STR(weft_error(c), "");
    for (int i = 0; plan && i < STEPS; i++) CHECK_EQ(weft_run(plan), WEFT_OK);
    if (plan) {
        l.loss = (double)weft_item(plan, loss);
        l.hash = weft_state_hash(s);
        l.arena = weft_plan_stats(plan).arena_bytes;
        for (size_t b = 0; b < plan->bufs; b++) l.passing += plan->buf[b].passing;
    }
    weft_plan_free(plan);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    return l;
}

static const weft_optimiser_desc adam = {.kind = WEFT_OPTIMISER_ADAM};

static const struct {
    const char *name;
    network *net;
    int passing;
} networks[] = {{"dense", dense, 2},
                {"odd", odd, 2},
                {"deep", deep, 2},
                {"tied", tied, 3}, /* of the table, with and without the rows that were read */
                {"twice", twice, 0},
                {"read late", read_late, 1},
                {"of parameters", of_parameters, 1}};

TEST(the_same_bits_as_gradients_in_memory) {
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        CASE("%s", networks[i].name);
        lesson how = {
            .net = networks[i].net, .d = adam, .device = "cpu", .threads = 1, .fetched = true};
        const learnt kept = learn(&how);
        CHECK_EQ(kept.passing, 0);
        how.fetched = false;
        for (how.threads = 1; how.threads <= 3; how.threads++) {
            const learnt passed = learn(&how);
            CHECK_EQ(passed.passing, networks[i].passing);
            CHECK(passed.hash == kept.hash);
            CHECK(passed.loss == kept.loss);
        }
    }
}

/* By momentum: Adam's first steps make much of gradients that are all but 0. */
TEST(as_the_reference_has_it) {
    const weft_optimiser_desc d = {.kind = WEFT_OPTIMISER_SGD, .lr = 0.01f, .momentum = 0.9f};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        if (networks[i].net == of_parameters || networks[i].net == deep)
            continue; /* too much for the reference */
        CASE("%s", networks[i].name);
        lesson how = {.net = networks[i].net, .d = d, .device = "cpu", .threads = 2};
        const learnt got = learn(&how);
        how.device = "ref";
        const learnt want = learn(&how);
        CHECK_EQ(got.passing, networks[i].passing);
        CHECK_NEAR(got.loss, want.loss, 1e-5 * fabs(want.loss));
    }
}

TEST(every_rule_that_is_a_block) {
    static const struct {
        const char *name;
        weft_optimiser_desc d;
        int passing;
    } rules[] = {
        {"adamw", {.kind = WEFT_OPTIMISER_ADAMW}, 3},
        {"adam, decay", {.kind = WEFT_OPTIMISER_ADAM, .decay = 0.1f}, 3},
        {"momentum", {.kind = WEFT_OPTIMISER_SGD, .momentum = 0.9f}, 3},
        {"nesterov", {.kind = WEFT_OPTIMISER_SGD, .momentum = 0.9f, .nesterov = true}, 3},
        {"clip value", {.kind = WEFT_OPTIMISER_ADAM, .clip_value = 1e-3f}, 3},
        {"average", {.kind = WEFT_OPTIMISER_ADAM, .ema = 0.9f}, 3},
        /* all gradients are needed before the first step can be taken */
        {"clip norm", {.kind = WEFT_OPTIMISER_ADAM, .clip_norm = 1e-3f}, 0},
        {"sums", {.kind = WEFT_OPTIMISER_ADAM, .accumulate = 2}, 0},
        {"sgd", {.kind = WEFT_OPTIMISER_SGD}, 0},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        CASE("%s", rules[i].name);
        lesson how = {.net = tied, .d = rules[i].d, .device = "cpu", .threads = 2};
        const learnt passed = learn(&how);
        how.fetched = true;
        const learnt kept = learn(&how);
        CHECK_EQ(passed.passing, rules[i].passing);
        CHECK_EQ(kept.passing, 0);
        CHECK(passed.hash == kept.hash);
    }
}

/* Whoever wants the parameter from before the run gets it. */
TEST(old_values_are_read_first) {
    lesson how = {.net = dense, .d = adam, .device = "cpu", .threads = 2, .before = true};
    const learnt passed = learn(&how);
    how.fetched = true;
    const learnt kept = learn(&how);
    CHECK_EQ(passed.passing, 2);
    CHECK(passed.hash == kept.hash);
}

TEST(memory_is_saved) {
    lesson how = {.net = dense, .d = adam, .device = "cpu", .threads = 1};
    const learnt passed = learn(&how);
    how.d.clip_norm = 1;
    const learnt kept = learn(&how);
    const size_t gradient = 640 * 512 * sizeof(float);
    CHECK(passed.arena < gradient && kept.arena > 2 * gradient);
}

/* A device whose memory no pointer reaches takes parts as well, and learns the same. */
TEST(elsewhere) {
    const learnt cpu = learn(&(lesson){.net = tied, .d = adam, .device = "cpu", .threads = 2});
    const learnt far = learn(&(lesson){.net = tied, .d = adam, .device = "far", .threads = 2});
    CHECK_EQ(far.passing, cpu.passing);
    CHECK(far.hash == cpu.hash);
}
