/* run.c - folders of runs and their config.json; see run.h. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "run.h"

#include "profile.h"

#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

weft_err run_open(run *r, const call *c, const run_settings *s) {
    *r = (run){.call = c, .set = s};
    r->ctx = weft_open_with(&(weft_open_desc){.device = s->device, .threads = s->threads});
    r->state = r->ctx ? weft_state_new(r->ctx) : NULL;
    if (!r->state) return weft_error_code(r->ctx);
    if (!s->profile && !s->profile_summary) return WEFT_OK;
    return profile_begin(r->ctx, s->profile, &r->profile);
}

void run_close(run *r) {
    if (r->trained && r->set->profile_summary)
        profile_print(r->set->json ? stderr : stdout, r->profile);
    weft_profile_close(r->profile);
    weft_run_lock_drop(r->lock);
    weft_state_free(r->state);
    for (int i = 0; i < r->saved_count; i++) free(r->saved[i]);
    weft_close(r->ctx);
    *r = (run){0};
}

/* ---- the folder ---- */

static bool run_exists(const char *folder) {
    char path[PATH_MOST];
    return path_has_checkpoint(weft_run_checkpoint(folder, path, sizeof path));
}

static bool run_lock(run *r) {
    return (r->lock = weft_run_lock_take(r->ctx, r->folder)) != NULL;
}

bool run_place(run *r, const char *name) {
    const run_settings *s = r->set;
    if (s->resume && s->overwrite) {
        tell(stderr, "weft %s: --resume and --overwrite exclude each other\n", r->call->name);
        return false;
    }
    if (s->run || s->resume || s->overwrite) {
        const int n = s->run ? snprintf(r->folder, sizeof r->folder, "%s", s->run)
                             : snprintf(r->folder, sizeof r->folder, "runs/%s", name);
        if (n < 0 || (size_t)n >= sizeof r->folder) {
            tell(stderr, "weft %s: the path of the run has %d bytes, at most %zu are possible\n",
                 r->call->name, n, sizeof r->folder - 1);
            return false;
        }
        if (s->resume || s->overwrite || !run_exists(r->folder)) {
            if (run_lock(r)) return true;
            tell(stderr, "weft %s: %s\n", r->call->name, weft_error(r->ctx));
            return false;
        }
        tell(stderr,
             "weft %s: %s already has a run; use --resume to continue it, --overwrite "
             "to start over\n",
             r->call->name, r->folder);
        return false;
    }
    enum { NAMES = 9999 };
    for (int i = 1; i <= NAMES; i++) {
        const int n = i == 1 ? snprintf(r->folder, sizeof r->folder, "runs/%s", name)
                             : snprintf(r->folder, sizeof r->folder, "runs/%s-%d", name, i);
        if (n < 0 || (size_t)n >= sizeof r->folder || run_exists(r->folder)) continue;
        if (!run_lock(r)) {
            if (weft_error_code(r->ctx) == WEFT_STATE) continue; /* another is beginning there */
            tell(stderr, "weft %s: %s\n", r->call->name, weft_error(r->ctx));
            return false;
        }
        if (!run_exists(r->folder)) return true; /* nor did another end there meanwhile */
        weft_run_lock_drop(r->lock);
        r->lock = NULL;
    }
    tell(stderr, "weft %s: runs/%s to runs/%s-%d all exist; choose another folder with --run\n",
         r->call->name, name, name, NAMES);
    return false;
}

double run_file_time(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) return -1;
    return (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec;
}

bool run_newest(run_dated dated, void *user, char *path, size_t bytes) {
    DIR *const folder = opendir("runs");
    double newest = -1;
    for (struct dirent *d; folder && (d = readdir(folder));) {
        char name[400];
        const int n = snprintf(name, sizeof name, "runs/%s", d->d_name);
        if (d->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof name) continue;
        const double at = dated(user, name);
        if (at <= newest) continue;
        newest = at;
        snprintf(path, bytes, "%s", name);
    }
    if (folder) closedir(folder);
    return newest >= 0;
}

weft_err run_locate(run *r, const char *path) {
    struct stat info;
    if (stat(path, &info) != 0)
        return weft_fail(r->ctx, WEFT_FILE, "%s: %s", path, strerror(errno));
    const bool folder = S_ISDIR(info.st_mode);
    const int n = snprintf(r->folder, sizeof r->folder, "%s", path);
    if (n < 1 || (size_t)n >= sizeof r->folder)
        return weft_fail(r->ctx, WEFT_ARGUMENT,
                         "the path of the run has %d bytes, 1 to %zu are possible", n,
                         sizeof r->folder - 1);
    if (folder) {
        weft_run_checkpoint(r->folder, r->weights, sizeof r->weights);
        return WEFT_OK;
    }
    memcpy(r->weights, r->folder, (size_t)n + 1);
    const char *slash = strrchr(path, '/'); /* run/any.safetensors, or run/checkpoints/it */
    const int length = slash ? (int)(slash - path) + 1 : 0;
    char config[sizeof r->folder + 20];
    snprintf(config, sizeof config, "%.*sconfig.json", length, path);
    snprintf(r->folder, sizeof r->folder, "%.*s%s", length, path, path_exists(config) ? "." : "..");
    return WEFT_OK;
}

