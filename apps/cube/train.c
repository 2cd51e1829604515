/* train.c - weft train cube: a network learns to solve the 2x2x2 cube from nothing but turning
 * it.
 *
 * A solved cube is scrambled by a few random turns, none of which takes back the one before, and
 * the network learns which turn was the last: undoing it is likely to lead to the solution. It
 * never sees how far away a cube is; the table of distances is evaluate.c's, and is made when the
 * training is over.
 *
 * The cubes of a step are drawn from (seed, number of the step) alone, so there is nothing to be
 * remembered of them. The rate falls along half a cosine over the steps that fit into the time
 * (pace.h). Time that is left after them is spent at the lowest rate. */
#include "apps/tasks.h"
#include "cli/pace.h"
#include "evaluate.h"
#include "show.h"
#include <weft/bench.h>

#include <weft/nn.h>
#include <weft/optim.h>

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct cube_settings {
    run_settings common;
    int64_t batch, hidden, turns, plan;
    double rate;
    int evaluate; /* place among CUBE_EVALUATE_WORDS */
} cube_settings;

enum {
    CUBE_BATCH = 1024,
    CUBE_WIDE = 512,
    CUBE_TURNS = 11,   /* longer walks end nearly anywhere: their last turn tells little */
    CUBE_WARMUP = 100, /* steps in which the rate rises */
    CUBE_SEEN = 128,   /* cubes of each kind that are tried now and then while it learns */
    CUBE_KINDS = 4,
    CUBE_EVERY = 250, /* steps from one such trial to the next */
};
static const double cube_seconds = 60, cube_rate = 3e-3, cube_lowest = 0.01;
static const double cube_settled = 0.04; /* of the time, after which its steps are counted */

typedef struct cube_training {
    run run;
    const cube_settings *set;
    cube_net net;
    int64_t batch;
    int turns;
    double rate, seconds; /* seconds 0: as many steps as were asked for */
    weft_plan *plan;
    weft_graph *graph;
    weft_tensor loss;
    int32_t *x, *y; /* feeds: corners [batch, slots], and which turn takes the last one back */
    pace pace;
    cube_view view; /* for the trials */
    cube_results results;
    bool evaluated;
} cube_training;

/* ---- a step ---- */

static void cube_scramble(const cube_training *t, weft_rng *r, int32_t *slots, int32_t *answer) {
    const int turns = 1 + (int)weft_rng_below(r, (uint32_t)t->turns);
    int last = (int)weft_rng_below(r, WEFT_CUBE_ACTIONS);
    uint32_t cube = weft_cube_turn(0, last);
    for (int i = 1; i < turns; i++) {
        const int turn = (int)weft_rng_below(r, WEFT_CUBE_ACTIONS - 1);
        last = turn + (turn >= (last ^ 1)); /* any but the one that takes back */
        cube = weft_cube_turn(cube, last);
    }
    *answer = weft_cube_symmetry_action(last ^ 1, cube_net_look(cube, slots));
}

static double cube_rate_at(const cube_training *t, int64_t step) {
    const double risen = fmin(1, (double)(step + 1) / CUBE_WARMUP);
    const double fallen = 0.5 + 0.5 * cos(pace_gone(&t->pace, step) * acos(-1));
    return t->rate * risen * (cube_lowest + (1 - cube_lowest) * fallen);
}

static weft_err cube_step(void *user, int64_t step, weft_metrics *m) {
    cube_training *const t = user;
    const double start = weft_clock();
    weft_rng r;
    weft_rng_seed(&r, (uint64_t)t->run.set->seed, (uint64_t)step);
    for (int64_t i = 0; i < t->batch; i++) cube_scramble(t, &r, t->x + i * CUBE_SLOTS, t->y + i);
    const float rate = (float)cube_rate_at(t, step);
    weft_err e = weft_state_set(t->run.state, "optim.lr", &rate, sizeof rate);
    if (!e) e = weft_run(t->plan);
    if (e) return e;
    weft_metric(m, "train/loss", (double)weft_item(t->plan, t->loss));
    weft_metric(m, "train/rate", (double)rate);
    pace_step(&t->pace, step, weft_clock() - start);
    return WEFT_OK;
}

