/* weft.h - record a network once, run it again and again.
 *
 * A program records tensors in a graph, asks for gradients, compiles what it wants into a plan and
 * runs the plan as often as it likes: no allocation, no decision, the same bits every time.
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
 * Reading order: names and numbers, context, graph and inputs, operations, gradients, state,
 * optimisers, plans, looking around. Shapes are written [rows, columns]; axes count from 0, or from
 * the end when negative; descriptions are structs in which zero means the wise default.
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

/* ---- names and numbers ------------------------------------------------------------------- */

/*           name          text for people */
#define WEFT_ERRORS(X)                                              \
    X(OK,          "no error")                                      \
    X(ARGUMENT,    "an argument is out of range")                   \
    X(SHAPE,       "shapes do not fit")                             \
    X(DTYPE,       "element types do not fit")                      \
    X(STATE,       "the state does not fit")                        \
    X(GRADIENT,    "there is no gradient")                          \
    X(MEMORY,      "out of memory")                                 \
    X(DEVICE,      "the device refused")                            \
    X(UNSUPPORTED, "not supported here")                            \
    X(FILE,        "a file could not be read or written")           \
    X(FORMAT,      "a file is not what it should be")                \
    X(DIVERGED,    "the numbers are not finite")

typedef enum weft_err {
#define X(name, text) WEFT_##name,
    WEFT_ERRORS(X)
#undef X
    WEFT_ERR_COUNT
} weft_err;

/*           name   bytes  text     what it is */
#define WEFT_DTYPES(X)                                              \
    X(F32,    4,     "f32")      /* the truth; all arithmetic */    \
    X(BF16,   2,     "bf16")     /* storage only, computed in f32 */\
    X(F16,    2,     "f16")                                         \
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

typedef struct weft_ctx   weft_ctx;    /* a device, its threads and kernels */
typedef struct weft_graph weft_graph;  /* recorded operations; free it any time after compile */
typedef struct weft_state weft_state;  /* values that last: parameters, slots, statistics */
typedef struct weft_plan  weft_plan;   /* compiled steps and one arena */
typedef struct weft_plans weft_plans;  /* a bounded cache of plans */

/* A tensor is a graph and an index: 16 bytes, by value, nothing to free. id 0 is poison. */
typedef struct weft_tensor { weft_graph *g; uint32_t id; } weft_tensor;

/* Extents, or a list of axes. Write weft_dims(64, 784); WEFT_0D is a single number's. */
typedef struct weft_shape { int32_t rank; int64_t n[WEFT_MAX_RANK]; } weft_shape;

/* Several tensors. Write weft_list(a, b, c). */
typedef struct weft_tensors { const weft_tensor *at; size_t n; } weft_tensors;

#ifdef __cplusplus
}
/* C++ has no compound literals: the same two words, as functions. A weft_list lives until the end
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
#define WEFT_0D ((weft_shape){ 0, { 0 } })   /* the shape of a single number */
#endif
#define WEFT_ALL WEFT_0D      /* as a list of axes: every axis */

WEFT_API const char *weft_err_text(weft_err e);      /* the table's text */
WEFT_API const char *weft_dtype_name(weft_dtype t);  /* "f32" */
WEFT_API size_t      weft_dtype_size(weft_dtype t);  /* bytes of one element */
WEFT_API const char *weft_version(void);             /* WEFT_VERSION of the library linked */

/* ---- context ----------------------------------------------------------------------------- */

typedef struct weft_open_desc {
    const char *device;                                  /* "auto", "cpu", "ref", "null", "best" */
    int   threads;                                       /* 0: WEFT_THREADS, else as many as pay */
    void *(*resize)(void *user, void *p, size_t bytes);  /* like realloc; bytes 0 frees */
    void  (*log)(void *user, const char *line);          /* told what WEFT_DEBUG asks for */
    void *user;
} weft_open_desc;

WEFT_API weft_ctx *weft_open(const char *device);            /* NULL on failure: weft_error(NULL) */
WEFT_API weft_ctx *weft_open_with(const weft_open_desc *d);  /* the same with every choice */
WEFT_API void      weft_close(weft_ctx *c);                  /* after its states, graphs, plans */
WEFT_API const char *weft_error(const weft_ctx *c);          /* last message, "" if none; NULL ok */
WEFT_API weft_err  weft_error_code(const weft_ctx *c);       /* its code */
WEFT_API int       weft_threads(const weft_ctx *c);          /* threads a large plan will use */
WEFT_API const char *weft_device_name(const weft_ctx *c);    /* "cpu" */
WEFT_API const char *weft_device_isa(const weft_ctx *c);     /* "avx2" */
WEFT_API double    weft_device_ping(weft_ctx *c, int threads);
    /* microseconds to hand nothing to so many threads and have them back; 0: nobody to ask */
