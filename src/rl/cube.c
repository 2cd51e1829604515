/* cube.c - the 2x2x2 cube as one number: turning, ranks, stickers.
 *
 * A state is a permutation of seven corners and their twists, of which the last follows from the
 * others: 5040 x 729. A turn acts on both apart, so two small tables do it. They are built once and
 * never change. Messages about impossible cubes are cube_read.c's. */
#include "rl/cube.h"
#include "rl/rng.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct cube_tables {
    uint16_t order_turned[CUBE_ORDERS][WEFT_CUBE_ACTIONS];
    uint16_t twist_turned[CUBE_TWISTS][WEFT_CUBE_ACTIONS];
    uint8_t piece[CUBE_ORDERS][CUBE_CORNERS];
    uint8_t twist[CUBE_TWISTS][CUBE_CORNERS];
} cube_tables;
static cube_tables cube_table;
static atomic_bool cube_is_ready;
static pthread_once_t cube_once = PTHREAD_ONCE_INIT;

/* ---- ranks ---- */

/* Of each piece how many smaller ones come after it, as digits of bases 7, 6, ... 1. */
uint32_t cube_order_rank(const uint8_t piece[CUBE_CORNERS]) {
    uint32_t rank = 0;
    for (int i = 0; i < CUBE_CORNERS; i++) {
        uint32_t smaller = 0;
        for (int j = i + 1; j < CUBE_CORNERS; j++) smaller += piece[j] < piece[i];
        rank = rank * (uint32_t)(CUBE_CORNERS - i) + smaller;
    }
    return rank;
}

static void cube_order_unrank(uint32_t rank, uint8_t piece[CUBE_CORNERS]) {
    for (int i = CUBE_CORNERS - 1; i >= 0;
         i--) { /* digits come last first; later pieces make way */
        const uint32_t base = (uint32_t)(CUBE_CORNERS - i);
        piece[i] = (uint8_t)(rank % base);
        rank /= base;
        for (int j = i + 1; j < CUBE_CORNERS; j++) piece[j] += piece[j] >= piece[i];
    }
}

uint32_t cube_twist_rank(const uint8_t twist[CUBE_CORNERS]) {
    uint32_t rank = 0;
    for (int i = 0; i < CUBE_CORNERS - 1; i++) rank = rank * 3 + twist[i];
    return rank;
}

static void cube_twist_unrank(uint32_t rank, uint8_t twist[CUBE_CORNERS]) {
    uint32_t sum = 0;
    for (int i = CUBE_CORNERS - 2; i >= 0; i--, rank /= 3) sum += twist[i] = (uint8_t)(rank % 3);
    twist[CUBE_CORNERS - 1] = (uint8_t)((3 - sum % 3) % 3);
}

/* ---- tables ---- */

static void cube_fill(void) {
    cube_tables *const t = &cube_table;
    for (uint32_t o = 0; o < CUBE_ORDERS; o++) cube_order_unrank(o, t->piece[o]);
    for (uint32_t w = 0; w < CUBE_TWISTS; w++) cube_twist_unrank(w, t->twist[w]);
    for (int action = 0; action < WEFT_CUBE_ACTIONS; action++) {
        const turns_face *const face = &turns_faces[action / 2];
        uint8_t piece[TURNS_CORNERS], twist[TURNS_CORNERS];
        for (uint32_t o = 0; o < CUBE_ORDERS; o++) {
            memcpy(piece, t->piece[o], CUBE_CORNERS);
            memset(twist, 0, sizeof twist);
            turns_cycle(face->corner, piece, twist, 0, 0, 3, action & 1);
            t->order_turned[o][action] = (uint16_t)cube_order_rank(piece);
        }
        for (uint32_t w = 0; w < CUBE_TWISTS; w++) {
            memcpy(twist, t->twist[w], CUBE_CORNERS);
            memset(piece, 0, sizeof piece);
            turns_cycle(face->corner, piece, twist, face->twists, 2 * face->twists, 3, action & 1);
            t->twist_turned[w][action] = (uint16_t)cube_twist_rank(twist);
        }
    }
    atomic_store_explicit(&cube_is_ready, true, memory_order_release);
}

static const cube_tables *cube_ready(void) {
    if (!atomic_load_explicit(&cube_is_ready, memory_order_acquire))
        pthread_once(&cube_once, cube_fill);
    return &cube_table;
}

/* ---- turning and looking; a number that is no cube is left alone, or looks solved ---- */

uint32_t weft_cube_turn(uint32_t cube, int action) {
    if (cube >= WEFT_CUBE_STATES || action < 0 || action >= WEFT_CUBE_ACTIONS) return cube;
    const cube_tables *const t = cube_ready();
    return t->order_turned[cube / CUBE_TWISTS][action] * (uint32_t)CUBE_TWISTS +
           t->twist_turned[cube % CUBE_TWISTS][action];
}

uint32_t weft_cube_scramble(uint32_t cube, int k, weft_rng *r) {
    while (k-- > 0) cube = weft_cube_turn(cube, (int)rng_below(r, WEFT_CUBE_ACTIONS));
    return cube;
}

void weft_cube_pieces(uint32_t cube, uint8_t piece[7], uint8_t twist[7]) {
    const cube_tables *const t = cube_ready();
    if (cube >= WEFT_CUBE_STATES) cube = 0;
    memcpy(piece, t->piece[cube / CUBE_TWISTS], CUBE_CORNERS);
    memcpy(twist, t->twist[cube % CUBE_TWISTS], CUBE_CORNERS);
}

void weft_cube_index(uint32_t cube, int32_t slots[7]) {
    uint8_t piece[CUBE_CORNERS], twist[CUBE_CORNERS];
    weft_cube_pieces(cube, piece, twist);
    for (int i = 0; i < CUBE_CORNERS; i++) slots[i] = i * 21 + piece[i] * 3 + twist[i];
}

void weft_cube_stickers(uint32_t cube, uint8_t colour[24]) {
    uint8_t piece[TURNS_CORNERS], twist[TURNS_CORNERS];
    weft_cube_pieces(cube, piece, twist);
    piece[CUBE_CORNERS] = CUBE_CORNERS; /* the one that never moves */
    twist[CUBE_CORNERS] = 0;
    for (int place = 0; place < TURNS_CORNERS; place++)
        for (int k = 0; k < 3; k++)
            colour[turns_corner[place][(k + twist[place]) % 3]] = turns_corner[piece[place]][k] / 4;
}
