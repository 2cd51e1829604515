#!/bin/sh
# test_add_a_backend.sh - docs/add-a-backend.md: its device is put into a copy of the sources, compiled without a warning
# and run beside the others; its struct is the one of backend.h.
. tests/shell.sh
. tests/apply.sh

# struct FILE: the declaration without comments, and however it is laid out
struct() {
    sed -n '/^typedef struct weft_backend {/,/^} weft_backend;/p' "$1" | tr -s ' \t\n' ' ' |
        sed 's#/\*\([^*]\|\*[^/]\)*\*/##g' | tr -s ' '
}
check "the struct is that of backend.h" [ "$(struct docs/add-a-backend.md)" = "$(struct src/backend/backend.h)" ]
check "the device applies" apply docs/add-a-backend.md "A minimal one"
check "two files" [ "$(wc -l <"$scratch/touched")" -eq 2 ]

cat >"$tree/use.c" <<'END'
/* The same graph on three devices: values, a state that is updated; and what the toy refuses. */
#include "weft/weft.h"
#include <stdio.h>
#include <string.h>

static int run(const char *device, float y[3][4], float p[4]) {
    float x[3][4];
    for (int i = 0; i < 12; i++) x[i / 4][i % 4] = (float)(i - 5);
    weft_ctx *c = weft_open(device);
    if (!c) return fprintf(stderr, "%s\n", weft_error(NULL)), 1;
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_tensor in = weft_input(g, WEFT_F32, weft_dims(3, 4));
    weft_tensor w = weft_param(g, s, "w", weft_dims(4), (weft_init){WEFT_INIT_VALUE, 2, 0});
    weft_tensor out = weft_mul(weft_add(weft_transpose(weft_transpose(in, 0, 1), 0, 1), w), in);
    weft_update u = {w, weft_add(weft_mul(w, w), weft_scalar(g, 1))};
    weft_plan *plan = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(out), .update = {&u, 1}});
    if (!plan || weft_set(plan, in, x, sizeof x) || weft_run(plan) || weft_run(plan) ||
        weft_get(plan, out, y, 12 * sizeof(float)) || weft_state_get(s, "w", p, 4 * sizeof(float)))
        return fprintf(stderr, "%s: %s\n", device, weft_error(c)), 1;
    weft_plan_free(plan), weft_graph_free(g), weft_state_free(s), weft_close(c);
    return 0;
}

/* A sum is not a map, and an exponential is unsupported. */
static int refuses(bool fold, const char *because) {
    weft_ctx *c = weft_open("toy");
    weft_graph *g = weft_graph_new(c);
    weft_tensor in = weft_input(g, WEFT_F32, weft_dims(3, 4));
    weft_tensor out = fold ? weft_sum(in, weft_axes(1), false) : weft_exp(in);
    weft_plan *plan = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(out)});
    float x[12] = {0};
    const bool ran = plan && !weft_set(plan, in, x, sizeof x) && !weft_run(plan);
    const int wrong = ran || !strstr(weft_error(c), because);
    if (wrong) fprintf(stderr, "refused: %s\n", weft_error(c));
    weft_plan_free(plan), weft_graph_free(g), weft_close(c);
    return wrong;
}

int main(void) {
    float y[3][3][4], p[3][4];
    const char *devices[] = {"toy", "cpu", "ref"};
    for (int i = 0; i < 3; i++)
        if (run(devices[i], y[i], p[i])) return 1;
    if (p[0][0] != 26 || y[0][0][0] != 0 || y[0][0][1] != -4) return fprintf(stderr, "%g %g %g\n", (double)p[0][0], (double)y[0][0][0], (double)y[0][0][1]), 1;
    if (memcmp(y[0], y[1], sizeof y[0]) || memcmp(y[0], y[2], sizeof y[0])) return fprintf(stderr, "other values\n"), 1;
    if (memcmp(p[0], p[1], sizeof p[0]) || memcmp(p[0], p[2], sizeof p[0])) return fprintf(stderr, "other state\n"), 1;
    return refuses(true, "is not a map") || refuses(false, "unsupported instruction");
}
END

check "the copy compiles" rebuild src/backend/backend.c src/backend/toy.c
check "a program" link "$scratch/use" use.c
check "it has the other devices' values, and refuses what it should" "$scratch/use"
finish
