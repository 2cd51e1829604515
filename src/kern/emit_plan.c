/* emit_plan.c - a whole plan as one C99 file that needs nothing but libm.
 *
 * Intermediates share a static arena at the plan's own offsets; feeds and fetches, state and
 * constants are arrays of their types with the values of this moment in them, const where no step
 * writes. A step is a function, a run calls them in order. State lives in the file's arrays, so a
 * plan with updates goes on training where it is compiled in. Kernels are emit.c's, routines emit_step.c's. */
#include "base/utf8.h"
#include "core/context.h"
#include "kern/emit.h"
#include "kern/emit_step.h"
#include <stdio.h>

typedef struct plan_c {
    const weft_plan *p;
    const char *name;
    uint8_t *used;  /* per buffer: it is used */
    uint8_t *bound; /* per buffer: a feed or a fetch lies there */
    uint8_t *wrote; /* per buffer: a step writes to it */
} plan_c;

static const char *const plan_c_type[WEFT_DTYPE_COUNT] = {
    [WEFT_F32] = "float",        [WEFT_BF16] = "unsigned short", [WEFT_F16] = "unsigned short",
    [WEFT_I32] = "int",          [WEFT_U32] = "unsigned",        [WEFT_I8] = "signed char",
    [WEFT_U8] = "unsigned char", [WEFT_BOOL] = "unsigned char",
};

/* ---- where buffers lie ---- */

static uint32_t plan_c_root(const weft_plan *p, uint32_t buf, size_t *at) {
    *at = 0;
    for (; p->buf[buf].place == BUF_ALIAS; buf = p->buf[buf].alias) *at += p->buf[buf].alias_at;
    return buf;
}

/* State is known by its entry: two buffers may stand for the same one. */
static uint32_t plan_c_first(const weft_plan *p, uint32_t root) {
    for (uint32_t b = 0; b < root && p->buf[root].place == BUF_STATE; b++)
        if (p->buf[b].place == BUF_STATE && p->buf[b].state == p->buf[root].state &&
            p->buf[b].entry == p->buf[root].entry)
            return b;
    return root;
}

static void plan_c_address(const plan_c *c, text *t, uint32_t buf) {
    size_t at;
    const uint32_t root = plan_c_first(c->p, plan_c_root(c->p, buf, &at));
    const buffer *b = &c->p->buf[root];
    if (c->bound[root] && b->place == BUF_ARENA) text_add(t, "(char *)bound_%u", root);
    else if (b->place == BUF_ARENA) text_add(t, "(char *)arena"), at += b->offset;
    else text_add(t, "(char *)%s_%u", b->place == BUF_STATE ? "state" : "data", root);
    if (at) text_add(t, " + %zu", at);
}

static void plan_c_use(const plan_c *c, uint32_t buf, bool bound, bool wrote) {
    size_t at;
    const uint32_t root = plan_c_first(c->p, plan_c_root(c->p, buf, &at));
    c->used[root] = 1;
    c->bound[root] |= bound;
    c->wrote[root] |= wrote;
}

static bool plan_c_stores(const kernel *k, uint32_t buf) {
    for (int i = 0; i < k->nins; i++)
        if (k->ins[i].op == K_STORE && k->view[k->ins[i].view].buf == buf) return true;
    return false;
}

/* Whether the two lie in the same memory, if only in part. */
static bool plan_c_overlap(const weft_plan *p, uint32_t a, uint32_t b) {
    size_t at[2];
    const uint32_t of[2] = {a, b};
    uint32_t root[2];
    for (int i = 0; i < 2; i++) {
        root[i] = plan_c_first(p, plan_c_root(p, of[i], &at[i]));
        if (p->buf[root[i]].place == BUF_ARENA) at[i] += p->buf[root[i]].offset;
    }
    const bool arena = p->buf[root[0]].place == BUF_ARENA && p->buf[root[1]].place == BUF_ARENA;
    if (!arena && root[0] != root[1]) return false;
    return at[0] < at[1] + p->buf[b].bytes && at[1] < at[0] + p->buf[a].bytes;
}

static bool plan_c_apart(const weft_plan *p, const kernel *k) {
    uint32_t buf[EMIT_BUFFERS];
    const int n = emit_buffers(k, buf);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && plan_c_stores(k, buf[i]); j++)
            if (i != j && plan_c_overlap(p, buf[i], buf[j])) return false;
    return n >= 0;
}

