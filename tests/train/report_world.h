/* report_world.h - a run made of lines, its report, and the view that every report must stand. */
#ifndef WEFT_TEST_REPORT_WORLD_H
#define WEFT_TEST_REPORT_WORLD_H

#include "run_folder.h" /* first: it says which functions of the system are wanted */

#include "page.h"

typedef struct world {
    run_folder f;
    weft_ctx *c;
    FILE *lines;
    char *page;
} world;

static inline world world_begin(void) {
    world t = {.f = run_make(), .c = weft_open("null")};
    t.lines = fopen(run_path(&t.f, "metrics.jsonl"), "w");
    CHECK(t.lines);
    return t;
}

static inline void world_line(world *t, int step, const char *name, double value) {
    fprintf(t->lines, "{\"step\": %d, \"wall\": %d, \"time\": %.3f, \"%s\": ", step,
            1700000000 + step, step * 0.01, name);
    if (isfinite(value)) fprintf(t->lines, "%.17g}\n", value);
    else fprintf(t->lines, "null}\n");
}

/* Writes the report and takes the general view of it. */
static inline const char *world_page(world *t, const weft_report *r) {
    if (t->lines) fclose(t->lines);
    t->lines = NULL;
    const weft_err e = weft_report_write(t->c, t->f.path, r);
    if (!CHECK_EQ(e, WEFT_OK)) printf("     %s\n", weft_error(t->c));
    free(t->page);
    t->page = run_read(run_path(&t->f, "report.html"), NULL);
    if (!CHECK(t->page)) t->page = strdup("");
    const char *fault = page_fault(t->page);
    if (!CHECK(!fault)) printf("     at: %.120s\n", fault);
    static const char *const never[] = {"http:", "https:", "<link", "@import",
                                        "url(",  "nan%",   "inf%",  "NaN"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(t->page, never[i])) CHECK_STR("the page", never[i]);
    CHECK_EQ(page_count(t->page, "src="),
             page_count(t->page, "src=\"data:image/png;base64,") +
                 page_count(t->page, "src=\"data:image/gif;base64,") +
                 page_count(t->page, "src=\"data:image/svg+xml;base64,"));
    CHECK_EQ(page_count(t->page, "href"), 0);
    return t->page;
}

static inline void world_end(world *t) {
    if (t->lines) fclose(t->lines);
    free(t->page);
    weft_close(t->c);
    run_remove(t->f.path);
}

#endif
