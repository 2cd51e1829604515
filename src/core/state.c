/* state.c - persistent values: parameters, optimiser slots, statistics, counters.
 *
 * Entries are found by name. They get memory together, when it is first needed: one block per
 * segment, slab after slab, parameters with several axes first, so that the companions of
 * neighbours are neighbours and an optimiser is one flat pass. initial.c initialises them. */
#include "core/context.h"
#include "core/graph.h"
#include "core/shape.h"
#include <assert.h>
#include <stdio.h>

weft_state *weft_state_new(weft_ctx *c) {
    if (!c) {
        weft_fail(NULL, WEFT_ARGUMENT, "weft_state_new: the context is NULL");
        return NULL;
    }
    weft_state *s = mem_new(&c->m, sizeof *s);
    if (!s) {
        weft_fail(c, WEFT_MEMORY, "weft_state_new: out of memory");
        return NULL;
    }
    s->ctx = c;
    s->m = &c->m;
    s->names.m = &c->m;
    return s;
}

weft_ctx *weft_state_ctx(const weft_state *s) {
    return s ? s->ctx : NULL;
}

static void state_drop(weft_state *s) {
    for (size_t i = 0; i < s->segments; i++) {
        s->ctx->memory->drop(s->ctx, s->segment[i].block);
        mem_free_aligned(s->m, s->segment[i].host);
    }
    mem_free(s->m, s->segment);
    mem_free(s->m, s->entry);
    mem_free(s->m, s->table);
    mem_free(s->m, s->slab);
    mem_free(s->m, s->shown);
    arena_free(&s->names);
    s->segment = NULL, s->entry = NULL, s->slab = NULL, s->shown = NULL;
    s->segments = s->n = s->slabs = s->shows = 0;
}

void weft_state_free(weft_state *s) {
    if (!s || s->freed) return;
    state_drop(s);
    s->freed = true;
    if (!s->users) mem_free(s->m, s);
}

void state_hold(weft_state *s) {
    s->users++;
}

void state_release(weft_state *s) {
    assert(s->users > 0);
    if (--s->users == 0 && s->freed) mem_free(s->m, s);
}

void weft_state_seed(weft_state *s, uint32_t seed) {
    if (!s) return;
    s->seed = seed;
    int32_t as = (int32_t)seed;
    if (state_find(s, "rng.seed") >= 0) weft_state_set(s, "rng.seed", &as, sizeof as);
}

static uint32_t state_hash(const char *name) {
    return (uint32_t)(hash_bytes(HASH_START, name, strlen(name)) >> 16);
}

int64_t state_find(const weft_state *s, const char *name) {
    assert(name);
    const uint32_t hash = state_hash(name);
    if (!s->table_size) return STATE_NOT_FOUND;
    for (uint32_t i = s->table[hash & (s->table_size - 1)]; i; i = s->entry[i - 1].next) {
        assert(i <= s->n);
        if (s->entry[i - 1].hash == hash && !strcmp(s->entry[i - 1].name, name)) return i - 1;
    }
    return STATE_NOT_FOUND;
}

/* Room in the table for one more entry: at most one a slot. */
static bool state_rehash(weft_state *s) {
    assert((s->table_size & (s->table_size - 1)) == 0);
    if (s->n < s->table_size) return true;
    const size_t size = s->table_size ? 2 * s->table_size : 64;
    uint32_t *t = mem_new(s->m, size * sizeof *t);
    if (!t) return false;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t *slot = &t[s->entry[i].hash & (size - 1)];
        s->entry[i].next = *slot;
        *slot = i + 1;
    }
    mem_free(s->m, s->table);
    s->table = t, s->table_size = size;
    return true;
}

static int64_t state_slab(weft_state *s, const char *slab) {
    assert(slab && *slab);
    for (size_t i = 0; i < s->slabs; i++)
        if (strcmp(s->slab[i], slab) == 0) return (int64_t)i;
    const char *name = arena_text(&s->names, slab);
    return name && MEM_PUSH(s->m, s->slab, s->slabs, s->slab_cap, name) ? (int64_t)s->slabs - 1
                                                                        : STATE_NOT_FOUND;
}

