/* peak.c - the two limits of one core, each the best of a few short runs.
 *
 * Arithmetic: twelve independent chains of multiply and add cover the latency of every core we know
 * (two units, four to six cycles). 128 bits has no fused form in the baseline, so there the two are
 * separate instructions. Memory: a scaled copy with ordinary loads and stores, as a kernel has them
 * (memcpy would go past the caches where a kernel must not), in four streams, since one alone does
 * not keep the prefetchers busy. */
#include <weft/bench.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

enum { PEAK_ROUNDS = 1 << 18, PEAK_CHAINS = 12, PEAK_STREAMS = 4 };

/* The chains begin differently, or the compiler would see that they are one. */
#define PEAK_LOOPS(name, target_text, vector, set, step, load, store, scale, lanes)                \
    __attribute__((target(target_text), noinline)) static double peak_gflops_##name(void) {        \
        const vector x = set(0.999f), y = set(1e-3f);                                              \
        vector c0 = set(0.1f), c1 = set(0.2f), c2 = set(0.3f), c3 = set(0.4f), c4 = set(0.5f),     \
               c5 = set(0.6f), c6 = set(0.7f), c7 = set(0.8f), c8 = set(0.9f), c9 = set(1.0f),     \
               c10 = set(1.1f), c11 = set(1.2f);                                                   \
        const double start = weft_clock();                                                         \
        for (int i = 0; i < PEAK_ROUNDS; i++) {                                                    \
            c0 = step(c0, x, y), c1 = step(c1, x, y), c2 = step(c2, x, y), c3 = step(c3, x, y);    \
            c4 = step(c4, x, y), c5 = step(c5, x, y), c6 = step(c6, x, y), c7 = step(c7, x, y);    \
            c8 = step(c8, x, y), c9 = step(c9, x, y), c10 = step(c10, x, y);                       \
            c11 = step(c11, x, y);                                                                 \
        }                                                                                          \
        const double took = weft_clock() - start;                                                  \
        const vector all[] = {c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11};                   \
        float out[PEAK_CHAINS * (lanes)], sum = 0;                                                 \
        for (int i = 0; i < PEAK_CHAINS; i++) store(out + i * (lanes), all[i]);                    \
        for (int i = 0; i < PEAK_CHAINS * (lanes); i++) sum += out[i];                             \
        const double rate = 2.0 * PEAK_CHAINS * (lanes)*PEAK_ROUNDS / took * 1e-9;                 \
        return sum > 0 ? rate : 0; /* always, but now the chains are needed */                     \
    }                                                                                              \
    __attribute__((target(target_text), noinline)) static void peak_copy_##name(void *user) {      \
        const peak_job *j = user;                                                                  \
        const vector two = set(2);                                                                 \
        const size_t q = j->n / PEAK_STREAMS / 16 * 16;                                            \
        for (size_t i = 0; i + (lanes) <= q; i += (lanes)) {                                       \
            store(j->to + i, scale(load(j->from + i), two));                                       \
            store(j->to + i + q, scale(load(j->from + i + q), two));                               \
            store(j->to + i + 2 * q, scale(load(j->from + i + 2 * q), two));                       \
            store(j->to + i + 3 * q, scale(load(j->from + i + 3 * q), two));                       \
        }                                                                                          \
    }                                                                                              \
    __attribute__((target(target_text), noinline)) static void peak_read_##name(void *user) {      \
        peak_job *j = user;                                                                        \
        const size_t q = j->n / PEAK_STREAMS / 16 * 16;                                            \
        const float *f0 = j->from, *f1 = f0 + q, *f2 = f1 + q, *f3 = f2 + q;                       \
        vector c0 = set(1), c1 = c0, c2 = c0, c3 = c0, c4 = c0, c5 = c0, c6 = c0, c7 = c0;         \
        for (size_t i = 0; i + 2 * (lanes) <= q; i += 2 * (lanes)) {                               \
            c0 = scale(c0, load(f0 + i)), c1 = scale(c1, load(f0 + i + (lanes)));                  \
            c2 = scale(c2, load(f1 + i)), c3 = scale(c3, load(f1 + i + (lanes)));                  \
            c4 = scale(c4, load(f2 + i)), c5 = scale(c5, load(f2 + i + (lanes)));                  \
            c6 = scale(c6, load(f3 + i)), c7 = scale(c7, load(f3 + i + (lanes)));                  \
        }                                                                                          \
        store(j->sink,                                                                             \
              scale(scale(scale(c0, c1), scale(c2, c3)), scale(scale(c4, c5), scale(c6, c7))));    \
    }
