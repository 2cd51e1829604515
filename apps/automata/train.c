/* train.c - weft train life, checkerboard, lizard and g: automata of gates learn a task.
 *
 * An attempt is a wiring, drawn from the seed and the number of the attempt, and logits that begin
 * alike. Now and then the gates are taken at their word, as a circuit, and tried on fresh boards:
 * without a mistake it is learned. An attempt that has not come there in its time is given up, and
 * the next one begins; why is told and logged. What an attempt is and how far it has come lies in
 * the state, so a run that was stopped continues with the same bits. */
#include "apps/tasks.h"
#include "automata.h"
#include "cli/snapshot.h"
#include "oracle.h"
#include "show.h"

#include <weft/optim.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct automata_settings {
    run_settings common;
    double rate, pass, decay, temperature, bits, below;
    int64_t patience, epochs;
    int mode;
    bool async, oracle;
} automata_settings;

typedef struct automata_run {
    run run;
    const automata_settings *set;
    const automata_task *task;
    weft_automaton *rule;
    int built; /* the attempt that rule and plan are for; -1: none */
    weft_plan *plan;
    weft_tensor loss;
    float *x, *y;         /* feeds: boards as they begin, and as they shall be; ... */
    float *share;         /* ... and the share of bits between steps, where there are any */
    uint8_t *cells;       /* boards as bytes */
    int32_t *attempt;     /* entries of the state: its number, ... */
    int32_t *within;      /* ... its steps so far, ... */
    float *error;         /* ... the square error of a cell in the last ones, ... */
    float *bits;          /* ... and the share of bits */
    snapshot first;       /* what an attempt begins with */
    int64_t wrong, tried; /* of the last look at the hard gates */
    bool exact;
    volatile bool stop;
    int gates, active; /* of the circuit in the end, as learned and simplified */
} automata_run;

/* ---- an attempt ---- */

static uint64_t automata_wiring(const automata_run *t, int attempt) {
    weft_rng r;
    weft_rng_seed(&r, (uint64_t)t->run.set->seed, (uint64_t)attempt);
    return (uint64_t)weft_rng_next(&r) << 32 | weft_rng_next(&r) | 1;
}

static int automata_patience(const automata_run *t) {
    return t->set->patience ? (int)t->set->patience : t->task->patience;
}

static float automata_bits(const automata_run *t) {
    return t->set->bits > 0 ? (float)t->set->bits : t->task->bits;
}

static weft_tensor automata_loss(automata_run *t, weft_tensor x, weft_tensor y, weft_tensor coef,
                                 weft_tensor share) {
    const automata_task *const k = t->task;
    const int steps = k->lesson.steps;
    weft_tensor loss = weft_scalar(x.g, 0);
    for (int i = 0; i < steps; i++) {
        if (i && automata_bits(t) > 0) x = weft_automaton_round(x, share);
        const weft_tensor next = weft_automaton_step(t->rule, x, coef);
        x = k->share > 0 ? weft_automaton_async(x, next, k->share) : next;
        if (i < steps - k->last) continue;
        const weft_tensor off = weft_sub(weft_slice(x, 0, 0, k->shown, 1), y);
        loss = weft_add(loss, weft_sum(weft_mul(off, off), WEFT_ALL, false));
    }
    return loss;
}

static weft_err automata_first(automata_run *t, int rows, float pass) {
    float *const first = weft_state_copy(t->run.state, "gates");
    if (!first) return weft_error_code(t->run.ctx);
    weft_automaton_init(t->rule, pass, first);
    const size_t bytes = (size_t)rows * WEFT_GATE_KINDS * sizeof *first;
    const weft_err e = weft_state_set(t->run.state, "gates", first, bytes);
    weft_resize(t->run.ctx, first, 0);
    return e;
}

