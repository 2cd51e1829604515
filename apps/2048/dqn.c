/* dqn.c - Q-learning with replay and a target network for 2048, over afterstates.
 *
 * Of a move the points are known before chance comes in, so Q(board, move) = points + V(the board
 * as the move leaves it), and V is one network for all moves. It is the sum of entries of tables:
 * each table belongs to a shape of four or six cells, its entries to what may lie there, and the
 * board is looked at from all eight sides, so that what is learned of one counts for all. Tables of
 * six cells would have 16^6 entries; they have 2^18 and a hash instead, so that the optimiser can
 * pass over all of it in a millisecond.
 *
 * What makes it learn: the squared error (with Huber's the rare early end of a good game, the very
 * thing to be avoided, hardly counts), targets of one step, a target network copied often, and
 * hardly any random moves, since the game brings enough of chance itself. */
#include "agent.h"

#include <stdlib.h>
#include <string.h>

enum {
    DQN_GAMES = 512,
    DQN_BATCH = 1024,
    DQN_REPLAY = 1000000,
    DQN_START = 20000,
    DQN_COPY = 4,      /* updates from a copy of the network to the next */
    DQN_EXPLORE = 5000 /* steps after which no move is random any more */
};
static const float dqn_points = 1024; /* are 1 to the network */
static const float dqn_rate = 1e-3f, dqn_random = 0.05f;

/* ---- what it sees of a board ---- */

static inline uint32_t dqn_less(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}
/* A shape that a symmetry of the board leaves in place is read both ways, and the lesser counts. */
static inline uint32_t dqn_line(uint32_t t) {
    return dqn_less(t, (t >> 12 | (t >> 4 & 0x00f0) | (t << 4 & 0x0f00) | t << 12) & 0xffff);
}
static inline uint32_t dqn_corner(uint32_t t) {
    return dqn_less(t, (t & 0xf00f) | (t >> 4 & 0x00f0) | (t << 4 & 0x0f00));
}
static inline uint32_t dqn_edge(uint32_t t) {
    return dqn_less(t, (t >> 4 & 0x0f0f) | (t << 4 & 0xf0f0));
}
static inline uint32_t dqn_middle(uint32_t t) {
    return dqn_less(t, t >> 12 | (t << 12 & 0xfff000));
}

/* Of the eight sides those that show different cells, a bit each; the bits of the cells and those
 * of the table, a hash where they are fewer; where the cells lie in a board y, as nibbles from the
 * lowest. */
/* clang-format off */
/*    sides  bits    cells */
#define DQN_SHAPES(X)                                                                              \
    X(0xff, 24, 18, y & 0xffffff)                                          /* a line and two, */   \
    X(0xff, 24, 18, y >> 16 & 0xffffff)                                    /* a second line too */ \
    X(0xff, 24, 18, (y & 0xfff) | (y >> 4 & 0xfff000))                     /* 2 x 3: corner, */    \
    X(0x53, 24, 18, dqn_middle((y >> 16 & 0xfff) | (y >> 20 & 0xfff000)))  /* middle */            \
    X(0x35, 16, 16, dqn_line(y & 0xffff))                                  /* a line, */           \
    X(0x35, 16, 16, dqn_line(y >> 16 & 0xffff))                            /* a second line */     \
    X(0x0f, 16, 16, dqn_corner((y & 0xff) | (y >> 8 & 0xff00)))            /* 2 x 2: corner, */    \
    X(0x35, 16, 16, dqn_edge((y >> 4 & 0xff) | (y >> 12 & 0xff00)))        /* edge */
/* clang-format on */

#define DQN_SIDES(b)                (((b)&1) + ((b) >> 1 & 1) + ((b) >> 2 & 1) + ((b) >> 3 & 1))
#define X(sides, size, bits, cells) +DQN_SIDES(sides) + DQN_SIDES((sides) >> 4)
enum { DQN_ENTRIES = 0 DQN_SHAPES(X) }; /* that an afterstate names */
#undef X
#define X(sides, size, bits, cells) +(1 << (bits))
enum { DQN_WORDS = 0 DQN_SHAPES(X) }; /* that there are in all tables */
#undef X
enum { DQN_SLOTS = WEFT_2048_ACTIONS * (1 + DQN_ENTRIES) };

