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
