/* text.h - text that grows in memory: messages, JSON, pages, headers of files; numbers and shapes. */
#ifndef WEFT_BASE_TEXT_H
#define WEFT_BASE_TEXT_H

#include "base/mem.h"
#include "weft/weft.h"

/* s ends with a 0 that n does not count, and is NULL as long as nothing was added. Once out of memory a
 * text stays failed and takes nothing more, so a writer asks once, at the end. */
typedef struct text {
    mem *m; /* NULL: s is borrowed, and never grows */
    char *s;
    size_t n, cap;
    bool failed;
} text;

void text_raw(text *t, const void *bytes, size_t n);
void text_put(text *t, const char *s);
void text_add(text *t, const char *format, ...) WEFT_PRINTF(2, 3); /* no reals: locales differ */
void text_escape(text *t, const char *s);              /* escape_text of it                        */
void text_quote(text *t, const char *s);               /* a JSON text with its quotes              */
void text_html(text *t, const char *s);                /* for between tags and in double quotes    */
void text_number(text *t, double v);                   /* JSON: the shortest that reads back; null */
void text_digits(text *t, double v, int digits);       /* JSON: so many digits; null               */
void text_fixed(text *t, double v, int decimals);
void text_little(text *t, uint64_t v, int bytes);      /* little-endian, at most 8                 */
void text_clear(text *t);                              /* keeps the memory                         */
void text_free(text *t);                               /* empty again                              */

/* As printf with %.*g or %.*f by the style, but with a point in every locale; gives out. */
const char *number_text(char *out, size_t n, char style, int digits, double v);

const char *shape_text(char *buf, size_t n, int rank, const int64_t *dim); /* "[8,64,512]" */

#endif
