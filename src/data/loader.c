/* loader.c - batches by step number, prefetched by a thread.
 *
 * The thread and the caller share slots: memory for one batch each. The caller says which step it
 * wants, and by that which come next; the thread makes those. A step that is not there yet is made
 * by the caller itself, so any order of steps works, and consecutive steps are prefetched. The contents
 * of a batch depend on its step alone (batch.h), never on which thread made it.
 *
 * The lock guards the slots' steps and states; a slot's memory belongs to whoever is filling it, and
 * once ready to the caller. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "data/batch.h"

#include <pthread.h>
#include <signal.h>

enum { LOADER_AHEAD = 2, LOADER_MOST_AHEAD = 64 };

typedef enum loader_stage { LOADER_FREE, LOADER_FILLING, LOADER_READY } loader_stage;

typedef struct loader_slot {
    int64_t step;
    loader_stage stage;
    char *memory; /* on a boundary of BATCH_ALIGN */
} loader_slot;

struct weft_loader {
    weft_ctx *ctx;
    batch_maker maker;
    data_store *rows_store, *names_store; /* held: the set may be freed */
    void *block;                          /* the memory of all slots    */
    loader_slot slot[LOADER_MOST_AHEAD + 2];
    int slots, ahead;

    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wanted, made; /* for the thread, and for the caller */
    int64_t current;             /* step the caller has, -1: none      */
    bool ending;
};

/* ---- slots; the lock is held ---- */

static loader_slot *loader_find(weft_loader *l, int64_t step) {
    for (int i = 0; i < l->slots; i++)
        if (l->slot[i].stage != LOADER_FREE && l->slot[i].step == step) return &l->slot[i];
    return NULL;
}

static loader_slot *loader_take(weft_loader *l, int64_t step) {
    for (int i = 0; i < l->slots; i++)
        if (l->slot[i].stage == LOADER_FREE) {
            l->slot[i].stage = LOADER_FILLING;
            l->slot[i].step = step;
            return &l->slot[i];
        }
    return NULL;
}

/* Gives free what is neither the caller's nor among the next. */
static void loader_forget(weft_loader *l) {
    for (int i = 0; i < l->slots; i++) {
        loader_slot *const s = &l->slot[i];
        const bool wanted = s->step >= l->current && s->step - l->current <= l->ahead;
        if (s->stage == LOADER_READY && !wanted) s->stage = LOADER_FREE;
    }
}

/* The first of the next steps that is neither made nor being made; -1: none. */
static int64_t loader_missing(weft_loader *l) {
    if (l->current < 0) return -1;
    for (int64_t k = 1; k <= l->ahead && l->current <= INT64_MAX - k; k++)
        if (!loader_find(l, l->current + k)) return l->current + k;
    return -1;
}

/* ---- the thread ---- */

