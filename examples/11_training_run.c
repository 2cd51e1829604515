/* 11_training_run.c - the training loop: batches from a set, a schedule, evaluation, and a folder with
 * metrics, checkpoints and a report. Run it twice with a folder as its argument: the second time it
 * goes on where the first one ended. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/nn.h>
#include <weft/optim.h>
#include <weft/train.h>

enum { POINTS = 3000, TEST = 500, BATCH = 50, TURNS = 3, STEPS = 1500 };

/* Three arms of a spiral: which one does a point lie on? */
static void spiral(float *x, int32_t *arm, int count, unsigned random) {
    for (int i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        const float along = (float)(random >> 8) * 0x1p-24f;
        random = random * 1664525u + 1013904223u;
        const float off = ((float)(random >> 8) * 0x1p-24f - 0.5f) * 0.3f;
        arm[i] = i % TURNS;
        const float angle = 4 * along + off + 2.0944f * (float)arm[i];
        x[2 * i] = along * cosf(angle), x[2 * i + 1] = along * sinf(angle);
    }
}

static weft_tensor network(weft_state *s, weft_tensor x) {
    return weft_nn_sequential(
        s, x, "net",
        weft_nn_layers(weft_nn_layer_linear(48, NULL), weft_nn_layer_activation(WEFT_TANH),
                       weft_nn_layer_linear(48, NULL), weft_nn_layer_activation(WEFT_TANH),
                       weft_nn_layer_linear(TURNS, NULL)));
}

typedef struct evaluation {
    weft_plan *plan;
    weft_tensor x, y, accuracy;
    float points[2 * TEST];
    int32_t arms[TEST];
} evaluation;

static weft_err evaluate(void *user, int64_t step, weft_metrics *m) {
    evaluation *j = user;
    (void)step;
    weft_err e = weft_set(j->plan, j->x, j->points, sizeof j->points);
    if (!e) e = weft_set(j->plan, j->y, j->arms, sizeof j->arms);
    if (!e) e = weft_run(j->plan);
    if (!e) weft_metric(m, "test/accuracy", weft_item(j->plan, j->accuracy));
    return e;
}

int main(int argc, char **argv) {
    static float points[2 * POINTS];
    static int32_t arms[POINTS];
    static evaluation j;
    spiral(points, arms, POINTS, 1);
    spiral(j.points, j.arms, TEST, 2);

    weft_ctx *c = weft_open("auto");
    weft_state *s = weft_state_new(c);
    const weft_field fields[2] = {
        {.name = "x", .dtype = WEFT_F32, .dims = weft_dims(2), .rows = points},
        {.name = "y", .dtype = WEFT_I32, .dims = WEFT_0D, .rows = arms, .classes = TURNS}};
    weft_data *data = weft_data_memory(c, fields, 2, POINTS, false);
    weft_loader *batches =
        weft_loader_new(c, &(weft_loader_desc){.data = data, .batch = BATCH, .seed = 1});
    if (!s || !batches) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    /* Training: the loss, and how the parameters move. */
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(BATCH, 2));
    weft_tensor y = weft_input(g, WEFT_I32, weft_dims(BATCH));
    weft_tensor loss = weft_nn_cross_entropy(network(s, x), y, NULL);
    const weft_optimiser_desc how = {
        .kind = WEFT_OPTIMISER_ADAMW,
        .lr = 1e-2f,
        .schedule = {.kind = WEFT_SCHEDULE_COSINE, .warmup = 50, .total = STEPS}};
    weft_updates update = weft_optimiser(s, loss, &how);

    /* Judging: the same parameters in a graph of its own. */
    weft_graph *eval = weft_graph_new(c);
    weft_graph_eval(eval);
    j.x = weft_input(eval, WEFT_F32, weft_dims(TEST, 2));
    j.y = weft_input(eval, WEFT_I32, weft_dims(TEST));
    j.accuracy = weft_accuracy(network(s, j.x), j.y);
    j.plan = weft_compile(eval, &(weft_plan_desc){.fetch = weft_list(j.accuracy)});

    const char *run = argc > 1 ? argv[1] : NULL;
    char path[1000];
    FILE *before = run ? fopen(weft_run_checkpoint(run, path, sizeof path), "rb") : NULL;
    if (before) fclose(before);
    weft_train_result r = {0};
    const weft_err e = weft_train(s,
                                  &(weft_train_desc){.graph = g,
                                                     .loss = loss,
                                                     .rate = weft_learning_rate(g, s, &how),
                                                     .update = update,
                                                     .inputs = weft_list(x, y),
                                                     .loader = batches,
                                                     .evaluate = evaluate,
                                                     .evaluate_every = 300,
                                                     .user = &j,
                                                     .steps = before ? 2 * STEPS : STEPS,
                                                     .run = run,
                                                     .resume = before != NULL,
                                                     .progress = stderr},
                                  &r);
    if (e) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    const double accuracy = weft_metric_of(&r.last, "test/accuracy");
    printf("%.1f %% of the arms are told right after %lld steps (%s).\n", 100 * accuracy,
           (long long)r.steps, r.text);
    if (run && !weft_report_write(c, run, &(weft_report){.title = "Spiral"}))
        printf("%s/report.html shows how it went.\n", run);

    weft_plan_free(j.plan);
    weft_graph_free(eval);
    weft_graph_free(g);
    weft_loader_free(batches);
    weft_data_free(data);
    weft_state_free(s);
    weft_close(c);
    return accuracy > 0.95 ? 0 : 1;
}
