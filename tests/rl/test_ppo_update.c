/* test_ppo_update.c - what is learned from a horizon of play, against a slow learner in double.
 *
 * The environment writes down every step. From that record and the parameters as they were, the
 * slow learner works out values, advantages and goals by their definition, as sums over all that is
 * still to come, and the gradient of the loss by differences. The network is linear and the
 * optimiser plain, so every parameter can be foretold, through several passes. */
#include "test.h"
#include <weft/rl.h>

#include <math.h>
#include <string.h>

enum { INSTANCES = 3, HORIZON = 24, LIMIT = 5, ACTIONS = 3, SEEN = 2 };
enum { POLICY = 0, POLICY_BIAS = ACTIONS * SEEN, VALUE = POLICY_BIAS + ACTIONS };
enum { VALUE_BIAS = VALUE + SEEN, PARAMETERS };

/* ---- an environment that writes down what happens ---- */

typedef struct event {
    int from, to, action, ends; /* ends: a weft_done */
    float reward;
} event;

static event record[INSTANCES][HORIZON];

typedef struct track {
    int32_t self, made; /* set by the test: its number, its steps in this horizon */
    int32_t place, step;
} track;

static void track_reset(void *e, weft_rng *r, int level) {
    track *const t = e;
    (void)level;
    t->place = (int32_t)weft_rng_below(r, 3);
    t->step = 0;
}

static float track_step(void *e, weft_rng *r, int action, bool *done) {
    track *const t = e;
    const int from = t->place;
    const float reward = (float)((from * 5 + action * 3) % 7) - 2;
    t->place += action + (int32_t)weft_rng_below(r, 2);
    t->step++;
    *done = t->place >= 7;
    record[t->self][t->made++] = (event){from, t->place, action,
                                         *done              ? WEFT_TERMINATED
                                         : t->step == LIMIT ? WEFT_TRUNCATED
                                                            : WEFT_CONTINUES,
                                         reward};
    return reward;
}

static void track_see(int place, float *obs) {
    obs[0] = (float)place / 8;
    obs[1] = place % 2 ? 1 : -0.5f;
}
static void track_observe(const void *e, float *obs) {
    track_see(((const track *)e)->place, obs);
}
static uint32_t track_may(int place) {
    return place % 3 == 2 ? 5 : 7;
}
static uint32_t track_legal(const void *e) {
    return track_may(((const track *)e)->place);
}

static const weft_env track_env = {.name = "track",
                                   .size = sizeof(track),
                                   .obs = SEEN,
                                   .actions = ACTIONS,
                                   .limit = LIMIT,
                                   .reset = track_reset,
                                   .step = track_step,
                                   .observe = track_observe,
                                   .legal = track_legal};

/* ---- the slow learner ---- */

typedef struct slow {
    double p[PARAMETERS];
    double gamma, lambda, clip, entropy, value, scale, rate;
    double advantage[INSTANCES][HORIZON], goal[INSTANCES][HORIZON], before[INSTANCES][HORIZON];
    int clipped; /* rows beyond the clip in the last pass */
} slow;

static double slow_value(const double *p, int place) {
    float obs[SEEN];
    track_see(place, obs);
    return p[VALUE] * (double)obs[0] + p[VALUE + 1] * (double)obs[1] + p[VALUE_BIAS];
}

/* Logarithms of the chances of legal actions, the others 1: nobody's. */
static void slow_chances(const double *p, int place, double log_p[ACTIONS]) {
    float obs[SEEN];
    double sum = 0;
    track_see(place, obs);
    for (int a = 0; a < ACTIONS; a++) {
        log_p[a] = p[POLICY + a * SEEN] * (double)obs[0] +
                   p[POLICY + a * SEEN + 1] * (double)obs[1] + p[POLICY_BIAS + a];
        if (track_may(place) >> a & 1) sum += exp(log_p[a]);
    }
    for (int a = 0; a < ACTIONS; a++)
        log_p[a] = track_may(place) >> a & 1 ? log_p[a] - log(sum) : 1;
}

