/* net.c - building and rebuilding nets of ANDs and XORs, and the way from and to circuits. */
#include "net.h"

#include <string.h>

bool net_begin(net *t, weft_ctx *c, int inputs, int outputs) {
    *t = (net){.c = c, .inputs = inputs, .n = inputs + 1, .outputs = outputs};
    t->room = inputs + 65;
    t->table_size = 256;
    t->node = weft_resize(c, NULL, (size_t)t->room * sizeof *t->node);
    t->table = weft_resize(c, NULL, t->table_size * sizeof *t->table);
    t->output = weft_resize(c, NULL, (size_t)(outputs + 1) * sizeof *t->output);
    if (!t->node || !t->table || !t->output) {
        t->failed = true;
        return false;
    }
    memset(t->node, 0, (size_t)t->n * sizeof *t->node);
    memset(t->table, 0, t->table_size * sizeof *t->table);
    memset(t->output, 0, (size_t)(outputs + 1) * sizeof *t->output);
    return true;
}

void net_free(net *t) {
    weft_resize(t->c, t->node, 0);
    weft_resize(t->c, t->table, 0);
    weft_resize(t->c, t->output, 0);
    *t = (net){.c = t->c};
}

/* ---- one more gate ---- */

static uint32_t net_hash(net_node g) {
    uint64_t h = ((uint64_t)g.a << 32 | g.b) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
    return (uint32_t)((h + g.is_xor) * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

/* Where the gate is in the table, or the free place for it. */
static uint32_t *net_find(const net *t, net_node g) {
    for (uint32_t i = net_hash(g);; i++) {
        uint32_t *const at = &t->table[i & (t->table_size - 1)];
        if (!*at) return at;
        const net_node *const o = &t->node[*at];
        if (o->a == g.a && o->b == g.b && o->is_xor == g.is_xor) return at;
    }
}

static bool net_grow(net *t) {
    if (t->n == t->room) {
        net_node *const node = weft_resize(t->c, t->node, 2 * (size_t)t->room * sizeof *node);
        if (!node) return false;
        t->node = node;
        t->room *= 2;
    }
    if (2 * (uint32_t)t->n < t->table_size) return true;
    const uint32_t size = 4 * t->table_size;
    uint32_t *const table = weft_resize(t->c, NULL, size * sizeof *table);
    if (!table) return false;
    memset(table, 0, size * sizeof *table);
    weft_resize(t->c, t->table, 0);
    t->table = table;
    t->table_size = size;
    for (uint32_t i = net_first(t); i < (uint32_t)t->n; i++) *net_find(t, t->node[i]) = i;
    return true;
}

static net_literal net_gate(net *t, net_node g) {
    if (t->failed) return 0;
    const uint32_t *const there = net_find(t, g);
    if (*there) return 2 * *there;
    if (!net_grow(t)) {
        t->failed = true;
        return 0;
    }
    const uint32_t made = (uint32_t)t->n++;
    t->node[made] = g;
    *net_find(t, g) = made;
    return 2 * made;
}

/* ---- two gates deep ---- */

/* A gate over gates is a function of at most four leaves. Should it need only two of them, it is
 * one gate over these; should it need one, that leaf; should it need none, a constant. Truth tables
 * have a bit for each case of the leaves. */
typedef struct net_leaves {
    uint32_t node[4];
    int n;
} net_leaves;

static const uint16_t net_leaf_table[4] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};

static uint16_t net_leaf(net_leaves *l, net_literal x) {
    int i = 0;
    while (i < l->n && l->node[i] != net_of(x)) i++;
    if (i == l->n) l->node[l->n++] = net_of(x);
    return (uint16_t)(net_leaf_table[i] ^ (x & 1 ? 0xffff : 0));
}

static bool net_is_gate(const net *t, net_literal x) {
    return net_of(x) >= net_first(t);
}

static uint16_t net_opened(const net *t, net_leaves *l, net_literal x, bool open) {
    if (!open || !net_is_gate(t, x)) return net_leaf(l, x);
    const net_node g = t->node[net_of(x)];
    const uint16_t a = net_leaf(l, g.a), b = net_leaf(l, g.b);
    return (uint16_t)((g.is_xor ? a ^ b : a & b) ^ (x & 1 ? 0xffff : 0));
}

/* The literal of a gate over two leaves, from its truth table as a kind would have it. */
static net_literal net_of_kind(net *t, int kind, net_literal a, net_literal b) {
    switch (kind) {
    case WEFT_GATE_XOR: return net_xor(t, a, b);
    case WEFT_GATE_XNOR: return net_xor(t, a, b) ^ 1;
    case WEFT_GATE_AND: return net_and(t, a, b);
    case WEFT_GATE_A_NOT_B: return net_and(t, a, b ^ 1);
    case WEFT_GATE_B_NOT_A: return net_and(t, a ^ 1, b);
    case WEFT_GATE_NOR: return net_and(t, a ^ 1, b ^ 1);
    case WEFT_GATE_A: return a;
    case WEFT_GATE_B: return b;
    case WEFT_GATE_FALSE: return 0;
    default: return net_of_kind(t, kind_inverted(kind), a, b) ^ 1;
    }
}

enum { NET_NESTED = 40 }; /* what replaces a gate may be replaced in turn; the stack is finite */

static bool net_shorter(net *t, bool is_xor, net_literal a, net_literal b, net_literal *out) {
    if (t->nested >= NET_NESTED) return false;
    for (int open = 1; open <= 3; open++) {
        if ((open & 1 && !net_is_gate(t, a)) || (open & 2 && !net_is_gate(t, b))) continue;
        net_leaves l = {{0, 0, 0, 0}, 0};
        const uint16_t ta = net_opened(t, &l, a, open & 1), tb = net_opened(t, &l, b, open & 2);
        const uint16_t f = is_xor ? ta ^ tb : ta & tb;
        uint32_t read[2] = {0, 0};
        int shift[2] = {0, 0}, reads = 0;
        for (int i = 0; i < l.n; i++) {
            const uint16_t high = net_leaf_table[i];
            if ((f & high) >> (1 << i) == (f & ~high & 0xffff)) continue;
            if (reads < 2) {
                read[reads] = l.node[i];
                shift[reads] = 1 << i;
            }
            reads++;
        }
        if (reads > 2) continue;
        /* Case (a, b) stands at the bit where those leaves are set and all others are not. */
        const int kind = (f >> (shift[0] + shift[1]) & 1) | (f >> shift[0] & 1) << 1 |
                         (f >> shift[1] & 1) << 2 | (f & 1) << 3;
        t->nested++;
        *out = net_of_kind(t, kind, 2 * read[0], 2 * read[1]);
        t->nested--;
        return true;
    }
    return false;
}

net_literal net_and(net *t, net_literal a, net_literal b) {
    if (a > b) {
        const net_literal other = a;
        a = b;
        b = other;
    }
    if (a == 0 || a == (b ^ 1)) return 0;
    if (a == 1 || a == b) return b;
    net_literal shorter;
    if (net_shorter(t, false, a, b, &shorter)) return shorter;
    return net_gate(t, (net_node){a, b, false});
}

net_literal net_xor(net *t, net_literal a, net_literal b) {
    const net_literal inverted = (a ^ b) & 1;
    a &= ~1u;
    b &= ~1u;
    if (a > b) {
        const net_literal other = a;
        a = b;
        b = other;
    }
    if (a == b) return inverted;
    if (a == 0) return b ^ inverted;
    net_literal shorter;
    if (net_shorter(t, true, a, b, &shorter)) return shorter ^ inverted;
    return net_gate(t, (net_node){a, b, true}) ^ inverted;
}

/* ---- from a circuit, and again from a net ---- */

bool net_from(net *t, const weft_circuit *k) {
    const size_t values = (size_t)(k->inputs + k->gates);
    net_literal *const literal = weft_resize(k->c, NULL, (values + 1) * sizeof *literal);
    if (!net_begin(t, k->c, k->inputs, k->outputs) || !literal) {
        weft_resize(k->c, literal, 0);
        return false;
    }
    for (int i = 0; i < k->inputs; i++) literal[i] = 2 * ((uint32_t)i + 1);
    for (int i = 0; i < k->gates; i++) {
        const weft_circuit_gate g = k->gate[i];
        literal[k->inputs + i] = net_of_kind(t, g.kind, literal[g.a], literal[g.b]);
    }
    for (int i = 0; i < k->outputs; i++) t->output[i] = literal[k->output[i]];
    weft_resize(k->c, literal, 0);
    return !t->failed && net_replace(t, NULL);
}

/* What a literal stands for after all replacements. */
static net_literal net_settled(const net_literal *instead, net_literal x) {
    while (instead && instead[net_of(x)] != NET_SAME) x = instead[net_of(x)] ^ (x & 1);
    return x;
}

/* Depth first without recursion, since chains of gates may be long: a node is built once both of
 * its inputs are. */
static bool net_rebuild(const net *t, const net_literal *instead, net *out, net_literal *built,
                        uint32_t *stack) {
    for (int i = 0; i < t->outputs; i++) {
        const net_literal wanted = net_settled(instead, t->output[i]);
        uint32_t deep = 0;
        stack[deep++] = net_of(wanted);
        while (deep) {
            const uint32_t v = stack[deep - 1];
            if (built[v] != NET_SAME) {
                deep--;
                continue;
            }
            const net_node g = t->node[v];
            const net_literal a = net_settled(instead, g.a), b = net_settled(instead, g.b);
            const net_literal na = built[net_of(a)], nb = built[net_of(b)];
            if (na == NET_SAME) stack[deep++] = net_of(a);
            else if (nb == NET_SAME) stack[deep++] = net_of(b);
            else
                built[v] = g.is_xor ? net_xor(out, na ^ (a & 1), nb ^ (b & 1))
                                    : net_and(out, na ^ (a & 1), nb ^ (b & 1));
        }
        out->output[i] = built[net_of(wanted)] ^ (wanted & 1);
    }
    return !out->failed;
}

/* Folding while building can leave gates behind that nothing reads, so it is done until it does
 * not help. */
bool net_replace(net *t, const net_literal *instead) {
    for (;; instead = NULL) {
        const int before = t->n;
        net out;
        uint32_t *const stack = weft_resize(t->c, NULL, 2 * (size_t)t->n * sizeof *stack);
        if (!net_begin(&out, t->c, t->inputs, t->outputs) || !stack) {
            net_free(&out);
            weft_resize(t->c, stack, 0);
            return false;
        }
        net_literal *const built = stack + t->n;
        for (int i = 0; i < t->n; i++) built[i] = i <= t->inputs ? 2 * (uint32_t)i : NET_SAME;
        const bool good = net_rebuild(t, instead, &out, built, stack);
        weft_resize(t->c, stack, 0);
        if (!good) {
            net_free(&out);
            return false;
        }
        const bool done = out.n == before || out.n == t->inputs + 1;
        net_free(t);
        *t = out;
        if (done) return true;
    }
}

/* ---- to a circuit ---- */

/* Readers take inverted inputs as they are, so a gate is written in the form its first output
 * wants. */
typedef struct net_writer {
    weft_circuit *k;
    int32_t *value;      /* of a node: its number in the circuit, -1: none yet */
    int32_t *other;      /* of its complement */
    unsigned char *flip; /* whether value holds the complement */
} net_writer;

static weft_err net_write(const net *t, net_writer *w) {
    for (uint32_t i = 0; i < (uint32_t)t->n; i++) {
        w->value[i] = i && i <= (uint32_t)t->inputs ? (int32_t)i - 1 : -1;
        w->other[i] = -1;
        w->flip[i] = 0;
    }
    for (int i = t->outputs - 1; i >= 0; i--)
        if (net_is_gate(t, t->output[i])) w->flip[net_of(t->output[i])] = t->output[i] & 1;
    for (uint32_t i = net_first(t); i < (uint32_t)t->n; i++) {
        const net_node g = t->node[i];
        int kind = g.is_xor ? WEFT_GATE_XOR : WEFT_GATE_AND;
        if ((g.a & 1) ^ w->flip[net_of(g.a)]) kind = kind_not_a(kind);
        if ((g.b & 1) ^ w->flip[net_of(g.b)]) kind = kind_not_b(kind);
        if (w->flip[i]) kind = kind_inverted(kind);
        w->value[i] = weft_circuit_add(w->k, kind, w->value[net_of(g.a)], w->value[net_of(g.b)]);
        if (w->value[i] < 0) return WEFT_MEMORY;
    }
    for (int i = 0; i < t->outputs; i++) {
        const uint32_t v = net_of(t->output[i]);
        const bool inverse = (t->output[i] & 1) != w->flip[v];
        int32_t *const at = inverse ? &w->other[v] : &w->value[v];
        if (*at < 0 && v == 0) /* a constant reads what there is, and needs an input to read */
            *at = weft_circuit_add(w->k, inverse ? WEFT_GATE_TRUE : WEFT_GATE_FALSE, 0, 0);
        else if (*at < 0) *at = weft_circuit_add(w->k, WEFT_GATE_NOT_A, w->value[v], w->value[v]);
        if (*at < 0 || weft_circuit_output(w->k, *at)) return weft_error_code(w->k->c);
    }
    return WEFT_OK;
}

weft_err net_to(const net *t, weft_circuit *k) {
    weft_circuit *const made = weft_circuit_new(k->c, k->inputs);
    const size_t n = (size_t)t->n;
    int32_t *const value = weft_resize(k->c, NULL, n * (2 * sizeof *value + 1));
    net_writer w = {made, value, NULL, NULL};
    weft_err e = WEFT_MEMORY;
    if (made && value) {
        w.other = value + n;
        w.flip = (unsigned char *)(value + 2 * n);
        e = net_write(t, &w);
    } else if (made) {
        weft_fail(k->c, WEFT_MEMORY, "out of memory for a circuit of %d gates", t->n);
    }
    weft_resize(k->c, value, 0);
    if (e == WEFT_OK) { /* the new lists for the old ones */
        const weft_circuit old = *k;
        *k = *made;
        *made = old;
    }
    weft_circuit_free(made);
    return e;
}
