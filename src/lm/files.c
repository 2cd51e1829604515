/* files.c - the weights of a model in published files: safetensors, whole or in shards.
 *
 * Loading maps the files. The names of the network's entries, which follow from recording it, are
 * looked up in the archive, whose names may lack their first part; everything is compared before any
 * value is set. Weights in 16 and 8 bits are made here, and what they lose is measured. */
#include "base/glob.h"
#include "base/half.h"
#include "base/mem.h"
#include "base/path.h"
#include "lm/lm_parts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILES_PATH = 4096, FILES_NAME = 1100, FILES_CHUNK = 1 << 18 /* numbers widened at once */ };

/* Arrays that files have beside weights: masks and tables that are computed here, and what a
 * checkpoint has for the training. */
static const char *const files_ignored[] = {
    "*.attn.bias", "*.attn.masked_bias", "*.rotary_emb.inv_freq", "optim.*", "rng.*", NULL};

bool lm_is_weight(const weft_lm_config *m, const char *name) {
    const char *const scope = lm_scope(m);
    const size_t n = strlen(scope);
    const bool inside = strncmp(name, scope, n) == 0 && name[n] == '.';
    if (!inside && strcmp(name, "lm_head.weight") != 0) return false;
    return !glob_match("*.lora_?.weight", name) && !glob_match("*.weight_scale", name);
}

bool lm_is_transposed(const weft_lm_config *m, const char *name) {
    return m->family == WEFT_LM_GPT2 && glob_match("*.c_*.weight", name);
}

/* ---- opening ---- */

/* The path itself, or what a folder has. */
static weft_err files_place(weft_ctx *c, const char *path, const char *const *names,
                            char out[FILES_PATH]) {
    for (int i = 0; names[i]; i++) {
        const int n = snprintf(out, FILES_PATH, "%s/%s", path, names[i]);
        if (n > 0 && n < FILES_PATH && path_exists(out)) return WEFT_OK;
    }
    const int n = snprintf(out, FILES_PATH, "%s", path);
    if (n > 0 && n < FILES_PATH && path_exists(out)) return WEFT_OK;
    return weft_fail(c, WEFT_FILE, "%s: no %s", path, names[0]);
}

/* One file, and many; a folder has either. */
static const char *const files_names[] = {"model.safetensors", "model.safetensors.index.json",
                                          NULL};

static weft_archive *files_open(weft_ctx *c, const char *path) {
    char place[FILES_PATH];
    return files_place(c, path, files_names, place) == WEFT_OK ? weft_archive_open(c, place) : NULL;
}

/* ---- comparing ---- */

typedef struct files_load {
    weft_ctx *c;
    weft_state *s;
    const weft_lm_config *m;
    weft_archive *a;
    const char *path;
    weft_lm_loaded *out;
    double lost, all, worst; /* sums of squares: of what was rounded off, of weights; a share */
    float *wide;             /* 2 FILES_CHUNK numbers */
    void *own;               /* room for the largest array that is converted, .. */
    float *scale;            /* .. and for the factors of the one with the most outputs */
    size_t own_bytes, outputs;
} files_load;

/* The name that a file has for an entry: its own, or without the first part. NULL: none. */
static const char *files_name(const files_load *l, const char *name) {
    const char *const scope = lm_scope(l->m), *const rest = name + strlen(scope) + 1;
    if (weft_archive_has(l->a, name)) return name;
    return strncmp(name, scope, strlen(scope)) == 0 && weft_archive_has(l->a, rest) ? rest : NULL;
}

static bool files_is_real(weft_file_type t) {
    return t == WEFT_FILE_F32 || t == WEFT_FILE_BF16 || t == WEFT_FILE_F16 || t == WEFT_FILE_F64;
}

