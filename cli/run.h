/* run.h - a run of training on the disk: its folder, its checkpoint, and config.json, which says
 * how it was made.
 *
 * What every task of `weft train` has in common, and what commands that use a finished run need.
 * Failures leave their message with the context. */
#ifndef WEFT_RUN_H
#define WEFT_RUN_H

#include "command.h"
#include "json.h"
#include "path.h"

#include <weft/io.h>
#include <weft/train.h>

/* The options of every task; a task's own struct begins with these. Zero: not given. */
typedef struct run_settings {
    const char *run, *device; /* NULL: auto */
    int64_t seed, steps;
    double seconds;
    int threads, color;
    bool resume, overwrite, outliers, json, quiet;
    const char *profile; /* a trace goes here */
    bool profile_summary;
} run_settings;

typedef struct run {
    const call *call;
    const run_settings *set;
    weft_ctx *ctx;
    weft_state *state;
    weft_profile *profile; /* NULL: none */
    bool trained;          /* there is something to sum up */
    weft_run_lock *lock;   /* of the folder, from run_place on */
    char folder[PATH_FOLDER], weights[PATH_MOST]; /* weights: a checkpoint, once run_locate has found it */
    char *saved[128];               /* names and values of options from config.json, in turn */
    int saved_count;
} run;

enum { RUN_SCHEMA = 1 }; /* of what train, play, eval and export say as JSON */

weft_err run_open(run *r, const call *c, const run_settings *s); /* context and state */
void run_close(run *r); /* and, where it was asked for, tells what the profile found */

/* Where a new run lies: the folder that was named, or the first free name like runs/digits-mlp. It is
 * locked until run_close. Says so and gives false when there is one already that is neither to be
 * resumed nor overwritten, or one that another training is at work in. */
bool run_place(run *r, const char *name);

/* The newest folder under runs/, by the time that `dated` gives each (seconds since 1970; below 0: it
 * is not meant); false: there is none. */
typedef double (*run_dated)(void *user, const char *folder);
bool run_newest(run_dated dated, void *user, char *path, size_t bytes);
double run_file_time(const char *path); /* when it was written; -1: not there */

/* Where one lies that exists, by its folder or a checkpoint's path. */
weft_err run_locate(run *r, const char *path);

/* With --resume: it is a run of this very command, and options that were not given become what they
 * were then. Without: nothing. */
weft_err run_go_on(run *r, void *settings);

/* config.json has "weft" (version), "command", "options" (those that decide the result, as text)
 * and what a task adds. */
typedef void (*run_more)(const void *user, json *j);
char *run_config(const run *r, run_more more, const void *user); /* free it; NULL: no memory */

/* weft_train in the folder of the run, as the options say: config.json, resuming, progress, Ctrl-C,
 * and where d has no limits theirs. */
weft_err run_train(run *r, weft_train_desc d, run_more more, const void *user,
                   weft_train_result *result);

/* The model of a run that exists, into what is recorded in its state. */
weft_err run_weights(run *r);

/* A network is described by config.json, which anybody can write in a line: before it is recorded, its
 * state is limited to what the checkpoint holds. */
weft_err run_limit(run *r);

/* What it says of a run that exists. */
weft_err run_command(run *r, char *name, size_t bytes); /* "train digits" */
weft_err run_remember(run *r, const options *o, void *settings);
/* options that were not given become what they were */
typedef weft_err (*run_reader)(void *user, weft_ctx *c, weft_json config, const char *path);
weft_err run_read(run *r, run_reader reader, void *user);

#endif
