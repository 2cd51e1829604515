/* test_train_lock.c - one training at a time in a folder: who holds the lock, and what frees it. */
#include "run_folder.h" /* first: it says which functions of the system are wanted */

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static weft_err one_step(void *user, int64_t step, weft_metrics *m) {
    (void)user, (void)step;
    weft_metric(m, "train/loss", 1);
    return WEFT_OK;
}

static weft_err trains(weft_ctx *c, const char *run, weft_run_lock *lock, bool resume) {
    weft_state *s = weft_state_new(c);
    const weft_err e =
        weft_train(s,
                   &(weft_train_desc){
                       .step = one_step, .run = run, .lock = lock, .steps = 3, .resume = resume},
                   NULL);
    weft_state_free(s);
    return e;
}

TEST(another_is_told_who_holds_it) {
    const run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    char run[300], who[60];
    snprintf(run, sizeof run, "%s", run_path(&f, "a/b/run"));
    weft_run_lock *first = weft_run_lock_take(c, run);
    if (!CHECK(first)) return;
    snprintf(who, sizeof who, "process %ld on ", (long)getpid());
    CHECK(!weft_run_lock_take(c, run));
    CHECK_EQ(weft_error_code(c), WEFT_STATE);
    CHECK_HAS(weft_error(c), who);
    CHECK_HAS(weft_error(c), "b/run: another training run is using it");
    CHECK_EQ(trains(c, run, NULL, false), WEFT_STATE);
    CHECK_EQ(trains(c, run, NULL, true), WEFT_STATE);
    CHECK(access(run_path(&f, "a/b/run/status.json"), F_OK) != 0); /* nothing was touched */
    CHECK_EQ(trains(c, run, first, false), WEFT_OK);
    CHECK(!weft_run_lock_take(c, run)); /* the caller's lock is the caller's */
    weft_run_lock_drop(first);
    CHECK(access(run_path(&f, "a/b/run/lock"), F_OK) != 0);
    CHECK_EQ(trains(c, run, NULL, true), WEFT_OK);
    CHECK(access(run_path(&f, "a/b/run/lock"), F_OK) != 0);
    weft_close(c);
    run_remove(f.path);
}

TEST(it_ends_with_its_process) {
    const run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    char run[300];
    int ready[2];
    snprintf(run, sizeof run, "%s", run_path(&f, "run"));
    if (!CHECK_EQ(pipe(ready), 0)) return;
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        weft_run_lock *l = weft_run_lock_take(weft_open("null"), run);
        const bool told = write(ready[1], l ? "y" : "n", 1) == 1;
        if (told) pause();
        _exit(0);
    }
    char answer = 0;
    CHECK_EQ(read(ready[0], &answer, 1), 1);
    CHECK_EQ(answer, 'y');
    char who[60];
    snprintf(who, sizeof who, "process %ld on ", (long)child);
    CHECK(!weft_run_lock_take(c, run));
    CHECK_HAS(weft_error(c), who);
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    weft_run_lock *l = weft_run_lock_take(c, run); /* the file is still there, the lock is not */
    CHECK(l);
    weft_run_lock_drop(l);
    close(ready[0]), close(ready[1]);
    weft_close(c);
    run_remove(f.path);
}

/* Many at once, each for a moment: never two of them. */
TEST(only_one_of_many) {
    const run_folder f = run_make();
    char run[300], mark[320];
    snprintf(run, sizeof run, "%s", run_path(&f, "x/run"));
    snprintf(mark, sizeof mark, "%s", run_path(&f, "mark"));
    enum { MANY = 6, ROUNDS = 150 };
    pid_t child[MANY];
    fflush(stdout);
    for (int i = 0; i < MANY; i++) {
        if ((child[i] = fork())) continue;
        weft_ctx *c = weft_open("null");
        int taken = 0, wrong = 0;
        for (int k = 0; k < ROUNDS; k++) {
            weft_run_lock *l = weft_run_lock_take(c, run);
            if (!l && weft_error_code(c) != WEFT_STATE) wrong++;
            if (!l) continue;
            taken++;
            if (mkdir(mark, 0777) != 0) wrong++; /* somebody else is inside */
            if (rmdir(mark) != 0) wrong++;
            weft_run_lock_drop(l);
        }
        if (wrong) printf("     %d of %d, %s\n", wrong, taken, weft_error(c));
        fflush(stdout);
        _exit(wrong > 0);
    }
    for (int i = 0; i < MANY; i++) {
        int status = -1;
        while (waitpid(child[i], &status, 0) < 0 && errno == EINTR) {
        }
        CHECK_EQ(status, 0);
    }
    CHECK(access(run_path(&f, "x/run/lock"), F_OK) != 0);
    run_remove(f.path);
}

TEST(what_cannot_be_locked_says_why) {
    const run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    CHECK(!weft_run_lock_take(NULL, "x") && !weft_run_lock_take(c, NULL) &&
          !weft_run_lock_take(c, ""));
    CHECK_EQ(weft_error_code(c), WEFT_ARGUMENT);
    weft_run_lock_drop(NULL);
    CHECK_EQ(mkdir(run_path(&f, "run"), 0777), 0);
    FILE *victim = fopen(run_path(&f, "victim"), "w");
    CHECK(victim && fclose(victim) == 0);
    CHECK_EQ(symlink("../victim", run_path(&f, "run/lock")), 0);
    CHECK(!weft_run_lock_take(c, run_path(&f, "run")));
    CHECK_HAS(weft_error(c), "links are not followed");
    CHECK(!weft_run_lock_take(c, run_path(&f, "victim")));
    CHECK_HAS(weft_error(c), "not a folder");
    weft_close(c);
    run_remove(f.path);
}
