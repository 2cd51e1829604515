/* vocab.c - finds vocabularies; see vocab.h. */
#include "vocab.h"

#include "data.h"

#include <string.h>

weft_vocab *vocab_named(weft_ctx *c, const char *name, weft_bytes text) {
    char path[DATA_PATH];
    if (strcmp(name, "bytes") == 0) return weft_vocab_bytes(c);
    if (strcmp(name, "chars") == 0) {
        if (text.data) return weft_vocab_chars(c, text);
        weft_fail(c, WEFT_ARGUMENT,
                  "the vocabulary \"chars\" is made from a text; name the folder it was saved in");
        return NULL;
    }
    if (strcmp(name, "gpt2") != 0) return weft_vocab_open(c, name);
    if (data_fetched(DATA_GPT2, path, sizeof path)) return weft_vocab_open(c, path);
    weft_fail(c, WEFT_FILE,
              "GPT-2's vocabulary is not here; weft data get gpt2-vocab downloads it");
    return NULL;
}
