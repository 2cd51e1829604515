/* test_faults.c - the n-th allocation fails, for every n, in some forty small programs.
 *
 * A program records, compiles, runs and looks around. Whatever fails must be reported as out of
 * memory, nothing may leak, and a program that claims success must have computed what it computes
 * with all the memory in the world. Two kinds of failure: one allocation only, and all from the
 * n-th on. In the first kind compiling is tried again, and must then succeed. */
#include "feed.h"
#include "heap.h"
#include "models.h"
#include "test.h"

#include <limits.h>
#include <stdio.h>

/* ---- a program ---- */

enum { FETCHES = 8 };
typedef struct job {
    weft_ctx *c;
    weft_state *s;
    weft_graph *g;
    weft_plan *p;
    weft_tensor x, m, i, f; /* inputs: f32 [4,6], f32 [6,5], i32 [4], image f32 [2,3,6,6] */
    weft_tensor fetch[FETCHES];
    size_t fetches;
    weft_updates update;
    uint64_t hash;
} job;

typedef struct program {
    const char *name;
    void (*record)(job *j);
    bool (*after)(job *j); /* with the plan made and run; false when it failed */
    const char *device;
    int threads;
    bool unfused, portable;
} program;

static void want(job *j, weft_tensor t) {
    if (j->fetches < FETCHES) j->fetch[j->fetches++] = t;
}

static void with_grad(job *j, weft_tensor y, weft_tensor wrt) {
    weft_tensor d = {0};
    weft_grad(y, &wrt, 1, &d);
    want(j, y), want(j, d);
}

static weft_tensor total(weft_tensor x) {
    return weft_sum(x, WEFT_ALL, false);
}

static void hash_more(job *j, const void *p, size_t bytes) {
    const unsigned char *at = p;
    for (size_t i = 0; i < bytes; i++) j->hash = (j->hash ^ at[i]) * 0x100000001b3ull;
}

/* ---- what is recorded ---- */

