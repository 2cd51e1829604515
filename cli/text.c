/* text.c - weft text: text to ids and back, and vocabularies learned from text.
 *
 * A text is read whole, since the words at its end decide how it is split. Ids come as they are, in
 * lines or anything else that parts numbers, and their bytes go out at once. */
#include "command.h"
#include "json.h"
#include "vocab.h"

#include <weft/io.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SCHEMA = 1, TEXT_CHUNK = 1 << 16 };

typedef struct text_settings {
    const char *vocab, *out;
    bool no_special, json;
    int64_t size;
} text_settings;

typedef struct text_job {
    const call *call;
    const text_settings *set;
    weft_ctx *ctx;
    weft_vocab *vocab;
    char *text; /* of all files, one behind the other */
    size_t n, room;
    size_t *end; /* of each file in it */
} text_job;

/* ---- reading ---- */

static int text_complain(const text_job *t, const char *what, const char *why) {
    tell(stderr, "weft %s: %s: %s\n", t->call->name, what, why);
    return EXIT_FAILED;
}

static int text_no_memory(const text_job *t) {
    tell(stderr, "weft %s: out of memory\n", t->call->name);
    return EXIT_RESOURCES;
}

static int text_add_file(text_job *t, FILE *from, const char *name) {
    for (size_t got = 1; got;) {
        if (t->room - t->n < TEXT_CHUNK) {
            const size_t room = t->room + t->room / 2 + 2 * TEXT_CHUNK;
            char *const more = realloc(t->text, room);
            if (!more) return text_no_memory(t);
            t->text = more;
            t->room = room;
        }
        got = fread(t->text + t->n, 1, TEXT_CHUNK, from);
        t->n += got;
    }
    return ferror(from) ? text_complain(t, name, strerror(errno)) : EXIT_GOOD;
}

static int text_files(const call *c) {
    return c->count ? c->count : 1;
}

static const char *text_name(const call *c, int i) {
    return c->count ? c->words[i] : "-";
}

static FILE *text_open(const char *name) {
    return strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
}

static int text_read(text_job *t) {
    t->end = malloc((size_t)text_files(t->call) * sizeof *t->end);
    if (!t->end) return text_no_memory(t);
    for (int i = 0; i < text_files(t->call); i++) {
        const char *const name = text_name(t->call, i);
        FILE *const from = text_open(name);
        if (!from) return text_complain(t, name, strerror(errno));
        const int status = text_add_file(t, from, name);
        if (from != stdin) fclose(from);
        if (status != EXIT_GOOD) return status;
        t->end[i] = t->n;
    }
    return EXIT_GOOD;
}

static weft_bytes text_part(const text_job *t, int i) {
    const size_t from = i ? t->end[i - 1] : 0;
    return (weft_bytes){text_name(t->call, i), t->text + from, t->end[i] - from};
}

static int text_begin(text_job *t, const call *c, bool reads) {
    *t = (text_job){.call = c, .set = c->settings, .ctx = weft_open("cpu")};
    if (!t->ctx) return command_failed(c, NULL);
    return reads ? text_read(t) : EXIT_GOOD;
}

static int text_end(text_job *t, int status) {
    free(t->text);
    free(t->end);
    weft_vocab_free(t->vocab);
    weft_close(t->ctx);
    return status;
}

static int text_vocab(text_job *t, bool has_text) {
    const char *const name = t->set->vocab ? t->set->vocab : "gpt2";
    const weft_bytes all = {"the text", has_text ? t->text : NULL, t->n};
    t->vocab = vocab_named(t->ctx, name, all);
    return t->vocab ? EXIT_GOOD : command_failed(t->call, t->ctx);
}

/* ---- encode ---- */

static void text_print_ids(const text_job *t, const int32_t *ids, size_t n, weft_bytes text) {
    if (!t->set->json) {
        for (size_t i = 0; i < n; i++) printf("%d\n", (int)ids[i]);
        return;
    }
    json j = json_begin(stdout);
    json_integer(&j, "schema", TEXT_SCHEMA);
    json_text(&j, "file", text.name);
    json_integer(&j, "bytes", (int64_t)text.bytes);
    json_integer(&j, "tokens", (int64_t)n);
    json_open(&j, "ids", '[');
    for (size_t i = 0; i < n; i++) json_integer(&j, NULL, ids[i]);
    json_end(&j);
}

