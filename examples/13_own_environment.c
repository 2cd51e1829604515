/* 13_own_environment.c - an environment of one's own, learned by policy optimisation: fruit falls,
 * and a basket below moves left or right to catch it. An environment is a table of functions over
 * plain memory, and that is all. */
#include <stdio.h>
#include <weft/rl.h>

enum { WIDE = 7, HIGH = 6 };
enum { LEFT, STAY, RIGHT, MOVES };

typedef struct orchard {
    int32_t fruit, row, basket; /* columns, and how far the fruit has fallen */
} orchard;

static void orchard_reset(void *e, weft_rng *r, int level) {
    (void)level;
    *(orchard *)e = (orchard){(int32_t)weft_rng_below(r, WIDE), 0, WIDE / 2};
}

static float orchard_step(void *e, weft_rng *r, int action, bool *done) {
    orchard *const o = e;
    (void)r;
    o->basket += action - STAY;
    o->row++;
    *done = o->row == HIGH - 1;
    return *done ? (o->fruit == o->basket ? 1.0f : -1.0f) : 0;
}

static void orchard_observe(const void *e, float *obs) {
    const orchard *const o = e;
    for (int i = 0; i < 2 * WIDE + 1; i++) obs[i] = 0;
    obs[o->fruit] = obs[WIDE + o->basket] = 1;
    obs[2 * WIDE] = (float)o->row / HIGH;
}

static uint32_t orchard_legal(const void *e) { /* not beyond the walls */
    const int32_t at = ((const orchard *)e)->basket;
    return 1u << STAY | (at > 0 ? 1u << LEFT : 0) | (at < WIDE - 1 ? 1u << RIGHT : 0);
}

static const weft_env orchard_env = {.name = "orchard",
                                     .size = sizeof(orchard),
                                     .obs = 2 * WIDE + 1,
                                     .actions = MOVES,
                                     .reset = orchard_reset,
                                     .step = orchard_step,
                                     .observe = orchard_observe,
                                     .legal = orchard_legal};

int main(void) {
    enum { GAMES = 32, EVALUATED = 200, ROUNDS = 60 };
    weft_ctx *c = weft_open("auto");
    weft_state *s = weft_state_new(c), *apart = weft_state_new(c);
    weft_envs *games = weft_envs_new(s, &orchard_env, GAMES, "games", NULL);
    weft_envs *evaluated =
        weft_envs_new(apart, &orchard_env, EVALUATED, "evaluated", &(weft_envs_desc){.seed = 99});
    weft_ppo *agent = weft_ppo_new(s, games, "agent",
                                   &(weft_ppo_desc){.horizon = 32,
                                                    .optimiser = &(weft_optimiser_desc){
                                                        .kind = WEFT_OPTIMISER_ADAM, .lr = 3e-3f}});
    if (!agent || !evaluated) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    int caught = 0;
    for (int i = 1; i <= ROUNDS; i++) {
        weft_metrics m = {0};
        if (weft_ppo_step(agent, i, &m)) return fprintf(stderr, "%s\n", weft_error(c)), 1;
        if (i % 10 == 0)
            printf("round %3d: %6.0f games, mean reward %5.2f\n", i,
                   weft_metric_of(&m, "count/episodes"), weft_metric_of(&m, "episodes/mean"));
    }
    float reward[EVALUATED];
    if (weft_envs_play(evaluated, weft_ppo_act, agent, HIGH, reward) == WEFT_OK)
        for (int i = 0; i < EVALUATED; i++) caught += reward[i] > 0;
    printf("%d of %d caught.\n", caught, EVALUATED);

    weft_ppo_free(agent);
    weft_envs_free(evaluated);
    weft_envs_free(games);
    weft_state_free(apart);
    weft_state_free(s);
    weft_close(c);
    return caught == EVALUATED ? 0 : 1;
}
