#!/bin/sh
# test_lm_peft.sh - what PyTorch makes of a saved model and its adapter: the same logits, for weights
# that are transposed (GPT-2) and that are not (Llama).
. tests/shell.sh

python=
for p in python3 /usr/bin/python3; do
    if have $p && $p -c 'import numpy, torch' 2>/dev/null; then python=$p && break; fi
done
if [ -z "$python" ]; then
    skip "adapters in PyTorch" "no python3 with PyTorch"
    finish
fi

cat >"$scratch/make.c" <<'C'
#include "weft/lm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { ROWS = 2, TOKENS = 7, VOCAB = 23 };
static int put(weft_ctx *c, const char *folder, const char *name, weft_file_type t, weft_shape dims,
               const void *v, size_t bytes) {
    char path[600];
    weft_archive *a = weft_archive_new(c);
    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    int bad = weft_archive_put(a, &(weft_array){name, t, dims, v, bytes}) ||
              weft_archive_write(a, path, NULL);
    weft_archive_free(a);
    return bad;
}
/* Uniform values, so that adapters do something. */
static int fill(weft_ctx *c, weft_state *s) {
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        if (weft_state_entry(s, i, &e)) return 1;
        float *v = weft_state_copy(s, e.name);
        for (size_t k = 0; k < e.bytes / sizeof *v; k++)
            v[k] = (float)((k * 7919 + i * 271) % 4001) / 10000 - 0.2f + (e.dims.rank == 1);
        if (weft_state_set(s, e.name, v, e.bytes)) return 1;
        weft_resize(c, v, 0);
    }
    return 0;
}
int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const int gpt2 = strcmp(argv[2], "gpt2") == 0;
    weft_ctx *c = weft_open("cpu");
    weft_state *s = weft_state_new(c), *own = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_lm_config m = {.family = gpt2 ? WEFT_LM_GPT2 : WEFT_LM_LLAMA, .vocab = VOCAB, .positions = 16,
                        .layers = 2, .heads = 4, .width = 24, .hidden = gpt2 ? 0 : 36, .kv_heads = 2,
                        .untied = !gpt2};
    if (gpt2) m.kv_heads = 0;
    weft_nn_lora l = {.state = own, .rank = 4, .alpha = 6, .targets = weft_lm_lora_default(m.family)};
    int32_t in[ROWS * TOKENS];
    float out[ROWS * TOKENS * VOCAB];
    for (int i = 0; i < ROWS * TOKENS; i++) in[i] = i * 7 % VOCAB;
    weft_tensor ids = weft_const(g, WEFT_I32, weft_dims(ROWS, TOKENS), in);
    weft_tensor y = weft_lm_logits(s, ids, &m, &(weft_lm_desc){.lora = &l});
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    int bad = !p || fill(c, s) || fill(c, own) || weft_run(p) || weft_get(p, y, out, sizeof out) ||
              weft_lm_save(s, &m, argv[1], WEFT_F32, 0) || weft_lm_lora_save(s, &m, &l, argv[1]) ||
              put(c, argv[1], "tokens", WEFT_FILE_I32, weft_dims(ROWS, TOKENS), in, sizeof in) ||
              put(c, argv[1], "logits", WEFT_FILE_F32, weft_dims(ROWS, TOKENS, VOCAB), out, sizeof out);
    if (bad) fprintf(stderr, "%s\n", weft_error(c));
    weft_plan_free(p), weft_graph_free(g), weft_state_free(s), weft_state_free(own), weft_close(c);
    return bad;
}
C
check "a program that saves" "$cc" -std=c11 -Wall -Wextra -Iinclude "$scratch/make.c" "$build/libweft.a" -lm -lpthread -ldl -o "$scratch/make"
for family in gpt2 llama; do
    check "$family is saved" "$scratch/make" "$scratch/$family" $family
    check "$family in PyTorch" "$python" tools/lm_logits.py "$scratch/$family"
done
# An adapter that is not this model's is seen.
sed 's/"lora_alpha": 6/"lora_alpha": 5/' "$scratch/gpt2/adapter_config.json" >"$scratch/c" && cp "$scratch/c" "$scratch/gpt2/adapter_config.json"
check "another alpha gives other logits" sh -c "! '$python' tools/lm_logits.py '$scratch/gpt2' >'$scratch/said' && grep apart '$scratch/said'"
finish
