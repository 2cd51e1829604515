/* bench.c - weft bench: chooses the benchmarks, opens the library, writes their lines.
 *
 * Every benchmark is a program on weft.h that any user could have written. Times are medians; rates
 * stand beside what one core of this machine reaches when it does nothing else (peak.h). */
#include "bench.h"

#include "command.h"
#include "json.h"
#include "nearest.h"

#include <stdarg.h>
#include <string.h>

/* clang-format off */
/*                name            function         what it times */
#define BENCHES(X)                                                                                 \
    X("step-dqn2048", bench_step,      "training step 16-64-64-4, batch 32, squared error, Adam")  \
    X("step-cube",    bench_step,      "training step 144-128-64-6, batch 64, squared error, Adam")\
    X("step-mlp784",  bench_step,      "training step 784-128-10, batch 32, cross entropy, SGD")   \
    X("step-lstm",    bench_step,      "training step of an LSTM, 100 steps of 256, batch 1, Adam")\
    X("step-gru",     bench_step,      "training step of a GRU, 100 steps of 256, batch 1, Adam")  \
    X("step-lstm-rows", bench_step,    "training step of an LSTM over 28 rows, batch 64, Adam")    \
    X("lstm-forward", bench_lstm,      "an LSTM over 100 steps of 256, batch 1")                   \
    X("step-cnn",     bench_step,      "training step 3-64-128-10 on 32x32 images, batch 16, SGD")\
    X("step-mnist",   bench_step,      "training step 1-32-64-128-10 on 28x28, batch 64, SGD")     \
    X("conv-forward", bench_conv_forward, "convolution 3x3 of 224x224x3 to 64, bias and relu")     \
    X("conv-backward", bench_conv_backward, "gradients of convolutions, beside their forward")     \
    X("gemm",         bench_gemm,      "products NN, NT and TN on one thread, beside a BLAS")      \
    X("softmax",      bench_softmax,   "softmax of 4096 rows of 1024, and its backward")           \
    X("layernorm",    bench_layernorm, "layer norm of 4096 rows of 768, and its backward")         \
    X("adam",         bench_adam,      "Adam over a million parameters")                           \
    X("chain",        bench_chain,     "a*b + relu(c)*sigmoid(d) over 1K, 64K and 16M elements")   \
    X("env-2048",     bench_env_2048,  "random moves of 2048, games begun anew")                   \
    X("dqn2048-replica", bench_dqn2048, "100 games of 2048 while a 16-64-64-4 network learns")     \
    X("cube-replica", bench_cube,      "2,000 scrambles of the cube while a network learns")       \
    X("rainbow",      bench_rainbow,   "what double, dueling, noisy, ... bring to Q-learning")     \
    X("circuit",      bench_circuit,   "images to classes through 48,000 logic gates, on bits")    \
    X("checkerboard-epoch", bench_checkerboard, "a training step of an automaton of 3,040 gates")  \
    X("stream-zscore", bench_stream_zscore, "points through a rolling z-score, window 100")        \
    X("stream-hst",   bench_stream_trees, "points through 25 half-space trees of depth 8")         \
    X("special-gamma", bench_special,  "Gamma(x) of 10,000 doubles, one thread")                   \
    X("special-bessel_j0", bench_special, "the Bessel function J0 of 10,000 doubles, one thread")  \
    X("special-erf",  bench_special,   "the error function of 10,000 doubles, one thread")         \
    X("special",      bench_special,   "many special functions, 10,000 doubles each, one thread")  \
    X("plan",         bench_plan,      "recording and compiling of whole training steps")
/* clang-format on */

static const struct {
    const char *name;
    int (*run)(bench *b);
    const char *about;
} bench_table[] = {
#define X(name, run, about) {name, run, about},
    BENCHES(X)
#undef X
};
static const char bench_names[] =
#define X(name, run, about) name "|"
    BENCHES(X)
#undef X
    ;
enum { BENCH_COUNT = sizeof bench_table / sizeof *bench_table, BENCH_SCHEMA = 1 };

/* ---- lines ---- */

static void bench_add(bench_line *l, bench_field f) {
    if (l->fields < BENCH_FIELDS) l->field[l->fields++] = f;
}

void bench_text(bench_line *l, const char *name, const char *text) {
    bench_add(l, (bench_field){.name = name, .text = text ? text : ""});
}

void bench_number(bench_line *l, const char *name, double number) {
    bench_add(l, (bench_field){.name = name, .number = number});
}

static double bench_rate(const bench_line *l) {
    return l->time.median_us > 0 ? 1e-3 * l->amount / l->time.median_us : 0;
}

/* The share of what the cores could do, or below 0. Threads share memory in ways one copy does not
 * show, so bytes are compared on one thread only. */