static void dqn_entries(uint64_t board, int32_t *at) {
    uint64_t side[8];
    side[0] = board;
    for (int k = 1; k < 8; k *= 2)
        for (int i = 0; i < k; i++) side[k + i] = weft_2048_symmetry(side[i], k);
    int32_t first = 0;
#define X(sides, size, bits, cells)                                                                \
    for (int k = 0; k < 8; k++) {                                                                  \
        const uint64_t y = side[k];                                                                \
        const uint32_t t = (uint32_t)(cells);                                                      \
        const uint32_t hash = t * UINT32_C(2654435761) >> (32 - (bits));                           \
        if ((sides) >> k & 1) *at++ = first + (int32_t)((bits) < (size) ? hash : t);               \
    }                                                                                              \
    first += 1 << (bits);
    DQN_SHAPES(X)
#undef X
}

/* The points of the four moves, then what they lead to, as entries. */
static void dqn_index(const void *instance, int32_t *slots) {
    uint64_t board, after[WEFT_2048_ACTIONS];
    uint32_t score[WEFT_2048_ACTIONS];
    memcpy(&board, instance, sizeof board);
    const uint32_t legal = weft_2048_moves(board, after, score);
    for (int a = 0; a < WEFT_2048_ACTIONS; a++) *slots++ = (int32_t)score[a];
    for (int a = 0; a < WEFT_2048_ACTIONS; a++, slots += DQN_ENTRIES)
        if (legal >> a & 1) dqn_entries(after[a], slots);
        else memset(slots, 0, DQN_ENTRIES * sizeof *slots); /* masked: any entries do */
}

/* x i32 [B, DQN_SLOTS] -> [B, 4], or of one action [B, 1]. */
static weft_tensor dqn_value(void *user, weft_state *s, weft_tensor x, weft_tensor action) {
    enum { A = WEFT_2048_ACTIONS, N = DQN_ENTRIES };
    const int64_t rows = weft_dim(x, 0);
    weft_tensor points = weft_slice(x, 1, 0, A, 1);
    weft_tensor entries = weft_reshape(weft_slice(x, 1, A, DQN_SLOTS, 1), weft_dims(rows, A, N));
    (void)user;
    if (weft_ok(action)) {
        const weft_tensor all = weft_reshape(action, weft_dims(rows, 1, 1));
        points = weft_take_along(points, action, 1);
        entries = weft_take_along(entries, weft_expand(all, weft_dims(rows, 1, N)), 1);
    }
    const weft_tensor table =
        weft_param(x.g, s, "table", weft_dims(DQN_WORDS), (weft_init){WEFT_INIT_VALUE, 0, 0});
    const weft_tensor value = weft_sum(weft_gather(table, entries, 0), weft_axes(2), false);
    return weft_add(weft_scale(weft_cast(points, WEFT_F32), 1 / dqn_points), value);
}

/* ---- the agent ---- */

/* Boards to choose for are put into vectors of a few sizes, each with its own plan. */
static const int dqn_sizes[] = {1, 16, 64, 256};
enum { DQN_SIZES = sizeof dqn_sizes / sizeof *dqn_sizes };

typedef struct dqn_2048 {
    weft_env env;
    weft_envs *games;
    weft_dqn *agent;
    weft_state *aside; /* of the vectors below: no part of what is learned */
    weft_envs *asked[DQN_SIZES];
    weft_state *s;
    float first_rate;
} dqn_2048;

static void dqn_free(void *agent) {
    dqn_2048 *const q = agent;
    if (!q) return;
    weft_dqn_free(q->agent);
    weft_envs_free(q->games);
    for (int i = 0; i < DQN_SIZES; i++) weft_envs_free(q->asked[i]);
    weft_state_free(q->aside);
    free(q);
}

