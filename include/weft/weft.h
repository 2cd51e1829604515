/* weft.h - record a network as a graph, compile it once, run it many times.
 *
 * A program records operations in a graph, asks for gradients, compiles the outputs it wants into a
 * plan, and runs the plan as often as it likes: a run allocates nothing and is bitwise reproducible.
 *
 *     weft_ctx   *c = weft_open("auto");
 *     weft_state *s = weft_state_new(c);
 *     weft_graph *g = weft_graph_new(c);
 *     weft_tensor x = weft_input(g, WEFT_F32, weft_dims(32, 4));
 *     weft_tensor t = weft_input(g, WEFT_I32, weft_dims(32));
 *     weft_tensor loss = weft_cross_entropy(weft_linear(s, x, 3, "fc"), t);
 *     weft_plan  *p = weft_compile(g, &(weft_plan_desc){ .fetch = weft_list(loss),
 *                                                        .update = weft_adam(s, loss, NULL) });
 *     weft_set(p, x, pixels, sizeof pixels); weft_set(p, t, labels, sizeof labels); weft_run(p);
 *
 * Reading order: errors and types, context, graph and inputs, operations, gradients, state,
 * optimisers, plans, inspection. Shapes are written [rows, columns]; axes count from 0, or from the
 * end when negative; options are structs in which zero means the default.
 *
 * Errors. A call that can fail returns weft_err. An operation that cannot be recorded returns the
 * poison tensor; everything made from poison is poison, the first message is kept, and weft_compile
 * reports it. The library never exits, aborts or prints. */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#define WEFT_VERSION  "0.1.0"
#define WEFT_MAX_RANK 8

/* ---- errors and types -------------------------------------------------------------------- */

/*           name          message */
#define WEFT_ERRORS(X)                                              \
    X(OK,          "no error")                                      \
    X(ARGUMENT,    "an argument is out of range")                   \
    X(SHAPE,       "incompatible shapes")                             \
    X(DTYPE,       "incompatible element types")                      \
    X(STATE,       "the state does not match")                      \
    X(GRADIENT,    "no gradient")                                   \
    X(MEMORY,      "out of memory")                                 \
    X(DEVICE,      "device error")                            \
    X(UNSUPPORTED, "not supported here")                            \
    X(FILE,        "a file could not be read or written")           \
    X(FORMAT,      "malformed file")                \
    X(DIVERGED,    "the numbers are not finite")

typedef enum weft_err {
#define X(name, text) WEFT_##name,
    WEFT_ERRORS(X)
#undef X
    WEFT_ERR_COUNT
} weft_err;

/*           name   bytes  text     use */
#define WEFT_DTYPES(X)                                              \
    X(F32,    4,     "f32")      /* the compute type */              \
    X(BF16,   2,     "bf16")     /* storage, operands of products */\
    X(F16,    2,     "f16")      /* the same */                     \
    X(I32,    4,     "i32")      /* indices and counts */           \
    X(U32,    4,     "u32")      /* storage; arithmetic is i32's */ \
    X(I8,     1,     "i8")                                          \
    X(U8,     1,     "u8")                                          \
    X(BOOL,   1,     "bool")  /* a byte, 0 or 1 */

typedef enum weft_dtype {
#define X(name, bytes, text) WEFT_##name,
    WEFT_DTYPES(X)
#undef X
    WEFT_DTYPE_COUNT
} weft_dtype;

typedef struct weft_ctx   weft_ctx;    /* a device and its threads */
typedef struct weft_graph weft_graph;  /* recorded operations; may be freed after compiling */
typedef struct weft_state weft_state;  /* persistent values: parameters, optimiser slots, statistics */
typedef struct weft_plan  weft_plan;   /* compiled steps, and memory for intermediates */
typedef struct weft_plans weft_plans;  /* a bounded cache of plans */

/* A tensor is a graph and an index: 16 bytes, passed by value, nothing to free. id 0 is poison. */
typedef struct weft_tensor { weft_graph *g; uint32_t id; } weft_tensor;

/* Extents, or a list of axes. Write weft_dims(64, 784); WEFT_0D is the shape of a scalar. */
typedef struct weft_shape { int32_t rank; int64_t n[WEFT_MAX_RANK]; } weft_shape;

/* Several tensors. Write weft_list(a, b, c). */
typedef struct weft_tensors { const weft_tensor *at; size_t n; } weft_tensors;

#ifdef __cplusplus
}
/* C++ has no compound literals: the same two names, as functions. A weft_list lives until the end
 * of the full expression, or as long as the variable it initialises. */
template <typename... T> inline weft_shape weft_dims(T... n) {
    static_assert(sizeof...(T) <= WEFT_MAX_RANK, "a tensor has at most 8 axes");
    return weft_shape{(int32_t)sizeof...(T), {(int64_t)n...}};
}
template <size_t N> struct weft_list_of {
    weft_tensor at[N];
    operator weft_tensors() const { return weft_tensors{at, N}; }
};
template <typename... T> inline weft_list_of<sizeof...(T)> weft_list(T... t) { return {{t...}}; }
extern "C" {
#else
#define weft_dims(...)                                                                           \
    ((weft_shape){ (int32_t)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)),               \
                   { __VA_ARGS__ } })
#define weft_list(...)                                                                           \
    ((weft_tensors){ (const weft_tensor[]){ __VA_ARGS__ },                                        \
                     sizeof((const weft_tensor[]){ __VA_ARGS__ }) / sizeof(weft_tensor) })
#endif
#define weft_axes weft_dims   /* weft_sum(x, weft_axes(0, 2), false) */
#ifdef __cplusplus
#define WEFT_0D weft_dims()
#else
#define WEFT_0D ((weft_shape){ 0, { 0 } })   /* the shape of a scalar */
#endif
#define WEFT_ALL WEFT_0D      /* as a list of axes: every axis */

WEFT_API const char *weft_err_text(weft_err e);      /* its message in the table */
WEFT_API const char *weft_dtype_name(weft_dtype t);  /* "f32" */
WEFT_API size_t      weft_dtype_size(weft_dtype t);  /* bytes of one element */
WEFT_API const char *weft_version(void);             /* WEFT_VERSION of the library linked */

