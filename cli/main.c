/* main.c - the command weft: the table of subcommands, and how the program ends.
 *
 * Results go to stdout, everything else to stderr. A result that could not be written is a failure,
 * so that a full disk is not taken for an empty answer. */
#include "command.h"
#include "help.h"
#include "nearest.h"

#include <weft/weft.h>

#include <string.h>

const command *const commands[] = {
    &train_command, &eval_command,    &generate_command, &play_command,
    &top_command,   &inspect_command, &convert_command,  &export_command,
    &data_command,  &text_command,    &demo_command,     &detect_command,
    &bench_command, &doctor_command,  &help_command,     NULL,
};

static int main_unknown(const char *word) {
    const bool is_option = word[0] == '-';
    tell(stderr, "weft: unknown %s \"%s\"; ", is_option ? "option" : "command", word);
    nearest n = nearest_to(word, (int)strlen(word));
    for (int i = 0; commands[i] && !is_option; i++) nearest_offer(&n, commands[i]->name);
    nearest_ask(&n, "");
    fputs("see weft --help\n", stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    const char *const first = argc > 1 ? argv[1] : "";
    int status = EXIT_GOOD;
    if (strcmp(first, "-h") == 0 || strcmp(first, "--help") == 0) {
        help_of_program(stdout);
    } else if (strcmp(first, "-V") == 0 || strcmp(first, "--version") == 0) {
        printf("weft %s\n", weft_version());
    } else if (argc < 2) {
        help_of_program(stderr);
        status = EXIT_USAGE;
    } else if (command_find(commands, first)) {
        /* typed as a path, it may well not be on PATH: hints name it the same way */
        const char *const program = strchr(argv[0], '/') ? argv[0] : "weft";
        status = command_run(command_find(commands, first), program, argc - 2, argv + 2);
    } else {
        status = main_unknown(first);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("weft: could not write the results\n", stderr);
        if (status == EXIT_GOOD) status = EXIT_FAILED;
    }
    return status;
}