static void r_map(job *j) {
    with_grad(j, weft_mul(weft_exp(j->x), weft_gelu(j->x)), j->x);
}
static void r_integers(job *j) {
    want(j, weft_where(weft_lt(j->i, weft_integer(j->g, 1)), weft_mod(j->i, weft_integer(j->g, 3)),
                       weft_xor(j->i, weft_integer(j->g, 5))));
}
static void r_fold(job *j) {
    with_grad(j, weft_var(j->x, weft_axes(0), false), j->x);
    want(j, weft_argmax(j->x, 1, false));
    want(j, weft_any(j->x, weft_axes(1), true));
}
static void r_matmul(job *j) {
    with_grad(j, weft_relu(weft_matmul(j->x, j->m)), j->m);
}
static void r_batched(job *j) {
    weft_tensor a = weft_reshape(j->f, weft_dims(2, 3, 6, 6));
    with_grad(j, weft_matmul(a, weft_transpose(a, 2, 3)), j->f);
}
static void r_einsum(job *j) {
    with_grad(j, weft_einsum("ij,jk,il->lk", weft_list(j->x, j->m, j->x)), j->x);
}
static void r_diagonal(job *j) {
    want(j, weft_einsum("bcii->cb", weft_list(j->f)));
}
static void r_conv2d(job *j) {
    weft_tensor w =
        weft_reshape(weft_iota(j->g, weft_dims(4 * 3 * 3 * 3), 0), weft_dims(4, 3, 3, 3));
    weft_tensor y = weft_conv2d(j->f, weft_scale(weft_cast(w, WEFT_F32), 0.01f),
                                &(weft_conv_desc){.padding = {1, 1}, .stride = {2, 1}});
    with_grad(j, y, j->f);
}
static void r_conv1d(job *j) {
    weft_tensor x = weft_reshape(j->f, weft_dims(2, 3, 36)),
                w = weft_full(j->g, weft_dims(3, 2, 4), 0.5f);
    with_grad(j, weft_conv_transpose1d(x, w, &(weft_conv_desc){.stride = {2, 0}}), j->f);
}
static void r_pool(job *j) {
    weft_pool_desc d = {.size = {3, 2}, .padding = {1, 0}};
    with_grad(j, weft_max_pool(j->f, &d), j->f);
    with_grad(j, weft_avg_pool(j->f, &d), j->f);
}
static void r_attention(job *j) {
    weft_tensor q = weft_reshape(j->f, weft_dims(2, 3, 6, 6));
    with_grad(j, weft_attention(q, q, q, &(weft_attention_desc){.causal = true}), j->f);
}
static void r_masked(job *j) {
    weft_tensor q = weft_reshape(j->f, weft_dims(2, 3, 6, 6));
    weft_tensor mask = weft_lt(weft_iota(j->g, weft_dims(6, 6), 0), weft_integer(j->g, 4));
    with_grad(j, weft_attention(q, q, q, &(weft_attention_desc){.mask = mask}), j->f);
}
static void r_groups(job *j) {
    weft_tensor q = weft_reshape(j->f, weft_dims(2, 3, 6, 6)), k = weft_slice(q, 1, 1, 2, 1);
    q = weft_rope(q, weft_iota(j->g, weft_dims(6), 0), NULL);
    with_grad(j, weft_attention(q, k, k, &(weft_attention_desc){.causal = true, .window = 2}),
              j->f);
}
static void r_recur(job *j) {
    weft_tensor x = weft_reshape(j->f, weft_dims(6, 6, 6)), w = weft_slice(x, 0, 0, 4, 1);
    weft_tensor w_ih = weft_reshape(w, weft_dims(24, 6)),
                h0 = weft_squeeze(weft_slice(x, 0, 0, 1, 1), 0);
    weft_tensor lengths = weft_iota(j->g, weft_dims(6), 0), none = {0};
    weft_recurred r = weft_recur(WEFT_LSTM, x, w_ih, w_ih, none, none,
                                 &(weft_recur_desc){.h0 = h0, .lengths = lengths, .reverse = true});
    with_grad(j, r.y, j->f);
    want(j, r.c);
}
static void r_softmax(job *j) {
    with_grad(j, weft_log_softmax(j->x, 0), j->x);
    want(j, weft_softmax(j->x, -1));
    want(j, weft_logsumexp(j->x, 1, false));
}
static void r_linear_cross_entropy(job *j) {
    with_grad(j,
              weft_linear_cross_entropy(j->x, weft_sin(j->x), j->i,
                                        &(weft_linear_cross_entropy_desc){.rows = 2}),
              j->x);
}
static void r_cross_entropy(job *j) {
    with_grad(j, weft_cross_entropy(j->x, j->i), j->x);
}
static void r_norms(job *j) {
    weft_tensor none = {0};
    with_grad(j, weft_layer_norm(j->x, none, none, 1e-5f), j->x);
    weft_normed n = weft_batch_norm(j->f, none, none, 1e-5f);
    want(j, n.y), want(j, n.mean), want(j, n.var);
    with_grad(j, weft_group_norm(j->f, 3, none, none, 1e-5f), j->f);
}
static void r_concat(job *j) {
    weft_tensor part[3];
    weft_split(j->x, 1, 3, part);
    with_grad(j, weft_concat(weft_list(part[2], weft_exp(part[0]), part[1]), 1), j->x);
    want(j, weft_stack(weft_list(part[0], part[1]), 1));
}
static void r_wide_concat(job *j) {
    weft_tensor part[100];
    for (int k = 0; k < 100; k++) part[k] = weft_scale(j->x, (float)k);
    want(j, weft_concat((weft_tensors){part, 100}, 0));
}
static void r_sort(job *j) {
    weft_top t = weft_topk(j->x, 2, 1);
    want(j, t.values), want(j, t.indices);
    with_grad(j, weft_sort(j->x, 0, true), j->x);
}
static void r_pick(job *j) {
    with_grad(j, weft_embedding(weft_reshape(j->f, weft_dims(36, 6)), j->i), j->f);
    want(j, weft_one_hot(j->i, 5));
    with_grad(j, weft_gather(j->x, j->i, 1), j->x);
}
static void r_random(job *j) {
    want(j, weft_uniform(j->g, weft_dims(3, 3)));
    want(j, weft_normal(j->g, weft_dims(5)));
    want(j, weft_randint(j->g, -3, 9, weft_dims(7)));
    want(j, weft_permutation(j->g, 11));
    want(j, weft_dropout(j->x, 0.5f));
}
static void r_scan(job *j) {
    with_grad(j, weft_cumsum(j->x, 1), j->x);
    with_grad(j, weft_prod(j->x, weft_axes(0), false), j->x);
    with_grad(j, weft_linrec(j->x, j->x, 0, true), j->x);
}
static void r_views(job *j) {
    weft_tensor y = weft_pad(weft_flip(weft_slice(j->x, 1, 5, 0, -2), 0), 0, 1, 2, 7);
    with_grad(j, weft_tile(y, weft_dims(2, 3)), j->x);
    want(j, weft_slice_at(j->x, 1, weft_sum(j->i, WEFT_ALL, false), 2));
}
static void r_const(job *j) {
    static float big[5000];
    for (int k = 0; k < 5000; k++) big[k] = (float)k;
    want(j, weft_sqrt(weft_const(j->g, WEFT_F32, weft_dims(5, 1000), big)));
    want(j, weft_iota(j->g, weft_dims(2, 3), 1));
    want(j, weft_scalar(j->g, 3));
}
static void r_second(job *j) {
    weft_tensor d = {0};
    weft_grad(total(weft_sin(weft_mul(j->x, j->x))), &j->x, 1, &d);
    with_grad(j, total(weft_mul(d, d)), j->x);
}
static void r_checkpoint(job *j) {
    weft_tensor y = j->x;
    for (int k = 0; k < 3; k++) {
        weft_checkpoint_begin(j->g);
        y = weft_dropout(weft_sin(weft_exp(y)), 0.25f);
        weft_checkpoint_end(j->g);
    }
    with_grad(j, y, j->x);
}
static void rule_three(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in, size_t n,
                       weft_tensor *out) {
    (void)user, (void)y, (void)in, (void)n;
    out[0] = weft_scale(dy, 3);
}
static void r_custom(job *j) {
    with_grad(j, weft_custom_grad(weft_exp(j->x), weft_list(j->x), rule_three, NULL), j->x);
    with_grad(j, weft_straight_through(weft_round(j->x), j->x), j->x);
}
static void r_deep(job *j) { /* more nodes than the table of a new graph has places */
    weft_tensor y = j->x;
    for (int k = 0; k < 400; k++) y = weft_add(weft_scale(y, 0.9f), j->x);
    want(j, y);
}
static void r_scopes(job *j) {
    weft_tensor y = j->x;
    char name[] = "layer0";
    for (int k = 0; k < 6; k++) {
        name[5] = (char)('0' + k);
        weft_scope_push(j->g, name);
        weft_scope_push(j->g, "inner");
        y = weft_tanh(weft_linear(j->s, y, 4 + k, "fc"));
        weft_scope_pop(j->g);
        weft_scope_pop(j->g);
    }
    want(j, y);
    j->update = weft_sgd(j->s, total(y), &(weft_sgd_desc){.momentum = 0.9f, .decay = 0.1f});
}
static void r_assign(job *j) {
    weft_tensor a = weft_buffer(j->g, j->s, "a", WEFT_I32, weft_dims(4), (weft_init){0});
    weft_tensor b = weft_buffer(j->g, j->s, "b", WEFT_BF16, weft_dims(4, 6), (weft_init){0});
    j->update = weft_updates_join(j->g, weft_assign(a, weft_add(a, j->i)),
                                  weft_assign(b, weft_add(b, j->x)));
    want(j, a), want(j, b);
}
static void r_table(job *j) {
    weft_tensor a = weft_buffer(j->g, j->s, "a", WEFT_F32, weft_dims(9), (weft_init){0});
    weft_tensor y =
        weft_scatter_add(a, j->i, weft_slice(weft_reshape(j->x, weft_dims(24)), 0, 0, 4, 1), 0);
    j->update = weft_assign(a, y);
}
/* So many parameters that lists of updates do not fit where the graph has room left. */
static weft_tensor many(job *j) {
    weft_tensor y = j->x;
    for (int k = 0; k < 150; k++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", k);
        y = weft_add(
            y, weft_param(j->g, j->s, name, weft_dims(6), (weft_init){.kind = WEFT_INIT_ONES}));
    }
    want(j, y);
    return total(weft_square(y));
}
static void r_many_sgd(job *j) {
    j->update = weft_sgd(j->s, many(j), NULL);
}
static void r_many_adam(job *j) {
    j->update = weft_adam(j->s, many(j), NULL);
}
static void r_model(job *j, int which) {
    model m = {0};
    model_table[which].build(j->g, j->s, &m);
    want(j, m.loss);
    j->update = m.update;
}
static void r_dqn(job *j) {
    r_model(j, 0);
}
static void r_mlp(job *j) {
    r_model(j, 1);
}
static void r_cnn(job *j) {
    r_model(j, 2);
}
static void r_transformer(job *j) {
    r_model(j, 3);
}
static void r_dropout(job *j) {
    r_model(j, 4);
}

