/* use.c - weft eval and weft export of language models: the loss on a text, and the files that other
 * programs read. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "apps/tasks.h"
#include "cli/chart.h"
#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- which models are ours ---- */

static weft_err use_read_kind(void *is_ours, weft_ctx *c, weft_json config, const char *path) {
    (void)c, (void)path;
    *(bool *)is_ours = weft_json_is(weft_json_get(config, "command"), "train text") ||
                       weft_json_kind_of(weft_json_get(config, "model_type")) == WEFT_JSON_TEXT;
    return WEFT_OK;
}

bool text_is_model(const call *c, const char *path) {
    static const run_settings none;
    run r;
    bool ours = false;
    if (!run_open(&r, c, &none) && !run_locate(&r, path)) run_read(&r, use_read_kind, &ours);
    run_close(&r);
    return ours;
}

/* ---- eval ---- */

typedef struct use_held_out { /* what a run was validated with */
    char *files[64];
    int count;
    double share;
    int64_t length;
} use_held_out;

static weft_err use_read_files(void *user, weft_ctx *c, weft_json config, const char *path) {
    use_held_out *const h = user;
    weft_json key = {0}, value = {0};
    char share[40] = "";
    while (weft_json_next(weft_json_get(config, "files"), &key, &value)) {
        const size_t n = weft_json_text(value, NULL, 0) + 1;
        if (h->count == (int)(sizeof h->files / sizeof *h->files))
            return weft_fail(c, WEFT_FORMAT, "%s: files: more than %d", path, h->count);
        if (!(h->files[h->count] = malloc(n))) return weft_fail(c, WEFT_MEMORY, "out of memory");
        weft_json_text(value, h->files[h->count++], n);
    }
    weft_json_text(weft_json_get(config, "options.validation"), share, sizeof share);
    h->share = *share ? strtod(share, NULL) : 0.1;
    h->length = weft_json_integer(weft_json_get(config, "settings.context"), 0);
    if (h->share > 0 && h->share < 1 && h->length >= 0) return WEFT_OK;
    return weft_fail(c, WEFT_FORMAT,
                     "%s: expected options.validation between 0 and 1 and "
                     "settings.context of 1 or more",
                     path);
}

static void use_tell_loss(const call *c, bool as_json, const char *model, double loss,
                          int64_t tokens) {
    char count[32];
    if (!as_json) {
        tell(stdout, "Loss %.4f, perplexity %.4g on %s tokens.\n", loss, exp(loss),
             chart_count((double)tokens, count));
        return;
    }
    (void)c;
    json j = json_begin(stdout);
    json_integer(&j, "schema", RUN_SCHEMA);
    json_text(&j, "run", model);
    json_number(&j, "val_loss", loss);
    json_number(&j, "val_perplexity", exp(loss));
    json_integer(&j, "val_tokens", tokens);
    json_end(&j);
}

int text_eval(const call *c, int threads, bool as_json) {
    const run_settings set = {.threads = threads};
    run r;
    language model = {0};
    corpus text = {0};
    judge k = {0};
    use_held_out held = {.share = 1};
    double loss = 0;
    int64_t tokens = 0;
    weft_err e = run_open(&r, c, &set);
    if (!e) e = language_open(&model, &r, c->words[0], WEFT_F32, NULL);
    const bool own = !*model.folder || model.lora.rank; /* a run, which has a text of its own */
    if (!e && c->count < 2 && !own)
        e = weft_fail(r.ctx, WEFT_ARGUMENT, "missing text: weft eval %s FILE", c->words[0]);
    else if (!e && c->count < 2) e = run_read(&r, use_read_files, &held);
    if (!e && c->count > 1) e = corpus_open(&text, r.ctx, c->words + 1, 1, model.vocab, 1);
    else if (!e) e = corpus_open(&text, r.ctx, held.files, held.count, model.vocab, held.share);
    const int64_t length = held.length               ? held.length
                           : model.m.positions < 512 ? model.m.positions
                                                     : 512;
    if (!e)
        e = judge_begin(&k, &r, &model, &text,
                        &(judge_desc){.length = length, .batch = 4, .threads = threads});
    if (!e) e = judge_loss(&k, 0, &loss, &tokens);
    const int status = e ? command_failed(c, r.ctx) : EXIT_GOOD;
    if (!e) use_tell_loss(c, as_json, c->words[0], loss, tokens);
    judge_end(&k);
    corpus_free(&text);
    for (int i = 0; i < held.count; i++) free(held.files[i]);
    language_free(&model);
    run_close(&r);
    return status;
}

/* ---- export ---- */

static weft_err use_export(run *r, language *l, const char *folder, weft_dtype type,
                           bool adapters) {
    if (adapters && !l->lora.rank)
        return weft_fail(r->ctx, WEFT_ARGUMENT, "--adapters: the model has none");
    weft_state *const s = language_state(l, r);
    if (adapters) return weft_lm_lora_save(s, &l->m, &l->lora, folder);
    weft_err e = l->lora.rank ? weft_lm_lora_merge(s, &l->m, &l->lora) : WEFT_OK;
    if (!e) e = weft_lm_save(s, &l->m, folder, type, 0);
    return e ? e : weft_vocab_save(l->vocab, folder);
}

int text_export(const call *c, const char *folder, weft_dtype type, bool adapters, bool as_json) {
    static const run_settings none;
    run r;
    language model = {0};
    if (!folder) {
        tell(stderr, "weft %s: --output FOLDER is missing\n", c->name);
        return EXIT_USAGE;
    }
    weft_err e = run_open(&r, c, &none);
    if (!e) e = language_open(&model, &r, c->words[0], WEFT_F32, NULL);
    if (!e) e = use_export(&r, &model, folder, type, adapters);
    const int status = e ? command_failed(c, r.ctx) : EXIT_GOOD;
    if (!e && as_json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", RUN_SCHEMA);
        json_text(&j, "folder", folder);
        json_text(&j, "family", weft_lm_family_name(model.m.family));
        json_integer(&j, "parameters", weft_lm_parameters(&model.m));
        json_end(&j);
    }
    language_free(&model);
    run_close(&r);
    return status;
}
