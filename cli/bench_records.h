/* bench_records.h - what becomes of a benchmark's lines beside being written: they are compared with a
 * baseline, saved as one, added to a history, drawn on a page. */
#ifndef WEFT_CLI_BENCH_RECORDS_H
#define WEFT_CLI_BENCH_RECORDS_H

#include "bench_settings.h"

#include <weft/bench.h>

typedef struct bench_figure {
    weft_bench_record record;
    weft_timing time;
    weft_bench_record then; /* of the baseline; threads 0: none                  */
    weft_slowdown slowdown; /* since then                                        */
    bool regressed;         /* a second run found the same                       */
    weft_history_view view; /* records 0: no history                             */
} bench_figure;

typedef struct bench_records {
    weft_ctx *ctx;
    const bench_settings *set;
    weft_baseline *then, *saved; /* NULL: not asked for */
    weft_history *history;
    bench_figure *figure;
    size_t n, room;
    bool starved; /* out of memory: the figures are not complete */
} bench_records;

/* Opens whatever was asked for, so that a file that cannot be used is told before anything is
 * measured. An exit code. */
int bench_records_open(bench_records *k, weft_ctx *c, const bench_settings *s);
void bench_records_close(bench_records *k);

void bench_records_add(bench_records *k, const weft_bench_record *r, const weft_timing *t);

/* When all has run: compares, saves, adds to the history. `again` runs one benchmark once more and
 * stores its lines in the other one. An exit code. */
typedef int (*bench_again)(void *user, const char *name, bench_records *to);
int bench_records_compare(bench_records *k, bench_again again, void *user);

#endif
