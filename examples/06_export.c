/* 06_export.c - a trained network as one C file that needs neither Weft nor a library but libm.
 *
 * New here: .portable, weft_plan_emit_c. A network learns which of eight directions an arrow points
 * in, and is written out with its weights:
 *
 *     06_export compass.c
 *     cc -std=c99 -O2 -DWEFT_MAIN compass.c -lm -o compass
 *
 * With -DWEFT_MAIN the file is a filter of raw floats; without, it has functions to call. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <weft/weft.h>

enum { BATCH = 64, WAYS = 8, STEPS = 400 };

static weft_tensor network(weft_state *s, weft_tensor x) {
    return weft_linear(s, weft_tanh(weft_linear(s, x, 16, "fc1")), WAYS, "fc2");
}

/* Arrows of many directions and lengths, and the nearest of the eight ways. */
static void arrows(float (*x)[2], int32_t *way) {
    for (int i = 0; i < BATCH; i++) {
        const float turn = (float)i / BATCH, length = 0.5f + (float)(i * 37 % BATCH) / BATCH;
        x[i][0] = length * cosf(6.2831853f * turn);
        x[i][1] = length * sinf(6.2831853f * turn);
        way[i] = (int32_t)floorf(turn * WAYS + 0.5f) % WAYS;
    }
}

/* Trains until the arrows are told apart; gives the share that is. */
static float train(weft_ctx *c, weft_state *s) {
    static float arrow[BATCH][2];
    static int32_t way[BATCH];
    arrows(arrow, way);
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_const(g, WEFT_F32, weft_dims(BATCH, 2), arrow);
    weft_tensor t = weft_const(g, WEFT_I32, weft_dims(BATCH), way);
    weft_tensor y = network(s, x), loss = weft_cross_entropy(y, t);
    weft_tensor hit = weft_cast(weft_eq(weft_argmax(y, -1, false), t), WEFT_F32);
    weft_tensor right = weft_mean(hit, WEFT_ALL, false);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){
                                       .fetch = weft_list(right),
                                       .update = weft_adam(s, loss, &(weft_adam_desc){.lr = 0.02f}),
                                   });
    float share = -1;
    for (int i = 0; p && i < STEPS && weft_run(p) == WEFT_OK; i++) share = weft_item(p, right);
    weft_plan_free(p);
    weft_graph_free(g);
    return share;
}

int main(int argc, char **argv) {
    weft_ctx *c = weft_open("auto");
    weft_state *s = weft_state_new(c);
    if (!s) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    const float share = train(c, s);
    if (share < 0) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    printf("Trained: %.1f %% of %d arrows are told right.\n", 100 * share, BATCH);

    /* One arrow in, eight chances out: another graph over the same weights. */
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(1, 2));
    weft_tensor chance = weft_softmax(network(s, x), -1);
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){
               .fetch = weft_list(chance), .portable = true, /* only what can be said in plain C */
           });
    char *text = p ? weft_plan_emit_c(p, "compass") : NULL;
    if (!text) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    static const char *const name[WAYS] = {"east", "north-east", "north", "north-west",
                                           "west", "south-west", "south", "south-east"};
    const float arrow[2] = {-0.5f, 0.75f};
    float out[WAYS];
    weft_set(p, x, arrow, sizeof arrow);
    if (weft_run(p) != WEFT_OK || weft_get(p, chance, out, sizeof out) != WEFT_OK)
        return fprintf(stderr, "%s\n", weft_error(c)), 1;
    printf("\nAn arrow to (%g, %g):\n", arrow[0], arrow[1]);
    for (int i = 0; i < WAYS; i++) {
        char bar[41] = "";
        memset(bar, '#', (size_t)(out[i] * 40));
        printf("  %-10s %5.1f %% %s\n", name[i], 100 * out[i], bar);
    }

    printf("\nThe same network as C99, %zu bytes. It begins:\n\n", strlen(text));
    for (const char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
        printf("    %.*s\n", (int)(end - at), at);
        if (end > at && end[-1] == '/') break; /* the end of its first comment */
    }
    bool good = share > 0.95f && out[3] > 0.5f && strstr(text, "void compass_run(void)");
    if (argc > 1) {
        FILE *f = fopen(argv[1], "w");
        good = good && f && fputs(text, f) >= 0;
        if (f && fclose(f) != 0) good = false;
        printf("\n%s %s. Now: cc -std=c99 -O2 -DWEFT_MAIN %s -lm -o compass\n",
               good ? "Written to" : "Could not write", argv[1], argv[1]);
    } else printf("\nGive a file name, and it is written there.\n");

    weft_text_free(c, text);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    return good ? 0 : 1;
}
