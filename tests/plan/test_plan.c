/* test_plan.c - what is planned: how many kernels, how many bytes, and what the text of a plan says.
 *
 * Counts are expectations: a number that grows is a regression, one that shrinks is written down.
 * Nothing is run here; what running means is in test_run.c. */
#include "models.h"
#include "one_graph.h"
#include "plan/passes.h"
#include "test.h"

#include <stdio.h>

/* The plan's statistics; the plan itself must pass the checker of overlaps and order. */
static weft_stats stats_of(weft_tensors fetch, weft_updates update) {
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = fetch, .update = update});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    if (p) CHECK_EQ(memory_check(p), WEFT_OK);
    weft_stats st = weft_plan_stats(p);
    weft_plan_free(p);
    return st;
}

static weft_tensor rows(int64_t n, int64_t m) {
    return weft_input(g, WEFT_F32, weft_dims(n, m));
}

static weft_tensor rows_like(weft_tensor x) {
    return weft_input(g, WEFT_F32, weft_shape_of(x));
}

/* ---- counts of single expressions: forward, and forward with the gradients of all inputs ---- */

enum { IN = 3 };
typedef struct expression {
    const char *name;
    weft_tensor (*build)(weft_tensor *in); /* fills the inputs it has, leaves the rest */
    uint32_t forward, both;
} expression;

static weft_tensor e_softmax(weft_tensor *in) {
    return weft_softmax(in[0] = rows(64, 1000), -1);
}
static weft_tensor e_softmax_down(weft_tensor *in) {
    return weft_softmax(in[0] = rows(64, 1000), 0);
}
static weft_tensor e_log_softmax(weft_tensor *in) {
    return weft_log_softmax(in[0] = rows(64, 1000), -1);
}
static weft_tensor e_logsumexp(weft_tensor *in) {
    return weft_logsumexp(in[0] = rows(64, 1000), -1, false);
}
static weft_tensor e_layer_norm(weft_tensor *in) {
    in[0] = rows(64, 768), in[1] = weft_input(g, WEFT_F32, weft_dims(768));
    in[2] = weft_input(g, WEFT_F32, weft_dims(768));
    return weft_layer_norm(in[0], in[1], in[2], 1e-5f);
}
static weft_tensor e_layer_norm_plain(weft_tensor *in) {
    return weft_layer_norm(in[0] = rows(64, 768), (weft_tensor){0}, (weft_tensor){0}, 1e-5f);
}
static weft_tensor e_rms_norm(weft_tensor *in) {
    in[0] = rows(64, 768), in[1] = weft_input(g, WEFT_F32, weft_dims(768));
    return weft_rms_norm(in[0], in[1], 1e-5f);
}
static weft_tensor e_cross_entropy(weft_tensor *in) {
    return weft_cross_entropy(in[0] = rows(64, 1000), weft_input(g, WEFT_I32, weft_dims(64)));
}
static weft_tensor e_mse(weft_tensor *in) {
    return weft_mse(in[0] = rows(64, 10), rows(64, 10));
}
static weft_tensor e_chain(weft_tensor *in) {
    weft_tensor x = in[0] = rows(1000, 100);
    return weft_mul(weft_silu(weft_offset(weft_scale(x, 2), 1)), weft_tanh(x));
}
static weft_tensor e_linear_gelu(weft_tensor *in) {
    in[0] = rows(32, 64), in[1] = rows(64, 128), in[2] = weft_input(g, WEFT_F32, weft_dims(128));
    return weft_gelu(weft_add(weft_matmul(in[0], in[1]), in[2]));
}
static weft_tensor e_linear_dropout(weft_tensor *in) {
    in[0] = rows(32, 64), in[1] = rows(64, 128), in[2] = weft_input(g, WEFT_F32, weft_dims(128));
    return weft_dropout(weft_gelu(weft_add(weft_matmul(in[0], in[1]), in[2])), 0.1f);
}
static weft_tensor e_residual(weft_tensor *in) {
    in[0] = rows(32, 64), in[1] = rows(64, 64);
    return weft_relu(weft_add(in[0], weft_matmul(in[0], in[1])));
}
static weft_tensor e_attention(weft_tensor *in) {
    for (int i = 0; i < 3; i++) in[i] = weft_input(g, WEFT_F32, weft_dims(2, 4, 32, 16));
    return weft_attention(in[0], in[1], in[2], &(weft_attention_desc){.causal = true});
}
static weft_tensor e_conv(weft_tensor *in) {
    in[0] = weft_input(g, WEFT_F32, weft_dims(2, 14, 14, 8));
    in[1] = weft_input(g, WEFT_F32, weft_dims(16, 8, 3, 3));
    return weft_conv2d(in[0], in[1], &(weft_conv_desc){.channels_last = true});
}
static weft_tensor e_embedding(weft_tensor *in) {
    in[0] = rows(50, 16);
    return weft_embedding(in[0], weft_input(g, WEFT_I32, weft_dims(4, 9)));
}
static weft_tensor e_views(weft_tensor *in) { /* nothing but another way to read the input */
    weft_tensor x = in[0] = rows(12, 10);
    return weft_add(weft_flip(weft_transpose(x, 0, 1), 1), weft_slice(rows(20, 12), 0, 0, 20, 2));
}

