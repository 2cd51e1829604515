/* main.c - the command weft: finds the subcommand, has its options read, runs it.
 *
 * Results go to stdout, everything else to stderr. A result that could not be written is a failure,
 * so that a full disk is not taken for an empty answer. */
#include "command.h"

#include <weft/weft.h>

#include <stdlib.h>
#include <string.h>

static const command *const main_commands[] = {&demo_command, &bench_command, &doctor_command};
enum { MAIN_COMMANDS = sizeof main_commands / sizeof *main_commands };

static void main_print_codes(FILE *to) {
    fputs("\nExit status:\n", to);
#define X(name, code, text) fprintf(to, "  %-4d %s\n", name, text);
    EXIT_CODES(X)
#undef X
}

static void main_help(FILE *to) {
    fputs("weft - train and run neural networks\n\n"
          "Usage: weft COMMAND [OPTION...]\n"
          "       weft COMMAND --help\n\nCommands:\n",
          to);
    for (int i = 0; i < MAIN_COMMANDS; i++)
        fprintf(to, "  %-10s %s\n", main_commands[i]->name, main_commands[i]->summary);
    fputs("\nOptions:\n"
          "  -h, --help     show this and exit\n"
          "  -V, --version  show the version and exit\n",
          to);
    main_print_codes(to);
}

static void main_command_help(FILE *to, const command *c) {
    fprintf(to, "weft %s - %s\n\nUsage: weft %s [OPTION...]%s%s\n\n%s\nOptions:\n", c->name,
            c->summary, c->name, *c->operands ? " " : "", c->operands, c->about);
    options_print(to, c->options, c->option_count);
}

static const command *main_find(const char *name) {
    for (int i = 0; i < MAIN_COMMANDS; i++)
        if (strcmp(main_commands[i]->name, name) == 0) return main_commands[i];
    return NULL;
}

static int main_run(const command *c, int word_count, char **words) {
    void *settings = calloc(1, c->settings_size);
    if (!settings) {
        fputs("weft: out of memory\n", stderr);
        return EXIT_RESOURCES;
    }
    int operand_count, status;
    switch (options_parse(c->name, c->options, c->option_count, settings, word_count, words,
                          &operand_count)) {
    case OPTIONS_HELP:
        main_command_help(stdout, c);
        status = EXIT_GOOD;
        break;
    case OPTIONS_READY:
        if (operand_count && !*c->operands) {
            fprintf(stderr, "weft %s: \"%s\" is one word too many; see weft %s --help\n", c->name,
                    words[0], c->name);
            status = EXIT_USAGE;
        } else {
            status = c->run(settings, operand_count, words);
        }
        break;
    case OPTIONS_WRONG:
    default: status = EXIT_USAGE; break;
    }
    free(settings);
    return status;
}

int main(int argc, char **argv) {
    const char *const first = argc > 1 ? argv[1] : "";
    int status = EXIT_GOOD;
    if (strcmp(first, "-h") == 0 || strcmp(first, "--help") == 0) {
        main_help(stdout);
    } else if (strcmp(first, "-V") == 0 || strcmp(first, "--version") == 0) {
        printf("weft %s\n", weft_version());
    } else if (argc < 2) {
        main_help(stderr);
        status = EXIT_USAGE;
    } else if (main_find(first)) {
        status = main_run(main_find(first), argc - 2, argv + 2);
    } else {
        fprintf(stderr, "weft: there is no %s \"%s\"; see weft --help\n",
                first[0] == '-' ? "option" : "command", first);
        status = EXIT_USAGE;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("weft: could not write the results\n", stderr);
        if (status == EXIT_GOOD) status = EXIT_FAILED;
    }
    return status;
}
