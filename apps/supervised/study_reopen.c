/* study_reopen.c - a run that exists, opened to be evaluated or exported. */
#include "study_tasks.h"

#include <stdlib.h>
#include <string.h>

static const study_task *const study_tasks[] = {&study_digits, &study_csv};

const study_task *study_task_named(const char *name) {
    const char *word = strrchr(name, ' ') ? strrchr(name, ' ') + 1 : name;
    for (size_t i = 0; i < sizeof study_tasks / sizeof *study_tasks; i++)
        if (strcmp(study_tasks[i]->command->name, word) == 0) return study_tasks[i];
    return NULL;
}

weft_err study_reopen(study *t, const call *c, const char *path, int threads,
                      const study_task **task, void **settings) {
    static const study_settings nothing;
    char name[64] = "";
    weft_err e = study_open(t, c, &nothing);
    if (!e) e = run_locate(&t->run, path);
    if (!e) e = run_command(&t->run, name, sizeof name);
    if (!e && !(*task = study_task_named(name)))
        e = weft_fail(t->run.ctx, WEFT_UNSUPPORTED,
                      "%s is a run of \"%s\", which cannot be evaluated here", t->run.folder, name);
    if (e) return e;
    if (!(*settings = calloc(1, (*task)->command->settings_size)))
        return weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    const options all = command_options(&train_command, (*task)->command);
    e = run_remember(&t->run, &all, *settings);
    ((study_settings *)*settings)->common.threads = threads;
    t->set = *settings;
    if (!e) e = study_model(t);
    t->validation = 0; /* nothing is trained, so nothing is set aside */
    if (!e && !(*task)->fits(&t->model))
        e = weft_fail(t->run.ctx, WEFT_FORMAT, "%s/config.json: model: not one of weft %s",
                      t->run.folder, name);
    return e ? e : run_limit(&t->run);
}

/* Averages, where the run has kept them, are what was evaluated. */
weft_err study_weights(study *t) {
    weft_err e = run_weights(&t->run);
    if (e || !(t->set->average > 0)) return e;
    weft_archive *a = weft_archive_open(t->run.ctx, t->run.weights);
    if (!a) return weft_error_code(t->run.ctx);
    e = weft_state_load(
        t->run.state, a,
        &(weft_load_desc){
            .all = true, .prefix = "optim.ema.", .allow_extra = true, .allow_missing = true});
    weft_archive_free(a);
    return e;
}
