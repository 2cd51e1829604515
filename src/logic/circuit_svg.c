/* circuit_svg.c - a picture of a circuit: inputs on the left, each gate right of what it reads.
 *
 * Columns are levels. Inside one, gates stand in the order of where their inputs stand, which keeps
 * most lines short. Gates that no output needs are left out, and so are inputs nothing reads. */
#include "circuit_write.h"

#include <stdlib.h>
#include <string.h>

enum { SVG_COLUMN = 120, SVG_ROW = 34, SVG_WIDE = 62, SVG_HIGH = 20, SVG_EDGE = 20, SVG_TOP = 54 };

typedef struct drawing_node {
    int32_t level; /* column; -1: not drawn */
    int32_t y;     /* of its middle */
    int32_t value;
} drawing_node;

typedef struct drawing {
    const weft_circuit *k;
    drawing_node *node, *sorted; /* of a value; of a column */
    int32_t levels, bottom;      /* columns of values; the lowest middle */
} drawing;

static void svg_levels(drawing *d) {
    const weft_circuit *const k = d->k;
    const int values = k->inputs + k->gates;
    for (int i = 0; i < values; i++) d->node[i] = (drawing_node){.level = -1, .value = i};
    for (int i = 0; i < k->outputs; i++) d->node[k->output[i]].level = 0;
    for (int i = k->gates - 1; i >= 0; i--) {
        const weft_circuit_gate g = k->gate[i];
        if (d->node[k->inputs + i].level < 0) continue;
        if (kind_reads_a(g.kind)) d->node[g.a].level = 0;
        if (kind_reads_b(g.kind)) d->node[g.b].level = 0;
    }
    d->levels = 1;
    for (int i = 0; i < k->gates; i++) {
        const weft_circuit_gate g = k->gate[i];
        drawing_node *const n = &d->node[k->inputs + i];
        if (n->level < 0) continue;
        n->level = 1;
        if (kind_reads_a(g.kind) && d->node[g.a].level >= n->level)
            n->level = d->node[g.a].level + 1;
        if (kind_reads_b(g.kind) && d->node[g.b].level >= n->level)
            n->level = d->node[g.b].level + 1;
        if (n->level >= d->levels) d->levels = n->level + 1;
    }
}

