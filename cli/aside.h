/* aside.h - the entries of a state put aside, to begin again from there. */
#ifndef WEFT_ASIDE_H
#define WEFT_ASIDE_H

#include <weft/weft.h>

typedef struct aside_entry aside_entry;
typedef struct aside {
    aside_entry *entry;
    size_t n;
} aside;

/* All entries but those whose names begin with `except`; NULL: all. */
weft_err aside_take(aside *a, weft_state *s, const char *except);
weft_err aside_back(const aside *a, weft_state *s); /* the state has what it had then */
void aside_free(aside *a);

#endif