/* ---- what is done besides ---- */

static bool keep_text(job *j, char *text) {
    if (text) hash_more(j, text, strlen(text));
    weft_text_free(j->c, text);
    return text != NULL;
}
static bool a_plan_text(job *j) {
    return keep_text(j, weft_plan_text(j->p));
}
static bool a_graph_text(job *j) {
    return keep_text(j, weft_graph_text(j->g));
}
static bool a_emit(job *j) {
    return keep_text(j, weft_plan_emit_c(j->p, "net"));
}
static bool a_item(job *j) {
    float v = weft_item_of(weft_sum(weft_full(j->g, weft_dims(3, 3), 2), WEFT_ALL, false));
    hash_more(j, &v, sizeof v);
    return v == v;
}
static weft_plan *build_plan(weft_ctx *c, weft_state *s, const int64_t *key, int n, void *user) {
    (void)n, (void)user;
    weft_graph *g = weft_graph_new(c);
    if (!g) return NULL;
    weft_tensor y = weft_linear(s, weft_full(g, weft_dims(key[0], 3), 1), 2, "fc");
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    weft_graph_free(g);
    return p;
}
static bool a_plans(job *j) {
    weft_plans *ps = weft_plans_new(j->c, j->s, 2, build_plan, NULL);
    bool good = ps != NULL;
    for (int64_t key = 1; good && key < 5; key++) {
        weft_plan *p = weft_plans_get(ps, &key, 1);
        good = p && weft_run(p) == WEFT_OK;
    }
    weft_plans_free(ps);
    return good;
}
static bool a_late(job *j) { /* parameters made after the first compile */
    weft_tensor y = weft_linear(j->s, weft_full(j->g, weft_dims(2, 3), 1), 3, "late");
    weft_plan *p = weft_compile(
        j->g, &(weft_plan_desc){.update = weft_adam(j->s, weft_sum(y, WEFT_ALL, false), NULL)});
    bool good = p && weft_run(p) == WEFT_OK;
    weft_plan_free(p);
    return good;
}
static bool a_set(job *j) {
    float v[9] = {1, 2, 3};
    bool good = weft_state_set(j->s, "a", v, sizeof v) == WEFT_OK;
    float *copy = good ? weft_state_copy(j->s, "a") : NULL;
    good = copy && !memcmp(copy, v, sizeof v) && weft_state_hash(j->s) != 0;
    weft_resize(j->c, copy, 0);
    return good;
}

