/* fuzz_index.c - indexes of shards. The first half of the input is the index, up to a zero byte;
 * the rest is a shard "a" beside it; a sound shard "b" with an array "y" is always there. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "fuzz_archive.h"

#include <unistd.h>

static char folder[64], index_path[100], shard_path[100], sound_path[100];

static void put(const char *path, const void *p, size_t n) {
    FILE *f = fopen(path, "wb");
    fuzz_must(f && fwrite(p, 1, n, f) == n && fclose(f) == 0, "cannot write");
}

static void gone(void) {
    remove(index_path), remove(shard_path), remove(sound_path), rmdir(folder);
}

static void begin(void) {
    static const char text[] = "{\"y\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}";
    char file[8 + sizeof text] = {(char)(sizeof text - 1)};
    memcpy(file + 8, text, sizeof text); /* its last zero is the value */
    snprintf(folder, sizeof folder, "%s/weft-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    fuzz_must(mkdtemp(folder) != NULL, "no folder");
    snprintf(index_path, sizeof index_path, "%s/i.json", folder);
    snprintf(shard_path, sizeof shard_path, "%s/a", folder);
    snprintf(sound_path, sizeof sound_path, "%s/b", folder);
    put(sound_path, file, 8 + sizeof text);
    atexit(gone);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (!folder[0]) begin();
    const uint8_t *zero = n ? memchr(bytes, 0, n) : NULL;
    size_t index = zero ? (size_t)(zero - bytes) : n;
    if (!index || bytes[0] != '{') return 0;
    put(index_path, bytes, index);
    put(shard_path, bytes + index + (zero != NULL), n - index - (zero != NULL));
    fuzz_world *w = fuzz_begin();
    fuzz_archive_end(w, weft_archive_open(w->ctx, index_path), n);
    return 0;
}
