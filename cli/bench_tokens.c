/* bench_tokens.c - English text to the tokens of GPT-2, on one thread.
 *
 * The text is the help of all commands, again and again, about a megabyte of it. Since nothing in a book
 * comes back as often as that, every twelfth word is a new one of random letters, which no cache has
 * seen. The vocabulary is GPT-2's if it was fetched, else one of 4096 tokens learned from the text. Before
 * anything is timed, the tokens must give the text back, and be those of its pieces, which are too short
 * for the cache of words. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "bench.h"
#include "command.h"
#include "data.h"
#include "help.h"

#include <weft/text.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS_BYTES = 1 << 20, TOKENS_NEW = 12 };

typedef struct tokens_job {
    const weft_vocab *vocab;
    char *text, *back;
    int32_t *ids;
    size_t n, count;
} tokens_job;

static void tokens_run(void *user) {
    tokens_job *const j = user;
    weft_vocab_encode(j->vocab, j->text, j->n, NULL, j->ids, j->n, &j->count);
}

/* The help of all commands and their tasks; to be freed. */
static char *tokens_help(size_t *n) {
    char *text = NULL;
    FILE *const to = open_memstream(&text, n);
    if (!to) return NULL;
    help_of_program(to);
    for (int i = 0; commands[i]; i++) {
        help_of_command(to, commands[i], NULL);
        for (int k = 0; commands[i]->tasks && commands[i]->tasks[k]; k++)
            help_of_command(to, commands[i], commands[i]->tasks[k]);
    }
    fclose(to);
    return text;
}

static size_t tokens_new_word(bench_random *r, char *out) {
    int32_t length, letter;
    bench_fill_integers(r, &length, 1, 7);
    for (int32_t i = 0; i < length + 3; i++) {
        bench_fill_integers(r, &letter, 1, 26);
        out[i] = (char)('a' + letter);
    }
    return (size_t)length + 3;
}

/* Fills j->text, which has room for a word more. */
static void tokens_write(tokens_job *j, const char *help, size_t n) {
    bench_random r = {1};
    size_t words = 0;
    for (size_t at = 0; j->n < TOKENS_BYTES; at = (at + 1) % n) {
        const bool begins = isalpha((unsigned char)help[at]) && at > 0 && help[at - 1] == ' ';
        if (begins && ++words % TOKENS_NEW == 0) {
            j->n += tokens_new_word(&r, j->text + j->n);
            while (isalpha((unsigned char)help[at])) at = (at + 1) % n;
        }
        j->text[j->n++] = help[at];
    }
}

static int tokens_check(bench *b, tokens_job *j) {
    size_t n;
    tokens_run(j);
    if (weft_vocab_decode(j->vocab, j->ids, j->count, j->back, j->n, &n) != WEFT_OK || n != j->n ||
        memcmp(j->back, j->text, n) != 0)
        return bench_wrong(b, "%zu tokens do not give %zu bytes back", j->count, j->n);
    /* Between a letter and a space words end anyhow: pieces cut there have the tokens of the whole. */
    size_t at = 0, tokens = 0;
    for (size_t i = 1; i + 1 < j->n; i++) {
        if (i - at < 200 || !isalpha((unsigned char)j->text[i - 1]) || j->text[i] != ' ' ||
            !isalpha((unsigned char)j->text[i + 1]))
            continue;
        int32_t ids[1024];
        if (weft_vocab_encode(j->vocab, j->text + at, i - at, NULL, ids, 1024, &n) != WEFT_OK)
            return bench_failed(b, "encoding a piece");
        if (n > 1024 || tokens + n > j->count || memcmp(ids, j->ids + tokens, n * sizeof *ids) != 0)
            return bench_wrong(b, "the piece from byte %zu has other tokens by itself", at);
        tokens += n;
        at = i;
    }
    return at > j->n / 2 ? EXIT_GOOD : bench_wrong(b, "nothing to compare with");
}

static int tokens_measure(bench *b, tokens_job *j, bool published) {
    bench_line l = {.part = ""};
    const int status = tokens_check(b, j);
    if (status != EXIT_GOOD) return status;
    const weft_bench_desc effort = bench_effort(b, 1);
    weft_bench_time(&effort, &(weft_bench_call){tokens_run, j}, 1, &l.time);
    const double rate = (double)j->n / l.time.median_us;
    l.stats.threads = 1;
    bench_text(&l, "vocab", published ? "gpt2" : "learned");
    bench_number(&l, "bytes", (double)j->n);
    bench_number(&l, "tokens", (double)j->count);
    bench_number(&l, "mb_per_s", rate);
    snprintf(l.note, sizeof l.note, "%.1f MB/s", rate);
    bench_write(b, &l);
    return EXIT_GOOD;
}

int bench_tokens(bench *b) {
    char path[DATA_PATH];
    size_t n = 0;
    char *const help = tokens_help(&n);
    const size_t room = TOKENS_BYTES + 64;
    tokens_job j = {
        .text = malloc(room), .back = malloc(room), .ids = malloc(room * sizeof *j.ids)};
    const bool memory = help && n && j.text && j.back && j.ids;
    const bool published = data_fetched(DATA_GPT2, path, sizeof path);
    if (memory) tokens_write(&j, help, n);
    const weft_bytes text = {"help", j.text, j.n};
    weft_vocab *const v = !memory     ? NULL
                          : published ? weft_vocab_open(b->ctx, path)
                                      : weft_vocab_learn(b->ctx, &text, 1, NULL);
    j.vocab = v;
    const int status = !memory ? bench_wrong(b, "no memory for the text")
                       : !v    ? bench_failed(b, "making the vocabulary")
                               : tokens_measure(b, &j, published);
    weft_vocab_free(v);
    free(help);
    free(j.text);
    free(j.back);
    free(j.ids);
    return status;
}
