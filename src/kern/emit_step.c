/* emit_step.c - matrix products, convolutions, recurrences, scatters, sorts and copies as C
 * functions.
 *
 * Plain loops with literal extents and strides, in an order that compilers can vectorise.
 * Meanings are those of the CPU's routines. Products are summed in f32, recurrences in double. */
#include "kern/emit_step.h"
#include <stdio.h>

static void step_c_open(text *t, const char *name, int operands, int written) {
    text_add(t, "static void %s(char *const *at) {\n", name);
    for (int i = 0; i < operands; i++)
        text_add(t, "    %s *b%d = at[%d];\n", i == written ? "char" : "const char", i, i);
}

/* Loops over axes [0, rank) of o but `skip`: i0, i1, ... Gives the number of loops. */
static int step_c_loops(text *t, const roperand *o, int rank, int skip) {
    int n = 0;
    for (int d = 0; d < rank; d++) {
        if (d == skip) continue;
        text_add(t, "    for (long long i%d = 0; i%d < %lld; i%d++) {\n", d, d,
                 (long long)o->dim[d], d);
        n++;
    }
    return n;
}

static void step_c_close(text *t, int loops) {
    text_add(t, "    ");
    while (loops-- > 0) text_add(t, "}");
    text_add(t, "\n}\n");
}

/* "i * stride", as short as it can be. */
typedef struct step_c_product {
    char s[64];
} step_c_product;
static step_c_product step_c_times(const char *i, int64_t stride) {
    step_c_product p;
    if (stride == 1) snprintf(p.s, sizeof p.s, "%s", i);
    else if (stride == 0) snprintf(p.s, sizeof p.s, "0");
    else snprintf(p.s, sizeof p.s, "%s * %lld", i, (long long)stride);
    return p;
}

/* Element of o at i0, i1, ...; axis `skip` counts with `with` instead, if that is given. */
static void step_c_index(text *t, const roperand *o, int rank, int skip, const char *with) {
    char i[16];
    bool any = false;
    for (int d = 0; d < rank; d++) {
        snprintf(i, sizeof i, "i%d", d);
        if (!o->stride[d] || (d == skip && !with)) continue;
        text_add(t, "%s%s", any ? " + " : "", step_c_times(d == skip ? with : i, o->stride[d]).s);
        any = true;
    }
    if (o->off || !any) text_add(t, "%s%lld", any ? " + " : "", (long long)o->off);
}

static void step_c_load(text *t, const roperand *o, int number, int skip, const char *with) {
    text_add(t, "k_load_%s(b%d, ", emit_dtype_word(o->dtype), number);
    step_c_index(t, o, o->rank, skip, with);
    text_add(t, ")");
}

/* ---- products ---- */

/* c[i, j] = sum over k of a[i, k] b[k, j], in every batch: by rows of b, or, where both run along k,
 * by dot products. f32 that lies side by side goes through helpers, a stretch of c's row at a time
 * whose extent is a literal; what is narrower or has strides is done in place. */
