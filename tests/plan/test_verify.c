/* test_verify.c - the verifier of src/plan/verify.c: each invariant is broken on purpose, and found.
 *
 * Graphs and clusters are broken in a compilation that is driven by hand, steps and buffers in a
 * finished plan. What is broken is mended again, so that one plan serves all cases. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* setenv */
#endif
#include "models.h"
#include "one_graph.h"
#include "plan/lower.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

/* Breaks an integer, expects the message, mends it. */
#define BROKEN(place, value, check, part)                                                          \
    do {                                                                                           \
        CASE("%s = %s", #place, #value);                                                           \
        const __typeof__(place) kept_ = (place);                                                   \
        (place) = (value);                                                                         \
        CHECK_EQ(check, WEFT_DEVICE);                                                              \
        CHECK_HAS(weft_error(c), part);                                                            \
        (place) = kept_;                                                                           \
        CHECK_EQ(check, WEFT_OK);                                                                  \
    } while (0)

/* ---- a compilation by hand, up to the clusters ---- */

typedef struct by_hand {
    weft_tensor x, sum, view, padded, product, all, index;
    weft_plan_desc desc;
    weft_plan plan;
    compile c;
} by_hand;

static bool by_hand_begin(by_hand *h) {
    h->x = weft_input(g, WEFT_F32, weft_dims(6, 4));
    h->view = weft_slice(h->x, 0, 1, 5, 2);
    h->padded = weft_pad(h->x, 1, 1, 2, 0);
    h->sum = weft_sum(weft_exp(h->x), weft_dims(1), true);
    h->product = weft_matmul(h->x, weft_transpose(h->x, 0, 1));
    h->index = weft_neg(weft_permute(h->padded, weft_dims(1, 0)));
    h->all = weft_concat(weft_list(weft_relu(h->product), weft_expand(h->sum, weft_dims(6, 2))), 1);
    h->plan = (weft_plan){.ctx = c, .m = &c->m};
    h->c = (compile){.ctx = c,
                     .m = &c->m,
                     .desc = &h->desc,
                     .plan = &h->plan,
                     .g = g,
                     .n = g->n,
                     .memory = {.m = &c->m}};
    h->c.live = arena_new(&h->c.memory, g->n);
    h->c.fence = arena_new(&h->c.memory, g->n);
    h->c.stored = arena_new(&h->c.memory, g->n);
    if (!CHECK(h->c.live && h->c.fence && h->c.stored)) return false;
    memset(h->c.live + 1, 1, g->n - 1);
    h->c.stored[h->all.id] = h->c.stored[h->index.id] = STORED_HARD;
    return CHECK_EQ(view_pass(&h->c), WEFT_OK) && CHECK_EQ(inline_pass(&h->c), WEFT_OK) &&
           CHECK_EQ(fuse_pass(&h->c), WEFT_OK);
}

static void by_hand_end(by_hand *h) {
    compile_release(&h->c); /* with the graph */
    weft_state_free(s);
    weft_close(c);
}

TEST(what_is_wrong_with_a_graph) {
    by_hand h = {.plan = {.threads = 1}};
    begin();
    if (!by_hand_begin(&h)) return;
    CHECK_EQ(verify_graph(&h.c, "a test"), WEFT_OK);
#define GRAPH(place, value, part) BROKEN(place, value, verify_graph(&h.c, "a test"), part)
    node *sum = &g->node[h.sum.id], *view = &g->node[h.view.id], *pad = &g->node[h.padded.id],
         *product = &g->node[h.product.id], *all = &g->node[h.all.id];
    GRAPH(g->edge[sum->in], h.sum.id, "does not come first");
    GRAPH(g->edge[sum->in], 0, "does not come first");
    GRAPH(sum->nin, 2, "is none");
    GRAPH(sum->op, OP_COUNT, "is none");
    GRAPH(sum->attr, (uint32_t)g->attrs, "outside the pools");
    GRAPH(g->attr[sum->attr], 1, "shapes");
    GRAPH(g->dim[sum->dim], 5, "shapes");
    GRAPH(g->attr[view->attr + 1], 4, "shapes");
    GRAPH(g->attr[pad->attr + 1], -1, "shapes");
    GRAPH(g->dim[product->dim + 1], 5, "shapes");
    GRAPH(g->attr[all->attr], 2, "shapes");
    GRAPH(g->dim[all->dim + 1], 9, "shapes");
    GRAPH(h.c.live[h.sum.id], 0, "not live");
#undef GRAPH
    by_hand_end(&h);
}

TEST(what_is_wrong_with_views) {
    by_hand h = {.plan = {.threads = 1}};
    begin();
    if (!by_hand_begin(&h)) return;
    CHECK_EQ(verify_views(&h.c, "a test"), WEFT_OK);
#define VIEWS(place, value, part) BROKEN(place, value, verify_views(&h.c, "a test"), part)
    aview *v = &h.c.view[h.view.id], *pad = &h.c.view[h.padded.id];
    VIEWS(v->off, 17, "leaves its base");
    VIEWS(v->off, 13, "leaves its base"); /* by one element */
    VIEWS(v->off, -1, "leaves its base");
    VIEWS(v->stride[0], 24, "leaves its base");
    VIEWS(v->base, 0, "no base");
    VIEWS(v->base, h.all.id, "no base");
    VIEWS(v->at, h.all.id, "begins nowhere");
    VIEWS(pad->lo[1], -3, "leaves its base");
    VIEWS(pad->guard, false, "leaves its base");
    placing *at = &h.c.placed[h.product.id];
    *at = (placing){.given = true, .inside = h.all.id, .off = 2, .stride = {8, 1}};
    CHECK_EQ(verify_views(&h.c, "a test"), WEFT_OK);
    VIEWS(at->off, 3, "leaves what it lies in"); /* by one element */
    VIEWS(at->off, -1, "leaves what it lies in");
    VIEWS(at->stride[0], 9, "leaves what it lies in");
    VIEWS(at->inside, h.index.id, "leaves what it lies in");
#undef VIEWS
    by_hand_end(&h);
}

TEST(what_is_wrong_with_clusters) {
    by_hand h = {.plan = {.threads = 1}};
    begin();
    if (!by_hand_begin(&h)) return;
    CHECK_EQ(verify_clusters(&h.c, "a test"), WEFT_OK);
#define CLUSTERS(place, value, part) BROKEN(place, value, verify_clusters(&h.c, "a test"), part)
    const uint32_t k = h.c.cluster_of[h.product.id], last = h.c.cluster_of[h.all.id];
    CLUSTERS(h.c.cluster_of[h.product.id], last, "to two clusters or to none");
    CLUSTERS(h.c.cluster_of[h.product.id], 0, "to two clusters or to none");
    CLUSTERS(h.c.cluster_of[h.x.id], k, "what is not computed");
    CLUSTERS(h.c.cluster[k].nodes, 7, "lost members");
    CLUSTERS(h.c.cluster[k].pos, 0, "no place");
    CLUSTERS(h.c.cluster[last].pos, 1, "later or never");
    CLUSTERS(h.c.cluster[k].pos, h.c.cluster[last].pos, "later or never"); /* its first operand */
    CLUSTERS(h.c.cluster[k].kind, CLUSTER_GONE, "to no cluster");
    CLUSTERS(h.c.next[h.product.id], h.product.id, "to two clusters or to none");
#undef CLUSTERS
    by_hand_end(&h);
}

/* ---- a finished plan ---- */

static weft_plan *plan_of_steps(void) {
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(8, 4));
    weft_tensor w = weft_param(g, s, "w", weft_dims(4, 4), (weft_init){0});
    weft_tensor v = weft_param(g, s, "v", weft_dims(4, 4), (weft_init){0});
    weft_tensor y = weft_matmul(weft_softmax(x, 1), w), z = weft_cumsum(weft_tanh(y), 0);
    weft_tensor q = weft_matmul(weft_transpose(y, 0, 1), z);
    weft_updates u =
        weft_updates_join(g, weft_assign(w, weft_matmul(q, q)), weft_assign(v, weft_cumsum(q, 0)));
    return weft_compile(g, &(weft_plan_desc){.fetch = weft_list(z), .update = u});
}