/* Numbers of an array, widened. */
static weft_err files_read(const files_load *l, const weft_array *from, int64_t at, int64_t n,
                           float *to) {
    const size_t bytes = weft_file_type_size(from->type);
    weft_array part = *from;
    part.dims = weft_dims(n);
    part.data = (const char *)from->data + (size_t)at * bytes;
    part.bytes = (size_t)n * bytes;
    return weft_array_read_f32(l->c, &part, to, (size_t)n);
}

static int64_t files_numbers(const weft_array *x) {
    return (int64_t)(x->bytes / weft_file_type_size(x->type));
}

static int64_t files_chunk(int64_t at, int64_t all) {
    return all - at < FILES_CHUNK ? all - at : FILES_CHUNK;
}

/* What becomes 8 bits has a largest magnitude. */
static weft_err files_finite(const files_load *l, const weft_array *from) {
    const int64_t all = files_numbers(from);
    for (int64_t at = 0, n; at < all; at += n) {
        n = files_chunk(at, all);
        WEFT_TRY(files_read(l, from, at, n, l->wide));
        for (int64_t i = 0; i < n; i++)
            if (!isfinite(l->wide[i]))
                return weft_fail(
                    l->c, WEFT_FORMAT,
                    "%s: \"%.100s\": element %lld is not finite and cannot be stored in 8 bits",
                    l->path, from->name, (long long)(at + i));
    }
    return WEFT_OK;
}

static weft_err files_compare(files_load *l, const weft_entry *e) {
    weft_array t;
    const char *const name = files_name(l, e->name);
    if (!name) return weft_fail(l->c, WEFT_STATE, "%s: no array \"%.100s\"", l->path, e->name);
    WEFT_TRY(weft_archive_find(l->a, name, &t));
    bool same = t.dims.rank == e->dims.rank && files_is_real(t.type);
    for (int k = 0; same && k < t.dims.rank; k++) same = t.dims.n[k] == e->dims.n[k];
    if (!same) {
        char has[100], wants[100];
        return weft_fail(
            l->c, WEFT_STATE, "%s: \"%.100s\": expected %s of floats as in config.json, got %s %s",
            l->path, name, shape_text(wants, sizeof wants, e->dims.rank, e->dims.n),
            weft_file_type_name(t.type), shape_text(has, sizeof has, t.dims.rank, t.dims.n));
    }
    if (t.type == weft_file_type_of(e->dtype)) return WEFT_OK;
    if (e->bytes > l->own_bytes) l->own_bytes = e->bytes;
    if (e->dtype != WEFT_I8) return WEFT_OK;
    const size_t outputs = (size_t)e->dims.n[lm_is_transposed(l->m, e->name) ? 1 : 0];
    if (outputs > l->outputs) l->outputs = outputs;
    return files_finite(l, &t);
}

/* Has the state an entry that the file calls so? */
static bool files_known(const files_load *l, const char *name) {
    for (size_t i = 0; i < weft_state_count(l->s); i++) {
        weft_entry e;
        if (weft_state_entry(l->s, i, &e) != WEFT_OK || !lm_is_weight(l->m, e.name)) continue;
        const char *const own = files_name(l, e.name);
        if (own && strcmp(own, name) == 0) return true;
    }
    return false;
}

/* A weight that the network does not have is a sign of another network. */
static weft_err files_no_more(const files_load *l) {
    for (size_t i = 0; i < weft_archive_count(l->a); i++) {
        weft_array t;
        WEFT_TRY(weft_archive_list(l->a, i, &t));
        bool known = files_known(l, t.name);
        for (int k = 0; !known && files_ignored[k]; k++)
            known = glob_match(files_ignored[k], t.name);
        if (known || (!l->m->untied && strcmp(t.name, "lm_head.weight") == 0)) continue;
        return weft_fail(l->c, WEFT_STATE,
                         "%s: \"%.100s\" does not belong to the network of config.json", l->path,
                         t.name);
    }
    return WEFT_OK;
}

/* ---- narrowing ---- */

