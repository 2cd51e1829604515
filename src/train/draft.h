/* draft.h - text that grows in memory before it is written: JSON lines, event records, pages.
 *
 * Once out of memory a draft stays failed and takes nothing more, so a writer asks once, at the
 * end. Numbers have points in every locale, which is why they do not go through draft_add. */
#ifndef WEFT_DRAFT_H
#define WEFT_DRAFT_H

#include <weft/weft.h>

typedef struct draft {
    weft_ctx *c; /* whose memory it is */
    char *s;     /* ends with a 0 that n does not count */
    size_t n, capacity;
    bool failed;
} draft;

void draft_raw(draft *d, const void *bytes, size_t n);
void draft_text(draft *d, const char *s);
void draft_add(draft *d, const char *format, ...) WEFT_PRINTF(2, 3); /* no reals: see above */
void draft_json(draft *d, const char *s); /* a JSON string with its quotes */
void draft_html(draft *d, const char *s); /* for between tags and in double quotes */
void draft_number(draft *d, double v); /* JSON: the shortest that reads back; null if not finite */
void draft_fixed(draft *d, double v, int decimals);
void draft_clear(draft *d); /* keeps the memory */
void draft_free(draft *d);

bool draft_utf8(const char *s); /* whether all of it is letters of UTF-8 */

#endif
