/* td.h - the inside of the TD learner of afterstates, and how it evaluates a state.
 *
 * Everything persistent is in entries of a state. td.c makes it, td_turns.c plays and learns, td_play.c
 * only plays. Work on one state can be shared between threads by tables: a member of the crew knows
 * the entries of its tables, and no other thread touches those. */
#ifndef WEFT_RL_TD_H
#define WEFT_RL_TD_H

#include "weft/rl.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined(__GNUC__) || defined(__clang__)
/* A function that only prefetches seems to do nothing: unless inlined, gcc leaves out its calls. */
#define TD_INLINE      static inline __attribute__((always_inline, unused))
#define TD_PREFETCH(p) __builtin_prefetch(p)
#else
#define TD_INLINE      static inline
#define TD_PREFETCH(p) ((void)(p))
#endif

enum {
    TD_ACTIONS = 32, /* a legal mask has so many bits */
    TD_VIEWS = 4,    /* turns under way, a power of two; see td_turns.c */
    TD_RING = 8,     /* turns whose sums are kept, a power of two */
    TD_LINE = 128    /* bytes apart that do not disturb each other */
};

/* Where the moves of a state lead, and which entries those afterstates name. */
typedef struct td_view {
    uint32_t legal;
    float reward[TD_ACTIONS];
    unsigned char *after; /* [actions, size] */
    uint32_t *entries;    /* [actions, tables, slots], those of legal actions */
} td_view;

/* Bytes without gaps, as they lie in an entry of the state. */
typedef struct td_counts {
    int64_t moves, episodes;
    double error; /* mean size of the errors in the last step */
    double rate;
} td_counts;

typedef struct td_running { /* one game */
    double total;           /* rewards so far */
    int64_t going;          /* 1: there is an afterstate to learn about, its entries in `before` */
} td_running;

/* One thread's share: tables first .. first + tables - 1 of all games, with copies of the games. */
typedef struct td_member {
    weft_td *a;
    int first, tables;
    unsigned char *state; /* [games, size] */
    weft_rng *rng;        /* [games] */
    td_running *running;  /* [games] */
    uint32_t *before;     /* [games, tables, slots] of the last afterstate */
    td_view view[TD_VIEWS];
    float *sums; /* [TD_RING, actions + 1, tables] over the slots of a table, for all to read; the
                    last of a turn are of the last afterstate */
    _Alignas(TD_LINE) atomic_llong posted; /* turns whose sums are there */
    pthread_t thread;
} td_member;

/* Which of two ways to work is faster, as seen so far: alone, or together. */
typedef struct td_pace {
    double cost[2]; /* seconds a turn, of the last piece of work done so; 0: not tried */
    int64_t pieces; /* done */
    int64_t again;  /* when the slower way is tried again */
} td_pace;

struct weft_td {
    weft_ctx *c;
    weft_td_game g;
    float gamma;
    int games, window;
    int64_t rounds; /* of a step: each game has one turn in a round */

    float *table;         /* [tables, words] */
    float *errors;        /* [tables, words, 2] sum, sum of sizes; NULL: one rate for all */
    unsigned char *state; /* [games, size]; NULL: fixed, as all below */
    uint32_t *before;     /* [games, tables, slots] */
    weft_rng *rng;        /* [games] */
    td_running *running;  /* [games] */
    float *recent;        /* [window] totals of the last episodes, a ring */
    td_counts *count;     /* [1] */

    pthread_mutex_t lock; /* held until it is known how many threads there are */
    int threads, started; /* wanted; of this piece of work */
    int64_t turns;        /* of this piece */
    td_pace pace;
    td_member *member; /* [threads] */
    void *block;       /* what member lies in */
};

/* The functions below take the count of slots as an argument, to be a constant where it is 8. */

/* Asks memory for entry (slots) of one table, whose entries are so many floats wide. */
TD_INLINE void td_ask(const float *table, const uint32_t *entry, int slots, size_t wide) {
    int i = 0;
    for (; i + 8 <= slots; i += 8) {
        const uint32_t *const e = entry + i;
        TD_PREFETCH(table + wide * e[0]), TD_PREFETCH(table + wide * e[1]);
        TD_PREFETCH(table + wide * e[2]), TD_PREFETCH(table + wide * e[3]);
        TD_PREFETCH(table + wide * e[4]), TD_PREFETCH(table + wide * e[5]);
        TD_PREFETCH(table + wide * e[6]), TD_PREFETCH(table + wide * e[7]);
    }
    for (; i < slots; i++) TD_PREFETCH(table + wide * entry[i]);
}

/* entry (slots) of one table: their sum, in an order that never changes. */
TD_INLINE float td_sum(const float *table, const uint32_t *entry, int slots) {
    float sum = 0;
    int i = 0;
    for (; i + 8 <= slots; i += 8) {
        const uint32_t *const e = entry + i;
        sum += ((table[e[0]] + table[e[1]]) + (table[e[2]] + table[e[3]])) +
               ((table[e[4]] + table[e[5]]) + (table[e[6]] + table[e[7]]));
    }
    for (; i < slots; i++) sum += table[entry[i]];
    return sum;
}

/* entry (n, slots): sum (n), of each of the tables from `first` on. */
TD_INLINE void td_sums(const weft_td *a, int first, int n, const uint32_t *entry, int slots,
                       float *sum) {
    const float *table = a->table + (size_t)first * a->g.words;
    for (int t = 0; t < n; t++, table += a->g.words, entry += slots)
        sum[t] = td_sum(table, entry, slots);
}

/* Where the moves lead; asks memory for what they name in tables first .. first + n - 1. */
TD_INLINE void td_look(const weft_td *a, const unsigned char *state, int first, int n, int slots,
                       td_view *v) {
    const weft_td_game *const g = &a->g;
    v->legal = g->moves(state, v->after, v->reward);
    for (uint32_t k = 0, left = v->legal; left; k++, left >>= 1) {
        if (!(left & 1)) continue;
        uint32_t *const entry = v->entries + k * (uint32_t)(n * slots);
        g->index(v->after + k * g->size, first, n, entry);
        for (int i = 0; i < n * slots; i++) assert(entry[i] < g->words);
        const float *table = a->table + (size_t)first * g->words;
        for (int t = 0; t < n; t++, table += g->words) td_ask(table, entry + t * slots, slots, 1);
    }
}

/* The move with the most to come, the first of equals; -1, and nothing to come: none is legal.
 * value (actions). */
TD_INLINE int td_choose(const weft_td *a, const td_view *v, const float *value, float *most) {
    int best = -1;
    *most = 0;
    for (int k = 0; k < a->g.actions; k++) {
        const float all = v->reward[k] + a->gamma * value[k];
        if (!(v->legal >> k & 1) || (best >= 0 && !(all > *most))) continue;
        *most = all;
        best = k;
    }
    return best;
}

#endif
