/* null.c - a device that compiles and counts and never runs.
 *
 * Tests ask its plans how many kernels and bytes something takes, on any machine and without
 * waiting for numbers. It claims every block, as the fastest device would; results stay zero. */
#include "backend/backend.h"

static weft_err null_open(weft_ctx *c, const weft_open_desc *d) {
    (void)d;
    c->device = NULL;
    if (c->threads < 1) c->threads = 1;
    return WEFT_OK;
}

static void null_close(weft_ctx *c) {
    (void)c;
}

static const char *null_isa(const weft_ctx *c) {
    (void)c;
    return "none";
}

static bool null_has_block(const weft_ctx *c, const weft_graph *g, const node *n) {
    (void)c, (void)g, (void)n;
    return true;
}

/* Strides of a product as the CPU takes them; others must lie in order. */
static bool null_accepts(const step *s, int operand) {
    const roperand *o = &s->in[operand];
    int64_t expected = 1;
    if (s->kind == STEP_MATMUL) {
        const int64_t *dim = o->dim + o->rank - 2, *stride = o->stride + o->rank - 2;
        return (stride[0] == 1 || stride[1] == 1 || dim[0] <= 1 || dim[1] <= 1) &&
               (stride[0] != 0 || dim[0] <= 1) && (stride[1] != 0 || dim[1] <= 1);
    }
    for (int d = o->rank - 1; d >= 0; d--) {
        if (o->dim[d] != 1 && o->stride[d] != expected) return false;
        expected *= o->dim[d];
    }
    return true;
}

static bool null_adds(const step *s) {
    return s->kind == STEP_MATMUL;
}

static bool null_takes_maps(const step *s) {
    return s->kind == STEP_MATMUL || block_table[s->block].image;
}

static weft_err null_prepare(weft_plan *p) {
    (void)p;
    return WEFT_OK;
}

static weft_err null_run(weft_plan *p, device_ticket *done) {
    (void)p;
    *done = 0;
    return WEFT_OK;
}

static void null_release(weft_plan *p) {
    (void)p;
}

const weft_backend backend_null = {
    .name = "null",
    .open = null_open,
    .close = null_close,
    .memory = &device_host,
    .isa = null_isa,
    .has_block = null_has_block,
    .accepts = null_accepts,
    .takes_maps = null_takes_maps,
    .adds = null_adds,
    .prepare = null_prepare,
    .run = null_run,
    .release = null_release,
};
