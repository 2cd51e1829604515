/* vocab.h - the inside of a vocabulary, as the files of this folder see it.
 *
 * A vocabulary is made in one order: vocab_new, vocab_reserve, vocab_room_for_words, vocab_put and
 * vocab_enter for each token, vocab_room_for_merges, vocab_merge for each merge, vocab_finish. After
 * that it is constant. */
#ifndef WEFT_TEXT_VOCAB_H
#define WEFT_TEXT_VOCAB_H

#include "base/error.h"
#include "base/hash.h"
#include "base/reader.h"
#include "text/split.h"
#include <weft/io.h>
#include <weft/text.h>

#include <string.h>

typedef enum vocab_kind { VOCAB_BPE, VOCAB_CHARS, VOCAB_BYTES } vocab_kind;

enum { /* what a token is */
    VOCAB_HERE = 1,    /* there is one with this id                                           */
    VOCAB_ADDED = 2,   /* recognised in a text before it is split                             */
    VOCAB_SPECIAL = 4, /* one of these, and not text                                          */
    VOCAB_RAW = 8,     /* its bytes are no word: found as an added token, or not at all       */
    VOCAB_WORD = 16,   /* merging its bytes gives this token                                  */
    VOCAB_MADE = 32    /* there is a merge that gives it                                      */
};

typedef struct vocab_token {
    uint32_t at, n; /* its bytes in the pool */
    uint32_t is;
} vocab_token;

typedef struct vocab_pair { /* a slot of the table of merges */
    int32_t left, right;    /* left -1: empty                */
    uint32_t rank;          /* the lowest is merged first    */
    int32_t id;             /* what it becomes               */
} vocab_pair;

typedef struct vocab_word { /* a slot of the table of words */
    uint32_t tag;           /* of its hash                  */
    int32_t id;             /* -1: empty                    */
} vocab_word;

/* Parts of a tokenizer.json that are kept as they were, for saving. */
enum { VOCAB_NORMALIZER, VOCAB_PRE, VOCAB_POST, VOCAB_DECODER, VOCAB_PARTS };

struct weft_vocab {
    weft_ctx *ctx;
    vocab_kind kind;
    splitter split;
    bool whole_words;  /* a word that is a token is not merged from its bytes */
    char *part[VOCAB_PARTS];

    vocab_token *token;
    int32_t size;      /* ids 0 .. size - 1 */
    size_t room;       /* of token */
    unsigned char *pool;
    size_t pool_used, pool_room;

    int32_t byte[256]; /* tokens of one byte; -1: none */
    vocab_word *word;
    size_t words;      /* slots, a power of two */
    vocab_pair *pair;
    size_t pairs;      /* likewise */
    uint32_t merges;

    uint32_t *added;   /* ids of added tokens in the order of their bytes */
    size_t added_count;
    bool added_first[256]; /* bytes that one of them begins with */
};

/* The 256 bytes as the characters that files of byte-level BPE write them as, in the order in which
 * GPT-2 numbers them. */
uint32_t vocab_letter_of(int byte);
int vocab_byte_of(uint32_t letter); /* -1: no byte */

weft_vocab *vocab_new(weft_ctx *c, vocab_kind kind);    /* NULL after weft_fail */
weft_vocab *vocab_done(weft_vocab *v, weft_err e);      /* v, or freed and NULL when e is an error */
weft_err vocab_reserve(weft_vocab *v, size_t ids, size_t bytes);
/* Within what is reserved, and with an id that is free. */
void vocab_put(weft_vocab *v, int32_t id, const void *bytes, size_t n, uint32_t is);
weft_err vocab_room_for_words(weft_vocab *v, size_t n);
bool vocab_enter(weft_vocab *v, int32_t id); /* into the table of words; false: another has these bytes */
weft_err vocab_room_for_merges(weft_vocab *v, size_t n);
bool vocab_merge(weft_vocab *v, int32_t left, int32_t right, int32_t id); /* false: it is there */
/* Which tokens are words, and the list of added tokens. */
weft_err vocab_finish(weft_vocab *v);

/* The added token that n bytes begin with, the longest; -1: none. */
int32_t vocab_added_at(const weft_vocab *v, const unsigned char *p, size_t n);

static inline const unsigned char *vocab_bytes(const weft_vocab *v, int32_t id) {
    return v->pool + v->token[id].at;
}

static inline bool vocab_is_word(const weft_vocab *v, int32_t id) {
    return (v->token[id].is & (VOCAB_HERE | VOCAB_RAW)) == VOCAB_HERE;
}

/* The token that has these bytes and is not RAW; -1: none. */
int32_t vocab_look(const weft_vocab *v, const void *bytes, size_t n, uint64_t hash);
#define vocab_hash(bytes, n) hash_bytes(HASH_START, bytes, n)

/* The slot of a pair, which is empty if there is no such merge. */
static inline vocab_pair *vocab_pair_at(const weft_vocab *v, int32_t left, int32_t right) {
    const uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (v->pairs - 1);
    while (v->pair[i].left >= 0 && (v->pair[i].left != left || v->pair[i].right != right))
        i = (i + 1) & (v->pairs - 1);
    return &v->pair[i];
}

/* Memory that several words or lines take in turn. */
typedef struct vocab_scratch {
    weft_ctx *ctx;
    void *memory;
    size_t bytes;
} vocab_scratch;

void *vocab_memory(vocab_scratch *s, size_t bytes); /* at least that much; NULL after weft_fail */
void vocab_forget(vocab_scratch *s);

/* bpe.c: the tokens of a word, *n of them, in the scratch. */
weft_err bpe_word(const weft_vocab *v, vocab_scratch *s, const unsigned char *bytes, size_t count,
                  const int32_t **ids, size_t *n);

/* settings.c: what a tokenizer.json asks for besides tokens and merges; refuses what is not known. Sets
 * the kind, the rule and the parts of v. */
weft_err settings_read(weft_vocab *v, reader *r, weft_json all);

/* simple.c: reserves room and puts the tokens of the 256 bytes, by value or in GPT-2's order. */
weft_err vocab_put_bytes(weft_vocab *v, size_t ids, size_t bytes, bool by_value);

/* The pattern by which characters are split, in files of characters. */
#define VOCAB_CHARS_PATTERN "[\\s\\S]"

#endif
