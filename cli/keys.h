/* keys.h - single keys from a terminal, which is given back as it was, whatever ends the program.
 *
 * While keys are open, lines are not edited and nothing is echoed. Signals that would end or stop
 * the program are keys too: the caller closes and ends, or stops with keys_stop. */
#ifndef WEFT_KEYS_H
#define WEFT_KEYS_H

#include <stdbool.h>

typedef enum keys_special {
    KEYS_NONE = -1, /* none came in time */
    KEYS_END = 256, /* end of input, or a signal that asks to end */
    KEYS_STOP,      /* Ctrl-Z */
    KEYS_UP,
    KEYS_DOWN,
    KEYS_LEFT,
    KEYS_RIGHT
} keys_special;

bool keys_open(void);            /* false: standard input is no terminal. One at a time */
int keys_next(void);             /* waits; a letter, or one of the above */
int keys_within(double seconds); /* the same, but waits no longer; below 0: for ever */
void keys_stop(void);            /* gives the terminal back, stops the program, takes it again */
void keys_close(void);
bool keys_interrupted(void); /* was it a signal that ended it? */

#endif
