/* test_profile_train.c - kernels.json: a training run writes down where its time goes, whoever
 * profiles it, and only into a run. */
#include "run_folder.h"

#include "profile_world.h"
#include "weft/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static weft_err one_step(void *user, int64_t step, weft_metrics *m) {
    const learner *l = user;
    (void)step;
    const weft_err e = weft_run(l->p);
    weft_metric(m, "train/loss", (double)weft_item(l->p, l->m.loss));
    return e;
}

/* How many runs kernels.json speaks of; -1: there is no file, -2: it is none of ours. */
static int64_t runs_told(const learner *l, const run_folder *f) {
    weft_file file;
    if (weft_file_open(l->c, run_path(f, "kernels.json"), &file)) return -1;
    const weft_json j = weft_json_parse(l->c, file.bytes, file.n, "kernels.json");
    const bool ours = weft_json_is(weft_json_get(j, "plan"), "learn") &&
                      weft_json_count(weft_json_get(j, "kernels")) > 3;
    const int64_t runs = weft_json_integer(weft_json_get(j, "runs"), -2);
    weft_file_close(&file);
    return ours ? runs : -2;
}

static void train_steps(learner *l, const run_folder *f, int64_t steps, weft_profile *p,
                        bool resume) {
    const weft_train_desc d = {.step = one_step,
                               .user = l,
                               .steps = steps,
                               .run = f ? f->path : NULL,
                               .resume = resume,
                               .profile = p};
    if (!CHECK_EQ(weft_train(l->s, &d, NULL), WEFT_OK)) CHECK_STR(weft_error(l->c), "");
}

TEST(some_early_steps_are_timed) {
    const run_folder f = run_make();
    learner l = learner_open("cpu", (weft_plan_desc){.name = "learn"});
    CASE("a long run");
    train_steps(&l, &f, 100, NULL, false);
    CHECK_EQ(runs_told(&l, &f), 20);
    CHECK(!weft_recorded(l.c));
    CASE("that goes on");
    CHECK_EQ(remove(run_path(&f, "kernels.json")), 0);
    train_steps(&l, &f, 250, NULL, true);
    CHECK_EQ(runs_told(&l, &f), 20);
    CASE("a short one");
    train_steps(&l, &f, 9, NULL, false);
    CHECK_EQ(runs_told(&l, &f), 8); /* the first is cold */
    CASE("of one step");
    train_steps(&l, &f, 1, NULL, false);
    CHECK_EQ(runs_told(&l, &f), 1);
    CASE("of none");
    train_steps(&l, &f, 1, NULL, true);
    CHECK_EQ(runs_told(&l, &f), -2);
    CASE("without a folder");
    train_steps(&l, NULL, 50, NULL, false);
    learner_close(&l);
    run_remove(f.path);
}

/* ---- an agent that acts at first and learns later ---- */

typedef struct late {
    learner l;
    weft_plan *act;
} late;

static weft_err late_step(void *user, int64_t step, weft_metrics *m) {
    const late *a = user;
    for (int i = 0; i < 5; i++) {
        const weft_err e = weft_run(a->act);
        if (e) return e;
    }
    if (step >= 50) return one_step((void *)(uintptr_t)&a->l, step, m);
    weft_metric(m, "train/loss", 1);
    return WEFT_OK;
}

TEST(a_plan_that_begins_late_is_waited_for) {
    const run_folder f = run_make();
    late a = {.l = learner_open("cpu", (weft_plan_desc){.name = "learn"})};
    a.act = weft_compile(a.l.g, &(weft_plan_desc){.fetch = weft_list(a.l.m.y), .name = "act"});
    weft_train_desc d = {.step = late_step, .user = &a, .steps = 45, .run = f.path};
    memcpy(weft_feed(a.act, a.l.m.x), weft_feed(a.l.p, a.l.m.x), 64 * 96 * sizeof(float));
    CHECK_EQ(weft_train(a.l.s, &d, NULL), WEFT_OK);
    CHECK_EQ(runs_told(&a.l, &f), -2); /* of acting */
    d.steps = 200;
    CHECK_EQ(weft_train(a.l.s, &d, NULL), WEFT_OK);
    CHECK_EQ(runs_told(&a.l, &f), 20);
    CHECK(!weft_recorded(a.l.c));
    weft_plan_free(a.act);
    learner_close(&a.l);
    run_remove(f.path);
}

TEST(a_profile_of_ones_own_is_told_of) {
    const run_folder f = run_make();
    learner l = learner_open("cpu", (weft_plan_desc){.name = "learn"});
    weft_profile *p = weft_profile_open(l.c, NULL);
    train_steps(&l, &f, 70, p, false);
    CHECK_EQ(runs_told(&l, &f), 70);
    CHECK(weft_recorded(l.c)); /* it goes on */
    CASE("and left alone when it is not given");
    train_steps(&l, &f, 70, NULL, false);
    CHECK_EQ(runs_told(&l, &f), -1);
    weft_profile_close(p);
    learner_close(&l);
    run_remove(f.path);
}

/* A network with a hundred kernels of different shapes: kernels.json has them all. */
TEST(every_kernel_has_its_row) {
    enum { LAYERS = 100 };
    const run_folder f = run_make();
    learner l = {.c = weft_open("cpu")};
    l.g = weft_graph_new(l.c);
    l.s = weft_state_new(l.c);
    weft_tensor h = l.m.x = weft_input(l.g, WEFT_F32, weft_dims(2, 3));
    for (int i = 0; i < LAYERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "fc%d", i);
        h = weft_tanh(weft_linear(l.s, h, 3 + i, name));
    }
    l.m.loss = weft_mean(h, weft_dims(0, 1), false);
    l.p = weft_compile(l.g, &(weft_plan_desc){.fetch = weft_list(l.m.loss), .name = "learn"});
    if (!CHECK(l.p)) return;
    memset(weft_feed(l.p, l.m.x), 0, 6 * sizeof(float));
    train_steps(&l, &f, 12, NULL, false);
    weft_run_kernels *const k = calloc(1, sizeof *k);
    CHECK_EQ(weft_run_kernels_read(l.c, f.path, k), WEFT_OK);
    double share = k->wait;
    for (int i = 0; i < k->kernel_count; i++) share += k->kernel[i].share;
    CHECK(k->kernel_count >= LAYERS);
    CHECK(share > 0.5 && share < 1.001);
    weft_profile *p = weft_profile_open(l.c, NULL);
    weft_profile_rows rows;
    CHECK_EQ(weft_run(l.p), WEFT_OK);
    CHECK_EQ(weft_profile_by(p, 0, WEFT_BY_KERNEL, &rows), WEFT_OK);
    CHECK_EQ(k->kernel_count, rows.n);
    weft_profile_close(p);
    free(k);
    learner_close(&l);
    run_remove(f.path);
}

TEST(the_same_bits_either_way) {
    uint64_t hash[3];
    for (int way = 0; way < 3; way++) { /* nobody looks, the run's own look, a profile */
        const run_folder f = run_make();
        learner l = learner_open("cpu", (weft_plan_desc){.threads = 2, .name = "learn"});
        weft_profile *p = way == 2 ? weft_profile_open(l.c, NULL) : NULL;
        train_steps(&l, way ? &f : NULL, 60, p, false);
        hash[way] = weft_state_hash(l.s);
        weft_profile_close(p);
        learner_close(&l);
        run_remove(f.path);
    }
    CHECK(hash[0] == hash[1] && hash[1] == hash[2]);
}
