/* bench_generate.c - DistilGPT-2 writes, one token after the other, beside the time that reading its
 * weights once takes.
 *
 * The weights are random. Those in 16 and 8 bits are the rounded ones of a network in f32, and what
 * is timed must give the logits of that network reading the whole text at once. How fast memory is
 * read is measured with as many threads, in the same minute. */
#include "bench.h"

#include "command.h"

#include <weft/lm.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { GENERATE_READ = 5, GENERATE_STEPS = 40, GENERATE_ROUNDS = 9, GENERATE_THREADS = 64 };

typedef struct generate_job {
    bench *b;
    weft_lm_config m;
    weft_state *wide, *s; /* in f32; as it is timed, the same one where that is f32 */
    weft_generator *w;
    int32_t *ids; /* [rows, GENERATE_READ], then the last of each */
    int rows;
    double bytes; /* of all matrices, read once for a token */
} generate_job;

/* ---- weights ---- */

static bool generate_is_matrix(const weft_entry *e) {
    return e->dims.rank == 2;
}

static weft_err generate_record(weft_ctx *c, weft_state *s, const weft_lm_config *m, weft_dtype t) {
    weft_graph *const g = weft_graph_new(c);
    if (!g) return weft_error_code(c);
    const weft_tensor ids = weft_input(g, WEFT_I32, weft_dims(1, 1));
    weft_lm_logits(s, ids, m, &(weft_lm_desc){.weights = t});
    const weft_err e = weft_graph_error(g);
    weft_graph_free(g);
    return e;
}

/* Numbers that both types hold: i8 times a power of two, the same for each output. */
static weft_err generate_fill(generate_job *j, const weft_entry *e, bench_random *r) {
    const float scale = 0x1p-11f;
    const size_t n = e->bytes / weft_dtype_size(e->dtype);
    weft_ctx *const c = j->b->ctx;
    float *const v = malloc(n * sizeof *v);
    int8_t *const q = malloc(n * 2);
    weft_err err = v && q ? WEFT_OK : weft_fail(c, WEFT_MEMORY, "out of memory");
    for (size_t i = 0; !err && i < n; i++) {
        float one;
        bench_fill(r, &one, 1);
        q[i] = (int8_t)(100 * one);
        v[i] = (float)q[i] * scale;
    }
    if (!err) err = weft_state_set(j->wide, e->name, v, n * sizeof *v);
    if (!err && e->dtype == WEFT_I8) err = weft_state_set(j->s, e->name, q, n);
    else if (!err && e->dtype != WEFT_F32) {
        const weft_array from = {e->name, WEFT_FILE_F32, e->dims, v, n * sizeof *v};
        err = weft_array_convert(c, &from, weft_file_type_of(e->dtype), q, e->bytes);
        if (!err) err = weft_state_set(j->s, e->name, q, e->bytes);
    }
    char name[200];
    snprintf(name, sizeof name, "%s_scale", e->name);
    for (size_t i = 0; !err && i < n; i++) v[i] = scale;
    const bool turned = strstr(e->name, ".c_") != NULL; /* outputs are columns */
    const size_t outputs = (size_t)e->dims.n[turned ? 1 : 0];
    if (!err && e->dtype == WEFT_I8) err = weft_state_set(j->s, name, v, outputs * sizeof *v);
    free(v), free(q);
    return err;
}

static weft_err generate_weights(generate_job *j) {
    weft_ctx *const c = j->b->ctx;
    bench_random r = {3};
    weft_err e = generate_record(c, j->wide, &j->m, WEFT_F32);
    if (!e && j->s != j->wide) e = generate_record(c, j->s, &j->m, j->b->weights);
    for (size_t i = 0; !e && i < weft_state_count(j->s); i++) {
        weft_entry x;
        e = weft_state_entry(j->s, i, &x);
        if (e || !generate_is_matrix(&x)) continue;
        e = generate_fill(j, &x, &r);
        const bool positions = strstr(x.name, "wpe") != NULL; /* of which a token reads one row */
        if (!positions) j->bytes += (double)x.bytes;
    }
    return e;
}

