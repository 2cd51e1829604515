/* test_nn_errors.c - layers and losses that cannot be recorded: each poisons its graph with a code
 * and a message that says what was wrong; and lack of memory, at every allocation. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "errors.h"
#include "feed.h"
#include "heap.h"
#include "weft/nn.h"

#include <limits.h>

static weft_tensor sequence(void) { /* f32 [2, 3, 6] */
    return weft_reshape(weft_slice(image, 1, 0, 1, 1), weft_dims(2, 8, 8));
}
static weft_tensor rnn(weft_nn_recurrent_desc d) {
    return weft_nn_rnn(s, sequence(), 4, "r", &d).y;
}
static weft_tensor lstm(weft_tensor over, int64_t hidden, const char *name) {
    return weft_nn_lstm(s, over, hidden, name, NULL).y;
}
static weft_tensor two_layers(weft_nn_layer a, weft_nn_layer second) {
    return weft_nn_sequential(s, x, "list", weft_nn_layers(a, second));
}

TEST(what_every_layer_needs) {
    BAD(ARGUMENT, "graph", weft_nn_linear(s, none, 3, "fc", NULL));
    BAD(ARGUMENT, "poison", weft_nn_linear(s, poison, 3, "fc", NULL));
    BAD(STATE, "state is NULL", weft_nn_linear(NULL, x, 3, "fc", NULL));
    BAD(ARGUMENT, "name is NULL", weft_nn_linear(s, x, 3, NULL, NULL));
    BAD(ARGUMENT, "name is NULL", weft_nn_batch_norm(s, x, NULL, NULL));
    BAD(STATE, "state is NULL", weft_nn_sequential(NULL, x, "", (weft_nn_list){0}));
    BAD(ARGUMENT, "graph", weft_nn_activate(none, WEFT_RELU));
    BAD(ARGUMENT, "activation", weft_nn_activate(x, WEFT_ACTIVATION_COUNT));
    BAD(ARGUMENT, "ends with a dot", weft_nn_linear(s, x, 3, "fc.", NULL));
}

TEST(own_layers_and_first_values) {
    const weft_init unknown = {(weft_init_kind)99, 0, 0}, orthogonal = weft_init_orthogonal(1);
    BAD(UNSUPPORTED, "my layer: 3 of 4",
        weft_poison(g, WEFT_UNSUPPORTED, "my layer: %d of %d", 3, 4));
    BAD(SHAPE, "nowhere", weft_poison(NULL, WEFT_SHAPE, "nowhere"));
    BAD(ARGUMENT, "kind 99", weft_param(g, s, "w", weft_dims(2), unknown));
    BAD(ARGUMENT, "for i32", weft_buffer(g, s, "w", WEFT_I32, weft_dims(2, 2), orthogonal));
    CASE("a mode of no graph");
    weft_graph_eval(NULL);
    CHECK(!weft_graph_is_eval(NULL));
}

TEST(linear_layers_and_tables) {
    BAD(ARGUMENT, "linear \"fc\": 0 outputs", weft_nn_linear(s, x, 0, "fc", NULL));
    BAD(SHAPE, "too many elements", weft_nn_linear(s, x, INT64_MAX, "fc", NULL));
    BAD(ARGUMENT, "single number", weft_nn_linear(s, z, 3, "fc", NULL));
    BAD(DTYPE, "i32", weft_nn_embedding(s, x, 5, 3, "e", NULL));
    BAD(ARGUMENT, "rows", weft_nn_embedding(s, n, -1, 3, "e", NULL));
    BAD(ARGUMENT, "padding_idx 5 of 5",
        weft_nn_embedding(s, n, 5, 3, "e",
                          &(weft_nn_embedding_desc){.padded = true, .padding_idx = 5}));
}