WEFT_API uint64_t  weft_allocations(const weft_ctx *c);      /* allocations made so far */
WEFT_API uint64_t  weft_allocated(const weft_ctx *c);        /* bytes asked for, freed or not */
WEFT_API double    weft_clock(void);                         /* seconds since some time, steady */
WEFT_API double    weft_wall(void);                          /* seconds since 1970 */

/* ---- graph and inputs -------------------------------------------------------------------- */

WEFT_API weft_graph *weft_graph_new(weft_ctx *c);  /* NULL when out of memory */
WEFT_API void        weft_graph_free(weft_graph *g);  /* NULL is fine; plans live on */
WEFT_API void        weft_scope_push(weft_graph *g, const char *name);
    /* "block3", no dots: prefixes names and messages */
WEFT_API void        weft_scope_pop (weft_graph *g);  /* back to the scope around it */
WEFT_API weft_err    weft_graph_error(const weft_graph *g);  /* WEFT_OK, or why it is poisoned */
WEFT_API void        weft_graph_eval(weft_graph *g);
    /* what follows is recorded for evaluation: no dropout, norms by their running statistics */
WEFT_API bool        weft_graph_is_eval(const weft_graph *g);  /* whether that was said */

WEFT_API weft_tensor weft_input  (weft_graph *g, weft_dtype t, weft_shape dims);
    /* set before a run */
WEFT_API weft_tensor weft_const  (weft_graph *g, weft_dtype t, weft_shape dims, const void *data);
    /* copied */
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

/* ---- element by element; NumPy broadcasting; integers meet floats as f32 ------------------- */

WEFT_API weft_tensor weft_neg  (weft_tensor x);   /* -x */
WEFT_API weft_tensor weft_abs  (weft_tensor x);   /* |x|, slope 0 at 0 */
WEFT_API weft_tensor weft_sign (weft_tensor x);   /* -1, 0, 1 */
WEFT_API weft_tensor weft_exp  (weft_tensor x);   /* e^x */
WEFT_API weft_tensor weft_expm1(weft_tensor x);   /* e^x - 1, exact near 0 */
WEFT_API weft_tensor weft_log  (weft_tensor x);   /* ln x; -inf at 0, nan below */
WEFT_API weft_tensor weft_log1p(weft_tensor x);   /* ln(1 + x), exact near 0 */
WEFT_API weft_tensor weft_sqrt (weft_tensor x);   /* slope inf at 0 */
WEFT_API weft_tensor weft_rsqrt(weft_tensor x);   /* 1 / sqrt x */
WEFT_API weft_tensor weft_recip(weft_tensor x);   /* 1 / x */
WEFT_API weft_tensor weft_sin  (weft_tensor x);   /* x in radians */
WEFT_API weft_tensor weft_cos  (weft_tensor x);   /* x in radians */
WEFT_API weft_tensor weft_tanh (weft_tensor x);   /* hyperbolic tangent */
WEFT_API weft_tensor weft_erf  (weft_tensor x);   /* error function */
WEFT_API weft_tensor weft_erfc (weft_tensor x);   /* 1 - erf(x), exact for large x */
WEFT_API weft_tensor weft_floor(weft_tensor x);   /* slope 0 */
WEFT_API weft_tensor weft_ceil (weft_tensor x);   /* slope 0 */
WEFT_API weft_tensor weft_round(weft_tensor x);   /* halves to even */
WEFT_API weft_tensor weft_square(weft_tensor x);  /* x x */
WEFT_API weft_tensor weft_not  (weft_tensor x);   /* bool: x == 0 */

WEFT_API weft_tensor weft_sigmoid   (weft_tensor x);               /* 1 / (1 + e^-x) */
WEFT_API weft_tensor weft_relu      (weft_tensor x);               /* max(x, 0), slope 0 at 0 */
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
WEFT_API weft_tensor weft_digamma(weft_tensor x);     /* its derivative */
WEFT_API weft_tensor weft_polygamma(weft_tensor n, weft_tensor x);
    /* the n-th derivative of that; n is rounded; x > 0, or n below 2 */
