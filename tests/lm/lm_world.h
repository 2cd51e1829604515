/* lm_world.h - what the tests of language models share: small models of all families, values that
 * follow from names, published files of them, and logits.
 *
 * The values are those of tools/golden_lm.py, and exact in f16. */
#ifndef WEFT_TEST_LM_WORLD_H
#define WEFT_TEST_LM_WORLD_H

#include "io_world.h" /* before the first system header */

#include "models.h"
#include "weft/lm.h"

#include <math.h>

enum { LM_VOCAB = 29, LM_ROWS = 2, LM_TOKENS = 9, LM_LOGITS = LM_ROWS * LM_TOKENS * LM_VOCAB };

/* ---- models ---- */

/* A small one of each family; heads of Qwen 3 have a size of their own. */
static inline weft_lm_config lm_small(weft_lm_family f) {
    weft_lm_config m = {.family = f,
                        .vocab = LM_VOCAB,
                        .positions = 32,
                        .layers = 2,
                        .heads = 4,
                        .width = 24,
                        .activation = WEFT_GELU_TANH};
    if (f == WEFT_LM_GPT2) return m;
    m.activation = WEFT_SILU;
    m.hidden = 20, m.kv_heads = 2;
    m.untied = f == WEFT_LM_LLAMA || f == WEFT_LM_MISTRAL;
    if (f == WEFT_LM_MISTRAL) m.window = 4;
    if (f == WEFT_LM_QWEN3) m.head_size = 10;
    return m;
}

/* ---- values ---- */

static inline void lm_values(const char *name, int rank, float *to, size_t n) {
    uint32_t salt = 7;
    for (const char *at = name; *at; at++) salt = (salt * 31 + (unsigned char)*at) % 3989;
    const size_t length = strlen(name);
    const bool norm = rank == 1 && length > 6 && strcmp(name + length - 6, "weight") == 0;
    for (size_t i = 0; i < n; i++) {
        const float v = model_number((uint32_t)i, salt);
        to[i] = norm ? 1 + v / 2 : v / 8;
    }
}

static inline size_t lm_count(weft_shape s) {
    size_t n = 1;
    for (int k = 0; k < s.rank; k++) n *= (size_t)s.n[k];
    return n;
}

/* A weight of the network, not of an adapter, an optimiser or a cache. */
static inline bool lm_base(const char *name) {
    return (strncmp(name, "transformer.", 12) == 0 || strncmp(name, "model.", 6) == 0 ||
            strcmp(name, "lm_head.weight") == 0) &&
           !strstr(name, ".lora_");
}

/* Records the network in s, and sets all its parameters. */
static inline void lm_fill(weft_state *s, const weft_lm_config *m) {
    weft_graph *const g = weft_graph_new(weft_state_ctx(s));
    if (!CHECK(weft_ok(weft_lm_logits(s, weft_input(g, WEFT_I32, weft_dims(1, 1)), m, NULL))))
        CHECK_STR(weft_error(weft_state_ctx(s)), "");
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        if (weft_state_entry(s, i, &e) != WEFT_OK || !lm_base(e.name)) continue;
        float *const v = malloc(e.bytes);
        lm_values(e.name, e.dims.rank, v, e.bytes / sizeof *v);
        CHECK_EQ(weft_state_set(s, e.name, v, e.bytes), WEFT_OK);
        free(v);
    }
    weft_graph_free(g);
}

/* ---- files ---- */

static inline void lm_put(weft_archive *a, const char *name, weft_shape dims, const float *v,
                          weft_file_type type) {
    const size_t n = lm_count(dims), bytes = n * weft_file_type_size(type);
    const weft_array from = {name, WEFT_FILE_F32, dims, v, n * sizeof *v};
    void *const to = malloc(bytes + 1);
    CHECK_EQ(weft_array_convert(NULL, &from, type, to, bytes), WEFT_OK);
    CHECK_EQ(weft_archive_put(a, &(weft_array){name, type, dims, to, bytes}), WEFT_OK);
    free(to);
}

/* All weights in s as arrays of this type; short names lack their first part. */
static inline weft_archive *lm_archive(weft_state *s, weft_file_type type, bool short_names) {
    weft_archive *const a = weft_archive_new(weft_state_ctx(s));
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        if (weft_state_entry(s, i, &e) != WEFT_OK || !lm_base(e.name)) continue;
        const char *name = e.name;
        if (short_names && strncmp(name, "lm_head", 7) != 0) name = strchr(name, '.') + 1;
        float *const v = malloc(e.bytes);
        CHECK_EQ(weft_state_get(s, e.name, v, e.bytes), WEFT_OK);
        lm_put(a, name, e.dims, v, type);
        free(v);
    }
    return a;
}

/* The path of a file in the test's folder that has them. */
static inline const char *lm_file(weft_state *s, weft_file_type type, bool short_names,
                                  const char *name) {
    weft_archive *const a = lm_archive(s, type, short_names);
    const char *const path = in_folder(name);
    if (!CHECK_EQ(weft_archive_write(a, path, NULL), WEFT_OK))
        CHECK_STR(weft_error(weft_state_ctx(s)), "");
    weft_archive_free(a);
    return path;
}

/* ---- logits ---- */

static inline int32_t lm_token(int i, int64_t vocab) {
    return (int32_t)((i * 7919 + i * i * 31 + 11) % vocab);
}

/* Of LM_ROWS texts of LM_TOKENS tokens, in evaluation. false: it could not be. */
static inline bool lm_logits(weft_state *s, const weft_lm_config *m, const weft_lm_desc *d,
                             float *out) {
    weft_graph *const g = weft_graph_new(weft_state_ctx(s));
    weft_graph_eval(g);
    const weft_tensor ids = weft_input(g, WEFT_I32, weft_dims(LM_ROWS, LM_TOKENS));
    const weft_tensor y = weft_lm_logits(s, ids, m, d);
    weft_plan *const p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    int32_t in[LM_ROWS * LM_TOKENS];
    for (int i = 0; i < LM_ROWS * LM_TOKENS; i++) in[i] = lm_token(i, m->vocab);
    const bool good = p && weft_set(p, ids, in, sizeof in) == WEFT_OK && weft_run(p) == WEFT_OK &&
                      weft_get(p, y, out, (size_t)weft_count(y) * sizeof *out) == WEFT_OK;
    weft_plan_free(p);
    weft_graph_free(g);
    return good;
}

/* The largest |a - b| over the largest |b|. */
static inline double lm_apart(const float *a, const float *b, size_t n) {
    double apart = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(a[i]) || isnan(b[i])) return INFINITY;
        apart = fmax(apart, fabs((double)a[i] - b[i]));
        most = fmax(most, fabs((double)b[i]));
    }
    return most > 0 ? apart / most : apart;
}

#endif
