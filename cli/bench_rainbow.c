/* bench_rainbow.c - what each part of Rainbow brings: the same agent with one switch at a time.
 *
 * Two tasks, some seeds each, a fixed number of steps. Every so many steps the agent plays games of
 * its own seeds greedily; a line has the mean of all those evaluations (how fast it learned) and the
 * last one (how far it came). With --report the curves are drawn. First an agent with that switch must
 * have learned what is known beforehand (bench_corridor.c). */
#include "bench.h"
#include "bench_q.h"
#include "command.h"

#include <weft/rl.h>

#include <stdlib.h>
#include <string.h>

/* clang-format off */
/*    name           what is on */
#define RAINBOW_PARTS(X)                                                                           \
    X("plain",       RAINBOW_PLAIN)                                                                \
    X("double",      RAINBOW_DOUBLE)                                                               \
    X("dueling",     RAINBOW_DUELING)                                                              \
    X("n-step",      RAINBOW_STEPS)                                                                \
    X("prioritised", RAINBOW_PRIORITISED)                                                          \
    X("noisy",       RAINBOW_NOISY)                                                                \
    X("atoms",       RAINBOW_ATOMS)                                                                \
    X("all",         RAINBOW_DOUBLE | RAINBOW_DUELING | RAINBOW_STEPS | RAINBOW_PRIORITISED |      \
                     RAINBOW_NOISY | RAINBOW_ATOMS)
/* clang-format on */

enum {
    RAINBOW_PLAIN = 0,
    RAINBOW_DOUBLE = 1,
    RAINBOW_DUELING = 2,
    RAINBOW_STEPS = 4,
    RAINBOW_PRIORITISED = 8,
    RAINBOW_NOISY = 16,
    RAINBOW_ATOMS = 32
};

static const struct {
    const char *name;
    int on;
} rainbow_parts[] = {
#define X(name, on) {name, on},
    RAINBOW_PARTS(X)
#undef X
};

typedef struct rainbow_task {
    const char *env, *metric; /* "cart-pole/": the parts are lines of one plot */
    int games, seeds, steps, evaluations;
    float low, high; /* of the atoms */
    weft_dqn_desc d; /* what all parts share */
} rainbow_task;

enum {
    RAINBOW_COUNT = sizeof rainbow_parts / sizeof *rainbow_parts,
    RAINBOW_TASKS = 2,
    RAINBOW_EVALUATIONS = 20,
    RAINBOW_GAMES = 40,       /* games per evaluation */
    RAINBOW_LONGEST = 100000, /* steps of such a game */
    RAINBOW_ATOM_COUNT = 51
};

static const int rainbow_hidden[] = {64, 64, 0};
static const int rainbow_wide[] = {256, 64, 0};
static const weft_optimiser_desc rainbow_adam = {.kind = WEFT_OPTIMISER_ADAM, .lr = 1e-3f};

static const rainbow_task rainbow_tasks[RAINBOW_TASKS] = {
    {.env = "cartpole",
     .metric = "cart-pole",
     .games = 8,
     .seeds = 5,
     .steps = 6000,
     .evaluations = RAINBOW_EVALUATIONS,
     .low = 0,
     .high = 12,
     .d = {.hidden = rainbow_hidden,
           .batch = 64,
           .start = 1000,
           .target_every = 100,
           .replay = {.capacity = 50000, .scale = 0.1f},
           .explore = {.first = 1, .last = 0.05f, .over = 2000}}},
    {.env = "2048",
     .metric = "2048",
     .games = 32,
     .seeds = 2,
     .steps = 6000,
     .evaluations = 10,
     .low = 0,
     .high = 4,
     .d = {.hidden = rainbow_wide,
           .sparse = true,
           .batch = 64,
           .start = 5000,
           .target_every = 200,
           .replay = {.capacity = 100000, .scale = 1 / 1024.0f},
           .explore = {.first = 1, .last = 0.01f, .over = 1500}}},
};