static const expression table[] = {
    {"softmax", e_softmax, 1, 1},
    {"softmax down", e_softmax_down, 4, 6},
    {"log_softmax", e_log_softmax, 1, 2},
    {"logsumexp", e_logsumexp, 1, 1},
    {"layer_norm", e_layer_norm, 1, 2},
    {"layer_norm_plain", e_layer_norm_plain, 1, 1},
    {"rms_norm", e_rms_norm, 1, 2},
    {"cross_entropy", e_cross_entropy, 2, 2},
    {"mse", e_mse, 1, 1},
    {"chain", e_chain, 1, 1},
    {"linear gelu", e_linear_gelu, 1, 4},
    {"linear dropout", e_linear_dropout, 2, 6},
    {"residual", e_residual, 1, 3},
    {"attention", e_attention, 1, 2},
    {"conv", e_conv, 2, 5},
    {"embedding", e_embedding, 1, 3},
    {"views", e_views, 1, 2},
};

TEST(kernels_of_expressions) {
    static const char *const device[] = {"cpu", "null"};
    for (int d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
            CASE("%s on %s", table[i].name, device[d]);
            begin_on(device[d]);
            weft_tensor in[IN] = {{0}}, out[1 + IN], y = table[i].build(in);
            size_t n = 0;
            while (n < IN && in[n].g) n++;
            CHECK_EQ(stats_of(weft_list(y), (weft_updates){0}).kernels, table[i].forward);
            out[0] = y;
            if (weft_rank(y) == 0) CHECK_EQ(weft_grad(y, in, n, out + 1), WEFT_OK);
            else CHECK_EQ(weft_vjp(y, rows_like(y), in, n, out + 1), WEFT_OK);
            CHECK_EQ(stats_of((weft_tensors){out, 1 + n}, (weft_updates){0}).kernels,
                     table[i].both);
            end();
        }
}

