/* detect.c - weft detect: outliers and changes in a table that may still be growing.
 *
 * Lines come in, labelled rows go out, each before the next is waited for. A line that cannot
 * be read ends it, or is skipped when that is asked for; what came before has been written by
 * then, and is in the snapshot. */
#include "command.h"
#include "detect_write.h"
#include "input.h"
#include "json.h"

#include <weft/io.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DETECT_SCHEMA = 1 };
typedef enum detect_format { DETECT_AUTO, DETECT_CSV, DETECT_JSON, DETECT_NONE } detect_format;

typedef struct detect_settings {
    weft_detector_desc desc; /* the fields */
    int detector, in, out, header;
    const char *columns, *keep, *separator, *save, *restore;
    bool anomalies, keep_going, json, quiet;
} detect_settings;

typedef struct detect {
    const call *call;
    const detect_settings *set;
    weft_ctx *ctx;
    const char *file;
    weft_rows *rows;
    weft_detector *detector;
    bool begun; /* the first row that could be read has come */
    detect_format out;
    int64_t first, lines, bad; /* points before this run; lines read; of them not understood */
    int64_t count[WEFT_LABEL_COUNT];
} detect;

/* ---- the detector ---- */

static bool detect_field_zero(const detect *s, const char *name, weft_detector_field *f) {
    for (int i = 0; weft_detector_field_at((weft_detector_kind)s->set->detector, i, f); i++)
        if (!strcmp(f->name, name)) return f->low > 0;
    return false;
}

/* Fields that were given belong to the chosen detector, and 0 is refused where it cannot be: to the
 * library it would stand for the default. */
static int detect_check_fields(const detect *s) {
    static const char *const fields[] = {
#define X(name, whole, about) #name,
        WEFT_DETECTOR_FIELDS(X)
#undef X
    };
    static const size_t offsets[] = {
#define X(name, whole, about) offsetof(weft_detector_desc, name),
        WEFT_DETECTOR_FIELDS(X)
#undef X
    };
    if (s->set->restore && options_given(s->call->options, "detector")) {
        fputs("weft detect: the detector comes from --restore; omit --detector\n", stderr);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        weft_detector_field f;
        double value;
        if (!options_given(s->call->options, fields[i])) continue;
        if (s->set->restore) {
            tell(stderr, "weft detect: parameters come from --restore; omit --%s\n", fields[i]);
            return EXIT_USAGE;
        }
        memcpy(&value, (const char *)&s->set->desc + offsets[i], sizeof value);
        if (value != 0 || !detect_field_zero(s, fields[i], &f)) continue;
        tell(stderr, "weft detect: --%s 0: expected %g to %g\n", fields[i], f.low, f.high);
        return EXIT_USAGE;
    }
    return EXIT_GOOD;
}

static int detect_restore(detect *s) {
    weft_file f;
    if (weft_file_open(s->ctx, s->set->restore, &f) != WEFT_OK)
        return command_failed(s->call, s->ctx);
    s->detector = weft_detector_restore(s->ctx, f.bytes, f.n, s->set->restore);
    weft_file_close(&f);
    if (!s->detector) return command_failed(s->call, s->ctx);
    s->first = weft_detector_count(s->detector);
    return EXIT_GOOD;
}

