/* inspect.c - weft inspect: the tensors of a file or a run, and what their values are like.
 *
 * Listing reads no values. Statistics are taken in double, two passes over each tensor, leaving out
 * what is not finite and counting it. */
#include "command.h"
#include "json.h"
#include "source.h"

#include "base/glob.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSPECT_SCHEMA = 1, INSPECT_CHUNK = 4096 };

typedef struct inspect_settings {
    bool hash, stats, verify, json;
    const char *only;
} inspect_settings;

typedef struct inspect_stats {
    double min, max, mean, std; /* nan when no value is finite */
    int64_t not_finite;
} inspect_stats;

typedef struct inspect {
    const call *call;
    const inspect_settings *set;
    weft_ctx *ctx;
    weft_archive *archive;
    int name_width, shape_width;
    int64_t tensors, values, not_finite;
    double bytes;
} inspect;

static int64_t inspect_count(const weft_array *a) {
    int64_t n = 1;
    for (int k = 0; k < a->dims.rank; k++) n *= a->dims.n[k];
    return n;
}

/* ---- values ---- */

/* Values from..from + count, as doubles. */
static bool inspect_read(const inspect *s, const weft_array *a, int64_t from, int64_t count,
                         double *out) {
    const size_t size = weft_file_type_size(a->type);
    weft_array part = *a;
    part.dims = weft_dims(count);
    part.data = (const char *)a->data + (size_t)from * size;
    part.bytes = (size_t)count * size;
    return weft_array_convert(s->ctx, &part, WEFT_FILE_F64, out, (size_t)count * sizeof *out) ==
           WEFT_OK;
}

static bool inspect_measure(const inspect *s, const weft_array *a, inspect_stats *out) {
    const int64_t n = inspect_count(a);
    double x[INSPECT_CHUNK] = {0}, sum = 0, squares = 0;
    *out = (inspect_stats){.min = INFINITY, .max = -INFINITY};
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t at = 0; at < n; at += INSPECT_CHUNK) {
            const int64_t count = n - at < INSPECT_CHUNK ? n - at : INSPECT_CHUNK;
            if (!inspect_read(s, a, at, count, x)) return false;
            for (int64_t i = 0; i < count; i++) {
                if (pass == 0 && !isfinite(x[i])) out->not_finite++;
                if (!isfinite(x[i])) continue;
                if (pass == 0) {
                    out->min = fmin(out->min, x[i]);
                    out->max = fmax(out->max, x[i]);
                    sum += x[i];
                } else {
                    squares += (x[i] - out->mean) * (x[i] - out->mean);
                }
            }
        }
        const double finite = (double)(n - out->not_finite);
        if (pass == 0) out->mean = finite > 0 ? sum / finite : NAN;
        else out->std = finite > 0 ? sqrt(squares / finite) : NAN;
    }
    if (n == out->not_finite) out->min = out->max = NAN;
    return true;
}

/* ---- lines ---- */

static void inspect_line_json(const weft_array *a, const inspect_stats *stats) {
    json j = json_begin(stdout);
    json_integer(&j, "schema", INSPECT_SCHEMA);
    json_text(&j, "name", a->name);
    json_text(&j, "type", weft_file_type_name(a->type));
    json_open(&j, "shape", '[');
    for (int k = 0; k < a->dims.rank; k++) json_integer(&j, NULL, a->dims.n[k]);
    json_close(&j);
    json_integer(&j, "values", inspect_count(a));
    json_integer(&j, "bytes", (int64_t)a->bytes);
    if (stats) {
        json_number(&j, "min", stats->min);
        json_number(&j, "max", stats->max);
        json_number(&j, "mean", stats->mean);
        json_number(&j, "std", stats->std);
        json_integer(&j, "not_finite", stats->not_finite);
    }
    json_end(&j);
}

static void inspect_figure(double x) {
    if (isnan(x)) tell(stdout, " %11s", "-");
    else tell(stdout, " %11.4g", x);
}

static void inspect_line_text(const inspect *s, const weft_array *a, const inspect_stats *stats) {
    char shape[160];
    shape_text(shape, sizeof shape, a->dims.rank, a->dims.n);
    tell_text(stdout, a->name, s->name_width);
    tell(stdout, "  %-4s  %-*s %12zu", weft_file_type_name(a->type), s->shape_width, shape,
         a->bytes);
    if (stats) {
        inspect_figure(stats->min);
        inspect_figure(stats->max);
        inspect_figure(stats->mean);
        inspect_figure(stats->std);
        if (stats->not_finite) tell(stdout, "  %lld not finite", (long long)stats->not_finite);
    }
    putchar('\n');
}