static double bench_share(bench *b, const bench_line *l) {
    if (l->work == BENCH_FLOPS) {
        if (b->peak < 0) b->peak = peak_gflops(weft_device_isa(b->ctx));
        const int threads = l->stats.threads > 1 ? l->stats.threads : 1;
        return b->peak > 0 ? bench_rate(l) / (b->peak * threads) : -1;
    }
    if (l->work == BENCH_BYTES && l->stats.threads <= 1) {
        const char *isa = weft_device_isa(b->ctx);
        const double peak = l->in_place > 0 ? peak_scale_gbs(isa, (size_t)(l->amount - l->in_place))
                                            : peak_copy_gbs(isa, (size_t)l->amount);
        return peak > 0 ? bench_rate(l) / peak : -1;
    }
    return -1;
}

static void bench_write_json(bench *b, const bench_line *l) {
    json j = json_begin(stdout);
    json_integer(&j, "schema", BENCH_SCHEMA);
    json_text(&j, "bench", b->name);
    for (int i = 0; i < l->fields; i++) {
        const bench_field *f = &l->field[i];
        if (f->text) json_text(&j, f->name, *f->text ? f->text : NULL);
        else json_number(&j, f->name, f->number);
    }
    json_integer(&j, "threads", l->stats.threads);
    json_text(&j, "isa", weft_device_isa(b->ctx));
    json_number(&j, "median_us", l->time.median_us);
    json_number(&j, "min_us", l->time.min_us);
    json_integer(&j, "samples", l->time.samples);
    if (l->work == BENCH_FLOPS) json_number(&j, "gflops", bench_rate(l));
    if (l->work == BENCH_BYTES) json_number(&j, "gbs", bench_rate(l));
    const double share = bench_share(b, l);
    if (share >= 0) json_number(&j, "of_peak", share);
    json_number(&j, "allocs_per_run", l->allocs_per_run);
    json_integer(&j, "kernels", l->stats.kernels);
    json_integer(&j, "arena_bytes", (int64_t)l->stats.arena_bytes);
    json_end(&j);
}

static void bench_write_row(bench *b, const bench_line *l) {
    if (!b->header) {
        printf("%-28s %12s %12s %15s %7s %7s %9s\n", "", "median us", "min us", "rate", "of peak",
               "kernels", "arena KiB");
        b->header = true;
    }
    char label[64], rate[32] = "", share[16] = "";
    snprintf(label, sizeof label, "%s%s%s", b->name, *l->part ? " " : "", l->part);
    if (l->work != BENCH_NO_WORK)
        snprintf(rate, sizeof rate, "%.1f %s", bench_rate(l),
                 l->work == BENCH_FLOPS ? "GFLOP/s" : "GB/s");
    const double part_of_peak = bench_share(b, l);
    if (part_of_peak >= 0) snprintf(share, sizeof share, "%.0f %%", 100 * part_of_peak);
    printf("%-28s %12.2f %12.2f %15s %7s %7u %9.1f  %s\n", label, l->time.median_us, l->time.min_us,
           rate, share, (unsigned)l->stats.kernels, (double)l->stats.arena_bytes / 1024, l->note);
    fflush(stdout);
}

void bench_write(bench *b, const bench_line *l) {
    terminal_line_end(&b->progress);
    if (b->json) bench_write_json(b, l);
    else bench_write_row(b, l);
    terminal_line(&b->progress, "%s ...", b->name);
}

int bench_failed(const bench *b, const char *what) {
    terminal_line_end(&b->progress);
    fprintf(stderr, "weft bench %s: %s: %s\n", b->name, what, weft_error(b->ctx));
    const weft_err e = weft_error_code(b->ctx);
    return e == WEFT_MEMORY || e == WEFT_DEVICE ? EXIT_RESOURCES : EXIT_FAILED;
}

int bench_wrong(const bench *b, const char *format, ...) {
    terminal_line_end(&b->progress);
    fprintf(stderr, "weft bench %s: wrong result: ", b->name);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return EXIT_FAILED;
}

/* ---- plans ---- */

static void bench_run(void *plan) {
    weft_run(plan);
}

int bench_plan_facts(bench *b, weft_plan *p, bench_line *l) {
    enum { RUNS = 3 };
    if (weft_run(p) != WEFT_OK) return bench_failed(b, "running"); /* the first may do more */
    const uint64_t before = weft_allocations(b->ctx);
    for (int i = 0; i < RUNS; i++) weft_run(p);
    l->allocs_per_run = (double)(weft_allocations(b->ctx) - before) / RUNS;
    l->stats = weft_plan_stats(p);
    return EXIT_GOOD;
}

timing_desc bench_effort(const bench *b, double seconds) {
    return b->quick ? (timing_desc){.sample = 5e-4, .budget = 0.01, .least = 3}
                    : (timing_desc){.budget = seconds};
}

