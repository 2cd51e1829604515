/* options.h - GNU options from a table.
 *
 * A table row says what an option is called, what it takes, what it means and which member of a
 * settings struct it fills. --name value, --name=value, -o value, options after operands, and -- to
 * end them; -h and --help belong to every table. Rows carry no code, so that help, manual pages and
 * completion are made from them too. */
#ifndef WEFT_OPTIONS_H
#define WEFT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum option_kind {
    OPTION_FLAG,     /* bool, true when given                                         */
    OPTION_COUNT,    /* int, from low to high                                         */
    OPTION_LONG,     /* int64_t, from low to high; high 0: as far as it goes          */
    OPTION_SIZE,     /* int64_t bytes, at least 1: 4096, 512K, 64M, 2G                */
    OPTION_NUMBER,   /* double, from low to high; both 0: any finite one              */
    OPTION_POSITIVE, /* double, above 0 and at most high; high 0: any                 */
    OPTION_SHARE,    /* double, a share above 0 as 5% or 0.05                         */
    OPTION_CHOICE,   /* int, the place of the word in value: "auto|always|never"      */
    OPTION_TEXT,     /* const char *, not empty; NULL when not given                  */
    OPTION_FILE,     /* the same; shells complete names of files                      */
    OPTION_FOLDER    /* the same; of folders                                          */
} option_kind;

/* What an option is to a run that is kept on the disk (run.c). */
typedef enum option_role {
    OPTION_DECIDES,  /* decides the result: kept, and must be the same when resumed */
    OPTION_RECALLED, /* kept, but a resumed run may be given another value           */
    OPTION_MANNER    /* how, not what: of this call alone                            */
} option_role;

typedef struct option {
    const char *name; /* without the dashes                                   */
    const char *also; /* another spelling that is understood; NULL: none      */
    char letter;      /* -o as a short form; 0: none                          */
    option_kind kind;
    const char *value; /* what --help calls the value; a choice's words        */
    const char *help;
    size_t offset;    /* of the member in the settings struct                 */
    double low, high; /* of the numbers                                       */
    option_role role;
} option;

/* All rows of one call, those of a command and those of its task, and which of them were given. */
enum { OPTIONS_MOST = 64 };
typedef struct options {
    const option *row[OPTIONS_MOST];
    size_t count;
    uint64_t given; /* bit k: row[k] was among the words */
} options;

typedef enum options_result { OPTIONS_READY, OPTIONS_HELP, OPTIONS_WRONG } options_result;

void options_add(options *o, const option *table, size_t rows);

/* Fills settings and moves the operands to the front of words; their number goes to *operand_count.
 * What is wrong is told on stderr, after "weft NAME: ". */
options_result options_parse(options *o, const char *name, void *settings, int word_count,
                             char **words, int *operand_count);

/* The place, from `from` on, of a word that is neither an option of these nor an option's value;
 * -1: none. Words that look like unknown options are ignored. */
int options_next_operand(const options *o, int from, int word_count, char *const *words);

bool options_share(const char *given, double *share); /* 5% or 0.05, above 0, at most 100 */

int options_find(const options *o, const char *name, size_t length); /* its row; -1: there is none */
bool options_given(const options *o, const char *option_name); /* was --option_name given? */

/* Fills what the option fills, as if it had been given: for values kept in a file. false: told. */
bool options_set(const options *o, const char *name, void *settings, const char *option_name,
                 const char *text);

/* The value that settings hold, as options_set reads it; "" for a text that is NULL. */
void options_value(const option *row, const void *settings, char *out, size_t size);

/* The options as lines of --help, --help itself included. */
void options_print(FILE *to, const options *o);

#endif
