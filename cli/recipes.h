/* recipes.h - the training steps that are timed, by name. */
#ifndef WEFT_RECIPES_H
#define WEFT_RECIPES_H

#include "bench.h"

enum { RECIPE_INPUTS = 3 };

typedef struct recipe {
    weft_tensor loss;
    weft_updates update;
    int inputs;
    struct {
        weft_tensor tensor;
        int32_t limit; /* integers below it; 0: floats */
    } input[RECIPE_INPUTS];
} recipe;

/* clang-format off */
/*                name              function           layers, 0 where nobody counts them */
#define RECIPES(X)                                                      \
    X("dqn2048",        recipe_dqn2048,     0)                          \
    X("cube",           recipe_cube,        0)                          \
    X("mlp784",         recipe_mlp784,      0)                          \
    X("lstm",           recipe_lstm,        0)                          \
    X("gru",            recipe_gru,         0)                          \
    X("rnn",            recipe_rnn,         0)                          \
    X("lstm-rows",      recipe_lstm_rows,   0)                          \
    X("cnn",            recipe_cnn,         0)                          \
    X("mnist",          recipe_mnist,       0)                          \
    X("transformer-12", recipe_transformer, 12)
/* clang-format on */

/* Records the step; what goes wrong shows when it is compiled. */
#define X(name, function, layers) recipe function(weft_graph *g, weft_state *s);
RECIPES(X)
#undef X

int recipe_feed(bench *b, weft_plan *p, const recipe *step); /* an exit code */

/* A recurrent layer over x [T, B, in], with PyTorch's names below `name` and its first values. */
weft_recurred recipe_recur(weft_state *s, weft_cell cell, weft_tensor x, int64_t units,
                           const char *name);

#endif
