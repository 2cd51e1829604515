/* test_stream_trees.c - half-space trees against trees of pointers with the same random numbers,
 * which keep both masses in every node and score on the way down, as the paper has it. */
#include "stream_world.h"
#include "weft/rl.h"

typedef struct node {
    struct node *below, *above;
    int value;
    uint32_t split;
    double reference, latest;
} node;

static uint32_t place_of(double unit) { /* the library counts in 2^-28 of the range, from -4 on */
    return (uint32_t)((fmax(-4, fmin(5, unit)) + 4) * 0x1p28);
}

static node *grow(weft_rng *g, int dims, int depth, uint32_t *low, uint32_t *high) {
    node *const n = calloc(1, sizeof *n);
    if (!depth) return n;
    n->value = (int)weft_rng_below(g, (uint32_t)dims);
    const uint32_t from = low[n->value], to = high[n->value];
    n->split = from + (to - from) / 2;
    high[n->value] = n->split;
    n->below = grow(g, dims, depth - 1, low, high);
    high[n->value] = to;
    low[n->value] = n->split;
    n->above = grow(g, dims, depth - 1, low, high);
    low[n->value] = from;
    return n;
}

static double mass_of(const node *n, const uint32_t *x, double limit, int depth) {
    if (!n->below || n->reference <= limit) return ldexp(n->reference, depth);
    return mass_of(x[n->value] < n->split ? n->below : n->above, x, limit, depth + 1);
}

static void count(node *n, const uint32_t *x) {
    n->latest++;
    if (n->below) count(x[n->value] < n->split ? n->below : n->above, x);
}

static void turn(node *n) {
    n->reference = n->latest;
    n->latest = 0;
    if (n->below) turn(n->below), turn(n->above);
}

static void drop(node *n) {
    if (n->below) drop(n->below), drop(n->above);
    free(n);
}