int64_t state_add(weft_state *s, const char *name, const char *slab, weft_dtype t, weft_shape dims,
                  weft_init init, bool trained, int64_t like) {
    char want[100], have[100];
    int64_t at = state_find(s, name), count;
    if (!shape_count(dims.rank, dims.n, &count)) {
        weft_fail(s->ctx, WEFT_SHAPE,
                  "state \"%s\": %s has more elements than the %lld a tensor may have", name,
                  shape_text(want, sizeof want, dims.rank, dims.n), (long long)LIMIT_ELEMENTS);
        return STATE_NOT_FOUND;
    }
    if (at >= 0) {
        const state_entry *e = &s->entry[at];
        if (e->dtype == t && e->dims.rank == dims.rank &&
            !memcmp(e->dims.n, dims.n, (size_t)dims.rank * sizeof *dims.n))
            return at;
        weft_fail(s->ctx, WEFT_STATE, "state \"%s\" exists as %s %s, asked for as %s %s", name,
                  weft_dtype_name((weft_dtype)e->dtype),
                  shape_text(have, sizeof have, e->dims.rank, e->dims.n), weft_dtype_name(t),
                  shape_text(want, sizeof want, dims.rank, dims.n));
        return STATE_NOT_FOUND;
    }
    const size_t bytes = (size_t)count * weft_dtype_size(t);
    if (s->limit && (s->bytes > s->limit || bytes > s->limit - s->bytes)) {
        weft_fail(s->ctx, WEFT_STATE,
                  "state \"%s\": %zu bytes, and %zu before it: more than the %zu it may have", name,
                  bytes, s->bytes, s->limit);
        return STATE_NOT_FOUND;
    }
    int64_t kind = state_slab(s, slab);
    state_entry e = {.name = arena_text(&s->names, name),
                     .dtype = (uint8_t)t,
                     .trained = trained,
                     .dims = dims,
                     .count = count,
                     .bytes = bytes,
                     .slab = (uint32_t)kind,
                     .init = init,
                     .hash = state_hash(name),
                     .version = arena_new(&s->names, sizeof *e.version),
                     .like = like >= 0 ? (uint32_t)like : (uint32_t)s->n};
    if (kind < 0 || !e.name || !e.version || !state_rehash(s) ||
        !mem_room(s->m, &s->shown, s->shows, &s->shown_cap, sizeof *s->shown) ||
        !MEM_PUSH(s->m, s->entry, s->n, s->cap, e)) {
        weft_fail(s->ctx, WEFT_MEMORY, "state \"%s\": out of memory", name);
        return STATE_NOT_FOUND;
    }
    uint32_t *slot = &s->table[e.hash & (s->table_size - 1)];
    s->entry[s->n - 1].next = *slot;
    *slot = (uint32_t)s->n;
    s->bytes += bytes;
    s->shown[s->shows++] = (uint32_t)s->n - 1;
    *s->entry[s->n - 1].version = 1;
    return (int64_t)s->n - 1;
}

int64_t state_shadow(weft_state *s, uint32_t i, weft_dtype t) {
    char name[LIMIT_NAME_LENGTH + 32], slab[32];
    assert(i < s->n && s->entry[i].dtype == WEFT_F32 && !s->entry[i].shadow);
    snprintf(slab, sizeof slab, "shadow.%s", weft_dtype_name(t));
    snprintf(name, sizeof name, "%s.%s", slab, s->entry[i].name);
    const size_t before = s->n;
    const int64_t at = state_add(s, name, slab, t, s->entry[i].dims, (weft_init){0}, false, i);
    if (at < 0 || s->n == before) return at;
    s->entry[at].shadow = true;
    *s->entry[at].version = 0; /* older than any */
    s->shows--;
    return at;
}

/* ---- memory ---- */

/* Order inside a segment: slab by slab; in a slab parameters with several axes first, then by
 * the age of the parameter an entry follows. */
static bool state_before(const weft_state *s, const state_entry *a, const state_entry *b) {
    assert(a->segment == b->segment);
    if (a->slab != b->slab) return a->slab < b->slab;
    bool wide_a = s->entry[a->like].dims.rank >= 2, wide_b = s->entry[b->like].dims.rank >= 2;
    if (wide_a != wide_b) return wide_a;
    return a->like != b->like ? a->like < b->like : a < b;
}