/* The ids as a file of tokens, little-endian: 16 bits each if all of the vocabulary fit. */
static int text_write_ids(const text_job *t, int32_t *ids, size_t n) {
    const int bits = weft_vocab_size(t->vocab) <= 65536 ? 16 : 32;
    unsigned char *const bytes =
        (unsigned char *)ids; /* each id is read before it is written over */
    for (size_t i = 0; i < n; i++) {
        const uint32_t id = (uint32_t)ids[i];
        for (int b = 0; b < bits / 8; b++)
            bytes[i * (size_t)bits / 8 + (size_t)b] = (unsigned char)(id >> 8 * b);
    }
    if (weft_file_write(t->ctx, t->set->out, bytes, n * (size_t)bits / 8) != WEFT_OK)
        return command_failed(t->call, t->ctx);
    if (t->set->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", TEXT_SCHEMA);
        json_text(&j, "out", t->set->out);
        json_integer(&j, "bytes", (int64_t)t->n);
        json_integer(&j, "tokens", (int64_t)n);
        json_integer(&j, "bits", bits);
        json_integer(&j, "vocab_size", weft_vocab_size(t->vocab));
        json_end(&j);
    } else {
        tell(stdout, "%s: %zu tokens of %d bits, from %zu bytes of text\n", t->set->out, n, bits,
             t->n);
    }
    return EXIT_GOOD;
}

static int text_encode_all(text_job *t) {
    const weft_encode_desc how = {.plain = t->set->no_special};
    int32_t *const ids = malloc((t->n + 1) * sizeof *ids);
    if (!ids) return text_no_memory(t);
    size_t count = 0;
    int status = EXIT_GOOD;
    for (int i = 0; i < text_files(t->call) && status == EXIT_GOOD; i++) {
        const weft_bytes part = text_part(t, i);
        size_t n;
        if (weft_vocab_encode(t->vocab, part.data, part.bytes, &how, ids + count, part.bytes, &n) !=
            WEFT_OK)
            status = command_failed(t->call, t->ctx);
        else if (!t->set->out) text_print_ids(t, ids, n, part);
        else count += n;
    }
    if (status == EXIT_GOOD && t->set->out) status = text_write_ids(t, ids, count);
    free(ids);
    return status;
}

static int text_encode(const call *c) {
    text_job t;
    int status = text_begin(&t, c, true);
    if (status == EXIT_GOOD) status = text_vocab(&t, true);
    if (status == EXIT_GOOD) status = text_encode_all(&t);
    return text_end(&t, status);
}

/* ---- decode ---- */

static int text_put_id(const text_job *t, int64_t id, int64_t place) {
    size_t n;
    const void *const bytes =
        weft_vocab_token(t->vocab, id < weft_vocab_size(t->vocab) ? (int32_t)id : -1, &n);
    if (!bytes) {
        tell(stderr, "weft %s: number %lld is %lld, which is no token; there are %lld\n",
             t->call->name, (long long)place, (long long)id, (long long)weft_vocab_size(t->vocab));
        return EXIT_INPUT;
    }
    fwrite(bytes, 1, n, stdout);
    return EXIT_GOOD;
}

static int text_decode_from(const text_job *t, FILE *from, const char *name) {
    int64_t id = -1, place = 0;
    for (int letter = 0; letter != EOF;) {
        letter = getc(from);
        if (letter >= '0' && letter <= '9') {
            id = id < 0 ? letter - '0' : id > INT32_MAX ? id : 10 * id + letter - '0';
            continue;
        }
        if (letter != EOF && !strchr(" \t\r\n,[]", letter)) {
            char shown[2] = {(char)letter, 0};
            tell(stderr, "weft %s: %s: \"%s\" after number %lld; ids were expected\n",
                 t->call->name, name, shown, (long long)place);
            return EXIT_INPUT;
        }
        const int status = id < 0 ? EXIT_GOOD : text_put_id(t, id, ++place);
        if (status != EXIT_GOOD) return status;
        id = -1;
    }
    return ferror(from) ? text_complain(t, name, strerror(errno)) : EXIT_GOOD;
}

static int text_decode(const call *c) {
    text_job t;
    int status = text_begin(&t, c, false);
    if (status == EXIT_GOOD) status = text_vocab(&t, false);
    for (int i = 0; i < text_files(c) && status == EXIT_GOOD; i++) {
        const char *const name = text_name(c, i);
        FILE *const from = text_open(name);
        if (!from) {
            status = text_complain(&t, name, strerror(errno));
            break;
        }
        status = text_decode_from(&t, from, name);
        if (from != stdin) fclose(from);
    }
    return text_end(&t, status);
}

/* ---- learn ---- */

