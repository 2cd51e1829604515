/* fuzz_lm_config.c - config.json of language models. One that is read is written and must come back,
 * and is recorded in a state that may have 1 MiB. */
#include "fuzz.h"
#include "weft/lm.h"

enum { LIMIT = 1 << 20, FEW = 4 };

static bool same(const weft_lm_config *a, const weft_lm_config *b) {
    /* what is written stands for a default, too */
    const float base = a->rope.base > 0 || a->family == WEFT_LM_GPT2 ? a->rope.base : 10000;
    const float eps = a->eps > 0 ? a->eps : 1e-5f;
    return a->family == b->family && a->vocab == b->vocab && a->positions == b->positions &&
           a->layers == b->layers && a->heads == b->heads && a->width == b->width &&
           a->hidden == b->hidden && a->kv_heads == b->kv_heads && a->head_size == b->head_size &&
           a->window == b->window && a->activation == b->activation && a->untied == b->untied &&
           eps == b->eps && a->dropout == b->dropout && base == b->rope.base &&
           a->rope.factor == b->rope.factor && a->rope.low == b->rope.low &&
           a->rope.high == b->rope.high && a->rope.original == b->rope.original;
}

static void again(fuzz_world *w, const weft_lm_config *m) {
    char *const text = weft_lm_config_text(w->ctx, m);
    weft_lm_config back;
    fuzz_must(text != NULL, "read and not written");
    const weft_json j = weft_json_parse(w->ctx, text, strlen(text), "again");
    fuzz_must(weft_json_kind_of(j) == WEFT_JSON_OBJECT, "written, and not JSON");
    fuzz_must(weft_lm_config_parse(w->ctx, j, "again", &back) == WEFT_OK, "written and not read");
    fuzz_must(same(m, &back), "another model when read again");
    weft_text_free(w->ctx, text);
}

static void record(fuzz_world *w, const weft_lm_config *m) {
    weft_state *const s = weft_state_new(w->ctx);
    weft_graph *const g = weft_graph_new(w->ctx);
    if (m->layers <= FEW && s && g) {
        weft_state_limit(s, LIMIT);
        const size_t before = w->heap.live;
        const weft_tensor ids = weft_input(g, WEFT_I32, weft_dims(1, 1));
        const weft_tensor y = weft_lm_logits(s, ids, m, NULL);
        fuzz_must(w->heap.live - before < 4 * LIMIT, "much memory for a limited state");
        if (weft_ok(y)) {
            int64_t numbers = 0;
            weft_entry e;
            for (size_t i = 0; weft_state_entry(s, i, &e) == WEFT_OK; i++)
                numbers += e.trained ? (int64_t)(e.bytes / sizeof(float)) : 0;
            fuzz_must(numbers == weft_lm_parameters(m), "another number of parameters");
        } else fuzz_must(*weft_error(w->ctx) != 0, "not recorded, without a message");
    }
    weft_graph_free(g);
    weft_state_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    weft_lm_config m;
    fuzz_world *const w = fuzz_begin();
    const weft_json j = weft_json_parse(w->ctx, (const char *)bytes, n, "config.json");
    if (weft_json_kind_of(j) != WEFT_JSON_NONE) {
        if (weft_lm_config_parse(w->ctx, j, "config.json", &m) == WEFT_OK) {
            fuzz_must(weft_lm_parameters(&m) > 0, "a network without parameters");
            again(w, &m);
            record(w, &m);
        } else fuzz_refused(w, n);
    }
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