#define PEAK_SSE2(c, x, y) _mm_add_ps(_mm_mul_ps(c, x), y)

typedef struct peak_job {
    float *to, *from;
    size_t n;
    float sink[16]; /* what reading comes to, so that it is not left out */
} peak_job;

PEAK_LOOPS(sse2, "sse2", __m128, _mm_set1_ps, PEAK_SSE2, _mm_loadu_ps, _mm_storeu_ps, _mm_mul_ps, 4)
PEAK_LOOPS(avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_loadu_ps,
           _mm256_storeu_ps, _mm256_mul_ps, 8)
PEAK_LOOPS(avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_loadu_ps,
           _mm512_storeu_ps, _mm512_mul_ps, 16)

static const struct peak_level {
    const char *isa;
    double (*gflops)(void);
    void (*copy)(void *job), (*read)(void *job);
} peak_levels[] = {
    {"sse2", peak_gflops_sse2, peak_copy_sse2, peak_read_sse2},
    {"avx2", peak_gflops_avx2, peak_copy_avx2, peak_read_avx2},
    {"avx512", peak_gflops_avx512, peak_copy_avx512, peak_read_avx512},
};

static const struct peak_level *peak_find(const char *isa) {
    for (size_t i = 0; i < sizeof peak_levels / sizeof *peak_levels; i++)
        if (isa && strcmp(peak_levels[i].isa, isa) == 0) return &peak_levels[i];
    return NULL;
}

double weft_peak_gflops(const char *isa) {
    const struct peak_level *level = peak_find(isa);
    double best = 0;
    for (int i = 0; level && i < 25; i++) {
        const double rate = level->gflops();
        if (rate > best) best = rate;
    }
    return best;
}

/* arrays: 2, from one half to the other; 1, in place; 0, reading only. */
static double peak_gbs(const char *isa, size_t footprint, int arrays) {
    const struct peak_level *level = peak_find(isa);
    const bool reads = arrays == 0;
    if (reads) arrays = 1;
    const size_t most = (size_t)128 << 20; /* beyond every cache the rate no longer changes */
    const size_t lines = (footprint < most ? footprint : most) / 64 / (size_t)arrays;
    const size_t n = lines * (64 / sizeof(float));
    void *raw = malloc((size_t)arrays * n * sizeof(float) + 64);
    float *memory = (float *)(((uintptr_t)raw + 63) & ~(uintptr_t)63); /* no split lines */
    double rate = 0;
    if (level && n && raw) {
        for (size_t i = 0; i < (size_t)arrays * n; i++) memory[i] = 0; /* each its own pages */
        peak_job j = {.to = memory, .from = memory + (size_t)(arrays - 1) * n, .n = n};
        weft_timing t;
        const weft_bench_call once = {reads ? level->read : level->copy, &j};
        weft_bench_time(&(weft_bench_desc){.budget = 0.1}, &once, 1, &t);
        rate = (reads ? 1e-3 : 2e-3) * (double)(n * sizeof *memory) / t.min_us;
    }
    free(raw);
    return rate;
}

double weft_peak_copy_gbs(const char *isa, size_t footprint) {
    return peak_gbs(isa, footprint, 2);
}
double weft_peak_scale_gbs(const char *isa, size_t footprint) {
    return peak_gbs(isa, footprint, 1);
}
double weft_peak_read_gbs(const char *isa, size_t footprint) {
    return peak_gbs(isa, footprint, 0);
}
#undef PEAK_SSE2
#undef PEAK_LOOPS
#else
double weft_peak_gflops(const char *isa) {
    (void)isa;
    return 0;
}

double weft_peak_copy_gbs(const char *isa, size_t footprint) {
    (void)isa, (void)footprint;
    return 0;
}

double weft_peak_scale_gbs(const char *isa, size_t footprint) {
    (void)isa, (void)footprint;
    return 0;
}

double weft_peak_read_gbs(const char *isa, size_t footprint) {
    (void)isa, (void)footprint;
    return 0;
}
#endif