/* The entries from `sealed` on in that order, by merging; `room` is for as many. */
static void state_sort(const weft_state *s, uint32_t *order, uint32_t *room, size_t n) {
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)(s->sealed + i);
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t from = 0; from < n; from += 2 * width) {
            const size_t middle = from + width < n ? from + width : n;
            const size_t end = middle + width < n ? middle + width : n;
            size_t a = from, b = middle;
            for (size_t to = from; to < end; to++) {
                const bool second = a == middle || (b < end && state_before(s, &s->entry[order[b]],
                                                                            &s->entry[order[a]]));
                room[to] = order[second ? b++ : a++];
            }
        }
        memcpy(order, room, n * sizeof *order);
    }
}

/* Shadows lie at half the distances of what they copy, so that one pass can go along both. */
size_t state_span(const state_entry *e) {
    assert(e->bytes > 0 || !e->count);
    const size_t times = e->shadow ? sizeof(float) / weft_dtype_size((weft_dtype)e->dtype) : 1;
    return ((e->bytes * times + STATE_ALIGN - 1) & ~(size_t)(STATE_ALIGN - 1)) / times;
}

/* Must entry e lie apart from the others, where the host reaches it? */
static bool state_apart(const weft_state *s, const state_entry *e) {
    return e->host && !s->ctx->memory->host;
}

/* Offsets in one segment for the entries from `sealed` on. Gives its size; *good false: no memory. */
static size_t state_layout(weft_state *s, uint32_t segment, bool *good) {
    const size_t fresh = s->n - s->sealed;
    size_t total = 0;
    uint32_t *order = mem_new(s->m, 2 * fresh * sizeof *order);
    if (!(*good = order != NULL)) return 0;
    state_sort(s, order, order + fresh, fresh);
    for (size_t i = 0; i < fresh; i++) {
        state_entry *e = &s->entry[order[i]];
        if (state_apart(s, e)) continue;
        if (i && s->entry[order[i - 1]].slab != e->slab) total = (total + 255) & ~(size_t)255;
        e->offset = total;
        e->segment = segment;
        total += state_span(e);
    }
    mem_free(s->m, order);
    return total;
}

/* Host memory for a host-resident entry: a segment of its own, since nothing can be its neighbour. */
static bool state_seal_host(weft_state *s, state_entry *e) {
    const state_segment own = {.host = mem_new_aligned(s->m, e->bytes + STATE_ALIGN)};
    if (!own.host || !MEM_PUSH(s->m, s->segment, s->segments, s->segment_cap, own)) {
        mem_free_aligned(s->m, own.host);
        return false;
    }
    e->offset = 0;
    e->segment = (uint32_t)s->segments - 1;
    e->data = own.host;
    return true;
}

weft_err state_seal(weft_state *s) {
    if (s->freed) return weft_fail(s->ctx, WEFT_STATE, "a state this graph uses was freed");
    if (s->sealed == s->n) return WEFT_OK;
    const device_memory *memory = s->ctx->memory;
    const size_t segments = s->segments;
    bool good;
    const size_t total = state_layout(s, (uint32_t)segments, &good);
    state_segment all = {.block = good ? memory->alloc(s->ctx, total + STATE_ALIGN) : NULL};
    if (!all.block || !MEM_PUSH(s->m, s->segment, s->segments, s->segment_cap, all)) {
        memory->drop(s->ctx, all.block);
        return weft_fail(s->ctx, WEFT_MEMORY, "state: out of memory for %zu bytes", total);
    }
    for (size_t i = s->sealed; good && i < s->n; i++)
        good = !state_apart(s, &s->entry[i]) || state_seal_host(s, &s->entry[i]);
    if (!good) {
        memory->drop(s->ctx, all.block);
        for (size_t i = segments + 1; i < s->segments; i++)
            mem_free_aligned(s->m, s->segment[i].host);
        for (size_t i = s->sealed; i < s->n; i++) s->entry[i].data = NULL;
        s->segments = segments;
        return weft_fail(s->ctx, WEFT_MEMORY, "state: out of memory for host-resident entries");
    }
    for (size_t i = s->sealed; i < s->n; i++) {
        state_entry *e = &s->entry[i];
        e->seed = s->seed;
        if (state_apart(s, e)) continue;
        e->block = all.block;
        if (memory->host) e->data = (char *)all.block + e->offset;
    }
    s->sealed = s->n;
    return WEFT_OK;
}

