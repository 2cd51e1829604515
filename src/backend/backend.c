/* backend.c - the list of devices, and which of them a name means. */
#include "backend/backend.h"

const weft_backend *backend_find(const char *name) {
    /* clang-format off */
    static const struct { const char *name; const weft_backend *is; } list[] = {
        { "auto", &backend_cpu },
        { "best", &backend_cpu },
        { "cpu",  &backend_cpu },
        { "ref",  &backend_ref },
        { "null", &backend_null },
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(name, list[i].name) == 0) return list[i].is;
    return NULL;
}
