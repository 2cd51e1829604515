/* config.c - the configuration of a language model: as a struct, as the config.json of published
 * models, and the sizes that have names.
 *
 * Which member stands under which key is one table for reading and writing. What the table does not
 * know and would change results (an activation inside attention, another kind of positions) is
 * refused by name; everything else in such a file is for other programs. */
#include "base/error.h"
#include "base/path.h"
#include "base/text.h"
#include "weft/lm.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    CONFIG_LAYERS = 4096,    /* above any published model; bounds the nodes of a graph */
    CONFIG_EXTENT = 1 << 26, /* of a width, a vocabulary, a sequence: products stay in 64 bits */
    CONFIG_PATH = 4096,
};

/* clang-format off */
static const char *const config_family[] = {
#define X(name, text) text,
    WEFT_LM_FAMILIES(X)
#undef X
};

typedef enum config_kind { CONFIG_COUNT, CONFIG_OPTION, CONFIG_REAL } config_kind;
typedef struct config_field {
    const char *gpt2, *llama; /* keys; NULL: the family has none */
    size_t      offset;
    config_kind kind;         /* COUNT: above 0; OPTION: may be null or missing, 0 then */
} config_field;

static const config_field config_fields[] = {
#define FIELD(member, gpt2, llama, kind) { gpt2, llama, offsetof(weft_lm_config, member), CONFIG_##kind }
    FIELD(vocab,     "vocab_size",         "vocab_size",              COUNT),
    FIELD(positions, "n_positions",        "max_position_embeddings", COUNT),
    FIELD(width,     "n_embd",             "hidden_size",             COUNT),
    FIELD(layers,    "n_layer",            "num_hidden_layers",       COUNT),
    FIELD(heads,     "n_head",             "num_attention_heads",     COUNT),
    FIELD(hidden,    "n_inner",            NULL,                      OPTION),
    FIELD(hidden,    NULL,                 "intermediate_size",       COUNT),
    FIELD(kv_heads,  NULL,                 "num_key_value_heads",     OPTION),
    FIELD(head_size, NULL,                 "head_dim",                OPTION),
    FIELD(window,    NULL,                 "sliding_window",          OPTION),
    FIELD(eps,       "layer_norm_epsilon", "rms_norm_eps",            REAL),
    FIELD(dropout,   "embd_pdrop",         NULL,                      REAL),
    FIELD(dropout,   "attn_pdrop",         NULL,                      REAL),
    FIELD(dropout,   "resid_pdrop",        NULL,                      REAL), /* of the three, this */
#undef FIELD
};

typedef struct config_activation {
    const char *text;
    weft_activation a;
} config_activation;
static const config_activation config_activations[] = {
    {"gelu_new", WEFT_GELU_TANH}, {"gelu_pytorch_tanh", WEFT_GELU_TANH}, {"gelu_fast", WEFT_GELU_TANH},
    {"gelu", WEFT_GELU}, {"relu", WEFT_RELU}, {"silu", WEFT_SILU}, {"swish", WEFT_SILU},
};

/* What is not computed here: a key with another value is refused. */
typedef struct config_fixed {
    const char *key;
    bool value;
} config_fixed;
static const config_fixed config_fixed_values[] = {
    {"scale_attn_weights", true}, {"scale_attn_by_inverse_layer_idx", false},
    {"add_cross_attention", false}, {"mlp_bias", false}, {"attention_bias", false},
};

/* clang-format on */

const char *weft_lm_family_name(weft_lm_family f) {
    return (unsigned)f < WEFT_LM_FAMILY_COUNT ? config_family[f] : "";
}

static const char *config_key(const config_field *f, weft_lm_family family) {
    return family == WEFT_LM_GPT2 ? f->gpt2 : f->llama;
}

/* As files call it; 0: the family's own. NULL: they cannot say. */
static const char *config_activation_text(const weft_lm_config *m) {
    const weft_activation own = m->family == WEFT_LM_GPT2 ? WEFT_GELU_TANH : WEFT_SILU;
    for (size_t i = 0; i < sizeof config_activations / sizeof *config_activations; i++)
        if (config_activations[i].a == (m->activation ? m->activation : own))
            return config_activations[i].text;
    return NULL;
}

