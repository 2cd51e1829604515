/* bench_gemm.c - matrix products, each a plan of one step, beside a BLAS found at run time.
 *
 * Both sides read the same memory, run on as many threads and are sampled in turn. Shapes are
 * MxKxN: C[M,N] = A[M,K] B[K,N]; a T in the form means that the operand is stored transposed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* setenv */
#endif
#include "bench.h"

#include "command.h"
#include "library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int gemm_shapes[][3] = {
    {32, 16, 64},     {32, 64, 64},       {32, 64, 4},       {64, 144, 128},  {64, 128, 64},
    {32, 784, 128},   {128, 128, 128},    {256, 256, 256},   {512, 512, 512}, {1024, 1024, 1024},
    {256, 768, 3072}, {2048, 2048, 2048}, {256, 768, 50257},
};
static const char *const gemm_forms[] = {"NN", "NT", "TN"};

/* Few rows by the layers of DistilGPT-2, [k, n]: attention's in and out, the two of the block, the
 * logits. */
static const int gemm_layers[][2] = {
    {768, 2304}, {768, 768}, {768, 3072}, {3072, 768}, {768, 50257},
};
static const int gemm_rows[] = {1, 2, 4, 8, 16, 31, 48, 64};

/* ---- the rival ---- */

typedef void (*gemm_sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                           const float *a, int lda, const float *b, int ldb, float beta, float *c,
                           int ldc);
enum { GEMM_ROW_MAJOR = 101, GEMM_PLAIN = 111, GEMM_TRANSPOSED = 112 }; /* CBLAS's numbers */

typedef struct gemm_blas {
    gemm_sgemm sgemm; /* NULL: none was found */
    char name[256];
} gemm_blas;

static gemm_blas gemm_blas_find(const bench *b, int threads) {
    static const struct {
        const char *files, *threads, *config;
    } known[] = {
        {"libopenblas.so.0 libopenblas.so libopenblas.dylib", "openblas_set_num_threads",
         "openblas_get_config"},
        {"libblis.so.4 libblis.so", "bli_thread_set_num_threads", "bli_info_get_version_str"},
    };
    gemm_blas blas = {0};
#if !defined(_WIN32)
    char count[16]; /* threads made while it loads would spin beside what is timed */
    snprintf(count, sizeof count, "%d", threads);
    setenv("OPENBLAS_NUM_THREADS", count, 1);
#endif
    for (size_t i = 0; i < sizeof known / sizeof *known && !blas.sgemm; i++) {
        const library l = library_open(known[i].files);
        if (!library_find(l, "cblas_sgemm", &blas.sgemm)) continue;
        void (*set_threads)(int);
        char *(*config)(void);
        if (library_find(l, known[i].threads, &set_threads)) set_threads(threads);
        snprintf(blas.name, sizeof blas.name, "%s: %s", l.file,
                 library_find(l, known[i].config, &config) ? config() : "");
    }
    if (!blas.sgemm)
        tell(stderr, "weft bench %s: no BLAS found to compare with (OpenBLAS: libopenblas0)\n",
             b->name);
    return blas;
}

/* ---- one product ---- */

typedef struct gemm_case {
    int m, k, n;
    bool turn_a, turn_b;
    weft_plan *plan;
    const float *a, *b; /* as stored: A [m,k] or [k,m], B [k,n] or [n,k] */
    float *c;           /* the rival's result                            */
    gemm_sgemm sgemm;
    const char *part; /* what the line is called; NULL: form and shape */
    double read_gbs;  /* at which memory gives the operands; 0: no roof is wanted */
} gemm_case;

static void gemm_ours(void *user) {
    weft_run(((const gemm_case *)user)->plan);
}

static void gemm_theirs(void *user) {
    const gemm_case *g = user;
    g->sgemm(GEMM_ROW_MAJOR, g->turn_a ? GEMM_TRANSPOSED : GEMM_PLAIN,
             g->turn_b ? GEMM_TRANSPOSED : GEMM_PLAIN, g->m, g->n, g->k, 1, g->a,
             g->turn_a ? g->m : g->k, g->b, g->turn_b ? g->k : g->n, 0, g->c, g->n);
}

