/* far.c - the CPU's arithmetic behind memory of its own and tickets: a device to prove with, on any
 * machine, that the rest of the library relies on neither host memory nor runs that end at once.
 *
 * A block is a number, no address: whoever follows it faults. Runs and reads are put in a queue and
 * made when they are waited for, as late as a device may, so what reads a result without waiting
 * finds the old one. Each plan has an inner one over the real addresses, which the CPU prepares. */
#include "backend/backend.h"
#include "backend/cpu/routines.h"
#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { FAR_JOBS = 64 };

/* A run of `plan`; or with NULL, bytes to read. */
typedef struct far_job {
    weft_plan *plan;
    const char *from;
    void *to;
    size_t bytes;
} far_job;

typedef struct far_device {
    weft_ctx cpu; /* what the CPU is called with */
    pthread_mutex_t lock;
    char **block; /* by number - 1; NULL: free */
    size_t blocks, block_cap;
    far_job job[FAR_JOBS]; /* job k at k % FAR_JOBS */
    device_ticket given, done;
    weft_err failed; /* the error of a job, not reported yet */
} far_device;

static far_device *far_lock(weft_ctx *c) {
    far_device *f = c->device;
    pthread_mutex_lock(&f->lock);
    return f;
}

static void far_unlock(far_device *f) {
    pthread_mutex_unlock(&f->lock);
}

static char *far_memory(const far_device *f, const void *block) {
    const uintptr_t number = (uintptr_t)block;
    assert(number && number <= f->blocks && f->block[number - 1]);
    return f->block[number - 1];
}

/* ---- work ---- */

static weft_err far_run_now(weft_plan *p) {
    weft_plan *inner = p->program;
    device_ticket none;
    inner->span = p->span;
    const weft_err e = backend_cpu.run(inner, &none);
    assert(!none);
    p->span_threads = inner->span_threads;
    return e;
}

static void far_finish(far_device *f, device_ticket until) {
    assert(until <= f->given);
    while (f->done < until) {
        const far_job *j = &f->job[f->done % FAR_JOBS];
        weft_err e = WEFT_OK;
        if (j->plan) e = far_run_now(j->plan);
        else if (j->bytes) memcpy(j->to, j->from, j->bytes);
        if (e) f->failed = e;
        f->done++;
    }
}

static device_ticket far_give(far_device *f, far_job job) {
    if (f->given - f->done == FAR_JOBS) far_finish(f, f->done + 1);
    f->job[f->given % FAR_JOBS] = job;
    return ++f->given;
}

static weft_err far_wait(weft_ctx *c, device_ticket t) {
    far_device *f = far_lock(c);
    far_finish(f, t);
    const weft_err e = f->failed;
    f->failed = WEFT_OK;
    far_unlock(f);
    return e ? weft_fail(c, e, "%s", f->cpu.message) : WEFT_OK;
}

/* ---- memory ---- */

static void *far_alloc(weft_ctx *c, size_t bytes) {
    char *at = mem_new_aligned(&c->m, bytes);
    if (!at) return NULL;
    far_device *f = far_lock(c);
    size_t i = 0;
    while (i < f->blocks && f->block[i]) i++;
    bool good = i < f->blocks || MEM_PUSH(&c->m, f->block, f->blocks, f->block_cap, NULL);
    if (good) f->block[i] = at;
    far_unlock(f);
    if (good) return (void *)(uintptr_t)(i + 1);
    mem_free_aligned(&c->m, at);
    return NULL;
}

static void far_drop(weft_ctx *c, void *block) {
    if (!block) return;
    far_device *f = far_lock(c);
    far_finish(f, f->given);
    char *at = far_memory(f, block);
    f->block[(uintptr_t)block - 1] = NULL;
    far_unlock(f);
    mem_free_aligned(&c->m, at);
}

static weft_err far_write(weft_ctx *c, void *block, size_t at, const void *from, size_t bytes) {
    if (!bytes) return WEFT_OK;
    far_device *f = far_lock(c);
    far_finish(f, f->given);
    memcpy(far_memory(f, block) + at, from, bytes);
    far_unlock(f);
    return WEFT_OK;
}

static weft_err far_read(weft_ctx *c, void *block, size_t at, void *to, size_t bytes,
                         device_ticket *t) {
    far_device *f = far_lock(c);
    *t = far_give(f, (far_job){.from = far_memory(f, block) + at, .to = to, .bytes = bytes});
    far_unlock(f);
    return WEFT_OK;
}