WEFT_API weft_tensor weft_bessel_j0(weft_tensor x);   /* Bessel's J of order 0; 0 beyond 2^24 */
WEFT_API weft_tensor weft_bessel_j1(weft_tensor x);   /* of order 1 */
WEFT_API weft_tensor weft_bessel_i0e(weft_tensor x);  /* e^-|x| I of order 0 */
WEFT_API weft_tensor weft_bessel_i1e(weft_tensor x);  /* of order 1 */
WEFT_API weft_tensor weft_lbeta(weft_tensor a, weft_tensor b);  /* ln Beta(a, b), a and b above 0 */
WEFT_API weft_tensor weft_xlogy(weft_tensor x, weft_tensor y);  /* x ln y; 0 where x is 0 */

WEFT_API weft_tensor weft_add(weft_tensor a, weft_tensor b);         /* a + b */
WEFT_API weft_tensor weft_sub(weft_tensor a, weft_tensor b);         /* a - b */
WEFT_API weft_tensor weft_mul(weft_tensor a, weft_tensor b);         /* a b */
WEFT_API weft_tensor weft_div(weft_tensor a, weft_tensor b);         /* ints divide as f32 */
WEFT_API weft_tensor weft_pow(weft_tensor a, weft_tensor b);
    /* a^b; nan for a < 0 unless b whole */
WEFT_API weft_tensor weft_mod(weft_tensor a, weft_tensor b);  /* a - floor(a / b) b: sign of b */
WEFT_API weft_tensor weft_maximum(weft_tensor a, weft_tensor b);  /* ties: the gradient goes to b */
WEFT_API weft_tensor weft_minimum(weft_tensor a, weft_tensor b);  /* ties: the gradient goes to b */
WEFT_API weft_tensor weft_clamp(weft_tensor x, float lo, float hi);
    /* between lo and hi; slope 1 at both */
WEFT_API weft_tensor weft_scale (weft_tensor x, float by);           /* x by */
WEFT_API weft_tensor weft_offset(weft_tensor x, float by);           /* x + by */

WEFT_API weft_tensor weft_lt(weft_tensor a, weft_tensor b);   /* comparisons give bool */
WEFT_API weft_tensor weft_le(weft_tensor a, weft_tensor b);   /* a <= b */
WEFT_API weft_tensor weft_gt(weft_tensor a, weft_tensor b);   /* a > b */
WEFT_API weft_tensor weft_ge(weft_tensor a, weft_tensor b);   /* a >= b */
WEFT_API weft_tensor weft_eq(weft_tensor a, weft_tensor b);   /* a == b */
WEFT_API weft_tensor weft_ne(weft_tensor a, weft_tensor b);   /* a != b */
WEFT_API weft_tensor weft_and(weft_tensor a, weft_tensor b);  /* bool: logical; ints: bit by bit */
WEFT_API weft_tensor weft_or (weft_tensor a, weft_tensor b);  /* the same */
WEFT_API weft_tensor weft_xor(weft_tensor a, weft_tensor b);  /* the same */
WEFT_API weft_tensor weft_where(weft_tensor cond, weft_tensor a, weft_tensor b);  /* cond ? a : b */
WEFT_API weft_tensor weft_cast(weft_tensor x, weft_dtype t);  /* floats to ints cut towards 0 */

/* ---- folds: over the listed axes (WEFT_ALL: all); keep leaves extents of 1 ------------------ */

WEFT_API weft_tensor weft_sum (weft_tensor x, weft_shape axes, bool keep);  /* of nothing: 0 */
WEFT_API weft_tensor weft_mean(weft_tensor x, weft_shape axes, bool keep);  /* sum / count, f32 */
WEFT_API weft_tensor weft_prod(weft_tensor x, weft_shape axes, bool keep);  /* of nothing: 1 */
WEFT_API weft_tensor weft_max (weft_tensor x, weft_shape axes, bool keep);
    /* ties share the gradient */
WEFT_API weft_tensor weft_min (weft_tensor x, weft_shape axes, bool keep);
    /* ties share the gradient */
WEFT_API weft_tensor weft_var (weft_tensor x, weft_shape axes, bool keep);
    /* divides by the count */
WEFT_API weft_tensor weft_any (weft_tensor x, weft_shape axes, bool keep);  /* bool */
WEFT_API weft_tensor weft_all (weft_tensor x, weft_shape axes, bool keep);
    /* bool; of nothing: true */
