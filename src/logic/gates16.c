/* gates16.c - texts and coefficients of the sixteen functions, from the table in weft/logic.h. */
#include <weft/logic.h>

static const struct {
    const char *text;
    float coefficient[4];
} gates16[WEFT_GATE_KINDS] = {
#define X(name, c0, c1, c2, c3, text) {text, {c0, c1, c2, c3}},
    WEFT_GATES(X)
#undef X
};

static bool gates16_has(int kind) {
    return kind >= 0 && kind < WEFT_GATE_KINDS;
}

const char *weft_gate_text(int kind) {
    return gates16_has(kind) ? gates16[kind].text : NULL;
}

const float *weft_gate_coefficients(int kind) {
    return gates16_has(kind) ? gates16[kind].coefficient : NULL;
}