static weft_dqn_desc rainbow_desc(const rainbow_task *t, int on, uint64_t seed, int threads) {
    weft_dqn_desc d = t->d;
    d.optimiser = &rainbow_adam;
    d.not_double = !(on & RAINBOW_DOUBLE);
    d.dueling = on & RAINBOW_DUELING;
    d.replay.n_step = on & RAINBOW_STEPS ? 3 : 1;
    d.replay.prioritised = on & RAINBOW_PRIORITISED;
    d.replay.beta_steps = t->steps;
    d.noisy = on & RAINBOW_NOISY;
    if (on & RAINBOW_NOISY) d.explore = (weft_explore){0}; /* the noise explores */
    if (on & RAINBOW_ATOMS) d.atoms = RAINBOW_ATOM_COUNT, d.low = t->low, d.high = t->high;
    d.seed = seed;
    d.threads = threads;
    return d;
}

/* Mean of the games of one status; they are the same games every time. */
static weft_err rainbow_evaluate(bench *b, weft_dqn *a, const weft_env *e, double *mean) {
    float total[RAINBOW_GAMES];
    weft_state *s = weft_state_new(b->ctx);
    weft_envs *v =
        s ? weft_envs_new(s, e, RAINBOW_GAMES, "evaluation", &(weft_envs_desc){.seed = 1u << 20})
          : NULL;
    const weft_err bad =
        v ? weft_envs_play(v, weft_dqn_act, a, RAINBOW_LONGEST, total) : weft_error_code(b->ctx);
    *mean = 0;
    for (int i = 0; i < RAINBOW_GAMES && !bad; i++) *mean += (double)total[i] / RAINBOW_GAMES;
    weft_envs_free(v);
    weft_state_free(s);
    return bad;
}

/* Learns once; adds the result of each evaluation to curve, and gives the time of learning. */
static weft_err rainbow_learn(bench *b, const rainbow_task *t, int on, uint64_t seed,
                              double curve[RAINBOW_EVALUATIONS], double *seconds) {
    const weft_env *const e = weft_env_named(b->ctx, t->env);
    const weft_dqn_desc d = rainbow_desc(t, on, seed, b->threads ? b->threads : 1);
    weft_state *s = e ? weft_state_new(b->ctx) : NULL;
    if (s) weft_state_seed(s, (uint32_t)seed);
    weft_envs *v =
        s ? weft_envs_new(s, e, t->games, "games", &(weft_envs_desc){.seed = seed}) : NULL;
    weft_dqn *a = v ? weft_dqn_new(s, v, "agent", &d) : NULL;
    weft_err bad = a ? WEFT_OK : weft_error_code(b->ctx);
    const int steps = b->quick ? t->steps / 100 : t->steps,
              evaluations = b->quick ? 2 : t->evaluations;
    for (int k = 0; k < evaluations && !bad; k++) {
        const double start = weft_clock();
        for (int i = 0; i < steps / evaluations && !bad; i++) bad = weft_dqn_step(a, 0, NULL);
        *seconds += weft_clock() - start;
        double mean = 0;
        if (!bad) bad = rainbow_evaluate(b, a, e, &mean);
        curve[k] += mean / (b->quick ? 1 : t->seeds);
    }
    weft_dqn_free(a);
    weft_envs_free(v);
    weft_state_free(s);
    return bad;
}

/* All curves of both tasks, as the report has them. */
typedef struct rainbow_curves {
    double at[RAINBOW_TASKS][RAINBOW_COUNT][RAINBOW_EVALUATIONS];
} rainbow_curves;

