/* glob.h - names that match a pattern. */
#ifndef WEFT_BASE_GLOB_H
#define WEFT_BASE_GLOB_H

#include <stdbool.h>

bool glob_match(const char *pattern, const char *name); /* *: any text, ?: any byte; NULL: all */

#endif
