/* report_pictures.c - sample pictures: PNG files inside the page, and a line under each.
 *
 * The writer is as small as PNG allows: 8 bits a sample, no filter, and a zlib stream of stored
 * blocks, that is, not compressed. Samples are small. */
#include "report.h"

#include <math.h>
#include <string.h>

enum {
    PICTURE_SMALL = 64 /* across: its pixels are shown as squares */,
    PICTURE_MOST = 100,
    PICTURE_SIDE = 4096,
    PICTURE_BYTES = 4 << 20,
    PICTURE_BLOCK = 65535
};

/* ---- PNG ---- */

static void picture_big(text *d, uint32_t v) { /* PNG's numbers begin with the highest byte */
    const unsigned char b[4] = {(unsigned char)(v >> 24), (unsigned char)(v >> 16),
                                (unsigned char)(v >> 8), (unsigned char)v};
    text_raw(d, b, 4);
}

static uint32_t picture_crc(const char *s, size_t n) { /* CRC-32 of zlib, a bit at a time */
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned char)s[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static uint32_t picture_adler(const unsigned char *s, size_t n) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; i++) {
        a = (a + s[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* What a chunk holds has been written behind its name, from `at` on. */
static void picture_chunk_end(text *d, size_t at) {
    if (d->failed) return;
    const uint32_t n = (uint32_t)(d->n - at - 4), crc = picture_crc(d->s + at, n + 4);
    for (int i = 0; i < 4; i++) d->s[at - 4 + (size_t)i] = (char)(n >> (24 - 8 * i));
    picture_big(d, crc);
}

static size_t picture_chunk(text *d, const char *name) {
    text_raw(d, "\0\0\0", 4); /* the length, known at its end */
    text_put(d, name);
    return d->n - 4;
}

static unsigned char picture_sample(float v) {
    return (unsigned char)(v > 0 ? lroundf(fminf(v, 1) * 255) : 0); /* nan is black */
}

/* rows: scratch of height * (1 + width * channels) bytes */
static void picture_png(text *d, const weft_picture *p, unsigned char *rows) {
    const size_t across = (size_t)p->width * (size_t)p->channels;
    const size_t size = (size_t)p->height * (across + 1);
    for (size_t y = 0; y < (size_t)p->height; y++) {
        unsigned char *row = rows + y * (across + 1);
        row[0] = 0; /* no filter */
        for (size_t i = 0; i < across; i++) row[1 + i] = picture_sample(p->pixels[y * across + i]);
    }
    text_raw(d, "\x89PNG\r\n\x1a\n", 8);
    size_t at = picture_chunk(d, "IHDR");
    picture_big(d, (uint32_t)p->width);
    picture_big(d, (uint32_t)p->height);
    const char kind[5] = {8, p->channels == 3 ? 2 : 0, 0, 0, 0}; /* bits, RGB or grey */
    text_raw(d, kind, 5);
    picture_chunk_end(d, at);
    at = picture_chunk(d, "IDAT");
    text_raw(d, "\x78\x01", 2);
    for (size_t from = 0; from < size; from += PICTURE_BLOCK) {
        const size_t n = size - from < PICTURE_BLOCK ? size - from : PICTURE_BLOCK;
        const unsigned char head[5] = {from + n == size, (unsigned char)n, (unsigned char)(n >> 8),
                                       (unsigned char)~n, (unsigned char)(~n >> 8)};
        text_raw(d, head, 5);
        text_raw(d, rows + from, n);
    }
    picture_big(d, picture_adler(rows, size));
    picture_chunk_end(d, at);
    picture_chunk_end(d, picture_chunk(d, "IEND"));
}

void report_base64(text *d, const void *bytes, size_t n) {
    const unsigned char *const s = bytes;
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const unsigned char *u = s + i;
        const size_t left = n - i;
        const uint32_t v = (uint32_t)u[0] << 16 | (left > 1 ? (uint32_t)u[1] << 8 : 0) |
                           (left > 2 ? (uint32_t)u[2] : 0);
        const char four[4] = {digit[v >> 18], digit[v >> 12 & 63],
                              left > 1 ? digit[v >> 6 & 63] : '=', left > 2 ? digit[v & 63] : '='};
        text_raw(d, four, 4);
    }
}

/* ---- the grid ---- */

weft_err report_pictures_check(const report *r) {
    for (size_t i = 0; r->asked && r->asked->pictures && i < r->asked->picture_count; i++) {
        const weft_picture *p = &r->asked->pictures[i];
        if (!p->pixels || p->height < 1 || p->width < 1 || p->height > PICTURE_SIDE ||
            p->width > PICTURE_SIDE || (p->channels != 1 && p->channels != 3))
            return weft_fail(r->c, WEFT_ARGUMENT,
                             "weft_report_write: picture %zu is %d x %d x %d%s; up to %d x %d with "
                             "1 or 3 channels was expected",
                             i, p->height, p->width, p->channels, p->pixels ? "" : " of NULL",
                             PICTURE_SIDE, PICTURE_SIDE);
    }
    return WEFT_OK;
}

static size_t picture_bytes(const weft_picture *p) {
    return (size_t)p->height * ((size_t)p->width * (size_t)p->channels + 1);
}

static void picture_show(report *r, const weft_picture *p, text *png) {
    text *d = &r->page;
    char caption[sizeof p->caption + 1] = "";
    memcpy(caption, p->caption, sizeof p->caption); /* it may lack its end */
    unsigned char *rows = weft_resize(r->c, NULL, picture_bytes(p));
    text_clear(png);
    if (rows) picture_png(png, p, rows);
    weft_resize(r->c, rows, 0);
    if (!rows || png->failed) {
        d->failed = true;
        return;
    }
    text_add(d, "<figure%s><img%s alt=\"", p->wrong ? " class=\"wrong\"" : "",
             p->width <= PICTURE_SMALL ? " class=\"small\"" : "");
    text_html(d, caption);
    text_add(d, "\" width=\"%d\" height=\"%d\" src=\"data:image/png;base64,", p->width, p->height);
    report_base64(d, png->s, png->n);
    text_put(d, "\"/><figcaption>");
    if (p->wrong) text_put(d, "<b title=\"wrong\">\xe2\x9c\x97</b> ");
    text_html(d, caption);
    text_put(d, "</figcaption></figure>\n");
}

void report_pictures(report *r) {
    const size_t n = r->asked && r->asked->pictures ? r->asked->picture_count : 0;
    if (!n) return;
    text png = {.m = mem_of(r->c)};
    char text[REPORT_NUMBER];
    size_t shown = 0, wrong = 0, bytes = 0;
    text_put(&r->page, "<section>\n<h2>Samples</h2>\n<div class=\"pictures\">\n");
    for (size_t i = 0; i < n && shown < PICTURE_MOST; i++) {
        const weft_picture *p = &r->asked->pictures[i];
        if (bytes + picture_bytes(p) > PICTURE_BYTES) continue;
        bytes += picture_bytes(p);
        picture_show(r, p, &png);
        wrong += p->wrong;
        shown++;
    }
    text_free(&png);
    text_put(&r->page, "</div>\n");
    if (wrong || shown < n) text_put(&r->page, "<p class=\"note\">");
    if (wrong) text_put(&r->page, "\xe2\x9c\x97 and a dashed frame: the answer is wrong. ");
    if (shown < n) {
        text_add(&r->page, "%s pictures", report_count(text, (int64_t)shown));
        text_add(&r->page, " of %s are shown.", report_count(text, (int64_t)n));
    }
    if (wrong || shown < n) text_put(&r->page, "</p>\n");
    text_put(&r->page, "</section>\n");
}
