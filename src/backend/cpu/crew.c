/* crew.c - the thread pool. Spinning costs about a tenth of a microsecond, waking a sleeper some
 * thirty: workers spin for a while after each job, so that the next run of a plan finds them
 * awake. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "backend/cpu/crew.h"
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#if WEFT_X86
#define CREW_PAUSE() __builtin_ia32_pause()
#else
#define CREW_PAUSE() ((void)0)
#endif

enum { CREW_SPINS = 20000, CREW_LINE = 128 };

typedef struct crew_worker {
    struct crew *crew;
    int member;
    pthread_t thread;
} crew_worker;

struct crew {
    _Alignas(CREW_LINE)
        atomic_uint job_number;           /* grows with every job; workers wait for it to change  */
    _Alignas(CREW_LINE) atomic_uint left; /* members still at work                                */
    _Alignas(CREW_LINE)
        atomic_uint arrived; /* at the barrier                                       */
    _Alignas(CREW_LINE) atomic_uint turn;
    _Alignas(CREW_LINE) atomic_int sleepers;
    atomic_flag busy; /* a job is being done                                  */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    crew_job *job;
    void *user;
    int members, active;
    bool quit, crowded; /* crowded: more members than cores */
    crew_worker worker[];
};

static unsigned crew_wait(crew *c, unsigned seen) {
    for (int i = 0; i < CREW_SPINS; i++) {
        unsigned now = atomic_load_explicit(&c->job_number, memory_order_acquire);
        if (now != seen) return now;
        CREW_PAUSE();
    }
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->sleepers, 1);
    unsigned now;
    while ((now = atomic_load(&c->job_number)) == seen) pthread_cond_wait(&c->wake, &c->lock);
    atomic_fetch_sub(&c->sleepers, 1);
    pthread_mutex_unlock(&c->lock);
    return now;
}

static void *crew_main(void *p) {
    crew_worker *w = p;
    crew *c = w->crew;
    for (unsigned seen = 0;;) {
        seen = crew_wait(c, seen);
        if (c->quit) return NULL;
        if (w->member < c->active) c->job(c->user, w->member, c->active);
        atomic_fetch_sub_explicit(&c->left, 1, memory_order_acq_rel);
    }
}

static void crew_publish(crew *c) {
    atomic_fetch_add(&c->job_number, 1);
    if (atomic_load(&c->sleepers) == 0) return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->lock);
}

static void crew_spin(const crew *c, int *turns) {
    CREW_PAUSE();
    if (++*turns % (c->crowded ? 16 : 1024) == 0)
        sched_yield(); /* another thread may be waiting for this core */
}

crew *crew_new(mem *m, int members) {
    assert(members >= 1);
    crew *c = mem_new_aligned(m, sizeof *c + (size_t)members * sizeof *c->worker);
    if (!c) return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wake, NULL);
    atomic_flag_clear(&c->busy);
    c->members = 1;
    c->crowded = sysconf(_SC_NPROCESSORS_ONLN) < members;
    for (int i = 1; i < members; i++) {
        c->worker[i] = (crew_worker){.crew = c, .member = i};
        if (pthread_create(&c->worker[i].thread, NULL, crew_main, &c->worker[i])) break;
        c->members++;
    }
    return c;
}

void crew_free(mem *m, crew *c) {
    if (!c) return;
    c->quit = true;
    crew_publish(c);
    for (int i = 1; i < c->members; i++) pthread_join(c->worker[i].thread, NULL);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->wake);
    mem_free_aligned(m, c);
}

int crew_members(const crew *c) {
    return c->members;
}

bool crew_run(crew *c, int members, crew_job *job, void *user) {
    int turns = 0;
    assert(members >= 1 && job);
    if (atomic_flag_test_and_set_explicit(&c->busy, memory_order_acquire)) return false;
    c->job = job, c->user = user, c->active = members < c->members ? members : c->members;
    atomic_store_explicit(&c->turn, 0, memory_order_relaxed);
    atomic_store_explicit(&c->left, (unsigned)c->members - 1, memory_order_relaxed);
    crew_publish(c);
    job(user, 0, c->active);
    while (atomic_load_explicit(&c->left, memory_order_acquire)) crew_spin(c, &turns);
    atomic_flag_clear_explicit(&c->busy, memory_order_release);
    return true;
}

void crew_barrier(crew *c, int members, uint32_t *turn) {
    int turns = 0;
    assert(members >= 2 && members <= c->members);
    ++*turn;
    if (atomic_fetch_add_explicit(&c->arrived, 1, memory_order_acq_rel) == (unsigned)members - 1) {
        atomic_store_explicit(&c->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&c->turn, *turn, memory_order_release);
    } else
        while (atomic_load_explicit(&c->turn, memory_order_acquire) != *turn) crew_spin(c, &turns);
}
#undef CREW_PAUSE
