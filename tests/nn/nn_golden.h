/* nn_golden.h - compares what a layer or a loss computes with PyTorch: outputs, gradients in inputs
 * and in parameters by name, buffers after the last step.
 *
 * The fixtures are written by tools/golden (golden_layers.py), which gives inputs and parameters the
 * same values: inputs by number, parameters by name. A state whose names or shapes are not those of
 * the PyTorch module is a failure. */
#ifndef WEFT_TEST_NN_GOLDEN_H
#define WEFT_TEST_NN_GOLDEN_H

#include "golden.h"
#include "test.h"
#include "weft/nn.h"

enum { GOLD_INPUTS = 4, GOLD_OUTPUTS = 9, GOLD_PARAMS = 40 };

static weft_ctx *c;
static weft_graph *g;
static weft_state *s;
static weft_tensor in[GOLD_INPUTS], out[GOLD_OUTPUTS], reset;
static int ins, outs;

/* ---- values ---- */

static inline float gold_number(int64_t i, int salt) { /* as tools/golden makes them */
    return (float)((double)((i * 7919 + salt * 271) % 4001 - 2000) / 1000.0);
}

static inline void gold_numbers(int salt, float *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] = gold_number(i, salt);
}

static inline bool gold_ends(const char *name, const char *with) {
    size_t n = strlen(name), m = strlen(with);
    return n >= m && strcmp(name + n - m, with) == 0;
}

/* A parameter or buffer by its name. */
static inline bool gold_set(const weft_entry *e) {
    if (e->dtype == WEFT_I32)
        return weft_state_set(s, e->name, &(int32_t){3}, sizeof(int32_t)) == WEFT_OK;
    int salt = 7;
    for (const char *at = e->name; *at; at++) salt = (salt * 31 + *at) % 3989;
    size_t n = e->bytes / sizeof(float);
    float *v = malloc(e->bytes + 1), more = gold_ends(e->name, "running_var") ? 1 : 0;
    for (size_t i = 0; v && i < n; i++) v[i] = 0.25f * gold_number((int64_t)i, salt) + more;
    bool good = v && weft_state_set(s, e->name, v, e->bytes) == WEFT_OK;
    free(v);
    return good;
}

/* ---- recording ---- */

static inline weft_tensor input(weft_shape d) {
    return in[ins++] = weft_input(g, WEFT_F32, d);
}
#define INPUT(...) input(weft_dims(__VA_ARGS__))

static inline void result(weft_tensor y) {
    out[outs++] = y;
}

static inline weft_tensor ints(int below, weft_shape d) {
    int32_t v[128], n = 1;
    for (int i = 0; i < d.rank; i++) n *= (int32_t)d.n[i];
    for (int i = 0; i < n; i++) v[i] = i * 5 % below;
    return weft_const(g, WEFT_I32, d, v);
}

/* ---- comparing ---- */

/* Lines of a fixture whose name begins with `prefix`. */
static inline int gold_count(const char *fixture, const char *prefix) {
    char path[200], *line = NULL;
    size_t room = 0;
    int n = 0;
    snprintf(path, sizeof path, "tests/golden/%s.txt", fixture);
    FILE *f = fopen(path, "r");
    while (f && getline(&line, &room, f) > 0) n += strncmp(line, prefix, strlen(prefix)) == 0;
    free(line);
    if (f) fclose(f);
    return n;
}

static inline void gold_compare(const char *fixture, const char *name, const float *got,
                                weft_shape dims, double tol) {
    golden want = golden_read(fixture, name);
    bool same = want.v && want.rank == dims.rank;
    size_t n = 1;
    for (int i = 0; i < dims.rank; i++) {
        same = same && want.dim[i] == dims.n[i];
        n *= (size_t)dims.n[i];
    }
    if (!CHECK(want.v)) printf("     %s is not in the fixture\n", name);
    else if (!CHECK(same)) printf("     %s has another shape\n", name);
    else if (!CHECK_ARRAY(got, want.v, n, tol)) printf("     %s\n", name);
    free(want.v);
}

static inline void gold_fetched(const char *fixture, const char *name, weft_plan *p, weft_tensor t,
                                double tol) {
    size_t n = (size_t)weft_count(t);
    float *v = malloc((n + 1) * sizeof *v);
    if (v && CHECK_EQ(weft_get(p, t, v, n * sizeof *v), WEFT_OK))
        gold_compare(fixture, name, v, weft_shape_of(t), tol);
    free(v);
}

/* What is kept that no module of PyTorch has. */
static inline bool gold_ours(const char *name) {
    return strncmp(name, "rng.", 4) == 0 || strstr(name, ".stream.") ||
           !strncmp(name, "stream.", 7);
}

typedef struct gold_case {
    const char *fixture, *name;
    int steps;
    bool eval; /* buffers are given too */
    double tol;
} gold_case;

typedef struct gold_label {
    char text[100];
} gold_label;

