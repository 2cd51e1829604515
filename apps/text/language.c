/* language.c - see language.h. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "language.h"

#include "cli/vocab.h"

#include <stdlib.h>
#include <string.h>

void language_free(language *l) {
    weft_vocab_free(l->vocab);
    if (l->base) weft_state_free(l->base);
    *l = (language){0};
}

weft_state *language_state(const language *l, const run *r) {
    return l->base ? l->base : r->state;
}

weft_lm_desc language_desc(const language *l) {
    return (weft_lm_desc){.weights = l->weights, .lora = l->lora.rank ? &l->lora : NULL};
}

static bool language_path(char *to, size_t bytes, const char *folder, const char *name) {
    const int n = snprintf(to, bytes, "%s/%s", folder, name);
    return n > 0 && (size_t)n < bytes;
}

/* ---- a new one ---- */

weft_err language_new(language *l, weft_ctx *c, const char *model, const char *vocab) {
    *l = (language){.c = c};
    if (!weft_lm_config_named(model, &l->m)) {
        char *const whole = realpath(model, NULL);
        const char *const path = whole ? whole : model;
        weft_err e = WEFT_OK;
        if (strlen(path) >= sizeof l->folder)
            e = weft_fail(c, WEFT_ARGUMENT, "the path of the model is too long");
        else if (!whole)
            e = weft_fail(c, WEFT_FILE,
                          "%s is neither a folder nor the name of a model; names are nano, small, "
                          "distilgpt2, gpt2, gpt2-medium, gpt2-large and gpt2-xl",
                          model);
        else snprintf(l->folder, sizeof l->folder, "%s", path);
        free(whole);
        if (!e) e = weft_lm_config_open(c, l->folder, &l->m);
        if (e) return e;
    }
    if (!vocab && *l->folder) vocab = l->folder;
    if (!vocab || strcmp(vocab, "chars") == 0) return WEFT_OK; /* of the text, once it is read */
    l->vocab = vocab_named(c, vocab, (weft_bytes){0});
    return l->vocab ? WEFT_OK : weft_error_code(c);
}

weft_err language_load(language *l, run *r, weft_lm_loaded *loaded) {
    const weft_lm_desc d = {.weights = l->weights};
    if (l->lora.rank && !l->base && !(l->base = weft_state_new(r->ctx)))
        return weft_error_code(r->ctx);
    if (l->lora.rank) l->lora.state = r->state;
    return weft_lm_load(language_state(l, r), &l->m, l->folder, &d, loaded);
}

/* ---- in a run ---- */

void language_write(const void *language_pointer, json *j) {
    const language *const l = language_pointer;
    char *const text = weft_lm_config_text(l->c, &l->m);
    json_raw(j, "model", text ? text : "null");
    weft_text_free(l->c, text);
    if (*l->folder) json_text(j, "base", l->folder);
    if (!l->lora.rank) return;
    json_open(j, "lora", '{');
    json_integer(j, "rank", l->lora.rank);
    json_number(j, "alpha", (double)l->lora.alpha);
    json_number(j, "dropout", (double)l->lora.dropout);
    json_text(j, "targets", l->targets);
    json_close(j);
}

static weft_err language_read_lora(language *l, weft_ctx *c, weft_json j, const char *path) {
    const int64_t rank = weft_json_integer(weft_json_get(j, "rank"), 0);
    const double alpha = weft_json_number(weft_json_get(j, "alpha"), 0);
    const double dropout = weft_json_number(weft_json_get(j, "dropout"), 0);
    const size_t n = weft_json_text(weft_json_get(j, "targets"), l->targets, sizeof l->targets);
    if (weft_json_kind_of(j) == WEFT_JSON_NONE) return WEFT_OK;
    if (rank < 1 || rank > 65536 || !(alpha > 0 && alpha < 1e6) || !(dropout >= 0 && dropout < 1) ||
        n < 1 || n >= sizeof l->targets || !*l->folder)
        return weft_fail(c, WEFT_FORMAT,
                         "%s: lora: expected rank, alpha, dropout, targets and base", path);
    l->lora = (weft_nn_lora){
        .rank = (int)rank, .alpha = (float)alpha, .dropout = (float)dropout, .targets = l->targets};
    return WEFT_OK;
}

