/* bench_logic.c - an epoch of the checkerboard automaton: 20 steps of 3,040 gates over two boards
 * of 16 x 16, forward and backward, and AdamW over the logits. */
#include "automata.h"
#include "bench.h"

#include <weft/optim.h>

#include <math.h>

enum { LOGIC_STEPS = 20, LOGIC_BOARDS = 2, LOGIC_SIDE = 16, LOGIC_CHANNELS = 8 };

int bench_checkerboard(bench *b) {
    bench_line l = {.part = ""};
    weft_state *s = weft_state_new(b->ctx);
    weft_graph *g = s ? weft_graph_new(b->ctx) : NULL;
    weft_automaton *a = g ? weft_automaton_new(b->ctx, &automata_checkerboard.shape) : NULL;
    weft_plan *p = NULL;
    int status = EXIT_FAILED;
    if (a) {
        const int rows = weft_logic_rows(weft_automaton_logic(a));
        const weft_shape dims = weft_dims(LOGIC_CHANNELS, LOGIC_BOARDS, LOGIC_SIDE, LOGIC_SIDE);
        const weft_tensor x = weft_input(g, WEFT_F32, dims);
        const weft_tensor coef =
            weft_logic_coefficients(weft_logic_logits(g, s, "gates", rows, 10), WEFT_LOGIC_SOFT, 0);
        weft_tensor y = x;
        for (int i = 0; i < LOGIC_STEPS; i++) y = weft_automaton_step(a, y, coef);
        const weft_tensor off = weft_offset(weft_slice(y, 0, 0, 1, 1), -0.5f);
        const weft_tensor loss = weft_sum(weft_mul(off, off), WEFT_ALL, false);
        const weft_optimiser_desc adamw = {
            .kind = WEFT_OPTIMISER_ADAMW, .lr = 1e-4f, .beta2 = 0.99f, .decay = 0.01f};
        p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(loss),
                                              .update = weft_optimiser(s, loss, &adamw),
                                              .training = true,
                                              .threads = b->threads});
        bench_random r = {1};
        float *const feed = p ? weft_feed(p, x) : NULL;
        for (int64_t i = 0; feed && i < weft_count(x); i++) {
            bench_fill(&r, &feed[i], 1);
            feed[i] = feed[i] < 0 ? 0 : 1;
        }
        status = feed ? bench_plan_time(b, p, &l) : EXIT_FAILED;
        if (status == EXIT_GOOD && !isfinite(weft_item(p, loss)))
            status = bench_wrong(b, "the loss is %g", (double)weft_item(p, loss));
    }
    if (status == EXIT_GOOD) {
        snprintf(l.note, sizeof l.note, "%.1f ms an epoch", l.time.median_us / 1e3);
        bench_number(&l, "gates", weft_logic_gates(weft_automaton_logic(a)));
        bench_write(b, &l);
    } else if (!p) {
        status = bench_failed(b, "making the automaton");
    }
    weft_plan_free(p);
    weft_automaton_free(a);
    weft_graph_free(g);
    weft_state_free(s);
    return status;
}