static bool config_has(weft_json j) {
    const weft_json_kind k = weft_json_kind_of(j);
    return k != WEFT_JSON_NONE && k != WEFT_JSON_NULL;
}

/* ---- reading ---- */

typedef struct config_read {
    weft_ctx *c;
    weft_json json;
    const char *name; /* of the file */
    weft_lm_config *m;
} config_read;

static weft_err config_field_read(const config_read *r, const config_field *f, const char *key) {
    const weft_json j = weft_json_get(r->json, key);
    char *const at = (char *)r->m + f->offset;
    if (f->kind == CONFIG_REAL) {
        const double v = weft_json_number(j, NAN);
        if (!config_has(j)) return WEFT_OK;
        if (!(v >= 0 && v < 1))
            return weft_fail(r->c, WEFT_FORMAT, "%s: \"%s\": expected a number from 0 to below 1",
                             r->name, key);
        *(float *)(void *)at = (float)v;
        return WEFT_OK;
    }
    const int64_t v = weft_json_integer(j, -1);
    if (f->kind == CONFIG_OPTION && !config_has(j)) return WEFT_OK;
    if (v < 1 || v > CONFIG_EXTENT)
        return weft_fail(r->c, WEFT_FORMAT, "%s: \"%s\": expected an integer from 1 to %d", r->name,
                         key, CONFIG_EXTENT);
    *(int64_t *)(void *)at = v;
    return WEFT_OK;
}

static weft_err config_activation_read(const config_read *r) {
    const char *const key = r->m->family == WEFT_LM_GPT2 ? "activation_function" : "hidden_act";
    const weft_json j = weft_json_get(r->json, key);
    r->m->activation = r->m->family == WEFT_LM_GPT2 ? WEFT_GELU_TANH : WEFT_SILU;
    if (!config_has(j)) return WEFT_OK;
    for (size_t i = 0; i < sizeof config_activations / sizeof *config_activations; i++)
        if (weft_json_is(j, config_activations[i].text)) {
            r->m->activation = config_activations[i].a;
            return WEFT_OK;
        }
    char text[40] = "";
    weft_json_text(j, text, sizeof text);
    return weft_fail(r->c, WEFT_UNSUPPORTED,
                     "%s: \"%s\": expected gelu_new, gelu, relu or silu, got \"%s\"", r->name, key,
                     text);
}

/* A number above 0 of the rotary positions; missing: 0. */
static weft_err config_rope_number(const config_read *r, weft_json from, const char *key,
                                   double most, double *out) {
    const weft_json j = weft_json_get(from, key);
    *out = weft_json_number(j, 0);
    if (config_has(j) && !(*out > 0 && *out <= most))
        return weft_fail(r->c, WEFT_FORMAT, "%s: \"%s\": expected a number above 0", r->name, key);
    return WEFT_OK;
}

