/* generate.c - weft generate: a language model continues a prompt, as it comes, or a conversation of
 * prompts from the terminal. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "language.h"

#include "cli/chart.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct generate_settings {
    run_settings common; /* of these: seed, threads, device, json, quiet, color */
    int64_t tokens, context;
    double temperature, top_p, repetition;
    int top_k, sequences, weights;
    const char *stop, *lora;
} generate_settings;

/* clang-format off */
#define GENERATE_WEIGHTS "f32|bf16|f16|int8"
/* clang-format on */
static const weft_dtype generate_types[] = {WEFT_F32, WEFT_BF16, WEFT_F16, WEFT_I8};

enum { GENERATE_TOKENS = 200, GENERATE_STOPS = 16, GENERATE_LINE = 1 << 16 };

typedef struct generate_task {
    run run;
    const generate_settings *s;
    language model;
    weft_generator *writer;
    const char *prompt; /* to be shown before what comes next; NULL: it was */
    const char *stop[GENERATE_STOPS];
    char *stops; /* their text */
    size_t stop_count;
    struct generate_text *made; /* of each sequence, where it is not shown as it comes */
    weft_lm_written *written;
} generate_task;

/* ---- Ctrl-C ends a text, not the program ---- */

static volatile sig_atomic_t generate_stopped;

static void generate_stop(int number) {
    (void)number;
    generate_stopped = 1;
}

static bool generate_ask(void *user) {
    (void)user;
    return generate_stopped != 0;
}

/* ---- text as it comes ---- */

typedef struct generate_text { /* of a sequence */
    char *s;
    size_t n, room;
} generate_text;

static void generate_keep(generate_text *t, const char *text, size_t n) {
    if (t->n + n + 1 > t->room) {
        const size_t room = 2 * (t->n + n) + 256;
        char *const more = realloc(t->s, room);
        if (!more) return;
        t->s = more, t->room = room;
    }
    memcpy(t->s + t->n, text, n);
    t->s[t->n += n] = 0;
}

/* A terminal obeys nothing that a model writes; a file has it as it is. */
static void generate_print(const char *text, size_t n) {
    if (terminal_is(stdout)) tell_lines(stdout, text, n);
    else fwrite(text, 1, n, stdout);
    fflush(stdout);
}

static void generate_show(void *task_pointer, int sequence, const char *text, size_t n) {
    generate_task *const t = task_pointer;
    if (t->made) generate_keep(&t->made[sequence], text, n);
    else {
        if (t->prompt) generate_print(t->prompt, strlen(t->prompt));
        t->prompt = NULL;
        generate_print(text, n);
    }
}

/* ---- a prompt ---- */

static void generate_tell_json(const generate_task *t, const char *prompt, int i) {
    const weft_lm_written *const w = &t->written[i];
    json j = json_begin(stdout);
    json_integer(&j, "schema", RUN_SCHEMA);
    json_text(&j, "prompt", prompt);
    json_text(&j, "text", t->made[i].s ? t->made[i].s : "");
    json_integer(&j, "sequence", i);
    json_integer(&j, "prompt_tokens", w->prompt);
    json_integer(&j, "tokens", w->tokens);
    json_number(&j, "prompt_seconds", w->prompt_seconds);
    json_number(&j, "seconds", w->seconds);
    json_number(&j, "tokens_per_s", w->seconds > 0 ? (double)w->tokens / w->seconds : NAN);
    json_text(&j, "ending", w->why);
    json_end(&j);
}

static void generate_tell_end(const generate_task *t) {
    int64_t all = 0;
    const int rows = t->s->sequences ? t->s->sequences : 1;
    for (int i = 0; i < rows; i++) all += t->written[i].tokens;
    const weft_lm_written *const w = &t->written[0];
    if (t->s->common.quiet || !terminal_is(stderr)) return;
    const terminal err = terminal_of(stderr, (terminal_when)t->s->common.color);
    fputs(terminal_code(&err, TERMINAL_DIM), stderr);
    tell(stderr, "%lld tokens, %.0f a second; the prompt: %lld tokens in %.2f s; %s",
         (long long)all, w->seconds > 0 ? (double)all / w->seconds : 0, (long long)w->prompt,
         w->prompt_seconds, w->why);
    fputs(terminal_code(&err, TERMINAL_PLAIN), stderr);
    putc('\n', stderr);
}

