/* folder.h - the folder of a run: making it, paths in it, adding to a file. Whole files are
 * weft/io.h's. */
#ifndef WEFT_FOLDER_H
#define WEFT_FOLDER_H

#include "base/path.h"
#include <weft/weft.h>

enum { FOLDER_PATH = PATH_MOST };

/* out (FOLDER_PATH) = run/name. */
weft_err folder_path(weft_ctx *c, char *out, const char *run, const char *name);
weft_err folder_make(weft_ctx *c, const char *run);                     /* with those above it */
weft_err folder_remove(weft_ctx *c, const char *run, const char *name); /* if it is there */
weft_err folder_remove_all(weft_ctx *c, const char *run,
                           const char *prefix); /* all that begin so */
bool folder_name(const char *run, char *name, size_t bytes); /* "runs/a/" is "a"; false: too long */

/* A file to add lines to. After a failed write it has the length it had before. */
typedef struct folder_file {
    int file; /* below 0: none is open */
    char path[FOLDER_PATH];
} folder_file;
enum folder_how { FOLDER_NEW, FOLDER_APPEND }; /* NEW: there must be none of that name */
weft_err folder_open(weft_ctx *c, folder_file *f, enum folder_how how); /* .path is given */
weft_err folder_write(weft_ctx *c, folder_file *f, const void *bytes, size_t n);
weft_err folder_sync(weft_ctx *c, folder_file *f); /* onto the disk */
weft_err folder_close(weft_ctx *c, folder_file *f);

#endif
