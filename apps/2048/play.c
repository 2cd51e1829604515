/* play.c - weft play 2048: a game by the agent of a run, or by a person who may ask it.
 *
 * On a terminal the board is drawn over itself; elsewhere the end of the game is told. --games
 * tells only results. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "cli/play.h"
#include "apps/tasks.h"
#include "cli/keys.h"
#include "show.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct play_2048_settings {
    play_settings common;
    const char *board;
    int64_t games;
    bool human;
} play_2048_settings;

typedef struct play_2048 {
    const play_2048_settings *set;
    run run;
    run_settings how;
    void *options; /* those of the run */
    const algo_2048 *algo;
    void *agent; /* NULL: no hints */
    terminal out;
    bool drawn; /* is there a board to be drawn over? */
    game_2048 game;
    char *actions; /* the moves as letters UDLR, ended by 0; grows */
    size_t room;
} play_2048;

static const double play_delay = 0.1;

/* ---- the run ---- */

static weft_err play_fitted(const play_2048 *p, weft_err e) {
    weft_ctx *const c = p->run.ctx;
    if (!e || e == WEFT_MEMORY) return e;
    char why[300];
    snprintf(why, sizeof why, "%.299s", weft_error(c));
    return weft_fail(c, WEFT_UNSUPPORTED, "%s is not a checkpoint of this network (%s): %s",
                     p->run.weights, p->algo->name, why);
}

/* The agent of the run that was named, or of the newest. None if there is no run: *found. */
static weft_err play_open(play_2048 *p, const call *c, bool *found) {
    const options all = command_options(&train_command, &train_2048_task);
    weft_ctx *const x = p->run.ctx;
    weft_err e = play_find(&p->run, c, "train 2048", found);
    if (e || !*found) return e;
    if (!(p->options = calloc(1, train_2048_task.settings_size)))
        return weft_fail(x, WEFT_MEMORY, "out of memory");
    e = run_remember(&p->run, &all, p->options);
    if (!e) e = run_limit(&p->run);
    if (e) return e;
    agent_2048_desc d = train_2048_agent(p->options);
    d.threads = p->set->common.threads;
    p->algo = train_2048_algo(p->options);
    p->agent = p->algo->make(p->run.state, &d);
    return play_fitted(p, p->agent ? run_weights(&p->run) : weft_error_code(x));
}

static void play_close(play_2048 *p) {
    if (p->algo) p->algo->free(p->agent);
    run_close(&p->run);
    free(p->options);
    free(p->actions);
}

/* ---- the game ---- */

/* Sixteen numbers with blanks or commas between them, by rows. */
static weft_err play_read_board(weft_ctx *c, const char *text, uint64_t *board) {
    int32_t tile[16];
    int n = 0;
    for (const char *at = text;; n++) {
        at += strspn(at, " ,;\t\n");
        if (!*at) break;
        char *end;
        errno = 0;
        const long v = strtol(at, &end, 10);
        if (end == at || errno || v < 0 || v > INT32_MAX || (*end && !strchr(" ,;\t\n", *end)))
            return weft_fail(c, WEFT_ARGUMENT, "--board: \"%.20s\" is not a tile", at);
        if (n < 16) tile[n] = (int32_t)v;
        at = end;
    }
    if (n != 16)
        return weft_fail(c, WEFT_ARGUMENT, "--board: %d numbers; expected 16, row by row", n);
    return weft_2048_board(c, tile, board);
}

static weft_err play_move(play_2048 *p, int action) {
    static const char letter[WEFT_2048_ACTIONS + 1] = "UDLR";
    const size_t n = (size_t)p->game.moves;
    if (n + 2 > p->room) {
        char *more = realloc(p->actions, 2 * n + 1024);
        if (!more) return weft_fail(p->run.ctx, WEFT_MEMORY, "out of memory");
        p->actions = more;
        p->room = 2 * n + 1024;
    }
    if (!game_2048_move(&p->game, action))
        return weft_fail(p->run.ctx, WEFT_STATE, "move %zu: %s is not legal", n,
                         show_2048_action(action));
    p->actions[n] = letter[action];
    p->actions[n + 1] = 0;
    return WEFT_OK;
}

/* ---- drawing ---- */

enum { PLAY_LINES = SHOW_2048_LINES + 2 };

/* A line about the game, the board, a line of words: over those drawn before, and the cursor stays
 * below, so that whoever ends the program finds it there. */
