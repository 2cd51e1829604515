/* trees.c - half-space trees: how many of the last window's points lay near a point.
 *
 * After Tan, Ting and Liu (2011). A tree halves a range around the data, along a value drawn for
 * each node, down to leaves of equal depth. A point's mass in a tree is the number of points that
 * the last window left in its node, times 2^depth of the node, at the first node on its way that
 * holds a tenth of the window or less, else at the leaf. Masses change only when a window ends, so
 * by then the mass of every leaf is worked out: a point costs a walk, an addition and a count for
 * each tree. The order of the work, by trees or by points, does not show: masses are whole numbers.
 *
 * The score is in bits: how much rarer than if points were spread evenly over the range. Without a
 * threshold, what lies above the (1 - rate) quantile of past scores is an outlier; a histogram
 * knows that quantile. */
#include "detector.h"

#include <weft/rl.h>

#include <string.h>

enum {
    TREES_BLOCK = 64, /* points that go through a tree together */
    TREES_BINS = 640, /* of the histogram of scores */
    TREES_BINS_A_BIT = 16,
    TREES_BINS_BELOW = 256,     /* below a score of 0 */
    TREES_REMEMBERED = 1 << 16, /* scores; then all counts are halved */
    TREES_TENTH = 10
};

/* Places in the range are whole numbers: TREES_ONE is its width, and they reach as far to either
 * side as trees do and more. */
#define TREES_ONE   0x1p28
#define TREES_BELOW 4 /* widths */
#define TREES_ABOVE 5

/* A node is one number, so that one load brings it: above, the place that splits it; in the lower
 * 32 bits, where the value to be compared lies in a block of points. A place to be compared has
 * ones there, so equal places count as not below. */
typedef uint64_t trees_node;
static const uint64_t trees_low_bits = UINT32_MAX;

typedef struct trees {
    int64_t at;         /* points in this window so far */
    int64_t windows;    /* that have ended; the first finds the range unless that is given */
    double *low, *high; /* [dims]: of the range; while it is looked for, of what was seen */
    trees_node *node;   /* [trees, leaves], the first of each unused; children of i: 2i, 2i + 1 */
    uint32_t *count;    /* [trees, leaves]: points in this window */
    uint32_t *mass;     /* [trees, leaves]: by the last window */
    uint32_t *below;    /* [leaves + 1]: scratch */
    trees_node *scaled; /* [dims, TREES_BLOCK]: the places of a block, scratch */
    uint32_t *bin;      /* [TREES_BINS] */
    int64_t remembered; /* scores in bin that ended windows left */
    double cut;         /* the least score of an outlier */
} trees;

static bool trees_range_given(const weft_detector_desc *d) {
    return d->low < d->high;
}

static size_t trees_leaves(const weft_detector_desc *d) {
    return (size_t)1 << (int)d->depth;
}

static void *trees_lay(room *r, const weft_detector_desc *d) {
    const size_t dims = (size_t)d->dims, leaves = trees_leaves(d), all = leaves * (size_t)d->trees;
    trees *const s = room_take(r, sizeof *s);
    double *const low = room_take(r, dims * sizeof *low);
    double *const high = room_take(r, dims * sizeof *high);
    trees_node *const node = room_take(r, all * sizeof *node);
    uint32_t *const count = room_take(r, all * sizeof *count);
    uint32_t *const mass = room_take(r, all * sizeof *mass);
    uint32_t *const below = room_take(r, (leaves + 1) * sizeof *below);
    trees_node *const scaled = room_take(r, TREES_BLOCK * dims * sizeof *scaled);
    uint32_t *const bin = room_take(r, TREES_BINS * sizeof *bin);
    if (s) {
        s->low = low, s->high = high, s->node = node, s->count = count, s->mass = mass;
        s->below = below, s->scaled = scaled, s->bin = bin;
    }
    return s;
}

/* A place of the unit range, or as near as can be. */
static uint32_t trees_place(double unit) {
    unit = unit < -TREES_BELOW ? -TREES_BELOW : unit > TREES_ABOVE ? TREES_ABOVE : unit;
    return (uint32_t)((unit + TREES_BELOW) * TREES_ONE);
}

