/* test_progress.c - the progress line, seen through a pseudo terminal and through a pipe's eyes.
 *
 * A small model of a terminal follows what is drawn: carriage returns, erasing, colours. It knows
 * whether a line was ever wider than the terminal. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pseudo terminals */
#endif
#include "run_folder.h"

#include "heap.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a pseudo terminal, and all that was written to it ---- */

typedef struct pty {
    int master;
    FILE *to;
    pthread_t reader;
    char *text;
    size_t n;
} pty;

enum { PTY_END = 0x04 }; /* written last: nothing that is drawn has it */

static void *pty_read(void *user) {
    pty *p = user;
    char piece[4096];
    for (ssize_t got; (got = read(p->master, piece, sizeof piece)) > 0;) {
        p->text = realloc(p->text, p->n + (size_t)got + 1);
        memcpy(p->text + p->n, piece, (size_t)got);
        p->n += (size_t)got;
        const bool end = p->text[p->n - 1] == PTY_END;
        p->n -= end;
        p->text[p->n] = 0;
        if (end) break;
    }
    return NULL;
}

static bool pty_open(pty *p, int columns) {
    *p = (pty){.master = posix_openpt(O_RDWR | O_NOCTTY)};
    if (p->master < 0 || grantpt(p->master) != 0 || unlockpt(p->master) != 0) return false;
    const int slave = open(ptsname(p->master), O_RDWR | O_NOCTTY);
    if (slave < 0) return false;
    struct termios raw;
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    ioctl(slave, TIOCSWINSZ, &size);
    p->to = fdopen(slave, "w");
    p->text = calloc(1, 1);
    return p->to && pthread_create(&p->reader, NULL, pty_read, p) == 0;
}

/* Everything written is in p->text then. A terminal that is hung up may lose its last bytes, so it
 * stays open until they are read. */
static void pty_close(pty *p) {
    fputc(PTY_END, p->to);
    fflush(p->to);
    pthread_join(p->reader, NULL);
    fclose(p->to);
    close(p->master);
}

/* ---- the model of a terminal ---- */

enum { SCREEN_ROWS = 64, SCREEN_COLUMNS = 400 };
typedef struct screen {
    char row[SCREEN_ROWS][4 * SCREEN_COLUMNS]; /* letters as they came */
    int at, rows, widest, drawn;               /* drawn: carriage returns */
    bool strange, coloured;                    /* a code it does not know */
} screen;

static void screen_follow(screen *s, const char *text) {
    int column = 0;
    memset(s, 0, sizeof *s);
    s->rows = 1;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        char *row = s->row[s->at];
        if (*p == '\r') {
            column = 0, s->drawn++;
            row[0] = 0; /* what follows is always a whole line */
            p++;
        } else if (*p == '\n') {
            column = 0;
            if (s->at < SCREEN_ROWS - 1) s->at++;
            s->rows = s->at + 1;
            p++;
        } else if (strncmp((const char *)p, "\x1b[K", 3) == 0) {
            p += 3;
        } else if (strncmp((const char *)p, "\x1b[32m", 5) == 0) {
            s->coloured = true;
            p += 5;
        } else if (strncmp((const char *)p, "\x1b[0m", 4) == 0) {
            p += 4;
        } else if (*p < 0x20 || *p == 0x7f) {
            s->strange = true;
            p++;
        } else {
            /* Blocks are one column; other letters beyond ASCII may be two. */
            const int bytes = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc0 ? 2 : 1;
            const bool block = p[0] == 0xe2 && p[1] == 0x96;
            strncat(row, (const char *)p, (size_t)bytes);
            column += bytes > 1 && !block ? 2 : 1;
            p += bytes;
        }
        if (column > s->widest) s->widest = column;
    }
}

static void surroundings(const char *term, const char *locale, const char *no_color) {
    setenv("TERM", term, 1);
    setenv("LC_ALL", locale, 1);
    if (no_color) setenv("NO_COLOR", no_color, 1);
    else unsetenv("NO_COLOR");
    unsetenv("COLUMNS");
}

static weft_metrics some(void) {
    weft_metrics m = {0};
    weft_metric(&m, "train/loss", 0.12344);
    weft_metric(&m, "train/rate", 3e-4);
    weft_metric(&m, "speed/steps_per_s", 999);
    weft_metric(&m, "memory_bytes", 84766720);
    weft_metric(&m, "test/accuracy", 0.98125);
    return m;
}

/* ---- on a terminal ---- */

