/* split.h - text into words, as the published patterns of vocabularies do it.
 *
 * A word is what merges may join: letters with the space before them, numbers, symbols, white space. A
 * splitter is constant once it is started. */
#ifndef WEFT_TEXT_SPLIT_H
#define WEFT_TEXT_SPLIT_H

#include "base/error.h"

/* The rules. Patterns of one rule split in the same way; each is written as it was published, escaped for
 * C. \s is Unicode's White_Space.
     rule    pattern */
#define SPLIT_PATTERNS(X)                                                                               \
    X(GPT2,  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+")      \
    X(GPT2,  "'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+")         \
    X(LLAMA, "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|"                   \
             " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")                           \
    X(QWEN,  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|"                        \
             " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")

typedef enum split_rule { SPLIT_GPT2, SPLIT_LLAMA, SPLIT_QWEN } split_rule;
typedef enum split_class { SPLIT_OTHER, SPLIT_LETTER, SPLIT_NUMBER, SPLIT_SPACE } split_class;

typedef struct splitter {
    split_rule rule;
    bool digits;              /* numbers are first set apart, each by itself */
    unsigned char ascii[128]; /* their classes                               */
    unsigned char *classes;   /* of all characters, four a byte              */
} splitter;

weft_err split_start(splitter *s, weft_ctx *c);
void split_end(splitter *s, weft_ctx *c);

/* A walk over a text: at moves to the end. */
typedef struct split_walk {
    const splitter *s;
    const unsigned char *at, *end;
    const unsigned char *stop; /* where the rule sees the text end: a number set apart, or end */
} split_walk;

/* Bytes of the next word, which begins at w->at before the call and ends there after it; 0: the end. */
size_t split_next(split_walk *w);

#endif