/* ---- context ----------------------------------------------------------------------------- */

typedef struct weft_open_desc {
    const char *device;                                  /* "auto", "cpu", "ref", "null", "best" */
    int   threads;                                       /* 0: WEFT_THREADS, else chosen; at most 256 */
    void *(*resize)(void *user, void *p, size_t bytes);  /* like realloc; bytes 0 frees */
    void  (*log)(void *user, const char *line);          /* receives what WEFT_DEBUG asks for */
    void *user;
} weft_open_desc;

WEFT_API weft_ctx *weft_open(const char *device);            /* NULL on failure: weft_error(NULL) */
WEFT_API weft_ctx *weft_open_with(const weft_open_desc *d);  /* the same with options */
WEFT_API void      weft_close(weft_ctx *c);                  /* free its states, graphs, plans first */
WEFT_API const char *weft_error(const weft_ctx *c);          /* last message, "" if none; NULL ok */
WEFT_API weft_err  weft_error_code(const weft_ctx *c);       /* its code */
WEFT_API int       weft_threads(const weft_ctx *c);          /* threads a large plan uses */
WEFT_API const char *weft_device_name(const weft_ctx *c);    /* "cpu" */
WEFT_API const char *weft_device_isa(const weft_ctx *c);     /* "avx2" */
WEFT_API double    weft_device_ping(weft_ctx *c, int threads);
    /* dispatch-and-join latency of that many threads, in microseconds; 0: no thread pool */
WEFT_API uint64_t  weft_allocations(const weft_ctx *c);      /* allocations made so far */
WEFT_API uint64_t  weft_allocated(const weft_ctx *c);        /* bytes allocated so far, freed or not */
WEFT_API double    weft_clock(void);                         /* seconds of a monotonic clock */
WEFT_API double    weft_wall(void);                          /* seconds since 1970 */

/* ---- graph and inputs -------------------------------------------------------------------- */

WEFT_API weft_graph *weft_graph_new(weft_ctx *c);  /* NULL when out of memory */
WEFT_API void        weft_graph_free(weft_graph *g);  /* NULL is fine; plans stay valid */
WEFT_API void        weft_scope_push(weft_graph *g, const char *name);
    /* "block3", no dots: prefixes names and messages */
WEFT_API void        weft_scope_pop (weft_graph *g);  /* back to the enclosing scope */
WEFT_API weft_err    weft_graph_error(const weft_graph *g);  /* WEFT_OK, or why it is poisoned */
WEFT_API void        weft_graph_eval(weft_graph *g);
    /* evaluation mode from here on: no dropout, batch norms use their running statistics */
WEFT_API bool        weft_graph_is_eval(const weft_graph *g);  /* is it in evaluation mode? */

WEFT_API weft_tensor weft_input  (weft_graph *g, weft_dtype t, weft_shape dims);
    /* its value is set before a run */
WEFT_API weft_tensor weft_const  (weft_graph *g, weft_dtype t, weft_shape dims, const void *data);
    /* data is copied */
WEFT_API weft_tensor weft_scalar (weft_graph *g, float v);    /* 0-d f32 */
WEFT_API weft_tensor weft_integer(weft_graph *g, int32_t v);  /* 0-d i32 */
WEFT_API weft_tensor weft_full   (weft_graph *g, weft_shape dims, float v);  /* all elements v */
WEFT_API weft_tensor weft_iota   (weft_graph *g, weft_shape dims, int axis);
    /* i32 index along axis */

WEFT_API int        weft_rank (weft_tensor x);            /* 0 for poison */
WEFT_API weft_shape weft_shape_of(weft_tensor x);         /* rank 0 for poison */
WEFT_API int64_t    weft_dim  (weft_tensor x, int axis);  /* extent; 0 when there is no such axis */
WEFT_API int64_t    weft_count(weft_tensor x);            /* number of elements */
WEFT_API weft_dtype weft_dtype_of(weft_tensor x);         /* WEFT_F32 for poison */
WEFT_API bool       weft_ok   (weft_tensor x);            /* not poison */

/* ---- elementwise, with NumPy broadcasting; integer with float gives f32 -------------------- */

WEFT_API weft_tensor weft_neg  (weft_tensor x);   /* -x */
WEFT_API weft_tensor weft_abs  (weft_tensor x);   /* |x|, gradient 0 at 0 */
WEFT_API weft_tensor weft_sign (weft_tensor x);   /* -1, 0, 1 */
WEFT_API weft_tensor weft_exp  (weft_tensor x);   /* e^x */
WEFT_API weft_tensor weft_expm1(weft_tensor x);   /* e^x - 1, accurate near 0 */
WEFT_API weft_tensor weft_log  (weft_tensor x);   /* ln x; -inf at 0, nan below */
WEFT_API weft_tensor weft_log1p(weft_tensor x);   /* ln(1 + x), accurate near 0 */
WEFT_API weft_tensor weft_sqrt (weft_tensor x);   /* gradient inf at 0 */
WEFT_API weft_tensor weft_rsqrt(weft_tensor x);   /* 1 / sqrt x */
WEFT_API weft_tensor weft_recip(weft_tensor x);   /* 1 / x */
WEFT_API weft_tensor weft_sin  (weft_tensor x);   /* x in radians */
WEFT_API weft_tensor weft_cos  (weft_tensor x);   /* x in radians */
WEFT_API weft_tensor weft_tanh (weft_tensor x);   /* hyperbolic tangent */
WEFT_API weft_tensor weft_erf  (weft_tensor x);   /* error function */
WEFT_API weft_tensor weft_erfc (weft_tensor x);   /* 1 - erf(x), accurate for large x */
WEFT_API weft_tensor weft_floor(weft_tensor x);   /* gradient 0 */
WEFT_API weft_tensor weft_ceil (weft_tensor x);   /* gradient 0 */
WEFT_API weft_tensor weft_round(weft_tensor x);   /* half to even */
WEFT_API weft_tensor weft_square(weft_tensor x);  /* x^2 */
WEFT_API weft_tensor weft_not  (weft_tensor x);   /* bool: x == 0 */

