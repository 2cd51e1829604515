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

static bool null_takes_maps(const step *s) {
    return block_table[s->block].image;
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
    .takes_maps = null_takes_maps,
    .prepare = null_prepare,
    .run = null_run,
    .release = null_release,
};
