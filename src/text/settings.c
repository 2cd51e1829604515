/* settings.c - what a tokenizer.json asks for besides its tokens and merges.
 *
 * Each object has a table of its keys and of what they may be. A key that is not in the table, or asks
 * for something else, is refused by its name: text would be split or merged otherwise than the file
 * says. Two things are taken as they are and not done: a normaliser NFC (text is not changed), and the
 * post-processor (no token is put around a text); both are kept for saving. */
#include "text/vocab.h"

#include "base/json.h"
#include "base/text.h"

typedef enum settings_need {
    SETTINGS_ANY,
    SETTINGS_OFF,  /* null, false, "", 0 */
    SETTINGS_FLAG, /* true or false      */
    SETTINGS_ON
} settings_need;

typedef struct settings_row {
    const char *key;
    settings_need need;
} settings_row;

static const settings_row settings_all[] = {
    {"version", SETTINGS_ANY},        {"truncation", SETTINGS_OFF},
    {"padding", SETTINGS_OFF},        {"added_tokens", SETTINGS_ANY},
    {"normalizer", SETTINGS_ANY},     {"pre_tokenizer", SETTINGS_ANY},
    {"post_processor", SETTINGS_ANY}, {"decoder", SETTINGS_ANY},
    {"model", SETTINGS_ANY},          {NULL, SETTINGS_ANY}};
static const settings_row settings_bpe[] = {{"type", SETTINGS_ANY},
                                            {"vocab", SETTINGS_ANY},
                                            {"merges", SETTINGS_ANY},
                                            {"unk_token", SETTINGS_ANY}, /* every byte is a token */
                                            {"dropout", SETTINGS_OFF},
                                            {"continuing_subword_prefix", SETTINGS_OFF},
                                            {"end_of_word_suffix", SETTINGS_OFF},
                                            {"fuse_unk", SETTINGS_OFF},
                                            {"byte_fallback", SETTINGS_OFF},
                                            {"ignore_merges", SETTINGS_FLAG},
                                            {NULL, SETTINGS_ANY}};
static const settings_row settings_words[] = {{"type", SETTINGS_ANY},
                                              {"vocab", SETTINGS_ANY},
                                              {"unk_token", SETTINGS_ANY},
                                              {NULL, SETTINGS_ANY}};
static const settings_row settings_byte_level[] = {{"type", SETTINGS_ANY},
                                                   {"add_prefix_space", SETTINGS_OFF},
                                                   {"trim_offsets", SETTINGS_ANY},
                                                   {"use_regex", SETTINGS_FLAG},
                                                   {NULL, SETTINGS_ANY}};
static const settings_row settings_split[] = {{"type", SETTINGS_ANY},
                                              {"pattern", SETTINGS_ANY},
                                              {"behavior", SETTINGS_ANY},
                                              {"invert", SETTINGS_OFF},
                                              {NULL, SETTINGS_ANY}};
static const settings_row settings_digits[] = {
    {"type", SETTINGS_ANY}, {"individual_digits", SETTINGS_ON}, {NULL, SETTINGS_ANY}};

typedef struct settings {
    weft_vocab *v;
    reader *r;
} settings;

/* "pre_tokenizer: type "Metaspace": expected ..."; texts of the file are escaped by weft_fail. */
static weft_err settings_refuse(settings *s, weft_json at, const char *what, const char *expected) {
    const size_t n = at.at ? (size_t)(at.end - at.at) : 0;
    return reader_fail(s->r, WEFT_UNSUPPORTED, at.at ? json_offset(s->r, at) : 0, what,
                       "%.*s%s; expected %s", (int)(n < 80 ? n : 80), n ? at.at : "missing",
                       n > 80 ? "..." : "", expected);
}

static bool settings_is_off(weft_json j) {
    return weft_json_kind_of(j) == WEFT_JSON_NULL || weft_json_is(j, "") ||
           (weft_json_kind_of(j) == WEFT_JSON_BOOL && !weft_json_bool(j, true)) ||
           weft_json_number(j, 1) == 0;
}

