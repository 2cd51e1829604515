/* lora.c - adapters in files with PEFT's names, and merged into the weights.
 *
 * An adapter is two entries of the state, NAME.lora_A.weight [rank, in] and NAME.lora_B.weight
 * [out, rank]; PEFT puts a prefix before the names. What its configuration can ask for and this
 * network has not (other initial values do not matter, other formulas do) is refused by name. */
#include "base/path.h"
#include "base/text.h"
#include "lm/lm_parts.h"

#include <stdio.h>
#include <string.h>

enum { LORA_PATH = 4096, LORA_NAME = 1100, LORA_RANK = 1 << 16 };
static const char lora_prefix[] = "base_model.model.";

const char *weft_lm_lora_default(weft_lm_family f) {
    return f == WEFT_LM_GPT2 ? "c_attn,c_proj,c_fc"
                             : "q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj";
}

static weft_err lora_checked(weft_ctx *c, const char *what, const weft_state *s,
                             const weft_lm_config *m, const weft_nn_lora *l, const void *folder) {
    if (!s || !l || !folder)
        return weft_fail(c, WEFT_ARGUMENT, "%s: the %s is NULL", what,
                         !s   ? "state"
                         : !l ? "adapter"
                              : "folder");
    WEFT_TRY(weft_lm_config_check(c, m));
    if (l->rank < 1 || l->rank > LORA_RANK || !l->targets)
        return weft_fail(c, WEFT_ARGUMENT, "%s: expected a rank from 1 to %d and targets", what,
                         LORA_RANK);
    return WEFT_OK;
}

static weft_state *lora_state(weft_state *s, const weft_nn_lora *l) {
    return l->state ? l->state : s;
}

/* Is this entry one half of an adapter, 'A' or 'B'? */
static bool lora_half(const char *name, char half) {
    const char tail[] = {'.', 'l', 'o', 'r', 'a', '_', half, '.', 'w', 'e', 'i', 'g', 'h', 't', 0};
    const size_t n = strlen(name), m = sizeof tail - 1;
    return n > m && strcmp(name + n - m, tail) == 0;
}

/* ---- the configuration ---- */

static weft_err lora_path(weft_ctx *c, const char *folder, const char *name, char out[LORA_PATH]) {
    const int n = snprintf(out, LORA_PATH, "%s/%s", folder, name);
    if (n > 0 && n < LORA_PATH) return WEFT_OK;
    return weft_fail(c, WEFT_ARGUMENT, "%.200s...: the path is too long", folder);
}

static weft_err lora_config_write(weft_ctx *c, const weft_lm_config *m, const weft_nn_lora *l,
                                  const char *path) {
    text t = {.m = mem_of(c)};
    text_add(&t,
             "{\n  \"peft_type\": \"LORA\",\n  \"task_type\": \"CAUSAL_LM\",\n  \"r\": %d,\n"
             "  \"lora_alpha\": ",
             l->rank);
    text_number(&t, l->alpha != 0 ? l->alpha : (float)l->rank);
    text_put(&t, ",\n  \"lora_dropout\": ");
    text_number(&t, l->dropout);
    text_add(&t, ",\n  \"bias\": \"none\",\n  \"fan_in_fan_out\": %s,\n  \"target_modules\": [",
             m->family == WEFT_LM_GPT2 ? "true" : "false");
    for (const char *at = l->targets; *at;) {
        char name[128];
        const size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), at);
        if (at != l->targets) text_put(&t, ", ");
        text_quote(&t, name);
        at += n + (at[n] == ',');
    }
    text_put(&t, "]\n}\n");
    const weft_err e = t.failed ? weft_fail(c, WEFT_MEMORY, "%s: out of memory", path)
                                : weft_file_write(c, path, t.s, t.n);
    text_free(&t);
    return e;
}

