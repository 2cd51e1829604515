/* snapshot.h - a copy of a state's values, to start again from, for the command and applications. */
#ifndef WEFT_CLI_SNAPSHOT_H
#define WEFT_CLI_SNAPSHOT_H

#include "base/snapshot.h"

#endif
