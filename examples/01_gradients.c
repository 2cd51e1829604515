/* 01_gradients.c - gradients: they are tensors like any other, so they nest.
 *
 * New here: weft_grad, weft_vjp. Newton's method finds a root by the slope; a gradient of a
 * gradient is a second derivative. */
#include <math.h>
#include <stdio.h>
#include <weft/weft.h>

static weft_tensor slope(weft_tensor y, weft_tensor x) {
    weft_tensor d;
    weft_grad(y, &x, 1, &d); /* on failure d is poison, and whoever uses it reports why */
    return d;
}

/* x -> x - f(x) / f'(x), where f(x) = x^2 - 2. f' is not written by hand. */
static weft_tensor newton(weft_tensor x) {
    weft_tensor f = weft_offset(weft_square(x), -2);
    return weft_sub(x, weft_div(f, slope(f, x)));
}

int main(void) {
    weft_ctx *c = weft_open("auto");
    weft_graph *g = weft_graph_new(c);
    if (!g) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    bool right = true;

    /* tanh and its derivatives, each made from the one before by weft_grad. */
    enum { POINTS = 9 };
    weft_tensor x = weft_scale(
        weft_offset(weft_cast(weft_iota(g, weft_dims(POINTS), 0), WEFT_F32), -POINTS / 2), 0.5f);
    weft_tensor y[4] = {weft_tanh(x)};
    for (int i = 1; i < 4; i++) y[i] = slope(y[i - 1], x);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = {y, 4}});
    float v[4][POINTS];
    if (!p || weft_run(p) != WEFT_OK) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    for (int i = 0; i < 4; i++) right = right && weft_get(p, y[i], v[i], sizeof v[i]) == WEFT_OK;
    printf("%8s %10s %10s %10s %10s\n", "x", "tanh", "1st", "2nd", "3rd");
    for (int k = 0; k < POINTS; k++) {
        const double at = 0.5 * (k - POINTS / 2), t = tanh(at);
        printf("%8.1f %10.5f %10.5f %10.5f %10.5f\n", at, v[0][k], v[1][k], v[2][k], v[3][k]);
        right = right && fabs(v[1][k] - (1 - t * t)) < 1e-5 &&
                fabs(v[2][k] + 2 * t * (1 - t * t)) < 1e-5;
    }
    printf("All three derivatives and tanh itself are %u kernel.\n\n",
           (unsigned)weft_plan_stats(p).kernels);

    /* Newton's method, recorded as one expression: the right digits double each time. */
    weft_tensor root = weft_input(g, WEFT_F32, WEFT_0D), at[6] = {root};
    for (int i = 1; i < 6; i++) at[i] = newton(at[i - 1]);
    weft_plan *q = weft_compile(g, &(weft_plan_desc){.fetch = {at, 6}});
    const float start = 1;
    if (!q || weft_set(q, root, &start, sizeof start) != WEFT_OK || weft_run(q) != WEFT_OK)
        return fprintf(stderr, "%s\n", weft_error(c)), 1;
    printf("Newton's way to the square root of 2:\n");
    for (int i = 0; i < 6; i++) printf("  %.7f\n", weft_item(q, at[i]));
    right = right && fabs(weft_item(q, at[5]) - sqrt(2)) < 1e-6;

    /* weft_vjp starts from any weights of the outputs: here one row of a Jacobian. */
    weft_tensor in = weft_const(g, WEFT_F32, weft_dims(3), (float[]){2, 3, 5}), row;
    weft_tensor second = weft_const(g, WEFT_F32, weft_dims(3), (float[]){0, 1, 0});
    weft_vjp(weft_mul(in, weft_flip(in, 0)), second, &in, 1, &row);
    printf("\nx times x backwards at (2, 3, 5); how its middle depends on x:\n");
    weft_print(row);
    right = right && weft_item_of(weft_slice(row, 0, 1, 2, 1)) == 6;

    weft_plan_free(p);
    weft_plan_free(q);
    weft_graph_free(g);
    weft_close(c);
    return right ? 0 : 1;
}
