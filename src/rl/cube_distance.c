/* cube_distance.c - the distance of every 2x2x2 cube from the solved one, for evaluation only.
 *
 * Training never reads it: that would be learning from the solution. It has a file and a
 * function of its own so that this can be seen; the memory is the caller's. */
#include "weft/rl.h"

#include <string.h>

void weft_cube_distances(uint8_t *table) {
    enum { UNKNOWN = 255 };
    memset(table, UNKNOWN, WEFT_CUBE_STATES);
    table[0] = 0;
    bool more = true;
    for (uint8_t d = 0; more; d++) { /* what is d away leads to what is d + 1 away */
        more = false;
        for (uint32_t cube = 0; cube < WEFT_CUBE_STATES; cube++) {
            if (table[cube] != d) continue;
            for (int action = 0; action < WEFT_CUBE_ACTIONS; action++) {
                const uint32_t next = weft_cube_turn(cube, action);
                if (table[next] != UNKNOWN) continue;
                table[next] = (uint8_t)(d + 1);
                more = true;
            }
        }
    }
}
