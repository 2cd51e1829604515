/* test_bits.c - what must not change a result: threads, repetition, stale memory change no bit;
 * vector width, fusing and fast kernels change only the last digits.
 *
 * Whole networks are trained for some steps; losses and the hash of the state are compared. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "models.h"
#include "plan/passes.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 20 };

static int steps(void) { /* spinning threads are slow under a sanitizer */
    return test_sanitized() ? 4 : STEPS;
}

typedef struct record {
    float loss[STEPS];
    uint64_t hash;
    weft_stats stats;
    char isa[16];
} record;

typedef void before_run(weft_plan *p);

/* Trains row for `runs` steps; `before` is called ahead of each run, with the feeds set. */
static bool train(const model_row *row, int threads, weft_plan_desc d, int runs, before_run *before,
                  record *out) {
    trainer t;
    memset(out, 0, sizeof *out);
    d.threads = threads;
    bool good = CHECK(trainer_open(&t, row, &(weft_open_desc){.threads = threads}, d));
    if (!good) CHECK_STR(weft_error(t.c), "");
    for (int i = 0; good && i < runs; i++) {
        trainer_feed(&t, (uint32_t)i);
        if (before) before(t.p);
        CHECK_EQ(weft_run(t.p), WEFT_OK);
        out->loss[i] = weft_item(t.p, t.m.loss);
        CHECK(isfinite(out->loss[i]));
    }
    if (good) {
        out->hash = weft_state_hash(t.s);
        out->stats = weft_plan_stats(t.p);
        strncat(out->isa, weft_device_isa(t.c), sizeof out->isa - 1);
    }
    trainer_close(&t);
    return good;
}

static void same_bits(const record *a, const record *b) {
    CHECK_MEM(a->loss, b->loss, sizeof a->loss);
    CHECK(a->hash == b->hash);
}

static void near(const record *a, const record *b, double tol) {
    CHECK_ARRAY(a->loss, b->loss, STEPS, tol);
}

TEST(threads_change_no_bit) {
    const int threads[] = {2, 3, 8};
    for (int i = 0; i < MODELS; i++) {
        record one, many;
        if (!train(&model_table[i], 1, (weft_plan_desc){0}, steps(), NULL, &one)) continue;
        for (int k = 0; k < 3; k++) {
            CASE("%s with %d threads", model_table[i].name, threads[k]);
            if (!train(&model_table[i], threads[k], (weft_plan_desc){0}, steps(), NULL, &many))
                continue;
            CHECK_EQ(many.stats.threads, threads[k]);
            same_bits(&many, &one);
        }
    }
}

TEST(repetition_changes_no_bit) {
    for (int i = 0; i < MODELS; i++) {
        CASE("%s", model_table[i].name);
        record first, again;
        train(&model_table[i], 2, (weft_plan_desc){0}, steps(), NULL, &first);
        for (int k = 0; k < 3; k++) {
            train(&model_table[i], 2, (weft_plan_desc){0}, steps(), NULL, &again);
            same_bits(&again, &first);
        }
    }
}

/* ---- stale memory: what a run did not write itself must not matter ---- */

/* The arena's bytes, on any device, changed by `change` and written back. */
static void with_arena(weft_plan *p, void (*change)(weft_plan *p, unsigned char *bytes)) {
    unsigned char *bytes = malloc(p->arena_bytes + 1);
    if (!CHECK(bytes)) return;
    CHECK_EQ(device_get(p->ctx, p->arena, 0, bytes, p->arena_bytes), WEFT_OK);
    change(p, bytes);
    CHECK_EQ(p->ctx->memory->write(p->ctx, p->arena, 0, bytes, p->arena_bytes), WEFT_OK);
    free(bytes);
}

/* Results and feeds keep their bytes; everything else in the arena becomes NaN. */
static void poison_bytes(weft_plan *p, unsigned char *bytes) {
    uint8_t *keep = calloc(p->arena_bytes + 1, 1);
    for (size_t b = 0; keep && b < p->bufs; b++)
        if (p->buf[b].pinned && p->buf[b].block == p->arena)
            memset(keep + p->buf[b].from, 1, p->buf[b].bytes);
    for (size_t i = 0; keep && i < p->arena_bytes; i++)
        if (!keep[i]) bytes[i] = 0xff;
    free(keep);
}

static void poison(weft_plan *p) {
    with_arena(p, poison_bytes);
}

TEST(stale_memory_changes_no_bit) {
    for (int i = 0; i < MODELS; i++)
        for (int way = 0; way < 3; way++) {
            static const char *const name[] = {"fused", "unfused", "portable"};
            CASE("%s, %s", model_table[i].name, name[way]);
            record clean, dirty;
            weft_plan_desc d = {.unfused = way == 1, .portable = way == 2};
            if (!train(&model_table[i], 1, d, steps(), NULL, &clean)) continue;
            train(&model_table[i], 1, d, steps(), poison, &dirty);
            same_bits(&dirty, &clean);
        }
}

/* Nobody writes behind a buffer: a canary stands in the gap between each and the next 256. */
static void canaries(weft_plan *p, unsigned char *bytes, bool look) {
    for (size_t b = 0; b < p->bufs; b++) {
        const buffer *x = &p->buf[b];
        if (x->place != BUF_ARENA || x->first == UINT32_MAX) continue;
        const size_t end = x->from + x->bytes, gap = (256 - x->bytes % 256) % 256;
        for (size_t at = end; at < end + gap && at < p->arena_bytes; at++) {
            bool shared = false; /* another buffer may live there at another time */
            for (size_t o = 0; o < p->bufs && !shared; o++)
                shared = p->buf[o].place == BUF_ARENA && p->buf[o].first != UINT32_MAX &&
                         at >= p->buf[o].from && at < p->buf[o].from + p->buf[o].bytes;
            if (shared) continue;
            if (look && !CHECK_EQ(bytes[at], 0xa5)) return;
            bytes[at] = 0xa5;
        }
    }
}

