/* cpu.c - the CPU backend: prepares every step once, then runs them in order on one thread or
 * several.
 *
 * A step is some number of independent units; a thread does its share of them and waits where a
 * later step needs what others have made. Neither the share nor the number of threads changes a
 * bit of any result. */
#include "backend/backend.h"
#include "backend/cpu/cpu_parts.h"
#include "backend/cpu/crew.h"
#include "backend/cpu/epilogue.h"
#include "core/limits.h"
#include <assert.h>
#include <math.h>
#if WEFT_X86
#include <xmmintrin.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

/* Threads, and how many plans run on them. A plan may run while another is compiled that wants more
 * of them: it keeps its own, which are there until the last such plan is freed. */
typedef struct cpu_team {
    struct cpu_team *older;
    crew *crew;
    uint32_t plans;
} cpu_team;

typedef struct cpu_device {
    isa level;
    bool pairs;     /* bf16 meets as bf16 */
    cpu_team *team; /* the latest, made when a plan first wants more than one thread */
} cpu_device;

static void cpu_spread(weft_ctx *c, crew_job *job, void *user);

typedef struct cpu_program {
    cpu_exe *exe;
    size_t n;
    cpu_team *team; /* NULL: one thread */
    char *scratch;  /* a piece for each thread: plans of one context may run side by side */
    size_t scratch_each;
    bool chosen; /* the number of threads is ours to choose: timing confirms it */
    uint32_t runs;
    double spent[2]; /* seconds of a run on one thread and on all, a moving average; 0: not known */
} cpu_program;

/* ---- opening ---- */

static int cpu_count(void) {
#if defined(_SC_NPROCESSORS_ONLN)
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > LIMIT_THREADS ? LIMIT_THREADS : (int)n;
#else
    return 1;
#endif
}

static weft_err cpu_open(weft_ctx *c, const weft_open_desc *d) {
    (void)d;
    cpu_device *dev = mem_new(&c->m, sizeof *dev);
    if (!dev) return weft_fail(c, WEFT_MEMORY, "weft_open: out of memory");
    dev->level = isa_detect();
    dev->pairs = isa_pairs(dev->level);
    c->device = dev;
    c->spread = cpu_spread;
    if (c->threads < 1) c->threads = cpu_count();
    assert(c->threads <= LIMIT_THREADS);
    return WEFT_OK;
}

static void cpu_close(weft_ctx *c) {
    cpu_device *dev = c->device;
    for (cpu_team *t = dev->team, *older; t; t = older) {
        older = t->older;
        assert(!t->plans);
        crew_free(&c->m, t->crew);
        mem_free(&c->m, t);
    }
    mem_free(&c->m, dev);
}

static const char *cpu_isa(const weft_ctx *c) {
    return isa_name(((const cpu_device *)c->device)->level);
}

static bool cpu_has_block(const weft_ctx *c, const weft_graph *g, const node *n) {
    (void)c;
    return routine_has_block(g, n);
}

/* ---- preparing ---- */

static weft_err cpu_no_memory(const weft_plan *p) {
    return weft_fail(p->ctx, WEFT_MEMORY, "compile: out of memory");
}

static char *cpu_address(const weft_plan *p, const roperand *r) {
    if (r->buf == KNOBUF || p->buf[r->buf].passing) return NULL;
    return p->buf[r->buf].at + r->off * (int64_t)weft_dtype_size((weft_dtype)r->dtype);
}

