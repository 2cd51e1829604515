/* completion.c - completion for bash, zsh and fish, from the commands' constants.
 *
 * Each shell gets a script that needs nothing else and runs no program at completion time: what may
 * follow a command, and after which option a word, a file, a folder or something that cannot be completed
 * is due. The three differ only in how a shell wants to be told. */
#include "help.h"

#include <string.h>

/* What an option's value or an operand is completed with. */
typedef enum completion_of { COMPLETION_NOTHING, COMPLETION_WORDS, COMPLETION_FILES } completion_of;

static completion_of completion_of_value(const option *row) {
    switch (row->kind) {
    case OPTION_CHOICE: return COMPLETION_WORDS;
    case OPTION_FILE:
    case OPTION_FOLDER: return COMPLETION_FILES;
    default: return COMPLETION_NOTHING;
    }
}

static completion_of completion_of_operands(const command *c) {
    if (!c->operands || !*c->operands) return COMPLETION_NOTHING;
    return c->choices || strstr(c->operands, "COMMAND") ? COMPLETION_WORDS : COMPLETION_FILES;
}

static void completion_names(FILE *to, const command *const *list) {
    for (int i = 0; list[i]; i++) fprintf(to, "%s%s", i ? " " : "", list[i]->name);
}

static void completion_choices(FILE *to, const char *words) { /* "a|b" as "a b" */
    for (const char *at = words; *at;) {
        const size_t length = strcspn(at, "|");
        fprintf(to, "%s%.*s", at == words ? "" : " ", (int)length, at);
        at += length + (at[length] == '|');
    }
}

static void completion_operands(FILE *to, const command *c) { /* of COMPLETION_WORDS */
    if (c->choices) completion_choices(to, c->choices);
    else completion_names(to, commands);
}

/* Text inside single quotes; the shells differ in how a quote is written there. */
static void completion_quoted(FILE *to, const char *s, const char *quote, const char *escaped) {
    for (; *s; s++) {
        if (*s == '\'') fputs(quote, to);
        else if (strchr(escaped, *s)) fprintf(to, "\\%c", *s);
        else putc(*s, to);
    }
}

/* ---- bash ---- */

static void completion_bash_values(FILE *to, const options *o) {
    fputs("        case $prev in\n", to);
    for (size_t k = 0; k < o->count; k++) {
        const option *const row = o->row[k];
        if (row->kind == OPTION_FLAG) continue;
        fputs("        ", to);
        if (row->letter) fprintf(to, "-%c | ", row->letter);
        fprintf(to, "--%s) ", row->name);
        switch (completion_of_value(row)) {
        case COMPLETION_WORDS:
            fputs("value=words words='", to);
            completion_choices(to, row->value);
            putc('\'', to);
            break;
        case COMPLETION_FILES:
            fputs(row->kind == OPTION_FILE ? "value=files" : "value=folders", to);
            break;
        case COMPLETION_NOTHING:
        default: fputs("value=nothing", to); break;
        }
        fputs(" ;;\n", to);
    }
    fputs("        esac\n", to);
}

static void completion_bash_of(FILE *to, const command *c, const command *task) {
    const command *const last = task ? task : c;
    const options o = command_options(c, task);
    fprintf(to, "    '%s %s')\n        options='", c->name, task ? task->name : "");
    for (size_t k = 0; k < o.count; k++) {
        if (o.row[k]->letter) fprintf(to, "-%c ", o.row[k]->letter);
        fprintf(to, "--%s ", o.row[k]->name);
    }
    fputs("-h --help'\n", to);
    if (c->tasks && !task) {
        fputs("        words='", to);
        completion_names(to, c->tasks);
        fputs("'\n", to);
    } else if (completion_of_operands(last) == COMPLETION_WORDS) {
        fputs("        words='", to);
        completion_operands(to, last);
        fputs("'\n", to);
    } else if (completion_of_operands(last) == COMPLETION_FILES) {
        fputs("        value=files\n", to);
    }
    completion_bash_values(to, &o);
    fputs("        ;;\n", to);
}