/* A sample of the elements, spread over all of C, against sums in double. */
static int gemm_check(bench *b, const gemm_case *g, const float *c) {
    const int64_t count = (int64_t)g->m * g->n;
    for (int64_t e = 0; e < count; e += 1 + count / 199) {
        const int64_t i = e / g->n, j = e % g->n;
        double sum = 0, size = 0;
        for (int64_t k = 0; k < g->k; k++) {
            const double term = (double)g->a[g->turn_a ? k * g->m + i : i * g->k + k] *
                                g->b[g->turn_b ? j * g->k + k : k * g->n + j];
            sum += term;
            size += fabs(term);
        }
        if (!(fabs(c[e] - sum) <= 1e-6 * (1 + size)))
            return bench_wrong(b, "element %lld,%lld is %.9g, not %.9g", (long long)i, (long long)j,
                               c[e], sum);
    }
    return EXIT_GOOD;
}

/* What the product takes at best, in microseconds: its multiplications at the core's peak, or its
 * operands and result once through the core, whichever is longer. They are read as fast as so much
 * memory is read again and again, so small weights come from the cache they fit and large ones from
 * memory; writing is not taken to be slower than reading. */
static double gemm_roof(bench *b, const gemm_case *g) {
    const double m = g->m, k = g->k, n = g->n, peak = bench_peak(b);
    if (!(g->read_gbs > 0) || !(peak > 0)) return 0;
    return fmax(2 * m * k * n / peak, 4 * (m * k + k * n + m * n) / g->read_gbs) * 1e-3;
}

static int gemm_compare(bench *b, gemm_case *g, weft_tensor y, const char *form, const char *blas) {
    const size_t bytes = (size_t)g->m * (size_t)g->n * sizeof(float);
    if (weft_run(g->plan) != WEFT_OK || weft_get(g->plan, y, g->c, bytes) != WEFT_OK)
        return bench_failed(b, "running");
    int status = gemm_check(b, g, g->c);
    bench_line l = {.work = BENCH_FLOPS, .amount = 2.0 * g->m * g->n * g->k};
    if (status == EXIT_GOOD) status = bench_plan_facts(b, g->plan, &l);
    if (status != EXIT_GOOD) return status;

    weft_timing both[2] = {{0}};
    const weft_bench_desc effort = bench_effort(b, g->read_gbs > 0 ? 0.3 : 0.6);
    weft_bench_time(&effort, (weft_bench_call[]){{gemm_ours, g}, {gemm_theirs, g}},
                    g->sgemm ? 2 : 1, both);
    char shape[40], part[48];
    snprintf(shape, sizeof shape, "%dx%dx%d", g->m, g->k, g->n);
    snprintf(part, sizeof part, "%s %s", form, shape);
    l.part = g->part ? g->part : part;
    bench_text(&l, "part", l.part);
    l.time = both[0];
    bench_text(&l, "form", form);
    bench_text(&l, "shape", shape);
    bench_text(&l, "blas", blas);
    if (g->sgemm) {
        const double rate = 1e-3 * l.amount / both[1].median_us;
        const double ratio = both[1].median_us / both[0].median_us;
        bench_number(&l, "blas_gflops", rate);
        bench_number(&l, "blas_median_us", both[1].median_us);
        bench_number(&l, "blas_min_us", both[1].min_us);
        bench_number(&l, "ratio", ratio);
        snprintf(l.note, sizeof l.note, "BLAS %.1f, ratio %.2f", rate, ratio);
    }
    const double roof = gemm_roof(b, g);
    if (roof > 0) {
        const size_t used = strlen(l.note);
        bench_number(&l, "read_gbs", g->read_gbs);
        bench_number(&l, "roof_us", roof);
        bench_number(&l, "of_roof", roof / both[0].median_us);
        snprintf(l.note + used, sizeof l.note - used, "%s%.0f %% of the roof", used ? ", " : "",
                 100 * roof / both[0].median_us);
    }
    bench_write(b, &l);
    return EXIT_GOOD;
}

