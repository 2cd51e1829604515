/* test_io_faults.c - the n-th allocation fails, the n-th system call fails, for every n.
 *
 * System calls are caught by defining them here: the library is linked statically, so that its
 * calls end up in this file, which passes them on or does not. Whatever fails, the old file stays
 * as it was, or the new one is there in full; nothing leaks; the next load removes leftovers. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include "io_world.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* ---- calls that fail on purpose ---- */

#define CALLS(X)                                                                                   \
    X(openat)                                                                                      \
    X(fstat) X(lstat) X(mmap) X(flock) X(fchmod) X(write) X(fsync) X(link) X(rename) X(unlink)
enum call {
#define X(name) CALL_##name,
    CALLS(X)
#undef X
        CALL_COUNT
};
static const char *const call_name[] = {
#define X(name) #name,
    CALLS(X)
#undef X
};

enum { SHORT = -1, NOTHING = -2 }; /* instead of an error: one byte less, no byte at all */
static struct {
    bool on, hit, for_ever;
    int call, error;
    long countdown;
} fault;

static bool fails(int call) {
    if (!fault.on || fault.call != call || --fault.countdown > 0) return false;
    if (fault.countdown < 0 && !fault.for_ever) return false;
    fault.hit = true;
    if (fault.error > 0) errno = fault.error;
    return true;
}

#define REAL(result, name, ...)                                                                    \
    static result (*real)(__VA_ARGS__);                                                            \
    if (!real) {                                                                                   \
        void *p = dlsym(RTLD_NEXT, #name);                                                         \
        memcpy(&real, &p, sizeof p);                                                               \
    }

/* The declarations of some have attributes that a definition need not repeat. */
#pragma GCC diagnostic ignored "-Wattributes"
int openat(int folder, const char *path, int flags, ...) {
    REAL(int, openat, int, const char *, int, ...)
    if (fails(CALL_openat)) return -1;
    return real(folder, path, flags, 0666);
}
int fstat(int fd, struct stat *st) {
    REAL(int, fstat, int, struct stat *)
    return fails(CALL_fstat) ? -1 : real(fd, st);
}
int lstat(const char *path, struct stat *st) {
    REAL(int, lstat, const char *, struct stat *)
    return fails(CALL_lstat) ? -1 : real(path, st);
}
void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
    REAL(void *, mmap, void *, size_t, int, int, int, off_t)
    if (fd >= 0 && fails(CALL_mmap)) return MAP_FAILED;
    return real(at, n, protection, flags, fd, offset);
}
int flock(int fd, int operation) {
    REAL(int, flock, int, int)
    return fails(CALL_flock) ? -1 : real(fd, operation);
}
int fchmod(int fd, mode_t mode) {
    REAL(int, fchmod, int, mode_t)
    return fails(CALL_fchmod) ? -1 : real(fd, mode);
}
ssize_t write(int fd, const void *p, size_t n) {
    REAL(ssize_t, write, int, const void *, size_t)
    if (fails(CALL_write)) {
        if (fault.error == NOTHING) return 0;
        if (fault.error != SHORT) return -1;
        n = n > 1 ? n / 2 : n;
    }
    return real(fd, p, n);
}
int fsync(int fd) {
    REAL(int, fsync, int)
    return fails(CALL_fsync) ? -1 : real(fd);
}
int link(const char *from, const char *to) {
    REAL(int, link, const char *, const char *)
    return fails(CALL_link) ? -1 : real(from, to);
}
int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *)
    return fails(CALL_rename) ? -1 : real(from, to);
}
int unlink(const char *path) {
    REAL(int, unlink, const char *)
    return fails(CALL_unlink) ? -1 : real(path);
}

/* ---- what is done ---- */

static heap heap_of;
static weft_ctx *c;

static weft_state *make(int32_t steps) {
    if (!c) c = heap_open(&heap_of);
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_param(g, s, "fc.weight", weft_dims(4, 3), (weft_init){.kind = WEFT_INIT_NORMAL, .b = 1});
    weft_buffer(g, s, "steps", WEFT_I32, WEFT_0D, (weft_init){0});
    weft_graph_free(g);
    weft_state_set(s, "steps", &steps, sizeof steps);
    return s;
}

static int32_t steps_of(weft_state *s) {
    int32_t n = -1;
    weft_state_get(s, "steps", &n, sizeof n);
    return n;
}

static void clear(void) {
    static const char *const name[] = {"f.safetensors", "f.previous.safetensors"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) remove(in_folder(name[i]));
}