/* Draws the halves below a node. The range of each value is that of the node, kept in low and
 * high while the recursion is there. */
static void trees_grow(trees_node *tree, size_t i, size_t leaves, int dims, weft_rng *g,
                       uint32_t *low, uint32_t *high) {
    const uint32_t v = weft_rng_below(g, (uint32_t)dims);
    const uint32_t from = low[v], to = high[v], middle = from + (to - from) / 2;
    tree[i] = (trees_node)middle << 32 | v * TREES_BLOCK;
    if (2 * i >= leaves) return;
    high[v] = middle;
    trees_grow(tree, 2 * i + 1, leaves, dims, g, low, high);
    high[v] = to;
    low[v] = middle;
    trees_grow(tree, 2 * i, leaves, dims, g, low, high);
    low[v] = from;
}

static void trees_begin(weft_detector *d) {
    trees *const s = d->state;
    const size_t leaves = trees_leaves(&d->desc);
    const int dims = d->desc.dims;
    uint32_t *const low = (uint32_t *)s->scaled, *const high = low + dims; /* free yet */
    for (int t = 0; t < (int)d->desc.trees; t++) {
        weft_rng g;
        weft_rng_seed(&g, (uint64_t)d->desc.seed, (uint64_t)t);
        for (int v = 0; v < dims; v++) { /* around a point of 0 to 1, twice as far as needed */
            const double centre = weft_rng_uniform(&g), side = 2 * fmax(centre, 1 - centre);
            low[v] = trees_place(centre - side);
            high[v] = trees_place(centre + side);
        }
        trees_grow(s->node + (size_t)t * leaves, 1, leaves, dims, &g, low, high);
    }
    const bool given = trees_range_given(&d->desc);
    for (int v = 0; v < dims; v++) {
        s->low[v] = given ? d->desc.low : STREAM_LARGEST;
        s->high[v] = given ? d->desc.high : -STREAM_LARGEST;
    }
    s->windows = given;
    s->cut = d->desc.threshold;
}

/* ---- the end of a window ---- */

/* The mass of the leaves from `from` to `to`, which are those of a node at `depth`. */
static void trees_weigh(const uint32_t *below, uint32_t *mass, uint32_t limit, uint32_t from,
                        uint32_t to, uint32_t depth) {
    const uint32_t here = below[to] - below[from];
    if (here > limit && to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        trees_weigh(below, mass, limit, from, middle, depth + 1);
        trees_weigh(below, mass, limit, middle, to, depth + 1);
        return;
    }
    for (uint32_t i = from; i < to; i++) mass[i] = here << depth;
}

static void trees_learn(trees *s, const weft_detector_desc *d) {
    const uint32_t leaves = (uint32_t)trees_leaves(d), limit = (uint32_t)d->window / TREES_TENTH;
    for (size_t t = 0; t < (size_t)d->trees; t++) {
        uint32_t *const count = s->count + t * leaves;
        uint32_t sum = 0;
        for (uint32_t i = 0; i < leaves; i++) {
            s->below[i] = sum;
            sum += count[i];
        }
        s->below[leaves] = sum;
        trees_weigh(s->below, s->mass + t * leaves, limit, 0, leaves, 0);
        memset(count, 0, leaves * sizeof *count);
    }
}

/* Scores from cut on are the largest share `rate` of those remembered. */
static void trees_calibrate(trees *s, const weft_detector_desc *d) {
    const double most = d->rate * (double)s->remembered;
    double above = 0;
    int64_t i = TREES_BINS;
    int64_t cut = TREES_BINS; /* the lowest bin with a score that is one of them */
    for (; i > 0 && above + s->bin[i - 1] <= most; i--) {
        above += s->bin[i - 1];
        if (s->bin[i - 1]) cut = i - 1;
    }
    /* where there are none, away from the usual ones, which move a little with every window */
    if (cut > i + TREES_BINS_A_BIT) cut = i + TREES_BINS_A_BIT;
    s->cut = (double)(cut - TREES_BINS_BELOW) / TREES_BINS_A_BIT;
    if (s->remembered < TREES_REMEMBERED) return;
    s->remembered = 0;
    for (int64_t k = 0; k < TREES_BINS; k++) s->remembered += s->bin[k] /= 2;
}