/* ---- writing config.json ---- */

static bool run_saved(const run *r, const char *option_name) {
    for (int i = 0; i < r->saved_count; i += 2)
        if (strcmp(r->saved[i], option_name) == 0) return true;
    return false;
}

char *run_config(const run *r, run_more more, const void *user) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return NULL;
    json j = json_begin(f);
    json_text(&j, "weft", weft_version());
    json_text(&j, "command", r->call->name);
    json_open(&j, "options", '{');
    const options *o = r->call->options;
    for (size_t i = 0; i < o->count; i++) {
        char value[1024];
        const option *row = o->row[i];
        const bool text = row->kind == OPTION_TEXT || row->kind == OPTION_FILE ||
                          row->kind == OPTION_FOLDER; /* may come from an operand */
        if (row->role == OPTION_MANNER) continue;
        options_value(row, r->set, value, sizeof value);
        if (!(o->given >> i & 1) && !run_saved(r, row->name) && !(text && *value)) continue;
        json_text(&j, row->name, value);
    }
    json_close(&j);
    if (more) more(user, &j);
    json_end(&j);
    const bool good = !ferror(f);
    if (fclose(f) != 0 || !good) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- reading it ---- */

weft_err run_read(run *r, run_reader reader, void *user) {
    char path[PATH_MOST];
    weft_file file;
    snprintf(path, sizeof path, "%s/config.json", r->folder);
    weft_err e = weft_file_open(r->ctx, path, &file);
    if (e) return e;
    const weft_json config = weft_json_parse(r->ctx, file.bytes, file.n, path);
    const weft_json_kind kind = weft_json_kind_of(config);
    e = kind == WEFT_JSON_OBJECT ? reader(user, r->ctx, config, path)
        : kind == WEFT_JSON_NONE ? weft_error_code(r->ctx)
                                 : weft_fail(r->ctx, WEFT_FORMAT, "%s: expected an object", path);
    weft_file_close(&file);
    return e;
}

typedef struct run_word {
    char *text;
    size_t bytes;
} run_word;

static weft_err run_read_command(void *user, weft_ctx *c, weft_json config, const char *path) {
    const run_word *const w = user;
    (void)c, (void)path;
    weft_json_text(weft_json_get(config, "command"), w->text, w->bytes);
    return WEFT_OK;
}

weft_err run_command(run *r, char *name, size_t bytes) {
    *name = 0;
    return run_read(r, run_read_command, &(run_word){name, bytes});
}

static char *run_copy(weft_json j) {
    const size_t bytes = weft_json_text(j, NULL, 0) + 1;
    char *text = malloc(bytes);
    if (text) weft_json_text(j, text, bytes);
    return text;
}

/* A run that went on with other options would be another run. */
static weft_err run_unchanged(const run *r, weft_json config, const options *o,
                              const void *settings) {
    for (size_t i = 0; i < o->count; i++) {
        const option *row = o->row[i];
        char now[1024], then[1024] = "";
        if (!(o->given >> i & 1) || row->role != OPTION_DECIDES) continue;
        options_value(row, settings, now, sizeof now);
        weft_json_text(weft_json_get(weft_json_get(config, "options"), row->name), then,
                       sizeof then);
        if (strcmp(now, then) != 0)
            return weft_fail(r->ctx, WEFT_ARGUMENT,
                             "--%s %s: the run in %s was started with %s; omit it to continue",
                             row->name, now, r->folder, *then ? then : "its default");
    }
    return WEFT_OK;
}

typedef struct run_memory {
    run *r;
    const options *o;
    void *settings;
} run_memory;

static weft_err run_read_options(void *user, weft_ctx *c, weft_json config, const char *path) {
    const run_memory *const m = user;
    run *const r = m->r;
    weft_err e = run_unchanged(r, config, m->o, m->settings);
    weft_json key = {0}, value = {0};
    while (!e && weft_json_next(weft_json_get(config, "options"), &key, &value)) {
        if (r->saved_count + 2 > (int)(sizeof r->saved / sizeof *r->saved))
            return weft_fail(c, WEFT_FORMAT, "%s: options: more than %d", path, r->saved_count / 2);
        char **pair = r->saved + r->saved_count;
        pair[0] = run_copy(key), pair[1] = run_copy(value);
        r->saved_count += 2; /* also freed when only one of them is there */
        const int k = pair[0] ? options_find(m->o, pair[0], strlen(pair[0])) : -1;
        if (!pair[0] || !pair[1]) e = weft_fail(c, WEFT_MEMORY, "out of memory");
        else if (k >= 0 && m->o->row[k]->role == OPTION_MANNER)
            e = weft_fail(c, WEFT_FORMAT, "%s: options.%s is not a saved option", path, pair[0]);
        else if (k >= 0 && (m->o->given >> k & 1)) continue; /* given again; equal if it matters */
        else if (!options_set(m->o, r->call->name, m->settings, pair[0], pair[1]))
            e = weft_fail(c, WEFT_FORMAT, "%s: invalid options.%s", path, pair[0]);
    }
    return e;
}

