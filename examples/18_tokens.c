/* 18_tokens.c - text as tokens: a vocabulary is learned from a fable, a sentence is cut by it and written
 * as it comes, and the fable becomes windows that a language model could learn from. */
#include <stdio.h>
#include <string.h>
#include <weft/text.h>

static const char fable[] =
    "A weaver had a loom, and the loom had a shuttle, and the shuttle thought that it did all the "
    "work. "
    "\"I run and run,\" said the shuttle to the warp, \"and you only stand there.\" "
    "\"I stand,\" said the warp, \"so that you know where to run.\" "
    "The weaver heard them and took the warp from the loom, and the shuttle ran and ran, and made "
    "a heap of thread. "
    "Then the weaver took the shuttle from the loom, and the warp stood and stood, and stayed what "
    "it was. "
    "When both were on the loom again, the shuttle ran and the warp stood, and neither said a "
    "word, "
    "and in the evening there was cloth.<|endoftext|>";

enum { LENGTH = 12, BATCH = 4, MOST = sizeof fable };

static void show(const weft_vocab *v, const int32_t *ids, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        size_t bytes;
        const unsigned char *const token = weft_vocab_token(v, ids[i], &bytes);
        for (size_t k = 0; k < bytes; k++) /* a part of a character is shown by its number */
            printf(token[k] < 0x80 ? "%c" : "<%02x>", token[k]);
        printf("|");
    }
    printf("\n");
}

int main(void) {
    weft_ctx *c = weft_open("cpu");
    const weft_bytes text = {"fable", fable, sizeof fable - 1};
    weft_vocab *v = weft_vocab_learn(c, &text, 1, &(weft_learn_desc){.size = 340});
    if (!v) return printf("%s\n", weft_error(c)), 1;
    printf("%s vocabulary of %lld tokens, \"<|endoftext|>\" is %d\n", weft_vocab_kind(v),
           (long long)weft_vocab_size(v), (int)weft_vocab_find(v, "<|endoftext|>"));

    /* A sentence that is not in the fable: what was frequent there is one token. */
    static const char sentence[] =
        "The warp and the thread made cloth \xe2\x80\x94 na\xc3\xafve, said the loom.";
    int32_t ids[MOST];
    size_t n;
    weft_vocab_encode(v, sentence, strlen(sentence), NULL, ids, MOST, &n);
    printf("%zu bytes, %zu tokens: ", strlen(sentence), n);
    show(v, ids, (int64_t)n);

    /* Token by token, as a model would write it: characters of several bytes come whole. */
    weft_decoder *d = weft_decoder_new(v);
    for (size_t i = 0; i < n; i++) {
        size_t bytes;
        const char *const piece = weft_decoder_next(d, ids[i], &bytes);
        fwrite(piece, 1, bytes, stdout);
    }
    size_t rest;
    weft_decoder_end(d, &rest);
    weft_decoder_free(d);
    printf("\n%zu bytes are left\n", rest);

    /* The fable as windows that begin anywhere, each with the window one token later. */
    weft_vocab_encode(v, fable, text.bytes, NULL, ids, MOST, &n);
    const weft_tokens_desc windows = {
        .length = LENGTH, .stride = 1, .classes = weft_vocab_size(v), .bits = 32};
    weft_data *data =
        weft_data_parse_tokens(c, (weft_bytes){"fable", ids, n * sizeof *ids}, &windows);
    weft_loader *l = weft_loader_new(c, &(weft_loader_desc){.data = data, .batch = BATCH});
    if (!data || !l) return printf("%s\n", weft_error(c)), 1;
    printf("%zu tokens, %lld windows; the first batch:\n", n, (long long)weft_data_rows(data));
    const void *field[2];
    weft_loader_at(l, 0, field);
    for (int i = 0; i < BATCH; i++) {
        printf("  sees ");
        show(v, (const int32_t *)field[0] + i * LENGTH, LENGTH);
        printf("  next ");
        show(v, (const int32_t *)field[1] + i * LENGTH, LENGTH);
    }
    weft_loader_free(l);
    weft_data_free(data);
    weft_vocab_free(v);
    weft_close(c);
    return 0;
}