/* Members whose other values mean another formula. */
static weft_err lora_config_plain(weft_ctx *c, weft_json j, const char *path) {
    static const char *const off[] = {"use_dora", "use_rslora", "lora_bias"};
    static const char *const empty[] = {"rank_pattern", "alpha_pattern", "modules_to_save",
                                        "layers_to_transform", "trainable_token_indices"};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (weft_json_bool(weft_json_get(j, off[i]), false))
            return weft_fail(c, WEFT_UNSUPPORTED, "%s: \"%s\": only false is supported", path,
                             off[i]);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        const weft_json v = weft_json_get(j, empty[i]);
        if (weft_json_count(v) || weft_json_kind_of(v) == WEFT_JSON_NUMBER)
            return weft_fail(c, WEFT_UNSUPPORTED, "%s: \"%s\": only null is supported", path,
                             empty[i]);
    }
    if (!weft_json_is(weft_json_get(j, "peft_type"), "LORA"))
        return weft_fail(c, WEFT_UNSUPPORTED, "%s: \"peft_type\": expected \"LORA\"", path);
    const weft_json bias = weft_json_get(j, "bias");
    if (weft_json_kind_of(bias) == WEFT_JSON_TEXT && !weft_json_is(bias, "none"))
        return weft_fail(c, WEFT_UNSUPPORTED, "%s: \"bias\": expected \"none\"", path);
    return WEFT_OK;
}

static weft_err lora_config_targets(weft_ctx *c, weft_json j, const char *path, char *out,
                                    size_t bytes) {
    const weft_json list = weft_json_get(j, "target_modules");
    size_t at = 0;
    weft_json key = {0}, value = {0};
    if (weft_json_kind_of(list) != WEFT_JSON_ARRAY || !weft_json_count(list))
        return weft_fail(c, WEFT_UNSUPPORTED,
                         "%s: \"target_modules\": expected a list of names of layers", path);
    while (weft_json_next(list, &key, &value)) {
        char name[128];
        const size_t n = weft_json_text(value, name, sizeof name);
        if (n < 1 || n >= sizeof name || strchr(name, ',') || at + n + 2 > bytes)
            return weft_fail(c, WEFT_FORMAT,
                             "%s: \"target_modules\": expected names of layers, without commas and "
                             "in all at most %zu bytes",
                             path, bytes);
        if (at) out[at++] = ',';
        memcpy(out + at, name, n);
        at += n;
    }
    out[at] = 0;
    return WEFT_OK;
}

weft_err weft_lm_lora_open(weft_ctx *c, const char *folder, weft_nn_lora *out, char *targets,
                           size_t bytes) {
    char path[LORA_PATH];
    if (!folder || !out || !targets || !bytes)
        return weft_fail(c, WEFT_ARGUMENT, "weft_lm_lora_open: an argument is NULL");
    WEFT_TRY(lora_path(c, folder, "adapter_config.json", path));
    weft_file f;
    WEFT_TRY(weft_file_open(c, path, &f));
    weft_nn_lora l = {.targets = targets};
    const weft_json j = weft_json_parse(c, f.bytes, f.n, path);
    weft_err e = weft_json_kind_of(j) == WEFT_JSON_NONE ? weft_error_code(c) : WEFT_OK;
    if (e == WEFT_OK) e = lora_config_plain(c, j, path);
    if (e == WEFT_OK) e = lora_config_targets(c, j, path, targets, bytes);
    const int64_t rank = weft_json_integer(weft_json_get(j, "r"), -1);
    const double alpha = weft_json_number(weft_json_get(j, "lora_alpha"), 8);
    const double dropout = weft_json_number(weft_json_get(j, "lora_dropout"), 0);
    weft_file_close(&f);
    if (e == WEFT_OK && (rank < 1 || rank > LORA_RANK))
        e = weft_fail(c, WEFT_FORMAT, "%s: \"r\": expected an integer from 1 to %d", path,
                      LORA_RANK);
    if (e == WEFT_OK && !((float)alpha > 0 && alpha < 1e6 && dropout >= 0 && dropout < 1))
        e = weft_fail(c, WEFT_FORMAT,
                      "%s: expected \"lora_alpha\" above 0 and \"lora_dropout\" from 0 to below 1",
                      path);
    if (e != WEFT_OK) return e;
    l.rank = (int)rank, l.alpha = (float)alpha, l.dropout = (float)dropout;
    *out = l;
    return WEFT_OK;
}

/* ---- values ---- */

