/* td.c - the TD learner of afterstates: creation, validation, statistics.
 *
 * Its table, the errors of each entry, the games it plays and their generators are entries of a
 * state, so a checkpoint holds it and what is loaded continues with the same bits. Turns are
 * td_turns.c's; which entries an afterstate names is the game's. */
#include "rl/td.h"
#include "rl/entry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    TD_GAMES = 8,
    TD_MOVES = 100000,
    TD_WINDOW = 1000,
    TD_NAME = 400,
    TD_MOST_GAMES = 4096,
    TD_MOST_ENTRIES = 1 << 16 /* that an afterstate names */
};

/* ---- making ---- */

static weft_err td_game_acceptable(weft_ctx *c, const weft_td_game *g) {
    const char *const name = g->name ? g->name : "";
    if (!g->start || !g->moves || !g->chance || !g->index)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_td_new: game \"%s\" lacks one of start, moves, chance and index",
                         name);
    if (!g->size || g->size > 1 << 20 || g->actions < 1 || g->actions > TD_ACTIONS)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_td_new: game \"%s\": %zu bytes, %d actions; 1 to 2^20 and 1 to %d "
                         "were expected",
                         name, g->size, g->actions, (int)TD_ACTIONS);
    if (g->tables < 1 || g->slots < 1 || g->slots > TD_MOST_ENTRIES / g->tables || !g->words ||
        g->words > INT32_MAX / 2 / (uint32_t)g->tables)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_td_new: game \"%s\": %d slots in each of %d tables of %u words; at "
                         "least one of all, less than 2^30 words in all and at most %d slots were "
                         "expected",
                         name, g->slots, g->tables, (unsigned)g->words, (int)TD_MOST_ENTRIES);
    return WEFT_OK;
}

static weft_err td_acceptable(weft_ctx *c, const weft_td_desc *d) {
    if (!(d->rate >= 0 && d->rate <= 1) || !(d->gamma >= 0 && d->gamma <= 1) || !isfinite(d->first))
        return weft_fail(
            c, WEFT_ARGUMENT,
            "weft_td_new: rate %g, gamma %g, initial value %g; the first two from 0 to "
            "1, and a finite number, were expected",
            (double)d->rate, (double)d->gamma, (double)d->first);
    if (d->games < 0 || d->games > TD_MOST_GAMES || d->moves < 0 || d->window < 0 ||
        d->window > 1 << 24 || d->threads < 0)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_td_new: %d games, %lld moves a step, window %d, %d threads; at most "
                         "%d games, a window of at most 2^24, and none negative, were expected",
                         d->games, (long long)d->moves, d->window, d->threads, (int)TD_MOST_GAMES);
    return WEFT_OK;
}

/* The tables are a parameter, and what exported models hold. They are asked for together with all
 * else, so that they get memory together. */
