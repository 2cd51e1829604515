/* test_bench_truth.c - steps that are wrong on purpose: what checks the benchmarks must refuse them,
 * and name the parameter, and must let right ones pass.
 *
 * The loss is always that of the network as it should be. The step comes from a graph that differs:
 * gradients that are stopped, scaled or given to another parameter, updates left out, a formula with
 * other numbers. */
#include "cli/bench_reference.c"
#include "cli/bench_truth.c"
#include "test.h"

enum { ROWS = 6, IN = 5, WIDE = 5, OUT = 3 };

/*    name         what is named   what is wrong */
#define FAULTS(X)                                                                                  \
    X(RIGHT, "")             /* nothing */                                                         \
    X(STOPPED, "fc1.weight") /* the first layer does not learn */                                  \
    X(ZERO, "fc1.weight")    /* its gradient is all zeros */                                       \
    X(SCALED, "fc1.")        /* or 0.9 of what it is */                                            \
    X(PARTLY, "fc1.weight")  /* half of what it gives is seen as constant */                       \
    X(SWAPPED, "fc1.weight") /* two layers have each other's */                                    \
    X(LEFT_OUT, "fc2.bias")  /* one parameter stays as it is */                                    \
    X(LATE, "fc1.weight")    /* slots move, parameters do not */                                   \
    X(OTHER_DECAY, "fc1.weight")                                                                   \
    X(OTHER_RATE, "fc1.weight") /* the rate is not that in the state */                            \
    X(OTHER_LOSS, "loss")

typedef enum fault {
#define X(name, text) name,
    FAULTS(X)
#undef X
        FAULT_COUNT
} fault;
static const char *const fault_named[FAULT_COUNT] = {
#define X(name, text) text,
    FAULTS(X)
#undef X
};

typedef struct rig {
    weft_ctx *c;
    weft_state *s;
    weft_graph *right, *wrong;
    weft_tensor x[2], loss[2], same; /* of the right and the wrong graph; the reference's input */
    weft_plan *forward, *train;
    reference *by;
    fault f;
    weft_optimiser_desc d;
} rig;

static void rig_scale(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in, size_t n,
                      weft_tensor *out) {
    (void)y, (void)in;
    for (size_t i = 0; i < n; i++) out[i] = weft_scale(dy, *(const float *)user);
}

static weft_tensor rig_record(weft_graph *g, weft_state *s, fault f, weft_tensor *in) {
    const weft_tensor x = *in = weft_input(g, WEFT_F32, weft_dims(ROWS, IN));
    weft_tensor h = weft_linear(s, x, WIDE, "fc1");
    if (f == STOPPED) h = weft_stop_gradient(h);
    static float zero = 0, less = 0.9f;
    if (f == ZERO || f == SCALED)
        h = weft_custom_grad(weft_offset(h, 0.5f), weft_list(h), rig_scale,
                             f == ZERO ? &zero : &less);
    else h = weft_offset(h, 0.5f);
    h = weft_tanh(h);
    weft_tensor parts[2] = {weft_slice(h, 0, 0, ROWS / 2, 1), weft_slice(h, 0, ROWS / 2, ROWS, 1)};
    for (int i = 0; i < 2; i++) {
        parts[i] = weft_linear(s, parts[i], WIDE, "fc2");
        if (f == PARTLY && i) parts[i] = weft_stop_gradient(parts[i]);
    }
    h = weft_dropout(weft_relu(weft_concat((weft_tensors){parts, 2}, 0)), 0.25f);
    const weft_tensor y = weft_linear(s, h, OUT, "fc3");
    const weft_tensor loss = weft_mean(weft_square(weft_offset(y, -0.5f)), WEFT_ALL, false);
    return f == OTHER_LOSS ? weft_scale(loss, 1.001f) : loss;
}

static weft_updates rig_updates(rig *r) {
    weft_optimiser_desc d = r->d;
    weft_params p = weft_params_of(r->s, r->loss[1]);
    weft_tensor grad[6] = {{0}};
    if (!CHECK_EQ(p.n, r->f == STOPPED ? 4 : 6)) return (weft_updates){0};
    for (size_t i = 0; i < p.n; i++) grad[i] = p.grad[i];
    if (r->f == SWAPPED) grad[0] = p.grad[2], grad[2] = p.grad[0];
    p.grad = grad;
    if (r->f == OTHER_DECAY) d.decay += 0.5f;
    if (r->f == OTHER_RATE) d.schedule = (weft_schedule){.kind = WEFT_SCHEDULE_STEP, .gamma = 0.9f};
    weft_updates u = weft_optimise(r->s, p, &d);
    static weft_update some[64];
    size_t n = 0;
    for (size_t i = 0; i < u.n; i++) {
        const bool parameter = i < p.n; /* they stand first */
        if ((r->f == LEFT_OUT && i == 3) || (r->f == LATE && parameter)) continue;
        some[n++] = u.at[i];
    }
    return (weft_updates){some, n};
}

static weft_tensor rig_same(void *user, weft_graph *g, weft_state *s) {
    rig *const r = user;
    return rig_record(g, s, RIGHT, &r->same);
}

static bool rig_feed(weft_plan *p, weft_tensor x) {
    float *const at = weft_feed(p, x);
    for (int i = 0; at && i < ROWS * IN; i++) at[i] = (float)((i * 7 + 3) % 11) / 5 - 1;
    return at != NULL;
}