static uint32_t state_buffer(const weft_plan *p, uint32_t not ) {
    for (uint32_t b = 0; b < p->bufs; b++)
        if (p->buf[b].place == BUF_STATE && b != not ) return b;
    return KNOBUF;
}

TEST(what_is_wrong_with_steps) {
    begin();
    weft_plan *p = plan_of_steps();
    if (!p) CHECK_STR(weft_error(c), "a plan");
    size_t kern = 0, product = 0;
    while (p && kern < p->steps && p->step[kern].kind != STEP_KERNEL) kern++;
    while (p && product < p->steps && p->step[product].kind != STEP_MATMUL) product++;
    if (!p || !CHECK(kern < p->steps && product < p->steps)) return;
    CHECK_EQ(verify_plan(p, "a test"), WEFT_OK);
#define STEPS(place, value, part) BROKEN(place, value, verify_plan(p, "a test"), part)
    kernel *k = p->step[kern].kern;
    step *m = &p->step[product];
    int load = 0, store = k->nins - 1;
    while (k->ins[load].op != K_LOAD) load++;
    STEPS(p->step[kern].kind, STEP_KINDS, "is none");
    STEPS(p->step[kern].nin, 2, "no operands");
    STEPS(p->step[kern].kern, NULL, "no operands");
    STEPS(m->nin, STEP_OPERANDS, "is none");
    STEPS(m->in[0].buf, (uint32_t)p->bufs, "is nowhere");
    STEPS(m->in[0].buf, KNOBUF, "has no buffer");
    STEPS(m->in[0].off, 1, "leaves its buffer");
    STEPS(m->in[0].dim[0], 9, "leaves its buffer");
    STEPS(k->inner, 2, "no loop");
    STEPS(k->dim[0], -1, "negative");
    STEPS(k->dim[0], 1000, "leaves its buffer");
    STEPS(k->ins[store].a, (uint16_t)store, "too early");
    STEPS(k->ins[store].view, k->nview, "leaves its buffer");
    STEPS(k->ins[store].op, K_CONST, "stores nothing");
    STEPS(k->ins[load].op, OP_matmul, "is none");
    STEPS(k->view[k->ins[load].view].off, 1000, "leaves its buffer");
    STEPS(k->view[k->ins[load].view].off, -1, "leaves its buffer");
    STEPS(k->view[k->ins[load].view].buf, KNOBUF, "leaves its buffer");
    STEPS(k->view[k->ins[load].view].at, (uint32_t)p->bufs, "leaves its buffer");
    STEPS(p->out[0].bytes, 1 << 20, "no memory");
    STEPS(p->buf[m->in[2].buf].passing, true, "is not taken");
    STEPS(p->buf[m->in[0].buf].passing, true, "is not taken");
    const uint32_t w = state_buffer(p, KNOBUF), v = state_buffer(p, w);
    size_t writes = 0; /* the last step that writes a state shall write the other one */
    for (size_t i = 0; i < p->steps; i++)
        if (p->step[i].nout && p->buf[p->step[i].in[p->step[i].nin].buf].place == BUF_STATE)
            writes = i;
    step *last = &p->step[writes];
    uint32_t *to = &last->in[last->nin].buf;
    if (CHECK(v != KNOBUF && writes)) {
        step *first = NULL;
        for (size_t i = 0; i + 1 < writes && !first; i++)
            if (p->step[i].nout && p->step[i].in[p->step[i].nin].buf != *to &&
                p->buf[p->step[i].in[p->step[i].nin].buf].bytes >= p->buf[*to].bytes)
                first = &p->step[i];
        if (CHECK(first)) STEPS(first->in[first->nin].buf, *to, "by two steps");
    }
#undef STEPS
    weft_plan_free(p);
    end();
}