/* What a step brought beyond what was expected; behind a cut-off is what the last state promises,
 * behind an end nothing. */
static double slow_surprise(const slow *w, const event *e) {
    const double next = e->ends == WEFT_TERMINATED ? 0 : slow_value(w->p, e->to);
    return w->scale * (double)e->reward + w->gamma * next - slow_value(w->p, e->from);
}

/* An advantage is the sum of all surprises to come in the episode, each step later counting less. */
static void slow_advantages(slow *w) {
    double mean = 0, square = 0;
    for (int i = 0; i < INSTANCES; i++)
        for (int t = 0; t < HORIZON; t++) {
            double sum = 0;
            for (int k = t; k < HORIZON; k++) {
                sum += pow(w->gamma * w->lambda, k - t) * slow_surprise(w, &record[i][k]);
                if (record[i][k].ends) break;
            }
            double log_p[ACTIONS];
            slow_chances(w->p, record[i][t].from, log_p);
            w->before[i][t] = log_p[record[i][t].action];
            w->goal[i][t] = sum + slow_value(w->p, record[i][t].from);
            w->advantage[i][t] = sum;
            mean += sum / (INSTANCES * HORIZON);
        }
    for (int i = 0; i < INSTANCES * HORIZON; i++) {
        double *const a = &w->advantage[i / HORIZON][i % HORIZON];
        *a -= mean;
        square += *a * *a / (INSTANCES * HORIZON);
    }
    for (int i = 0; i < INSTANCES * HORIZON; i++)
        w->advantage[i / HORIZON][i % HORIZON] /= sqrt(square);
}

static double slow_loss(slow *w, const double *p) {
    double loss = 0;
    w->clipped = 0;
    for (int i = 0; i < INSTANCES; i++)
        for (int t = 0; t < HORIZON; t++) {
            const event *const e = &record[i][t];
            double log_p[ACTIONS], disorder = 0;
            slow_chances(p, e->from, log_p);
            for (int a = 0; a < ACTIONS; a++)
                if (track_may(e->from) >> a & 1) disorder -= exp(log_p[a]) * log_p[a];
            const double ratio = exp(log_p[e->action] - w->before[i][t]), a = w->advantage[i][t];
            const double kept = fmin(fmax(ratio, 1 - w->clip), 1 + w->clip);
            const double off = slow_value(p, e->from) - w->goal[i][t];
            w->clipped += kept * a < ratio * a;
            loss += w->value * off * off - fmin(ratio * a, kept * a) - w->entropy * disorder;
        }
    return loss / (INSTANCES * HORIZON);
}

/* A pass over all rows at once; gives the loss before it. */
static double slow_pass(slow *w) {
    enum { SIDES = 2 };
    const double step = 1e-6;
    double slope[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++) {
        double side[SIDES];
        for (int k = 0; k < SIDES; k++) {
            double p[PARAMETERS];
            memcpy(p, w->p, sizeof p);
            p[i] += k ? step : -step;
            side[k] = slow_loss(w, p);
        }
        slope[i] = (side[1] - side[0]) / (2 * step);
    }
    const double loss = slow_loss(w, w->p);
    for (int i = 0; i < PARAMETERS; i++) w->p[i] -= w->rate * slope[i];
    return loss;
}

/* ---- both ---- */

static const struct {
    const char *name;
    int at, n;
} entries[] = {{"agent.policy.weight", POLICY, ACTIONS *SEEN},
               {"agent.policy.bias", POLICY_BIAS, ACTIONS},
               {"agent.value.weight", VALUE, SEEN},
               {"agent.value.bias", VALUE_BIAS, 1}};