TEST(convolutions_and_pooling) {
    BAD(SHAPE, "[N, C, H, W], got [4,6]", weft_nn_conv2d(s, x, 4, weft_dims(3), "c", NULL));
    BAD(SHAPE, "[N, C, T]", weft_nn_conv1d(s, image, 4, 3, "c", NULL));
    BAD(ARGUMENT, "channels", weft_nn_conv2d(s, image, 0, weft_dims(3), "c", NULL));
    BAD(ARGUMENT, "kernel", weft_nn_conv2d(s, image, 4, weft_dims(3, 0), "c", NULL));
    BAD(ARGUMENT, "3 numbers", weft_nn_conv2d(s, image, 4, weft_dims(3, 3, 3), "c", NULL));
    BAD(ARGUMENT, "3 numbers",
        weft_nn_conv_transpose2d(s, image, 4, weft_dims(3, 3, 3), "c", NULL));
    BAD(ARGUMENT, "2 groups of 3 and 4 channels",
        weft_nn_conv2d(s, image, 4, weft_dims(3), "c", &(weft_nn_conv_desc){.groups = 2}));
    BAD(ARGUMENT, "odd",
        weft_nn_conv2d(s, image, 4, weft_dims(2), "c", &(weft_nn_conv_desc){.same = true}));
    BAD(SHAPE, "rank 3", weft_nn_max_pool1d(x, &(weft_pool_desc){.size = {2}}));
    BAD(SHAPE, "a window", weft_nn_avg_pool1d(sequence(), NULL));
    BAD(ARGUMENT, "1 extents for 2 spatial axes",
        weft_nn_adaptive_avg_pool(image, weft_dims(3), false));
    BAD(ARGUMENT, "extent 8 to 0", weft_nn_adaptive_avg_pool(image, weft_dims(2, 0), false));
    BAD(SHAPE, "no spatial axes", weft_nn_global_avg_pool(x, false));
    BAD(SHAPE, "no spatial axes", weft_nn_global_max_pool(v, false));
    BAD(SHAPE, "single number", weft_nn_flatten(z));
}

TEST(norms) {
    BAD(SHAPE, "[N, C, ...]", weft_nn_batch_norm(s, v, "bn", NULL));
    BAD(SHAPE, "1 values for each channel",
        weft_nn_batch_norm(s, weft_slice(x, 0, 0, 1, 1), "bn", NULL));
    BAD(ARGUMENT, "3 axes of rank 2",
        weft_nn_layer_norm(s, x, "ln", &(weft_nn_norm_desc){.axes = 3}));
    BAD(ARGUMENT, "axes of rank 0", weft_nn_rms_norm(s, z, "ln", NULL));
    BAD(SHAPE, "4 groups of 6 channels", weft_nn_group_norm(s, x, 4, "gn", NULL));
    BAD(SHAPE, "rank 1", weft_nn_group_norm(s, v, 1, "gn", NULL));
}

TEST(sequences) {
    BAD(SHAPE, "[T, B, in], got [4,6]", lstm(x, 4, "r"));
    BAD(ARGUMENT, "hidden units", lstm(sequence(), 0, "r"));
    BAD(STATE, "state is NULL", weft_nn_gru(NULL, sequence(), 4, "r", NULL).h);
    BAD(ARGUMENT, "-1 layers", rnn((weft_nn_recurrent_desc){.layers = -1}));
    BAD(ARGUMENT, "65 layers, expected 1 to 64",
        rnn((weft_nn_recurrent_desc){.layers = 65, .bidirectional = true}));
    BAD(ARGUMENT, "c0", rnn((weft_nn_recurrent_desc){.c0 = x}));
    BAD(SHAPE, "h0 should be [1,8,4], got [4,6]", rnn((weft_nn_recurrent_desc){.h0 = x}));
    BAD(ARGUMENT, "either given or carried", rnn((weft_nn_recurrent_desc){.h0 = x, .carry = "a"}));
    BAD(ARGUMENT, "reset", rnn((weft_nn_recurrent_desc){.reset = b}));
    BAD(ARGUMENT, "relu",
        weft_nn_gru(s, sequence(), 4, "r", &(weft_nn_recurrent_desc){.relu = true}).y);
}

TEST(attention) {
    weft_nn_attention_desc d = {0};
    BAD(SHAPE, "[B, T, width] was expected, got [4,6]", weft_nn_attention(s, x, 2, "a", NULL));
    BAD(ARGUMENT, "3 heads do not divide a width of 8",
        weft_nn_attention(s, sequence(), 3, "a", NULL));
    BAD(ARGUMENT, "0 heads", weft_nn_attention(s, sequence(), 0, "a", NULL));
    BAD(SHAPE, "a memory of [4,6]", weft_nn_attention(s, sequence(), 2, "a", (d.memory = x, &d)));
    BAD(ARGUMENT, "3 heads", weft_nn_transformer(s, sequence(), 3, 8, "t", NULL));
    BAD(ARGUMENT, "hidden units", weft_nn_transformer(s, sequence(), 2, 0, "t", NULL));
    BAD(ARGUMENT, "memory_mask",
        weft_nn_transformer(s, sequence(), 2, 8, "t",
                            &(weft_nn_transformer_desc){.memory_mask = b}));
    BAD(ARGUMENT, "5 heads", weft_nn_gpt2(s, sequence(), 5, "t", NULL));
}

TEST(lists) {
    BAD(ARGUMENT, "list is NULL", weft_nn_sequential(s, x, "", (weft_nn_list){NULL, 2}));
    BAD(SHAPE, "same shape",
        weft_nn_residual(s, x, "", weft_nn_layers(weft_nn_layer_linear(3, NULL))));
}

