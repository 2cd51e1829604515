/* train.c - weft train text: a language model learns from texts, from nothing or from published
 * weights. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "apps/tasks.h"
#include "cli/chart.h"
#include "learn.h"

#include <weft/optim.h>

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct text_settings {
    run_settings common;
    const char *model, *vocab, *file, *lora_targets, *prompt;
    int lora, optimiser, mixed, accumulate;
    double lora_alpha, rate, decay, clip, dropout, validation;
    int64_t layers, width, heads, length, batch, warmup, plan;
    bool checkpointing;
} text_settings;

/* What is usual for a model of a name; published ones of any size are fine-tuned alike. */
typedef struct text_usual {
    const char *model; /* NULL: all others */
    int64_t length, batch, plan;
    weft_optimiser_kind optimiser;
    double rate, decay;
} text_usual;

/* clang-format off */
/* Muon brings a model that begins with nothing further in the same time: 4 blocks of width 192 to
 * 1.61 after 600 steps on Shakespeare's characters, AdamW with its best rate of three to 1.73. */
static const text_usual text_usuals[] = {
    /* model  length batch plan  optimiser              rate  decay */
    {"nano",  64,    16,   2000, WEFT_OPTIMISER_MUON,   0.02, 0.1},
    {"small", 128,   16,   5000, WEFT_OPTIMISER_MUON,   0.02, 0.1},
    {NULL,    128,   4,    1000, WEFT_OPTIMISER_ADAMW,  5e-5, 0.01},
};
/* clang-format on */

typedef struct text_task {
    run run;
    text_settings s;
    language model;
    corpus text;
    learn learn;
    char **files;
    int count;
    bool judged;
} text_task;

static const text_usual *text_usual_of(const text_task *t) {
    const text_usual *u = text_usuals;
    while (u->model && strcmp(u->model, t->s.model ? t->s.model : "nano") != 0) u++;
    return u;
}

static double text_real(const text_task *t, const char *name, double given, double usual) {
    return options_given(t->run.call->options, name) || given != 0 ? given : usual;
}

/* ---- files ---- */

static weft_err text_add_file(text_task *t, const char *path) {
    char **const more = realloc(t->files, (size_t)(t->count + 1) * sizeof *more);
    if (more) t->files = more;
    char *const whole = more ? realpath(path, NULL) : NULL;
    char *const own = whole ? whole : more ? strdup(path) : NULL; /* what is wrong shows later */
    if (!own) return weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    t->files[t->count++] = own;
    return WEFT_OK;
}

static weft_err text_read_files(void *user, weft_ctx *c, weft_json config, const char *path) {
    text_task *const t = user;
    char name[LANGUAGE_PATH];
    weft_json key = {0}, value = {0};
    weft_err e = WEFT_OK;
    while (!e && weft_json_next(weft_json_get(config, "files"), &key, &value)) {
        if (weft_json_text(value, name, sizeof name) >= sizeof name)
            return weft_fail(c, WEFT_FORMAT, "%s: files: a path is too long", path);
        e = text_add_file(t, name);
    }
    return e;
}

static weft_err text_read_count(void *user, weft_ctx *c, weft_json config, const char *path) {
    const text_task *const t = user;
    const int64_t had = weft_json_integer(weft_json_get(config, "tokens"), -1);
    if (had == t->text.count) return WEFT_OK;
    return weft_fail(c, WEFT_FORMAT, "%s: the run began with %lld tokens, its files have %lld now",
                     path, (long long)had, (long long)t->text.count);
}

/* ---- the model ---- */

static weft_err text_adapters(text_task *t) {
    language *const l = &t->model;
    if (!t->s.lora) return WEFT_OK;
    if (!*l->folder)
        return weft_fail(t->run.ctx, WEFT_ARGUMENT,
                         "--lora adapts published weights: --model FOLDER is missing");
    const char *const targets =
        t->s.lora_targets ? t->s.lora_targets : weft_lm_lora_default(l->m.family);
    if (strlen(targets) >= sizeof l->targets)
        return weft_fail(t->run.ctx, WEFT_ARGUMENT, "--lora-targets is too long");
    snprintf(l->targets, sizeof l->targets, "%s", targets);
    l->lora =
        (weft_nn_lora){.rank = t->s.lora,
                       .alpha = (float)(t->s.lora_alpha > 0 ? t->s.lora_alpha : 2 * t->s.lora),
                       .dropout = (float)t->s.dropout,
                       .targets = l->targets};
    return WEFT_OK;
}

