/* play.c - weft play life and its kin: a learned automaton is watched.
 *
 * On a terminal the board is drawn over itself and keys are obeyed; elsewhere the last board is
 * printed. What moves the cells, and whether they are right, is player.c's. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "cli/play.h"
#include "apps/tasks.h"
#include "cells.h"
#include "cli/keys.h"
#include "pattern.h"
#include "player.h"
#include <weft/bench.h>

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    WATCH_WORDS = 2,  /* lines: how far it is, and the keys */
    WATCH_STEPS = 100 /* of Life, without a terminal to end it */
};
static const double watch_delay = 0.05, watch_frame = 1.0 / 30;

typedef struct watch_settings {
    play_settings common;
    const char *pattern, *size;
    int64_t steps;
} watch_settings;

typedef struct watch {
    const watch_settings *set;
    player player;
    terminal out;
    double delay;
    bool paused;
    double rate, rate_since; /* generations a second; since when the next ones are counted */
    int64_t rate_from;
    int drawn_lines; /* to be drawn over */
    int drawn_width, drawn_height;
} watch;

/* ---- drawing ---- */

static void watch_words(const watch *w, FILE *to, const terminal *t, const cells_view *v) {
    char line[200], result[80], pace[40] = "paused", part[60] = "";
    if (!w->paused) snprintf(pace, sizeof pace, "%.3g a second", w->rate);
    if (v->width < w->player.width || v->height < w->player.height)
        snprintf(part, sizeof part, ", %d x %d cells shown", v->width, v->height);
    const int n = snprintf(line, sizeof line, "Generation %lld, %lld alive, %s, %s%s",
                           (long long)w->player.generation, (long long)w->player.population, pace,
                           player_result(&w->player, result, sizeof result), part);
    if (n > t->width && t->width < (int)sizeof line) line[t->width] = 0;
    fprintf(to, "\r\x1b[K%s%s%s\n", terminal_code(t, TERMINAL_BOLD), line,
            terminal_code(t, TERMINAL_PLAIN));
}

static bool watch_resized(const watch *w) {
    const terminal t = terminal_of(w->out.to, (terminal_when)w->set->common.color);
    return w->drawn_width != t.width || w->drawn_height != t.height;
}

/* One write a frame, over the one before; the cursor stays below. */
static void watch_draw(watch *w, bool keys) {
    const terminal t = terminal_of(w->out.to, (terminal_when)w->set->common.color);
    cells_view v = cells_view_of(&t, WATCH_WORDS, w->player.width, w->player.height);
    v.painted = w->player.task->shown > 1;
    static const char help[] = "Space pauses, s steps, + and - change the speed, q quits.";
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (!to) return;
    if (w->drawn_lines && (w->drawn_width != t.width || w->drawn_height != t.height))
        fputs("\x1b[2J\x1b[H", to); /* the terminal has moved the lines about */
    else if (w->drawn_lines) fprintf(to, "\x1b[%dA", w->drawn_lines);
    watch_words(w, to, &t, &v);
    cells_draw(to, &t, &v, w->player.width, w->player.shown);
    fprintf(to, "\x1b[K%s%.*s%s\n", terminal_code(&t, TERMINAL_DIM), t.width, keys ? help : "",
            terminal_code(&t, TERMINAL_PLAIN));
    w->drawn_lines = cells_lines(&v) + WATCH_WORDS;
    w->drawn_width = t.width, w->drawn_height = t.height;
    if (fclose(to) == 0) fwrite(text, 1, bytes, w->out.to);
    fflush(w->out.to);
    free(text);
}

/* ---- time and keys ---- */

static void watch_clock(watch *w, double now) {
    const double span = now - w->rate_since;
    if (span < 0.5) return;
    w->rate = (double)(w->player.generation - w->rate_from) / span;
    w->rate_from = w->player.generation;
    w->rate_since = now;
}

/* false: it is to end. */
static bool watch_key(watch *w, int key, bool *step) {
    switch (key) {
    case ' ':
    case 'p': w->paused = !w->paused; break;
    case 's':
    case KEYS_RIGHT:
        w->paused = true;
        *step = true;
        break;
    case '+':
    case '=': w->delay = w->delay < 0.01 ? 0 : w->delay / 2; break;
    case '-': w->delay = w->delay < 0.005 ? 0.005 : fmin(2 * w->delay, 5); break;
    case KEYS_STOP:
        fputs("\x1b[?25h", w->out.to);
        fflush(w->out.to);
        keys_stop();
        fputs("\x1b[?25l", w->out.to);
        w->drawn_lines = 0; /* others have written meanwhile */
        break;
    case 'q':
    case 'Q':
    case KEYS_END: return false;
    default: break;
    }
    return true;
}