WEFT_API weft_tensor weft_sigmoid   (weft_tensor x);               /* 1 / (1 + e^-x) */
WEFT_API weft_tensor weft_relu      (weft_tensor x);               /* max(x, 0), gradient 0 at 0 */
WEFT_API weft_tensor weft_leaky_relu(weft_tensor x, float slope);  /* x, or slope x below 0 */
WEFT_API weft_tensor weft_elu       (weft_tensor x, float alpha);
    /* x, or alpha (e^x - 1) below 0 */
WEFT_API weft_tensor weft_gelu      (weft_tensor x);               /* x Phi(x), by erf */
WEFT_API weft_tensor weft_gelu_tanh (weft_tensor x);               /* GPT-2's approximation */
WEFT_API weft_tensor weft_silu      (weft_tensor x);               /* x sigmoid(x) */
WEFT_API weft_tensor weft_softplus  (weft_tensor x);               /* ln(1 + e^x) */

/* Special functions; weft/special.h has more, for numbers and arrays. */
WEFT_API weft_tensor weft_erfinv(weft_tensor p);      /* x with erf(x) = p; nan beyond 1 */
WEFT_API weft_tensor weft_lgamma(weft_tensor x);      /* ln |Gamma(x)| */
WEFT_API weft_tensor weft_digamma(weft_tensor x);     /* derivative of lgamma */
WEFT_API weft_tensor weft_polygamma(weft_tensor n, weft_tensor x);
    /* n-th derivative of digamma; n is rounded; x > 0, or n below 2 */
WEFT_API weft_tensor weft_bessel_j0(weft_tensor x);   /* Bessel J of order 0; 0 beyond 2^24 */
WEFT_API weft_tensor weft_bessel_j1(weft_tensor x);   /* J of order 1 */
WEFT_API weft_tensor weft_bessel_i0e(weft_tensor x);  /* e^-|x| I, order 0 */
WEFT_API weft_tensor weft_bessel_i1e(weft_tensor x);  /* e^-|x| I, order 1 */
WEFT_API weft_tensor weft_lbeta(weft_tensor a, weft_tensor b);  /* ln Beta(a, b), a and b above 0 */
WEFT_API weft_tensor weft_xlogy(weft_tensor x, weft_tensor y);  /* x ln y; 0 where x is 0 */

WEFT_API weft_tensor weft_add(weft_tensor a, weft_tensor b);         /* a + b */
WEFT_API weft_tensor weft_sub(weft_tensor a, weft_tensor b);         /* a - b */
WEFT_API weft_tensor weft_mul(weft_tensor a, weft_tensor b);         /* a b */
WEFT_API weft_tensor weft_div(weft_tensor a, weft_tensor b);         /* a / b; integers divide as f32 */
WEFT_API weft_tensor weft_pow(weft_tensor a, weft_tensor b);
    /* a^b; nan for a < 0 unless b is an integer */
WEFT_API weft_tensor weft_mod(weft_tensor a, weft_tensor b);  /* a - floor(a / b) b: has the sign of b */
WEFT_API weft_tensor weft_maximum(weft_tensor a, weft_tensor b);  /* ties: the gradient goes to b */
WEFT_API weft_tensor weft_minimum(weft_tensor a, weft_tensor b);  /* ties: the gradient goes to b */
WEFT_API weft_tensor weft_clamp(weft_tensor x, float lo, float hi);
    /* limited to [lo, hi]; gradient 1 at both ends */
WEFT_API weft_tensor weft_scale (weft_tensor x, float by);           /* x by */
WEFT_API weft_tensor weft_offset(weft_tensor x, float by);           /* x + by */

WEFT_API weft_tensor weft_lt(weft_tensor a, weft_tensor b);   /* a < b; comparisons give bool */
WEFT_API weft_tensor weft_le(weft_tensor a, weft_tensor b);   /* a <= b */
WEFT_API weft_tensor weft_gt(weft_tensor a, weft_tensor b);   /* a > b */
WEFT_API weft_tensor weft_ge(weft_tensor a, weft_tensor b);   /* a >= b */
WEFT_API weft_tensor weft_eq(weft_tensor a, weft_tensor b);   /* a == b */
WEFT_API weft_tensor weft_ne(weft_tensor a, weft_tensor b);   /* a != b */
WEFT_API weft_tensor weft_and(weft_tensor a, weft_tensor b);  /* bool: logical; integers: bitwise */
WEFT_API weft_tensor weft_or (weft_tensor a, weft_tensor b);  /* likewise */
WEFT_API weft_tensor weft_xor(weft_tensor a, weft_tensor b);  /* likewise */
WEFT_API weft_tensor weft_where(weft_tensor cond, weft_tensor a, weft_tensor b);  /* cond ? a : b */
WEFT_API weft_tensor weft_cast(weft_tensor x, weft_dtype t);  /* float to integer truncates */

/* ---- reductions over the listed axes (WEFT_ALL: all); keep: they stay, with extent 1 -------- */

WEFT_API weft_tensor weft_sum (weft_tensor x, weft_shape axes, bool keep);  /* empty: 0 */
WEFT_API weft_tensor weft_mean(weft_tensor x, weft_shape axes, bool keep);  /* sum / count, f32 */
WEFT_API weft_tensor weft_prod(weft_tensor x, weft_shape axes, bool keep);  /* empty: 1 */
WEFT_API weft_tensor weft_max (weft_tensor x, weft_shape axes, bool keep);
    /* ties share the gradient */
WEFT_API weft_tensor weft_min (weft_tensor x, weft_shape axes, bool keep);
    /* ties share the gradient */
WEFT_API weft_tensor weft_var (weft_tensor x, weft_shape axes, bool keep);
    /* population variance: divides by the count */
WEFT_API weft_tensor weft_any (weft_tensor x, weft_shape axes, bool keep);  /* bool */
WEFT_API weft_tensor weft_all (weft_tensor x, weft_shape axes, bool keep);
    /* bool; empty: true */