bool text_matmul(text *t, const step *s, const char *name) {
    const roperand *a = &s->in[0], *b = &s->in[1], *c = &s->in[2];
    const int r = c->rank, batch = r - 2;
    if (r < 2 || a->rank != r || b->rank != r) return false;
    const long long k = a->dim[r - 1], n = c->dim[r - 1];
    const int64_t ak = a->stride[r - 1], bk = b->stride[r - 2], bj = b->stride[r - 1],
                  cj = c->stride[r - 1];
    const bool real = a->dtype == WEFT_F32 && b->dtype == WEFT_F32 && c->dtype == WEFT_F32;
    const char *wa = emit_dtype_word(a->dtype), *wb = emit_dtype_word(b->dtype),
               *wc = emit_dtype_word(c->dtype);
    step_c_open(t, name, 3, 2);
    const int loops = step_c_loops(t, c, r - 1, -1);
    const char *const names[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        text_add(t, "        const long long %s = ", names[i]);
        step_c_index(t, &s->in[i], i == 1 ? batch : r - 1, -1, NULL);
        text_add(t, ";\n");
    }
    if (real && bj == 1 && cj == 1) {
        text_add(t, "        k_row(b0 + x * 4, %lld, b1 + y * 4, %lld, %lld, b2 + z * 4, %lld);\n",
                 (long long)ak, (long long)bk, k, n);
    } else if (real && ak == 1 && bk == 1) {
        text_add(
            t,
            "        for (long long j = 0; j < %lld; j++)\n"
            "            k_store_f32(b2, z + %s, k_dot(b0 + x * 4, b1 + (y + %s) * 4, %lld));\n",
            n, step_c_times("j", cj).s, step_c_times("j", bj).s, k);
    } else if (ak == 1 && bk == 1) {
        const step_c_product row = step_c_times("j", bj);
        text_add(t,
                 "        for (long long j = 0; j < %lld; j++) {\n"
                 "            float s[8] = { 0 };\n"
                 "            long long k = 0;\n"
                 "            for (; k + 8 <= %lld; k += 8)\n"
                 "                for (int u = 0; u < 8; u++)\n"
                 "                    s[u] += k_load_%s(b0, x + k + u) * k_load_%s(b1, y + %s + k "
                 "+ u);\n"
                 "            for (; k < %lld; k++) s[0] += k_load_%s(b0, x + k) * k_load_%s(b1, y "
                 "+ %s + k);\n"
                 "            const float sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + "
                 "(s[6] + s[7]));\n"
                 "            k_store_%s(b2, z + %s, sum);\n"
                 "        }\n",
                 n, k, wa, wb, row.s, k, wa, wb, row.s, wc, step_c_times("j", cj).s);
    } else {
        const step_c_product u = step_c_times("u", bj);
        text_add(
            t,
            "        for (long long j = 0; j < %lld; j += 64) {\n"
            "            const int n = %lld - j < 64 ? (int)(%lld - j) : 64;\n"
            "            float s[64] = { 0 };\n"
            "            for (long long k = 0; k < %lld; k++) {\n"
            "                const float v = k_load_%s(b0, x + %s);\n"
            "                const long long w = y + %s + %s;\n"
            "                if (n == 64) for (int u = 0; u < 64; u++) s[u] += v * k_load_%s(b1, w "
            "+ %s);\n"
            "                else for (int u = 0; u < n; u++) s[u] += v * k_load_%s(b1, w + %s);\n"
            "            }\n"
            "            for (int u = 0; u < n; u++) k_store_%s(b2, z + %s, s[u]);\n"
            "        }\n",
            n, n, n, k, wa, step_c_times("k", ak).s, step_c_times("k", bk).s,
            step_c_times("j", bj).s, wb, u.s, wb, u.s, wc, step_c_times("(j + u)", cj).s);
    }
    step_c_close(t, loops);
    return true;
}

/* The weights of a convolution as rows of outputs, one for each element of a patch: where they lie so
 * already, the distance of two rows, else 0. */
static long long step_c_weight_rows(const roperand *k) {
    const bool rows = k->stride[3] == 1 && k->stride[1] == k->dim[2] * k->stride[2] &&
                      k->stride[0] == k->dim[1] * k->stride[1];
    return rows ? (long long)k->stride[2] : 0;
}

/* y[n, h, w, g, o] = sum over i, j, c of x[n, h sh - ph + i dh, w sw - pw + j dw, g, c] k[i, j, c, g, o]:
 * a place of y is the product of a patch of x, gathered side by side, with the weights. */
