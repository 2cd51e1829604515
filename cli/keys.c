/* keys.c - see keys.h. Signal handlers only leave a mark; all work is done where keys are read. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "keys.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int keys_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { KEYS_SIGNALS = sizeof keys_signals / sizeof *keys_signals };

/* Handlers reach nothing but what is global. */
static volatile sig_atomic_t keys_ending, keys_stopping;
static struct termios keys_before;
static struct sigaction keys_handlers[KEYS_SIGNALS];

static void keys_mark(int number) {
    if (number == SIGTSTP) keys_stopping = 1;
    else keys_ending = 1;
}

static bool keys_take(void) {
    struct termios now;
    if (tcgetattr(STDIN_FILENO, &keys_before) != 0) return false;
    now = keys_before;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    now.c_cc[VMIN] = 1, now.c_cc[VTIME] = 0;
    return tcsetattr(STDIN_FILENO, TCSADRAIN, &now) == 0;
}

static void keys_give(void) {
    tcsetattr(STDIN_FILENO, TCSADRAIN, &keys_before);
}

bool keys_open(void) {
    struct sigaction mark;
    memset(&mark, 0, sizeof mark);
    mark.sa_handler = keys_mark; /* no SA_RESTART: a wait for a key is to end */
    keys_ending = keys_stopping = 0;
    if (!isatty(STDIN_FILENO)) return false;
    for (int i = 0; i < KEYS_SIGNALS; i++) sigaction(keys_signals[i], &mark, &keys_handlers[i]);
    if (keys_take()) return true;
    for (int i = 0; i < KEYS_SIGNALS; i++) sigaction(keys_signals[i], &keys_handlers[i], NULL);
    return false;
}

void keys_close(void) {
    keys_give();
    for (int i = 0; i < KEYS_SIGNALS; i++) sigaction(keys_signals[i], &keys_handlers[i], NULL);
}

void keys_stop(void) {
    keys_stopping = 0;
    keys_give();
    raise(SIGSTOP);
    keys_take();
}

bool keys_interrupted(void) {
    return keys_ending != 0;
}

/* A byte, waiting at most so many milliseconds, below 0 for ever; KEYS_NONE: none came. A signal that
 * arrives between the look at its mark and the wait is seen a tenth of a second later. */
static int keys_byte(int wait) {
    for (;;) {
        struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
        unsigned char byte;
        if (keys_ending) return KEYS_END;
        if (keys_stopping) return KEYS_STOP;
        const int ready = poll(&in, 1, wait < 0 ? 100 : wait);
        if (ready == 0 && wait >= 0) return KEYS_NONE;
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const ssize_t n = ready > 0 ? read(STDIN_FILENO, &byte, 1) : -1;
        if (n == 1) return byte;
        if (n < 0 && errno == EINTR) continue;
        return KEYS_END;
    }
}

/* Arrows are three bytes: escape, [ or O, a letter. */
int keys_within(double seconds) {
    static const int arrow[] = {KEYS_UP, KEYS_DOWN, KEYS_RIGHT, KEYS_LEFT};
    const int first = keys_byte(seconds < 0 ? -1 : (int)(1000 * seconds));
    if (first == 4) return KEYS_END; /* Ctrl-D */
    if (first != 27) return first;
    const int second = keys_byte(50);
    if (second != '[' && second != 'O') return 27;
    const int third = keys_byte(50);
    return third >= 'A' && third <= 'D' ? arrow[third - 'A'] : 27;
}

int keys_next(void) {
    return keys_within(-1);
}