static weft_err automata_build(automata_run *t, int attempt) {
    const automata_task *const k = t->task;
    const automata_boards b = k->lesson;
    weft_ctx *const c = t->run.ctx;
    weft_automaton_desc d = k->shape;
    d.seed = automata_wiring(t, attempt);
    weft_plan_free(t->plan);
    weft_automaton_free(t->rule);
    t->plan = NULL;
    t->rule = weft_automaton_new(c, &d);
    weft_graph *g = t->rule ? weft_graph_new(c) : NULL;
    if (!g) return weft_error_code(c);
    const int rows = weft_logic_rows(weft_automaton_logic(t->rule));
    const weft_tensor x =
        weft_input(g, WEFT_F32, weft_dims(d.channels, b.boards, b.height, b.width));
    const weft_tensor y = weft_input(g, WEFT_F32, weft_dims(k->shown, b.boards, b.height, b.width));
    const weft_tensor share = weft_input(g, WEFT_F32, weft_dims(1));
    const float pass = t->set->pass > 0 ? (float)t->set->pass : k->pass;
    const weft_tensor logits = weft_logic_logits(g, t->run.state, "gates", rows, pass);
    const weft_tensor coef =
        weft_logic_coefficients(logits, (weft_logic_mode)t->set->mode, (float)t->set->temperature);
    t->loss = automata_loss(t, x, y, coef, share);
    const weft_updates u = weft_optimiser(
        t->run.state, t->loss,
        &(weft_optimiser_desc){.kind = WEFT_OPTIMISER_ADAMW,
                               .lr = t->set->rate > 0 ? (float)t->set->rate : k->rate,
                               .beta2 = k->beta2,
                               .decay = t->set->decay > 0 ? (float)t->set->decay : k->decay,
                               .clip_value = 100});
    t->plan = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(t->loss),
                                                .update = u,
                                                .training = true,
                                                .threads = t->run.set->threads,
                                                .name = "train"});
    t->x = t->plan ? weft_feed(t->plan, x) : NULL;
    t->y = t->plan ? weft_feed(t->plan, y) : NULL;
    t->share = t->plan && automata_bits(t) > 0 ? weft_feed(t->plan, share) : NULL;
    weft_graph_free(g);
    t->built = attempt;
    if (!t->x || !t->y) return weft_error_code(c);
    return k->around && *t->within == 0 ? automata_first(t, rows, pass) : WEFT_OK;
}

static weft_err automata_again(automata_run *t) {
    ++*t->attempt;
    *t->within = 0;
    *t->error = 1;
    *t->bits = 0;
    return snapshot_restore(&t->first, t->run.state);
}

/* ---- a step ---- */

static size_t automata_shown(const automata_task *k) { /* cells of a lesson that have a target */
    const automata_boards b = k->lesson;
    return (size_t)k->shown * (size_t)b.boards * (size_t)b.height * (size_t)b.width;
}

static void automata_deal(automata_run *t, int64_t step) {
    const automata_task *const k = t->task;
    const automata_boards b = k->lesson;
    const size_t n = automata_cells(k, b.height, b.width, b.boards), shown = automata_shown(k);
    uint8_t *const wanted = t->cells + n;
    weft_rng r;
    weft_rng_seed(&r, (uint64_t)t->run.set->seed + (UINT64_C(1) << 40), (uint64_t)step);
    k->begin(k, b.height, b.width, b.boards, &r, t->cells);
    k->target(k, b.height, b.width, b.boards, t->cells, wanted);
    for (size_t i = 0; i < n; i++) t->x[i] = t->cells[i];
    for (size_t i = 0; i < shown; i++) t->y[i] = wanted[i];
    if (t->share) *t->share = *t->bits;
}

/* Bits hide the gradient, so there are only as many as the error allows: they grow while it is
 * small, and go twice as fast when it is not. */
static void automata_adapt(automata_run *t, float error) {
    const float below = t->set->below > 0 ? (float)t->set->below : t->task->below;
    *t->error += (error - *t->error) / (*t->within < 10 ? (float)*t->within : 10);
    *t->bits += *t->error < below ? automata_bits(t) : -2 * automata_bits(t);
    *t->bits = *t->bits < 0 ? 0 : *t->bits > 1 ? 1 : *t->bits;
}

static weft_circuit *automata_circuit(automata_run *t) {
    float *const logits = weft_state_copy(t->run.state, "gates");
    weft_circuit *const k =
        logits ? weft_logic_circuit(weft_automaton_logic(t->rule), logits, WEFT_GATE_KINDS) : NULL;
    weft_resize(t->run.ctx, logits, 0);
    return k;
}

/* Takes the gates at their word. Where all is right, the circuit is simplified, and that is looked
 * at with more care: it is what will be used. */
static weft_err automata_look(automata_run *t) {
    weft_circuit *k = automata_circuit(t);
    if (!k) return weft_error_code(t->run.ctx);
    weft_err e = t->task->wrong(t->task, t->rule, k, false, &t->wrong, &t->tried);
    if (!e && !t->wrong) {
        t->active = weft_circuit_active(k);
        e = weft_circuit_simplify(k);
        t->gates = weft_circuit_gates(k);
        if (!e) e = t->task->wrong(t->task, t->rule, k, true, &t->wrong, &t->tried);
        t->exact = !e && !t->wrong;
    }
    weft_circuit_free(k);
    return e;
}

