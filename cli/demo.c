/* demo.c - weft demo: trains a small network on drawn digits while you watch.
 *
 * Two graphs over one state: one trains, one only predicts. The pictures are drawn here (digits.h);
 * those it is judged on come from another seed and are never trained on. The same seed gives the
 * same network on any number of threads, as long as the time suffices for all steps. */
#include "command.h"
#include "digits.h"
#include "plot.h"
#include "terminal.h"
#include "timing.h"

#include <weft/weft.h>

#include <stdlib.h>
#include <string.h>

enum { DEMO_BATCH = 64, DEMO_STEPS = 12000, DEMO_TRAIN = 30000, DEMO_TEST = 5000, DEMO_EVAL = 500 };
static const float demo_rate = 2e-3f;

typedef struct demo_settings {
    double seconds;
    int seed, threads;
    int color;
} demo_settings;

typedef struct demo {
    terminal out, progress;
    weft_ctx *ctx;
    weft_state *state;
    weft_graph *train_graph, *eval_graph;
    weft_plan *train, *eval;
    weft_tensor x, label, loss; /* of the training graph   */
    weft_tensor seen, answer;   /* of the predicting graph */
    float *train_pixels, *test_pixels, losses[DEMO_STEPS];
    int32_t *train_labels, *test_labels, *answers;
    int steps;      /* made                    */
    double seconds; /* they took               */
} demo;

/* ---- the network ---- */

static weft_tensor demo_network(weft_state *s, weft_tensor x) {
    const weft_tensor h1 = weft_relu(weft_linear(s, x, 128, "fc1"));
    const weft_tensor h2 = weft_relu(weft_linear(s, h1, 64, "fc2"));
    return weft_linear(s, h2, DIGITS_CLASSES, "fc3");
}

static bool demo_compile(demo *d, int threads) {
    weft_graph *const g = d->train_graph, *const e = d->eval_graph;
    d->x = weft_input(g, WEFT_F32, weft_dims(DEMO_BATCH, DIGITS_PIXELS));
    d->label = weft_input(g, WEFT_I32, weft_dims(DEMO_BATCH));
    d->loss = weft_cross_entropy(demo_network(d->state, d->x), d->label);
    d->train =
        weft_compile(g, &(weft_plan_desc){.fetch = weft_list(d->loss),
                                          .update = weft_adam(d->state, d->loss,
                                                              &(weft_adam_desc){.lr = demo_rate}),
                                          .threads = threads});
    d->seen = weft_input(e, WEFT_F32, weft_dims(DEMO_EVAL, DIGITS_PIXELS));
    d->answer = weft_argmax(demo_network(d->state, d->seen), 1, false);
    d->eval = weft_compile(e, &(weft_plan_desc){.fetch = weft_list(d->answer), .threads = threads});
    return d->train && d->eval;
}

/* Answers for all test pictures; gives the share that is right, or below 0 after an error. */
static double demo_judge(demo *d) {
    int right = 0;
    for (int i = 0; i < DEMO_TEST; i += DEMO_EVAL) {
        const float *pixels = d->test_pixels + (size_t)i * DIGITS_PIXELS;
        const size_t bytes = (size_t)DEMO_EVAL * DIGITS_PIXELS * sizeof *pixels;
        if (weft_set(d->eval, d->seen, pixels, bytes) != WEFT_OK || weft_run(d->eval) != WEFT_OK ||
            weft_get(d->eval, d->answer, d->answers + i, DEMO_EVAL * sizeof *d->answers) != WEFT_OK)
            return -1;
        for (int k = i; k < i + DEMO_EVAL; k++) right += d->answers[k] == d->test_labels[k];
    }
    return (double)right / DEMO_TEST;
}

/* ---- training ---- */