TEST(losses) {
    BAD(SHAPE, "without the last axis, got [4,6]",
        weft_nn_nll(image, weft_cast(x, WEFT_I32), NULL));
    BAD(DTYPE, "i32", weft_nn_nll(x, weft_cast(n, WEFT_F32), NULL));
    BAD(SHAPE, "same shape", weft_nn_cross_entropy(x, v, NULL));
    BAD(SHAPE, "last axis", weft_nn_cross_entropy(v, n, NULL));
    BAD(ARGUMENT, "smoothing 1.5",
        weft_nn_cross_entropy(x, n, &(weft_nn_classes_desc){.smoothing = 1.5f}));
    BAD(ARGUMENT, "cross_entropy", weft_nn_nll(x, n, &(weft_nn_classes_desc){.smoothing = 0.5f}));
    BAD(SHAPE, "each of 6 classes",
        weft_nn_cross_entropy(x, n, &(weft_nn_classes_desc){.weight = weft_slice(v, 0, 0, 5, 1)}));
    BAD(ARGUMENT, "ignore_index",
        weft_nn_cross_entropy(x, x, &(weft_nn_classes_desc){.ignore = true}));
    BAD(ARGUMENT, "reduction 9",
        weft_nn_cross_entropy(x, n, &(weft_nn_classes_desc){.reduction = (weft_reduction)9}));
    BAD(SHAPE, "multi_margin", weft_nn_multi_margin(x, x, 1, WEFT_REDUCE_MEAN));
    BAD(SHAPE, "accuracy", weft_accuracy(x, v));
    BAD(SHAPE, "[4,6] and [6]", weft_nn_mse(x, v, WEFT_REDUCE_MEAN));
    BAD(SHAPE, "l1", weft_nn_l1(x, v, WEFT_REDUCE_MEAN));
    BAD(ARGUMENT, "above 0", weft_nn_huber(x, x, -1, WEFT_REDUCE_MEAN));
    BAD(SHAPE, "smooth_l1", weft_nn_smooth_l1(x, v, 1, WEFT_REDUCE_MEAN));
    BAD(SHAPE, "bce_with_logits", weft_nn_bce_with_logits(x, v, NULL));
    BAD(SHAPE, "kl", weft_nn_kl(x, v, false, WEFT_REDUCE_MEAN));
    BAD(SHAPE, "hinge", weft_nn_hinge(x, v, 1, WEFT_REDUCE_MEAN));
    BAD(SHAPE, "hinge_embedding", weft_nn_hinge_embedding(x, v, 1, WEFT_REDUCE_MEAN));
    BAD(SHAPE, "cosine_similarity", weft_nn_cosine_similarity(x, v, -1));
    BAD(SHAPE, "cosine_embedding", weft_nn_cosine_embedding(x, x, v, 0, WEFT_REDUCE_MEAN));
    BAD(ARGUMENT, "no axis 2", weft_nn_cosine_similarity(x, x, 2));
    BAD(ARGUMENT, "graph", weft_nn_mse(none, x, WEFT_REDUCE_MEAN));
}

