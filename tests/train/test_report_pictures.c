/* test_report_pictures.c - the pictures of a report: PNG files that a reader of our own reads back,
 * marks that do not depend on colour, and a bound on their number; plates, whose bytes come back. */
#include "report_world.h"

static int digit_of(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static unsigned big(const unsigned char *s) {
    return (unsigned)s[0] << 24 | (unsigned)s[1] << 16 | (unsigned)s[2] << 8 | s[3];
}

static unsigned crc32_of(const unsigned char *s, size_t n) {
    unsigned crc = 0xffffffffu;
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit++) {
            const unsigned low = (crc ^ (unsigned)(s[i] >> bit)) & 1;
            crc = (crc >> 1) ^ (low ? 0xedb88320u : 0);
        }
    return crc ^ 0xffffffffu;
}

/* The bytes of a data address, to be freed. */
static unsigned char *bytes_of(const char *data, size_t *n) {
    const size_t room = strcspn(data, "\"");
    unsigned char *s = malloc(room + 4);
    *n = 0;
    CHECK_EQ(room % 4, 0);
    for (size_t i = 0; i + 4 <= room; i += 4) {
        unsigned v = 0;
        for (size_t k = 0; k < 4; k++)
            v = v << 6 | (unsigned)(data[i + k] == '=' ? 0 : digit_of(data[i + k]));
        for (int k = 0; k < 3; k++)
            if (data[i + 1 + (size_t)k] != '=') s[(*n)++] = (unsigned char)(v >> (16 - 8 * k));
    }
    return s;
}

/* Reads the PNG at a data address back, and compares it with the picture. */
static void check_png(const char *data, const weft_picture *p) {
    size_t n = 0, got = 0;
    unsigned char *s = bytes_of(data, &n), *rows = malloc(n + 4);
    CHECK(n > 8 && memcmp(s, "\x89PNG\r\n\x1a\n", 8) == 0);
    bool ended = false;
    unsigned adler = 0;
    for (size_t at = 8; at + 12 <= n;) {
        const unsigned length = big(s + at);
        const unsigned char *name = s + at + 4, *in = s + at + 8;
        if (!CHECK(length <= n - at - 12)) break;
        CHECK_EQ(big(in + length), crc32_of(name, length + 4));
        if (memcmp(name, "IHDR", 4) == 0) {
            CHECK_EQ(big(in), p->width);
            CHECK_EQ(big(in + 4), p->height);
            CHECK_EQ(in[8], 8);
            CHECK_EQ(in[9], p->channels == 3 ? 2 : 0);
            CHECK(!in[10] && !in[11] && !in[12]);
        } else if (memcmp(name, "IDAT", 4) == 0) {
            CHECK_EQ((in[0] * 256 + in[1]) % 31, 0);
            CHECK_EQ(in[0] & 15, 8);
            bool last = false;
            for (size_t k = 2; !last && CHECK(k + 9 <= length);) {
                const unsigned size = in[k + 1] | (unsigned)in[k + 2] << 8;
                last = in[k] == 1;
                CHECK(in[k] <= 1);
                CHECK_EQ(size ^ 0xffff, in[k + 3] | (unsigned)in[k + 4] << 8);
                memcpy(rows + got, in + k + 5, size);
                got += size, k += 5 + size;
                if (last) adler = big(in + k);
            }
        } else ended = memcmp(name, "IEND", 4) == 0;
        at += 12 + length;
    }
    CHECK(ended);
    unsigned a = 1, b = 0;
    for (size_t i = 0; i < got; i++) a = (a + rows[i]) % 65521, b = (b + a) % 65521;
    CHECK_EQ(adler, b << 16 | a);
    const size_t across = (size_t)p->width * (size_t)p->channels;
    if (CHECK_EQ(got, (across + 1) * (size_t)p->height))
        for (size_t y = 0; y < (size_t)p->height; y++) {
            CHECK_EQ(rows[y * (across + 1)], 0);
            for (size_t x = 0; x < across; x++) {
                const float v = p->pixels[y * across + x];
                const int want = v >= 1 ? 255 : v > 0 ? (int)(v * 255 + 0.5f) : 0;
                if (!CHECK_EQ(rows[y * (across + 1) + 1 + x], want))
                    y = (size_t)p->height, x = across;
            }
        }
    free(rows);
    free(s);
}

TEST(pictures_come_back) {
    static const struct {
        int height, width, channels;
    } table[] = {{1, 1, 1}, {28, 28, 1}, {5, 7, 3}, {32, 32, 3}, {300, 301, 1}, {3, 22000 / 8, 3}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CASE("%d x %d x %d", table[i].height, table[i].width, table[i].channels);
        world t = world_begin();
        weft_picture p = {.height = table[i].height,
                          .width = table[i].width,
                          .channels = table[i].channels,
                          .caption = "seven"};
        const int n = p.height * p.width * p.channels;
        float *pixels = malloc((size_t)n * sizeof *pixels);
        for (int k = 0; k < n; k++) pixels[k] = (float)test_uniform(-0.2, 1.2);
        pixels[0] = NAN;
        p.pixels = pixels;
        const char *page = world_page(&t, &(weft_report){.pictures = &p, .picture_count = 1});
        static const char head[] = "src=\"data:image/png;base64,";
        const char *data = strstr(page, head);
        if (CHECK(data)) check_png(data + strlen(head), &p);
        CHECK_EQ(page_count(page, "<img class=\"small\""), p.width <= 64);
        CHECK_HAS(page, "<figcaption>seven</figcaption>");
        free(pixels);
        world_end(&t);
    }
}