/* Results are written where they are read: no copy stands between these and their readers. */
static weft_tensor e_joined(weft_tensor *in) {
    in[0] = rows(8, 5), in[1] = rows(8, 6), in[2] = rows(6, 7);
    return weft_concat(weft_list(weft_tanh(in[0]), weft_matmul(in[1], in[2]),
                                 weft_sum(weft_exp(in[1]), weft_axes(1), true)),
                       1);
}
static weft_tensor e_joined_twice(weft_tensor *in) {
    in[0] = rows(8, 5), in[1] = rows(8, 3), in[2] = rows(4, 8);
    const weft_tensor wide = weft_concat(weft_list(weft_exp(in[0]), weft_tanh(in[1])), 1);
    return weft_concat(weft_list(wide, weft_relu(in[2])), 0);
}
static weft_tensor e_heads(weft_tensor *in) { /* attention of one product's thirds, and a product */
    in[0] = rows(2 * 16, 24), in[1] = rows(24, 3 * 24), in[2] = rows(24, 24);
    weft_tensor part[3];
    weft_split(weft_reshape(weft_matmul(in[0], in[1]), weft_dims(2, 16, 72)), 2, 3, part);
    for (int i = 0; i < 3; i++)
        part[i] = weft_transpose(weft_reshape(part[i], weft_dims(2, 16, 3, 8)), 1, 2);
    const weft_tensor y = weft_attention(part[0], part[1], part[2], NULL);
    return weft_matmul(weft_reshape(weft_transpose(y, 1, 2), weft_dims(2 * 16, 24)), in[2]);
}
static weft_tensor e_running_sums(weft_tensor *in) { /* written as the product wants to read them */
    in[0] = weft_input(g, WEFT_F32, weft_dims(3, 9, 4, 5)), in[1] = rows(20, 7);
    const weft_tensor y = weft_transpose(weft_cumsum(weft_transpose(in[0], 1, 2), 2), 1, 2);
    return weft_matmul(weft_reshape(y, weft_dims(27, 20)), in[1]);
}

TEST(results_are_written_where_they_are_read) {
    static const expression placed[] = {
        {"joined", e_joined, 3, 5},
        {"joined twice", e_joined_twice, 3, 3},
        {"heads", e_heads, 3, 8},
        {"running sums", e_running_sums, 3, 8},
    };
    for (size_t i = 0; i < sizeof placed / sizeof *placed; i++) {
        CASE("%s", placed[i].name);
        begin_on("cpu");
        weft_tensor in[IN] = {{0}}, out[1 + IN], y = placed[i].build(in);
        size_t n = 0;
        while (n < IN && in[n].g) n++;
        out[0] = y;
        CHECK_EQ(stats_of(weft_list(y), (weft_updates){0}).kernels, placed[i].forward);
        CHECK_EQ(weft_vjp(y, rows_like(y), in, n, out + 1), WEFT_OK);
        CHECK_EQ(stats_of((weft_tensors){out, 1 + n}, (weft_updates){0}).kernels, placed[i].both);
        end();
    }
}

/* ---- steps of training ---- */

static int occurrences(const char *text, const char *part) {
    int n = 0;
    for (; text && (text = strstr(text, part)); text++) n++;
    return n;
}

TEST(an_optimiser_is_one_kernel) {
    static const struct {
        const char *name, *step;
        float momentum;
    } how[] = {{"adam", "  adam ", 0}, {"momentum", "  momentum ", 0.9f}};
    for (int k = 0; k < 2; k++)
        for (int layers = 1; layers < 9; layers *= 2) {
            CASE("%s over %d parameters", how[k].name, 2 * layers);
            begin_on("cpu");
            weft_tensor x = rows(32, 20);
            for (int i = 0; i < layers; i++) {
                char name[] = "fc0";
                name[2] = (char)('0' + i);
                x = weft_tanh(weft_linear(s, x, 20 + i, name));
            }
            weft_tensor loss = weft_mean(weft_square(x), WEFT_ALL, false);
            weft_updates u = how[k].momentum > 0
                                 ? weft_sgd(s, loss, &(weft_sgd_desc){.momentum = 0.9f})
                                 : weft_adam(s, loss, NULL);
            weft_plan *p =
                weft_compile(g, &(weft_plan_desc){.fetch = weft_list(loss), .update = u});
            CHECK(p);
            char *text = weft_plan_text(p);
            CHECK_EQ(occurrences(text, how[k].step), 1);
            weft_text_free(c, text);
            weft_plan_free(p);
            end();
        }
}

/* Kernels, products and bytes of the arena: of a whole step, and of asking the network only. */
typedef struct step_size {
    const char *model;
    bool training;
    struct {
        uint32_t kernels, products;
        size_t arena;
    } want;
} step_size;

