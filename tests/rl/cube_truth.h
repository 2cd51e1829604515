/* cube_truth.h - how far every cube is from the solved one. */
#ifndef WEFT_TEST_CUBE_TRUTH_H
#define WEFT_TEST_CUBE_TRUTH_H

#include <stdlib.h>
#include <weft/rl.h>

static uint8_t *distance; /* [WEFT_CUBE_STATES], made by the first test that asks */
static inline const uint8_t *distances(void) {
    if (!distance) {
        distance = malloc(WEFT_CUBE_STATES);
        if (distance) weft_cube_distances(distance);
    }
    return distance;
}

#endif