TEST(never_wider_than_the_terminal) {
    static const int widths[] = {1, 2, 5, 9, 14, 20, 33, 40, 61, 80, 97, 120, 239, 240, 390};
    static const char *const locales[] = {"C", "C.UTF-8"};
    weft_ctx *c = weft_open("null");
    weft_metrics m = some();
    weft_metric(&m, "\xe6\x95\xb0\xe5\xad\x97/\xe6\xb8\xac\xe8\xa9\xa6 a long name of a metric",
                1e300);
    weft_metric(&m, "x/\x1b[31mred\xff\xc2\x9b", NAN);
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            CASE("%d columns, %s", widths[i], locales[l]);
            surroundings("xterm", locales[l], NULL);
            pty t;
            if (!pty_open(&t, widths[i])) {
                test_skip("no pseudo terminals");
                continue;
            }
            weft_progress *p = weft_progress_new(c, t.to, 123456789, i % 2 ? 1e6 : 0);
            weft_progress_show(p, 1, &m);
            usleep(105000);
            weft_progress_show(p, 60000000, &m);
            weft_progress_show(p, 123456789, &m);
            weft_progress_free(p);
            pty_close(&t);
            screen s;
            screen_follow(&s, t.text);
            CHECK(s.widest < widths[i]);
            CHECK(widths[i] < 9 || s.widest > 0);
            if (widths[i] == 80) CHECK(s.widest > 70);
            CHECK(!s.strange);
            CHECK_EQ(s.rows, 1);
            CHECK_STR(s.row[0], ""); /* the bar is cleared */
            CHECK_EQ(s.drawn, 4);
            for (size_t k = 0; !l && k < t.n; k++)
                if (!CHECK((unsigned char)t.text[k] < 0x80)) break;
            free(t.text);
        }
    weft_close(c);
}

/* The line as drawn: everything after the last carriage return but one. */
static char *drawn_line(const char *text, screen *s) {
    char *copy = strdup(text), *last = strrchr(copy, '\r');
    if (last) *last = 0; /* weft_progress_free's */
    screen_follow(s, copy);
    free(copy);
    return s->row[s->at];
}

TEST(a_line_on_a_terminal) {
    static const struct {
        const char *locale, *no_color;
        int64_t steps;
        double seconds;
        const char *begins, *has, *hasnt;
        bool coloured;
    } table[] = {
        {"C.UTF-8", NULL, 400, 0, "\xe2\x96\x95\xe2\x96\x88",
         "\xe2\x96\x8f   25%  100/400  loss 0.1234  ", "step 1", true},
        {"C.UTF-8", "", 400, 0, "\xe2\x96\x95\xe2\x96\x88", "25%", "#", true},
        {"C.UTF-8", "1", 400, 0, "\xe2\x96\x95\xe2\x96\x88", "25%", "#", false},
        {"C", NULL, 400, 0, "[##", "..]   25%  100/400  loss 0.1234  ", "step ", true},
        {"C", "1", 0, 0, "step 100  loss 0.1234  ", " steps/s  0:00 elapsed", "%", false},
        {"C", "1", 0, 1000, "[...", "]    0%  step 100  loss 0.1234  ", "/0", false},
        {"C", "1", 1000000, 7250, "[...", "]    0%  step 100  loss 0.1234  ", "/1000000", false},
        {"C", "1", 1000000, 7250, "[...", "  2:00:50 left", "/1000000", false},
        {"C", "1", 101, 7250, "[##", "]   99%  100/101  loss 0.1234  ", "2:00", false},
    };
    weft_ctx *c = weft_open("null");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CASE("%s, NO_COLOR %s, %lld steps, %g s", table[i].locale,
             table[i].no_color ? table[i].no_color : "unset", (long long)table[i].steps,
             table[i].seconds);
        surroundings("xterm", table[i].locale, table[i].no_color);
        pty t;
        if (!pty_open(&t, 90)) {
            test_skip("no pseudo terminals");
            continue;
        }
        const weft_metrics m = some();
        weft_progress *p = weft_progress_new(c, t.to, table[i].steps, table[i].seconds);
        weft_progress_show(p, 99, &m);
        usleep(110000);
        weft_progress_show(p, 100, &m);
        weft_progress_free(p);
        pty_close(&t);
        screen s;
        const char *line = drawn_line(t.text, &s);
        CHECK(strncmp(line, table[i].begins, strlen(table[i].begins)) == 0);
        CHECK_HAS(line, table[i].has);
        if (strstr(line, table[i].hasnt)) CHECK_STR(line, table[i].hasnt);
        CHECK(!strstr(line, "999")); /* the line has a rate of its own */
        CHECK_EQ(s.coloured, table[i].coloured);
        free(t.text);
    }
    weft_close(c);
}

