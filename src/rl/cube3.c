/* cube3.c - the 3x3x3 cube: pieces in places, turned, scrambled, checked; and as an environment.
 *
 * Centres never move. 1 for solving it, -0.01 for any other turn, 200 turns at most; a level is a
 * number of random quarter turns, level 0 any cube, uniformly. */
#include "rl/tables.h"
#include "rl/turns.h"

#include <string.h>

weft_cube3 weft_cube3_solved(void) {
    weft_cube3 q = {{0}, {0}, {0}, {0}};
    for (uint8_t i = 0; i < TURNS_CORNERS; i++) q.corner[i] = i;
    for (uint8_t i = 0; i < TURNS_EDGES; i++) q.edge[i] = i;
    return q;
}

bool weft_cube3_is_solved(const weft_cube3 *q) {
    const weft_cube3 solved = weft_cube3_solved();
    return memcmp(q, &solved, sizeof solved) == 0; /* bytes alone, so there is no padding */
}

void weft_cube3_turn(weft_cube3 *q, int action) {
    if (action < 0 || action >= WEFT_CUBE3_ACTIONS) return;
    const turns_face *const f = &turns_faces[action / 2];
    turns_cycle(f->corner, q->corner, q->twist, f->twists, 2 * f->twists, 3, action & 1);
    turns_cycle(f->edge, q->edge, q->flip, f->flips, f->flips, 2, action & 1);
}

void weft_cube3_scramble(weft_cube3 *q, int k, weft_rng *r) {
    while (k-- > 0) weft_cube3_turn(q, (int)rng_below(r, WEFT_CUBE3_ACTIONS));
}

/* ---- parity: every quarter turn is an odd permutation of corners and one of edges ---- */

static bool cube3_is_odd(const uint8_t *piece, int n) {
    bool odd = false;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) odd ^= piece[j] < piece[i];
    return odd;
}

static void cube3_shuffle(uint8_t *piece, int n, weft_rng *r) {
    for (int i = n - 1; i > 0; i--) {
        const uint32_t j = rng_below(r, (uint32_t)i + 1);
        const uint8_t other = piece[j];
        piece[j] = piece[i];
        piece[i] = other;
    }
}

/* n values below `base` whose sum is a multiple of it. */
static void cube3_turned(uint8_t *turned, int n, uint32_t base, weft_rng *r) {
    uint32_t sum = 0;
    for (int i = 1; i < n; i++) sum += turned[i] = (uint8_t)rng_below(r, base);
    turned[0] = (uint8_t)((base - sum % base) % base);
}

void weft_cube3_random(weft_cube3 *q, weft_rng *r) {
    *q = weft_cube3_solved();
    cube3_shuffle(q->corner, TURNS_CORNERS, r);
    cube3_shuffle(q->edge, TURNS_EDGES, r);
    if (cube3_is_odd(q->corner, TURNS_CORNERS) != cube3_is_odd(q->edge, TURNS_EDGES)) {
        const uint8_t first = q->edge[0];
        q->edge[0] = q->edge[1];
        q->edge[1] = first;
    }
    cube3_turned(q->twist, TURNS_CORNERS, 3, r);
    cube3_turned(q->flip, TURNS_EDGES, 2, r);
}

static weft_err cube3_check_kind(weft_ctx *c, const char *kind, const uint8_t *piece,
                                 const uint8_t *turned, int n, int base) {
    uint32_t seen = 0;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (piece[i] >= n || turned[i] >= base)
            return weft_fail(
                c, WEFT_ARGUMENT,
                "cube3: %s place %d has piece %d, turned %d; pieces are 0 to %d, turns "
                "0 to %d",
                kind, i, piece[i], turned[i], n - 1, base - 1);
        if (seen >> piece[i] & 1)
            return weft_fail(c, WEFT_ARGUMENT, "cube3: %s %d is there twice", kind, piece[i]);
        seen |= 1u << piece[i];
        sum += turned[i];
    }
    if (sum % base == 0) return WEFT_OK;
    return weft_fail(c, WEFT_ARGUMENT,
                     "cube3: the %ss are turned by %d in all; turning faces keeps that a multiple "
                     "of %d",
                     kind, sum, base);
}