/* The buffers a function of step s takes. Gives their number, or -1. */
static int plan_c_buffers(const step *s, bool kern, uint32_t out[EMIT_BUFFERS]) {
    if (kern) return emit_buffers(s->kern, out);
    for (int i = 0; i < s->nin + s->nout; i++) out[i] = s->in[i].buf;
    return s->nin + s->nout;
}

/* ---- arrays ---- */

static void plan_c_element(text *t, int dtype, const char *p) {
    uint32_t word = 0;
    memcpy(&word, p, weft_dtype_size((weft_dtype)dtype));
    switch (dtype) {
    case WEFT_F32:
        if ((word & 0x7f800000u) != 0x7f800000u) emit_number(t, KT_F32, word);
        else if (word & 0x7fffffu) text_add(t, "NAN");
        else text_add(t, word >> 31 ? "-INFINITY" : "INFINITY");
        break;
    case WEFT_I32: emit_number(t, KT_I32, word); break;
    case WEFT_I8: text_add(t, "%d", (int)(word ^ 128u) - 128); break;
    case WEFT_BF16:
    case WEFT_F16: text_add(t, "0x%04x", word); break;
    default: text_add(t, dtype == WEFT_U32 ? "%uu" : "%u", word); break;
    }
}

/* Contents that are all zero need no list. */
static void plan_c_array(text *t, const char *kind, uint32_t number, bool fixed, int dtype,
                         size_t bytes, const char *data) {
    const size_t size = weft_dtype_size((weft_dtype)dtype), n = bytes / size;
    bool zero = true;
    for (size_t i = 0; data && i < bytes; i++) zero &= data[i] == 0;
    text_add(t, "static %s%s %s_%u[%zu]", fixed ? "const " : "", plan_c_type[dtype], kind, number,
             n ? n : 1);
    if (zero) text_add(t, fixed ? " = { 0 };\n" : ";\n");
    for (size_t i = 0; i < n && !zero; i++) {
        text_add(t, "%s", i == 0 ? " = {\n    " : i % 8 == 0 ? ",\n    " : ", ");
        plan_c_element(t, dtype, data + i * size);
        if (i + 1 == n) text_add(t, "\n};\n");
    }
}

/* Names come from whoever made the network, and from files. What no plain name has could end the
 * comment or join its lines ('*', '\\', "??/"), or is obeyed by an editor: the name ends there. */
static void plan_c_comment(text *t, const char *name, const char *after) {
    if (!*name && !*after) return;
    text_add(t, "/* ");
    for (size_t left = strlen(name), bytes; left; name += bytes, left -= bytes) {
        char one[12];
        bytes = escape_one(one, name, left);
        if (strchr("*\\?\"'", *one)) {
            text_add(t, "...");
            break;
        }
        text_raw(t, one, bytes);
    }
    text_add(t, "%s%s */\n", *after ? " " : "", after);
}

/* With the values of now, which are copied here if they lie on a device. */
static void plan_c_state(const plan_c *c, text *t, uint32_t number, bool fixed,
                         const state_entry *e) {
    char *copy = e->data ? NULL : mem_new(c->p->m, e->bytes + 1);
    if (copy && state_read(c->p->ctx, e, copy) != WEFT_OK) t->failed = true;
    if (!copy && !e->data) t->failed = true;
    plan_c_array(t, "state", number, fixed, e->dtype, e->bytes, copy ? copy : e->data);
    mem_free(c->p->m, copy);
}

static void plan_c_arrays(const plan_c *c, text *t) {
    const weft_plan *p = c->p;
    char shape[100];
    bool arena = false;
    for (uint32_t b = 0; b < p->bufs; b++) {
        const buffer *x = &p->buf[b];
        const bool fixed = !c->wrote[b] && !c->bound[b];
        if (!c->used[b]) continue;
        if (x->place == BUF_ARENA && !c->bound[b]) arena = true;
        else if (x->place == BUF_ARENA)
            plan_c_array(t, "bound", b, false, x->dtype, x->bytes, NULL);
        else if (x->place == BUF_DATA)
            plan_c_array(t, "data", b, fixed, x->dtype, x->bytes, x->data);
        else {
            const state_entry *e = &p->state[x->state]->entry[x->entry];
            plan_c_comment(t, e->name, shape_text(shape, sizeof shape, e->dims.rank, e->dims.n));
            plan_c_state(c, t, b, fixed, e);
        }
    }
    if (arena) text_add(t, "static unsigned arena[%zu];\n", p->arena_bytes / 4 + 1);
    text_add(t, "\n");
}

/* ---- steps ---- */