/* A product with operands of 16 bits; all but the way it is computed is known. */
static weft_err cpu_prepare_half(weft_plan *p, const step *s, cpu_exe *e, isa level,
                                 gemm_shape *shape, size_t *scratch) {
    cpu_product *x = e->product;
    x->half = arena_new(&p->memory, sizeof *x->half);
    const bool plain = x->batches == 1 && !s->adds;
    narrow_product *few = plain ? arena_new(&p->memory, sizeof *few) : NULL;
    if (!x->half || (plain && !few)) return cpu_no_memory(p);
    half_types type = {.a = s->in[0].dtype, .b = s->in[1].dtype};
    epilogue_half found = {0};
    size_t rest_scratch = 0;
    half_data *const d = &x->half_at;
    d->a = cpu_address(p, &s->in[0]), d->b = cpu_address(p, &s->in[1]);
    if (s->kern) {
        kernel rest;
        if (!epilogue_match_half(s, p, &x->data, &found, &rest, &p->memory)) {
            if (!(e->code = interp_prepare(p, &rest, level, true))) return p->ctx->err;
            rest_scratch = interp_scratch(e->code);
        }
    }
    d->f32 = x->data;
    d->mask = found.mask;
    d->c = found.result ? found.result : cpu_address(p, &s->in[2]);
    type.mask = found.mask_type, type.c = found.result_type;
    half_choose(x->half, few, level, ((const cpu_device *)p->ctx->device)->pairs, shape, type);
    e->units = x->half->units * x->batches;
    x->gemm_scratch = (x->half->bytes + 63) & ~(size_t)63;
    if (x->gemm_scratch + rest_scratch > *scratch) *scratch = x->gemm_scratch + rest_scratch;
    return WEFT_OK;
}

static bool cpu_passing(const weft_plan *p, const step *s) {
    return s->nout && s->in[s->nin].buf != KNOBUF && p->buf[s->in[s->nin].buf].passing;
}

/* Those behind a product whose result is not kept, up to the one that hands nothing on. */
static int cpu_takers(const weft_plan *p, const step *s) {
    int n = 0;
    while (cpu_passing(p, s + n)) n++;
    assert(s + n < p->step + p->steps);
    return n;
}

static gemm_shape cpu_shape(const step *s) {
    const roperand *a = &s->in[0], *b = &s->in[1], *c = &s->in[2];
    const int r = c->rank;
    return (gemm_shape){.m = c->dim[r - 2],
                        .n = c->dim[r - 1],
                        .k = a->dim[r - 1],
                        .a_row = a->stride[r - 2],
                        .a_col = a->stride[r - 1],
                        .b_row = b->stride[r - 2],
                        .b_col = b->stride[r - 1],
                        .c_row = c->stride[r - 2]};
}

/* Where the result would not stay in the second cache: else one joined update is as near, and less
 * to do. */
static bool cpu_passes_on(const weft_ctx *c, const step *s) {
    enum { LEAST = 1 << 18 };
    const gemm_shape shape = cpu_shape(s);
    const cpu_device *dev = c->device;
    gemm_plan plan;
    return s->in[0].dtype == WEFT_F32 && s->in[1].dtype == WEFT_F32 && shape.m * shape.n > LEAST &&
           gemm_choose_passing(&plan, dev->level, &shape);
}

/* w: what its second operand is widened from, or NULL. */
static weft_err cpu_prepare_product(weft_plan *p, const step *s, cpu_exe *e, isa level,
                                    const narrow *w, size_t *scratch) {
    cpu_product *x = e->product = arena_new(&p->memory, sizeof *x);
    if (!x) return cpu_no_memory(p);
    const roperand *a = &s->in[0], *b = &s->in[1], *c = &s->in[2];
    int r = c->rank;
    gemm_shape shape = cpu_shape(s);
    x->data.a = (const float *)(const void *)cpu_address(p, a);
    x->data.b = (const float *)(const void *)cpu_address(p, b);
    x->data.c = (float *)(void *)cpu_address(p, c);
    x->data.accumulate = s->adds;
    x->rows = shape.m, x->cols = shape.n;
    x->batches = 1;
    x->batch_rank = r - 2;
    for (int d = 0; d < r - 2; d++) {
        x->batch[d] = c->dim[d], x->a_stride[d] = a->stride[d], x->b_stride[d] = b->stride[d];
        x->c_stride[d] = c->stride[d];
        x->batches *= c->dim[d];
    }
    if (a->dtype != WEFT_F32 || b->dtype != WEFT_F32)
        return cpu_prepare_half(p, s, e, level, &shape, scratch);
    if (w) {
        assert(x->batches == 1);
        if (!(x->narrow = arena_new(&p->memory, sizeof *x->narrow))) return cpu_no_memory(p);
        narrow_choose(x->narrow, w, level, &shape);
        e->units = x->narrow->units;
        x->gemm_scratch = (x->narrow->bytes + 63) & ~(size_t)63;
    } else if (cpu_passing(p, s)) {
        const bool can = gemm_choose_passing(&x->plan, level, &shape);
        assert(can && x->batches == 1);
        (void)can;
        x->takers = cpu_takers(p, s);
        e->units = x->plan.units;
        x->gemm_scratch = ((x->plan.scratch + 63) & ~(size_t)63) + x->plan.part;
    } else {
        gemm_choose(&x->plan, level, &shape);
        e->units = x->plan.units * x->batches;
        x->gemm_scratch = (x->plan.scratch + 63) & ~(size_t)63;
    }
    size_t need = x->gemm_scratch;
    if (s->kern) {
        kernel rest;
        bool all = epilogue_match(s, p, &x->data, &rest, &p->memory);
        if (!all) {
            if (!(e->code = interp_prepare(p, &rest, level, true))) return p->ctx->err;
            need += interp_scratch(e->code);
        }
    }
    *scratch = need > *scratch ? need : *scratch;
    return WEFT_OK;
}