/* A weight as rows and columns; outputs are rows, or columns if transposed. */
typedef struct files_matrix {
    int64_t rows, columns;
    bool transposed;
    int64_t row, column; /* a place in it */
} files_matrix;

/* The output that the number at this place belongs to; then the place is the next. */
static int64_t files_output(files_matrix *x) {
    const int64_t output = x->transposed ? x->column : x->row;
    if (++x->column == x->columns) x->column = 0, x->row++;
    return output;
}

/* The largest magnitude of each output over 127. */
static weft_err files_scale(const files_load *l, const weft_array *from, files_matrix x) {
    const int64_t outputs = x.transposed ? x.columns : x.rows, all = x.rows * x.columns;
    for (int64_t i = 0; i < outputs; i++) l->scale[i] = 0;
    for (int64_t at = 0, n; at < all; at += n) {
        n = files_chunk(at, all);
        WEFT_TRY(files_read(l, from, at, n, l->wide));
        for (int64_t i = 0; i < n; i++) {
            float *const most = &l->scale[files_output(&x)];
            const float v = fabsf(l->wide[i]);
            if (v > *most) *most = v;
        }
    }
    for (int64_t i = 0; i < outputs; i++) l->scale[i] /= 127;
    return WEFT_OK;
}

static weft_err files_quantise(files_load *l, const weft_array *from, files_matrix x) {
    int8_t *const to = l->own;
    const int64_t all = x.rows * x.columns;
    WEFT_TRY(files_scale(l, from, x));
    for (int64_t at = 0, n; at < all; at += n) {
        n = files_chunk(at, all);
        WEFT_TRY(files_read(l, from, at, n, l->wide));
        for (int64_t i = 0; i < n; i++) {
            const float by = l->scale[files_output(&x)], v = l->wide[i];
            /* a factor without all its digits, for weights near the smallest number, takes more */
            const float whole = by > 0 ? fmaxf(fminf(rintf(v / by), 127), -127) : 0;
            to[at + i] = (int8_t)whole;
            l->lost += (double)(v - whole * by) * (v - whole * by);
            l->all += (double)v * v;
        }
    }
    return WEFT_OK;
}

/* To 16 bits, and what that loses. */
static weft_err files_round(files_load *l, const weft_array *from, const weft_entry *e) {
    const weft_file_type type = weft_file_type_of(e->dtype);
    const weft_array to = {from->name, type, e->dims, l->own, e->bytes};
    float *const back = l->wide + FILES_CHUNK;
    const int64_t all = files_numbers(from);
    WEFT_TRY(weft_array_convert(l->c, from, type, l->own, e->bytes));
    for (int64_t at = 0, n; at < all; at += n) {
        n = files_chunk(at, all);
        WEFT_TRY(files_read(l, from, at, n, l->wide));
        WEFT_TRY(files_read(l, &to, at, n, back));
        for (int64_t i = 0; i < n; i++) {
            l->lost += (double)(l->wide[i] - back[i]) * (l->wide[i] - back[i]);
            l->all += (double)l->wide[i] * l->wide[i];
        }
    }
    return WEFT_OK;
}

/* ---- setting ---- */

static weft_err files_set_narrow(files_load *l, const weft_entry *e, const weft_array *from) {
    if (e->dtype != WEFT_I8) {
        WEFT_TRY(files_round(l, from, e));
        return weft_state_set(l->s, e->name, l->own, e->bytes);
    }
    assert(e->dims.rank == 2);
    const files_matrix x = {.rows = e->dims.n[0],
                            .columns = e->dims.n[1],
                            .transposed = lm_is_transposed(l->m, e->name)};
    const size_t outputs = (size_t)(x.transposed ? x.columns : x.rows);
    char name[FILES_NAME];
    snprintf(name, sizeof name, "%s_scale", e->name);
    WEFT_TRY(files_quantise(l, from, x));
    WEFT_TRY(weft_state_set(l->s, e->name, l->own, e->bytes));
    return weft_state_set(l->s, name, l->scale, outputs * sizeof *l->scale);
}

