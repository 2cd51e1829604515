/* fuzz_file.h - a folder for targets whose files are opened by name. */
#ifndef WEFT_FUZZ_FILE_H
#define WEFT_FUZZ_FILE_H

#include "fuzz.h"

#include <sys/stat.h>
#include <unistd.h>

static char fuzz_folder[200];

static inline void fuzz_folder_remove(void) {
    static const char *const names[] = {"a.json",        "b.json",      "0123456789abcdef.jsonl",
                                        "metrics.jsonl", "status.json", "kernels.json",
                                        "adapter_config.json", "adapter_model.safetensors"};
    char path[300];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", fuzz_folder, names[i]);
        unlink(path);
    }
    rmdir(fuzz_folder);
}

/* A path in a folder of this process, which goes away with it. */
static inline void fuzz_path(char *out, size_t bytes, const char *name) {
    if (!fuzz_folder[0]) {
        const char *base = getenv("TMPDIR");
        if (!base || !*base) base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(fuzz_folder, sizeof fuzz_folder, "%.150s/weft-fuzz-%ld", base, (long)getpid());
        fuzz_must(mkdir(fuzz_folder, 0700) == 0, "no folder");
        atexit(fuzz_folder_remove);
    }
    snprintf(out, bytes, "%s/%s", fuzz_folder, name);
}

static inline void fuzz_file_put(const char *path, const void *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    fuzz_must(f && (!n || fwrite(bytes, 1, n, f) == n) && fclose(f) == 0, "not written");
}

/* The whole file, to be freed. */
static inline char *fuzz_file_get(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    fuzz_must(f && fseek(f, 0, SEEK_END) == 0, "not there");
    *n = (size_t)ftell(f);
    char *bytes = malloc(*n + 1);
    rewind(f);
    fuzz_must(bytes && fread(bytes, 1, *n, f) == *n, "not read");
    fclose(f);
    return bytes;
}

#endif
