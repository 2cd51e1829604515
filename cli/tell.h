/* tell.h - printing for people, where text out of files, arguments or the environment may be among
 * what is printed. */
#ifndef WEFT_TELL_H
#define WEFT_TELL_H

#include <weft/weft.h>

#include <stdio.h>

/* fprintf whose texts (%s) appear as escape_text shows them, so that no terminal obeys them. The
 * format itself is printed as it is; widths count characters. Colours are printed apart. */
void tell(FILE *to, const char *format, ...) WEFT_PRINTF(2, 3);

/* One text: padded to `width` characters; cut there when the width is negative. */
void tell_text(FILE *to, const char *text, int width);

/* n bytes of text with lines and tabs, and all else made safe. */
void tell_lines(FILE *to, const char *text, size_t n);

#endif