/* rope_theta and rope_scaling stand in the object itself, or both in rope_parameters. */
static weft_err config_rope_read(const config_read *r) {
    weft_rope_desc *const d = &r->m->rope;
    double base, factor, low, high, original;
    weft_json scaling = weft_json_get(r->json, "rope_parameters");
    const weft_json all = config_has(scaling) ? scaling : r->json;
    if (!config_has(scaling)) scaling = weft_json_get(r->json, "rope_scaling");
    WEFT_TRY(config_rope_number(r, all, "rope_theta", 1e12, &base));
    d->base = (float)base;
    if (weft_json_number(weft_json_get(all, "partial_rotary_factor"), 1) != 1 ||
        weft_json_number(weft_json_get(r->json, "partial_rotary_factor"), 1) != 1)
        return weft_fail(r->c, WEFT_UNSUPPORTED,
                         "%s: \"partial_rotary_factor\": only 1 is supported", r->name);
    if (!config_has(scaling)) return WEFT_OK;
    weft_json kind = weft_json_get(scaling, "rope_type");
    if (!config_has(kind)) kind = weft_json_get(scaling, "type");
    const bool llama3 = weft_json_is(kind, "llama3"), linear = weft_json_is(kind, "linear");
    const bool plain = !config_has(kind) && !config_has(weft_json_get(scaling, "factor"));
    if (plain || weft_json_is(kind, "default")) return WEFT_OK;
    if (!llama3 && !linear) {
        char text[40] = "";
        weft_json_text(kind, text, sizeof text);
        return weft_fail(r->c, WEFT_UNSUPPORTED,
                         "%s: rope_scaling: expected llama3, linear or default, got \"%s\"",
                         r->name, text);
    }
    WEFT_TRY(config_rope_number(r, scaling, "factor", 1e6, &factor));
    if (linear && !(factor > 0))
        return weft_fail(r->c, WEFT_FORMAT, "%s: rope_scaling: expected a factor", r->name);
    d->factor = (float)factor;
    if (linear) return WEFT_OK;
    WEFT_TRY(config_rope_number(r, scaling, "low_freq_factor", 1e6, &low));
    WEFT_TRY(config_rope_number(r, scaling, "high_freq_factor", 1e6, &high));
    WEFT_TRY(config_rope_number(r, scaling, "original_max_position_embeddings", 1e9, &original));
    if (!(factor > 0 && low > 0 && high > low && original > 0))
        return weft_fail(r->c, WEFT_FORMAT,
                         "%s: rope_scaling: expected factor, low_freq_factor below "
                         "high_freq_factor, and original_max_position_embeddings",
                         r->name);
    d->low = (float)low, d->high = (float)high, d->original = (int64_t)original;
    return WEFT_OK;
}

static weft_err config_family_read(const config_read *r) {
    const weft_json j = weft_json_get(r->json, "model_type");
    for (int i = 0; i < WEFT_LM_FAMILY_COUNT; i++)
        if (weft_json_is(j, config_family[i])) {
            r->m->family = (weft_lm_family)i;
            return WEFT_OK;
        }
    char text[40] = "";
    weft_json_text(j, text, sizeof text);
    return weft_fail(
        r->c, config_has(j) ? WEFT_UNSUPPORTED : WEFT_FORMAT,
        "%s: \"model_type\": expected gpt2, llama, mistral, qwen2 or qwen3, got \"%s\"", r->name,
        text);
}

/* Qwen 2 has the size of a window in its file, a switch that says whether it is used, and the layer
 * from which on it is, 28 if it does not say. */
static weft_err config_window_read(const config_read *r) {
    weft_lm_config *const m = r->m;
    const bool own = m->family == WEFT_LM_MISTRAL; /* Llama's programs do not look at it */
    if (!weft_json_bool(weft_json_get(r->json, "use_sliding_window"), own)) m->window = 0;
    if (!m->window || own) return WEFT_OK;
    const int64_t whole = weft_json_integer(weft_json_get(r->json, "max_window_layers"), 28);
    if (whole >= m->layers) m->window = 0;
    else if (whole > 0)
        return weft_fail(r->c, WEFT_UNSUPPORTED,
                         "%s: \"max_window_layers\": only a window in all layers or in none is "
                         "supported",
                         r->name);
    return WEFT_OK;
}

