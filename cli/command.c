/* command.c - from the words of a command line to the function that does it.
 *
 * A command with tasks finds the task's name among the words; options may stand before it. Whether
 * the operands are as many as the command's own words say ("FROM TO", "[NAME...]") is checked here,
 * so that no command needs to. */
#include "command.h"

#include "help.h"
#include "nearest.h"
#include "source.h"

#include <stdlib.h>
#include <string.h>

const command *command_find(const command *const *list, const char *name) {
    for (; *list; list++)
        if (strcmp((*list)->name, name) == 0) return *list;
    return NULL;
}

options command_options(const command *c, const command *task) {
    options o = {.count = 0};
    if (task) options_add(&o, task->options, task->option_count);
    options_add(&o, c->options, c->option_count);
    return o;
}

int command_code(weft_err e) {
    switch (e) {
    case WEFT_FORMAT:
    case WEFT_UNSUPPORTED: return EXIT_INPUT;
    case WEFT_MEMORY:
    case WEFT_DEVICE: return EXIT_RESOURCES;
    default: return e == WEFT_OK ? EXIT_GOOD : EXIT_FAILED;
    }
}

/* The library names its functions, as "weft_open: ", which nobody called here, and the fields of its
 * descriptions, as ".missing", which are options here. */
static void command_words(const call *c, const char *said, char *out, size_t n) {
    size_t at = 0;
    const size_t function = strspn(said, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (strncmp(said, "weft_", 5) == 0 && strncmp(said + function, ": ", 2) == 0)
        said += function + 2;
    for (const char *s = said; *s && at + 1 < n; s++) {
        char name[32];
        const size_t length = strspn(s + 1, "abcdefghijklmnopqrstuvwxyz_");
        const bool begins = *s == '.' && (s == said || strchr(" (", s[-1]));
        if (begins && length && length < sizeof name) {
            for (size_t i = 0; i < length; i++) name[i] = s[i + 1] == '_' ? '-' : s[i + 1];
            name[length] = 0;
            if (c->options && options_find(c->options, name, length) >= 0) {
                at += (size_t)snprintf(out + at, n - at, "--%s", name);
                if (at >= n) at = n - 1;
                s += length;
                continue;
            }
        }
        out[at++] = *s;
    }
    out[at] = 0;
}

int command_failed(const call *c, const weft_ctx *ctx) {
    const weft_err e = weft_error_code(ctx);
    char said[600];
    command_words(c, weft_error(ctx), said, sizeof said);
    tell(stderr, "weft %s: %s\n", c->name, e == WEFT_OK ? "out of memory" : said);
    return e == WEFT_OK ? EXIT_RESOURCES : command_code(e);
}

int command_unread(const call *c, const weft_ctx *ctx, const char *path) {
    const int status = command_code(weft_error_code(ctx));
    const char *const hint = status == EXIT_INPUT ? source_hint(path) : NULL;
    if (!hint) return command_failed(c, ctx);
    tell(stderr, "weft %s: %s is %s\n", c->name, path, hint);
    return status;
}

static void command_hint(const char *name) {
    tell(stderr, "see weft %s --help\n", name);
}

/* "FILE", "[NAME...]", "FROM TO": each word is one operand, optional in brackets, any number more
 * with dots. */
static bool command_operands_fit(const call *c, const char *pattern) {
    int least = 0, most = 0;
    char missing[32] = "";
    for (const char *at = pattern; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (*at != '[' && ++least == c->count + 1)
            snprintf(missing, sizeof missing, "%.*s", (int)length, at);
        most++;
        if (strcspn(at, ".") < length) most = 1 << 20;
        at += length;
    }
    if (c->count >= least && c->count <= most) return true;
    if (c->count < least) tell(stderr, "weft %s: %s is missing; ", c->name, missing);
    else tell(stderr, "weft %s: unexpected argument \"%s\"; ", c->name, c->words[most]);
    command_hint(c->name);
    return false;
}

static int command_no_task(const command *c, const char *typed) {
    if (typed) {
        tell(stderr, "weft %s: unknown task \"%s\"; ", c->name, typed);
        nearest n = nearest_to(typed, (int)strlen(typed));
        for (int i = 0; c->tasks[i]; i++) nearest_offer(&n, c->tasks[i]->name);
        nearest_ask(&n, "");
    } else {
        tell(stderr, "weft %s: missing task, choose one of ", c->name);
        for (int i = 0; c->tasks[i]; i++) tell(stderr, "%s%s", i ? ", " : "", c->tasks[i]->name);
        fputs("; ", stderr);
    }
    command_hint(c->name);
    return EXIT_USAGE;
}

/* Finds the task, and takes its word out; NULL: none is named. */
static const command *command_take_task(const command *c, int *word_count, char **words) {
    const options own = command_options(c, NULL);
    for (int at = -1; (at = options_next_operand(&own, at + 1, *word_count, words)) >= 0;) {
        const command *const task = command_find(c->tasks, words[at]);
        if (!task) continue; /* perhaps the value of an option that only a task has */
        memmove(words + at, words + at + 1, (size_t)(--*word_count - at) * sizeof *words);
        return task;
    }
    return NULL;
}

int command_run(const command *c, const char *program, int word_count, char **words) {
    const command *const task = c->tasks ? command_take_task(c, &word_count, words) : NULL;
    const command *const last = task ? task : c;
    const char *const operands = last->operands ? last->operands : "";
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", c->name, task ? " " : "", task ? task->name : "");
    options o = command_options(c, task);
    const size_t size = task && task->settings_size ? task->settings_size : c->settings_size;
    void *const settings = calloc(1, size ? size : 1);
    if (!settings) {
        fputs("weft: out of memory\n", stderr);
        return EXIT_RESOURCES;
    }
    call request = {
        .command = c, .task = task, .name = name, .program = program, .settings = settings};
    int (*const run)(const call *) = last->run ? last->run : task ? c->run : NULL;
    int status = EXIT_USAGE;
    switch (options_parse(&o, name, settings, word_count, words, &request.count)) {
    case OPTIONS_HELP:
        help_of_command(stdout, c, task);
        status = EXIT_GOOD;
        break;
    case OPTIONS_READY:
        request.options = &o;
        request.words = words;
        if (!run || (last->tasks && request.count && !*operands))
            status = command_no_task(c, request.count ? words[0] : NULL);
        else if (command_operands_fit(&request, operands)) status = run(&request);
        break;
    case OPTIONS_WRONG:
    default: break;
    }
    free(settings);
    return status;
}
