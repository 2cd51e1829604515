/* net.c - records the network of net.h, and asks it. */
#include "net.h"

#include <weft/nn.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

weft_tensor cube_net_record(weft_state *s, weft_tensor x, const cube_net *n) {
    const float bound = 1 / sqrtf(CUBE_SLOTS);
    const weft_init init = {WEFT_INIT_UNIFORM, -bound, bound};
    const weft_tensor rows =
        weft_param(x.g, s, "corners.weight", weft_dims(CUBE_WORDS, n->wide), init);
    const weft_tensor bias = weft_param(x.g, s, "corners.bias", weft_dims(n->wide), init);
    x = weft_relu(weft_add(weft_sum(weft_embedding(rows, x), weft_axes(1), false), bias));
    x = weft_relu(weft_nn_linear(s, x, n->narrow, "hidden", NULL));
    return weft_nn_linear(s, x, WEFT_CUBE_ACTIONS, "turns", NULL);
}

int cube_net_look(uint32_t cube, int32_t slots[CUBE_SLOTS]) {
    int k;
    weft_cube_index(weft_cube_canonical(cube, &k), slots);
    return k;
}

/* ---- config.json and checkpoints ---- */

void cube_net_write(const void *net, json *j) {
    const cube_net *const n = net;
    json_open(j, "model", '{');
    json_text(j, "kind", "cube");
    json_integer(j, "wide", n->wide);
    json_integer(j, "narrow", n->narrow);
    json_close(j);
}

weft_err cube_net_read(void *net, weft_ctx *c, weft_json config, const char *path) {
    enum { MOST = 1 << 16 };
    cube_net *const n = net;
    const weft_json m = weft_json_get(config, "model");
    const double wide = weft_json_number(weft_json_get(m, "wide"), 0);
    const double narrow = weft_json_number(weft_json_get(m, "narrow"), 0);
    if (!(wide >= 1 && wide <= MOST && narrow >= 1 && narrow <= MOST))
        return weft_fail(c, WEFT_FORMAT, "%s: expected model.wide and model.narrow from 1 to %d",
                         path, MOST);
    n->wide = (int64_t)wide, n->narrow = (int64_t)narrow;
    return WEFT_OK;
}

/* ---- asking ---- */

weft_err cube_view_make(cube_view *v, weft_state *s, const cube_net *n, int rows, int threads) {
    weft_ctx *const c = weft_state_ctx(s);
    *v = (cube_view){.rows = rows};
    weft_graph *g = weft_graph_new(c);
    if (!g) return weft_error_code(c);
    weft_graph_eval(g);
    const weft_tensor x = weft_input(g, WEFT_I32, weft_dims(rows, CUBE_SLOTS));
    v->logits = cube_net_record(s, x, n);
    v->plan = weft_compile(
        g,
        &(weft_plan_desc){.fetch = weft_list(v->logits), .threads = threads, .name = "evaluate"});
    v->x = v->plan ? weft_feed(v->plan, x) : NULL;
    weft_graph_free(g);
    if (!v->x) return weft_error_code(c);
    memset(v->x, 0, (size_t)rows * CUBE_SLOTS * sizeof *v->x); /* rows that are never asked for */
    v->y = malloc((size_t)rows * WEFT_CUBE_ACTIONS * sizeof *v->y);
    v->symmetry = malloc((size_t)rows * sizeof *v->symmetry);
    return v->y && v->symmetry ? WEFT_OK : weft_fail(c, WEFT_MEMORY, "out of memory");
}

void cube_view_free(cube_view *v) {
    weft_plan_free(v->plan);
    free(v->y);
    free(v->symmetry);
    *v = (cube_view){0};
}

/* Log probabilities, each action's from that of the action it became. */
static void cube_view_row(const float *logits, int symmetry, float *scores) {
    float most = logits[0], sum = 0;
    for (int a = 1; a < WEFT_CUBE_ACTIONS; a++) most = logits[a] > most ? logits[a] : most;
    for (int a = 0; a < WEFT_CUBE_ACTIONS; a++) sum += expf(logits[a] - most);
    const float all = most + logf(sum);
    for (int a = 0; a < WEFT_CUBE_ACTIONS; a++)
        scores[a] = logits[weft_cube_symmetry_action(a, symmetry)] - all;
}

weft_err cube_view_scores(void *view, const void *cubes, int n, float *scores) {
    cube_view *const v = view;
    const uint32_t *const cube = cubes;
    for (int from = 0; from < n; from += v->rows) {
        const int rows = n - from < v->rows ? n - from : v->rows;
        for (int i = 0; i < rows; i++)
            v->symmetry[i] = cube_net_look(cube[from + i], v->x + i * CUBE_SLOTS);
        weft_err e = weft_run(v->plan);
        if (!e)
            e = weft_get(v->plan, v->logits, v->y,
                         (size_t)v->rows * WEFT_CUBE_ACTIONS * sizeof *v->y);
        if (e) return e;
        for (int i = 0; i < rows; i++)
            cube_view_row(v->y + i * WEFT_CUBE_ACTIONS, v->symmetry[i],
                          scores + (size_t)(from + i) * WEFT_CUBE_ACTIONS);
    }
    return WEFT_OK;
}
