/* test_film.c - films as GIF: a reader of our own, which knows nothing of the writer, gets back
 * every frame, colour and time; what is no film is refused. */
#include "report_world.h" /* first: it says which functions of the system are wanted */

#include "heap.h"

/* ---- a reader ---- */

typedef struct gif {
    const unsigned char *s;
    size_t n, at;
    int width, height, colors;
    unsigned char palette[256][3];
    unsigned char *screen; /* what is seen: [height, width] */
    int frames, clear, hundredths;
    bool loops, sound;
} gif;

static int gif_next(gif *g) {
    if (g->at < g->n) return g->s[g->at++];
    g->sound = false;
    return 0;
}

static int gif_two(gif *g) {
    const int low = gif_next(g);
    return low | gif_next(g) << 8;
}

/* The blocks of a picture, joined; 0 ends them. */
static unsigned char *gif_joined(gif *g, size_t *n) {
    unsigned char *all = malloc(g->n + 1);
    *n = 0;
    for (int size; g->sound && (size = gif_next(g));)
        for (int i = 0; i < size; i++) all[(*n)++] = (unsigned char)gif_next(g);
    return all;
}

/* Strings are kept whole, which is slow and plain. Gives the number of pixels. */
static size_t gif_unpack(const unsigned char *s, size_t n, int least, unsigned char *out,
                         size_t room) {
    static struct {
        unsigned char *text;
        size_t n;
    } table[4096];
    const int anew = 1 << least, end = anew + 1;
    int count = 0, bits = least + 1, before = -1;
    size_t at = 0, made = 0;
    unsigned char single[256];
    for (int i = 0; i < 256; i++) single[i] = (unsigned char)i;
    for (bool open = true; open;) {
        int code = 0;
        if (at + (size_t)bits > 8 * n) return 0; /* it must say that it ends */
        for (int i = 0; i < bits; i++, at++) code |= (s[at / 8] >> at % 8 & 1) << i;
        if (code == end) break;
        if (code == anew) {
            for (int i = end + 1; i < count; i++) free(table[i].text);
            for (int i = 0; i < anew; i++) table[i].text = &single[i], table[i].n = 1;
            count = end + 1, bits = least + 1, before = -1;
            continue;
        }
        if (!count || code > count || (code == count && before < 0)) return 0;
        if (before >= 0 && count < 4096) {
            table[count].n = table[before].n + 1;
            table[count].text = malloc(table[count].n);
            memcpy(table[count].text, table[before].text, table[before].n);
            table[count].text[table[before].n] = table[code == count ? before : code].text[0];
            count++;
        } else if (code == count) return 0;
        if (count == 1 << bits && bits < 12) bits++;
        before = code;
        if (made + table[code].n > room) return 0;
        memcpy(out + made, table[code].text, table[code].n);
        made += table[code].n;
    }
    for (int i = end + 1; i < count; i++) free(table[i].text);
    return (n * 8 - at < 8) ? made : 0; /* nothing behind its end */
}

static gif gif_open(const char *bytes, size_t n) {
    gif g = {.s = (const unsigned char *)bytes, .n = n, .clear = -1, .sound = true};
    CHECK(n > 13 && memcmp(bytes, "GIF89a", 6) == 0);
    g.at = 6;
    g.width = gif_two(&g), g.height = gif_two(&g);
    const int facts = gif_next(&g);
    CHECK(facts & 0x80); /* a palette for all frames */
    g.colors = 2 << (facts & 7);
    g.at += 2;
    for (int i = 0; i < g.colors; i++)
        for (int k = 0; k < 3; k++) g.palette[i][k] = (unsigned char)gif_next(&g);
    g.screen = calloc((size_t)g.width * (size_t)g.height, 1);
    return g;
}

/* The next frame onto the screen; false: the film is over. */
static bool gif_frame(gif *g) {
    while (g->sound) {
        const int kind = gif_next(g);
        if (kind == ';') {
            CHECK_EQ(g->at, g->n);
            return false;
        }
        if (kind == '!') {
            const int label = gif_next(g);
            size_t n;
            const size_t from = g->at;
            free(gif_joined(g, &n));
            if (label == 0xff) g->loops = memcmp(g->s + from + 1, "NETSCAPE2.0\3\1\0\0", 15) == 0;
            if (label != 0xf9) continue;
            CHECK_EQ(n, 4);
            const int how = g->s[from + 1];
            CHECK_EQ(how >> 2 & 7, 1); /* what is there stays */
            g->hundredths = g->s[from + 2] | g->s[from + 3] << 8;
            g->clear = how & 1 ? g->s[from + 4] : -1;
            continue;
        }
        if (!CHECK_EQ(kind, ',')) break;
        const int x = gif_two(g), y = gif_two(g), width = gif_two(g), height = gif_two(g);
        CHECK_EQ(gif_next(g), 0);
        if (!CHECK(width > 0 && height > 0 && x + width <= g->width && y + height <= g->height))
            break;
        const int least = gif_next(g);
        if (!CHECK(least >= 2 && least <= 8)) break;
        const size_t room = (size_t)width * (size_t)height;
        size_t n;
        unsigned char *packed = gif_joined(g, &n), *pixels = malloc(room);
        const bool whole = CHECK_EQ(gif_unpack(packed, n, least, pixels, room), room);
        for (size_t i = 0; i < room && whole; i++)
            if (pixels[i] != g->clear)
                g->screen[((size_t)y + i / (size_t)width) * (size_t)g->width + (size_t)x +
                          i % (size_t)width] = pixels[i];
        free(packed);
        free(pixels);
        if (!whole) break;
        g->frames++;
        return true;
    }
    g->sound = false;
    return false;
}

