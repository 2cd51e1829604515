/* test_lm_golden.c - small models of each family against PyTorch: logits, loss, all gradients, ten
 * steps of AdamW, and the same with rounded operands; from files of both name styles.
 *
 * tools/golden_lm.py has the networks in PyTorch, and says what is in tests/golden/lm. */
#include "lm_world.h" /* before the first system header */

#include "golden.h"
#include "weft/optim.h"

enum { STEPS = 10, DIGEST = 7, ENTRIES = 40 };
static const char *const models[] = {"gpt2", "llama", "llama3", "mistral", "qwen2", "qwen3"};
enum { KINDS = sizeof models / sizeof *models };

static weft_ctx *c;
static weft_state *s;
static weft_graph *g;
static weft_lm_config m;
static char fixture[40];

/* ---- files ---- */

/* A file of the parameters that the fixture names; short names lack their first part. */
static void write_file(const char *path, weft_file_type type, bool short_names) {
    weft_archive *const a = weft_archive_new(c);
    char text[120], *line = NULL;
    size_t room = 0;
    snprintf(text, sizeof text, "tests/golden/%s.txt", fixture);
    FILE *const f = fopen(text, "r");
    while (f && getline(&line, &room, f) > 0) {
        char name[100];
        if (sscanf(line, "dims.%99s", name) != 1) continue;
        snprintf(text, sizeof text, "dims.%s", name);
        const golden dims = golden_read(fixture, text);
        weft_shape shape = {(int)dims.n, {0}};
        for (size_t k = 0; k < dims.n; k++) shape.n[k] = (int64_t)dims.v[k];
        const size_t n = lm_count(shape);
        float *const v = malloc(n * sizeof *v);
        lm_values(name, shape.rank, v, n);
        const bool cut = short_names && strncmp(name, "lm_head", 7) != 0;
        lm_put(a, cut ? strchr(name, '.') + 1 : name, shape, v, type);
        free(v);
        free(dims.v);
    }
    CHECK(f);
    if (f) fclose(f);
    free(line);
    CHECK(weft_archive_count(a) > 10);
    CHECK_EQ(weft_archive_write(a, path, NULL), WEFT_OK);
    weft_archive_free(a);
}

static void begin_model(const char *name, weft_file_type type, bool short_names) {
    char path[100];
    c = weft_open_with(&(weft_open_desc){.threads = 1});
    s = weft_state_new(c);
    snprintf(fixture, sizeof fixture, "lm/%s", name);
    snprintf(path, sizeof path, "tests/golden/lm/%s.json", name);
    if (!CHECK_EQ(weft_lm_config_open(c, path, &m), WEFT_OK)) CHECK_STR(weft_error(c), "");
    const char *const file = in_folder("golden.safetensors");
    write_file(file, type, short_names);
    if (!CHECK_EQ(weft_lm_load(s, &m, file, NULL, NULL), WEFT_OK)) CHECK_STR(weft_error(c), "");
    g = weft_graph_new(c);
}

static void end_model(void) {
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

/* ---- comparing ---- */

/* All of them, within tol of the largest. */
static void same_values(const char *key, const float *v, size_t n, double tol) {
    const golden want = golden_read(fixture, key);
    if (CHECK(want.v) && CHECK_EQ(n, want.n)) {
        const double apart = lm_apart(v, want.v, n);
        if (!CHECK(apart < tol)) printf("     %s is off by %g\n", key, apart);
    }
    free(want.v);
}

static void same_digest(const char *kind, const char *name, const float *v, size_t n, double tol) {
    char key[200];
    snprintf(key, sizeof key, "%s.%s", kind, name);
    const golden want = golden_read(fixture, key);
    double got[DIGEST] = {0};
    for (size_t i = 0; i < n; i++) got[0] = fmax(got[0], fabs((double)v[i]));
    for (size_t k = 0; k < 4; k++) got[1 + k] = v[n * (2 * k + 1) / 8];
    for (uint32_t k = 0; k < 2; k++)
        for (size_t i = 0; i < n; i++)
            got[5 + k] += (double)v[i] * model_number((uint32_t)i, 500 + k) / sqrt((double)n);
    if (CHECK(want.v) && CHECK_EQ(want.n, DIGEST))
        for (int k = 0; k < DIGEST; k++)
            if (!CHECK_NEAR(got[k], want.v[k], tol * want.v[0])) printf("     %s, %d\n", key, k);
    free(want.v);
}

static void same_parameters(const char *kind, double tol) {
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(s, i, &e), WEFT_OK);
        if (!e.trained) continue;
        float *const v = weft_state_copy(s, e.name);
        same_digest(kind, e.name, v, e.bytes / sizeof *v, tol);
        weft_resize(c, v, 0);
    }
}

