/* doctor.c - weft doctor: what this machine is and what the library makes of it.
 *
 * Libraries are opened only to see whether they are there and which they are; the engine needs none
 * of them. What a system does not tell is left out. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "command.h"
#include "environment.h"
#include "json.h"
#include "library.h"
#include <weft/bench.h>

#include <weft/weft.h>

#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32)
#include <unistd.h>
#endif

/* Name, names of its file, the function that finds its version, what it brings. */
#define DOCTOR_LIBRARIES(X)                                                                        \
    X("OpenBLAS", "libopenblas.so.0 libopenblas.so libopenblas.dylib", doctor_openblas,            \
      "comparison in weft bench gemm")                                                             \
    X("CUDA driver", "libcuda.so.1", doctor_cuda, "NVIDIA GPUs")                                   \
    X("NVRTC", "libnvrtc.so.13 libnvrtc.so.12 libnvrtc.so.11.2 libnvrtc.so", doctor_nvrtc,         \
      "compiles CUDA kernels at run time")                                                         \
    X("cuBLASLt", "libcublasLt.so.13 libcublasLt.so.12 libcublasLt.so.11", doctor_cublaslt,        \
      "matrix products on NVIDIA GPUs")                                                            \
    X("cuDNN", "libcudnn.so.9 libcudnn.so.8", doctor_cudnn,                                        \
      "convolutions and attention on NVIDIA GPUs")                                                 \
    X("NCCL", "libnccl.so.2", doctor_nccl, "several NVIDIA GPUs together")

/* ---- versions: each library has its own way to say it ---- */

static void doctor_openblas(library l, char *out, size_t size) {
    char *(*config)(void);
    if (library_find(l, "openblas_get_config", &config)) snprintf(out, size, "%s", config());
}

static void doctor_cuda(library l, char *out, size_t size) {
    int (*get)(int *), v = 0;
    if (library_find(l, "cuDriverGetVersion", &get) && get(&v) == 0)
        snprintf(out, size, "CUDA %d.%d", v / 1000, v % 1000 / 10);
}

static void doctor_nvrtc(library l, char *out, size_t size) {
    int (*get)(int *, int *), major = 0, minor = 0;
    if (library_find(l, "nvrtcVersion", &get) && get(&major, &minor) == 0)
        snprintf(out, size, "%d.%d", major, minor);
}

/* Versions packed as major * 10000 + minor * 100 + patch, or with 1000 for the major. */
static void doctor_packed(size_t v, size_t major, char *out, size_t size) {
    snprintf(out, size, "%zu.%zu.%zu", v / major, v % major / 100, v % 100);
}

static void doctor_cublaslt(library l, char *out, size_t size) {
    size_t (*get)(void);
    if (library_find(l, "cublasLtGetVersion", &get)) doctor_packed(get(), 10000, out, size);
}

static void doctor_cudnn(library l, char *out, size_t size) {
    size_t (*get)(void);
    if (library_find(l, "cudnnGetVersion", &get))
        doctor_packed(get(), get() >= 90000 ? 10000 : 1000, out, size);
}

static void doctor_nccl(library l, char *out, size_t size) {
    int (*get)(int *), v = 0;
    if (library_find(l, "ncclGetVersion", &get) && get(&v) == 0)
        doctor_packed((size_t)v, v >= 10000 ? 10000 : 1000, out, size);
}

static const struct {
    const char *name, *files;
    void (*version)(library l, char *out, size_t size);
    const char *brings;
} doctor_library[] = {
#define X(name, files, version, brings) {name, files, version, brings},
    DOCTOR_LIBRARIES(X)
#undef X
};

static const struct {
    const char *name, *meaning;
} doctor_variable[] = {
#define X(name, meaning) {name, meaning},
    ENVIRONMENT(X)
#undef X
};

enum {
    DOCTOR_LIBRARY_COUNT = sizeof doctor_library / sizeof *doctor_library,
    DOCTOR_VARIABLE_COUNT = sizeof doctor_variable / sizeof *doctor_variable,
    DOCTOR_CACHES = 8,
    DOCTOR_SCHEMA = 1
};