static bool plan_c_step(const plan_c *c, text *t, size_t i) {
    const step *s = &c->p->step[i];
    char name[200];
    snprintf(name, sizeof name, "%.150s_step_%zu", c->name, i);
    plan_c_comment(t, c->p->texts ? c->p->text + s->scope : "", "");
    bool done = true;
    if (s->kind != STEP_KERNEL) done = emit_routine(t, s, name);
    if (s->kern) {
        if (s->kind != STEP_KERNEL) snprintf(name, sizeof name, "%.150s_step_%zu_then", c->name, i);
        text_add(t, "static ");
        done = done &&
               (plan_c_apart(c->p, s->kern) ? emit_kernel_apart(t, s->kern, name)
                                            : emit_kernel(t, EMIT_C, s->kern, c->p->buf, name));
    }
    text_add(t, "\n");
    return done;
}

static void plan_c_call(const plan_c *c, text *t, size_t i, bool kern) {
    uint32_t buf[EMIT_BUFFERS];
    const step *s = &c->p->step[i];
    const int n = plan_c_buffers(s, kern, buf);
    text_add(t, "    %s_step_%zu%s((char *const[]){ ", c->name, i,
             kern && s->kind != STEP_KERNEL ? "_then" : "");
    for (int b = 0; b < n; b++) {
        if (b) text_add(t, ", ");
        plan_c_address(c, t, buf[b]);
    }
    text_add(t, " });\n");
}

/* ---- the way in and out ---- */

static void plan_c_access(const plan_c *c, text *t, const char *way, const binding *list,
                          size_t n) {
    for (size_t i = 0; i < n; i++) {
        const char *type = plan_c_type[list[i].dtype];
        text_add(t, "%s *%s_%s_%zu(void) { return (%s *)(", type, c->name, way, i, type);
        plan_c_address(c, t, list[i].buf);
        text_add(t, "); }\n");
    }
}

static void plan_c_describe(const plan_c *c, text *t, const char *way, const binding *list,
                            size_t n) {
    char shape[100];
    for (size_t i = 0; i < n; i++)
        text_add(t, " *     %s *%s_%s_%zu(void);    %s %s\n", plan_c_type[list[i].dtype], c->name,
                 way, i, weft_dtype_name((weft_dtype)list[i].dtype),
                 shape_text(shape, sizeof shape, list[i].rank, list[i].dim));
}

static void plan_c_counts(const plan_c *c, text *t, const char *way, const binding *list,
                          size_t n) {
    for (size_t i = 0; i < n; i++)
        text_add(t, "enum { %s_%s_%zu_count = %zu };\n", c->name, way, i,
                 list[i].bytes / weft_dtype_size((weft_dtype)list[i].dtype));
}

static bool plan_c_filters(const weft_plan *p) {
    return p->ins == 1 && p->in[0].dtype == WEFT_F32 && p->in[0].bytes && p->outs &&
           p->out[0].dtype == WEFT_F32;
}

static void plan_c_head(const plan_c *c, text *t) {
    const weft_plan *p = c->p;
    text_add(t,
             "/* %s - a network as one file of C99, written by Weft %s; needs libm.\n *\n *     "
             "void %s_run(void);\n",
             c->name, WEFT_VERSION, c->name);
    plan_c_describe(c, t, "input", p->in, p->ins);
    plan_c_describe(c, t, "output", p->out, p->outs);
    text_add(t, " *\n * Write the inputs, run, read the outputs. State is kept in the arrays below "
                "and changes as the\n"
                " * plan changes it. One caller at a time.");
    if (plan_c_filters(p))
        text_add(t, " With -DWEFT_MAIN it is a filter: raw f32 of\n * input 0 in, raw f32 of "
                    "output 0 out.");
    text_add(t, " */\n");
    if (plan_c_filters(p)) text_add(t, "#ifdef WEFT_MAIN\n#include <stdio.h>\n#endif\n");
}

static void plan_c_tail(const plan_c *c, text *t) {
    const weft_plan *p = c->p;
    text_add(t, "void %s_run(void) {\n", c->name);
    for (size_t i = 0; i < p->steps; i++) {
        if (p->step[i].kind != STEP_KERNEL) plan_c_call(c, t, i, false);
        if (p->step[i].kern) plan_c_call(c, t, i, true);
    }
    text_add(t, "}\n\n");
    plan_c_counts(c, t, "input", p->in, p->ins);
    plan_c_counts(c, t, "output", p->out, p->outs);
    plan_c_access(c, t, "input", p->in, p->ins);
    plan_c_access(c, t, "output", p->out, p->outs);
    if (!plan_c_filters(p)) return;
    text_add(t,
             "\n#ifdef WEFT_MAIN\nint main(void) {\n"
             "    while (fread(%s_input_0(), 4, %s_input_0_count, stdin) == %s_input_0_count) {\n"
             "        %s_run();\n"
             "        if (fwrite(%s_output_0(), 4, %s_output_0_count, stdout) != "
             "%s_output_0_count) return 1;\n"
             "    }\n    return ferror(stdin) != 0;\n}\n#endif\n",
             c->name, c->name, c->name, c->name, c->name, c->name, c->name);
}

