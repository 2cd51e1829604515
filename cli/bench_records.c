/* bench_records.c - baselines and histories of weft bench: opening, comparing, saving. */
#include "bench_records.h"

#include "bench.h"
#include "bench_html.h"
#include "command.h"
#include "json.h"
#include "path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int records_failed(const bench_records *k) {
    tell(stderr, "weft bench: %s\n", weft_error(k->ctx));
    return command_code(weft_error_code(k->ctx));
}

/* Whether a file can be made there, or put in the place of the one that is. */
static bool records_writable(const char *path) {
    const char *slash = strrchr(path, '/');
    char folder[PATH_MOST] = ".";
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
    return access(folder, W_OK | X_OK) == 0;
}

/* A baseline that is there is added to, so that benchmarks can be saved one by one. */
static int kept_open_saved(bench_records *k) {
    const char *path = k->set->save;
    weft_machine here;
    weft_machine_of(k->ctx, &here);
    k->saved = path_exists(path) ? weft_baseline_open(k->ctx, path) : weft_baseline_new(k->ctx);
    if (!k->saved) return records_failed(k);
    if (!records_writable(path)) {
        tell(stderr, "weft bench: %s: cannot write to its folder\n", path);
        return EXIT_FAILED;
    }
    const weft_machine *there = weft_baseline_machine(k->saved);
    if (strcmp(there->key, here.key) == 0) return EXIT_GOOD;
    tell(stderr,
         "weft bench: %s was made on another machine (%s, %d cores, %s); give --save another "
         "name, or remove it\n",
         path, there->cpu, there->cores, there->isa);
    return EXIT_INPUT;
}

static int kept_open_history(bench_records *k) {
    weft_machine here;
    weft_machine_of(k->ctx, &here);
    const char *folder = k->set->history;
    if (mkdir(folder, 0777) != 0 && !path_exists(folder)) {
        tell(stderr, "weft bench: cannot create the folder %s\n", folder);
        return EXIT_INPUT;
    }
    k->history = weft_history_open(k->ctx, folder, &here);
    if (!k->history) return records_failed(k);
    if (weft_history_malformed(k->history))
        tell(stderr, "weft bench: %s: %zu malformed lines; they are left in the file\n",
             weft_history_path(k->history), weft_history_malformed(k->history));
    return EXIT_GOOD;
}

int bench_records_open(bench_records *k, weft_ctx *c, const bench_settings *s) {
    *k = (bench_records){.ctx = c, .set = s};
    int status = EXIT_GOOD;
    if (s->baseline && !(k->then = weft_baseline_open(c, s->baseline))) status = records_failed(k);
    if (status == EXIT_GOOD && s->save) status = kept_open_saved(k);
    if (status == EXIT_GOOD && s->history) status = kept_open_history(k);
    if (status != EXIT_GOOD) bench_records_close(k);
    return status;
}

void bench_records_close(bench_records *k) {
    weft_baseline_free(k->then);
    weft_baseline_free(k->saved);
    weft_history_free(k->history);
    free(k->figure);
    *k = (bench_records){.ctx = k->ctx};
}

void bench_records_add(bench_records *k, const weft_bench_record *r, const weft_timing *t) {
    if (k->n == k->room) {
        const size_t room = 2 * k->room + 32;
        bench_figure *more = realloc(k->figure, room * sizeof *more);
        if (!more) {
            k->starved = true;
            return;
        }
        k->figure = more;
        k->room = room;
    }
    k->figure[k->n++] = (bench_figure){.record = *r, .time = *t};
}

/* ---- the baseline ---- */

static double records_limit(const bench_records *k) {
    return k->set->max_slowdown > 0 ? k->set->max_slowdown : 0.2;
}

static void records_compare(bench_records *k) {
    for (size_t i = 0; i < k->n; i++) {
        bench_figure *f = &k->figure[i];
        if (weft_baseline_find(k->then, f->record.name, f->record.threads, &f->then))
            f->slowdown = weft_bench_slowdown(&f->record, &f->then, records_limit(k));
    }
}

/* The name of a figure's benchmark is its first word. */
static void records_bench(const bench_figure *f, char *name, size_t bytes) {
    snprintf(name, bytes, "%.*s", (int)strcspn(f->record.name, " "), f->record.name);
}

/* What seems slower is measured once more before it is called so; the better of both counts. */
static int records_confirm(bench_records *k, bench_again again, void *user) {
    char done[sizeof k->figure->record.name] = "", name[sizeof done];
    int status = EXIT_GOOD;
    for (size_t i = 0; i < k->n && status == EXIT_GOOD; i++) {
        if (!k->figure[i].slowdown.slower) continue;
        records_bench(&k->figure[i], name, sizeof name);
        if (strcmp(name, done) == 0) continue;
        snprintf(done, sizeof done, "%s", name);
        bench_records second = {.ctx = k->ctx, .set = k->set, .then = k->then};
        status = again(user, name, &second);
        records_compare(&second);
        for (size_t a = i; a < k->n; a++)
            for (size_t b = 0; b < second.n; b++) {
                bench_figure *f = &k->figure[a], *g = &second.figure[b];
                if (!f->slowdown.slower || strcmp(f->record.name, g->record.name) != 0) continue;
                f->regressed = g->slowdown.slower;
                if (g->slowdown.ratio < f->slowdown.ratio) f->slowdown.ratio = g->slowdown.ratio;
            }
        free(second.figure);
    }
    return status;
}