static weft_err files_set(files_load *l, const weft_entry *e) {
    weft_array from;
    WEFT_TRY(weft_archive_find(l->a, files_name(l, e->name), &from));
    l->out->bytes += (int64_t)e->bytes;
    if (from.type == weft_file_type_of(e->dtype))
        return weft_state_set(l->s, e->name, from.data, from.bytes);
    if (e->dtype == WEFT_F32) {
        WEFT_TRY(weft_array_convert(l->c, &from, WEFT_FILE_F32, l->own, e->bytes));
        return weft_state_set(l->s, e->name, l->own, e->bytes);
    }
    const double lost = l->lost, all = l->all;
    WEFT_TRY(files_set_narrow(l, e, &from));
    const double share = l->all > all ? (l->lost - lost) / (l->all - all) : 0;
    if (share > l->worst) {
        l->worst = share;
        snprintf(l->out->worst_name, sizeof l->out->worst_name, "%s", e->name);
    }
    return WEFT_OK;
}

typedef weft_err files_each(files_load *l, const weft_entry *e);
static weft_err files_for_all(files_load *l, files_each *each) {
    for (size_t i = 0; i < weft_state_count(l->s); i++) {
        weft_entry e;
        WEFT_TRY(weft_state_entry(l->s, i, &e));
        if (lm_is_weight(l->m, e.name)) WEFT_TRY(each(l, &e));
    }
    return WEFT_OK;
}

/* Memory for what the files need to be converted; nothing, if that is nothing. */
static weft_err files_room(files_load *l) {
    if (l->own_bytes) l->own = weft_resize(l->c, NULL, l->own_bytes);
    if (l->outputs) l->scale = weft_resize(l->c, NULL, l->outputs * sizeof *l->scale);
    if ((l->own || !l->own_bytes) && (l->scale || !l->outputs)) return WEFT_OK;
    return weft_fail(l->c, WEFT_MEMORY, "%s: out of memory", l->path);
}

weft_err weft_lm_load(weft_state *s, const weft_lm_config *m, const char *path,
                      const weft_lm_desc *d, weft_lm_loaded *out) {
    weft_ctx *const c = weft_state_ctx(s);
    weft_lm_loaded own;
    if (!out) out = &own;
    *out = (weft_lm_loaded){0};
    if (!s || !path)
        return weft_fail(c, WEFT_ARGUMENT, "weft_lm_load: the %s is NULL", s ? "path" : "state");
    WEFT_TRY(weft_lm_config_check(c, m));
    files_load l = {.c = c, .s = s, .m = m, .path = path, .out = out};
    l.a = files_open(c, path);
    if (!l.a) return weft_error_code(c);
    weft_err e = lm_record(s, m, d);
    l.wide = weft_resize(c, NULL, 2 * FILES_CHUNK * sizeof *l.wide);
    if (!l.wide) e = weft_fail(c, WEFT_MEMORY, "%s: out of memory", path);
    if (e == WEFT_OK) e = files_for_all(&l, files_compare);
    if (e == WEFT_OK) e = files_no_more(&l);
    if (e == WEFT_OK) e = files_room(&l);
    if (e == WEFT_OK) e = files_for_all(&l, files_set); /* nothing is missing from here on */
    if (l.all > 0) out->error = sqrt(l.lost / l.all), out->worst = sqrt(l.worst);
    weft_resize(c, l.wide, 0);
    weft_resize(c, l.own, 0);
    weft_resize(c, l.scale, 0);
    weft_archive_free(l.a);
    return e;
}

/* ---- saving ---- */

