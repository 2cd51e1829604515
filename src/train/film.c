/* film.c - animated GIF files, with its own LZW encoder.
 *
 * The first frame is whole. Of each later one only the rectangle that differs from the one before
 * is written, and in there cells that stay are transparent where a colour is left for that: boards
 * change little from one frame to the next, and repetition compresses well. */
#include "base/text.h"

#include <weft/train.h>

#include <math.h>
#include <string.h>

enum {
    FILM_SIDE = 65535, /* pixels: GIF has 16 bits for them */
    FILM_COLORS = 256,
    GIF_CODES = 4096,
    GIF_SLOTS = 2 * GIF_CODES, /* of the table: a power of two that is never more than half full */
    GIF_BLOCK = 255
};

typedef struct gif_packer {
    text *to;
    uint32_t bits; /* that wait to fill a byte, from the lowest */
    int bit_count, code_bits, least_bits;
    int next;                  /* the code that the next new string gets */
    int prefix;                /* the code of what was read and not yet written; -1: nothing */
    uint32_t key[GIF_SLOTS];   /* prefix * 256 + colour, plus 1; 0: free */
    uint16_t value[GIF_SLOTS]; /* its code */
    unsigned char block[GIF_BLOCK];
    size_t filled;
} gif_packer;

typedef struct film_rectangle {
    int x, y, width, height; /* in cells */
} film_rectangle;

/* ---- LZW ---- */

static void gif_byte(gif_packer *p, unsigned char byte) {
    p->block[p->filled++] = byte;
    if (p->filled < GIF_BLOCK) return;
    text_raw(p->to, &(unsigned char){GIF_BLOCK}, 1);
    text_raw(p->to, p->block, GIF_BLOCK);
    p->filled = 0;
}

static void gif_code(gif_packer *p, int code) {
    p->bits |= (uint32_t)code << p->bit_count;
    p->bit_count += p->code_bits;
    for (; p->bit_count >= 8; p->bit_count -= 8, p->bits >>= 8) gif_byte(p, (unsigned char)p->bits);
}

/* Two codes follow the colours: reset, and end. */
static void gif_anew(gif_packer *p) {
    gif_code(p, 1 << p->least_bits);
    memset(p->key, 0, sizeof p->key);
    p->next = (1 << p->least_bits) + 2;
    p->code_bits = p->least_bits + 1;
}

static void gif_begin(gif_packer *p, text *to, int least_bits) {
    p->to = to;
    p->bits = 0, p->bit_count = 0, p->filled = 0;
    p->least_bits = least_bits, p->code_bits = least_bits + 1;
    p->prefix = -1;
    text_raw(to, &(unsigned char){(unsigned char)least_bits}, 1);
    gif_anew(p);
}

static void gif_pixel(gif_packer *p, int color) {
    if (p->prefix < 0) {
        p->prefix = color;
        return;
    }
    const uint32_t key = (uint32_t)p->prefix * FILM_COLORS + (uint32_t)color + 1;
    uint32_t slot = key * 2654435761u >> 19; /* the highest 13 bits: GIF_SLOTS */
    while (p->key[slot] && p->key[slot] != key) slot = (slot + 1) % GIF_SLOTS;
    if (p->key[slot]) {
        p->prefix = p->value[slot];
        return;
    }
    gif_code(p, p->prefix);
    p->prefix = color;
    if (p->next == GIF_CODES) {
        gif_anew(p);
        return;
    }
    /* A reader is one string behind, so codes grow when the one just named needs it. */
    if (p->next == 1 << p->code_bits) p->code_bits++;
    p->key[slot] = key;
    p->value[slot] = (uint16_t)p->next++;
}

static void gif_end(gif_packer *p) {
    gif_code(p, p->prefix);
    if (p->next == 1 << p->code_bits && p->code_bits < 12) p->code_bits++;
    gif_code(p, (1 << p->least_bits) + 1);
    if (p->bit_count > 0) gif_byte(p, (unsigned char)p->bits);
    if (p->filled) {
        text_raw(p->to, &(unsigned char){(unsigned char)p->filled}, 1);
        text_raw(p->to, p->block, p->filled);
    }
    text_raw(p->to, "", 1);
}

/* ---- frames ---- */

static void film_two(text *d, int v) { /* GIF's numbers begin with the lowest byte */
    const unsigned char b[2] = {(unsigned char)v, (unsigned char)(v >> 8)};
    text_raw(d, b, 2);
}

static const uint8_t *film_frame(const weft_animation *f, int i) {
    return f->frames + (size_t)i * (size_t)f->height * (size_t)f->width;
}

/* What differs from the frame before; one cell where nothing does. */
static film_rectangle film_changed(const weft_animation *f, int i) {
    if (!i) return (film_rectangle){0, 0, f->width, f->height};
    const uint8_t *now = film_frame(f, i), *before = film_frame(f, i - 1);
    int left = f->width, right = -1, top = f->height, bottom = -1;
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++) {
            if (*now++ == *before++) continue;
            if (x < left) left = x;
            if (x > right) right = x;
            if (y < top) top = y;
            bottom = y;
        }
    if (right < 0) return (film_rectangle){0, 0, 1, 1};
    return (film_rectangle){left, top, right - left + 1, bottom - top + 1};
}

