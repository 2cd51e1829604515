/* golden.h - reads the fixtures that tools/golden writes: a line with a name and extents, then a line
 * with the values. Tests run from the root of the repository, as the runner does. */
#ifndef WEFT_TEST_GOLDEN_H
#define WEFT_TEST_GOLDEN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct golden {
    int rank;
    int64_t dim[8];
    size_t n;
    float *v; /* free it */
} golden;

/* Finds `name` in a fixture; v is NULL if it is not there. */
static inline golden golden_read(const char *fixture, const char *name) {
    golden g = {0};
    char path[200], *line = NULL, *at;
    size_t room = 0, length = strlen(name);
    snprintf(path, sizeof path, "tests/golden/%s.txt", fixture);
    FILE *f = fopen(path, "r");
    while (f && getline(&line, &room, f) > 0) {
        if (strncmp(line, name, length) || (line[length] != ' ' && line[length] != '\n')) continue;
        g.n = 1;
        for (at = line + length; *at == ' ' && g.rank < 8;) {
            g.dim[g.rank] = strtoll(at, &at, 10);
            g.n *= (size_t)g.dim[g.rank++];
        }
        g.v = malloc((g.n + 1) * sizeof *g.v);
        if (!g.v || getline(&line, &room, f) <= 0) break;
        at = line;
        for (size_t i = 0; i < g.n; i++) g.v[i] = strtof(at, &at);
        break;
    }
    free(line);
    if (f) fclose(f);
    return g;
}

#endif