/* Until the steps are done or q is pressed. */
static weft_err watch_live(watch *w, int64_t steps, bool keys) {
    double due = weft_clock() + w->delay, drawn = 0;
    bool stale = false;
    weft_err e = WEFT_OK;
    w->rate_since = weft_clock();
    watch_draw(w, keys);
    for (bool step = false; !e && (!steps || w->player.generation < steps); step = false) {
        const double left = w->paused ? 0.1 : fmin(fmax(due - weft_clock(), 0), 0.1);
        const int key = keys ? keys_within(left) : KEYS_NONE;
        if (!keys) play_wait(left);
        if (!watch_key(w, key, &step)) break;
        const double now = weft_clock();
        if (!w->paused && now >= due) {
            step = true;
            due = fmax(due + w->delay, now);
        }
        if (step) e = player_step(&w->player);
        if (step && keys && !player_follows(&w->player) &&
            w->player.generation == w->player.task->steps)
            w->paused = true; /* this is what it has learned; some do not stay there */
        watch_clock(w, now);
        stale |= step || key != KEYS_NONE || watch_resized(w);
        if (stale && (now - drawn >= watch_frame || key != KEYS_NONE)) {
            watch_draw(w, keys);
            drawn = now;
            stale = false;
        }
    }
    return e;
}

/* ---- telling ---- */

static weft_err watch_json(const watch *w, double seconds) {
    char *const rle = life_pattern_rle(w->player.height, w->player.width, w->player.shown);
    if (!rle) return weft_fail(w->player.run.ctx, WEFT_MEMORY, "out of memory");
    json j = json_begin(w->out.to);
    json_integer(&j, "schema", RUN_SCHEMA);
    json_text(&j, "run", w->player.run.folder);
    json_text(&j, "task", w->player.task->name);
    json_integer(&j, "gates", weft_circuit_gates(w->player.gates));
    json_integer(&j, "seed", w->set->common.seed);
    json_integer(&j, "width", w->player.width);
    json_integer(&j, "height", w->player.height);
    json_integer(&j, "generation", w->player.generation);
    json_integer(&j, "population", w->player.population);
    json_bool(&j, "exact", w->player.wrong == 0);
    json_integer(&j, "wrong", w->player.wrong);
    json_number(&j, "seconds", seconds);
    json_text(&j, "board", rle);
    json_end(&j);
    free(rle);
    return WEFT_OK;
}

static void watch_tell(watch *w, bool live, bool keys) {
    char result[80];
    if (live) watch_draw(w, keys);
    for (int y = 0; y < w->player.height && !live; y++) {
        for (int x = 0; x < w->player.width; x++)
            putc(w->player.shown[(size_t)y * (size_t)w->player.width + (size_t)x] ? 'O' : '.',
                 w->out.to);
        putc('\n', w->out.to);
    }
    fprintf(w->out.to, "Generation %lld on %d x %d cells: %lld alive, %s.\n",
            (long long)w->player.generation, w->player.width, w->player.height,
            (long long)w->player.population, player_result(&w->player, result, sizeof result));
}

/* ---- the command ---- */

static weft_err watch_go(watch *w, bool live, bool keys, double *seconds) {
    const int64_t enough = player_follows(&w->player) ? WATCH_STEPS : w->player.task->steps;
    const int64_t steps = w->set->steps ? w->set->steps : keys ? 0 : enough;
    const double start = weft_clock();
    weft_err e = WEFT_OK;
    /* The cursor is hidden only while nothing can end the program without its being shown again. */
    if (keys) fputs("\x1b[?25l", w->out.to);
    if (live) e = watch_live(w, steps, keys);
    while (!live && !e && w->player.generation < steps) e = player_step(&w->player);
    if (keys) fputs("\x1b[?25h", w->out.to);
    *seconds = weft_clock() - start;
    return e;
}

/* "80x40"; false: it is not such a thing. */
static bool watch_size(const char *text, int *width, int *height) {
    int end = 0;
    char after;
    if (sscanf(text, "%5d%*1[xX]%5d%n%c", width, height, &end, &after) != 2 || !end) return false;
    return *width > 0 && *height > 0 && *width <= LIFE_SIDE && *height <= LIFE_SIDE &&
           (int64_t)*width * *height <= LIFE_CELLS;
}

