/* status.c - status.json: the status of a run, for monitors.
 *
 * Written when training begins and when it ends, whole each time; between the two the rows of
 * metrics.jsonl show its progress. Its fields are the members of weft_run_status. How much memory
 * the process takes is known here too, for those rows. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "base/text.h"
#include "base/utf8.h"
#include "folder.h"
#include "slip.h"
#include "train_parts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#define STATUS_TEXTS(X)   X(state) X(text) X(host)
#define STATUS_COUNTS(X)  X(process) X(steps) X(resumed_at) X(log_every) X(batch) \
                          X(state_bytes) X(arena_bytes)
#define STATUS_NUMBERS(X) X(seconds) X(began) X(ended)
/* clang-format on */

/* ---- reading ---- */

weft_err weft_run_status_read(weft_ctx *c, const char *run, weft_run_status *out) {
    slip s;
    if (!c || !run || !out)
        return weft_fail(c, WEFT_ARGUMENT, "weft_run_status_read: an argument is NULL");
    memset(out, 0, sizeof *out);
    WEFT_TRY(slip_open(&s, c, run, STATUS_NAME));
#define X(field) slip_text(s.all, #field, out->field, sizeof out->field);
    STATUS_TEXTS(X)
#undef X
#define X(field) out->field = slip_count(s.all, #field);
    STATUS_COUNTS(X)
#undef X
#define X(field) out->field = fmax(0, slip_number(s.all, #field)); /* fmax drops a nan */
    STATUS_NUMBERS(X)
#undef X
    slip_close(&s);
    return WEFT_OK;
}

/* ---- writing ---- */

static weft_err status_write(train *t) {
    const weft_run_status *const s = &t->status;
    char path[FOLDER_PATH] = "";
    text d = {.m = mem_of(t->c)};
    WEFT_TRY(folder_path(t->c, path, t->d->run, STATUS_NAME));
    text_put(&d, "{\"schema\": 1");
#define X(field) text_put(&d, ", \"" #field "\": "), text_quote(&d, s->field);
    STATUS_TEXTS(X)
#undef X
#define X(field) text_add(&d, ", \"" #field "\": %" PRId64, s->field);
    STATUS_COUNTS(X)
#undef X
#define X(field) text_put(&d, ", \"" #field "\": "), text_fixed(&d, s->field, 3);
    STATUS_NUMBERS(X)
#undef X
    text_put(&d, "}\n");
    const weft_err e = d.failed ? weft_fail(t->c, WEFT_MEMORY, "%s: out of memory", path)
                                : weft_file_write_beneath(t->c, t->d->run, STATUS_NAME, d.s, d.n);
    text_free(&d);
    return e;
}

static void status_measure(train *t) {
    t->status.state_bytes = 0;
    for (size_t i = 0; i < weft_state_count(t->s); i++) {
        weft_entry entry;
        if (weft_state_entry(t->s, i, &entry) == WEFT_OK)
            t->status.state_bytes += (int64_t)entry.bytes;
    }
    t->status.arena_bytes = (int64_t)weft_plan_stats(t->plan).arena_bytes;
}

weft_err train_status_start(train *t) {
    weft_run_status *const s = &t->status;
    if (!t->d->run) return WEFT_OK;
    t->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    strcpy(s->state, "running");
    char host[sizeof s->host] = "";
    if (gethostname(host, sizeof host - 1) == 0) utf8_fit(s->host, sizeof s->host, host);
    s->process = getpid();
    s->steps = t->d->steps;
    s->seconds = t->d->seconds;
    s->resumed_at = t->step;
    s->log_every = t->log_every;
    s->batch = t->d->loader ? weft_loader_rows(t->d->loader, 0) : 0;
    s->began = weft_wall();
    status_measure(t);
    return status_write(t);
}

weft_err train_status_end(train *t, weft_err e) {
    static const char *const states[] = {[WEFT_END_STEPS] = "finished",
                                         [WEFT_END_SECONDS] = "finished",
                                         [WEFT_END_EARLY] = "finished",
                                         [WEFT_END_INTERRUPTED] = "interrupted",
                                         [WEFT_END_DIVERGED] = "diverged"};
    weft_run_status *const s = &t->status;
    if (t->statm >= 0) close(t->statm);
    t->statm = -1;
    if (!*s->state) return e; /* it had not begun */
    const bool failed = e != WEFT_OK && e != WEFT_DIVERGED;
    const bool stopped =
        !failed && t->r->ending == WEFT_END_INTERRUPTED && t->d->stop && *t->d->stop;
    strcpy(s->state, failed ? "failed" : stopped ? "stopped" : states[t->r->ending]);
    utf8_fit(s->text, sizeof s->text, failed ? weft_error(t->c) : t->r->text);
    s->ended = weft_wall();
    status_measure(t);
    if (e == WEFT_OK) return status_write(t);
    /* The first error is the one to tell. */
    char message[1024];
    snprintf(message, sizeof message, "%s", weft_error(t->c));
    if (status_write(t) != WEFT_OK) weft_fail(t->c, e, "%s", message);
    return e;
}

/* ---- memory ---- */

double train_resident(const train *t) {
    char text[128];
    const ssize_t n = t->statm >= 0 ? pread(t->statm, text, sizeof text - 1, 0) : -1;
    long long all, resident;
    if (n <= 0) return NAN;
    text[n] = 0;
    if (sscanf(text, "%lld %lld", &all, &resident) != 2) return NAN;
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}
