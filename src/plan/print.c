/* print.c - graphs, kernels and plans as text, and values computed on the spot: for looking
 * around. */
#include "kern/emit.h"
#include "plan/passes.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { PRINT_NONE, PRINT_VIEW };

const kins_info kins_table[K_COUNT] = {
#define OP_UNARY(name, f32, i32, cost, ...)  [OP_##name] = {#name, 1, false, KINS_VALUE, cost},
#define OP_BINARY(name, f32, i32, cost, ...) [OP_##name] = {#name, 2, false, KINS_VALUE, cost},
#define OP_COMPARE(name, ...)                [OP_##name] = {#name, 2, false, KINS_VALUE, 1},
#define OP_LOGIC(name, ...)                  [OP_##name] = {#name, 2, false, KINS_VALUE, 1},
#define OP_FOLD(name, ...)                   [OP_##name] = {#name, -1, false, KINS_VALUE, 0},
#define OP_ROUTINE(name, ...)                [OP_##name] = {#name, -1, false, KINS_VALUE, 0},
#define OP_OTHER(name, cls, operands, cost, ...)                                                   \
    [OP_##name] = {#name, CLASS_##cls == CLASS_MAP ? operands : -1, false, KINS_VALUE, cost},
#include "core/ops.def"
#define INSTRUCTION(op, name, operands, view, kind, cost, ...)                                     \
    [K_##op] = {name, operands, PRINT_##view, KINS_##kind, cost},
#include "plan/instructions.def"
};

typedef struct print_step_row {
    const char *name;
    block_lies lies;
} print_step_row;

static const print_step_row print_steps[STEP_KINDS] = {
    [STEP_KERNEL] = {"kernel", LIES_APART},
    [STEP_BLOCK] = {"block", LIES_APART},
    [STEP_COPY] = {"copy", LIES_APART},
#define OP_ROUTINE(name, operands, step, lies, ...) [step] = {#name, LIES_##lies},
#include "core/ops.def"
};

const char *plan_step_name(const step *s) {
    assert(s->kind < STEP_KINDS && (s->kind != STEP_BLOCK || s->block < BLOCK_COUNT));
    return s->kind == STEP_BLOCK ? block_table[s->block].name : print_steps[s->kind].name;
}

block_lies plan_step_lies(const step *s) {
    assert(s->kind < STEP_KINDS && (s->kind != STEP_BLOCK || s->block < BLOCK_COUNT));
    return s->kind == STEP_BLOCK ? (block_lies)block_table[s->block].lies
                                 : print_steps[s->kind].lies;
}

static void print_view(text *t, const kernel *k, const kview *v) {
    if (v->buf == KNOBUF) text_add(t, " index");
    else text_add(t, " b%u", v->buf);
    if (v->off) text_add(t, "+%lld", (long long)v->off);
    text_add(t, "(");
    for (int d = 0; d < k->outer + k->reduce + k->inner; d++)
        text_add(t, "%s%lld", d ? "," : "", (long long)v->stride[d]);
    text_add(t, ")%s%s", v->guard ? " guarded" : "", v->at != KNOBUF ? " moving" : "");
}

static void print_kernel(text *t, const kernel *k) {
    char buf[120];
    text_add(t, "    loop %s", shape_text(buf, sizeof buf, k->outer, k->dim));
    if (k->reduce)
        text_add(t, " fold %s", shape_text(buf, sizeof buf, k->reduce, k->dim + k->outer));
    if (k->inner) text_add(t, " inner %lld", (long long)k->dim[k->outer + k->reduce]);
    text_add(t, "\n");
    for (int i = 0; i < k->nins; i++) {
        const kins *s = &k->ins[i];
        if (s->op == K_STORE) text_add(t, "      store");
        else
            text_add(t, "      %c%-3d = %s", s->level == KL_ROW ? 's' : 'r', i,
                     kins_table[s->op].name);
        const int operands = kins_table[s->op].operands;
        if (operands > 0) text_add(t, " %d", s->a);
        if (operands > 1) text_add(t, " %d", s->b);
        if (operands > 2) text_add(t, " %d", s->c);
        if (s->op == K_CONST && s->type == KT_F32) text_add(t, " %g", (double)float_of(s->bits));
        else if (s->op == K_CONST) text_add(t, " %d", (int)s->bits);
        if (s->op == OP_cast) text_add(t, " to %s", weft_dtype_name((weft_dtype)s->bits));
        if (kins_table[s->op].view) print_view(t, k, &k->view[s->view]);
        text_add(t, "\n");
    }
}

static void print_step(text *t, const weft_plan *p, size_t i, bool code) {
    const step *s = &p->step[i];
    const char *scope = p->text + s->scope;
    char buf[120];
    text_add(t, "%4zu  %s", i, plan_step_name(s));
    for (int k = 0; k < s->nin + s->nout; k++)
        if (k < s->nin || s->in[k].buf != KNOBUF) /* else an unused result */
            text_add(t, "%s b%u%s",
                     k != s->nin ? ""
                     : s->adds   ? " +>"
                                 : " ->",
                     s->in[k].buf, shape_text(buf, sizeof buf, s->in[k].rank, s->in[k].dim));
    text_add(t, "  %.3g flop, %.3g bytes%s", s->flops, s->bytes, *scope ? "  in " : "");
    text_escape(t, scope);
    text_add(t, "\n");
    if (code && s->kern) print_kernel(t, s->kern);
}

char *weft_plan_text(const weft_plan *p) {
    if (!p) {
        weft_fail(NULL, WEFT_ARGUMENT, "weft_plan_text: the plan is NULL");
        return NULL;
    }
    text t = {.m = p->m};
    text_add(&t,
             "plan: %zu steps, %u segments, %d threads, arena %zu bytes, %.4g flop, %.4g bytes\n",
             p->steps, p->segments, p->threads, p->arena_bytes, p->flops, p->bytes);
    for (size_t i = 0; i < p->steps; i++) print_step(&t, p, i, true);
    if (t.failed) {
        mem_free(p->m, t.s);
        weft_fail(p->ctx, WEFT_MEMORY, "weft_plan_text: out of memory");
        return NULL;
    }
    return t.s;
}

void plan_debug(const weft_plan *p) {
    static const char *const NAME = "kernel";
    text t = {.m = p->m};
    text_add(&t, "weft plan: %zu steps, %u segments, %d threads, arena %zu bytes, %.4g flop",
             p->steps, p->segments, p->threads, p->arena_bytes, p->flops);
    for (size_t i = 0; p->ctx->debug > 1 && i < p->steps; i++) {
        text_add(&t, "\n");
        print_step(&t, p, i, p->ctx->debug > 2);
        if (p->ctx->debug > 3 && p->step[i].kern)
            emit_kernel(&t, EMIT_C, p->step[i].kern, p->buf, NAME);
        while (t.n && t.s[t.n - 1] == '\n') t.s[--t.n] = 0;
    }
    if (!t.failed && t.s) {
        for (char *line = t.s; line;) {
            char *end = strchr(line, '\n');
            if (end) *end = 0;
            ctx_log(p->ctx, "%s", line);
            line = end ? end + 1 : NULL;
        }
    }
    mem_free(p->m, t.s);
}

char *weft_graph_text(const weft_graph *g) {
    if (!g) {
        weft_fail(NULL, WEFT_ARGUMENT, "weft_graph_text: the graph is NULL");
        return NULL;
    }
    text t = {.m = g->m};
    char buf[120];
    text_add(&t, "graph: %zu nodes\n", g->n - 1);
    for (uint32_t i = 1; i < g->n; i++) {
        const node *n = &g->node[i];
        const char *name =
            n->op == OP_block ? block_table[node_attr(g, n)[0]].name : op_table[n->op].name;
        text_add(&t, "%5u  %-12s %s%s", i, name, weft_dtype_name((weft_dtype)n->dtype),
                 shape_text(buf, sizeof buf, n->rank, node_dims(g, n)));
        for (int k = 0; k < n->nin; k++) text_add(&t, " %u", node_in(g, n)[k]);
        if (n->op == OP_literal && n->dtype == WEFT_F32)
            text_add(&t, " %g", (double)float_of((uint32_t)node_attr(g, n)[0]));
        node_scope(g, n, buf, sizeof buf, '/');
        text_add(&t, "%s", *buf ? "  in " : "");
        text_escape(&t, buf);
        text_add(&t, "\n");
    }
    if (t.failed) {
        mem_free(g->m, t.s);
        weft_fail(g->ctx, WEFT_MEMORY, "weft_graph_text: out of memory");
        return NULL;
    }
    return t.s;
}

/* ---- values ---- */

/* Computes x as f32; NULL after an error. */
static float *print_values(weft_tensor x) {
    if (!weft_ok(x)) {
        if (!x.g) weft_fail(NULL, WEFT_ARGUMENT, "weft_print: no tensor");
        return NULL;
    }
    weft_tensor as = weft_cast(x, WEFT_F32);
    weft_plan *p = weft_compile(x.g, &(weft_plan_desc){.fetch = {&as, 1}, .threads = 1});
    if (!p) return NULL;
    size_t bytes = (size_t)weft_count(x) * sizeof(float);
    float *v = mem_new(x.g->m, bytes);
    weft_err e = v ? WEFT_OK : weft_fail(x.g->ctx, WEFT_MEMORY, "weft_print: out of memory");
    if (!e && p->ins)
        e = weft_fail(x.g->ctx, WEFT_ARGUMENT,
                      "weft_print: the tensor depends on an input, which has no value here");
    if (!e) e = weft_run(p);
    if (!e) e = weft_get(p, as, v, bytes);
    weft_plan_free(p);
    if (!e) return v;
    mem_free(x.g->m, v);
    return NULL;
}

static void print_numbers(FILE *f, const float *v, const weft_shape *s, int axis, int64_t *at) {
    if (axis == s->rank) {
        fprintf(f, "%.6g", (double)v[(*at)++]);
        return;
    }
    int64_t inner = 1;
    for (int d = axis + 1; d < s->rank; d++) inner *= s->n[d];
    fprintf(f, "[");
    for (int64_t i = 0; i < s->n[axis]; i++) {
        if (i) fprintf(f, axis + 1 == s->rank ? ", " : ",\n%*s", axis + 1, "");
        if (s->n[axis] > 8 && i == 4) { /* long axes show their ends */
            int64_t skip = s->n[axis] - 7;
            fprintf(f, "...");
            *at += skip * inner;
            i += skip - 1;
            continue;
        }
        print_numbers(f, v, s, axis + 1, at);
    }
    fprintf(f, "]");
}

weft_err weft_print(weft_tensor x) {
    float *v = print_values(x);
    if (!v) return weft_error_code(x.g ? x.g->ctx : NULL);
    weft_shape s = weft_shape_of(x);
    char buf[120];
    int64_t at = 0;
    printf("%s %s\n", weft_dtype_name(weft_dtype_of(x)), shape_text(buf, sizeof buf, s.rank, s.n));
    print_numbers(stdout, v, &s, 0, &at);
    printf("\n");
    mem_free(x.g->m, v);
    return WEFT_OK;
}

float weft_item_of(weft_tensor x) {
    if (weft_ok(x) && weft_count(x) != 1) {
        weft_fail(x.g->ctx, WEFT_SHAPE,
                  "weft_item_of: one number was expected, the tensor has %lld",
                  (long long)weft_count(x));
        return NAN;
    }
    float *v = print_values(x), r = v ? v[0] : NAN;
    if (v) mem_free(x.g->m, v);
    return r;
}