TEST(trees_are_trees_of_pointers) {
    enum { N = 4000, MOST_TREES = 25, MOST_DIMS = 6 };
    static const weft_detector_desc cases[] = {
        {.dims = 1, .window = 250, .trees = 25, .depth = 8},
        {.dims = 2, .window = 100, .trees = 25, .depth = 8, .seed = 1},
        {.dims = 6, .window = 250, .trees = 13, .depth = 6, .seed = 2},
        {.dims = 3, .window = 37, .trees = 3, .depth = 1, .seed = 3},
        {.dims = 2, .window = 64, .trees = 5, .depth = 12, .seed = 9007199254740991},
        {.dims = 3, .window = 99, .trees = 10, .depth = 8, .low = -2, .high = 3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        weft_detector_desc desc = cases[k];
        desc.kind = WEFT_DETECT_TREES;
        desc.threshold = 2;
        const int dims = desc.dims, trees = (int)desc.trees, window = (int)desc.window;
        CASE("%d values, %d trees of depth %g", dims, trees, desc.depth);
        node *tree[MOST_TREES];
        for (int t = 0; t < trees; t++) {
            weft_rng g;
            uint32_t low[MOST_DIMS], high[MOST_DIMS];
            weft_rng_seed(&g, (uint64_t)desc.seed, (uint64_t)t);
            for (int v = 0; v < dims; v++) {
                const double centre = weft_rng_uniform(&g);
                const double side = 2 * (centre > 0.5 ? centre : 1 - centre);
                low[v] = place_of(centre - side), high[v] = place_of(centre + side);
            }
            tree[t] = grow(&g, dims, (int)desc.depth, low, high);
        }
        weft_detector *const d = stream_made(desc);
        const bool given = desc.high > desc.low;
        double low[MOST_DIMS], high[MOST_DIMS];
        for (int v = 0; v < dims; v++)
            low[v] = given ? desc.low : INFINITY, high[v] = given ? desc.high : -INFINITY;
        int outliers = 0, wrong = 0;
        for (int i = 0; i < N; i++) {
            double x[MOST_DIMS];
            uint32_t place[MOST_DIMS];
            for (int v = 0; v < dims; v++)
                x[v] = noise() + (v ? 0.5 * x[v - 1] : 0) + (i % 100 == 99 ? 6 : 0);
            weft_point p;
            weft_detector_feed(d, x, 1, &p);
            const int seen = given ? i : i - window; /* points that count */
            for (int v = 0; v < dims; v++) {
                if (!given && i < window)
                    low[v] = fmin(low[v], x[v]), high[v] = fmax(high[v], x[v]);
                place[v] = place_of((x[v] - low[v]) / (high[v] - low[v]));
            }
            if (seen < 0) {
                wrong += p.label != WEFT_LABEL_WARMUP || p.score != 0;
                continue;
            }
            double mass = 0;
            for (int t = 0; t < trees; t++) {
                mass += mass_of(tree[t], place, floor(window / 10.0), 0);
                count(tree[t], place);
            }
            const double score = log2((double)trees * window / (mass + 1));
            wrong += seen < window ? p.label != WEFT_LABEL_WARMUP
                                   : p.score != score || (p.label == WEFT_LABEL_OUTLIER) !=
                                                             (score >= desc.threshold);
            outliers += p.label == WEFT_LABEL_OUTLIER;
            if ((seen + 1) % window == 0)
                for (int t = 0; t < trees; t++) turn(tree[t]);
        }
        CHECK_EQ(wrong, 0);
        CHECK(outliers > 0 || desc.depth == 1);
        for (int t = 0; t < trees; t++) drop(tree[t]);
        weft_detector_free(d);
    }
}

/* Without a threshold, the share called outliers is the rate, from the scores seen before. */
TEST(the_rate_is_kept) {
    static const double rates[] = {0.003, 0.01, 0.05};
    for (int r = 0; r < 3; r++) {
        CASE("rate %g", rates[r]);
        weft_detector *const d = stream_made(
            (weft_detector_desc){.kind = WEFT_DETECT_TREES, .dims = 2, .rate = rates[r]});
        const int n = 100000;
        int outliers = 0;
        for (int i = 0; i < n; i++) {
            weft_point p;
            weft_detector_feed(d, (double[]){noise(), noise()}, 1, &p);
            outliers += p.label == WEFT_LABEL_OUTLIER;
        }
        CHECK(outliers > 0.5 * rates[r] * n && outliers < 1.3 * rates[r] * n);
        weft_detector_free(d);
    }
}

/* A stream whose points are all alike has no rare ones: a few odd points, which lighten the place
 * of the others a little, must not make outliers of those. */
TEST(constant_streams_have_no_outliers) {
    enum { WINDOWS = 12 };
    static const double usual[] = {0, 7, -1e9};
    for (int odd = 0; odd <= 24; odd += 2)
        for (int u = 0; u < 3; u++) {
            CASE("%d odd points among %g", odd, usual[u]);
            weft_detector *const d = stream_made((weft_detector_desc){.kind = WEFT_DETECT_TREES});
            int wrong = 0, found = 0;
            for (int i = 0; i < 250 * WINDOWS; i++) {
                const bool strange = i >= 1500 && i < 1500 + odd;
                const double x = strange ? usual[u] + 0.3 * (i % 7 - 3.3) : usual[u];
                weft_point p;
                weft_detector_feed(d, &x, 1, &p);
                if (p.label == WEFT_LABEL_OUTLIER) *(strange ? &found : &wrong) += 1;
            }
            CHECK_EQ(wrong, 0);
            CHECK_EQ(found, odd);
            weft_detector_free(d);
        }
}

/* Two values, one of them rare: the rare one is found as long as it is rarer than the rate. */
TEST(streams_of_two_values) {
    weft_detector *const d = stream_made((weft_detector_desc){.kind = WEFT_DETECT_TREES});
    int wrong = 0, found = 0, rare = 0;
    for (int i = 0; i < 20000; i++) {
        const bool strange = i % 250 == 17;
        const double x = strange ? 3 : 2;
        weft_point p;
        weft_detector_feed(d, &x, 1, &p);
        if (i < 2000) continue;
        rare += strange;
        if (p.label == WEFT_LABEL_OUTLIER) *(strange ? &found : &wrong) += 1;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(found, rare);
    weft_detector_free(d);
}
