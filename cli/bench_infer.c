/* bench_infer.c - networks that only answer: a picture at a time, and a language model that gives
 * one word more to each of eight texts.
 *
 * A decoder keeps the keys and values of the words before; each step writes one row of them. Its
 * answers must be those of the same network that reads the whole text at once, by the reference
 * backend, and so must those of the pictures. What is compared is a sum of all logits with random
 * weights. */
#include "recipes.h"

#include "bench_truth.h"
#include "command.h"

#include <weft/nn.h>

#include <math.h>
#include <stdlib.h>

typedef struct infer_job {
    bench *b;
    weft_ctx *c;
    weft_state *s;
    weft_graph *g;
    weft_plan *p;
    weft_tensor in, place, out, same; /* same: the input of the reference */
    recipe_gpt net;
    int32_t *words; /* [texts, length] */
} infer_job;

enum { INFER_TEXTS = 8, INFER_READ = 2 }; /* words before what is compared */

static bool infer_begin(bench *b, infer_job *j) {
    *j = (infer_job){.b = b, .c = b->ctx, .s = weft_state_new(b->ctx)};
    j->g = j->s ? weft_graph_new(b->ctx) : NULL;
    if (!j->g) return false;
    weft_state_seed(j->s, 1);
    weft_graph_eval(j->g);
    return true;
}

static void infer_end(infer_job *j) {
    weft_plan_free(j->p);
    weft_graph_free(j->g);
    weft_state_free(j->s);
    free(j->words);
}

/* ---- are the answers right? ---- */

static float *infer_weights(int64_t n) {
    float *const w = malloc((size_t)n * sizeof *w);
    if (w) bench_fill(&(bench_random){7}, w, n);
    return w;
}

static weft_tensor infer_weighed(weft_tensor out) {
    float *const w = infer_weights(weft_count(out));
    const weft_tensor by = w ? weft_const(out.g, WEFT_F32, weft_shape_of(out), w) : out;
    free(w);
    return weft_sum(weft_mul(out, by), WEFT_ALL, false);
}

static int infer_right(infer_job *j, const reference_desc *d) {
    const int64_t n = weft_count(j->out);
    float *const w = infer_weights(n), *const got = malloc((size_t)n * sizeof *got);
    reference *const by = w && got ? reference_new(j->s, d) : NULL;
    double sum = 0, size = 0;
    int status = EXIT_GOOD;
    if (!by || weft_get(j->p, j->out, got, (size_t)n * sizeof *got) != WEFT_OK)
        status = bench_failed(j->b, "the reference");
    for (int64_t i = 0; i < n && status == EXIT_GOOD; i++) {
        sum += (double)got[i] * (double)w[i];
        size += fabs((double)got[i] * (double)w[i]);
    }
    if (status == EXIT_GOOD) {
        const double want = reference_loss(by);
        if (!(fabs(sum - want) <= 1e-6 * size))
            status =
                bench_wrong(j->b, "weighed, the logits are %.9g, by the reference %.9g", sum, want);
    }
    reference_free(by);
    free(w), free(got);
    return status;
}

static int infer_time(infer_job *j, const char *things, double each) {
    bench_line l = {.part = "", .work = BENCH_FLOPS};
    const int status = bench_plan_time(j->b, j->p, &l);
    if (status != EXIT_GOOD) return status;
    const double rate = each * 1e6 / l.time.median_us;
    l.amount = l.stats.flops;
    bench_number(&l, things, rate);
    snprintf(l.note, sizeof l.note, "%.0f/s", rate);
    bench_write(j->b, &l);
    return EXIT_GOOD;
}

/* ---- a picture ---- */

static weft_tensor infer_picture(weft_graph *g, weft_state *s, weft_tensor *in) {
    *in = weft_input(g, WEFT_F32, weft_dims(1, 3, 32, 32));
    return recipe_pictures(s, *in);
}

static weft_tensor infer_same_picture(void *user, weft_graph *g, weft_state *s) {
    return infer_weighed(infer_picture(g, s, &((infer_job *)user)->same));
}

static bool infer_feed_picture(void *user, weft_plan *p) {
    const infer_job *const j = user;
    float *const x = weft_feed(p, p == j->p ? j->in : j->same);
    if (x) bench_fill(&(bench_random){1}, x, weft_count(j->in));
    return x != NULL;
}

int bench_infer_cnn(bench *b) {
    infer_job j;
    int status = EXIT_GOOD;
    if (infer_begin(b, &j)) {
        j.out = infer_picture(j.g, j.s, &j.in);
        j.p =
            weft_compile(j.g, &(weft_plan_desc){.fetch = weft_list(j.out), .threads = b->threads});
    }
    if (!j.p || !infer_feed_picture(&j, j.p) || weft_run(j.p) != WEFT_OK)
        status = bench_failed(b, "starting");
    if (status == EXIT_GOOD)
        status = infer_right(&j, &(reference_desc){infer_same_picture, infer_feed_picture, &j});
    if (status == EXIT_GOOD) status = infer_time(&j, "images_per_s", 1);
    infer_end(&j);
    return status;
}

/* ---- a word ---- */

static weft_tensor infer_linear(weft_state *s, weft_tensor x, int64_t out, int layer,
                                const char *part) {
    char name[40];
    snprintf(name, sizeof name, "h.%d.%s", layer, part);
    return weft_nn_linear(s, x, out, name, &(weft_nn_linear_desc){.transposed = true});
}

static weft_tensor infer_norm(weft_state *s, weft_tensor x, int layer, const char *part) {
    char name[40];
    snprintf(name, sizeof name, "h.%d.%s", layer, part);
    return weft_nn_layer_norm(s, x, name, NULL);
}

