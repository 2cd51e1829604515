/* test_train_notice.c - the training loop notices losses that are oddly high: in the journal, the
 * events and the report; after a resume as if there had been none; and not when nobody asked. */
#include "run_folder.h"

#include <math.h>

enum { STEPS = 2000, SPIKE = 700 };

/* A loss that falls, with a little noise that depends on the step alone, two spikes, and one step that
 * is oddly low, which is nobody's trouble. */
static double loss_at(int64_t step) {
    const double wave = sin((double)step * 12.9898) * 43758.5453;
    return 3 * exp(-(double)step / 200) + 0.3 + 0.05 * (wave - floor(wave)) +
           (step == SPIKE  ? 2
            : step == 1000 ? -2
            : step == 1500 ? 0.9
                           : 0);
}

static weft_err a_step(void *user, int64_t step, weft_metrics *m) {
    (void)user;
    weft_metric(m, "train/loss", loss_at(step));
    return WEFT_OK;
}

static const weft_detector_desc looks = {
    .kind = WEFT_DETECT_EWMA, .rate = 0.02, .warm = 100, .threshold = 6};

static void train(const run_folder *f, const weft_detector_desc *notice, int64_t steps, bool resume,
                  int64_t outliers) {
    weft_ctx *const c = weft_open("cpu");
    weft_state *const s = weft_state_new(c);
    weft_graph *const g = weft_graph_new(c);
    weft_number(g, s, "place", 5);
    weft_train_result r;
    const weft_err e = weft_train(s,
                                  &(weft_train_desc){.step = a_step,
                                                     .steps = steps,
                                                     .run = f->path,
                                                     .resume = resume,
                                                     .outlier_detector = notice},
                                  &r);
    if (!CHECK_EQ(e, WEFT_OK)) CHECK_STR(weft_error(c), "");
    CHECK_EQ(r.outliers, outliers);
    CHECK_EQ(weft_report_write(c, f->path, NULL), WEFT_OK);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

/* Steps of the lines that have an outlier, into out; how many. */
static int noticed(const run_folder *f, int64_t *out) {
    char *const text = run_read(run_path(f, "metrics.jsonl"), NULL);
    int n = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, "\"outlier/loss\"") && n < 8)
            out[n++] = strtoll(strstr(line, "\"step\": ") + 8, NULL, 10);
    free(text);
    return n;
}

static int circles(const run_folder *f) {
    char *const page = run_read(run_path(f, "report.html"), NULL);
    int n = 0;
    for (const char *at = page; (at = strstr(at, "class=\"odd\"")); at++) n++;
    if (n) CHECK_HAS(page, "2 outliers, circled");
    if (n) CHECK(!strstr(page, "Outlier</h3>")); /* marks, not a plot of its own */
    free(page);
    return n;
}

TEST(spikes_are_noticed) {
    const run_folder f = run_make();
    int64_t at[8];
    train(&f, &looks, STEPS, false, 2);
    CHECK_EQ(noticed(&f, at), 2);
    CHECK_EQ(at[0], SPIKE + 1); /* steps made */
    CHECK_EQ(at[1], 1501);
    CHECK_EQ(circles(&f), 2);
    char name[256];
    CHECK_EQ(run_files(f.path, "events.out", 0, name), 1);
    size_t bytes = 0;
    char *const events = run_read(run_path(&f, name), &bytes);
    bool found = false;
    for (size_t i = 0; i + 12 < bytes; i++)
        found = found || !memcmp(events + i, "outlier/loss", 12);
    CHECK(found);
    free(events);
    run_remove(f.path);
}

TEST(a_resumed_run_notices_the_same) {
    static const int64_t stops[] = {50, SPIKE - 1, SPIKE, SPIKE + 1, 1400};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        CASE("stopped after %lld steps", (long long)stops[i]);
        const run_folder f = run_make();
        int64_t at[8];
        const int before = stops[i] > SPIKE;
        train(&f, &looks, stops[i], false, before);
        train(&f, &looks, STEPS, true, 2 - before);
        CHECK_EQ(noticed(&f, at), 2);
        CHECK_EQ(at[0], SPIKE + 1);
        CHECK_EQ(at[1], 1501);
        run_remove(f.path);
    }
}

TEST(another_detector_begins_anew) {
    const run_folder f = run_make();
    weft_detector_desc other = looks;
    train(&f, &looks, 1450, false, 1);
    other.warm = 1000; /* not warm again before the end */
    train(&f, &other, STEPS, true, 0);
    run_remove(f.path);
}

TEST(nobody_asked) {
    const run_folder f = run_make();
    int64_t at[8];
    train(&f, NULL, STEPS, false, 0);
    CHECK_EQ(noticed(&f, at), 0);
    CHECK_EQ(circles(&f), 0);
    run_remove(f.path);
}

TEST(a_wrong_description_is_told) {
    weft_ctx *const c = weft_open("cpu");
    weft_state *const s = weft_state_new(c);
    const weft_detector_desc wrong = {.kind = WEFT_DETECT_EWMA, .rate = 7};
    CHECK_EQ(weft_train(s,
                        &(weft_train_desc){.step = a_step, .steps = 5, .outlier_detector = &wrong},
                        NULL),
             WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "ewma: rate 7");
    weft_state_free(s);
    weft_close(c);
}

/* Without a plot to mark, it is a metric like others. */
TEST(marks_without_a_plot) {
    const run_folder f = run_make();
    weft_ctx *const c = weft_open("cpu");
    weft_journal *const j = weft_journal_open(c, &(weft_journal_desc){.run = f.path});
    weft_metrics m = {0};
    weft_metric(&m, "outlier/load", 3);
    CHECK_EQ(weft_journal_write(j, 5, &m), WEFT_OK);
    CHECK_EQ(weft_journal_write(j, 6, &m), WEFT_OK); /* one value alone has no plot */
    CHECK_EQ(weft_journal_close(j), WEFT_OK);
    CHECK_EQ(weft_report_write(c, f.path, NULL), WEFT_OK);
    char *const page = run_read(run_path(&f, "report.html"), NULL);
    CHECK_HAS(page, "Outlier</h3>");
    CHECK(!strstr(page, "class=\"odd\""));
    free(page);
    weft_close(c);
    run_remove(f.path);
}
