/* path.h - paths of files, and of the checkpoints of a run. */
#ifndef WEFT_BASE_PATH_H
#define WEFT_BASE_PATH_H

#include "base/text.h"

#define CHECKPOINT_ENDING ".safetensors"

/* Bytes of a path, with its 0, as systems have them; of a folder so many fewer that the names of what
 * lies in it have room. */
enum { PATH_MOST = 4096, PATH_FOLDER = PATH_MOST - 96 };

bool path_exists(const char *path);

/* Makes a folder and those above it; fine if they are there. */
weft_err path_make_folder(weft_ctx *c, const char *path);

/* Adds the place of the checkpoint before the one at path: run/last.previous.safetensors. */
void path_previous(text *t, const char *path);

/* Is there a checkpoint at path, or the one before it? The error says that `run` has none. */
bool path_has_checkpoint(const char *path);
weft_err path_checkpoint_expected(weft_ctx *c, const char *run, const char *path);

#endif
