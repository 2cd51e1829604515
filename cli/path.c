/* path.c - asks the system what path.h promises. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "path.h"

#include <sys/stat.h>
#include <unistd.h>

bool path_program(char *path, size_t bytes) {
    const ssize_t n = readlink("/proc/self/exe", path, bytes - 1);
    if (n > 0) path[n] = 0;
    return n > 0;
}
