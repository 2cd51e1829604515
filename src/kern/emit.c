/* emit.c - a row program as source text in one of three languages.
 *
 * One walk over the instructions serves all: the languages differ in the words of a small table, in
 * the prelude that holds the helpers, and in how loops are spread over threads. Single instructions
 * are emit_code.c's.
 *
 * Registers live where their value is fixed: at the top of the function (it depends on no loop),
 * per row, or per element. A row is walked once for each phase: phase p has the folds whose
 * operands wait for p folds in a chain before them, and what such a walk needs of the elements is
 * computed again in it. All stores come last, so that a kernel may write over what it has read.
 *
 * Sums are added up one after the other: in C in double, on GPUs in f32 by thread and then as a
 * tree. */
#include "kern/emit_inner.h"
#include <stdio.h>

/* CUDA counts in 32 bits wherever these are enough: divisions of 64 bits are slow there. */
enum { EMIT_CUDA_NARROW = EMIT_WGSL + 1 };

/* clang-format off */
#define EMIT_TYPES_C { "const float", "const int", "const int" }, { "float", "int", "int" }
static const emit_words emit_language_words[] = {
    [EMIT_C]           = { EMIT_TYPES_C, "long long", "const long long", "(long long)",
                           "a ? b : c", "(int)", false },
    [EMIT_CUDA]        = { EMIT_TYPES_C, "long long", "const long long", "(long long)",
                           "a ? b : c", "(int)", true },
    [EMIT_CUDA_NARROW] = { EMIT_TYPES_C, "int", "const int", "",
                           "a ? b : c", "(int)", true },
    [EMIT_WGSL]        = { { "let", "let", "let" }, { "var", "var", "var" }, "var", "let", "",
                           "select(c, b, a != 0)", "i32", true },
};
#undef EMIT_TYPES_C
/* clang-format on */

static int64_t emit_extent(const kernel *k, bool reduced) {
    int64_t n = 1;
    for (int d = 0; d < k->outer + k->reduce + k->inner; d++)
        if (emit_is_reduce(k, d) == reduced) n *= k->dim[d];
    return n;
}

int64_t emit_groups(const kernel *k) {
    const int64_t items = emit_extent(k, false);
    const bool rows = k->reduce && !k->inner;
    return rows ? items : (items + EMIT_THREADS - 1) / EMIT_THREADS;
}

int emit_buffers(const kernel *k, uint32_t out[EMIT_BUFFERS]) {
    int n = 0;
    for (int v = 0; v < k->nview; v++) {
        const uint32_t both[2] = {k->view[v].buf, k->view[v].at};
        for (int i = 0; i < 2; i++) {
            bool known = both[i] == KNOBUF;
            for (int j = 0; j < n; j++) known |= out[j] == both[i];
            if (known) continue;
            if (n == EMIT_BUFFERS) return -1;
            out[n++] = both[i];
        }
    }
    return n;
}

/* ---- what depends on what ---- */

static bool emit_varies(const kernel *k, const kview *v, int d) {
    return k->dim[d] > 1 && (v->stride[d] || (v->guard && (v->lo[d] > 0 || v->hi[d] < k->dim[d])));
}

static bool emit_ordered(const kernel *k, const kins *in, int i) {
    if (in->op >= K_COUNT) return false;
    for (int n = 0; n < kins_table[in->op].operands; n++)
        if (emit_operand(in, n) >= i || k->ins[emit_operand(in, n)].op == K_STORE) return false;
    return !emit_has_view(in->op) || in->view < k->nview;
}

static bool emit_analyse(emitter *e) {
    const kernel *k = e->k;
    for (int i = 0; i < k->nins; i++) {
        const kins *in = &k->ins[i];
        emit_fact *f = &e->fact[i];
        if (!emit_ordered(k, in, i)) return false;
        bool element = false;
        for (int n = 0; n < kins_table[in->op].operands; n++) {
            const emit_fact *o = &e->fact[emit_operand(in, n)];
            if (o->place > f->place) f->place = o->place;
            if (o->phase > f->phase) f->phase = o->phase;
            element |= o->place == AT_ELEMENT;
        }
        if (emit_has_view(in->op))
            for (int d = 0; d < e->dims; d++)
                if (emit_varies(k, &k->view[in->view], d)) f->place = AT_ELEMENT;
        if (emit_is_fold(in->op)) {
            if (emit_is_map(k)) return false;
            f->place = AT_ROW;
            f->phase++;
        } else if (in->op == K_STORE) {
            f->place = in->level == KL_ROW && !emit_is_map(k) ? AT_ROW : AT_ELEMENT;
            if (f->place == AT_ROW && element) return false;
            f->used = true;
        } else if (f->place != AT_TOP && !emit_is_map(k)) {
            f->place = in->level == KL_ROW ? AT_ROW : AT_ELEMENT;
            if (f->place == AT_ROW && element) return false;
        }
        if (f->phase > e->last) e->last = f->phase;
    }
    for (int i = k->nins; i-- > 0;) {
        const kins *in = &k->ins[i];
        if (!e->fact[i].used) continue;
        for (int n = 0; n < kins_table[in->op].operands; n++)
            e->fact[emit_operand(in, n)].used = true;
        if (!emit_has_view(in->op)) continue;
        const kview *v = &k->view[in->view];
        if (v->buf != KNOBUF) e->read[emit_slot(e, v->buf)] = true;
        if (v->at != KNOBUF) e->read[emit_slot(e, v->at)] = true;
        if (in->op == K_STORE) e->written[emit_slot(e, v->buf)] = true;
    }
    return true;
}

