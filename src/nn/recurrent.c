/* recurrent.c - RNN, LSTM and GRU as layers: stacked, in both directions, with states that carry
 * over from run to run. One direction of one layer is weft_recur; here are names, order, dropout
 * between layers and where states begin and end. */
#include "nn/parts.h"

#include <math.h>
#include <stdio.h>

enum { RECURRENT_MOST = 128 }; /* layers times directions */

typedef struct recurrent_net {
    weft_cell cell;
    const char *what;
    weft_state *s;
    const weft_nn_recurrent_desc *d;
    int64_t batch, hidden;
    int layers, ways;           /* ways: directions, 1 or 2 */
    weft_tensor h0, c0;         /* zero tensors: none */
    weft_tensor kept_h, kept_c; /* the buffers of .carry */
} recurrent_net;

static bool recurrent_given(const recurrent_net *n, weft_tensor first, const char *name) {
    if (!first.g) return true;
    if (!nn_tensor(n->what, first)) return false;
    weft_shape want = weft_dims(n->layers * n->ways, n->batch, n->hidden),
               have = weft_shape_of(first);
    bool fits = have.rank == 3;
    for (int i = 0; fits && i < 3; i++) fits = have.n[i] == want.n[i];
    char text[100];
    if (!fits)
        weft_poison(first.g, WEFT_SHAPE, "%s: %s should be [%lld,%lld,%lld], got %s", n->what, name,
                    (long long)want.n[0], (long long)want.n[1], (long long)want.n[2],
                    nn_shape_text(text, sizeof text, first));
    return fits;
}

static bool recurrent_fits(const recurrent_net *n, weft_tensor x) {
    const weft_nn_recurrent_desc *d = n->d;
    weft_graph *g = x.g;
    char text[100];
    if (weft_rank(x) != 3)
        weft_poison(g, WEFT_SHAPE, "%s: x is %s, got %s", n->what,
                    d->batch_first ? "[B, T, in]" : "[T, B, in]",
                    nn_shape_text(text, sizeof text, x));
    else if (n->layers < 1 || n->layers * n->ways > RECURRENT_MOST)
        weft_poison(g, WEFT_ARGUMENT, "%s: %d layers, expected 1 to %d", n->what, n->layers,
                    RECURRENT_MOST / n->ways);
    else if (d->c0.g && n->cell != WEFT_LSTM)
        weft_poison(g, WEFT_ARGUMENT, "%s: only an LSTM has a c0", n->what);
    else if (d->carry && (d->h0.g || d->c0.g))
        weft_poison(g, WEFT_ARGUMENT, "%s: initial states are either given or carried", n->what);
    else if (d->reset.g && !d->carry)
        weft_poison(g, WEFT_ARGUMENT, "%s: a reset needs .carry", n->what);
    else if (d->relu && n->cell != WEFT_RNN_RELU)
        weft_poison(g, WEFT_ARGUMENT, "%s: only an RNN may have relu", n->what);
    else return recurrent_given(n, d->h0, "h0") && recurrent_given(n, d->c0, "c0");
    return false;
}

/* ---- states that carry over ---- */

/* Zeros where reset says so. */
static weft_tensor recurrent_begin(const recurrent_net *n, weft_tensor kept) {
    weft_tensor reset = n->d->reset;
    if (!reset.g || !nn_tensor(n->what, reset)) return kept;
    int rank = weft_rank(reset);
    if (rank > 1 || (rank == 1 && weft_dim(reset, 0) != n->batch)) {
        char text[100];
        return weft_poison(kept.g, WEFT_SHAPE, "%s: reset should be [] or [%lld], got %s", n->what,
                           (long long)n->batch, nn_shape_text(text, sizeof text, reset));
    }
    if (rank == 1) reset = weft_unsqueeze(reset, 1);
    return weft_where(weft_cast(reset, WEFT_BOOL), weft_scalar(kept.g, 0), kept);
}

static weft_tensor recurrent_buffer(const recurrent_net *n, weft_graph *g, const char *which) {
    char name[256];
    int length = snprintf(name, sizeof name, "%s.%s", n->d->carry, which);
    if (length < 0 || (size_t)length >= sizeof name)
        return weft_poison(g, WEFT_ARGUMENT, "%s: the name of .carry is too long", n->what);
    return weft_buffer(g, n->s, name, WEFT_F32, weft_dims(n->layers * n->ways, n->batch, n->hidden),
                       (weft_init){0});
}

static void recurrent_carry(recurrent_net *n, weft_graph *g) {
    n->h0 = recurrent_begin(n, n->kept_h = recurrent_buffer(n, g, "h"));
    if (n->cell == WEFT_LSTM) n->c0 = recurrent_begin(n, n->kept_c = recurrent_buffer(n, g, "c"));
}

/* ---- layers ---- */

static weft_tensor recurrent_weight(const recurrent_net *n, weft_graph *g, const char *kind,
                                    int layer, int way, weft_shape dims, weft_init init) {
    char name[64];
    snprintf(name, sizeof name, "%s_l%d%s", kind, layer, way ? "_reverse" : "");
    return weft_param(g, n->s, name, dims, nn_or(init, nn_uniform(1 / sqrt((double)n->hidden))));
}

