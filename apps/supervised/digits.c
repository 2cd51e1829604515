/* digits.c - weft train digits: handwritten digits, read by one of five networks.
 *
 * The real MNIST where `weft data get mnist` has brought it, otherwise the small set that comes
 * with Weft. */
#include "cli/data.h"
#include "study_tasks.h"

#include <stddef.h>

enum { DIGITS_SIDE = 28, DIGITS_KINDS = 10, DIGITS_FEW = 10000 };

typedef struct digits_settings {
    study_settings study;
    int model;
    const char *data;
} digits_settings;

/* clang-format off */
/* What is usual for each model; X the first row, Y those after it, as lists in text need it. */
/*             word   epochs batch hidden rate  dropout shift */
#define DIGITS_USUAL(X, Y)                                                                         \
    X(MLP,     mlp,   12,    128,  256,   2e-3, 0.10,   1)                                         \
    Y(CNN,     cnn,   8,     64,   128,   2e-3, 0.25,   2)                                         \
    Y(LSTM,    lstm,  6,     128,  128,   3e-3, 0.10,   0)                                         \
    Y(GRU,     gru,   6,     128,  128,   3e-3, 0.10,   0)                                         \
    Y(LOGIC,   logic, 30,    256,  8000,  0.4,  0,      1)
#define DIGITS_ROW(name, word, epochs, batch, hidden, rate, dropout, shift)                        \
    [NETWORK_##name] = { epochs, batch, hidden, rate, dropout, shift },
static const study_defaults digits_usual[NETWORK_COUNT] = { DIGITS_USUAL(DIGITS_ROW, DIGITS_ROW) };
#undef DIGITS_ROW

/* "mlp 12, cnn 8, ..." */
#define DIGITS_TEXT(column) DIGITS_USUAL(column##_FIRST, column##_NEXT)
#define EPOCHS_FIRST(n, word, epochs, b, h, r, d, s)   #word " " #epochs
#define EPOCHS_NEXT(n, word, epochs, b, h, r, d, s)    ", " #word " " #epochs
#define BATCH_FIRST(n, word, e, batch, h, r, d, s)     #word " " #batch
#define BATCH_NEXT(n, word, e, batch, h, r, d, s)      ", " #word " " #batch
#define HIDDEN_FIRST(n, word, e, b, hidden, r, d, s)   #word " " #hidden
#define HIDDEN_NEXT(n, word, e, b, hidden, r, d, s)    ", " #word " " #hidden
#define RATE_FIRST(n, word, e, b, h, rate, d, s)       #word " " #rate
#define RATE_NEXT(n, word, e, b, h, rate, d, s)        ", " #word " " #rate
#define DROPOUT_FIRST(n, word, e, b, h, r, dropout, s) #word " " #dropout
#define DROPOUT_NEXT(n, word, e, b, h, r, dropout, s)  ", " #word " " #dropout
/* clang-format on */

study_defaults digits_defaults(network_kind k) {
    return digits_usual[k];
}

static void digits_name(const call *c, const void *settings, char *name, size_t bytes) {
    (void)c;
    snprintf(name, bytes, "digits-%s",
             network_word((network_kind)((const digits_settings *)settings)->model));
}

static weft_err digits_load(study *t, const void *settings) {
    const digits_settings *s = settings;
    t->usual = digits_usual[s->model];
    if (t->eval_file)
        return weft_fail(t->run.ctx, WEFT_UNSUPPORTED,
                         "digits are evaluated on their own test set");
    const weft_err e = data_digits(t->run.ctx, s->data, &t->train, &t->test);
    if (e) return e;
    const weft_err aside = study_set_aside(t, &s->study);
    if (aside) return aside;
    if (weft_data_rows(t->train) < DIGITS_FEW) t->usual.epochs *= 3; /* each brings less */
    if (t->model.net.rows) return WEFT_OK;
    t->model.net = (network){.kind = (network_kind)s->model,
                             .rows = DIGITS_SIDE,
                             .columns = DIGITS_SIDE,
                             .outputs = DIGITS_KINDS};
    if (!model_moments(&t->model, 1) || !model_names(&t->model, DIGITS_KINDS, NULL))
        return weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    if (s->model == NETWORK_LOGIC) { /* whose bits are of pixels as they come */
        t->model.std[0] = 1;
        return WEFT_OK;
    }
    return weft_data_moments(t->train, 0, false, t->model.mean, t->model.std, 1);
}

static bool digits_fit(const model *m) {
    return m->net.rows == DIGITS_SIDE && m->net.columns == DIGITS_SIDE && m->moments == 1 &&
           m->net.outputs == DIGITS_KINDS && !m->numbers;
}

static int digits_run(const call *c) {
    digits_settings s = *(const digits_settings *)c->settings;
    return study_main(c, &study_digits, &s);
}

static const option digits_options[] = {
    {.name = "model",
     .kind = OPTION_CHOICE,
     .value = NETWORK_WORDS,
     .help = "the network",
     .offset = offsetof(digits_settings, model)},
    {.name = "data",
     .kind = OPTION_FOLDER,
     .value = "FOLDER",
     .help = "folder with the four IDX files of MNIST (from weft data get mnist)",
     .offset = offsetof(digits_settings, data)},
    STUDY_ROWS(DIGITS_TEXT(EPOCHS), DIGITS_TEXT(BATCH), DIGITS_TEXT(HIDDEN), DIGITS_TEXT(RATE),
               DIGITS_TEXT(DROPOUT)),
};

const command train_digits_task = {
    .name = "digits",
    .summary = "classify handwritten digits",
    .about =
        "Trains on MNIST if it was downloaded by `weft data get mnist`, else on the small data\n"
        "set that comes with Weft. Models: mlp, two hidden layers; cnn, two convolutions; lstm\n"
        "and gru, over the rows of an image; logic, six layers of logic gates, evaluated as\n"
        "the circuit they become (circuit.json).\n",
    .examples = "weft train digits --model cnn\n"
                "weft train digits --model logic\n"
                "weft train digits --model mlp --optimiser lion --seconds 10\n",
    COMMAND_OPTIONS(digits_options),
    .settings_size = sizeof(digits_settings),
    .run = digits_run,
};

const study_task study_digits = {&train_digits_task, "Digits", digits_name, digits_load,
                                 digits_fit};