WEFT_API weft_tensor weft_squares(weft_tensors x);
    /* [n]: of each tensor the sum of all its elements' squares */
WEFT_API weft_tensor weft_argmax(weft_tensor x, int axis, bool keep);  /* i32, first of equals */
WEFT_API weft_tensor weft_argmin(weft_tensor x, int axis, bool keep);  /* i32, first of equals */
WEFT_API weft_tensor weft_cumsum(weft_tensor x, int axis);             /* sum of all up to here */
WEFT_API weft_tensor weft_linrec(weft_tensor a, weft_tensor b, int axis, bool reverse);
    /* h[t] = a[t] h[t-1] + b[t], h[-1] = 0 */

typedef struct weft_gate { int32_t a, b, row; } weft_gate;
    /* two values, numbered features first and then gates in order, and a row of coefficients */
WEFT_API weft_tensor weft_gate_program(weft_tensor x, weft_tensor coef, const weft_gate *gates,
        size_t n, const int32_t *outputs, size_t m);
    /* x [features, cells], coef [rows, 4] -> [m, cells]: n gates c0 + c1 a + c2 b + c3 a b, of whose
       values and the features' outputs names m; gates may share a row, and are not stored */

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
    /* start: 0-d i32, read at run time, clamped */
WEFT_API weft_tensor weft_slice_write(weft_tensor base, int axis, weft_tensor start,
        weft_tensor value);
    /* base with value where slice_at would read; in place if base is not read afterwards */
WEFT_API weft_tensor weft_pad  (weft_tensor x, int axis, int64_t before, int64_t after,
        float value);
    /* with value */
WEFT_API weft_tensor weft_flip (weft_tensor x, int axis);          /* the other way round */
WEFT_API weft_tensor weft_tile (weft_tensor x, weft_shape times);  /* repeat along each axis */
WEFT_API weft_tensor weft_concat(weft_tensors parts, int axis);    /* one after the other */
WEFT_API weft_tensor weft_stack (weft_tensors parts, int axis);    /* along a new axis */
WEFT_API weft_err    weft_split(weft_tensor x, int axis, int parts, weft_tensor *out);
    /* equal parts */

/* ---- picking and ordering; an index out of range reads 0 and adds nowhere ------------------- */

WEFT_API weft_tensor weft_gather     (weft_tensor x, weft_tensor index, int axis);
    /* x[.., index, ..]: index's axes replace axis */
WEFT_API weft_tensor weft_take_along (weft_tensor x, weft_tensor index, int axis);
    /* one index per result element */
WEFT_API weft_tensor weft_scatter_add(weft_tensor base, weft_tensor index, weft_tensor src,
        int axis);
    /* base, and src added at take_along's places */
WEFT_API weft_tensor weft_one_hot (weft_tensor index, int64_t classes);  /* f32 [..., classes] */
WEFT_API weft_tensor weft_embedding(weft_tensor table, weft_tensor index);  /* rows of table */
WEFT_API weft_tensor weft_argsort(weft_tensor x, int axis, bool descending);  /* i32, stable */
WEFT_API weft_tensor weft_sort   (weft_tensor x, int axis, bool descending);  /* stable */
typedef struct weft_top { weft_tensor values, indices; } weft_top;
WEFT_API weft_top    weft_topk   (weft_tensor x, int64_t k, int axis);  /* largest first */

/* ---- randomness: a pure function of (seed, run number, place in the graph, element) --------- */

WEFT_API weft_tensor weft_uniform  (weft_graph *g, weft_shape dims);  /* [0, 1) */
WEFT_API weft_tensor weft_normal   (weft_graph *g, weft_shape dims);  /* mean 0, deviation 1 */
WEFT_API weft_tensor weft_bernoulli(weft_graph *g, float p, weft_shape dims);
    /* bool, true with p */
WEFT_API weft_tensor weft_randint  (weft_graph *g, int32_t lo, int32_t hi, weft_shape dims);
    /* [lo, hi) */
WEFT_API weft_tensor weft_permutation(weft_graph *g, int64_t n);      /* i32 [n] */
WEFT_API weft_tensor weft_dropout  (weft_tensor x, float p);
    /* 0 with p, else x / (1 - p); x in an evaluation graph */

