/* tables_replace.c - a node gives way to others that do as well in the cases that matter. */
#include "tables_parts.h"

#include <string.h>

/* What is looked for: a function that is `is` in all cases of `care`. */
typedef struct aim {
    const uint64_t *is, *care;
} aim;

/* At most two new gates: inner over a and b, then outer over c and it. */
typedef struct aim_found {
    int gates, inner, outer; /* kinds: WEFT_GATE_AND, _OR or _XOR */
    net_literal a, b, c;
} aim_found;

static uint64_t aim_mask(net_literal l) {
    return l & 1 ? ~UINT64_C(0) : 0;
}

/* ---- one node for another ---- */

/* Whether the node, or its complement, is what is looked for. */
static bool aim_is(const tables *s, aim f, uint32_t node, net_literal *out) {
    const uint64_t *const x = tables_of(s, node);
    for (net_literal inverted = 0; inverted < 2; inverted++) {
        size_t w = 0;
        while (w < s->words && !((x[w] ^ aim_mask(inverted) ^ f.is[w]) & f.care[w])) w++;
        *out = 2 * node + inverted;
        if (w == s->words) return true;
    }
    return false;
}

/* ---- one gate ---- */

/* AND needs inputs that are 1 wherever the aim is, OR inputs that are 0 wherever it is not. */
static uint32_t aim_candidates(const tables *s, aim f, bool is_or, const uint32_t *from, uint32_t n,
                               uint32_t *out) {
    uint32_t found = 0;
    const uint64_t flip = is_or ? ~UINT64_C(0) : 0;
    for (uint32_t i = 0; i < 2 * n; i++) {
        const net_literal l = 2 * from[i / 2] + (i & 1);
        const uint64_t *const x = tables_of(s, net_of(l)), mask = aim_mask(l) ^ flip;
        size_t w = 0;
        while (w < s->words && !((f.is[w] ^ flip) & f.care[w] & ~(x[w] ^ mask))) w++;
        if (w == s->words) out[found++] = l;
    }
    *s->work -= 3 * (int64_t)n;
    return found;
}

static bool aim_pair(const tables *s, aim f, bool is_or, const uint32_t *list, uint32_t n,
                     aim_found *out) {
    const uint64_t flip = is_or ? ~UINT64_C(0) : 0;
    for (uint32_t i = 1; i < n; i++) {
        const uint64_t *const x = tables_of(s, net_of(list[i])), mx = aim_mask(list[i]) ^ flip;
        *s->work -= i;
        for (uint32_t j = 0; j < i; j++) {
            const uint64_t *const y = tables_of(s, net_of(list[j])), my = aim_mask(list[j]) ^ flip;
            size_t w = 0;
            while (w < s->words && !((x[w] ^ mx) & (y[w] ^ my) & ~(f.is[w] ^ flip) & f.care[w]))
                w++;
            if (w < s->words) continue;
            *out = (aim_found){.gates = 1,
                               .inner = is_or ? WEFT_GATE_OR : WEFT_GATE_AND,
                               .a = list[i],
                               .b = list[j]};
            return true;
        }
        if (*s->work < 0) return false;
    }
    return false;
}

enum { AIM_XORS = 400 }; /* nodes of which all pairs are tried: XOR has no candidates to choose */

static bool aim_xor(const tables *s, aim f, const uint32_t *list, uint32_t n, aim_found *out) {
    if (n > AIM_XORS) n = AIM_XORS;
    size_t first = 0; /* a case that matters decides which of the two complements it can be */
    while (first < s->words && !f.care[first]) first++;
    if (first == s->words) return false;
    const uint64_t bit = f.care[first] & -f.care[first];
    for (uint32_t i = 1; i < n; i++) {
        const uint64_t *const x = tables_of(s, list[i]);
        *s->work -= i;
        for (uint32_t j = 0; j < i; j++) {
            const uint64_t *const y = tables_of(s, list[j]);
            const net_literal inverted = ((x[first] ^ y[first] ^ f.is[first]) & bit) != 0;
            const uint64_t mask = aim_mask(inverted);
            size_t w = first;
            while (w < s->words && !((x[w] ^ y[w] ^ mask ^ f.is[w]) & f.care[w])) w++;
            if (w < s->words) continue;
            *out = (aim_found){
                .gates = 1, .inner = WEFT_GATE_XOR, .a = 2 * list[i] ^ inverted, .b = 2 * list[j]};
            return true;
        }
        if (*s->work < 0) return false;
    }
    return false;
}

static bool aim_gate(const tables *s, aim f, const uint32_t *nodes, uint32_t n, uint32_t *scratch,
                     aim_found *out) {
    uint32_t found = aim_candidates(s, f, false, nodes, n, scratch);
    if (aim_pair(s, f, false, scratch, found, out)) return true;
    found = aim_candidates(s, f, true, nodes, n, scratch);
    if (aim_pair(s, f, true, scratch, found, out)) return true;
    return aim_xor(s, f, nodes, n, out);
}

/* ---- two gates ---- */

