/* test_replay.c - the replay against a record of everything that happened, kept beside it.
 *
 * What is drawn on the road of replay_world.h must be what a slow reading of the history gives, as
 * often as chance says. */
#include "run_folder.h" /* first: it asks for more of the system */

#include "replay_world.h"
#include <weft/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a world with a replay and the history of what it was told ---- */

typedef struct event {
    road from, to; /* to: before a new beginning */
    int action, done;
    float reward;
} event;

enum { WORLD_MOST = 4000 };

typedef struct world {
    weft_ctx *c;
    weft_state *s;
    weft_envs *v;
    weft_replay *r;
    weft_replay_desc d;
    int n, steps;
    event *history; /* [n, WORLD_MOST] */
} world;

static bool world_open(world *w, int n, weft_replay_desc d) {
    *w = (world){.n = n, .d = d};
    w->c = weft_open("cpu");
    w->s = weft_state_new(w->c);
    w->v = weft_envs_new(w->s, &road_env, n, "roads", &(weft_envs_desc){.seed = 5});
    for (int i = 0; i < n; i++) ((road *)weft_envs_at(w->v, i))->self = i;
    w->r = weft_replay_new(w->s, w->v, "replay", &d);
    w->history = calloc((size_t)n * WORLD_MOST, sizeof *w->history);
    if (CHECK(w->r && w->history)) return true;
    CHECK_STR(weft_error(w->c), "");
    return false;
}

static void world_close(world *w) {
    weft_replay_free(w->r);
    weft_envs_free(w->v);
    weft_state_free(w->s);
    weft_close(w->c);
    free(w->history);
}

static void world_step(world *w, int steps) {
    int32_t action[8] = {0};
    float reward[8];
    uint8_t done[8];
    for (int k = 0; k < steps; k++, w->steps++) {
        event now[8];
        for (int i = 0; i < w->n; i++) {
            action[i] = (int32_t)(test_random() % ROAD_ACTIONS);
            now[i].from = *(const road *)weft_envs_at(w->v, i);
            now[i].action = action[i];
        }
        CHECK_EQ(weft_envs_step(w->v, action, reward, done), WEFT_OK);
        for (int i = 0; i < w->n; i++) {
            ((road *)weft_envs_at(w->v, i))->self = i; /* a reset has set it to the level */
            now[i].to = *(const road *)weft_envs_final(w->v, i);
            now[i].to.self = i;
            now[i].reward = reward[i];
            now[i].done = done[i];
            w->history[(size_t)i * WORLD_MOST + (size_t)w->steps] = now[i];
        }
        CHECK_EQ(weft_replay_add(w->r, action, reward, done), WEFT_OK);
    }
}

/* Whether transition t of instance i has all of its window. */
static bool world_complete(const world *w, int i, int t) {
    const event *const h = w->history + (size_t)i * WORLD_MOST;
    const int n = w->d.n_step ? w->d.n_step : 1;
    for (int k = 0; k < n; k++) {
        if (t + k >= w->steps) return false;
        if (h[t + k].done) return true;
    }
    return true;
}

/* How many of the last slots of ring i are transitions, and those that can be drawn: a cut-off
 * takes a slot of its own. */
static int world_ready(const world *w, int i, int slots, bool *ready) {
    const event *const h = w->history + (size_t)i * WORLD_MOST;
    int count = 0, room = slots;
    memset(ready, 0, WORLD_MOST * sizeof *ready);
    for (int t = w->steps - 1; t >= 0; t--) {
        room -= h[t].done == WEFT_TRUNCATED ? 2 : 1;
        if (room < 0) break;
        ready[t] = world_complete(w, i, t);
        count += ready[t];
    }
    return count;
}

static int world_find(const world *w, const float *obs) {
    const event *const h = w->history + (size_t)obs[0] * WORLD_MOST;
    for (int t = 0; t < w->steps; t++)
        if (h[t].from.episode == (int)obs[1] && h[t].from.step == (int)obs[2]) return t;
    return -1;
}

/* ---- windows ---- */

