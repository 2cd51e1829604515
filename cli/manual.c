/* manual.c - manual pages, in the roff of man(7), from the commands' constants.
 *
 * weft(1) names the commands; each command has a page of its own, its tasks as subsections. Pages
 * carry the version and no date, so that the same source gives the same bytes. */
#include "environment.h"
#include "help.h"

#include <weft/weft.h>

#include <ctype.h>
#include <string.h>

/* Text in which nothing is roff's: signs that a formatter would make prettier stay what they are,
 * since most of them are part of something to be typed. */
static void manual_text(FILE *to, const char *s, size_t length) {
    for (size_t i = 0; i < length; i++) {
        switch (s[i]) {
        case '\\': fputs("\\e", to); break;
        case '-': fputs("\\-", to); break;
        case '\'': fputs("\\(aq", to); break;
        case '`': fputs("\\(ga", to); break;
        case '^': fputs("\\(ha", to); break;
        case '~': fputs("\\(ti", to); break;
        case '.':
            if (i == 0) fputs("\\&", to);
            putc('.', to);
            break;
        default: putc(s[i], to); break;
        }
    }
}

static void manual_line(FILE *to, const char *s) {
    manual_text(to, s, strlen(s));
    putc('\n', to);
}

static void manual_verbatim(FILE *to, const char *lines) {
    fputs(".EX\n", to);
    for (; *lines; lines += strcspn(lines, "\n") + 1) {
        manual_text(to, lines, strcspn(lines, "\n"));
        putc('\n', to);
    }
    fputs(".EE\n", to);
}

/* Lines are filled as a paragraph; an empty line begins another. */
static void manual_prose(FILE *to, const char *lines) {
    for (; *lines; lines += strcspn(lines, "\n") + 1) {
        const size_t length = strcspn(lines, "\n");
        if (length) manual_text(to, lines, length);
        else fputs(".PP", to);
        putc('\n', to);
        if (!lines[length]) break;
    }
}

/* Names of values are capitals and slanted; the rest is typed as it stands. */
static void manual_value(FILE *to, const char *value) {
    for (const char *at = value; *at;) {
        const size_t word = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        const size_t length = word ? word : strcspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        fputs(word ? "\\fI" : "\\fR", to);
        manual_text(to, at, length);
        at += length;
    }
    fputs("\\fR", to);
}

static void manual_choices(FILE *to, const char *words) {
    for (const char *at = words; *at;) {
        const size_t length = strcspn(at, "|");
        fputs(at == words ? "\\fB" : "\\fR|\\fB", to);
        manual_text(to, at, length);
        at += length + (at[length] == '|');
    }
    fputs("\\fR", to);
}

static void manual_options(FILE *to, const option *table, size_t rows) {
    for (size_t k = 0; k < rows; k++) {
        const option *const row = &table[k];
        fputs(".TP\n", to);
        if (row->letter) fprintf(to, "\\fB\\-%c\\fR, ", row->letter);
        fputs("\\fB\\-\\-", to);
        manual_text(to, row->name, strlen(row->name));
        fputs("\\fR", to);
        if (row->value) {
            putc(' ', to);
            if (row->kind == OPTION_CHOICE) manual_choices(to, row->value);
            else manual_value(to, row->value);
        }
        putc('\n', to);
        manual_line(to, row->help);
    }
}

static void manual_help_option(FILE *to) {
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nshow help and exit\n", to);
}

static void manual_usage(FILE *to, const command *c, const command *task) {
    const char *const operands = task ? task->operands : c->operands;
    fputs("\\fBweft ", to);
    manual_text(to, c->name, strlen(c->name));
    if (task) fprintf(to, " %s", task->name);
    fputs("\\fR", to);
    if (c->tasks && !task) fputs(c->run ? " [\\fITASK\\fR]" : " \\fITASK\\fR", to);
    fputs(" [\\fIOPTION\\fR...]", to);
    if (operands && *operands) {
        putc(' ', to);
        manual_value(to, operands);
    }
    putc('\n', to);
}