static const program table[] = {
    {.name = "map", .record = r_map},
    {.name = "integers", .record = r_integers},
    {.name = "folds", .record = r_fold},
    {.name = "matmul", .record = r_matmul},
    {.name = "batched matmul", .record = r_batched},
    {.name = "einsum", .record = r_einsum},
    {.name = "diagonal", .record = r_diagonal},
    {.name = "conv2d", .record = r_conv2d},
    {.name = "conv2d portable", .record = r_conv2d, .portable = true},
    {.name = "conv1d transposed", .record = r_conv1d},
    {.name = "conv1d transposed, expanded", .record = r_conv1d, .portable = true},
    {.name = "pooling", .record = r_pool},
    {.name = "attention", .record = r_attention},
    {.name = "masked attention", .record = r_masked},
    {.name = "rope and groups of heads", .record = r_groups},
    {.name = "recurrence", .record = r_recur},
    {.name = "recurrence unrolled", .record = r_recur, .portable = true},
    {.name = "softmax", .record = r_softmax},
    {.name = "cross entropy", .record = r_cross_entropy},
    {.name = "linear cross entropy", .record = r_linear_cross_entropy},
    {.name = "norms", .record = r_norms},
    {.name = "concat", .record = r_concat},
    {.name = "wide concat", .record = r_wide_concat},
    {.name = "sorting", .record = r_sort},
    {.name = "picking", .record = r_pick},
    {.name = "randomness", .record = r_random},
    {.name = "scans", .record = r_scan},
    {.name = "views", .record = r_views},
    {.name = "constants", .record = r_const},
    {.name = "second gradients", .record = r_second},
    {.name = "checkpoints", .record = r_checkpoint},
    {.name = "custom gradients", .record = r_custom},
    {.name = "a deep graph", .record = r_deep},
    {.name = "scopes and momentum", .record = r_scopes},
    {.name = "assignments", .record = r_assign},
    {.name = "a table", .record = r_table, .after = a_set},
    {.name = "many parameters, sgd", .record = r_many_sgd},
    {.name = "many parameters, adam", .record = r_many_adam},
    {.name = "dqn", .record = r_dqn},
    {.name = "mlp", .record = r_mlp},
    {.name = "cnn", .record = r_cnn},
    {.name = "transformer", .record = r_transformer},
    {.name = "dropout", .record = r_dropout},
    {.name = "unfused", .record = r_dropout, .unfused = true},
    {.name = "three threads", .record = r_dqn, .threads = 3},
    {.name = "reference", .record = r_norms, .device = "ref"},
    {.name = "reference training", .record = r_scopes, .device = "ref"},
    {.name = "no device", .record = r_transformer, .device = "null"},
    {.name = "text of a plan", .record = r_scopes, .after = a_plan_text},
    {.name = "text of a graph", .record = r_scopes, .after = a_graph_text},
    {.name = "a plan as C", .record = r_scopes, .after = a_emit, .portable = true},
    {.name = "an item", .record = r_map, .after = a_item},
    {.name = "plans by key", .record = r_map, .after = a_plans},
    {.name = "late parameters", .record = r_scopes, .after = a_late},
};

