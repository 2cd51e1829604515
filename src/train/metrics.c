/* metrics.c - a line of named numbers. */
#include <weft/train.h>

#include <math.h>
#include <string.h>

void weft_metric(weft_metrics *m, const char *name, double value) {
    if (!m || !name) return;
    size_t i = 0;
    while (i < m->n && strcmp(m->at[i].name, name) != 0) i++;
    if (i == WEFT_METRICS) return;
    m->at[i].name = name;
    m->at[i].value = value;
    if (i == m->n) m->n++;
}

double weft_metric_of(const weft_metrics *m, const char *name) {
    for (size_t i = 0; m && name && i < m->n; i++)
        if (strcmp(m->at[i].name, name) == 0) return m->at[i].value;
    return NAN;
}