weft_err weft_lm_lora_save(weft_state *s, const weft_lm_config *m, const weft_nn_lora *l,
                           const char *folder) {
    weft_ctx *const c = weft_state_ctx(s);
    char path[LORA_PATH];
    WEFT_TRY(lora_checked(c, "weft_lm_lora_save", s, m, l, folder));
    s = lora_state(s, l);
    WEFT_TRY(lora_path(c, folder, "adapter_model.safetensors", path));
    WEFT_TRY(path_make_folder(c, folder));
    weft_archive *const a = weft_archive_new(c);
    weft_err e = a ? weft_archive_text(a, "format", "pt") : weft_error_code(c);
    for (size_t i = 0; e == WEFT_OK && i < weft_state_count(s); i++) {
        weft_entry x;
        char name[LORA_NAME];
        e = weft_state_entry(s, i, &x);
        if (e != WEFT_OK || !x.trained || !(lora_half(x.name, 'A') || lora_half(x.name, 'B')))
            continue;
        snprintf(name, sizeof name, "%s%s", lora_prefix, x.name);
        void *const values = weft_state_copy(s, x.name);
        if (!values) e = weft_error_code(c);
        else e = weft_archive_put(a, &(weft_array){name, WEFT_FILE_F32, x.dims, values, x.bytes});
        weft_resize(c, values, 0);
    }
    if (e == WEFT_OK && weft_archive_count(a) == 0)
        e = weft_fail(c, WEFT_STATE, "weft_lm_lora_save: the state has no adapters");
    if (e == WEFT_OK) e = weft_archive_write(a, path, NULL);
    weft_archive_free(a);
    if (e == WEFT_OK) e = lora_path(c, folder, "adapter_config.json", path);
    return e == WEFT_OK ? lora_config_write(c, m, l, path) : e;
}

weft_err weft_lm_lora_load(weft_state *s, const weft_lm_config *m, const weft_lm_desc *d,
                           const char *folder) {
    weft_ctx *const c = weft_state_ctx(s);
    const weft_nn_lora *const l = d ? d->lora : NULL;
    char path[LORA_PATH];
    WEFT_TRY(lora_checked(c, "weft_lm_lora_load", s, m, l, folder));
    WEFT_TRY(lora_path(c, folder, "adapter_model.safetensors", path));
    WEFT_TRY(lm_record(s, m, d));
    weft_archive *const a = weft_archive_open(c, path);
    if (!a) return weft_error_code(c);
    s = lora_state(s, l);
    weft_archive *const own = weft_archive_new(c); /* the adapters, under the state's names */
    weft_err e = own ? WEFT_OK : weft_error_code(c);
    const size_t n = strlen(lora_prefix);
    for (size_t i = 0; e == WEFT_OK && i < weft_archive_count(a); i++) {
        weft_array x;
        e = weft_archive_at(a, i, &x);
        if (e != WEFT_OK) break;
        if (strncmp(x.name, lora_prefix, n) == 0) x.name += n;
        /* weights of the model itself, which some programs add, would change it for good */
        if (!lora_half(x.name, 'A') && !lora_half(x.name, 'B'))
            e = weft_fail(c, WEFT_UNSUPPORTED, "%s: \"%.100s\" is not part of an adapter", path,
                          x.name);
        else e = weft_archive_put(own, &x);
    }
    for (size_t i = 0; e == WEFT_OK && i < weft_state_count(s); i++) {
        weft_entry x;
        e = weft_state_entry(s, i, &x);
        if (e == WEFT_OK && (lora_half(x.name, 'A') || lora_half(x.name, 'B')) &&
            !weft_archive_has(own, x.name))
            e = weft_fail(c, WEFT_STATE, "%s: no array \"%s%.100s\"", path, lora_prefix, x.name);
    }
    if (e == WEFT_OK)
        e = weft_state_load(s, own, &(weft_load_desc){.trained_only = true, .allow_missing = true});
    weft_archive_free(own);
    weft_archive_free(a);
    return e;
}

/* ---- merging ---- */

/* w += scale b a, of [out, in], or transposed [in, out]; sizes are those of a and b */
static void lora_add(float *w, const float *a, const float *b, int64_t in, int64_t out,
                     int64_t rank, float scale, bool transposed) {
    for (int64_t o = 0; o < out; o++)
        for (int64_t r = 0; r < rank; r++) {
            const float by = scale * b[o * rank + r];
            float *const to = transposed ? w + o : w + o * in;
            const int64_t step = transposed ? out : 1;
            for (int64_t i = 0; i < in; i++) to[i * step] += by * a[r * in + i];
        }
}