/* A checkpoint of 1 and one of 2 are there; 3 is saved while a call fails. */
TEST(saving_a_checkpoint) {
    static const int error[] = {EIO, ENOSPC, EACCES, EDQUOT, EPERM, EINTR, SHORT, NOTHING};
    weft_state *one = make(1), *two = make(2), *three = make(3), *t = make(0);
    for (int call = 0; call < CALL_COUNT; call++)
        for (size_t e = 0; e < sizeof error / sizeof *error; e++)
            for (int for_ever = 0; for_ever < 2; for_ever++) {
                if (error[e] < 0 && call != CALL_write) continue;
                if (error[e] == EINTR &&
                    (for_ever || (call != CALL_write && call != CALL_fsync && call != CALL_openat)))
                    continue;
                CASE("%s, error %d%s", call_name[call], error[e], for_ever ? " for ever" : "");
                for (long n = 1; n < 100; n++) {
                    clear();
                    const char *path = in_folder("f.safetensors");
                    CHECK_EQ(weft_checkpoint_save(one, path, NULL), WEFT_OK);
                    CHECK_EQ(weft_checkpoint_save(two, path, NULL), WEFT_OK);
                    size_t live = heap_of.live;
                    fault.on = true, fault.hit = false, fault.call = call, fault.error = error[e];
                    fault.countdown = n, fault.for_ever = for_ever;
                    weft_err err = weft_checkpoint_save(three, path, NULL);
                    fault.on = false;
                    CHECK_EQ(heap_of.live, live);
                    weft_checkpoint k = {0};
                    if (!CHECK_EQ(weft_checkpoint_load(t, path, &k), WEFT_OK)) puts(weft_error(c));
                    int32_t got = steps_of(t);
                    if (err == WEFT_OK) CHECK_EQ(got, 3);
                    else if (!CHECK(got == 2 || got == 3)) printf("     n %ld: %d\n", n, got);
                    if (error[e] == EINTR || error[e] == SHORT) CHECK_EQ(err, WEFT_OK);
                    if (err != WEFT_OK) CHECK_EQ(err, WEFT_FILE);
                    CHECK_EQ(folder_count(".weft-tmp"), 0);
                    CHECK_EQ(weft_checkpoint_load(t, in_folder("f.previous.safetensors"), &k),
                             WEFT_OK);
                    CHECK(steps_of(t) >= 1 && steps_of(t) <= 2);
                    if (!fault.hit) break;
                }
            }
    weft_state_free(one);
    weft_state_free(two);
    weft_state_free(three);
    weft_state_free(t);
}

TEST(loading_a_checkpoint) {
    weft_state *one = make(1), *two = make(2), *t = make(0);
    clear();
    const char *path = in_folder("f.safetensors");
    weft_checkpoint_save(one, path, NULL);
    weft_checkpoint_save(two, path, NULL);
    char kept[600];
    snprintf(kept, sizeof kept, "%s", path);
    for (int call = 0; call < CALL_COUNT; call++)
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            CASE("%s%s", call_name[call], for_ever ? " for ever" : "");
            for (long n = 1; n < 100; n++) {
                int32_t zero = 0;
                weft_state_set(t, "steps", &zero, sizeof zero);
                fault.on = true, fault.hit = false, fault.call = call, fault.error = EIO;
                fault.countdown = n, fault.for_ever = for_ever;
                weft_checkpoint k = {0};
                weft_err err = weft_checkpoint_load(t, kept, &k);
                fault.on = false;
                int32_t got = steps_of(t);
                if (err != WEFT_OK) CHECK_EQ(got, 0);
                else CHECK_EQ(got, k.from_previous ? 1 : 2);
                if (k.from_previous) CHECK_HAS(k.reason, "Input/output error");
                if (!fault.hit) break;
            }
        }
    weft_state_free(one);
    weft_state_free(two);
    weft_state_free(t);
}

/* No hard links here: the file is moved, and is there under one of its names at any time. */
TEST(without_hard_links) {
    weft_state *one = make(1), *two = make(2), *t = make(0);
    clear();
    const char *path = in_folder("f.safetensors");
    CHECK_EQ(weft_checkpoint_save(one, path, NULL), WEFT_OK);
    fault.on = true, fault.call = CALL_link, fault.error = EPERM, fault.countdown = 1;
    fault.for_ever = true;
    CHECK_EQ(weft_checkpoint_save(two, path, NULL), WEFT_OK);
    fault.on = false;
    weft_checkpoint k = {0};
    CHECK_EQ(weft_checkpoint_load(t, path, &k), WEFT_OK);
    CHECK_EQ(steps_of(t), 2);
    CHECK_EQ(weft_checkpoint_load(t, in_folder("f.previous.safetensors"), &k), WEFT_OK);
    CHECK_EQ(steps_of(t), 1);
    weft_state_free(one);
    weft_state_free(two);
    weft_state_free(t);
}