TEST(what_is_wrong_with_the_arena) {
    begin();
    weft_plan *p = plan_of_steps();
    if (!p) CHECK_STR(weft_error(c), "a plan");
    size_t product = 0;
    while (p && product < p->steps && p->step[product].kind != STEP_MATMUL) product++;
    if (!p || !CHECK(product < p->steps)) return;
    CHECK_EQ(memory_check(p), WEFT_OK);
#define ARENA(place, value, part) BROKEN(place, value, memory_check(p), part)
    const uint32_t in = p->step[product].in[0].buf, out = p->step[product].in[2].buf;
    ARENA(p->buf[in].offset, p->buf[out].offset, "overlap");
    ARENA(p->buf[out].offset, p->arena_bytes, "leaves the arena");
    ARENA(p->buf[in].last, 0, "not alive");
    ARENA(p->buf[out].first, (uint32_t)p->steps, "not alive");
    ARENA(p->step[0].kern->nins, 0, "never written");
#undef ARENA
    weft_plan_free(p);
    end();
}
#undef BROKEN

/* ---- nothing is wrong ---- */

static void sound_log(void *user, const char *line) {
    (void)user, (void)line;
}

/* A context whose compiler checks every pass, whatever this build does by itself. */
static void begin_verified_on(const char *device) {
    setenv("WEFT_DEBUG", "1", 1);
    c = weft_open_with(&(weft_open_desc){.device = device, .threads = 1, .log = sound_log});
    unsetenv("WEFT_DEBUG");
    s = weft_state_new(c);
    g = weft_graph_new(c);
}