static void inspect_header(const inspect *s) {
    tell(stdout, "%-*s  %-4s  %-*s %12s", s->name_width, "name", "type", s->shape_width, "shape",
         "bytes");
    if (s->set->stats) tell(stdout, " %11s %11s %11s %11s", "min", "max", "mean", "std");
    putchar('\n');
}

/* The widths that the table needs; long names may stick out. */
static int inspect_layout(inspect *s) {
    s->name_width = (int)strlen("name");
    s->shape_width = (int)strlen("shape");
    for (size_t i = 0; i < weft_archive_count(s->archive); i++) {
        weft_array a;
        char shape[160];
        if (weft_archive_list(s->archive, i, &a) != WEFT_OK) return command_failed(s->call, s->ctx);
        if (!glob_match(s->set->only, a.name)) continue;
        shape_text(shape, sizeof shape, a.dims.rank, a.dims.n);
        const int name = (int)strlen(a.name), width = (int)strlen(shape);
        if (name > s->name_width && name <= 64) s->name_width = name;
        if (width > s->shape_width && width <= 32) s->shape_width = width;
    }
    return EXIT_GOOD;
}

static int inspect_tensors(inspect *s) {
    const bool look = s->set->stats;
    bool header = false;
    for (size_t i = 0; i < weft_archive_count(s->archive); i++) {
        weft_array a;
        inspect_stats stats;
        if (weft_archive_list(s->archive, i, &a) != WEFT_OK) return command_failed(s->call, s->ctx);
        if (!glob_match(s->set->only, a.name)) continue;
        if (look &&
            (weft_archive_at(s->archive, i, &a) != WEFT_OK || !inspect_measure(s, &a, &stats)))
            return command_failed(s->call, s->ctx);
        s->tensors++;
        s->values += inspect_count(&a);
        s->bytes += (double)a.bytes;
        if (look) s->not_finite += stats.not_finite;
        if (s->set->json) {
            inspect_line_json(&a, look ? &stats : NULL);
            continue;
        }
        if (!header) inspect_header(s);
        header = true;
        inspect_line_text(s, &a, look ? &stats : NULL);
    }
    if (header) putchar('\n');
    if (s->tensors || !s->set->only) return EXIT_GOOD;
    tell(stderr, "weft inspect: none of %zu tensors matches \"%s\"\n",
         weft_archive_count(s->archive), s->set->only);
    return EXIT_FAILED;
}

/* ---- the whole ---- */

static void inspect_summary_json(const inspect *s, const weft_checkpoint *facts) {
    const char *key, *value;
    json j = json_begin(stdout);
    json_integer(&j, "schema", INSPECT_SCHEMA);
    json_text(&j, "file", s->call->words[0]);
    json_text(&j, "format", weft_archive_format(s->archive));
    json_integer(&j, "tensors", s->tensors);
    json_integer(&j, "values", s->values);
    json_number(&j, "bytes", s->bytes);
    if (s->set->stats) json_integer(&j, "not_finite", s->not_finite);
    if (s->set->verify) json_bool(&j, "verified", true);
    if (facts) {
        json_integer(&j, "step", facts->step);
        json_integer(&j, "epoch", facts->data_epoch);
    }
    json_open(&j, "texts", '{');
    for (size_t i = 0; (key = weft_archive_text_at(s->archive, i, &value)); i++)
        json_text(&j, key, value);
    json_end(&j);
}

