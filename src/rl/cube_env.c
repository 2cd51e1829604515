/* cube_env.c - the 2x2x2 cube as an environment. An instance is its number, 4 bytes.
 *
 * 1 for solving it, which ends the episode, -0.01 for any other turn, 50 turns at most. A level is
 * a number of random quarter turns from the solved cube; they may undo each other, so 1 in 18
 * sequences of four leaves it solved, and then the first turn leads away. Level 0 is any cube,
 * uniformly, and 1000 the highest. */
#include "rl/tables.h"
#include "rl/turns.h"

static void cube_env_reset(void *e, weft_rng *r, int level) {
    *(uint32_t *)e = level > 0 ? weft_cube_scramble(0, level, r) : rng_below(r, WEFT_CUBE_STATES);
}

static float cube_env_step(void *e, weft_rng *r, int action, bool *done) {
    (void)r;
    uint32_t *const cube = e;
    *cube = weft_cube_turn(*cube, action);
    *done = *cube == 0;
    return *done ? 1 : -0.01f;
}

static void cube_env_index(const void *e, int32_t *slots) {
    weft_cube_index(*(const uint32_t *)e, slots);
}

static void cube_env_slots(const void *e, float *obs) {
    int32_t slots[7];
    cube_env_index(e, slots);
    env_one_hot(slots, 7, obs, 7 * 21);
}

static void cube_env_stickers(const void *e, float *obs) {
    uint8_t colour[24];
    int32_t slots[24];
    weft_cube_stickers(*(const uint32_t *)e, colour);
    for (int i = 0; i < 24; i++) slots[i] = 6 * i + colour[i];
    env_one_hot(slots, 24, obs, 24 * 6);
}

static weft_err cube_env_check(weft_ctx *c, const void *e) {
    const uint32_t cube = *(const uint32_t *)e;
    if (cube < WEFT_CUBE_STATES) return WEFT_OK;
    return weft_fail(c, WEFT_ARGUMENT, "cube: number %u; there are %u cubes", (unsigned)cube,
                     (unsigned)WEFT_CUBE_STATES);
}

static void cube_env_show(const void *e, char *text, size_t bytes) {
    uint8_t colour[24];
    weft_cube_stickers(*(const uint32_t *)e, colour);
    turns_net(colour, 2, text, bytes);
}

/*            table           name          width   function */
#define CUBE_ENVS(X)                                                                               \
    X(env_cube, "cube", 24 * 6, cube_env_stickers)                                                 \
    X(env_cube_slots, "cube-slots", 7 * 21, cube_env_slots)
#define X(table, text, width, function)                                                            \
    const weft_env table = {.name = text,                                                          \
                            .size = sizeof(uint32_t),                                              \
                            .obs = width,                                                          \
                            .slots = 7,                                                            \
                            .words = 7 * 21,                                                       \
                            .actions = WEFT_CUBE_ACTIONS,                                          \
                            .limit = 50,                                                           \
                            .levels = ENV_TURNS,                                                   \
                            .reset = cube_env_reset,                                               \
                            .step = cube_env_step,                                                 \
                            .observe = function,                                                   \
                            .index = cube_env_index,                                               \
                            .check = cube_env_check,                                               \
                            .show = cube_env_show};
CUBE_ENVS(X)
#undef X
#undef CUBE_ENVS