/* The first row says how many values a point has. */
static int detect_begin(detect *s) {
    const int columns = weft_rows_columns(s->rows);
    weft_detector_desc d = s->set->desc;
    d.kind = (weft_detector_kind)s->set->detector;
    d.dims = columns;
    if (s->detector) d = weft_detector_settings(s->detector);
    const bool several = d.kind == WEFT_DETECT_TREES;
    if (s->detector ? d.dims != columns : columns > 1 && !several) {
        tell(stderr, "weft detect: %s: %d column%s of numbers (%s%s%s), %s takes %d; ", s->file,
             columns, columns == 1 ? "" : "s", weft_rows_column(s->rows, 0),
             columns > 1 ? ", " : "", columns > 1 ? weft_rows_column(s->rows, 1) : "",
             weft_detector_name(d.kind), s->detector ? d.dims : 1);
        fputs("--columns chooses\n", stderr);
        return EXIT_USAGE;
    }
    if (!s->detector && !(s->detector = weft_detector_new(s->ctx, &d))) {
        const bool usage = weft_error_code(s->ctx) == WEFT_ARGUMENT;
        const int status = command_failed(s->call, s->ctx);
        return usage ? EXIT_USAGE : status;
    }
    if (s->out == DETECT_CSV) detect_write_names(stdout, s->rows);
    return EXIT_GOOD;
}

static int detect_save(const detect *s) {
    if (!s->set->save) return EXIT_GOOD;
    if (!s->detector) {
        tell(stderr, "weft detect: no rows, nothing to save in %s\n", s->set->save);
        return EXIT_FAILED;
    }
    const size_t n = weft_detector_bytes(s->detector);
    void *const bytes = malloc(n);
    int status = EXIT_GOOD;
    if (!bytes) {
        fputs("weft detect: out of memory\n", stderr);
        return EXIT_RESOURCES;
    }
    if (weft_detector_save(s->detector, bytes, n) != WEFT_OK ||
        weft_file_write(s->ctx, s->set->save, bytes, n) != WEFT_OK)
        status = command_failed(s->call, s->ctx);
    free(bytes);
    return status;
}

/* ---- lines ---- */

/* What the lines are is known when the first comes that is not empty. */
static int detect_open_rows(detect *s, const char *line, size_t n) {
    size_t blank = 0;
    while (blank < n && strchr(" \t\r", line[blank]) && line[blank]) blank++;
    if (blank == n) return EXIT_GOOD;
    const bool json =
        s->set->in == DETECT_JSON || (s->set->in == DETECT_AUTO && line[blank] == '{');
    s->rows = weft_rows_new(
        s->ctx, &(weft_rows_desc){.name = s->file,
                                  .json = json,
                                  .columns = s->set->columns,
                                  .keep = s->set->keep,
                                  .separator = s->set->separator ? s->set->separator[0] : 0,
                                  .header = s->set->header == 1   ? 1
                                            : s->set->header == 2 ? -1
                                                                  : 0});
    if (!s->rows) return command_failed(s->call, s->ctx);
    bool row;
    for (int64_t i = 1; i < s->lines; i++) weft_rows_read(s->rows, "", 0, &row); /* they count */
    s->out = s->set->out != DETECT_AUTO ? (detect_format)s->set->out
             : s->set->json || json     ? DETECT_JSON
                                        : DETECT_CSV;
    return EXIT_GOOD;
}

static int detect_point(detect *s) {
    weft_point p;
    const int64_t at = weft_detector_count(s->detector);
    weft_detector_feed(s->detector, weft_rows_values(s->rows), 1, &p);
    s->count[p.label]++;
    if (s->set->anomalies && p.label < WEFT_LABEL_OUTLIER) return EXIT_GOOD;
    if (s->out == DETECT_CSV) detect_write_csv(stdout, s->rows, at, &p);
    if (s->out == DETECT_JSON) detect_write_json(stdout, s->rows, at, &p);
    return EXIT_GOOD;
}

static int detect_line(detect *s, const char *line, size_t n) {
    bool row = false;
    s->lines++;
    if (!s->rows) {
        const int status = detect_open_rows(s, line, n);
        if (status != EXIT_GOOD || !s->rows) return status;
    }
    if (weft_rows_read(s->rows, line, n, &row) != WEFT_OK) {
        s->bad++;
        fflush(stdout);
        const int status = command_failed(s->call, s->ctx);
        return s->set->keep_going && status == EXIT_INPUT ? EXIT_GOOD : status;
    }
    if (!row) return EXIT_GOOD;
    if (!s->begun) {
        const int status = detect_begin(s);
        if (status != EXIT_GOOD) return status;
        s->begun = true;
    }
    return detect_point(s);
}

