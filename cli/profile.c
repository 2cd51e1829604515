/* profile.c - --profile and --profile-summary: where the trace may go, and the tables. What is
 * measured, and how, is the library's (weft/profile.h). */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "profile.h"

#include "path.h"
#include "tell.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SHOWN_KERNELS = 24,
    SHOWN_SCOPES = 24,
    SHOWN_STEPS = 32, /* rows of the arena's timeline; longer plans have several steps a row */
    SHOWN_TENSORS = 8,
    SHOWN_BAR = 40
};

/* ---- beginning ---- */

/* Whether a file can be made there: better said before the training than after it. */
static weft_err profile_path(weft_ctx *c, const char *path) {
    char folder[PATH_MOST];
    struct stat info;
    const char *slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) : 0;
    if (n >= sizeof folder)
        return weft_fail(c, WEFT_ARGUMENT,
                         "--profile: the path has %zu bytes, at most %d are possible", strlen(path),
                         PATH_MOST - 1);
    memcpy(folder, path, n);
    folder[n] = 0;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return weft_fail(c, WEFT_FILE, "--profile %s: exists and is not a regular file", path);
    const char *where = n ? folder : slash ? "/" : ".";
    if (access(where, W_OK | X_OK) != 0)
        return weft_fail(c, WEFT_FILE, "--profile %s: the folder %s: %s", path, where,
                         strerror(errno));
    return WEFT_OK;
}

weft_err profile_begin(weft_ctx *c, const char *path, weft_profile **out) {
    const weft_err e = path ? profile_path(c, path) : WEFT_OK;
    if (e) return e;
    *out = weft_profile_open(c, &(weft_profile_desc){.no_events = !path});
    if (!*out) return weft_error_code(c);
    weft_profile_measure_peaks(*out); /* without one the column stays empty */
    return WEFT_OK;
}

/* ---- telling ---- */

/* 3 digits and a unit: "1.64 MB", "812 MFLOP". */
static const char *profile_amount(char out[24], double v, const char *unit) {
    static const char prefix[] = " kMGTP";
    int p = 0;
    for (; v >= 999.5 && p + 2 < (int)sizeof prefix; p++) v /= 1000;
    const int decimals = v >= 99.95 || (p == 0 && v == floor(v)) ? 0 : v >= 9.995 ? 1 : 2;
    if (p) snprintf(out, 24, "%.*f %c%s", decimals, v, prefix[p], unit);
    else snprintf(out, 24, "%.*f %s", decimals, v, unit);
    return out;
}

static int profile_width(int least, int most, const char *text, int so_far) {
    const int n = (int)strlen(text), width = n > so_far ? n : so_far;
    return width < least ? least : width > most ? most : width;
}

/* A text in a column; where it does not fit its end is cut off, and ~ says so. */
static void profile_cell(FILE *to, int width, const char *text) {
    const int n = (int)strlen(text);
    tell_text(to, text, n > width ? 1 - width : width);
    fputs(n > width ? "~  " : "  ", to);
}

static void profile_table(FILE *to, weft_profile *p, int plan, weft_profile_way way) {
    weft_profile_rows rows;
    if (weft_profile_by(p, plan, way, &rows)) {
        fprintf(to, "\nno table: out of memory\n");
        return;
    }
    const bool kernels = way == WEFT_BY_KERNEL;
    const size_t most = kernels ? SHOWN_KERNELS : SHOWN_SCOPES;
    int name = 6, scope = 5, shape = 5;
    for (size_t i = 0; i < rows.n && i < most; i++) {
        name = profile_width(6, 28, rows.at[i].name, name);
        scope = profile_width(5, 24, rows.at[i].scope, scope);
        shape = profile_width(5, 30, rows.at[i].shape, shape);
    }
    fprintf(to, "\n");
    if (kernels) profile_cell(to, name, "kernel");
    profile_cell(to, scope, "scope");
    if (kernels) profile_cell(to, shape, "shape");
    fprintf(to, "%9s %11s %6s %8s %7s %6s\n", "calls", "us a call", "share", "GFLOP/s", "GB/s",
            "roof");
    for (size_t i = 0; i < rows.n && i < most; i++) {
        const weft_profile_row *const r = &rows.at[i];
        if (kernels) profile_cell(to, name, r->name);
        profile_cell(to, scope, *r->scope ? r->scope : "-");
        if (kernels) profile_cell(to, shape, r->shape);
        fprintf(to, "%9lld %11.2f %5.1f%% %8.2f %7.2f ", (long long)r->calls,
                r->us / (double)r->calls, 100 * r->share, r->gflops, r->gbs);
        if (isnan(r->of_roof)) fprintf(to, "%6s\n", "-");
        else fprintf(to, "%5.0f%%\n", 100 * r->of_roof);
    }
    if (rows.n > most) fprintf(to, "and %zu more\n", rows.n - most);
}

