/* report.h - what the files of the report share. Only they include this.
 *
 *     report.c          reads the run, puts the page together
 *     report_plots.c    plots as SVG, and which metrics share one
 *     report_figures.c  the key figures and the summary
 *     report_kernels.c  where the time of a step goes
 *     report_confusion.c  the confusion matrix
 *     report_plates.c   figures from files, each in a section
 *     report_samples.c  texts that the network wrote during training
 *     report_pictures.c sample pictures as PNG inside the page
 *     report_page.c     style and script */
#ifndef WEFT_REPORT_H
#define WEFT_REPORT_H

#include "base/text.h"
#include "base/series.h"

#include <weft/train.h>

enum { REPORT_SERIES = 64, REPORT_LINES = 12 };

typedef struct report_plot {
    char name[SERIES_NAME]; /* "loss" */
    const series *line[REPORT_LINES];
    int look[REPORT_LINES]; /* colour and dashes, below REPORT_LINES */
    int n;
} report_plot;

typedef struct report {
    weft_ctx *c;
    const weft_report *asked;
    series *series[REPORT_SERIES];
    int n;
    report_plot plots[REPORT_SERIES];
    int plot_count;
    double from, to;       /* steps that the plots show */
    size_t lines, skipped; /* of metrics.jsonl; not readable */
    bool crowded, long_names; /* there were more metrics than series; names too long for one */
    bool cut;              /* settings, or their names or values, were too many or too long */
    int64_t steps;         /* the last one */
    double seconds;        /* of the run; nan: unknown */
    double rate;           /* steps a second; nan: unknown */
    double began, ended;   /* on the wall clock; nan: unknown */
    weft_run_status status;
    weft_run_kernels kernels;
    bool profiled; /* kernels is filled */
    series_point curve[SERIES_BUCKETS];
    text page;
} report;

/* Where a metric belongs: "train/loss" is the line train of the plot loss, since train is a part
 * of the data; "speed/steps_per_s" is the line steps_per_s of the plot speed. */
void report_arrange(report *r);
const char *report_label(const series *s); /* "train" */
void report_draw(report *r, const report_plot *p, bool wide);
bool report_once(const report_plot *p); /* one value is no curve: it is not drawn, but ... */
void report_list(report *r);            /* ... listed */
bool report_noisy(const series *s);               /* drawn with a smooth curve through it */
double report_latest(report *r, const series *s); /* the end of its curve */

/* The metric of that name on the most significant data: test, then validation, then training. */
const series *report_best(const report *r, const char *name);
bool report_is_held_out(const series *s, const char *name); /* on data it does not learn from */
bool report_is_share(const char *name, const series *s); /* shown in percent */
bool report_is_bytes(const char *name);                  /* "memory_bytes": shown in MB and such */
const series *report_series_of(const report *r, const char *name); /* NULL: none of that name */

void report_summary(report *r);
void report_figures(report *r);
void report_kernels(report *r);
void report_pictures(report *r);
weft_err report_pictures_check(const report *r);
void report_confusion(report *r);
weft_err report_confusion_check(const report *r);
weft_err report_samples(report *r, const char *metrics); /* out of the file of that path */
void report_plates(report *r);
weft_err report_plates_check(const report *r);
void report_base64(text *d, const void *bytes, size_t n); /* of a data address */

/* Numbers for people, into text (REPORT_NUMBER). */
enum { REPORT_NUMBER = 64 };
const char *report_count(char *text, int64_t n);            /* "12,345" */
const char *report_value(char *text, double v, bool share); /* "0.0213", "98.31 %" */
const char *report_bytes(char *text, double bytes);         /* "84.8 MB" */
const char *report_duration(char *text, double seconds);    /* "4 min 12 s" */
const char *report_date(char *text, double wall);           /* "2031-05-04 17:08" */

extern const char *const report_style[];  /* pieces, NULL at the end */
extern const char *const report_script[]; /* the same */

#endif