static weft_err lora_entry(const weft_state *s, const char *name, weft_entry *out) {
    for (size_t i = 0; i < weft_state_count(s); i++) {
        WEFT_TRY(weft_state_entry(s, i, out));
        if (strcmp(out->name, name) == 0) return WEFT_OK;
    }
    return weft_fail(weft_state_ctx(s), WEFT_STATE, "no entry \"%.100s\"", name);
}

/* The halves may lie in a state that was made for another network. */
static bool lora_fits(const weft_entry *a, const weft_entry *b, const weft_entry *w,
                      bool transposed) {
    return a->dims.rank == 2 && b->dims.rank == 2 && w->dims.rank == 2 &&
           a->dims.n[0] == b->dims.n[1] && b->dims.n[0] == w->dims.n[transposed ? 1 : 0] &&
           a->dims.n[1] == w->dims.n[transposed ? 0 : 1];
}

/* The adapter whose half A is entry x. */
static weft_err lora_merge_one(weft_state *s, const weft_lm_config *m, const weft_nn_lora *l,
                               const weft_entry *x) {
    weft_ctx *const c = weft_state_ctx(s);
    char layer[LORA_NAME], name[LORA_NAME + 16];
    snprintf(layer, sizeof layer, "%s", x->name);
    layer[strlen(layer) - strlen(".lora_A.weight")] = 0;
    snprintf(name, sizeof name, "%s.lora_B.weight", layer);
    weft_state *const halves = lora_state(s, l);
    float *const a = weft_state_copy(halves, x->name), *const b = weft_state_copy(halves, name);
    char weight[LORA_NAME + 16];
    snprintf(weight, sizeof weight, "%s.weight", layer);
    float *const w = weft_state_copy(s, weight);
    weft_err e = a && b && w ? WEFT_OK : weft_error_code(c);
    weft_entry half = {0}, whole = {0};
    if (e == WEFT_OK) e = lora_entry(halves, name, &half);
    if (e == WEFT_OK) e = lora_entry(s, weight, &whole);
    const bool transposed = lm_is_transposed(m, weight);
    if (e == WEFT_OK && whole.dtype != WEFT_F32)
        e = weft_fail(c, WEFT_STATE, "weft_lm_lora_merge: \"%.100s\" is stored as %s; expected f32",
                      weight, weft_dtype_name(whole.dtype));
    if (e == WEFT_OK && !lora_fits(x, &half, &whole, transposed))
        e = weft_fail(c, WEFT_STATE,
                      "weft_lm_lora_merge: the adapter of \"%.100s\" has other sizes", weight);
    if (e == WEFT_OK) {
        const int64_t rank = x->dims.n[0], in = x->dims.n[1], out = half.dims.n[0];
        const float alpha = l->alpha != 0 ? l->alpha : (float)l->rank;
        lora_add(w, a, b, in, out, rank, alpha / (float)l->rank, transposed);
        memset(b, 0, half.bytes);
        e = weft_state_set(s, weight, w, whole.bytes);
        if (e == WEFT_OK) e = weft_state_set(halves, name, b, half.bytes);
    }
    weft_resize(c, a, 0);
    weft_resize(c, b, 0);
    weft_resize(c, w, 0);
    return e;
}

weft_err weft_lm_lora_merge(weft_state *s, const weft_lm_config *m, const weft_nn_lora *l) {
    weft_ctx *const c = weft_state_ctx(s);
    WEFT_TRY(lora_checked(c, "weft_lm_lora_merge", s, m, l, ""));
    size_t merged = 0;
    weft_state *const halves = lora_state(s, l);
    for (size_t i = 0; i < weft_state_count(halves); i++) {
        weft_entry x;
        WEFT_TRY(weft_state_entry(halves, i, &x));
        if (!x.trained || !lora_half(x.name, 'A')) continue;
        WEFT_TRY(lora_merge_one(s, m, l, &x));
        merged++;
    }
    if (merged) return WEFT_OK;
    return weft_fail(c, WEFT_STATE, "weft_lm_lora_merge: the state has no adapters");
}
