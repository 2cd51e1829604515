/* fuzz_lm_adapter.c - adapters: the input is adapter_config.json up to a zero byte, and behind it
 * adapter_model.safetensors. One that is read is written and must come back. The values go to a small
 * GPT-2, whose own weights stay as they are. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "fuzz_file.h"
#include "weft/lm.h"

enum { RANKS = 64 };
static const weft_lm_config model = {.family = WEFT_LM_GPT2,
                                     .vocab = 5,
                                     .positions = 4,
                                     .layers = 1,
                                     .heads = 1,
                                     .width = 4,
                                     .hidden = 4};

static void again(fuzz_world *w, weft_state *s, const weft_nn_lora *l) {
    weft_nn_lora back;
    char targets[300];
    fuzz_must(weft_lm_lora_save(s, &model, l, fuzz_folder) == WEFT_OK, "loaded and not saved");
    fuzz_must(weft_lm_lora_open(w->ctx, fuzz_folder, &back, targets, sizeof targets) == WEFT_OK,
              "saved and not opened");
    fuzz_must(back.rank == l->rank && back.alpha == l->alpha && back.dropout == l->dropout &&
                  strcmp(back.targets, l->targets) == 0,
              "another adapter when opened again");
    back.state = l->state;
    fuzz_must(weft_lm_lora_load(s, &model, &(weft_lm_desc){.lora = &back}, fuzz_folder) == WEFT_OK,
              "saved and not loaded");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *const w = fuzz_begin();
    char path[300], targets[300];
    const uint8_t *const zero = n ? memchr(bytes, 0, n) : NULL;
    const size_t config = zero ? (size_t)(zero - bytes) : n;
    fuzz_path(path, sizeof path, "adapter_model.safetensors");
    fuzz_file_put(path, bytes + config + (zero != NULL), n - config - (zero != NULL));
    fuzz_path(path, sizeof path, "adapter_config.json");
    fuzz_file_put(path, bytes, config);
    weft_nn_lora l;
    if (weft_lm_lora_open(w->ctx, fuzz_folder, &l, targets, sizeof targets) != WEFT_OK) {
        fuzz_refused(w, n);
    } else if (l.rank <= RANKS) {
        fuzz_must(l.alpha > 0 && l.dropout >= 0 && l.dropout < 1 && l.targets == targets,
                  "an impossible adapter");
        weft_state *const s = weft_state_new(w->ctx), *const own = weft_state_new(w->ctx);
        weft_graph *const g = weft_graph_new(w->ctx);
        l.state = own; /* so that s has the weights alone */
        weft_lm_logits(s, weft_input(g, WEFT_I32, weft_dims(1, 1)), &model, NULL);
        const uint64_t before = weft_state_hash(s);
        const weft_err e = weft_lm_lora_load(s, &model, &(weft_lm_desc){.lora = &l}, fuzz_folder);
        fuzz_must(weft_state_hash(s) == before, "an adapter changed the weights");
        if (e == WEFT_OK && weft_state_count(own)) again(w, s, &l);
        else if (e != WEFT_OK) fuzz_must(*weft_error(w->ctx) != 0, "refused without a message");
        weft_graph_free(g);
        weft_state_free(own);
        weft_state_free(s);
    }
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
