/* bench.c - weft bench: chooses the benchmarks, opens the library, writes their lines.
 *
 * Every benchmark is a program on weft.h that any user could have written. Times are medians; rates
 * stand beside what one core of this machine reaches when it does nothing else (weft/bench.h). */
#include "bench.h"

#include "bench_against.h"
#include "bench_records.h"
#include "bench_rows.h"
#include "command.h"
#include "json.h"
#include "nearest.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(bench *b);
    unsigned suites; /* bits */
    const char *about;
} bench_table[] = {
#define X(name, run, suites, about) {name, run, suites, about},
    BENCHES(X)
#undef X
};
static const char *const bench_suites[] = {
#define X(suite, word) word,
    SUITES(X)
#undef X
};
static const char bench_names[] =
#define X(name, run, suites, about) name "|"
    BENCHES(X)
#undef X
    ;
enum { BENCH_COUNT = sizeof bench_table / sizeof *bench_table };

/* ---- the subcommand ---- */

static int bench_find(const char *name) {
    for (int i = 0; i < BENCH_COUNT; i++)
        if (strcmp(bench_table[i].name, name) == 0) return i;
    return -1;
}

static int bench_unknown(const char *name) {
    nearest n = nearest_to(name, (int)strlen(name));
    for (int i = 0; i < BENCH_COUNT; i++) nearest_offer(&n, bench_table[i].name);
    tell(stderr, "weft bench: unknown benchmark \"%s\"; ", name);
    nearest_ask(&n, "");
    fputs("weft bench --list names them\n", stderr);
    return EXIT_USAGE;
}

/* "ops steps" */
static const char *bench_suites_of(int i, char *text, size_t size) {
    size_t at = 0;
    for (int k = 0; k < SUITE_COUNT; k++)
        if (bench_table[i].suites >> k & 1 && at < size)
            at += (size_t)snprintf(text + at, size - at, "%s%s", at ? " " : "", bench_suites[k]);
    return text;
}

/* suite: its place from 1, or 0 for all */
static bool bench_belongs(int i, int suite) {
    return !suite || bench_table[i].suites >> (suite - 1) & 1;
}

static int bench_list(bool as_json, int suite) {
    for (int i = 0; i < BENCH_COUNT; i++) {
        char suites[64];
        if (!bench_belongs(i, suite)) continue;
        if (as_json) {
            json j = json_begin(stdout);
            json_text(&j, "bench", bench_table[i].name);
            json_text(&j, "suites", bench_suites_of(i, suites, sizeof suites));
            json_text(&j, "about", bench_table[i].about);
            json_end(&j);
        } else {
            printf("%-18s %-10s %s\n", bench_table[i].name,
                   bench_suites_of(i, suites, sizeof suites), bench_table[i].about);
        }
    }
    return EXIT_GOOD;
}

static int bench_one(bench *b, const char *name) {
    b->name = name;
    terminal_line(&b->progress, "%s ...", name);
    const int status = bench_table[bench_find(name)].run(b);
    terminal_line_end(&b->progress);
    return status;
}

/* Once more, without a word, for those who doubt the first time. */
static int bench_one_again(void *user, const char *name, bench_records *to) {
    bench *b = user, quiet = *b;
    quiet.silent = true;
    quiet.records = to;
    return bench_one(&quiet, name);
}

static int bench_all(bench *b, const bench_settings *s, const char *const *names, int count) {
    bench_records records;
    int status = bench_records_open(&records, b->ctx, s);
    if (status != EXIT_GOOD) return status;
    b->records = &records;
    for (int i = 0; i < count && status == EXIT_GOOD; i++) status = bench_one(b, names[i]);
    if (status == EXIT_GOOD) status = bench_records_compare(&records, bench_one_again, b);
    bench_records_close(&records);
    return status;
}

/* WEFT_BENCH_SLOW=10% makes everything that much slower: to see whether a gate notices. */
static bool bench_slower(double *share) {
    const char *text = getenv("WEFT_BENCH_SLOW");
    *share = 0;
    if (!text || !*text || options_share(text, share)) return true;
    tell(stderr, "weft bench: WEFT_BENCH_SLOW: \"%s\" is not a share such as 10%%\n", text);
    return false;
}

static int bench_main(const call *request) {
    const bench_settings *const s = request->settings;
    const char *names[BENCH_COUNT + 1];
    int count = 0;
    for (int i = 0; i < request->count; i++)
        if (bench_find(request->words[i]) < 0) return bench_unknown(request->words[i]);
    if (s->suite && request->count) {
        tell(stderr, "weft bench: names, or --suite, not both\n");
        return EXIT_USAGE;
    }
    if (s->list) return bench_list(s->json, s->suite);
    if (request->count > BENCH_COUNT) {
        tell(stderr, "weft bench: at most %d names\n", BENCH_COUNT);
        return EXIT_USAGE;
    }
    for (int i = 0; i < request->count; i++) names[count++] = request->words[i];
    for (int i = 0; !request->count && i < BENCH_COUNT; i++)
        if (bench_belongs(i, s->suite)) names[count++] = bench_table[i].name;
    if (s->against && (s->save || s->baseline || s->history || s->html)) {
        tell(stderr, "weft bench: --against compares two programs and saves nothing: --save, "
                     "not together with --baseline, --history or --html\n");
        return EXIT_USAGE;
    }

    bench b = {.threads = s->threads,
               .json = s->json,
               .quick = s->quick,
               .raw = s->raw,
               .weights = (weft_dtype[]){WEFT_F32, WEFT_BF16, WEFT_F16, WEFT_I8}[s->weights],
               .batch = s->batch,
               .tokens = s->tokens,
               .mixed = (weft_dtype)s->mixed,
               .turns = s->turns,
               .report = s->report,
               .peak = -1};
    if (!bench_slower(&b.slower)) return EXIT_USAGE;
    b.progress = terminal_of(stderr, s->turns ? TERMINAL_NEVER : TERMINAL_AUTO);
    b.ctx = weft_open_with(&(weft_open_desc){.device = s->device, .threads = s->threads});
    if (!b.ctx) {
        tell(stderr, "weft bench: %s\n", weft_error(NULL));
        return EXIT_RESOURCES;
    }
    const int status =
        s->against ? bench_against(b.ctx, s, names, count) : bench_all(&b, s, names, count);
    weft_close(b.ctx);
    return status;
}

