/* test_td.c - learning of after states: against the exact values of a small 2048, against a slow
 * learner in double, with other numbers of threads, resumed, and only playing. */
#include "run_folder.h" /* first: it asks for POSIX */

#include "td_world.h"

/* ---- exact values ---- */

static int greedy(void *user, const small *s) {
    int32_t action;
    weft_td_best(user, 1, s, &action);
    return action;
}

/* A table with an entry for each after state; greedy play is judged by its exact mean, without
 * playing. A value is a mean over about 2 / rate targets, which deviate by some 20 points from it:
 * that is 0.5 for the plain ones that are passed often. Rates of their own get small early, so that
 * what was valued too little then is not found again: the play is good, not the best. */
TEST(exact_values) {
    static const struct {
        const char *name;
        weft_td_desc d;
        float last;  /* rate */
        double less; /* than the best play, as a share */
        int steps;
    } ways[] = {
        {"plain", {.plain = true, .rate = 0.2f, .seed = 3}, 0.001f, 0.001, 100},
        {"rates of their own", {.seed = 4}, 0.02f, 0.02, 30},
    };
    static small_truth best, learned;
    const double most = small_solve(&best);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CASE("%s", ways[i].name);
        world w;
        weft_td_desc d = ways[i].d;
        d.first = 200; /* more than any game brings: every move is tried */
        if (!world_open(&w, &small_game, &d)) return;
        const int steps = test_sanitized() ? 20 : ways[i].steps;
        const double first = (double)weft_td_stats_of(w.a).rate;
        for (int k = 0; k < steps; k++) {
            weft_td_set_rate(
                w.a, (float)(first * pow((double)ways[i].last / first, (double)k / (steps - 1))));
            if (!world_step(&w, 1)) return;
        }
        learned.policy = greedy;
        learned.user = w.a;
        const double mean = small_solve(&learned);
        CHECK(mean <= most * (1 + 1e-12));
        CHECK_NEAR(mean, most, (test_sanitized() ? 0.02 : ways[i].less) * most);
        double worst = 0;
        int compared = 0;
        for (int number = 0; number < SMALL_WORDS; number++) {
            const small after = {{(uint8_t)(number / 216), (uint8_t)(number / 36 % 6),
                                  (uint8_t)(number / 6 % 6), (uint8_t)(number % 6)}};
            float value;
            if (learned.often[number] < 0.05) continue;
            weft_td_value(w.a, 1, &after, &value);
            worst = fmax(worst, fabs((double)value - learned.worth[number]));
            compared++;
        }
        CHECK(compared > 25);
        CHECK_NEAR(worst, 0, test_sanitized() ? 5 : 2); /* with fewer moves */
        world_close(&w);
    }
}

/* ---- a slow learner in double ---- */

enum { SLOW_GAMES = 6, SLOW_TABLES = 3, SLOW_SLOTS = 2, SLOW_WORDS = 36, SLOW_NAMED = 6 };

typedef struct slow {
    double table[SLOW_TABLES][SLOW_WORDS], sum[SLOW_TABLES][SLOW_WORDS];
    double sizes[SLOW_TABLES][SLOW_WORDS];
    double rate, gamma;
    bool plain;
    int games;
    struct {
        small state, before;
        weft_rng rng;
        bool going;
        double value[4], was; /* what the turn under way has seen */
    } game[SLOW_GAMES];
    int wrong;    /* choices of the learner that are not nearly the best */
    double error; /* sum of sizes */
} slow;

static double slow_value(const slow *w, const small *after) {
    uint32_t entry[SLOW_NAMED];
    double sum = 0;
    pair_index(after, 0, SLOW_TABLES, entry);
    for (int i = 0; i < SLOW_NAMED; i++) sum += w->table[i / SLOW_SLOTS][entry[i]];
    return sum;
}

static void slow_look(slow *w, int g) {
    small after[4];
    float reward[4];
    small_moves(&w->game[g].state, after, reward);
    for (int a = 0; a < 4; a++) w->game[g].value[a] = slow_value(w, &after[a]);
    w->game[g].was = slow_value(w, &w->game[g].before);
}

/* Ends the turn of game g. Where the learner went is told by its state: of choices that are nearly
 * as good as each other rounding may have taken another one. */