/* Whether every index stays below 2^30, which leaves room for the last step of a loop. */
static bool emit_narrow(const kernel *k) {
    const double limit = 1 << 30;
    if ((double)emit_extent(k, true) * (double)emit_extent(k, false) >= limit) return false;
    for (int i = 0; i < k->nins; i++) {
        const kins *in = &k->ins[i];
        if (!emit_has_view(in->op)) continue;
        const kview *v = &k->view[in->view];
        double reach = v->off < 0 ? -(double)v->off : (double)v->off;
        for (int d = 0; d < k->outer + k->reduce + k->inner; d++)
            reach += (double)k->dim[d] * (double)(v->stride[d] < 0 ? -v->stride[d] : v->stride[d]);
        if (v->at != KNOBUF)
            reach += (double)v->at_max * (double)(v->at_stride < 0 ? -v->at_stride : v->at_stride);
        if (in->op == K_TAKE)
            reach += (double)in->bits * (double)(in->arg2 < 0 ? -in->arg2 : in->arg2);
        if (reach >= limit) return false;
    }
    return true;
}

/* WGSL writes whole words. If stores at `place` are narrower, the elements of a word must follow
 * each other in the loop, for one thread to take them all. Gives their number, 1 if words are
 * written anyway, 0 if the views will not do. */
static int emit_share(const emitter *e, emit_place place) {
    const kernel *k = e->k;
    int share = 1;
    for (int i = 0; i < k->nins; i++) {
        if (k->ins[i].op != K_STORE || e->fact[i].place != place) continue;
        const int size = (int)weft_dtype_size((weft_dtype)k->view[k->ins[i].view].dtype);
        if (4 / size > share) share = 4 / size;
    }
    for (int i = 0; i < k->nins && share > 1; i++) {
        const kview *v = &k->view[k->ins[i].view];
        if (k->ins[i].op != K_STORE || e->fact[i].place != place) continue;
        if (weft_dtype_size((weft_dtype)v->dtype) == 4) continue;
        const bool in_row = place == AT_ELEMENT && !emit_is_map(k);
        if (v->guard || v->off % share || (v->at != KNOBUF && v->at_stride % share)) return 0;
        if (in_row && k->inner) return 0;
        int64_t packed = 1;
        for (int d = e->dims; d-- > 0;) {
            if (k->dim[d] <= 1 || (!in_row && !emit_is_map(k) && emit_is_reduce(k, d))) continue;
            if (in_row && !emit_is_reduce(k, d)) {
                if (v->stride[d] % share) return 0;
                continue;
            }
            if (v->stride[d] != packed) return 0;
            packed *= k->dim[d];
        }
    }
    return share;
}

static bool emit_stores(emitter *e, emit_place place, bool print) {
    bool any = false;
    for (int i = 0; i < e->k->nins; i++) {
        if (e->k->ins[i].op != K_STORE || e->fact[i].place != place) continue;
        if (print) emit_store(e, i);
        any = true;
    }
    return any;
}

/* ---- loops ---- */

static void emit_for(emitter *e, const char *name, const char *first, int64_t end,
                     const char *step) {
    emit_line(e);
    text_add(e->t, "for (%s %s = %s; %s < %lld; %s%s) {\n", e->w->index, name, first, name,
             (long long)end, name, step);
    e->depth++;
}

/* A loop each over the dimensions of the row, or over the others. Gives the number of loops. */
static int emit_nest(emitter *e, bool reduced) {
    int opened = 0;
    for (int d = 0; d < e->dims; d++) {
        char name[16];
        if (emit_is_reduce(e->k, d) != reduced || e->k->dim[d] == 1) continue;
        snprintf(name, sizeof name, "i%d", d);
        emit_for(e, name, "0", e->k->dim[d], "++");
        opened++;
    }
    return opened;
}