static void play_draw(play_2048 *p, const char *words) {
    if (p->drawn) fprintf(p->out.to, "\x1b[%dA", (int)PLAY_LINES);
    fprintf(p->out.to, "\r\x1b[KScore %u, move %d\n", p->game.score, (int)p->game.moves);
    show_2048_board(&p->out, p->game.board);
    fputs("\x1b[K", p->out.to);
    tell(p->out.to, "%s\n", words);
    fflush(p->out.to);
    p->drawn = true;
}

static weft_err play_agent(play_2048 *p, const call *c) {
    const double delay = options_given(c->options, "delay") ? p->set->common.delay : play_delay;
    const bool live = p->out.live && !p->set->common.json;
    weft_err e = WEFT_OK;
    while (!e && weft_2048_legal(p->game.board)) {
        int32_t action = -1;
        if (live) {
            play_draw(p, "");
            play_wait(delay);
        }
        e = p->algo->choose(p->agent, 1, &p->game.board, &action);
        if (!e) e = play_move(p, action);
    }
    return e;
}

/* ---- a person ---- */

static int play_key_action(int key) {
    switch (key) {
    case KEYS_UP:
    case 'w':
    case 'W': return WEFT_2048_UP;
    case KEYS_DOWN:
    case 's':
    case 'S': return WEFT_2048_DOWN;
    case KEYS_LEFT:
    case 'a':
    case 'A': return WEFT_2048_LEFT;
    case KEYS_RIGHT:
    case 'd':
    case 'D': return WEFT_2048_RIGHT;
    default: return -1;
    }
}

static weft_err play_hint(play_2048 *p, char *words, size_t bytes) {
    int32_t action = -1;
    if (!p->agent) {
        snprintf(words, bytes, "No run to ask for hints; weft train 2048 creates one.");
        return WEFT_OK;
    }
    const weft_err e = p->algo->choose(p->agent, 1, &p->game.board, &action);
    if (!e) snprintf(words, bytes, "%s would move %s.", p->algo->name, show_2048_action(action));
    return e;
}

/* Until the game is over or the player has enough. */
static weft_err play_person(play_2048 *p) {
    static const char help[] = "Arrows or WASD move, h asks for a hint, q quits.";
    char words[100];
    weft_err e = WEFT_OK;
    snprintf(words, sizeof words, "%s", help);
    while (!e && weft_2048_legal(p->game.board)) {
        play_draw(p, words);
        const int key = keys_next(), action = play_key_action(key);
        snprintf(words, sizeof words, "%s", help);
        if (key == KEYS_END || key == 'q' || key == 'Q') break;
        if (key == KEYS_STOP) {
            keys_stop();
            p->drawn = false; /* others have written meanwhile */
        } else if (key == 'h' || key == 'H') e = play_hint(p, words, sizeof words);
        else if (action >= 0 && weft_2048_legal(p->game.board) >> action & 1)
            e = play_move(p, action);
    }
    return e;
}

/* ---- telling ---- */

static void play_tell(play_2048 *p, bool live) {
    const uint64_t board = p->game.board;
    const uint32_t most = weft_2048_max_tile(board);
    if (p->set->common.json) {
        int32_t tile[16];
        json j = json_begin(p->out.to);
        json_integer(&j, "schema", RUN_SCHEMA);
        json_text(&j, "run", p->agent ? p->run.folder : NULL);
        json_text(&j, "algo", p->agent ? p->algo->name : NULL);
        json_integer(&j, "seed", p->set->common.seed);
        json_integer(&j, "score", p->game.score);
        json_integer(&j, "moves", p->game.moves);
        json_integer(&j, "max_tile", most);
        json_text(&j, "actions", p->actions ? p->actions : "");
        json_open(&j, "board", '[');
        weft_2048_tiles(board, tile);
        for (int i = 0; i < 16; i++) json_integer(&j, NULL, tile[i]);
        json_end(&j);
        return;
    }
    if (live) play_draw(p, "");
    else show_2048_board(&p->out, board);
    tell(p->out.to, "%s after %d moves: %u points, largest tile %u.\n",
         weft_2048_legal(board) ? "Left" : "Over", (int)p->game.moves, p->game.score, most);
}

