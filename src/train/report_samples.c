/* report_samples.c - texts that the network wrote while it learned: the last one, and some of those
 * before it, evenly over the run. */
#include "base/error.h"
#include "lines.h"
#include "report.h"

#include <stdlib.h>

enum { SAMPLES_SHOWN = 5, SAMPLES_BYTES = 4000 };

/* The sample of a line; NULL: it has none. Free it. */
static char *samples_text(const report *r, const lines_line *line) {
    const weft_json all = weft_json_parse(r->c, line->text, line->bytes, LINES_NAME);
    const weft_json sample = weft_json_get(all, "sample");
    size_t n = weft_json_text(sample, NULL, 0);
    if (!n) return NULL;
    if (n > SAMPLES_BYTES) n = SAMPLES_BYTES;
    char *const text = weft_resize(r->c, NULL, n + 1);
    if (text) weft_json_text(sample, text, n + 1);
    return text;
}

static void samples_show(report *r, const char *text, int64_t step) {
    char count[REPORT_NUMBER];
    text_add(&r->page, "<h3>After %s steps</h3>\n<p class=\"sample\">", report_count(count, step));
    text_html(&r->page, text);
    text_put(&r->page, "</p>\n");
}

weft_err report_samples(report *r, const char *metrics) {
    lines in;
    lines_line line;
    int64_t shown[SAMPLES_SHOWN], count = 0, n = 0;
    for (int pass = 0; pass < 2; pass++) {
        int64_t at = 0;
        WEFT_TRY(lines_open(&in, r->c, metrics));
        while (lines_next(&in, &line)) {
            char *const text = samples_text(r, &line);
            if (!text) continue;
            for (int64_t i = 0; pass && i < n; i++)
                if (shown[i] == at) samples_show(r, text, line.step);
            weft_resize(r->c, text, 0);
            at++;
        }
        lines_close(&in);
        if (in.err != WEFT_OK) return in.err;
        count = at;
        if (pass || !count) break;
        text_put(&r->page, "<section>\n<h2>Samples</h2>\n");
        n = count < SAMPLES_SHOWN ? count : SAMPLES_SHOWN;
        for (int64_t i = 0; i < n; i++) shown[i] = n > 1 ? i * (count - 1) / (n - 1) : 0;
    }
    if (count) text_put(&r->page, "</section>\n");
    return WEFT_OK;
}
