/* play.c - weft play cube: a scrambled cube, the turns a search finds with the network of a
 * run, and how few would have done.
 *
 * The search asks the network about a layer of states at a time. The table of distances is made
 * when the answer is there, to compare with. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "cli/play.h"
#include "apps/tasks.h"
#include "show.h"
#include <weft/bench.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PLAY_TURNS = 1000, /* of a scramble */
    PLAY_TEXT = 3 * PLAY_TURNS + 2,
    PLAY_WIDTH = 64,
    PLAY_ROWS = 1024
};

typedef struct play_cube_settings {
    play_settings common;
    const char *scramble, *state;
    int width;
} play_cube_settings;

typedef struct play_cube {
    run run;
    run_settings how;
    cube_net net;
    cube_view view;
    uint32_t start;
    int32_t scramble[PLAY_TURNS]; /* from the solved cube to the start, if given */
    int scramble_count;
    int32_t way[CUBE_LIMIT];
    int count;    /* of turns that solve it; -1: none were found */
    int shortest; /* how many there have to be */
    double seconds;
} play_cube;

/* ---- the run ---- */

static weft_err play_cube_open(play_cube *p, const call *c, int width, int threads) {
    const int rows = width < PLAY_ROWS ? width : PLAY_ROWS; /* that are asked about at once */
    bool found = false;
    weft_err e = run_open(&p->run, c, &p->how);
    if (!e) e = play_find(&p->run, c, "train cube", &found);
    if (!e && !found)
        e = weft_fail(p->run.ctx, WEFT_FILE,
                      "no run of the cube under runs/; weft train cube creates one");
    if (!e) e = run_read(&p->run, cube_net_read, &p->net);
    if (!e) e = run_limit(&p->run);
    if (!e) e = cube_view_make(&p->view, p->run.state, &p->net, rows, threads);
    return e ? e : run_weights(&p->run);
}

/* ---- the cube ---- */

/* What the options say, which is looked at before anything else. */
static weft_err play_cube_start(play_cube *p, const play_cube_settings *s) {
    if (s->state) return weft_cube_read(NULL, s->state, &p->start);
    if (s->scramble) {
        const weft_err e = weft_cube_read_actions(NULL, s->scramble, WEFT_CUBE_ACTIONS, p->scramble,
                                                  PLAY_TURNS, &p->scramble_count);
        for (int i = 0; i < p->scramble_count && !e; i++)
            p->start = weft_cube_turn(p->start, p->scramble[i]);
        return e;
    }
    weft_rng r;
    weft_rng_seed(&r, (uint64_t)s->common.seed, 2);
    p->start = weft_rng_below(&r, WEFT_CUBE_STATES);
    return WEFT_OK;
}

static weft_err play_cube_solve(play_cube *p, int width) {
    weft_ctx *const c = p->run.ctx;
    weft_beam *b = weft_beam_new(
        c, weft_cube_puzzle(),
        &(weft_beam_desc){
            .width = width, .steps = CUBE_LIMIT, .policy = cube_view_scores, .user = &p->view});
    if (!b) return weft_error_code(c);
    const double start = weft_clock();
    const weft_err e = weft_beam_solve(b, &p->start, p->way, &p->count);
    p->seconds = weft_clock() - start;
    weft_beam_free(b);
    uint32_t cube = p->start;
    for (int i = 0; i < p->count && !e; i++) cube = weft_cube_turn(cube, p->way[i]);
    if (!e && p->count >= 0 && cube)
        return weft_fail(c, WEFT_STATE, "the solution of the search does not solve the cube");
    return e;
}

static weft_err play_cube_measure(play_cube *p) {
    uint8_t *distance = malloc(WEFT_CUBE_STATES);
    if (!distance) return weft_fail(p->run.ctx, WEFT_MEMORY, "out of memory");
    weft_cube_distances(distance);
    p->shortest = distance[p->start];
    free(distance);
    return WEFT_OK;
}

/* ---- telling ---- */

/* "R U' F", as --scramble takes it. */
static const char *play_cube_turns(const int32_t *turn, int n, char *text, size_t bytes) {
    size_t at = 0;
    *text = 0;
    for (int i = 0; i < n && at + 4 < bytes; i++)
        at += (size_t)snprintf(text + at, bytes - at, "%s%s", i ? " " : "",
                               weft_cube_action_name(turn[i]));
    return text;
}

static void play_cube_json(const play_cube *p, int width) {
    char letters[25] = "", turns[PLAY_TEXT];
    uint8_t colour[24];
    weft_cube_stickers(p->start, colour);
    for (int i = 0; i < 24; i++) letters[i] = "UDFBLR"[colour[i]];
    play_cube_turns(p->way, p->count, turns, sizeof turns);
    json j = json_begin(stdout);
    json_integer(&j, "schema", RUN_SCHEMA);
    json_text(&j, "run", p->run.folder);
    json_text(&j, "state", letters);
    json_integer(&j, "width", width);
    json_bool(&j, "solved", p->count >= 0);
    json_text(&j, "turns", p->count < 0 ? NULL : turns);
    json_integer(&j, "moves", p->count);
    json_integer(&j, "shortest", p->shortest);
    json_number(&j, "seconds", p->seconds);
    json_end(&j);
}