static void feed(weft_plan *p, weft_tensor ids, weft_tensor next) {
    int32_t in[LM_ROWS * LM_TOKENS], after[LM_ROWS * LM_TOKENS];
    for (int i = 0; i < LM_ROWS * LM_TOKENS; i++) {
        const int at = i / LM_TOKENS * (LM_TOKENS + 1) + i % LM_TOKENS;
        in[i] = lm_token(at, m.vocab), after[i] = lm_token(at + 1, m.vocab);
    }
    after[LM_ROWS * LM_TOKENS - 2] = -1, after[LM_ROWS * LM_TOKENS - 1] = -7; /* left out */
    CHECK_EQ(weft_set(p, ids, in, sizeof in), WEFT_OK);
    CHECK_EQ(weft_set(p, next, after, sizeof after), WEFT_OK);
}

/* The gradients of a mixed plan beside those of a plain one, which PyTorch has confirmed. */
static void same_directions(weft_tensor ids, weft_tensor next, const weft_params *all, double tol) {
    weft_plan *p[2];
    for (int k = 0; k < 2; k++) {
        p[k] = weft_compile(
            g, &(weft_plan_desc){.fetch = {all->grad, all->n}, .mixed = k ? WEFT_BF16 : WEFT_F32});
        feed(p[k], ids, next);
        CHECK_EQ(weft_run(p[k]), WEFT_OK);
    }
    float *const v = malloc(sizeof(float) << 16), *const w = malloc(sizeof(float) << 16);
    for (size_t i = 0; i < all->n; i++) {
        const size_t n = (size_t)weft_count(all->grad[i]);
        double apart = 0, length = 0;
        CHECK_EQ(weft_get(p[0], all->grad[i], v, n * sizeof *v), WEFT_OK);
        CHECK_EQ(weft_get(p[1], all->grad[i], w, n * sizeof *w), WEFT_OK);
        for (size_t k = 0; k < n; k++) {
            apart += (double)(v[k] - w[k]) * (v[k] - w[k]);
            length += (double)v[k] * v[k];
        }
        if (!CHECK(sqrt(apart / length) < tol))
            printf("     %s is off by %g\n", all->name[i], sqrt(apart / length));
        CHECK(apart > 0);
    }
    free(v), free(w);
    for (int k = 0; k < 2; k++) weft_plan_free(p[k]);
}

