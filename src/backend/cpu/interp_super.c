/* interp_super.c - row programs before they get registers: super-operations, what is never stored,
 * phases.
 *
 * Two or three instructions that only feed one another run in one loop of tile.h. What is
 * decided here depends on the instructions alone; where values lie is interp_code.c's, the
 * shape of tiles interp_shape.c's. */
#include "backend/cpu/interp_prep.h"
#include <assert.h>

enum { PREP_EXPENSIVE = 10 }; /* operations an element: an exponential */

static void prep_uses(const prep *q, int32_t *uses) {
    memset(uses, 0, (size_t)q->nins * sizeof *uses);
    for (int i = 0; i < q->nins; i++)
        for (int o = 0; o < prep_operands(&q->ins[i]); o++) uses[prep_operand(&q->ins[i], o)]++;
}

/* Is `id` a float instruction `op` of the same level that only its reader uses? */
static bool prep_once(const prep *q, const int32_t *uses, int id, int op, int level) {
    return q->ins[id].op == op && q->ins[id].type == KT_F32 && q->ins[id].level == level &&
           uses[id] == 1;
}

static bool prep_is_const(const prep *q, int id, float v) {
    return q->ins[id].op == K_CONST && q->ins[id].bits == bits_of(v);
}

/* Is `id` a row of a table for each index, along the columns of a fold across? */
static bool prep_takes_rows(const prep *q, const int32_t *uses, int id) {
    const kernel *k = q->k;
    const int last = k->outer + k->reduce + k->inner - 1;
    if (!prep_once(q, uses, id, K_TAKE, KL_ELEMENT)) return false;
    const kins *take = &q->ins[id], *index = &q->ins[take->a];
    const kview *from = &k->view[take->view], *at = &k->view[index->view];
    return k->inner == 1 && k->reduce == 1 && k->dim[k->outer] <= INTERP_BAG &&
           from->dtype == WEFT_F32 && !from->guard && from->at == KNOBUF &&
           from->stride[last] == 1 && index->op == K_LOAD && index->level == KL_ELEMENT &&
           at->dtype == WEFT_I32 && !at->guard && at->stride[k->outer] != 0 &&
           at->stride[last] == 0 && uses[take->a] == 1;
}

/* A sum of products, and a sum of rows of a table, never store what they sum. */
static void prep_super_sum(const prep *q, int32_t *uses, kins *s) {
    if (s->op == K_SUM && prep_once(q, uses, s->a, OP_mul, KL_ELEMENT)) {
        const kins *in = &q->ins[s->a];
        uses[s->a] = 0;
        s->op = TILE_DOT, s->b = in->b, s->a = in->a;
    }
    if (s->op == K_SUM && prep_takes_rows(q, uses, s->a)) {
        const kins *in = &q->ins[s->a];
        uses[s->a] = 0;
        s->op = TILE_TAKE_SUM;
        s->a = in->a, s->view = in->view, s->bits = in->bits, s->arg2 = in->arg2;
    }
}

/* A map of two operands, one of them the result of a map without other readers: one loop does both. */
typedef enum prep_from {
    FROM_A,
    FROM_B,
    FROM_OTHER
} prep_from; /* of the inner map; the other operand */
typedef struct prep_couple {
    uint8_t op, inner; /* the map, and the one that made its operand */
    int8_t side;       /* which operand that is; -1: either */
    uint8_t both;      /* the loop */
    prep_from from[3]; /* where its operands come from */
} prep_couple;

static const prep_couple prep_couples[] = {
    {OP_add, OP_mul, -1, K_FMA, {FROM_A, FROM_B, FROM_OTHER}},
    {OP_add, OP_add, -1, TILE_ADD_ADD, {FROM_A, FROM_B, FROM_OTHER}},
    {OP_sub, OP_mul, 0, TILE_MUL_SUB, {FROM_A, FROM_B, FROM_OTHER}},
    {OP_sub, OP_mul, 1, TILE_SUB_PROD, {FROM_A, FROM_B, FROM_OTHER}},
    {OP_mul, OP_sub, -1, TILE_SUB_MUL, {FROM_A, FROM_B, FROM_OTHER}},
    {OP_mul, OP_add, -1, TILE_ADD_MUL, {FROM_A, FROM_B, FROM_OTHER}},
    {OP_mul, OP_mul, -1, TILE_MUL_MUL, {FROM_A, FROM_B, FROM_OTHER}},
    {OP_mul, OP_relu, -1, TILE_RELU_MUL, {FROM_A, FROM_OTHER, FROM_OTHER}},
    {OP_mul, OP_sigmoid, -1, TILE_MUL_SIGMOID, {FROM_OTHER, FROM_A, FROM_OTHER}},
    {OP_mul, TILE_SUB_PROD, -1, TILE_TANH_SLOPE, {FROM_OTHER, FROM_A, FROM_A}},   /* (1 - b b) a */
    {OP_mul, TILE_SUB_MUL, -1, TILE_SIGMOID_SLOPE, {FROM_OTHER, FROM_B, FROM_B}}, /* (1 - b) b a */
};

/* The slopes are those of an inner map over one value and the number 1. */
static bool prep_is_slope(const prep *q, const kins *inner) {
    if (inner->op == TILE_SUB_PROD) return inner->a == inner->b && prep_is_const(q, inner->c, 1);
    if (inner->op == TILE_SUB_MUL) return inner->b == inner->c && prep_is_const(q, inner->a, 1);
    return true;
}

