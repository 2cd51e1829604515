/* logic.h - networks of logic gates: learned soft, used hard.
 *
 *     weft_circuit *life = weft_circuit_new(c, 9);
 *     int32_t any = weft_circuit_add(life, WEFT_GATE_OR, 0, 1); ...
 *     weft_circuit_output(life, any);
 *     weft_circuit_simplify(life);
 *     weft_circuit_run(life, words, in, out);              64 to 512 cases at once, a bit each
 *
 * A gate has two inputs and is one of sixteen functions. While it learns it is all of them at once,
 * each with a probability; the sixteen collapse to c0 + c1 a + c2 b + c3 a b, which is what
 * weft_gate_program computes. Taken at their word, each the likeliest function, the gates are a
 * circuit: it can be simplified, run 512 cases at a time, and written as C, JSON, BLIF or Verilog.
 *
 * Reading order: the sixteen functions, networks, automata, circuits. */
#ifndef WEFT_LOGIC_H
#define WEFT_LOGIC_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- the sixteen functions ------------------------------------------------------------------- */

/* In the order of logits, which is also the truth table: the bits of a kind, from the lowest, are
 * its values for (a, b) = (1, 1), (1, 0), (0, 1), (0, 0). Coefficients on 1, a, b, a b; the last
 * column is for people. */
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

/* ---- networks: gates that learn -------------------------------------------------------------- */

/* Which pairs of n values the gates of a layer read.
 *   unique    (0,1) (2,3) ..., then (1,2) (3,4) ..., then (i,i+2), (i,i+3) ..., until there are
 *             enough
 *   random    any two different ones
 *   balanced  the same, but each value is read as often as the others, within one */
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
    /* [gates, 2]; unique: in random order, or with seed 0 as they come */

/* A network in the making: numbered values, inputs first, and gates over them, each with a row of
 * logits; gates that share a row are the same gate in several places. */
typedef struct weft_logic weft_logic;
WEFT_API weft_logic *weft_logic_new (weft_ctx *c, int inputs);  /* NULL: weft_error(c) */
WEFT_API void        weft_logic_free(weft_logic *l);            /* NULL is fine */
WEFT_API int  weft_logic_inputs(const weft_logic *l);
WEFT_API int  weft_logic_gates (const weft_logic *l);
WEFT_API int  weft_logic_rows  (const weft_logic *l);           /* of logits */
WEFT_API weft_err weft_logic_layer(weft_logic *l, const int32_t *values, int gates,
        const int32_t *pairs, int row, int32_t *out);
    /* gates over values[pairs], with rows from `row` on, or new ones below 0; out [gates]: the
       numbers of what they give; values NULL: pairs are numbers of values themselves */
WEFT_API weft_err weft_logic_fixed(weft_logic *l, const int32_t *values, int gates,
        const int32_t *pairs, int kind, int32_t *out);
    /* the same with gates that are of that kind and do not learn: they have no rows */
WEFT_API weft_err weft_logic_output(weft_logic *l, int n, const int32_t *values);  /* n more */

/* Whole layers, with new rows. Values are numbers in a list; NULL: 0, 1, 2 and so on, which at first
 * are the inputs. A list of planes has value (channel, y, x) at (channel * height + y) * width + x. */
WEFT_API weft_err weft_logic_dense(weft_logic *l, const int32_t *values, int n, int gates,
        weft_wiring w, uint64_t seed, int32_t *out);
    /* gates over n values, as weft_wire has it; out [gates] may be values again */

typedef struct weft_planes { int channels, height, width; } weft_planes;
typedef struct weft_logic_conv_desc {
    int kernels, size;     /* so many trees of gates, over fields of size x size in all channels */
    int depth;             /* of a tree, which has 2^depth - 1 gates; 0: 2 */
    int stride, padding;   /* from a field to the next, 0: 1; zeros around the planes */
    weft_wiring wiring;    /* of the lowest gates of all trees over the values of a field ... */
    uint64_t seed;         /* ... as in weft_wire */
} weft_logic_conv_desc;
WEFT_API weft_planes weft_logic_conv_planes(weft_planes in, const weft_logic_conv_desc *d);
    /* what the next one gives: a plane for each kernel; all 0: that does not fit */
WEFT_API weft_err weft_logic_conv(weft_logic *l, const int32_t *values, weft_planes in,
        const weft_logic_conv_desc *d, int32_t *out);
    /* every tree at every place, everywhere with the same rows; out: planes of their own */
