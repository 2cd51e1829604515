/* options.c - parsing and printing of option tables; see options.h. Keeps nothing. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool options_complain(const char *command, const option *o, const char *given,
                             const char *wanted) {
    fprintf(stderr, "weft %s: --%s takes %s, not \"%s\"\n", command, o->name, wanted, given);
    return false;
}

static bool options_choose(const char *words, const char *given, int *choice) {
    *choice = 0;
    for (const char *at = words;; (*choice)++) {
        const size_t length = strcspn(at, "|");
        if (strlen(given) == length && strncmp(at, given, length) == 0) return true;
        if (!at[length]) return false;
        at += length + 1;
    }
}

static bool options_store(const char *command, const option *o, const char *given, char *settings) {
    char *end, range[64];
    int whole;
    switch (o->kind) {
    case OPTION_FLAG: *(bool *)(void *)(settings + o->offset) = true; return true;
    case OPTION_COUNT: {
        errno = 0;
        const long n = strtol(given, &end, 10);
        if (!*given || *end || errno || n < o->low || n > o->high) {
            snprintf(range, sizeof range, "a number from %d to %d", o->low, o->high);
            return options_complain(command, o, given, range);
        }
        whole = (int)n;
        break;
    }
    case OPTION_SECONDS: {
        const double x = strtod(given, &end);
        if (!*given || *end || !(x > 0 && x <= 1e9))
            return options_complain(command, o, given, "a number of seconds");
        memcpy(settings + o->offset, &x, sizeof x);
        return true;
    }
    case OPTION_CHOICE:
    default:
        if (!options_choose(o->value, given, &whole))
            return options_complain(command, o, given, o->value);
        break;
    }
    memcpy(settings + o->offset, &whole, sizeof whole);
    return true;
}

options_result options_parse(const char *command, const option *table, size_t rows, void *settings,
                             int word_count, char **words, int *operand_count) {
    *operand_count = 0;
    for (int i = 0; i < word_count; i++) {
        char *const word = words[i];
        if (word[0] != '-' || !word[1]) {
            words[(*operand_count)++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            while (++i < word_count) words[(*operand_count)++] = words[i];
            break;
        }
        if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) return OPTIONS_HELP;

        const option *o = NULL;
        const size_t length = strcspn(word, "=");
        for (size_t k = 0; k < rows && word[1] == '-' && !o; k++) {
            const bool same = strlen(table[k].name) == length - 2 &&
                              strncmp(word + 2, table[k].name, length - 2) == 0;
            if (same) o = &table[k];
        }
        if (!o) {
            fprintf(stderr, "weft %s: there is no option %.*s; see weft %s --help\n", command,
                    (int)length, word, command);
            return OPTIONS_WRONG;
        }
        const char *given = word[length] ? word + length + 1 : NULL;
        if (o->kind == OPTION_FLAG && given) {
            fprintf(stderr, "weft %s: --%s takes no value\n", command, o->name);
            return OPTIONS_WRONG;
        }
        if (o->kind != OPTION_FLAG && !given) {
            if (i + 1 == word_count) {
                fprintf(stderr, "weft %s: --%s needs a value, %s\n", command, o->name, o->value);
                return OPTIONS_WRONG;
            }
            given = words[++i];
        }
        if (!options_store(command, o, given, settings)) return OPTIONS_WRONG;
    }
    return OPTIONS_READY;
}

void options_print(FILE *to, const option *table, size_t rows) {
    for (size_t k = 0; k < rows; k++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", table[k].name, table[k].value ? " " : "",
                 table[k].value ? table[k].value : "");
        fprintf(to, "  %-28s %s\n", left, table[k].help);
    }
    fprintf(to, "  %-28s %s\n", "-h, --help", "show this and exit");
}