/* Numbers are drawn when they are first needed: what is loaded from a file is never drawn. */
static weft_err state_drawn(weft_state *s, size_t first, size_t end) {
    assert(first <= end && end <= s->n);
    return initial_fill(s, first, end);
}

weft_err state_draw(weft_state *s) {
    WEFT_TRY(state_seal(s));
    return state_drawn(s, 0, s->n);
}

/* ---- recording ---- */

static weft_tensor state_leaf(weft_graph *g, weft_state *s, const char *what, const char *name,
                              const char *slab, weft_dtype t, weft_shape dims, weft_init init,
                              bool trained, int64_t like) {
    if (!graph_checked(g, NULL, 0)) return tensor_at(g, 0);
    if (!s || s->freed)
        return graph_fail(g, WEFT_STATE, "%s: the state is %s", what, s ? "freed" : "NULL");
    if (s->ctx != g->ctx)
        return graph_fail(g, WEFT_STATE, "%s: state and graph belong to different contexts", what);
    if (!name || !*name) return graph_fail(g, WEFT_ARGUMENT, "%s: a name was expected", what);
    if ((unsigned)t >= WEFT_DTYPE_COUNT || dims.rank < 0 || dims.rank > WEFT_MAX_RANK)
        return graph_fail(g, WEFT_ARGUMENT, "%s \"%s\": unknown type or invalid rank", what, name);
    if ((unsigned)init.kind > WEFT_INIT_PARAM ||
        (init.kind == WEFT_INIT_ORTHOGONAL && t != WEFT_F32) ||
        (init.kind == WEFT_INIT_PARAM && like < 0))
        return graph_fail(g, WEFT_ARGUMENT, "%s \"%s\": no initializer of kind %d for %s", what,
                          name, (int)init.kind, weft_dtype_name(t));
    for (int i = 0; i < dims.rank; i++)
        if (dims.n[i] < 0)
            return graph_fail(g, WEFT_SHAPE, "%s \"%s\": extent %lld of axis %d is negative", what,
                              name, (long long)dims.n[i], i);
    char path[LIMIT_SCOPE_LENGTH + 1], full[LIMIT_NAME_LENGTH + 1];
    node here = {.scope = g->in_scope};
    node_scope(g, &here, path, sizeof path, '.');
    int length = snprintf(full, sizeof full, "%s%s%s", path, path[0] ? "." : "", name);
    if (length < 0 || (size_t)length >= sizeof full)
        return graph_fail(g, WEFT_ARGUMENT, "%s: a name of %d characters, at most %d are allowed",
                          what, length, LIMIT_NAME_LENGTH);
    int64_t e = state_add(s, full, slab, t, dims, init, trained, like);
    if (e < 0) {
        char message[512];
        snprintf(message, sizeof message, "%s", weft_error(g->ctx));
        return graph_fail(g, g->ctx->err, "%s", message);
    }
    return graph_state(g, s, (uint32_t)e, t, dims);
}

weft_tensor weft_param(weft_graph *g, weft_state *s, const char *name, weft_shape dims,
                       weft_init init) {
    return state_leaf(g, s, "param", name, "param", WEFT_F32, dims, init, true, -1);
}

weft_tensor weft_buffer(weft_graph *g, weft_state *s, const char *name, weft_dtype t,
                        weft_shape dims, weft_init init) {
    return state_leaf(g, s, "buffer", name, "buffer", t, dims, init, false, -1);
}