/* The whole of a case; the graph is recorded. */
static inline void gold_check(const gold_case *k) {
    weft_tensor wrt[GOLD_INPUTS + GOLD_PARAMS], all[GOLD_OUTPUTS + GOLD_INPUTS + GOLD_PARAMS],
        seed[GOLD_OUTPUTS], total = {0};
    gold_label label[GOLD_OUTPUTS + GOLD_INPUTS + GOLD_PARAMS];
    char name[200];
    size_t nwrt = 0, nall = 0;
    for (int i = 0; i < outs; i++) {
        seed[i] = weft_input(g, WEFT_F32, weft_shape_of(out[i]));
        weft_tensor part = weft_sum(weft_mul(out[i], seed[i]), WEFT_ALL, false);
        total = i ? weft_add(total, part) : part;
        snprintf(label[nall].text, sizeof label->text, "y%d", i);
        all[nall++] = out[i];
    }
    for (int i = 0; i < ins; i++) {
        snprintf(label[nall + nwrt].text, sizeof label->text, "d%d", i);
        wrt[nwrt++] = in[i];
    }
    size_t entries = weft_state_count(s);
    int params = 0, buffers = 0;
    for (size_t i = 0; i < entries; i++) {
        weft_entry e;
        if (weft_state_entry(s, i, &e)) continue;
        if (!e.trained) {
            buffers += !gold_ours(e.name);
            continue;
        }
        snprintf(label[nall + nwrt].text, sizeof label->text, "p.%s", e.name);
        wrt[nwrt++] = weft_param(g, s, e.name, e.dims, (weft_init){0});
        params++;
    }
    CHECK_EQ(weft_grad(total, wrt, nwrt, all + nall), WEFT_OK);
    nall += nwrt;
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = {all, nall}, .training = true});
    if (!CHECK(p)) {
        CHECK_STR(weft_error(c), "");
        return;
    }
    snprintf(name, sizeof name, "%s.0.p.", k->name);
    CHECK_EQ(params, gold_count(k->fixture, name));
    snprintf(name, sizeof name, "%s.b.", k->name);
    CHECK_EQ(buffers, gold_count(k->fixture, name));
    for (size_t i = 0; i < entries; i++) {
        weft_entry e;
        if (weft_state_entry(s, i, &e) || gold_ours(e.name)) continue;
        if (e.trained || k->eval) CHECK(gold_set(&e));
    }
    for (int step = 0; step < k->steps; step++) {
        for (int i = 0; i < ins; i++)
            gold_numbers(10 * step + i, weft_feed(p, in[i]), weft_count(in[i]));
        for (int i = 0; i < outs; i++)
            gold_numbers(90 + i, weft_feed(p, seed[i]), weft_count(seed[i]));
        if (reset.g) weft_set(p, reset, (uint8_t[]){0, step == 2}, 2);
        CHECK_EQ(weft_run(p), WEFT_OK);
        for (size_t i = 0; i < nall; i++) {
            snprintf(name, sizeof name, "%.80s.%d.%.99s", k->name, step, label[i].text);
            gold_fetched(k->fixture, name, p, all[i], k->tol);
        }
    }
    for (size_t i = 0; i < entries; i++) {
        weft_entry e;
        float v[64] = {0};
        if (weft_state_entry(s, i, &e) || e.trained || gold_ours(e.name)) continue;
        snprintf(name, sizeof name, "%s.b.%s", k->name, e.name);
        if (!CHECK(e.bytes <= sizeof v)) continue;
        CHECK_EQ(weft_state_get(s, e.name, v, e.bytes), WEFT_OK);
        if (e.dtype == WEFT_I32) {
            int32_t count;
            memcpy(&count, v, sizeof count);
            v[0] = (float)count;
        }
        gold_compare(k->fixture, name, v, e.dims, k->tol);
    }
    weft_plan_free(p);
}

static inline void gold_begin(bool eval) {
    g = weft_graph_new(c);
    s = weft_state_new(c);
    ins = outs = 0;
    reset = (weft_tensor){0};
    if (eval) weft_graph_eval(g);
}

static inline void gold_end(void) {
    weft_graph_free(g);
    weft_state_free(s);
}

#define GOLDEN_RUN(file, title, times, evaluation, statement)                                      \
    do {                                                                                           \
        CASE("%s on %s", #title, weft_device_name(c));                                             \
        gold_begin(evaluation);                                                                    \
        statement;                                                                                 \
        gold_check(&(gold_case){file, #title, times, evaluation, tol});                            \
        gold_end();                                                                                \
    } while (0)

/* On the reference, to the digits of the fixtures, and on the CPU, to what f32 gives. */
static inline void gold_on_both(void (*cases)(double tol)) {
    static const struct {
        const char *device;
        double tol;
    } on[] = {{"ref", 2e-6}, {"cpu", 1e-5}};
    for (int i = 0; i < 2; i++) {
        c = weft_open_with(&(weft_open_desc){.device = on[i].device, .threads = 1});
        cases(on[i].tol);
        weft_close(c);
    }
}

#endif