/* ---- trials while it learns: greedy play from scrambles of some lengths, and from any cube ---- */

static void cube_deal(uint32_t cube[CUBE_KINDS * CUBE_SEEN]) {
    static const int turns[CUBE_KINDS] = {6, 8, 10, 0};
    weft_rng r;
    weft_rng_seed(&r, UINT64_MAX, 1);
    for (int i = 0; i < CUBE_KINDS * CUBE_SEEN; i++) {
        const int k = turns[i / CUBE_SEEN];
        cube[i] = k ? weft_cube_scramble(0, k, &r) : weft_rng_below(&r, WEFT_CUBE_STATES);
    }
}

static weft_err cube_try(void *user, int64_t step, weft_metrics *m) {
    enum { ALL = CUBE_KINDS * CUBE_SEEN };
    static const char *const name[CUBE_KINDS] = {"greedy/6_turns", "greedy/8_turns",
                                                 "greedy/10_turns", "greedy/any_cube"};
    cube_training *const t = user;
    uint32_t cube[ALL];
    int last[ALL], solved[CUBE_KINDS] = {0};
    float score[ALL * WEFT_CUBE_ACTIONS];
    (void)step;
    cube_deal(cube);
    for (int i = 0; i < ALL; i++) last[i] = -1;
    weft_err e = WEFT_OK;
    for (int k = 0; k < CUBE_LIMIT && !e; k++) {
        e = cube_view_scores(&t->view, cube, ALL, score);
        for (int i = 0; i < ALL && !e; i++) {
            int best = -1;
            const float *const s = score + i * WEFT_CUBE_ACTIONS;
            for (int a = 0; a < WEFT_CUBE_ACTIONS; a++)
                if ((last[i] < 0 || a != (last[i] ^ 1)) && (best < 0 || s[a] > s[best])) best = a;
            if (cube[i]) cube[i] = weft_cube_turn(cube[i], last[i] = best);
        }
    }
    for (int i = 0; i < ALL; i++) solved[i / CUBE_SEEN] += cube[i] == 0;
    for (int i = CUBE_KINDS; i-- > 0 && !e;) weft_metric(m, name[i], (double)solved[i] / CUBE_SEEN);
    return e;
}

/* ---- a run ---- */

static weft_err cube_prepare(cube_training *t) {
    weft_ctx *const c = t->run.ctx;
    weft_state *const s = t->run.state;
    weft_state_seed(s, (uint32_t)t->run.set->seed);
    t->graph = weft_graph_new(c);
    if (!t->graph) return weft_error_code(c);
    const weft_tensor x = weft_input(t->graph, WEFT_I32, weft_dims(t->batch, CUBE_SLOTS));
    const weft_tensor y = weft_input(t->graph, WEFT_I32, weft_dims(t->batch));
    t->loss = weft_cross_entropy(cube_net_record(s, x, &t->net), y);
    const weft_updates u = weft_optimiser(
        s, t->loss, &(weft_optimiser_desc){.kind = WEFT_OPTIMISER_ADAM, .lr = (float)t->rate});
    t->plan = weft_compile(t->graph, &(weft_plan_desc){.fetch = weft_list(t->loss),
                                                       .update = u,
                                                       .training = true,
                                                       .threads = t->run.set->threads,
                                                       .name = "train"});
    t->x = t->plan ? weft_feed(t->plan, x) : NULL;
    t->y = t->plan ? weft_feed(t->plan, y) : NULL;
    if (!t->x || !t->y) return weft_error_code(c);
    const int64_t plan = t->set->plan ? t->set->plan : t->seconds > 0 ? 0 : t->run.set->steps;
    const weft_err e =
        pace_make(&t->pace, s, "cube",
                  &(pace_desc){.seconds = t->seconds, .settled = cube_settled, .plan = plan});
    if (e) return e;
    return cube_view_make(&t->view, s, &t->net, CUBE_KINDS * CUBE_SEEN, t->run.set->threads);
}

