/* json.h - one JSON object on one line, written as it is told.
 *
 * Nothing is kept but the depth and whether a comma is due. Keys are NULL inside arrays. Numbers
 * that JSON cannot say (nan, infinity) are written as null. */
#ifndef WEFT_JSON_H
#define WEFT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *to;
    int depth;
    bool comma;
    char close[8]; /* what ends each level */
} json;

json json_begin(FILE *to);                                   /* {                       */
void json_end(json *j);                                      /* every open level, \n    */
void json_text(json *j, const char *key, const char *value); /* NULL is null            */
void json_number(json *j, const char *key, double value);    /* 9 significant digits    */
void json_integer(json *j, const char *key, int64_t value);
void json_bool(json *j, const char *key, bool value);
void json_raw(json *j, const char *key, const char *value); /* JSON already        */
void json_open(json *j, const char *key, char bracket); /* '{' or '['              */
void json_close(json *j);

#endif