static int watch_main(const call *c) {
    const watch_settings *const s = c->settings;
    watch w = {.set = s,
               .out = terminal_of(stdout, (terminal_when)s->common.color),
               .delay = options_given(c->options, "delay") ? s->common.delay : watch_delay};
    const player *const p = &w.player;
    player_start start = {
        .pattern = s->pattern, .fit_width = 64, .fit_height = 48, .seed = s->common.seed};
    const bool live = w.out.live && !s->common.json;
    double seconds = 0;
    if (s->size && !watch_size(s->size, &start.width, &start.height)) {
        tell(stderr, "weft %s: --size %s: expected WIDTHxHEIGHT, like 80x40, each at most %d\n",
             c->name, s->size, LIFE_SIDE);
        return EXIT_USAGE;
    }
    if (live) cells_fit(&w.out, WATCH_WORDS, &start.fit_width, &start.fit_height);
    weft_err e = player_open(&w.player, c, s->common.threads);
    if (!e) e = player_begin(&w.player, &start);
    const bool keys = !e && live && keys_open();
    if (!e) e = watch_go(&w, live, keys, &seconds);
    const bool broken = keys && keys_interrupted();
    if (keys) keys_close();
    if (!e && s->common.json) e = watch_json(&w, seconds);
    else if (!e) watch_tell(&w, live, keys);
    int status = EXIT_GOOD;
    if (e) status = command_failed(c, p->run.ctx);
    else if (broken) status = EXIT_INTERRUPTED;
    else if (p->wrong && (player_follows(p) || p->generation >= p->task->steps))
        status = EXIT_FAILED;
    player_close(&w.player);
    return status;
}

/* clang-format off */
#define WATCH_ROWS(size_help)                                                                     \
    { .name = "size", .kind = OPTION_TEXT, .value = "WxH", .help = size_help,                      \
      .offset = offsetof(watch_settings, size) },                                                 \
    { .name = "steps", .kind = OPTION_LONG, .value = "N", .low = 1,                                \
      .help = "stop after N generations",                                                           \
      .offset = offsetof(watch_settings, steps) }
#define WATCH_WORD(name, rows) name "|"
static const option play_life_options[] = {
    { .name = "pattern", .kind = OPTION_FILE, .value = LIFE_PATTERNS(WATCH_WORD) "FILE",
      .help = "initial pattern; FILE is plain text or RLE (random)",
      .offset = offsetof(watch_settings, pattern) },
    WATCH_ROWS("size of the board in cells (that of the terminal, or 64x48)"),
};
static const option play_other_options[] = {
    WATCH_ROWS("size of the board in cells (as in training)"),
};
/* clang-format on */

const command play_life_task = {
    .name = "life",
    .summary = "watch the Game of Life run on a learned circuit",
    .operands = "[RUN]",
    .about =
        "Runs the Game of Life, with wraparound, by the circuit of RUN, by default the newest run\n"
        "of weft train life, and compares every generation with the rule itself. On a terminal it\n"
        "runs until q is pressed: space pauses, s makes one step, + and - change the speed;\n"
        "otherwise the board after --steps (100) generations is printed.\n",
    .examples = "weft play life\n"
                "weft play life --pattern gun --size 80x40\n"
                "weft play life runs/life --pattern acorn.rle --steps 1000 --json\n",
    COMMAND_OPTIONS(play_life_options),
    .settings_size = sizeof(watch_settings),
    .run = watch_main,
};
/* Tasks that make something out of a start of their own. */
/* clang-format off */
#define WATCH_TASK(task, word, what)                                                              \
    const command task = {                                                                         \
        .name = word,                                                                              \
        .summary = what,                                                                           \
        .operands = "[RUN]",                                                                       \
        .about = "Runs the circuit of RUN, by default the newest run of weft train " word ",\n"    \
                 "and shows how many cells are still wrong. On a terminal it pauses after the\n"   \
                 "number of steps used in training; keys are those of weft play life. Otherwise\n" \
                 "the board after --steps, or that number, is printed.\n",                         \
        .examples = "weft play " word "\n"                                                         \
                    "weft play " word " runs/" word " --json\n",                                   \
        COMMAND_OPTIONS(play_other_options),                                                       \
        .settings_size = sizeof(watch_settings),                                                  \
        .run = watch_main,                                                                        \
    }
/* clang-format on */
WATCH_TASK(play_checkerboard_task, "checkerboard",
           "watch a learned circuit grow a checkerboard from noise");
WATCH_TASK(play_lizard_task, "lizard", "watch a learned circuit grow a lizard from one cell");
WATCH_TASK(play_g_task, "g", "watch a learned circuit paint a coloured letter");