static weft_err settings_keys(settings *s, weft_json object, const char *what,
                              const settings_row *row) {
    weft_json key = {0}, value = {0};
    while (weft_json_next(object, &key, &value)) {
        char field[FIELD_BYTES], name[64];
        const settings_row *at = row;
        while (at->key && !weft_json_is(key, at->key)) at++;
        const bool on = weft_json_bool(value, false), off = settings_is_off(value);
        weft_json_text(key, name, sizeof name);
        reader_field(field, what, name);
        if (!at->key) return settings_refuse(s, value, field, "no such key");
        if (at->need == SETTINGS_OFF && !off)
            return settings_refuse(s, value, field, "null or false");
        if (at->need == SETTINGS_ON && !on) return settings_refuse(s, value, field, "true");
        if (at->need == SETTINGS_FLAG && weft_json_kind_of(value) != WEFT_JSON_BOOL)
            return settings_refuse(s, value, field, "true or false");
    }
    return WEFT_OK;
}

static weft_err settings_keep(settings *s, int part, weft_json j) {
    if (!j.at) return WEFT_OK;
    const size_t n = (size_t)(j.end - j.at);
    char *const copy = weft_resize(s->v->ctx, NULL, n + 1);
    if (!copy) return weft_fail(s->v->ctx, WEFT_MEMORY, "weft_vocab: out of memory");
    memcpy(copy, j.at, n);
    copy[n] = 0;
    s->v->part[part] = copy;
    return WEFT_OK;
}

/* ---- how text is split ---- */

static const char settings_splits[] = "ByteLevel, Digits and ByteLevel, or Split by the pattern of "
                                      "GPT-2, Llama 3 or Qwen 2 and ByteLevel";

static weft_err settings_byte_level_of(settings *s, weft_json j, bool splits) {
    if (!weft_json_is(weft_json_get(j, "type"), "ByteLevel"))
        return settings_refuse(s, j, "pre_tokenizer", settings_splits);
    WEFT_TRY(settings_keys(s, j, "ByteLevel", settings_byte_level));
    if (weft_json_kind_of(weft_json_get(j, "add_prefix_space")) == WEFT_JSON_NONE)
        return settings_refuse(s, j, "ByteLevel",
                               "add_prefix_space false"); /* true is its default */
    if (weft_json_bool(weft_json_get(j, "use_regex"), true) != splits)
        return settings_refuse(s, j, "ByteLevel", splits ? "use_regex true" : "use_regex false");
    return WEFT_OK;
}

static weft_err settings_split_of(settings *s, weft_json j, bool *chars) {
    static const struct {
        const char *pattern;
        split_rule rule;
    } known[] = {
#define X(rule, pattern) {pattern, SPLIT_##rule},
        SPLIT_PATTERNS(X)
#undef X
    };
    WEFT_TRY(settings_keys(s, j, "Split", settings_split));
    const weft_json pattern = weft_json_get(j, "pattern.Regex");
    if (!weft_json_is(weft_json_get(j, "behavior"), "Isolated"))
        return settings_refuse(s, weft_json_get(j, "behavior"), "behavior of Split",
                               "\"Isolated\"");
    *chars = weft_json_is(pattern, VOCAB_CHARS_PATTERN);
    for (size_t i = 0; i < sizeof known / sizeof *known && !*chars; i++)
        if (weft_json_is(pattern, known[i].pattern)) {
            s->v->split.rule = known[i].rule;
            return WEFT_OK;
        }
    return *chars ? WEFT_OK : settings_refuse(s, j, "pattern of Split", settings_splits);
}

