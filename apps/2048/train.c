/* train.c - weft train 2048: an agent learns the game, is tried now and then, and in the end
 * evaluated by a thousand games.
 *
 * The agents are dqn.c's and td.c's, the games game.c's. Here is the loop around
 * them, and the rate: it stays for a while and then falls along a line, over the steps that fit into
 * the time (pace.h) or, where there is no limit of time, over a number of the algorithm's. */
#include "apps/tasks.h"
#include "cli/pace.h"
#include "show.h"
#include <weft/bench.h>

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct train_2048_settings {
    run_settings common;
    int algo, tuples;
    int64_t games, plan;
    double rate;
} train_2048_settings;

enum { TRAIN_GAMES = 1000, TRAIN_TRIED = 100 };
static const double train_seconds = 600;
static const double train_settled = 0.25; /* of the time, when its steps are counted ... */
static const double train_held = 0.4;     /* ... and of those steps, while the rate stays */

typedef struct train_2048 {
    run run;
    const train_2048_settings *set;
    const algo_2048 *algo;
    void *agent;
    double seconds; /* 0: no limit */
    pace pace;
    int games;
    game_2048 *finished;
    results_2048 results;
    bool evaluated;
} train_2048;

/* ---- a step ---- */

static double train_share(const train_2048 *t, int64_t step) {
    const double gone = pace_gone(&t->pace, step);
    const double fallen = fmax(0, (gone - train_held) / (1 - train_held));
    return 1 - (1 - t->algo->lowest) * fallen;
}

static weft_err train_step(void *user, int64_t step, weft_metrics *m) {
    train_2048 *const t = user;
    const double start = weft_clock();
    t->algo->set_rate(t->agent, train_share(t, step));
    const weft_err e = t->algo->step(t->agent, step, m);
    pace_step(&t->pace, step, weft_clock() - start);
    return e;
}

/* ---- trials ---- */

/* Their numbers are behind those of the thousand: what is followed is not what is evaluated. */
static weft_err train_try(void *user, int64_t step, weft_metrics *m) {
    train_2048 *const t = user;
    game_2048 game[TRAIN_TRIED];
    results_2048 v = {0};
    (void)step;
    weft_err e = game_2048_play(t->run.ctx, t->algo, t->agent, 1 << 20, TRAIN_TRIED, game, NULL);
    if (!e) e = results_2048_of(t->run.ctx, game, TRAIN_TRIED, &v);
    if (e) return e;
    static const char *const rate[] = {"eval/rate_1024", "eval/rate_2048", "eval/rate_4096",
                                       "eval/rate_8192"};
    weft_metric(m, "eval/mean_score", v.mean);
    weft_metric(m, "eval/median_score", v.median);
    for (int k = 0; k < 4; k++) weft_metric(m, rate[k], v.reached[10 + k]);
    return WEFT_OK;
}

/* ---- a run ---- */

static weft_err train_prepare(train_2048 *t) {
    const run_settings *const s = t->run.set;
    weft_ctx *const c = t->run.ctx;
    t->finished = malloc((size_t)t->games * sizeof *t->finished);
    if (!t->finished) return weft_fail(c, WEFT_MEMORY, "out of memory");
    weft_state_seed(t->run.state, (uint32_t)s->seed);
    t->agent = t->algo->make(t->run.state, &(agent_2048_desc){.seed = (uint64_t)s->seed,
                                                              .threads = s->threads,
                                                              .tuples = t->set->tuples,
                                                              .rate = t->set->rate});
    if (!t->agent) return weft_error_code(c);
    const int64_t plan = t->set->plan ? t->set->plan : t->seconds > 0 ? 0 : t->algo->plan;
    return pace_make(&t->pace, t->run.state, "2048",
                     &(pace_desc){.seconds = t->seconds, .settled = train_settled, .plan = plan});
}

static weft_err train_evaluate(train_2048 *t) {
    weft_progress *const p =
        t->run.set->quiet ? NULL : weft_progress_new(t->run.ctx, stderr, t->games, 0);
    char line[64];
    snprintf(line, sizeof line, "Evaluating by %d games", t->games);
    weft_progress_unit(p, "games");
    weft_progress_say(p, line);
    const weft_err e = game_2048_play(t->run.ctx, t->algo, t->agent, 0, t->games, t->finished, p);
    weft_progress_free(p);
    return e;
}

static weft_err train_run(train_2048 *t, weft_train_result *r) {
    weft_err e = run_train(&t->run,
                           (weft_train_desc){.step = train_step,
                                             .seconds = t->seconds,
                                             .evaluate = train_try,
                                             .evaluate_every = t->algo->evaluate_every,
                                             .user = t,
                                             .title = t->algo->title,
                                             .log_every = t->algo->log_every,
                                             .checkpoint_every = t->algo->save_every},
                           NULL, NULL, r);
    if (e) return e;
    t->evaluated = r->ending != WEFT_END_INTERRUPTED;
    if (t->evaluated) e = train_evaluate(t);
    if (t->evaluated && !e) e = results_2048_of(t->run.ctx, t->finished, t->games, &t->results);
    return e ? e
             : show_2048_report(&t->run, t->algo->title, r, &t->results,
                                t->evaluated ? t->finished : NULL);
}