/* Logits and gradients of the first step, the loss of each, and the parameters behind the last. */
static void train(weft_dtype mixed, bool checkpoint, double tol, double tol_after) {
    const char *const prefix = mixed ? "mixed." : "";
    const weft_lm_desc d = {.checkpoint = checkpoint};
    weft_tensor fetch[ENTRIES + 2];
    const weft_tensor ids = weft_input(g, WEFT_I32, weft_dims(LM_ROWS, LM_TOKENS));
    const weft_tensor next = weft_input(g, WEFT_I32, weft_dims(LM_ROWS, LM_TOKENS));
    const weft_tensor logits = weft_lm_logits(s, ids, &m, &d);
    const weft_tensor loss = weft_lm_loss(s, ids, next, &m, &d);
    const weft_params all = weft_params_of(s, loss);
    if (!CHECK(all.n > 0 && all.n <= ENTRIES)) CHECK_STR(weft_error(c), "");
    fetch[0] = logits, fetch[1] = loss;
    for (size_t i = 0; i < all.n; i++) fetch[2 + i] = all.grad[i];
    size_t groups_n;
    const weft_group *const groups = weft_lm_groups(&m, &groups_n);
    const weft_updates step = weft_optimise(
        s, all,
        &(weft_optimiser_desc){WEFT_OPTIMISER_ADAMW, 3e-3f, .beta2 = 0.95f, .eps = 1e-5f,
                               .decay = 0.1f, .groups = groups, .group_count = groups_n});
    weft_plan *const p = weft_compile(
        g, &(weft_plan_desc){.fetch = {fetch, all.n + 2}, .update = step, .mixed = mixed});
    if (!CHECK(p)) {
        CHECK_STR(weft_error(c), "");
        return;
    }
    if (mixed) same_directions(ids, next, &all, tol);
    feed(p, ids, next);
    float losses[STEPS], *const v = malloc(sizeof(float) << 16);
    char key[40];
    for (int k = 0; k < STEPS; k++) {
        CHECK_EQ(weft_run(p), WEFT_OK);
        losses[k] = weft_item(p, loss);
        if (k) continue;
        const size_t n = (size_t)weft_count(logits);
        CHECK_EQ(weft_get(p, logits, v, n * sizeof *v), WEFT_OK);
        snprintf(key, sizeof key, "%slogits", prefix);
        same_values(key, v, n, tol);
        for (size_t i = 0; i < all.n && !mixed; i++) {
            const size_t count = (size_t)weft_count(all.grad[i]);
            CHECK_EQ(weft_get(p, all.grad[i], v, count * sizeof *v), WEFT_OK);
            same_digest("grad", all.name[i], v, count, tol);
        }
    }
    snprintf(key, sizeof key, "%slosses", prefix);
    same_values(key, losses, STEPS, tol_after);
    if (!mixed) same_parameters("after", tol_after);
    free(v);
    weft_plan_free(p);
}

/* ---- tests ---- */

TEST(networks_and_their_training_are_those_of_pytorch) {
    for (int i = 0; i < KINDS; i++) {
        CASE("%s", models[i]);
        begin_model(models[i], WEFT_FILE_F32, false);
        train(WEFT_F32, false, 1e-4, 1e-4);
        end_model();
    }
}

TEST(with_rounded_operands_too) {
    for (int i = 0; i < 2; i++) {
        CASE("%s", models[i]);
        begin_model(models[i], WEFT_FILE_F32, false);
        train(WEFT_BF16, false, 2e-2, 2e-2);
        end_model();
    }
}

TEST(recomputed_blocks_change_nothing) {
    for (int i = 0; i < 2; i++) {
        CASE("%s", models[i]);
        begin_model(models[i], WEFT_FILE_F32, false);
        train(WEFT_F32, true, 1e-4, 1e-4);
        end_model();
    }
}

static void logits_from(weft_file_type type, bool short_names, float *to) {
    float all[LM_ROWS * LM_TOKENS * 40];
    for (int i = 0; i < KINDS; i++) {
        begin_model(models[i], type, short_names);
        const int64_t n = LM_ROWS * LM_TOKENS * m.vocab;
        if (!CHECK(lm_logits(s, &m, NULL, all))) CHECK_STR(weft_error(c), "");
        memcpy(to, all, (size_t)n * sizeof *to);
        to += n;
        end_model();
    }
}

TEST(both_styles_of_names_and_all_types_of_files) {
    enum { ALL = KINDS * LM_ROWS * LM_TOKENS * 40 };
    static float plain[ALL], other[ALL];
    logits_from(WEFT_FILE_F32, false, plain);
    static const struct {
        weft_file_type type;
        bool short_names;
        double tol;
    } rows[] = {
        {WEFT_FILE_F32, true, 1e-30},
        {WEFT_FILE_F16, false, 1e-30}, /* the values are exact */
        {WEFT_FILE_F64, true, 1e-30},
        {WEFT_FILE_BF16, false, 2e-2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%s%s", weft_file_type_name(rows[i].type), rows[i].short_names ? ", short names" : "");
        logits_from(rows[i].type, rows[i].short_names, other);
        CHECK(lm_apart(other, plain, ALL) < rows[i].tol);
        if (rows[i].tol > 1e-9) CHECK(lm_apart(other, plain, ALL) > 1e-5);
    }
}
