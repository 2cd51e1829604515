/* compile.c - compiles a graph and what is wanted of it into a plan: the passes, in order.
 *
 * The plan holds no pointer into the graph, and nothing is left behind when a pass fails. */
#include "core/limits.h"
#include "plan/passes.h"
#include <assert.h>

weft_err compile_no_memory(const compile *c) {
    return weft_fail(c->ctx, WEFT_MEMORY, "compile: out of memory");
}

/* ---- the end of the pipeline ---- */

static weft_err compile_place(compile *c) {
    weft_plan *p = c->plan;
    WEFT_TRY(memory_pass(p, c->desc->portable));

    for (size_t i = 0; i < p->steps; i++)
        p->flops += p->step[i].flops, p->bytes += p->step[i].bytes;
    return WEFT_OK;
}

static weft_err compile_prepare(compile *c) {
    return c->ctx->backend->prepare(c->plan);
}

/* A device that evaluates the graph itself gets it with its bindings. */
static weft_err compile_whole(compile *c) {
    const size_t ins = c->plan->ins;
    uint32_t *ids = mem_new(c->m, (ins + c->fetches + 2 * c->updates + 1) * sizeof *ids);
    if (!ids) return compile_no_memory(c);
    uint32_t *in = ids, *out = in + ins, *state = out + c->fetches, *value = state + c->updates;
    for (size_t i = 0; i < ins; i++) in[i] = c->map[c->plan->in[i].id];
    for (size_t i = 0; i < c->fetches; i++) out[i] = c->fetch[i].node;
    for (size_t i = 0; i < c->updates; i++)
        state[i] = c->update[i].state, value[i] = c->update[i].node;
    const graph_wiring w = {.input_node = in,
                            .fetch_node = out,
                            .update_state_node = state,
                            .update_value_node = value,
                            .updates = c->updates};
    const weft_err e = c->ctx->backend->graph(c->plan, c->g, c->live, &w);
    mem_free(c->m, ids);
    return e;
}

/* ---- the pipeline ---- */

typedef struct compile_stage {
    const char *name; /* for recorders and messages */
    weft_err (*pass)(compile *c);
    weft_err (*verify)(const compile *c, const char *pass); /* what holds afterwards */
} compile_stage;

static const compile_stage compile_begin[] = {
    {"request", request_pass, verify_recorded},
    {"rewrite", rewrite_pass, verify_graph},
    {"mixed", mixed_pass, verify_graph},
    {"roots", roots_pass, verify_graph},
    {"states", states_pass, verify_graph},
    {"shadows", shadow_pass, verify_graph},
    {0},
};
static const compile_stage compile_steps[] = {
    {"view", view_pass, verify_views},
    {"settle", settle_pass, verify_views},
    {"place", place_pass, verify_views},
    {"bind", bind_pass, verify_views},
    {"inline", inline_pass, verify_views},
    {"fuse", fuse_pass, verify_clusters},
    {"recompute", recompute_pass, verify_clusters},
    {"in place", in_place_pass, verify_clusters},
    {"lower", lower_pass, verify_steps},
    {"passing", passing_pass, verify_steps},
    {"join", join_pass, verify_steps},
    {"memory", compile_place, verify_memory},
    {"prepare", compile_prepare, verify_memory},
    {0},
};
static const compile_stage compile_graph[] = {
    {"bind", bind_pass, verify_graph},
    {"whole", compile_whole, verify_graph},
    {"memory", compile_place, verify_memory},
    {0},
};

/* Is every pass checked? Always where assertions are on. */
static bool compile_verifies(const compile *c) {
#ifdef NDEBUG
    return c->ctx->debug > 0;
#else
    (void)c;
    return true;
#endif
}

static weft_err compile_run(compile *c, const compile_stage *stage) {
    const bool verifies = compile_verifies(c);
    double since = weft_phase_start(c->ctx);
    for (; stage->pass; stage++) {
        WEFT_TRY(stage->pass(c));
        if (verifies) WEFT_TRY(stage->verify(c, stage->name));
        record_pass(c->ctx, stage->name, &since);
    }
    return WEFT_OK;
}

static weft_err compile_all(compile *c) {
    WEFT_TRY(compile_run(c, compile_begin));
    return compile_run(c, c->ctx->backend->graph ? compile_graph : compile_steps);
}

/* ---- a plan ---- */

/* What the description says of the plan as a whole. */
static weft_err compile_describe(const compile *c) {
    const weft_plan_desc *d = c->desc;
    weft_plan *p = c->plan;
    p->threads = d->watch ? 1 : d->threads;
    if (d->watch && c->ctx->backend->graph)
        return weft_fail(c->ctx, WEFT_UNSUPPORTED, "weft_compile: \"%s\" cannot watch a plan",
                         c->ctx->backend->name);
    if (d->watch && !(p->watch = arena_new(&p->memory, sizeof *p->watch)))
        return compile_no_memory(c);
    p->name = d->name ? arena_text(&p->memory, d->name) : "";
    return p->name ? WEFT_OK : compile_no_memory(c);
}

void compile_release(compile *c) {
    mem_free(c->m, c->draw);
    mem_free(c->m, c->kept);
    mem_free(c->m, c->shadow);
    mem_free(c->m, c->cluster);
    arena_free(&c->memory);
    weft_graph_free(c->g);
}

weft_plan *weft_compile(weft_graph *g, const weft_plan_desc *d) {
    if (request_check(g, d) != WEFT_OK) return NULL;
    weft_ctx *ctx = g->ctx;
    const double start = weft_phase_start(ctx);
    compile c = {.ctx = ctx, .m = &ctx->m, .desc = d, .from = g, .memory = {.m = &ctx->m}};
    c.plan = mem_new(c.m, sizeof *c.plan);
    c.g = c.plan ? weft_graph_new(ctx) : NULL;
    if (!c.g) {
        mem_free(c.m, c.plan);
        compile_no_memory(&c);
        return NULL;
    }
    c.plan->ctx = ctx;
    c.plan->m = c.plan->memory.m = &ctx->m;
    c.plan->origin = g;
    weft_err e = compile_describe(&c);
    if (!e) e = compile_all(&c);
    if (!e) e = record_made(c.plan);
    weft_phase_end(ctx, "compile", start);
    compile_release(&c);
    if (e) {
        weft_plan_free(c.plan);
        return NULL;
    }
    if (ctx->debug > 0) plan_debug(c.plan);
    return c.plan;
}
