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
    epilogue_half *half; /* 16 bits may be read and stored, or NULL */
} epilogue;

static bool epilogue_takes(const epilogue *e, uint8_t dtype) {
    return dtype == WEFT_F32 || (e->half && (dtype == WEFT_BF16 || dtype == WEFT_F16));
}

/* Does instruction i load or store floats of the whole product's shape, row-major? Then their row
 * stride, else 0. */
static int64_t epilogue_matrix(const epilogue *e, int i) {
    const kins *s = &e->k->ins[i];
    if (s->op != K_LOAD && s->op != K_STORE) return 0;
    const kview *v = &e->k->view[s->view];
    if (!epilogue_takes(e, v->dtype) || v->guard || v->at != KNOBUF || v->off ||
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

/* The mask that instruction i loads. */
static void epilogue_mask(const epilogue *e, int i, gemm_data *d) {
    const kview *v = &e->k->view[e->k->ins[i].view];
    const char *at = e->p->buf[v->buf].at;
    d->mask_row = epilogue_matrix(e, i);
    if (e->half) e->half->mask = at, e->half->mask_type = v->dtype;
    else d->mask = (const float *)(const void *)at;
}

static bool epilogue_masked(const epilogue *e, const gemm_data *d) {
    return d->mask || (e->half && e->half->mask);
}

/* Is the product read by somebody else than the row program? */
static bool epilogue_wanted(const epilogue *e, uint32_t product) {
    const buffer *raw = &e->p->buf[product];
    return raw->place != BUF_ARENA || raw->pinned || raw->first != raw->last;
}

/* Is all that is left a rounding to 16 bits and a store of that? */
static bool epilogue_rounds(const epilogue *e, int at, uint32_t product, int stores) {
    if (!e->half || stores != 1 || epilogue_wanted(e, product)) return false;
    const int cast = epilogue_reader(e, at), store = cast < 0 ? -1 : epilogue_reader(e, cast);
    if (store < 0 || e->k->ins[cast].op != OP_cast || e->k->ins[store].op != K_STORE) return false;
    const kview *v = &e->k->view[e->k->ins[store].view];
    if (v->dtype == WEFT_F32 || v->dtype != e->k->ins[cast].bits || !epilogue_matrix(e, store))
        return false;
    e->half->result = e->p->buf[v->buf].at;
    e->half->result_type = v->dtype;
    return true;
}

static bool epilogue_find(const step *s, const weft_plan *p, gemm_data *d, epilogue_half *half,
                          kernel *rest, arena *memory) {
    epilogue e = {s, p, s->kern, s->kern->outer, half};
    *rest = *s->kern;
    uint32_t product = s->in[s->nin].buf;
    int at = -1, store = -1;
    for (int i = 0; i < e.k->nins; i++) {
        if (e.k->ins[i].op == K_LOAD && e.k->view[e.k->ins[i].view].buf == product) at = i;
        if (e.k->ins[i].op == K_STORE && e.k->view[e.k->ins[i].view].buf == product) store = i;
    }
    if (at < 0 || (store < 0 && (!half || epilogue_wanted(&e, product)))) return false;
    const uint16_t product_view = e.k->ins[at].view;
    const int loaded = at;
    for (int next; (next = epilogue_reader(&e, at)) >= 0 && next != store; at = next) {
        const kins *n = &e.k->ins[next];
        int other = n->a == at ? n->b : n->a;
        const bool masked = epilogue_masked(&e, d);
        if (n->op == OP_add && n->a != n->b && !d->bias && !d->relu && !masked &&
            epilogue_vector(&e, other))
            d->bias = epilogue_address(&e, other);
        else if (n->op == OP_relu && n->type == KT_F32 && !d->relu && !masked) d->relu = 1;
        else if (n->op == OP_where && n->b == at && n->a != at && !masked &&
                 epilogue_zero(&e, n->c) && e.k->ins[n->a].op == OP_lt &&
                 epilogue_zero(&e, e.k->ins[n->a].a) && epilogue_matrix(&e, e.k->ins[n->a].b) &&
                 e.k->view[e.k->ins[e.k->ins[n->a].b].view].buf != product) {
            epilogue_mask(&e, e.k->ins[n->a].b, d);
        } else break;
    }
    int stores = 0;
    for (int i = 0; i < e.k->nins; i++) stores += e.k->ins[i].op == K_STORE;
    if (store >= 0 && e.k->ins[store].a == at && stores == 1) return true;
    if (epilogue_rounds(&e, at, product, stores)) return true;
    if (at == loaded) return false;
    /* what remains starts from the value the GEMM leaves: instruction `at` becomes the load of
     * it */
    rest->ins = arena_new(memory, (size_t)(e.k->nins + 1) * sizeof *rest->ins);
    if (!rest->ins) {
        *rest = *s->kern;
        d->bias = d->mask = NULL;
        if (half) half->mask = NULL;
        d->relu = 0;
        return false;
    }
    memcpy(rest->ins, e.k->ins, e.k->nins * sizeof *rest->ins);
    rest->ins[at] = (kins){.op = K_LOAD, .type = KT_F32, .level = KL_ELEMENT, .view = product_view};
    return false;
}

bool epilogue_match(const step *s, const weft_plan *p, gemm_data *d, kernel *rest, arena *memory) {
    return epilogue_find(s, p, d, NULL, rest, memory);
}

bool epilogue_match_half(const step *s, const weft_plan *p, gemm_data *d, epilogue_half *h,
                         kernel *rest, arena *memory) {
    return epilogue_find(s, p, d, h, rest, memory);
}
