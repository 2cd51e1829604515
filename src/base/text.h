/* text.h - text that grows in memory; numbers and shapes as text. */
#ifndef WEFT_BASE_TEXT_H
#define WEFT_BASE_TEXT_H

#include "base/mem.h"
#include "weft/weft.h"

typedef struct text { mem *m; char *s; size_t n, cap; bool failed; } text;
void text_add(text *t, const char *format, ...) WEFT_PRINTF(2, 3);
void text_raw(text *t, const char *s, size_t n);
void text_escape(text *t, const char *s);               /* escape_text of it          */

/* As printf with %.*g or %.*f by the style, but with a point in every locale; gives out. */
const char *number_text(char *out, size_t n, char style, int digits, double v);

const char *shape_text(char *buf, size_t n, int rank, const int64_t *dim); /* "[8,64,512]" */

#endif