static weft_err settings_pre_bpe(settings *s, weft_json pre) {
    weft_json first = pre, second = {0}, key = {0};
    if (weft_json_is(weft_json_get(pre, "type"), "Sequence")) {
        const weft_json list = weft_json_get(pre, "pretokenizers");
        first = (weft_json){0};
        if (weft_json_count(list) == 2) {
            weft_json_next(list, &key, &first);
            second = first;
            weft_json_next(list, &key, &second);
        }
    }
    const weft_json type = weft_json_get(first, "type");
    bool chars = false;
    if (weft_json_is(type, "ByteLevel") && !second.at)
        return settings_byte_level_of(s, first, true);
    if (weft_json_is(type, "Digits") && second.at) {
        s->v->split.digits = true;
        WEFT_TRY(settings_keys(s, first, "Digits", settings_digits));
        if (!weft_json_bool(weft_json_get(first, "individual_digits"), false))
            return settings_refuse(s, first, "Digits", "individual_digits true");
        return settings_byte_level_of(s, second, true);
    }
    if (weft_json_is(type, "Split") && second.at) {
        WEFT_TRY(settings_split_of(s, first, &chars));
        if (!chars) return settings_byte_level_of(s, second, false);
    }
    return settings_refuse(s, pre, "pre_tokenizer", settings_splits);
}

/* ---- the whole ---- */

static weft_err settings_bpe_of(settings *s, weft_json all, weft_json model) {
    const weft_json pre = weft_json_get(all, "pre_tokenizer"),
                    after = weft_json_get(all, "decoder");
    WEFT_TRY(settings_keys(s, model, "model", settings_bpe));
    s->v->whole_words = weft_json_bool(weft_json_get(model, "ignore_merges"), false);
    WEFT_TRY(settings_pre_bpe(s, pre));
    if (weft_json_kind_of(after) > WEFT_JSON_NULL &&
        !weft_json_is(weft_json_get(after, "type"), "ByteLevel"))
        return settings_refuse(s, after, "decoder", "ByteLevel");
    return WEFT_OK;
}

static weft_err settings_chars_of(settings *s, weft_json all, weft_json model) {
    const weft_json pre = weft_json_get(all, "pre_tokenizer");
    bool chars = false;
    s->v->kind = VOCAB_CHARS;
    WEFT_TRY(settings_keys(s, model, "model", settings_words));
    if (weft_json_is(weft_json_get(pre, "type"), "Split"))
        WEFT_TRY(settings_split_of(s, pre, &chars));
    if (chars) return WEFT_OK;
    return settings_refuse(s, pre, "pre_tokenizer",
                           "Split by \"" VOCAB_CHARS_PATTERN "\": words of one character");
}

weft_err settings_read(weft_vocab *v, reader *r, weft_json all) {
    settings s = {v, r};
    const weft_json model = weft_json_get(all, "model"), type = weft_json_get(model, "type");
    const weft_json normal = weft_json_get(all, "normalizer");
    WEFT_TRY(settings_keys(&s, all, "tokenizer", settings_all));
    if (weft_json_kind_of(normal) > WEFT_JSON_NULL &&
        !weft_json_is(weft_json_get(normal, "type"), "NFC"))
        return settings_refuse(&s, normal, "normalizer", "null or NFC");
    if (weft_json_is(type, "WordLevel")) WEFT_TRY(settings_chars_of(&s, all, model));
    else if (!type.at || weft_json_is(type, "BPE")) WEFT_TRY(settings_bpe_of(&s, all, model));
    else
        return settings_refuse(&s, type, "type of model",
                               "\"BPE\", or \"WordLevel\" of characters");
    WEFT_TRY(settings_keep(&s, VOCAB_NORMALIZER, normal));
    WEFT_TRY(settings_keep(&s, VOCAB_PRE, weft_json_get(all, "pre_tokenizer")));
    WEFT_TRY(settings_keep(&s, VOCAB_POST, weft_json_get(all, "post_processor")));
    return settings_keep(&s, VOCAB_DECODER, weft_json_get(all, "decoder"));
}
