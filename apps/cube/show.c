/* show.c - the results on a cube's run as a table, as JSON and as a report with pictures, and
 * a cube unfolded. */
#include "show.h"

#include "cli/tell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- cubes ---- */

enum { SHOW_ACROSS = 8, SHOW_SIDE = 4 /* pixels of a sticker with its gap */ };

/* The sticker at a row and column of the unfolded cube; -1: nothing is there. */
static int show_sticker(int row, int column) {
    static const int8_t face[3][4] = {{-1, 0, -1, -1}, {4, 2, 5, 3}, {-1, 1, -1, -1}}; /* UDFBLR */
    const int f = face[row / 2][column / 2];
    return f < 0 ? -1 : 4 * f + row % 2 * 2 + column % 2;
}

/*   letter  of a face; colour: red, green, blue; number among 256 of a terminal */
/* clang-format off */
#define SHOW_COLOURS(X)                  \
    X('U', 1.00f, 1.00f, 1.00f, 231)     \
    X('D', 1.00f, 0.84f, 0.00f, 220)     \
    X('F', 0.00f, 0.61f, 0.28f,  34)     \
    X('B', 0.00f, 0.27f, 0.68f,  27)     \
    X('L', 1.00f, 0.35f, 0.00f, 208)     \
    X('R', 0.72f, 0.07f, 0.20f, 160)
/* clang-format on */

void cube_print(const terminal *t, uint32_t cube) {
#define X(letter, r, g, b, number) letter,
    static const char letters[] = {SHOW_COLOURS(X)};
#undef X
#define X(letter, r, g, b, number) number,
    static const uint8_t number[] = {SHOW_COLOURS(X)};
#undef X
    uint8_t colour[24];
    weft_cube_stickers(cube, colour);
    for (int row = 0; row < CUBE_LINES; row++) {
        fputs("  ", t->to);
        for (int column = 0; column < SHOW_ACROSS; column++) {
            const int at = show_sticker(row, column);
            if (at < 0 && column >= SHOW_ACROSS / 2) break; /* no blanks at the end of a line */
            if (at < 0) fputs(t->color ? "   " : "  ", t->to);
            else if (t->color)
                fprintf(t->to, "\033[48;5;%d;30m %c \033[0m", number[colour[at]],
                        letters[colour[at]]);
            else
                fprintf(t->to, "%c%s", letters[colour[at]],
                        column + 1 < SHOW_ACROSS && show_sticker(row, column + 1) >= 0 ? " " : "");
        }
        putc('\n', t->to);
    }
}

static void show_picture(uint32_t cube, float *pixels) {
#define X(letter, r, g, b, number) {r, g, b},
    static const float rgb[][3] = {SHOW_COLOURS(X)};
#undef X
    enum { WIDTH = SHOW_ACROSS * SHOW_SIDE, HEIGHT = CUBE_LINES * SHOW_SIDE };
    uint8_t colour[24];
    weft_cube_stickers(cube, colour);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const int at = show_sticker(y / SHOW_SIDE, x / SHOW_SIDE);
            const bool gap = y % SHOW_SIDE == SHOW_SIDE - 1 || x % SHOW_SIDE == SHOW_SIDE - 1;
            for (int k = 0; k < 3; k++)
                pixels[(y * WIDTH + x) * 3 + k] = at < 0 || gap ? 0.13f : rgb[colour[at]][k];
        }
}

/* ---- the report ---- */

static double show_share(int64_t part, int64_t all) {
    return all ? (double)part / (double)all : NAN;
}

weft_err cube_report(const run *u, const weft_train_result *r, const cube_results *v) {
    enum { SIZE = SHOW_ACROSS * SHOW_SIDE * CUBE_LINES * SHOW_SIDE * 3 };
    char summary[1200];
    weft_picture picture[CUBE_DISTANCES];
    if (!v) {
        snprintf(summary, sizeof summary, "Not evaluated: %s.", r->text);
        return weft_report_write(u->ctx, u->folder,
                                 &(weft_report){.title = "Cube", .summary = summary});
    }
    const cube_beam *const b = v->beam;
    snprintf(summary, sizeof summary,
             "After %lld steps in %.1f s, without being given any distances, "
             "greedy play solves %.2f %% of %lld cubes.\n"
             "Of %lld cubes, a search of width %d solves %lld, %.2f %% optimally; "
             "one of width %d solves %lld, %.2f %% optimally.\n"
             "The samples show a cube of each distance and how many of all such are solved "
             "without a search.",
             (long long)r->steps, r->seconds, 100 * show_share(v->greedy_all, v->cubes_all),
             (long long)v->cubes_all, (long long)b[0].tried, b[0].width, (long long)b[0].solved,
             100 * show_share(b[0].optimal, b[0].tried), b[1].width, (long long)b[1].solved,
             100 * show_share(b[1].optimal, b[1].tried));
    float *pixels = malloc((size_t)CUBE_DISTANCES * SIZE * sizeof *pixels);
    if (!pixels) return weft_fail(u->ctx, WEFT_MEMORY, "out of memory");
    for (int d = 0; d < CUBE_DISTANCES; d++) {
        show_picture(v->example[d], pixels + d * SIZE);
        picture[d] = (weft_picture){.pixels = pixels + d * SIZE,
                                    .height = CUBE_LINES * SHOW_SIDE,
                                    .width = SHOW_ACROSS * SHOW_SIDE,
                                    .channels = 3};
        snprintf(picture[d].caption, sizeof picture[d].caption, "%d turn%s away: %.1f %% of %lld",
                 d, d == 1 ? "" : "s", 100 * show_share(v->greedy[d], v->cubes[d]),
                 (long long)v->cubes[d]);
    }
    const weft_err e = weft_report_write(u->ctx, u->folder,
                                         &(weft_report){.title = "Cube",
                                                        .summary = summary,
                                                        .pictures = picture,
                                                        .picture_count = CUBE_DISTANCES});
    free(pixels);
    return e;
}