static uint32_t demo_draw(uint32_t *state) { /* xorshift: which pictures make a batch */
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static bool demo_step(demo *d, uint32_t *random) {
    float *x = weft_feed(d->train, d->x);
    int32_t *label = weft_feed(d->train, d->label);
    if (!x || !label) return false;
    for (int i = 0; i < DEMO_BATCH; i++) {
        const uint32_t k = demo_draw(random) % DEMO_TRAIN;
        memcpy(x + i * DIGITS_PIXELS, d->train_pixels + (size_t)k * DIGITS_PIXELS,
               DIGITS_PIXELS * sizeof *x);
        label[i] = d->train_labels[k];
    }
    if (weft_run(d->train) != WEFT_OK) return false;
    d->losses[d->steps++] = weft_item(d->train, d->loss);
    return true;
}

/* The mean of the last losses: a single batch jumps about. */
static double demo_recent_loss(const demo *d) {
    const int n = d->steps < 100 ? d->steps : 100;
    double sum = 0;
    for (int i = d->steps - n; i < d->steps; i++) sum += d->losses[i];
    return n ? sum / n : 0;
}

static void demo_progress(const demo *d, double accuracy) {
    char text[96], bar[3 * 32 + 1] = "";
    snprintf(text, sizeof text, "step %4d of %d  loss %.4f  test %.1f %%  %.1f s", d->steps,
             DEMO_STEPS, demo_recent_loss(d), 100 * accuracy, d->seconds);
    if (!d->progress.live) {
        fprintf(stderr, "%s\n", text);
        return;
    }
    int cells = d->progress.width - (int)strlen(text) - 4;
    cells = cells > 32 ? 32 : cells < 0 ? 0 : cells;
    for (int i = 0; i < cells; i++) {
        const bool done = (int64_t)i * DEMO_STEPS < (int64_t)d->steps * cells;
        strcat(bar, d->progress.utf8 ? (done ? "\xe2\x96\x88" : "\xe2\x96\x91") : done ? "#" : ".");
    }
    terminal_line(&d->progress, "%s%s%s  %.*s", terminal_code(&d->progress, TERMINAL_GREEN), bar,
                  terminal_code(&d->progress, TERMINAL_PLAIN), d->progress.width - 1, text);
}

static bool demo_train(demo *d, double limit, uint32_t seed) {
    uint32_t random = seed * 2654435761u + 1;
    if (!random) random = 1;
    const double start = timing_now(), interval = d->progress.live ? 0.1 : 0.5;
    double shown = -interval;
    while (d->steps < DEMO_STEPS && (d->seconds < limit || d->steps < 2)) {
        /* The rate falls to nothing by the end: the last steps only smooth. */
        const float rate = demo_rate * (1 - (float)d->steps / DEMO_STEPS);
        if (weft_state_set(d->state, "optim.lr", &rate, sizeof rate) != WEFT_OK) return false;
        if (!demo_step(d, &random)) return false;
        d->seconds = timing_now() - start;
        if (d->seconds - shown >= interval) {
            const double accuracy = demo_judge(d);
            if (accuracy < 0) return false;
            demo_progress(d, accuracy);
            shown = d->seconds;
        }
    }
    terminal_line_end(&d->progress);
    return true;
}

/* ---- telling ---- */

/* A row of test pictures that the network reads right, or of those it reads wrong. */
static void demo_show_digits(const demo *d, bool wrong) {
    enum { MOST = 8 };
    const int across = (d->out.width - 1) / (DIGITS_SIZE + 2), most = across < MOST ? across : MOST;
    const float *picture[MOST];
    int which[MOST], n = 0;
    for (int i = 0; i < DEMO_TEST && n < most; i++) {
        if ((d->answers[i] != d->test_labels[i]) != wrong) continue;
        picture[n] = d->test_pixels + (size_t)i * DIGITS_PIXELS;
        which[n++] = i;
    }
    if (!n) return;
    fprintf(d->out.to, "\n%s\n", wrong ? "Some it reads wrong" : "Test pictures it reads right");
    plot_pictures(&d->out, picture, n, DIGITS_SIZE);
    for (int i = 0; i < n; i++) {
        const int said = d->answers[which[i]], is = d->test_labels[which[i]];
        char text[32];
        if (wrong) snprintf(text, sizeof text, "%d, it is %d", said, is);
        else snprintf(text, sizeof text, "%d", said);
        fprintf(d->out.to, "  %s%-*s%s",
                terminal_code(&d->out, wrong ? TERMINAL_RED : TERMINAL_GREEN), DIGITS_SIZE, text,
                terminal_code(&d->out, TERMINAL_PLAIN));
    }
    putc('\n', d->out.to);
}

static void demo_tell(const demo *d, double accuracy) {
    const terminal *t = &d->out;
    fprintf(t->to, "Loss (cross entropy, logarithmic)\n\n");
    plot_curve(t, d->losses, d->steps, "steps", d->steps);
    demo_show_digits(d, false);
    demo_show_digits(d, true);
    fprintf(t->to,
            "\n%s%.2f %%%s of %d pictures it has never seen are right, after %d steps in %.2f s",
            terminal_code(t, TERMINAL_BOLD), 100 * accuracy, terminal_code(t, TERMINAL_PLAIN),
            DEMO_TEST, d->steps, d->seconds);
    fprintf(t->to, "\n(%.0f pictures a second, %d thread%s, %s).\n",
            d->steps * DEMO_BATCH / d->seconds, weft_plan_stats(d->train).threads,
            weft_plan_stats(d->train).threads == 1 ? "" : "s", weft_device_isa(d->ctx));
    if (d->steps < DEMO_STEPS)
        fprintf(t->to, "The time was up before all %d steps; --seconds gives it more.\n",
                DEMO_STEPS);
    fprintf(t->to, "\nTry next\n"
                   "  weft demo --seed 2     other pictures, another network\n"
                   "  weft doctor            what Weft finds on this machine\n"
                   "  weft bench             how fast it is here\n"
                   "  docs/guide.md          write your own\n");
}

/* ---- the subcommand ---- */

static int demo_failed(const demo *d) {
    const weft_err e = weft_error_code(d->ctx);
    terminal_line_end(&d->progress);
    fprintf(stderr, "weft demo: %s\n", e != WEFT_OK ? weft_error(d->ctx) : "out of memory");
    return e == WEFT_OK || e == WEFT_MEMORY || e == WEFT_DEVICE ? EXIT_RESOURCES : EXIT_FAILED;
}

static bool demo_start(demo *d, const demo_settings *s) {
    const size_t picture = DIGITS_PIXELS * sizeof(float);
    d->ctx = weft_open_with(&(weft_open_desc){.device = "auto", .threads = s->threads});
    d->state = weft_state_new(d->ctx);
    d->train_graph = weft_graph_new(d->ctx);
    d->eval_graph = weft_graph_new(d->ctx);
    d->train_pixels = malloc(DEMO_TRAIN * picture);
    d->test_pixels = malloc(DEMO_TEST * picture);
    d->train_labels = malloc(DEMO_TRAIN * sizeof *d->train_labels);
    d->test_labels = malloc(DEMO_TEST * sizeof *d->test_labels);
    d->answers = calloc(DEMO_TEST, sizeof *d->answers);
    if (!d->state || !d->train_graph || !d->eval_graph || !d->train_pixels || !d->test_pixels ||
        !d->train_labels || !d->test_labels || !d->answers)
        return false;
    weft_state_seed(d->state, (uint32_t)s->seed);
    digits_draw(2 * (uint64_t)s->seed, DEMO_TRAIN, d->train_pixels, d->train_labels);
    digits_draw(2 * (uint64_t)s->seed + 1, DEMO_TEST, d->test_pixels, d->test_labels);
    return demo_compile(d, s->threads);
}

static void demo_end(demo *d) {
    weft_plan_free(d->train);
    weft_plan_free(d->eval);
    weft_graph_free(d->train_graph);
    weft_graph_free(d->eval_graph);
    weft_state_free(d->state);
    weft_close(d->ctx);
    free(d->train_pixels);
    free(d->test_pixels);
    free(d->train_labels);
    free(d->test_labels);
    free(d->answers);
    free(d);
}

static int demo_main(const void *settings, int operand_count, char **operands) {
    (void)operand_count, (void)operands;
    const demo_settings *s = settings;
    demo *d = calloc(1, sizeof *d);
    if (!d) return EXIT_RESOURCES;
    d->out = terminal_of(stdout, (terminal_when)s->color);
    d->progress = terminal_of(stderr, (terminal_when)s->color);
    fprintf(d->out.to,
            "Drawn digits, %d to learn from and %d to be judged on; a network %d-128-64-%d.\n\n",
            DEMO_TRAIN, DEMO_TEST, DIGITS_PIXELS, DIGITS_CLASSES);
    fflush(d->out.to);
    double accuracy = -1;
    int status = EXIT_GOOD;
    if (demo_start(d, s) && demo_train(d, s->seconds > 0 ? s->seconds : 8, (uint32_t)s->seed))
        accuracy = demo_judge(d);
    if (accuracy < 0) {
        status = demo_failed(d);
    } else {
        demo_tell(d, accuracy);
        if (d->steps == DEMO_STEPS && accuracy < 0.5) {
            fputs("weft demo: it has not learned; please report this\n", stderr);
            status = EXIT_FAILED;
        }
    }
    demo_end(d);
    return status;
}

static const option demo_options[] = {
    {"seconds", OPTION_SECONDS, "N", "train for N seconds at most (8)",
     offsetof(demo_settings, seconds), 0, 0},
    {"seed", OPTION_COUNT, "N", "of pictures and network (0)", offsetof(demo_settings, seed), 0,
     1000000000},
    {"threads", OPTION_COUNT, "N", "use exactly N threads (the library chooses)",
     offsetof(demo_settings, threads), 1, 1024},
    {"color", OPTION_CHOICE, TERMINAL_WHEN, "colours", offsetof(demo_settings, color), 0, 0},
};

const command demo_command = {
    .name = "demo",
    .summary = "train a small network on drawn digits, in seconds",
    .operands = "",
    .about =
        "Draws pictures of digits, trains a network to read them and tells how many of those it\n"
        "has never seen it reads right, with a picture of the loss. Progress goes to stderr.\n",
    .options = demo_options,
    .option_count = sizeof demo_options / sizeof *demo_options,
    .settings_size = sizeof(demo_settings),
    .run = demo_main,
};
