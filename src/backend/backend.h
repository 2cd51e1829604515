/* backend.h - what a device must do, and the list of devices.
 *
 * A backend prepares the steps of a plan once and runs them many times. It knows plan.h only. */
#ifndef WEFT_BACKEND_H
#define WEFT_BACKEND_H

#include "core/context.h"
#include "plan/plan.h"

/* For backends that evaluate the graph themselves: which of its nodes the plan's bindings mean. */
typedef struct graph_wiring {
    const uint32_t *input_node;  /* of plan->in[k] */
    const uint32_t *fetch_node;  /* of plan->out[k] */
    const uint32_t *update_state_node, *update_value_node;
    size_t updates;
} graph_wiring;

typedef struct weft_backend {
    const char *name;
    weft_err (*open) (weft_ctx *c, const weft_open_desc *d);  /* fills c->device, c->threads */
    void     (*close)(weft_ctx *c);
    const device_memory *memory;  /* core/device.h: alloc, drop, write, read, wait */
    const device_traits *traits;  /* core/traits.h: what kernels may do; NULL: a CPU's */
    const char *(*isa)(const weft_ctx *c);
    double   (*ping)(weft_ctx *c, int threads);  /* weft_device_ping; NULL: there are no threads */
    /* else it is expanded */
    bool     (*has_block)(const weft_ctx *c, const weft_graph *g, const node *n);
    /* a product's or routine's operand with its strides, else it is copied; or its result, from in[nin]
     * on, else it lies in order; NULL: contiguous only */
    bool     (*accepts)(const step *s, int operand);
    /* maps over a product, or a block's only part, may follow as its epilogue; NULL: never */
    bool     (*takes_maps)(const step *s);
    /* a product may be added to what lies in its result: step.adds; NULL: never */
    bool     (*adds)(const step *s);
    /* the steps behind this product take its result part by part (plan/passing.c): a scatter_add to
     * it, perhaps, and an update rule; NULL: never */
    bool     (*passes_on)(const weft_ctx *c, const step *product);
    weft_err (*prepare)(weft_plan *p);  /* all steps, memory placed */
    /* instead of prepare, on a device that evaluates nodes itself: no steps are made */
    weft_err (*graph)  (weft_plan *p, weft_graph *g, const uint8_t *live, const graph_wiring *w);
    weft_err (*run)    (weft_plan *p, device_ticket *done);  /* given, or finished with *done 0 */
    void     (*release)(weft_plan *p);  /* what prepare or graph made; no run is under way */
} weft_backend;

#define DEVICE(name, backend) extern const weft_backend backend;
#include "backend/devices.def"
const weft_backend *backend_find(const char *name);  /* NULL if there is none */
weft_err backend_check(const weft_backend *b);       /* its traits are within limits.h */

#endif
