/* error.h - passing errors on. */
#ifndef WEFT_BASE_ERROR_H
#define WEFT_BASE_ERROR_H

#include "weft/weft.h"

#define WEFT_TRY(call) do { weft_err try_ = (call); if (try_ != WEFT_OK) return try_; } while (0)

#endif
