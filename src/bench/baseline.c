/* baseline.c - figures of one machine in a file, and whether a new one is slower.
 *
 * Relative times are compared, not microseconds: see bench.h. */
#include "base/json.h"
#include "bench/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BASELINE_SCHEMA = 1, BASELINE_CALIBRATION = 1, BASELINE_MOST = 100000 };

struct weft_baseline {
    weft_ctx *c;
    weft_machine machine;
    weft_bench_record *record;
    size_t n, room;
};

weft_baseline *weft_baseline_new(weft_ctx *c) {
    weft_baseline *b = weft_resize(c, NULL, sizeof *b);
    if (!b) {
        weft_fail(c, WEFT_MEMORY, "weft_baseline_new: out of memory");
        return NULL;
    }
    *b = (weft_baseline){.c = c};
    weft_machine_of(c, &b->machine);
    return b;
}

void weft_baseline_free(weft_baseline *b) {
    if (!b) return;
    weft_resize(b->c, b->record, 0);
    weft_resize(b->c, b, 0);
}

const weft_machine *weft_baseline_machine(const weft_baseline *b) {
    return b ? &b->machine : NULL;
}

size_t weft_baseline_count(const weft_baseline *b) {
    return b ? b->n : 0;
}

bool weft_baseline_at(const weft_baseline *b, size_t i, weft_bench_record *out) {
    if (i >= weft_baseline_count(b)) return false;
    *out = b->record[i];
    return true;
}

static size_t baseline_place(const weft_baseline *b, const char *name, int threads) {
    size_t i = 0;
    while (i < b->n && !record_is(&b->record[i], name, threads)) i++;
    return i;
}

bool weft_baseline_find(const weft_baseline *b, const char *name, int threads,
                        weft_bench_record *out) {
    return b && name && weft_baseline_at(b, baseline_place(b, name, threads), out);
}

weft_err weft_baseline_put(weft_baseline *b, const weft_bench_record *r) {
    if (!b || !r) return weft_fail(NULL, WEFT_ARGUMENT, "weft_baseline_put: NULL was given");
    const char *fault = record_fault(r);
    if (fault)
        return weft_fail(b->c, WEFT_ARGUMENT,
                         "weft_baseline_put: %s of a record is missing or out "
                         "of bounds",
                         fault);
    const size_t i = baseline_place(b, r->name, r->threads);
    if (i == BASELINE_MOST)
        return weft_fail(b->c, WEFT_ARGUMENT, "weft_baseline_put: more than %d records",
                         BASELINE_MOST);
    if (i == b->room) {
        const size_t room = 2 * b->room + 16;
        weft_bench_record *more = weft_resize(b->c, b->record, room * sizeof *more);
        if (!more) return weft_fail(b->c, WEFT_MEMORY, "weft_baseline_put: out of memory");
        b->record = more;
        b->room = room;
    }
    b->record[i] = *r;
    b->n += i == b->n;
    return WEFT_OK;
}

/* ---- the file ---- */

static weft_err baseline_head(weft_baseline *b, weft_json j, const char *path) {
    weft_machine *m = &b->machine;
    const int64_t schema = weft_json_integer(weft_json_get(j, "schema"), -1);
    const int64_t loop = weft_json_integer(weft_json_get(j, "calibration"), -1);
    const int64_t cores = weft_json_integer(weft_json_get(j, "machine.cores"), -1);
    if (schema != BASELINE_SCHEMA)
        return weft_fail(b->c, WEFT_FORMAT, "%s: not a baseline: expected \"schema\": %d", path,
                         BASELINE_SCHEMA);
    if (loop != BASELINE_CALIBRATION)
        return weft_fail(b->c, WEFT_FORMAT,
                         "%s: expected \"calibration\": %d; times in units "
                         "of another loop cannot be compared",
                         path, BASELINE_CALIBRATION);
    const weft_json cpu = weft_json_get(j, "machine.cpu"), isa = weft_json_get(j, "machine.isa"),
                    key = weft_json_get(j, "machine.key");
    const bool texts = weft_json_kind_of(cpu) == WEFT_JSON_TEXT &&
                       weft_json_text(cpu, m->cpu, sizeof m->cpu) < sizeof m->cpu &&
                       weft_json_kind_of(isa) == WEFT_JSON_TEXT &&
                       weft_json_text(isa, m->isa, sizeof m->isa) < sizeof m->isa &&
                       weft_json_text(key, m->key, sizeof m->key) == sizeof m->key - 1 &&
                       strspn(m->key, "0123456789abcdef") == sizeof m->key - 1; /* part of a path */
    if (!texts || cores < 1 || cores > 100000)
        return weft_fail(b->c, WEFT_FORMAT,
                         "%s: \"machine\" with cpu, cores, isa and key was "
                         "expected",
                         path);
    m->cores = (int)cores;
    return WEFT_OK;
}

