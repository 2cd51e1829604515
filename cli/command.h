/* command.h - what a subcommand of weft is, and how the program ends.
 *
 * A subcommand is one constant: its words for people, its table of options and the function that
 * does it. Parsing, --help and --version are made from these tables (options.c, main.c), and so can
 * a manual page or a completion be. */
#ifndef WEFT_COMMAND_H
#define WEFT_COMMAND_H

#include "options.h"

/* clang-format off */
/*          name        code  text for people */
#define EXIT_CODES(X)                                              \
    X(EXIT_GOOD,          0, "good")                               \
    X(EXIT_FAILED,        1, "failed")                             \
    X(EXIT_USAGE,         2, "wrong usage")                        \
    X(EXIT_REGRESSION,    3, "a regression was found")             \
    X(EXIT_INPUT,         4, "bad input file")                     \
    X(EXIT_RESOURCES,     5, "out of memory, or no device")        \
    X(EXIT_INTERRUPTED, 130, "interrupted")
/* clang-format on */

enum {
#define X(name, code, text) name = code,
    EXIT_CODES(X)
#undef X
};

typedef struct command {
    const char *name, *summary; /* "bench", "time kernels, steps and plans"      */
    const char *operands;       /* "[NAME...]", or "" when it takes none         */
    const char *about;          /* a paragraph for its --help, lines ended by \n */
    const option *options;
    size_t option_count;
    size_t settings_size; /* of the struct that the options fill           */
    /* settings: that struct, zero where an option was not given. Gives an exit code. */
    int (*run)(const void *settings, int operand_count, char **operands);
} command;

extern const command bench_command, demo_command, doctor_command;

#endif