static const step_size sizes[] = {
    {"dqn", true, {13, 8, 50176}},         {"dqn", false, {3, 3, 18944}},
    {"mlp", true, {10, 5, 542208}},        {"mlp", false, {2, 2, 118016}},
    {"cnn", true, {28, 3, 119296}},        {"cnn", false, {8, 1, 50944}},
    {"attention", true, {40, 21, 85248}},  {"attention", false, {11, 7, 25856}},
    {"dropout", true, {12, 5, 113920}},    {"dropout", false, {4, 2, 39680}},
    {"recurrent", true, {28, 10, 138240}}, {"recurrent", false, {8, 3, 50432}},
};

TEST(steps_of_models) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const step_size *z = &sizes[i];
        CASE("%s, %s", z->model, z->training ? "training" : "evaluation");
        begin_on("cpu");
        model m = {0};
        for (int k = 0; k < MODELS; k++)
            if (strcmp(model_table[k].name, z->model) == 0) model_table[k].build(g, s, &m);
        weft_stats got = z->training ? stats_of(weft_list(m.loss), m.update)
                                     : stats_of(weft_list(m.y), (weft_updates){0});
        CHECK_EQ(got.kernels, z->want.kernels);
        CHECK_EQ(got.products, z->want.products);
        CHECK_EQ(got.arena_bytes, z->want.arena);
        CHECK(got.flops > 0 && got.bytes > 0 && got.segments >= 1);
        end();
    }
}

/* What is multiplied and added, counted by hand. */
TEST(costs_are_counted) {
    begin_on("cpu");
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(40, 300));
    const weft_stats sum = stats_of(weft_list(weft_sum(x, weft_axes(1), false)), (weft_updates){0});
    CHECK_EQ(sum.flops, 40 * 300);
    const weft_stats softmax = stats_of(weft_list(weft_softmax(x, 1)), (weft_updates){0});
    CHECK(softmax.flops >= 40 * 300 * 14 && softmax.flops < 40 * 301 * 20); /* 2 folds, exp */
    end();
    /* 20 rows of 8 are added to 50: zeros, then index, rows, and what they are added to */
    begin_on("cpu");
    const weft_tensor at = weft_expand(weft_input(g, WEFT_I32, weft_dims(20, 1)), weft_dims(20, 8));
    const weft_tensor added =
        weft_scatter_add(weft_full(g, weft_dims(50, 8), 0), at, rows(20, 8), 0);
    const weft_tensor folded = weft_sum(added, weft_axes(0), false);
    const weft_stats scatter = stats_of(weft_list(folded), (weft_updates){0});
    CHECK_EQ(scatter.flops, 20 * 8 + 50 * 8);
    CHECK_EQ(scatter.bytes, 4 * (50 * 8 + 20 + 3 * 20 * 8 + 51 * 8));
    end();
    for (int causal = 0; causal < 2; causal++) {
        enum { B = 2, HEADS = 3, T = 40, H = 16 };
        CASE("attention, causal %d", causal);
        begin_on("cpu");
        weft_tensor q = weft_input(g, WEFT_F32, weft_dims(B, HEADS, T, H));
        const weft_tensor y =
            weft_attention(q, weft_relu(q), weft_neg(q), &(weft_attention_desc){.causal = causal});
        const double pairs = B * HEADS * (causal ? T * (T + 1) / 2 : T * T);
        const double got = stats_of(weft_list(y), (weft_updates){0}).flops, want = pairs * 4 * H;
        CHECK(got > want && got < 1.3 * want);
        weft_tensor dq;
        weft_vjp(y, y, &q, 1, &dq);
        const double both = stats_of(weft_list(y, dq), (weft_updates){0}).flops;
        CHECK(both > 3.5 * want && both < 1.3 * 3.5 * want);
        end();
    }
}

/* ---- memory ---- */

TEST(every_read_follows_a_write) {
    for (int i = 0; i < MODELS; i++)
        for (int way = 0; way < 3; way++) {
            static const char *const name[] = {"fused", "unfused", "portable"};
            CASE("%s, %s", model_table[i].name, name[way]);
            begin_on("cpu");
            model m = {0};
            model_table[i].build(g, s, &m);
            weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(m.loss, m.y),
                                                             .update = m.update,
                                                             .unfused = way == 1,
                                                             .portable = way == 2});
            if (CHECK(p)) CHECK_EQ(memory_check(p), WEFT_OK);
            weft_plan_free(p);
            end();
        }
}