static int detect_all(detect *s, input *in) {
    const char *line = NULL;
    size_t n = 0;
    for (;;) {
        switch (input_next(in, stdout, &line, &n)) {
        case INPUT_LINE: {
            const int status = detect_line(s, line, n);
            if (status != EXIT_GOOD) return status;
            break;
        }
        case INPUT_END: return EXIT_GOOD;
        case INPUT_INTERRUPTED: return EXIT_INTERRUPTED;
        case INPUT_TOO_LONG:
            tell(stderr, "weft detect: %s: line %lld: longer than %d bytes\n", s->file,
                 (long long)s->lines + 1, INPUT_LONGEST);
            return EXIT_INPUT;
        default:
            tell(stderr, "weft detect: %s: line %lld: %s\n", s->file, (long long)s->lines + 1,
                 strerror(errno));
            return EXIT_FAILED;
        }
    }
}

/* ---- the end ---- */

static void detect_tell(const detect *s) {
    int64_t points = 0;
    for (int v = 0; v < WEFT_LABEL_COUNT; v++) points += s->count[v];
    if (s->set->json) {
        const weft_detector_desc d =
            s->detector ? weft_detector_settings(s->detector) : (weft_detector_desc){0};
        json j = json_begin(stdout);
        json_integer(&j, "schema", DETECT_SCHEMA);
        json_text(&j, "file", s->file);
        json_text(&j, "detector", s->detector ? weft_detector_name(d.kind) : NULL);
        json_integer(&j, "points", points);
        json_integer(&j, "points_before", s->first);
        for (int v = 0; v < WEFT_LABEL_COUNT; v++)
            json_integer(&j, weft_label_name((weft_label)v), s->count[v]);
        json_integer(&j, "lines", s->lines);
        json_integer(&j, "bad_lines", s->bad);
        json_end(&j);
    } else if (!s->set->quiet) {
        tell(stderr, "%lld point%s", (long long)points, points == 1 ? "" : "s");
        for (int v = WEFT_LABEL_COUNT - 1; v > WEFT_LABEL_NORMAL; v--)
            if (s->count[v])
                tell(stderr, ", %lld %s", (long long)s->count[v], weft_label_name((weft_label)v));
        if (s->bad) {
            tell(stderr, "; %lld malformed line%s", (long long)s->bad, s->bad == 1 ? "" : "s");
        }
        fputc('\n', stderr);
    }
}

static int detect_main(const call *request) {
    detect s = {.call = request,
                .set = request->settings,
                .file = request->count ? request->words[0] : "-"};
    int status = detect_check_fields(&s);
    if (status == EXIT_GOOD && s.set->separator && strlen(s.set->separator) != 1) {
        fputs("weft detect: --separator takes one character\n", stderr);
        status = EXIT_USAGE;
    }
    if (status != EXIT_GOOD) return status;
    input in;
    if (!input_open(&in, s.file)) {
        tell(stderr, "weft detect: %s: %s\n", s.file, strerror(errno));
        return EXIT_FAILED;
    }
    if (!strcmp(s.file, "-")) s.file = "standard input";
    s.ctx = weft_open("cpu");
    if (!s.ctx) status = command_failed(request, NULL);
    else if (s.set->restore) status = detect_restore(&s);
    if (status == EXIT_GOOD) {
        status = detect_all(&s, &in);
        if (status != EXIT_USAGE) {
            const int saved = detect_save(&s);
            if (status == EXIT_GOOD) status = saved;
            detect_tell(&s);
        }
    }
    input_close(&in);
    weft_detector_free(s.detector);
    weft_rows_free(s.rows);
    if (s.ctx) weft_close(s.ctx);
    return status;
}

/* ---- what can be asked ---- */

static const char detect_names[] = /* from the second character on */
#define X(name, text, about) "|" text
    WEFT_DETECTORS(X)
