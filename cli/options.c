/* options.c - parsing and printing of option tables; see options.h. */
#include "options.h"
#include "tell.h"

#include "nearest.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void options_add(options *o, const option *table, size_t rows) {
    for (size_t k = 0; k < rows; k++) {
        assert(o->count < OPTIONS_MOST);
        o->row[o->count++] = &table[k];
    }
}

static bool options_same(const char *word, const char *typed, size_t length) {
    return word && strlen(word) == length && strncmp(word, typed, length) == 0;
}

int options_find(const options *o, const char *name, size_t length) {
    for (size_t k = 0; k < o->count; k++)
        if (options_same(o->row[k]->name, name, length) ||
            options_same(o->row[k]->also, name, length))
            return (int)k;
    return -1;
}

/* The row a word asks for, or -1; *given is the value in the same word, or NULL. */
static int options_row(const options *o, const char *word, const char **given) {
    *given = NULL;
    if (word[1] == '-') {
        const size_t length = strcspn(word, "=");
        if (word[length]) *given = word + length + 1;
        return options_find(o, word + 2, length - 2);
    }
    if (word[2]) *given = word + 2;
    for (size_t k = 0; k < o->count; k++)
        if (o->row[k]->letter && o->row[k]->letter == word[1]) return (int)k;
    return -1;
}

/* ---- values ---- */

static bool options_complain(const char *name, const option *row, const char *given,
                             const char *wanted) {
    tell(stderr, "weft %s: --%s takes %s, not \"%s\"\n", name, row->name, wanted, given);
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

static bool options_whole(const char *given, int64_t low, int64_t high, int64_t *n) {
    char *end;
    errno = 0;
    const long long x = strtoll(given, &end, 10);
    *n = x;
    return *given && !*end && !errno && x >= low && x <= high;
}

static bool options_size(const char *given, int64_t *bytes) {
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    const long long n = strtoll(given, &end, 10);
    const char *const unit = *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (end == given || (*end && (!unit || end[1])) || errno || n < 1 || n > INT64_MAX >> shift)
        return false;
    *bytes = (int64_t)((uint64_t)n << shift);
    return true;
}

bool options_share(const char *given, double *share) {
    char *end;
    *share = strtod(given, &end);
    const bool percent = *end == '%';
    if (percent) *share /= 100;
    return end != given && !end[percent] && *share > 0 && *share <= 100;
}

static bool options_store(const char *name, const option *row, const char *given, void *settings) {
    char *const into = (char *)settings + row->offset;
    char *end, wanted[96];
    int64_t whole;
    int choice;
    double x;
    switch (row->kind) {
    case OPTION_FLAG: *(bool *)(void *)into = strcmp(given, "false") != 0; return true;
    case OPTION_COUNT:
    case OPTION_LONG: {
        const int64_t low = (int64_t)row->low;
        const int64_t high = row->high == 0 ? INT64_MAX : (int64_t)row->high;
        if (!options_whole(given, low, high, &whole)) {
            snprintf(wanted, sizeof wanted, "a number from %" PRId64 " to %" PRId64, low, high);
            return options_complain(name, row, given, wanted);
        }
        if (row->kind == OPTION_LONG) {
            memcpy(into, &whole, sizeof whole);
        } else {
            choice = (int)whole;
            memcpy(into, &choice, sizeof choice);
        }
        return true;
    }
    case OPTION_SIZE:
        if (!options_size(given, &whole))
            return options_complain(name, row, given, "a number of bytes such as 4096, 64M or 2G");
        memcpy(into, &whole, sizeof whole);
        return true;
    case OPTION_NUMBER:
    case OPTION_POSITIVE: {
        const bool positive = row->kind == OPTION_POSITIVE;
        const bool bounded = row->low != 0 || row->high != 0;
        x = strtod(given, &end);
        if (!*given || *end || !isfinite(x) || (positive && x <= 0) ||
            (bounded && (x < row->low || x > row->high))) {
            if (!bounded) snprintf(wanted, sizeof wanted, "a number%s", positive ? " above 0" : "");
            else if (positive)
                snprintf(wanted, sizeof wanted, "a number above 0, at most %g", row->high);
            else snprintf(wanted, sizeof wanted, "a number from %g to %g", row->low, row->high);
            return options_complain(name, row, given, wanted);
        }
        memcpy(into, &x, sizeof x);
        return true;
    }
    case OPTION_SHARE:
        if (!options_share(given, &x))
            return options_complain(name, row, given, "a share such as 5% or 0.05");
        memcpy(into, &x, sizeof x);
        return true;
    case OPTION_CHOICE:
        if (!options_choose(row->value, given, &choice))
            return options_complain(name, row, given, row->value);
        memcpy(into, &choice, sizeof choice);
        return true;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_FOLDER:
    default:
        if (!*given) return options_complain(name, row, given, row->value);
        memcpy(into, &given, sizeof given);
        return true;
    }
}

bool options_set(const options *o, const char *name, void *settings, const char *option_name,
                 const char *text) {
    const int k = options_find(o, option_name, strlen(option_name));
    if (k >= 0) return options_store(name, o->row[k], text, settings);
    tell(stderr, "weft %s: unknown option --%s\n", name, option_name);
    return false;
}

void options_value(const option *row, const void *settings, char *out, size_t size) {
    const char *const from = (const char *)settings + row->offset;
    bool flag;
    int n;
    int64_t whole;
    double x;
    const char *text;
    switch (row->kind) {
    case OPTION_FLAG:
        memcpy(&flag, from, sizeof flag);
        snprintf(out, size, "%s", flag ? "true" : "false");
        break;
    case OPTION_COUNT:
        memcpy(&n, from, sizeof n);
        snprintf(out, size, "%d", n);
        break;
    case OPTION_LONG:
    case OPTION_SIZE:
        memcpy(&whole, from, sizeof whole);
        snprintf(out, size, "%" PRId64, whole);
        break;
    case OPTION_NUMBER:
    case OPTION_POSITIVE:
    case OPTION_SHARE:
        memcpy(&x, from, sizeof x);
        snprintf(out, size, "%.17g", x);
        break;
    case OPTION_CHOICE:
        memcpy(&n, from, sizeof n);
        for (text = row->value; n > 0; n--) text += strcspn(text, "|") + 1;
        snprintf(out, size, "%.*s", (int)strcspn(text, "|"), text);
        break;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_FOLDER:
    default:
        memcpy(&text, from, sizeof text);
        snprintf(out, size, "%s", text ? text : "");
        break;
    }
}

/* ---- words ---- */

static options_result options_unknown(const options *o, const char *name, const char *word) {
    const int length = (int)strcspn(word, "=");
    tell(stderr, "weft %s: unknown option %.*s; ", name, length, word);
    if (word[1] == '-') {
        nearest n = nearest_to(word + 2, length - 2);
        for (size_t k = 0; k < o->count; k++) nearest_offer(&n, o->row[k]->name);
        nearest_ask(&n, "--");
    }
    tell(stderr, "see weft %s --help\n", name);
    return OPTIONS_WRONG;
}

options_result options_parse(options *o, const char *name, void *settings, int word_count,
                             char **words, int *operand_count) {
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

        const char *given;
        const int k = options_row(o, word, &given);
        if (k < 0) return options_unknown(o, name, word);
        const option *const row = o->row[k];
        if (row->kind == OPTION_FLAG && given) {
            tell(stderr, "weft %s: --%s takes no value\n", name, row->name);
            return OPTIONS_WRONG;
        }
        if (row->kind != OPTION_FLAG && !given) {
            if (i + 1 == word_count) {
                tell(stderr, "weft %s: --%s needs a value, %s\n", name, row->name, row->value);
                return OPTIONS_WRONG;
            }
            given = words[++i];
        }
        if (!options_store(name, row, given ? given : "true", settings)) return OPTIONS_WRONG;
        o->given |= UINT64_C(1) << k;
    }
    return OPTIONS_READY;
}