/* Row by row what was drawn, beside the same from the history in double. */
static void check_rows(const world *w, int rows, const float *obs, const float *next,
                       const weft_replay_rows *out) {
    const int n = w->d.n_step ? w->d.n_step : 1;
    const double gamma = w->d.gamma > 0 ? (double)w->d.gamma : (double)0.99f;
    for (int row = 0; row < rows; row++) {
        const int t = world_find(w, obs + 3 * row), i = (int)obs[3 * row];
        if (!CHECK(t >= 0) || !CHECK(world_complete(w, i, t))) return;
        const event *h = w->history + (size_t)i * WORLD_MOST + t;
        double sum = 0, power = 1;
        int k = 0;
        for (; k < n; k++) {
            sum += power * (double)h[k].reward;
            power *= gamma;
            if (h[k].done) break;
        }
        const event *const last = &h[k < n ? k : n - 1];
        CHECK_EQ(out->action[row], h->action);
        CHECK_NEAR(out->reward[row], sum * (w->d.scale > 0 ? (double)w->d.scale : 1), 1e-4);
        CHECK_NEAR(out->discount[row], last->done == WEFT_TERMINATED ? 0 : power, 1e-6);
        int32_t index[2];
        road_index(&h->from, index);
        CHECK_MEM(out->index + 2 * row, index, sizeof index);
        if (last->done == WEFT_TERMINATED) {
            CHECK_EQ(out->legal[row], 7);
            continue;
        }
        CHECK_EQ(next[3 * row], last->to.self);
        CHECK_EQ(next[3 * row + 1], last->to.episode);
        CHECK_EQ(next[3 * row + 2], last->to.step);
        CHECK_EQ(out->legal[row], (int)road_legal(&last->to));
        road_index(&last->to, index);
        CHECK_MEM(out->next_index + 2 * row, index, sizeof index);
        CHECK_EQ(out->weight[row], 1);
    }
}

TEST(windows_are_those_of_the_history) {
    static const int n_steps[] = {0, 1, 2, 3, 5, 11};
    for (size_t k = 0; k < sizeof n_steps / sizeof *n_steps; k++) {
        for (int n = 1; n <= 3; n += 2) {
            CASE("%d steps, %d instances", n_steps[k], n);
            world w;
            drawn y;
            if (!world_open(&w, n,
                            (weft_replay_desc){.capacity = 200 * n,
                                               .n_step = n_steps[k],
                                               .gamma = k % 2 ? 0.9f : 0,
                                               .scale = k % 3 ? 0.5f : 0,
                                               .seed = 9}))
                return;
            const weft_replay_rows out = rows_of(&y);
            for (int round = 0; round < 40; round++) {
                world_step(&w, 13); /* 520 in all: the rings go round twice */
                if (!weft_replay_ready(w.r)) continue;
                CHECK_EQ(weft_replay_draw(w.r, round, ROWS, &out), WEFT_OK);
                check_rows(&w, ROWS, y.obs, y.next, &out);
            }
            CHECK_EQ(weft_replay_check(w.r), WEFT_OK);
            world_close(&w);
        }
    }
}

/* ---- chances ---- */

/* Chi-square of counts against expectations; it has about the mean k - 1 and the deviation
 * sqrt(2 (k - 1)). */
static bool plausible(double chi, int k) {
    return chi > k - 1 - 5 * sqrt(2.0 * (k - 1)) && chi < k - 1 + 5 * sqrt(2.0 * (k - 1));
}

