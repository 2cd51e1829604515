/* logic.h - networks of logic gates: trained as differentiable gates, run as circuits.
 *
 *     weft_circuit *life = weft_circuit_new(c, 9);
 *     int32_t any = weft_circuit_add(life, WEFT_GATE_OR, 0, 1); ...
 *     weft_circuit_output(life, any);
 *     weft_circuit_simplify(life);
 *     weft_circuit_run(life, words, in, out);              64 to 512 cases at once, one per bit
 *
 * A gate has two inputs and is one of sixteen functions. In training it is a mixture of all sixteen,
 * weighted by probabilities, which reduces to c0 + c1 a + c2 b + c3 a b: weft_gate_program computes
 * this. With every gate replaced by its most likely function (hard), the network is a circuit: it can
 * be simplified, run on 512 cases at a time, and written as C, JSON, BLIF or Verilog.
 *
 * Reading order: the sixteen functions, networks, cellular automata, circuits. */
#ifndef WEFT_LOGIC_H
#define WEFT_LOGIC_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- the sixteen functions ------------------------------------------------------------------- */

/* In the order of logits, which is also the truth table: the bits of a kind, from the lowest, are
 * its values for (a, b) = (1, 1), (1, 0), (0, 1), (0, 0). Coefficients of 1, a, b, a b; then
 * the function as text. */
/*           name       c0  c1  c2  c3  text */
#define WEFT_GATES(X)                                                                             \
    X(FALSE,       0,  0,  0,  0, "0")                                                            \
    X(AND,         0,  0,  0,  1, "a & b")                                                        \
    X(A_NOT_B,     0,  1,  0, -1, "a & !b")                                                       \
    X(A,           0,  1,  0,  0, "a")                                                            \
    X(B_NOT_A,     0,  0,  1, -1, "!a & b")                                                       \
    X(B,           0,  0,  1,  0, "b")                                                            \
    X(XOR,         0,  1,  1, -2, "a ^ b")                                                        \
    X(OR,          0,  1,  1, -1, "a | b")                                                        \
    X(NOR,         1, -1, -1,  1, "!(a | b)")                                                     \
    X(XNOR,        1, -1, -1,  2, "!(a ^ b)")                                                     \
    X(NOT_B,       1,  0, -1,  0, "!b")                                                           \
    X(A_OR_NOT_B,  1,  0, -1,  1, "a | !b")                                                       \
    X(NOT_A,       1, -1,  0,  0, "!a")                                                           \
    X(B_OR_NOT_A,  1, -1,  0,  1, "!a | b")                                                       \
    X(NAND,        1,  0,  0, -1, "!(a & b)")                                                     \
    X(TRUE,        1,  0,  0,  0, "1")
typedef enum weft_gate_kind {
#define X(name, c0, c1, c2, c3, text) WEFT_GATE_##name,
    WEFT_GATES(X)
#undef X
    WEFT_GATE_KINDS
} weft_gate_kind;

WEFT_API const char *weft_gate_text(int kind);           /* "a & !b"; NULL: no such gate */
WEFT_API const float *weft_gate_coefficients(int kind);  /* four numbers; NULL: no such gate */

/* ---- trainable networks ---------------------------------------------------------------------- */

/* How the gates of a layer are connected to n values.
 *   unique    distinct pairs: (0,1) (2,3) ..., (1,2) (3,4) ..., then (i,i+2), (i,i+3) ...
 *   random    any two different values
 *   balanced  random, but each value is used equally often, within one */
/*           name      text */
#define WEFT_WIRINGS(X) X(UNIQUE, "unique") X(RANDOM, "random") X(BALANCED, "balanced")
typedef enum weft_wiring {
#define X(name, text) WEFT_WIRING_##name,
    WEFT_WIRINGS(X)
#undef X
    WEFT_WIRING_COUNT
} weft_wiring;
WEFT_API weft_err weft_wire(weft_ctx *c, weft_wiring w, int values, int gates, uint64_t seed,
        int32_t *pairs);
    /* pairs [gates, 2]; unique: shuffled, unless seed is 0 */

