/* text.h - text that grows in memory; and shapes as messages show them. */
#ifndef WEFT_BASE_TEXT_H
#define WEFT_BASE_TEXT_H

#include "base/mem.h"
#include "weft/weft.h"

typedef struct text { mem *m; char *s; size_t n, cap; bool failed; } text;
void text_add(text *t, const char *format, ...) WEFT_PRINTF(2, 3);
void text_raw(text *t, const char *s, size_t n);
void text_escape(text *t, const char *s);               /* weft_escape of it          */

const char *shape_text(char *buf, size_t n, int rank, const int64_t *dim); /* "[8,64,512]" */

#endif