static int rainbow_task_run(bench *b, const rainbow_task *t, int part,
                            double curve[RAINBOW_EVALUATIONS]) {
    const int seeds = b->quick ? 1 : t->seeds, evaluations = b->quick ? 2 : t->evaluations;
    double seconds = 0, mean = 0;
    const weft_dqn_desc d = rainbow_desc(t, rainbow_parts[part].on, 1, b->threads ? b->threads : 1);
    const int status = corridor_true(b, &d);
    if (status != EXIT_GOOD) return status;
    for (int seed = 1; seed <= seeds; seed++)
        if (rainbow_learn(b, t, rainbow_parts[part].on, (uint64_t)seed, curve, &seconds))
            return bench_failed(b, rainbow_parts[part].name);
    for (int k = 0; k < evaluations; k++) mean += curve[k] / evaluations;
    char label[40];
    snprintf(label, sizeof label, "%s %s", t->metric, rainbow_parts[part].name);
    bench_line l = {.part = label, .stats = {.threads = b->threads ? b->threads : 1}};
    const double steps = (double)(b->quick ? t->steps / 100 : t->steps) * seeds;
    weft_bench_summary(&(double){1e6 * seconds / steps}, 1, &l.time);
    bench_text(&l, "task", t->metric);
    bench_text(&l, "part", rainbow_parts[part].name);
    bench_number(&l, "mean", mean);
    bench_number(&l, "last", curve[evaluations - 1]);
    bench_number(&l, "seeds", seeds);
    bench_number(&l, "steps", steps / seeds);
    snprintf(l.note, sizeof l.note, "mean %6.0f   last %6.0f", mean, curve[evaluations - 1]);
    bench_write(b, &l);
    return EXIT_GOOD;
}

/* ---- the report ---- */

static weft_err rainbow_lines(const bench *b, weft_journal *j, const rainbow_curves *all) {
    char name[RAINBOW_TASKS][RAINBOW_COUNT][48];
    for (int t = 0; t < RAINBOW_TASKS; t++)
        for (int p = 0; p < RAINBOW_COUNT; p++)
            snprintf(name[t][p], sizeof name[t][p], "%s/%s", rainbow_tasks[t].metric,
                     rainbow_parts[p].name);
    for (int t = 0; t < RAINBOW_TASKS; t++) {
        const rainbow_task *const of = &rainbow_tasks[t];
        const int steps = b->quick ? of->steps / 100 : of->steps,
                  evaluations = b->quick ? 2 : of->evaluations;
        for (int k = 0; k < evaluations; k++) {
            weft_metrics m = {0};
            for (int p = 0; p < RAINBOW_COUNT; p++) weft_metric(&m, name[t][p], all->at[t][p][k]);
            const weft_err e = weft_journal_write(j, (int64_t)(k + 1) * (steps / evaluations), &m);
            if (e) return e;
        }
    }
    return WEFT_OK;
}

static int rainbow_report(bench *b, const rainbow_curves *all) {
    char config[200];
    snprintf(config, sizeof config,
             "{\"weft\": \"%s\", \"command\": \"bench rainbow\", \"options\": {\"games per "
             "evaluation\": "
             "\"%d\", \"atoms\": \"%d\"}}",
             weft_version(), RAINBOW_GAMES, RAINBOW_ATOM_COUNT);
    weft_journal *j = weft_journal_open(b->ctx, &(weft_journal_desc){.run = b->report,
                                                                     .config = config,
                                                                     .title = "Parts of Rainbow",
                                                                     .no_events = true});
    weft_err e = j ? rainbow_lines(b, j, all) : weft_error_code(b->ctx);
    const weft_err closed = weft_journal_close(j);
    if (!e) e = closed;
    if (!e)
        e = weft_report_write(
            b->ctx, b->report,
            &(weft_report){.title = "Parts of Rainbow",
                           .summary = "Greedy play while learning, a line for each part switched "
                                      "on alone, and all of them together. Mean over the seeds."});
    if (e) return bench_failed(b, "the report");
    if (!b->json) {
        terminal_line_end(&b->progress);
        tell(stdout, "Report: %s/report.html\n", b->report);
    }
    return EXIT_GOOD;
}

int bench_rainbow(bench *b) {
    rainbow_curves *all = calloc(1, sizeof *all);
    int status = all ? EXIT_GOOD : EXIT_RESOURCES;
    for (int t = 0; t < RAINBOW_TASKS; t++)
        for (int p = 0; p < RAINBOW_COUNT && status == EXIT_GOOD; p++)
            status = rainbow_task_run(b, &rainbow_tasks[t], p, all->at[t][p]);
    if (status == EXIT_GOOD && b->report) status = rainbow_report(b, all);
    free(all);
    return status;
}
