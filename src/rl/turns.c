/* turns.c - the geometry of cubes as tables: cycles of places, stickers of places, names. */
#include "rl/turns.h"

#include <stdio.h>

enum { C_URF, C_UFL, C_ULB, C_UBR, C_DFR, C_DLF, C_DRB, C_DBL };
enum { E_UR, E_UF, E_UL, E_UB, E_DR, E_DF, E_DL, E_DB, E_FR, E_FL, E_BL, E_BR };
enum { FACE_U, FACE_D, FACE_F, FACE_B, FACE_L, FACE_R };

/* clang-format off */
/*  face  corners one after the other     edges                     twists, flips */
#define TURNS_ROWS(X)                                                                              \
    X(R,  C_UBR, C_DRB, C_DFR, C_URF,     E_UR, E_BR, E_DR, E_FR,   true,  false)                  \
    X(U,  C_URF, C_UFL, C_ULB, C_UBR,     E_UR, E_UF, E_UL, E_UB,   false, false)                  \
    X(F,  C_URF, C_DFR, C_DLF, C_UFL,     E_UF, E_FR, E_DF, E_FL,   true,  true)                   \
    X(L,  C_UFL, C_DLF, C_DBL, C_ULB,     E_UL, E_FL, E_DL, E_BL,   true,  false)                  \
    X(D,  C_DFR, C_DRB, C_DBL, C_DLF,     E_DF, E_DR, E_DB, E_DL,   false, false)                  \
    X(B,  C_ULB, C_DBL, C_DRB, C_UBR,     E_UB, E_BL, E_DB, E_BR,   true,  true)
#define X(face, a, b, c, d, e, f, g, h, twists, flips)                                             \
    {#face[0], {a, b, c, d}, {e, f, g, h}, twists, flips},
const turns_face turns_faces[TURNS_FACES] = {TURNS_ROWS(X)};
#undef X

const char turns_colours[TURNS_FACES + 1] = "UDFBLR";

#define ON(face, i) (FACE_##face * 4 + (i))
const uint8_t turns_corner[TURNS_CORNERS][3] = {
    {ON(U, 3), ON(R, 0), ON(F, 1)}, {ON(U, 2), ON(F, 0), ON(L, 1)},
    {ON(U, 0), ON(L, 0), ON(B, 1)}, {ON(U, 1), ON(B, 0), ON(R, 1)},
    {ON(D, 1), ON(F, 3), ON(R, 2)}, {ON(D, 0), ON(L, 3), ON(F, 2)},
    {ON(D, 3), ON(R, 3), ON(B, 2)}, {ON(D, 2), ON(B, 3), ON(L, 2)}};
#undef ON

#define ON(face, i) (FACE_##face * 9 + (i))
const uint8_t turns_edge[TURNS_EDGES][2] = {
    {ON(U, 5), ON(R, 1)}, {ON(U, 7), ON(F, 1)}, {ON(U, 3), ON(L, 1)}, {ON(U, 1), ON(B, 1)},
    {ON(D, 5), ON(R, 7)}, {ON(D, 1), ON(F, 7)}, {ON(D, 3), ON(L, 7)}, {ON(D, 7), ON(B, 7)},
    {ON(F, 5), ON(R, 3)}, {ON(F, 3), ON(L, 5)}, {ON(B, 5), ON(L, 3)}, {ON(B, 3), ON(R, 5)}};
#undef ON
/* clang-format on */

void turns_corner_name(int place, char out[4]) {
    for (int i = 0; i < 3; i++) out[i] = turns_colours[turns_corner[place][i] / 4];
    out[3] = 0;
}

void turns_net(const uint8_t *colour, int side, char *text, size_t bytes) {
    /* Faces from left to right in each of three bands; -1: nothing there. */
    static const int8_t band[3][4] = {
        {-1, FACE_U, -1, -1}, {FACE_L, FACE_F, FACE_R, FACE_B}, {-1, FACE_D, -1, -1}};
    size_t n = 0;
    for (int row = 0; row < 3 * side; row++) {
        const int faces = band[row / side][3] < 0 ? 2 : 4;
        for (int i = 0; i < faces * side; i++) {
            const int face = band[row / side][i / side];
            const int sticker = face * side * side + row % side * side + i % side;
            const char letter = face < 0 ? ' ' : turns_colours[colour[sticker] % TURNS_FACES];
            const bool last = i == faces * side - 1;
            const int more = n < bytes ? snprintf(text + n, bytes - n, "%c%s", letter,
                                                  last                   ? "\n"
                                                  : i % side == side - 1 ? "  "
                                                                         : " ")
                                       : 0;
            n += more > 0 ? (size_t)more : 0;
        }
    }
}

/* ---- actions as words ---- */

const char *weft_cube_action_name(int action) {
#define X(face, ...) #face, #face "'",
    static const char name[WEFT_CUBE3_ACTIONS][3] = {TURNS_ROWS(X)};
#undef X
#undef TURNS_ROWS
    return action >= 0 && action < WEFT_CUBE3_ACTIONS ? name[action] : NULL;
}
