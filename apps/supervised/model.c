/* model.c - writing, reading and recording models; see model.h. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool model_moments(model *m, size_t n) {
    m->mean = calloc(n ? n : 1, sizeof *m->mean);
    m->std = calloc(n ? n : 1, sizeof *m->std);
    m->moments = n;
    return m->mean && m->std;
}

/* Copies of names; names NULL: numbers. */
static bool model_copy(char ***list, size_t *count, size_t n, const char *const *names) {
    *list = calloc(n ? n : 1, sizeof **list);
    if (!*list) return false;
    *count = n;
    for (size_t i = 0; i < n; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        if (!((*list)[i] = strdup(names ? names[i] : number))) return false;
    }
    return true;
}

bool model_names(model *m, size_t n, const char *const *names) {
    return model_copy(&m->names, &m->classes, n, names);
}

bool model_inputs(model *m, size_t n, const char *const *names) {
    return model_copy(&m->input, &m->inputs, n, names);
}

void model_free(model *m) {
    for (size_t i = 0; m->names && i < m->classes; i++) free(m->names[i]);
    free(m->names);
    for (size_t i = 0; m->input && i < m->inputs; i++) free(m->input[i]);
    free(m->input);
    free(m->mean);
    free(m->std);
    *m = (model){0};
}

/* ---- files ---- */

void model_write(json *j, const model *m) {
    json_open(j, "model", '{');
    json_text(j, "network", network_word(m->net.kind));
    json_integer(j, "rows", m->net.rows);
    json_integer(j, "columns", m->net.columns);
    json_integer(j, "outputs", m->net.outputs);
    json_integer(j, "hidden", m->net.hidden);
    json_number(j, "dropout", (double)m->net.dropout);
    if (m->net.kind == NETWORK_LOGIC) json_integer(j, "wiring", (int64_t)m->net.wiring);
    json_bool(j, "numbers", m->numbers);
    if (m->numbers) {
        json_number(j, "answer_mean", (double)m->answer_mean);
        json_number(j, "answer_std", (double)m->answer_std);
    }
    json_open(j, "mean", '[');
    for (size_t i = 0; i < m->moments; i++) json_number(j, NULL, (double)m->mean[i]);
    json_close(j);
    json_open(j, "std", '[');
    for (size_t i = 0; i < m->moments; i++) json_number(j, NULL, (double)m->std[i]);
    json_close(j);
    json_open(j, "classes", '[');
    for (size_t i = 0; i < m->classes; i++) json_text(j, NULL, m->names[i]);
    json_close(j);
    if (m->inputs) json_open(j, "inputs", '[');
    for (size_t i = 0; i < m->inputs; i++) json_text(j, NULL, m->input[i]);
    if (m->inputs) json_close(j);
    json_close(j);
}

static int64_t model_extent(weft_json j, const char *key) {
    const int64_t n = weft_json_integer(weft_json_get(j, key), 0);
    return n > 0 && n < 1 << 24 ? n : 0;
}

/* The texts of a list, over the names that are there. */
static bool model_read_names(weft_json list, char **names, size_t n) {
    weft_json key = {0}, value = {0};
    for (size_t i = 0; i < n && weft_json_next(list, &key, &value); i++) {
        const size_t bytes = weft_json_text(value, NULL, 0);
        char *name = malloc(bytes + 1);
        if (!name) return false;
        *name = 0;
        weft_json_text(value, name, bytes + 1);
        free(names[i]);
        names[i] = name;
    }
    return true;
}

/* Older runs spell it "deviation". */
static weft_json model_std(weft_json j, const char *name, const char *before) {
    const weft_json std = weft_json_get(j, name);
    return std.at ? std : weft_json_get(j, before);
}

