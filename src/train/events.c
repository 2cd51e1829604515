/* events.c - a TensorBoard event file: framed records, each a small protocol buffer.
 *
 * A record is: length (8 bytes), masked CRC-32C of the length, the message, masked CRC-32C of the
 * message; all numbers little-endian. A message is an Event; the fields used here are
 *
 *     Event    1 wall_time double, 2 step varint, 3 file_version text, 5 summary, 7 session_log
 *     Summary  1 value, repeated         Value  1 tag text, 2 simple_value float
 *     SessionLog  1 status varint, START is 1
 *
 * The first event of a file is its version. One with a starting session tells TensorBoard to
 * forget what older files of the folder say about its step and later ones. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "events.h"
#include "base/crc.h"

#include <weft/io.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS_VARINT = 0, EVENTS_64 = 1, EVENTS_BYTES = 2, EVENTS_32 = 5 }; /* wire types */

/* ---- protocol buffers ---- */

static void events_varint(text *d, uint64_t v) {
    unsigned char b[10];
    size_t n = 0;
    do {
        b[n++] = (unsigned char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
        v >>= 7;
    } while (v);
    text_raw(d, b, n);
}

static void events_key(text *d, unsigned field, unsigned type) {
    events_varint(d, field << 3 | type);
}

static void events_real(text *d, unsigned field, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    events_key(d, field, EVENTS_64);
    text_little(d, bits, 8);
}

static void events_single(text *d, unsigned field, float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    events_key(d, field, EVENTS_32);
    text_little(d, bits, 4);
}

static void events_text(text *d, unsigned field, const char *s) {
    events_key(d, field, EVENTS_BYTES);
    events_varint(d, strlen(s));
    text_put(d, s);
}

static size_t events_varint_size(uint64_t v) {
    size_t n = 1;
    while (v >>= 7) n++;
    return n;
}

/* The size of a Value, so that it can be written where it belongs: its length comes first. */
static size_t events_value_size(const char *tag) {
    const size_t n = strlen(tag);
    return 1 + events_varint_size(n) + n + 1 + 4;
}

/* ---- records ---- */

static uint32_t events_mask(const void *bytes, size_t n) {
    const uint32_t crc = crc_32c(0, bytes, n);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static weft_err events_put(events *e) { /* the message, as a record of the file */
    text *d = &e->record;
    text_clear(d);
    text_little(d, e->message.n, 8);
    if (!d->failed) text_little(d, events_mask(d->s, 8), 4);
    if (!e->message.failed) {
        text_raw(d, e->message.s, e->message.n);
        text_little(d, events_mask(e->message.s, e->message.n), 4);
    }
    if (d->failed || e->message.failed)
        return weft_fail(e->c, WEFT_MEMORY, "%s: out of memory", e->to.path);
    return folder_write(e->c, &e->to, d->s, d->n);
}

static void events_begin(events *e, double wall, int64_t step) {
    text_clear(&e->message);
    events_real(&e->message, 1, wall);
    events_key(&e->message, 2, EVENTS_VARINT);
    events_varint(&e->message, (uint64_t)step);
}

weft_err events_write(events *e, double wall, int64_t step, const weft_metrics *m) {
    text *d = &e->message;
    size_t bytes = 0;
    for (size_t i = 0; i < m->n; i++) {
        const size_t value = events_value_size(m->at[i].name);
        bytes += 1 + events_varint_size(value) + value;
    }
    events_begin(e, wall, step);
    events_key(d, 5, EVENTS_BYTES);
    events_varint(d, bytes);
    for (size_t i = 0; i < m->n; i++) {
        events_key(d, 1, EVENTS_BYTES);
        events_varint(d, events_value_size(m->at[i].name));
        events_text(d, 1, m->at[i].name);
        events_single(d, 2, (float)m->at[i].value);
    }
    return events_put(e);
}

/* ---- the file ---- */

/* events.out.tfevents.SECONDS.HOST.PROCESS.ORDINAL: readers take files in the order of names. */
static weft_err events_name(events *e, const char *run, double wall) {
    char host[80] = "", name[200];
    if (gethostname(host, sizeof host - 1) != 0 || !*host) strcpy(host, "localhost");
    for (char *p = host; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-' && *p != '.') *p = '_';
    int ordinal = 0;
    weft_err err;
    do {
        snprintf(name, sizeof name, EVENTS_PREFIX "%010lld.%s.%ld.%03d", (long long)wall, host,
                 (long)getpid(), ordinal++);
        err = folder_path(e->c, e->to.path, run, name);
    } while (err == WEFT_OK && path_exists(e->to.path));
    return err;
}

weft_err events_open(events *e, weft_ctx *c, const char *run, double wall, int64_t resume) {
    *e = (events){.c = c, .to.file = -1, .record.m = mem_of(c), .message.m = mem_of(c)};
    weft_err err = events_name(e, run, wall);
    if (err == WEFT_OK) err = folder_open(c, &e->to, FOLDER_NEW);
    if (err == WEFT_OK) {
        events_begin(e, wall, 0);
        events_text(&e->message, 3, "brain.Event:2");
        err = events_put(e);
    }
    if (err == WEFT_OK && resume > 0) {
        events_begin(e, wall, resume < INT64_MAX ? resume + 1 : resume);
        events_key(&e->message, 7, EVENTS_BYTES);
        events_varint(&e->message, 2);
        events_key(&e->message, 1, EVENTS_VARINT);
        events_varint(&e->message, 1);
        err = events_put(e);
    }
    return err;
}

weft_err events_sync(events *e) {
    return folder_sync(e->c, &e->to);
}

weft_err events_close(events *e) {
    text_free(&e->record);
    text_free(&e->message);
    return folder_close(e->c, &e->to);
}
