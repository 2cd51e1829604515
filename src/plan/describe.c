/* describe.c - the steps and tensors of a plan in words: what they are made of, their shapes, the
 * scopes they come from. For profiles and whoever else shows a plan; print.c prints all of it. */
#include "plan/passes.h"
#include <assert.h>
#include <stdio.h>

const char *weft_plan_name(const weft_plan *p) {
    return p && p->name ? p->name : "";
}

/* A text in an array: what does not fit is cut off, and three dots say so. */
typedef struct describe_text {
    char *to;
    size_t room, n;
} describe_text;

static void describe_add(describe_text *t, const char *between, const char *words) {
    if (t->n + 1 >= t->room) return;
    const int more = snprintf(t->to + t->n, t->room - t->n, "%s%s", t->n ? between : "", words);
    if (more > 0) t->n += (size_t)more;
    if (t->n < t->room) return;
    t->n = t->room - 1;
    memcpy(t->to + t->room - 4, "...", 4);
}

/* "matmul add relu": the routine, then the operations of its row program in order, each once. */
static void describe_name(const step *s, describe_text *t) {
    assert(s->kind < STEP_KINDS);
    uint64_t seen[(K_COUNT + 63) / 64] = {0};
    if (s->kind != STEP_KERNEL) describe_add(t, " ", plan_step_name(s));
    for (int i = 0; s->kern && i < s->kern->nins; i++) {
        const int op = s->kern->ins[i].op;
        if (op == K_LOAD || op == K_STORE || op == K_INDEX || op == K_CONST ||
            (seen[op / 64] >> (op % 64) & 1))
            continue;
        seen[op / 64] |= 1ull << (op % 64);
        describe_add(t, " ", kins_table[op].name);
    }
    if (!t->n) describe_add(t, "", "copy"); /* loads and stores alone */
}

static void describe_loop(const kernel *k, describe_text *t) {
    char part[120];
    if (k->outer || !k->reduce)
        describe_add(t, "", shape_text(part, sizeof part, k->outer, k->dim));
    if (k->reduce && !k->outer) describe_add(t, "", "over");
    if (k->reduce)
        describe_add(t, k->outer ? " over " : " ",
                     shape_text(part, sizeof part, k->reduce, k->dim + k->outer));
    if (k->inner)
        describe_add(t, " by ",
                     shape_text(part, sizeof part, k->inner, k->dim + k->outer + k->reduce));
}

/* "[8,4] [4,2] -> [8,2]", and "3*[100]" for three alike in a row. */
static void describe_shape(const step *s, describe_text *t) {
    assert(s->nin + s->nout <= STEP_OPERANDS);
    char part[120], words[140];
    if (s->kind == STEP_KERNEL) {
        describe_loop(s->kern, t);
        return;
    }
    const bool product = s->kind == STEP_MATMUL; /* whose result is plain from its operands */
    const int all = s->nin + (product ? 0 : s->nout);
    for (int i = 0, alike; i < all; i += alike) {
        const roperand *o = &s->in[i];
        const int end = i < s->nin ? s->nin : all;
        for (alike = 1; !product && i + alike < end; alike++)
            if (o[alike].rank != o->rank || memcmp(o[alike].dim, o->dim, o->rank * sizeof *o->dim))
                break;
        shape_text(part, sizeof part, o->rank, o->dim);
        if (alike > 1) snprintf(words, sizeof words, "%d*%s", alike, part);
        describe_add(t, product ? " x " : i == s->nin ? " -> " : " ", alike > 1 ? words : part);
    }
}

bool weft_plan_step(const weft_plan *p, size_t i, weft_plan_part *out) {
    if (!p || !out || i >= p->steps) return false;
    const step *s = &p->step[i];
    *out = (weft_plan_part){.scope = p->text + s->scope,
                            .flops = s->flops,
                            .bytes = s->bytes,
                            .first = (uint32_t)i,
                            .last = (uint32_t)i};
    describe_name(s, &(describe_text){.to = out->name, .room = sizeof out->name});
    describe_shape(s, &(describe_text){.to = out->shape, .room = sizeof out->shape});
    return true;
}

/* ---- tensors ---- */

static uint32_t describe_root(const weft_plan *p, uint32_t b) {
    assert(b < p->bufs);
    while (b != KNOBUF && p->buf[b].place == BUF_ALIAS) b = p->buf[b].alias;
    return b;
}

/* Whether step s writes buffer b; *piece: a piece of it only. Its shape as the step sees it. */
static bool describe_writes(const weft_plan *p, const step *s, uint32_t b, describe_text *t,
                            bool *piece) {
    char part[120];
    for (int i = s->nin; i < s->nin + s->nout; i++)
        if (describe_root(p, s->in[i].buf) == b) {
            *piece = p->buf[s->in[i].buf].bytes != p->buf[b].bytes;
            describe_add(t, "", shape_text(part, sizeof part, s->in[i].rank, s->in[i].dim));
            return true;
        }
    for (int i = 0; s->kern && i < s->kern->nins; i++) {
        const kview *v = &s->kern->view[s->kern->ins[i].view];
        if (s->kern->ins[i].op != K_STORE || describe_root(p, v->buf) != b) continue;
        int64_t dim[KDIMS];
        int rank = 0;
        *piece = p->buf[v->buf].bytes != p->buf[b].bytes;
        for (int d = 0; d < s->kern->outer + s->kern->reduce + s->kern->inner; d++)
            if (v->stride[d]) dim[rank++] = s->kern->dim[d];
        describe_add(t, "", shape_text(part, sizeof part, rank, dim));
        return true;
    }
    return false;
}

/* Whether buffer b is a feed: then that is its name, and its shape is the input's. */
static bool describe_input(const weft_plan *p, uint32_t b, weft_plan_part *out,
                           describe_text *shape) {
    char part[120];
    for (size_t i = 0; i < p->ins; i++) {
        if (p->in[i].buf != b) continue;
        describe_add(&(describe_text){.to = out->name, .room = sizeof out->name}, "", "input");
        describe_add(shape, "", shape_text(part, sizeof part, p->in[i].rank, p->in[i].dim));
        return true;
    }
    return false;
}

bool weft_plan_tensor(const weft_plan *p, size_t i, weft_plan_part *out) {
    if (!p || !out || i >= p->placed_count) return false;
    const uint32_t b = p->placed[i];
    const buffer *x = &p->buf[b];
    *out = (weft_plan_part){
        .scope = "", .bytes = (double)x->bytes, .first = x->first, .last = x->last};
    describe_text shape = {.to = out->shape, .room = sizeof out->shape};
    if (describe_input(p, b, out, &shape)) return true;
    snprintf(out->name, sizeof out->name, "result"); /* where the device does not tell its steps */
    /* what is no feed is written by the first step that touches it, unless it is a fetch */
    for (size_t k = x->pinned ? 0 : x->first; k < p->steps; k++) {
        bool piece = false;
        if (!describe_writes(p, &p->step[k], b, &shape, &piece)) continue;
        if (piece) { /* join.c laid results of several steps side by side */
            snprintf(out->name, sizeof out->name, "joined results");
            snprintf(out->shape, sizeof out->shape, "[%zu]",
                     x->bytes / weft_dtype_size((weft_dtype)x->dtype));
            break;
        }
        describe_name(&p->step[k], &(describe_text){.to = out->name, .room = sizeof out->name});
        out->scope = p->text + p->step[k].scope;
        break;
    }
    return true;
}
