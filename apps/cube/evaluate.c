/* evaluate.c - evaluates a network that solves the cube; see evaluate.h.
 *
 * The network is asked once about every cube that no other is turned into, 612,630 of them. Greedy
 * play over all 3,674,160 cubes and the searches then look its answers up. */
#include "evaluate.h"
#include <weft/bench.h>
#include <weft/train.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { EVALUATE_ROWS = 2048, EVALUATE_THREADS = 16, EVALUATE_SCRAMBLE = 4, EVALUATE_SOME = 50 };

typedef struct evaluation {
    weft_ctx *c;
    float *scores;     /* [WEFT_CUBE_STATES, actions] */
    uint8_t *turns;    /* [WEFT_CUBE_STATES] the likeliest turn, and 8 times the next one */
    uint8_t *distance; /* [WEFT_CUBE_STATES] */
    FILE *progress;    /* NULL: none */
    uint32_t *tried;   /* the cubes that are searched from */
    int64_t tried_count;
} evaluation;

/* A line that stays, and below it the progress. NULL: none. */
static weft_progress *evaluate_phase(const evaluation *j, const char *line, int64_t count,
                                     const char *unit) {
    if (!j->progress) return NULL;
    weft_progress *const p = weft_progress_new(j->c, j->progress, count, 0);
    weft_progress_unit(p, unit);
    weft_progress_say(p, line);
    return p;
}

/* ---- what the network says ---- */

static weft_err evaluate_ask(evaluation *j, cube_view *v) {
    uint32_t cube[EVALUATE_ROWS];
    float row[EVALUATE_ROWS * WEFT_CUBE_ACTIONS];
    int n = 0;
    weft_err e = WEFT_OK;
    weft_progress *const p = evaluate_phase(j, "Evaluating: the network's scores of every cube",
                                            WEFT_CUBE_STATES, "cubes");
    for (uint32_t q = 0; q <= WEFT_CUBE_STATES && !e; q++) {
        if (q < WEFT_CUBE_STATES && weft_cube_canonical(q, NULL) == q) cube[n++] = q;
        if (n < EVALUATE_ROWS && q < WEFT_CUBE_STATES) continue;
        e = cube_view_scores(v, cube, n, row);
        for (int i = 0; i < n && !e; i++)
            memcpy(j->scores + (size_t)cube[i] * WEFT_CUBE_ACTIONS, row + i * WEFT_CUBE_ACTIONS,
                   WEFT_CUBE_ACTIONS * sizeof *row);
        weft_progress_show(p, q, NULL);
        n = 0;
    }
    weft_progress_free(p);
    for (uint32_t q = 0; q < WEFT_CUBE_STATES && !e; q++) {
        int k;
        const uint32_t same = weft_cube_canonical(q, &k);
        if (same == q) continue;
        const float *const from = j->scores + (size_t)same * WEFT_CUBE_ACTIONS;
        float *const to = j->scores + (size_t)q * WEFT_CUBE_ACTIONS;
        for (int a = 0; a < WEFT_CUBE_ACTIONS; a++) to[a] = from[weft_cube_symmetry_action(a, k)];
    }
    return e;
}

static void evaluate_rank(evaluation *j) {
    for (uint32_t q = 0; q < WEFT_CUBE_STATES; q++) {
        const float *const s = j->scores + (size_t)q * WEFT_CUBE_ACTIONS;
        int best = 0, next = -1;
        for (int a = 1; a < WEFT_CUBE_ACTIONS; a++)
            if (s[a] > s[best]) best = a;
        for (int a = 0; a < WEFT_CUBE_ACTIONS; a++)
            if (a != best && (next < 0 || s[a] > s[next])) next = a;
        j->turns[q] = (uint8_t)(best | next << 3);
    }
}

/* ---- greedy play ---- */

static bool evaluate_greedy(const evaluation *j, uint32_t cube) {
    int last = -1;
    for (int i = 0; i < CUBE_LIMIT && cube; i++) {
        int turn = j->turns[cube] & 7;
        if (last >= 0 && turn == (last ^ 1)) turn = j->turns[cube] >> 3;
        cube = weft_cube_turn(cube, turn);
        last = turn;
    }
    return cube == 0;
}

