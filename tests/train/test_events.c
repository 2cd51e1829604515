/* test_events.c - TensorBoard's files, read back by a reader of our own: the frames with a CRC that
 * is computed bit by bit, the messages field by field.
 *
 * What the format is: TFRecord framing (length, masked CRC-32C of the length, data, masked CRC-32C
 * of the data, little-endian, mask constant 0xa282ead8), and the messages Event and Summary. */
#include "run_folder.h"

#include <math.h>
#include <time.h>

/* ---- frames ---- */

static uint32_t crc_bit_by_bit(const unsigned char *s, size_t n) {
    uint32_t crc = 0xffffffffu; /* Castagnoli's polynomial 0x1edc6f41, reflected */
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit++) {
            const uint32_t low = (crc ^ (uint32_t)(s[i] >> bit)) & 1;
            crc = (crc >> 1) ^ (low ? 0x82f63b78u : 0);
        }
    return crc ^ 0xffffffffu;
}

static uint32_t masked(const unsigned char *s, size_t n) {
    const uint32_t crc = crc_bit_by_bit(s, n);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

static uint64_t little(const unsigned char *s, int bytes) {
    uint64_t v = 0;
    for (int i = bytes; i-- > 0;) v = v << 8 | s[i];
    return v;
}

/* ---- messages ---- */

typedef struct event {
    double wall;
    int64_t step;
    char version[32];
    int start; /* session_log's status */
    int n;     /* values */
    char tag[40][64];
    float value[40];
    bool sound;
} event;

typedef struct cursor {
    const unsigned char *at, *end;
    bool bad;
} cursor;

static uint64_t varint(cursor *c) {
    uint64_t v = 0;
    for (int shift = 0; c->at < c->end && shift < 64; shift += 7) {
        const unsigned char b = *c->at++;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) return v;
    }
    c->bad = true;
    return 0;
}

static cursor piece(cursor *c, uint64_t n) {
    cursor p = {c->at, c->at, false};
    if (n > (uint64_t)(c->end - c->at)) c->bad = true;
    else p.end = c->at += n;
    return p;
}

static void text_of(char *to, size_t room, cursor p) {
    snprintf(to, room, "%.*s", (int)(p.end - p.at), (const char *)p.at);
}

static void read_value(event *e, cursor c) {
    while (c.at < c.end && !c.bad) {
        const uint64_t key = varint(&c);
        if (key == (1 << 3 | 2)) text_of(e->tag[e->n], sizeof e->tag[0], piece(&c, varint(&c)));
        else if (key == (2 << 3 | 5)) {
            const cursor p = piece(&c, 4);
            const uint32_t bits = c.bad ? 0 : (uint32_t)little(p.at, 4);
            memcpy(&e->value[e->n], &bits, 4);
        } else c.bad = true;
    }
    e->sound = e->sound && !c.bad;
    e->n++;
}

static event read_event(cursor c) {
    event e = {.sound = true, .start = -1};
    while (c.at < c.end && !c.bad) {
        const uint64_t key = varint(&c);
        if (key == (1 << 3 | 1)) {
            const cursor p = piece(&c, 8);
            const uint64_t bits = c.bad ? 0 : little(p.at, 8);
            memcpy(&e.wall, &bits, 8);
        } else if (key == (2 << 3 | 0)) e.step = (int64_t)varint(&c);
        else if (key == (3 << 3 | 2)) text_of(e.version, sizeof e.version, piece(&c, varint(&c)));
        else if (key == (5 << 3 | 2)) {
            cursor summary = piece(&c, varint(&c));
            while (summary.at < summary.end && !summary.bad) {
                if (varint(&summary) != (1 << 3 | 2) || e.n >= 40) summary.bad = true;
                else read_value(&e, piece(&summary, varint(&summary)));
            }
            c.bad = c.bad || summary.bad;
        } else if (key == (7 << 3 | 2)) {
            cursor log = piece(&c, varint(&c));
            if (varint(&log) == (1 << 3 | 0)) e.start = (int)varint(&log);
            c.bad = c.bad || log.bad || log.at != log.end;
        } else c.bad = true;
    }
    e.sound = e.sound && !c.bad;
    return e;
}