#define BENCH_SUITE_WORD(suite, word) "|" word
#define BENCH_SUITE_WORDS             "all" SUITES(BENCH_SUITE_WORD)
static const option bench_options[] = {
    {.name = "list",
     .kind = OPTION_FLAG,
     .help = "list the benchmarks and exit",
     .offset = offsetof(bench_settings, list)},
    {.name = "suite",
     .kind = OPTION_CHOICE,
     .value = BENCH_SUITE_WORDS,
     .help = "run the benchmarks of a suite (all)",
     .offset = offsetof(bench_settings, suite)},
    {.name = "quick",
     .kind = OPTION_FLAG,
     .help = "small sizes, few samples: a smoke test, not a measurement",
     .offset = offsetof(bench_settings, quick)},
    {.name = "raw",
     .kind = OPTION_FLAG,
     .help = "dqn2048-replica: raw tile values instead of logarithms",
     .offset = offsetof(bench_settings, raw)},
    {.name = "mixed",
     .kind = OPTION_CHOICE,
     .value = "off|bf16|f16",
     .help = "step-...: mixed precision (off)",
     .offset = offsetof(bench_settings, mixed)},
    {.name = "weights",
     .kind = OPTION_CHOICE,
     .value = "f32|bf16|f16|int8",
     .help = "generate-...: how weights are stored (f32)",
     .offset = offsetof(bench_settings, weights)},
    {.name = "batch",
     .kind = OPTION_LONG,
     .value = "N",
     .help = "step-...: examples of a step (as listed)",
     .offset = offsetof(bench_settings, batch),
     .low = 1,
     .high = 4096},
    {.name = "tokens",
     .kind = OPTION_LONG,
     .value = "N",
     .help = "steps of language models: tokens of a sequence (as listed)",
     .offset = offsetof(bench_settings, tokens),
     .low = 1,
     .high = 1 << 16},
    {.name = "report",
     .kind = OPTION_FOLDER,
     .value = "FOLDER",
     .help = "rainbow: write curves and report.html here",
     .offset = offsetof(bench_settings, report)},
    {.name = "save",
     .kind = OPTION_FILE,
     .value = "FILE",
     .help = "save the results as a baseline; keeps other benchmarks in it",
     .offset = offsetof(bench_settings, save)},
    {.name = "baseline",
     .kind = OPTION_FILE,
     .value = "FILE",
     .help = "compare with a saved baseline",
     .offset = offsetof(bench_settings, baseline)},
    {.name = "against",
     .kind = OPTION_FILE,
     .value = "PROGRAM",
     .help = "compare with another build of weft, sampling alternately",
     .offset = offsetof(bench_settings, against)},
    {.name = "max-slowdown",
     .kind = OPTION_SHARE,
     .value = "SHARE",
     .help = "a larger slowdown is a regression, exit code 3 (20%; against: 10%)",
     .offset = offsetof(bench_settings, max_slowdown)},
    {.name = "history",
     .kind = OPTION_FOLDER,
     .value = "FOLDER",
     .help = "append to the history of this machine and report outliers",
     .offset = offsetof(bench_settings, history)},
    {.name = "html",
     .kind = OPTION_FILE,
     .value = "FILE",
     .help = "write a page with plots of all results",
     .offset = offsetof(bench_settings, html)},
    {.name = "turns",
     .kind = OPTION_FLAG,
     .help = "take a sample for each g on standard input until e: used by --against",
     .offset = offsetof(bench_settings, turns)},
    ROW_THREADS(bench_settings),
    ROW_DEVICE(bench_settings),
    ROW_JSON(bench_settings),
};

const command bench_command = {
    .name = "bench",
    .summary = "time products, kernels, training steps and the compiler",
    .operands = "[NAME...]",
    .choices = bench_names,
    .about =
        "Runs the named benchmarks, or all of them. Each verifies its results first, then reports\n"
        "the median and minimum time of a call, its throughput, and that as a share of the peak "
        "of\n"
        "one core: multiply-add, or copying the same amount of memory. For one thread, pin the\n"
        "program, for example with taskset. Samples disturbed by other load, as a calibration "
        "loop\n"
        "shows, are discarded. --baseline and --against are regression gates: a slowdown is\n"
        "measured a second time before it gives exit code 3.\n",
    .examples = "weft bench step-mlp784 gemm\n"
                "weft bench --suite ops\n"
                "taskset -c 0 weft bench gemm --threads 1\n"
                "weft bench --json >results.jsonl\n"
                "weft bench step-mlp784 --save before.json\n"
                "weft bench step-mlp784 --baseline before.json --max-slowdown 20%\n"
                "weft bench step-mlp784 --against ../old/build/weft --max-slowdown 5%\n",
    COMMAND_OPTIONS(bench_options),
    .settings_size = sizeof(bench_settings),
    .run = bench_main,
};
