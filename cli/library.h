/* library.h - libraries that are looked for while the program runs; none is ever needed. */
#ifndef WEFT_LIBRARY_H
#define WEFT_LIBRARY_H

#include <stdbool.h>

typedef struct library {
    void *handle;  /* NULL: not found       */
    char file[64]; /* the name that opened  */
} library;

/* Tries the names, parted by spaces, best first. Stays open until the program ends: some of these
 * libraries do not survive being closed. */
library library_open(const char *names);

/* Writes a function's address to the function pointer at *function; false, and NULL, without it. */
bool library_find(library l, const char *symbol, void *function);

#endif