weft_err run_remember(run *r, const options *o, void *settings) {
    return run_read(r, run_read_options, &(run_memory){r, o, settings});
}

weft_err run_go_on(run *r, void *settings) {
    char name[64];
    struct stat info;
    if (!r->set->resume) return WEFT_OK;
    char config[PATH_MOST];
    snprintf(config, sizeof config, "%s/config.json", r->folder);
    if (stat(config, &info) != 0 && errno == ENOENT)
        return weft_fail(r->ctx, WEFT_FILE, "%s: no run to resume; omit --resume to start one",
                         r->folder);
    const weft_err e = run_command(r, name, sizeof name);
    if (e) return e;
    if (strcmp(name, r->call->name) != 0)
        return weft_fail(r->ctx, WEFT_ARGUMENT,
                         "%s is a run of \"%s\"; weft %s --resume continues it", r->folder, name,
                         name);
    const weft_err remembered = run_remember(r, r->call->options, settings);
    return remembered ? remembered : run_limit(r);
}

/* ---- training, and what it left ---- */

/* Losses forget quickly, and are noisier than normal noise. */
static const weft_detector_desc run_outliers = {
    .kind = WEFT_DETECT_EWMA, .rate = 0.02, .warm = 100, .threshold = 6};

weft_err run_train(run *r, weft_train_desc d, run_more more, const void *user,
                   weft_train_result *result) {
    const run_settings *const s = r->set;
    char *config = run_config(r, more, user);
    if (!config) return weft_fail(r->ctx, WEFT_MEMORY, "out of memory");
    if (!d.steps) d.steps = s->steps;
    if (d.seconds == 0) d.seconds = s->seconds;
    d.run = r->folder;
    d.lock = r->lock;
    d.config = config;
    d.resume = s->resume;
    d.progress = s->quiet ? NULL : stderr;
    d.interrupt = true;
    if (s->outliers) d.outlier_detector = &run_outliers;
    d.profile = r->profile;
    weft_err e = weft_train(r->state, &d, result);
    free(config);
    r->trained = !e;
    if (!s->profile || (e && e != WEFT_DIVERGED)) return e;
    /* the message of a run that broke is not to be lost */
    if (!e) return weft_profile_write_trace(r->profile, s->profile);
    char said[512];
    snprintf(said, sizeof said, "%s", weft_error(r->ctx));
    weft_profile_write_trace(r->profile, s->profile);
    return weft_fail(r->ctx, e, "%s", said);
}

/* Values may become twice as wide as they are in the file, and some entries are not kept. */
static weft_err run_limit_by(run *r, const char *path) {
    enum { WIDEST = 8, APART = 1 << 20 };
    weft_archive *a = weft_archive_open(r->ctx, path);
    if (!a) return weft_error_code(r->ctx);
    double bytes = APART;
    weft_err e = WEFT_OK;
    if (strcmp(weft_archive_format(a), "npz") == 0) e = weft_archive_verify(a); /* packed */
    for (size_t i = 0; !e && i < weft_archive_count(a); i++) {
        weft_array x;
        e = weft_archive_list(a, i, &x);
        bytes += (double)x.bytes / (double)weft_file_type_size(x.type) * WIDEST;
    }
    weft_archive_free(a);
    if (!e) weft_state_limit(r->state, bytes < 1e18 ? (size_t)bytes : SIZE_MAX);
    return e;
}

weft_err run_limit(run *r) {
    char latest[PATH_MOST], before[PATH_MOST + 20];
    text previous = {.s = before, .cap = sizeof before};
    if (*r->weights) return run_limit_by(r, r->weights);
    weft_run_checkpoint(r->folder, latest, sizeof latest);
    const weft_err none = path_checkpoint_expected(r->ctx, r->folder, latest);
    if (none) return none;
    path_previous(&previous, latest);
    const weft_err e = run_limit_by(r, latest);
    return e && path_exists(before) ? run_limit_by(r, before) : e;
}

weft_err run_weights(run *r) {
    weft_archive *a = weft_archive_open(r->ctx, r->weights);
    if (!a) return weft_error_code(r->ctx);
    const weft_err e = weft_state_load(r->state, a, NULL);
    weft_archive_free(a);
    return e;
}
