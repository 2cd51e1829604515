/* random_graph.h - random graphs: made, recorded in any context, printed.
 *
 * A graph is a list of nodes, operands first, with shapes and parameters fixed when it is made:
 * recording follows them, so a node may later be replaced by an input of its shape. With each node
 * goes what is known of its numbers: a bound on their size, a lower bound, and a bound on the error
 * of computing them in f32. Operations that would make an error large, or jump where there is one,
 * are not taken; so whatever backends disagree about is a mistake. */
#ifndef WEFT_RANDOM_GRAPH_H
#define WEFT_RANDOM_GRAPH_H

#include "weft/weft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum random_row {
#define KIND(name, ...) KIND_##name,
#include "random_graph.def"
    KIND_COUNT
} random_row;

static const char *const random_text[KIND_COUNT] = {
#define KIND(name, ...) #__VA_ARGS__,
#include "random_graph.def"
};

enum {
    RANDOM_NODES = 64,
    RANDOM_FETCHES = 12,
    RANDOM_UPDATES = 2,
    RANDOM_SLOPES = 2,
    RANDOM_ELEMENTS = 3000
};

typedef struct random_node {
    random_row kind;
    int in[3], nin;
    weft_dtype t;
    weft_shape s;
    int64_t whole[4];
    float number;
    double size, low, error; /* |value| <= size, value >= low, computed within error */
} random_node;

typedef struct random_graph {
    uint32_t seed, state;
    random_node node[RANDOM_NODES];
    int n, fetch[RANDOM_FETCHES], fetches;
    int update[RANDOM_UPDATES][2], updates; /* a state node, the node with its new value */
    int slope[RANDOM_SLOPES], slopes; /* nodes by which the sum of all fetches is differentiated */
} random_graph;

/* ---- choosing ---- */

