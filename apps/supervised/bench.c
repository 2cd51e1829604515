/* bench.c - training of `weft train digits` from end to end: pictures a second.
 *
 * Network, batch, dropout, shifts and optimiser are those of the command; the pictures are made up:
 * ten patterns under noise, 28 x 28 bytes each, so that no files are needed. The time of a picture
 * is all of it: drawing it from the set, moving, normalising, forward, backward, update. First a
 * step is compared with the reference backend (bench_truth.h) and the network must learn to tell the
 * patterns apart; then the rate is made tiny, and epochs are timed.
 */
#include "cli/bench.h"

#include "cli/bench_truth.h"
#include "cli/command.h"
#include "study_tasks.h"

#include <weft/nn.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURE_SIDE = 28, PICTURE_SIZE = PICTURE_SIDE * PICTURE_SIDE, PICTURE_KINDS = 10 };

/* clang-format off */
static const struct pictures_row {
    const char *bench;
    network_kind kind;
    int64_t batches; /* of an epoch */
} pictures_rows[] = {
    {"digits-mlp", NETWORK_MLP, 100},
    {"digits-cnn", NETWORK_CNN, 12},
};
/* clang-format on */

typedef struct pictures {
    network net;
    weft_data *data;
    weft_loader *loader;
    weft_graph *g;
    weft_state *s;
    weft_plan *plan;
    weft_tensor in[2], loss; /* pictures and classes */
    int64_t batch, step;
    weft_err error;
} pictures;

static void pictures_close(pictures *p) {
    weft_plan_free(p->plan);
    weft_loader_free(p->loader);
    weft_graph_free(p->g);
    weft_state_free(p->s);
    weft_data_free(p->data);
}

/* A patch of 7 x 7 cells, dark or bright by the class, each of 4 x 4 pixels, and noise on all. */
static void pictures_draw(bench_random *r, int32_t kind, uint8_t *pixels) {
    for (int i = 0; i < PICTURE_SIZE; i++) {
        const int cell = i / PICTURE_SIDE / 4 * 7 + i % PICTURE_SIDE / 4;
        const bool bright = (cell + 3) * (kind + 2) % 11 < 4;
        int32_t noise;
        bench_fill_integers(r, &noise, 1, 120);
        pixels[i] = (uint8_t)((bright ? 120 : 0) + noise);
    }
}

static weft_data *pictures_make(bench *b, int64_t rows) {
    uint8_t *const x = malloc((size_t)rows * PICTURE_SIZE);
    int32_t *const y = malloc((size_t)rows * sizeof *y);
    weft_data *d = NULL;
    if (x && y) {
        bench_random r = {1};
        bench_fill_integers(&r, y, rows, PICTURE_KINDS);
        for (int64_t i = 0; i < rows; i++) pictures_draw(&r, y[i], x + i * PICTURE_SIZE);
        const weft_field fields[] = {
            {.name = "x",
             .dtype = WEFT_U8,
             .dims = weft_dims(PICTURE_SIDE, PICTURE_SIDE),
             .rows = x},
            {.name = "y", .dtype = WEFT_I32, .dims = WEFT_0D, .rows = y, .classes = PICTURE_KINDS}};
        d = weft_data_memory(b->ctx, fields, 2, rows, true);
    }
    free(x);
    free(y);
    return d;
}

static weft_tensor pictures_record(const pictures *p, weft_graph *g, weft_state *s,
                                   weft_tensor in[2]) {
    in[0] = weft_input(g, WEFT_F32, weft_dims(p->batch, PICTURE_SIZE));
    in[1] = weft_input(g, WEFT_I32, weft_dims(p->batch));
    return weft_nn_cross_entropy(network_record(s, in[0], &p->net), in[1], NULL);
}

static bool pictures_open(bench *b, pictures *p, const struct pictures_row *row) {
    const study_defaults usual = digits_defaults(row->kind);
    p->net = (network){.kind = row->kind,
                       .rows = PICTURE_SIDE,
                       .columns = PICTURE_SIDE,
                       .outputs = PICTURE_KINDS,
                       .hidden = usual.hidden,
                       .dropout = (float)usual.dropout};
    p->batch = usual.batch;
    const int64_t batches = b->quick ? 2 : row->batches;
    p->data = pictures_make(b, batches * usual.batch);
    if (!p->data) return false;
    /* With one thread there is no second one that could make batches ahead. */
    p->loader = weft_loader_new(b->ctx, &(weft_loader_desc){.data = p->data,
                                                            .batch = usual.batch,
                                                            .seed = 1,
                                                            .standardise = p->data,
                                                            .shift = usual.shift,
                                                            .prefetch = b->threads == 1 ? -1 : 0});
    p->g = weft_graph_new(b->ctx);
    p->s = weft_state_new(b->ctx);
    if (!p->loader || !p->g || !p->s) return false;
    weft_state_seed(p->s, 1);
    p->loss = pictures_record(p, p->g, p->s, p->in);
    const weft_optimiser_desc adamw = {.kind = WEFT_OPTIMISER_ADAMW, .lr = (float)usual.rate};
    p->plan = weft_compile(p->g, &(weft_plan_desc){.fetch = weft_list(p->loss),
                                                   .update = weft_optimiser(p->s, p->loss, &adamw),
                                                   .training = true,
                                                   .threads = b->threads});
    return p->plan != NULL;
}