/* A network that begins with nothing has the size of its text: as many tokens, as long windows. */
static weft_err text_size(text_task *t) {
    language *const l = &t->model;
    const int64_t vocab = weft_vocab_size(l->vocab);
    if (!*l->folder) {
        l->m.vocab = vocab;
        if (t->s.length) l->m.positions = t->s.length;
        if (t->s.layers) l->m.layers = t->s.layers;
        if (t->s.heads) l->m.heads = t->s.heads;
        if (t->s.width) { /* the feed-forward part keeps its proportion, in whole vectors */
            l->m.hidden = (l->m.hidden * t->s.width / l->m.width + 4) / 8 * 8;
            l->m.width = t->s.width;
        }
    } else if (t->s.layers || t->s.heads || t->s.width)
        return weft_fail(t->run.ctx, WEFT_ARGUMENT,
                         "--layers, --heads and --width are for a new model");
    const weft_err e = weft_lm_config_check(t->run.ctx, &l->m);
    if (e) return e;
    if (vocab > l->m.vocab)
        return weft_fail(t->run.ctx, WEFT_ARGUMENT,
                         "the vocabulary has %lld tokens, the network only %lld", (long long)vocab,
                         (long long)l->m.vocab);
    return WEFT_OK;
}

static weft_err text_model(text_task *t) {
    weft_ctx *const c = t->run.ctx;
    language *const l = &t->model;
    const char *const model = t->s.model ? t->s.model : "nano";
    const bool named = weft_lm_config_named(model, &l->m);
    /* characters are the vocabulary of small models, where nothing else was asked for */
    const bool gpt2 = named && strncmp(model, "nano", 4) != 0 && strcmp(model, "small") != 0;
    weft_err e = language_new(l, c, model, t->s.vocab ? t->s.vocab : gpt2 ? "gpt2" : NULL);
    if (!e && !l->vocab && !(l->vocab = corpus_chars(c, t->files, t->count)))
        e = weft_error_code(c);
    if (!e) e = text_adapters(t);
    return e ? e : text_size(t);
}

static learn_desc text_learn_desc(const text_task *t) {
    const text_settings *const s = &t->s;
    const text_usual *const u = text_usual_of(t);
    const int64_t positions = t->model.m.positions;
    static const float rates[] = {
#define X(name, text, rate, decay) rate,
        WEFT_OPTIMISERS(X)
#undef X
    };
    const int usual = s->lora ? WEFT_OPTIMISER_ADAMW : (int)u->optimiser;
    const int kind = s->optimiser ? s->optimiser - 1 : usual;
    const double own = s->lora ? 2e-4 : u->rate; /* adapters bear more than weights do */
    learn_desc d = {
        .length = s->length               ? s->length
                  : u->length < positions ? u->length
                                          : positions,
        .batch = s->batch ? s->batch : u->batch,
        .rate = text_real(t, "rate", s->rate, kind == usual ? own : (double)rates[kind]),
        .decay = text_real(t, "decay", s->decay, u->decay),
        .optimiser = kind,
        .clip = text_real(t, "clip", s->clip, 1),
        .accumulate = s->accumulate,
        .threads = s->common.threads,
        .mixed = s->mixed == 1   ? WEFT_BF16
                 : s->mixed == 2 ? WEFT_F16
                                 : WEFT_F32,
        .checkpointing = s->checkpointing,
        .seed = (uint32_t)s->common.seed,
        .seconds = s->common.seconds,
        .prompt = s->prompt ? s->prompt : "",
    };
    d.plan = s->plan ? s->plan : d.seconds > 0 ? 0 : u->plan;
    d.warmup = s->warmup ? s->warmup : 100;
    if (d.plan && d.warmup > d.plan / 10) d.warmup = d.plan / 10;
    return d;
}

/* ---- telling ---- */