TEST(even_draws_are_even) {
    static const struct {
        int capacity, n, steps, n_step;
    } cases[] = {{50, 1, 30, 1}, {50, 1, 500, 1}, {100, 2, 333, 3}, {210, 3, 400, 5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CASE("room %d, %d instances, %d steps of %d", cases[k].capacity, cases[k].n, cases[k].steps,
             cases[k].n_step);
        world w;
        drawn y;
        static int count[8][WORLD_MOST];
        static bool ready[8][WORLD_MOST];
        memset(count, 0, sizeof count);
        if (!world_open(
                &w, cases[k].n,
                (weft_replay_desc){.capacity = cases[k].capacity, .n_step = cases[k].n_step}))
            return;
        world_step(&w, cases[k].steps);
        int all = 0;
        for (int i = 0; i < w.n; i++) all += world_ready(&w, i, cases[k].capacity / w.n, ready[i]);
        CHECK_EQ(weft_replay_ready(w.r), all);
        const weft_replay_rows out = rows_of(&y);
        enum { DRAWS = 2000 };
        for (int step = 0; step < DRAWS; step++) {
            CHECK_EQ(weft_replay_draw(w.r, step, ROWS, &out), WEFT_OK);
            for (int row = 0; row < ROWS; row++) {
                const int t = world_find(&w, y.obs + 3 * row);
                if (CHECK(t >= 0)) count[(int)y.obs[3 * row]][t]++;
            }
        }
        double chi = 0, want = (double)DRAWS * ROWS / all;
        for (int i = 0; i < w.n; i++)
            for (int t = 0; t < w.steps; t++) {
                if (ready[i][t]) chi += (count[i][t] - want) * (count[i][t] - want) / want;
                else CHECK_EQ(count[i][t], 0);
            }
        CHECK(plausible(chi, all));
        world_close(&w);
    }
}

TEST(priorities_are_chances_and_weights_undo_them) {
    world w;
    drawn y;
    static double priority[WORLD_MOST];
    static int count[WORLD_MOST];
    const double alpha = (double)0.7f;
    if (!world_open(&w, 1,
                    (weft_replay_desc){.capacity = 300,
                                       .n_step = 3,
                                       .prioritised = true,
                                       .alpha = 0.7f,
                                       .beta = 0.5f,
                                       .beta_steps = 1000,
                                       .seed = 3}))
        return;
    world_step(&w, 700);
    const weft_replay_rows out = rows_of(&y);
    for (int t = 0; t < WORLD_MOST; t++) priority[t] = 1, count[t] = 0;

    /* what was drawn gets an error; the reference does the same by itself */
    double largest = 1;
    for (int step = 0; step < 60; step++) {
        float error[ROWS];
        CHECK_EQ(weft_replay_draw(w.r, step, ROWS, &out), WEFT_OK);
        for (int row = 0; row < ROWS; row++) {
            const int t = world_find(&w, y.obs + 3 * row);
            if (!CHECK(t >= 0)) return;
            error[row] = (float)((t * 37) % 101) / 25 - 2;
            priority[t] = pow(fabs((double)error[row]) + (double)1e-3f, alpha);
            if (priority[t] > largest) largest = priority[t];
        }
        CHECK_EQ(weft_replay_update_priorities(w.r, ROWS, y.place, error), WEFT_OK);
    }
    /* the ring goes on: new ones have the greatest priority so far */
    const int before = w.steps;
    world_step(&w, 40);
    for (int t = before - 3; t < w.steps; t++)
        if (t >= before || !world_complete(&w, 0, t)) priority[t] = largest;
    for (int t = before - 3; t < before; t++) { /* those were waiting until now */
        bool waited = true;
        for (int k = 0; k < 3; k++)
            if (t + k < before && w.history[t + k].done) waited = false;
        if (waited && t + 3 > before) priority[t] = largest;
    }

    static bool ready[WORLD_MOST];
    const int all = world_ready(&w, 0, 300, ready);
    CHECK_EQ(weft_replay_ready(w.r), all);
    double total = 0;
    for (int t = 0; t < w.steps; t++) total += ready[t] ? priority[t] : 0;

    enum { DRAWS = 4000 };
    for (int step = 0; step < DRAWS; step++) {
        CHECK_EQ(weft_replay_draw(w.r, step, ROWS, &out), WEFT_OK);
        const double part = step < 1000 ? step / 1000.0 : 1, beta = 0.5 + 0.5 * part;
        double weight[ROWS], greatest = 0;
        for (int row = 0; row < ROWS; row++) {
            const int t = world_find(&w, y.obs + 3 * row);
            if (!CHECK(t >= 0 && ready[t])) return;
            count[t]++;
            weight[row] = pow(priority[t] / total * all, -beta);
            if (weight[row] > greatest) greatest = weight[row];
        }
        for (int row = 0; row < ROWS && step % 100 == 0; row++)
            CHECK_NEAR(y.weight[row], weight[row] / greatest, 1e-4);
    }
    /* each batch takes one from each of 64 equal parts of the sum, so counts are closer to what is
     * expected than independent draws would be: only the upper bound of chi-square holds */
    double chi = 0;
    for (int t = 0; t < w.steps; t++) {
        if (!ready[t]) continue;
        const double want = (double)DRAWS * ROWS * priority[t] / total;
        chi += (count[t] - want) * (count[t] - want) / want;
    }
    CHECK(chi < all + 5 * sqrt(2.0 * all));
    world_close(&w);
}

/* ---- the same again ---- */

TEST(draws_follow_from_seed_step_and_contents) {
    for (int prioritised = 0; prioritised < 2; prioritised++) {
        CASE("prioritised %d", prioritised);
        world w;
        drawn a, b;
        if (!world_open(&w, 2,
                        (weft_replay_desc){
                            .capacity = 100, .prioritised = prioritised, .n_step = 2, .seed = 4}))
            return;
        world_step(&w, 77);
        const weft_replay_rows ra = rows_of(&a), rb = rows_of(&b);
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        CHECK_EQ(weft_replay_draw(w.r, 5, ROWS, &ra), WEFT_OK);
        CHECK_EQ(weft_replay_draw(w.r, 6, ROWS, &rb), WEFT_OK);
        CHECK(memcmp(&a, &b, sizeof a) != 0);
        CHECK_EQ(weft_replay_draw(w.r, 5, ROWS, &rb), WEFT_OK);
        CHECK_MEM(&a, &b, sizeof a);

        /* into a file and back, in a state that was made anew */
        const run_folder folder = run_make();
        const char *const path = run_path(&folder, "replay.safetensors");
        CHECK_EQ(weft_checkpoint_save(w.s, path, NULL), WEFT_OK);
        world other;
        if (!world_open(&other, 2, w.d)) return;
        if (weft_checkpoint_load(other.s, path, NULL) != WEFT_OK)
            CHECK_STR(weft_error(other.c), "");
        CHECK_EQ(weft_replay_check(other.r), WEFT_OK);
        memset(&b, 0, sizeof b);
        CHECK_EQ(weft_replay_draw(other.r, 5, ROWS, &rb), WEFT_OK);
        CHECK_MEM(&a, &b, sizeof a);
        CHECK(weft_state_hash(w.s) == weft_state_hash(other.s));
        run_remove(folder.path);
        world_close(&other);
        world_close(&w);
    }
}

TEST(symmetries_turn_both_states_and_the_action) {
    world w;
    drawn y;
    int seen[4] = {0};
    if (!world_open(&w, 1,
                    (weft_replay_desc){.capacity = 100, .symmetries = 4, .symmetry = road_turn}))
        return;
    world_step(&w, 60);
    const weft_replay_rows out = rows_of(&y);
    for (int step = 0; step < 50; step++) {
        CHECK_EQ(weft_replay_draw(w.r, step, ROWS, &out), WEFT_OK);
        for (int row = 0; row < ROWS; row++) {
            const int k = (int)y.obs[3 * row] / 100;
            y.obs[3 * row] = 0;
            const int t = world_find(&w, y.obs + 3 * row);
            if (!CHECK(k >= 0 && k < 4) || !CHECK(t >= 0)) return;
            seen[k]++;
            CHECK_EQ(y.action[row], (w.history[t].action + k) % ROAD_ACTIONS);
            if (y.discount[row] > 0) CHECK_EQ((int)y.next[3 * row], 100 * k);
        }
    }
    double chi = 0, want = 50 * ROWS / 4.0;
    for (int k = 0; k < 4; k++) chi += (seen[k] - want) * (seen[k] - want) / want;
    CHECK(chi < 3 + 5 * sqrt(6.0));
    world_close(&w);
}
