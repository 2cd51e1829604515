/* 03_classifier.c - two plans over one state: one trains, one only predicts.
 *
 * New here: weft_cross_entropy with integer labels; an evaluation graph that asks for the same
 * parameters by name and so sees what training has made of them; weft_feed; a rate that is changed
 * while training goes on. Three spiral arms are told apart, and the map is drawn. */
#include <math.h>
#include <stdio.h>
#include <weft/weft.h>

enum { ARMS = 3, EACH = 100, POINTS = ARMS * EACH, STEPS = 600, ROWS = 26, COLUMNS = 64 };

static weft_tensor network(weft_state *s, weft_tensor x) {
    weft_tensor h = weft_relu(weft_linear(s, x, 64, "fc1"));
    h = weft_relu(weft_linear(s, h, 64, "fc2"));
    return weft_linear(s, h, ARMS, "out");
}

static void spirals(float (*x)[2], int32_t *label) {
    uint32_t random = 7;
    for (int i = 0; i < POINTS; i++) {
        random = random * 1664525u + 1013904223u;
        const float noise = (float)(random >> 8) * 0x1p-23f - 1;
        const float along = (float)(i % EACH) / EACH;
        const float angle = 5.5f * along + 2.0944f * (float)(i / EACH) + 0.15f * noise;
        x[i][0] = (0.08f + along) * cosf(angle);
        x[i][1] = (0.08f + along) * sinf(angle);
        label[i] = i / EACH;
    }
}

int main(void) {
    static float points[POINTS][2];
    static int32_t labels[POINTS], answers[ROWS * COLUMNS];
    spirals(points, labels);

    weft_ctx *c = weft_open("auto");
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c), *e = weft_graph_new(c);
    if (!s || !g || !e) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(POINTS, 2));
    weft_tensor t = weft_input(g, WEFT_I32, weft_dims(POINTS));
    weft_tensor y = network(s, x), loss = weft_cross_entropy(y, t);
    weft_tensor right =
        weft_mean(weft_cast(weft_eq(weft_argmax(y, 1, false), t), WEFT_F32), WEFT_ALL, false);
    weft_plan *train =
        weft_compile(g, &(weft_plan_desc){
                            .fetch = weft_list(loss, right),
                            .update = weft_adam(s, loss, &(weft_adam_desc){.decay = 0.01f}),
                        });

    weft_tensor seen = weft_input(e, WEFT_F32, weft_dims(ROWS * COLUMNS, 2));
    weft_tensor answer = weft_argmax(network(s, seen), 1, false);
    weft_plan *predict = weft_compile(e, &(weft_plan_desc){.fetch = weft_list(answer)});
    if (!train || !predict) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    weft_graph_free(g); /* plans stand by themselves */
    weft_graph_free(e);

    weft_set(train, x, points, sizeof points);
    weft_set(train, t, labels, sizeof labels);
    for (int i = 0; i < STEPS; i++) {
        const float rate = 5e-3f * (1 - (float)i / STEPS); /* numbers that change are data */
        weft_state_set(s, "optim.lr", &rate, sizeof rate);
        if (weft_run(train) != WEFT_OK) return fprintf(stderr, "%s\n", weft_error(c)), 1;
        if (i % 100 == 0)
            printf("step %4d  loss %.4f  right %5.1f %%\n", i, weft_item(train, loss),
                   100 * weft_item(train, right));
    }
    const float accuracy = weft_item(train, right);
    printf("step %4d  loss %.4f  right %5.1f %%\n\n", STEPS, weft_item(train, loss),
           100 * accuracy);

    float(*at)[2] = weft_feed(predict, seen); /* written where it lies, no copy */
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        at[i][0] = -1.15f + 2.3f * (float)(i % COLUMNS) / (COLUMNS - 1);
        at[i][1] = 1.15f - 2.3f * (float)(i / COLUMNS) / (ROWS - 1);
    }
    weft_run(predict);
    weft_get(predict, answer, answers, sizeof answers);
    char map[ROWS][COLUMNS + 1];
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) map[i][j] = " .:"[answers[i * COLUMNS + j]];
        map[i][COLUMNS] = 0;
    }
    for (int i = 0; i < POINTS; i++) {
        const int row = (int)((1.15f - points[i][1]) / 2.3f * (ROWS - 1) + 0.5f),
                  column = (int)((points[i][0] + 1.15f) / 2.3f * (COLUMNS - 1) + 0.5f);
        map[row][column] = "o+#"[labels[i]];
    }
    for (int i = 0; i < ROWS; i++) printf("%s\n", map[i]);
    printf("Arms o + #, on the ground that the network gives to each.\n");

    weft_plan_free(train);
    weft_plan_free(predict);
    weft_state_free(s);
    weft_close(c);
    return accuracy > 0.97f ? 0 : 1;
}