static void *loader_main(void *loader) {
    weft_loader *const l = loader;
    pthread_mutex_lock(&l->lock);
    while (!l->ending) {
        const int64_t step = loader_missing(l);
        loader_slot *const s = step < 0 ? NULL : loader_take(l, step);
        if (!s) {
            pthread_cond_wait(&l->wanted, &l->lock);
            continue;
        }
        pthread_mutex_unlock(&l->lock);
        batch_make(&l->maker, step, s->memory);
        pthread_mutex_lock(&l->lock);
        s->stage = LOADER_READY;
        loader_forget(l); /* the caller may have gone elsewhere meanwhile */
        pthread_cond_signal(&l->made);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* Without a thread all is made by the caller: slower, never wrong. Signals are for the program's own
 * threads. */
static void loader_start_thread(weft_loader *l) {
    sigset_t all, before;
    if (pthread_mutex_init(&l->lock, NULL)) return;
    if (pthread_cond_init(&l->wanted, NULL)) goto no_wanted;
    if (pthread_cond_init(&l->made, NULL)) goto no_made;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    l->threaded = pthread_create(&l->thread, NULL, loader_main, l) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (l->threaded) return;
    pthread_cond_destroy(&l->made);
no_made:
    pthread_cond_destroy(&l->wanted);
no_wanted:
    pthread_mutex_destroy(&l->lock);
}

static void loader_end_thread(weft_loader *l) {
    if (!l->threaded) return;
    pthread_mutex_lock(&l->lock);
    l->ending = true;
    pthread_cond_signal(&l->wanted);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    pthread_cond_destroy(&l->wanted);
    pthread_cond_destroy(&l->made);
    pthread_mutex_destroy(&l->lock);
}

/* ---- making and ending ---- */

static weft_err loader_fill(weft_loader *l, const weft_loader_desc *d) {
    WEFT_TRY(batch_start(&l->maker, l->ctx, d));
    l->rows_store = d->data->rows_store;
    l->names_store = d->data->names_store;
    l->rows_store->users++;
    l->names_store->users++;
    /* One slot is the caller's, and one may be filled with what is no longer wanted. */
    l->slots = l->ahead ? l->ahead + 2 : 1;
    const size_t each = l->maker.bytes;
    if (each > (SIZE_MAX - BATCH_ALIGN) / (size_t)l->slots)
        return weft_fail(l->ctx, WEFT_ARGUMENT, "weft_loader_new: the batch is too large");
    l->block = weft_resize(l->ctx, NULL, each * (size_t)l->slots + BATCH_ALIGN);
    if (!l->block)
        return weft_fail(l->ctx, WEFT_MEMORY,
                         "weft_loader_new: out of memory for %d batches of %zu bytes", l->slots,
                         each);
    char *const memory =
        (char *)(((uintptr_t)l->block + BATCH_ALIGN - 1) & ~(uintptr_t)(BATCH_ALIGN - 1));
    for (int i = 0; i < l->slots; i++) l->slot[i].memory = memory + (size_t)i * each;
    return WEFT_OK;
}

weft_loader *weft_loader_new(weft_ctx *c, const weft_loader_desc *d) {
    if (!c || !d || !d->data) {
        weft_fail(c, WEFT_ARGUMENT, "weft_loader_new: no context, no description or no set");
        return NULL;
    }
    if (d->prefetch > LOADER_MOST_AHEAD) {
        weft_fail(c, WEFT_ARGUMENT,
                  "weft_loader_new: .prefetch is %d batches, at most %d are possible", d->prefetch,
                  LOADER_MOST_AHEAD);
        return NULL;
    }
    weft_loader *l = weft_resize(c, NULL, sizeof *l);
    if (!l) {
        weft_fail(c, WEFT_MEMORY, "weft_loader_new: out of memory");
        return NULL;
    }
    *l = (weft_loader){.ctx = c, .current = -1};
    if (d->prefetch >= 0) l->ahead = d->prefetch ? d->prefetch : LOADER_AHEAD;
    if (loader_fill(l, d) != WEFT_OK) {
        weft_loader_free(l);
        return NULL;
    }
    if (l->ahead) loader_start_thread(l);
    return l;
}

void weft_loader_free(weft_loader *l) {
    if (!l) return;
    loader_end_thread(l);
    batch_end(&l->maker);
    weft_resize(l->ctx, l->block, 0);
    data_store_release(l->rows_store);
    data_store_release(l->names_store);
    weft_resize(l->ctx, l, 0);
}

/* ---- asking ---- */

int64_t weft_loader_steps(const weft_loader *l) {
    return l ? l->maker.steps : 0;
}

int64_t weft_loader_rows(const weft_loader *l, int64_t step) {
    if (!l || step < 0) return 0;
    const int64_t left = l->maker.rows - step % l->maker.steps * l->maker.batch;
    return left < l->maker.batch ? left : l->maker.batch;
}

int64_t weft_loader_row(const weft_loader *l, int64_t step, int64_t i) {
    if (!l || step < 0 || i < 0 || i >= l->maker.batch) return -1;
    return batch_row(&l->maker, step, i);
}

weft_field weft_loader_field(const weft_loader *l, size_t i) {
    static const weft_field none;
    if (!l || i >= l->maker.count) return none;
    const batch_field *const f = &l->maker.field[i];
    weft_field out = f->from;
    out.dtype = f->dtype;
    out.dims.rank = f->dims.rank + 1;
    out.dims.n[0] = l->maker.batch;
    for (int k = 0; k < f->dims.rank && k + 1 < WEFT_MAX_RANK; k++)
        out.dims.n[k + 1] = f->dims.n[k];
    out.rows = NULL;
    out.bits = 0;
    out.row_bytes = f->bytes;
    return out;
}

static loader_slot *loader_alone(weft_loader *l, int64_t step) {
    loader_slot *const s = &l->slot[0];
    if (s->stage != LOADER_READY || s->step != step) {
        batch_make(&l->maker, step, s->memory);
        *s = (loader_slot){.step = step, .stage = LOADER_READY, .memory = s->memory};
    }
    return s;
}

static loader_slot *loader_together(weft_loader *l, int64_t step) {
    pthread_mutex_lock(&l->lock);
    l->current = step;
    loader_forget(l); /* among them what the caller had until now */
    loader_slot *s = loader_find(l, step);
    if (!s) {
        s = loader_take(l, step); /* there is one: at most ahead + 1 are wanted or being filled */
        pthread_cond_signal(&l->wanted);
        pthread_mutex_unlock(&l->lock);
        batch_make(&l->maker, step, s->memory);
        pthread_mutex_lock(&l->lock);
        s->stage = LOADER_READY;
    }
    pthread_cond_signal(&l->wanted);
    while (s->stage != LOADER_READY) pthread_cond_wait(&l->made, &l->lock);
    pthread_mutex_unlock(&l->lock);
    return s;
}

weft_err weft_loader_at(weft_loader *l, int64_t step, const void **fields) {
    if (!l || step < 0 || !fields)
        return weft_fail(l ? l->ctx : NULL, WEFT_ARGUMENT,
                         "weft_loader_at: step %lld, or nothing to ask or to answer to",
                         (long long)step);
    const loader_slot *const s = l->threaded ? loader_together(l, step) : loader_alone(l, step);
    for (size_t i = 0; i < l->maker.count; i++) fields[i] = s->memory + l->maker.field[i].offset;
    return WEFT_OK;
}

weft_err weft_loader_feed(weft_loader *l, int64_t step, weft_plan *p, const weft_tensor *inputs,
                          size_t n) {
    if (!l || step < 0 || !p || !inputs || n > l->maker.count)
        return weft_fail(l ? l->ctx : NULL, WEFT_ARGUMENT,
                         "weft_loader_feed: step %lld into %zu inputs; the set has %zu fields",
                         (long long)step, n, l ? l->maker.count : 0);
    const loader_slot *const s = l->threaded ? loader_together(l, step) : loader_alone(l, step);
    for (size_t i = 0; i < n; i++) {
        const batch_field *const f = &l->maker.field[i];
        if (inputs[i].id == 0) continue;
        WEFT_TRY(weft_set(p, inputs[i], s->memory + f->offset, f->bytes * (size_t)l->maker.batch));
    }
    return WEFT_OK;
}
