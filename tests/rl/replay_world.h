/* replay_world.h - the road, an environment whose observations name one state of the whole history,
 * and room for what a replay gives.
 *
 * An instance knows its number, episode and step. Some episodes end by themselves, others are cut
 * off. */
#ifndef WEFT_TEST_REPLAY_WORLD_H
#define WEFT_TEST_REPLAY_WORLD_H

#include "test.h"
#include <weft/rl.h>

typedef struct road {
    int32_t self, episode, step, length;
} road;

enum { ROAD_LIMIT = 7, ROAD_ACTIONS = 3 };

static inline void road_reset(void *e, weft_rng *r, int level) {
    road *const w = e;
    w->self = level; /* set by the test, one instance at a time */
    w->episode++;
    w->step = 0;
    w->length = 1 + (int32_t)weft_rng_below(r, 12); /* beyond the limit: cut off */
}

static inline float road_reward(const road *w, int action) {
    return (float)((w->episode * 31 + w->step * 7 + action * 3 + w->self) % 17) - 5;
}

static inline float road_step(void *e, weft_rng *r, int action, bool *done) {
    (void)r;
    road *const w = e;
    const float reward = road_reward(w, action);
    w->step++;
    *done = w->step >= w->length;
    return reward;
}

static inline void road_observe(const void *e, float *obs) {
    const road *const w = e;
    obs[0] = (float)w->self;
    obs[1] = (float)w->episode;
    obs[2] = (float)w->step;
}

static inline void road_index(const void *e, int32_t *slots) {
    const road *const w = e;
    slots[0] = w->episode % 50;
    slots[1] = 50 + w->step;
}

static inline uint32_t road_legal(const void *e) {
    const road *const w = e;
    return 1u + (uint32_t)((w->episode + w->step) % 7); /* never none */
}

static inline int road_turn(void *e, int action, int k) {
    road *const w = e;
    w->self += 100 * k;
    return (action + k) % ROAD_ACTIONS;
}

static const weft_env road_env = {.name = "road",
                                  .size = sizeof(road),
                                  .obs = 3,
                                  .slots = 2,
                                  .words = 64,
                                  .actions = ROAD_ACTIONS,
                                  .limit = ROAD_LIMIT,
                                  .reset = road_reset,
                                  .step = road_step,
                                  .observe = road_observe,
                                  .index = road_index,
                                  .legal = road_legal};

enum { ROWS = 64 };
typedef struct drawn {
    float obs[3 * ROWS], next[3 * ROWS], reward[ROWS], discount[ROWS], weight[ROWS];
    int32_t index[2 * ROWS], next_index[2 * ROWS], action[ROWS], legal[ROWS], place[ROWS];
} drawn;

static inline weft_replay_rows rows_of(drawn *y) {
    return (weft_replay_rows){.obs = y->obs,
                              .next_obs = y->next,
                              .index = y->index,
                              .next_index = y->next_index,
                              .action = y->action,
                              .reward = y->reward,
                              .discount = y->discount,
                              .legal = y->legal,
                              .weight = y->weight,
                              .place = y->place};
}

#endif
