/* 05_custom_gradient.c - bending gradients: how to learn through a step that has no slope.
 *
 * New here: weft_straight_through, weft_custom_grad. A network whose hidden units are either 0 or 1
 * is to draw a heart. The step's own gradient is 0 everywhere, so its first layer never learns;
 * with another gradient in its place, it does. */
#include <math.h>
#include <stdio.h>
#include <weft/weft.h>

enum { ROWS = 18, COLUMNS = 26, PIXELS = ROWS * COLUMNS, UNITS = 32, STEPS = 700 };
typedef enum kind { PLAIN, STRAIGHT, CUSTOM, KINDS } kind;

static weft_tensor hard_step(weft_tensor x) { /* 1 above 0, else 0: no slope anywhere */
    return weft_cast(weft_gt(x, weft_scalar(x.g, 0)), WEFT_F32);
}

/* A rule: the gradient of y, in, gives the gradient of each input, out. Here a bump around 0. */
static void bump(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in, size_t n,
                 weft_tensor *out) {
    const float width = *(const float *)user;
    (void)y, (void)n;
    weft_tensor t = weft_tanh(weft_scale(in[0], 1 / width));
    out[0] = weft_mul(dy, weft_offset(weft_neg(weft_square(t)), 1));
}

static weft_tensor activation(weft_tensor x, kind k) {
    static float width = 0.5f; /* must last as long as the graph may be differentiated */
    switch (k) {
    case STRAIGHT: return weft_straight_through(hard_step(x), weft_sigmoid(weft_scale(x, 4)));
    case CUSTOM: return weft_custom_grad(hard_step(x), weft_list(x), bump, &width);
    default: return hard_step(x);
    }
}

static float heart(float x, float y) { /* x^2 + (y - |x|^(2/3))^2 < 1, filled */
    const float lift = y - 0.75f * powf(fabsf(x), 2.0f / 3.0f);
    return x * x + lift * lift < 1 ? 1 : 0;
}

/* Trains a network with this activation; the picture it ends with, and the share that is right. */
static float draw(weft_ctx *c, kind k, const float *at, const float *want, float *picture) {
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    if (!s || !g) return -1;
    weft_tensor x = weft_const(g, WEFT_F32, weft_dims(PIXELS, 2), at);
    weft_tensor t = weft_const(g, WEFT_F32, weft_dims(PIXELS, 1), want);
    weft_tensor h = activation(weft_linear(s, x, UNITS, "hidden"), k);
    weft_tensor y = weft_sigmoid(weft_linear(s, h, 1, "out"));
    weft_tensor loss = weft_mse(y, t);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){
                                       .fetch = weft_list(y),
                                       .update = weft_adam(s, loss, &(weft_adam_desc){.lr = 0.02f}),
                                   });
    for (int i = 0; p && i < STEPS; i++)
        if (weft_run(p) != WEFT_OK) break;
    int right = 0;
    if (p && weft_get(p, y, picture, PIXELS * sizeof *picture) == WEFT_OK)
        for (int i = 0; i < PIXELS; i++) right += (picture[i] > 0.5f) == (want[i] > 0.5f);
    else fprintf(stderr, "%s\n", weft_error(c));
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    return (float)right / PIXELS;
}

int main(void) {
    static float at[PIXELS][2], want[PIXELS], picture[KINDS][PIXELS];
    static const char *const name[KINDS] = {"its own gradient", "straight through",
                                            "a rule: a bump"};
    for (int i = 0; i < PIXELS; i++) {
        at[i][0] = -1.4f + 2.8f * (float)(i % COLUMNS) / (COLUMNS - 1);
        at[i][1] = 1.8f - 3.0f * (float)(i / COLUMNS) / (ROWS - 1);
        want[i] = heart(at[i][0], at[i][1]);
    }
    weft_ctx *c = weft_open("auto");
    if (!c) return fprintf(stderr, "%s\n", weft_error(NULL)), 1;
    float right[KINDS];
    for (int k = 0; k < KINDS; k++) right[k] = draw(c, (kind)k, at[0], want, picture[k]);

    for (int k = 0; k < KINDS; k++) printf("%-*s", COLUMNS, name[k]);
    printf("\n");
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < KINDS; k++)
            for (int j = 0; j < COLUMNS; j++)
                putchar(" .:+*#"[(int)(picture[k][i * COLUMNS + j] * 5.99f)]);
        putchar('\n');
    }
    for (int k = 0; k < KINDS; k++) printf("%5.1f %% right%*s", 100 * right[k], COLUMNS - 13, "");
    printf("\n%d units of one bit each, %d steps.\n", UNITS, STEPS);
    weft_close(c);
    return right[STRAIGHT] > 0.95f && right[CUSTOM] > 0.95f && right[PLAIN] < right[CUSTOM] ? 0 : 1;
}