weft_tensor weft_slot(weft_graph *g, weft_state *s, weft_tensor param, const char *kind,
                      weft_init init) {
    if (!graph_checked(g, &param, 1)) return tensor_at(g, 0);
    const node *n = node_of(param);
    if (!s || s->freed || n->op != OP_state || g->state[node_attr(g, n)[0]] != s || !kind)
        return graph_fail(g, WEFT_ARGUMENT,
                          "slot: a parameter of this state and a kind were expected");
    uint32_t of = (uint32_t)node_attr(g, n)[1];
    char name[LIMIT_NAME_LENGTH + 1];
    int length = snprintf(name, sizeof name, "optim.%s.%s", kind, s->entry[of].name);
    if (length < 0 || (size_t)length >= sizeof name)
        return graph_fail(g, WEFT_ARGUMENT,
                          "slot: the name would have %d characters, at most %d are allowed", length,
                          LIMIT_NAME_LENGTH);
    uint32_t scope = g->in_scope;
    g->in_scope = 0; /* the parameter's name has its scopes already */
    weft_tensor r =
        state_leaf(g, s, "slot", name, kind, WEFT_F32, weft_shape_of(param), init, false, of);
    g->in_scope = scope;
    return r;
}

/* ---- from outside ---- */

/* Where the entry of that name is; STATE_NOT_FOUND after weft_fail. */
static int64_t state_known(const weft_state *s, const char *what, const char *name) {
    int64_t i = STATE_NOT_FOUND;
    if (!s || s->freed)
        weft_fail(s ? s->ctx : NULL, WEFT_STATE, "%s: the state is %s", what, s ? "freed" : "NULL");
    else if (!name) weft_fail(s->ctx, WEFT_ARGUMENT, "%s: the name is NULL", what);
    else if ((i = state_find(s, name)) < 0)
        weft_fail(s->ctx, WEFT_STATE, "%s: no entry \"%s\"", what, name);
    return i;
}

/* `draws`: with initial values, unless others were set. */
static state_entry *state_named(weft_state *s, const char *what, const char *name, bool draws) {
    const int64_t i = state_known(s, what, name);
    if (i < 0 || state_seal(s) != WEFT_OK) return NULL;
    const size_t at = (size_t)i, like = s->entry[i].like; /* itself, or what it may be a copy of */
    if (draws &&
        (state_drawn(s, like, like + 1) != WEFT_OK || state_drawn(s, at, at + 1) != WEFT_OK))
        return NULL;
    return &s->entry[i];
}

static weft_err state_sized(weft_state *s, const state_entry *e, const char *what, const void *p,
                            size_t bytes) {
    if (!e) return s && !s->freed ? s->ctx->err : WEFT_STATE;
    if (p && bytes == e->bytes) return WEFT_OK;
    return weft_fail(s->ctx, WEFT_ARGUMENT, "%s \"%s\": %zu bytes were expected, got %zu%s", what,
                     e->name, e->bytes, bytes, p ? "" : " at NULL");
}

weft_err state_read(weft_ctx *c, const state_entry *e, void *out) {
    assert(out || !e->bytes);
    assert(e->data || e->block || !e->bytes);
    if (!e->data) return device_get(c, e->block, e->offset, out, e->bytes);
    memcpy(out, e->data, e->bytes);
    return WEFT_OK;
}

weft_err state_write(weft_ctx *c, const state_entry *e, const void *in) {
    assert(in || !e->bytes);
    assert(e->data || e->block || !e->bytes);
    if (!e->data) return c->memory->write(c, e->block, e->offset, in, e->bytes);
    memcpy(e->data, in, e->bytes);
    return WEFT_OK;
}

weft_err weft_state_get(weft_state *s, const char *name, void *out, size_t bytes) {
    state_entry *e = state_named(s, "weft_state_get", name, true);
    WEFT_TRY(state_sized(s, e, "weft_state_get", out, bytes));
    return state_read(s->ctx, e, out);
}

void *weft_state_copy(weft_state *s, const char *name) {
    const state_entry *e = state_named(s, "weft_state_copy", name, true);
    if (!e) return NULL;
    void *out = weft_resize(s->ctx, NULL, e->bytes ? e->bytes : 1);
    if (!out) {
        weft_fail(s->ctx, WEFT_MEMORY, "weft_state_copy \"%s\": out of memory for %zu bytes", name,
                  e->bytes);
        return NULL;
    }
    if (state_read(s->ctx, e, out) == WEFT_OK) return out;
    weft_resize(s->ctx, out, 0);
    return NULL;
}

