/* options.h - GNU long options from a table.
 *
 * A table row says what an option is called, what it takes, what it means and which member of a
 * settings struct it fills. --name value, --name=value, options after operands, and -- to end them;
 * -h and --help belong to every table. Rows carry no code, so a table can also be printed. */
#ifndef WEFT_OPTIONS_H
#define WEFT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum option_kind {
    OPTION_FLAG,    /* bool, true when given                               */
    OPTION_COUNT,   /* int, from low to high                               */
    OPTION_SECONDS, /* double, above 0                                     */
    OPTION_CHOICE   /* int, the place of the word in value: "auto|never"   */
} option_kind;

typedef struct option {
    const char *name; /* without the dashes                           */
    option_kind kind;
    const char *value; /* what --help calls the value; a choice's words */
    const char *help;
    size_t offset; /* of the member in the settings struct         */
    int low, high; /* OPTION_COUNT only                            */
} option;

typedef enum options_result { OPTIONS_READY, OPTIONS_HELP, OPTIONS_WRONG } options_result;

/* Fills settings and moves the operands to the front of words; their number goes to *operand_count.
 * What is wrong is told on stderr, after "weft NAME: ". */
options_result options_parse(const char *command, const option *table, size_t rows, void *settings,
                             int word_count, char **words, int *operand_count);

/* The options as lines of --help, --help itself included. */
void options_print(FILE *to, const option *table, size_t rows);

#endif