static const char *records_result(const bench_figure *f) {
    if (!f->then.threads) return "new";
    if (f->regressed) return "slower";
    if (!f->slowdown.alike) return "other thread latency";
    if (isnan(f->slowdown.ratio)) return "cannot be compared";
    if (f->slowdown.slower) return "slower once, not confirmed";
    return f->slowdown.ratio < 0.9 ? "faster" : "same";
}

static void records_show(const bench_records *k) {
    weft_machine here;
    weft_machine_of(k->ctx, &here);
    const weft_machine *there = weft_baseline_machine(k->then);
    if (strcmp(here.key, there->key) != 0)
        tell(stderr, "weft bench: %s was made on another machine (%s): only a rough comparison\n",
             k->set->baseline, there->cpu);
    if (!k->set->json)
        tell(stdout, "\n%-36s %12s %12s %8s\n", k->set->baseline, "then us", "now us", "ratio");
    for (size_t i = 0; i < k->n; i++) {
        const bench_figure *f = &k->figure[i];
        if (k->set->json) {
            char bench[sizeof f->record.name];
            records_bench(f, bench, sizeof bench);
            json j = json_begin(stdout);
            json_integer(&j, "schema", BENCH_SCHEMA);
            json_text(&j, "bench", bench);
            json_text(&j, "line", f->record.name);
            json_integer(&j, "threads", f->record.threads);
            json_text(&j, "result", records_result(f));
            json_number(&j, "ratio", f->then.threads ? f->slowdown.ratio : NAN);
            json_number(&j, "then_us", f->then.threads ? f->then.median_us : NAN);
            json_number(&j, "now_us", f->record.median_us);
            json_end(&j);
        } else if (f->then.threads) {
            tell(stdout, "%-36s %12.2f %12.2f %8.3f  %s\n", f->record.name, f->then.median_us,
                 f->record.median_us, f->slowdown.ratio, records_result(f));
        } else {
            tell(stdout, "%-36s %12s %12.2f %8s  %s\n", f->record.name, "", f->record.median_us, "",
                 records_result(f));
        }
    }
    if (!k->set->json)
        tell(stdout, "The ratio is of times in calibration loops: disturbance by other load "
                     "cancels out.\n");
}

static int records_gate(bench_records *k, bench_again again, void *user) {
    records_compare(k);
    const int status = records_confirm(k, again, user);
    if (status != EXIT_GOOD) return status;
    records_show(k);
    for (size_t i = 0; i < k->n; i++)
        if (k->figure[i].regressed) return EXIT_REGRESSION;
    return EXIT_GOOD;
}

/* ---- the history ---- */

static int records_remember(bench_records *k) {
    for (size_t i = 0; i < k->n; i++) {
        bench_figure *f = &k->figure[i];
        if (weft_history_add(k->history, &f->record) != WEFT_OK ||
            weft_history_look(k->history, f->record.name, f->record.threads, &f->view) != WEFT_OK)
            return records_failed(k);
        const double ratio = f->record.relative / f->view.typical;
        if (f->view.outlier)
            tell(stderr, "weft bench: %s: %.2f times the typical time of this machine (%zu runs)\n",
                 f->record.name, ratio, f->view.records - 1);
        else if (f->view.changed)
            tell(stderr, "weft bench: %s: its level changed %zu runs ago\n", f->record.name,
                 f->view.changed);
    }
    return EXIT_GOOD;
}

int bench_records_compare(bench_records *k, bench_again again, void *user) {
    if (k->starved) {
        tell(stderr, "weft bench: out of memory\n");
        return EXIT_RESOURCES;
    }
    int gate = k->then ? records_gate(k, again, user) : EXIT_GOOD;
    if (gate != EXIT_GOOD && gate != EXIT_REGRESSION) return gate;
    const bool save = k->saved && gate == EXIT_GOOD;
    if (k->saved && !save)
        tell(stderr, "weft bench: %s was not written because of a regression\n", k->set->save);
    for (size_t i = 0; save && i < k->n; i++)
        if (weft_baseline_put(k->saved, &k->figure[i].record) != WEFT_OK) return records_failed(k);
    if (save && weft_baseline_write(k->saved, k->set->save) != WEFT_OK) return records_failed(k);
    const int status = k->history ? records_remember(k) : EXIT_GOOD;
    if (status != EXIT_GOOD) return status;
    if (k->set->html && bench_html_write(k, k->set->html) != WEFT_OK) return records_failed(k);
    return gate;
}