static void text_write(const void *task_pointer, json *j) {
    const text_task *const t = task_pointer;
    const learn_desc *const d = &t->learn.d;
    json_open(j, "files", '[');
    for (int i = 0; i < t->count; i++) json_text(j, NULL, t->files[i]);
    json_close(j);
    json_integer(j, "tokens", t->text.count);
    json_open(j, "settings", '{');
    json_text(j, "family", weft_lm_family_name(t->model.m.family));
    json_integer(j, "parameters", weft_lm_parameters(&t->model.m));
    json_integer(j, "layers", t->model.m.layers);
    json_integer(j, "width", t->model.m.width);
    json_integer(j, "context", d->length);
    json_integer(j, "batch", d->batch);
    json_text(j, "optimiser", weft_optimiser_name((weft_optimiser_kind)d->optimiser));
    json_number(j, "learning rate", d->rate);
    json_number(j, "weight decay", d->decay);
    json_integer(j, "warm-up steps", d->warmup);
    if (d->mixed) json_text(j, "mixed precision", weft_dtype_name(d->mixed));
    json_integer(j, "seed", (int64_t)d->seed);
    json_close(j);
    language_write(&t->model, j);
}

static void text_megabytes(char out[32], double bytes) {
    snprintf(out, 32, bytes < 1e9 ? "%.0f MB" : "%.1f GB", bytes < 1e9 ? bytes / 1e6 : bytes / 1e9);
}

static void text_tell_start(const text_task *t) {
    char tokens[32], held[32], parameters[32], saved[32];
    if (t->s.common.quiet) return;
    chart_count((double)t->text.split, tokens);
    chart_count((double)(t->text.count - t->text.split), held);
    chart_count((double)weft_lm_parameters(&t->model.m), parameters);
    tell(stderr,
         "%s tokens for training, %s for validation; vocabulary of %lld (%s); %s parameters\n",
         tokens, held, (long long)weft_vocab_size(t->model.vocab), weft_vocab_kind(t->model.vocab),
         parameters);
    if (!t->learn.d.checkpointing) return;
    text_megabytes(saved, (double)t->learn.saved);
    tell(stderr, "Gradient checkpointing by block saves %s of memory\n", saved);
}

static weft_err text_report(text_task *t, const weft_train_result *r) {
    char summary[800];
    if (t->judged)
        snprintf(summary, sizeof summary,
                 "Validation loss %.4f, perplexity %.4g, on %lld tokens it has not learned from, "
                 "after %lld steps in %.1f s: %s.",
                 t->learn.loss_held_out, exp(t->learn.loss_held_out), (long long)t->learn.counted,
                 (long long)r->steps, r->seconds, r->text);
    else snprintf(summary, sizeof summary, "Not evaluated: %s.", r->text);
    return weft_report_write(t->run.ctx, t->run.folder,
                             &(weft_report){.title = "Text", .summary = summary});
}

static void text_tell_end(const text_task *t, const weft_train_result *r) {
    const learn *const k = &t->learn;
    const double tokens = (double)r->steps * (double)(k->d.batch * k->d.length);
    if (t->s.common.json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", RUN_SCHEMA);
        json_text(&j, "run", t->run.folder);
        json_text(&j, "model", weft_lm_family_name(t->model.m.family));
        json_integer(&j, "parameters", weft_lm_parameters(&t->model.m));
        json_integer(&j, "steps", r->steps);
        json_number(&j, "tokens", tokens);
        json_number(&j, "train_seconds", r->seconds);
        json_number(&j, "train_loss", weft_metric_of(&r->last, "train/loss"));
        json_number(&j, "val_loss", t->judged ? k->loss_held_out : NAN);
        json_number(&j, "val_perplexity", t->judged ? exp(k->loss_held_out) : NAN);
        if (t->judged && t->text.held_out) /* comparable between vocabularies */
            json_number(&j, "val_bits_per_byte",
                        k->loss_held_out / log(2) * (double)(t->text.count - t->text.split) /
                            (double)t->text.held_out);
        json_integer(&j, "val_tokens", t->judged ? k->counted : 0);
        if (k->d.checkpointing) json_integer(&j, "saved_bytes", (int64_t)k->saved);
        json_integer(&j, "resumed_at", r->resumed_at);
        json_text(&j, "ending", r->text);
        json_end(&j);
        return;
    }
    if (!t->judged) {
        tell(stdout, "%s; use --resume to continue.\nReport: %s/report.html\n", r->text,
             t->run.folder);
        return;
    }
    const terminal out = terminal_of(stdout, (terminal_when)t->s.common.color);
    char count[32];
    fputs("Validation loss ", stdout);
    fputs(terminal_code(&out, TERMINAL_BOLD), stdout);
    printf("%.4f", k->loss_held_out);
    fputs(terminal_code(&out, TERMINAL_PLAIN), stdout);
    tell(stdout, " (perplexity %.4g) on %s tokens", exp(k->loss_held_out),
         chart_count((double)k->counted, count));
    tell(stdout, ", after %lld steps in %.1f s: %s.\nReport: %s/report.html\n%s generate %s\n",
         (long long)r->steps, r->seconds, r->text, t->run.folder, t->run.call->program,
         t->run.folder);
}