static void begin_verified(void) {
    begin_verified_on("cpu");
}

static void sound(weft_tensors fetch, weft_updates update) {
    for (int way = 0; way < 3; way++) {
        weft_plan *p = weft_compile(
            g, &(weft_plan_desc){
                   .fetch = fetch, .update = update, .unfused = way == 1, .portable = way == 2});
        if (!CHECK(p)) CHECK_STR(weft_error(c), "");
        weft_plan_free(p);
    }
}

TEST(nothing_is_wrong_with_models) {
    for (int i = 0; i < MODELS; i++) {
        CASE("%s", model_table[i].name);
        begin_verified();
        model m = {0};
        model_table[i].build(g, s, &m);
        sound(weft_list(m.loss, m.y), m.update);
        end();
    }
}

TEST(nothing_is_wrong_on_a_device_that_evaluates_graphs) {
    for (int i = 0; i < MODELS; i++) {
        CASE("%s", model_table[i].name);
        begin_verified_on("ref");
        model m = {0};
        model_table[i].build(g, s, &m);
        weft_plan *p =
            weft_compile(g, &(weft_plan_desc){.fetch = weft_list(m.loss, m.y), .update = m.update});
        if (!CHECK(p)) CHECK_STR(weft_error(c), "");
        weft_plan_free(p);
        end();
    }
}

TEST(the_graph_of_the_user_is_looked_at) {
    static const char *const devices[] = {"cpu", "ref"};
    for (int i = 0; i < 2; i++) {
        CASE("%s", devices[i]);
        begin_verified_on(devices[i]);
        const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(6, 4)), y = weft_exp(x);
        int64_t *const dim = &g->dim[g->node[y.id].dim];
        const int64_t was = *dim;
        *dim = 5;
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
        CHECK(!p);
        CHECK_HAS(weft_error(c), "verify: after request, shapes do not agree");
        weft_plan_free(p);
        *dim = was;
        sound(weft_list(y), (weft_updates){0});
        end();
    }
}

TEST(nothing_is_wrong_with_views_of_all_kinds) {
    begin_verified();
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(6, 4));
    const weft_tensor wide = weft_input(g, WEFT_F32, weft_dims(2, 3, 2, 1, 2, 2, 2, 3));
    const weft_tensor at = weft_input(g, WEFT_I32, WEFT_0D), none = weft_slice(x, 0, 2, 2, 1);
    const weft_tensor k = weft_input(g, WEFT_I32, weft_dims(3));
    const weft_tensor turned = weft_permute(wide, weft_dims(7, 5, 3, 1, 0, 2, 4, 6));
    const weft_tensor batch = weft_reshape(wide, weft_dims(6, 8, 6));
    const weft_tensor fetch[] = {
        weft_exp(weft_flip(x, 0)),
        weft_flip(weft_slice(x, 1, 1, 4, 2), 1),
        weft_neg(weft_slice_at(x, 0, at, 2)),
        weft_concat(weft_list(weft_slice_at(x, 1, at, 1), x), 1),
        weft_pad(weft_transpose(x, 0, 1), 0, 0, 3, 0),
        weft_neg(none),
        weft_sum(none, weft_dims(0), false),
        weft_matmul(weft_transpose(none, 0, 1), none),
        weft_exp(weft_pad(none, 0, 1, 1, 2)),
        weft_gather(x, k, 0),
        weft_gather(none, k, 1),
        weft_add(weft_exp(turned), weft_sum(turned, weft_dims(0, 3), true)),
        weft_matmul(batch, weft_transpose(batch, 1, 2)),
        weft_matmul(weft_reshape(turned, weft_dims(6, 6, 8)), batch),
        weft_cumsum(weft_transpose(x, 0, 1), 0),
        weft_mul(weft_iota(g, weft_dims(6, 4), 1), weft_cast(weft_argmax(x, 1, true), WEFT_I32)),
        weft_mul(weft_uniform(g, weft_dims(6, 4)), x),
    };
    for (size_t i = 0; i < sizeof fetch / sizeof *fetch; i++) {
        CASE("%zu", i);
        sound((weft_tensors){&fetch[i], 1}, (weft_updates){0});
    }
    CASE("all of them");
    sound((weft_tensors){fetch, sizeof fetch / sizeof *fetch}, (weft_updates){0});
    end();
}
