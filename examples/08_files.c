/* 08_files.c - files: a model others can open, and a run that goes on where it stopped.
 *
 * New here: weft_archive, what a file of arrays holds; weft_state_save and weft_state_load, which
 * go between a state and an archive; checkpoints, which keep all that training needs. A run of 200
 * steps is compared with one that stops at 100, is thrown away, and goes on from its file. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/io.h>

enum { ROWS = 32, STEPS = 200 };

/* A run: what lasts, and a plan that trains it. */
typedef struct run {
    weft_state *s;
    weft_plan *train;
    weft_tensor x, t, loss;
} run;

static run begin(weft_ctx *c, uint32_t seed) {
    run r = {.s = weft_state_new(c)};
    weft_graph *g = weft_graph_new(c);
    weft_state_seed(r.s, seed);
    r.x = weft_input(g, WEFT_F32, weft_dims(ROWS, 2));
    r.t = weft_input(g, WEFT_F32, weft_dims(ROWS, 1));
    weft_tensor h = weft_dropout(weft_tanh(weft_linear(r.s, r.x, 16, "fc1")), 0.1f);
    r.loss = weft_mse(weft_linear(r.s, h, 1, "fc2"), r.t);
    r.train = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(r.loss), .update = weft_adam(r.s, r.loss, NULL)});
    weft_graph_free(g);
    if (!r.train) fprintf(stderr, "%s\n", weft_error(c)), exit(1);
    return r;
}

static void end(run *r) {
    weft_plan_free(r->train);
    weft_state_free(r->s);
}

/* The batch of a step follows from its number, so a resumed run needs nothing but that. */
static void steps(run *r, int64_t from, int64_t to) {
    for (int64_t step = from; step < to; step++) {
        float x[ROWS][2], t[ROWS];
        for (int i = 0; i < ROWS; i++) {
            uint32_t mix = (uint32_t)(step * ROWS + i) * 2654435761u;
            x[i][0] = (float)(mix >> 20) / 2048 - 1;
            x[i][1] = (float)(mix >> 8 & 4095) / 2048 - 1;
            t[i] = x[i][0] * x[i][1];
        }
        weft_set(r->train, r->x, x, sizeof x);
        weft_set(r->train, r->t, t, sizeof t);
        if (weft_run(r->train) != WEFT_OK) exit(1);
    }
}

int main(void) {
    char folder[] = "/tmp/weft-files-XXXXXX", model[64], checkpoint[64], previous[64];
    if (!mkdtemp(folder)) return perror(folder), 1;
    snprintf(model, sizeof model, "%s/model.safetensors", folder);
    snprintf(checkpoint, sizeof checkpoint, "%s/last.safetensors", folder);
    snprintf(previous, sizeof previous, "%s/last.previous.safetensors", folder);
    weft_ctx *c = weft_open("auto");

    /* one run without a stop */
    run whole = begin(c, 1);
    steps(&whole, 0, STEPS);

    /* one that stops: a checkpoint now and then, the last one at step 100 */
    run first = begin(c, 1);
    for (int64_t step = 0; step < STEPS / 2; step += 50) {
        steps(&first, step, step + 50);
        weft_checkpoint k = {.step = step + 50};
        if (weft_checkpoint_save(first.s, checkpoint, &k) != WEFT_OK)
            return fprintf(stderr, "%s\n", weft_error(c)), 1;
    }
    end(&first);

    /* and continues: other initial values, which the checkpoint replaces, as it does the optimiser's
     * and the place in the random numbers */
    run second = begin(c, 2);
    weft_checkpoint k = {0};
    if (weft_checkpoint_load(second.s, checkpoint, &k) != WEFT_OK)
        return fprintf(stderr, "%s\n", weft_error(c)), 1;
    if (k.from_previous) printf("an older one was taken: %s\n", k.reason);
    printf("resumed at step %lld\n", (long long)k.step);
    steps(&second, k.step, STEPS);
    bool same = weft_state_hash(second.s) == weft_state_hash(whole.s);
    printf("after %d steps: %s\n\n", STEPS, same ? "the same bits" : "DIFFERENT");

    /* the model alone, as PyTorch would name and lay it out */
    weft_archive *a = weft_archive_new(c);
    weft_archive_text(a, "format", "pt");
    weft_archive_text(a, "about", "multiplies two numbers");
    if (weft_state_save(second.s, a, NULL) != WEFT_OK ||
        weft_archive_write(a, model, NULL) != WEFT_OK)
        return fprintf(stderr, "%s\n", weft_error(c)), 1;
    weft_archive_free(a);

    /* anyone's look into the file */
    a = weft_archive_open(c, model);
    if (!a) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    char hash[65];
    weft_archive_hash(a, hash);
    printf("%s: %s, \"%s\"\n", weft_archive_format(a), hash, weft_archive_text_of(a, "about"));
    for (size_t i = 0; i < weft_archive_count(a); i++) {
        weft_array x;
        if (weft_archive_at(a, i, &x) != WEFT_OK) return 1;
        float v;
        memcpy(&v, x.data, sizeof v); /* values may lie at any address */
        printf("    %-12s %s, %d axes, %4zu bytes, begins with %9.6f\n", x.name,
               weft_file_type_name(x.type), (int)x.dims.rank, x.bytes, v);
    }

    /* into another state: all of it, or nothing and a message */
    run third = begin(c, 3);
    bool loaded = weft_state_load(third.s, a, NULL) == WEFT_OK;
    printf("loaded into a fresh state: %s\n", loaded ? "yes" : weft_error(c));
    weft_archive_free(a);

    end(&third);
    end(&second);
    end(&whole);
    weft_close(c);
    remove(model), remove(checkpoint), remove(previous), rmdir(folder);
    return same && loaded ? 0 : 1;
}
