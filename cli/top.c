/* top.c - weft top: follows a run of training, which another process makes, in the terminal.
 *
 * A frame is made from what the folder holds and shown when it differs from the one before, at most
 * ten times a second. The terminal is given back as it was, whatever ends the program (keys.h); the
 * view has a screen of its own, so that what was there before is there again. Nothing is written
 * into the run. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "top.h"
#include "command.h"
#include "keys.h"
#include "run.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double top_apart = 0.1; /* seconds between two looks */

typedef struct top_settings {
    bool once, json;
    double stalled;
    int color;
} top_settings;

/* ---- which run ---- */

/* A run is as new as its rows, or as its configuration while there are none. */
static double top_dated(void *user, const char *folder) {
    char rows[500], config[500];
    (void)user;
    snprintf(rows, sizeof rows, "%s/metrics.jsonl", folder);
    snprintf(config, sizeof config, "%s/config.json", folder);
    return fmax(run_file_time(rows), run_file_time(config));
}

/* ---- one frame ---- */

static weft_err top_once(top_run *t, const top_settings *set) {
    weft_err e = top_run_look(t);
    if (!e && !t->there) e = weft_fail(t->ctx, WEFT_FILE, "%s: no such folder", t->folder);
    else if (!e && !t->known)
        e = weft_fail(t->ctx, WEFT_FORMAT,
                      "%s: not a run: it has neither metrics.jsonl nor config.json", t->folder);
    else if (!e && !t->rows && t->skipped)
        e = weft_fail(t->ctx, WEFT_FORMAT, "%s/metrics.jsonl: none of its %lld lines is valid",
                      t->folder, (long long)t->skipped);
    if (e) return e;
    const terminal out = terminal_of(stdout, (terminal_when)set->color);
    const top_facts f = top_facts_of(t, weft_wall(), 0);
    if (set->json) {
        top_json(t, &f, stdout);
        return WEFT_OK;
    }
    screen s;
    if (!screen_make(&s, out.width, out.height, out.utf8))
        return weft_fail(t->ctx, WEFT_MEMORY, "out of memory");
    top_draw(t, &f, &s, false);
    screen_lines(&s, &out);
    screen_free(&s);
    return WEFT_OK;
}

/* ---- many ---- */

typedef struct top_view {
    top_run *run;
    const top_settings *set;
    screen shown; /* as it is on the terminal */
    int which;    /* of the curves beside the loss */
} top_view;

static double top_clock(void) { /* seconds that never go back */
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void top_enter(void) { /* a screen of its own, and no cursor */
    fputs("\x1b[?1049h\x1b[?25l\x1b[2J", stdout);
    fflush(stdout);
}

static void top_leave(void) {
    fputs("\x1b[?25h\x1b[?1049l", stdout);
    fflush(stdout);
}

static weft_err top_show(top_view *v) {
    const terminal out = terminal_of(stdout, (terminal_when)v->set->color);
    const top_facts f = top_facts_of(v->run, weft_wall(), v->which);
    const bool resized = out.width != v->shown.width || out.height != v->shown.height;
    screen s;
    if (!screen_make(&s, out.width, out.height, out.utf8))
        return weft_fail(v->run->ctx, WEFT_MEMORY, "out of memory");
    top_draw(v->run, &f, &s, true);
    if (resized) fputs("\x1b[2J", stdout); /* the terminal has moved the lines about */
    if (resized || !screen_same(&s, &v->shown)) screen_over(&s, &out);
    screen_free(&v->shown);
    v->shown = s;
    return WEFT_OK;
}

static void top_stop(top_view *v) { /* Ctrl-Z */
    top_leave();
    keys_stop();
    top_enter();
    screen_free(&v->shown); /* others have written meanwhile */
}

/* Takes keys until it is time for the next look; false: it is to end. */
static bool top_keys(top_view *v) {
    const double due = top_clock() + top_apart;
    for (double left = top_apart; left > 0; left = due - top_clock()) switch (keys_within(left)) {
        case 'm': v->which++; break;
        case KEYS_STOP: top_stop(v); break;
        case 'q':
        case 'Q':
        case KEYS_END: return false;
        default: break;
        }
    return true;
}

static weft_err top_live(top_run *t, const top_settings *set) {
    top_view v = {.run = t, .set = set};
    weft_err e = WEFT_OK;
    top_enter();
    do {
        e = top_run_look(t);
        if (!e) e = top_show(&v);
    } while (!e && top_keys(&v));
    top_leave();
    screen_free(&v.shown);
    return e;
}

/* ---- the command ---- */

static int top_main(const call *c) {
    const top_settings *const set = c->settings;
    char newest[400] = "";
    if (!c->count && !run_newest(top_dated, NULL, newest, sizeof newest)) {
        tell(stderr, "weft %s: no run under runs/; weft train makes one\n", c->name);
        return EXIT_FAILED;
    }
    weft_ctx *const ctx = weft_open_with(&(weft_open_desc){.device = "null", .threads = 1});
    top_run *const t = ctx ? malloc(sizeof *t) : NULL;
    if (!t) {
        tell(stderr, "weft %s: out of memory\n", c->name);
        weft_close(ctx);
        return EXIT_RESOURCES;
    }
    weft_err e = top_run_open(t, ctx, c->count ? c->words[0] : newest);
    t->stalled_after = set->stalled;
    const bool live = !e && !set->once && !set->json && terminal_of(stdout, TERMINAL_AUTO).live;
    const bool keys = live && keys_open();
    if (!e) e = keys ? top_live(t, set) : top_once(t, set);
    const bool interrupted = keys && keys_interrupted();
    if (keys) keys_close();
    const int status = e ? command_failed(c, ctx) : interrupted ? EXIT_INTERRUPTED : EXIT_GOOD;
    top_run_close(t);
    free(t);
    weft_close(ctx);
    return status;
}

/* clang-format off */
static const option top_options[] = {
    { .name = "once", .kind = OPTION_FLAG, .help = "print one frame and exit",
      .offset = offsetof(top_settings, once) },
    ROW_JSON(top_settings),
    { .name = "stalled", .kind = OPTION_POSITIVE, .value = "SECONDS",
      .help = "time without a new row until a run counts as stalled (30, or 5 times the longest pause)",
      .offset = offsetof(top_settings, stalled) },
    ROW_COLOR(top_settings),
};
static const command_note top_files[] = {
    {"RUN/metrics.jsonl", "the metrics"},
    {"RUN/status.json", "status of the run: limits, process, how it ended"},
    {"RUN/kernels.json", "where the time of a step goes, if the run was profiled"},
    {NULL, NULL},
};
/* clang-format on */

const command top_command = {
    .name = "top",
    .summary = "monitor a training run in the terminal",
    .operands = "[RUN]",
    .about =
        "Follows RUN, by default the newest folder under runs/, while another process trains:\n"
        "curves, speed, remaining time, memory, kernels, outliers, and whether the process is\n"
        "alive. Waits for the folder if it does not exist yet. q quits, m shows another curve.\n"
        "Without a terminal, or with --once, one frame is printed. Does not write to the run.\n",
    .examples = "weft top\n"
                "weft top runs/digits-cnn\n"
                "weft top runs/digits-cnn --once\n"
                "weft top --json | python3 -m json.tool\n",
    .files = top_files,
    COMMAND_OPTIONS(top_options),
    .settings_size = sizeof(top_settings),
    .run = top_main,
};