static uint32_t random_bits(random_graph *g) {
    uint32_t x = g->state += 0x9e3779b9u;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

static int random_below(random_graph *g, int n) {
    return (int)(((uint64_t)random_bits(g) * (uint64_t)n) >> 32);
}

static bool random_chance(random_graph *g, int percent) {
    return random_below(g, 100) < percent;
}

static int64_t random_count(weft_shape s) {
    int64_t n = 1;
    for (int i = 0; i < s.rank; i++) n *= s.n[i];
    return n;
}

/* Every eighth graph has many rows, so that threads share them. */
static weft_shape random_shape(random_graph *g) {
    weft_shape s = {random_below(g, 4) + random_chance(g, 20), {0}};
    do {
        for (int i = 0; i < s.rank; i++) {
            s.n[i] = 1 + random_below(g, 7);
            if (random_chance(g, 10)) s.n[i] = 16 + random_below(g, 60);
            if (random_chance(g, 2)) s.n[i] = 0;
        }
        if (g->seed % 8 == 0 && s.rank) s.n[0] = 17 + random_below(g, 50);
    } while (random_count(s) > RANDOM_ELEMENTS);
    return s;
}

/* ---- adding nodes ---- */

static int random_add(random_graph *g, random_node n) {
    if (n.s.rank > 6 || random_count(n.s) > RANDOM_ELEMENTS || g->n == RANDOM_NODES) return -1;
    if (n.t != WEFT_BOOL && n.size > (n.t == WEFT_F32 ? 1e4 : 1e6)) return -1;
    if (n.error > 2e-4 * fmax(1, n.size)) return -1;
    n.low = fmax(n.low, -n.size);
    g->node[g->n] = n;
    return g->n++;
}

static int random_input(random_graph *g, weft_dtype t, weft_shape s) {
    random_node n = {.kind = KIND_input, .t = t, .s = s, .size = 2, .low = -2};
    if (t == WEFT_I32) n.size = 6, n.low = -2;
    if (t == WEFT_BOOL) n.size = 1, n.low = 0;
    bool lasting = t == WEFT_F32 && random_count(s) > 0 && random_chance(g, 15);
    if (lasting) n.kind = KIND_state, n.size = 1, n.low = -1;
    return random_add(g, n);
}

/* Any node of that type, recent ones more often. */
static int random_pick(random_graph *g, weft_dtype t) {
    for (int tries = 0; tries < 12 && g->n; tries++) {
        int k = g->n - 1 - random_below(g, 1 + random_below(g, g->n));
        if (g->node[k].t == t) return k;
    }
    return random_input(g, t, random_shape(g));
}

/* One of exactly that shape. */
static int random_pick_shape(random_graph *g, weft_dtype t, weft_shape s) {
    for (int tries = 0; tries < 20 && g->n; tries++) {
        const random_node *n = &g->node[random_below(g, g->n)];
        if (n->t == t && n->s.rank == s.rank && !memcmp(n->s.n, s.n, (size_t)s.rank * sizeof *s.n))
            return (int)(n - g->node);
    }
    return random_input(g, t, s);
}

static bool random_broadcast(weft_shape a, weft_shape b, weft_shape *out) {
    weft_shape s = {a.rank > b.rank ? a.rank : b.rank, {0}};
    for (int d = 1; d <= s.rank; d++) {
        int64_t x = d <= a.rank ? a.n[a.rank - d] : 1, y = d <= b.rank ? b.n[b.rank - d] : 1;
        if (x != y && x != 1 && y != 1) return false;
        s.n[s.rank - d] = x == 1 ? y : x;
    }
    *out = s;
    return true;
}

/* One that broadcasts with a; their common shape in *out. */
static int random_partner(random_graph *g, int a, weft_dtype t, weft_shape *out) {
    for (int tries = 0; tries < 12; tries++) {
        int k = random_below(g, g->n);
        if (g->node[k].t == t && random_broadcast(g->node[a].s, g->node[k].s, out)) return k;
    }
    weft_shape s = g->node[a].s;
    while (s.rank && random_chance(g, 30)) {
        s.rank--;
        memmove(s.n, s.n + 1, (size_t)s.rank * sizeof *s.n);
    }
    for (int i = 0; i < s.rank; i++)
        if (random_chance(g, 25)) s.n[i] = 1;
    random_broadcast(g->node[a].s, s, out);
    return random_input(g, t, s);
}

static random_node random_of(random_graph *g, random_row kind, int a) {
    random_node n = g->node[a];
    n.kind = kind;
    n.in[0] = a, n.nin = 1;
    memset(n.whole, 0, sizeof n.whole);
    return n;
}

static void random_operand(random_node *n, int b) {
    n->in[n->nin++] = b;
}

static const double random_eps = 0x1p-23;

#include "random_rules.h"

/* ---- making ---- */

/* No kink where rounding could choose another side of it. */
static bool random_smooth(const random_graph *g) {
    for (int i = 0; i < g->n; i++) {
        const random_node *n = &g->node[i];
        switch (n->kind) {
        case KIND_linear: return false;
        case KIND_abs:
        case KIND_relu:
        case KIND_maximum:
        case KIND_minimum:
        case KIND_fold_max:
        case KIND_fold_min:
        case KIND_sort:
        case KIND_max_pool:
            for (int k = 0; k < n->nin; k++)
                if (g->node[n->in[k]].error > 0) return false;
            break;
        default: break;
        }
    }
    return true;
}

/* Asks for gradients by the first float inputs, if there are any and they are well defined. */
static void random_ask_slopes(random_graph *g) {
    for (int i = 0; i < g->n && g->slopes < RANDOM_SLOPES && random_smooth(g); i++)
        if (g->node[i].t == WEFT_F32 &&
            (g->node[i].kind == KIND_input || g->node[i].kind == KIND_state))
            g->slope[g->slopes++] = i;
}

static void random_make(random_graph *g, uint32_t seed) {
    memset(g, 0, sizeof *g);
    g->seed = seed;
    g->state = seed * 2654435761u + 1;
    int wanted = 4 + random_below(g, 28);
    for (int i = 0; i < 2; i++) random_input(g, WEFT_F32, random_shape(g));
    for (int tries = 0; g->n < wanted && tries < 400; tries++)
        random_step(g, (random_row)random_below(g, KIND_COUNT));
    bool read[RANDOM_NODES] = {false};
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < g->node[i].nin; k++) read[g->node[i].in[k]] = true;
    for (int i = g->n - 1; i >= 0 && g->fetches < RANDOM_FETCHES; i--)
        if (!read[i] || random_chance(g, 8)) g->fetch[g->fetches++] = i;
    for (int i = 0; i < g->n && g->updates < RANDOM_UPDATES; i++) {
        if (g->node[i].kind != KIND_state) continue;
        for (int k = g->n - 1; k >= 0; k--) {
            const random_node *a = &g->node[i], *b = &g->node[k];
            if (k == i || b->t != WEFT_F32 || a->s.rank != b->s.rank ||
                memcmp(a->s.n, b->s.n, (size_t)a->s.rank * sizeof *a->s.n))
                continue;
            g->update[g->updates][0] = i;
            g->update[g->updates++][1] = k;
            break;
        }
    }
    if (random_chance(g, 40)) random_ask_slopes(g);
}