/* A network under construction: numbered values, inputs first, and gates over them, each with a row
 * of logits; gates that share a row share their function. */
typedef struct weft_logic weft_logic;
WEFT_API weft_logic *weft_logic_new (weft_ctx *c, int inputs);  /* NULL: weft_error(c) */
WEFT_API void        weft_logic_free(weft_logic *l);            /* NULL is fine */
WEFT_API int  weft_logic_inputs(const weft_logic *l);
WEFT_API int  weft_logic_gates (const weft_logic *l);
WEFT_API int  weft_logic_rows  (const weft_logic *l);           /* of logits */
WEFT_API weft_err weft_logic_layer(weft_logic *l, const int32_t *values, int gates,
        const int32_t *pairs, int row, int32_t *out);
    /* gates over values[pairs], with rows from `row` on, or new rows if negative; out [gates]: the
       numbers of their results; values NULL: pairs are value numbers */
WEFT_API weft_err weft_logic_fixed(weft_logic *l, const int32_t *values, int gates,
        const int32_t *pairs, int kind, int32_t *out);
    /* the same with gates of a fixed kind, which are not trained and have no rows */
WEFT_API weft_err weft_logic_output(weft_logic *l, int n, const int32_t *values);  /* appends n outputs */

/* Layers, with new rows. values is a list of value numbers; NULL: 0, 1, 2, ..., initially the inputs.
 * In a list of planes, (channel, y, x) is at (channel * height + y) * width + x. */
WEFT_API weft_err weft_logic_dense(weft_logic *l, const int32_t *values, int n, int gates,
        weft_wiring w, uint64_t seed, int32_t *out);
    /* gates over n values, connected by weft_wire; out [gates] may be the same array as values */

typedef struct weft_planes { int channels, height, width; } weft_planes;
typedef struct weft_logic_conv_desc {
    int kernels, size;     /* number of gate trees; receptive field size x size in all channels */
    int depth;             /* of the trees, which have 2^depth - 1 gates; 0: 2 */
    int stride, padding;   /* stride 0: 1; zero padding */
    weft_wiring wiring;    /* of the first layer of the trees, over the receptive field ... */
    uint64_t seed;         /* ... as in weft_wire */
} weft_logic_conv_desc;
WEFT_API weft_planes weft_logic_conv_planes(weft_planes in, const weft_logic_conv_desc *d);
    /* the output planes of weft_logic_conv, one per kernel; all 0: sizes do not match */
WEFT_API weft_err weft_logic_conv(weft_logic *l, const int32_t *values, weft_planes in,
        const weft_logic_conv_desc *d, int32_t *out);
    /* every tree at every position, sharing rows; out: the output planes */
WEFT_API weft_err weft_logic_pool(weft_logic *l, const int32_t *values, weft_planes in, int size,
        int32_t *out);
    /* OR over squares, with fixed gates; out [channels, height / size, width / size] */

/* How logits become gates. Soft: a mixture. Hard: the most likely function. Straight: hard forward,
 * soft gradient (straight-through). Gumbel: soft, with Gumbel noise on the logits. */
/*           name      text */
#define WEFT_LOGIC_MODES(X)                                                                       \
    X(SOFT, "soft") X(HARD, "hard") X(STRAIGHT, "straight") X(GUMBEL, "gumbel")
typedef enum weft_logic_mode {
#define X(name, text) WEFT_LOGIC_##name,
    WEFT_LOGIC_MODES(X)
#undef X
    WEFT_LOGIC_MODE_COUNT
} weft_logic_mode;
WEFT_API weft_tensor weft_logic_logits(weft_graph *g, weft_state *s, const char *name, int rows,
        float pass);
    /* a parameter [rows, 16]: zeros, and `pass` at "a", so that gates initially pass input a through */
WEFT_API weft_tensor weft_logic_tables(weft_graph *g, weft_state *s, const char *name, int rows,
        float pass);
    /* a parameter [rows, 4], truth tables for 00, 01, 10, 11: initially -pass, -pass, pass, pass */
WEFT_API weft_tensor weft_logic_coefficients(weft_tensor logits, weft_logic_mode mode,
        float temperature);
    /* logits [rows, 16], or truth tables [rows, 4], to coefficients [rows, 4]; logits are divided by
       the temperature, 0: 1 */