TEST(ten_times_a_second) {
    surroundings("xterm", "C", NULL);
    pty t;
    if (!pty_open(&t, 80)) SKIP("no pseudo terminals");
    weft_ctx *c = weft_open("null");
    weft_progress *p = weft_progress_new(c, t.to, 0, 0);
    const weft_metrics m = some();
    const double start = now();
    int64_t calls = 0;
    while (now() - start < 0.55) weft_progress_show(p, ++calls, &m);
    const double took = now() - start;
    weft_progress_free(p);
    pty_close(&t);
    screen s;
    screen_follow(&s, t.text);
    CHECK(calls > 1000);
    CHECK(s.drawn >= 2 && s.drawn <= 10 * took + 3);
    free(t.text);
    weft_close(c);
}

TEST(lines_that_stay) {
    surroundings("xterm", "C", NULL);
    pty t;
    if (!pty_open(&t, 80)) SKIP("no pseudo terminals");
    weft_ctx *c = weft_open("null");
    weft_progress *p = weft_progress_new(c, t.to, 10, 0);
    const weft_metrics m = some();
    weft_progress_say(p, "before");
    weft_progress_show(p, 5, &m);
    weft_progress_say(p, "in between \x1b[2J");
    weft_progress_free(p);
    pty_close(&t);
    screen s;
    char *copy = strdup(t.text);
    *strrchr(copy, '\r') = 0;
    screen_follow(&s, copy);
    CHECK_EQ(s.rows, 3);
    CHECK_STR(s.row[0], "before");
    CHECK_STR(s.row[1], "in between \\x1b[2J");
    CHECK_HAS(s.row[2], " 50%  5/10  loss 0.1234"); /* the bar is back */
    screen_follow(&s, t.text);
    CHECK_STR(s.row[2], "");
    free(copy);
    free(t.text);
    weft_close(c);
}

/* One long pause among many even stretches changes the estimate little. */
TEST(the_rate_is_robust) {
    surroundings("xterm", "C", "1");
    pty t;
    if (!pty_open(&t, 100)) SKIP("no pseudo terminals");
    weft_ctx *c = weft_open("null");
    weft_progress *p = weft_progress_new(c, t.to, 1000, 0);
    enum { STRETCHES = 12 };
    double stretch[STRETCHES];
    weft_progress_show(p, 0, NULL);
    for (int i = 0; i < STRETCHES; i++) {
        const double start = now();
        usleep(i == 6 ? 900000 : 105000);
        weft_progress_show(p, 10 * (i + 1), NULL);
        stretch[i] = now() - start;
    }
    weft_progress_free(p);
    pty_close(&t);
    for (int i = 1; i < STRETCHES; i++)
        for (int k = i; k && stretch[k] < stretch[k - 1]; k--) {
            const double swap = stretch[k];
            stretch[k] = stretch[k - 1], stretch[k - 1] = swap;
        }
    const double usual = 10 / stretch[STRETCHES / 2];
    screen s;
    const char *line = drawn_line(t.text, &s), *rate = strstr(line, "120/1000  ");
    const char *left = strstr(line, " left");
    if (CHECK(rate) && CHECK(left)) {
        CHECK_NEAR(strtod(rate + strlen("120/1000  "), NULL), usual, 0.2 * usual);
        while (left > line && left[-1] != ' ') left--;
        int minutes = -1, seconds = -1;
        CHECK_EQ(sscanf(left, "%d:%d", &minutes, &seconds), 2);
        CHECK_NEAR(60 * minutes + seconds, 880 / usual, 0.25 * 880 / usual + 1);
    }
    free(t.text);
    weft_close(c);
}

/* ---- elsewhere ---- */

/* "step 400/1000  loss 0.1234  812 steps/s  0:03 left" */
static bool plain_line(const char *line, long *step) {
    char *end;
    if (strncmp(line, "step ", 5) != 0) return false;
    *step = strtol(line + 5, &end, 10);
    static const char middle[] = "/400  loss 0.1234  rate 0.0003  test accuracy 0.9812  ";
    if (strncmp(end, middle, strlen(middle)) != 0) return false;
    if (strtod(end + strlen(middle), &end) <= 0 || strncmp(end, " steps/s  ", 10) != 0)
        return false;
    const char *p = end + 10;
    if (!isdigit((unsigned char)*p)) return false;
    while (isdigit((unsigned char)*p)) p++;
    return p[0] == ':' && isdigit((unsigned char)p[1]) && isdigit((unsigned char)p[2]) &&
           strcmp(p + 3, " left") == 0;
}

