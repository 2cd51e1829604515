/* convert.c - weft convert: tensors from one file format to another, chosen, renamed, retyped.
 *
 * From a checkpoint or a run only the model is taken unless --all asks for the optimiser's state
 * too. The new file appears whole or not at all. */
#include "command.h"
#include "json.h"
#include "source.h"

#include "base/glob.h"

#include <stdlib.h>
#include <string.h>

/*                       word, what it becomes */
#define CONVERT_TYPES(X) X("f32", F32) X("f16", F16) X("bf16", BF16) X("f64", F64)

static const weft_file_type convert_type[] = {WEFT_FILE_TYPE_COUNT, /* "keep" */
#define X(word, name) WEFT_FILE_##name,
                                              CONVERT_TYPES(X)
#undef X
};

static const char convert_words[] = "keep"
#define X(word, name) "|" word
    CONVERT_TYPES(X)
#undef X
    ;

enum { CONVERT_SCHEMA = 1 };

typedef struct convert_settings {
    int type; /* place among the words */
    int64_t shard_size;
    const char *only, *prefix_strip, *prefix_add;
    bool all, checksums, json;
} convert_settings;

typedef struct convert {
    const call *call;
    const convert_settings *set;
    weft_ctx *ctx;
    weft_archive *from, *to;
    int64_t tensors, retyped, left_out;
    double bytes;
} convert;

static bool convert_is_float(weft_file_type t) {
    return t == WEFT_FILE_F64 || t == WEFT_FILE_F32 || t == WEFT_FILE_F16 || t == WEFT_FILE_BF16;
}

