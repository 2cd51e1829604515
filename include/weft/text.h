/* text.h - text as tokens: vocabularies, encoding, decoding, vocabularies learned from text.
 *
 * A vocabulary (weft_vocab) numbers pieces of text. The usual one is byte-level BPE, as GPT-2, Llama 3
 * and Qwen have it: text is split into words, and the bytes of a word are merged, pair by pair, in the
 * order of the vocabulary's list of merges. The simplest are characters and bytes.
 *
 *     weft_vocab *v = weft_vocab_open(c, "gpt2");                   a folder, or a file in it
 *     int32_t ids[64];
 *     size_t n;
 *     weft_vocab_encode(v, "Hello world", 11, NULL, ids, 64, &n);   15496, 995
 *     weft_vocab_free(v);
 *
 * BPE and bytes encode any bytes without loss: decode(encode(x)) = x. What
 * is not UTF-8 is encoded byte by byte; for splitting, a byte that belongs to no character counts as
 * a symbol such as "$". Characters need UTF-8, and every character must be in the vocabulary.
 *
 * A vocabulary is immutable: several threads may use one at the same time, each with its own
 * context (weft_encode_desc.ctx). Files are not trusted, as in io.h; a setting in a file that Weft
 * does not support is an error that names it. docs/text.md has the list. */
#ifndef WEFT_TEXT_H
#define WEFT_TEXT_H

#include <weft/data.h>
#include <weft/weft.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- vocabularies: NULL on failure, weft_error says why ------------------------------------ */

typedef struct weft_vocab weft_vocab;

WEFT_API weft_vocab *weft_vocab_open (weft_ctx *c, const char *path);
    /* a folder with tokenizer.json, vocab.json and merges.txt, or encoder.json and vocab.bpe; or the
       path of one of these files */
WEFT_API weft_vocab *weft_vocab_parse(weft_ctx *c, weft_bytes vocab, weft_bytes merges);
    /* the same from memory; merges without data: vocab is a tokenizer.json */
WEFT_API weft_vocab *weft_vocab_chars(weft_ctx *c, weft_bytes text);
    /* the characters (code points) of a text, numbered in their order; UTF-8 without zeros */
WEFT_API weft_vocab *weft_vocab_bytes(weft_ctx *c);                       /* all 256, id = value */

typedef struct weft_learn_desc {
    int64_t size;                 /* tokens, bytes and special ones included; 0: 4096 */
    const char *const *special;   /* names of special tokens, numbered last; NULL: "<|endoftext|>" */
    size_t specials;              /* how many */
    bool no_special;              /* none */
} weft_learn_desc;
WEFT_API weft_vocab *weft_vocab_learn(weft_ctx *c, const weft_bytes *texts, size_t n,
        const weft_learn_desc *d);
    /* byte-level BPE with GPT-2's words: merges the most frequent pair, repeatedly; equal counts:
       the pair with the lower ids. Smaller than asked if no pair occurs twice. d NULL: all zero */
WEFT_API weft_err    weft_vocab_save(const weft_vocab *v, const char *folder);
    /* writes folder/tokenizer.json, for weft_vocab_open and other programs; creates the
       folder */
WEFT_API void        weft_vocab_free(weft_vocab *v);                      /* NULL is fine */

WEFT_API const char *weft_vocab_kind(const weft_vocab *v);                /* "bpe", "chars", "bytes" */
WEFT_API int64_t     weft_vocab_size(const weft_vocab *v);
    /* ids are 0 .. size - 1; some may have no token */
WEFT_API int32_t     weft_vocab_find(const weft_vocab *v, const char *name);
    /* the id of a special token, "<|endoftext|>"; -1: none */
WEFT_API bool        weft_vocab_special(const weft_vocab *v, int32_t id);  /* is it a special token? */
WEFT_API const void *weft_vocab_token(const weft_vocab *v, int32_t id, size_t *n);
    /* its n bytes, which may be part of a character; NULL: no such token */

/* ---- encoding and decoding ----------------------------------------------------------------- */

typedef struct weft_encode_desc {
    bool plain;       /* names of special tokens are ordinary text: for untrusted text */
    weft_ctx *ctx;    /* for memory and errors; NULL: the vocabulary's. Other threads need their own */
} weft_encode_desc;
WEFT_API weft_err weft_vocab_encode(const weft_vocab *v, const void *text, size_t n,
        const weft_encode_desc *d, int32_t *ids, size_t room, size_t *count);
    /* writes the first `room` ids; *count: how many there are, never more than n. No token is put
       before or after the text. Time is in proportion to n, log n for a word. d NULL: all zero */
WEFT_API weft_err weft_vocab_decode(const weft_vocab *v, const int32_t *ids, size_t n, void *text,
        size_t room, size_t *count);
    /* writes the first `room` bytes; *count: how many there are; an id without a token is an error */

/* Streaming decoding, token by token: the output is whole characters. */
typedef struct weft_decoder weft_decoder;
WEFT_API weft_decoder *weft_decoder_new (const weft_vocab *v);
    /* NULL: weft_error; the vocabulary must outlive it */
WEFT_API void          weft_decoder_free(weft_decoder *d);                /* NULL is fine */
WEFT_API const char   *weft_decoder_next(weft_decoder *d, int32_t id, size_t *n);
    /* the n bytes, maybe none, that are complete with this token, valid until the next call; bytes
       that cannot be a character become U+FFFD. NULL: an id without a token */
WEFT_API const char   *weft_decoder_end (weft_decoder *d, size_t *n);
    /* the rest: an incomplete character is U+FFFD; another text may follow */

#ifdef __cplusplus
}
#endif
#endif