/* ---- running a program once ---- */

static bool results(job *j) {
    for (size_t k = 0; k < j->fetches; k++) {
        size_t bytes =
            (size_t)weft_count(j->fetch[k]) * weft_dtype_size(weft_dtype_of(j->fetch[k]));
        char *v = malloc(bytes + 1);
        weft_err e = v ? weft_get(j->p, j->fetch[k], v, bytes) : WEFT_MEMORY;
        if (e == WEFT_OK) hash_more(j, v, bytes);
        free(v);
        if (e != WEFT_OK) return false;
    }
    return true;
}

static void feeds(job *j) {
    float v[216];
    for (uint32_t i = 0; i < 216; i++) v[i] = 0.6f + 0.5f * model_number(i, 3);
    /* inputs a program does not read are refused, which is as it should be */
    weft_set(j->p, j->x, v, 24 * sizeof *v);
    weft_set(j->p, j->m, v, 30 * sizeof *v);
    weft_set(j->p, j->f, v, 216 * sizeof *v);
    weft_set(j->p, j->i, (int32_t[]){0, 2, 1, 2}, 16);
}

static bool whole(const program *w, heap *h, job *j) {
    j->c = weft_open_with(&(weft_open_desc){.device = w->device,
                                            .threads = w->threads ? w->threads : 1,
                                            .resize = heap_resize,
                                            .user = h});
    j->s = j->c ? weft_state_new(j->c) : NULL;
    j->g = j->s ? weft_graph_new(j->c) : NULL;
    if (!j->g) return false;
    if (w->record != r_dqn && w->record != r_mlp && w->record != r_cnn) {
        j->x = weft_input(j->g, WEFT_F32, weft_dims(4, 6));
        j->m = weft_input(j->g, WEFT_F32, weft_dims(6, 5));
        j->i = weft_input(j->g, WEFT_I32, weft_dims(4));
        j->f = weft_input(j->g, WEFT_F32, weft_dims(2, 3, 6, 6));
    }
    w->record(j);
    const weft_plan_desc d = {.fetch = {j->fetch, j->fetches},
                              .update = j->update,
                              .threads = w->threads,
                              .unfused = w->unfused,
                              .portable = w->portable};
    j->p = weft_compile(j->g, &d);
    if (!j->p && !h->for_ever && weft_graph_error(j->g) == WEFT_OK) {
        CHECK_EQ(weft_error_code(j->c), WEFT_MEMORY);
        CHECK(h->failed);
        j->p = weft_compile(j->g, &d); /* the memory is back: so must the plan be */
        CHECK(j->p);
    }
    if (!j->p) return false;
    feeds(j);
    feed_zeros(j->p); /* those of models */
    for (int run = 0; run < 2; run++)
        if (weft_run(j->p) != WEFT_OK || !results(j)) return false;
    return !w->after || w->after(j);
}

