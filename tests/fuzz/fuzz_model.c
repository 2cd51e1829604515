/* fuzz_model.c - the model in config.json of a run, as the command reads it. One that is read is written
 * and must come back, and is recorded in a state that may have 1 MiB. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "apps/supervised/logic_net.c"
#include "apps/supervised/model.c"
#include "apps/supervised/network.c"
#include "cli/json.c"

#include "fuzz.h"

static bool same_names(char **a, size_t n, char **b, size_t m) {
    bool same = n == m;
    for (size_t i = 0; same && i < n; i++) same = strcmp(a[i], b[i]) == 0;
    return same;
}

static void again(fuzz_world *w, const model *m) {
    char *text = NULL;
    size_t bytes = 0;
    model back;
    FILE *f = open_memstream(&text, &bytes);
    fuzz_must(f != NULL, "out of memory");
    json j = json_begin(f);
    model_write(&j, m);
    json_end(&j);
    fuzz_must(fclose(f) == 0, "not written");
    const weft_json config = weft_json_parse(w->ctx, text, bytes, "again");
    fuzz_must(weft_json_kind_of(config) == WEFT_JSON_OBJECT, "written, and not JSON");
    fuzz_must(model_read(w->ctx, config, "again", &back) == WEFT_OK, "written and not read");
    fuzz_must(back.net.kind == m->net.kind && back.net.rows == m->net.rows &&
                  back.net.columns == m->net.columns && back.net.outputs == m->net.outputs &&
                  same_names(m->names, m->classes, back.names, back.classes) &&
                  same_names(m->input, m->inputs, back.input, back.inputs),
              "another model when read again");
    model_free(&back);
    free(text);
}

static void record(fuzz_world *w, const model *m) {
    enum { LIMIT = 1 << 20 };
    weft_state *s = weft_state_new(w->ctx);
    weft_graph *g = weft_graph_new(w->ctx);
    if (m->net.rows * m->net.columns < 4096 && m->net.rows < 64 && s && g) {
        weft_state_limit(s, LIMIT);
        weft_graph_eval(g);
        const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(1, m->net.rows * m->net.columns));
        const size_t before = w->heap.live;
        const weft_tensor y = model_record(s, x, m);
        fuzz_must(w->heap.live - before < 4 * LIMIT, "much memory for a limited state");
        if (!weft_ok(y)) fuzz_must(*weft_error(w->ctx) != 0, "not recorded, without a message");
    }
    weft_graph_free(g);
    weft_state_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    model m;
    fuzz_world *w = fuzz_begin();
    const weft_json config = weft_json_parse(w->ctx, (const char *)bytes, n, "config.json");
    if (weft_json_kind_of(config) == WEFT_JSON_OBJECT) {
        if (model_read(w->ctx, config, "config.json", &m) == WEFT_OK) {
            again(w, &m);
            record(w, &m);
            model_free(&m);
        } else {
            fuzz_refused(w, n);
        }
    }
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
