/* network.h - the networks that `weft train` offers, by name.
 *
 * A network is described by a few numbers, which the run's config.json keeps, so that eval and
 * export can record it again. Parameters have the names PyTorch would give the same modules. */
#ifndef WEFT_NETWORK_H
#define WEFT_NETWORK_H

#include <weft/weft.h>

/* clang-format off */
/*           word     what it is */
#define NETWORKS(X)                                                                  \
    X(MLP,   "mlp",   "two hidden layers, the second half as wide")                  \
    X(CNN,   "cnn",   "two convolutions 3x3 with pooling, one hidden layer")         \
    X(LSTM,  "lstm",  "an LSTM over the rows of the image")                        \
    X(GRU,   "gru",   "a GRU over the rows of the image")                          \
    X(LOGIC, "logic", "six layers of logic gates over the bits of the pixels")
/* clang-format on */

typedef enum network_kind {
#define X(name, word, text) NETWORK_##name,
    NETWORKS(X)
#undef X
        NETWORK_COUNT
} network_kind;

/* "mlp|cnn|lstm|gru|logic", for an option */
#define NETWORK_WORD(name, word, text) "|" word
#define NETWORK_WORDS                  (&NETWORKS(NETWORK_WORD)[1])

typedef struct network {
    network_kind kind;
    int64_t rows, columns; /* of an example; a table has one row */
    int64_t outputs;       /* classes, or 1 number               */
    int64_t hidden;
    float dropout;
    uint64_t wiring; /* logic: seed of who reads whom */
    bool hard;       /* logic: gates are taken at their word */
} network;

const char *network_word(network_kind k);
bool network_named(const char *word, network_kind *k);

/* x [n, rows * columns] -> [n, outputs]; in the graph's mode, training or evaluation. */
weft_tensor network_record(weft_state *s, weft_tensor x, const network *n);

#endif