static weft_err generate_one(generate_task *t, const char *prompt) {
    const int rows = t->s->sequences ? t->s->sequences : 1;
    for (int i = 0; t->made && i < rows; i++) t->made[i].n = 0;
    generate_stopped = 0;
    t->prompt = prompt;
    const weft_err e = weft_generator_write(
        t->writer, t->model.vocab, prompt,
        &(weft_lm_write_desc){.tokens = t->s->tokens ? t->s->tokens : GENERATE_TOKENS,
                              .stop = t->stop,
                              .stop_count = t->stop_count,
                              .show = generate_show,
                              .ask = generate_ask,
                              .user = t},
        t->written);
    for (int i = 0; !e && t->made && i < rows; i++) {
        if (t->s->common.json) {
            generate_tell_json(t, prompt, i);
            continue;
        }
        if (i) putchar('\n');
        if (rows > 1) printf("[%d]\n", i + 1);
        generate_print(prompt, strlen(prompt));
        if (t->made[i].s) generate_print(t->made[i].s, t->made[i].n);
        putchar('\n');
    }
    if (!e && !t->made) generate_show(t, 0, "\n", 1);
    if (!e && !t->s->common.json) generate_tell_end(t);
    return e;
}

/* All of stdin; free it. */
static char *generate_read(void) {
    generate_text all = {0};
    char part[4096];
    generate_keep(&all, "", 0);
    for (size_t n; (n = fread(part, 1, sizeof part, stdin)) > 0;) generate_keep(&all, part, n);
    while (all.n && all.s[all.n - 1] == '\n') all.s[--all.n] = 0;
    return all.s;
}

/* Line by line from a terminal, until its end. */
static weft_err generate_talk(generate_task *t) {
    char *line = malloc(GENERATE_LINE);
    weft_err e = line ? WEFT_OK : weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    if (!e && !t->s->common.quiet)
        fputs("A line is continued; Ctrl-C ends a text, Ctrl-D the program\n", stderr);
    while (!e) {
        fputs("> ", stderr);
        clearerr(stdin);
        if (!fgets(line, GENERATE_LINE, stdin)) break;
        line[strcspn(line, "\n")] = 0;
        e = generate_one(t, line);
    }
    free(line);
    return e;
}

/* ---- beginning ---- */

/* "\\n" is the end of a line; commas separate. */
static bool generate_stop_texts(generate_task *t) {
    const char *from = t->s->stop;
    if (!from) return true;
    char *to = t->stops = malloc(strlen(from) + 1);
    if (!to) return false;
    while (*from) {
        if (t->stop_count == GENERATE_STOPS) return false;
        t->stop[t->stop_count++] = to;
        for (; *from && *from != ','; from++) {
            const bool escaped = from[0] == '\\' && strchr("nt,\\", from[1]) && from[1];
            if (escaped) from++;
            *to++ = !escaped || *from == ',' || *from == '\\' ? *from : *from == 'n' ? '\n' : '\t';
        }
        *to++ = 0;
        if (*from == ',') from++;
    }
    return true;
}

static void generate_tell_weights(const generate_task *t, const weft_lm_loaded *loaded) {
    char size[32];
    if (t->s->common.quiet || !t->s->weights) return;
    snprintf(size, sizeof size, "%.4g MB", (double)loaded->bytes / 1e6);
    tell(stderr, "%s of weights; relative rounding error %.2g %%, at most %.2g %% (%s)\n", size,
         100 * loaded->error, 100 * loaded->worst, loaded->worst_name);
}

static weft_err generate_begin(generate_task *t, const char *path) {
    const generate_settings *const s = t->s;
    const int rows = s->sequences ? s->sequences : 1;
    weft_lm_loaded loaded = {0};
    weft_err e = language_open(&t->model, &t->run, path, generate_types[s->weights], &loaded);
    if (!e && s->lora) e = language_adapt(&t->model, &t->run, s->lora);
    if (e) return e;
    generate_tell_weights(t, &loaded);
    t->written = calloc((size_t)rows, sizeof *t->written);
    if (rows > 1 || s->common.json) t->made = calloc((size_t)rows, sizeof *t->made);
    if (!t->written || ((rows > 1 || s->common.json) && !t->made))
        return weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    const bool given = options_given(t->run.call->options, "temperature");
    t->writer = weft_generator_new(
        language_state(&t->model, &t->run), &t->model.m,
        &(weft_generator_desc){.sample = {.temperature = (float)(given ? s->temperature : 0.8),
                                          .top_k = s->top_k,
                                          .top_p = (float)s->top_p},
                               .repetition = (float)s->repetition,
                               .seed = (uint64_t)s->common.seed,
                               .sequences = rows,
                               .positions = s->context,
                               .threads = s->common.threads,
                               .model = language_desc(&t->model)});
    return t->writer ? WEFT_OK : weft_error_code(t->run.ctx);
}

