/* command.h - what a subcommand of weft is, and how the program ends.
 *
 * A subcommand is one constant: its words for people, its table of options and the function that
 * does it. It may have tasks, which are chosen by the next word (weft train digits) and are the
 * same kind of constant; their options come on top of the command's. Parsing (command.c), --help
 * (help.c), manual pages (manual.c) and completion (completion.c) are made from these constants. */
#ifndef WEFT_COMMAND_H
#define WEFT_COMMAND_H

#include "options.h"
#include "tell.h"
#include "terminal.h"

#include <weft/weft.h>

/* clang-format off */
/*          name        code  text for people */
#define EXIT_CODES(X)                                              \
    X(EXIT_GOOD,          0, "success")                            \
    X(EXIT_FAILED,        1, "failure")                            \
    X(EXIT_USAGE,         2, "usage error")                        \
    X(EXIT_REGRESSION,    3, "performance regression")             \
    X(EXIT_INPUT,         4, "invalid input file")                 \
    X(EXIT_RESOURCES,     5, "out of memory, or device error")     \
    X(EXIT_INTERRUPTED, 130, "interrupted")
/* clang-format on */

enum {
#define X(name, code, text) name = code,
    EXIT_CODES(X)
#undef X
};

typedef struct command command;

/* What a command is asked to do. */
typedef struct call {
    const command *command, *task; /* task NULL: it has none, or none was named      */
    const char *name;              /* "train digits", for messages                   */
    const char *program;           /* how to call weft again, for hints: build/weft  */
    const void *settings;          /* zero where an option was not given             */
    const options *options;        /* options_given tells a zero from an absence     */
    int count;
    char **words; /* the operands, as many as command.operands allows */
} call;

typedef struct command_note {
    const char *term, *meaning;
} command_note;

struct command {
    const char *name, *summary; /* "bench", "time kernels, steps and plans"                 */
    const char *operands;       /* "FROM TO", "[NAME...]", "FILE..."; "" or NULL: none      */
    const char *choices;        /* words that operands may be, "adam|gemm"; NULL: anything  */
    const char *about;          /* a paragraph for its --help, lines ended by \n            */
    const char *examples;       /* lines of shell, ended by \n; NULL: none                  */
    const command_note *files;  /* for the manual page, ended by a NULL term; NULL: none    */
    const option *options;
    size_t option_count;
    size_t settings_size;        /* of the struct that the options fill; a task's 0: the command's,
                                    else the task's struct begins with the members of that one   */
    const command *const *tasks; /* ended by NULL; NULL: none                               */
    int (*run)(const call *c);   /* gives an exit code; a task's NULL: the command's; a
                                    command's NULL: one of the tasks must be named               */
};

#define COMMAND_OPTIONS(table) .options = table, .option_count = sizeof(table) / sizeof *(table)

/* Rows that several commands have; the struct S has a member of that name. */
/* clang-format off */
#define ROW_JSON(S) { .name = "json", .kind = OPTION_FLAG,                  /* bool json */        \
    .help = "write JSON, one object per line", .offset = offsetof(S, json),                           \
    .role = OPTION_MANNER }
#define ROW_THREADS(S) { .name = "threads", .kind = OPTION_COUNT,           /* int threads */      \
    .value = "N", .help = "number of threads (chosen by the library)",                           \
    .offset = offsetof(S, threads), .low = 1, .high = 256, .role = OPTION_MANNER }
#define ROW_DEVICE(S) { .name = "device", .kind = OPTION_TEXT,              /* const char *device */ \
    .value = "DEVICE", .help = "auto, cpu, or far, a CPU with separate device memory (auto)", \
    .offset = offsetof(S, device), .role = OPTION_MANNER }
#define ROW_SEED(S) { .name = "seed", .kind = OPTION_LONG,                  /* int64_t seed */     \
    .value = "N", .help = "random seed (0)", .offset = offsetof(S, seed),          \
    .high = 4294967295.0 }
#define ROW_COLOR(S) { .name = "color", .kind = OPTION_CHOICE,              /* int color */        \
    .value = TERMINAL_WHEN, .help = "coloured output (auto)", .offset = offsetof(S, color),                       \
    .role = OPTION_MANNER }
#define ROW_QUIET(S) { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, /* bool quiet */       \
    .help = "no progress output", .offset = offsetof(S, quiet), .role = OPTION_MANNER }
/* clang-format on */

/* Every subcommand, in the order of the help; ended by NULL (main.c). */
extern const command *const commands[];
extern const command bench_command, convert_command, data_command, demo_command, detect_command,
    doctor_command, eval_command, export_command, generate_command, help_command, inspect_command,
    play_command, text_command, top_command, train_command;

/* What the applications bring, ended by NULL (apps/tasks.c): the tasks of weft train and weft play. */
extern const command *const train_tasks[], *const play_tasks[];

const command *command_find(const command *const *list, const char *name);
int command_run(const command *c, const char *program, int word_count, char **words);
/* an exit code */

int command_code(weft_err e); /* the exit code that an error of the library becomes */
int command_failed(const call *c, const weft_ctx *ctx); /* tells its last error; the exit code */
/* The same after source_open: where the content is wrong, also what the file looks like instead. */
int command_unread(const call *c, const weft_ctx *ctx, const char *path);

/* All options of a command, or of one of its tasks. */
options command_options(const command *c, const command *task);

#endif
