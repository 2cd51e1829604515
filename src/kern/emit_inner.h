/* emit_inner.h - what the two files of the emitter share: what is known of a kernel while it is
 * printed (emit.c finds it out and lays out the loops), and single instructions as text
 * (emit_code.c). */
#ifndef WEFT_EMIT_INNER_H
#define WEFT_EMIT_INNER_H

#include "kern/emit.h"

typedef struct emit_words {
    const char *keep[3], *vary[3];  /* a constant or a variable of a register type */
    const char *index, *index_keep; /* loop variables */
    const char *wide;               /* before a register that becomes an index */
    const char *where;              /* a condition, b, c */
    const char *to_i32;
    bool spread; /* rows and elements are shared out over threads */
} emit_words;

/* Expressions of an instruction; "": it has none and is written otherwise. */
typedef struct emit_row {
    const char *f32, *i32;
} emit_row;
extern const emit_row emit_rows[K_COUNT];

typedef enum emit_place { AT_TOP, AT_ROW, AT_ELEMENT } emit_place;
typedef struct emit_fact {
    uint8_t place;
    bool used, here;
    uint16_t phase;
} emit_fact;

typedef struct emitter {
    text *t;
    emit_language lang;
    const emit_words *w;
    const kernel *k;
    emit_fact *fact; /* of each instruction */
    uint32_t buf[EMIT_BUFFERS];
    bool read[EMIT_BUFFERS], written[EMIT_BUFFERS];
    bool apart; /* C: nothing that is written lies in two buffers */
    int bufs, dims, depth;
    int last;                   /* phase of the stores */
    int share_items, share_row; /* elements of one word, which one thread must write */
} emitter;

WEFT_INLINE bool emit_is_map(const kernel *k) {
    return k->reduce == 0;
}
WEFT_INLINE bool emit_is_fold(int op) {
    return kins_table[op].kind == KINS_FOLD;
}
WEFT_INLINE bool emit_has_view(int op) {
    return kins_table[op].view;
}
WEFT_INLINE bool emit_is_reduce(const kernel *k, int d) {
    return d >= k->outer && d < k->outer + k->reduce;
}
WEFT_INLINE int emit_operand(const kins *i, int n) {
    return n == 0 ? i->a : n == 1 ? i->b : i->c;
}

/* ---- emit_code.c ---- */

int emit_slot(const emitter *e, uint32_t buf); /* number of the parameter, or -1 */
void emit_line(emitter *e);                    /* begin a line: the indentation */
void emit_close(emitter *e);                   /* a closing brace */
void emit_form(text *t, const char *form, const char *a, const char *b, const char *c);
const char *emit_register(char s[16], int number);
bool emit_instruction(emitter *e, int i); /* declares its register */
void emit_store(emitter *e, int i);

#endif