static weft_err automata_learn(automata_run *t, weft_metrics *m) {
    const weft_err e = weft_run(t->plan);
    if (e) return e;
    const float counted = (float)automata_shown(t->task) * (float)t->task->last;
    const float error = weft_item(t->plan, t->loss) / counted;
    weft_metric(m, "train/error", (double)error);
    if (t->share) weft_metric(m, "bits/share", (double)*t->share);
    automata_adapt(t, error);
    return WEFT_OK;
}

static weft_err automata_step(void *user, int64_t step, weft_metrics *m) {
    automata_run *const t = user;
    weft_err e = WEFT_OK;
    if (*t->within >= automata_patience(t)) {
        if (!t->run.set->quiet)
            tell(stderr, "Wiring %d given up after %d steps: %lld of %lld cells wrong\n",
                 (int)*t->attempt + 1, (int)*t->within, (long long)t->wrong, (long long)t->tried);
        e = automata_again(t);
    }
    if (!e && t->built != *t->attempt) e = automata_build(t, *t->attempt);
    if (e) return e;
    automata_deal(t, step);
    ++*t->within;
    if ((e = automata_learn(t, m))) return e;
    weft_metric(m, "attempt/number", *t->attempt + 1);
    if (*t->within % t->task->check || (e = automata_look(t))) return e;
    weft_metric(m, "hard/wrong", (double)t->wrong / (double)t->tried);
    if (t->exact) t->stop = true;
    return e;
}

/* ---- a run ---- */

static weft_err automata_prepare(automata_run *t) {
    const automata_task *const k = t->task;
    weft_ctx *const c = t->run.ctx;
    weft_state *const s = t->run.state;
    const automata_boards b = k->lesson;
    weft_state_seed(s, (uint32_t)t->run.set->seed);
    t->cells = malloc(automata_cells(k, b.height, b.width, b.boards) + automata_shown(k));
    weft_graph *g = t->cells ? weft_graph_new(c) : NULL; /* entries are asked for through a graph */
    if (!g) return t->cells ? weft_error_code(c) : weft_fail(c, WEFT_MEMORY, "out of memory");
    weft_buffer(g, s, "rng.attempt.number", WEFT_I32, weft_dims(1), (weft_init){0});
    weft_buffer(g, s, "rng.attempt.steps", WEFT_I32, weft_dims(1), (weft_init){0});
    weft_buffer(g, s, "rng.attempt.error", WEFT_F32, weft_dims(1),
                (weft_init){.kind = WEFT_INIT_ONES});
    weft_buffer(g, s, "rng.attempt.bits", WEFT_F32, weft_dims(1), (weft_init){0});
    weft_graph_free(g);
    const struct {
        const char *name;
        void **at;
    } own[] = {{"rng.attempt.number", (void **)&t->attempt},
               {"rng.attempt.steps", (void **)&t->within},
               {"rng.attempt.error", (void **)&t->error},
               {"rng.attempt.bits", (void **)&t->bits}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (weft_state_host(s, own[i].name)) return weft_error_code(c);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!(*own[i].at = weft_state_data(s, own[i].name))) return weft_error_code(c);
    const weft_err e = automata_build(t, 0);
    return e ? e : snapshot_take(&t->first, t->run.state, "rng."); /* these go on */
}

static weft_err automata_train(automata_run *t, weft_train_result *r) {
    const weft_err e = run_train(&t->run,
                                 (weft_train_desc){.step = automata_step,
                                                   .user = t,
                                                   .title = t->task->title,
                                                   .log_every = t->task->check,
                                                   .stop = &t->stop,
                                                   .stop_text = "learned exactly"},
                                 NULL, NULL, r);
    if (e) return e;
    char summary[600];
    if (t->exact)
        snprintf(
            summary, sizeof summary,
            "Learned exactly after %lld steps in %.1f s, with wiring %d: %d active gates, %d after "
            "simplification.",
            (long long)r->steps, r->seconds, (int)*t->attempt + 1, t->active, t->gates);
    else
        snprintf(summary, sizeof summary,
                 "Not learned in %lld steps and %.1f s, with wiring %d: %s.", (long long)r->steps,
                 r->seconds, (int)*t->attempt + 1, r->text);
    weft_circuit *const k = automata_circuit(t);
    const weft_err told =
        k ? automaton_report(&t->run, t->task, t->rule, k, summary) : weft_error_code(t->run.ctx);
    weft_circuit_free(k);
    return told;
}