WEFT_API weft_tensor weft_logic_record(const weft_logic *l, weft_tensor x, weft_tensor coef);
    /* applies the network: x [inputs, cases] to [outputs, cases] */
WEFT_API struct weft_circuit *weft_logic_circuit(const weft_logic *l, const float *logits,
        int columns);
    /* every gate by its most likely function; logits [rows, columns], columns 16 or 4; NULL: weft_error */
WEFT_API weft_tensor weft_logic_group_sum(weft_tensor y, int classes, float scale);
    /* [outputs, cases] to scores [cases, classes]: sums of consecutive outputs, divided by scale */

/* ---- cellular automata: the same gates in every cell ------------------------------------------- */

/* A cell has channels, and reads its 3 x 3 neighbourhood. Each kernel reads one channel, with the same
 * gates for all channels; the update network takes the channels of the cell, then the kernels'
 * results, and gives the new channels. */
typedef struct weft_automaton_desc {
    int channels, kernels;
    const int *perceive, *update;  /* widths of layers, then a 0; perceive starts with 8, update
                                      ends with channels */
    bool     wrap;                 /* periodic boundary; else zeros outside */
    uint64_t seed;                 /* of the wiring; 0: not shuffled */
} weft_automaton_desc;

typedef struct weft_automaton weft_automaton;
WEFT_API weft_automaton *weft_automaton_new(weft_ctx *c, const weft_automaton_desc *d);
    /* NULL: weft_error(c) */
WEFT_API void weft_automaton_free(weft_automaton *a);                     /* NULL is fine */
WEFT_API const weft_logic *weft_automaton_logic(const weft_automaton *a);
    /* its gates: inputs are channel * 9 + position, row by row; outputs are the new channels */
WEFT_API void weft_automaton_init(const weft_automaton *a, float pass, float *logits);
    /* initial logits [rows, 16]: gates pass their first input through; kernels pass different
       neighbours, so that all directions are covered; pass: as in weft_logic_logits */
WEFT_API weft_tensor weft_automaton_step(const weft_automaton *a, weft_tensor cells,
        weft_tensor coef);
    /* one step: cells [channels, boards, height, width] to the next ones, synchronously */
WEFT_API weft_tensor weft_automaton_async(weft_tensor cells, weft_tensor next, float share);
    /* asynchronous update: takes each cell, with all its channels, from next with probability share */
WEFT_API weft_tensor weft_automaton_round(weft_tensor cells, weft_tensor share);
    /* in training, between steps: rounds a random share of the values to 0 or 1, with straight-through
       gradient; share: a scalar from 0 to 1 */

typedef struct weft_board {
    int boards, height, width;
    float share;           /* probability that a cell is updated in a step, ... */
    struct weft_rng *rng;  /* ... with this generator; NULL: all are */
} weft_board;
WEFT_API weft_err weft_automaton_run(const weft_automaton *a, struct weft_circuit *k,
        const weft_board *d, int steps, uint8_t *cells);
    /* steps cells [channels, boards, height, width], bytes of 0 or 1, with k, the automaton's circuit */

/* ---- circuits ---------------------------------------------------------------------------------- */

/* Values are numbered: inputs first, then gates in order; a gate reads only smaller numbers. */
typedef struct weft_circuit weft_circuit;
typedef struct weft_circuit_gate { int32_t kind, a, b; } weft_circuit_gate;

WEFT_API weft_circuit *weft_circuit_new (weft_ctx *c, int inputs);   /* NULL: weft_error(c) */
WEFT_API void          weft_circuit_free(weft_circuit *k);           /* NULL is fine */
WEFT_API weft_circuit *weft_circuit_copy(const weft_circuit *k);     /* NULL: weft_error */
WEFT_API int32_t  weft_circuit_add   (weft_circuit *k, int kind, int32_t a, int32_t b);
    /* appends a gate; returns the number of its value, or -1: weft_error */
WEFT_API weft_err weft_circuit_output(weft_circuit *k, int32_t value);  /* appends an output */