WEFT_API weft_tensor weft_squares(weft_tensors x);
    /* [n]: the sum of squares of each of n tensors */
WEFT_API weft_tensor weft_argmax(weft_tensor x, int axis, bool keep);  /* i32; ties: the first */
WEFT_API weft_tensor weft_argmin(weft_tensor x, int axis, bool keep);  /* i32; ties: the first */
WEFT_API weft_tensor weft_cumsum(weft_tensor x, int axis);             /* inclusive prefix sums */
WEFT_API weft_tensor weft_linrec(weft_tensor a, weft_tensor b, int axis, bool reverse);
    /* linear recurrence: h[t] = a[t] h[t-1] + b[t], h[-1] = 0 */

typedef struct weft_gate { int32_t a, b, row; } weft_gate;
    /* two values, numbered features first and then gates in order, and a row of coefficients */
WEFT_API weft_tensor weft_gate_program(weft_tensor x, weft_tensor coef, const weft_gate *gates,
        size_t n, const int32_t *outputs, size_t m);
    /* x [features, cells], coef [rows, 4] -> [m, cells]: n gates c0 + c1 a + c2 b + c3 a b; outputs
       are the numbers of m values; gates may share a row, and are not stored */

/* ---- products ---------------------------------------------------------------------------- */

WEFT_API weft_tensor weft_matmul(weft_tensor a, weft_tensor b);
    /* [..., m, k] x [..., k, n] -> [..., m, n] */
WEFT_API weft_tensor weft_einsum(const char *spec, weft_tensors operands);  /* "bij,bjk->bik" */

/* ---- shape ------------------------------------------------------------------------------- */

WEFT_API weft_tensor weft_reshape  (weft_tensor x, weft_shape dims);  /* one extent may be -1 */
WEFT_API weft_tensor weft_permute  (weft_tensor x, weft_shape axes);
    /* axis i of the result is axes[i] */
WEFT_API weft_tensor weft_transpose(weft_tensor x, int a, int b);     /* swap two axes */
WEFT_API weft_tensor weft_expand   (weft_tensor x, weft_shape dims);  /* broadcast to dims */
WEFT_API weft_tensor weft_squeeze  (weft_tensor x, int axis);         /* drop an axis of extent 1 */
WEFT_API weft_tensor weft_unsqueeze(weft_tensor x, int axis);         /* insert one before axis */
WEFT_API weft_tensor weft_slice(weft_tensor x, int axis, int64_t start, int64_t stop, int64_t step);
    /* Python's x[start:stop:step] */
#define WEFT_END INT64_MAX  /* "to the end", either direction */
WEFT_API weft_tensor weft_slice_at(weft_tensor x, int axis, weft_tensor start, int64_t length);
    /* start: 0-d i32, read at run time and clamped to the extent */
WEFT_API weft_tensor weft_slice_write(weft_tensor base, int axis, weft_tensor start,
        weft_tensor value);
    /* base with value written where slice_at reads; in place if base is not read afterwards */
WEFT_API weft_tensor weft_pad  (weft_tensor x, int axis, int64_t before, int64_t after,
        float value);
    /* filled with value */
WEFT_API weft_tensor weft_flip (weft_tensor x, int axis);          /* reversed along axis */
WEFT_API weft_tensor weft_tile (weft_tensor x, weft_shape times);  /* repeated along each axis */
WEFT_API weft_tensor weft_concat(weft_tensors parts, int axis);    /* joined along axis */
WEFT_API weft_tensor weft_stack (weft_tensors parts, int axis);    /* joined along a new axis */
WEFT_API weft_err    weft_split(weft_tensor x, int axis, int parts, weft_tensor *out);
    /* equal parts */

/* ---- indexing and sorting; an index out of range reads 0, and scatters nothing -------------- */

WEFT_API weft_tensor weft_gather     (weft_tensor x, weft_tensor index, int axis);
    /* x[.., index, ..]: the axes of index replace axis */
WEFT_API weft_tensor weft_take_along (weft_tensor x, weft_tensor index, int axis);
    /* one index per element of the result */
WEFT_API weft_tensor weft_scatter_add(weft_tensor base, weft_tensor index, weft_tensor src,
        int axis);
    /* base, with src added where take_along would read */
WEFT_API weft_tensor weft_one_hot (weft_tensor index, int64_t classes);  /* f32 [..., classes] */
WEFT_API weft_tensor weft_embedding(weft_tensor table, weft_tensor index);  /* rows of table */
WEFT_API weft_tensor weft_argsort(weft_tensor x, int axis, bool descending);  /* i32, stable */
WEFT_API weft_tensor weft_sort   (weft_tensor x, int axis, bool descending);  /* stable */
typedef struct weft_top { weft_tensor values, indices; } weft_top;
WEFT_API weft_top    weft_topk   (weft_tensor x, int64_t k, int axis);  /* largest first */

/* ---- random numbers: a pure function of (seed, run number, node, element) ------------------- */

WEFT_API weft_tensor weft_uniform  (weft_graph *g, weft_shape dims);  /* [0, 1) */
WEFT_API weft_tensor weft_normal   (weft_graph *g, weft_shape dims);  /* mean 0, standard deviation 1 */
WEFT_API weft_tensor weft_bernoulli(weft_graph *g, float p, weft_shape dims);
    /* bool, true with probability p */
WEFT_API weft_tensor weft_randint  (weft_graph *g, int32_t lo, int32_t hi, weft_shape dims);
    /* [lo, hi) */
WEFT_API weft_tensor weft_permutation(weft_graph *g, int64_t n);      /* i32 [n], 0 .. n - 1 shuffled */
WEFT_API weft_tensor weft_dropout  (weft_tensor x, float p);
    /* 0 with probability p, else x / (1 - p); x in an evaluation graph */

/* ---- blocks: defined by the operations above, with faster kernels where a device has them --- */

WEFT_API weft_tensor weft_softmax    (weft_tensor x, int axis);  /* exp(x - max) / sum */
WEFT_API weft_tensor weft_log_softmax(weft_tensor x, int axis);  /* x - logsumexp */
WEFT_API weft_tensor weft_logsumexp  (weft_tensor x, int axis, bool keep);  /* ln sum e^x */
WEFT_API weft_tensor weft_layer_norm (weft_tensor x, weft_tensor weight, weft_tensor bias,
        float eps);
    /* last axis */