static void train_tell(const train_2048 *t, const weft_train_result *r) {
    if (t->run.set->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", RUN_SCHEMA);
        json_text(&j, "run", t->run.folder);
        json_text(&j, "algo", t->algo->name);
        json_integer(&j, "steps", r->steps);
        json_number(&j, "train_seconds", r->seconds);
        if (t->evaluated) show_2048_json(&j, &t->results);
        json_integer(&j, "resumed_at", r->resumed_at);
        json_text(&j, "ending", r->text);
        json_end(&j);
        return;
    }
    if (!t->evaluated) {
        tell(stdout, "%s; use --resume to continue.\nReport: %s/report.html\n", r->text,
             t->run.folder);
        return;
    }
    const terminal out = terminal_of(stdout, (terminal_when)t->run.set->color);
    show_2048_results(&out, &t->results);
    tell(stdout, "After %lld steps in %.1f s: %s.\nReport: %s/report.html\nweft play 2048 %s\n",
         (long long)r->steps, r->seconds, r->text, t->run.folder, t->run.folder);
}

static const algo_2048 *const train_algos[] = {
#define X(table, word) &table,
    ALGOS_2048(X)
#undef X
};

const algo_2048 *train_2048_algo(const void *settings) {
    return train_algos[((const train_2048_settings *)settings)->algo];
}

agent_2048_desc train_2048_agent(const void *settings) {
    const train_2048_settings *const s = settings;
    return (agent_2048_desc){.seed = (uint64_t)s->common.seed, .tuples = s->tuples, .plays = true};
}

static int train_main(const call *c) {
    train_2048_settings s = *(const train_2048_settings *)c->settings;
    train_2048 t = {.set = &s};
    weft_train_result r;
    char name[32];
    int status = EXIT_GOOD;
    weft_err e = run_open(&t.run, c, &s.common);
    snprintf(name, sizeof name, "2048-%s", train_2048_algo(&s)->name);
    bool usable = run_place(&t.run, name);
    if (!e && usable) e = run_go_on(&t.run, &s);
    t.algo = train_2048_algo(&s);
    t.games = (int)(s.games ? s.games : TRAIN_GAMES);
    t.seconds = s.common.seconds > 0 ? s.common.seconds : s.common.steps ? 0 : train_seconds;
    if (usable && s.tuples && t.algo != &algo_2048_td) {
        tell(stderr, "weft %s: --tuples is for --algo td\n", c->name);
        usable = false;
    }
    if (!e && usable) e = train_prepare(&t);
    if (!e && usable) e = train_run(&t, &r);
    if (e) status = command_failed(c, t.run.ctx);
    else if (!usable) status = EXIT_USAGE;
    else {
        train_tell(&t, &r);
        if (!t.evaluated) status = EXIT_INTERRUPTED;
    }
    if (t.algo) t.algo->free(t.agent);
    free(t.finished);
    run_close(&t.run);
    return status;
}

/* clang-format off */
#define ROW(member_, name_, kind_, value_, low_, high_, help_)                                     \
    { .name = name_, .kind = kind_, .value = value_, .low = low_, .high = high_, .help = help_,    \
      .offset = offsetof(train_2048_settings, member_) }
static const option train_2048_options[] = {
    ROW(algo, "algo", OPTION_CHOICE, ALGO_2048_WORDS, 0, 0, "learning algorithm (dqn)"),
    ROW(tuples, "tuples", OPTION_COUNT, "N", 4, 8, "td: number of six-cell tuples, 4, 5 or 8 (5)"),
    {.name = "games", .kind = OPTION_LONG, .value = "N", .low = 1, .high = 1000000,
     .role = OPTION_MANNER, .help = "games played in the evaluation at the end (1000)",
     .offset = offsetof(train_2048_settings, games)},
    ROW(plan, "plan", OPTION_LONG, "N", 1, 1 << 30,
        "steps of the learning-rate schedule (as many as fit into the time)"),
    ROW(rate, "rate", OPTION_POSITIVE, "X", 0, 1000, "initial learning rate (dqn 1e-3, td 1)"),
};
#undef ROW
/* clang-format on */

const command train_2048_task = {
    .name = "2048",
    .summary = "learn to play 2048",
    .about =
        "Learns from games it plays itself, for 600 seconds unless --seconds or --steps is\n"
        "given. dqn: Q-learning with replay and a target network, a wide sparse layer over\n"
        "afterstates. td: temporal-difference learning with tables of six-cell tuples; it plays\n"
        "better, and its checkpoint takes a gigabyte. Afterwards it is evaluated by greedy play\n"
        "on games that are the same for every run. weft play 2048 shows it at work.\n",
    .examples = "weft train 2048\n"
                "weft train 2048 --algo td --seconds 600\n"
                "weft train 2048 --seconds 60 --run runs/quick\n",
    COMMAND_OPTIONS(train_2048_options),
    .settings_size = sizeof(train_2048_settings),
    .run = train_main,
};
