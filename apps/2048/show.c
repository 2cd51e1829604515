/* show.c - boards in a terminal and as pictures, results as a table, as JSON, as a report. */
#include "show.h"

#include <stdlib.h>
#include <string.h>

enum { SHOW_SIZES = 16 };

/* ---- boards ---- */

/*   tile: red, green, blue; number among 256 of a terminal; are its digits dark? */
/* clang-format off */
#define SHOW_TILES(X)                         \
    X(     0, 0.80f, 0.75f, 0.71f, 250, 1)    \
    X(     2, 0.93f, 0.89f, 0.85f, 255, 1)    \
    X(     4, 0.93f, 0.88f, 0.78f, 223, 1)    \
    X(     8, 0.95f, 0.69f, 0.47f, 216, 1)    \
    X(    16, 0.96f, 0.58f, 0.39f, 209, 1)    \
    X(    32, 0.96f, 0.49f, 0.37f, 203, 0)    \
    X(    64, 0.96f, 0.37f, 0.23f, 196, 0)    \
    X(   128, 0.93f, 0.81f, 0.45f, 221, 1)    \
    X(   256, 0.93f, 0.80f, 0.38f, 220, 1)    \
    X(   512, 0.93f, 0.78f, 0.31f, 214, 1)    \
    X(  1024, 0.93f, 0.77f, 0.25f, 208, 1)    \
    X(  2048, 0.93f, 0.76f, 0.18f, 202, 0)    \
    X(  4096, 0.36f, 0.65f, 0.44f,  34, 0)    \
    X(  8192, 0.22f, 0.53f, 0.70f,  27, 0)    \
    X( 16384, 0.36f, 0.35f, 0.72f,  55, 0)    \
    X( 32768, 0.15f, 0.15f, 0.18f, 233, 0)
/* clang-format on */

typedef struct show_tile {
    int tile;
    float rgb[3];
    uint8_t number;
    bool dark;
} show_tile;

static const show_tile show_tiles[SHOW_SIZES] = {
#define X(tile, r, g, b, number, dark) {tile, {r, g, b}, number, dark},
    SHOW_TILES(X)
#undef X
};

static const show_tile *show_tile_at(uint64_t board, int cell) {
    return &show_tiles[board >> 4 * cell & 15];
}

/* A frame of signs, or in colour blocks with the number in the middle of three lines. */
static void show_plain(FILE *to, uint64_t board) {
    static const char rule[] = "  +-------+-------+-------+-------+\n";
    for (int row = 0; row < 4; row++) {
        fputs(rule, to);
        fputs("  |", to);
        for (int column = 0; column < 4; column++) {
            const int tile = show_tile_at(board, 4 * row + column)->tile;
            if (tile) fprintf(to, " %5d |", tile);
            else fputs("       |", to);
        }
        putc('\n', to);
    }
    fputs(rule, to);
}

void show_2048_board(const terminal *t, uint64_t board) {
    if (!t->color) {
        show_plain(t->to, board);
        return;
    }
    putc('\n', t->to);
    for (int line = 0; line < SHOW_2048_LINES - 1; line++) {
        fputs("  ", t->to);
        for (int column = 0; column < 4; column++) {
            const show_tile *const s = show_tile_at(board, line / 2 * 4 + column);
            char text[12] = "";
            if (s->tile && line % 2 == 0) snprintf(text, sizeof text, "%d", s->tile);
            fprintf(t->to, "\x1b[48;5;%d;%sm %5s \x1b[0m", s->number, s->dark ? "30" : "97;1",
                    text);
        }
        putc('\n', t->to);
    }
}

const char *show_2048_action(int action) {
    static const char *const name[WEFT_2048_ACTIONS] = {
        [WEFT_2048_UP] = "up",
        [WEFT_2048_DOWN] = "down",
        [WEFT_2048_LEFT] = "left",
        [WEFT_2048_RIGHT] = "right",
    };
    return action >= 0 && action < WEFT_2048_ACTIONS ? name[action] : "none";
}

/* ---- boards as pictures ---- */

enum {
    SHOW_TILE = 24,
    SHOW_GAP = 2,
    SHOW_SIDE = 4 * SHOW_TILE + SHOW_GAP,
    SHOW_PIXELS = SHOW_SIDE * SHOW_SIDE * 3
};

/* Digits of three by five dots, rows from the top, the left dot highest. */
static const uint8_t show_digits[10][5] = {
    {7, 5, 5, 5, 7}, {2, 6, 2, 2, 7}, {7, 1, 7, 4, 7}, {7, 1, 3, 1, 7}, {5, 5, 7, 1, 1},
    {7, 4, 7, 1, 7}, {7, 4, 7, 5, 7}, {7, 1, 2, 2, 2}, {7, 5, 7, 5, 7}, {7, 5, 7, 1, 7},
};

static void show_number(float *corner, int number, float ink) {
    char text[12];
    const int digits = snprintf(text, sizeof text, "%d", number);
    const int left = (SHOW_TILE - SHOW_GAP - (4 * digits - 1)) / 2;
    const int top = (SHOW_TILE - SHOW_GAP - 5) / 2;
    for (int i = 0; i < digits; i++)
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 3; x++) {
                if (!(show_digits[text[i] - '0'][y] >> (2 - x) & 1)) continue;
                float *const at = corner + ((top + y) * SHOW_SIDE + left + 4 * i + x) * 3;
                at[0] = at[1] = at[2] = ink;
            }
}

