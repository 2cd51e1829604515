/* cartpole.c - a pole on a cart, after Barto, Sutton and Anderson (1983), without friction.
 *
 * Forces of 10 N to the left or right, Euler steps of 0.02 s, in double: positions move with the old
 * velocities. Ends beyond 2.4 m or 12 degrees; 1 for every step, the last included; at most 500. */
#include "rl/tables.h"

#include <math.h>
#include <stdio.h>

#define POLE_GRAVITY  9.8
#define POLE_CART     1.0  /* kg */
#define POLE_MASS     0.1  /* kg, of the pole */
#define POLE_HALF     0.5  /* m, half its length */
#define POLE_FORCE    10.0 /* N */
#define POLE_STEP     0.02 /* s */
#define POLE_FARTHEST 2.4  /* m */
#define POLE_STEEPEST (12 * 3.14159265358979323846 / 180)
#define POLE_FIRST    0.05 /* each number starts within this */

static void pole_reset(void *e, weft_rng *r, int level) {
    (void)level;
    weft_cartpole *const p = e;
    p->x = rng_between(r, -POLE_FIRST, POLE_FIRST);
    p->speed = rng_between(r, -POLE_FIRST, POLE_FIRST);
    p->angle = rng_between(r, -POLE_FIRST, POLE_FIRST);
    p->spin = rng_between(r, -POLE_FIRST, POLE_FIRST);
}

static bool pole_stands(const weft_cartpole *p) {
    return fabs(p->x) <= POLE_FARTHEST && fabs(p->angle) <= POLE_STEEPEST;
}

static float pole_step(void *e, weft_rng *r, int action, bool *done) {
    (void)r;
    weft_cartpole *const p = e;
    const double force = action ? POLE_FORCE : -POLE_FORCE, all = POLE_CART + POLE_MASS;
    const double sine = sin(p->angle), cosine = cos(p->angle);
    const double push = (force + POLE_MASS * POLE_HALF * p->spin * p->spin * sine) / all;
    const double spin_gain = (POLE_GRAVITY * sine - cosine * push) /
                             (POLE_HALF * (4.0 / 3 - POLE_MASS * cosine * cosine / all));
    const double speed_gain = push - POLE_MASS * POLE_HALF * spin_gain * cosine / all;
    p->x += POLE_STEP * p->speed;
    p->speed += POLE_STEP * speed_gain;
    p->angle += POLE_STEP * p->spin;
    p->spin += POLE_STEP * spin_gain;
    *done = !pole_stands(p);
    return 1;
}

static void pole_observe(const void *e, float *obs) {
    const weft_cartpole *const p = e;
    obs[0] = (float)p->x;
    obs[1] = (float)p->speed;
    obs[2] = (float)p->angle;
    obs[3] = (float)p->spin;
}

static weft_err pole_check(weft_ctx *c, const void *e) {
    const weft_cartpole *const p = e;
    if (pole_stands(p) && isfinite(p->speed) && isfinite(p->spin)) return WEFT_OK;
    return weft_fail(
        c, WEFT_ARGUMENT,
        "cartpole: position %g, speed %g, angle %g, spin %g: the cart is beyond 2.4, the "
        "pole beyond 12 degrees, or a speed is not a number",
        p->x, p->speed, p->angle, p->spin);
}

static void pole_show(const void *e, char *text, size_t bytes) {
    const weft_cartpole *const p = e;
    snprintf(text, bytes, "position %+.3f m, speed %+.3f, angle %+.2f degrees, spin %+.3f\n", p->x,
             p->speed, p->angle * 180 / 3.14159265358979323846, p->spin);
}

const weft_env env_cartpole = {.name = "cartpole",
                               .size = sizeof(weft_cartpole),
                               .obs = 4,
                               .actions = 2,
                               .limit = 500,
                               .reset = pole_reset,
                               .step = pole_step,
                               .observe = pole_observe,
                               .check = pole_check,
                               .show = pole_show};

#undef POLE_GRAVITY
#undef POLE_CART
#undef POLE_MASS
#undef POLE_HALF
#undef POLE_FORCE
#undef POLE_STEP
#undef POLE_FARTHEST
#undef POLE_STEEPEST
#undef POLE_FIRST