bool text_conv(text *t, const step *s, const char *name) {
    const roperand *x = &s->in[0], *k = &s->in[1], *y = &s->in[2];
    const int64_t *a = s->attr;
    if (x->rank != 4 || k->rank != 4 || y->rank != 4 || x->dtype != WEFT_F32 ||
        k->dtype != WEFT_F32 || y->dtype != WEFT_F32)
        return false;
    const long long kh = k->dim[0], kw = k->dim[1], in = k->dim[2], groups = a[6],
                    out = k->dim[3] / groups, patch = kh * kw * in, all = k->dim[3];
    const long long rows = step_c_weight_rows(k);
    const bool direct = y->stride[3] == 1;
    step_c_open(t, name, 3, 2);
    text_add(t, "    static float patch[%lld];\n", patch);
    if (!direct) text_add(t, "    static float sum[%lld];\n", out);
    if (rows) {
        text_add(t, "    const char *weight = b1 + %lld;\n", 4 * (long long)k->off);
    } else {
        text_add(t,
                 "    static float rows[%lld];\n"
                 "    const char *weight = (const char *)rows;\n"
                 "    float *row = rows;\n",
                 patch * all);
        const int loops = step_c_loops(t, k, 4, -1);
        text_add(t, "        *row++ = ");
        step_c_load(t, k, 1, -1, NULL);
        text_add(t, ";\n    ");
        for (int i = 0; i < loops; i++) text_add(t, "}");
        text_add(t, "\n");
    }
    const int loops = step_c_loops(t, y, 3, -1);
    char copy[160];
    if (x->stride[3] == 1) snprintf(copy, sizeof copy, "memcpy(part, b0 + from * 4, %lld)", 4 * in);
    else
        snprintf(copy, sizeof copy,
                 "for (long long c = 0; c < %lld; c++) part[c] = k_load_f32(b0, from + c * %lld)",
                 in, (long long)x->stride[3]);
    text_add(
        t,
        "    for (long long g = 0; g < %lld; g++) {\n"
        "        float *part = patch;\n"
        "        for (long long i = 0; i < %lld; i++)\n"
        "            for (long long j = 0; j < %lld; j++, part += %lld) {\n"
        "                const long long h = i1 * %lld - %lld + i * %lld;\n"
        "                const long long w = i2 * %lld - %lld + j * %lld;\n"
        "                const long long from = %lld + i0 * %lld + h * %lld + w * %lld + g * "
        "%lld;\n"
        "                if (h < 0 || h >= %lld || w < 0 || w >= %lld) memset(part, 0, %lld);\n"
        "                else %s;\n"
        "            }\n"
        "        k_row((const char *)patch, 1, weight + g * %lld, %lld, %lld, ",
        groups, kh, kw, in, (long long)a[0], (long long)a[2], (long long)a[4], (long long)a[1],
        (long long)a[3], (long long)a[5], (long long)x->off, (long long)x->stride[0],
        (long long)x->stride[1], (long long)x->stride[2], in * (long long)x->stride[3],
        (long long)x->dim[1], (long long)x->dim[2], 4 * in, copy, 4 * out, rows ? rows : all,
        patch);
    if (direct) {
        text_add(t, "b2 + (");
        step_c_index(t, y, 3, -1, NULL);
        text_add(t, " + g * %lld) * 4, %lld);\n", out, out);
    } else {
        text_add(t,
                 "(char *)sum, %lld);\n"
                 "        for (long long o = 0; o < %lld; o++) k_store_f32(b2, ",
                 out, out);
        step_c_index(t, y, 3, -1, NULL);
        text_add(t, " + (g * %lld + o) * %lld, sum[o]);\n", out, (long long)y->stride[3]);
    }
    step_c_close(t, loops + 1);
    return true;
}

/* ---- along an axis ---- */

bool text_linrec(text *t, const step *s, const char *name) {
    const roperand *h = &s->in[2];
    const int axis = (int)s->attr[0];
    step_c_open(t, name, 3, 2);
    const int loops = step_c_loops(t, h, h->rank, axis);
    text_add(t,
             "        double v = 0.0; /* many ones in a float would stop at 2^24 */\n"
             "        for (long long n = 0; n < %lld; n++) {\n",
             (long long)h->dim[axis]);
    text_add(t,
             s->attr[1] ? "            const long long m = %lld - n;\n"
                        : "            const long long m = n;\n",
             (long long)h->dim[axis] - 1);
    text_add(t, "            v = (double)");
    step_c_load(t, &s->in[0], 0, axis, "m");
    text_add(t, " * v + (double)");
    step_c_load(t, &s->in[1], 1, axis, "m");
    text_add(t, ";\n            k_store_%s(b2, ", emit_dtype_word(h->dtype));
    step_c_index(t, h, h->rank, axis, "m");
    text_add(t, ", (float)v);\n        }\n");
    step_c_close(t, loops);
    return true;
}

