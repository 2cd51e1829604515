/* 10_csv.c - learns a column of a table from the others.
 *
 * New here: a set of examples from a CSV file, split at random into rows to learn from and rows to
 * test with; loaders, which shuffle, standardise and batch them; the names of columns and classes.
 *
 *     10_csv [FILE]        data/flowers.csv unless named; the last column is learned */
#include <stdio.h>
#include <string.h>
#include <weft/data.h>

enum { BATCH = 16, EPOCHS = 250 };

static weft_tensor network(weft_state *s, weft_tensor x, int64_t classes) {
    const weft_tensor h = weft_relu(weft_linear(s, x, 32, "fc1"));
    return weft_linear(s, weft_relu(weft_linear(s, h, 32, "fc2")), classes, "out");
}

static int failed(const weft_ctx *c) {
    fprintf(stderr, "%s\n", weft_error(c));
    return 1;
}

int main(int count, char **words) {
    const char *const path = count > 1 ? words[1] : "data/flowers.csv";
    weft_ctx *c = weft_open("auto");
    weft_data *all = weft_data_csv(c, path, NULL), *part[2];
    if (!all) return failed(c);
    const weft_field columns = weft_data_field(all, 0), label = weft_data_field(all, 1);
    if (!label.classes) return fprintf(stderr, "%s: the last column is a number\n", path), 1;
    const int64_t inputs = columns.dims.n[0], classes = label.classes;

    printf("%s: %lld rows, %lld inputs:", path, (long long)weft_data_rows(all), (long long)inputs);
    for (int64_t i = 0; i < inputs && i < 12; i++) printf(" %s", columns.columns[i]);
    printf("\n%lld classes:", (long long)classes);
    for (int64_t i = 0; i < classes && i < 12; i++) printf(" %s", label.class_names[i]);

    const weft_split_desc split = {.share = {.75f, .25f}, .seed = 1};
    if (weft_data_split(all, &split, part) != WEFT_OK) return failed(c);
    const int64_t rows = weft_data_rows(part[0]), tested = weft_data_rows(part[1]);
    printf("\n%lld rows to learn from, %lld to test with\n\n", (long long)rows, (long long)tested);

    /* Both are standardised by what the network may know: the rows it learns from. */
    weft_loader *learn = weft_loader_new(
        c, &(weft_loader_desc){.data = part[0], .batch = BATCH, .standardise = part[0]});
    weft_loader *check = weft_loader_new(
        c, &(weft_loader_desc){
               .data = part[1], .batch = tested, .in_order = true, .standardise = part[0]});
    if (!learn || !check) return failed(c);

    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c), *e = weft_graph_new(c);
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(BATCH, inputs));
    const weft_tensor y = weft_input(g, WEFT_I32, weft_dims(BATCH));
    const weft_tensor loss = weft_cross_entropy(network(s, x, classes), y);
    weft_plan *train = weft_compile(
        g, &(weft_plan_desc){
               .fetch = weft_list(loss),
               .update = weft_adam(s, loss, &(weft_adam_desc){.lr = 3e-3f, .decay = 0.05f})});
    const weft_tensor seen = weft_input(e, WEFT_F32, weft_dims(tested, inputs));
    const weft_tensor truth = weft_input(e, WEFT_I32, weft_dims(tested));
    const weft_tensor answer = weft_argmax(network(s, seen, classes), 1, false);
    const weft_tensor right =
        weft_mean(weft_cast(weft_eq(answer, truth), WEFT_F32), WEFT_ALL, false);
    weft_plan *test = weft_compile(e, &(weft_plan_desc){.fetch = weft_list(right)});
    if (!train || !test) return failed(c);

    /* A step's batch is a function of its number: nothing else has to be kept to go on later. */
    const int64_t steps = EPOCHS * weft_loader_steps(learn);
    float accuracy = 0;
    for (int64_t step = 0; step < steps; step++) {
        const float rate = 3e-3f * (1 - (float)step / (float)steps);
        weft_state_set(s, "optim.lr", &rate, sizeof rate);
        if (weft_loader_feed(learn, step, train, (weft_tensor[]){x, y}, 2) != WEFT_OK ||
            weft_run(train) != WEFT_OK)
            return failed(c);
        if ((step + 1) % (steps / 5) != 0) continue;
        if (weft_loader_feed(check, 0, test, (weft_tensor[]){seen, truth}, 2) != WEFT_OK ||
            weft_run(test) != WEFT_OK)
            return failed(c);
        accuracy = weft_item(test, right);
        printf("step %5lld  loss %.4f  %5.1f %% of the other rows are right\n",
               (long long)(step + 1), weft_item(train, loss), 100 * accuracy);
    }

    weft_plan_free(train), weft_plan_free(test);
    weft_graph_free(g), weft_graph_free(e);
    weft_state_free(s);
    weft_loader_free(learn), weft_loader_free(check);
    weft_data_free(part[0]), weft_data_free(part[1]), weft_data_free(all);
    weft_close(c);
    return count == 1 && accuracy < 0.85f; /* of the flowers that come with Weft */
}