static void canaries_put(weft_plan *p, unsigned char *bytes) {
    canaries(p, bytes, false);
}

static void canaries_look(weft_plan *p, unsigned char *bytes) {
    canaries(p, bytes, true);
}

TEST(nobody_writes_behind_a_buffer) {
    for (int i = 0; i < MODELS; i++) {
        CASE("%s", model_table[i].name);
        trainer t;
        if (CHECK(trainer_open(&t, &model_table[i], NULL, (weft_plan_desc){.threads = 1}))) {
            CHECK_EQ(memory_check(t.p), WEFT_OK);
            with_arena(t.p, canaries_put);
            trainer_step(&t, 0);
            with_arena(t.p, canaries_look);
        }
        trainer_close(&t);
    }
}

/* ---- the same values by other ways ---- */

static void set(const char *name, const char *value) {
    if (value) setenv(name, value, 1);
    else unsetenv(name);
}

TEST(other_ways_give_the_same_values) {
    static const struct way {
        const char *variable, *value;
        bool unfused, portable;
    } way[] = {
        {"WEFT_FUSE", "0", false, false},  {"WEFT_BLOCKS", "none", false, false},
        {"WEFT_ISA", "128", false, false}, {"WEFT_ISA", "256", false, false},
        {"WEFT_ISA", "512", false, false}, {"WEFT_NOTHING", "", true, false},
        {"WEFT_NOTHING", "", false, true},
    };
    const size_t ways = sizeof way / sizeof *way;
    for (int i = 0; i < MODELS; i++) {
        record plain, other;
        if (!train(&model_table[i], 1, (weft_plan_desc){0}, steps(), NULL, &plain)) continue;
        for (size_t k = 0; k < ways; k++) {
            const struct way *w = &way[k];
            CASE("%s by %s=%s%s%s", model_table[i].name, w->variable, w->value,
                 w->unfused ? " unfused" : "", w->portable ? " portable" : "");
            weft_plan_desc d = {.unfused = w->unfused, .portable = w->portable};
            set(w->variable, w->value);
            bool good = train(&model_table[i], 1, d, steps(), NULL, &other);
            set(w->variable, NULL);
            if (!good) continue;
            near(&other, &plain, 2e-4);
            if (strcmp(w->variable, "WEFT_FUSE") == 0 || w->unfused)
                CHECK(other.stats.kernels > plain.stats.kernels);
            if (strcmp(w->variable, "WEFT_ISA") == 0) {
                if (strcmp(w->value, "128") == 0 && strncmp(plain.isa, "avx", 3) == 0)
                    CHECK_STR(other.isa, "sse2");
                if (strcmp(w->value, "256") == 0 && strncmp(plain.isa, "avx", 3) == 0)
                    CHECK_STR(other.isa, "avx2");
                if (strcmp(other.isa, plain.isa) == 0) same_bits(&other, &plain);
            }
        }
    }
}

/* Every width, one thread against many. */
TEST(threads_change_no_bit_at_any_width) {
    const char *const width[] = {"128", "256", "512"};
    for (int i = 0; i < MODELS; i++)
        for (int w = 0; w < 3; w++) {
            CASE("%s at %s", model_table[i].name, width[w]);
            record one, many;
            set("WEFT_ISA", width[w]);
            train(&model_table[i], 1, (weft_plan_desc){0}, 5, NULL, &one);
            train(&model_table[i], 3, (weft_plan_desc){0}, 5, NULL, &many);
            set("WEFT_ISA", NULL);
            same_bits(&many, &one);
        }
}

/* ---- checkpoints: computed again instead of kept ---- */

static weft_tensor tower(weft_state *s, weft_tensor x, int layers, bool checkpoint) {
    char name[] = "fc0";
    for (int i = 0; i < layers; i++) {
        name[2] = (char)('a' + i);
        if (checkpoint && i % 4 == 0) weft_checkpoint_begin(x.g);
        weft_tensor h = weft_linear(s, x, 64, name);
        x = weft_dropout(weft_add(weft_tanh(h), weft_sin(h)), 0.1f);
        if (checkpoint && i % 4 == 3) weft_checkpoint_end(x.g);
    }
    return x;
}

static void build_tower(weft_graph *g, weft_state *s, model *m, bool checkpoint) {
    m->x = weft_input(g, WEFT_F32, weft_dims(256, 64));
    m->target = weft_input(g, WEFT_F32, weft_dims(256, 64));
    m->y = tower(s, m->x, 12, checkpoint);
    m->loss = weft_mse(m->y, m->target);
    m->update = weft_sgd(s, m->loss, &(weft_sgd_desc){.lr = 0.1f});
}
static void build_kept(weft_graph *g, weft_state *s, model *m) {
    build_tower(g, s, m, false);
}
static void build_again(weft_graph *g, weft_state *s, model *m) {
    build_tower(g, s, m, true);
}

TEST(checkpoints_save_memory_and_change_nothing) {
    const model_row kept = {"kept", build_kept}, again = {"again", build_again};
    record a, b;
    train(&kept, 1, (weft_plan_desc){0}, 5, NULL, &a);
    train(&again, 1, (weft_plan_desc){0}, 5, NULL, &b);
    near(&b, &a, 1e-6);
    CHECK(b.stats.arena_bytes < a.stats.arena_bytes * 3 / 4);
    CHECK(b.stats.flops > a.stats.flops);
}