/* ---- the answer ---- */

static void show_json(const run *u, const weft_train_result *r, const cube_results *v) {
    json j = json_begin(stdout);
    json_integer(&j, "schema", RUN_SCHEMA);
    json_text(&j, "run", u->folder);
    json_integer(&j, "steps", r->steps);
    json_number(&j, "train_seconds", r->seconds);
    json_open(&j, "beam", '[');
    for (int i = 0; v && i < CUBE_BEAMS; i++) {
        const cube_beam *const b = &v->beam[i];
        json_open(&j, NULL, '{');
        json_integer(&j, "width", b->width);
        json_integer(&j, "tried", b->tried);
        json_integer(&j, "solved", b->solved);
        json_integer(&j, "optimal", b->optimal);
        json_open(&j, "optimal_by_distance", '[');
        for (int d = 0; d < CUBE_DISTANCES; d++)
            json_number(&j, NULL, show_share(b->optimal_at[d], b->tried_at[d]));
        json_close(&j);
        json_number(&j, "seconds", b->seconds);
        json_close(&j);
    }
    json_close(&j);
    if (v) {
        json_open(&j, "greedy", '[');
        for (int d = 0; d < CUBE_DISTANCES; d++)
            json_number(&j, NULL, show_share(v->greedy[d], v->cubes[d]));
        json_close(&j);
        json_number(&j, "greedy_all", show_share(v->greedy_all, v->cubes_all));
        json_number(&j, "k4_greedy", show_share(v->scrambles_solved, v->scrambles));
        json_number(&j, "evaluate_seconds", v->seconds);
    }
    json_integer(&j, "resumed_at", r->resumed_at);
    json_text(&j, "ending", r->text);
    json_end(&j);
}

void cube_tell(const run *u, const weft_train_result *r, const cube_results *v) {
    enum { BAR = 30 };
    if (u->set->json) {
        show_json(u, r, v);
        return;
    }
    if (!v) {
        tell(stdout, "%s; %s.\nReport: %s/report.html\n", r->text,
             r->ending == WEFT_END_INTERRUPTED ? "use --resume to continue" : "not evaluated",
             u->folder);
        return;
    }
    const terminal out = terminal_of(stdout, (terminal_when)u->set->color);
    const char *const bold = terminal_code(&out, TERMINAL_BOLD);
    const char *const plain = terminal_code(&out, TERMINAL_PLAIN);
    printf("%sdistance       cubes  solved without search  %s\n", bold, plain);
    for (int d = 0; d < CUBE_DISTANCES; d++) {
        const double share = show_share(v->greedy[d], v->cubes[d]);
        if (!v->cubes[d]) continue; /* a quick look need not have met one */
        char bar[BAR + 1] = "";
        memset(bar, '#', (size_t)(share * BAR + 0.5));
        printf("%10d  %8lld  %6.2f %%  %s%s%s\n", d, (long long)v->cubes[d], 100 * share,
               terminal_code(&out, TERMINAL_GREEN), bar, plain);
    }
    printf("%10s  %8lld  %6.2f %%\n\n", "all", (long long)v->cubes_all,
           100 * show_share(v->greedy_all, v->cubes_all));
    printf("%sbeam width   tried  solved  shortest  ms a cube%s\n", bold, plain);
    for (int i = 0; i < CUBE_BEAMS; i++) {
        const cube_beam *const b = &v->beam[i];
        printf("%10d  %6lld  %6lld  %6.2f %%  %9.2f\n", b->width, (long long)b->tried,
               (long long)b->solved, 100 * show_share(b->optimal, b->tried),
               1000 * b->seconds / (double)(b->tried ? b->tried : 1));
    }
    printf("\nScrambles of four turns solved without a search: %d of %d. After %lld steps in "
           "%.1f s: %s.\nReport: %s/report.html\nweft play cube %s\n",
           v->scrambles_solved, v->scrambles, (long long)r->steps, r->seconds, r->text, u->folder,
           u->folder);
}
