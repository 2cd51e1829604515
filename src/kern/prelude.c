/* prelude.c - which helpers a source text needs, laid out for reading. Knows nothing of kernels. */
#include "kern/prelude.h"
#include "kern/emit.h"

#include <assert.h>

/* Whether `word` stands in `s` as an identifier of its own. */
static bool prelude_names(const char *s, const char *word) {
    const size_t n = strlen(word);
    for (const char *p = s; (p = strstr(p, word)); p += n) {
        const char end = p[n], before = p > s ? p[-1] : ' ';
        const bool joined = (end >= 'a' && end <= 'z') || (end >= '0' && end <= '9') ||
                            end == '_' || (before >= 'a' && before <= 'z') || before == '_';
        if (!joined) return true;
    }
    return false;
}

static void prelude_indent(text *t, int depth) {
    text_raw(t, "\n", 1);
    while (depth-- > 0) text_raw(t, "    ", 4);
}

/* Long one-line code with a line per statement again. */
static void prelude_layout(text *t, const char *s) {
    enum { LINE = 100 };
    int depth = 0, parens = 0;
    if (strlen(s) <= LINE) {
        text_raw(t, s, strlen(s));
        return;
    }
    for (; *s; s++) {
        if (*s == '(') parens++;
        if (*s == ')') parens--;
        if (*s == '}') {
            if (t->n && t->s[t->n - 1] == ' ') t->n--;
            prelude_indent(t, --depth);
        }
        text_raw(t, s, 1);
        if (*s == '{') depth++;
        const bool brk = (*s == ';' && !parens) || *s == '{' || *s == '}';
        if (!brk || !s[1]) continue;
        while (s[1] == ' ') s++;
        if (s[1] && s[1] != '}') prelude_indent(t, depth);
    }
}

void emit_prelude_for(text *t, emit_language lang, const char *body) {
    enum { LISTS = 3, PARTS = 160 };
    static const prelude_part *const lists[][LISTS] = {
        [EMIT_C] = {prelude_c, prelude_shared},
        [EMIT_CUDA] = {prelude_cuda, prelude_shared, prelude_cuda_fold},
        [EMIT_WGSL] = {prelude_wgsl},
    };
    static const char *const prefix[] = {
        [EMIT_C] = "static inline ",
        [EMIT_CUDA] = "static __device__ inline ",
        [EMIT_WGSL] = "",
    };
    const prelude_part *part[PARTS];
    bool needed[PARTS];
    int n = 0;
    for (int l = 0; l < LISTS && lists[lang][l]; l++)
        for (const prelude_part *p = lists[lang][l]; p->name; p++) {
            assert(n < PARTS);
            part[n++] = p;
        }
    /* Parts rely on earlier ones only, so one downward loop meets every caller first. */
    for (int i = n; i-- > 0;) {
        needed[i] = !body || prelude_names(body, part[i]->name);
        for (int j = i + 1; j < n && !needed[i]; j++)
            needed[i] = needed[j] && prelude_names(part[j]->text, part[i]->name);
    }
    if (lang == EMIT_C) text_add(t, "#include <math.h>\n#include <string.h>\n\n");
    for (int i = 0; i < n; i++) {
        if (!needed[i]) continue;
        text_add(t, "%s", prefix[lang]);
        prelude_layout(t, part[i]->text);
        text_raw(t, "\n", 1);
    }
}

void emit_prelude(text *t, emit_language lang) {
    emit_prelude_for(t, lang, NULL);
}

bool emit_source(text *t, emit_language lang, const kernel *k, const buffer *buf,
                 const char *name) {
    text body = {.m = t->m};
    bool done = emit_kernel(&body, lang, k, buf, name) && !body.failed;
    if (done) {
        emit_prelude_for(t, lang, body.s);
        text_add(t, "\n%s", body.s);
    }
    mem_free(t->m, body.s);
    return done && !t->failed;
}