static bool convert_begins(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* What training needs and a model does not, as weft/io.h has it; extra/ is what a program keeps. */
static bool convert_is_training(const char *name) {
    return convert_begins(name, "optim.") || convert_begins(name, "rng.") ||
           convert_begins(name, "extra/");
}

static int convert_name(const convert *s, const char *name, char *out, size_t size) {
    const char *const strip = s->set->prefix_strip;
    if (strip && convert_begins(name, strip)) name += strlen(strip);
    snprintf(out, size, "%s%s", s->set->prefix_add ? s->set->prefix_add : "", name);
    if (!weft_archive_has(s->to, out)) return EXIT_GOOD;
    tell(stderr, "weft convert: two tensors would have the name \"%s\"\n", out);
    return EXIT_FAILED;
}

static int convert_put(convert *s, weft_array a, const char *name) {
    void *values = NULL;
    const weft_file_type type = convert_type[s->set->type];
    a.name = name;
    if (s->set->type && convert_is_float(a.type) && a.type != type) {
        const size_t bytes = a.bytes / weft_file_type_size(a.type) * weft_file_type_size(type);
        values = malloc(bytes ? bytes : 1);
        if (!values) {
            fputs("weft convert: out of memory\n", stderr);
            return EXIT_RESOURCES;
        }
        if (weft_array_convert(s->ctx, &a, type, values, bytes) != WEFT_OK) {
            free(values);
            return command_failed(s->call, s->ctx);
        }
        a.type = type;
        a.data = values;
        a.bytes = bytes;
        s->retyped++;
    }
    const weft_err e = weft_archive_put(s->to, &a);
    free(values);
    if (e != WEFT_OK) return command_failed(s->call, s->ctx);
    s->tensors++;
    s->bytes += (double)a.bytes;
    return EXIT_GOOD;
}

static int convert_tensors(convert *s) {
    const bool checkpoint = strcmp(weft_archive_format(s->from), "checkpoint") == 0;
    const size_t count = weft_archive_count(s->from);
    for (size_t i = 0; i < count; i++) {
        weft_array a;
        char name[2200];
        if (weft_archive_list(s->from, i, &a) != WEFT_OK) return command_failed(s->call, s->ctx);
        if (!glob_match(s->set->only, a.name) ||
            (checkpoint && !s->set->all && convert_is_training(a.name))) {
            s->left_out++;
            continue;
        }
        if (weft_archive_at(s->from, i, &a) != WEFT_OK) return command_failed(s->call, s->ctx);
        int status = convert_name(s, a.name, name, sizeof name);
        if (status == EXIT_GOOD) status = convert_put(s, a, name);
        if (status != EXIT_GOOD) return status;
    }
    if (!s->tensors && s->set->only) {
        tell(stderr, "weft convert: none of %zu tensors matches \"%s\"\n", count, s->set->only);
        return EXIT_FAILED;
    }
    return EXIT_GOOD;
}

/* Texts go along, except those of a checkpoint: the new file is none. */
static int convert_texts(convert *s) {
    const char *key, *value;
    for (size_t i = 0; (key = weft_archive_text_at(s->from, i, &value)); i++) {
        if (convert_begins(key, "weft.") || convert_begins(key, "extra/")) continue;
        if (weft_archive_text(s->to, key, value) != WEFT_OK) return command_failed(s->call, s->ctx);
    }
    return EXIT_GOOD;
}

static void convert_tell(const convert *s) {
    const char *const to = s->call->words[1];
    if (s->set->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", CONVERT_SCHEMA);
        json_text(&j, "from", s->call->words[0]);
        json_text(&j, "to", to);
        json_text(&j, "from_format", weft_archive_format(s->from));
        json_integer(&j, "tensors", s->tensors);
        json_integer(&j, "left_out", s->left_out);
        json_integer(&j, "retyped", s->retyped);
        json_number(&j, "bytes", s->bytes);
        json_end(&j);
        return;
    }
    char bytes[16];
    source_bytes(s->bytes, bytes);
    tell(stdout, "%s: %lld tensor%s, %s", to, (long long)s->tensors, s->tensors == 1 ? "" : "s",
         bytes);
    if (s->retyped) tell(stdout, ", %lld with a different type than before", (long long)s->retyped);
    if (s->left_out) tell(stdout, ", %lld left out", (long long)s->left_out);
    putchar('\n');
}

static int convert_archive(convert *s) {
    const weft_write_desc how = {.max_shard_bytes = (size_t)s->set->shard_size,
                                 .checksums = s->set->checksums};
    int status = convert_tensors(s);
    if (status == EXIT_GOOD) status = convert_texts(s);
    if (status != EXIT_GOOD) return status;
    if (weft_archive_write(s->to, s->call->words[1], &how) != WEFT_OK)
        return command_failed(s->call, s->ctx);
    convert_tell(s);
    return EXIT_GOOD;
}

/* What only safetensors can do must not be asked of another format. */
static bool convert_fits(const call *request) {
    static const char ending[] = ".safetensors", *const alone[] = {"shard-size", "checksums"};
    const char *const to = request->words[1];
    const size_t length = strlen(to), tail = sizeof ending - 1;
    const bool safetensors = length >= tail && strcmp(to + length - tail, ending) == 0;
    for (int i = 0; i < 2 && !safetensors; i++) {
        if (!options_given(request->options, alone[i])) continue;
        tell(stderr, "weft convert: --%s applies only to %s, not to \"%s\"\n", alone[i], ending,
             to);
        return false;
    }
    return true;
}

static int convert_main(const call *request) {
    if (!convert_fits(request)) return EXIT_USAGE;
    convert s = {.call = request, .set = request->settings, .ctx = weft_open("cpu")};
    if (!s.ctx) return command_failed(request, NULL);
    s.from = source_open(s.ctx, request->words[0]);
    s.to = s.from ? weft_archive_new(s.ctx) : NULL;
    const int status =
        s.to ? convert_archive(&s) : command_unread(request, s.ctx, request->words[0]);
    weft_archive_free(s.to);
    weft_archive_free(s.from);
    weft_close(s.ctx);
    return status;
}

static const option convert_options[] = {
    {.name = "type",
     .kind = OPTION_CHOICE,
     .value = convert_words,
     .help = "element type of floating-point tensors (keep)",
     .offset = offsetof(convert_settings, type)},
    {.name = "only",
     .kind = OPTION_TEXT,
     .value = "GLOB",
     .help = "tensors whose name matches, such as 'encoder.*'",
     .offset = offsetof(convert_settings, only)},
    {.name = "prefix-strip",
     .kind = OPTION_TEXT,
     .value = "TEXT",
     .help = "remove this prefix from names",
     .offset = offsetof(convert_settings, prefix_strip)},
    {.name = "prefix-add",
     .kind = OPTION_TEXT,
     .value = "TEXT",
     .help = "add this prefix to names",
     .offset = offsetof(convert_settings, prefix_add)},
    {.name = "all",
     .kind = OPTION_FLAG,
     .help = "from a checkpoint: also the tensors of the optimiser",
     .offset = offsetof(convert_settings, all)},
    {.name = "shard-size",
     .kind = OPTION_SIZE,
     .value = "BYTES",
     .help = "safetensors: split into files of at most BYTES, with an index",
     .offset = offsetof(convert_settings, shard_size)},
    {.name = "checksums",
     .kind = OPTION_FLAG,
     .help = "safetensors: store a checksum per tensor, for inspect --verify",
     .offset = offsetof(convert_settings, checksums)},
    ROW_JSON(convert_settings),
};

const command convert_command = {
    .name = "convert",
    .summary = "convert files of tensors: format, type, selection",
    .operands = "FROM TO",
    .about = "Reads a file of any format that weft inspect reads, or the checkpoint of a run, and\n"
             "writes TO, in the format of its extension: .safetensors, .npz, or .npy for one\n"
             "tensor. TO is replaced atomically. From a checkpoint only the model is converted,\n"
             "without optimiser state.\n",
    .examples = "weft convert runs/digits-mlp digits.safetensors\n"
                "weft convert --type f16 --shard-size 2G big.safetensors half.safetensors\n"
                "weft convert --only fc1.weight digits.safetensors weight.npy\n",
    COMMAND_OPTIONS(convert_options),
    .settings_size = sizeof(convert_settings),
    .run = convert_main,
};
