/* report_plates.c - figures from files, each in a section of its own.
 *
 * They are shown from a data address, which keeps the style of an SVG to itself and lets no script
 * in it run. What a file holds is known by its first bytes; the rest is left to the browser.
 * Drawings fit the page until they are clicked on; then they have their own size. */
#include "report.h"

#include <string.h>

enum { PLATE_BYTES = 16 << 20 };

/* clang-format off */
/*              begins with   bytes  type           pixels are to be seen as squares */
#define PLATE_KINDS(X)                                                                             \
    X("GIF89a",               6,     "image/gif",     true)                                        \
    X("GIF87a",               6,     "image/gif",     true)                                        \
    X("\x89PNG\r\n\x1a\n",    8,     "image/png",     false)                                       \
    X("<svg",                 4,     "image/svg+xml", false)                                       \
    X("<?xml",                5,     "image/svg+xml", false)
/* clang-format on */

typedef struct plate_kind {
    const char *begin;
    size_t n;
    const char *type;
    bool squares;
} plate_kind;

static const plate_kind plate_kinds[] = {
#define X(begin, n, type, squares) {begin, n, type, squares},
    PLATE_KINDS(X)
#undef X
};

static const plate_kind *plate_kind_of(const weft_figure *p) {
    for (size_t i = 0; p->bytes && i < sizeof plate_kinds / sizeof *plate_kinds; i++)
        if (p->n > plate_kinds[i].n &&
            memcmp(p->bytes, plate_kinds[i].begin, plate_kinds[i].n) == 0)
            return &plate_kinds[i];
    return NULL;
}

static size_t figure_count(const report *r) {
    return r->asked && r->asked->figures ? r->asked->figure_count : 0;
}

weft_err report_plates_check(const report *r) {
    for (size_t i = 0; i < figure_count(r); i++) {
        const weft_figure *const p = &r->asked->figures[i];
        if (!p->title || p->n > PLATE_BYTES || !plate_kind_of(p))
            return weft_fail(
                r->c, WEFT_ARGUMENT,
                "weft_report_write: plate %zu has %zu bytes%s; a title and what an SVG, "
                "GIF or PNG file of up to %d bytes holds was expected",
                i, p->n, p->title ? "" : " and no title", PLATE_BYTES);
    }
    return WEFT_OK;
}

void report_plates(report *r) {
    text *const d = &r->page;
    for (size_t i = 0; i < figure_count(r); i++) {
        const weft_figure *const p = &r->asked->figures[i];
        const plate_kind *const kind = plate_kind_of(p);
        text_put(d, "<section>\n<h2>");
        text_html(d, p->title);
        text_add(d, "</h2>\n<figure class=\"plate\">%s<span><img%s alt=\"",
                 kind->squares ? "" : "<label><input type=\"checkbox\" aria-label=\"full size\"/>",
                 kind->squares ? " class=\"small\"" : "");
        text_html(d, p->title);
        text_add(d, "\" src=\"data:%s;base64,", kind->type);
        report_base64(d, p->bytes, p->n);
        text_add(d, "\"/></span>%s", kind->squares ? "" : "</label>");
        if (p->caption) {
            text_put(d, "<figcaption>");
            text_html(d, p->caption);
            text_put(d, "</figcaption>");
        }
        text_put(d, "</figure>\n</section>\n");
    }
}
