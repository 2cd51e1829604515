/* nearest.h - the most similar of several names. */
#ifndef WEFT_NEAREST_H
#define WEFT_NEAREST_H

/* Names are offered one by one; what was typed may be a beginning, or have a slip or two. */
typedef struct nearest {
    const char *typed;
    int length;       /* of typed that counts        */
    const char *best; /* so far; NULL: nothing near  */
    int distance;
} nearest;

nearest nearest_to(const char *typed, int length);
void nearest_offer(nearest *n, const char *name);
void nearest_ask(const nearest *n, const char *before); /* "did you mean --name? " on stderr */

#endif
