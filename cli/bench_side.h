/* bench_side.h - a program that runs a benchmark and takes a sample whenever it is told to. */
#ifndef WEFT_CLI_BENCH_SIDE_H
#define WEFT_CLI_BENCH_SIDE_H

#include "bench_settings.h"

#include <weft/io.h>

#include <stdio.h>
#include <sys/types.h>

typedef struct bench_side {
    const char *program;
    pid_t pid;
    FILE *to, *from;
    char line[4096];
} bench_side;

enum { SIDE_NOT_RUN = 127 }; /* its exit status when it could not be started; the reason is told */

typedef enum side_event {
    SIDE_READY,  /* something is warm and waits for its turn */
    SIDE_SAMPLE, /* a sample was taken: us */
    SIDE_LINE,   /* a line of the answer: json */
    SIDE_END,    /* no more */
    SIDE_WRONG   /* what it said, the side's line, was nothing of these */
} side_event;

typedef struct side_news {
    side_event event;
    double us;
    weft_json json; /* in the side's line, until the next is read */
} side_news;

/* Starts `program bench NAME --turns --json ...`; our own slowdown is not for others. */
bool side_start(bench_side *s, const char *program, const char *name, const bench_settings *how,
                bool ours);
side_news side_next(bench_side *s, weft_ctx *c);
void side_tell(bench_side *s, char letter); /* 'g': take a sample, 'e': enough */

/* Its exit status; a signal's number below 0 if one ended it, ours too when it does not end by
 * itself soon after its input has. at_once: it is not waited for. */
int side_finish(bench_side *s, bool at_once);

#endif
