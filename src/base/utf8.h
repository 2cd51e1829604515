/* utf8.h - characters of UTF-8, and texts made safe to show. */
#ifndef WEFT_BASE_UTF8_H
#define WEFT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character that n bytes begin with; 0: they begin with none. */
size_t utf8_length(const char *s, size_t n);
/* The same, and its number, which is left alone when there is none. */
size_t utf8_decode(const char *s, size_t n, uint32_t *code);
size_t utf8_encode(uint32_t code, char out[4]);          /* gives the bytes */
bool   utf8_is(const char *s, size_t n);                 /* are they characters, all of them? */

/* What fits of a text that may be anything: whole characters, ? for a byte of none, and a 0; gives the
 * bytes before that. */
size_t utf8_fit(char *out, size_t n, const char *text);

/* The same, safe to show: \x1b for control codes and bytes of no character, \u202e for what turns the
 * direction of writing. Error messages have gone through it. */
size_t escape_text(char *out, size_t n, const char *text);

/* The character that n bytes begin with, as escape_text writes it, and a 0; gives the bytes it took,
 * 0 for none. */
size_t escape_one(char out[12], const char *s, size_t n);

#endif
