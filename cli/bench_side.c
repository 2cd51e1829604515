/* bench_side.c - starting such a program, talking with it over two pipes, and being rid of it.
 *
 * It ends when we do, however that comes. Linux sees to it; elsewhere it ends as soon as it reads
 * the end of its input, or writes to a pipe without a reader: it holds nothing of ours but its own
 * two ends. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "bench_side.h"

#include "tell.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

static void side_follow(pid_t parent) {
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(SIDE_NOT_RUN); /* it was too late to ask */
#else
    (void)parent;
#endif
}

static void side_become(const bench_side *s, const char *name, const bench_settings *how, bool ours,
                        int in, int out) {
    char number[16], batch[24], tokens[24];
    const char *words[16] = {s->program, "bench", name, "--turns", "--json"};
    int n = 5;
    snprintf(number, sizeof number, "%d", how->threads);
    if (how->threads) words[n++] = "--threads", words[n++] = number;
    snprintf(batch, sizeof batch, "%lld", (long long)how->batch);
    if (how->batch) words[n++] = "--batch", words[n++] = batch;
    snprintf(tokens, sizeof tokens, "%lld", (long long)how->tokens);
    if (how->tokens) words[n++] = "--tokens", words[n++] = tokens;
    if (how->device) words[n++] = "--device", words[n++] = how->device;
    if (how->quick) words[n++] = "--quick";
    if (!ours) unsetenv("WEFT_BENCH_SLOW");
    signal(SIGPIPE, SIG_DFL); /* we ignore it, and a new program would go on doing so */
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
        execvp(s->program, (char *const *)(uintptr_t)words);
    tell(stderr, "weft bench: %s: %s\n", s->program, strerror(errno));
    _exit(SIDE_NOT_RUN);
}

/* Both ends close themselves in a program that is started: else one side would hold the other's
 * input open, which then never ends. */
static bool side_pipe(int ends[2]) {
    if (pipe(ends) != 0) return false;
    return fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

bool side_start(bench_side *s, const char *program, const char *name, const bench_settings *how,
                bool ours) {
    int to[2], from[2];
    *s = (bench_side){.program = program};
    if (!side_pipe(to)) return false;
    if (!side_pipe(from)) {
        close(to[0]), close(to[1]);
        return false;
    }
    fflush(NULL);
    const pid_t us = getpid();
    s->pid = fork();
    if (s->pid == 0) side_follow(us);
    if (s->pid == 0) side_become(s, name, how, ours, to[0], from[1]);
    close(to[0]), close(from[1]);
    s->to = fdopen(to[1], "w");
    s->from = fdopen(from[0], "r");
    return s->pid > 0 && s->to && s->from;
}

side_news side_next(bench_side *s, weft_ctx *c) {
    side_news n = {.event = SIDE_END};
    if (!s->from || !fgets(s->line, sizeof s->line, s->from)) return n;
    n.json = weft_json_parse(c, s->line, strlen(s->line), s->program);
    n.us = weft_json_number(weft_json_get(n.json, "us"), -1);
    if (weft_json_bool(weft_json_get(n.json, "ready"), false)) n.event = SIDE_READY;
    else if (n.us >= 0) n.event = SIDE_SAMPLE;
    else if (weft_json_kind_of(weft_json_get(n.json, "line")) == WEFT_JSON_TEXT)
        n.event = SIDE_LINE;
    else n.event = SIDE_WRONG;
    return n;
}

void side_tell(bench_side *s, char letter) {
    fputc(letter, s->to);
    fflush(s->to);
}

int side_finish(bench_side *s, bool at_once) {
    const struct timespec moment = {.tv_nsec = 5000000};
    int status = 0, moments = at_once ? 0 : 1000; /* five seconds, then it is ended */
    pid_t ended = 0;
    if (s->to) fclose(s->to);
    if (s->from) fclose(s->from);
    while (s->pid > 0 && moments-- > 0 && (ended = waitpid(s->pid, &status, WNOHANG)) == 0)
        nanosleep(&moment, NULL);
    if (s->pid > 0 && ended == 0) {
        kill(s->pid, SIGKILL);
        waitpid(s->pid, &status, 0);
    }
    *s = (bench_side){.program = s->program};
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