/* On a terminal one cube that turns; elsewhere the solved one. */
static void play_cube_film(const play_cube *p, const terminal *out, double delay) {
    uint32_t cube = p->start;
    for (int i = 0; i < p->count; i++) {
        cube = weft_cube_turn(cube, p->way[i]);
        if (!out->live && i + 1 < p->count) continue;
        if (out->live && i) fprintf(out->to, "\033[%dA", CUBE_LINES + 1);
        if (out->live) {
            fprintf(out->to, "\r\033[K%3d of %d: %s%s%s\n", i + 1, p->count,
                    terminal_code(out, TERMINAL_BOLD), weft_cube_action_name(p->way[i]),
                    terminal_code(out, TERMINAL_PLAIN));
        }
        cube_print(out, cube);
        fflush(out->to);
        if (out->live && i + 1 < p->count) play_wait(delay);
    }
}

static void play_cube_tell(const play_cube *p, const play_cube_settings *s, int width) {
    const terminal out = terminal_of(stdout, (terminal_when)s->common.color);
    const double delay = s->common.delay;
    char turns[PLAY_TEXT];
    if (p->scramble_count)
        tell(stdout, "Scrambled by %s\n",
             play_cube_turns(p->scramble, p->scramble_count, turns, sizeof turns));
    cube_print(&out, p->start);
    if (p->count < 0) {
        printf("\nNo solution found with beam width %d; an optimal one has %d turns. Try a larger "
               "width: "
               "--width %d\n",
               width, p->shortest, 4 * width);
        return;
    }
    if (!p->count) {
        printf("\nIt is solved.\n");
        return;
    }
    printf("\nSolved by %s%s%s\n\n", terminal_code(&out, TERMINAL_BOLD),
           play_cube_turns(p->way, p->count, turns, sizeof turns),
           terminal_code(&out, TERMINAL_PLAIN));
    play_cube_film(p, &out, delay);
    printf("\n%d turn%s, found in %.0f ms; ", p->count, p->count == 1 ? "" : "s",
           1000 * p->seconds);
    if (p->count == p->shortest) puts("this is optimal.");
    else printf("an optimal solution has %d.\n", p->shortest);
}

static int play_cube_main(const call *c) {
    const play_cube_settings *const s = c->settings;
    const int width = s->width ? s->width : PLAY_WIDTH;
    play_cube_settings filled = *s;
    if (!options_given(c->options, "delay")) filled.common.delay = 0.3;
    if (s->scramble && s->state) {
        tell(stderr, "weft %s: --scramble and --state exclude each other\n", c->name);
        return EXIT_USAGE;
    }
    play_cube p = {.how = {.threads = s->common.threads}};
    if (play_cube_start(&p, s)) {
        tell(stderr, "weft %s: --%s: %s\n", c->name, s->state ? "state" : "scramble",
             weft_error(NULL));
        return EXIT_USAGE;
    }
    weft_err e = play_cube_open(&p, c, width, s->common.threads);
    if (!e) e = play_cube_solve(&p, width);
    if (!e) e = play_cube_measure(&p);
    int status = EXIT_GOOD;
    if (e) status = command_failed(c, p.run.ctx);
    else if (s->common.json) play_cube_json(&p, width);
    else play_cube_tell(&p, &filled, width);
    if (!e && p.count < 0) status = EXIT_FAILED;
    cube_view_free(&p.view);
    run_close(&p.run);
    return status;
}

/* clang-format off */
static const option play_cube_options[] = {
    { .name = "scramble", .kind = OPTION_TEXT, .value = "TURNS",
      .help = "turns from the solved cube, \"R U' F2\" (a random cube)",
      .offset = offsetof(play_cube_settings, scramble) },
    { .name = "state", .kind = OPTION_TEXT, .value = "LETTERS",
      .help = "24 stickers: faces U D F B L R, each row by row",
      .offset = offsetof(play_cube_settings, state) },
    { .name = "width", .kind = OPTION_COUNT, .value = "N", .low = 1, .high = 1 << 16,
      .help = "beam width of the search (64); 1 is greedy",
      .offset = offsetof(play_cube_settings, width) },
};
/* clang-format on */

const command play_cube_task = {
    .name = "cube",
    .summary = "solve a scrambled 2x2x2 cube",
    .operands = "[RUN]",
    .about = "Shows a scrambled cube, unfolded, and solves it by beam search with the network of\n"
             "RUN, by default the newest run of weft train cube. Prints the number of turns, and\n"
             "that of an optimal solution.\n",
    .examples = "weft play cube\n"
                "weft play cube runs/cube --scramble \"R U' F2\" --width 1024\n",
    COMMAND_OPTIONS(play_cube_options),
    .settings_size = sizeof(play_cube_settings),
    .run = play_cube_main,
};
