/* bench_html.h - what was measured as a page that needs nothing else. */
#ifndef WEFT_CLI_BENCH_HTML_H
#define WEFT_CLI_BENCH_HTML_H

#include "bench_records.h"

weft_err bench_html_write(const bench_records *k, const char *path); /* all of it, or nothing */

#endif
