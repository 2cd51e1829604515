/* file.h - the only file of this folder that calls the system: mapping, and writing whole files. */
#ifndef WEFT_IO_FILE_H
#define WEFT_IO_FILE_H

#include "base/checked.h"
#include "base/reader.h"
#include "weft/io.h"

/* A file in the making: a temporary beside its place. begin, add..., finish, place; or abandon,
 * which is also how every writer ends. After a failure only abandon does anything. */
typedef struct file_writer {
    weft_ctx *c;
    char *path; /* its place, links resolved */
    char *temporary; /* its name within the folder */
    int folder;      /* that both lie in; -1: none */
    int fd;          /* -1: none */
    uint64_t at; /* bytes written */
    bool placed, shares; /* shares: the folder is another writer's, which is abandoned later */
    weft_err err;
} file_writer;

/* Removes old leftovers too. inside: after so many bytes of the path no link is followed, nor one in
 * the file's place; 0: links are followed. */
weft_err file_begin(file_writer *w, weft_ctx *c, const char *path, size_t inside);
weft_err file_add(file_writer *w, const void *bytes, size_t n);
weft_err file_finish(file_writer *w);                      /* on the disk, in full */
weft_err file_place(file_writer *w, const char *previous); /* what was there becomes `previous` */
void file_abandon(file_writer *w);
void file_share(file_writer *w, const file_writer *other); /* the same folder is open once */

/* Where a path leads if it is a symbolic link, else a copy of it. NULL: weft_error. */
char *file_resolve(weft_ctx *c, const char *path);

/* Removes what interrupted writers of this path left behind, unless one is still at work. */
weft_err file_clean(weft_ctx *c, const char *path, size_t inside);

/* Does each part of a relative path go down: no "..", no ".", not from the root? */
bool file_is_downwards(const char *path);
/* Opens `relative` beneath the folder that `beside` lies in: no way out, no symbolic link. */
weft_err file_beneath(weft_ctx *c, const char *beside, const char *relative, weft_file *out);

char *file_copy_text(weft_ctx *c, const char *a, const char *b); /* a then b; NULL: out of memory */
weft_err file_remove(weft_ctx *c, const char *path); /* fine if it is not there */

#endif
