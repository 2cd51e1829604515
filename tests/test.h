/* test.h - the test harness: one binary per test file, nothing to configure.
 *
 *     #include "test.h"
 *
 *     TEST(softmax_sums_to_one) {
 *         for (int n = 1; n < 9; n++) {
 *             CASE("n %d", n);
 *             CHECK_NEAR(sum_of_softmax(n), 1, 1e-6);
 *         }
 *     }
 *
 * A TEST registers itself; link the file with test.c, which has main. A TEST counts as one, or, if
 * it opens cases, each CASE counts as one. A failing check prints where it stands, what it says and
 * the values, and the test goes on; every check yields whether it held, so `if (!CHECK(p)) return;`
 * leaves early. Values are given as (got, want).
 *
 * Checks may be made from any thread; everything else belongs to the thread that runs the test.
 * Relies on constructor functions, which gcc and clang have. Knows nothing of Weft. */
#ifndef WEFT_TEST_H
#define WEFT_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEST(name)                                                                                 \
    static void test_run_##name(void);                                                             \
    static test_entry test_entry_##name = {#name, test_run_##name, __LINE__, NULL};                \
    __attribute__((constructor)) static void test_add_##name(void) {                               \
        test_register(&test_entry_##name);                                                         \
    }                                                                                              \
    static void test_run_##name(void)

#define CASE(...) test_case(__VA_ARGS__) /* a printf-like label; closes the case before it */
#define SKIP(...)                                                                                  \
    do {                                                                                           \
        test_skip(__VA_ARGS__);                                                                    \
        return;                                                                                    \
    } while (0)

/* clang-format off */
#define CHECK(cond)               test_check(TEST_AT(#cond), (cond) ? true : false)
#define CHECK_EQ(a, b)            TEST_EQ(a, b)(TEST_AT(#a " == " #b), (a), (b)) /* NaN is NaN */
#define CHECK_NEAR(a, b, tol)     test_near(TEST_AT(#a " ~ " #b), (a), (b), (tol))
#define CHECK_STR(a, b)           test_str(TEST_AT(#a " is " #b), (a), (b))      /* NULL is NULL */
#define CHECK_HAS(text, part)     test_has(TEST_AT(#text " has " #part), (text), (part))
#define CHECK_MEM(a, b, bytes)    test_mem(TEST_AT(#a " same bytes as " #b), (a), (b), (bytes))
#define CHECK_ARRAY(a, b, n, tol) test_array(TEST_AT(#a " ~ " #b), (a), (b), (n), (tol))

/* Integers of any kind, or reals as soon as one side is. Pointers: CHECK(p == q). */
#define TEST_EQ(a, b)                                                                              \
    _Generic((a), float: test_eq_real, double: test_eq_real,                                       \
        default: _Generic((b), float: test_eq_real, double: test_eq_real, default: test_eq_int))
/* clang-format on */

/* What the macros stand on. */
typedef struct test_entry {
    const char *name;
    void (*run)(void);
    int line;
    struct test_entry *next;
} test_entry;

typedef struct test_at {
    const char *file, *text;
    int line;
} test_at;

#define TEST_AT(text) ((test_at){__FILE__, text, __LINE__})

void test_register(test_entry *e);
bool test_check(test_at at, bool held);
bool test_eq_int(test_at at, long long a, long long b);
bool test_eq_real(test_at at, double a, double b);
bool test_near(test_at at, double a, double b, double tol); /* |a - b| <= tol */
bool test_str(test_at at, const char *a, const char *b);
bool test_has(test_at at, const char *text, const char *part);
bool test_mem(test_at at, const void *a, const void *b, size_t bytes);
/* a (n), b (n); each |a - b| <= tol * max(1, |b|) */
bool test_array(test_at at, const float *a, const float *b, size_t n, double tol);
void test_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Marks the open case, or the test, as skipped. SKIP also leaves the test; in a loop over cases
 * call this and `continue`. */
void test_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

void test_count(int passed, int failed); /* adds results counted elsewhere                       */
bool test_long(void);                    /* whether WEFT_TEST_LONG asks for the slow variants    */
bool test_learn(void);                   /* whether WEFT_TEST_LEARN asks for a minute of training */
bool test_sanitized(void);               /* whether this is a sanitizer build, some 10 x slower  */
uint32_t test_random(void);              /* the same sequence in every run of a test             */
double test_uniform(double lo, double hi);

#endif
