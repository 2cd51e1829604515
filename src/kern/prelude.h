/* prelude.h - the k_ helpers that emitted kernels call, as text, in parts so that a source file
 * carries only what it uses. A part may rely on parts before it in its list, never on later ones.
 *
 * C and CUDA share their arithmetic (prelude_c.c); they differ in memory access, bits and folds. A
 * helper has the same name and meaning in every language, hence the emitter never asks which it
 * writes. Meanings at the edges (NaN, wrap-around, casts) are those of the reference backend. */
#ifndef WEFT_PRELUDE_H
#define WEFT_PRELUDE_H

typedef struct prelude_part {
    const char *name, *text;
} prelude_part; /* a list ends with NULL */

extern const prelude_part prelude_shared[]; /* C and CUDA, after the language's own first part */
extern const prelude_part prelude_c[];
extern const prelude_part prelude_cuda[];      /* before prelude_shared */
extern const prelude_part prelude_cuda_fold[]; /* after it */
extern const prelude_part prelude_wgsl[];

/* Real code in the source, one line of text in the library; emit.c lays it out again. */
#define PRELUDE(name, ...)                                                                         \
    { #name, #__VA_ARGS__ }

#endif