/* The outer gate settles some cases by its own input; the inner one has to do for the others. */
static bool aim_two(const tables *s, aim f, const uint32_t *nodes, uint32_t n, aim_found *out) {
    uint64_t *const care = s->set + s->words, *const is = s->set + 2 * s->words;
    for (int is_or = 0; is_or < 2; is_or++) {
        const uint32_t found = aim_candidates(s, f, is_or, nodes, n, s->list[1]);
        for (uint32_t i = 0; i<found && * s->work> 0; i++) {
            const net_literal c = s->list[1][i];
            const uint64_t *const x = tables_of(s, net_of(c));
            const uint64_t mask = aim_mask(c) ^ (is_or ? ~UINT64_C(0) : 0);
            for (size_t w = 0; w < s->words; w++) care[w] = f.care[w] & (x[w] ^ mask);
            if (!aim_gate(s, (aim){f.is, care}, nodes, n, s->list[2], out)) continue;
            out->gates = 2;
            out->outer = is_or ? WEFT_GATE_OR : WEFT_GATE_AND;
            out->c = c;
            return true;
        }
    }
    for (uint32_t i = 0; i<n && * s->work> 0; i++) {
        const uint64_t *const x = tables_of(s, nodes[i]);
        for (size_t w = 0; w < s->words; w++) is[w] = f.is[w] ^ x[w];
        if (!aim_gate(s, (aim){is, f.care}, nodes, n, s->list[2], out)) continue;
        out->gates = 2;
        out->outer = WEFT_GATE_XOR;
        out->c = 2 * nodes[i];
        return true;
    }
    return false;
}

static net_literal aim_make(net *t, int kind, net_literal a, net_literal b) {
    return kind == WEFT_GATE_XOR  ? net_xor(t, a, b)
           : kind == WEFT_GATE_OR ? net_and(t, a ^ 1, b ^ 1) ^ 1
                                  : net_and(t, a, b);
}

/* ---- a node and its surroundings ---- */

static void tables_count(tables *s) {
    const net *const t = s->t;
    memset(s->refs, 0, s->n * sizeof *s->refs);
    for (uint32_t i = net_first(t); i < s->n; i++) {
        s->refs[net_of(t->node[i].a)]++;
        s->refs[net_of(t->node[i].b)]++;
    }
    for (int i = 0; i < t->outputs; i++) s->refs[net_of(t->output[i])]++;
}

/* Marks what falls away with x: what only such nodes read. Operands come first, so one downward
 * loop sees every reader before what it reads; counts are put back. */
static uint32_t tables_cone(tables *s, uint32_t x) {
    const net *const t = s->t;
    uint32_t n = 0, touches = 0, *const touched = s->list[3];
    memset(s->cone, 0, s->n);
    s->cone[x] = 1;
    for (uint32_t i = x; i >= net_first(t); i--) {
        if (!s->cone[i]) continue;
        n++;
        for (int w = 0; w < 2; w++) {
            const uint32_t v = net_of(w ? t->node[i].b : t->node[i].a);
            if (v < net_first(t)) continue;
            touched[touches++] = v;
            if (--s->refs[v] == 0) s->cone[v] = 1;
        }
    }
    while (touches) s->refs[touched[--touches]]++;
    return n;
}

/* Marks what depends on x, and finds the cases in which an output would change were x inverted. */
static void tables_care(tables *s, uint32_t x, uint64_t *care) {
    const net *const t = s->t;
    memset(s->above, 0, s->n);
    s->above[x] = 3; /* 1: depends on it; 3: and differs in some case */
    for (size_t w = 0; w < s->words; w++) s->flipped[x * s->words + w] = ~tables_of(s, x)[w];
    for (uint32_t i = x + 1; i < s->n; i++) {
        const net_node g = t->node[i];
        const unsigned char a = s->above[net_of(g.a)], b = s->above[net_of(g.b)];
        if (!(a | b)) continue;
        s->above[i] = 1;
        if (!((a | b) & 2)) continue;
        uint64_t *const to = s->flipped + i * s->words;
        tables_gate(s, g, (a & 2 ? s->flipped : s->table) + net_of(g.a) * s->words,
                    (b & 2 ? s->flipped : s->table) + net_of(g.b) * s->words, to);
        if (memcmp(to, tables_of(s, i), s->words * sizeof *to) != 0) s->above[i] = 3;
        *s->work -= (int64_t)s->words;
    }
    memset(care, 0, s->words * sizeof *care);
    for (int i = 0; i < t->outputs; i++) {
        const uint32_t v = net_of(t->output[i]);
        if (!(s->above[v] & 2)) continue;
        for (size_t w = 0; w < s->words; w++)
            care[w] |= s->flipped[v * s->words + w] ^ tables_of(s, v)[w];
    }
}

static bool tables_replace_node(tables *s, uint32_t x, int gates, net_literal *with) {
    net *const t = s->t;
    const aim f = {tables_of(s, x), s->set};
    tables_care(s, x, s->set);
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->above[i] || (i && i < net_first(t) && !s->input[i])) continue;
        if (aim_is(s, f, i, with)) return true;
    }
    *s->work -= 2 * (int64_t)s->n;
    const uint32_t falls = gates ? tables_cone(s, x) : 0;
    if (falls < 2) return false;
    uint32_t n = 0, *const nodes = s->list[0];
    for (uint32_t i = 1; i < s->n; i++)
        if (!s->above[i] && !s->cone[i] && (i >= net_first(t) || s->input[i])) nodes[n++] = i;
    aim_found found;
    if (!aim_gate(s, f, nodes, n, s->list[2], &found) &&
        (gates < 2 || falls < 3 || !aim_two(s, f, nodes, n, &found)))
        return false;
    *with = aim_make(t, found.inner, found.a, found.b);
    if (found.gates == 2) *with = aim_make(t, found.outer, found.c, *with);
    return !t->failed && net_of(*with) != x;
}

bool tables_replace(tables *s, int gates, uint32_t *from) {
    const uint32_t n = s->n;
    tables_count(s);
    for (uint32_t i = 0; i < n; i++) s->instead[i] = NET_SAME;
    for (uint32_t x = *from < n ? *from : n - 1; x >= net_first(s->t); x--) {
        net_literal with;
        if (*s->work < 0) return false;
        if (!tables_replace_node(s, x, gates, &with)) continue;
        for (uint32_t i = n; i < (uint32_t)s->t->n; i++) s->instead[i] = NET_SAME;
        s->instead[x] = with;
        *from = x;
        return true;
    }
    return false;
}