static weft_err cpu_prepare_routine(weft_plan *p, const step *s, cpu_exe *e, isa level,
                                    size_t *scratch) {
    e->at = arena_new(&p->memory, STEP_OPERANDS * sizeof *e->at);
    if (!e->at) return cpu_no_memory(p);
    for (int i = 0; i < s->nin + s->nout; i++) {
        e->at[i] = cpu_address(p, &s->in[i]);
        const bool passing = s->in[i].buf != KNOBUF && p->buf[s->in[i].buf].passing;
        if (e->at[i] || passing || routine_spares(s, i)) continue;
        size_t count = 1; /* an unused result still needs memory */
        for (int k = 0; k < s->nin; k++) {
            size_t n = 1;
            for (int d = 0; d < s->in[k].rank; d++) n *= (size_t)s->in[k].dim[d];
            count = n > count ? n : count;
        }
        if (!(e->at[i] = arena_new(&p->memory, count * 4 + 64))) return cpu_no_memory(p);
    }
    WEFT_TRY(routine_prepare(&e->routine, s, level, p->ctx, &p->memory));
    e->units = e->routine.units;
    size_t need = routine_round(e->routine.scratch);
    if (s->kern) {
        kernel rest;
        gemm_data *after = arena_new(&p->memory, sizeof *after);
        if (!after) return cpu_no_memory(p);
        epilogue_half *const half = &e->routine.half;
        bool all = epilogue_match_half(s, p, after, half, &rest, &p->memory);
        if (half->mask && half->mask_type == WEFT_F32) {
            after->mask = (const float *)(const void *)half->mask;
            half->mask = NULL;
        }
        e->routine.after = after;
        e->routine.y = (float *)(void *)e->at[s->nin];
        if (!all) {
            if (!(e->routine.rest = interp_prepare(p, &rest, level, true))) return p->ctx->err;
            need += interp_scratch(e->routine.rest);
        }
    }
    *scratch = need > *scratch ? need : *scratch;
    return WEFT_OK;
}

static weft_err cpu_prepare_step(weft_plan *p, const step *s, cpu_exe *e, const narrow *w,
                                 size_t *scratch) {
    cpu_device *dev = p->ctx->device;
    e->kind = s->kind;
    switch (s->kind) {
    case STEP_KERNEL: {
        permutation copy;
        if (permute_match(&copy, p, s->kern, dev->level)) {
            if (!(e->permutation = arena_new(&p->memory, sizeof *e->permutation)))
                return cpu_no_memory(p);
            *e->permutation = copy;
            e->units = permute_units(e->permutation);
            return WEFT_OK;
        }
        if (!(e->code = interp_prepare(p, s->kern, dev->level, false))) return p->ctx->err;
        e->units = interp_units(e->code);
        e->stages = interp_stages(e->code);
        if (interp_scratch(e->code) > *scratch) *scratch = interp_scratch(e->code);
        return WEFT_OK;
    }
    case STEP_MATMUL: return cpu_prepare_product(p, s, e, dev->level, w, scratch);
    case STEP_COPY:
        e->from = p->buf[s->in[0].buf].at, e->to = p->buf[s->in[1].buf].at;
        e->bytes = p->buf[s->in[0].buf].bytes;
        e->units = 1;
        return WEFT_OK;
    default: return cpu_prepare_routine(p, s, e, dev->level, scratch);
    }
}

