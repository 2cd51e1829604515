/* record.c - the text of a kept figure, both ways. */
#include "bench/record.h"
#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RECORD_WHOLE = 1000000 }; /* no whole number is larger: 7 digits in the text */

/*                        field      whole   least */
#define RECORD_FIELDS(X)                                                                           \
    X(threads, true, 1)                                                                            \
    X(samples, true, 1)                                                                            \
    X(median_us, false, 0)                                                                         \
    X(low_us, false, 0)                                                                            \
    X(high_us, false, 0)                                                                           \
    X(relative, false, 0)                                                                          \
    X(ping_us, false, 0)                                                                           \
    X(when, false, 0)

size_t record_text(char out[RECORD_BYTES], const weft_bench_record *r) {
    char name[6 * sizeof r->name + 3], number[32];
    json_quote(name, sizeof name, r->name);
    int n = snprintf(out, RECORD_BYTES, "{\"name\": %s", name);
#define X(field, whole, least)                                                                     \
    n += snprintf(                                                                                 \
        out + n, RECORD_BYTES - (size_t)n, ", \"%s\": %s", #field,                                 \
        number_text(number, sizeof number, whole ? 'f' : 'g', whole ? 0 : 12, (double)r->field));
    RECORD_FIELDS(X)
#undef X
    n += snprintf(out + n, RECORD_BYTES - (size_t)n, "}");
    return (size_t)n;
}

/* A file with a name that is no UTF-8 could not be read again. */
static bool record_named(const weft_bench_record *r) {
    if (!r->name[0] || !memchr(r->name, 0, sizeof r->name)) return false;
    size_t n = 1;
    for (const char *p = r->name; *p && n; p += n) n = utf8_length(p, strlen(p));
    return n > 0;
}

const char *record_fault(const weft_bench_record *r) {
    if (!record_named(r)) return "name";
#define X(field, whole, least)                                                                     \
    if (!isfinite((double)r->field) || r->field < least) return #field;                            \
    if (whole && r->field > RECORD_WHOLE) return #field;
    RECORD_FIELDS(X)
#undef X
    if (r->median_us <= 0) return "median_us";
    return r->high_us < r->low_us ? "high_us" : NULL;
}

const char *record_read(weft_json j, weft_bench_record *out) {
    *out = (weft_bench_record){.threads = 0};
    if (weft_json_text(weft_json_get(j, "name"), out->name, sizeof out->name) >= sizeof out->name)
        return "name";
#define X(field, whole, least)                                                                     \
    const double field = weft_json_number(weft_json_get(j, #field), NAN);                          \
    if (whole && !(field >= least && field <= RECORD_WHOLE && field == floor(field)))              \
        return #field;                                                                             \
    out->field = field;
    RECORD_FIELDS(X)
#undef X
    return record_fault(out);
}

bool record_is(const weft_bench_record *r, const char *name, int threads) {
    return r->threads == threads && strcmp(r->name, name) == 0;
}
#undef RECORD_FIELDS
