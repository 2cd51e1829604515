/* profiling.c - kernels.json of a run: where the time of its steps goes.
 *
 * Some early steps are timed, unless the context has another recorder, and the file is written
 * once they are made; then nothing is timed any more. A profile of the caller continues,
 * and is written a second time at the end. What is timed changes no bit of any result. */
#include "folder.h"
#include "train_parts.h"

#include <string.h>

enum { PROFILING_SKIP = 10, PROFILING_RUNS = 20, PROFILING_SHORT = 60 };

weft_err train_profile_start(train *t) {
    t->profile_at = t->step + PROFILING_SKIP + PROFILING_RUNS;
    if (!t->d->run || t->d->profile || weft_recorded(t->c)) return WEFT_OK;
    /* the first runs find cold caches, but of a short run they are all there is */
    const int64_t left = t->d->steps - t->step;
    const bool brief = t->d->steps && left < PROFILING_SHORT;
    t->profile =
        weft_profile_open(t->c, &(weft_profile_desc){.no_events = true,
                                                     .skip = brief ? left > 1 : PROFILING_SKIP,
                                                     .runs = PROFILING_RUNS});
    return t->profile ? WEFT_OK : weft_error_code(t->c);
}

/* The plan of a step goes by one of these names; else it is the one that time goes to. *ready: all
 * that is to be known of it is known. An agent may begin to learn long after it began to act. */
static int profiling_plan(const weft_profile *p, bool *ready) {
    static const char *const usual[] = {"train", "learn"};
    weft_profile_plan f = {0};
    int found = -1;
    for (size_t k = 0; found < 0 && k < sizeof usual / sizeof *usual; k++)
        for (size_t i = 0; found < 0 && weft_profile_plan_at(p, i, &f); i++)
            if (strcmp(f.name, usual[k]) == 0) found = (int)i;
    if (found < 0 || !f.timed) {
        const bool waiting = found >= 0;
        found = weft_profile_busiest(p);
        *ready = !waiting && found >= 0 && weft_profile_plan_at(p, (size_t)found, &f) &&
                 f.timed >= PROFILING_RUNS;
    } else *ready = f.timed >= PROFILING_RUNS;
    return found;
}

static weft_err profiling_write(const train *t, weft_profile *p, bool *ready) {
    char *text = weft_profile_json(p, profiling_plan(p, ready));
    if (!text) return weft_error_code(t->c);
    const weft_err e = weft_file_write_beneath(t->c, t->d->run, KERNELS_NAME, text, strlen(text));
    weft_text_free(t->c, text);
    return e;
}

weft_err train_profile_step(train *t) {
    weft_profile *const p = t->profile ? t->profile : t->d->profile;
    bool ready = false;
    if (!p || !t->d->run || t->step != t->profile_at) return WEFT_OK;
    WEFT_TRY(profiling_write(t, p, &ready));
    t->profile_at = ready ? 0 : 2 * t->step; /* once more later, or never again */
    if (!ready) return WEFT_OK;
    weft_profile_close(t->profile);
    t->profile = NULL;
    return WEFT_OK;
}

weft_err train_profile_end(train *t, weft_err e) {
    weft_profile *const p = t->profile ? t->profile : t->d->profile;
    bool ready;
    if (!e && p && t->d->run) e = profiling_write(t, p, &ready);
    weft_profile_close(t->profile);
    t->profile = NULL;
    return e;
}
