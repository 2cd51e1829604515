/* recipes.h - the training steps that are timed, by name. */
#ifndef WEFT_RECIPES_H
#define WEFT_RECIPES_H

#include "bench.h"

#include <weft/optim.h>

enum { RECIPE_INPUTS = 3 };

typedef struct recipe {
    weft_tensor loss;
    weft_updates update;
    weft_optimiser_desc optimiser; /* what update is to do, for bench_truth.h */
    int64_t batch;                 /* examples: the first axis of inputs, or 1 */
    double products;               /* FLOP of the products with its weights; 0: nobody counted */
    int inputs;
    struct {
        weft_tensor tensor;
        int32_t limit; /* integers below it; 0: floats */
    } input[RECIPE_INPUTS];
} recipe;

/* clang-format off */
/*                name              function           layers, 0 where they are not counted */
#define RECIPES(X)                                                      \
    X("dqn2048",        recipe_dqn2048,     0)                          \
    X("cube",           recipe_cube,        0)                          \
    X("mlp784",         recipe_mlp784,      0)                          \
    X("lstm",           recipe_lstm,        0)                          \
    X("gru",            recipe_gru,         0)                          \
    X("rnn",            recipe_rnn,         0)                          \
    X("lstm-rows",      recipe_lstm_rows,   0)                          \
    X("logistic",       recipe_logistic,    0)                          \
    X("embedding",      recipe_embedding,   0)                          \
    X("cnn",            recipe_cnn,         0)                          \
    X("mnist",          recipe_mnist,       0)                          \
    X("transformer",    recipe_transformer, 4)                          \
    X("transformer-6",  recipe_transformer6, 6)                         \
    X("transformer-12", recipe_transformer12, 12)                       \
    X("transformer-256", recipe_transformer256, 256)                    \
    X("distilgpt2",     recipe_distilgpt2,  6)
/* clang-format on */

/* How much a step has to do; 0: as much as is timed. */
typedef struct recipe_size {
    int64_t batch, tokens; /* examples; words of a text, where there are texts */
    bool little;           /* for a smoke test: a large network has few, small layers */
    bool small; /* two short texts, and layers so narrow that the reference can be asked often; for
                   networks of texts, whatever else is said */
} recipe_size;

/* Records the step; what goes wrong shows when it is compiled. */
typedef recipe (*recipe_record)(weft_graph *g, weft_state *s, recipe_size size);
#define X(name, function, layers) recipe function(weft_graph *g, weft_state *s, recipe_size size);
RECIPES(X)
#undef X

/* The same numbers every time; with rows, so many examples again and again. An exit code. */
int recipe_feed(bench *b, weft_plan *p, const recipe *step, int64_t rows);

/* A network like GPT-2, its words [B, T] below .words. */
typedef struct recipe_gpt {
    int layers, heads;
    int32_t words;
    int64_t width, places;
} recipe_gpt;
extern const recipe_gpt recipe_gpt_distil, recipe_gpt_little; /* DistilGPT-2; one for smoke tests */
recipe recipe_language(weft_graph *g, weft_state *s, int64_t batch, int64_t length,
                       const recipe_gpt *n);
weft_tensor recipe_gpt_logits(weft_state *s, weft_tensor word, const recipe_gpt *n);

/* Ten logits of pictures [N, 3, 32, 32], by the network of "cnn". */
weft_tensor recipe_pictures(weft_state *s, weft_tensor x);

#endif
