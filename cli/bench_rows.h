/* bench_rows.h - the benchmarks by name: who runs them, their suites, what they time.
 *
 * A suite is what `weft bench --suite` runs and a section of docs/benchmarks.md (tools/benchmarks).
 * A benchmark may belong to two: some training steps are also rows of the tables of ops. */
#ifndef WEFT_CLI_BENCH_ROWS_H
#define WEFT_CLI_BENCH_ROWS_H

#include "bench.h"

/* clang-format off */
/*    suite      word */
#define SUITES(X)                                                                                  \
    X(OPS,       "ops")       /* operations and steps of the tables that others publish */         \
    X(STEPS,     "steps")     /* training steps of small networks */                               \
    X(KERNELS,   "kernels")   /* products beside a BLAS, operations over large arrays */           \
    X(WORKLOADS, "workloads") /* programs from end to end: games, cubes, automata, digits */       \
    X(COMPILE,   "compile")   /* what comes before the first run */                                \
    X(SPECIAL,   "special")   /* special functions over arrays of doubles */                       \
    X(STREAM,    "stream")    /* detectors of outliers, point by point */                          \
    X(LEARNING,  "learning")  /* what parts of an algorithm bring; takes minutes */

#define BENCHES(X)                                                                                 \
    /* name           function             suites                                                  \
       what it times */                                                                            \
    X("ops-add",      bench_ops,           SUITE_OPS,                                              \
      "a + b of 100 to a million floats")                                                        \
    X("ops-matmul",   bench_ops_matmul,    SUITE_OPS,                                              \
      "square matrix products, 64 to 1024; one thread next to a BLAS")                                   \
    X("ops-relu",     bench_ops,           SUITE_OPS,                                              \
      "relu of 1K, 10K and a million floats")                                                    \
    X("ops-sigmoid",  bench_ops,           SUITE_OPS,                                              \
      "sigmoid of 1K, 10K and a million floats")                                                 \
    X("ops-linear",   bench_ops,           SUITE_OPS,                                              \
      "linear layers 784-128 and 2048-512, batch 1 and 32")                                        \
    X("conv-forward", bench_conv_forward,  SUITE_OPS,                                              \
      "convolution 3x3 of 224x224x3 to 64, bias and relu")                                         \
    X("lstm-forward", bench_lstm,          SUITE_OPS,                                              \
      "an LSTM over 100 steps of 256, batch 1")                                                    \
    X("step-dqn2048", bench_step,          SUITE_STEPS,                                            \
      "training step 16-64-64-4, batch 32, squared error, Adam")                                   \
    X("step-cube",    bench_step,          SUITE_STEPS,                                            \
      "training step 144-128-64-6, batch 64, squared error, Adam")                                 \
    X("step-mlp784",  bench_step,          SUITE_OPS | SUITE_STEPS,                                \
      "training step 784-128-10, batch 32, cross entropy, SGD")                                    \
    X("step-cnn",     bench_step,          SUITE_OPS | SUITE_STEPS,                                \
      "training step 3-64-128-10 on 32x32 images, batch 16, SGD")                                  \
    X("step-mnist",   bench_step,          SUITE_STEPS,                                            \
      "training step 1-32-64-128-10 on 28x28, batch 64, SGD")                                      \
    X("step-rnn",     bench_step,          SUITE_OPS | SUITE_STEPS,                                \
      "training step of a plain RNN, 100 steps of 256, batch 1, Adam")                             \
    X("step-lstm",    bench_step,          SUITE_STEPS,                                            \
      "training step of an LSTM, 100 steps of 256, batch 1, Adam")                                 \
    X("step-gru",     bench_step,          SUITE_STEPS,                                            \
      "training step of a GRU, 100 steps of 256, batch 1, Adam")                                   \
    X("step-lstm-rows", bench_step,        SUITE_STEPS,                                            \
      "training step of an LSTM over 28 rows, batch 64, Adam")                                     \
    X("step-logistic", bench_step,         SUITE_STEPS,                                            \
      "training step of logistic regression 30-1, batch 256, SGD")                                 \
    X("step-embedding", bench_step,        SUITE_STEPS,                                            \
      "training step of an embedding 20,000 x 64, 64 texts of 32 words, SGD")                  \
    X("step-transformer", bench_step,      SUITE_STEPS,                                            \
      "training step of 4 layers of width 256, 8 sequences of 128, AdamW")                         \
    X("step-distilgpt2", bench_step,       SUITE_STEPS,                                            \
      "training step of DistilGPT-2, 82 million parameters, 31 tokens, AdamW")                     \
    X("gemm",         bench_gemm,          SUITE_KERNELS,                                          \
      "matrix products NN, NT and TN on one thread, next to a BLAS")                                       \
    X("gemm-skinny",  bench_gemm_skinny,   SUITE_KERNELS,                                          \
      "1 to 64 rows by the layers of DistilGPT-2, next to a BLAS and the peak")                     \
    X("conv-backward", bench_conv_backward, SUITE_KERNELS,                                         \
      "gradients of convolutions, next to the forward pass")                                           \
    X("softmax",      bench_softmax,       SUITE_KERNELS,                                          \
      "softmax of 4096 rows of 1024, and its backward pass")                                            \
    X("layernorm",    bench_layernorm,     SUITE_KERNELS,                                          \
      "layer norm of 4096 rows of 768, and its backward pass")                                          \
    X("adam",         bench_adam,          SUITE_KERNELS,                                          \
      "Adam over a million parameters")                                                            \
    X("chain",        bench_chain,         SUITE_KERNELS,                                          \
      "a*b + relu(c)*sigmoid(d) over 1K, 64K and 16M elements")                                    \
    X("env-2048",     bench_env_2048,      SUITE_WORKLOADS,                                        \
      "random moves of 2048, with resets")                                                    \
    X("dqn2048-replica", bench_dqn2048,    SUITE_WORKLOADS,                                        \
      "100 games of 2048 while a 16-64-64-4 network learns")                                       \
    X("cube-replica", bench_cube,          SUITE_WORKLOADS,                                        \
      "2,000 scrambles of the cube while a network learns")                                        \
    X("checkerboard-epoch", bench_checkerboard, SUITE_WORKLOADS,                                   \
      "a training step of an automaton of 3,040 gates")                                            \
    X("digits-mlp",   bench_digits,        SUITE_WORKLOADS,                                        \
      "training on 28x28 images end to end, 784-256-128-10, per image")                     \
    X("digits-cnn",   bench_digits,        SUITE_WORKLOADS,                                        \
      "the same with two convolutions, 1-16-32-128-10")                                            \
    X("infer-cnn",    bench_infer_cnn,     SUITE_WORKLOADS,                                        \
      "inference of a 32x32 image, 3-64-128-10")                                      \
    X("decode",       bench_decode,        SUITE_WORKLOADS,                                        \
      "one token for each of 8 sequences: 6 layers of width 512, context 64")                \
    X("generate-distilgpt2", bench_generate, SUITE_WORKLOADS,                                      \
      "a token more by DistilGPT-2, beside the time that reading its weights takes")               \
    X("tokens",       bench_tokens,        SUITE_WORKLOADS,                                        \
      "English text to the tokens of GPT-2, one thread")                                           \
    X("circuit",      bench_circuit,       SUITE_WORKLOADS,                                        \
      "image classification by 48,000 logic gates, bitwise")                                     \
    X("plan",         bench_plan,          SUITE_COMPILE,                                          \
      "recording and compiling whole training steps")                                           \
    X("open",         bench_open,          SUITE_COMPILE,                                          \
      "opening and closing a context")                                                             \
    X("start",        bench_start,         SUITE_COMPILE,                                          \
      "from start to first training step of DistilGPT-2, 82 million parameters")           \
    X("load",         bench_load,          SUITE_COMPILE,                                          \
      "loading 16 MiB of weights from safetensors, with checksums")                            \
    X("special-gamma", bench_special,      SUITE_SPECIAL,                                          \
      "Gamma(x) of 10,000 doubles, one thread")                                                    \
    X("special-bessel_j0", bench_special,  SUITE_SPECIAL,                                          \
      "the Bessel function J0 of 10,000 doubles, one thread")                                      \
    X("special-erf",  bench_special,       SUITE_SPECIAL,                                          \
      "the error function of 10,000 doubles, one thread")                                          \
    X("special",      bench_special,       SUITE_SPECIAL,                                          \
      "many special functions, 10,000 doubles each, one thread")                                   \
    X("stream-zscore", bench_stream_zscore, SUITE_STREAM,                                          \
      "points through a rolling z-score, window 100")                                              \
    X("stream-hst",   bench_stream_trees,  SUITE_STREAM,                                           \
      "points through 25 half-space trees of depth 8")                                             \
    X("rainbow",      bench_rainbow,       SUITE_LEARNING,                                         \
      "ablation of Q-learning: double, dueling, noisy, ...")
/* clang-format on */

enum {
#define X(suite, word) SUITE_PLACE_##suite,
    SUITES(X)
#undef X
        SUITE_COUNT
};
enum {
#define X(suite, word) SUITE_##suite = 1 << SUITE_PLACE_##suite,
    SUITES(X)
#undef X
};

#endif