static weft_err cube_train(cube_training *t, weft_train_result *r) {
    const run_settings *const s = t->run.set;
    weft_err e = run_train(&t->run,
                           (weft_train_desc){.step = cube_step,
                                             .seconds = t->seconds,
                                             .evaluate = cube_try,
                                             .evaluate_every = CUBE_EVERY,
                                             .user = t,
                                             .title = "Cube"},
                           cube_net_write, &t->net, r);
    if (e) return e;
    t->evaluated = r->ending != WEFT_END_INTERRUPTED && t->set->evaluate != CUBE_EVALUATE_NONE;
    if (t->evaluated)
        e = cube_evaluate(t->run.state, &t->net,
                          &(cube_evaluate_desc){.threads = s->threads,
                                                .quick = t->set->evaluate == CUBE_EVALUATE_QUICK,
                                                .progress = s->quiet ? NULL : stderr},
                          &t->results);
    return e ? e : cube_report(&t->run, r, t->evaluated ? &t->results : NULL);
}

static void cube_close(cube_training *t) {
    cube_view_free(&t->view);
    weft_plan_free(t->plan);
    weft_graph_free(t->graph);
    run_close(&t->run);
}

static int cube_main(const call *c) {
    cube_settings s = *(const cube_settings *)c->settings;
    cube_training t = {.set = &s};
    weft_train_result r;
    weft_err e = run_open(&t.run, c, &s.common);
    if (!e && !run_place(&t.run, "cube")) {
        cube_close(&t);
        return EXIT_USAGE;
    }
    if (!e) e = run_go_on(&t.run, &s);
    t.batch = s.batch ? s.batch : CUBE_BATCH;
    t.turns = (int)(s.turns ? s.turns : CUBE_TURNS);
    t.rate = s.rate > 0 ? s.rate : cube_rate;
    t.seconds = s.common.seconds > 0 ? s.common.seconds : s.common.steps ? 0 : cube_seconds;
    t.net.wide = s.hidden ? s.hidden : CUBE_WIDE;
    t.net.narrow = (t.net.wide + 1) / 2;
    if (!e) e = cube_prepare(&t);
    if (!e) e = cube_train(&t, &r);
    int status = EXIT_GOOD;
    if (e) status = command_failed(c, t.run.ctx);
    else {
        cube_tell(&t.run, &r, t.evaluated ? &t.results : NULL);
        if (r.ending == WEFT_END_INTERRUPTED) status = EXIT_INTERRUPTED;
    }
    cube_close(&t);
    return status;
}

/* clang-format off */
#define ROW(member_, name_, kind_, value_, low_, high_, help_)                                     \
    { .name = name_, .kind = kind_, .value = value_, .low = low_, .high = high_, .help = help_,    \
      .offset = offsetof(cube_settings, member_) }
static const option cube_options[] = {
    ROW(plan, "plan", OPTION_LONG, "N", 1, 1 << 30,
        "steps of the learning-rate schedule (as many as fit into the time)"),
    ROW(turns, "turns", OPTION_LONG, "N", 1, 1000, "most turns of a scramble (11)"),
    ROW(batch, "batch", OPTION_LONG, "N", 1, 1 << 20, "cubes per step (1024)"),
    ROW(hidden, "hidden", OPTION_LONG, "N", 2, 1 << 16,
        "width of the first layer; the second has half (512)"),
    {.name = "evaluate", .kind = OPTION_CHOICE, .also = "judge", .value = CUBE_EVALUATE_WORDS,
     .role = OPTION_MANNER,
     .help = "evaluation at the end: all cubes, a fiftieth of them, or none (full)",
     .offset = offsetof(cube_settings, evaluate)},
    ROW(rate, "rate", OPTION_POSITIVE, "X", 0, 1000, "peak learning rate (0.003)"),
};
#undef ROW
/* clang-format on */

const command train_cube_task = {
    .name = "cube",
    .summary = "learn to solve the 2x2x2 cube",
    .about =
        "Learns which turn brings a scrambled cube closer to the solved one, from scrambles of\n"
        "its own, for 60 seconds unless --seconds or --steps is given. It is then evaluated\n"
        "against optimal solutions: greedy play from all 3,674,160 cubes, and beam search from\n"
        "13,220 of them. weft play cube shows it at work.\n",
    .examples = "weft train cube\n"
                "weft train cube --seconds 600 --run runs/patient\n",
    COMMAND_OPTIONS(cube_options),
    .settings_size = sizeof(cube_settings),
    .run = cube_main,
};
