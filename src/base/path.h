/* path.h - paths of files, and of the checkpoints of a run. */
#ifndef WEFT_BASE_PATH_H
#define WEFT_BASE_PATH_H

#include "base/text.h"

#define CHECKPOINT_ENDING ".safetensors"

bool path_exists(const char *path);

/* Makes a folder and those above it; fine if they are there. */
weft_err path_make_folder(weft_ctx *c, const char *path);

/* Adds the place of the checkpoint before the one at path: run/last.previous.safetensors. */
void path_previous(text *t, const char *path);

/* Is there a checkpoint at path, or the one before it? The error says that `run` has none. */
bool path_has_checkpoint(const char *path);
weft_err path_checkpoint_expected(weft_ctx *c, const char *run, const char *path);

#endif
