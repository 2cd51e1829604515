/* einsum.c - Einstein's summation by lowering: operands are folded together from the left, two
 * at a time, as a sum over private letters, a permute, a batched matmul and a reshape. */
#include "core/shape.h"

typedef struct einsum_term {
    weft_tensor t;
    char letter[WEFT_MAX_RANK + 1];
    int n;
} einsum_term;

/* in any locale */
static bool einsum_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int einsum_find(const einsum_term *t, char c) {
    const char *p = memchr(t->letter, c, (size_t)t->n);
    return p ? (int)(p - t->letter) : -1;
}

/* Keep the letters in `order`, in that order; sum the others away. */
static einsum_term einsum_arrange(einsum_term x, const char *order) {
    uint32_t mask = 0;
    einsum_term left = {.n = 0};
    for (int i = 0; i < x.n; i++) {
        if (!strchr(order, x.letter[i])) mask |= 1u << i;
        else left.letter[left.n++] = x.letter[i];
    }
    left.t = mask ? shape_drop(sum_mask(weft_cast(x.t, WEFT_F32), mask), mask) : x.t;
    weft_shape axes = {left.n, {0}};
    einsum_term out = {.n = 0};
    for (const char *c = order; *c; c++) {
        int at = einsum_find(&left, *c);
        if (at < 0) continue;
        axes.n[out.n] = at;
        out.letter[out.n++] = *c;
    }
    out.t = left.n ? weft_permute(left.t, axes) : left.t;
    return out;
}

/* A letter that stands twice in one term is its diagonal: x[i,i] = sum over j of x[i,j] (i ==
 * j). */
static bool einsum_diagonals(einsum_term *x) {
    for (int i = 0; i < x->n; i++)
        for (int j = i + 1; j < x->n; j++)
            if (x->letter[i] == x->letter[j]) {
                weft_shape s = weft_shape_of(x->t);
                if (s.n[i] != s.n[j]) return false;
                weft_tensor same = weft_eq(weft_iota(x->t.g, s, i), weft_iota(x->t.g, s, j));
                x->t =
                    weft_sum(weft_where(same, x->t, weft_scalar(x->t.g, 0)), weft_axes(j), false);
                memmove(x->letter + j, x->letter + j + 1, (size_t)(x->n - j - 1));
                x->n--, j--;
            }
    return true;
}

static einsum_term einsum_pair(einsum_term a, einsum_term b, const char *wanted) {
    char batch[16] = "", rows[16] = "", inner[16] = "", columns[16] = "", order[64];
    int64_t size[4] = {1, 1, 1, 1};
    weft_shape out = {0};
    einsum_term r = {.n = 0};
    for (int i = 0; i < a.n; i++) {
        char c = a.letter[i], one[2] = {c, 0};
        bool shared = einsum_find(&b, c) >= 0, kept = strchr(wanted, c) != NULL;
        if (shared && kept) strcat(batch, one);
        else if (shared) strcat(inner, one);
        else if (kept) strcat(rows, one);
    }
    for (int i = 0; i < b.n; i++)
        if (einsum_find(&a, b.letter[i]) < 0 && strchr(wanted, b.letter[i]))
            strncat(columns, &b.letter[i], 1);
    if (strlen(batch) + strlen(rows) + strlen(columns) > WEFT_MAX_RANK) {
        r.t = graph_fail(a.t.g, WEFT_SHAPE,
                         "einsum: \"%s%s%s\" would be an intermediate result of more than %d axes",
                         batch, rows, columns, WEFT_MAX_RANK);
        return r;
    }
    strcat(strcat(strcpy(order, batch), rows), inner);
    einsum_term x = einsum_arrange(a, order);
    strcat(strcat(strcpy(order, batch), inner), columns);
    einsum_term y = einsum_arrange(b, order);
    const char *groups[4] = {batch, rows, inner, columns};
    for (int k = 0; k < 4; k++)
        for (const char *c = groups[k]; *c; c++) {
            int at = einsum_find(&x, *c);
            int64_t extent = at >= 0 ? weft_dim(x.t, at) : weft_dim(y.t, einsum_find(&y, *c));
            size[k] *= extent;
            if (k != 2) {
                out.n[out.rank++] = extent;
                r.letter[r.n++] = *c;
            }
        }
    weft_tensor p = weft_matmul(weft_reshape(x.t, weft_dims(size[0], size[1], size[2])),
                                weft_reshape(y.t, weft_dims(size[0], size[2], size[3])));
    r.t = weft_reshape(p, out);
    return r;
}

weft_tensor weft_einsum(const char *spec, weft_tensors in) {
    if (!in.at || !in.n) {
        weft_fail(NULL, WEFT_ARGUMENT, "einsum: no operands");
        return (weft_tensor){0};
    }
    weft_graph *g = in.at[0].g;
    if (in.n > LIMIT_EINSUM_OPERANDS || !spec || !graph_checked(g, in.at, (int)in.n))
        return g ? graph_fail(
                       g, WEFT_ARGUMENT,
                       "einsum: 1 to %d operands and a text like \"ij,jk->ik\" were expected",
                       LIMIT_EINSUM_OPERANDS)
                 : in.at[0];
    einsum_term term[LIMIT_EINSUM_OPERANDS];
    memset(term, 0, sizeof term);
    int64_t extent[128];
    for (int i = 0; i < 128; i++) extent[i] = -1; /* a letter not seen yet */
    const char *c = spec;
    for (size_t k = 0; k < in.n; k++) {
        term[k].t = in.at[k];
        for (; *c && *c != ',' && *c != '-'; c++) {
            if (*c == ' ') continue;
            int64_t d = weft_dim(in.at[k], term[k].n);
            if (!einsum_is_letter(*c) || term[k].n >= weft_rank(in.at[k]) ||
                (extent[(int)*c] >= 0 && extent[(int)*c] != d))
                return graph_fail(g, WEFT_SHAPE,
                                  "einsum \"%s\": operand %zu has another extent at '%c'", spec, k,
                                  *c);
            extent[(int)*c] = d;
            term[k].letter[term[k].n++] = *c;
        }
        if (term[k].n != weft_rank(in.at[k]) || (k + 1 < in.n) != (*c == ',') ||
            !einsum_diagonals(&term[k]))
            return graph_fail(g, WEFT_SHAPE, "einsum \"%s\": operand %zu has rank %d", spec, k,
                              weft_rank(in.at[k]));
        if (*c == ',') c++;
    }
    char wanted[32] = "";
    if (c[0] != '-' || c[1] != '>')
        return graph_fail(g, WEFT_ARGUMENT, "einsum \"%s\": \"->\" was expected", spec);
    for (c += 2; *c; c++) {
        if (*c == ' ') continue;
        if (!einsum_is_letter(*c) || extent[(int)*c] < 0 || strchr(wanted, *c) ||
            strlen(wanted) >= WEFT_MAX_RANK)
            return graph_fail(g, WEFT_ARGUMENT, "einsum \"%s\": '%c' cannot be in the result", spec,
                              *c);
        strncat(wanted, c, 1);
    }
    einsum_term r = term[0];
    for (size_t k = 1; k < in.n && g->err == WEFT_OK; k++) {
        char needed[128]; /* what the result or a later operand still mentions */
        strcpy(needed, wanted);
        for (size_t l = k + 1; l < in.n; l++) strncat(needed, term[l].letter, (size_t)term[l].n);
        r = einsum_pair(r, term[k], needed);
    }
    return g->err ? tensor_at(g, 0) : einsum_arrange(r, wanted).t;
}
