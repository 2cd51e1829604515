/* bench_settings.h - the options of weft bench. */
#ifndef WEFT_CLI_BENCH_SETTINGS_H
#define WEFT_CLI_BENCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bench_settings {
    const char *report;                              /* rainbow's folder               */
    const char *save, *baseline, *against, *history; /* files, a program, a folder     */
    const char *html, *device;
    double max_slowdown; /* a share; 0: not given          */
    bool list, json, quick, raw, turns;
    int suite; /* its place among the words; 0: all of them */
    int weights;
    int mixed; /* likewise, which is a weft_dtype           */
    int threads;
    int64_t batch, tokens;
} bench_settings;

#endif
