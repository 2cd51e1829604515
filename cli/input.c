/* input.c - see input.h. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t input_asked_to_end;

static void input_on_signal(int signal) {
    (void)signal;
    input_asked_to_end = 1;
}

bool input_open(input *in, const char *path) {
    *in = (input){.file = STDIN_FILENO, .buffer = malloc(INPUT_LONGEST + 1)};
    if (!in->buffer) return false;
    if (strcmp(path, "-") != 0) in->file = open(path, O_RDONLY | O_CLOEXEC);
    if (in->file < 0) {
        const int why = errno;
        free(in->buffer);
        errno = why;
        return false;
    }
    struct sigaction end; /* once: a second Ctrl-C is the ordinary one. read returns at it */
    memset(&end, 0, sizeof end);
    end.sa_handler = input_on_signal;
    end.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    return true;
}

void input_close(input *in) {
    if (in->file > STDIN_FILENO) close(in->file);
    free(in->buffer);
}

/* More bytes behind those that are left. */
static input_got input_fill(input *in, FILE *to) {
    memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
    in->end -= in->begin;
    in->begin = 0;
    if (in->end > INPUT_LONGEST) return INPUT_TOO_LONG;
    fflush(to);
    for (;;) {
        if (input_asked_to_end) return INPUT_INTERRUPTED;
        const ssize_t got = read(in->file, in->buffer + in->end, INPUT_LONGEST + 1 - in->end);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return INPUT_FAILED;
        in->end += (size_t)got;
        in->ended = got == 0;
        return INPUT_LINE;
    }
}

input_got input_next(input *in, FILE *to, const char **line, size_t *n) {
    for (size_t looked = 0;;) {
        char *const at = in->buffer + in->begin;
        const size_t have = in->end - in->begin;
        const char *const stop = memchr(at + looked, '\n', have - looked);
        if (input_asked_to_end) return INPUT_INTERRUPTED;
        if (stop || (in->ended && have)) {
            *line = at;
            *n = stop ? (size_t)(stop - at) : have;
            in->begin += *n + (stop != NULL);
            return INPUT_LINE;
        }
        if (in->ended) return INPUT_END;
        looked = have;
        const input_got got = input_fill(in, to);
        if (got != INPUT_LINE) return got;
    }
}
