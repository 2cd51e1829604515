/* study_config.c - the folder of a run: its name, and config.json, which says how it was made.
 *
 * config.json has "weft" (version), "command", "options" (those that decide the result, as text)
 * and "model" (model.h). */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "study.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Options that say how it is done, not what: another call may have others. */
static bool study_is_manner(const char *option_name) {
    static const char *const manner[] = {"run",   "resume",  "overwrite", "json",    "quiet",
                                         "color", "threads", "steps",     "seconds", "patience"};
    for (size_t i = 0; i < sizeof manner / sizeof *manner; i++)
        if (strcmp(option_name, manner[i]) == 0) return true;
    return false;
}

static bool study_exists(const char *run) {
    char path[600];
    struct stat info;
    return stat(weft_run_checkpoint(run, path, sizeof path), &info) == 0;
}

bool study_place(study *t, const char *name) {
    const study_settings *s = t->set;
    if (s->resume && s->overwrite) {
        fprintf(stderr, "weft %s: either --resume or --overwrite\n", t->call->name);
        return false;
    }
    if (s->run || s->resume || s->overwrite) {
        const int n = s->run ? snprintf(t->run, sizeof t->run, "%s", s->run)
                             : snprintf(t->run, sizeof t->run, "runs/%s", name);
        if (n < 0 || (size_t)n >= sizeof t->run) {
            fprintf(stderr, "weft %s: the path of the run is too long\n", t->call->name);
            return false;
        }
        if (s->resume || s->overwrite || !study_exists(t->run)) return true;
        fprintf(stderr,
                "weft %s: there is a run in %s already; --resume goes on with it, --overwrite "
                "begins anew\n",
                t->call->name, t->run);
        return false;
    }
    snprintf(t->run, sizeof t->run, "runs/%s", name);
    for (int i = 2; study_exists(t->run) && i < 10000; i++)
        snprintf(t->run, sizeof t->run, "runs/%s-%d", name, i);
    return true;
}

/* ---- writing ---- */

char *study_config(const study *t) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return NULL;
    json j = json_begin(f);
    json_text(&j, "weft", weft_version());
    json_text(&j, "command", t->call->name);
    json_open(&j, "options", '{');
    const options *o = t->call->options;
    for (size_t i = 0; i < o->count; i++) {
        char value[1024];
        const option *row = o->row[i];
        const bool text = row->kind == OPTION_TEXT || row->kind == OPTION_FILE ||
                          row->kind == OPTION_FOLDER; /* may come from an operand */
        if (study_is_manner(row->name)) continue;
        options_value(row, t->set, value, sizeof value);
        if (!(o->given >> i & 1) && !study_kept(t, row->name) && !(text && *value)) continue;
        json_text(&j, row->name, value);
    }
    json_close(&j);
    model_write(&j, &t->model);
    json_end(&j);
    const bool good = !ferror(f);
    if (fclose(f) != 0 || !good) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- reading ---- */

typedef struct study_file {
    char path[600];
    weft_file file;
    weft_json config;
} study_file;

static weft_err study_read(const study *t, study_file *f) {
    snprintf(f->path, sizeof f->path, "%s/config.json", t->run);
    weft_err e = weft_file_open(t->ctx, f->path, &f->file);
    if (e) return e;
    f->config = weft_json_parse(t->ctx, f->file.bytes, f->file.n, f->path);
    if (weft_json_kind_of(f->config) == WEFT_JSON_OBJECT) return WEFT_OK;
    e = weft_json_kind_of(f->config) == WEFT_JSON_NONE
            ? weft_error_code(t->ctx)
            : weft_fail(t->ctx, WEFT_FORMAT, "%s: an object was expected", f->path);
    weft_file_close(&f->file);
    return e;
}

weft_err study_model(study *t) {
    study_file f;
    weft_err e = study_read(t, &f);
    if (e) return e;
    e = model_read(t->ctx, f.config, f.path, &t->model);
    weft_file_close(&f.file);
    return e;
}

weft_err study_command(study *t, char *name, size_t bytes) {
    study_file f;
    const weft_err e = study_read(t, &f);
    if (e) return e;
    weft_json_text(weft_json_get(f.config, "command"), name, bytes);
    weft_file_close(&f.file);
    return WEFT_OK;
}

bool study_kept(const study *t, const char *option_name) {
    for (int i = 0; i < t->kept_count; i += 2)
        if (strcmp(t->kept[i], option_name) == 0) return true;
    return false;
}

static char *study_copy(weft_json j) {
    const size_t bytes = weft_json_text(j, NULL, 0) + 1;
    char *text = malloc(bytes);
    if (text) weft_json_text(j, text, bytes);
    return text;
}

/* A run that went on with other options would be another run. */
static weft_err study_unchanged(const study *t, weft_json config, const options *o,
                                const void *settings) {
    for (size_t i = 0; i < o->count; i++) {
        const option *row = o->row[i];
        char now[1024], then[1024] = "";
        if (!(o->given >> i & 1) || study_is_manner(row->name)) continue;
        options_value(row, settings, now, sizeof now);
        weft_json_text(weft_json_get(weft_json_get(config, "options"), row->name), then,
                       sizeof then);
        if (strcmp(now, then) != 0)
            return weft_fail(t->ctx, WEFT_ARGUMENT,
                             "--%s %s: the run in %s was begun with %s; leave it out to go on",
                             row->name, now, t->run, *then ? then : "its default");
    }
    return WEFT_OK;
}

weft_err study_remember(study *t, const options *o, void *settings) {
    study_file f;
    weft_err e = study_read(t, &f);
    if (e) return e;
    e = study_unchanged(t, f.config, o, settings);
    weft_json key = {0}, value = {0};
    while (!e && weft_json_next(weft_json_get(f.config, "options"), &key, &value)) {
        if (t->kept_count + 2 > (int)(sizeof t->kept / sizeof *t->kept)) break;
        char **kept = t->kept + t->kept_count;
        kept[0] = study_copy(key), kept[1] = study_copy(value);
        t->kept_count += 2; /* also freed when only one of them is there */
        if (!kept[0] || !kept[1]) e = weft_fail(t->ctx, WEFT_MEMORY, "out of memory");
        else if (!options_set(o, t->call->name, settings, kept[0], kept[1]))
            e = weft_fail(t->ctx, WEFT_FORMAT, "%s: options.%s does not fit", f.path, kept[0]);
    }
    weft_file_close(&f.file);
    return e;
}