/* src or index at position `at` of the rows, which two axes may count: as scatter.c has it. */
static void step_c_row(text *t, const roperand *o, int grouped, const char *at) {
    const long long each = o->dim[grouped];
    if (!grouped) text_add(t, "(%s) * %lld", at, (long long)o->stride[0]);
    else
        text_add(t, "(%s) / %lld * %lld + (%s) %% %lld * %lld", at, each, (long long)o->stride[0],
                 at, each, (long long)o->stride[1]);
    text_add(t, " + %lld", (long long)o->off);
}

/* The plans of a device: whole rows, by lists of the positions that go to each; what goes to one is
 * summed before it is added, or not. */
static void step_c_rows(text *t, const step *s) {
    const roperand *index = &s->in[1], *src = &s->in[2], *out = &s->in[3];
    const int grouped = src->rank > out->rank;
    const bool real = out->dtype == WEFT_F32, first = s->attr[1] != 0;
    const char *word = emit_dtype_word(out->dtype);
    long long inner = 1, length = src->dim[0] * (grouped ? src->dim[1] : 1), extent = out->dim[0];
    for (int d = 1; d < out->rank; d++) inner *= out->dim[d];
    if (!length || !extent) {
        text_add(t, "    (void)b1, (void)b2, (void)b3;\n}\n");
        return;
    }
    text_add(t,
             "    static int first[%lld], next[%lld];\n"
             "    for (long long x = 0; x < %lld; x++) first[x] = 0;\n"
             "    for (long long n = %lld; n-- > 0;) {\n"
             "        const long long x = k_load_%s(b1, ",
             extent, length, extent, length, emit_dtype_word(index->dtype));
    step_c_row(t, index, grouped, "n");
    text_add(t,
             ");\n"
             "        if (x < 0 || x >= %lld) continue;\n"
             "        next[n] = first[x];\n"
             "        first[x] = (int)n + 1;\n"
             "    }\n"
             "    for (long long e = 0; e < %lld; e++) {\n"
             "        int n = first[e / %lld];\n"
             "        if (!n) continue;\n"
             "        %s v = k_load_%s(b%s, ",
             extent, extent * inner, inner, real ? "float" : "int", word, first ? "2" : "3");
    if (first) {
        step_c_row(t, src, grouped, "n - 1");
        text_add(t, " + e %% %lld);\n        n = next[n - 1];\n", inner);
    } else {
        text_add(t, "e);\n");
    }
    text_add(t, "        for (; n; n = next[n - 1]) v = %s k_load_%s(b2, ",
             real ? "v +" : "k_iadd(v,", word);
    step_c_row(t, src, grouped, "n - 1");
    text_add(t, " + e %% %lld)%s;\n", inner, real ? "" : ")");
    text_add(t, "        k_store_%s(b3, e, %s);\n    }\n}\n", word,
             !first ? "v" : "k_load_f32(b3, e) + v");
}

/* Elements are added in increasing position of src, as everywhere. */
bool text_scatter_add(text *t, const step *s, const char *name) {
    const roperand *base = &s->in[0], *index = &s->in[1], *src = &s->in[2], *out = &s->in[3];
    const int axis = (int)s->attr[0];
    const bool real = out->dtype == WEFT_F32, in_place = base->buf == out->buf;
    if (!real && out->dtype != WEFT_I32 && out->dtype != WEFT_U32) return false;
    const char *word = emit_dtype_word(out->dtype);
    text_add(t, "static void %s(char *const *at) {\n", name);
    if (!in_place) text_add(t, "    const char *b0 = at[0];\n");
    text_add(t, "    const char *b1 = at[1], *b2 = at[2];\n    char *b3 = at[3];\n");
    if (!in_place) {
        const int loops = step_c_loops(t, out, out->rank, -1);
        text_add(t, "        k_store_%s(b3, ", word);
        step_c_index(t, out, out->rank, -1, NULL);
        text_add(t, ", ");
        step_c_load(t, base, 0, -1, NULL);
        text_add(t, ");\n    ");
        for (int i = 0; i < loops; i++) text_add(t, "}");
        text_add(t, "\n");
    }
    if (src->rank > out->rank || s->attr[1]) {
        step_c_rows(t, s);
        return true;
    }
    const int loops = step_c_loops(t, src, src->rank, -1);
    text_add(t, "        const long long x = ");
    step_c_load(t, index, 1, -1, NULL);
    text_add(t, ";\n        if (x < 0 || x >= %lld) continue;\n        const long long e = ",
             (long long)out->dim[axis]);
    step_c_index(t, out, out->rank, axis, "x");
    text_add(t, ";\n        k_store_%s(b3, e, ", word);
    text_add(t, real ? "k_load_%s(b3, e) + " : "k_iadd(k_load_%s(b3, e), ", word);
    step_c_load(t, src, 2, -1, NULL);
    text_add(t, real ? ");\n" : "));\n");
    step_c_close(t, loops);
    return true;
}

