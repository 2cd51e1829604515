/* study_logic.c - a network of gates is evaluated as a circuit; see study_logic.h. */
#include "study_logic.h"

#include "logic_net.h"
#include "study.h"
#include <weft/bench.h>

#include <stdlib.h>
#include <string.h>

struct study_logic {
    const uint8_t *pixels; /* [rows of the test set, pixels] */
    uint64_t *bits;        /* [inputs, words] */
    int32_t *counts;       /* [64 words, classes] */
    int64_t rows, words;
    bool finished;
    int gates, active, simple; /* all; those that do something; those of the simplified circuit */
    double soft, ns;           /* accuracy before; of a picture, from its bytes to its class */
};

void study_logic_free(study_logic *g) {
    if (!g) return;
    free(g->bits);
    free(g->counts);
    free(g);
}

weft_err study_logic_open(study *t) {
    const network *n = &t->model.net;
    if (n->kind != NETWORK_LOGIC || !t->test) return WEFT_OK;
    const weft_field x = weft_data_field(t->test, 0);
    if (x.dtype != WEFT_U8 || x.row_bytes != (size_t)(n->rows * n->columns))
        return weft_fail(t->run.ctx, WEFT_UNSUPPORTED, "logic gates take images of bytes");
    study_logic *g = t->logic = calloc(1, sizeof *g);
    if (!g) return weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    g->pixels = x.rows;
    g->rows = weft_data_rows(t->test);
    g->words = WEFT_WORDS(g->rows);
    g->bits = malloc((size_t)(logic_net_inputs(n) * g->words) * sizeof *g->bits);
    g->counts = malloc((size_t)(64 * g->words * n->outputs) * sizeof *g->counts);
    if (!g->bits || !g->counts) return weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    return logic_net_bits(t->run.ctx, n, g->pixels, g->rows, g->bits);
}

static weft_err study_logic_count(study *t, weft_circuit *k, int32_t *counts) {
    const study_logic *g = t->logic;
    return weft_circuit_count(k, (int)t->model.net.outputs, g->words, g->bits, counts);
}

weft_err study_logic_look(study *t) {
    weft_circuit *k = logic_net_circuit(t->run.state, &t->model.net);
    if (!k) return weft_error_code(t->run.ctx);
    const weft_err e = study_logic_count(t, k, t->logic->counts);
    weft_circuit_free(k);
    return e;
}

void study_logic_scores(const study *t, int64_t row, int64_t n, float *score) {
    const int64_t classes = t->model.net.outputs;
    const float scale = logic_net_scale(&t->model.net);
    for (int64_t i = 0; i < n * classes; i++)
        score[i] = (float)t->logic->counts[row * classes + i] / scale;
}

/* ---- the end of a run ---- */

static int64_t study_logic_best(const float *score, int64_t n) {
    int64_t best = 0;
    for (int64_t k = 1; k < n; k++)
        if (score[k] > score[best]) best = k;
    return best;
}

/* The accuracy of gates that are still undecided. */
static weft_err study_logic_soft(study *t) {
    study_logic *g = t->logic;
    const network *n = &t->model.net;
    weft_graph *graph = weft_graph_new(t->run.ctx);
    if (!graph) return weft_error_code(t->run.ctx);
    const weft_tensor x =
        weft_input(graph, WEFT_F32, weft_dims(STUDY_EVAL_ROWS, n->rows * n->columns));
    const weft_tensor y = network_record(t->run.state, x, n);
    weft_plan *p = weft_compile(
        graph, &(weft_plan_desc){.fetch = weft_list(y), .threads = t->set->common.threads});
    weft_err e = p ? WEFT_OK : weft_error_code(t->run.ctx);
    int64_t right = 0;
    for (int64_t b = 0; !e && b < weft_loader_steps(t->test_loader); b++) {
        const int64_t first = b * STUDY_EVAL_ROWS;
        e = weft_loader_feed(t->test_loader, b, p, &x, 1);
        if (!e) e = weft_run(p);
        if (!e)
            e = weft_get(p, y, t->score, STUDY_EVAL_ROWS * (size_t)n->outputs * sizeof *t->score);
        for (int64_t i = 0; !e && i < weft_loader_rows(t->test_loader, b); i++)
            right += study_logic_best(t->score + i * n->outputs, n->outputs) ==
                     (int64_t)t->truth[first + i];
    }
    g->soft = (double)right / (double)g->rows;
    weft_plan_free(p);
    weft_graph_free(graph);
    return e;
}

/* From bytes to classes, for some pictures again and again. */
typedef struct study_logic_call {
    study *t;
    weft_circuit *k;
    int64_t pictures;
    uint64_t *bits;
    int32_t *counts;
    weft_err e;
    int64_t classes; /* their sum, so that they are not computed for nothing */
} study_logic_call;