/* Every pixel of every frame has the colour that the film says. */
static void check_film(const weft_animation *f, const char *bytes, size_t n) {
    const int scale = f->scale ? f->scale : 1;
    static const uint8_t plain[2][3] = {{255, 255, 255}, {0, 0, 0}};
    const uint8_t(*colors)[3] = f->colors ? f->colors : plain;
    gif g = gif_open(bytes, n);
    CHECK_EQ(g.width, f->width * scale);
    CHECK_EQ(g.height, f->height * scale);
    int64_t wrong = 0;
    while (gif_frame(&g) && g.frames <= f->count) {
        const uint8_t *frame = f->frames + (size_t)(g.frames - 1) * (size_t)(f->height * f->width);
        const bool end = g.frames == 1 || g.frames == f->count;
        const double seconds = (f->seconds > 0 ? f->seconds : 0.1) + (end ? f->hold : 0);
        CHECK(fabs(g.hundredths - 100 * seconds) < 0.51);
        for (int y = 0; y < g.height; y++)
            for (int x = 0; x < g.width; x++) {
                const int seen = g.screen[y * g.width + x];
                const int want = frame[y / scale * f->width + x / scale];
                wrong += memcmp(g.palette[seen], colors[want], 3) != 0;
            }
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(g.frames, f->count);
    CHECK(g.loops && g.sound);
    free(g.screen);
}

/* ---- films ---- */

static void fill(uint8_t *frames, size_t n, size_t frame, int colors, double change) {
    for (size_t i = 0; i < n; i++)
        frames[i] = i >= frame && test_uniform(0, 1) > change
                        ? frames[i - frame]
                        : (uint8_t)(test_uniform(0, 1) * colors);
}

TEST(every_pixel_comes_back) {
    /* From one cell to tables of 4096 strings that begin anew; noise is the worst of all. */
    static const struct {
        int count, height, width, colors, scale;
        double change;
    } table[] = {
        {1, 1, 1, 1, 0, 1},      {3, 1, 1, 2, 1, 1},      {2, 5, 7, 2, 3, 0.5},
        {5, 9, 4, 3, 2, 0.1},    {4, 30, 41, 4, 1, 0.3},  {40, 48, 72, 2, 4, 0.1},
        {3, 17, 23, 5, 5, 0},    {2, 64, 64, 255, 1, 1},  {3, 80, 90, 256, 1, 1},
        {2, 300, 211, 16, 1, 1}, {6, 16, 16, 8, 24, 0.2}, {2, 1, 3000, 2, 1, 1},
    };
    weft_ctx *c = weft_open("null");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CASE("%d x %d x %d, %d colours", table[i].count, table[i].height, table[i].width,
             table[i].colors);
        const size_t frame = (size_t)(table[i].height * table[i].width);
        const size_t n = frame * (size_t)table[i].count;
        uint8_t *frames = malloc(n), colors[256][3];
        for (int k = 0; k < 256; k++)
            colors[k][0] = (uint8_t)k, colors[k][1] = (uint8_t)(255 - k),
            colors[k][2] = (uint8_t)(k * 7);
        fill(frames, n, frame, table[i].colors, table[i].change);
        const weft_animation f = {.frames = frames,
                                  .count = table[i].count,
                                  .height = table[i].height,
                                  .width = table[i].width,
                                  .colors =
                                      table[i].colors == 2 ? NULL : (const uint8_t(*)[3])colors,
                                  .color_count = table[i].colors,
                                  .scale = table[i].scale,
                                  .seconds = i % 2 ? 0.25 : 0,
                                  .hold = i % 3 ? 1.5 : 0};
        size_t bytes = 0;
        char *gif_bytes = weft_animation_gif(c, &f, &bytes);
        if (CHECK(gif_bytes)) check_film(&f, gif_bytes, bytes);
        weft_text_free(c, gif_bytes);
        free(frames);
    }
    weft_close(c);
}

