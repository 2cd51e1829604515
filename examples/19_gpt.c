/* 19_gpt.c - a GPT learns a text, character by character, and writes on.
 *
 * New here: a vocabulary, windows of a text as a data set, a language model by its sizes, an
 * optimiser with the usual groups, a generator. Any text: 19_gpt FILE; the guide of Weft if none. */
#include <stdio.h>
#include <weft/io.h>
#include <weft/lm.h>
#include <weft/train.h>

enum { LENGTH = 64, BATCH = 16, STEPS = 200 };

static void print(void *user, int sequence, const char *text, size_t n) {
    (void)user, (void)sequence;
    fwrite(text, 1, n, stdout);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "docs/guide.md";
    weft_ctx *c = weft_open("auto");
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_file f;
    if (weft_file_open(c, path, &f)) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    /* the text as numbers, and windows of it: x, and y one character on */
    weft_vocab *v = weft_vocab_chars(c, (weft_bytes){path, f.bytes, f.n});
    int32_t *ids = weft_resize(c, NULL, f.n * sizeof *ids);
    size_t n = 0;
    if (!v || !ids || weft_vocab_encode(v, f.bytes, f.n, NULL, ids, f.n, &n))
        return fprintf(stderr, "%s\n", weft_error(c)), 1;
    const weft_tokens_desc windows = {
        .length = LENGTH, .stride = 1, .classes = weft_vocab_size(v), .bits = 32};
    weft_data *data = weft_data_parse_tokens(c, (weft_bytes){path, ids, n * sizeof *ids}, &windows);
    weft_loader *batches =
        weft_loader_new(c, &(weft_loader_desc){.data = data, .batch = BATCH, .seed = 1});

    /* the model: 4 blocks of width 128, with as many tokens as the text has characters */
    weft_lm_config m;
    weft_lm_config_named("nano", &m);
    m.vocab = weft_vocab_size(v);
    weft_tensor x = weft_input(g, WEFT_I32, weft_dims(BATCH, LENGTH));
    weft_tensor y = weft_input(g, WEFT_I32, weft_dims(BATCH, LENGTH));
    weft_tensor loss = weft_lm_loss(s, x, y, &m, NULL);
    weft_optimiser_desc how = {
        .kind = WEFT_OPTIMISER_ADAMW, .lr = 3e-3f, .decay = 0.1f, .clip_norm = 1};
    how.groups = weft_lm_groups(&m, &how.group_count);
    how.schedule = (weft_schedule){.kind = WEFT_SCHEDULE_COSINE, .warmup = 20, .total = STEPS};
    weft_train_result r;
    const weft_train_desc d = {.graph = g,
                               .loss = loss,
                               .inputs = weft_list(x, y),
                               .update = weft_optimiser(s, loss, &how),
                               .loader = batches,
                               .steps = STEPS,
                               .progress = stderr};
    if (weft_train(s, &d, &r)) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    weft_generator *w =
        weft_generator_new(s, &m, &(weft_generator_desc){.sample = {.temperature = 0.8f}});
    const weft_err e = weft_generator_write(
        w, v, "The ", &(weft_lm_write_desc){.tokens = 300, .show = print}, NULL);
    if (e) fprintf(stderr, "%s\n", weft_error(c));
    putchar('\n');

    weft_generator_free(w), weft_loader_free(batches), weft_data_free(data), weft_vocab_free(v);
    weft_file_close(&f), weft_resize(c, ids, 0);
    weft_graph_free(g), weft_state_free(s), weft_close(c);
    return e || weft_metric_of(&r.last, "train/loss") > 3;
}
