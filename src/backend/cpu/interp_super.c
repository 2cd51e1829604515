/* interp_super.c - row programs before they get registers: super-operations, what is never stored,
 * phases.
 *
 * Two or three instructions that only feed one another run in one loop of tile.h. What is
 * decided here depends on the instructions alone; where values lie is interp.c's, the
 * shape of tiles interp_shape.c's. */
#include "backend/cpu/interp_prep.h"
#include <assert.h>

enum { PREP_DEAR = 10 }; /* operations an element: an exponential */

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

void prep_super(prep *q) {
    int32_t *uses = q->room[0];
    prep_uses(q, uses);
    for (int i = 0; i < q->nins; i++) {
        kins *s = &q->ins[i], old = *s;
        if (s->type != KT_F32) continue;
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
        for (int side = 0; side < 2; side++) {
            uint16_t x = side ? old.b : old.a, y = side ? old.a : old.b;
            const kins *in = &q->ins[x];
            if (s->op == OP_add && prep_once(q, uses, x, OP_mul, s->level)) {
                s->op = K_FMA, s->a = in->a, s->b = in->b, s->c = y;
            } else if (s->op == OP_sub && side == 1 && prep_once(q, uses, x, OP_mul, s->level)) {
                s->op = TILE_SUB_PROD, s->a = in->a, s->b = in->b, s->c = y;
            } else if (s->op == OP_sub && side == 0 && prep_once(q, uses, x, OP_mul, s->level)) {
                s->op = TILE_MUL_SUB, s->a = in->a, s->b = in->b, s->c = y;
            } else if (s->op == OP_mul && x != y &&
                       prep_once(q, uses, x, TILE_SUB_PROD, s->level) && in->a == in->b &&
                       prep_is_const(q, in->c, 1)) {
                s->op = TILE_TANH_SLOPE, s->a = y, s->b = s->c = in->a;
            } else if (s->op == OP_mul && x != y && prep_once(q, uses, x, TILE_SUB_MUL, s->level) &&
                       in->b == in->c && prep_is_const(q, in->a, 1)) {
                s->op = TILE_SIGMOID_SLOPE, s->a = y, s->b = s->c = in->b;
            } else if (s->op == OP_mul && x != y && prep_once(q, uses, x, OP_sub, s->level)) {
                s->op = TILE_SUB_MUL, s->a = in->a, s->b = in->b, s->c = y;
            } else if (s->op == OP_mul && x != y && prep_once(q, uses, x, OP_relu, s->level)) {
                s->op = TILE_RELU_MUL, s->a = in->a, s->b = y, s->c = y;
            } else if (s->op == OP_mul && x != y && prep_once(q, uses, x, OP_sigmoid, s->level)) {
                s->op = TILE_MUL_SIGMOID, s->a = y, s->b = in->a, s->c = y;
            } else if (s->op == OP_mul && x != y && prep_once(q, uses, x, OP_mul, s->level)) {
                s->op = TILE_MUL_MUL, s->a = in->a, s->b = in->b, s->c = y;
            } else if (s->op == OP_mul && x != y && prep_once(q, uses, x, OP_add, s->level)) {
                s->op = TILE_ADD_MUL, s->a = in->a, s->b = in->b, s->c = y;
            } else if (s->op == OP_add && x != y && prep_once(q, uses, x, OP_add, s->level)) {
                s->op = TILE_ADD_ADD, s->a = in->a, s->b = in->b, s->c = y;
            } else continue;
            uses[x] = 0;
            break;
        }
        if (s->op == OP_relu && prep_once(q, uses, s->a, OP_add, s->level)) {
            const kins *in = &q->ins[s->a];
            uses[s->a] = 0;
            s->op = TILE_ADD_RELU, s->b = in->b, s->c = in->b, s->a = in->a;
        } else if (s->op == OP_exp && prep_once(q, uses, s->a, OP_sub, s->level)) {
            const kins *in = &q->ins[s->a];
            uses[s->a] = 0;
            s->op = TILE_SUB_EXP, s->b = in->b, s->c = in->b, s->a = in->a;
        } else if (s->op == OP_where && q->ins[s->a].op == OP_lt && uses[s->a] == 1 &&
                   q->ins[s->a].level == s->level && prep_is_const(q, q->ins[s->a].a, 0) &&
                   q->ins[q->ins[s->a].b].type == KT_F32 && prep_is_const(q, s->c, 0)) {
            uint16_t cond = s->a;
            uses[cond] = 0;
            s->op = TILE_IF_POSITIVE, s->a = q->ins[cond].b, s->c = s->b;
        }
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

/* Would running in phases compute an element's exponential, or something as dear, more than
 * once? */
bool prep_dear(const prep *q) {
    int32_t *first = q->room[0], *last = q->room[1]; /* phases that need the value */
    for (int i = 0; i < q->nins; i++) first[i] = INT32_MAX, last[i] = -1;
    for (int i = q->nins - 1; i >= 0; i--) {
        const kins *s = &q->ins[i];
        if (s->op == K_STORE) first[i] = last[i] = q->avail[i];
        if (prep_is_fold(s->op)) first[i] = last[i] = q->avail[i] - 1;
        const bool dear = prep_cost(s->op) >= PREP_DEAR;
        if (dear && s->level == KL_ELEMENT && first[i] < last[i]) return true;
        for (int o = 0; o < prep_operands(s); o++) {
            int from = prep_operand(s, o);
            first[from] = first[i] < first[from] ? first[i] : first[from];
            last[from] = last[i] > last[from] ? last[i] : last[from];
        }
    }
    return false;
}
