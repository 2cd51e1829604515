/* detector_save.c - a detector as bytes, and back.
 *
 *     "weft detector\n\0\0"  16 bytes
 *     version 2             u32; 1 had coarser means, see codec_coarse
 *     values of a point     u32
 *     kind                  its name, 24 bytes, filled with zeros
 *     length                u64, of all bytes
 *     fields                f64 each, in the order of WEFT_DETECTOR_FIELDS
 *     points fed            i64
 *     the kind's state      whole numbers i64, counts u32, others f64
 *     checksum              u32, CRC-32C of all before it
 *
 * All little-endian. One function of a kind lists its numbers for counting, writing and reading, so
 * the three cannot differ. What is read is checked where it is read: a file may be forged. */
#include "base/crc.h"
#include "base/reader.h"
#include "detector.h"

#include <weft/io.h>

#include <stdio.h>
#include <string.h>

enum { SAVE_MAGIC = 16, SAVE_KIND = 24, SAVE_VERSION = 2, SAVE_CHECK = 4, SAVE_SPARE = 3 << 18 };
static const char save_magic[SAVE_MAGIC] = "weft detector\n";

struct codec {
    unsigned char *out; /* writing */
    reader *in;         /* reading; both NULL: counting */
    size_t n;           /* bytes counted or written */
    bool coarse;        /* reading version 1 */
};

/* Little-endian, whatever the machine is. */
static uint64_t codec_number(codec *k, const char *field, uint64_t v, int bytes) {
    if (k->in) return reader_number(k->in, field, bytes);
    for (int i = 0; k->out && i < bytes; i++)
        k->out[k->n + (size_t)i] = (unsigned char)(v >> 8 * i);
    k->n += (size_t)bytes;
    return v;
}

static void codec_refuse(codec *k, const char *field, int bytes, const char *expected) {
    if (k->in && k->in->err == WEFT_OK)
        reader_fail(k->in, WEFT_FORMAT, k->in->at - (size_t)bytes, field, "%s expected", expected);
}

void codec_reals(codec *k, const char *field, double *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bits = codec_number(k, field, bits, 8);
        if (!k->in) continue;
        memcpy(&x[i], &bits, sizeof bits);
        if (isfinite(x[i])) continue;
        x[i] = 0;
        codec_refuse(k, field, 8, "a finite number");
    }
}

void codec_values(codec *k, const char *field, double *x, size_t n) {
    codec_reals(k, field, x, n);
    for (size_t i = 0; k->in && i < n; i++) {
        if (fabs(x[i]) <= STREAM_EXTREME) continue;
        x[i] = 0;
        codec_refuse(k, field, 8, "a value no larger than 1e120 was");
    }
}

void codec_sizes(codec *k, const char *field, double *x, size_t n) {
    codec_reals(k, field, x, n);
    for (size_t i = 0; k->in && i < n; i++) {
        if (x[i] >= 0) continue;
        x[i] = 0;
        codec_refuse(k, field, 8, "a number not below 0 was");
    }
}

void codec_whole(codec *k, const char *field, int64_t *x, int64_t low, int64_t high) {
    const uint64_t bits = codec_number(k, field, (uint64_t)*x, 8);
    if (!k->in) return;
    memcpy(x, &bits, sizeof *x);
    if (*x >= low && *x <= high) return;
    if (k->in->err == WEFT_OK)
        reader_fail(k->in, WEFT_FORMAT, k->in->at - 8, field, "%lld; %lld to %lld was expected",
                    (long long)*x, (long long)low, (long long)high);
    *x = low;
}

void codec_counts(codec *k, const char *field, uint32_t *x, size_t n, uint32_t high) {
    for (size_t i = 0; i < n; i++) {
        const uint32_t v = (uint32_t)codec_number(k, field, x[i], 4);
        if (!k->in) continue;
        x[i] = v;
        if (v > high) codec_refuse(k, field, 4, "a smaller count was");
    }
}

void codec_require(codec *k, const char *field, bool holds) {
    if (!holds) codec_refuse(k, field, 0, "another number was");
}

bool codec_coarse(const codec *k) {
    return k->coarse;
}

void codec_mean(codec *k, const char *field, stream_mean *m) {
    codec_values(k, field, &m->at, 1);
    if (!k->coarse) codec_values(k, field, &m->rest, 1);
}

void codec_moments(codec *k, const char *field, moments *m) {
    codec_reals(k, field, &m->n, 1);
    codec_mean(k, field, &m->mean);
    codec_sizes(k, field, &m->squares, 1);
    codec_require(k, field, m->n >= 0 && m->n <= 0x1p53 && m->n == floor(m->n));
}

/* ---- the head ---- */

static void save_fields(codec *k, weft_detector_desc *d) {
#define X(name, whole, about) codec_reals(k, #name, &d->name, 1);
    WEFT_DETECTOR_FIELDS(X)
#undef X
}

static void save_bytes(codec *k, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) codec_number(k, "", (unsigned char)bytes[i], 1);
}

/* The walk over everything but the checksum, for counting and for writing. */
static void save_walk(weft_detector *d, codec *k, size_t total) {
    char kind[SAVE_KIND] = "";
    strncpy(kind, weft_detector_name(d->desc.kind), SAVE_KIND - 1);
    save_bytes(k, save_magic, SAVE_MAGIC);
    codec_number(k, "version", SAVE_VERSION, 4);
    codec_number(k, "values of a point", (uint64_t)d->desc.dims, 4);
    save_bytes(k, kind, SAVE_KIND);
    codec_number(k, "length", total, 8);
    save_fields(k, &d->desc);
    codec_whole(k, "points fed", &d->count, 0, INT64_MAX / 2);
    d->row->keep(d, k);
}

