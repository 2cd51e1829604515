/* td_turns.c - playing by values of afterstates, and learning them.
 *
 * A game's turn: the move with the highest reward plus value; the previous afterstate
 * is updated towards it; then the random transition. Games take turns, and a turn has
 * three parts, each one turn or more behind the other: look where the moves lead and ask memory for
 * what those afterstates name; add up what has come; choose, learn and move. So memory has time.
 *
 * Threads share a turn by tables. Each plays all the games, with the same random numbers, but adds
 * up and changes only its own tables, and tells the others its sums; those it needs from them were
 * added up some turns earlier, so no thread waits long. Who is faster changes nothing: of each table
 * reads and writes come in the same order, and sums are added in the order of the tables.
 *
 * Threads that find no core of their own wait for each other at every turn, and on some machines
 * one is as fast as two. So work is done in pieces of some milliseconds, and which way is faster,
 * together or alone, is tried now and then. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "rl/td.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TD_PAUSE() __builtin_ia32_pause()
#else
#define TD_PAUSE() ((void)0)
#endif

enum {
    TD_BEHIND = 2,   /* turns from sums to choosing */
    TD_SPINS = 100,  /* looks at another thread before the core is offered to others */
    TD_PIECE = 20000 /* turns of a piece of work */
};

/* A turn is looked at, added up, and TD_BEHIND turns later made. A member that adds up turn k has
 * made turn k - TD_BEHIND - 1. So all have added that one up, and the slowest still needs the sums
 * from TD_BEHIND turns before it on. */
_Static_assert(TD_VIEWS >= TD_BEHIND + 2 && TD_RING >= 2 * TD_BEHIND + 2, "turns under way");

/* ---- the parts of a turn ---- */

TD_INLINE float *td_posted(const td_member *m, int64_t turn) {
    const size_t each = (size_t)m->tables * (size_t)(m->a->g.actions + 1);
    return m->sums + (size_t)(turn & (TD_RING - 1)) * each;
}

/* Of each own table: the sum for each legal move, then that of the afterstate before. */
TD_INLINE void td_add_up(td_member *m, int64_t turn, int game, int slots) {
    const weft_td *const a = m->a;
    const td_view *const v = &m->view[turn & (TD_VIEWS - 1)];
    const int first = m->first, n = m->tables, share = n * slots;
    const uint32_t *entry = v->entries;
    float *sum = td_posted(m, turn);
    for (int k = 0; k < a->g.actions; k++, entry += share, sum += n)
        if (v->legal >> k & 1) td_sums(a, first, n, entry, slots, sum);
    td_sums(a, first, n, m->before + (size_t)game * (size_t)share, slots, sum);
    atomic_store_explicit(&m->posted, turn + 1, memory_order_release);
}

static void td_wait(td_member *m, int64_t turn) {
    int looks = 0;
    while (atomic_load_explicit(&m->posted, memory_order_acquire) <= turn) {
        TD_PAUSE();
        if (++looks % TD_SPINS == 0) sched_yield();
    }
}

/* value (actions + 1): over all tables, in their order; those of legal moves, and the last. */
TD_INLINE void td_add_all(const weft_td *a, int64_t turn, uint32_t legal, float *value) {
    const int actions = a->g.actions;
    for (int k = 0; k <= actions; k++) value[k] = 0;
    for (int w = 0; w < a->started; w++) {
        td_member *const m = &a->member[w];
        if (a->started > 1) td_wait(m, turn);
        const float *sum = td_posted(m, turn);
        for (int k = 0; k <= actions; k++, sum += m->tables)
            for (int t = 0; t < m->tables && (k == actions || legal >> k & 1); t++)
                value[k] += sum[t];
    }
}

/* Draws entry (slots) of one table by a step each; where each has a rate of its own, by its share
 * of that: what its errors so far have in common, 1 before the first. An entry that is named twice
 * moves twice. */
TD_INLINE void td_draw(float *table, float *errors, const uint32_t *entry, int slots, float error,
                       float step) {
    const float size = fabsf(error);
    for (int i = 0; i < slots && !errors; i++) table[entry[i]] += step;
    for (int i = 0; i < slots && errors; i++) {
        float *const e = errors + 2 * (size_t)entry[i];
        const float sum = e[0], sizes = e[1];
        table[entry[i]] += sizes > 0 ? step * (fabsf(sum) / sizes) : step;
        e[0] = sum + error;
        e[1] = sizes + size;
    }
}

