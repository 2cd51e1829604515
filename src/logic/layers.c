/* layers.c - whole layers of gates in one call: dense ones, trees over the fields of planes, and
 * pools.
 *
 * A convolution is its gates once for each place, with the same rows of logits everywhere, so
 * training, circuits and simplifying need to know nothing of it. A call that fails leaves the
 * network as it was. */
#include "logic/soft.h"

enum { LAYERS_DEEPEST = 16, LAYERS_USUAL = 2 };

static void layers_back(weft_logic *l, const weft_logic *before) {
    l->gates = before->gates, l->rows = before->rows;
    l->fixed = before->fixed, l->zero = before->zero;
}

/* Whether the first n values are there, where no list says which are meant. */
static weft_err layers_there(const weft_logic *l, const char *what, const int32_t *values, int n) {
    if (values || n <= l->inputs + l->gates) return WEFT_OK;
    return weft_fail(l->c, WEFT_ARGUMENT, "%s: the first %d values; there are %d", what, n,
                     l->inputs + l->gates);
}

weft_err weft_logic_dense(weft_logic *l, const int32_t *values, int n, int gates, weft_wiring w,
                          uint64_t seed, int32_t *out) {
    if (gates < 1 || gates > LOGIC_MOST)
        return weft_fail(l->c, WEFT_ARGUMENT, "weft_logic_dense: %d gates; 1 to %d were expected",
                         gates, LOGIC_MOST);
    if (layers_there(l, "weft_logic_dense", values, n)) return weft_error_code(l->c);
    int32_t *pairs = weft_resize(l->c, NULL, 2 * (size_t)gates * sizeof *pairs);
    if (!pairs)
        return weft_fail(l->c, WEFT_MEMORY, "weft_logic_dense: out of memory for %d gates", gates);
    weft_err e = weft_wire(l->c, w, n, gates, seed, pairs);
    if (!e) e = weft_logic_layer(l, values, gates, pairs, -1, out);
    weft_resize(l->c, pairs, 0);
    return e;
}

/* ---- planes ---- */

static bool layers_planes_good(weft_planes p) {
    return p.channels > 0 && p.height > 0 && p.width > 0 &&
           (int64_t)p.height * p.width <= LOGIC_MOST &&
           (int64_t)p.channels * p.height * p.width <= LOGIC_MOST;
}

static int layers_count(weft_planes p) {
    return p.channels * p.height * p.width;
}

static size_t layers_at(weft_planes p, int channel, int y, int x) {
    return ((size_t)channel * (size_t)p.height + (size_t)y) * (size_t)p.width + (size_t)x;
}

/* Zeros count: they stand for what is usual. */
static weft_logic_conv_desc layers_usual(const weft_logic_conv_desc *d) {
    weft_logic_conv_desc u = *d;
    if (!u.depth) u.depth = LAYERS_USUAL;
    if (!u.stride) u.stride = 1;
    return u;
}

static int layers_places(int extent, int size, int padding, int stride) {
    const int64_t room = extent + 2 * (int64_t)padding - size;
    return room < 0 ? 0 : (int)(room / stride + 1);
}

weft_planes weft_logic_conv_planes(weft_planes in, const weft_logic_conv_desc *d) {
    const weft_logic_conv_desc u = layers_usual(d);
    if (!layers_planes_good(in) || u.kernels < 1 || u.size < 1 || u.stride < 1 || u.padding < 0 ||
        u.padding > LOGIC_MOST)
        return (weft_planes){0};
    const weft_planes out = {u.kernels, layers_places(in.height, u.size, u.padding, u.stride),
                             layers_places(in.width, u.size, u.padding, u.stride)};
    return layers_planes_good(out) ? out : (weft_planes){0};
}

/* ---- convolution ---- */

typedef struct layers_conv {
    weft_logic *l;
    const int32_t *values;
    weft_planes in, out;
    weft_logic_conv_desc d;
    int leaves;     /* gates that read the field, of all trees */
    int first;      /* row */
    int32_t *pairs; /* [leaves, 2] places of the field */
    int32_t *join;  /* [leaves / 2, 2]: 0, 1, 2, ... */
    int32_t *field; /* [channels, size, size] numbers of values */
    int32_t *level; /* [leaves] what the gates of a level of the trees give */
} layers_conv;

/* What the trees see at a place of the result. */
static void layers_look(const layers_conv *k, int y, int x) {
    const int size = k->d.size, top = y * k->d.stride - k->d.padding,
              left = x * k->d.stride - k->d.padding;
    int32_t *to = k->field;
    for (int c = 0; c < k->in.channels; c++)
        for (int i = top; i < top + size; i++)
            for (int j = left; j < left + size; j++) {
                const bool inside = i >= 0 && i < k->in.height && j >= 0 && j < k->in.width;
                const size_t at = inside ? layers_at(k->in, c, i, j) : 0;
                *to++ = !inside ? k->l->zero : k->values ? k->values[at] : (int32_t)at;
            }
}

/* All trees at one place: each level is half as wide as the one below. */
static weft_err layers_trees(const layers_conv *k, int y, int x, int32_t *out) {
    layers_look(k, y, x);
    int width = k->leaves, row = k->first;
    weft_err e = weft_logic_layer(k->l, k->field, width, k->pairs, row, k->level);
    while (width > k->d.kernels && !e) {
        row += width;
        width /= 2;
        e = weft_logic_layer(k->l, k->level, width, k->join, row, k->level);
    }
    for (int i = 0; i < width && !e; i++) out[layers_at(k->out, i, y, x)] = k->level[i];
    return e;
}

