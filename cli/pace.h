/* pace.h - how far along a run of limited time is, as a function of its steps.
 *
 * A rate that falls by the clock would make two runs differ, and a resumed one too. So the steps
 * that fit into the time are counted out once, from the speed of the first part of it, and the
 * number is an entry of the state: from there on the run is determined. */
#ifndef WEFT_PACE_H
#define WEFT_PACE_H

#include <weft/weft.h>

typedef struct pace {
    double seconds, settled; /* the limit, 0: none; the share of it after which steps are counted */
    int32_t plan;            /* steps that were given; 0: none */
    int32_t *planned;        /* entries of the state: steps, 0 while not known, ... */
    float *spent;            /* ... and the seconds until then */
} pace;

typedef struct pace_desc {
    double seconds, settled;
    int64_t plan; /* steps, if given and not yet in the state; 0: to be found out */
} pace_desc;

/* As entries "rng.NAME.planned" and "rng.NAME.spent". */
weft_err pace_make(pace *p, weft_state *s, const char *name, const pace_desc *d);
void pace_step(pace *p, int64_t step, double took); /* after each step: the seconds it took */
double pace_gone(const pace *p, int64_t step);      /* the share of the steps; 0 while not known */

#endif
