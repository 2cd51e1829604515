/* save.c - a vocabulary as a tokenizer.json, which weft_vocab_open and other programs read.
 *
 * What was read from such a file and is not used here goes back into it as it was. */
#include "text/vocab.h"

#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"

/* The token as files write it, without quotes: its bytes as characters, or, of characters and added
 * tokens, its text. */
static void save_token(text *t, const weft_vocab *v, int32_t id) {
    const unsigned char *const bytes = vocab_bytes(v, id);
    const bool is_text = v->kind == VOCAB_CHARS || !vocab_is_word(v, id);
    for (size_t i = 0, n; i < v->token[id].n; i += n) {
        char one[5] = {0}, quoted[24];
        n = is_text ? utf8_length((const char *)bytes + i, v->token[id].n - i) : 1;
        if (is_text) memcpy(one, bytes + i, n);
        else utf8_encode(vocab_letter_of(bytes[i]), one);
        text_raw(t, quoted + 1, json_quote(quoted, sizeof quoted, one) - 2);
    }
}

static void save_added(text *t, const weft_vocab *v) {
    bool first = true;
    text_put(t, "  \"added_tokens\": [");
    for (int32_t id = 0; id < v->size; id++) {
        if (!(v->token[id].is & VOCAB_ADDED)) continue;
        text_add(t, "%s\n    {\"id\": %ld, \"content\": \"", first ? "" : ",", (long)id);
        save_token(t, v, id);
        text_add(t,
                 "\", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, "
                 "\"normalized\": false, \"special\": %s}",
                 v->token[id].is & VOCAB_SPECIAL ? "true" : "false");
        first = false;
    }
    text_put(t, first ? "],\n" : "\n  ],\n");
}

static void save_words(text *t, const weft_vocab *v) {
    bool first = true;
    text_put(t, "    \"vocab\": {");
    for (int32_t id = 0; id < v->size; id++) {
        if (!vocab_is_word(v, id)) continue;
        text_put(t, first ? "\n      \"" : ",\n      \"");
        save_token(t, v, id);
        text_add(t, "\": %ld", (long)id);
        first = false;
    }
    text_put(t, "\n    }");
}

static weft_err save_merges(text *t, const weft_vocab *v) {
    const vocab_pair **by_rank = weft_resize(v->ctx, NULL, (v->merges + 1) * sizeof *by_rank);
    if (!by_rank) return weft_fail(v->ctx, WEFT_MEMORY, "weft_vocab_save: out of memory");
    for (size_t i = 0; i < v->pairs; i++)
        if (v->pair[i].left >= 0) by_rank[v->pair[i].rank] = &v->pair[i];
    text_put(t, ",\n    \"merges\": [");
    for (uint32_t rank = 0; rank < v->merges; rank++) {
        text_put(t, rank ? ",\n      \"" : "\n      \"");
        save_token(t, v, by_rank[rank]->left);
        text_put(t, " ");
        save_token(t, v, by_rank[rank]->right);
        text_put(t, "\"");
    }
    text_put(t, v->merges ? "\n    ]" : "]");
    weft_resize(v->ctx, by_rank, 0);
    return WEFT_OK;
}

/* Parts of the file that say how it is read, for a vocabulary that was not read from one. */
static const char *save_part(const weft_vocab *v, int part) {
    static const char byte_level[] = "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, "
                                     "\"trim_offsets\": true, \"use_regex\": true}";
    static const char one_by_one[] =
        "{\"type\": \"Split\", \"pattern\": {\"Regex\": \"[\\\\s\\\\S]\"}, "
        "\"behavior\": \"Isolated\", \"invert\": false}";
    static const char *const words[VOCAB_PARTS] = {"null", byte_level, "null", byte_level};
    static const char *const chars[VOCAB_PARTS] = {"null", one_by_one, "null",
                                                   "{\"type\": \"Fuse\"}"};
    return v->part[part] ? v->part[part] : v->kind == VOCAB_CHARS ? chars[part] : words[part];
}

static weft_err save_text(text *t, const weft_vocab *v) {
    static const char *const names[VOCAB_PARTS] = {"normalizer", "pre_tokenizer", "post_processor",
                                                   "decoder"};
    text_put(t, "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n");
    save_added(t, v);
    for (int i = 0; i < VOCAB_PARTS; i++) {
        text_add(t, "  \"%s\": ", names[i]);
        text_put(t, save_part(v, i));
        text_put(t, ",\n");
    }
    if (v->kind == VOCAB_CHARS) {
        text_put(t,
                 "  \"model\": {\n    \"type\": \"WordLevel\",\n    \"unk_token\": \"<unk>\",\n");
        save_words(t, v);
    } else {
        text_put(t, "  \"model\": {\n    \"type\": \"BPE\",\n    \"dropout\": null,\n"
                    "    \"unk_token\": null,\n    \"continuing_subword_prefix\": null,\n"
                    "    \"end_of_word_suffix\": null,\n    \"fuse_unk\": false,\n"
                    "    \"byte_fallback\": false,\n");
        text_add(t, "    \"ignore_merges\": %s,\n", v->whole_words ? "true" : "false");
        save_words(t, v);
        WEFT_TRY(save_merges(t, v));
    }
    text_put(t, "\n  }\n}\n");
    return t->failed ? weft_fail(v->ctx, WEFT_MEMORY, "weft_vocab_save: out of memory") : WEFT_OK;
}

weft_err weft_vocab_save(const weft_vocab *v, const char *folder) {
    if (!v || !folder || !*folder)
        return weft_fail(v ? v->ctx : NULL, WEFT_ARGUMENT,
                         "weft_vocab_save: no vocabulary, or no folder");
    text t = {.m = mem_of(v->ctx)};
    weft_err e = save_text(&t, v);
    if (e == WEFT_OK) e = path_make_folder(v->ctx, folder);
    if (e == WEFT_OK) e = weft_file_write_beneath(v->ctx, folder, "tokenizer.json", t.s, t.n);
    text_free(&t);
    return e;
}