/* One direction of one layer. */
static weft_recurred recurrent_one(const recurrent_net *n, weft_tensor x, int layer, int way) {
    const weft_nn_recurrent_desc *d = n->d;
    weft_graph *g = x.g;
    int64_t rows = weft_cell_gates(n->cell) * n->hidden;
    weft_tensor w_ih = recurrent_weight(n, g, "weight_ih", layer, way,
                                        weft_dims(rows, weft_dim(x, 2)), d->input),
                w_hh = recurrent_weight(n, g, "weight_hh", layer, way, weft_dims(rows, n->hidden),
                                        d->hidden),
                b_ih = {0}, b_hh = {0};
    if (!d->no_bias) {
        b_ih = recurrent_weight(n, g, "bias_ih", layer, way, weft_dims(rows), d->bias);
        b_hh = recurrent_weight(n, g, "bias_hh", layer, way, weft_dims(rows), d->bias);
    }
    int64_t at = layer * n->ways + way;
    weft_recur_desc how = {.lengths = d->lengths, .reverse = way == 1};
    if (n->h0.g) how.h0 = weft_squeeze(weft_slice(n->h0, 0, at, at + 1, 1), 0);
    if (n->c0.g) how.c0 = weft_squeeze(weft_slice(n->c0, 0, at, at + 1, 1), 0);
    return weft_recur(n->cell, x, w_ih, w_hh, b_ih, b_hh, &how);
}

static weft_nn_sequence recurrent_layers(const recurrent_net *n, weft_tensor x) {
    weft_tensor h[RECURRENT_MOST], c[RECURRENT_MOST], y[2];
    size_t last = 0;
    for (int layer = 0; layer < n->layers; layer++) {
        for (int way = 0; way < n->ways; way++) {
            weft_recurred r = recurrent_one(n, x, layer, way);
            y[way] = r.y;
            h[last] = r.h;
            c[last++] = r.c;
        }
        x = n->ways == 2 ? weft_concat((weft_tensors){y, 2}, 2) : y[0];
        if (layer + 1 < n->layers) x = weft_dropout(x, n->d->dropout);
    }
    weft_nn_sequence all = {x, weft_stack((weft_tensors){h, last}, 0), {0}};
    if (n->cell == WEFT_LSTM) all.c = weft_stack((weft_tensors){c, last}, 0);
    return all;
}

static weft_nn_sequence recurrent_net_of(weft_cell cell, const char *what, weft_state *s,
                                         weft_tensor x, int64_t hidden, const char *name,
                                         const weft_nn_recurrent_desc *d) {
    weft_nn_sequence poison = {{x.g, 0}, {x.g, 0}, {x.g, 0}};
    nn_title of;
    if (!nn_layer(&of, what, s, x, name) || !nn_size(x.g, of.text, "hidden units", hidden))
        return poison;
    recurrent_net n = {.cell = cell,
                       .what = of.text,
                       .s = s,
                       .d = d,
                       .batch = weft_dim(x, d->batch_first ? 0 : 1),
                       .hidden = hidden,
                       .layers = d->layers ? d->layers : 1,
                       .ways = d->bidirectional ? 2 : 1,
                       .h0 = d->h0,
                       .c0 = d->c0};
    if (!recurrent_fits(&n, x)) return poison;
    int scopes = nn_enter(x.g, name);
    if (d->carry) recurrent_carry(&n, x.g);
    weft_nn_sequence r = recurrent_layers(&n, d->batch_first ? weft_transpose(x, 0, 1) : x);
    if (d->batch_first) r.y = weft_transpose(r.y, 0, 1);
    if (d->carry && weft_ok(r.y)) {
        weft_layer_update(n.kept_h, r.h);
        if (cell == WEFT_LSTM) weft_layer_update(n.kept_c, r.c);
    }
    nn_leave(x.g, scopes);
    return r;
}

static const weft_nn_recurrent_desc recurrent_none;

weft_nn_sequence weft_nn_rnn(weft_state *s, weft_tensor x, int64_t hidden, const char *name,
                             const weft_nn_recurrent_desc *d) {
    if (!d) d = &recurrent_none;
    return recurrent_net_of(d->relu ? WEFT_RNN_RELU : WEFT_RNN_TANH, "rnn", s, x, hidden, name, d);
}

weft_nn_sequence weft_nn_lstm(weft_state *s, weft_tensor x, int64_t hidden, const char *name,
                              const weft_nn_recurrent_desc *d) {
    return recurrent_net_of(WEFT_LSTM, "lstm", s, x, hidden, name, d ? d : &recurrent_none);
}

weft_nn_sequence weft_nn_gru(weft_state *s, weft_tensor x, int64_t hidden, const char *name,
                             const weft_nn_recurrent_desc *d) {
    return recurrent_net_of(WEFT_GRU, "gru", s, x, hidden, name, d ? d : &recurrent_none);
}
