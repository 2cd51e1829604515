/* epilogue.c - a dense layer's bias and activation, and the mask of its gradient, found in a row
 * program.
 *
 * The GEMM applies them while the tile is in registers. What it cannot do stays a row program,
 * run over each finished band of rows while that is in cache. */
#include "backend/cpu/epilogue.h"

typedef struct epilogue {
    const step *s;
    const weft_plan *p;
    const kernel *k;
    int dims;
} epilogue;

/* Is instruction i a float load of the whole product's shape, row-major? Then its row stride,
 * else 0. */
static int64_t epilogue_matrix(const epilogue *e, int i) {
    const kins *s = &e->k->ins[i];
    if (s->op != K_LOAD) return 0;
    const kview *v = &e->k->view[s->view];
    if (v->dtype != WEFT_F32 || v->guard || v->at != KNOBUF || v->off ||
        v->stride[e->dims - 1] != 1)
        return 0;
    int64_t stride = e->k->dim[e->dims - 1];
    for (int d = e->dims - 2; d >= 0; d--) {
        if (e->k->dim[d] != 1 && v->stride[d] != stride) return 0;
        stride *= e->k->dim[d];
    }
    return e->k->dim[e->dims - 1];
}

static bool epilogue_vector(const epilogue *e, int i) { /* a load of one value per column */
    const kins *s = &e->k->ins[i];
    if (s->op != K_LOAD) return false;
    const kview *v = &e->k->view[s->view];
    if (v->dtype != WEFT_F32 || v->guard || v->at != KNOBUF ||
        (v->stride[e->dims - 1] != 1 && e->k->dim[e->dims - 1] != 1))
        return false;
    for (int d = 0; d < e->dims - 1; d++)
        if (v->stride[d]) return false;
    return true;
}

static bool epilogue_zero(const epilogue *e, int i) {
    return e->k->ins[i].op == K_CONST && e->k->ins[i].bits == 0;
}

static bool epilogue_reads(const kins *s, int i) {
    const int operands = kins_table[s->op].operands;
    return (operands > 0 && s->a == i) || (operands > 1 && s->b == i) ||
           (operands > 2 && s->c == i);
}

static int epilogue_reader(const epilogue *e, int i) { /* the only reader, or -1 */
    int found = -1;
    for (int r = i + 1; r < e->k->nins; r++)
        if (epilogue_reads(&e->k->ins[r], i)) {
            if (found >= 0) return -1;
            found = r;
        }
    return found;
}

static const float *epilogue_address(const epilogue *e, int i) {
    const kview *v = &e->k->view[e->k->ins[i].view];
    return (const float *)(const void *)e->p->buf[v->buf].at + v->off;
}

bool epilogue_match(const step *s, const weft_plan *p, gemm_data *d, kernel *rest, arena *memory) {
    epilogue e = {s, p, s->kern, s->kern->outer};
    *rest = *s->kern;
    uint32_t product = s->in[s->nin].buf;
    int at = -1, store = -1;
    for (int i = 0; i < e.k->nins; i++) {
        if (e.k->ins[i].op == K_LOAD && e.k->view[e.k->ins[i].view].buf == product) at = i;
        if (e.k->ins[i].op == K_STORE && e.k->view[e.k->ins[i].view].buf == product) store = i;
    }
    if (at < 0 || store < 0) return false; /* the raw product itself is wanted */
    const uint16_t product_view = e.k->ins[at].view;
    const int loaded = at;
    for (int next; (next = epilogue_reader(&e, at)) >= 0 && next != store; at = next) {
        const kins *n = &e.k->ins[next];
        int other = n->a == at ? n->b : n->a;
        if (n->op == OP_add && n->a != n->b && !d->bias && !d->relu && !d->mask &&
            epilogue_vector(&e, other))
            d->bias = epilogue_address(&e, other);
        else if (n->op == OP_relu && n->type == KT_F32 && !d->relu && !d->mask) d->relu = 1;
        else if (n->op == OP_where && n->b == at && n->a != at && !d->mask &&
                 epilogue_zero(&e, n->c) && e.k->ins[n->a].op == OP_lt &&
                 epilogue_zero(&e, e.k->ins[n->a].a) && epilogue_matrix(&e, e.k->ins[n->a].b) &&
                 e.k->view[e.k->ins[e.k->ins[n->a].b].view].buf != product) {
            d->mask = epilogue_address(&e, e.k->ins[n->a].b);
            d->mask_row = epilogue_matrix(&e, e.k->ins[n->a].b);
        } else break;
    }
    int stores = 0;
    for (int i = 0; i < e.k->nins; i++) stores += e.k->ins[i].op == K_STORE;
    if (e.k->ins[store].a == at && stores == 1) return true;
    if (at == loaded) return false;
    /* what remains starts from the value the GEMM leaves: instruction `at` becomes the load of
     * it */
    rest->ins = arena_new(memory, (size_t)(e.k->nins + 1) * sizeof *rest->ins);
    if (!rest->ins) {
        *rest = *s->kern;
        d->bias = d->mask = NULL;
        d->relu = 0;
        return false;
    }
    memcpy(rest->ins, e.k->ins, e.k->nins * sizeof *rest->ins);
    rest->ins[at] = (kins){.op = K_LOAD, .type = KT_F32, .level = KL_ELEMENT, .view = product_view};
    return false;
}