weft_err weft_cube3_check(weft_ctx *c, const weft_cube3 *q) {
    weft_err e = cube3_check_kind(c, "corner", q->corner, q->twist, TURNS_CORNERS, 3);
    if (!e) e = cube3_check_kind(c, "edge", q->edge, q->flip, TURNS_EDGES, 2);
    if (!e && cube3_is_odd(q->corner, TURNS_CORNERS) != cube3_is_odd(q->edge, TURNS_EDGES))
        e = weft_fail(c, WEFT_ARGUMENT,
                      "cube3: two pieces are exchanged; turning faces permutes corners and edges "
                      "both evenly or both oddly");
    return e;
}

/* ---- what is seen of it; bytes that are no piece are read as some piece ---- */

void weft_cube3_index(const weft_cube3 *q, int32_t slots[20]) {
    for (int i = 0; i < TURNS_CORNERS; i++)
        slots[i] = i * 24 + q->corner[i] % TURNS_CORNERS * 3 + q->twist[i] % 3;
    for (int i = 0; i < TURNS_EDGES; i++)
        slots[TURNS_CORNERS + i] =
            (TURNS_CORNERS + i) * 24 + q->edge[i] % TURNS_EDGES * 2 + q->flip[i] % 2;
}

void weft_cube3_stickers(const weft_cube3 *q, uint8_t colour[54]) {
    static const uint8_t corner_of_face[4] = {0, 2, 6, 8}; /* of nine */
    for (uint8_t face = 0; face < TURNS_FACES; face++) colour[face * 9 + 4] = face;
    for (int i = 0; i < TURNS_CORNERS; i++)
        for (int k = 0; k < 3; k++) {
            const int on = turns_corner[i][(k + q->twist[i]) % 3];
            colour[on / 4 * 9 + corner_of_face[on % 4]] =
                turns_corner[q->corner[i] % TURNS_CORNERS][k] / 4;
        }
    for (int i = 0; i < TURNS_EDGES; i++)
        for (int k = 0; k < 2; k++)
            colour[turns_edge[i][(k + q->flip[i]) % 2]] =
                turns_edge[q->edge[i] % TURNS_EDGES][k] / 9;
}

/* ---- the environment ---- */

static void cube3_env_reset(void *e, weft_rng *r, int level) {
    weft_cube3 *const q = e;
    if (level <= 0) {
        weft_cube3_random(q, r);
        return;
    }
    *q = weft_cube3_solved();
    weft_cube3_scramble(q, level, r);
}

static float cube3_env_step(void *e, weft_rng *r, int action, bool *done) {
    (void)r;
    weft_cube3_turn(e, action);
    *done = weft_cube3_is_solved(e);
    return *done ? 1 : -0.01f;
}

static void cube3_env_index(const void *e, int32_t *slots) {
    weft_cube3_index(e, slots);
}

static void cube3_env_observe(const void *e, float *obs) {
    int32_t slots[20];
    weft_cube3_index(e, slots);
    env_one_hot(slots, 20, obs, 480);
}

static weft_err cube3_env_check(weft_ctx *c, const void *e) {
    return weft_cube3_check(c, e);
}

static void cube3_env_show(const void *e, char *text, size_t bytes) {
    uint8_t colour[54];
    weft_cube3_stickers(e, colour);
    turns_net(colour, 3, text, bytes);
}

const weft_env env_cube3 = {.name = "cube3",
                            .size = sizeof(weft_cube3),
                            .obs = 480,
                            .slots = 20,
                            .words = 480,
                            .actions = WEFT_CUBE3_ACTIONS,
                            .limit = 200,
                            .levels = ENV_TURNS,
                            .reset = cube3_env_reset,
                            .step = cube3_env_step,
                            .observe = cube3_env_observe,
                            .index = cube3_env_index,
                            .check = cube3_env_check,
                            .show = cube3_env_show};
