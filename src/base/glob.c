/* glob.c - the last star is tried longer and longer: no pattern takes more than the product of the
 * lengths. */
#include "base/glob.h"
#include <stddef.h>

bool glob_match(const char *pattern, const char *name) {
    if (!pattern) return true;
    const char *star = NULL, *from = name;
    while (*name) {
        if (*pattern == '*') star = pattern++, from = name;
        else if (*pattern == '?' || *pattern == *name) pattern++, name++;
        else if (star) pattern = star + 1, name = ++from;
        else return false;
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}