static weft_err layers_everywhere(layers_conv *k, int32_t *out) {
    static const int32_t any[2] = {0, 0};
    const int fields = k->in.channels * k->d.size * k->d.size;
    weft_err e = weft_wire(k->l->c, k->d.wiring, fields, k->leaves, k->d.seed, k->pairs);
    for (int i = 0; i < k->leaves; i++) k->join[i] = i;
    if (k->d.padding && !k->l->zero && !e)
        e = weft_logic_fixed(k->l, NULL, 1, any, WEFT_GATE_FALSE, &k->l->zero);
    k->first = k->l->rows;
    for (int y = 0; y < k->out.height && !e; y++)
        for (int x = 0; x < k->out.width && !e; x++) e = layers_trees(k, y, x, out);
    return e;
}

static weft_err layers_acceptable(const weft_logic *l, weft_planes in, weft_planes out,
                                  const weft_logic_conv_desc *d) {
    if (!out.channels)
        return weft_fail(l->c, WEFT_ARGUMENT,
                         "weft_logic_conv: %d kernels of %d x %d, stride %d, padding %d, over %d "
                         "planes of %d x %d",
                         d->kernels, d->size, d->size, d->stride, d->padding, in.channels,
                         in.height, in.width);
    if (d->depth < 1 || d->depth > LAYERS_DEEPEST || d->kernels > LOGIC_MOST >> d->depth ||
        (int64_t)in.channels * d->size * d->size > LOGIC_MOST)
        return weft_fail(l->c, WEFT_ARGUMENT,
                         "weft_logic_conv: %d trees of depth %d over %d x %d x %d values; a depth "
                         "of 1 to %d was expected, and at most %d values",
                         d->kernels, d->depth, in.channels, d->size, d->size, LAYERS_DEEPEST,
                         LOGIC_MOST);
    return WEFT_OK;
}

weft_err weft_logic_conv(weft_logic *l, const int32_t *values, weft_planes in,
                         const weft_logic_conv_desc *d, int32_t *out) {
    layers_conv k = {.l = l, .values = values, .in = in, .d = layers_usual(d)};
    k.out = weft_logic_conv_planes(in, d);
    if (layers_acceptable(l, in, k.out, &k.d) ||
        layers_there(l, "weft_logic_conv", values, layers_count(in)))
        return weft_error_code(l->c);
    k.leaves = k.d.kernels << (k.d.depth - 1);
    const size_t leaves = (size_t)k.leaves;
    const size_t fields = (size_t)in.channels * (size_t)k.d.size * (size_t)k.d.size;
    int32_t *const room = weft_resize(l->c, NULL, (4 * leaves + fields) * sizeof *room);
    if (!room) return weft_fail(l->c, WEFT_MEMORY, "weft_logic_conv: out of memory");
    k.pairs = room, k.join = k.pairs + 2 * leaves, k.level = k.join + leaves;
    k.field = k.level + leaves;
    const weft_logic before = *l;
    const weft_err e = layers_everywhere(&k, out);
    if (e) layers_back(l, &before);
    weft_resize(l->c, room, 0);
    return e;
}

/* ---- pools ---- */

/* Joins values two by two until one is left. */
static weft_err layers_any(weft_logic *l, int32_t *values, int n) {
    weft_err e = WEFT_OK;
    for (; n > 1 && !e; n = (n + 1) / 2) {
        const int32_t odd = values[n - 1];
        e = weft_logic_fixed(l, NULL, n / 2, values, WEFT_GATE_OR, values);
        if (n % 2) values[n / 2] = odd;
    }
    return e;
}

static weft_err layers_squares(weft_logic *l, const int32_t *values, weft_planes in, int size,
                               int32_t *square, int32_t *out) {
    const weft_planes to = {in.channels, in.height / size, in.width / size};
    weft_err e = WEFT_OK;
    for (int c = 0; c < to.channels; c++)
        for (int y = 0; y < to.height; y++)
            for (int x = 0; x < to.width && !e; x++) {
                for (int i = 0; i < size * size; i++) {
                    const size_t at = layers_at(in, c, y * size + i / size, x * size + i % size);
                    square[i] = values ? values[at] : (int32_t)at;
                }
                e = layers_any(l, square, size * size);
                out[layers_at(to, c, y, x)] = square[0];
            }
    return e;
}

weft_err weft_logic_pool(weft_logic *l, const int32_t *values, weft_planes in, int size,
                         int32_t *out) {
    if (!layers_planes_good(in) || size < 1 || size > in.height || size > in.width)
        return weft_fail(l->c, WEFT_ARGUMENT,
                         "weft_logic_pool: squares of %d x %d of %d planes of %d x %d", size, size,
                         in.channels, in.height, in.width);
    if (layers_there(l, "weft_logic_pool", values, layers_count(in))) return weft_error_code(l->c);
    int32_t *const square = weft_resize(l->c, NULL, (size_t)size * (size_t)size * sizeof *square);
    if (!square) return weft_fail(l->c, WEFT_MEMORY, "weft_logic_pool: out of memory");
    const weft_logic before = *l;
    const weft_err e = layers_squares(l, values, in, size, square, out);
    if (e) layers_back(l, &before);
    weft_resize(l->c, square, 0);
    return e;
}
