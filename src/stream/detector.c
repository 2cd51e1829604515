/* detector.c - detectors by their kind: the table of parameters, creation, feeding.
 *
 * What a kind does is in a file of its own; snapshots are in detector_save.c. */
#include "detector.h"

#include <stdio.h>
#include <string.h>

static const char *const detector_words[][2] = {
#define X(name, text, about) {text, about},
    WEFT_DETECTORS(X)
#undef X
};

static const detector_row *const detector_rows[] = {
#define X(name, text, about) &detector_##name,
    WEFT_DETECTORS(X)
#undef X
};

static const struct detector_range {
    weft_detector_kind kind;
    weft_detector_field field;
} detector_ranges[] = {
#define FIELD(kind, field, otherwise, low, high)                                                   \
    {WEFT_DETECT_##kind,                                                                           \
     {#field, NULL, false, otherwise, low, high, offsetof(weft_detector_desc, field)}},
#include "fields.def"
#undef FIELD
};
enum { DETECTOR_RANGES = sizeof detector_ranges / sizeof *detector_ranges };

/* All fields, with what does not depend on the kind. */
static const struct {
    const char *name, *about;
    bool whole;
    size_t offset;
} detector_fields[] = {
#define X(name, whole, about) {#name, about, whole, offsetof(weft_detector_desc, name)},
    WEFT_DETECTOR_FIELDS(X)
#undef X
};
enum { DETECTOR_FIELDS = sizeof detector_fields / sizeof *detector_fields };

const char *weft_detector_name(weft_detector_kind k) {
    return (int)k >= 0 && k < WEFT_DETECTOR_COUNT ? detector_words[k][0] : NULL;
}

const char *weft_detector_about(weft_detector_kind k) {
    return (int)k >= 0 && k < WEFT_DETECTOR_COUNT ? detector_words[k][1] : NULL;
}

int weft_detector_find(const char *name) {
    for (int k = 0; name && k < WEFT_DETECTOR_COUNT; k++)
        if (!strcmp(name, detector_words[k][0])) return k;
    return -1;
}

const char *weft_label_name(weft_label v) {
    static const char *const names[] = {
#define X(name, text) text,
        WEFT_LABELS(X)
#undef X
    };
    return (int)v >= 0 && v < WEFT_LABEL_COUNT ? names[v] : NULL;
}

bool weft_detector_field_at(weft_detector_kind k, int i, weft_detector_field *out) {
    for (int r = 0; r < DETECTOR_RANGES; r++) {
        if (detector_ranges[r].kind != k || i--) continue;
        *out = detector_ranges[r].field;
        for (int f = 0; f < DETECTOR_FIELDS; f++) {
            if (detector_fields[f].offset != out->offset) continue;
            out->about = detector_fields[f].about;
            out->whole = detector_fields[f].whole;
        }
        return true;
    }
    return false;
}

static double *detector_value(weft_detector_desc *d, size_t offset) {
    return (double *)((char *)d + offset);
}

/* Fills in what 0 stands for; refuses what is out of range, or not this kind's. */
static weft_err detector_settle(weft_ctx *c, weft_detector_desc *d) {
    const char *const name = weft_detector_name(d->kind);
    if (!name)
        return weft_fail(c, WEFT_ARGUMENT, "weft_detector_new: unknown kind %d", (int)d->kind);
    if (!d->dims) d->dims = 1;
    const int most = detector_rows[d->kind]->most_values;
    if (d->dims < 1 || d->dims > most)
        return weft_fail(c, WEFT_ARGUMENT, "%s: points of %d values, it takes 1 to %d%s", name,
                         d->dims, most, most > 1 ? "" : "; trees take several");
    weft_detector_desc left = *d;
    weft_detector_field f;
    for (int i = 0; weft_detector_field_at(d->kind, i, &f); i++) {
        double *const v = detector_value(d, f.offset);
        *detector_value(&left, f.offset) = 0;
        if (*v == 0) *v = f.otherwise;
        if (!(*v >= f.low && *v <= f.high) && !(*v == f.otherwise))
            return weft_fail(c, WEFT_ARGUMENT, "%s: %s %g; expected %g to %g", name, f.name, *v,
                             f.low, f.high);
        if (f.whole && *v != floor(*v))
            return weft_fail(c, WEFT_ARGUMENT, "%s: %s %g, a whole number was expected", name,
                             f.name, *v);
    }
    for (int i = 0; i < DETECTOR_FIELDS; i++)
        if (*detector_value(&left, detector_fields[i].offset) != 0)
            return weft_fail(c, WEFT_ARGUMENT, "%s has no %s; docs/stream.md lists what it has",
                             name, detector_fields[i].name);
    if (d->low > d->high || (d->low == d->high && d->low != 0))
        return weft_fail(c, WEFT_ARGUMENT, "%s: a range from %g to %g is empty", name, d->low,
                         d->high);
    return WEFT_OK;
}

void *room_take(room *r, size_t bytes) {
    char *const p = r->at ? r->at + r->bytes : NULL;
    r->bytes += (bytes + 15) / 16 * 16;
    return p;
}

weft_err detector_plan(weft_ctx *c, weft_detector_desc *d, size_t *bytes) {
    const weft_err e = detector_settle(c, d);
    if (e != WEFT_OK) return e;
    room r = {0};
    detector_rows[d->kind]->lay(&r, d);
    *bytes = r.bytes;
    return WEFT_OK;
}

weft_detector *weft_detector_new(weft_ctx *c, const weft_detector_desc *d) {
    if (!c || !d) {
        weft_fail(c, WEFT_ARGUMENT, "weft_detector_new: a context and a description are expected");
        return NULL;
    }
    weft_detector_desc desc = *d;
    size_t bytes = 0;
    if (detector_plan(c, &desc, &bytes) != WEFT_OK) return NULL;
    weft_detector *const t = weft_resize(c, NULL, sizeof *t);
    void *const memory = t ? weft_resize(c, NULL, bytes) : NULL;
    if (!memory) {
        if (t) weft_resize(c, t, 0);
        weft_fail(c, WEFT_MEMORY, "out of memory for a detector of %zu bytes", bytes);
        return NULL;
    }
    memset(memory, 0, bytes);
    *t = (weft_detector){.c = c, .desc = desc, .row = detector_rows[desc.kind]};
    room r = {.at = memory};
    t->state = t->row->lay(&r, &desc); /* the state comes first, so it is the memory */
    if (t->row->begin) t->row->begin(t);
    return t;
}

void weft_detector_free(weft_detector *d) {
    if (!d) return;
    weft_resize(d->c, d->state, 0);
    weft_resize(d->c, d, 0);
}

weft_err weft_detector_feed(weft_detector *d, const double *points, size_t n, weft_point *out) {
    if (!d || (!points && n))
        return weft_fail(d ? d->c : NULL, WEFT_ARGUMENT,
                         "weft_detector_feed: a detector and points are expected");
    if (out) {
        d->row->feed(d, points, n, out);
        return WEFT_OK;
    }
    weft_point unread[128];
    const size_t most = sizeof unread / sizeof *unread;
    for (size_t i = 0; i < n; i += most)
        d->row->feed(d, points + i * (size_t)d->desc.dims, n - i < most ? n - i : most, unread);
    return WEFT_OK;
}

int64_t weft_detector_count(const weft_detector *d) {
    return d->count;
}

weft_detector_desc weft_detector_settings(const weft_detector *d) {
    return d->desc;
}