weft_err weft_lm_config_parse(weft_ctx *c, weft_json json, const char *name, weft_lm_config *out) {
    if (!out) return weft_fail(c, WEFT_ARGUMENT, "weft_lm_config_parse: out is NULL");
    weft_lm_config m = {.eps = 1e-6f}; /* a file's default, which GPT-2 has not */
    const config_read r = {c, json, name ? name : "config.json", &m};
    if (weft_json_kind_of(json) != WEFT_JSON_OBJECT)
        return weft_fail(c, WEFT_FORMAT, "%s: expected an object", r.name);
    WEFT_TRY(config_family_read(&r));
    if (m.family == WEFT_LM_GPT2) m.eps = 1e-5f;
    for (size_t i = 0; i < sizeof config_fields / sizeof *config_fields; i++) {
        const char *const key = config_key(&config_fields[i], m.family);
        if (key) WEFT_TRY(config_field_read(&r, &config_fields[i], key));
    }
    for (size_t i = 0; i < sizeof config_fixed_values / sizeof *config_fixed_values; i++) {
        const config_fixed *f = &config_fixed_values[i];
        const weft_json j = weft_json_get(json, f->key);
        if (config_has(j) && weft_json_bool(j, !f->value) != f->value)
            return weft_fail(c, WEFT_UNSUPPORTED, "%s: \"%s\": only %s is supported", r.name,
                             f->key, f->value ? "true" : "false");
    }
    WEFT_TRY(config_activation_read(&r));
    if (m.family != WEFT_LM_GPT2) WEFT_TRY(config_rope_read(&r));
    WEFT_TRY(config_window_read(&r));
    m.untied =
        !weft_json_bool(weft_json_get(json, "tie_word_embeddings"), m.family == WEFT_LM_GPT2);
    const weft_err e = weft_lm_config_check(c, &m);
    if (e != WEFT_OK) {
        char why[600];
        snprintf(why, sizeof why, "%s", weft_error(c));
        return weft_fail(c, WEFT_FORMAT, "%s: %s", r.name, why);
    }
    *out = m;
    return WEFT_OK;
}

weft_err weft_lm_config_open(weft_ctx *c, const char *path, weft_lm_config *out) {
    if (!path || !out)
        return weft_fail(c, WEFT_ARGUMENT, "weft_lm_config_open: the %s is NULL",
                         path ? "result" : "path");
    char inside[CONFIG_PATH];
    const int n = snprintf(inside, sizeof inside, "%s/config.json", path);
    if (n < 0 || (size_t)n >= sizeof inside)
        return weft_fail(c, WEFT_ARGUMENT, "%.200s...: the path is too long", path);
    weft_file f;
    const char *const name = path_exists(inside) ? inside : path;
    WEFT_TRY(weft_file_open(c, name, &f));
    const weft_json j = weft_json_parse(c, f.bytes, f.n, name);
    const weft_err e = weft_json_kind_of(j) == WEFT_JSON_NONE
                           ? weft_error_code(c)
                           : weft_lm_config_parse(c, j, name, out);
    weft_file_close(&f);
    return e;
}

/* ---- writing ---- */

static void config_put(text *t, const char *key) {
    text_put(t, t->n > 1 ? ",\n  " : "\n  ");
    text_quote(t, key);
    text_put(t, ": ");
}

static void config_put_count(text *t, const char *key, int64_t v) {
    config_put(t, key);
    text_add(t, "%lld", (long long)v);
}

static void config_put_real(text *t, const char *key, float v) {
    config_put(t, key);
    text_number(t, v);
}

static void config_put_word(text *t, const char *key, const char *word) {
    config_put(t, key);
    text_quote(t, word);
}

static void config_put_rope(text *t, const weft_rope_desc *d) {
    config_put_real(t, "rope_theta", d->base > 0 ? d->base : 10000);
    if (d->factor <= 0) return;
    config_put(t, "rope_scaling");
    text_put(t, d->original ? "{\"rope_type\": \"llama3\", \"factor\": "
                            : "{\"rope_type\": \"linear\", \"factor\": ");
    text_number(t, d->factor);
    if (d->original) {
        text_put(t, ", \"low_freq_factor\": ");
        text_number(t, d->low > 0 ? d->low : 1);
        text_put(t, ", \"high_freq_factor\": ");
        text_number(t, d->high > 0 ? d->high : 4);
        text_add(t, ", \"original_max_position_embeddings\": %lld", (long long)d->original);
    }
    text_put(t, "}");
}

