/* network.c - records the networks of network.h. */
#include "network.h"

#include "logic_net.h"

#include <weft/nn.h>

#include <string.h>

static const char *const network_words[NETWORK_COUNT] = {
#define X(name, word, text) word,
    NETWORKS(X)
#undef X
};

const char *network_word(network_kind k) {
    return (unsigned)k < NETWORK_COUNT ? network_words[k] : "?";
}

bool network_named(const char *word, network_kind *k) {
    for (int i = 0; i < NETWORK_COUNT; i++)
        if (strcmp(word, network_words[i]) == 0) return *k = (network_kind)i, true;
    return false;
}

static weft_tensor network_hidden(weft_state *s, weft_tensor x, int64_t width, const char *name,
                                  float dropout) {
    return weft_dropout(weft_relu(weft_nn_linear(s, x, width, name, NULL)), dropout);
}

static weft_tensor network_mlp(weft_state *s, weft_tensor x, const network *n) {
    x = network_hidden(s, x, n->hidden, "fc1", n->dropout);
    x = network_hidden(s, x, (n->hidden + 1) / 2, "fc2", n->dropout);
    return weft_nn_linear(s, x, n->outputs, "fc3", NULL);
}

static weft_tensor network_conv(weft_state *s, weft_tensor x, int64_t out, const char *name) {
    x = weft_relu(
        weft_nn_conv2d(s, x, out, weft_dims(3, 3), name, &(weft_nn_conv_desc){.same = true}));
    return weft_max_pool(x, &(weft_pool_desc){.size = {2, 2}});
}

static weft_tensor network_cnn(weft_state *s, weft_tensor x, const network *n) {
    x = weft_reshape(x, weft_dims(-1, 1, n->rows, n->columns));
    x = network_conv(s, x, n->hidden / 8, "conv1");
    x = network_conv(s, x, n->hidden / 4, "conv2");
    x = network_hidden(s, weft_nn_flatten(x), n->hidden, "fc1", n->dropout);
    return weft_nn_linear(s, x, n->outputs, "fc2", NULL);
}

static weft_tensor network_recurrent(weft_state *s, weft_tensor x, const network *n) {
    const weft_nn_recurrent_desc d = {.batch_first = true};
    x = weft_reshape(x, weft_dims(-1, n->rows, n->columns));
    weft_tensor h = n->kind == NETWORK_LSTM ? weft_nn_lstm(s, x, n->hidden, "lstm", &d).h
                                            : weft_nn_gru(s, x, n->hidden, "gru", &d).h;
    h = weft_dropout(weft_reshape(h, weft_dims(-1, n->hidden)), n->dropout);
    return weft_nn_linear(s, h, n->outputs, "fc", NULL);
}

weft_tensor network_record(weft_state *s, weft_tensor x, const network *n) {
    switch (n->kind) {
    case NETWORK_CNN: return network_cnn(s, x, n);
    case NETWORK_LSTM:
    case NETWORK_GRU: return network_recurrent(s, x, n);
    case NETWORK_LOGIC: return logic_net_record(s, x, n);
    default: return network_mlp(s, x, n);
    }
}