static int generate_main(const call *c) {
    generate_task t = {.s = c->settings};
    char *read = NULL;
    if (!generate_stop_texts(&t)) {
        tell(stderr, "weft %s: --stop takes at most %d texts\n", c->name, GENERATE_STOPS);
        free(t.stops);
        return EXIT_USAGE;
    }
    weft_err e = run_open(&t.run, c, &t.s->common);
    if (!e) e = generate_begin(&t, c->words[0]);
    struct sigaction now = {.sa_handler = generate_stop}, before;
    sigaction(SIGINT, &now, &before);
    if (!e && c->count > 1) e = generate_one(&t, c->words[1]);
    else if (!e && terminal_is(stdin)) e = generate_talk(&t);
    else if (!e && (read = generate_read())) e = generate_one(&t, read);
    sigaction(SIGINT, &before, NULL);
    const int status = e ? command_failed(c, t.run.ctx) : EXIT_GOOD;
    for (int i = 0; t.made && i < (t.s->sequences ? t.s->sequences : 1); i++) free(t.made[i].s);
    free(t.made);
    free(t.written);
    free(t.stops);
    free(read);
    weft_generator_free(t.writer);
    language_free(&t.model);
    run_close(&t.run);
    return status;
}

/* clang-format off */
#define ROW(member_, name_, kind_, value_, low_, high_, help_)                                     \
    { .name = name_, .kind = kind_, .value = value_, .low = low_, .high = high_, .help = help_,    \
      .offset = offsetof(generate_settings, member_) }
static const option generate_options[] = {
    ROW(tokens, "tokens", OPTION_LONG, "N", 1, 1 << 24, "maximum number of tokens (200)"),
    ROW(temperature, "temperature", OPTION_NUMBER, "X", 0, 100, "logits are divided by this; 0: the most likely token (0.8)"),
    ROW(top_k, "top-k", OPTION_COUNT, "N", 1, 1 << 24, "sample from the N most likely tokens only (all)"),
    ROW(top_p, "top-p", OPTION_POSITIVE, "X", 0, 1, "sample from the smallest set with this total probability (all)"),
    ROW(repetition, "repetition", OPTION_POSITIVE, "X", 0, 100, "penalty of tokens that occurred before (1: none)"),
    ROW(stop, "stop", OPTION_TEXT, "TEXTS", 0, 0, "texts that end generation, separated by commas; \\n is a newline"),
    ROW(sequences, "sequences", OPTION_COUNT, "N", 1, 4096, "texts generated at once (1)"),
    ROW(context, "context", OPTION_LONG, "N", 2, 1 << 26, "context length in tokens (the model's)"),
    ROW(weights, "weights", OPTION_CHOICE, GENERATE_WEIGHTS, 0, 0, "how weights are stored (f32)"),
    ROW(lora, "lora", OPTION_FOLDER, "FOLDER", 0, 0, "adapters in PEFT's files, on top of a published model"),
    ROW_SEED(run_settings),
    ROW_THREADS(run_settings),
    ROW_DEVICE(run_settings),
    ROW_JSON(run_settings),
    ROW_QUIET(run_settings),
    ROW_COLOR(run_settings),
};
#undef ROW
/* clang-format on */

const command generate_command = {
    .name = "generate",
    .summary = "continue a text with a language model",
    .operands = "MODEL [PROMPT]",
    .about =
        "MODEL is a run of weft train text, or a folder with config.json, a vocabulary and\n"
        "model.safetensors as GPT-2, Llama, Mistral and Qwen are published. The prompt is PROMPT,\n"
        "or else all of stdin; from a terminal each line is a prompt. The text is shown as it is\n"
        "made; the same seed gives the same text on any number of threads. Weights in 16 or 8 "
        "bits\n"
        "take less memory and are read faster; what rounding changes is measured and shown.\n",
    .examples = "weft generate runs/text-nano \"To be\"\n"
                "weft generate ~/distilgpt2 \"The meaning of life\" --weights int8 --top-p 0.9\n"
                "weft generate runs/text-nano\n",
    COMMAND_OPTIONS(generate_options),
    .settings_size = sizeof(generate_settings),
    .run = generate_main,
};