/* ---- blocks: defined by the above, with faster kernels where there are any ----------------- */

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
    int64_t output_padding[2];                   /* transposes only */
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
    weft_tensor mask;   /* optional bool, broadcast to [..., tq, tk]: true may be seen */
} weft_attention_desc;
WEFT_API weft_tensor weft_attention(weft_tensor q, weft_tensor k, weft_tensor v,
        const weft_attention_desc *d);
    /* q [..., tq, h], k [..., tk, h], v [..., tk, hv] */
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
    weft_tensor h0, c0;   /* optional [B, H]: the first state; none: zeros; c0 for the LSTM alone */
    weft_tensor lengths;  /* optional i32 [B]: later steps of a row keep h and c, and give y = 0 */
    bool        reverse;  /* each row from its last step down to the first */
} weft_recur_desc;
typedef struct weft_recurred { weft_tensor y, h, c; } weft_recurred;
    /* all h [T, B, H]; the last h and c [B, H], c for the LSTM alone */
WEFT_API weft_recurred weft_recur(weft_cell cell, weft_tensor x, weft_tensor w_ih,
        weft_tensor w_hh, weft_tensor b_ih, weft_tensor b_hh, const weft_recur_desc *d);
    /* x [T, B, I], w_ih [gates H, I], w_hh [gates H, H]; optional biases [gates H] */
WEFT_API int weft_cell_gates(weft_cell cell);  /* the table's; 0 for no cell */
WEFT_API weft_tensor weft_cross_entropy(weft_tensor logits, weft_tensor targets);
    /* [..., classes], i32 [...]: mean; nan if a target is no class, an error if it is constant */
WEFT_API weft_tensor weft_mse(weft_tensor a, weft_tensor b);  /* mean (a - b)^2 */

/* ---- gradients --------------------------------------------------------------------------- */

WEFT_API weft_err    weft_grad(weft_tensor y, const weft_tensor *wrt, size_t n, weft_tensor *out);
    /* d sum(y) / d wrt[i]; zeros where y does not depend on it;
       equal expressions are one tensor, and have one gradient */
WEFT_API weft_err    weft_vjp (weft_tensor y, weft_tensor seed, const weft_tensor *wrt, size_t n,
        weft_tensor *out);
    /* d sum(seed y) / d wrt[i] */
WEFT_API weft_tensor weft_stop_gradient(weft_tensor x);  /* x, seen as constant */
WEFT_API weft_tensor weft_stored(weft_tensor x);
    /* x, in memory of its own: what reads it is not fused with what makes it */
WEFT_API weft_tensor weft_straight_through(weft_tensor value, weft_tensor path);
    /* value, with path's gradient */
/* A rule gets the gradient dy and writes one gradient per input (a poison tensor means none). */
typedef void (*weft_rule)(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in,
        size_t n, weft_tensor *out);
WEFT_API weft_tensor weft_custom_grad(weft_tensor y, weft_tensors in, weft_rule rule, void *user);
    /* y, with this rule */
WEFT_API void        weft_checkpoint_begin(weft_graph *g);
    /* what is recorded until the end is computed again */
WEFT_API void        weft_checkpoint_end  (weft_graph *g);
    /* for the gradients instead of being kept */

/* ---- state ------------------------------------------------------------------------------- */

typedef enum weft_init_kind {
    WEFT_INIT_DEFAULT,     /* a layer's own; zeros where there is none */
    WEFT_INIT_ZEROS, WEFT_INIT_ONES,
    WEFT_INIT_VALUE,       /* a */
    WEFT_INIT_UNIFORM,     /* from a to b */
    WEFT_INIT_NORMAL,      /* mean a, deviation b */
    WEFT_INIT_TRUNCATED,   /* the same, within two deviations of the mean */
    WEFT_INIT_ORTHOGONAL,  /* as [first extent, rest]: rows or columns orthonormal, times a */
    WEFT_INIT_PADDED,      /* normal with deviation a, but row b is 0 */
    WEFT_INIT_COLUMN,      /* zeros, but column b, along the last axis, is a */
    WEFT_INIT_PARAM        /* a slot's: what its parameter holds at that time */
} weft_init_kind;
typedef struct weft_init { weft_init_kind kind; float a, b; } weft_init;
    /* drawn from (seed, name) alone; nn.h has helpers that choose a and b */

WEFT_API weft_state *weft_state_new (weft_ctx *c);                   /* NULL: weft_error(c) */
WEFT_API void        weft_state_free(weft_state *s);
    /* plans that use it fail with a message afterwards */
WEFT_API void        weft_state_seed(weft_state *s, uint32_t seed);
    /* before the first parameter */