/* One loop over all of them, shared out over threads, and the indices recovered from its
 * variable. With `share` a thread takes that many neighbours. Gives the number of closing braces.
 * */
static int emit_flat(emitter *e, bool reduced, const char *flat, const char *first,
                     const char *step, int share) {
    const int64_t n = emit_extent(e->k, reduced);
    int opened = 1;
    if (share == 1) emit_for(e, flat, first, n, step);
    else {
        emit_for(e, "w", first, (n + share - 1) / share, step);
        emit_for(e, "q", "0", share, "++");
        emit_line(e);
        text_add(e->t, "%s %s = w * %d + q;\n", e->w->index_keep, flat, share);
        emit_line(e);
        text_add(e->t, "if (%s < %lld) {\n", flat, (long long)n);
        e->depth++;
        opened = 3;
    }
    int64_t below = 1;
    for (int d = e->dims; d-- > 0;) {
        if (emit_is_reduce(e->k, d) != reduced || e->k->dim[d] == 1) continue;
        emit_line(e);
        text_add(e->t, "%s i%d = %s", e->w->index_keep, d, flat);
        if (below > 1) text_add(e->t, " / %lld", (long long)below);
        if (below * e->k->dim[d] < n) text_add(e->t, " %% %lld", (long long)e->k->dim[d]);
        text_add(e->t, ";\n");
        below *= e->k->dim[d];
    }
    return opened;
}

static void emit_close_all(emitter *e, int opened) {
    while (opened-- > 0) emit_close(e);
}

/* ---- bodies ---- */

static bool emit_at(emitter *e, emit_place place, int phase) {
    for (int i = 0; i < e->k->nins; i++) {
        const emit_fact *f = &e->fact[i];
        const int op = e->k->ins[i].op;
        if (!f->used || f->place != place || op == K_STORE || emit_is_fold(op)) continue;
        if (place == AT_ELEMENT ? !f->here : place == AT_ROW && f->phase != phase) continue;
        if (!emit_instruction(e, i)) return false;
    }
    return true;
}

/* Mark what a walk over the row needs of each element: folds of this phase, and the last one's
 * stores. */
static bool emit_mark(emitter *e, int phase) {
    const kernel *k = e->k;
    bool any = false;
    for (int i = 0; i < k->nins; i++) e->fact[i].here = false;
    for (int i = k->nins; i-- > 0;) {
        emit_fact *f = &e->fact[i];
        const kins *in = &k->ins[i];
        const bool root =
            f->used && ((emit_is_fold(in->op) && f->phase == phase + 1) ||
                        (in->op == K_STORE && f->place == AT_ELEMENT && phase == e->last));
        any |= root;
        if (!root && (!f->here || f->place != AT_ELEMENT)) continue;
        for (int n = 0; n < kins_table[in->op].operands; n++)
            e->fact[emit_operand(in, n)].here = true;
    }
    return any;
}

static const char *emit_class(int type) {
    return type == KT_F32 ? "f32" : "i32";
}

/* A sum that gets a double of its own, w: in f32 the sum of many ones would stop at 2^24. */
static bool emit_in_double(const emitter *e, const kins *in) {
    return e->lang == EMIT_C && in->op == K_SUM && in->type == KT_F32;
}

static void emit_fold_begin(emitter *e, int i) {
    const kins *in = &e->k->ins[i];
    const int type = in->op == K_ARGMAX ? e->k->ins[in->a].type : in->type;
    const uint32_t lowest = type == KT_F32 ? 0xff800000u : 0x80000000u;
    const uint32_t one = type == KT_F32 ? bits_of(1.0f) : 1;
    emit_line(e);
    text_add(e->t, "%s %c%d = ", e->w->vary[type], in->op == K_ARGMAX ? 'm' : 'r', i);
    emit_number(e->t, type, in->op == K_SUM ? 0 : in->op == K_PROD ? one : lowest);
    text_add(e->t, ";\n");
    if (emit_in_double(e, in)) {
        emit_line(e);
        text_add(e->t, "double w%d = 0.0;\n", i);
    }
    if (in->op != K_ARGMAX) return;
    emit_line(e);
    text_add(e->t, "%s r%d = 2147483647;\n", e->w->vary[KT_I32], i);
}