TEST(plain_lines_elsewhere) {
    surroundings("xterm", "C.UTF-8", NULL);
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    FILE *to = fopen(run_path(&f, "lines"), "w");
    weft_progress *p = weft_progress_new(c, to, 400, 0);
    const weft_metrics m = some();
    const double start = now();
    long step = 0;
    weft_progress_say(p, "said");
    while (now() - start < 5.3) {
        weft_progress_show(p, ++step, &m);
        usleep(20000);
    }
    weft_progress_show(p, 400, &m);
    weft_progress_show(p, 400, &m); /* the last line comes once */
    weft_progress_free(p);
    fclose(to);
    char *text = run_read(run_path(&f, "lines"), NULL), *line[4] = {text};
    for (int i = 1; i < 4 && CHECK(line[i - 1]); i++)
        if ((line[i] = strchr(line[i - 1], '\n'))) *line[i]++ = 0;
    long at[2] = {0};
    CHECK_STR(line[0], "said");
    if (!CHECK(line[1] && plain_line(line[1], &at[0]))) printf("     %s\n", line[1]);
    if (!CHECK(line[2] && plain_line(line[2], &at[1]))) printf("     %s\n", line[2]);
    CHECK(at[0] > 100 && at[0] <= step);
    CHECK_EQ(at[1], 400);
    CHECK_STR(line[3], "");
    free(text);
    weft_close(c);
    run_remove(f.path);
}

TEST(what_is_counted_has_a_name) {
    weft_ctx *c = weft_open("null");
    for (int live = 0; live < 2; live++) {
        CASE("%s", live ? "a terminal" : "plain");
        surroundings(live ? "xterm" : "dumb", "C", "1");
        pty t;
        if (!pty_open(&t, 80)) SKIP("no pseudo terminals");
        weft_progress *p = weft_progress_new(c, t.to, 40, 0);
        weft_progress_unit(p, "games");
        weft_progress_show(p, 1, NULL);
        usleep(110000);
        weft_progress_show(p, 40, NULL);
        weft_progress_free(p);
        pty_close(&t);
        CHECK_HAS(t.text, live ? "40/40" : "games 40/40");
        CHECK_HAS(t.text, " games/s");
        CHECK(!strstr(t.text, "step"));
        free(t.text);
    }
    weft_progress_unit(NULL, "games");
    weft_close(c);
}

TEST(a_dumb_terminal_gets_plain_lines) {
    surroundings("dumb", "C.UTF-8", NULL);
    pty t;
    if (!pty_open(&t, 80)) SKIP("no pseudo terminals");
    weft_ctx *c = weft_open("null");
    weft_progress *p = weft_progress_new(c, t.to, 7, 0);
    weft_progress_show(p, 1, NULL);
    weft_progress_show(p, 7, NULL);
    weft_progress_free(p);
    pty_close(&t);
    CHECK_STR(t.text, "step 7/7\n");
    free(t.text);
    weft_close(c);
}

TEST(columns_from_the_environment) {
    surroundings("xterm", "C", NULL);
    pty t;
    if (!pty_open(&t, 0)) SKIP("no pseudo terminals");
    setenv("COLUMNS", "50", 1);
    weft_ctx *c = weft_open("null");
    const weft_metrics m = some();
    weft_progress *p = weft_progress_new(c, t.to, 7, 0);
    weft_progress_show(p, 3, &m);
    weft_progress_free(p);
    pty_close(&t);
    unsetenv("COLUMNS");
    screen s;
    screen_follow(&s, t.text);
    CHECK(s.widest > 35 && s.widest < 50);
    free(t.text);
    weft_close(c);
}

TEST(nothing_at_all) {
    heap h = {0};
    weft_ctx *c =
        weft_open_with(&(weft_open_desc){.device = "null", .resize = heap_resize, .user = &h});
    const weft_metrics m = some();
    weft_progress *p = weft_progress_new(c, NULL, 10, 0);
    CHECK(p);
    weft_progress_show(p, 1, &m);
    weft_progress_say(p, "nobody hears");
    weft_progress_free(p);
    weft_progress_show(NULL, 1, &m);
    weft_progress_say(NULL, "x");
    weft_progress_free(NULL);
    CHECK(!weft_progress_new(NULL, NULL, 1, 1));
    CHECK_EQ(weft_error_code(NULL), WEFT_ARGUMENT);
    h.fail_at = h.made + 1;
    CHECK(!weft_progress_new(c, NULL, 10, 0));
    CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
    weft_close(c);
    CHECK_EQ(h.live, 0);
}
