/* study_show.c - what people see of a study: the report, and at the end a curve, pictures and a
 * line in the terminal. */
#include "cli/chart.h"
#include "cli/plot.h"
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOW_PICTURES = 24, SHOW_CLASSES = 2000 };

/* Up to `most` test pictures, first those it got wrong; pixels hold what they show. */
static size_t show_fill(const study *t, weft_picture *picture, float *pixels, size_t most) {
    const network *n = &t->model.net;
    const weft_field x = weft_data_field(t->test, 0);
    const size_t size = (size_t)(n->rows * n->columns);
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < weft_data_rows(t->test) && count < (pass ? most : most / 2); i++) {
            const bool wrong = t->answer[i] != t->truth[i];
            if (wrong != (pass == 0)) continue;
            const uint8_t *from = (const uint8_t *)x.rows + (size_t)i * x.row_bytes;
            float *to = pixels + count * size;
            for (size_t k = 0; k < size; k++) to[k] = (float)from[k] / 255;
            picture[count] = (weft_picture){.pixels = to,
                                            .height = (int)n->rows,
                                            .width = (int)n->columns,
                                            .channels = 1,
                                            .wrong = wrong};
            snprintf(picture[count].caption, sizeof picture[count].caption,
                     wrong ? "predicted %s, actual %s" : "%s", t->model.names[(int)t->answer[i]],
                     t->model.names[(int)t->truth[i]]);
            count++;
        }
    return count;
}

/* The same in memory of its own: free *pixels. None where the input is no picture. */
static size_t show_pictures(const study *t, weft_picture *picture, float **pixels) {
    const network *n = &t->model.net;
    const bool seen = t->evaluated && !t->model.numbers && n->rows > 1 &&
                      weft_data_field(t->test, 0).dtype == WEFT_U8;
    *pixels =
        seen ? malloc(SHOW_PICTURES * (size_t)(n->rows * n->columns) * sizeof **pixels) : NULL;
    return *pixels ? show_fill(t, picture, *pixels, SHOW_PICTURES) : 0;
}

/* How many examples of each class were taken for each: free it; NULL: not shown. */
static int64_t *show_confusion(const study *t) {
    const size_t n = t->model.classes;
    if (!t->evaluated || t->model.numbers || !n || n > SHOW_CLASSES) return NULL;
    int64_t *const count = calloc(n * n, sizeof *count);
    for (int64_t i = 0; count && i < weft_data_rows(t->test); i++)
        count[(size_t)t->truth[i] * n + (size_t)t->answer[i]]++;
    return count;
}

weft_err study_report(const study *t, const char *title, const weft_train_result *r) {
    weft_picture picture[SHOW_PICTURES];
    float *pixels;
    const size_t count = show_pictures(t, picture, &pixels);
    char summary[1000], also[400] = "";
    const long long steps = r->steps;
    char tested[32];
    chart_count((double)weft_data_rows(t->test), tested);
    if (!t->evaluated) snprintf(summary, sizeof summary, "Not evaluated: %s.", r->text);
    else if (t->model.numbers)
        snprintf(summary, sizeof summary,
                 "R² %.4f, RMSE %.4g and MAE %.4g on %s test rows, after %lld steps in %.1f s: %s.",
                 t->accuracy, t->rmse, t->mae, tested, steps, r->seconds, r->text);
    else
        snprintf(summary, sizeof summary,
                 "%.2f %% accuracy on %s test examples, after %lld steps in %.1f s: %s.",
                 100 * t->accuracy, tested, steps, r->seconds, r->text);
    if (t->evaluated) study_logic_text(t, also, sizeof also);
    if (*also) snprintf(summary + strlen(summary), sizeof summary - strlen(summary), " %s", also);
    int64_t *const confusion = show_confusion(t);
    const weft_err e =
        weft_report_write(t->run.ctx, t->run.folder,
                          &(weft_report){.title = title,
                                         .summary = summary,
                                         .pictures = count ? picture : NULL,
                                         .picture_count = count,
                                         .confusion = confusion,
                                         .class_count = (int)t->model.classes,
                                         .classes = (const char *const *)t->model.names});
    free(confusion);
    free(pixels);
    return e;
}

/* ---- the terminal ---- */

/* The values of train/loss in metrics.jsonl, in order; free them. */
static float *show_losses(const study *t, int *count) {
    weft_follow *const rows = weft_follow_open(t->run.ctx, t->run.folder);
    weft_follow_row row;
    float *loss = NULL;
    int room = 0;
    *count = 0;
    while (rows && weft_follow_next(rows, &row) == WEFT_OK && row.has_row) {
        const double v = weft_metric_of(&row.m, "train/loss");
        if (!isfinite(v)) continue;
        if (*count == room) {
            float *const more = realloc(loss, (size_t)(2 * room + 64) * sizeof *loss);
            if (!more) break;
            loss = more;
            room = 2 * room + 64;
        }
        loss[(*count)++] = (float)v;
    }
    weft_follow_close(rows);
    return loss;
}

