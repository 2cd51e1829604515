/* evaluate.h - how well a network solves the cube, against the exact truth.
 *
 * Here and nowhere else the table of distances is read. Every solution is replayed turn by turn,
 * and counts only if it ends with the solved cube. */
#ifndef WEFT_CUBE_EVALUATE_H
#define WEFT_CUBE_EVALUATE_H

#include "net.h"

#include <stdio.h>

enum {
    CUBE_DISTANCES = 15, /* 0 .. 14 */
    CUBE_BEAMS = 2,
    CUBE_ANY = 10000, /* cubes drawn evenly; besides all that are 14 away, and all up to ... */
    CUBE_NEAR = 5     /* ... this */
};

typedef struct cube_beam {
    int width;
    double seconds; /* for all searches */
    int64_t tried, solved, optimal;
    int64_t tried_at[CUBE_DISTANCES], optimal_at[CUBE_DISTANCES];
} cube_beam;

typedef struct cube_results {
    int64_t cubes[CUBE_DISTANCES];  /* all there are, by distance */
    int64_t greedy[CUBE_DISTANCES]; /* of which the likeliest turn, again and again, solves so many;
                                       never taking back the last, at most CUBE_LIMIT turns */
    int64_t cubes_all, greedy_all;  /* the same at any distance */
    int scrambles, scrambles_solved;  /* all sequences of four turns, by greedy play */
    cube_beam beam[CUBE_BEAMS];       /* widths 64 and 1,024 */
    uint32_t example[CUBE_DISTANCES]; /* a cube of each distance */
    double seconds;
} cube_results;

#define CUBE_EVALUATE_WORDS "full|quick|none" /* the words of --evaluate, in the order of the enum */
enum { CUBE_EVALUATE_FULL, CUBE_EVALUATE_QUICK, CUBE_EVALUATE_NONE };

typedef struct cube_evaluate_desc {
    int threads;
    bool quick;                    /* only a fiftieth of the cubes */
    FILE *progress;                /* shows how far it is; NULL: nothing */
} cube_evaluate_desc;

/* By the parameters as they are in s. */
weft_err cube_evaluate(weft_state *s, const cube_net *n, const cube_evaluate_desc *d, cube_results *v);

#endif