static bool rig_same_feed(void *user, weft_plan *p) {
    return rig_feed(p, ((const rig *)user)->same);
}

static weft_err rig_step(void *user) {
    return weft_run(((const rig *)user)->train);
}

static double rig_told(void *user) {
    const rig *const r = user;
    return (double)weft_item(r->train, r->loss[1]);
}

static double rig_loss(void *user) {
    const rig *const r = user;
    if (r->by) return reference_loss(r->by);
    return weft_run(r->forward) == WEFT_OK ? (double)weft_item(r->forward, r->loss[0]) : NAN;
}

static void rig_close(rig *r) {
    reference_free(r->by);
    weft_plan_free(r->train);
    weft_plan_free(r->forward);
    weft_graph_free(r->right);
    weft_graph_free(r->wrong);
    weft_state_free(r->s);
    weft_close(r->c);
}

static bool rig_open(rig *r, bool fine) {
    r->c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 1});
    r->s = weft_state_new(r->c);
    r->right = weft_graph_new(r->c);
    r->wrong = weft_graph_new(r->c);
    weft_state_seed(r->s, 3);
    r->loss[0] = rig_record(r->right, r->s, RIGHT, &r->x[0]);
    r->loss[1] = rig_record(r->wrong, r->s, r->f, &r->x[1]);
    r->train = weft_compile(
        r->wrong, &(weft_plan_desc){.fetch = weft_list(r->loss[1]), .update = rig_updates(r)});
    r->forward = weft_compile(r->right, &(weft_plan_desc){.fetch = weft_list(r->loss[0])});
    if (!CHECK(r->train && r->forward)) return CHECK_STR(weft_error(r->c), "");
    CHECK(rig_feed(r->train, r->x[1]) && rig_feed(r->forward, r->x[0]));
    if (fine) r->by = reference_new(r->s, &(reference_desc){rig_same, rig_same_feed, r});
    return !fine || CHECK(r->by != NULL);
}

/* What is said of a step with that fault: "" if it passes. */
static void rig_try(fault f, weft_optimiser_desc d, bool fine, char why[300]) {
    rig r = {.f = f, .d = d};
    truth t = {.optimiser = d,
               .step = rig_step,
               .told = rig_told,
               .loss = rig_loss,
               .fine = fine,
               .user = &r};
    if (rig_open(&r, fine)) {
        t.s = r.s;
        const bool good = truth_holds(&t, why, 300);
        CHECK_EQ(good, !*why);
    }
    rig_close(&r);
}

static weft_err rig_right_step(void *user) {
    rig *const both = user;
    return weft_run(both[1].train);
}

/* What is said of a step with that fault beside one without, of the same state. */
static void rig_beside(fault f, weft_optimiser_desc d, char why[300]) {
    rig both[2] = {{.f = f, .d = d}};
    if (rig_open(both, false)) {
        rig *const right = &both[1];
        *right = both[0];
        right->f = RIGHT;
        right->loss[1] = right->loss[0];
        right->train = weft_compile(right->right, &(weft_plan_desc){.update = rig_updates(right)});
        const truth t = {.s = right->s, .optimiser = d, .step = rig_right_step, .user = both};
        const bool fed = right->train && rig_feed(right->train, right->x[0]);
        if (CHECK(fed && !rig_right_step(both) && !rig_right_step(both))) {
            const bool good = truth_agrees(&t, rig_step, 1e-5, 1e-4, why, 300);
            CHECK_EQ(good, !*why);
        }
        weft_plan_free(right->train);
    }
    rig_close(both);
}

static const weft_optimiser_desc rig_kinds[] = {
    {.kind = WEFT_OPTIMISER_SGD, .lr = 0.1f, .decay = 0.01f},
    {.kind = WEFT_OPTIMISER_SGD, .lr = 0.05f, .momentum = 0.9f, .decay = 0.01f},
    {.kind = WEFT_OPTIMISER_ADAM, .lr = 0.01f, .decay = 0.01f},
    {.kind = WEFT_OPTIMISER_ADAMW, .lr = 0.01f, .decay = 0.5f},
};
enum { RIG_KINDS = sizeof rig_kinds / sizeof *rig_kinds };

TEST(faults) {
    for (int f = 0; f < FAULT_COUNT; f++)
        for (int k = 0; k < RIG_KINDS; k++)
            for (int fine = 0; fine < 2; fine++) {
                CASE("%s, optimiser %d, %s", f ? fault_named[f] : "right", k,
                     fine ? "fine" : "f32");
                char why[300] = "not tried";
                rig_try((fault)f, rig_kinds[k], fine, why);
                if (f == RIGHT) CHECK_STR(why, "");
                else CHECK_HAS(*why ? why : "nothing was said", fault_named[f]);
            }
}

TEST(two_plans) {
    for (int f = 0; f < OTHER_LOSS; f++)
        for (int k = 0; k < RIG_KINDS; k++) {
            CASE("%s, optimiser %d", f ? fault_named[f] : "right", k);
            char why[300] = "not tried";
            rig_beside((fault)f, rig_kinds[k], why);
            if (f == RIGHT) CHECK_STR(why, "");
            else CHECK_HAS(*why ? why : "nothing was said", fault_named[f]);
        }
}