/* clear: the colour that means "as before", or -1 */
static void film_picture(gif_packer *p, text *d, const weft_animation *f, int i, int clear,
                         int least_bits) {
    const int scale = f->scale ? f->scale : 1;
    const film_rectangle r = film_changed(f, i);
    const double seconds =
        (f->seconds > 0 ? f->seconds : 0.1) + (i == 0 || i == f->count - 1 ? fmax(f->hold, 0) : 0);
    const int hundredths = (int)fmin(fmax(100 * seconds + 0.5, 2), 65535);
    const bool sparse = i > 0 && clear >= 0;
    text_raw(d, "\x21\xf9\x04", 3);
    text_raw(d, sparse ? "\x05" : "\x04", 1); /* the frame stays below the next one */
    film_two(d, hundredths);
    text_raw(d, &(unsigned char){(unsigned char)(sparse ? clear : 0)}, 1);
    text_raw(d, "\0,", 2);
    film_two(d, r.x * scale), film_two(d, r.y * scale);
    film_two(d, r.width * scale), film_two(d, r.height * scale);
    text_raw(d, "", 1);
    gif_begin(p, d, least_bits);
    for (int y = 0; y < r.height * scale; y++) {
        const size_t at = (size_t)(r.y + y / scale) * (size_t)f->width + (size_t)r.x;
        const uint8_t *const now = film_frame(f, i) + at;
        const uint8_t *const before = i ? film_frame(f, i - 1) + at : now;
        for (int x = 0; x < r.width; x++)
            for (int k = 0; k < scale; k++)
                gif_pixel(p, sparse && now[x] == before[x] ? clear : now[x]);
    }
    gif_end(p);
}

static const uint8_t film_black[2][3] = {{255, 255, 255}, {0, 0, 0}};

static void film_head(text *d, const weft_animation *f, const uint8_t (*colors)[3], int color_count,
                      int table_bits) {
    const int scale = f->scale ? f->scale : 1;
    text_put(d, "GIF89a");
    film_two(d, f->width * scale), film_two(d, f->height * scale);
    const unsigned char facts[3] = {(unsigned char)(0xf0 | (table_bits - 1)), 0, 0};
    text_raw(d, facts, 3);
    for (int i = 0; i < 1 << table_bits; i++)
        text_raw(d, i < color_count ? colors[i] : (const uint8_t[3]){0, 0, 0}, 3);
    text_raw(d, "\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19); /* for ever */
}

static weft_err film_check(weft_ctx *c, const weft_animation *f, int colors) {
    const int64_t scale = f->scale ? f->scale : 1;
    if (!f->frames || f->count < 1 || f->height < 1 || f->width < 1 || scale < 1 ||
        scale > FILM_SIDE || f->width * scale > FILM_SIDE || f->height * scale > FILM_SIDE)
        return weft_fail(
            c, WEFT_ARGUMENT,
            "weft_animation_gif: %d frames of %d x %d cells, %d pixels each%s; at least one "
            "of up to %d x %d pixels was expected",
            f->count, f->height, f->width, f->scale, f->frames ? "" : ", of NULL", FILM_SIDE,
            FILM_SIDE);
    if (colors < 1 || colors > FILM_COLORS)
        return weft_fail(c, WEFT_ARGUMENT, "weft_animation_gif: %d colours; 1 to %d were expected",
                         colors, FILM_COLORS);
    const size_t board = (size_t)f->height * (size_t)f->width, n = (size_t)f->count * board;
    for (size_t i = 0; i < n; i++)
        if (f->frames[i] >= colors)
            return weft_fail(c, WEFT_ARGUMENT,
                             "weft_animation_gif: frame %zu, cell (%zu, %zu): colour %d of %d",
                             i / board, i % board / (size_t)f->width, i % (size_t)f->width,
                             f->frames[i], colors);
    return WEFT_OK;
}

char *weft_animation_gif(weft_ctx *c, const weft_animation *f, size_t *bytes) {
    if (!c || !f || !bytes) {
        weft_fail(c, WEFT_ARGUMENT,
                  "weft_animation_gif: a context, a film and a size were expected");
        return NULL;
    }
    *bytes = 0;
    const int colors = f->colors ? f->color_count : 2;
    if (film_check(c, f, colors)) return NULL;
    const int clear = colors < FILM_COLORS ? colors : -1;
    int table_bits = 1;
    while (1 << table_bits < colors + (clear >= 0)) table_bits++;
    const int least_bits = table_bits < 2 ? 2 : table_bits; /* as GIF wants it */
    gif_packer *const p = weft_resize(c, NULL, sizeof *p);
    text d = {.m = mem_of(c), .failed = !p};
    if (p) {
        film_head(&d, f, f->colors ? f->colors : film_black, colors, table_bits);
        for (int i = 0; i < f->count && !d.failed; i++)
            film_picture(p, &d, f, i, clear, least_bits);
        text_raw(&d, ";", 1);
    }
    weft_resize(c, p, 0);
    if (d.failed) {
        text_free(&d);
        weft_fail(c, WEFT_MEMORY, "weft_animation_gif: out of memory");
        return NULL;
    }
    *bytes = d.n;
    return d.s;
}