/* The events of a file; every frame is checked. */
static int read_events(const char *path, event *out, int most) {
    size_t bytes = 0;
    unsigned char *s = (unsigned char *)run_read(path, &bytes);
    int n = 0;
    if (!CHECK(s)) return 0;
    for (size_t at = 0; at < bytes;) {
        if (!CHECK(bytes - at >= 12)) break;
        const uint64_t length = little(s + at, 8);
        CHECK_EQ(little(s + at + 8, 4), masked(s + at, 8));
        if (!CHECK(length <= bytes - at - 12 && bytes - at - 12 - length >= 4)) break;
        const unsigned char *data = s + at + 12;
        CHECK_EQ(little(data + length, 4), masked(data, length));
        if (CHECK(n < most)) out[n] = read_event((cursor){data, data + length, false});
        if (n < most) CHECK(out[n++].sound);
        at += 12 + length + 4;
    }
    free(s);
    return n;
}

/* ---- tests ---- */

TEST(the_reader_knows_a_record) {
    /* CRC-32C of "123456789" is the check value of its definition. */
    CHECK_EQ(crc_bit_by_bit((const unsigned char *)"123456789", 9), 0xe3069283u);
}

TEST(events_come_back) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path});
    const double before = (double)time(NULL);
    weft_metrics m = {0};
    weft_metric(&m, "train/loss", 0.3125);
    weft_metric(&m, "train/rate", 1e-3);
    CHECK_EQ(weft_journal_write(j, 50, &m), WEFT_OK);
    m = (weft_metrics){0};
    weft_metric(&m, "test/accuracy", NAN);
    CHECK_EQ(weft_journal_write(j, INT64_C(5000000000), &m), WEFT_OK);
    m = (weft_metrics){0};
    char names[WEFT_METRICS][48];
    for (int i = 0; i < WEFT_METRICS; i++) { /* a summary of more than 127 bytes */
        snprintf(names[i], sizeof names[i], "group/a rather long name %d", i);
        weft_metric(&m, names[i], i * 1.5);
    }
    CHECK_EQ(weft_journal_write(j, 51, &m), WEFT_OK);
    CHECK_EQ(weft_journal_close(j), WEFT_OK);

    char name[256] = "";
    static event e[8];
    CHECK_EQ(run_files(f.path, "events.out.tfevents.", 0, name), 1);
    CHECK_NEAR(strtod(name + strlen("events.out.tfevents."), NULL), before, 60);
    CHECK_EQ(read_events(run_path(&f, name), e, 8), 4);
    CHECK_STR(e[0].version, "brain.Event:2");
    CHECK_EQ(e[0].n, 0);
    CHECK_EQ(e[0].start, -1);
    CHECK_EQ(e[1].step, 50);
    CHECK(e[1].wall >= before - 1 && e[1].wall < before + 60);
    CHECK_EQ(e[1].n, 2);
    CHECK_STR(e[1].tag[0], "train/loss");
    CHECK_EQ(e[1].value[0], 0.3125f);
    CHECK_STR(e[1].tag[1], "train/rate");
    CHECK_EQ(e[1].value[1], 1e-3f);
    CHECK_EQ(e[2].step, INT64_C(5000000000));
    CHECK_STR(e[2].tag[0], "test/accuracy");
    CHECK(isnan(e[2].value[0]));
    CHECK_EQ(e[3].n, WEFT_METRICS);
    for (int i = 0; i < WEFT_METRICS; i++) {
        CHECK_STR(e[3].tag[i], names[i]);
        CHECK_EQ(e[3].value[i], (float)i * 1.5f);
    }
    weft_close(c);
    run_remove(f.path);
}

/* A resumed run has a file of its own, later in order, that takes back what came after the step. */
TEST(a_resume_purges) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    weft_metrics m = {0};
    weft_metric(&m, "a", 1);
    char name[256] = "", before[256] = "";
    static event e[4];
    for (int i = 0; i < 3; i++) {
        weft_journal *j =
            weft_journal_open(c, &(weft_journal_desc){.run = f.path, .resume = 100 * i});
        CHECK_EQ(weft_journal_write(j, 100 * i + 50, &m), WEFT_OK);
        CHECK_EQ(weft_journal_close(j), WEFT_OK);
        CHECK_EQ(run_files(f.path, "events.out.tfevents.", i, name), i + 1);
        CHECK(strcmp(name, before) > 0);
        strcpy(before, name);
        const int n = read_events(run_path(&f, name), e, 4);
        CHECK_EQ(n, i ? 3 : 2);
        CHECK_STR(e[0].version, "brain.Event:2");
        if (i) CHECK_EQ(e[1].start, 1);
        if (i) CHECK_EQ(e[1].step, 100 * i + 1);
        CHECK_EQ(e[n - 1].step, 100 * i + 50);
    }
    weft_close(c);
    run_remove(f.path);
}