int bench_plan_time(bench *b, weft_plan *p, bench_line *l) {
    const int status = bench_plan_facts(b, p, l);
    const timing_desc effort = bench_effort(b, 1);
    if (status == EXIT_GOOD) timing_measure(&effort, &(timing_call){bench_run, p}, 1, &l->time);
    return status;
}

/* ---- numbers ---- */

static uint32_t bench_next(bench_random *r) { /* splitmix64 */
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

void bench_fill(bench_random *r, float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) x[i] = (float)(bench_next(r) >> 8) * 0x1p-23f - 1;
}

void bench_fill_integers(bench_random *r, int32_t *x, int64_t n, int32_t limit) {
    for (int64_t i = 0; i < n; i++) x[i] = (int32_t)(bench_next(r) % (uint32_t)limit);
}

/* ---- the subcommand ---- */

typedef struct bench_settings {
    const char *report;
    bool list, json, quick, raw;
    int threads;
} bench_settings;

static int bench_find(const char *name) {
    for (int i = 0; i < BENCH_COUNT; i++)
        if (strcmp(bench_table[i].name, name) == 0) return i;
    return -1;
}

static int bench_unknown(const char *name) {
    nearest n = nearest_to(name, (int)strlen(name));
    for (int i = 0; i < BENCH_COUNT; i++) nearest_offer(&n, bench_table[i].name);
    fprintf(stderr, "weft bench: there is no benchmark \"%s\"; ", name);
    nearest_ask(&n, "");
    fputs("weft bench --list names them\n", stderr);
    return EXIT_USAGE;
}

static int bench_list(bool as_json) {
    for (int i = 0; i < BENCH_COUNT; i++) {
        if (as_json) {
            json j = json_begin(stdout);
            json_text(&j, "bench", bench_table[i].name);
            json_text(&j, "about", bench_table[i].about);
            json_end(&j);
        } else {
            printf("%-14s %s\n", bench_table[i].name, bench_table[i].about);
        }
    }
    return EXIT_GOOD;
}

static int bench_main(const call *request) {
    const bench_settings *const s = request->settings;
    const int name_count = request->count;
    char **const names = request->words;
    for (int i = 0; i < name_count; i++) {
        if (bench_find(names[i]) >= 0) continue;
        return bench_unknown(names[i]);
    }
    if (s->list) return bench_list(s->json);

    bench b = {.threads = s->threads,
               .json = s->json,
               .quick = s->quick,
               .raw = s->raw,
               .report = s->report,
               .peak = -1};
    b.progress = terminal_of(stderr, TERMINAL_AUTO);
    b.ctx = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = s->threads});
    if (!b.ctx) {
        fprintf(stderr, "weft bench: %s\n", weft_error(NULL));
        return EXIT_RESOURCES;
    }
    int status = EXIT_GOOD;
    const int count = name_count ? name_count : BENCH_COUNT;
    for (int i = 0; i < count && status == EXIT_GOOD; i++) {
        const int k = name_count ? bench_find(names[i]) : i;
        b.name = bench_table[k].name;
        terminal_line(&b.progress, "%s ...", b.name);
        status = bench_table[k].run(&b);
    }
    terminal_line_end(&b.progress);
    weft_close(b.ctx);
    return status;
}

static const option bench_options[] = {
    {.name = "list",
     .kind = OPTION_FLAG,
     .help = "name the benchmarks and exit",
     .offset = offsetof(bench_settings, list)},
    {.name = "quick",
     .kind = OPTION_FLAG,
     .help = "small sizes, few samples: only to see that all is well",
     .offset = offsetof(bench_settings, quick)},
    {.name = "raw",
     .kind = OPTION_FLAG,
     .help = "dqn2048-replica: tiles as they are, not their logarithms",
     .offset = offsetof(bench_settings, raw)},
    {.name = "report",
     .kind = OPTION_FOLDER,
     .value = "FOLDER",
     .help = "rainbow: curves and report.html go there",
     .offset = offsetof(bench_settings, report)},
    ROW_THREADS(bench_settings),
    ROW_JSON(bench_settings),
};

const command bench_command = {
    .name = "bench",
    .summary = "time products, kernels, training steps and the compiler",
    .operands = "[NAME...]",
    .choices = bench_names,
    .about =
        "Runs the named benchmarks, or all of them. Each checks its results first, then gives the\n"
        "median and the least time of one call, its rate, and that as a share of what one core\n"
        "reaches when it only multiplies and adds, or only copies in as much memory. For figures\n"
        "of one thread pin the program, as with taskset.\n",
    .examples = "weft bench step-mlp784 gemm\n"
                "taskset -c 0 weft bench gemm --threads 1\n"
                "weft bench --json >results.jsonl\n",
    COMMAND_OPTIONS(bench_options),
    .settings_size = sizeof(bench_settings),
    .run = bench_main,
};