static void inspect_summary_text(const inspect *s, const weft_checkpoint *facts) {
    const char *key, *value;
    char bytes[16];
    source_bytes(s->bytes, bytes);
    tell(stdout, "%s: %lld tensor%s, %lld values, %s", weft_archive_format(s->archive),
         (long long)s->tensors, s->tensors == 1 ? "" : "s", (long long)s->values, bytes);
    if (s->set->stats) tell(stdout, ", %lld not finite", (long long)s->not_finite);
    if (s->set->verify) tell(stdout, ", verified");
    if (facts) {
        const char *const version = weft_archive_text_of(s->archive, "weft.version");
        tell(stdout, "\nstep %lld, ", (long long)facts->step);
        if (facts->data_epoch) tell(stdout, "epoch %lld, ", (long long)facts->data_epoch);
        tell(stdout, "by weft ");
        tell_text(stdout, version ? version : "of some version", -20);
    }
    putchar('\n');
    for (size_t i = 0; (key = weft_archive_text_at(s->archive, i, &value)); i++) {
        if (facts && strncmp(key, "weft.", 5) == 0) continue; /* just told */
        tell_text(stdout, key, -40);
        fputs(": ", stdout);
        tell_text(stdout, value, -100);
        puts(strlen(value) > 100 ? " ..." : "");
    }
}

static int inspect_hash(const inspect *s) {
    char hash[65];
    if (weft_archive_hash(s->archive, hash) != WEFT_OK) return command_failed(s->call, s->ctx);
    if (s->set->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", INSPECT_SCHEMA);
        json_text(&j, "file", s->call->words[0]);
        json_text(&j, "hash", hash);
        json_end(&j);
    } else {
        puts(hash);
    }
    return EXIT_GOOD;
}

static int inspect_archive(inspect *s) {
    if (s->set->verify && weft_archive_verify(s->archive) != WEFT_OK)
        return command_failed(s->call, s->ctx);
    if (s->set->hash) return inspect_hash(s);
    int status = inspect_layout(s);
    if (status == EXIT_GOOD) status = inspect_tensors(s);
    if (status != EXIT_GOOD) return status;
    weft_checkpoint facts = {0};
    const bool is_checkpoint = strcmp(weft_archive_format(s->archive), "checkpoint") == 0;
    if (is_checkpoint && weft_checkpoint_facts(s->archive, &facts) != WEFT_OK)
        return command_failed(s->call, s->ctx);
    if (s->set->json) inspect_summary_json(s, is_checkpoint ? &facts : NULL);
    else inspect_summary_text(s, is_checkpoint ? &facts : NULL);
    return EXIT_GOOD;
}

static int inspect_main(const call *request) {
    const inspect_settings *set = request->settings;
    if (set->hash && set->only) {
        tell(stderr, "weft %s: --hash covers all tensors; not together with --only\n",
             request->name);
        return EXIT_USAGE;
    }
    inspect s = {.call = request, .set = request->settings, .ctx = weft_open("cpu")};
    if (!s.ctx) return command_failed(request, NULL);
    s.archive = source_open(s.ctx, request->words[0]);
    const int status =
        s.archive ? inspect_archive(&s) : command_unread(request, s.ctx, request->words[0]);
    weft_archive_free(s.archive);
    weft_close(s.ctx);
    return status;
}

static const option inspect_options[] = {
    {.name = "stats",
     .kind = OPTION_FLAG,
     .help = "minimum, maximum, mean and standard deviation of each tensor",
     .offset = offsetof(inspect_settings, stats)},
    {.name = "hash",
     .kind = OPTION_FLAG,
     .help = "print only a SHA-256 hash of names, types, shapes and values",
     .offset = offsetof(inspect_settings, hash)},
    {.name = "verify",
     .kind = OPTION_FLAG,
     .help = "verify the checksums of the file first",
     .offset = offsetof(inspect_settings, verify)},
    {.name = "only",
     .kind = OPTION_TEXT,
     .value = "GLOB",
     .help = "tensors whose name matches, such as 'fc1.*'; not with --hash",
     .offset = offsetof(inspect_settings, only)},
    ROW_JSON(inspect_settings),
};

const command inspect_command = {
    .name = "inspect",
    .summary = "list the tensors of a file or a run",
    .operands = "FILE",
    .about = "Lists name, type, shape and size of the tensors in a file, and its metadata. The\n"
             "file is safetensors, an index of shards, a checkpoint, npy or npz, detected by its\n"
             "content; for the folder of a run it is the checkpoint.\n"
             "\n"
             "The hash depends on names, types, shapes and values, but not on the file format or\n"
             "the order of tensors.\n",
    .examples = "weft inspect model.safetensors\n"
                "weft inspect runs/digits-mlp --stats --only '*.weight'\n"
                "weft inspect --hash runs/digits-mlp\n",
    COMMAND_OPTIONS(inspect_options),
    .settings_size = sizeof(inspect_settings),
    .run = inspect_main,
};