/* ---- a run ---- */

static weft_err text_prepare(text_task *t) {
    run *const r = &t->run;
    weft_lm_loaded loaded;
    const bool resumed = t->s.common.resume;
    weft_state_seed(r->state, (uint32_t)t->s.common.seed);
    weft_err e = resumed ? run_read(r, text_read_files, t) : WEFT_OK;
    if (!e) e = resumed ? language_read(&t->model, r) : text_model(t);
    if (t->s.dropout > 0 && !t->model.lora.rank) t->model.m.dropout = (float)t->s.dropout;
    /* adapters need the weights below them; a whole model that goes on has them in its checkpoint */
    if (!e && *t->model.folder && (!resumed || t->model.lora.rank))
        e = language_load(&t->model, r, &loaded);
    if (!e)
        e = corpus_open(&t->text, r->ctx, t->files, t->count, t->model.vocab,
                        text_real(t, "validation", t->s.validation, 0.1));
    if (!e && resumed) e = run_read(r, text_read_count, t);
    t->learn = (learn){.d = text_learn_desc(t), .run = r, .model = &t->model, .text = &t->text};
    if (!e) e = learn_begin(&t->learn);
    return e || resumed ? e : weft_vocab_save(t->model.vocab, r->folder);
}

static weft_err text_train(text_task *t, weft_train_result *r) {
    const int64_t plan = t->learn.d.plan;
    const run_settings *const s = &t->s.common;
    const weft_err e = run_train(&t->run,
                                 (weft_train_desc){.step = learn_step,
                                                   .steps = s->steps         ? s->steps
                                                            : s->seconds > 0 ? 0
                                                                             : plan,
                                                   .evaluate = learn_try,
                                                   .evaluate_at_end = learn_evaluate,
                                                   .evaluate_every = 250,
                                                   .monitor = "val/loss",
                                                   .monitor_min = true,
                                                   .user = &t->learn,
                                                   .log_every = 10,
                                                   .title = "Text"},
                                 text_write, t, r);
    if (e) return e;
    t->judged = r->ending != WEFT_END_INTERRUPTED;
    return text_report(t, r);
}

static int text_main(const call *c) {
    text_task t = {.s = *(const text_settings *)c->settings};
    weft_train_result r;
    char name[64];
    int status = EXIT_GOOD;
    if (!c->count && !t.s.common.resume) {
        tell(stderr, "weft %s: FILE is missing; see weft train text --help\n", c->name);
        return EXIT_USAGE;
    }
    weft_err e = run_open(&t.run, c, &t.s.common);
    const char *const model = t.s.model ? t.s.model : "nano", *const slash = strrchr(model, '/');
    snprintf(name, sizeof name, "text-%.40s", slash && slash[1] ? slash + 1 : model);
    const bool usable = !e && run_place(&t.run, name);
    for (int i = 0; !e && usable && i < c->count && !t.s.common.resume; i++)
        e = text_add_file(&t, c->words[i]);
    if (!e && usable) e = run_go_on(&t.run, &t.s);
    if (!e && usable) e = text_prepare(&t);
    if (!e && usable) {
        text_tell_start(&t);
        e = text_train(&t, &r);
    }
    if (e) status = command_failed(c, t.run.ctx);
    else if (!usable) status = EXIT_USAGE;
    else {
        text_tell_end(&t, &r);
        if (!t.judged) status = EXIT_INTERRUPTED;
    }
    learn_end(&t.learn);
    corpus_free(&t.text);
    for (int i = 0; i < t.count; i++) free(t.files[i]);
    free(t.files);
    language_free(&t.model);
    run_close(&t.run);
    return status;
}

/* clang-format off */
#define ROW(member_, name_, kind_, value_, low_, high_, help_)                                     \
    { .name = name_, .kind = kind_, .value = value_, .low = low_, .high = high_, .help = help_,    \
      .offset = offsetof(text_settings, member_) }
