/* player.h - a learned automaton at work on a board, and what is right there.
 *
 * The circuit of a run moves the cells, and nothing else does. Beside it Life is computed by its
 * rule in every generation, and other automata are held against what they shall become. */
#ifndef WEFT_PLAYER_H
#define WEFT_PLAYER_H

#include "automata.h"
#include "cli/run.h"

typedef struct player {
    run run;
    run_settings how;
    const automata_task *task;
    weft_automaton *rule;
    weft_circuit *gates;
    weft_rng chance; /* which cells go on, where not all do */
    int height, width;
    uint8_t *board;           /* [channels, 1, height, width] */
    uint8_t *shown;           /* [height, width]: what is to be seen of it, as automaton_shown */
    uint8_t *wanted, *before; /* [shown, 1, height, width]: what is right; of Life, what was */
    int64_t generation, population;
    int64_t wrong; /* cells: of Life in all generations, of others in this one */
} player;

typedef struct player_start {
    const char *pattern; /* of Life, as life_pattern_read has it; NULL: by chance */
    int width, height;   /* of the board; 0: not given ... */
    int fit_width,
        fit_height; /* ... so Life has this, or what the pattern needs, and others have what
                                   they have learned with */
    int64_t seed;
} player_start;

/* The run that was named, or the newest of "train TASK", and its circuit. */
weft_err player_open(player *p, const call *c, int threads);
void player_close(player *p);

weft_err player_begin(player *p, const player_start *s);
weft_err player_step(player *p);

bool player_follows(const player *p); /* Life, which is right or not in every generation */
const char *player_result(const player *p, char *text, size_t bytes); /* "all match the rule" */

#endif