#undef X
    ;

static const option detect_options[] = {
    {.name = "detector",
     .letter = 'd',
     .kind = OPTION_CHOICE,
     .value = detect_names + 1,
     .help = "detection method (zscore)",
     .offset = offsetof(detect_settings, detector)},
    {.name = "columns",
     .letter = 'c',
     .kind = OPTION_TEXT,
     .value = "LIST",
     .help = "columns of values: names, numbers from 1, paths of JSON (all)",
     .offset = offsetof(detect_settings, columns)},
    {.name = "keep",
     .letter = 'k',
     .kind = OPTION_TEXT,
     .value = "LIST",
     .help = "columns to copy to the output, such as the time",
     .offset = offsetof(detect_settings, keep)},
    {.name = "in",
     .kind = OPTION_CHOICE,
     .value = "auto|csv|json",
     .help = "input format (auto)",
     .offset = offsetof(detect_settings, in)},
    {.name = "out",
     .kind = OPTION_CHOICE,
     .value = "auto|csv|json|none",
     .help = "output format (as the input)",
     .offset = offsetof(detect_settings, out)},
    {.name = "header",
     .kind = OPTION_CHOICE,
     .value = "auto|yes|no",
     .help = "does the first line of CSV have names? (detected)",
     .offset = offsetof(detect_settings, header)},
    {.name = "separator",
     .kind = OPTION_TEXT,
     .value = "CHARACTER",
     .help = "separates cells of CSV, \\t for a tab (detected)",
     .offset = offsetof(detect_settings, separator)},
    {.name = "anomalies",
     .kind = OPTION_FLAG,
     .also = "odd",
     .help = "write outliers and changes only",
     .offset = offsetof(detect_settings, anomalies)},
    {.name = "keep-going",
     .kind = OPTION_FLAG,
     .help = "report malformed lines and skip them",
     .offset = offsetof(detect_settings, keep_going)},
    {.name = "save",
     .kind = OPTION_FILE,
     .value = "FILE",
     .help = "save the state of the detector at the end",
     .offset = offsetof(detect_settings, save)},
    {.name = "restore",
     .kind = OPTION_FILE,
     .value = "FILE",
     .help = "continue from a saved state",
     .offset = offsetof(detect_settings, restore)},
#define X(field, whole, about)                                                                     \
    {.name = #field,                                                                               \
     .kind = OPTION_NUMBER,                                                                        \
     .value = whole ? "N" : "X",                                                                   \
     .help = about,                                                                                \
     .offset = offsetof(detect_settings, desc) + offsetof(weft_detector_desc, field)},
    WEFT_DETECTOR_FIELDS(X)
#undef X
        ROW_QUIET(detect_settings),
    {.name = "json",
     .kind = OPTION_FLAG,
     .help = "write JSON, with a summary as the last line",
     .offset = offsetof(detect_settings, json)},
};

const command detect_command = {
    .name = "detect",
    .summary = "find outliers and changes in a stream of numbers",
    .operands = "[FILE]",
    .about =
        "Reads rows of CSV or JSON, an object per line, from FILE or standard input, and writes\n"
        "each with a score and a label as it arrives: normal, warmup (too few points so far),\n"
        "missing, outlier or change. Ctrl-C and malformed lines stop it; all rows before are\n"
        "written then, and are part of the state that --save writes. Each detector has its own\n"
        "parameters; docs/stream.md lists them and says when to use which detector.\n",
    .examples =
        "weft detect --columns load --keep time metrics.csv\n"
        "tail -f app.jsonl | weft detect -d holt-winters --period 1440 -c rate --anomalies\n"
        "weft detect -d trees -c x,y,z --save state sensors.csv\n"
        "weft detect --restore state --save state more.csv\n",
    COMMAND_OPTIONS(detect_options),
    .settings_size = sizeof(detect_settings),
    .run = detect_main,
};