static const device_memory far_device_memory = {
    .host = false,
    .alloc = far_alloc,
    .drop = far_drop,
    .write = far_write,
    .read = far_read,
    .wait = far_wait,
};

/* ---- opening ---- */

static void far_spread(weft_ctx *c, void (*job)(void *user, int member, int members), void *user) {
    far_device *f = c->device;
    f->cpu.spread(&f->cpu, job, user);
}

static weft_err far_open(weft_ctx *c, const weft_open_desc *d) {
    far_device *f = mem_new(&c->m, sizeof *f);
    if (!f) return weft_fail(c, WEFT_MEMORY, "weft_open: out of memory");
    f->cpu.m = (mem){.resize = c->m.resize, .user = c->m.user, .plain = c->m.plain};
    f->cpu.backend = &backend_cpu;
    f->cpu.memory = backend_cpu.memory;
    f->cpu.threads = c->threads;
    const weft_err e = backend_cpu.open(&f->cpu, d);
    if (e) {
        weft_fail(c, e, "%s", f->cpu.message);
        mem_free(&c->m, f);
        return e;
    }
    pthread_mutex_init(&f->lock, NULL);
    c->device = f;
    c->threads = f->cpu.threads;
    c->spread = far_spread;
    return WEFT_OK;
}

static void far_close(weft_ctx *c) {
    far_device *f = c->device;
    far_finish(f, f->given);
    for (size_t i = 0; i < f->blocks; i++) assert(!f->block[i]);
    backend_cpu.close(&f->cpu);
    pthread_mutex_destroy(&f->lock);
    mem_free(&c->m, f->block);
    mem_free(&c->m, f);
}

static const char *far_isa(const weft_ctx *c) {
    return backend_cpu.isa(&((const far_device *)c->device)->cpu);
}

static double far_ping(weft_ctx *c, int threads) {
    return backend_cpu.ping(&((far_device *)c->device)->cpu, threads);
}

static bool far_has_block(const weft_ctx *c, const weft_graph *g, const node *n) {
    return backend_cpu.has_block(&((const far_device *)c->device)->cpu, g, n);
}

static bool far_passes_on(const weft_ctx *c, const step *product) {
    return backend_cpu.passes_on(&((const far_device *)c->device)->cpu, product);
}

/* ---- plans ---- */

static weft_err far_prepare(weft_plan *p) {
    far_device *f = p->ctx->device;
    weft_plan *inner = mem_new(p->m, sizeof *inner);
    buffer *buf = mem_new(p->m, (p->bufs + 1) * sizeof *buf);
    if (!inner || !buf) {
        mem_free(p->m, inner);
        mem_free(p->m, buf);
        return weft_fail(p->ctx, WEFT_MEMORY, "compile: out of memory");
    }
    *inner = *p;
    inner->ctx = &f->cpu;
    inner->memory = (arena){.m = p->m};
    inner->buf = buf;
    p->program = inner;
    far_lock(p->ctx);
    for (size_t i = 0; i < p->bufs; i++) {
        buf[i] = p->buf[i];
        if (buf[i].block) buf[i].at = far_memory(f, buf[i].block) + buf[i].from;
    }
    far_unlock(f);
    const weft_err e = backend_cpu.prepare(inner);
    p->threads = inner->threads;
    p->segments = inner->segments;
    return e ? weft_fail(p->ctx, e, "%s", f->cpu.message) : WEFT_OK;
}

static void far_release(weft_plan *p) {
    weft_plan *inner = p->program;
    if (!inner) return;
    backend_cpu.release(inner);
    arena_free(&inner->memory);
    mem_free(p->m, inner->buf);
    mem_free(p->m, inner);
}

static weft_err far_run(weft_plan *p, device_ticket *done) {
    far_device *f = far_lock(p->ctx);
    *done = far_give(f, (far_job){.plan = p});
    far_unlock(f);
    return WEFT_OK;
}

const weft_backend backend_far = {
    .name = "far",
    .open = far_open,
    .close = far_close,
    .memory = &far_device_memory,
    .isa = far_isa,
    .ping = far_ping,
    .has_block = far_has_block,
    .accepts = routine_accepts,
    .takes_maps = routine_takes_maps,
    .adds = routine_adds,
    .passes_on = far_passes_on,
    .prepare = far_prepare,
    .run = far_run,
    .release = far_release,
};