static void emit_fold_step(emitter *e, int i, bool spread) {
    const kins *in = &e->k->ins[i];
    const int from = e->k->ins[in->a].type;
    char r[16], a[32];
    emit_line(e);
    if (in->op != K_ARGMAX) {
        const bool same = (from == KT_F32) == (in->type == KT_F32);
        const char *through = same ? "" : from == KT_F32 ? "k_f2i" : "k_i2f";
        snprintf(a, sizeof a, *through ? "%s(r%d)" : "%sr%d", through, in->a);
        if (emit_in_double(e, in)) {
            text_add(e->t, "w%d += (double)%s;\n", i, a);
            return;
        }
        text_add(e->t, "r%d = ", i);
        emit_form(e->t, in->type == KT_F32 ? emit_rows[in->op].f32 : emit_rows[in->op].i32,
                  emit_register(r, i), a, "");
        text_add(e->t, ";\n");
        return;
    }
    text_add(e->t, "%s p%d = %s(", e->w->keep[KT_I32], i, e->w->to_i32);
    if (spread) text_add(e->t, "j");
    int64_t below = emit_extent(e->k, true);
    bool any = spread;
    for (int d = 0; d < e->dims && !spread; d++) {
        if (!emit_is_reduce(e->k, d) || e->k->dim[d] <= 1) continue;
        below /= e->k->dim[d];
        text_add(e->t, "%si%d", any ? " + " : "", d);
        if (below > 1) text_add(e->t, " * %lld", (long long)below);
        any = true;
    }
    text_add(e->t, any ? ");\n" : "0);\n");
    emit_line(e);
    text_add(e->t, "if (k_ahead_%s(r%d, p%d, m%d, r%d)) { m%d = r%d; r%d = p%d; }\n",
             emit_class(from), in->a, i, i, i, i, in->a, i, i);
}

static void emit_fold_end(emitter *e, int i, bool spread) {
    static const char *const name[] = {"sum", "max", "prod", "argmax"};
    const kins *in = &e->k->ins[i];
    if (emit_in_double(e, in)) {
        emit_line(e);
        text_add(e->t, "r%d = (float)w%d;\n", i, i);
        return;
    }
    if (!spread && in->op != K_ARGMAX) return;
    const int type = in->op == K_ARGMAX ? e->k->ins[in->a].type : in->type;
    emit_line(e);
    if (!spread) text_add(e->t, "r%d = k_found(r%d);\n", i, i);
    else if (in->op == K_ARGMAX)
        text_add(e->t, "r%d = k_fold_argmax_%s(m%d, r%d, t);\n", i, emit_class(type), i, i);
    else
        text_add(e->t, "r%d = k_fold_%s_%s(r%d, t);\n", i, name[in->op - K_SUM], emit_class(type),
                 i);
}

static bool emit_phase(emitter *e, int phase, bool spread) {
    enum { BEGIN, STEP, END };
    const kernel *k = e->k;
    bool done = emit_at(e, AT_ROW, phase);
    if (!emit_mark(e, phase)) return done;
    for (int part = BEGIN; part <= END; part++) {
        int opened = 0;
        if (part == STEP) {
            const int share = phase == e->last ? e->share_row : 1;
            opened = spread ? emit_flat(e, true, "j", "t", " += 256", share) : emit_nest(e, true);
            done = emit_at(e, AT_ELEMENT, phase) && done;
        }
        for (int i = 0; i < k->nins; i++) {
            if (!emit_is_fold(k->ins[i].op) || !e->fact[i].used || e->fact[i].phase != phase + 1)
                continue;
            if (part == BEGIN) emit_fold_begin(e, i);
            else if (part == STEP) emit_fold_step(e, i, spread);
            else emit_fold_end(e, i, spread);
        }
        if (part == STEP && phase == e->last) emit_stores(e, AT_ELEMENT, true);
        emit_close_all(e, opened);
    }
    return done;
}

static bool emit_row_body(emitter *e, bool spread) {
    bool done = true;
    for (int phase = 0; phase <= e->last; phase++) done = emit_phase(e, phase, spread) && done;
    if (!emit_stores(e, AT_ROW, false)) return done;
    if (spread) {
        emit_line(e);
        text_add(e->t, "if (t == 0) {\n");
        e->depth++;
    }
    emit_stores(e, AT_ROW, true);
    if (spread) emit_close(e);
    return done;
}