WEFT_API weft_tensor weft_rms_norm   (weft_tensor x, weft_tensor weight, float eps);
    /* last axis */
WEFT_API weft_tensor weft_group_norm (weft_tensor x, int groups, weft_tensor weight,
        weft_tensor bias, float eps);
    /* [N, C, ...] */
typedef struct weft_normed { weft_tensor y, mean, var; } weft_normed;
WEFT_API weft_normed weft_batch_norm (weft_tensor x, weft_tensor weight, weft_tensor bias,
        float eps);
    /* [N, C, ...], batch statistics */

typedef struct weft_conv_desc {
    int64_t stride[2], padding[2], dilation[2];
        /* rows, columns; conv1d uses the first; stride and dilation 0: 1 */
    int64_t output_padding[2];                   /* transposed convolutions only */
    int64_t groups;                              /* 0: 1 */
    bool    channels_last;  /* x and y are [N, H, W, C] instead of [N, C, H, W] */
} weft_conv_desc;
WEFT_API weft_tensor weft_conv1d(weft_tensor x, weft_tensor w, const weft_conv_desc *d);
    /* w [out, in/groups, k] */
WEFT_API weft_tensor weft_conv2d(weft_tensor x, weft_tensor w, const weft_conv_desc *d);
    /* w [out, in/groups, kh, kw] */
WEFT_API weft_tensor weft_conv_transpose1d(weft_tensor x, weft_tensor w, const weft_conv_desc *d);
    /* w [in, out/groups, k] */
WEFT_API weft_tensor weft_conv_transpose2d(weft_tensor x, weft_tensor w, const weft_conv_desc *d);
    /* w [in, out/groups, kh, kw] */

typedef struct weft_pool_desc {
    int64_t size[2], stride[2], padding[2];  /* stride 0: size */
    bool    channels_last;
} weft_pool_desc;
WEFT_API weft_tensor weft_max_pool(weft_tensor x, const weft_pool_desc *d);  /* [N, C, H, W] */
WEFT_API weft_tensor weft_avg_pool(weft_tensor x, const weft_pool_desc *d);
    /* padding counts as 0 */

typedef struct weft_attention_desc {
    bool        causal;
    float       scale;  /* 0: 1 / sqrt(head size) */
    weft_tensor mask;   /* optional bool, broadcast to [..., tq, tk]: true: attended to */
    int64_t     window; /* causal: a position attends to this many last ones, itself included; 0: all */
} weft_attention_desc;
WEFT_API weft_tensor weft_attention(weft_tensor q, weft_tensor k, weft_tensor v,
        const weft_attention_desc *d);
    /* q [..., H, tq, h], k [..., K, tk, h], v [..., K, tk, hv], H a multiple of K: head j of q reads
       head j / (H / K) of k and v */
typedef struct weft_rope_desc {
    float   base;       /* 0: 10000 */
    float   factor;     /* positions are divided by this; 0: 1. With .original by Llama 3's rule: */
    float   low, high;  /* wavelengths above original / low are scaled, those below
                           original / high are not; 0: 1 and 4 */
    int64_t original;   /* positions the model was first trained on; 0: all are scaled */
} weft_rope_desc;
WEFT_API weft_tensor weft_rope(weft_tensor x, weft_tensor positions, const weft_rope_desc *d);
    /* rotary positions: x [..., T, h], positions i32, broadcast to [..., T]: the pair of elements i and
       i + h/2 is rotated by the angle position base^(-2i/h), in f32; d may be NULL */
/* Cells, with PyTorch's gates and layouts: a = x W_ih^T + b_ih, u = h W_hh^T + b_hh.
             name      text      gates  new state, from a and u gate by gate */
#define WEFT_CELLS(X)                                                                            \
    X(RNN_TANH, "rnn_tanh", 1)   /* h = tanh(a + u) */                                           \
    X(RNN_RELU, "rnn_relu", 1)   /* h = max(a + u, 0) */                                         \
    X(LSTM,     "lstm",     4)   /* i, f, o = sigmoid, g = tanh; c = f c + i g, h = o tanh c */  \
    X(GRU,      "gru",      3)   /* r, z = sigmoid; n = tanh(a + r u), h = (1 - z) n + z h */

typedef enum weft_cell {
#define X(name, text, gates) WEFT_##name,
    WEFT_CELLS(X)
#undef X
    WEFT_CELL_COUNT
} weft_cell;
typedef struct weft_recur_desc {
    weft_tensor h0, c0;   /* optional [B, H]: initial state, default zeros; c0: LSTM only */
    weft_tensor lengths;  /* optional i32 [B]: beyond them h and c are kept and y is 0 */
    bool        reverse;  /* from the last step of each row to the first */
} weft_recur_desc;
typedef struct weft_recurred { weft_tensor y, h, c; } weft_recurred;
    /* y: h of all steps [T, B, H]; final h and c [B, H], c of the LSTM only */
WEFT_API weft_recurred weft_recur(weft_cell cell, weft_tensor x, weft_tensor w_ih,
        weft_tensor w_hh, weft_tensor b_ih, weft_tensor b_hh, const weft_recur_desc *d);
    /* x [T, B, I], w_ih [gates H, I], w_hh [gates H, H]; optional biases [gates H] */
WEFT_API int weft_cell_gates(weft_cell cell);  /* from the table; 0: not a cell */
WEFT_API weft_tensor weft_cross_entropy(weft_tensor logits, weft_tensor targets);
    /* [..., classes], i32 [...]: mean; nan if a target is not a class (if constant: an error) */
typedef struct weft_linear_cross_entropy_desc {
    int64_t rows;  /* of x at a time; 0: about 64 MB of logits */
} weft_linear_cross_entropy_desc;
WEFT_API weft_tensor weft_linear_cross_entropy(weft_tensor x, weft_tensor w, weft_tensor targets,
        const weft_linear_cross_entropy_desc *d);
    /* x [..., in], w [classes, in], i32 [...]: the cross entropy of x w^T, computed in pieces:
       mean over the targets >= 0, others are ignored (none left: nan); d may be NULL */
