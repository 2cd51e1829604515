/* twins.c - candidates by random cases, proofs by all cases of the inputs they depend on. */
#include "twins.h"

#include <string.h>

enum { TWINS_WORDS = 64, TWINS_INPUTS = 14, TWINS_CHAIN = 8 };
#define TWINS_BYTES ((size_t)256 << 20) /* signatures beyond this are not made */

typedef struct twins {
    net *t;
    int64_t *work;
    uint64_t *signature; /* [nodes, TWINS_WORDS] */
    uint32_t *support;   /* [nodes, TWINS_INPUTS + 1]: how many inputs, and which, in order */
    net_literal *instead;
    uint32_t *place, size; /* hash table of nodes */
    uint32_t *cone;        /* nodes of a proof, in order */
    uint32_t *stamp;       /* of a node: the last proof that met it, and */
    uint32_t *at;          /* its place there */
    uint64_t *value;       /* of a proof's nodes, a word at a time */
    uint32_t proof;
} twins;

static uint32_t *twins_support(const twins *s, uint32_t node) {
    return s->support + node * (size_t)(TWINS_INPUTS + 1);
}

/* The union of two ordered lists; more than TWINS_INPUTS is one number beyond. */
static void twins_union(const uint32_t *a, const uint32_t *b, uint32_t *out) {
    uint32_t n = 0, i = 0, j = 0;
    if (a[0] > TWINS_INPUTS || b[0] > TWINS_INPUTS) n = TWINS_INPUTS + 1;
    while (n <= TWINS_INPUTS && (i < a[0] || j < b[0])) {
        const uint32_t x = i < a[0] ? a[1 + i] : UINT32_MAX, y = j < b[0] ? b[1 + j] : UINT32_MAX;
        i += x <= y;
        j += y <= x;
        if (n < TWINS_INPUTS) out[1 + n] = x < y ? x : y;
        n++;
    }
    out[0] = n;
}

static void twins_fill(twins *s) {
    const net *const t = s->t;
    uint64_t seed = 1;
    memset(s->signature, 0, TWINS_WORDS * sizeof *s->signature);
    twins_support(s, 0)[0] = 0;
    for (uint32_t i = 1; i < net_first(t); i++) {
        for (int w = 0; w < TWINS_WORDS; w++)
            s->signature[i * (size_t)TWINS_WORDS + (size_t)w] = circuit_draw(&seed);
        twins_support(s, i)[0] = 1;
        twins_support(s, i)[1] = i;
    }
    for (uint32_t i = net_first(t); i < (uint32_t)t->n; i++) {
        const net_node g = t->node[i];
        const uint64_t *const a = s->signature + net_of(g.a) * (size_t)TWINS_WORDS;
        const uint64_t *const b = s->signature + net_of(g.b) * (size_t)TWINS_WORDS;
        const uint64_t not_a = g.a & 1 ? ~UINT64_C(0) : 0, not_b = g.b & 1 ? ~UINT64_C(0) : 0;
        for (int w = 0; w < TWINS_WORDS; w++)
            s->signature[i * (size_t)TWINS_WORDS + (size_t)w] =
                g.is_xor ? a[w] ^ b[w] : (a[w] ^ not_a) & (b[w] ^ not_b);
        twins_union(twins_support(s, net_of(g.a)), twins_support(s, net_of(g.b)),
                    twins_support(s, i));
    }
    *s->work -= (int64_t)t->n * TWINS_WORDS;
}

/* ---- proofs ---- */

/* The nodes below two roots, operands first: all marked, then taken in the order of numbers. */
static uint32_t twins_cone(twins *s, uint32_t x, uint32_t y) {
    const net *const t = s->t;
    const uint32_t top = x > y ? x : y;
    uint32_t n = 0, waiting = 0, *const stack = s->cone;
    s->proof++;
    s->stamp[x] = s->stamp[y] = s->proof;
    stack[waiting++] = x;
    stack[waiting++] = y;
    uint32_t least = top;
    while (waiting) {
        const uint32_t v = stack[--waiting];
        if (v < least) least = v;
        if (v < net_first(t)) continue;
        for (int w = 0; w < 2; w++) {
            const uint32_t u = net_of(w ? t->node[v].b : t->node[v].a);
            if (s->stamp[u] == s->proof) continue;
            s->stamp[u] = s->proof;
            stack[waiting++] = u;
        }
    }
    for (uint32_t i = least; i <= top; i++)
        if (s->stamp[i] == s->proof) {
            s->at[i] = n;
            s->cone[n++] = i;
        }
    *s->work -= top - least;
    return n;
}

