/* cube_read.c - parses cubes and turns; errors say why a cube is impossible. */
#include "rl/cube.h"

#include <string.h>

/* Each piece once, each twist 0 to 2, twists that add up to whole turns. What turning can reach is
 * just that, since any order of seven corners can be reached. */
weft_err weft_cube_of(weft_ctx *c, const uint8_t piece[7], const uint8_t twist[7], uint32_t *cube) {
    uint32_t seen = 0, sum = 0;
    for (int i = 0; i < CUBE_CORNERS; i++) {
        char place[4], name[4];
        turns_corner_name(i, place);
        if (piece[i] >= CUBE_CORNERS || twist[i] > 2)
            return weft_fail(c, WEFT_ARGUMENT,
                             "cube: place %s has piece %d with twist %d; pieces are 0 to 6, twists "
                             "0 to 2",
                             place, piece[i], twist[i]);
        turns_corner_name(piece[i], name);
        if (seen >> piece[i] & 1)
            return weft_fail(c, WEFT_ARGUMENT, "cube: corner %s is there twice, again in place %s",
                             name, place);
        seen |= 1u << piece[i];
        sum += twist[i];
    }
    if (sum % 3)
        return weft_fail(c, WEFT_ARGUMENT,
                         "cube: the twists add up to %d thirds of a turn; turning faces keeps that "
                         "a multiple of 3, so a corner was twisted by hand",
                         (int)sum);
    *cube = cube_order_rank(piece) * CUBE_TWISTS + cube_twist_rank(twist);
    return WEFT_OK;
}

static bool cube_blank(char x) {
    return x == ' ' || x == '\n' || x == '\t' || x == '\r' || x == ',' || x == '/';
}

/* Which corner has these colours in this order, from which it may begin anywhere? -1: none. */
static int cube_corner_of(const uint8_t colour[3], uint8_t *twist) {
    for (int piece = 0; piece < TURNS_CORNERS; piece++)
        for (int t = 0; t < 3; t++) {
            int same = 0;
            for (int k = 0; k < 3; k++) same += colour[(k + t) % 3] == turns_corner[piece][k] / 4;
            if (same == 3) {
                *twist = (uint8_t)t;
                return piece;
            }
        }
    return -1;
}

weft_err weft_cube_read(weft_ctx *c, const char *letters, uint32_t *cube) {
    uint8_t colour[24], piece[TURNS_CORNERS], twist[TURNS_CORNERS];
    int n = 0;
    for (const char *at = letters; at && *at; at++) {
        if (cube_blank(*at)) continue;
        const char *const found = strchr(turns_colours, *at);
        if (!found)
            return weft_fail(c, WEFT_ARGUMENT,
                             "cube: sticker %d is '%c'; the letters U D F B L R were expected",
                             n + 1, *at);
        if (n < 24) colour[n] = (uint8_t)(found - turns_colours);
        n++;
    }
    if (n != 24)
        return weft_fail(c, WEFT_ARGUMENT,
                         "cube: %d stickers; 24 were expected, four for each of the faces U D F B "
                         "L R",
                         n);
    for (int i = 0; i < TURNS_CORNERS; i++) {
        uint8_t seen[3];
        char place[4];
        turns_corner_name(i, place);
        for (int k = 0; k < 3; k++) seen[k] = colour[turns_corner[i][k]];
        const int found = cube_corner_of(seen, &twist[i]);
        if (found < 0)
            return weft_fail(c, WEFT_ARGUMENT,
                             "cube: place %s shows %c %c %c clockwise; there is no such corner",
                             place, turns_colours[seen[0]], turns_colours[seen[1]],
                             turns_colours[seen[2]]);
        piece[i] = (uint8_t)found;
    }
    if (piece[CUBE_CORNERS] != CUBE_CORNERS || twist[CUBE_CORNERS] != 0)
        return weft_fail(c, WEFT_ARGUMENT,
                         "cube: corner DBL is not at home; turn the whole cube in your hands until "
                         "its D is below, its B behind and its L on the left");
    return weft_cube_of(c, piece, twist, cube);
}

/* ---- turns ---- */

weft_err weft_cube_read_actions(weft_ctx *c, const char *text, int actions, int32_t *out, int room,
                                int *n) {
    int count = 0;
    const char *at = text ? text : "";
    while (*at) {
        if (cube_blank(*at)) {
            at++;
            continue;
        }
        int action = -1;
        for (int i = 0; i < actions / 2 && i < TURNS_FACES; i++)
            if (turns_faces[i].name == *at) action = 2 * i;
        if (action < 0)
            return weft_fail(c, WEFT_ARGUMENT,
                             "turns: \"%.12s\" begins with no face to turn; %s were expected, with "
                             "' behind it for back and 2 for half a turn",
                             at, actions > WEFT_CUBE_ACTIONS ? "R U F L D B" : "R U F");
        at++;
        const int times = *at == '2' ? 2 : 1;
        if (*at == '\'') action++;
        at += *at == '\'' || *at == '2';
        if (count + times > room)
            return weft_fail(c, WEFT_ARGUMENT, "turns: more than %d quarter turns", room);
        for (int i = 0; i < times; i++) out[count++] = action;
    }
    *n = count;
    return WEFT_OK;
}
