/* nearest.c - counts the slips between what was typed and a name: a letter too many, missing,
 * wrong, or two in the wrong order. */
#include "nearest.h"

#include "tell.h"

#include <stdio.h>
#include <string.h>

enum { NEAREST_LONGEST = 40 };

static int nearest_least(int a, int b) {
    return a < b ? a : b;
}

static int nearest_slips(const char *a, int n, const char *b, int m) {
    int row[3][NEAREST_LONGEST + 1]; /* of the last three letters of a */
    for (int k = 0; k <= m; k++) row[0][k] = k;
    for (int i = 1; i <= n; i++) {
        int *const now = row[i % 3], *const before = row[(i + 2) % 3];
        now[0] = i;
        for (int k = 1; k <= m; k++) {
            const int other = before[k - 1] + (a[i - 1] != b[k - 1]);
            now[k] = nearest_least(other, 1 + nearest_least(before[k], now[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                now[k] = nearest_least(now[k], row[(i + 1) % 3][k - 2] + 1);
        }
    }
    return row[n % 3][m];
}

nearest nearest_to(const char *typed, int length) {
    return (nearest){.typed = typed, .length = length};
}

void nearest_offer(nearest *n, const char *name) {
    const int length = (int)strlen(name);
    if (n->length < 2 || n->length > NEAREST_LONGEST || length > NEAREST_LONGEST) return;
    const int allowed = n->length < 5 ? 1 : 2;
    int distance = nearest_slips(n->typed, n->length, name, length);
    if (distance > allowed && strncmp(n->typed, name, (size_t)n->length) == 0)
        distance = allowed; /* a beginning */
    if (distance > allowed || (n->best && distance >= n->distance)) return;
    n->best = name;
    n->distance = distance;
}

void nearest_ask(const nearest *n, const char *before) {
    if (n->best) tell(stderr, "did you mean %s%s? ", before, n->best);
}