static void automata_tell(const automata_run *t, const weft_train_result *r) {
    if (t->run.set->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", RUN_SCHEMA);
        json_text(&j, "run", t->run.folder);
        json_text(&j, "task", t->task->name);
        json_bool(&j, "exact", t->exact);
        json_integer(&j, "attempts", *t->attempt + 1);
        json_integer(&j, "steps", r->steps);
        json_number(&j, "train_seconds", r->seconds);
        json_integer(&j, "wrong", t->wrong);
        json_integer(&j, "tried", t->tried);
        json_integer(&j, "active_gates", t->active);
        json_integer(&j, "gates", t->gates);
        json_text(&j, "ending", r->text);
        json_end(&j);
        return;
    }
    if (t->exact)
        tell(stdout,
             "Learned exactly after %lld steps in %.1f s (wiring %d): %d active gates, %d after "
             "simplification.\n",
             (long long)r->steps, r->seconds, (int)*t->attempt + 1, t->active, t->gates);
    else tell(stdout, "Not learned: %s; use --resume to continue.\n", r->text);
    tell(stdout, "Report: %s/report.html\n", t->run.folder);
}

static void automata_close(automata_run *t) {
    snapshot_free(&t->first);
    free(t->cells);
    weft_plan_free(t->plan);
    weft_automaton_free(t->rule);
    run_close(&t->run);
}

static int automata_main(const call *c, const automata_task *task) {
    automata_settings s = *(const automata_settings *)c->settings;
    automata_run t = {.set = &s, .task = task, .built = -1};
    weft_train_result r;
    weft_err e = run_open(&t.run, c, &s.common);
    if (!e && !run_place(&t.run, task->name)) {
        automata_close(&t);
        return EXIT_USAGE;
    }
    if (!e) e = run_go_on(&t.run, &s);
    if (!e) e = automata_prepare(&t);
    if (!e) e = automata_train(&t, &r);
    int status = EXIT_GOOD;
    if (e) status = command_failed(c, t.run.ctx);
    else {
        automata_tell(&t, &r);
        if (r.ending == WEFT_END_INTERRUPTED && !t.exact) status = EXIT_INTERRUPTED;
    }
    automata_close(&t);
    return status;
}

static int life_main(const call *c) {
    return automata_main(c, &automata_life);
}

static int lizard_main(const call *c) {
    return automata_main(c, &automata_lizard);
}

static int g_main(const call *c) {
    return automata_main(c, &automata_g);
}

static int oracle_main(const call *c, const automata_settings *s) {
    weft_ctx *ctx =
        weft_open_with(&(weft_open_desc){.device = "cpu", .threads = s->common.threads});
    const weft_err e = ctx ? checkerboard_oracle(ctx, s->epochs ? s->epochs : 640,
                                                 s->common.threads, s->common.json)
                           : WEFT_MEMORY;
    const int status = e ? command_failed(c, ctx) : EXIT_GOOD;
    weft_close(ctx);
    return status;
}

static int checkerboard_main(const call *c) {
    const automata_settings *const s = c->settings;
    if (s->oracle) return oracle_main(c, s);
    return automata_main(c, s->async ? &automata_checkerboard_async : &automata_checkerboard);
}

/* clang-format off */
#define ROW(member_, name_, kind_, value_, low_, high_, help_)                                     \
    { .name = name_, .kind = kind_, .value = value_, .low = low_, .high = high_, .help = help_,    \
      .offset = offsetof(automata_settings, member_) }
#define MODE_WORD(name, text) "|" text
#define TEXT(x) #x
#define DEFAULT(x) " (" TEXT(x) ")"
#define DEFAULTS(x, async) " (" TEXT(x) "; --async " TEXT(async) ")"
#define AUTOMATA_ROWS(rate_, decay_)                                                                              \
    ROW(rate, "rate", OPTION_POSITIVE, "X", 0, 100, "learning rate" rate_),                        \
    ROW(decay, "decay", OPTION_POSITIVE, "X", 0, 100, "weight decay of the logits" decay_),         \
    ROW(pass, "pass", OPTION_POSITIVE, "X", 0, 100, "initial logit of pass-through gates"),        \
    ROW(bits, "bits", OPTION_POSITIVE, "X", 0, 1,                                                  \
        "increase per training step of the share of values rounded between automaton steps"),      \
    ROW(below, "below", OPTION_POSITIVE, "X", 0, 1, "increase that share while the error per cell is below"), \
    ROW(temperature, "temperature", OPTION_POSITIVE, "X", 0, 100, "softmax temperature (1)"),           \
    ROW(mode, "mode", OPTION_CHOICE, &"" WEFT_LOGIC_MODES(MODE_WORD)[1], 0, 0,                     \
        "how gates are relaxed for training (soft)"),                                                                  \
    ROW(patience, "attempt", OPTION_LONG, "N", 1, 1 << 30, "steps until training restarts with a new wiring")