WEFT_API weft_tensor weft_param(weft_graph *g, weft_state *s, const char *name, weft_shape dims,
        weft_init init);
    /* get or create, trained; the graph's scopes prefix the name */
WEFT_API weft_tensor weft_buffer(weft_graph *g, weft_state *s, const char *name, weft_dtype t,
        weft_shape dims, weft_init init);
    /* the same for what is not trained: statistics, caches, counters */
WEFT_API weft_tensor weft_slot(weft_graph *g, weft_state *s, weft_tensor param, const char *kind,
        weft_init init);
    /* an optimiser's companion of a parameter, "exp_avg" */
WEFT_API weft_tensor weft_number(weft_graph *g, weft_state *s, const char *name, float first);
    /* a 0-d f32 buffer under this very name, in any scope: "optim.lr" */

typedef struct weft_entry {
    const char *name;
    weft_dtype dtype;
    weft_shape dims;
    size_t bytes;
    bool trained;
    bool host;  /* weft_state_data reaches it */
} weft_entry;
WEFT_API size_t   weft_state_count(const weft_state *s);             /* entries */
WEFT_API weft_err weft_state_entry(const weft_state *s, size_t i, weft_entry *out);
    /* in order of creation */
WEFT_API weft_err weft_state_get(weft_state *s, const char *name, void *out, size_t bytes);
    /* copy out */
WEFT_API weft_err weft_state_set(weft_state *s, const char *name, const void *in, size_t bytes);
    /* copy in */
WEFT_API uint64_t weft_state_changes(const weft_state *s);
    /* times that weft_state_set, or a load, has changed an entry named "rng...", which is where
       agents keep what they go on from: others mean that it is to be checked again */
WEFT_API void     weft_state_limit(weft_state *s, size_t bytes);
    /* entries that would need more in all are refused before they get memory, as for a network that
       a file describes; 0: any */
WEFT_API void    *weft_state_data(weft_state *s, const char *name);
    /* the memory itself; NULL if unknown, and with WEFT_DEVICE on a device whose memory no pointer
       reaches, unless the entry is host-resident: weft_state_get and weft_state_set copy it */
WEFT_API weft_err weft_state_host(weft_state *s, const char *name);
    /* makes an entry host-resident: it stays in host memory on any device, for what a program reads
       and writes all the time; plans copy it in and back. Before it gets memory */
WEFT_API uint64_t weft_state_hash(weft_state *s);                    /* of all names and values */

/* ---- layers and optimisers the engine itself carries --------------------------------------- */

WEFT_API weft_tensor weft_linear(weft_state *s, weft_tensor x, int64_t out, const char *name);
    /* x W^T + b: name.weight [out, in], name.bias [out] */

typedef struct weft_update  { weft_tensor state, value; } weft_update;
typedef struct weft_updates { const weft_update *at; size_t n; } weft_updates;
    /* owned by the graph */
WEFT_API weft_updates weft_assign(weft_tensor state, weft_tensor value);  /* one update */
WEFT_API weft_updates weft_updates_join(weft_graph *g, weft_updates a, weft_updates b);
    /* both lists, in order */

WEFT_API void         weft_layer_update(weft_tensor state, weft_tensor value);
    /* left with the graph: plans with .training do it */

typedef struct weft_params {
    const weft_tensor *param, *grad;
    const char *const *name;  /* of the state's entries */
    size_t n;
} weft_params;  /* owned by the graph */
WEFT_API weft_params weft_params_of(weft_state *s, weft_tensor loss);
    /* the trained parameters loss depends on, and d sum(loss) / d each; none after an error */

typedef struct weft_sgd_desc  { float lr, momentum, decay; bool nesterov; } weft_sgd_desc;
    /* lr 0: 0.01 */
typedef struct weft_adam_desc { float lr, beta1, beta2, eps, decay; bool l2; } weft_adam_desc;
    /* lr 0: 0.001, betas 0: 0.9 and 0.999, eps 0: 1e-8; decay is decoupled, or with l2 a part
       of the gradient */
WEFT_API weft_updates weft_sgd (weft_state *s, weft_tensor loss, const weft_sgd_desc *d);
    /* all parameters of loss */
WEFT_API weft_updates weft_adam(weft_state *s, weft_tensor loss, const weft_adam_desc *d);
    /* the rate lives in the state as "optim.lr", the count of steps as "optim.step";
       weft/optim.h has more optimisers, schedules, groups and clipping */

/* One step of one parameter, for optimisers of one's own: neighbours in the state become one pass,
 * and so does any step that is written as operations element by element. */