static void config_put_all(text *t, const weft_lm_config *m) {
    static const char *const architecture[] = {"GPT2LMHeadModel", "LlamaForCausalLM",
                                               "MistralForCausalLM", "Qwen2ForCausalLM",
                                               "Qwen3ForCausalLM"};
    const bool gpt2 = m->family == WEFT_LM_GPT2;
    /* Llama with a window is Mistral to others */
    const weft_lm_family family =
        m->family == WEFT_LM_LLAMA && m->window ? WEFT_LM_MISTRAL : m->family;
    text_put(t, "{");
    config_put(t, "architectures");
    text_add(t, "[\"%s\"]", architecture[family]);
    config_put_word(t, "model_type", config_family[family]);
    for (size_t i = 0; i < sizeof config_fields / sizeof *config_fields; i++) {
        const config_field *f = &config_fields[i];
        const char *const key = config_key(f, m->family), *const at = (const char *)m + f->offset;
        if (!key) continue;
        if (f->kind == CONFIG_REAL) {
            float v;
            memcpy(&v, at, sizeof v);
            if (f->offset == offsetof(weft_lm_config, eps) && v == 0) v = 1e-5f;
            config_put_real(t, key, v);
            continue;
        }
        int64_t v;
        memcpy(&v, at, sizeof v);
        if (v) config_put_count(t, key, v);
    }
    config_put_word(t, gpt2 ? "activation_function" : "hidden_act", config_activation_text(m));
    if (!gpt2) config_put_rope(t, &m->rope);
    if (m->window && family != WEFT_LM_MISTRAL) {
        config_put(t, "use_sliding_window");
        text_put(t, "true");
        config_put(t, "max_window_layers");
        text_put(t, "0");
    }
    config_put(t, "tie_word_embeddings");
    text_put(t, m->untied ? "false" : "true");
    text_put(t, "\n}\n");
}

char *weft_lm_config_text(weft_ctx *c, const weft_lm_config *m) {
    if (weft_lm_config_check(c, m) != WEFT_OK) return NULL;
    text t = {.m = mem_of(c)};
    config_put_all(&t, m);
    if (!t.failed) return t.s;
    text_free(&t);
    weft_fail(c, WEFT_MEMORY, "config.json: out of memory");
    return NULL;
}

/* ---- sizes ---- */

/* Parameters; a double overflows for no sizes, and has all digits of those that are possible. */
static double config_numbers(const weft_lm_config *m) {
    const double w = (double)m->width, layers = (double)m->layers;
    const double head = m->head_size ? (double)m->head_size : w / (double)m->heads;
    const double q = (double)m->heads * head;
    const double kv = (double)(m->kv_heads ? m->kv_heads : m->heads) * head;
    const double ends = (m->untied ? 2 : 1) * (double)m->vocab * w;
    if (m->family == WEFT_LM_GPT2) {
        const double hidden = m->hidden ? (double)m->hidden : 4 * w;
        const double attention = w * 3 * w + 3 * w + w * w + w,
                     forward = 2 * w * hidden + hidden + w;
        return ends + (double)m->positions * w + layers * (attention + forward + 4 * w) + 2 * w;
    }
    double layer = 2 * w * q + 2 * w * kv + 3 * w * (double)m->hidden + 2 * w;
    if (m->family == WEFT_LM_QWEN2) layer += q + 2 * kv;
    if (m->family == WEFT_LM_QWEN3) layer += 2 * head;
    return ends + layers * layer + w;
}