/* The end may come just when codes become longer. */
TEST(pictures_of_every_length) {
    enum { MOST = 1500 };
    weft_ctx *c = weft_open("null");
    static uint8_t cells[MOST];
    fill(cells, MOST, MOST, 2, 1);
    for (int n = 1; n <= MOST; n++) {
        const weft_animation f = {.frames = cells, .count = 1, .height = 1, .width = n};
        size_t bytes = 0;
        char *gif_bytes = weft_animation_gif(c, &f, &bytes);
        if (CHECK(gif_bytes)) check_film(&f, gif_bytes, bytes);
        weft_text_free(c, gif_bytes);
    }
    weft_close(c);
}

/* A film in which little changes must not cost what all its frames would. */
TEST(what_stays_costs_little) {
    enum { SIDE = 64, COUNT = 100 };
    weft_ctx *c = weft_open("null");
    uint8_t *frames = calloc(COUNT, SIDE * SIDE);
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < SIDE * SIDE; k++)
            frames[i * SIDE * SIDE + k] = i ? frames[k] : (uint8_t)(test_uniform(0, 1) < 0.5);
    frames[5 * SIDE * SIDE + 77] ^= 1;
    const weft_animation f = {.frames = frames, .count = COUNT, .height = SIDE, .width = SIDE};
    size_t bytes = 0, alone = 0;
    char *all = weft_animation_gif(c, &f, &bytes);
    char *one = weft_animation_gif(
        c, &(weft_animation){.frames = frames, .count = 1, .height = SIDE, .width = SIDE}, &alone);
    CHECK(all && one && alone > SIDE * SIDE / 8);
    CHECK(bytes < alone + 30 * COUNT);
    if (all) check_film(&f, all, bytes);
    weft_text_free(c, all);
    weft_text_free(c, one);
    free(frames);
    weft_close(c);
}

TEST(films_that_are_none) {
    static const uint8_t frames[12] = {0, 1, 0, 1, 2}, colors[3][3] = {{0}};
    weft_ctx *c = weft_open("null");
    const struct {
        weft_animation f;
        const char *why;
    } bad[] = {
        {{.count = 1, .height = 2, .width = 2}, "of NULL"},
        {{.frames = frames, .count = 0, .height = 2, .width = 2}, "0 frames"},
        {{.frames = frames, .count = 1, .height = 0, .width = 2}, "0 x 2"},
        {{.frames = frames, .count = 1, .height = 2, .width = -2}, "2 x -2"},
        {{.frames = frames, .count = 1, .height = 2, .width = 2, .scale = -1}, "-1 pixels"},
        {{.frames = frames, .count = 1, .height = 2, .width = 2, .scale = 40000}, "40000 pixels"},
        {{.frames = frames, .count = 1, .height = 2, .width = 2, .scale = 1 << 30}, "pixels"},
        {{.frames = frames, .count = 1, .height = 1 << 30, .width = 1 << 30}, "pixels"},
        {{.frames = frames, .count = 1, .height = 2, .width = 2, .colors = colors}, "0 colours"},
        {{.frames = frames,
          .count = 1,
          .height = 2,
          .width = 2,
          .colors = colors,
          .color_count = 257},
         "257 colours"},
        {{.frames = frames, .count = 2, .height = 2, .width = 2},
         "frame 1, cell (0, 0): colour 2 of 2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].why);
        size_t n = 7;
        CHECK(!weft_animation_gif(c, &bad[i].f, &n));
        CHECK_EQ(n, 0);
        CHECK_EQ(weft_error_code(c), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(c), bad[i].why);
    }
    size_t n;
    CHECK(!weft_animation_gif(c, NULL, &n));
    CHECK(!weft_animation_gif(c, &bad[0].f, NULL));
    CHECK(!weft_animation_gif(NULL, &bad[0].f, &n));
    weft_close(c);
}

TEST(every_allocation_may_fail) {
    static uint8_t frames[4 * 60 * 60];
    fill(frames, sizeof frames, 60 * 60, 2, 0.5);
    const weft_animation f = {.frames = frames, .count = 4, .height = 60, .width = 60, .scale = 2};
    long all = 1;
    for (long at = 0; at <= all; at++) {
        heap h = {.fail_at = at};
        size_t n = 0;
        weft_ctx *c =
            weft_open_with(&(weft_open_desc){.device = "null", .resize = heap_resize, .user = &h});
        char *bytes = c ? weft_animation_gif(c, &f, &n) : NULL;
        if (!at) all = h.made;
        CHECK(bytes ? n > 100 : h.failed);
        if (c && !bytes) CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
        weft_text_free(c, bytes);
        weft_close(c);
        CHECK_EQ(h.live, 0);
    }
    CHECK(all > 3);
}