/* One thread below some fifty microseconds of work: waking others costs more than they bring. */
static int cpu_threads_for(const weft_plan *p) {
    double us = p->flops / 40e3 + p->bytes / 20e3 + 0.1 * (double)p->steps;
    return us < 50 ? 1 : p->ctx->threads;
}

/* A team of so many threads, or of as many as the system gives; NULL: no memory for it. */
static cpu_team *cpu_gather(weft_ctx *c, int threads) {
    cpu_device *dev = c->device;
    if (dev->team && crew_members(dev->team->crew) >= threads) return dev->team;
    cpu_team *t = mem_new(&c->m, sizeof *t);
    if (!t || !(t->crew = crew_new(&c->m, threads))) {
        mem_free(&c->m, t);
        return NULL;
    }
    t->older = dev->team;
    return dev->team = t;
}

/* Frees teams that no plan runs on, but for the latest. */
static void cpu_dismiss(weft_ctx *c) {
    cpu_device *dev = c->device;
    for (cpu_team **at = dev->team ? &dev->team->older : NULL; at && *at;) {
        cpu_team *t = *at;
        if (t->plans) {
            at = &t->older;
            continue;
        }
        *at = t->older;
        crew_free(&c->m, t->crew);
        mem_free(&c->m, t);
    }
}

static weft_err cpu_room(weft_plan *p, cpu_program *g, size_t each) {
    if (p->threads > 1) {
        if (!(g->team = cpu_gather(p->ctx, p->threads))) return cpu_no_memory(p);
        g->team->plans++;
        p->threads = (int)min_i64(crew_members(g->team->crew), p->threads);
        cpu_dismiss(p->ctx);
    }
    assert(p->threads >= 1);
    g->scratch_each = (each + 255) & ~(size_t)255;
    g->scratch = mem_new_aligned(p->m, g->scratch_each * (size_t)p->threads);
    return g->scratch ? WEFT_OK : cpu_no_memory(p);
}

static void cpu_release(weft_plan *p) {
    cpu_program *g = p->program;
    if (!g) return;
    mem_free_aligned(p->m, g->scratch);
    if (!g->team) return;
    assert(g->team->plans);
    g->team->plans--;
    cpu_dismiss(p->ctx);
}

static weft_err cpu_prepare_steps(weft_plan *p, cpu_program *g, size_t *scratch) {
    uint32_t *of = mem_new(p->m, (p->steps + 1) * sizeof *of);
    narrow *list = NULL;
    if (!of) return cpu_no_memory(p);
    weft_err err = narrow_find(p, of, &list);
    for (size_t i = 0; i < p->steps && err == WEFT_OK; i++) {
        const narrow *w = of[i] ? &list[of[i] - 1] : NULL;
        err = cpu_prepare_step(p, &p->step[i], &g->exe[i], w, scratch);
        if (w && p->step[i].kind == STEP_KERNEL) g->exe[i].units = 0; /* its products do it */
        if (i && cpu_passing(p, &p->step[i - 1])) g->exe[i].units = 0;
    }
    mem_free(p->m, list);
    mem_free(p->m, of);
    return err;
}