static const option life_options[] = { AUTOMATA_ROWS(DEFAULT(LIFE_RATE), DEFAULT(LIFE_DECAY)) };
static const option picture_options[] = { AUTOMATA_ROWS(DEFAULT(PICTURE_RATE), DEFAULT(PICTURE_DECAY)) };
static const option checkerboard_options[] = {
    ROW(oracle, "oracle", OPTION_FLAG, NULL, 0, 0, "reproduce a published run and print its losses"),
    ROW(async, "async", OPTION_FLAG, NULL, 0, 0, "each cell is updated with probability 0.6, in 50 steps"),
    ROW(epochs, "epochs", OPTION_LONG, "N", 1, 1000000, "epochs of --oracle (640)"),
    AUTOMATA_ROWS(DEFAULT(CHECKERBOARD_RATE),
        DEFAULTS(CHECKERBOARD_DECAY, CHECKERBOARD_ASYNC_DECAY)),
};
#undef ROW
#undef TEXT
#undef DEFAULT
#undef DEFAULTS
/* clang-format on */

const command train_life_task = {
    .name = "life",
    .summary = "learn the Game of Life as a circuit",
    .about =
        "A cellular automaton made of logic gates learns the update rule from random boards.\n"
        "Training ends when the circuit, each gate replaced by its most likely function, is\n"
        "correct for all 512 neighbourhoods; it is then verified over 1,000 generations of a\n"
        "glider and an R-pentomino. If it takes too long, training restarts with a new wiring.\n",
    .examples = "weft train life\n"
                "weft train life --seed 7 --run runs/seven\n",
    COMMAND_OPTIONS(life_options),
    .settings_size = sizeof(automata_settings),
    .run = life_main,
};
const command train_checkerboard_task = {
    .name = "checkerboard",
    .summary = "learn an automaton that grows a checkerboard from noise",
    .about =
        "A cellular automaton made of logic gates learns to turn noise into a checkerboard of\n"
        "2 x 2 squares in 20 steps, or in 50 steps that update each cell with probability 0.6\n"
        "(--async). Training ends when the circuit, each gate replaced by its most likely\n"
        "function, makes no error on 64 new boards, nor on 64 x 64 boards after four times the\n"
        "steps. --oracle reproduces a run of another system instead and prints its losses.\n",
    .examples = "weft train checkerboard\n"
                "weft train checkerboard --async\n"
                "weft train checkerboard --oracle --epochs 4\n",
    COMMAND_OPTIONS(checkerboard_options),
    .settings_size = sizeof(automata_settings),
    .run = checkerboard_main,
};
const command train_lizard_task = {
    .name = "lizard",
    .summary = "learn an automaton that grows a lizard from one cell",
    .about =
        "A cellular automaton made of logic gates learns to grow a picture of 20 x 20 cells from\n"
        "a single cell, in 12 steps on a board that wraps around. Training ends when the circuit,\n"
        "each gate replaced by its most likely function, has no wrong cell. Takes minutes.\n",
    .examples = "weft train lizard\n",
    COMMAND_OPTIONS(picture_options),
    .settings_size = sizeof(automata_settings),
    .run = lizard_main,
};
const command train_g_task = {
    .name = "g",
    .summary = "learn an automaton that paints a coloured letter",
    .about =
        "A cellular automaton made of logic gates learns to paint a G in four colours, 16 x 16\n"
        "cells of three bits, in 15 steps on an empty board, where only the edges break the\n"
        "symmetry. Training ends when the circuit, each gate replaced by its most likely\n"
        "function, has no wrong bit. Takes about a minute.\n",
    .examples = "weft train g\n",
    COMMAND_OPTIONS(picture_options),
    .settings_size = sizeof(automata_settings),
    .run = g_main,
};