/* Half as wide and high: each pixel the mean of four. */
static void show_shrink(const weft_picture *p, float *out) {
    const int w = p->width;
    for (int y = 0; y < p->height / 2; y++)
        for (int x = 0; x < w / 2; x++) {
            const float *at = p->pixels + 2 * y * w + 2 * x;
            out[y * (w / 2) + x] = fminf(1, (at[0] + at[1] + at[w] + at[w + 1]) / 2);
        }
}

/* A row of pictures that are read right, or of those that are read wrong. */
static void show_row(const terminal *out, const weft_picture *picture, size_t count, bool wrong) {
    enum { MOST = 8, SIDE = 14 };
    const int across = (out->width - 1) / (SIDE + 2), most = across < MOST ? across : MOST;
    float small[MOST][SIDE * SIDE];
    const float *shown[MOST];
    const weft_picture *of[MOST];
    int n = 0;
    for (size_t i = 0; i < count && n < most; i++) {
        if (picture[i].wrong != wrong || picture[i].width != 2 * SIDE ||
            picture[i].height != 2 * SIDE)
            continue;
        show_shrink(&picture[i], small[n]);
        shown[n] = small[n], of[n] = &picture[i];
        n++;
    }
    if (!n) return;
    fprintf(out->to, "\n%s\n",
            wrong ? "Misclassified test images" : "Correctly classified test images");
    plot_pictures(out, shown, n, SIDE);
    for (int i = 0; i < n; i++) {
        const char *caption = of[i]->caption;
        if (strncmp(caption, "predicted ", 10) == 0) caption += 10;
        fprintf(out->to, "  %s", terminal_code(out, wrong ? TERMINAL_RED : TERMINAL_GREEN));
        tell(out->to, "%-*.*s", SIDE, SIDE, caption);
        fputs(terminal_code(out, TERMINAL_PLAIN), out->to);
    }
    putc('\n', out->to);
}

static void show_terminal(const study *t, const terminal *out, long steps) {
    weft_picture picture[SHOW_PICTURES];
    float *pixels;
    int points;
    float *loss = show_losses(t, &points);
    if (loss && points > 1) {
        fputs("Loss (logarithmic)\n\n", out->to);
        plot_curve(out, loss, points, "steps", steps);
    }
    free(loss);
    const size_t count = show_pictures(t, picture, &pixels);
    show_row(out, picture, count, false);
    show_row(out, picture, count, true);
    free(pixels);
    putc('\n', out->to);
}

void study_tell(const study *t, const weft_train_result *r) {
    const int64_t rows = weft_data_rows(t->test);
    if (t->set->common.json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", RUN_SCHEMA);
        json_text(&j, "run", t->run.folder);
        json_text(&j, "model", network_word(t->model.net.kind));
        json_integer(&j, "steps", r->steps);
        json_number(&j, "train_seconds", r->seconds);
        json_number(&j, t->model.numbers ? "test_r2" : "test_accuracy",
                    t->evaluated ? t->accuracy : NAN);
        json_number(&j, "test_loss", t->evaluated ? t->test_loss : NAN);
        if (t->model.numbers && t->evaluated) {
            json_number(&j, "test_rmse", t->rmse);
            json_number(&j, "test_mae", t->mae);
        }
        json_integer(&j, "test_count", rows);
        study_logic_json(t, &j);
        json_integer(&j, "resumed_at", r->resumed_at);
        json_text(&j, "ending", r->text);
        json_end(&j);
        return;
    }
    const terminal out = terminal_of(stdout, (terminal_when)t->set->common.color);
    if (!t->evaluated) {
        tell(stdout, "%s; use --resume to continue.\nReport: %s/report.html\n", r->text,
             t->run.folder);
        return;
    }
    char tested[32];
    chart_count((double)rows, tested);
    show_terminal(t, &out, (long)r->steps);
    if (t->model.numbers)
        printf("R2 %s%.4f%s on %s test rows (RMSE %.4g, MAE %.4g",
               terminal_code(&out, TERMINAL_BOLD), t->accuracy, terminal_code(&out, TERMINAL_PLAIN),
               tested, t->rmse, t->mae);
    else
        printf("%s%.2f %%%s accuracy on %s test examples (loss %.4g",
               terminal_code(&out, TERMINAL_BOLD), 100 * t->accuracy,
               terminal_code(&out, TERMINAL_PLAIN), tested, t->test_loss);
    tell(stdout, "), after %lld steps in %.1f s: %s.\n", (long long)r->steps, r->seconds, r->text);
    char also[400];
    study_logic_text(t, also, sizeof also);
    if (*also) tell(stdout, "%s\n", also);
    tell(stdout, "Report: %s/report.html\n", t->run.folder);
}
