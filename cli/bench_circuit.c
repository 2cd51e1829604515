/* bench_circuit.c - a network of logic gates that reads digits, run on bits.
 *
 * Six layers of 8,000 gates over 28 x 28 pixels, wired as such networks are before they learn: each
 * value of a layer is read equally often, by whom is chance. Twice: with the ten kinds of gates that
 * need both of their inputs, where nothing folds away, and with all sixteen kinds alike, where half
 * of them do, as in networks that have learned: of the 48,000 gates of `weft train digits --model
 * logic` 22,928 are left. A sample is everything from an image's bytes to its class. */
#include "bench.h"
#include "command.h"

#include <weft/logic.h>

#include <stdlib.h>

enum {
    DIGIT_PIXELS = 784,
    DIGIT_LAYERS = 6,
    DIGIT_WIDTH = 8000,
    DIGIT_CLASSES = 10,
    DIGIT_IMAGES = 1024,
    DIGIT_BRIGHT = 128
};

typedef struct digit_job {
    weft_circuit *k;
    uint8_t *pixels; /* [images, pixels] */
    uint64_t *bits;  /* [pixels, words] */
    int32_t *counts; /* [images, classes] */
    int *class_of;
    int images;
    weft_ctx *c;
} digit_job;

static void digit_run(void *user) {
    digit_job *const j = user;
    weft_bits_pack(j->c, WEFT_U8, j->pixels, j->images, DIGIT_PIXELS, DIGIT_BRIGHT, j->bits);
    weft_circuit_count(j->k, DIGIT_CLASSES, WEFT_WORDS(j->images), j->bits, j->counts);
    for (int i = 0; i < j->images; i++) {
        const int32_t *const count = j->counts + (size_t)i * DIGIT_CLASSES;
        int32_t most = count[0];
        int best = 0;
        for (int g = 1; g < DIGIT_CLASSES; g++) {
            const bool more = count[g] > most;
            most = more ? count[g] : most;
            best = more ? g : best;
        }
        j->class_of[i] = best;
    }
}

/* A layer's wiring: so many copies of all values as there are inputs of gates, in random order. */
static bool digit_layer(weft_circuit *k, bench_random *r, bool any, int first, int values,
                        int32_t *wire) {
    for (int i = 0; i < 2 * DIGIT_WIDTH; i++) wire[i] = first + i % values;
    for (int i = 2 * DIGIT_WIDTH - 1; i > 0; i--) {
        int32_t with;
        bench_fill_integers(r, &with, 1, i + 1);
        const int32_t held = wire[i];
        wire[i] = wire[with];
        wire[with] = held;
    }
    static const weft_gate_kind both[] = {
        WEFT_GATE_AND,        WEFT_GATE_A_NOT_B, WEFT_GATE_B_NOT_A, WEFT_GATE_XOR,
        WEFT_GATE_OR,         WEFT_GATE_NOR,     WEFT_GATE_XNOR,    WEFT_GATE_A_OR_NOT_B,
        WEFT_GATE_B_OR_NOT_A, WEFT_GATE_NAND};
    for (int i = 0; i < DIGIT_WIDTH; i++) {
        int32_t kind;
        bench_fill_integers(r, &kind, 1, any ? WEFT_GATE_KINDS : sizeof both / sizeof *both);
        if (!any) kind = (int32_t)both[kind];
        if (weft_circuit_add(k, kind, wire[2 * i], wire[2 * i + 1]) < 0) return false;
    }
    return true;
}