static weft_err td_entries(weft_td *a, weft_state *s, const char *name, const weft_td_desc *d) {
    const weft_td_game *const g = &a->g;
    const int entries = g->tables * g->slots;
    const weft_init first = {WEFT_INIT_VALUE, d->first / (float)entries, 0};
    char full[TD_NAME + 8];
    snprintf(full, sizeof full, "%s.table", name);
    weft_graph *graph = weft_graph_new(a->c); /* entries are asked for through a graph */
    if (!graph) return weft_error_code(a->c);
    const size_t before = weft_state_count(s);
    weft_param(graph, s, full, weft_dims(g->tables, g->words),
               d->first != 0 ? first : (weft_init){0});
    weft_err e = rl_entry_host(graph, s, full, before);
    weft_graph_free(graph);
    const int64_t words = (int64_t)g->tables * g->words;
    const rl_entry list[] = {
        {"count", WEFT_U32, sizeof *a->count / 4, 1, (void **)&a->count},
        {"errors", WEFT_F32, d->plain ? 0 : words, 2, (void **)&a->errors},
        {"state", WEFT_U8, a->games, (int64_t)g->size, (void **)&a->state},
        {"before", WEFT_U32, a->games, entries, (void **)&a->before},
        {"rng", WEFT_U32, a->games, 4, (void **)&a->rng},
        {"running", WEFT_U32, a->games, sizeof *a->running / 4, (void **)&a->running},
        {"recent", WEFT_F32, a->window, 1, (void **)&a->recent},
    };
    int32_t *begun = NULL;
    if (!e && !d->fixed) e = rl_entries(s, name, list, (int)(sizeof list / sizeof *list), &begun);
    if (!e && !(a->table = weft_state_data(s, full))) e = weft_error_code(a->c);
    if (e || d->fixed || *begun) return e;
    *begun = 1;
    a->count->rate = (double)(d->rate > 0 ? d->rate : d->plain ? 0.1f : 1);
    for (int i = 0; i < a->games; i++) {
        weft_rng_seed(&a->rng[i], d->seed, (uint64_t)i);
        g->start(a->state + (size_t)i * g->size, &a->rng[i]);
    }
    return WEFT_OK;
}

/* Cuts a piece off a block; with the block at NULL it only counts. */
static void *td_cut_piece(char *block, size_t *used, size_t bytes) {
    void *const p = block ? block + *used : NULL;
    *used += (bytes + TD_LINE - 1) / TD_LINE * TD_LINE;
    return p;
}

/* All memory of the members, each piece on lines of its own. A member's share may be all tables.
 * One that only plays needs no more than the views of the first. */
static size_t td_cut(weft_td *a, char *block) {
    const weft_td_game *const g = &a->g;
    const size_t n = (size_t)a->games, actions = (size_t)g->actions, tables = (size_t)g->tables;
    const size_t named = tables * (size_t)g->slots * sizeof(uint32_t);
    size_t used = 0;
    td_member *const all = td_cut_piece(block, &used, (size_t)a->threads * sizeof *all);
    a->member = all;
    for (int i = 0; i < a->threads; i++) {
        td_member none = {0}, *const m = all ? &all[i] : &none;
        m->a = a;
        for (int k = 0; k < TD_VIEWS; k++) {
            m->view[k].after = td_cut_piece(block, &used, actions * g->size);
            m->view[k].entries = td_cut_piece(block, &used, actions * named);
        }
        m->state = td_cut_piece(block, &used, n * g->size);
        m->rng = td_cut_piece(block, &used, n * sizeof *m->rng);
        m->running = td_cut_piece(block, &used, n * sizeof *m->running);
        m->before = td_cut_piece(block, &used, n * named);
        m->sums = td_cut_piece(block, &used, TD_RING * (actions + 1) * tables * sizeof *m->sums);
    }
    return used;
}

static weft_err td_members(weft_td *a) {
    const size_t bytes = td_cut(a, NULL) + TD_LINE;
    a->block = rl_memory(a->c, bytes, "weft_td_new");
    if (!a->block) return WEFT_MEMORY;
    td_cut(a, (char *)a->block + (TD_LINE - (uintptr_t)a->block % TD_LINE) % TD_LINE);
    return WEFT_OK;
}