static weft_err cpu_prepare(weft_plan *p) {
    cpu_program *g = arena_new(&p->memory, sizeof *g);
    if (!g || !(g->exe = arena_new(&p->memory, (p->steps + 1) * sizeof *g->exe)))
        return cpu_no_memory(p);
    p->program = g;
    g->n = p->steps;
    size_t scratch = 64;
    WEFT_TRY(cpu_prepare_steps(p, g, &scratch));
    g->chosen = !p->threads;
    if (g->chosen) p->threads = cpu_threads_for(p);
    WEFT_TRY(cpu_segments(p, g->exe, g->n));
    return cpu_room(p, g, scratch);
}

/* ---- running ---- */

typedef struct cpu_band {
    const cpu_exe *e;
    int64_t row0;
    void *scratch;
} cpu_band;

static void cpu_band_done(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    const cpu_band *b = user;
    interp_rectangle(b->e->code, b->row0 + i0, b->row0 + i1, j0, j1, b->scratch);
}

/* A part of a product is there: the steps behind it take it, one after the other. */
static void cpu_part_done(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    const cpu_band *b = user;
    const cpu_product *x = b->e->product;
    const routine_result part = {b->scratch, x->plan.s.c_row, x->cols, (gemm_area){i0, i1, j0, j1}};
    for (const cpu_exe *taker = b->e + 1; taker <= b->e + x->takers; taker++)
        taker->routine.part(&taker->routine, taker->at, &part);
}

static void cpu_run_passing(const cpu_exe *e, int64_t unit0, int64_t unit1, char *scratch) {
    const cpu_product *x = e->product;
    gemm_data d = x->data;
    cpu_band band = {e, 0, scratch + x->gemm_scratch - x->plan.part};
    d.c = band.scratch;
    d.band = cpu_part_done, d.user = &band;
    gemm_run(&x->plan, &d, unit0, unit1, scratch);
}

static int64_t cpu_element(uint8_t dtype, int64_t i) {
    return i * (int64_t)weft_dtype_size((weft_dtype)dtype);
}

/* A product with operands of 16 bits: batch by batch. */
static void cpu_run_half(const cpu_exe *e, int64_t unit0, int64_t unit1, char *scratch) {
    const cpu_product *x = e->product;
    const half_types *t = &x->half->type;
    const int64_t each = x->half->units;
    for (int64_t u = unit0; u < unit1;) {
        const int64_t batch = u / each, first = u % each;
        const int64_t last = min_i64(each, first + (unit1 - u));
        half_data d = x->half_at;
        int64_t flat = batch;
        for (int k = x->batch_rank - 1; k >= 0; k--) {
            const int64_t i = flat % x->batch[k];
            flat /= x->batch[k];
            d.a += cpu_element(t->a, i * x->a_stride[k]);
            d.b += cpu_element(t->b, i * x->b_stride[k]);
            d.c += cpu_element(t->c, i * x->c_stride[k]);
            if (d.f32.accumulate) d.f32.c += i * x->c_stride[k];
        }
        cpu_band band = {e, batch * x->rows, scratch + x->gemm_scratch};
        if (d.mask) d.mask += cpu_element(t->mask, batch * x->rows * d.f32.mask_row);
        if (e->code) d.f32.band = cpu_band_done, d.f32.user = &band;
        half_run(x->half, &d, first, last, scratch);
        u += last - first;
    }
}

static void cpu_run_product(const cpu_exe *e, int64_t unit0, int64_t unit1, char *scratch) {
    const cpu_product *x = e->product;
    if (x->half) {
        cpu_run_half(e, unit0, unit1, scratch);
        return;
    }
    if (x->narrow) {
        gemm_data d = x->data;
        cpu_band band = {e, 0, scratch + x->gemm_scratch};
        if (e->code) d.band = cpu_band_done, d.user = &band;
        narrow_run(x->narrow, &d, unit0, unit1, scratch);
        return;
    }
    if (x->takers) {
        cpu_run_passing(e, unit0, unit1, scratch);
        return;
    }
    int64_t each = x->plan.units;
    if (x->batch_rank == 0 && !e->code) { /* most small products: nothing to find out */
        gemm_run(&x->plan, &x->data, unit0, unit1, scratch);
        return;
    }
    for (int64_t u = unit0; u < unit1;) {
        int64_t batch = u / each, first = u % each, last = min_i64(each, first + (unit1 - u));
        gemm_data d = x->data;
        int64_t flat = batch;
        for (int k = x->batch_rank - 1; k >= 0; k--) {
            int64_t i = flat % x->batch[k];
            flat /= x->batch[k];
            d.a += i * x->a_stride[k], d.b += i * x->b_stride[k], d.c += i * x->c_stride[k];
        }
        cpu_band band = {e, batch * x->rows, scratch + x->gemm_scratch};
        if (d.mask) d.mask += batch * x->rows * d.mask_row;
        if (e->code) d.band = cpu_band_done, d.user = &band;
        gemm_run(&x->plan, &d, first, last, scratch);
        u += last - first;
    }
}