int options_next_operand(const options *o, int from, int word_count, char *const *words) {
    for (int i = from; i < word_count; i++) {
        const char *given;
        if (words[i][0] != '-' || !words[i][1]) return i;
        if (strcmp(words[i], "--") == 0) return i + 1 < word_count ? i + 1 : -1;
        const int k = options_row(o, words[i], &given);
        if (k >= 0 && o->row[k]->kind != OPTION_FLAG && !given) i++;
    }
    return -1;
}

bool options_given(const options *o, const char *option_name) {
    const int k = options_find(o, option_name, strlen(option_name));
    assert(k >= 0);
    return k >= 0 && (o->given >> k & 1) != 0;
}

/* Two columns; a left one that is too wide has its line for itself. */
static void options_line(FILE *to, char letter, const char *name, const char *value,
                         const char *help) {
    enum { WIDTH = 28 };
    int width = letter ? fprintf(to, "  -%c, ", letter) : fprintf(to, "  ");
    width += fprintf(to, "--%s%s%s", name, value ? " " : "", value ? value : "") - 2;
    if (width > WIDTH) {
        putc('\n', to);
        width = -2;
    }
    fprintf(to, "%*s %s\n", WIDTH - width, "", help);
}

void options_print(FILE *to, const options *o) {
    for (size_t k = 0; k < o->count; k++) {
        const option *const row = o->row[k];
        options_line(to, row->letter, row->name, row->value, row->help);
    }
    options_line(to, 'h', "help", NULL, "show this and exit");
}