static void pictures_step(pictures *p) {
    if (!p->error) p->error = weft_loader_feed(p->loader, p->step++, p->plan, p->in, 2);
    if (!p->error) p->error = weft_run(p->plan);
}

static void pictures_epoch(void *user) {
    pictures *const p = user;
    for (int64_t i = weft_loader_steps(p->loader); i > 0; i--) pictures_step(p);
}

/* ---- is a step right? ---- */

typedef struct pictures_proof {
    pictures *p;
    weft_tensor in[2]; /* of the reference */
    reference *by;
} pictures_proof;

static weft_tensor pictures_same(void *user, weft_graph *g, weft_state *s) {
    pictures_proof *const proof = user;
    return pictures_record(proof->p, g, s, proof->in);
}

static bool pictures_feed(void *user, weft_plan *plan) {
    const pictures_proof *const proof = user;
    for (int i = 0; i < 2; i++) {
        const void *const batch = weft_feed(proof->p->plan, proof->p->in[i]);
        const size_t bytes = (size_t)weft_count(proof->in[i]) * 4;
        if (!batch || weft_set(plan, proof->in[i], batch, bytes) != WEFT_OK) return false;
    }
    return true;
}

static weft_err pictures_once(void *user) {
    return weft_run(((const pictures_proof *)user)->p->plan);
}

static double pictures_told(void *user) {
    const pictures *const p = ((const pictures_proof *)user)->p;
    return (double)weft_item(p->plan, p->loss);
}

static double pictures_loss(void *user) {
    return reference_loss(((const pictures_proof *)user)->by);
}

/* Some steps with the first batch. */
static int pictures_true(bench *b, pictures *p) {
    pictures_proof proof = {.p = p};
    char why[300];
    if (weft_loader_feed(p->loader, 0, p->plan, p->in, 2) != WEFT_OK)
        return bench_failed(b, "feeding");
    proof.by = reference_new(p->s, &(reference_desc){pictures_same, pictures_feed, &proof});
    if (!proof.by) return bench_failed(b, "starting");
    const truth t = {.s = p->s,
                     .optimiser = {.kind = WEFT_OPTIMISER_ADAMW},
                     .step = pictures_once,
                     .told = pictures_told,
                     .loss = pictures_loss,
                     .fine = true,
                     .user = &proof};
    const bool good = truth_holds(&t, why, sizeof why);
    reference_free(proof.by);
    return good ? EXIT_GOOD : bench_wrong(b, "%s", why);
}

/* ---- timing ---- */

/* Learns until ten classes are told apart nearly always, by the loss of some batches. */
static int pictures_learn(bench *b, pictures *p) {
    enum { LEARNED = 150, JUDGED = 10 };
    float loss = 0;
    for (int i = 0; i < LEARNED && !p->error; i++) {
        pictures_step(p);
        if (i >= LEARNED - JUDGED) loss += weft_item(p->plan, p->loss) / JUDGED;
    }
    if (p->error) return bench_failed(b, "learning");
    if (!(loss < 0.5F))
        return bench_wrong(b, "the loss is %g after %d steps, of ten classes", (double)loss,
                           LEARNED);
    const float slow = 1e-7F;
    if (weft_state_set(p->s, "optim.lr", &slow, sizeof slow) != WEFT_OK)
        return bench_failed(b, "setting the rate");
    return EXIT_GOOD;
}

static int pictures_measure(bench *b, pictures *p) {
    bench_line l = {.part = "", .work = BENCH_FLOPS};
    int status = pictures_true(b, p);
    if (status == EXIT_GOOD) status = pictures_learn(b, p);
    if (status == EXIT_GOOD) status = bench_plan_facts(b, p->plan, &l);
    if (status != EXIT_GOOD) return status;
    const int64_t images = weft_data_rows(p->data);
    l.amount = l.stats.flops * (double)weft_loader_steps(p->loader) / (double)images;
    const weft_bench_desc effort = bench_effort(b, 1.5);
    weft_bench_time(&effort, &(weft_bench_call){pictures_epoch, p}, 1, &l.time);
    if (p->error) return bench_failed(b, "training");
    bench_per(&l, (double)images);
    bench_number(&l, "images_per_s", 1e6 / l.time.median_us);
    bench_number(&l, "images", (double)images);
    snprintf(l.note, sizeof l.note, "%.0f images/s", 1e6 / l.time.median_us);
    bench_write(b, &l);
    return EXIT_GOOD;
}

int bench_digits(bench *b) {
    const struct pictures_row *row = pictures_rows;
    while (strcmp(row->bench, b->name) != 0) row++;
    pictures p = {0};
    const int status =
        pictures_open(b, &p, row) ? pictures_measure(b, &p) : bench_failed(b, "starting");
    pictures_close(&p);
    return status;
}