WEFT_API int      weft_circuit_inputs (const weft_circuit *k);  /* number of inputs */
WEFT_API int      weft_circuit_outputs(const weft_circuit *k);  /* number of outputs */
WEFT_API int      weft_circuit_gates  (const weft_circuit *k);  /* number of gates */
WEFT_API weft_circuit_gate weft_circuit_at(const weft_circuit *k, int gate);
    /* the i-th gate; kind -1: out of range */
WEFT_API int32_t  weft_circuit_output_at(const weft_circuit *k, int output);
    /* the number of its value; -1: out of range */
WEFT_API int      weft_circuit_depth  (const weft_circuit *k);
    /* gates on the longest path from an input to an output, without pass-through gates and constants */
WEFT_API int      weft_circuit_active (const weft_circuit *k);
    /* gates that some output depends on, without pass-through gates; both are -1 when out of memory */

WEFT_API weft_err weft_circuit_simplify(weft_circuit *k);
    /* an equivalent circuit with fewer gates: folds constants, removes pass-through gates, merges
       inverters into their readers and equal gates, drops unused ones; then, in parts with few
       enough inputs to enumerate all cases, replaces gates by others that leave the outputs
       unchanged. Inputs and outputs keep their numbers */
WEFT_API weft_err weft_circuit_equal(const weft_circuit *a, const weft_circuit *b, int64_t cases,
        uint64_t seed, bool *equal);
    /* tests all cases if there are at most 2^20, else this many random ones */

/* Running. A word holds 64 cases, one per bit: case i is bit i % 64 of word i / 64. The first run after
 * a change prepares the circuit, with the cheap simplifications; later runs allocate nothing. A circuit
 * runs on one thread at a time, and needs at most 2^20 live values. */
#define WEFT_WORDS(cases) (((int64_t)(cases) + 63) / 64)
WEFT_API weft_err weft_circuit_run(weft_circuit *k, int64_t words, const uint64_t *in,
        uint64_t *out);
    /* in [inputs, words], out [outputs, words]; they do not overlap */
WEFT_API weft_err weft_circuit_count(weft_circuit *k, int groups, int64_t words,
        const uint64_t *in, int32_t *counts);
    /* runs it and counts ones: the outputs form consecutive groups of equal size; counts
       [64 * words, groups] */
WEFT_API weft_err weft_bits_pack(weft_ctx *c, weft_dtype t, const void *x, int64_t cases,
        int64_t n, float least, uint64_t *bits);
    /* x [cases, n] of u8, bool or f32 to bits [n, WEFT_WORDS(cases)]: 1 where x >= least, 0 beyond the
       last case */
WEFT_API void     weft_bits_unpack(const uint64_t *bits, int64_t cases, int64_t n, uint8_t *x);
    /* the inverse, to bytes 0 and 1 */

/*              format     extension */
#define WEFT_CIRCUIT_FORMATS(X)                                                                   \
    X(C,       "c")        /* void NAME(const unsigned long long *in, unsigned long long *out) */ \
    X(JSON,    "json")                                                                            \
    X(BLIF,    "blif")                                                                            \
    X(VERILOG, "v")                                                                               \
    X(SVG,     "svg")      /* a diagram, for up to some hundred gates */
typedef enum weft_circuit_format {
#define X(name, ending) WEFT_CIRCUIT_##name,
    WEFT_CIRCUIT_FORMATS(X)
#undef X
    WEFT_CIRCUIT_FORMAT_COUNT
} weft_circuit_format;
WEFT_API const char *weft_circuit_ending(weft_circuit_format f);  /* "v"; NULL: no such format */
WEFT_API char *weft_circuit_text(const weft_circuit *k, weft_circuit_format f, const char *name);
    /* name: of the function, model or module, letters, digits and _; NULL: "circuit". Free with
       weft_text_free; NULL: weft_error */
WEFT_API weft_circuit *weft_circuit_read(weft_ctx *c, const char *json, size_t bytes,
        const char *from);
    /* reads the JSON of weft_circuit_text; from: the file's name, for messages; NULL: weft_error */

#ifdef __cplusplus
}
#endif
#endif
