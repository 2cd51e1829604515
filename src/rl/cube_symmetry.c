/* cube_symmetry.c - the 2x2x2 cube turned in the hands and seen in a mirror.
 *
 * Turning it by thirds about the diagonal through DBL, or exchanging the sides of the plane that
 * holds this diagonal and the edge between R and U, moves places, pieces and faces alike, and the
 * corner that never moves stays. What is known of a cube is so known of six. The order of the
 * pieces changes by a table; twists, which count from the stickers on U and D, change by where
 * those stickers go. */
#include "rl/cube.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct symmetry_tables {
    uint16_t order[CUBE_ORDERS][WEFT_CUBE_SYMMETRIES];
    uint8_t place[WEFT_CUBE_SYMMETRIES][TURNS_CORNERS];   /* where each place goes ... */
    uint8_t sticker[WEFT_CUBE_SYMMETRIES][TURNS_CORNERS]; /* ... and to which of its three the first
                                                             sticker does */
    uint8_t action[WEFT_CUBE_SYMMETRIES][WEFT_CUBE_ACTIONS];
} symmetry_tables;
static symmetry_tables symmetry_table;
static atomic_bool symmetry_is_ready;
static pthread_once_t symmetry_once = PTHREAD_ONCE_INIT;

/* Faces are numbered U D F B L R. */
static void symmetry_corners(symmetry_tables *t, int k, const uint8_t face[TURNS_FACES]) {
    for (int i = 0; i < TURNS_CORNERS; i++)
        for (int j = 0; j < TURNS_CORNERS; j++) {
            int same = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    same += face[turns_corner[i][a] / 4] == turns_corner[j][b] / 4;
            if (same != 3) continue;
            t->place[k][i] = (uint8_t)j;
            for (int b = 0; b < 3; b++)
                if (face[turns_corner[i][0] / 4] == turns_corner[j][b] / 4)
                    t->sticker[k][i] = (uint8_t)b;
        }
}

static void symmetry_fill(void) {
    static const uint8_t turn[TURNS_FACES] = {5, 4, 0, 1, 3, 2};    /* U to R to F, D to L to B */
    static const uint8_t mirror[TURNS_FACES] = {5, 4, 2, 3, 1, 0};  /* U and R, D and L */
    static const uint8_t turned[WEFT_CUBE_ACTIONS / 2] = {5, 0, 2}; /* R U F */
    symmetry_tables *const t = &symmetry_table;
    for (int k = 0; k < WEFT_CUBE_SYMMETRIES; k++) {
        uint8_t face[TURNS_FACES];
        for (uint8_t f = 0; f < TURNS_FACES; f++) {
            face[f] = f;
            for (int i = 0; i < k % 3; i++) face[f] = turn[face[f]];
            if (k >= 3) face[f] = mirror[face[f]];
        }
        symmetry_corners(t, k, face);
        for (int a = 0; a < WEFT_CUBE_ACTIONS; a++) /* a mirror turns clockwise round */
            for (int b = 0; b < WEFT_CUBE_ACTIONS / 2; b++)
                if (face[turned[a / 2]] == turned[b])
                    t->action[k][a] = (uint8_t)(2 * b + ((a & 1) ^ (k >= 3)));
        for (uint32_t o = 0; o < CUBE_ORDERS; o++) {
            uint8_t piece[CUBE_CORNERS], twist[CUBE_CORNERS], moved[CUBE_CORNERS] = {0};
            weft_cube_pieces(o * CUBE_TWISTS, piece, twist);
            for (int i = 0; i < CUBE_CORNERS; i++) moved[t->place[k][i]] = t->place[k][piece[i]];
            t->order[o][k] = (uint16_t)cube_order_rank(moved);
        }
    }
    atomic_store_explicit(&symmetry_is_ready, true, memory_order_release);
}

static const symmetry_tables *symmetry_ready(void) {
    if (!atomic_load_explicit(&symmetry_is_ready, memory_order_acquire))
        pthread_once(&symmetry_once, symmetry_fill);
    return &symmetry_table;
}

/* The piece's sticker s, seen at its place's sticker s + twist, becomes sticker[piece] +- s at
 * sticker[place] +- (s + twist). */
static uint32_t symmetry_of(const symmetry_tables *t, uint32_t cube, int k) {
    uint8_t piece[CUBE_CORNERS], twist[CUBE_CORNERS], moved[CUBE_CORNERS] = {0};
    weft_cube_pieces(cube, piece, twist);
    for (int i = 0; i < CUBE_CORNERS; i++) {
        const int by = t->sticker[k][i] - t->sticker[k][piece[i]];
        moved[t->place[k][i]] = (uint8_t)((6 + by + (k >= 3 ? -twist[i] : twist[i])) % 3);
    }
    return t->order[cube / CUBE_TWISTS][k] * (uint32_t)CUBE_TWISTS + cube_twist_rank(moved);
}

uint32_t weft_cube_symmetry(uint32_t cube, int k) {
    if (cube >= WEFT_CUBE_STATES || k < 0 || k >= WEFT_CUBE_SYMMETRIES) return cube;
    return symmetry_of(symmetry_ready(), cube, k);
}

int weft_cube_symmetry_action(int action, int k) {
    if (action < 0 || action >= WEFT_CUBE_ACTIONS || k < 0 || k >= WEFT_CUBE_SYMMETRIES)
        return action;
    return symmetry_ready()->action[k][action];
}

/* The number begins with the order, so only those with the least one are looked at. */
uint32_t weft_cube_canonical(uint32_t cube, int *k) {
    const symmetry_tables *const t = symmetry_ready();
    uint32_t least = UINT32_MAX;
    if (k) *k = 0;
    if (cube >= WEFT_CUBE_STATES) return cube;
    const uint16_t *const order = t->order[cube / CUBE_TWISTS];
    uint16_t first = order[0];
    for (int i = 1; i < WEFT_CUBE_SYMMETRIES; i++)
        if (order[i] < first) first = order[i];
    for (int i = 0; i < WEFT_CUBE_SYMMETRIES; i++) {
        if (order[i] != first) continue;
        const uint32_t at = symmetry_of(t, cube, i);
        if (at >= least) continue;
        least = at;
        if (k) *k = i;
    }
    return least;
}