static void evaluate_play(const evaluation *j, uint32_t every, cube_results *v) {
    weft_progress *const p =
        evaluate_phase(j, "Evaluating: greedy play", WEFT_CUBE_STATES, "cubes");
    for (uint32_t q = 0; q < WEFT_CUBE_STATES; q += every) {
        if (q / every % 4096 == 0) weft_progress_show(p, q, NULL);
        const int d = j->distance[q];
        const bool solved = evaluate_greedy(j, q);
        v->cubes[d]++;
        v->greedy[d] += solved;
        v->cubes_all++, v->greedy_all += solved;
    }
    weft_progress_free(p);
    v->scrambles = 1;
    for (int i = 0; i < EVALUATE_SCRAMBLE; i++) v->scrambles *= WEFT_CUBE_ACTIONS;
    for (int i = 0; i < v->scrambles; i++) { /* a number in base 6 is a sequence of turns */
        uint32_t cube = 0;
        for (int k = 0, left = i; k < EVALUATE_SCRAMBLE; k++, left /= WEFT_CUBE_ACTIONS)
            cube = weft_cube_turn(cube, left % WEFT_CUBE_ACTIONS);
        v->scrambles_solved += evaluate_greedy(j, cube);
    }
}

/* ---- searches ---- */

/* Evenly drawn ones, in a sequence that no training draws from, then the farthest and the
 * nearest. */
static void evaluate_choose(evaluation *j, cube_results *v) {
    weft_rng r;
    weft_rng_seed(&r, UINT64_MAX, 14);
    for (int i = 0; i < CUBE_ANY; i++) {
        const uint32_t cube = weft_rng_below(&r, WEFT_CUBE_STATES);
        j->tried[j->tried_count++] = cube;
        v->example[j->distance[cube]] = cube;
    }
    for (uint32_t q = 0; q < WEFT_CUBE_STATES; q++) {
        const int d = j->distance[q];
        if (d > CUBE_NEAR && d != CUBE_DISTANCES - 1) continue;
        j->tried[j->tried_count++] = q;
        v->example[d] = q;
    }
}

/* Of every kind only some. */
static void evaluate_thin(evaluation *j, uint32_t every) {
    int64_t n = 0;
    for (int64_t i = 0; i < j->tried_count; i += every) j->tried[n++] = j->tried[i];
    j->tried_count = n;
}

typedef struct evaluate_worker {
    const evaluation *j;
    weft_beam *search;
    atomic_llong *next;
    weft_progress *progress; /* of one of them, for all */
    cube_beam found;
    weft_err failed;
} evaluate_worker;

static weft_err evaluate_lookup(void *user, const void *cubes, int n, float *scores) {
    const evaluation *const j = user;
    const uint32_t *const cube = cubes;
    for (int i = 0; i < n; i++) {
        enum { AHEAD = 8 }; /* memory is slow, and the order is random */
        if (i + AHEAD < n)
            __builtin_prefetch(j->scores + (size_t)cube[i + AHEAD] * WEFT_CUBE_ACTIONS);
        memcpy(scores + i * WEFT_CUBE_ACTIONS, j->scores + (size_t)cube[i] * WEFT_CUBE_ACTIONS,
               WEFT_CUBE_ACTIONS * sizeof *scores);
    }
    return WEFT_OK;
}

static void *evaluate_work(void *user) {
    evaluate_worker *const w = user;
    for (;;) {
        const long long at = atomic_fetch_add(w->next, 1);
        if (at >= w->j->tried_count) return NULL;
        weft_progress_show(w->progress, at, NULL);
        uint32_t cube = w->j->tried[at];
        const int d = w->j->distance[cube];
        int32_t way[CUBE_LIMIT];
        int n = -1;
        if ((w->failed = weft_beam_solve(w->search, &cube, way, &n))) return NULL;
        for (int i = 0; i < n; i++) cube = weft_cube_turn(cube, way[i]);
        const bool solved = n >= 0 && cube == 0;
        w->found.tried++, w->found.tried_at[d]++;
        w->found.solved += solved;
        w->found.optimal += solved && n == d;
        w->found.optimal_at[d] += solved && n == d;
    }
}