static bool prep_super_couple(const prep *q, int32_t *uses, kins *s, int side) {
    const uint16_t in = side ? s->b : s->a, other = side ? s->a : s->b;
    const kins *inner = &q->ins[in];
    for (size_t i = 0; i < sizeof prep_couples / sizeof *prep_couples; i++) {
        const prep_couple *c = &prep_couples[i];
        if (s->op != c->op || (c->side >= 0 && c->side != side) ||
            !prep_once(q, uses, in, c->inner, s->level) || !prep_is_slope(q, inner))
            continue;
        const uint16_t of[] = {[FROM_A] = inner->a, [FROM_B] = inner->b, [FROM_OTHER] = other};
        s->op = c->both;
        s->a = of[c->from[0]], s->b = of[c->from[1]], s->c = of[c->from[2]];
        uses[in] = 0;
        return true;
    }
    return false;
}

/* A map of one operand, and where. */
static void prep_super_single(const prep *q, int32_t *uses, kins *s) {
    const int both = s->op == OP_relu && prep_once(q, uses, s->a, OP_add, s->level)  ? TILE_ADD_RELU
                     : s->op == OP_exp && prep_once(q, uses, s->a, OP_sub, s->level) ? TILE_SUB_EXP
                                                                                     : 0;
    if (both) {
        const kins *in = &q->ins[s->a];
        uses[s->a] = 0;
        s->op = (uint8_t)both, s->b = in->b, s->c = in->b, s->a = in->a;
    } else if (s->op == OP_where && q->ins[s->a].op == OP_lt && uses[s->a] == 1 &&
               q->ins[s->a].level == s->level && prep_is_const(q, q->ins[s->a].a, 0) &&
               q->ins[q->ins[s->a].b].type == KT_F32 && prep_is_const(q, s->c, 0)) {
        const uint16_t condition = s->a;
        uses[condition] = 0;
        s->op = TILE_IF_POSITIVE, s->a = q->ins[condition].b, s->c = s->b;
    }
}

/* A store of 16 bits rounds by itself. */
static void prep_super_store(const prep *q, int32_t *uses, kins *s) {
    const kins *from = &q->ins[s->a];
    if (s->op != K_STORE || from->op != OP_cast || q->ins[from->a].type != KT_F32) return;
    const uint8_t type = q->k->view[s->view].dtype;
    if ((type != WEFT_BF16 && type != WEFT_F16) || from->bits != type) return;
    uses[s->a]--;
    uses[from->a]++;
    s->a = from->a;
}

void prep_super(prep *q) {
    int32_t *uses = q->room[0];
    prep_uses(q, uses);
    for (int i = 0; i < q->nins; i++) {
        kins *s = &q->ins[i];
        if (s->type != KT_F32) continue;
        prep_super_store(q, uses, s);
        prep_super_sum(q, uses, s);
        if ((s->op == OP_add || s->op == OP_sub || s->op == OP_mul) &&
            !prep_super_couple(q, uses, s, 0))
            prep_super_couple(q, uses, s, 1);
        prep_super_single(q, uses, s);
    }
}

void prep_prune(prep *q) {
    int32_t *live = q->room[0], *map = q->room[1];
    memset(live, 0, (size_t)q->nins * sizeof *live);
    for (int i = q->nins - 1; i >= 0; i--) {
        live[i] |= q->ins[i].op == K_STORE;
        for (int o = 0; live[i] && o < prep_operands(&q->ins[i]); o++)
            live[prep_operand(&q->ins[i], o)] = true;
    }
    int n = 0;
    for (int i = 0; i < q->nins; i++) {
        if (!live[i]) continue;
        kins s = q->ins[i];
        int operands = prep_operands(&s);
        if (operands > 0) s.a = (uint16_t)map[s.a];
        if (operands > 1) s.b = (uint16_t)map[s.b];
        if (operands > 2) s.c = (uint16_t)map[s.c];
        map[i] = n;
        q->ins[n++] = s;
    }
    q->nins = n;
}

void prep_order(prep *q) {
    q->phases = 1;
    for (int i = 0; i < q->nins; i++) {
        const kins *s = &q->ins[i];
        int32_t at = 0;
        for (int o = 0; o < prep_operands(s); o++) {
            int32_t a = q->avail[prep_operand(s, o)];
            assert(prep_operand(s, o) < i); /* static single assignment: operands come first */
            at = a > at ? a : at;
        }
        q->avail[i] = at + prep_is_fold(s->op);
        if (q->avail[i] + 1 > q->phases) q->phases = q->avail[i] + 1;
    }
}

/* Operations an element. */
static int prep_cost(int op) {
    static const uint8_t of_super[TILE_OPS - K_COUNT] = {
#define SUPER(op, loop, operands, cost, f32) [TILE_##op - K_COUNT] = cost,
#include "backend/cpu/super.def"
    };
    return op < K_COUNT ? kins_table[op].cost : op < TILE_OPS ? of_super[op - K_COUNT] : 0;
}

/* Would running in phases compute an element's exponential, or something as expensive, more than
 * once? */
bool prep_expensive(const prep *q) {
    int32_t *first = q->room[0], *last = q->room[1]; /* phases that need the value */
    for (int i = 0; i < q->nins; i++) first[i] = INT32_MAX, last[i] = -1;
    for (int i = q->nins - 1; i >= 0; i--) {
        const kins *s = &q->ins[i];
        if (s->op == K_STORE) first[i] = last[i] = q->avail[i];
        if (prep_is_fold(s->op)) first[i] = last[i] = q->avail[i] - 1;
        const bool expensive = prep_cost(s->op) >= PREP_EXPENSIVE;
        if (expensive && s->level == KL_ELEMENT && first[i] < last[i]) return true;
        for (int o = 0; o < prep_operands(s); o++) {
            int from = prep_operand(s, o);
            first[from] = first[i] < first[from] ? first[i] : first[from];
            last[from] = last[i] > last[from] ? last[i] : last[from];
        }
    }
    return false;
}