weft_td *weft_td_new(weft_state *s, const weft_td_game *g, const char *name,
                     const weft_td_desc *d) {
    static const weft_td_desc none;
    weft_ctx *const c = weft_state_ctx(s);
    if (!d) d = &none;
    if (!s || !g || !name || !*name || strlen(name) > TD_NAME) {
        weft_fail(c, WEFT_ARGUMENT,
                  "weft_td_new: a state, a game, and a name of at most %d characters were expected",
                  (int)TD_NAME);
        return NULL;
    }
    if (td_game_acceptable(c, g) || td_acceptable(c, d)) return NULL;
    weft_td *const a = rl_memory(c, sizeof *a, "weft_td_new");
    if (!a) return NULL;
    const int64_t moves = d->moves ? d->moves : TD_MOVES;
    a->c = c;
    a->g = *g;
    a->gamma = d->gamma > 0 ? d->gamma : 1;
    a->games = d->games ? d->games : TD_GAMES;
    a->window = d->window ? d->window : TD_WINDOW;
    a->rounds = moves > a->games ? moves / a->games : 1;
    a->threads = d->threads > 1 && !d->fixed ? d->threads : 1;
    if (a->threads > g->tables) a->threads = g->tables;
    if (pthread_mutex_init(&a->lock, NULL)) {
        weft_resize(c, a, 0);
        weft_fail(c, WEFT_MEMORY, "weft_td_new: no lock could be made");
        return NULL;
    }
    if (!td_members(a) && !td_entries(a, s, name, d)) return a;
    weft_td_free(a);
    return NULL;
}

void weft_td_free(weft_td *a) {
    if (!a) return;
    pthread_mutex_destroy(&a->lock);
    weft_resize(a->c, a->block, 0);
    weft_resize(a->c, a, 0);
}

/* ---- does what was loaded fit? ---- */

static weft_err td_game_check(const weft_td *a, int i) {
    const td_running *const r = &a->running[i];
    const char *const name = a->g.name ? a->g.name : "";
    if (!(a->rng[i].a | a->rng[i].b))
        return weft_fail(a->c, WEFT_STATE, "td \"%s\": game %d has no random numbers: all 0", name,
                         i);
    if ((r->going != 0 && r->going != 1) || !isfinite(r->total))
        return weft_fail(a->c, WEFT_STATE,
                         "td \"%s\": game %d goes on: %lld, with %g so far; 0 or 1, and a number, "
                         "were expected",
                         name, i, (long long)r->going, r->total);
    const int named = a->g.tables * a->g.slots;
    for (int k = 0; k < named; k++) {
        const uint32_t entry = a->before[(size_t)i * (size_t)named + (size_t)k];
        if (entry >= a->g.words)
            return weft_fail(a->c, WEFT_STATE, "td \"%s\": game %d names entry %u; there are %u",
                             name, i, (unsigned)entry, (unsigned)a->g.words);
    }
    if (!a->g.check || !a->g.check(a->c, a->state + (size_t)i * a->g.size)) return WEFT_OK;
    char why[400];
    snprintf(why, sizeof why, "%.399s", weft_error(a->c));
    return weft_fail(a->c, WEFT_STATE, "td \"%s\": game %d of %d: %s", name, i, a->games, why);
}

weft_err weft_td_check(const weft_td *a) {
    if (!a->state) return WEFT_OK;
    const td_counts *const n = a->count;
    if (n->moves < 0 || n->episodes < 0 || !(n->rate >= 0 && n->rate <= 1))
        return weft_fail(a->c, WEFT_STATE,
                         "td \"%s\": %lld moves, %lld episodes, rate %g; none of them negative, "
                         "and a rate of at most 1, were expected",
                         a->g.name ? a->g.name : "", (long long)n->moves, (long long)n->episodes,
                         n->rate);
    for (int i = 0; i < a->games; i++) {
        const weft_err e = td_game_check(a, i);
        if (e) return e;
    }
    return WEFT_OK;
}

/* ---- what it tells ---- */

void weft_td_set_rate(weft_td *a, float rate) {
    if (a->count) a->count->rate = (double)rate;
}

weft_td_stats weft_td_stats_of(const weft_td *a) {
    if (!a->count) return (weft_td_stats){0};
    const int64_t done = a->count->episodes, n = done < a->window ? done : a->window;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)a->recent[i];
    return (weft_td_stats){.moves = a->count->moves,
                           .episodes = done,
                           .error = (float)a->count->error,
                           .mean = n ? (float)(sum / (double)n) : 0,
                           .rate = (float)a->count->rate};
}
