/* slip.h - a small JSON object in the folder of a run, such as status.json, read field by field.
 *
 * Another program may have written it, so nothing is assumed: what is absent or of
 * another kind reads as "", 0 or nan. */
#ifndef WEFT_SLIP_H
#define WEFT_SLIP_H

#include <weft/io.h>

typedef struct slip {
    weft_ctx *c;
    char *text;
    weft_json all; /* an object */
} slip;

weft_err slip_open(slip *s, weft_ctx *c, const char *run, const char *name);
void slip_close(slip *s);

void slip_text(weft_json object, const char *key, char *out, size_t bytes); /* whole letters */
int64_t slip_count(weft_json object, const char *key);                      /* at least 0 */
double slip_number(weft_json object, const char *key);                      /* nan: none */

#endif
