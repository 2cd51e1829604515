/* context.h - the inside of a context and of a state, as core and plan see them. */
#ifndef WEFT_CONTEXT_H
#define WEFT_CONTEXT_H

#include "base/error.h"
#include "base/mem.h"
#include "core/device.h"
#include "core/traits.h"
#include <stdatomic.h>

struct weft_backend;

struct weft_ctx {
    mem   m;                         /* first: mem_of                                 */
    const struct weft_backend *backend;
    void *device;                    /* the backend's own                             */
    const device_memory *memory;     /* where states, arenas and constants lie         */
    const device_traits *traits;     /* the backend's, or what open has set instead    */
    int   threads;                   /* at most this many in a run                    */
    /* the device's threads for some other work; NULL: it has none */
    void (*spread)(weft_ctx *c, void (*job)(void *user, int member, int members), void *user);
    int   debug;                     /* WEFT_DEBUG                                    */
    bool  no_fuse, no_blocks;        /* WEFT_FUSE=0, WEFT_BLOCKS=none                 */
    void (*log)(void *user, const char *line);
    void *log_user;
    weft_state *own;                 /* seed and run number for graphs without a state */
    weft_recorder recorder;          /* all NULL: no recorder                         */
    bool  recorded;
    weft_plan *plans;                /* all there are, the latest first               */
    weft_err err;
    char message[512];
    atomic_flag telling;             /* set while the two above are written           */
};

/* to the callback, or stderr */
void ctx_log(weft_ctx *c, const char *format, ...) WEFT_PRINTF(2, 3);

/* A value that lasts. Memory comes when it is first needed: entries made until then are laid out
 * together as one segment, slab by slab, so that companions lie at equal distances. */
typedef struct state_entry {
    const char *name;
    uint8_t    dtype;
    bool       trained, drawn;       /* drawn: initialised, or set since               */
    bool       host;                 /* declared host-resident: weft_state_host        */
    bool       shadow;               /* a 16-bit copy of `like`, which only plans know */
    uint32_t   seed;                 /* of the state when the entry got memory         */
    weft_shape dims;
    int64_t    count;
    size_t     bytes;
    uint32_t   slab;                 /* index in state->slab: kinds of values          */
    uint32_t   like;                 /* parameter whose place it follows, or own index */
    weft_init  init;
    void      *block;                /* of the device; NULL until sealed, and for what is host-resident
                                        where the device has memory of its own         */
    char      *data;                 /* where the host reaches it, or NULL             */
    uint64_t  *version;              /* of the values; of a shadow: those that it copies. It does not
                                        move, and runs change it */
    uint32_t   hash, next;           /* chain of the table of names, by index + 1      */
    uint32_t   segment;
    size_t     offset;               /* bytes from the start of its segment            */
} state_entry;

/* One block of entries that got memory together, or one host-resident entry. */
typedef struct state_segment { void *block, *host; } state_segment;

struct weft_state {
    weft_ctx *ctx;
    mem      *m;
    arena     names;
    state_entry *entry; size_t n, cap;
    uint32_t *table; size_t table_size;  /* by name, a power of two or 0; index + 1, 0 ends a chain */
    const char **slab;  size_t slabs, slab_cap;
    state_segment *segment; size_t segments, segment_cap;
    size_t    sealed;                /* entries that have memory                       */
    uint32_t *shown; size_t shows, shown_cap;  /* entries that are no shadows          */
    atomic_flag refreshing;          /* some plan's shadows are being refreshed        */
    size_t    bytes, limit;          /* of all entries; the most there may be, 0: any  */
    uint64_t  changes;               /* times that weft_state_set has changed "rng..." */
    uint32_t  seed;
    uint32_t  users;                 /* plans and graphs that hold on to this struct   */
    bool      freed;                 /* the owner is done; the last user frees the rest */
};

enum { STATE_ALIGN = 64, STATE_NOT_FOUND = -1 };
int64_t  state_find(const weft_state *s, const char *name);
int64_t  state_add(weft_state *s, const char *name, const char *slab, weft_dtype t, weft_shape dims,
                   /* index, or STATE_NOT_FOUND after weft_fail */
                   weft_init init, bool trained, int64_t like);
/* the entry that holds entry i in 16 bits, made where there is none; index, or STATE_NOT_FOUND */
int64_t  state_shadow(weft_state *s, uint32_t i, weft_dtype t);
size_t   state_span(const state_entry *e);  /* bytes from it to the next one in its slab */
weft_err state_seal(weft_state *s);  /* give memory to what has none */
weft_err state_draw(weft_state *s);  /* the same, and initial values */
weft_err state_read(weft_ctx *c, const state_entry *e, void *out);        /* all of its bytes */
weft_err state_write(weft_ctx *c, const state_entry *e, const void *in);
weft_err initial_fill(weft_state *s, size_t first, size_t end);  /* of entries with memory */
void     state_hold(weft_state *s);
void     state_release(weft_state *s);

#endif
