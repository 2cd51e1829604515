/* 04_own_optimiser.c - an optimiser is a function that returns updates: here is one of our own.
 *
 * New here: weft_param, weft_slot and weft_number for values that last; weft_params_of for gradients;
 * weft_assign and weft_updates_join for what a run changes; a schedule that is a formula of the step.
 * The optimisers that come with Weft are made the same way: see 07_optimisers.c.
 *
 * Lion (Chen et al., 2023) goes by the sign of an averaged gradient. It walks down Rosenbrock's
 * valley, which is curved, narrow and nearly flat along its floor: the lowest point is (1, 1). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <weft/weft.h>

enum { STEPS = 4000, ROWS = 24, COLUMNS = 66 };

typedef struct lion_desc {
    float lr, beta1, beta2;
} lion_desc;

static const weft_init zeros = {.kind = WEFT_INIT_ZEROS};

/* m is the companion of p: average = beta1 m + (1 - beta1) g; p -= rate sign(average). */
static weft_updates lion_one(weft_graph *g, weft_state *s, weft_tensor p, weft_tensor grad,
                             weft_tensor rate, const lion_desc *d) {
    weft_tensor m = weft_slot(g, s, p, "lion", zeros);
    weft_tensor average = weft_add(weft_scale(m, d->beta1), weft_scale(grad, 1 - d->beta1));
    weft_tensor next = weft_add(weft_scale(m, d->beta2), weft_scale(grad, 1 - d->beta2));
    return weft_updates_join(g, weft_assign(p, weft_sub(p, weft_mul(rate, weft_sign(average)))),
                             weft_assign(m, next));
}

/* All parameters of the loss; the rate falls to zero over STEPS steps, counted in the state. However
 * many parameters there are, their steps are compiled into one pass over memory. */
static weft_updates lion(weft_state *s, weft_tensor loss, const lion_desc *d) {
    weft_graph *g = loss.g;
    weft_tensor step = weft_number(g, s, "lion.step", 0);
    weft_tensor left = weft_offset(weft_scale(step, -1.0f / STEPS), 1);
    weft_tensor rate = weft_scale(weft_square(left), d->lr);
    weft_updates all = weft_assign(step, weft_offset(step, 1));
    const weft_params p = weft_params_of(s, loss);
    for (size_t i = 0; i < p.n; i++)
        all = weft_updates_join(g, all, lion_one(g, s, p.param[i], p.grad[i], rate, d));
    return all;
}

static float height(float x, float y) {
    return (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x);
}

int main(void) {
    weft_ctx *c = weft_open("auto");
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    if (!s || !g) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    weft_tensor x = weft_param(g, s, "x", WEFT_0D, (weft_init){WEFT_INIT_VALUE, -1.2f, 0});
    weft_tensor y = weft_param(g, s, "y", WEFT_0D, (weft_init){WEFT_INIT_VALUE, 1, 0});
    weft_tensor side = weft_sub(y, weft_square(x));
    weft_tensor loss =
        weft_add(weft_square(weft_offset(weft_neg(x), 1)), weft_scale(weft_square(side), 100));
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){
               .fetch = weft_list(loss),
               .update = lion(s, loss, &(lion_desc){.lr = 0.01f, .beta1 = 0.9f, .beta2 = 0.99f}),
           });
    if (!p) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    char map[ROWS][COLUMNS + 1];
    for (int i = 0; i < ROWS; i++) { /* the valley from above: the denser, the higher */
        for (int j = 0; j < COLUMNS; j++) {
            const float h = height(-1.5f + 3.0f * (float)j / (COLUMNS - 1),
                                   1.6f - 2.0f * (float)i / (ROWS - 1));
            map[i][j] = h < 2 ? ' ' : h < 12 ? '.' : h < 50 ? ':' : h < 150 ? '+' : '#';
        }
        map[i][COLUMNS] = 0;
    }
    float px = -1.2f, py = 1;
    for (int i = 0; i < STEPS; i++) {
        const int row = (int)((1.6f - py) / 2.0f * (ROWS - 1) + 0.5f),
                  column = (int)((px + 1.5f) / 3.0f * (COLUMNS - 1) + 0.5f);
        if (row >= 0 && row < ROWS && column >= 0 && column < COLUMNS) map[row][column] = '*';
        if (weft_run(p) != WEFT_OK || weft_state_get(s, "x", &px, sizeof px) != WEFT_OK ||
            weft_state_get(s, "y", &py, sizeof py) != WEFT_OK)
            return fprintf(stderr, "%s\n", weft_error(c)), 1;
    }
    for (int i = 0; i < ROWS; i++) printf("%s\n", map[i]);
    printf("%d steps of Lion, * from (-1.2, 1) to (%.4f, %.4f); height %.2g\n", STEPS, px, py,
           weft_item(p, loss));
    const bool right = fabsf(px - 1) < 0.02f && fabsf(py - 1) < 0.04f;

    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    return right ? 0 : 1;
}