WEFT_API weft_tensor weft_mse(weft_tensor a, weft_tensor b);  /* mean (a - b)^2 */

/* ---- gradients --------------------------------------------------------------------------- */

WEFT_API weft_err    weft_grad(weft_tensor y, const weft_tensor *wrt, size_t n, weft_tensor *out);
    /* d sum(y) / d wrt[i]; zeros where y does not depend on it;
       equal expressions are one tensor, and have one gradient */
WEFT_API weft_err    weft_vjp (weft_tensor y, weft_tensor seed, const weft_tensor *wrt, size_t n,
        weft_tensor *out);
    /* d sum(seed y) / d wrt[i] */
WEFT_API weft_tensor weft_stop_gradient(weft_tensor x);  /* x, treated as a constant */
WEFT_API weft_tensor weft_stored(weft_tensor x);
    /* x, materialised: what reads it is not fused with what computes it */
WEFT_API weft_tensor weft_straight_through(weft_tensor value, weft_tensor path);
    /* value, with the gradient of path */
/* A rule gets the gradient dy of y and writes one gradient per input; poison means none. */
typedef void (*weft_rule)(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in,
        size_t n, weft_tensor *out);
WEFT_API weft_tensor weft_custom_grad(weft_tensor y, weft_tensors in, weft_rule rule, void *user);
    /* y, differentiated by this rule */
WEFT_API void        weft_checkpoint_begin(weft_graph *g);
    /* gradient checkpointing: what is recorded from here to the end is recomputed ... */
WEFT_API void        weft_checkpoint_end  (weft_graph *g);
    /* ... in the backward pass instead of being stored */

/* ---- state ------------------------------------------------------------------------------- */

typedef enum weft_init_kind {
    WEFT_INIT_DEFAULT,     /* the layer's default; zeros where it has none */
    WEFT_INIT_ZEROS, WEFT_INIT_ONES,
    WEFT_INIT_VALUE,       /* a */
    WEFT_INIT_UNIFORM,     /* from a to b */
    WEFT_INIT_NORMAL,      /* mean a, standard deviation b */
    WEFT_INIT_TRUNCATED,   /* the same, within two standard deviations of the mean */
    WEFT_INIT_ORTHOGONAL,  /* as a matrix [first extent, rest]: orthonormal rows or columns, times a */
    WEFT_INIT_PADDED,      /* normal with standard deviation a; row b is 0 */
    WEFT_INIT_COLUMN,      /* zeros; column b, along the last axis, is a */
    WEFT_INIT_PARAM        /* of a slot: a copy of its parameter at that time */
} weft_init_kind;
typedef struct weft_init { weft_init_kind kind; float a, b; } weft_init;
    /* values depend on (seed, name) only; nn.h has helpers that choose a and b */

WEFT_API weft_state *weft_state_new (weft_ctx *c);                   /* NULL: weft_error(c) */
WEFT_API void        weft_state_free(weft_state *s);
    /* running a plan that uses it is an error afterwards */
WEFT_API void        weft_state_seed(weft_state *s, uint32_t seed);
    /* call before creating the first parameter */

WEFT_API weft_tensor weft_param(weft_graph *g, weft_state *s, const char *name, weft_shape dims,
        weft_init init);
    /* gets or creates a trained parameter; the graph's scopes prefix its name */
WEFT_API weft_tensor weft_buffer(weft_graph *g, weft_state *s, const char *name, weft_dtype t,
        weft_shape dims, weft_init init);
    /* the same, not trained: statistics, caches, counters */
WEFT_API weft_tensor weft_slot(weft_graph *g, weft_state *s, weft_tensor param, const char *kind,
        weft_init init);
    /* optimiser state that belongs to a parameter, "exp_avg" */
WEFT_API weft_tensor weft_number(weft_graph *g, weft_state *s, const char *name, float initial);
    /* a 0-d f32 buffer; scopes do not prefix its name: "optim.lr" */

typedef struct weft_entry {
    const char *name;
    weft_dtype dtype;
    weft_shape dims;
    size_t bytes;
    bool trained;
    bool host;  /* weft_state_data gives a pointer to it */
} weft_entry;
WEFT_API size_t   weft_state_count(const weft_state *s);             /* entries */
WEFT_API weft_err weft_state_entry(const weft_state *s, size_t i, weft_entry *out);
    /* in order of creation */
WEFT_API weft_err weft_state_get(weft_state *s, const char *name, void *out, size_t bytes);
    /* copy out */
WEFT_API weft_err weft_state_set(weft_state *s, const char *name, const void *in, size_t bytes);
    /* copy in */
WEFT_API void    *weft_state_copy(weft_state *s, const char *name);
    /* the values in memory of their own, which weft_resize(c, p, 0) frees; NULL: weft_error */
WEFT_API uint64_t weft_state_changes(const weft_state *s);
    /* how often weft_state_set or a load has changed an entry named "rng...", where agents keep
       their state: when it differs, what they rely on must be validated again */
WEFT_API void     weft_state_limit(weft_state *s, size_t bytes);
    /* upper bound on the memory of all entries, checked before allocating: for networks described
       by files; 0: none */
WEFT_API void    *weft_state_data(weft_state *s, const char *name);
    /* pointer to the values; NULL if the name is unknown, or, with WEFT_DEVICE, if they lie in device
       memory and are not host-resident: weft_state_get and weft_state_set copy them */
WEFT_API weft_err weft_state_host(weft_state *s, const char *name);
    /* keeps an entry in host memory on any device, for what a program reads and writes all the time;
       plans copy it in and back. Call before it gets memory */
WEFT_API uint64_t weft_state_hash(weft_state *s);                    /* hash of all names and values */

/* ---- a layer and the basic optimisers (nn.h and optim.h have more) -------------------------- */