static void slow_turn(slow *w, int g, const small *went) {
    small after[4], to;
    float reward[4];
    const uint32_t legal = small_moves(&w->game[g].state, after, reward);
    double most = 0;
    int best = -1, chosen = -1;
    weft_rng r = w->game[g].rng;
    for (int a = 0; a < 4; a++) {
        if (!(legal >> a & 1)) continue;
        const double all = (double)reward[a] + w->gamma * w->game[g].value[a];
        if (best < 0 || all > most) best = a, most = all;
    }
    for (int a = 0; a < 4 && best >= 0; a++) {
        if (!(legal >> a & 1)) continue;
        weft_rng draw = r;
        small_chance(&after[a], &to, &draw);
        const double all = (double)reward[a] + w->gamma * w->game[g].value[a];
        if (memcmp(&to, went, sizeof to) || all < most - 1e-3) continue;
        if (chosen < 0 || a == best) chosen = a;
    }
    if (w->game[g].going) {
        const double error = most - w->game[g].was;
        uint32_t entry[SLOW_NAMED];
        pair_index(&w->game[g].before, 0, SLOW_TABLES, entry);
        w->error += fabs(error);
        for (int i = 0; i < SLOW_NAMED; i++) {
            const int t = i / SLOW_SLOTS;
            double *const sum = &w->sum[t][entry[i]], *const sizes = &w->sizes[t][entry[i]];
            const double own = w->plain || *sizes == 0 ? 1 : fabs(*sum) / *sizes;
            w->table[t][entry[i]] += w->rate * error * own / SLOW_NAMED;
            *sum += error;
            *sizes += fabs(error);
        }
    }
    w->game[g].going = best >= 0;
    if (best < 0) {
        small_start(&to, &r);
    } else {
        if (chosen < 0) w->wrong++, chosen = best;
        w->game[g].before = after[chosen];
        small_chance(&after[chosen], &to, &r);
    }
    w->wrong += memcmp(&to, went, sizeof to) != 0;
    w->game[g].state = to;
    w->game[g].rng = r;
}

/* A round: what a turn sees was learned in turns at least three before it, less with few games. */
static void slow_round(slow *w, const small *went) {
    const int behind = w->games > 3 ? 3 : w->games > 1 ? w->games - 1 : 1;
    for (int k = 0; k < w->games + behind; k++) {
        if (k >= behind) slow_turn(w, k - behind, &went[k - behind]);
        if (k < w->games) slow_look(w, k);
    }
}