/* What fetches and updates need. */
static void random_live(const random_graph *g, bool *live) {
    memset(live, 0, RANDOM_NODES * sizeof *live);
    for (int i = 0; i < g->fetches; i++) live[g->fetch[i]] = true;
    for (int i = 0; i < g->updates; i++) live[g->update[i][0]] = live[g->update[i][1]] = true;
    for (int i = 0; i < g->slopes; i++) live[g->slope[i]] = true;
    for (int i = g->n - 1; i >= 0; i--)
        for (int k = 0; live[i] && k < g->node[i].nin; k++) live[g->node[i].in[k]] = true;
}

/* ---- recording ---- */

#define G     to
#define STATE state
#define NAME  name
#define DRAWN ((weft_init){WEFT_INIT_UNIFORM, -1, 1})
#define NONE  ((weft_tensor){0})
#define A     at[n->in[0]]
#define B     at[n->in[1]]
#define C     at[n->in[2]]
#define S     n->s
#define T     n->t
#define V     n->number
#define N(k)  (int)n->whole[k]

/* clang-format off */
static void random_record(const random_graph *g, weft_graph *to, weft_state *state,
                          weft_tensor *at) {
    bool live[RANDOM_NODES];
    random_live(g, live);
    for (int i = 0; i < g->n; i++) {
        const random_node *n = &g->node[i];
        char name[20];
        snprintf(name, sizeof name, "s%d", i);
        at[i] = NONE;
        if (!live[i]) continue;
        switch (n->kind) {
#define KIND(name, ...) case KIND_##name: at[i] = __VA_ARGS__; break;
#include "random_graph.def"
        case KIND_COUNT: break;
        }
    }
}
/* clang-format on */

#undef G
#undef STATE
#undef NAME
#undef DRAWN
#undef NONE
#undef A
#undef B
#undef C
#undef S
#undef T
#undef V
#undef N

/* ---- printing ---- */

static void random_print_dims(weft_shape s) {
    if (!s.rank) printf("WEFT_0D");
    for (int i = 0; i < s.rank; i++) printf("%s%lld", i ? ", " : "weft_dims(", (long long)s.n[i]);
    if (s.rank) printf(")");
}

/* The expression of a node, letters replaced. A letter stands alone: no name is next to it. */
static void random_print_node(const random_graph *g, int i) {
    const random_node *n = &g->node[i];
    printf("    weft_tensor t%d = ", i);
    char before = ' ';
    for (const char *c = random_text[n->kind]; *c; before = *c, c++) {
        bool alone = !strchr("_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", before) &&
                     !(c[1] >= 'A' && c[1] <= 'Z') && c[1] != '_';
        if (alone && *c >= 'A' && *c <= 'C') printf("t%d", n->in[*c - 'A']);
        else if (alone && *c == 'S') random_print_dims(n->s);
        else if (alone && *c == 'T') printf("%s", weft_dtype_name(n->t));
        else if (alone && *c == 'V') printf("%gf", (double)n->number);
        else if (alone && *c == 'N') printf("%lld", (long long)n->whole[c[2] - '0']), c += 3;
        else putchar(*c);
    }
    printf(";\n");
}

static void random_print(const random_graph *g) {
    bool live[RANDOM_NODES];
    random_live(g, live);
    printf("  the graph of seed %u, shrunk:\n", g->seed);
    for (int i = 0; i < g->n; i++)
        if (live[i]) random_print_node(g, i);
    for (int i = 0; i < g->updates; i++)
        printf("    weft_assign(t%d, t%d);\n", g->update[i][0], g->update[i][1]);
    printf("    fetch");
    for (int i = 0; i < g->fetches; i++) printf("%s t%d", i ? "," : "", g->fetch[i]);
    for (int i = 0; i < g->slopes; i++) printf(", d sum of all / d t%d", g->slope[i]);
    printf("\n");
}

#endif