WEFT_API weft_tensor weft_linear(weft_state *s, weft_tensor x, int64_t out, const char *name);
    /* x W^T + b: name.weight [out, in], name.bias [out] */

typedef struct weft_update  { weft_tensor state, value; } weft_update;
typedef struct weft_updates { const weft_update *at; size_t n; } weft_updates;
    /* owned by the graph */
WEFT_API weft_updates weft_assign(weft_tensor state, weft_tensor value);  /* list of one */
WEFT_API weft_updates weft_updates_join(weft_graph *g, weft_updates a, weft_updates b);
    /* a followed by b */

WEFT_API void         weft_layer_update(weft_tensor state, weft_tensor value);
    /* an update stored in the graph, such as running statistics; plans with .training apply it */

typedef struct weft_params {
    const weft_tensor *param, *grad;
    const char *const *name;  /* of the state's entries */
    size_t n;
} weft_params;  /* owned by the graph */
WEFT_API weft_params weft_params_of(weft_state *s, weft_tensor loss);
    /* the trained parameters that loss depends on, and their gradients; empty after an error */

typedef struct weft_sgd_desc  { float lr, momentum, decay; bool nesterov; } weft_sgd_desc;
    /* lr 0: 0.01 */
typedef struct weft_adam_desc { float lr, beta1, beta2, eps, decay; bool l2; } weft_adam_desc;
    /* lr 0: 0.001, betas 0: 0.9 and 0.999, eps 0: 1e-8; decay is decoupled, with l2 it is added to
       the gradient */
WEFT_API weft_updates weft_sgd (weft_state *s, weft_tensor loss, const weft_sgd_desc *d);
    /* for all parameters that loss depends on */
WEFT_API weft_updates weft_adam(weft_state *s, weft_tensor loss, const weft_adam_desc *d);
    /* the learning rate is the state's entry "optim.lr", the number of steps "optim.step";
       weft/optim.h has more optimisers, schedules, groups and clipping */

/* One step of one parameter, for custom optimisers. Parameters that lie next to each other in the
 * state are updated in one pass, as is any step written with elementwise operations. */
typedef struct weft_step_desc {
    float       clip;   /* the gradient is clipped to [-clip, clip] first; 0: not clipped */
    weft_tensor scale;  /* optional 0-d: then multiplied by this */
    weft_tensor due;    /* optional 0-d bool: false: no step, nothing changes */
} weft_step_desc;
typedef struct weft_stepped { weft_tensor p, m, v; } weft_stepped;  /* new values */
WEFT_API weft_stepped weft_momentum_step(weft_tensor p, weft_tensor m, weft_tensor grad,
        weft_tensor lr, const weft_sgd_desc *d, const weft_step_desc *how);
    /* g = grad + decay p; m = momentum m + g; p -= lr (nesterov ? g + momentum m : m); no v */
WEFT_API weft_stepped weft_adam_step(weft_tensor p, weft_tensor m, weft_tensor v, weft_tensor grad,
        weft_tensor lr, weft_tensor rate, weft_tensor root, const weft_adam_desc *d,
        const weft_step_desc *how);
    /* m and v are averages of g and g^2; p -= lr decay p + rate m / (root sqrt(v) + eps);
       rate = lr / (1 - beta1^t), root = 1 / sqrt(1 - beta2^t) */

/* ---- plans ------------------------------------------------------------------------------- */

/* Thread safety. Plans of one context may run concurrently, each on one thread at a time, if none of
 * them updates a state that another uses. Meanwhile one thread, and only one, may record, compile
 * and free other plans, also over the states in use, since this only creates new entries. A state's
 * values may be set or loaded while no plan that uses it runs. weft_error gives the last failure of
 * any of these threads; `resize` of the context is called from all of them. */
typedef struct weft_plan_desc {
    weft_tensors fetch;   /* results that weft_get can read */
    weft_updates update;  /* state entries that a run updates */
    bool  training;       /* also apply the updates of layers (running statistics); required for a
                             plan that trains such a layer */
    int   threads;        /* 0: chosen by the amount of work, at most the context's; else exactly so
                             many, which may be more than those, at most 256 */
    bool  portable;       /* only steps that weft_plan_emit_c supports */
    bool  unfused;        /* one kernel per operation, for comparison */
    bool  watch;          /* unfused, and every result is checked: weft_plan_finding; slow */
    const char *name;     /* "train": its name in profiles; NULL: none */
    weft_dtype mixed;     /* mixed precision, WEFT_BF16 or WEFT_F16: products, convolutions and
                             attention read operands rounded to this type, values that only they and
                             maps read are stored in it, the rest stays f32. 0: all as recorded */
} weft_plan_desc;

WEFT_API weft_plan *weft_compile(weft_graph *g, const weft_plan_desc *d);
    /* NULL: weft_error(ctx) */
WEFT_API void       weft_plan_free(weft_plan *p);                /* NULL is fine */
WEFT_API weft_err   weft_set(weft_plan *p, weft_tensor input, const void *data, size_t bytes);
    /* copies the value of an input */
WEFT_API void      *weft_feed(weft_plan *p, weft_tensor input);
    /* host memory of an input, to write it in place before a run; counts as set */
WEFT_API weft_err   weft_run(weft_plan *p);
    /* one run: reads see the old state, updates are applied at the end; all inputs must be set. May
       return before the work is done: what reads a result or the state waits for it */
WEFT_API weft_err   weft_wait(weft_plan *p);
    /* waits for the last run to finish, for timing; on the CPU it already has */
WEFT_API weft_err   weft_get(weft_plan *p, weft_tensor t, void *out, size_t bytes);
    /* copies a fetched result */
WEFT_API float      weft_item(weft_plan *p, weft_tensor t);
    /* a fetched scalar; nan on failure */

typedef struct weft_stats {
    uint32_t kernels;       /* steps of a run */
    uint32_t products;      /* matrix products among them */
    uint32_t segments;      /* groups of steps between barriers */
    int      threads;       /* threads a run uses */
    size_t   arena_bytes;   /* memory for intermediates */
    double   flops, bytes;  /* of a run, estimated */
} weft_stats;
WEFT_API weft_stats weft_plan_stats(const weft_plan *p);      /* all 0 for NULL */
WEFT_API char      *weft_plan_text (const weft_plan *p);
    /* the steps as text; free with weft_text_free */