TEST(wrong_ones_are_marked) {
    world t = world_begin();
    static float pixels[28 * 28];
    weft_picture p[150];
    for (int i = 0; i < 150; i++) {
        p[i] = (weft_picture){.pixels = pixels, .height = 28, .width = 28, .channels = 1};
        memset(p[i].caption, 'x', sizeof p[i].caption); /* without an end */
        p[i].wrong = i == 3;
    }
    const char *page = world_page(&t, &(weft_report){.pictures = p, .picture_count = 150});
    CHECK_EQ(page_count(page, "<figure class=\"wrong\">"), 1);
    CHECK_EQ(page_count(page, "<b title=\"wrong\">\xe2\x9c\x97</b>"), 1); /* by more than colour */
    CHECK_EQ(page_count(page, "<img "), 100);
    CHECK_HAS(page, "100 pictures of 150 are shown.");
    page = world_page(&t, &(weft_report){.pictures = p, .picture_count = 2});
    CHECK(!strstr(page, "wrong\">"));
    CHECK(!strstr(page, "are shown"));
    world_end(&t);
}

TEST(pictures_that_are_none) {
    world t = world_begin();
    static float pixels[12];
    const weft_picture bad[] = {
        {.pixels = NULL, .height = 2, .width = 2, .channels = 1},
        {.pixels = pixels, .height = 2, .width = 2, .channels = 2},
        {.pixels = pixels, .height = 0, .width = 2, .channels = 1},
        {.pixels = pixels, .height = 2, .width = -2, .channels = 1},
        {.pixels = pixels, .height = 2, .width = 1 << 30, .channels = 3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const weft_picture two[] = {{.pixels = pixels, .height = 2, .width = 2, .channels = 3},
                                    bad[i]};
        CHECK_EQ(
            weft_report_write(t.c, t.f.path, &(weft_report){.pictures = two, .picture_count = 2}),
            WEFT_ARGUMENT);
        CHECK_HAS(weft_error(t.c), "weft_report_write: picture 1 is ");
    }
    CHECK(access(run_path(&t.f, "report.html"), F_OK) != 0);
    world_end(&t);
}

TEST(plates_come_back) {
    world t = world_begin();
    static const unsigned char png[] = "\x89PNG\r\n\x1a\n and more", gif[] = "GIF89a\0\1\2";
    static const char svg[] = "<svg xmlns='http://www.w3.org/2000/svg'><style>a{}</style></svg>\n";
    static float pixels[4];
    const weft_picture sample = {.pixels = pixels, .height = 2, .width = 2, .channels = 1};
    const weft_figure plates[] = {
        {"A <film>", "It \"moves\" & stops.", gif, sizeof gif},
        {"Gates", NULL, svg, sizeof svg - 1},
        {"Dots", "caption", png, sizeof png},
    };
    static const char *const type[] = {"gif", "svg+xml", "png"};
    const char *page = world_page(
        &t, &(weft_report){
                .figures = plates, .figure_count = 3, .pictures = &sample, .picture_count = 1});
    for (int i = 0; i < 3; i++) {
        char head[60];
        CASE("%s", plates[i].title);
        snprintf(head, sizeof head, "src=\"data:image/%s;base64,", type[i]);
        const char *data = strstr(page, head);
        if (!CHECK(data)) continue;
        size_t n;
        unsigned char *bytes = bytes_of(data + strlen(head), &n);
        CHECK(n == plates[i].n && memcmp(bytes, plates[i].bytes, n) == 0);
        free(bytes);
    }
    CHECK_HAS(page, "<h2>A &lt;film&gt;</h2>");
    CHECK_HAS(page, "<figcaption>It &quot;moves&quot; &amp; stops.</figcaption>");
    CHECK_EQ(page_count(page, "<figure class=\"plate\">"), 3);
    CHECK_EQ(page_count(page, "<label>"), 2); /* a film has its size, drawings can be enlarged */
    CHECK_EQ(page_count(page, "<figcaption>"), 3);
    const char *film = strstr(page, "<h2>A &lt;film"), *samples = strstr(page, "<h2>Samples");
    CHECK(film && samples && film < strstr(page, "<h2>Gates") && film < samples);
    world_end(&t);
}

TEST(plates_that_are_none) {
    world t = world_begin();
    static const char svg[] = "<svg/>";
    const weft_figure bad[] = {
        {NULL, NULL, svg, 6},          {"title", NULL, NULL, 6},     {"title", NULL, svg, 0},
        {"title", NULL, svg, 4},       {"title", NULL, "<svh/>", 6}, {"title", NULL, "GIF88a..", 8},
        {"title", NULL, svg, 1 << 30},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const weft_figure two[] = {{"title", NULL, svg, 6}, bad[i]};
        CHECK_EQ(
            weft_report_write(t.c, t.f.path, &(weft_report){.figures = two, .figure_count = 2}),
            WEFT_ARGUMENT);
        CHECK_HAS(weft_error(t.c), "weft_report_write: plate 1 has ");
    }
    CHECK(access(run_path(&t.f, "report.html"), F_OK) != 0);
    world_end(&t);
}
