/* help.c - help for a terminal, and weft help, which also gives manual pages and completion.
 *
 * The build runs `weft help --man` and `weft help --completion` to make what is installed, so that
 * no option is ever written down twice. */
#include "help.h"

#include "nearest.h"

#include <string.h>

static void help_list(FILE *to, const char *title, const command *const *list) {
    fprintf(to, "\n%s:\n", title);
    for (; *list; list++) fprintf(to, "  %-12s %s\n", (*list)->name, (*list)->summary);
}

void help_of_program(FILE *to) {
    fputs("weft - train and run neural networks\n\n"
          "Usage: weft COMMAND [OPTION...]\n"
          "       weft COMMAND --help\n",
          to);
    help_list(to, "Commands", commands);
    fputs("\nOptions:\n"
          "  -h, --help     show this and exit\n"
          "  -V, --version  show the version and exit\n"
          "\nExit status:\n",
          to);
#define X(name, code, text) fprintf(to, "  %-4d %s\n", code, text);
    EXIT_CODES(X)
#undef X
}

static void help_examples(FILE *to, const char *lines) {
    fputs("\nExamples:\n", to);
    for (; *lines; lines += strcspn(lines, "\n") + 1)
        fprintf(to, "  %.*s\n", (int)strcspn(lines, "\n"), lines);
}

void help_of_command(FILE *to, const command *c, const command *task) {
    const command *const last = task ? task : c;
    const char *const operands = last->operands ? last->operands : "";
    fprintf(to, "weft %s%s%s - %s\n\nUsage: weft %s%s%s%s [OPTION...]%s%s\n\n%s", c->name,
            task ? " " : "", task ? task->name : "", last->summary, c->name,
            c->tasks && !task ? c->run ? " [TASK]" : " TASK" : "", task ? " " : "",
            task ? task->name : "", *operands ? " " : "", operands, last->about);
    if (c->tasks && !task) {
        help_list(to, "Tasks", c->tasks);
        fprintf(to, "\nSee also weft %s TASK --help.\n", c->name);
    }
    fputs("\nOptions:\n", to);
    const options o = command_options(c, task);
    options_print(to, &o);
    if (last->examples) help_examples(to, last->examples);
}

/* ---- the subcommand ---- */

static void (*const help_completion[])(FILE *to) = {
#define X(shell) completion_##shell,
    COMPLETION_SHELLS(X, X)
#undef X
};

#define HELP_FIRST(shell) #shell
#define HELP_NEXT(shell)  "|" #shell
static const char help_shells[] = COMPLETION_SHELLS(HELP_FIRST, HELP_NEXT);

typedef struct help_settings {
    bool man, names;
    int completion;
} help_settings;

static int help_unknown(const char *typed, const command *const *list) {
    tell(stderr, "weft help: unknown command \"%s\"; ", typed);
    nearest n = nearest_to(typed, (int)strlen(typed));
    for (; *list; list++) nearest_offer(&n, (*list)->name);
    nearest_ask(&n, "");
    fputs("see weft --help\n", stderr);
    return EXIT_USAGE;
}

static int help_main(const call *request) {
    const help_settings *const s = request->settings;
    const command *c = NULL, *task = NULL;
    if (options_given(request->options, "completion")) {
        help_completion[s->completion](stdout);
        return EXIT_GOOD;
    }
    for (int i = 0; s->names && commands[i]; i++) puts(commands[i]->name);
    if (s->names) return EXIT_GOOD;
    if (request->count > 0) {
        c = command_find(commands, request->words[0]);
        if (!c) return help_unknown(request->words[0], commands);
    }
    if (request->count > 1) {
        const command *const none[] = {NULL}, *const *tasks = c->tasks ? c->tasks : none;
        task = command_find(tasks, request->words[1]);
        if (!task) return help_unknown(request->words[1], tasks);
    }
    if (s->man) manual_write(stdout, c);
    else if (c) help_of_command(stdout, c, task);
    else help_of_program(stdout);
    return EXIT_GOOD;
}

static const option help_options[] = {
    {.name = "man",
     .kind = OPTION_FLAG,
     .help = "write the manual page, for man -l",
     .offset = offsetof(help_settings, man)},
    {.name = "completion",
     .kind = OPTION_CHOICE,
     .value = help_shells,
     .help = "write the completion script of a shell",
     .offset = offsetof(help_settings, completion)},
    {.name = "names",
     .kind = OPTION_FLAG,
     .help = "list the names of all commands",
     .offset = offsetof(help_settings, names)},
};

const command help_command = {
    .name = "help",
    .summary = "show help, manual pages and shell completion",
    .operands = "[COMMAND] [TASK]",
    .about = "Shows the help of a command, or its manual page.\n",
    .examples = "weft help train\n"
                "weft help --man bench | man -l -\n"
                ". <(weft help --completion bash)\n",
    COMMAND_OPTIONS(help_options),
    .settings_size = sizeof(help_settings),
    .run = help_main,
};
