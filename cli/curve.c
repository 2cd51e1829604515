/* curve.c - see curve.h. */
#include "curve.h"

#include <math.h>

static void curve_halve(curve *c) {
    int n = 0;
    for (int i = 0; i < c->n; i += 2) {
        curve_point p = c->at[i];
        if (i + 1 < c->n) {
            p.steps += c->at[i + 1].steps;
            p.values += c->at[i + 1].values;
            p.count += c->at[i + 1].count;
        }
        c->at[n++] = p;
    }
    c->n = n;
    c->width *= 2;
}

void curve_add(curve *c, double step, double value) {
    if (!(fabs(value) < 1e290)) return; /* sums must stay in range */
    if (!c->count++) {
        c->from = c->to = c->least_at = c->most_at = step;
        c->least = c->most = value;
        c->width = 1;
    }
    c->from = fmin(c->from, step), c->to = fmax(c->to, step);
    if (value < c->least) c->least = value, c->least_at = step;
    if (value > c->most) c->most = value, c->most_at = step;
    c->last = value;
    if (!c->n || c->at[c->n - 1].count >= c->width) {
        if (c->n == CURVE_POINTS) curve_halve(c);
        if (!c->n || c->at[c->n - 1].count >= c->width) c->at[c->n++] = (curve_point){0};
    }
    curve_point *const p = &c->at[c->n - 1];
    p->steps += step, p->values += value, p->count++;
}
