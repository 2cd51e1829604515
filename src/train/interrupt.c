/* interrupt.c - Ctrl-C and a request to terminate become a flag that the loop polls.
 *
 * A signal has no user pointer, so this is the one flag of the library outside a context. It
 * is touched only between catch and release, and release puts the program's own handlers back. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "train_parts.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t interrupt_seen;
static struct sigaction interrupt_before[2];
static const int interrupt_signals[2] = {SIGINT, SIGTERM};

static void interrupt_note(int number) {
    (void)number;
    interrupt_seen = 1;
}

void train_interrupt_catch(void) {
    struct sigaction once;
    memset(&once, 0, sizeof once);
    once.sa_handler = interrupt_note;
    once.sa_flags = (int)SA_RESETHAND; /* the second one is not caught */
    sigemptyset(&once.sa_mask);
    interrupt_seen = 0;
    for (int i = 0; i < 2; i++) sigaction(interrupt_signals[i], &once, &interrupt_before[i]);
}

void train_interrupt_release(void) {
    for (int i = 0; i < 2; i++) sigaction(interrupt_signals[i], &interrupt_before[i], NULL);
}

bool train_interrupted(void) {
    return interrupt_seen != 0;
}
