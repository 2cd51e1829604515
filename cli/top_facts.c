/* top_facts.c - what follows from the rows and the status of a run: whether it lives, how fast it is,
 * when it will end, and which of its numbers are worth a curve. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "top.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Judging and checkpoints make pauses, and so does a machine that is put to sleep. */
static const double top_patience = 30, top_patience_gaps = 5;

/* ---- alive ---- */

static bool top_facts_gone(const weft_run_status *s) {
    char host[sizeof s->host] = "";
    if (s->process <= 0 || gethostname(host, sizeof host - 1) != 0 || strcmp(host, s->host) != 0)
        return false; /* on another machine: unknown */
    return kill((pid_t)s->process, 0) != 0 && errno == ESRCH;
}

static const struct {
    const char *word;
    terminal_style style;
} top_words[] = {
#define X(name, word, style) [name] = {word, style},
    TOP_STATES(X)
#undef X
};

static top_state top_facts_state(const top_run *t, const top_facts *f) {
    const char *const word = t->status.state;
    if (!t->known) return TOP_WAITING;
    for (top_state i = TOP_FINISHED; i <= TOP_FAILED; i++) /* those that a run says itself */
        if (strcmp(word, top_words[i].word) == 0) return i;
    if (*word && top_facts_gone(&t->status)) return TOP_KILLED;
    if (!*word && t->reported) return TOP_FINISHED;
    if (f->age > f->stalled_after) return TOP_STALLED;
    return *word || t->rows ? TOP_RUNNING : TOP_WAITING;
}

/* ---- speed ---- */

static void top_facts_speed(const top_run *t, top_facts *f, double *pace) {
    const int n = t->moments < TOP_WINDOW ? t->moments : TOP_WINDOW;
    *pace = NAN;
    if (!n) return;
    const top_moment *const last = &t->moment[(t->moments - 1) % TOP_WINDOW];
    const top_moment *const first = &t->moment[(t->moments - n) % TOP_WINDOW];
    /* Before the first row there was the beginning. */
    const bool all = t->moments <= TOP_WINDOW && t->status.resumed_at == 0;
    const double step = all ? 0 : first->step, time = all ? 0 : first->time,
                 trained = all ? 0 : first->trained;
    const double steps = last->step - step;
    if (steps > 0 && last->time > time) *pace = (last->time - time) / steps;
    if (steps > 0 && last->trained > trained) f->rate = steps / (last->trained - trained);
    else if (n > 1 && last->time > first->time)
        f->rate = (last->step - first->step) / (last->time - first->time);
    f->examples = t->status.batch > 0 ? f->rate * (double)t->status.batch : NAN;
}

static void top_facts_way(const top_run *t, top_facts *f, double pace) {
    const weft_run_status *const s = &t->status;
    const double spent = t->trained > 0 ? t->trained : t->time, step = (double)t->step;
    if (s->steps > 0) f->share = step / (double)s->steps;
    if (s->seconds > 0) f->share = fmax(f->share, spent / s->seconds); /* fmax drops a nan */
    if (!isnan(f->share)) f->share = fmax(0, fmin(1, f->share));
    if (f->state != TOP_RUNNING) return;
    if (s->steps > 0) f->left = ((double)s->steps - step) * pace;
    if (s->seconds > 0) f->left = fmin(f->left, s->seconds - spent);
    if (!isnan(f->left)) f->left = fmax(0, f->left - (isnan(f->age) ? 0 : f->age));
}

/* ---- curves ---- */

static const char *top_facts_own(const char *name) { /* "test/loss" is loss */
    const char *const slash = strchr(name, '/');
    return slash && slash != name && slash[1] ? slash + 1 : name;
}

static bool top_facts_begins(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}

bool top_is_bytes(const top_metric *m) {
    const size_t n = strlen(m->name);
    return n > 6 && strcmp(m->name + n - 6, "_bytes") == 0;
}

bool top_is_share(const top_metric *m) {
    return strstr(m->name, "accuracy") && series_finite(&m->curve) && m->curve.least.value >= 0 &&
           m->curve.most.value <= 1;
}

bool top_is_log(const top_metric *m) {
    const char *const own = top_facts_own(m->name);
    const bool falls = strstr(own, "loss") || strstr(own, "error");
    return falls && series_finite(&m->curve) && m->curve.least.value > 0 &&
           m->curve.most.value >= 8 * m->curve.least.value;
}

/* How well a metric will do as what is learned by: the least is best, below 0 it will not do. */
static int top_facts_loss_rank(const char *name) {
    const char *const own = top_facts_own(name);
    if (strcmp(name, "train/loss") == 0) return 0;
    if (strcmp(own, "loss") == 0) return own == name ? 1 : 2;
    if (top_facts_begins(name, "train/") && strstr(own, "error")) return 3;
    return strstr(own, "loss") ? 4 : -1;
}

/* The same for evaluation metrics; the last are of interest only when asked for. */
static int top_facts_other_rank(const top_metric *m) {
    static const char *const own_affair[] = {"train/", "speed/", "attempt/", "memory"};
    if (strstr(m->name, "accuracy")) return 0;
    for (size_t i = 0; i < sizeof own_affair / sizeof *own_affair; i++)
        if (top_facts_begins(m->name, own_affair[i])) return 2;
    return 1;
}

static void top_facts_curves(const top_run *t, top_facts *f, int which) {
    const top_metric *order[TOP_METRICS];
    int n = 0, evaluated = 0;
    for (int i = 0; i < t->metrics; i++) {
        const int rank = top_facts_loss_rank(t->metric[i].name);
        if (rank < 0 || !series_finite(&t->metric[i].curve)) continue;
        if (!f->loss || rank < top_facts_loss_rank(f->loss->name)) f->loss = &t->metric[i];
    }
    for (int i = 0; i < t->metrics && f->loss && !f->beside; i++) {
        const top_metric *const m = &t->metric[i];
        const bool same = strcmp(top_facts_own(m->name), top_facts_own(f->loss->name)) == 0;
        if (m != f->loss && same && series_finite(&m->curve)) f->beside = m;
    }
    for (int rank = 0; rank < 3; rank++)
        for (int i = 0; i < t->metrics; i++) {
            const top_metric *const m = &t->metric[i];
            if (m == f->loss || m == f->beside || !series_finite(&m->curve)) continue;
            if (top_facts_other_rank(m) != rank) continue;
            order[n++] = m;
            evaluated += rank < 2;
        }
    if (n && (evaluated || which)) f->other = order[which % n];
}

top_facts top_facts_of(const top_run *t, double now, int which) {
    top_facts f = {.rate = NAN, .examples = NAN, .share = NAN, .left = NAN, .memory = NAN};
    const double since = fmax(t->wall, t->status.began); /* fmax drops a nan */
    double pace = NAN;
    f.age = since > 0 ? fmax(0, now - since) : NAN;
    f.stalled_after = t->stalled_after > 0 ? t->stalled_after
                                           : fmax(top_patience, top_patience_gaps * t->longest);
    f.state = top_facts_state(t, &f);
    f.word = top_words[f.state].word;
    f.style = top_words[f.state].style;
    top_facts_speed(t, &f, &pace);
    top_facts_way(t, &f, pace);
    for (int i = 0; i < t->metrics; i++)
        if (strcmp(t->metric[i].name, "memory_bytes") == 0) f.memory = t->metric[i].last;
    /* A loop with a step of its own knows nothing of the plan; a profile of it does. */
    f.arena = (double)(t->status.arena_bytes ? t->status.arena_bytes : t->kernels.arena_bytes);
    top_facts_curves(t, &f, which);
    return f;
}
