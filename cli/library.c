/* library.c - dlopen behind the calls of library.h. Where there is no dlopen nothing is found. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "library.h"

#include <string.h>

#if defined(_WIN32)
library library_open(const char *names) {
    (void)names;
    return (library){0};
}

bool library_find(library l, const char *symbol, void *function) {
    (void)l, (void)symbol;
    memset(function, 0, sizeof(void *));
    return false;
}
#else
#include <dlfcn.h>

library library_open(const char *names) {
    library l = {0};
    for (const char *at = names; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length < sizeof l.file) {
            memcpy(l.file, at, length);
            l.file[length] = 0;
            l.handle = dlopen(l.file, RTLD_LAZY | RTLD_LOCAL);
            if (l.handle) break;
        }
        at += length;
    }
    return l;
}

bool library_find(library l, const char *symbol, void *function) {
    void *address = l.handle ? dlsym(l.handle, symbol) : NULL;
    memcpy(function, &address, sizeof address); /* C has no cast from object to function */
    return address != NULL;
}
#endif