/* ---- all of it ---- */

static bool plan_c_identifier(const char *s) {
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return s && *s && strspn(s, letters) == strlen(s) && (*s < '0' || *s > '9') && strlen(s) < 100;
}

static weft_err plan_c_check(const weft_plan *p, const char *name) {
    if (!p) return weft_fail(NULL, WEFT_ARGUMENT, "weft_plan_emit_c: the plan is NULL");
    if (!plan_c_identifier(name))
        return weft_fail(p->ctx, WEFT_ARGUMENT,
                         "weft_plan_emit_c: \"%s\" cannot begin the name of a C function",
                         name ? name : "");
    for (size_t i = 0; i < p->states; i++)
        if (p->state[i]->freed)
            return weft_fail(p->ctx, WEFT_STATE,
                             "weft_plan_emit_c: a state this plan uses was freed");
    if (!p->steps && p->program)
        return weft_fail(
            p->ctx, WEFT_UNSUPPORTED,
            "weft_plan_emit_c: this device has no steps to write; compile the plan on \"cpu\"");
    for (size_t i = 0; i < p->steps; i++)
        if (p->step[i].kind == STEP_BLOCK && !emit_has_block(p->step[i].block))
            return weft_fail(p->ctx, WEFT_UNSUPPORTED,
                             "weft_plan_emit_c: step %zu is a kernel of this device (%s); "
                             "compile the plan with .portable = true",
                             i, block_table[p->step[i].block].name);
    return WEFT_OK;
}

static weft_err plan_c_write(plan_c *c, text *t, text *body) {
    const weft_plan *p = c->p;
    uint32_t buf[EMIT_BUFFERS];
    for (size_t i = 0; i < p->ins; i++) plan_c_use(c, p->in[i].buf, true, true);
    for (size_t i = 0; i < p->outs; i++) plan_c_use(c, p->out[i].buf, true, false);
    for (size_t i = 0; i < p->steps; i++)
        for (int kern = 0; kern < 2; kern++) {
            const step *s = &p->step[i];
            const int n =
                (kern ? !!s->kern : s->kind != STEP_KERNEL) ? plan_c_buffers(s, kern, buf) : 0;
            if (n < 0)
                return weft_fail(p->ctx, WEFT_UNSUPPORTED,
                                 "weft_plan_emit_c: step %zu has too many buffers", i);
            for (int b = 0; b < n; b++)
                plan_c_use(c, buf[b], false, kern ? plan_c_stores(s->kern, buf[b]) : b >= s->nin);
        }
    plan_c_arrays(c, body);
    for (size_t i = 0; i < p->steps; i++)
        if (!plan_c_step(c, body, i) && !body->failed)
            return weft_fail(p->ctx, WEFT_UNSUPPORTED,
                             "weft_plan_emit_c: step %zu has no form in C", i);
    plan_c_tail(c, body);
    plan_c_head(c, t);
    if (!body->failed) {
        emit_prelude_for(t, EMIT_C, body->s);
        text_add(t, "\n");
        text_raw(t, body->s, body->n);
    }
    if (body->failed || t->failed)
        return weft_fail(p->ctx, WEFT_MEMORY, "weft_plan_emit_c: out of memory");
    return WEFT_OK;
}

char *weft_plan_emit_c(const weft_plan *p, const char *name) {
    if (plan_c_check(p, name) != WEFT_OK) return NULL;
    plan_c c = {.p = p, .name = name, .used = mem_new(p->m, 3 * p->bufs + 1)};
    text t = {.m = p->m}, body = {.m = p->m};
    c.bound = c.used ? c.used + p->bufs : NULL;
    c.wrote = c.used ? c.bound + p->bufs : NULL;
    const weft_err e = c.used ? plan_c_write(&c, &t, &body)
                              : weft_fail(p->ctx, WEFT_MEMORY, "weft_plan_emit_c: out of memory");
    mem_free(p->m, c.used);
    mem_free(p->m, body.s);
    if (e == WEFT_OK) return t.s;
    mem_free(p->m, t.s);
    return NULL;
}