static void profile_arena(FILE *to, const weft_profile_plan *f) {
    const size_t steps = f->stats.kernels, each = (steps + SHOWN_STEPS - 1) / SHOWN_STEPS;
    char text[24];
    if (!f->peak_bytes) return;
    fprintf(to, "\narena: %s", profile_amount(text, (double)f->stats.arena_bytes, "B"));
    fprintf(to, ", %s of it in use at step %zu\n", profile_amount(text, (double)f->peak_bytes, "B"),
            f->peak_step);
    for (size_t i = 0; i < steps; i += each) {
        size_t most = 0;
        for (size_t k = i; k < i + each && k < steps; k++)
            most = f->live[k] > most ? f->live[k] : most;
        const int bar = (int)((double)most / (double)f->peak_bytes * SHOWN_BAR + 0.5);
        fprintf(to, "%6zu %10s  %.*s\n", i, profile_amount(text, (double)most, "B"), bar,
                "########################################");
    }
    fprintf(to, "at step %zu:\n", f->peak_step);
    for (size_t i = 0; i < f->tensor_count && i < SHOWN_TENSORS; i++) {
        const weft_profile_tensor *const x = &f->tensors[i];
        tell(to, "%17s  %s%s%s %s\n", profile_amount(text, (double)x->bytes, "B"), x->scope,
             *x->scope ? ": " : "", x->name, x->shape);
    }
    if (f->tensor_count > SHOWN_TENSORS)
        fprintf(to, "%17s  and %zu smaller\n", "", f->tensor_count - SHOWN_TENSORS);
}

static void profile_plan_print(FILE *to, weft_profile *p, int plan, const weft_profile_plan *f) {
    char flops[24], bytes[24];
    const double runs = (double)f->timed;
    tell(to, "\n%s: %lld runs of %.1f us on %d thread%s, %u kernels, %s, %s each", f->name,
         (long long)f->timed, f->us / runs, f->threads, f->threads == 1 ? "" : "s",
         f->stats.kernels, profile_amount(flops, f->stats.flops, "FLOP"),
         profile_amount(bytes, f->stats.bytes, "B"));
    if (f->thread_us > 0)
        fprintf(to, "; %.1f %% of the time in kernels, %.1f %% waiting",
                100 * f->busy_us / f->thread_us, 100 * f->wait_us / f->thread_us);
    fprintf(to, "\n");
    if (!f->stats.kernels) return;
    profile_table(to, p, plan, WEFT_BY_KERNEL);
    profile_table(to, p, plan, WEFT_BY_SCOPE);
    profile_arena(to, f);
}

void profile_print(FILE *to, weft_profile *p) {
    const weft_profile_facts facts = weft_profile_facts_of(p);
    weft_profile_plan f;
    double all = 0;
    char bytes[24];
    for (size_t i = 0; weft_profile_plan_at(p, i, &f); i++) all += f.us;
    for (size_t i = 0; weft_profile_plan_at(p, i, &f); i++)
        if (f.timed && f.us >= 0.01 * all) profile_plan_print(to, p, (int)i, &f);
    fprintf(to, "\n%.1f s of %.1f s in plans", 1e-6 * all, facts.seconds);
    if (facts.peak_gflops > 0)
        fprintf(to, "; peak of a core: %.1f GFLOP/s, %.1f GB/s from memory", facts.peak_gflops,
                facts.peak_gbs);
    fprintf(to, "\n%llu allocations of %s, %llu of them in runs\n",
            (unsigned long long)facts.allocations,
            profile_amount(bytes, (double)facts.allocated, "B"),
            (unsigned long long)facts.run_allocations);
}