static weft_err model_read_lists(weft_ctx *c, weft_json j, const char *path, model *m) {
    const weft_json mean = weft_json_get(j, "mean"), std = model_std(j, "std", "deviation");
    const weft_json classes = weft_json_get(j, "classes");
    const size_t n = weft_json_count(mean), k = weft_json_count(classes);
    if (n != weft_json_count(std) || !n || (n > 1 && (int64_t)n != m->net.columns))
        return weft_fail(c, WEFT_FORMAT, "%s: model.mean and model.std do not match", path);
    if (!m->numbers && (int64_t)k != m->net.outputs)
        return weft_fail(c, WEFT_FORMAT, "%s: model.classes has %zu names, %lld expected", path, k,
                         (long long)m->net.outputs);
    if (!model_moments(m, n) || !model_names(m, k, NULL))
        return weft_fail(c, WEFT_MEMORY, "out of memory");
    weft_json at = {0}, key = {0}, value = {0};
    for (size_t i = 0; i < n && weft_json_next(mean, &key, &value); i++)
        m->mean[i] = (float)weft_json_number(value, NAN);
    key = value = at;
    for (size_t i = 0; i < n && weft_json_next(std, &key, &value); i++)
        m->std[i] = (float)weft_json_number(value, NAN);
    const weft_json inputs = weft_json_get(j, "inputs");
    const size_t named = weft_json_count(inputs); /* older runs have none */
    if (named && (int64_t)named != m->net.rows * m->net.columns)
        return weft_fail(c, WEFT_FORMAT, "%s: model.inputs has %zu names, %lld expected", path,
                         named, (long long)(m->net.rows * m->net.columns));
    if (named && !model_inputs(m, named, NULL)) return weft_fail(c, WEFT_MEMORY, "out of memory");
    if (!model_read_names(classes, m->names, k) || !model_read_names(inputs, m->input, named))
        return weft_fail(c, WEFT_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(m->mean[i]) || !isfinite(m->std[i]) || m->std[i] == 0)
            return weft_fail(c, WEFT_FORMAT, "%s: invalid model.mean or model.std %zu", path, i);
    if (!isfinite(m->answer_mean) || !(m->answer_std > 0) || isinf(m->answer_std))
        return weft_fail(c, WEFT_FORMAT, "%s: invalid model.answer_mean or model.answer_std", path);
    return WEFT_OK;
}

weft_err model_read(weft_ctx *c, weft_json config, const char *path, model *m) {
    *m = (model){0};
    const weft_json j = weft_json_get(config, "model");
    char word[16];
    weft_json_text(weft_json_get(j, "network"), word, sizeof word);
    if (weft_json_kind_of(j) != WEFT_JSON_OBJECT || !network_named(word, &m->net.kind))
        return weft_fail(c, WEFT_FORMAT, "%s: unknown model.network", path);
    m->net.rows = model_extent(j, "rows"), m->net.columns = model_extent(j, "columns");
    m->net.outputs = model_extent(j, "outputs"), m->net.hidden = model_extent(j, "hidden");
    m->net.dropout = (float)weft_json_number(weft_json_get(j, "dropout"), 0);
    m->net.wiring = (uint64_t)weft_json_integer(weft_json_get(j, "wiring"), 0);
    m->numbers = weft_json_bool(weft_json_get(j, "numbers"), false);
    m->answer_mean = (float)weft_json_number(weft_json_get(j, "answer_mean"), 0);
    m->answer_std = (float)weft_json_number(model_std(j, "answer_std", "answer_deviation"), 1);
    if (!m->net.rows || !m->net.columns || !m->net.outputs || !m->net.hidden)
        return weft_fail(c, WEFT_FORMAT,
                         "%s: model.rows, columns, outputs and hidden must be positive", path);
    const weft_err e = model_read_lists(c, j, path, m);
    if (e) model_free(m);
    return e;
}

/* ---- recording ---- */

weft_tensor model_record(weft_state *s, weft_tensor x, const model *m) {
    network net = m->net;
    net.hard = true; /* outside of training nothing is undecided */
    const weft_shape dims = m->moments == 1 ? weft_dims(1) : weft_dims(m->net.columns);
    weft_tensor mean = weft_const(x.g, WEFT_F32, dims, m->mean);
    weft_tensor std = weft_const(x.g, WEFT_F32, dims, m->std);
    weft_tensor y = network_record(s, weft_div(weft_sub(x, mean), std), &net);
    return m->numbers ? weft_offset(weft_scale(y, m->answer_std), m->answer_mean) : y;
}
