/* transfer.c - what a plan moves between host and device, where they do not share memory.
 *
 * Constants go to the device once. Before a run go the inputs that were written and the host-resident
 * entries the plan reads, which have a copy of the plan's own there; after it come those entries back
 * that a step has written. They are read without asking, so such a run is waited for. Results stay
 * until weft_get reads them. */
#include "plan/passes.h"
#include <assert.h>

enum { TRANSFER_ALIGN = 256 };

static weft_err transfer_no_memory(const weft_plan *p) {
    return weft_fail(p->ctx, WEFT_MEMORY, "compile: out of memory on device \"%s\"",
                     weft_device_name(p->ctx));
}

/* All constants in one block. */
static weft_err transfer_constants(weft_plan *p) {
    const device_memory *memory = p->ctx->memory;
    size_t bytes = 0;
    for (size_t i = 0; i < p->bufs; i++) {
        if (p->buf[i].place != BUF_DATA) continue;
        p->buf[i].offset = bytes;
        bytes += (p->buf[i].bytes + TRANSFER_ALIGN - 1) & ~(size_t)(TRANSFER_ALIGN - 1);
    }
    if (!bytes) return WEFT_OK;
    if (!(p->constants = memory->alloc(p->ctx, bytes))) return transfer_no_memory(p);
    for (size_t i = 0; i < p->bufs; i++) {
        const buffer *b = &p->buf[i];
        if (b->place == BUF_DATA)
            WEFT_TRY(memory->write(p->ctx, p->constants, b->offset, b->data, b->bytes));
    }
    return WEFT_OK;
}

static mirror *transfer_find(const weft_plan *p, const buffer *b) {
    for (size_t i = 0; i < p->mirrors; i++)
        if (p->mirror[i].state == b->state && p->mirror[i].entry == b->entry) return &p->mirror[i];
    return NULL;
}

void *transfer_block(const weft_plan *p, const buffer *b) {
    const mirror *m = transfer_find(p, b);
    return m ? m->block : NULL;
}

/* Step s writes to buffer b. */
static void transfer_written(const weft_plan *p, uint32_t b) {
    if (b == KNOBUF) return;
    while (p->buf[b].place == BUF_ALIAS) b = p->buf[b].alias;
    mirror *m = p->buf[b].place == BUF_STATE ? transfer_find(p, &p->buf[b]) : NULL;
    if (m) m->written = true;
}

static weft_err transfer_mirrors(weft_plan *p) {
    for (size_t i = 0; i < p->bufs; i++) {
        const buffer *b = &p->buf[i];
        if (b->place != BUF_STATE || transfer_find(p, b)) continue;
        const state_entry *e = &p->state[b->state]->entry[b->entry];
        if (e->block) continue;
        mirror m = {b->state, b->entry, false, p->ctx->memory->alloc(p->ctx, e->bytes)};
        if (!m.block || !MEM_PUSH(p->m, p->mirror, p->mirrors, p->mirror_cap, m)) {
            p->ctx->memory->drop(p->ctx, m.block);
            return transfer_no_memory(p);
        }
    }
    for (size_t i = 0; p->mirrors && i < p->steps; i++) {
        const step *s = &p->step[i];
        for (int k = s->nin; k < s->nin + s->nout; k++) transfer_written(p, s->in[k].buf);
        for (int k = 0; s->kern && k < s->kern->nins; k++)
            if (s->kern->ins[k].op == K_STORE)
                transfer_written(p, s->kern->view[s->kern->ins[k].view].buf);
    }
    return WEFT_OK;
}

weft_err transfer_prepare(weft_plan *p) {
    assert(!p->ctx->memory->host && !p->constants && !p->mirrors);
    for (size_t i = 0; i < p->ins; i++)
        if (!(p->in[i].host = arena_new(&p->memory, p->in[i].bytes + 1)))
            return transfer_no_memory(p);
    WEFT_TRY(transfer_constants(p));
    return transfer_mirrors(p);
}

void transfer_free(weft_plan *p) {
    const device_memory *memory = p->ctx->memory;
    memory->drop(p->ctx, p->constants);
    for (size_t i = 0; i < p->mirrors; i++) memory->drop(p->ctx, p->mirror[i].block);
    mem_free(p->m, p->mirror);
}

weft_err transfer_before(weft_plan *p) {
    const device_memory *memory = p->ctx->memory;
    for (size_t i = 0; i < p->ins; i++) {
        binding *in = &p->in[i];
        const buffer *b = &p->buf[in->buf];
        if (!in->fresh && !in->shared) continue;
        WEFT_TRY(memory->write(p->ctx, b->block, b->from, in->host, in->bytes));
        in->fresh = false;
    }
    for (size_t i = 0; i < p->mirrors; i++) {
        const mirror *m = &p->mirror[i];
        const state_entry *e = &p->state[m->state]->entry[m->entry];
        WEFT_TRY(memory->write(p->ctx, m->block, 0, e->data, e->bytes));
    }
    return WEFT_OK;
}

weft_err transfer_after(weft_plan *p) {
    const device_memory *memory = p->ctx->memory;
    device_ticket last = 0;
    for (size_t i = 0; i < p->mirrors; i++) {
        const mirror *m = &p->mirror[i];
        const state_entry *e = &p->state[m->state]->entry[m->entry];
        if (m->written) WEFT_TRY(memory->read(p->ctx, m->block, 0, e->data, e->bytes, &last));
    }
    return last ? memory->wait(p->ctx, last) : WEFT_OK;
}