static void cpu_run_step(const cpu_exe *e, int64_t unit0, int64_t unit1, char *scratch) {
    if (unit0 >= unit1) return;
    switch (e->kind) {
    case STEP_KERNEL:
        if (e->permutation) permute_run(e->permutation, unit0, unit1);
        else interp_run(e->code, unit0, unit1, scratch);
        break;
    case STEP_MATMUL: cpu_run_product(e, unit0, unit1, scratch); break;
    case STEP_COPY: memcpy(e->to, e->from, e->bytes); break;
    default: e->routine.run(&e->routine, e->at, unit0, unit1, scratch); break;
    }
}

/* The units of a step that are member's. */
static void cpu_part(int64_t units, int64_t group, int member, int members, int64_t *from,
                     int64_t *to) {
    const int64_t groups = (units + group - 1) / group;
    *from = members > 1 ? groups * member / members * group : 0;
    *to = members > 1 ? min_i64(groups * (member + 1) / members * group, units) : units;
}

/* A long fold: every stage needs what the one before made. */
static void cpu_run_stages(const cpu_exe *e, crew *c, int member, int members, uint32_t *turn,
                           char *scratch) {
    for (int stage = 0; stage < e->stages; stage++) {
        int64_t from, to;
        if (stage && members > 1) crew_barrier(c, members, turn);
        cpu_part(interp_stage_units(e->code, stage), 1, member, members, &from, &to);
        interp_stage(e->code, stage, from, to, scratch);
    }
}

#if WEFT_X86
static unsigned cpu_flush_denormals(void) {
    unsigned old = _mm_getcsr();
    _mm_setcsr(old | 0x8040); /* denormal results and operands are zero */
    return old;
}
static void cpu_restore(unsigned old) {
    _mm_setcsr(old);
}
#else
static unsigned cpu_flush_denormals(void) {
    return 0;
}
static void cpu_restore(unsigned old) {
    (void)old;
}
#endif

/* What a thread did since *from, which becomes the time of now; a step of which it had nothing is
 * not worth a look at the clock. */
static void cpu_timed(weft_span *s, double *from, int64_t units, int64_t all) {
    *s = (weft_span){.start = *from, .end = *from};
    if (units <= 0) return;
    s->end = *from = weft_clock();
    s->part = units == all ? 1 : (double)units / (double)all;
}

static void cpu_share(void *user, int member, int members) {
    weft_plan *p = user;
    const cpu_program *g = p->program;
    weft_span *const span = p->span ? p->span + g->n * (size_t)member : NULL;
    char *scratch = g->scratch + g->scratch_each * (size_t)member;
    unsigned mode = cpu_flush_denormals();
    uint32_t turn = 0;
    if (p->watch) watch_start(p);
    if (span && member == 0) p->span_threads = members;
    double since = span ? weft_clock() : 0;
    for (size_t i = 0; i < g->n; i++) {
        const cpu_exe *e = &g->exe[i];
        if (e->barrier && members > 1) {
            crew_barrier(g->team->crew, members, &turn);
            if (span) since = weft_clock();
        }
        int64_t from, to;
        cpu_part(e->units, e->group, member, members, &from, &to);
        if (e->stages > 1)
            cpu_run_stages(e, members > 1 ? g->team->crew : NULL, member, members, &turn, scratch);
        else cpu_run_step(e, from, to, scratch);
        if (span) cpu_timed(&span[i], &since, to - from, e->units);
        if (!p->watch) continue;
        watch_step(p, i);
        if (span) since = weft_clock();
    }
    cpu_restore(mode);
}

