/* player.c - finds the circuit of a run, lets it work, and compares; see player.h. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "player.h"
#include "cli/play.h"
#include "pattern.h"
#include "show.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the run ---- */

/* The tasks whose runs can be played: "train NAME", or NAME-async with that option. */
static const automata_task *const player_tasks[] = {&automata_life,
                                                    &automata_checkerboard,
                                                    &automata_checkerboard_async,
                                                    &automata_lizard,
                                                    &automata_g,
                                                    NULL};

static weft_err player_read_task(void *user, weft_ctx *c, weft_json config, const char *path) {
    player *const p = user;
    char command[64] = "", name[80], async[8] = "";
    weft_json_text(weft_json_get(config, "command"), command, sizeof command);
    weft_json_text(weft_json_get(config, "options.async"), async, sizeof async);
    const char *const space = strrchr(command, ' ');
    snprintf(name, sizeof name, "%s%s", space ? space + 1 : "", *async ? "-async" : "");
    for (int i = 0; player_tasks[i]; i++)
        if (strcmp(player_tasks[i]->name, name) == 0) p->task = player_tasks[i];
    if (p->task) return WEFT_OK;
    return weft_fail(c, WEFT_UNSUPPORTED, "%s: \"%s\" is not a known automaton", path, name);
}

static weft_err player_read_gates(player *p) {
    weft_ctx *const c = p->run.ctx;
    const int channels = p->task->shape.channels;
    char path[sizeof p->run.folder + 40];
    weft_file f = {0};
    snprintf(path, sizeof path, "%s/" AUTOMATON_CIRCUIT, p->run.folder);
    if (access(path, F_OK) != 0)
        return weft_fail(
            c, WEFT_FILE,
            "%s does not exist: the run has not finished; weft train %s --run %s --resume "
            "continues it",
            path, p->run.call->task->name, p->run.folder);
    const weft_err e = weft_file_open(c, path, &f);
    if (e) return e;
    p->gates = weft_circuit_read(c, f.bytes, f.n, path);
    weft_file_close(&f);
    if (!p->gates) return weft_error_code(c);
    if (weft_circuit_inputs(p->gates) == 9 * channels && weft_circuit_outputs(p->gates) == channels)
        return WEFT_OK;
    return weft_fail(c, WEFT_FORMAT,
                     "%s: a circuit of %d inputs and %d outputs; expected %d and %d for %s", path,
                     weft_circuit_inputs(p->gates), weft_circuit_outputs(p->gates), 9 * channels,
                     channels, p->task->name);
}

weft_err player_open(player *p, const call *c, int threads) {
    char command[64];
    bool found = false;
    const char *const name = c->task->name;
    snprintf(command, sizeof command, "train %s", name);
    p->how.threads = threads;
    weft_err e = run_open(&p->run, c, &p->how);
    if (!e) e = play_find(&p->run, c, command, &found);
    if (!e && !found)
        e = weft_fail(p->run.ctx, WEFT_FILE, "no run of %s under runs/; weft train %s creates one",
                      name, name);
    if (!e) e = run_read(&p->run, player_read_task, p);
    if (!e) e = player_read_gates(p);
    if (e) return e;
    p->rule = weft_automaton_new(p->run.ctx, &p->task->shape);
    return p->rule ? WEFT_OK : weft_error_code(p->run.ctx);
}

void player_close(player *p) {
    weft_automaton_free(p->rule);
    weft_circuit_free(p->gates);
    run_close(&p->run);
    free(p->board);
}

/* ---- the board ---- */

/* Of Life what the rule gives is followed from the start; others know what they shall become. */
bool player_follows(const player *p) {
    return p->task == &automata_life;
}

static weft_err player_measure(player *p, const player_start *s, const life_pattern *start) {
    if (s->width) {
        p->width = s->width, p->height = s->height;
        if (start->width <= p->width && start->height <= p->height) return WEFT_OK;
        return weft_fail(p->run.ctx, WEFT_ARGUMENT, "--size %dx%d: the pattern is %d x %d cells",
                         s->width, s->height, start->width, start->height);
    }
    p->width = player_follows(p) ? s->fit_width : p->task->width;
    p->height = player_follows(p) ? s->fit_height : p->task->height;
    if (p->width < start->width) p->width = start->width;
    if (p->height < start->height) p->height = start->height;
    return WEFT_OK;
}