WEFT_API weft_err weft_logic_pool(weft_logic *l, const int32_t *values, weft_planes in, int size,
        int32_t *out);
    /* is there a 1 in a square? Fixed gates OR; out [channels, height / size, width / size] */

/* How logits become gates. Straight: hard forward, the gradient of soft. Gumbel: soft with noise on
 * the logits. */
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
    /* a parameter [rows, 16]: zeros, and pass at "a", so that gates begin by passing on a value */
WEFT_API weft_tensor weft_logic_answers(weft_graph *g, weft_state *s, const char *name, int rows,
        float pass);
    /* a parameter [rows, 4], a gate's answers for 00, 01, 10 and 11: -pass, -pass, pass, pass */
WEFT_API weft_tensor weft_logic_coefficients(weft_tensor logits, weft_logic_mode mode,
        float temperature);
    /* [rows, 16] to [rows, 4]; or [rows, 4], logits of what a gate gives for 00, 01, 10 and 11; the
       temperature divides logits, 0: 1 */
WEFT_API weft_tensor weft_logic_record(const weft_logic *l, weft_tensor x, weft_tensor coef);
    /* x [inputs, cases] to [outputs, cases] */
WEFT_API struct weft_circuit *weft_logic_circuit(const weft_logic *l, const float *logits,
        int columns);
    /* every gate at its likeliest; logits [rows, columns], columns 16 or 4; NULL: weft_error */
WEFT_API weft_tensor weft_logic_groups(weft_tensor y, int classes, float scale);
    /* [outputs, cases] to scores [cases, classes]: sums of neighbouring outputs, over scale */

/* ---- automata: the same gates in every cell --------------------------------------------------- */

/* A cell has channels, and sees its 3 x 3 neighbourhood. Kernels look at one channel each, all
 * channels by the same gates; what they give, after the channels of the cell itself, is what the
 * update works on; that gives the new channels. */
typedef struct weft_automaton_desc {
    int channels, kernels;
    const int *perceive, *update;  /* widths of layers, then a 0; perceive begins with 8, update
                                      ends with channels */
    bool     wrap;                 /* edges meet; else zeros lie beyond them */
    uint64_t seed;                 /* of the wiring; 0: as it comes, nothing in random order */
} weft_automaton_desc;

typedef struct weft_automaton weft_automaton;
WEFT_API weft_automaton *weft_automaton_new(weft_ctx *c, const weft_automaton_desc *d);
    /* NULL: weft_error(c) */
WEFT_API void weft_automaton_free(weft_automaton *a);                     /* NULL is fine */
WEFT_API const weft_logic *weft_automaton_logic(const weft_automaton *a);
    /* its gates: inputs are channel 9 + place, row by row; outputs the new channels */
WEFT_API void weft_automaton_begin(const weft_automaton *a, float pass, float *logits);
    /* logits [rows, 16] to learn from: gates pass on their first input, but kernels a neighbour
       each, by turns, so that something is heard from every side; pass: as in weft_logic_logits */
WEFT_API weft_tensor weft_automaton_step(const weft_automaton *a, weft_tensor cells,
        weft_tensor coef);
    /* cells [channels, boards, height, width] to the next ones, all cells at once */
WEFT_API weft_tensor weft_automaton_some(weft_tensor cells, weft_tensor next, float share);
    /* each cell goes on with that chance, all its channels together, or stays */
WEFT_API weft_tensor weft_automaton_bits(weft_tensor cells, weft_tensor share);
    /* between steps, while it learns: so many of the values, chosen anew each time, become the bit
       that is nearer, and the gradient passes; share: a scalar from 0 to 1 */

typedef struct weft_board {
    int boards, height, width;
    float share;           /* of the cells that go on in a step, ... */
    struct weft_rng *rng;  /* ... drawn from here; NULL: all do */
} weft_board;
WEFT_API weft_err weft_automaton_run(const weft_automaton *a, struct weft_circuit *k,
        const weft_board *d, int steps, uint8_t *cells);
    /* cells [channels, boards, height, width], a byte of 0 or 1 each, by its gates as a circuit */

/* ---- circuits: gates that have made up their minds ------------------------------------------- */

/* Values are numbered: inputs first, then gates in order, so a gate reads smaller numbers only. */
typedef struct weft_circuit weft_circuit;
typedef struct weft_circuit_gate { int32_t kind, a, b; } weft_circuit_gate;

