/* test_kill_checkpoint.c - a process that writes checkpoints is killed at a random instant, again
 * and again. Whatever is left must load, be one whole state that was saved, and not be older than
 * what was there before; and loading leaves no temporary file. 60 kills, or 1,000 with
 * WEFT_TEST_LONG. */
#include "io_world.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { VALUES = 20000 };
static weft_ctx *c;

static weft_state *make(void) {
    if (!c) c = weft_open_with(&(weft_open_desc){.threads = 1});
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_param(g, s, "weight", weft_dims(VALUES), (weft_init){0});
    weft_buffer(g, s, "optim.step", WEFT_I32, WEFT_0D, (weft_init){0});
    weft_graph_free(g);
    return s;
}

/* The state of a step is told apart from all others by each of its values. */
static float value_at(int64_t step, int i) {
    return (float)(step % 10007) + (float)(i % 97) / 128;
}

static void set_step(weft_state *s, int64_t step) {
    static float w[VALUES];
    int32_t n = (int32_t)step;
    for (int i = 0; i < VALUES; i++) w[i] = value_at(step, i);
    weft_state_set(s, "weight", w, sizeof w);
    weft_state_set(s, "optim.step", &n, sizeof n);
}

static bool is_step(weft_state *s, int64_t step) {
    static float w[VALUES];
    int32_t n = -1;
    weft_state_get(s, "weight", w, sizeof w);
    weft_state_get(s, "optim.step", &n, sizeof n);
    for (int i = 0; i < VALUES; i++)
        if (w[i] != value_at(step, i)) return false;
    return n == step;
}

static void pause_for(long microseconds) {
    struct timespec t = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&t, NULL);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* Says that it has begun, and writes until it is killed. */
static void child(weft_state *s, const char *path, int64_t step, int ready) {
    if (write(ready, "", 1) != 1) _exit(1);
    for (;;) {
        set_step(s, ++step);
        weft_checkpoint k = {.step = step, .data_index = 3 * step};
        if (weft_checkpoint_save(s, path, &k) != WEFT_OK) _exit(1);
    }
}

TEST(killed_at_any_instant) {
    const int kills = test_long() ? 1000 : 60;
    weft_state *s = make(), *t = make();
    char path[600], previous[600];
    snprintf(path, sizeof path, "%s", in_folder("run.safetensors"));
    snprintf(previous, sizeof previous, "%s", in_folder("run.previous.safetensors"));
    set_step(s, 0);
    double begun = now();
    for (int i = 0; i < 3; i++) CHECK_EQ(weft_checkpoint_save(s, path, NULL), WEFT_OK);
    const long longest = 1 + (long)(3 * (now() - begun)); /* time for some nine of them */
    int64_t step = 0;
    int interrupted = 0, advanced = 0;
    for (int i = 0; i < kills; i++) {
        int ends[2];
        char byte;
        if (!CHECK_EQ(pipe(ends), 0)) return;
        pid_t pid = fork();
        if (pid == 0) child(s, path, step, ends[1]);
        if (!CHECK(pid > 0) || !CHECK_EQ(read(ends[0], &byte, 1), 1)) return;
        close(ends[0]), close(ends[1]);
        pause_for((long)(test_random() % (uint32_t)longest));
        kill(pid, SIGKILL);
        int status;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        if (!CHECK(WIFSIGNALED(status))) return; /* it must not have ended by itself */
        interrupted += folder_count(".weft-tmp") > 0;
        weft_checkpoint k = {0};
        if (!CHECK_EQ(weft_checkpoint_load(t, path, &k), WEFT_OK)) {
            printf("     kill %d: %s\n", i, weft_error(c));
            return;
        }
        CHECK(!k.from_previous); /* a rename is whole or not at all */
        CHECK(k.step >= step);
        CHECK_EQ(k.data_index, 3 * k.step);
        CHECK(is_step(t, k.step));
        CHECK_EQ(folder_count(".weft-tmp"), 0);
        advanced += k.step > step;
        step = k.step;
        if (access(previous, F_OK) != 0) continue;
        CHECK_EQ(weft_checkpoint_load(t, previous, &k), WEFT_OK);
        CHECK(k.step <= step && k.step >= step - 1);
        CHECK(is_step(t, k.step));
    }
    /* or the kills came at the wrong times; sanitizers slow down everything but writing */
    if (!test_sanitized()) CHECK(interrupted > kills / 20);
    CHECK(advanced > 0);
    printf("     %d kills, %d in the middle of a file, %lld checkpoints\n", kills, interrupted,
           (long long)step);
    weft_state_free(s);
    weft_state_free(t);
}