void completion_bash(FILE *to) {
    fputs("# bash completion of weft; made by: weft help --completion bash\n"
          "_weft() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command= task= tasks= options= words= value=words i\n"
          "    COMPREPLY=()\n"
          "    if [[ $cur == '=' ]]; then # --name=value comes as three words\n"
          "        cur=\n"
          "    elif [[ $prev == '=' ]]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
          "    case $command in\n",
          to);
    for (int i = 0; commands[i]; i++) {
        if (!commands[i]->tasks) continue;
        fprintf(to, "    %s) tasks=' ", commands[i]->name);
        completion_names(to, commands[i]->tasks);
        fputs(" ' ;;\n", to);
    }
    fputs("    esac\n"
          "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
          "        [[ $tasks == *\" ${COMP_WORDS[i]} \"* ]] && task=${COMP_WORDS[i]} && break\n"
          "    done\n"
          "    case \"$command $task\" in\n"
          "    ' ')\n"
          "        words='",
          to);
    completion_names(to, commands);
    fputs("'\n        options='-h --help -V --version'\n        ;;\n", to);
    for (int i = 0; commands[i]; i++) {
        completion_bash_of(to, commands[i], NULL);
        for (int k = 0; commands[i]->tasks && commands[i]->tasks[k]; k++)
            completion_bash_of(to, commands[i], commands[i]->tasks[k]);
    }
    fputs("    esac\n"
          "    if [[ $cur == -* && $prev != '=' && $value != nothing ]]; then\n"
          "        words=$options value=words\n"
          "    fi\n"
          "    case $value in\n"
          "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
          "    files) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
          "    folders) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
          "    esac\n"
          "    if [[ $value == files || $value == folders ]]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "    fi\n"
          "    return 0\n"
          "}\n"
          "complete -F _weft weft\n",
          to);
}

/* ---- zsh ---- */

static void completion_zsh_option(FILE *to, const option *row) {
    fputs(" \\\n        ", to);
    if (row->letter)
        fprintf(to, "'(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name, row->letter,
                row->kind == OPTION_FLAG ? "" : "+", row->name,
                row->kind == OPTION_FLAG ? "" : "=");
    else fprintf(to, "'--%s%s[", row->name, row->kind == OPTION_FLAG ? "" : "=");
    completion_quoted(to, row->help, "'\\''", "[]\\");
    putc(']', to);
    if (row->kind != OPTION_FLAG) {
        fprintf(to, ":%s:", row->kind == OPTION_CHOICE ? row->name : row->value);
        if (row->kind == OPTION_CHOICE) {
            putc('(', to);
            completion_choices(to, row->value);
            putc(')', to);
        } else if (completion_of_value(row) == COMPLETION_FILES) {
            fputs(row->kind == OPTION_FILE ? "_files" : "_files -/", to);
        }
    }
    putc('\'', to);
}

static void completion_zsh_arguments(FILE *to, const command *c, const command *task) {
    const command *const last = task ? task : c;
    const options o = command_options(c, task);
    fputs("_arguments", to);
    for (size_t k = 0; k < o.count; k++) completion_zsh_option(to, o.row[k]);
    fputs(" \\\n        '(-h --help)'{-h,--help}'[show help]'", to);
    switch (completion_of_operands(last)) {
    case COMPLETION_WORDS:
        fputs(" \\\n        '*:word:(", to);
        completion_operands(to, last);
        fputs(")'", to);
        break;
    case COMPLETION_FILES: fputs(" \\\n        '*:file:_files'", to); break;
    case COMPLETION_NOTHING:
    default: break;
    }
    putc('\n', to);
}

static void completion_zsh_list(FILE *to, const char *name, const command *const *list) {
    fprintf(to, "    local -a %s=(", name);
    for (; *list; list++) {
        fprintf(to, "\n        '%s:", (*list)->name);
        completion_quoted(to, (*list)->summary, "'\\''", "\\");
        putc('\'', to);
    }
    fputs("\n    )\n", to);
}

static void completion_zsh_tasks(FILE *to, const command *c) {
    completion_zsh_list(to, "tasks", c->tasks);
    fputs("    case $words[2] in\n", to);
    for (int k = 0; c->tasks[k]; k++) {
        fprintf(to, "    %s)\n        shift words; ((CURRENT--))\n        ", c->tasks[k]->name);
        completion_zsh_arguments(to, c, c->tasks[k]);
        fputs("        return ;;\n", to);
    }
    fputs("    esac\n"
          "    ((CURRENT == 2)) && _describe task tasks\n    ",
          to);
}