static int svg_compare(const void *a, const void *b) {
    const drawing_node *const x = a, *const y = b;
    if (x->y != y->y) return x->y < y->y ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* At the height wished for, or below the one before. */
static int32_t svg_below(drawing *d, int32_t *next, int32_t wish) {
    const int32_t y = wish > *next ? wish : *next;
    *next = y + SVG_ROW;
    if (y > d->bottom) d->bottom = y;
    return y;
}

/* Column by column: those to the left have their heights when a column is sorted. */
static void svg_rows(drawing *d) {
    const weft_circuit *const k = d->k;
    for (int32_t level = 0; level < d->levels; level++) {
        int n = 0;
        for (int v = 0; v < k->inputs + k->gates; v++) {
            drawing_node *const node = &d->node[v];
            if (node->level != level) continue;
            if (level) { /* the mean of what it reads */
                const weft_circuit_gate g = k->gate[v - k->inputs];
                const bool a = kind_reads_a(g.kind), b = kind_reads_b(g.kind);
                node->y = a && b ? (d->node[g.a].y + d->node[g.b].y) / 2
                          : a    ? d->node[g.a].y
                          : b    ? d->node[g.b].y
                                 : 0;
            }
            d->sorted[n++] = *node;
        }
        qsort(d->sorted, (size_t)n, sizeof *d->sorted, svg_compare);
        int32_t next = SVG_TOP;
        for (int i = 0; i < n; i++)
            d->node[d->sorted[i].value].y = svg_below(d, &next, d->sorted[i].y);
    }
}

static int svg_x(int column) {
    return SVG_EDGE + column * SVG_COLUMN;
}

static void svg_line(text *p, int x0, int y0, int x1, int y1) {
    const int bend = (x1 - x0) / 2 < 40 ? (x1 - x0) / 2 : 40;
    text_add(p, "<path d='M%d %dC%d %d %d %d %d %d'/>\n", x0, y0, x0 + bend, y0, x1 - bend, y1, x1,
             y1);
}

static void svg_from(text *p, const drawing *d, int32_t value, int x, int y) {
    const drawing_node *const n = &d->node[value];
    svg_line(p, svg_x(n->level) + SVG_WIDE, n->y, x, y);
}

static void svg_box(text *p, const char *kind, int x, int y) {
    text_add(p, "<rect class='%s' x='%d' y='%d' width='%d' height='%d' rx='4'/>", kind, x,
             y - SVG_HIGH / 2, SVG_WIDE, SVG_HIGH);
    text_add(p, "<text x='%d' y='%d'>", x + SVG_WIDE / 2, y + 4);
}

static void svg_label(text *p, const char *text) {
    for (; *text; text++)
        if (*text == '&') text_add(p, "&amp;");
        else text_add(p, "%c", *text);
    text_add(p, "</text>\n");
}

static void svg_draw(text *p, const drawing *d, const int32_t *output) {
    const weft_circuit *const k = d->k;
    const int last = svg_x(d->levels);
    text_add(p, "<g class='wires'>\n");
    for (int i = 0; i < k->gates; i++) {
        const drawing_node *const n = &d->node[k->inputs + i];
        const weft_circuit_gate g = k->gate[i];
        if (n->level < 0) continue;
        const bool a = kind_reads_a(g.kind), b = kind_reads_b(g.kind);
        const int apart = a && b ? 5 : 0; /* a comes in above b */
        if (a) svg_from(p, d, g.a, svg_x(n->level), n->y - apart);
        if (b) svg_from(p, d, g.b, svg_x(n->level), n->y + apart);
    }
    for (int i = 0; i < k->outputs; i++) svg_from(p, d, k->output[i], last, output[i]);
    text_add(p, "</g>\n");
    for (int v = 0; v < k->inputs + k->gates; v++) {
        const drawing_node *const n = &d->node[v];
        if (n->level < 0) continue;
        svg_box(p, v < k->inputs ? "end" : "gate", svg_x(n->level), n->y);
        if (v < k->inputs) text_add(p, "x%d</text>\n", v);
        else svg_label(p, weft_gate_text(k->gate[v - k->inputs].kind));
    }
    for (int i = 0; i < k->outputs; i++) {
        svg_box(p, "end", last, output[i]);
        text_add(p, "y%d</text>\n", i);
    }
}

static void svg_head(text *p, const drawing *d, const char *name) {
    const int wide = svg_x(d->levels) + SVG_WIDE + SVG_EDGE;
    const int high = d->bottom + SVG_HIGH / 2 + SVG_EDGE;
    text_add(p,
             "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
             "role='img' aria-label='circuit %s'>\n",
             wide, high, wide, high, name);
    text_add(p, "<style>\n"
                "text{font:12px system-ui,sans-serif;text-anchor:middle;fill:#1f2933}\n"
                "text.title{text-anchor:start;font-weight:600}\n"
                "rect.page{fill:#fff}\n"
                "rect.gate{fill:#eef2f7;stroke:#5b6b7f}\n"
                "rect.end{fill:#dcebe2;stroke:#4b7f62}\n"
                ".wires path{fill:none;stroke:#8a97a8;stroke-width:1.2;stroke-opacity:.75}\n"
                "@media (prefers-color-scheme: dark){\n"
                "text{fill:#e4e9f0}rect.page{fill:#14181d}\n"
                "rect.gate{fill:#232b35;stroke:#8493a6}rect.end{fill:#1f3329;stroke:#6faf8b}\n"
                ".wires path{stroke:#748396}}\n"
                "</style>\n");
    text_add(p, "<rect class='page' width='%d' height='%d'/>\n", wide, high);
    text_add(p, "<text class='title' x='%d' y='24'>%s: %d input%s, %d gate%s, %d output%s</text>\n",
             SVG_EDGE, name, d->k->inputs, d->k->inputs == 1 ? "" : "s", d->k->gates,
             d->k->gates == 1 ? "" : "s", d->k->outputs, d->k->outputs == 1 ? "" : "s");
}

void circuit_write_svg(text *p, const weft_circuit *k, const char *name) {
    const size_t values = (size_t)(k->inputs + k->gates);
    drawing d = {.k = k, .bottom = SVG_TOP};
    d.node = weft_resize(k->c, NULL, (2 * values + 1) * sizeof *d.node);
    int32_t *const output = weft_resize(k->c, NULL, ((size_t)k->outputs + 1) * sizeof *output);
    if (d.node && output) {
        d.sorted = d.node + values;
        svg_levels(&d);
        svg_rows(&d);
        int32_t next = SVG_TOP;
        for (int i = 0; i < k->outputs; i++)
            output[i] = svg_below(&d, &next, d.node[k->output[i]].y);
        svg_head(p, &d, name);
        svg_draw(p, &d, output);
        text_add(p, "</svg>\n");
    } else {
        p->failed = true;
    }
    weft_resize(k->c, d.node, 0);
    weft_resize(k->c, output, 0);
}