/* Inside a layer the message has the layer's name. */
static void named(weft_tensor r, weft_err e, const char *where, const char *part) {
    quiet_end();
    CHECK(!weft_ok(r));
    CHECK_EQ(weft_graph_error(g), e);
    CHECK_HAS(weft_error(c), where);
    CHECK_HAS(weft_error(c), part);
}
#define NAMED(error, where, part, expression)                                                      \
    do {                                                                                           \
        CASE("%s", #expression);                                                                   \
        world_begin();                                                                             \
        quiet_begin();                                                                             \
        named((expression), WEFT_##error, where, part);                                            \
    } while (0)

static weft_tensor again(weft_tensor first, weft_tensor second) {
    (void)first;
    return second;
}

TEST(messages_name_the_layer) {
    NAMED(STATE, "here/fc: ", "here.fc.weight",
          again(weft_nn_linear(s, x, 3, "fc", NULL), weft_nn_linear(s, v, 4, "fc", NULL)));
    NAMED(SHAPE, "here/up/c: ", "conv2d", weft_nn_conv2d(s, image, 4, weft_dims(9), "up.c", NULL));
    NAMED(ARGUMENT, "here/list: ", "layer 1 has no function",
          two_layers(weft_nn_layer_linear(3, NULL), (weft_nn_layer){0}));
    NAMED(SHAPE, "here/list: ", "avg_pool",
          two_layers(weft_nn_layer_flatten(), weft_nn_layer_avg_pool(NULL)));
    NAMED(UNSUPPORTED, "here/e: ", "normal",
          weft_nn_embedding(
              s, n, 5, 3, "e",
              &(weft_nn_embedding_desc){.padded = true, .weight = weft_init_orthogonal(1)}));
    NAMED(SHAPE, "here/r: ", "reset should be [] or [8], got [4]",
          rnn((weft_nn_recurrent_desc){.carry = "a", .reset = b}));
    NAMED(SHAPE, "here/list: ", "conv2d \"1\": x has rank 4",
          two_layers(weft_nn_layer_linear(3, NULL), weft_nn_layer_conv2d(3, 3, NULL)));
    NAMED(ARGUMENT, "here: ", "'/'", weft_nn_linear(s, x, 3, "a/b", NULL));
    NAMED(ARGUMENT, "here/a: ", "'/'", weft_nn_linear(s, x, 3, "a..b", NULL));
    char longest[400];
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = 0;
    NAMED(ARGUMENT, "here: ", "too long", weft_nn_linear(s, x, 3, longest, NULL));
    world_end();
    c = NULL;
}

/* ---- every allocation may fail ---- */

typedef struct program {
    const char *name;
    void (*record)(weft_tensor image, weft_tensor words, weft_tensor *y);
} program;

static void p_linear(weft_tensor over, weft_tensor words, weft_tensor *y) {
    (void)words;
    *y = weft_nn_linear(s, weft_nn_flatten(over), 4, "deep.er.fc",
                        &(weft_nn_linear_desc){.weight = weft_init_orthogonal(1)});
}
static void p_network(weft_tensor over, weft_tensor words, weft_tensor *y) {
    weft_tensor a =
        weft_nn_batch_norm(s, weft_nn_conv2d(s, over, 4, weft_dims(3), "c", NULL), "bn", NULL);
    a = weft_nn_linear(s, weft_nn_global_avg_pool(weft_relu(a), false), 6, "fc", NULL);
    weft_tensor t = weft_nn_embedding(s, words, 9, 6, "e", NULL);
    *y = weft_nn_transformer(s, weft_add(t, weft_unsqueeze(a, 1)), 2, 8, "t",
                             &(weft_nn_transformer_desc){.dropout = 0.1f});
}
static void p_recurrent(weft_tensor over, weft_tensor words, weft_tensor *y) {
    (void)over;
    weft_tensor t = weft_nn_embedding(s, words, 9, 4, "e",
                                      &(weft_nn_embedding_desc){.padded = true, .padding_idx = 1});
    *y = weft_nn_gru(s, t, 3, "r",
                     &(weft_nn_recurrent_desc){
                         .layers = 2, .bidirectional = true, .batch_first = true, .carry = "h"})
             .y;
}

static const program programs[] = {
    {"linear", p_linear}, {"a network", p_network}, {"recurrent", p_recurrent}};

static uint64_t once(const program *w, heap *h, bool *good) {
    weft_plan *p = NULL;
    uint64_t hash = 0;
    h->made = h->live = 0;
    h->failed = *good = false;
    c = weft_open_with(&(weft_open_desc){.threads = 1, .resize = heap_resize, .user = h});
    s = c ? weft_state_new(c) : NULL;
    g = s ? weft_graph_new(c) : NULL;
    if (g) {
        weft_tensor over = weft_input(g, WEFT_F32, weft_dims(2, 3, 4, 4)),
                    words = weft_input(g, WEFT_I32, weft_dims(2, 3)), y = {0};
        w->record(over, words, &y);
        weft_tensor loss = weft_nn_huber(y, weft_scale(y, 0.5f), 0, WEFT_REDUCE_MEAN);
        p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(loss),
                                              .update = weft_sgd(s, loss, NULL),
                                              .training = true});
        weft_set(p, words, (int32_t[]){0, 1, 2, 3, 4, 8}, 6 * sizeof(int32_t));
        *good = p && weft_run(feed_zeros(p)) == WEFT_OK;
        hash = *good ? weft_state_hash(s) : 0;
        *good = *good && hash;
    }
    if (!*good) CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    c = NULL;
    CHECK_EQ(h->live, 0);
    return hash;
}

TEST(every_allocation_may_fail) {
    const long points = test_sanitized() && !test_long() ? 12 : LONG_MAX;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        CASE("%s", programs[i].name);
        heap h = {0};
        bool good;
        const uint64_t hash = once(&programs[i], &h, &good);
        CHECK(good);
        const long made = h.made, stride = made > points ? made / points : 1;
        for (int kind = 0; kind < 2; kind++)
            for (long at = 1; at <= made; at += stride) {
                heap f = {.fail_at = at, .for_ever = kind == 1};
                const uint64_t got = once(&programs[i], &f, &good);
                if (!CHECK(f.failed)) break;
                if (good && !CHECK(got == hash)) printf("     at allocation %ld\n", at);
            }
    }
}
