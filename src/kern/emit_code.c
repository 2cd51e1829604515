/* emit_code.c - one instruction of a row program as a line of text.
 *
 * Expressions are the text of ops.def with register names in place of a and b, so a new row needs
 * nothing here; the helpers they call are the prelude's. What the languages write differently
 * stands in the table of words that emit.c chose. */
#include "kern/emit_inner.h"
#include <stdio.h>

/* clang-format off */
const emit_row emit_rows[K_COUNT] = {
#define OP_UNARY(name, f32, i32, ...)            [OP_##name] = { #f32, #i32 },
#define OP_BINARY(name, f32, i32, ...)           [OP_##name] = { #f32, #i32 },
#define OP_COMPARE(name, f32, i32, ...)          [OP_##name] = { #f32, #i32 },
#define OP_LOGIC(name, i32)                      [OP_##name] = { "", #i32 },
#include "core/ops.def"
#define INSTRUCTION(op, name, operands, view, kind, cost, f32, i32) [K_##op] = { f32, i32 },
#include "plan/instructions.def"
};
/* clang-format on */

int emit_slot(const emitter *e, uint32_t buf) {
    for (int i = 0; i < e->bufs; i++)
        if (e->buf[i] == buf) return i;
    return -1;
}

/* ---- words ---- */

void emit_line(emitter *e) {
    for (int i = 0; i < e->depth; i++) text_raw(e->t, "    ", 4);
}

void emit_close(emitter *e) {
    e->depth--;
    emit_line(e);
    text_add(e->t, "}\n");
}

void emit_number(text *t, int type, uint32_t bits) {
    char s[32];
    if (type != KT_F32) {
        /* The lowest i32 has no literal: it would be the negative of a number that does not fit. */
        if (bits == 0x80000000u) text_add(t, "(-2147483647 - 1)");
        else text_add(t, "%d", (int)(int32_t)bits);
    } else if ((bits & 0x7f800000u) == 0x7f800000u) {
        text_add(t, "k_bits(0x%08xu)", bits);
    } else {
        snprintf(s, sizeof s, "%.9g", (double)float_of(bits));
        for (char *p = s; *p; p++)
            if (*p == ',') *p = '.'; /* a locale's decimal comma */
        text_add(t, "%s%sf", s, strpbrk(s, ".e") ? "" : ".0");
    }
}

/* The form with identifiers a, b, c replaced. */
void emit_form(text *t, const char *form, const char *a, const char *b, const char *c) {
    for (const char *p = form; *p;) {
        size_t n = 0;
        while ((p[n] >= 'a' && p[n] <= 'z') || (p[n] >= '0' && p[n] <= '9') || p[n] == '_' ||
               p[n] == '.')
            n++;
        if (n == 1 && *p >= 'a' && *p <= 'c') text_add(t, "%s", *p == 'a' ? a : *p == 'b' ? b : c);
        else text_raw(t, p, n ? n : 1);
        p += n ? n : 1;
    }
}

const char *emit_register(char s[16], int number) {
    snprintf(s, 16, "r%d", number);
    return s;
}

/* ---- places in memory ---- */

/* off + sum(index * stride); at the level of rows the reduce dimensions have no index. */
static void emit_index(emitter *e, int view, emit_place place) {
    const kview *v = &e->k->view[view];
    bool any = false;
    for (int d = 0; d < e->dims; d++) {
        if (e->k->dim[d] <= 1 || !v->stride[d] || (place != AT_ELEMENT && emit_is_reduce(e->k, d)))
            continue;
        text_add(e->t, "%si%d", any ? " + " : "", d);
        if (v->stride[d] != 1) text_add(e->t, " * %lld", (long long)v->stride[d]);
        any = true;
    }
    if (v->at != KNOBUF) text_add(e->t, "%ss%d", any ? " + " : "", view);
    any |= v->at != KNOBUF;
    if (!any) text_add(e->t, "%lld", (long long)v->off);
    else if (v->off)
        text_add(e->t, v->off < 0 ? " - %lld" : " + %lld",
                 (long long)(v->off < 0 ? -v->off : v->off));
}

static bool emit_guarded(const emitter *e, const kview *v) {
    bool any = false;
    for (int d = 0; v->guard && d < e->dims; d++) any |= v->lo[d] > 0 || v->hi[d] < e->k->dim[d];
    return any;
}

static void emit_guard(emitter *e, const kview *v, emit_place place) {
    const char *join = "";
    for (int d = 0; d < e->dims; d++) {
        const bool fixed = e->k->dim[d] <= 1 || (place != AT_ELEMENT && emit_is_reduce(e->k, d));
        const bool low = v->lo[d] > 0, high = v->hi[d] < e->k->dim[d];
        if (fixed && (low || v->hi[d] <= 0)) text_add(e->t, "%sfalse", join), join = " && ";
        if (fixed) continue;
        if (low) text_add(e->t, "%si%d >= %lld", join, d, (long long)v->lo[d]), join = " && ";
        if (high) text_add(e->t, "%si%d < %lld", join, d, (long long)v->hi[d]), join = " && ";
    }
    if (!*join) text_add(e->t, "true");
}

const char *emit_dtype_word(int dtype) {
    static const char *const word[WEFT_DTYPE_COUNT] = {
        [WEFT_F32] = "f32", [WEFT_BF16] = "bf16", [WEFT_F16] = "f16", [WEFT_I32] = "i32",
        [WEFT_U32] = "i32", [WEFT_I8] = "i8",     [WEFT_U8] = "u8",   [WEFT_BOOL] = "bool",
    };
    return word[dtype];
}

static bool emit_dtype_real(int dtype) {
    return dtype == WEFT_F32 || dtype == WEFT_BF16 || dtype == WEFT_F16;
}