static int text_learn_all(text_job *t) {
    const int files = text_files(t->call);
    weft_bytes *const part = malloc((size_t)files * sizeof *part);
    int32_t *const ids = malloc((t->n + 1) * sizeof *ids);
    size_t tokens = 0;
    for (int i = 0; i < files && part; i++) part[i] = text_part(t, i);
    if (part && ids)
        t->vocab =
            weft_vocab_learn(t->ctx, part, (size_t)files, &(weft_learn_desc){.size = t->set->size});
    int status = !part || !ids ? text_no_memory(t) : EXIT_GOOD;
    if (status == EXIT_GOOD &&
        (!t->vocab || weft_vocab_save(t->vocab, t->set->out) != WEFT_OK ||
         weft_vocab_encode(t->vocab, t->text, t->n, NULL, ids, t->n, &tokens) != WEFT_OK))
        status = command_failed(t->call, t->ctx);
    free(part);
    free(ids);
    if (status != EXIT_GOOD) return status;
    const double each = tokens ? (double)t->n / (double)tokens : 0;
    if (t->set->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", TEXT_SCHEMA);
        json_text(&j, "out", t->set->out);
        json_integer(&j, "vocab_size", weft_vocab_size(t->vocab));
        json_integer(&j, "bytes", (int64_t)t->n);
        json_integer(&j, "tokens", (int64_t)tokens);
        json_number(&j, "bytes_per_token", each);
        json_end(&j);
    } else {
        tell(stdout, "%s: %lld tokens, %.2f bytes of this text each\n", t->set->out,
             (long long)weft_vocab_size(t->vocab), each);
    }
    return EXIT_GOOD;
}

static int text_learn(const call *c) {
    const text_settings *const set = c->settings;
    if (!set->out) {
        tell(stderr, "weft %s: --out is missing; it names the folder for the vocabulary\n",
             c->name);
        return EXIT_USAGE;
    }
    text_job t;
    int status = text_begin(&t, c, true);
    if (status == EXIT_GOOD) status = text_learn_all(&t);
    return text_end(&t, status);
}

/* ---- the commands ---- */

/* clang-format off */
#define TEXT_VOCAB_ROW                                                                            \
    { .name = "vocab", .kind = OPTION_TEXT, .value = VOCAB_NAMES,                                 \
      .help = "vocabulary (gpt2)", .offset = offsetof(text_settings, vocab) }

static const option text_encode_options[] = {
    TEXT_VOCAB_ROW,
    {.name = "no-special", .kind = OPTION_FLAG,
     .help = "names of special tokens are text like any other",
     .offset = offsetof(text_settings, no_special)},
    {.name = "out", .letter = 'o', .kind = OPTION_FILE, .value = "FILE",
     .help = "write a file of 16 or 32 bits a token, and print no ids",
     .offset = offsetof(text_settings, out)},
    ROW_JSON(text_settings)};
static const option text_decode_options[] = {TEXT_VOCAB_ROW};
static const option text_learn_options[] = {
    {.name = "size", .kind = OPTION_LONG, .value = "N",
     .help = "tokens, bytes and special ones included (4096)",
     .offset = offsetof(text_settings, size), .low = 257, .high = 1 << 24},
    {.name = "out", .letter = 'o', .kind = OPTION_FOLDER, .value = "FOLDER",
     .help = "where the vocabulary is saved; required",
     .offset = offsetof(text_settings, out)},
    ROW_JSON(text_settings)};
/* clang-format on */

static const command text_encode_task = {
    .name = "encode",
    .summary = "text to token ids, one a line",
    .operands = "[FILE...]",
    .about =
        "Prints the ids of the tokens of each text, or of standard input. A vocabulary is gpt2\n"
        "(weft data get gpt2-vocab), chars, the characters of the text, bytes, or a folder with\n"
        "a tokenizer.json, vocab.json and merges.txt, or encoder.json and vocab.bpe.\n",
    .examples = "weft text encode --vocab gpt2 book.txt\n"
                "weft text encode --vocab words --out book.bin book.txt\n",
    COMMAND_OPTIONS(text_encode_options),
    .run = text_encode,
};
static const command text_decode_task = {
    .name = "decode",
    .summary = "token ids to text",
    .operands = "[FILE...]",
    .about =
        "Reads ids from files or standard input, parted by spaces, newlines or commas, and writes\n"
        "the bytes of their tokens.\n",
    .examples = "echo 15496 995 | weft text decode --vocab gpt2\n",
    COMMAND_OPTIONS(text_decode_options),
    .run = text_decode,
};
static const command text_learn_task = {
    .name = "learn",
    .summary = "a vocabulary from texts",
    .operands = "FILE...",
    .about =
        "Learns a vocabulary of byte-level BPE from texts and saves it as FOLDER/tokenizer.json,\n"
        "with <|endoftext|> as its last token. The same texts give the same vocabulary.\n",
    .examples = "weft text learn book.txt --size 4096 --out words\n",
    COMMAND_OPTIONS(text_learn_options),
    .run = text_learn,
};
static const command *const text_tasks[] = {&text_encode_task, &text_decode_task, &text_learn_task,
                                            NULL};

const command text_command = {
    .name = "text",
    .summary = "encode and decode text, learn vocabularies",
    .about = "Text as tokens; docs/text.md explains vocabularies.\n",
    .settings_size = sizeof(text_settings),
    .tasks = text_tasks,
};
