/* vocab.h - vocabularies by the names that --vocab takes. */
#ifndef WEFT_CLI_VOCAB_H
#define WEFT_CLI_VOCAB_H

#include <weft/text.h>

#define VOCAB_NAMES "gpt2|chars|bytes|FOLDER"

/* gpt2: what `weft data get gpt2-vocab` brought; chars: the characters of the text; bytes; or a folder
 * or file that weft_vocab_open reads. NULL: weft_error. */
weft_vocab *vocab_named(weft_ctx *c, const char *name, weft_bytes text);

#endif
