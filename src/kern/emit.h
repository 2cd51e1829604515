/* emit.h - row programs as source text: C, CUDA or WGSL.
 *
 * A kernel's buffers are its parameters, numbered in the order in which its views first name them
 * (emit_buffers). Strides, extents and offsets inside buffers are literals of the text.
 *   C     void name(char *const *at)                       at[i]: address of buffer i
 *   CUDA  extern "C" __global__ void name(char *b0, ...)   blocks of 256 threads, a flat grid
 *   WGSL  fn name, workgroups of 256, a grid of one or two dimensions; group 0 has
 *           binding 0  words  array<u32>, all memory
 *           binding 1  args   array<vec4<u32>>, the first word of each buffer
 * Any number of groups gives the right result; emit_groups says how many can work at once. */
#ifndef WEFT_EMIT_H
#define WEFT_EMIT_H

#include "plan/plan.h"

typedef enum emit_language { EMIT_C, EMIT_CUDA, EMIT_WGSL } emit_language;
enum { EMIT_THREADS = 256, EMIT_BUFFERS = LIMIT_SOURCE_BUFFERS };

/* The kernel as a function. False if this language cannot say it; the text is then as it was:
 *   - more than EMIT_BUFFERS buffers, or an expression the table does not have
 *   - WGSL: elements beyond the reach of an i32; stores of less than a word in an order that would
 *     share words between threads (views that are not packed row after row from a word's start) */
bool emit_kernel(text *t, emit_language lang, const kernel *k, const buffer *buf, const char *name);

/* In C, where no buffer that is written overlaps another: the pointers say so (restrict), and a
 * compiler may use vectors. */
bool emit_kernel_apart(text *t, const kernel *k, const char *name);

void emit_prelude(text *t, emit_language lang);                       /* every helper */
void emit_prelude_for(text *t, emit_language lang, const char *body); /* those that body uses */

/* A whole source file: the helpers it needs, then the kernel. */
bool emit_source(text *t, emit_language lang, const kernel *k, const buffer *buf, const char *name);

int emit_buffers(const kernel *k, uint32_t out[EMIT_BUFFERS]); /* how many; -1: too many */
int64_t emit_groups(const kernel *k);

/* The end of k_load_ and k_store_: "bf16". A u32 goes as an i32 of the same bits. */
const char *emit_dtype_word(int dtype);

/* A number as a literal of register type `type`, the same in all three languages. */
void emit_number(text *t, int type, uint32_t bits);

#endif