/* Walks that do not read change nothing, so what is constant may go through them. */
static weft_detector *save_of(const weft_detector *d) {
    return (weft_detector *)(uintptr_t)d;
}

size_t weft_detector_bytes(const weft_detector *d) {
    codec k = {0};
    save_walk(save_of(d), &k, 0);
    return k.n + SAVE_CHECK;
}

weft_err weft_detector_save(const weft_detector *d, void *bytes, size_t n) {
    if (!d || !bytes || n != weft_detector_bytes(d))
        return weft_fail(d ? d->c : NULL, WEFT_ARGUMENT,
                         "weft_detector_save: a detector and the %zu bytes that "
                         "weft_detector_bytes says were expected, got %zu",
                         d ? weft_detector_bytes(d) : 0, n);
    codec k = {.out = bytes};
    save_walk(save_of(d), &k, n);
    codec_number(&k, "checksum", crc_32c(0, bytes, k.n), SAVE_CHECK);
    return WEFT_OK;
}

/* ---- restoring ---- */

static weft_err save_read_head(reader *r, weft_detector_desc *d, bool *coarse) {
    const char *const magic = reader_bytes(r, "magic", SAVE_MAGIC);
    if (magic && memcmp(magic, save_magic, SAVE_MAGIC) != 0)
        return reader_fail(r, WEFT_FORMAT, 0, "magic", "not a snapshot of a detector");
    const uint64_t version = reader_number(r, "version", 4);
    if (r->err == WEFT_OK && version != SAVE_VERSION && version != 1)
        return reader_fail(r, WEFT_UNSUPPORTED, SAVE_MAGIC, "version",
                           "%llu, %d or less was expected", (unsigned long long)version,
                           SAVE_VERSION);
    *coarse = version == 1;
    const uint64_t dims = reader_number(r, "values of a point", 4);
    if (r->err == WEFT_OK && (dims < 1 || dims > 1024))
        return reader_fail(r, WEFT_FORMAT, r->at - 4, "values of a point",
                           "%llu; 1 to 1024 was expected", (unsigned long long)dims);
    d->dims = (int)dims;
    const char *const kind = reader_bytes(r, "kind", SAVE_KIND);
    int which = kind && !kind[SAVE_KIND - 1] ? weft_detector_find(kind) : -1;
    for (size_t i = which < 0 ? SAVE_KIND : strlen(kind); i < SAVE_KIND; i++)
        if (kind[i]) which = -1;
    if (r->err == WEFT_OK && which < 0)
        return reader_fail(r, WEFT_FORMAT, r->at - SAVE_KIND, "kind", "no such detector");
    d->kind = (weft_detector_kind)(which < 0 ? 0 : which);
    const uint64_t length = reader_number(r, "length", 8);
    if (r->err == WEFT_OK && length != r->n)
        return reader_fail(r, WEFT_FORMAT, r->at - 8, "length", "%llu bytes, the file has %zu",
                           (unsigned long long)length, r->n);
    if (r->err == WEFT_OK && r->n < SAVE_CHECK + r->at)
        return reader_fail(r, WEFT_FORMAT, r->at, "checksum", "missing");
    return r->err;
}

static weft_err save_check_sum(reader *r) {
    const size_t body = r->n - SAVE_CHECK;
    reader end = *r;
    end.at = body;
    const uint32_t said = (uint32_t)reader_number(&end, "checksum", SAVE_CHECK),
                   is = crc_32c(0, r->bytes, body);
    if (said != is)
        return reader_fail(r, WEFT_FORMAT, body, "checksum", "%08x, the content has %08x",
                           (unsigned)said, (unsigned)is);
    r->n = body;
    return WEFT_OK;
}

static weft_err save_read(weft_detector *d, reader *r, bool coarse) {
    codec k = {.in = r, .coarse = coarse};
    codec_whole(&k, "points fed", &d->count, 0, INT64_MAX / 2);
    d->row->keep(d, &k);
    if (r->err == WEFT_OK && r->at != r->n)
        reader_fail(r, WEFT_FORMAT, r->at, "end", "%zu bytes are left over", r->n - r->at);
    return r->err;
}

weft_detector *weft_detector_restore(weft_ctx *c, const void *bytes, size_t n, const char *name) {
    reader r = reader_of(c, name ? name : "snapshot", bytes, n);
    weft_detector_desc d = {0};
    bool coarse = false;
    if (save_read_head(&r, &d, &coarse) != WEFT_OK || save_check_sum(&r) != WEFT_OK) return NULL;
    const size_t fields = r.at;
    save_fields(&(codec){.in = &r}, &d);
    size_t memory = 0;
    if (r.err != WEFT_OK) return NULL;
    const weft_detector_desc said = d;
    if (detector_plan(c, &d, &memory) != WEFT_OK) {
        char why[512]; /* as long as messages are */
        snprintf(why, sizeof why, "%s", weft_error(c));
        reader_fail(&r, WEFT_FORMAT, fields, "fields", "%s", why);
        return NULL;
    }
    if (memcmp(&said, &d, sizeof d) != 0) { /* saved ones are settled */
        reader_fail(&r, WEFT_FORMAT, fields, "fields", "one that may not be 0 is");
        return NULL;
    }
    /* A state is at most twice its snapshot and some scratch: a short file cannot ask for much. */
    if (memory > 2 * n + SAVE_SPARE) {
        reader_fail(&r, WEFT_FORMAT, fields, "fields",
                    "a detector of %zu bytes, which %zu cannot hold", memory, n);
        return NULL;
    }
    weft_detector *const t = weft_detector_new(c, &d);
    if (t && save_read(t, &r, coarse) == WEFT_OK) return t;
    weft_detector_free(t);
    return NULL;
}
