/* report_confusion.c - the confusion matrix, or for many classes the most frequent
 * confusions. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONFUSION_MATRIX = 20, CONFUSION_LISTED = 20, CONFUSION_CLASSES = 100000 };

weft_err report_confusion_check(const report *r) {
    const weft_report *const a = r->asked;
    if (!a || !a->confusion) return WEFT_OK;
    if (a->class_count < 1 || a->class_count > CONFUSION_CLASSES)
        return weft_fail(r->c, WEFT_ARGUMENT,
                         "weft_report_write: a confusion matrix of %d classes; 1 to %d were "
                         "expected",
                         a->class_count, CONFUSION_CLASSES);
    const size_t cells = (size_t)a->class_count * (size_t)a->class_count;
    for (size_t i = 0; i < cells; i++)
        if (a->confusion[i] < 0)
            return weft_fail(r->c, WEFT_ARGUMENT,
                             "weft_report_write: the confusion matrix has %lld at %zu",
                             (long long)a->confusion[i], i);
    for (int i = 0; a->classes && i < a->class_count; i++)
        if (!a->classes[i])
            return weft_fail(r->c, WEFT_ARGUMENT, "weft_report_write: class %d has no name", i);
    return WEFT_OK;
}

static void confusion_name(report *r, int class) {
    if (r->asked->classes) text_html(&r->page, r->asked->classes[class]);
    else text_add(&r->page, "%d", class);
}

static void confusion_matrix(report *r) {
    const int n = r->asked->class_count;
    text *d = &r->page;
    char text[REPORT_NUMBER];
    text_put(d, "<div class=\"scroll\"><table class=\"confusion\">\n<thead><tr><th></th>");
    for (int k = 0; k < n; k++) {
        text_put(d, "<th>");
        confusion_name(r, k);
        text_put(d, "</th>");
    }
    text_put(d, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < n; i++) {
        const int64_t *const row = r->asked->confusion + (size_t)i * (size_t)n;
        double all = 0;
        for (int k = 0; k < n; k++) all += (double)row[k];
        text_put(d, "<tr><th scope=\"row\">");
        confusion_name(r, i);
        text_put(d, "</th>");
        for (int k = 0; k < n; k++) {
            text_add(d, "<td%s>", i == k ? " class=\"hit\"" : "");
            if (row[k]) { /* the root, since mistakes are few */
                text_put(d, "<i style=\"opacity:");
                text_fixed(d, 0.1 + (i == k ? 0.4 : 0.7) * sqrt((double)row[k] / all), 2);
                text_add(d, "\"></i><b>%s</b>", report_count(text, row[k]));
            }
            text_put(d, "</td>");
        }
        text_put(d, "</tr>\n");
    }
    text_put(d, "</tbody>\n</table></div>\n<p class=\"note\">Rows: the actual class; columns: the "
                "predicted one.</p>\n");
}

typedef struct confusion_pair {
    int64_t count;
    int actual, predicted;
} confusion_pair;

static void confusion_list(report *r) {
    const int n = r->asked->class_count;
    confusion_pair most[CONFUSION_LISTED];
    int found = 0;
    text *d = &r->page;
    char text[REPORT_NUMBER];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const confusion_pair x = {r->asked->confusion[(size_t)i * (size_t)n + (size_t)k], i, k};
            if (i == k || !x.count ||
                (found == CONFUSION_LISTED && x.count <= most[found - 1].count))
                continue;
            int at = found < CONFUSION_LISTED ? found++ : found - 1;
            for (; at && most[at - 1].count < x.count; at--) most[at] = most[at - 1];
            most[at] = x;
        }
    if (!found) text_put(d, "<p class=\"note\">No example is misclassified.</p>\n");
    if (!found) return;
    text_put(d, "<table class=\"costs\">\n<thead><tr><th>Actual</th><th>Predicted</th>"
                "<th class=\"n\">Examples</th></tr></thead>\n<tbody>\n");
    for (int i = 0; i < found; i++) {
        text_put(d, "<tr><th scope=\"row\">");
        confusion_name(r, most[i].actual);
        text_put(d, "</th><td>");
        confusion_name(r, most[i].predicted);
        text_add(d, "</td><td class=\"n\">%s</td></tr>\n", report_count(text, most[i].count));
    }
    text_put(d, "</tbody>\n</table>\n");
}

void report_confusion(report *r) {
    if (!r->asked || !r->asked->confusion) return;
    text_put(&r->page, "<section>\n<h2>Confusion matrix</h2>\n");
    if (r->asked->class_count <= CONFUSION_MATRIX) confusion_matrix(r);
    else confusion_list(r);
    text_put(&r->page, "</section>\n");
}
