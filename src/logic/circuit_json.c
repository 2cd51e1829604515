/* circuit_json.c - circuits as JSON, and back.
 *
 *     {"format": "weft circuit", "version": 1, "name": "life", "inputs": 9, "outputs": [...],
 *      "gates": [[kind, a, b], ...], "kinds": ["0", "a & b", ...]}
 *
 * Kinds are for people who read the file; outputs and a, b are numbers of values. */
#include "base/reader.h"
#include "circuit_write.h"

#include <weft/io.h>

void circuit_write_json(text *p, const weft_circuit *k, const char *name) {
    text_add(p, "{\"format\": \"weft circuit\", \"version\": 1, \"name\": \"%s\",\n", name);
    text_add(p, " \"inputs\": %d,\n \"outputs\": [", k->inputs);
    for (int i = 0; i < k->outputs; i++) text_add(p, "%s%d", i ? ", " : "", (int)k->output[i]);
    text_add(p, "],\n \"gates\": [");
    for (int i = 0; i < k->gates; i++)
        text_add(p, "%s[%d, %d, %d]", i ? ",\n           " : "", (int)k->gate[i].kind,
                 (int)k->gate[i].a, (int)k->gate[i].b);
    text_add(p, "],\n \"kinds\": [");
    for (int i = 0; i < WEFT_GATE_KINDS; i++)
        text_add(p, "%s\"%s\"", i ? ", " : "", weft_gate_text(i));
    text_add(p, "]}\n");
}

/* ---- reading ---- */

static uint64_t json_circuit_offset(const reader *r, weft_json j) {
    return j.at ? (uint64_t)((const unsigned char *)j.at - r->bytes) : 0;
}

static bool json_circuit_number(reader *r, weft_json j, const char *field, int64_t least,
                                int64_t most, int32_t *out) {
    const int64_t v = weft_json_integer(j, INT64_MIN);
    if (v < least || v > most) {
        reader_fail(r, WEFT_FORMAT, json_circuit_offset(r, j), field,
                    "a whole number from %lld to %lld was expected", (long long)least,
                    (long long)most);
        return false;
    }
    *out = (int32_t)v;
    return true;
}

static bool json_circuit_array(reader *r, weft_json j, const char *field) {
    if (weft_json_kind_of(j) == WEFT_JSON_ARRAY) return true;
    reader_fail(r, WEFT_FORMAT, json_circuit_offset(r, j), field, "an array was expected");
    return false;
}

static bool json_circuit_gates(reader *r, weft_json gates, weft_circuit *k) {
    weft_json key = {NULL, NULL}, gate = {NULL, NULL};
    if (!json_circuit_array(r, gates, "gates")) return false;
    while (weft_json_next(gates, &key, &gate)) {
        weft_json inner = {NULL, NULL}, number = {NULL, NULL};
        const int32_t values = k->inputs + k->gates;
        int32_t v[3];
        if (!json_circuit_array(r, gate, "gates")) return false;
        if (weft_json_count(gate) != 3) {
            reader_fail(r, WEFT_FORMAT, json_circuit_offset(r, gate), "gates",
                        "gate %d: a kind and two values were expected, not %zu numbers", k->gates,
                        weft_json_count(gate));
            return false;
        }
        for (int i = 0; i < 3 && weft_json_next(gate, &inner, &number); i++)
            if (!json_circuit_number(r, number, "gates", 0, i ? values - 1 : WEFT_GATE_KINDS - 1,
                                     &v[i]))
                return false;
        if (weft_circuit_add(k, v[0], v[1], v[2]) < 0) return false;
    }
    return true;
}

static bool json_circuit_outputs(reader *r, weft_json outputs, weft_circuit *k) {
    weft_json key = {NULL, NULL}, value = {NULL, NULL};
    int32_t v;
    if (!json_circuit_array(r, outputs, "outputs")) return false;
    while (weft_json_next(outputs, &key, &value))
        if (!json_circuit_number(r, value, "outputs", 0, k->inputs + k->gates - 1, &v) ||
            weft_circuit_output(k, v))
            return false;
    return true;
}

weft_circuit *weft_circuit_read(weft_ctx *c, const char *json, size_t bytes, const char *from) {
    if (!from) from = "circuit";
    const weft_json j = weft_json_parse(c, json, bytes, from);
    if (weft_json_kind_of(j) == WEFT_JSON_NONE) return NULL;
    reader r = reader_of(c, from, json, bytes);
    if (!weft_json_is(weft_json_get(j, "format"), "weft circuit")) {
        reader_fail(&r, WEFT_FORMAT, 0, "format", "\"weft circuit\" was expected");
        return NULL;
    }
    int32_t version, inputs;
    if (!json_circuit_number(&r, weft_json_get(j, "version"), "version", 1, 1, &version) ||
        !json_circuit_number(&r, weft_json_get(j, "inputs"), "inputs", 0, 1 << 28, &inputs))
        return NULL;
    weft_circuit *const k = weft_circuit_new(c, inputs);
    if (!k) return NULL;
    if (json_circuit_gates(&r, weft_json_get(j, "gates"), k) &&
        json_circuit_outputs(&r, weft_json_get(j, "outputs"), k))
        return k;
    weft_circuit_free(k);
    return NULL;
}
