/* aside.c - copies of a state's entries, by their places: a state never loses one. */
#include "aside.h"

#include <stdlib.h>
#include <string.h>

struct aside_entry {
    size_t place;
    void *bytes;
};

weft_err aside_take(aside *a, weft_state *s, const char *except) {
    weft_ctx *const c = weft_state_ctx(s);
    const size_t count = weft_state_count(s);
    *a = (aside){.entry = calloc(count + 1, sizeof *a->entry)};
    if (!a->entry) return weft_fail(c, WEFT_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        weft_entry e;
        weft_err bad = weft_state_entry(s, i, &e);
        if (!bad && except && strncmp(e.name, except, strlen(except)) == 0) continue;
        void *const bytes = bad ? NULL : malloc(e.bytes + 1);
        a->entry[a->n++] = (aside_entry){i, bytes};
        if (!bad && !bytes) bad = weft_fail(c, WEFT_MEMORY, "out of memory");
        if (!bad) bad = weft_state_get(s, e.name, bytes, e.bytes);
        if (bad) return bad;
    }
    return WEFT_OK;
}

weft_err aside_back(const aside *a, weft_state *s) {
    for (size_t i = 0; i < a->n; i++) {
        weft_entry e;
        weft_err bad = weft_state_entry(s, a->entry[i].place, &e);
        if (!bad) bad = weft_state_set(s, e.name, a->entry[i].bytes, e.bytes);
        if (bad) return bad;
    }
    return WEFT_OK;
}

void aside_free(aside *a) {
    for (size_t i = 0; i < a->n; i++) free(a->entry[i].bytes);
    free(a->entry);
    *a = (aside){0};
}