static bool digit_open(bench *b, digit_job *j, bool any) {
    bench_random r = {1};
    j->c = b->ctx;
    j->images = b->quick ? 512 : DIGIT_IMAGES;
    const size_t images = (size_t)j->images;
    int32_t *const wire = malloc(2 * DIGIT_WIDTH * sizeof *wire);
    j->k = weft_circuit_new(b->ctx, DIGIT_PIXELS);
    j->pixels = malloc(images * DIGIT_PIXELS);
    j->bits = malloc(images / 8 * DIGIT_PIXELS);
    j->counts = malloc(images * DIGIT_CLASSES * sizeof *j->counts);
    j->class_of = malloc(images * sizeof *j->class_of);
    bool good = wire && j->k && j->pixels && j->bits && j->counts && j->class_of;
    for (int l = 0, first = 0, values = DIGIT_PIXELS; l < DIGIT_LAYERS && good; l++) {
        good = digit_layer(j->k, &r, any, first, values, wire);
        first += values;
        values = DIGIT_WIDTH;
    }
    const int32_t last = DIGIT_PIXELS + (DIGIT_LAYERS - 1) * DIGIT_WIDTH;
    for (int i = 0; i < DIGIT_WIDTH && good; i++)
        good = weft_circuit_output(j->k, last + i) == WEFT_OK;
    for (size_t i = 0; i < images * DIGIT_PIXELS && good; i++) {
        int32_t v;
        bench_fill_integers(&r, &v, 1, 256);
        j->pixels[i] = (uint8_t)v;
    }
    free(wire);
    return good;
}

static void digit_close(digit_job *j) {
    weft_circuit_free(j->k);
    free(j->pixels);
    free(j->bits);
    free(j->counts);
    free(j->class_of);
}

/* One image gate by gate; its counts and its class must be those of the fast way. */
static bool digit_right(const digit_job *j, int image) {
    uint8_t *const value = malloc(DIGIT_PIXELS + (size_t)DIGIT_LAYERS * DIGIT_WIDTH);
    if (!value) return false;
    for (int i = 0; i < DIGIT_PIXELS; i++)
        value[i] = j->pixels[(size_t)image * DIGIT_PIXELS + (size_t)i] >= DIGIT_BRIGHT;
    for (int i = 0; i < weft_circuit_gates(j->k); i++) {
        const weft_circuit_gate g = weft_circuit_at(j->k, i);
        const float *const c = weft_gate_coefficients(g.kind);
        const float a = value[g.a], b = value[g.b];
        value[DIGIT_PIXELS + i] = (uint8_t)(c[0] + c[1] * a + c[2] * b + c[3] * a * b);
    }
    int32_t count[DIGIT_CLASSES] = {0};
    for (int i = 0; i < DIGIT_WIDTH; i++)
        count[i / (DIGIT_WIDTH / DIGIT_CLASSES)] += value[weft_circuit_output_at(j->k, i)];
    free(value);
    bool right = true;
    int best = 0;
    for (int g = 0; g < DIGIT_CLASSES; g++) {
        right = right && count[g] == j->counts[(size_t)image * DIGIT_CLASSES + (size_t)g];
        if (count[g] > count[best]) best = g;
    }
    return right && best == j->class_of[image];
}

static int digit_bench(bench *b, digit_job *j, bool any) {
    if (!digit_open(b, j, any)) return bench_failed(b, "making the network");
    digit_run(j);
    for (int i = 0; i < 5; i++) {
        const int image = i * (j->images - 1) / 4;
        if (!digit_right(j, image)) return bench_wrong(b, "counts or class of image %d", image);
    }
    bench_line l = {.part = any ? "any kind" : "both inputs", .stats = {.threads = 1}};
    const uint64_t before = weft_allocations(b->ctx);
    digit_run(j);
    l.allocs_per_run = (double)(weft_allocations(b->ctx) - before);
    const weft_bench_desc effort = bench_effort(b, 2);
    weft_bench_time(&effort, &(weft_bench_call){digit_run, j}, 1, &l.time);
    bench_per(&l, j->images);
    bench_text(&l, "part", l.part);
    bench_number(&l, "ns_per_sample", 1e3 * l.time.median_us);
    bench_number(&l, "gates", weft_circuit_gates(j->k));
    bench_number(&l, "images", j->images);
    snprintf(l.note, sizeof l.note, "%.1f ns an image", 1e3 * l.time.median_us);
    bench_write(b, &l);
    return EXIT_GOOD;
}

int bench_circuit(bench *b) {
    int status = EXIT_GOOD;
    for (int any = 0; any <= 1 && status == EXIT_GOOD; any++) {
        digit_job j = {0};
        status = digit_bench(b, &j, any);
        digit_close(&j);
    }
    return status;
}