/* ---- instructions ---- */

/* Register `from` as an element of dtype: what casts and stores do. `keep`: as a register of full
 * width, rounded; otherwise the store that follows does the rounding. */
static void emit_as(emitter *e, int from, int dtype, bool keep) {
    const int type = e->k->ins[from].type;
    const bool real = type == KT_F32;
    const char *outer = "", *inner = "";
    if (keep && dtype == WEFT_BF16) outer = "k_round_bf16";
    if (keep && dtype == WEFT_F16) outer = "k_round_f16";
    if (keep && dtype == WEFT_I8) outer = "k_wrap_i8";
    if (keep && dtype == WEFT_U8) outer = "k_wrap_u8";
    if (emit_dtype_real(dtype)) inner = real ? "" : "k_i2f";
    else if (dtype == WEFT_BOOL) inner = real ? "k_f2b" : type == KT_I32 ? "k_i2b" : "";
    else if (real) inner = dtype == WEFT_U32 ? "k_f2u" : "k_f2i";
    text_add(e->t, "%s%s%s%sr%d%s%s", outer, *outer ? "(" : "", inner, *inner ? "(" : "", from,
             *inner ? ")" : "", *outer ? ")" : "");
}

static void emit_load(emitter *e, int i) {
    const kins *in = &e->k->ins[i];
    const kview *v = &e->k->view[in->view];
    const bool real = emit_dtype_real(v->dtype), wanted = in->type == KT_F32;
    const char *through = real == wanted ? "" : wanted ? "k_i2f(" : "k_f2i(";
    text_add(e->t, "%sk_load_%s(b%d, ", through, emit_dtype_word(v->dtype), emit_slot(e, v->buf));
    emit_index(e, in->view, (emit_place)e->fact[i].place);
    if (in->op == K_TAKE) text_add(e->t, " + %sr%d * %lld", e->w->wide, in->a, (long long)in->arg2);
    text_add(e->t, *through ? "))" : ")");
}

static bool emit_value(emitter *e, int i) {
    static const char *const random[] = {"bits", "uniform", "normal"};
    const kins *in = &e->k->ins[i];
    const emit_place place = (emit_place)e->fact[i].place;
    char a[16], b[16], c[16];
    switch (in->op) {
    case K_LOAD:
    case K_TAKE: emit_load(e, i); return true;
    case K_CONST: emit_number(e->t, in->type, in->bits); return true;
    case K_INDEX:
        text_add(e->t, "%s(", e->w->to_i32);
        emit_index(e, in->view, place);
        text_add(e->t, ")");
        return true;
    case K_RANDOM:
        text_add(e->t, "k_random_%s(r%d, r%d, %uu, ", random[in->bits % 3], in->a, in->b,
                 (unsigned)in->arg2);
        emit_index(e, in->view, place);
        text_add(e->t, ")");
        return true;
    case OP_cast: emit_as(e, in->a, (int)in->bits, true); return true;
    default: break;
    }
    const emit_row *row = &emit_rows[in->op];
    const char *form = in->op == OP_where                ? e->w->where
                       : e->k->ins[in->a].type == KT_F32 ? row->f32
                                                         : row->i32;
    if (!form || !*form || !strcmp(form, "NOINT")) return false;
    emit_form(e->t, form, emit_register(a, in->a), emit_register(b, in->b),
              emit_register(c, in->c));
    return true;
}

bool emit_instruction(emitter *e, int i) {
    const kins *in = &e->k->ins[i];
    const kview *v = emit_has_view(in->op) ? &e->k->view[in->view] : NULL;
    const bool guard = v && emit_guarded(e, v), take = in->op == K_TAKE;
    emit_line(e);
    if (!guard && !take) {
        text_add(e->t, "%s r%d = ", e->w->keep[in->type], i);
        const bool done = emit_value(e, i);
        text_add(e->t, ";\n");
        return done;
    }
    /* What lies outside must not even be read. */
    text_add(e->t, "%s r%d = ", e->w->vary[in->type], i);
    emit_number(e->t, in->type, guard ? v->fill : 0);
    text_add(e->t, ";\n");
    if (guard) {
        emit_line(e);
        text_add(e->t, "if (");
        emit_guard(e, v, (emit_place)e->fact[i].place);
        text_add(e->t, ") {\n");
        e->depth++;
    }
    if (take && guard) {
        emit_line(e);
        text_add(e->t, "r%d = ", i);
        emit_number(e->t, in->type, 0);
        text_add(e->t, ";\n");
    }
    emit_line(e);
    if (take) text_add(e->t, "if (r%d >= 0 && r%d < %u) { ", in->a, in->a, in->bits);
    text_add(e->t, "r%d = ", i);
    const bool done = emit_value(e, i);
    text_add(e->t, take ? "; }\n" : ";\n");
    if (guard) emit_close(e);
    return done;
}

void emit_store(emitter *e, int i) {
    const kins *in = &e->k->ins[i];
    const kview *v = &e->k->view[in->view];
    const bool byte = weft_dtype_size((weft_dtype)v->dtype) == 1, guard = emit_guarded(e, v);
    emit_line(e);
    if (guard) {
        text_add(e->t, "if (");
        emit_guard(e, v, (emit_place)e->fact[i].place);
        text_add(e->t, ") { ");
    }
    text_add(e->t, "k_store_%s(b%d, ", byte ? "u8" : emit_dtype_word(v->dtype),
             emit_slot(e, v->buf));
    emit_index(e, in->view, (emit_place)e->fact[i].place);
    text_add(e->t, ", ");
    emit_as(e, in->a, v->dtype, false);
    text_add(e->t, guard ? "); }\n" : ");\n");
}