/* ---- is it right? ---- */

/* Logits behind each text, all at once. */
static weft_err generate_whole(const generate_job *j, float *out) {
    weft_ctx *const c = j->b->ctx;
    weft_graph *const g = weft_graph_new(c);
    if (!g) return weft_error_code(c);
    weft_graph_eval(g);
    const weft_tensor ids = weft_input(g, WEFT_I32, weft_dims(j->rows, GENERATE_READ));
    const weft_tensor x = weft_slice(weft_lm_hidden(j->wide, ids, &j->m, NULL), 1,
                                     GENERATE_READ - 1, GENERATE_READ, 1);
    const weft_tensor y = weft_lm_head(j->wide, x, &j->m, NULL);
    weft_plan *const p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    weft_err e = p ? WEFT_OK : weft_error_code(c);
    const size_t bytes = (size_t)(j->rows * GENERATE_READ) * sizeof *j->ids;
    if (!e) e = weft_set(p, ids, j->ids, bytes);
    if (!e) e = weft_run(p);
    if (!e) e = weft_get(p, y, out, (size_t)(j->rows * j->m.vocab) * sizeof *out);
    weft_plan_free(p);
    weft_graph_free(g);
    return e;
}

/* Reads the texts: the first token as a prompt, the others as if it had written them. */
static int generate_check(generate_job *j) {
    const int64_t vocab = j->m.vocab;
    float *const want = malloc((size_t)(j->rows * vocab) * sizeof *want);
    int status = want ? EXIT_GOOD : bench_failed(j->b, "the reference");
    if (status == EXIT_GOOD && generate_whole(j, want))
        status = bench_failed(j->b, "the reference");
    for (int b = 0; status == EXIT_GOOD && b < j->rows; b++) {
        const float *const got = weft_generator_logits(j->w, b);
        double size = 0, off = 0;
        for (int64_t i = 0; got && i < vocab; i++) {
            size = fmax(size, fabs((double)want[b * vocab + i]));
            off = fmax(off, fabs((double)got[i] - (double)want[b * vocab + i]));
        }
        if (!got) status = bench_failed(j->b, "running");
        else if (!(off <= 1e-4 * size))
            status =
                bench_wrong(j->b, "the logits of text %d are off by %.3g of %.3g", b, off, size);
    }
    free(want);
    return status;
}

/* ---- how fast memory is ---- */

typedef struct generate_reader {
    pthread_t thread;
    const char *isa;
    size_t bytes;
    double gbs;
} generate_reader;

static void *generate_read(void *reader_pointer) {
    generate_reader *const r = reader_pointer;
    r->gbs = weft_peak_read_gbs(r->isa, r->bytes);
    return NULL;
}

static double generate_bandwidth(const generate_job *j, int threads) {
    generate_reader reader[GENERATE_THREADS];
    const int n = threads < GENERATE_THREADS ? threads : GENERATE_THREADS;
    double sum = 0;
    int begun = 0;
    for (; begun < n; begun++) {
        reader[begun] =
            (generate_reader){.isa = weft_device_isa(j->b->ctx), .bytes = (size_t)(j->bytes / n)};
        if (pthread_create(&reader[begun].thread, NULL, generate_read, &reader[begun])) break;
    }
    for (int i = 0; i < begun; i++) {
        pthread_join(reader[i].thread, NULL);
        sum += reader[i].gbs;
    }
    return begun == n ? sum : 0;
}

/* ---- timing ---- */