void completion_zsh(FILE *to) {
    fputs("#compdef weft\n# zsh completion of weft; made by: weft help --completion zsh\n", to);
    for (int i = 0; commands[i]; i++) {
        fprintf(to, "_weft_%s() {\n    ", commands[i]->name);
        if (commands[i]->tasks) completion_zsh_tasks(to, commands[i]);
        completion_zsh_arguments(to, commands[i], NULL);
        fputs("}\n", to);
    }
    fputs("_weft() {\n", to);
    completion_zsh_list(to, "commands", commands);
    fputs("    if ((CURRENT == 2)); then\n"
          "        _describe command commands\n"
          "        _arguments '(-h --help)'{-h,--help}'[show help]' "
          "'(-V --version)'{-V,--version}'[show the version]'\n"
          "        return\n"
          "    fi\n"
          "    shift words; ((CURRENT--))\n"
          "    (($+functions[_weft_$words[1]])) && _weft_$words[1]\n"
          "}\n"
          "if [[ $funcstack[1] == _weft ]]; then _weft \"$@\"; else compdef _weft weft; fi\n",
          to);
}

/* ---- fish ---- */

static void completion_fish_words(FILE *to, const command *const *list, const char *when) {
    for (; *list; list++) {
        fprintf(to, "complete -c weft -n '%s' -a %s -d '", when, (*list)->name);
        completion_quoted(to, (*list)->summary, "\\'", "\\");
        fputs("'\n", to);
    }
}

static void completion_fish_of(FILE *to, const command *c, const command *task) {
    const command *const last = task ? task : c;
    const command *const owner = task ? task : c; /* the command's rows hold for all its tasks */
    char when[96];
    snprintf(when, sizeof when, "__weft_is %s%s%s", c->name, task ? " " : "",
             task ? task->name : "");
    for (size_t k = 0; k < owner->option_count; k++) {
        const option *const row = &owner->options[k];
        fprintf(to, "complete -c weft -n '%s' -l %s", when, row->name);
        if (row->letter) fprintf(to, " -s %c", row->letter);
        if (completion_of_value(row) == COMPLETION_FILES) {
            fputs(row->kind == OPTION_FILE ? " -rF" : " -xa '(__fish_complete_directories)'", to);
        } else if (row->kind == OPTION_CHOICE) {
            fputs(" -xa '", to);
            completion_choices(to, row->value);
            putc('\'', to);
        } else if (row->kind != OPTION_FLAG) {
            fputs(" -x", to);
        }
        fputs(" -d '", to);
        completion_quoted(to, row->help, "\\'", "\\");
        fputs("'\n", to);
    }
    switch (completion_of_operands(last)) {
    case COMPLETION_WORDS:
        fprintf(to, "complete -c weft -n '%s' -a '", when);
        completion_operands(to, last);
        fputs("'\n", to);
        break;
    case COMPLETION_FILES: fprintf(to, "complete -c weft -n '%s' -F\n", when); break;
    case COMPLETION_NOTHING:
    default: break;
    }
}

void completion_fish(FILE *to) {
    fputs("# fish completion of weft; made by: weft help --completion fish\n"
          "function __weft_is -a command task\n"
          "    set -l words (commandline -opc)\n"
          "    test \"$words[2]\" = \"$command\"\n"
          "    and begin\n"
          "        test -z \"$task\"\n"
          "        or contains -- $task $words[3..-1]\n"
          "    end\n"
          "end\n"
          "complete -c weft -f\n"
          "complete -c weft -n 'test (count (commandline -opc)) -eq 1' -s V -l version"
          " -d 'show the version'\n"
          "complete -c weft -s h -l help -d 'show help'\n",
          to);
    completion_fish_words(to, commands, "test (count (commandline -opc)) -eq 1");
    for (int i = 0; commands[i]; i++) {
        completion_fish_of(to, commands[i], NULL);
        if (!commands[i]->tasks) continue;
        char when[96];
        snprintf(when, sizeof when, "__weft_is %s; and test (count (commandline -opc)) -eq 2",
                 commands[i]->name);
        completion_fish_words(to, commands[i]->tasks, when);
        for (int k = 0; commands[i]->tasks[k]; k++)
            completion_fish_of(to, commands[i], commands[i]->tasks[k]);
    }
}