TEST(the_checker_sees_overlaps_and_gaps) {
    for (int wrong = 0; wrong < 2; wrong++) {
        CASE("%s", wrong ? "a buffer nobody wrote" : "two buffers in one place");
        begin_on("cpu");
        weft_tensor x = rows(32, 32), y = weft_matmul(weft_matmul(weft_matmul(x, x), x), x);
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
        if (CHECK(p) && CHECK_EQ(p->steps, 3) && CHECK_EQ(memory_check(p), WEFT_OK)) {
            buffer *a = &p->buf[p->step[0].in[2].buf], *b = &p->buf[p->step[1].in[2].buf];
            size_t offset = b->offset;
            uint32_t read = p->step[0].in[0].buf;
            if (wrong) p->step[0].in[0].buf = p->step[1].in[2].buf; /* made later */
            else b->offset = a->offset + 4;
            CHECK_EQ(memory_check(p), WEFT_DEVICE);
            b->offset = offset;
            p->step[0].in[0].buf = read;
        }
        weft_plan_free(p);
        end();
    }
}

TEST(a_long_chain_needs_two_buffers) {
    begin_on("cpu");
    weft_tensor x = rows(64, 64), w = rows(64, 64);
    for (int i = 0; i < 20; i++) x = weft_tanh(weft_matmul(x, w));
    weft_stats st = stats_of(weft_list(weft_sum(x, WEFT_ALL, false)), (weft_updates){0});
    CHECK_EQ(st.products, 20);
    CHECK(st.arena_bytes <= 4 * 64 * 64 * sizeof(float) + 1024); /* the two feeds, and two more */
    end();
}

/* ---- what a device says of itself ---- */

/* Twelve maps over seven inputs. */
static weft_stats with_traits(device_traits t) {
    begin_on("cpu");
    c->traits = &t;
    weft_tensor x = rows(64, 64), y = x;
    for (int i = 0; i < 6; i++) y = weft_mul(weft_sin(y), rows(64, 64));
    const weft_stats st = stats_of(weft_list(y), (weft_updates){0});
    end();
    return st;
}

/* A product of expensive and of cheap factors, which its gradient reads again. */
static size_t stored_with(device_traits t) {
    begin_on("cpu");
    c->traits = &t;
    const weft_tensor x = rows(64, 64), w = rows(64, 64), v = rows(64, 64), q = weft_add(x, w);
    const weft_tensor m = weft_mul(weft_tanh(x), weft_mul(weft_sigmoid(w), weft_mul(q, q)));
    const weft_tensor y = weft_matmul(m, v);
    weft_tensor out[2];
    CHECK_EQ(weft_grad(weft_sum(weft_square(y), WEFT_ALL, false), (weft_tensor[]){x, w}, 2, out),
             WEFT_OK);
    const weft_stats st = stats_of((weft_tensors){out, 2}, (weft_updates){0});
    end();
    return st.arena_bytes;
}

static int64_t pieces_with(device_traits t) {
    begin_on("cpu");
    c->traits = &t;
    weft_squares(weft_list(rows(64, 64)));
    int64_t pieces = 0;
    for (uint32_t i = 1; i < g->n; i++)
        if (g->node[i].op == OP_part) pieces = node_dims(g, &g->node[i])[1];
    end();
    return pieces;
}

TEST(a_device_says_what_its_kernels_may_do) {
    begin_on("cpu");
    const device_traits own = *c->traits;
    end();
    CHECK_EQ(with_traits(own).kernels, 1);
    device_traits t = own;
    t.kernel_nodes = 4;
    CHECK_EQ(with_traits(t).kernels, 3);
    t = own, t.kernel_loads = 4;
    CHECK_EQ(with_traits(t).kernels, 2);
    t = own, t.kernel_views = 3;
    CHECK_EQ(with_traits(t).kernels, 3);
    t = own, t.recompute_cost = 100; /* tanh again */
    CHECK(stored_with(t) < stored_with(own));
    t = own, t.recompute_least = 1 << 20;
    CHECK(stored_with(t) > stored_with(own));
    t = own, t.sum_pieces = 7;
    CHECK_EQ(pieces_with(own), own.sum_pieces);
    CHECK_EQ(pieces_with(t), 7);
}