/* The cache with one row more: [texts, heads, places, width / heads]. */
static weft_tensor infer_kept(const infer_job *j, int layer, const char *what, weft_tensor row) {
    char name[40];
    const int64_t heads = j->net.heads, each = j->net.width / heads;
    snprintf(name, sizeof name, "cache.%d.%s", layer, what);
    const weft_tensor cache =
        weft_buffer(j->g, j->s, name, WEFT_F32, weft_dims(INFER_TEXTS, heads, j->net.places, each),
                    (weft_init){.kind = WEFT_INIT_ZEROS});
    const weft_tensor next = weft_slice_write(cache, 2, j->place, row);
    weft_layer_update(cache, next);
    return next;
}

static weft_tensor infer_attend(const infer_job *j, weft_tensor x, int layer) {
    const int64_t heads = j->net.heads, width = j->net.width;
    weft_tensor part[3];
    weft_split(infer_linear(j->s, x, 3 * width, layer, "attn.c_attn"), 2, 3, part);
    for (int i = 0; i < 3; i++)
        part[i] = weft_transpose(
            weft_reshape(part[i], weft_dims(INFER_TEXTS, 1, heads, width / heads)), 1, 2);
    const weft_tensor at = weft_iota(j->g, weft_dims(1, j->net.places), 1);
    const weft_attention_desc seen = {.mask = weft_le(at, j->place)};
    const weft_tensor y = weft_attention(part[0], infer_kept(j, layer, "k", part[1]),
                                         infer_kept(j, layer, "v", part[2]), &seen);
    const weft_tensor flat =
        weft_reshape(weft_transpose(y, 1, 2), weft_dims(INFER_TEXTS, 1, width));
    return infer_linear(j->s, flat, width, layer, "attn.c_proj");
}

/* The network of recipe_gpt_logits for one word of each text, [texts, 1, words]. */
static weft_tensor infer_word(infer_job *j) {
    weft_state *const s = j->s;
    const weft_init init = weft_init_gpt2(0);
    const weft_tensor wte =
        weft_param(j->g, s, "wte.weight", weft_dims(j->net.words, j->net.width), init);
    const weft_tensor wpe =
        weft_param(j->g, s, "wpe.weight", weft_dims(j->net.places, j->net.width), init);
    j->in = weft_input(j->g, WEFT_I32, weft_dims(INFER_TEXTS, 1));
    j->place = weft_input(j->g, WEFT_I32, WEFT_0D);
    weft_tensor x = weft_add(weft_embedding(wte, j->in), weft_slice_at(wpe, 0, j->place, 1));
    for (int i = 0; i < j->net.layers; i++) {
        x = weft_add(x, infer_attend(j, infer_norm(s, x, i, "ln_1"), i));
        const weft_tensor h =
            infer_linear(s, infer_norm(s, x, i, "ln_2"), 4 * j->net.width, i, "mlp.c_fc");
        x = weft_add(x, infer_linear(s, weft_gelu_tanh(h), j->net.width, i, "mlp.c_proj"));
    }
    return weft_matmul(weft_nn_layer_norm(s, x, "ln_f", NULL), weft_transpose(wte, 0, 1));
}

static weft_tensor infer_same_text(void *user, weft_graph *g, weft_state *s) {
    infer_job *const j = user;
    j->same = weft_input(g, WEFT_I32, weft_dims(INFER_TEXTS, INFER_READ));
    const weft_tensor all = recipe_gpt_logits(s, j->same, &j->net);
    return infer_weighed(weft_slice(all, 1, INFER_READ - 1, INFER_READ, 1));
}

static bool infer_feed_text(void *user, weft_plan *p) {
    const infer_job *const j = user;
    const size_t bytes = INFER_TEXTS * INFER_READ * sizeof *j->words;
    return weft_set(p, j->same, j->words, bytes) == WEFT_OK;
}

/* Reads the first words, one after the other. */
static bool infer_read(infer_job *j) {
    j->words = malloc(INFER_TEXTS * INFER_READ * sizeof *j->words);
    if (!j->words) return false;
    bench_fill_integers(&(bench_random){1}, j->words, INFER_TEXTS * INFER_READ, j->net.words);
    for (int32_t t = 0; t < INFER_READ; t++) {
        int32_t word[INFER_TEXTS];
        for (int i = 0; i < INFER_TEXTS; i++) word[i] = j->words[i * INFER_READ + t];
        if (weft_set(j->p, j->in, word, sizeof word) != WEFT_OK ||
            weft_set(j->p, j->place, &t, sizeof t) != WEFT_OK || weft_run(j->p) != WEFT_OK)
            return false;
    }
    return true;
}

int bench_decode(bench *b) {
    infer_job j;
    int status = EXIT_GOOD;
    if (infer_begin(b, &j)) {
        j.net = (recipe_gpt){.layers = 6, .width = 512, .heads = 8, .words = 8192, .places = 128};
        if (b->quick)
            j.net = (recipe_gpt){.layers = 2, .width = 128, .heads = 4, .words = 512, .places = 32};
        j.out = infer_word(&j);
        j.p = weft_compile(j.g, &(weft_plan_desc){.fetch = weft_list(j.out),
                                                  .training = true, /* the caches move on */
                                                  .threads = b->threads});
    }
    if (!j.p || !infer_read(&j)) status = bench_failed(b, "starting");
    if (status == EXIT_GOOD)
        status = infer_right(&j, &(reference_desc){infer_same_text, infer_feed_text, &j});
    const int32_t half = (int32_t)j.net.places / 2;
    if (status == EXIT_GOOD && weft_set(j.p, j.place, &half, sizeof half) != WEFT_OK)
        status = bench_failed(b, "feeding");
    if (status == EXIT_GOOD) status = infer_time(&j, "words_per_s", INFER_TEXTS);
    infer_end(&j);
    return status;
}
