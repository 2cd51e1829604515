/* detect_write.h - labels as lines of CSV or JSON.
 *
 * A line has the point's number, the kept texts, the values, score, label, what was expected and,
 * of a change, the point it began with. What is not there is an empty cell, or null. */
#ifndef WEFT_DETECT_WRITE_H
#define WEFT_DETECT_WRITE_H

#include <weft/data.h>
#include <weft/stream.h>

#include <stdio.h>

void detect_write_names(FILE *to, const weft_rows *r); /* the first line of CSV */
void detect_write_csv(FILE *to, const weft_rows *r, int64_t point, const weft_point *p);
void detect_write_json(FILE *to, const weft_rows *r, int64_t point, const weft_point *p);

#endif
