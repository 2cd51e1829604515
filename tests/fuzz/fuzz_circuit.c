/* fuzz_circuit.c - circuits as JSON. One that is read is simplified, written, read again, and run. */
#include "fuzz.h"
#include "weft/logic.h"

enum { FUZZ_INPUTS = 4096, FUZZ_GATES = 300 }; /* what larger ones would only take time for */

static void use(fuzz_world *w, weft_circuit *k) {
    const int inputs = weft_circuit_inputs(k), outputs = weft_circuit_outputs(k);
    char *text = weft_circuit_text(k, WEFT_CIRCUIT_JSON, "it");
    fuzz_must(text != NULL, "read and not written");
    weft_circuit *again = weft_circuit_read(w->ctx, text, strlen(text), "again");
    fuzz_must(again != NULL, "written and not read");
    fuzz_must(weft_circuit_gates(again) == weft_circuit_gates(k) &&
                  weft_circuit_inputs(again) == inputs && weft_circuit_outputs(again) == outputs,
              "another circuit when read again");
    char *twice = weft_circuit_text(again, WEFT_CIRCUIT_JSON, "it");
    fuzz_must(twice && strcmp(text, twice) == 0, "written otherwise the second time");
    weft_text_free(w->ctx, twice);
    weft_text_free(w->ctx, text);
    fuzz_must(weft_circuit_simplify(again) == WEFT_OK, "not simplified");
    uint64_t *in = calloc((size_t)inputs + 1, sizeof *in);
    uint64_t *out = calloc(2 * (size_t)outputs + 2, sizeof *out);
    fuzz_must(in && out, "out of memory");
    for (int i = 0; i < inputs; i++) in[i] = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
    fuzz_must(weft_circuit_run(k, 1, in, out) == WEFT_OK, "does not run");
    fuzz_must(weft_circuit_run(again, 1, in, out + outputs) == WEFT_OK, "simplified, does not run");
    fuzz_must(!outputs || memcmp(out, out + outputs, (size_t)outputs * sizeof *out) == 0,
              "another answer when simplified");
    free(in), free(out);
    weft_circuit_free(again);
    for (int f = 0; f < WEFT_CIRCUIT_FORMAT_COUNT; f++) {
        text = weft_circuit_text(k, (weft_circuit_format)f, "it");
        if (text) w->sum += (unsigned)strlen(text);
        weft_text_free(w->ctx, text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    weft_circuit *k = weft_circuit_read(w->ctx, (const char *)bytes, n, "circuit");
    fuzz_must(w->heap.peak - w->idle <= 4 * n + (1 << 20), "too much memory for reading");
    if (!k) fuzz_refused(w, 2 * n);
    else if (weft_circuit_inputs(k) <= FUZZ_INPUTS && weft_circuit_gates(k) <= FUZZ_GATES)
        use(w, k);
    weft_circuit_free(k);
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
