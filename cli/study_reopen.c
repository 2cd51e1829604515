/* study_reopen.c - a run that exists, opened to be judged or exported. */
#include "study_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const study_task *const study_tasks[] = {&study_digits, &study_csv};

const study_task *study_task_named(const char *name) {
    const char *word = strrchr(name, ' ') ? strrchr(name, ' ') + 1 : name;
    for (size_t i = 0; i < sizeof study_tasks / sizeof *study_tasks; i++)
        if (strcmp(study_tasks[i]->command->name, word) == 0) return study_tasks[i];
    return NULL;
}

/* The run's folder and the file with the weights, from the path of either. */
static weft_err study_locate(study *t, const char *path) {
    struct stat info;
    if (stat(path, &info) != 0)
        return weft_fail(t->ctx, WEFT_FILE, "%s: %s", path, strerror(errno));
    const bool folder = S_ISDIR(info.st_mode);
    const int n = snprintf(t->run, sizeof t->run, "%s", path);
    if (n < 1 || (size_t)n >= sizeof t->run)
        return weft_fail(t->ctx, WEFT_ARGUMENT, "the path of the run is too long, or empty");
    if (folder) {
        weft_run_checkpoint(t->run, t->weights, sizeof t->weights);
        return WEFT_OK;
    }
    memcpy(t->weights, t->run, (size_t)n + 1);
    const char *slash = strrchr(path, '/'); /* run/any.safetensors, or run/checkpoints/it */
    const int length = slash ? (int)(slash - path) + 1 : 0;
    char config[sizeof t->run + 20];
    snprintf(config, sizeof config, "%.*sconfig.json", length, path);
    snprintf(t->run, sizeof t->run, "%.*s%s", length, path, stat(config, &info) == 0 ? "." : "..");
    return WEFT_OK;
}

weft_err study_reopen(study *t, const call *c, const char *path, int threads,
                      const study_task **task, void **settings) {
    static const study_settings nothing;
    char name[64] = "";
    weft_err e = study_open(t, c, &nothing);
    if (!e) e = study_locate(t, path);
    if (!e) e = study_command(t, name, sizeof name);
    if (!e && !(*task = study_task_named(name)))
        e = weft_fail(t->ctx, WEFT_UNSUPPORTED,
                      "%s is a run of \"%s\", which cannot be judged here", t->run, name);
    if (e) return e;
    if (!(*settings = calloc(1, (*task)->command->settings_size)))
        return weft_fail(t->ctx, WEFT_MEMORY, "out of memory");
    const options all = command_options(&train_command, (*task)->command);
    e = study_remember(t, &all, *settings);
    ((study_settings *)*settings)->threads = threads;
    t->set = *settings;
    return e ? e : study_model(t);
}

/* Averages, where the run has kept them, are what it was judged by. */
weft_err study_weights(study *t) {
    weft_archive *a = weft_archive_open(t->ctx, t->weights);
    if (!a) return weft_error_code(t->ctx);
    weft_err e = weft_state_load(t->state, a, NULL);
    if (!e && t->set->average > 0) {
        e = weft_state_load(
            t->state, a,
            &(weft_load_desc){
                .all = true, .prefix = "optim.ema.", .allow_extra = true, .allow_missing = true});
    }
    weft_archive_free(a);
    return e;
}