TEST(no_room) {
    weft_state *one = make(1), *t = make(0);
    clear();
    char path[600];
    snprintf(path, sizeof path, "%s", in_folder("f.safetensors"));
    CHECK_EQ(weft_checkpoint_save(one, path, NULL), WEFT_OK);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit, small;
    struct stat st;
    getrlimit(RLIMIT_FSIZE, &limit);
    CHECK_EQ(stat(path, &st), 0);
    /* writes are cut short, then refused */
    for (rlim_t room = 0; room < (rlim_t)st.st_size; room += (rlim_t)st.st_size / 9) {
        small = (struct rlimit){room, limit.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        weft_err e = weft_checkpoint_save(t, path, NULL);
        weft_err w = weft_file_write(c, in_folder("whole"), path, sizeof path);
        setrlimit(RLIMIT_FSIZE, &limit);
        CHECK_EQ(e, WEFT_FILE);
        CHECK_EQ(w, room < sizeof path ? WEFT_FILE : WEFT_OK);
        CHECK_EQ(folder_count(".weft-tmp"), 0);
        CHECK_EQ(weft_checkpoint_load(one, path, NULL), WEFT_OK);
        CHECK_EQ(steps_of(one), 1);
    }
    CHECK_EQ(weft_file_write(c, "/dev/full", "x", 1), WEFT_FILE);
    CHECK_HAS(weft_error(c), "not a regular file");
    CHECK(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
    CHECK_EQ(weft_file_write(c, "/proc/no-such-file", "x", 1), WEFT_FILE);
    CHECK_EQ(weft_file_write(c, "/no/such/folder/x", "x", 1), WEFT_FILE);
    weft_state_free(one);
    weft_state_free(t);
}

/* ---- allocations ---- */

typedef bool (*program)(char hash[65]);

static bool fill(weft_archive *a) {
    float f[40] = {1, 2, 3};
    char name[32];
    for (int i = 0; i < 20; i++) {
        sprintf(name, "layer.%d.weight", i * 7 % 20);
        if (weft_archive_put(a, &(weft_array){name, WEFT_FILE_F32, {2, {5, 8}}, f, sizeof f}))
            return false;
        sprintf(name, "key %d", i);
        if (weft_archive_text(a, name, "value")) return false;
    }
    return true;
}

static bool write_as(const char *name, const weft_write_desc *d, const char *open, char hash[65]) {
    weft_archive *a = weft_archive_new(c), *b = NULL;
    bool good = a && fill(a) && weft_archive_write(a, in_folder(name), d) == WEFT_OK &&
                (b = weft_archive_open(c, in_folder(open))) &&
                weft_archive_hash(b, hash) == WEFT_OK;
    weft_archive_free(a);
    weft_archive_free(b);
    return good;
}
static bool p_safetensors(char hash[65]) {
    return write_as("m.safetensors", NULL, "m.safetensors", hash);
}
static bool p_checksums(char hash[65]) {
    return write_as("m.safetensors", &(weft_write_desc){.checksums = true}, "m.safetensors", hash);
}
static bool p_shards(char hash[65]) {
    return write_as("s.safetensors", &(weft_write_desc){.max_shard_bytes = 400},
                    "s.safetensors.index.json", hash);
}
static bool p_npz(char hash[65]) {
    return write_as("m.npz", NULL, "m.npz", hash);
}
static bool p_npy(char hash[65]) {
    weft_archive *a = weft_archive_new(c), *b = NULL;
    bool good = a && !weft_archive_put(a, &(weft_array){"o", WEFT_FILE_I16, {1, {2}}, "abcd", 4}) &&
                !weft_archive_write(a, in_folder("o.npy"), NULL) &&
                (b = weft_archive_open(c, in_folder("o.npy"))) && !weft_archive_hash(b, hash);
    weft_archive_free(a);
    weft_archive_free(b);
    return good;
}
static bool p_fortran(char hash[65]) {
    static blob f;
    blob_npy(&f, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", 12);
    weft_archive *a = weft_archive_parse(c, f.s, f.n, "fortran");
    bool good = a && !weft_archive_hash(a, hash);
    weft_archive_free(a);
    return good;
}
static bool p_golden(char hash[65]) { /* deflated, by NumPy */
    weft_archive *a = weft_archive_open(c, "tests/golden/packed.npz");
    bool good = a && !weft_archive_hash(a, hash);
    weft_archive_free(a);
    return good;
}
static bool p_json(char hash[65]) {
    static char text[4000];
    size_t n = (size_t)sprintf(text, "{");
    for (int i = 0; i < 200; i++) n += (size_t)sprintf(text + n, "%s\"%d\":[{}]", i ? "," : "", i);
    sprintf(text + n, "}");
    strcpy(hash, "json");
    return weft_json_parse(c, text, strlen(text), "json").at != NULL;
}
static bool p_state(char hash[65]) {
    weft_state *s = weft_state_new(c), *t = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    bool good = false;
    weft_archive *a = weft_archive_new(c);
    if (s && t && g && a) {
        weft_state *both[] = {s, t};
        for (int i = 0; i < 2; i++) {
            weft_param(g, both[i], "w", weft_dims(3, 4), (weft_init){.kind = WEFT_INIT_ONES});
            weft_buffer(g, both[i], "b", WEFT_BOOL, weft_dims(3), (weft_init){0});
        }
        good = weft_graph_error(g) == WEFT_OK && !weft_state_save(s, a, NULL) &&
               !weft_archive_put(
                   a, &(weft_array){"w", WEFT_FILE_F64, {2, {3, 4}}, (double[12]){3}, 96});
        uint64_t before = good ? weft_state_hash(t) : 0;
        if (good && before) {
            good = !weft_state_load(t, a, NULL);
            if (!good) CHECK_EQ(weft_state_hash(t), before); /* nothing has changed */
        } else {
            good = false;
        }
        sprintf(hash, "%016llx", good ? (unsigned long long)weft_state_hash(t) : 0ull);
    }
    weft_archive_free(a);
    weft_graph_free(g);
    weft_state_free(s);
    weft_state_free(t);
    return good;
}
static weft_state *shared_state, *other_state;
static bool p_checkpoint(char hash[65]) {
    const char *path = in_folder("f.safetensors");
    weft_archive *extra = weft_archive_new(c), *back = weft_archive_new(c);
    weft_checkpoint k = {.extra = extra, .step = 5}, got = {.extra = back};
    int32_t n = 0;
    weft_state_set(other_state, "steps", &n, sizeof n);
    bool good = extra && back && fill(extra) && !weft_checkpoint_save(shared_state, path, &k) &&
                !weft_checkpoint_load(other_state, path, &got) && got.step == 5 &&
                !weft_archive_hash(back, hash);
    n = steps_of(other_state);
    if (good) CHECK_EQ(n, 1);
    else CHECK(n == 0 || n == 1);
    weft_archive_free(extra);
    weft_archive_free(back);
    return good;
}

TEST(every_allocation_may_fail) {
    static const struct {
        const char *name;
        program run;
    } row[] = {
        {"safetensors", p_safetensors},
        {"checksums", p_checksums},
        {"shards", p_shards},
        {"npz", p_npz},
        {"npy", p_npy},
        {"turned round", p_fortran},
        {"deflated", p_golden},
        {"JSON", p_json},
        {"state", p_state},
        {"checkpoint", p_checkpoint},
    };
    clear();
    shared_state = make(1), other_state = make(0);
    const long points = test_sanitized() && !test_long() ? 25 : LONG_MAX;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].name);
        char want[65] = "", got[65];
        size_t live = heap_of.live;
        heap_of.made = heap_of.fail_at = 0;
        if (!CHECK(row[i].run(want))) {
            puts(weft_error(c));
            continue;
        }
        CHECK_EQ(heap_of.live, live);
        long all = heap_of.made, stride = all > points ? all / points : 1;
        for (int kind = 0; kind < 2; kind++)
            for (long at = 1; at <= all; at += stride) {
                heap_of.made = 0, heap_of.failed = false;
                heap_of.fail_at = at, heap_of.for_ever = kind == 1;
                bool good = row[i].run(got);
                heap_of.fail_at = 0;
                CHECK(heap_of.failed || good);
                if (good) CHECK_STR(got, want);
                else if (!CHECK_EQ(weft_error_code(c), WEFT_MEMORY))
                    printf("     allocation %ld of %ld: %s\n", at, all, weft_error(c));
                if (!CHECK_EQ(heap_of.live, live)) printf("     allocation %ld of %ld\n", at, all);
            }
        CHECK_EQ(folder_count(".weft-tmp"), 0);
    }
    weft_state_free(shared_state);
    weft_state_free(other_state);
}