/* A crew that serves another plan at the moment is not waited for: one thread gives the same
 * bits. */
static void cpu_run_on(weft_plan *p, bool many) {
    const cpu_program *g = p->program;
    if (!many || !crew_run(g->team->crew, p->threads, cpu_share, p)) cpu_share(p, 0, 1);
}

/* Where others use the cores too, threads wait for each other and one may be faster than all. Every
 * now and then a run is made the other way, and what takes less time is what is done. */
static void cpu_run_timed(weft_plan *p, cpu_program *g) {
    enum { OTHER_WAY = 64 };
    const bool many = g->spent[1] <= g->spent[0] || g->spent[0] == 0;
    const bool way = g->runs % OTHER_WAY == 1 ? !many : many;
    const double before = weft_clock();
    cpu_run_on(p, way);
    const double took = weft_clock() - before;
    /* the first run of all fills the caches and tells nothing */
    if (g->runs++) g->spent[way] = g->spent[way] == 0 ? took : 0.75 * g->spent[way] + 0.25 * took;
}

static weft_err cpu_run(weft_plan *p, device_ticket *done) {
    cpu_program *g = p->program;
    *done = 0;
    if (p->threads > 1 && g->chosen) cpu_run_timed(p, g);
    else cpu_run_on(p, p->threads > 1);
    return WEFT_OK;
}

/* Work of others, for as many threads as there are. */
static void cpu_spread(weft_ctx *c, crew_job *job, void *user) {
    cpu_team *t = c->threads < 2 ? NULL : cpu_gather(c, c->threads);
    if (t) cpu_dismiss(c);
    if (!t || !crew_run(t->crew, c->threads, job, user)) job(user, 0, 1);
}

static void cpu_nothing(void *user, int member, int members) {
    (void)user, (void)member, (void)members;
}

/* The least of many, the first of which wake the threads: how near they lie is asked, not how busy
 * they are. */
static double cpu_ping(weft_ctx *c, int threads) {
    enum { PINGS = 200 };
    double least = INFINITY;
    threads = (int)min_i64(threads, c->threads);
    cpu_team *t = threads < 2 ? NULL : cpu_gather(c, threads);
    if (!t || (threads = (int)min_i64(threads, crew_members(t->crew))) < 2) return 0;
    cpu_dismiss(c);
    for (int i = 0; i < PINGS; i++) {
        const double start = weft_clock();
        if (!crew_run(t->crew, threads, cpu_nothing, NULL)) return 0;
        least = fmin(least, weft_clock() - start);
    }
    return 1e6 * least;
}

enum { CPU_HALVES = 1 << WEFT_BF16 | 1 << WEFT_F16 };

/* A tile's values stay in the first cache. Transcendentals cost more than to read what they gave. */
static const device_traits cpu_traits = {
    .kernel_nodes = 60,
    .kernel_loads = 20,
    .kernel_views = 64,
    .inline_operands = 4,
    .recompute_cost = 1,
    .recompute_least = 256,
    .sum_pieces = 32,
    .sum_least = 1024,
    .cell_pieces = 16,
    .cell_least = 128,
    .product_types = {[PRODUCT_MATRIX] = CPU_HALVES,
                      [PRODUCT_CONV] = CPU_HALVES,
                      [PRODUCT_ATTENTION] = CPU_HALVES,
                      [PRODUCT_POOL] = CPU_HALVES},
};

const weft_backend backend_cpu = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .memory = &device_host,
    .traits = &cpu_traits,
    .isa = cpu_isa,
    .ping = cpu_ping,
    .has_block = cpu_has_block,
    .accepts = routine_accepts,
    .takes_maps = routine_takes_maps,
    .adds = routine_adds,
    .passes_on = cpu_passes_on,
    .prepare = cpu_prepare,
    .run = cpu_run,
    .release = cpu_release,
};
