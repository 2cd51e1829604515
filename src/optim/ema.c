/* ema.c - moving averages of parameters, swapped with them and back. */
#include <string.h>
#include <weft/optim.h>

/* Where the host reaches them. */
static weft_err ema_swap_there(weft_state *s, const weft_entry *e, const char *other) {
    char *a = weft_state_data(s, e->name), *b = weft_state_data(s, other);
    if (!a || !b) return weft_error_code(weft_state_ctx(s));
    for (size_t at = 0; at < e->bytes;) {
        char piece[512];
        const size_t n = e->bytes - at < sizeof piece ? e->bytes - at : sizeof piece;
        memcpy(piece, a + at, n);
        memcpy(a + at, b + at, n);
        memcpy(b + at, piece, n);
        at += n;
    }
    return WEFT_OK;
}

static weft_err ema_swap_copies(weft_state *s, const weft_entry *e, const char *other) {
    weft_ctx *c = weft_state_ctx(s);
    void *a = weft_state_copy(s, e->name), *b = weft_state_copy(s, other);
    weft_err err = a && b ? weft_state_set(s, e->name, b, e->bytes) : weft_error_code(c);
    if (!err) err = weft_state_set(s, other, a, e->bytes);
    weft_resize(c, a, 0);
    weft_resize(c, b, 0);
    return err;
}

weft_err weft_ema_swap(weft_state *s) {
    static const char prefix[] = "optim.ema.";
    weft_ctx *c = weft_state_ctx(s);
    size_t found = 0;
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        weft_err err = weft_state_entry(s, i, &e);
        if (err) return err;
        if (strncmp(e.name, prefix, sizeof prefix - 1)) continue;
        err = (e.host ? ema_swap_there : ema_swap_copies)(s, &e, e.name + sizeof prefix - 1);
        if (err) return err;
        found++;
    }
    return found ? WEFT_OK
                 : weft_fail(c, WEFT_STATE,
                             "weft_ema_swap: the state holds no averages; an optimiser with .ema "
                             "makes them");
}
