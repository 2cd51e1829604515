/* path.h - places in the file system that several commands ask for. */
#ifndef WEFT_PATH_H
#define WEFT_PATH_H

#include "base/path.h"

#include <stdbool.h>
#include <stddef.h>

bool path_program(char *path, size_t bytes); /* the path of this program; false: unknown */

#endif