WEFT_API char      *weft_plan_emit_c(const weft_plan *p, const char *name);
    /* one C99 file with the weights inside; needs libm only */
WEFT_API void       weft_text_free(weft_ctx *c, char *text);  /* any text that the library returned */

/* The first value that is not finite, in the last run of a plan compiled with .watch. */
typedef struct weft_finding {
    const char *layer;      /* the scope it was recorded in, or the name of a state entry */
    const char *operation;  /* "log", "matmul", "input", "state" */
    int64_t     element;    /* its index in that result */
    float       value;      /* nan, or an infinity when there was no nan */
} weft_finding;
WEFT_API bool weft_plan_finding(const weft_plan *p, weft_finding *out);
    /* false: all results are finite */

/* A step of a plan, or a tensor in its arena. */
typedef struct weft_plan_part {
    char name[56];          /* of a step: "matmul add relu"; of a tensor: what computes it, "input" */
    char shape[64];         /* "[128,784] x [784,256]", truncated to fit */
    const char *scope;      /* "block3/attn", where it (or its forward operation) was recorded */
    double   flops, bytes;  /* of a step: FLOP and memory traffic; of a tensor: 0 and its size */
    uint32_t first, last;   /* of a tensor: the steps between which it is live */
} weft_plan_part;
WEFT_API const char *weft_plan_name(const weft_plan *p);  /* as in weft_plan_desc, or "" */
WEFT_API bool weft_plan_step  (const weft_plan *p, size_t i, weft_plan_part *out);
    /* the i-th of weft_stats.kernels steps; false: i is out of range */
WEFT_API bool weft_plan_tensor(const weft_plan *p, size_t i, weft_plan_part *out);
    /* the i-th tensor of the arena, largest first; false: i is out of range */

/* A cache of plans by key (batch size, sequence length), built on demand; evicts the least recently
 * used. */
typedef weft_plan *(*weft_build)(weft_ctx *c, weft_state *s, const int64_t *key, int n, void *user);
WEFT_API weft_plans *weft_plans_new (weft_ctx *c, weft_state *s, int capacity, weft_build build,
        void *user);
    /* keeps at most capacity plans */
WEFT_API weft_plan  *weft_plans_get (weft_plans *ps, const int64_t *key, int n);
    /* from the cache, or built; NULL on failure */
WEFT_API void        weft_plans_free(weft_plans *ps);  /* and all its plans */

/* ---- inspection -------------------------------------------------------------------------- */

WEFT_API weft_err weft_print(weft_tensor x);             /* computes x and prints it on stdout */
WEFT_API float    weft_item_of(weft_tensor x);           /* computes the scalar x */
WEFT_API char    *weft_graph_text(const weft_graph *g);  /* a line for every node */

/* ---- recorders: callbacks for profilers ------------------------------------------------------ */

/* The time one thread spent in one step of a run. */
typedef struct weft_span {
    double start, end;      /* in the time of weft_clock; equal: no work for this thread */
    double part;            /* this thread's share of the step, 0 to 1 */
} weft_span;

/* Each is called on the thread where it happens; weft/profile.h is built on these. With a recorder,
 * too, a run allocates nothing and gives the same bits. */
typedef struct weft_recorder {
    void *user;
    weft_err (*made)(void *user, const weft_plan *p, void **tag);
        /* a plan was compiled; its tag is passed below. An error makes weft_compile fail */
    void (*freed)(void *user, void *tag);        /* the plan is about to be freed */
    weft_span *(*begins)(void *user, void *tag);
        /* a run begins: returns space for [threads][kernels] spans; NULL: do not time this run */
    void (*ends)(void *user, void *tag, int threads, double start, double end);
        /* a timed run ended; threads that took part, 0: the device does not time its steps */
    void (*phase)(void *user, const char *name, double start, double end);
        /* a phase of compiling, "fuse"; a feed, "set"; or one reported by weft_phase_end */
} weft_recorder;
WEFT_API weft_err weft_record(weft_ctx *c, const weft_recorder *r);
    /* attaches a recorder, also to existing plans; NULL removes it. Call while nothing runs;
       WEFT_STATE if another recorder is attached */
WEFT_API bool     weft_recorded(const weft_ctx *c);      /* is a recorder attached? */
WEFT_API double   weft_phase_start(const weft_ctx *c);   /* weft_clock(), or 0 without a recorder */
WEFT_API void     weft_phase_end(const weft_ctx *c, const char *name, double start);
    /* reports a phase from start until now: "feed". Phases of one thread are disjoint or nested */

/* ---- for extensions: custom layers, readers and data sources -------------------------------- */

#if defined(__GNUC__) || defined(__clang__)
#define WEFT_PRINTF(text, args) __attribute__((format(printf, text, args)))
#else
#define WEFT_PRINTF(text, args)
#endif
WEFT_API weft_err  weft_fail(weft_ctx *c, weft_err e, const char *format, ...) WEFT_PRINTF(3, 4);
    /* sets the message that weft_error returns, and returns e; c may be NULL */
WEFT_API void     *weft_resize(weft_ctx *c, void *p, size_t bytes);
    /* the context's realloc: p NULL allocates, 0 bytes frees; NULL when out of memory; one thread at
       a time */
WEFT_API weft_ctx *weft_state_ctx(const weft_state *s);  /* its context; NULL for NULL */
WEFT_API weft_ctx *weft_graph_ctx(const weft_graph *g);  /* its context; NULL for NULL */
WEFT_API weft_tensor weft_poison(weft_graph *g, weft_err e, const char *format, ...)
        WEFT_PRINTF(3, 4);
    /* the result of an operation that cannot be recorded: the graph keeps the first message, after
       the scope; g may be NULL */
WEFT_API void     *weft_graph_memory(weft_graph *g, size_t bytes);
    /* zeroed memory, freed with the graph; NULL when out of memory, which poisons the graph */

#ifdef __cplusplus
}
#endif
#endif