/* like: part and read_gbs, see gemm_case */
static int gemm_one(bench *b, const char *form, const int *shape, const gemm_case *like,
                    int threads, const gemm_blas *blas) {
    gemm_case c = {.m = shape[0],
                   .k = shape[1],
                   .n = shape[2],
                   .part = like->part,
                   .read_gbs = like->read_gbs,
                   .turn_a = form[0] == 'T',
                   .turn_b = form[1] == 'T',
                   .sgemm = blas->sgemm};
    weft_graph *g = weft_graph_new(b->ctx);
    if (!g) return bench_failed(b, "starting");
    const weft_shape stored_a = c.turn_a ? weft_dims(c.k, c.m) : weft_dims(c.m, c.k);
    const weft_shape stored_b = c.turn_b ? weft_dims(c.n, c.k) : weft_dims(c.k, c.n);
    const weft_tensor a = weft_input(g, WEFT_F32, stored_a), w = weft_input(g, WEFT_F32, stored_b);
    const weft_tensor y =
        weft_matmul(c.turn_a ? weft_transpose(a, 0, 1) : a, c.turn_b ? weft_transpose(w, 0, 1) : w);
    c.plan = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .threads = threads});
    c.c = malloc((size_t)c.m * (size_t)c.n * sizeof *c.c);
    float *feed_a = c.plan ? weft_feed(c.plan, a) : NULL;
    float *feed_b = c.plan ? weft_feed(c.plan, w) : NULL;
    int status = EXIT_RESOURCES;
    if (feed_a && feed_b && c.c) {
        bench_random r = {1};
        bench_fill(&r, feed_a, weft_count(a));
        bench_fill(&r, feed_b, weft_count(w));
        c.a = feed_a;
        c.b = feed_b;
        status = gemm_compare(b, &c, y, form, blas->name);
    } else {
        status = bench_failed(b, "compiling");
    }
    free(c.c);
    weft_plan_free(c.plan);
    weft_graph_free(g);
    return status;
}

/* Two pools of threads that spin beside each other time only that: one thread unless asked. */
int bench_gemm(bench *b) {
    const int threads = b->threads > 0 ? b->threads : 1;
    const gemm_blas blas = gemm_blas_find(b, threads);
    int status = EXIT_GOOD;
    for (size_t f = 0; f < sizeof gemm_forms / sizeof *gemm_forms; f++) {
        for (size_t i = 0; i < sizeof gemm_shapes / sizeof *gemm_shapes; i++) {
            const int *shape = gemm_shapes[i];
            const bool large = (double)shape[0] * shape[1] * shape[2] > 1e7;
            if (status == EXIT_GOOD && !(b->quick && large))
                status = gemm_one(b, gemm_forms[f], shape, &(gemm_case){0}, threads, &blas);
        }
    }
    return status;
}

int bench_gemm_skinny(bench *b) {
    const int threads = b->threads > 0 ? b->threads : 1;
    const gemm_blas blas = gemm_blas_find(b, threads);
    int status = EXIT_GOOD;
    for (size_t l = 0; l < sizeof gemm_layers / sizeof *gemm_layers; l++) {
        const int k = gemm_layers[l][0], n = gemm_layers[l][1];
        if (b->quick && (double)k * n > 1e6) continue;
        for (size_t i = 0; i < sizeof gemm_rows / sizeof *gemm_rows; i++) {
            const int m = gemm_rows[i];
            const size_t bytes = sizeof(float) * ((size_t)m * k + (size_t)k * n + (size_t)m * n);
            const gemm_case like = {
                .read_gbs = threads == 1 ? weft_peak_read_gbs(weft_device_isa(b->ctx), bytes) : 0};
            for (size_t f = 0; f < 2 && status == EXIT_GOOD; f++) /* NN and NT */
                status = gemm_one(b, gemm_forms[f], (int[]){m, k, n}, &like, threads, &blas);
        }
    }
    return status;
}

/* Square products as programs run them, on as many threads as the library likes; the BLAS stands
 * beside them when one thread was asked for. */
int bench_ops_matmul(bench *b) {
    static const int sides[] = {64, 128, 256, 512, 1024};
    const gemm_blas blas = b->threads == 1 ? gemm_blas_find(b, 1) : (gemm_blas){0};
    int status = EXIT_GOOD;
    for (size_t i = 0; i < sizeof sides / sizeof *sides && status == EXIT_GOOD; i++) {
        const int n = sides[i];
        char part[16];
        snprintf(part, sizeof part, "%d", n);
        if (!(b->quick && n > 256))
            status =
                gemm_one(b, "NN", (int[]){n, n, n}, &(gemm_case){.part = part}, b->threads, &blas);
    }
    return status;
}