weft_err weft_state_set(weft_state *s, const char *name, const void *in, size_t bytes) {
    state_entry *e = state_named(s, "weft_state_set", name, false);
    WEFT_TRY(state_sized(s, e, "weft_state_set", in, bytes));
    WEFT_TRY(state_write(s->ctx, e, in));
    e->drawn = true;
    ++*e->version;
    if (strncmp(name, "rng.", 4) == 0) s->changes++;
    return WEFT_OK;
}

void weft_state_limit(weft_state *s, size_t bytes) {
    if (s) s->limit = bytes;
}

uint64_t weft_state_changes(const weft_state *s) {
    return s ? s->changes : 0;
}

void *weft_state_data(weft_state *s, const char *name) {
    state_entry *e = state_named(s, "weft_state_data", name, true);
    if (e) ++*e->version; /* the caller may write there */
    if (e && !e->data)
        weft_fail(
            s->ctx, WEFT_DEVICE,
            "weft_state_data: \"%s\" lies in the memory of device \"%s\", which has no "
            "host address; weft_state_get and weft_state_set copy it, weft_state_host keeps it in "
            "host memory",
            name, weft_device_name(s->ctx));
    return e ? e->data : NULL;
}

weft_err weft_state_host(weft_state *s, const char *name) {
    const int64_t i = state_known(s, "weft_state_host", name);
    if (i < 0) return s && !s->freed ? s->ctx->err : WEFT_STATE;
    state_entry *e = &s->entry[i];
    if (e->block && !e->data)
        return weft_fail(s->ctx, WEFT_STATE,
                         "weft_state_host: \"%s\" already has memory on device \"%s\"; call "
                         "this before a plan that uses it is compiled or its values are read",
                         name, weft_device_name(s->ctx));
    e->host = true;
    return WEFT_OK;
}

size_t weft_state_count(const weft_state *s) {
    return s && !s->freed ? s->shows : 0;
}

weft_err weft_state_entry(const weft_state *s, size_t i, weft_entry *out) {
    if (!s || s->freed || !out)
        return weft_fail(NULL, WEFT_ARGUMENT, "weft_state_entry: the state or the result is NULL");
    if (i >= s->shows)
        return weft_fail(s->ctx, WEFT_ARGUMENT, "weft_state_entry: entry %zu of %zu", i, s->shows);
    const state_entry *e = &s->entry[s->shown[i]];
    *out = (weft_entry){e->name,  (weft_dtype)e->dtype, e->dims,
                        e->bytes, e->trained,           e->host || s->ctx->memory->host};
    return WEFT_OK;
}

/* h and the entry's bytes, piece by piece where they lie elsewhere. */
static weft_err state_hash_values(const weft_state *s, const state_entry *e, uint64_t *h) {
    char piece[4096];
    size_t at = 0;
    if (e->data || !e->bytes) {
        *h = hash_bytes(*h, e->data, e->bytes);
        return WEFT_OK;
    }
    for (; e->bytes - at > sizeof piece; at += sizeof piece) {
        WEFT_TRY(device_get(s->ctx, e->block, e->offset + at, piece, sizeof piece));
        *h = hash_words(*h, piece, sizeof piece);
    }
    WEFT_TRY(device_get(s->ctx, e->block, e->offset + at, piece, e->bytes - at));
    *h = hash_bytes(*h, piece, e->bytes - at);
    return WEFT_OK;
}

uint64_t weft_state_hash(weft_state *s) {
    if (!s || s->freed || state_draw(s) != WEFT_OK) return 0;
    uint64_t h = HASH_START;
    for (size_t i = 0; i < s->n; i++) {
        const state_entry *e = &s->entry[i];
        if (e->shadow) continue;
        h = hash_bytes(h, e->name, strlen(e->name));
        h = hash_word(h, e->dtype);
        for (int d = 0; d < e->dims.rank; d++) h = hash_word(h, (uint64_t)e->dims.n[d]);
        if (state_hash_values(s, e, &h) != WEFT_OK) return 0;
    }
    return h;
}