TEST(compiling_leaves_the_graph_as_it_is) {
    begin_on("cpu");
    const weft_tensor x = rows(8, 4), w = weft_param(g, s, "w", weft_dims(4, 4),
                                                     (weft_init){WEFT_INIT_VALUE, 2, 0});
    const weft_tensor y = weft_dropout(weft_relu(weft_matmul(x, w)), 0.5f);
    const weft_tensor mean = weft_buffer(g, s, "mean", WEFT_F32, weft_dims(8, 4), (weft_init){0});
    weft_layer_update(mean, y);
    const weft_tensor loss = weft_mean(weft_square(y), weft_axes(0, 1), false);
    const weft_updates step = weft_sgd(s, loss, &(weft_sgd_desc){.lr = 0.1f});
    char *const before = weft_graph_text(g);
    const size_t bytes = g->n + g->edges + g->attrs + g->dims + g->scopes;
    for (int unfused = 0; unfused < 2; unfused++) {
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(loss, w),
                                                         .update = step,
                                                         .training = true,
                                                         .unfused = unfused});
        if (!CHECK(p)) CHECK_STR(weft_error(c), "");
        weft_plan_free(p);
        char *const after = weft_graph_text(g);
        CHECK_STR(after, before);
        CHECK_EQ(g->n + g->edges + g->attrs + g->dims + g->scopes, bytes);
        weft_text_free(c, after);
    }
    weft_text_free(c, before);
    end();
}

TEST(empty_and_tiny_plans) {
    begin_on("cpu");
    CHECK_EQ(
        stats_of(weft_list(weft_sum(rows(0, 5), weft_axes(0), false)), (weft_updates){0}).products,
        0);
    CHECK_EQ(stats_of(weft_list(weft_exp(rows(0, 5))), (weft_updates){0}).products, 0);
    weft_tensor x = rows(3, 3);
    CHECK_EQ(stats_of(weft_list(x), (weft_updates){0}).kernels, 0); /* a feed is its own result */
    CHECK(stats_of(weft_list(weft_scalar(g, 2)), (weft_updates){0}).kernels <= 1);
    end();
}

/* ---- the text of a plan ---- */

TEST(the_text_says_what_will_run) {
    begin_on("cpu");
    weft_scope_push(g, "block3");
    weft_tensor x = rows(8, 12), t = weft_input(g, WEFT_I32, weft_dims(8));
    weft_tensor h = weft_relu(weft_linear(s, x, 24, "fc"));
    weft_tensor loss = weft_cross_entropy(weft_linear(s, h, 5, "out"), t);
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(loss), .update = weft_adam(s, loss, NULL)});
    weft_stats st = weft_plan_stats(p);
    char *text = weft_plan_text(p), line[100];
    snprintf(line, sizeof line, "plan: %u steps", st.kernels);
    CHECK_HAS(text, line);
    snprintf(line, sizeof line, "arena %zu bytes", st.arena_bytes);
    CHECK_HAS(text, line);
    CHECK_HAS(text, "in block3");
    CHECK_HAS(text, "matmul");
    CHECK_HAS(text, "[8,24]");
    CHECK_HAS(text, "adam");
    CHECK_HAS(text, "rowsum");
    CHECK_EQ(occurrences(text, "  matmul "), (int)st.products);
    weft_text_free(c, text);
    text = weft_graph_text(g);
    CHECK_HAS(text, "matmul");
    CHECK_HAS(text, "f32[8,24]");
    CHECK_HAS(text, "in block3");
    weft_text_free(c, text);
    weft_plan_free(p);
    end();
}
