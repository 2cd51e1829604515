/* bench.h - what the benchmarks share: a run of the command, and a line of its answer.
 *
 * A benchmark is a row of bench.c's table and a function that builds plans through the public
 * header, checks what they compute, times them and gives a line for each. How a line is written, as
 * JSON or in a table, is bench.c's. */
#ifndef WEFT_CLI_BENCH_H
#define WEFT_CLI_BENCH_H

#include "terminal.h"

#include <weft/bench.h>

enum { BENCH_SCHEMA = 1 }; /* of its JSON */

typedef struct bench_records bench_records; /* bench_records.h */

typedef struct bench {
    weft_ctx *ctx;
    const char *name; /* of the benchmark that runs                        */
    int threads;      /* asked for; 0: the library's choice                */
    bool json, quick, raw;
    int64_t batch, tokens; /* of training steps; 0: as they are recorded             */
    weft_dtype weights; /* of language models that write, as they are stored        */
    weft_dtype mixed; /* of training steps; WEFT_F32: as they are recorded    */
    const char *report; /* folder for a report, or NULL                      */
    bool header;        /* the table has its first line                      */
    double peak;        /* GFLOP/s of a core; below 0: not measured yet      */
    double slower;      /* WEFT_BENCH_SLOW: a share by which calls are drawn out */
    bool turns;         /* samples are taken when standard input says so     */
    bool silent;        /* lines are not printed                            */
    bench_records *records; /* what becomes of lines; NULL: nothing              */
    terminal progress;
} bench;

typedef enum bench_work { BENCH_NO_WORK, BENCH_FLOPS, BENCH_BYTES } bench_work;

typedef struct bench_field {
    const char *name, *text; /* text NULL: a number; both are JSON's only */
    double number;
} bench_field;

enum { BENCH_FIELDS = 12 };
typedef struct bench_line {
    const char *part; /* which one of its benchmark: "NN 32x64x4", or ""   */
    weft_timing time;
    weft_stats stats;
    double allocs_per_run;
    bench_work work; /* what amount counts; it becomes GFLOP/s or GB/s    */
    double amount;
    double in_place; /* of the bytes, those that overwrite what was read  */
    bench_field field[BENCH_FIELDS];
    int fields;
    char note[64]; /* last column of the table                          */
} bench_line;

/* Times of l become those of one of so many things that a call does. */
void bench_per(bench_line *l, double things);

void bench_text(bench_line *l, const char *name, const char *text);
void bench_number(bench_line *l, const char *name, double number);

/* Times weft_run of a plan whose feeds are set, and takes its statistics. */
int bench_plan_time(bench *b, weft_plan *p, bench_line *l);
int bench_plan_facts(bench *b, weft_plan *p, bench_line *l); /* the same without the timing */
weft_bench_desc bench_effort(const bench *b, double seconds);    /* less when --quick is given  */
void bench_write(bench *b, const bench_line *l);
double bench_peak(bench *b);  /* GFLOP/s of one core, measured once; 0: unknown */

int bench_failed(const bench *b, const char *what); /* tells the library's error; an exit code */
int bench_wrong(const bench *b, const char *format, ...);

/* Numbers that are the same everywhere: floats in [-1, 1), integers in [0, limit). */
typedef struct bench_random {
    uint64_t state;
} bench_random;
void bench_fill(bench_random *r, float *x, int64_t n);
void bench_fill_integers(bench_random *r, int32_t *x, int64_t n, int32_t limit);

int bench_step(bench *b); /* step-dqn2048, step-cube, step-mlp784, step-lstm, ... */
int bench_lstm(bench *b);
int bench_conv_forward(bench *b);
int bench_conv_backward(bench *b);
int bench_gemm(bench *b);
int bench_gemm_skinny(bench *b);
int bench_ops(bench *b); /* ops-add, ops-relu, ops-sigmoid, ops-linear */
int bench_ops_matmul(bench *b);
int bench_softmax(bench *b);
int bench_layernorm(bench *b);
int bench_adam(bench *b);
int bench_chain(bench *b);
int bench_plan(bench *b);
int bench_open(bench *b);
int bench_load(bench *b);
int bench_start(bench *b);
int bench_infer_cnn(bench *b);
int bench_decode(bench *b);
int bench_generate(bench *b);
int bench_digits(bench *b); /* digits-mlp, digits-cnn */
int bench_env_2048(bench *b);
int bench_dqn2048(bench *b);
int bench_cube(bench *b);
int bench_rainbow(bench *b);
int bench_checkerboard(bench *b);
int bench_tokens(bench *b);
int bench_circuit(bench *b);
int bench_special(bench *b);
int bench_stream_zscore(bench *b);
int bench_stream_trees(bench *b);

#endif