WEFT_API weft_circuit *weft_circuit_new (weft_ctx *c, int inputs);   /* NULL: weft_error(c) */
WEFT_API void          weft_circuit_free(weft_circuit *k);           /* NULL is fine */
WEFT_API weft_circuit *weft_circuit_copy(const weft_circuit *k);     /* NULL: weft_error */
WEFT_API int32_t  weft_circuit_add   (weft_circuit *k, int kind, int32_t a, int32_t b);
    /* one more gate; its value's number, or -1: weft_error */
WEFT_API weft_err weft_circuit_output(weft_circuit *k, int32_t value);  /* one more output */

WEFT_API int      weft_circuit_inputs (const weft_circuit *k);  /* as it was made with */
WEFT_API int      weft_circuit_outputs(const weft_circuit *k);  /* so far */
WEFT_API int      weft_circuit_gates  (const weft_circuit *k);  /* all that are there */
WEFT_API weft_circuit_gate weft_circuit_at(const weft_circuit *k, int gate);
    /* the gate; kind -1: there is no such gate */
WEFT_API int32_t  weft_circuit_output_at(const weft_circuit *k, int output);
    /* a value's number; -1: there is no such output */
WEFT_API int      weft_circuit_depth  (const weft_circuit *k);
    /* gates on the longest way from an input to an output; those that pass on a value and
       constants do not count */
WEFT_API int      weft_circuit_active (const weft_circuit *k);
    /* gates that an output needs and that do more than pass on one of their inputs; both are -1
       when out of memory */

WEFT_API weft_err weft_circuit_simplify(weft_circuit *k);
    /* the same outputs for the same inputs with fewer gates: constants folded, values passed on
       renamed, inverters taken into their readers, equal gates joined, unused ones dropped; then,
       where few inputs make it possible to look at every case, gates replaced by others that do
       as well for the outputs. Inputs and outputs keep their numbers */
WEFT_API weft_err weft_circuit_equal(const weft_circuit *a, const weft_circuit *b, int64_t cases,
        uint64_t seed, bool *equal);
    /* by all cases where there are at most 2^20, else by so many random ones */

/* Running. A word holds 64 cases, a bit each: case i is bit i % 64 of word i / 64. The first run
 * after a change prepares, and folds what simplifying would find at a glance; later ones allocate
 * nothing. A circuit runs on one thread at a time, and needs at most 2^20 values at once. */
#define WEFT_WORDS(cases) (((int64_t)(cases) + 63) / 64)
WEFT_API weft_err weft_circuit_run(weft_circuit *k, int64_t words, const uint64_t *in,
        uint64_t *out);
    /* in [inputs, words], out [outputs, words]; they do not overlap */
WEFT_API weft_err weft_circuit_count(weft_circuit *k, int groups, int64_t words,
        const uint64_t *in, int32_t *counts);
    /* runs it and counts ones: the outputs are so many groups of equal size, one after the other;
       counts [64 words, groups] */
WEFT_API weft_err weft_bits_pack(weft_ctx *c, weft_dtype t, const void *x, int64_t cases,
        int64_t n, float least, uint64_t *bits);
    /* x [cases, n] of u8, bool or f32, bits [n, WEFT_WORDS(cases)]: 1 where x >= least, 0 for cases
       that are not there */
WEFT_API void     weft_bits_unpack(const uint64_t *bits, int64_t cases, int64_t n, uint8_t *x);
    /* the way back, to bytes 0 and 1 */

/*              format     ending */
#define WEFT_CIRCUIT_FORMATS(X)                                                                   \
    X(C,       "c")        /* void NAME(const unsigned long long *in, unsigned long long *out) */ \
    X(JSON,    "json")                                                                            \
    X(BLIF,    "blif")                                                                            \
    X(VERILOG, "v")                                                                               \
    X(SVG,     "svg")      /* a picture, for circuits of some hundred gates at most */
typedef enum weft_circuit_format {
#define X(name, ending) WEFT_CIRCUIT_##name,
    WEFT_CIRCUIT_FORMATS(X)
#undef X
    WEFT_CIRCUIT_FORMAT_COUNT
} weft_circuit_format;
WEFT_API const char *weft_circuit_ending(weft_circuit_format f);  /* "v"; NULL: no such format */
WEFT_API char *weft_circuit_text(const weft_circuit *k, weft_circuit_format f, const char *name);
    /* name: letters, digits and _, of the function, model or module; NULL: "circuit". To be given
       back with weft_text_free; NULL: weft_error */
WEFT_API weft_circuit *weft_circuit_read(weft_ctx *c, const char *json, size_t bytes,
        const char *from);
    /* what weft_circuit_text wrote as JSON; from: a file's name, for messages; NULL: weft_error */

#ifdef __cplusplus
}
#endif
#endif
