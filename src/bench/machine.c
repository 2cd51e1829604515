/* machine.c - what figures of one machine have in common: the processor's name, its cores, the
 * vectors in use. Nothing that a new start or a busy hour changes. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "base/sha256.h"
#include <weft/bench.h>
#include <weft/io.h>

#include <stdio.h>
#include <string.h>
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

static void machine_cpu(char *out, size_t bytes) {
    snprintf(out, bytes, "unknown");
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (f && fgets(line, sizeof line, f)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        value += 1 + strspn(value + 1, " \t");
        snprintf(out, bytes, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (f) fclose(f);
}

static int machine_cores(void) {
#if defined(_SC_NPROCESSORS_ONLN)
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
#else
    return 1;
#endif
}

void weft_machine_of(const weft_ctx *c, weft_machine *out) {
    *out = (weft_machine){.cores = machine_cores()};
    machine_cpu(out->cpu, sizeof out->cpu);
    snprintf(out->isa, sizeof out->isa, "%s", weft_device_isa(c));
    char all[160], hash[65];
    snprintf(all, sizeof all, "%s|%d|%s", out->cpu, out->cores, out->isa);
    sha256_of(all, strlen(all), hash);
    snprintf(out->key, sizeof out->key, "%.16s", hash);
}