static int generate_compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Some tokens a sample; the context stays in one plan. */
static int generate_time(generate_job *j) {
    double us[GENERATE_ROUNDS];
    const int rounds = j->b->quick ? 3 : GENERATE_ROUNDS;
    const int32_t **const at = malloc((size_t)j->rows * sizeof *at);
    int64_t *const count = malloc((size_t)j->rows * sizeof *count);
    int status = at && count ? EXIT_GOOD : bench_failed(j->b, "timing");
    double bandwidth = 0;
    for (int r = 0; r < rounds && status == EXIT_GOOD; r++) {
        for (int b = 0; b < j->rows; b++)
            at[b] = j->ids + b * GENERATE_READ, count[b] = GENERATE_READ;
        bool good = !weft_generator_prompt(j->w, at, count) && !weft_generator_next(j->w, j->ids) &&
                    weft_generator_logits(j->w, 0);
        const double start = weft_clock();
        for (int i = 0; good && i < GENERATE_STEPS; i++)
            good = !weft_generator_next(j->w, j->ids + j->rows * GENERATE_READ) &&
                   weft_generator_logits(j->w, 0);
        us[r] = 1e6 * (weft_clock() - start) / GENERATE_STEPS;
        if (!good) status = bench_failed(j->b, "running");
        bandwidth = fmax(bandwidth, generate_bandwidth(j, j->b->threads > 0 ? j->b->threads : 1));
    }
    free(at), free(count);
    if (status != EXIT_GOOD) return status;
    qsort(us, (size_t)rounds, sizeof *us, generate_compare);
    bench_line l = {.part = weft_dtype_name(j->b->weights),
                    .stats = {.threads = j->b->threads > 0 ? j->b->threads : 1},
                    .work = BENCH_BYTES,
                    .amount = j->bytes};
    weft_bench_summary(us, (size_t)rounds, &l.time);
    const double roof = 1e-3 * j->bytes / bandwidth;
    bench_number(&l, "tokens_per_s", 1e6 * j->rows / l.time.median_us);
    bench_number(&l, "batch", j->rows);
    bench_number(&l, "parameters", (double)weft_lm_parameters(&j->m));
    bench_number(&l, "read_gbs", bandwidth);
    bench_number(&l, "roof_us", roof);
    bench_number(&l, "of_bandwidth", roof / l.time.median_us);
    snprintf(l.note, sizeof l.note, "%.0f tokens/s, %.0f %% of the bandwidth",
             1e6 * j->rows / l.time.median_us, 100 * roof / l.time.median_us);
    bench_write(j->b, &l);
    return EXIT_GOOD;
}

int bench_generate(bench *b) {
    generate_job j = {.b = b, .rows = b->batch ? (int)b->batch : 1};
    int status = EXIT_GOOD;
    weft_lm_config_named("distilgpt2", &j.m);
    if (b->quick) j.m.layers = 2, j.m.width = 128, j.m.heads = 4, j.m.vocab = 512;
    j.wide = weft_state_new(b->ctx);
    j.s = b->weights == WEFT_F32 ? j.wide : weft_state_new(b->ctx);
    const size_t numbers = (size_t)j.rows * (GENERATE_READ + 1);
    j.ids = malloc(numbers * sizeof *j.ids);
    if (!j.wide || !j.s || !j.ids || generate_weights(&j)) status = bench_failed(b, "starting");
    if (status == EXIT_GOOD) {
        bench_fill_integers(&(bench_random){1}, j.ids, (int64_t)numbers, (int32_t)j.m.vocab);
        j.w = weft_generator_new(j.s, &j.m,
                                 &(weft_generator_desc){.sequences = j.rows,
                                                        .threads = b->threads,
                                                        .model = {.weights = b->weights}});
        const int32_t **const at = malloc((size_t)j.rows * sizeof *at);
        int64_t *const count = malloc((size_t)j.rows * sizeof *count);
        for (int i = 0; at && count && i < j.rows; i++)
            at[i] = j.ids + i * GENERATE_READ, count[i] = GENERATE_READ;
        if (!j.w || !at || !count || weft_generator_prompt(j.w, at, count))
            status = bench_failed(b, "starting");
        free(at), free(count);
    }
    if (status == EXIT_GOOD) status = generate_check(&j);
    if (status == EXIT_GOOD) status = generate_time(&j);
    weft_generator_free(j.w);
    if (j.s != j.wide) weft_state_free(j.s);
    weft_state_free(j.wide);
    free(j.ids);
    return status;
}
