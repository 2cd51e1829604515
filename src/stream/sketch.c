/* sketch.c - see sketch.h. Deterministic: which half of a joined pair stays alternates by level. */
#include "sketch.h"

#include <string.h>

void sketch_fit(int64_t most, double error, int64_t *size, int64_t *levels) {
    for (*size = 8;; *size *= 2) {
        *levels = 0;
        while (*size << *levels < most) ++*levels;
        if ((double)*levels <= 2 * error * (double)*size) break;
    }
    ++*levels; /* the list that `most` values end in */
}

void sketch_lay(sketch *s, room *r, int64_t size, int64_t levels) {
    const size_t bytes = (size_t)size * sizeof(double);
    double *const gathered = room_take(r, bytes);
    double *const carry = room_take(r, bytes);
    double *const spare = room_take(r, bytes);
    if (s)
        s->size = size, s->levels = levels, s->gathered = gathered, s->carry = carry,
        s->spare = spare;
    for (int64_t h = 0; h < levels; h++) {
        double *const list = room_take(r, bytes);
        if (s) s->list[h] = list;
    }
}

void sketch_clear(sketch *s) {
    s->n = s->have = s->turn = 0;
}

/* By merging runs that double; tmp is as large as x. */
static void sketch_sort(double *x, double *tmp, int64_t n) {
    enum { RUN = 8 };
    for (int64_t from = 0; from < n; from += RUN) {
        const int64_t to = from + RUN < n ? from + RUN : n;
        for (int64_t i = from + 1; i < to; i++) {
            const double v = x[i];
            int64_t k = i;
            for (; k > from && x[k - 1] > v; k--) x[k] = x[k - 1];
            x[k] = v;
        }
    }
    for (int64_t run = RUN; run < n; run *= 2) {
        for (int64_t from = 0; from < n; from += 2 * run) {
            const int64_t mid = from + run < n ? from + run : n,
                          to = from + 2 * run < n ? from + 2 * run : n;
            int64_t a = from, b = mid;
            for (int64_t i = from; i < to; i++)
                tmp[i] = b >= to || (a < mid && x[a] <= x[b]) ? x[a++] : x[b++];
        }
        memcpy(x, tmp, (size_t)n * sizeof *x);
    }
}

/* Every other value of two sorted lists, beginning with the first or the second. */
static void sketch_halve(const double *a, const double *b, double *out, int64_t size, int first) {
    int64_t i = 0, j = 0;
    for (int64_t k = 0; k < 2 * size; k++) {
        const double v = j >= size || (i < size && a[i] <= b[j]) ? a[i++] : b[j++];
        if ((k & 1) == first) out[k >> 1] = v;
    }
}

void sketch_add(sketch *s, double x) {
    s->gathered[s->n++ % s->size] = x;
    if (s->n % s->size) return;
    sketch_sort(s->gathered, s->spare, s->size);
    memcpy(s->carry, s->gathered, (size_t)s->size * sizeof *s->carry);
    int64_t h = 0;
    for (; s->have >> h & 1; h++) {
        sketch_halve(s->list[h], s->carry, s->spare, s->size, (int)(s->turn >> h & 1));
        s->turn ^= INT64_C(1) << h;
        s->have ^= INT64_C(1) << h;
        double *const joined = s->spare;
        s->spare = s->carry;
        s->carry = joined;
    }
    s->have |= INT64_C(1) << h;
    double *const list = s->list[h];
    s->list[h] = s->carry;
    s->carry = list;
}

/* ---- quantiles ---- */

static int64_t sketch_not_above(const double *x, int64_t n, double v) {
    int64_t low = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        if (x[low + half] <= v) low += half + 1, n -= half + 1;
        else n = half;
    }
    return low;
}

/* Values that do not exceed v, counted with their weights. */
static double sketch_rank(const sketch *s, double v) {
    double rank = (double)sketch_not_above(s->gathered, s->n % s->size, v);
    for (int64_t h = 0; h < s->levels; h++)
        if (s->have >> h & 1) rank += (double)(sketch_not_above(s->list[h], s->size, v) << h);
    return rank;
}

static void sketch_reach(const sketch *s, double *low, double *high) {
    const int64_t rest = s->n % s->size;
    if (rest) {
        *low = fmin(*low, s->gathered[0]);
        *high = fmax(*high, s->gathered[rest - 1]);
    }
    for (int64_t h = 0; h < s->levels; h++) {
        if (!(s->have >> h & 1)) continue;
        *low = fmin(*low, s->list[h][0]);
        *high = fmax(*high, s->list[h][s->size - 1]);
    }
}

/* Whole numbers in the order of the doubles they stand for, and back. */
static int64_t sketch_key(double v) {
    int64_t k;
    v += 0.0; /* -0 is 0 */
    memcpy(&k, &v, sizeof k);
    return k < 0 ? INT64_MIN - k : k;
}

static double sketch_unkey(int64_t k) {
    double v;
    k = k < 0 ? INT64_MIN - k : k;
    memcpy(&v, &k, sizeof v);
    return v;
}

double sketch_quantile(sketch *a, sketch *b, double share) {
    sketch_sort(a->gathered, a->spare, a->n % a->size);
    sketch_sort(b->gathered, b->spare, b->n % b->size);
    double low = INFINITY, high = -INFINITY;
    sketch_reach(a, &low, &high);
    sketch_reach(b, &low, &high);
    const double want = share * (double)(a->n + b->n);
    int64_t from = sketch_key(low), to = sketch_key(high);
    while (from < to) { /* at most 64 halvings: from is too low, or the answer */
        const int64_t mid = (from & to) + ((from ^ to) >> 1);
        const double v = sketch_unkey(mid);
        if (sketch_rank(a, v) + sketch_rank(b, v) >= want) to = mid;
        else from = mid + 1;
    }
    return sketch_unkey(from);
}

void sketch_keep(sketch *s, codec *k) {
    const int64_t every = (INT64_C(1) << s->levels) - 1;
    codec_whole(k, "values in a sketch", &s->n, 0, s->size << s->levels);
    codec_whole(k, "lists of a sketch", &s->have, 0, every);
    codec_whole(k, "halves of a sketch", &s->turn, 0, every);
    codec_require(k, "lists of a sketch", s->have == s->n / s->size);
    codec_values(k, "gathered values", s->gathered, (size_t)s->size);
    for (int64_t h = 0; h < s->levels; h++)
        codec_values(k, "sorted values", s->list[h], (size_t)s->size);
}
