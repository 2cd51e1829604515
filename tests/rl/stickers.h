/* stickers.h - cubes as stickers in space: turning that shares nothing with the library's.
 *
 * A sticker has a place and a direction; turning a face rotates those in its layer. Which sticker
 * is which follows from how a net is folded: U above F above D, then L, R and B around. */
#ifndef WEFT_TEST_STICKERS_H
#define WEFT_TEST_STICKERS_H

#include <string.h>

typedef struct point {
    int x, y, z; /* right, up, towards you */
} point;

enum { MOST_STICKERS = 54 };
typedef struct sticker_cube {
    int side, n;
    unsigned char turned[12]
                        [MOST_STICKERS]; /* by action and sticker: where its colour comes from */
    unsigned char colour[MOST_STICKERS]; /* 0 .. 5: U D F B L R */
} sticker_cube;

/* For each face what looks outward, to the right in the net, and down in the net. */
static const struct {
    point out, right, down;
} net[6] = {
    {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},   /* U: its lower edge meets F */
    {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}, /* D: its upper edge meets F */
    {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  /* F */
    {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
    {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}},
};

static inline point blend(point a, int by, point b, int of, point c, int with) {
    return (point){a.x * by + b.x * of + c.x * with, a.y * by + b.y * of + c.y * with,
                   a.z * by + b.z * of + c.z * with};
}
static inline int along(point a, point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline point cross(point a, point b) {
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* A quarter turn about an axis, clockwise for who looks at it from its tip: the part along the axis
 * stays, the rest turns by v x axis. */
static inline point spun(point v, point axis) {
    const point turned = cross(v, axis);
    return blend(axis, along(v, axis), turned, 1, turned, 0);
}

/* Middles of cells lie at even distances: -side + 1, ... side - 1. */
static inline void sticker_at(int side, int i, point *place, point *out) {
    const int face = i / (side * side), row = i % (side * side) / side, column = i % side;
    *out = net[face].out;
    *place = blend(net[face].out, side - 1, net[face].right, 2 * column - side + 1, net[face].down,
                   2 * row - side + 1);
}

static inline int sticker_of(int side, point place, point out) {
    for (int i = 0; i < 6 * side * side; i++) {
        point p, o;
        sticker_at(side, i, &p, &o);
        if (!memcmp(&p, &place, sizeof p) && !memcmp(&o, &out, sizeof o)) return i;
    }
    return -1;
}

static inline void sticker_solve(sticker_cube *q) {
    for (int i = 0; i < q->n; i++) q->colour[i] = (unsigned char)(i / (q->side * q->side));
}

/* Faces in the order of the actions: R U F L D B, each forth and back. */
static inline void sticker_make(sticker_cube *q, int side) {
    static const int face_of[6] = {5, 0, 2, 4, 1, 3};
    q->side = side;
    q->n = 6 * side * side;
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < q->n; i++) {
            const point axis = net[face_of[f]].out;
            point place, out;
            sticker_at(side, i, &place, &out);
            int to = i;
            if (along(place, axis) == side - 1)
                to = sticker_of(side, spun(place, axis), spun(out, axis));
            q->turned[2 * f][to] = (unsigned char)i;
            q->turned[2 * f + 1][i] = (unsigned char)to;
        }
    sticker_solve(q);
}

static inline void sticker_turn(sticker_cube *q, int action) {
    unsigned char old[MOST_STICKERS];
    memcpy(old, q->colour, sizeof old);
    for (int i = 0; i < q->n; i++) q->colour[i] = old[q->turned[action][i]];
}

#endif
