/* tables.c - truth tables of all nodes, and nodes of equal function joined. */
#include "tables_parts.h"

#include <string.h>

static int tables_mark_inputs(const net *t, unsigned char *read) {
    int n = 0;
    memset(read, 0, (size_t)t->inputs + 1);
    for (uint32_t i = net_first(t); i < (uint32_t)t->n; i++)
        for (int w = 0; w < 2; w++) {
            const uint32_t v = net_of(w ? t->node[i].b : t->node[i].a);
            if (v < net_first(t) && !read[v]) read[v] = (unsigned char)++n;
            if (n > TABLES_INPUTS) return n;
        }
    return n;
}

static size_t tables_words(int inputs) {
    return inputs > 6 ? (size_t)1 << (inputs - 6) : 1;
}

bool tables_fit(const net *t, size_t bytes, bool *fit) {
    unsigned char *const read = weft_resize(t->c, NULL, (size_t)t->inputs + 1);
    if (!read) return false;
    const int inputs = tables_mark_inputs(t, read);
    weft_resize(t->c, read, 0);
    *fit = inputs <= TABLES_INPUTS && (size_t)t->n <= bytes / 24 / tables_words(inputs);
    return true;
}

/* ---- all tables ---- */

static bool tables_begin(tables *s, net *t, int64_t *work) {
    *s = (tables){.t = t, .n = (uint32_t)t->n, .work = work};
    const size_t n = s->n, instead = n + TABLES_MORE, lists = TABLES_LISTS * 2 * n;
    s->refs = weft_resize(t->c, NULL, (n + instead + lists) * sizeof *s->refs + 3 * n);
    if (!s->refs) return false;
    s->instead = s->refs + n;
    for (size_t i = 0; i < TABLES_LISTS; i++) s->list[i] = s->instead + instead + 2 * n * i;
    s->above = (unsigned char *)(s->instead + instead + lists);
    s->cone = s->above + n;
    s->input = s->cone + n;
    s->words = tables_words(tables_mark_inputs(t, s->input));
    s->table = weft_resize(t->c, NULL, (2 * n + TABLES_SETS) * s->words * sizeof *s->table);
    if (!s->table) return false;
    s->flipped = s->table + n * s->words;
    s->set = s->flipped + n * s->words;
    return true;
}

static void tables_end(tables *s) {
    weft_resize(s->t->c, s->table, 0);
    weft_resize(s->t->c, s->refs, 0);
}

void tables_gate(const tables *s, net_node g, const uint64_t *a, const uint64_t *b, uint64_t *out) {
    const uint64_t not_a = g.a & 1 ? ~UINT64_C(0) : 0, not_b = g.b & 1 ? ~UINT64_C(0) : 0;
    if (g.is_xor)
        for (size_t w = 0; w < s->words; w++) out[w] = a[w] ^ b[w];
    else
        for (size_t w = 0; w < s->words; w++) out[w] = (a[w] ^ not_a) & (b[w] ^ not_b);
}

static void tables_fill(tables *s) {
    const net *const t = s->t;
    memset(s->table, 0, s->words * sizeof *s->table);
    for (uint32_t i = 1; i < net_first(t); i++)
        for (size_t w = 0; w < s->words; w++)
            tables_of(s, i)[w] = s->input[i] ? circuit_case(s->input[i] - 1, w) : 0;
    for (uint32_t i = net_first(t); i < s->n; i++) {
        const net_node g = t->node[i];
        tables_gate(s, g, tables_of(s, net_of(g.a)), tables_of(s, net_of(g.b)), tables_of(s, i));
    }
    *s->work -= (int64_t)(s->n * s->words);
}

/* ---- joining ---- */

/* Complements meet: a table is taken as if its first case were 0. */
static uint64_t tables_hash(const tables *s, uint32_t i) {
    const uint64_t *const x = tables_of(s, i), flip = x[0] & 1 ? ~UINT64_C(0) : 0;
    uint64_t h = 0;
    for (size_t w = 0; w < s->words; w++)
        h = (h ^ x[w] ^ flip) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 31;
    return h;
}

static bool tables_equal(const tables *s, uint32_t i, uint32_t j, net_literal *inverted) {
    const uint64_t *const x = tables_of(s, i), *const y = tables_of(s, j);
    const uint64_t flip = (x[0] ^ y[0]) & 1 ? ~UINT64_C(0) : 0;
    for (size_t w = 0; w < s->words; w++)
        if (x[w] != (y[w] ^ flip)) return false;
    *inverted = flip & 1;
    return true;
}

static bool tables_join(tables *s, bool *changed) {
    const net *const t = s->t;
    uint32_t size = 64;
    while (size < 2 * s->n) size *= 2;
    uint32_t *const place = weft_resize(t->c, NULL, size * sizeof *place);
    if (!place) return false;
    for (uint32_t i = 0; i < size; i++) place[i] = NET_SAME;
    *changed = false;
    for (uint32_t i = 0; i < s->n; i++) {
        s->instead[i] = NET_SAME;
        if (i && i < net_first(t) && !s->input[i]) continue; /* nothing reads it */
        for (uint32_t at = (uint32_t)(tables_hash(s, i) >> 32);; at++) {
            uint32_t *const p = &place[at & (size - 1)];
            net_literal inverted;
            if (*p == NET_SAME) *p = i;
            else if (!tables_equal(s, i, *p, &inverted)) continue;
            else {
                s->instead[i] = 2 * *p ^ inverted;
                *changed = true;
            }
            break;
        }
    }
    weft_resize(t->c, place, 0);
    *s->work -= (int64_t)(s->n * s->words);
    return true;
}

/* ---- until nothing changes ---- */

/* Downwards from where the last replacement was, then once more from the top; then with more gates
 * in the place of a node. */
static bool tables_next(tables *s, int *gates, uint32_t *from) {
    for (; *gates <= TABLES_MORE; ++*gates) {
        if (tables_replace(s, *gates, from)) return true;
        const bool whole = *from == UINT32_MAX;
        *from = UINT32_MAX;
        if (!whole && tables_replace(s, *gates, from)) return true;
        *from = UINT32_MAX;
    }
    return false;
}

bool tables_simplify(net *t, int64_t *work) {
    bool changed = true, good = true;
    int gates = 0;
    uint32_t from = UINT32_MAX;
    while (changed && good && *work > 0 && t->n > t->inputs + 1) {
        tables s;
        good = tables_begin(&s, t, work);
        if (good) {
            tables_fill(&s);
            good = tables_join(&s, &changed);
            if (good && !changed) changed = tables_next(&s, &gates, &from);
        }
        if (good && changed) good = net_replace(t, s.instead);
        tables_end(&s);
    }
    return good && !t->failed;
}