static void trees_window_ends(trees *s, const weft_detector_desc *d) {
    s->at = 0;
    if (s->windows > 1 && d->threshold == 0) {
        s->remembered += (int64_t)d->window;
        trees_calibrate(s, d);
    }
    if (s->windows++ > 0) trees_learn(s, d);
}

/* ---- points ---- */

/* A point whose value is below the split goes to the second child. */
static inline size_t trees_step(const trees_node *tree, size_t i, const trees_node *x) {
    const trees_node node = tree[i];
    return 2 * i + (x[node & trees_low_bits] < node);
}

/* The leaves of points next to each other in a tree. A step waits for the one before it, so eight
 * walks go side by side. */
static void trees_walk_points(const trees_node *tree, const trees_node *x, int depth,
                              size_t leaf[8]) {
    size_t a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1;
    for (int k = 0; k < depth; k++) {
        a = trees_step(tree, a, x);
        b = trees_step(tree, b, x + 1);
        c = trees_step(tree, c, x + 2);
        d = trees_step(tree, d, x + 3);
        e = trees_step(tree, e, x + 4);
        f = trees_step(tree, f, x + 5);
        g = trees_step(tree, g, x + 6);
        h = trees_step(tree, h, x + 7);
    }
    const size_t n = (size_t)1 << depth;
    leaf[0] = a - n, leaf[1] = b - n, leaf[2] = c - n, leaf[3] = d - n;
    leaf[4] = e - n, leaf[5] = f - n, leaf[6] = g - n, leaf[7] = h - n;
}

/* The leaves of one point in four trees. */
static void trees_walk_trees(const trees_node *const tree[4], const trees_node *x, int depth,
                             size_t leaf[4]) {
    size_t a = 1, b = 1, c = 1, d = 1;
    for (int k = 0; k < depth; k++) {
        a = trees_step(tree[0], a, x);
        b = trees_step(tree[1], b, x);
        c = trees_step(tree[2], c, x);
        d = trees_step(tree[3], d, x);
    }
    const size_t n = (size_t)1 << depth;
    leaf[0] = a - n, leaf[1] = b - n, leaf[2] = c - n, leaf[3] = d - n;
}

static bool trees_point_good(const double *x, int dims) {
    bool good = true;
    for (int v = 0; v < dims; v++) good = good && stream_good(x[v]);
    return good;
}

static void trees_see_range(trees *s, const double *x, int dims) {
    for (int v = 0; v < dims; v++) {
        s->low[v] = fmin(s->low[v], x[v]);
        s->high[v] = fmax(s->high[v], x[v]);
    }
}

/* A value that never changed stands in the middle. */
static void trees_scale(const trees *s, const double *x, int dims, trees_node *out) {
    for (int v = 0; v < dims; v++) {
        const double width = s->high[v] - s->low[v], off = x[v] - s->low[v];
        const double unit = width > 0 ? off / width : 0.5 + off;
        out[v * TREES_BLOCK] = (trees_node)trees_place(unit) << 32 | trees_low_bits;
    }
}

static weft_point trees_judge(trees *s, const weft_detector_desc *d, uint64_t mass) {
    const double even = d->trees * d->window;
    const double score = log2(even / ((double)mass + 1));
    const bool automatic = d->threshold == 0;
    const bool ready = s->windows > 1 && (!automatic || (double)s->remembered * d->rate >= 4);
    weft_point p = stream_judged(0, NAN, 1, ready);
    if (s->windows < 2) return p;
    p.score = score;
    if (ready && score >= s->cut) p.label = WEFT_LABEL_OUTLIER;
    const double bin = floor(score * TREES_BINS_A_BIT) + TREES_BINS_BELOW;
    if (automatic) s->bin[bin < 0 ? 0 : bin >= TREES_BINS ? TREES_BINS - 1 : (int)bin]++;
    return p;
}

/* The first n points of the block through all trees: their masses are added up, and they are
 * counted. Eight points go through a tree together, those left over through four trees together. */
