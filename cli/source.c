/* source.c - finds and opens what source.h describes; choosing by name; figures for people. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "source.h"

#include <weft/train.h>

#include <string.h>
#include <sys/stat.h>

static bool source_is(const char *path, bool folder) {
    struct stat s;
    return stat(path, &s) == 0 && (S_ISDIR(s.st_mode) != 0) == folder;
}

const char *source_file(const char *path, char *file, size_t size) {
    static const char *const names[] = {"model.safetensors.index.json", "model.safetensors"};
    if (!source_is(path, true)) return path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, size, "%s/%s", path, names[i]);
        if (source_is(file, false)) return file;
    }
    return weft_run_checkpoint(path, file, size);
}

weft_archive *source_open(weft_ctx *c, const char *path) {
    char file[4096];
    return weft_archive_open(c, source_file(path, file, sizeof file));
}

/* By the first bytes, as they are written; a zip file is told by the name of its first member. */
static const struct {
    const char *magic;
    size_t bytes;
    const char *hint;
} source_kinds[] = {
#define SOURCE_TORCH                                                                               \
    "a PyTorch file, whose pickle only Python reads; there: safetensors.torch.save_file("          \
    "torch.load(FILE, weights_only=True), \"model.safetensors\")"
    {"\x80\x02", 2, SOURCE_TORCH},
    {"\x80\x03", 2, SOURCE_TORCH},
    {"\x80\x04", 2, SOURCE_TORCH},
    {"\x80\x05", 2, SOURCE_TORCH},
    {"\x89HDF", 4,
     "an HDF5 file, as Keras writes; in Python h5py reads it and numpy.savez writes npz"},
    {"GGUF", 4, "a GGUF file; convert the model it was made from, as safetensors"},
    {"\x1f\x8b", 2, "compressed by gzip; decompress it first"},
    {"\xfd"
     "7zXZ",
     5, "compressed by xz; decompress it first"},
    {"\x28\xb5\x2f\xfd", 4, "compressed by zstd; decompress it first"},
    {"\x89PNG", 4, "a PNG image, which has no tensors"},
    {"\xff\xd8\xff", 3, "a JPEG image, which has no tensors"},
    {"\0\0\x08", 3,
     "an IDX file of examples; weft train digits --data takes the folder of four of them"},
    {"{", 1, "JSON, but not an index of shards"},
};

static bool source_is_table(const char *text, size_t n) {
    size_t separators = 0, lines = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < 0x20 && c != '\n' && c != '\r' && c != '\t') return false;
        separators += c == ',' || c == ';' || c == '\t';
        lines += c == '\n';
    }
    return lines > 0 && separators >= lines;
}

/* NULL also where what the library says of the file's content helps more. */
const char *source_hint(const char *path) {
    char named[4096], text[512];
    FILE *f = source_is(path, false) ? fopen(source_file(path, named, sizeof named), "rb") : NULL;
    const size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f) fclose(f);
    if (!f) return NULL;
    if (!n) return "empty";
    if (n > 30 && memcmp(text, "PK\3\4", 4) == 0) {
        for (size_t i = 30; i + 8 <= n && i < 200; i++)
            if (memcmp(text + i, "data.pkl", 8) == 0) return SOURCE_TORCH;
        const size_t name = (unsigned char)text[26] + 256u * (unsigned char)text[27];
        const bool npy = name >= 4 && 30 + name <= n && !memcmp(text + 26 + name, ".npy", 4);
        return npy ? NULL : "a zip file, but not one of NumPy's npz files";
    }
    const size_t path_length = strlen(path);
    if (path_length > 10 && !strcmp(path + path_length - 10, "index.json")) return NULL;
    for (size_t i = 0; i < sizeof source_kinds / sizeof *source_kinds; i++)
        if (n >= source_kinds[i].bytes &&
            memcmp(text, source_kinds[i].magic, source_kinds[i].bytes) == 0)
            return source_kinds[i].hint;
    return source_is_table(text, n)
               ? "a table of text; weft train csv learns from one, weft detect "
                 "finds outliers in one"
               : NULL;
}
#undef SOURCE_TORCH

void source_bytes(double bytes, char out[16]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; unit++) bytes /= 1000;
    snprintf(out, 16, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}