#define X(name, text, rate, decay) "|" text
static const option text_options[] = {
    ROW(model, "model", OPTION_TEXT, "MODEL", 0, 0,
        "nano, small, distilgpt2, gpt2, gpt2-medium, gpt2-large, gpt2-xl: a new model; or a folder "
        "with published weights (nano)"),
    ROW(vocab, "vocab", OPTION_TEXT, "VOCAB", 0, 0,
        "chars, bytes, gpt2, or a folder with a vocabulary (the model's; nano and small: chars)"),
    ROW(layers, "layers", OPTION_LONG, "N", 1, 4096, "blocks of a new model (the model's)"),
    ROW(width, "width", OPTION_LONG, "N", 8, 1 << 16, "its width (the model's)"),
    ROW(heads, "heads", OPTION_LONG, "N", 1, 4096, "its attention heads (the model's)"),
    ROW(length, "length", OPTION_LONG, "N", 2, 1 << 20, "tokens of a window (nano 64, others 128)"),
    ROW(batch, "batch", OPTION_LONG, "N", 1, 1 << 16, "windows per step (nano and small 16, others 4)"),
    ROW(rate, "rate", OPTION_POSITIVE, "X", 0, 1000,
        "peak learning rate (nano and small 0.02, others 5e-5, with --lora 2e-4; else the optimiser's)"),
    ROW(decay, "decay", OPTION_NUMBER, "X", 0, 10, "weight decay of matrices (nano, small 0.1, others 0.01)"),
    ROW(warmup, "warmup", OPTION_LONG, "N", 1, 0, "warm-up steps of the learning rate (100)"),
    ROW(plan, "plan", OPTION_LONG, "N", 1, 1 << 30,
        "steps of the learning-rate schedule (nano 2000, small 5000, others 1000; with --seconds as "
        "many as fit)"),
    ROW(clip, "clip", OPTION_NUMBER, "X", 0, 1e9, "clip the global gradient norm to X, 0: off (1)"),
    ROW(dropout, "dropout", OPTION_NUMBER, "X", 0, 0.95, "dropout rate (0)"),
    { .name = "optimiser", .kind = OPTION_CHOICE, .value = "auto" WEFT_OPTIMISERS(X), .also = "optimizer",
      .help = "the optimiser (nano and small muon, others and adapters adamw)", .offset = offsetof(text_settings, optimiser) },
    ROW(accumulate, "accumulate", OPTION_COUNT, "N", 1, 4096,
        "gradient accumulation: batches per optimiser step (1)"),
    ROW(mixed, "mixed", OPTION_CHOICE, "off|bf16|f16", 0, 0,
        "mixed precision: operands of products in 16 bits (off)"),
    ROW(checkpointing, "checkpointing", OPTION_FLAG, NULL, 0, 0,
        "recompute each block in the backward pass: slower, with less memory"),
    ROW(lora, "lora", OPTION_COUNT, "RANK", 1, 4096, "train adapters of this rank, with frozen weights"),
    ROW(lora_alpha, "lora-alpha", OPTION_POSITIVE, "X", 0, 1e6, "LoRA alpha: the adapters' scale is alpha / rank (twice the rank)"),
    ROW(lora_targets, "lora-targets", OPTION_TEXT, "NAMES", 0, 0,
        "layers with adapters, separated by commas (all in the blocks)"),
    ROW(validation, "validation", OPTION_NUMBER, "X", 0.0001, 0.5, "share of the text, at its end, for validation (0.1)"),
    ROW(prompt, "prompt", OPTION_TEXT, "TEXT", 0, 0, "prompt of the samples"),
};
#undef X
#undef ROW
/* clang-format on */

const command train_text_task = {
    .name = "text",
    .summary = "train a language model on texts",
    .operands = "[FILE...]",
    .about =
        "Learns to continue texts: a small new model, or GPT-2, Llama and similar ones from\n"
        "published weights, whole or by adapters (LoRA). FILE is UTF-8 text, or one file of\n"
        "tokens that weft text encode wrote (NAME.bin). The end of the text is held out; what the\n"
        "model generates is shown with each evaluation. weft generate continues a prompt.\n",
    .examples = "weft train text book.txt --seconds 60\n"
                "weft train text book.txt --model gpt2 --mixed bf16\n"
                "weft train text book.txt --model ~/distilgpt2 --lora 8 --plan 300\n",
    COMMAND_OPTIONS(text_options),
    .settings_size = sizeof(text_settings),
    .run = text_main,
};