static void study_logic_read(void *user) {
    study_logic_call *const q = user;
    const network *n = &q->t->model.net;
    if (!q->e) q->e = logic_net_bits(q->t->run.ctx, n, q->t->logic->pixels, q->pictures, q->bits);
    if (!q->e)
        q->e =
            weft_circuit_count(q->k, (int)n->outputs, WEFT_WORDS(q->pictures), q->bits, q->counts);
    for (int64_t i = 0; i < q->pictures && !q->e; i++) {
        const int32_t *const count = q->counts + i * n->outputs;
        int64_t best = 0;
        for (int64_t c = 1; c < n->outputs; c++) best = count[c] > count[best] ? c : best;
        q->classes += best;
    }
}

/* The least that was seen: what else the machine does is no property of the circuit. */
static weft_err study_logic_time(study *t, weft_circuit *k) {
    enum { PICTURES = 1024 };
    study_logic *g = t->logic;
    study_logic_call q = {.t = t, .k = k, .pictures = g->rows < PICTURES ? g->rows : PICTURES};
    const size_t words = (size_t)WEFT_WORDS(q.pictures);
    q.bits = malloc((size_t)logic_net_inputs(&t->model.net) * words * sizeof *q.bits);
    q.counts = malloc(64 * words * (size_t)t->model.net.outputs * sizeof *q.counts);
    if (!q.bits || !q.counts) q.e = weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    weft_timing time = {0};
    if (!q.e)
        weft_bench_time(&(weft_bench_desc){.sample = 1e-4, .budget = 0.2},
                        &(weft_bench_call){study_logic_read, &q}, 1, &time);
    g->ns = 1e3 * time.min_us / (double)q.pictures;
    free(q.bits);
    free(q.counts);
    return q.e;
}

/* Simplifies, and makes sure that nothing has changed by it. */
static weft_err study_logic_simplify(study *t, weft_circuit *k) {
    study_logic *g = t->logic;
    const size_t bytes = (size_t)(g->rows * t->model.net.outputs) * sizeof *g->counts;
    int32_t *counts = malloc((size_t)(64 * g->words * t->model.net.outputs) * sizeof *counts);
    if (!counts) return weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    g->gates = weft_circuit_gates(k);
    g->active = weft_circuit_active(k);
    weft_err e = weft_circuit_simplify(k);
    if (!e) e = study_logic_count(t, k, counts);
    if (!e && memcmp(counts, g->counts, bytes) != 0)
        e = weft_fail(t->run.ctx, WEFT_STATE, "the simplified circuit gives different counts");
    g->simple = weft_circuit_gates(k);
    free(counts);
    return e;
}

static weft_err study_logic_write(study *t, const weft_circuit *k) {
    char *text = weft_circuit_text(k, WEFT_CIRCUIT_JSON, "digits");
    const weft_err e = text ? weft_file_write_beneath(t->run.ctx, t->run.folder, "circuit.json",
                                                      text, strlen(text))
                            : weft_error_code(t->run.ctx);
    weft_text_free(t->run.ctx, text);
    return e;
}

weft_err study_logic_finish(study *t) {
    if (!t->logic || !t->evaluated) return WEFT_OK;
    if (t->averaged && weft_ema_swap(t->run.state)) return weft_error_code(t->run.ctx);
    weft_circuit *k = logic_net_circuit(t->run.state, &t->model.net);
    weft_err e = k ? study_logic_count(t, k, t->logic->counts) : weft_error_code(t->run.ctx);
    if (!e) e = study_logic_soft(t);
    if (!e) e = study_logic_simplify(t, k);
    if (!e) e = study_logic_time(t, k);
    if (!e) e = study_logic_write(t, k);
    weft_circuit_free(k);
    if (t->averaged && weft_ema_swap(t->run.state) && !e) e = weft_error_code(t->run.ctx);
    t->logic->finished = !e;
    return e;
}

/* ---- telling ---- */

void study_logic_json(const study *t, json *j) {
    const study_logic *g = t->logic;
    if (!g || !g->finished) return;
    json_number(j, "soft_accuracy", g->soft);
    json_integer(j, "gates", g->gates);
    json_integer(j, "active_gates", g->active);
    json_integer(j, "simplified_gates", g->simple);
    json_number(j, "ns_per_sample", g->ns);
}

void study_logic_text(const study *t, char *text, size_t bytes) {
    const study_logic *g = t->logic;
    *text = 0;
    if (!g || !g->finished) return;
    snprintf(text, bytes,
             "This is the accuracy of the circuit; that of the soft gates before was "
             "%.2f %%. %d gates, %d of them active, %d after simplification (circuit.json); "
             "%.0f ns per image.",
             100 * g->soft, g->gates, g->active, g->simple, g->ns);
}