TEST(as_a_slow_learner) {
    static const struct {
        const char *name;
        weft_td_desc d;
    } ways[] = {
        {"rates of their own", {.games = 1, .moves = 1, .seed = 1}},
        {"plain", {.games = 1, .moves = 1, .plain = true, .seed = 2}},
        {"half the rate, a discount", {.games = 1, .moves = 1, .rate = 0.5f, .gamma = 0.75f}},
        {"many games", {.games = SLOW_GAMES, .moves = SLOW_GAMES, .seed = 3}},
        {"many games, plain", {.games = SLOW_GAMES, .moves = SLOW_GAMES, .plain = true, .seed = 4}},
        {"two games", {.games = 2, .moves = 2, .seed = 6}},
        {"three games", {.games = 3, .moves = 3, .threads = 2, .seed = 7}},
        {"many games, threads", {.games = 4, .moves = 4, .threads = 3, .first = 60, .seed = 5}},
    };
    const weft_td_game g = pair_game();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CASE("%s", ways[i].name);
        static slow r;
        world w;
        float table[SLOW_TABLES * SLOW_WORDS], errors[SLOW_TABLES * SLOW_WORDS * 2];
        small went[SLOW_GAMES];
        if (!world_open(&w, &g, &ways[i].d)) return;
        const weft_td_desc *const d = &ways[i].d;
        memset(&r, 0, sizeof r);
        r.rate = d->rate > 0 ? (double)d->rate : d->plain ? (double)0.1f : 1;
        r.gamma = d->gamma > 0 ? (double)d->gamma : 1;
        r.plain = d->plain;
        r.games = d->games;
        for (int t = 0; t < SLOW_TABLES * SLOW_WORDS; t++)
            r.table[t / SLOW_WORDS][t % SLOW_WORDS] = (double)(d->first / SLOW_NAMED);
        for (int k = 0; k < r.games; k++) {
            weft_rng_seed(&r.game[k].rng, d->seed, (uint64_t)k);
            small_start(&r.game[k].state, &r.game[k].rng);
        }
        const int rounds = 4000 / r.games;
        for (int k = 0; k < rounds; k++) {
            r.error = 0;
            if (!world_step(&w, 1)) return;
            CHECK_EQ(weft_state_get(w.s, "rng.td.state", went, (size_t)r.games * sizeof *went),
                     WEFT_OK);
            slow_round(&r, went);
        }
        CHECK_EQ(r.wrong, 0);
        CHECK_EQ(weft_state_get(w.s, "td.table", table, sizeof table), WEFT_OK);
        for (int t = 0; t < SLOW_TABLES * SLOW_WORDS; t++)
            if (!CHECK_NEAR((double)table[t], r.table[t / SLOW_WORDS][t % SLOW_WORDS], 5e-3)) break;
        CHECK_NEAR((double)weft_td_stats_of(w.a).error, r.error / r.games, 5e-3);
        if (!d->plain) {
            CHECK_EQ(weft_state_get(w.s, "rng.td.errors", errors, sizeof errors), WEFT_OK);
            for (int t = 0; t < SLOW_TABLES * SLOW_WORDS; t++) {
                const double sum = r.sum[t / SLOW_WORDS][t % SLOW_WORDS];
                const double sizes = r.sizes[t / SLOW_WORDS][t % SLOW_WORDS];
                if (!CHECK_NEAR((double)errors[2 * t], sum, 1e-4 * (1 + sizes))) break;
                if (!CHECK_NEAR((double)errors[2 * t + 1], sizes, 1e-4 * (1 + sizes))) break;
            }
        }
        world_close(&w);
    }
}

/* ---- the same bits ---- */

TEST(any_number_of_threads) {
    static const int counts[] = {1, 2, 3, 6, 9};
    const weft_td_game g = pair_game();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        CASE("%d games", counts[i]);
        uint64_t hash[4] = {0};
        for (int threads = 1; threads <= 4; threads++) { /* one more than there are tables */
            world w;
            const weft_td_desc d = {.games = counts[i],
                                    .threads = threads,
                                    .plain = i % 2,
                                    .moves = 25000,
                                    .window = 50,
                                    .seed = 7};
            if (!world_open(&w, &g, &d) || !world_step(&w, 1)) return;
            hash[threads - 1] = weft_state_hash(w.s);
            CHECK(weft_td_stats_of(w.a).episodes > 500);
            world_close(&w);
        }
        for (int k = 1; k < 4; k++) CHECK(hash[k] == hash[0]);
    }
}

TEST(resumes_with_the_same_bits) {
    const run_folder folder = run_make();
    const char *const path = run_path(&folder, "td.safetensors");
    const weft_td_game g = pair_game();
    for (int plain = 0; plain < 2; plain++) {
        CASE("plain %d", plain);
        const weft_td_desc d = {.plain = plain, .moves = 3000, .first = 20, .seed = 1};
        weft_td_desc again = d;
        again.seed = 2;
        again.threads = 2;
        world w, other;
        if (!world_open(&w, &g, &d) || !world_step(&w, 5)) return;
        weft_td_set_rate(w.a, 0.25f);
        CHECK_EQ(weft_checkpoint_save(w.s, path, NULL), WEFT_OK);
        if (!world_open(&other, &g, &again)) return;
        CHECK_EQ(weft_checkpoint_load(other.s, path, NULL), WEFT_OK);
        CHECK_EQ(weft_td_check(other.a), WEFT_OK);
        CHECK_EQ(weft_td_stats_of(other.a).rate, 0.25f);
        if (!world_step(&w, 5) || !world_step(&other, 5)) return;
        CHECK(weft_state_hash(w.s) == weft_state_hash(other.s));
        const weft_td_stats a = weft_td_stats_of(w.a), b = weft_td_stats_of(other.a);
        CHECK_EQ(a.moves, b.moves);
        CHECK_EQ(a.episodes, b.episodes);
        CHECK_EQ(a.error, b.error);
        CHECK_EQ(a.mean, b.mean);
        world_close(&other);
        world_close(&w);
    }
    CASE("through the loop");
    const char *const run = run_path(&folder, "run");
    const weft_td_desc d = {.moves = 3000, .seed = 1};
    uint64_t hash[2];
    for (int cut = 0; cut < 2; cut++) {
        world w;
        weft_train_result r;
        weft_train_desc t = {.step = weft_td_step, .steps = cut ? 4 : 10, .run = run};
        for (int part = 0; part <= cut; part++, t.steps = 10, t.resume = true) {
            if (!world_open(&w, &g, &d)) return;
            t.user = w.a;
            CHECK_EQ(weft_train(w.s, &t, &r), WEFT_OK);
            CHECK_EQ(r.steps, t.steps);
            hash[cut] = weft_state_hash(w.s);
            world_close(&w);
        }
    }
    CHECK(hash[0] == hash[1]);
    run_remove(folder.path);
}

