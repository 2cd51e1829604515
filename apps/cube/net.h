/* net.h - the network that solves the 2x2x2 cube: which of the six turns leads towards the
 * solved one?
 *
 * It sees seven corners, each as one of 21 rows of a table, which are added up. A cube is first
 * turned and mirrored into the least of the six that look alike (weft_cube_canonical), and the
 * answer is turned back, so that nothing is learned six times. */
#ifndef WEFT_CUBE_NET_H
#define WEFT_CUBE_NET_H

#include "cli/json.h"
#include "cli/run.h"

#include <weft/rl.h>

enum { CUBE_SLOTS = 7, CUBE_WORDS = 147, CUBE_LIMIT = 50 /* turns of an attempt */ };

typedef struct cube_net {
    int64_t wide, narrow; /* values of the two hidden layers */
} cube_net;

weft_tensor cube_net_record(weft_state *s, weft_tensor x, const cube_net *n);
/* x i32 [rows, CUBE_SLOTS] -> [rows, WEFT_CUBE_ACTIONS] */
int cube_net_look(uint32_t cube, int32_t slots[CUBE_SLOTS]); /* gives the symmetry that was used */

/* As the member "model" of config.json. */
void cube_net_write(const void *net, json *j);
weft_err cube_net_read(void *net, weft_ctx *c, weft_json config, const char *path);

/* The network at work on some states at once. */
typedef struct cube_view {
    weft_plan *plan;
    weft_tensor logits;
    int32_t *x; /* [rows, CUBE_SLOTS] feed */
    float *y;   /* [rows, WEFT_CUBE_ACTIONS] */
    int *symmetry;
    int rows;
} cube_view;
weft_err cube_view_make(cube_view *v, weft_state *s, const cube_net *n, int rows, int threads);
void cube_view_free(cube_view *v);
weft_err cube_view_scores(void *view, const void *cubes, int n, float *scores);
/* a weft_policy: log probabilities [n, actions] for any n */

#endif