static void show_picture(uint64_t board, float *pixels) {
    for (int i = 0; i < SHOW_PIXELS; i++) pixels[i] = 0.7f;
    for (int cell = 0; cell < 16; cell++) {
        const show_tile *const s = show_tile_at(board, cell);
        const int top = cell / 4 * SHOW_TILE + SHOW_GAP, left = cell % 4 * SHOW_TILE + SHOW_GAP;
        float *const corner = pixels + (top * SHOW_SIDE + left) * 3;
        for (int y = 0; y < SHOW_TILE - SHOW_GAP; y++)
            for (int x = 0; x < SHOW_TILE - SHOW_GAP; x++)
                memcpy(corner + (y * SHOW_SIDE + x) * 3, s->rgb, sizeof s->rgb);
        if (s->tile) show_number(corner, s->tile, s->dark ? 0.15f : 1);
    }
}

/* ---- results ---- */

void show_2048_json(json *j, const results_2048 *v) {
    json_integer(j, "games", v->games);
    json_number(j, "mean_score", v->mean);
    json_number(j, "standard_error", v->error);
    json_number(j, "median_score", v->median);
    json_integer(j, "best_score", v->best);
    json_integer(j, "worst_score", v->worst);
    json_number(j, "moves", v->moves);
    json_integer(j, "max_tile", v->max_tile);
    for (int k = VERDICT_2048_FIRST; k < GAME_2048_SIZES; k++) {
        char name[24];
        snprintf(name, sizeof name, "rate_%d", 1 << k);
        json_number(j, name, v->reached[k]);
    }
}

void show_2048_results(const terminal *t, const results_2048 *v) {
    enum { BAR = 30 };
    const char *const bold = terminal_code(t, TERMINAL_BOLD);
    const char *const plain = terminal_code(t, TERMINAL_PLAIN);
    fprintf(t->to, "%s  tile  reached in%s\n", bold, plain);
    for (int k = VERDICT_2048_FIRST; k < GAME_2048_SIZES; k++) {
        char bar[BAR + 1] = "";
        if (1 << k > (int)v->max_tile && k > VERDICT_2048_FIRST) break;
        memset(bar, '#', (size_t)(v->reached[k] * BAR + 0.5));
        fprintf(t->to, "%6d  %6.1f %%  %s%s%s\n", 1 << k, 100 * v->reached[k],
                terminal_code(t, TERMINAL_GREEN), bar, plain);
    }
    fprintf(t->to,
            "\nMean score %s%.0f%s in %d games (median %.0f, from %u to %u), %.0f moves a game.\n",
            bold, v->mean, plain, v->games, v->median, v->worst, v->best, v->moves);
}

/* ---- the report ---- */

typedef struct show_place {
    uint32_t score;
    int game;
} show_place;

static int show_better(const void *a, const void *b) {
    const show_place *const x = a, *const y = b;
    return x->score != y->score ? (x->score < y->score) - (x->score > y->score) : x->game - y->game;
}

/* Some of the games, evenly from the best to the worst. */
static void show_some(const game_2048 *finished, show_place *order, int games, int some,
                      weft_picture *picture, float *pixels) {
    for (int i = 0; i < games; i++) order[i] = (show_place){finished[i].score, i};
    qsort(order, (size_t)games, sizeof *order, show_better);
    for (int i = 0; i < some; i++) {
        const int game = order[some > 1 ? i * (games - 1) / (some - 1) : 0].game;
        show_picture(finished[game].board, pixels + i * SHOW_PIXELS);
        picture[i] = (weft_picture){.pixels = pixels + i * SHOW_PIXELS,
                                    .height = SHOW_SIDE,
                                    .width = SHOW_SIDE,
                                    .channels = 3};
        snprintf(picture[i].caption, sizeof picture[i].caption, "game %d: %u points, %d moves",
                 game, finished[game].score, (int)finished[game].moves);
    }
}

weft_err show_2048_report(const run *u, const char *title, const weft_train_result *r,
                          const results_2048 *v, const game_2048 *finished) {
    enum { MOST = 12 };
    char summary[1000];
    weft_picture picture[MOST];
    if (!finished) {
        snprintf(summary, sizeof summary, "Not evaluated: %s.", r->text);
        return weft_report_write(u->ctx, u->folder,
                                 &(weft_report){.title = title, .summary = summary});
    }
    snprintf(summary, sizeof summary,
             "After %lld steps in %.1f s: mean score %.0f (standard error %.0f), median %.0f, best "
             "%u, over %d evaluation games, by greedy play.\n"
             "The tile 1024 was reached in %.1f %% of them, 2048 in %.1f %%, 4096 in %.1f %%, 8192 "
             "in %.1f %%; the largest tile was %u.\n"
             "The samples show how games ended, from the best to the worst.",
             (long long)r->steps, r->seconds, v->mean, v->error, v->median, v->best, v->games,
             100 * v->reached[10], 100 * v->reached[11], 100 * v->reached[12], 100 * v->reached[13],
             v->max_tile);
    const int some = v->games < MOST ? v->games : MOST;
    float *pixels = malloc((size_t)some * SHOW_PIXELS * sizeof *pixels);
    show_place *order = malloc((size_t)v->games * sizeof *order);
    weft_err e = WEFT_OK;
    if (pixels && order) {
        show_some(finished, order, v->games, some, picture, pixels);
        e = weft_report_write(u->ctx, u->folder,
                              &(weft_report){.title = title,
                                             .summary = summary,
                                             .pictures = picture,
                                             .picture_count = (size_t)some});
    } else e = weft_fail(u->ctx, WEFT_MEMORY, "out of memory");
    free(pixels);
    free(order);
    return e;
}
