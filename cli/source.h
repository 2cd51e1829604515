/* source.h - the tensors that a command is asked to look at: a file, or the folder of a run. */
#ifndef WEFT_SOURCE_H
#define WEFT_SOURCE_H

#include <weft/io.h>

#include <stdio.h>

/* The file that a path stands for: itself, or what lies in a folder: the checkpoint of a run, or
 * model.safetensors with or without an index. Gives path, or file, filled. */
const char *source_file(const char *path, char *file, size_t size);
weft_archive *source_open(weft_ctx *c, const char *path); /* NULL: weft_error(c) */

/* What a file that is none of these looks like, and what to do with it; NULL: like nothing known. */
const char *source_hint(const char *path);


void source_bytes(double bytes, char out[16]); /* "3.2 MB" */

#endif