static weft_err baseline_parse(weft_baseline *b, weft_file f, const char *path) {
    const weft_json j = weft_json_parse(b->c, f.bytes, f.n, path);
    if (weft_json_kind_of(j) == WEFT_JSON_NONE) return weft_error_code(b->c);
    weft_err e = baseline_head(b, j, path);
    if (e != WEFT_OK) return e;
    const weft_json records = weft_json_get(j, "records");
    if (weft_json_kind_of(records) != WEFT_JSON_ARRAY)
        return weft_fail(b->c, WEFT_FORMAT, "%s: an array \"records\" was expected", path);
    weft_json key = {0}, value = {0};
    for (size_t i = 0; weft_json_next(records, &key, &value); i++) {
        weft_bench_record r, twin;
        const char *fault = record_read(value, &r);
        if (fault)
            return weft_fail(b->c, WEFT_FORMAT, "%s: record %zu: %s is missing or out of bounds",
                             path, i, fault);
        if (weft_baseline_find(b, r.name, r.threads, &twin))
            return weft_fail(b->c, WEFT_FORMAT,
                             "%s: record %zu: \"%s\" with %d threads occurs "
                             "twice",
                             path, i, r.name, r.threads);
        if ((e = weft_baseline_put(b, &r)) != WEFT_OK) return e;
    }
    return WEFT_OK;
}

weft_baseline *weft_baseline_open(weft_ctx *c, const char *path) {
    weft_file f = {0};
    weft_baseline *b = NULL;
    if (weft_file_open(c, path, &f) == WEFT_OK && (b = weft_baseline_new(c)) &&
        baseline_parse(b, f, path) != WEFT_OK) {
        weft_baseline_free(b);
        b = NULL;
    }
    weft_file_close(&f);
    return b;
}

weft_err weft_baseline_write(weft_baseline *b, const char *path) {
    if (!b || !path) return weft_fail(NULL, WEFT_ARGUMENT, "weft_baseline_write: NULL was given");
    const weft_machine *m = &b->machine;
    char cpu[6 * sizeof m->cpu + 3], isa[6 * sizeof m->isa + 3];
    json_quote(cpu, sizeof cpu, m->cpu);
    json_quote(isa, sizeof isa, m->isa);
    const size_t room = (b->n + 2) * (RECORD_BYTES + 8);
    char *text = weft_resize(b->c, NULL, room);
    if (!text) return weft_fail(b->c, WEFT_MEMORY, "%s: out of memory", path);
    size_t n = (size_t)snprintf(text, room,
                                "{\"schema\": %d, \"weft\": \"%s\", \"calibration\": %d,\n"
                                " \"machine\": {\"cpu\": %s, \"cores\": %d, \"isa\": %s, \"key\": "
                                "\"%s\"},\n \"records\": [",
                                BASELINE_SCHEMA, weft_version(), BASELINE_CALIBRATION, cpu,
                                m->cores, isa, m->key);
    for (size_t i = 0; i < b->n; i++) {
        n += (size_t)snprintf(text + n, room - n, "%s\n  ", i ? "," : "");
        n += record_text(text + n, &b->record[i]);
    }
    n += (size_t)snprintf(text + n, room - n, "\n ]}\n");
    const weft_err e = weft_file_write(b->c, path, text, n);
    weft_resize(b->c, text, 0);
    return e;
}

/* ---- now and then ---- */

/* Half the width of the interval, as a share of the median. */
static double baseline_spread(const weft_bench_record *r) {
    return 0.5 * (r->high_us - r->low_us) / r->median_us;
}

weft_slowdown weft_bench_slowdown(const weft_bench_record *now, const weft_bench_record *then,
                                  double limit) {
    weft_slowdown s = {.ratio = NAN, .alike = true};
    if (!now || !then || !(now->relative > 0) || !(then->relative > 0)) return s;
    s.ratio = now->relative / then->relative;
    if (now->ping_us > 0 && then->ping_us > 0)
        s.alike = fabs(log(now->ping_us / then->ping_us)) < log(2);
    const double unsure = hypot(baseline_spread(now), baseline_spread(then));
    s.slower = s.alike && s.ratio > 1 + limit && s.ratio > 1 + unsure;
    return s;
}
