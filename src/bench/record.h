/* record.h - a kept figure as a JSON object, for the files of baselines and histories. */
#ifndef WEFT_BENCH_RECORD_H
#define WEFT_BENCH_RECORD_H

#include <weft/bench.h>
#include <weft/io.h>

enum { RECORD_BYTES = 1024 }; /* at most, of its text */

size_t record_text(char out[RECORD_BYTES], const weft_bench_record *r); /* bytes, no newline */

/* What is wrong with a record: a field that is missing or out of bounds; NULL: nothing. */
const char *record_read(weft_json j, weft_bench_record *out);
const char *record_fault(const weft_bench_record *r);

/* Whether it is the figure that is meant. */
bool record_is(const weft_bench_record *r, const char *name, int threads);

#endif