static void manual_begin(FILE *to, const char *name, const char *summary) {
    fputs(".TH \"WEFT", to);
    if (*name) putc('-', to);
    for (const char *s = name; *s; s++) putc(toupper((unsigned char)*s), to);
    fprintf(to, "\" 1 \"\" \"weft %s\" \"Weft\"\n.nh\n.ad l\n.SH NAME\nweft%s%s \\- ",
            weft_version(), *name ? "\\-" : "", name);
    manual_line(to, summary);
    fputs(".SH SYNOPSIS\n", to);
}

static void manual_codes(FILE *to) {
    fputs(".SH EXIT STATUS\n", to);
#define X(name, code, text) fprintf(to, ".TP\n.B %d\n%s\n", code, text);
    EXIT_CODES(X)
#undef X
}

static void manual_program(FILE *to) {
    manual_begin(to, "", "train and run neural networks");
    fputs("\\fBweft\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n"
          ".SH DESCRIPTION\n"
          "Trains, evaluates, inspects, converts and exports networks from the shell.\n"
          "Results go to standard output, all else to standard error.\n"
          ".SH COMMANDS\n",
          to);
    for (int i = 0; commands[i]; i++) {
        fprintf(to, ".TP\n\\fBweft\\-%s\\fR(1)\n", commands[i]->name);
        manual_line(to, commands[i]->summary);
    }
    fputs(".SH OPTIONS\n", to);
    manual_help_option(to);
    fputs(".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nshow the version and exit\n", to);
    manual_codes(to);
    fputs(".SH ENVIRONMENT\n", to);
#define X(name, meaning)                                                                           \
    fputs(".TP\n.B " name "\n", to);                                                               \
    manual_line(to, meaning);
    ENVIRONMENT(X)
#undef X
}

static void manual_tasks(FILE *to, const command *c) {
    fputs(".SH TASKS\n", to);
    for (int i = 0; c->tasks[i]; i++) {
        const command *const task = c->tasks[i];
        fputs(".SS ", to);
        manual_line(to, task->name);
        manual_usage(to, c, task);
        fputs(".PP\n", to);
        manual_prose(to, task->about);
        manual_options(to, task->options, task->option_count);
    }
}

static void manual_command(FILE *to, const command *c) {
    manual_begin(to, c->name, c->summary);
    manual_usage(to, c, NULL);
    fputs(".SH DESCRIPTION\n", to);
    manual_prose(to, c->about);
    if (c->tasks) manual_tasks(to, c);
    fputs(".SH OPTIONS\n", to);
    manual_options(to, c->options, c->option_count);
    manual_help_option(to);
    manual_codes(to);
    if (c->files) fputs(".SH FILES\n", to);
    for (const command_note *n = c->files; n && n->term; n++) {
        fputs(".TP\n", to);
        fputs(".I ", to);
        manual_line(to, n->term);
        manual_line(to, n->meaning);
    }
    bool examples = c->examples != NULL;
    for (int i = 0; c->tasks && c->tasks[i]; i++) examples |= c->tasks[i]->examples != NULL;
    if (examples) fputs(".SH EXAMPLES\n", to);
    if (c->examples) manual_verbatim(to, c->examples);
    for (int i = 0; c->tasks && c->tasks[i]; i++)
        if (c->tasks[i]->examples) manual_verbatim(to, c->tasks[i]->examples);
}

void manual_write(FILE *to, const command *c) {
    if (c) manual_command(to, c);
    else manual_program(to);
    fputs(".SH SEE ALSO\n", to);
    if (c) fputs(".BR weft (1)", to);
    bool first = !c;
    for (int i = 0; commands[i]; i++) {
        if (commands[i] == c) continue;
        fprintf(to, "%s.BR \\%%weft\\-%s (1)", first ? "" : ",\n", commands[i]->name);
        first = false;
    }
    putc('\n', to);
}