static weft_err files_put(weft_state *s, weft_archive *a, const weft_entry *e, weft_dtype type) {
    weft_ctx *const c = weft_state_ctx(s);
    if (e->dtype != WEFT_F32)
        return weft_fail(c, WEFT_STATE,
                         "weft_lm_save: \"%.100s\" is stored as %s; expected weights in f32",
                         e->name, weft_dtype_name(e->dtype));
    weft_array x = {e->name, WEFT_FILE_F32, e->dims, weft_state_copy(s, e->name), e->bytes};
    void *const copy = (void *)(uintptr_t)x.data;
    if (!copy) return weft_error_code(c);
    if (type != WEFT_F32) {
        x.type = weft_file_type_of(type);
        x.bytes = e->bytes / 2; /* narrowed where it lies: a number is written behind its reading */
        for (size_t i = 0; i < e->bytes / sizeof(float); i++) {
            float v;
            memcpy(&v, (const char *)copy + i * sizeof v, sizeof v);
            const uint16_t h = type == WEFT_BF16 ? bf16_of(v) : f16_of(v);
            memcpy((char *)copy + i * sizeof h, &h, sizeof h);
        }
    }
    const weft_err err = weft_archive_put(a, &x);
    weft_resize(c, copy, 0);
    return err;
}

/* All or nothing; then what the folder had in the other form is of another time, and goes. */
static weft_err files_write(weft_archive *a, weft_ctx *c, const char *folder, size_t most,
                            size_t bytes) {
    const bool many = most && bytes > most;
    char path[FILES_PATH];
    if (snprintf(path, sizeof path, "%s/%s", folder, files_names[1]) >= FILES_PATH)
        return weft_fail(c, WEFT_ARGUMENT, "%.200s...: the path is too long", folder);
    snprintf(path, sizeof path, "%s/%s", folder, files_names[many]);
    WEFT_TRY(weft_archive_write(a, path, &(weft_write_desc){.max_shard_bytes = many ? most : 0}));
    snprintf(path, sizeof path, "%s/%s", folder, files_names[!many]);
    if (path_exists(path) && remove(path) != 0)
        return weft_fail(c, WEFT_FILE, "%s: cannot remove an older model", path);
    return WEFT_OK;
}

weft_err weft_lm_save(weft_state *s, const weft_lm_config *m, const char *folder, weft_dtype type,
                      size_t max_shard_bytes) {
    weft_ctx *const c = weft_state_ctx(s);
    if (!s || !folder)
        return weft_fail(c, WEFT_ARGUMENT, "weft_lm_save: the %s is NULL", s ? "folder" : "state");
    if (type != WEFT_F32 && type != WEFT_BF16 && type != WEFT_F16)
        return weft_fail(c, WEFT_DTYPE, "weft_lm_save: expected f32, bf16 or f16, got %s",
                         weft_dtype_name(type));
    char *const config = weft_lm_config_text(c, m);
    weft_archive *const a = config ? weft_archive_new(c) : NULL;
    weft_err e = a ? weft_archive_text(a, "format", "pt") : weft_error_code(c);
    size_t numbers = 0;
    for (size_t i = 0; e == WEFT_OK && i < weft_state_count(s); i++) {
        weft_entry x;
        e = weft_state_entry(s, i, &x);
        if (e != WEFT_OK || !lm_is_weight(m, x.name)) continue;
        e = files_put(s, a, &x, type);
        numbers += x.bytes / sizeof(float);
    }
    if (e == WEFT_OK && (int64_t)numbers != weft_lm_parameters(m))
        e = weft_fail(c, WEFT_STATE,
                      "weft_lm_save: this network has %lld parameters, and the state %lld of them",
                      (long long)weft_lm_parameters(m), (long long)numbers);
    if (e == WEFT_OK) e = path_make_folder(c, folder);
    if (e == WEFT_OK)
        e = files_write(a, c, folder, max_shard_bytes, numbers * weft_dtype_size(type));
    if (e == WEFT_OK) {
        char path[FILES_PATH];
        snprintf(path, sizeof path, "%s/config.json", folder);
        e = weft_file_write(c, path, config, strlen(config));
    }
    weft_archive_free(a);
    weft_text_free(c, config);
    return e;
}
