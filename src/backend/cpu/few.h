/* few.h - products of few rows by weights of 16 or 8 bits, which are widened in registers.
 *
 * One row by large weights waits for memory; a widened copy, even a small one in cache, would take
 * longer than reading does. */
#ifndef WEFT_FEW_H
#define WEFT_FEW_H

#include "backend/cpu/isa.h"

#include <stdint.h>

/* c (m rows, c_row apart) of n columns by weights w, whose rows are w_row bytes apart. x (m rows, x_row
 * apart) lies contiguous along k. */
typedef struct few_data {
    const float *x;
    float *c;
    const char *w;
    int64_t x_row, c_row, w_row, m, k, n;
} few_data;

typedef void few_product(const few_data *d);

/* For each type two: dots, where w is [n, k], and rows, where it is [k, n], a row of it after the other. */
typedef struct few_table {
    few_product *bf16[2], *i8[2];
} few_table;
enum { FEW_DOTS, FEW_ROWS };
enum { FEW_MOST = 4 }; /* rows of x; more are better off with a widened copy */

const few_table *few_of(isa level); /* NULL: vectors of 128 bits gain nothing */

#endif