static bool dqn_start(dqn_2048 *q, weft_state *s, const agent_2048_desc *d) {
    weft_ctx *const c = weft_state_ctx(s);
    q->first_rate = d->rate > 0 ? (float)d->rate : dqn_rate;
    q->games = weft_envs_new(s, &q->env, d->plays ? 1 : DQN_GAMES, "games",
                             &(weft_envs_desc){.seed = d->seed});
    if (!q->games) return false;
    const weft_optimiser_desc adam = {.kind = WEFT_OPTIMISER_ADAM, .lr = q->first_rate};
    q->agent = weft_dqn_new(
        s, q->games, "dqn",
        &(weft_dqn_desc){
            .values = dqn_value,
            .sparse = true,
            .replay = {.capacity = d->plays ? 16 : DQN_REPLAY, .gamma = 1, .scale = 1 / dqn_points},
            .batch = d->plays ? 1 : DQN_BATCH,
            .start = d->plays ? 1 : DQN_START,
            .loss = WEFT_DQN_MSE,
            .not_double = true, /* a copy of four updates ago is no second opinion */
            .target_every = DQN_COPY,
            .optimiser = &adam,
            .explore = {.first = dqn_random, .last = -1, .over = DQN_EXPLORE},
            .threads = d->threads,
            .seed = d->seed});
    q->s = s;
    q->aside = q->agent ? weft_state_new(c) : NULL;
    return q->aside != NULL;
}

static void *dqn_make(weft_state *s, const agent_2048_desc *d) {
    weft_ctx *const c = weft_state_ctx(s);
    const weft_env *const game = weft_env_named(c, "2048");
    dqn_2048 *q = game ? calloc(1, sizeof *q) : NULL;
    if (!q) {
        if (game) weft_fail(c, WEFT_MEMORY, "out of memory");
        return NULL;
    }
    q->env = *game;
    q->env.name = "2048-after-states";
    q->env.index = dqn_index;
    q->env.slots = DQN_SLOTS;
    q->env.words = DQN_WORDS;
    if (dqn_start(q, s, d)) return q;
    dqn_free(q);
    return NULL;
}

static weft_err dqn_step(void *agent, int64_t step, weft_metrics *m) {
    return weft_dqn_step(((dqn_2048 *)agent)->agent, step, m);
}

static void dqn_set_rate(void *agent, double share) {
    dqn_2048 *const q = agent;
    const float rate = (float)((double)q->first_rate * share);
    weft_state_set(q->s, "optim.lr", &rate, sizeof rate);
}

static weft_err dqn_ask(dqn_2048 *q, int size, int n, const uint64_t *boards, int32_t *actions) {
    weft_envs **const v = &q->asked[size];
    int32_t all[256];
    if (!*v) {
        char name[24];
        snprintf(name, sizeof name, "asked%d", dqn_sizes[size]);
        *v = weft_envs_new(q->aside, &q->env, dqn_sizes[size], name, NULL);
        if (!*v) return weft_error_code(weft_state_ctx(q->aside));
    }
    for (int i = 0; i < n; i++) memcpy(weft_envs_at(*v, i), &boards[i], sizeof *boards);
    const weft_err e = weft_dqn_act(q->agent, *v, all);
    if (!e) memcpy(actions, all, (size_t)n * sizeof *actions);
    return e;
}

static weft_err dqn_choose(void *agent, int n, const uint64_t *boards, int32_t *actions) {
    while (n > 0) {
        int size = 0;
        while (size + 1 < DQN_SIZES && dqn_sizes[size] < n) size++;
        const int part = n < dqn_sizes[size] ? n : dqn_sizes[size];
        const weft_err e = dqn_ask(agent, size, part, boards, actions);
        if (e) return e;
        boards += part, actions += part, n -= part;
    }
    return WEFT_OK;
}

const algo_2048 algo_2048_dqn = {
    .name = "dqn",
    .title = "2048 by Q-learning",
    .plan = 60000,
    .lowest = 0.05,
    .evaluate_every = 4000,
    .log_every = 100,
    .save_every = 60,
    .make = dqn_make,
    .free = dqn_free,
    .step = dqn_step,
    .set_rate = dqn_set_rate,
    .choose = dqn_choose,
};
