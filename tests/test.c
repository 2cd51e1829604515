/* test.c - runs the tests of one binary, counts them and prints the totals.
 *
 * A unit is what counts as one: a TEST, or a CASE of it. Failed checks are counted atomically,
 * since tests of the thread pool check from its threads; a unit is opened and closed by the main
 * thread only. Memory is static, so a leak reported at exit is never the harness's. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "test.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED true
#endif
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED false
#endif

enum { MESSAGES_PER_UNIT = 5 };

static struct {
    test_entry *first, *now;
    char label[200]; /* of the open case; empty before the first */
    bool cases, skipped;
    atomic_int wrong; /* failed checks of the open unit */
    int passed, failed, skips;
    uint32_t random;
} test;

/* By line, so that the order is that of the file whatever the order of constructors. */
void test_register(test_entry *e) {
    test_entry **at = &test.first;
    while (*at && (*at)->line <= e->line) at = &(*at)->next;
    e->next = *at;
    *at = e;
}

static bool report(test_at at, bool held, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool report(test_at at, bool held, const char *format, ...) {
    if (held) return true;
    int n = atomic_fetch_add(&test.wrong, 1);
    if (n >= MESSAGES_PER_UNIT) return false;
    char values[800];
    va_list args;
    va_start(args, format);
    vsnprintf(values, sizeof values, format, args);
    va_end(args);
    printf("FAIL %s%s%s: %s:%d: %s%s%s\n", test.now ? test.now->name : "?",
           *test.label ? " / " : "", test.label, at.file, at.line, at.text,
           *values ? "\n     " : "", values);
    return false;
}

bool test_check(test_at at, bool held) {
    return report(at, held, "%s", "");
}

bool test_eq_int(test_at at, long long a, long long b) {
    return report(at, a == b, "got %lld (0x%llx), want %lld (0x%llx)", a, (unsigned long long)a, b,
                  (unsigned long long)b);
}

/* Equal infinities differ by NaN, hence the first test. */
static bool within(double a, double b, double tol) {
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tol;
}

bool test_eq_real(test_at at, double a, double b) {
    return report(at, within(a, b, 0), "got %.17g, want %.17g", a, b);
}

bool test_near(test_at at, double a, double b, double tol) {
    return report(at, within(a, b, tol), "got %.9g, want %.9g, off by %.3g, allowed %.3g", a, b,
                  fabs(a - b), tol);
}

bool test_str(test_at at, const char *a, const char *b) {
    bool same = a && b ? strcmp(a, b) == 0 : a == b;
    return report(at, same, "got \"%s\"\n     want \"%s\"", a ? a : "(null)", b ? b : "(null)");
}

bool test_has(test_at at, const char *text, const char *part) {
    bool has = text && part && strstr(text, part);
    return report(at, has, "got \"%s\"\n     want in it \"%s\"", text ? text : "(null)",
                  part ? part : "(null)");
}

bool test_mem(test_at at, const void *a, const void *b, size_t bytes) {
    const unsigned char *p = a, *q = b;
    size_t i = 0;
    while (i < bytes && p[i] == q[i]) i++;
    if (i == bytes) return true;
    return report(at, false, "byte %zu of %zu: got 0x%02x, want 0x%02x", i, bytes, p[i], q[i]);
}

bool test_array(test_at at, const float *a, const float *b, size_t n, double tol) {
    size_t wrong = 0, worst = 0;
    double most = -1;
    for (size_t i = 0; i < n; i++) {
        double size = isinf(b[i]) ? 0 : fmax(1, fabs((double)b[i])); /* inf is near inf alone */
        if (within(a[i], b[i], tol * size)) continue;
        double off = fabs((double)a[i] - b[i]);
        if (isnan(off)) off = INFINITY;
        wrong++;
        if (off > most) most = off, worst = i;
    }
    if (!wrong) return true;
    return report(at, false, "%zu of %zu differ, most at [%zu]: got %.9g, want %.9g, off by %.3g",
                  wrong, n, worst, a[worst], b[worst], most);
}

/* Counts the open unit. What precedes the first case of a test counts only if it went wrong. */
static void unit_end(bool before_first_case) {
    int wrong = atomic_exchange(&test.wrong, 0);
    if (wrong > MESSAGES_PER_UNIT)
        printf("     and %d more in this one\n", wrong - MESSAGES_PER_UNIT);
    if (wrong) test.failed++;
    else if (test.skipped) test.skips++;
    else if (!before_first_case) test.passed++;
    test.skipped = false;
}

void test_case(const char *format, ...) {
    unit_end(!test.cases);
    test.cases = true;
    va_list args;
    va_start(args, format);
    vsnprintf(test.label, sizeof test.label, format, args);
    va_end(args);
}

void test_skip(const char *format, ...) {
    test.skipped = true;
    printf("skip %s%s%s: ", test.now->name, *test.label ? " / " : "", test.label);
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

void test_count(int passed, int failed) {
    test.passed += passed;
    test.failed += failed;
}

static bool test_asked(const char *variable) {
    const char *v = getenv(variable);
    return v && *v && strcmp(v, "0") != 0;
}

bool test_long(void) {
    return test_asked("WEFT_TEST_LONG");
}

bool test_learn(void) {
    return test_asked("WEFT_TEST_LEARN");
}

bool test_sanitized(void) {
    return TEST_SANITIZED;
}

uint32_t test_random(void) {
    /* Weyl sequence through an integer hash: short, and good enough for making up inputs. */
    uint32_t x = test.random += 0x9e3779b9u;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

double test_uniform(double lo, double hi) {
    return lo + (hi - lo) * (test_random() * 0x1p-32);
}

/* Only write(2) is safe here. Sanitizers print the stack themselves and are left to it. */
static void crashed(int sig) {
    static const char text[] = "crashed in ", slash[] = " / ";
    ssize_t n = write(1, text, sizeof text - 1);
    if (test.now) n += write(1, test.now->name, strlen(test.now->name));
    if (*test.label) {
        n += write(1, slash, sizeof slash - 1);
        n += write(1, test.label, strlen(test.label));
    }
    n += write(1, "\n", 1);
    (void)n;
    signal(sig, SIG_DFL);
    raise(sig);
}

static double seconds(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(test_entry *e, bool verbose) {
    double start = seconds();
    int failed = test.failed;
    test.now = e;
    test.cases = test.skipped = false;
    test.label[0] = 0;
    test.random = 1;
    e->run();
    unit_end(false);
    if (verbose)
        printf("%s %s %.0f ms\n", test.failed > failed ? "FAIL" : "ok  ", e->name,
               1e3 * (seconds() - start));
}

int main(int argc, char **argv) {
    const char *filter = "";
    bool list = false, verbose = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) list = true;
        else if (strcmp(argv[i], "-v") == 0) verbose = true;
        else if (argv[i][0] != '-') filter = argv[i];
        else return fprintf(stderr, "usage: %s [-v] [--list] [part of a name]\n", argv[0]), 2;
    }
    /* Whole lines come out before a crash, and in order with what a child process prints. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (!TEST_SANITIZED) {
        const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
        for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], crashed);
    }
    int chosen = 0;
    for (test_entry *e = test.first; e; e = e->next) {
        if (!strstr(e->name, filter)) continue;
        chosen++;
        if (list) printf("%s\n", e->name);
        else run(e, verbose);
    }
    if (!chosen && *filter) return fprintf(stderr, "no test has \"%s\" in its name\n", filter), 2;
    if (list) return 0;
    printf("%d passed, %d failed", test.passed, test.failed);
    if (test.skips) printf(", %d skipped", test.skips);
    printf("\n");
    return test.failed > 0;
}
