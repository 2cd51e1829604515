/* 20_lora.c - a published model learns another style by adapters: a few thousand numbers beside
 * weights that stay as they are.
 *
 * New here: a model's folder (config.json, tokenizer.json, model.safetensors) written and loaded; two
 * states, one of weights and one of adapters; adapters in PEFT's files, and merged. With 20_lora
 * FOLDER FILE that model learns that text; without, a small one is trained first. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* mkdtemp */
#endif
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/io.h>
#include <weft/lm.h>

enum { LENGTH = 32, BATCH = 16, TOKENS = 100000 };

static weft_ctx *c;
static int32_t ids[TOKENS];

/* Windows that begin anywhere in the text. The loss of the last step. */
static float learn(weft_state *learns, weft_state *weights, const weft_lm_config *m,
                   const weft_lm_desc *how, size_t n, int steps, float rate) {
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_I32, weft_dims(BATCH, LENGTH));
    weft_tensor y = weft_input(g, WEFT_I32, weft_dims(BATCH, LENGTH));
    weft_tensor loss = weft_lm_loss(weights, x, y, m, how);
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(loss),
                             .update = weft_adam(learns, loss, &(weft_adam_desc){.lr = rate})});
    for (int step = 0; p && step < steps; step++) {
        int32_t(*in)[LENGTH] = weft_feed(p, x), (*next)[LENGTH] = weft_feed(p, y);
        for (int b = 0; b < BATCH; b++) {
            const size_t at = ((size_t)(step * BATCH + b) * 7919) % (n - LENGTH - 1);
            memcpy(in[b], ids + at, sizeof in[b]);
            memcpy(next[b], ids + at + 1, sizeof next[b]);
        }
        if (weft_run(p) != WEFT_OK) break;
    }
    const float last = p ? weft_item(p, loss) : -1;
    weft_plan_free(p), weft_graph_free(g);
    return last;
}

static void print(void *user, int sequence, const char *text, size_t n) {
    (void)user, (void)sequence;
    fwrite(text, 1, n, stdout);
}

static void write_some(weft_state *weights, const weft_lm_config *m, const weft_lm_desc *how,
                       const weft_vocab *v, const char *title) {
    weft_generator *w = weft_generator_new(
        weights, m, &(weft_generator_desc){.sample = {.temperature = 0.5f}, .model = *how});
    printf("%s: ", title);
    if (!w ||
        weft_generator_write(w, v, "the", &(weft_lm_write_desc){.tokens = 60, .show = print}, NULL))
        fprintf(stderr, "%s\n", weft_error(c));
    printf("\n\n");
    weft_generator_free(w);
}

/* A model of characters that has read a text in small letters, as a folder. */
static int make_base(const char *folder, const char *text, size_t n) {
    weft_state *s = weft_state_new(c);
    weft_vocab *v = weft_vocab_bytes(c);
    weft_lm_config m;
    size_t count = 0;
    weft_lm_config_named("nano", &m);
    m.vocab = weft_vocab_size(v), m.layers = 2;
    weft_vocab_encode(v, text, n, NULL, ids, TOKENS, &count);
    printf("The base model: loss %.3f\n", learn(s, s, &m, NULL, count, 300, 4e-3f));
    const int good = !weft_lm_save(s, &m, folder, WEFT_F32, 0) && !weft_vocab_save(v, folder);
    weft_vocab_free(v), weft_state_free(s);
    return good;
}

int main(int argc, char **argv) {
    char own[] = "/tmp/weft-lora-XXXXXX", text[TOKENS], adapters[300];
    const char *folder = argc > 2 ? argv[1] : mkdtemp(own);
    c = weft_open("auto");
    weft_file f;
    if (weft_file_open(c, argc > 2 ? argv[2] : "docs/guide.md", &f))
        return fprintf(stderr, "%s\n", weft_error(c)), 1;
    size_t n = f.n < TOKENS ? f.n : TOKENS, count = 0;
    for (size_t i = 0; i < n; i++) text[i] = (char)tolower(((const unsigned char *)f.bytes)[i]);
    if (argc <= 2 && !make_base(folder, text, n)) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    /* the weights in one state, the adapters in another */
    weft_state *weights = weft_state_new(c), *learned = weft_state_new(c);
    const weft_nn_lora lora = {.state = learned,
                               .rank = 8,
                               .alpha = 16,
                               .targets = "q_proj,v_proj,o_proj,up_proj,down_proj,c_attn,c_proj"};
    const weft_lm_desc plain = {0}, adapted = {.lora = &lora};
    weft_lm_config m;
    weft_vocab *v = weft_vocab_open(c, folder);
    if (!v || weft_lm_config_open(c, folder, &m) || weft_lm_load(weights, &m, folder, NULL, NULL))
        return fprintf(stderr, "%s\n", weft_error(c)), 1;
    for (size_t i = 0; argc <= 2 && i < n; i++) /* the other style */
        if (text[i] == ' ') text[i] = '_';
    weft_vocab_encode(v, argc > 2 ? f.bytes : text, n, NULL, ids, TOKENS, &count);
    if (count > TOKENS) count = TOKENS;
    write_some(weights, &m, &plain, v, "Before");
    const float loss = learn(learned, weights, &m, &adapted, count, 150, 4e-3f);
    write_some(weights, &m, &adapted, v, "With adapters");

    snprintf(adapters, sizeof adapters, "%s/adapters", folder);
    if (weft_lm_lora_save(weights, &m, &lora, adapters) || weft_lm_lora_merge(weights, &m, &lora))
        return fprintf(stderr, "%s\n", weft_error(c)), 1;
    write_some(weights, &m, &plain, v, "Merged");
    printf("Loss %.3f; adapters in %s\n", loss, adapters);
    weft_vocab_free(v), weft_file_close(&f);
    weft_state_free(learned), weft_state_free(weights), weft_close(c);
    return loss > 0 && loss < 3.2f ? 0 : 1;
}