/* ---- what it tells, and playing only ---- */

TEST(metrics_and_stats) {
    world w;
    weft_metrics m = {.n = 0};
    if (!world_open(&w, &small_game, &(weft_td_desc){.moves = 30000, .seed = 1})) return;
    const weft_td_stats before = weft_td_stats_of(w.a);
    CHECK_EQ(before.moves, 0);
    CHECK_EQ(before.mean, 0);
    CHECK_EQ(weft_td_step(w.a, 0, &m), WEFT_OK);
    const weft_td_stats s = weft_td_stats_of(w.a);
    CHECK_STR(m.at[0].name, "train/loss");
    CHECK_EQ(weft_metric_of(&m, "train/loss"), (double)s.error);
    CHECK_EQ(weft_metric_of(&m, "train/rate"), 1.0);
    CHECK_EQ(weft_metric_of(&m, "episodes/mean"), (double)s.mean);
    CHECK_EQ(weft_metric_of(&m, "count/episodes"), (double)s.episodes);
    CHECK_EQ(weft_metric_of(&m, "count/moves"), (double)s.moves);
    CHECK_EQ(s.moves + s.episodes, 30000); /* a game that is over takes a turn to begin anew */
    CHECK(s.mean > 20 && s.mean < 70);     /* the best play has 67 */
    world_close(&w);
}

TEST(playing_only) {
    world w, other;
    const weft_td_game g = pair_game();
    if (!world_open(&w, &g, &(weft_td_desc){.seed = 1}) || !world_step(&w, 1)) return;
    float table[SLOW_TABLES * SLOW_WORDS];
    CHECK_EQ(weft_state_get(w.s, "td.table", table, sizeof table), WEFT_OK);
    if (!world_open(&other, &g, &(weft_td_desc){.fixed = true})) return;
    CHECK_EQ(weft_state_count(other.s), 1);
    CHECK_EQ(weft_state_set(other.s, "td.table", table, sizeof table), WEFT_OK);
    small state[50];
    int32_t one[50], two[50];
    weft_rng r;
    weft_rng_seed(&r, 5, 5);
    for (int i = 0; i < 50; i++)
        for (int k = 0; k < SMALL_CELLS; k++) state[i].cell[k] = (uint8_t)weft_rng_below(&r, 5);
    weft_td_best(w.a, 50, state, one);
    weft_td_best(other.a, 50, state, two);
    CHECK_MEM(one, two, sizeof one);
    int over = 0;
    for (int i = 0; i < 50; i++) { /* by the values themselves */
        small after[4];
        float reward[4], value[4];
        const uint32_t legal = small_moves(&state[i], after, reward);
        weft_td_value(w.a, 4, after, value);
        int best = -1;
        for (int a = 0; a < 4; a++)
            if (legal >> a & 1 && (best < 0 || reward[a] + value[a] > reward[best] + value[best]))
                best = a;
        CHECK_EQ(one[i], best);
        over += best < 0;
    }
    CHECK(over > 0 && over < 50);
    CHECK_EQ(weft_td_step(other.a, 0, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(other.c), "only plays");
    CHECK_EQ(weft_td_check(other.a), WEFT_OK);
    CHECK_EQ(weft_td_stats_of(other.a).moves, 0);
    weft_td_set_rate(other.a, 1);
    world_close(&other);
    world_close(&w);
}
