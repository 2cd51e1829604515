/* test_io_writers.c - several writers of one file, writers that died, and folders with links in them. */
#include "run_folder.h" /* first: it says which functions of the system are wanted */

#include "weft/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

/* Saves again and again; gives how many failed. */
static int saves(const char *path, double seconds) {
    weft_ctx *c = weft_open("null");
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_param(g, s, "w", weft_dims(64), (weft_init){WEFT_INIT_ONES, 0, 0});
    int bad = 0;
    for (const double end = weft_clock() + seconds; weft_clock() < end;)
        if (weft_checkpoint_save(s, path, NULL) != WEFT_OK && !bad++)
            printf("     %s\n", weft_error(c));
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    return bad;
}

static int count(const char *path, const char *part) {
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += strstr(e->d_name, part) != NULL;
    if (d) closedir(d);
    return n;
}

TEST(several_processes_save_to_one_path) {
    const run_folder f = run_make();
    const char *const path = run_path(&f, "latest.safetensors");
    enum { PROCESSES = 4 };
    pid_t child[PROCESSES];
    fflush(stdout);
    for (int i = 0; i < PROCESSES; i++)
        if (!(child[i] = fork())) _exit(saves(path, 1.5) > 0);
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        while (waitpid(child[i], &status, 0) < 0 && errno == EINTR) {
        }
        CHECK_EQ(status, 0);
    }
    CHECK_EQ(count(f.path, ".weft-tmp"), 0);
    CHECK_EQ(count(f.path, "latest.previous"), 1);
    run_remove(f.path);
}

/* A temporary belongs to whoever holds its lock, however the lock came to be. */
TEST(leftovers_go_and_living_temporaries_stay) {
    const run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    const char *const dead = run_path(&f, "a.00000001.weft-tmp");
    const int a = open(dead, O_CREAT | O_WRONLY, 0666);
    const char *const living = run_path(&f, "a.00000002.weft-tmp");
    const int b = open(living, O_CREAT | O_WRONLY, 0666);
    CHECK(a >= 0 && b >= 0 && flock(b, LOCK_EX) == 0);
    close(a);
    CHECK_EQ(symlink("nowhere", run_path(&f, "a.00000003.weft-tmp")), 0);
    CHECK_EQ(weft_file_write(c, run_path(&f, "a"), "x", 1), WEFT_OK);
    CHECK_EQ(count(f.path, "00000001"), 0);
    CHECK_EQ(count(f.path, "00000002"), 1);
    CHECK_EQ(count(f.path, "00000003"), 0);
    close(b);
    weft_close(c);
    run_remove(f.path);
}

TEST(no_link_is_followed_beneath_a_folder) {
    const run_folder f = run_make(), outside = run_make();
    weft_ctx *c = weft_open("null");
    weft_state *s = weft_state_new(c);
    char to[300], run[300], path[400];
    snprintf(run, sizeof run, "%s", run_path(&f, "run"));
    CHECK_EQ(mkdir(run, 0777), 0);
    CHECK_EQ(mkdir(run_path(&f, "run/below"), 0777), 0);
    CHECK_EQ(weft_file_write_beneath(c, run, "file", "a", 1), WEFT_OK);
    CHECK_EQ(weft_file_write_beneath(c, run, "below/file", "a", 1), WEFT_OK);
    snprintf(to, sizeof to, "%s", run_path(&outside, "victim"));
    CHECK_EQ(weft_file_write(c, to, "old", 3), WEFT_OK);
    CHECK_EQ(symlink(to, run_path(&f, "run/linked")), 0);
    CHECK_EQ(symlink(outside.path, run_path(&f, "run/folder")), 0);
    CHECK_EQ(symlink("absent", run_path(&f, "run/loose")), 0);
    static const char *const refused[] = {"linked", "folder/victim", "folder", "loose"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CASE("%s", refused[i]);
        CHECK_EQ(weft_file_write_beneath(c, run, refused[i], "new", 3), WEFT_FILE);
        CHECK_HAS(weft_error(c), "links are not followed there");
        snprintf(path, sizeof path, "%s/%s", run, refused[i]);
        CHECK_EQ(weft_checkpoint_save(s, path, &(weft_checkpoint){.beneath = run}), WEFT_FILE);
        CHECK_HAS(weft_error(c), "links are not followed there");
    }
    CASE("%s", "others");
    static const char *const upward[] = {"../x", "/tmp/x", "a/../x", "", "a//b", "./x"};
    for (size_t i = 0; i < sizeof upward / sizeof *upward; i++)
        CHECK_EQ(weft_file_write_beneath(c, run, upward[i], "new", 3), WEFT_ARGUMENT);
    CHECK_EQ(weft_file_write_beneath(c, run, "absent/file", "new", 3), WEFT_FILE);
    CHECK_EQ(weft_file_write_beneath(NULL, run, "file", "new", 3), WEFT_ARGUMENT);
    size_t n = 0;
    char *const victim = run_read(to, &n);
    CHECK_EQ(n, 3);
    free(victim);
    snprintf(path, sizeof path, "%s/folder/k.safetensors", run);
    weft_checkpoint k = {.beneath = run};
    CHECK_EQ(weft_checkpoint_save(s, path, NULL), WEFT_OK); /* by a path of the caller's */
    CHECK_EQ(weft_checkpoint_load(s, path, &k), WEFT_FILE);
    CHECK_EQ(weft_checkpoint_load(s, path, NULL), WEFT_OK);
    CHECK_EQ(weft_checkpoint_save(s, path, &(weft_checkpoint){.beneath = to}), WEFT_ARGUMENT);
    snprintf(path, sizeof path, "%s//below/k.safetensors", run);
    CHECK_EQ(weft_checkpoint_save(s, path, &k), WEFT_OK);
    CHECK_EQ(weft_checkpoint_load(s, path, &k), WEFT_OK);
    CHECK_STR(k.beneath, run);
    weft_state_free(s);
    weft_close(c);
    run_remove(f.path);
    run_remove(outside.path);
}

/* An archive of hundreds of shards needs a file each, and one folder. */
TEST(shards_share_their_folder) {
    const run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    weft_archive *a = weft_archive_new(c);
    enum { SHARDS = 500 };
    for (int i = 0; i < SHARDS; i++) {
        char name[16];
        const float x = (float)i;
        snprintf(name, sizeof name, "a%03d", i);
        weft_array one = {name, WEFT_FILE_F32, weft_dims(1), &x, sizeof x};
        CHECK_EQ(weft_archive_put(a, &one), WEFT_OK);
    }
    const weft_err e = weft_archive_write(a, run_path(&f, "m.safetensors"),
                                          &(weft_write_desc){.max_shard_bytes = 4});
    if (!CHECK_EQ(e, WEFT_OK)) printf("     %s\n", weft_error(c));
    CHECK_EQ(count(f.path, "-of-"), SHARDS);
    weft_archive_free(a);
    weft_close(c);
    run_remove(f.path);
}
