/* corpus.h - texts as tokens: what a language model learns from, and what it is judged by. */
#ifndef WEFT_CORPUS_H
#define WEFT_CORPUS_H

#include <weft/data.h>
#include <weft/text.h>

typedef struct corpus {
    int32_t *ids; /* all texts, one behind the other; NULL: in a file of tokens */
    char    *file;
    int64_t  count;           /* of tokens */
    int64_t  split;           /* the first of those that are not learned from */
    size_t   bytes, held_out; /* of text, in all and behind the split; 0: unknown */
} corpus;

/* The characters of all files as a vocabulary. */
weft_vocab *corpus_chars(weft_ctx *c, char *const *files, int count);

/* Texts, or one file of tokens (its name ends in .bin). The last `share` of the tokens is held out.
 * Texts are separated by "<|endoftext|>" where the vocabulary has it. */
weft_err corpus_open(corpus *k, weft_ctx *c, char *const *files, int count, const weft_vocab *v,
                     double share);
void corpus_free(corpus *k);

/* Windows of length tokens: those that begin anywhere in the first part, or one behind the other in
 * the part that is held out. NULL: weft_error. */
weft_data *corpus_windows(const corpus *k, weft_ctx *c, int64_t length, int64_t classes,
                          bool held_out);

#endif
