/* notice.c - outliers of the loss: a detector checks that of every step, and an outlier is a line
 * "outlier/loss" of the journal, which the report marks in the plot of the loss.
 *
 * The detector costs some tens of nanoseconds a step and allocates nothing. Its
 * snapshot is in the checkpoint, so a resumed run finds the same outliers. */
#include "train_parts.h"

#include <math.h>
#include <string.h>

#define NOTICE_KEPT "train.outlier_detector"

weft_err train_notice_start(train *t) {
    if (!t->d->outlier_detector || t->outlier_detector)
        return WEFT_OK; /* or there is one from the checkpoint */
    t->outlier_detector = weft_detector_new(t->c, t->d->outlier_detector);
    return t->outlier_detector ? WEFT_OK : weft_error_code(t->c);
}

weft_err train_notice_loss(train *t, double loss) {
    weft_point p;
    if (!t->outlier_detector || isnan(loss)) return WEFT_OK;
    WEFT_TRY(weft_detector_feed(t->outlier_detector, &loss, 1, &p));
    if (p.label != WEFT_LABEL_OUTLIER && p.label != WEFT_LABEL_CHANGE) return WEFT_OK;
    if (loss < p.expected) return WEFT_OK; /* it may fall as fast as it likes */
    t->outliers++;
    weft_metrics m = {0};
    weft_metric(&m, "outlier/loss", loss);
    return t->log ? weft_journal_write(t->log, t->step, &m) : WEFT_OK;
}

weft_err train_notice_save(const train *t, weft_archive *to) {
    if (!t->outlier_detector) return WEFT_OK;
    const size_t n = weft_detector_bytes(t->outlier_detector);
    void *const bytes = weft_resize(t->c, NULL, n);
    if (!bytes) return weft_fail(t->c, WEFT_MEMORY, "weft_train: out of memory");
    weft_err e = weft_detector_save(t->outlier_detector, bytes, n);
    const weft_array a = {NOTICE_KEPT, WEFT_FILE_U8, weft_dims((int64_t)n), bytes, n};
    if (!e) e = weft_archive_put(to, &a);
    weft_resize(t->c, bytes, 0);
    return e;
}

/* Another detector than the checkpoint's, or none there: it starts over. */
weft_err train_notice_resume(train *t, weft_archive *from) {
    weft_array a;
    if (!t->d->outlier_detector || !weft_archive_has(from, NOTICE_KEPT)) return WEFT_OK;
    WEFT_TRY(weft_archive_find(from, NOTICE_KEPT, &a));
    weft_detector *const kept = weft_detector_restore(t->c, a.data, a.bytes, t->checkpoint);
    if (!kept) return weft_error_code(t->c);
    WEFT_TRY(train_notice_start(t));
    const weft_detector_desc was = weft_detector_settings(kept),
                             is = weft_detector_settings(t->outlier_detector);
    const bool same = memcmp(&was, &is, sizeof is) == 0;
    weft_detector_free(same ? t->outlier_detector : kept);
    if (same) t->outlier_detector = kept;
    return WEFT_OK;
}