static bool parameters(weft_state *s, double p[PARAMETERS]) {
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        float now[PARAMETERS];
        const size_t bytes = (size_t)entries[i].n * sizeof *now;
        if (!CHECK_EQ(weft_state_get(s, entries[i].name, now, bytes), WEFT_OK)) return false;
        for (int k = 0; k < entries[i].n; k++) p[entries[i].at + k] = (double)now[k];
    }
    return true;
}

static double or_usual(float given, double usual) {
    return given < 0 ? 0 : given == 0 ? usual : (double)given;
}

TEST(as_a_slow_learner) {
    static const int linear[] = {0};
    static const weft_optimiser_desc plain = {.kind = WEFT_OPTIMISER_SGD, .lr = 0.5f};
    static const struct {
        const char *name;
        weft_ppo_desc d;
        bool clips; /* so far that some rows are clipped */
    } ways[] = {
        {"one pass", {.epochs = 1}, false},
        {"near-sighted", {.epochs = 1, .gamma = 0.9f, .lambda = 0.25f}, false},
        {"far-sighted", {.epochs = 1, .gamma = 1, .lambda = 1}, false},
        {"values alone", {.epochs = 2, .lambda = 0.5f, .entropy = -1, .value = 1}, false},
        {"no values", {.epochs = 4, .lambda = 0.75f, .value = -1, .clip = 0.1f}, true},
        {"half the rewards, many passes",
         {.epochs = 6,
          .lambda = 0.5f,
          .scale = 0.5f,
          .entropy = 0.3f,
          .value = 0.1f,
          .clip = 0.05f},
         true},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CASE("%s", ways[i].name);
        weft_ppo_desc d = ways[i].d;
        d.hidden = linear, d.optimiser = &plain, d.parts = 1, d.horizon = HORIZON;
        d.seed = i;
        slow w = {.gamma = or_usual(d.gamma, (double)0.99f),
                  .lambda = or_usual(d.lambda, (double)0.95f),
                  .clip = or_usual(d.clip, (double)0.2f),
                  .entropy = or_usual(d.entropy, (double)0.01f),
                  .value = or_usual(d.value, 0.5),
                  .scale = or_usual(d.scale, 1),
                  .rate = (double)plain.lr};
        weft_ctx *c = weft_open("cpu");
        weft_state *s = weft_state_new(c);
        weft_state_seed(s, (uint32_t)i + 1);
        weft_envs *v = weft_envs_new(s, &track_env, INSTANCES, "tracks", NULL);
        weft_ppo *a = weft_ppo_new(s, v, "agent", &d);
        if (!a) CHECK_STR(weft_error(c), "");
        int met[WEFT_TRUNCATED + 1] = {0}, clipped = 0;
        for (int round = 0; a && round < 3; round++) {
            weft_metrics m = {0};
            double loss = 0, now[PARAMETERS];
            for (int k = 0; k < INSTANCES; k++) {
                track *const t = weft_envs_at(v, k);
                t->self = k, t->made = 0;
            }
            if (!parameters(s, w.p)) break;
            CHECK_EQ(weft_ppo_step(a, round, &m), WEFT_OK);
            slow_advantages(&w);
            for (int k = 0; k < d.epochs; k++) loss = slow_pass(&w);
            clipped += w.clipped;
            if (!parameters(s, now)) break;
            for (int k = 0; k < PARAMETERS; k++) CHECK_NEAR(now[k], w.p[k], 2e-5);
            CHECK_NEAR(weft_metric_of(&m, "train/loss"), loss, 2e-5);
            for (int k = 0; k < INSTANCES * HORIZON; k++)
                met[record[k / HORIZON][k % HORIZON].ends]++;
        }
        CHECK(met[WEFT_CONTINUES] > 0 && met[WEFT_TERMINATED] > 0 && met[WEFT_TRUNCATED] > 0);
        CHECK(!ways[i].clips || clipped > 0);
        weft_ppo_free(a);
        weft_envs_free(v);
        weft_state_free(s);
        weft_close(c);
    }
}