weft_err weft_lm_config_check(weft_ctx *c, const weft_lm_config *m) {
    if (!m) return weft_fail(c, WEFT_ARGUMENT, "the configuration is NULL");
    if ((unsigned)m->family >= WEFT_LM_FAMILY_COUNT)
        return weft_fail(c, WEFT_ARGUMENT, "unknown family %d", (int)m->family);
    const struct {
        const char *what;
        int64_t n, least, most;
    } rows[] = {
        {"tokens", m->vocab, 1, CONFIG_EXTENT},
        {"positions", m->positions, 1, CONFIG_EXTENT},
        {"layers", m->layers, 1, CONFIG_LAYERS},
        {"heads", m->heads, 1, CONFIG_EXTENT},
        {"elements of width", m->width, 1, CONFIG_EXTENT},
        {"hidden units", m->hidden, 0, CONFIG_EXTENT},
        {"key heads", m->kv_heads, 0, m->heads},
        {"elements per head", m->head_size, 0, CONFIG_EXTENT},
        {"tokens in a window", m->window, 0, CONFIG_EXTENT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].n < rows[i].least || rows[i].n > rows[i].most)
            return weft_fail(c, WEFT_ARGUMENT, "expected %lld to %lld %s, got %lld",
                             (long long)rows[i].least, (long long)rows[i].most, rows[i].what,
                             (long long)rows[i].n);
    if (!m->head_size && m->width % m->heads)
        return weft_fail(c, WEFT_ARGUMENT, "%lld heads do not divide a width of %lld",
                         (long long)m->heads, (long long)m->width);
    if (m->kv_heads && m->heads % m->kv_heads)
        return weft_fail(c, WEFT_ARGUMENT, "%lld key heads do not divide %lld heads",
                         (long long)m->kv_heads, (long long)m->heads);
    if (m->family != WEFT_LM_GPT2 && !m->hidden)
        return weft_fail(c, WEFT_ARGUMENT, "the number of hidden units is missing");
    if (!(m->dropout >= 0 && m->dropout < 1) || !(m->eps >= 0 && m->eps < 1))
        return weft_fail(c, WEFT_ARGUMENT, "expected dropout and eps from 0 to below 1");
    const weft_rope_desc *const r = &m->rope;
    const float low = r->low > 0 ? r->low : 1, high = r->high > 0 ? r->high : 4;
    if (!(r->base >= 0 && r->base < INFINITY && r->factor >= 0 && r->factor < INFINITY) ||
        r->original < 0 || !(low < high && high < INFINITY))
        return weft_fail(c, WEFT_ARGUMENT, "rotary positions: expected numbers from 0, low < high");
    if (!config_activation_text(m))
        return weft_fail(c, WEFT_ARGUMENT, "expected gelu, gelu_tanh, relu or silu, got %s",
                         weft_activation_name(m->activation));
    const int64_t head = m->head_size ? m->head_size : m->width / m->heads;
    if (m->family != WEFT_LM_GPT2 && head % 2)
        return weft_fail(c, WEFT_ARGUMENT, "rotary positions need heads of an even size, not %lld",
                         (long long)head);
    if (config_numbers(m) > 0x1p50)
        return weft_fail(c, WEFT_ARGUMENT, "at most 2^50 parameters are allowed");
    return WEFT_OK;
}

typedef struct config_size {
    const char *name;
    weft_lm_config m;
} config_size;

/* clang-format off */
#define GPT2(layers_, heads_, width_) { .family = WEFT_LM_GPT2, .vocab = 50257, .positions = 1024, \
    .layers = layers_, .heads = heads_, .width = width_, .activation = WEFT_GELU_TANH }
static const config_size config_sizes[] = {
    {"nano", {.family = WEFT_LM_LLAMA, .vocab = 50257, .positions = 64, .layers = 4, .heads = 4,
              .width = 128, .hidden = 344, .activation = WEFT_SILU}},
    {"small", {.family = WEFT_LM_LLAMA, .vocab = 50257, .positions = 128, .layers = 4, .heads = 6,
               .width = 192, .hidden = 512, .activation = WEFT_SILU}},
    {"distilgpt2",  GPT2(6, 12, 768)},
    {"gpt2",        GPT2(12, 12, 768)},
    {"gpt2-medium", GPT2(24, 16, 1024)},
    {"gpt2-large",  GPT2(36, 20, 1280)},
    {"gpt2-xl",     GPT2(48, 25, 1600)},
};
#undef GPT2
/* clang-format on */
enum { CONFIG_SIZES = sizeof config_sizes / sizeof *config_sizes };

bool weft_lm_config_named(const char *name, weft_lm_config *out) {
    for (int i = 0; name && i < CONFIG_SIZES; i++)
        if (strcmp(config_sizes[i].name, name) == 0) {
            *out = config_sizes[i].m;
            return true;
        }
    return false;
}

const char *weft_lm_config_name(size_t i) {
    return i < CONFIG_SIZES ? config_sizes[i].name : NULL;
}

int64_t weft_lm_parameters(const weft_lm_config *m) {
    return weft_lm_config_check(NULL, m) == WEFT_OK ? (int64_t)config_numbers(m) : 0;
}
