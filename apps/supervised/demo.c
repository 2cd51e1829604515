/* demo.c - weft demo: what `weft train digits` does, in seconds, for a first impression.
 *
 * It runs that very command and says so; nothing here is special. */
#include "cli/command.h"
#include "study_tasks.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

typedef struct demo_settings {
    double seconds;
    int64_t seed;
    int threads, color;
} demo_settings;

enum { DEMO_WORDS = 16 };

/* What to type next, in two columns. */
static void demo_next(const char *program) {
    static const char *const next[][2] = {
        {"data get mnist", "all 70,000 digits instead of a few"},
        {"train digits --model cnn", "a more accurate network"},
        {"export --c runs/demo", "the network as one C file"},
        {"doctor", "what Weft finds on this machine"},
    };
    puts("\nTry next");
    for (size_t i = 0; i < sizeof next / sizeof *next; i++)
        printf("  %s %-26s%s\n", program, next[i][0], next[i][1]);
    printf("  %-*s%s\n", (int)strlen(program) + 27, "docs/guide.md", "write your own");
}

static int demo_main(const call *c) {
    const demo_settings *s = c->settings;
    char seconds[32], seed[32], threads[32];
    char *words[DEMO_WORDS] = {"digits", "--run",  "runs/demo", "--overwrite", "--seconds",
                               seconds,  "--seed", seed,        "--color"};
    int n = 9;
    static char *const colours[] = {"auto", "always", "never"};
    snprintf(seconds, sizeof seconds, "%g", s->seconds > 0 ? s->seconds : 8);
    snprintf(seed, sizeof seed, "%" PRId64, s->seed);
    words[n++] = colours[s->color];
    if (s->threads) {
        snprintf(threads, sizeof threads, "%d", s->threads);
        words[n++] = "--threads", words[n++] = threads;
    }
    printf("Training a digit classifier. The same as:\n\n  %s train", c->program);
    for (int i = 0; i < 8; i++) printf(" %s", words[i]);
    puts("\n");
    fflush(stdout);
    const int status = command_run(&train_command, c->program, n, words);
    if (status == EXIT_GOOD) demo_next(c->program);
    return status;
}

static const option demo_options[] = {
    {.name = "seconds",
     .kind = OPTION_POSITIVE,
     .value = "N",
     .help = "train for at most N seconds (8)",
     .offset = offsetof(demo_settings, seconds),
     .high = 1e9},
    ROW_SEED(demo_settings),
    ROW_THREADS(demo_settings),
    ROW_COLOR(demo_settings),
};

const command demo_command = {
    .name = "demo",
    .summary = "train a digit classifier in seconds",
    .operands = "",
    .about = "Trains on the small set of digits that comes with Weft, or on MNIST if it was\n"
             "downloaded, prints the accuracy on the test set, and writes a report to runs/demo.\n"
             "Progress goes to stderr.\n",
    COMMAND_OPTIONS(demo_options),
    .settings_size = sizeof(demo_settings),
    .run = demo_main,
};