/* before (tables, slots): in all own tables. */
TD_INLINE void td_learn(const td_member *m, const uint32_t *before, int slots, float error,
                        float step) {
    const weft_td *const a = m->a;
    size_t start = (size_t)m->first * a->g.words;
    for (int t = 0; t < m->tables; t++, start += a->g.words, before += slots)
        td_draw(a->table + start, a->errors ? a->errors + 2 * start : NULL, before, slots, error,
                step);
}

/* The errors of what was chosen will be wanted in this game's next turn. */
TD_INLINE void td_ask_errors(const td_member *m, const uint32_t *entry, int slots) {
    const weft_td *const a = m->a;
    if (!a->errors) return;
    const float *errors = a->errors + 2 * (size_t)m->first * a->g.words;
    for (int t = 0; t < m->tables; t++, errors += 2 * (size_t)a->g.words)
        td_ask(errors, entry + t * slots, slots, 2);
}

/* Only the first member writes down what happened. */
static void td_over(td_member *m, int game) {
    weft_td *const a = m->a;
    td_running *const r = &m->running[game];
    if (m == a->member) a->recent[a->count->episodes++ % a->window] = (float)r->total;
    *r = (td_running){0};
    a->g.start(m->state + (size_t)game * a->g.size, &m->rng[game]);
}

/* Learns what the afterstate before was worth, then moves; gives the error. A game that is over
 * has nothing to come, and starts over. */
TD_INLINE float td_move(td_member *m, int64_t turn, int game, int slots, float rate) {
    weft_td *const a = m->a;
    const td_view *const v = &m->view[turn & (TD_VIEWS - 1)];
    const size_t share = (size_t)(m->tables * slots), size = a->g.size;
    uint32_t *const before = m->before + (size_t)game * share;
    td_running *const r = &m->running[game];
    float value[TD_ACTIONS + 1], most, error = 0;
    td_add_all(a, turn, v->legal, value);
    const int best = td_choose(a, v, value, &most);
    if (r->going) {
        error = most - value[a->g.actions];
        td_learn(m, before, slots, error, rate * error / (float)(a->g.tables * slots));
    }
    if (best < 0) {
        td_over(m, game);
        return error;
    }
    const uint32_t *const entries = v->entries + (size_t)best * share;
    memcpy(before, entries, share * sizeof *before);
    td_ask_errors(m, entries, slots);
    r->going = 1;
    r->total += (double)v->reward[best];
    if (m == a->member) a->count->moves++;
    a->g.chance(v->after + (size_t)best * size, m->state + (size_t)game * size, &m->rng[game]);
    return error;
}

/* ---- all turns of a step ---- */

/* The parts of a turn are `ahead` and `behind` turns apart, less where there are few games: a game
 * has one turn at a time. Gives the sum of the sizes of errors. */
TD_INLINE double td_turns(td_member *m, int64_t turns, int slots) {
    const weft_td *const a = m->a;
    const int n = a->games, ahead = n > 1, behind = n - 2 < TD_BEHIND ? n - 1 - ahead : TD_BEHIND;
    const float rate = (float)a->count->rate;
    double errors = 0;
    int looking = 0, adding = 0, moving = 0;
    for (int64_t turn = 0; turn < turns + ahead + behind; turn++) {
        if (turn < turns) {
            td_look(a, m->state + (size_t)looking * a->g.size, m->first, m->tables, slots,
                    &m->view[turn & (TD_VIEWS - 1)]);
            looking = looking + 1 < n ? looking + 1 : 0;
        }
        if (turn >= ahead && turn < turns + ahead) {
            td_add_up(m, turn - ahead, adding, slots);
            adding = adding + 1 < n ? adding + 1 : 0;
        }
        if (turn >= ahead + behind) {
            errors += (double)fabsf(td_move(m, turn - ahead - behind, moving, slots, rate));
            moving = moving + 1 < n ? moving + 1 : 0;
        }
    }
    return errors;
}

/* Copies between the member and the state: a member's part of `before`, and the games, which are
 * the same with all of them. */
