/* oracle.h - a known run of another system, for comparison. */
#ifndef WEFT_CHECKERBOARD_ORACLE_H
#define WEFT_CHECKERBOARD_ORACLE_H

#include <weft/weft.h>

/* Prints soft and hard loss of each epoch. */
weft_err checkerboard_oracle(weft_ctx *c, int64_t epochs, int threads, bool as_json);

#endif