/* ---- the machine ---- */

typedef struct doctor_report {
    char cpu[128], compiler[160];
    struct {
        char name[16];
        long kib;
    } cache[DOCTOR_CACHES];
    int caches, cores, threads;
    double quota; /* processors a container allows; 0: as many as there are */
    char device[16], isa[16];
    double open_us;
    struct {
        bool found;
        char file[64], version[160];
    } library[DOCTOR_LIBRARY_COUNT];
} doctor_report;

/* The first line of a file, without its end; false when there is none. */
static bool doctor_line(const char *path, char *out, int size) {
    FILE *f = fopen(path, "r");
    const bool found = f && fgets(out, size, f);
    if (f) fclose(f);
    if (found) out[strcspn(out, "\n")] = 0;
    return found;
}

static void doctor_cpu(doctor_report *r) {
    weft_machine m;
    weft_machine_of(NULL, &m);
    snprintf(r->cpu, sizeof r->cpu, "%s", m.cpu);
    r->cores = m.cores;
    char line[128];
    long quota, period;
    if (doctor_line("/sys/fs/cgroup/cpu.max", line, sizeof line) &&
        sscanf(line, "%ld %ld", &quota, &period) == 2 && period > 0)
        r->quota = (double)quota / (double)period;
}

static void doctor_caches(doctor_report *r) {
    for (int i = 0; i < DOCTOR_CACHES; i++) {
        char path[96], level[16], type[32], size[32];
        const char *const base = "/sys/devices/system/cpu/cpu0/cache/index";
        snprintf(path, sizeof path, "%s%d/level", base, i);
        if (!doctor_line(path, level, sizeof level)) break;
        snprintf(path, sizeof path, "%s%d/type", base, i);
        if (!doctor_line(path, type, sizeof type) || strcmp(type, "Instruction") == 0) continue;
        snprintf(path, sizeof path, "%s%d/size", base, i);
        if (!doctor_line(path, size, sizeof size)) continue;
        snprintf(r->cache[r->caches].name, sizeof r->cache->name, "L%.3s%s", level,
                 strcmp(type, "Data") == 0 ? "d" : "");
        r->cache[r->caches++].kib = atol(size) * (strchr(size, 'M') ? 1024 : 1);
    }
}

static bool doctor_open(doctor_report *r) {
    const double start = weft_clock();
    weft_ctx *c = weft_open("auto");
    r->open_us = 1e6 * (weft_clock() - start);
    if (!c) return false;
    r->threads = weft_threads(c);
    snprintf(r->device, sizeof r->device, "%s", weft_device_name(c));
    snprintf(r->isa, sizeof r->isa, "%s", weft_device_isa(c));
    weft_close(c);
    return true;
}

static void doctor_probe(doctor_report *r) {
    for (int i = 0; i < DOCTOR_LIBRARY_COUNT; i++) {
        const library l = library_open(doctor_library[i].files);
        r->library[i].found = l.handle != NULL;
        if (!l.handle) continue;
        snprintf(r->library[i].file, sizeof r->library->file, "%s", l.file);
        doctor_library[i].version(l, r->library[i].version, sizeof r->library->version);
    }
}

/* ---- telling ---- */