static void trees_pass(trees *s, const weft_detector_desc *d, size_t n, uint64_t *mass) {
    const size_t leaves = trees_leaves(d), most = (size_t)d->trees;
    const int depth = (int)d->depth;
    const size_t eights = n / 8 * 8;
    for (size_t t = 0; t < most && eights; t++) {
        const uint32_t *const weight = s->mass + t * leaves;
        uint32_t *const count = s->count + t * leaves;
        for (size_t p = 0; p < eights; p += 8) {
            size_t leaf[8];
            trees_walk_points(s->node + t * leaves, s->scaled + p, depth, leaf);
            for (size_t i = 0; i < 8; i++) {
                mass[p + i] += weight[leaf[i]];
                count[leaf[i]]++;
            }
        }
    }
    for (size_t p = eights; p < n; p++)
        for (size_t t = 0; t < most; t += 4) {
            const size_t left = most - t < 4 ? most - t : 4;
            const trees_node *tree[4];
            size_t leaf[4];
            for (size_t i = 0; i < 4; i++) tree[i] = s->node + (t + (i < left ? i : 0)) * leaves;
            trees_walk_trees(tree, s->scaled + p, depth, leaf);
            for (size_t i = 0; i < left; i++) {
                mass[p] += s->mass[(t + i) * leaves + leaf[i]];
                s->count[(t + i) * leaves + leaf[i]]++;
            }
        }
}

/* At most TREES_BLOCK points, none beyond the end of a window. */
static void trees_block(weft_detector *d, const double *x, size_t n, weft_point *out) {
    trees *const s = d->state;
    const size_t dims = (size_t)d->desc.dims;
    uint64_t mass[TREES_BLOCK];
    size_t place[TREES_BLOCK], good = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = stream_missing();
        if (!trees_point_good(x + i * dims, d->desc.dims)) continue;
        place[good] = i;
        mass[good] = 0;
        trees_scale(s, x + i * dims, d->desc.dims, s->scaled + good);
        good++;
    }
    trees_pass(s, &d->desc, good, mass);
    for (size_t i = 0; i < good; i++) out[place[i]] = trees_judge(s, &d->desc, mass[i]);
    s->at += (int64_t)good;
}

static void trees_feed(weft_detector *d, const double *x, size_t n, weft_point *out) {
    trees *const s = d->state;
    const size_t dims = (size_t)d->desc.dims;
    const int64_t window = (int64_t)d->desc.window;
    d->count += (int64_t)n;
    while (n) {
        size_t some = 1;
        if (s->windows == 0) {
            out[0] = stream_missing();
            if (trees_point_good(x, d->desc.dims)) {
                trees_see_range(s, x, d->desc.dims);
                out[0] = stream_judged(0, NAN, 1, false);
                s->at++;
            }
        } else {
            const size_t left = (size_t)(window - s->at);
            some = n < TREES_BLOCK ? n : TREES_BLOCK;
            if (some > left) some = left;
            trees_block(d, x, some, out);
        }
        if (s->at == window) trees_window_ends(s, &d->desc);
        x += some * dims;
        out += some;
        n -= some;
    }
}

static void trees_keep(weft_detector *d, codec *k) {
    trees *const s = d->state;
    const uint32_t window = (uint32_t)d->desc.window;
    const size_t all = trees_leaves(&d->desc) * (size_t)d->desc.trees;
    codec_whole(k, "points of the window", &s->at, 0, (int64_t)window - 1);
    codec_whole(k, "windows", &s->windows, trees_range_given(&d->desc), INT64_MAX / 2);
    codec_whole(k, "scores", &s->remembered, 0, 2 * TREES_REMEMBERED + (int64_t)window);
    codec_reals(k, "cut", &s->cut, 1);
    codec_values(k, "range, low", s->low, (size_t)d->desc.dims);
    codec_values(k, "range, high", s->high, (size_t)d->desc.dims);
    codec_counts(k, "counts", s->count, all, window);
    codec_counts(k, "masses", s->mass, all, UINT32_MAX);
    codec_counts(k, "histogram", s->bin, TREES_BINS, 2 * TREES_REMEMBERED + window);
}

const detector_row detector_TREES = {trees_lay, trees_begin, trees_feed, trees_keep, 1024};
