/* metrics.c - a line of named numbers. */
#include "train_parts.h"

#include <math.h>
#include <string.h>

void weft_metric(weft_metrics *m, const char *name, double value) {
    if (!m || !name) return;
    size_t i = 0;
    while (i < m->n && strcmp(m->at[i].name, name) != 0) i++;
    if (i == WEFT_METRICS) {
        if (!m->lost) m->lost = name;
        return;
    }
    m->at[i].name = name;
    m->at[i].value = value;
    if (i == m->n) m->n++;
}

double weft_metric_of(const weft_metrics *m, const char *name) {
    for (size_t i = 0; m && name && i < m->n; i++)
        if (strcmp(m->at[i].name, name) == 0) return m->at[i].value;
    return NAN;
}

weft_err metrics_check(weft_ctx *c, const char *who, const weft_metrics *m) {
    if (!m->lost && m->n <= WEFT_METRICS) return WEFT_OK;
    return weft_fail(c, WEFT_ARGUMENT,
                     "%s: there is no room for the metric \"%s\": a line has at most %d", who,
                     m->lost ? m->lost : "", WEFT_METRICS);
}
