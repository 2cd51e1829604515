/* td_world.h - a learner of after states in a state of its own, and a game with shared features. */
#ifndef WEFT_TEST_TD_WORLD_H
#define WEFT_TEST_TD_WORLD_H

#include "small_2048.h"
#include "test.h"

typedef struct world {
    weft_ctx *c;
    weft_state *s;
    weft_td *a;
} world;

static inline bool world_open(world *w, const weft_td_game *g, const weft_td_desc *d) {
    w->c = weft_open("null");
    w->s = weft_state_new(w->c);
    w->a = weft_td_new(w->s, g, "td", d);
    return w->a ? true : CHECK_STR(weft_error(w->c), "");
}

static inline bool world_step(world *w, int n) {
    for (int i = 0; i < n; i++)
        if (weft_td_step(w->a, i, NULL) != WEFT_OK) return CHECK_STR(weft_error(w->c), "");
    return true;
}

static inline void world_close(world *w) {
    weft_td_free(w->a);
    weft_state_free(w->s);
    weft_close(w->c);
}

/* ---- features of the small game that are shared: three tables, of each two slots ---- */

static inline void pair_index(const void *after, int first, int n, uint32_t *entries) {
    static const int pairs[3][2][2] = {{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}, {{0, 3}, {2, 1}}};
    const uint8_t *const cell = ((const small *)after)->cell;
    for (int t = first; t < first + n; t++)
        for (int k = 0; k < 2; k++)
            *entries++ = (uint32_t)(cell[pairs[t][k][0]] * 6 + cell[pairs[t][k][1]]);
}

static inline weft_td_game pair_game(void) {
    weft_td_game g = small_game;
    g.tables = 3;
    g.slots = 2;
    g.words = 36;
    g.index = pair_index;
    return g;
}

#endif
