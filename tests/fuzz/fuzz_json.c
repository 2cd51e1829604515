/* fuzz_json.c - JSON: what passes the check is walked through to its last value, and its texts are
 * quoted and read back. */
#include "fuzz.h"

#include "base/json.h"
#include "weft/io.h"

static void walk(fuzz_world *w, weft_json j, int depth) {
    fuzz_must(depth <= 64, "deeper than was checked");
    char text[256], quoted[2000], back[256];
    weft_json key = {0}, value = {0};
    switch (weft_json_kind_of(j)) {
    case WEFT_JSON_NONE: fuzz_must(false, "a value that is none"); break;
    case WEFT_JSON_NUMBER: {
        double v = weft_json_number(j, -1.5), as = (double)weft_json_integer(j, 7);
        fuzz_must(v == v, "a number that is none");
        fuzz_must(as == 7 || as == v, "an integer that is another number");
        break;
    }
    case WEFT_JSON_TEXT: {
        size_t n = weft_json_text(j, text, sizeof text);
        if (n >= sizeof text) break;
        fuzz_must(strlen(text) == n && weft_json_is(j, text), "a text that is not itself");
        size_t m = json_quote(quoted, sizeof quoted, text);
        weft_json again = weft_json_parse(w->ctx, quoted, m, "quoted");
        fuzz_must(weft_json_text(again, back, sizeof back) == n && !strcmp(back, text), "quoting");
        break;
    }
    default:
        for (size_t i = 0; weft_json_next(j, &key, &value); i++) {
            if (key.at) walk(w, key, depth + 1);
            walk(w, value, depth + 1);
        }
    }
    w->sum += (unsigned)weft_json_count(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    weft_json j = weft_json_parse(w->ctx, (const char *)bytes, n, "json");
    fuzz_must(w->heap.peak - w->idle <= 2 * n + (1 << 20), "too much memory");
    if (j.at) {
        walk(w, j, 1);
        weft_json_get(j, "a.0.b");
    } else {
        fuzz_refused(w, n);
    }
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