static weft_err language_read_config(void *user, weft_ctx *c, weft_json config, const char *path) {
    language *const l = user;
    const weft_err e = weft_lm_config_parse(c, weft_json_get(config, "model"), path, &l->m);
    if (e) return e;
    const weft_json base = weft_json_get(config, "base");
    if (weft_json_text(base, l->folder, sizeof l->folder) >= sizeof l->folder)
        return weft_fail(c, WEFT_FORMAT, "%s: base: the path is too long", path);
    return language_read_lora(l, c, weft_json_get(config, "lora"), path);
}

weft_err language_read(language *l, run *r) {
    char path[LANGUAGE_PATH];
    *l = (language){.c = r->ctx};
    const weft_err e = run_read(r, language_read_config, l);
    if (e) return e;
    if (!language_path(path, sizeof path, r->folder, "tokenizer.json"))
        return weft_fail(r->ctx, WEFT_ARGUMENT, "the path of the run is too long");
    l->vocab = weft_vocab_open(r->ctx, path);
    if (!l->vocab) return weft_error_code(r->ctx);
    if (weft_vocab_size(l->vocab) <= l->m.vocab) return WEFT_OK;
    return weft_fail(r->ctx, WEFT_FORMAT, "%s: %lld tokens, the network knows %lld", path,
                     (long long)weft_vocab_size(l->vocab), (long long)l->m.vocab);
}

/* ---- to be used ---- */

static weft_err language_open_run(language *l, run *r, weft_dtype weights, weft_lm_loaded *loaded) {
    weft_err e = language_read(l, r);
    l->weights = weights;
    if (e) return e;
    if (!l->lora.rank) {
        const weft_lm_desc d = {.weights = weights};
        e = run_limit(r);
        return e ? e : weft_lm_load(r->state, &l->m, r->weights, &d, loaded);
    }
    e = language_load(l, r, loaded);
    if (!e) { /* the adapters are recorded with the network */
        const weft_lm_desc d = language_desc(l);
        weft_graph *const g = weft_graph_new(r->ctx);
        if (!g) return weft_error_code(r->ctx);
        weft_lm_logits(l->base, weft_input(g, WEFT_I32, weft_dims(1, 1)), &l->m, &d);
        e = weft_graph_error(g);
        weft_graph_free(g);
    }
    return e ? e : run_weights(r);
}

weft_err language_open(language *l, run *r, const char *path, weft_dtype weights,
                       weft_lm_loaded *loaded) {
    char name[64] = "";
    *l = (language){0};
    weft_err e = run_locate(r, path);
    if (!e) e = run_command(r, name, sizeof name);
    if (e) return e;
    if (strcmp(name, "train text") == 0) return language_open_run(l, r, weights, loaded);
    if (*name)
        return weft_fail(r->ctx, WEFT_UNSUPPORTED, "%s is a run of \"%s\", not of a language model",
                         r->folder, name);
    e = language_new(l, r->ctx, path, NULL);
    l->weights = weights;
    if (!e && weft_vocab_size(l->vocab) > l->m.vocab)
        e = weft_fail(r->ctx, WEFT_FORMAT, "%s: the vocabulary has %lld tokens, the network %lld",
                      path, (long long)weft_vocab_size(l->vocab), (long long)l->m.vocab);
    return e ? e : language_load(l, r, loaded);
}

weft_err language_adapt(language *l, run *r, const char *folder) {
    if (l->lora.rank || l->base)
        return weft_fail(r->ctx, WEFT_ARGUMENT, "the model has adapters already");
    const weft_err e = weft_lm_lora_open(r->ctx, folder, &l->lora, l->targets, sizeof l->targets);
    if (e) return e;
    const weft_lm_desc d = language_desc(l);
    return weft_lm_lora_load(r->state, &l->m, &d, folder);
}
