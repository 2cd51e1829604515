/* 02_regression.c - training: a small network learns a curve from noisy points.
 *
 * New here: weft_state, which holds what lasts; weft_linear, which keeps its weights there;
 * weft_adam, which returns the updates that a plan makes in each run. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <weft/weft.h>

enum { POINTS = 64, STEPS = 3000, WIDTH = 72, HEIGHT = 20 };

static float curve(float x) { /* what the points come from */
    return sinf(3 * x) * expf(-0.4f * x * x);
}

static weft_tensor network(weft_state *s, weft_tensor x) {
    weft_tensor h = weft_tanh(weft_linear(s, x, 24, "fc1"));
    h = weft_tanh(weft_linear(s, h, 24, "fc2"));
    return weft_linear(s, h, 1, "out");
}

static void put(char picture[HEIGHT][WIDTH + 1], float x, float y, char mark) {
    const int column = (int)((x + 2) / 4 * (WIDTH - 1) + 0.5f),
              row = (int)((1.2f - y) / 2.4f * (HEIGHT - 1) + 0.5f);
    if (row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH) picture[row][column] = mark;
}

int main(void) {
    /* Points from -2 to 2, with a little noise that is the same on every machine. */
    float xs[POINTS], ys[POINTS];
    uint32_t random = 1;
    for (int i = 0; i < POINTS; i++) {
        random = random * 1664525u + 1013904223u;
        xs[i] = -2 + 4 * (float)i / (POINTS - 1);
        ys[i] = curve(xs[i]) + 0.1f * ((float)(random >> 8) * 0x1p-23f - 1);
    }

    weft_ctx *c = weft_open("auto");
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    if (!s || !g) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(POINTS, 1));
    weft_tensor t = weft_input(g, WEFT_F32, weft_dims(POINTS, 1));
    weft_tensor y = network(s, x), loss = weft_mse(y, t);
    weft_plan *train =
        weft_compile(g, &(weft_plan_desc){
                            .fetch = weft_list(loss, y),
                            .update = weft_adam(s, loss, &(weft_adam_desc){.lr = 5e-3f}),
                        });
    if (!train) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    weft_set(train, x, xs, sizeof xs); /* feeds stay until they are set again */
    weft_set(train, t, ys, sizeof ys);
    float first = 0;
    for (int i = 0; i < STEPS; i++) {
        if (weft_run(train) != WEFT_OK) return fprintf(stderr, "%s\n", weft_error(c)), 1;
        if (i == 0) first = weft_item(train, loss);
        if (i % (STEPS / 6) == 0) printf("step %4d  loss %.5f\n", i, weft_item(train, loss));
    }
    const float last = weft_item(train, loss);
    printf("step %4d  loss %.5f\n\n", STEPS, last);

    float fit[POINTS], worst = 0;
    weft_get(train, y, fit, sizeof fit);
    char picture[HEIGHT][WIDTH + 1];
    for (int i = 0; i < HEIGHT; i++) memset(picture[i], ' ', WIDTH), picture[i][WIDTH] = 0;
    for (int i = 0; i < POINTS; i++) put(picture, xs[i], ys[i], 'o');
    for (int i = 0; i < POINTS; i++) {
        put(picture, xs[i], fit[i], '*');
        worst = fmaxf(worst, fabsf(fit[i] - curve(xs[i])));
    }
    for (int i = 0; i < HEIGHT; i++) printf("%s\n", picture[i]);
    printf("o noisy points   * what the network says; at most %.3f from the true curve\n", worst);

    weft_plan_free(train);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    return last < 0.02f && last < first / 10 && worst < 0.2f ? 0 : 1;
}