/* Whether x is y, or its complement, in all cases of the inputs they depend on. */
static bool twins_proven(twins *s, uint32_t x, uint32_t y, net_literal inverted) {
    const net *const t = s->t;
    uint32_t inputs[TWINS_INPUTS + 1];
    twins_union(twins_support(s, x), twins_support(s, y), inputs);
    if (inputs[0] > TWINS_INPUTS) return false;
    const uint32_t n = twins_cone(s, x, y);
    const size_t words = inputs[0] > 6 ? (size_t)1 << (inputs[0] - 6) : 1;
    const uint64_t mask = inverted ? ~UINT64_C(0) : 0;
    for (size_t w = 0; w < words; w++) {
        for (uint32_t i = 0, next = 0; i < n; i++) {
            const uint32_t v = s->cone[i];
            const net_node g = t->node[v];
            if (v == 0) s->value[i] = 0;
            else if (v < net_first(t)) s->value[i] = circuit_case((int)next++, w);
            else {
                const uint64_t a = s->value[s->at[net_of(g.a)]], b = s->value[s->at[net_of(g.b)]];
                const uint64_t na = g.a & 1 ? ~UINT64_C(0) : 0, nb = g.b & 1 ? ~UINT64_C(0) : 0;
                s->value[i] = g.is_xor ? a ^ b : (a ^ na) & (b ^ nb);
            }
        }
        *s->work -= n;
        if (s->value[s->at[x]] != (s->value[s->at[y]] ^ mask)) return false;
    }
    return true;
}

/* ---- candidates ---- */

static bool twins_agree(const twins *s, uint32_t x, uint32_t y, net_literal *inverted) {
    const uint64_t *const a = s->signature + x * (size_t)TWINS_WORDS;
    const uint64_t *const b = s->signature + y * (size_t)TWINS_WORDS;
    const uint64_t mask = (a[0] ^ b[0]) & 1 ? ~UINT64_C(0) : 0;
    for (int w = 0; w < TWINS_WORDS; w++)
        if (a[w] != (b[w] ^ mask)) return false;
    *inverted = mask & 1;
    return true;
}

static void twins_find(twins *s) {
    const net *const t = s->t;
    for (uint32_t i = 0; i < s->size; i++) s->place[i] = NET_SAME;
    for (uint32_t i = 0; i < (uint32_t)t->n; i++) {
        s->instead[i] = NET_SAME;
        const uint64_t *const a = s->signature + i * (size_t)TWINS_WORDS;
        uint64_t h = 0;
        for (int w = 0; w < 4; w++)
            h = (h ^ a[w] ^ (a[0] & 1 ? ~UINT64_C(0) : 0)) * UINT64_C(0x9e3779b97f4a7c15),
            h ^= h >> 31;
        for (uint32_t at = (uint32_t)(h >> 32), tried = 0;; at++) {
            uint32_t *const p = &s->place[at & (s->size - 1)];
            net_literal inverted;
            if (*p == NET_SAME) {
                *p = i;
                break;
            }
            if (!twins_agree(s, i, *p, &inverted)) continue;
            if (tried++<TWINS_CHAIN && * s->work> 0 && twins_proven(s, i, *p, inverted)) {
                s->instead[i] = 2 * *p ^ inverted;
                break;
            }
        }
    }
}

static bool twins_memory(twins *s, void **memory) {
    const size_t n = (size_t)s->t->n;
    s->size = 64;
    while (s->size < 2 * n) s->size *= 2;
    const size_t wide = n * (TWINS_WORDS + 1) * sizeof(uint64_t);
    const size_t narrow = n * (TWINS_INPUTS + 1) + 4 * n + s->size + 2;
    *memory = weft_resize(s->t->c, NULL, wide + narrow * sizeof(uint32_t));
    if (!*memory) return false;
    s->signature = *memory;
    s->value = s->signature + n * TWINS_WORDS;
    s->support = (uint32_t *)(s->value + n);
    s->instead = s->support + n * (TWINS_INPUTS + 1);
    s->cone = s->instead + n;
    s->stamp = s->cone + n + 2;
    s->at = s->stamp + n;
    s->place = s->at + n;
    memset(s->stamp, 0, n * sizeof *s->stamp);
    return true;
}

bool twins_join(net *t, int64_t *work) {
    for (int before = 0; t->n != before && *work > 0;) {
        before = t->n;
        if ((size_t)t->n * TWINS_WORDS * sizeof(uint64_t) > TWINS_BYTES) return true;
        twins s = {.t = t, .work = work};
        void *memory = NULL;
        bool good = twins_memory(&s, &memory);
        if (good) {
            twins_fill(&s);
            twins_find(&s);
            good = net_replace(t, s.instead);
        }
        weft_resize(t->c, memory, 0);
        if (!good) return false;
    }
    return true;
}
