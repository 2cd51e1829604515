/* bench_start.c - what a program waits for before its first run, besides compiling: opening a
 * context, bringing the weights of a network from a file into a state, and for a large network all of
 * it: opening, recording, compiling, drawing initial values, and the first training step.
 *
 * The file is a safetensors file of 16 MiB with checksums, freshly written, so that the system has
 * it in memory: what is timed is reading, checking and copying, not a disk. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#endif
#include "recipes.h"

#include "command.h"

#include <weft/io.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening ---- */

static void start_open(void *user) {
    bench *const b = user;
    weft_close(weft_open_with(
        &(weft_open_desc){.device = weft_device_name(b->ctx), .threads = b->threads}));
}

int bench_open(bench *b) {
    weft_ctx *const c = weft_open_with(
        &(weft_open_desc){.device = weft_device_name(b->ctx), .threads = b->threads});
    if (!c) return bench_wrong(b, "%s", weft_error(NULL));
    const bool same = strcmp(weft_device_isa(c), weft_device_isa(b->ctx)) == 0;
    bench_line l = {.part = "", .stats = {.threads = weft_threads(c)}};
    weft_close(c);
    if (!same) return bench_wrong(b, "a second context has another vector width");
    const weft_bench_desc effort = bench_effort(b, 0.5);
    weft_bench_time(&effort, &(weft_bench_call){start_open, b}, 1, &l.time);
    bench_write(b, &l);
    return EXIT_GOOD;
}

/* ---- loading ---- */

enum { START_LAYERS = 16, START_WIDTH = 512 };

typedef struct start_file {
    bench *b;
    weft_state *s;
    char path[64];
    weft_err error;
} start_file;

static void start_load(void *user) {
    start_file *const f = user;
    if (f->error) return;
    weft_archive *const a = weft_archive_open(f->b->ctx, f->path);
    f->error = a ? weft_state_load(f->s, a, NULL) : weft_error_code(f->b->ctx);
    weft_archive_free(a);
}

/* A state of linear layers. */
static weft_state *start_state(bench *b, uint32_t seed) {
    weft_state *const s = weft_state_new(b->ctx);
    weft_graph *const g = s ? weft_graph_new(b->ctx) : NULL;
    if (!g) {
        weft_state_free(s);
        return NULL;
    }
    weft_state_seed(s, seed);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(1, START_WIDTH));
    for (int i = 0; i < START_LAYERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "fc%d", i);
        x = weft_linear(s, x, START_WIDTH, name);
    }
    weft_plan *const p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(x)});
    weft_plan_free(p); /* the entries have their initial values now */
    weft_graph_free(g);
    return s;
}

static weft_err start_write(bench *b, weft_state *s, const char *path) {
    weft_archive *const a = weft_archive_new(b->ctx);
    weft_err e = a ? weft_state_save(s, a, NULL) : WEFT_MEMORY;
    const weft_write_desc checked = {.format = "safetensors", .checksums = true};
    if (!e) e = weft_archive_write(a, path, &checked);
    weft_archive_free(a);
    return e;
}

static int start_measure(bench *b, start_file *f, uint64_t hash) {
    bench_line l = {.part = "", .work = BENCH_BYTES, .stats = {.threads = 1}};
    l.amount = 4.0 * START_LAYERS * (START_WIDTH + 1) * START_WIDTH;
    start_load(f);
    if (f->error) return bench_failed(b, "loading");
    if (weft_state_hash(f->s) != hash) return bench_wrong(b, "the loaded values have other bits");
    const weft_bench_desc effort = bench_effort(b, 0.5);
    weft_bench_time(&effort, &(weft_bench_call){start_load, f}, 1, &l.time);
    if (f->error) return bench_failed(b, "loading");
    bench_number(&l, "bytes", l.amount);
    bench_write(b, &l);
    return EXIT_GOOD;
}

int bench_load(bench *b) {
    start_file f = {.b = b};
    snprintf(f.path, sizeof f.path, "/tmp/weft-bench-XXXXXX");
    const int place = mkstemp(f.path);
    if (place < 0) return bench_wrong(b, "cannot create a file: %s", f.path);
    close(place);
    weft_state *const written = start_state(b, 1);
    f.s = start_state(b, 2);
    int status;
    if (!written || !f.s || start_write(b, written, f.path))
        status = bench_failed(b, "writing the file");
    else status = start_measure(b, &f, weft_state_hash(written));
    weft_state_free(f.s);
    weft_state_free(written);
    unlink(f.path);
    return status;
}

/* ---- the first step of a large network ---- */

/* Microseconds until the first step was made, or below 0. An untrained network gives every word about
 * the same share, so its loss is that of guessing; after a step it must be less. */
static double start_once(bench *b, const recipe_gpt *n, int *status) {
    const double begin = weft_clock();
    bench own = *b;
    own.ctx = weft_open_with(
        &(weft_open_desc){.device = weft_device_name(b->ctx), .threads = b->threads});
    weft_state *const s = own.ctx ? weft_state_new(own.ctx) : NULL;
    weft_graph *const g = s ? weft_graph_new(own.ctx) : NULL;
    const recipe step = g ? recipe_language(g, s, 1, 31, n) : (recipe){0};
    weft_plan *const p = g ? weft_compile(g, &(weft_plan_desc){.fetch = weft_list(step.loss),
                                                               .update = step.update,
                                                               .threads = b->threads})
                           : NULL;
    double took = -1;
    *status = p ? recipe_feed(&own, p, &step, 0) : bench_failed(&own, "starting");
    if (*status == EXIT_GOOD && weft_run(p) != WEFT_OK) *status = bench_failed(&own, "running");
    if (*status == EXIT_GOOD) {
        took = 1e6 * (weft_clock() - begin);
        const double first = (double)weft_item(p, step.loss), guess = log(n->words);
        const double second = weft_run(p) == WEFT_OK ? (double)weft_item(p, step.loss) : NAN;
        if (!(fabs(first - guess) < 0.3 && second < first))
            *status =
                bench_wrong(b, "the loss was %g, then %g; guessing has %g", first, second, guess);
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    if (own.ctx) weft_close(own.ctx);
    return took;
}

int bench_start(bench *b) {
    double us[3];
    int status = EXIT_GOOD, samples = 0;
    for (; samples < 3 && status == EXIT_GOOD; samples++)
        us[samples] = start_once(b, b->quick ? &recipe_gpt_little : &recipe_gpt_distil, &status);
    if (status != EXIT_GOOD) return status;
    bench_line l = {.part = "", .stats = {.threads = b->threads ? b->threads : 1}};
    weft_bench_summary(us, (size_t)samples, &l.time);
    snprintf(l.note, sizeof l.note, "%.2f s", 1e-6 * l.time.median_us);
    bench_write(b, &l);
    return EXIT_GOOD;
}