/* Merging pairs of sorted stretches, each pass twice as long: stable, since the left one goes first
 * unless the right one's element must come before it. NaN is the largest. */
bool text_argsort(text *t, const step *s, const char *name) {
    const roperand *x = &s->in[0], *y = &s->in[1];
    const int axis = (int)s->attr[0];
    const bool down = s->attr[1] != 0, real = x->dtype != WEFT_I32;
    const long long n = x->dim[axis];
    step_c_open(t, name, 2, 1);
    text_add(t, "    static int from[%lld], to[%lld];\n", n ? n : 1, n ? n : 1);
    const int loops = step_c_loops(t, x, x->rank, axis);
    text_add(
        t,
        "        for (int n = 0; n < %lld; n++) from[n] = n;\n"
        "        for (long long width = 1; width < %lld; width *= 2) {\n"
        "            for (long long low = 0; low < %lld; low += 2 * width) {\n"
        "                const long long middle = low + width < %lld ? low + width : %lld;\n"
        "                const long long high = middle + width < %lld ? middle + width : %lld;\n"
        "                long long l = low, r = middle;\n"
        "                for (long long o = low; o < high; o++) {\n"
        "                    int right = l == middle;\n"
        "                    if (l < middle && r < high)\n"
        "                        right = k_ahead_%s(",
        n, n, n, n, n, n, n, real ? "f32" : "i32");
    step_c_load(t, x, 0, axis, down ? "(long long)from[r]" : "(long long)from[l]");
    text_add(t, ", 0, ");
    step_c_load(t, x, 0, axis, down ? "(long long)from[l]" : "(long long)from[r]");
    text_add(t,
             ", 0);\n"
             "                    to[o] = right ? from[r++] : from[l++];\n"
             "                }\n"
             "            }\n"
             "            memcpy(from, to, sizeof from);\n"
             "        }\n"
             "        for (long long n = 0; n < %lld; n++) k_store_i32(b1, ",
             n);
    step_c_index(t, y, y->rank, axis, "n");
    text_add(t, ", from[n]);\n");
    step_c_close(t, loops);
    return true;
}

static bool step_c_copy(text *t, const step *s, const char *name) { /* the extent is in bytes */
    text_add(t, "static void %s(char *const *at) {\n    memmove(at[1], at[0], %lld);\n}\n", name,
             (long long)s->in[0].dim[0]);
    return true;
}

bool text_none(text *t, const step *s, const char *name) {
    (void)t, (void)s, (void)name;
    return false;
}

static emit_text *const step_c_block[BLOCK_COUNT] = {
#define BLOCK(name, operands, attributes, parts, lies, moving, image, product, definition,         \
              gradient, work, text, ...)                                                           \
    [BLOCK_##name] = text,
#include "core/blocks.def"
};

bool emit_has_block(int64_t which) {
    return which >= 0 && which < BLOCK_COUNT && step_c_block[which] != text_none;
}

bool emit_routine(text *t, const step *s, const char *name) {
    static emit_text *const by_kind[STEP_KINDS] = {
#define OP_ROUTINE(name, operands, step, lies, gradient, reference, work, text, ...) [step] = text,
#include "core/ops.def"
        [STEP_COPY] = step_c_copy,
    };
    emit_text *of = s->kind == STEP_BLOCK ? step_c_block[s->block] : by_kind[s->kind];
    return of && of(t, s, name);
}