static uint64_t once(const program *w, heap *h, bool *good) {
    job j = {.hash = 0xcbf29ce484222325ull};
    h->made = h->live = 0;
    h->failed = false;
    *good = whole(w, h, &j);
    if (*good && j.s) {
        uint64_t last = weft_state_hash(j.s);
        *good = last != 0 || weft_state_count(j.s) == 0;
        hash_more(&j, &last, sizeof last);
    }
    if (!*good) CHECK_EQ(weft_error_code(j.c), WEFT_MEMORY);
    if (!*good) CHECK(*weft_error(j.c));
    weft_plan_free(j.p);
    weft_graph_free(j.g);
    weft_state_free(j.s);
    weft_close(j.c);
    CHECK_EQ(h->live, 0);
    return j.hash;
}

TEST(every_allocation_may_fail) {
    const size_t programs = sizeof table / sizeof *table;
    const long points = test_sanitized() && !test_long() ? 12 : LONG_MAX;
    for (size_t i = 0; i < programs; i++) {
        CASE("%s", table[i].name);
        heap h = {0};
        bool good;
        uint64_t hash = once(&table[i], &h, &good);
        CHECK(good);
        long all = h.made, stride = all > points ? all / points : 1;
        for (int kind = 0; kind < 2; kind++)
            for (long at = 1 + (kind ? stride / 2 : 0); at <= all; at += stride) {
                heap f = {.fail_at = at, .for_ever = kind == 1};
                uint64_t got = once(&table[i], &f, &good);
                if (!CHECK(f.failed)) break;
                if (good && !CHECK(got == hash)) printf("     at allocation %ld of %ld\n", at, all);
            }
    }
}