static void player_count(player *p) {
    const size_t n = (size_t)p->height * (size_t)p->width;
    automaton_shown(p->task, p->height, p->width, p->board, p->shown);
    p->population = 0;
    for (size_t i = 0; i < n; i++) p->population += p->shown[i] != 0;
}

static int64_t player_differ(const player *p) {
    const size_t n = (size_t)p->task->shown * (size_t)p->height * (size_t)p->width;
    int64_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += p->board[i] != p->wanted[i];
    return wrong;
}

weft_err player_begin(player *p, const player_start *s) {
    const automata_task *const t = p->task;
    life_pattern start = {0};
    weft_rng r;
    weft_err e = s->pattern ? life_pattern_read(p->run.ctx, s->pattern, &start) : WEFT_OK;
    if (!e) e = player_measure(p, s, &start);
    const size_t n = (size_t)p->height * (size_t)p->width, all = (size_t)t->shape.channels * n;
    const size_t shown = (size_t)t->shown * n;
    p->board = e ? NULL : malloc(all + n + 2 * shown);
    if (!e && !p->board) e = weft_fail(p->run.ctx, WEFT_MEMORY, "out of memory");
    if (!e) {
        p->shown = p->board + all, p->wanted = p->shown + n, p->before = p->wanted + shown;
        weft_rng_seed(&r, (uint64_t)s->seed, 5);
        weft_rng_seed(&p->chance, (uint64_t)s->seed, 6);
        t->begin(t, p->height, p->width, 1, &r, p->board);
        if (start.cells) life_pattern_place(&start, p->height, p->width, p->board);
        if (player_follows(p)) memcpy(p->wanted, p->board, shown);
        else t->target(t, p->height, p->width, 1, p->board, p->wanted);
        player_count(p);
        if (!player_follows(p)) p->wrong = player_differ(p);
    }
    life_pattern_free(&start);
    return e;
}

/* Life on a torus, cell by cell. */
static void player_life(int height, int width, const uint8_t *cells, uint8_t *next) {
    for (int y = 0; y < height; y++) {
        const uint8_t *const above = cells + (size_t)(y ? y - 1 : height - 1) * (size_t)width;
        const uint8_t *const row = cells + (size_t)y * (size_t)width;
        const uint8_t *const below = cells + (size_t)(y + 1 < height ? y + 1 : 0) * (size_t)width;
        for (int x = 0; x < width; x++) {
            const int left = x ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
            const int around = above[left] + above[x] + above[right] + row[left] + row[right] +
                               below[left] + below[x] + below[right];
            *next++ = (uint8_t)automata_life_rule(row[x], around);
        }
    }
}

weft_err player_step(player *p) {
    const weft_board d = {.boards = 1,
                          .height = p->height,
                          .width = p->width,
                          .share = p->task->share,
                          .rng = p->task->share > 0 ? &p->chance : NULL};
    const weft_err e = weft_automaton_run(p->rule, p->gates, &d, 1, p->board);
    if (e) return e;
    if (player_follows(p)) {
        uint8_t *const before = p->wanted;
        p->wanted = p->before, p->before = before;
        player_life(p->height, p->width, before, p->wanted);
    }
    p->wrong = (player_follows(p) ? p->wrong : 0) + player_differ(p);
    p->generation++;
    player_count(p);
    return WEFT_OK;
}

const char *player_result(const player *p, char *text, size_t bytes) {
    if (player_follows(p))
        snprintf(text, bytes, p->wrong ? "%lld cells differed from the rule" : "all match the rule",
                 (long long)p->wrong);
    else
        snprintf(text, bytes, p->wrong ? "%lld cells are wrong" : "all cells are correct",
                 (long long)p->wrong);
    return text;
}