static bool emit_body(emitter *e) {
    const bool map = emit_is_map(e->k), rows = !map && !e->k->inner && e->w->spread;
    for (int v = 0; v < e->k->nview; v++) {
        const kview *view = &e->k->view[v];
        bool used = false;
        for (int i = 0; i < e->k->nins; i++)
            used |= e->fact[i].used && emit_has_view(e->k->ins[i].op) && e->k->ins[i].view == v;
        if (!used || view->at == KNOBUF) continue;
        emit_line(e);
        text_add(e->t, "%s s%d = k_start(b%d, %lld) * %lld;\n", e->w->index_keep, v,
                 emit_slot(e, view->at), (long long)view->at_max, (long long)view->at_stride);
    }
    bool done = emit_at(e, AT_TOP, 0);
    int opened;
    if (!e->w->spread) opened = emit_nest(e, false);
    else if (rows) opened = emit_flat(e, false, "e", "group", " += groups", e->share_items);
    else opened = emit_flat(e, false, "e", "group * 256 + t", " += groups * 256", e->share_items);
    if (map) {
        for (int i = 0; i < e->k->nins; i++) e->fact[i].here = true;
        done = emit_at(e, AT_ELEMENT, 0) && done;
        emit_stores(e, AT_ELEMENT, true);
    } else done = emit_row_body(e, rows) && done;
    emit_close_all(e, opened);
    return done;
}

static void emit_head(emitter *e, const char *name) {
    text *t = e->t;
    if (e->lang == EMIT_C) {
        text_add(t, "void %s(char *const *at) {\n", name);
        for (int i = 0; i < e->bufs; i++)
            if (e->read[i])
                text_add(t, "    %s *%sb%d = at[%d];\n", e->written[i] ? "char" : "const char",
                         e->apart ? "restrict " : "", i, i);
    } else if (e->lang == EMIT_CUDA) {
        text_add(t, "extern \"C\" __global__ void __launch_bounds__(256) %s(", name);
        for (int i = 0; i < e->bufs; i++)
            text_add(t, "%s%schar *b%d", i ? ", " : "", e->written[i] ? "" : "const ", i);
        text_add(t, ") {\n    const %s t = threadIdx.x, group = blockIdx.x, groups = gridDim.x;\n",
                 e->w->index);
    } else {
        text_add(t,
                 "@group(0) @binding(0) var<storage, read_write> words: array<u32>;\n"
                 "@group(0) @binding(1) var<uniform> args: array<vec4<u32>, %d>;\n"
                 "@compute @workgroup_size(256)\n"
                 "fn %s(@builtin(workgroup_id) group_id: vec3<u32>,\n"
                 "      @builtin(num_workgroups) group_count: vec3<u32>,\n"
                 "      @builtin(local_invocation_index) local: u32) {\n"
                 "    let t = i32(local);\n"
                 "    let group = i32(group_id.x + group_id.y * group_count.x);\n"
                 "    let groups = i32(group_count.x * group_count.y);\n",
                 e->bufs ? (e->bufs + 3) / 4 : 1, name);
        for (int i = 0; i < e->bufs; i++)
            if (e->read[i]) text_add(t, "    let b%d = args[%d].%c;\n", i, i / 4, "xyzw"[i % 4]);
    }
}

static bool emit_any(text *t, emit_language lang, const kernel *k, bool apart, const char *name) {
    emitter e = {.t = t,
                 .lang = lang,
                 .apart = apart,
                 .w = &emit_language_words[lang],
                 .k = k,
                 .depth = 1,
                 .dims = k->outer + k->reduce + k->inner,
                 .share_items = 1,
                 .share_row = 1};
    const size_t before = t->n;
    e.bufs = emit_buffers(k, e.buf);
    const bool narrow = emit_narrow(k);
    if (e.bufs < 0 || (lang == EMIT_WGSL && !narrow)) return false;
    if (lang == EMIT_CUDA && narrow) e.w = &emit_language_words[EMIT_CUDA_NARROW];
    e.fact = mem_new(t->m, (size_t)k->nins * sizeof *e.fact + 1);
    if (!e.fact) {
        t->failed = true;
        return false;
    }
    bool done = emit_analyse(&e);
    if (done && lang == EMIT_WGSL) {
        e.share_items = emit_share(&e, emit_is_map(k) ? AT_ELEMENT : AT_ROW);
        e.share_row = emit_is_map(k) ? 1 : emit_share(&e, AT_ELEMENT);
        done = e.share_items && e.share_row;
    }
    if (done) {
        emit_head(&e, name);
        done = emit_body(&e);
        text_add(t, "}\n");
    }
    mem_free(t->m, e.fact);
    if (!done && t->s) t->s[t->n = before] = 0;
    return done && !t->failed;
}

bool emit_kernel(text *t, emit_language lang, const kernel *k, const buffer *buf,
                 const char *name) {
    (void)buf; /* views say all that a language needs */
    return emit_any(t, lang, k, false, name);
}

bool emit_kernel_apart(text *t, const kernel *k, const char *name) {
    return emit_any(t, EMIT_C, k, true, name);
}
