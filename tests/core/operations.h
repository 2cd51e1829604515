/* operations.h - operations.def expanded: a list of rows, and a function that records any of them.
 *
 * A row is known by its line in the table. Relies on program.h for inputs. */
#ifndef WEFT_OPERATIONS_H
#define WEFT_OPERATIONS_H

#include "program.h"

typedef struct operation {
    int line, order;
    double ulps;
    const char *text;
} operation;

static const operation operations[] = {
#define OPERATION(order, ulps, expression) {__LINE__, order, ulps, #expression},
#include "operations.def"
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static weft_tensor split_part(weft_tensor x, int axis, int parts, int which) {
    weft_tensor out[8];
    weft_split(x, axis, parts, out);
    return out[which];
}

/* A recurrent layer's y, h and c one after the other; weights small enough for several steps. */
enum { RECUR_BIASED = 1, RECUR_STARTED = 2, RECUR_REVERSED = 4, RECUR_SHORT = 8, RECUR_LAST = 16 };
static weft_tensor recurred(program *p, weft_cell cell, weft_shape size, int how) {
    int64_t T = size.n[0], B = size.n[1], I = size.n[2], H = size.n[3];
    int64_t width = weft_cell_gates(cell) * H;
    weft_tensor x = program_given(p, 0, WEFT_F32, -2, 2, weft_dims(T, B, I)),
                w_ih = program_given(p, 1, WEFT_F32, -2, 2, weft_dims(width, I)),
                w_hh = program_given(p, 2, WEFT_F32, -2, 2, weft_dims(width, H));
    weft_tensor bias[2] = {{0}}, first[2] = {{0}};
    weft_recur_desc d = {.reverse = how & RECUR_REVERSED};
    if (how & RECUR_BIASED)
        weft_split(program_given(p, 3, WEFT_F32, -2, 2, weft_dims(2 * width)), 0, 2, bias);
    if (how & RECUR_STARTED)
        weft_split(program_given(p, 4, WEFT_F32, -2, 2, weft_dims(2 * B, H)), 0, 2, first);
    d.h0 = first[0];
    if (cell == WEFT_LSTM) d.c0 = first[1];
    if (how & RECUR_SHORT)
        d.lengths = program_given(p, 5, WEFT_I32, -1, (double)T + 2, weft_dims(B));
    weft_recurred r =
        weft_recur(cell, x, weft_scale(w_ih, 0.4f), weft_scale(w_hh, 0.4f), bias[0], bias[1], &d);
    if (how & RECUR_LAST) return r.h;
    weft_tensor y = weft_concat(weft_list(weft_reshape(r.y, weft_dims(T * B, H)), r.h), 0);
    return r.c.g ? weft_concat(weft_list(y, r.c), 0) : y;
}

/* A step of an optimiser with a scale and with a condition, which holds: one is clipped. */
static weft_tensor stepped_by(program *p, int slot, double lo, double hi) {
    return weft_cast(program_given(p, slot, WEFT_F32, lo, hi, weft_dims(5)), WEFT_F32);
}
static weft_step_desc stepped_how(program *p) {
    weft_tensor sum = weft_sum(stepped_by(p, 1, -2, 2), WEFT_ALL, false);
    return (weft_step_desc){.clip = 0.9f,
                            .scale = weft_scale(sum, 0.3f),
                            .due = weft_le(weft_scalar(p->g, -100), sum)};
}
static weft_stepped adam_stepped(program *p, const weft_adam_desc *d) {
    const weft_step_desc how = stepped_how(p);
    weft_tensor lr = weft_scalar(p->g, 0.1f), rate = weft_scalar(p->g, 0.3f);
    return weft_adam_step(stepped_by(p, 0, -2, 2), stepped_by(p, 1, -2, 2),
                          stepped_by(p, 4, 0.2, 0.9), stepped_by(p, 2, -2, 2), lr, rate,
                          weft_scalar(p->g, 1.5f), d, &how);
}
static weft_stepped momentum_stepped(program *p, const weft_sgd_desc *d) {
    const weft_step_desc how = stepped_how(p);
    return weft_momentum_step(stepped_by(p, 0, -2, 2), stepped_by(p, 1, -2, 2),
                              stepped_by(p, 2, -2, 2), weft_scalar(p->g, 0.1f), d, &how);
}

#define G         (p->g)
#define NONE      ((weft_tensor){0})
#define DIMS(...) weft_dims(__VA_ARGS__)
#define NUMBER    program_given(p, 0, WEFT_F32, -2, 2, WEFT_0D)
#define X(...)    program_given(p, 0, WEFT_F32, -2, 2, DIMS(__VA_ARGS__))
#define Y(...)    program_given(p, 1, WEFT_F32, -2, 2, DIMS(__VA_ARGS__))
#define Z(...)    program_given(p, 2, WEFT_F32, -2, 2, DIMS(__VA_ARGS__))
#define Q(...)    program_given(p, 4, WEFT_F32, 0.2, 0.9, DIMS(__VA_ARGS__))
#define I(n, ...) program_given(p, 5, WEFT_I32, 0, n, DIMS(__VA_ARGS__))
#define F(n, ...) program_given(p, 5, WEFT_I32, -2, (n) + 2, DIMS(__VA_ARGS__))
#define M(...)    program_given(p, 6, WEFT_BOOL, 0, 2, DIMS(__VA_ARGS__))
#define START(n)  program_input(p, 7, WEFT_I32, n, (n) + 1, WEFT_0D)

/* clang-format off */
static weft_tensor operation_record(program *p, const operation *o) {
    switch (o->line) {
#define OPERATION(order, ulps, expression) case __LINE__: return expression;
#include "operations.def"
    default: return NONE;
    }
}
/* clang-format on */

#undef G
#undef NONE
#undef DIMS
#undef NUMBER
#undef X
#undef Y
#undef Z
#undef Q
#undef I
#undef F
#undef M
#undef START

#endif