typedef struct weft_step_desc {
    float       clip;   /* the gradient is first kept between -clip and clip; 0: as it is */
    weft_tensor scale;  /* optional 0-d: then taken times this */
    weft_tensor due;    /* optional 0-d bool: false leaves everything as it was */
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

/* Threads of the program: plans of one context may run side by side, each in one thread at a time,
 * where none changes a state that another uses. Meanwhile one thread, and only one, may record,
 * compile and free other plans, also over the states in use: what it makes there are new entries,
 * whose values nobody reads yet. A state's values may be set or loaded while no plan that uses it
 * runs. weft_error has the last failure of all these threads. A context's own `resize` is called from
 * each of them. */
typedef struct weft_plan_desc {
    weft_tensors fetch;   /* what weft_get may ask for */
    weft_updates update;  /* what a run changes */
    bool  training;       /* include updates that layers left with the graph; a plan that trains
                             through such a layer must */
    int   threads;        /* 0: chosen from the work, at most the context's */
    bool  portable;       /* only steps that weft_plan_emit_c can write */
    bool  unfused;        /* one kernel per operation, for comparison */
    bool  watch;          /* the same, slowly, every result looked at: weft_plan_finding */
    const char *name;     /* "train": what profiles call it; NULL: none */
} weft_plan_desc;

WEFT_API weft_plan *weft_compile(weft_graph *g, const weft_plan_desc *d);
    /* NULL: weft_error(ctx) */
WEFT_API void       weft_plan_free(weft_plan *p);                /* NULL is fine */
WEFT_API weft_err   weft_set(weft_plan *p, weft_tensor input, const void *data, size_t bytes);
    /* copy a feed in */
WEFT_API void      *weft_feed(weft_plan *p, weft_tensor input);
    /* host memory of a feed, to write in place before any run; counts as set */
WEFT_API weft_err   weft_run(weft_plan *p);
    /* one run: reads see old state, updates come at its end; all inputs must have been set. May
       return before the work is done: whatever reads a result or the state waits for it */
WEFT_API weft_err   weft_wait(weft_plan *p);
    /* until its last run is done, to time it; on the CPU it always is */
WEFT_API weft_err   weft_get(weft_plan *p, weft_tensor t, void *out, size_t bytes);
    /* copy a result out */
WEFT_API float      weft_item(weft_plan *p, weft_tensor t);
    /* one fetched number; nan if it cannot */

typedef struct weft_stats {
    uint32_t kernels;       /* steps of a run */
    uint32_t products;      /* of which matrix products */
    uint32_t segments;      /* stretches without a barrier */
    int      threads;       /* threads a run uses */
    size_t   arena_bytes;   /* memory of intermediates */
    double   flops, bytes;  /* work and traffic of a run, estimated */
} weft_stats;
WEFT_API weft_stats weft_plan_stats(const weft_plan *p);      /* all 0 for NULL */
WEFT_API char      *weft_plan_text (const weft_plan *p);
    /* what will run; free with weft_text_free */
WEFT_API char      *weft_plan_emit_c(const weft_plan *p, const char *name);
    /* one C99 file, weights inside; needs libm */
WEFT_API void       weft_text_free(weft_ctx *c, char *text);  /* any text the library gave */

/* Where numbers went wrong in the last run of a plan compiled with .watch. */
typedef struct weft_finding {
    const char *layer;      /* the scope it was recorded in, or the state's name */
    const char *operation;  /* "log", "matmul", "input", "state" */
    int64_t     element;    /* the first one of that result */
    float       value;      /* nan, or an infinity when there was no nan */
} weft_finding;
WEFT_API bool weft_plan_finding(const weft_plan *p, weft_finding *out);
    /* the first result that is not finite; false: all are */

/* What a run is made of, and what lies in the arena. */
typedef struct weft_plan_part {
    char name[56];          /* of a step: "matmul add relu"; of a tensor: what makes it, "input" */
    char shape[64];         /* "[128,784] x [784,256]"; the end is cut off where it is too long */
    const char *scope;      /* "block3/attn", where it was recorded, backwards too; the plan's */
    double   flops, bytes;  /* of a step: work and traffic; of a tensor: 0, and its size */
    uint32_t first, last;   /* of a tensor: the steps between which it must stay */
} weft_plan_part;
WEFT_API const char *weft_plan_name(const weft_plan *p);  /* as in the description, or "" */
WEFT_API bool weft_plan_step  (const weft_plan *p, size_t i, weft_plan_part *out);
    /* the i-th of weft_stats.kernels; false: there are not so many */
WEFT_API bool weft_plan_tensor(const weft_plan *p, size_t i, weft_plan_part *out);
    /* the i-th tensor of the arena, the largest first; false: there are not so many */

/* Plans by key (batch size, sequence length), built on demand; the least recently used go first. */
typedef weft_plan *(*weft_build)(weft_ctx *c, weft_state *s, const int64_t *key, int n, void *user);
WEFT_API weft_plans *weft_plans_new (weft_ctx *c, weft_state *s, int capacity, weft_build build,
        void *user);
    /* at most capacity plans */
WEFT_API weft_plan  *weft_plans_get (weft_plans *ps, const int64_t *key, int n);
    /* found or built; NULL on failure */
WEFT_API void        weft_plans_free(weft_plans *ps);  /* and all its plans */

/* ---- looking around ---------------------------------------------------------------------- */

WEFT_API weft_err weft_print(weft_tensor x);             /* computes x and prints it on stdout */
WEFT_API float    weft_item_of(weft_tensor x);           /* computes x and gives its one number */
WEFT_API char    *weft_graph_text(const weft_graph *g);  /* every node, one a line */

/* ---- for those who measure: told what a context does, while it does it ---------------------- */

/* How long one thread was at one step of a run. */
typedef struct weft_span {
    double start, end;      /* as weft_clock tells it; equal: there was nothing to do */
    double part;            /* how much of the step was this thread's, 0 to 1 */
} weft_span;

/* Functions are called by the thread that did it; weft/profile.h is made of them. A run allocates
 * nothing and gives the same bits whether somebody is told or not. */
typedef struct weft_recorder {
    void *user;
    weft_err (*made)(void *user, const weft_plan *p, void **tag);
        /* a plan; the functions below get its tag. An error makes weft_compile fail */
    void (*gone)(void *user, void *tag);         /* it will be freed */
    weft_span *(*begins)(void *user, void *tag);
        /* a run: room for [threads][kernels] of its weft_stats; NULL: this one is not timed */
    void (*ends)(void *user, void *tag, int threads, double start, double end);
        /* a timed run. So many threads took part; 0: the device tells nothing of its steps */
    void (*phase)(void *user, const char *name, double start, double end);
        /* of compiling, "fuse"; a feed, "set"; and what weft_phase_end says */
} weft_recorder;
WEFT_API weft_err weft_record(weft_ctx *c, const weft_recorder *r);
    /* from now on, plans there are already included; NULL: nobody any more. While nothing runs;
       WEFT_STATE if somebody else is told already */
WEFT_API bool     weft_recorded(const weft_ctx *c);      /* is somebody told? */
WEFT_API double   weft_phase_start(const weft_ctx *c);   /* weft_clock(), or 0 if nobody is told */
WEFT_API void     weft_phase_end(const weft_ctx *c, const char *name, double start);
    /* from then until now: "feed", "judge". Phases of a thread lie apart or within each other */

/* ---- for those who build on Weft: layers, files, data -------------------------------------- */

#if defined(__GNUC__) || defined(__clang__)
#define WEFT_PRINTF(text, args) __attribute__((format(printf, text, args)))
#else
#define WEFT_PRINTF(text, args)
#endif
WEFT_API weft_err  weft_fail(weft_ctx *c, weft_err e, const char *format, ...) WEFT_PRINTF(3, 4);
    /* leaves a message where weft_error finds it and gives e back; c may be NULL */
WEFT_API void     *weft_resize(weft_ctx *c, void *p, size_t bytes);
    /* the context's realloc: NULL makes, 0 bytes frees, NULL back when out of memory;
       one thread at a time */
WEFT_API weft_ctx *weft_state_ctx(const weft_state *s);  /* where it was made; NULL for NULL */
WEFT_API weft_ctx *weft_graph_ctx(const weft_graph *g);  /* where it was made; NULL for NULL */
WEFT_API weft_tensor weft_poison(weft_graph *g, weft_err e, const char *format, ...)
        WEFT_PRINTF(3, 4);
    /* what an operation that cannot be recorded gives: the graph keeps the first message, behind
       its scope; g may be NULL */
WEFT_API void     *weft_graph_memory(weft_graph *g, size_t bytes);
    /* zeroed, freed with the graph; NULL when out of memory, which poisons it */

#ifdef __cplusplus
}
#endif
#endif