static void doctor_write_json(const doctor_report *r) {
    json j = json_begin(stdout);
    json_integer(&j, "schema", DOCTOR_SCHEMA);
    json_text(&j, "version", weft_version());
    json_text(&j, "compiler", r->compiler);
    json_text(&j, "cpu", r->cpu);
    json_integer(&j, "cores", r->cores);
    if (r->quota > 0) json_number(&j, "quota", r->quota);
    json_open(&j, "caches", '{');
    for (int i = 0; i < r->caches; i++)
        json_integer(&j, r->cache[i].name, 1024 * (int64_t)r->cache[i].kib);
    json_close(&j);
    json_text(&j, "device", r->device);
    json_text(&j, "isa", r->isa);
    json_integer(&j, "threads", r->threads);
    json_number(&j, "open_us", r->open_us);
    json_open(&j, "libraries", '[');
    for (int i = 0; i < DOCTOR_LIBRARY_COUNT; i++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", doctor_library[i].name);
        json_bool(&j, "found", r->library[i].found);
        json_text(&j, "file", *r->library[i].file ? r->library[i].file : NULL);
        json_text(&j, "version", *r->library[i].version ? r->library[i].version : NULL);
        json_text(&j, "brings", doctor_library[i].brings);
        json_close(&j);
    }
    json_close(&j);
    json_open(&j, "environment", '{');
    for (int i = 0; i < DOCTOR_VARIABLE_COUNT; i++)
        json_text(&j, doctor_variable[i].name, getenv(doctor_variable[i].name));
    json_end(&j);
}

static void doctor_write_text(const doctor_report *r) {
    tell(stdout, "weft %s, built by %s\n\n", weft_version(), r->compiler);
    tell(stdout, "Processor     %s, %d online", r->cpu, r->cores);
    if (r->quota > 0) tell(stdout, ", of which the container allows %.4g", r->quota);
    tell(stdout, "\nCaches       ");
    for (int i = 0; i < r->caches; i++) {
        const long kib = r->cache[i].kib;
        tell(stdout, "%s %s %ld %s", i ? "," : "", r->cache[i].name, kib < 1024 ? kib : kib / 1024,
             kib < 1024 ? "KiB" : "MiB");
    }
    tell(stdout,
         "%s\nDevice        %s\nVectors       %s\nThreads       %d\nOpening       %.0f us\n",
         r->caches ? "" : " unknown", r->device, r->isa, r->threads, r->open_us);

    tell(stdout, "\nOptional libraries, loaded at run time\n");
    for (int i = 0; i < DOCTOR_LIBRARY_COUNT; i++) {
        const bool found = r->library[i].found;
        tell(stdout, "  %-12s %-17s %s\n", doctor_library[i].name,
             found ? r->library[i].file : "not found", doctor_library[i].brings);
        if (*r->library[i].version) tell(stdout, "  %-12s %s\n", "", r->library[i].version);
    }
    tell(stdout, "\nEnvironment\n");
    for (int i = 0; i < DOCTOR_VARIABLE_COUNT; i++) {
        const char *value = getenv(doctor_variable[i].name);
        tell(stdout, "  %-12s %-17s %s\n", doctor_variable[i].name, value ? value : "not set",
             doctor_variable[i].meaning);
    }
}

/* ---- the subcommand ---- */

typedef struct doctor_settings {
    bool json;
} doctor_settings;

static int doctor_main(const call *request) {
    doctor_report r = {0};
#if defined(__clang__)
    snprintf(r.compiler, sizeof r.compiler, "%s", __VERSION__);
#elif defined(__GNUC__)
    snprintf(r.compiler, sizeof r.compiler, "gcc %s", __VERSION__);
#else
    snprintf(r.compiler, sizeof r.compiler, "unknown");
#endif
    if (!doctor_open(&r)) { /* first, so that the time is that of a fresh program */
        tell(stderr, "weft doctor: %s\n", weft_error(NULL));
        return EXIT_RESOURCES;
    }
    doctor_cpu(&r);
    doctor_caches(&r);
    doctor_probe(&r);
    if (((const doctor_settings *)request->settings)->json) doctor_write_json(&r);
    else doctor_write_text(&r);
    return EXIT_GOOD;
}

static const option doctor_options[] = {
    ROW_JSON(doctor_settings),
};

const command doctor_command = {
    .name = "doctor",
    .summary = "show what Weft detects on this machine",
    .operands = "",
    .about =
        "Shows processor, caches, vector instructions and threads, the time to open a context,\n"
        "which optional libraries are found and their use, and environment variables.\n",
    COMMAND_OPTIONS(doctor_options),
    .settings_size = sizeof(doctor_settings),
    .run = doctor_main,
};
