/* env.c - the environments by name. */
#include "rl/tables.h"

#include <stdio.h>
#include <string.h>

static const weft_env *const env_all[] = {
#define X(table) &table,
    ENV_TABLES(X)
#undef X
};
enum { ENV_COUNT = sizeof env_all / sizeof *env_all };

const weft_env *weft_env_at(int i) {
    return i >= 0 && i < ENV_COUNT ? env_all[i] : NULL;
}

const weft_env *weft_env_named(weft_ctx *c, const char *name) {
    char known[200] = "";
    size_t n = 0;
    for (int i = 0; i < ENV_COUNT; i++) {
        if (name && strcmp(env_all[i]->name, name) == 0) return env_all[i];
        const int more =
            snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", env_all[i]->name);
        if (more > 0 && n + (size_t)more < sizeof known) n += (size_t)more;
    }
    weft_fail(c, WEFT_ARGUMENT, "unknown environment \"%s\"; available: %s", name ? name : "(NULL)",
              known);
    return NULL;
}

uint32_t weft_env_legal(const weft_env *e, const void *instance) {
    return e->legal ? e->legal(instance) : (uint32_t)((uint64_t)1 << e->actions) - 1;
}
