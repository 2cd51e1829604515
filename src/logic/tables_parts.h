/* tables_parts.h - what tables.c and tables_replace.c share. */
#ifndef WEFT_LOGIC_TABLES_PARTS_H
#define WEFT_LOGIC_TABLES_PARTS_H

#include "tables.h"

enum { TABLES_SETS = 3, TABLES_LISTS = 4, TABLES_MORE = 2 }; /* MORE: gates one replacement makes */

typedef struct tables {
    net *t;
    uint32_t n;    /* nodes when it began; gates may come while replacing */
    int64_t *work; /* words that may still be looked at */
    size_t words;  /* of a table */
    uint64_t *table, *flipped;    /* [nodes, words]; as it would be were one node inverted */
    uint64_t *set;                /* [TABLES_SETS, words]: scratch */
    uint32_t *refs;               /* of a node: readers and outputs */
    net_literal *instead;         /* what net_replace is to do; room for gates made on the way */
    uint32_t *list[TABLES_LISTS]; /* [2 nodes] each: literals */
    unsigned char *above;         /* of a node: it depends on the one looked at, or is it */
    unsigned char *cone;          /* of a node: it falls away with the one looked at */
    unsigned char *input;         /* of an input: its number among those that are read, from 1 */
} tables;

static inline uint64_t *tables_of(const tables *s, uint32_t node) {
    return s->table + node * s->words;
}

void tables_gate(const tables *s, net_node g, const uint64_t *a, const uint64_t *b, uint64_t *out);

/* Looks for one node to replace, by another or by up to so many gates, downwards from *from, and
 * notes it in instead; *from becomes where the next look starts. False: there is none. */
bool tables_replace(tables *s, int gates, uint32_t *from);

#endif
