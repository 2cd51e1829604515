/* driver.c - runs a fuzz target without libFuzzer: its seeds, and changes of them that are the same
 * every time.
 *
 *     fuzz_NAME            seeds/NAME, then RUNS changed inputs (ten times that in long tests)
 *     fuzz_NAME FILE...    just these files, to look at a finding
 *
 * It has no feedback and will not find what libFuzzer finds; it keeps the targets compiling and
 * catches what is plain. A change is a few small steps: bits, bytes, numbers, pieces moved, cut or
 * taken from another seed. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "fuzz.h"

#include <dirent.h>

/* In long tests there are ten times as many, but not for ThreadSanitizer: a parser is one thread. */
#ifdef __SANITIZE_THREAD__
enum { LONGER = 1 };
#else
enum { LONGER = 10 };
#endif
enum { RUNS = 20000, MOST = 1 << 16, SEEDS = 64 };

typedef struct input {
    uint8_t *s;
    size_t n;
} input;

static input seed[SEEDS];
static size_t seeds;
static uint64_t stream = 0x9e3779b97f4a7c15ull;

static size_t below(size_t n) {
    stream ^= stream << 13, stream ^= stream >> 7, stream ^= stream << 17;
    return n ? (size_t)((stream >> 11) % n) : 0;
}

static input read_file(const char *path) {
    input i = {malloc(MOST), 0};
    FILE *f = fopen(path, "rb");
    fuzz_must(i.s && f, path);
    i.n = fread(i.s, 1, MOST, f);
    fclose(f);
    return i;
}

/* From an exact copy, so that a sanitizer sees a byte too far. */
static void run(const uint8_t *p, size_t n) {
    uint8_t *exact = malloc(n ? n : 1);
    fuzz_must(exact != NULL, "out of memory");
    if (n) memcpy(exact, p, n);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

static void change(input *i) {
    static const uint64_t numbers[] = {0,          1,          0x7f,       0xff,
                                       0x7fff,     0xffff,     0x7fffffff, 0xffffffff,
                                       0x80000000, UINT64_MAX, INT64_MAX,  1ull << 32};
    static const char *const words[] = {"\"", "{", "}", "[", "]", ",", ":",   "-",  "\\u", "null",
                                        "PK", "(", ")", "'", "0", "9", "1e9", "..", "/",   "\n"};
    size_t at = below(i->n + 1), n, from;
    switch (i->n ? below(9) : 7) {
    case 0: i->s[at % i->n] ^= (uint8_t)(1u << below(8)); break;
    case 1: i->s[at % i->n] = (uint8_t)below(256); break;
    case 2: i->s[at % i->n] = (uint8_t)(i->s[at % i->n] + below(9) - 4); break;
    case 3: i->n = at; break;
    case 4: { /* a number of 1, 2, 4 or 8 bytes */
        uint64_t v = numbers[below(sizeof numbers / sizeof *numbers)] + below(3) - 1;
        n = (size_t)1 << below(4);
        if (n <= i->n - at) memcpy(i->s + at, &v, n);
        break;
    }
    case 5: /* a piece goes */
        n = below(16 < i->n - at ? 16 : i->n - at);
        memmove(i->s + at, i->s + at + n, i->n - at - n);
        i->n -= n;
        break;
    case 6: /* a piece comes twice */
        n = below(i->n - at);
        if (n > MOST - i->n) break;
        memmove(i->s + at + n, i->s + at, i->n - at);
        i->n += n;
        break;
    case 7: { /* a word is put in */
        const char *word = words[below(sizeof words / sizeof *words)];
        n = strlen(word);
        if (n > MOST - i->n) break;
        memmove(i->s + at + n, i->s + at, i->n - at);
        memcpy(i->s + at, word, n);
        i->n += n;
        break;
    }
    default: { /* a piece of another */
        const input *o = &seed[below(seeds)];
        from = below(o->n);
        n = below(o->n - from);
        if (n > i->n - at) n = i->n - at;
        memcpy(i->s + at, o->s + from, n);
    }
    }
}

static void read_seeds(const char *program) {
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    char folder[300], path[600];
    snprintf(folder, sizeof folder, "tests/fuzz/seeds/%.200s",
             strncmp(name, "fuzz_", 5) ? name : name + 5);
    struct dirent **list = NULL;
    int n = scandir(folder, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (list[i]->d_name[0] != '.' && seeds < SEEDS - 1) {
            snprintf(path, sizeof path, "%s/%.250s", folder, list[i]->d_name);
            seed[seeds++] = read_file(path);
        }
        free(list[i]);
    }
    free(list);
    if (!seeds) seed[seeds++] = (input){malloc(1), 0};
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        input f = read_file(argv[i]);
        run(f.s, f.n);
        free(f.s);
    }
    if (argc > 1) return 0;
    read_seeds(argv[0]);
    const char *slow = getenv("WEFT_TEST_LONG");
    const long runs = slow && *slow && *slow != '0' ? (long)LONGER * RUNS : RUNS;
    input i = {malloc(MOST), 0};
    fuzz_must(i.s != NULL, "out of memory");
    for (size_t k = 0; k < seeds; k++) run(seed[k].s, seed[k].n);
    for (long k = 0; k < runs; k++) {
        const input *from = &seed[below(seeds)];
        i.n = from->n;
        memcpy(i.s, from->s, from->n);
        for (size_t steps = 1 + below(4); steps; steps--) change(&i);
        run(i.s, i.n);
    }
    printf("%zu seeds, %ld changed inputs\n", seeds, runs);
    for (size_t k = 0; k < seeds; k++) free(seed[k].s);
    free(i.s);
    return 0;
}
