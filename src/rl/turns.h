/* turns.h - what a quarter turn does to corners and edges, and where their stickers are: the facts
 * that both cubes share. The 2x2x2 cube is the corners, without the last place, which never moves.
 */
#ifndef WEFT_RL_TURNS_H
#define WEFT_RL_TURNS_H

#include "weft/rl.h"

enum { TURNS_FACES = 6, TURNS_CORNERS = 8, TURNS_EDGES = 12 };

/* A clockwise turn of a face: the piece in place i of the cycle goes to place i + 1. In a side
 * face, corners arriving at places 0 and 2 are twisted by 1, at 1 and 3 by 2. Edges are turned over
 * by F and B. */
typedef struct turns_face {
    char name;
    uint8_t corner[4], edge[4];
    bool twists, flips;
} turns_face;
extern const turns_face turns_faces[TURNS_FACES];

/* The stickers of each place, clockwise for corners: face times 4 or 9, and which of its rows'. */
extern const uint8_t turns_corner[TURNS_CORNERS][3]; /* on 24 stickers */
extern const uint8_t turns_edge[TURNS_EDGES][2];     /* on 54 */
extern const char turns_colours[TURNS_FACES + 1];    /* "UDFBLR" */

/* "URF", for messages; place 0 .. 7. */
void turns_corner_name(int place, char out[4]);

/* Moves what is in four places along; on arrival at places 0 and 2 `even` is added to how it is
 * turned, at 1 and 3 `odd`, modulo n. back: the other way round. */
static inline void turns_cycle(const uint8_t at[4], uint8_t *piece, uint8_t *turned, int even,
                               int odd, int n, bool back) {
    const uint8_t p[4] = {piece[at[0]], piece[at[1]], piece[at[2]], piece[at[3]]};
    const uint8_t t[4] = {turned[at[0]], turned[at[1]], turned[at[2]], turned[at[3]]};
    for (int i = 0; i < 4; i++) {
        const int next = (i + 1) & 3, by = next & 1 ? odd : even;
        const int from = back ? next : i, to = back ? i : next;
        piece[at[to]] = p[from];
        turned[at[to]] = (uint8_t)((t[from] + (back ? n - by : by)) % n);
    }
}

/* The stickers as a net for people; side 2 or 3. */
void turns_net(const uint8_t *colour, int side, char *text, size_t bytes);

#endif