static weft_err play_many(play_2048 *p) {
    const int games = (int)p->set->games;
    game_2048 *finished = malloc((size_t)games * sizeof *finished);
    results_2048 v = {0};
    if (!finished) return weft_fail(p->run.ctx, WEFT_MEMORY, "out of memory");
    weft_err e =
        game_2048_play(p->run.ctx, p->algo, p->agent, p->set->common.seed, games, finished, NULL);
    if (!e) e = results_2048_of(p->run.ctx, finished, games, &v);
    free(finished);
    if (e) return e;
    if (!p->set->common.json) {
        show_2048_results(&p->out, &v);
        return WEFT_OK;
    }
    json j = json_begin(p->out.to);
    json_integer(&j, "schema", RUN_SCHEMA);
    json_text(&j, "run", p->run.folder);
    json_text(&j, "algo", p->algo->name);
    json_integer(&j, "seed", p->set->common.seed);
    show_2048_json(&j, &v);
    json_end(&j);
    return WEFT_OK;
}

/* ---- the command ---- */

static int play_wrong(const call *c, const char *what) {
    tell(stderr, "weft %s: %s\n", c->name, what);
    return EXIT_USAGE;
}

static int play_one(play_2048 *p, const call *c, bool human) {
    if (human && p->set->common.json)
        return play_wrong(c, "--json cannot be combined with a human player");
    if (human && !(p->out.live && keys_open())) return play_wrong(c, "--human needs a terminal");
    const weft_err e = human ? play_person(p) : play_agent(p, c);
    const bool broken = human && keys_interrupted();
    if (human) keys_close();
    if (e) return command_failed(c, p->run.ctx);
    play_tell(p, human || p->out.live);
    return broken ? EXIT_INTERRUPTED : EXIT_GOOD;
}

static int play_main(const call *c) {
    const play_2048_settings *const s = c->settings;
    play_2048 p = {.set = s, .out = terminal_of(stdout, (terminal_when)s->common.color)};
    bool found = false;
    int status = EXIT_GOOD;
    if (s->games && (s->human || s->board))
        return play_wrong(c, "--games cannot be combined with --human or --board");
    game_2048_begin(&p.game, s->common.seed);
    p.how.threads = s->common.threads;
    weft_err e = run_open(&p.run, c, &p.how);
    if (!e && s->board && play_read_board(p.run.ctx, s->board, &p.game.board)) {
        tell(stderr, "weft %s: %s\n", c->name, weft_error(p.run.ctx));
        play_close(&p);
        return EXIT_USAGE;
    }
    if (!e) e = play_open(&p, c, &found);
    const bool human = s->human || (!found && !s->games && !s->common.json && p.out.live);
    if (!e && !found && !human)
        e = weft_fail(p.run.ctx, WEFT_FILE,
                      "no run of 2048 under runs/; weft train 2048 creates one");
    if (e) status = command_failed(c, p.run.ctx);
    else if (s->games) status = play_many(&p) ? command_failed(c, p.run.ctx) : EXIT_GOOD;
    else status = play_one(&p, c, human);
    play_close(&p);
    return status;
}

/* clang-format off */
#define ROW(member_, name_, kind_, value_, low_, high_, help_)                                     \
    { .name = name_, .kind = kind_, .value = value_, .low = low_, .high = high_, .help = help_,    \
      .offset = offsetof(play_2048_settings, member_) }
static const option play_2048_options[] = {
    ROW(human, "human", OPTION_FLAG, NULL, 0, 0,
        "play yourself: arrow keys or WASD, h for a hint, q to quit"),
    ROW(games, "games", OPTION_LONG, "N", 1, 1000000, "play N games and print only the results"),
    ROW(board, "board", OPTION_TEXT, "TILES", 0, 0,
        "start from these 16 tiles, row by row, 0 for empty (\"0 2 0 ...\")"),
};
#undef ROW
/* clang-format on */

const command play_2048_task = {
    .name = "2048",
    .summary = "watch a game of 2048, or play one",
    .operands = "[RUN]",
    .about =
        "Plays game number --seed with the agent of RUN, by default the newest run of weft\n"
        "train 2048, or lets you play, with hints from the agent. A number is always the same\n"
        "game; games from 0 on are those of the evaluation.\n",
    .examples = "weft play 2048\n"
                "weft play 2048 runs/2048-td --games 100\n"
                "weft play 2048 --human\n",
    COMMAND_OPTIONS(play_2048_options),
    .settings_size = sizeof(play_2048_settings),
    .run = play_main,
};
