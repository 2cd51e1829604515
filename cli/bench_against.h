/* bench_against.h - weft bench --against: this program and another, sampled in turn. */
#ifndef WEFT_CLI_BENCH_AGAINST_H
#define WEFT_CLI_BENCH_AGAINST_H

#include "bench_settings.h"

#include <weft/bench.h>

/* An exit code; EXIT_REGRESSION when this program is slower. */
int bench_against(weft_ctx *c, const bench_settings *s, const char *const *names, int count);

#endif