static void td_copy(td_member *m, bool back) {
    const weft_td *const a = m->a;
    const size_t n = (size_t)a->games, slots = (size_t)a->g.slots;
    const size_t share = (size_t)m->tables * slots, all = (size_t)a->g.tables * slots;
    for (size_t i = 0; i < n; i++) {
        uint32_t *const there = a->before + i * all + (size_t)m->first * slots;
        uint32_t *const here = m->before + i * share;
        memcpy(back ? there : here, back ? here : there, share * sizeof *here);
    }
    if (back && m != a->member) return;
    memcpy(back ? a->state : m->state, back ? m->state : a->state, n * a->g.size);
    memcpy(back ? a->rng : m->rng, back ? m->rng : a->rng, n * sizeof *m->rng);
    memcpy(back ? a->running : m->running, back ? m->running : a->running, n * sizeof *m->running);
}

/* A member's work, once it is known how many there are. */
static double td_share(td_member *m) {
    weft_td *const a = m->a;
    pthread_mutex_lock(&a->lock);
    const int64_t turns = a->turns;
    pthread_mutex_unlock(&a->lock);
    return a->g.slots == 8 ? td_turns(m, turns, 8) : td_turns(m, turns, a->g.slots);
}

static void *td_member_main(void *member) {
    td_share(member);
    return NULL;
}

/* Threads live for one piece of work; those that cannot be started leave their tables to the
 * others. Signals are for the program's own threads. */
static double td_piece(weft_td *a, int threads) {
    sigset_t all, before;
    int n = 1;
    pthread_mutex_lock(&a->lock);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (n < threads &&
           pthread_create(&a->member[n].thread, NULL, td_member_main, &a->member[n]) == 0)
        n++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    a->started = n;
    for (int i = 0; i < n; i++) {
        td_member *const m = &a->member[i];
        m->first = a->g.tables * i / n;
        m->tables = a->g.tables * (i + 1) / n - m->first;
        atomic_store(&m->posted, 0);
        td_copy(m, false);
    }
    pthread_mutex_unlock(&a->lock);
    const double errors = td_share(&a->member[0]);
    for (int i = 1; i < n; i++) pthread_join(a->member[i].thread, NULL);
    for (int i = 0; i < n; i++) td_copy(&a->member[i], true);
    return errors;
}

/* ---- alone or together ---- */

static double td_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A piece of work, done the way that was faster. The other one is tried now and then: the slower it
 * was, the later. */
static double td_paced(weft_td *a) {
    enum { APART = 16 };
    td_pace *const p = &a->pace;
    const int faster = p->cost[1] < p->cost[0];
    const bool trial = a->threads > 1 && p->pieces >= p->again;
    const int way = trial ? !faster : faster;
    const double start = td_seconds(), errors = td_piece(a, way ? a->threads : 1);
    p->cost[way] = (td_seconds() - start) / (double)a->turns;
    p->pieces++;
    if (trial) {
        const double slower = p->cost[!way] > 0 ? p->cost[way] / p->cost[!way] : 1;
        p->again = p->pieces + (int64_t)(APART * (slower > 1 ? slower : 1));
    }
    return errors;
}

/* The rounds of a step in pieces, always the same ones: between them nothing is under way. */
static double td_rounds(weft_td *a) {
    const int64_t most = a->games < TD_PIECE ? TD_PIECE / a->games : 1;
    double errors = 0;
    for (int64_t left = a->rounds; left > 0;) {
        const int64_t rounds = left < most ? left : most;
        a->turns = rounds * a->games;
        errors += td_paced(a);
        left -= rounds;
    }
    return errors;
}

weft_err weft_td_step(void *learner, int64_t step, weft_metrics *m) {
    weft_td *const a = learner;
    (void)step;
    if (!a->state)
        return weft_fail(a->c, WEFT_ARGUMENT, "weft_td_step: \"%s\" is fixed: it only plays",
                         a->g.name ? a->g.name : "");
    const weft_err e = weft_td_check(a); /* what was loaded is not to be trusted */
    if (e) return e;
    a->count->error = td_rounds(a) / (double)(a->rounds * a->games);
    if (!m) return WEFT_OK;
    const weft_td_stats now = weft_td_stats_of(a);
    weft_metric(m, "train/loss", (double)now.error);
    weft_metric(m, "train/rate", (double)now.rate);
    weft_metric(m, "episodes/mean", (double)now.mean);
    weft_metric(m, "count/episodes", (double)now.episodes);
    weft_metric(m, "count/moves", (double)now.moves);
    return WEFT_OK;
}

#undef TD_PAUSE