static weft_err evaluate_search(const evaluation *j, int threads, cube_beam *b) {
    const double start = weft_clock();
    evaluate_worker w[EVALUATE_THREADS];
    pthread_t id[EVALUATE_THREADS];
    bool started[EVALUATE_THREADS] = {false};
    atomic_llong next;
    weft_err e = WEFT_OK;
    int made = 0;
    atomic_init(&next, 0);
    if (threads > EVALUATE_THREADS) threads = EVALUATE_THREADS;
    for (; made < threads && !e; made++) {
        w[made] = (evaluate_worker){.j = j, .next = &next};
        w[made].search = weft_beam_new(j->c, weft_cube_puzzle(),
                                       &(weft_beam_desc){.width = b->width,
                                                         .steps = CUBE_LIMIT,
                                                         .policy = evaluate_lookup,
                                                         .user = (void *)j});
        if (!w[made].search) e = weft_error_code(j->c);
    }
    for (int i = 1; i < made && !e; i++)
        started[i] = pthread_create(&id[i], NULL, evaluate_work, &w[i]) == 0;
    if (!e) {
        char line[80];
        snprintf(line, sizeof line, "Evaluating: %lld searches of width %d",
                 (long long)j->tried_count, b->width);
        w[0].progress = evaluate_phase(j, line, j->tried_count, "searches");
        evaluate_work(&w[0]); /* what the others do not get to do, too */
        weft_progress_free(w[0].progress);
    }
    for (int i = 0; i < made; i++) {
        if (started[i]) pthread_join(id[i], NULL);
        weft_beam_free(w[i].search);
        if (!e) e = w[i].failed;
        const cube_beam *const found = &w[i].found;
        b->tried += found->tried, b->solved += found->solved, b->optimal += found->optimal;
        for (int d = 0; d < CUBE_DISTANCES; d++) {
            b->tried_at[d] += found->tried_at[d];
            b->optimal_at[d] += found->optimal_at[d];
        }
    }
    b->seconds = weft_clock() - start;
    return e;
}

/* ---- all of it ---- */

static weft_err evaluate_all(evaluation *j, weft_state *s, const cube_net *n,
                             const cube_evaluate_desc *how, cube_results *v) {
    static const int width[CUBE_BEAMS] = {64, 1024};
    const uint32_t every = how->quick ? EVALUATE_SOME : 1;
    cube_view view;
    weft_err e = cube_view_make(&view, s, n, EVALUATE_ROWS, how->threads);
    if (!e) e = evaluate_ask(j, &view);
    cube_view_free(&view);
    if (e) return e;
    evaluate_rank(j);
    weft_cube_distances(j->distance);
    evaluate_choose(j, v);
    evaluate_thin(j, every);
    evaluate_play(j, every, v);
    for (int i = 0; i < CUBE_BEAMS && !e; i++) {
        v->beam[i].width = width[i];
        e = evaluate_search(j, how->threads > 0 ? how->threads : weft_threads(j->c), &v->beam[i]);
    }
    return e;
}

weft_err cube_evaluate(weft_state *s, const cube_net *n, const cube_evaluate_desc *d,
                       cube_results *v) {
    const double start = weft_clock();
    evaluation j = {.c = weft_state_ctx(s), .progress = d->progress};
    *v = (cube_results){0};
    j.scores = malloc((size_t)WEFT_CUBE_STATES * WEFT_CUBE_ACTIONS * sizeof *j.scores);
    j.turns = malloc(WEFT_CUBE_STATES);
    j.distance = malloc(WEFT_CUBE_STATES);
    j.tried = malloc((CUBE_ANY + WEFT_CUBE_STATES / 100) * sizeof *j.tried);
    weft_err e = j.scores && j.turns && j.distance && j.tried
                     ? WEFT_OK
                     : weft_fail(j.c, WEFT_MEMORY, "out of memory for the evaluation");
    if (!e) e = evaluate_all(&j, s, n, d, v);
    v->seconds = weft_clock() - start;
    free(j.scores);
    free(j.turns);
    free(j.distance);
    free(j.tried);
    return e;
}
